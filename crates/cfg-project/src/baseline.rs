//! The accepted findings of a project: the file of the setting `baseline`, or of `--baseline`.
//!
//! A finding is identified by the file in which it is, its code and key, the text of its line, and its severity. Lines that are added elsewhere do not
//! change it. An accepted finding hides one of its own severity or a lower one: an accepted info does not hide a warning at the same place. Of several
//! equal findings in a report, as many are hidden as the baseline has.

mod file;
mod moved;
mod setting;
mod unused;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use cfg_diag::{Diagnostic, FileId, LineColumn, LineIndex, PositionEncoding, Severity, codes};
use cfg_system::{Role, System, relative, tidy};

use moved::Moved;
use unused::Unused;

/// The accepted findings of a file, and which of them have occurred.
#[derive(Debug)]
pub struct Baseline {
    /// The absolute path of the file.
    path: PathBuf,
    accepted: BTreeMap<String, Counts>,
    /// The accepted findings that have occurred, by the file under which they are accepted.
    occurred: Mutex<BTreeMap<String, Counts>>,
    /// All findings, by file, for a new baseline.
    found: Mutex<BTreeMap<String, Counts>>,
    moved: OnceLock<Moved>,
    /// The new names of renamed files, by their former ones.
    renamed: Mutex<BTreeMap<String, String>>,
    /// The files of configs that prime-rl refuses: what it checks after their keys, and what rules find, may not show. Those that are no TOML show
    /// nothing for certain.
    refused: Mutex<BTreeMap<String, Refusal>>,
}

/// The first codes of prime-rl's checks of several keys, and of rules.
const OF_CHECKS: &str = "PRL200";
const OF_RULES: &str = "PRL300";

/// Why accepted findings of a file may not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    /// By checks of several keys: what rules find may not show.
    Checks,
    /// For a key or a value, so that those checks may not run.
    Values,
    /// It is no TOML.
    Syntax,
}

/// The number of occurrences of each finding of a file.
type Counts = BTreeMap<Finding, usize>;

/// What identifies a finding in a file. A baseline of an earlier format has neither lines nor severities.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Finding {
    code: String,
    /// The key. Without one: empty for a finding with a line, else the message.
    about: String,
    /// A hash of the text of the line.
    line: Option<u64>,
    severity: Option<Severity>,
}

/// The texts to which the findings of a report refer.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The path of the file that is reported, for findings without a place.
    pub reported: &'a Path,
    /// The path and the text of a file.
    pub get: &'a dyn Fn(FileId) -> Option<(&'a str, &'a str)>,
}

/// Which accepted findings a run could have found.
pub struct Covered<'a> {
    /// The folders that were searched, as absolute paths.
    pub folders: &'a [PathBuf],
    /// The files that were checked, as absolute paths.
    pub files: &'a BTreeSet<PathBuf>,
    /// Whether a finding with this code would have been reported.
    pub reports: &'a dyn Fn(&str) -> bool,
    /// Whether all files of the folders were checked, except those that the settings exclude.
    pub is_whole: bool,
}

