//! `cfg registry mv`: gives a config another path in the registry.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use cfg_diag::word;
use cfg_project::{may_be_config, renames};
use cfg_registry::{
    Registry,
    merge::renamed,
    place,
    store::{Change, Replace, Writer},
    verify::{Object, rename_advice},
};
use cfg_system::{Kind, Role};

use super::{
    config::Reader,
    open::{Opened, commit, open_to_change},
    verify::{LeftOut, Sight, unregistered},
};
use crate::{CommandResult, Outcome, context::Context};

/// The longest chain of renames that is followed.
const MAX_RENAMES: usize = 100;

pub(super) fn run(cx: &Context, paths: &[PathBuf]) -> CommandResult {
    let [old, new] = paths else { return all(cx) };
    let (opened, writer) = open_to_change(cx, old)?;
    match one(cx, &opened, &writer, old, new) {
        Ok(()) => Ok(Outcome::Clean),
        Err(why) => {
            cx.complain(&why);
            Ok(Outcome::Failed)
        }
    }
}

/// Renames a config; the error is the reason why it was not renamed.
fn one(cx: &Context, opened: &Opened, writer: &Writer, old: &Path, new: &Path) -> Result<(), String> {
    let system = &*cx.system;
    let outside = |path: &Path| format!("{} is outside {}", path.display(), system.shown(&opened.base));
    let key = |path: &Path| place::key(&opened.base, &system.plain(path)).ok_or_else(|| outside(path));
    let (from, to) = (key(old)?, key(new)?);
    if opened.registry.config(&from).is_none() {
        return Err(format!("the registry has no config `{from}`"));
    }
    if opened.registry.config(&to).is_some() {
        return Err(format!("the registry already has a config `{to}`, so `{from}` can't be renamed to it"));
    }
    if !may_be_config(new) {
        return Err(format!("{} does not end in `.toml`, so nothing was renamed", new.display()));
    }
    let files = match (system.is_there(old), system.is_there(new)) {
        (true, true) => {
            return Err(format!("{} and {} both exist: remove one of them", old.display(), new.display()));
        }
        (false, false) => return Err(format!("neither {} nor {} exists", old.display(), new.display())),
        (false, true) => Vec::new(),
        (true, false) => {
            if system.own_status(old).is_ok_and(|status| status.kind == Kind::Link) {
                return Err(format!("{} is a link: rename it with `git mv`, then run this again", old.display()));
            }
            if !may_be_config(old) {
                return Err(format!("{} does not end in `.toml`: rename it with `git mv`, then run this again", old.display()));
            }
            let text = opened.store.read(old, Role::Config).map_err(|error| error.to_string())?;
            let text = String::from_utf8(text).map_err(|_| format!("{} is not UTF-8", old.display()))?;
            if let Some(folder) = new.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                cx.writer.create_folder(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            }
            let made = Replace { path: new.to_owned(), old: None, new: Some(text.clone()) };
            vec![made, Replace { path: old.to_owned(), old: Some(text.into_bytes()), new: None }]
        }
    };
    if !write(cx, opened, writer, &[(from.clone(), to)], files) {
        return Err(format!("`{from}` was not renamed"));
    }
    Ok(())
}

/// Renames every config whose file has another path.
fn all(cx: &Context) -> CommandResult {
    let Some(reader) = Reader::new(cx) else { return Ok(Outcome::Failed) };
    let (opened, writer) = open_to_change(cx, Path::new("."))?;
    let registry = &opened.registry;
    let sparse = LeftOut::new(&*cx.system, &opened.base);
    let seen = Sight {
        registry,
        path: &opened.path,
        base: &opened.base,
        object: &|_| Object::NotAsked,
        text: &|digest| opened.store.object(digest),
        is_left_out: &|path| sparse.has(path),
    };
    let mut missing = seen.missing(&*cx.system);
    let new = unregistered(&reader, &seen);
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    let mut likely: HashMap<usize, String> = HashMap::new();
    for renamed in seen.renamed(&reader, &missing, &new) {
        if !renamed.is_certain {
            likely.insert(renamed.config, renamed.path);
            continue;
        }
        missing.remove(&renamed.config);
        taken.insert(renamed.path.clone());
        found.push((registry.configs[renamed.config].path.value.to_string(), renamed.path));
    }
    if !missing.is_empty() {
        let told = renames(&*cx.system, &opened.base).unwrap_or_default();
        // The newest rename comes first.
        let by_git: HashMap<&Path, &Path> = told.iter().rev().map(|(old, new)| (&**old, &**new)).collect();
        for index in missing {
            let old = &*registry.configs[index].path.value;
            let followed = follow(cx, &by_git, &opened.file(old)).and_then(|path| place::key(&opened.base, &path));
            match followed.filter(|key| registry.config(key).is_none() && taken.insert(key.clone())) {
                Some(new) => found.push((old.to_owned(), new)),
                None => cx.note(&match likely.get(&index).filter(|path| !taken.contains(*path)) {
                    Some(new) => {
                        let shown = |key: &str| cx.system.shown(&opened.file(key));
                        format!(
                            "{old} is gone, and {new} resembles it: if it is the same config, {}",
                            rename_advice(&shown(old), &shown(new))
                        )
                    }
                    None => {
                        format!(
                            "{old} is gone, and no file has its text: if it was renamed, run `cfg registry mv {} NEW`",
                            word(old)
                        )
                    }
                }),
            }
        }
    }
    if found.is_empty() {
        cx.say("no registered config was renamed");
        return Ok(Outcome::Clean);
    }
    Ok(if write(cx, &opened, &writer, &found, Vec::new()) { Outcome::Clean } else { Outcome::Failed })
}

/// The file to which renames lead.
fn follow(cx: &Context, renames: &HashMap<&Path, &Path>, old: &Path) -> Option<PathBuf> {
    let mut at = old;
    for _ in 0..MAX_RENAMES {
        let new = *renames.get(&*cx.system.plain(at))?;
        if cx.system.is_file(new) {
            return Some(new.to_owned());
        }
        at = new;
    }
    None
}

/// Writes the registry with other paths, and says what follows.
fn write(cx: &Context, opened: &Opened, writer: &Writer, renames: &[(String, String)], files: Vec<Replace>) -> bool {
    let what = match renames {
        [(from, to)] => format!("rename {from} to {to}"),
        many => format!("rename {} configs", many.len()),
    };
    let change = Change {
        what,
        objects: Vec::new(),
        registry: Some(Replace {
            path: opened.store.registry().to_owned(),
            old: Some(opened.registry.text.clone().into_bytes()),
            new: Some(renamed(&opened.registry, renames)),
        }),
        files,
    };
    if !commit(cx, writer, &change) {
        return false;
    }
    renames.iter().for_each(|rename| cx.say(&renamed_sentence(&opened.registry, rename)));
    true
}

/// The sentence about a config that got another path: the former one and the new one. `registry` has the former one.
pub(super) fn renamed_sentence(registry: &Registry, (from, to): &(String, String)) -> String {
    let versions = registry.config(from).map_or(0, |config| config.versions.len());
    format!("{from} is {to} now, with {}", cfg_report::count(versions, "version"))
}
