//! Classes of tables. What depends only on the schema is determined once for each.

use std::sync::OnceLock;

use cfg_resolve::View;
use cfg_schema::{Node, Point, Schema};

use crate::{fact::Owner, reader::Reader};

/// A class of table at one point.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) schema: Schema,
    /// Its node; its variant, if there are several.
    pub(crate) node: Node,
    /// Its key. The items of arrays have different keys, and are one class.
    pub(crate) owner: Owner,
}

impl Class {
    pub(crate) const fn point(&self) -> Point {
        self.schema.point
    }

    /// Whether it is the class of the table that is read.
    fn is_of(&self, reader: &Reader<'_>) -> bool {
        let is_at = |view: &View<'_>| view.table().node == self.node && view.schema().point == self.point();
        is_at(&reader.view) && self.owner.is_of_class(&reader.owner)
    }
}

/// What is known of classes. It is kept until the process ends, in a linked list: it is for a small number of classes.
#[derive(Debug)]
pub(crate) struct Classes<T>(OnceLock<Box<OfClass<T>>>);

#[derive(Debug)]
struct OfClass<T> {
    class: Class,
    known: T,
    next: Classes<T>,
}

impl<T> Classes<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// What is known of the class of a table; `find` determines it if nothing is.
    pub(crate) fn of(&self, reader: &Reader<'_>, find: impl Fn(&Class) -> T) -> &T {
        let mut classes = self;
        loop {
            let this = classes.0.get_or_init(|| {
                let class = Class { schema: reader.view.schema(), node: reader.view.table().node, owner: reader.owner };
                Box::new(OfClass { known: find(&class), class, next: Self::new() })
            });
            if this.class.is_of(reader) {
                return &this.known;
            }
            classes = &this.next;
        }
    }
}
