//! Finds the registered version of a file.

use std::path::Path;

use cfg_launch::preflight::Registered;
use cfg_registry::{around::CachedRegistry, place, registry::VersionPlace};
use cfg_system::Role;

use crate::context::Context;

/// The registered version with the bytes of a file, in the registry around the file or else around the current folder; `None` if
/// there is no registry or no such version.
pub(crate) fn registered(cx: &Context, path: &str) -> Option<Registered> {
    let system = &*cx.system;
    let file = system.plain(Path::new(path));
    let bytes = system.read(&file, Role::Config).ok()?;
    let near = || place::find(system, cx.host().folder()).ok()?;
    let around = CachedRegistry::read(&cx.system, place::find(system, &file).ok()?.or_else(near)?).ok()??;
    if !around.is_sound {
        return None;
    }
    let registry = &around.registry;
    let digest = registry.digest_of(&bytes);
    let is_it =
        |place: &VersionPlace| registry.entry(*place).sha256.as_ref().is_some_and(|known| known.value.parse() == Ok(digest));
    if let Some(place) = registry.places().find(is_it) {
        return Some(Registered::Is(registry.name(place)));
    }
    let index = place::key(&around.base, &file).and_then(|key| registry.index_of(&key));
    let current = index.and_then(|index| {
        let config = &registry.configs[index];
        Some(format!("{}:{}", config.path.value, config.current_entry()?.label.value))
    });
    Some(Registered::Unknown { file: path.to_owned(), registry: system.shown(&around.path), current })
}

/// The current version of a file in the registry around it, if that has its text.
pub(crate) fn current_label(cx: &Context, path: &Path) -> Option<String> {
    let system = &*cx.system;
    let file = system.plain(path);
    let around = CachedRegistry::read(&cx.system, place::find(system, &file).ok()??).ok()??;
    let config = around.registry.config(&place::key(&around.base, &file)?).filter(|_| around.is_sound)?;
    let entry = config.current_entry().filter(|entry| entry.sha256.is_some())?;
    Some(entry.label.value.to_string())
}

/// The exact bytes of a registered version, from the nearest registry above the config.
pub(crate) fn version(cx: &Context, path: &str, label: &str) -> Result<Vec<u8>, String> {
    let system = &*cx.system;
    let missing = || format!("{path}:{label}: no registry has this version");
    let file = system.plain(Path::new(path));
    let near = if file.parent().is_some_and(|folder| system.is_folder(folder)) { &file } else { cx.host().folder() };
    let found = place::find(system, near).map_err(|error| error.to_string())?.ok_or_else(missing)?;
    let around = CachedRegistry::read(&cx.system, found).map_err(|error| error.to_string())?.ok_or_else(missing)?;
    let key = place::key(&around.base, &file).filter(|key| around.registry.index_of(key).is_some());
    let reference = format!("{}:{label}", key.as_deref().unwrap_or(path));
    let found = around.find(&reference, None).map_err(|unresolved| unresolved.message(&around.registry))?;
    around.bytes(found).ok_or_else(|| format!("the text of {} is missing", around.registry.name(found)))
}
