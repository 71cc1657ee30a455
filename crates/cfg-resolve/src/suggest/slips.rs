//! Names with one typing error that no key of their table resembles.

use cfg_meter::charge_each;

use super::{Names, characters, letters, nearest, paths, plain, strange_letters};
use crate::synonyms;

/// The length from which on a name with one typing error is still known, in characters.
const SHORTEST: usize = 6;

impl Names {
    /// The name that a misspelt one is but for one typing error: a key of the target, or else a key of another version or a word of another trainer.
    /// `None` if it could be several.
    pub(crate) fn without_slip(&self, name: &str) -> Option<&'static str> {
        let written = plain(name);
        let (length, letters_written) = (characters(&written), letters(&written));
        if length < SHORTEST {
            return None;
        }
        let ever = self.known.paths_ever.get_or_init(|| paths(self.known.schema, &|_| true));
        charge_each(ever.len()).ok()?;
        let is_near = |word: &&'static str| {
            // Names of keys are ASCII, and most have another length.
            word.len().abs_diff(length) <= 1
                && strange_letters(letters_written, letters(word)) <= 1
                && (word.len() >= SHORTEST || word.contains('_'))
                && self.is_slip(name, word, &[])
                && nearest(name, std::iter::once(*word)).is_some()
        };
        let mut near: Vec<&'static str> = ever.keys().copied().chain(synonyms::words()).filter(is_near).collect();
        near.sort_unstable();
        near.dedup();
        // What is known is not misspelt.
        if near.contains(&&*written) {
            return None;
        }
        if near.iter().any(|word| !self.paths(word).is_empty()) {
            near.retain(|word| !self.paths(word).is_empty());
        }
        let first = *near.first()?;
        near.iter().all(|word| *word == first || synonyms::are_the_same(word, first)).then_some(first)
    }
}
