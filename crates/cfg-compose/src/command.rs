//! A launch command: its words as a text, and what comes before prime-rl's own arguments.

use std::ops::Range;

use cfg_diag::{FileId, Location, Span};
use cfg_schema::Kind;

use crate::launchers::{self, Started};

/// A word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word as the program gets it.
    pub text: Box<str>,
    /// Its place.
    pub location: Location,
    /// Whether it is written without quotes: then each of its bytes has a place.
    pub is_verbatim: bool,
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl Word {
    /// The place of a part of the word; the whole word if it is quoted.
    pub fn part(&self, range: Range<usize>) -> Location {
        if !self.is_verbatim {
            return self.location;
        }
        let start = self.location.span.start;
        Location::new(self.location.file, Span::new(start + range.start as u32, start + range.end as u32))
    }
}

/// The words of a command line, and its text: the line as for a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The line.
    pub text: String,
    /// Its words.
    pub words: Vec<Word>,
}

impl CommandLine {
    /// The command line that gives a program these words.
    pub fn new<S: AsRef<str>>(file: FileId, words: impl IntoIterator<Item = S>) -> Self {
        let mut line = Self { text: String::new(), words: Vec::new() };
        for word in words {
            let word = word.as_ref();
            if !line.text.is_empty() {
                line.text.push(' ');
            }
            let start = line.text.len();
            let is_verbatim = is_plain(word);
            if is_verbatim {
                line.text.push_str(word);
            } else {
                quote(word, &mut line.text);
            }
            let location = Location::new(file, (start..line.text.len()).into());
            line.words.push(Word { text: word.into(), location, is_verbatim });
        }
        line
    }

    /// The place after the last word.
    pub fn end(&self) -> Option<Location> {
        let last = self.words.last()?.location;
        Some(Location::new(last.file, Span::empty(last.span.end)))
    }
}

/// Whether a shell passes a word unchanged.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@%+=:,./-_".contains(&byte) || byte >= 0x80)
}

fn quote(word: &str, text: &mut String) {
    text.push('\'');
    for character in word.chars() {
        match character {
            '\'' => text.push_str("'\\''"),
            // A line break would split the command in messages.
            '\n' | '\r' => text.push(' '),
            other => text.push(other),
        }
    }
    text.push('\'');
}

/// The part of a launch command before the arguments that prime-rl's loader reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The variables that are set for it: name, value, and the index in `words`.
    pub variables: Vec<(Box<str>, Box<str>, usize)>,
    /// The entrypoint, if known.
    pub kind: Option<Kind>,
    /// Whether `torchrun` starts the entrypoint.
    pub starter: Starter,
    /// The index in `words` of a program for `uv run` that is not one of prime-rl's and does not start one.
    pub stranger: Option<usize>,
    /// The words that the loader reads.
    pub arguments: Range<usize>,
}

/// Programs that start the one that their arguments name.
const STARTERS: [&str; 5] = ["accelerate", "env", "nohup", "srun", "torchrun"];

/// Programs that start others, and may hide their name inside an argument.
const HIDING_STARTERS: [&str; 11] =
    ["bash", "debugpy", "deepspeed", "ncu", "nsys", "py-spy", "sbatch", "screen", "sh", "tmux", "zsh"];

/// Further words that come before a program that is not prime-rl's: interpreters, environment managers and their arguments.
const BEFORE: [&str; 17] = [
    "command", "exec", "hatch", "launch", "nice", "pdm", "poetry", "python", "python3", "run", "rye", "stdbuf", "sudo", "time",
    "tool", "uv", "uvx",
];

/// Options of `uv run` that take the next word.
const WITH_VALUE: [&str; 14] = [
    "--directory",
    "--env-file",
    "--extra",
    "--group",
    "--index",
    "--no-extra",
    "--no-group",
    "--only-group",
    "--package",
    "--project",
    "--python",
    "--with",
    "--with-editable",
    "-p",
];

impl Launch {
    /// Reads a command such as `CUDA_VISIBLE_DEVICES=0 uv run rl @ rl.toml --max-steps 5`.
    pub fn read(words: &[Word]) -> Self {
        let mut variables = Vec::new();
        let mut at = 0;
        if words.first().is_some_and(|word| &*word.text == "env") {
            at = 1;
        }
        while let Some((name, value)) = words.get(at).and_then(|word| assignment(&word.text)) {
            variables.push((name.into(), value.into(), at));
            at += 1;
        }
        let entry = match launchers::started(words, at) {
            Some(Started::PrimeRl(program)) => Some((program + 1, entrypoint(words, program))),
            _ => None,
        };
        // Without an entrypoint, the loader's arguments begin with the first word that looks like one.
        let looks_like_one = |word: &Word| &*word.text == "@" || word.text.starts_with("--");
        let first = || (at..words.len()).find(|&index| looks_like_one(&words[index])).unwrap_or(words.len());
        let (start, kind) = entry.unwrap_or_else(|| (first(), None));
        if kind.is_some() {
            let further = (at..start).filter_map(|index| Some((index, assignment(&words[index].text)?)));
            variables.extend(further.map(|(index, (name, value))| (name.into(), value.into(), index)));
        }
        let stranger = if kind.is_some() { None } else { stranger(words, at) };
        let starter = Starter::read(&words[at..start]);
        Self { variables, kind, starter, stranger, arguments: start..words.len() }
    }
}

