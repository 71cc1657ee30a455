//! Reading settings of one table by the keys that they have had over time.

use std::sync::Arc;

use cfg_diag::Location;
use cfg_resolve::{Resolved, ResolvedValue, View};

use crate::{Fact, Key, Setting, value::Value};

/// The keys under which one thing stood over time, the newest first, and the key of the whole run that prime-rl copies to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths {
    pub(crate) own: &'static [&'static str],
    pub(crate) shared: &'static [&'static str],
}

/// A table that is read, with its key.
pub(crate) struct Reader<'a> {
    pub(crate) view: View<'a>,
    pub(crate) owner: Arc<str>,
    /// The top of the file, where shared keys stand; nothing where they do not reach this table.
    pub(crate) top: Option<&'a View<'a>>,
}

impl<'a> Reader<'a> {
    /// A setting: at the first of its keys that is given, else at the first that exists.
    pub(crate) fn setting<T: Value>(&self, paths: Paths) -> Setting<T> {
        let mut first = None;
        for path in paths.own {
            let Some(resolved) = self.view.get(path) else { continue };
            let is_given = !matches!(resolved.origin, cfg_compose::Origin::Default);
            let setting = || self.make(&resolved, path, paths.shared);
            if is_given {
                return setting();
            }
            if first.is_none() {
                first = Some(setting());
            }
        }
        first.unwrap_or_default()
    }

    fn make<T: Value>(&self, resolved: &Resolved, path: &'static str, shared: &'static [&'static str]) -> Setting<T> {
        let (key, origin) = (Key::new(Arc::clone(&self.owner), path), resolved.origin);
        let value = match &resolved.value {
            ResolvedValue::Null => T::null(),
            ResolvedValue::Invalid => return Setting::Faulty { key, origin },
            _ => match T::read(resolved, self, path) {
                Some(value) => Some(value),
                None => return Setting::Faulty { key, origin },
            },
        };
        match value {
            Some(value) => Setting::Is(Fact { value, key, origin, shared: self.shared(shared, resolved) }),
            None => Setting::Empty { key, origin },
        }
    }

    /// The shared key that a value was copied from, where it is written.
    fn shared(&self, paths: &'static [&'static str], resolved: &Resolved) -> Option<(Key, Location)> {
        let top = self.top?;
        paths.iter().find_map(|path| {
            let location = top.location(path)?;
            let is_copy = match resolved.origin {
                cfg_compose::Origin::Rule(_) | cfg_compose::Origin::Loader(_) => true,
                origin => origin.location() == Some(location),
            };
            is_copy.then(|| (Key::new(Arc::from(""), path), location))
        })
    }

    /// The key of a path below.
    pub(crate) fn key_of(&self, path: &str) -> Arc<str> {
        match (&*self.owner, path) {
            (_, "") => Arc::clone(&self.owner),
            ("", path) => Arc::from(path),
            (owner, path) => Arc::from(format!("{owner}.{path}")),
        }
    }

    /// The table at a path below.
    pub(crate) fn below(&self, path: &str) -> Option<Reader<'_>> {
        Some(Reader { view: self.view.below(path)?, owner: self.key_of(path), top: self.top })
    }
}
