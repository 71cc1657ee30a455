//! A port above the highest one: written, or the result of what prime-rl adds to a written one.

use cfg_diag::codes;
use cfg_plan::Socket;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

/// The highest port.
const HIGHEST: i64 = 65_535;

pub(crate) static RULE: Rule = Rule {
    code: &codes::PORT_OUT_OF_RANGE,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// One finding for each key: that of the highest port that follows from it.
fn check(cx: &Context<'_>) -> Vec<Finding> {
    let sockets = cx.sockets();
    let mut highest: Vec<&Socket> = Vec::new();
    for socket in sockets.iter().filter(|socket| socket.port > HIGHEST && !socket.key.is_empty()) {
        match highest.iter_mut().find(|known| known.key == socket.key) {
            Some(known) if known.port < socket.port => *known = socket,
            Some(_) => {}
            None => highest.push(socket),
        }
    }
    highest.into_iter().map(finding).collect()
}

fn finding(socket: &Socket) -> Finding {
    let message =
        format!("with this `{}`, {} would listen on port {}; the highest is {HIGHEST}", socket.key, socket.owner, socket.port);
    let help = format!("the process ends when it opens the port: lower `{}` by {} or more", socket.key, socket.port - HIGHEST);
    let label = format!("leads to port {}", socket.port);
    Finding::new(message).key(&*socket.key).at_place(socket.place).label(label).help(help)
}
