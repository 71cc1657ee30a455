//! The names that other trainers have for the settings of prime-rl, read from `schemas/synonyms.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use cfg_diag::FileId;
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
    let below = |key: &str| if owner.is_empty() { key.to_owned() } else { format!("{owner}.{key}") };
    let home = setting.keys.iter().find_map(|key| [below(key), (**key).to_owned()].into_iter().find(is_known).zip(Some(key)));
    let Some((home, key)) = home else {
        let help = format!("prime-rl has no such setting: {}", setting.nothing.as_deref()?);
        return Some(Suggestion { help, rename: None });
    };
    let rename = (setting.is_same && !key.contains('.') && home == below(key)).then(|| (**key).to_owned());
    let note = setting.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
    Some(Suggestion { help: format!("in prime-rl it is `{home}`{note}"), rename })
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

    #[test]
    fn only_a_key_beside_it_with_the_same_value_is_a_rename() {
        let suggestion = |owner, word| suggestion(&names(Kind::Rl, "0.4.0"), owner, word).expect("a synonym");
        let renamed = Suggestion { help: "in prime-rl it is `trainer.optim`".to_owned(), rename: Some("optim".to_owned()) };
        assert_eq!(suggestion("trainer", "optimizer"), renamed);
        assert_eq!(suggestion("", "optimizer").rename, None);
        assert_eq!(suggestion("trainer.scheduler", "warmup_ratio").rename, None);
        assert_eq!(suggestion("trainer.optim", "learning_rate").rename.as_deref(), Some("lr"));
    }
}
