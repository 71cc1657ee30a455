//! The names that other trainers have for the settings of prime-rl, of `schemas/synonyms.toml`.

mod choices;
mod filter;
mod of_run;
mod phrase;
mod rows;

use cfg_schema::{Kind, without_indices};

use crate::{Names, loc::below};

pub(crate) use choices::choice;
pub(crate) use filter::{NO_BYTES, digest, digest_with};
pub(crate) use of_run::{ANSWER, BATCH, ENGINE_GPUS, GROUP_SIZE, RATE, TRAIN_GPUS, setting_of_run};
pub(crate) use phrase::{phrase, stands_for};

/// A setting that other trainers call by another name.
#[derive(Debug)]
pub(crate) struct Setting {
    keys: &'static [&'static str],
    form: Option<Form>,
    /// Whether the word means this even though prime-rl has a key of the same name in another table.
    first: bool,
    /// The key at which the value is the same, if it is not at all of them.
    same_at: Option<&'static str>,
    /// The keys at which `true` is the contrary.
    not_at: &'static [&'static str],
    note: Option<&'static str>,
    nothing: Option<&'static str>,
}

/// How the value of a setting is written in prime-rl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Same,
    /// A table, in place of `true`; nothing, in place of `false`.
    Table,
    /// A list with the value as its one item.
    List,
    /// A text, in place of a list of this one.
    Text,
    /// A number of steps, in place of a share of all steps.
    Steps,
    /// Nothing, in place of `true`; with `false`, the table around it is left out.
    Switch,
    /// Two values, in place of a list of both: the second has a key that ends in 2 in place of 1.
    Pair,
    /// A number of rollouts, in place of one of prompts.
    Rollouts,
    /// The number of a step, in place of a path to its checkpoint; -1 for the last one.
    Resume,
    /// This value, as TOML, in place of `true`.
    On(&'static str),
    /// The length of prompt and answer together, in place of that of the prompt.
    Prompt,
    /// The size of the whole batch of a step, in place of what one GPU has at once or of the number of such parts; nothing if the batch is given.
    Micro,
    /// Nothing, if the number of steps is given.
    Epochs,
    /// The number of GPUs of all engines, in place of that of engines.
    Engines,
    /// The share of the learning rate times that.
    Share,
    /// Nothing, in place of one node.
    Node,
    /// The rollouts of one problem, or of a step if the config gives the former by another name.
    Groups,
    /// Nothing, in place of the word for steps or for never.
    Counted,
    /// `true` or `false`, in place of a word for what W&B does with the network.
    Offline,
    /// Nothing: no key has the same meaning.
    Dropped,
    /// `false` in place of `true`, and `true` in place of `false`.
    Not,
}

/// A value of other trainers, for a key of prime-rl that chooses.
#[derive(Debug)]
struct Choice {
    keys: &'static [&'static str],
    words: &'static [&'static str],
    value: &'static str,
}

/// The meaning of another trainer's word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// What to write instead.
    pub(crate) help: String,
    /// The key of the same table that accepts the value unchanged.
    pub(crate) rename: Option<String>,
    /// The keys that have this meaning at the target, the nearest first.
    pub(crate) homes: Vec<String>,
    /// How its value is written there; `None` if the author has to find it.
    pub(crate) form: Option<Form>,
}

impl Suggestion {
    /// That prime-rl has no key with this meaning, and why.
    pub(crate) fn nothing(why: &str, form: Option<Form>) -> Self {
        Self { help: format!("prime-rl has no such setting: {why}"), rename: None, homes: Vec::new(), form }
    }

    /// A key that accepts the value unchanged.
    pub(crate) fn same(home: String) -> Self {
        Self { help: String::new(), rename: None, homes: vec![home], form: Some(Form::Same) }
    }
}

/// What `word`, written in the table `owner`, means for other trainers, and its name at the target; `None` if it is not such a word.
pub(crate) fn suggestion(names: &Names, owner: &str, word: &str) -> Option<Suggestion> {
    // The paths of known keys contain no indices.
    let owner = without_indices(owner);
    of_setting(names, &owner, setting_in(names.kind(), &owner, word)?.0)
}

