//! A system that remembers what was read, and finds what has changed since.

mod folders;
mod seen;
mod without_project;

use std::{
    collections::HashMap,
    ffi::OsString,
    fmt,
    hash::{DefaultHasher, Hash, Hasher as _},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use self::seen::{AskedAs, Brief, Found, Question, Seen, Stamp};
pub use self::without_project::KeptSearches;
use crate::{Entry, ProjectlessFolders, Role, Scope, SearchOptions, Status, System, Unsearched, projectless::PROJECT_NAMES};

/// Within this time after a file was written, another change of it may have the same time: some file systems store only seconds.
pub(crate) const MTIME_RESOLUTION: Duration = Duration::from_secs(2);

/// A wrapper that remembers everything that was asked about another system's files, until it is dropped. Streams, searches and questions to programs
/// are not remembered; git's own files are checked before it is started.
pub struct Observed {
    base: Arc<dyn System>,
    seen: Mutex<Seen>,
    /// What searches have found while [`KeptSearches`] exist: about these names the base is not asked.
    projectless: ProjectlessFolders,
    kept: AtomicUsize,
    /// The folders without the names of a project about which questions were asked, each with the time of its last change before.
    without_project: Mutex<HashMap<OsString, Duration>>,
}

impl Observed {
    /// Over another system, with nothing remembered yet.
    pub fn new(base: Arc<dyn System>) -> Self {
        Self {
            base,
            seen: Mutex::default(),
            projectless: ProjectlessFolders::default(),
            kept: AtomicUsize::new(0),
            without_project: Mutex::default(),
        }
    }

    /// The system below.
    pub fn base(&self) -> &Arc<dyn System> {
        &self.base
    }

    /// The number of remembered questions.
    pub fn len(&self) -> usize {
        self.seen().names.len() + self.without_project().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The paths for which a question would have another answer now, without duplicates. Most are found by the file's status; missing names by their
    /// folder's status.
    pub fn changed_files(&self) -> Vec<PathBuf> {
        let mut changed: Vec<PathBuf> = Vec::new();
        let mut seen = self.seen();
        let Seen { names, folders } = &mut *seen;
        let mut look = folders.look(&*self.base);
        // Several questions about a path are consecutive, and one check decides all of them.
        let mut last: (PathBuf, Option<Status>) = (PathBuf::new(), None);
        for ((folder, name, question), stamp) in names.iter_mut() {
            // On other systems there are file systems on which a folder keeps its time.
            let may_be_gone = cfg!(unix) && stamp.status().is_none() && *question != Question::Real;
            if stamp.gone_from.is_some_and(|folder| may_be_gone && look.is_same(folder)) {
                continue;
            }
            let path = look.path(*folder).join(&**name);
            if changed.last().is_some_and(|last| *last == path) {
                continue;
            }
            // Read before the name, so that an addition in between is noticed next time.
            let folder = if may_be_gone { look.around(&path) } else { None };
            let status = match question {
                Question::Real | Question::OwnStatus => self.status_for(&path, *question),
                _ => {
                    if last.0.as_os_str() != path.as_os_str() {
                        let status = self.base.status(&path).ok();
                        last = (path.clone(), status);
                    }
                    last.1.as_ref().map(|status| Brief::of(status, *question))
                }
            };
            if !self.is_same(&path, *question, status, stamp) {
                changed.push(path);
            } else if may_be_gone {
                let is_gone = self.base.own_status(&path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
                stamp.gone_from = folder.filter(|_| is_gone);
            }
        }
        if changed.is_empty() {
            look.all_is_gone(self.base.host().now());
        }
        drop(seen);
        changed.sort_unstable();
        self.add_new_projects(&mut changed);
        changed
    }

    /// Accepts the current state of a path.
    pub fn accept(&self, path: &Path) {
        if let Some(folder) = path.parent().filter(|folder| self.without_project().remove(folder.as_os_str()).is_some()) {
            let mut seen = self.seen();
            for path in PROJECT_NAMES.map(|name| folder.join(name)) {
                // Nothing was there; the state of the given path is read below.
                let key = seen.key(&path, Question::Status);
                seen.names.insert(key, Stamp::gone(AskedAs::Nothing));
            }
        }
        let questions = [Question::Bytes, Question::Status, Question::OwnStatus, Question::Entries, Question::Real];
        let mut seen = self.seen();
        for question in questions {
            let key = seen.key(path, question);
            if let Some(stamp) = seen.names.get_mut(&key) {
                *stamp = self.stamp(path, question, stamp.asked_as);
            }
        }
    }

    fn without_project(&self) -> MutexGuard<'_, HashMap<OsString, Duration>> {
        self.without_project.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a question, and remembers the state of the path if it is the first time. The status is read first: a change between that and the answer
    /// is noticed later.
    fn ask<T>(
        &self,
        path: &Path,
        question: Question,
        asked_as: AskedAs,
        answer: impl FnOnce(&dyn System) -> io::Result<T>,
        content: impl FnOnce(&T) -> Option<u64>,
    ) -> io::Result<T> {
        if let Some((folder, changed)) = self.projectless.without(path) {
            match changed {
                // Most of these questions are about a folder that is known.
                Some(changed) => {
                    let mut known = self.without_project();
                    if !known.contains_key(folder.as_os_str()) {
                        known.insert(folder.into(), changed);
                    }
                }
                None => {
                    let mut seen = self.seen();
                    let key = seen.key(path, question);
                    seen.names.entry(key).or_insert(Stamp::gone(asked_as));
                }
            }
            return Err(io::ErrorKind::NotFound.into());
        }
        let key = {
            let mut seen = self.seen();
            let key = seen.key(path, question);
            (!seen.names.contains_key(&key)).then_some(key)
        };
        let Some(key) = key else { return answer(&*self.base) };
        let status = self.status_for(path, question);
        let is_shown_by_status = self.shows_changes(status);
        let answer = answer(&*self.base);
        let content = answer.as_ref().ok().and_then(content);
        let stamp = Stamp::new(Found { status, content, is_shown_by_status }, asked_as);
        self.seen().names.entry(key).or_insert(stamp);
        answer
    }

    fn stamp(&self, path: &Path, question: Question, asked_as: AskedAs) -> Stamp {
        let status = self.status_for(path, question);
        let is_shown_by_status = self.shows_changes(status);
        Stamp::new(Found { status, content: self.content(path, asked_as), is_shown_by_status }, asked_as)
    }

    fn status_for(&self, path: &Path, question: Question) -> Option<Brief> {
        match question {
            Question::Real => None,
            Question::OwnStatus => self.base.own_status(path).ok().map(|status| Brief::of(&status, question)),
            _ => self.base.status(path).ok().map(|status| Brief::of(&status, question)),
        }
    }

    /// Whether a later change of a path with this status would change the status.
    fn shows_changes(&self, status: Option<Brief>) -> bool {
        let is_old = |modified: Duration| modified + MTIME_RESOLUTION < self.base.host().now();
        status.is_none_or(|status| status.modified.is_some_and(is_old))
    }

    fn content(&self, path: &Path, asked_as: AskedAs) -> Option<u64> {
        match asked_as {
            AskedAs::Bytes(role) => self.base.read(path, role).ok().map(|bytes| number(&bytes)),
            AskedAs::Entries(scope) => self.base.list(path, scope).ok().map(|entries| number_of_entries(&entries)),
            AskedAs::Real => self.base.real(path).ok().map(|real| number(&real)),
            AskedAs::Nothing => None,
        }
    }

    fn is_same(&self, path: &Path, question: Question, status: Option<Brief>, stamp: &mut Stamp) -> bool {
        let is_same_status = status == stamp.status();
        if matches!(stamp.asked_as, AskedAs::Nothing) {
            return is_same_status;
        }
        if is_same_status && stamp.is_shown_by_status() && question != Question::Real {
            return true;
        }
        // Read before the content, so that a change in between is noticed next time.
        let is_shown_by_status = self.shows_changes(status);
        let content = self.content(path, stamp.asked_as);
        let is_same = content == stamp.content();
        if is_same {
            *stamp = Stamp::new(Found { status, content, is_shown_by_status }, stamp.asked_as);
        }
        is_same
    }
}

fn number(content: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// The order of entries does not matter.
fn number_of_entries(entries: &[Entry]) -> u64 {
    let mut entries: Vec<(&OsString, u8)> = entries.iter().map(|entry| (&entry.name, entry.kind as u8)).collect();
    entries.sort_unstable();
    number(&entries)
}

impl fmt::Debug for Observed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Observed").field("base", &self.base).field("seen", &self.len()).finish_non_exhaustive()
    }
}

impl System for Observed {
    crate::delegate!(base without search);

    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions<'_>,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        let projectless = (self.kept.load(Ordering::SeqCst) > 0).then_some(&self.projectless);
        self.base.search(folders, SearchOptions { projectless, ..options }, wanted)
    }

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        self.ask(path, Question::Bytes, AskedAs::Bytes(role), |base| base.read(path, role), |bytes| Some(number(bytes)))
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.base.open_stream(path)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        self.ask(path, Question::Status, AskedAs::Nothing, |base| base.status(path), |_| None)
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.ask(path, Question::OwnStatus, AskedAs::Nothing, |base| base.own_status(path), |_| None)
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        self.ask(
            folder,
            Question::Entries,
            AskedAs::Entries(scope),
            |base| base.list(folder, scope),
            |entries| Some(number_of_entries(entries)),
        )
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.ask(path, Question::Real, AskedAs::Real, |base| base.real(path), |real| Some(number(real)))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        path::{Path, PathBuf},
        sync::Arc,
    };

    use super::Observed;
    use crate::{MemorySystem, Role, Scope, System, WritableSystem as _};

    #[test]
    fn changed_answers_are_found() {
        let files = Arc::new(MemorySystem::with_files([("a/one.toml", "1"), ("a/two.toml", "2")]));
        let observed = Observed::new(Arc::<MemorySystem>::clone(&files));
        let system: &dyn System = &observed;
        let path = |path: &str| PathBuf::from(path);
        assert_eq!(system.text(Path::new("/a/one.toml"), Role::Config).as_deref(), Some("1"));
        assert!(!system.is_file(Path::new("/b/new.toml")));
        assert_eq!(system.list(Path::new("/a"), Scope::Inside).map_or(0, |entries| entries.len()), 2);
        assert_eq!(observed.changed_files(), Vec::<PathBuf>::new());

        // Files that were not read do not matter, nor those written with the same content.
        files.put(Path::new("/a/two.toml"), "3");
        files.put(Path::new("/a/one.toml"), "1");
        assert_eq!(observed.changed_files(), Vec::<PathBuf>::new());

        files.put(Path::new("/a/one.toml"), "9");
        assert_eq!(observed.changed_files(), [path("/a/one.toml")]);
        observed.accept(Path::new("/a/one.toml"));
        assert_eq!(observed.changed_files(), Vec::<PathBuf>::new());

        files.put(Path::new("/b/new.toml"), "");
        files.remove(Path::new("/a/two.toml")).expect("it is there");
        assert_eq!(observed.changed_files(), [path("/a"), path("/b/new.toml")]);
    }

    /// Added and removed files are noticed, also if the folder was empty at the last check.
    #[cfg(unix)]
    #[test]
    fn new_files_are_noticed() {
        use std::{
            fs,
            time::{Duration, SystemTime},
        };

        use crate::OsSystem;

        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let observed = Observed::new(Arc::new(OsSystem::default()));
        let old = || {
            // Files that were changed long ago need not be checked one by one.
            let time = SystemTime::now() - Duration::from_mins(1);
            fs::File::open(&root).and_then(|folder| folder.set_modified(time)).expect("it is ours");
        };
        let names = ["one.toml", "sub/two.toml", "link.toml"].map(|name| root.join(name));
        let system: &dyn System = &observed;
        assert!(names.iter().all(|name| !system.is_file(name)));
        old();
        for _ in 0..3 {
            assert_eq!(observed.changed_files(), Vec::<PathBuf>::new());
        }
        fs::create_dir(root.join("sub")).expect("it is made");
        assert_eq!(observed.changed_files(), Vec::<PathBuf>::new());
        fs::write(&names[1], "").expect("it is written");
        assert_eq!(observed.changed_files(), [names[1].clone()]);
        fs::write(&names[0], "").expect("it is written");
        old();
        assert_eq!(observed.changed_files(), [names[0].clone(), names[1].clone()]);
        observed.accept(&names[0]);
        observed.accept(&names[1]);
        assert_eq!(observed.changed_files(), Vec::<PathBuf>::new());
        fs::remove_file(&names[0]).expect("it is there");
        assert_eq!(observed.changed_files(), [names[0].clone()]);
    }

    #[test]
    fn the_first_answer_counts() {
        let files = Arc::new(MemorySystem::with_files([("one.toml", "1")]));
        let observed = Observed::new(Arc::<MemorySystem>::clone(&files));
        let read = || observed.read(Path::new("/one.toml"), Role::Config).ok();
        assert_eq!(read(), Some(b"1".to_vec()));
        files.put(Path::new("/one.toml"), "2");
        assert_eq!(read(), Some(b"2".to_vec()));
        assert_eq!(observed.changed_files(), [PathBuf::from("/one.toml")], "who has the first answer has an old one");
    }
}
