//! `flash_attention_4` is stored under its short name `fa4`.

use cfg_compose::{Table, Value};

pub(super) fn run(table: &mut Table) {
    if let Some(entry) = table.get_mut("attn")
        && entry.node.value.as_str() == Some("flash_attention_4")
    {
        entry.node.value = Value::Str("fa4".into());
    }
}
