//! Where the files of configs are among their versions.

use std::collections::HashMap;

use cfg_registry::registry::VersionPlace;
use cfg_system::Role;

use crate::commands::registry::open::Opened;

/// What there is to say about versions: the current one of each config, and the one whose text its file has.
pub(super) fn of(opened: &Opened) -> HashMap<VersionPlace, &'static str> {
    let mut states = HashMap::new();
    for (config, of) in opened.registry.configs.iter().enumerate() {
        let Some(current) = of.current.as_ref().and_then(|current| of.index_of(&current.value)) else { continue };
        let entry = |entry: usize| VersionPlace { config, entry };
        if of.is_removed {
            states.insert(entry(current), "current, removed");
            continue;
        }
        let file = match opened.system().read_if_there(&opened.file(&of.path.value), Role::Config) {
            Ok(Some(bytes)) => opened.registry.digest_of(&bytes).to_string(),
            Ok(None) => {
                states.insert(entry(current), "current, but the file is gone");
                continue;
            }
            Err(_) => {
                states.insert(entry(current), "current");
                continue;
            }
        };
        let has_text = |at: usize| of.versions[at].sha256.as_ref().is_none_or(|known| *known.value == *file);
        let other = of.versions.iter().rposition(|known| known.sha256.as_ref().is_some_and(|known| *known.value == *file));
        let state = match other {
            _ if has_text(current) => "current",
            Some(other) => {
                states.insert(entry(other), "the file has this text");
                "current, but the file has the text of another version"
            }
            None => "current, but the file has changed since",
        };
        states.insert(entry(current), state);
    }
    states
}
