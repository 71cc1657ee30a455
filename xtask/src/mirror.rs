//! Sources of prime-rl and verifiers at any commit, read from clones of their repositories.

use std::{
    collections::{BTreeMap, HashMap},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use cfg_python::{PackageDeclarations, Packaged, Program};
use cfg_schema::{History, Kind, Point, Role, Unread};
use cfg_system::MemorySystem;

/// A repository, whose blobs are read through one `git cat-file`.
struct Repository {
    path: PathBuf,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
    _cat: Child,
    blobs: HashMap<String, String>,
}

/// prime-rl, and verifiers.
pub(crate) struct Mirror {
    prime_rl: Repository,
    verifiers: Option<Repository>,
    /// A folder with packages that have no available repository: unpacked wheels, or folders of them for each pinned commit.
    site: Option<PathBuf>,
}

pub(crate) struct MainLineCommit {
    pub(crate) sha: String,
    /// The commit date in git's format: `2026-01-06T10:22:00-08:00`.
    pub(crate) date: String,
    pub(crate) subject: String,
    /// The files that it changed.
    pub(crate) paths: Vec<String>,
}

pub(crate) struct Tag {
    pub(crate) name: String,
    /// The commit that it names.
    pub(crate) sha: String,
    pub(crate) date: String,
}

/// A class that comes with verifiers: its place, such as `harness.codex`, and its declarations.
pub(crate) type Shipped = (String, Result<PackageDeclarations, String>);

/// What an environment of verifiers' repository has for a role: its place, such as `taskset.gsm8k`, and its declarations; `None` if its class is
/// that of the role.
pub(crate) type OfEnvironment = (String, Result<Option<PackageDeclarations>, String>);

/// The folders in which verifiers looks up ids, and the names of the fields with such an id.
const GROUPS: [(Role, &str, &str); 4] = [
    (Role::Harness, "harnesses", "harness"),
    (Role::Taskset, "tasksets", "taskset"),
    (Role::Judge, "judges", "judge"),
    (Role::Environment, "envs", "env"),
];

/// The folders with prime-rl's own code.
const OWN: [&str; 2] = ["src", "packages/prime-rl-configs/src"];

impl Repository {
    fn at(path: PathBuf) -> Result<Self, String> {
        let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        if !path.is_dir() {
            return Err(said(&"there is no such folder"));
        }
        let mut cat = Command::new("git");
        cat.arg("-C").arg(&path).args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut cat = cat.spawn().map_err(|error| said(&error))?;
        let (asked, answers) = (cat.stdin.take().ok_or("no input")?, cat.stdout.take().ok_or("no output")?);
        Ok(Self { path, asked, answers: BufReader::new(answers), _cat: cat, blobs: HashMap::new() })
    }

    fn git(&self, words: &[&str]) -> Result<String, String> {
        let done = Command::new("git").arg("-C").arg(&self.path).args(words).output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            let why = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{}: git {}: {}", self.path.display(), words.join(" "), why.trim()));
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    fn blob(&mut self, sha: &str) -> Result<String, String> {
        if let Some(known) = self.blobs.get(sha) {
            return Ok(known.clone());
        }
        let said = |error: std::io::Error| format!("{sha}: {error}");
        writeln!(self.asked, "{sha}").map_err(said)?;
        let mut head = String::new();
        self.answers.read_line(&mut head).map_err(said)?;
        let size =
            head.trim().rsplit(' ').next().and_then(|size| size.parse().ok()).ok_or_else(|| format!("{sha} is not a blob"))?;
        let mut bytes = vec![0; size];
        self.answers.read_exact(&mut bytes).map_err(said)?;
        self.answers.read_line(&mut String::new()).map_err(said)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.blobs.insert(sha.to_owned(), text.clone());
        Ok(text)
    }

    /// Puts the Python files in a folder of a commit into a system.
    fn put(&mut self, system: &MemorySystem, commit: &str, folder: &str, below: &Path) -> Result<(), String> {
        let listed = self.git(&["ls-tree", "-r", "-z", commit, "--", folder])?;
        for entry in listed.split('\0').filter(|entry| Path::new(entry).extension().is_some_and(|ending| ending == "py")) {
            let Some((head, path)) = entry.split_once('\t') else { continue };
            let Some(sha) = head.split(' ').nth(2) else { continue };
            system.put(&below.join(path), &self.blob(sha)?);
        }
        Ok(())
    }
}

/// A line that begins a class or the function that is looked for.
struct Definition {
    path: String,
    line: String,
    /// The class that it begins, or that it is in.
    class: String,
    is_function: bool,
}

/// The classes in folders of a commit, and the functions of a name.
fn definitions(repository: &Repository, commit: &str, folders: &[&str], function: &str) -> Vec<Definition> {
    let pattern = format!("^class [A-Za-z_]+|^ *(async )?def {function}\\(");
    // It finds nothing if it fails.
    let found = repository.git(&[&["grep", "-nE", &pattern, commit, "--"], folders].concat()).unwrap_or_default();
    let mut class = (String::new(), String::new());
    let lines = found.lines().filter_map(|line| {
        let mut parts = line.splitn(4, ':').skip(1);
        let (path, line, text) = (parts.next()?.to_owned(), parts.next()?.to_owned(), parts.next()?);
        let name = text.strip_prefix("class ");
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        match name.and_then(|name| name.split(|letter| !is_name(letter)).next()) {
            Some(name) => class = (path.clone(), name.to_owned()),
            // A function of the module.
            None if class.0 != path || !text.starts_with(' ') => class = (path.clone(), String::new()),
            None => {}
        }
        Some(Definition { path, line, class: class.1.clone(), is_function: name.is_none() })
    });
    lines.collect()
}

/// The place of the function in a class.
fn place_in(found: &[Definition], class: &str) -> Option<String> {
    let own = found.iter().find(|line| line.is_function && line.class == class)?;
    Some(format!("{}:{}", own.path, own.line))
}

impl Mirror {
    /// The clones in two folders, and a folder with further packages in the form of an environment.
    pub(crate) fn at(prime_rl: &Path, verifiers: Option<&Path>, site: Option<&Path>) -> Result<Self, String> {
        let at = |path: &Path| Repository::at(path.to_owned());
        Ok(Self { prime_rl: at(prime_rl)?, verifiers: verifiers.map(at).transpose()?, site: site.map(Path::to_owned) })
    }

    /// The commits of the main line (first parents from the tip) after one of it, oldest first.
    pub(crate) fn later_than(&self, last: &str) -> Result<Vec<MainLineCommit>, String> {
        let main_line = self.prime_rl.git(&["rev-list", "--first-parent", "HEAD"])?;
        if !main_line.lines().any(|sha| sha == last) {
            return Err(format!("{}: {last} is not on its main line", self.prime_rl.path.display()));
        }
        let range = format!("{last}..HEAD");
        let words = ["log", "--first-parent", "-m", "--reverse", "--no-renames", "--name-only", "--format=%x01%H%x09%cI%x09%s"];
        let listed = self.prime_rl.git(&[&["-c", "core.quotePath=false"], words.as_slice(), &[&range]].concat())?;
        let commits = listed.split('\u{1}').skip(1).map(|commit| {
            let mut lines = commit.lines();
            let mut head = lines.next().unwrap_or_default().splitn(3, '\t').map(str::to_owned);
            let (sha, date, subject) = (head.next(), head.next(), head.next());
            MainLineCommit {
                sha: sha.unwrap_or_default(),
                date: with_z(&date.unwrap_or_default()),
                subject: subject.unwrap_or_default(),
                paths: lines.filter(|path| !path.is_empty()).map(str::to_owned).collect(),
            }
        });
        Ok(commits.collect())
    }

    /// All tags of commits.
    pub(crate) fn tags(&self) -> Result<Vec<Tag>, String> {
        // For an annotated tag, the field with a star is the commit.
        let date = "committerdate:iso-strict";
        let format = format!("--format=%(refname:strip=2)%09%(objectname)%09%({date})%09%(*objectname)%09%(*{date})");
        let listed = self.prime_rl.git(&["for-each-ref", &format, "refs/tags"])?;
        let tags = listed.lines().filter_map(|line| match *line.split('\t').collect::<Vec<_>>() {
            [name, sha, date, "", _] | [name, _, _, sha, date] => {
                Some(Tag { name: name.to_owned(), sha: sha.to_owned(), date: with_z(date) })
            }
            _ => None,
        });
        Ok(tags.collect())
    }

    pub(crate) fn ancestors(&self, commit: &str) -> Result<Vec<String>, String> {
        Ok(self.prime_rl.git(&["rev-list", commit])?.lines().map(str::to_owned).collect())
    }

    /// The commit of verifiers that a commit of prime-rl names, as a submodule or in `uv.lock`; `None` if it names none.
    pub(crate) fn verifiers_of(&self, commit: &str) -> Result<Option<String>, String> {
        Ok(self.pin_of(commit, "verifiers")?.filter(|pin| pin.len() == 40))
    }

    /// The commit or version of a package that a commit of prime-rl names, as a submodule or in `uv.lock`; `None` if it names none.
    pub(crate) fn pin_of(&self, commit: &str, package: &str) -> Result<Option<String>, String> {
        if let Some(pinned) = self.submodule(commit, &format!("deps/{package}"))? {
            return Ok(Some(pinned));
        }
        let lock = self.prime_rl.git(&["show", &format!("{commit}:uv.lock")])?;
        let head = format!("name = \"{package}\"\n");
        let entry = lock.split("[[package]]").find(|entry| entry.trim_start().starts_with(&head)).unwrap_or_default();
        let line = |key: &str| entry.lines().find_map(|line| line.strip_prefix(key));
        let commit = line("source = { git = ").and_then(|source| source.split_once('#')?.1.split('"').next());
        let version =
            || line("version = ").filter(|_| line("source = { registry = ").is_some()).map(|text| text.trim_matches('"'));
        Ok(commit.or_else(version).map(str::to_owned))
    }

    /// The text of a file of a commit of prime-rl.
    pub(crate) fn file(&self, commit: &str, path: &str) -> Result<String, String> {
        self.prime_rl.git(&["show", &format!("{commit}:{path}")])
    }

    /// Where a commit of prime-rl, or the verifiers that it pins, defines a function of a class: `src/prime_rl/rl.py:120`. If the class inherits it, the
    /// first place of that name beside it, or in prime-rl. The class of a function of a module is empty.
    pub(crate) fn definition(&self, commit: &str, class: &str, function: &str) -> Result<Option<String>, String> {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name(function) || !is_name(class) || function.is_empty() {
            return Ok(None);
        }
        let own = definitions(&self.prime_rl, commit, &OWN, function);
        if let Some(place) = place_in(&own, class) {
            return Ok(Some(place));
        }
        if let (Some(verifiers), Some(pin)) = (&self.verifiers, self.verifiers_of(commit)?)
            && let Some(place) = place_in(&definitions(verifiers, &pin, &["verifiers"], function), class)
        {
            return Ok(Some(format!("{place} of verifiers {}", &pin[..9])));
        }
        let home = own.iter().find(|line| line.class == class && !class.is_empty()).map(|line| &line.path);
        let mut places = own.iter().filter(|line| line.is_function);
        let beside = places.clone().find(|line| Some(&line.path) == home);
        let first = || places.next().filter(|_| home.is_some() || class.is_empty());
        Ok(beside.or_else(first).map(|line| format!("{}:{}", line.path, line.line)))
    }

    /// The first line of the message of a commit of prime-rl.
    pub(crate) fn subject(&self, commit: &str) -> Result<String, String> {
        Ok(self.prime_rl.git(&["log", "-1", "--format=%s", commit])?.trim().to_owned())
    }

    /// The classes that programs of a commit of prime-rl load.
    pub(crate) fn program_classes(
        &mut self,
        commit: &str,
        programs: &BTreeMap<String, Program>,
        point: Point,
    ) -> Result<Vec<Result<String, String>>, String> {
        let system = MemorySystem::default();
        for folder in OWN {
            self.prime_rl.put(&system, commit, folder, Path::new("/p"))?;
        }
        let programs: Vec<Program> = programs.values().cloned().collect();
        Ok(cfg_python::read_program_classes(&system, own_roots(), &programs, point))
    }

    /// The commit that a commit of prime-rl names for a submodule; `None` if it has no such submodule.
    fn submodule(&self, commit: &str, path: &str) -> Result<Option<String>, String> {
        Ok(self.prime_rl.git(&["ls-tree", commit, path])?.split_whitespace().nth(2).map(str::to_owned))
    }

    /// The folder with the packages for a commit: in `SITE`, the folder whose name begins the pinned commit of renderers, otherwise `SITE` itself.
    fn site_at(&self, commit: &str) -> Result<Option<PathBuf>, String> {
        let Some(site) = &self.site else { return Ok(None) };
        let pinned = self.submodule(commit, "deps/renderers")?;
        let own = pinned.and_then(|pinned| Some(site.join(pinned.get(..9)?))).filter(|folder| folder.is_dir());
        Ok(Some(own.unwrap_or_else(|| site.clone())))
    }

    /// Whether the clone of verifiers has a commit.
    pub(crate) fn has_verifiers(&self, commit: &str) -> bool {
        let object = format!("{commit}^{{commit}}");
        self.verifiers.as_ref().is_some_and(|verifiers| verifiers.git(&["cat-file", "-e", &object]).is_ok())
    }

    /// The config classes that come with verifiers at one of its commits: each with its role and its id, or why it can't be read.
    pub(crate) fn shipped(&mut self, pin: &str) -> Result<Vec<Shipped>, String> {
        let Some(verifiers) = &mut self.verifiers else { return Ok(Vec::new()) };
        let system = MemorySystem::default();
        verifiers.put(&system, pin, "verifiers", Path::new("/v"))?;
        let root = History::built_in().root(Kind::Orchestrator);
        let mut found = Vec::new();
        let mut add = |place: String, read: Result<Packaged, Unread>| match read {
            Ok(Packaged::Own(class)) => found.push((place, Ok(class))),
            // A module that is not looked up exports nothing.
            Ok(Packaged::Declared) | Err(Unread::Absent) => {}
            Err(Unread::Unclear(why)) => found.push((place, Err(why))),
        };
        for (role, group, name) in GROUPS {
            let folder = format!("verifiers/v1/{group}/");
            for path in verifiers.git(&["ls-tree", "--name-only", pin, "--", &folder])?.lines() {
                let id = path.strip_prefix(&folder).unwrap_or(path).trim_end_matches(".py");
                if !cfg_schema::compiler::comes_whole(role, id) {
                    continue;
                }
                let roots = vec![PathBuf::from("/v")];
                add(format!("{name}.{id}"), cfg_python::read_package(&system, roots.clone(), role, id, root, Point(0)));
                if role == Role::Taskset
                    && let Ok(Some(read)) = cfg_python::read_environment(&system, roots, id, root, Point(0))
                {
                    add(format!("env_of.{id}"), Ok(read));
                }
            }
        }
        Ok(found)
    }

    /// The config classes of the environments in verifiers' repository at one of its commits. What a taskset comes with is at `env_of`.
    pub(crate) fn environments(&mut self, pin: &str) -> Result<Vec<OfEnvironment>, String> {
        let Some(verifiers) = &mut self.verifiers else { return Ok(Vec::new()) };
        let system = MemorySystem::default();
        for folder in ["verifiers", "environments"] {
            verifiers.put(&system, pin, folder, Path::new("/v"))?;
        }
        let root = History::built_in().root(Kind::Orchestrator);
        let mut found = Vec::new();
        for path in verifiers.git(&["ls-tree", "--name-only", "-d", pin, "--", "environments/"])?.lines() {
            let home = Path::new("/v").join(path);
            let module = path.trim_start_matches("environments/").replace('-', "_");
            let roots = || vec![home.join("src"), home.clone(), PathBuf::from("/v")];
            let mut add = |table: &str, read: Result<Packaged, Unread>| match read {
                Ok(Packaged::Own(class)) => found.push((format!("{table}.{module}"), Ok(Some(class)))),
                Ok(Packaged::Declared) => found.push((format!("{table}.{module}"), Ok(None))),
                Err(Unread::Absent) => {}
                Err(Unread::Unclear(why)) => found.push((format!("{table}.{module}"), Err(why))),
            };
            for (role, _, name) in GROUPS {
                let read = cfg_python::read_package(&system, roots(), role, &module, root, Point(0));
                let is_taskset = role == Role::Taskset && read.is_ok();
                add(name, read);
                if is_taskset {
                    match cfg_python::read_environment(&system, roots(), &module, root, Point(0)) {
                        Ok(None) => {}
                        Ok(Some(packaged)) => add("env_of", Ok(packaged)),
                        Err(unread) => add("env_of", Err(unread)),
                    }
                }
            }
        }
        Ok(found)
    }

    /// The places at which the config classes of a commit use those of packages.
    pub(crate) fn seams(&mut self, commit: &str) -> Result<BTreeMap<(usize, String), cfg_schema::compiler::Seam>, String> {
        let system = MemorySystem::default();
        for folder in OWN {
            self.prime_rl.put(&system, commit, folder, Path::new("/p"))?;
        }
        Ok(cfg_python::read(&system, own_roots(), None)?.seams)
    }

    /// Reads the classes of a commit; classes without available sources are taken from the history at `base`.
    pub(crate) fn read(&mut self, commit: &str, base: Option<Point>) -> Result<cfg_python::Declarations, String> {
        let system = self.sources(commit, None)?;
        let roots = ["/p/packages/prime-rl-configs/src", "/p/src", "/v", "/s"].map(PathBuf::from).to_vec();
        cfg_python::read_with_revisions(&system, roots, base.map(cfg_python::Beside::from))
    }

    /// Reads the classes of a commit with a package from a folder in place of the one that the commit used.
    pub(crate) fn read_with(
        &mut self,
        commit: &str,
        base: Point,
        package: &str,
        folder: &Path,
    ) -> Result<cfg_python::Declarations, String> {
        let system = self.sources(commit, Some(package))?;
        put_folder(&system, &folder.join(package), &Path::new("/w").join(package))?;
        let roots = ["/p/packages/prime-rl-configs/src", "/p/src", "/w", "/v", "/s"].map(PathBuf::from).to_vec();
        cfg_python::read(&system, roots, Some(base.into()))
    }

    /// The available sources of a commit and of its packages, except for one.
    fn sources(&mut self, commit: &str, without: Option<&str>) -> Result<MemorySystem, String> {
        let system = MemorySystem::default();
        for folder in OWN {
            self.prime_rl.put(&system, commit, folder, Path::new("/p"))?;
        }
        if without != Some("verifiers")
            && let Some(pinned) = self.verifiers_of(commit)?
            && self.has_verifiers(&pinned)
            && let Some(verifiers) = &mut self.verifiers
        {
            verifiers.put(&system, &pinned, "verifiers", Path::new("/v"))?;
        }
        if let Some(site) = self.site_at(commit)? {
            put_folder(&system, &site, Path::new("/s"))?;
        }
        Ok(system)
    }
}

/// The folders with prime-rl's own code, as they are in a system.
fn own_roots() -> Vec<PathBuf> {
    ["/p/packages/prime-rl-configs/src", "/p/src"].map(PathBuf::from).to_vec()
}

/// A date in git's format, with `Z` for UTC.
fn with_z(date: &str) -> String {
    date.strip_suffix("+00:00").map_or_else(|| date.to_owned(), |date| format!("{date}Z"))
}

/// Puts the Python files of a folder into a system.
fn put_folder(system: &MemorySystem, folder: &Path, below: &Path) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(said)?.flatten() {
        let (path, place) = (entry.path(), below.join(entry.file_name()));
        if path.is_dir() {
            put_folder(system, &path, &place)?;
        } else if path.extension().is_some_and(|ending| ending == "py") {
            system.put(&place, &std::fs::read_to_string(&path).map_err(said)?);
        }
    }
    Ok(())
}
