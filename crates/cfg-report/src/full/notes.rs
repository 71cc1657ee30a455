//! The notes below the picture: places that could not be drawn, help, the fix, prime-rl's own message, and folded findings.

use std::fmt::Write as _;
use std::io::{self, Write};

use cfg_diag::{Applicability, Code, Diagnostic, LocPart, Native, codes};

use super::excerpt::Mark;
use super::{MAX_RELATED, text_width};
use crate::paint::{CYAN, DIM, GREEN, Ink};
use crate::summary::count;
use crate::text::{lines_to_wrap, wrap};
use crate::{Sources, Style};
use cfg_diag::one_line;

pub(super) fn write(
    out: &mut Vec<u8>,
    style: &Style,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
    hidden: &[Mark<'_>],
    is_of_script: bool,
) -> io::Result<()> {
    for mark in hidden {
        if let Some((path, at)) = sources.place(mark.location).filter(|_| !mark.label.is_empty()) {
            let place = if mark.primary { String::new() } else { format!("{path}:{}:{}: ", at.line, at.column) };
            write_note(out, style, CYAN, "note", &format!("{place}{}", mark.label))?;
        }
    }
    if let Some(more @ 1..) = diagnostic.related.len().checked_sub(MAX_RELATED) {
        write_note(out, style, CYAN, "note", &format!("and {}", count(more, "further place")))?;
    }
    if let Some(help) = &diagnostic.help {
        write_note(out, style, CYAN, "help", help)?;
    }
    if let Some(fix) = &diagnostic.fix {
        let word = match fix.applicability {
            Applicability::Safe => "fix",
            Applicability::Unsafe => "unsafe fix",
        };
        write_note(out, style, GREEN, word, &fix.title)?;
    }
    if let Some(native) = &diagnostic.native {
        let is_of = |codes: &[Code]| codes.contains(&diagnostic.code);
        let speaker = if is_of(&[&codes::UNKNOWN_EVAL_KEY, &codes::REFUSED_EVALUATION, &codes::UNKNOWN_ENDPOINT]) {
            "verifiers"
        } else if is_of(&[&codes::HOSTED_REFUSAL, &codes::RETIRED_HOSTED_FORM]) || native.kind == "TomlDecodeError" {
            "prime train"
        } else if is_of_script {
            // A program of the project itself.
            "pydantic"
        } else {
            "prime-rl"
        };
        write_note(out, style, DIM, speaker, &native_words(native))?;
    }
    if !diagnostic.folded.is_empty() {
        write_note(out, style, DIM, "note", &folded_words(diagnostic))?;
    }
    Ok(())
}

/// Writes how many findings of a file are not drawn.
pub(super) fn write_more(out: &mut Vec<u8>, style: &Style, path: &str, more: usize) -> io::Result<()> {
    let text = format!("and {} in {path}; use `--format concise` to list all", count(more, "further finding"));
    write_note(out, style, CYAN, "note", &text)?;
    writeln!(out)
}

/// Writes a label and a text, whose lines are wrapped and indented after the label.
fn write_note(out: &mut Vec<u8>, style: &Style, ink: Ink, word: &str, text: &str) -> io::Result<()> {
    let indent = word.len() + 4;
    let width = text_width(style).saturating_sub(indent);
    let lines = lines_to_wrap(text).into_iter().flat_map(|line| wrap(&one_line(&line), width, width));
    for (number, line) in lines.enumerate() {
        match number {
            0 => writeln!(out, "  {} {line}", style.paint(ink, format_args!("{word}:")))?,
            _ => writeln!(out, "{:indent$}{line}", "")?,
        }
    }
    Ok(())
}

/// prime-rl's error in the form `extra_forbidden at orchestrator.seqlen`.
fn native_words(native: &Native) -> String {
    let mut words = native.kind.to_string();
    for (number, part) in native.loc.iter().enumerate() {
        words += if number == 0 { " at " } else { "." };
        match part {
            LocPart::Key(key) => words += key,
            LocPart::Index(index) => {
                let _ = write!(words, "{index}");
            }
        }
    }
    if let Some(check) = &native.check {
        let _ = write!(words, " in {check}");
    }
    if native.masked {
        words += ", once the errors before it are fixed";
    }
    words
}

fn folded_words(diagnostic: &Diagnostic) -> String {
    let way = if diagnostic.code == &codes::OTHER_TARGET_FITS {
        "pass `--target` to see them"
    } else {
        "use `--format json` to list them"
    };
    let number = diagnostic.folded.len();
    let verb = if number == 1 { "follows" } else { "follow" };
    format!("{} {verb} from this; {way}", count(number, "further finding"))
}
