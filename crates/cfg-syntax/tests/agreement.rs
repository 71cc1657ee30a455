//! tomli's verdict on a text, and the values it reads, are what this crate must give.
//!
//! Generated and mutated documents go to Python's `tomllib`, which is tomli for TOML 1.0, and the answers are compared.
//! `CFG_TOMLI=DIR` compares with the `tomli` in that directory instead (`pip install --target DIR tomli==2.4.1`), `CFG_CASES=N` sets
//! how many documents there are, `CFG_SEED=N` chooses others, and `CFG_TOML_SAMPLES=DIR` adds mutations of the TOML files there.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cfg_diag::{FileId, Severity};
use cfg_syntax::{Datetime, Dialect, Integer, Table, Value, ValueKind, decode, parse};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Answers each length-prefixed text with the TOML version once, then with `error` or its values.
const PYTHON: &str = r#"
import datetime, json, struct, sys
if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])
    import tomli as toml
else:
    import tomllib as toml
def show(v):
    if isinstance(v, bool): return "true" if v else "false"
    if isinstance(v, int): return "i%d" % v
    if isinstance(v, float): return "nan" if v != v else "f" + struct.pack(">d", v).hex()
    if isinstance(v, str): return json.dumps(v)
    if isinstance(v, datetime.datetime): return "ldt" if v.tzinfo is None else "odt"
    if isinstance(v, datetime.date): return "ld"
    if isinstance(v, datetime.time): return "lt"
    if isinstance(v, list): return "[" + ",".join(map(show, v)) + "]"
    return "{" + ",".join(json.dumps(k) + ":" + show(x) for k, x in v.items()) + "}"
out = sys.stdout
try:
    toml.loads("a = {b = 1,}"); out.write("1.1\n")
except toml.TOMLDecodeError:
    out.write("1.0\n")
out.flush()
stdin = sys.stdin.buffer
while size := stdin.read(4):
    raw = stdin.read(int.from_bytes(size, "big"))
    try:
        answer = show(toml.loads(raw.decode()))
    except (ValueError, RecursionError):
        answer = "error"
    out.write(answer + "\n")
    out.flush()
"#;

struct Tomli {
    python: Child,
    answers: BufReader<std::process::ChildStdout>,
    dialect: Dialect,
}

impl Tomli {
    fn start() -> Option<Self> {
        let mut command = Command::new("python3");
        command.arg("-c").arg(PYTHON).args(std::env::var_os("CFG_TOMLI"));
        command.env("PYTHONIOENCODING", "utf-8").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut python = command.spawn().ok()?;
        let mut answers = BufReader::new(python.stdout.take()?);
        let mut line = String::new();
        answers.read_line(&mut line).ok()?;
        let dialect = match line.trim() {
            "1.0" => Dialect::Toml10,
            "1.1" => Dialect::Toml11,
            _ => return None,
        };
        Some(Self { python, answers, dialect })
    }

    fn read(&mut self, bytes: &[u8]) -> String {
        let stdin = self.python.stdin.as_mut().expect("a pipe");
        let size = u32::try_from(bytes.len()).expect("a short text").to_be_bytes();
        stdin.write_all(&[&size, bytes].concat()).expect("python reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("python answers");
        line.trim_end_matches('\n').into()
    }
}

impl Drop for Tomli {
    fn drop(&mut self) {
        drop(self.python.stdin.take());
        let mut rest = Vec::new();
        let _ = self.answers.read_to_end(&mut rest);
        let _ = self.python.wait();
    }
}

fn read(bytes: &[u8], dialect: Dialect) -> String {
    let (text, mut diagnostics) = decode(FileId(0), bytes.to_vec());
    let (document, more) = parse(FileId(0), &text, dialect);
    diagnostics.extend(more);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return "error".into();
    }
    let mut out = String::new();
    show_table(&document.root, &mut out);
    out
}

fn show_table(table: &Table, out: &mut String) {
    out.push('{');
    for (position, entry) in table.entries.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        show_string(&entry.key.text, out);
        out.push(':');
        show(&entry.value, out);
    }
    out.push('}');
}

