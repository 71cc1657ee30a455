//! Finds the command that starts a run among the words around it: scripts that wrap it, a shell, a batch system, a container, another machine.
//!
//! Nothing is known of a wrapper but, for some, which of its options take a value. The command is found by its end: a program that reads configs,
//! followed by a config or by flags. A word in quotes is read as a command of its own.

use std::path::Path;

use cfg_diag::FileId;
use cfg_system::System;

use crate::{
    Word,
    command::{CommandLine, assignment, entrypoint},
    launchers::{self, Started, is_other},
    launches::below_folder,
    shell::{self, Piece, is_toml},
};

/// How deeply commands in quotes are searched.
const MAX_QUOTES: usize = 4;

/// A command with more words is not searched: nobody writes one.
const MAX_WORDS: usize = 512;

/// The maximum number of variables of a shell that are known.
const MAX_VARIABLES: usize = 64;

/// The maximum length of a word in which variables are replaced.
const LONGEST_VALUE: usize = 1024;

/// The maximum length of all words together in which the variables of a shell are replaced.
const MAX_REPLACED: usize = 1 << 16;

/// The options before a program that set its working folder.
const OF_FOLDER: [&str; 9] =
    ["--chdir", "--container-workdir", "--cwd", "--directory", "--workdir", "--working-directory", "-C", "-D", "-w"];

/// The names of keys that a terminal multiplexer presses after a command.
const KEYS: [&str; 5] = ["Enter", "ENTER", "enter", "C-m", "KPEnter"];

/// How sure it is that words are the command of a run, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// A program whose name is one of prime-rl's, or a config that is given to an unknown program.
    Possible,
    /// It is an argument of another program.
    Wrapped,
    /// It begins with a program that is known to start it.
    Direct,
}

/// The command of a run.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) evidence: Evidence,
    /// Its words, from the program that starts it on, after its variables.
    pub(crate) words: Vec<Piece>,
    /// The words that are left out because only a shell knows them; of a flag with such a value, the flag.
    pub(crate) unknown: Vec<String>,
    /// The folders in which its files may be, the one that is most likely first.
    pub(crate) folders: Vec<String>,
    /// Whether it is in a comment of its text.
    pub(crate) is_comment: bool,
    /// The pattern that stands for each of the files that it matches.
    pub(crate) pattern: Option<String>,
}

/// What the commands before another one in the same shell change for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shell {
    /// The working folder.
    folder: String,
    /// The variables, as `NAME=value`; whether they are exported.
    variables: Vec<(Piece, bool)>,
    /// The length of the words in which they have been replaced.
    replaced: usize,
}

impl CommandLine {
    /// The same line with only the words of the command that starts a run, whose files are looked up in the folder in which that command runs.
    /// Unchanged if no such command is found.
    #[must_use]
    pub fn started(self, system: &dyn System) -> Self {
        let pieces = self.words.iter().map(piece).collect();
        let Some(found) = of_words(pieces) else { return self };
        let file = self.words.first().map_or(FileId(0), |word| word.location.file);
        let words: Vec<Word> = found.words.iter().map(|piece| piece.word(file)).collect();
        Self { words: placed(words, &found.folders, system), text: self.text }
    }
}

/// A word of a command line, with the places of its bytes in the line.
fn piece(word: &Word) -> Piece {
    let span = word.location.span;
    if word.is_verbatim {
        return Piece::at(&word.text, span.start..span.end, span);
    }
    let mut next = span.start + 1;
    let places = word.text.bytes().map(|byte| {
        let place = next;
        // A quote is written as `'\''`.
        next += if byte == b'\'' { 4 } else { 1 };
        place
    });
    Piece::at(&word.text, places.collect::<Vec<_>>(), span)
}

impl CommandLine {
    /// The commands among the words that surely start a run, each as text: only the last one is read.
    pub fn launches(&self) -> Vec<String> {
        let found = in_shell(shell::commands(self.words.iter().map(piece).collect()), &Shell::default(), 0);
        let sure = found.into_iter().filter(|found| found.evidence > Evidence::Possible);
        let mut texts: Vec<String> = Vec::new();
        for found in sure {
            let words: Vec<&str> = found.words.iter().map(|word| &*word.text).collect();
            let text = words.join(" ");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }
}

/// The command of a run among the words of a command line: the last of the most certain ones.
pub(crate) fn of_words(words: Vec<Piece>) -> Option<Found> {
    in_shell(shell::commands(words), &Shell::default(), 0).into_iter().max_by_key(|found| found.evidence)
}

/// Those among the commands of a shell.
fn in_shell(commands: Vec<Vec<Piece>>, outside: &Shell, depth: usize) -> Vec<Found> {
    let mut shell = outside.clone();
    let mut found = Vec::new();
    for mut words in commands.into_iter().filter(|words| words.len() <= MAX_WORDS) {
        words.iter_mut().for_each(|word| shell.expand(word));
        if !shell.take(&words) {
            found.extend(in_command(words, &shell, depth));
        }
    }
    found
}

impl Shell {
    /// The commands of runs among these commands, which are run in a copy of this shell.
    pub(crate) fn found_in(&self, commands: Vec<Vec<Piece>>) -> Vec<Found> {
        in_shell(commands, self, 0)
    }

