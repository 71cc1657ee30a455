//! The commands of a text line by line: a script, the recipe of a `Makefile` or `justfile`, a workflow, a page, comments.
//!
//! What one line sets, the lines below know: variables, and the folder into which it goes. Nothing is run, and both branches of a condition count.

use memchr::{memchr, memchr2, memmem, memrchr};

use crate::{
    lists::{self, Lists},
    repeated::{Call, Repeated, is_pattern, of_lines, shifted, text_with_arguments, with_arguments, with_value},
    shell::Piece,
    started::{Found, Shell},
};

/// A command that is longer, with the lines that continue it, is skipped: nobody writes one.
const LONGEST: usize = 4096;

/// The maximum number of commands with an `@` that are looked at in a text, and of those that start runs. The longest scripts have a few dozen.
const MAX_COMMANDS: usize = 4096;
const MAX_LAUNCHES: usize = 1000;

/// The maximum length of a reference to a variable, in bytes.
const LONGEST_REFERENCE: usize = 128;

/// A text that is being read.
#[derive(Default)]
pub(crate) struct Script<'t> {
    text: &'t str,
    /// The command so far: a line, and those that continue it.
    whole: String,
    /// Where each of these begins in the command, and its place in the text.
    parts: Vec<(usize, u32)>,
    /// Whether the command is a comment.
    is_comment: bool,
    /// Whether anything refers to a variable or goes into a folder: what sets one is of no account otherwise.
    has_references: bool,
    /// Whether the command is an array that has not ended.
    is_in_array: bool,
    shell: Shell,
    /// The variables that are several words.
    lists: Lists,
    /// What runs several times.
    repeated: Repeated,
    found: Vec<Found>,
    /// The number of commands with an `@` so far.
    tried: usize,
}

impl<'t> Script<'t> {
    /// The commands in a text that start runs with configs.
    pub(crate) fn read(text: &'t str) -> Vec<Found> {
        Self::read_of(text, false)
    }

    /// Those in the lines that are comments.
    pub(crate) fn read_comments(text: &'t str) -> Vec<Found> {
        Self::read_of(text, true)
    }

