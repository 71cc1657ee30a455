//! `cfg init`: the first files of a project that uses cfg.

mod around;
mod survey;

use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use cfg_draft::project::{SettingValue, settings};
use cfg_project::Foreign;
use cfg_schema::{History, Target};
use cfg_system::NewMode;

use self::{
    around::Advice,
    survey::{Checked, Survey, listed},
};
use super::{
    check::{run_check, subject::Subject},
    hook::{driver, install},
};
use crate::{
    CommandResult, Outcome,
    args::{Check, HookInstall, Init},
    context::Context,
    control::Control,
    machine, progress,
};

/// The path of a config that could be in this folder, for which the settings are looked up.
const A_CONFIG: &str = "rl.toml";

/// The name of the settings file, and of the accepted findings.
const SETTINGS: &str = "cfg.toml";
const BASELINE: &str = "cfg-baseline.json";

pub(crate) fn run(cx: &Context, words: &Init) -> CommandResult {
    if is_bare(cx) {
        cx.complain("this is a bare repository, in which no file is checked out: run this in a clone of it; nothing was written");
        return Ok(Outcome::Failed);
    }
    let survey = Survey::of(cx);
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut has_baseline = false;
    match settings_file(cx, words, &survey) {
        Ok(Some(text)) => {
            files.push((PathBuf::from(SETTINGS), text));
            has_baseline = words.baseline && survey.checked.has_configs();
        }
        Ok(None) => {}
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    }
    let root = around::root(cx);
    let mut advice = Advice::default();
    files.extend(around::ci_files(cx, &root, words.ci, survey.checked.has_guessed(), &mut advice));
    let hook = if words.no_hook { None } else { around::hook(cx, &root, &mut advice) };
    // The hook brings it along; without the hook, a registry needs it.
    let merges = !words.no_hook && hook.is_none() && around::has_registry(cx) && !driver::is_installed(cx);
    if files.is_empty() && hook.is_none() && !merges && advice.additions.is_empty() {
        advice.notes.iter().for_each(|note| cx.note(note));
        cx.say("nothing to write");
        return Ok(Outcome::Clean);
    }
    show(cx, &files, hook.as_deref(), merges, &advice.additions)?;
    advice.notes.iter().for_each(|note| cx.note(note));
    tell(cx, &survey, has_baseline, files.first().filter(|(path, _)| path == Path::new(SETTINGS)).map(|(_, text)| &**text));
    if files.is_empty() && hook.is_none() && !merges {
        return Ok(Outcome::Clean);
    }
    if !words.yes && !agrees(cx)? {
        cx.note("nothing was written; use --yes to write without asking");
        return Ok(Outcome::Clean);
    }
    if let Some((path, error)) = files.iter().find_map(|(path, _)| Some((path, cx.writer.may_write(path).err()?))) {
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
    if has_baseline && accept(cx)? == Outcome::Failed {
        return Ok(Outcome::Failed);
    }
    let outcome = match hook {
        Some(_) => install::install(cx, &HookInstall { deny: Vec::new() })?,
        None if merges => driver::install(cx)?,
        None => Outcome::Clean,
    };
    cx.note("`cfg check` checks the configs here, `cfg new` writes one, `cfg lsp` is the language server for editors");
    Ok(outcome)
}

/// Whether the working folder is git's own folder of a repository.
fn is_bare(cx: &Context) -> bool {
    let is_folder = |name: &str| cx.system.is_folder(Path::new(name));
    cx.system.is_file(Path::new("HEAD")) && is_folder("objects") && is_folder("refs")
}

/// Writes the current findings to the baseline of the new settings.
fn accept(cx: &Context) -> CommandResult {
    let control = Control { update_baseline: true, ..Control::default() };
    let check = Check { paths: vec![PathBuf::from(".")], control, ..Check::default() };
    let mut quiet = cx.without_target();
    quiet.common.quiet = true;
    let subject = Subject { out: Some(std::sync::Arc::default()), ..Subject::of(&quiet, &check) };
    let outcome = run_check(&quiet, &check, subject)?;
    if outcome != Outcome::Failed {
        cx.say(&format!("{BASELINE}: written"));
    }
    Ok(outcome)
}

/// Reports what is here, and what `cfg check` finds before and after; `settings` is the text of new settings.
fn tell(cx: &Context, survey: &Survey, has_baseline: bool, settings: Option<&str>) {
    for Foreign { folder, is_submodule } in &survey.foreign {
        let what = if *is_submodule { "a git submodule" } else { "a copy of prime-rl" };
        cx.note(&format!("{} is {what}: its configs are not checked unless it is named", cx.system.shown(folder)));
    }
    let before = &survey.checked;
    if !before.has_configs() {
        cx.note("no config was found here: `cfg new` writes the first one");
        return;
    }
    let found = before.in_words();
    match settings {
        None => cx.note(&format!("`cfg check` says: {found}")),
        Some(_) if has_baseline && before.has_findings() => {
            cx.note(&format!("`cfg check` before: {found}"));
            cx.note(&format!("`cfg check` after: only new findings, because {BASELINE} accepts the current ones"));
        }
        Some(settings) => {
            let after = Checked::of(cx, Some(&settings.replace(&format!("baseline = \"{BASELINE}\""), "")));
            if before.is_same(&after) && found == after.in_words() {
                cx.note(&format!("`cfg check`, before and after: {found}"));
            } else {
                let same = if before.is_same(&after) { " (the same in each config)" } else { "" };
                cx.note(&format!("`cfg check` before: {found}"));
                cx.note(&format!("`cfg check` after: {}{same}", after.in_words()));
            }
        }
    }
    if before.has_errors() && !has_baseline {
        cx.note("`cfg init --baseline` accepts the current findings, so that only new ones fail");
    }
}

/// The text of the settings file; `None` if there already is one.
fn settings_file(cx: &Context, words: &Init, survey: &Survey) -> Result<Option<String>, String> {
    let projects = cx.projects();
    let config = Path::new(A_CONFIG);
    let found = projects.settings(config);
    if let Some(file) = found.files.first() {
        let baseline = (words.baseline && found.settings.baseline.is_none()).then_some(BASELINE);
        let unset = [
            ("target", cx.common.target.as_deref().filter(|_| found.settings.target.is_none())),
            ("gpu", words.gpu.as_deref().filter(|_| found.settings.gpu.is_none())),
            ("baseline", baseline),
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
    let baseline = (words.baseline && survey.checked.has_configs()).then_some(BASELINE);
    if let Some(text) = &cx.common.target {
        cx.named_target(text)?;
        return Ok(Some(settings(Some(&SettingValue { value: text, why: "as given" }), gpu.as_ref(), &[], baseline)));
    }
    let about = about(cx, survey);
    let newest = Target::newest_release(History::built_in()).name;
    let target = SettingValue { value: &newest, why: "the newest release: nothing here states a prime-rl version" };
    // What was not given is written only if it changes no result.
    let is_harmless = |target: Option<&SettingValue<'_>>, gpu: Option<&SettingValue<'_>>| {
        let text = settings(target, gpu, &[], None);
        !survey.checked.has_configs() || survey.checked.has_same_errors(&Checked::of(cx, Some(&text)))
    };
    let is_open = survey.stated.is_empty() && !survey.checked.need_no_target();
    let target = Some(&target).filter(|target| is_open && is_harmless(Some(*target), None));
    let gpu = gpu.as_ref().filter(|gpu| words.gpu.is_some() || is_harmless(target, Some(*gpu)));
    Ok(Some(settings(target, gpu, &about, baseline)))
}

/// A comment about the prime-rl of the configs, for settings that state none.
fn about(cx: &Context, survey: &Survey) -> Vec<String> {
    match survey.stated.as_slice() {
        [] if survey.checked.need_no_target() => {
            vec!["The configs here need no `target`: their metadata states a version, or their program decides it.".to_owned()]
        }
        [] => {
            let nothing = "Nothing here states a prime-rl version: each config's is inferred from its keys and the date of its last change.";
            let common = survey.checked.common_target().filter(|target| cx.named_target(target).is_ok());
            let line = match common {
                Some(target) => format!("target = {target:?}  # what all of them are checked for; uncomment it if that is right"),
                None => {
                    "They are for several versions: state each folder's in a cfg.toml there, as `target = \"0.8.0\"`.".to_owned()
                }
            };
            vec![nothing.to_owned(), line]
        }
        [one] => vec![format!("The prime-rl is stated by {one}; a `target` here would replace it.")],
        several => vec![format!("The prime-rl of a config is stated around it: by {}.", listed(several))],
    }
}

/// Prints what would be written.
fn show(
    cx: &Context,
    files: &[(PathBuf, String)],
    hook: Option<&Path>,
    merges: bool,
    additions: &[(String, String)],
) -> io::Result<()> {
    let mut plan = String::new();
    for (path, text) in files {
        plan.push_str(&format!("{}:\n", path.display()));
        text.lines().for_each(|line| plan.push_str(&format!("    {line}\n")));
        plan.push('\n');
    }
    if let Some(path) = hook {
        plan.push_str(&format!("{}: run `cfg hook run` before each commit\n\n", cx.system.shown(path)));
    }
    if hook.is_some() || merges {
        plan.push_str(".gitattributes, and merge.cfg in git's configuration: registries are merged by `cfg registry merge`\n\n");
    }
    for (name, text) in additions {
        plan.push_str(&format!("{name} is not changed; add to it:\n"));
        text.lines().for_each(|line| plan.push_str(&format!("    {line}\n")));
        plan.push('\n');
    }
    cx.print_view(&plan)
}

/// Asks the user for confirmation. Without a terminal the answer is no.
fn agrees(cx: &Context) -> io::Result<bool> {
    if cx.is_for_program() || !cx.host().is_interactive() || !io::stdout().is_terminal() {
        return Ok(false);
    }
    progress::end();
    let mut out = cx.out();
    write!(out, "Write this? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::BufReader::new(io::Read::take(cx.host().input_stream(), 64)).read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
