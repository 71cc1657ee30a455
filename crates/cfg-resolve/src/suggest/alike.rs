//! Names that say the same in other words: `max_generation_tokens` and `max_completion_tokens`, `grad_clip_threshold` and `gradient_clipping_thresh`.

use std::{borrow::Cow, sync::OnceLock};

use cfg_meter::charge_each;

use super::{Names, spelling::plain};
use crate::synonyms;

/// The longest name whose words are compared, in bytes.
const LONGEST_NAME: usize = 64;

/// The most words that such a name has.
const MOST_WORDS: usize = LONGEST_NAME / 2;

/// The words of a name, each by a digest of the one that stands for it, in the order of the digests and each once.
#[derive(Clone, Copy, Debug)]
struct Words {
    digests: [u64; MOST_WORDS],
    count: usize,
    /// Whether one of them is among those that others stand for.
    is_known: bool,
}

impl Words {
    /// Those of a name; `None` of one that is too long, or is a path.
    fn of(name: &str) -> Option<Self> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let name = with_single_marks(name)?;
        let mut words = Self { digests: [0; MOST_WORDS], count: 0, is_known: false };
        let mut rest = name.trim_matches('_');
        while !rest.is_empty() {
            let first = FirstWord::of(rest);
            let read = match synonyms::phrase(rest, &rest[..first.length], first.digest) {
                Some((length, meant)) => {
                    if !meant.is_empty() {
                        words.is_known = true;
                        words.push(synonyms::digest(meant.as_bytes(), 0));
                    }
                    length
                }
                None => {
                    words.push(first.alone(rest));
                    first.length
                }
            };
            rest = rest[read..].strip_prefix('_').unwrap_or_default();
        }
        Some(words)
    }

    fn push(&mut self, digest: u64) {
        if let Err(at) = self.list().binary_search(&digest) {
            self.digests.copy_within(at..self.count, at + 1);
            self.digests[at] = digest;
            self.count += 1;
        }
    }

    fn list(&self) -> &[u64] {
        &self.digests[..self.count]
    }

    /// The words that are none of these.
    fn without<'w>(&'w self, others: &'w Self) -> impl Iterator<Item = u64> + 'w {
        self.list().iter().copied().filter(|digest| others.list().binary_search(digest).is_err())
    }
}

/// A name as keys are spelt, with one `_` between words; `None` for a path.
fn with_single_marks(name: &str) -> Option<Cow<'_, str>> {
    let mut before = b' ';
    let is_so = name.bytes().all(|byte| {
        let is_first_mark = byte == b'_' && before != b'_';
        before = byte;
        is_first_mark || byte.is_ascii_lowercase() || byte.is_ascii_digit()
    });
    if is_so {
        return Some(Cow::Borrowed(name));
    }
    let name = Some(plain(name)).filter(|name| !name.contains('.'))?;
    if !name.contains("__") {
        return Some(name);
    }
    Some(Cow::Owned(name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")))
}

/// The first word of a name, which a `_` or the name's end follows.
struct FirstWord {
    length: usize,
    digest: u64,
    /// The digest without the last letter.
    shorter: u64,
}

impl FirstWord {
    fn of(name: &str) -> Self {
        let mut first = Self { length: 0, digest: synonyms::NO_BYTES, shorter: synonyms::NO_BYTES };
        for byte in name.bytes().take_while(|byte| *byte != b'_') {
            first = Self { length: first.length + 1, digest: synonyms::digest_with(first.digest, byte), shorter: first.digest };
        }
        first
    }

    /// The digest of the word that stands for this one, or of this one in the singular.
    fn alone(&self, name: &str) -> u64 {
        let word = &name[..self.length];
        let Some(one) = word.strip_suffix('s').filter(|one| one.len() > 2 && !one.ends_with('s')) else { return self.digest };
        synonyms::stands_for(one, self.shorter).map_or(self.shorter, |meant| synonyms::digest(meant.as_bytes(), 0))
    }
}

/// What the words of a name say, whatever their order; `None` if they say too little.
pub(crate) fn sense(name: &str) -> Option<u64> {
    let words = Words::of(name)?;
    // A single word that nothing else says is another name of itself alone.
    let says_enough = words.count > 1 || words.is_known && words.count > 0;
    says_enough.then(|| {
        words.list().iter().fold(0, |sense: u64, digest| (sense.rotate_left(5) ^ digest).wrapping_mul(0x517c_c1b7_2722_0a95))
    })
}

/// Names that another one may mean, with their words.
pub(crate) struct Meant<'c>(Vec<(&'c str, Words)>);

