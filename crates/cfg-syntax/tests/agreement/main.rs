//! This crate must accept and refuse the same texts as tomli, and read the same values.
//!
//! Generated and mutated documents are passed to Python's `tomllib`, which is tomli for TOML 1.0, and the answers are compared. `CFG_TOMLI=DIR`
//! compares with the `tomli` in that directory instead (`pip install --target DIR tomli==2.4.1`), `CFG_CASES=N` sets the number of documents,
//! `CFG_SEED=N` selects others, and `CFG_TOML_SAMPLES=DIR` adds mutations of the TOML files there.

mod documents;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cfg_diag::{FileId, Severity};
use cfg_syntax::{Datetime, Dialect, Integer, Table, Value, ValueKind, decode, parse};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Reads the TOML version, then length-prefixed texts; answers each with `error` or its values.
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
            // `json.dumps` escapes other characters as UTF-16 in lowercase; serde_json does not escape DEL.
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
        ValueKind::Datetime(Datetime { date, time, offset }) => out.push_str(match (date, time, offset) {
            (_, _, Some(_)) => "odt",
            (Some(_), Some(_), None) => "ldt",
            (Some(_), None, None) => "ld",
            (None, _, None) => "lt",
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

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn samples() -> Vec<String> {
    let mut samples = vec![include_str!("../half_typed/base.toml").to_owned()];
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
#[allow(clippy::print_stdout)]
fn tomli_agrees() {
    let Some(mut tomli) = Tomli::start() else {
        // Written directly, because the test runner captures printed output.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no python3 with tomllib to compare with");
        return;
    };
    let cases = number("CFG_CASES", 3_000);
    let seed = [number("CFG_SEED", 1), 2, 3, 4].map(u64::to_le_bytes).concat();
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let documents = documents::document(samples());
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
