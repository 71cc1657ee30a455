//! The findings of a config.

use std::{
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
};

use cfg_diag::{Applicability, Diagnostic, Does, LocPart, Severity, Verdict};
use cfg_report::{Checks, FileReport, Format, Identity, RepeatedOptions, Reporter, Sources, Style, json::Range};
use cfg_schema::Kind;

use crate::read::Read;

/// The findings of a config.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The path of the config.
    pub path: String,
    /// The entrypoint, if known.
    pub kind: Option<Kind>,
    /// The prime-rl for which it was checked, if known.
    pub target: Option<String>,
    /// How certain that prime-rl is: `stated`, `read` from the files around it, `inferred` from its keys, `assumed`, `newer` than the known history, or
    /// `unknown`; `None` if no prime-rl reads the file.
    pub certainty: Option<&'static str>,
    /// Why it is this prime-rl, in words.
    pub why: Option<String>,
    /// That prime-rl's own answer.
    pub verdict: Verdict,
    /// The findings, in the order in which prime-rl meets them.
    pub findings: Vec<Finding>,
    json: String,
    text: String,
}

/// One finding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The stable code: `PRL101`.
    pub code: &'static str,
    /// The problem in kebab case: `unknown-key`.
    pub name: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The problem, in one sentence.
    pub message: String,
    /// What to write instead, or how to find the answer.
    pub help: Option<String>,
    /// The dotted key, from the root of the config.
    pub key: Option<String>,
    /// The file, if it is not the config itself.
    pub path: Option<String>,
    /// The place; `None` if it is in no line.
    pub range: Option<Range>,
    /// prime-rl's own error type, or the name of an exception; `None` if prime-rl does not check this.
    pub native: Option<String>,
    /// Where prime-rl reports it: the keys from the root, joined with dots, with the indices of lists and the tags of variants among them.
    pub native_place: Option<String>,
    /// The name of prime-rl's check.
    pub native_check: Option<String>,
    /// Whether prime-rl meets it only once the errors before it are fixed.
    pub masked: bool,
    /// What is at the place, in a few words.
    pub label: Option<String>,
    /// Further places, such as the other end of a contradiction.
    pub related: Vec<Related>,
    /// What may be written at the place: the values of a choice, or the keys that are meant; empty if that is not a list.
    pub choices: Vec<String>,
    /// A fix that improves the config: it has been tried.
    pub fix: Option<Fix>,
    /// Other fixes that improve it, of which any could be made instead.
    pub alternatives: Vec<Fix>,
    /// Findings that follow from this one, and are not listed besides.
    pub folded: Vec<Finding>,
}

/// A further place of a finding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Related {
    /// The file, if it is not the config itself.
    pub path: Option<String>,
    /// Its place.
    pub range: Range,
    /// How it is involved.
    pub message: String,
}

/// A fix: edits that do not overlap and belong together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// Whether it is safe.
    pub applicability: Applicability,
    /// The replacements, in the order of the file.
    pub edits: Vec<Edit>,
    /// What it does with what is written.
    pub does: Does,
    /// The keys of settings that nothing in the config makes after it.
    pub lost: Vec<String>,
    /// The hash of the text that it is for.
    digest: u64,
}

/// A replacement in the text of the config; an empty range inserts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Edit {
    /// The replaced range.
    pub range: Range,
    /// The new text.
    pub new_text: String,
}

impl Report {
    /// Whether prime-rl accepts it for certain, and nothing else is an error. Warnings do not count.
    ///
    /// ```
    /// // It depends on the package of the environment.
    /// let open = "[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nenv.taskset.id = \"a/b\"\nenv.taskset.x = 1\n";
    /// let report = cfg_prime_rl::check(open, "0.8.0")?;
    /// assert_eq!((report.verdict, report.is_ok()), (cfg_prime_rl::Verdict::Depends, false));
    /// # Ok::<(), cfg_prime_rl::Error>(())
    /// ```
    pub fn is_ok(&self) -> bool {
        self.verdict == Verdict::Ok && self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }

    /// The document that `cfg check --format json` prints; `schemas/report.schema.json` describes it.
    ///
    /// ```
    /// let report = cfg_prime_rl::check("[trainer]\n[orchestrator]\n", "0.4.0")?;
    /// let json: serde_json::Value = serde_json::from_str(report.json()).expect("it is JSON");
    /// assert_eq!(json["files"][0]["verdict"], "ok");
    /// # Ok::<(), cfg_prime_rl::Error>(())
    /// ```
    pub fn json(&self) -> &str {
        &self.json
    }

