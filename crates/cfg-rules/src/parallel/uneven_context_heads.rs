//! Ulysses gives each GPU of context parallelism the same number of attention heads.

use cfg_diag::codes;
use cfg_schema::Behaviour;

use super::{TRAINS, choice, divisors, shape};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNEVEN_CONTEXT_HEADS,
    kinds: TRAINS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

/// The condition of a version on the number of key and value heads.
#[derive(Clone, Copy)]
enum KeyValueHeads {
    /// The same number for each GPU.
    Divided,
    /// The same number for each GPU, or the same number of GPUs for each head.
    Repeated,
}

impl KeyValueHeads {
    const fn suit(self, heads: i64, cp: i64) -> bool {
        heads % cp == 0 || matches!(self, Self::Repeated) && heads < cp && cp % heads == 0
    }
}

fn check(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.trainer.as_ref()?.model;
    let cp = model.cp.fact().filter(|cp| cp.value > 1)?;
    let style = model.cp_style.fact().filter(|style| &*style.value == "ulysses")?;
    let name = model.name.fact()?;
    // With latent attention, heads are made per GPU.
    let shape = shape(cx, &name.value).filter(|shape| shape.mla.is_none() && shape.heads > 0 && shape.kv_heads > 0)?;
    let (heads, kv_heads) = (i64::from(shape.heads), i64::from(shape.kv_heads));
    let asked =
        if cx.target.point.lacks(Behaviour::KvHeadsAreRepeated) { KeyValueHeads::Divided } else { KeyValueHeads::Repeated };
    let (what, count) = match () {
        () if heads % cp.value != 0 => ("attention heads", heads),
        () if !asked.suit(kv_heads, cp.value) => ("key and value heads", kv_heads),
        () => return None,
    };
    let message = format!(
        "{} has {count} {what}, which {} GPUs of context parallelism can't share evenly: Ulysses refuses the first batch",
        name.value, cp.value
    );
    let values = divisors(heads, cp.value, |cp| asked.suit(kv_heads, cp));
    let ring = format!("set `{}` to \"ring\"", style.written_key());
    Some(
        Finding::new(message)
            .on(cp)
            .label(format!("{} GPUs for a sequence", cp.value))
            .with(style, "by heads here")
            .with(name, format!("{count} {what}"))
            .help(format!("set `{}` to {}, or {ring}", cp.written_key(), choice(&values))),
    )
}
