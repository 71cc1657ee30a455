//! `cfg check --watch`: repeats the check whenever something it depends on has changed, until it is interrupted.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use cfg_system::{Observed, Scope, System};

use super::{
    run_check,
    subject::{Input, Subject},
};
use crate::{CommandResult, Outcome, args::Check, context::Context};

/// The interval between two comparisons with the disk. Each costs about a microsecond per file.
const PAUSE: Duration = Duration::from_millis(500);

/// The maximum number of changed files in a message.
const MAX_NAMED: usize = 3;

/// Checks repeatedly until the output can't be written any more.
pub(super) fn run(cx: &Context, check: &Check) -> CommandResult<Infallible> {
    loop {
        cfg_meter::budget().renew();
        let observed = Arc::new(Observed::new(Arc::clone(&cx.system)));
        let system: Arc<dyn System> = Arc::<Observed>::clone(&observed);
        let seen = cx.on(&system);
        let subject = Subject::of(&seen, check);
        notice_folders(&*system, &subject.inputs);
        match run_check(&seen, check, Subject { system: Some(system), ..subject })? {
            Outcome::Clean | Outcome::Found | Outcome::Failed => {}
        }
        cx.say("waiting for changes; press Ctrl-C to stop");
        let changed = loop {
            thread::sleep(PAUSE);
            let changed = observed.changed_files();
            if !changed.is_empty() {
                break changed;
            }
        };
        cx.say(&sentence(&changed));
    }
}

/// Lists the folders of all files, so that new files are noticed.
fn notice_folders(system: &dyn System, inputs: &[Input]) {
    let files = inputs.iter().filter_map(|input| match input {
        Input::File { path, .. } | Input::Dependent { path } | Input::Script { path, .. } | Input::Unreadable { path, .. } => {
            Some(path.as_path())
        }
        Input::Stdin | Input::Command => None,
    });
    let folders: BTreeSet<&Path> = files.filter_map(Path::parent).collect();
    for folder in folders {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // A folder that can't be read now is noticed as soon as it can be.
        let _ = system.list(folder, Scope::Inside);
    }
}

fn sentence(changed: &[PathBuf]) -> String {
    let named = changed.iter().take(MAX_NAMED).map(|path| cfg_diag::one_line(&path.to_string_lossy()).into_owned());
    let mut text = named.collect::<Vec<_>>().join(", ");
    if changed.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more", changed.len() - MAX_NAMED));
    }
    text.push_str(" changed");
    text
}
