//! Settings of other trainers: where they are written in prime-rl, and how.

use cfg_compose::{Entry, Integer, Table, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal};
use cfg_schema::{FieldType, TypeKind, without_indices};

use super::{
    items::list_of,
    off::is_wanted,
    run::{ListOfOne, Run},
    units::step_of,
    value::{choice_in, is_all_modules},
};
use crate::{
    emit::string,
    loc::above,
    synonyms::{self, Form, Suggestion},
    walk::Walker,
};

impl Walker<'_> {
    /// The place in this config for a key of the schema: with the indices that the walker's path has. `None` if an item of another list would have to
    /// be chosen, or if a table that sends samples to another company would come into being by it.
    pub(crate) fn placed(&self, home: &str) -> Option<String> {
        if sends_samples(home) && !self.run.sends_samples {
            return None;
        }
        let own = self.path.key();
        let own: Vec<&str> = own.split('.').collect();
        let mut placed: Vec<String> = Vec::new();
        let mut path = String::new();
        let steps: Vec<&str> = home.split('.').collect();
        for (number, step) in steps.iter().enumerate() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(step);
            // The last step may itself be a list, which moves as a whole.
            let is_list = number + 1 < steps.len() && self.is_list(&path);
            if !is_list {
                placed.push((*step).to_owned());
                continue;
            }
            let is_on_the_way = placed.iter().zip(&own).all(|(one, other)| one == other);
            let item = own
                .get(number)
                .filter(|item| is_on_the_way && item.strip_prefix(step).is_some_and(|index| index.starts_with('[')))?;
            placed.push((*item).to_owned());
        }
        Some(placed.join("."))
    }

    /// The place for a key of the items of a list in the only item that the list has.
    fn placed_in_only_item(&self, home: &str) -> Option<String> {
        let is_above = |list: &&ListOfOne| home.strip_prefix(&*list.path).is_some_and(|rest| rest.starts_with('.'));
        let ListOfOne { path: list, keys } = self.run.lists_of_one.iter().find(is_above)?;
        let rest = &home[list.len()..];
        let is_whole = rest.match_indices('.').skip(1).all(|(end, _)| !self.is_list(&home[..list.len() + end]));
        // With this table, the item would be another environment than the one that it names.
        let fits = !rest.starts_with(".legacy.") || keys.iter().any(|key| key == "legacy");
        (is_whole && fits).then(|| format!("{list}[0]{rest}"))
    }

    /// The fields that a path means at the target.
    pub(super) fn fields(&self, path: &str) -> Vec<cfg_schema::Node> {
        self.schema.named(&without_indices(path))
    }

    /// The types that a key has at the target.
    pub(super) fn types(&self, path: &str) -> impl Iterator<Item = FieldType> {
        let point = self.schema.point;
        self.fields(path).into_iter().filter_map(move |field| Some(field.at(point)?.field_type()))
    }

    /// Whether a key of the schema is a list at the target.
    pub(super) fn is_list(&self, path: &str) -> bool {
        self.types(path).any(|ty| ty.kind() == TypeKind::List)
    }

    /// Whether a key of the schema is a list of texts at the target.
    fn is_list_of_texts(&self, path: &str) -> bool {
        let is_text = |item: FieldType| item.kind() == TypeKind::Str;
        self.types(path).any(|ty| ty.kind() == TypeKind::List && ty.members().next().is_some_and(is_text))
    }

    /// Whether a key of the schema is a table of known keys at the target.
    pub(super) fn is_table(&self, path: &str) -> bool {
        self.fields(path).into_iter().any(|field| !self.schema.below(field).is_empty())
    }

    /// Whether a key of the schema is a table of any keys at the target.
    pub(super) fn takes_any(&self, path: &str) -> bool {
        self.types(path).any(|ty| ty.kind() == TypeKind::Dict)
    }

    /// Whether a key of the schema is a table at the target, of known keys or of any.
    pub(super) fn takes_table(&self, path: &str) -> bool {
        self.is_table(path) || self.takes_any(path)
    }

    /// Adds what another trainer's setting becomes.
    pub(crate) fn propose_synonym(&self, mut diagnostic: Diagnostic, suggestion: &Suggestion, entry: &Entry) -> Diagnostic {
        let key = self.path.key();
        diagnostic.choices.clone_from(&suggestion.homes);
        if suggestion.homes.is_empty() {
            let is_off = suggestion.form == Some(Form::Switch) && matches!(entry.node.value, Value::Bool(false));
            let table = key.rsplit_once('.').map(|(table, _)| table.to_owned()).filter(|_| is_off);
            let key = table.unwrap_or(key);
            let mut proposal = Proposal::remove(&key, "");
            if let Some(lost) = &mut proposal.lost {
                lost.why.clone_from(&suggestion.help);
            }
            return diagnostic.propose(proposal);
        }
        // What a key at the top shares with all components is written there, if a component's own key would differ from the others.
        let mut homes: Vec<&String> = suggestion.homes.iter().collect();
        let is_of_component = |home: &str| {
            let (component, shared) = home.split_once('.').unwrap_or_default();
            matches!(component, "trainer" | "orchestrator" | "inference") && suggestion.homes.iter().any(|other| other == shared)
        };
        // The arguments of an environment of the new kind are keys of its taskset.
        let item = above(&key);
        let is_taskset = |home: &str| home.ends_with(".taskset") && self.run.of_new_kind.iter().any(|of| of == item);
        // But each process has its own log.
        let is_log = |home: &str| home.contains(".log.");
        homes.sort_by_key(|home| (!is_taskset(home), is_of_component(home) && !is_log(home)));
        let is_list_of_tables = match &entry.node.value {
            Value::List(items) => !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some()),
            _ => false,
        };
        let inner = entry.node.value.as_table().filter(|table| !table.entries().is_empty());
        for home in homes {
            let Some(home) = self.placed(home).or_else(|| self.placed_in_only_item(home)) else {
                diagnostic.proposals.extend(self.as_new_item(&key, home, &entry.node.value));
                continue;
            };
            // A list of tables moves as a whole, and its keys follow.
            if is_list_of_tables && self.is_list(&home) {
                let (mut changes, whole) = (self.named_items(&home, &entry.node.value), Proposal::relocate(&key, &home));
                if !changes.is_empty() {
                    changes.insert(0, KeyChange::Move { from: key.clone(), to: home.clone() });
                    diagnostic.proposals.push(Proposal { changes, ..Proposal::relocate(&key, &home) });
                }
                diagnostic.proposals.push(whole);
                continue;
            }
            if let Some(items) = self.as_items(&key, &home, &entry.node.value) {
                diagnostic.proposals.push(items);
                continue;
            }
            if let Some(table) = inner.filter(|_| self.is_list(&home)) {
                diagnostic.proposals.extend(self.as_named_items(&key, &home, table));
                continue;
            }
            // A table is not switched on: it is there.
            let form = match (suggestion.form, &entry.node.value) {
                (Some(Form::Table), Value::Table(_)) => Some(Form::Same),
                (form, _) => form,
            };
            let proposal = match form {
                // A table does not become a value.
                Some(Form::Same) if entry.node.value.as_table().is_some() && !self.takes_table(&home) => None,
                Some(Form::Same) if let Some(inner) = inner => {
                    diagnostic.proposals.extend(self.merged(&key, &home, inner));
                    None
                }
                Some(Form::Same) => {
                    let home = self.choosing(&home, &entry.node.value);
                    let changes = self.carried(&key, &home, &entry.node.value);
                    let proposal = match changes.last() {
                        Some(KeyChange::Set { value, .. }) if value.starts_with('[') => {
                            Proposal::possible(format!("write `{home} = {value}` instead"), changes)
                        }
                        _ => Proposal { changes, ..Proposal::relocate(&key, &home) },
                    };
                    Some(proposal.help(format!("in prime-rl it is `{home}`")))
                }
                Some(form) => self.written(&key, &home, form, &entry.node.value),
                None => None,
            };
            let chosen = proposal.as_ref().and_then(|proposal| self.with_variant(proposal, &home));
            diagnostic.proposals.extend(proposal.into_iter().chain(chosen));
        }
        if let Some(tag) = suggestion.homes.first().and_then(|home| self.chosen_without(home)) {
            diagnostic.proposals.push(Proposal::remove(&key, format!("{tag:?} has no such key")));
        }
        // What has no counterpart that is accepted can only go.
        if let (Some(Form::On(_)), Value::Bool(_)) = (suggestion.form, &entry.node.value) {
            let home = suggestion.homes.first().map_or("", |home| home);
            diagnostic.proposals.push(Proposal::remove(&key, format!("`{home}` keeps its default")));
        }
        let is_scalar = !matches!(entry.node.value, Value::Table(_) | Value::List(_));
        let is_lost = is_scalar && !self.run.has_evaluations;
        let is_of_data = |home: &str| home.starts_with("val.") && self.schema.kind == cfg_schema::Kind::Sft;
        if let Some(home) = suggestion.homes.first().filter(|home| is_lost && (home.contains("eval.") || is_of_data(home))) {
            let (why, needed) = if is_of_data(home) {
                ("nothing is evaluated without data for it", "data to evaluate on, so remove it if there is none")
            } else {
                (
                    "nothing is evaluated without environments for it",
                    "environments to evaluate in, so remove it if there are none",
                )
            };
            let remove = Proposal::remove(&key, why);
            let help = format!("in prime-rl it is `{home}`; it needs {needed}");
            diagnostic.proposals.insert(0, remove.help(help));
        }
        diagnostic
    }

    /// Moves a table to another one that may be there already: as a whole, or each of its keys.
    fn merged(&self, key: &str, home: &str, table: &Table) -> [Proposal; 2] {
        let remove = KeyChange::Remove { key: key.to_owned() };
        let of = |changes: Vec<KeyChange>| {
            Proposal { changes, ..Proposal::relocate(key, home) }.help(format!("in prime-rl it is `{home}`"))
        };
        let each = table.entries().iter().map(|entry| {
            let key = &entry.key;
            KeyChange::Move { from: format!("{}.{key}", self.path.key()), to: format!("{home}.{key}") }
        });
        let whole = KeyChange::Move { from: key.to_owned(), to: home.to_owned() };
        [of(vec![whole, remove.clone()]), of(each.chain([remove]).collect())]
    }

    /// The changes that move a value which means the same; a choice that has another name here is written under this one.
    pub(super) fn carried(&self, key: &str, home: &str, value: &Value) -> Vec<KeyChange> {
        let (owner, last) = home.rsplit_once('.').unwrap_or(("", home));
        let text = value.as_str();
        let choice = text.and_then(|text| synonyms::choice(owner, last, text)).map(|choice| format!("\"{choice}\""));
        // Where prime-rl has several, the one is a list.
        let listed = || text.filter(|text| self.is_list_of_texts(home) && !is_all_modules(last, text)).map(list_of);
        match choice.or_else(listed) {
            Some(value) => {
                vec![KeyChange::Remove { key: key.to_owned() }, KeyChange::Set { key: home.to_owned(), value }]
            }
            None => vec![KeyChange::Move { from: key.to_owned(), to: home.to_owned() }],
        }
    }

    /// The key that takes a value: of a table with a `type`, a bare text is the type; that of a model is its name.
    pub(super) fn choosing(&self, home: &str, value: &Value) -> String {
        let is_tagged = || self.types(home).any(|ty| ty.discriminator().is_some());
        let is_named = || {
            let names = [format!("{home}.name"), format!("{home}.model")];
            names.into_iter().find(|name| self.types(name).any(|ty| ty.kind() == TypeKind::Str)).filter(|_| self.is_table(home))
        };
        match value.as_str() {
            Some(_) if is_tagged() => format!("{home}.type"),
            Some(_)
                if home.ends_with("model")
                    && let Some(name) = is_named() =>
            {
                name
            }
            _ => home.to_owned(),
        }
    }

    /// The change that writes the value of `key` at `home` in another form.
    pub(super) fn written(&self, key: &str, home: &str, form: Form, value: &Value) -> Option<Proposal> {
        let remove = KeyChange::Remove { key: key.to_owned() };
        if form == Form::Pair {
            let ([one, two], Some(second)) = (numbers_of(value)?, home.strip_suffix('1')) else { return None };
            let second = format!("{second}2");
            let title = format!("write `{home} = {one}` and `{second} = {two}` instead");
            let set = |key: &str, value: &str| KeyChange::Set { key: key.to_owned(), value: value.to_owned() };
            return Some(Proposal::possible(title, vec![remove, set(home, &one), set(&second, &two)]));
        }
        if form == Form::Table && is_wanted(home, value) == Some(false) && self.is_on(home) {
            let mut off = self.turned_off(home.to_owned());
            off.changes.insert(0, remove);
            return Some(off);
        }
        if let Some(why) = self.left_out(home, form, value) {
            return Some(Proposal::remove(key, why));
        }
        // A table of its own stands for the newest checkpoint if it says nothing else.
        let newest =
            home.strip_suffix(".step").filter(|_| form == Form::Resume && step_of(value).is_some_and(|step| step == "-1"));
        let (home, (value, why)) = match newest {
            Some(table) => (table, ("{}".to_owned(), String::new())),
            None => (home, self.in_form(key, home, form, value)?),
        };
        let title = format!("write `{home} = {value}` instead{why}");
        Some(Proposal::possible(title, vec![remove, KeyChange::Set { key: home.to_owned(), value }]))
    }

    /// That a setting becomes nothing at `home`, and why.
    fn left_out(&self, home: &str, form: Form, value: &Value) -> Option<String> {
        let why = match (form, value) {
            (Form::Table, value) if is_wanted(home, value) == Some(false) => format!("`{home}` is off unless it is written"),
            (Form::Dropped, _) => format!("no key has the same meaning, the nearest is `{home}`"),
            (Form::Node, Value::Int(Integer::Small(1))) => {
                "a run is on one node unless `deployment.type` says otherwise".to_owned()
            }
            (Form::Node, Value::Int(_)) if self.run.has_train_nodes => {
                "`num_train_nodes` and `num_infer_nodes` are all of them".to_owned()
            }
            (Form::Counted, Value::Str(text))
                if matches!(&*text.to_ascii_lowercase(), "steps" | "step" | "no" | "none" | "never") =>
            {
                format!("`{home}` counts steps")
            }
            (Form::Epochs, _) if self.run.max_steps.is_some() => "`max_steps` is the length of the run".to_owned(),
            (Form::Micro, _) if self.run.batch.is_some() => {
                "the batch of a step is given, and prime-rl cuts it into micro batches itself".to_owned()
            }
            (Form::Resume, Value::Bool(false)) => String::new(),
            _ => return None,
        };
        Some(why)
    }

    /// The value that a setting has at `home` in another form, as TOML, and what the title of the change says of it.
    fn in_form(&self, key: &str, home: &str, form: Form, value: &Value) -> Option<(String, String)> {
        let (value, why) = match (form, value) {
            (Form::Table, value) if is_wanted(home, value) == Some(true) => ("{}".to_owned(), String::new()),
            // What is chosen in the table.
            (Form::Table, Value::Str(text)) => {
                let point = self.schema.point;
                let (key, choice) = self.fields(home).into_iter().find_map(|table| choice_in(text, table, point, home))?;
                (format!("{{ {key} = {} }}", string(&choice)), String::new())
            }
            (Form::On(value), Value::Bool(true)) => (value.to_owned(), String::new()),
            (Form::Not, Value::Bool(is_so)) => ((!is_so).to_string(), String::new()),
            (Form::Share, Value::Float(share)) if (0.0..=1.0).contains(share) => {
                let rate = self.run.rate.or_else(|| self.default_rate(home))?;
                (product(*share, rate), ", the share of the learning rate".to_owned())
            }
            (Form::Groups, Value::Int(Integer::Small(rollouts))) => {
                let is_of_step = home.ends_with("batch_size");
                let is_wanted = is_of_step == self.run.group_size.is_some() && !(is_of_step && self.run.batch.is_some());
                is_wanted.then(|| (rollouts.to_string(), String::new()))?
            }
            (Form::Offline, Value::Bool(is_offline)) => (is_offline.to_string(), String::new()),
            (Form::Offline, Value::Str(text)) => match &*text.to_ascii_lowercase() {
                "offline" | "dryrun" => ("true".to_owned(), String::new()),
                "online" | "run" => ("false".to_owned(), String::new()),
                _ => return None,
            },
            (Form::Prompt, Value::Int(Integer::Small(prompt @ 1..=100_000_000))) => {
                ((prompt + self.run.answer?).to_string(), ", the lengths of prompt and answer".to_owned())
            }
            (Form::Micro, _) => {
                let batch = self.run.batch_of_parts().filter(|_| Run::is_part(key) || key.contains("accum"))?;
                (batch.to_string(), ", the batch of a step over all GPUs".to_owned())
            }
            (Form::Engines, Value::Int(Integer::Small(engines @ 1..=4096))) if home.ends_with(".num_infer_gpus") => {
                let gpus = engines * self.run.engine_gpus.unwrap_or(1);
                (gpus.to_string(), format!(", the GPUs of {engines} engines"))
            }
            (Form::Engines, Value::Int(Integer::Small(engines))) => (engines.to_string(), String::new()),
            (Form::Text, value) => (string(one_text(value).filter(|text| !is_data_file(text))?), String::new()),
            (Form::List, Value::Str(text)) => (list_of(text), String::new()),
            (Form::Steps, Value::Float(share)) if (0.0..1.0).contains(share) => {
                ((share * self.run.max_steps?).round().to_string(), ", the share of `max_steps`".to_owned())
            }
            (Form::Rollouts, Value::Int(Integer::Small(prompts @ 1..=1_000_000))) => {
                ((prompts * self.run.group_size?).to_string(), format!(", the rollouts of {prompts} prompts"))
            }
            (Form::Resume, value) => (step_of(value)?, String::new()),
            _ => return None,
        };
        Some((value, why))
    }
}

