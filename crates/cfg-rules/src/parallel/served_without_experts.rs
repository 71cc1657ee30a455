//! Expert parallelism of the inference server for a model that has no experts: vLLM refuses it.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, model_names::no_experts::is_dense};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SERVED_WITHOUT_EXPERTS,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let inference = cx.plan.inference.as_ref()?;
    let spreads = inference.enable_expert_parallel.fact().filter(|spreads| spreads.value && spreads.is_written())?;
    let model = inference.model_name.fact()?;
    if !is_dense(cx, &model.value) {
        return None;
    }
    let key = spreads.written_key();
    let message = format!("`{key}` distributes experts over the GPUs, but {} is a dense model, which has none", model.value);
    let finding = Finding::new(message).on(spreads).label("vLLM refuses to start").with(model, "without experts");
    let repair = Repair::possible(format!("set `{key}` to false")).set(key, false);
    Some(finding.help("remove it: `tp` splits a dense model, and `dp` makes replicas of it").repair(repair))
}
