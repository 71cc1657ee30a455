//! Findings that are reported once for several files: files that are written for another prime-rl than the assumed one, files that are not
//! registered, and files in a format that hosted training no longer accepts.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
};

use cfg_check::{Checked, Request};
use cfg_diag::{Code, Diagnostic, FileId, Severity, Verdict, codes};
use cfg_report::{FileReport, Rendered, Sources, Stream};
use cfg_schema::{History, Kind, Target};

use super::Job;

/// The number of files that another release must accept for the project to be considered written for that release, even if no file states so.
const ENOUGH: usize = 4;

/// The maximum number of files of a project that are checked with other releases.
const MOST_TRIED: usize = 64;

/// The maximum number of file names in a message; the others are counted.
const MOST_NAMED: usize = 3;

/// Findings that are reported after all files have been checked.
#[derive(Default)]
pub(super) struct Gathered {
    /// Files that are written for another prime-rl, by repository.
    strange: BTreeMap<PathBuf, Vec<Strange>>,
    /// Files that are not registered, by folder.
    unregistered: BTreeMap<PathBuf, Vec<(PathBuf, Diagnostic)>>,
    /// Files in a format that hosted training no longer accepts, by repository.
    retired: BTreeMap<PathBuf, Vec<(PathBuf, Diagnostic)>>,
    /// The number of files that were checked as part of a launch that names them.
    pub(super) launched: usize,
}

/// A file that the assumed prime-rl refuses because of keys that another prime-rl has, or may have.
pub(super) struct Strange {
    path: PathBuf,
    text: String,
    kind: Option<Kind>,
    /// The prime-rl that suits the file better, if the file alone determines it.
    better: Option<String>,
    /// Whether the file alone shows that it is written for another prime-rl.
    says_so: bool,
    diagnostics: Vec<Diagnostic>,
    rendered: Option<Rendered>,
}

/// A finding of a file that is reported after all files.
#[derive(Default)]
pub(super) struct Late {
    strange: Option<Strange>,
    unregistered: Option<Diagnostic>,
    retired: Option<Diagnostic>,
}

