//! Where the settings of a part are found in tables of a class. Which of their keys exist there, and their defaults, depends only on the
//! schema, so it is determined once for each class.

use std::borrow::Cow;

use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{Node, Point, Policy, Schema, TypeKind};

use crate::reader::{Paths, Reader};

/// The keys of a setting in one class of table at one point.
#[derive(Debug)]
pub(crate) struct Layout {
    /// All keys of the setting.
    pub(crate) paths: Paths,
    /// The keys that begin with a field of the table, the newest first.
    pub(crate) candidates: Vec<Candidate>,
}

/// A key that a setting can have in a table.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The key.
    pub(crate) path: &'static &'static str,
    /// Whether the key leads into an item of an array: `filters[zero_advantage].enforce`.
    pub(crate) in_item: bool,
    /// The field of the table with which the key begins.
    pub(crate) field: Node,
    /// The value of the key if that field is not given; `None` if the key does not exist.
    pub(crate) untouched: Option<Resolved>,
    /// Where the key leads to from that field.
    pub(crate) leads_to: LeadsTo,
}

/// Where a key leads to from its first field.
#[derive(Debug)]
pub(crate) enum LeadsTo {
    /// It is the field itself.
    Itself,
    /// A field of the first field's table.
    Inner {
        /// The field.
        field: Node,
        /// Its value if the table is given and the field is not.
        untouched: Resolved,
    },
    /// A deeper place, or one that depends on what is written.
    Elsewhere,
}

// One character is searched for by words of the machine, several are compared one by one; every check looks at hundreds of paths.

fn is_one_key(path: &str) -> bool {
    !path.contains('.') && !path.contains('[')
}

fn first_key(path: &str) -> &str {
    let key = path.split_once('.').map_or(path, |(key, _)| key);
    key.split_once('[').map_or(key, |(key, _)| key)
}

impl LeadsTo {
    fn find(path: &str, field: Node, schema: Schema) -> Self {
        if is_one_key(path) {
            return Self::Itself;
        }
        let inner = || {
            let (_, key) = path.split_once('.').filter(|(_, key)| is_one_key(key))?;
            let table = ResolvedTable::new(field);
            let untouched = View::new(schema, &table).get(key)?.clone();
            Some(Self::Inner { field: field.field(key)?, untouched })
        };
        inner().unwrap_or(Self::Elsewhere)
    }
}

impl Candidate {
    /// The candidate for a key; `None` if the key can't exist. `empty` reads a table of the class without given keys.
    pub(crate) fn find(path: &'static &'static str, empty: &Reader<'_>) -> Option<Self> {
        let (node, schema) = (empty.view.table().node, empty.view.schema());
        let field = node.field(first_key(path)).filter(|field| field.at(schema.point).is_some())?;
        let in_item = path.contains('[');
        let untouched = empty.get(path, in_item).map(Cow::into_owned);
        // A key that has a value exists. If a required table is missing, no key below it has a value, so the schema is asked.
        let has_value = untouched.as_ref().is_some_and(|value| !matches!(value.value, ResolvedValue::Invalid));
        (in_item || has_value || Self::may_exist(path, field, schema.point)).then(|| Self {
            path,
            in_item,
            field,
            untouched,
            leads_to: LeadsTo::find(path, field, schema),
        })
    }

    /// Whether the key may have a value at this point, for some choice of variants and free keys.
    fn may_exist(path: &str, field: Node, point: Point) -> bool {
        let mut nodes = vec![field];
        for key in path.split('.').skip(1) {
            let is_open = |node: &Node| match node.at(point).map(|interval| interval.field_type().kind()) {
                Some(TypeKind::Table(policy)) => policy == Policy::Allow,
                Some(TypeKind::Union) => false,
                _ => true,
            };
            let tables: Vec<Node> = nodes
                .iter()
                .flat_map(|node| [*node].into_iter().chain(node.variants(point)).chain(node.classes()))
                .filter(|node| node.at(point).is_some())
                .collect();
            if tables.iter().any(is_open) {
                return true;
            }
            nodes = tables.iter().filter_map(|table| table.field(key)).filter(|field| field.at(point).is_some()).collect();
        }
        !nodes.is_empty()
    }
}
