//! Findings that are reported once for several files: files whose keys show another prime-rl than the assumed one, files that are not
//! registered, and files in a format that hosted training no longer accepts.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{Certainty, Checked, name_of_range};
use cfg_diag::{Code, Diagnostic, Verdict, codes};
use cfg_report::{FileReport, Sources, Stream};
use cfg_schema::{Commit, Point};

use super::{Job, open::Open};

/// The maximum number of file names in a message; the others are counted.
const MAX_NAMED: usize = 3;

/// Findings that are reported after all files have been checked.
#[derive(Default)]
pub(super) struct Gathered {
    /// Files whose keys show another prime-rl than the assumed one, by repository.
    inferred: BTreeMap<PathBuf, Vec<OfOtherTarget>>,
    /// Files that are not registered, by folder.
    unregistered: BTreeMap<PathBuf, Vec<(PathBuf, Diagnostic)>>,
    /// Files in a format that hosted training no longer accepts, by repository.
    retired: BTreeMap<PathBuf, Vec<(PathBuf, Diagnostic)>>,
    /// The files of these that have been counted among those with findings.
    counted: BTreeSet<PathBuf>,
    /// What is open after the check.
    pub(super) open: Open,
}

/// A file whose keys show another prime-rl than the assumed one.
pub(super) struct OfOtherTarget {
    path: PathBuf,
    /// The inferred prime-rl.
    target: String,
    /// The point of its schema.
    point: Point,
    /// The prime-rl that would have been assumed.
    instead_of: String,
    /// The first and the last point that accept it; `None` if none does.
    accepting: Option<(Point, Point)>,
    finding: Diagnostic,
    verdict: Verdict,
}

/// A finding of a file that is reported after all files.
#[derive(Default)]
pub(super) struct Late {
    inferred: Option<OfOtherTarget>,
    unregistered: Option<Diagnostic>,
    retired: Option<Diagnostic>,
}

