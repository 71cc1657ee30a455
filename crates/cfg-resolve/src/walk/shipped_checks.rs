//! The own checks of the classes in the verifiers package.

use cfg_syntax::Integer;

use crate::{ResolvedTable, ResolvedValue};

/// The result of such a check for a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Passes,
    /// It refuses the value of a key.
    Refuses {
        key: &'static str,
        message: String,
    },
    /// The result is not known here.
    Unknown,
}

fn refuses(key: &'static str, message: &str) -> Answer {
    Answer::Refuses { key, message: message.to_owned() }
}

/// Runs the check of this name, if it is one of the verifiers package.
pub(super) fn answer(check: &str, table: &ResolvedTable) -> Answer {
    let given = |key: &str| table.given(key).map(|field| &field.resolved.value);
    match check {
        "reject_disabled_tools" => match given("disabled_tools") {
            None | Some(ResolvedValue::Null) => Answer::Passes,
            Some(ResolvedValue::List(tools)) if tools.is_empty() => Answer::Passes,
            Some(ResolvedValue::List(_)) => {
                refuses("disabled_tools", "the harness rlm has a fixed set of tools: none can be disabled")
            }
            Some(_) => Answer::Unknown,
        },
        "validate_limits" | "validate_range" => match given("summarize_at_tokens") {
            None | Some(ResolvedValue::Null) => Answer::Passes,
            Some(value) => threshold(value),
        },
        "check_choices" => match given("choices") {
            None => Answer::Passes,
            Some(ResolvedValue::List(choices)) => {
                labels(choices.iter().map(|choice| &choice.value).collect::<Vec<_>>().as_slice())
            }
            Some(_) => Answer::Unknown,
        },
        "_require_cdp_url_iff_cdp" => {
            let browser = match given("browser") {
                None => "chromium",
                Some(ResolvedValue::Str(browser)) => browser,
                Some(_) => return Answer::Unknown,
            };
            let has_url = match given("cdp_url") {
                None | Some(ResolvedValue::Null) => false,
                Some(ResolvedValue::Str(url)) => !url.is_empty(),
                Some(_) => return Answer::Unknown,
            };
            match (browser == "cdp", has_url) {
                (true, false) => refuses("browser", "`browser = \"cdp\"` needs a `cdp_url`"),
                (false, true) => refuses("cdp_url", "`cdp_url` is only for `browser = \"cdp\"`"),
                _ => Answer::Passes,
            }
        }
        _ => Answer::Unknown,
    }
}

/// `summarize_at_tokens`must be a positive number, or two in ascending order.
fn threshold(value: &ResolvedValue) -> Answer {
    let number = |value: &ResolvedValue| match value {
        ResolvedValue::Int(Integer::Small(number)) => Some(*number),
        _ => None,
    };
    let key = "summarize_at_tokens";
    match value {
        ResolvedValue::List(ends) => match ends.iter().map(|end| number(&end.value)).collect::<Option<Vec<_>>>().as_deref() {
            Some([low, high]) if *low <= 0 || *high <= 0 => refuses(key, "the bounds of `summarize_at_tokens` must be positive"),
            Some([low, high]) if low > high => {
                refuses(key, "`summarize_at_tokens` is a range whose first number is larger than the second")
            }
            Some([_, _]) => Answer::Passes,
            _ => Answer::Unknown,
        },
        other => match number(other) {
            Some(number) if number <= 0 => refuses(key, "`summarize_at_tokens` must be positive"),
            Some(_) => Answer::Passes,
            None => Answer::Unknown,
        },
    }
}

/// `choices` must be two labels that differ not only in case.
fn labels(choices: &[&ResolvedValue]) -> Answer {
    let [ResolvedValue::Str(one), ResolvedValue::Str(other)] = choices else { return Answer::Unknown };
    if one.is_empty() || other.is_empty() || one.to_uppercase() == other.to_uppercase() {
        return refuses("choices", "`choices` needs two labels that differ");
    }
    Answer::Passes
}
