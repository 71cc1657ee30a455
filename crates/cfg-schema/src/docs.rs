//! What the fields are for: the sentences of `schemas/docs/`.

use crate::{Node, Point, table::Section};

impl Node {
    /// What it is, in which unit, and when to change it, as it is at `point`: one to three sentences for people. Every field of every kind
    /// has one at each point at which it exists.
    pub fn doc(self, point: Point) -> Option<&'static str> {
        self.docs().take_while(|(since, _)| *since <= point).last().map(|(_, text)| text)
    }

    /// All that is ever said of it, oldest first, each with the point from which on it is so.
    pub fn docs(self) -> impl Iterator<Item = (Point, &'static str)> {
        let table = self.history().table;
        let mut words = table.list(table.word(Section::Docs, self.id() as usize));
        std::iter::from_fn(move || Some((Point(words.next()? as u16), table.string(words.next()?)?)))
    }
}
