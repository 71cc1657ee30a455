//! vLLM splits the attention heads over the GPUs of a replica, evenly.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, Targets, models};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INDIVISIBLE_HEADS,
    kinds: &[Kind::Rl, Kind::Inference],
    targets: Targets::ALL,
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
    let heads = models::find(&name.value)?.heads;
    if heads % parts.value == 0 {
        return None;
    }
    // One that also divides the GPUs as they are.
    let fitting = common_divisor(heads, parts.value);
    let message = format!(
        "{} has {heads} attention heads, which {} GPUs can't share evenly: vLLM refuses to start",
        name.value, parts.value
    );
    let finding = Finding::new(message).on(parts).label(format!("{} GPUs for one replica", parts.value));
    Some(
        finding
            .with(name, format!("{heads} heads"))
            .help(format!("set `{}` to {fitting}, and let replicas share the rest", parts.written_key())),
    )
}

/// The greatest number that divides both.
const fn common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::common_divisor;

    #[test]
    fn what_divides_both() {
        assert_eq!([(28, 8), (32, 12), (28, 9), (32, i64::MAX)].map(|(one, other)| common_divisor(one, other)), [4, 4, 1, 1]);
    }
}
