//! Reads YAML as a tree of raw values with their places.
//!
//! The parser returns only events. From these, the values are built here as `PyYAML` builds them, with limits for the depth, the number of values
//! (including those that aliases repeat) and the size of the text. The parser follows YAML 1.2; a text that `PyYAML` may read differently is not
//! read at all.

mod differences;
mod key;
mod mapping;
mod places;
mod reader;

use cfg_compose::{Node, Tree, Value};
use cfg_diag::{Diagnostic, FileId, Location, Severity, Span, codes};
use cfg_syntax::MAX_DEPTH;

use self::{
    differences::{Difference, in_characters, odd_directive},
    reader::Reader,
};

/// The maximum size of a text in bytes: configs are written by hand.
const MAX_BYTES: usize = 1 << 20;

/// A document.
#[derive(Debug, Default)]
pub struct Yaml {
    /// Its values; `None` if it can't be read, or if `PyYAML` may read it differently.
    pub tree: Option<Tree>,
    /// Its findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The places of plain scalars that look like numbers but are strings.
    pub texts: Vec<Location>,
}

/// Reads a text that consists of one document whose root is a mapping.
pub fn read_yaml(file: FileId, text: &str) -> Yaml {
    let mut yaml = Yaml::default();
    if text.len() > MAX_BYTES {
        let message = "more than 1 MiB of YAML: cfg does not check a config this large";
        yaml.diagnostics.push(Diagnostic::new(&codes::UNREADABLE_FILE, message));
        return yaml;
    }
    if let Some((place, difference)) = in_characters(text) {
        yaml.diagnostics.push(*differing(Location::new(file, Span::from(place)), &difference));
        return yaml;
    }
    if let Some(place) = odd_directive(text) {
        yaml.diagnostics.push(*open(Location::new(file, Span::from(place)), "PyYAML may not know this directive"));
        return yaml;
    }
    let mut reader = Reader::of(file, text);
    let read = reader.read();
    let Reader { root, mut yaml, .. } = reader;
    match (read, root) {
        (Err(fault), _) => yaml.diagnostics.push(*fault),
        // An empty text is an empty config.
        (Ok(()), None | Some(Node { value: Value::Null, .. })) => yaml.tree = Some(Tree::default()),
        (Ok(()), Some(Node { value: Value::Table(root), .. })) => yaml.tree = Some(Tree { root }),
        (Ok(()), Some(node)) => {
            let place = node.origin.place().unwrap_or_else(|| Location::new(file, Span::default()));
            yaml.diagnostics.push(*match node.value {
                Value::Unknown => open(place, "its root has a tag or keys that cfg can't evaluate"),
                _ => fault(place, "a config is a mapping: `key: value`, line by line"),
            });
        }
    }
    yaml
}

fn fault(at: Location, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(&codes::INVALID_YAML, message.into()).at(at))
}

fn too_deep(at: Location) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(&codes::NESTED_TOO_DEEP, format!("nested deeper than {MAX_DEPTH} levels")).at(at))
}

/// The finding for a text that may mean something else to `PyYAML`.
fn open(at: Location, why: &str) -> Box<Diagnostic> {
    let mut found = Diagnostic::new(&codes::UNSUPPORTED_FILE, format!("cfg does not check this file: {why}")).at(at);
    found.severity = Severity::Warning;
    Box::new(found)
}

fn differing(at: Location, difference: &Difference) -> Box<Diagnostic> {
    match difference {
        Difference::Refused(why) => fault(at, *why),
        Difference::Open(why) => open(at, why),
    }
}
