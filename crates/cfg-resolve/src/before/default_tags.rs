//! A table of a tagged union without a tag gets the tag of the field's default, if the default is a table of a single class.

use cfg_compose::{Table, Value};
use cfg_schema::Discriminator;

use super::{Class, made};

pub(super) fn run(class: Class, table: &mut Table) {
    for (key, node) in table.nodes_mut() {
        let Some(inner) = node.value.as_table_mut().filter(|inner| inner.get("type").is_none()) else { continue };
        let Some(interval) = class.node.field(key).and_then(|field| field.at(class.point)) else { continue };
        if interval.field_type().discriminator() == Some(Discriminator::Key("type"))
            && !interval.has_factory()
            && let Some(tag) = interval.default_variant()
        {
            inner.insert(made("type", Value::Str(tag.into()), "_default_discriminator_types"));
        }
    }
}
