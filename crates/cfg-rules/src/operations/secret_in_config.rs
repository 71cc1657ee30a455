//! A key or token in a config is copied with it: to the repository, to the folder of each run, to Weights & Biases.

use cfg_compose::{Node, Origin, Value};
use cfg_diag::{Location, codes};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::{Kind, Node as SchemaNode};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, rule::may_have_text};

/// The prefixes of some services' tokens, the minimum length of the rest, and a description.
const TOKENS: [(&str, usize, &str); 10] = [
    ("hf_", 30, "a Hugging Face token"),
    ("wandb_v1_", 20, "a Weights & Biases key"),
    ("sk-ant-", 20, "an Anthropic key"),
    ("sk-or-", 20, "an OpenRouter key"),
    ("sk-proj-", 20, "a key of OpenAI"),
    ("sk-", 32, "a key of OpenAI or a similar service"),
    ("ghp_", 30, "a GitHub token"),
    ("github_pat_", 30, "a GitHub token"),
    ("rpa_", 30, "a RunPod key"),
    ("AKIA", 16, "an AWS key"),
];

/// The length of the shortest of them.
const SHORTEST: usize = 20;

/// Parts of key names below which forty hex digits are taken for a Weights & Biases key; elsewhere they could be a commit.
const SECRET_NAMES: [&str; 4] = ["key", "token", "secret", "password"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::SECRET_IN_CONFIG,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    in_table(cx.view.table(), &mut found);
    found.sort_by_key(|(location, _)| (location.file, location.span.start));
    // Each is reported once, although prime-rl copies shared values.
    found.dedup_by_key(|(location, _)| *location);
    found.into_iter().map(|(location, what)| finding(location, what)).collect()
}

fn finding(location: Location, what: &str) -> Finding {
    Finding::new(format!("this is {what}: anyone with the config can use it"))
        .at(location)
        .help("revoke it, and pass the new one in an environment variable; only the variable's name belongs here")
}

type Secrets = Vec<(Location, &'static str)>;

fn in_table(table: &ResolvedTable, found: &mut Secrets) {
    for field in table.fields.iter().filter(|field| may_have_text(&field.resolved)) {
        in_value(Name::Of(field.node), &field.resolved, found);
    }
    for (name, node) in &table.extra {
        in_raw(name, node, found);
    }
}

/// The key of a text. A field's name is looked up only for the few texts for which it matters.
#[derive(Clone, Copy)]
enum Name<'a> {
    Of(SchemaNode),
    Free(&'a str),
}

fn in_value(name: Name<'_>, resolved: &Resolved, found: &mut Secrets) {
    match &resolved.value {
        ResolvedValue::Str(text) => in_text(name, text, resolved.origin, found),
        ResolvedValue::List(items) => {
            items.iter().filter(|item| may_have_text(item)).for_each(|item| in_value(name, item, found));
        }
        ResolvedValue::Map(entries) => {
            let entries = entries.iter().filter(|(_, entry)| may_have_text(entry));
            entries.for_each(|(name, entry)| in_value(Name::Free(name), entry, found));
        }
        ResolvedValue::Table(table) => in_table(table, found),
        _ => {}
    }
}

fn in_raw(name: &str, node: &Node, found: &mut Secrets) {
    match &node.value {
        Value::Str(text) => in_text(Name::Free(name), text, node.origin, found),
        Value::List(items) => items.iter().for_each(|item| in_raw(name, item, found)),
        Value::Table(table) => table.entries().iter().for_each(|entry| in_raw(&entry.key, &entry.node, found)),
        _ => {}
    }
}

fn in_text(name: Name<'_>, text: &str, origin: Origin, found: &mut Secrets) {
    // Most texts are short.
    if text.len() >= SHORTEST
        && let Some(location) = origin.location()
        && let Some(what) = secret(name, text)
    {
        found.push((location, what));
    }
}

/// The kind of secret that a text is.
fn secret(name: Name<'_>, text: &str) -> Option<&'static str> {
    let is_token = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    // Placeholders and names are words, not a mixture of letters and digits.
    let is_random =
        |rest: &str| rest.bytes().any(|byte| byte.is_ascii_digit()) && rest.bytes().any(|byte| byte.is_ascii_alphabetic());
    let begins = |(prefix, least, what): &(&str, usize, &'static str)| {
        let rest = text.strip_prefix(prefix)?;
        (rest.len() >= *least && is_token(rest) && is_random(rest)).then_some(*what)
    };
    TOKENS.iter().find_map(begins).or_else(|| {
        let is_hex =
            text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')) && is_random(text);
        (is_hex && names_a_secret(name)).then_some("forty hex digits under the name of a secret, as a Weights & Biases key is")
    })
}

fn names_a_secret(name: Name<'_>) -> bool {
    let name = match name {
        Name::Of(node) => node.field_name().unwrap_or_default(),
        Name::Free(name) => name,
    }
    .to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}
