//! Makes untrusted text safe to show: characters that could control a terminal, or make a line look like another, become visible.

use std::borrow::Cow;

/// Whether a character could control a terminal, reorder a line or hide in it.
pub fn is_hazard(character: char) -> bool {
    // The characters that are not control characters are bidirectional marks and overrides, line separators, and characters without width. The joiner
    // U+200D is allowed, because emoji use it.
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The visible form of a hazard: `\x1b`, `\u{202e}`.
pub fn escape(hazard: char) -> String {
    match hazard as u32 {
        code @ ..0x80 => format!("\\x{code:02x}"),
        code => format!("\\u{{{code:x}}}"),
    }
}

/// The beginning of a GitHub workflow command at any place in a line.
pub const COMMAND_INSIDE: &str = "##[";

/// [`COMMAND_INSIDE`], made harmless.
const HARMLESS_INSIDE: &str = "## [";

/// The text on one line, without hazards: line breaks and tabs become spaces.
pub fn one_line(text: &str) -> Cow<'_, str> {
    without_hazards(text, |break_or_tab| if break_or_tab == '\r' { None } else { Some(' ') })
}

/// The text with its lines and tabs, but without other hazards.
pub fn lines(text: &str) -> Cow<'_, str> {
    without_hazards(text, |break_or_tab| if break_or_tab == '\r' { None } else { Some(break_or_tab) })
}

/// The text without hazards; `replaced` gives the replacement of `\n`, `\r` and `\t`.
fn without_hazards(text: &str, replaced: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    if text.contains(COMMAND_INSIDE) {
        let text = text.replace(COMMAND_INSIDE, HARMLESS_INSIDE);
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

/// Whether a line could be a GitHub workflow command, which GitHub reads in everything that a step prints.
pub fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::") || line.contains(COMMAND_INSIDE)
}

/// A text as one word of a shell, as in a command that a message proposes.
pub fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@%+=:,./-_".contains(&byte);
    // Characters outside ASCII have no meaning in a shell.
    if !text.is_empty() && text.bytes().all(|byte| is_plain(byte) || !byte.is_ascii()) && !text.contains(is_hazard) {
        return Cow::Borrowed(text);
    }
    if !text.contains(is_hazard) && !text.contains(COMMAND_INSIDE) {
        return Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")));
    }
    // bash, zsh and ksh read the escapes of this form.
    let mut quoted = "$'".to_owned();
    for character in text.chars() {
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            '[' if quoted.ends_with("##") => quoted += "\\x5b",
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
    use super::{lines, one_line, word};

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
    fn control_characters_are_escaped() {
        assert_eq!(one_line("a\u{1b}[2Jb\u{9b}c\u{202e}d\r\ne\tf\u{7f}\0"), "a\\x1b[2Jb\\u{9b}c\\u{202e}d e f\\x7f\\x00");
        assert_eq!(one_line("naïve 漢字 👩‍💻"), "naïve 漢字 👩‍💻");
        assert_eq!(one_line("a ##[error]b\n##[c"), "a ## [error]b ## [c");
        assert_eq!(lines("a\u{1b}[2J\r\n\tb\u{2028}c\r"), "a\\x1b[2J\n\tb\\u{2028}c");
    }
}
