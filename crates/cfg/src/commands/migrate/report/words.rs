//! Values and places in the words of the report.

use std::borrow::Cow;

use cfg_diag::{Location, capitalized, one_line};

use super::MigratedConfig;

/// The maximum number of columns of a value.
const VALUE_WIDTH: usize = 60;

/// The line number of a location as text; empty if there is none.
pub(super) fn line_of(way: &MigratedConfig, location: Option<Location>) -> String {
    way.line_of(location).map_or_else(String::new, |line| line.to_string())
}

/// A note on a removed key without the advice to remove it.
pub(super) fn without_advice(note: &str) -> Cow<'_, str> {
    let Some(reason) = note.strip_prefix("Remove it: ") else { return note.into() };
    capitalized(reason).into()
}

/// Two values on one line each. Of long ones, what they begin with alike is left out, so that the difference is seen.
pub(super) fn shown_beside(old: &str, new: &str) -> (String, String) {
    let (one, other) = (one_line(old), one_line(new));
    let is_long = |value: &str| value.chars().count() > VALUE_WIDTH;
    let alike = one.char_indices().zip(other.chars()).take_while(|((_, one), other)| one == other).map(|((at, _), _)| at);
    let alike = alike.last().unwrap_or(0);
    // A part begins where a value in it does.
    let start = one.get(..alike).and_then(|alike| alike.rfind([' ', '[', '{'])).map_or(0, |at| at + 1);
    if !is_long(&one) && !is_long(&other) || start <= 4 {
        return (shown(old), shown(new));
    }
    let rest = |value: &str| shown(&format!("... {}", value.get(start..).unwrap_or_default()));
    (rest(&one), rest(&other))
}

/// A value on one line, truncated if it is long.
pub(super) fn shown(value: &str) -> String {
    let line = one_line(value);
    if line.chars().count() <= VALUE_WIDTH {
        return line.into_owned();
    }
    line.chars().take(VALUE_WIDTH - 3).chain("...".chars()).collect()
}