impl<'c> Meant<'c> {
    /// These names.
    pub(crate) fn of(names: impl Iterator<Item = &'c str>) -> Self {
        Self(names.filter_map(|name| Some((name, Words::of(name)?))).collect())
    }

    /// The only one for whose words this is true.
    fn only(&self, is_it: impl Fn(&str, &Words) -> bool) -> Option<&'c str> {
        let mut same = self.0.iter().filter(|(name, words)| is_it(name, words)).map(|(name, _)| *name);
        same.next().filter(|first| same.all(|other| other == *first))
    }

    /// The only one that says the same as another name in other words.
    pub(crate) fn alike(&self, name: &str) -> Option<&'c str> {
        let wanted = Words::of(name).filter(|words| words.count > 0)?;
        self.only(|candidate, words| candidate != name && words.list() == wanted.list())
    }

    /// The only one that says the same as another name but for one word: `num_loras` and `max_loras`.
    pub(crate) fn alike_without(&self, word: &str, name: &str) -> Option<&'c str> {
        let (word, written) = (Words::of(word)?, Words::of(name)?);
        written.without(&word).next()?;
        self.only(|_, words| words.without(&word).eq(written.without(&word)))
    }

    /// The only one that says the same as another name without the words of its table: `ckpt_interval` in a table `ckpt` is `interval`.
    pub(crate) fn alike_within(&self, table: &str, name: &str) -> Option<&'c str> {
        let (of_table, written) = (Words::of(table)?, Words::of(name)?);
        let rest = || written.without(&of_table);
        if rest().next().is_none() || rest().count() == written.count {
            return None;
        }
        // Its own name may have the words of the table as well.
        self.only(|_, words| words.without(&of_table).eq(rest()))
    }
}

/// The only one of some names that says the same as another in other words.
pub(crate) fn alike<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    Meant::of(candidates).alike(name)
}

/// What all known names say.
#[derive(Debug, Default)]
pub(super) struct Senses(OnceLock<Vec<(u64, &'static str)>>);

impl Names {
    /// The key of any version, or the word of another trainer, that says the same as a name in other words. `None` if it could be several.
    pub(crate) fn in_other_words(&self, name: &str) -> Option<&'static str> {
        let wanted = sense(name)?;
        charge_each(self.names_ever().len()).ok()?;
        // Few of them are looked for in one process: to sort them would take longer.
        let known = self.known.senses.0.get_or_init(|| {
            let names = self.names_ever().iter().copied().chain(synonyms::words());
            names.filter_map(|name| Some((sense(name)?, name))).collect()
        });
        let mut same: Vec<&str> = known.iter().filter(|(sense, _)| *sense == wanted).map(|(_, name)| *name).collect();
        same.sort_unstable();
        self.only_meant(name, same)
    }
}

#[cfg(test)]
mod tests {
    use super::{Meant, alike, sense};

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
        assert_eq!(Meant::of(names.into_iter()).alike_without("enable", "lora"), Some("enable_lora"));
        assert_eq!(Meant::of(names.into_iter()).alike_without("max", "num_loras"), Some("max_loras"));
        assert_eq!(Meant::of(["interval", "keep_last"].into_iter()).alike_within("ckpt", "ckpt_interval"), Some("interval"));
        assert_eq!(Meant::of(["every"].into_iter()).alike_within("ckpt", "interval"), None);
    }
}
