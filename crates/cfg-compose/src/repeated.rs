//! Commands that run with other words than those that are written: once for each value of a loop, for each line that `xargs` reads, for each call of a
//! function of a shell.

use crate::shell::{Piece, is_toml};

/// The maximum number of values of a loop's variable, and of lines for `xargs`.
const MAX_VALUES: usize = 32;

/// The maximum number of loops and of functions that are known, and of commands of a function.
const MAX_LOOPS: usize = 16;
const MAX_FUNCTIONS: usize = 16;
const MAX_COMMANDS: usize = 32;

/// The maximum length of an argument of a function, and of a text in which arguments are put.
const LONGEST_ARGUMENT: usize = 256;
const LONGEST_TEXT: usize = 4096;

/// The words that begin a part of a function that may run never, or several times.
const OPEN: [&str; 5] = ["if", "while", "until", "for", "case"];

/// The programs that run a command for each line.
const FOR_EACH: [&str; 2] = ["xargs", "parallel"];

/// The variables of loops, and the functions.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    loops: Vec<(String, Vec<String>)>,
    functions: Vec<Function>,
    is_in_function: bool,
}

/// A function of a shell.
#[derive(Debug)]
struct Function {
    name: String,
    /// Its commands, with the places of their bytes.
    commands: Vec<Written>,
    is_called: bool,
}

/// A command, with the places of its bytes.
pub(crate) type Written = (String, Vec<u32>);

/// A call of a function.
pub(crate) struct Call {
    pub(crate) commands: Vec<Written>,
    pub(crate) arguments: Vec<Piece>,
}

impl Repeated {
    /// Takes the variable of a loop with known values: `for NAME in a b; do`, `for NAME in c/*.toml; do`.
    pub(crate) fn take_loop(&mut self, line: &str) {
        let Some((name, rest)) = line.trim_start().strip_prefix("for ").and_then(|rest| rest.split_once(" in ")) else { return };
        let plain = |value: &str| value.trim_matches(['"', '\'']).to_owned();
        let values: Vec<String> = rest.split(';').next().unwrap_or_default().split_whitespace().map(plain).collect();
        let is_usable = !values.is_empty() && values.len() <= MAX_VALUES && values.iter().all(|value| is_known(value));
        if is_usable && self.loops.len() < MAX_LOOPS {
            self.loops.push((name.trim().to_owned(), values));
        }
    }

    /// The values of the loop whose variable a command uses, with its name.
    pub(crate) fn of_loop(&self, command: &str) -> Option<&(String, Vec<String>)> {
        self.loops.iter().rev().find(|(name, _)| is_used(command, name))
    }

    /// Takes the beginning or the end of a function, or a command of it, which runs where the function is called; whether it is one.
    pub(crate) fn take_function(&mut self, line: &str, places: impl Iterator<Item = u32>) -> bool {
        let trimmed = line.trim();
        if let Some((name, body)) = header(trimmed) {
            if self.functions.len() < MAX_FUNCTIONS {
                self.functions.push(Function { name: name.to_owned(), commands: Vec::new(), is_called: false });
                self.is_in_function = !body.ends_with('}');
                let inside = body.trim_end_matches('}').trim();
                let start = inside.as_ptr() as usize - line.as_ptr() as usize;
                return inside.is_empty() || self.add(inside, places.skip(start));
            }
        } else if trimmed == "}" {
            self.is_in_function = false;
        }
        self.is_in_function && self.add(line, places)
    }

    /// Adds a command to the last function; whether it has room for it.
    fn add(&mut self, command: &str, places: impl Iterator<Item = u32>) -> bool {
        let function = self.functions.last_mut().filter(|function| function.commands.len() < MAX_COMMANDS);
        function.is_some_and(|function| {
            function.commands.push((command.to_owned(), places.take(command.len()).collect()));
            true
        })
    }

    /// Whether there are functions.
    pub(crate) const fn has_functions(&self) -> bool {
        !self.functions.is_empty()
    }

    /// The functions that nothing calls, as calls without arguments.
    pub(crate) fn uncalled(&mut self) -> Vec<Call> {
        let uncalled = self.functions.iter_mut().filter(|function| !function.is_called);
        uncalled.map(|function| Call { commands: std::mem::take(&mut function.commands), arguments: Vec::new() }).collect()
    }

    /// The calls of functions in a command line.
    pub(crate) fn calls(&mut self, line: &str, piece: impl FnOnce() -> Piece) -> Vec<Call> {
        let is_named = |function: &Function| !function.commands.is_empty() && line.contains(&function.name);
        if self.is_in_function || !self.functions.iter().any(is_named) {
            return Vec::new();
        }
        let of_command = |words: Vec<Piece>| {
            let is_meant = |function: &&mut Function| words.first().is_some_and(|first| first.text == function.name);
            let function = self.functions.iter_mut().find(is_meant)?;
            function.is_called = true;
            Some(Call { commands: function.commands.clone(), arguments: words.into_iter().skip(1).collect() })
        };
        piece().commands().into_iter().filter_map(of_command).collect()
    }
}

