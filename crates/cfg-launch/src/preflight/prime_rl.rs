//! Checks that the installed prime-rl is the target of the config.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let target = situation.run.target;
    let Some(installed) = situation.run.installed else {
        return Answer::Unknown(format!("no prime-rl found near the config; assuming {target}"));
    };
    if installed.target.point == target.point {
        return Answer::Fine(format!("{target}"));
    }
    let message = format!("the config is checked for {target}, but the project has {}", installed.target);
    let help = format!("check it with `--target {}`, or install the intended one", installed.target.name);
    Answer::found(Diagnostic::new(&codes::OTHER_PRIME_RL, message).help(help))
}
