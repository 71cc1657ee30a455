//! `flash_attention_4` is stored under its short name `fa4`. A value that can't be a key of a Python dictionary raises an exception.

use cfg_compose::{Table, Value};
use cfg_diag::{Diagnostic, codes};

use super::Refusal;

pub(super) fn run(table: &mut Table) -> Option<Refusal> {
    let entry = table.get_mut("attn")?;
    match &entry.node.value {
        Value::Str(text) if &**text == "flash_attention_4" => {
            entry.node.value = Value::Str("fa4".into());
            None
        }
        Value::Table(_) | Value::List(_) => {
            let mut diagnostic =
                Diagnostic::new(&codes::LOADING_CRASHES, "`attn` must be a string; prime-rl crashes on tables and arrays")
                    .label("expected a string");
            diagnostic.location = entry.node.origin.place();
            // The error is reported; the value is not checked again.
            entry.node.value = Value::Unknown;
            Some(Refusal { diagnostic, kind: "TypeError", check: "_normalize_attn_alias", doubtful: Vec::new(), validator: "" })
        }
        _ => None,
    }
}
