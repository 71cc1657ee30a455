//! `cfg diff --since REVISION`: what all configs of a repository mean, compared with a revision that is read with its own settings, includes and pins.

mod registered;
mod write;

use cfg_diag::Order as _;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{Project, Registries, Request, Session, check};
use cfg_project::{FoundFile, discover, outside_of_sparse_checkout};
use cfg_registry::fingerprint::{Outcome as Difference, compare, outcome};
use cfg_report::memory::write_changes;
use cfg_schema::Target;
use cfg_system::{Role, SearchOptions, SearchedOnce, System, tidy};

use self::registered::{Around, Standing, Text, standing};
use super::side::{Side, at_revision};
use crate::{CommandResult, Outcome, args::Format, context::Context};

/// The maximum number of files on each side among which renamed ones are looked for.
const MAX_RENAMED: usize = 256;

/// The share of common lines, in percent, from which on a deleted file and a new one are the same file.
const ALIKE: usize = 60;

/// One state of the repository: a revision, or the work tree.
struct State {
    /// What precedes a path in its name: `main:`.
    name: String,
    cx: Context,
    session: Arc<Session>,
    /// The configs with their texts, by their paths from the root of the work tree.
    configs: BTreeMap<PathBuf, String>,
}

/// What became of the configs.
#[derive(Default)]
struct Changes {
    /// The configs whose prime-rl changed, by the two targets.
    targets: BTreeMap<(String, String), Vec<String>>,
    /// The configs whose machine changed, by the two machines.
    machines: BTreeMap<(Option<String>, Option<String>), Vec<String>>,
    /// The configs that need other memory although they mean the same, by the table that says so.
    memory: BTreeMap<String, Vec<String>>,
    new: Vec<Side>,
    deleted: Vec<String>,
    renamed: Vec<(String, String)>,
    /// What can't be compared, with the reason.
    uncompared: Vec<(String, &'static str)>,
    /// The configs that mean something else.
    differing: Vec<(Side, Side)>,
    /// The configs that prime-rl accepted before and refuses now, each with its first error.
    refused_now: BTreeMap<String, String>,
    /// The configs that prime-rl refused before and accepts now.
    accepted_now: BTreeSet<String>,
    /// The configs that prime-rl refuses before and now, of which only the text of invalid values is compared.
    refused: BTreeSet<String>,
    /// The files that another one completes, of which only their own values are compared.
    parts: BTreeSet<String>,
    /// The number of configs that were compared.
    compared: usize,
    /// The new and changed configs in the registries around them.
    standings: Vec<Standing>,
    /// The deleted configs that a registry still has.
    still_registered: BTreeSet<String>,
}

pub(super) fn run(cx: &Context, since: &str, paths: &[String]) -> CommandResult {
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    let before = match at_revision(cx, since) {
        Ok(before) => before,
        Err(error) => {
            cx.complain(&format!("{since}: no git revision: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    let Some((top, _)) = before.system.revision().map(|(top, revision)| (top.to_owned(), revision.to_owned())) else {
        return Ok(Outcome::Failed);
    };
    let wanted: Vec<PathBuf> = paths.iter().map(|path| tidy(&cx.system.absolute(Path::new(path)))).collect();
    let before = State::read(format!("{since}:"), &before, &top, &wanted);
    let disk: Arc<dyn System> = Arc::new(SearchedOnce::new(Arc::clone(&cx.system)));
    let now = State::read(String::new(), &cx.on(&disk), &top, &wanted);
    let mut changes = Changes::between(&before, &now, &top, target.as_ref());
    changes.launches(&before, &now, &top, &wanted);
    let is_same = changes.is_empty();
    match cx.common.format {
        Format::Json => changes.write_json(cx)?,
        _ => changes.write(cx, since, &now.session)?,
    }
    Ok(if is_same { Outcome::Clean } else { Outcome::Found })
}

impl State {
    fn read(name: String, cx: &Context, top: &Path, wanted: &[PathBuf]) -> Self {
        let session = Arc::new(cx.session());
        let named = if wanted.is_empty() { vec![top.to_owned()] } else { wanted.to_vec() };
        let projects = session.projects();
        let is_own = |found: &FoundFile| projects.left_out(&found.path, &named).is_none();
        let found = discover(&*cx.system, &[top.to_owned()], SearchOptions::default());
        let found = found.into_iter().filter_map(Result::ok).filter(is_own);
        let is_wanted = |path: &Path| wanted.is_empty() || wanted.iter().any(|wanted| path.starts_with(wanted));
        let config = |path: PathBuf| {
            let text = cx.system.text(&path, Role::Config)?;
            is_config(&session, &cx.system.shown(&path), &text).then(|| Some((path.strip_prefix(top).ok()?.to_owned(), text)))?
        };
        let configs = found.map(|found| found.path).filter(|path| is_wanted(path)).filter_map(config).collect();
        Self { name, cx: cx.clone(), session, configs }
    }

    /// The words of the launches in each script, by its path from the root of the work tree.
    fn launches(&self, top: &Path, wanted: &[PathBuf]) -> BTreeMap<PathBuf, Vec<Vec<String>>> {
        let index = self.session.projects().launch_index(&top.join("cfg.toml"));
        let is_wanted = |path: &PathBuf| wanted.is_empty() || wanted.iter().any(|wanted| path.starts_with(wanted));
        let mut launches: BTreeMap<PathBuf, Vec<Vec<String>>> = BTreeMap::new();
        for placed in index.all().filter(|placed| !placed.is_comment && placed.files.iter().any(is_wanted)) {
            if let Ok(script) = placed.script.strip_prefix(top) {
                launches.entry(script.to_owned()).or_default().push(placed.launch.words.clone());
            }
        }
        launches
    }

    /// Its registries.
    fn around(&self) -> Around<'_> {
        let registries = Registries::new(Arc::clone(&self.cx.system));
        Around { system: &*self.cx.system, session: &self.session, registries }
    }

    fn side(&self, top: &Path, path: &Path, target: Option<&Target>) -> Option<Side> {
        let session = Arc::clone(&self.session);
        let name = format!("{}{}", self.name, path.to_string_lossy());
        Side::of_place(&self.cx, session, &name, &top.join(path), target.cloned())
    }
}

/// Whether a file is a config of prime-rl, and not only a part that another one includes.
fn is_config(session: &Session, path: &str, text: &str) -> bool {
    let request = Request { named: false, ..Request::new(path, text) };
    let checked = check(session, request);
    checked.is_of_prime_rl() && !(checked.may_be_part() && session.projects().includer(Path::new(path)).is_some())
}

impl Changes {
    fn between(before: &State, now: &State, top: &Path, target: Option<&Target>) -> Self {
        let mut changes = Self::default();
        let is_new = |(path, _): &(&PathBuf, &String)| !before.configs.contains_key(*path);
        let mut new: Vec<(&PathBuf, &String)> = now.configs.iter().filter(is_new).collect();
        let mut gone: Vec<(&PathBuf, &String)> =
            before.configs.iter().filter(|(path, _)| !now.configs.contains_key(*path)).collect();
        changes.left_out(now, top, &mut gone);
        let mut pairs: Vec<(&Path, &Path)> =
            before.configs.keys().filter(|path| now.configs.contains_key(*path)).map(|path| (&**path, &**path)).collect();
        for (old, path) in renamed(&mut gone, &mut new) {
            changes.renamed.push((old.to_string_lossy().into_owned(), path.to_string_lossy().into_owned()));
            pairs.push((old, path));
        }
        pairs.order_by_key(|(_, path)| *path);
        changes.registries(before, now, top, &pairs, &new, &gone);
        for (old, path) in pairs {
            let (Some(one), Some(other)) = (before.side(top, old, target), now.side(top, path, target)) else { continue };
            // A target that nothing states is no change of the project, even if the day of a commit shows another one.
            let is_assumed = one.is_assumed() && other.is_assumed() && one.target().name != other.target().name;
            let again = is_assumed.then(|| before.side(top, old, Some(other.target()))).flatten();
            let one = again.unwrap_or(one);
            let is_edited = old != path || before.configs.get(old) != now.configs.get(path);
            let stated = |state: &State, path: &Path| {
                let Project { gpu, gpus, disk, .. } = Project::around(state.session.projects(), &top.join(path));
                (gpu, gpus, disk)
            };
            let has_other_machine = (is_edited || stated(before, old) != stated(now, path))
                && changes.machine(&one, &other, &before.session, &now.session);
            changes.pair(one, other, is_edited, has_other_machine, &before.session, &now.session);
        }
        changes.new = new.iter().filter_map(|(path, _)| now.side(top, path, target)).collect();
        changes.deleted = gone.iter().map(|(path, _)| path.to_string_lossy().into_owned()).collect();
        changes
    }

    /// What became of the new, the changed and the deleted configs in the registries.
    fn registries(
        &mut self,
        before: &State,
        now: &State,
        top: &Path,
        pairs: &[(&Path, &Path)],
        new: &[File<'_>],
        gone: &[File<'_>],
    ) {
        let (was, is) = (before.around(), now.around());
        let changed = pairs.iter().filter_map(|(old, path)| {
            let (one, other) = (before.configs.get(*old)?, now.configs.get(*path)?);
            Some((Some((*old, one)), (*path, other)))
        });
        let new = new.iter().map(|(path, text)| (None, (path.as_path(), *text)));
        for (one, (path, text)) in changed.chain(new) {
            let (old, place) = (one.map(|(old, _)| top.join(old)), top.join(path));
            let one = one.zip(old.as_ref()).map(|((_, text), path)| Text { path, text });
            let found = standing(&was, &is, one.as_ref(), &Text { path: &place, text }, path.to_string_lossy().into_owned());
            let is_changed = one.is_none_or(|one| one.text != text);
            self.standings.extend(found.filter(|found| is_changed || found.before != found.now));
        }
        let is_kept = |path: &Path| is.is_registered(&top.join(path));
        let deleted = gone.iter().filter(|(path, _)| is_kept(path)).map(|(path, _)| path.to_string_lossy().into_owned());
        self.still_registered.extend(deleted);
    }

    /// The scripts on both sides whose launches changed: a flag also decides what a run means, and only the configs are compared. Those of `wanted` files.
    fn launches(&mut self, before: &State, now: &State, top: &Path, wanted: &[PathBuf]) {
        let (was, mut is) = (before.launches(top, wanted), now.launches(top, wanted));
        for (script, launches) in was {
            if is.remove(&script).is_some_and(|now| now != launches) {
                let script = script.to_string_lossy().into_owned();
                self.uncompared.push((script, "the commands in it that start runs changed"));
            }
        }
    }

    /// Takes the files that a sparse checkout leaves out of the work tree out of those that are gone.
    fn left_out(&mut self, now: &State, top: &Path, gone: &mut Vec<File<'_>>) {
        if gone.is_empty() {
            return;
        }
        let left_out = outside_of_sparse_checkout(&*now.cx.system, top);
        gone.retain(|(path, _)| {
            let is_gone = !left_out.contains(&top.join(path));
            if !is_gone {
                self.uncompared.push((path.to_string_lossy().into_owned(), "it is outside of this sparse checkout"));
            }
            is_gone
        });
    }

    /// Notes the machine of a config if it is another one; whether it is.
    fn machine(&mut self, one: &Side, other: &Side, before: &Session, now: &Session) -> bool {
        let machines = (one.machine(before), other.machine(now));
        let is_other = machines.0 != machines.1;
        if is_other {
            self.machines.entry(machines).or_default().push(other.name.clone());
        }
        is_other
    }

    /// Compares a config; `is_edited` is whether its own text or path differs.
    fn pair(&mut self, one: Side, other: Side, is_edited: bool, has_other_machine: bool, before: &Session, now: &Session) {
        if one.is_of_unknown() || other.is_of_unknown() {
            // The prime-rl of a file that nobody edited may be another one.
            self.uncompared.push((other.name, "its prime-rl is unknown"));
            return;
        }
        let (Some(one_means), Some(other_means)) = (one.meaning(before), other.meaning(now)) else {
            if is_edited {
                self.uncompared.push((other.name, "it is unclear which entrypoint it is for"));
            }
            return;
        };
        self.compared += 1;
        if one.target().name != other.target().name {
            let targets = (one.target().name.clone(), other.target().name.clone());
            self.targets.entry(targets).or_default().push(other.name.clone());
        }
        self.faults(&one, &other);
        let is_same = outcome(&compare(&one_means, &other_means)) == Difference::Same;
        drop((one_means, other_means));
        if !is_same {
            self.differing.push((one, other));
        } else if has_other_machine && let Some((before, after)) = one.memory(before).zip(other.memory(now)) {
            let mut table = Vec::new();
            if write_changes(&mut table, &before, &after).is_ok() && !table.is_empty() {
                self.memory.entry(String::from_utf8_lossy(&table).into_owned()).or_default().push(other.name);
            }
        }
    }

    /// Notes what prime-rl refuses on either side.
    fn faults(&mut self, one: &Side, other: &Side) {
        let name = other.name.clone();
        let is_worse = !one.has_faults() || one.fault().is_none() && other.fault().is_some();
        if other.has_faults() && is_worse {
            self.refused_now.insert(name, other.first_fault());
        } else if one.has_faults() && !other.has_faults() {
            self.accepted_now.insert(name);
        } else if other.has_faults() && other.is_part() {
            self.parts.insert(name);
        } else if other.has_faults() {
            self.refused.insert(name);
        }
    }

    fn is_empty(&self) -> bool {
        self.targets.is_empty()
            && self.machines.is_empty()
            && self.new.is_empty()
            && self.deleted.is_empty()
            && self.renamed.is_empty()
            && self.differing.is_empty()
            && self.uncompared.is_empty()
            && self.refused_now.is_empty()
            && self.accepted_now.is_empty()
            && !self.standings.iter().any(Standing::is_open)
    }
}

/// A config, with its text.
type File<'f> = (&'f PathBuf, &'f String);

/// Takes the files that were renamed out of those that are gone and those that are new: equal texts first, then the most similar ones.
fn renamed<'f>(gone: &mut Vec<File<'f>>, new: &mut Vec<File<'f>>) -> Vec<(&'f Path, &'f Path)> {
    let mut alike: Vec<(usize, &Path, &Path)> = Vec::new();
    for (old, before) in gone.iter().take(MAX_RENAMED) {
        for (path, now) in new.iter().take(MAX_RENAMED) {
            let share = likeness(before, now);
            if share >= ALIKE {
                alike.push((share, old, path));
            }
        }
    }
    alike.order_by_key(|(share, old, path)| (std::cmp::Reverse((*share, old.file_name() == path.file_name())), *old, *path));
    let mut pairs: Vec<(&Path, &Path)> = Vec::new();
    for (_, old, path) in alike {
        if pairs.iter().all(|(known, other)| *known != old && *other != path) {
            pairs.push((old, path));
        }
    }
    gone.retain(|(path, _)| pairs.iter().all(|(old, _)| *old != path.as_path()));
    new.retain(|(path, _)| pairs.iter().all(|(_, other)| *other != path.as_path()));
    pairs
}

/// The share of the lines that two texts have in common, in percent of the longer one.
fn likeness(one: &str, other: &str) -> usize {
    if one == other {
        return 100;
    }
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines
    };
    let (one, other) = (lines(one), lines(other));
    let (mut at, mut common) = (0, 0);
    for line in &one {
        while other.get(at).is_some_and(|known| known < line) {
            at += 1;
        }
        if other.get(at) == Some(line) {
            common += 1;
            at += 1;
        }
    }
    // Equal texts come before those that only have the same lines.
    (common * 100 / one.len().max(other.len()).max(1)).min(99)
}
