//! The options of `cfg check` that select findings, and what is done about them.

use std::path::PathBuf;

use cfg_diag::{Applicability, Severity};
use cfg_project::Selector;
use clap::{Args, ValueEnum};

/// Headings of the help.
pub(crate) const WHAT_COUNTS: &str = "What counts";
const FIXES: &str = "Fixes";
const WHAT_IS_SHOWN: &str = "What is shown";

/// What makes a command fail besides errors.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Warnings
    Warnings,
    /// Findings in the baseline that no longer occur
    Stale,
}

#[derive(Args, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct Control {
    /// Report only these findings: codes, names, PRL3, ALL
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = selector, help_heading = WHAT_COUNTS)]
    pub(crate) select: Vec<Selector>,
    /// Do not report these findings
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = selector, help_heading = WHAT_COUNTS)]
    pub(crate) ignore: Vec<Selector>,
    /// Apply safe fixes
    #[arg(long, help_heading = FIXES)]
    pub(crate) fix: bool,
    /// Also apply fixes that may change the meaning
    #[arg(long, help_heading = FIXES)]
    pub(crate) unsafe_fixes: bool,
    /// Show what --fix would change
    #[arg(long, help_heading = FIXES)]
    pub(crate) diff: bool,
    /// Add comments that ignore the shown findings
    #[arg(long, value_name = "REASON", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with_all = ["fix", "unsafe_fixes"], help_heading = FIXES)]
    pub(crate) add_ignore: Option<String>,
    /// Report only findings that are not in this file
    #[arg(long, value_name = "FILE", help_heading = WHAT_COUNTS)]
    pub(crate) baseline: Option<PathBuf>,
    /// Also report what the baseline accepts
    #[arg(long, conflicts_with_all = ["baseline", "update_baseline"], help_heading = WHAT_COUNTS)]
    pub(crate) no_baseline: bool,
    /// Write the current findings to the baseline
    #[arg(long, conflicts_with_all = ["fix", "diff", "add_ignore"], help_heading = WHAT_COUNTS)]
    pub(crate) update_baseline: bool,
    /// Count the findings of each code instead of showing them
    #[arg(long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) statistics: bool,
    /// Also show infos, and name the files that are not checked
    #[arg(short, long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) verbose: bool,
    /// Always exit with 0, even if there are errors
    #[arg(long, help_heading = WHAT_COUNTS)]
    pub(crate) exit_zero: bool,
    /// List the files that would be checked
    #[arg(long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) show_files: bool,
    /// Show the settings for the first path, with their places
    #[arg(long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) show_settings: bool,
}

impl Control {
    /// Whether files are edited, or the edits are shown.
    pub(crate) const fn edits(&self) -> bool {
        self.fix || self.diff || self.add_ignore.is_some()
    }

    /// The lowest severity in a report for people. Findings that are selected by code are always included.
    pub(crate) const fn shown(&self) -> Severity {
        if self.verbose || !self.select.is_empty() { Severity::Info } else { Severity::Warning }
    }

    /// Whether fixes of this applicability are requested.
    pub(crate) fn allows(&self, applicability: Applicability) -> bool {
        applicability == Applicability::Safe || self.unsafe_fixes
    }
}

fn selector(text: &str) -> Result<Selector, String> {
    text.trim().parse().map_err(|help| format!("unknown rule: {help}"))
}
