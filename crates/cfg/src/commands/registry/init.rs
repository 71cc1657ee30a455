//! `cfg registry init`: an empty registry.

use std::{io, path::Path, time::Duration};

use cfg_registry::{
    registry::EMPTY,
    store::{Access, Change, Disk, FILE_NAME, Replace, Store},
};

use super::place;
use crate::{Outcome, terminal};

pub(super) fn run(folder: &Path) -> io::Result<Outcome> {
    let path = place::absolute(folder)?.join(FILE_NAME);
    let name = place::shown(&path);
    let fail = |message: &str| {
        terminal::complain(message);
        Ok(Outcome::Failed)
    };
    if !folder.is_dir() {
        return fail(&format!("{} is no folder", folder.display()));
    }
    if path.symlink_metadata().is_ok() {
        return fail(&format!("{name} is there already; nothing was changed"));
    }
    let (store, _) = match Store::open(&Disk, &path, Access::Write, Duration::from_secs(60), &|| {}) {
        Ok(opened) => opened,
        Err(error) => return fail(&error.to_string()),
    };
    let registry = Replace { path: path.clone(), old: None, new: EMPTY.to_owned() };
    let change = Change { what: format!("make {name}"), registry: Some(registry), ..Change::default() };
    match store.commit(&change) {
        Ok(()) => {
            terminal::say(&format!(
                "{name} was made; `cfg registry adopt` takes in the configs that are there, `cfg bump` one of them"
            ));
            Ok(Outcome::Clean)
        }
        Err(error) => fail(&error.to_string()),
    }
}
