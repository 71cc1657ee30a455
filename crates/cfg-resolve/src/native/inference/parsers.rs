//! vLLM must be told how a model writes its tool calls and its reasoning. prime-rl knows that from the model's name.

use std::borrow::Cow;

use cfg_schema::Point;

use super::{VLLM_TABLE, parser_names};
use crate::native::{Cx, Failure};

/// Models whose name starts and goes on like this use the parser, from the commit on. The first that fits
/// counts.
struct Family {
    prefix: &'static str,
    contains: &'static str,
    parser: &'static str,
    since: Point,
}

const ALWAYS: Point = Point(0);
/// `7c9c1308d`
const NEMOTRON_REASONS: Point = Point(350);
/// `01e959596`
const TRINITY: Point = Point(409);
/// `efe8e7fda`
const NEMOTRON_3_5: Point = Point(417);
/// `c69f5b038`
const QWEN_3_6: Point = Point(436);

const fn family(prefix: &'static str, parser: &'static str, since: Point) -> Family {
    Family { prefix, contains: "", parser, since }
}

const TOOL_CALLS: [Family; 18] = [
    family("arcee-ai/Trinity-Large-Thinking", "qwen3_coder", TRINITY),
    family("arcee-ai/Trinity-", "hermes", TRINITY),
    family("deepseek-ai/DeepSeek-V3.2", "deepseek_v32", ALWAYS),
    family("deepseek-ai/DeepSeek-V3.1", "deepseek_v31", ALWAYS),
    family("zai-org/GLM-4.5", "glm45", ALWAYS),
    family("zai-org/GLM-4.7", "glm47", ALWAYS),
    family("zai-org/GLM-5", "glm47", ALWAYS),
    family("MiniMaxAI/MiniMax-M2", "minimax_m2", ALWAYS),
    family("openai/gpt-oss", "openai", TRINITY),
    family("poolside/Laguna", "poolside_v1", TRINITY),
    family("PrimeIntellect/INTELLECT-3", "qwen3_coder", ALWAYS),
    family("nvidia/NVIDIA-Nemotron-3", "qwen3_coder", ALWAYS),
    family("stepfun-ai/Step-3.5", "step3p5", ALWAYS),
    family("Qwen/Qwen3.5-", "qwen3_coder", ALWAYS),
    family("Qwen/Qwen3.6-", "qwen3_coder", QWEN_3_6),
    family("Qwen/Qwen3.8-", "qwen3_coder", QWEN_3_6),
    family("Qwen/Qwen3-Coder", "qwen3_coder", ALWAYS),
    family("Qwen/Qwen3-", "hermes", ALWAYS),
];

const REASONING: [Family; 17] = [
    family("arcee-ai/Trinity-Large-Thinking", "deepseek_r1", TRINITY),
    family("arcee-ai/Trinity-Mini", "deepseek_r1", TRINITY),
    family("arcee-ai/Trinity-Nano", "deepseek_r1", TRINITY),
    family("deepseek-ai/DeepSeek-V3.1", "deepseek_r1", ALWAYS),
    family("deepseek-ai/DeepSeek-V3.2", "deepseek_r1", ALWAYS),
    family("zai-org/GLM-", "glm45", ALWAYS),
    family("MiniMaxAI/MiniMax-M2", "minimax_m2_append_think", ALWAYS),
    family("poolside/Laguna", "poolside_v1", TRINITY),
    family("PrimeIntellect/INTELLECT-3", "deepseek_r1", ALWAYS),
    family("nvidia/NVIDIA-Nemotron-3-Super", "nemotron_v3", NEMOTRON_REASONS),
    family("nvidia/NVIDIA-Nemotron-3-Nano", "nano_v3", NEMOTRON_REASONS),
    family("nvidia/NVIDIA-Nemotron-3.5", "nano_v3", NEMOTRON_3_5),
    family("stepfun-ai/Step-3.5", "step3p5", ALWAYS),
    Family { contains: "Thinking", ..family("Qwen/Qwen3-", "deepseek_r1", ALWAYS) },
    family("Qwen/Qwen3.5-", "qwen3", ALWAYS),
    family("Qwen/Qwen3.6-", "qwen3", QWEN_3_6),
    family("Qwen/Qwen3.8-", "qwen3", QWEN_3_6),
];

/// Until `4076a0e45` what is not given comes from the default model, whose parser had been looked up already.
const OWN_PARSER: Point = Point(185);

/// The first form: a list of exact names, and a switch that goes with the parser.
pub(super) fn by_name(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if cx.point < OWN_PARSER && !cx.is_set("tool_call_parser") {
        cx.set_str("tool_call_parser", "hermes");
    }
    if !cx.has("tool_call_parser")
        && let Some(parser) = cx.str("name").and_then(|name| parser_names::tool_calls(&name))
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
    let model = if cx.point < VLLM_TABLE { "name" } else { "model" };
    let name = cx.str(model).map(Cow::into_owned).unwrap_or_default();
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