/// As [`setting`], in a config of a kind: the file of a component is its table in an rl config.
pub(crate) fn setting_in(kind: Kind, owner: &str, word: &str) -> Option<(&'static Setting, usize)> {
    let component = match kind {
        Kind::Trainer | Kind::Orchestrator | Kind::Inference => kind.name(),
        _ => return setting(owner, word),
    };
    let within = if owner.is_empty() { component.to_owned() } else { format!("{component}.{owner}") };
    setting(&within, word)
}

/// The words that are not bound to a table.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    rows::WORDS.iter().map(|(word, _)| *word).filter(|word| !word.contains('.'))
}

/// The keys of a table at the target that other trainers call by a name with this beginning, each with that name; only those whose values mean the same.
pub fn other_names(names: &Names, table: &str, beginning: &str) -> Vec<(&'static str, String)> {
    let begins = words().filter(|word| word.starts_with(beginning));
    begins.filter_map(|word| Some((word, suggestion(names, table, word)?.rename?))).collect()
}

/// Whether two words are names of one setting.
pub(crate) fn are_the_same(one: &str, other: &str) -> bool {
    let setting = |word: &str| rows::WORDS.binary_search_by(|(known, _)| (**known).cmp(word)).ok().map(|at| rows::WORDS[at].1);
    setting(one).is_some() && setting(one) == setting(other)
}

/// The key of the target that is listed with a key of another version, if the value means the same at both.
pub(crate) fn same_as(names: &Names, key: &str) -> Option<String> {
    let owner = key.split_once('.').map(|(owner, _)| owner)?;
    let is_it = |setting: &&Setting| setting.form == Some(Form::Same) && setting.is_key(key);
    let mut homes = rows::SETTINGS.iter().filter(is_it).flat_map(|setting| homes(names, owner, setting));
    homes.next()
}

/// Whether a table is about evaluations.
pub(crate) fn is_of_evaluations(step: &str) -> bool {
    matches!(step, "eval" | "evals" | "evaluation" | "evaluations" | "validation")
}

/// The setting that a word means, with as many of the tables around it as the data names, and how many steps these are: `rollout.n` is not the `n` of
/// another table.
pub(crate) fn setting(owner: &str, word: &str) -> Option<(&'static Setting, usize)> {
    if word.contains('.') {
        return None;
    }
    // What an environment of a list has of its own is said of the table with the list.
    let of_list = owner.rsplit_once('.').filter(|(_, item)| is_of_item(item)).map(|(table, _)| table);
    let found = [Some(owner), of_list].into_iter().flatten().filter_map(|owner| setting_at(end_of(owner, MOST_STEPS - 1), word));
    found.reduce(|own, other| if other.1 > own.1 { other } else { own })
}

fn setting_at(owner: &str, word: &str) -> Option<(&'static Setting, usize)> {
    let path = below(owner, word);
    let found = longest(&path);
    // Others have longer names for the table of evaluations.
    if !owner.split('.').any(|step| step != "eval" && is_of_evaluations(step)) {
        return found;
    }
    let plain = |step| if is_of_evaluations(step) { "eval" } else { step };
    let renamed = longest(&path.split('.').map(plain).collect::<Vec<_>>().join("."));
    [found, renamed].into_iter().flatten().max_by_key(|(_, steps)| *steps)
}

/// Whether a table is an item of the list of environments.
fn is_of_item(step: &str) -> bool {
    matches!(step, "env" | "envs" | "environment" | "environments" | "source" | "sources")
}

/// The most steps that a word has with the tables around it.
const MOST_STEPS: usize = 3;

/// The last steps of a path, at most as many as this.
fn end_of(path: &str, steps: usize) -> &str {
    path.rmatch_indices('.').nth(steps - 1).map_or(path, |(at, _)| &path[at + 1..])
}

/// The setting that the longest known end of a path means, and its steps.
fn longest(path: &str) -> Option<(&'static Setting, usize)> {
    let mut rest = Some(path);
    while let Some(suffix) = rest {
        if let Ok(at) = rows::WORDS.binary_search_by_key(&suffix, |(word, _)| word) {
            return Some((&rows::SETTINGS[usize::from(rows::WORDS[at].1)], suffix.split('.').count()));
        }
        rest = suffix.split_once('.').map(|(_, rest)| rest);
    }
    None
}

