//! The place in the project's checkout of prime-rl at which a process failed, and the keys of the config that its function reads.

use std::path::{Path, PathBuf};

use cfg_check::{Checked, Session};
use cfg_diagnose::{Component, Frame, ImplicatedKey, Sighting};
use cfg_project::TargetSource;
use cfg_report::diagnosis::CodeReport;
use cfg_resolve::View;
use cfg_schema::{FoundField, History, Kind, Point, find_fields, without_variants};
use cfg_system::Role;

use crate::context::Context;

/// Of more keys, only the first are listed.
const MAX_KEYS: usize = 8;

/// No entrypoint has more fields than this.
const MAX_FIELDS: usize = 50_000;

/// Where to look for the code.
pub(in crate::commands) struct Code<'c> {
    pub(in crate::commands) cx: &'c Context,
    pub(in crate::commands) session: &'c Session,
    /// The config of the run; `None` looks around the log.
    pub(in crate::commands) near: Option<&'c Path>,
}

impl Code<'_> {
    /// The code of a sighting in a log; `None` if it is not about prime-rl's code, or there is no checkout.
    pub(super) fn of(&self, seen: &Sighting, log: &Path, config: Option<&Checked>) -> Option<CodeReport> {
        let frame = seen.frame.as_ref()?;
        let near = [self.near, Some(log), Some(Path::new("rl.toml"))];
        let (path, source, history, point) = near.into_iter().flatten().find_map(|near| self.source(near, frame))?;
        let (history, point) = config.map_or((history, point), |config| (config.target.history, config.target.point));
        let kind = config.and_then(|config| config.kind);
        let kind = kind.unwrap_or_else(|| if frame.path.contains("/sft/") { Kind::Sft } else { Kind::Rl });
        let fields = fields(history, kind, point);
        let prefix = match seen.component {
            _ if kind != Kind::Rl => "",
            Component::Orchestrator => "orchestrator.",
            Component::Inference => "inference.",
            _ if frame.path.contains("/orchestrator/") => "orchestrator.",
            _ if frame.path.contains("/inference/") => "inference.",
            _ if frame.path.contains("/trainer/") => "trainer.",
            _ => "",
        };
        let mut reads: Vec<String> = Vec::new();
        for key in frame.names_read(&source).iter().filter_map(|name| key_of(name, &fields, prefix)) {
            if reads.len() < MAX_KEYS && !reads.contains(&key) {
                reads.push(key);
            }
        }
        let function = frame.function.to_string();
        Some(CodeReport { path: path.display().to_string(), line: frame.line, function, reads })
    }

    /// The file of a frame in the checkout that the project around a file uses.
    fn source(&self, near: &Path, frame: &Frame) -> Option<(PathBuf, String, History, Point)> {
        let target = self.session.projects().target(near)?;
        // A fork at a commit that is not known has its code as well; its keys are those of the newest prime-rl.
        let (source, history, point) = match target.as_ref() {
            Ok(detected) => (&detected.source, detected.target.history, detected.target.point),
            Err(problem) => (&problem.source, History::built_in(), History::built_in().newest()),
        };
        let (TargetSource::GitCheckout { path } | TargetSource::GitSubmodule { path }) = source else { return None };
        let file = path.join("src").join(&*frame.path);
        // A traceback can name any path.
        if frame.path.split('/').any(|part| part == "..") {
            return None;
        }
        let bytes = self.cx.system.read(&file, Role::Source).ok()?;
        Some((file, String::from_utf8_lossy(&bytes).into_owned(), history, point))
    }
}

/// The dotted keys of an entrypoint, without the tags of variants.
fn fields(history: History, kind: Kind, point: Point) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<FoundField> = find_fields(history, kind, "");
    while let Some(field) = open.pop() {
        for below in field.fields_at(point) {
            if found.len() < MAX_FIELDS {
                found.push(without_variants(&below.path));
                open.push(below);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The one key that a name in the code can mean.
fn key_of(name: &str, fields: &[String], prefix: &str) -> Option<String> {
    let whole = format!("{prefix}{name}");
    if fields.binary_search(&whole).is_ok() {
        return Some(whole);
    }
    let end = format!(".{name}");
    let depth = |field: &str| field.matches('.').count();
    let own: Vec<&String> = fields.iter().filter(|field| field.starts_with(prefix) && field.ends_with(&end)).collect();
    // `data.seq_len` rather than that of the validation's own data.
    let least = own.iter().map(|field| depth(field)).min()?;
    let mut nearest = own.into_iter().filter(|field| depth(field) == least);
    nearest.next().filter(|_| nearest.next().is_none()).cloned()
}

/// The places of a config at which the keys of a function are written.
pub(super) fn places(code: &CodeReport, checked: &Checked) -> Vec<ImplicatedKey> {
    let Some((kind, resolved)) = checked.kind.zip(checked.resolved.as_ref()) else { return Vec::new() };
    let view = View::new(checked.target.schema(kind), resolved);
    let place = |key: &String| {
        let location = view.location(key)?;
        let message = format!("the code that failed reads `{key}`");
        Some(ImplicatedKey { location, key: Some(key.clone()), message, code: None })
    };
    code.reads.iter().filter_map(place).collect()
}
