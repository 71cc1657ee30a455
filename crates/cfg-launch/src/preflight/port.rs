//! Checks that the port of the inference server is free.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Some(inference) = &situation.run.plan.inference else { return Answer::NotNeeded("the run starts no inference server") };
    let port = inference.port.get().and_then(|port| u16::try_from(port).ok()).unwrap_or(8000);
    match situation.machine.host().listens(port) {
        None => Answer::Unknown("the connections can't be listed".to_owned()),
        Some(false) => Answer::Fine(format!("{port} is free")),
        Some(true) => {
            let message = format!("port {port}, which the inference server needs, is already in use");
            let key = inference.port.key().map_or_else(|| "server.port".to_owned(), ToString::to_string);
            let help =
                format!("stop it if it is the server of an earlier run (see `ss -ltnp 'sport = :{port}'`), or set `{key}`");
            let finding = Diagnostic::new(&codes::STALE_PROCESSES, message).help(help);
            Answer::found(if let Some(at) = inference.port.location() { finding.at(at) } else { finding })
        }
    }
}
