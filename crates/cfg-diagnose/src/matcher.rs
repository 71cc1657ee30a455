//! What is searched for, made once for all logs.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{course::Event, symptom};

/// Who wants to know of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    /// A pattern of a symptom: the indices of both.
    Symptom(usize, usize),
    /// The course of the run.
    Event(Event),
}

/// Finds the texts of all symptoms at once.
#[derive(Debug)]
pub struct Matcher {
    /// Nothing if it can't be built, which a test rules out.
    pub(crate) automaton: Option<AhoCorasick>,
    /// Of each text, who wants it.
    pub(crate) owners: Vec<Vec<Owner>>,
    /// The longest text.
    pub(crate) longest: usize,
    /// Words of training, near which a general message counts.
    pub(crate) signs: Option<AhoCorasick>,
}

/// Words that hardly any other log has.
const SIGNS: [&str; 15] = [
    "prime_rl",
    "prime-rl",
    "vllm",
    "torchrun",
    "torch/",
    "torch.distributed",
    "wandb",
    "rollout",
    "orchestrator",
    "verifiers",
    "rlconfig",
    "trainerconfig",
    "inferenceconfig",
    "sftconfig",
    "cuda",
];

impl Default for Matcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Matcher {
    /// Builds it.
    pub fn new() -> Self {
        let mut owners: BTreeMap<&str, Vec<Owner>> = BTreeMap::new();
        for (index, symptom) in symptom::all().iter().enumerate() {
            for (at, pattern) in symptom.patterns.iter().enumerate() {
                owners.entry(pattern.anchor()).or_default().push(Owner::Symptom(index, at));
            }
        }
        for (text, event) in Event::TEXTS {
            owners.entry(text).or_default().push(Owner::Event(event));
        }
        let texts: Vec<&str> = owners.keys().copied().collect();
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::DFA));
        Self {
            automaton: builder.build(&texts).ok(),
            signs: builder.build(SIGNS).ok(),
            owners: owners.into_values().collect(),
            longest,
        }
    }
}
