//! `cfg restore`: a file becomes again what a version of it was.

use std::{fs, io};

use cfg_registry::{
    fingerprint::Digest,
    json::Patch,
    store::{Access, Change, Replace},
};

use super::{place, reference};
use crate::{
    Outcome,
    args::{Common, Restore},
    terminal,
};

pub(crate) fn run(common: &Common, restore: &Restore) -> io::Result<Outcome> {
    let (opened, at) = match reference::find(common, &restore.reference, Access::Write)? {
        Ok(found) => found,
        Err(outcome) => return Ok(outcome),
    };
    let Some(bytes) = reference::bytes(&opened, at) else { return Ok(Outcome::Failed) };
    let registry = &opened.registry;
    let config = &registry.configs[at.config];
    let label = &registry.entry(at).label.value;
    let path = opened.file(&config.path.value);
    let name = place::shown(&path);
    let Ok(new) = String::from_utf8(bytes) else {
        terminal::complain(&format!("{} is no UTF-8 text; `cfg show` prints its bytes", registry.name(at)));
        return Ok(Outcome::Failed);
    };
    let old = match fs::read(&path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            terminal::complain(&format!("{name}: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    let sha256 = old.as_deref().map(Digest::of);
    let is_registered = |digest: &Digest| {
        let text = digest.to_string();
        config.versions.iter().any(|entry| entry.sha256.iter().chain(&entry.also).any(|known| *known.value == *text))
    };
    let is_lost = sha256.as_ref().is_some_and(|digest| !is_registered(digest)) && old.as_deref() != Some(new.as_bytes());
    if is_lost && !restore.force {
        terminal::complain(&format!(
            "what {name} holds now is no version, and would be lost: `cfg bump {name} -m \"why\"` keeps it; --force replaces it"
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
        objects: kept.into_iter().collect(),
        registry: Some(Replace {
            path: opened.store.registry().to_owned(),
            old: Some(registry.text.clone().into_bytes()),
            new: registry.patched(&changes),
        }),
        files: vec![Replace { path, old, new }],
    };
    if let Err(error) = opened.store.commit(&change) {
        terminal::complain(&error.to_string());
        return Ok(Outcome::Failed);
    }
    if let Some(digest) = sha256.filter(|_| is_lost) {
        let kept = place::shown(&opened.store.object_path(&digest));
        terminal::note(&format!("what it held is still in {kept}, until `cfg registry gc`"));
    }
    terminal::say(&format!("{name} is {label} again"));
    Ok(Outcome::Clean)
}
