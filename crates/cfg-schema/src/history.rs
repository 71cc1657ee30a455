//! The history as a whole, and one schema of it.

use crate::{
    Kind, Node, Point,
    table::{Section, Table},
};

/// All schemas of all kinds at all points.
#[derive(Clone, Copy, Debug)]
pub struct History {
    pub(crate) table: &'static Table,
}

static BUILT_IN: Table = Table::new(include_bytes!("history.bin"));

impl History {
    /// The history that this program was built with.
    pub const fn built_in() -> Self {
        Self { table: &BUILT_IN }
    }

    /// The schema of `kind` at `point`.
    pub fn schema(self, kind: Kind, point: Point) -> Schema {
        Schema { history: self, kind, point }
    }

    /// The root of `kind` over all of time.
    pub fn root(self, kind: Kind) -> Node {
        Node::new(self, self.table.word(Section::Roots, kind as usize))
    }
}

/// What configs of one kind look like at one point.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The history it is a cut of.
    pub history: History,
    /// For which kind.
    pub kind: Kind,
    /// When.
    pub point: Point,
}

impl Schema {
    /// The whole file.
    pub fn root(self) -> Node {
        self.history.root(self.kind)
    }
}
