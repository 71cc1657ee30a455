//! Facts about models, by their names: which can't be trained, and which settings belong to them. Models that are not listed are unknown, and nothing
//! is reported. The entries are in `schemas/models/names/known.toml`.

use cfg_diag::Severity;
use cfg_memory::Recent;
use cfg_schema::{Behaviour, Point};

use crate::known_models::{ANSWERS, ARCHITECTURES, BLOCKERS, CALLERS, FAMILIES, HOSTED, SLUGS, TEMPLATES, UNTEMPLATED};

/// The source of a fact.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Where it is from.
    pub source: &'static str,
    /// The day on which it was last checked.
    pub confirmed: &'static str,
}

/// An architecture, by the model type of its config.
#[derive(Debug)]
pub struct Architecture {
    /// Its name.
    pub name: &'static str,
    /// The behaviour since which the trainer has its own class for it, if any.
    pub native: Option<Behaviour>,
    /// Whether it is known to have no experts.
    pub dense: bool,
    /// Whether `ep = "auto"` treats it as a mixture of experts: its config has `num_experts` or `n_routed_experts` at the top.
    pub auto_ep: bool,
    /// Whether the trainer's own class distributes its experts over the GPUs of expert parallelism.
    pub spreads_experts: bool,
    /// Its linear layers; empty if unknown.
    pub linear: &'static [&'static str],
    /// The source.
    pub evidence: Evidence,
}

impl Architecture {
    /// Whether the trainer has its own class for it at a point.
    pub fn has_own_class(&self, point: Point) -> bool {
        self.native.is_some_and(|native| point.has(native))
    }
}

/// What models with the same prefix have in common.
#[derive(Debug)]
pub struct Family {
    /// The prefixes of the names.
    pub prefixes: &'static [&'static str],
    /// Its architecture, if all of them share one.
    pub architecture: Option<&'static str>,
    /// The parsers that find its tool calls, the best first; empty if unknown.
    pub parsers: &'static [&'static str],
    /// Whether it has image input.
    pub vision: bool,
    /// The attributes of its vision encoder and of its language model, if prime-rl can train it on images; else empty.
    pub parts: &'static [&'static str],
    /// Whether the code of its repository has to run.
    pub remote_code: bool,
    /// The source.
    pub evidence: Evidence,
}

/// Models without public weights.
#[derive(Debug)]
pub struct Hosted {
    /// The prefixes of the names.
    pub prefixes: &'static [&'static str],
    /// Prefixes that are excluded.
    pub exceptions: &'static [&'static str],
    /// The source.
    pub evidence: Evidence,
}

/// A name that APIs use.
#[derive(Debug)]
pub struct Slug {
    /// The name.
    pub slug: &'static str,
    /// The hub's name of the same model.
    pub hub: &'static str,
    /// Whether the hub has no model of that name; otherwise only the case differs.
    pub certain: bool,
    /// The source.
    pub evidence: Evidence,
}

/// A problem that some versions of prime-rl have with some models.
#[derive(Debug)]
pub struct Blocker {
    /// The prefixes of the names.
    pub prefixes: &'static [&'static str],
    /// Whether transformers does not know its architecture, so that no program can read the model.
    pub is_unknown: bool,
    /// What happens.
    pub symptom: &'static str,
    /// What to do.
    pub help: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// Versions with this behaviour have the problem.
    pub holds: Behaviour,
    /// The source.
    pub evidence: Evidence,
}

/// A model whose chat template writes earlier turns differently from how they were sampled.
#[derive(Debug)]
pub struct Template {
    /// Its name on the hub.
    pub hub: &'static str,
    /// The same weights with another template.
    pub replacement: Option<&'static str>,
    /// The source.
    pub evidence: Evidence,
}

/// Base models whose tokenizer has no chat template.
#[derive(Debug)]
pub struct Untemplated {
    /// Their names on the hub.
    pub hubs: &'static [&'static str],
    /// The source.
    pub evidence: Evidence,
}

/// The minimum number of tokens of an answer with a tool call, for some models.
#[derive(Debug)]
pub struct Answer {
    /// The prefixes of the names.
    pub prefixes: &'static [&'static str],
    /// The number of tokens.
    pub tokens: i64,
    /// The source.
    pub evidence: Evidence,
}

/// Models that have been observed to call no tools, or to write incomplete calls.
#[derive(Debug)]
pub struct Caller {
    /// The prefixes of the names.
    pub prefixes: &'static [&'static str],
    /// What they do instead.
    pub trouble: &'static str,
    /// The source.
    pub evidence: Evidence,
}

/// The family of a model: the entry with the longest matching prefix.
pub fn family(name: &str) -> Option<&'static Family> {
    thread_local! {
        static FOUND: Recent<Option<&'static Family>> = const { Recent::new() };
    }
    FOUND.with(|recent| recent.of(name, || longest(FAMILIES, name, |family| family.prefixes)))
}

/// The architecture of a model.
pub fn architecture(name: &str) -> Option<&'static Architecture> {
    let architecture = family(name)?.architecture?;
    ARCHITECTURES.iter().find(|known| known.name == architecture)
}

