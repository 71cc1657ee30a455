//! Merges the files that a merge, a rebase, a cherry-pick, a revert or a stash has left unmerged.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use cfg_diag::word;
use cfg_project::{Unmerged, git_show, may_be_config, unmerged};
use cfg_registry::{
    merge::sides,
    place,
    store::{Change, FILE_NAME, Kept, Replace},
};
use cfg_system::Role;

use super::{Texts, merged, stored::StoredText};
use crate::{
    CommandResult, Outcome,
    commands::registry::open::{begin, commit},
    context::Context,
};

/// What is to be written for a registry.
#[derive(Default)]
pub(super) struct Changes {
    /// The registry itself, and configs.
    pub(super) files: Vec<Replace>,
    /// Stored texts.
    pub(super) objects: Vec<Kept>,
}

/// The three texts of a file: of the common ancestor, of our side, of the other side.
type Three = [String; 3];

pub(super) fn run(cx: &Context, paths: &[PathBuf]) -> CommandResult {
    let of_git = unmerged(&*cx.system, Path::new(".")).unwrap_or_default();
    let real = |path: &Path| cx.system.real(path).unwrap_or_else(|_| cx.system.plain(path).into_owned());
    let files: Vec<PathBuf> = if paths.is_empty() {
        let is_ours = |path: &Path| {
            may_be_config(path) || path.file_name().is_some_and(|name| name == FILE_NAME) || StoredText::named(path).is_some()
        };
        of_git.iter().map(|file| file.path.clone()).filter(|path| is_ours(path) && cx.system.is_file(path)).collect()
    } else {
        paths.to_vec()
    };
    let (stored, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| StoredText::named(path).is_some());
    let stored: Vec<StoredText> = stored.iter().filter_map(|path| StoredText::named(path)).collect();
    if files.is_empty() && stored.is_empty() {
        cx.say("git lists no registry and no config as unmerged here");
        cx.note(
            "if a merge of several branches at once conflicts, git leaves nothing to merge: merge them one after the other (`git merge a`, then `git \
             merge b`), which merges versions as well",
        );
        return Ok(Outcome::Clean);
    }
    let mut changes: BTreeMap<Option<PathBuf>, Changes> = BTreeMap::new();
    let (mut open, mut done) = (Vec::new(), Vec::new());
    let mut outcome = Outcome::Clean;
    for file in files {
        let name = cx.system.shown(&file);
        let is_registry = file.file_name().is_some_and(|name| name == FILE_NAME);
        let role = if is_registry { Role::Registry } else { Role::Config };
        let text = cx.system.read(&file, role).map_err(|error| error.to_string());
        let text = match text.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())) {
            Ok(text) => text,
            Err(why) => {
                cx.complain(&format!("{name}: {why}"));
                outcome = Outcome::Failed;
                continue;
            }
        };
        let stages = of_git.iter().find(|unmerged| real(&unmerged.path) == real(&file));
        // What a person has resolved already is not written again.
        let Some(marked) = sides(&text) else {
            cx.say(&match stages {
                Some(_) => format!("{name} has no conflict markers: `git add {}` when it is right", word(&name)),
                None => format!("{name} has no conflict markers, so there is nothing to merge"),
            });
            continue;
        };
        let of_marks = || [marked.base.clone().unwrap_or_default(), marked.ours.clone(), marked.theirs.clone()];
        let [base, ours, theirs] = stages.and_then(|stages| texts(cx, stages)).unwrap_or_else(of_marks);
        match merged(cx, &Texts { name: &name, base: &base, ours: &ours, theirs: &theirs }) {
            Ok(merged) => {
                match merged.open {
                    Some(why) => open.push(why),
                    None => done.push(name),
                }
                let registry = if is_registry { Some(file.clone()) } else { place::find(&*cx.system, &file)? };
                let replace = Replace { path: file, old: Some(text.into_bytes()), new: Some(merged.text) };
                changes.entry(registry).or_default().files.push(replace);
            }
            Err(why) => {
                cx.complain(&why);
                outcome = Outcome::Failed;
            }
        }
    }
    for stored in stored {
        let stages = of_git.iter().find(|unmerged| real(&unmerged.path) == real(&stored.path));
        let changes = changes.entry(Some(stored.registry.clone())).or_default();
        match stored.mend(cx, stages, changes) {
            Ok(mended) => {
                done.extend(mended.merged);
                open.extend(mended.open);
            }
            Err(why) => {
                cx.complain(&why);
                outcome = Outcome::Failed;
            }
        }
    }
    for (registry, changes) in changes {
        if !write(cx, registry.as_deref(), changes)? {
            return Ok(Outcome::Failed);
        }
    }
    for name in &done {
        cx.say(&format!("{name} is merged: `git add {}`", word(name)));
    }
    open.iter().for_each(|why| cx.note(why));
    Ok(if outcome == Outcome::Clean && !open.is_empty() { Outcome::Found } else { outcome })
}

/// The texts of an unmerged file; `None` if git does not have them. There may be no common ancestor.
fn texts(cx: &Context, file: &Unmerged) -> Option<Three> {
    let read = |object: &Option<String>| {
        let bytes = git_show(&*cx.system, Path::new("."), object.as_deref()?)?;
        String::from_utf8(bytes).ok()
    };
    let [base, ours, theirs] = &file.objects;
    Some([read(base).unwrap_or_default(), read(ours)?, read(theirs)?])
}

/// Writes the files of a registry, all or none.
fn write(cx: &Context, registry: Option<&Path>, Changes { files, objects }: Changes) -> CommandResult<bool> {
    if files.is_empty() && objects.is_empty() {
        return Ok(true);
    }
    let Some(registry) = registry else {
        for Replace { path, old, new } in files {
            cx.writer.replace(&path, &old.unwrap_or_default(), new.unwrap_or_default().as_bytes())?;
        }
        return Ok(true);
    };
    let Some(writer) = begin(cx, registry) else { return Ok(false) };
    let (mut of_registry, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.path == registry);
    let change = Change { what: "merge two branches".to_owned(), objects, registry: of_registry.pop(), files };
    Ok(commit(cx, &writer, &change))
}