/// The name of the function that a line begins, and what follows its bracket.
fn header(line: &str) -> Option<(&str, &str)> {
    let (head, body) = line.split_once('{')?;
    let head = head.trim();
    let named = head.strip_prefix("function ").map(str::trim);
    let name = head.strip_suffix("()").map(|name| name.strip_prefix("function ").unwrap_or(name).trim()).or(named)?;
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    (!name.is_empty() && name.chars().all(is_letter)).then_some((name, body.trim()))
}

/// Whether a value is known before the command runs, but for the files that a pattern names.
fn is_known(value: &str) -> bool {
    !value.contains(['$', '{', '`', '(', '?', '[']) && (!value.contains('*') || is_pattern(value))
}

/// Whether a value is a pattern for the configs in one folder.
pub(crate) fn is_pattern(value: &str) -> bool {
    value.rsplit('/').next().is_some_and(|name| name.contains('*') && is_toml(name))
        && value.rsplit_once('/').is_none_or(|(folder, _)| !folder.contains('*'))
}

/// Whether a command uses a variable.
fn is_used(command: &str, name: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    command.contains(&format!("${{{name}}}"))
        || command.match_indices(&format!("${name}")).any(|(at, found)| is_end(&command[at + found.len()..]))
}

/// A word in which the variable of a loop has a value.
pub(crate) fn with_value(word: &Piece, name: &str, value: &str) -> Piece {
    if is_used(&word.text, name) { word.with_text(replaced(&word.text, name, value)) } else { word.clone() }
}

fn replaced(text: &str, name: &str, value: &str) -> String {
    text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
}

/// The arguments of a call of a function that a command of it leaves: `shift 2`. None are known behind one that runs only sometimes or several times.
pub(crate) fn shifted<'a>(command: &str, arguments: &'a [Piece], all: &[Written]) -> &'a [Piece] {
    if !command.contains("shift") {
        return arguments;
    }
    let mut left = arguments;
    let is_open = |(line, _): &Written| OPEN.iter().any(|word| line.split_whitespace().next() == Some(word));
    for words in Piece::of_text(command).commands() {
        let Some(at) = words.iter().position(|word| word.text == "shift") else { continue };
        if at > 0 || command.contains(['@', '&', '|']) || all.iter().any(is_open) {
            return &[];
        }
        let count = words.get(1).map_or(Some(1), |count| count.text.parse::<usize>().ok());
        left = count.and_then(|count| left.get(count..)).unwrap_or_default();
    }
    left
}

/// The words of a command of a function with the arguments of a call.
pub(crate) fn with_arguments(word: Piece, arguments: &[Piece]) -> Vec<Piece> {
    match &*word.text {
        _ if arguments.is_empty() || !word.text.contains('$') => vec![word],
        "$@" | "$*" | "${@}" | "${*}" => arguments.to_vec(),
        _ => vec![word.with_text(text_with_arguments(&word.text, arguments))],
    }
}

/// A text with the arguments of a call that are known: `$1`, `${2}`, `${3:-default}`.
pub(crate) fn text_with_arguments(text: &str, arguments: &[Piece]) -> String {
    let mut text = text.to_owned();
    let is_known = |argument: &Piece| argument.text.len() <= LONGEST_ARGUMENT && !argument.text.contains('$');
    for (number, argument) in (1..=9).zip(arguments).filter(|(_, argument)| is_known(argument)) {
        if text.len() > LONGEST_TEXT || !text.contains('$') {
            break;
        }
        let with_default = format!("${{{number}:-");
        while let Some(at) = text.find(&with_default)
            && let Some(length) = text[at..].find('}')
        {
            text.replace_range(at..=at + length, &argument.text);
        }
        text = replaced(&text, &number.to_string(), &argument.text);
    }
    text
}

/// The commands of a pipe for each line that `xargs` reads in it, with that line: `ls c/*.toml | xargs -I{} uv run rl @ {}`. Empty if it has none, or its lines are
/// not known.
pub(crate) fn of_lines(commands: &[Vec<Piece>]) -> Vec<(String, Vec<Vec<Piece>>)> {
    let is_program = |words: &Vec<Piece>| words.first().is_some_and(|first| FOR_EACH.contains(&&*first.text));
    let Some(at) = commands.iter().position(is_program).filter(|at| *at > 0) else { return Vec::new() };
    let command = &commands[at];
    let place = placeholder(command);
    let with_line = |line: String| {
        let mut words: Vec<Piece> = command
            .iter()
            .map(|word| match place.filter(|place| word.text.contains(place)) {
                Some(place) => word.with_text(word.text.replace(place, &line)),
                None => word.clone(),
            })
            .collect();
        if place.is_none() {
            words.extend(command.last().map(|last| last.with_text(line.clone())));
        }
        let all = commands.iter().enumerate().map(|(index, other)| if index == at { words.clone() } else { other.clone() });
        (line, all.collect())
    };
    lines_of(&commands[at - 1]).into_iter().map(with_line).collect()
}