    pub(crate) fn new(read: &Read<'_>) -> Self {
        let Read { config, checked, .. } = read;
        let sources = read.sources();
        let target = checked.target_name();
        let checks = checked.checks().map(|checks| Checks {
            known: checks.known,
            from_source: checks.from_source,
            undecided: checked.undecided.clone(),
        });
        let stated = [("--target", config.target), ("--kind", config.kind.map(Kind::name))];
        let stated = stated.into_iter().filter_map(|(option, value)| Some(format!("{option}={}", cfg_diag::word(value?))));
        let options = stated.collect::<Vec<_>>().join(" ");
        let identity = checked.is_of_prime_rl().then(|| Identity {
            kind: checked.kind_name().map(str::to_owned),
            target: target.map(str::to_owned),
            certainty: checked.certainty.name(),
            why: checked.certainty.why(Path::new("/")),
            bases: checked.bases.clone(),
            started: checked.started.clone(),
        });
        let file = FileReport {
            path: config.path,
            kind: checked.kind_name(),
            target,
            verdict: checked.verdict,
            checks: None,
            diagnostics: &checked.diagnostics,
            repeated: Some(RepeatedOptions { options: &options, gpu: config.gpu }),
            is_common: false,
            is_of_script: checked.of_script.is_some(),
            identity: identity.as_ref(),
            fixed: None,
        };
        let shown = checked.diagnostics.iter().filter(|found| !found.is_echo);
        Self {
            path: config.path.to_owned(),
            kind: checked.kind,
            target: target.map(str::to_owned),
            certainty: identity.as_ref().map(|identity| identity.certainty),
            why: identity.as_ref().map(|identity| identity.why.clone()),
            verdict: checked.verdict,
            findings: shown.map(|found| Finding::new(found, config.path, &sources)).collect(),
            json: written(Format::Json, &FileReport { checks: checks.as_ref(), ..file }, &sources),
            text: written(Format::Concise, &file, &sources),
        }
    }
}

/// The output of `cfg check --format concise` for it.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text.trim_end())
    }
}

/// A report in one format. It is written to memory, which does not fail.
fn written(format: Format, file: &FileReport<'_>, sources: &Sources<'_>) -> String {
    let mut stream = Reporter::new(format, Style::default()).stream(Vec::new());
    let bytes = stream.file(file, sources).and_then(|()| {
        let closing = stream.summary().sentence();
        stream.finish(&closing)
    });
    String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
}

impl Finding {
    fn new(found: &Diagnostic, path: &str, sources: &Sources<'_>) -> Self {
        let place = found.location.and_then(|location| sources.place(location));
        let fix_of = |fix: &cfg_diag::Fix| {
            let edits = fix.edits.iter().map(|edit| {
                let is_own = sources.place(edit.location).is_some_and(|(own, _)| own == path);
                let range = Range::of(edit.location, sources).filter(|_| is_own)?;
                Some(Edit { range, new_text: edit.new_text.clone() })
            });
            let edits = edits.collect::<Option<_>>()?;
            Some(Fix {
                title: fix.title.clone(),
                applicability: fix.applicability,
                edits,
                does: fix.does,
                lost: fix.lost.as_ref().map(|lost| lost.keys.clone()).unwrap_or_default(),
                digest: digest(sources.whole(fix.edits.first()?.location.file)?),
            })
        };
        let related = found.related.iter().filter_map(|related| {
            let (other, _) = sources.place(related.location)?;
            Some(Related {
                path: (other != path).then(|| other.to_owned()),
                range: Range::of(related.location, sources)?,
                message: related.message.clone(),
            })
        });
        Self {
            code: found.code.code,
            name: found.code.name,
            severity: found.severity,
            message: found.message.clone(),
            help: found.help.clone(),
            key: found.key.clone(),
            path: place.map(|(path, _)| path).filter(|other| *other != path).map(str::to_owned),
            range: found.location.and_then(|location| Range::of(location, sources)),
            native: found.native.as_ref().map(|native| native.kind.to_string()),
            native_place: found.native.as_ref().map(|native| place_of(&native.loc)).filter(|place| !place.is_empty()),
            native_check: found.native.as_ref().and_then(|native| native.check.as_deref()).map(str::to_owned),
            masked: found.native.as_ref().is_some_and(|native| native.masked),
            label: found.label.clone(),
            related: related.collect(),
            choices: found.choices.clone(),
            fix: found.fix.as_ref().and_then(fix_of),
            alternatives: found.other_fixes.iter().filter_map(fix_of).collect(),
            folded: found.folded.iter().map(|found| Self::new(found, path, sources)).collect(),
        }
    }
}

/// The location of one of prime-rl's errors as a dotted path.
fn place_of(loc: &[LocPart]) -> String {
    let part = |part: &LocPart| match part {
        LocPart::Key(key) => key.clone(),
        LocPart::Index(index) => index.to_string(),
    };
    loc.iter().map(part).collect::<Vec<_>>().join(".")
}

/// The hash of a text, within this process.
fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Fix {
    /// The text with the fix applied; `None` for any other text than the one that was checked.
    ///
    /// ```
    /// let text = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";
    /// let fix = cfg_prime_rl::check(text, "0.4.0")?.findings[0].fix.clone().expect("a fix");
    /// assert!(fix.apply(text).is_some());
    /// assert_eq!(fix.apply(&text.replace("16", "32")), None);
    /// # Ok::<(), cfg_prime_rl::Error>(())
    /// ```
    pub fn apply(&self, text: &str) -> Option<String> {
        if digest(text) != self.digest {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for Edit { range, new_text } in &self.edits {
            let (start, end) = (range.start.offset as usize, range.end.offset as usize);
            out.push_str(text.get(at..start)?);
            text.get(start..end)?;
            out.push_str(new_text);
            at = end;
        }
        out.push_str(text.get(at..)?);
        Some(out)
    }
}
