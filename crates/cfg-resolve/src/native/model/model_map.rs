//! Early prime-rl trained two mixture-of-experts models from its own faster copies: the name is replaced.

use crate::native::{Failure, ValidatorCtx};

const FASTER: [[&str; 2]; 2] = [
    ["Qwen/Qwen3-30B-A3B", "Jackmin108/Qwen3-30B-A3B-Fast"],
    ["moonshotai/Moonlight-16B-A3B-Instruct", "Jackmin108/Moonlight-16B-A3B-Instruct-Fast"],
];
pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if let Some([_, faster]) = FASTER.iter().find(|[name, _]| cx.is("name", name)) {
        cx.from("name").set_str("name", faster);
    }
    Ok(())
}
