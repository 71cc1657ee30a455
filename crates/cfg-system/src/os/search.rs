//! Searches folders for files, on all cores if there are many folders.
//!
//! The rules in `.gitignore`, `.ignore` and git's own exclude files are read like all other files: a directory walker that opens these files itself
//! would wait for a pipe, or read a device without end.

mod global;
mod ignore_file;
mod rules;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, UNIX_EPOCH},
};

use ignore::{Match, gitignore::Gitignore};

use super::{OsSystem, kind, open};
use crate::{
    Entry, Host as _, Kind, Refusal, Role, SearchOptions, System, Unsearched, around, is_out_of_reach,
    observed::MTIME_RESOLUTION, projectless::is_of_project,
};
use ignore_file::Space;
use rules::{Repository, Rules, Said};

/// The number of folders after which other threads help.
const FEW: usize = 8;

/// The files with rules for what is skipped.
const IGNORE_FILES: [&[u8]; 2] = [b".gitignore", b".ignore"];

/// The limit of threads: more would only wait for the disk.
const MAX_THREADS: usize = 12;

type SearchResults = Vec<Result<PathBuf, Unsearched>>;

/// What one thread has found.
#[derive(Default)]
struct OfThread {
    files: SearchResults,
    /// The folders without a project's files, each with the time of its last change if that shows later changes.
    projectless: Vec<(PathBuf, Option<Duration>)>,
}

/// The entries of a folder.
struct Entries {
    listed: Arc<[Entry]>,
    /// Whether these are all.
    is_complete: bool,
    /// When the folder was last changed before they were read, if that shows later changes.
    changed: Option<Duration>,
}

/// Searches folders.
pub(super) fn search(
    system: &OsSystem,
    folders: &[&Path],
    options: SearchOptions,
    wanted: &(dyn Fn(&Path) -> bool + Sync),
) -> SearchResults {
    let global = options.respect_ignores.then(global::rules);
    let search = Search { system, options, wanted, global, space: Space::default(), partly_read: Mutex::default() };
    let mut found = OfThread::default();
    let mut waiting = Vec::new();
    for folder in folders {
        let absolute = (system as &dyn System).plain(folder).into_owned();
        if !system.may_look(&absolute) {
            found.files.push(Err(Unsearched { path: (*folder).to_owned(), error: Refusal::Confined.into() }));
            continue;
        }
        let rules = options.respect_ignores.then(|| search.rules_above(&absolute)).flatten();
        waiting.push(Folder { shown: (*folder).to_owned(), absolute, rules, is_named: true, taken: Taken::All });
    }
    for _ in 0..FEW {
        let Some(folder) = waiting.pop() else { break };
        search.folder(&folder, &mut found, &mut waiting);
    }
    if !waiting.is_empty() {
        found = on_all_cores(&search, waiting, found);
    }
    if let Some(projectless) = options.projectless {
        projectless.add(found.projectless);
    }
    found.files.extend(search.partly_read.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().map(|path| {
        let error = io::Error::other("it has more rules than cfg reads: not all of them are applied");
        Err(Unsearched { path, error })
    }));
    found.files
}

