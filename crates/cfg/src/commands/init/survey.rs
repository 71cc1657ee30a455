//! What is in the folder before anything is written: the configs with their findings, what states a prime-rl, folders of other projects.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cfg_project::{Foreign, LeftOut, Projects, may_be_config};
use cfg_system::{Overlay, SearchOptions, System};
use serde_json::Value;

use crate::{
    args::{Check, Format},
    commands::check::{run_check, subject::Subject},
    context::Context,
};

/// The maximum number of places that are named.
const MAX_NAMED: usize = 6;

/// Files that may state the prime-rl of the folder that they are in.
const MAY_STATE: [&str; 6] = ["pyproject.toml", "uv.lock", "cfg.toml", ".gitmodules", "requirements.txt", "setup.py"];

/// The result of `cfg check`.
pub(super) struct Checked {
    /// What is found in each config: its verdict, its target, and the codes of its errors and warnings.
    configs: BTreeMap<String, Found>,
    /// Its last line for people: `Found 3 errors in 2 of 63 files, for prime-rl 0.6.0`.
    sentence: String,
    has_errors: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    verdict: String,
    target: String,
    /// Whether nothing states the target: it is inferred from the keys, or assumed for the day of the config.
    is_guessed: bool,
    codes: Vec<String>,
}

/// What is in a folder.
pub(super) struct Survey {
    /// What states a prime-rl in the folder or below. Not which one, because that changes with each upgrade.
    pub(super) stated: Vec<String>,
    /// Folders with the files of other projects.
    pub(super) foreign: BTreeSet<Foreign>,
    pub(super) checked: Checked,
}

impl Survey {
    pub(super) fn of(cx: &Context) -> Self {
        let projects = cx.projects();
        let named = [PathBuf::from(".")];
        let wanted = |path: &Path| may_be_config(path) || states(path);
        let found = cx.system.search(&[Path::new(".")], SearchOptions::default(), &wanted);
        let (mut folders, mut foreign) = (BTreeSet::from([PathBuf::from(".")]), BTreeSet::new());
        for path in found.into_iter().flatten() {
            match projects.left_out(&path, &named) {
                Some(LeftOut::Foreign(other)) => drop(foreign.insert(other)),
                Some(LeftOut::BySettings) => {}
                None => folders.extend(path.parent().map(Path::to_owned)),
            }
        }
        Self { stated: stated(cx, &projects, &folders), foreign, checked: Checked::of(cx, None) }
    }
}

fn states(path: &Path) -> bool {
    path.file_name().is_some_and(|name| MAY_STATE.iter().any(|known| name == *known))
}

