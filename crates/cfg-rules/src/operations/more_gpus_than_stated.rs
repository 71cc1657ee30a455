//! A config that uses GPUs which the stated machine does not have.

use cfg_diag::{Severity, codes};
use cfg_plan::Fact;
use cfg_plan::budget::gpus_in_words;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, MachineSource, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::MORE_GPUS_THAN_STATED,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

/// Keys that put replicas of the server on other machines.
const ELSEWHERE: [&str; 2] = ["data_parallel_size_local", "vllm.data_parallel_size_local"];

/// The stated machine.
struct Machine<'a> {
    gpus: i64,
    /// As written in the config.
    name: &'a str,
    by: MachineSource,
}

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (gpus, by) = cx.stated_gpus()?;
    let name = cx.metadata.hardware.as_ref().map(|stated| &*stated.value);
    let machine = Machine { gpus, name: name.unwrap_or_default(), by };
    let finding = match cx.kind {
        Kind::Inference => by_replica(cx, &machine)?,
        _ if cx.plan.run.gpus.trainer_ids.exists() => by_id(cx, &machine)?,
        _ => by_count(cx, &machine)?,
    };
    Some(match machine.by {
        MachineSource::Config(location) => finding.related(location, format!("{} here", gpus_in_words(machine.gpus))),
        MachineSource::CommandLine => finding,
        // Settings of a project or registry apply to many configs, some of which may be for another machine.
        MachineSource::Registry | MachineSource::Settings => finding.severity(Severity::Warning),
    })
}

/// Compares the ids of the GPUs, which start at 0: a config had these until 2026-02.
fn by_id(cx: &Context<'_>, machine: &Machine<'_>) -> Option<Finding> {
    let gpus = &cx.plan.run.gpus;
    let inference = cx.plan.inference.as_ref().and(gpus.inference_ids.fact());
    let lists = [gpus.trainer_ids.fact(), inference, gpus.teacher_ids.fact()];
    let beyond = |ids: &&Fact<Vec<i64>>| ids.value.iter().any(|id| *id >= machine.gpus);
    let ids = lists.into_iter().flatten().find(beyond)?;
    let id = ids.value.iter().find(|id| **id >= machine.gpus)?;
    let by_default = if ids.is_written() { "" } else { " by default" };
    let message = format!(
        "`{}`{by_default} names GPU {id}, but the machine has {}, and GPU ids start at 0",
        ids.written_key(),
        gpus_in_words(machine.gpus)
    );
    Some(Finding::new(message).on(ids).help(help(machine, "use only ids that exist")))
}

/// Compares the numbers of GPUs on a single node, which a config has had since then.
fn by_count(cx: &Context<'_>, machine: &Machine<'_>) -> Option<Finding> {
    let gpus = &cx.plan.run.gpus;
    if cx.plan.run.slurm.value().is_some() || !gpus.deployment.is("single_node") {
        return None;
    }
    let inference = cx.plan.inference.as_ref().and(gpus.num_infer.fact());
    let counts = [gpus.num_train.fact(), inference, gpus.num_teacher.fact()];
    let total = counts.iter().flatten().fold(0_i64, |total, count| total.saturating_add(count.value));
    if total <= machine.gpus {
        return None;
    }
    // The largest part is probably the wrong one.
    let (first, rest) =
        counts.iter().flatten().max_by_key(|count| (count.is_written(), count.value)).zip(Some(counts.iter().flatten()))?;
    let parts: Vec<String> = rest.clone().map(|count| format!("`{}` is {}", count.written_key(), count.value)).collect();
    let sum = if parts.len() > 1 { format!(", {total} together") } else { String::new() };
    let message = format!("{}{sum}, but the machine has {}", parts.join(" and "), gpus_in_words(machine.gpus));
    Some(Finding::new(message).on(first).help(help(machine, "use at most as many GPUs as the machine has")))
}

/// Compares the GPUs of an inference server's replicas, from its own file, as far as they are on one machine.
fn by_replica(cx: &Context<'_>, machine: &Machine<'_>) -> Option<Finding> {
    let server = cx.plan.inference.as_ref()?;
    if server.deployment.exists() && !server.deployment.is("single_node") {
        return None;
    }
    let tp = server.tp.fact()?;
    let dp = server.dp.fact().filter(|_| !ELSEWHERE.iter().any(|key| cx.view.is_set(key)));
    let replicas = dp.map_or(1, |dp| dp.value);
    let total = tp.value.saturating_mul(replicas);
    if total <= machine.gpus {
        return None;
    }
    let subject = if tp.value > 1 { tp } else { dp? };
    let parts: Vec<String> = [Some(tp), dp]
        .into_iter()
        .flatten()
        .filter(|part| part.value > 1)
        .map(|part| format!("`{}` is {}", part.written_key(), part.value))
        .collect();
    let sum = if parts.len() > 1 { format!(", {total} GPUs together") } else { String::new() };
    let message = format!("{}{sum}, but the machine has {}", parts.join(" and "), gpus_in_words(machine.gpus));
    Some(Finding::new(message).on(subject).help(help(machine, "use at most as many GPUs as the machine has")))
}

fn help(machine: &Machine<'_>, order: &str) -> String {
    match machine.by {
        MachineSource::Config(_) => format!("{order}, or correct `hardware`, which is \"{}\"", machine.name),
        MachineSource::CommandLine => order.to_owned(),
        MachineSource::Registry | MachineSource::Settings => {
            format!("{order}, or set `hardware` in this config's metadata to its own machine")
        }
    }
}
