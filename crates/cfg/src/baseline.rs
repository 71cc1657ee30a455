//! Accepted findings of a project: `--baseline FILE`.
//!
//! A finding is identified by its file, its code and its key (or its message, if it has no key), not by its line, so that it is still recognized
//! after it has moved within the file. Of several equal findings, as many are accepted as the baseline contains.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use cfg_diag::Diagnostic;
use cfg_system::{NewMode, Role, System, WritableSystem};
use serde::{Deserialize, Serialize};

use crate::write::put;

/// The version of the file format.
const SCHEMA_VERSION: u32 = 1;

pub(crate) struct Baseline {
    path: PathBuf,
    /// Accepted findings that have not occurred yet, by file.
    left: Mutex<BTreeMap<String, Findings>>,
    /// All findings, by file, if a new baseline is to be written.
    found: Option<Mutex<BTreeMap<String, Findings>>>,
}

/// The number of occurrences of each finding.
type Findings = BTreeMap<Finding, usize>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    code: String,
    about: String,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema_version: u32,
    findings: BTreeMap<String, Vec<AcceptedFinding>>,
}

#[derive(Serialize, Deserialize)]
struct AcceptedFinding {
    code: String,
    about: String,
    count: usize,
}

impl Baseline {
    /// Reads a baseline. If it is to be updated, the file need not exist.
    pub(crate) fn read(system: &dyn System, path: &Path, is_updated: bool) -> Result<Self, String> {
        let unusable = |why: &str| format!("invalid baseline {}: {why}", path.display());
        let file: File = match system.read(path, Role::Baseline) {
            // A file that is not a baseline is not quoted in the message.
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                unusable(&format!("line {}, column {} was not written by --update-baseline", error.line(), error.column()))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_updated => {
                File { schema_version: SCHEMA_VERSION, findings: BTreeMap::new() }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(unusable("no such file; create it with --update-baseline"));
            }
            Err(error) => return Err(unusable(&error.to_string())),
        };
        if file.schema_version != SCHEMA_VERSION {
            return Err(unusable(&format!("its schema_version is {}, expected {SCHEMA_VERSION}", file.schema_version)));
        }
        let counts = |entries: Vec<AcceptedFinding>| {
            entries.into_iter().map(|entry| (Finding { code: entry.code, about: entry.about }, entry.count)).collect()
        };
        let left = file.findings.into_iter().map(|(path, entries)| (path, counts(entries))).collect();
        let path = system.absolute(path);
        Ok(Self { path, left: Mutex::new(left), found: is_updated.then(Mutex::default) })
    }

    /// Removes the accepted findings of a file; or all of its findings, if these become the new baseline.
    pub(crate) fn filter(&self, system: &dyn System, path: &Path, diagnostics: &mut Vec<Diagnostic>) {
        let name = self.name(&system.absolute(path));
        if let Some(found) = &self.found {
            let mut counts = Findings::new();
            for diagnostic in diagnostics.drain(..) {
                *counts.entry(Finding::of(&diagnostic)).or_default() += 1;
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(name, counts);
            return;
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = left.get_mut(&name) else { return };
        diagnostics.retain(|diagnostic| match known.get_mut(&Finding::of(diagnostic)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
    }

    /// Writes the new baseline, if one is to be written. Files that were not checked keep their entries. Returns the number of accepted
    /// findings.
    pub(crate) fn write(&self, writer: &dyn WritableSystem) -> io::Result<Option<usize>> {
        let Some(found) = &self.found else { return Ok(None) };
        let mut all = self.left.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.extend(found.lock().unwrap_or_else(PoisonError::into_inner).clone());
        all.retain(|_, findings| !findings.is_empty());
        let count = all.values().flat_map(BTreeMap::values).sum();
        let entries = |findings: Findings| {
            findings.into_iter().map(|(Finding { code, about }, count)| AcceptedFinding { code, about, count }).collect()
        };
        let findings = all.into_iter().map(|(path, findings)| (path, entries(findings))).collect();
        let mut text = serde_json::to_string_pretty(&File { schema_version: SCHEMA_VERSION, findings })?;
        text.push('\n');
        let written = put(writer, &self.path, (Role::Baseline, NewMode::Plain), text.as_bytes());
        written.map_err(|error| io::Error::other(format!("{} can't be written: {error}", self.path.display())))?;
        Ok(Some(count))
    }

    /// The path of a config relative to the folder of the baseline, so that the project can be moved.
    fn name(&self, file: &Path) -> String {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let shown = file.strip_prefix(folder).unwrap_or(file);
        shown.to_string_lossy().replace('\\', "/")
    }
}

impl Finding {
    fn of(diagnostic: &Diagnostic) -> Self {
        let about = diagnostic.key.clone().unwrap_or_else(|| diagnostic.message.clone());
        Self { code: diagnostic.code.code.to_owned(), about }
    }
}
