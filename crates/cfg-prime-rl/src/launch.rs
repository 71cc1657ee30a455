//! What starts a run: several files, or a command with arguments.

use cfg_check::Command;

use crate::{Config, Kind};

/// A launch of several files, or a launch command. The files are those of a [`Checker`](crate::Checker).
///
/// ```
/// use cfg_prime_rl::{Checker, Launch};
///
/// let base = "max_steps = 20\n[trainer]\n[orchestrator]\n";
/// let over = "max_steps = 40\n";
/// let checker = Checker::with_files([("base.toml", base), ("over.toml", over)]);
///
/// let launch = Launch::files(["base.toml", "over.toml"]).target("0.4.0");
/// assert!(checker.check_launch(&launch)?.is_ok());
/// let compiled = checker.compile_launch(&launch)?;
/// assert_eq!(compiled.value("trainer.max_steps").map(|value| value.value.clone()), Some(40.into()));
///
/// let launch = Launch::command(["uv", "run", "rl", "@", "base.toml", "--max-stepss", "5"]).target("0.4.0");
/// assert!(!checker.check_launch(&launch)?.is_ok());
/// # Ok::<(), cfg_prime_rl::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    pub(crate) words: Vec<String>,
    /// Whether the words are files alone.
    pub(crate) is_files: bool,
    pub(crate) config: Config<'a>,
}

impl<'a> Launch<'a> {
    /// Files, in the order in which they are merged.
    pub fn files(paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { words: paths.into_iter().map(Into::into).collect(), is_files: true, config: Config::new("") }
    }

    /// The words of a launch command, such as `uv run rl @ a.toml --max-steps 5`.
    pub fn command(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), is_files: false, config: Config::new("") }
    }

    pub(crate) fn command_of(&self) -> Command<'_> {
        if self.is_files { Command::Files(&self.words) } else { Command::Words(&self.words) }
    }

    /// As [`Config::target`].
    #[must_use]
    pub fn target(self, target: &'a str) -> Self {
        Self { config: self.config.target(target), ..self }
    }

    /// As [`Config::kind`].
    #[must_use]
    pub fn kind(self, kind: Kind) -> Self {
        Self { config: self.config.kind(kind), ..self }
    }

    /// As [`Config::gpu`].
    #[must_use]
    pub fn gpu(self, gpu: &'a str) -> Self {
        Self { config: self.config.gpu(gpu), ..self }
    }

    /// As [`Config::select`].
    #[must_use]
    pub fn select(self, select: &'a [&'a str]) -> Self {
        Self { config: self.config.select(select), ..self }
    }

    /// As [`Config::ignore`].
    #[must_use]
    pub fn ignore(self, ignore: &'a [&'a str]) -> Self {
        Self { config: self.config.ignore(ignore), ..self }
    }
}
