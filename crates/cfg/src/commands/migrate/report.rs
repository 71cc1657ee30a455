//! The report of a migration for people.

mod words;

use std::io::{self, Write};

use cfg_check::Session;
use cfg_diag::{Diagnostic, Order, Severity, codes, one_line};
use cfg_migrate::{Changed, Decision, Done, Meaning, Migration, Reason, Stuck, when};
use cfg_registry::fingerprint::Class;
use cfg_report::{Style, count};
use cfg_schema::{Automatic, Entrypoint, History, Kind, Point};

use self::words::{line_of, shown, shown_beside, without_advice};
use super::{
    keys::listed,
    one::MigratedConfig,
    together::Together,
    unused::{is_gone, is_of_experts},
};
use crate::{context::Context, terminal};

/// What has been done with the new text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing yet.
    Planned,
    /// It was printed as a diff.
    Shown,
    /// It was written.
    Written,
}
/// The maximum number of keys of a change that are listed; the others are counted.
const MAX_KEYS: usize = 12;

/// Writes the report of a config; `files` has the kinds and names of all files that are migrated together.
pub(super) fn write(
    out: &mut impl Write,
    cx: &Context,
    session: &Session,
    way: &MigratedConfig,
    files: &[(Kind, &str)],
    mode: Mode,
) -> io::Result<()> {
    let style = terminal::style(cx);
    let mut report = Report { out, style, history: session.history, files };
    report.head(way)?;
    report.done(way)?;
    report.decisions(way)?;
    report.refused_before(way)?;
    report.refused_beside(way)?;
    if let Some(meaning) = &way.migration.meaning {
        report.changed(way.migration.kind, meaning, way.dense.as_deref())?;
    }
    report.beyond(way)?;
    report.closing(way, mode)
}

/// Writes the report of files that form one config.
pub(super) fn write_together(out: &mut impl Write, cx: &Context, session: &Session, whole: &Together) -> io::Result<()> {
    let mut report = Report { out, style: terminal::style(cx), history: session.history, files: &[] };
    let title = format!("{} together, for prime-rl {}", whole.files.join(" and "), whole.to);
    report.section(&one_line(&title))?;
    if whole.is_by_command {
        let kind = whole.after.checked.kind.map_or("rl", Kind::name);
        let files: Vec<String> = whole.files.iter().map(|file| format!("@ {file}")).collect();
        report.note(&format!("it does not read `toml_files`: pass them on the command line, `{kind} {}`", files.join(" ")))?;
    }
    if let (Some(meaning), Some(kind)) = (&whole.meaning, whole.after.checked.kind) {
        report.changed(kind, meaning, whole.dense().as_deref())?;
    }
    let errors: Vec<&Diagnostic> = whole.after.checked.diagnostics.iter().filter(|finding| finding.native.is_some()).collect();
    if whole.is_accepted() {
        writeln!(report.out, "\nprime-rl {} accepts them together", whole.to)?;
        let failing: Vec<&Diagnostic> = whole.new_errors().collect();
        if failing.is_empty() {
            return Ok(());
        }
        report.section(&format!("To decide: {}", count(failing.len(), "thing")))?;
        report.note(&format!("accepted, but wrong since prime-rl {}:", whole.to))?;
        return failing.iter().try_for_each(|finding| report.finding("", finding, None));
    }
    report.section(&format!("Refused by prime-rl {}: {}", whole.to, count(errors.len(), "error")))?;
    errors.iter().try_for_each(|finding| report.finding("", finding, None))
}

/// When prime-rl had the entrypoint of a config, if the new one does not have it.
fn without_entrypoint(migration: &Migration) -> Option<String> {
    let is_unchecked = migration.after.diagnostics.iter().any(|found| found.code == &codes::UNCHECKED_KIND);
    Entrypoint::absence(migration.kind.name(), migration.to.point).filter(|_| is_unchecked)
}

