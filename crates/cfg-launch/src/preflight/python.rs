//! Checks that the virtual environment has a Python that prime-rl runs with.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};
use cfg_system::Role;

use super::{Answer, Situation};

/// The `requires-python` of every version of prime-rl is `~=3.12.0`.
const NEEDED: &str = "3.12";

/// The environments that `uv run` uses. It leaves an activated one of another project alone.
const FOLDERS: [&str; 2] = [".venv", "prime-rl/.venv"];

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let machine = situation.machine;
    if situation.run.plan.run.slurm.fact().is_some() {
        return Answer::NotNeeded("SLURM starts the run on other machines");
    }
    if machine.variable("UV_PROJECT_ENVIRONMENT").is_some() {
        return Answer::Unknown("UV_PROJECT_ENVIRONMENT names another environment".to_owned());
    }
    let text = |folder: &str| machine.text(&Path::new(folder).join("pyvenv.cfg"), Role::Project).unwrap_or_default();
    let texts = FOLDERS.map(|folder| (folder, text(folder)));
    let found: Vec<(&str, &str)> = texts.iter().filter_map(|(folder, text)| Some((*folder, version(text)?))).collect();
    let is_fit = |version: &str| version.strip_prefix(NEEDED).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let fit = found.iter().find(|(_, version)| is_fit(version));
    match (fit, found.first()) {
        (Some((_, version)), _) => Answer::Fine((*version).to_owned()),
        (None, Some((folder, version))) => {
            let message = format!("{folder} has Python {version}, but prime-rl needs {NEEDED}");
            let help = format!("`uv sync` in prime-rl's folder makes one; `uv python install {NEEDED}` installs it");
            Answer::found(Diagnostic::new(&codes::OTHER_PYTHON, message).help(help))
        }
        (None, None) => Answer::Unknown("there is no .venv with its version".to_owned()),
    }
}

/// A longer text is no version, in bytes.
const LONGEST: usize = 16;

/// The version of a `pyvenv.cfg`: the standard library writes `version`, uv and virtualenv `version_info`.
fn version(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let (_, value) = line.split_once('=').filter(|(key, _)| matches!(key.trim(), "version" | "version_info"))?;
        let value = value.trim();
        // Whatever else the file has is not quoted.
        let end = value.bytes().take(LONGEST).take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        Some(&value[..end]).filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn each_tool_writes_the_version_its_own_way() {
        assert_eq!(version("home = /usr/bin\nimplementation = CPython\nuv = 0.9.0\nversion_info = 3.12.8\n"), Some("3.12.8"));
        assert_eq!(version("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.10.14\n"), Some("3.10.14"));
        assert_eq!(version("home = /usr/bin\nversion = \n"), None);
        assert_eq!(version("version = 3.9 aws_secret_access_key=abc\n"), Some("3.9"));
        assert_eq!(version(""), None);
    }
}