/// Searches many folders, and adds to what was found.
fn on_all_cores(search: &Search<'_>, waiting: Vec<Folder>, found: OfThread) -> OfThread {
    let queue = Queue::new(waiting);
    let all = Mutex::new(found);
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let work = || {
            let mut own = OfThread::default();
            while let Some(mut task) = queue.take() {
                search.folder(&task.folder, &mut own, &mut task.below);
            }
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.files.append(&mut own.files);
            all.projectless.append(&mut own.projectless);
        };
        for _ in 1..threads {
            // If no further thread can be started, fewer help.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A folder to be searched.
struct Folder {
    /// Its path, with the beginning that the user named.
    shown: PathBuf,
    absolute: PathBuf,
    /// The rules for what is skipped in it.
    rules: Option<Arc<Rules>>,
    /// Whether the user named it: then it must exist.
    is_named: bool,
    taken: Taken,
}

/// The files that are taken from a folder.
#[derive(Clone)]
enum Taken {
    /// All that no rule skips.
    All,
    /// Those that git tracks: its rules are about others.
    Tracked(Arc<Repository>),
    /// None: they are only counted.
    None,
}

struct Search<'a> {
    system: &'a OsSystem,
    options: SearchOptions<'a>,
    wanted: &'a (dyn Fn(&Path) -> bool + Sync),
    /// The user's rules for all repositories.
    global: Option<Gitignore>,
    /// What the rules have taken so far.
    space: Space,
    /// The files of which not all rules are applied.
    partly_read: Mutex<BTreeSet<PathBuf>>,
}

impl Search<'_> {
    /// Reads the entries of a folder.
    fn folder(&self, folder: &Folder, found: &mut OfThread, below: &mut Vec<Folder>) {
        let Some(Entries { listed, is_complete, changed }) = self.entries(folder, found) else { return };
        if self.options.projectless.is_some() && is_complete && !listed.iter().any(|entry| is_of_project(&entry.name)) {
            found.projectless.push((folder.absolute.clone(), changed));
        }
        let rules = self.options.respect_ignores.then(|| {
            let is_there = |name: &str| listed.iter().any(|entry| entry.name == name);
            self.rules_of(&folder.absolute, &is_there, folder.rules.clone())
        });
        let rules = rules.flatten();
        for Entry { name, kind } in listed.iter() {
            // git's own files are not files of the project, whether hidden files are searched or not.
            let is_folder = *kind == Kind::Folder;
            if is_folder && name == ".git" || !is_folder && !(self.wanted)(Path::new(name)) {
                continue;
            }
            let absolute = folder.absolute.join(name);
            let Some(taken) = self.taken(folder, &absolute, is_folder, rules.as_ref()) else { continue };
            let shown = folder.shown.join(name);
            if is_folder && is_out_of_reach(&absolute) {
                found.files.push(Err(Unsearched { path: shown, error: Refusal::TooDeep.into() }));
            } else if is_folder {
                below.push(Folder { shown, absolute, rules: rules.clone(), is_named: false, taken });
            } else if *kind == Kind::File || *kind == Kind::Link && self.may_be_file(&absolute) {
                match (taken, self.options.ignored) {
                    (Taken::None, Some(ignored)) => ignored.add(&absolute),
                    (Taken::None, None) => {}
                    _ => {
                        self.options.links.filter(|_| *kind == Kind::Link).into_iter().for_each(|links| links.add(&shown));
                        found.files.push(Ok(shown));
                    }
                }
            }
        }
    }

    /// The entries of a folder; `None` if it can't be read.
    fn entries(&self, folder: &Folder, found: &mut OfThread) -> Option<Entries> {
        let listings = self.options.listings;
        if let Some(listed) = listings.and_then(|listings| listings.entries(&folder.absolute)) {
            return Some(Entries { listed, is_complete: true, changed: None });
        }
        // Read before the entries, so that a change in between is noticed next time.
        let memory = self.options.memory;
        let changed = memory.and_then(|_| self.last_change(&folder.absolute));
        if let Some(listed) = changed.and_then(|changed| memory?.entries(&folder.absolute, changed)) {
            return Some(Entries { listed, is_complete: true, changed });
        }
        let entries = match fs::read_dir(&folder.absolute) {
            Ok(entries) => entries,
            // A folder that was deleted meanwhile counts as empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_named => return None,
            Err(error) => {
                found.files.push(Err(Unsearched { path: folder.shown.clone(), error }));
                return None;
            }
        };
        let (mut listed, mut is_complete) = (Vec::new(), true);
        for entry in entries {
            match entry {
                Ok(entry) => match entry.file_type() {
                    Ok(of) => listed.push(Entry { name: entry.file_name(), kind: kind(of) }),
                    Err(_) => is_complete = false,
                },
                Err(error) => {
                    is_complete = false;
                    found.files.push(Err(Unsearched { path: folder.shown.clone(), error }));
                }
            }
        }
        if let (Some(memory), Some(changed), true) = (memory, changed, is_complete) {
            // A folder can contain millions of other files.
            listed.retain(|entry| self.is_used(entry));
            let listed = Arc::from(listed);
            memory.keep(&folder.absolute, changed, &listed);
            return Some(Entries { listed, is_complete, changed: Some(changed) });
        }
        let listed = Arc::from(listed);
        if let (Some(listings), true) = (listings, is_complete) {
            listings.keep(&folder.absolute, &listed);
        }
        Some(Entries { listed, is_complete, changed })
    }

    /// Whether the search, or those who learn what it found, use an entry.
    fn is_used(&self, Entry { name, kind }: &Entry) -> bool {
        *kind == Kind::Folder
            || (self.wanted)(Path::new(name))
            || is_of_project(name)
            || IGNORE_FILES.contains(&name.as_encoded_bytes())
    }

    /// When a folder was last changed; `None` if that does not show later changes: the last one was so recent that another may have the same time, or
    /// this system may have a file system on which a folder keeps its time.
    fn last_change(&self, folder: &Path) -> Option<Duration> {
        if !cfg!(unix) {
            return None;
        }
        let now = self.system.now();
        let changed = fs::metadata(folder).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        (changed + MTIME_RESOLUTION < now).then_some(changed)
    }

    /// Whether a link leads to a file. One that leads out of its repository is treated as one, so that nothing about files outside is revealed.
    fn may_be_file(&self, link: &Path) -> bool {
        let (admitted, place) = self.system.place(link);
        open::may_be_file(&admitted, &place)
    }

    /// What is taken of a path in a folder; `None` if nothing is, and it is not counted either.
    fn taken(&self, folder: &Folder, path: &Path, is_folder: bool, rules: Option<&Arc<Rules>>) -> Option<Taken> {
        let is_hidden = || !self.options.hidden && path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let counted = || self.options.ignored.is_some_and(|ignored| !is_folder || ignored.may_enter()).then_some(Taken::None);
        let of = |repository: &Arc<Repository>| {
            let is_tracked = repository.tracks(self.system, path, is_folder, self.wanted);
            if is_tracked { Some(Taken::Tracked(Arc::clone(repository))) } else { counted() }
        };
        let said = || match rules.map_or(Said::Nothing, |rules| rules.say(path, is_folder)) {
            Said::Nothing => Said::by_git(&self.global.as_ref().map_or(Match::None, |global| global.matched(path, is_folder))),
            said => said,
        };
        match (&folder.taken, said()) {
            (Taken::All, Said::Wanted) => Some(Taken::All),
            _ if is_hidden() => None,
            (Taken::None, _) | (_, Said::Ignored) => counted(),
            (Taken::Tracked(repository), _) => of(repository),
            (Taken::All, Said::Nothing) => Some(Taken::All),
            // git's rules are about files that it does not track.
            (Taken::All, Said::IgnoredByGit) => match rules.and_then(|rules| rules.repository()) {
                Some(repository) => of(repository),
                None => counted(),
            },
        }
    }

    /// The rules of the folders above one.
    fn rules_above(&self, folder: &Path) -> Option<Arc<Rules>> {
        let mut above: Vec<&Path> = around(folder).skip(1).collect();
        above.reverse();
        above.into_iter().fold(None, |rules, folder| {
            let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
            self.rules_of(folder, &is_there, rules)
        })
    }

    /// The rules for a folder, in addition to those of the folders above it. Most folders have none: `is_there` says which names are in it.
    fn rules_of(&self, folder: &Path, is_there: &dyn Fn(&str) -> bool, outer: Option<Arc<Rules>>) -> Option<Arc<Rules>> {
        let file = |name: &str| is_there(name).then(|| self.file(folder, &folder.join(name))).flatten();
        let (ignore, gitignore) = (file(".ignore"), file(".gitignore"));
        let repository = is_there(".git").then(|| Arc::new(Repository::at(folder)));
        let exclude = repository.as_ref().and_then(|_| self.file(folder, &folder.join(".git").join("info").join("exclude")));
        if ignore.is_none() && gitignore.is_none() && repository.is_none() {
            return outer;
        }
        Some(Arc::new(Rules { ignore, gitignore, exclude, repository, outer }))
    }

    /// The rules in a file.
    fn file(&self, folder: &Path, path: &Path) -> Option<Gitignore> {
        let text = (self.system as &dyn System).text(path, Role::Ignores)?;
        let (rules, is_complete) = ignore_file::rules(&text, (folder, path), &self.space);
        if !is_complete {
            self.partly_read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        }
        rules
    }
}

