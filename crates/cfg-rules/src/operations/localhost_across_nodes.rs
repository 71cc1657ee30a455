//! What the processes of several nodes meet at `localhost`, which is another machine on each of them: the rollouts that the first node of the trainer passes
//! on by `zmq`, before the launcher set the host, and the service by which NIXL's weights are found, before the launcher started one.

use cfg_diag::codes;
use cfg_plan::{Fact, Setting, State};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::LOCALHOST_ACROSS_NODES,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// The table and the key of a launcher that starts the service.
const TABLE: &str = "slurm";
const SWITCH: &str = "launch_modelexpress";

fn check(cx: &Context<'_>) -> Vec<Finding> {
    if cx.plan.run.gpus.deployment.text() != Some("multi_node") {
        return Vec::new();
    }
    rollouts(cx).into_iter().chain(weights(cx)).collect()
}

fn rollouts(cx: &Context<'_>) -> Option<Finding> {
    let (run, trainer) = (&cx.plan.run, cx.plan.trainer.as_ref()?);
    let nodes = run.gpus.num_train_nodes.fact().filter(|nodes| nodes.value > 1)?;
    let transport = trainer.rollout_transport.fact().filter(|transport| &*transport.value == "zmq")?;
    let host = own_machine(&trainer.rollout_host)?;
    // With a shared key, the launcher tells each process the address of the first node.
    if !matches!(run.rollout_transport.state(), State::Absent) {
        return None;
    }
    let message = format!(
        "the {} nodes of the trainer receive their batches by zmq from `{}`, which is a different machine for each of them",
        nodes.value, host.value
    );
    let help =
        format!("set `{}` in the trainer and the orchestrator to the address of the first node, or use \"filesystem\"", host.key);
    let finding = Finding::new(message).on(host).label("each node asks itself");
    Some(finding.with(transport, "batches are sent by zmq").with(nodes, "so many nodes train").help(help))
}

fn weights(cx: &Context<'_>) -> Option<Finding> {
    // The shared table is where it is written; the trainer has a copy.
    let of_trainer = || cx.plan.trainer.as_ref()?.weight_broadcast.value();
    let broadcast = cx.plan.run.weight_broadcast.value().or_else(of_trainer)?;
    let kind = broadcast.kind.fact().filter(|kind| &*kind.value == "nixl" && cx.plan.inference.is_some())?;
    let host = own_machine(&broadcast.host)?;
    // Later, the launcher starts the service and tells each process its address. A file that has its switch is for such a prime-rl.
    let is_refused = || cx.view.below(TABLE).is_some_and(|table| table.refused().any(|(key, _)| key == SWITCH));
    if cx.target.may_have(Kind::Rl, &format!("{TABLE}.{SWITCH}")) || is_refused() {
        return None;
    }
    let message = format!(
        "trainer and inference servers are on other nodes, but each asks the ModelExpress service on `{}` for the weights",
        host.value
    );
    let help = format!("set `{}` to the node on which you start ModelExpress; this prime-rl starts none", host.written_key());
    let finding = Finding::new(message).on(kind).label("weights are sent by NIXL").help(help);
    Some(if host.is_written() { finding.with(host, "each node asks itself") } else { finding })
}

/// The address of the machine itself, if a setting has it.
fn own_machine(host: &Setting<Box<str>>) -> Option<&Fact<Box<str>>> {
    host.fact().filter(|host| matches!(&*host.value, "localhost" | "127.0.0.1"))
}
