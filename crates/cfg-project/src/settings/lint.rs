//! Which findings a project wants to see, and with which severity.

use std::{cmp::Reverse, path::Path, str::FromStr};

use cfg_diag::{Code, Diagnostic, Severity, Span};

use super::PathPattern;
use crate::{Selector, SettingPlace, Sourced};

/// The settings of `[lint]`.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// `select`: the only wanted findings; all if it is not set.
    pub select: Option<Vec<Sourced<Selector>>>,
    /// `ignore`: unwanted findings.
    pub ignore: Option<Vec<Sourced<Selector>>>,
    /// `extend-select`: wanted findings beside those of `select`.
    pub extend_select: Vec<Sourced<Selector>>,
    /// `extend-ignore`: unwanted findings beside those of `ignore`.
    pub extend_ignore: Vec<Sourced<Selector>>,
    /// `per-file-ignores`: unwanted findings in certain files.
    pub per_file_ignores: Vec<PerFile<Vec<Sourced<Selector>>>>,
    /// `per-file-selects`: findings that are wanted in certain files, whatever is unwanted elsewhere.
    pub per_file_selects: Vec<PerFile<Vec<Sourced<Selector>>>>,
    /// `severities`: the severities of findings.
    pub severities: Vec<SettingOfLevel>,
    /// `per-file-severities`: the severities of findings in certain files.
    pub per_file_severities: Vec<PerFile<Vec<SettingOfLevel>>>,
}

/// A setting for certain files.
#[derive(Clone, Debug)]
pub struct PerFile<T> {
    /// The files.
    pub files: PathPattern,
    /// The setting.
    pub value: T,
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
    /// Of what selects and what ignores, the more specific selector decides, and the ignoring one if both are equally specific; first those for this
    /// file, then the others. A severity only changes the remaining findings.
    pub fn severity(&self, code: Code, usual: Severity, file: &Path) -> Option<Severity> {
        if !self.is_wanted(code, file) {
            return None;
        }
        let here = self.per_file_severities.iter().filter(|entry| entry.value.iter().any(|level| level.selector.matches(code)));
        let here: Vec<&SettingOfLevel> = here.filter(|entry| entry.files.matches(file)).flat_map(|entry| &entry.value).collect();
        match level(code, here).or_else(|| level(code, &self.severities)) {
            Some(Level::Off) => None,
            Some(Level::On(severity)) => Some(severity),
            None => Some(usual),
        }
    }

    fn is_wanted(&self, code: Code, file: &Path) -> bool {
        let of_file = |entries: &[PerFile<Vec<Sourced<Selector>>>]| {
            let having = entries.iter().filter_map(|entry| Some((entry, narrowest(code, &entry.value)?)));
            having.filter(|(entry, _)| entry.files.matches(file)).map(|(_, narrow)| narrow).max()
        };
        match (of_file(&self.per_file_selects), of_file(&self.per_file_ignores)) {
            (Some(selected), ignored) if ignored.is_none_or(|ignored| selected > ignored) => return true,
            (_, Some(_)) => return false,
            _ => {}
        }
        let selected = self.select.as_deref().map_or(Some(0), |select| narrowest(code, select));
        let Some(selected) = selected.max(narrowest(code, &self.extend_select)) else { return false };
        let ignored = self.ignore.as_deref().and_then(|ignore| narrowest(code, ignore));
        ignored.max(narrowest(code, &self.extend_ignore)).is_none_or(|ignored| ignored < selected)
    }

    /// Removes the unwanted findings of a file, and sets the severities of the others.
    pub fn apply(&self, file: &Path, diagnostics: &mut Vec<Diagnostic>) {
        self.apply_except(file, diagnostics, |_| false);
    }

    /// Whether any finding gets another severity than its own.
    pub const fn sets_severities(&self) -> bool {
        !self.severities.is_empty() || !self.per_file_severities.is_empty()
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
            (lint.extend_select, lint.extend_ignore) = (Vec::new(), Vec::new());
        }
        if !ignore.is_empty() {
            lint.ignore.get_or_insert_default().extend(sourced(ignore));
        }
        lint
    }

    pub(super) fn inherit(&mut self, outer: &Self) {
        // A list of a nearer file replaces the outer one, with what the outer files have added to it.
        if self.select.is_none() {
            self.select.clone_from(&outer.select);
            self.extend_select.extend(outer.extend_select.iter().cloned());
        }
        if self.ignore.is_none() {
            self.ignore.clone_from(&outer.ignore);
            self.extend_ignore.extend(outer.extend_ignore.iter().cloned());
        }
        inherit(&mut self.per_file_ignores, &outer.per_file_ignores);
        inherit(&mut self.per_file_selects, &outer.per_file_selects);
        inherit(&mut self.per_file_severities, &outer.per_file_severities);
        for entry in &outer.severities {
            if !self.severities.iter().any(|own| own.selector == entry.selector) {
                self.severities.push(entry.clone());
            }
        }
    }
}

fn inherit<T: Clone>(own: &mut Vec<PerFile<T>>, outer: &[PerFile<T>]) {
    for entry in outer {
        if !own.iter().any(|own| own.files.is(&entry.files)) {
            own.push(entry.clone());
        }
    }
}

/// How specific the most specific of the selectors is that match a code.
fn narrowest(code: Code, selectors: &[Sourced<Selector>]) -> Option<usize> {
    selectors.iter().filter(|entry| entry.value.matches(code)).map(|entry| entry.value.specificity()).max()
}

/// The severity of the most specific entry for a code; of several, the first, because those of nearer files come first.
fn level<'a>(code: Code, entries: impl IntoIterator<Item = &'a SettingOfLevel>) -> Option<Level> {
    let of_code = entries.into_iter().filter(|entry| entry.selector.matches(code));
    of_code.min_by_key(|entry| Reverse(entry.selector.specificity())).map(|entry| entry.level.value)
}
