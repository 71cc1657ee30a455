//! How names are spelt, and with which letters.

use std::borrow::Cow;

/// A name without the characters that are often confused.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    if is_spelt_as_a_key(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(respelt(name).unwrap_or_else(|| name.to_ascii_lowercase().replace('-', "_")))
}

/// Whether a name has only letters that keys of prime-rl have: it is nearly always so.
fn is_spelt_as_a_key(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

/// The number of characters of a name.
pub(super) fn characters(name: &str) -> usize {
    if name.is_ascii() { name.len() } else { name.chars().count() }
}

/// A key that is spelt as in another language, as prime-rl spells it: `maxSteps`, `--max-steps`. `None` if it is spelt so already.
pub(crate) fn respelt(key: &str) -> Option<String> {
    if is_spelt_as_a_key(key) {
        return None;
    }
    let mut spelt = String::with_capacity(key.len() + 4);
    let mut after_lower = false;
    for character in key.trim_start_matches('-').chars() {
        if character.is_ascii_uppercase() && after_lower {
            spelt.push('_');
        }
        after_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        spelt.push(if character == '-' { '_' } else { character.to_ascii_lowercase() });
    }
    (spelt != key && !spelt.is_empty()).then_some(spelt)
}

/// The letters of a name as a set, in which some letters share a bit: names with different sets are certainly different.
pub(super) fn letters(name: &str) -> u64 {
    let bit = |letter: u32| 1 << (letter % 64);
    if name.is_ascii() {
        let plain = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
        return name.bytes().fold(0, |set, byte| set | bit(u32::from(plain(byte))));
    }
    name.chars().fold(0, |set, letter| {
        let plain = if letter == '-' { '_' } else { letter.to_ascii_lowercase() };
        set | bit(u32::from(plain))
    })
}

/// How many letters of one name the other certainly lacks, of the two that which lacks more.
pub(super) fn strange_letters(one: u64, other: u64) -> usize {
    (one & !other).count_ones().max((other & !one).count_ones()) as usize
}