/// The hashes of lines in the texts of a report.
struct Lines<'a> {
    texts: Texts<'a>,
    indices: HashMap<FileId, LineIndex>,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// Why it can't be used, for a message that names it; a file that is not a baseline is not quoted.
    pub fn read(system: &dyn System, path: &Path) -> Result<Self, String> {
        match system.read(path, Role::Baseline) {
            Ok(bytes) => {
                let mut baseline = Self::new(system, path);
                let folder = baseline.folder().to_owned();
                baseline.accepted = file::parse(&bytes, &folder)?;
                Ok(baseline)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err("no such file; create it with --update-baseline".to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// A baseline without findings.
    pub fn new(system: &dyn System, path: &Path) -> Self {
        Self {
            path: tidy(&system.plain(path)),
            accepted: BTreeMap::new(),
            occurred: Mutex::default(),
            found: Mutex::default(),
            moved: OnceLock::new(),
            renamed: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the accepted findings of a report, and returns how many these are; findings that repeat another one do not count.
    pub fn hide(&self, system: &dyn System, texts: Texts<'_>, diagnostics: &mut Vec<Diagnostic>) -> usize {
        self.note_refused(system, texts, diagnostics);
        let accepted = self.accepted(system, texts, diagnostics);
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        for (file, finding) in accepted.iter().flatten() {
            *counts.entry(file.clone()).or_default().entry(finding.clone()).or_default() += 1;
        }
        merge(&mut self.occurred.lock().unwrap_or_else(PoisonError::into_inner), counts);
        let own = |(found, accepted): (&Diagnostic, &Option<_>)| accepted.is_some() && !found.is_echo;
        let hidden = diagnostics.iter().zip(&accepted).filter(|pair| own(*pair)).count();
        retain(diagnostics, &accepted);
        hidden
    }

    /// Removes the accepted findings of a text that is only tried, such as one with a fix.
    pub fn hide_in_trial(&self, system: &dyn System, texts: Texts<'_>, diagnostics: &mut Vec<Diagnostic>) {
        let accepted = self.accepted(system, texts, diagnostics);
        retain(diagnostics, &accepted);
    }

    /// Removes the findings of a report, and keeps them for a new baseline.
    pub fn collect(&self, system: &dyn System, texts: Texts<'_>, diagnostics: &mut Vec<Diagnostic>) {
        self.note_refused(system, texts, diagnostics);
        let mut lines = Lines { texts, indices: HashMap::new() };
        let place = |found: &Diagnostic| can_be_accepted(found).then(|| self.place(system, found, &mut lines));
        let places: Vec<Option<(String, Finding)>> = diagnostics.iter().map(place).collect();
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        // What repeats another finding is accepted with it.
        let own = diagnostics.iter().zip(&places).filter(|(found, _)| !found.is_echo).filter_map(|(_, place)| place.as_ref());
        for (file, finding) in own {
            if !counts.contains_key(file)
                && let Some(former) = self.name_in_baseline(system, file, &places).filter(|name| name != file)
            {
                self.renamed.lock().unwrap_or_else(PoisonError::into_inner).insert(former.to_owned(), file.clone());
            }
            *counts.entry(file.clone()).or_default().entry(finding.clone()).or_default() += 1;
        }
        retain(diagnostics, &places);
        // A file that is a part of several configs is reported with each of them.
        merge(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner), counts);
    }

    /// Notes the files of a report if prime-rl refuses the config, each under the name that the baseline has for it.
    fn note_refused(&self, system: &dyn System, texts: Texts<'_>, diagnostics: &[Diagnostic]) {
        let is_refused = |found: &&Diagnostic| found.native.is_some() && found.severity == Severity::Error;
        // Codes below 10 are of the text, as is that of an unresolved merge.
        let is_of_text = |found: &Diagnostic| found.code.code < "PRL010" || found.code == &codes::MERGE_CONFLICT;
        let refusal = |found: &Diagnostic| match found.code.code {
            _ if is_of_text(found) => Refusal::Syntax,
            code if code < OF_CHECKS => Refusal::Values,
            _ => Refusal::Checks,
        };
        let Some(refusal) = diagnostics.iter().filter(is_refused).map(refusal).max().filter(|_| !self.accepted.is_empty()) else {
            return;
        };
        let parts = (0..).map_while(|file| (texts.get)(FileId(file)));
        let parts = parts.map(|(path, text)| (Path::new(path), Some(text))).chain([(texts.reported, None)]);
        for (path, text) in parts {
            let own = relative(self.folder(), &tidy(&system.plain(path)));
            let former = text.filter(|_| !self.accepted.contains_key(&own)).and_then(|text| {
                self.moved(system).former_name_by_lines(&own, text.lines().map(|line| hash_of_line(line.as_bytes())))
            });
            if let Some(former) = former {
                self.renamed.lock().unwrap_or_else(PoisonError::into_inner).insert(former.to_owned(), own.clone());
            }
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            let known = refused.entry(former.map_or(own, str::to_owned)).or_insert(refusal);
            *known = refusal.max(*known);
        }
    }

    /// Whether a finding, in a file under its name in the baseline, may not show because prime-rl refuses the config.
    fn is_masked(&self, file: &str, finding: &Finding) -> bool {
        let refusal = self.refused.lock().unwrap_or_else(PoisonError::into_inner).get(file).copied();
        match refusal {
            None => false,
            Some(Refusal::Checks) => &*finding.code >= OF_RULES,
            Some(Refusal::Values) => &*finding.code >= OF_CHECKS,
            Some(Refusal::Syntax) => true,
        }
    }

    fn moved(&self, system: &dyn System) -> &Moved {
        self.moved.get_or_init(|| Moved::new(system, self.folder(), &self.accepted))
    }

    /// The file and the entry that accept each finding.
    fn accepted(&self, system: &dyn System, texts: Texts<'_>, diagnostics: &[Diagnostic]) -> Vec<Option<(String, Finding)>> {
        if self.accepted.is_empty() {
            return vec![None; diagnostics.len()];
        }
        let mut lines = Lines { texts, indices: HashMap::new() };
        let places: Vec<Option<(String, Finding)>> =
            diagnostics.iter().map(|found| can_be_accepted(found).then(|| self.place(system, found, &mut lines))).collect();
        let mut names: HashMap<&str, Option<&str>> = HashMap::new();
        for (file, _) in places.iter().flatten() {
            names.entry(file).or_insert_with(|| self.name_in_baseline(system, file, &places));
        }
        let mut used: HashMap<(&str, Finding), usize> = HashMap::new();
        let mut entry = |place: &(String, Finding), found: &Diagnostic| {
            let name = (*names.get(place.0.as_str())?)?;
            let counts = self.accepted.get(name)?;
            let free = place.1.accepted_by(found).find(|entry| {
                counts.get(entry).is_some_and(|count| used.get(&(name, entry.clone())).copied().unwrap_or(0) < *count)
            })?;
            *used.entry((name, free.clone())).or_default() += 1;
            Some((name.to_owned(), free))
        };
        let mut accepted: Vec<Option<(String, Finding)>> =
            diagnostics.iter().zip(&places).map(|(found, place)| entry(place.as_ref()?, found)).collect();
        if accepted.iter().zip(&places).any(|(accepted, place)| accepted.is_none() && place.is_some()) {
            let mut unused =
                Unused::new(names.values().flatten().filter_map(|name| Some((*name, self.accepted.get(*name)?))), &used);
            for (accepted, place) in accepted.iter_mut().zip(&places).filter(|(accepted, _)| accepted.is_none()) {
                let Some((file, finding)) = place else { continue };
                let Some(name) = names.get(file.as_str()).copied().flatten() else { continue };
                *accepted = unused.take(name, finding).map(|entry| (name.to_owned(), entry));
            }
        }
        accept_echoes(diagnostics, &places, &mut accepted);
        accepted
    }

    /// The name under which the baseline has a file: its own, or the former one of a file that was renamed.
    fn name_in_baseline<'b>(&'b self, system: &dyn System, file: &str, places: &[Option<(String, Finding)>]) -> Option<&'b str> {
        if let Some((name, _)) = self.accepted.get_key_value(file) {
            return Some(name);
        }
        let findings = places.iter().flatten().filter(|(of, _)| of == file).map(|(_, finding)| finding);
        self.moved(system).former_name(file, findings)
    }

    /// The file of a finding as the baseline names it, and what identifies it there.
    fn place(&self, system: &dyn System, found: &Diagnostic, lines: &mut Lines<'_>) -> (String, Finding) {
        let (path, line) = lines.of(found);
        let file = relative(self.folder(), &tidy(&system.plain(path.map_or(lines.texts.reported, Path::new))));
        let about = match (&found.key, line) {
            (Some(key), _) => key.clone(),
            (None, Some(_)) => String::new(),
            (None, None) => found.message.clone(),
        };
        (file, Finding { code: found.code.code.to_owned(), about, line, severity: Some(found.severity) })
    }

    /// The folder of the file, to which the names in it are relative.
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// What becomes of the accepted findings after a run.
impl Baseline {
    /// The accepted findings that no longer occur, as far as the run could have found them: each as the absolute path of its file, its code and its key.
    ///
    /// Only a run over all files of the baseline can tell, because a finding in a file may only show together with another one.
    pub fn stale(&self, covered: &Covered<'_>) -> Vec<(PathBuf, String)> {
        let is_below = |name: &String| covered.has_below(&self.file_of(name));
        if !covered.is_whole || !self.accepted.keys().all(is_below) {
            return Vec::new();
        }
        let occurred = self.occurred.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stale = Vec::new();
        for (file, counts) in &self.accepted {
            let known = occurred.get(file);
            let shows = |finding: &Finding| (covered.reports)(&finding.code) && !self.is_masked(file, finding);
            for (finding, accepted) in counts.iter().filter(|(finding, _)| shows(finding)) {
                let times = known.and_then(|known| known.get(finding)).copied().unwrap_or(0);
                // Without a place, it is a message, which is long.
                let about = if finding.line.is_none() { "" } else { finding.about.as_str() };
                let words = || format!("{} {about}", finding.code).trim_end().to_owned();
                stale.extend((times..*accepted).map(|_| (self.file_of(file), words())));
            }
        }
        stale
    }

    /// The text of the new baseline, and the number of findings in it. What the run could not have found is kept.
    pub fn updated(&self, covered: &Covered<'_>) -> (String, usize) {
        let mut all: BTreeMap<String, Counts> = BTreeMap::new();
        let renamed = self.renamed.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, counts) in &self.accepted {
            let file = self.file_of(name);
            let is_replaced =
                covered.files.contains(&file) || renamed.contains_key(name) || covered.is_whole && covered.has_below(&file);
            let shows = |finding: &Finding| (covered.reports)(&finding.code) && !self.is_masked(name, finding);
            let name = renamed.get(name).unwrap_or(name);
            let kept = counts.iter().filter(|(finding, _)| !is_replaced || !shows(finding));
            let kept = kept.map(|(finding, count)| (finding.clone(), *count)).collect();
            merge(&mut all, BTreeMap::from([(name.clone(), kept)]));
        }
        merge(&mut all, self.found.lock().unwrap_or_else(PoisonError::into_inner).clone());
        all.retain(|_, counts| !counts.is_empty());
        let count = all.values().flat_map(BTreeMap::values).sum();
        (file::written(&all), count)
    }

    fn file_of(&self, name: &str) -> PathBuf {
        tidy(&self.folder().join(name))
    }
}

impl Covered<'_> {
    fn has_below(&self, file: &Path) -> bool {
        self.folders.iter().any(|folder| file.starts_with(folder))
    }
}

impl Finding {
    /// The entries that would accept a finding: with its line and its severity or a higher one, or of the earlier format.
    fn accepted_by(&self, found: &Diagnostic) -> impl Iterator<Item = Self> {
        let own = self.clone();
        let severities = [Severity::Info, Severity::Warning, Severity::Error].into_iter();
        let same = severities.filter(|severity| Some(*severity) >= own.severity).map(Some).collect::<Vec<_>>();
        let about = found.key.clone().unwrap_or_else(|| found.message.clone());
        let earlier = Self { code: self.code.clone(), about, line: None, severity: None };
        same.into_iter().map(move |severity| Self { severity, ..own.clone() }).chain([earlier])
    }
}

impl<'a> Lines<'a> {
    /// The path of a finding's file, and the hash of its line.
    fn of(&mut self, found: &Diagnostic) -> (Option<&'a str>, Option<u64>) {
        let Some(location) = found.location else { return (None, None) };
        let Some((path, text)) = (self.texts.get)(location.file) else { return (None, None) };
        let index = self.indices.entry(location.file).or_insert_with(|| LineIndex::new(text));
        let LineColumn { line, .. } = index.line_column(text, location.span.start, PositionEncoding::Utf8);
        let start = index.offset(text, LineColumn { line, column: 0 }, PositionEncoding::Utf8) as usize;
        (Some(path), Some(hash_of_line(text.as_bytes().get(start..).unwrap_or_default())))
    }
}

/// What can't be checked is not a finding that a project can accept.
fn can_be_accepted(found: &Diagnostic) -> bool {
    found.code != &codes::UNREADABLE_FILE
}

/// Accepts what repeats an accepted finding of the same line.
fn accept_echoes(diagnostics: &[Diagnostic], places: &[Option<(String, Finding)>], accepted: &mut [Option<(String, Finding)>]) {
    if !diagnostics.iter().zip(&*accepted).any(|(found, entry)| found.is_echo && entry.is_none()) {
        return;
    }
    let line = |place: &Option<(String, Finding)>| place.as_ref().map(|(file, finding)| (file.clone(), finding.line));
    let own: HashMap<_, (String, Finding)> = (diagnostics.iter().zip(places).zip(accepted.iter()))
        .filter(|((found, _), _)| !found.is_echo)
        .filter_map(|((_, place), entry)| Some((line(place)?, entry.clone()?)))
        .collect();
    for ((found, place), entry) in diagnostics.iter().zip(places).zip(accepted) {
        if found.is_echo && entry.is_none() {
            *entry = line(place).and_then(|line| own.get(&line).cloned());
        }
    }
}

fn retain(diagnostics: &mut Vec<Diagnostic>, accepted: &[Option<(String, Finding)>]) {
    let mut accepted = accepted.iter();
    diagnostics.retain(|_| accepted.next().is_none_or(Option::is_none));
}

/// Adds the counts of one report: of a finding that several reports have, the largest count is kept.
fn merge(all: &mut BTreeMap<String, Counts>, more: BTreeMap<String, Counts>) {
    for (file, counts) in more {
        let known = all.entry(file).or_default();
        for (finding, count) in counts {
            let times = known.entry(finding).or_default();
            *times = count.max(*times);
        }
    }
}

/// This many bytes at the start of a line distinguish it from others.
const ENOUGH: usize = 512;

/// A hash of the line at the start of a text, without blanks, so that a formatter does not change it: FNV-1a, which is the same on every machine.
fn hash_of_line(text: &[u8]) -> u64 {
    let line = text.iter().take(ENOUGH).take_while(|byte| **byte != b'\n').filter(|byte| !byte.is_ascii_whitespace());
    line.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::hash_of_line;

    #[test]
    fn blanks_do_not_change_a_line() {
        assert_eq!(hash_of_line(b"a=1\nb"), hash_of_line(b"  a = 1\r\nc"));
        assert_ne!(hash_of_line(b"a = 1"), hash_of_line(b"a = 2"));
    }
}
