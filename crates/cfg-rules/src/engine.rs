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
    let key = format!("{}.{name}", table(cx)?);
    let value = cx.view.free(&key).filter(|value| !matches!(value.value, ResolvedValue::Null))?;
    Some(Argument { key, value })
}

/// All arguments that the config passes on, with their names.
pub(crate) fn arguments(cx: &Context<'_>) -> Vec<(Box<str>, Argument)> {
    let mut found = Vec::new();
    if let Some(extra) = cx.plan.inference.as_ref().and_then(|inference| inference.vllm_extra.fact()) {
        let argument = |(name, value): &(Box<str>, Resolved)| {
            (name.clone(), Argument { key: extra.written_key().below(name), value: value.clone() })
        };
        found.extend(extra.value.0.iter().map(argument));
    }
    if let Some(table) = table(cx) {
        let argument = |(name, value): (Box<str>, Resolved)| {
            let key = format!("{table}.{name}");
            (name, Argument { key, value })
        };
        found.extend(cx.view.extras(table).into_iter().map(argument));
    }
    found
}

/// The table with vLLM's own names, at versions that have one.
fn table(cx: &Context<'_>) -> Option<&'static str> {
    let path = if cx.kind == Kind::Inference { "vllm" } else { "inference.vllm" };
    cx.target.point.has(Behaviour::VllmTable).then_some(path)
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
