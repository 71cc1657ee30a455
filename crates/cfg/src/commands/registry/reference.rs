//! `FILE:v2`, as a user writes it.

use std::{io, path::Path};

use cfg_registry::{
    fingerprint::Digest,
    registry::{Place, Reference, Unresolved},
    store::Access,
};

use super::{
    open::{Opened, open_sound},
    place,
};
use crate::{Outcome, args::Common, terminal};

/// Opens the registry that a reference means, and finds the version in it; of a config alone the current one. Complains where there is none.
pub(crate) fn find(common: &Common, text: &str, access: Access) -> io::Result<Result<(Opened, Place), Outcome>> {
    let reference = Reference::parse(text);
    let Some(path) = reference.path.map(Path::new) else {
        terminal::complain(&format!("`{text}` names no config; write FILE:v2"));
        return Ok(Err(Outcome::Failed));
    };
    // A mere name, or a path as the registry has it, is looked for from here.
    let near =
        if path.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir()) { path } else { Path::new(".") };
    let opened = match open_sound(common, near, access)? {
        Ok(opened) => opened,
        Err(outcome) => return Ok(Err(outcome)),
    };
    let key = place::absolute(path).ok().and_then(|path| place::key(&opened.base, &path));
    let registry = &opened.registry;
    let named = |path: &str| {
        let label = reference.label.or_else(|| Some(&*registry.config(path)?.current.as_ref()?.value));
        let text = label.map_or(path.to_owned(), |label| format!("{path}:{label}"));
        registry.resolve(&text, None)
    };
    let by_key = key.filter(|key| registry.index_of(key).is_some()).map(|key| named(&key));
    let resolved = by_key.unwrap_or_else(|| match named(&path.to_string_lossy()) {
        Err(Unresolved::NoVersion { path }) => named(&path),
        resolved => resolved,
    });
    match resolved {
        Ok(place) => Ok(Ok((opened, place))),
        Err(unresolved) => {
            terminal::complain(&unresolved.message(registry));
            Ok(Err(Outcome::Failed))
        }
    }
}

/// The exact bytes of a version; complains where they are not kept.
pub(super) fn bytes(opened: &Opened, place: Place) -> Option<Vec<u8>> {
    let registry = &opened.registry;
    let name = registry.name(place);
    let Some(sha256) = &registry.entry(place).sha256 else {
        terminal::complain(&format!("what {name} held was never recorded; `cfg registry adopt` looks for it in the git history"));
        return None;
    };
    let digest: Digest = sha256.value.parse().ok()?;
    // The file itself may still hold it.
    let of_file = || {
        let path = opened.file(&registry.configs[place.config].path.value);
        opened.store.read(&path).ok().filter(|bytes| Digest::of(bytes) == digest)
    };
    let found = opened.store.object(&digest).or_else(of_file);
    if found.is_none() {
        terminal::complain(&format!(
            "the text of {name} is not kept, or was changed: {}",
            opened.store.object_path(&digest).display()
        ));
    }
    found
}
