//! References to versions, such as `FILE:v2`.

use std::path::Path;

use cfg_registry::{
    fingerprint::Digest,
    place,
    registry::{Reference, Unresolved, VersionPlace},
    store::Writer,
};
use cfg_system::Role;

use super::open::{Opened, open_sound, open_to_change};
use crate::{CommandResult, Ended, Outcome, context::Context};

/// Opens the registry for a reference, and finds the version; without a version, the reference means the current one. Reports an
/// error if there is none.
pub(crate) fn find(cx: &Context, text: &str) -> CommandResult<(Opened, VersionPlace)> {
    let Some(near) = near(cx, text) else { return Err(Ended::Reported(Outcome::Failed)) };
    let opened = open_sound(cx, near)?;
    let place = resolve(cx, &opened, text)?;
    Ok((opened, place))
}

/// As [`find`], but opens the registry for changes.
pub(crate) fn find_to_change(cx: &Context, text: &str) -> CommandResult<(Opened, VersionPlace, Writer)> {
    let Some(near) = near(cx, text) else { return Err(Ended::Reported(Outcome::Failed)) };
    let (opened, writer) = open_to_change(cx, near)?;
    let place = resolve(cx, &opened, text)?;
    Ok((opened, place, writer))
}

/// The path from which the registry is searched for: the current folder if the reference contains only a file name or a path in the registry.
/// Reports an error if the reference contains no config.
fn near<'t>(cx: &Context, text: &'t str) -> Option<&'t Path> {
    let Some(path) = Reference::parse(text).path.map(Path::new) else {
        cx.complain(&format!("`{text}` is not a config version; write FILE:v2"));
        return None;
    };
    let is_here = path.parent().is_some_and(|folder| folder.as_os_str().is_empty() || cx.system.is_folder(folder));
    Some(if is_here { path } else { Path::new(".") })
}

/// The version of a reference; reports an error if there is none.
fn resolve(cx: &Context, opened: &Opened, text: &str) -> Result<VersionPlace, Outcome> {
    let reference = Reference::parse(text);
    let path = Path::new(reference.path.unwrap_or_default());
    let key = place::key(&opened.base, &opened.system().plain(path));
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
    resolved.map_err(|unresolved| {
        cx.complain(&unresolved.message(registry));
        Outcome::Failed
    })
}

/// The exact bytes of a version; reports an error if they are not stored.
pub(in crate::commands) fn bytes(cx: &Context, opened: &Opened, place: VersionPlace) -> Option<Vec<u8>> {
    let registry = &opened.registry;
    let name = registry.name(place);
    let Some(sha256) = &registry.entry(place).sha256 else {
        cx.complain(&format!(
            "the text of {name} was never stored; run `cfg registry adopt` to look for it in the git \
            history"
        ));
        return None;
    };
    let digest: Digest = sha256.value.parse().ok()?;
    // The file may still have the text of this version.
    let of_file = || {
        let path = opened.file(&registry.configs[place.config].path.value);
        opened.store.read(&path, Role::Config).ok().filter(|bytes| Digest::of(bytes) == digest)
    };
    let found = opened.store.object(&digest).or_else(of_file);
    if found.is_none() {
        cx.complain(&format!("the text of {name} is missing, or was changed: {}", opened.store.object_path(&digest).display()));
    }
    found
}
