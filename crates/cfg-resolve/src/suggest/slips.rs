//! Names with one typing error that no key of their table resembles.

use std::sync::OnceLock;

use cfg_meter::charge_each;

use super::{
    Names, nearest,
    spelling::{characters, letters, plain, strange_letters},
};
use crate::synonyms;

/// The length from which on a name with one typing error is still known, in characters.
const SHORTEST: usize = 6;

/// Names that a misspelt one may mean, by their length.
#[derive(Debug, Default)]
pub(super) struct LongNames(Vec<OfLength>);

#[derive(Debug, Default)]
struct OfLength {
    names: Vec<&'static str>,
    /// The letters of each, computed on first use: most lengths are never asked for.
    letters: OnceLock<Vec<u64>>,
}

impl LongNames {
    fn of(names: &Names) -> Self {
        let mut by_length = Self::default();
        let all = names.names_ever().iter().copied().chain(synonyms::words());
        for name in all.filter(|name| name.len() >= SHORTEST || name.contains('_')) {
            if by_length.0.len() <= name.len() {
                by_length.0.resize_with(name.len() + 1, OfLength::default);
            }
            // Names of keys are ASCII.
            by_length.0[name.len()].names.push(name);
        }
        by_length
    }

    /// Those that are at most one letter longer or shorter.
    fn about(&self, length: usize) -> &[OfLength] {
        let count = self.0.len();
        &self.0[length.saturating_sub(1).min(count)..length.saturating_add(2).min(count)]
    }
}

impl OfLength {
    /// Each with its letters.
    fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let letters = self.letters.get_or_init(|| self.names.iter().map(|name| letters(name)).collect());
        self.names.iter().copied().zip(letters.iter().copied())
    }
}

impl Names {
    /// The name that a misspelt one is but for one typing error: a key of the target, or else a key of another version or a word of another trainer.
    /// `None` if it could be several.
    pub(crate) fn without_slip(&self, name: &str) -> Option<&'static str> {
        let written = plain(name);
        let (length, letters_written) = (characters(&written), letters(&written));
        if length < SHORTEST {
            return None;
        }
        let about = self.known.long_names.get_or_init(|| LongNames::of(self)).about(length);
        charge_each(about.iter().map(|of| of.names.len()).sum()).ok()?;
        let is_near = |(word, letters): &(&'static str, u64)| {
            strange_letters(letters_written, *letters) <= 1
                && self.is_slip(name, word, &[])
                && nearest(name, std::iter::once(*word)).is_some()
        };
        let near = about.iter().flat_map(OfLength::each).filter(is_near).map(|(word, _)| word);
        self.only_meant(&written, near.collect())
    }

    /// The one of several names that another one may mean, of which those of keys of the target come first. `None` if they are several settings, or the name
    /// itself: what is known is written as it is meant.
    pub(super) fn only_meant(&self, written: &str, mut names: Vec<&'static str>) -> Option<&'static str> {
        if names.contains(&written) {
            return None;
        }
        if names.iter().any(|word| !self.paths(word).is_empty()) {
            names.retain(|word| !self.paths(word).is_empty());
        }
        names.sort_unstable();
        let first = *names.first()?;
        names.iter().all(|word| *word == first || synonyms::are_the_same(word, first)).then_some(first)
    }
}
