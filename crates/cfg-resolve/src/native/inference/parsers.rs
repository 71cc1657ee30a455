//! vLLM must be told how a model writes its tool calls and its reasoning. prime-rl knows that from the model's name.

use cfg_schema::Point;

use super::parser_names;
use crate::{
    native::{Cx, Failure},
    points,
};

/// Models whose name starts and goes on like this use the parser, from the commit on. The first that fits
/// counts.
struct Family {
    prefix: &'static str,
    contains: &'static str,
    parser: &'static str,
    since: Point,
}

const fn family(prefix: &'static str, parser: &'static str, since: Point) -> Family {
    Family { prefix, contains: "", parser, since }
}

const TOOL_CALLS: [Family; 18] = [
    family("arcee-ai/Trinity-Large-Thinking", "qwen3_coder", points::TRINITY),
    family("arcee-ai/Trinity-", "hermes", points::TRINITY),
    family("deepseek-ai/DeepSeek-V3.2", "deepseek_v32", points::START),
    family("deepseek-ai/DeepSeek-V3.1", "deepseek_v31", points::START),
    family("zai-org/GLM-4.5", "glm45", points::START),
    family("zai-org/GLM-4.7", "glm47", points::START),
    family("zai-org/GLM-5", "glm47", points::START),
    family("MiniMaxAI/MiniMax-M2", "minimax_m2", points::START),
    family("openai/gpt-oss", "openai", points::TRINITY),
    family("poolside/Laguna", "poolside_v1", points::TRINITY),
    family("PrimeIntellect/INTELLECT-3", "qwen3_coder", points::START),
    family("nvidia/NVIDIA-Nemotron-3", "qwen3_coder", points::START),
    family("stepfun-ai/Step-3.5", "step3p5", points::START),
    family("Qwen/Qwen3.5-", "qwen3_coder", points::START),
    family("Qwen/Qwen3.6-", "qwen3_coder", points::QWEN_3_6),
    family("Qwen/Qwen3.8-", "qwen3_coder", points::QWEN_3_6),
    family("Qwen/Qwen3-Coder", "qwen3_coder", points::START),
    family("Qwen/Qwen3-", "hermes", points::START),
];

const REASONING: [Family; 17] = [
    family("arcee-ai/Trinity-Large-Thinking", "deepseek_r1", points::TRINITY),
    family("arcee-ai/Trinity-Mini", "deepseek_r1", points::TRINITY),
    family("arcee-ai/Trinity-Nano", "deepseek_r1", points::TRINITY),
    family("deepseek-ai/DeepSeek-V3.1", "deepseek_r1", points::START),
    family("deepseek-ai/DeepSeek-V3.2", "deepseek_r1", points::START),
    family("zai-org/GLM-", "glm45", points::START),
    family("MiniMaxAI/MiniMax-M2", "minimax_m2_append_think", points::START),
    family("poolside/Laguna", "poolside_v1", points::TRINITY),
    family("PrimeIntellect/INTELLECT-3", "deepseek_r1", points::START),
    family("nvidia/NVIDIA-Nemotron-3-Super", "nemotron_v3", points::NEMOTRON_REASONS),
    family("nvidia/NVIDIA-Nemotron-3-Nano", "nano_v3", points::NEMOTRON_REASONS),
    family("nvidia/NVIDIA-Nemotron-3.5", "nano_v3", points::NEMOTRON_3_5),
    family("stepfun-ai/Step-3.5", "step3p5", points::START),
    Family { contains: "Thinking", ..family("Qwen/Qwen3-", "deepseek_r1", points::START) },
    family("Qwen/Qwen3.5-", "qwen3", points::START),
    family("Qwen/Qwen3.6-", "qwen3", points::QWEN_3_6),
    family("Qwen/Qwen3.8-", "qwen3", points::QWEN_3_6),
];

/// The first form: a list of exact names, and a switch that goes with the parser.
pub(super) fn by_name(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if cx.point < points::PARSER_FOLLOWS_MODEL && !cx.is_set("tool_call_parser") {
        cx.set_str("tool_call_parser", "hermes");
    }
    if !cx.has("tool_call_parser")
        && let Some(parser) = cx.str("name").and_then(parser_names::tool_calls)
    {
        cx.from("name").set_str("tool_call_parser", parser);
    }
    if cx.has("tool_call_parser") {
        cx.from("tool_call_parser").set_bool("enable_auto_tool_choice", true);
    }
    Ok(())
}

/// The second form: what says `auto` is looked up by the model's family.
pub(super) fn by_family(cx: &mut Cx<'_>) -> Result<(), Failure> {
    let model = if cx.point < points::VLLM_TABLE { "name" } else { "model" };
    let name = cx.str(model).map(str::to_owned).unwrap_or_default();
    let families: [(&str, &[Family]); 2] = [("tool_call_parser", &TOOL_CALLS), ("reasoning_parser", &REASONING)];
    for (place, families) in families {
        if cx.is(place, "auto") {
            match families.iter().find(|family| family.fits(&name, cx.point)) {
                Some(family) => cx.from(model).set_str(place, family.parser),
                None => cx.set_null(place),
            }
        }
    }
    Ok(())
}

impl Family {
    fn fits(&self, name: &str, point: Point) -> bool {
        self.since <= point && name.strip_prefix(self.prefix).is_some_and(|rest| rest.contains(self.contains))
    }
}
