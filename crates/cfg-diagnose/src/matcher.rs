//! What is searched for, made once for all logs.

use std::{collections::BTreeMap, ops::Range};

use crate::{clean::Cleaner, course::Event, search::Search, symptom};

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
    /// The texts of `owners`, in their order.
    search: Search,
    /// Of each text, who wants it.
    pub(crate) owners: Vec<Vec<Owner>>,
    /// Words of training, near which a general message counts.
    pub(crate) signs: Search,
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
        let search = Search::new(owners.keys().copied());
        Self { search, signs: Search::new(SIGNS), owners: owners.into_values().collect() }
    }

    /// Calls `found` with each text that begins in a range of a buffer, and where, in their order.
    pub(crate) fn find(&self, buffer: &[u8], range: Range<usize>, mut found: impl FnMut(u32, usize)) {
        self.search.find(buffer, range, |text, at| {
            found(text, at);
            true
        });
    }

    /// Cleans and searches whole lines, at most 4 GiB of them: what takes long, and can be done for many blocks at once. The memory of `scanned` is
    /// used again.
    pub fn scan(&self, lines: &[u8], scanned: &mut ScannedLines) {
        let ScannedLines { bytes, text, hits } = scanned;
        *bytes = lines.len() as u64;
        text.clear();
        hits.clear();
        Cleaner::default().append(lines, text);
        self.find(text, 0..text.len(), |pattern, at| {
            if let Ok(at) = u32::try_from(at) {
                hits.push((pattern, at));
            }
        });
    }
}

/// Lines that were searched: [`Log::take`](crate::Log::take) takes them in their order.
#[derive(Debug, Default)]
pub struct ScannedLines {
    pub(crate) bytes: u64,
    /// Cleaned.
    pub(crate) text: Vec<u8>,
    /// Which text begins where.
    pub(crate) hits: Vec<(u32, u32)>,
}

#[cfg(test)]
mod tests {
    use super::Matcher;

    /// A short text makes the search of every log slower.
    #[test]
    fn no_text_is_short() {
        let matcher = Matcher::new();
        assert!(matcher.search.shortest() >= 8, "{}", matcher.search.shortest());
    }
}
