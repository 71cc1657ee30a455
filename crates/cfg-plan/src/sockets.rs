//! The ports on which the processes of a run listen. Which these are at each version is data: `schemas/sockets.toml`.

mod rows;

use cfg_diag::Location;
use cfg_schema::Kind;

use crate::{Environment, Fact, Plan, Setting};

/// The machine on which a process listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The one that starts the run.
    This,
    /// The one that SLURM assigns to the run.
    Assigned,
    /// The nodes of the inference servers, or the only one.
    Servers,
    /// The first of several.
    FirstServer,
    /// The last of several.
    LastServer,
    /// Those of them that read prompts.
    Prefill,
    /// Those of them that generate.
    Decode,
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
            Self::FirstServer => "the first node of the inference servers",
            Self::LastServer => "the last node of the inference servers",
            Self::Prefill => "the prefill nodes",
            Self::Decode => "the decode nodes",
            Self::FirstTrainer => "the first node of the trainer",
        }
    }

    /// Whether it has an inference server.
    pub const fn is_of_servers(self) -> bool {
        matches!(self, Self::Servers | Self::FirstServer | Self::LastServer | Self::Prefill | Self::Decode)
    }

    /// Whether a machine can be both.
    fn meets(self, other: Self) -> bool {
        let is_all = |node| node == Self::Servers;
        // Those that read prompts come first, and those that generate last.
        let is_within = |node, of| matches!((node, of), (Self::FirstServer, Self::Prefill) | (Self::LastServer, Self::Decode));
        let is_one_within = is_within(self, other) || is_within(other, self);
        self == other || self.is_of_servers() && other.is_of_servers() && (is_all(self) || is_all(other) || is_one_within)
    }
}

/// No machine has more replicas than this.
const MAX_RANKS: i64 = 64;

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
        self.node.meets(other.node) && self.port == other.port && !is_apart(&self.host, &other.host)
    }
}

/// A row of the table.
#[derive(Debug)]
struct Row {
    owner: &'static str,
    each: Each,
    port: Port,
    offset: i64,
    /// A setting of the plan, or an address; empty for all addresses.
    host: &'static str,
    when: &'static [Condition],
    /// The setting that is shown if the port is not written.
    place: &'static str,
    runs: Runs,
    node: On,
    since: u16,
    /// The first point without it; the largest number if there is none.
    until: u16,
}

/// Of what there is one each; the port rises by one from each to the next.
#[derive(Clone, Copy, Debug)]
enum Each {
    One,
    /// The environments that the run starts.
    Environment,
    /// The replicas on a node of the inference servers.
    Rank,
}