impl Job<'_> {
    /// Removes findings that are reported for several files together, if the report is for people and the file was found in a folder.
    pub(super) fn defer_shared(&self, path: &Path, is_explicit: bool, checked: &mut Checked) -> Late {
        if is_explicit || !self.is_for_people {
            return Late::default();
        }
        let unregistered = take(checked, &codes::UNREGISTERED_CONFIG);
        let retired = take(checked, &codes::RETIRED_HOSTED_FORM);
        let inferred = match &checked.certainty {
            Certainty::Inferred(inference) if checked.is_for_another() => Some(Arc::clone(inference)),
            _ => None,
        };
        let inferred = inferred.and_then(|inference| {
            let finding = take(checked, &codes::OTHER_TARGET_FITS)?;
            Some(OfOtherTarget {
                path: path.to_owned(),
                target: checked.target.name.clone(),
                point: checked.target.point,
                instead_of: inference.instead_of.clone(),
                accepting: inference.is_accepted.then_some(inference.accepting),
                finding,
                verdict: checked.verdict,
            })
        });
        Late { inferred, unregistered, retired }
    }

    /// Reports the findings that were collected. Returns what is open.
    pub(super) fn gathered<W: Write>(&self, gathered: Gathered, stream: &mut Stream<W>) -> io::Result<Open> {
        let mut counted = gathered.counted;
        for (root, files) in gathered.inferred {
            self.inferred(&root, &files, &mut counted, stream)?;
        }
        for (folder, files) in gathered.unregistered {
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            if let [(path, diagnostic)] = files.as_slice() {
                self.tell_of_one(path, Verdict::Ok, diagnostic, &mut counted, stream)?;
                continue;
            }
            let names = named(files.iter().map(|(path, _)| path.as_path()));
            let message = format!("{} configs are not registered, but others in their folder are: {names}", files.len());
            let help = "run `cfg registry adopt` to register all of them, with their git history";
            let all = Diagnostic::new(&codes::UNREGISTERED_CONFIG, message).help(help);
            self.tell(&folder, Verdict::Ok, &[all], stream)?;
        }
        for (root, files) in gathered.retired {
            if let [(path, diagnostic)] = files.as_slice() {
                let diagnostic = Diagnostic { location: None, ..diagnostic.clone() };
                self.tell_of_one(path, Verdict::Rejected, &diagnostic, &mut counted, stream)?;
                continue;
            }
            let names = named(files.iter().map(|(path, _)| path.as_path()));
            let message =
                format!("{} configs are for shared LoRA training, which no longer accepts new runs: {names}", files.len());
            let mut all = Diagnostic::new(&codes::RETIRED_HOSTED_FORM, message);
            if let Some((_, first)) = files.first() {
                (all.severity, all.help) = (first.severity, first.help.clone());
            }
            self.tell(Path::new(&self.cx.system.shown(&root)), Verdict::Rejected, &[all], stream)?;
        }
        Ok(gathered.open)
    }

    /// Reports once per repository for which prime-rl its files were judged.
    fn inferred<W: Write>(
        &self,
        root: &Path,
        files: &[OfOtherTarget],
        counted: &mut BTreeSet<PathBuf>,
        stream: &mut Stream<W>,
    ) -> io::Result<()> {
        if let [OfOtherTarget { path, finding, verdict, .. }] = files {
            return self.tell_of_one(path, *verdict, finding, counted, stream);
        }
        let mut by_target: Vec<(&str, Vec<&Path>)> = Vec::new();
        for file in files {
            match by_target.iter_mut().find(|(target, _)| *target == file.target) {
                Some((_, paths)) => paths.push(&file.path),
                None => by_target.push((&file.target, vec![&file.path])),
            }
        }
        let judged: Vec<String> =
            by_target.iter().map(|(target, paths)| format!("{target} for {}", named(paths.iter().copied()))).collect();
        let instead = &files[0].instead_of;
        let message = format!(
            "{} configs state no prime-rl, and were checked for one that knows more of their keys than {instead}: {}",
            files.len(),
            judged.join("; ")
        );
        let help = format!("{}; `--target {instead}` checks them for {instead}", self.how_to_state(files, &by_target));
        let root = PathBuf::from(self.cx.system.shown(root));
        let mut all = Diagnostic::new(&codes::OTHER_TARGET_FITS, message).help(help);
        all.severity = files.iter().map(|file| file.finding.severity).max().unwrap_or(all.severity);
        self.tell(&root, Verdict::Depends, &[all], stream)
    }

    /// How to state the prime-rl of several files, which were judged for these targets.
    fn how_to_state(&self, files: &[OfOtherTarget], by_target: &[(&str, Vec<&Path>)]) -> String {
        let history = self.session.history;
        let accepting: Option<Vec<(Point, Point)>> = files.iter().map(|file| file.accepting).collect();
        let of_all = accepting.and_then(|all| {
            let range = all.into_iter().reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)))?;
            let is_within = |point: Point| (range.0..=range.1).contains(&point);
            let release =
                history.releases().rev().find(|release| is_within(release.point())).map(|release| release.name().to_owned());
            let of_file = || files.iter().find(|file| is_within(file.point)).map(|file| file.target.clone());
            // The schemas between two releases can be all that several files have in common. An empty range has none of these.
            let of_commit = || history.commit_of(range.1).filter(|_| range.0 <= range.1).map(Commit::short_sha);
            Some((range, release.or_else(of_file).or_else(of_commit)?))
        });
        let (name, such) = match (of_all, by_target) {
            (None, [(only, _)]) => ((*only).to_owned(), ":".to_owned()),
            (Some((range, name)), _) => {
                let all = name_of_range(history, range);
                let is_one = range.0 == range.1 || all == name;
                let such = if is_one { ":".to_owned() } else { format!(", one of {all}, such as") };
                (name, such)
            }
            (None, _) => {
                let each: Vec<String> = by_target
                    .iter()
                    .take(MAX_NAMED)
                    .map(|(target, paths)| format!("`prime_rl = \"{target}\"` in that of {}", named(paths.iter().copied())))
                    .collect();
                return format!(
                    "no version accepts all of them: state each config's own in its metadata block, {}",
                    each.join(", ")
                );
            }
        };
        format!("state the version that you run{such} `--target {name}`, or `target = \"{name}\"` in cfg.toml")
    }

    /// Reports a finding of one file, which is counted with it unless it has been before.
    fn tell_of_one<W: Write>(
        &self,
        path: &Path,
        verdict: Verdict,
        diagnostic: &Diagnostic,
        counted: &mut BTreeSet<PathBuf>,
        stream: &mut Stream<W>,
    ) -> io::Result<()> {
        if diagnostic.severity >= self.shown() && counted.insert(path.to_owned()) {
            stream.count_file_with_findings();
        }
        self.tell(path, verdict, std::slice::from_ref(diagnostic), stream)
    }

    fn tell<W: Write>(
        &self,
        path: &Path,
        verdict: Verdict,
        diagnostics: &[Diagnostic],
        stream: &mut Stream<W>,
    ) -> io::Result<()> {
        let path = path.to_string_lossy();
        let file =
            FileReport { verdict, repeated: self.repeated(&path), is_common: true, ..FileReport::about(&path, diagnostics) };
        stream.rendered(&self.reporter.render(&file, &Sources::new())?)
    }
}

impl Late {
    /// Adds it to the findings of other files; `is_counted` is whether the file is among those with findings.
    pub(super) fn add_to(self, job: &Job<'_>, path: &Path, is_counted: bool, gathered: &mut Gathered) {
        if is_counted {
            gathered.counted.insert(path.to_owned());
        }
        if let Some(inferred) = self.inferred {
            let root = job.session.projects().repository(path);
            gathered.inferred.entry(root).or_default().push(inferred);
        }
        if let Some(diagnostic) = self.retired {
            let root = job.session.projects().repository(path);
            gathered.retired.entry(root).or_default().push((path.to_owned(), diagnostic));
        }
        if let Some(diagnostic) = self.unregistered {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            gathered.unregistered.entry(folder).or_default().push((path.to_owned(), diagnostic));
        }
    }
}

/// Removes the finding with a code.
fn take(checked: &mut Checked, code: Code) -> Option<Diagnostic> {
    let at = checked.diagnostics.iter().position(|found| found.code == code)?;
    Some(checked.diagnostics.remove(at))
}

/// The first few names of several files, as text.
fn named<'p>(paths: impl ExactSizeIterator<Item = &'p Path>) -> String {
    let more = paths.len().saturating_sub(MAX_NAMED);
    let names: Vec<String> = paths.take(MAX_NAMED).map(|path| path.display().to_string()).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
