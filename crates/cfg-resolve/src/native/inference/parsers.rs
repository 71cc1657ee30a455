//! vLLM must know in which format a model writes its tool calls and its reasoning. prime-rl selects it by the model's name.

use cfg_schema::{Behaviour, Point};

use crate::{
    native::{Failure, ValidatorCtx},
    tables::{EXACT_TOOL_CALLS, REASONING, TOOL_CALLS},
};

/// A family of models: those whose names begin with the prefix and contain the rest use this parser. The first matching family applies.
pub(crate) struct Family {
    pub(crate) prefix: &'static str,
    pub(crate) contains: &'static str,
    pub(crate) parser: &'static str,
    /// The behaviour since which prime-rl knows them.
    pub(crate) with: Behaviour,
}

/// At early versions: a list of exact names, and a switch that turns the parser on.
pub(super) fn by_name(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.lacks(Behaviour::ParserFollowsModel) && !cx.is_set("tool_call_parser") {
        cx.set_str("tool_call_parser", "hermes");
    }
    if !cx.has("tool_call_parser")
        && let Some(parser) = cx.str("name").and_then(by_exact_name)
    {
        cx.from("name").set_str("tool_call_parser", parser);
    }
    if cx.has("tool_call_parser") {
        cx.from("tool_call_parser").set_bool("enable_auto_tool_choice", true);
    }
    Ok(())
}

/// At later versions: `auto` selects the parser of the model's family.
pub(super) fn by_family(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let model = if cx.point.lacks(Behaviour::VllmTable) { "name" } else { "model" };
    let name = cx.str(model).map(str::to_owned).unwrap_or_default();
    let families: [(&str, &[Family]); 2] = [("tool_call_parser", TOOL_CALLS), ("reasoning_parser", REASONING)];
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

fn by_exact_name(model: &str) -> Option<&'static str> {
    EXACT_TOOL_CALLS.iter().find(|(_, models)| models.contains(&model)).map(|(parser, _)| *parser)
}

impl Family {
    fn fits(&self, name: &str, point: Point) -> bool {
        point.has(self.with) && name.strip_prefix(self.prefix).is_some_and(|rest| rest.contains(self.contains))
    }
}
