//! GPUs for an inference server that nobody starts: without its table the launcher starts none, and the orchestrator waits for one.

use cfg_compose::WrittenLaunch;
use cfg_diag::codes;
use cfg_plan::{Fact, Key};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_INFERENCE_SERVER,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

/// The tables of the orchestrator's client, the newest first.
const CLIENTS: [&str; 3] = ["orchestrator.model.client", "orchestrator.student.client", "orchestrator.client"];

/// The keys of a client that say where a server is.
const ADDRESSES: [&str; 5] = ["base_url", "admin_base_url", "elastic", "host", "port"];

/// Other models that generate the rollouts.
const GENERATORS: [&str; 2] = ["orchestrator.teacher_rollout_model", "orchestrator.algo.sampling.source"];

fn check(cx: &Context<'_>) -> Option<Finding> {
    let plan = cx.plan;
    // A config that prime-rl refuses may be a part of another one, which has the server.
    let trainer = plan.trainer.as_ref().filter(|_| plan.is_valid && plan.orchestrator.is_some())?;
    // prime-rl itself refuses several nodes without a server, and a fork may start one in its own way.
    if !plan.is_on_one_node()
        || plan.inference.is_some()
        || trainer.fake_data.fact().is_some()
        || plan.run.dry_run.is_on()
        || is_elsewhere(cx)
    {
        return None;
    }
    let gpus = &plan.run.gpus;
    let ids = gpus.inference_ids.fact().filter(|ids| ids.is_written() && !ids.value.is_empty());
    let count = gpus.num_infer.fact().filter(|count| count.is_written() && count.value > 0);
    let finding = match (ids, count) {
        (Some(ids), _) => on(ids),
        (None, Some(count)) => on(count),
        (None, None) => return None,
    };
    Some(finding.help("add `[inference]`, which may be empty; if a server runs elsewhere, write its address and remove the GPUs"))
}

fn on<T>(fact: &Fact<T>) -> Finding {
    let key: &Key = fact.written_key();
    let message = format!(
        "`{key}` gives GPUs to inference, but without `[inference]` no server is started: the orchestrator waits for one"
    );
    Finding::new(message).on(fact)
}

/// Whether a server is started otherwise, or the config asks one at another address.
fn is_elsewhere(cx: &Context<'_>) -> bool {
    let has_address = |client: &&str| ADDRESSES.iter().any(|key| cx.view.location(&format!("{client}.{key}")).is_some());
    if CLIENTS.iter().any(has_address) || GENERATORS.iter().any(|key| cx.view.location(key).is_some()) {
        return true;
    }
    if cx.is_launch {
        return false;
    }
    let launches = cx.project.nearby.launches(cx.metadata.usage.launches());
    let adds_one = |launch: &WrittenLaunch| {
        launch.kind == Kind::Inference || launch.passes("inference") || launch.kind == cx.kind && launch.files().count() > 1
    };
    launches.iter().any(adds_one) || cx.usage_passes("inference")
}
