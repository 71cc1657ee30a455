//! The summary of a migration of several configs.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use cfg_diag::{Order, one_line};
use cfg_migrate::{Changed, Migration, Reason};
use cfg_registry::fingerprint::Class;
use cfg_report::{Style, count};
use cfg_schema::{Kind, Point};

use super::{
    Whole,
    one::MigratedConfig,
    report::Mode,
    unclear,
    unused::{is_gone, is_of_experts},
};
use crate::{context::Context, terminal};

/// The maximum number of lines of a section; the others are counted.
const MAX_LINES: usize = 12;
/// The maximum number of values of a key that are listed one by one.
const MAX_VALUES: usize = 3;
/// The maximum number of things to decide that are listed.
const MAX_DECISIONS: usize = 40;

/// Writes the summary.
pub(super) fn write(out: &mut impl Write, cx: &Context, whole: &Whole, mode: Mode) -> io::Result<()> {
    let mut summary = Summary { out, style: terminal::style(cx) };
    summary.head(&whole.all)?;
    summary.rewritten(&whole.all)?;
    summary.decisions(whole)?;
    summary.refused(whole)?;
    summary.changed(whole)?;
    summary.others(whole)?;
    summary.closing(whole, mode)
}

/// What changed in the meaning of a config.
struct OfConfig<'w> {
    /// The names of its files, in order.
    files: Vec<&'w str>,
    kind: Kind,
    changed: Vec<&'w Changed>,
    /// Whether its model has no experts.
    is_dense: bool,
}

struct Summary<'f, W> {
    out: &'f mut W,
    style: Style,
}

