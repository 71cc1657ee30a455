//! What git would open in its own folders: whether it would wait for something there, or read the files of another repository.

use std::path::{Path, PathBuf};

use super::own::Bar;
use super::{path, settings};
use crate::{Kind, Refusal, Role, System};

/// The largest file that git reads completely, in bytes: the index of half a million files.
const MAX_FILE: u64 = 64 << 20;

/// The files that git always reads completely.
const READ: [&str; 10] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "index",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
];

/// The folders in which git opens files that a question does not name. Others belong to further repositories, or to hooks and to other programs.
const FOLDERS: [&str; 7] = ["objects", "refs", "logs", "info", "reftable", "remotes", "branches"];

/// The files of a user's own settings, which may be links to the same files for other repositories. git quotes nothing of them but values of its own
/// settings.
const OF_THE_USER: [&str; 6] =
    ["config", "config.worktree", "description", "info/attributes", "info/exclude", "info/sparse-checkout"];

/// The maximum number of entries in the folders, most of which are objects. git packs objects when there are some thousand.
const MAX_ENTRIES: usize = 1_000_000;

/// The maximum number of links, alternates, and included settings. A repository as git creates it has one link at most.
const MAX_LINKS: usize = 200;

/// The deepest inclusion of settings, and chain of references, that git follows.
const MAX_DEPTH: usize = 10;

/// git's folders of a repository, each with everything that git opens in it.
pub(super) struct Opened<'s> {
    system: &'s dyn System,
    folders: Vec<PathBuf>,
    /// Their real paths.
    real: Vec<PathBuf>,
}

impl<'s> Opened<'s> {
    /// The folder of a work tree, and the one that it shares with others, which may be the same.
    pub(super) fn of(system: &'s dyn System, own: &Path, common: &Path) -> Self {
        let mut folders = vec![own.to_owned()];
        if common != own {
            folders.push(common.to_owned());
        }
        let real = folders.iter().filter_map(|folder| system.real(folder).ok()).collect();
        Self { system, folders, real }
    }

    /// Why git is not started; `None` if it may be.
    pub(super) fn bar(&self) -> Option<Bar> {
        if READ.iter().any(|name| self.folders.iter().any(|folder| self.is_odd(&folder.join(name)))) {
            return Some(Bar::Odd);
        }
        let in_folders = || self.folders.iter().find_map(|folder| self.bar_below(folder, &FOLDERS));
        in_folders()
            .or_else(|| self.bar_of_alternates())
            .or_else(|| self.bar_of_settings())
            .or_else(|| self.bar_of_reference("HEAD"))
    }

    /// Why git does not look for a reference. It follows one to the next, and those of repositories as git creates them lead to others in their own
    /// folder only.
    pub(super) fn bar_of_reference(&self, name: &str) -> Option<Bar> {
        let mut name = name.to_owned();
        for _ in 0..MAX_DEPTH {
            let places = || self.folders.iter().map(|folder| folder.join(&name));
            if places().any(|place| self.is_odd(&place)) {
                return Some(Bar::Odd);
            }
            let mut read = places().map(|place| self.system.read_if_there(&place, Role::GitFile));
            let Ok(bytes) = read.find_map(Result::transpose)? else { return Some(Bar::Odd) };
            let next = String::from_utf8_lossy(bytes.strip_prefix(b"ref:")?).trim().to_owned();
            if !next.starts_with("refs/") || next.split('/').any(|part| part == "..") {
                return Some(Bar::Odd);
            }
            name = next;
        }
        None
    }

    /// Whether git would wait for a file, or read it for a long time.
    fn is_odd(&self, file: &Path) -> bool {
        let is_odd = |kind, size| kind == Kind::Other || kind == Kind::File && size > MAX_FILE;
        self.system.status(file).is_ok_and(|status| is_odd(status.kind, status.size))
    }

    /// Why git is not started, by what is directly in a folder and below those in it.
    fn bar_below(&self, folder: &Path, entered: &[&str]) -> Option<Bar> {
        let is_entered = |name: &std::ffi::OsStr| entered.is_empty() || entered.iter().any(|entered| name == *entered);
        let Some(unusual) = self.system.host().unusual_below(folder, &is_entered, MAX_ENTRIES) else { return Some(Bar::Odd) };
        if unusual.len() > MAX_LINKS || unusual.iter().any(|(_, kind)| *kind != Kind::Link) {
            return Some(Bar::Odd);
        }
        // git opens no such name, but an editor locks its file by a link with one.
        let is_hidden = |name: &Path| name.as_os_str().as_encoded_bytes().starts_with(b".");
        let links = unusual.iter().filter_map(|(path, _)| Some((path, path.strip_prefix(folder).ok()?)));
        links.filter(|(_, name)| !is_hidden(name)).find_map(|(path, name)| self.bar_of_link(path, name, entered))
    }

