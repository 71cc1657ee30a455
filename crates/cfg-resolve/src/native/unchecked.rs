//! Contradictions that this prime-rl does not check, decided by the checks of later ones. `schemas/unchecked.toml` says from which commit to which
//! each does harm, and what it does. Most are the validator that came later; those with a condition of their own are here.

mod beside;
mod between;
mod data_parallel;
mod scheduler;
mod workers;

use cfg_diag::Location;
use cfg_schema::{CacheMap, Effect, Interval, Kind, NodeCache, Point, Unchecked};

use super::{Check, Failure, FailureKind, RunState, ValidatorCtx, find, validator_ctx, words};
use crate::{ResolvedTable, ResolvedValue, View};

/// A contradiction in a config that prime-rl accepts.
#[derive(Debug)]
pub struct Contradiction {
    /// What contradicts what, in one sentence without a full stop.
    pub message: String,
    /// What the run does, as a clause.
    pub says: &'static str,
    /// How bad that is.
    pub effect: Effect,
    /// The values, the most relevant one first.
    pub ends: Vec<End>,
    /// What to write instead.
    pub help: Option<String>,
}

/// A value of a contradiction.
#[derive(Debug)]
pub struct End {
    /// Its dotted path in the config.
    pub key: String,
    /// Where it is written; `None` for a default.
    pub location: Option<Location>,
    /// The value with its origin: "`max_steps` is 15".
    pub said: String,
}

/// The contradictions in a resolved config that its prime-rl does not check. A check that reads an invalid or unknown value finds nothing.
pub fn unchecked(view: &View<'_>) -> Vec<Contradiction> {
    static KNOWN: CacheMap<(Kind, Point), AllAsked, 64> = CacheMap::new();
    let place = (view.schema().kind, view.schema().point);
    let AllAsked { paths, asked } = KNOWN.of(place, u64::from(place.1.0) << 8 | place.0 as u64, || AllAsked::of(place));
    let tables: Vec<Option<&ResolvedTable>> = paths.iter().map(|path| Some(view.below(path)?.table())).collect();
    asked.iter().filter_map(|asked| find_in(view, &paths[asked.path], tables[asked.path]?, asked)).collect()
}

/// The checks of the configs of a kind, at a point.
#[derive(Default)]
struct AllAsked {
    /// The paths of their tables, each once.
    paths: Vec<String>,
    asked: Vec<Asked>,
}

/// A check of one table.
struct Asked {
    row: &'static Unchecked,
    /// The number of the table's path.
    path: usize,
    check: Check,
    /// Whether a class of this table has a validator that refuses it.
    checked_in: NodeCache<bool>,
}

impl AllAsked {
    fn of((kind, point): (Kind, Point)) -> Self {
        let mut all = Self::default();
        for (row, part) in Unchecked::at(point).flat_map(|row| row.of.iter().map(move |part| (row, part))) {
            let check = body(row.check).or_else(|| find(point, part.path.is_empty().then_some(part.kind), row.check));
            let (Some(check), Some(path)) = (check, part.path_in(kind)) else { continue };
            let known = all.paths.iter().position(|known| *known == path);
            let number = known.unwrap_or_else(|| {
                all.paths.push(path);
                all.paths.len() - 1
            });
            all.asked.push(Asked { row, path: number, check, checked_in: NodeCache::new() });
        }
        all
    }
}

fn find_in(view: &View<'_>, path: &str, table: &ResolvedTable, asked: &Asked) -> Option<Contradiction> {
    let (Asked { row, check, checked_in, .. }, schema) = (asked, view.schema());
    let has_validator = |interval: Interval| interval.validators().any(|(_, name)| row.validators.contains(&name));
    let is_checked = || table.node.at(schema.point).is_some_and(has_validator);
    if !table.is_valid || *checked_in.of(table.node, schema.point, is_checked) {
        return None;
    }
    // A check may assign, and what it assigns must not be seen by others.
    let state = RunState::new(None);
    let failure = check(&mut ValidatorCtx::of_copy(schema, table, row.check, &state)).err()?;
    if state.reads_invalid.get() || failure.kind == FailureKind::LeftOpen {
        return None;
    }
    Some(contradiction(view, row, path, table, failure))
}

