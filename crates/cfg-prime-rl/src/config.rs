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
    pub(crate) select: &'a [&'a str],
    pub(crate) ignore: &'a [&'a str],
}

impl<'a> Config<'a> {
    /// A text without further statements: its keys and its metadata determine the rest.
    pub const fn new(text: &'a str) -> Self {
        Self { text, path: "config.toml", target: None, kind: None, gpu: None, select: &[], ignore: &[] }
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

    /// The findings that are reported, as `cfg check --select` takes them: codes, their beginnings or names. Errors of prime-rl itself always are.
    #[must_use]
    pub const fn select(self, select: &'a [&'a str]) -> Self {
        Self { select, ..self }
    }

    /// The findings that are not reported, as `cfg check --ignore` takes them.
    ///
    /// ```
    /// use cfg_prime_rl::{Checker, Config};
    ///
    /// let text = "[trainer.optim]\nmomentum = 0.9\n[orchestrator]\n";
    /// let config = Config::new(text).target("0.4.0");
    /// let checker = Checker::default();
    /// let has = |config: Config<'_>| Ok::<_, cfg_prime_rl::Error>(checker.check(&config)?.findings.iter().any(|found| found.code == "PRL102"));
    /// assert!(has(config)?);
    /// assert!(!has(config.ignore(&["ignored-key"]))?);
    /// # Ok::<(), cfg_prime_rl::Error>(())
    /// ```
    #[must_use]
    pub const fn ignore(self, ignore: &'a [&'a str]) -> Self {
        Self { ignore, ..self }
    }
}
