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
    if written.within == Within::Extra {
        return None;
    }
    if is_placeholder(written.value, written.within == Within::Map) {
        let message = format!("`{}` is a placeholder that was never filled in", written.value);
        return Some(finding(written, message).help("write the real value, or remove the key"));
    }
    // Variables of processes and what is for Slurm may be read by a shell; what a script passes has been.
    let is_literal = written.within == Within::Fields && written.is_in_file && written.path.first() != "slurm";
    let variable = variable_in(written.value).filter(|_| is_literal)?;
    let message = format!("`{}` is used literally: prime-rl does not expand `{variable}` in a config", written.value);
    let help = "write the value itself, or pass it as a flag of the launch command, where the shell expands it";
    Some(finding(written, message).help(help))
}

fn finding(written: &Text<'_>, message: String) -> Finding {
    let key = written.path.to_string();
    let finding = Finding::new(message).at(written.location);
    // Such a model does not exist: the run fails when it is loaded.
    let is_model = key == "model.name" || key.ends_with(".model.name");
    let finding = if is_model { finding.severity(Severity::Error) } else { finding };
    finding.key(key)
}

/// The variable of a shell in a name or a path: `$HOME`, `${RUN}`, or the `~` at the beginning of a path. A text with blanks is a command or prose.
fn variable_in(text: &str) -> Option<&str> {
    if text.starts_with("~/") {
        return Some("~");
    }
    let start = text.find('$').filter(|_| !text.contains(char::is_whitespace))?;
    let rest = &text[start + 1..];
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let is_first = |first: char| first.is_ascii_alphabetic() || first == '_';
    let length = match rest.strip_prefix('{') {
        Some(inner) => inner.find('}').filter(|_| inner.starts_with(is_first))? + 2,
        None => rest.find(|character| !is_part(character)).unwrap_or(rest.len()),
    };
    (rest.starts_with('{') || rest.starts_with(is_first)).then(|| &text[start..start + 1 + length])
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
    use super::{is_placeholder, variable_in};

    #[test]
    fn variables_of_a_shell_are_found_in_names_and_paths() {
        for (text, variable) in [
            ("$HOME/outputs", Some("$HOME")),
            ("${RUN_NAME}", Some("${RUN_NAME}")),
            ("run-${RUN:-a}-x", Some("${RUN:-a}")),
            ("~/outputs", Some("~")),
            ("costs 5 $A", None),
            ("a$", None),
            ("$5", None),
            ("${", None),
            ("a~b", None),
        ] {
            assert_eq!(variable_in(text), variable, "{text}");
        }
    }

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
