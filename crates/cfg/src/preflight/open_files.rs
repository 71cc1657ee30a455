//! Whether enough files may be open.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

/// What vLLM asks for.
const WANTED: u64 = 65536;

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if situation.plan.inference.is_none() {
        return Answer::NotNeeded("it starts no inference server");
    }
    match situation.machine.open_files() {
        None => Answer::Unknown("the limit can't be read here".to_owned()),
        Some((None, _)) => Answer::Fine("no limit".to_owned()),
        Some((Some(limit), _)) if limit >= WANTED => Answer::Fine(format!("{limit}")),
        Some((Some(limit), most)) => {
            let message = format!("at most {limit} files may be open, and the inference server wants {WANTED}");
            let help = match most.filter(|most| *most < WANTED) {
                None => format!("`ulimit -n {WANTED}` in the shell that starts the run"),
                Some(most) => format!(
                    "the limit can be raised to {most} here: `ulimit -n {most}`; more needs /etc/security/limits.conf, or \
                     `--ulimit nofile={WANTED}` for a container"
                ),
            };
            Answer::found(Diagnostic::new(&codes::LOW_FILE_LIMIT, message).help(help))
        }
    }
}
