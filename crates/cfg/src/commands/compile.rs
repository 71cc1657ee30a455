//! `cfg compile`: the config that prime-rl would run.

mod explain;
mod split;
mod toml;

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::{COMMAND_LINE, Checked, CheckedCommand, Command, Project, Session};
use cfg_diag::{Location, Severity, Verdict, codes};
use cfg_report::Sources;
use cfg_resolve::{ResolvedTable, emit::Places};
use cfg_schema::{Kind, Point, Target};

use crate::{
    CommandResult, Outcome,
    args::{self, Compile},
    commands::{
        Listing,
        read::{only_overrides, started},
    },
    context::Context,
    inputs::{Inputs, sources},
};

pub(crate) fn run(cx: &Context, compile: &Compile) -> CommandResult {
    let session = cx.session();
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    session.projects().searched_in(&[]);
    let mut input = Input::of_arguments(cx, compile, &session, target.clone());
    // A command in a script has the variables of its shell, not these.
    if let [file] = compile.paths.as_slice()
        && !compile.env_vars
        && let Some(found) = started(cx, &session, file, &input.command.checked, target.as_ref())
    {
        cx.note(&found.words);
        input.command = found.command.unwrap_or(input.command);
    }
    if let Err(why) = input.known_target(cx, &session) {
        cx.complain(&why);
        return Ok(Outcome::Failed);
    }
    if let [file] = compile.paths.as_slice()
        && !input.is_accepted()
        && only_overrides(cx, &session, &file.to_string_lossy())
    {
        return Ok(Outcome::Failed);
    }
    input.report(cx)?;
    let Some(config) = input.config(&session) else { return Ok(input.refused()) };
    let output = &compile.output;
    if let Some(folder) = &output.folder {
        return split::run(cx, &config, folder, output.overwrite);
    }
    if let Some(key) = &output.explain {
        return explain::run(cx, &config, key);
    }
    if !cx.is_for_program() {
        return toml::run(cx, &config);
    }
    let mut out = io::BufWriter::new(cx.out());
    let listing = if cx.common.format == args::Format::JsonLines { Listing::JsonLines } else { Listing::Json };
    listing.write_one(&mut out, &cfg_resolve::Dump { table: config.resolved, point: config.point() })?;
    out.flush()?;
    Ok(Outcome::Clean)
}

/// The inputs of the command, read and checked.
struct Input {
    /// Its name in messages.
    name: String,
    /// The composed config, and its texts.
    command: CheckedCommand,
}

impl Input {
    /// Reads what the arguments name: a file, several files, or a launch command.
    fn of_arguments(cx: &Context, compile: &Compile, session: &Session, target: Option<Target>) -> Self {
        let files: Vec<String> = compile.paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let command = if files.is_empty() { Command::Words(&compile.command) } else { Command::Files(&files) };
        Self::read(cx, compile.env_vars, session, command, target)
    }

    /// Reads files, or the files of a launch command.
    fn read(cx: &Context, env: bool, session: &Session, command: Command<'_>, target: Option<Target>) -> Self {
        let name = if let Command::Files([file]) = command { file.as_str() } else { COMMAND_LINE };
        let name = name.to_owned();
        // Of the project's settings, only the declared keys of a fork affect the resolved config.
        let files = match command {
            Command::Files(files) => files.to_vec(),
            Command::Words(words) => cfg_check::files_of_command(words, &*cx.system),
            Command::Written(_) => Vec::new(),
        };
        let project = Project::around(session.projects(), files.first().map_or(Path::new("."), Path::new));
        let inputs = Inputs { cx, session, kind: cx.common.kind(), target, project: Some(&project), env };
        Self { name, command: inputs.check(command) }
    }

    /// Reports an error if the prime-rl of the config is unknown.
    fn known_target(&self, cx: &Context, session: &Session) -> Result<(), String> {
        let first = self.command.files.first().and_then(|file| self.command.texts.get(*file));
        let path = first.map_or(Path::new("."), |text| Path::new(&*text.path));
        cx.known_target(session, path, &self.command.checked)
    }

    fn is_accepted(&self) -> bool {
        self.command.checked.is_accepted()
    }

    /// Reports errors to standard error, because the output is for a program. Errors that only occur in a process that rl starts do not prevent
    /// resolution.
    fn report(&self, cx: &Context) -> io::Result<()> {
        let checked = &self.command.checked;
        if self.is_accepted() && checked.is_for_another() {
            cx.note(&format!("{}: {}", cfg_diag::one_line(&self.name), checked.identity(cx.host().folder())));
        }
        if self.is_accepted() && checked.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
            return Ok(());
        }
        let verdict = if self.is_accepted() { Verdict::Ok } else { Verdict::Rejected };
        cx.report_checked(&self.name, checked, verdict, &sources(&self.command.texts))
    }

    /// The outcome for a config that prime-rl does not accept.
    fn refused(&self) -> Outcome {
        let is_unreadable = self.command.checked.diagnostics.iter().any(|found| found.code == &codes::UNREADABLE_FILE);
        if is_unreadable { Outcome::Failed } else { Outcome::Found }
    }

    /// The config, if prime-rl accepts it.
    fn config<'a>(&'a self, session: &'a Session) -> Option<Config<'a>> {
        let checked = &self.command.checked;
        let resolved = checked.resolved.as_ref().filter(|_| self.is_accepted())?;
        let sources = sources(&self.command.texts);
        Some(Config { session, input: self, name: &self.name, checked, resolved, sources })
    }
}

/// A config that prime-rl accepts.
struct Config<'a> {
    session: &'a Session,
    input: &'a Input,
    /// Its name in messages.
    name: &'a str,
    checked: &'a Checked,
    resolved: &'a ResolvedTable,
    /// The texts to which locations refer.
    sources: Sources<'a>,
}

impl<'a> Config<'a> {
    fn point(&self) -> Point {
        self.checked.target.point
    }

    fn kind(&self) -> Kind {
        self.checked.kind.unwrap_or(Kind::Rl)
    }

    fn text(&self, location: Location) -> Option<&'a str> {
        self.sources.text(location)
    }

    /// A location in the form `rl.toml:3:5`.
    fn place(&self, location: Location) -> String {
        let place = self.sources.place(location);
        place.map_or_else(String::new, |(path, at)| format!("{path}:{}:{}", at.line, at.column))
    }

    /// Calls `use_places` with functions that format locations in this config.
    fn with_places<T>(&self, use_places: impl FnOnce(Places<'_>) -> T) -> T {
        let place = |location| self.place(location);
        let text = |location| self.text(location);
        use_places(Places { place: &place, text: &text, target: &self.checked.target.name })
    }
}

/// The maximum number of columns of a value in text output.
const VALUE_WIDTH: usize = 44;

/// A value for text output: on one line, with control characters made visible, and truncated.
pub(crate) fn shown(text: &str) -> String {
    let line = cfg_diag::one_line(text);
    if line.chars().count() <= VALUE_WIDTH {
        return line.into_owned();
    }
    line.chars().take(VALUE_WIDTH - 3).chain("...".chars()).collect()
}
