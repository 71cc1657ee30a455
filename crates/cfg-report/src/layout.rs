//! What a format of findings is: one file of this crate implements [`Layout`] for it, and `formats!` in `lib.rs` names it.

use std::io::{self, Write};

use cfg_diag::{Severity, one_line};

use crate::{FileReport, Sources, Style, Summary};

/// Who reads a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// People: it has a closing sentence, in which the findings that are not shown are counted.
    People,
    /// A CI system, which looks for the files in its own folder.
    Ci,
    /// Another program.
    Program,
}

/// How the findings of a file are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    /// The abilities of the output.
    pub(crate) style: &'a Style,
    /// The severity from which on findings are shown to people.
    pub(crate) shown: Severity,
    /// The severity from which on a finding is a failure.
    pub(crate) failing: Severity,
}

/// What is known at the end of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closing<'a> {
    /// What [`Layout::of_command`] wrote.
    pub(crate) of_command: &'a [u8],
    /// The counts over all files.
    pub(crate) summary: &'a Summary,
    /// The last line for people; may be empty.
    pub(crate) sentence: &'a str,
}

/// A format: what it writes before the first file, for each file, between two files with content, and after the last one.
pub(crate) trait Layout {
    /// Who reads it.
    fn audience(&self) -> Audience;

    /// Writes what precedes the first file. `automation` is the id of the run.
    fn begin(&self, out: &mut Vec<u8>, automation: &str) -> io::Result<()> {
        let _ = (out, automation);
        Ok(())
    }

    /// Writes one file.
    fn file(&self, out: &mut Vec<u8>, look: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()>;

    /// The separator of two files with content.
    fn separator(&self) -> &'static [u8] {
        b""
    }

    /// Writes findings about the command itself, if they have a place of their own at the end of the report; returns whether they have.
    fn of_command(&self, out: &mut Vec<u8>, report: &FileReport<'_>) -> io::Result<bool> {
        let _ = (out, report);
        Ok(false)
    }

    /// Writes what follows the last file.
    fn end(&self, out: &mut dyn Write, closing: Closing<'_>) -> io::Result<()> {
        let _ = (out, closing);
        Ok(())
    }
}

/// A format for people: how it writes the findings of a file. The results of prime-rl's own checks follow, and the last line.
pub(crate) struct ForPeople(pub(crate) fn(&mut Vec<u8>, &Style, Severity, &FileReport<'_>, &Sources<'_>) -> io::Result<()>);

impl Layout for ForPeople {
    fn audience(&self) -> Audience {
        Audience::People
    }

    fn file(&self, out: &mut Vec<u8>, look: Look<'_>, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
        self.0(out, look.style, look.shown, file, sources)?;
        match file.checks {
            Some(checks) => writeln!(out, "{}: {}", one_line(file.path), one_line(&checks.sentence())),
            None => Ok(()),
        }
    }

    fn end(&self, out: &mut dyn Write, closing: Closing<'_>) -> io::Result<()> {
        if closing.sentence.is_empty() { Ok(()) } else { writeln!(out, "{}", closing.sentence) }
    }
}
