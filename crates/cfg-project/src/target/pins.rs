//! The pinned versions of verifiers and renderers for a prime-rl, for packages whose sources are not available.

use std::path::{Path, PathBuf};

use cfg_schema::{History, Target, compiler::Pin};
use cfg_system::{Role, System};
use toml::de::DeTable;

use super::{pyproject, reference, requirement, uv_lock};
use crate::git;

/// The packages whose classes prime-rl's configs use, by their Python names.
pub(super) const PACKAGES: [&str; 2] = ["verifiers", "renderers"];

/// The commits and versions of the packages that are in none of the folders `roots`: those that the project has `pinned`, or else those that the
/// prime-rl itself pins.
pub(super) fn pins(system: &dyn System, roots: &[PathBuf], pinned: &[Pin], prime_rl: &Path) -> Vec<Pin> {
    let is_absent = |package: &&str| !roots.iter().any(|root| system.is_folder(&root.join(package)));
    let absent: Vec<&'static str> = PACKAGES.into_iter().filter(is_absent).collect();
    if absent.is_empty() {
        return Vec::new();
    }
    let mut pins: Vec<Pin> = pinned.iter().filter(|(package, _)| absent.contains(package)).cloned().collect();
    let rest: Vec<&'static str> = absent.into_iter().filter(|package| pins.iter().all(|(pinned, _)| pinned != package)).collect();
    // For a commit of the main line, the pins are recorded in the history.
    let is_known = || git::head(system, prime_rl).is_some_and(|sha| Target::parse(History::built_in(), &sha).is_ok());
    if rest.is_empty() || (system.is_repository(prime_rl) && is_known()) {
        return pins;
    }
    pins.extend(of_submodules(system, prime_rl, &rest));
    let rest: Vec<&'static str> = rest.into_iter().filter(|package| pins.iter().all(|(pinned, _)| pinned != package)).collect();
    pins.extend(stated_of(system, prime_rl, &rest));
    pins
}

/// The commits and versions of packages that a project pins in addition to a prime-rl, and packages that it uses from folders.
pub(super) fn of_project(system: &dyn System, project: &Path) -> Vec<Pin> {
    let mut pins = stated(system, project);
    let open: Vec<&'static str> =
        PACKAGES.into_iter().filter(|package| pins.iter().all(|(pinned, _)| pinned != package)).collect();
    if open.is_empty() {
        return pins;
    }
    let lock = system.text(&project.join("uv.lock"), Role::LockFile);
    let manifest = system.text(&project.join("pyproject.toml"), Role::Project);
    let root = manifest.as_deref().map(|text| DeTable::parse_recoverable(text).0);
    let folder = |package: &str| {
        let locked = lock.as_ref().and_then(|text| uv_lock::entry_of(text, package)).and_then(|entry| entry.folder);
        let mut sources =
            root.iter().flat_map(|root| pyproject::sources(root.get_ref(), |name| requirement::is_same_name(name, package)));
        locked.or_else(|| sources.find_map(|table| Some(table.get("path")?.get_ref().as_str()?.to_owned())))
    };
    pins.extend(open.into_iter().filter_map(|package| Some((package, folder(package).filter(|folder| is_plain(folder))?))));
    pins
}

/// The commit of verifiers that the repository at a folder records for its submodule; for a commit of the main line it is known.
pub(crate) fn verifiers_of(system: &dyn System, folder: &Path) -> Option<String> {
    system.text(&folder.join(".gitmodules"), Role::Project).filter(|text| text.contains("deps/verifiers"))?;
    let known = git::head(system, folder).and_then(|head| cfg_schema::compiler::pin_at("verifiers", &head));
    let recorded = || of_submodules(system, folder, &["verifiers"]).pop().map(|(_, commit)| commit);
    // The index of a clone with only some of its files may lack it.
    let committed = || git::committed_submodule(system, folder, "deps/verifiers");
    known.map(str::to_owned).or_else(recorded).or_else(committed)
}

