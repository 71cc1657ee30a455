//! What was found in all files together.

use std::ops::AddAssign;

use cfg_diag::{Applicability, Code, Diagnostic, Severity, codes};

use crate::{FileReport, Verdict};

/// Counts over files. Echoes do not count, and folded findings only in [`folded`](Self::folded).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files reported.
    pub files: usize,
    /// Files with at least one finding.
    pub files_with_findings: usize,
    /// Files that prime-rl refuses.
    pub rejected: usize,
    /// Files of which an installed plugin decides.
    pub depends: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that are merely good to know.
    pub infos: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Findings explained by another one.
    pub folded: usize,
    /// Findings with a safe fix.
    pub fixable: usize,
    /// Findings with a fix that the author has to judge.
    pub unsafely_fixable: usize,
    /// The first code found, for a word on how to read more.
    pub first_code: Option<Code>,
}

impl Summary {
    /// No files.
    pub const NONE: Self = Self {
        files: 0,
        files_with_findings: 0,
        rejected: 0,
        depends: 0,
        errors: 0,
        warnings: 0,
        infos: 0,
        unreadable: 0,
        folded: 0,
        fixable: 0,
        unsafely_fixable: 0,
        first_code: None,
    };

    /// Counts one file.
    pub fn of(file: &FileReport<'_>) -> Self {
        let mut summary = Self { files: 1, ..Self::NONE };
        match file.verdict {
            Verdict::Ok => {}
            Verdict::Rejected => summary.rejected = 1,
            Verdict::Depends => summary.depends = 1,
        }
        summary.files_with_findings = usize::from(!file.diagnostics.is_empty());
        file.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo).for_each(|diagnostic| summary.add(diagnostic));
        summary
    }

    /// The findings as a sentence: `Found 3 errors and 1 warning in 2 of 31 files (1 can be fixed)`.
    pub fn sentence(&self) -> String {
        let kinds = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "info")];
        let found: Vec<String> =
            kinds.iter().filter(|(number, _)| *number > 0).map(|&(number, kind)| count(number, kind)).collect();
        let found = match found.as_slice() {
            [] => "nothing wrong".to_owned(),
            [one] => one.clone(),
            [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
        };
        let place = match (self.files, self.files_with_findings) {
            (0 | 1, _) => String::new(),
            (all, 0) => format!(" in {}", count(all, "file")),
            (all, some) => format!(" in {some} of {}", count(all, "file")),
        };
        let fixes = match (self.fixable, self.unsafely_fixable) {
            (0, 0) => String::new(),
            (safe, 0) => format!(" ({safe} can be fixed)"),
            (0, possible) => format!(" ({possible} can possibly be fixed)"),
            (safe, possible) => format!(" ({safe} can be fixed, {possible} possibly)"),
        };
        format!("Found {found}{place}{fixes}")
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
        self.first_code = self.first_code.or(Some(diagnostic.code));
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
        self.unreadable += other.unreadable;
        self.folded += other.folded;
        self.fixable += other.fixable;
        self.unsafely_fixable += other.unsafely_fixable;
        self.first_code = self.first_code.or(other.first_code);
    }
}

/// A number with its noun: `1 file`, `3 files`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn the_sentence_names_only_what_was_found() {
        let some = Summary { files: 31, files_with_findings: 2, errors: 3, warnings: 1, fixable: 1, ..Summary::default() };
        assert_eq!(some.sentence(), "Found 3 errors and 1 warning in 2 of 31 files (1 can be fixed)");
        let all = Summary {
            files: 1,
            files_with_findings: 1,
            errors: 1,
            warnings: 2,
            infos: 1,
            unsafely_fixable: 2,
            ..Summary::default()
        };
        assert_eq!(all.sentence(), "Found 1 error, 2 warnings and 1 info (2 can possibly be fixed)");
        assert_eq!(Summary { files: 31, ..Summary::default() }.sentence(), "Found nothing wrong in 31 files");
    }
}