fn show_string(text: &str, out: &mut String) {
    let json = serde_json::to_string(text).expect("a string");
    let mut units = [0; 2];
    for character in json.chars() {
        match character {
            ' '..='~' => out.push(character),
            // `json.dumps` escapes all else as UTF-16, in lowercase, serde_json DEL not at all.
            _ => character.encode_utf16(&mut units).iter().for_each(|unit| write!(out, "\\u{unit:04x}").expect("a string")),
        }
    }
}

fn show(value: &Value, out: &mut String) {
    match &value.kind {
        ValueKind::String(text) => show_string(text, out),
        ValueKind::Integer(Integer::Small(number)) => write!(out, "i{number}").expect("a string"),
        ValueKind::Integer(Integer::Big(digits)) => write!(out, "i{digits}").expect("a string"),
        ValueKind::Float(float) if float.is_nan() => out.push_str("nan"),
        ValueKind::Float(float) => write!(out, "f{:016x}", float.to_bits()).expect("a string"),
        ValueKind::Boolean(boolean) => write!(out, "{boolean}").expect("a string"),
        ValueKind::Datetime(kind) => out.push_str(match kind {
            Datetime::OffsetDatetime => "odt",
            Datetime::LocalDatetime => "ldt",
            Datetime::LocalDate => "ld",
            Datetime::LocalTime => "lt",
        }),
        ValueKind::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position > 0 { "," } else { "" });
                show(item, out);
            }
            out.push(']');
        }
        ValueKind::Table(table) => show_table(table, out),
        ValueKind::Missing | ValueKind::Invalid => out.push_str("reported"),
    }
}

fn pick(choices: &'static [&'static str]) -> impl Strategy<Value = String> + Clone {
    proptest::sample::select(choices).prop_map(String::from)
}

fn key() -> impl Strategy<Value = String> + Clone {
    let part = pick(&[
        "a",
        "b",
        "c",
        "a",
        "b",
        "c",
        "d-1",
        "\"a\"",
        "'b'",
        "\"\"",
        "\"\\u0061\"",
        "1",
        "true",
        "ä",
        "a b",
        "\"x\ty\"",
        "'''a'''",
    ]);
    let dot = pick(&[".", ".", ".", " . ", "\t.", "..", ". "]);
    (part.clone(), prop::collection::vec((dot, part), 0..3), 0..6_u8).prop_map(|(first, more, keep)| {
        let more = if keep < 3 { &[] } else { &more[..] };
        more.iter().fold(first, |key, (dot, part)| key + dot + part)
    })
}

