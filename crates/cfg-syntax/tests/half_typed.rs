//! A config while it is typed: an error affects only its own line and is reported once.

use cfg_diag::{Diagnostic, FileId};
use cfg_syntax::{Dialect, Document, Table, Value, ValueKind, parse};

const BASE: &str = include_str!("half_typed/base.toml");

fn read(text: &str) -> (Document, Vec<Diagnostic>) {
    parse(FileId(0), text, Dialect::Toml10)
}

/// Every leaf, by its dotted key.
fn leaves(document: &Document) -> Vec<String> {
    let mut out = Vec::new();
    walk_table("", &document.root, &mut out);
    out
}

fn walk_table(path: &str, table: &Table, out: &mut Vec<String>) {
    for entry in &table.entries {
        walk(&format!("{path}.{}", entry.key.text), &entry.value, out);
    }
}

fn walk(path: &str, value: &Value, out: &mut Vec<String>) {
    match &value.kind {
        ValueKind::Table(table) => walk_table(path, table, out),
        ValueKind::Array(items) => items.iter().for_each(|item| walk(path, item, out)),
        ValueKind::Missing | ValueKind::Invalid => {}
        kind => out.push(format!("{path} = {kind:?}")),
    }
}

/// The leaves of the base config, without those in the lines `lost`, counted from 1.
fn leaves_without(lost: std::ops::RangeInclusive<usize>) -> Vec<String> {
    let lines = BASE.lines().enumerate();
    let kept: Vec<&str> = lines.map(|(number, line)| if lost.contains(&(number + 1)) { "" } else { line }).collect();
    leaves(&read(&kept.join("\n")).0)
}

/// Replaces a line of the base config. Asserts that there is exactly one diagnostic, at `place` of the new line, and that no other entry is lost.
#[track_caller]
fn check(line: &str, new_line: &str, place: &str, message: &str) {
    let text = BASE.replacen(&format!("\n{line}\n"), &format!("\n{new_line}\n"), 1);
    assert_ne!(text, BASE, "there is no such line");
    let (document, diagnostics) = read(&text);
    let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
    assert_eq!(messages, [message]);
    let span = diagnostics[0].location.expect("a place").span;
    let start = text.find(&format!("\n{new_line}\n")).expect("the line") + 1;
    assert_eq!(&text[span.range()], place);
    assert!((start..start + new_line.len()).contains(&(span.start as usize)), "on another line");
    let number = BASE.find(&format!("\n{line}\n")).map(|at| BASE[..=at].matches('\n').count() + 1).expect("the line");
    let found = leaves(&document);
    // A header with an error that can still be read loses no entries.
    let lost = if line.starts_with('[') { usize::MAX } else { number };
    for leaf in leaves_without(lost..=lost) {
        assert!(found.contains(&leaf), "lost {leaf}");
    }
}

#[test]
fn lines_without_an_end() {
    check("seq_len = 4096", "seq_len", "seq_len", "`seq_len` has no `=` and no value");
    check("seq_len = 4096", "seq_len =", "seq_len =", "`seq_len` has no value");
    check("seq_len = 4096", "seq_len = # soon", "seq_len =", "`seq_len` has no value");
    check("seq_len = 4096", "seq.", ".", "expected a key here");
    check("project = \"half-typed\"", "project = \"half-", "\"half-", "unterminated string");
    check("project = \"half-typed\"", "project = \"\"\"half", "\"\"\"", "unterminated string");
    check("name = 'baseline \"one\"'", "name = 'baseline \"one\"", "'baseline \"one\"", "unterminated string");
    check("[trainer.model]", "[trainer.model", "model", "unclosed header `[trainer.model`");
    check("[[orchestrator.env]]", "[[orchestrator.env", "env", "unclosed header `[[orchestrator.env`");
    check("[[orchestrator.env]]", "[[orchestrator.env]", "env", "unclosed header `[[orchestrator.env]`");
    check("lr = 1e-5", "lr = [1e-5,", "[", "unclosed `[`");
    check("lr = 1e-5", "lr = [", "[", "unclosed `[`");
    check("lr = 1e-5", "lr = { start = 1e-5", "{", "unclosed `{`");
    check("lr = 1e-5", "lr = { start = 1e-5,", "{", "unclosed `{`");
    check("lr = 1e-5", "lr = { start = ", "{", "unclosed `{`");
    check("lr = 1e-5", "lr = [{ start = [1", "[", "unclosed `[`");
    check("lr = 1e-5", "lr = [\"adam", "\"adam", "unterminated string");
    check("  \"v_proj\", # the usual two", "  \"v_proj", "\"v_proj", "unterminated string");
}

