//! At most one of the ways to keep optimizer state or weights in main memory may be on, because they move the same tensors.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    // `full_offload` exists since b8d9553c0; it is a table, and `true` creates one too.
    let switches = ["fsdp_cpu_offload", "optim_cpu_offload"].into_iter().filter(|way| cx.bool(way));
    let mut on = switches.chain(["full_offload"].into_iter().filter(|way| cx.has(*way)));
    let (Some(first), Some(second)) = (on.next(), on.next()) else { return Ok(()) };
    let message = format!("`{first}` and `{second}` are both on: they would move the same tensors");
    // What is on by default gives way to what somebody wrote.
    let (kept, off) = if cx.is_set(second) { (second, first) } else { (first, second) };
    let advice = if off == "full_offload" { format!("remove `{off}`") } else { format!("write `{off} = false`") };
    Err(Failure::value(message, &[first, second]).help(format!("{advice}, or turn `{kept}` off")))
}
