//! After any change the text is valid TOML with the requested change; all other values and comments are kept.

use std::collections::BTreeMap;

use cfg_diag::FileId;
use cfg_syntax::{
    Dialect, Table, TableStyle, Value, ValueKind, parse,
    rewrite::{Change, Comments, Editing, KeyPath, Literal, Rewriter},
};
use proptest::{prelude::*, strategy::ValueTree as _};

use super::apply;

/// The content of a text: each value by its path, with a mark for tables and arrays.
type Said = BTreeMap<Vec<String>, String>;

fn said(text: &str) -> Said {
    let (document, diagnostics) = parse(FileId(0), text, Dialect::Toml11);
    assert_eq!(diagnostics, [], "{text}");
    let mut said = Said::new();
    table(&document.root, &mut Vec::new(), &mut said);
    said
}

fn table(table: &Table, path: &mut Vec<String>, said: &mut Said) {
    for entry in &table.entries {
        path.push(entry.key.text.to_string());
        value(&entry.value, path, said);
        path.pop();
    }
}

fn value(value: &Value, path: &mut Vec<String>, said: &mut Said) {
    match &value.kind {
        ValueKind::Table(inner) => {
            said.insert(path.clone(), "table".to_owned());
            table(inner, path, said);
        }
        ValueKind::Array(items) => {
            said.insert(path.clone(), format!("array of {}", items.len()));
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                self::value(item, path, said);
                path.pop();
            }
        }
        scalar => {
            said.insert(path.clone(), format!("{scalar:?}"));
        }
    }
}

fn comments(text: &str) -> Vec<String> {
    let (document, _) = parse(FileId(0), text, Dialect::Toml11);
    let mut comments: Vec<String> = document.comments.iter().map(|span| text[span.range()].trim_end().to_owned()).collect();
    comments.sort();
    comments
}

