//! `cfg init`: the first files of a project that uses cfg.

use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use cfg_draft::project::{SettingValue, github_workflow, gitlab_job, settings};
use cfg_schema::{History, Target};
use cfg_system::NewMode;

use super::hook::install;
use crate::{
    CommandResult, Outcome,
    args::{Ci, HookInstall, Init},
    context::Context,
    machine,
};

/// The path of a config that could be in this folder, for which the settings are looked up.
const A_CONFIG: &str = "rl.toml";

pub(crate) fn run(cx: &Context, words: &Init) -> CommandResult {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    match settings_file(cx, words) {
        Ok(Some(text)) => files.push((PathBuf::from("cfg.toml"), text)),
        Ok(None) => {}
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let ci = words.ci.map(|service| match service {
        Ci::Github => (PathBuf::from(".github/workflows/configs.yml"), github_workflow(version)),
        Ci::Gitlab => (PathBuf::from(".gitlab/cfg.yml"), gitlab_job(version)),
    });
    if let Some((path, text)) = ci {
        if cx.system.is_there(&path) {
            cx.note(&format!("{} already exists and is not changed", path.display()));
        } else {
            files.push((path, text));
        }
    }
    let hook = install::free_place(cx).filter(|_| !words.no_hook);
    if files.is_empty() && hook.is_none() {
        cx.say("nothing to write");
        return Ok(Outcome::Clean);
    }
    show(cx, &files, hook.as_deref())?;
    if !words.yes && !agrees(cx)? {
        cx.note("nothing was written; use --yes to write without asking");
        return Ok(Outcome::Clean);
    }
    if let Some((path, error)) = files.iter().find_map(|(path, _)| Some((path, cx.writer.may_create(path).err()?))) {
        cx.complain(&format!("{}: {error}; nothing was written", path.display()));
        return Ok(Outcome::Failed);
    }
    for (path, text) in &files {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), |folder| cx.writer.create_folder(folder));
        if let Err(error) = made.and_then(|()| cx.writer.create(path, text.as_bytes(), NewMode::Plain)) {
            cx.complain(&format!("{}: {error}", path.display()));
            return Ok(Outcome::Failed);
        }
        cx.say(&format!("{}: written", path.display()));
    }
    let outcome = if hook.is_some() { install::install(cx, &HookInstall { deny: None })? } else { Outcome::Clean };
    cx.note("`cfg check` checks the configs here, `cfg new` writes one, `cfg lsp` is the language server for editors");
    Ok(outcome)
}

/// The text of the settings file; `None` if there already is one.
fn settings_file(cx: &Context, words: &Init) -> Result<Option<String>, String> {
    let projects = cx.projects();
    let config = Path::new(A_CONFIG);
    let found = projects.settings(config);
    if let Some(file) = found.files.first() {
        let unset = [
            ("target", cx.common.target.as_deref().filter(|_| found.settings.target.is_none())),
            ("gpu", words.gpu.as_deref().filter(|_| found.settings.gpu.is_none())),
        ];
        let lines: Vec<String> = unset.into_iter().filter_map(|(key, value)| Some(format!("`{key} = {:?}`", value?))).collect();
        let advice = if lines.is_empty() { String::new() } else { format!("; write {} into it", lines.join(" and ")) };
        cx.note(&format!("{} already has the settings and is not changed{advice}", cx.system.shown(file)));
        return Ok(None);
    }
    let cards = found.settings.cards();
    let requested = match &words.gpu {
        Some(text) => Some(machine::RequestedMachine::read(cx, text, &cards)?),
        // Without a GPU, the settings state no machine.
        None => machine::RequestedMachine::read(cx, machine::LOCAL, &cards).ok(),
    };
    let why = if words.gpu.is_some() { "as given" } else { "from nvidia-smi" };
    let machine = requested.map(|requested| cfg_draft::in_words(&requested.hardware));
    let gpu = machine.as_deref().map(|value| SettingValue { value, why });
    let newest = Target::newest_release(History::built_in()).name;
    let detected = match cx.common.target {
        Some(_) => None,
        None => projects.target(config).and_then(|found| match &*found {
            Ok(found) => Some(format!("{}, from {}", found.target.name, found.source.describe(cx.host().folder()))),
            Err(_) => None,
        }),
    };
    let target = match (&cx.common.target, &detected) {
        (Some(text), _) => {
            cx.named_target(text)?;
            Some(SettingValue { value: text, why: "as given" })
        }
        (None, Some(_)) => None,
        (None, None) => Some(SettingValue { value: &newest, why: "the newest release: nothing here states a prime-rl version" }),
    };
    Ok(Some(settings(target.as_ref(), gpu.as_ref(), detected.as_deref())))
}

/// Prints what would be written.
fn show(cx: &Context, files: &[(PathBuf, String)], hook: Option<&Path>) -> io::Result<()> {
    let mut plan = String::new();
    for (path, text) in files {
        plan.push_str(&format!("{}:\n", path.display()));
        text.lines().for_each(|line| plan.push_str(&format!("    {line}\n")));
        plan.push('\n');
    }
    if let Some(path) = hook {
        plan.push_str(&format!("{}: run `cfg hook run` before each commit\n\n", cx.system.shown(path)));
        plan.push_str(".gitattributes, and merge.cfg in git's configuration: registries are merged by `cfg registry merge`\n\n");
    }
    cx.print_view(&plan)
}

/// Asks the user for confirmation. Without a terminal the answer is no.
fn agrees(cx: &Context) -> io::Result<bool> {
    if cx.is_for_program() || !cx.host().is_interactive() || !io::stdout().is_terminal() {
        return Ok(false);
    }
    let mut out = cx.out();
    write!(out, "Write this? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::BufReader::new(io::Read::take(cx.host().input_stream(), 64)).read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