    /// Runs commands that only change the shell itself; others are passed over.
    pub(crate) fn run(&mut self, commands: Vec<Vec<Piece>>) {
        for mut words in commands.into_iter().filter(|words| words.len() <= MAX_WORDS) {
            words.iter_mut().for_each(|word| self.expand(word));
            self.take(&words);
        }
    }

    /// Whether a variable is known.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.variables.iter().filter_map(|(word, _)| assignment(&word.text)).any(|(known, _)| known == name)
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        let word = Piece::of_text(&format!("{name}={value}"));
        self.variables.push((word, false));
    }

    /// Whether a command only changes the shell itself.
    fn take(&mut self, words: &[Piece]) -> bool {
        let [first, rest @ ..] = words else { return true };
        let is_exported = matches!(&*first.text, "export" | "declare" | "set" | "local" | "readonly");
        let set = if is_exported { rest } else { words };
        let is_set = |word: &Piece| assignment(&word.text).is_some() && !word.text.contains(char::is_whitespace);
        if !set.is_empty() && set.iter().all(is_set) {
            let set = set.iter().filter(|word| word.text.len() <= LONGEST_VALUE);
            self.variables.extend(set.map(|word| (word.clone(), is_exported)));
            self.variables.truncate(MAX_VARIABLES);
            return true;
        }
        if !matches!(&*first.text, "cd" | "pushd") {
            return false;
        }
        let Some(folder) = rest.iter().map(|word| &*word.text).find(|word| !word.starts_with('-')) else { return true };
        // What follows a folder that only a shell knows, such as that of the script, is looked for below the script's and those above it.
        let below = below_folder(folder);
        if !below.contains('$') {
            let folder = tidied(&if below.len() < folder.len() { below.to_owned() } else { joined(&self.folder, folder) });
            // Nobody goes deeper; every launch below would keep such a folder.
            if folder.len() <= LONGEST_VALUE {
                self.folder = folder;
            }
        }
        true
    }

    /// Replaces the variables whose values are known.
    fn expand(&mut self, word: &mut Piece) {
        if !word.text.contains('$') || self.replaced > MAX_REPLACED {
            return;
        }
        let mut text = word.text.clone();
        for (name, value) in self.variables.iter().rev().filter_map(|(word, _)| assignment(&word.text)) {
            if text.len() > LONGEST_VALUE {
                break;
            }
            text = text.replace(&format!("${{{name}}}"), value);
            let sign = format!("${name}");
            let mut from = 0;
            while let Some(at) = text[from..].find(&sign).map(|at| from + at) {
                let end = at + sign.len();
                from = end;
                if text.len() > LONGEST_VALUE {
                    break;
                }
                if !text[end..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_') {
                    text.replace_range(at..end, value);
                    from = at + value.len();
                }
            }
        }
        let text = with_defaults(text);
        self.replaced += text.len();
        if text != word.text {
            *word = word.with_text(text);
        }
    }

    /// What was found in a command: its words from one on, after the variables that are set for it.
    fn found(&self, evidence: Evidence, words: &[Piece], start: usize, program: usize) -> Found {
        let is_variable = |word: &&Piece| assignment(&word.text).is_some();
        let exported = self.variables.iter().filter(|(_, is_exported)| *is_exported).map(|(word, _)| word);
        let before = exported.chain(words[..start].iter().filter(is_variable));
        let (arguments, unknown) = without_unknown(&words[program..]);
        let mut folders: Vec<String> = folders_of(&words[..program]).map(|folder| joined(&self.folder, folder)).collect();
        folders.push(self.folder.clone());
        folders.retain(|folder| !folder.is_empty());
        let words = before.chain(&words[start..program]).chain(arguments).cloned().collect();
        Found { evidence, words, unknown, folders, is_comment: false, pattern: None }
    }
}

