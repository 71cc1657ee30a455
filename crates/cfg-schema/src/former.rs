//! The places that a key of a later prime-rl has at an earlier one: the moves of the history, backwards.

use crate::{
    Automatic, History, Kind, Move, Node, Point, TypeKind,
    moved::{after_in_file, in_file},
};

/// What a key of a later prime-rl is at a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Former {
    /// Its path there, in a file of the same kind, with `[]` for items.
    pub path: String,
    /// How its value is written there.
    pub value: FormerValue,
    /// Whether each of the moves keeps the meaning.
    pub is_safe: bool,
}

/// How a value is written at an earlier prime-rl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormerValue {
    /// As it is.
    Same,
    /// As that many consecutive numbers. They follow as many as these keys, which count too, state; a key that is not written states one.
    Numbers(Vec<String>),
    /// As what becomes of it by this map of values.
    Of(&'static str),
    /// In a form that the author has to find.
    Other,
}

/// The maximum number of moves of a key, which no key reaches.
const MAX_STEPS: usize = 8;

/// The place at `target` of the key at `path` in a file of `kind`, if that key has another place at a later prime-rl; `path` has the notation of the
/// history without variants.
pub fn former(history: History, kind: Kind, path: &str, target: Point) -> Option<Former> {
    let kind = kind.entrypoint();
    let start = Former { path: path.to_owned(), value: FormerValue::Same, is_safe: true };
    search(history, kind, &start, target, None, MAX_STEPS)
}

/// The place at `target` of a key that has the place `now` until the point `until`.
fn search(history: History, kind: Kind, now: &Former, target: Point, until: Option<Point>, steps: usize) -> Option<Former> {
    let later = |step: &Move| step.point().is_some_and(|point| point > target && until.is_none_or(|until| point < until));
    let mut back: Vec<(usize, Option<Point>, Former)> =
        history.moves_towards(&now.path).filter(later).filter_map(|step| before(history, kind, step, now)).collect();
    // What concerns the key itself comes before what concerns a table around it, the latest move before older ones, and of several at once that which keeps
    // the value.
    back.sort_by_key(|(rest, point, former)| (*rest, std::cmp::Reverse(*point), former.value == FormerValue::Other));
    back.into_iter().find_map(|(_, point, former)| {
        if exists(history, kind, &former.path, target) {
            return Some(former);
        }
        search(history, kind, &former, target, point, steps.checked_sub(1)?)
    })
}

/// The key before one move, with the length of what is below the moved path, and the point of the move.
fn before(history: History, kind: Kind, step: Move, now: &Former) -> Option<(usize, Option<Point>, Former)> {
    if !matches!(step.change(), "rename" | "move" | "restructure" | "type-change") {
        return None;
    }
    let ((from_kind, from), (to_kind, to)) = (step.from(), step.to()?);
    // Of the kinds of files, only that of a whole run contains others.
    let is_within = |component: Kind| component == kind || kind == Kind::Rl;
    if !is_within(from_kind) || !is_within(to_kind) || (from_kind, from) == (to_kind, to) {
        return None;
    }
    let rest = after_in_file(&now.path, kind, to_kind, to).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))?;
    let from = in_file(kind, from_kind, from);
    let (rest, value) = match step.value() {
        "copy" | "merge" => (rest, FormerValue::Same),
        "count" if rest.is_empty() => (rest, FormerValue::Numbers(counted_before(history, kind, step))),
        // A table that has the value under one key.
        value if value.starts_with("map:") && rest.is_empty() && !value.contains("\"*\"") => (rest, FormerValue::Of(value)),
        value if value.starts_with("map:") => {
            (rest.strip_prefix('.').filter(|key| is_key_of_value(value, key)).map(|_| "")?, FormerValue::Same)
        }
        value if value.starts_with("table-with:") => (rest, FormerValue::Same),
        _ => (rest, FormerValue::Other),
    };
    let value = if now.value == FormerValue::Same { value } else { FormerValue::Other };
    let is_safe = now.is_safe && step.automatic() == Automatic::Safe;
    Some((rest.len(), step.point(), Former { path: format!("{from}{rest}"), value, is_safe }))
}

