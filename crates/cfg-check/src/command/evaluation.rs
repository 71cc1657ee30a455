//! The arguments of verifiers' `eval`.

use cfg_compose::Word;

use super::file_words;

/// The tables whose keys depend on the environment that the config or another argument names.
const OF_ENVIRONMENT: [&str; 2] = ["env", "legacy"];

/// The words without those that may depend on the environment, and without its name, which may be the first argument.
pub(super) fn known_words(words: &[Word]) -> Vec<Word> {
    let starts = |word: &Word| {
        let mut letters = word.text.chars();
        match letters.next() {
            Some('@') => true,
            // A negative number is a value.
            Some('-') => letters.next().is_some_and(|second| !second.is_ascii_digit()),
            _ => false,
        }
    };
    let first = words.iter().position(starts).unwrap_or(words.len());
    let files: Vec<&Word> = file_words(words).into_iter().flatten().collect();
    let is_of_file = |word: &Word| files.iter().any(|file| file.location == word.location);
    let mut is_known = true;
    let mut known = Vec::new();
    for word in &words[first..] {
        if starts(word) {
            is_known = !is_left_out(&word.text);
        }
        if is_known || is_of_file(word) {
            known.push(word.clone());
        }
    }
    known
}

/// Whether a flag may be one of an environment: `--env.taskset.id`. Short ones are those of aliases, `-n 5`, which differ by the version of verifiers.
fn is_left_out(flag: &str) -> bool {
    let Some(name) = flag.strip_prefix("--") else { return !flag.starts_with('@') };
    name.split(['.', '=']).next().is_some_and(|key| OF_ENVIRONMENT.contains(&key))
}

#[cfg(test)]
mod tests {
    use cfg_compose::CommandLine;
    use cfg_diag::FileId;

    use super::known_words;

    #[test]
    fn what_depends_on_the_environment_is_left_out() {
        for (line, wanted) in [
            ("gsm8k --num-tasks 3", "--num-tasks 3"),
            ("gsm8k --env.taskset.split test --bananas -1 -n 3", "--bananas -1"),
            ("@ a.toml --env.x 1 @ b.toml --shuffle", "@ a.toml @ b.toml --shuffle"),
            ("--environment 3", "--environment 3"),
            ("gsm8k", ""),
        ] {
            let words = CommandLine::new(FileId(0), line.split(' ')).words;
            let known: Vec<String> = known_words(&words).into_iter().map(|word| word.text.to_string()).collect();
            assert_eq!(known.join(" "), wanted, "{line}");
        }
    }
}
