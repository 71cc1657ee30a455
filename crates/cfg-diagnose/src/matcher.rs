//! The texts to search for, prepared once for all logs.

use std::{collections::BTreeMap, ops::Range};

use memchr::{memchr2, memrchr2};

use crate::{
    clean::Cleaner,
    event::{self, Event},
    excerpt::lossy,
    last_words,
    log_event::LogEvent,
    search::Search,
    symptom,
};

/// What a text belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    /// A pattern of a symptom: the indices of the symptom and the pattern.
    Symptom(usize, usize),
    /// An event in the course of the run.
    Event(Event),
}

/// Finds the texts of all symptoms at once.
#[derive(Debug)]
pub struct Matcher {
    /// Searches for the texts of `owners`, in the same order.
    search: Search,
    /// The owners of each text.
    pub(crate) owners: Vec<Vec<Owner>>,
    /// Signs of training; a generic message only counts near one of them.
    pub(crate) signs: Search,
}

/// Words that hardly any other log contains.
const SIGNS: [&str; 52] = [
    "uv run rl",
    "uv run sft",
    "'run', 'rl'",
    "uv run trainer",
    "uv run inference",
    "rl: error: ",
    "prime_rl",
    "prime-rl",
    "vllm",
    "(apiserver pid=",
    "starting inference on http",
    "torchrun",
    "torch/",
    "torch.distributed",
    "wandb",
    "rollout",
    "orchestrator",
    "tool arguments",
    "tool call",
    "verifiers",
    "rlconfig",
    "trainerconfig",
    "inferenceconfig",
    "sftconfig",
    "cuda",
    "transformers/",
    "transformers.",
    "accelerate/",
    "deepspeed",
    "safetensors",
    "huggingface_hub",
    "flash_attn",
    "nvidia.com/gpu",
    "--trainer.",
    "ray.exceptions",
    "(raylet",
    "[launch.py:",
    "/verl/",
    "slurmstepd",
    "srun: error",
    "nvrm: xid",
    "triton.",
    "skyrl",
    "openrlhf",
    "megatron",
    "sglang",
    "grpo",
    "hydra_full_error",
    // What the scripts of prime-rl's jobs print first.
    "train_hosts=",
    "infer_hosts=",
    "orch_addr=",
    "master_port=",
];

impl Default for Matcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Matcher {
    /// Prepares the search.
    pub fn new() -> Self {
        let mut owners: BTreeMap<&str, Vec<Owner>> = BTreeMap::new();
        for (index, symptom) in symptom::all().iter().enumerate() {
            for (at, pattern) in symptom.patterns.iter().enumerate() {
                owners.entry(pattern.anchor()).or_default().push(Owner::Symptom(index, at));
            }
        }
        for (text, event) in event::TEXTS {
            owners.entry(text).or_default().push(Owner::Event(event));
        }
        for text in last_words::FATAL.iter().map(|(text, _)| text).chain(&last_words::EXCEPTIONS) {
            owners.entry(text).or_default().push(Owner::Event(Event::Fatal));
        }
        let search = Search::new(owners.keys().copied());
        Self { search, signs: Search::new(SIGNS), owners: owners.into_values().collect() }
    }

    /// Calls `found` with each text that begins in a range of a buffer, and its position, in the order of positions.
    pub(crate) fn find(&self, buffer: &[u8], range: Range<usize>, mut found: impl FnMut(u32, usize)) {
        self.search.find(buffer, range, |text, at| {
            found(text, at);
            true
        });
    }

