//! vLLM's own arguments, which prime-rl passes on unchanged: those of `vllm_extra`, later the free keys of the table `vllm`.

use cfg_resolve::{Resolved, ResolvedValue};
use cfg_schema::{Behaviour, Kind};

use crate::{Context, Finding};

/// An argument that the config passes on.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// Its key in the config.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: Resolved,
}

/// The argument of this name, with `_` between words; `None` if the config does not pass it on.
pub(crate) fn argument(cx: &Context<'_>, name: &str) -> Option<Argument> {
    let extra = cx.plan.inference.as_ref()?.vllm_extra.fact();
    if let Some((extra, value)) = extra.and_then(|extra| Some((extra, extra.value.get(name)?))) {
        return Some(Argument { key: format!("{}.{name}", extra.written_key()), value: value.clone() });
    }
    if cx.target.point.lacks(Behaviour::VllmTable) {
        return None;
    }
    let table = if cx.kind == Kind::Inference { "vllm" } else { "inference.vllm" };
    let key = format!("{table}.{name}");
    let value = cx.view.free(&key).filter(|value| !matches!(value.value, ResolvedValue::Null))?;
    Some(Argument { key, value })
}

/// All arguments that the config passes on: the name, the key in the config, and the value of each.
pub(crate) fn arguments(cx: &Context<'_>) -> Vec<(Box<str>, String, Resolved)> {
    let mut found = Vec::new();
    if let Some(extra) = cx.plan.inference.as_ref().and_then(|inference| inference.vllm_extra.fact()) {
        let given = extra.value.0.iter().map(|(name, value)| (name.clone(), extra.written_key().below(name), value.clone()));
        found.extend(given);
    }
    if cx.target.point.has(Behaviour::VllmTable) {
        let table = if cx.kind == Kind::Inference { "vllm" } else { "inference.vllm" };
        found.extend(cx.view.extras(table).into_iter().map(|(name, value)| (name.clone(), format!("{table}.{name}"), value)));
    }
    found
}

impl Argument {
    /// Its integer value.
    pub(crate) fn int(&self) -> Option<i64> {
        self.value.value.as_int()
    }

    /// Places a finding at it.
    pub(crate) fn place(&self, finding: Finding) -> Finding {
        finding.key(&*self.key).at_place(self.value.origin.location())
    }
}
