//! The memory model's result for a checked config: the only source of `cfg memory` and of the editor's figures.

use cfg_diag::{Severity, codes};
use cfg_memory::{
    Bytes,
    hardware::{Hardware, HardwareError},
    run::Assessment,
};
use cfg_plan::budget::{Budget, Inputs, Missing, Shape, budget};
use cfg_plan::{Metadata, Plan};
use cfg_schema::Target;

pub use cfg_rules::MachineSource;

use crate::{Checked, Project, rules};

/// What the user states besides the config.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryOptions<'a> {
    /// The machine.
    pub hardware: Option<&'a Hardware>,
    /// The shape of every model.
    pub shape: Option<&'a Shape>,
}

/// A run, and the model's result for it.
#[derive(Debug)]
pub struct Memory {
    /// The run as input of the model, and the assumptions for it.
    pub budget: Budget,
    /// The model's result.
    pub assessment: Assessment,
    /// The machine, if it is known.
    pub hardware: Option<Hardware>,
    /// Where it is stated, or where an unknown machine is stated; `None` if the machine was requested by the user, or is not stated.
    pub stated: Option<MachineSource>,
    /// Why the stated machine is unknown.
    pub unknown: Option<HardwareError>,
    /// The free disk space, if stated.
    pub free: Option<Bytes>,
}

/// Errors in how a run is distributed over its GPUs, independently of their memory: one sentence each. `plan` and `metadata` are those of all files
/// of the run.
pub fn layout_errors(checked: &Checked, plan: &Plan, metadata: &Metadata, project: &Project) -> Vec<String> {
    let Some((kind, resolved)) = checked.kind.zip(checked.resolved.as_ref()) else { return Vec::new() };
    let schema = checked.target.schema(kind);
    let found = rules::of_plan(plan, schema, resolved, metadata, &checked.target, project, false);
    let errors = found.into_iter().map(|(finding, _)| finding);
    errors
        .filter(|finding| cfg_rules::is_layout(finding.code) && finding.severity == Severity::Error)
        .map(|finding| match finding.help {
            // If the user requested the machine, there is nothing to correct in the config.
            Some(help) if finding.code != &codes::MORE_GPUS_THAN_STATED => format!("{}; {help}", finding.message),
            _ => finding.message,
        })
        .collect()
}

/// prime-rl's own checks that refuse a config for something that its memory doesn't depend on: renderers, environments, sampling, schedules, what
/// starts it.
const BESIDE_MEMORY: [&str; 40] = [
    "_check_judges",
    "_check_reasoning_effort",
    "_check_thinking_retention",
    "_refuse_legacy_id_with_taskset",
    "_reject_legacy_preserve_flags",
    "_validate_egress",
    "_validate_idle_timeout",
    "_validate_network_policy",
    "check_prompt_source",
    "dont_do_massive_traces",
    "require_a_role",
    "require_explicit_endpoint",
    "require_frozen_source",
    "validate_client_mode",
    "validate_deployment",
    "validate_env",
    "validate_env_name",
    "validate_env_ratios",
    "validate_length_shaping_requires_online_difficulty_filtering",
    "validate_mask_bounds",
    "validate_multi_node_requires_slurm",
    "validate_network_policy",
    "validate_non_empty_envs",
    "validate_non_empty_sources",
    "validate_pool_size",
    "validate_pools",
    "validate_range",
    "validate_renderer_args",
    "validate_renderer_auto_resolves",
    "validate_sampling_source",
    "validate_scheduler",
    "validate_scheduler_steps",
    "validate_scorers",
    "validate_skip_verification",
    "validate_subsets_and_splits",
    "validate_temperature_config",
    "validate_thresholds",
    "validate_typed_renderer",
    "validate_unique_env_names",
    "validate_unique_filter_types",
];

/// Why prime-rl refuses a config, one sentence each, if the memory of its run doesn't depend on any of these reasons; `None` if it may. Without
/// reasons, prime-rl accepts it.
pub fn refusals_beside_memory(checked: &Checked) -> Option<Vec<String>> {
    checked.resolved.as_ref()?;
    let refusals = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error && found.native.is_some());
    refusals
        .map(|found| {
            let check = found.native.as_ref()?.check.as_deref()?;
            BESIDE_MEMORY.contains(&check).then(|| format!("prime-rl refuses it: {}", found.message))
        })
        .collect()
}

/// The memory model's result for a run. `metadata` is from its files.
///
/// # Errors
/// If nothing is trained or served, or the model is unknown.
pub fn memory(
    plan: &Plan,
    target: &Target,
    metadata: &Metadata,
    project: &Project,
    options: MemoryOptions<'_>,
) -> Result<Memory, Missing> {
    let machine = if options.hardware.is_some() { None } else { project.machine(metadata) };
    let (found, stated) = machine.unzip();
    let (found, unknown) = match found {
        Some(Ok(hardware)) => (Some(hardware), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let hardware = options.hardware.cloned().or(found);
    let inputs = Inputs {
        target,
        hardware: hardware.as_ref(),
        shape: &|name| options.shape.cloned().or_else(|| project.shapes.get(name).cloned()),
        local: &|name| project.local_shape(name),
    };
    let budget = budget(plan, &inputs)?;
    let assessment = budget.run.assess();
    #[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
    let free = metadata.disk.as_ref().map(|disk| Bytes::new(disk.value as f64)).or(project.disk);
    Ok(Memory { budget, assessment, hardware, stated, unknown, free })
}
