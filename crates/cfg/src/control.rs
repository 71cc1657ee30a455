//! The words of `cfg check` that say which findings count, and what is done about them.

use std::path::PathBuf;

use cfg_diag::{Applicability, Severity};
use cfg_project::Selector;
use clap::Args;

/// Headings of the help.
pub(crate) const WHAT_COUNTS: &str = "What counts";
const FIXES: &str = "Fixes";
const WHAT_IS_SHOWN: &str = "What is shown";

#[derive(Args, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the command line")]
pub(crate) struct Control {
    /// Report only these findings: codes, names, beginnings of codes (PRL3) or ALL; in place of what the settings select and ignore
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = selector, help_heading = WHAT_COUNTS)]
    pub(crate) select: Vec<Selector>,
    /// Do not report these findings
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = selector, help_heading = WHAT_COUNTS)]
    pub(crate) ignore: Vec<Selector>,
    /// Make the safe fixes
    #[arg(long, help_heading = FIXES)]
    pub(crate) fix: bool,
    /// With --fix or --diff, make also fixes that may change what a config means
    #[arg(long, help_heading = FIXES)]
    pub(crate) unsafe_fixes: bool,
    /// Show what --fix would change, and change nothing; exit with 1 if there is anything
    #[arg(long, help_heading = FIXES)]
    pub(crate) diff: bool,
    /// Write comments that ignore all that is found
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes"], help_heading = FIXES)]
    pub(crate) add_ignore: bool,
    /// Report only what is not in this file
    #[arg(long, value_name = "FILE", help_heading = WHAT_COUNTS)]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what is found to the file of --baseline
    #[arg(long, requires = "baseline", conflicts_with_all = ["fix", "diff", "add_ignore"], help_heading = WHAT_COUNTS)]
    pub(crate) update_baseline: bool,
    /// Count the findings of each code instead of showing them
    #[arg(long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) statistics: bool,
    /// Show also what is merely good to know; without it, infos are counted
    #[arg(short, long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) verbose: bool,
    /// Exit with 0 whatever is found
    #[arg(long, help_heading = WHAT_COUNTS)]
    pub(crate) exit_zero: bool,
    /// Show which files would be checked, and check none
    #[arg(long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) show_files: bool,
    /// Show the settings that hold for the first of the paths, and where each was made
    #[arg(long, help_heading = WHAT_IS_SHOWN)]
    pub(crate) show_settings: bool,
}

impl Control {
    /// Whether files are to be changed, or would be.
    pub(crate) const fn edits(&self) -> bool {
        self.fix || self.diff || self.add_ignore
    }

    /// From which severity on findings are shown to people. Who asks for some by their codes wants to see them.
    pub(crate) const fn shown(&self) -> Severity {
        if self.verbose || !self.select.is_empty() { Severity::Info } else { Severity::Warning }
    }

    /// Whether a fix of this kind is wanted.
    pub(crate) fn allows(&self, applicability: Applicability) -> bool {
        applicability == Applicability::Safe || self.unsafe_fixes
    }
}

fn selector(text: &str) -> Result<Selector, String> {
    text.trim().parse().map_err(|help| format!("unknown rule: {help}"))
}
