//! The configs of folders, in the order of the launches that name them.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use cfg_check::Checked;
use cfg_compose::WrittenLaunch;
use cfg_project::FoundFile;
use cfg_schema::{Kind, Target};
use cfg_system::{Unsearched, tidy};

use super::{Job, Waiting};
use crate::threads;

/// What was found in folders.
#[derive(Default)]
pub(super) struct Gathered {
    /// The configs, in the order of their migration.
    pub(super) configs: Vec<Waiting>,
    /// The launches of several of them.
    pub(super) launches: Vec<WrittenLaunch>,
    /// The places of all of them.
    pub(super) seen: HashSet<PathBuf>,
    /// What could not be read, with the reason.
    pub(super) unread: Vec<String>,
    /// The number of configs for hosted training, which are left out.
    pub(super) hosted: usize,
}

/// What a file in a folder is.
enum Seen {
    Config(Config),
    Hosted,
    Other,
}

/// A config of a folder.
struct Config {
    path: PathBuf,
    bytes: Vec<u8>,
    kind: Option<Kind>,
    launches: Vec<WrittenLaunch>,
}

impl Job<'_> {
    /// The configs among these paths and in these folders. A file that the user names is always one.
    pub(super) fn gather(&self, paths: &[PathBuf], from: Option<&Target>) -> Gathered {
        let mut gathered = Gathered::default();
        let mut configs: BTreeMap<PathBuf, Config> = BTreeMap::new();
        let mut order: Vec<PathBuf> = Vec::new();
        let read = |found: Result<FoundFile, Unsearched>| {
            let FoundFile { path, explicit } =
                found.map_err(|error| format!("{} can't be read: {}", error.path.display(), error.error))?;
            let bytes = super::read(self.cx, &path).map_err(|error| format!("{} can't be read: {error}", path.display()))?;
            let mut notes = Vec::new();
            let config = self.config(path, bytes, explicit, &mut notes);
            Ok((config, notes))
        };
        for ended in threads::map(self.session.projects().discover(paths), read) {
            match ended {
                Ok((config, notes)) => {
                    self.say_once(notes);
                    let config = match config {
                        Seen::Config(config) => config,
                        Seen::Hosted => {
                            gathered.hosted += 1;
                            continue;
                        }
                        Seen::Other => continue,
                    };
                    let place = tidy(&self.cx.system.absolute(&config.path));
                    order.push(place.clone());
                    configs.insert(place, config);
                }
                Err(why) => gathered.unread.push(why),
            }
        }
        let mut parts: HashMap<PathBuf, Kind> = HashMap::new();
        let mut sorted: Vec<PathBuf> = Vec::new();
        let mut has: HashSet<PathBuf> = HashSet::new();
        let mut known: HashSet<(Kind, Vec<String>)> = HashSet::new();
        for place in order {
            for launch in configs.get(&place).map(|config| config.launches.clone()).unwrap_or_default() {
                let files: Vec<PathBuf> = launch.files().map(|file| tidy(&self.cx.system.absolute(Path::new(file)))).collect();
                if !is_of_parts(&launch) || !files.iter().all(|file| configs.contains_key(file)) {
                    continue;
                }
                for file in files {
                    parts.entry(file.clone()).or_insert(launch.kind);
                    if has.insert(file.clone()) {
                        sorted.push(file);
                    }
                }
                if known.insert((launch.kind, launch.words.clone())) {
                    gathered.launches.push(launch);
                }
            }
            if has.insert(place.clone()) {
                sorted.push(place);
            }
        }
        gathered.seen = configs.keys().cloned().collect();
        for place in sorted {
            let Some(config) = configs.remove(&place) else { continue };
            let part = parts.get(&place).copied();
            gathered.configs.push(Waiting {
                path: config.path,
                bytes: Ok(config.bytes),
                kind: self.cx.common.kind().or(config.kind).or(part),
                from: from.cloned(),
                named_by: None,
                is_part: part.is_some(),
                rank: Vec::new(),
            });
        }
        gathered
    }

    /// A file as a config, unless it was found in a folder and is for another program, or for hosted training.
    fn config(&self, path: PathBuf, bytes: Vec<u8>, explicit: bool, notes: &mut Vec<String>) -> Seen {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let name = path.to_string_lossy();
        let look = |target: Option<Target>| self.look(&name, &text, explicit, target);
        let is_one = |checked: &Checked| {
            let is_hosted = checked.kind.is_some_and(Kind::is_hosted);
            checked.is_config && !checked.is_of_other() && !is_hosted && (checked.kind.is_some() || !checked.kinds.is_empty())
        };
        let checked = look(None);
        // The keys of a migrated file may be those of a config only for the new prime-rl.
        let kind = match is_one(&checked) {
            true => checked.kind,
            false if explicit => None,
            false => match look(Some(self.goal(&path, notes))) {
                now if is_one(&now) => now.kind,
                _ if checked.kind.is_some_and(Kind::is_hosted) => return Seen::Hosted,
                _ => return Seen::Other,
            },
        };
        let launches = self.session.projects().launches_of(&*self.cx.system, &path, &cfg_compose::launches(&text));
        drop(name);
        Seen::Config(Config { path, bytes, kind, launches })
    }

    /// Checks a file.
    pub(super) fn look(&self, path: &str, text: &str, named: bool, target: Option<Target>) -> Checked {
        let request = cfg_check::Request {
            named,
            kind: self.cx.common.kind(),
            target,
            ..cfg_check::Request::new(path, text.strip_prefix('\u{feff}').unwrap_or(text))
        };
        cfg_check::check(self.session, request)
    }

    /// The root of the repository around the working folder, relative to that folder where possible; the folder itself outside of one.
    pub(super) fn whole_project(&self) -> PathBuf {
        let root = self.session.projects().repository(Path::new("rl.toml"));
        PathBuf::from(self.cx.system.shown(&root))
    }
}

/// Whether a launch merges several files into one config.
fn is_of_parts(launch: &WrittenLaunch) -> bool {
    let is_of_component = |at: usize| at > 0 && launch.words[at - 1].starts_with("--");
    let signs = launch.words.iter().enumerate().filter(|(_, word)| word.starts_with('@'));
    let merged = signs.filter(|(at, _)| !is_of_component(*at)).count();
    merged > 1 && merged == launch.files().count()
}
