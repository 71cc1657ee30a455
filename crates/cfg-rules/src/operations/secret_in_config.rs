//! A key or token in a config is copied with it: to the repository, to the folder of each run, to Weights & Biases.

use cfg_diag::{Location, Order, codes};
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    texts::{Text, Texts},
};

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
    let mut found = Texts::of(cx).secrets.clone();
    found.order_by_key(|(location, _)| (location.file, location.span.start));
    // Each is reported once, although prime-rl copies shared values.
    found.dedup_by_key(|(location, _)| *location);
    found.into_iter().map(|(location, what)| finding(location, what)).collect()
}

fn finding(location: Location, what: &str) -> Finding {
    Finding::new(format!("this is {what}: anyone with the config can use it"))
        .at(location)
        .help("revoke it, and pass the new one in an environment variable; only the variable's name belongs here")
}

/// The kind of secret that a text is.
pub(crate) fn secret(written: &Text<'_>) -> Option<&'static str> {
    let text = written.value;
    // Most texts are short.
    if text.len() < SHORTEST {
        return None;
    }
    let is_token = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    // Placeholders and names are words, not a mixture of letters and digits.
    let is_random =
        |rest: &str| rest.bytes().any(|byte| byte.is_ascii_digit()) && rest.bytes().any(|byte| byte.is_ascii_alphabetic());
    let begins = |(prefix, least, what): &(&str, usize, &'static str)| {
        let rest = text.strip_prefix(prefix)?;
        (rest.len() >= *least && is_token(rest) && is_random(rest)).then_some(*what)
    };
    // Comparing the first characters is faster, and they nearly always differ.
    let may_begin = |(prefix, ..): &&(&str, usize, &str)| prefix.as_bytes().first() == text.as_bytes().first();
    TOKENS.iter().filter(may_begin).find_map(begins).or_else(|| {
        let is_hex =
            text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')) && is_random(text);
        (is_hex && names_a_secret(written.path.key()))
            .then_some("forty hex digits under the name of a secret, as a Weights & Biases key is")
    })
}

fn names_a_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| key.contains(part))
}
