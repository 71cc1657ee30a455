//! Model families write tool calls in different formats; a parser finds only those of its own family.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::TOOL_PARSER,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let inference = cx.plan.inference.as_ref()?;
    let parser = inference.tool_call_parser.fact()?;
    // Until the switch for tool calls was removed, a parser had no effect while it was off.
    let switch = inference.enable_auto_tool_choice.fact();
    if cx.target.point.lacks(Behaviour::ParserByModel) {
        switch.filter(|switch| switch.value)?;
    } else if !parser.is_written() {
        return None;
    }
    let model = inference.model_name.fact()?;
    let fitting = catalogue::family(&model.value)?.parsers;
    let best = *fitting.first()?;
    // A parser that no known family uses may come from a plugin.
    if fitting.contains(&&*parser.value) || !catalogue::is_parser(&parser.value) {
        return None;
    }
    let whose = if parser.is_written() { "" } else { ", the default," };
    let message = format!(
        "the parser \"{}\"{whose} does not find the tool calls of {}, which writes them in the format of \"{best}\"",
        parser.value, model.value
    );
    let repair = Repair::possible(format!("set `{}` to \"{best}\"", parser.written_key())).set(parser.written_key(), best);
    let finding = Finding::new(message).on(parser);
    let finding = match switch.filter(|_| !parser.is_written()) {
        Some(switch) => finding.with(switch, "tool calls are parsed"),
        None => finding,
    };
    Some(
        finding
            .with(model, "the model")
            .help(format!(
                "set `{}` to \"{best}\"; otherwise calls stay in the text, and no tool is \
                called",
                parser.written_key()
            ))
            .repair(repair),
    )
}
