//! Keys with which a migration does something else for some of their values.

use cfg_schema::{History, Kind, Node as Field, Point};

use crate::{conversion::Conversion, pattern::Token, step::Prepared};

/// Whether a move between two points may do something else with a key, by its name at the first of them, for some of its values.
pub fn depends_on_value(history: History, kind: Kind, key: &str, (from, to): (Point, Point)) -> bool {
    let written: Vec<&str> = key.split('.').collect();
    let mut table = Some(history.root(kind));
    // Moves have the name of the field, which may be written by an alias.
    let mut named = Vec::new();
    for part in &written {
        table = table.and_then(|table| table.field_for_key(part, from)).map(|(field, _)| field);
        named.push(table.and_then(Field::field_name).unwrap_or(part));
    }
    Prepared::all(history, kind).iter().any(|prepared| {
        let keys = || prepared.from.iter().filter_map(|token| if let Token::Key(key) = token { Some(*key) } else { None });
        // Of a table around it, nothing depends on its value.
        let is_of = |path: &[&str]| keys().count() >= path.len() && keys().zip(path).all(|(own, part)| own == *part);
        let is_between = prepared.entry.point().is_none_or(|point| from < point && point <= to);
        let is_plain =
            prepared.condition.is_none() && matches!(prepared.conversion, Conversion::Copy | Conversion::SharedWins(_));
        is_between && !is_plain && (is_of(&written) || is_of(&named))
    })
}
