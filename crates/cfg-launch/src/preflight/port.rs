//! Checks that the ports on which the run's processes listen are free.

use cfg_diag::{Diagnostic, codes};
use cfg_plan::{Node, Socket};

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let plan = situation.run.plan;
    // Of a run on several nodes, this one may have the server.
    let is_here = |socket: &Socket| matches!(socket.node, Node::This | Node::Assigned) || socket.node.is_of_servers();
    let mut sockets: Vec<Socket> = plan.sockets().into_iter().filter(is_here).collect();
    if let (true, Some(inference)) = (sockets.is_empty(), &plan.inference) {
        sockets.push(Socket {
            node: Node::This,
            owner: "the inference server".to_owned(),
            port: inference.port.get().unwrap_or(8000),
            host: None,
            key: inference.port.key().map_or_else(|| "server.port".to_owned(), ToString::to_string),
            place: inference.port.location(),
        });
    }
    if sockets.is_empty() {
        return Answer::NotNeeded("the run starts no inference server");
    }
    let Some(listening) = situation.machine.host().listening() else {
        return Answer::Unknown("the connections can't be listed".to_owned());
    };
    let (mut free, mut found) = (Vec::new(), Vec::new());
    for socket in &sockets {
        let Ok(port) = u16::try_from(socket.port) else { continue };
        if listening.contains(&port) {
            found.push(in_use(socket));
        } else {
            free.push(port.to_string());
        }
    }
    let are = if free.len() == 1 { "is" } else { "are" };
    Answer::of(found, || format!("{} {are} free", free.join(", ")))
}

fn in_use(socket: &Socket) -> Diagnostic {
    let Socket { owner, port, key, .. } = socket;
    let message = format!("port {port}, which {owner} needs, is already in use");
    let mut help = format!("stop it if it is the server of an earlier run (see `ss -ltnp 'sport = :{port}'`)");
    if !key.is_empty() {
        help.push_str(&format!(", or set `{key}`"));
    }
    let finding = Diagnostic::new(&codes::STALE_PROCESSES, message).help(help);
    match socket.place {
        Some(place) => finding.at(place),
        None => finding,
    }
}
