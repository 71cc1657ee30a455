//! Reads and checks a config for a command that uses its resolved values.

mod started;

use std::{io, path::Path};

use cfg_check::{Checked, Command, Fragment, Request, Session, Verdict};
use cfg_diag::{Diagnostic, FileId, Severity, codes, word};
use cfg_project::{is_only_script, is_yaml};
use cfg_report::Sources;
use cfg_schema::{Kind, Target};
use cfg_system::Role;

use crate::{
    CommandResult, Ended, Outcome,
    context::Context,
    inputs::{Inputs, sources},
};
pub(crate) use started::started;

/// Reads and checks a file together with the files that it includes; returns the result and the text. Errors of prime-rl are
/// reported and end the command.
pub(crate) fn read(cx: &Context, session: &Session, path: &Path) -> CommandResult<(Checked, String)> {
    read_accepting(cx, session, path, Flags::Counted, |_| false)
}

/// Whether the flags with which a script starts a config count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flags {
    Counted,
    /// For a command that writes other configs, which these flags are not part of.
    LeftOut,
}

/// The same for a command that also has an answer for some configs that prime-rl refuses.
pub(crate) fn read_accepting(
    cx: &Context,
    session: &Session,
    path: &Path,
    flags: Flags,
    accepts: impl Fn(&Checked) -> bool,
) -> CommandResult<(Checked, String)> {
    let Ok(target) = cx.stated_target() else { return Err(Ended::Reported(Outcome::Failed)) };
    let name = path.to_string_lossy();
    let bytes = match cx.system.read(path, Role::Config) {
        Ok(bytes) => bytes,
        Err(error) => {
            cx.complain(&format!("{name}: {}", why(&error)));
            return Err(Ended::Reported(Outcome::Failed));
        }
    };
    if let Some(why) = not_toml(path) {
        cx.complain(&why);
        return Err(Ended::Reported(Outcome::Failed));
    }
    session.projects().searched_in(&[]);
    let (text, encoding) = cfg_syntax::decode(FileId(0), bytes);
    let mut checked = check_alone(session, path, &text, encoding, cx.common.kind(), target.clone());
    let mut texts = None;
    let is_whole = !checked.is_part();
    if checked.has_includes {
        // A file with includes is checked together with these, as prime-rl does.
        let inputs = Inputs { cx, session, kind: cx.common.kind(), target: target.clone(), project: None, env: false };
        let composed = inputs.check(Command::Files(&[name.to_string()]));
        checked = Checked { has_includes: true, ..composed.checked };
        texts = Some(composed.texts);
    } else if !cx.common.states_kind() && checked.is_part() && !cfg_check::states_kind(session, &name, &text) {
        // An overlay is read with the files that it overrides, as `cfg check` does.
        let part = Fragment { session, system: &*cx.system, path: &name, text: &text, target: target.as_ref(), project: None };
        if let Some(completed) = cfg_check::complete(part, &mut checked) {
            cx.note(&format!("{} is read with {}", cfg_diag::one_line(&name), cfg_diag::one_line(&completed.bases.join(", "))));
            checked = completed.command.checked;
            texts = Some(completed.command.texts);
        }
    }
    if is_whole
        && flags == Flags::Counted
        && let Some(found) = started(cx, session, path, &checked, target.as_ref())
    {
        cx.note(&found.words);
        if let Some(command) = found.command {
            (checked, texts) = (command.checked, Some(command.texts));
        }
        checked.started = Some(found.words.into());
    }
    if let Err(why) = cx.known_target(session, path, &checked) {
        cx.complain(&why);
        return Err(Ended::Reported(Outcome::Failed));
    }
    if checked.diagnostics.iter().any(|found| found.code == &codes::UNKNOWN_BASE) {
        cx.report_checked(&name, &checked, Verdict::Depends, &Sources::single(&name, &text))?;
        cx.note("nothing to show: the result depends on the config that this file overrides");
        return Err(Ended::Reported(Outcome::Found));
    }
    if checked.resolved.is_some() && (checked.verdict != Verdict::Rejected || accepts(&checked)) {
        return Ok((checked, text));
    }
    let sources = texts.as_ref().map_or_else(|| Sources::single(&name, &text), sources);
    let refuses = |found: &Diagnostic| found.native.is_some() || found.severity == Severity::Error;
    let is_refused = checked.diagnostics.iter().any(refuses);
    if is_refused && !cx.is_for_program() {
        // What else could be better matters once prime-rl accepts it.
        checked.diagnostics.retain(refuses);
    }
    cx.report_checked(&name, &checked, Verdict::Rejected, &sources)?;
    if is_refused {
        let who = if checked.kind.is_some_and(Kind::is_hosted) { "`prime train`" } else { "prime-rl" };
        cx.note(&format!(
            "{who} refuses this config, so there is nothing to show; `cfg check` lists all findings, and `cfg check --fix` applies safe fixes"
        ));
    }
    Err(Ended::Reported(Outcome::Found))
}

