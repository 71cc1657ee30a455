//! vLLM must know how a model writes its tool calls and its reasoning. prime-rl knows that from the model's name.

use cfg_schema::{Behaviour, Point};

use super::parser_names;
use crate::native::{Cx, Failure};

/// Models whose name starts and goes on like this use the parser, where prime-rl knows them. The first that fits
/// counts.
struct Family {
    prefix: &'static str,
    contains: &'static str,
    parser: &'static str,
    /// The prime-rl that knows them.
    with: Behaviour,
}

const fn family(prefix: &'static str, parser: &'static str, with: Behaviour) -> Family {
    Family { prefix, contains: "", parser, with }
}

const TOOL_CALLS: [Family; 18] = [
    family("arcee-ai/Trinity-Large-Thinking", "qwen3_coder", Behaviour::Trinity),
    family("arcee-ai/Trinity-", "hermes", Behaviour::Trinity),
    family("deepseek-ai/DeepSeek-V3.2", "deepseek_v32", Behaviour::Always),
    family("deepseek-ai/DeepSeek-V3.1", "deepseek_v31", Behaviour::Always),
    family("zai-org/GLM-4.5", "glm45", Behaviour::Always),
    family("zai-org/GLM-4.7", "glm47", Behaviour::Always),
    family("zai-org/GLM-5", "glm47", Behaviour::Always),
    family("MiniMaxAI/MiniMax-M2", "minimax_m2", Behaviour::Always),
    family("openai/gpt-oss", "openai", Behaviour::Trinity),
    family("poolside/Laguna", "poolside_v1", Behaviour::Trinity),
    family("PrimeIntellect/INTELLECT-3", "qwen3_coder", Behaviour::Always),
    family("nvidia/NVIDIA-Nemotron-3", "qwen3_coder", Behaviour::Always),
    family("stepfun-ai/Step-3.5", "step3p5", Behaviour::Always),
    family("Qwen/Qwen3.5-", "qwen3_coder", Behaviour::Always),
    family("Qwen/Qwen3.6-", "qwen3_coder", Behaviour::Qwen36),
    family("Qwen/Qwen3.8-", "qwen3_coder", Behaviour::Qwen36),
    family("Qwen/Qwen3-Coder", "qwen3_coder", Behaviour::Always),
    family("Qwen/Qwen3-", "hermes", Behaviour::Always),
];

const REASONING: [Family; 17] = [
    family("arcee-ai/Trinity-Large-Thinking", "deepseek_r1", Behaviour::Trinity),
    family("arcee-ai/Trinity-Mini", "deepseek_r1", Behaviour::Trinity),
    family("arcee-ai/Trinity-Nano", "deepseek_r1", Behaviour::Trinity),
    family("deepseek-ai/DeepSeek-V3.1", "deepseek_r1", Behaviour::Always),
    family("deepseek-ai/DeepSeek-V3.2", "deepseek_r1", Behaviour::Always),
    family("zai-org/GLM-", "glm45", Behaviour::Always),
    family("MiniMaxAI/MiniMax-M2", "minimax_m2_append_think", Behaviour::Always),
    family("poolside/Laguna", "poolside_v1", Behaviour::Trinity),
    family("PrimeIntellect/INTELLECT-3", "deepseek_r1", Behaviour::Always),
    family("nvidia/NVIDIA-Nemotron-3-Super", "nemotron_v3", Behaviour::NemotronReasons),
    family("nvidia/NVIDIA-Nemotron-3-Nano", "nano_v3", Behaviour::NemotronReasons),
    family("nvidia/NVIDIA-Nemotron-3.5", "nano_v3", Behaviour::Nemotron35),
    family("stepfun-ai/Step-3.5", "step3p5", Behaviour::Always),
    Family { contains: "Thinking", ..family("Qwen/Qwen3-", "deepseek_r1", Behaviour::Always) },
    family("Qwen/Qwen3.5-", "qwen3", Behaviour::Always),
    family("Qwen/Qwen3.6-", "qwen3", Behaviour::Qwen36),
    family("Qwen/Qwen3.8-", "qwen3", Behaviour::Qwen36),
];

/// The first form: a list of exact names, and a switch that goes with the parser.
pub(super) fn by_name(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if cx.point.lacks(Behaviour::ParserFollowsModel) && !cx.is_set("tool_call_parser") {
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
    let model = if cx.point.lacks(Behaviour::VllmTable) { "name" } else { "model" };
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
        point.has(self.with) && name.strip_prefix(self.prefix).is_some_and(|rest| rest.contains(self.contains))
    }
}