/// The submodules in `deps` that the repository at a folder records.
fn of_submodules(system: &dyn System, folder: &Path, packages: &[&'static str]) -> Vec<Pin> {
    let path = folder.join(".gitmodules");
    let modules = system.text(&path, Role::Project);
    let place = |package: &str| format!("deps/{package}");
    // Outside the repository the file may not be readable; then the text is read from git.
    let may_name = |package: &str| match &modules {
        Some(text) => text.contains(&place(package)),
        None => system.is_file(&path),
    };
    let named: Vec<&'static str> = packages.iter().copied().filter(|package| may_name(package)).collect();
    if named.is_empty() || !system.is_repository(folder) {
        return Vec::new();
    }
    let places: Vec<String> = named.iter().map(|package| place(package)).collect();
    let recorded = git::recorded_submodules(system, folder, &places);
    let pin = |package: &'static str| {
        let found = recorded.iter().find(|(path, _)| *path == place(package))?;
        Some((package, found.1.clone()))
    };
    named.into_iter().filter_map(pin).collect()
}

/// The pins in `uv.lock` or `pyproject.toml` of a folder.
pub(super) fn stated(system: &dyn System, folder: &Path) -> Vec<Pin> {
    stated_of(system, folder, &PACKAGES)
}

/// The commit or version of verifiers in `uv.lock` or `pyproject.toml` of a folder.
pub(crate) fn stated_verifiers(system: &dyn System, folder: &Path) -> Option<String> {
    stated_of(system, folder, &["verifiers"]).pop().map(|(_, pin)| pin)
}

