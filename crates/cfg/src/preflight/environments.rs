//! Whether the environments of the config are installed beside prime-rl.

use std::path::{Path, PathBuf};

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Machine, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { plan, machine, .. } = situation;
    if plan.environments.is_empty() {
        return Answer::NotNeeded("it has none");
    }
    let Some(folder) = python(*machine) else {
        return Answer::Unknown("there is no Python environment here: neither VIRTUAL_ENV nor .venv".to_owned());
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
        if is_installed(&packages, name) || (of_hub && installs_itself) {
            fine.push(name.to_owned());
            continue;
        }
        let message = format!("the environment `{id}` is not installed in {}", folder.display());
        let full = environment.id.text().unwrap_or(id);
        let help = if of_hub {
            format!("`prime env install {full}`; prime-rl does that itself at the start where `prime` and `uv` are in the PATH")
        } else {
            format!("`uv pip install -e PATH` with the folder of `{id}`, into the environment that runs prime-rl")
        };
        let finding = Diagnostic::new(&codes::MISSING_ENVIRONMENT, message).help(help).key(environment.key.clone());
        found.push(if let Some(at) = environment.id.location().or(environment.location) { finding.at(at) } else { finding });
    }
    Answer::of(found, || fine.join(", "))
}

/// The Python environment that would run prime-rl.
fn python(machine: &dyn Machine) -> Option<PathBuf> {
    let activated = machine.variable("VIRTUAL_ENV").map(PathBuf::from);
    let known = [activated, Some(PathBuf::from(".venv")), Some(PathBuf::from("prime-rl/.venv"))];
    known.into_iter().flatten().find(|folder| machine.exists(&folder.join("pyvenv.cfg")) || machine.exists(&folder.join("lib")))
}

/// Its folders of packages, with what lies in them.
fn libraries(machine: &dyn Machine, folder: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let lib = folder.join("lib");
    let pythons = machine.names(&lib).unwrap_or_default();
    let folders = pythons.iter().filter(|name| name.starts_with("python")).map(|name| lib.join(name).join("site-packages"));
    folders.filter_map(|folder| machine.names(&folder).ok().map(|names| (folder, names))).collect()
}

/// Whether a package of a name is there: its module, or what an installer wrote of it.
fn is_installed(libraries: &[(PathBuf, Vec<String>)], name: &str) -> bool {
    let module = normal(name);
    libraries.iter().flat_map(|(_, names)| names).any(|entry| {
        let distribution = entry.strip_suffix(".dist-info").and_then(|entry| entry.split_once('-')).map(|(name, _)| name);
        normal(entry.strip_suffix(".py").unwrap_or(entry)) == module || distribution.is_some_and(|name| normal(name) == module)
    })
}

/// Names of packages count `-`, `_` and `.` as the same.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}