/// What a setting is at the target, if it is written in the table `owner`.
pub(crate) fn of_setting(names: &Names, owner: &str, setting: &Setting) -> Option<Suggestion> {
    let mut homes = homes(names, owner, setting);
    // What is the contrary at another place would need another value there.
    let is_contrary = |home: &String| {
        setting.not_at.iter().any(|key| home.strip_suffix(*key).is_some_and(|table| table.is_empty() || table.ends_with('.')))
    };
    let is_first = homes.first().is_some_and(is_contrary);
    homes.retain(|home| is_contrary(home) == is_first);
    let Some(home) = homes.first().cloned() else {
        return Some(Suggestion::nothing(setting.nothing?, setting.form));
    };
    let beside = match home.rsplit_once('.') {
        Some((table, key)) => (table == owner).then_some(key),
        None => owner.is_empty().then_some(&*home),
    };
    let is_same_there = setting.same_at.is_some_and(|key| *key == *home);
    if is_same_there {
        homes.truncate(1);
    }
    let form = match () {
        () if is_same_there => Some(Form::Same),
        () if is_first => Some(Form::Not),
        () => setting.form,
    };
    let rename = beside.filter(|_| form == Some(Form::Same)).map(str::to_owned);
    let contrary = (form == Some(Form::Not)).then_some("its `true` is the `false` of this one");
    let note = setting.note.or(contrary).filter(|_| !is_same_there).map(|note| format!("; {note}")).unwrap_or_default();
    Some(Suggestion { help: format!("in prime-rl it is `{home}`{note}"), rename, form, homes })
}

impl Setting {
    /// Whether it is this key of prime-rl.
    pub(crate) fn is_key(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }

    /// How its value is written.
    pub(crate) const fn form(&self) -> Option<Form> {
        self.form
    }

    /// Whether the word means this even though prime-rl has a key of the same name in another table.
    pub(crate) const fn is_first(&self) -> bool {
        self.first
    }

    /// Why prime-rl has no such setting; `None` if it may have it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.keys.is_empty()
    }
}

/// The keys of the target that a setting can be, the nearest first.
fn homes(names: &Names, owner: &str, setting: &Setting) -> Vec<String> {
    let is_known = |path: &String| names.paths(path.rsplit('.').next().unwrap_or(path)).contains(path);
    let mut homes: Vec<String> = Vec::new();
    // What is about training elsewhere is about evaluations in their table.
    let is_of_evaluations = owner.split('.').any(|step| step == "eval");
    let evaluated = |home: &String| {
        let steps: Vec<&str> = home.split('.').map(|step| if step == "train" { "eval" } else { step }).collect();
        Some(steps.join(".")).filter(|other| is_of_evaluations && other != home && is_known(other))
    };
    for key in setting.keys {
        for home in places(owner, key).filter(is_known) {
            let home = evaluated(&home).unwrap_or(home);
            // The nearest decides whether it is about the other half of the run.
            if is_of_other_half(names, owner, &home) && homes.is_empty() {
                return homes;
            }
            // What is said of all environments of a list may be said of this one.
            let of_item = home.rsplit_once('.').filter(|(table, _)| is_item_within(owner, table));
            let of_item = of_item.map(|(_, key)| format!("{owner}.{key}")).filter(is_known);
            for home in of_item.into_iter().chain([home]) {
                if !homes.contains(&home) && !is_of_other_half(names, owner, &home) {
                    homes.push(home);
                }
            }
        }
    }
    homes
}

/// Whether a table is an item of a list of environments that another one has.
fn is_item_within(owner: &str, table: &str) -> bool {
    owner.strip_prefix(table).and_then(|rest| rest.strip_prefix('.')).is_some_and(is_of_item)
}

/// What the name of a table and that of a key in it mean together: `at_start` in a table `eval` is `eval_at_start`.
pub(crate) fn joined(names: &Names, owner: &str, word: &str) -> Option<Suggestion> {
    let owner = without_indices(owner);
    let (around, table) = owner.rsplit_once('.').unwrap_or(("", &*owner));
    let of_evaluations = if is_of_evaluations(table) { "eval" } else { table };
    let (setting, _) =
        [table, of_evaluations].into_iter().find_map(|table| setting_in(names.kind(), around, &format!("{table}_{word}")))?;
    of_setting(names, &owner, setting)
}