fn stated_of(system: &dyn System, folder: &Path, packages: &[&'static str]) -> Vec<Pin> {
    if packages.is_empty() {
        return Vec::new();
    }
    let locked = text(system, folder, "uv.lock", Role::LockFile);
    let mut pins: Vec<Pin> = Vec::new();
    let mut open: Vec<&'static str> = Vec::new();
    for package in packages {
        match locked.as_ref().and_then(|text| uv_lock::pin_of(text, package)) {
            Some(pin) => pins.push((package, pin)),
            None => open.push(package),
        }
    }
    let manifest = if open.is_empty() { None } else { text(system, folder, "pyproject.toml", Role::Project) };
    if let Some(text) = manifest {
        let (root, _) = DeTable::parse_recoverable(&text);
        let root = root.get_ref();
        pins.extend(open.into_iter().filter_map(|package| Some((package, in_pyproject(root, package)?))));
    }
    pins.retain(|(_, pin)| is_plain(pin));
    pins
}

/// The text of a file in a folder. If the folder is a clone outside the repository, whose files must not be read, the committed text is used.
fn text(system: &dyn System, folder: &Path, name: &str, role: Role) -> Option<String> {
    let path = folder.join(name);
    system.text(&path, role).or_else(|| {
        let is_there = system.is_file(&path) && system.is_repository(folder);
        String::from_utf8(is_there.then(|| git::show(system, folder, &format!("HEAD:./{name}"))).flatten()?).ok()
    })
}

/// The pin of a package in `pyproject.toml`: that of its source for uv, or else of an exact requirement.
fn in_pyproject(root: &DeTable<'_>, package: &str) -> Option<String> {
    let mut sources = pyproject::sources(root, |name| requirement::is_same_name(name, package));
    // A prime-rl always uses the packages in its own folders.
    let is_own =
        |table: &&DeTable<'_>| table.get("git").and_then(|url| url.get_ref().as_str()).is_some_and(reference::names_prime_rl);
    if let Some(revision) = sources.find(|table| !is_own(table)).and_then(pyproject::revision) {
        return Some(revision.to_owned());
    }
    let mut pins = pyproject::requirements(root).into_iter();
    pins.find_map(|requirement| requirement::exact(requirement, package)).map(str::to_owned)
}

/// Whether a text can be a commit or a version. This is checked because it is quoted in messages.
fn is_plain(pin: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'!' | b'_' | b'-' | b'/');
    !pin.is_empty() && pin.len() <= 64 && pin.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::{of_project, pins, stated};

    fn found(files: &[(&str, &str)], project: Option<&str>) -> Vec<String> {
        let system = MemorySystem::with_files(files.iter().copied());
        let roots = ["/p/src", "/p/deps/verifiers"].map(Into::into);
        let pinned = project.map(|project| stated(&system, Path::new(project))).unwrap_or_default();
        let pins = pins(&system, &roots, &pinned, Path::new("/p"));
        pins.into_iter().map(|(package, pin)| format!("{package} {pin}")).collect()
    }

    const LOCK: &str = "[[package]]\nname = \"renderers\"\nversion = \"0.1.6\"\nsource = { registry = \"https://x/simple\" }\n\n[[package]]\nname = \"verifiers\"\nversion = \"0.1.11\"\nsource = { git = \"https://x/verifiers?rev=1960e77#1960e77e9df785fb29d7ffdbdf062f5333645fa1\" }\n\n";

    #[test]
    fn a_lock_file_states_commits_and_versions() {
        let wanted = ["verifiers 1960e77e9df785fb29d7ffdbdf062f5333645fa1", "renderers 0.1.6"];
        assert_eq!(found(&[("/p/uv.lock", LOCK)], None), wanted);
        // A folder is used as it is, so it needs no pin.
        let editable = LOCK.replace("registry = \"https://x/simple\"", "editable = \"deps/renderers\"");
        assert_eq!(found(&[("/p/uv.lock", &editable)], None), &wanted[..1]);
        // A package whose source is available needs no pin.
        let with_source = [("/p/uv.lock", LOCK), ("/p/deps/verifiers/verifiers/__init__.py", "")];
        assert_eq!(found(&with_source, None), &wanted[1..]);
        assert_eq!(found(&[], None), [""; 0]);
    }

    #[test]
    fn a_pyproject_states_the_target_without_a_lock_file() {
        for (text, wanted) in [
            ("[project]\ndependencies = [\"verifiers==0.1.9\", \"renderers>=0.1\"]\n", "verifiers 0.1.9"),
            (
                "[project]\ndependencies = [\"verifiers\"]\n[tool.uv.sources]\nverifiers = { git = \"https://x/v\", rev = \"ca75d04\" }\n",
                "verifiers ca75d04",
            ),
            ("[project]\ndependencies = [\"Renderers @ git+https://x/r.git@v0.1.2 ; extra == 'x'\"]\n", "renderers v0.1.2"),
            ("[project]\ndependencies = [\"verifiers-extra==0.1.9\", \"verifiers[rl] === 0.2\"]\n", "verifiers 0.2"),
            ("[project]\ndependencies = [\"verifiers==\\u001b[31m\"]\n", ""),
            ("[project]\ndependencies = [\"verifiers==0.1.*\"]\n", ""),
        ] {
            assert_eq!(found(&[("/p/pyproject.toml", text)], None).join(", "), wanted, "{text}");
        }
        // The pins of the project have priority over those of the prime-rl.
        let both = [("/p/uv.lock", LOCK), ("/q/pyproject.toml", "[project]\ndependencies = [\"verifiers==0.1.9\"]\n")];
        assert_eq!(found(&both, Some("/q")), ["verifiers 0.1.9", "renderers 0.1.6"]);
    }

    /// The packages that a project uses next to a prime-rl without sources. They include folders, which have no recorded fields,
    /// but not the packages that are parts of that prime-rl.
    #[test]
    fn a_project_may_state_packages_besides_prime_rl() {
        let own = "https://x/prime-rl?subdirectory=deps%2Frenderers&rev=0123#0123";
        let lock = LOCK.replace("registry = \"https://x/simple\"", &format!("git = \"{own}\""));
        let of = |files: &[(&str, &str)]| of_project(&MemorySystem::with_files(files.iter().copied()), Path::new("/q"));
        let verifiers = ("verifiers", "1960e77e9df785fb29d7ffdbdf062f5333645fa1".to_owned());
        assert_eq!(of(&[("/q/uv.lock", &lock)]), [verifiers]);
        let folder = "[[package]]\nname = \"verifiers\"\nsource = { editable = \"../verifiers\" }\n\n";
        assert_eq!(of(&[("/q/uv.lock", folder)]), [("verifiers", "../verifiers".to_owned())]);
        let folder =
            "[tool.uv.sources]\nverifiers = { path = \"v\" }\nrenderers = { git = \"https://x/prime-rl\", rev = \"a\" }\n";
        assert_eq!(of(&[("/q/pyproject.toml", folder)]), [("verifiers", "v".to_owned())]);
        assert_eq!(of(&[]), []);
    }
}
