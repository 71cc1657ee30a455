//! Checks the requirements in the project's settings, under `[preflight]`: access keys for storage, or a program that syncs checkpoints.

use std::path::{Path, PathBuf};

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let asked = situation.run.required;
    let machine = situation.machine;
    let count = asked.variables.len() + asked.programs.len() + asked.files.len();
    if count == 0 {
        return Answer::NotNeeded("the settings have no `[preflight]` requirements");
    }
    let variables = asked.variables.iter().filter(|name| machine.variable(&name.value).is_none()).map(|name| {
        let message = format!("{} is not set, but {} requires it", name.value, name.place);
        Diagnostic::new(&codes::MISSING_VARIABLE, message)
            .help(format!("`export {}=...` in the shell that starts the run", cfg_diag::word(&name.value)))
    });
    let programs = asked.programs.iter().filter(|name| machine.program(&name.value).is_none()).map(|name| {
        let message = format!("`{}` is not in PATH, but {} requires it", name.value, name.place);
        Diagnostic::new(&codes::MISSING_PROGRAM, message)
            .help("install it, or add its folder to PATH in the script that starts the run")
    });
    let home = machine.variable("HOME");
    let files = asked.files.iter().filter(|name| !machine.exists(&path(&name.value, home.as_deref()))).map(|name| {
        let message = format!("the file {} is not on this machine, but {} requires it", name.value, name.place);
        Diagnostic::new(&codes::MISSING_PATH, message).help("copy it here before the run")
    });
    Answer::of(variables.chain(programs).chain(files).collect(), || format!("{count} there"))
}

/// A path with `~` replaced by the home folder.
fn path(text: &str, home: Option<&str>) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => Path::new(home).join(below),
        _ => PathBuf::from(text),
    }
}
