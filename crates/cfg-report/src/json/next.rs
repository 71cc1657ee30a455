//! The next steps for a finding: commands that explain or repair it.

use std::borrow::Cow;

use cfg_diag::{Applicability, Code, codes, word};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{FileReport, RepeatedOptions};

/// A useful command for a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Next {
    /// The command for a shell, from the folder in which this report was made.
    pub command: String,
    /// Its purpose.
    pub why: &'static str,
    /// Whether it writes nothing, or only safe changes.
    pub safe: bool,
}

/// The next steps for a finding, the most useful first. The last one explains it.
pub(super) fn of(diagnostic: &cfg_diag::Diagnostic, file: &FileReport<'_>) -> Vec<Next> {
    let mut next = Vec::new();
    if diagnostic.is_echo {
        return next;
    }
    let code = diagnostic.code;
    if let Some(repeated) = file.repeated {
        let about = About { path: path(file.path), repeated };
        let fixes = diagnostic.fix.iter().chain(&diagnostic.other_fixes);
        let applicability = fixes.map(|fix| fix.applicability).min_by_key(|is| *is == Applicability::Unsafe);
        next.extend(applicability.map(|applicability| about.fix(applicability)));
        next.extend(about.code(code, file));
    }
    next.extend(diagnostic.key.as_deref().and_then(|key| of_schema(code, key, file)));
    next.push(Next { command: format!("cfg explain {}", code.code), why: "what the finding means, and what to do", safe: true });
    next
}

/// A file, and the options that its commands repeat.
struct About<'a> {
    path: Cow<'a, str>,
    repeated: RepeatedOptions<'a>,
}

impl About<'_> {
    fn command(&self, command: &str, behind: &str) -> String {
        let Self { path, repeated: RepeatedOptions { options, gpu } } = self;
        let gpu = gpu.filter(|_| matches!(command, "check" | "memory")).map(|gpu| format!("--gpu={}", word(gpu)));
        let options = [options, gpu.as_deref().unwrap_or_default(), behind].into_iter().filter(|words| !words.is_empty());
        options.fold(format!("cfg {command} {path}"), |command, words| command + " " + words)
    }

    fn fix(&self, applicability: Applicability) -> Next {
        match applicability {
            Applicability::Safe => Next {
                command: self.command("check", "--fix"),
                why: "make this fix, and all others of the file that are certain",
                safe: true,
            },
            Applicability::Unsafe => Next {
                command: self.command("check", "--unsafe-fixes --diff"),
                why: "show what the fixes that are not certain would change; `--fix` in place of `--diff` makes them",
                safe: true,
            },
        }
    }

    /// The command that explains or repairs a finding with this code.
    fn code(&self, code: Code, file: &FileReport<'_>) -> Option<Next> {
        let (command, why, safe) = match code {
            code if code == &codes::REMOVED_KEY => {
                let target = file.target.filter(|target| is_name(target))?;
                let command = format!("cfg migrate {} --to {target}", self.path);
                return Some(Next { command, why: "what the file would be for its target; `--write` rewrites it", safe: true });
            }
            code if code == &codes::UNBUMPED_CHANGE => {
                let command = format!("cfg bump {} -m WHY", self.path);
                return Some(Next { command, why: "make a version of the change; say why in place of WHY", safe: false });
            }
            code if code == &codes::UNREGISTERED_CONFIG => {
                let command = format!("cfg registry adopt {} --dry-run", self.path);
                let why = "what taking it into the registry would write; without `--dry-run` it is written";
                return Some(Next { command, why, safe: true });
            }
            code if code.code.starts_with("PRL4")
                && ![&codes::UTILIZATION_OUT_OF_RANGE, &codes::UNCHECKED_MEMORY].contains(&code) =>
            {
                ("memory", "what each GPU and the disk have to hold, and what would make it fit", true)
            }
            code if code.name.starts_with("curriculum-") => ("plan --curriculum", "at which step each phase begins", true),
            code if OF_CHECKPOINTS.contains(&code) => ("plan", "at which steps checkpoints and evaluations are", true),
            _ => return None,
        };
        Some(Next { command: self.command(command, ""), why, safe })
    }
}

/// Findings about the events at the steps of a run.
const OF_CHECKPOINTS: [Code; 8] = [
    &codes::CHECKPOINTING_OFF,
    &codes::ONLY_FINAL_CHECKPOINT,
    &codes::CHECKPOINTS_PILE_UP,
    &codes::KEEP_INTERVAL_BETWEEN_SAVES,
    &codes::KEEP_LAST_WITHOUT_EFFECT,
    &codes::RESUME_BEYOND_END,
    &codes::RESUME_BETWEEN_SAVES,
    &codes::NO_EVALUATION_OF_RESULT,
];

/// Findings about a value, whose key has a type, bounds or choices.
const OF_VALUES: [Code; 7] = [
    &codes::WRONG_TYPE,
    &codes::UNPARSABLE_VALUE,
    &codes::OUT_OF_RANGE,
    &codes::INVALID_CHOICE,
    &codes::UNKNOWN_VARIANT,
    &codes::MISSING_VARIANT,
    &codes::MISSING_KEY,
];

/// The command that shows the schema of a key, or of the table that does not have the key.
fn of_schema(code: Code, key: &str, file: &FileReport<'_>) -> Option<Next> {
    let kind = file.kind?;
    let key = without_indices(key);
    let is_plain = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_plain(&key) {
        return None;
    }
    if code == &codes::FUTURE_KEY || code == &codes::REMOVED_KEY {
        let command = format!("cfg schema history {key} --kind {kind}");
        return Some(Next { command, why: "what the key was at which commit, and what became of it", safe: true });
    }
    let target = file.target.filter(|target| is_name(target))?;
    let (shown, why) = if [&codes::UNKNOWN_KEY, &codes::MISPLACED_KEY, &codes::IGNORED_KEY].contains(&code) {
        (key.rsplit_once('.').map_or("", |(table, _)| table), "the keys that its table takes")
    } else if OF_VALUES.contains(&code) {
        (&*key, "the type of the key, its bounds and its default")
    } else {
        return None;
    };
    let shown = if shown.is_empty() { String::new() } else { format!(" {shown}") };
    Some(Next { command: format!("cfg schema show{shown} --kind {kind} --target {target}"), why, safe: true })
}

/// Whether a target has a name that a command accepts: a release, a commit, a date, `main`.
fn is_name(target: &str) -> bool {
    !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
}

/// A key without the indices of items: `orchestrator.env[0].id` is a key of each environment.
fn without_indices(key: &str) -> String {
    let mut plain = String::with_capacity(key.len());
    let mut rest = key;
    while let Some((before, (number, behind))) =
        rest.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    {
        plain.push_str(before);
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            plain.push('[');
            plain.push_str(number);
            plain.push(']');
        }
        rest = behind;
    }
    plain + rest
}

/// A path as a shell word that no command reads as an option.
fn path(path: &str) -> Cow<'_, str> {
    if path.starts_with('-') { Cow::Owned(word(&format!("./{path}")).into_owned()) } else { word(path) }
}