    /// Why git does not follow a link in one of its folders.
    fn bar_of_link(&self, link: &Path, name: &Path, entered: &[&str]) -> Option<Bar> {
        let Ok(status) = self.system.status(link) else { return Some(Bar::Foreign) };
        let is_direct = name.components().count() == 1;
        match status.kind {
            Kind::Folder if is_direct && !entered.is_empty() && !entered.iter().any(|entered| name == Path::new(entered)) => None,
            Kind::File if status.size <= MAX_FILE => {
                let is_settings = OF_THE_USER.iter().any(|own| name == Path::new(own));
                let may_be_read = self.is_own(link) || is_settings && self.may_be_settings(link);
                (!may_be_read).then_some(Bar::Foreign)
            }
            Kind::Folder => Some(Bar::Foreign),
            _ => Some(Bar::Odd),
        }
    }

    /// Whether a path leads to something in these folders.
    fn is_own(&self, path: &Path) -> bool {
        self.system.real(path).is_ok_and(|real| self.real.iter().any(|own| real.starts_with(own)))
    }

    /// Whether a file outside may be one with settings: the kernel generates others while they are read, and may wait meanwhile.
    fn may_be_settings(&self, file: &Path) -> bool {
        let is_made_up = |real: &Path| ["/proc", "/sys", "/dev"].iter().any(|made_up| real.starts_with(made_up));
        self.system.real(file).is_ok_and(|real| !is_made_up(&real)) && self.system.may_look(file)
    }

    /// Why git does not use the further folders of objects that its own folder of objects names, and they name in turn: they must be in its own folders.
    fn bar_of_alternates(&self) -> Option<Bar> {
        let mut found: Vec<PathBuf> = self.folders.iter().map(|folder| folder.join("objects")).collect();
        let mut at = 0;
        while let Some(objects) = found.get(at).cloned() {
            if at >= self.folders.len() {
                let bar = self.bar_below(&objects, &[]);
                if bar.is_some() || self.is_odd(&objects.join("info/alternates")) {
                    return bar.or(Some(Bar::Odd));
                }
            }
            at += 1;
            let Ok(named) = self.system.read_if_there(&objects.join("info/alternates"), Role::GitFile) else {
                return Some(Bar::Foreign);
            };
            for line in named.unwrap_or_default().split(|byte| *byte == b'\n') {
                if line.is_empty() || line.starts_with(b"#") {
                    continue;
                }
                let alternate = objects.join(path(line));
                if !self.is_own(&alternate) || found.len() > MAX_LINKS {
                    return Some(Bar::Foreign);
                }
                if !found.contains(&alternate) {
                    found.push(alternate);
                }
            }
        }
        None
    }

    /// Why git does not read the settings, and those that they include. An included file may be anywhere, but git would wait for a pipe.
    fn bar_of_settings(&self) -> Option<Bar> {
        let files = self.folders.iter().flat_map(|folder| ["config", "config.worktree"].map(|name| folder.join(name)));
        let mut rest: Vec<(PathBuf, usize)> = files.map(|file| (file, 0)).collect();
        let mut count = rest.len();
        while let Some((file, depth)) = rest.pop() {
            let bytes = match self.system.read_if_there(&file, Role::GitFile) {
                Ok(bytes) => bytes.unwrap_or_default(),
                // Settings of the user, which a link leads to.
                Err(error) if Refusal::of(&error) == Some(Refusal::Outside) => continue,
                Err(_) => return Some(Bar::Odd),
            };
            for setting in settings::parse(&bytes) {
                // References may be kept outside the folder.
                if setting.section == "extensions" && setting.name == "refstorage" && setting.value.contains(&b':') {
                    return Some(Bar::Foreign);
                }
                if !matches!(&*setting.section, "include" | "includeif") || setting.name != "path" {
                    continue;
                }
                let Some(included) = self.included(&file, &setting.value) else { return Some(Bar::Odd) };
                count += 1;
                if self.is_odd(&included) || depth >= MAX_DEPTH || count > MAX_LINKS {
                    return Some(Bar::Odd);
                }
                // A process that is limited to some folders does not report whether there is a file elsewhere.
                let may_look = self.system.may_look(&included);
                if !may_look || self.system.exists(&included) && !self.may_be_settings(&included) {
                    return Some(Bar::Foreign);
                }
                rest.push((included, depth + 1));
            }
        }
        None
    }

