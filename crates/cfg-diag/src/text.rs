//! Makes untrusted text safe to show: characters that could control a terminal, or make a line look like another, become visible.

use std::borrow::Cow;

/// Whether a character could control a terminal, reorder a line or hide in it.
pub fn is_hazard(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    // The characters that are not control characters are bidirectional marks and overrides, line separators, and characters without width. The joiner
    // U+200D is allowed, because emoji use it.
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{200c}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        // Fillers, which look like spaces; invisible marks of music; and tags, which only a program reads.
        || matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The visible form of a hazard: `\x1b`, `\u{202e}`.
pub fn escape(hazard: char) -> String {
    match hazard as u32 {
        code @ ..0x80 => format!("\\x{code:02x}"),
        code => format!("\\u{{{code:x}}}"),
    }
}

/// The positions of the `[` of what a CI system reads as a command at any place in a line: `##[error]` (GitHub, Azure), `##vso[` (Azure),
/// `##teamcity[`.
pub fn brackets_of_commands(text: &str) -> impl Iterator<Item = usize> {
    const LONGEST_NAME: usize = 16;
    let bytes = text.as_bytes();
    text.match_indices("##").filter_map(move |(at, mark)| {
        let behind = bytes.get(at + mark.len()..)?;
        let hashes = behind.iter().take_while(|byte| **byte == b'#').count();
        let name = behind[hashes..].iter().take(LONGEST_NAME).take_while(|byte| byte.is_ascii_alphabetic()).count();
        (behind.get(hashes + name) == Some(&b'[')).then_some(at + mark.len() + hashes + name)
    })
}

/// The text with `between` before each bracket of a command.
fn with_brackets_apart<'t>(text: &'t str, between: &str) -> Cow<'t, str> {
    // Nearly no text has one, which is found out faster than by a search for all.
    if !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut apart = String::new();
    let mut done = 0;
    // Several signs may lead to the same bracket.
    for at in brackets_of_commands(text) {
        if at > done {
            apart += &text[done..at];
            apart += between;
            done = at;
        }
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(apart + &text[done..]) }
}

/// The text with a capital letter at its beginning.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The text on one line, without hazards: line breaks and tabs become spaces.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if is_plain(text, |_| false) {
        return Cow::Borrowed(text);
    }
    without_hazards(text, |break_or_tab| if break_or_tab == '\r' { None } else { Some(' ') })
}

/// The text with its lines and tabs, but without other hazards.
pub fn lines(text: &str) -> Cow<'_, str> {
    if is_plain(text, |byte| matches!(byte, b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    without_hazards(text, |break_or_tab| if break_or_tab == '\r' { None } else { Some(break_or_tab) })
}

/// Whether all bytes of a text are harmless, as those of nearly all texts are, which is seen faster than in its characters.
fn is_plain(text: &str, is_kept: impl Fn(u8) -> bool) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') || is_kept(byte)) && !text.contains("##")
}

/// The text without hazards; `replaced` gives the replacement of `\n`, `\r` and `\t`.
fn without_hazards(text: &str, replaced: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    if let Cow::Owned(text) = with_brackets_apart(text, " ") {
        return Cow::Owned(without_hazards(&text, replaced).into_owned());
    }
    if !text.contains(is_hazard) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => harmless.extend(replaced(character)),
            hazard if is_hazard(hazard) => harmless += &escape(hazard),
            other => harmless.push(other),
        }
    }
    Cow::Owned(harmless)
}

/// Whether a line could be a command of a CI system, which reads everything that a step prints.
pub fn is_command(line: &str) -> bool {
    begins_command(line).is_some() || brackets_of_commands(line).next().is_some()
}

/// The position of the `::` with which a line begins that GitHub reads as a command, after white space and colours.
fn begins_command(line: &str) -> Option<usize> {
    let mut rest = line.trim_start();
    while let Some(behind) = rest.strip_prefix("\x1b[") {
        let colour = behind.trim_start_matches(|character: char| character.is_ascii_digit() || character == ';');
        rest = colour.strip_prefix('m')?.trim_start();
    }
    rest.starts_with("::").then(|| line.len() - rest.len())
}

/// A whole line, as it is printed, so that no CI system reads a command in it: the first character of the command is escaped as [`escape`] does.
pub fn without_commands(line: &str) -> Cow<'_, str> {
    let apart = with_brackets_apart(line, " ");
    match begins_command(&apart) {
        Some(at) => Cow::Owned(format!("{}{}{}", &apart[..at], escape(':'), &apart[at + 1..])),
        None => apart,
    }
}

