//! vLLM's own arguments, which prime-rl passes on unchanged: those of `vllm_extra`, later the free keys of the table `vllm`.

use cfg_diag::Location;
use cfg_resolve::Resolved;
use cfg_schema::Kind;

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
    let table = if cx.kind == Kind::Inference { "vllm" } else { "inference.vllm" };
    let (_, value) = cx.view.extras(table).into_iter().find(|(key, _)| **key == *name)?;
    Some(Argument { key: format!("{table}.{name}"), value })
}

impl Argument {
    /// Its integer value.
    pub(crate) fn int(&self) -> Option<i64> {
        self.value.value.as_int()
    }

    /// Where it is written.
    pub(crate) fn location(&self) -> Option<Location> {
        self.value.origin.location()
    }

    /// Places a finding at it.
    pub(crate) fn place(&self, finding: Finding) -> Finding {
        let finding = finding.key(&*self.key);
        match self.location() {
            Some(location) => finding.at(location),
            None => finding,
        }
    }
}
