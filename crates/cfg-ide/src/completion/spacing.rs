//! Blanks around what is inserted, as the text around it has them.

use super::Item;
use crate::brackets::Open;

/// Sets an item off from an `=` that is itself set off from its key, from a comma, from a comment, and from brackets whose other side is set off; `open`
/// are the brackets around it.
pub(super) fn set_off(item: &mut Item, text: &str, open: Option<&Open>) {
    let (above, below) = (&text[..item.span.start as usize], &text[item.span.end as usize..]);
    let is_new = item.span.is_empty();
    let is_joined = match above.chars().next_back() {
        Some('=') => above.ends_with(" ="),
        Some(',') => open.is_some_and(|open| !is_tight(&above[open.inside as usize..])),
        Some('{' | '[') => open.is_some() && below.starts_with([' ', '\t']) && below.trim_start().starts_with(['}', ']']),
        _ => false,
    };
    // What is behind a value that is replaced was written on purpose.
    let has_key = item.insert.contains('=');
    let is_in_brackets = || below.starts_with(['}', ']']) && open.is_some_and(|open| open.is_set_off(text));
    let is_comment = || below.starts_with('#') && !item.insert.ends_with('\n');
    if (is_new || has_key) && (is_in_brackets() || is_comment()) {
        if item.cursor.is_none() && item.stops.is_empty() {
            item.cursor = Some(item.insert.len());
        }
        item.insert.push(' ');
    }
    if is_new && is_joined {
        item.insert.insert(0, ' ');
        item.cursor = item.cursor.map(|cursor| cursor + 1);
        item.stops.iter_mut().for_each(|stop| *stop = stop.start + 1..stop.end + 1);
    }
}

/// Whether what follows a comma is not set off from it, in the contents of a bracket up to a comma.
fn is_tight(contents: &str) -> bool {
    contents.split(',').skip(1).any(|item| !item.is_empty() && !item.starts_with([' ', '\t', '\r', '\n']))
}

#[cfg(test)]
mod tests {
    use crate::{complete, testing::with_cursor};

    /// The text after the item with a label was accepted.
    fn accepted(text: &str, label: &str) -> String {
        let (analysis, offset) = with_cursor(&format!("[orchestrator]\n[trainer.model]\n{text}\n"));
        let items = complete(&analysis, offset);
        let item = items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("{label} is offered in {text}"));
        let mut text = analysis.text.clone();
        text.replace_range(item.span.range(), &item.insert);
        text.lines().nth(2).unwrap_or_default().to_owned()
    }

    #[test]
    fn a_key_in_braces_is_set_off_as_the_other_side_is() {
        for (before, after) in [
            ("lora = {ra^}", "lora = {rank = 16}"),
            ("lora = {ra^", "lora = {rank = 16}"),
            ("lora = { ra^", "lora = { rank = 16 }"),
            ("lora = { ra^}", "lora = { rank = 16 }"),
            ("lora = { ra^ }", "lora = { rank = 16 }"),
            ("lora = {^ }", "lora = { rank = 16 }"),
            ("lora = { ^}", "lora = { rank = 16 }"),
            ("lora = {^}", "lora = {rank = 16}"),
            ("lora = { alpha = 1.0,^ }", "lora = { alpha = 1.0, rank = 16 }"),
            ("lora = {alpha = 1.0,^}", "lora = {alpha = 1.0, rank = 16}"),
            ("lora = {alpha=1.0,dropout=0.1,^}", "lora = {alpha=1.0,dropout=0.1,rank = 16}"),
            ("lora = { alpha = 1.0, ^}", "lora = { alpha = 1.0, rank = 16 }"),
            ("lora = { ^alpha = 1.0}", "lora = { rank = 1.0}"),
        ] {
            assert_eq!(accepted(before, "rank"), after, "{before}");
        }
    }

    #[test]
    fn an_item_is_set_off_from_a_comma() {
        for (before, after) in [
            ("[\"q_proj\",^]", "[\"q_proj\", \"k_proj\"]"),
            ("[\"q_proj\",^ \"v_proj\"]", "[\"q_proj\", \"k_proj\", \"v_proj\"]"),
            ("[^ \"v_proj\"]", "[\"k_proj\", \"v_proj\"]"),
            ("[\"q_proj\",\"v_proj\",^]", "[\"q_proj\",\"v_proj\",\"k_proj\"]"),
            ("[ ^]", "[ \"k_proj\" ]"),
        ] {
            assert_eq!(
                accepted(&format!("lora = {{ target_modules = {before} }}"), "\"k_proj\""),
                format!("lora = {{ target_modules = {after} }}"),
                "{before}"
            );
        }
    }

    #[test]
    fn an_item_is_set_off_from_a_comment() {
        assert_eq!(accepted("^# how", "trust_remote_code"), "trust_remote_code = false # how");
        assert_eq!(accepted("lora = {ra^# how", "rank"), "lora = {rank = 16} # how");
        assert_eq!(accepted("lora = { ra^}# how", "rank"), "lora = { rank = 16 }# how");
    }

    #[test]
    fn a_string_is_found_without_its_quote() {
        let (analysis, offset) = with_cursor("[orchestrator]\n[trainer.model]\nreduce_dtype = b^\n");
        let items = complete(&analysis, offset);
        assert_eq!(items[0].label, "\"bfloat16\"");
        assert!(items[0].filter.as_deref().is_some_and(|filter| filter.starts_with("bfloat16")), "{:?}", items[0].filter);
        let (analysis, offset) = with_cursor("[orchestrator]\n[trainer.model]\nname = Qwen3-8^\n");
        let items = complete(&analysis, offset);
        let model = items.iter().find(|item| item.label == "\"Qwen/Qwen3-8B\"").expect("it is offered");
        assert!(model.filter.as_deref().is_some_and(|filter| filter.starts_with("Qwen3-8B")), "{:?}", model.filter);
    }
}
