//! Evaluation formerly had its environments as parallel lists: a list that is empty or has one item applies to all environments.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

/// Extends the lists, and refuses those of another length.
pub(super) fn fill(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for (path, default) in [("rollouts_per_example", 1), ("num_examples", -1), ("max_concurrent", -1)] {
        one_list(cx, path, default)?;
    }
    Ok(())
}

fn one_list(cx: &mut ValidatorCtx<'_>, path: &'static str, default: i128) -> Result<(), Failure> {
    let (Some(items), Some(count)) = (cx.ints(path), cx.len("environment_ids")) else { return Ok(()) };
    match items[..] {
        [] => cx.set_ints(path, default, count),
        [one] if cx.point.has(Behaviour::OneItemForAll) => cx.set_ints(path, one, count),
        _ if items.len() == count => {}
        _ => {
            return Err(Failure::value(
                format!("`{path}` has {} numbers for {count} environments", items.len()),
                &[path, "environment_ids"],
            )
            .help(format!("write {count} numbers, or one for all")));
        }
    }
    Ok(())
}

/// Uploaded results must be saved first.
pub(super) fn save_to_disk(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("save_to_hf") {
        cx.set_bool("save_to_disk", true);
    }
    Ok(())
}
