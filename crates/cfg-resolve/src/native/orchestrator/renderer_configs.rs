//! Renderers have two settings for how much of earlier thinking is kept: a switch of the model's own template, and `thinking_retention`, which all
//! renderers have. The two must agree.

use crate::native::{Failure, ValidatorCtx};

/// Each switch, with the values of `thinking_retention` that it agrees with when it is on and when it is off.
const SWITCHES: [(&str, &str, &str); 5] = [
    ("preserve_thinking", "all", "tool_cycle"),
    ("preserved_thinking", "all", "tool_cycle"),
    ("clear_thinking", "tool_cycle", "all"),
    ("auto_drop_analysis", "tool_cycle", "all"),
    ("truncate_history_thinking", "tool_cycle", "all"),
];
const EFFORTS: [&str; 6] = ["none", "minimal", "low", "medium", "high", "max"];
const REMOVED: [&str; 2] = ["preserve_all_thinking", "preserve_thinking_between_tool_calls"];

/// The template's switch and `thinking_retention` must agree.
pub(super) fn retention(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(wanted) = cx.str("thinking_retention").map(String::from) else { return Ok(()) };
    for (switch, on, off) in SWITCHES {
        // The switch of Hy3 is null unless it is given. The other switches have defaults, which are not compared.
        if !cx.exists(switch) || !cx.is_set(switch) || (switch == "preserved_thinking" && !cx.has(switch)) {
            continue;
        }
        let is_off = cx.has(switch) && !cx.bool(switch);
        let implied = if is_off { off } else { on };
        if wanted != implied {
            return Err(Failure::value(
                format!("`{switch}` {} means `thinking_retention` \"{implied}\", not \"{wanted}\"", !is_off),
                &["thinking_retention", switch],
            )
            .help(format!("remove one of the two, or write `thinking_retention = \"{implied}\"`")));
        }
    }
    Ok(())
}

/// An effort must be one of a few words, or a number below 1.
pub(super) fn effort(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let end = "reasoning_effort";
    let wrong = match (cx.str(end), cx.float(end)) {
        (Some(word), _) if !EFFORTS.contains(&word.trim()) => format!("\"{word}\""),
        (None, Some(number)) if !(0.0..=0.99).contains(&number) && !number.is_nan() => number.to_string(),
        _ => return Ok(()),
    };
    Err(Failure::value(format!("`{end}` {wrong} is not an effort that the renderer supports"), &[end])
        .help(format!("write {} or a number from 0.0 to 0.99", EFFORTS.map(|word| format!("\"{word}\"")).join(", "))))
}

/// The default renderer passes unknown keys to the template, except two that have new names.
pub(super) fn removed_flags(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match REMOVED.into_iter().find(|key| cx.has_extra(key)) {
        Some(key) => Err(Failure::value(format!("`{key}` was removed: the default renderer can't keep thinking"), &[key])
            .help("choose the model's own renderer, and set `thinking_retention`")),
        None => Ok(()),
    }
}
