//! For people: each finding with the lines it is about.
//!
//! ```text
//! error[PRL101] `orchestrator` has no key `seqlen`
//!    ,-[rl.toml:2:1]
//!  1 | [orchestrator]
//!  2 | seqlen = 4096
//!    : ^^^|^^
//!    :    `-- not a key of prime-rl 0.4.0
//!    `----
//!   fix: rename to `seq_len`
//! ```
//!
//! The head and the notes are written here; the picture is miette's, of an [`Excerpt`](excerpt::Excerpt) that holds only the
//! lines to show, cut to the width and free of control characters.

mod cut;
mod excerpt;
mod notes;
mod picture;

use std::io::{self, Write};

use cfg_diag::{Diagnostic, FileId, Location, Severity};

use crate::layout::ForPeople;
use crate::paint::{BOLD, CYAN, severity_word};
use crate::text::wrap;
use crate::{FileReport, Sources, Style};
use cfg_diag::one_line;
use excerpt::{Mark, excerpts};

/// Sentences are never wider than this, even on a wide terminal, because they would be hard to read.
const WIDEST_TEXT: usize = 120;
/// Narrower terminals get lines that the terminal has to wrap.
const NARROWEST: usize = 40;
/// The number of findings of one file that are drawn; the others are counted.
const MAX_FINDINGS: usize = 100;
/// The number of related places that are drawn; the others are counted.
const MAX_RELATED: usize = 8;

/// Each finding with its lines.
pub(crate) static FULL: ForPeople = ForPeople(write);

fn write(out: &mut Vec<u8>, style: &Style, shown: Severity, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    let style = Style { width: style.width.max(NARROWEST), ..*style };
    let mut shown = file.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo && diagnostic.severity >= shown);
    shown.by_ref().take(MAX_FINDINGS).try_for_each(|diagnostic| {
        write_head(out, &style, diagnostic)?;
        let hidden = write_pictures(out, &style, file, sources, diagnostic)?;
        notes::write(out, &style, sources, diagnostic, &hidden, file.is_of_script)?;
        writeln!(out)
    })?;
    match shown.count() {
        0 => Ok(()),
        more => notes::write_more(out, &style, file.path, more),
    }
}

fn write_head(out: &mut Vec<u8>, style: &Style, diagnostic: &Diagnostic) -> io::Result<()> {
    let tag = style.tag(diagnostic.severity, diagnostic.code);
    let tag_width = severity_word(diagnostic.severity).len() + diagnostic.code.code.len() + 3;
    let message = one_line(&diagnostic.message);
    let width = text_width(style);
    for (number, line) in wrap(&message, width.saturating_sub(tag_width), width - 2).iter().enumerate() {
        write!(out, "{}", if number == 0 { &tag } else { " " })?;
        writeln!(out, " {}", style.paint(BOLD, line))?;
    }
    Ok(())
}

/// Draws every file that the finding concerns, its own first, and returns the related places that could not be drawn.
fn write_pictures<'d>(
    out: &mut Vec<u8>,
    style: &Style,
    file: &FileReport<'_>,
    sources: &Sources<'_>,
    diagnostic: &'d Diagnostic,
) -> io::Result<Vec<Mark<'d>>> {
    let marks = marks(diagnostic);
    let mut drawn: Vec<FileId> = Vec::new();
    let mut hidden = Vec::new();
    if diagnostic.location.is_none_or(|location| sources.get(location.file).is_none()) {
        writeln!(out, "  {} {}", style.paint(CYAN, "in:"), one_line(file.path))?;
    }
    for mark in &marks {
        let id = mark.location.file;
        let Some(source) = sources.get(id).filter(|_| !drawn.contains(&id)) else {
            continue;
        };
        drawn.push(id);
        let of_file: Vec<Mark<'d>> = marks.iter().filter(|mark| mark.location.file == id).copied().collect();
        let (excerpts, left_out) = excerpts(source, &of_file, style);
        hidden.extend(left_out);
        excerpts.iter().try_for_each(|excerpt| picture::write(out, style, diagnostic.severity, excerpt))?;
    }
    Ok(hidden)
}

/// The places of a finding, its own first.
fn marks(diagnostic: &Diagnostic) -> Vec<Mark<'_>> {
    let mark = |location: Location, label, primary| Mark { location, label, primary };
    let primary = diagnostic.location.map(|location| mark(location, diagnostic.label.as_deref().unwrap_or_default(), true));
    let related =
        diagnostic.related.iter().take(MAX_RELATED).map(|related| mark(related.location, related.message.as_str(), false));
    primary.into_iter().chain(related).collect()
}

fn text_width(style: &Style) -> usize {
    style.width.min(WIDEST_TEXT)
}
