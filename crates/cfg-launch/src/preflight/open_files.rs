//! Checks that the limit of open files is high enough.

use cfg_diag::{Diagnostic, codes};
use cfg_system::LimitOfFiles;

use super::{Answer, Situation};
use crate::launch::OPEN_FILES as WANTED;

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if situation.run.plan.inference.is_none() {
        return Answer::NotNeeded("the run starts no inference server");
    }
    let Some(LimitOfFiles { current, most }) = situation.machine.host().limit_of_files() else {
        return Answer::Unknown("the limit of open files can't be read".to_owned());
    };
    match current {
        None => Answer::Fine("no limit".to_owned()),
        Some(limit) if limit >= WANTED => Answer::Fine(format!("{limit}")),
        Some(limit) => {
            let message = format!("at most {limit} files may be open, but the inference server needs {WANTED}");
            let elsewhere = format!("/etc/security/limits.conf, or `--ulimit nofile={WANTED}` for a container, can raise it");
            let help = match most.filter(|most| *most < WANTED) {
                None => format!("`ulimit -n {WANTED}` in the shell that starts the run"),
                Some(most) if most > limit => format!("`ulimit -n {most}` is the maximum here; {elsewhere} further"),
                Some(_) => format!("the limit can't be raised in this shell; {elsewhere}"),
            };
            Answer::found(Diagnostic::new(&codes::LOW_FILE_LIMIT, message).help(help))
        }
    }
}
