//! A comparison in Markdown, for a pull request.

use std::io;

use cfg_check::Session;
use cfg_diag::markdown::{cell, code};
use cfg_registry::fingerprint::{Cause, Difference, Leaf};
use cfg_report::memory::write_changes;

use super::{print::sentence, side::Side};
use crate::commands::compile::shown;

/// Two configs, and what differs.
pub(super) struct Comparison<'a> {
    pub(super) one: &'a Side,
    pub(super) other: &'a Side,
    pub(super) differences: &'a [Difference<'a>],
    /// The number of edits.
    pub(super) edits: usize,
    pub(super) hints: &'a [String],
}

impl Comparison<'_> {
    /// Writes a heading, and what differs.
    pub(super) fn write(&self, out: &mut impl io::Write, session: &Session) -> io::Result<()> {
        writeln!(out, "#### {}\n", code(&self.other.name))?;
        write!(out, "Compared with {}", code(&self.one.name))?;
        self.write_differences(out, session)
    }

    /// Writes, behind what the config is compared with, the user's changes as a table, the changes of prime-rl as a collapsed section, and the memory if it
    /// differs.
    pub(super) fn write_differences(&self, out: &mut impl io::Write, session: &Session) -> io::Result<()> {
        let (by_user, by_version): (Vec<_>, Vec<_>) =
            self.differences.iter().partition(|difference| difference.cause == Cause::User);
        let compared = if self.one.target().name == self.other.target().name {
            format!("at prime-rl {}", code(&self.other.target().name))
        } else {
            format!("from prime-rl {} to {}", code(&self.one.target().name), code(&self.other.target().name))
        };
        writeln!(out, ", {compared}: {}", sentence(self.differences, self.edits))?;
        table(out, &by_user)?;
        if !by_version.is_empty() {
            writeln!(out, "\n<details><summary>Due to the prime-rl version: {}</summary>", by_version.len())?;
            table(out, &by_version)?;
            writeln!(out, "\n</details>")?;
        }
        if let (Some(before), Some(now)) = (self.one.memory(session), self.other.memory(session)) {
            let mut changes = Vec::new();
            write_changes(&mut changes, &before, &now)?;
            if changes.is_empty() && !by_user.is_empty() {
                writeln!(out, "\nMemory and disk: as before")?;
            }
            out.write_all(&changes)?;
        }
        for hint in self.hints {
            writeln!(out, "\n> {}", code(hint))?;
        }
        Ok(())
    }
}

fn table(out: &mut impl io::Write, differences: &[&Difference<'_>]) -> io::Result<()> {
    if differences.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| key | before | now | class |\n|---|---|---|---|")?;
    for difference in differences {
        let (before, now) = (value(difference.one), value(difference.other));
        writeln!(out, "| {} | {before} | {now} | {} |", cell(difference.key()), difference.class.name())?;
    }
    Ok(())
}

/// A value as a cell of a table.
pub(super) fn value(leaf: Option<&Leaf>) -> String {
    leaf.map_or_else(|| "-".to_owned(), |leaf| cell(&shown(&leaf.text())))
}
