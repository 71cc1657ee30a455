//! The flags with which scripts of the project start a config that a command reads alone.

use std::{path::Path, sync::Arc};

use cfg_check::{
    Checked, CheckedCommand, LaunchCheck, LaunchRequest, LaunchUse, PlacedLaunch, Project, Session, check_launch, use_of,
};
use cfg_diag::{Diagnostic, one_line};
use cfg_schema::Target;
use cfg_system::{Role, tidy};

use crate::context::Context;

/// The maximum number of commands that are checked and named; the others are counted.
const MAX_NAMED: usize = 4;

/// The maximum number of characters of the arguments of a command that are shown.
const MAX_SHOWN: usize = 120;

/// How scripts start a config.
pub(crate) struct Started {
    /// In words.
    pub(crate) words: String,
    /// The result with the flags, if a single command starts it, with nothing else, and all that it sets is known.
    pub(crate) command: Option<CheckedCommand>,
    /// These flags, as they are passed.
    pub(crate) flags: Vec<String>,
    /// The results of the commands that are not counted and that prime-rl refuses.
    pub(crate) refused: Vec<CheckedCommand>,
}

/// How the scripts of its project start a config that is complete without them; `alone` is the result of checking it without them. `None` if no script
/// does, if one starts it as it is, or if the user states for which entrypoint it is.
pub(crate) fn started(cx: &Context, session: &Session, path: &Path, alone: &Checked, target: Option<&Target>) -> Option<Started> {
    if cx.common.states_kind() || !alone.is_of_prime_rl() || alone.is_part() {
        return None;
    }
    let place = tidy(&cx.system.absolute(path));
    let index = session.projects().launch_index(&place);
    let mut launches: Vec<&Arc<PlacedLaunch>> = Vec::new();
    for placed in index.of(&place).filter(|placed| !placed.is_comment && placed.launch.kind.is_run()) {
        match use_of(placed, &place, alone) {
            LaunchUse::Alone | LaunchUse::Component => return None,
            LaunchUse::Together if !launches.iter().any(|known| is_same(known, placed)) => launches.push(placed),
            LaunchUse::Together | LaunchUse::None => {}
        }
    }
    let project = Project::around(session.projects(), path);
    let shown = |path: &Path| cx.system.shown(path);
    let request = LaunchRequest { session, system: &*cx.system, target, project: Some(&project), name: &shown };
    let check = |placed: &&Arc<PlacedLaunch>| {
        let script = cx.system.text(&placed.script, Role::Project).unwrap_or_default();
        (place_in(cx, placed, &script), check_launch(request, placed, &script))
    };
    let mut checks: Vec<(String, LaunchCheck)> = launches.iter().take(MAX_NAMED).map(check).collect();
    let name = one_line(&path.to_string_lossy()).into_owned();
    let mut places: Vec<String> = checks.iter().map(|(at, _)| at.clone()).collect();
    let start = match places.pop()? {
        only if launches.len() == 1 => {
            let with = arguments(cx, launches[0], &place);
            let is_counted =
                |(_, check): &mut (String, LaunchCheck)| !check.is_open && check.placed.files.iter().all(|file| *file == place);
            if let Some((at, check)) = checks.pop_if(is_counted) {
                let kind = check.placed.launch.kind;
                let words = format!("{name} is read as {at} starts it, with {with}; `--kind {kind}` reads it alone");
                let flags = flags_at(&check.placed.launch.words).map(|at| check.placed.launch.words[at].clone()).collect();
                return Some(Started { words, command: Some(check.command), flags, refused: Vec::new() });
            }
            format!("{only} starts {name} with {with}, which is not counted here")
        }
        last => {
            let more = launches.len() - checks.len();
            let last = if more > 0 { format!(", {last} and {more} more") } else { format!(" and {last}") };
            format!("{}{last} start {name} with different flags or files, which are not counted here", places.join(", "))
        }
    };
    let is_refused = |(_, check): &(String, LaunchCheck)| check.command.checked.diagnostics.iter().any(Diagnostic::is_refusal);
    checks.retain(is_refused);
    let refused: Vec<&str> = checks.iter().map(|(at, _)| at.as_str()).collect();
    let words = match refused.as_slice() {
        [] => start,
        refused => format!("{start}; prime-rl refuses {}, see `cfg check {}`", refused.join(" and "), cfg_diag::word(&name)),
    };
    Some(Started {
        words,
        command: None,
        flags: Vec::new(),
        refused: checks.into_iter().map(|(_, check)| check.command).collect(),
    })
}

/// Whether two commands start the same, wherever they are written.
fn is_same(one: &PlacedLaunch, other: &PlacedLaunch) -> bool {
    let (one, other) = (&one.launch, &other.launch);
    (one.kind, &one.words, &one.unknown) == (other.kind, &other.words, &other.unknown)
}

/// The place of a command: `run.sh:3`.
fn place_in(cx: &Context, placed: &PlacedLaunch, script: &str) -> String {
    let start = placed.launch.places.first().map_or(0, |span| span.start as usize);
    let line = script.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1;
    format!("{}:{line}", one_line(&cx.system.shown(&placed.script)))
}

/// Whether a word may be a secret, by the flag that it is the value of or has in it.
fn is_secret(words: &[String], at: usize) -> bool {
    let of = |flag: &str| {
        let flag = flag.to_ascii_lowercase();
        flag.starts_with('-')
            && ["key", "token", "secret", "password", "header", "credential"].iter().any(|word| flag.contains(word))
    };
    words[at].split_once('=').is_some_and(|(flag, _)| of(flag)) || at > 0 && !words[at].starts_with('-') && of(&words[at - 1])
}

/// The places of the words that name no file.
fn flags_at(words: &[String]) -> impl Iterator<Item = usize> {
    (0..words.len()).filter(|at| !words[*at].starts_with('@') && (*at == 0 || words[at - 1] != "@"))
}

/// What a command adds to a config: its flags, and its other files.
fn arguments(cx: &Context, placed: &PlacedLaunch, own: &Path) -> String {
    let others: Vec<String> = placed.files.iter().filter(|file| *file != own).map(|file| cx.system.shown(file)).collect();
    let words = &placed.launch.words;
    let flags =
        flags_at(words).map(|at| if is_secret(words, at) { "...".to_owned() } else { cfg_diag::word(&words[at]).to_string() });
    let all: Vec<String> = others.into_iter().chain(flags).chain(placed.launch.unknown.iter().cloned()).collect();
    let text = all.join(" ");
    let shown: String = text.chars().take(MAX_SHOWN).collect();
    let end = if shown.len() < text.len() { "..." } else { "" };
    format!("`{}{end}`", one_line(&shown))
}
