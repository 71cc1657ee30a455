//! Effects of a change on a training step that users often do not expect.

use cfg_check::Checked;
use cfg_diag::codes;
use cfg_plan::{Plan, Role};

/// The settings of a config on which these hints depend.
pub(in crate::commands) struct Course {
    plan: Plan,
    /// Whether its steps wait for tool calls.
    waits_for_tools: bool,
}

impl Course {
    /// Reads the settings; `None` if the config could not be resolved.
    pub(in crate::commands) fn of(checked: &Checked) -> Option<Self> {
        let plan = Plan::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?);
        let waits_for_tools = checked.diagnostics.iter().any(|found| found.code == &codes::SLOW_EXECUTOR);
        Some(Self { plan, waits_for_tools })
    }
}

/// Sentences that compare the steps of two configs.
pub(in crate::commands) fn hints(one: &Course, other: &Course) -> Vec<String> {
    let (Some(before), Some(after)) = (&one.plan.orchestrator, &other.plan.orchestrator) else { return Vec::new() };
    let mut hints = Vec::new();
    let groups = before.batch.group_size.get().zip(after.batch.group_size.get());
    let sizes = before.batch.batch_size.get().zip(after.batch.batch_size.get());
    let steps = sizes.zip(groups).zip(before.batch.problems().zip(after.batch.problems()));
    if let Some((((size_before, size), (group_before, group)), (problems_before, problems))) = steps {
        let is = format!("{problems} problems of {group}");
        let was = format!("{problems_before} of {group_before}");
        if size != size_before {
            hints.push(format!(
                "a step has {size} rollouts instead of {size_before} ({is} instead of {was}): compare the two by rollouts, not by steps"
            ));
        } else if group != group_before {
            hints.push(format!(
                "a step still has {size} rollouts, because `batch_size` counts rollouts: now {is} instead of {was}, for the same \
                 work"
            ));
        }
    }
    let limits = before.sampling.max_tokens.get().zip(after.sampling.max_tokens.get());
    let is_cut = limits.is_some_and(|(before, after)| after < before);
    if let Some((_, limit)) = limits.filter(|_| is_cut) {
        hints.push(format!(
            "the lower limit of {limit} tokens saves time only for answers that reach it; shorter ones take as long as before"
        ));
    }
    let is_rearranged = is_cut || groups.is_some_and(|(before, after)| before != after);
    if is_rearranged && one.waits_for_tools && other.waits_for_tools {
        let code = codes::SLOW_EXECUTOR.code;
        hints.push(format!("in both, steps wait for tool calls ({code}), regardless of answer length and group size"));
    }
    for (role, what) in [(Role::Train, "rewards"), (Role::Eval, "results of evaluations")] {
        let (tasks_before, tasks) = (tasks(one, role), tasks(other, role));
        if tasks != tasks_before && !tasks.is_empty() && !tasks_before.is_empty() {
            hints.push(format!(
                "{what} are for different tasks ({} instead of {}) and not comparable",
                listed(&tasks),
                listed(&tasks_before)
            ));
        }
    }
    hints
}

/// The name of the runs of both configs in Weights & Biases, if they share it.
pub(in crate::commands) fn shared_run_name(one: &Course, other: &Course) -> Option<String> {
    let name = run_name(&one.plan)?;
    (run_name(&other.plan)? == name).then(|| name.to_owned())
}

/// The run name that the config states.
fn run_name(plan: &Plan) -> Option<&str> {
    let of_run = plan.run.wandb.value().map(|wandb| &wandb.name);
    let of_trainer = plan.trainer.as_ref().and_then(|trainer| trainer.wandb.value()).map(|wandb| &wandb.name);
    let of_orchestrator = plan.orchestrator.as_ref().and_then(|of| of.wandb.value()).map(|wandb| &wandb.name);
    let names = [of_run, of_trainer, of_orchestrator].into_iter().flatten().filter_map(cfg_plan::Setting::fact);
    names.filter(|name| name.is_written()).map(|name| &*name.value).next()
}

/// The ids of the environments with this role, with their versions, because another version of an environment may have other tasks.
fn tasks(course: &Course, role: Role) -> Vec<&str> {
    let of_role = course.plan.environments.iter().filter(|environment| environment.role == role);
    of_role.filter_map(|environment| environment.settings.id.value()).map(|id| &**id).collect()
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
