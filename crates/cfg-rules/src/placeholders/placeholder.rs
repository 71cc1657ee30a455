//! Placeholders that the author should have replaced.

use cfg_diag::{Severity, codes};
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    texts::{Text, Texts, Within},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::PLACEHOLDER,
    kinds: &Kind::ALL,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// Words that are only used as placeholders, in capitals.
const WORDS: [&str; 6] = ["CHANGEME", "CHANGE_ME", "FIXME", "REPLACEME", "REPLACE_ME", "TODO"];

fn check(cx: &Context<'_>) -> Vec<Finding> {
    // A template has them so that nobody starts it.
    if cx.project.is_template { Vec::new() } else { Texts::of(cx).placeholders.clone() }
}

/// The finding for a text if it is a placeholder.
pub(crate) fn placeholder(written: &Text<'_>) -> Option<Finding> {
    let is_one = written.within != Within::Extra && is_placeholder(written.value, written.within == Within::Map);
    is_one.then(|| finding(written))
}

fn finding(written: &Text<'_>) -> Finding {
    let key = written.path.to_string();
    let finding = Finding::new(format!("`{}` is a placeholder that was never filled in", written.value)).at(written.location);
    // Such a model does not exist: the run fails when it is loaded.
    let is_model = key == "model.name" || key.ends_with(".model.name");
    let finding = if is_model { finding.severity(Severity::Error) } else { finding };
    finding.key(key).help("write the real value, or remove the key")
}

/// Whether a text is only a placeholder. Where any key is allowed, text in angle brackets can be intended, such as answer tags.
pub(crate) fn is_placeholder(text: &str, is_free: bool) -> bool {
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    match text.bytes().next() {
        Some(b'<') => !is_free && is_in_brackets(text),
        Some(b'Y' | b'y') => begins("your_") || begins("your-"),
        Some(b'/') => text.starts_with("/path/to/"),
        Some(b'p') => text.starts_with("path/to/"),
        Some(b'C' | b'F' | b'R' | b'T') => WORDS.contains(&text),
        _ => false,
    }
}

/// Whether it has the form `<words like these>`.
fn is_in_brackets(text: &str) -> bool {
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or_default();
    inner.starts_with(|first: char| first.is_ascii_alphabetic())
        && inner.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, ' ' | '-' | '_' | '.' | '/'))
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn placeholders_are_distinguished_from_values() {
        for text in
            ["<model>", "<model-name>", "<your org/model>", "YOUR_PROJECT", "your-org/your-model", "CHANGE_ME", "/path/to/model"]
        {
            assert!(is_placeholder(text, false), "{text}");
        }
        for text in ["", "<", "<>", "<|im_end|>", "</think>", "yourself", "Todo", "/paths/to", "Qwen/Qwen3-8B", "a<b>"] {
            assert!(!is_placeholder(text, false), "{text}");
        }
        assert!(!is_placeholder("<answer>", true));
        assert!(is_placeholder("YOUR_KEY", true));
    }
}
