//! The values of tables in which nothing is given. They depend only on the schema.

use cfg_compose::Origin;
use cfg_schema::{Node, Point, Policy, TypeKind};

use super::{field_below, first_key, not_given};
use crate::{Resolved, ResolvedTable, ResolvedValue, default};

/// The value at a path of a table of this class in which nothing is given: a default, or the null that makes the path inaccessible, or null for a free
/// key. `None` if the path does not exist at the point.
pub fn untouched(class: Node, path: &str, point: Point) -> Option<&'static Resolved> {
    static NULL: Resolved = Resolved { value: ResolvedValue::Null, origin: Origin::Default };
    let (mut table, mut rest) = (class, path);
    // The keys that the default of a table gives.
    let mut given: Option<&'static ResolvedTable> = None;
    loop {
        let (key, below) = first_key(rest);
        let Some((field, interval)) = table.field(key).and_then(|field| Some((field, field.at(point)?))) else {
            let is_free = below.is_none() && table.at(point)?.field_type().kind() == TypeKind::Table(Policy::Allow);
            return is_free.then_some(&NULL);
        };
        let in_default = given.and_then(|table| table.fields.find(field));
        if in_default.is_none()
            && let (Some(below), Some(class)) = (below, default::untouched_table(field, interval))
        {
            (table, rest, given) = (class, below, None);
            continue;
        }
        let value = in_default.map_or_else(|| not_given(field, interval, point), |given| &given.resolved);
        let Some(below) = below else { return Some(value) };
        match &value.value {
            ResolvedValue::Table(inner) => (table, rest, given) = (inner.node, below, Some(&**inner)),
            ResolvedValue::Invalid => return Some(value),
            ResolvedValue::Null => {
                let above = field_below(class, &path[..path.len() - below.len() - 1], point)?;
                return field_below(above, below, point).map(|_| value);
            }
            ResolvedValue::Map(entries) if !below.contains('.') => {
                return Some(entries.iter().find(|(key, _)| **key == *below).map_or(&NULL, |(_, entry)| entry));
            }
            _ => return None,
        }
    }
}
