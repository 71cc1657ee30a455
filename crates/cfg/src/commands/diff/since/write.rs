//! Writes what became of the configs of a repository: as Markdown, and as JSON.

use std::io::{self, Write};

use cfg_check::Session;
use cfg_diag::markdown::{code, text_cell};
use cfg_report::{
    compared::{ChangedMachine, ChangedTarget, NotCompared, RefusedNow, Renamed, Since},
    count,
    json::SCHEMA_VERSION,
    memory::write_changes,
};

use super::{Changes, Edited, Standing};
use crate::context::Context;

/// The maximum number of names in a line; the others are counted.
pub(super) const MAX_NAMED: usize = 20;

impl Changes {
    /// Writes Markdown, which people read as well.
    pub(super) fn write(&self, cx: &Context, since: &str, now: &Session) -> io::Result<()> {
        let mut out = io::BufWriter::new(cx.out_of_lines());
        writeln!(out, "Compared with {}: {}", code(since), self.sentence())?;
        let mut lines: Vec<String> = Vec::new();
        let mut refused: Vec<(&String, Vec<&String>)> = Vec::new();
        for (path, why) in &self.refused_now {
            match refused.iter_mut().find(|(known, _)| *known == why) {
                Some((_, paths)) => paths.push(path),
                None => refused.push((why, vec![path])),
            }
        }
        lines.extend(refused.into_iter().map(|(why, paths)| {
            let them = if paths.len() == 1 { "it" } else { "them" };
            format!("**prime-rl refuses {them} now**: {}: {}", named(paths.into_iter()), text_cell(why))
        }));
        if !self.accepted_now.is_empty() {
            let them = if self.accepted_now.len() == 1 { "it" } else { "them" };
            lines.push(format!("prime-rl refused {them} before, and accepts {them} now: {}", named(self.accepted_now.iter())));
        }
        for ((before, now), configs) in &self.targets {
            lines.push(format!("prime-rl {} instead of {}: {}", code(now), code(before), named(configs.iter())));
        }
        for ((before, now), configs) in &self.machines {
            let machine = |name: &Option<String>| name.as_deref().map_or_else(|| "no stated one".to_owned(), code);
            lines.push(format!("machine: {} instead of {}: {}", machine(now), machine(before), named(configs.iter())));
        }
        lines.extend(self.renamed.iter().map(|(old, new)| format!("renamed: {} to {}", code(old), code(new))));
        lines.extend(self.new.iter().map(|new| format!("new: {}, {}", code(&new.name), new.what)));
        lines.extend(self.deleted.iter().map(|path| {
            let is_kept = self.still_registered.contains(path);
            let lacks = if is_kept { "; the registry still has it: `cfg registry adopt` marks it as removed" } else { "" };
            format!("deleted: {}{lacks}", code(path))
        }));
        lines.extend(self.uncompared.iter().map(|(path, why)| format!("not compared: {}, because {why}", code(path))));
        if !self.refused.is_empty() {
            let refused = named(self.refused.iter());
            lines.push(format!(
                "only the text of invalid values is compared, because prime-rl refuses the config, now as before: {refused}"
            ));
        }
        if !self.parts.is_empty() {
            let parts = named(self.parts.iter());
            lines.push(format!("only the values of the file itself are compared, because another one completes it: {parts}"));
        }
        let open = self.standings.iter().filter(|standing| standing.is_open());
        lines.extend(open.map(|standing| {
            let lacks: Vec<String> = standing.lacks.iter().map(|lacks| text_cell(lacks).into_owned()).collect();
            let lacks = if lacks.is_empty() { String::new() } else { format!("; **missing**: {}", lacks.join("; ")) };
            format!("registry: {} {}{lacks}", code(&standing.path), standing.sentence())
        }));
        if !lines.is_empty() {
            writeln!(out)?;
        }
        lines.iter().try_for_each(|line| writeln!(out, "- {line}"))?;
        for new in &self.new {
            if let Some(memory) = &new.memory {
                writeln!(out, "\n#### {}", code(&new.name))?;
                out.write_all(memory)?;
            }
        }
        for Edited { configs, text } in &self.edited {
            let names: Vec<&String> = configs.iter().map(|(_, now)| now).collect();
            let compared = if let [(before, _)] = &configs[..] { code(before) } else { code(since) };
            write!(out, "\n#### {}\n\nCompared with {compared}{text}", named(names.into_iter()))?;
        }
        self.by_version(&mut out, now)?;
        for (table, configs) in &self.memory {
            writeln!(out, "\n#### Memory on another machine: {}\n\n{}", count(configs.len(), "config"), named(configs.iter()))?;
            write!(out, "{table}")?;
        }
        out.flush()
    }

