//! Hardware as people write it: `2x H100`.

use std::{fmt, str::FromStr};

/// GPUs of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// How many; 1 where only the model is named.
    pub count: u32,
    /// The model as it was written: `H100`, `RTX 4090`.
    pub model: String,
}

impl FromStr for Gpu {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "write a model, or a number and a model: \"H100\", \"2x H100\"";
        let text = text.trim();
        let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
        let (number, rest) = text.split_at(digits);
        let after_times = rest.trim_start().strip_prefix(['x', 'X', '×', '*']);
        // A name may begin with digits itself (`4090`): without a multiplication sign nothing is counted.
        let (count, model) = match after_times {
            Some(model) if !number.is_empty() => (number.parse().map_err(|_| "no machine has so many GPUs")?, model.trim()),
            _ => (1, text),
        };
        if count == 0 {
            return Err("at least one GPU is needed");
        }
        let named = model.chars().next().is_some_and(char::is_alphanumeric) && model.len() <= 64;
        if named && !model.chars().any(char::is_control) { Ok(Self { count, model: model.to_owned() }) } else { Err(FORM) }
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x {}", self.count, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::Gpu;

    #[test]
    fn every_usual_spelling_is_read() {
        let forms = [
            ("2x H100", 2, "H100"),
            ("8xA100-80GB", 8, "A100-80GB"),
            ("2 × RTX 4090", 2, "RTX 4090"),
            ("4090", 1, "4090"),
            (" H200 ", 1, "H200"),
            ("2x4090", 2, "4090"),
        ];
        for (text, count, model) in forms {
            assert_eq!(text.parse(), Ok(Gpu { count, model: model.to_owned() }), "{text}");
        }
    }

    #[test]
    fn what_names_no_gpu_is_refused() {
        for text in ["", "2x", "0x H100", "99999999999x H100", "-", "2x H100\u{7}!"] {
            assert!(text.parse::<Gpu>().is_err(), "{text}");
        }
    }
}
