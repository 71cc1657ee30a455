//! Names that say the same in other words: `max_generation_tokens` and `max_completion_tokens`, `grad_clip_threshold` and `gradient_clipping_thresh`.

use std::{collections::HashMap, sync::OnceLock};

use cfg_meter::charge_each;
use foldhash::fast::RandomState;

use super::{Names, spelling::plain};
use crate::synonyms;

/// The most words of a phrase that stands for one.
const LONGEST_PHRASE: usize = 3;

/// The longest name whose words are compared, in bytes.
const LONGEST_NAME: usize = 64;

/// The words of a name in the order of the alphabet, each by the one that stands for it and those like it; `None` if they say too little.
pub(crate) fn sense(name: &str) -> Option<String> {
    let (found, is_known) = read(name)?;
    // A single word that nothing else says is another name of itself alone.
    (found.len() > 1 || is_known && !found.is_empty()).then(|| found.join(" "))
}

/// The words of a name in the order of the alphabet, each by the one that stands for it.
fn words(name: &str) -> Option<Vec<String>> {
    read(name).map(|(words, _)| words)
}

/// The words of a name, and whether one of them is among those that others stand for.
fn read(name: &str) -> Option<(Vec<String>, bool)> {
    if name.len() > LONGEST_NAME || name.contains('.') {
        return None;
    }
    let name = plain(name);
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let (mut found, mut is_known, mut at) = (Vec::new(), false, 0);
    while at < words.len() {
        let most = LONGEST_PHRASE.min(words.len() - at);
        let phrase = (1..=most).rev().find_map(|count| Some((synonyms::stands_for(&words[at..at + count].join("_"))?, count)));
        match phrase {
            Some((word, count)) => {
                is_known |= !word.is_empty();
                found.extend(Some(word.to_owned()).filter(|word| !word.is_empty()));
                at += count;
            }
            None => {
                let one = words[at].strip_suffix('s').filter(|one| one.len() > 2 && !one.ends_with('s')).unwrap_or(words[at]);
                found.push(synonyms::stands_for(one).unwrap_or(one).to_owned());
                at += 1;
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Some((found, is_known))
}

/// The only one of some names that says the same as another in other words.
pub(crate) fn alike<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = words(name).filter(|words| !words.is_empty())?;
    let mut same = candidates.filter(|candidate| *candidate != name && words(candidate).is_some_and(|words| words == wanted));
    same.next().filter(|first| same.all(|other| other == *first))
}

/// The only one of some names that says the same as another but for one word: `num_loras` and `max_loras`.
pub(crate) fn alike_without<'c>(word: &str, name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let without = |name: &str| words(name).map(|words| words.into_iter().filter(|other| other != word).collect::<Vec<_>>());
    let wanted = without(name).filter(|words| !words.is_empty())?;
    let mut same = candidates.filter(|candidate| without(candidate).is_some_and(|words| words == wanted));
    same.next().filter(|first| same.all(|other| other == *first))
}

/// The only one of some names that says the same as another without the words of its table: `ckpt_interval` in a table `ckpt` is `interval`.
pub(crate) fn alike_within<'c>(table: &str, name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let (of_table, written) = (words(table)?, words(name)?);
    let rest: Vec<&String> = written.iter().filter(|word| !of_table.contains(word)).collect();
    if rest.is_empty() || rest.len() == written.len() {
        return None;
    }
    let says = |candidate: &str| {
        let words = words(candidate)?;
        // Its own name may have the words of the table as well.
        let is_it = |words: &[&String]| words.len() == rest.len() && words.iter().zip(&rest).all(|(one, other)| one == other);
        let within: Vec<&String> = words.iter().filter(|word| !of_table.contains(word)).collect();
        is_it(&within).then_some(())
    };
    let mut same = candidates.filter(|candidate| says(candidate).is_some());
    same.next().filter(|first| same.all(|other| other == *first))
}

/// All known names, by what they say.
#[derive(Debug, Default)]
pub(super) struct BySense(OnceLock<HashMap<String, Vec<&'static str>, RandomState>>);

impl Names {
    /// The key of any version, or the word of another trainer, that says the same as a name in other words. `None` if it could be several.
    pub(crate) fn in_other_words(&self, name: &str) -> Option<&'static str> {
        let wanted = sense(name)?;
        charge_each(self.names_ever().len()).ok()?;
        let known = self.known.by_sense.0.get_or_init(|| {
            let mut known: HashMap<String, Vec<&'static str>, RandomState> = HashMap::default();
            for name in self.names_ever().iter().copied().chain(synonyms::words()) {
                if let Some(sense) = sense(name) {
                    known.entry(sense).or_default().push(name);
                }
            }
            known
        });
        let mut same: Vec<&'static str> = known.get(&wanted)?.clone();
        // What is known is written as it is meant.
        if same.contains(&name) {
            return None;
        }
        if same.iter().any(|word| !self.paths(word).is_empty()) {
            same.retain(|word| !self.paths(word).is_empty());
        }
        same.sort_unstable();
        let first = *same.first()?;
        same.iter().all(|word| *word == first || synonyms::are_the_same(word, first)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::{alike, alike_within, alike_without, sense};

    #[test]
    fn names_in_other_words_say_the_same() {
        for (one, other) in [
            ("max_generation_tokens", "max_completion_tokens"),
            ("gpu_mem_util", "gpu_memory_utilization"),
            ("maximum-inflight-rollouts", "max_inflight_rollouts"),
            ("num_training_gpus", "num_train_gpus"),
            ("easy_thresh", "easy_threshold"),
            ("checkpoint_dir", "ckpt_directory"),
        ] {
            assert!(sense(one).is_some(), "{one}");
            assert_eq!(sense(one), sense(other), "{one}");
        }
        for (one, other) in [("max_tokens", "min_tokens"), ("train_gpus", "infer_gpus"), ("lr", "min_lr"), ("name", "names")] {
            assert!(sense(one).is_none() || sense(one) != sense(other), "{one} {other}");
        }
        assert_eq!(sense("favourite"), None);
    }

    #[test]
    fn only_one_name_is_meant() {
        assert_eq!(alike("gpu_mem_util", ["gpu_memory_utilization", "seed"].into_iter()), Some("gpu_memory_utilization"));
        assert_eq!(alike("max_outputs", ["max_generations", "max_completions"].into_iter()), None);
        assert_eq!(alike("max_responses", ["max_generations", "max_completions"].into_iter()), None);
        let names = ["enable_lora", "max_loras", "max_lora_rank"];
        assert_eq!(alike_without("enable", "lora", names.into_iter()), Some("enable_lora"));
        assert_eq!(alike_without("max", "num_loras", names.into_iter()), Some("max_loras"));
        assert_eq!(alike_within("ckpt", "ckpt_interval", ["interval", "keep_last"].into_iter()), Some("interval"));
        assert_eq!(alike_within("ckpt", "interval", ["every"].into_iter()), None);
    }
}