/// The paths that a key can mean in the table `owner`, the nearest first: in the table itself, if it has the name of the key's table, below it, below
/// the tables around it, and from the root.
fn places<'a>(owner: &'a str, key: &'a str) -> impl Iterator<Item = String> {
    let within = key.match_indices('.').filter_map(move |(at, _)| {
        let above = owner.strip_suffix(&key[..at])?;
        (above.is_empty() || above.ends_with('.')).then(|| format!("{owner}{}", &key[at..]))
    });
    let around = std::iter::successors(Some(owner), |table| table.rsplit_once('.').map(|(above, _)| above));
    let below = around.filter(|table| !table.is_empty()).map(move |table| format!("{table}.{key}"));
    within.chain(below).chain(std::iter::once(key.to_owned()))
}

/// Whether a path leads from the server to the trainer, or back: each has its own model, memory and parallelism, for which others use one word.
pub(crate) fn is_of_other_half(names: &Names, owner: &str, home: &str) -> bool {
    let half = |path: &str| ["trainer", "inference"].into_iter().find(|&half| path.split('.').next() == Some(half));
    // A fine-tuning starts a server for evaluations only.
    if names.kind() == Kind::Sft {
        return !owner.is_empty() && half(owner).is_none() && half(home) == Some("inference");
    }
    let is_whole_run = names.kind() == Kind::Rl;
    is_whole_run && half(owner).zip(half(home)).is_some_and(|(one, other)| one != other)
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Target};

    use super::{Form, MOST_STEPS, end_of, rows, setting, suggestion};
    use crate::Names;

    fn names(kind: Kind, target: &str) -> Names {
        let history = History::built_in();
        Names::new(history.schema(kind, Target::parse(history, target).expect("a target").point))
    }

    #[test]
    fn every_synonym_has_a_key_or_a_reason() {
        let kinds = [Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference, Kind::Sft];
        let all: Vec<Names> =
            ["0.2", "0.4.0", "0.6.0", "0.8.0", "main"].iter().flat_map(|target| kinds.map(|kind| names(kind, target))).collect();
        assert!(rows::WORDS.len() > 500, "{}", rows::WORDS.len());
        assert!(rows::WORDS.iter().all(|(word, _)| word.split('.').count() <= MOST_STEPS));
        for (word, setting) in rows::WORDS {
            let synonym = &rows::SETTINGS[usize::from(*setting)];
            assert!(!synonym.keys.is_empty() || synonym.nothing.is_some(), "{word}");
            assert!(synonym.form != Some(Form::Same) || synonym.note.is_none(), "{word}: what is the same needs no note");
            for key in synonym.keys {
                let is_known = |names: &Names| {
                    let last = key.rsplit('.').next().unwrap_or(key);
                    names.paths(last).iter().any(|path| path == key || path.ends_with(&format!(".{key}")))
                };
                assert!(all.iter().any(is_known), "{word}: no prime-rl has `{key}`");
            }
        }
    }

    #[test]
    fn only_the_end_of_a_path_is_looked_up() {
        assert_eq!(["a", "a.b", "a.b.c", "x.a.b.c", ""].map(|path| end_of(path, 3)), ["a", "a.b", "a.b.c", "a.b.c", ""]);
        let meant = |owner: &str, word| setting(owner, word).map(|(setting, steps)| (setting.keys[0], steps));
        let deep = format!("{}actor", "x.".repeat(1000));
        assert_eq!(meant(&format!("{deep}.optim"), "lr"), meant("actor.optim", "lr"));
        assert!(meant(&format!("{deep}.optim"), "lr").is_some_and(|(_, steps)| steps == 3));
    }

    #[test]
    fn the_key_is_that_of_the_target() {
        let help = |kind, target, owner, word| suggestion(&names(kind, target), owner, word).map(|suggestion| suggestion.help);
        let calls = |key: &str| Some(format!("in prime-rl it is `{key}`"));
        assert_eq!(help(Kind::Rl, "0.4.0", "orchestrator", "num_generations"), calls("orchestrator.rollouts_per_example"));
        assert_eq!(help(Kind::Rl, "main", "orchestrator", "num_generations"), calls("orchestrator.group_size"));
        assert_eq!(help(Kind::Rl, "0.4.0", "", "max_new_tokens"), calls("orchestrator.sampling.max_tokens"));
        assert_eq!(help(Kind::Rl, "0.4.0", "orchestrator", "learning_rate"), calls("trainer.optim.lr"));
        assert_eq!(help(Kind::Sft, "0.4.0", "", "learning_rate"), calls("optim.lr"));
        assert_eq!(help(Kind::Rl, "main", "", "wandb_project"), calls("monitors.wandb.project"));
        assert_eq!(help(Kind::Inference, "main", "", "num_generations"), None);
        assert_eq!(help(Kind::Rl, "main", "", "no_such_word"), None);
    }

    /// Whatever table someone writes the word in, the help names the key of the target that is nearest to it.
    #[test]
    fn the_nearest_table_with_the_key_is_meant() {
        let cases = [
            (Kind::Rl, "main", "trainer.model", "attention", "trainer.model.attn"),
            (Kind::Rl, "main", "trainer", "attention", "trainer.model.attn"),
            (Kind::Rl, "main", "", "attention", "trainer.model.attn"),
            (Kind::Sft, "main", "model", "attention", "model.attn"),
            (Kind::Rl, "0.8.0", "trainer.model", "context_parallel_size", "trainer.model.cp"),
            (Kind::Trainer, "0.8.0", "", "context_parallel", "model.cp"),
            (Kind::Rl, "0.8.0", "trainer.model", "torch_compile", "trainer.model.compile"),
            (Kind::Rl, "0.8.0", "", "total_steps", "max_steps"),
            (Kind::Rl, "0.8.0", "trainer", "total_steps", "trainer.max_steps"),
            (Kind::Rl, "0.8.0", "trainer.model", "max_context_len", "trainer.model.seq_len"),
            (Kind::Inference, "0.8.0", "model", "max_context_len", "model.max_model_len"),
            (Kind::Rl, "0.8.0", "trainer.ckpt", "save_interval", "trainer.ckpt.interval"),
            (Kind::Rl, "0.8.0", "ckpt", "save_interval", "ckpt.interval"),
            (Kind::Rl, "0.8.0", "trainer", "save_interval", "trainer.ckpt.interval"),
            (Kind::Rl, "0.8.0", "", "save_interval", "ckpt.interval"),
            (Kind::Rl, "0.8.0", "orchestrator.eval", "eval_interval", "orchestrator.eval.interval"),
            // A table around the word has it.
            (Kind::Rl, "0.8.0", "trainer.model", "learning_rate", "trainer.optim.lr"),
            (Kind::Rl, "0.4.0", "orchestrator.env[0]", "num_generations", "orchestrator.rollouts_per_example"),
        ];
        for (kind, target, owner, word, key) in cases {
            let found = suggestion(&names(kind, target), owner, word).map(|found| found.help);
            let named = found.as_deref().and_then(|help| help.split('`').nth(1));
            assert_eq!(named, Some(key), "{word} in [{owner}] at {target}: {found:?}");
        }
        // The server has parallelism of its own.
        assert_eq!(suggestion(&names(Kind::Rl, "0.8.0"), "inference", "context_parallel"), None);
    }

    #[test]
    fn only_a_key_beside_it_with_the_same_value_is_a_rename() {
        let suggestion = |owner, word| suggestion(&names(Kind::Rl, "0.4.0"), owner, word).expect("a synonym");
        let renamed = suggestion("trainer", "optimizer");
        assert_eq!((&*renamed.help, renamed.rename.as_deref()), ("in prime-rl it is `trainer.optim`", Some("optim")));
        assert_eq!(suggestion("", "optimizer").rename, None);
        assert_eq!(suggestion("trainer.scheduler", "warmup_ratio").rename, None);
        assert_eq!(suggestion("trainer.optim", "learning_rate").rename.as_deref(), Some("lr"));
        assert_eq!(suggestion("ckpt", "save_interval").rename.as_deref(), Some("interval"));
        assert_eq!(suggestion("trainer.model", "attention").rename.as_deref(), Some("attn"));
    }
}
