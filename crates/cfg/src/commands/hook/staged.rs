//! `cfg hook run`: checks the staged files.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cfg_check::Session;
use cfg_project::{GitError, Index, is_script, may_be_config, may_state_prime_rl};
use cfg_registry::store::{FILE_NAME, FOLDER};
use cfg_system::{Admission, System};

use crate::{
    CommandResult, Ended, Outcome,
    args::{Check, HookRun},
    commands::{
        check::{
            run_check,
            subject::{Input, Staged, Subject},
        },
        diff::side::at_revision,
        registry::staged::{Changes, staged},
    },
    context::Context,
};

pub(super) fn run(cx: &Context, asked: &HookRun) -> CommandResult {
    let Some((subject, unmerged)) = subject(cx, asked)? else { return Ok(Outcome::Clean) };
    let check = Check { deny: asked.deny.clone(), ..Check::default() };
    let outcome = run_check(cx, &check, subject)?;
    if unmerged.is_empty() {
        return Ok(outcome);
    }
    cx.note(&format!(
        "not merged: {}; `cfg registry merge` merges what it can, and `git add` marks a file as resolved",
        unmerged.join(", ")
    ));
    Ok(if outcome == Outcome::Clean { Outcome::Found } else { outcome })
}

/// Reports why git does not answer.
fn unasked(cx: &Context, error: &GitError) -> Ended {
    cx.complain(&format!("{error}, so nothing was checked"));
    Ended::Reported(Outcome::Failed)
}

/// What to check, and the names of the files that are not merged; `None` if the commit does not change any file that is relevant to cfg.
fn subject(cx: &Context, asked: &HookRun) -> CommandResult<Option<(Subject, Vec<String>)>> {
    let here = Path::new(".");
    let wanted: Vec<Vec<PathBuf>> = asked.paths.iter().map(|path| names_of(&*cx.system, path)).collect();
    let is_at = |path: &Path, names: &[PathBuf]| names.iter().any(|name| path.starts_with(name));
    let is_wanted = |path: &Path| wanted.is_empty() || wanted.iter().any(|names| is_at(path, names));
    let mut changed: Vec<PathBuf> = Vec::new();
    let mut gone: HashSet<PathBuf> = HashSet::new();
    if !asked.all_files {
        let staged = cfg_project::staged(&*cx.system, here).map_err(|error| unasked(cx, &error))?;
        for file in staged.into_iter().filter(|file| is_wanted(&file.path)) {
            if file.is_gone {
                gone.insert(file.path.clone());
            }
            changed.push(file.path);
        }
        // Most commits of most projects do not change such files.
        if !changed.iter().any(|path| is_ours(path)) {
            return Ok(None);
        }
    }
    let index = Arc::new(Index::open(&cx.system, here).map_err(|error| unasked(cx, &error))?);
    cx.system.admit(index.top(), Admission::Listed);
    let unmerged = index.unmerged().filter(|path| is_wanted(path) && is_ours(path)).map(|path| cx.system.shown(&path)).collect();
    if asked.all_files {
        changed = index.files().filter(|path| is_wanted(path)).collect();
        let is_empty = |names: &[PathBuf]| !changed.iter().any(|path| is_at(path, names));
        if let Some((path, _)) = asked.paths.iter().zip(&wanted).find(|(_, names)| is_empty(names)) {
            cx.complain(&format!("git tracks nothing in {}, so nothing was checked there", path.display()));
            return Err(Outcome::Failed.into());
        }
    }
    let commit = Changes::new(changed.iter().cloned(), asked.all_files && wanted.is_empty());
    let Some(mut registries) = staged(cx, &index, &commit)? else { return Err(Outcome::Failed.into()) };
    let system: Arc<dyn System> = Arc::<Index>::clone(&index);
    let may_be_config = |path: &Path| may_be_config(path) && !is_hidden(path, index.top()) && system.is_file(path);
    let others = if asked.all_files { Vec::new() } else { of_another_prime_rl(cx, &index, &changed) };
    let others = others.iter().filter(|path| is_wanted(path));
    let own = changed.iter().filter(|path| !gone.contains(*path));
    let configs: Vec<&PathBuf> = own.chain(others).filter(|path| may_be_config(path)).collect();
    let known: HashSet<&Path> = configs.iter().map(|path| path.as_path()).collect();
    let has_bases = changed.iter().any(|path| path.extension() == Some(OsStr::new("toml")));
    let composed = if asked.all_files || !has_bases { Vec::new() } else { index.with_text("toml_files") };
    let dependents = composed.iter().filter(|path| !known.contains(path.as_path()) && may_be_config(path));
    let settings = changed.iter().filter(|path| !gone.contains(*path) && is_settings(path)).cloned().collect();
    let current = cx.host().folder();
    let shown = |path: &Path| path.strip_prefix(current).unwrap_or(path).to_owned();
    let inputs = configs.iter().map(|path| Input::File { path: shown(path), is_explicit: false });
    let scripts = changed.iter().filter(|path| !gone.contains(*path) && is_script(path));
    let scripts = scripts.map(|path| Input::Script { path: shown(path), is_explicit: false });
    let inputs = inputs.chain(dependents.map(|path| Input::Dependent { path: shown(path) })).chain(scripts).collect();
    for registry in &mut registries {
        registry.drop_files(|path| known.contains(path));
    }
    let staged = Some(Staged { changed: changed.clone(), is_all: asked.all_files, disk: Arc::clone(&cx.system) });
    let mut named = asked.paths.clone();
    if named.is_empty() {
        named.push(index.top().to_owned());
    }
    let subject = Subject { system: Some(system), inputs, named, settings, registries, staged, ..Subject::default() };
    Ok(Some((subject, unmerged)))
}