/// What states a prime-rl in one of the folders.
fn stated(cx: &Context, projects: &Projects, folders: &BTreeSet<PathBuf>) -> Vec<String> {
    let here = cx.host().folder();
    let mut all = Vec::new();
    for folder in folders {
        let words = match projects.target(&folder.join("rl.toml")).as_deref() {
            Some(Ok(found)) => found.source.describe(here),
            Some(Err(problem)) => format!("{}, which cfg does not know: it needs a `target`", problem.source.describe(here)),
            None => continue,
        };
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all
}

impl Checked {
    /// The result of `cfg check` in this folder, with `settings` as the text of its `cfg.toml`.
    pub(super) fn of(cx: &Context, settings: Option<&str>) -> Self {
        let mut cx = cx.without_target();
        cx.common.quiet = true;
        if let Some(text) = settings {
            let path = cx.system.absolute(Path::new("cfg.toml"));
            let system: Arc<dyn System> = Arc::new(Overlay::with(Arc::clone(&cx.system), &path, text.as_bytes()));
            cx = cx.on(&system);
        }
        let report = serde_json::from_slice(&report(&cx, Format::Json)).unwrap_or(Value::Null);
        let configs = report["files"].as_array().into_iter().flatten().filter_map(Found::read).collect();
        let text = String::from_utf8_lossy(&self::report(&cx, Format::Concise)).into_owned();
        let sentence = text.lines().rev().find(|line| line.starts_with("Found ")).unwrap_or_default().to_owned();
        Self { configs, sentence, has_errors: report["summary"]["errors"].as_u64().unwrap_or(0) > 0 }
    }

    /// Whether the findings in each config are the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let same = |one: &Found, other: &Found| one.verdict == other.verdict && one.codes == other.codes;
        self.agrees(other, same)
    }

    /// Whether prime-rl's answer to each config and its errors are the same, and each config keeps its prime-rl.
    pub(super) fn has_same_errors(&self, other: &Self) -> bool {
        let errors =
            |found: &Found| -> Vec<String> { found.codes.iter().filter(|code| code.starts_with("error")).cloned().collect() };
        self.agrees(other, |one, other| {
            one.verdict == other.verdict && errors(one) == errors(other) && one.target == other.target
        })
    }

    fn agrees(&self, other: &Self, same: impl Fn(&Found, &Found) -> bool) -> bool {
        let mut pairs = self.configs.iter().zip(&other.configs);
        self.configs.len() == other.configs.len()
            && pairs.all(|((path, one), (other_path, other))| path == other_path && same(one, other))
    }

    /// Whether there are configs whose prime-rl nothing states.
    pub(super) fn has_guessed(&self) -> bool {
        self.configs.values().any(|found| found.is_guessed)
    }

    /// Whether there are configs, and all are for programs whose version no setting decides: hosted training, or verifiers' own evaluations.
    pub(super) fn need_no_target(&self) -> bool {
        self.has_configs() && !self.has_guessed()
    }

    /// The prime-rl of all configs for which nothing states one, if that is the same one.
    pub(super) fn common_target(&self) -> Option<&str> {
        let guessed = self.configs.values().filter(|found| found.is_guessed);
        let mut targets = guessed.map(|found| &*found.target).filter(|target| !target.is_empty());
        let first = targets.next()?;
        targets.all(|target| target == first).then_some(first)
    }

    pub(super) fn has_configs(&self) -> bool {
        !self.configs.is_empty()
    }

    /// Whether there are errors or warnings.
    pub(super) fn has_findings(&self) -> bool {
        self.configs.values().any(|found| !found.codes.is_empty())
    }

    pub(super) const fn has_errors(&self) -> bool {
        self.has_errors
    }

    pub(super) fn in_words(&self) -> &str {
        &self.sentence
    }
}

/// The report of `cfg check` in this folder.
fn report(cx: &Context, format: Format) -> Vec<u8> {
    let out = Arc::new(Mutex::new(Vec::new()));
    let mut cx = cx.clone();
    cx.common.format = format;
    let check = Check { paths: vec![PathBuf::from(".")], ..Check::default() };
    let subject = Subject { out: Some(Arc::clone(&out)), ..Subject::of(&cx, &check) };
    // What can't be read is in the report.
    let _ = run_check(&cx, &check, subject);
    std::mem::take(&mut *out.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Found {
    /// A config of a report; `None` for another file.
    fn read(file: &Value) -> Option<(String, Self)> {
        file["kind"].as_str()?;
        let code = |found: &Value| Some(format!("{} {}", found["severity"].as_str()?, found["code"].as_str()?));
        let found = file["diagnostics"].as_array().into_iter().flatten();
        let mut codes: Vec<String> = found.filter(|found| found["severity"] != "info").filter_map(code).collect();
        codes.sort();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let found = Self {
            verdict: text(&file["verdict"]),
            target: text(&file["target"]),
            is_guessed: ["assumed", "inferred", "newer"].iter().any(|how| file["identity"]["certainty"] == *how),
            codes,
        };
        Some((text(&file["path"]), found))
    }
}

/// The first few of several words, with commas between them.
pub(super) fn listed(words: &[String]) -> String {
    let more = words.len().saturating_sub(MAX_NAMED);
    let mut text = words.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    cfg_diag::one_line(&text).into_owned()
}
