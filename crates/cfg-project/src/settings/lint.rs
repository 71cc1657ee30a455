//! Which findings a project wants to see, and with which severity.

use std::{cmp::Reverse, path::Path, str::FromStr};

use cfg_diag::{Code, Diagnostic, Severity, Span};

use crate::{Selector, SettingPlace, Sourced, pattern_set::PatternBelow};

/// The settings of `[lint]`.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// `select`: the only wanted findings; all if it is not set.
    pub select: Option<Vec<Sourced<Selector>>>,
    /// `ignore`: unwanted findings.
    pub ignore: Option<Vec<Sourced<Selector>>>,
    /// `per-file-ignores`: unwanted findings in certain files.
    pub per_file_ignores: Vec<PerFileIgnore>,
    /// `severities`: the severities of findings.
    pub severities: Vec<SettingOfLevel>,
}

/// An entry of `per-file-ignores`.
#[derive(Clone, Debug)]
pub struct PerFileIgnore {
    /// The pattern as written, with its place. It is relative to the folder of its settings file.
    pub pattern: Sourced<String>,
    /// The findings that are unwanted in these files.
    pub selectors: Vec<Sourced<Selector>>,
    pub(crate) matcher: PatternBelow,
}

/// An entry of `severities`.
#[derive(Clone, Debug)]
pub struct SettingOfLevel {
    /// The findings that it applies to.
    pub selector: Selector,
    /// The severity, with its place.
    pub level: Sourced<Level>,
}

/// A severity, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is not shown.
    Off,
    /// It is shown with this severity.
    On(Severity),
}

impl Level {
    /// The names of all levels in settings.
    pub const NAMES: [&'static str; 4] = ["error", "warning", "info", "off"];
}

impl FromStr for Level {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "error" => Ok(Self::On(Severity::Error)),
            "warning" => Ok(Self::On(Severity::Warning)),
            "info" => Ok(Self::On(Severity::Info)),
            "off" => Ok(Self::Off),
            _ => Err(()),
        }
    }
}

impl Lint {
    /// The severity of a finding with `code` in `file`, an absolute path; `None` if it is not wanted. `usual` is its severity without settings.
    ///
    /// Of `select` and `ignore`, the more specific selector decides, and `ignore` if both are equally specific. A severity only changes the
    /// remaining findings.
    pub fn severity(&self, code: Code, usual: Severity, file: &Path) -> Option<Severity> {
        let narrowest = |selectors: &[Sourced<Selector>]| {
            selectors.iter().filter(|entry| entry.value.matches(code)).map(|entry| entry.value.specificity()).max()
        };
        let selected = self.select.as_deref().map_or(Some(0), narrowest)?;
        if self.ignore.as_deref().and_then(narrowest).is_some_and(|ignored| ignored >= selected) {
            return None;
        }
        let ignored_here =
            |entry: &PerFileIgnore| entry.selectors.iter().any(|selector| selector.value.matches(code)) && entry.matches(file);
        if self.per_file_ignores.iter().any(ignored_here) {
            return None;
        }
        let levels = self.severities.iter().filter(|entry| entry.selector.matches(code));
        // The most specific one; of several, the first, because those of nearer files come first.
        match levels.min_by_key(|entry| Reverse(entry.selector.specificity())).map(|entry| entry.level.value) {
            Some(Level::Off) => None,
            Some(Level::On(severity)) => Some(severity),
            None => Some(usual),
        }
    }

    /// Removes the unwanted findings of a file, and sets the severities of the others.
    pub fn apply(&self, file: &Path, diagnostics: &mut Vec<Diagnostic>) {
        self.apply_except(file, diagnostics, |_| false);
    }

    /// As [`Self::apply`], but keeps findings for which `stays` returns true, even if they are unwanted.
    pub fn apply_except(&self, file: &Path, diagnostics: &mut Vec<Diagnostic>, stays: impl Fn(&Diagnostic) -> bool) {
        diagnostics.retain_mut(|diagnostic| {
            let severity = self.severity(diagnostic.code, diagnostic.severity, file);
            diagnostic.severity = severity.unwrap_or(diagnostic.severity);
            severity.is_some() || stays(diagnostic)
        });
    }

    /// These settings combined with those of the command line: its selection replaces `select` and `ignore`, and its ignored codes are added.
    #[must_use]
    pub fn with_command_line(&self, select: &[Selector], ignore: &[Selector]) -> Self {
        let place = || SettingPlace { path: Path::new("").into(), span: Span::default(), line: 0 };
        let sourced = |selectors: &[Selector]| -> Vec<Sourced<Selector>> {
            selectors.iter().map(|selector| Sourced::new(selector.clone(), place())).collect()
        };
        let mut lint = self.clone();
        if !select.is_empty() {
            lint.select = Some(sourced(select));
            lint.ignore = None;
        }
        if !ignore.is_empty() {
            lint.ignore.get_or_insert_default().extend(sourced(ignore));
        }
        lint
    }

    pub(super) fn inherit(&mut self, outer: &Self) {
        super::inherit(&mut self.select, outer.select.as_ref());
        super::inherit(&mut self.ignore, outer.ignore.as_ref());
        for entry in &outer.per_file_ignores {
            let same = |own: &PerFileIgnore| own.pattern.value == entry.pattern.value && own.folder() == entry.folder();
            if !self.per_file_ignores.iter().any(same) {
                self.per_file_ignores.push(entry.clone());
            }
        }
        for entry in &outer.severities {
            if !self.severities.iter().any(|own| own.selector == entry.selector) {
                self.severities.push(entry.clone());
            }
        }
    }
}

impl PerFileIgnore {
    /// Whether the pattern matches `file`, an absolute path. A pattern without a slash matches files of that name in any folder.
    pub fn matches(&self, file: &Path) -> bool {
        self.matcher.matches(file, self.folder())
    }

    fn folder(&self) -> &Path {
        self.pattern.place.folder()
    }
}