/// A word in which `${NAME:-VALUE}` is the value: its variable is unknown, because known ones are replaced before.
fn with_defaults(mut text: String) -> String {
    let mut from = 0;
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        let Some(end) = text[start..].find('}').map(|at| start + at) else { break };
        let inside = &text[start + 2..end];
        let named = inside.split_once(":-").or_else(|| inside.split_once(":=")).or_else(|| inside.split_once('-'));
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        from = end;
        if let Some((_, value)) = named.filter(|(name, value)| is_name(name) && !value.is_empty() && !value.contains('$')) {
            let value = value.to_owned();
            from = start + value.len();
            text.replace_range(start..=end, &value);
        }
    }
    text
}

/// The words of a program without those that only a shell knows, such as `"$@"`, and without their flags; and these.
fn without_unknown(words: &[Piece]) -> (Vec<&Piece>, Vec<String>) {
    let is_unknown = |word: &str| {
        let behind = word.split_once('$').map(|(_, behind)| behind);
        behind.is_some_and(|behind| behind.starts_with(|next: char| next.is_ascii_alphanumeric() || "_@*{(#?".contains(next)))
    };
    let (mut known, mut unknown): (Vec<&Piece>, Vec<String>) = (Vec::new(), Vec::new());
    for (index, word) in words.iter().enumerate() {
        let is_file = word.text.starts_with('@') || index > 0 && words[index - 1].text == "@";
        if is_file || !is_unknown(&word.text) {
            known.push(word);
            continue;
        }
        let flag = match word.text.split_once('=') {
            Some((flag, _)) if flag.starts_with('-') => Some(flag.to_owned()),
            _ if word.text.starts_with('-') => None,
            _ => known.pop_if(|flag| flag.text.starts_with("--") && !flag.text.contains('=')).map(|flag| flag.text.clone()),
        };
        unknown.push(flag.unwrap_or_else(|| word.text.clone()));
    }
    (known, unknown)
}

/// The values of the options before a program that set its working folder.
fn folders_of(words: &[Piece]) -> impl Iterator<Item = &str> {
    words.iter().enumerate().filter_map(|(index, word)| match word.text.split_once('=') {
        Some((option, folder)) if option.starts_with("--") => OF_FOLDER.contains(&option).then_some(folder),
        _ if OF_FOLDER.contains(&&*word.text) => words.get(index + 1).map(|folder| &*folder.text),
        _ => None,
    })
}

fn joined(folder: &str, below: &str) -> String {
    let is_alone = folder.is_empty() || below.starts_with(['/', '~']);
    if is_alone { below.to_owned() } else { format!("{}/{below}", folder.trim_end_matches('/')) }
}

/// A path without `.`, and without the parts that `..` removes.
fn tidied(path: &str) -> String {
    cfg_system::tidy(Path::new(path)).to_string_lossy().into_owned()
}

/// The commands of runs in one command: itself, or those in its quotes.
fn in_command(mut words: Vec<Piece>, shell: &Shell, depth: usize) -> Vec<Found> {
    fill_in(&mut words);
    if words.first().is_some_and(|word| word.text.rsplit('/').next() == Some("tmux")) {
        while words.pop_if(|word| KEYS.contains(&&*word.text)).is_some() {}
    }
    if let Some((evidence, start, started)) = program_in(&words) {
        return vec![match started {
            Started::PrimeRl(program) => shell.found(evidence, &words, start, program),
            // What starts it is of no interest.
            Started::Other(program) => shell.found(evidence, &words, program, program),
        }];
    }
    let quoted = if depth < MAX_QUOTES { in_quotes(&words, shell, depth) } else { Vec::new() };
    if quoted.iter().any(|found| found.evidence > Evidence::Possible) {
        return quoted;
    }
    let is_before_flags =
        |at: &usize| entrypoint(&words, *at).is_some() && words.get(at + 1).is_some_and(|next| is_argument(&next.text));
    let possible = |start: usize, program: usize| shell.found(Evidence::Possible, &words, start, program);
    if let Some(at) = (1..words.len()).find(is_before_flags) {
        return vec![possible(at, at)];
    }
    let sign = (0..words.len()).find(|&at| &*words[at].text == "@" && at + 1 < words.len());
    if quoted.is_empty() { sign.map(|sign| possible(0, sign)).into_iter().collect() } else { quoted }
}

/// The program in a command that surely starts a run, and the index of the word with which its own command begins.
fn program_in(words: &[Piece]) -> Option<(Evidence, usize, Started)> {
    if let Some(started) = launchers::started(words, 0) {
        return Some((Evidence::Direct, 0, started));
    }
    // `exec` also begins the command of a container, which may have the name of a program.
    let has_arguments = |at: usize| words.get(at + 1).is_some_and(|next| is_argument(&next.text));
    let behind_launcher = |start: usize| match launchers::started(words, start)? {
        Started::PrimeRl(at) | Started::Other(at) if at == start => None,
        Started::PrimeRl(at) if !has_arguments(at) => None,
        started => Some((Evidence::Wrapped, start, started)),
    };
    let before_file = |at: usize| {
        let is_named = |next: &Piece| next.text.starts_with('@');
        if entrypoint(words, at).is_some() && words.get(at + 1).is_some_and(is_named) {
            return Some((Evidence::Wrapped, at, Started::PrimeRl(at)));
        }
        let is_other = is_other(words, at) && words[at..].iter().any(|word| is_toml(&word.text));
        is_other.then_some((Evidence::Wrapped, at, Started::Other(at)))
    };
    (1..words.len()).find_map(behind_launcher).or_else(|| (1..words.len()).find_map(before_file))
}

