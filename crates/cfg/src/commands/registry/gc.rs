//! `cfg registry gc`: texts that neither a version nor a run names go.

use std::{collections::HashSet, io, path::Path};

use cfg_registry::fingerprint::Digest;

use super::open::{open_sound, open_to_change};
use crate::{Outcome, context::Context};

pub(super) fn run(cx: &Context, path: &Path, is_dry: bool) -> io::Result<Outcome> {
    let (opened, writer) = if is_dry {
        match open_sound(cx, path)? {
            Ok(opened) => (opened, None),
            Err(outcome) => return Ok(outcome),
        }
    } else {
        match open_to_change(cx, path)? {
            Ok((opened, writer)) => (opened, Some(writer)),
            Err(outcome) => return Ok(outcome),
        }
    };
    let named: HashSet<Digest> = opened.registry.contents().filter_map(|sha256| sha256.parse().ok()).collect();
    let unused =
        opened.store.objects().map(|objects| objects.into_iter().filter(|object| !named.contains(object)).collect::<Vec<_>>());
    let dropped = unused.and_then(|unused| {
        if let Some(writer) = &writer {
            writer.drop_objects(&unused)?;
        }
        Ok(unused)
    });
    match dropped {
        Ok(dropped) => {
            let verb = if is_dry { "would be removed" } else { "removed" };
            cx.say(&format!("{} used by no version or run {verb}", cfg_report::count(dropped.len(), "text")));
            Ok(Outcome::Clean)
        }
        Err(error) => {
            cx.complain(&error.to_string());
            Ok(Outcome::Failed)
        }
    }
}
