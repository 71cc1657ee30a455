//! Values that changed without an effect on a config.

use cfg_check::Checked;
use cfg_migrate::Changed;
use cfg_plan::Plan;

/// The model of a config, if it is known to have no experts.
pub(super) fn dense_model(checked: &Checked) -> Option<String> {
    let plan = Plan::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?);
    let trained = plan.trainer.as_ref().and_then(|trainer| trainer.model.name.value());
    let name = trained.or_else(|| plan.inference.as_ref()?.model_name.value())?.clone();
    let shape = cfg_plan::budget::shape(&name, |_| None, |_| None).ok()?;
    shape.architecture.moe.is_none().then(|| name.into())
}

/// Whether a key is about the experts of a mixture.
pub(super) fn is_of_experts(changed: &Changed) -> bool {
    changed
        .key
        .split('.')
        // `router` alone is a table of the inference server.
        .any(|part| {
            part == "ep" || part.starts_with("moe") || part.contains("router") && part != "router" || part.contains("expert")
        })
        && !changed.is_written
}

/// Whether a default is gone that the config does not set.
pub(super) const fn is_gone(changed: &Changed) -> bool {
    changed.new.is_none() && !changed.is_written
}
