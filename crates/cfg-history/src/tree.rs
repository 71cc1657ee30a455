//! Builds a tree of segments from a list of paths.

use std::collections::BTreeMap;

use crate::text::{Field, Interval};

/// One step of a path. The table sorts the children of a node in the order of this type, and searches them by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// A key.
    Field(String),
    /// Any item of an array.
    Item,
    /// The value of any key of a map.
    MapValue,
    /// The tag of a variant of a tagged union.
    Variant(String),
    /// The class of a table in an untagged union.
    Class(String),
}

/// A node with its children.
#[derive(Default)]
pub struct Node {
    /// Its children.
    pub children: BTreeMap<Segment, Node>,
    /// Its properties over time.
    pub intervals: Vec<Interval>,
    /// The kind and path of the node whose children it shares.
    pub like: Option<(String, String)>,
}

impl Node {
    /// The node at a path below this one.
    pub fn at(&self, path: &str) -> Option<&Node> {
        segments(path).ok()?.iter().try_fold(self, |node, segment| node.children.get(segment))
    }
}

/// Builds the tree of one kind. An error begins with the number of the line.
pub fn build(fields: Vec<Field>) -> Result<Node, String> {
    let mut root = Node::default();
    for field in fields {
        let segments = segments(&field.path).map_err(|message| format!("{}: {message}", field.line))?;
        let node = segments.into_iter().fold(&mut root, |node, segment| node.children.entry(segment).or_default());
        if !node.intervals.is_empty() || node.like.is_some() {
            return Err(format!("{}: duplicate `{}`", field.line, field.path));
        }
        node.intervals = field.intervals;
        node.like = field.like;
    }
    Ok(root)
}

/// The node of the binary table at a path below `root`.
pub fn node_at(root: cfg_schema::Node, path: &str) -> Option<cfg_schema::Node> {
    segments(path).ok()?.iter().try_fold(root, child)
}

/// The node of the binary table one step below another.
pub(crate) fn child(node: cfg_schema::Node, step: &Segment) -> Option<cfg_schema::Node> {
    match step {
        Segment::Field(name) => node.field(name),
        Segment::Item => node.item(),
        Segment::MapValue => node.map_value(),
        Segment::Variant(tag) => node.variant(tag),
        Segment::Class(name) => {
            node.classes().find(|class| matches!(class.segment(), cfg_schema::Segment::Class(own) if own == name))
        }
    }
}

/// The path of a child: `path` with one more step.
pub fn joined(path: &str, step: &Segment) -> String {
    match step {
        Segment::Field(name) if path.is_empty() => name.clone(),
        Segment::Field(name) => format!("{path}.{name}"),
        Segment::Item => format!("{path}[]"),
        Segment::MapValue => format!("{path}.*"),
        Segment::Variant(tag) => format!("{path}<type={tag}>"),
        Segment::Class(name) => format!("{path}<{name}>"),
    }
}

/// Splits `train.env[].algo<type=echo>.roles.*` into segments.
pub fn segments(path: &str) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[]") {
            segments.push(Segment::Item);
            rest = after;
        } else if let Some(after) = rest.strip_prefix(".*").filter(|after| after.is_empty() || after.starts_with(['.', '[', '<']))
        {
            segments.push(Segment::MapValue);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('<') {
            let (inner, after) = after.split_once('>').ok_or("a `>` is missing")?;
            segments.push(match inner.split_once('=') {
                Some((_, tag)) => Segment::Variant(tag.to_owned()),
                None => Segment::Class(inner.to_owned()),
            });
            rest = after;
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[', '<']).unwrap_or(name.len());
            if end == 0 {
                return Err(format!("`{path}` has an empty key"));
            }
            segments.push(Segment::Field(name[..end].to_owned()));
            rest = &name[end..];
        }
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::{Segment, segments};

    #[test]
    fn every_kind_of_segment_is_told_apart() {
        let name = |text: &str| Segment::Field(text.to_owned());
        assert_eq!(
            segments("a.b[].c<type=x y>.d.*<Cls>").expect("it is well formed"),
            [
                name("a"),
                name("b"),
                Segment::Item,
                name("c"),
                Segment::Variant("x y".to_owned()),
                name("d"),
                Segment::MapValue,
                Segment::Class("Cls".to_owned())
            ]
        );
        assert!(segments("a..b").is_err());
    }
}
