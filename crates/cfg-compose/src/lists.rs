//! Variables of a script that are several words: arrays, `ARGS=(@ a.toml --max-steps 5)`, and texts with blanks, `ARGS="--max-steps 5"`.

use crate::shell::Piece;

/// The maximum number of lists that are known, and of words of one.
const MAX_LISTS: usize = 64;
const MAX_WORDS: usize = 512;

/// The words that may stand before the name of a variable that is set.
const BEFORE: [&str; 7] = ["export", "declare", "local", "readonly", "-a", "-x", "-ax"];

/// The lists of a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists(Vec<List>);

#[derive(Clone, Debug)]
struct List {
    name: String,
    words: Vec<Piece>,
    /// Whether it is an array, whose words are those of `"${NAME[@]}"`.
    is_array: bool,
    /// The number of lines that set it or add to it.
    lines: usize,
    /// Whether one of these is part of a condition, a loop or a function.
    is_conditional: bool,
}

/// A line that sets a variable.
struct Setting<'t> {
    name: &'t str,
    /// Where the value begins.
    value: usize,
    is_array: bool,
    is_more: bool,
    /// Whether the value is the rest of the line, as in a `Makefile`.
    is_rest: bool,
}

/// Whether a line sets a variable.
pub(crate) fn sets(line: &str) -> bool {
    setting(line).is_some()
}

/// Whether a line begins an array that ends on a later one.
pub(crate) fn begins_array(line: &str) -> bool {
    setting(line).is_some_and(|setting| setting.is_array && !line[setting.value..].contains(')'))
}

impl Lists {
    /// Whether a variable is one.
    pub(crate) fn know(&self, name: &str) -> bool {
        self.0.iter().any(|list| list.name == name)
    }

    /// Whether a command uses one that names a file.
    pub(crate) fn have_sign(&self, command: &str) -> bool {
        let has_sign = |list: &&List| list.words.iter().any(|word| word.text.starts_with('@'));
        self.0.iter().filter(has_sign).any(|list| command.contains(&list.name))
    }

    /// Takes a line that sets one or adds to it; whether it is such a line.
    pub(crate) fn take(&mut self, line: &Piece) -> bool {
        let Some(Setting { name, value, is_array, is_more, is_rest }) = setting(&line.text) else { return false };
        let rest = line.from(value);
        let end = if is_array { rest.text.rfind(')') } else { Some(rest.text.len()) };
        let Some(mut commands) = end.map(|end| rest.until(end).commands()) else { return false };
        let mut words = if commands.len() == 1 { commands.remove(0) } else { Vec::new() };
        if let ([word], false) = (&*words, is_array) {
            // A text in quotes.
            let inside = word.commands();
            words = if inside.len() == 1 { inside.into_iter().next().unwrap_or_default() } else { Vec::new() };
        } else if !is_array && !is_rest {
            // A variable of the command behind it.
            return false;
        }
        // Other words are a command, or files.
        let is_argument = |first: &Piece| first.text.starts_with(['-', '@', '$']);
        if !is_more && words.first().is_some_and(|first| !is_argument(first)) {
            return false;
        }
        let words = self.with(words, "");
        let known = self.0.iter().position(|list| list.name == name);
        let is_list = is_array || words.len() > 1 || is_more && known.is_some();
        if !is_list || words.len() > MAX_WORDS {
            // Another value takes its place.
            known.map(|at| self.0.remove(at));
            return false;
        }
        let is_conditional = line.text.starts_with(char::is_whitespace) && !is_rest;
        if let Some(list) = known.and_then(|at| self.0.get_mut(at)) {
            list.lines += 1;
            list.is_conditional |= is_conditional;
            if !is_more && !is_conditional {
                list.words.clear();
            }
            if list.words.len() + words.len() <= MAX_WORDS {
                list.words.extend(words);
            }
        } else if self.0.len() < MAX_LISTS {
            self.0.push(List { name: name.to_owned(), words, is_array, lines: 1, is_conditional });
        }
        true
    }

    /// The words of a command with those of the lists that it uses. A list that the text also sets elsewhere, or only sometimes, is also kept as it
    /// is written: only a shell knows the rest of it.
    pub(crate) fn with(&self, words: Vec<Piece>, text: &str) -> Vec<Piece> {
        if self.0.is_empty() {
            return words;
        }
        let mut whole = Vec::with_capacity(words.len());
        for word in words {
            let Some(list) = self.0.iter().find(|list| list.is_used_as(&word)) else {
                whole.push(word);
                continue;
            };
            if whole.len() + list.words.len() <= MAX_WORDS {
                whole.extend(list.words.iter().cloned());
            }
            if list.is_conditional || times_set(text, &list.name) > list.lines {
                whole.push(word);
            }
        }
        whole
    }
}

impl List {
    /// Whether a word of a command is this list: `$NAME` without quotes, `"${NAME[@]}"`.
    fn is_used_as(&self, word: &Piece) -> bool {
        let Some(rest) = word.text.strip_prefix('$') else { return false };
        let (is_braced, rest) = rest.strip_prefix('{').map_or((false, rest), |rest| (true, rest));
        let Some(behind) = rest.strip_prefix(&*self.name) else { return false };
        let of_all = ["[@]", "[*]"].iter().find_map(|all| behind.strip_prefix(all));
        match (self.is_array, is_braced) {
            (true, true) => of_all.is_some_and(|behind| behind == "}" || behind.starts_with([':', '+', '-'])),
            (false, true) => behind == "}" && !word.is_quoted(),
            (false, false) => behind.is_empty() && !word.is_quoted(),
            (true, false) => false,
        }
    }
}

