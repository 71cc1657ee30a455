//! The report about a checked file, and the last line of the output.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use cfg_check::{COMMAND_LINE, Certainty, Checked, Verdict};
use cfg_diag::{Diagnostic, codes};
use cfg_report::{Checks, FileReport, Rendered, RepeatedOptions, Sources, Stream};
use cfg_schema::NotUnderstood;
use cfg_system::{Refusal, System};

use super::{Done, Job, subject::is_sign};
use crate::{Outcome, context::Context};

/// The maximum number of reasons that are shown for why something about a prime-rl is unknown.
const MOST_OPEN: usize = 5;

impl Job<'_> {
    /// The last line of a report for people.
    pub(super) fn closing<W: Write>(stream: &Stream<W>, (inputs, launched): (usize, usize), targets: &TargetsUsed) -> String {
        let summary = stream.summary();
        if summary.files == 0 {
            return if inputs == 0 { "No TOML files found".to_owned() } else { "No prime-rl configs found".to_owned() };
        }
        let further = match summary.further() {
            further if further.is_empty() => further,
            further => format!("\n{further}"),
        };
        let prime_rl = match targets.names.iter().collect::<Vec<_>>()[..] {
            [] => String::new(),
            [one] => format!(", for {one}"),
            ref several => {
                let of_verifiers = several.iter().filter(|target| target.contains("verifiers")).count();
                let programs = match of_verifiers {
                    0 => "prime-rl",
                    some if some == several.len() => "verifiers",
                    _ => "prime-rl and verifiers",
                };
                format!(", for {} versions of {programs}", several.len())
            }
        };
        let launched = match launched {
            0 => String::new(),
            1 => ", 1 file as part of its launch".to_owned(),
            some => format!(", {some} files as part of their launches"),
        };
        summary.sentence() + &launched + &prime_rl + &further
    }

    pub(super) fn render(&self, name: &str, sources: &Sources<'_>, checked: &Checked) -> io::Result<Rendered> {
        let is_counted = !self.is_for_people || self.check.control.verbose;
        let checks = is_counted.then(|| checked.checks()).flatten();
        let checks = checks.map(|checks| Checks {
            known: checks.known,
            from_source: checks.from_source,
            undecided: checked.undecided.clone(),
        });
        let report = FileReport {
            path: name,
            kind: checked.kind_name(),
            target: checked.target_name(),
            verdict: checked.verdict,
            checks: checks.as_ref(),
            diagnostics: &checked.diagnostics,
            repeated: self.repeated(name),
        };
        self.reporter.render(&report, sources)
    }

    /// The options that are repeated in suggested commands about a file; `None` for standard input and launch commands, which
    /// another command can't name.
    pub(super) fn repeated(&self, name: &str) -> Option<RepeatedOptions<'_>> {
        let is_file = !self.is_stdin && name != COMMAND_LINE;
        is_file.then_some(RepeatedOptions { options: &self.options, gpu: self.gpu.as_deref() })
    }

    /// Whether the project declares a file to be a config of another program.
    pub(super) fn is_in_dialect(&self, path: &Path) -> bool {
        self.cx.common.kind.is_none() && self.session.projects().dialect(path).is_some()
    }

    /// The report of a YAML file, which is not read.
    pub(super) fn yaml(&self, name: &str) -> io::Result<Done> {
        let diagnostics =
            [Diagnostic::new(&codes::UNSUPPORTED_FILE, format!("{name} is YAML, which is not supported: not checked"))];
        let outcome = self.judge(&diagnostics);
        let verdict = Verdict::Depends;
        let report =
            FileReport { path: name, kind: None, target: None, verdict, checks: None, diagnostics: &diagnostics, repeated: None };
        Ok(Done::new(Some(self.reporter.render(&report, &Sources::new())?), outcome))
    }

    pub(super) fn unreadable(&self, path: &Path, error: &io::Error) -> io::Result<Done> {
        let why = why(error);
        let name = path.to_string_lossy();
        if self.is_quiet {
            self.cx.complain(&format!("{name} can't be read: {why}"));
        }
        let mut diagnostic = Diagnostic::new(&codes::UNREADABLE_FILE, format!("{name} can't be read: {why}"));
        if let Some(refusal) = Refusal::of(error) {
            diagnostic = diagnostic.help(refusal.help());
        } else if is_sign(path) && error.kind() == io::ErrorKind::NotFound {
            diagnostic = diagnostic.help("put a launch command after `--`: `cfg check -- uv run rl @ rl.toml`");
        } else if error.kind() == io::ErrorKind::NotFound {
            let near = cfg_compose::near_file(path, &*self.cx.system);
            diagnostic.help = near.map(|near| format!("there is `{}`", near.display()));
        }
        let diagnostics = [diagnostic];
        let verdict = Verdict::Rejected;
        let report = FileReport {
            path: &name,
            kind: None,
            target: None,
            verdict,
            checks: None,
            diagnostics: &diagnostics,
            repeated: None,
        };
        let rendered = self.reporter.render(&report, &Sources::new())?;
        Ok(Done::new(Some(rendered), Outcome::Failed))
    }
}

