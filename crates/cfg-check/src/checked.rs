//! What a check returns.

use std::sync::Arc;

use cfg_diag::{Diagnostic, Verdict, codes};
use cfg_project::{OwnClasses, Patches};
use cfg_resolve::{Checks, Names, ResolvedTable, loader};
use cfg_schema::{Kind, Packages, Target};

use crate::{OfVerifiers, check::is_refusal, overlay, split::SplitText, target::Settled};

/// How certain it is that the config is for its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The user, the file, or the project around it states it.
    Stated,
    /// None is stated: it is the newest release.
    NewestRelease,
    /// None is stated: it is the newest release on the day of the file's last commit.
    NewestOn(String),
    /// None is stated: it knows the most keys of the file, but no prime-rl accepts the whole file.
    MostKeys,
    /// The project uses an unknown prime-rl. The target is only a substitute, and no finding may depend on it.
    Unknown,
}

/// A checked config.
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct Checked {
    /// Its kind, if known.
    pub kind: Option<Kind>,
    /// Its role, if it is a file of verifiers' own evaluations.
    pub of_verifiers: Option<OfVerifiers>,
    /// The name of the program, if this is the command of a program other than prime-rl.
    pub of_other: Option<&'static str>,
    /// The name of its dialect, if its project declares it to be a config of another program.
    pub of_dialect: Option<Box<str>>,
    /// Whether it is a prime-rl config at all, or one of verifiers' own evaluations.
    pub is_config: bool,
    /// The prime-rl for which it was checked.
    pub target: Target,
    /// The classes of that prime-rl, if its sources are available.
    pub own: Option<Arc<OwnClasses>>,
    /// The packages around it, whose classes it can name by an `id`.
    pub packages: Option<Arc<dyn Packages>>,
    /// The patches around it, which may change that prime-rl.
    pub patches: Patches,
    /// Whether that target is stated, assumed, or a substitute for an unknown one.
    pub certainty: Certainty,
    /// Whether a prime-rl that is newer than the history, or patched, may accept what the known one refuses.
    pub is_open: bool,
    /// That prime-rl's answer.
    pub verdict: Verdict,
    /// Whether the verdict is open only because of decisions of installed packages.
    pub is_left_to_packages: bool,
    /// Whether it only overrides another config, and prime-rl accepts the two together.
    pub is_accepted_with_base: bool,
    /// The names with which prime-rl's own checks ran; `None` if they did not run.
    pub names: Option<Names>,
    /// Why the results of some of these checks are unknown, without duplicates.
    pub undecided: Vec<String>,
    /// The findings, without those that the file's comments ignore: what prime-rl reports at once, what it reports later, then all others in the order
    /// of the file. A text that can't be read comes before all.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of findings that the file's comments ignore. Errors of prime-rl among them still count for the verdict.
    pub ignored: usize,
    /// The resolved config, if the kind is known.
    pub resolved: Option<ResolvedTable>,
    /// Whether it names further files in `toml_files`, which its prime-rl would read: then this file is only a part of the config;
    /// [`check_command`](crate::check_command) checks all of it.
    pub has_includes: bool,
    /// The name of a target that suits the config better, if no target was stated.
    pub better_target: Option<String>,
    /// The other files of its run, if the processes are started separately: findings may point into them.
    pub split: Vec<SplitText>,
}

impl Checked {
    /// Whether its target is stated.
    pub fn is_stated(&self) -> bool {
        self.certainty == Certainty::Stated
    }

    /// Whether its target was assumed because none is stated.
    pub fn is_assumed(&self) -> bool {
        !self.is_stated() && !self.is_unknown()
    }

    /// Whether the project's own prime-rl is unknown: then nothing that depends on it is reported.
    pub fn is_unknown(&self) -> bool {
        self.certainty == Certainty::Unknown
    }

