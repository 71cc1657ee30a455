//! The verifiers and renderers that a prime-rl uses, if their sources are not available.

use std::path::{Path, PathBuf};

use cfg_schema::{History, Target};
use cfg_system::{Role, System};
use toml::de::DeTable;

use super::{pyproject, requirement, uv_lock};
use crate::git;

/// The packages whose classes prime-rl's configs use, by their Python names.
const PACKAGES: [&str; 2] = ["verifiers", "renderers"];

/// The pinned commits and versions of those packages that none of the folders `roots` contains: from the project that uses a prime-rl, if that is in
/// another folder, else from that prime-rl.
pub(super) fn pins(
    system: &dyn System,
    roots: &[PathBuf],
    project: Option<&Path>,
    prime_rl: &Path,
) -> Vec<(&'static str, String)> {
    let is_absent = |package: &&str| !roots.iter().any(|root| system.is_folder(&root.join(package)));
    let absent: Vec<&'static str> = PACKAGES.into_iter().filter(is_absent).collect();
    if absent.is_empty() {
        return Vec::new();
    }
    let mut pins = project.map(|project| stated(system, project, &absent)).unwrap_or_default();
    let rest: Vec<&'static str> = absent.into_iter().filter(|package| pins.iter().all(|(pinned, _)| pinned != package)).collect();
    // The pins of a main-line commit are known.
    let is_known = || git::head(system, prime_rl).is_some_and(|sha| Target::parse(History::built_in(), &sha).is_ok());
    if rest.is_empty() || (system.is_repository(prime_rl) && is_known()) {
        return pins;
    }
    pins.extend(of_submodules(system, prime_rl, &rest));
    let rest: Vec<&'static str> = rest.into_iter().filter(|package| pins.iter().all(|(pinned, _)| pinned != package)).collect();
    pins.extend(stated(system, prime_rl, &rest));
    pins
}

/// The submodules in `deps` that the repository at a folder records.
fn of_submodules(system: &dyn System, folder: &Path, packages: &[&'static str]) -> Vec<(&'static str, String)> {
    let modules = system.text(&folder.join(".gitmodules"), Role::Project);
    let place = |package: &str| format!("deps/{package}");
    let named: Vec<&'static str> =
        packages.iter().copied().filter(|package| modules.as_ref().is_none_or(|text| text.contains(&place(package)))).collect();
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
fn stated(system: &dyn System, folder: &Path, packages: &[&'static str]) -> Vec<(&'static str, String)> {
    if packages.is_empty() {
        return Vec::new();
    }
    let locked = system.text(&folder.join("uv.lock"), Role::LockFile);
    let mut pins: Vec<(&'static str, String)> = Vec::new();
    let mut open: Vec<&'static str> = Vec::new();
    for package in packages {
        match locked.as_ref().and_then(|text| uv_lock::pin_of(text, package)) {
            Some(pin) => pins.push((package, pin)),
            None => open.push(package),
        }
    }
    let text = if open.is_empty() { None } else { system.text(&folder.join("pyproject.toml"), Role::Project) };
    if let Some(text) = text {
        let (root, _) = DeTable::parse_recoverable(&text);
        let root = root.get_ref();
        pins.extend(open.into_iter().filter_map(|package| Some((package, in_pyproject(root, package)?))));
    }
    pins.retain(|(_, pin)| is_plain(pin));
    pins
}

/// The pin of a package in `pyproject.toml`: its source for uv, else an exact requirement.
fn in_pyproject(root: &DeTable<'_>, package: &str) -> Option<String> {
    let mut sources = pyproject::sources(root, |name| requirement::is_same_name(name, package));
    if let Some(revision) = sources.find_map(pyproject::revision) {
        return Some(revision.to_owned());
    }
    let mut pins = pyproject::requirements(root).into_iter();
    pins.find_map(|requirement| requirement::exact(requirement, package)).map(str::to_owned)
}

/// Whether a text can be a commit or a version: it is shown in messages.
fn is_plain(pin: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'!' | b'_' | b'-' | b'/');
    !pin.is_empty() && pin.len() <= 64 && pin.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::pins;

    fn found(files: &[(&str, &str)], project: Option<&str>) -> Vec<String> {
        let system = MemorySystem::with_files(files.iter().copied());
        let roots = ["/p/src", "/p/deps/verifiers"].map(Into::into);
        let pins = pins(&system, &roots, project.map(Path::new), Path::new("/p"));
        pins.into_iter().map(|(package, pin)| format!("{package} {pin}")).collect()
    }

    const LOCK: &str = "[[package]]\nname = \"renderers\"\nversion = \"0.1.6\"\nsource = { registry = \"https://x/simple\" }\n\n[[package]]\nname = \"verifiers\"\nversion = \"0.1.11\"\nsource = { git = \"https://x/verifiers?rev=1960e77#1960e77e9df785fb29d7ffdbdf062f5333645fa1\" }\n\n";

    #[test]
    fn a_lock_file_states_commits_and_versions() {
        let wanted = ["verifiers 1960e77e9df785fb29d7ffdbdf062f5333645fa1", "renderers 0.1.6"];
        assert_eq!(found(&[("/p/uv.lock", LOCK)], None), wanted);
        // A folder is used as it is.
        let editable = LOCK.replace("registry = \"https://x/simple\"", "editable = \"deps/renderers\"");
        assert_eq!(found(&[("/p/uv.lock", &editable)], None), &wanted[..1]);
        // An available source needs no pin.
        let with_source = [("/p/uv.lock", LOCK), ("/p/deps/verifiers/verifiers/__init__.py", "")];
        assert_eq!(found(&with_source, None), &wanted[1..]);
        assert_eq!(found(&[], None), [""; 0]);
    }

    #[test]
    fn a_pyproject_states_it_where_nothing_is_locked() {
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
        // The project that uses a prime-rl takes precedence over it.
        let both = [("/p/uv.lock", LOCK), ("/q/pyproject.toml", "[project]\ndependencies = [\"verifiers==0.1.9\"]\n")];
        assert_eq!(found(&both, Some("/q")), ["verifiers 0.1.9", "renderers 0.1.6"]);
    }
}
