//! The ports on which the processes of a run listen.

use cfg_diag::Location;
use cfg_schema::Behaviour;

use crate::{Environment, Fact, Inference, Plan};

/// The machine on which a process listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The one that starts the run.
    This,
    /// The one that SLURM assigns to the run.
    Assigned,
    /// The nodes of the inference servers.
    Servers,
    /// The first node of the trainer.
    FirstTrainer,
}

impl Node {
    /// Where it is, in words: `the nodes of the inference servers`.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::This => "this machine",
            Self::Assigned => "the node that SLURM assigns",
            Self::Servers => "the nodes of the inference servers",
            Self::FirstTrainer => "the first node of the trainer",
        }
    }
}

/// A port on which a process of a run listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    /// The machine.
    pub node: Node,
    /// What listens there, with its article: `the inference server`.
    pub owner: String,
    /// The port, from 1 to 65535.
    pub port: i64,
    /// The address, if it is not this machine's own; `None` for any address of the machine.
    pub host: Option<Box<str>>,
    /// The key that moves it; empty if no key does.
    pub key: String,
    /// Where the port is written, or else what makes the process listen.
    pub place: Option<Location>,
}

impl Socket {
    /// Whether both can't be open at the same time. An address of this machine is part of all its addresses.
    pub fn excludes(&self, other: &Self) -> bool {
        let is_apart =
            |one: &Option<Box<str>>, two: &Option<Box<str>>| matches!((one, two), (Some(one), Some(two)) if one != two);
        self.node == other.node && self.port == other.port && !is_apart(&self.host, &other.host)
    }
}

/// The offsets of the sockets of `zmq` from its port: the batches that the trainer receives, the micro-batches that it sends to its own processes, and
/// their readiness.
const OF_ZMQ: [(i64, &str); 3] = [
    (0, "the trainer's socket for rollouts"),
    (1, "the trainer's socket for micro-batches"),
    (2, "the trainer's socket for readiness"),
];

/// The distance of the port of the router's own metrics from that of the router, in `entrypoints/inference.py`.
const ROUTER_METRICS: i64 = 21_000;

/// The port at which the ranks of a trainer on several nodes find each other (`MASTER_PORT`), in the templates of the launcher.
const RENDEZVOUS: i64 = 29_500;

impl Plan {
    /// The sockets of a run, in the order in which its processes start; none for processes that are started one by one.
    ///
    /// On one machine, torchrun looks for a free port, so the meeting place of its ranks is not among them. From prime-rl's `entrypoints/rl.py`,
    /// `entrypoints/inference.py`, `templates/multi_node_rl.sbatch.j2`, `transport/zmq.py`, `trainer/rl/broadcast/nccl.py` and
    /// `utils/metrics_server.py`.
    pub fn sockets(&self) -> Vec<Socket> {
        if self.is_split() {
            return Vec::new();
        }
        let is_single = self.run.gpus.deployment.text().is_none_or(|deployment| deployment == "single_node");
        let mut sockets = Vec::new();
        if is_single {
            if let Some(inference) = &self.inference {
                self.of_server(inference, "the inference server", &mut sockets);
            }
            if let Some(teacher) = &self.teacher_inference {
                self.of_server(teacher, "the teacher's inference server", &mut sockets);
            }
            self.of_environments(&mut sockets);
            self.of_trainer(&mut sockets);
            if self.run.slurm.fact().is_some() {
                sockets.iter_mut().for_each(|socket| socket.node = Node::Assigned);
            }
            return sockets;
        }
        if let Some(inference) = &self.inference {
            self.of_server(inference, "the inference server", &mut sockets);
            sockets.iter_mut().for_each(|socket| socket.node = Node::Servers);
        }
        let from = sockets.len();
        if let Some(nodes) = self.run.gpus.num_train_nodes.fact().filter(|nodes| nodes.value > 1) {
            sockets.push(Socket {
                node: Node::This,
                owner: "the meeting place of the trainer's ranks".to_owned(),
                port: RENDEZVOUS,
                host: None,
                key: String::new(),
                place: nodes.location(),
            });
        }
        self.of_trainer(&mut sockets);
        sockets[from..].iter_mut().for_each(|socket| socket.node = Node::FirstTrainer);
        sockets
    }

