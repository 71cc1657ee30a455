//! YAML as it occurs in repositories: valid, half-written, and malicious.

use cfg_compose::{Node, Value};
use cfg_diag::FileId;
use cfg_dialect::{Yaml, read_yaml};
use proptest::prelude::*;
use serde_json::Value as Json;

fn codes(text: &str) -> Vec<&'static str> {
    read_yaml(FileId(0), text).diagnostics.iter().map(|found| found.code.code).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(cfg_syntax::Integer::Small(number)) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Str(text) => format!("{text:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(|item| shown(&item.value)).collect::<Vec<_>>().join(", ")),
        Value::Table(table) => {
            let entry = |entry: &cfg_compose::Entry| format!("{}: {}", entry.key, shown(&entry.node.value));
            format!("{{{}}}", table.entries().iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        _ => "?".to_owned(),
    }
}

fn tree(text: &str) -> String {
    let yaml = read_yaml(FileId(0), text);
    assert!(yaml.diagnostics.is_empty(), "{text}: {:?}", yaml.diagnostics);
    shown(&Value::Table(yaml.tree.expect("it can be read").root))
}

/// All nodes of a document, each with the text at its location.
fn places(text: &str) -> Vec<(String, String)> {
    fn add(node: &Node, text: &str, places: &mut Vec<(String, String)>) {
        let place = node.origin.place().expect("a place").span.range();
        places.push((shown(&node.value), text[place].to_owned()));
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| add(item, text, places)),
            Value::Table(table) => table.entries().iter().for_each(|entry| add(&entry.node, text, places)),
            _ => {}
        }
    }
    let root = read_yaml(FileId(0), text).tree.expect("it can be read").root;
    let mut places = Vec::new();
    for entry in root.entries() {
        let place = entry.key_origin.place().expect("a place").span.range();
        places.push((entry.key.to_string(), text[place].to_owned()));
        add(&entry.node, text, &mut places);
    }
    places
}

#[test]
fn values_are_those_of_python() {
    for (text, read) in [
        ("", "{}"),
        ("# nothing\n", "{}"),
        ("a: 1\nb: [x, 'y', \"z\\n\"]\nc: {d: no}\n", "{a: 1, b: [\"x\", \"y\", \"z\\n\"], c: {d: false}}"),
        ("a: |\n  one\n  two\n", "{a: \"one\\ntwo\\n\"}"),
        ("a:\n- 1\n- b: 2\n", "{a: [1, {b: 2}]}"),
        ("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\nc: *x\n", "{a: {k: 1, l: 2}, b: {l: 3, k: 1}, c: {k: 1, l: 2}}"),
        ("a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc: {<<: [*x, *y]}\n", "{a: {k: 1}, b: {k: 2, m: 3}, c: {k: 1, m: 3}}"),
        ("a: !!str 5\nb: !!int '5'\nc: !include x.yaml\nd: ~\n", "{a: \"5\", b: 5, c: ?, d: null}"),
        ("2: a\non: b\n", "{2: \"a\", true: \"b\"}"),
        // If several `<<` have a key, the last is used; if several mappings of a list have it, the first.
        ("a: &x {k: 1}\nb: &y {k: 2}\nc: {<<: *x, <<: *y}\nd: {<<: [*x, *y]}\n", "{a: {k: 1}, b: {k: 2}, c: {k: 2}, d: {k: 1}}"),
        ("a: &x {k: 1}\nb: {'<<': *x, c: '='}\n=: 1\n", "{a: {k: 1}, b: {<<: {k: 1}, c: \"=\"}, =: 1}"),
        ("&k a: 1\nb: *k\nc: &v d\n*v : 2\n!!str 3: x\n", "{a: 1, b: \"a\", c: \"d\", d: 2, 3: \"x\"}"),
        // Only the program knows the meaning of a tag, of a mapping that merges one, and of a value that contains itself.
        ("a: !t [1]\nb: !t {c: 1}\nc: !!set {x}\nd: {!t k: 1, e: 2}\n", "{a: ?, b: ?, c: ?, d: ?}"),
        ("a: &x !t {k: 1}\nb: {<<: *x}\nc: &y [*y]\n", "{a: ?, b: ?, c: [?]}"),
        (
            "a: !!seq [1]\nb: !!map {c: 1}\nc: ! 12\nd: !!float 010\ne: !!int 1.5\nf: !!bool 'No'\n",
            "{a: [1], b: {c: 1}, c: 12, d: 10.0, e: ?, f: false}",
        ),
        // In Python `1` and `'1'` are two keys, but `true` and `1` are the same.
        ("a: {1: x, '1': y}\nb: {true: x, 1: y}\n", "{a: ?, b: ?}"),
        ("a: |\n  b", "{a: \"b\"}"),
        ("a: | # b\tc\n  d\te\nf: &x \"g\th\"\n", "{a: \"d\\te\\n\", f: \"g\\th\"}"),
        ("a: {b:\n  1, c\n  , d: 2}\n", "{a: {b: 1, c: null, d: 2}}"),
    ] {
        assert_eq!(tree(text), read, "{text}");
    }
}

