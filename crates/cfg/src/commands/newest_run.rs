//! The run that a folder stands for: prime-rl writes each run to a folder of its own, often several of them below one `outputs`.

use std::path::{Path, PathBuf};

use cfg_launch::outputs::runs;

use crate::context::Context;

/// The runs in a folder, the newest last, if there are several, or if the only one is below it.
pub(super) fn runs_below(cx: &Context, folder: &Path) -> Vec<PathBuf> {
    let found = if cx.system.is_folder(folder) { runs(&*cx.system, folder) } else { Vec::new() };
    if found.len() == 1 && found[0] == folder { Vec::new() } else { found }
}

/// The newest run in a folder, or the folder itself if there is none below it. If there are several, a note names them.
pub(super) fn newest_run(cx: &Context, folder: &Path) -> PathBuf {
    let mut found = runs_below(cx, folder);
    let Some(newest) = found.pop() else { return folder.to_owned() };
    if !found.is_empty() {
        found.reverse();
        let others = listed(&found, folder);
        let number = found.len() + 1;
        cx.note(&format!(
            "{} has {number} runs: this is the newest, {}; the others are {others}",
            folder.display(),
            newest.display()
        ));
    }
    newest
}

/// The names of the first runs, below the folder in which they are.
pub(super) fn listed(runs: &[PathBuf], folder: &Path) -> String {
    const MAX_NAMED: usize = 8;
    let name = |run: &PathBuf| {
        let name = run.strip_prefix(folder).ok().filter(|name| !name.as_os_str().is_empty());
        name.map_or_else(|| "the folder itself".to_owned(), |name| name.display().to_string())
    };
    let mut names: Vec<String> = runs.iter().take(MAX_NAMED).map(name).collect();
    if runs.len() > MAX_NAMED {
        names.push(format!("{} more", runs.len() - MAX_NAMED));
    }
    names.join(", ")
}
