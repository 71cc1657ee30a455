//! Configs that the project's scripts start with others, or with flags: each launch is checked, and what it shows is reported with its files.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cfg_check::{
    BaselineTexts, Checked, LaunchCheck, LaunchIndex, LaunchRequest, LaunchUse, Launches, Own, PlacedLaunch, Texts, check_launch,
    use_of,
};
use cfg_compose::WrittenLaunch;
use cfg_diag::{Diagnostic, codes};
use cfg_project::LaunchSource;
use cfg_repair::offer_in;
use cfg_report::count;
use cfg_system::{Overlay, Role, System, tidy};

use super::{Done, Job, file::Given, open::Together, report::CheckedFor, worse};
use crate::{Outcome, inputs::sources};

/// The results of launches, each checked once, whatever number of files it names.
#[derive(Default)]
pub(super) struct LaunchChecks {
    known: Mutex<HashMap<usize, Slot>>,
    /// The number of findings of all, each of which counts for some bytes of text as well.
    findings: AtomicUsize,
}

type Slot = Arc<OnceLock<Arc<LaunchCheck>>>;

/// The maximum size of a config that is checked with each of its launches, in bytes: all of their texts are kept.
const LONGEST: usize = 1 << 20;

/// The maximum number of findings of all launches, all of which are kept; so many bytes of their texts count for one. Further launches are not checked.
const MAX_FINDINGS: usize = 100_000;
const OF_A_FINDING: usize = 256;

/// The maximum number of launches of a named script that are checked although the index of its repository does not have them.
const MAX_BEYOND_INDEX: usize = 512;

