//! Models by names that are not in the table: other spellings, quantised and uploaded again, and fine-tuned.
//!
//! A name is compared word by word; a word consists of letters, or is a number. Words that say how the weights are stored, for what a model was
//! trained, or when, don't change its shape. A fine-tuned model is assumed to have the shape of the model that its name begins with or contains.

mod families;
mod formats;
mod words;

use std::{cmp::Reverse, sync::OnceLock};

use super::{Model, UnknownModel, models};
use crate::{
    precision::{Format, Precision},
    recent::Recent,
};

pub(super) use families::{foreign_format, unsupported_family};

use formats::without_precision;
use words::{is_number, readings, words};

/// A model by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Named {
    /// The model of the table.
    pub model: &'static Model,
    /// How its name was found.
    pub likeness: Likeness,
    /// How the weights of this name are stored.
    pub precision: Precision,
}

/// How a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Likeness {
    /// It is the name in the table.
    Exact,
    /// It is another spelling, precision, stage or date of a name in the table, which have the same shape.
    Variant,
    /// It contains the name of the model that it was probably trained from.
    FineTuned,
}

/// The longest name that is looked for.
const LONGEST: usize = 200;

/// Words for what a model was trained, that don't change its shape.
const STAGES: [&str; 25] = [
    "base",
    "instruct",
    "instruction",
    "inst",
    "chat",
    "it",
    "pt",
    "thinking",
    "think",
    "reasoning",
    "reasoner",
    "hf",
    "preview",
    "latest",
    "turbo",
    "sft",
    "dpo",
    "rl",
    "rlvr",
    "grpo",
    "exp",
    "final",
    "tput",
    "free",
    "text",
];

/// Words of vendors and uploaders that names may begin with.
const VENDORS: [&str; 8] = ["meta", "nvidia", "openai", "mistralai", "google", "microsoft", "ibm", "arcee"];

/// Words after which a model has another shape than the one that its name contains.
const OTHER_SHAPE: [&str; 35] = [
    "draft",
    "drafter",
    "eagle",
    "eagle3",
    "medusa",
    "speculator",
    "speculative",
    "mtp",
    "dflash",
    "pruned",
    "prune",
    "pruning",
    "reap",
    "minitron",
    "layers",
    "layer",
    "tiny",
    "moe",
    "vl",
    "vision",
    "omni",
    "audio",
    "embedding",
    "embed",
    "reranker",
    "upscaled",
    "depth",
    "frankenmerge",
    "random",
    "slim",
    "sliced",
    "gguf",
    "mlx",
    "onnx",
    "exl",
];

/// Words for another model of a family whose names have no number of parameters.
const SIZES: [&str; 13] =
    ["plus", "lite", "mini", "nano", "small", "flash", "air", "max", "large", "medium", "micro", "edge", "v"];

/// The model with this name, or the one that it has the shape of.
///
/// # Errors
/// If no known model has a similar name.
pub fn named(name: &str) -> Result<Named, UnknownModel> {
    thread_local! {
        static FOUND: Recent<Option<Named>> = const { Recent::new() };
    }
    if let Ok(model) = super::model(name) {
        return Ok(Named { model, likeness: Likeness::Exact, precision: model.precision });
    }
    let unknown = || UnknownModel { id: name.into() };
    if name.len() > LONGEST {
        return Err(unknown());
    }
    FOUND.with(|recent| recent.of(name, || find(name))).ok_or_else(unknown)
}

/// The format of the weights of a name of the hub: that of its own entry in the table, or the one that the name states. Of others, which may have been
/// stored in any way, no similar name is looked for.
pub fn stated_format(name: &str) -> Option<Format> {
    if let Ok(model) = super::model(name) {
        return Some(model.precision.format);
    }
    let tail = name.rsplit('/').next()?.split([':', '@']).next()?;
    if name.len() > LONGEST || is_path(name) || without_precision(&words(tail)).1.is_none() {
        return None;
    }
    named(name).ok().filter(|found| found.likeness != Likeness::FineTuned).map(|found| found.precision.format)
}

/// The model of the table whose weights are those of this name before they were quantised: with the same words, and stored in 16 bits.
pub fn unquantised(name: &str) -> Option<&'static Model> {
    let found = named(name).ok().filter(|found| found.likeness != Likeness::FineTuned)?;
    let is_plain = |model: &Model| !model.precision.format.is_quantised() && model.of.is_none();
    if is_plain(found.model) {
        return Some(found.model);
    }
    let own = &table().iter().find(|known| known.model.id == found.model.id)?.words;
    table().iter().find(|known| is_plain(known.model) && known.words == *own).map(|known| known.model)
}