/// The files that a config overrides, if it is no config of its own.
fn bases_of(cx: &Context, session: &Session, file: &str) -> Option<Vec<String>> {
    let path = Path::new(file);
    let (text, encoding) = cfg_syntax::decode(FileId(0), cx.system.read(path, Role::Config).ok()?);
    let target = cx.stated_target().ok()?;
    let alone = check_alone(session, path, &text, encoding, None, target.clone());
    if cx.common.states_kind() || !alone.is_part() || cfg_check::states_kind(session, file, &text) {
        return None;
    }
    let part = Fragment { session, system: &*cx.system, path: file, text: &text, target: target.as_ref(), project: None };
    Some(cfg_check::completed_by(part, &alone)?.bases).filter(|bases| !bases.is_empty())
}

/// Reports that a config only overrides others, for a command that composes what it is given. Returns whether it does.
pub(crate) fn only_overrides(cx: &Context, session: &Session, file: &str) -> bool {
    let Some(bases) = bases_of(cx, session, file) else { return false };
    let shown: Vec<_> = bases.iter().map(|base| cfg_diag::one_line(base)).collect();
    let all: Vec<_> = bases.iter().map(String::as_str).chain([file]).map(word).collect();
    cx.complain(&format!(
        "{} only overrides {}: pass all files, `{}`",
        cfg_diag::one_line(file),
        shown.join(" and "),
        all.join(" ")
    ));
    true
}

/// Why a file can't be read, in words.
pub(crate) fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// Why a file is not read as TOML; `None` if it is.
pub(crate) fn not_toml(path: &Path) -> Option<String> {
    let name = path.display();
    if is_yaml(path) {
        return Some(format!("{name} is YAML, which is not supported: write it as TOML"));
    }
    is_only_script(path)
        .then(|| format!("{name} is a script, not a config; `cfg check {}` checks what it starts", word(&path.to_string_lossy())))
}

/// Checks a text as the content of a file. Of the project around the file, only its prime-rl is used.
pub(crate) fn check_alone(
    session: &Session,
    path: &Path,
    text: &str,
    encoding: Vec<Diagnostic>,
    kind: Option<Kind>,
    target: Option<Target>,
) -> Checked {
    let shown = path.to_string_lossy();
    let request = Request { encoding, kind, target, ..Request::new(&shown, text) };
    cfg_check::check(session, request)
}

/// Whether a config is that of a program of its project, about whose runs nothing is known; then that is reported.
pub(crate) fn is_of_own_program(cx: &Context, name: &str, checked: &Checked) -> bool {
    let of = checked.of_own_program();
    if let Some(of) = &of {
        let name = cfg_diag::one_line(name);
        cx.complain(&format!("{name} is a config {of}: `cfg check` checks it, but cfg does not know what that program does"));
    }
    of.is_some()
}