    /// Removes findings that exist only because it is a part of another config. Without a `base` that completes it, one finding says so. But if the
    /// user `named` the file and only one table is missing, that table was probably forgotten.
    pub fn leave_open(&mut self, path: &str, base: Option<&str>, named: bool) {
        if base.is_none() && named && overlay::lacks_one(&self.diagnostics) {
            return;
        }
        overlay::leave_open(&mut self.diagnostics, self.kind, path, base);
        // prime-rl refuses it on its own, but it is used together with its base.
        if self.verdict == Verdict::Ok || !self.diagnostics.iter().any(is_refusal) {
            self.verdict = Verdict::Depends;
            self.is_accepted_with_base = base.is_some();
        }
    }

    /// Whether it can't be checked alone, and may be a part of another config: a table of the root is missing, or its kind is unknown.
    pub fn is_fragment(&self) -> bool {
        // Hosted training does not merge files.
        !self.kind.is_some_and(Kind::is_hosted) && overlay::is_fragment(&self.diagnostics)
    }

    /// The number of prime-rl's own checks that apply to it, if they were run.
    pub fn checks(&self) -> Option<Checks> {
        let (names, resolved) = (self.names.as_ref()?, self.resolved.as_ref()?);
        Some(cfg_resolve::checks(self.target.schema(self.kind?), names, resolved))
    }

    /// Its purpose: its entrypoint, or its role for verifiers.
    pub fn kind_name(&self) -> Option<&'static str> {
        self.of_verifiers
            .as_ref()
            .map(|of| of.file.name())
            .or(self.of_other)
            .or(self.of_dialect.as_ref().map(|_| "dialect"))
            .or(self.kind.map(Kind::name))
    }

    /// The name of the prime-rl for which it was checked; `None` if unknown, or if no prime-rl reads it.
    pub fn target_name(&self) -> Option<&str> {
        let is_of_other = self.of_verifiers.is_some() || self.of_other.is_some() || self.of_dialect.is_some();
        (!self.is_unknown() && !is_of_other).then_some(self.target.name.as_str())
    }

    /// Whether prime-rl accepts it, if the packages that it names are as assumed.
    pub fn is_accepted(&self) -> bool {
        let is_valid = || self.resolved.as_ref().is_some_and(|resolved| resolved.is_valid);
        self.verdict == Verdict::Ok || self.is_left_to_packages || self.is_accepted_with_base || self.is_unknown() && is_valid()
    }

    /// Whether it may be a part of another config: all tables of the root that a complete one needs are missing, or one of them is, or its kind is
    /// unknown, or a table has keys of a variant that it does not select. `false` if its text can't be parsed.
    pub fn is_part(&self) -> bool {
        let is_readable = || self.diagnostics.iter().all(|diagnostic| diagnostic.code.code >= codes::UNSUPPORTED_FILE.code);
        let is_open = self.is_fragment() || overlay::has_key_of_other_variant(&self.diagnostics);
        self.is_config && is_open && !self.has_includes && self.better_target.is_none() && is_readable()
    }

    /// Whether prime-rl would read a config that includes this one by `toml_files`: this one is not complete, and the target supports such includes.
    pub fn may_be_part(&self) -> bool {
        self.is_fragment() && (!self.is_stated() || loader::at(self.target.point).includes)
    }

    /// A result for which only the target is known.
    pub(crate) fn unchecked(settled: Settled) -> Self {
        let Settled { target, certainty, own, packages, patches } = settled;
        Self {
            kind: None,
            of_verifiers: None,
            of_other: None,
            of_dialect: None,
            is_config: true,
            target,
            own,
            packages,
            patches,
            certainty,
            is_open: false,
            verdict: Verdict::Ok,
            is_left_to_packages: false,
            is_accepted_with_base: false,
            names: None,
            undecided: Vec::new(),
            diagnostics: Vec::new(),
            ignored: 0,
            resolved: None,
            has_includes: false,
            better_target: None,
            split: Vec::new(),
        }
    }
}
