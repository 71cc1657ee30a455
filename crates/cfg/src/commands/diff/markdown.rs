//! A comparison in Markdown, for a pull request.

use std::io;

use cfg_check::Session;
use cfg_diag::markdown::{cell, code};
use cfg_registry::fingerprint::{Cause, Difference, Leaf};
use cfg_report::memory::write_changes;

use super::{print::sentence, side::Side};

/// Writes a heading, and what differs.
pub(super) fn write(
    out: &mut impl io::Write,
    session: &Session,
    one: &Side,
    other: &Side,
    differences: &[Difference<'_>],
    edits: usize,
    hints: &[String],
) -> io::Result<()> {
    writeln!(out, "#### {}\n", code(&other.name))?;
    write!(out, "Compared with {}", code(&one.name))?;
    write_differences(out, session, one, other, differences, edits, hints)
}

/// Writes, behind what the config is compared with, the user's changes as a table, the changes of prime-rl as a collapsed section, and the memory if it
/// differs.
pub(super) fn write_differences(
    out: &mut impl io::Write,
    session: &Session,
    one: &Side,
    other: &Side,
    differences: &[Difference<'_>],
    edits: usize,
    hints: &[String],
) -> io::Result<()> {
    let (by_user, by_version): (Vec<_>, Vec<_>) = differences.iter().partition(|difference| difference.cause == Cause::User);
    let compared = if one.target().name == other.target().name {
        format!("at prime-rl {}", code(&other.target().name))
    } else {
        format!("from prime-rl {} to {}", code(&one.target().name), code(&other.target().name))
    };
    writeln!(out, ", {compared}: {}", sentence(differences, edits))?;
    table(out, &by_user)?;
    if !by_version.is_empty() {
        writeln!(out, "\n<details><summary>Due to the prime-rl version: {}</summary>", by_version.len())?;
        table(out, &by_version)?;
        writeln!(out, "\n</details>")?;
    }
    if let (Some(before), Some(now)) = (one.memory(session), other.memory(session)) {
        let mut changes = Vec::new();
        write_changes(&mut changes, &before, &now)?;
        if changes.is_empty() && !by_user.is_empty() {
            writeln!(out, "\nMemory and disk: as before")?;
        }
        out.write_all(&changes)?;
    }
    for hint in hints {
        writeln!(out, "\n> {}", code(hint))?;
    }
    Ok(())
}

fn table(out: &mut impl io::Write, differences: &[&Difference<'_>]) -> io::Result<()> {
    if differences.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| key | before | now | class |\n|---|---|---|---|")?;
    let value =
        |leaf: Option<&Leaf>| leaf.map_or_else(|| "-".to_owned(), |leaf| cell(&crate::commands::compile::shown(&leaf.text())));
    for difference in differences {
        let (before, now) = (value(difference.one), value(difference.other));
        writeln!(out, "| {} | {before} | {now} | {} |", cell(difference.key()), difference.class.name())?;
    }
    Ok(())
}
