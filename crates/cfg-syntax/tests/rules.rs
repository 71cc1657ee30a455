//! Single findings: conflicts, dialects, encodings, numbers, metadata.

use cfg_diag::{Applicability, Diagnostic, FileId, Severity, Span, codes};
use cfg_syntax::{Dialect, Document, Integer, TableStyle, ValueKind, decode, metadata, parse};

fn read(text: &str) -> (Document, Vec<Diagnostic>) {
    parse(FileId(0), text, Dialect::Toml10)
}

/// The name of the code, the text at its place, and the text at its first related place.
fn found(text: &str) -> Vec<(&'static str, &str, &str)> {
    let (_, diagnostics) = read(text);
    let slice = |span: Span| &text[span.range()];
    let show = |diagnostic: Diagnostic| {
        let related = diagnostic.related.first().map_or("", |related| slice(related.location.span));
        (diagnostic.code.name, diagnostic.location.map_or("", |location| slice(location.span)), related)
    };
    diagnostics.into_iter().map(show).collect()
}

#[test]
fn the_second_definition_is_refused() {
    assert_eq!(found("a = 1\nb = 2\n\"a\" = 3\n"), [("duplicate-key", "\"a\"", "a")]);
    assert_eq!(found("[a]\n[b]\n[a]\n"), [("duplicate-key", "a", "[a]")]);
    assert_eq!(found("[a]\nx = 1\n[a]\nx = 1\ny = 2\n"), [("duplicate-key", "a", "[a]")]);
    assert_eq!(found("a.b = 1\n[a]\n"), [("duplicate-key", "a", "a")]);
    assert_eq!(found("[a.b]\n[a]\nb.c = 1\n"), [("duplicate-key", "b", "[a.b]")]);
    assert_eq!(found("a = { b = 1, b = 2 }\n"), [("duplicate-key", "b", "b")]);
    assert_eq!(found("[a.b]\n[a]\nb = {}\n"), [("duplicate-key", "b", "[a.b]")]);
}

#[test]
fn a_key_is_either_a_table_or_a_value() {
    assert_eq!(found("a = 1\n[a.b]\n"), [("key-conflict", "a", "a")]);
    assert_eq!(found("a = 1\na.b = 2\n"), [("key-conflict", "a", "a")]);
    assert_eq!(found("a = { b = 1 }\na.c = 2\n"), [("key-conflict", "a", "a")]);
    assert_eq!(found("a = []\n[[a]]\n"), [("key-conflict", "a", "a")]);
    assert_eq!(found("[a]\n[[a]]\n"), [("key-conflict", "a", "[a]")]);
    assert_eq!(found("[[a]]\n[a]\n"), [("key-conflict", "a", "[[a]]")]);
    assert_eq!(found("[a.b]\n[a]\nb = 1\n"), [("key-conflict", "b", "[a.b]")]);
}

#[test]
fn the_first_value_is_kept_unless_it_is_missing() {
    let (document, diagnostics) = read("a = 1\na = 2\nb =\nb = 3\n[c]\nd\n[c.d]\nx = 1\n");
    assert_eq!(diagnostics.len(), 3);
    let small = |key: &str| document.root.get(key).map(|entry| entry.value.kind.clone());
    assert_eq!(small("a"), Some(ValueKind::Integer(Integer::Small(1))));
    assert_eq!(small("b"), Some(ValueKind::Integer(Integer::Small(3))));
    let Some(ValueKind::Table(table)) = small("c") else { panic!("no table") };
    assert!(matches!(&table.entries[0].value.kind, ValueKind::Table(inner) if inner.style == TableStyle::Header));
}

#[test]
fn many_keys_are_found_by_hash() {
    let text = (0..100).map(|number| format!("k{number} = {number}\n")).collect::<Vec<_>>().concat();
    assert_eq!(found(&text), []);
    assert_eq!(found(&(text + "k50 = 0\n")), [("duplicate-key", "k50", "k50")]);
}

