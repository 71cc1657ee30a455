//! `cfg registry restore`: writes the text of a version back to its file.

use std::io;

use cfg_registry::{
    fingerprint::Digest,
    json::Patch,
    store::{Change, Kept, Replace},
};
use cfg_system::Role;

use super::{open::commit, reference};
use crate::{CommandResult, Outcome, args::Restore, context::Context};

pub(crate) fn run(cx: &Context, restore: &Restore) -> CommandResult {
    let (opened, at, writer) = reference::find_to_change(cx, &restore.reference)?;
    let Some(bytes) = reference::bytes(cx, &opened, at) else { return Ok(Outcome::Failed) };
    let registry = &opened.registry;
    let config = &registry.configs[at.config];
    let label = &registry.entry(at).label.value;
    let path = opened.file(&config.path.value);
    let name = cx.system.shown(&path);
    if !cfg_project::may_be_config(&path) {
        cx.complain(&format!("{name} does not end in `.toml`, so nothing was written"));
        return Ok(Outcome::Failed);
    }
    let Ok(new) = String::from_utf8(bytes) else {
        cx.complain(&format!("{} is not UTF-8; `cfg registry show` prints its bytes", registry.name(at)));
        return Ok(Outcome::Failed);
    };
    let old = match cx.system.read(&path, Role::Config) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            cx.complain(&format!("{name}: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    let sha256 = old.as_deref().map(|old| registry.digest_of(old));
    let is_registered = |digest: &Digest| {
        let text = digest.to_string();
        config.versions.iter().any(|entry| entry.sha256.iter().chain(&entry.also).any(|known| *known.value == *text))
    };
    let is_lost = sha256.as_ref().is_some_and(|digest| !is_registered(digest)) && old.as_deref() != Some(new.as_bytes());
    if is_lost && !restore.force {
        cx.complain(&format!(
            "the current text of {name} is not registered and would be lost: keep it with `cfg bump {} -m \"why\"`, or use \
             --force to replace it",
            cfg_diag::word(&name)
        ));
        return Ok(Outcome::Found);
    }
    let mut changes = Patch::none();
    let of_config = changes.member("configs").member(&config.path.value);
    of_config.set("current_version", &**label);
    if config.is_removed {
        *of_config.member("removed") = Patch::Remove;
    }
    let kept = old.clone().filter(|_| is_lost);
    let change = Change {
        what: format!("restore {} to {label}", config.path.value),
        objects: kept.map(|bytes| Kept { bytes, like: Some(path.clone()) }).into_iter().collect(),
        registry: Some(Replace {
            path: opened.store.registry().to_owned(),
            old: Some(registry.text.clone().into_bytes()),
            new: Some(registry.patched(&changes)),
        }),
        files: vec![Replace { path, old, new: Some(new) }],
    };
    if !commit(cx, &writer, &change) {
        return Ok(Outcome::Failed);
    }
    if let Some(digest) = sha256.filter(|_| is_lost) {
        let kept = cx.system.shown(&opened.store.object_path(&digest));
        cx.note(&format!("its old text is kept in {kept} until `cfg registry gc`"));
    }
    cx.say(&format!("restored {name} to {label}"));
    Ok(Outcome::Clean)
}
