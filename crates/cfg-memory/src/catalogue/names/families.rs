//! Models that are not in the table and can't be, by words of their names: families that the memory model does not have, and formats of weights that prime-rl
//! does not load.

use super::{LONGEST, words::words};

/// Words of names whose families the memory model does not have, neither in its table nor in the form of a `config.json`.
const UNSUPPORTED: [(&[&str], &str); 9] = [
    (&["zamba"], "Zamba"),
    (&["mamba"], "Mamba"),
    (&["rwkv"], "RWKV"),
    (&["recurrentgemma"], "RecurrentGemma"),
    (&["xlstm"], "xLSTM"),
    (&["omni"], "models that hear and speak"),
    (&["nemotron", "super", "49"], "Nemotron with layers of different widths"),
    (&["nemotron", "ultra", "253"], "Nemotron with layers of different widths"),
    (&["nemotron", "51"], "Nemotron with layers of different widths"),
];

/// The family of a name, if the memory model does not have it.
pub(in crate::catalogue) fn unsupported_family(name: &str) -> Option<&'static str> {
    if name.len() > LONGEST {
        return None;
    }
    let words = words(name);
    let has = |part: &&str| words.iter().any(|word| word == part);
    UNSUPPORTED.into_iter().find(|(parts, _)| parts.iter().all(has)).map(|(_, family)| family)
}

/// Formats of weights that neither prime-rl nor vLLM as prime-rl starts it reads: words of a name, or the organisation that publishes them.
const FOREIGN: [(&str, &str); 5] =
    [("gguf", "GGUF"), ("mlx", "MLX"), ("onnx", "ONNX"), ("exl", "EXL"), ("mlx-community/", "MLX")];

/// The format that a name states and that can't be loaded: `GGUF`.
pub(in crate::catalogue) fn foreign_format(name: &str) -> Option<&'static str> {
    let (lower, words) = (name.to_lowercase(), words(name));
    let states = |word: &str| if word.ends_with('/') { lower.starts_with(word) } else { words.iter().any(|own| own == word) };
    FOREIGN.into_iter().find(|(word, _)| name.len() <= LONGEST && states(word)).map(|(_, format)| format)
}
