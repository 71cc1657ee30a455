//! From documents to one [`Tree`] whose every node knows where it comes from.

mod origin;
mod tree;

pub use cfg_syntax::{Datetime, Integer};
pub use origin::{Origin, Step};
pub use tree::{Entry, Node, Table, Tree, Value};
