//! One line per finding: `path:line:column: error[PRL101] message (help)`.

use std::io::{self, Write};

use cfg_diag::{Diagnostic, Severity};

use crate::paint::{BOLD, DIM};
use crate::summary::count;
use crate::{FileReport, Sources, Style};
use cfg_diag::one_line;

pub(crate) fn write(
    out: &mut Vec<u8>,
    style: &Style,
    shown: Severity,
    file: &FileReport<'_>,
    sources: &Sources<'_>,
) -> io::Result<()> {
    file.diagnostics
        .iter()
        .filter(|diagnostic| !diagnostic.is_echo && diagnostic.severity >= shown)
        .try_for_each(|diagnostic| write_line(out, style, file, sources, diagnostic))
}

fn write_line(
    out: &mut Vec<u8>,
    style: &Style,
    file: &FileReport<'_>,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
) -> io::Result<()> {
    match diagnostic.location.and_then(|location| sources.place(location)) {
        Some((path, at)) => write!(out, "{}:{}:{}: ", style.paint(BOLD, one_line(path)), at.line, at.column)?,
        None => write!(out, "{}: ", style.paint(BOLD, one_line(file.path)))?,
    }
    write!(out, "{} {}", style.tag(diagnostic.severity, diagnostic.code), one_line(&diagnostic.message))?;
    if let Some(help) = &diagnostic.help {
        write!(out, " ({})", one_line(help))?;
    } else if let Some(fix) = &diagnostic.fix {
        write!(out, " (fix: {})", one_line(&fix.title))?;
    }
    if !diagnostic.folded.is_empty() {
        let more = count(diagnostic.folded.len(), "further finding");
        write!(out, " {}", style.paint(DIM, format_args!("[{more}]")))?;
    }
    writeln!(out)
}
