//! The accepted findings of a check: `--baseline FILE`, or the setting `baseline`.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use cfg_check::Session;
use cfg_diag::{Diagnostic, Severity, one_line};
use cfg_project::{Baseline, BaselineTexts, Covered, Lint, Projects};
use cfg_report::count;
use cfg_system::{Admission, NewMode, Role, System};

use crate::{
    Outcome,
    args::{Check, Deny},
    context::Context,
    control::Control,
    write::put,
};

/// The maximum number of stale entries that are named.
const MAX_NAMED: usize = 3;

/// The baselines of a check.
pub(crate) struct Baselines {
    /// That of the command line; then those of the settings are not used.
    stated: Option<Arc<Baseline>>,
    /// Whether none are used.
    is_off: bool,
    /// The lowest severity of findings that are shown: nobody accepts what nobody sees.
    shown: Severity,
    /// Those that are to be written, by path; an error for one that can't be.
    updated: Option<Mutex<Updated>>,
}

type Updated = BTreeMap<PathBuf, Result<Arc<Baseline>, String>>;

/// What the baselines add to the end of a check.
pub(crate) struct Ending {
    /// Lines about the new baselines, for the beginning of the last lines.
    pub(crate) written: String,
    /// Lines about stale entries, for the end.
    pub(crate) stale: String,
    pub(crate) outcome: Outcome,
}

/// What a check has covered.
#[derive(Default)]
pub(crate) struct Run {
    /// The paths in which files were searched for, or that were named.
    pub(crate) named: Vec<PathBuf>,
    /// The checked files.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Whether nothing but the selection of the command line, and the settings, left out files and findings.
    pub(crate) is_whole: bool,
}

impl Baselines {
    /// Reads the baseline of the command line. If it is to be updated, the file need not exist.
    pub(crate) fn open(cx: &Context, control: &Control) -> Result<Self, String> {
        let system = &*cx.system;
        let stated = control.baseline.as_deref().map(|path| read(system, path, control.update_baseline)).transpose()?;
        let updated = control.update_baseline.then(|| {
            let stated = stated.iter().map(|baseline| (baseline.path().to_owned(), Ok(Arc::clone(baseline))));
            Mutex::new(stated.collect())
        });
        Ok(Self { stated, is_off: control.no_baseline, shown: control.shown(), updated })
    }

    /// Removes the accepted findings of a report, and returns how many these are; or all of its findings that are shown, if these become the new baseline.
    pub(crate) fn hide(&self, projects: &Projects, texts: BaselineTexts<'_>, diagnostics: &mut Vec<Diagnostic>) -> usize {
        if self.updated.is_none() {
            let baseline = self.used(projects, texts.reported);
            return baseline.map_or(0, |baseline| baseline.hide(&**projects.system(), texts, diagnostics));
        }
        if let Some(baseline) = self.to_update(projects, texts.reported) {
            let hidden: Vec<Diagnostic> = diagnostics.extract_if(.., |found| found.severity < self.shown).collect();
            baseline.collect(&**projects.system(), texts, diagnostics);
            diagnostics.extend(hidden);
        }
        0
    }

