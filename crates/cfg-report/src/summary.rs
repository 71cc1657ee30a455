//! The totals of all files.

use std::ops::AddAssign;

use cfg_diag::{Applicability, Code, Diagnostic, Severity, Verdict, codes, in_a_row};

use crate::FileReport;

/// Counts over files. Echoes do not count, and folded findings only in [`folded`](Self::folded).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files reported.
    pub files: usize,
    /// Files with at least one finding.
    pub files_with_findings: usize,
    /// Files that prime-rl refuses.
    pub rejected: usize,
    /// Files whose verdict is `depends`.
    pub depends: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that are infos.
    pub infos: usize,
    /// Infos and warnings that are counted but not shown.
    pub hidden: usize,
    /// Files whose findings are all hidden.
    pub files_with_hidden_alone: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Findings explained by another one.
    pub folded: usize,
    /// Findings with a safe fix.
    pub fixable: usize,
    /// Findings with an unsafe fix.
    pub unsafely_fixable: usize,
    /// Findings that a baseline accepts, which are not reported.
    pub accepted: usize,
    /// Findings that are keys of an earlier prime-rl, of which it is known what became of them.
    pub former_keys: usize,
    /// The severity and code of the worst finding that is shown; of several, the first.
    pub worst: Option<(Severity, Code)>,
}

impl Summary {
    /// Counts without files.
    pub const NONE: Self = Self {
        files: 0,
        files_with_findings: 0,
        rejected: 0,
        depends: 0,
        errors: 0,
        warnings: 0,
        infos: 0,
        hidden: 0,
        files_with_hidden_alone: 0,
        unreadable: 0,
        folded: 0,
        fixable: 0,
        unsafely_fixable: 0,
        accepted: 0,
        former_keys: 0,
        worst: None,
    };

