//! A table of a tagged union without a tag gets the tag of the field's default, if the default is a table of a single class.

use cfg_compose::{Table, Value};
use cfg_schema::{Discriminator, Interval};

use super::{Class, made};

pub(super) fn run(class: Class, table: &mut Table) {
    for (key, node) in table.nodes_mut() {
        let Some(inner) = node.value.as_table_mut().filter(|inner| inner.get("type").is_none()) else { continue };
        let Some(interval) = class.node.field(key).and_then(|field| field.at(class.point)) else { continue };
        if let Some(tag) = tag(interval) {
            inner.insert(made("type", Value::Str(tag.into()), "_default_discriminator_types"));
        }
    }
}

/// The tag that the tables of a field get.
pub(super) fn tag(interval: Interval) -> Option<&'static str> {
    let is_tagged = interval.field_type().discriminator() == Some(Discriminator::Key("type"));
    if is_tagged && !interval.has_factory() { interval.default_variant() } else { None }
}
