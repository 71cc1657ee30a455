//! Checks that the launched files are registered versions, so that the run can be traced to its config.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

/// The registered version of a launched file.
pub enum Registered {
    /// The file is identical to this version: `configs/rl.toml:v3`.
    Is(String),
    /// The file is identical to no version.
    Unknown {
        /// The path of the file.
        file: String,
        /// The path of the registry.
        registry: String,
        /// The current version of the file according to the registry.
        current: Option<String>,
    },
}

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if situation.run.registered.is_empty() {
        return Answer::NotNeeded("no registry.json found");
    }
    let (mut found, mut fine) = (Vec::new(), Vec::new());
    for registered in situation.run.registered {
        match registered {
            Registered::Is(name) => fine.push(name.as_str()),
            Registered::Unknown { file, registry, current } => {
                let what = match current {
                    Some(current) => format!("differs from its version {current} and from all others"),
                    None => "is not a registered version".to_owned(),
                };
                let message = format!("{file} {what} in {registry}, so the run could not be traced to a config");
                let help = format!(
                    "register it with `cfg bump {} -m \"what is new\"`, or launch the registered file",
                    cfg_diag::word(file)
                );
                found.push(Diagnostic::new(&codes::UNREGISTERED_CONFIG, message).help(help));
            }
        }
    }
    Answer::of(found, || fine.join(", "))
}
