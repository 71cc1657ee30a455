//! Foreign text made fit for a terminal: control characters become visible, long sentences are wrapped.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether a character could steer a terminal, reorder a line or hide in it.
pub(crate) fn is_hazard(character: char) -> bool {
    // What is no control character is a bidirectional mark or override, a line separator, or has no width at all. The joiner
    // U+200D is not among them: emoji are made with it.
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// How a hazard is shown: `\x1b`, `\u{202e}`.
pub(crate) fn escape(hazard: char) -> String {
    match hazard as u32 {
        code @ ..0x80 => format!("\\x{code:02x}"),
        code => format!("\\u{{{code:x}}}"),
    }
}

/// The text on one line, without hazards: line breaks and tabs become spaces.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hazard) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\r' => {}
            '\n' | '\t' => line.push(' '),
            hazard if is_hazard(hazard) => line += &escape(hazard),
            harmless => line.push(harmless),
        }
    }
    Cow::Owned(line)
}

/// Splits a text without hazards into lines of at most `width` columns, the first of at most `first`.
/// A word that is wider stays whole, so that keys and paths can be copied.
pub(crate) fn wrap(text: &str, first: usize, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut limit, mut used) = (first, 0);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = word.width();
        if used > 0 && used + 1 + wide > limit {
            lines.push(String::new());
            (limit, used) = (width, 0);
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += wide;
        }
    }
    lines
}

/// The columns of a character that is no hazard.
pub(crate) fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{one_line, wrap};

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(one_line("a\u{1b}[2Jb\u{9b}c\u{202e}d\r\ne\tf\u{7f}\0"), "a\\x1b[2Jb\\u{9b}c\\u{202e}d e f\\x7f\\x00");
        assert_eq!(one_line("naïve 漢字 👩‍💻"), "naïve 漢字 👩‍💻");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7, 5), ["one two", "three"]);
        assert_eq!(wrap("漢字 漢字", 8, 8), ["漢字", "漢字"]);
        assert_eq!(wrap("configs/very/long/path.toml x", 5, 5), ["configs/very/long/path.toml", "x"]);
        assert_eq!(wrap("", 5, 5), [""]);
    }
}
