//! Files that are not migrated.

use cfg_diag::one_line;
use cfg_migrate::Failure;
use cfg_report::count;

use super::one::backwards;

/// Why a file is not migrated.
pub(super) enum Unclear {
    /// This sentence, with the name of the file.
    Message(String),
    /// Its prime-rl is the new one already, and refuses its keys.
    Older(Box<Older>),
    /// It can't be read as a config; the name and the text of the file.
    Failure(String, String, Box<Failure>),
}

/// A config with keys of an older prime-rl than the one that is stated for it.
pub(super) struct Older {
    pub(super) name: String,
    /// The prime-rl that is stated, and where.
    pub(super) stated: String,
    /// The first refusal of a key.
    pub(super) gone: String,
    /// The prime-rl that its keys fit.
    pub(super) fitting: String,
}

impl Unclear {
    /// The reason in one line, with the name of the file.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Message(message) => message.clone(),
            Self::Older(older) => older.in_words(),
            Self::Failure(name, _, failure) => {
                let checked = match &**failure {
                    Failure::Backwards(from, kind) => return backwards(name, from, *kind),
                    Failure::NoConfig(checked) | Failure::NotToml(checked) => checked,
                };
                let first = checked.diagnostics.first().map_or("it is not a prime-rl config", |first| &first.message);
                format!("{}: {}", one_line(name), one_line(first))
            }
        }
    }
}

impl Older {
    fn in_words(&self) -> String {
        let Self { name, stated, gone, fitting } = self;
        format!(
            "{} is for prime-rl {stated}, which refuses keys of an older one ({}); pass the version that it was written for, such as `--from {fitting}`, \
             which its keys fit",
            one_line(name),
            one_line(gone)
        )
    }
}

/// The reasons in lines. Files for which the same is to be done are listed below one sentence.
pub(super) fn lines(all: &[Unclear]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut groups: Vec<Vec<&Older>> = Vec::new();
    for unclear in all {
        let Unclear::Older(older) = unclear else {
            lines.push(unclear.in_words());
            continue;
        };
        let is_alike = |group: &&mut Vec<&Older>| (&group[0].stated, &group[0].fitting) == (&older.stated, &older.fitting);
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(older),
            None => groups.push(vec![older]),
        }
    }
    for group in groups {
        if let [only] = group[..] {
            lines.push(only.in_words());
            continue;
        }
        let Older { stated, fitting, .. } = group[0];
        lines.push(format!(
            "{} are for prime-rl {stated}, which refuses their keys; pass the version that they were written for, such as `--from {fitting}`:",
            count(group.len(), "file")
        ));
        lines.extend(group.iter().map(|older| format!("  {}: {}", one_line(&older.name), one_line(&older.gone))));
    }
    lines
}