/// Texts with tables in all notations, with comments, odd spacing and both line ends.
fn text() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "b", "c", "\"d e\"", "long_name"]);
    let scalar = prop::sample::select(vec!["1", "-2.5", "true", "'x # y'", "\"\"\"m\nn\"\"\"", "1979-05-27", "[]", "{}"]);
    let inner = (key.clone(), scalar.clone()).prop_map(|(key, value)| format!("{key} = {value}"));
    let value = prop_oneof![
        4 => scalar.clone().prop_map(str::to_owned),
        1 => prop::collection::vec(scalar.clone(), 1..4).prop_map(|items| format!("[{}]", items.join(", "))),
        1 => prop::collection::vec(scalar, 1..4).prop_map(|items| format!("[\n  {}, # in\n]", items.join(", # between\n  "))),
        1 => inner.clone().prop_map(|entry| format!("{{ {entry} }}")),
        1 => inner.clone().prop_map(|entry| format!("{{ x.{entry}, y = 1 }}")),
        1 => inner.prop_map(|entry| format!("{{\n  {entry}, # in\n}}")),
        1 => key.clone().prop_map(|key| format!("[{{ {key} = 1 }}, {{ z = [2] }}]")),
    ];
    let dotted = prop::collection::vec(key, 1..4).prop_map(|keys| keys.join("."));
    let line = prop_oneof![
        5 => (dotted.clone(), value, 0_u8..4).prop_map(|(key, value, style)| match style {
            0 => format!("{key} = {value} # why"),
            1 => format!("  {key}={value}"),
            _ => format!("{key} = {value}"),
        }),
        3 => dotted.clone().prop_map(|key| format!("[{key}]")),
        1 => dotted.clone().prop_map(|key| format!("  [ {key} ] # table")),
        1 => dotted.prop_map(|key| format!("[[{key}]]")),
        1 => Just("# alone".to_owned()),
        1 => Just(String::new()),
    ];
    (prop::collection::vec(line, 0..14), any::<bool>(), any::<bool>()).prop_map(|(lines, is_crlf, is_ended)| {
        // Lines that conflict with earlier ones are left out.
        let mut text = String::new();
        for line in lines {
            let longer = format!("{text}{line}\n");
            if parse(FileId(0), &longer, Dialect::Toml11).1.is_empty() {
                text = longer;
            }
        }
        if !is_ended {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if is_crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn path() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d e", "x", "0", "1", "new"]), 1..5)
        .prop_map(|path| path.into_iter().map(str::to_owned).collect())
}

/// In three of four cases a path that exists in the text, if there is any; otherwise `other`.
fn path_in(text: &str, index: usize, other: Vec<String>) -> Vec<String> {
    let paths: Vec<Vec<String>> = said(text).into_keys().collect();
    if paths.is_empty() || index.is_multiple_of(4) { other } else { paths[index % paths.len()].clone() }
}

fn outcome(text: &str, change: &Change) -> Option<String> {
    let rewriter = Rewriter::new(FileId(0), text, Dialect::Toml11).expect("TOML");
    let edits = rewriter.edits(std::slice::from_ref(change)).ok()?;
    let new = apply(text, &edits);
    let faults = parse(FileId(0), &new, Dialect::Toml11).1;
    assert!(faults.is_empty(), "{change:?} of\n{text}\nbecame\n{new}\n{faults:?}");
    assert!(
        new.is_empty() || text.is_empty() || text.ends_with('\n') == new.ends_with('\n'),
        "{change:?} of {text:?} became {new:?}"
    );
    let is_crlf = text.contains("\r\n");
    assert!(!is_crlf || new.matches('\n').count() == new.matches("\r\n").count(), "{new:?}");
    Some(new)
}

/// Texts with many tables of arrays among others.
fn long_text() -> impl Strategy<Value = String> {
    let tables =
        ["[[a]]", "[[a]]", "[[a]]", "[[a.b]]", "[a.c]", "[a.c.x]", "[[b.c]]", "[[b.c]] # two", "[b.c.a]", "[c]", "[x.y]"];
    let line = prop_oneof![
        4 => prop::sample::select(tables.to_vec()),
        4 => prop::sample::select(vec!["a = 1", "b = 2 # why", "c.a = 3", "c.b = 4", "x = { y = 1, z.k = 2 }", "new = [\n 1, # in\n]"]),
        1 => Just("# alone"),
        1 => Just(""),
    ];
    (prop::collection::vec(line, 4..40), any::<bool>(), any::<bool>()).prop_map(|(lines, is_crlf, is_ended)| {
        let mut text = String::new();
        for line in lines {
            let longer = format!("{text}{line}\n");
            if parse(FileId(0), &longer, Dialect::Toml11).1.is_empty() {
                text = longer;
            }
        }
        if !is_ended {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if is_crlf { text.replace('\n', "\r\n") } else { text }
    })
}

/// Selects the values at a path and below it.
fn below(path: &[String]) -> impl Fn(&[String]) -> bool {
    move |other: &[String]| other.starts_with(path)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn set(text in text(), index in any::<usize>(), other in path()) {
        let path = path_in(&text, index, other);
        let change = Change::Set { path: KeyPath::new(path.iter().map(String::as_str)), value: Literal::raw("[7]") };
        let Some(new) = outcome(&text, &change) else { return Ok(()) };
        let (mut before, mut after) = (said(&text), said(&new));
        prop_assert_eq!(after.get(&path).map(String::as_str), Some("array of 1"), "{}\n{}", text, new);
        before.retain(|key, _| !below(&path)(key));
        after.retain(|key, value| {
            let is_on_the_way = value == "table" && path.starts_with(key) && !before.contains_key(key);
            !below(&path)(key) && !is_on_the_way
        });
        prop_assert_eq!(before, after, "{}\n{}", text, new);
        prop_assert_eq!(comments(&text), comments(&new), "{}\n{}", text, new);
    }

    #[test]
    fn remove(text in text(), index in any::<usize>(), other in path()) {
        let path = path_in(&text, index, other);
        let change = Change::Remove { path: KeyPath::new(path.iter().map(String::as_str)), comments: Comments::Keep };
        let Some(new) = outcome(&text, &change) else {
            prop_assert!(!said(&text).contains_key(&path), "{:?} is not removed from\n{}", path, text);
            return Ok(());
        };
        let (mut before, after) = (said(&text), said(&new));
        prop_assert_eq!(comments(&text), comments(&new), "{}\n{}", text, new);
        let (last, parent) = path.split_last().expect("not empty");
        let was_array = before.get(parent).is_some_and(|value| value.starts_with("array"));
        if was_array {
            let items: usize = before[parent]["array of ".len()..].parse().expect("a number");
            let now = after.get(parent).map_or("array of 0", String::as_str);
            prop_assert_eq!(now, format!("array of {}", items - 1), "{}", last);
            return Ok(());
        }
        before.retain(|key, _| !below(&path)(key));
        prop_assert_eq!(before, after, "{:?}\n{}\n{}", path, text, new);
    }

    #[test]
    fn changes_in_sequence_equal_changes_at_once(
        text in prop_oneof![1 => text(), 3 => long_text()],
        steps in prop::collection::vec((0_u8..5, any::<usize>(), any::<usize>(), path()), 1..12),
    ) {
        let mut editing = Editing::new(FileId(0), &text, Dialect::Toml11).expect("TOML");
        let (mut now, mut made) = (text.clone(), Vec::new());
        for (kind, one, two, other) in steps {
            let from = KeyPath::new(path_in(&now, one, other.clone()));
            let beside: Vec<String> = match from.parts().split_last() {
                // Most moves stay within one table.
                Some((_, table)) if !two.is_multiple_of(3) => table.iter().map(ToString::to_string).chain(other).collect(),
                _ => path_in(&now, two, other),
            };
            let change = match kind {
                0 => Change::Set { path: from, value: Literal::raw("[7]") },
                1 => Change::Insert { path: KeyPath::new(beside), value: Literal::raw("8"), comment: Some("# new".to_owned()) },
                2 => Change::Remove { path: from, comments: Comments::Keep },
                3 => Change::Remove { path: from, comments: Comments::Drop },
                _ => Change::Relocate { from, to: KeyPath::new(beside) },
            };
            let rewriter = Rewriter::new(FileId(0), &now, Dialect::Toml11).expect("TOML");
            let alone = rewriter.edits(std::slice::from_ref(&change)).map(|edits| apply(&now, &edits));
            prop_assert_eq!(editing.make(&change), alone.clone().map(drop), "{:?}\n{}", change, now);
            if let Ok(new) = alone {
                prop_assert_eq!(editing.text(), new.clone(), "{:?}\n{}", change, now);
                made.push(change);
                now = new;
            }
        }
        let edits = editing.edits();
        prop_assert_eq!(apply(&text, &edits), now);
        if made.len() > 1 && let Ok(at_once) = Rewriter::new(FileId(0), &text, Dialect::Toml11).expect("TOML").edits(&made) {
            prop_assert_eq!(edits, at_once);
        }
    }

    #[test]
    fn relocate(text in text(), index in any::<usize>(), to in path()) {
        let from = path_in(&text, index, to.clone());
        let change = Change::Relocate { from: KeyPath::new(from.iter().map(String::as_str)), to: KeyPath::new(to.iter().map(String::as_str)) };
        let Some(new) = outcome(&text, &change) else { return Ok(()) };
        prop_assert_eq!(comments(&text), comments(&new), "{}\n{}", text, new);
        let (before, after) = (said(&text), said(&new));
        let moved = |path: &Vec<String>| match path.strip_prefix(&from[..]) {
            Some(rest) => to.iter().chain(rest).cloned().collect(),
            None => path.clone(),
        };
        let mut expected: Said = before.iter().map(|(path, value)| (moved(path), value.clone())).collect();
        let mut after = after;
        // Tables on the path to the new place are created.
        after.retain(|key, value| !(value == "table" && to.starts_with(key) && *key != to && !expected.contains_key(key)));
        expected.retain(|key, value| !(value == "table" && to.starts_with(key) && *key != to && !after.contains_key(key)));
        prop_assert_eq!(expected, after, "{:?} to {:?}\n{}\n{}", from, to, text, new);
    }
}

#[test]
fn the_texts_write_tables_in_all_ways() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut styles = Vec::new();
    for _ in 0..200 {
        let text = text().new_tree(&mut runner).expect("a text").current();
        collect(&parse(FileId(0), &text, Dialect::Toml11).0.root, &mut styles);
    }
    for style in [TableStyle::Root, TableStyle::Header, TableStyle::Implicit, TableStyle::Dotted, TableStyle::Inline] {
        assert!(styles.contains(&style), "{style:?}");
    }
}

fn collect(table: &Table, styles: &mut Vec<TableStyle>) {
    styles.push(table.style);
    for entry in &table.entries {
        if let ValueKind::Table(inner) = &entry.value.kind {
            collect(inner, styles);
        }
    }
}