/// What starts an entrypoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Starter {
    /// Nothing: it is one process, and starts others itself if any.
    #[default]
    None,
    /// `torchrun`, and the number of processes over all nodes; `None` if only the machine determines it, as with `--nproc-per-node gpu`.
    Torchrun(Option<i64>),
}

impl Starter {
    /// The words before an entrypoint.
    fn read(words: &[Word]) -> Self {
        if !words.iter().any(|word| &*word.text == "torchrun" || word.text.ends_with("/torchrun")) {
            return Self::None;
        }
        let each = option(words, "--nproc-per-node");
        Self::Torchrun(each.zip(option(words, "--nnodes")).and_then(|(each, nodes)| each.checked_mul(nodes)))
    }
}

/// The number of a `torchrun` option, 1 if it is missing; `None` if it is not a number.
fn option(words: &[Word], name: &str) -> Option<i64> {
    let mut value = Some(1);
    for (index, word) in words.iter().enumerate() {
        let text = word.text.replace('_', "-");
        let Some(rest) = text.strip_prefix(name) else { continue };
        let given = match rest.strip_prefix('=') {
            Some(given) => given,
            None if rest.is_empty() => &words.get(index + 1)?.text,
            None => continue,
        };
        value = given.parse().ok();
    }
    value
}

/// The word that names the program in `uv run PROGRAM`, if it can't start prime-rl. A script, an interpreter and a program that starts others can.
fn stranger(words: &[Word], at: usize) -> Option<usize> {
    if words.get(at).is_none_or(|word| &*word.text != "uv") || words.get(at + 1).is_none_or(|word| &*word.text != "run") {
        return None;
    }
    let mut at = at + 2;
    while let Some(option) = words.get(at).filter(|word| word.text.starts_with('-')) {
        at += if WITH_VALUE.contains(&&*option.text) { 2 } else { 1 };
    }
    let program = &*words.get(at)?.text;
    let is_bare = program.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') && !program.is_empty();
    (is_bare && !program.starts_with("python") && !STARTERS.contains(&program) && !HIDING_STARTERS.contains(&program))
        .then_some(at)
}

/// The word that names the program of a command, if it is one of these: only variables, programs that start others, and their options may come before
/// it.
pub fn program_of(words: &[Word], names: &[&str]) -> Option<usize> {
    let mut is_behind_option = false;
    for (index, word) in words.iter().enumerate() {
        let text = &*word.text;
        let name = text.rsplit('/').next().unwrap_or_default();
        if names.contains(&name) {
            return Some(index);
        }
        if !may_precede(text, is_behind_option) {
            return None;
        }
        is_behind_option = text.starts_with('-');
    }
    None
}

/// Whether the word after these can name the program of a command: only variables, programs that start others, and their options come before it.
pub fn may_be_program<'w>(before: impl IntoIterator<Item = &'w str>) -> bool {
    let mut is_behind_option = false;
    before.into_iter().all(|text| {
        let is_behind = std::mem::replace(&mut is_behind_option, text.starts_with('-'));
        may_precede(text, is_behind) || HIDING_STARTERS.contains(&text)
    })
}

/// Whether a word can come before the name of a program; `is_behind_option` is whether it can be the value of an option.
fn may_precede(text: &str, is_behind_option: bool) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let is_starter = STARTERS.contains(&name) || BEFORE.contains(&name);
    !text.starts_with('@') && (text.starts_with('-') || is_behind_option || is_starter || assignment(text).is_some())
}

/// `NAME=value`.
pub(crate) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && name.bytes().all(is_name))
        .then_some((name, value))
}

/// The kind of the entrypoint that a word names: a command (`rl`), a module after `-m`, or a file of prime-rl's.
pub(crate) fn entrypoint<W: AsRef<str>>(words: &[W], index: usize) -> Option<Kind> {
    let word = words.get(index)?.as_ref();
    if index > 0 && words[index - 1].as_ref() == "-m" {
        return module(word);
    }
    if let Some(path) = word.strip_suffix(".py") {
        let start = path.find("prime_rl/")?;
        return module(&path[start..].replace('/', "."));
    }
    let kind = match word.rsplit('/').next()? {
        // Its name from 15d6c8197 to bc9e18696.
        "evaluator" => Kind::Evals,
        name => Kind::named(name).filter(|kind| !kind.is_hosted())?,
    };
    // `eval` is a shell command as well.
    let is_of_shell = kind == Kind::Eval && word == "eval" && !is_started(words, index);
    (!is_of_shell).then_some(kind)
}

/// Whether `uv run` or a similar program starts the program that a word names, or a file follows it in the form of prime-rl's loader.
fn is_started<W: AsRef<str>>(words: &[W], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| words.get(before));
    before.is_some_and(|word| word.as_ref() == "run" || words[..index].iter().any(|word| word.as_ref() == "uv"))
        || words.get(index + 1).is_some_and(|word| word.as_ref().starts_with('@'))
}

