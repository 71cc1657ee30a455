//! The descriptions of fields: the sentences of `schemas/docs/`.

use crate::{Node, Point, table::Section};

impl Node {
    /// The description of the field at `point`: its meaning, its unit and when to change it, in one to three sentences for users.
    /// Every field of every kind has one at each point at which it exists.
    pub fn doc(self, point: Point) -> Option<&'static str> {
        self.docs().take_while(|(since, _)| *since <= point).last().map(|(_, text)| text)
    }

    /// All descriptions of the field, oldest first, each with the first point to which it applies.
    pub fn docs(self) -> impl Iterator<Item = (Point, &'static str)> {
        let table = self.history().table;
        let mut words = table.list(table.word(Section::Docs, self.id() as usize));
        std::iter::from_fn(move || Some((Point(words.next()? as u16), table.string(words.next()?)?)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{History, Kind, Target};

    #[test]
    fn field_docs_are_those_of_the_point() {
        let history = History::built_in();
        let clean = history.root(Kind::Rl).field("clean").expect("it was a field");
        let at = |target: &str| clean.doc(Target::parse(history, target).expect("it is known").point);
        assert!(at("0.2").is_some_and(|text| text.contains("no checkpoints")));
        assert!(clean.doc(history.newest()).is_some_and(|text| text.contains("checkpoints included")));
        assert_ne!(at("6b01ba5ae"), at("0.2"));
        assert!(history.root(Kind::Rl).docs().next().is_none(), "a whole file has no sentence");
    }
}
