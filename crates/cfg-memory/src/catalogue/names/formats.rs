//! The formats of weights that names state: `-FP8`, `-AWQ`, `-bnb-4bit`.

use super::is_number;
use crate::precision::Format;

/// Words about a precision, and the format that they stand for; longer ones before those that they begin with.
const FORMATS: [(&[&str], Format); 27] = [
    (&["w", "4", "a", "16"], Format::Int4),
    (&["w", "8", "a", "16"], Format::Int8),
    (&["w", "8", "a", "8"], Format::Int8),
    (&["bnb", "4", "bit"], Format::Bnb4),
    (&["bnb", "8", "bit"], Format::Int8),
    (&["awq", "int", "8"], Format::Int8),
    (&["awq", "int", "4"], Format::Int4),
    (&["awq", "4", "bit"], Format::Int4),
    (&["awq", "8", "bit"], Format::Int8),
    (&["gptq", "int", "8"], Format::Int8),
    (&["gptq", "int", "4"], Format::Int4),
    (&["gptq", "4", "bit"], Format::Int4),
    (&["gptq", "8", "bit"], Format::Int8),
    (&["awq"], Format::Int4),
    (&["gptq"], Format::Int4),
    (&["autoround"], Format::Int4),
    (&["int", "4"], Format::Int4),
    (&["int", "8"], Format::Int8),
    (&["4", "bit"], Format::Bnb4),
    (&["8", "bit"], Format::Int8),
    (&["fp", "8"], Format::Fp8),
    (&["mxfp", "8"], Format::Fp8),
    (&["fp", "16"], Format::Half),
    (&["bf", "16"], Format::Half),
    (&["mxfp", "4"], Format::Mxfp4),
    (&["nvfp", "4"], Format::Nvfp4),
    (&["fp", "4"], Format::Nvfp4),
];

/// Words behind a precision, about how the weights were made.
const MAKERS: [&str; 8] = ["dynamic", "marlin", "block", "kv", "sym", "asym", "compressed", "tensors"];

/// Words without those about the precision, and the format that these state.
pub(super) fn without_precision(words: &[String]) -> (Vec<String>, Option<Format>) {
    let mut rest = Vec::with_capacity(words.len());
    let mut format = None;
    let mut index = 0;
    while index < words.len() {
        let rest_of_name = &words[index..];
        let stated = FORMATS
            .iter()
            .find(|(words, _)| rest_of_name.len() >= words.len() && words.iter().zip(rest_of_name).all(|(a, b)| a == b));
        if let Some((words, stated)) = stated {
            format = format.or(Some(*stated));
            index += words.len();
        } else if format.is_some() && words[index] == "g" && words.get(index + 1).is_some_and(|word| is_number(word)) {
            // The size of a group.
            index += 2;
        } else if matches!(&*words[index], "unsloth" | "quantized" | "quantised")
            || (format.is_some() && MAKERS.contains(&&*words[index]))
        {
            index += 1;
        } else {
            rest.push(words[index].clone());
            index += 1;
        }
    }
    (rest, format)
}