/// A sentence that states what was done.
pub(super) fn sentence(migration: &Migration, mode: Mode) -> String {
    let Migration { from, to, done, .. } = migration;
    if migration.is_migrated {
        return format!("It is for prime-rl {to} already, which accepts what {from} refuses; no key was changed");
    }
    if let Some(beyond) = to.beyond().filter(|_| from.point == to.point) {
        return format!(
            "It has the keys of the last known commit, of {}: whether prime-rl {to} accepts it is not known; to migrate it from an older one, pass \
             `--from`",
            beyond.last()
        );
    }
    if from.point == to.point && migration.guess.is_some() {
        return format!("Nothing to change if it is for prime-rl {to}; if it was written for an older one, pass `--from`");
    }
    if from.point == to.point {
        return format!("It is for prime-rl {to} already; to migrate it from an older one, pass `--from`");
    }
    if let Some(absence) = without_entrypoint(migration) {
        return format!("prime-rl {to} has no entrypoint `{}`, so there is nothing to migrate to: {absence}", migration.kind);
    }
    if migration.stuck == Some(Stuck::Errors) {
        return format!("the changes for prime-rl {to} would cause more errors; nothing was changed");
    }
    if migration.stuck.is_some() {
        return format!("this file's layout does not allow the changes for prime-rl {to}; nothing was changed");
    }
    let verb = if mode == Mode::Written { "Changed" } else { "Would change" };
    let left = migration.left().map(|left| format!("; {left}")).unwrap_or_default();
    format!("{verb} {} from prime-rl {from} to {to}{left}", count(done.len(), "key"))
}

struct Report<'f, W> {
    out: W,
    style: Style,
    history: History,
    /// The files that are migrated together, by kind.
    files: &'f [(Kind, &'f str)],
}

