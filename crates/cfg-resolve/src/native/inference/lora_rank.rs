//! vLLM supports only a few `LoRA` ranks. prime-rl rounds the given one up to the next of them, and refuses larger ones than the last.

use crate::native::{Failure, ValidatorCtx};

const RANKS: [i128; 8] = [8, 16, 32, 64, 128, 256, 320, 512];

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(rank) = cx.int("max_lora_rank") else { return Ok(()) };
    let Some(valid) = RANKS.into_iter().find(|valid| *valid >= rank) else {
        let message = format!("`max_lora_rank` is {rank}, but vLLM serves LoRA ranks up to 512");
        return Err(Failure::value(message, &["max_lora_rank"]).help("set `max_lora_rank` to 512 or less"));
    };
    cx.from("max_lora_rank").set_int("max_lora_rank", valid);
    Ok(())
}
