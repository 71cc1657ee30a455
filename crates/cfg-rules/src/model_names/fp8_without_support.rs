//! Training in FP8 with a model whose experts have no such kernel.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::FP8_WITHOUT_SUPPORT,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::with(Behaviour::GptOssHasOwnClass),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    let name = super::trained(cx)?;
    let is_own = model.implementation.text().is_none_or(|own| matches!(own, "auto" | "custom"));
    if !is_own || catalogue::architecture(&name.value)?.name != "gpt_oss" {
        return None;
    }
    let table = if cx.kind == Kind::Rl { "trainer.model." } else { "model." };
    let (flag, quantization) = (format!("{table}fp8"), format!("{table}quantization"));
    let key = if cx.view.bool(&flag) == Some(true) {
        flag
    } else if cx.view.tag(&quantization) == Some("fp8")
        && cx.view.bool(&format!("{quantization}.enable_grouped_gemm")) == Some(true)
    {
        quantization
    } else {
        return None;
    };
    let message = format!("`{key}` trains experts in FP8, for which {} has no kernel", name.value);
    let finding = Finding::new(message).key(&*key).at_place(cx.view.location(&key));
    let finding = finding.label("the trainer refuses to build the model").with(name, "this model");
    Some(finding.help(format!("remove `{key}`: its experts are trained in bfloat16")))
}
