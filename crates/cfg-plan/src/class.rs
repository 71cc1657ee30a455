//! Classes of tables. What depends only on the schema is determined once for each.

use cfg_schema::{Cache, Node, Point, Schema};

use crate::fact::Owner;

/// A class of table at one point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    pub(crate) schema: Schema,
    /// Its node; its variant, if there are several.
    pub(crate) node: Node,
    /// Its key. The items of arrays have different keys, and are one class.
    pub(crate) owner: Owner,
}

/// What is known of classes.
pub(crate) type Classes<T> = Cache<Class, T>;

impl Class {
    pub(crate) const fn point(&self) -> Point {
        self.schema.point
    }
}

impl PartialEq for Class {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node && self.point() == other.point() && self.owner.is_of_class(&other.owner)
    }
}