/// Whether a word is one that prime-rl's loader reads: the sign before a file, a flag, or a file without its sign.
fn is_argument(word: &str) -> bool {
    word.starts_with('@') || word.starts_with("--") && word.len() > 2 || is_toml(word)
}

/// Those in the words that contain several ones.
fn in_quotes(words: &[Piece], shell: &Shell, depth: usize) -> Vec<Found> {
    let mut all = Vec::new();
    for (index, word) in words.iter().enumerate().filter(|(_, word)| word.text.trim().contains(char::is_whitespace)) {
        let option = word.text.split_once('=').filter(|(name, _)| name.starts_with('-') && !name.contains(char::is_whitespace));
        let inner = word.from(option.map_or(0, |(name, _)| name.len() + 1));
        // What a terminal gets ends with a line break.
        let end = inner.text.trim_end();
        let end = ["\\n", "\\r", "^M"].iter().find_map(|key| end.strip_suffix(key)).unwrap_or(end).len();
        let mut inside = shell.clone();
        if let Some(folder) = folders_of(&words[..index]).last() {
            inside.folder = joined(&inside.folder, folder);
        }
        let variables = words[..index].iter().filter(|word| assignment(&word.text).is_some());
        inside.variables.extend(variables.map(|word| (word.clone(), true)));
        let found = in_shell(inner.until(end).commands(), &inside, depth + 1);
        // What a command prints, as `echo` does, is less certain than what stands beside it.
        let most = found.iter().map(|found| found.evidence).max();
        let found = found.into_iter().filter(|found| Some(found.evidence) == most);
        all.extend(found.map(|found| Found { evidence: found.evidence.min(Evidence::Wrapped), ..found }));
    }
    all
}

/// Puts the value of GNU parallel, `parallel COMMAND {} ::: VALUE`, where the command has it. Of several values, none is.
fn fill_in(words: &mut Vec<Piece>) {
    let Some(sign) = words.iter().position(|word| &*word.text == ":::") else { return };
    let values = words[sign + 1..].to_vec();
    if values.is_empty() || values.iter().any(|value| value.text.contains(char::is_whitespace)) {
        return;
    }
    words.truncate(sign);
    let has_place = words.iter().any(|word| word.text.contains("{}"));
    match &*values {
        [value] if has_place => {
            for word in words.iter_mut().filter(|word| word.text.contains("{}")) {
                *word = if word.text == "{}" { value.clone() } else { word.with_text(word.text.replace("{}", &value.text)) };
            }
        }
        [value] => words.push(value.clone()),
        [first, ..] if !has_place => words.push(first.with_text("{}".to_owned())),
        _ => {}
    }
}

/// The words with the paths at which their files are: in one of the folders, or else as they are written.
fn placed(mut words: Vec<Word>, folders: &[String], system: &dyn System) -> Vec<Word> {
    let home = system.host().variable("HOME").and_then(|home| home.into_string().ok()).unwrap_or_default();
    let is_there = |path: &str| system.own_status(Path::new(path)).is_ok();
    let in_home = |path: &str| match path.strip_prefix("~/") {
        Some(below) if !home.is_empty() => format!("{}/{below}", home.trim_end_matches('/')),
        _ => path.to_owned(),
    };
    for index in 0..words.len() {
        let text = &*words[index].text;
        let is_behind_sign = index > 0 && &*words[index - 1].text == "@";
        let (sign, path) = match text.strip_prefix('@') {
            Some(path) if !is_behind_sign => ("@", path),
            _ => ("", text),
        };
        let is_file = is_behind_sign || !sign.is_empty() || is_toml(text) && !text.starts_with('-');
        if !is_file || path.is_empty() {
            continue;
        }
        let below = folders.iter().map(|folder| tidied(&in_home(&joined(folder, path))));
        let there = below.chain([path.to_owned(), in_home(path)]).find(|path| is_there(path));
        if let Some(there) = there.filter(|there| there != path) {
            words[index] = Word { text: format!("{sign}{there}").into(), is_verbatim: false, ..words[index].clone() };
        }
    }
    words
}
