//! Arguments of vLLM that split the model further than prime-rl knows: it has computed the number of replicas without them.

use cfg_diag::codes;
use cfg_plan::budget::gpus_in_words;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, engine};

/// Arguments with which the GPUs need not be those of this machine.
const ELSEWHERE: [&str; 8] = [
    "data_parallel_size_local",
    "data_parallel_rank",
    "data_parallel_start_rank",
    "data_parallel_external_lb",
    "data_parallel_hybrid_lb",
    "data_parallel_backend",
    "distributed_executor_backend",
    "nnodes",
];

/// The first of them where prime-rl has it as a key of its own.
const OWN: [&str; 2] = ["inference.data_parallel_size_local", "inference.vllm.data_parallel_size_local"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::ENGINE_BEYOND_GPUS,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (run, inference) = (&cx.plan.run, cx.plan.inference.as_ref()?);
    let own = |name: &str| engine::argument(cx, name).filter(|argument| argument.int().is_some_and(|value| value > 0));
    let split = [own("tensor_parallel_size"), own("pipeline_parallel_size"), own("data_parallel_size")];
    if split.iter().all(Option::is_none) {
        return None;
    }
    let is_elsewhere =
        || OWN.iter().any(|key| cx.view.has(key)) || ELSEWHERE.iter().any(|name| engine::argument(cx, name).is_some());
    if !cx.plan.is_on_one_node() || is_elsewhere() {
        return None;
    }
    let (tp, dp) = (inference.own_tp.fact()?, inference.own_dp.fact()?);
    let value = |at: usize, default: i64| split[at].as_ref().and_then(engine::Argument::int).unwrap_or(default);
    let (of_each, replicas) = (value(0, tp.value).checked_mul(value(1, 1))?, value(2, dp.value));
    let needed = of_each.checked_mul(replicas)?;
    let has = tp.value.checked_mul(dp.value)?.max(run.gpus.num_infer.get().unwrap_or(0));
    if needed <= has {
        return None;
    }
    let subject = split.iter().flatten().max_by_key(|argument| argument.int())?;
    let message = format!(
        "`{}` is {}: vLLM needs {} ({replicas} replicas of {of_each}), but it gets {}",
        subject.key,
        subject.int()?,
        gpus_in_words(needed),
        gpus_in_words(has)
    );
    let help = format!(
        "prime-rl computes the number of replicas from `{0}` and does not read vLLM's own arguments: remove `{1}`, and set `{0}`",
        tp.key, subject.key
    );
    let finding = subject.place(Finding::new(message)).label("not counted by prime-rl");
    let finding = finding.with(dp, "replicas");
    let finding = match run.gpus.num_infer.fact() {
        Some(gpus) => finding.with(gpus, "the server's GPUs"),
        None => finding,
    };
    Some(finding.help(help))
}
