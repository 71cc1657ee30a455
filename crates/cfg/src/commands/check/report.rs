//! The report about a checked file, and the last line of the output.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use cfg_check::{COMMAND_LINE, Checked, Verdict};
use cfg_diag::{Diagnostic, codes};
use cfg_report::{Checks, FileReport, Rendered, RepeatedOptions, Sources, Stream, json::FixesMade};
use cfg_schema::NotUnderstood;
use cfg_system::{Refusal, System};

use super::{Done, Job, open::Open, subject::is_sign};
use crate::{Outcome, commands::read::why, context::Context};

/// The maximum number of reasons that are shown for why something about a prime-rl is unknown.
const MAX_REASONS: usize = 5;

impl Job<'_> {
    /// The last line of a report for people.
    pub(super) fn closing<W: Write>(stream: &Stream<W>, open: &Open, targets: &TargetsUsed) -> String {
        let summary = stream.summary();
        let lines = open.lines();
        if summary.files == 0 {
            return format!("No prime-rl configs found{lines}");
        }
        let further = match summary.further() {
            further if further.is_empty() => further,
            further => format!("\n{further}"),
        };
        let prime_rl = match targets.names.values().collect::<Vec<_>>()[..] {
            [] => String::new(),
            [one] => format!(", for {one}"),
            [one, other] if !one.contains("verifiers") && !other.contains("verifiers") => {
                format!(", for {one} and {}", other.strip_prefix("prime-rl ").unwrap_or(other))
            }
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
        let (sentence, bases) = (summary.sentence(), open.bases());
        // Two parentheses in a row are one.
        let sentence = match (sentence.strip_suffix(')'), bases.strip_prefix(" (")) {
            (Some(start), Some(rest)) => format!("{start}; {rest}"),
            _ => sentence + &bases,
        };
        sentence + &prime_rl + &lines + &further
    }

    pub(super) fn render(&self, name: &str, sources: &Sources<'_>, checked: &Checked) -> io::Result<Rendered> {
        self.render_fixed(name, sources, checked, None)
    }

    /// The report of a file to which `fixed` was done before.
    pub(super) fn render_fixed(
        &self,
        name: &str,
        sources: &Sources<'_>,
        checked: &Checked,
        fixed: Option<&FixesMade>,
    ) -> io::Result<Rendered> {
        let is_counted = !self.is_for_people || self.check.control.verbose;
        let checks = is_counted.then(|| checked.checks()).flatten();
        let checks = checks.map(|checks| Checks {
            known: checks.known,
            from_source: checks.from_source,
            undecided: checked.undecided.clone(),
        });
        let identity = (!self.is_for_people).then(|| self.cx.identity(checked)).flatten();
        let report = FileReport {
            path: name,
            kind: checked.kind_name(),
            target: checked.target_name(),
            verdict: checked.verdict,
            checks: checks.as_ref(),
            diagnostics: &checked.diagnostics,
            repeated: self.repeated(name),
            is_common: false,
            is_of_script: checked.of_script.is_some(),
            identity: identity.as_ref(),
            fixed,
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
        !self.cx.common.states_kind() && self.session.projects().dialect(path).is_some()
    }

    /// The report of a YAML file, which is not read.
    pub(super) fn yaml(&self, name: &str) -> io::Result<Done> {
        let diagnostics =
            [Diagnostic::new(&codes::UNSUPPORTED_FILE, format!("{name} is YAML, which is not supported: not checked"))];
        let outcome = self.judge(&diagnostics);
        let report = FileReport { verdict: Verdict::Depends, repeated: None, ..FileReport::about(name, &diagnostics) };
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
        let report = FileReport { verdict: Verdict::Rejected, repeated: None, ..FileReport::about(&name, &diagnostics) };
        let rendered = self.reporter.render(&report, &Sources::new())?;
        Ok(Done::new(Some(rendered), Outcome::Failed))
    }
}

/// The targets of all checked configs.
#[derive(Default)]
pub(super) struct TargetsUsed {
    /// Their descriptions, by their names.
    names: BTreeMap<String, String>,
    /// What was not understood in the sources of these.
    unknown: Vec<Arc<[NotUnderstood]>>,
}

/// The target of a config: its name, and what was not understood in its sources.
pub(super) struct CheckedFor {
    name: String,
    /// The name, with how certain it is.
    description: String,
    unknown: Option<Arc<[NotUnderstood]>>,
}

impl CheckedFor {
    pub(super) fn of(system: &dyn System, checked: &Checked) -> Option<Self> {
        let unknown = checked.target.own_checks.as_ref().map(|own| Arc::clone(&own.unknown));
        let description = checked.target_in_words(system.host().folder())?;
        let name = checked.target_name().filter(|_| checked.own.is_none()).map_or_else(|| description.clone(), str::to_owned);
        Some(Self { name, description, unknown })
    }
}

impl TargetsUsed {
    pub(super) fn add(&mut self, one: CheckedFor) {
        self.names.entry(one.name).or_insert(one.description);
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
            if told.len() < MAX_REASONS && !told.contains(&unknown.why.as_str()) {
                told.push(&unknown.why);
                cx.note(&format!("{unknown}; keys that it declares are not checked"));
            }
        }
    }
}
