//! A teacher at the address of the run's own inference server, which has another model.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::teachers;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, engine};

pub(crate) static RULE: Rule = Rule {
    code: &codes::TEACHER_NOT_SERVED,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(inference) = cx.plan.inference.as_deref() else { return Vec::new() };
    let (Some(served), Some(port)) = (inference.model_name.fact(), inference.port.fact()) else { return Vec::new() };
    let teachers = teachers(cx);
    // vLLM may have got other names for its model.
    if teachers.is_empty() || !cx.plan.is_on_one_node() || engine::argument(cx, "served_model_name").is_some() {
        return Vec::new();
    }
    let found = teachers.into_iter().filter_map(|(name, address)| {
        let address = address.fact().filter(|address| address.is_written())?;
        let is_own = |url: &&str| crate::split::local_port(url) == Some(port.value);
        let url = address.value.iter().map(|url| &**url).find(is_own).filter(|_| *name.value != *served.value)?;
        let message = format!(
            "the teacher {} is requested at {url}, but the run's own server there serves {}: the orchestrator does not find the \
             teacher",
            name.value, served.value
        );
        let help = "start a separate server for the teacher on other GPUs, and write its address";
        let finding = Finding::new(message).on(address).with(name, "the teacher").with(served, "the model of this server");
        Some(finding.with(port, "the port of the run's own server").help(help))
    });
    found.collect()
}
