//! `cfg registry gc`: removes stored texts that no version or run uses.

use std::{collections::HashSet, path::Path};

use cfg_registry::fingerprint::Digest;

use super::open::{open_sound, open_to_change};
use crate::{CommandResult, Outcome, context::Context};

pub(super) fn run(cx: &Context, path: &Path, is_dry: bool) -> CommandResult {
    let (opened, writer) = if is_dry {
        (open_sound(cx, path)?, None)
    } else {
        let (opened, writer) = open_to_change(cx, path)?;
        (opened, Some(writer))
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
