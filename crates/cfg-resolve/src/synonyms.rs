//! The names that other trainers have for the settings of prime-rl, read from `schemas/synonyms.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use cfg_diag::FileId;
use cfg_schema::Kind;
use cfg_syntax::{Dialect, Value};

use crate::Names;

/// A setting that other trainers call by another name.
#[derive(Debug)]
struct Setting {
    keys: Vec<Box<str>>,
    is_same: bool,
    note: Option<Box<str>>,
    nothing: Option<Box<str>>,
}

/// The settings, and the ones that each word can mean.
#[derive(Debug, Default)]
struct Synonyms {
    settings: Vec<Setting>,
    words: BTreeMap<Box<str>, usize>,
}

static ALL: LazyLock<Synonyms> = LazyLock::new(|| {
    let (document, _) = cfg_syntax::parse(FileId(0), include_str!("../../../schemas/synonyms.toml"), Dialect::Toml10);
    let mut all = Synonyms::default();
    for table in document.root.value("setting").map_or(&[][..], Value::items).iter().filter_map(Value::as_table) {
        let text = |key: &str| table.value(key).and_then(Value::as_str).map(Into::into);
        let texts = |key: &str| table.value(key).map_or(&[][..], Value::items).iter().filter_map(Value::as_str);
        all.words.extend(texts("words").map(|word| (word.into(), all.settings.len())));
        all.settings.push(Setting {
            keys: texts("keys").map(Into::into).collect(),
            is_same: table.value("same").and_then(Value::as_bool) == Some(true),
            note: text("note"),
            nothing: text("nothing"),
        });
    }
    all
});

/// The meaning of another trainer's word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// What to write instead.
    pub(crate) help: String,
    /// The key of the same table that accepts the value unchanged.
    pub(crate) rename: Option<String>,
}

/// What `word`, written in the table `owner`, means for other trainers, and its name at the target; `None` if it is not such a word.
pub(crate) fn suggestion(names: &Names, owner: &str, word: &str) -> Option<Suggestion> {
    let setting = &ALL.settings[*ALL.words.get(word)?];
    let is_known = |path: &String| {
        let last = path.rsplit('.').next().unwrap_or(path);
        names.paths(last).contains(path)
    };
    // The paths of known keys contain no indices.
    let owner = without_indices(owner);
    let home = setting
        .keys
        .iter()
        .find_map(|key| places(&owner, key).find(is_known))
        .filter(|home| !is_of_other_half(names, &owner, home));
    let Some(home) = home else {
        let help = format!("prime-rl has no such setting: {}", setting.nothing.as_deref()?);
        return Some(Suggestion { help, rename: None });
    };
    let beside = match home.rsplit_once('.') {
        Some((table, key)) => (table == owner).then_some(key),
        None => owner.is_empty().then_some(&*home),
    };
    let rename = beside.filter(|_| setting.is_same).map(str::to_owned);
    let note = setting.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
    Some(Suggestion { help: format!("in prime-rl it is `{home}`{note}"), rename })
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
    let is_whole_run = names.kind() == Kind::Rl;
    is_whole_run && half(owner).zip(half(home)).is_some_and(|(one, other)| one != other)
}

/// A path without the indices of list items.
fn without_indices(path: &str) -> String {
    let steps: Vec<&str> = path.split('.').map(|step| step.split('[').next().unwrap_or(step)).collect();
    steps.join(".")
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Target};

    use super::{ALL, Suggestion, suggestion};
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
        assert!(ALL.words.len() > 70, "{}", ALL.words.len());
        for (word, setting) in &ALL.words {
            let synonym = &ALL.settings[*setting];
            assert!(!synonym.keys.is_empty() || synonym.nothing.is_some(), "{word}");
            assert!(!synonym.is_same || synonym.note.is_none(), "{word}: what is the same needs no note");
            for key in &synonym.keys {
                let is_known = |names: &Names| {
                    let last = key.rsplit('.').next().unwrap_or(key);
                    names.paths(last).iter().any(|path| path == &**key || path.ends_with(&format!(".{key}")))
                };
                assert!(all.iter().any(is_known), "{word}: no prime-rl has `{key}`");
            }
        }
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
        let renamed = Suggestion { help: "in prime-rl it is `trainer.optim`".to_owned(), rename: Some("optim".to_owned()) };
        assert_eq!(suggestion("trainer", "optimizer"), renamed);
        assert_eq!(suggestion("", "optimizer").rename, None);
        assert_eq!(suggestion("trainer.scheduler", "warmup_ratio").rename, None);
        assert_eq!(suggestion("trainer.optim", "learning_rate").rename.as_deref(), Some("lr"));
        assert_eq!(suggestion("ckpt", "save_interval").rename.as_deref(), Some("interval"));
        assert_eq!(suggestion("trainer.model", "attention").rename.as_deref(), Some("attn"));
    }
}