    /// Counts one file.
    pub fn of(file: &FileReport<'_>) -> Self {
        let mut summary = Self { files: usize::from(!file.is_common), ..Self::NONE };
        match file.verdict {
            _ if file.is_common => {}
            Verdict::Ok => {}
            Verdict::Rejected => summary.rejected = 1,
            Verdict::Depends => summary.depends = 1,
        }
        summary.files_with_findings = usize::from(!file.diagnostics.is_empty() && !file.is_common);
        file.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo).for_each(|diagnostic| summary.add(diagnostic));
        summary
    }

    /// Hides the findings below this severity.
    pub(crate) fn hiding_below(mut self, shown: Severity, file: &FileReport<'_>) -> Self {
        let is_hidden = |diagnostic: &&Diagnostic| diagnostic.severity < shown && !diagnostic.is_echo;
        self.hidden = file.diagnostics.iter().filter(is_hidden).count();
        self.files_with_hidden_alone =
            usize::from(self.hidden > 0 && !file.is_common && file.diagnostics.iter().all(|found| found.severity < shown));
        let fixes = |wanted| {
            let seen = file.diagnostics.iter().filter(|found| found.severity >= shown && !found.is_echo);
            seen.filter(|found| found.fix.as_ref().is_some_and(|fix| fix.applicability == wanted)).count()
        };
        (self.fixable, self.unsafely_fixable) = (fixes(Applicability::Safe), fixes(Applicability::Unsafe));
        self.worst = self.worst.filter(|(severity, _)| *severity >= shown);
        self
    }

    /// How to read more about the worst finding, and about hidden ones, and what rewrites the keys of an earlier prime-rl; empty if there is none of them.
    pub fn further(&self) -> String {
        let explained = self.worst.map(|(_, code)| format!("`cfg explain {}` for details", code.code));
        let migrated = (self.former_keys > 0).then(|| "`cfg migrate` rewrites configs of an earlier prime-rl".to_owned());
        let hidden = (self.hidden > 0).then(|| format!("`-v` shows {}", count(self.hidden, "info")));
        explained.into_iter().chain(migrated).chain(hidden).collect::<Vec<_>>().join(", ")
    }

    /// The findings as a sentence: `Found 3 errors and 1 warning in 2 of 31 files (1 fixable with `--fix`)`.
    pub fn sentence(&self) -> String {
        let kinds = [(self.errors, "error"), (self.warnings, "warning"), (self.infos - self.hidden, "info")];
        let found: Vec<String> =
            kinds.iter().filter(|(number, _)| *number > 0).map(|&(number, kind)| count(number, kind)).collect();
        let found = if found.is_empty() { "no problems".to_owned() } else { in_a_row(&found) };
        let place = match (self.files, self.files_with_findings - self.files_with_hidden_alone) {
            (0 | 1, _) => String::new(),
            (all, 0) => format!(" in {}", count(all, "file")),
            (all, some) => format!(" in {some} of {}", count(all, "file")),
        };
        let fixes = match (self.fixable, self.unsafely_fixable) {
            (0, 0) => None,
            (fixable, 0) => Some(format!("{fixable} fixable with `--fix`")),
            (0, 1) => Some("1 unsafe fix".to_owned()),
            (0, others) => Some(format!("{others} unsafe fixes")),
            (fixable, others) => Some(format!("{fixable} fixable with `--fix`, {others} unsafe")),
        };
        let accepted = (self.accepted > 0).then(|| format!("{} in the baseline", self.accepted));
        let more: Vec<String> = fixes.into_iter().chain(accepted).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        format!("Found {found}{place}{more}")
    }

    fn add(&mut self, diagnostic: &Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
        match diagnostic.fix.as_ref().map(|fix| fix.applicability) {
            None => {}
            Some(Applicability::Safe) => self.fixable += 1,
            Some(Applicability::Unsafe) => self.unsafely_fixable += 1,
        }
        self.unreadable += usize::from(diagnostic.code == &codes::UNREADABLE_FILE);
        self.folded += diagnostic.folded.len();
        self.former_keys += usize::from(diagnostic.code == &codes::REMOVED_KEY && diagnostic.fix.is_some());
        if self.worst.is_none_or(|(worst, _)| worst < diagnostic.severity) {
            self.worst = Some((diagnostic.severity, diagnostic.code));
        }
    }
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.files_with_findings += other.files_with_findings;
        self.rejected += other.rejected;
        self.depends += other.depends;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
        self.accepted += other.accepted;
        self.former_keys += other.former_keys;
        self.hidden += other.hidden;
        self.files_with_hidden_alone += other.files_with_hidden_alone;
        self.unreadable += other.unreadable;
        self.folded += other.folded;
        self.fixable += other.fixable;
        self.unsafely_fixable += other.unsafely_fixable;
        if let Some((severity, _)) = other.worst
            && self.worst.is_none_or(|(worst, _)| worst < severity)
        {
            self.worst = other.worst;
        }
    }
}

/// A number with its noun: `1 file`, `3 files`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use cfg_diag::{Severity, codes};

    use super::Summary;

    #[test]
    fn the_summary_names_only_severities_with_findings() {
        let some = Summary { files: 31, files_with_findings: 2, errors: 3, warnings: 1, fixable: 1, ..Summary::default() };
        assert_eq!(some.sentence(), "Found 3 errors and 1 warning in 2 of 31 files (1 fixable with `--fix`)");
        let all = Summary {
            files: 1,
            files_with_findings: 1,
            errors: 1,
            warnings: 2,
            infos: 1,
            unsafely_fixable: 2,
            ..Summary::default()
        };
        assert_eq!(all.sentence(), "Found 1 error, 2 warnings and 1 info (2 unsafe fixes)");
        assert_eq!(Summary { files: 31, ..Summary::default() }.sentence(), "Found no problems in 31 files");
        let quiet =
            Summary { files: 2, files_with_findings: 1, infos: 3, hidden: 3, files_with_hidden_alone: 1, ..Summary::default() };
        assert_eq!((quiet.sentence().as_str(), quiet.further().as_str()), ("Found no problems in 2 files", "`-v` shows 3 infos"));
    }

    #[test]
    fn keys_of_an_earlier_prime_rl_lead_to_what_rewrites_them() {
        let worst = Some((Severity::Error, &codes::REMOVED_KEY));
        let known = Summary { files: 1, errors: 1, former_keys: 1, worst, ..Summary::default() };
        assert_eq!(known.further(), "`cfg explain PRL110` for details, `cfg migrate` rewrites configs of an earlier prime-rl");
        assert_eq!(Summary { former_keys: 0, ..known }.further(), "`cfg explain PRL110` for details");
    }
}