    /// A server of vLLM: it listens itself, or a router does, which then has the server behind it.
    fn of_server(&self, server: &Inference, owner: &str, sockets: &mut Vec<Socket>) {
        let Some(port) = server.port.fact() else { return };
        sockets.push(socket(owner, port, server.host.text(), 0, None));
        if server.router.get() == Some(true)
            && let Some(behind) = server.backend_port.fact()
        {
            sockets.push(socket(&format!("the engine behind {owner}"), behind, None, 0, port.location()));
            if self.point.has(Behaviour::Router) {
                sockets.push(socket(&format!("the metrics of the router of {owner}"), port, None, ROUTER_METRICS, None));
            }
        }
    }

    /// Each source has a server, those for training first; the port of one follows from its place.
    fn of_environments(&self, sockets: &mut Vec<Socket>) {
        let Some(base) = self.orchestrator.as_ref().and_then(|orchestrator| orchestrator.env_server_base_port.fact()) else {
            return;
        };
        let own = |(place, environment): (usize, &Environment)| {
            let is_started = environment.address.text().is_none();
            let name = environment.name.text().or_else(|| environment.base_id()).unwrap_or(&environment.key);
            let port = base.value.checked_add(i64::try_from(place).ok()?)?;
            let place = base.location().or(environment.location);
            is_started.then(|| Socket {
                node: Node::This,
                owner: format!("the environment server of `{name}`"),
                port,
                host: Some("127.0.0.1".into()),
                key: base.written_key().to_string(),
                place,
            })
        };
        sockets.extend(self.environments.iter().enumerate().filter_map(own));
    }

    fn of_trainer(&self, sockets: &mut Vec<Socket>) {
        let Some(trainer) = &self.trainer else { return };
        if let Some(port) = trainer.metrics_port.fact() {
            let table = trainer.metrics_server.fact().and_then(Fact::location);
            sockets.push(socket("the trainer's metrics server", port, trainer.metrics_host.text(), 0, table));
        }
        let transport = trainer.rollout_transport.fact().filter(|transport| &*transport.value == "zmq");
        if let (Some(transport), Some(port)) = (transport, trainer.rollout_port.fact()) {
            let host = trainer.rollout_host.text();
            sockets.extend(OF_ZMQ.map(|(offset, owner)| socket(owner, port, host, offset, transport.location())));
        }
        let broadcast = trainer.weight_broadcast.value().filter(|broadcast| broadcast.kind.text() == Some("nccl"));
        if let (Some(broadcast), Some(_)) = (broadcast, &self.inference)
            && let Some(port) = broadcast.port.fact()
        {
            let table = broadcast.kind.fact().and_then(Fact::location);
            sockets.push(socket("the trainer's NCCL broadcast", port, broadcast.host.text(), 0, table));
        }
    }
}

/// `instead` is the place if the port is not written.
fn socket(owner: &str, port: &Fact<i64>, host: Option<&str>, offset: i64, instead: Option<Location>) -> Socket {
    Socket {
        node: Node::This,
        owner: owner.to_owned(),
        port: port.value.saturating_add(offset),
        host: host.filter(|host| !matches!(*host, "0.0.0.0" | "::" | "*" | "")).map(plain),
        key: port.written_key().to_string(),
        place: port.location().or(instead),
    }
}

fn plain(host: &str) -> Box<str> {
    if matches!(host, "localhost" | "::1") { "127.0.0.1".into() } else { host.into() }
}

#[cfg(test)]
mod tests {
    use super::{Node, Socket};

    fn at(host: Option<&str>, port: i64) -> Socket {
        Socket { node: Node::This, owner: "x".to_owned(), port, host: host.map(Into::into), key: "port".to_owned(), place: None }
    }

    #[test]
    fn all_addresses_contain_each_address() {
        assert!(at(None, 1).excludes(&at(Some("127.0.0.1"), 1)));
        assert!(at(Some("127.0.0.1"), 1).excludes(&at(Some("127.0.0.1"), 1)));
        assert!(!at(Some("10.0.0.1"), 1).excludes(&at(Some("127.0.0.1"), 1)));
        assert!(!at(None, 1).excludes(&at(None, 2)));
        assert!(!at(None, 1).excludes(&Socket { node: Node::Servers, ..at(None, 1) }));
    }
}
