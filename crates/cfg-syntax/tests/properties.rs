//! Properties of every text. `PROPTEST_CASES` sets the number of texts, `PROPTEST_RNG_SEED` selects others.

#[path = "../../../tests/src/sized.rs"]
mod sized;

use std::thread;

use cfg_diag::{Diagnostic, FileId, Location, Severity, Span, codes};
use cfg_syntax::{Dialect, Document, MAX_DEPTH, Table, Value, ValueKind, decode, metadata, parse, parse_first};
use proptest::prelude::*;

use sized::sized;

const BASE: &str = include_str!("half_typed/base.toml");

struct Check<'a> {
    text: &'a str,
    deepest: usize,
}

impl Check<'_> {
    fn span(&self, span: Span) {
        assert!(span.start <= span.end && span.end as usize <= self.text.len(), "{span:?} in {:?}", self.text);
        let on_boundaries = self.text.is_char_boundary(span.start as usize) && self.text.is_char_boundary(span.end as usize);
        assert!(on_boundaries, "{span:?} in {:?}", self.text);
    }

    fn table(&mut self, table: &Table, depth: usize) {
        self.span(table.span);
        self.deepest = self.deepest.max(depth);
        let mut keys: Vec<&str> = table.entries.iter().map(|entry| &*entry.key.text).collect();
        keys.sort_unstable();
        assert!(keys.is_sorted_by(|a, b| a < b), "a key twice in {:?}", self.text);
        for entry in &table.entries {
            self.span(entry.key.span);
            self.value(&entry.value, depth + 1);
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        self.span(value.span);
        match &value.kind {
            ValueKind::Table(table) => self.table(table, depth),
            ValueKind::Array(items) => items.iter().for_each(|item| self.value(item, depth + 1)),
            _ => {}
        }
    }

    fn all(&mut self, document: &Document, diagnostics: &[Diagnostic]) {
        self.table(&document.root, 0);
        assert!(self.deepest <= 2 * MAX_DEPTH + 1);
        for &comment in &document.comments {
            self.span(comment);
            assert!(self.text[comment.range()].starts_with('#'));
        }
        for header in &document.headers {
            self.span(header.span);
            header.keys.iter().for_each(|key| self.span(key.span));
        }
        for diagnostic in diagnostics {
            assert!(!diagnostic.message.is_empty());
            self.span(diagnostic.location.expect("a place").span);
            diagnostic.related.iter().for_each(|related| self.span(related.location.span));
            diagnostic.fix.iter().flat_map(|fix| &fix.edits).for_each(|edit| self.span(edit.location.span));
        }
        let places: Vec<Option<Location>> = diagnostics.iter().map(|diagnostic| diagnostic.location).collect();
        assert!(places.is_sorted());
    }
}

fn check(text: &str) {
    let first = parse_first(FileId(0), text);
    let [of_10, of_11] = [Dialect::Toml10, Dialect::Toml11].map(|dialect| parse(FileId(0), text, dialect));
    assert_eq!((&first.0, &first.1), (&of_10.0, &of_10.1));
    if !first.2 {
        assert_eq!(of_10, of_11, "{text:?}");
    }
    for (document, diagnostics) in [of_10, of_11] {
        Check { text, deepest: 0 }.all(&document, &diagnostics);
        if let Some((table, diagnostics)) = metadata(FileId(0), text, &document) {
            let document = Document { root: table, headers: Vec::new(), comments: Vec::new(), is_unread: false };
            for diagnostic in &diagnostics {
                assert!(diagnostic.severity <= Severity::Warning && diagnostic.code == &codes::INVALID_METADATA);
            }
            Check { text, deepest: 0 }.all(&document, &[]);
        }
    }
}

/// Features of TOML 1.1 are recognised in texts that TOML 1.0 does not allow, with or without other errors.
#[test]
fn dialects_are_distinguished() {
    for (text, expected) in [
        ("a = 1\n", false),
        ("a = x\nb =\n", false),
        ("a = 12:30\n", true),
        ("a = \"\\e\"\n", true),
        ("a = \"\\q\\x41\"\n", true),
        ("a = { b = 1, }\n", true),
        ("a = { b = 1,\n c = 2 }\nd =\n", true),
        ("a = { b = 1 }\n", false),
        ("a =\n12:30\n", true),
    ] {
        assert_eq!(parse_first(FileId(0), text).2, expected, "{text:?}");
        check(text);
    }
}