#[test]
fn places_are_byte_offsets() {
    let text = "größe: 'ü'\nliste: [日本, 2]\n";
    let expected = [
        ("größe", "größe"),
        ("\"ü\"", "'ü'"),
        ("liste", "liste"),
        ("[\"日本\", 2]", "[日本, 2]"),
        ("\"日本\"", "日本"),
        ("2", "2"),
    ];
    let expected: Vec<(String, String)> = expected.into_iter().map(|(one, other)| (one.to_owned(), other.to_owned())).collect();
    assert_eq!(places(text), expected);
}

#[test]
fn a_document_that_is_not_a_config_is_reported_once() {
    for text in [
        "a: [1\n",
        "a: 'x\n",
        "a: b: c\n",
        "- a\n",
        "x\n",
        "a: 1\n---\nb: 2\n",
        "? [a]\n: 1\n",
        "a: *b\n",
        "a: {<<: 1}\n",
        "a: @x\n",
        "a: =\n",
        "a: [<<]\n",
        "a: &x 1\nb: &x 2\n",
        "a: &x [1]\n*x : 2\n",
        "a: b\t\n",
        "a: 'b'\t# c\n",
        "a: \u{7}\n",
        "a: |1\t\n x\n",
        "a: &x\t'b'\n",
        "a: &x\t|\n  b\n",
        "a: [b\n  : 1]\n",
    ] {
        let yaml = read_yaml(FileId(0), text);
        assert_eq!(codes(text), ["PRL027"], "{text:?}");
        assert!(yaml.tree.is_none(), "{text:?}");
    }
    for text in ["a: 1\na: 2\n", "on: 1\ntrue: 2\n", "1: a\n1.0: b\n", "0x1: a\n1: b\n"] {
        assert_eq!(codes(text), ["PRL002"], "{text:?}");
    }
    assert_eq!(codes("a: {1: a, '1': b, on: c, 'on': d}\n"), <[&str; 0]>::default());
}

/// The parser follows YAML 1.2, and `PyYAML` may read something else, or fail.
#[test]
fn yaml_that_pyyaml_reads_differently_is_not_read() {
    for text in [
        "!t {a: 1}\n",
        "!t a: 1\n",
        "a: &x: 1\n",
        "a: &x 1\nb: *x:\n",
        "a: b\u{2028}c\n",
        "a: b\rc: d\n",
        "a: {d:{}}\n",
        "a:\n  b: 'x\n  y'\n",
        "a: 'x'# y\n",
        "%YAML1.1\n---\na: 1\n",
        "a: {b: ?x}\n",
        ": a\n",
        "a: {b\n  : 1}\n",
        "a: {'b' # c\n  : 1}\n",
        "a: &x b\nc: {*x :&z 1}\n",
        "a: &x b\nc: [*x :1]\n",
    ] {
        let yaml = read_yaml(FileId(0), text);
        assert_eq!((codes(text), yaml.tree.is_none()), (vec!["PRL008"], true), "{text:?}");
    }
}

#[test]
fn bombs_are_refused_before_they_grow() {
    // Each line repeats the previous one nine times.
    let mut laughs = "a: &a [lol]\n".to_owned();
    for level in 1..40 {
        let before = char::from(b'a' + (level - 1) % 26).to_string().repeat(usize::from((level - 1) / 26) + 1);
        let name = char::from(b'a' + level % 26).to_string().repeat(usize::from(level / 26) + 1);
        let nine = vec![format!("*{before}"); 9].join(", ");
        laughs += &format!("{name}: &{name} [{nine}]\n");
    }
    assert_eq!(codes(&laughs), ["PRL007"]);
    let keys = (0..2_000).map(|index| format!("  k{index}: 1\n")).collect::<Vec<_>>().concat();
    let merges = (0..200).map(|index| format!("m{index}: {{<<: *base}}\n")).collect::<Vec<_>>().concat();
    assert_eq!(codes(&format!("base: &base\n{keys}{merges}")), ["PRL007"]);
    assert_eq!(codes("a: &a [*a]\n"), <[&str; 0]>::default());
    for deep in ["[".repeat(10_000), "{a: ".repeat(10_000), format!("a: {}", "[".repeat(129)), "- ".repeat(10_000)] {
        assert_eq!(codes(&deep).len(), 1, "{}", &deep[..20]);
    }
    let nested = (1..200).map(|level| format!("{}a:\n", " ".repeat(level))).collect::<Vec<_>>().concat();
    assert_eq!(codes(&nested), ["PRL006"]);
    assert_eq!(codes(&"a".repeat((1 << 20) + 1)), ["PRL007"]);
}

