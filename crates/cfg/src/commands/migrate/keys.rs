//! Keys in sentences.

/// Keys as a list in which those of the same table follow it: "trainer.loss.a, b; clean".
pub(super) fn listed(keys: &[&str]) -> String {
    let mut text = String::new();
    let mut last = "";
    for key in keys {
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let is_same = !text.is_empty() && table == last && !table.is_empty();
        text += if text.is_empty() {
            ""
        } else if is_same {
            ", "
        } else {
            "; "
        };
        text += if is_same { name } else { key };
        last = table;
    }
    text
}