/// How often a text sets a variable.
fn times_set(text: &str, name: &str) -> usize {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'{');
    let is_set = |at: usize| {
        let behind = text[at + name.len()..].trim_start_matches(' ');
        (at == 0 || !is_name(text.as_bytes()[at - 1])) && ["=", "+=", ":=", "?="].iter().any(|sign| behind.starts_with(sign))
    };
    text.match_indices(name).filter(|(at, _)| is_set(*at)).count()
}

fn setting(line: &str) -> Option<Setting<'_>> {
    let mut start = line.len() - line.trim_start().len();
    while let Some(word) = BEFORE.iter().find(|word| line[start..].strip_prefix(**word).is_some_and(|rest| rest.starts_with(' ')))
    {
        start += word.len();
        start += line[start..].len() - line[start..].trim_start().len();
    }
    let rest = &line[start..];
    let end = rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(rest.len());
    let name = rest.get(..end).filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))?;
    let behind = &rest[end..];
    let of = |sign: &str, is_array, is_more, is_rest| {
        behind.starts_with(sign).then_some(Setting { name, value: start + end + sign.len(), is_array, is_more, is_rest })
    };
    of("+=(", true, true, false)
        .or_else(|| of("=(", true, false, false))
        .or_else(|| of("+=", false, true, false))
        .or_else(|| of("=", false, false, false))
        .or_else(|| [" := ", ":=", " ?= ", "?= ", " = "].iter().find_map(|sign| of(sign, false, false, true)))
        .or_else(|| of(" += ", false, true, true))
        // A variable of a workflow has a name in capitals.
        .or_else(|| of(": ", false, false, true).filter(|_| name == name.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use crate::launches;

    /// The words of the launches in a text, and what is unknown of them.
    fn read(text: &str) -> Vec<(String, Vec<String>)> {
        launches(text).into_iter().map(|launch| (launch.words.join(" "), launch.unknown)).collect()
    }

    #[test]
    fn words_of_a_variable_are_those_of_the_command() {
        for (text, wanted) in [
            (
                "ARGS=(\n  @ a.toml  # the base\n  # --x 1\n  --max-steps 5\n)\nuv run rl \"${ARGS[@]}\" --y 2\n",
                "@ a.toml --max-steps 5 --y 2",
            ),
            ("ARGS=(@ a.toml)\nARGS+=(--max-steps 5)\nuv run rl ${ARGS[*]}\n", "@ a.toml --max-steps 5"),
            ("ARGS=\"--max-steps 5\"\nuv run rl @ a.toml $ARGS\n", "@ a.toml --max-steps 5"),
            ("export ARGS='@ a.toml --x'\nARGS+=\" --y\"\nuv run rl ${ARGS}\n", "@ a.toml --x --y"),
            ("ARGS := @ a.toml --x 1\ntrain:\n\tuv run rl $(ARGS)\n", "@ a.toml --x 1"),
            ("args := \"--x 1\"\ntrain:\n    uv run rl @ a.toml {{args}}\n", "@ a.toml --x 1"),
            ("env:\n  ARGS: --x 1\nsteps:\n  - run: uv run rl @ a.toml $ARGS\n", "@ a.toml --x 1"),
            ("declare -a ARGS=(--x 1)\nuv run rl @ a.toml \"${ARGS[@]}\"\n", "@ a.toml --x 1"),
        ] {
            assert_eq!(read(text), [(wanted.to_owned(), Vec::new())], "{text}");
        }
    }

    #[test]
    fn what_is_set_only_sometimes_is_unknown() {
        for (text, wanted) in [
            ("ARGS=(--x 1)\nif [ $A ]; then\n  ARGS+=(--y 2)\nfi\nuv run rl @ a.toml \"${ARGS[@]}\"\n", "@ a.toml --x 1 --y 2"),
            ("ARGS=(--x 1)\n[ $A ] && ARGS+=(--y 2)\nuv run rl @ a.toml \"${ARGS[@]}\"\n", "@ a.toml --x 1"),
        ] {
            assert_eq!(read(text), [(wanted.to_owned(), vec!["${ARGS[@]}".to_owned()])], "{text}");
        }
    }

    #[test]
    fn other_variables_stay_what_they_are() {
        for (text, wanted, unknown) in [
            ("ARGS=\"--x 1\"\nuv run rl @ a.toml --name \"$ARGS\"\n", "@ a.toml", &["--name"][..]),
            ("ARGS=(--x 1)\nuv run rl @ a.toml $ARGS\n", "@ a.toml", &["$ARGS"]),
            ("A=1 B=\"2 3\" uv run rl @ a.toml $ARGS\n", "@ a.toml", &["$ARGS"]),
            ("NOTE: uv run rl @ a.toml --x $NOTE\n", "@ a.toml", &["--x"]),
            ("CMD=\"uv run rl @ a.toml\"\n$CMD --x 1\n", "@ a.toml", &[]),
            ("ARGS=(\n  --x 1\n\nuv run rl @ a.toml $OTHER\n", "", &[]),
        ] {
            let found: Vec<String> = launches(text).into_iter().map(|launch| launch.words.join(" ")).collect();
            if wanted.is_empty() {
                assert!(found.len() <= 1, "{text}: {found:?}");
                continue;
            }
            assert_eq!(read(text), [(wanted.to_owned(), unknown.iter().map(|word| (*word).to_owned()).collect())], "{text}");
        }
    }

    #[test]
    fn a_list_that_doubles_itself_stays_small() {
        let mut text = "A=\"--x 1\"\n".to_owned();
        for _ in 0..40 {
            text += "A=\"$A $A\"\n";
        }
        text += "uv run rl @ a.toml $A\n";
        assert!(launches(&text).iter().all(|launch| launch.words.len() < 600));
    }
}
