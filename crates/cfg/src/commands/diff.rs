//! `cfg diff`: the differences between the resolved values of two configs, and their causes.

pub(super) mod hints;
mod markdown;
pub(super) mod print;
pub(super) mod side;
mod since;

use std::io::{BufWriter, Write as _};

use cfg_check::Session;
use cfg_registry::fingerprint::{Outcome as Difference, compare_written, edits, outcome};

use crate::{
    CommandResult, Outcome,
    args::{self, Format},
    commands::registry::registered::current_label,
    context::Context,
};
use markdown::Comparison;
use side::{Reference, Side};

pub(crate) fn run(cx: &Context, diff: &args::Diff) -> CommandResult {
    if let Some(since) = &diff.since {
        return since::run(cx, since, &diff.configs);
    }
    let session = cx.session();
    session.projects().searched_in(&[]);
    let Some((one, other)) = sides(cx, diff, &session) else { return Ok(Outcome::Failed) };
    let (Some(one_means), Some(other_means)) = (one.meaning(&session), other.meaning(&session)) else {
        // One file at two targets can lack the same in both.
        let others = (one.name != other.name || one.meaning(&session).is_some()).then_some(&other);
        for side in std::iter::once(&one).chain(others).filter(|side| side.meaning(&session).is_none()) {
            side.report(cx)?;
            if side.has_conflict() {
                cx.complain(&format!("{} is not merged, so there is nothing to compare yet", side.name));
            } else if side.has_errors() {
                cx.complain(&format!("{} has errors and can't be resolved, so there is nothing to compare", side.name));
            }
        }
        return Ok(Outcome::Failed);
    };
    let differences = compare_written(&one_means, &other_means);
    let edits = edits(&one_means, &other_means, &differences).len();
    for side in [&one, &other] {
        if side.has_faults() {
            let why = match side.fault() {
                Some(_) => {
                    "has errors (see `cfg check`): invalid values are shown as written, and values derived from them are left out"
                }
                None => "lacks required keys, so it may override another file: values derived from these keys are left out",
            };
            cx.note(&format!("{} {why}", side.name));
        }
    }
    let hints = one.course().zip(other.course()).map_or_else(Vec::new, |(one, other)| hints::hints(&one, &other));
    let outcome = if outcome(&differences) == Difference::Same { Outcome::Clean } else { Outcome::Found };
    if diff.markdown {
        let mut out = BufWriter::new(cx.out_of_lines());
        Comparison { one: &one, other: &other, differences: &differences, edits, hints: &hints }.write(&mut out, &session)?;
        out.flush()?;
        return Ok(outcome);
    }
    one.with_places(|here| {
        other.with_places(|there| match cx.common.format {
            Format::Json => print::json(cx, (&one, here), (&other, there), &differences, &hints),
            _ => print::text(cx, (&one, here), (&other, there), &differences, edits, &hints),
        })
    })?;
    Ok(outcome)
}

/// Reads both sides; reports an error if one can't be read.
fn sides(cx: &Context, diff: &args::Diff, session: &Session) -> Option<(Side, Side)> {
    let history = session.history;
    let parse = |text: &str| cfg_schema::Target::parse(history, text).map_err(|error| cx.complain(&error.to_string())).ok();
    let stated = |text: Option<&str>| text.map_or(Some(None), |text| parse(text).map(Some));
    let one_target = stated(cx.common.target.as_deref())?;
    let other_target = stated(diff.to_target.as_deref().or(cx.common.target.as_deref()))?;
    let read = |text: &str, target| {
        let reference = Reference::parse(&*cx.system, history, text);
        let side = reference.and_then(|reference| Side::read(cx, session, text, &reference, target));
        side.map_err(|message| cx.complain(&message)).ok()
    };
    match diff.configs.as_slice() {
        [first, second] => Some((read(first, one_target)?, read(second, other_target)?)),
        [only] if diff.to_target.is_some() => Some((read(only, one_target)?, read(only, other_target)?)),
        [only] => {
            let before = before(cx, only)?;
            Some((read(&before, one_target)?, read(only, other_target)?))
        }
        _ => {
            cx.complain("two configs are compared; with `--since REVISION`, all below the named paths");
            None
        }
    }
}

/// What a file is compared with: its registered version, or else its text in HEAD. Reports an error if there is neither.
fn before(cx: &Context, path: &str) -> Option<String> {
    let file = std::path::Path::new(path);
    if !cx.system.is_file(file) {
        if path.contains([':', '@']) {
            cx.complain("pass a second config, or another target: `--to-target 0.6.0`");
        } else {
            cx.complain(&format!("{path}: no such file"));
        }
        return None;
    }
    if let Some(label) = current_label(cx, file) {
        return Some(format!("{path}:{label}"));
    }
    let real = cx.system.plain(file);
    let in_head = real.parent().zip(real.file_name()).and_then(|(folder, name)| {
        let name = name.to_str()?;
        cfg_project::git_show(&*cx.system, folder, &format!("HEAD:./{name}"))
    });
    if in_head.is_none() {
        let pass = "pass the config to compare it with, or `--to-target`";
        cx.complain(&format!("{path} is neither registered nor in HEAD, so there is nothing to compare it with; {pass}"));
        return None;
    }
    // As in git, a path is relative to this folder only if it says so.
    Some(if file.is_absolute() { format!("HEAD:{path}") } else { format!("HEAD:./{path}") })
}
