//! What a migration says to people.

use std::io::{self, Write};

use cfg_check::Session;
use cfg_migrate::{Changed, Decision, Done, Migration, Reason, when};
use cfg_report::{Style, count, one_line};
use cfg_schema::{Automatic, History, Point};

use super::position;
use crate::{args::Common, terminal};

/// What becomes of the new text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing yet.
    Planned,
    /// It was shown as a diff.
    Shown,
    /// It was written.
    Written,
}

/// Columns in front of a note.
const INDENTATION: usize = 6;
/// So many keys of one change are named; of more, how many they are.
const MOST_KEYS: usize = 12;
/// So many columns of a value are shown.
const VALUE_WIDTH: usize = 60;

pub(super) fn write(
    common: &Common,
    session: &Session,
    name: &str,
    old: &str,
    migration: &Migration,
    mode: Mode,
) -> io::Result<()> {
    let style = terminal::style(common.color);
    let mut report = Report { out: io::BufWriter::new(io::stdout().lock()), style, history: session.history, old, migration };
    report.head(name)?;
    report.done()?;
    report.decisions()?;
    report.remaining()?;
    report.changed()?;
    report.closing(mode)?;
    report.out.flush()
}

/// What was done, in one line.
pub(super) fn sentence(migration: &Migration, mode: Mode) -> String {
    let Migration { from, to, done, decisions, .. } = migration;
    if migration.is_stuck {
        return format!("the way this file is written does not allow the changes for prime-rl {to}; nothing is changed");
    }
    let verb = if mode == Mode::Written { "Changed" } else { "Would change" };
    let left = match decisions.len() {
        0 => String::new(),
        left => format!("; {} left to decide", count(left, "key")),
    };
    format!("{verb} {} from prime-rl {from} to {to}{left}", count(done.len(), "key"))
}

struct Report<'a, W> {
    out: W,
    style: Style,
    history: History,
    old: &'a str,
    migration: &'a Migration,
}

