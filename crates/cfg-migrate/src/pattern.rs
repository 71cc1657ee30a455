//! Paths of moves, and the values in a config that they match.

use cfg_compose::Value;
use cfg_schema::{Discriminator, Node as Field, Point};

use crate::{
    draft::{Body, Node, Path},
    entries::Entries,
};

/// A step of a path in the notation of moves: `train.env[].advantage<type=default>.coef`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A key.
    Key(&'static str),
    /// Every table of an array.
    Items,
    /// Every value of a map.
    Values,
    /// The table that a tag selects: its key and value.
    Variant(&'static str, &'static str),
    /// A table in an untagged union.
    Class(&'static str),
}

/// Parses a path.
pub(crate) fn tokens(path: &'static str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[]") {
            tokens.push(Token::Items);
            rest = after;
        } else if let Some((inside, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            tokens.push(inside.split_once('=').map_or(Token::Class(inside), |(key, tag)| Token::Variant(key, tag)));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = after;
        } else {
            // If the first character is a bracket, it has no closing one; the key then begins with it.
            let end = rest[1..].find(['.', '[', '<']).map_or(rest.len(), |end| end + 1);
            tokens.push(if &rest[..end] == "*" { Token::Values } else { Token::Key(&rest[..end]) });
            rest = &rest[end..];
        }
    }
    tokens
}

/// A value that a path matches, with the indices and free keys on the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub(crate) path: Path,
    pub(crate) captured: Path,
}

/// The values that a path matches in a config for the schema at `point`; `field` is the root of that schema.
pub(crate) fn find(root: &Node, field: Option<Field>, point: Point, tokens: &[Token]) -> Vec<Match> {
    let mut search = Search { point, here: Match { path: Path::new(), captured: Path::new() }, found: Vec::new() };
    search.below(root, field, tokens);
    search.found
}

struct Search {
    point: Point,
    here: Match,
    found: Vec<Match>,
}

impl Search {
    fn below(&mut self, node: &Node, field: Option<Field>, tokens: &[Token]) {
        let Some((token, rest)) = tokens.split_first() else {
            self.found.push(self.here.clone());
            return;
        };
        match (token, &node.body) {
            (Token::Key(key), Body::Table(entries)) => {
                let field = field.and_then(|field| variant(node, field, self.point).field(key));
                if let Some(below) = entries.named(key) {
                    self.here.path.push((*key).into());
                    self.below(below, field, rest);
                    self.here.path.pop();
                }
            }
            (Token::Items, Body::List(items)) => {
                let field = field.and_then(Field::item);
                for (index, below) in items.iter().enumerate() {
                    self.captured(index.to_string().into(), below, field, rest);
                }
            }
            (Token::Values, Body::Table(entries)) => {
                let field = field.and_then(Field::map_value);
                for (key, below) in &**entries {
                    self.captured(key.clone(), below, field, rest);
                }
            }
            (Token::Variant(key, tag), Body::Table(_)) if tag_of(node, key, field, self.point) == Some(*tag) => {
                self.below(node, field.and_then(|field| field.variant(tag)), rest);
            }
            (Token::Class(name), Body::Table(_)) => {
                let is_class = |class: &Field| class.segment() == cfg_schema::Segment::Class(name);
                self.below(node, field.and_then(|field| field.classes().find(is_class)), rest);
            }
            _ => {}
        }
    }

    fn captured(&mut self, part: Box<str>, below: &Node, field: Option<Field>, rest: &[Token]) {
        self.here.path.push(part.clone());
        self.here.captured.push(part);
        self.below(below, field, rest);
        self.here.path.pop();
        self.here.captured.pop();
    }
}

/// Whether a path leads to anything, in any variant.
pub(crate) fn exists_in(root: &Node, tokens: &[Token]) -> bool {
    let first = match &root.body {
        Body::List(items) => items.first(),
        Body::Table(entries) => entries.first().map(|(_, node)| node),
        Body::Leaf(_) => None,
    };
    let Some((token, rest)) = tokens.split_first() else { return true };
    match token {
        Token::Key(key) => root.get(&[(*key).into()]).is_some_and(|node| exists_in(node, rest)),
        Token::Items | Token::Values => first.is_some_and(|node| exists_in(node, rest)),
        Token::Variant(..) | Token::Class(_) => exists_in(root, rest),
    }
}

/// The tag of a table: its own, or the one that prime-rl adds to a table without a tag.
pub(crate) fn tag_of<'n>(node: &'n Node, key: &str, field: Option<Field>, point: Point) -> Option<&'n str> {
    let written = node.get(&[key.into()]).and_then(Node::leaf).and_then(Value::as_str);
    written.or_else(|| {
        let interval = field?.at(point)?;
        let is_free = interval.field_type().discriminator() == Some(Discriminator::TypeOrDefault);
        if is_free { Some("default") } else { interval.default_variant() }
    })
}

/// The field of a table in the schema: its variant, if the type is a union.
pub(crate) fn variant(node: &Node, field: Field, point: Point) -> Field {
    let key = match field.at(point).and_then(|interval| interval.field_type().discriminator()) {
        Some(Discriminator::Key(key)) => key,
        _ => "type",
    };
    if let Some(variant) = tag_of(node, key, Some(field), point).and_then(|tag| field.variant(tag)) {
        return variant;
    }
    let knows_all = |class: &Field| node.entries().iter().all(|(key, _)| class.field_for_key(key, point).is_some());
    field.classes().find(knows_all).unwrap_or(field)
}

/// The field of a config's path in the schema at `point`; `None` if that schema does not know it.
pub(crate) fn field_at(root: &Node, field: Field, point: Point, path: &[Box<str>]) -> Option<Field> {
    let (mut node, mut field) = (Some(root), field);
    for part in path {
        let table = variant(node.unwrap_or(&Node::made(Body::Table(Entries::default()))), field, point);
        let is_list = node.is_some_and(|node| matches!(node.body, Body::List(_)));
        field = if is_list {
            field.item()?
        } else {
            table.field_for_key(part, point).map(|(field, _)| field).or_else(|| table.map_value())?
        };
        node = node.and_then(|node| node.get(std::slice::from_ref(part)));
    }
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    #[test]
    fn a_path_is_read_step_by_step() {
        let wanted = [
            Token::Key("train"),
            Token::Key("env"),
            Token::Items,
            Token::Key("algo"),
            Token::Variant("type", "opd"),
            Token::Key("source"),
            Token::Class("FrozenModelConfig"),
            Token::Values,
            Token::Key("x"),
        ];
        assert_eq!(tokens("train.env[].algo<type=opd>.source<FrozenModelConfig>.*.x"), wanted);
    }
}