    /// Reports what a text found at `at` means in a line, which is in lower case. `events` has a bit for each event that was already reported for the
    /// line: an event is reported once, even if several of its texts occur.
    pub(crate) fn report_hits(&self, text: u32, line: &[u8], at: usize, events: &mut u32, mut tell: impl FnMut(Hit)) {
        for owner in self.owners.get(text as usize).into_iter().flatten() {
            match *owner {
                Owner::Symptom(index, pattern) => {
                    let Some(symptom) = symptom::all().get(index) else { continue };
                    let stands = symptom.patterns[pattern].matches_at(line, at);
                    if stands && !symptom.unless.iter().any(|harmless| harmless.is_in(line)) {
                        tell(Hit::Symptom(index));
                    }
                }
                Owner::Event(event) => {
                    let bit = 1 << event as u32;
                    if *events & bit != 0 {
                        continue;
                    }
                    *events |= bit;
                    match event {
                        Event::Traceback => tell(Hit::Traceback),
                        Event::Fatal => tell(Hit::Fatal),
                        _ => {}
                    }
                    if let Some((found, time)) = LogEvent::read(event, &lossy(line)) {
                        tell(Hit::Event(found, time));
                    }
                }
            }
        }
    }

    /// Cleans and searches whole lines, at most 4 GiB: the expensive part, which can run for several blocks at once. The memory of `scanned` is
    /// reused.
    pub fn scan(&self, lines: &[u8], scanned: &mut ScannedLines) {
        let ScannedLines { bytes, text, hits, line } = scanned;
        *bytes = lines.len() as u64;
        text.clear();
        hits.clear();
        Cleaner::default().append(lines, text);
        (line.start, line.end) = (0, 0);
        self.find(text, 0..text.len(), |pattern, at| {
            let Ok(place) = u32::try_from(at) else { return };
            if !line.move_to(text, at) {
                hits.push((place, Hit::Text(pattern)));
                return;
            }
            self.report_hits(pattern, &line.lower, at - line.start, &mut line.events, |hit| hits.push((place, hit)));
        });
    }
}

/// Longer lines are not examined as a whole.
pub(crate) const LONG: usize = 4096;

/// A match.
#[derive(Clone, Debug)]
pub(crate) enum Hit {
    /// A text, by its index, whose line has not been examined.
    Text(u32),
    /// A symptom, by its index.
    Symptom(usize),
    /// An event in the course of the run, with the time of day of its line in seconds.
    Event(LogEvent, Option<u32>),
    /// The first line of a traceback.
    Traceback,
    /// A line with a text that can be the last words of a process.
    Fatal,
}

/// Lines that were searched; pass them to [`Log::take`](crate::Log::take) in order.
#[derive(Debug, Default)]
pub struct ScannedLines {
    pub(crate) bytes: u64,
    /// The cleaned text.
    pub(crate) text: Vec<u8>,
    /// The matches, with their positions.
    pub(crate) hits: Vec<(u32, Hit)>,
    line: Line,
}

/// The line that was examined last; it can contain several matches.
#[derive(Debug, Default)]
struct Line {
    start: usize,
    end: usize,
    /// Its text in lower case.
    lower: Vec<u8>,
    /// A bit for each event that was reported for it.
    events: u32,
}

impl Line {
    /// Moves on to the line around a position; returns whether the line is short enough to examine.
    fn move_to(&mut self, text: &[u8], at: usize) -> bool {
        if at < self.end {
            return true;
        }
        let from = self.end.max(at.saturating_sub(LONG));
        let to = text.len().min(at + LONG);
        let start = memrchr2(b'\n', b'\r', &text[from..at]).map(|found| from + found + 1);
        let end = memchr2(b'\n', b'\r', &text[at..to]).map(|found| at + found);
        let start = start.or_else(|| (from == 0).then_some(0));
        let end = end.or_else(|| (to == text.len()).then_some(to));
        let Some((start, end)) = start.zip(end).filter(|(start, end)| end - start <= LONG) else { return false };
        (self.start, self.end, self.events) = (start, end, 0);
        self.lower.clear();
        self.lower.extend_from_slice(&text[start..end]);
        self.lower.make_ascii_lowercase();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Matcher;

    /// A short text would slow down the search of every log.
    #[test]
    fn no_text_is_short() {
        let matcher = Matcher::new();
        assert!(matcher.search.shortest() >= 8, "{}", matcher.search.shortest());
    }
}