#[derive(Clone, Copy, Debug)]
enum Port {
    /// A number that no key moves.
    Fixed(i64),
    /// A setting of the plan.
    Setting(&'static str),
}

/// What must hold of a setting of the plan.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Is(&'static str, &'static str),
    /// Not given, or with another value.
    IsNot(&'static str, &'static str),
    IsAbove(&'static str, i64),
    IsGiven(&'static str),
}

/// The runs that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    Any,
    OneMachine,
    SeveralNodes,
}

/// Where it is if the run has several nodes.
#[derive(Clone, Copy, Debug)]
enum On {
    Servers,
    FirstServer,
    Prefill,
    Decode,
    Trainer,
    Orchestrator,
}

/// A value of the plan that the table names.
#[derive(Clone, Copy, Debug)]
enum Named<'p> {
    Number(&'p Setting<i64>),
    Text(&'p Setting<Box<str>>),
    Flag(&'p Setting<bool>),
    /// A part of the plan that is there.
    Part,
}

impl Named<'_> {
    fn place(self) -> Option<Location> {
        match self {
            Self::Number(setting) => setting.fact().and_then(Fact::location),
            Self::Text(setting) => setting.fact().and_then(Fact::location),
            Self::Flag(setting) => setting.fact().and_then(Fact::location),
            Self::Part => None,
        }
    }

    fn is_given(self) -> bool {
        match self {
            Self::Number(setting) => setting.fact().is_some(),
            Self::Text(setting) => setting.fact().is_some(),
            Self::Flag(setting) => setting.fact().is_some(),
            Self::Part => true,
        }
    }
}

impl Plan {
    /// The sockets of a run, or of inference servers that are started alone, in the order in which the processes start; none for other processes that are
    /// started one by one.
    pub fn sockets(&self) -> Vec<Socket> {
        let is_alone = self.kinds == [Kind::Inference];
        if self.is_split() && !is_alone {
            return Vec::new();
        }
        let here = if self.run.slurm.fact().is_some() { Node::Assigned } else { Node::This };
        let of_server = || self.inference.as_ref().and_then(|server| server.deployment.text());
        let is_single = if is_alone { of_server().is_none_or(|own| own == "single_node") } else { self.is_on_one_node() };
        let other = if is_single { Runs::SeveralNodes } else { Runs::OneMachine };
        let mut sockets = Vec::new();
        for row in rows::ALL.iter().filter(|row| row.since <= self.point.0 && self.point.0 < row.until && row.runs != other) {
            let node = match row.node {
                _ if is_single => here,
                On::Servers => Node::Servers,
                On::FirstServer => self.server_node(Node::FirstServer),
                On::Prefill => Node::Prefill,
                On::Decode => Node::Decode,
                On::Orchestrator if self.run.gpus.orchestrator_on_inference.is_on() => self.server_node(Node::LastServer),
                On::Trainer | On::Orchestrator => Node::FirstTrainer,
            };
            self.of_row(row, node, &mut sockets);
        }
        sockets
    }

    /// One of the nodes of the inference servers, which is all of them if there is only one.
    fn server_node(&self, node: Node) -> Node {
        let gpus = &self.run.gpus;
        let of_server = || self.inference.as_ref()?.num_nodes.get();
        let nodes = gpus.num_infer_nodes.get().or_else(of_server).unwrap_or(1);
        if nodes > 1 || gpus.num_infer_replicas.get().is_some_and(|replicas| replicas > 1) { node } else { Node::Servers }
    }

    fn of_row(&self, row: &Row, node: Node, sockets: &mut Vec<Socket>) {
        if !row.when.iter().all(|condition| self.holds(*condition)) {
            return;
        }
        let (port, key, place) = match row.port {
            Port::Fixed(port) => (port, String::new(), None),
            Port::Setting(name) => {
                let Some(Named::Number(setting)) = self.named(name) else { return };
                let Some(fact) = setting.fact() else { return };
                (fact.value, fact.written_key().to_string(), fact.location())
            }
        };
        let host = match self.named(row.host) {
            Some(Named::Text(setting)) => setting.text(),
            _ => (!row.host.contains(char::is_alphabetic) && !row.host.is_empty()).then_some(row.host),
        };
        let place = place.or_else(|| self.named(row.place)?.place());
        let socket = |owner: String, offset: i64, place: Option<Location>| Socket {
            node,
            owner,
            port: port.saturating_add(offset),
            host: host.filter(|host| !matches!(*host, "0.0.0.0" | "::" | "*" | "")).map(plain),
            key: key.clone(),
            place,
        };
        match row.each {
            Each::One => sockets.push(socket(row.owner.to_owned(), row.offset, place)),
            Each::Rank => {
                let own = |rank: i64| socket(row.owner.replace("{}", &rank.to_string()), row.offset + rank, place);
                sockets.extend((0..self.ranks_of_server()).map(own));
            }
            Each::Environment => {
                let own = |(at, environment): (usize, &Environment)| {
                    let is_started = environment.address.text().is_none();
                    let name = environment.name.text().or_else(|| environment.base_id()).unwrap_or(&environment.key);
                    let offset = row.offset.checked_add(i64::try_from(at).ok()?)?;
                    is_started.then(|| socket(row.owner.replace("{}", name), offset, place.or(environment.location)))
                };
                sockets.extend(self.environments.iter().enumerate().filter_map(own));
            }
        }
    }

    /// The number of replicas on a node of the inference servers; 1 if it is not known.
    fn ranks_of_server(&self) -> i64 {
        let of_run = self.run.gpus.per_node.get();
        let server = self.inference.as_ref();
        let of_server = server.and_then(|server| server.gpus_per_node.get());
        let tp = server.and_then(|server| server.own_tp.get()).unwrap_or(1).max(1);
        (of_run.or(of_server).unwrap_or(1) / tp).clamp(1, MAX_RANKS)
    }

    fn holds(&self, condition: Condition) -> bool {
        match condition {
            Condition::IsGiven(name) => self.named(name).is_some_and(Named::is_given),
            Condition::IsAbove(name, least) => {
                matches!(self.named(name), Some(Named::Number(setting)) if setting.get().is_some_and(|value| value > least))
            }
            Condition::IsNot(name, value) => !self.holds(Condition::Is(name, value)),
            Condition::Is(name, value) => match self.named(name) {
                Some(Named::Text(setting)) => setting.text() == Some(value),
                Some(Named::Flag(setting)) => setting.get().is_some_and(|is_set| value == if is_set { "true" } else { "false" }),
                _ => false,
            },
        }
    }

    /// A setting by its name in the table; `None` if its part of the plan is not there, or there is none of that name.
    fn named(&self, name: &str) -> Option<Named<'_>> {
        let (part, setting) = name.split_once('.').unwrap_or((name, ""));
        let server = match part {
            "inference" => Some(self.inference.as_ref()?),
            "teacher_inference" => Some(self.teacher_inference.as_ref()?),
            _ => None,
        };
        if let Some(server) = server {
            return Some(match setting {
                "" => Named::Part,
                "port" => Named::Number(&server.port),
                "backend_port" => Named::Number(&server.backend_port),
                "router_port" => Named::Number(&server.router_port),
                "prefill_port" => Named::Number(&server.prefill_port),
                "decode_port" => Named::Number(&server.decode_port),
                "sidecar_port" => Named::Number(&server.sidecar_port),
                "rpc_port" => Named::Number(&server.rpc_port),
                "dp" => Named::Number(&server.own_dp),
                "router_type" => Named::Text(&server.router_type),
                "deployment" => Named::Text(&server.deployment),
                "kv_cache_offload" => Named::Text(&server.kv_cache_offload),
                "enable_expert_parallel" => Named::Flag(&server.enable_expert_parallel),
                "host" => Named::Text(&server.host),
                "router" => Named::Flag(&server.router),
                _ => return None,
            });
        }
        let trainer = || self.trainer.as_ref();
        let broadcast = || trainer()?.weight_broadcast.value();
        Some(match name {
            "eval.env_server_base_port" => Named::Number(&trainer()?.eval.value()?.env_server_base_port),
            "run.gpus.num_train_nodes" => Named::Number(&self.run.gpus.num_train_nodes),
            "orchestrator.env_server_base_port" => Named::Number(&self.orchestrator.as_ref()?.env_server_base_port),
            "trainer.metrics_server" => Named::Flag(&trainer()?.metrics_server),
            "trainer.metrics_host" => Named::Text(&trainer()?.metrics_host),
            "trainer.metrics_port" => Named::Number(&trainer()?.metrics_port),
            "trainer.rollout_transport" => Named::Text(&trainer()?.rollout_transport),
            "trainer.rollout_host" => Named::Text(&trainer()?.rollout_host),
            "trainer.rollout_port" => Named::Number(&trainer()?.rollout_port),
            "trainer.weight_broadcast.kind" => Named::Text(&broadcast()?.kind),
            "trainer.weight_broadcast.host" => Named::Text(&broadcast()?.host),
            "trainer.weight_broadcast.port" => Named::Number(&broadcast()?.port),
            _ => return None,
        })
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
        let on = |node| Socket { node, ..at(None, 1) };
        assert!(!at(None, 1).excludes(&on(Node::Servers)) && !on(Node::Prefill).excludes(&on(Node::Decode)));
        assert!(on(Node::Servers).excludes(&on(Node::Decode)) && on(Node::Prefill).excludes(&on(Node::Servers)));
        assert!(on(Node::FirstServer).excludes(&on(Node::Prefill)) && !on(Node::FirstServer).excludes(&on(Node::Decode)));
        assert!(on(Node::Decode).excludes(&on(Node::LastServer)) && !on(Node::LastServer).excludes(&on(Node::FirstServer)));
    }
}