    /// Removes the accepted findings of a text that is only tried, such as one with a fix.
    pub(crate) fn hide_in_trial(&self, projects: &Projects, texts: BaselineTexts<'_>, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(baseline) = self.used(projects, texts.reported).filter(|_| self.updated.is_none()) {
            baseline.hide_in_trial(&**projects.system(), texts, diagnostics);
        }
    }

    fn used(&self, projects: &Projects, file: &Path) -> Option<Arc<Baseline>> {
        self.stated.clone().or_else(|| if self.is_off { None } else { projects.baseline(file) })
    }

    /// The baseline for a file that is to be written.
    fn to_update(&self, projects: &Projects, file: &Path) -> Option<Arc<Baseline>> {
        if self.stated.is_some() {
            return self.stated.clone();
        }
        let path = projects.baseline_path(file)?;
        let mut updated = self.updated.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let system = &**projects.system();
        let baseline = updated.entry(path.clone()).or_insert_with(|| {
            system.admit(&path, Admission::Output);
            read(system, &path, true)
        });
        baseline.as_ref().ok().cloned()
    }

    /// Writes the new baselines, or else names stale entries, after a check with this outcome.
    pub(crate) fn end(
        &self,
        cx: &Context,
        session: &Session,
        check: &Check,
        is_for_people: bool,
        run: &Run,
        so_far: Outcome,
    ) -> Ending {
        let mut ending = Ending { written: String::new(), stale: String::new(), outcome: Outcome::Clean };
        match self.write(cx, &check.control, run) {
            Ok(lines) => ending.written = lines,
            Err(why) => {
                cx.complain(&why);
                ending.outcome = Outcome::Failed;
            }
        }
        let stale = if so_far == Outcome::Failed { Vec::new() } else { self.stale(session, &check.control, run) };
        let is_denied = check.deny.contains(&Deny::Stale) && !stale.is_empty();
        for line in stale {
            if is_denied && (!is_for_people || cx.common.quiet) {
                cx.complain(&line);
            }
            ending.stale.push('\n');
            ending.stale.push_str(&line);
        }
        if is_denied && ending.outcome == Outcome::Clean {
            ending.outcome = Outcome::Found;
        }
        ending
    }

    /// What is accepted and does not occur any more, in words for the end of a report: a line for each baseline.
    fn stale(&self, session: &Session, control: &Control, run: &Run) -> Vec<String> {
        if self.updated.is_some() {
            return Vec::new();
        }
        let system = &**session.projects().system();
        let used = self.stated.clone().map_or_else(|| session.projects().baselines(), |stated| vec![stated]);
        let line = |baseline: Arc<Baseline>| {
            let stale = covered(system, control, run, |covered| baseline.stale(covered));
            let all = count(stale.len(), "finding");
            let (verb, them) = if stale.len() == 1 { ("occurs", "it") } else { ("occur", "them") };
            let name = |(file, what): &(PathBuf, String)| one_line(&format!("{}: {what}", system.shown(file))).into_owned();
            let mut named = stale.iter().take(MAX_NAMED).map(name).collect::<Vec<_>>().join(", ");
            if stale.len() > MAX_NAMED {
                named.push_str(&format!(" and {} more", stale.len() - MAX_NAMED));
            }
            let path = one_line(&system.shown(baseline.path())).into_owned();
            (!stale.is_empty()).then(|| format!("{all} in {path} no longer {verb} ({named}); `--update-baseline` removes {them}"))
        };
        used.into_iter().filter_map(line).collect()
    }

    /// Writes the new baselines, if they are to be written. Returns lines that say what was accepted.
    fn write(&self, cx: &Context, control: &Control, run: &Run) -> Result<String, String> {
        let Some(updated) = &self.updated else { return Ok(String::new()) };
        let updated = updated.lock().unwrap_or_else(PoisonError::into_inner);
        if updated.is_empty() {
            let help = "name a file with `--baseline FILE`, or write `baseline = \"FILE\"` into cfg.toml";
            return Err(format!("these configs have no baseline to update; {help}"));
        }
        let mut lines = String::new();
        for baseline in updated.values() {
            let baseline = baseline.as_ref().map_err(Clone::clone)?;
            let (text, known) = covered(&*cx.system, control, run, |covered| baseline.updated(covered));
            let path = baseline.path();
            let made = match path.parent() {
                Some(folder) if !cx.system.is_there(folder) => {
                    cx.writer.may_write(path).and_then(|()| cx.writer.create_folder(folder))
                }
                _ => Ok(()),
            };
            made.and_then(|()| put(&*cx.writer, path, Role::Baseline, NewMode::Plain, text.as_bytes()))
                .map_err(|error| format!("{} can't be written: {error}", path.display()))?;
            let named = if updated.len() > 1 { format!(" {}", cx.system.shown(path)) } else { String::new() };
            lines.push_str(&format!("{} in the baseline{named}\n", count(known, "finding")));
        }
        Ok(lines)
    }
}

fn read(system: &dyn System, path: &Path, is_updated: bool) -> Result<Arc<Baseline>, String> {
    match system.read(path, Role::Baseline) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_updated => Ok(Arc::new(Baseline::new(system, path))),
        _ => match Baseline::read(system, path) {
            Ok(baseline) => Ok(Arc::new(baseline)),
            Err(why) => Err(format!("invalid baseline {}: {why}", path.display())),
        },
    }
}

/// Calls `with` with what a run has covered.
fn covered<T>(system: &dyn System, control: &Control, run: &Run, with: impl FnOnce(&Covered<'_>) -> T) -> T {
    let absolute = |path: &PathBuf| cfg_system::tidy(&system.plain(path));
    let folders: Vec<PathBuf> = run.named.iter().filter(|path| system.is_folder(path)).map(absolute).collect();
    let files = run.files.iter().map(absolute).collect();
    let selected = Lint::default().with_command_line(&control.select, &control.ignore);
    let reports = |code: &str| {
        let is_all = control.select.is_empty() && control.ignore.is_empty();
        let wanted = |code| selected.severity(code, Severity::Error, Path::new("")).is_some();
        is_all || cfg_diag::codes::find(code).is_some_and(wanted)
    };
    with(&Covered { folders: &folders, files: &files, reports: &reports, is_whole: run.is_whole })
}