/// The kind that a module of prime-rl starts.
fn module(name: &str) -> Option<Kind> {
    let path = name.strip_prefix("prime_rl.")?;
    match path.strip_prefix("entrypoints.").unwrap_or(path) {
        "rl" => Some(Kind::Rl),
        "trainer" | "trainer.rl.train" => Some(Kind::Trainer),
        "orchestrator" | "orchestrator.orchestrator" => Some(Kind::Orchestrator),
        "inference" | "inference.server" => Some(Kind::Inference),
        "sft" | "trainer.sft.train" => Some(Kind::Sft),
        "eval" | "eval.eval" => Some(Kind::Eval),
        "evals" | "evaluator" => Some(Kind::Evals),
        "synthesize.synthesize" => Some(Kind::Synthesize),
        "env_server" | "orchestrator.env_server.env_server" => Some(Kind::EnvServer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use cfg_schema::Kind;

    use super::{CommandLine, Launch, Starter};

    fn launch(line: &str) -> (Option<Kind>, Vec<String>, usize) {
        let line = CommandLine::new(FileId(0), line.split(' '));
        let launch = Launch::read(&line.words);
        let words = line.words[launch.arguments].iter().map(|word| word.text.to_string()).collect();
        (launch.kind, words, launch.variables.len())
    }

    #[test]
    fn the_entrypoint_is_found_after_its_launcher() {
        let words = vec!["@".to_owned(), "a.toml".to_owned()];
        assert_eq!(launch("rl @ a.toml"), (Some(Kind::Rl), words.clone(), 0));
        assert_eq!(launch("A=1 PRIME_X=2 uv run rl @ a.toml"), (Some(Kind::Rl), words.clone(), 2));
        assert_eq!(launch("env A=1 uv run --env-file .env .venv/bin/sft @ a.toml"), (Some(Kind::Sft), words.clone(), 1));
        assert_eq!(launch("python -m prime_rl.entrypoints.inference @ a.toml"), (Some(Kind::Inference), words.clone(), 0));
        assert_eq!(launch("python src/prime_rl/trainer/sft/train.py @ a.toml"), (Some(Kind::Sft), words.clone(), 0));
        let torchrun = "uv run torchrun --nproc-per-node 2 -m prime_rl.trainer.rl.train @ a.toml";
        assert_eq!(launch(torchrun), (Some(Kind::Trainer), words.clone(), 0));
        assert_eq!(launch("@ a.toml"), (None, words.clone(), 0));
        assert_eq!(launch("./start.sh @ a.toml"), (None, words, 0));
        assert_eq!(launch("./start.sh").1, Vec::<String>::new());
        let stranger = |line: &str| Launch::read(&CommandLine::new(FileId(0), line.split(' ')).words).stranger;
        assert_eq!(stranger("A=1 uv run --extra gpu --frozen prime-rl @ a.toml"), Some(6));
        let torchrun = Starter::Torchrun;
        for (line, starter) in [
            ("uv run torchrun --nproc-per-node 4 -m prime_rl.trainer.rl.train @ a.toml", torchrun(Some(4))),
            ("torchrun --nproc_per_node=4 --nnodes=2 -m prime_rl.trainer.sft.train @ a.toml", torchrun(Some(8))),
            ("torchrun --nproc-per-node gpu -m prime_rl.trainer.rl.train @ a.toml", torchrun(None)),
            ("torchrun --nnodes 1:4 -m prime_rl.trainer.rl.train @ a.toml", torchrun(None)),
            ("torchrun --nproc-per-node 4294967296 --nnodes 4294967296 -m prime_rl.trainer.rl.train", torchrun(None)),
            ("torchrun --nproc-per-node -m prime_rl.trainer.rl.train", torchrun(None)),
            ("torchrun -m prime_rl.trainer.rl.train @ a.toml", torchrun(Some(1))),
            ("uv run trainer @ a.toml", Starter::None),
            ("./start.sh @ a.toml", Starter::None),
        ] {
            assert_eq!(Launch::read(&CommandLine::new(FileId(0), line.split(' ')).words).starter, starter, "{line}");
        }
        for known in [
            "uv run rl @ a.toml",
            "uv run start.sh @ a.toml",
            "uv run bash -c rl",
            "uv run python3.12 x",
            "uv run",
            "start @ a.toml",
        ] {
            assert_eq!(stranger(known), None, "{known}");
        }
    }

    #[test]
    fn the_text_is_a_valid_shell_command() {
        let line = CommandLine::new(FileId(3), ["rl", "--a=b", "it's", ""]);
        assert_eq!(line.text, "rl --a=b 'it'\\''s' ''");
        let of = |index: usize| &line.text[line.words[index].location.span.range()];
        assert_eq!((of(1), of(2), of(3)), ("--a=b", "'it'\\''s'", "''"));
        assert_eq!(&line.text[line.words[1].part(4..5).span.range()], "b");
    }
}