    /// The path of settings that a file includes; `None` if it depends on another user, or on how git is installed.
    fn included(&self, file: &Path, value: &[u8]) -> Option<PathBuf> {
        if let Some(rest) = value.strip_prefix(b"~/") {
            return Some(PathBuf::from(self.system.host().variable("HOME")?).join(path(rest)));
        }
        let is_special = value.starts_with(b"~") || value.starts_with(b"%(");
        (!is_special).then(|| file.parent().unwrap_or(Path::new("")).join(path(value)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        path::{Path, PathBuf},
    };

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::super::own::{Bar, Place};
    use crate::{Admission, OsSystem, System};

    /// Two repositories beside each other, as far as git opens their files: `clone`, and `victim`.
    struct Repositories(tempfile::TempDir);

    impl Repositories {
        fn new() -> Self {
            let own = Self(tempfile::tempdir().expect("a folder"));
            for name in ["clone", "victim"] {
                for folder in ["objects/info", "objects/pack", "objects/ab", "refs/heads", "logs/refs/heads", "info", "hooks"] {
                    fs::create_dir_all(own.at(name).join(".git").join(folder)).expect("a folder");
                }
                own.write(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
                own.write(&format!("{name}/.git/refs/heads/main"), &"a".repeat(40));
                own.write(&format!("{name}/.git/objects/ab/{}", "c".repeat(38)), "");
                own.write(&format!("{name}/.git/config"), "[core]\n\tbare = false\n");
            }
            own
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().expect("the folder").join(path)
        }

        fn write(&self, path: &str, text: &str) {
            fs::create_dir_all(self.at(path).parent().expect("a folder")).expect("a folder");
            fs::write(self.at(path), text).expect("written");
        }

        fn pipe(&self, path: &str) {
            let _ = fs::remove_file(self.at(path));
            fs::create_dir_all(self.at(path).parent().expect("a folder")).expect("a folder");
            mknodat(CWD, self.at(path), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        }

        /// Makes a link in place of what is in the clone.
        fn link(&self, target: &Path, path: &str) {
            let place = self.at(path);
            if place.is_dir() {
                fs::remove_dir_all(&place).expect("removed");
            } else {
                let _ = fs::remove_file(&place);
            }
            symlink(target, place).expect("a link");
        }

        fn bar(&self) -> Option<Bar> {
            let system = OsSystem::new();
            system.admit(&self.at("clone"), Admission::Named);
            let place = Place::around(&system, &self.at("clone")).expect("a repository");
            place.bar(&system, ["refs/heads/main".to_owned()].into_iter())
        }
    }

    #[test]
    fn git_waits_for_no_pipe_wherever_it_opens_files() {
        assert_eq!(Repositories::new().bar(), None);
        let object = format!("objects/ab/{}", "d".repeat(38));
        for place in [
            "HEAD",
            "index",
            "sharedindex.0",
            "FETCH_HEAD",
            "config.worktree",
            "objects/pack/multi-pack-index",
            "objects/pack/x.idx",
            "objects/info/commit-graph",
            "objects/info/commit-graphs/commit-graph-chain",
            &object,
            "refs/heads/x/y",
            "refs/replace/x",
            "reftable/tables.list",
            "logs/HEAD",
            "info/exclude",
            "info/sparse-checkout",
        ] {
            let both = Repositories::new();
            both.pipe(&format!("clone/.git/{place}"));
            assert_eq!(both.bar(), Some(Bar::Odd), "{place}");
            // Behind a link it is the same.
            let linked = Repositories::new();
            linked.pipe("clone/pipe");
            linked.write(&format!("clone/.git/{place}"), "");
            linked.link(&linked.at("clone/pipe"), &format!("clone/.git/{place}"));
            assert_eq!(linked.bar(), Some(Bar::Odd), "{place}");
        }
        for (text, pipe) in [
            ("[include]\n\tpath = inc\n", "clone/.git/inc"),
            ("[includeIf \"gitdir:/\"] PATH=../\\\ninc # x", "clone/inc"),
            ("[include] path = more\n", "clone/.git/nested"),
        ] {
            let both = Repositories::new();
            both.write("clone/.git/config", text);
            both.write("clone/.git/more", "[include] path = \"nested\"\n");
            assert_eq!(both.bar(), None, "{text}");
            both.pipe(pipe);
            assert_eq!(both.bar(), Some(Bar::Odd), "{text}");
        }
        let both = Repositories::new();
        both.write("clone/.git/refs/heads/main", "ref: hooks/pipe\n");
        assert_eq!(both.bar(), Some(Bar::Odd), "a reference outside the folder of references");
        let large = " ".repeat(17 << 20);
        both.write("clone/.git/refs/heads/main", &format!("ref: {large}hooks/pipe\n"));
        assert_eq!(both.bar(), Some(Bar::Odd), "a reference that is too large to be read here");
        let both = Repositories::new();
        both.write("clone/.git/config", &format!("{large}[include] path = inc\n"));
        assert_eq!(both.bar(), Some(Bar::Odd), "settings that are too large to be read here");
    }

    #[test]
    fn settings_that_include_themselves_are_bounded() {
        let both = Repositories::new();
        both.write("clone/.git/config", "[include] path = config\n");
        assert_eq!(both.bar(), Some(Bar::Odd));
        both.write("clone/.git/config", &"[include] path = a\n".repeat(20));
        both.write("clone/.git/a", &"[include] path = b\n".repeat(20));
        assert_eq!(both.bar(), Some(Bar::Odd));
    }

    #[test]
    fn nothing_leads_to_the_files_of_another_repository() {
        let object = format!("objects/ab/{}", "c".repeat(38));
        for place in [
            "objects",
            "objects/pack",
            "objects/info",
            "objects/ab",
            &object,
            "refs",
            "refs/heads",
            "refs/heads/main",
            "logs",
            "logs/refs",
            "info",
            "HEAD",
        ] {
            let both = Repositories::new();
            both.link(&both.at(&format!("victim/.git/{place}")), &format!("clone/.git/{place}"));
            assert_eq!(both.bar(), Some(Bar::Foreign), "{place}");
        }
        for (alternates, nested) in [
            ("../../../victim/.git/objects\n", ""),
            ("# first\n\n../more\n", "../../../victim/.git/objects"),
            ("../missing\n", ""),
            ("\"../more\"\n", ""),
        ] {
            let both = Repositories::new();
            both.write("clone/.git/objects/info/alternates", alternates);
            both.write("clone/.git/more/info/alternates", nested);
            assert_eq!(both.bar(), Some(Bar::Foreign), "{alternates}");
        }
        let both = Repositories::new();
        both.write("clone/.git/config", "[extensions]\nrefStorage = \"files:///victim/.git\"\n");
        assert_eq!(both.bar(), Some(Bar::Foreign));
        for stated in [b"../../victim/.git\n".as_slice(), b"x\xff/../../../victim/.git"] {
            let both = Repositories::new();
            fs::write(both.at("clone/.git/commondir"), stated).expect("written");
            fs::create_dir(both.at("clone/.git").join(super::path(b"x\xff"))).expect("a folder");
            assert_eq!(both.bar(), Some(Bar::Foreign), "{stated:?}");
        }
        let both = Repositories::new();
        both.write("clone/.git/objects/info/alternates", "../more\n");
        both.write("clone/.git/more/pack/x.pack", "");
        assert_eq!(both.bar(), None, "its own folder");
        both.pipe("clone/.git/more/pack/x.idx");
        assert_eq!(both.bar(), Some(Bar::Odd));
    }

    #[test]
    fn a_repository_in_a_folder_of_git_is_another_one() {
        let both = Repositories::new();
        both.write("clone/.git/modules/x/HEAD", "ref: refs/heads/main\n");
        let system = OsSystem::new();
        system.admit(&both.at("clone"), Admission::Named);
        let place = Place::around(&system, &both.at("clone/.git/modules/x")).expect("a repository");
        assert_eq!(place.bar(&system, std::iter::empty()), Some(Bar::Foreign));
    }

    #[test]
    fn what_users_keep_elsewhere_does_not_matter() {
        let both = Repositories::new();
        both.write("home/exclude", "*.log\n");
        both.write("home/settings", "[user] name = me\n");
        both.link(&both.at("home/exclude"), "clone/.git/info/exclude");
        both.link(&both.at("victim/.git/hooks"), "clone/.git/hooks");
        both.link(&both.at("home"), "clone/.git/lfs");
        both.link(Path::new("me@host.1"), "clone/.git/.#COMMIT_EDITMSG");
        both.write("clone/.git/config", &format!("[include] path = {}\n", both.at("home/settings").display()));
        assert_eq!(both.bar(), None);
    }
}
