//! Builds a tree of segments from a list of paths.

use std::collections::BTreeMap;

use crate::compiler::text::{Field, Interval};

/// The maximum number of segments of a path: what goes through a tree calls itself for each level. Those of prime-rl have at most 10.
pub(crate) const MAX_SEGMENTS: usize = 64;

/// One step of a path. The table sorts the children of a node in the order of this type, and searches them by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment<'t> {
    /// A key.
    Field(&'t str),
    /// Any item of an array.
    Item,
    /// The value of any key of a map.
    MapValue,
    /// The tag of a variant of a tagged union.
    Variant(&'t str),
    /// The class of a table in an untagged union.
    Class(&'t str),
}

/// A node with its children.
#[derive(Default)]
pub struct Node<'t> {
    /// Its children.
    pub children: BTreeMap<Segment<'t>, Node<'t>>,
    /// Its properties over time.
    pub intervals: &'t [Interval],
    /// The kind and path of the node whose children it shares.
    pub like: Option<&'t (String, String)>,
}

impl<'t> Node<'t> {
    /// The node at a path below this one.
    pub fn at(&self, path: &'t str) -> Option<&Self> {
        segments(path).ok()?.iter().try_fold(self, |node, segment| node.children.get(segment))
    }
}

/// Builds the tree of one kind. An error begins with the number of the line.
pub fn build(fields: &[Field]) -> Result<Node<'_>, String> {
    let mut root = Node::default();
    for field in fields {
        let segments = segments(&field.path).map_err(|message| format!("{}: {message}", field.line))?;
        let node = segments.into_iter().fold(&mut root, |node, segment| node.children.entry(segment).or_default());
        if !node.intervals.is_empty() || node.like.is_some() {
            return Err(format!("{}: duplicate `{}`", field.line, field.path));
        }
        node.intervals = &field.intervals;
        node.like = field.like.as_ref();
    }
    Ok(root)
}

/// The node of the binary table at a path below `root`.
pub fn node_at(root: crate::Node, path: &str) -> Option<crate::Node> {
    segments(path).ok()?.into_iter().try_fold(root, child)
}

/// The node of the binary table one step below another.
pub(crate) fn child(node: crate::Node, step: Segment<'_>) -> Option<crate::Node> {
    match step {
        Segment::Field(name) => node.field(name),
        Segment::Item => node.item(),
        Segment::MapValue => node.map_value(),
        Segment::Variant(tag) => node.variant(tag),
        Segment::Class(name) => node.classes().find(|class| matches!(class.segment(), crate::Segment::Class(own) if own == name)),
    }
}

/// The path of a child: `path` with one more step.
pub fn joined(path: &str, step: Segment<'_>) -> String {
    match step {
        Segment::Field(name) if path.is_empty() => name.to_owned(),
        Segment::Field(name) => format!("{path}.{name}"),
        Segment::Item => format!("{path}[]"),
        Segment::MapValue => format!("{path}.*"),
        Segment::Variant(tag) => format!("{path}<type={tag}>"),
        Segment::Class(name) => format!("{path}<{name}>"),
    }
}

/// Splits `train.env[].algo<type=echo>.roles.*` into segments.
pub fn segments(path: &str) -> Result<Vec<Segment<'_>>, String> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if segments.len() == MAX_SEGMENTS {
            return Err(format!("the key is nested more than {MAX_SEGMENTS} levels deep"));
        }
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
                Some((_, tag)) => Segment::Variant(tag),
                None => Segment::Class(inner),
            });
            rest = after;
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[', '<']).unwrap_or(name.len());
            if end == 0 {
                return Err(format!("`{path}` has an empty key"));
            }
            segments.push(Segment::Field(&name[..end]));
            rest = &name[end..];
        }
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::{Segment, build, segments};
    use crate::compiler::text::Field;

    #[test]
    fn every_kind_of_segment_is_recognized() {
        let name = Segment::Field;
        assert_eq!(
            segments("a.b[].c<type=x y>.d.*<Cls>").expect("it is well formed"),
            [
                name("a"),
                name("b"),
                Segment::Item,
                name("c"),
                Segment::Variant("x y"),
                name("d"),
                Segment::MapValue,
                Segment::Class("Cls")
            ]
        );
        assert!(segments("a..b").is_err());
    }

    #[test]
    fn a_key_that_no_config_has_is_refused_with_its_line() {
        let path = |count: usize| vec!["a"; count].join(".");
        assert_eq!(segments(&path(super::MAX_SEGMENTS)).map(|segments| segments.len()), Ok(super::MAX_SEGMENTS));
        let deep = Field { line: 7, path: path(100_000), intervals: Vec::new(), like: None };
        let error = build(&[deep]).err().expect("it is too deep");
        assert_eq!(error, "7: the key is nested more than 64 levels deep");
    }
}