fn find(name: &str) -> Option<Named> {
    if foreign_format(name).is_some() {
        return None;
    }
    let name = name.trim_end_matches('/');
    // What hosts offer of a model (`:free`), and revisions; in Ollama's names the size is there: `qwen3:8b`.
    let (name, offer) = name.split_once([':', '@']).unwrap_or((name, ""));
    let sized = is_size_word(offer).then(|| format!("{name}-{offer}"));
    let name = sized.as_deref().unwrap_or(name);
    if !is_path(name) {
        return find_tail(name.rsplit('/').next()?, false);
    }
    // The folder of a checkpoint is below that of its model, perhaps with others between them that say nothing.
    name.rsplit('/').filter(|folder| !is_common_folder(folder)).take(MAX_FOLDERS).find_map(|folder| find_tail(folder, true))
}

/// Whether a name is that of a folder, which may be called after anything, and not one of the hub.
fn is_path(name: &str) -> bool {
    name.matches('/').count() > 1 || name.starts_with(['.', '/', '~'])
}

/// The number of folders of a path that may be called after its model.
const MAX_FOLDERS: usize = 3;

/// Words of folders in which programs keep checkpoints.
const FOLDER_WORDS: [&str; 19] = [
    "actor",
    "broadcast",
    "broadcasts",
    "checkpoint",
    "checkpoints",
    "ckpt",
    "ckpts",
    "default",
    "epoch",
    "final",
    "global",
    "hf",
    "huggingface",
    "iter",
    "latest",
    "merged",
    "run",
    "step",
    "weights",
];

/// Whether a folder has a name that every run gives it: `weights`, `step_100`, `checkpoint-500`, or the hash of a snapshot.
fn is_common_folder(folder: &str) -> bool {
    let is_hash = folder.len() >= 32 && folder.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash || words(folder).iter().all(|word| is_number(word) || FOLDER_WORDS.contains(&&**word))
}

/// Whether a word says how many parameters a model has: `8b`, `0.6b`, `30b-a3b`.
fn is_size_word(word: &str) -> bool {
    let digits = word.split(|letter: char| !letter.is_ascii_digit() && letter != '.').next().unwrap_or_default();
    !digits.is_empty() && word[digits.len()..].to_lowercase().starts_with(['b', 'm'])
}

/// The model of a name without its organisation, or of a folder.
fn find_tail(tail: &str, is_path: bool) -> Option<Named> {
    readings(tail).iter().find_map(|words| find_words(words, is_path))
}

/// The model of a name that is read as these words.
fn find_words(words: &[String], is_path: bool) -> Option<Named> {
    let (plain, format) = without_precision(words);
    let found = |(model, likeness): (&'static Model, Likeness)| {
        let precision = match format {
            Some(format) if format != model.precision.format => Precision::of(format),
            _ => model.precision,
        };
        Named { model, likeness, precision }
    };
    let variant = || Some((variant_of(&plain)?, Likeness::Variant));
    let fine_tuned = || Some((origin_of(&plain).or_else(|| interrupted(&plain))?, Likeness::FineTuned));
    if is_path { fine_tuned().or_else(variant) } else { variant().or_else(fine_tuned) }.map(found)
}

/// The model whose name has the same words, but for those that don't change a shape.
fn variant_of(written: &[String]) -> Option<&'static Model> {
    let own = without_vendor(written);
    let stem = stem(own);
    if stem.len() < 2 {
        return None;
    }
    let same = table().iter().filter(|known| known.stem == stem);
    // Of models with one shape, the one with the most words in common: it has the length of context, too.
    let best = same.max_by_key(|known| {
        let common = known.words.iter().filter(|word| own.contains(word)).count();
        let is_instruct = known.words.iter().any(|word| word == "instruct" || word == "it");
        (known.model.of.is_none(), common, Reverse(known.words.len()), is_instruct, Reverse(known.model.id.len()))
    });
    best.map(|known| known.model)
}

/// A model of the table, with the words of its name.
struct Known {
    model: &'static Model,
    /// All words, without organisation, vendor and precision.
    words: Vec<String>,
    /// Those that the shape depends on.
    stem: Vec<String>,
}

/// The words of all names of the table.
fn table() -> &'static [Known] {
    static TABLE: OnceLock<Vec<Known>> = OnceLock::new();
    let known = |model: &'static Model| {
        let (words, _) = without_precision(&words(model.id.rsplit('/').next().unwrap_or(model.id)));
        let words = without_vendor(&words).to_vec();
        let stem = stem(&words);
        Known { model, words, stem }
    };
    TABLE.get_or_init(|| models().iter().map(known).collect())
}

/// The model whose name these words contain: the one with the most words.
fn origin_of(written: &[String]) -> Option<&'static Model> {
    let mut best: Option<((usize, bool, usize), &'static Model)> = None;
    for Known { model, words, stem } in table() {
        let common = words.iter().filter(|word| written.contains(word)).count();
        for stem in [&stem[..], without_active(stem)] {
            let at = written.windows(stem.len().max(1)).position(|part| part == stem);
            let rank = (stem.len(), model.of.is_none(), common);
            if let Some(at) = at
                && best.is_none_or(|(most, _)| rank > most)
                && is_whole(&written[..at], stem, &written[at + stem.len()..])
            {
                best = Some((rank, model));
            }
        }
    }
    best.map(|(_, model)| model)
}

/// The most words between the name of a family and a size.
const MAX_WORDS_BETWEEN: usize = 3;

