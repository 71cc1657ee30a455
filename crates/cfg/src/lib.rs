//! The `cfg` command: arguments, files, output and exit codes. Everything else is in the other crates.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod args;
mod baseline;
mod commands;
mod context;
mod control;
mod ended;
mod inputs;
mod lines;
mod machine;
mod mcp;
mod out;
mod progress;
mod stated_kind;
mod statistics;
mod terminal;
mod threads;
mod write;

use std::{io, process::ExitCode};

use args::{Arguments, Command, Unread};
use context::Context;
use ended::{CommandResult, Ended};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// There are no errors.
    Clean,
    /// Errors were found.
    Found,
    /// The command could not do its work.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Found => 1,
            Outcome::Failed => 2,
        })
    }
}

/// Runs the command that the arguments of this process name.
pub fn run() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(Unread::Error(error)) => return not_understood(&error),
        Err(Unread::Help { words, is_incomplete }) => {
            // If standard output is closed, nobody reads the help.
            let _ = args::print_help(&words, is_incomplete);
            if is_incomplete && args::asks_for_json() {
                let why = vec!["a command is missing".to_owned()];
                let _ = context::write_outcome(&mut io::stdout().lock(), &context::outcome_of(Outcome::Failed, why));
            }
            return if is_incomplete { Outcome::Failed } else { Outcome::Clean }.into();
        }
    };
    let cx = Context::new(&arguments);
    if let Some(why) = cx.refused_version(&arguments.configs()) {
        cx.complain(&why);
        return cx.end(Outcome::Failed).map_or(ExitCode::from(2), |()| Outcome::Failed.into());
    }
    if let Some(why) = cx.unknown_kind(&arguments).or_else(|| inputs::script(&arguments)) {
        cx.complain(&why);
        return cx.end(Outcome::Failed).map_or(ExitCode::from(2), |()| Outcome::Failed.into());
    }
    let cx = match inputs::with_standard_input(&cx, &arguments) {
        Ok(cx) => cx,
        Err(error) => {
            cx.complain(&format!("standard input: {error}"));
            return cx.end(Outcome::Failed).map_or(ExitCode::from(2), |()| Outcome::Failed.into());
        }
    };
    progress::begin(&cx, &arguments);
    let outcome = match &arguments.command {
        Command::Check(check) => commands::check::run(&cx, check),
        Command::Compile(compile) => commands::compile::run(&cx, compile),
        Command::Estimate(estimate) => commands::estimate::run(&cx, estimate),
        Command::Gpu(gpu) => commands::gpu::run(&cx, gpu),
        Command::Diff(diff) => commands::diff::run(&cx, diff),
        Command::Init(init) => commands::init::run(&cx, init),
        Command::New(new) => commands::new::run(&cx, new),
        Command::Sweep(sweep) => commands::sweep::run(&cx, sweep),
        Command::Memory(memory) => commands::memory::run(&cx, memory),
        Command::Bump(bump) => commands::registry::bump::run(&cx, bump),
        Command::Log(log) => commands::registry::log::run(&cx, log),
        Command::Hook(hook) => commands::hook::run(&cx, &hook.command),
        Command::Registry(registry) => commands::registry::run(&cx, registry),
        Command::Model(model) => commands::model::run(&cx, model),
        Command::Plan(plan) => commands::plan::run(&cx, plan),
        Command::Migrate(migrate) => commands::migrate::run(&cx, migrate),
        Command::Fmt(fmt) => commands::fmt::run(&cx, fmt),
        Command::Run(run) => commands::run::run(&cx, &run.command),
        Command::Env(env) => commands::env::run(&cx, env),
        Command::Schema(schema) => commands::schema::run(&cx, schema),
        Command::Mcp(mcp) => commands::mcp::run(&cx, mcp),
        Command::Generate(generate) => commands::generate::run(&cx, &generate.command),
        Command::Lsp(lsp) => commands::lsp::run(&cx, lsp),
        Command::Explain(explain) => commands::explain::run(&cx, explain),
    };
    progress::end();
    let outcome = outcome.or_else(|ended| match ended {
        Ended::Reported(outcome) => Ok(outcome),
        // The reader of the output has closed it, as in `cfg check | head`.
        Ended::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Ended::Output(error) => {
            cx.complain(&error.to_string());
            Ok(Outcome::Failed)
        }
    });
    match outcome.and_then(|outcome| cx.end(outcome).map(|()| outcome)) {
        Ok(outcome) => outcome.into(),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Outcome::Clean.into(),
        Err(_) => Outcome::Failed.into(),
    }
}

/// Reports an error in the command line, or prints the help or version if that is requested.
fn not_understood(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    // If standard error is closed, nothing can be reported. An invalid argument may be a file name with control characters, which must not reach
    // a terminal.
    let _ = if text.lines().any(|line| line.contains(cfg_diag::is_hazard) || cfg_diag::is_command(line)) {
        io::Write::write_all(
            &mut io::stderr(),
            (cfg_diag::without_commands(&cfg_diag::one_line(&text)).into_owned() + "\n").as_bytes(),
        )
    } else {
        error.print()
    };
    if !error.use_stderr() {
        return Outcome::Clean.into();
    }
    if args::asks_for_json() {
        let why = error.to_string();
        let why = why.strip_prefix("error: ").unwrap_or(&why).lines().next().unwrap_or_default().to_owned();
        let _ = context::write_outcome(&mut io::stdout().lock(), &context::outcome_of(Outcome::Failed, vec![why]));
    }
    Outcome::Failed.into()
}
