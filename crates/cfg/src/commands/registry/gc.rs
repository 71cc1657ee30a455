//! `cfg registry gc`: texts that no version names go.

use std::{collections::HashSet, io, path::Path};

use cfg_registry::{fingerprint::Digest, store::Access};

use super::open::open_sound;
use crate::{Outcome, args::Common, terminal};

pub(super) fn run(common: &Common, path: &Path, is_dry: bool) -> io::Result<Outcome> {
    let access = if is_dry { Access::Read } else { Access::Write };
    let opened = match open_sound(common, path, access)? {
        Ok(opened) => opened,
        Err(outcome) => return Ok(outcome),
    };
    let named: HashSet<Digest> = opened.registry.contents().filter_map(|sha256| sha256.parse().ok()).collect();
    let unused =
        opened.store.objects().map(|objects| objects.into_iter().filter(|object| !named.contains(object)).collect::<Vec<_>>());
    let dropped = unused.and_then(|unused| {
        if !is_dry {
            opened.store.drop_objects(&unused)?;
        }
        Ok(unused)
    });
    match dropped {
        Ok(dropped) => {
            let verb = if is_dry { "would be removed" } else { "removed" };
            terminal::say(&format!("{} that no version names {verb}", cfg_report::count(dropped.len(), "text")));
            Ok(Outcome::Clean)
        }
        Err(error) => {
            terminal::complain(&error.to_string());
            Ok(Outcome::Failed)
        }
    }
}