/// Whether a map of values makes of any other value a table that has it under `key`.
fn is_key_of_value(map: &str, key: &str) -> bool {
    let plain: String = map.chars().filter(|character| !character.is_whitespace()).collect();
    let other = plain.split_once("\"*\":{").and_then(|(_, table)| table.split_once('}'));
    other.is_some_and(|(table, _)| table.split(',').any(|pair| pair == format!("\"{key}\":\"*\"")))
}

/// The later names of the keys whose numbers come before those of a count.
fn counted_before(history: History, kind: Kind, step: Move) -> Vec<String> {
    let condition = step.when().and_then(|when| when.strip_prefix("counts on")).unwrap_or_default();
    let names = condition.split(',').map(str::trim).filter(|name| !name.is_empty());
    let later = |name: &str| {
        let of_it = history.moves_of(step.from().0, name).find(|other| other.value() == "count")?;
        let (to_kind, to) = of_it.to()?;
        Some(in_file(kind, to_kind, to))
    };
    names.filter_map(later).collect()
}

/// Whether a key exists at a point, or is any key of a table there that takes any.
fn exists(history: History, kind: Kind, path: &str, point: Point) -> bool {
    let schema = history.schema(kind, point);
    let is_free = |field: Node| field.at(point).is_some_and(|interval| interval.field_type().kind() == TypeKind::Dict);
    let takes_any = |table: &str| schema.named(table).into_iter().any(is_free);
    schema.has(path) || path.rsplit_once('.').is_some_and(|(table, _)| takes_any(table))
}

#[cfg(test)]
mod tests {
    use super::{Former, FormerValue, former};
    use crate::{History, Kind, Target};

    #[test]
    fn a_key_of_a_later_prime_rl_has_its_place_at_an_earlier_one() {
        let history = History::built_in();
        let place = |kind, target: &str, path: &str| {
            let target = Target::parse(history, target).expect("a target");
            former(history, kind, path, target.point)
        };
        for (kind, target, path, expected) in [
            (Kind::Rl, "0.4.0", "orchestrator.group_size", "orchestrator.rollouts_per_example"),
            (Kind::Rl, "0.4.0", "orchestrator.train.env", "orchestrator.env"),
            (Kind::Rl, "0.4.0", "orchestrator.train.source", "orchestrator.env"),
            (Kind::Rl, "0.4.0", "orchestrator.train.sampling.temperature", "orchestrator.sampling.temperature"),
            (Kind::Rl, "0.4.0", "orchestrator.train.sampling.max_completion_tokens", "orchestrator.sampling.max_tokens"),
            (Kind::Rl, "0.8.0", "inference.vllm.max_model_len", "inference.model.max_model_len"),
            (Kind::Rl, "0.4.0", "inference.vllm.tensor_parallel_size", "inference.parallel.tp"),
            (Kind::Rl, "0.4.0", "inference.vllm.gpu_memory_utilization", "inference.gpu_memory_utilization"),
            (Kind::Inference, "0.8.0", "vllm.max_num_seqs", "vllm_extra.max_num_seqs"),
            (Kind::Rl, "0.8.0", "resume.step", "ckpt.resume_step"),
            // One number that became three.
            (Kind::Rl, "0.8.0", "orchestrator.concurrency.max_inflight", "orchestrator.max_inflight_episodes"),
            (Kind::Rl, "0.8.0", "monitors.wandb.project", "wandb.project"),
        ] {
            let found = place(kind, target, path).map(|former| (former.path, former.value));
            assert_eq!(found, Some((expected.to_owned(), FormerValue::Same)), "{path} at {target}");
        }
        let Former { path, value, .. } = place(Kind::Rl, "0.4.0", "deployment.num_train_gpus").expect("a place");
        assert_eq!((&*path, value), ("trainer_gpu_ids", FormerValue::Numbers(vec!["deployment.num_infer_gpus".to_owned()])));
        assert_eq!(place(Kind::Rl, "0.4.0", "deployment.gpus_per_node"), None);
    }
}
