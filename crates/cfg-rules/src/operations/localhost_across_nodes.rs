//! Rollouts are sent by `zmq` to the first node of the trainer, which passes them on to the others. Before the launcher set the host, each node asked
//! its own `localhost`.

use cfg_diag::codes;
use cfg_plan::State;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::LOCALHOST_ACROSS_NODES,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (run, trainer) = (&cx.plan.run, cx.plan.trainer.as_ref()?);
    let nodes = run.gpus.num_train_nodes.fact().filter(|nodes| nodes.value > 1)?;
    let transport = trainer.rollout_transport.fact().filter(|transport| &*transport.value == "zmq")?;
    let host = trainer.rollout_host.fact().filter(|host| matches!(&*host.value, "localhost" | "127.0.0.1"))?;
    // With a shared key, the launcher tells each process the address of the first node.
    let is_told = !matches!(run.rollout_transport.state(), State::Absent);
    if is_told || run.gpus.deployment.text() != Some("multi_node") {
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