fn messages(text: &str) -> Vec<String> {
    parse(FileId(0), text, Dialect::Toml11).1.into_iter().map(|diagnostic| diagnostic.message).collect()
}

/// The text of all keys and values, in order.
fn shown(document: &Document) -> String {
    format!("{:?}", document.root)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (text, _) = decode(FileId(0), bytes.clone());
        if let Err(error) = std::str::from_utf8(&bytes) && !matches!(bytes.get(..2), Some([0xfe, 0xff] | [0xff, 0xfe])) {
            prop_assert_eq!(&text.as_bytes()[..error.valid_up_to()], &bytes[..error.valid_up_to()]);
        }
        check(&text);
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn toml_like_text(text in r#"([\[\]{}=,.#"'\\\n\r \tabtT:0-9_é-]|"""|'''|\[a\]\n|b = |# ///( config)?\n){0,60}"#) {
        check(&text);
    }

    #[test]
    fn changed_config(cuts in prop::collection::vec((any::<prop::sample::Index>(), r#"[\[\]{}=,."'\\\n a1é]{0,3}"#, 0..4_usize), 0..6)) {
        let mut text = BASE.to_owned();
        for (at, new, length) in cuts {
            let at = at.index(text.len() + 1);
            if text.is_char_boundary(at) {
                let end = text[at..].char_indices().nth(length).map_or(text.len(), |(length, _)| at + length);
                text.replace_range(at..end, &new);
            }
        }
        check(&text);
    }

    /// A broken line between the tables of a config affects no other line. It begins with a capital letter, so that its key differs from those of
    /// the config: an equal key would be a second error, or name the same table.
    #[test]
    fn a_broken_line_does_not_affect_others(line in r#"[A-Z][a-z]{0,3}( =| = \[| = \{| = \{ a = 1| = "a| = '|= """| = 1 2|:| = \[1,| = a/b| = \[\[1\], \[2)?"#, after in 0..40_usize) {
        let whole = BASE.replacen("target_modules = [\n  \"q_proj\",\n  \"v_proj\", # the usual two\n]\n", "", 1);
        let mut lines: Vec<&str> = whole.lines().collect();
        lines.insert(after, &line);
        let text = lines.join("\n");
        let (document, diagnostics) = parse(FileId(0), &text, Dialect::Toml10);
        let found: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
        prop_assert!(found.len() == 1, "{:?}: {:?}", line, found);
        let count = |document: &Document| shown(document).matches("key: Key").count();
        prop_assert_eq!(count(&document), count(&parse(FileId(0), &whole, Dialect::Toml10).0) + 1 + line.matches("{ a = 1").count());
    }
}

/// Parses, walks, clones and drops a text on a stack of 512 KiB.
fn on_a_small_stack(text: String) {
    let work = move || {
        for dialect in [Dialect::Toml10, Dialect::Toml11] {
            let (document, diagnostics) = parse(FileId(0), &text, dialect);
            let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
            assert!(messages.len() <= 3, "{messages:?} for {:?}", &text[..text.len().min(40)]);
            Check { text: &text, deepest: 0 }.all(&document.clone(), &diagnostics);
        }
    };
    thread::Builder::new().stack_size(512 * 1024).spawn(work).expect("a thread").join().expect("no overflow");
}

#[test]
fn depth_is_bounded() {
    for depth in [MAX_DEPTH, 1_000, 100_000] {
        on_a_small_stack(format!("a = {}{}", "[".repeat(depth), "]".repeat(depth)));
        on_a_small_stack(format!("a = {}", "[".repeat(depth)));
        on_a_small_stack(format!("a = {}1{}", "{a=".repeat(depth), "}".repeat(depth)));
        on_a_small_stack(format!("a = {}", "[{a=".repeat(depth)));
        on_a_small_stack(format!("{}a = 1", "a.".repeat(depth)));
        on_a_small_stack(format!("[{}a]\nb = 1\nb.c = 1", "a.".repeat(depth)));
        on_a_small_stack(format!("[[{}a]]\nb = 1\n[[{}a]]", "a.".repeat(depth), "a.".repeat(depth)));
    }
    let mut text = String::new();
    for depth in 1..=MAX_DEPTH {
        text += &["[[", &vec!["a"; depth].join("."), "]]\n"].concat();
    }
    on_a_small_stack(text + &format!("{}b = {}1", "a.".repeat(100), "{a = [".repeat(100)));
}

/// The loader refuses a value within more than 1,000 brackets.
#[test]
fn too_deep_is_an_error_where_the_loader_stops() {
    let severities = |text: &str, dialect| -> Vec<Severity> {
        let (_, diagnostics) = parse(FileId(0), text, dialect);
        diagnostics
            .iter()
            .inspect(|diagnostic| assert_eq!(diagnostic.code, &codes::NESTED_TOO_DEEP))
            .map(|diagnostic| diagnostic.severity)
            .collect()
    };
    let nested = |depth: usize, inner: &str| format!("a = {}{inner}{}", "[".repeat(depth), "]".repeat(depth));
    for dialect in [Dialect::Toml10, Dialect::Toml11] {
        assert_eq!(severities(&nested(100, "1"), dialect), []);
        assert_eq!(severities(&nested(1000, "1"), dialect), [Severity::Warning]);
        assert_eq!(severities(&nested(1001, ""), dialect), [Severity::Warning]);
        assert_eq!(severities(&nested(1001, "1"), dialect), [Severity::Error]);
        assert_eq!(severities(&nested(1002, ""), dialect), [Severity::Error]);
    }
    let key = |parts: usize| vec!["a"; parts].join(".") + " = 1";
    assert_eq!(severities(&key(1001), Dialect::Toml10), [Severity::Warning]);
    assert_eq!(severities(&key(1000), Dialect::Toml11), [Severity::Warning]);
    assert_eq!(severities(&key(1001), Dialect::Toml11), [Severity::Error]);
}

/// If a step were quadratic in the length of a text, all cases (`CFG_TESTS=all`) would take many minutes.
#[test]
fn long_texts_are_read() {
    let many = sized(5_000, 50_000);
    let lines = |line: &dyn Fn(usize) -> String| (0..many).map(line).collect::<String>();
    let texts = [
        lines(&|number| format!("k{number} = {number}\n")),
        format!("a = {{ {} }}", lines(&|number| format!("k{number} = 1, "))),
        lines(&|number| format!("[t{number}]\na = 1\n")),
        lines(&|number| format!("[[t]]\na = {number}\n")),
        lines(&|number| format!("[{}k{number}]\na.b = 1\n", "a.".repeat(5))),
        lines(&|_| "k = [\n".into()),
        lines(&|_| "k = {\n".into()),
        lines(&|_| "[a\n".into()),
        lines(&|_| "[[[{a=\n".into()),
        lines(&|_| "k = \"\"\"x\n".into()),
        lines(&|_| "k = \"\"\"x\n\"\"\"y = '''\n".into()),
        lines(&|_| "k = '''x\n".into()) + "\"\"\"",
        lines(&|_| "prose without any sense \"\"\"\n".into()),
        lines(&|_| "# \u{1}\r".into()),
        lines(&|_| "] } ,\n".into()),
        format!("a = [{}", lines(&|_| "# c\n".into())),
        format!("[{}\n{}", vec!["a"; 120].join("."), lines(&|number| format!("k{number} = 1\n"))),
        format!("a = {}\n", "1".repeat(many * 10)),
        format!("a = 0x{}\n", "f".repeat(many * 10)),
        format!("a = \"{}\"\n", "\\u0041\\".repeat(many)),
        format!("a = [{}]\n", "[],".repeat(many)),
        format!("a = [{}\n", "[}".repeat(many)),
        format!("a = [{}\n", "\n{ a = 1,".repeat(many)),
        format!("a = [{}\n", "\n { a = 1 ]".repeat(many)),
        ".".repeat(many),
        "a.".repeat(many),
        "=".repeat(many),
    ];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for texts in texts.chunks(texts.len().div_ceil(cores)) {
            scope.spawn(move || texts.iter().for_each(|text| check(text)));
        }
    });
}

#[test]
fn valid_texts_are_parsed_completely() {
    // Lines in brackets and strings that look like statements.
    let texts = [
        "a = [\n  [\"x\"],\n  [1]\n  ,\n  [true],\n  [inf]\n]\n",
        "a = \"\"\"\n[b]\nc = 1\nd = \"\"\"\n",
        "a = '''\nb = \"\"\"\n'''\nc = 1\n",
        "a = [ { b = [\n1 ] }, # ]\n {} ]\n",
        "a = {\n b = 1,\n c = {\n d = 2 },\n \"e\" = [\n ] }\n",
        "\"a = [\" = 1\n'[b]' = 2\n",
    ];
    for text in texts {
        assert_eq!(messages(text), [""; 0], "{text}");
    }
}
