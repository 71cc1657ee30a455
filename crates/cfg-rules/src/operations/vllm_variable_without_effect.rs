//! Variables that vLLM no longer reads, or that prime-rl always sets itself.

use cfg_diag::codes;
use cfg_plan::{Entries, Fact};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

/// Each variable, why it has no effect, and what to do.
const DEAD: [(&str, &str, &str); 4] = [
    ("VLLM_USE_V1", "vLLM has only one engine since 0.11, and does not read it", "remove it"),
    ("VLLM_USE_DEEP_GEMM", "prime-rl sets it from `use_deep_gemm`", "set `use_deep_gemm` of the inference server"),
    ("VLLM_MOE_USE_DEEP_GEMM", "prime-rl sets it from `use_deep_gemm`", "set `use_deep_gemm` of the inference server"),
    ("VLLM_ALLOW_RUNTIME_LORA_UPDATING", "prime-rl sets it if the server has LoRA enabled", "enable LoRA instead"),
];

pub(crate) static RULE: Rule = Rule {
    code: &codes::VLLM_VARIABLE_WITHOUT_EFFECT,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Safe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let own = cx.plan.inference.as_ref().and_then(|inference| inference.env_vars.fact());
    // prime-rl may copy shared variables to the server.
    let shared = cx.plan.run.env_vars.fact().filter(|_| cx.kind == Kind::Rl);
    own.into_iter().filter(|own| own.shared.is_none()).chain(shared).flat_map(dead_of).collect()
}

/// Why a variable has no effect, and what to do.
pub(crate) fn dead(name: &str) -> Option<(&'static str, &'static str)> {
    DEAD.iter().find(|(dead, ..)| *dead == name).map(|(_, why, order)| (*why, *order))
}

fn dead_of(variables: &Fact<Entries>) -> impl Iterator<Item = Finding> {
    variables.value.0.iter().filter_map(|(name, value)| {
        let (why, order) = dead(name)?;
        let key = variables.written_key().below(name);
        let finding = Finding::new(format!("`{name}` has no effect here: {why}")).key(&key).at(value.origin.location()?);
        Some(finding.help(order).repair(Repair::safe(format!("remove `{name}`")).remove(&key)))
    })
}
