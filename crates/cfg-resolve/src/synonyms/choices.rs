//! The values of other trainers, for keys of prime-rl that choose.

use cfg_schema::without_indices;

use super::{Choice, rows};
use crate::is_slip;

/// The value of prime-rl that another trainer's `word` means at `key`, whose table has the path `owner`.
pub(crate) fn choice(owner: &str, key: &str, word: &str) -> Option<&'static str> {
    let path = format!(".{}.{key}", without_indices(owner));
    let is_it = |key: &&str| path.strip_suffix(key).is_some_and(|above| above.ends_with('.'));
    let found: Vec<&'static Choice> = rows::CHOICES.iter().filter(|choice| choice.keys.iter().any(is_it)).collect();
    // Most keys choose nothing that others have words for.
    if found.is_empty() {
        return None;
    }
    // Written exactly so, or with other marks: `flash-attn-2`.
    let plain = word.to_ascii_lowercase().replace(['-', ' '], "_");
    let has = |choice: &&Choice, word: &str| choice.words.contains(&word);
    let found = || found.iter().copied();
    let exact = found().find(|choice| has(choice, word));
    let written_otherwise = || found().find(|choice| has(choice, &plain) || *choice.value == *plain);
    // As one word, or with one typing error.
    let names = |choice: &'static Choice| choice.words.iter().chain([&choice.value]).copied();
    let as_one = || found().find(|choice| names(choice).any(|word| unmarked(word).eq(unmarked(&plain))));
    let misspelt = || {
        let mut near = found().filter(|choice| names(choice).any(|word| word.len() > 5 && is_slip(&plain, word, &[], |_| false)));
        near.next().filter(|first| near.all(|other| other.value == first.value))
    };
    exact.or_else(written_otherwise).or_else(as_one).or_else(misspelt).map(|choice| choice.value)
}

/// The letters and digits of a word, in lower case.
fn unmarked(word: &str) -> impl Iterator<Item = u8> {
    word.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
}