impl<W: Write> Summary<'_, W> {
    fn section(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "\n{}", terminal::paint(self.style, "1", title))
    }

    /// Writes lines, those that stand for the most files or configs first; the others are counted.
    fn lines(&mut self, mut lines: Vec<(usize, String)>, unit: &str) -> io::Result<()> {
        lines.order_by(|(one, text), (other, words)| other.cmp(one).then_with(|| text.cmp(words)));
        let more = lines.len().saturating_sub(MAX_LINES);
        for (number, line) in lines.into_iter().take(MAX_LINES) {
            writeln!(self.out, "  {}: {}", one_line(&line), count(number, unit))?;
        }
        if more > 0 {
            writeln!(self.out, "  and {more} more (-v lists all)")?;
        }
        Ok(())
    }

    /// How many configs there are, and from which prime-rl to which they are migrated.
    fn head(&mut self, all: &[MigratedConfig]) -> io::Result<()> {
        let mut ways: BTreeMap<String, usize> = BTreeMap::new();
        for config in all {
            let migration = &config.migration;
            let why = match &config.why {
                Some(why) => format!(" ({why})"),
                None if migration.guess.is_some() => " (nothing states it; override with `--from`)".to_owned(),
                None => String::new(),
            };
            let way = if migration.from.point == migration.to.point {
                format!("for prime-rl {} already{why}", migration.to)
            } else {
                format!("from prime-rl {}{why} to {}", migration.from, migration.to)
            };
            *ways.entry(way).or_default() += 1;
        }
        if let [(way, _)] = ways.iter().collect::<Vec<_>>()[..] {
            let title = format!("{}, {way}", count(all.len(), "config"));
            return writeln!(self.out, "{}", terminal::paint(self.style, "1", &one_line(&title)));
        }
        writeln!(self.out, "{}", terminal::paint(self.style, "1", &count(all.len(), "config")))?;
        self.lines(ways.into_iter().map(|(way, configs)| (configs, way)).collect(), "config")
    }

    fn rewritten(&mut self, all: &[MigratedConfig]) -> io::Result<()> {
        let mut keys: BTreeMap<String, usize> = BTreeMap::new();
        let done = |config: &&MigratedConfig| !config.migration.done.is_empty() && config.migration.stuck.is_none();
        let changed: Vec<&MigratedConfig> = all.iter().filter(done).collect();
        for config in &changed {
            let mut own: Vec<String> = config.migration.done.iter().map(shown).collect();
            own.sort();
            own.dedup();
            own.into_iter().for_each(|key| *keys.entry(key).or_default() += 1);
        }
        let already = all.iter().filter(|config| config.migration.is_migrated).count();
        if !keys.is_empty() {
            let total = changed.iter().map(|config| config.migration.done.len()).sum();
            self.section(&format!("Rewritten: {} in {}", count(total, "key"), count(changed.len(), "file")))?;
            self.lines(keys.into_iter().map(|(key, files)| (files, key)).collect(), "file")?;
        }
        if already > 0 {
            let to = all.first().map(|config| config.migration.to.to_string()).unwrap_or_default();
            self.section(&format!("Migrated before: {}", count(already, "file")))?;
            writeln!(self.out, "  prime-rl {to} accepts their keys, and the old one does not: nothing is changed")?;
        }
        Ok(())
    }

    fn decisions(&mut self, whole: &Whole) -> io::Result<()> {
        let mut lines: Vec<String> = Vec::new();
        let mut files = 0;
        for config in &whole.all {
            let before = lines.len();
            let at = |location| config.line_of(location).map_or_else(String::new, |line| format!(":{line}"));
            for decision in &config.migration.decisions {
                let why = match &decision.reason {
                    Reason::Occupied(key) => format!("`{key}` already has a value"),
                    Reason::Unknown(key) => {
                        format!("it was removed, but has `{key}`, which prime-rl {} does not know", config.migration.from)
                    }
                    _ => decision.entry.note().unwrap_or("it has no equivalent").to_owned(),
                };
                lines.push(format!("{}{}: {}: {why}", config.name, at(decision.location), decision.key));
            }
            for fault in config.migration.new_faults() {
                if config.migration.is_part && fault.finding.code == &cfg_diag::codes::MISSING_KEY {
                    continue;
                }
                lines.push(format!("{}{}: {}", config.name, at(fault.location), fault.finding.message));
            }
            files += usize::from(lines.len() > before);
        }
        let together: Vec<String> = whole.together.iter().flat_map(super::together::Together::faults).collect();
        if lines.is_empty() && together.is_empty() {
            return Ok(());
        }
        files += usize::from(files == 0);
        lines.extend(together);
        self.section(&format!("To decide: {} in {}", count(lines.len(), "thing"), count(files, "file")))?;
        self.first_of(&lines, " (-v lists all)")
    }

    /// What the new prime-rl refuses without being a decision of the migration.
    fn refused(&mut self, whole: &Whole) -> io::Result<()> {
        let (lines, Some(first)) = (&whole.refused, whole.all.first()) else { return Ok(()) };
        if lines.is_empty() {
            return Ok(());
        }
        let to = first.migration.to.to_string();
        self.section(&format!("Refused by prime-rl {to}, see `cfg check`: {}", count(lines.len(), "error")))?;
        self.first_of(lines, "")
    }

    /// Writes the first of some lines; the others are counted.
    fn first_of(&mut self, lines: &[String], where_: &str) -> io::Result<()> {
        for line in lines.iter().take(MAX_DECISIONS) {
            writeln!(self.out, "  {}", one_line(line))?;
        }
        let more = lines.len().saturating_sub(MAX_DECISIONS);
        if more > 0 {
            writeln!(self.out, "  and {more} more{where_}")?;
        }
        Ok(())
    }

    /// The values that changed, each with the number of configs; files of one config are counted together, and once whatever flags it is started with.
    fn changed(&mut self, whole: &Whole) -> io::Result<()> {
        let alone = whole.all.iter().map(|config| {
            let Migration { kind, meaning, .. } = &config.migration;
            (vec![&*config.name], *kind, meaning.as_ref(), config.dense.is_some())
        });
        let together = whole.together.iter().map(|together| {
            let mut files: Vec<&str> = together.files.iter().map(String::as_str).collect();
            files.sort_unstable();
            files.dedup();
            (files, together.kind(), together.meaning.as_ref(), together.dense().is_some())
        });
        let all: Vec<OfConfig<'_>> = alone
            .chain(together)
            .filter_map(|(files, kind, meaning, is_dense)| {
                Some(OfConfig { files, kind, changed: meaning?.changed.iter().collect(), is_dense })
            })
            .collect();
        for class in Class::ALL {
            let mut keys: BTreeMap<String, BTreeMap<String, BTreeSet<&[&str]>>> = BTreeMap::new();
            for OfConfig { files, kind, changed, is_dense } in &all {
                let is_of_class =
                    |changed: &&&Changed| super::class_of(*kind, changed) == class && !(*is_dense && is_of_experts(changed));
                for (key, change) in changes_of(changed.iter().filter(is_of_class).copied()) {
                    keys.entry(key).or_default().entry(change).or_default().insert(files);
                }
            }
            if keys.is_empty() {
                continue;
            }
            let what = match class {
                Class::Training => "training",
                Class::Resources => "resources",
                Class::Operations => "operations",
            };
            let lines: Vec<(usize, String)> = keys.into_iter().flat_map(|(key, changes)| lines_of(&key, changes)).collect();
            self.section(&format!("Changed meaning ({what}): {}", count(lines.len(), "value")))?;
            self.lines(lines, "config")?;
        }
        let unused = |config: &&OfConfig<'_>| config.is_dense && config.changed.iter().any(|key| is_of_experts(key));
        let dense: Vec<_> = all.iter().filter(unused).collect();
        if !dense.is_empty() {
            let mut keys: Vec<String> = dense
                .iter()
                .flat_map(|config| config.changed.iter().filter(|key| is_of_experts(key)).map(|key| general(&key.key)))
                .collect();
            keys.sort();
            keys.dedup();
            let configs: BTreeSet<&[&str]> = dense.iter().map(|config| &*config.files).collect();
            self.section(&format!("Without effect: {}", count(keys.len(), "value")))?;
            writeln!(self.out, "  {}: models without experts in {}", one_line(&keys.join(", ")), count(configs.len(), "config"))?;
        }
        Ok(())
    }

    /// Scripts, settings, and files that are not migrated.
    fn others(&mut self, whole: &Whole) -> io::Result<()> {
        let flags: usize = whole.scripts.iter().map(|script| script.flags.len()).sum();
        if flags > 0 {
            self.section(&format!("Launch commands: {} in {}", count(flags, "flag"), count(whole.scripts.len(), "file")))?;
            for script in &whole.scripts {
                for flag in &script.flags {
                    let new = flag.new.as_ref().map_or_else(|why| format!(": {why}"), |new| format!(" -> {new}"));
                    writeln!(self.out, "  {}", one_line(&format!("{}:{}: {}{new}", script.name, flag.line, flag.old)))?;
                }
            }
        }
        if !whole.settings.is_empty() {
            self.section("Settings")?;
            for settings in &whole.settings {
                let new = match &settings.new {
                    Ok(_) => format!("target = \"{}\" -> \"{}\"", settings.from, settings.to),
                    Err(why) => format!("target = \"{}\" stays: {why}", settings.from),
                };
                writeln!(self.out, "  {}", one_line(&format!("{}:{}: {new}", settings.name, settings.line)))?;
            }
        }
        for pin in &whole.pins {
            self.section("Pin")?;
            writeln!(self.out, "  {}", one_line(pin))?;
        }
        // Without a statement, the next check would judge each config for what its keys and its day show.
        let unstated = whole.all.iter().find(|config| config.why.is_none() && config.migration.guess.is_some());
        if let Some(config) = unstated.filter(|_| whole.settings.is_empty() && whole.pins.is_empty()) {
            self.section("Not stated")?;
            writeln!(
                self.out,
                "  nothing here says which prime-rl runs them: write `target = \"{}\"` into cfg.toml",
                config.migration.to
            )?;
        }
        if !whole.unclear.is_empty() {
            self.section(&format!("Not migrated: {}", count(whole.unclear.len(), "file")))?;
            for line in unclear::lines(&whole.unclear) {
                writeln!(self.out, "  {}", one_line(&line))?;
            }
        }
        Ok(())
    }

    fn closing(&mut self, whole: &Whole, mode: Mode) -> io::Result<()> {
        let files = whole.files().len();
        let sentence = match mode {
            _ if files == 0 => "Nothing to change".to_owned(),
            Mode::Written => format!("Changed {}", count(files, "file")),
            Mode::Planned | Mode::Shown => {
                format!(
                    "Would change {}: use `--write` to make the changes, `--diff` to show them, `-v` for details",
                    count(files, "file")
                )
            }
        };
        writeln!(self.out, "\n{sentence}")
    }
}