const SCALARS: &[&str] = &[
    "1",
    "-0",
    "+5",
    "007",
    "1_000",
    "1__0",
    "_1",
    "1_",
    "0x1F",
    "0xfF_0",
    "0x_1",
    "0X1",
    "-0x1",
    "0o17",
    "0o8",
    "0b101",
    "0b2",
    "0x",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "0xffffffffffffffffffff",
    "123456789012345678901234567890",
    "1.5",
    "1.",
    ".5",
    "1.5e10",
    "1e5",
    "1E+5",
    "1e-5",
    "1e",
    "1e5.5",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1_0",
    "0._1",
    "01.5",
    "-0.0",
    "0e0",
    "6.626e-34",
    "inf",
    "-inf",
    "+inf",
    "nan",
    "-nan",
    "infx",
    "Inf",
    "true",
    "false",
    "True",
    "truefalse",
    "none",
    "1979-05-27",
    "1979-05-27T07:32:00",
    "1979-05-27t07:32:00z",
    "1979-05-27 07:32:00",
    "1979-05-27  07:32:00",
    "1979-05-27\t07:32:00",
    "1979-05-27T07:32:00.123456789Z",
    "1979-05-27T07:32:00+01:00",
    "1979-05-27T07:32:00-24:00",
    "1979-05-27 07:32:00-00:60",
    "1979-05-27T07:32",
    "1979-05-27 07:32Z",
    "07:32:00",
    "07:32",
    "24:00:00",
    "07:60:00",
    "07:32:60",
    "07:32:00.5",
    "07:32.5",
    "07:32:00.",
    "07:32:00Z",
    "1979-13-01",
    "1979-02-30",
    "2000-02-29",
    "1900-02-29",
    "2023-02-29",
    "0000-01-01",
    "1979-05-27T",
    "1979-05-27 #",
    "1979-05-27 7",
    "1979-5-27",
    "\"\"",
    "\"a\"",
    "\"\\n\"",
    "\"\\e\"",
    "\"\\x41\"",
    "\"\\xg1\"",
    "\"\\u00e9\"",
    "\"\\ud800\"",
    "\"\\U0001F600\"",
    "\"\\U00110000\"",
    "\"\\u12\"",
    "\"\\q\"",
    "\"\\",
    "\"a",
    "'a",
    "'a\\'",
    "''",
    "'\"'",
    "\"'\"",
    "\"\"\"a\"\"\"",
    "\"\"\"a\"\"",
    "\"\"\"\"\"\"",
    "\"\"\"\"\"\"\"\"",
    "\"\"\"\"\"\"\"\"\"",
    "\"\"\"\na\n\"\"\"",
    "\"\"\"a\\\n  b\"\"\"",
    "\"\"\"a\\  \n\n b\"\"\"",
    "\"\"\"a\\ b\"\"\"",
    "\"\"\"a\\\"\"\"\"",
    "\"\"\"a\\\\\"\"\"",
    "\"\"\"\\\r\n \r\n x\"\"\"",
    "'''a'''",
    "'''a''",
    "''''a'''''",
    "'''\na\r\nb'''",
    "'''\\'''",
    "'''a\rb'''",
    "\"a\rb\"",
    "\"a\tb\"",
    "\"a\u{7f}b\"",
    "\"a\u{1}b\"",
    "\"é𝄞\"",
    "\"\u{feff}\"",
    "é",
    "“a”",
    "\u{a0}1",
    "1\u{a0}",
    "Qwen/Qwen3",
    "=",
    "",
    "1 2",
    "1 # c",
    "1#c",
    "1 # \u{1}",
    "1 # \u{7f}é",
    "1,",
    "1\r",
    "{}",
    "[]",
    "[,]",
    "{,}",
];

fn value() -> impl Strategy<Value = String> + Clone {
    let space = pick(&["", "", " ", " ", "\n", " # c\n", "\r\n  ", "\t"]);
    let scalar = prop_oneof![3 => pick(&["1", "\"x\"", "true", "1.5", "[]", "{}"]), 2 => pick(SCALARS)];
    scalar.prop_recursive(3, 12, 4, move |inner| {
        let comma = pick(&[",", ",", ",", " ,", ",\n", "", ",,"]);
        let ends = pick(&["", "", "", ",", " "]);
        let array = (
            prop::collection::vec((space.clone(), inner.clone(), space.clone(), comma.clone()), 0..4),
            ends.clone(),
            space.clone(),
        )
            .prop_map(|(items, last, space)| {
                let mut text = String::from("[");
                for (position, (before, item, after, comma)) in items.iter().enumerate() {
                    let comma = if position + 1 < items.len() { comma } else { &last };
                    text += &[&before[..], item, after, comma].concat();
                }
                text + &space + "]"
            });
        let narrow = pick(&["", "", " ", " ", " ", " ", "\n", " # c\n"]);
        let table = (prop::collection::vec((narrow.clone(), key(), inner, narrow.clone(), comma), 0..4), ends, narrow).prop_map(
            |(items, last, space)| {
                let mut text = String::from("{");
                for (position, (before, key, item, after, comma)) in items.iter().enumerate() {
                    let comma = if position + 1 < items.len() { comma } else { &last };
                    text += &[&before[..], key, " = ", item, after, comma].concat();
                }
                text + &space + "}"
            },
        );
        prop_oneof![array, table]
    })
}

