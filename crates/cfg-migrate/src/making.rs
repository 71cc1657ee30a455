//! A move that is applied, and where its value goes.

use cfg_schema::Point;

use crate::{
    draft::{Node, Path},
    pattern::{self, Match, Token},
    step::Prepared,
};

/// A move with one of its matches.
pub(crate) struct Making<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) matched: &'a Match,
    /// The commit of the move.
    pub(crate) point: Point,
    /// The tables that the same commit moves; they move last.
    pub(crate) tables: &'a [&'a Prepared],
    /// Whether the config keeps its meaning.
    pub(crate) is_safe: bool,
}

/// The destination of a value.
pub(crate) enum Goal {
    /// This path, with the tags of the tables on it.
    One(Path, Vec<Tag>),
    /// The second path in every table of the array at the first.
    Each(Path, Path),
    /// Nothing replaces the key.
    Nowhere,
}

/// A tag that a table must have.
pub(crate) struct Tag {
    pub(crate) table: Path,
    pub(crate) key: &'static str,
    pub(crate) value: &'static str,
}

impl Making<'_> {
    pub(crate) fn is_at_its_place(&self, root: &Node) -> bool {
        matches!(self.goal(root), Goal::One(path, _) if path == self.matched.path)
    }

    pub(crate) fn goal(&self, root: &Node) -> Goal {
        let Some(to) = &self.prepared.to else { return Goal::Nowhere };
        // A key whose new table has not moved yet goes into that table first, and moves with it.
        let own = &self.prepared.from;
        let is_above = |table: &&&Prepared| {
            table.to.as_ref().is_some_and(|goal| to.len() > goal.len() && to.starts_with(goal))
                && table.from != *own
                && pattern::exists_in(root, &table.from)
        };
        let above = self
            .tables
            .iter()
            .filter(is_above)
            .max_by_key(|table| (table.to.as_ref().map_or(0, Vec::len), own.starts_with(&table.from)));
        let to: Vec<Token> = match above {
            Some(table) => table.from.iter().chain(&to[table.to.as_ref().map_or(0, Vec::len)..]).copied().collect(),
            None => to.clone(),
        };
        let mut captured = self.matched.captured.iter();
        let (mut path, mut tags) = (Path::new(), Vec::new());
        for (at, token) in to.iter().enumerate() {
            match token {
                Token::Key(key) => path.push((*key).into()),
                Token::Variant(key, value) => tags.push(Tag { table: path.clone(), key, value }),
                Token::Class(_) => {}
                Token::Items | Token::Values => match captured.next() {
                    Some(part) => path.push(part.clone()),
                    None => {
                        let keys = to[at + 1..].iter().filter_map(|token| match token {
                            Token::Key(key) => Some((*key).into()),
                            _ => None,
                        });
                        return Goal::Each(path, keys.collect());
                    }
                },
            }
        }
        Goal::One(path, tags)
    }
}