/// Where the line begins that has this offset, in bytes. The offset is at a boundary of a character.
pub fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Words in a row: `a, b and c`.
pub fn in_a_row(words: &[impl AsRef<str>]) -> String {
    let joined = |words: &[_]| words.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} and {}", joined(others), last.as_ref()),
        few => joined(few),
    }
}

/// A text as one word of a shell, as in a command that a message proposes.
pub fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@%+=:,./-_".contains(&byte);
    // Characters outside ASCII have no meaning in a shell.
    if !text.is_empty() && text.bytes().all(|byte| is_plain(byte) || !byte.is_ascii()) && !text.contains(is_hazard) {
        return Cow::Borrowed(text);
    }
    let brackets: Vec<usize> = brackets_of_commands(text).collect();
    if !text.contains(is_hazard) && brackets.is_empty() {
        return Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")));
    }
    // bash, zsh and ksh read the escapes of this form.
    let mut quoted = "$'".to_owned();
    for (at, character) in text.char_indices() {
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            '[' if brackets.contains(&at) => quoted += "\\x5b",
            hazard if is_hazard(hazard) => {
                let mut bytes = [0; 4];
                hazard.encode_utf8(&mut bytes).bytes().for_each(|byte| quoted += &format!("\\x{byte:02x}"));
            }
            other => quoted.push(other),
        }
    }
    Cow::Owned(quoted + "'")
}

#[cfg(test)]
mod tests {
    use super::{in_a_row, line_start, lines, one_line, without_commands, word};

    #[test]
    fn shell_arguments_are_quoted() {
        assert_eq!(word("rl.toml"), "rl.toml");
        assert_eq!(word("my configs/it's.toml"), "'my configs/it'\\''s.toml'");
        assert_eq!(word(""), "''");
        assert_eq!(word("$(reboot)"), "'$(reboot)'");
        assert_eq!(word("a##[b"), "$'a##\\x5bb'");
        assert_eq!(word("a\u{1b}[2J'b\u{202e}"), "$'a\\x1b[2J\\'b\\xe2\\x80\\xae'");
    }

    #[test]
    fn a_line_begins_behind_the_line_break_before_it() {
        assert_eq!([0, 1, 2, 3, 5].map(|offset| line_start("a\nbc\n", offset)), [0, 0, 2, 2, 5]);
    }

    #[test]
    fn words_stand_in_a_row() {
        let all = ["a", "b", "c"];
        assert_eq!([0, 1, 2, 3].map(|count| in_a_row(&all[..count])), ["", "a", "a and b", "a, b and c"]);
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(one_line("a\u{1b}[2Jb\u{9b}c\u{202e}d\r\ne\tf\u{7f}\0"), "a\\x1b[2Jb\\u{9b}c\\u{202e}d e f\\x7f\\x00");
        assert_eq!(one_line("naïve 漢字 👩‍💻 ❤️"), "naïve 漢字 👩‍💻 ❤️");
        assert_eq!(one_line("a\u{ad}b\u{e0041}c\u{3164}"), "a\\u{ad}b\\u{e0041}c\\u{3164}");
        assert_eq!(one_line("a ##[error]b\n##[c"), "a ## [error]b ## [c");
        assert_eq!(one_line("##vso[a ####[b ##teamcity[c ##x y[d #[e"), "##vso [a #### [b ##teamcity [c ##x y[d #[e");
        assert_eq!(lines("a\u{1b}[2J\r\n\tb\u{2028}c\r"), "a\\x1b[2J\n\tb\\u{2028}c");
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(without_commands("  ::stop-commands::x.toml:1:1"), "  \\x3a:stop-commands::x.toml:1:1");
        assert_eq!(without_commands("\u{1b}[1m::error::x\u{1b}[0m"), "\u{1b}[1m\\x3a:error::x\u{1b}[0m");
        assert_eq!(without_commands("a ##vso[task.x]b ##[error]c"), "a ##vso [task.x]b ## [error]c");
        for harmless in ["rl.toml:1:1: a::b", ":a:", "## [a]", "# [a]", "\u{1b}[1ma::b"] {
            assert_eq!(without_commands(harmless), harmless);
        }
    }
}
