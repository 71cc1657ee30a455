//! `cfg run preflight`: compares the machine with the config.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::{COMMAND_LINE, CheckedCommand, Command, Project, Session, Verdict};
use cfg_diag::{Diagnostic, codes};
use cfg_launch::preflight::{Registered, Run};
use cfg_plan::Plan;
use cfg_project::DetectedTarget;
use cfg_report::preflight::{PreflightReport, write_text};

use super::{
    Listing, launch,
    read::{is_of_own_program, only_overrides, started},
    registry::registered,
};
use crate::{
    CommandResult, Ended, Outcome,
    args::Preflight,
    context::Context,
    inputs::{Inputs, sources},
    machine::{LOCAL, RequestedMachine},
    terminal,
};

pub(crate) fn run(cx: &Context, preflight: &Preflight) -> CommandResult {
    let listing = Listing::of(cx);
    let session = cx.session();
    let mut ready = Ready::read(cx, &session, &preflight.paths, &preflight.command)?;
    // For a launch command, no flags are added.
    if !preflight.paths.is_empty() {
        let point = ready.command.checked.target.point;
        let part = launch::part(&ready, &preflight.paths);
        ready.with_checkpoints = part.and_then(|part| launch::with_checkpoints(cx, &session, &part, point));
    }
    let report = ready.report(cx);
    cx.introduce(&ready.name, None, &ready.command.checked)?;
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        Listing::Text => write_text(&mut out, terminal::style(cx), &report)?,
        Listing::Json | Listing::JsonLines => {
            listing.write_one(&mut out, &cx.identified(&ready.command.checked, &report))?;
        }
    }
    out.flush()?;
    Ok(if report.has_errors() { Outcome::Found } else { Outcome::Clean })
}

/// A config that prime-rl accepts, ready for the checks of a machine.
pub(crate) struct Ready {
    /// Its name in messages.
    pub(crate) name: String,
    /// The composed config, and its texts.
    pub(crate) command: CheckedCommand,
    pub(crate) plan: Plan,
    /// The prime-rl that is installed around it.
    installed: Option<DetectedTarget>,
    /// The flags by which `cfg run launch` turns on checkpoints, and the resulting plan; `None` if the files save some or need none.
    with_checkpoints: Option<(String, Plan)>,
    /// The project of its first file.
    pub(crate) project: Project,
    /// The registered versions of its files.
    registered: Vec<Registered>,
    /// What the settings require of the machine.
    required: cfg_project::Preflight,
    /// The flags with which the project's script starts its only file.
    pub(crate) flags: Vec<String>,
    /// The version of the environment in the metadata of its first file.
    env_version: Option<Box<str>>,
}