#[test]
fn habits_of_other_languages() {
    check("clean = true", "clean = True", "True", "`True` must be lowercase");
    check("clean = true", "clean = None", "None", "TOML has no `None`");
    check("clean = true", "clean: true", ":", "`clean` is followed by `:` instead of `=`");
    check("clean = true", "clean = yes", "yes", "`yes` is not a TOML value");
    check("clean = true", "clean = tru", "tru", "`tru` is not a TOML value");
    check("clean = true", "clean true", "clean", "`clean` is not followed by `=`");
    check("clean = true", "clean == true", "= true", "one `=` too many");
    check("clean = true", "clean = true,", ",", "unexpected text after a value");
    check("clean = true", "clean = true // really", "// really", "unexpected text after a value");
    check("clean = true", "= true", "=", "expected a key before `=`");
    check("lr = 1e-5", "lr = .5", ".5", "a float must have digits on both sides of the point");
    check("rank = 16", "rank = 016", "016", "a number must not start with 0");
    check("rank = 16", "rank = 1_6_", "1_6_", "an underscore in a number must be between two digits");
    check("rank = 16", "rank = 16k", "16k", "`16k` is not a number");
    check("type = \"adamw\"", "type = “adamw”", "“adamw”", "curly quotes do not delimit a string");
    check("type = \"adamw\"", "type = Qwen/Qwen3 # x", "Qwen/Qwen3", "strings must be quoted");
    check("type = \"adamw\"", "type = \"C:\\data\"", "\\d", "invalid escape `\\d`");
    check("  \"q_proj\",", "  \"q_proj\"", "\"q_proj\"", "missing comma after this");
    check(
        "args = { min_length = 10, max_length = 50 }",
        "args = { min_length = 10 max_length = 50 }",
        "10",
        "missing comma after this",
    );
    check("args = { min_length = 10, max_length = 50 }", "args = { min_length = 10 ]", "{", "unclosed `{`");
}

/// Every state while a line of the base config is typed again, character by character.
#[test]
fn every_prefix_of_every_line() {
    let lines: Vec<&str> = BASE.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let is_header = line.starts_with('[');
        let in_array = line.starts_with("  ") || line.ends_with('[') || *line == "]";
        for (at, _) in line.char_indices().skip(1) {
            let mut changed = lines.clone();
            changed[index] = &line[..at];
            let (document, diagnostics) = read(&changed.join("\n"));
            let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
            assert!(messages.len() <= 1 || in_array, "{:?}: {messages:?}", changed[index]);
            // A shorter header names another table, to which the following lines then belong.
            let next_header =
                lines[index + 1..].iter().position(|line| line.starts_with('[')).map_or(lines.len(), |next| index + next + 1);
            let last = if is_header { next_header } else { index + 1 };
            let found = leaves(&document);
            for leaf in leaves_without(index + 1..=last) {
                assert!(found.contains(&leaf) || in_array, "{:?} lost {leaf}", changed[index]);
            }
        }
    }
}

#[test]
fn an_unclosed_bracket_among_thousands_of_lines() {
    let mut text = String::from("first = [1, 2\n");
    for table in 0..250 {
        let lines = ["name = \"x\"", "values = [1, 2, 3]", "args = { a = 1, b = \"two\" }", "long = [\n  1,\n  2,\n]"].join("\n");
        text += &["\n[table_", &table.to_string(), "]\n", &lines, "\n"].concat();
    }
    text += "last =\n";
    let (document, diagnostics) = read(&text);
    let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
    assert_eq!(messages, ["unclosed `[`", "`last` has no value"]);
    assert_eq!(document.root.entries.len(), 251);
    assert_eq!(leaves(&document).len(), 2 + 250 * 8);
}

#[test]
fn a_string_left_open_does_not_shift_those_after_it() {
    let text = "a = \"\"\"left open\nb = 1\nc = \"\"\"\nprose, and\nmore prose\n\"\"\"\nd = 2\ne = '''x\ny'''\n";
    let (document, diagnostics) = read(text);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(leaves(&document).len(), 4);
    let text = "a = \"\"\"left open\nand prose\nfollows\n[b]\nc = \"\"\"one line\"\"\"\n";
    let (document, diagnostics) = read(text);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(leaves(&document), [".b.c = String(\"one line\")"]);
}

#[test]
fn a_value_on_the_next_line() {
    for value in ["[\n  1,\n  2,\n]", "{ b = 1 }", "\"x\" # c", "1", "true"] {
        let text = format!("a =\n{value}\nb = 1\n[c]\nd = 1\n");
        let (document, diagnostics) = read(&text);
        let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
        assert_eq!(messages, ["the value of `a` must be on the same line"]);
        assert!(leaves(&document).len() >= 3, "{:?}", document.root);
    }
    for next in ["[t]", "[[t]]", "b = 1", "1 = 1", "'b' = 1", "[t"] {
        let (_, diagnostics) = read(&format!("a =\n{next}\n"));
        assert_eq!(diagnostics[0].message, "`a` has no value", "{next}");
    }
}

#[test]
fn commas_forgotten_in_a_table_over_several_lines() {
    let (document, diagnostics) = parse(FileId(0), "a = {\n  b = 1\n  c = 2\n}\nd = 3\n", Dialect::Toml11);
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(leaves(&document).len(), 3);
}
