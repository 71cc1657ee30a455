//! The written texts of a config, for rules that look at each of them.

use std::{cell::OnceCell, fmt};

use cfg_compose::{Node as RawNode, Origin, Value};
use cfg_diag::Location;
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::Node;

use crate::{Context, Finding, operations::secret_in_config, placeholders::placeholder, training::import_path};

/// A text that is written in a config. Values that prime-rl copies appear once, where they are written.
pub(crate) struct Text<'t> {
    pub(crate) value: &'t str,
    pub(crate) location: Location,
    pub(crate) path: &'t Path<'t>,
    pub(crate) within: Within,
    /// Whether it is written in a config, rather than on a command line or in a variable.
    pub(crate) is_in_file: bool,
}

/// What kind of table a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// A table with known keys.
    Fields,
    /// A map, which has free keys.
    Map,
    /// An extra key, which its table does not know but keeps.
    Extra,
}

/// The keys of a value's path, from the last to the first.
#[derive(Clone, Copy)]
pub(crate) struct Path<'p> {
    segment: PathSegment<'p>,
    above: Option<&'p Path<'p>>,
}

#[derive(Clone, Copy)]
enum PathSegment<'p> {
    Field(Node),
    Key(&'p str),
    Item(usize),
}

/// The texts of a config that rules report, found when the first rule asks for them. One walk serves all rules that look at each text, because
/// walking costs more than what they look for. Starts empty: `Texts::default()`.
#[derive(Debug, Default)]
pub struct Texts(OnceCell<Reported>);

/// The texts of a config that rules report.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    pub(crate) secrets: Vec<(Location, &'static str)>,
    pub(crate) placeholders: Vec<Finding>,
    pub(crate) import_paths: Vec<Finding>,
}

impl Texts {
    /// Those of a config.
    pub(crate) fn of<'a>(cx: &Context<'a>) -> &'a Reported {
        cx.texts.0.get_or_init(|| {
            let mut reported = Reported::default();
            each(cx.view.table(), &mut |text| {
                reported.secrets.extend(secret_in_config::secret(text).map(|what| (text.location, what)));
                reported.placeholders.extend(placeholder::placeholder(text));
                reported.import_paths.extend(import_path::finding(text));
            });
            reported
        })
    }
}

/// Calls `visit` with each written text in a table.
fn each(table: &ResolvedTable, visit: &mut impl FnMut(&Text<'_>)) {
    in_table(None, table, visit);
}

fn in_table(above: Option<&Path<'_>>, table: &ResolvedTable, visit: &mut impl FnMut(&Text<'_>)) {
    for field in table.fields.iter().filter(|field| may_have_text(&field.resolved)) {
        in_value(&Path { segment: PathSegment::Field(field.node), above }, &field.resolved, Within::Fields, visit);
    }
    for (key, node) in &table.extra {
        in_raw(&Path { segment: PathSegment::Key(key), above }, node, visit);
    }
}

/// Whether a value is a text, or may contain one. Most values do not.
const fn may_have_text(resolved: &Resolved) -> bool {
    use ResolvedValue::{List, Map, Str, Table};
    matches!(resolved.value, Str(_) | List(_) | Map(_) | Table(_))
}

fn in_value(path: &Path<'_>, resolved: &Resolved, within: Within, visit: &mut impl FnMut(&Text<'_>)) {
    let below = |segment| Path { segment, above: Some(path) };
    match &resolved.value {
        ResolvedValue::Str(text) => in_text(path, text, resolved.origin, within, visit),
        ResolvedValue::Table(inner) => in_table(Some(path), inner, visit),
        ResolvedValue::Map(entries) => {
            for (key, entry) in entries.iter().filter(|(_, entry)| may_have_text(entry)) {
                in_value(&below(PathSegment::Key(key)), entry, Within::Map, visit);
            }
        }
        ResolvedValue::List(items) => {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| may_have_text(item)) {
                in_value(&below(PathSegment::Item(index)), item, within, visit);
            }
        }
        _ => {}
    }
}

fn in_raw(path: &Path<'_>, node: &RawNode, visit: &mut impl FnMut(&Text<'_>)) {
    let below = |segment| Path { segment, above: Some(path) };
    match &node.value {
        Value::Str(text) => in_text(path, text, node.origin, Within::Extra, visit),
        Value::List(items) => {
            items.iter().enumerate().for_each(|(index, item)| in_raw(&below(PathSegment::Item(index)), item, visit));
        }
        Value::Table(table) => {
            table.entries().iter().for_each(|entry| in_raw(&below(PathSegment::Key(&entry.key)), &entry.node, visit));
        }
        _ => {}
    }
}

fn in_text(path: &Path<'_>, text: &str, origin: Origin, within: Within, visit: &mut impl FnMut(&Text<'_>)) {
    if let Some(location) = origin.location() {
        visit(&Text { value: text, location, path, within, is_in_file: matches!(origin, Origin::File(_)) });
    }
}

impl Path<'_> {
    /// The first key.
    pub(crate) fn first(&self) -> &str {
        self.above.map_or_else(|| self.key(), Path::first)
    }

    /// The last key: for an item, that of its array.
    pub(crate) fn key(&self) -> &str {
        match self.segment {
            PathSegment::Item(_) => self.above.map_or("", Path::key),
            PathSegment::Field(node) => node.field_name().unwrap_or_default(),
            PathSegment::Key(key) => key,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.fmt(formatter)?;
        }
        if let PathSegment::Item(index) = self.segment {
            return write!(formatter, "[{index}]");
        }
        write!(formatter, "{}{}", if self.above.is_some() { "." } else { "" }, self.key())
    }
}