    fn read_of(text: &'t str, only_comments: bool) -> Vec<Found> {
        let has = |word: &[u8]| memmem::find(text.as_bytes(), word).is_some();
        let has_references = memchr(b'$', text.as_bytes()).is_some() || has(b"{{") || has(b"cd ") || has(b"pushd ");
        let mut script = Self { text, has_references, ..Self::default() };
        let mut start = 0;
        while start < text.len() {
            if script.tried >= MAX_COMMANDS || script.found.len() >= MAX_LAUNCHES {
                break;
            }
            if only_comments && !has_references && script.whole.is_empty() {
                // No line sets anything that another one uses.
                let Some(next) = memchr2(b'@', b'\\', &text.as_bytes()[start..]) else { break };
                start += memrchr(b'\n', &text.as_bytes()[start..start + next]).map_or(0, |newline| newline + 1);
            }
            let end = memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |newline| start + newline + 1);
            let line = &text[start..end];
            if !only_comments || line.trim_start().starts_with('#') {
                script.line(line, start);
            }
            start = end;
        }
        script.end();
        script.functions();
        script.found
    }

    /// Takes a line that begins at a byte of the text.
    fn line(&mut self, line: &str, start: usize) {
        let is_comment = line.trim_start().starts_with('#');
        if self.is_in_array && is_comment {
            return;
        }
        // The indentation of a setting says whether it is part of a condition.
        let is_setting = !is_comment && self.whole.is_empty() && lists::sets(line);
        let inside = if is_setting { line } else { line.trim_start().trim_start_matches('#') };
        let at = start + line.len() - inside.len();
        let inside = inside.trim_end();
        let inside = match inside.find(" #").filter(|_| self.is_in_array) {
            Some(comment) => &inside[..comment],
            None => inside,
        };
        self.is_in_array = if self.is_in_array { !inside.ends_with(')') } else { is_setting && lists::begins_array(inside) };
        let begun = if self.is_in_array { Some(inside.strip_suffix('\\').unwrap_or(inside)) } else { inside.strip_suffix('\\') };
        if self.whole.is_empty() {
            // Most lines say nothing about runs.
            if begun.is_none() && !self.has_references && !inside.contains('@') && !is_of_shell(inside) {
                return;
            }
            self.is_comment = is_comment;
        }
        if self.whole.len() <= LONGEST {
            self.parts.push((self.whole.len(), at as u32));
            self.whole.push_str(begun.unwrap_or(inside));
            if begun.is_some() {
                self.whole.push(' ');
            }
        }
        if begun.is_none() {
            self.end();
        }
    }

    /// Ends the command.
    fn end(&mut self) {
        let (whole, parts) = (std::mem::take(&mut self.whole), std::mem::take(&mut self.parts));
        if whole.is_empty() || whole.len() > LONGEST {
            return;
        }
        self.repeated.take_loop(&whole);
        // A single character is found fastest, and few lines have this one.
        let ends = parts.iter().skip(1).map(|(begin, _)| *begin).chain([whole.len()]);
        let places = || parts.iter().zip(ends.clone()).flat_map(|((begin, at), end)| *at..*at + (end - begin) as u32);
        if !self.is_comment && self.has_references {
            if self.repeated.take_function(&whole, places()) {
                // What it sets may be used elsewhere.
                if lists::sets(&whole) && !self.lists.take(&Piece::at(&whole, places(), (0..whole.len()).into())) {
                    take_setting(&mut self.shell, &whole);
                }
                return;
            }
            let calls = self.repeated.calls(&whole, || Piece::at(&whole, places(), (0..whole.len()).into()));
            if !calls.is_empty() {
                calls.into_iter().for_each(|call| self.call(&whole, call));
                return;
            }
        }
        let may_be_list = !self.is_comment && self.has_references && lists::sets(&whole);
        if may_be_list && self.lists.take(&Piece::at(&whole, places(), (0..whole.len()).into())) {
            return;
        }
        if !whole.contains('@') && !self.lists.have_sign(&whole) {
            take_setting(&mut self.shell, &whole);
            return;
        }
        let places = places().collect();
        self.command(whole, places, &[], None);
    }

    /// Runs the commands of a function with the arguments of a call, in each turn of a loop around it.
    fn call(&mut self, line: &str, call: Call) {
        let of_loop = self.repeated.of_loop(line).cloned();
        let turns: Vec<Vec<Piece>> = match &of_loop {
            None => vec![call.arguments],
            Some((name, values)) => {
                let turn = |value: &String| call.arguments.iter().map(|word| with_value(word, name, value)).collect();
                values.iter().map(turn).collect()
            }
        };
        for arguments in turns {
            let mut shell = self.shell.clone();
            let mut arguments = &*arguments;
            for (command, places) in &call.commands {
                let before = arguments;
                arguments = shifted(command, arguments, &call.commands);
                if !command.contains('@') && !self.lists.have_sign(command) {
                    take_setting(&mut shell, &text_with_arguments(command, before));
                } else if self.tried < MAX_COMMANDS && self.found.len() < MAX_LAUNCHES {
                    self.command(command.clone(), places.clone(), arguments, Some(&shell));
                }
            }
        }
    }

    /// Looks at a command with an `@`, in a function with these arguments and a shell of its own.
    fn command(&mut self, whole: String, places: Vec<u32>, arguments: &[Piece], shell: Option<&Shell>) {
        self.tried += 1;
        let whole = apart(whole);
        let (whole, places) = self.with_references(whole, places);
        let piece = Piece::at(&whole, places.iter().copied(), (0..whole.len()).into());
        let (lists, text) = (&self.lists, self.text);
        let words = |words: Vec<Piece>| {
            let words = words.into_iter().flat_map(|word| with_arguments(word, arguments)).collect();
            lists.with(words, text).iter().map(Piece::without_punctuation).collect()
        };
        let commands: Vec<Vec<Piece>> = piece.commands().into_iter().map(words).collect();
        let shell = shell.unwrap_or(&self.shell);
        let before = self.found.len();
        let of_arguments = arguments.iter().map(|word| &word.text).find(|word| is_pattern(word)).cloned();
        let lines = of_lines(&commands);
        for (line, commands) in lines {
            let found = shell.found_in(commands).into_iter();
            self.found.extend(found.map(|found| Found { pattern: Some(line.clone()).filter(|line| is_pattern(line)), ..found }));
        }
        match self.repeated.of_loop(&whole) {
            _ if self.found.len() > before => {}
            None => self.found.extend(shell.found_in(commands)),
            Some((name, values)) => {
                for value in values {
                    let mut inside = shell.clone();
                    inside.set(name, value);
                    let pattern = Some(value).filter(|value| is_pattern(value));
                    let found = inside.found_in(commands.clone()).into_iter();
                    self.found.extend(found.map(|found| Found { pattern: pattern.cloned(), ..found }));
                }
            }
        }
        for found in &mut self.found[before..] {
            found.is_comment = self.is_comment;
            found.pattern = found.pattern.take().or_else(|| of_arguments.clone());
        }
    }

    /// Runs the functions that nothing calls, which other scripts may, and puts what was found in the order of the text.
    fn functions(&mut self) {
        if self.repeated.has_functions() {
            self.repeated.uncalled().into_iter().for_each(|call| self.call("", call));
            self.found.sort_by_key(|found| found.words.first().map(Piece::start));
        }
    }

    /// The same command with `$(NAME)`, `{{NAME}}` and `${{ env.NAME }}` of known variables as `${NAME}`.
    fn with_references(&self, whole: String, places: Vec<u32>) -> (String, Vec<u32>) {
        let may_begin_reference = |pair: &[u8]| matches!(pair, b"$(" | b"{{");
        if !whole.as_bytes().windows(2).any(may_begin_reference) {
            return (whole, places);
        }
        let (mut text, mut kept) = (String::new(), Vec::new());
        let mut from = 0;
        while from < whole.len() {
            let rest = &whole[from..];
            let mut near = rest.len().min(LONGEST_REFERENCE);
            while !rest.is_char_boundary(near) {
                near -= 1;
            }
            let near = &rest[..near];
            let forms = [("${{", "}}"), ("{{", "}}"), ("$(", ")")];
            let reference = forms.iter().find_map(|(open, close)| {
                let (inside, _) = near.strip_prefix(open)?.split_once(close)?;
                let name = inside.trim();
                let name = name.strip_prefix("env.").unwrap_or(name);
                (self.shell.knows(name) || self.lists.know(name)).then(|| (name, open.len() + inside.len() + close.len()))
            });
            if let Some((name, length)) = reference {
                let new = format!("${{{name}}}");
                kept.extend(std::iter::repeat_n(places[from], new.len()));
                text.push_str(&new);
                from += length;
            } else {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                text.push_str(&rest[..length]);
                kept.extend_from_slice(&places[from..from + length]);
                from += length;
            }
        }
        (text, kept)
    }
}