impl<W: Write> Report<'_, W> {
    fn head(&mut self, way: &MigratedConfig) -> io::Result<()> {
        let Migration { kind, from, to, guess, is_part, .. } = &way.migration;
        let way_of = match to.beyond() {
            Some(beyond) if from.point == to.point => format!(", from prime-rl of {} or later to {to}", beyond.last()),
            None if from.point == to.point => format!(" for prime-rl {to}"),
            _ => format!(", from prime-rl {from} to {to}"),
        };
        let title = format!("{}: {} config{way_of}", one_line(&way.name), kind.with_article());
        writeln!(self.out, "{}", terminal::paint(self.style, "1", &title))?;
        if let Some(why) = &way.why {
            self.note(&format!("it is for prime-rl {from}, {why}"))?;
        } else if let Some(guess) = guess.as_ref().filter(|_| !(to.is_beyond && from.point == to.point)) {
            self.note(&format!("prime-rl {from} is {guess} (override with `--from`)"))?;
        }
        match &way.named_by {
            Some(other) => self.note(&format!("{other} includes it in `toml_files`: they are read together"))?,
            None if *is_part && way.migration.before.has_includes => {}
            None if *is_part => {
                self.note("it lacks required keys, so it is treated as an override of another file: defaults are not reported")?;
            }
            None => {}
        }
        if way.migration.before.verdict == cfg_check::Verdict::Rejected && !is_part {
            let file = cfg_diag::word(&way.name);
            self.note(&format!("prime-rl {from} refuses it: run `cfg check {file} --target {from}` for details"))?;
        }
        Ok(())
    }

    fn section(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "\n{}", terminal::paint(self.style, "1", title))
    }

    fn done(&mut self, way: &MigratedConfig) -> io::Result<()> {
        let done = &way.migration.done;
        if done.is_empty() || way.migration.stuck.is_some() {
            return Ok(());
        }
        self.section(&format!("Rewritten: {}", count(done.len(), "key")))?;
        for done in done {
            let line = self.one_done(way, done);
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    fn one_done(&self, way: &MigratedConfig, done: &Done) -> String {
        let at = way.line_of(done.location).map_or_else(|| "    +".to_owned(), |line| format!("{line:>5}"));
        let value = done.value.as_ref().map(|value| format!(" = {}", shown(value))).unwrap_or_default();
        let what = match &done.new {
            None => format!("{} is removed", done.old),
            Some(new) if done.old.is_empty() || *new == done.old => format!("{new}{value}"),
            Some(new) => format!("{} -> {new}{value}", done.old),
        };
        let mut whens: Vec<String> = done.moves.iter().map(|entry| when(self.history, entry)).collect();
        whens.dedup();
        if whens.is_empty() {
            whens.push("the former default".to_owned());
        }
        let whens = terminal::paint(self.style, "2", &format!("({})", whens.join(", then ")));
        format!("{} {} {whens}", terminal::paint(self.style, "34", &at), one_line(&what))
    }

    /// Writes what the user has to decide: keys, values that only the new prime-rl refuses, and values that it accepts although the run would fail.
    fn decisions(&mut self, way: &MigratedConfig) -> io::Result<()> {
        let decisions = &way.migration.decisions;
        let faults = way.migration.new_faults();
        match (decisions.len(), faults.len()) {
            (0, 0) => return Ok(()),
            (keys, 0) => self.section(&format!("To decide: {}", count(keys, "key")))?,
            (keys, values) => self.section(&format!("To decide: {}", count(keys + values, "thing")))?,
        }
        for (decision, forced) in decisions.iter().zip(&way.forced) {
            self.decision(way, decision)?;
            let forced = match forced.as_ref().map(|done| (&done.new, &done.value)) {
                None => continue,
                Some((None, _)) => "`--unsafe-fixes` removes it".to_owned(),
                Some((Some(new), None)) => format!("`--unsafe-fixes` moves it to `{new}`"),
                Some((Some(new), Some(value))) => format!("`--unsafe-fixes` writes `{new} = {value}`"),
            };
            self.note(&forced)?;
        }
        for (fault, since) in faults.iter().zip(&way.since) {
            let what = if fault.is_native() { "refused since" } else { "accepted, but wrong since" };
            self.finding(&line_of(way, fault.location), fault.finding, Some(&format!("{what} {since}")))?;
        }
        Ok(())
    }

    /// Writes a finding with its help.
    fn finding(&mut self, line: &str, finding: &Diagnostic, since: Option<&str>) -> io::Result<()> {
        let at = terminal::paint(self.style, "34", &format!("{line:>5}"));
        let since = since.map(|since| format!(" ({since})")).unwrap_or_default();
        terminal::write_paragraph(&mut self.out, self.style, &format!("{at} "), &format!("{}{since}", finding.message))?;
        finding.help.as_ref().map_or(Ok(()), |help| self.note(help))
    }

    fn decision(&mut self, way: &MigratedConfig, decision: &Decision) -> io::Result<()> {
        // A value may have moved into the table to decide about.
        let is_in = |new: &str| new.strip_prefix(&*decision.now).is_some_and(|rest| rest.starts_with('.'));
        let is_table = way.migration.done.iter().any(|done| done.old == decision.key && done.new.as_deref().is_some_and(is_in));
        let now = match is_table {
            true => format!(", which is now in {}", decision.now),
            false if decision.now == decision.key => String::new(),
            false => format!(", which is now {}", decision.now),
        };
        let at = terminal::paint(self.style, "34", &format!("{:>5}", line_of(way, decision.location)));
        writeln!(self.out, "{at} {}{}", terminal::paint(self.style, "33", &one_line(&decision.key)), one_line(&now))?;
        let goal = decision.to.as_ref().map(|to| match decision.other_file {
            None => format!("`{to}`"),
            Some(kind) => match self.files.iter().filter(|(other, _)| *other == kind).collect::<Vec<_>>()[..] {
                [(_, name)] => format!("`{to}` in {}", one_line(name)),
                _ => format!("`{to}` in the {kind} file"),
            },
        });
        let what = match (decision.entry.change(), decision.entry.automatic(), &goal) {
            ("remove", Automatic::Impossible, _) => "was removed without a replacement".to_owned(),
            ("remove", _, None) => "was removed".to_owned(),
            ("remove", _, Some(goal)) => format!("was removed; the closest is {goal}"),
            ("rename" | "move" | "restructure", _, Some(goal)) => format!("became {goal}, which may not mean the same"),
            ("value-removed" | "value-rename", ..) => "no longer has this value".to_owned(),
            _ => "takes a different value".to_owned(),
        };
        let when = when(self.history, &decision.entry);
        let why = match &decision.reason {
            Reason::Meaning => String::new(),
            Reason::Occupied(key) => format!(" `{key}` already has a value."),
            // The sentence already states this.
            Reason::OtherFile(_) if goal.is_some() => String::new(),
            Reason::OtherFile(kind) => format!(" It belongs in the {kind} file."),
            Reason::NoPlace => " The tables that should receive it do not exist, or their number differs.".to_owned(),
            Reason::Undecided => " It stays until its contents are decided.".to_owned(),
            Reason::Unknown(key) => format!(" But it has `{key}`, which the old prime-rl does not know."),
        };
        let note = decision.entry.note().map(|note| format!(" {note}")).unwrap_or_default();
        let subject = if is_table { "that table " } else { "" };
        self.note(&format!("{subject}{what} ({when}).{why}{note}"))
    }

    /// Writes the errors that both versions of prime-rl report.
    fn refused_before(&mut self, way: &MigratedConfig) -> io::Result<()> {
        let Migration { from, to, .. } = &way.migration;
        let refusals = way.migration.refusals();
        // What a part lacks may be in another file of the config.
        let lacks = |finding: &Diagnostic| way.migration.is_part && finding.code == &codes::MISSING_KEY;
        let old: Vec<_> = refusals.iter().filter(|refusal| !refusal.is_new && !lacks(refusal.finding)).collect();
        if old.is_empty() {
            return Ok(());
        }
        let as_before = if from.point == to.point { String::new() } else { format!(", as by {from}") };
        self.section(&format!("Refused by prime-rl {to}{as_before}: {}", count(old.len(), "error")))?;
        old.iter().try_for_each(|refusal| self.finding(&line_of(way, refusal.location), refusal.finding, None))
    }

    /// Writes what prime-rl refuses of it with the files that it overrides, or with the flags of a script.
    fn refused_beside(&mut self, way: &MigratedConfig) -> io::Result<()> {
        if way.beside.is_empty() {
            return Ok(());
        }
        let with = if way.bases.is_empty() { String::new() } else { format!(", with {}", way.bases.join(" and ")) };
        self.section(&format!(
            "Refused by prime-rl {}{}: {}",
            way.migration.from,
            one_line(&with),
            count(way.beside.len(), "error")
        ))?;
        way.beside.iter().try_for_each(|line| self.note(line))
    }

    /// Writes the values that changed, beginning with those that affect training. `dense` is the model, if it has no experts.
    fn changed(&mut self, kind: Kind, meaning: &Meaning, dense: Option<&str>) -> io::Result<()> {
        let (unused, used): (Vec<&Changed>, Vec<&Changed>) = match dense {
            Some(_) => meaning.changed.iter().partition(|changed| is_of_experts(changed)),
            None => (Vec::new(), meaning.changed.iter().collect()),
        };
        for class in Class::ALL {
            let of_class: Vec<&Changed> =
                used.iter().copied().filter(|changed| super::class_of(kind, changed) == class).collect();
            if !of_class.is_empty() {
                let what = match class {
                    Class::Training => "training",
                    Class::Resources => "resources",
                    Class::Operations => "operations",
                };
                self.section(&format!("Changed meaning ({what}): {}", count(of_class.len(), "value")))?;
                self.changed_of(of_class)?;
            }
        }
        if let Some(model) = dense.filter(|_| !unused.is_empty()) {
            let keys: Vec<&str> = unused.iter().map(|changed| &*changed.key).collect();
            self.section(&format!("Without effect: {}", count(unused.len(), "value")))?;
            self.note(&format!("{} has no experts: {}", one_line(model), listed(&keys)))?;
        }
        Ok(())
    }

    fn changed_of(&mut self, all: Vec<&Changed>) -> io::Result<()> {
        let mut groups: Vec<(Option<Point>, Option<&str>, Vec<&Changed>)> = Vec::new();
        for changed in all {
            match groups.iter_mut().find(|(since, note, _)| (*since, *note) == (changed.since, changed.note)) {
                Some((.., group)) => group.push(changed),
                None => groups.push((changed.since, changed.note, vec![changed])),
            }
        }
        groups.order_by_key(|(since, ..)| *since);
        for (since, note, group) in groups {
            // Defaults that are gone without having been written are one line.
            let is_absent = group.iter().all(|changed| is_gone(changed));
            if group.len() > 1 && is_absent {
                let keys: Vec<&str> = group.iter().map(|changed| &*changed.key).collect();
                writeln!(self.out, "    {} removed, and not set here:", terminal::paint(self.style, "33", "~"))?;
                self.note(&listed(&keys))?;
                group_note(self, since, note.map(without_advice).as_deref())?;
                continue;
            }
            for changed in group.iter().take(MAX_KEYS) {
                let (old, new) = match (&changed.old, &changed.new) {
                    (Some(old), Some(new)) => shown_beside(old, new),
                    (old, new) => (
                        old.as_ref().map_or_else(|| "no such key".to_owned(), |old| shown(old)),
                        new.as_ref().map_or_else(|| "removed".to_owned(), |new| shown(new)),
                    ),
                };
                let line = format!("{}: {old} -> {new}", changed.key);
                writeln!(self.out, "    {} {}", terminal::paint(self.style, "33", "~"), one_line(&line))?;
            }
            if group.len() > MAX_KEYS {
                writeln!(self.out, "    ~ and {} more", group.len() - MAX_KEYS)?;
            }
            // What to do with a key that the config has says nothing to one that lacks it.
            group_note(self, since, note.map(|note| if is_absent { without_advice(note) } else { note.into() }).as_deref())?;
            let mut keep: Vec<&str> = group.iter().filter_map(|changed| changed.keep.as_deref()).collect();
            keep.dedup();
            if !keep.is_empty() {
                self.note(&format!("to keep it: {}", keep.join(", ")))?;
            }
        }
        Ok(())
    }

    /// Writes what a target after the last known commit leaves open: what is known of later versions, and what is not.
    fn beyond(&mut self, way: &MigratedConfig) -> io::Result<()> {
        let Migration { to, after, .. } = &way.migration;
        let Some(beyond) = to.beyond() else { return Ok(()) };
        let last = beyond.last();
        self.section(&format!("Not migrated: what prime-rl did after {last}"))?;
        let of_later: [cfg_diag::Code; 2] = [&codes::REMOVED_KEY, &codes::FUTURE_KEY];
        // What changed after the day of the target is only an info.
        let is_known =
            |found: &&Diagnostic| found.native.is_none() && of_later.contains(&found.code) && found.severity > Severity::Info;
        let known: Vec<&Diagnostic> = after.diagnostics.iter().filter(is_known).collect();
        known.iter().try_for_each(|finding| self.finding("", finding, None))?;
        let none = if known.is_empty() { "no key of this file is known to have changed since then; " } else { "" };
        self.note(&format!(
            "{none}prime-rl {to} is newer than the last commit that this cfg knows, whose keys these are: what else it changed is not known. \
             With its checkout, `--to path:CHECKOUT`, it is"
        ))
    }

    fn closing(&mut self, way: &MigratedConfig, mode: Mode) -> io::Result<()> {
        let Migration { meaning, done, from, to, .. } = &way.migration;
        writeln!(self.out)?;
        if let Some(meaning) = meaning.as_ref().filter(|meaning| !meaning.is_partial && from.point != to.point) {
            writeln!(
                self.out,
                "{} the same, {} new in this prime-rl",
                count(meaning.same, "value"),
                count(meaning.added, "setting")
            )?;
        }
        let sentence = sentence(&way.migration, mode);
        let can_keep = meaning.iter().flat_map(|meaning| &meaning.changed).any(|changed| changed.keep.is_some());
        let is_kept = done.iter().any(|done| done.moves.is_empty());
        let keep =
            if can_keep && !is_kept && mode == Mode::Planned { "; `--keep-defaults` writes out the old defaults" } else { "" };
        let hint = if mode == Mode::Planned && way.is_changed() {
            format!("\nNothing was written: use `--write` to make the changes, `--diff` to show them{keep}")
        } else {
            String::new()
        };
        writeln!(self.out, "{sentence}{hint}")
    }

    /// Writes a sentence, wrapped and indented.
    fn note(&mut self, text: &str) -> io::Result<()> {
        terminal::write_paragraph(&mut self.out, self.style, terminal::INDENTATION, text)
    }
}

/// Writes when values changed together, and why.
fn group_note<W: Write>(report: &mut Report<'_, W>, since: Option<Point>, note: Option<&str>) -> io::Result<()> {
    let when = since.map(|since| cfg_migrate::release(report.history, since));
    let why = match (when, note) {
        (Some(when), Some(note)) => Some(format!("{when}: {note}")),
        (Some(when), None) => Some(format!("{when}: new default")),
        (None, note) => note.map(str::to_owned),
    };
    why.map_or(Ok(()), |why| report.note(&why))
}