impl Job<'_> {
    /// Removes findings that are reported for several files together, if the report is for people and the file was found in a folder.
    pub(super) fn put_off(&self, path: &Path, is_explicit: bool, text: &str, checked: &mut Checked) -> Late {
        if is_explicit || !self.is_for_people {
            return Late::default();
        }
        let mut take = |code: Code| {
            let at = checked.diagnostics.iter().position(|found| found.code == code);
            at.map(|at| checked.diagnostics.remove(at))
        };
        let unregistered = take(&codes::UNREGISTERED_CONFIG);
        let retired = take(&codes::RETIRED_HOSTED_FORM);
        let by_time = [&codes::REMOVED_KEY, &codes::FUTURE_KEY, &codes::UNKNOWN_KEY, &codes::MISPLACED_KEY];
        let says_so = checked.better_target.is_some();
        let is_strange =
            says_so || checked.diagnostics.iter().any(|found| found.native.is_some() && by_time.contains(&found.code));
        let is_open = checked.is_assumed() && self.target.is_none();
        let strange = (is_open && is_strange).then(|| Strange {
            path: path.to_owned(),
            text: text.to_owned(),
            kind: checked.kind,
            better: checked.better_target.clone(),
            says_so,
            diagnostics: checked.diagnostics.clone(),
            rendered: None,
        });
        Late { strange, unregistered, retired }
    }

    /// Reports the findings that were collected. Returns the number of files that were checked as part of a launch that names them.
    pub(super) fn gathered<W: Write>(&self, gathered: Gathered, stream: &mut Stream<W>) -> io::Result<usize> {
        for (root, files) in gathered.strange {
            self.strange(&root, files, stream)?;
        }
        for (folder, mut files) in gathered.unregistered {
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            let (path, diagnostic) = if files.len() == 1 {
                files.remove(0)
            } else {
                let names = named(files.iter().map(|(path, _)| path.as_path()));
                let message = format!("{} configs are not registered, but others in their folder are: {names}", files.len());
                let help = "run `cfg registry adopt` to register all of them, with their git history";
                (folder, Diagnostic::new(&codes::UNREGISTERED_CONFIG, message).help(help))
            };
            self.tell(&path, Verdict::Ok, &[diagnostic], stream)?;
        }
        for (root, mut files) in gathered.retired {
            let (path, diagnostic) = if files.len() == 1 {
                files.remove(0)
            } else {
                let names = named(files.iter().map(|(path, _)| path.as_path()));
                let message = format!(
                    "{} configs are for shared LoRA training, which no longer accepts new runs: \
                    {names}",
                    files.len()
                );
                let mut all = Diagnostic::new(&codes::RETIRED_HOSTED_FORM, message);
                if let Some((_, first)) = files.first() {
                    (all.severity, all.help) = (first.severity, first.help.clone());
                }
                (PathBuf::from(self.cx.system.shown(&root)), all)
            };
            self.tell(&path, Verdict::Rejected, &[Diagnostic { location: None, ..diagnostic }], stream)?;
        }
        Ok(gathered.launched)
    }

    fn strange<W: Write>(&self, root: &Path, mut files: Vec<Strange>, stream: &mut Stream<W>) -> io::Result<()> {
        let mut found = Vec::new();
        // Each iteration removes the files that belong to one release.
        while let Some((release, accepted)) = self.release_of(&files) {
            let says_so = accepted.iter().any(|&index| files[index].says_so);
            if accepted.len() < if says_so { 2 } else { ENOUGH } {
                break;
            }
            let (mut theirs, mut rest) = (Vec::new(), Vec::new());
            for (index, file) in files.into_iter().enumerate() {
                if accepted.contains(&index) { theirs.push(file) } else { rest.push(file) }
            }
            files = rest;
            found.push((release.to_string(), theirs));
        }
        // The remaining files are grouped by the release that suits each of them best.
        let (says_so, rest): (Vec<Strange>, Vec<Strange>) = files.into_iter().partition(|file| file.better.is_some());
        let is_one = found.is_empty() && says_so.len() == 1;
        let (alone, says_so) = if is_one { (says_so, Vec::new()) } else { (Vec::new(), says_so) };
        for mut file in says_so {
            let better = file.better.take().unwrap_or_default();
            match found.iter_mut().find(|(release, _)| *release == better) {
                Some((_, files)) => files.push(file),
                None => found.push((better, vec![file])),
            }
        }
        rest.into_iter().chain(alone).filter_map(|file| file.rendered).try_for_each(|rendered| stream.rendered(&rendered))?;
        let Some((first, _)) = found.iter().max_by_key(|(_, files)| files.len()) else { return Ok(()) };
        let help = format!("state the version you run: `--target {first}`, or `target = \"{first}\"` in cfg.toml");
        let count: usize = found.iter().map(|(_, files)| files.len()).sum();
        let fits = |(release, files): &(String, Vec<Strange>)| {
            format!("{release} fits {}", named(files.iter().map(|file| file.path.as_path())))
        };
        let fits: Vec<String> = found.iter().map(fits).collect();
        let message = format!("{count} configs are written for a different prime-rl than assumed: {}", fits.join("; "));
        let mut diagnostic = Diagnostic::new(&codes::OTHER_TARGET_FITS, message).help(help);
        // A file whose few unknown keys do not put its target in doubt is rejected, as in reports for programs.
        let is_refused = found.iter().flat_map(|(_, files)| files).any(|file| !file.says_so);
        let verdict = if is_refused { Verdict::Rejected } else { Verdict::Depends };
        if is_refused {
            diagnostic.severity = Severity::Error;
        }
        for (index, file) in found.into_iter().flat_map(|(_, files)| files).enumerate() {
            // The finding counts as that of the first file.
            if index > 0 {
                self.tell(&file.path, verdict, &[], stream)?;
            }
            diagnostic.folded.extend(file.diagnostics);
        }
        let root = PathBuf::from(self.cx.system.shown(root));
        self.tell(&root, verdict, &[diagnostic], stream)
    }

    /// The release that accepts the largest number of these files, with the indices of the accepted files; of several releases, the newest.
    fn release_of(&self, files: &[Strange]) -> Option<(Target, Vec<usize>)> {
        let releases = History::built_in().releases().rev().map(Target::from);
        let tried = releases.map(|release| {
            let tried = files.iter().enumerate().take(MOST_TRIED);
            let accepted = tried.filter(|(_, file)| self.is_accepted_by(&release, file)).map(|(index, _)| index).collect();
            (release, accepted)
        });
        tried.reduce(|best: (Target, Vec<usize>), other| if other.1.len() > best.1.len() { other } else { best })
    }

    fn is_accepted_by(&self, release: &Target, file: &Strange) -> bool {
        let request = Request {
            file: FileId(0),
            path: &file.path.to_string_lossy(),
            named: true,
            text: &file.text,
            encoding: Vec::new(),
            kind: file.kind,
            target: Some(release.clone()),
            otherwise: None,
            project: None,
        };
        cfg_check::check(&self.session, request).is_accepted()
    }

    fn tell<W: Write>(
        &self,
        path: &Path,
        verdict: Verdict,
        diagnostics: &[Diagnostic],
        stream: &mut Stream<W>,
    ) -> io::Result<()> {
        let path = path.to_string_lossy();
        let file = FileReport { verdict, repeated: self.repeated(&path), ..FileReport::about(&path, diagnostics) };
        stream.rendered(&self.reporter.render(&file, &Sources::new())?)
    }
}

impl Late {
    /// Stores the report of a file that may be reported together with others; otherwise returns it, to be written immediately.
    pub(super) fn keep(&mut self, rendered: Rendered) -> Option<Rendered> {
        match &mut self.strange {
            Some(strange) => {
                strange.rendered = Some(rendered);
                None
            }
            None => Some(rendered),
        }
    }

    /// Adds it to the findings of other files.
    pub(super) fn add_to(self, job: &Job<'_>, path: &Path, gathered: &mut Gathered) {
        if let Some(strange) = self.strange {
            let root = job.session.projects().repository(&strange.path);
            gathered.strange.entry(root).or_default().push(strange);
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

/// The first few names of several files, as text.
fn named<'p>(paths: impl ExactSizeIterator<Item = &'p Path>) -> String {
    let more = paths.len().saturating_sub(MOST_NAMED);
    let names: Vec<String> = paths.take(MOST_NAMED).map(|path| path.display().to_string()).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