impl Job<'_> {
    /// The launches that are checked with a config.
    pub(super) fn launches(&self, given: &Given<'_>, text: &str, alone: &Checked) -> Launches {
        let mut launches = Launches::default();
        if self.cx.common.states_kind() || !self.has_place(given) || text.len() > LONGEST {
            return launches;
        }
        let place = self.place(given.path);
        let index = self.session.projects().launch_index(&place);
        for placed in index.of(&place) {
            if self.launch_checks.findings.load(Ordering::Relaxed) > MAX_FINDINGS {
                break;
            }
            match use_of(placed, &place, alone) {
                LaunchUse::Together => {}
                LaunchUse::Component => launches.is_started_alone = true,
                LaunchUse::Alone => {
                    launches.is_started_alone = true;
                    continue;
                }
                LaunchUse::None => continue,
            }
            // Standard input is the text of a file that may have another one on the disk, as has one that was edited by this command.
            let check = if given.is_stdin || self.check.control.edits() {
                let system = Overlay::with(Arc::clone(&self.cx.system), given.path, text.as_bytes());
                Arc::new(self.check_launch(&system, placed))
            } else {
                self.launch(placed)
            };
            launches.checks.push(check);
        }
        launches
    }

    /// The path of a file from the root of the file system.
    fn place(&self, path: &Path) -> PathBuf {
        tidy(&self.cx.system.absolute(path))
    }

    /// The result of a launch, which is checked once.
    fn launch(&self, placed: &Arc<PlacedLaunch>) -> Arc<LaunchCheck> {
        let slot = {
            let mut known = self.launch_checks.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(Arc::as_ptr(placed) as usize).or_default())
        };
        Arc::clone(slot.get_or_init(|| self.counted(self.check_launch(&*self.cx.system, placed))))
    }

    /// A result that is kept.
    fn counted(&self, check: LaunchCheck) -> Arc<LaunchCheck> {
        let texts: usize = check.command.texts.all().iter().map(|text| text.text.len()).sum();
        let size = check.command.checked.diagnostics.len() + texts / OF_A_FINDING;
        self.launch_checks.findings.fetch_add(size, Ordering::Relaxed);
        Arc::new(check)
    }

    fn check_launch(&self, system: &dyn System, placed: &Arc<PlacedLaunch>) -> LaunchCheck {
        let project = self.project(placed.files.first().unwrap_or(&placed.script));
        let request = LaunchRequest {
            session: &self.session,
            system,
            target: self.target.as_ref(),
            project: Some(&project),
            name: &|path| self.cx.system.shown(path),
        };
        let script = if placed.is_comment { None } else { self.cx.system.text(&placed.script, Role::Project) };
        check_launch(request, placed, &script.unwrap_or_default())
    }

    /// Reports a config together with its launches. `texts` are those of checking it alone; the first of its own text.
    pub(super) fn report_launched(
        &self,
        given: &Given<'_>,
        launches: &Launches,
        alone: Option<Checked>,
        texts: Texts,
        done: &mut Done,
    ) -> io::Result<()> {
        let name = given.path.to_string_lossy();
        let place = self.place(given.path);
        let alone_is_script = alone.is_none();
        let lacking = alone.as_ref().filter(|alone| alone.is_part()).map(Launches::lacking);
        // What is wrong in the configs of others is for those, unlike the flags with which they are started.
        let is_of_others = |path: &Path| self.session.projects().left_out(path, &self.check.paths).is_some();
        let is_reported = |check: &LaunchCheck, at: Option<&Path>| match at {
            Some(at) if *at == *place => true,
            _ if alone_is_script && self.owner(&check.placed).is_some() => false,
            Some(at) if alone_is_script => !is_of_others(at),
            Some(at) if check.placed.launch.is_of_components() && self.scripts.contains(at) => false,
            None if alone_is_script => !check.placed.files.iter().any(|file| is_of_others(file)),
            Some(at) if self.named.contains(&*self.cx.system, at) => false,
            _ => self.owner(&check.placed).is_some_and(|owner| *owner == *place),
        };
        let own = Own { place: &place, path: &name, alone, texts };
        let Some((mut checked, texts)) = launches.combine(own, &is_reported) else { return Ok(()) };
        // All of it is reported with the configs.
        if alone_is_script && !given.is_explicit && checked.diagnostics.is_empty() {
            return Ok(());
        }
        done.accepted = self.apply_settings_by_place(&name, &texts, &mut checked);
        if !self.is_quiet {
            offer_in(&name, &texts, &mut checked, self.wanted, self.shown(), &|text| {
                self.check_at(given.path, text, Vec::new(), given.is_explicit)
            });
        }
        let is_unreadable = checked.diagnostics.iter().any(|found| found.code == &codes::UNREADABLE_FILE);
        let outcome = if is_unreadable { Outcome::Failed } else { self.judge(&checked.diagnostics) };
        done.outcome = worse(done.outcome, outcome);
        if !alone_is_script {
            done.late = Some((given.path.to_owned(), self.defer_shared(given.path, given.is_explicit, &mut checked)));
        }
        if self.check.control.add_ignore.is_some() {
            done.left.extend(self.left_in_scripts(launches, &texts, &checked));
        }
        done.rendered = Some(self.render(&name, &sources(&texts), &checked)?);
        done.target = CheckedFor::of(&*self.cx.system, &checked);
        done.note_open(&name, &checked);
        if let Some(lacking) = lacking.filter(|_| !checked.bases.is_empty()) {
            done.together = Some(Together::new(&name, &checked.bases, &lacking));
        }
        if self.check.control.statistics {
            done.diagnostics = checked.diagnostics;
        }
        Ok(())
    }

    /// What a comment can't ignore, because it is in a script, with what can.
    fn left_in_scripts(&self, launches: &Launches, texts: &Texts, checked: &Checked) -> Vec<String> {
        let is_script = |path: &str| {
            launches.checks.iter().any(|check| check.placed.script == *self.place(Path::new(path)) && !check.placed.is_comment)
        };
        let shown = checked.diagnostics.iter().filter(|found| found.severity >= self.shown() && !found.is_echo);
        let paths = shown.filter_map(|found| Some(texts.get(found.location?.file)?.path.as_str())).filter(|path| is_script(path));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        paths.for_each(|path| *counts.entry(path).or_default() += 1);
        let line = |(path, findings): (&str, usize)| {
            let path = cfg_diag::one_line(path);
            format!(
                "{path}: no comment ignores {} in a script; `per-file-ignores` in the settings does",
                count(findings, "finding")
            )
        };
        counts.into_iter().map(line).collect()
    }

    /// Reports what the launches of a script show, if none of their configs is checked. A script that the user named must be readable, and its launches
    /// are checked even if the index of its repository does not have them.
    pub(super) fn script(&self, path: &Path, is_explicit: bool) -> io::Result<Done> {
        let text = match text_of(&*self.cx.system, path) {
            Ok(text) => text,
            Err(error) if is_explicit => return self.unreadable(path, &error),
            Err(_) => String::new(),
        };
        let mut done = Done::new(None, Outcome::Clean);
        let place = self.place(path);
        let index = self.session.projects().launch_index(&place);
        let (mut beyond, lost) = if is_explicit { self.beyond_index(&place, &text, &index) } else { (Vec::new(), None) };
        let starts_none = || index.written_in(&place).next().is_none() && !index.missing().iter().any(|one| one.script == place);
        if is_explicit && beyond.is_empty() && starts_none() {
            match lost {
                Some(file) => {
                    self.cx.complain(&format!("{}: its commands were not checked: found no `{file}`", path.display()));
                    done.outcome = Outcome::Failed;
                }
                None => done.left.push(format!("{} starts no prime-rl config that exists", path.display())),
            }
        }
        let mut launches = Launches::default();
        if beyond.len() > MAX_BEYOND_INDEX {
            let more = count(beyond.len() - MAX_BEYOND_INDEX, "command");
            self.cx.complain(&format!("{}: {more} not checked: name the configs that they start", path.display()));
            done.outcome = Outcome::Failed;
            beyond.truncate(MAX_BEYOND_INDEX);
        }
        let is_reported_here = |placed: &PlacedLaunch| placed.launch.is_of_components() || self.owner(placed).is_none();
        let own = index.written_in(&place).filter(|placed| placed.launch.kind.is_run() && is_reported_here(placed));
        for placed in beyond.iter().chain(own) {
            if self.launch_checks.findings.load(Ordering::Relaxed) > MAX_FINDINGS {
                self.cx.complain(&format!("{}: not all of its commands were checked: there are too many", path.display()));
                done.outcome = Outcome::Failed;
                break;
            }
            launches.checks.push(self.counted(self.check_launch(&*self.cx.system, placed).without_script()));
        }
        let has_findings = launches.checks.iter().any(|check| !check.command.checked.diagnostics.is_empty());
        // That a named script has none is said as well.
        if launches.checks.is_empty() || !has_findings && !is_explicit {
            return Ok(done);
        }
        let mut texts = Texts::default();
        texts.add(&path.to_string_lossy(), text);
        let given = Given { path, is_explicit, is_stdin: false };
        self.report_launched(&given, &launches, None, texts, &mut done)?;
        Ok(done)
    }

    /// The runs in the text of a script that the index of its repository does not have, because the script is in a hidden folder, or the repository has more
    /// launches than are kept; and the first file of one whose files were not found.
    fn beyond_index(&self, script: &Path, text: &str, index: &LaunchIndex) -> (Vec<Arc<PlacedLaunch>>, Option<String>) {
        let (projects, here) = (self.session.projects(), self.cx.host().folder());
        let repository = projects.repository(script);
        // Without a repository, commands are run where this one is.
        let root = if script.starts_with(here) && repository.starts_with(here) { here } else { &*repository };
        let known: Vec<&Arc<PlacedLaunch>> = index.written_in(script).collect();
        let is_known = |launch: &WrittenLaunch| {
            known.iter().any(|known| known.launch.places == launch.places && known.launch.words == launch.words)
        };
        let is_wanted = |launch: &WrittenLaunch| launch.kind.is_run() && launch.files().next().is_some() && !is_known(launch);
        let (mut found, mut lost) = (Vec::new(), None);
        for placed in projects.launches_of_script(LaunchSource { root, path: script }, text, is_wanted) {
            match placed {
                Ok(placed) => found.push(Arc::new(placed)),
                Err(launch) => {
                    let first = || launch.files().next().map(|file| cfg_diag::one_line(file).into_owned());
                    lost = lost.or_else(first);
                }
            }
        }
        (found, lost)
    }

    /// The file with which findings of a launch are reported that are in none of the checked files: the first of its files that is checked.
    fn owner(&self, placed: &PlacedLaunch) -> Option<PathBuf> {
        placed.files.iter().find(|file| self.named.contains(&*self.cx.system, file)).cloned()
    }

    /// Applies the settings and the baseline to each finding, by the file in which it is. Returns the number of those that the baseline hides.
    fn apply_settings_by_place(&self, name: &str, texts: &Texts, checked: &mut Checked) -> usize {
        let mut by_file: Vec<(&str, Vec<Diagnostic>)> = Vec::new();
        for found in std::mem::take(&mut checked.diagnostics) {
            let path = found.location.and_then(|place| texts.get(place.file)).map_or(name, |text| text.path.as_str());
            match by_file.iter_mut().find(|(known, _)| *known == path) {
                Some((_, all)) => all.push(found),
                None => by_file.push((path, vec![found])),
            }
        }
        // The baseline of a file without findings is one of the run, too.
        if !by_file.iter().any(|(known, _)| *known == name) {
            by_file.push((name, Vec::new()));
        }
        let control = &self.check.control;
        let get = |file| texts.get(file).map(|text| (text.path.as_str(), text.text.as_str()));
        let mut accepted = 0;
        for (path, mut all) in by_file {
            let path = Path::new(path);
            self.session.projects().apply_lint(path, &control.select, &control.ignore, &mut all, |_| false);
            accepted += self.baselines.hide(self.session.projects(), BaselineTexts { reported: path, get: &get }, &mut all);
            checked.diagnostics.append(&mut all);
        }
        accepted
    }
}

/// The text of a script; an error if it can't be read, or is not UTF-8.
fn text_of(system: &dyn System, path: &Path) -> io::Result<String> {
    String::from_utf8(system.read(path, Role::Project)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}
