//! What an unknown key may mean of which no name says more: by what its table was called at another version, by a part of its name, or by its value.

use cfg_compose::{Entry, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes, is_within};
use cfg_schema::{Node, Segment, moved::Moved, without_indices};

use super::elsewhere::Place;
use crate::{
    loc::{above, below},
    synonyms::{self, Form, Suggestion},
    walk::Walker,
};

impl Walker<'_> {
    /// What a key is in this table that the table has at another version, where it has another name: `path` in `file_monitor`, since `monitors.file` has it.
    pub(super) fn of_other_self(&self, owner: &str, key: &str) -> Option<Place> {
        let (history, kind, point) = (self.schema.history, self.schema.kind, self.schema.point);
        let own = without_indices(owner);
        let table_of = |path: &str| above(path).to_owned();
        let mut now: Vec<String> = Vec::new();
        let mut gone = None;
        for path in self.names.paths_ever(key).iter().filter(|_| !own.is_empty()) {
            match self.now_of_known(path) {
                Some(home) if table_of(&home) == own && self.keeps_value(path) => now.push(home),
                Some(_) => {}
                None => {
                    let table = table_of(path);
                    let is_own = || !table.is_empty() && table != own && self.now_of_known(&table).as_deref() == Some(&*own);
                    let dropped = || Moved::find(history, kind, path, None, point).filter(|moved| moved.is_dropped && is_own());
                    gone = gone.or_else(|| dropped()?.note);
                }
            }
        }
        now.dedup();
        match (now.as_slice(), gone) {
            ([home], _) => Some(Place::at(format!("in the target it is `{home}`"), vec![home.clone()])),
            ([], Some(note)) => Some(Place::nowhere(note.to_owned())),
            _ => None,
        }
    }

    /// Whether a key of another version has the same value at the target as there.
    fn keeps_value(&self, path: &str) -> bool {
        Moved::find(self.schema.history, self.schema.kind, path, None, self.schema.point).is_none_or(|moved| moved.is_same())
    }

    /// What another trainer's word means that the data binds to a table which only this one has within it: `path` in `val`, of which `val.data` is about
    /// the data.
    pub(super) fn bound_within(&self, table: Node, owner: &str, key: &str) -> Option<Suggestion> {
        let own = without_indices(owner);
        let mut found = table.fields(self.schema.point).filter_map(|(field, interval)| {
            let name = field.field_name().filter(|_| interval.is_required() && !self.schema.below(field).is_empty())?;
            let within = below(&own, name);
            let (setting, _) = synonyms::setting_in(self.schema.kind, &within, key).filter(|(_, steps)| *steps > 1)?;
            let found = synonyms::of_setting(self.names, &within, setting)?;
            let is_within = |home: &String| home.strip_prefix(&*within).is_some_and(|rest| rest.starts_with('.'));
            found.homes.first().is_some_and(is_within).then_some(Suggestion { rename: None, ..found })
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// A suggestion for what is written as a table: where the key is one value of a table, that table is meant.
    pub(super) fn with_table(&self, mut suggestion: Suggestion, entry: &Entry) -> Suggestion {
        let has_keys = entry.node.value.as_table().is_some_and(|table| !table.entries().is_empty());
        if !has_keys || suggestion.form != Some(Form::Same) {
            return suggestion;
        }
        for home in &mut suggestion.homes {
            if let Some((table, _)) = home
                .rsplit_once('.')
                .filter(|(table, last)| matches!(*last, "type" | "name") && !self.takes_table(home) && self.is_table(table))
            {
                suggestion.help = format!("in prime-rl it is `{table}`");
                *home = table.to_owned();
            }
        }
        suggestion
    }

    /// The key of the item of a list that is walked through, for one that all items have from the table with the list.
    pub(super) fn of_item(&self, home: &str) -> Option<String> {
        let key = self.path.key();
        let list = without_indices(&key[..key.rfind('[')?]);
        self.in_items(home, &list)
    }

    /// The key that the items of a list have at the target for one of the table with the list.
    pub(super) fn in_items(&self, home: &str, list: &str) -> Option<String> {
        let around = above(list);
        let rest = home.strip_prefix(around)?.strip_prefix('.').filter(|_| !is_within(home, list))?;
        let own = format!("{list}.{rest}");
        self.names.paths(rest.rsplit('.').next()?).contains(&own).then_some(own)
    }

    /// Reports a table of environment variables by another name: all of its keys are in capitals.
    pub(super) fn variables(&self, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let table = entry.node.value.as_table().filter(|table| !table.entries().is_empty() && entry.key.contains("env"))?;
        let is_variable = |entry: &Entry| {
            let is_name = entry.key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
            is_name && !matches!(entry.node.value, Value::Table(_) | Value::List(_))
        };
        if !table.entries().iter().all(is_variable) {
            return None;
        }
        let around = std::iter::successors(Some(owner), |table| (!table.is_empty()).then(|| above(table)));
        let mut homes = around.map(|table| below(table, "env_vars"));
        let home = homes.find(|home| self.takes_any(&without_indices(home)))?;
        let diagnostic =
            Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no table `{}`", entry.key)).label("unknown table");
        let help = format!("environment variables are in `{home}`");
        Some(diagnostic.help(&*help).choices([&*home]).propose(Proposal::relocate(&self.path.key(), &home).help(help)))
    }

    /// Reports a table within one with variants that is called as one of these: `[optim.adamw]`.
    pub(super) fn variant_within(&self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let inner = entry.node.value.as_table()?;
        let chosen = self.unions.iter().rfind(|chosen| chosen.variant == table && !chosen.is_written)?;
        let is_it = |variant: Node| matches!(variant.segment(), Segment::Variant(tag) if tag == &*entry.key);
        if !chosen.union.variants(self.schema.point).any(is_it) {
            return None;
        }
        let key = self.path.key();
        let each = inner
            .entries()
            .iter()
            .map(|inner| KeyChange::Move { from: format!("{key}.{}", inner.key), to: below(owner, &inner.key) });
        let home = below(owner, chosen.tag_key);
        let value = format!("{:?}", &*entry.key);
        let title = format!("write `{home} = {value}`, with its keys in `{owner}`");
        let set = KeyChange::Set { key: home, value };
        let changes = each.chain([KeyChange::Remove { key: key.clone() }, set]).collect();
        let diagnostic =
            Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no table `{}`", entry.key)).label("unknown table");
        Some(diagnostic.help(title.clone()).propose(Proposal::possible(title, changes)))
    }

    /// Adds what is guessed of a key that resembles none: the choice that it names, the key of a table whose name begins as it does, or the key whose
    /// whole name is in its own.
    pub(super) fn guessed(&self, table: Node, owner: &str, diagnostic: &Diagnostic, entry: &Entry) -> Option<Diagnostic> {
        if let Some(proposal) = self.chosen_by_name(table, owner, entry) {
            let help = proposal.help.clone().unwrap_or_default();
            return Some(diagnostic.clone().help(help).propose(proposal));
        }
        let home = self.of_table_beginning(table, owner, entry).or_else(|| self.within_its_name(table, owner, entry))?;
        Some(self.belongs_elsewhere(diagnostic.clone(), Place::at(format!("did you mean `{home}`?"), vec![home])))
    }

    /// A switch with the name of a choice: `ulysses = true` is `cp_style = "ulysses"`.
    fn chosen_by_name(&self, table: Node, owner: &str, entry: &Entry) -> Option<Proposal> {
        let Value::Bool(is_so) = entry.node.value else { return None };
        let (point, key) = (self.schema.point, &*entry.key);
        let of_fields = table.fields(point).filter_map(|(field, interval)| {
            let name = field.field_name()?;
            let meant = synonyms::choice(owner, name, key).unwrap_or(key);
            Some((name, interval.field_type().literals().find(|literal| *literal == meant)?))
        });
        let chosen = self.unions.iter().rfind(|chosen| chosen.variant == table && !chosen.is_written);
        let of_union = chosen.into_iter().flat_map(|chosen| {
            let tags = chosen.union.variants(point).filter_map(Node::variant_tag).filter(|tag| *tag == key);
            tags.map(|tag| (chosen.tag_key, tag))
        });
        let mut found = of_fields.chain(of_union);
        let (name, choice) = found.next().filter(|_| found.next().is_none())?;
        let (own, home) = (self.path.key(), below(owner, name));
        let title = format!("write `{home} = {choice:?}` instead");
        if !is_so {
            return Some(
                Proposal::remove(&own, format!("`{home}` chooses something else"))
                    .help(format!("{choice:?} is a choice of `{home}`")),
            );
        }
        let changes = vec![KeyChange::Remove { key: own }, KeyChange::Set { key: home, value: format!("{choice:?}") }];
        Some(Proposal::possible(title.clone(), changes).help(title))
    }

    /// The key of the only table within `owner` whose name begins with the same word as an unknown key, which the rest of it names: `metrics_port` is
    /// `metrics_server.port`.
    fn of_table_beginning(&self, table: Node, owner: &str, entry: &Entry) -> Option<String> {
        let (first, rest) = entry.key.split_once('_').filter(|(first, rest)| first.len() > 2 && !rest.is_empty())?;
        let own = without_indices(owner);
        let begins = |name: &str| name.strip_prefix(first).is_some_and(|rest| rest.starts_with('_'));
        let mut homes = table.fields(self.schema.point).filter_map(|(field, _)| {
            let home = below(&own, field.field_name().filter(|name| begins(name))?);
            let home = self.keys_of(&home).contains(&Some(rest)).then(|| below(&home, rest))?;
            self.may_take("", &home, &entry.node.value).then_some(home)
        });
        homes.next().filter(|_| homes.next().is_none())
    }

    /// The only key of the table whose whole name is a part of an unknown one, if the other words say nothing about what it sets:
    /// `chat_template_path` is `chat_template`.
    fn within_its_name(&self, table: Node, owner: &str, entry: &Entry) -> Option<String> {
        let own = without_indices(owner);
        let rest = |name: &str| {
            let (before, after) = entry.key.split_once(name)?;
            let is_apart = (before.is_empty() || before.ends_with('_')) && (after.is_empty() || after.starts_with('_'));
            is_apart.then(|| format!("{before}{after}"))
        };
        let says_nothing = |rest: String| rest.split('_').filter(|word| !word.is_empty()).all(|word| FILLING.contains(&word));
        let mut homes = table.fields(self.schema.point).filter_map(|(field, _)| {
            let name = field.field_name().filter(|name| (4..entry.key.len()).contains(&name.len()))?;
            let home = rest(name).is_some_and(says_nothing).then(|| below(&own, name))?;
            self.may_take("", &home, &entry.node.value).then_some(home)
        });
        homes.next().filter(|_| homes.next().is_none())
    }
}

/// Words of a name that say how something is given, not what it is.
const FILLING: [&str; 17] = [
    "path", "name", "file", "filename", "value", "values", "list", "str", "string", "config", "cfg", "arg", "args", "param",
    "params", "setting", "option",
];

#[cfg(test)]
mod tests {
    use cfg_diag::KeyChange;
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// What the first proposal for a finding about `key` changes: the place to which it moves, or what it sets.
    fn meant(kind: Kind, target: &str, text: &str, key: &str) -> Option<String> {
        let found = found_in(kind, target, text);
        let found = found.into_iter().find(|found| found.key.as_deref() == Some(key))?;
        found.proposals.first()?.changes.iter().find_map(|change| match change {
            KeyChange::Move { to, .. } => Some(to.clone()),
            KeyChange::Set { key, value } => Some(format!("{key} = {value}")),
            _ => None,
        })
    }

    #[test]
    fn a_key_has_the_name_that_its_table_has_for_it_at_this_version() {
        let rl = |target, text, key| meant(Kind::Rl, target, text, key);
        assert_eq!(rl("0.8.0", "[file_monitor]\npath = \"m\"\n", "file_monitor.path").as_deref(), Some("file_monitor.filename"));
        // What the table had under its former name, and has no more, is not another key with its word.
        assert_eq!(rl("0.7.0", "[orchestrator.model.client]\ntimeout = 9\n", "orchestrator.model.client.timeout"), None);
        // The key of the nearer table comes first.
        let item = "[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\nmax_tokens = 9\n";
        let sampling = "orchestrator.train.source[0].sampling.max_completion_tokens";
        assert_eq!(rl("0.8.0", item, "orchestrator.train.source[0].max_tokens").as_deref(), Some(sampling));
    }

    #[test]
    fn a_word_for_what_a_table_must_have_is_within_it() {
        let text = "[data]\nname = \"a\"\n[val]\npath = \"b\"\n";
        assert_eq!(meant(Kind::Sft, "0.8.0", text, "val.path").as_deref(), Some("val.data.name"));
    }

    #[test]
    fn variables_are_known_by_their_capitals() {
        let rl = |text, key| meant(Kind::Rl, "0.8.0", text, key);
        assert_eq!(rl("[env]\nNCCL_DEBUG = \"INFO\"\n", "env").as_deref(), Some("env_vars"));
        assert_eq!(rl("[trainer.environment]\nA_B = 1\n", "trainer.environment").as_deref(), Some("trainer.env_vars"));
        assert_ne!(rl("[env]\nid = \"a\"\n", "env").as_deref(), Some("env_vars"));
        // What prime-rl had under this name has its place.
        let text = "[slurm]\n[deployment]\ntype = \"disaggregated\"\n[deployment.prefill_env_overrides]\nA = \"1\"\n";
        let home = meant(Kind::Inference, "0.7.0", text, "deployment.prefill_env_overrides");
        assert_eq!(home.as_deref(), Some("deployment.prefill_env_vars"));
    }

    #[test]
    fn a_part_of_a_name_says_what_is_meant() {
        let rl = |text, key| meant(Kind::Rl, "0.8.0", text, key);
        let cp = "[trainer.model]\nulysses = true\n";
        assert_eq!(rl(cp, "trainer.model.ulysses").as_deref(), Some("trainer.model.cp_style = \"ulysses\""));
        assert_eq!(rl("[trainer.model]\nulysses = false\n", "trainer.model.ulysses"), None);
        let port = "[trainer]\nmetrics_port = 9090\n";
        assert_eq!(rl(port, "trainer.metrics_port").as_deref(), Some("trainer.metrics_server.port"));
        let template = "[tokenizer]\nchat_template_path = \"t.jinja\"\n";
        assert_eq!(rl(template, "tokenizer.chat_template_path").as_deref(), Some("tokenizer.chat_template"));
        // Another word says something else, and a number is not a text.
        assert_eq!(rl("[tokenizer]\nother_chat_template = \"t\"\n", "tokenizer.other_chat_template"), None);
        assert_eq!(rl("[tokenizer]\nchat_template_path = 3\n", "tokenizer.chat_template_path"), None);
    }

    #[test]
    fn what_is_said_of_evaluations_is_about_them() {
        let text = "[orchestrator.eval]\nenv_id = \"a\"\n";
        let set = "orchestrator.eval.source = [{ legacy = { id = \"a\" } }]";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "orchestrator.eval.env_id").as_deref(), Some(set));
    }

    #[test]
    fn a_place_of_the_contrary_is_not_one_of_the_same_value() {
        let text = "[data]\nname = \"a\"\n[eval]\non_start = true\n";
        let found = found_in(Kind::Sft, "main", text);
        let found = found.into_iter().find(|found| found.key.as_deref() == Some("eval.on_start")).expect("it is unknown");
        assert!(!found.choices.is_empty() && !found.choices.iter().any(|home| home.contains("skip_first_step")), "{found:?}");
    }

    #[test]
    fn values_beside_a_list_are_of_its_items() {
        let sources = "[[orchestrator.train.source]]\nname = \"a\"\n[[orchestrator.train.source]]\nname = \"b\"\n";
        let text = format!("[orchestrator]\nenv_ratios = [0.7, 0.3]\n{sources}");
        let set = "orchestrator.train.source[0].ratio = 0.7";
        assert_eq!(meant(Kind::Rl, "0.8.0", &text, "orchestrator.env_ratios").as_deref(), Some(set));
        let item = "[[orchestrator.train.env]]\nid = \"a\"\n[orchestrator.train.env.sampling_args]\ntemperature = 0.9\n";
        let home = "orchestrator.train.env[0].sampling.temperature";
        assert_eq!(meant(Kind::Rl, "0.7.0", item, "orchestrator.train.env[0].sampling_args").as_deref(), Some(home));
    }

    #[test]
    fn a_reference_is_the_value_of_its_key() {
        let text = "seq_len = 4096\n[inference.model]\nmax_model_len = \"${seq_len}\"\n[orchestrator]\nbatch_size = \"${oc.env:BS,128}\"\n";
        let found = found_in(Kind::Rl, "0.8.0", text);
        let fixes = found.iter().filter_map(|found| Some((found.key.as_deref()?, &*found.fix.as_ref()?.edits[0].new_text)));
        let mut fixes: Vec<(&str, &str)> = fixes.collect();
        fixes.sort_unstable();
        assert_eq!(fixes, [("inference.model.max_model_len", "4096"), ("orchestrator.batch_size", "128")]);
    }

    #[test]
    fn a_table_stands_for_the_key_that_it_has_within_it() {
        let text = "[orchestrator.algorithm]\nname = \"opd\"\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "orchestrator.algorithm").as_deref(), Some("orchestrator.algo"));
    }

    #[test]
    fn the_trainer_has_the_learning_rate() {
        let text = "[orchestrator]\nlr = 1e-6\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "orchestrator.lr").as_deref(), Some("trainer.optim.lr"));
    }

    #[test]
    fn what_is_trained_on_is_sampled_from_all_tokens() {
        let text = "[orchestrator.train.sampling]\ntop_k = 20\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "orchestrator.train.sampling.top_k"), None);
    }

    #[test]
    fn a_renderer_is_that_of_the_model() {
        let text = "[model]\nname = \"Qwen/Qwen3-4B\"\n[orchestrator.renderer]\nenable_thinking = false\n";
        let set = "orchestrator.renderer.name = \"qwen3\"";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "orchestrator.renderer").as_deref(), Some(set));
        let text = "[orchestrator.renderer]\nname = \"qwen3\"\nthinking = false\n";
        let home = meant(Kind::Rl, "0.8.0", text, "orchestrator.renderer.thinking");
        assert_eq!(home.as_deref(), Some("orchestrator.renderer.enable_thinking"));
        // Which renderer an unknown model needs, and which schedule is meant, no key says.
        let text = "[model]\nname = \"org/other\"\n[orchestrator.renderer]\nenable_thinking = false\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "orchestrator.renderer"), None);
        let text = "[trainer.scheduler]\nwarmup_steps = 9\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "trainer.scheduler"), None);
        let text = "[trainer.scheduler]\ntype = \"inverse_sqrt\"\nwarmup_steps = 9\ndecay_steps = 9\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "trainer.scheduler.type"), None);
        // The variant to which all others that have what is written only add.
        let text = "[inference.kv_cache_offload]\ncpu.num_bytes = 9\n";
        let set = "inference.kv_cache_offload.type = \"native\"";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "inference.kv_cache_offload").as_deref(), Some(set));
    }

    #[test]
    fn a_variant_is_known_by_its_own_keys_and_by_its_name() {
        let text = "[trainer.optim]\nadamw = { lr = 1e-6 }\n";
        let home = meant(Kind::Rl, "0.8.0", text, "trainer.optim.adamw");
        assert_eq!(home.as_deref(), Some("trainer.optim.lr"));
        // What the chosen one lacks can go.
        let text = "[trainer.optim]\ntype = \"sgd\"\nbetas = [0.9, 0.95]\n";
        let found = found_in(Kind::Rl, "0.8.0", text);
        let found = found.into_iter().find(|found| found.key.as_deref() == Some("trainer.optim.betas")).expect("it is unknown");
        assert!(found.proposals.iter().any(|proposal| proposal.title.contains("\"sgd\" has no such key")), "{found:?}");
    }

    #[test]
    fn a_table_is_no_value_and_its_name_may_be_a_part_of_one() {
        let rl = |text, key| meant(Kind::Rl, "0.8.0", text, key);
        assert_eq!(rl("[output]\ndir = \"o\"\n", "output").as_deref(), Some("output_dir"));
        assert_ne!(rl("[inference.lora]\nmax_rank = 8\n", "inference.lora").as_deref(), Some("inference.max_loras"));
    }

    #[test]
    fn a_table_of_any_keys_takes_a_table() {
        let text = "[model]\nrope_scaling = { factor = 2.0 }\n";
        assert_eq!(meant(Kind::Rl, "0.8.0", text, "model.rope_scaling").as_deref(), Some("inference.model.rope_scaling"));
    }

    #[test]
    fn of_a_name_that_comes_back_the_config_says_which_is_meant() {
        let later = "clean = true\n[inference.vllm]\ntensor_parallel_size = 1\n";
        assert_eq!(meant(Kind::Rl, "0.6.0", later, "clean").as_deref(), Some("clean_output_dir"));
        assert_eq!(meant(Kind::Rl, "0.6.0", "clean = true\n", "clean"), None);
    }
}
