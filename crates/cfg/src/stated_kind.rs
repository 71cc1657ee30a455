//! The kind that the user states.

use std::path::{Path, PathBuf};

use cfg_diag::one_line;
use cfg_project::ProgramName;
use cfg_schema::{Entrypoint, Kind};

use crate::{
    args::{Arguments, Command, Schema, SchemaCommand},
    context::Context,
};

impl Context {
    /// Why the name that the user states in place of a kind can't be used: only `check` and `schema show` take scripts, and only those that a project has.
    pub(crate) fn unknown_kind(&self, arguments: &Arguments) -> Option<String> {
        let name = self.common.script()?;
        let projects = self.projects();
        let has_it = |path: &Path| {
            let file = if self.system.is_folder(path) { path.join("pyproject.toml") } else { path.to_path_buf() };
            projects.own_program(&file, ProgramName::Script(name)).is_some()
        };
        let here = [PathBuf::from(".")];
        let paths = match &arguments.command {
            Command::Check(check) => &check.paths[..],
            Command::Schema(Schema { command: SchemaCommand::Show { .. } }) => &here[..],
            _ => &[],
        };
        let takes_scripts = !paths.is_empty();
        if paths.iter().map(PathBuf::as_path).any(has_it) {
            return None;
        }
        let error = match Entrypoint::time_of(name) {
            Some(time) => format!(
                "prime-rl had an entrypoint `{name}` {time}, whose fields this cfg does not have; check the file in a checkout of that time"
            ),
            None => name.parse::<Kind>().err().unwrap_or_default(),
        };
        let folder = paths.first().map_or_else(|| PathBuf::from("."), Clone::clone);
        let scripts = projects.own_scripts(&folder.join("pyproject.toml"));
        let own = match scripts.as_slice() {
            [] => String::new(),
            own if own.iter().any(|own| own == name) => {
                "; only `cfg check` and `cfg schema show` take a script of the project".into()
            }
            own if takes_scripts => format!("; the project has the scripts {}", own.join(", ")),
            _ => String::new(),
        };
        Some(format!("invalid value for `--kind`: {error}{}", one_line(&own)))
    }
}
