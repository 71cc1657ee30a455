//! What `--kind` states: a kind of prime-rl's, or a script of the project.

use cfg_schema::{Entrypoint, Kind};

use super::Common;

pub(super) fn parse_kind(text: &str) -> Result<StatedKind, String> {
    let is_script = |text: &str| {
        let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.bytes().all(of_name)
    };
    // An entrypoint may have had another name.
    let of_another_name = || Entrypoint::named(text).find_map(|entry| entry.kind);
    text.parse()
        .or_else(|why: String| of_another_name().ok_or(why))
        .map(StatedKind::Known)
        .or_else(|why| if is_script(text) { Ok(StatedKind::Script(text.into())) } else { Err(why) })
}

/// What `--kind` states.
#[derive(Clone)]
pub(crate) enum StatedKind {
    /// An entrypoint of prime-rl, or hosted training.
    Known(Kind),
    /// Another name: that of a script of the project, if it has one.
    Script(Box<str>),
}

impl Common {
    /// The kind that the user states, if it is one of prime-rl's.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self.kind {
            Some(StatedKind::Known(kind)) => Some(kind),
            _ => None,
        }
    }

    /// The name that the user states in place of a kind.
    pub(crate) fn script(&self) -> Option<&str> {
        match &self.kind {
            Some(StatedKind::Script(name)) => Some(name),
            _ => None,
        }
    }

    /// Whether the user states what a config is.
    pub(crate) fn states_kind(&self) -> bool {
        self.kind.is_some()
    }
}
