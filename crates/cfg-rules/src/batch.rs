//! Rollouts, groups and steps.

use cfg_plan::{Fact, Plan};

use crate::Context;

pub(crate) mod evicting_thresholds;
pub(crate) mod idle_ranks;
pub(crate) mod no_spare_groups;
pub(crate) mod one_problem_per_step;
pub(crate) mod single_rollout_groups;
pub(crate) mod split_groups;
pub(crate) mod stale_rollouts;

/// The group sizes that training environments set themselves.
fn own_group_sizes(plan: &Plan) -> impl Iterator<Item = &Fact<i64>> {
    let sizes = plan.train_environments().filter_map(|environment| environment.group_size.fact());
    sizes.filter(|size| size.origin.location().is_some())
}

/// The algorithm of each training environment, where environments have one: its own, or a copy of that of the orchestrator.
pub(crate) fn algorithms(cx: &Context<'_>) -> Vec<&'static str> {
    let mut lists: Vec<&str> =
        cx.plan.train_environments().filter_map(|environment| Some(environment.key.rsplit_once('[')?.0)).collect();
    lists.dedup();
    let items = lists.into_iter().flat_map(|list| cx.view.each(list));
    items.filter_map(|(_, environment)| environment.tag("algo")).collect()
}