/// Takes a line that sets a variable, in a shell, a `Makefile`, a `justfile` or a workflow, or that changes the folder.
fn take_setting(shell: &mut Shell, line: &str) {
    for parameter in parameters(line) {
        shell.run(Piece::of_text(&parameter).commands());
    }
    let line = line.trim().trim_start_matches("- ");
    let is_command = is_of_shell(line);
    let end = line.find(|character: char| !character.is_ascii_alphanumeric() && character != '_').unwrap_or(line.len());
    let (name, behind) = line.split_at(end);
    let behind = behind.trim_start();
    let value = [":=", "?=", "="].iter().find_map(|sign| behind.strip_prefix(sign)).or_else(|| {
        // A variable of a workflow has a name in capitals.
        let is_variable = name.bytes().any(|byte| byte.is_ascii_uppercase()) && name == name.to_ascii_uppercase();
        behind.strip_prefix(':').filter(|value| is_variable && value.starts_with(' '))
    });
    let setting = match value {
        _ if is_command => line.to_owned(),
        Some(value) if !name.is_empty() && !value.starts_with('=') => format!("{name}={}", value.trim_start()),
        _ => return,
    };
    shell.run(Piece::of_text(&setting).commands());
}

/// A command with blanks for the commas between the items of a list in JSON or YAML (`["rl","@","rl.toml"]`), so that they are words.
fn apart(command: String) -> String {
    let is_list = command.contains("[\"") || command.contains("['");
    if is_list { command.replace("\",\"", "\" \"").replace("','", "' '") } else { command }
}

/// Whether a line changes the folder or the variables of a shell.
fn is_of_shell(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    ["cd ", "pushd ", "export ", "declare ", "local ", "readonly ", "set "].iter().any(|word| line.starts_with(word))
}

/// The parameters of a recipe of a `justfile` with their defaults: `train config="rl.toml" steps="5":`.
fn parameters(line: &str) -> Vec<String> {
    let Some(head) = line.trim_end().split_once(':').map(|(head, _)| head).filter(|head| head.contains('=')) else {
        return Vec::new();
    };
    let is_name = |name: &str| {
        name.starts_with(char::is_alphabetic) && name.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter))
    };
    let mut words = head.split_whitespace();
    let names_recipe = words.next().is_some_and(is_name);
    let words: Vec<&str> = words.map(|word| word.trim_start_matches(['+', '*', '$'])).collect();
    let are_parameters = words.iter().all(|word| is_name(word.split('=').next().unwrap_or_default()));
    let with_default = words.into_iter().filter(|word| word.contains('=') && names_recipe && are_parameters);
    with_default.map(str::to_owned).collect()
}
