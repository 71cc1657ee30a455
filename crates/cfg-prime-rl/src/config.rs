//! The subject of a question.

use cfg_schema::Kind;

/// A config, with what its user states.
///
/// ```
/// use cfg_prime_rl::{Checker, Config, Kind};
///
/// let config = Config::new("[model]\n").path("configs/train.toml").target("0.4.0").kind(Kind::Trainer);
/// assert_eq!(Checker::default().check(&config)?.kind, Some(Kind::Trainer));
/// # Ok::<(), cfg_prime_rl::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    pub(crate) text: &'a str,
    pub(crate) path: &'a str,
    pub(crate) target: Option<&'a str>,
    pub(crate) kind: Option<Kind>,
    pub(crate) gpu: Option<&'a str>,
}

impl<'a> Config<'a> {
    /// A text without further statements: its keys and its metadata determine the rest.
    pub const fn new(text: &'a str) -> Self {
        Self { text, path: "config.toml", target: None, kind: None, gpu: None }
    }

    /// The path of its file: it may show the kind, and findings contain it.
    #[must_use]
    pub const fn path(self, path: &'a str) -> Self {
        Self { path, ..self }
    }

    /// The target: a release (`0.4.0`), a commit, a date (`2026-01-06`) or `main`.
    #[must_use]
    pub const fn target(self, target: &'a str) -> Self {
        Self { target: Some(target), ..self }
    }

    /// The entrypoint.
    #[must_use]
    pub const fn kind(self, kind: Kind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// The machine: `2x H100`.
    #[must_use]
    pub const fn gpu(self, gpu: &'a str) -> Self {
        Self { gpu: Some(gpu), ..self }
    }
}
