//! How the configs of a command are read: composed files, launch commands, environment variables.

use std::{io, path::Path, sync::Arc};

use cfg_check::{CheckedCommand, Command, CommandRequest, Project, Session, Texts, check_command};
use cfg_project::is_only_script;
use cfg_report::Sources;
use cfg_schema::{Kind, Target};
use cfg_system::{Host, Overlay, Role, System};

use crate::{
    args::{Arguments, Command as Subcommand},
    commands::read::not_toml,
    context::Context,
};

/// The input for checking several files, or a launch command.
pub(crate) struct Inputs<'a> {
    pub(crate) cx: &'a Context,
    pub(crate) session: &'a Session,
    pub(crate) kind: Option<Kind>,
    pub(crate) target: Option<Target>,
    /// The settings of the project, for rules.
    pub(crate) project: Option<&'a Project>,
    /// Whether environment variables are read.
    pub(crate) env: bool,
}

impl Inputs<'_> {
    /// Composes and checks what a command names.
    pub(crate) fn check(&self, command: Command<'_>) -> CheckedCommand {
        self.check_on(&*self.cx.system, command)
    }

    /// As [`Self::check`], with files on another system.
    pub(crate) fn check_on(&self, system: &dyn System, command: Command<'_>) -> CheckedCommand {
        let environment = if self.env { environment(self.cx.host()) } else { Vec::new() };
        let request = CommandRequest {
            command,
            environment: &environment,
            kind: self.kind,
            target: self.target.clone(),
            project: self.project,
            system,
        };
        check_command(self.session, &request)
    }
}

/// The environment variables whose names and values are UTF-8.
fn environment(host: &dyn Host) -> Vec<(String, String)> {
    host.variables().into_iter().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

/// The texts to which the diagnostics of a command refer.
pub(crate) fn sources(texts: &Texts) -> Sources<'_> {
    let mut sources = Sources::new();
    for text in texts.all() {
        sources.insert(text.file, &text.path, &text.text);
    }
    sources
}

/// Why a command about configs can't read what it is given: a script, of which each line would be an error in TOML.
pub(crate) fn script(arguments: &Arguments) -> Option<String> {
    arguments.configs().into_iter().filter(|path| is_only_script(path)).find_map(not_toml)
}

/// The context of a command about a config, with standard input as the file `-`: the config does not have to be saved.
pub(crate) fn with_standard_input(cx: &Context, arguments: &Arguments) -> io::Result<Context> {
    let is_about_config = matches!(
        arguments.command,
        Subcommand::Compile(_) | Subcommand::Memory(_) | Subcommand::Estimate(_) | Subcommand::Plan(_)
    );
    let path = Path::new("-");
    if !is_about_config || !arguments.configs().contains(&path) {
        return Ok(cx.clone());
    }
    let text = cx.host().input(Role::Config.limit())?;
    let system: Arc<dyn System> = Arc::new(Overlay::with(Arc::clone(&cx.system), path, text));
    Ok(cx.on(&system))
}
