//! What is open after a check: files that were only partly checked, files whose verdict depends on something, and overlays with their bases.

use std::collections::BTreeMap;

use cfg_report::count;

use super::Done;

/// The maximum number of files that the last line names.
const MOST_NAMED: usize = 3;

/// What is open after a check, for the last line of the report.
#[derive(Default)]
pub(super) struct Open {
    /// The files that were checked together with those that they override: "over.toml with base.toml".
    together: Vec<String>,
    /// The files of which something was not checked: "eval.toml: only its syntax was checked".
    unchecked: Vec<String>,
    /// The number of files whose verdict depends on something that only an info names.
    depends: BTreeMap<&'static str, usize>,
    /// The number of files that may be configs.
    unclear: usize,
}

impl Open {
    pub(super) fn add(&mut self, done: &mut Done) {
        self.together.extend(done.together.take());
        self.unchecked.extend(done.unchecked.take());
        if let Some(reason) = done.depends_on {
            *self.depends.entry(reason).or_default() += 1;
        }
        self.unclear += usize::from(done.may_be_config);
    }

    /// The files with their bases, for the end of the sentence about the findings.
    pub(super) fn bases(&self) -> String {
        match self.together.as_slice() {
            [] => String::new(),
            few if few.len() <= MOST_NAMED => format!(" ({})", few.join(", ")),
            many => format!(" ({} files with those that they override)", many.len()),
        }
    }

    /// What was not checked and what is undecided, each on a new line.
    pub(super) fn lines(&self) -> String {
        let mut lines = Vec::new();
        match self.unchecked.as_slice() {
            [] => {}
            few if few.len() <= MOST_NAMED => lines.extend(few.iter().cloned()),
            many => lines.push(format!("{} were not or only partly checked", count(many.len(), "file"))),
        }
        for (reason, number) in &self.depends {
            let depend = if *number == 1 { "depends" } else { "depend" };
            lines.push(format!("{} {depend} on {reason} (`-v` shows which)", count(*number, "verdict")));
        }
        if self.unclear > 0 {
            let (configs, name) = if self.unclear == 1 { ("a config", "it") } else { ("configs", "them") };
            let files = count(self.unclear, "file");
            lines.push(format!(
                "{files} may be {configs}, or of another program: name {name} to check {name} (`-v` lists {name})"
            ));
        }
        lines.into_iter().fold(String::new(), |text, line| text + "\n" + &line)
    }
}
