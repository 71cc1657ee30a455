//! Values that prime-rl passes to vLLM without looking at them, and that the vLLM it pins does not have.

use cfg_diag::{Location, Severity, codes};
use cfg_plan::{Fact, Setting};
use cfg_resolve::{VllmChoices, nearest, vllm_choices};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, engine};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNKNOWN_ENGINE_VALUE,
    kinds: &[Kind::Rl, Kind::Inference, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

/// Parsers, each with the argument that loads more of them.
const PARSERS: [(&str, &str); 2] = [("tool_call_parser", "tool_parser_plugin"), ("reasoning_parser", "reasoning_parser_plugin")];

/// Parsers that prime-rl adds to those of vLLM, or replaces by one of them.
const OF_PRIME_RL: [&str; 2] = ["auto", "nano_v3"];

/// At most this many values are listed.
const MAX_LISTED: usize = 12;

/// A text for an argument of vLLM.
struct Given<'a> {
    argument: &'a str,
    key: String,
    value: &'a str,
    location: Option<Location>,
}

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(inference) = cx.plan.inference.as_ref() else { return Vec::new() };
    // Until the switch for tool calls was removed, their parser had no effect while it was off.
    let calls_are_off = cx.target.point.lacks(Behaviour::ParserByModel) && !inference.enable_auto_tool_choice.is_on();
    let own: [(&str, &Setting<Box<str>>); 4] = [
        ("kv_cache_dtype", &inference.kv_cache_dtype),
        ("quantization", &inference.quantization),
        ("reasoning_parser", &inference.reasoning_parser),
        ("tool_call_parser", &inference.tool_call_parser),
    ];
    let written = |(argument, setting): (&'static str, &'_ Setting<Box<str>>)| {
        let fact: &Fact<Box<str>> = setting.fact().filter(|fact| fact.is_written())?;
        let is_off = argument == "tool_call_parser" && calls_are_off;
        let given = Given { argument, key: fact.written_key().to_string(), value: &fact.value, location: fact.location() };
        (!is_off).then(|| finding(cx, &given))?
    };
    let mut found: Vec<Finding> = own.into_iter().filter_map(written).collect();
    for (argument, engine::Argument { key, value }) in engine::arguments(cx) {
        // The settings are read from the same tables.
        let Some(text) = value.value.as_str().filter(|_| own.iter().all(|(known, _)| **known != *argument)) else { continue };
        let given = Given { argument: &argument, key, value: text, location: value.origin.location() };
        found.extend(finding(cx, &given));
    }
    found
}

/// The finding for a value.
fn finding(cx: &Context<'_>, given: &Given<'_>) -> Option<Finding> {
    let plugin = PARSERS.iter().find(|(parser, _)| *parser == given.argument).map(|(_, plugin)| *plugin);
    let is_added = plugin.is_some_and(|plugin| engine::argument(cx, plugin).is_some() || OF_PRIME_RL.contains(&given.value));
    if is_added || given.value.is_empty() {
        return None;
    }
    let Given { key, value, .. } = given;
    let choices = vllm_choices(cx.view.schema().history, cx.target.point, given.argument);
    let is_method = given.argument == "quantization";
    if is_word_for_nothing(value) && choices.as_ref().map_or(is_method, |choices| !choices.has(value)) {
        let message = format!("`{key}` is \"{value}\", which vLLM takes for a name, and it has no such one");
        let finding = Finding::new(message).key(key.as_str()).at_place(given.location);
        // Among vLLM's own settings "None" is no null.
        if engine::argument(cx, given.argument).is_some() || *value == "None" {
            let help = "the server exits at startup. Remove it: without it, vLLM has its default";
            let repair = Repair::possible(format!("remove `{key}`: without it, vLLM has its default")).remove(key);
            return Some(finding.help(help).repair(repair));
        }
        let help = "the server exits at startup. Write \"None\", which prime-rl reads as null";
        let repair = Repair::possible(format!("set `{key}` to \"None\", which is null")).set(key, "None");
        return Some(finding.help(help).repair(repair));
    }
    let choices = choices.filter(|choices| !choices.has(value))?;
    let message = format!("`{key}` is \"{value}\", which vLLM {}, pinned by this prime-rl, does not have", choices.version);
    let finding = Finding::new(message).key(key.as_str()).at_place(given.location);
    // A project may have replaced vLLM by a newer one.
    if let Some(first) = choices.first_with(value) {
        let help =
            format!("vLLM {first} has it; with {} the server exits at startup. {}", choices.version, listed(choices, value));
        return Some(finding.severity(Severity::Warning).help(help));
    }
    // Names with other numbers are other things: `deepseek_r2` is not `deepseek_v3`.
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let meant = nearest(value, choices.values.iter().copied().filter(|choice| digits(choice) == digits(value)));
    let finding = match meant {
        Some(meant) => {
            let title = format!("set `{key}` to \"{meant}\"");
            finding.help(format!("did you mean \"{meant}\"?")).repair(Repair::possible(title).set(key, meant))
        }
        None => finding.help(format!("the server exits at startup. {}", listed(choices, value))),
    };
    // A parser may be registered by code of the project.
    let is_certain = plugin.is_none() || meant.is_some();
    Some(if is_certain { finding } else { finding.severity(Severity::Warning) })
}

/// Whether a text says that nothing is wanted. prime-rl reads only "None" as null.
fn is_word_for_nothing(value: &str) -> bool {
    matches!(&*value.to_ascii_lowercase(), "none" | "null" | "no" | "off" | "false" | "disabled")
}

/// The values that vLLM has, in a sentence: those first that begin as `value` does.
fn listed(choices: &VllmChoices, value: &str) -> String {
    let same = |choice: &str| choice.bytes().zip(value.bytes()).take_while(|(one, other)| one == other).count();
    let mut values = choices.values.clone();
    values.sort_by_key(|choice| std::cmp::Reverse(same(choice)));
    let quoted: Vec<String> = values.iter().take(MAX_LISTED).map(|value| format!("\"{value}\"")).collect();
    let more = choices.values.len().saturating_sub(MAX_LISTED);
    let rest = if more > 0 { format!(", and {more} others") } else { String::new() };
    format!("It accepts {}{rest}", quoted.join(", "))
}
