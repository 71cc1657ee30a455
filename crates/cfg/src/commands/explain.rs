//! `cfg explain`: the documentation of a code.

use std::io::{self, Write as _};

use cfg_diag::{Code, Severity, codes};
use serde::Serialize;

use super::Listing;
use crate::{
    Outcome,
    args::{Common, Explain},
    terminal,
};

/// A code, for programs.
#[derive(Serialize)]
struct Entry {
    code: &'static str,
    name: &'static str,
    /// The usual one.
    severity: &'static str,
    summary: &'static str,
    url: String,
    /// The whole page, in Markdown.
    page: &'static str,
}

impl Entry {
    fn new(info: Code) -> Self {
        let severity = match info.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let cfg_diag::CodeInfo { code, name, summary, page, .. } = *info;
        Self { code, name, severity, summary, url: info.url(), page }
    }
}

pub(crate) fn run(common: &Common, explain: &Explain) -> io::Result<Outcome> {
    let Some(listing) = Listing::of(common, "explain") else { return Ok(Outcome::Failed) };
    let wanted = match explain.code.as_deref().map(|code| (code, codes::find(code))) {
        None => codes::ALL,
        Some((_, Some(info))) => &[info],
        Some((code, None)) => {
            terminal::complain(&format!("`{code}` is no code; `cfg explain` lists all"));
            return Ok(Outcome::Failed);
        }
    };
    let mut out = io::stdout().lock();
    match listing {
        Listing::Text if explain.code.is_none() => {
            for info in wanted {
                writeln!(out, "{}  {:20}  {}", info.code, info.name, info.summary)?;
            }
        }
        Listing::Text => {
            for info in wanted {
                // The page begins with the name as its heading.
                let text = info.page.split_once('\n').map_or("", |(_, text)| text);
                writeln!(out, "{} {}\n{}", info.code, info.name, text.trim_end())?;
            }
        }
        Listing::Json | Listing::JsonLines => {
            let entries: Vec<Entry> = wanted.iter().map(|info| Entry::new(info)).collect();
            listing.write(&mut out, &entries)?;
        }
    }
    Ok(Outcome::Clean)
}
