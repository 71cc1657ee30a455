//! The shared tokenizer replaces those of trainer and orchestrator; values that it does not set are taken from their models. A chat template must
//! be the same in all places that turn messages into text.

use cfg_schema::Behaviour;

use super::same::same;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let student = if cx.point.lacks(Behaviour::Student) { "orchestrator.model" } else { "orchestrator.student.model" };
    let is_shared = cx.has("tokenizer");
    for (component, model) in [("trainer", "trainer.model"), ("orchestrator", student)] {
        if is_shared {
            cx.copy("tokenizer", &format!("{component}.tokenizer"));
        }
        for key in ["name", "trust_remote_code"] {
            let own = format!("{component}.tokenizer.{key}");
            if !is_shared || !cx.has(&own) {
                cx.copy(&format!("{model}.{key}"), &own);
            }
        }
    }
    let has_inference = cx.has("inference");
    if has_inference && cx.has("trainer.tokenizer.chat_template") && !cx.has("inference.model.chat_template") {
        cx.copy("trainer.tokenizer.chat_template", "inference.model.chat_template");
    }
    same(cx, "trainer.tokenizer.chat_template", "orchestrator.tokenizer.chat_template", "tokenizer.chat_template")?;
    if has_inference {
        same(cx, "trainer.tokenizer.chat_template", "inference.model.chat_template", "tokenizer.chat_template")?;
    }
    Ok(())
}
