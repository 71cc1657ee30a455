//! What is open after a check: files that were only partly checked, files whose verdict depends on something, and overlays with their bases.

use std::collections::BTreeMap;

use cfg_check::Doubt;
use cfg_report::count;

use super::Done;

/// The maximum number of files that the last line names.
const MAX_NAMED: usize = 3;

/// What is open after a check, for the last line of the report.
#[derive(Default)]
pub(super) struct Open {
    /// The files that were checked together with those that they override.
    together: Vec<Together>,
    /// The files of which something was not checked: "eval.toml: only its syntax was checked".
    unchecked: Vec<String>,
    /// The number of files whose verdict depends on something that only an info names.
    depends: BTreeMap<&'static str, usize>,
    /// The files that have no signs of a config, and may be one all the same.
    doubtful: Vec<(Doubt, String)>,
}

/// A file that was checked together with those that it overrides.
pub(super) struct Together {
    /// The file and the others: "over.toml with base.toml".
    files: String,
    /// What it lacks alone: "; alone it has no `trainer`". Empty if that is nothing.
    lacks: String,
}

impl Together {
    /// A file with those that it overrides, and the tables that it lacks alone, in words.
    pub(super) fn new(file: &str, bases: &[String], lacking: &str) -> Self {
        let bases: Vec<_> = bases.iter().map(|base| cfg_diag::one_line(base)).collect();
        let lacks = if lacking.is_empty() { String::new() } else { format!("; alone it has no {lacking}") };
        Self { files: format!("{} with {}", cfg_diag::one_line(file), bases.join(" and ")), lacks }
    }
}

impl Open {
    pub(super) fn add(&mut self, done: &mut Done) {
        self.together.extend(done.together.take());
        self.unchecked.extend(done.unchecked.take());
        if let Some(reason) = done.depends_on {
            *self.depends.entry(reason).or_default() += 1;
        }
        self.doubtful.extend(done.doubt.take());
    }

    /// The files with their bases, for the end of the sentence about the findings.
    pub(super) fn bases(&self) -> String {
        match self.together.as_slice() {
            [] => String::new(),
            [one] => format!(" ({}{})", one.files, one.lacks),
            few if few.len() <= MAX_NAMED => {
                let files: Vec<&str> = few.iter().map(|one| &*one.files).collect();
                format!(" ({})", files.join(", "))
            }
            many => format!(" ({} files with those that they override)", many.len()),
        }
    }

    /// What was not checked and what is undecided, each on a new line.
    pub(super) fn lines(&self) -> String {
        let mut lines = Vec::new();
        match self.unchecked.as_slice() {
            [] => {}
            few if few.len() <= MAX_NAMED => lines.extend(few.iter().cloned()),
            many => lines.push(format!("{} were not or only partly checked", count(many.len(), "file"))),
        }
        for (reason, number) in &self.depends {
            let depend = if *number == 1 { "depends" } else { "depend" };
            lines.push(format!("{} {depend} on {reason} (`-v` shows which)", count(*number, "verdict")));
        }
        lines.extend(self.in_doubt(Doubt::CommonKeys, "may be a prime-rl config", "may be prime-rl configs"));
        lines.extend(self.in_doubt(Doubt::NotToml, "can't be read as TOML", "can't be read as TOML"));
        lines.into_iter().fold(String::new(), |text, line| text + "\n" + &line)
    }

    /// The files of which there is one doubt, in a sentence.
    fn in_doubt(&self, doubt: Doubt, of_one: &str, of_many: &str) -> Option<String> {
        let files: Vec<&str> = self.doubtful.iter().filter(|(other, _)| *other == doubt).map(|(_, file)| &**file).collect();
        match &files[..] {
            [] => None,
            [one] => Some(format!("{} {of_one}: name it to check it", cfg_diag::one_line(one))),
            few if few.len() <= MAX_NAMED => {
                Some(format!("{} {of_many}: name them to check them", cfg_diag::one_line(&few.join(", "))))
            }
            many => Some(format!("{} {of_many}: name them to check them (`-v` lists them)", count(many.len(), "file"))),
        }
    }
}