/// The configs for which the commit changes the prime-rl that their project states, besides those that it changes itself.
fn of_another_prime_rl(cx: &Context, index: &Arc<Index>, changed: &[PathBuf]) -> Vec<PathBuf> {
    if !changed.iter().any(|path| may_state_prime_rl(path)) {
        return Vec::new();
    }
    let Ok(before) = at_revision(cx, "HEAD") else { return Vec::new() };
    let system: Arc<dyn System> = Arc::<Index>::clone(index);
    let (before, now) = (before.session(), cx.on(&system).session());
    let named = |session: &Session, file: &Path| {
        let found = session.projects().target(file)?;
        Some(found.as_ref().as_ref().map_or_else(ToString::to_string, |found| found.target.name.clone()))
    };
    let mut folders: HashMap<PathBuf, bool> = HashMap::new();
    let mut is_other = |file: &Path| {
        let folder = file.parent().unwrap_or(file).to_owned();
        *folders.entry(folder).or_insert_with(|| named(&before, file) != named(&now, file))
    };
    let known: HashSet<&Path> = changed.iter().map(PathBuf::as_path).collect();
    let files = index.files().filter(|path| may_be_config(path) && !known.contains(path.as_path()));
    files.filter(|path| is_other(path)).collect()
}

/// The names that git may use for a path, which need not exist: with links in its folders resolved, and also with the path itself
/// resolved if it is a link.
fn names_of(system: &dyn System, path: &Path) -> Vec<PathBuf> {
    let absolute = system.plain(path).into_owned();
    let in_folder = || Some(system.real(absolute.parent()?).ok()?.join(absolute.file_name()?));
    let names = [in_folder(), system.real(&absolute).ok()];
    names.into_iter().flatten().chain([absolute]).collect()
}

/// Whether a file can affect the check.
fn is_ours(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("toml"))
        || is_script(path)
        || may_state_prime_rl(path)
        || path.file_name() == Some(OsStr::new(FILE_NAME))
        || path.components().any(|part| part == Component::Normal(OsStr::new(FOLDER)))
}

/// Whether a file contains settings.
fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "cfg.toml" || name == "pyproject.toml")
}

/// Whether a path contains a hidden folder, in which configs are not searched for.
fn is_hidden(path: &Path, top: &Path) -> bool {
    path.strip_prefix(top).unwrap_or(path).components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}