/// A change in words, without indices, which differ between files.
fn shown(done: &cfg_migrate::Done) -> String {
    match &done.new {
        None => format!("{} is removed", general(&done.old)),
        Some(new) if done.old.is_empty() => format!("+ {}", general(new)),
        Some(new) if *new == done.old => format!("{} has another value", general(new)),
        Some(new) => format!("{} -> {}", general(&done.old), general(new)),
    }
}

/// The changes of one config by key, each once. Defaults that are gone for one reason are one change.
fn changes_of<'c>(changed: impl Iterator<Item = &'c Changed>) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut gone: BTreeMap<(Option<Point>, Option<&str>), Vec<&Changed>> = BTreeMap::new();
    for changed in changed {
        if is_gone(changed) {
            gone.entry((changed.since, changed.note)).or_default().push(changed);
        } else {
            found.insert((general(&changed.key), values(changed)));
        }
    }
    for group in gone.into_values() {
        match group.as_slice() {
            [first, rest @ ..] if !rest.is_empty() => {
                found
                    .insert((format!("{} and {} more", general(&first.key), rest.len()), "removed, and not set here".to_owned()));
            }
            group => found.extend(group.iter().map(|changed| (general(&changed.key), values(changed)))),
        }
    }
    found
}

/// The lines for the changes of one key, each with the number of its configs. A key that has another value in nearly each config is one line.
fn lines_of(key: &str, changes: BTreeMap<String, BTreeSet<&[&str]>>) -> Vec<(usize, String)> {
    let example = changes.iter().rev().max_by_key(|(_, configs)| configs.len()).map(|(change, _)| change.clone());
    match example.filter(|_| changes.len() > MAX_VALUES) {
        Some(example) => {
            let configs: BTreeSet<&[&str]> = changes.values().flatten().copied().collect();
            vec![(configs.len(), format!("{key}: {} values, such as {example}", changes.len()))]
        }
        None => changes.into_iter().map(|(change, configs)| (configs.len(), format!("{key}: {change}"))).collect(),
    }
}

/// The old and the new value of a change.
fn values(changed: &Changed) -> String {
    let old = changed.old.as_deref().unwrap_or("no such key");
    let new = changed.new.as_deref().unwrap_or("removed");
    let short = |text: &str| if text.chars().count() > 40 { "...".to_owned() } else { text.to_owned() };
    format!("{} -> {}", short(old), short(new))
}

/// A key with `[]` for every index.
fn general(key: &str) -> String {
    let mut out = String::new();
    for (at, part) in key.split('[').enumerate() {
        match part.split_once(']') {
            Some((index, rest)) if at > 0 && index.bytes().all(|byte| byte.is_ascii_digit()) => {
                out.push_str("[]");
                out.push_str(rest);
            }
            _ if at > 0 => out.push_str(&format!("[{part}")),
            _ => out.push_str(part),
        }
    }
    out
}