impl Ready {
    /// Reads files, which are composed, or a launch command. Errors of prime-rl are reported and end the command.
    pub(crate) fn read(cx: &Context, session: &Session, paths: &[PathBuf], words: &[String]) -> CommandResult<Self> {
        let Ok(target) = cx.stated_target() else { return Err(Ended::Reported(Outcome::Failed)) };
        let files: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        if let Some(missing) = paths.iter().find(|path| !cx.system.exists(path)) {
            cx.complain(&format!("{}: no such file", missing.display()));
            return Err(Ended::Reported(Outcome::Failed));
        }
        let projects = session.projects();
        let detected = |path: &Path| projects.target(path)?.as_ref().as_ref().ok().cloned();
        let of_command = cfg_check::files_of_command(words, &*cx.system);
        let first = paths.first().cloned().or_else(|| of_command.first().map(PathBuf::from));
        let project = first.as_deref().map(|path| Project::around(projects, path));
        let inputs =
            Inputs { cx, session, kind: cx.common.kind(), target: target.clone(), project: project.as_ref(), env: false };
        let asked = if files.is_empty() { Command::Words(words) } else { Command::Files(&files) };
        let name = if let [file] = files.as_slice() { file.clone() } else { COMMAND_LINE.to_owned() };
        projects.searched_in(&[]);
        let (mut command, mut flags) = (inputs.check(asked), Vec::new());
        if let [file] = paths
            && let Some(found) = started(cx, session, file, &command.checked, target.as_ref())
        {
            cx.note(&found.words);
            if let Some(counted) = found.command {
                (command, flags) = (counted, found.flags);
            }
        }
        if is_of_own_program(cx, &name, &command.checked) {
            return Err(Ended::Reported(Outcome::Failed));
        }
        let near = first.unwrap_or_else(|| PathBuf::from("cfg"));
        if let Err(why) = cx.known_target(session, &near, &command.checked) {
            cx.complain(&why);
            return Err(Ended::Reported(Outcome::Failed));
        }
        let settings = &projects.settings(&near).settings;
        // An error of prime-rl ends the run, even if the settings ignore the finding.
        projects.apply_lint(&near, &[], &[], &mut command.checked.diagnostics, |finding| finding.native.is_some());
        let kind_and_plan = command.checked.kind.zip(command.checked.resolved.as_ref()).map(|(kind, resolved)| {
            let schema = command.checked.target.schema(kind);
            Plan::new(schema, resolved)
        });
        match kind_and_plan {
            Some(plan) if command.checked.verdict != Verdict::Rejected => {
                // Of a job, the cards are those of other machines.
                if plan.run.slurm.fact().is_none() {
                    let own = on_these_cards(&inputs, asked, &command.checked.diagnostics);
                    command.checked.diagnostics.extend(own);
                }
                let texts: Vec<_> = command.files.iter().filter_map(|file| command.texts.get(*file)).collect();
                let env_version = texts.first().and_then(|text| {
                    let (document, _) = text.parse(cfg_syntax::Dialect::Toml10);
                    let (metadata, _) = session.metadata(text.file, &text.path, &text.text, &document);
                    Some(metadata.env_version?.value)
                });
                let registered = texts.iter().filter_map(|text| registered(cx, &text.path)).collect();
                let (installed, required) = (detected(&near), settings.preflight.clone());
                let project = project.unwrap_or_else(|| Project::around(projects, &near));
                let with_checkpoints = None;
                Ok(Self { name, command, plan, installed, with_checkpoints, project, registered, required, flags, env_version })
            }
            _ => {
                if let [file] = files.as_slice()
                    && only_overrides(cx, session, file)
                {
                    return Err(Ended::Reported(Outcome::Failed));
                }
                cx.report_checked(&name, &command.checked, Verdict::Rejected, &sources(&command.texts))?;
                let is_unreadable = command.checked.diagnostics.iter().any(|found| found.code == &codes::UNREADABLE_FILE);
                Err(Ended::Reported(if is_unreadable { Outcome::Failed } else { Outcome::Found }))
            }
        }
    }

    /// Runs all checks.
    pub(crate) fn report(&self, cx: &Context) -> PreflightReport {
        let run = Run {
            name: &self.name,
            plan: &self.plan,
            target: &self.command.checked.target,
            installed: self.installed.as_ref(),
            with_checkpoints: self.with_checkpoints.as_ref().map(|(flags, plan)| (flags.as_str(), plan)),
            findings: &self.command.checked.diagnostics,
            sources: &sources(&self.command.texts),
            registered: &self.registered,
            project: &self.project,
            required: &self.required,
            env_version: self.env_version.as_deref(),
        };
        cfg_launch::preflight::report(&*cx.system, &run)
    }
}

/// What the cards of this machine can't run of a config, besides what is known already.
fn on_these_cards(inputs: &Inputs<'_>, asked: Command<'_>, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let of_cards = [&codes::UNSUPPORTED_BY_CARD, &codes::UNSUPPORTED_ATTENTION];
    let Some(project) = inputs.project else { return Vec::new() };
    let Ok(machine) = RequestedMachine::read(inputs.cx, LOCAL, &project.gpus) else { return Vec::new() };
    let project = Project { requested_gpu: Some(machine.text.as_str().into()), ..project.clone() };
    let checked = Inputs { project: Some(&project), target: inputs.target.clone(), ..*inputs }.check(asked).checked;
    let is_own = |found: &Diagnostic| {
        let is_known = known.iter().any(|known| known.code == found.code && known.location == found.location);
        of_cards.contains(&found.code) && !is_known
    };
    checked.diagnostics.into_iter().filter(is_own).collect()
}
