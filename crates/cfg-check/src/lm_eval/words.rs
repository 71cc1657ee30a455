//! The arguments of `lm_eval`, as its parser reads them.

use cfg_compose::{Word, program_of};
use cfg_diag::Location;

/// The parsed arguments.
pub(super) struct Words<'w> {
    /// The location of the program's name.
    pub(super) program: Location,
    /// The backend.
    pub(super) model: Option<(&'w str, Location)>,
    /// The arguments of the backend.
    pub(super) model_args: Pairs<'w>,
    /// The settings of generation.
    pub(super) gen_kwargs: Pairs<'w>,
    /// The names of the tasks.
    pub(super) tasks: Vec<&'w str>,
    /// The number of solved examples in each prompt.
    pub(super) fewshot: Option<i64>,
    /// The seed.
    pub(super) seed: Option<&'w str>,
    /// A file with settings for all of these.
    pub(super) settings: Option<&'w str>,
    /// Whether the command only prints its help.
    pub(super) asks_for_help: bool,
    /// Whether vLLM's own variable allows a context beyond the model's.
    pub(super) is_long_allowed: bool,
}

/// A list of settings: `pretrained=Qwen/Qwen3-8B,dtype=bfloat16`.
pub(super) struct Pairs<'w> {
    list: Vec<(&'w str, &'w str, Location)>,
    /// Whether all of the list could be read; it can also be written as JSON, which is not read.
    pub(super) is_known: bool,
    /// Its location.
    pub(super) at: Option<Location>,
}

impl<'w> Pairs<'w> {
    fn read(words: &[(&'w Word, usize)]) -> Self {
        let mut read = Self { list: Vec::new(), is_known: true, at: words.first().map(|(word, _)| word.location) };
        for &(word, start) in words {
            let mut at = start;
            for pair in word.text[start..].split(',') {
                match pair.split_once('=') {
                    Some((key, value)) => read.list.push((key.trim(), value.trim(), word.part(at..at + pair.len()))),
                    None => read.is_known &= pair.is_empty(),
                }
                at += pair.len() + 1;
            }
        }
        // In JSON, commas and signs have another meaning.
        if words.iter().any(|&(word, start)| word.text[start..].contains(['{', '['])) {
            read = Self { list: Vec::new(), is_known: false, ..read };
        }
        read
    }

    /// The value of a setting, and the location of both; the last one is used.
    pub(super) fn get(&self, key: &str) -> Option<(&'w str, Location)> {
        self.list.iter().rev().find(|(name, ..)| *name == key).map(|&(_, value, at)| (value, at))
    }
}

impl<'w> Words<'w> {
    /// Reads the arguments of a command; `None` if it does not run the harness.
    pub(super) fn read(words: &'w [Word]) -> Option<Self> {
        let at = program_of(words, &["lm_eval", "lm-eval"])?;
        let rest = &words[at + 1..];
        if rest.first().is_some_and(|word| matches!(&*word.text, "ls" | "validate")) {
            return None;
        }
        let values = |names: &[&str]| values(rest, names);
        let first = |names: &[&str]| values(names).first().map(|&(word, start)| (&word.text[start..], word.location));
        Some(Self {
            program: words[at].location,
            model: first(&["--model", "-m", "-M"]),
            model_args: Pairs::read(&values(&["--model_args", "-a"])),
            gen_kwargs: Pairs::read(&values(&["--gen_kwargs"])),
            tasks: values(&["--tasks", "-t"]).iter().flat_map(|&(word, start)| word.text[start..].split(',')).collect(),
            fewshot: first(&["--num_fewshot", "-f"]).and_then(|(text, _)| text.parse().ok()),
            seed: first(&["--seed"]).map(|(text, _)| text),
            settings: first(&["--config", "-C"]).map(|(text, _)| text),
            asks_for_help: rest.iter().any(|word| matches!(&*word.text, "-h" | "--help")),
            is_long_allowed: words[..at].iter().any(|word| word.text.starts_with("VLLM_ALLOW_LONG_MAX_MODEL_LEN=")),
        })
    }
}

/// The values of an option, each with the byte at which it begins: the arguments up to the next option, or the text after `=`.
fn values<'w>(words: &'w [Word], names: &[&str]) -> Vec<(&'w Word, usize)> {
    let mut found = Vec::new();
    let mut is_open = false;
    for word in words {
        if word.text.starts_with('-') && !word.text[1..].starts_with(|next: char| next.is_ascii_digit()) {
            let (name, value) = word.text.split_once('=').map_or((&*word.text, None), |(name, value)| (name, Some(value)));
            is_open = false;
            if names.contains(&name) {
                // As in Python's own parser, the last one is used.
                found.clear();
                match value {
                    Some(_) => found.push((word, name.len() + 1)),
                    None => is_open = true,
                }
            }
        } else if is_open {
            found.push((word, 0));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use cfg_compose::CommandLine;
    use cfg_diag::FileId;

    use super::Words;

    #[test]
    fn options_are_read_as_they_are_written() {
        let line = "uv run lm-eval run --model=vllm --model_args pretrained=a/b,max_model_len=4096 seed=1 -t gsm8k,mbpp -f 8 --gen_kwargs {\"a\":1}";
        let line = CommandLine::new(FileId(0), line.split(' '));
        let words = Words::read(&line.words).expect("it evaluates");
        assert_eq!(words.model.map(|(name, _)| name), Some("vllm"));
        assert_eq!(words.model_args.get("pretrained").map(|(name, _)| name), Some("a/b"));
        assert_eq!(words.model_args.get("seed").map(|(seed, _)| seed), Some("1"));
        assert_eq!((words.tasks, words.fewshot), (vec!["gsm8k", "mbpp"], Some(8)));
        assert!(words.model_args.is_known && !words.gen_kwargs.is_known && words.seed.is_none());
        for other in [
            "lm_eval ls tasks",
            "uv run rl @ rl.toml --output-dir runs/lm_eval",
            "cat lm_eval",
            "echo lm_eval",
            "vf-eval a.toml",
            "uv run rl @ a.toml",
        ] {
            assert!(Words::read(&CommandLine::new(FileId(0), other.split(' ')).words).is_none(), "{other}");
        }
    }
}
