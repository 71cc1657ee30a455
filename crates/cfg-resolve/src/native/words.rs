//! Values and their origins, as messages show them.

use cfg_compose::{Integer, Origin};
use cfg_schema::{Commit, Kind, Schema};

use crate::{Resolved, ResolvedValue, coerce};

/// The maximum length of a user's text in a message, in characters.
const LONGEST: usize = 60;

/// The maximum number of items of an array in a message.
const MAX_ITEMS: usize = 4;

/// A value in a message: `2`, `"sdpa"`, `[1, 2]`; for a table "set", for null "not set".
pub(super) fn value(value: &ResolvedValue) -> String {
    match value {
        ResolvedValue::Null => "not set".to_owned(),
        ResolvedValue::Bool(boolean) => boolean.to_string(),
        ResolvedValue::Int(Integer::Small(small)) => small.to_string(),
        ResolvedValue::Int(Integer::Big(digits)) => shortened(digits),
        ResolvedValue::Float(float) => coerce::float_repr(*float),
        ResolvedValue::Str(text) => format!("\"{}\"", shortened(text)),
        ResolvedValue::List(items) if items.len() <= MAX_ITEMS && items.iter().all(is_plain) => {
            let items: Vec<String> = items.iter().map(|item| self::value(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        ResolvedValue::List(items) => format!("an array of {}", items.len()),
        ResolvedValue::Map(_) | ResolvedValue::Table(_) => "set".to_owned(),
        ResolvedValue::Datetime(_) => "a date".to_owned(),
        ResolvedValue::Invalid => "faulty".to_owned(),
    }
}

/// A value of a contradiction with its origin: "`trainer.model.seq_len` is 2048, the default of 0.4.0".
pub(super) fn end(schema: Schema, path: &str, resolved: &Resolved) -> String {
    let is = format!("`{path}` is {}", value(&resolved.value));
    match resolved.origin {
        Origin::File(_) | Origin::CommandLine(_) | Origin::Environment(_) => is,
        Origin::Default if schema.kind == Kind::Script => format!("{is}, its default"),
        Origin::Default => format!("{is}, the default of {}", target(schema)),
        Origin::Loader(derivation) | Origin::Check(derivation) if derivation.from.is_some() => {
            format!("{is}, derived from this by prime-rl's {}", derivation.name)
        }
        Origin::Loader(derivation) | Origin::Check(derivation) => format!("{is}, set by prime-rl's {}", derivation.name),
    }
}

/// The name of the prime-rl for which the check is made: a release, or a commit.
fn target(schema: Schema) -> String {
    match schema.history.first_release_with(schema.point).filter(|release| release.point() == schema.point) {
        Some(release) => release.name().to_owned(),
        None => schema.history.commit_of(schema.point).map(Commit::short_sha).unwrap_or_default(),
    }
}

fn is_plain(item: &Resolved) -> bool {
    !matches!(item.value, ResolvedValue::List(_) | ResolvedValue::Map(_) | ResolvedValue::Table(_))
}

/// A text in one line, truncated if it is too long.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    format!("{}...", line.chars().take(LONGEST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Resolved, ResolvedValue, shortened, value};

    #[test]
    fn values_are_shown_as_they_are_written() {
        let text = |text: &str| ResolvedValue::Str(text.into());
        assert_eq!(value(&text("sdpa")), "\"sdpa\"");
        assert_eq!(value(&ResolvedValue::Float(5e-5)), "5e-05");
        assert_eq!(value(&ResolvedValue::Null), "not set");
        let items: Vec<Resolved> = ["a", "b"].into_iter().map(|item| text(item).into()).collect();
        assert_eq!(value(&ResolvedValue::List(items)), "[\"a\", \"b\"]");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("a\nb"), "a...");
        assert_eq!(shortened(&"x".repeat(61)).len(), 63);
    }
}
