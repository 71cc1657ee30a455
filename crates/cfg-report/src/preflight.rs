//! The problems of a machine for a config, for programs and for people.

use std::io::{self, Write};

use cfg_diag::{Diagnostic, Severity, one_line};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    Sources, Style,
    paint::{BOLD, CYAN, DIM, GREEN, severity_ink, severity_word},
    summary::count,
    text::wrap,
};

/// The JSON Schema of [`PreflightReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<PreflightReport>()
}

/// What `cfg run preflight --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PreflightReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The config, or the launch command.
    pub config: String,
    /// The target.
    pub target: String,
    /// The worst result: `ok`, `warning` or `error`.
    pub verdict: &'static str,
    /// Each check, in a fixed order.
    pub checks: Vec<CheckReport>,
}

/// One check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// Its stable name.
    pub name: &'static str,
    /// `fine`, `found`, `not-needed`, or `unknown` if it can't be determined here.
    pub status: &'static str,
    /// The result, or why it is not needed or not known; null if there are findings.
    pub detail: Option<String>,
    /// The findings.
    pub findings: Vec<FindingReport>,
}

/// A finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingReport {
    /// Its code: `PRL836`.
    pub code: &'static str,
    /// The code's name.
    pub name: &'static str,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    /// The fault.
    pub message: String,
    /// The repair.
    pub help: Option<String>,
    /// The key of the config.
    pub key: Option<String>,
    /// The place in the config, if there is one.
    pub place: Option<PlaceReport>,
}

/// A place in a config.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceReport {
    /// The file.
    pub path: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
}

impl PreflightReport {
    /// A report without checks.
    pub fn new(config: &str, target: &str) -> Self {
        Self {
            schema_version: crate::json::SCHEMA_VERSION,
            config: one_line(config).into_owned(),
            target: target.to_owned(),
            verdict: "ok",
            checks: Vec::new(),
        }
    }

    /// Adds a check without findings.
    pub fn add(&mut self, name: &'static str, status: &'static str, detail: &str) {
        self.checks.push(CheckReport { name, status, detail: Some(one_line(detail).into_owned()), findings: Vec::new() });
    }

    /// Adds a check with findings.
    pub fn add_found(&mut self, name: &'static str, found: &[Diagnostic], sources: &Sources<'_>) {
        let worst = found.iter().map(|diagnostic| diagnostic.severity).max();
        self.verdict = match (self.verdict, worst) {
            ("error", _) | (_, Some(Severity::Error)) => "error",
            (_, Some(Severity::Warning)) => "warning",
            (verdict, _) => verdict,
        };
        let findings = found.iter().map(|diagnostic| FindingReport {
            code: diagnostic.code.code,
            name: diagnostic.code.name,
            severity: severity_word(diagnostic.severity),
            message: one_line(&diagnostic.message).into_owned(),
            help: diagnostic.help.as_deref().map(|help| one_line(help).into_owned()),
            key: diagnostic.key.clone(),
            place: diagnostic.location.and_then(|location| sources.place(location)).map(|(path, at)| PlaceReport {
                path: one_line(path).into_owned(),
                line: at.line,
                column: at.column,
            }),
        });
        self.checks.push(CheckReport { name, status: "found", detail: None, findings: findings.collect() });
    }

    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.verdict == "error"
    }
}

/// The column of details.
const DETAILS: usize = 16;

/// Writes which config was checked, for which prime-rl.
pub fn write_heading(out: &mut impl Write, style: Style, report: &PreflightReport) -> io::Result<()> {
    writeln!(out, "{} at {}", style.paint(BOLD, &report.config), report.target)
}

/// Writes a line for each check, with its findings below.
pub fn write_text(out: &mut impl Write, style: Style, report: &PreflightReport) -> io::Result<()> {
    for check in &report.checks {
        let name = format!("{:width$}", check.name, width = DETAILS);
        match (check.status, &check.detail) {
            ("fine", Some(detail)) => writeln!(out, "{}  {name}{detail}", style.paint(GREEN, "ok"))?,
            ("unknown", Some(detail)) => writeln!(out, "{}   {name}unknown: {detail}", style.paint(CYAN, "?"))?,
            (_, Some(detail)) => {
                writeln!(out, "{}   {name}{}", style.paint(DIM, "-"), style.paint(DIM, format!("not needed: {detail}")))?;
            }
            _ => {
                for finding in &check.findings {
                    write_finding(out, style, &name, finding)?;
                }
            }
        }
    }
    let all = || report.checks.iter().flat_map(|check| &check.findings);
    let number = |severity: &str| all().filter(|finding| finding.severity == severity).count();
    let found: Vec<String> = [("error", "error"), ("warning", "warning"), ("info", "note")]
        .into_iter()
        .filter(|(severity, _)| number(severity) > 0)
        .map(|(severity, word)| count(number(severity), word))
        .collect();
    let unknown = report.checks.iter().filter(|check| check.status == "unknown").count();
    let open = if unknown == 0 { String::new() } else { format!("; {} skipped", count(unknown, "check")) };
    if found.is_empty() {
        writeln!(out, "Ready: {} made{open}", count(report.checks.len(), "check"))
    } else {
        writeln!(out, "Found {}{open}", found.join(", "))
    }
}

fn write_finding(out: &mut impl Write, style: Style, name: &str, finding: &FindingReport) -> io::Result<()> {
    let severity = match finding.severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    };
    let mark = if severity == Severity::Info { "i" } else { "!!" };
    let at = finding.place.as_ref().map_or_else(String::new, |place| format!(" ({}:{})", place.path, place.line));
    let head = format!("{}[{}] {}{at}", finding.severity, finding.code, finding.message);
    let width = style.width.max(40).saturating_sub(DETAILS + 4).max(24);
    let indent = " ".repeat(DETAILS + 4);
    for (index, line) in wrap(&head, width, width).iter().enumerate() {
        if index == 0 {
            writeln!(out, "{}{}{name}{line}", style.paint(severity_ink(severity), mark), " ".repeat(4 - mark.len()))?;
        } else {
            writeln!(out, "{indent}{line}")?;
        }
    }
    if let Some(help) = &finding.help {
        for (index, line) in wrap(&format!("do: {help}"), width, width).iter().enumerate() {
            let line = if index == 0 { line.replacen("do:", &style.paint(CYAN, "do:").to_string(), 1) } else { line.clone() };
            writeln!(out, "{indent}{line}")?;
        }
    }
    Ok(())
}
