//! Checks that the environments of the config are installed in the Python environment of prime-rl, in the required versions.

use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
};

use cfg_diag::{Diagnostic, codes};
use cfg_system::Role;

use super::{Answer, Machine, Run, Situation, version::compare};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { run: Run { plan, .. }, machine, .. } = situation;
    if plan.environments.is_empty() {
        return Answer::NotNeeded("the config has no environments");
    }
    let Some(folder) = python(*machine) else {
        return Answer::Unknown("no Python environment: neither VIRTUAL_ENV nor .venv".to_owned());
    };
    let packages: Vec<(PathBuf, Vec<String>)> = libraries(*machine, &folder);
    let installs_itself = machine.program("prime").is_some() && machine.program("uv").is_some();
    let (mut found, mut fine) = (Vec::new(), Vec::new());
    for environment in &plan.environments {
        let Some(id) = environment.base_id() else { continue };
        let name = id.rsplit('/').next().unwrap_or(id);
        if fine.iter().any(|known: &String| known == name) {
            continue;
        }
        let of_hub = id.contains('/');
        let full = environment.id.text().unwrap_or(id);
        let at = |finding: Diagnostic| {
            let finding = finding.key(environment.key.clone());
            if let Some(at) = environment.id.location().or(environment.location) { finding.at(at) } else { finding }
        };
        if let Some(installed) = installed(*machine, &packages, name) {
            let stated = situation.run.env_version.filter(|_| plan.environments.len() == 1);
            match other_version(*machine, name, &installed, stated, of_hub.then_some(full)) {
                Some(finding) => found.push(at(finding)),
                None => fine.push(name.to_owned()),
            }
            continue;
        }
        if is_installed(&packages, name) || (of_hub && installs_itself) {
            fine.push(name.to_owned());
            continue;
        }
        let message = format!("the environment `{id}` is not installed in {}", folder.display());
        let help = if of_hub {
            format!("`prime env install {full}`; prime-rl does that at startup if `prime` and `uv` are in PATH")
        } else {
            format!("`uv pip install -e PATH` with the folder of `{id}`, in the environment that runs prime-rl")
        };
        found.push(at(Diagnostic::new(&codes::MISSING_ENVIRONMENT, message).help(help)));
    }
    Answer::of(found, || fine.join(", "))
}

/// A package as recorded by its installer.
struct Installed {
    version: String,
    /// Whether it is installed from a source folder, whose version may have changed since.
    is_editable: bool,
}

fn installed(machine: Machine<'_>, libraries: &[(PathBuf, Vec<String>)], name: &str) -> Option<Installed> {
    libraries.iter().find_map(|(folder, names)| {
        names.iter().find_map(|entry| {
            let (distribution, version) = entry.strip_suffix(".dist-info")?.split_once('-')?;
            let url = machine
                .text(&folder.join(entry).join("direct_url.json"), Role::Distribution)
                .unwrap_or_default()
                .replace(' ', "");
            let is_editable = url.contains("\"editable\":true");
            (normal(distribution) == normal(name)).then(|| Installed { version: version.to_owned(), is_editable })
        })
    })
}

/// A finding if the config, or the source on this machine, has another version than the installed one.
fn other_version(
    machine: Machine<'_>,
    name: &str,
    installed: &Installed,
    stated: Option<&str>,
    of_hub: Option<&str>,
) -> Option<Diagnostic> {
    let Installed { version, is_editable } = installed;
    let again = |folder: &Path| match of_hub {
        Some(full) => format!(
            "`prime env push` in {} uploads it to the hub (`--dry-run` shows what it would send), then `prime env install \
             {full}`",
            folder.display()
        ),
        None => {
            format!("`uv pip install -e {}`, in the environment that runs prime-rl", cfg_diag::word(&folder.to_string_lossy()))
        }
    };
    // A stated version without a local part (`+build`) matches all builds of that version.
    let public = version.split('+').next().unwrap_or_default();
    let other = |meant: &str| compare(if meant.contains('+') { version } else { public }, meant).is_none_or(Ordering::is_ne);
    let source = source(machine, name).filter(|(_, source)| !is_editable && other(source));
    let (message, help) = if let Some((folder, source)) = &source {
        let message = format!("`{name}` is installed in version {version}, but its source in {} is {source}", folder.display());
        (message, again(folder))
    } else {
        let stated = stated.filter(|stated| !is_editable && other(stated))?;
        let order = match compare(version, stated) {
            Some(Ordering::Less) => ", which is older",
            Some(Ordering::Greater) => ", which is newer",
            _ => "",
        };
        let message = format!("the config is for version {stated} of `{name}`, but {version} is installed{order}");
        (message, format!("install {stated}, or set `env_version` to {version} once tested"))
    };
    Some(Diagnostic::new(&codes::MISSING_ENVIRONMENT, message).help(help))
}

/// The source folder of an environment with its version; `None` if it is in none of the usual places.
fn source(machine: Machine<'_>, name: &str) -> Option<(PathBuf, String)> {
    let folders = [
        PathBuf::from("."),
        Path::new("environments").join(name),
        Path::new("environments").join(normal(name)),
        PathBuf::from(name),
        PathBuf::from(normal(name)),
    ];
    folders.into_iter().find_map(|folder| {
        let text = machine.text(&folder.join("pyproject.toml"), Role::Project).ok()?;
        let project = text.split("\n[").find(|table| table.trim_start_matches('[').starts_with("project]"))?;
        let value = |key: &str| {
            let line = project.lines().find_map(|line| line.trim().strip_prefix(key)?.trim_start().strip_prefix('='))?;
            Some(line.trim().split(['"', '\'']).nth(1)?.to_owned())
        };
        (normal(&value("name")?) == normal(name)).then(|| value("version")).flatten().map(|version| (folder, version))
    })
}

/// The Python environment in which prime-rl would run.
fn python(machine: Machine<'_>) -> Option<PathBuf> {
    let activated = machine.variable("VIRTUAL_ENV").map(PathBuf::from);
    let known = [activated, Some(PathBuf::from(".venv")), Some(PathBuf::from("prime-rl/.venv"))];
    known.into_iter().flatten().find(|folder| machine.exists(&folder.join("pyvenv.cfg")) || machine.exists(&folder.join("lib")))
}

/// The package folders of a Python environment, each with the names of its entries.
fn libraries(machine: Machine<'_>, folder: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let lib = folder.join("lib");
    let pythons = machine.names(&lib).unwrap_or_default();
    let folders = pythons.iter().filter(|name| name.starts_with("python")).map(|name| lib.join(name).join("site-packages"));
    folders.filter_map(|folder| machine.names(&folder).ok().map(|names| (folder, names))).collect()
}

/// Whether a package of this name is installed: its module exists, or an installer has recorded it.
fn is_installed(libraries: &[(PathBuf, Vec<String>)], name: &str) -> bool {
    let module = normal(name);
    libraries.iter().flat_map(|(_, names)| names).any(|entry| {
        let distribution = entry.strip_suffix(".dist-info").and_then(|entry| entry.split_once('-')).map(|(name, _)| name);
        normal(entry.strip_suffix(".py").unwrap_or(entry)) == module || distribution.is_some_and(|name| normal(name) == module)
    })
}

/// Normalises the name of a package: `-`, `_` and `.` are equivalent.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}
