//! Checks that the programs that prime-rl starts are in `PATH`.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

/// Container images install programs in root's home folder, but often run as another user.
const HOME_OF_ROOT: &str = "/root";

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let machine = situation.machine;
    let mut needed = vec![("uv", "prime-rl starts its processes with it")];
    let of_hub =
        situation.run.plan.environments.iter().any(|environment| environment.id.text().is_some_and(|id| id.contains('/')));
    if of_hub {
        needed.push(("prime", "hub environments are installed with it"));
    }
    let missing = needed.iter().filter(|(name, _)| machine.program(name).is_none());
    let found = missing.map(|(name, why)| {
        let message = format!("`{name}` is not in PATH, but {why}");
        let home = machine.variable("HOME").unwrap_or_default();
        let folders = [
            format!("{home}/.local/bin"),
            format!("{home}/.cargo/bin"),
            format!("{HOME_OF_ROOT}/.local/bin"),
            "/usr/local/bin".to_owned(),
        ];
        let installed_in = folders.iter().find(|folder| machine.exists(&Path::new(folder).join(name)));
        let help = match (installed_in, *name) {
            (Some(folder), _) => {
                format!("`{name}` is in {folder}: `export PATH=\"{folder}:$PATH\"` in the script that starts the run")
            }
            (None, "uv") => "install it (see docs.astral.sh/uv), and add ~/.local/bin to PATH".to_owned(),
            (None, _) => format!("`uv tool install {}`", cfg_diag::word(name)),
        };
        Diagnostic::new(&codes::MISSING_PROGRAM, message).help(help)
    });
    let names: Vec<&str> = needed.iter().map(|(name, _)| *name).collect();
    Answer::of(found.collect(), || names.join(", "))
}