/// Words between a family and a size that stand for another architecture.
const OTHER_FAMILY: [&str; 7] = ["hybrid", "next", "linear", "tts", "asr", "ocr", "encoder"];

/// The model whose name these words contain with some words between family and size: `Llama-3.3-Swallow-70B` of `Llama-3.3-70B`.
fn interrupted(written: &[String]) -> Option<&'static Model> {
    let is_size = |pair: &[String]| is_number(&pair[0]) && matches!(&*pair[1], "b" | "m");
    let mut best: Option<((bool, usize), &'static Model)> = None;
    for Known { model, words, stem } in table() {
        let Some(split) = stem.windows(2).position(is_size).filter(|split| *split >= 2 && is_number(&stem[split - 1])) else {
            continue;
        };
        let (family, size) = stem.split_at(split);
        let Some(start) = written.windows(family.len()).position(|part| part == family) else { continue };
        let (before, rest) = (&written[..start], &written[start + family.len()..]);
        let Some(between) = rest.windows(size.len()).position(|part| part == size) else { continue };
        let other = || SIZES.into_iter().chain(OTHER_SHAPE).chain(OTHER_FAMILY);
        let is_plain = |word: &String| word.len() > 1 && !is_number(word) && !other().any(|other| other == word);
        if !(1..=MAX_WORDS_BETWEEN).contains(&between) || !rest[..between].iter().all(is_plain) {
            continue;
        }
        let common = words.iter().filter(|word| written.contains(word)).count();
        let rank = (model.of.is_none(), common);
        if best.is_none_or(|(most, _)| rank > most) && is_whole(before, stem, &rest[between + size.len()..]) {
            best = Some((rank, model));
        }
    }
    best.map(|(_, model)| model)
}

/// Whether the words around a model's name leave its shape as it is.
fn is_whole(before: &[String], stem: &[String], after: &[String]) -> bool {
    let around = || before.iter().chain(after);
    let differs = around().any(|word| OTHER_SHAPE.contains(&&**word));
    // `30B-A3B` is another model than `30B`, and `Qwen3-8B-to-4B` is not known.
    let is_size = |pair: &[String]| is_number(&pair[0]) && matches!(&*pair[1], "b" | "m");
    let other_size = after.windows(2).chain(before.windows(2)).any(is_size);
    let continues =
        after.first().is_some_and(|word| word == "x" || (is_number(word) && stem.last().is_some_and(|last| is_number(last))));
    // Without a size, only a whole name at the beginning counts, and no word for another size may follow.
    let names_it = has_size(stem) || (stem.len() >= 3 && before.is_empty() && !after.iter().any(|word| SIZES.contains(&&**word)));
    names_it && !differs && !other_size && !continues
}

/// Whether words name the size of a model, without which a part of another name can look like them.
fn has_size(stem: &[String]) -> bool {
    stem.len() >= 3 && stem.windows(2).any(|pair| is_number(&pair[0]) && matches!(&*pair[1], "b" | "m"))
}

/// The words of a mixture of experts without those about its active parameters: `qwen 3 30 b` of `qwen 3 30 b a 3 b`.
fn without_active(stem: &[String]) -> &[String] {
    match stem {
        [rest @ .., a, number, b] if a == "a" && is_number(number) && b == "b" => rest,
        _ => stem,
    }
}

/// Words without those about stages and dates.
fn stem(words: &[String]) -> Vec<String> {
    let mut stem: Vec<String> = words.iter().filter(|word| !STAGES.contains(&&***word)).cloned().collect();
    while stem.len() > 2 && stem.last().is_some_and(|word| is_date(word)) {
        stem.pop();
    }
    // Years and months of releases also stand before other words.
    let mut index = stem.len();
    while index > 2 {
        index -= 1;
        if is_release(&stem[index]) {
            stem.remove(index);
        }
    }
    stem
}

/// Words without a vendor at the beginning.
fn without_vendor(words: &[String]) -> &[String] {
    match words {
        [first, rest @ ..] if VENDORS.contains(&&**first) && rest.len() > 1 => rest,
        _ => words,
    }
}

/// Whether a word is the day or month of a release: `2507`, `0905`, `20260224`, or a part of `04-28`.
fn is_date(word: &str) -> bool {
    let is_part = word.len() == 2 && word.starts_with(['0', '1', '2', '3']) && word <= "31";
    word.bytes().all(|byte| byte.is_ascii_digit()) && (is_release(word) || is_part)
}

/// Whether a word is a year and month, a month and day, or a whole date.
fn is_release(word: &str) -> bool {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let in_range = |part: &str, range: std::ops::RangeInclusive<u32>| part.parse().is_ok_and(|number| range.contains(&number));
    digits
        && match word.len() {
            4 => {
                (in_range(&word[..2], 23..=29) && in_range(&word[2..], 1..=12))
                    || (in_range(&word[..2], 1..=12) && in_range(&word[2..], 1..=31))
            }
            8 => word.starts_with("20"),
            _ => false,
        }
}

#[cfg(test)]
mod tests;
