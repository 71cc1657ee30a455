//! The diagnosis of logs, for programs and for people.

use std::io::{self, Write};

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use cfg_diag::one_line;

use crate::{
    Style,
    course::grouped,
    paint::{BOLD, CYAN, DIM, severity_ink},
    summary::count,
    text::wrap,
};

/// The JSON Schema of [`DiagnosisReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<DiagnosisReport>()
}

/// What `cfg run diagnose --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DiagnosisReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The logs that were read.
    pub logs: Vec<LogReport>,
    /// The target; null if none is given.
    pub target: Option<String>,
    /// The config that is searched for the cause; null if none is given.
    pub against: Option<String>,
    /// The findings: errors first, then in the order of the logs.
    pub findings: Vec<SymptomReport>,
}

/// A log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LogReport {
    /// Its path; `-` for standard input.
    pub path: String,
    /// Its lines.
    pub lines: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// A symptom that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymptomReport {
    /// Its stable name.
    pub symptom: String,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The program that writes such lines.
    pub by: String,
    /// What happened.
    pub cause: String,
    /// What to do.
    pub repair: String,
    /// The versions that it applies to; null for all versions.
    pub versions: Option<String>,
    /// The findings of `cfg check` and `cfg run preflight` that would have warned before the run, the most likely first.
    pub rules: Vec<RuleReport>,
    /// Its places, one for each log.
    pub seen: Vec<SightingReport>,
    /// The lines of the config that are involved, the most likely first.
    pub places: Vec<PlaceReport>,
}

/// A code.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleReport {
    /// `PRL301`.
    pub code: &'static str,
    /// `context-overflow`.
    pub name: &'static str,
}

/// A symptom in a log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SightingReport {
    /// The log's path.
    pub path: String,
    /// The first line with it, from 1.
    pub line: u64,
    /// The last line with it.
    pub last_line: u64,
    /// The number of lines with it.
    pub count: u64,
    /// The text of the first line, or a part of it, with control characters made visible. An exception is followed by the one that caused it.
    pub text: String,
    /// The process that wrote it: `launcher`, `trainer`, `orchestrator`, `inference server`, `environment server`, `evaluation`, `scheduler`, or
    /// `run` if it is not known.
    pub component: &'static str,
    /// The time of day of a process's end, `10:01:40`; null if it is not known or if the line is not about an end.
    pub time: Option<String>,
    /// Whether several processes ended, and this one was the first.
    pub ended_first: bool,
    /// Where prime-rl's own code was when it ended; null if the log has no traceback, or the project has no checkout of prime-rl.
    pub code: Option<CodeReport>,
}

/// A place in prime-rl's own code.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CodeReport {
    /// The file in the project's checkout.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The keys of the config that this function reads.
    pub reads: Vec<String>,
}

/// A place in the config.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceReport {
    /// The file.
    pub path: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// The text of the line, with control characters made visible.
    pub text: String,
    /// The key; null if the place is not a key.
    pub key: Option<String>,
    /// What is wrong with it, or how it is involved.
    pub message: String,
    /// The code of the finding of `cfg check` that reports it; null if none does.
    pub code: Option<&'static str>,
}

impl DiagnosisReport {
    /// Makes text from outside safe for a terminal, in every format.
    #[must_use]
    pub fn harmless(mut self) -> Self {
        let clean = |text: &mut String| *text = one_line(text).into_owned();
        self.logs.iter_mut().for_each(|log| clean(&mut log.path));
        for finding in &mut self.findings {
            for seen in &mut finding.seen {
                clean(&mut seen.path);
                clean(&mut seen.text);
                if let Some(code) = &mut seen.code {
                    clean(&mut code.path);
                    clean(&mut code.function);
                }
            }
            for place in &mut finding.places {
                clean(&mut place.path);
                clean(&mut place.text);
                clean(&mut place.message);
            }
        }
        self
    }
}

/// The indentation of the texts of a finding.
const INDENT: &str = "  ";