/// A product as TOML, without the noise of its last binary digits: `1e-6 * 0.1` is `1e-7`.
fn product(one: f64, other: f64) -> String {
    let exact = one * other;
    let rounded: f64 = format!("{exact:.11e}").parse().unwrap_or(exact);
    format!("{rounded:?}")
}

/// A text, also as the only one of a list.
fn one_text(value: &Value) -> Option<&str> {
    match value {
        Value::Str(text) => Some(text),
        Value::List(items) => match items.as_slice() {
            [item] => item.value.as_str(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a text is the path of a file of samples.
fn is_data_file(text: &str) -> bool {
    let ending = text.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| matches!(ending, "json" | "jsonl" | "parquet" | "csv" | "arrow" | "txt" | "gz" | "zst"))
}

/// The two numbers of a list, as TOML.
fn numbers_of(value: &Value) -> Option<[String; 2]> {
    if let Value::Str(text) = value {
        let number =
            |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| format!("{number:?}"));
        let (one, two) = text.trim_matches(['[', ']', '(', ')']).split_once(',')?;
        return Some([number(one)?, number(two)?]);
    }
    let Value::List(items) = value else { return None };
    let number = |value: &Value| match value {
        Value::Float(float) => Some(format!("{float:?}")),
        Value::Int(Integer::Small(integer)) => Some(integer.to_string()),
        _ => None,
    };
    let [one, two] = items.as_slice() else { return None };
    Some([number(&one.value)?, number(&two.value)?])
}

/// Whether a key is in a table whose presence alone makes prime-rl send samples of a run to its makers.
pub(super) fn sends_samples(key: &str) -> bool {
    // Asked of each table of each config.
    let mut steps = key.as_bytes().split(|byte| *byte == b'.').peekable();
    std::iter::from_fn(|| Some((steps.next()?, steps.peek().copied())))
        .any(|(step, next)| step == b"prime_monitor" || step == b"monitors" && next == Some(b"prime"))
}

#[cfg(test)]
mod tests {
    use super::{Value, is_wanted, product};

    #[test]
    fn a_share_has_no_noise() {
        assert_eq!(product(3e-6, 0.1), "3e-7");
        assert_eq!(product(1e-6, 0.3), "3e-7");
        assert_eq!(product(2e-5, 0.05), "1e-6");
        assert_eq!(product(1.0, 0.123_456), "0.123456");
    }

    #[test]
    fn words_switch_a_table_on_or_off() {
        for (word, wanted) in [("LoRA", Some(true)), ("yes", Some(true)), ("all", Some(true)), ("null", Some(false))] {
            assert_eq!(is_wanted("trainer.model.lora", &Value::Str(word.into())), wanted, "{word}");
        }
        assert_eq!(is_wanted("trainer.model.lora", &Value::Str("disabled".into())), Some(false));
        assert_eq!(is_wanted("trainer.model.lora", &Value::Str("qlora".into())), None);
    }
}
