//! vLLM splits the attention heads over the GPUs of a replica, evenly.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    models::{self, Model},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INDIVISIBLE_HEADS,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let servers = cx.plan.inference.iter().chain(&cx.plan.teacher_inference);
    servers.filter_map(|server| find(server)).collect()
}

fn find(inference: &cfg_plan::Inference) -> Option<Finding> {
    let parts = inference.tp.fact().filter(|parts| parts.value > 1)?;
    let name = inference.model_name.fact()?;
    let model = models::find(&name.value)?;
    let (what, heads) = uneven(model, parts.value)?;
    let message =
        format!("{} has {heads} {what}, which {} GPUs can't share evenly: vLLM refuses to start", name.value, parts.value);
    let finding = Finding::new(message).on(parts).label(format!("{} GPUs for one replica", parts.value));
    Some(finding.with(name, format!("{heads} heads")).help(format!(
        "set `{}` to {}, and use the remaining GPUs for replicas",
        parts.written_key(),
        fitting(model, parts.value)
    )))
}

/// The kind and number of heads that can't be divided evenly among this many GPUs: query heads, or key and value heads, which can also be copied
/// to several GPUs. `None` if there are none.
const fn uneven(model: Model, parts: i64) -> Option<(&'static str, i64)> {
    if model.heads % parts != 0 {
        return Some(("attention heads", model.heads));
    }
    match model.kv_heads {
        Some(heads) if heads > 0 && heads % parts != 0 && (heads > parts || parts % heads != 0) => {
            Some(("key and value heads", heads))
        }
        _ => None,
    }
}

/// The largest number of GPUs that can share the heads and that divides the available ones.
fn fitting(model: Model, parts: i64) -> i64 {
    let common = common_divisor(model.heads, parts);
    let fits = |parts: &i64| common % parts == 0 && uneven(model, *parts).is_none();
    (1..=common).rev().find(fits).unwrap_or(1)
}

/// The greatest common divisor.
const fn common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::{Model, fitting, uneven};

    #[test]
    fn heads_are_shared_evenly() {
        let model = Model { context: 1, heads: 28, vocab: 1, kv_heads: Some(4) };
        let fits = |parts: i64| uneven(model, parts).is_none();
        assert_eq!([1, 2, 4, 7, 8, 14, 28].map(fits), [true, true, true, false, false, false, true]);
        assert_eq!([8, 12, 14, 9, i64::MAX].map(|parts| fitting(model, parts)), [4, 4, 2, 1, 1]);
        let latent = Model { kv_heads: None, ..model };
        assert!(uneven(latent, 14).is_none());
    }
}
