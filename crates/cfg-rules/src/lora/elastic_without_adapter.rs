//! A client that finds its inference servers by DNS can only send them adapters, not the weights of a model.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ELASTIC_WITHOUT_ADAPTER,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.orchestrator.as_ref()?.model;
    let elastic = model.elastic.fact().filter(|elastic| elastic.value && elastic.is_written())?;
    // The name is what the orchestrator asks for; `rl` sets it if the trainer has an adapter.
    if !model.lora_name.is_empty() {
        return None;
    }
    let message = format!(
        "`{}` needs an adapter, but the whole model is trained: the orchestrator stops with a ValueError at the first update of \
         the weights",
        elastic.written_key()
    );
    let adapter = if cx.kind == Kind::Rl {
        let lora = cx.plan.trainer.as_ref().and_then(|trainer| trainer.model.lora.key());
        lora.map(|key| format!("add a table `{key}`"))
    } else {
        model.lora_name.key().map(|key| format!("set `{key}`"))
    };
    let instead = "list the servers in `base_url`";
    let help = adapter.map_or_else(|| instead.to_owned(), |adapter| format!("{adapter}, or {instead}"));
    Some(Finding::new(message).on(elastic).help(help))
}
