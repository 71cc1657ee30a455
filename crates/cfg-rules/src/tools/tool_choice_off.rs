//! vLLM refuses requests with tools unless tool calls are on: until 5b15e54e8 with a switch, afterwards with a parser.

use cfg_diag::{Severity, codes};
use cfg_schema::{Behaviour, Kind};

use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange,
    tool_use::{Evidence, tool_environment},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::TOOL_CHOICE_OFF,
    kinds: &[Kind::Rl],
    versions: VersionRange::without(Behaviour::Renderers),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let inference = cx.plan.inference.as_ref()?;
    let (environment, evidence) = tool_environment(cx)?;
    let id = environment.base_id()?;
    let is_switch = cx.target.point.lacks(Behaviour::ParserIsToolChoice);
    let (key, is_off) = if is_switch {
        // At a few commits, a parser alone turned tool calls on.
        let switch = &inference.enable_auto_tool_choice;
        (switch.key()?, switch.is_off() && cx.target.point.lacks(Behaviour::ParserByModel))
    } else {
        (inference.tool_call_parser.key()?, inference.tool_call_parser.is_empty())
    };
    if !is_off {
        return None;
    }
    let finding = Finding::new(format!("{id} gives the model tools, but `{key}` is not set: vLLM refuses requests with tools"));
    let finding = match evidence {
        Evidence::Certain => finding.severity(Severity::Error),
        Evidence::Argument => finding.severity(Severity::Warning),
    };
    let finding = finding.key(key.to_string());
    let place = if is_switch { inference.enable_auto_tool_choice.location() } else { inference.tool_call_parser.location() };
    let finding = match (place, environment.location) {
        (Some(place), Some(other)) => finding.at(place).label("off here").related(other, "an environment with tools"),
        (Some(place), None) => finding.at(place).label("off here"),
        (None, Some(other)) => finding.at(other).label("an environment with tools"),
        (None, None) => finding,
    };
    if is_switch {
        let repair = Repair::possible(format!("enable `{}`", key.name())).set(key, true);
        return Some(
            finding
                .help(format!(
                    "set `{key}` to true, and `tool_call_parser` to the parser of the model's \
                format"
                ))
                .repair(repair),
        );
    }
    let repair = Repair::possible("let prime-rl choose the parser").set(key, "auto");
    Some(finding.help(format!("set `{key}`: a parser, or \"auto\"")).repair(repair))
}