impl<W: Write> Report<'_, W> {
    fn head(&mut self, name: &str) -> io::Result<()> {
        let Migration { kind, from, to, is_guessed, .. } = self.migration;
        let title = format!("{}: {} config, from prime-rl {from} to {to}", one_line(name), kind.with_article());
        writeln!(self.out, "{}", terminal::paint(self.style, "1", &title))?;
        if *is_guessed {
            self.note(&format!(
                "nothing states which prime-rl it is written for; by its keys that is {from} (`--from` says otherwise)"
            ))?;
        }
        if self.migration.before.verdict == cfg_check::Verdict::Rejected {
            self.note(&format!("prime-rl {from} refuses it as it stands: `cfg check --target {from}` tells why"))?;
        }
        Ok(())
    }

    fn section(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "\n{}", terminal::paint(self.style, "1", title))
    }

    fn done(&mut self) -> io::Result<()> {
        let done = &self.migration.done;
        if done.is_empty() || self.migration.is_stuck {
            return Ok(());
        }
        self.section(&format!("Rewritten: {}", count(done.len(), "key")))?;
        for done in done {
            let line = self.one_done(done);
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    fn one_done(&self, done: &Done) -> String {
        let at = position(self.old, done.location).map_or_else(|| "    +".to_owned(), |(line, _)| format!("{line:>5}"));
        let value = done.value.as_ref().map(|value| format!(" = {}", shown(value))).unwrap_or_default();
        let what = match &done.new {
            None => format!("{} goes", done.old),
            Some(new) if done.old.is_empty() || *new == done.old => format!("{new}{value}"),
            Some(new) => format!("{} -> {new}{value}", done.old),
        };
        let mut whens: Vec<String> = done.moves.iter().map(|entry| when(self.history, entry)).collect();
        whens.dedup();
        let whens = terminal::paint(self.style, "2", &format!("({})", whens.join(", then ")));
        format!("{} {} {whens}", terminal::paint(self.style, "34", &at), one_line(&what))
    }

    fn decisions(&mut self) -> io::Result<()> {
        let decisions = &self.migration.decisions;
        if decisions.is_empty() {
            return Ok(());
        }
        self.section(&format!("To decide: {}", count(decisions.len(), "key")))?;
        for decision in decisions {
            self.decision(decision)?;
        }
        Ok(())
    }

    fn decision(&mut self, decision: &Decision) -> io::Result<()> {
        let at = position(self.old, decision.location).map_or_else(String::new, |(line, _)| line.to_string());
        let now = if decision.now == decision.key { String::new() } else { format!(", which is now {}", decision.now) };
        let at = terminal::paint(self.style, "34", &format!("{at:>5}"));
        writeln!(self.out, "{at} {}{}", terminal::paint(self.style, "33", &one_line(&decision.key)), one_line(&now))?;
        let what = match (decision.entry.change(), decision.entry.automatic(), &decision.to) {
            ("remove", Automatic::Impossible, _) => "is gone, and nothing means the same".to_owned(),
            ("remove", _, None) => "is gone".to_owned(),
            ("remove", _, Some(to)) => format!("is gone; `{to}` is the nearest to it"),
            ("rename" | "move" | "restructure", _, Some(to)) => format!("became `{to}`, which may not mean the same"),
            ("value-removed" | "value-rename", ..) => "no longer has this value".to_owned(),
            _ => "takes another value".to_owned(),
        };
        let when = when(self.history, &decision.entry);
        let why = match &decision.reason {
            Reason::Meaning => String::new(),
            Reason::Occupied(key) => format!(" `{key}` has a value already."),
            Reason::OtherFile(kind) => format!(" It belongs into the {kind} file."),
            Reason::NoPlace => " The tables into which it belongs are not there, or not as many as it has values.".to_owned(),
        };
        let note = decision.entry.note().map(|note| format!(" {note}")).unwrap_or_default();
        self.note(&format!("{what} ({when}).{why}{note}"))
    }

    /// What the new prime-rl still has against it.
    fn remaining(&mut self) -> io::Result<()> {
        let remaining: Vec<_> =
            self.migration.remaining().filter(|finding| finding.severity == cfg_diag::Severity::Error).collect();
        if remaining.is_empty() {
            return Ok(());
        }
        let to = &self.migration.to;
        self.section(&format!("Refused by prime-rl {to}: {}", count(remaining.len(), "more thing")))?;
        for finding in remaining {
            let at = position(&self.migration.text, finding.location).map_or_else(String::new, |(line, _)| line.to_string());
            let at = terminal::paint(self.style, "34", &format!("{at:>5}"));
            writeln!(self.out, "{at} {}", one_line(&finding.message))?;
            if let Some(help) = &finding.help {
                self.note(help)?;
            }
        }
        Ok(())
    }

    fn changed(&mut self) -> io::Result<()> {
        let Some(meaning) = &self.migration.meaning else { return Ok(()) };
        let mut groups: Vec<(Option<Point>, Option<&str>, Vec<&Changed>)> = Vec::new();
        for changed in &meaning.changed {
            match groups.iter_mut().find(|(since, note, _)| (*since, *note) == (changed.since, changed.note)) {
                Some((.., group)) => group.push(changed),
                None => groups.push((changed.since, changed.note, vec![changed])),
            }
        }
        groups.sort_by_key(|(since, ..)| *since);
        if groups.is_empty() {
            return Ok(());
        }
        self.section(&format!("Means something else now: {}", count(meaning.changed.len(), "value")))?;
        for (since, note, group) in groups {
            for changed in group.iter().take(MOST_KEYS) {
                let old = changed.old.as_ref().map_or_else(|| "no such key".to_owned(), |old| shown(old));
                let new = changed.new.as_ref().map_or_else(|| "gone".to_owned(), |new| shown(new));
                let line = format!("{}: {old} -> {new}", changed.key);
                writeln!(self.out, "    {} {}", terminal::paint(self.style, "33", "~"), one_line(&line))?;
            }
            if group.len() > MOST_KEYS {
                writeln!(self.out, "    ~ and {} more", group.len() - MOST_KEYS)?;
            }
            let when = since.map(|since| cfg_migrate::release(self.history, since));
            let why = match (when, note) {
                (Some(when), Some(note)) => Some(format!("{when}: {note}")),
                (Some(when), None) => Some(format!("{when}: another default")),
                (None, note) => note.map(str::to_owned),
            };
            if let Some(why) = why {
                self.note(&why)?;
            }
            let keep: Vec<String> = group.iter().filter_map(|changed| changed.keep.clone()).collect();
            if !keep.is_empty() {
                self.note(&format!("to keep it as it was: {}", keep.join(", ")))?;
            }
        }
        Ok(())
    }

    fn closing(&mut self, mode: Mode) -> io::Result<()> {
        writeln!(self.out)?;
        if let Some(meaning) = self.migration.meaning.as_ref().filter(|meaning| !meaning.is_partial) {
            writeln!(
                self.out,
                "{} the same, {} new with this prime-rl",
                count(meaning.same, "value"),
                count(meaning.added, "setting")
            )?;
        }
        let sentence = sentence(self.migration, mode);
        let hint = if mode == Mode::Planned && self.migration.text != self.old {
            "\nNothing is written yet: `--write` makes the changes, `--diff` shows them"
        } else {
            ""
        };
        writeln!(self.out, "{sentence}{hint}")
    }

    /// A sentence, wrapped and indented.
    fn note(&mut self, text: &str) -> io::Result<()> {
        let width = self.style.width.max(40) - INDENTATION;
        let mut line = String::new();
        for word in one_line(text).split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                writeln!(self.out, "{:INDENTATION$}{line}", "")?;
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        writeln!(self.out, "{:INDENTATION$}{line}", "")
    }
}

/// A value on one line, cut where it is long.
fn shown(value: &str) -> String {
    let line = one_line(value);
    if line.chars().count() <= VALUE_WIDTH {
        return line.into_owned();
    }
    line.chars().take(VALUE_WIDTH - 3).chain("...".chars()).collect()
}
