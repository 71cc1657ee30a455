//! prime-rl's recorded answers to configs, and the comparison with `cfg`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cfg_check::{Checked, Verdict};
use cfg_diag::LocPart;
use cfg_schema::Kind;
use serde_json::Value;

/// An error of prime-rl: its type, and its location as JSON.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Error {
    /// The error type, such as `extra_forbidden`, or the name of the exception that ends prime-rl.
    pub kind: String,
    /// The location, such as `["trainer","model","foo"]`.
    pub loc: String,
}

impl Error {
    /// Whether the error is from one of prime-rl's own checks or an exception, rather than the types of the schema.
    pub fn is_beyond_schema(&self) -> bool {
        matches!(&*self.kind, "value_error" | "assertion_error")
            || self.kind.starts_with(|first: char| first.is_ascii_uppercase())
    }
}

/// A recorded vector. Lines with only a base form are vectors, too.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its name.
    pub id: String,
    /// The version of prime-rl.
    pub version: String,
    /// The entrypoint.
    pub kind: Kind,
    /// The config.
    pub toml: String,
    /// Whether prime-rl accepted it.
    pub ok: bool,
    /// prime-rl's errors, sorted.
    pub errors: Vec<Error>,
}

impl Recorded {
    /// The files of a folder whose lines are vectors or other recorded cases, in the order of their paths.
    ///
    /// # Panics
    /// If the folder can't be read.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
        let mut files: Vec<PathBuf> = entries.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl")).collect();
        files.sort();
        files
    }

    /// The vectors of all files of a folder.
    ///
    /// # Panics
    /// If a file can't be read.
    pub fn of_folder(folder: &Path) -> impl Iterator<Item = Self> {
        Self::files(folder).into_iter().flat_map(|file| {
            let text = fs::read_to_string(file).expect("a text");
            text.lines().filter_map(Self::parse).collect::<Vec<_>>()
        })
    }

    /// Reads a line of a vectors file; `None` if it is not a vector.
    pub fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let errors = Self::errors_of(&value)?;
        Some(Self {
            id: text("id")?,
            version: text("version")?,
            kind: text("kind")?.parse().ok()?,
            toml: text("toml")?,
            ok: value["ok"].as_bool()?,
            errors,
        })
    }
}

impl Recorded {
    /// The errors of a recorded verdict, sorted.
    pub fn errors_of(value: &Value) -> Option<Vec<Error>> {
        let error = |error: &Value| Some(Error { kind: error["type"].as_str()?.to_owned(), loc: error["loc"].to_string() });
        let mut errors: Vec<Error> = value["errors"].as_array().into_iter().flatten().map(error).collect::<Option<_>>()?;
        errors.sort();
        Some(errors)
    }
}

/// The native errors that prime-rl would report, sorted.
fn reported(checked: &Checked) -> Vec<Error> {
    let native = checked.diagnostics.iter().filter_map(|diagnostic| diagnostic.native.as_ref()).filter(|native| !native.masked);
    let step = |part: &LocPart| match part {
        LocPart::Key(key) => Value::from(key.as_str()),
        LocPart::Index(index) => Value::from(*index),
    };
    let mut errors: Vec<Error> = native
        .map(|native| Error {
            kind: native.kind.to_string(),
            loc: Value::Array(native.loc.iter().map(step).collect()).to_string(),
        })
        .collect();
    errors.sort();
    errors
}

/// Compares the result of a check with the recorded one. An error says where they differ.
pub fn compare(checked: &Checked, ok: bool, errors: &[Error]) -> Result<(), String> {
    let reported = reported(checked);
    if (checked.verdict == Verdict::Ok) == ok && reported == errors {
        return Ok(());
    }
    let shown = |errors: &[Error]| -> String {
        let lines: Vec<String> = errors.iter().map(|error| format!("\n    {} at {}", error.kind, error.loc)).collect();
        if lines.is_empty() { "\n    nothing".to_owned() } else { lines.concat() }
    };
    let said = if ok { "accepts it" } else { "refuses it" };
    Err(format!("prime-rl {said}:{}\n  cfg says {:?}:{}", shown(errors), checked.verdict, shown(&reported)))
}