/// The targets of all checked configs.
#[derive(Default)]
pub(super) struct TargetsUsed {
    /// Their names.
    names: BTreeSet<String>,
    /// What was not understood in the sources of these.
    unknown: Vec<Arc<[NotUnderstood]>>,
}

/// The target of a config: its name, and what was not understood in its sources.
pub(super) struct CheckedFor {
    name: String,
    unknown: Option<Arc<[NotUnderstood]>>,
}

impl CheckedFor {
    pub(super) fn of(system: &dyn System, checked: &Checked) -> Option<Self> {
        let unknown = checked.target.own_checks.as_ref().map(|own| Arc::clone(&own.unknown));
        in_words(system, checked).map(|name| Self { name, unknown })
    }
}

impl TargetsUsed {
    pub(super) fn add(&mut self, one: CheckedFor) {
        self.names.insert(one.name);
        if let Some(unknown) = one.unknown
            && !self.unknown.iter().any(|known| Arc::ptr_eq(known, &unknown))
        {
            self.unknown.push(unknown);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Reports what was not understood in the sources of prime-rl, and is therefore unknown; each reason only once.
    pub(super) fn tell_what_is_open(&self, cx: &Context) {
        let mut told: Vec<&str> = Vec::new();
        for unknown in self.unknown.iter().flat_map(|unknown| unknown.iter()) {
            if told.len() < MOST_OPEN && !told.contains(&unknown.why.as_str()) {
                told.push(&unknown.why);
                cx.note(&format!("{unknown}; keys that it declares are not checked"));
            }
        }
    }
}

/// The prime-rl for which a config was checked, and whether it was stated; for a config of an evaluation, the verifiers.
fn in_words(system: &dyn System, checked: &Checked) -> Option<String> {
    if let Some(of) = &checked.of_verifiers {
        return Some(of.verifiers.clone());
    }
    if checked.of_other.is_some() {
        return None;
    }
    if let Some(name) = &checked.of_dialect {
        return Some(format!("the dialect {}", cfg_diag::one_line(name)));
    }
    if let Some(own) = checked.own.as_ref().filter(|_| checked.is_config) {
        return Some(own.in_words(&checked.target, system.host().folder()));
    }
    checked.is_config.then(|| match &checked.certainty {
        Certainty::Unknown => "an unknown prime-rl".to_owned(),
        Certainty::NewestOn(day) => {
            format!("prime-rl {} (assumed: the newest release on {day}, when the file was last committed)", checked.target)
        }
        Certainty::MostKeys => format!("prime-rl {} (assumed: it has the most keys of the file)", checked.target),
        Certainty::NewestRelease => format!("prime-rl {} (assumed)", checked.target),
        Certainty::Stated => format!("prime-rl {}", checked.target),
    })
}

/// Why a file can't be read, in words.
pub(super) fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
