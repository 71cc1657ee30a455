//! Placeholders that the author should have replaced.

use std::fmt;

use cfg_diag::{Location, Severity, codes};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::{Kind, Node};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, rule::may_have_text};

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
    let mut findings = Vec::new();
    table(None, cx.view.table(), &mut findings);
    findings
}

/// The keys of a value's path, from the last to the first.
#[derive(Clone, Copy)]
struct Path<'p> {
    segment: PathSegment<'p>,
    above: Option<&'p Path<'p>>,
}

#[derive(Clone, Copy)]
enum PathSegment<'p> {
    Field(Node),
    Key(&'p str),
    Item(usize),
}

fn table(above: Option<&Path<'_>>, table: &ResolvedTable, findings: &mut Vec<Finding>) {
    for field in table.fields.iter().filter(|field| may_have_text(&field.resolved)) {
        value(PathSegment::Field(field.node), above, &field.resolved, false, findings);
    }
}

fn value(segment: PathSegment<'_>, above: Option<&Path<'_>>, resolved: &Resolved, is_free: bool, findings: &mut Vec<Finding>) {
    let path = || Path { segment, above };
    match &resolved.value {
        ResolvedValue::Str(text) if is_placeholder(text, is_free) => {
            // A value that prime-rl copies is reported once, where it is written.
            if let Some(location) = resolved.origin.location() {
                findings.push(finding(&path(), text, location));
            }
        }
        ResolvedValue::Table(inner) => table(Some(&path()), inner, findings),
        ResolvedValue::Map(entries) => {
            let above = path();
            for (key, entry) in entries.iter().filter(|(_, entry)| may_have_text(entry)) {
                value(PathSegment::Key(key), Some(&above), entry, true, findings);
            }
        }
        ResolvedValue::List(items) => {
            let above = path();
            for (index, item) in items.iter().enumerate().filter(|(_, item)| may_have_text(item)) {
                value(PathSegment::Item(index), Some(&above), item, is_free, findings);
            }
        }
        _ => {}
    }
}

fn finding(path: &Path<'_>, text: &str, location: Location) -> Finding {
    let key = path.to_string();
    let finding = Finding::new(format!("`{text}` is a placeholder that was never filled in")).at(location);
    // Such a model does not exist: the run fails when it is loaded.
    let is_model = key == "model.name" || key.ends_with(".model.name");
    let finding = if is_model { finding.severity(Severity::Error) } else { finding };
    finding.key(key).help("write the real value, or remove the key")
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.fmt(formatter)?;
        }
        let key = match self.segment {
            PathSegment::Item(index) => return write!(formatter, "[{index}]"),
            PathSegment::Field(node) => node.field_name().unwrap_or_default(),
            PathSegment::Key(key) => key,
        };
        write!(formatter, "{}{key}", if self.above.is_some() { "." } else { "" })
    }
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