fn contradiction(view: &View<'_>, row: &Unchecked, path: &str, table: &ResolvedTable, failure: Failure) -> Contradiction {
    let end = |key: &str| {
        let resolved = validator_ctx::end(view.schema(), table, key)?;
        let key = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let is_table = matches!(resolved.value, ResolvedValue::Table(_) | ResolvedValue::Map(_));
        let location = resolved.origin.place();
        // A table that is not written says nothing.
        let said = words::end(view.schema(), &key, &resolved);
        (location.is_some() || !is_table).then_some(End { key, location, said })
    };
    let ends = failure.related_keys.iter().filter_map(|key| end(key)).collect();
    Contradiction { message: failure.message, says: row.says, effect: row.effect, ends, help: failure.help }
}

/// The checks that are not those of a validator.
fn body(name: &str) -> Option<Check> {
    Some(match name {
        "scheduler_asserts" => scheduler::asserts,
        "cosine_without_steps" => scheduler::cosine_without_steps,
        "cosine_after_end" => scheduler::cosine_after_end,
        "one_step_of_decay" => scheduler::one_step_of_decay,
        "wandb_on_one_side" => beside::wandb_on_one_side,
        "everything_is_masked" => beside::everything_is_masked,
        "vision_precision_of_sft" => beside::vision_precision_of_sft,
        "vision_with_context_parallelism" => beside::vision_with_context_parallelism,
        "several_workers_of_data" => workers::several,
        "resumed_data_of_workers" => workers::resumed,
        "stack_area" => beside::stack_area,
        "flash_attention_3_with_hf" => beside::flash_attention_3_with_hf,
        "ring_of_flash_attention_3_with_hf" => beside::ring_of_flash_attention_3_with_hf,
        "lora_rank_of_vllm" => beside::lora_rank_of_vllm,
        "training_sequence_below_rollouts" => beside::training_sequence_below_rollouts,
        "adapter_scales" => between::adapter_scales,
        "adapter_above_trainer" => between::adapter_above_trainer,
        "broadcast_of_server" => between::broadcast_of_server,
        "data_parallel_ranks_behind_router" => data_parallel::ranks_behind_router,
        _ => return None,
    })
}

/// Whether a row of the table names a check that exists for each of its tables.
#[cfg(test)]
fn has_body(row: &Unchecked) -> bool {
    use cfg_schema::Part;
    let kinds = |part: &Part| part.path.is_empty().then_some(part.kind);
    let is_known = |part: &Part| {
        cfg_schema::History::built_in()
            .root(Kind::Rl)
            .intervals()
            .any(|interval| find(interval.since(), kinds(part), row.check).is_some())
    };
    body(row.check).is_some() || row.of.iter().all(is_known)
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Interval, Node, Unchecked};

    use super::has_body;

    #[test]
    fn each_row_has_a_check() {
        for row in Unchecked::all() {
            assert!(has_body(row), "{}: no validator and no function of native/unchecked.rs has this name", row.check);
        }
    }

    #[test]
    fn each_row_names_validators_of_the_history() {
        let names =
            crate::testing::in_every_class(&|_: Node, interval: Interval| interval.validators().map(|(_, name)| name).collect());
        for row in Unchecked::all() {
            for name in row.validators {
                assert!(names.contains(name), "{}: prime-rl never had a validator `{name}`", row.check);
            }
        }
    }

    #[test]
    fn no_row_ends_before_its_validator_begins() {
        for row in Unchecked::all().iter().filter(|row| !row.validators.is_empty()) {
            let Some(end) = row.end() else { continue };
            let lists = |part: &cfg_schema::Part| {
                let root = History::built_in().root(part.kind);
                let keys = part.path.split('.').filter(|key| !key.is_empty());
                let table = keys.into_iter().try_fold(root, Node::field);
                let interval = table.and_then(|table| table.at(end));
                interval.is_some_and(|interval| interval.validators().any(|(_, name)| row.validators.contains(&name)))
            };
            assert!(row.of.iter().any(lists), "{}: no table of its has one of its validators where it ends", row.check);
        }
    }
}
