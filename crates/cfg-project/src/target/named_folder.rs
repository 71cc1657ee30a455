//! A prime-rl that is named by the path of its checkout.

use std::path::Path;

use cfg_schema::Target;
use cfg_system::System;

use super::{checkout::may_be_named, own::read_own, past::base_of};

/// The target of a text that names a checkout, `path:../prime-rl`, relative to `folder`; `None` for other texts.
///
/// # Errors
/// The problem, and what to do about it, if there is no prime-rl, or it can't be read, or a text in a repository must not
/// name it.
pub(super) fn path_target(
    system: &dyn System,
    text: &str,
    folder: &Path,
    named_by: NamedBy,
) -> Option<Result<Target, (String, String)>> {
    let path = text.trim().strip_prefix(Target::PATH)?;
    let help = || "pass the folder of the prime-rl clone".to_owned();
    let checkout = folder.join(path);
    if named_by == NamedBy::Text && !may_be_named(system, folder, &checkout) {
        let message = format!("`{}` is neither in this repository nor a git clone of prime-rl", text.trim());
        let help = format!("pass it on the command line if you trust it: `--target {}{}`", Target::PATH, checkout.display());
        return Some(Err((message, help)));
    }
    Some(match read_own(system, &checkout, base_of(system, &checkout)) {
        Some(Ok(own)) => Ok(own.target(text.trim())),
        Some(Err(error)) => Err((format!("the config classes of {} can't be read: {error}", checkout.display()), help())),
        None => Err((format!("no prime-rl found in {}", checkout.display()), help())),
    })
}

/// Where a target is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// By the user, on the command line.
    User,
    /// In a file of a repository: its settings, or a config.
    Text,
}