    /// What became of the configs that were compared.
    fn sentence(&self) -> String {
        let configs = count(self.compared, "config");
        let (were, mean) = (if self.compared == 1 { "was" } else { "were" }, self.differing.len());
        match (self.compared, mean) {
            (0, _) => "no config was compared".to_owned(),
            (_, 0) => format!("{configs} {were} compared, and none changed its meaning"),
            (all, some) => format!(
                "{some} of {all} compared {} something different from before",
                if all == 1 { "config means" } else { "configs mean" }
            ),
        }
    }

    pub(super) fn write_json(&self, cx: &Context) -> io::Result<()> {
        let targets = self.targets.iter().map(|((before, now), configs)| ChangedTarget {
            before: before.clone(),
            now: now.clone(),
            configs: configs.clone(),
        });
        let renamed = self.renamed.iter().map(|(before, now)| Renamed { before: before.clone(), now: now.clone() });
        let refused = self.refused_now.iter().map(|(path, why)| RefusedNow { path: path.clone(), why: why.clone() });
        let uncompared = self.uncompared.iter().map(|(path, why)| NotCompared { path: path.clone(), why: (*why).to_owned() });
        let document = Since {
            schema_version: SCHEMA_VERSION,
            compared: self.compared,
            targets: targets.collect(),
            machines: self
                .machines
                .iter()
                .map(|((before, now), configs)| ChangedMachine {
                    before: before.clone(),
                    now: now.clone(),
                    configs: configs.clone(),
                })
                .collect(),
            new: self.new.iter().map(|new| new.name.clone()).collect(),
            deleted: self.deleted.clone(),
            registry: self.standings.iter().filter(|standing| standing.is_open()).map(Standing::report).collect(),
            renamed: renamed.collect(),
            refused_now: refused.collect(),
            accepted_now: self.accepted_now.iter().cloned().collect(),
            differing: self.differing.clone(),
            not_compared: uncompared.collect(),
        };
        let mut out = io::BufWriter::new(cx.out_of_lines());
        cfg_report::json::write_pretty(&mut out, &document)?;
        writeln!(out)?;
        out.flush()
    }

    /// Writes together what another prime-rl alone changes, in configs that were edited for it, too: most of it is the same in all of them.
    fn by_version(&self, out: &mut impl Write, now: &Session) -> io::Result<()> {
        let (configs, keys) = (&self.of_version, &self.keys_of_version);
        if keys.is_empty() {
            return Ok(());
        }
        let (edits, summary) = (count(configs.len(), "config"), count(keys.len(), "key"));
        writeln!(out, "\n#### Only due to the prime-rl version: {edits}\n")?;
        writeln!(out, "{}\n", named(configs.iter()))?;
        writeln!(out, "<details><summary>Changed defaults, added and removed keys: {summary}</summary>")?;
        writeln!(out, "\n| key | before | now | configs |\n|---|---|---|---|")?;
        for ((key, before, now), number) in keys {
            writeln!(out, "| {key} | {before} | {now} | {number} |")?;
        }
        writeln!(out, "\n</details>")?;
        let mut tables: Vec<(Vec<u8>, Vec<&String>)> = Vec::new();
        for (one, other) in &self.sides_of_version {
            let (Some(before), Some(after)) = (one.memory(now), other.memory(now)) else { continue };
            let mut table = Vec::new();
            write_changes(&mut table, &before, &after)?;
            match tables.iter_mut().find(|(known, _)| *known == table) {
                Some((_, names)) => names.push(&other.name),
                None => tables.push((table, vec![&other.name])),
            }
        }
        tables.retain(|(table, _)| !table.is_empty());
        if !tables.is_empty() && self.sides_of_version.len() < configs.len() {
            writeln!(out, "\nMemory of the first {} of them:", self.sides_of_version.len())?;
        }
        for (table, names) in tables {
            writeln!(out, "\n{}", named(names.into_iter()))?;
            out.write_all(&table)?;
        }
        Ok(())
    }
}

/// The first few names of several configs, as code.
fn named<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let first = names.take(MAX_NAMED).map(|name| code(name)).collect::<Vec<_>>().join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}
