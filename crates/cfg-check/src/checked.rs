//! What a check returns.

use std::{path::Path, sync::Arc};

use cfg_diag::{Code, Diagnostic, Severity, Verdict, codes};
use cfg_project::{OwnClasses, Patches};
use cfg_resolve::{Checks, Names, ResolvedTable, loader};
use cfg_schema::{Kind, Packages, Target};

use crate::{Certainty, OfScript, OfVerifiers, ahead::LaterNames, identity::version::Settled, overlay, split::SplitText};

/// A checked config.
#[expect(clippy::struct_excessive_bools, reason = "each answers its own question")]
pub struct Checked {
    /// Its kind, if known.
    pub kind: Option<Kind>,
    /// The kinds that it may be of, if it fits several alike.
    pub kinds: Vec<Kind>,
    /// Its role, if it is a file of verifiers' own evaluations.
    pub of_verifiers: Option<OfVerifiers>,
    /// The name of the program, if this is the command of a program other than prime-rl.
    pub of_other: Option<&'static str>,
    /// The project's own program that reads it, if that is none of prime-rl's.
    pub of_script: Option<OfScript>,
    /// The name of its dialect, if its project declares it to be a config of another program.
    pub of_dialect: Option<Box<str>>,
    /// Whether it is a prime-rl config at all, or one of verifiers' own evaluations.
    pub is_config: bool,
    /// Why it may be a config all the same, if it was found in a folder and has no signs of one.
    pub doubt: Option<Doubt>,
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
    /// Whether the verdict is open only because of decisions of installed packages, or because another file or a flag must add an environment.
    pub is_left_to_others: bool,
    /// Whether it only overrides another config, and prime-rl accepts the two together.
    pub is_accepted_with_base: bool,
    /// The files with which it was checked, because it only overrides them.
    pub bases: Vec<String>,
    /// How scripts of its project start it with flags, in words, if a command has looked for that.
    pub started: Option<Box<str>>,
    /// What keys are called in a prime-rl after the last known commit, if it is for one.
    pub later_names: LaterNames,
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
    /// The other files of its run, if the processes are started separately: findings may point into them.
    pub split: Vec<SplitText>,
}

impl Checked {
    /// Whether its target is stated: by the user, the file, or the project around it.
    pub const fn is_stated(&self) -> bool {
        matches!(self.certainty, Certainty::Stated | Certainty::Read(_))
    }

    /// Whether its target was assumed or inferred because none is stated.
    pub fn is_assumed(&self) -> bool {
        !self.is_stated() && !self.is_unknown()
    }

    /// Whether the user may run a prime-rl that is newer than the target: nothing states one, and nothing shows an older one.
    pub fn may_be_newer(&self) -> bool {
        let newest = || self.target.history.releases().next_back().map(cfg_schema::Tag::point);
        match &self.certainty {
            Certainty::Assumed(day) => day.is_none(),
            Certainty::Inferred(_) => newest().is_none_or(|newest| self.target.point >= newest),
            _ => false,
        }
    }

    /// Whether its keys show another prime-rl than the one that would have been assumed, and no day confirms it.
    pub fn is_for_another(&self) -> bool {
        matches!(&self.certainty, Certainty::Inferred(inference) if !inference.is_of_its_day)
    }

    /// Whether the project's own prime-rl is unknown: then nothing that depends on it is reported.
    pub fn is_unknown(&self) -> bool {
        self.certainty == Certainty::Unknown
    }

    /// Removes findings that exist only because it overrides another config that nothing names; one finding says so. `stated` are the files that it names
    /// as its base and that are not there.
    pub(crate) fn leave_open(&mut self, path: &str, stated: &[String]) {
        overlay::leave_open(&mut self.diagnostics, self.kind, path, stated);
        // prime-rl refuses it on its own, but it is used together with its base.
        if self.verdict == Verdict::Ok || !self.diagnostics.iter().any(Diagnostic::is_refusal) {
            self.verdict = Verdict::Depends;
        }
    }

    /// Whether it is not a complete config, and may be a part of another one: a table of the root is missing.
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
    pub fn kind_name(&self) -> Option<&str> {
        if let Some(of) = &self.of_script {
            // A name that prime-rl has means that kind.
            return Some(if of.name.parse::<Kind>().is_ok() { Kind::Script.name() } else { &of.name });
        }
        self.of_verifiers
            .as_ref()
            .map(|of| of.file.name())
            .or(self.of_other)
            .or(self.of_dialect.as_ref().map(|_| "dialect"))
            .or(self.kind.map(Kind::name))
    }

