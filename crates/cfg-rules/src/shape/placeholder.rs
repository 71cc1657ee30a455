//! Words that stand where the author was to write something.

use cfg_diag::{Location, Severity, codes};
use cfg_plan::Plan;
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::{Kind, Segment};

use crate::{Check, Context, Finding, FixKind, Rule, Targets};

pub(crate) static RULE: Rule =
    Rule { code: &codes::PLACEHOLDER, kinds: &Kind::ALL, targets: Targets::ALL, fix: FixKind::None, check: Check::Each(check) };

/// Words that are nothing else, in capitals.
const WORDS: [&str; 6] = ["CHANGEME", "CHANGE_ME", "FIXME", "REPLACEME", "REPLACE_ME", "TODO"];

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut walk = Walk { plan: cx.plan, path: Vec::new(), findings: Vec::new() };
    walk.table(cx.view.table());
    walk.findings
}

struct Walk<'a> {
    plan: &'a Plan,
    /// The keys that lead to where it is.
    path: Vec<Step<'a>>,
    findings: Vec<Finding>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

impl<'a> Walk<'a> {
    fn table(&mut self, table: &'a ResolvedTable) {
        for field in &table.fields {
            if let Segment::Field(name) = field.node.segment() {
                self.below(Step::Key(name), &field.resolved, false);
            }
        }
    }

    fn below(&mut self, step: Step<'a>, resolved: &'a Resolved, is_free: bool) {
        self.path.push(step);
        match &resolved.value {
            ResolvedValue::Str(text) if is_placeholder(text, is_free) => {
                if let Some(location) = resolved.origin.location() {
                    let finding = self.finding(text, location);
                    self.findings.push(finding);
                }
            }
            ResolvedValue::Table(table) => self.table(table),
            ResolvedValue::Map(entries) => entries.iter().for_each(|(key, value)| self.below(Step::Key(key), value, true)),
            ResolvedValue::List(items) => {
                items.iter().enumerate().for_each(|(index, item)| self.below(Step::Item(index), item, is_free));
            }
            _ => {}
        }
        self.path.pop();
    }

    fn finding(&self, text: &str, location: Location) -> Finding {
        let mut key = String::new();
        for step in &self.path {
            match step {
                Step::Item(index) => key.push_str(&format!("[{index}]")),
                Step::Key(name) => {
                    if !key.is_empty() {
                        key.push('.');
                    }
                    key.push_str(name);
                }
            }
        }
        let finding = Finding::new(format!("`{text}` is a placeholder that was never filled in")).at(location);
        // Such a model is nowhere: the run ends when it is loaded.
        let is_model = self.path.ends_with(&[Step::Key("model"), Step::Key("name")]);
        let finding = if is_model && !self.plan.is_sft() { finding.severity(Severity::Error) } else { finding };
        finding.key(key).help("write what it stands for, or leave the key out")
    }
}

impl PartialEq for Step<'_> {
    fn eq(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Key(own), Self::Key(other)) if own == other)
    }
}

/// Whether a text is no more than a hint at what belongs there. In free keys anything may be meant that stands in angle brackets, as the tags
/// of answers do.
fn is_placeholder(text: &str, is_free: bool) -> bool {
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

/// Whether it is `<words like these>`.
fn is_in_brackets(text: &str) -> bool {
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or_default();
    inner.starts_with(|first: char| first.is_ascii_alphabetic())
        && inner.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, ' ' | '-' | '_' | '.' | '/'))
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn what_is_to_be_filled_in_is_told_from_what_is_meant() {
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
