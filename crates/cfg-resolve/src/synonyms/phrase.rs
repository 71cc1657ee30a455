//! The words and phrases for which another word stands in names: `max` for `maximum`, `lr` for `learning_rate`.

use super::{
    filter::{NO_BYTES, digest_with},
    rows::ALIKE,
};

/// The most words of a phrase that stands for one.
const LONGEST_PHRASE: usize = 3;

/// Several times the number of first words.
const SLOTS: usize = 1 << 11;

/// Where the phrases with a first word begin in the data, counted from 1, at the first free place from that of the word's digest on.
static FIRST_WORDS: [u16; SLOTS] = first_words();

const fn first_words() -> [u16; SLOTS] {
    let mut slots = [0; SLOTS];
    let (mut number, mut last) = (0, NO_BYTES);
    while number < ALIKE.len() {
        let known = ALIKE[number].0.as_bytes();
        let (mut digest, mut at) = (NO_BYTES, 0);
        while at < known.len() && known[at] != b'_' {
            digest = digest_with(digest, known[at]);
            at += 1;
        }
        number += 1;
        if digest != last {
            let mut slot = slot(digest);
            while slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = number as u16;
        }
        last = digest;
    }
    slots
}

const fn slot(digest: u64) -> usize {
    (digest ^ digest >> 32) as usize % SLOTS
}

/// The data from the first phrase on that begins with a word.
fn from(word: &str, digest: u64) -> Option<&'static [(&'static str, &'static str)]> {
    let mut at = slot(digest);
    while let Some(number) = usize::from(FIRST_WORDS[at]).checked_sub(1) {
        let known = ALIKE[number].0;
        if known.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')) {
            return Some(&ALIKE[number..]);
        }
        at = (at + 1) % SLOTS;
    }
    None
}

/// The word that stands for this one, whose digest is given. It is empty for a word that says nothing.
pub(crate) fn stands_for(word: &str, digest: u64) -> Option<&'static str> {
    from(word, digest)?.first().filter(|(known, _)| *known == word).map(|(_, meant)| *meant)
}

/// The length of the longest phrase at the beginning of a name for which a word stands, and that word, as in [`stands_for`]. The words of the name are
/// behind one `_` each; the first one and its digest are given.
pub(crate) fn phrase(name: &str, word: &str, digest: u64) -> Option<(usize, &'static str)> {
    let begun = from(word, digest)?.iter().take_while(|(known, _)| known.starts_with(word));
    let is_whole = |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let phrases = begun.filter(|(known, _)| is_whole(known) && known.matches('_').count() < LONGEST_PHRASE);
    phrases.max_by_key(|(known, _)| known.len()).map(|(known, meant)| (known.len(), *meant))
}

#[cfg(test)]
mod tests {
    use super::{super::filter::digest, ALIKE, LONGEST_PHRASE, phrase, stands_for};

    #[test]
    fn what_stands_in_the_data_is_found() {
        assert!(ALIKE.is_sorted());
        for (known, meant) in ALIKE {
            let word = known.split('_').next().unwrap_or_default();
            let of_word = digest(word.as_bytes(), 0);
            if word == *known {
                assert_eq!(stands_for(word, of_word), Some(*meant));
            }
            if known.matches('_').count() < LONGEST_PHRASE {
                assert_eq!(phrase(&format!("{known}_x"), word, of_word), Some((known.len(), *meant)), "{known}");
            }
        }
        assert_eq!(stands_for("favourite", digest(b"favourite", 0)), None);
        assert_eq!(phrase("favourite_word", "favourite", digest(b"favourite", 0)), None);
    }
}