    /// The name of the prime-rl for which it was checked; `None` if unknown, or if no prime-rl reads it.
    pub fn target_name(&self) -> Option<&str> {
        (!self.is_unknown() && !self.is_of_other()).then_some(self.target.name.as_str())
    }

    /// Whether a prime-rl reads it, so that its target says something.
    pub const fn is_of_prime_rl(&self) -> bool {
        self.is_config && !self.is_of_other()
    }

    /// What it is, for which prime-rl, and how certain that is; paths are relative to the folder `here`: `an rl config for prime-rl 0.4.0 (stated)`.
    pub fn identity(&self, here: &Path) -> String {
        let kind = match (self.kind_name(), self.kinds.as_slice()) {
            (Some(_), _) if self.of_script.is_none() && self.kind.is_some_and(|kind| !kind.is_hosted()) => {
                self.kind.map(|kind| format!("{} config", kind.with_article())).unwrap_or_default()
            }
            _ if let Some(of) = self.of_own_program() => return format!("a config {of}"),
            (Some(name), _) => format!("a file for {}", cfg_diag::one_line(name)),
            (None, []) => "a file of unknown kind".to_owned(),
            (None, kinds) => format!("a config for {}", kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" or ")),
        };
        match (self.target_in_words(here), self.certainty.why(here)) {
            (Some(_), why) if self.own.is_none() && !self.is_of_other() => {
                format!("{kind} for prime-rl {} ({why})", self.target)
            }
            (Some(target), _) => format!("{kind} for {target}"),
            (None, _) => kind,
        }
    }

    /// The prime-rl for which it was checked, and how certain that is, in short; paths are relative to the folder `here`. For a file that another
    /// program reads, that program; `None` if it is not checked.
    pub fn target_in_words(&self, here: &Path) -> Option<String> {
        if let Some(of) = &self.of_verifiers {
            return Some(of.verifiers.clone());
        }
        if self.of_other.is_some() {
            return None;
        }
        if let Some(of) = &self.of_script {
            return Some(format!("`{}` ({})", cfg_diag::one_line(&of.name), cfg_diag::one_line(&of.class)));
        }
        if let Some(name) = &self.of_dialect {
            return Some(format!("the dialect {}", cfg_diag::one_line(name)));
        }
        if let Some(own) = self.own.as_ref().filter(|_| self.is_config) {
            return Some(own.in_words(&self.target, here));
        }
        let target = &self.target;
        self.is_config.then(|| match &self.certainty {
            Certainty::Unknown => "an unknown prime-rl".to_owned(),
            Certainty::Assumed(Some(_)) => format!("prime-rl {target} ({})", self.certainty.why(here)),
            Certainty::Assumed(None) => format!("prime-rl {target} (assumed)"),
            Certainty::Inferred(inference) if inference.is_accepted => format!("prime-rl {target} (inferred from the keys)"),
            Certainty::Inferred(_) => format!("prime-rl {target} (inferred: it has the most keys of the file)"),
            Certainty::Newer(day) => format!("a prime-rl of {}, newer than this cfg knows", day.day),
            Certainty::Ahead(..) => "a prime-rl newer than this cfg knows".to_owned(),
            Certainty::Stated | Certainty::Read(_) => format!("prime-rl {target}"),
        })
    }

    /// What of it was not checked, in words: `only its syntax was checked`; `None` if everything was.
    pub fn what_is_unchecked(&self) -> Option<&'static str> {
        let has = |code: Code| self.diagnostics.iter().any(|found| found.code == code);
        if has(&codes::UNCHECKED_KIND) {
            Some("only its syntax was checked")
        } else if has(&codes::UNKNOWN_KIND) && self.kinds.is_empty() {
            Some("not checked")
        } else if has(&codes::UNKNOWN_KIND) {
            Some("only errors that hold for each of its kinds are reported")
        } else if has(&codes::UNKNOWN_BASE) {
            Some("only its keys were checked")
        } else if !self.is_config {
            Some("not checked")
        } else {
            None
        }
    }

    /// On what the verdict depends, if no finding of at least a warning says so.
    pub fn depends_on(&self) -> Option<&'static str> {
        let has = |code: Code| self.diagnostics.iter().any(|found| found.code == code);
        if self.verdict != Verdict::Depends || !self.bases.is_empty() {
            None
        } else if has(&codes::PLUGIN_DECIDES) {
            Some("installed packages")
        } else if self.diagnostics.iter().any(needs_environment) {
            Some("another file or a flag that adds an environment")
        } else if has(&codes::CHANGED_CHECK) {
            Some("checks that their prime-rl has changed")
        } else if has(&codes::PATCHED_PRIME_RL) {
            Some("patches of their prime-rl")
        } else {
            None
        }
    }

    /// The program of its project that reads it, if it is none of prime-rl's: "of `train` (Config of src/config.py:3)".
    pub fn of_own_program(&self) -> Option<String> {
        let of = self.of_script.as_ref()?;
        Some(format!("of `{}` ({})", cfg_diag::one_line(&of.name), cfg_diag::one_line(&of.class)))
    }

    /// Whether a program other than prime-rl reads it.
    pub const fn is_of_other(&self) -> bool {
        self.of_verifiers.is_some() || self.of_other.is_some() || self.of_script.is_some() || self.of_dialect.is_some()
    }

    /// Whether prime-rl accepts it, if the packages that it names are as assumed.
    pub fn is_accepted(&self) -> bool {
        let is_valid = || self.resolved.as_ref().is_some_and(|resolved| resolved.is_valid);
        let is_of_inferred = || self.is_for_another() && self.verdict == Verdict::Depends && !self.is_open;
        self.verdict == Verdict::Ok
            || self.is_left_to_others
            || self.is_accepted_with_base
            || (self.is_unknown() || is_of_inferred()) && is_valid()
    }

    /// Whether it may be a part of another config: tables of the root that a complete one needs are missing, or its kind is unclear, or a table has keys of
    /// a variant that it does not select. `false` if its text can't be parsed.
    pub fn is_part(&self) -> bool {
        let is_readable = || self.diagnostics.iter().all(|diagnostic| diagnostic.code.code >= codes::UNSUPPORTED_FILE.code);
        let is_unclear = !self.kinds.is_empty();
        let is_open = is_unclear || self.is_fragment() || overlay::has_key_of_other_variant(&self.diagnostics);
        self.is_config && is_open && !self.has_includes && is_readable()
    }

    /// Whether prime-rl would read a config that includes this one by `toml_files`: this one is not complete, or its kind is unclear, and the target supports
    /// such includes.
    pub fn may_be_part(&self) -> bool {
        (self.is_fragment() || !self.kinds.is_empty()) && (!self.is_stated() || loader::at(self.target.point).includes)
    }

    /// A result without findings, for the same target.
    pub(crate) fn as_before(&self) -> Self {
        Self::unchecked(Settled {
            target: self.target.clone(),
            certainty: self.certainty.clone(),
            own: self.own.clone(),
            packages: self.packages.clone(),
            patches: self.patches.clone(),
        })
    }

    /// A result for which only the target is known.
    pub(crate) fn unchecked(settled: Settled) -> Self {
        let Settled { target, certainty, own, packages, patches } = settled;
        Self {
            kind: None,
            kinds: Vec::new(),
            of_verifiers: None,
            of_other: None,
            of_script: None,
            of_dialect: None,
            is_config: true,
            doubt: None,
            target,
            own,
            packages,
            patches,
            certainty,
            is_open: false,
            verdict: Verdict::Ok,
            is_left_to_others: false,
            is_accepted_with_base: false,
            bases: Vec::new(),
            started: None,
            later_names: LaterNames::default(),
            names: None,
            undecided: Vec::new(),
            diagnostics: Vec::new(),
            ignored: 0,
            resolved: None,
            has_includes: false,
            split: Vec::new(),
        }
    }
}

/// Why a file may be a config although it has no signs of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Its keys fit, but are those of many programs.
    CommonKeys,
    /// It can't be read as TOML, so what it is for is unknown.
    NotToml,
}

/// Whether a finding says that another file or a flag must add an environment.
pub(crate) fn needs_environment(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == &codes::NO_TRAINING_ENVIRONMENT && diagnostic.severity == Severity::Info
}
