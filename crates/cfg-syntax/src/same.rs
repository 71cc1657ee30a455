//! Whether two texts have the same values.

use cfg_diag::FileId;

use crate::{Dialect, Table, Value, ValueKind, parse};

/// Whether two texts are TOML with the same values: only comments, white space, the order of keys and tables, and spelling may differ.
pub fn has_same_values(one: &str, other: &str) -> bool {
    let read = |text: &str| {
        let (document, faults) = parse(FileId(0), text, Dialect::Toml11);
        (faults.is_empty() && !document.is_unread).then_some(document.root)
    };
    read(one).zip(read(other)).is_some_and(|(one, other)| are_same_tables(&one, &other))
}

fn are_same_tables(one: &Table, other: &Table) -> bool {
    let sorted = |table: &Table| {
        let mut entries: Vec<usize> = (0..table.entries.len()).collect();
        entries.sort_by(|a, b| table.entries[*a].key.text.cmp(&table.entries[*b].key.text));
        entries
    };
    one.entries.len() == other.entries.len()
        && sorted(one).into_iter().zip(sorted(other)).all(|(here, there)| {
            let (here, there) = (&one.entries[here], &other.entries[there]);
            here.key.text == there.key.text && are_same(&here.value, &there.value)
        })
}

fn are_same(one: &Value, other: &Value) -> bool {
    match (&one.kind, &other.kind) {
        (ValueKind::Table(one), ValueKind::Table(other)) => are_same_tables(one, other),
        (ValueKind::Array(one), ValueKind::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_same(one, other))
        }
        // One that is not a number is the same as itself.
        (ValueKind::Float(one), ValueKind::Float(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::has_same_values;

    #[test]
    fn layout_order_and_spelling_are_no_values() {
        let text = "a = 1\nx = nan\n[b]\nc = [\"d\", 2.0]\n[[e]]\nf = 1\n[[e]]\nf = 2\n";
        for same in [
            "# why\n\n  a = 0x1\nx = nan\n[b]\nc = ['d', 2e0,]\n[[e]]\nf = 1\n[[e]]\nf = 2",
            "e = [{ f = 1 }, { f = 2 }]\nb.c = [\"d\", 2.0]\nx = nan\na = 1",
        ] {
            assert!(has_same_values(text, same), "{same}");
        }
        for other in [
            &text.replace("a = 1", "a = 1.0"),
            &text.replace("f = 1", "f = 3"),
            &text.replace("a = 1", "z = 1"),
            &text.replace("\"d\", 2.0", "2.0, \"d\""),
            &format!("g = true\n{text}"),
            "a = ",
        ] {
            assert!(!has_same_values(text, other), "{other}");
        }
        assert!(!has_same_values("a = ", "a = "), "what can't be read is not known");
    }
}
