//! Model names that look like a typing error: no known model has the name, and one word differs slightly from a known one.

use std::collections::BTreeMap;

use cfg_diag::codes;
use cfg_memory::{Recent, catalogue::models};
use cfg_resolve::models_with_renderer;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::MISSPELT_MODEL,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    super::everywhere(cx).filter_map(|name| finding(cx, name)).collect()
}

fn finding(cx: &Context<'_>, name: &super::Name) -> Option<Finding> {
    let meant = suggestion(&name.value)?;
    // A model on this machine exists, whatever its name looks like.
    if cx.project.nearby.model(&name.value).is_some() {
        return None;
    }
    let repair = Repair::possible(format!("write {meant}")).set(name.written_key(), meant);
    let message = format!("unknown model `{}`", name.value);
    Some(Finding::new(message).on(name).help(format!("did you mean {meant}?")).repair(repair))
}

/// The known model that a name is a misspelling of; `None` if the name itself is known, or similar to no known one.
fn suggestion(name: &str) -> Option<&'static str> {
    thread_local! {
        static FOUND: Recent<Option<&'static str>> = const { Recent::new() };
    }
    FOUND.with(|recent| recent.of(name, || find_suggestion(name)))
}

fn find_suggestion(name: &str) -> Option<&'static str> {
    let is_name_on_hub = name.split('/').count() == 2 && !name.starts_with(['.', '~']);
    let known = || models().iter().map(|model| model.id).chain(models_with_renderer());
    if !is_name_on_hub || name.len() > 200 || known().any(|known| known.eq_ignore_ascii_case(name)) {
        return None;
    }
    let (words, counts) = (words(name), counts(name));
    let may_be =
        |known: &str| counts.zip(self::counts(known)).is_none_or(|(written, known)| may_be_misspelling(&written, &known));
    known().find(|known| may_be(known) && is_misspelling(&words, &self::words(known)))
}

/// How many letters, digits and slashes of each kind a name has, where some share a number; `None` for a name with other letters than those of ASCII.
fn counts(name: &str) -> Option<[u8; 32]> {
    let mut counts = [0; 32];
    for byte in name.bytes().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'/') {
        // Both cases of a letter have the same number.
        counts[usize::from(byte & 31)] += 1;
    }
    name.is_ascii().then_some(counts)
}

/// Whether the letters of a name allow that it is a misspelling of another: a typing error adds at most one, and removes at most one. Nearly all known names are
/// excluded by this, without taking them apart.
fn may_be_misspelling(written: &[u8; 32], known: &[u8; 32]) -> bool {
    let pairs = || written.iter().zip(known).map(|(written, known)| (u32::from(*written), u32::from(*known)));
    let added: u32 = pairs().map(|(written, known)| written.saturating_sub(known)).sum();
    let removed: u32 = pairs().map(|(written, known)| known.saturating_sub(written)).sum();
    added <= 1 && removed <= 1
}

/// The words and numbers of a name, in lower case: `qwen / qwen 3 4 b`. A slash is kept, other separators are removed.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for letter in name.to_lowercase().chars() {
        let class = match letter {
            '/' => Some('/'),
            letter if letter.is_ascii_digit() => Some('0'),
            letter if letter.is_alphabetic() => Some('a'),
            _ => None,
        };
        match words.last_mut().filter(|_| class.is_some() && class == last) {
            Some(word) => word.push(letter),
            None => words.extend(class.map(|_| letter.to_string())),
        }
        last = class;
    }
    words
}

/// Whether two names differ only by a typing error: in their separators, or in a single word.
fn is_misspelling(written: &[String], known: &[String]) -> bool {
    if written.concat() == known.concat() {
        return true;
    }
    let mut different = written.iter().zip(known).filter(|(one, other)| one != other);
    let (Some((one, other)), None) = (different.next(), different.next()) else { return false };
    written.len() == known.len() && is_slip(one, other)
}

/// Whether a word is a misspelling of another one: its letters in another order, or one of at least five missing, added or replaced. Numbers
/// distinguish models, so for a number only another order of its digits counts, with at least four.
fn is_slip(written: &str, known: &str) -> bool {
    let count = |word: &str| word.chars().count();
    let (longer, shorter) = (count(written).max(count(known)), count(written).min(count(known)));
    if shorter < 4 {
        return false;
    }
    if letters(written) == letters(known) {
        return true;
    }
    let is_number = |word: &str| word.starts_with(|letter: char| letter.is_ascii_digit());
    longer >= 5 && !is_number(written) && !is_number(known) && strsim::levenshtein(written, known) == 1
}

/// The count of each letter in a word.
fn letters(word: &str) -> BTreeMap<char, u32> {
    word.chars().fold(BTreeMap::new(), |mut counts, letter| {
        *counts.entry(letter).or_default() += 1;
        counts
    })
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn a_misspelt_name_is_distinguished_from_another_model() {
        let slips = [
            ("Qwen/Qwen3-4B-Instruct-2705", "Qwen/Qwen3-4B-Instruct-2507"),
            ("Qwen/Qwen3-4B-Instuct-2507", "Qwen/Qwen3-4B-Instruct-2507"),
            ("Qwen/Qewn3-8B", "Qwen/Qwen3-8B"),
            ("Qwen/Qwen3_8B", "Qwen/Qwen3-8B"),
            ("Qwen/Qwen-3-8B", "Qwen/Qwen3-8B"),
            ("meta-lama/Llama-3.2-1B-Instruct", "meta-llama/Llama-3.2-1B-Instruct"),
        ];
        for (written, known) in slips {
            assert_eq!(suggestion(written), Some(known), "{written}");
        }
        let others = [
            "Qwen/Qwen3-8B",
            "qwen/qwen3-8b",
            "Qwen/Qwen3-8B-Base",
            "Qwen/Qwen2-7B-Instruct",
            "Qwen/Qwen3-9B",
            "Qwen/Qwen3-4B-Instruct-2508",
            "allenai/OLMoE-1B-7B-0125",
            "unsloth/Qwen3-8B",
            "mistralai/Mixtral-8x7B-Instruct-v0.1",
            "org/model",
            "./Qwen/Qwen3_8B",
            "outputs/weights/step_100",
            "",
            "//",
        ];
        for written in others {
            assert_eq!(suggestion(written), None, "{written}");
        }
    }
}