/// Writes each finding as a paragraph; the report must be [harmless](DiagnosisReport::harmless).
pub fn write_text(out: &mut impl Write, style: Style, report: &DiagnosisReport) -> io::Result<()> {
    for finding in &report.findings {
        write_finding(out, style, finding)?;
        writeln!(out)?;
    }
    let logs = count(report.logs.len(), "log");
    let lines: u64 = report.logs.iter().map(|log| log.lines).sum();
    let lines = grouped(i64::try_from(lines).unwrap_or(i64::MAX));
    match report.findings.len() {
        0 => {
            writeln!(out, "No known symptoms in {logs} ({lines} lines)")?;
            for log in report.logs.iter().filter(|log| log.bytes == 0) {
                writeln!(out, "{INDENT}{} is empty", if log.path == "-" { "standard input" } else { &log.path })?;
            }
            Ok(())
        }
        number => {
            writeln!(out, "Found {} in {logs} ({lines} lines)", count(number, "symptom"))?;
            if report.against.is_none() {
                writeln!(out, "Pass `--against CONFIG` to see the related lines of the config")?;
            }
            Ok(())
        }
    }
}

pub(crate) fn write_finding(out: &mut impl Write, style: Style, finding: &SymptomReport) -> io::Result<()> {
    let severity = if finding.severity == "error" { cfg_diag::Severity::Error } else { cfg_diag::Severity::Warning };
    let head = format!("{}[{}]", finding.severity, finding.symptom);
    writeln!(out, "{}", style.paint(severity_ink(severity), head))?;
    for seen in &finding.seen {
        let often = match seen.count {
            0 | 1 => String::new(),
            number if seen.last_line > seen.line => format!(", {number} times until line {}", seen.last_line),
            number => format!(", {number} times"),
        };
        let place = format!("{}:{}", seen.path, seen.line);
        let by = seen.time.as_ref().map(|time| format!(" ({} at {time}", seen.component));
        let by = by.map(|by| if seen.ended_first { format!("{by}; it ended first)") } else { format!("{by})") });
        let often = format!("{}{often}", by.unwrap_or_default());
        writeln!(out, "{INDENT}{}{often}", style.paint(BOLD, place))?;
        writeln!(out, "{INDENT}{} {}", style.paint(DIM, "|"), seen.text)?;
    }
    for code in finding.seen.iter().filter_map(|seen| seen.code.as_ref()).filter(|code| !code.reads.is_empty()) {
        let CodeReport { path, line, function, reads } = code;
        let keys: Vec<String> = reads.iter().map(|key| format!("`{key}`")).collect();
        paragraph(out, style, "code", &format!("{function}, {path}:{line}, reads {}", keys.join(", ")))?;
    }
    paragraph(out, style, "cause", &finding.cause)?;
    if let Some(versions) = &finding.versions {
        paragraph(out, style, "holds", versions)?;
    }
    paragraph(out, style, "do", &finding.repair)?;
    for place in &finding.places {
        let code = place.code.map_or_else(String::new, |code| format!(" [{code}]"));
        let at = format!("{}:{}:{}", place.path, place.line, place.column);
        let width = style.width.max(40) - INDENT.len();
        let room = width.saturating_sub(at.len() + code.len() + 1);
        for (index, line) in wrap(&place.message, room, width - INDENT.len()).iter().enumerate() {
            match index {
                0 => writeln!(out, "{INDENT}{}{code} {line}", style.paint(BOLD, &at))?,
                _ => writeln!(out, "{INDENT}{INDENT}{line}")?,
            }
        }
        writeln!(out, "{INDENT}{} {}", style.paint(DIM, "|"), place.text)?;
    }
    if !finding.rules.is_empty() {
        let rules: Vec<String> = finding.rules.iter().map(|rule| format!("{} {}", rule.code, rule.name)).collect();
        let first = finding.rules[0].code;
        paragraph(out, style, "would have been caught by", &format!("{}; `cfg explain {first}`", rules.join(", ")))?;
    }
    Ok(())
}

/// `cause: ...`, wrapped.
fn paragraph(out: &mut impl Write, style: Style, name: &str, text: &str) -> io::Result<()> {
    let own = INDENT.len() + name.len() + 2;
    let width = style.width.max(40);
    let lines = wrap(text, width - own.min(20), width - INDENT.len() * 2);
    for (index, line) in lines.iter().enumerate() {
        if index == 0 {
            writeln!(out, "{INDENT}{} {line}", style.paint(CYAN, format!("{name}:")))?;
        } else {
            writeln!(out, "{INDENT}{INDENT}{line}")?;
        }
    }
    Ok(())
}