proptest! {
    #[test]
    fn any_text_is_read_or_reported(text in "[a-c0-9:&*<>\\[\\]{}\\-,'\"!|?#@%\\n \\t~.eéß]{0,120}") {
        let Yaml { tree, diagnostics, texts } = read_yaml(FileId(0), &text);
        prop_assert!(tree.is_some() || !diagnostics.is_empty());
        let places = diagnostics.iter().filter_map(|found| found.location).chain(texts);
        for place in places {
            prop_assert!(text.get(place.span.range()).is_some(), "{text:?} {place:?}");
        }
    }
}

/// Compares plain scalars, some written by hand and some random, with the values that `yaml.safe_load` of `PyYAML` 6.0 returns for them.
#[test]
fn plain_scalars_are_what_pyyaml_reads() {
    let recorded: Vec<[String; 3]> = serde_json::from_str(include_str!("scalars.json")).expect("a list");
    let mut wrong = Vec::new();
    for [text, kind, value] in &recorded {
        let yaml = read_yaml(FileId(0), &format!("[{text}]\n"));
        // Texts that are split by brackets or by the parser are skipped.
        let yaml = if yaml.diagnostics.len() == 1 { read_yaml(FileId(0), &format!("a: {text}\n")) } else { yaml };
        let Some(node) = yaml.tree.as_ref().and_then(|tree| tree.root.get("a")) else { continue };
        let read = match &node.node.value {
            Value::Bool(value) => ("bool", value.to_string()),
            Value::Null => ("null", String::new()),
            Value::Int(cfg_syntax::Integer::Small(number)) => ("int", number.to_string()),
            Value::Int(cfg_syntax::Integer::Big(digits)) => ("int", digits.to_string()),
            Value::Float(number) => ("float", number.to_string()),
            Value::Str(read) if **read == **text => ("str", String::new()),
            Value::Unknown => continue,
            other => ("other", shown(other)),
        };
        let same_number = || value.parse::<f64>().is_ok_and(|value| read.1.parse() == Ok(value) || value.is_nan());
        if read.0 != kind || (read.1 != *value && !(kind == "float" && same_number())) {
            wrong.push(format!("{text}: {kind} {value}, not {} {}", read.0, read.1));
        }
    }
    assert!(recorded.len() > 300 && wrong.is_empty(), "{wrong:#?}");
}

/// Whether a value is the recorded one: `["i", "1"]`, `["l", [...]]`, `["m", {...}]`, `["?"]` for an object. A value that is
/// unknown here matches any value.
fn is_recorded(value: &Value, recorded: &Json) -> bool {
    let text = recorded[1].as_str().unwrap_or_default();
    match (value, recorded[0].as_str().unwrap_or_default()) {
        (Value::Unknown, _) | (Value::Null, "n") => true,
        (Value::Bool(value), "b") => recorded[1] == *value,
        (Value::Int(cfg_syntax::Integer::Small(number)), "i") => number.to_string() == text,
        (Value::Float(number), "f") => number.is_nan() && text == "nan" || text.parse() == Ok(*number),
        (Value::Str(value), "s") => **value == *text,
        (Value::List(items), "l") => {
            let all = recorded[1].as_array().map(Vec::as_slice).unwrap_or_default();
            items.len() == all.len() && items.iter().zip(all).all(|(item, recorded)| is_recorded(&item.value, recorded))
        }
        (Value::Table(table), "m") => {
            let is_same = |entry: &cfg_compose::Entry| {
                recorded[1].get(&*entry.key).is_some_and(|recorded| is_recorded(&entry.node.value, recorded))
            };
            recorded[1].as_object().is_some_and(|all| all.len() == table.entries().len()) && table.entries().iter().all(is_same)
        }
        _ => false,
    }
}

/// Compares random documents with the values that `yaml.safe_load` of `PyYAML` 6.0 returns for them; null means that it fails.
#[test]
fn documents_are_what_pyyaml_reads() {
    let recorded: Vec<(String, Json)> = serde_json::from_str(include_str!("documents.json")).expect("a list");
    let (mut wrong, mut unread) = (Vec::new(), 0);
    for (text, expected) in &recorded {
        let Yaml { tree, diagnostics, .. } = read_yaml(FileId(0), text);
        let is_open = diagnostics.iter().any(|found| found.code.code == "PRL008");
        let root = tree.map(|tree| Value::Table(tree.root));
        let is_part_open = || root.as_ref().is_some_and(|root| shown(root).contains('?'));
        let is_right = match (&root, expected.is_null()) {
            (None, true) => true,
            (None, false) => is_open,
            (Some(root), false) => is_recorded(root, expected),
            (Some(_), true) => is_part_open(),
        };
        unread += usize::from(!expected.is_null() && root.is_none());
        if !is_right {
            wrong.push(format!("{text:?}: {root:?}, and PyYAML {expected}"));
        }
    }
    assert!(recorded.len() > 500 && unread * 4 < recorded.len() && wrong.is_empty(), "{unread} {wrong:#?}");
}