/// The text for which a line is put in: `{}` of `-I{}`.
fn placeholder(command: &[Piece]) -> Option<&str> {
    let option = command.iter().position(|word| word.text.starts_with("-I") || word.text == "-i");
    let stated = option.map(|at| match command[at].text.strip_prefix("-I") {
        Some("") => command.get(at + 1).map_or("{}", |word| &*word.text),
        Some(stated) => stated,
        None => "{}",
    });
    stated.or_else(|| command.iter().any(|word| word.text.contains("{}")).then_some("{}"))
}

/// The configs that a command prints: `ls c/*.toml`, `echo a.toml b.toml`, `find c -name '*.toml'`.
fn lines_of(command: &[Piece]) -> Vec<String> {
    let Some((program, words)) = command.split_first() else { return Vec::new() };
    let words = || words.iter().map(|word| word.text.clone());
    let lines: Vec<String> = match &*program.text {
        "ls" | "echo" | "printf" => words().filter(|word| !word.starts_with('-')).collect(),
        "find" => {
            let folder = words().next().filter(|word| !word.starts_with('-')).unwrap_or_default();
            let folder = folder.trim_end_matches('/');
            let named = words().skip_while(|word| word != "-name").nth(1);
            named.map(|name| if matches!(folder, "" | ".") { name } else { format!("{folder}/{name}") }).into_iter().collect()
        }
        _ => Vec::new(),
    };
    lines.into_iter().filter(|line| is_toml(line) && is_known(line)).take(MAX_VALUES).collect()
}

#[cfg(test)]
mod tests {
    use crate::launches;

    /// The words of the launches in a text.
    fn words(text: &str) -> Vec<String> {
        launches(text).into_iter().map(|launch| launch.words.join(" ")).collect()
    }

    #[test]
    fn a_function_runs_with_the_arguments_of_each_call() {
        let body = "train() {\n  local config=$1\n  uv run rl @ \"$config\" --max-steps \"${2:-5}\"\n}\n";
        assert_eq!(words(body), [""; 0]);
        for (text, wanted) in [
            ("train a.toml 7\n", &["@ a.toml --max-steps 7"][..]),
            ("train a.toml && train b.toml 1\n", &["@ a.toml --max-steps 5", "@ b.toml --max-steps 1"]),
            ("for f in a b; do\n  train c/$f.toml 3\ndone\n", &["@ c/a.toml --max-steps 3", "@ c/b.toml --max-steps 3"]),
        ] {
            assert_eq!(words(&format!("{body}{text}")), wanted, "{text}");
        }
        assert_eq!(words("run() { uv run rl @ a.toml \"$@\"; }\nrun --x 1\n"), ["@ a.toml --x 1"]);
        let shifting = "run() {\n  name=\"$1\"; n=$2; shift 2\n  uv run rl @ $name.toml --x $n \"$@\"\n}\nrun a 3 --y 4\n";
        assert_eq!(words(shifting), ["@ a.toml --x 3 --y 4"]);
        let sometimes = shifting.replace("shift 2\n", "\nif [ $A ]; then shift; fi\n");
        assert_eq!(launches(&sometimes)[0].unknown, ["$@"]);
        assert_eq!(words("run() {\n  uv run rl @ a.toml \"$@\"\n}\nuv run rl @ b.toml\n"), ["@ a.toml", "@ b.toml"]);
        assert_eq!(words("function run {\n  uv run rl @ $1\n}\necho run a.toml\n"), [""; 0]);
    }

    #[test]
    fn a_command_runs_for_each_line() {
        for (text, wanted) in [
            ("ls a.toml b.toml | xargs -I{} uv run rl @ {} --x 1\n", &["@ a.toml --x 1", "@ b.toml --x 1"][..]),
            ("find c -name '*.toml' | xargs -n1 uv run rl --x 1 @\n", &["--x 1 @ c/*.toml"]),
            ("echo a.toml | xargs -I % uv run rl @ %\n", &["@ a.toml"]),
            ("cat list | xargs -I{} uv run rl @ {}\n", &[]),
        ] {
            assert_eq!(words(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_loop_over_a_pattern_has_its_files() {
        let launch = &launches("for f in c/*.toml; do uv run rl @ \"$f\" --wandb.name $f --x 1; done\n")[0];
        assert_eq!((launch.words.join(" "), launch.pattern.as_deref()), ("@ c/*.toml --x 1".to_owned(), Some("c/*.toml")));
        for text in ["uv run rl @ c/*.toml\n", "for f in */a.toml; do uv run rl @ $f; done\n"] {
            assert_eq!(words(text), [""; 0], "{text}");
        }
    }
}