fn line() -> impl Strategy<Value = String> {
    let end = pick(&["\n", "\n", "\n", "\n", "\r\n", " # c\n", "  \n"]);
    let entry = (key(), pick(&[" = ", " = ", " = ", "=", "\t=", " ", ": ", " =\n"]), value())
        .prop_map(|(key, equals, value)| key + &equals + &value);
    let header = (pick(&["[", "[", "[", "[[", "[[", "[ ", "[ ["]), key(), pick(&["]", "]", "]", "]]", "] ]", "", " ]"]))
        .prop_map(|(open, key, close)| {
            let close = if close == "]" && open == "[[" { "]]" } else { &close };
            open + &key + close
        });
    let other =
        pick(&["", "# comment", "# \u{1}", "\u{feff}", "]", "}", "a", "{", ",", "\r", "\0", "a = \"\"\"", "a = [", "a = {"]);
    (prop_oneof![6 => entry, 4 => header, 1 => other], end).prop_map(|(line, end)| line + &end)
}

fn edit(text: &mut String, choice: u32, at: prop::sample::Index, insert: &str) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let at = places[at.index(places.len())];
    match choice {
        0 => drop(text.remove(at)),
        1 => text.insert_str(at, insert),
        2 => {
            text.remove(at);
            text.insert_str(at, insert);
        }
        3 => {
            let line = text[at..].split_inclusive('\n').next().unwrap_or("").to_owned();
            text.insert_str(at, &line);
        }
        _ => text.truncate(at),
    }
}

fn document(samples: Vec<String>) -> impl Strategy<Value = String> {
    let piece = pick(&[
        "\"", "'", "\"\"\"", "'''", "[", "]", "{", "}", ",", "=", ".", "\n", "\r", "\r\n", " ", "#", "\\", "0", "1", "_", "-",
        "+", "e", "a", ":", "T", "é", "\0", "\u{7f}", "\t",
    ]);
    let generated = prop_oneof![
        3 => prop::collection::vec(line(), 0..7).prop_map(|lines| lines.concat()),
        1 => prop::collection::vec(prop_oneof![piece.clone(), key(), pick(SCALARS), pick(&[" = ", "\n"])], 0..30).prop_map(|pieces| pieces.concat()),
    ];
    let base = if samples.is_empty() { generated.boxed() } else { prop_oneof![generated, prop::sample::select(samples)].boxed() };
    (base, prop::collection::vec((0..5_u32, any::<prop::sample::Index>(), piece), 0..4), any::<bool>()).prop_map(
        |(mut text, edits, mutate)| {
            for (choice, at, insert) in edits.into_iter().filter(|_| mutate) {
                edit(&mut text, choice, at, &insert);
            }
            text
        },
    )
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn samples() -> Vec<String> {
    let mut samples = vec![include_str!("half_typed/base.toml").to_owned()];
    let mut folders: Vec<_> =
        std::env::var_os("CFG_TOML_SAMPLES").into_iter().map(|folder| Path::new(&folder).to_owned()).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|extension| extension == "toml") {
                samples.extend(std::fs::read_to_string(entry.path()));
            }
        }
    }
    samples
}

#[test]
#[allow(clippy::print_stderr, clippy::print_stdout)]
fn tomli_says_the_same() {
    let Some(mut tomli) = Tomli::start() else {
        eprintln!("SKIPPED: there is no python3 with tomllib to compare with");
        return;
    };
    let cases = number("CFG_CASES", 3_000);
    let seed = [number("CFG_SEED", 1), 2, 3, 4].map(u64::to_le_bytes).concat();
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let documents = document(samples());
    let (mut valid, mut disagreements) = (0_u64, Vec::new());
    for _ in 0..cases {
        let text = documents.new_tree(&mut runner).expect("a document").current();
        let (theirs, ours) = (tomli.read(text.as_bytes()), read(text.as_bytes(), tomli.dialect));
        valid += u64::from(theirs != "error");
        if theirs != ours {
            disagreements.push(format!("{text:?}\n  tomli {theirs}\n  ours  {ours}"));
        }
    }
    println!("{:?}: {cases} documents, {valid} of them valid, {} disagreements", tomli.dialect, disagreements.len());
    disagreements.sort_by_key(String::len);
    disagreements.truncate(12);
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}