/// The folders that wait for a thread.
struct Queue {
    state: Mutex<State>,
    bell: Condvar,
}

struct State {
    waiting: Vec<Folder>,
    /// The number of threads that are searching a folder, which may have others below it.
    busy: usize,
    /// How many wait for one.
    idle: usize,
}

/// A folder that a thread searches. When it is dropped, the folders below it wait for a thread.
struct Task<'a> {
    queue: &'a Queue,
    folder: Folder,
    below: Vec<Folder>,
}

impl Queue {
    fn new(waiting: Vec<Folder>) -> Self {
        Self { state: Mutex::new(State { waiting, busy: 0, idle: 0 }), bell: Condvar::new() }
    }

    /// The next folder; `None` if there is none and there will be none.
    fn take(&self) -> Option<Task<'_>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(folder) = state.waiting.pop() {
                state.busy += 1;
                return Some(Task { queue: self, folder, below: Vec::new() });
            }
            if state.busy == 0 {
                return None;
            }
            state.idle += 1;
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock().unwrap_or_else(PoisonError::into_inner);
        let has_more = !self.below.is_empty();
        state.waiting.append(&mut self.below);
        state.busy -= 1;
        let is_over = state.busy == 0 && state.waiting.is_empty();
        // Ringing the bell costs a system call, even if no thread waits for it.
        if state.idle > 0 && (has_more || is_over) {
            self.queue.bell.notify_all();
        }
    }
}
