//! SARIF 2.1.0: one run, whose driver has all codes as rules, with their pages as help.
//!
//! Echoes are left out and folded findings are counted in the message, as in the format for people. Columns count characters.

mod model;
mod result;

use std::io::{self, Write};

use cfg_diag::{Code, Severity, codes};

use crate::fingerprint::write_each;
use crate::json::write_line;
use crate::layout::{Audience, Closing, Layout, Look};
use crate::{FileReport, Sources};
use model::{Configuration, Driver, FindingResult, Help, Invocation, Rule, RuleProperties, RunDetails, Text, Tool};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run, with all codes as rules.
pub(crate) struct Sarif;

impl Layout for Sarif {
    fn audience(&self) -> Audience {
        Audience::Ci
    }

    fn begin(&self, out: &mut Vec<u8>, automation: &str) -> io::Result<()> {
        let rules = codes::ALL.iter().map(|&code| rule(code)).collect();
        write!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":")?;
        write_line(out, &Tool { driver: Driver { name: "cfg", version: env!("CARGO_PKG_VERSION"), rules } })?;
        out.write_all(b",\"automationDetails\":")?;
        write_line(out, &RunDetails { id: automation })?;
        out.write_all(b",\"columnKind\":\"unicodeCodePoints\",\"results\":[\n")
    }

    fn file(&self, out: &mut Vec<u8>, _: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        write_each(out, file, sources, |diagnostic, fingerprint| FindingResult::new(diagnostic, fingerprint, file, sources))
    }

    fn separator(&self) -> &'static [u8] {
        b",\n"
    }

    fn end(&self, mut out: &mut dyn Write, closing: Closing<'_>) -> io::Result<()> {
        out.write_all(b"\n],\"invocations\":[")?;
        write_line(&mut out, &Invocation { execution_successful: closing.summary.unreadable == 0 })?;
        out.write_all(b"]}]}\n")
    }
}

fn rule(code: Code) -> Rule {
    let help_uri = code.url();
    let page = help_uri.is_none().then(|| code.page_path());
    Rule {
        id: code.code,
        name: code.name,
        short_description: Text { text: code.summary.to_owned() },
        full_description: Text { text: finds(code.page) },
        help: Help { text: code.page, markdown: code.page },
        help_uri,
        default_configuration: Configuration { level: level(code.severity) },
        properties: RuleProperties { page },
    }
}

/// The first paragraph of a page's first section, on one line.
fn finds(page: &str) -> String {
    let section = page.split_once("\n## ").map_or(page, |(_, section)| section);
    let lines = section.lines().skip(1).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}