#[test]
fn styles_and_spans() {
    let text = "r = 1\n[a.b]\nc.d = 1\n[a]\ne = { f = 1 }\n[[t]]\n[[t]]\n";
    let (document, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    let at = |keys: &[&str]| {
        let mut table = &document.root;
        for key in keys {
            let Some(ValueKind::Table(inner)) = table.get(key).map(|entry| &entry.value.kind) else { panic!("no table {key}") };
            table = inner;
        }
        (table.style, &text[table.span.range()])
    };
    assert_eq!(at(&[]), (TableStyle::Root, text));
    assert_eq!(at(&["a"]), (TableStyle::Header, "[a]"));
    assert_eq!(at(&["a", "b"]), (TableStyle::Header, "[a.b]"));
    assert_eq!(at(&["a", "b", "c"]), (TableStyle::Dotted, "c"));
    assert_eq!(at(&["a", "e"]), (TableStyle::Inline, "{ f = 1 }"));
    let items = document.root.get("t").expect("an array");
    assert!(items.value.is_array_of_tables());
    assert_eq!((&text[items.value.span.range()], items.value.span.start), ("[[t]]", 38));
    assert_eq!(document.headers.iter().map(|header| header.array).collect::<Vec<_>>(), [false, false, true, true]);
}

#[test]
fn newer_toml_is_read_and_reported_for_older_loaders() {
    let cases = [
        ("a = {\n  b = 1\n}\n", "{"),
        ("a = { b = 1, }\n", ","),
        ("a = { b = [\n1], # c\n }\n", "{"),
        ("a = \"\\e[1m\"\n", "\\e"),
        ("a = \"\\x41\"\n", "\\x41"),
        ("a = 07:32\n", "07:32"),
        ("a = 1979-05-27 07:32Z\n", "1979-05-27 07:32Z"),
    ];
    for (text, place) in cases {
        assert_eq!(found(text), [("unsupported-toml", place, "")]);
        let (older, _) = read(text);
        let (newer, diagnostics) = parse(FileId(0), text, Dialect::Toml11);
        assert_eq!((older, diagnostics), (newer, vec![]), "{text}");
    }
    assert_eq!(found("a = {,}\n"), [("invalid-toml", ",", "")]);
    assert_eq!(found("a = { b = [\n1, # c\n], c = \"\"\"\n\"\"\" }\n"), []);
}

#[test]
fn integers_have_any_size() {
    let read = |value: &str| match read(&format!("a = {value}\n")) {
        (document, diagnostics) if diagnostics.is_empty() => document.root.entries[0].value.kind.clone(),
        _ => ValueKind::Invalid,
    };
    let big = |digits: &str| ValueKind::Integer(Integer::Big(digits.into()));
    assert_eq!(read("-9_223_372_036_854_775_808"), ValueKind::Integer(Integer::Small(i64::MIN)));
    assert_eq!(read("+9223372036854775808"), big("9223372036854775808"));
    assert_eq!(read("-9_223_372_036_854_775_809"), big("-9223372036854775809"));
    assert_eq!(read("0x1_0000_0000_0000_0000"), big("18446744073709551616"));
    assert_eq!(read("0o7777777777777777777777"), big("73786976294838206463"));
    assert_eq!(read(&format!("0b{}", "1".repeat(128))), big("340282366920938463463374607431768211455"));
    assert_eq!(read(&"9".repeat(4301)), ValueKind::Invalid);
    // The limit applies to decimal digits, whatever the radix.
    let huge = big(&format!("0x1{}", "0".repeat(6000)));
    assert_eq!(read(&format!("0x1{}", "0".repeat(6000))), huge);
    assert_eq!(read(&format!("0o1{}", "0".repeat(8000))), huge);
    assert_eq!(read(&format!("0b1{}", "0".repeat(24000))), huge);
    assert_eq!(read("-1e400"), ValueKind::Float(f64::NEG_INFINITY));
}

#[test]
fn encodings() {
    let (text, diagnostics) = decode(FileId(0), b"a = \"\xff\"\nb = 1\n".to_vec());
    assert_eq!(
        (text.as_str(), diagnostics.len(), diagnostics[0].code.name),
        ("a = \"\u{fffd}\"\nb = 1\n", 1, "invalid-encoding")
    );
    assert_eq!(diagnostics[0].location.map(|location| location.span), Some(Span::new(5, 8)));
    let (text, diagnostics) = decode(FileId(0), b"\xff\xfea\0 \0=\0 \x001\0".to_vec());
    assert_eq!((text.as_str(), diagnostics.len()), ("a = 1", 1));
    assert_eq!(found("\u{feff}a = 1\n"), [("invalid-encoding", "\u{feff}", "")]);
    assert_eq!(read("\u{feff}a = 1\n").0.root.entries[0].key.span, Span::new(3, 4));
    assert_eq!(found("a = \"x\0y\"\n# \0\0\n"), [("invalid-toml", "\0", ""), ("invalid-toml", "\0", "")]);
    assert_eq!(found("a = 1\rb = 2\rc = 3"), [("invalid-toml", "\r", "")]);
}

#[test]
fn fixes_of_syntax_errors_make_the_text_valid() {
    let texts = [
        "name = Qwen/Qwen3\n",
        "a = True\n",
        "a = None\n",
        "a = 007\n",
        "a = 1__0\n",
        "a = .5e1\n",
        "a = -5.\n",
        "a = 0XFF\n",
        "a = Infinity\n",
        "a = “x y” # c\n",
        "a = `x`\n",
        "a = \u{a0}1\n",
        "a == 1\n",
        "a: 1\n",
        "a:\t[1 2]\n",
        "a 1\n",
        "ä.b = 1\n",
        "a = 1,\n",
        "[a\nb = 1\n",
        "[[a]\nb = 1\n",
        "a = \"x\nb = 1\n",
        "a = { b = 1, }\n",
        "\u{feff}a = 1\n",
    ];
    for text in texts {
        let mut fixed = text.to_owned();
        for _ in 0..3 {
            let (_, diagnostics) = read(&fixed);
            let Some(fix) = diagnostics.first().and_then(|diagnostic| diagnostic.fix.as_ref()) else { break };
            let edit = &fix.edits[0];
            fixed.replace_range(edit.location.span.range(), &edit.new_text);
        }
        assert_eq!(found(&fixed), [], "{text} became {fixed}");
    }
    // A single word can only be meant as a string; several words are ambiguous.
    for (text, applicability) in [("name = Qwen/Qwen3\n", Applicability::Safe), ("name = a b\n", Applicability::Unsafe)] {
        let (_, diagnostics) = read(text);
        assert_eq!(diagnostics[0].fix.as_ref().map(|fix| fix.applicability), Some(applicability), "{text}");
    }
}

#[test]
fn diagnostics_name_the_dotted_key() {
    let keys = |text| read(text).1.into_iter().map(|diagnostic| diagnostic.key).collect::<Vec<_>>();
    assert_eq!(keys("[a.\"b c\"]\nd =\n"), [Some("a.\"b c\".d".to_owned())]);
    assert_eq!(keys("[a]\nb.c = 1\nb.c = 2\n"), [Some("a.b.c".to_owned())]);
}

#[test]
fn metadata_is_read_from_comments_at_the_top() {
    let text = "# A config.\n\n# /// config\n# version = \"v3\"\n# input_tokens = 1500\n#\n# notes = [\n#   \"é\",\n# ]\n# ///\n# other = 1\n\na = 1\n";
    let (document, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    let (table, diagnostics) = metadata(FileId(0), text, &document).expect("a block");
    assert_eq!(diagnostics, []);
    let entries: Vec<_> = table.entries.iter().map(|entry| (&*entry.key.text, &text[entry.value.span.range()])).collect();
    assert_eq!(entries, [("version", "\"v3\""), ("input_tokens", "1500"), ("notes", "[\n#   \"é\",\n# ]")]);
    assert!(text[table.span.range()].starts_with("# /// config\n") && text[table.span.range()].ends_with("\n# ///"));
}

#[test]
fn metadata_faults_are_warnings_in_place() {
    let text = "# /// config\n# version = v3\n# version\na = 1\n";
    let (table, diagnostics) = metadata(FileId(0), text, &read(text).0).expect("a block");
    assert_eq!(table.entries.len(), 1);
    let shown: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| {
            (diagnostic.code, diagnostic.severity, diagnostic.location.map(|location| &text[location.span.range()]))
        })
        .collect();
    let warning = |place| (&codes::INVALID_METADATA, Severity::Warning, Some(place));
    assert_eq!(shown, [warning("# /// config"), warning("v3"), warning("version")]);
    for text in ["a = 1\n# /// config\n# b = 1\n# ///\n", "# /// script\n# b = 1\n# ///\n", ""] {
        assert_eq!(metadata(FileId(0), text, &read(text).0), None);
    }
}
