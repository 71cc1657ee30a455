//! Untrusted text in Markdown: nothing in it is read as Markdown, HTML, a link, or a mention of a user.

use std::borrow::Cow;

use crate::one_line;

/// A text as code in the cell of a table.
pub fn cell(text: &str) -> String {
    // GitHub reads a backslash before an escaped line as an escaped backslash, and the line as the end of the cell.
    code(&text.replace("\\|", "\\ |")).replace('|', "\\|")
}

/// A text in the cell of a table: as code, unless it is of words and numbers only, or the address of a run.
pub fn text_cell(text: &str) -> Cow<'_, str> {
    let line = one_line(text);
    if is_plain(&line) || is_address_of_run(&line) {
        if line.contains('|') { Cow::Owned(line.replace('|', "\\|")) } else { line }
    } else {
        Cow::Owned(cell(text))
    }
}

/// Whether a text is nothing but an address in Weights & Biases, which may be a link.
fn is_address_of_run(text: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "/_.-".contains(character);
    text.strip_prefix("https://wandb.ai/").is_some_and(|path| path.chars().all(is_part))
}

/// Whether no character of a text has a meaning in Markdown. An address becomes a link even without any markup.
fn is_plain(text: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || " .,;:()/+-=|".contains(character);
    let is_trimmed = !text.starts_with([' ', ':', '+', '-', '=']) && !text.ends_with(' ');
    is_trimmed && text.chars().all(is_plain) && !["//", "www.", "::"].iter().any(|part| text.contains(part))
}

/// A text as code in a line of Markdown.
pub fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty() { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// A Markdown text in which nothing is an image, a link to a stated address, or HTML; what is code or emphasised stays so. An editor loads images from
/// anywhere, and makes links of notifications, `command:` included.
pub fn inert(markdown: &str) -> Cow<'_, str> {
    let begins = |one: char, next: char| match one {
        '!' => next == '[',
        ']' => next == '(',
        '<' => next.is_ascii_alphabetic() || "/!?".contains(next),
        _ => false,
    };
    let is_live = |(one, next): (char, char)| begins(one, next);
    if !markdown.chars().zip(markdown.chars().skip(1)).any(is_live) {
        return Cow::Borrowed(markdown);
    }
    let mut inert = String::with_capacity(markdown.len() + 8);
    let mut letters = markdown.chars().peekable();
    while let Some(letter) = letters.next() {
        inert.push(letter);
        if letters.peek().is_some_and(|next| begins(letter, *next)) {
            inert.push(' ');
        }
    }
    Cow::Owned(inert)
}

/// A Markdown text of this program as plain text, for readers who show no Markdown: without the marks of code, emphasis and links.
pub fn plain(markdown: &str) -> String {
    let mut plain = String::with_capacity(markdown.len());
    let mut is_block = false;
    for line in markdown.split_inclusive('\n') {
        // A line that begins with code in so many marks has them again.
        if line.strip_prefix("```").is_some_and(|info| !info.contains('`')) {
            is_block = !is_block;
        } else if is_block {
            plain.push_str(line);
        } else {
            let (words, end) = line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n"));
            let emphasised =
                words.strip_prefix('*').and_then(|words| words.strip_suffix('*')).filter(|words| !words.contains('*'));
            plain_line(emphasised.unwrap_or(words), &mut plain);
            plain.push_str(end);
        }
    }
    plain
}

/// A line without the marks of code and links.
fn plain_line(line: &str, plain: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', '[']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let (fence, behind) = rest.split_at(ticks.max(1));
        rest = if ticks > 0 {
            match behind.split_once(fence) {
                Some((code, behind)) => {
                    let is_padded = code.starts_with(" `") || code.ends_with("` ");
                    plain.push_str(if is_padded { code.trim() } else { code });
                    behind
                }
                None => {
                    plain.push_str(fence);
                    behind
                }
            }
        } else if let Some((words, (address, behind))) =
            behind.split_once("](").and_then(|(words, behind)| Some((words, behind.split_once(')')?)))
            && !words.contains(['[', '`'])
            && address.starts_with("https://")
        {
            plain.push_str(&format!("{words} ({address})"));
            behind
        } else {
            plain.push_str(fence);
            behind
        };
    }
    plain.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::{cell, code, inert, plain, text_cell};

    #[test]
    fn plain_text_has_no_marks() {
        assert_eq!(plain("`a.b`: one of `x`, ``a`b``\n\n*rl config*\n"), "a.b: one of x, a`b\n\nrl config\n");
        assert_eq!(plain("since [#12](https://a.b/12), [0, 1], a[`i`]"), "since #12 (https://a.b/12), [0, 1], a[i]");
        assert_eq!(plain("Inserts:\n```toml\nx = \"`\"\n```"), "Inserts:\nx = \"`\"\n");
        assert_eq!(plain("2 * 3 * 4, one ` alone, ü"), "2 * 3 * 4, one ` alone, ü");
    }

    #[test]
    fn nothing_is_loaded_or_linked() {
        assert_eq!(
            inert("![x](https://a.b/c.png) [run](command:x) <img src=x></p>"),
            "! [x] (https://a.b/c.png) [run] (command:x) < img src=x>< /p>"
        );
        assert_eq!(inert("`a` is *b*, [1], x < 3"), "`a` is *b*, [1], x < 3");
    }

    #[test]
    fn text_does_not_escape_the_code_span() {
        assert_eq!(code("lr = 1e-5"), "`lr = 1e-5`");
        assert_eq!(cell("a|b\n<img src=x> @all"), "`a\\|b <img src=x> @all`");
        assert_eq!(cell("a\\|b"), "`a\\ \\|b`");
        assert_eq!(code("a|b"), "`a|b`");
        assert_eq!(code("``x`"), "``` ``x` ```");
        assert_eq!(code(""), "`  `");
    }

    #[test]
    fn only_words_and_numbers_are_not_code() {
        for plain in
            ["", "2x H100 (80 GB)", "configs/rl.toml:v3", "2026-01-05", "0.61, then 0.7", "größer", "https://wandb.ai/me/x-1"]
        {
            assert_eq!(text_cell(plain), plain);
        }
        assert_eq!(text_cell("a | b\nc"), "a \\| b c");
        for marked in [
            "@all",
            "<b>",
            "[x](y)",
            "![x](y)",
            "`x`",
            "*x*",
            "https://x.y",
            "//x",
            "www.x.y",
            "#1",
            "a\\|b",
            "https://wandb.ai/x?@y",
            "- x",
        ] {
            assert_eq!(text_cell(marked), cell(marked), "{marked}");
        }
    }
}
