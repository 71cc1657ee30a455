//! `cfg check --show-files` and `--show-settings`.

use std::{
    io::{self, Write},
    path::Path,
};

use cfg_project::{Level, Lint, PathPattern, Projects, Selector, SettingOfLevel, Sourced};

use super::Job;
use crate::{CommandResult, Outcome};

impl Job<'_> {
    /// Prints the settings that apply near a path.
    pub(super) fn show_settings(&self, near: &Path) -> CommandResult {
        let mut shown = Vec::new();
        settings(&mut shown, self.session.projects(), near)?;
        let shown = String::from_utf8_lossy(&shown);
        self.cx.print_view(&cfg_diag::lines(&shown))?;
        Ok(Outcome::Clean)
    }
}

/// The settings that apply to a path, each with the place where it is set.
pub(crate) fn settings(out: &mut impl Write, projects: &Projects, path: &Path) -> io::Result<()> {
    // The settings of a folder are determined for a file in it.
    let probe = if projects.system().is_folder(path) { path.join("config.toml") } else { path.to_owned() };
    let project = projects.settings(&probe);
    let settings = &project.settings;
    match &project.files[..] {
        [] => writeln!(out, "# no settings files")?,
        files => {
            for file in files {
                writeln!(out, "# {}", file.display())?;
            }
        }
    }
    match projects.target(&probe).as_deref() {
        Some(Ok(detected)) => writeln!(out, "target = {:?}  # {}", detected.target.name, source(detected.source.path()))?,
        Some(Err(_)) => writeln!(out, "# target: the project's prime-rl is unknown")?,
        None => match projects.last_change(&probe) {
            Some(day) => writeln!(out, "# target: not set, assuming the newest release on {day}")?,
            None => writeln!(out, "# target: not set, assuming the newest release")?,
        },
    }
    if let Some(gpu) = &settings.gpu {
        writeln!(out, "gpu = \"{}\"  # {}", gpu.value, gpu.place)?;
    }
    if let Some(required) = &settings.required_version {
        writeln!(out, "required-version = {:?}  # {}", required.value.to_string(), required.place)?;
    }
    if let Some(baseline) = &settings.baseline {
        writeln!(out, "baseline = {:?}  # {}", baseline.value.display().to_string(), baseline.place)?;
    }
    for (key, patterns) in [("exclude", &settings.exclude), ("extend-include", &settings.extend_include)] {
        let names: Vec<&str> = patterns.iter().map(|entry| &*entry.pattern.value).collect();
        if let Some(first) = patterns.first() {
            writeln!(out, "{key} = {names:?}  # {}", first.pattern.place)?;
        }
    }
    lint(out, &settings.lint)?;
    for group in &settings.groups {
        writeln!(out, "\n[[group]]  # {}", group.place)?;
        let files = [
            ("trainer", &group.value.trainer),
            ("orchestrator", &group.value.orchestrator),
            ("inference", &group.value.inference),
        ];
        for (name, file) in files {
            if let Some(file) = file {
                writeln!(out, "{name} = {:?}", file.display().to_string())?;
            }
        }
    }
    for (name, keys) in &settings.environments {
        writeln!(out, "\n[environments.{name:?}]")?;
        for (key, value) in keys {
            let text = value.value.to_string();
            writeln!(out, "{} = {}  # {}", cfg_diag::one_line(key), cfg_diag::one_line(&text), value.place)?;
        }
    }
    let asked = &settings.preflight;
    let asked = [("variables", &asked.variables), ("programs", &asked.programs), ("files", &asked.files)];
    let mut asked = asked.iter().filter_map(|(key, names)| Some((key, names, &names.first()?.place))).peekable();
    if asked.peek().is_some() {
        writeln!(out, "\n[preflight]")?;
    }
    for (key, names, place) in asked {
        let names: Vec<&str> = names.iter().map(|name| &*name.value).collect();
        writeln!(out, "{key} = {names:?}  # {place}")?;
    }
    Ok(())
}

fn source(path: Option<&Path>) -> String {
    path.map_or("from the surrounding project".to_owned(), |path| path.display().to_string())
}

fn lint(out: &mut impl Write, lint: &Lint) -> io::Result<()> {
    writeln!(out, "\n[lint]")?;
    let selectors = |selectors: &[Sourced<Selector>]| {
        let names: Vec<String> = selectors.iter().map(|entry| format!("\"{}\"", entry.value)).collect();
        format!("[{}]", names.join(", "))
    };
    let place = |entries: &[Sourced<Selector>]| entries.first().map(|entry| format!("  # {}", entry.place)).unwrap_or_default();
    match &lint.select {
        Some(select) => writeln!(out, "select = {}{}", selectors(select), place(select))?,
        None => writeln!(out, "select = [\"ALL\"]  # the default")?,
    }
    if let Some(ignore) = &lint.ignore {
        writeln!(out, "ignore = {}{}", selectors(ignore), place(ignore))?;
    }
    for (key, list) in [("extend-select", &lint.extend_select), ("extend-ignore", &lint.extend_ignore)] {
        if !list.is_empty() {
            writeln!(out, "{key} = {}{}", selectors(list), place(list))?;
        }
    }
    for (table, entries) in [("per-file-ignores", &lint.per_file_ignores), ("per-file-selects", &lint.per_file_selects)] {
        if !entries.is_empty() {
            writeln!(out, "\n[lint.{table}]")?;
        }
        for entry in entries {
            let PathPattern { pattern, .. } = &entry.files;
            writeln!(out, "{:?} = {}  # {}", pattern.value, selectors(&entry.value), pattern.place)?;
        }
    }
    for entry in &lint.per_file_severities {
        writeln!(out, "\n[lint.per-file-severities.{:?}]", entry.files.pattern.value)?;
        levels(out, &entry.value)?;
    }
    if !lint.severities.is_empty() {
        writeln!(out, "\n[lint.severities]")?;
    }
    levels(out, &lint.severities)
}

fn levels(out: &mut impl Write, levels: &[SettingOfLevel]) -> io::Result<()> {
    for entry in levels {
        let level = match entry.level.value {
            Level::Off => "off",
            Level::On(cfg_diag::Severity::Error) => "error",
            Level::On(cfg_diag::Severity::Warning) => "warning",
            Level::On(cfg_diag::Severity::Info) => "info",
        };
        writeln!(out, "{} = \"{level}\"  # {}", entry.selector, entry.level.place)?;
    }
    Ok(())
}