/// Whether any family's tool calls are found by this parser.
pub fn is_parser(parser: &str) -> bool {
    FAMILIES.iter().any(|family| family.parsers.contains(&parser))
}

/// The entry of a model without public weights.
pub fn hosted(name: &str) -> Option<&'static Hosted> {
    longest(HOSTED, name, |hosted| hosted.prefixes).filter(|hosted| !hosted.exceptions.iter().any(|prefix| begins(name, prefix)))
}

/// The hub's name of a model with an API name.
pub fn slug(name: &str) -> Option<&'static Slug> {
    SLUGS.iter().find(|slug| slug.slug == name)
}

/// The known problem of a model at a point.
pub fn blocker(name: &str, point: Point) -> Option<&'static Blocker> {
    let fits = |blocker: &&Blocker| blocker.prefixes.iter().any(|prefix| begins(name, prefix));
    BLOCKERS.iter().filter(|blocker| point.has(blocker.holds)).find(fits)
}

/// The entry of a model whose template depends on later turns.
pub fn template(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.hub.eq_ignore_ascii_case(name))
}

/// Whether the tokenizer of a model is known to have no chat template.
pub fn has_no_template(name: &str) -> bool {
    UNTEMPLATED.iter().any(|models| models.hubs.iter().any(|hub| hub.eq_ignore_ascii_case(name)))
}

/// The entry with the number of tokens that an answer of the model needs.
pub fn answer(name: &str) -> Option<&'static Answer> {
    longest(ANSWERS, name, |answer| answer.prefixes)
}

/// The entry that describes how the model handles tools.
pub fn caller(name: &str) -> Option<&'static Caller> {
    longest(CALLERS, name, |caller| caller.prefixes)
}

/// The entry with the longest prefix of a name.
fn longest<T>(entries: &'static [T], name: &str, prefixes: impl Fn(&T) -> &'static [&'static str]) -> Option<&'static T> {
    let mut longest: Option<(usize, &T)> = None;
    for entry in entries {
        for prefix in prefixes(entry) {
            if longest.is_none_or(|(length, _)| length <= prefix.len()) && begins(name, prefix) {
                longest = Some((prefix.len(), entry));
            }
        }
    }
    longest.map(|(_, entry)| entry)
}

/// Whether a name has this prefix, ignoring case.
fn begins(name: &str, prefix: &str) -> bool {
    let is_alike = |(own, other): (&u8, &u8)| own.eq_ignore_ascii_case(other);
    // Names of one organisation have a common beginning: comparing from the end finds a difference sooner.
    let beginning = name.as_bytes().get(..prefix.len());
    beginning.is_some_and(|beginning| beginning.iter().zip(prefix.as_bytes()).rev().all(is_alike))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_decides() {
        let architecture = |name| architecture(name).map(|architecture| architecture.name);
        assert_eq!(architecture("Qwen/Qwen3-8B"), Some("qwen3"));
        assert_eq!(architecture("qwen/QWEN3-30b-a3b-instruct-2507"), Some("qwen3_moe"));
        assert_eq!(architecture("Qwen/Qwen3-Next-80B-A3B-Instruct"), None);
        assert_eq!(architecture("someone/Qwen3-8B"), None);
        assert!(family("Qwen/Qwen2.5-VL-7B-Instruct").is_some_and(|family| family.vision));
        assert!(family("Qwen/Qwen2.5-7B-Instruct").is_some_and(|family| !family.vision));
    }

    #[test]
    fn weights_that_are_public_are_not_hosted_only() {
        assert!(hosted("openai/gpt-4.1-mini").is_some());
        assert!(hosted("openai/gpt-oss-20b").is_none());
        assert!(hosted("Qwen/Qwen3-8B").is_none());
    }

    #[test]
    fn every_entry_has_a_source_and_a_date() {
        let of = |evidence: &Evidence| !evidence.source.is_empty() && evidence.confirmed.len() == "2026-01-04".len();
        assert!(ARCHITECTURES.iter().all(|entry| of(&entry.evidence)));
        assert!(FAMILIES.iter().all(|entry| of(&entry.evidence)));
        assert!(HOSTED.iter().all(|entry| of(&entry.evidence)));
        assert!(SLUGS.iter().all(|entry| of(&entry.evidence)));
        assert!(BLOCKERS.iter().all(|entry| of(&entry.evidence)));
        assert!(TEMPLATES.iter().all(|entry| of(&entry.evidence)));
        assert!(UNTEMPLATED.iter().all(|entry| of(&entry.evidence)));
        assert!(ANSWERS.iter().all(|entry| of(&entry.evidence)));
        assert!(CALLERS.iter().all(|entry| of(&entry.evidence)));
    }

    #[test]
    fn a_slug_is_certain_if_more_than_its_case_differs() {
        for slug in SLUGS {
            assert_eq!(slug.certain, !slug.slug.eq_ignore_ascii_case(slug.hub), "{}", slug.slug);
        }
    }
}
