//! Splits a text into commands and words by the rules of a shell, without running anything.

use cfg_diag::{FileId, Location, Span};

use crate::Word;

/// A word, and where each of its bytes is in the text around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The word as the program gets it.
    pub(crate) text: String,
    /// The place of each byte.
    places: Vec<u32>,
    /// The whole place, with quotes.
    span: Span,
}

/// A part of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(Piece),
    /// What ends a command: `;`, `&&`, `|`, a line break, a parenthesis.
    End,
    /// What sends a stream elsewhere. Whether the next word is the other end.
    Redirection(bool),
}

/// The characters that end a command.
const ENDS: [char; 7] = [';', '&', '|', '(', ')', '`', '\n'];

/// The characters that a backslash protects between double quotes.
const PROTECTED: [char; 5] = ['"', '\\', '$', '`', '\n'];

impl AsRef<str> for Piece {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl Piece {
    /// A text whose bytes have these places.
    pub(crate) fn at(text: &str, places: impl IntoIterator<Item = u32>, span: Span) -> Self {
        Self { text: text.to_owned(), places: places.into_iter().collect(), span }
    }

    /// A text at the beginning of a file.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::at(text, 0..text.len() as u32, (0..text.len()).into())
    }

    /// The part from a byte on.
    pub(crate) fn from(&self, start: usize) -> Self {
        self.part(start, self.text.len())
    }

    /// The part up to a byte.
    pub(crate) fn until(&self, end: usize) -> Self {
        self.part(0, end)
    }

    fn part(&self, start: usize, end: usize) -> Self {
        let text = self.text.get(start..end).unwrap_or_default();
        let places = self.places.get(start..end).unwrap_or_default();
        let span = match (places.first(), places.last()) {
            (Some(&first), Some(&last)) => Span::new(first, last + 1),
            _ => self.span,
        };
        Self { text: text.to_owned(), places: places.to_vec(), span }
    }

    /// The word of a sentence or a list, without what surrounds it there.
    pub(crate) fn without_punctuation(&self) -> Self {
        let inside = self.text.trim_matches(['"', '\'', '`', ',', '[', ']', '(', ')']);
        let start = self.text.find(inside).unwrap_or_default();
        let plain = inside.trim_end_matches(['.', ':', '!', '?']);
        let end = if is_toml(plain) { plain.len() } else { inside.len() };
        self.part(start, start + end)
    }

    /// The same word with another text, which has no places of its own.
    pub(crate) fn with_text(&self, text: String) -> Self {
        Self { text, places: Vec::new(), span: self.span }
    }

    /// Where it is in the text around it.
    pub(crate) const fn start(&self) -> u32 {
        self.span.start
    }

    /// Whether it is written in quotes.
    pub(crate) fn is_quoted(&self) -> bool {
        let is_outside = |first: &u32, last: &u32| self.span.start < *first || self.span.end > *last + 1;
        self.places.first().zip(self.places.last()).is_some_and(|(first, last)| is_outside(first, last))
    }

    /// Whether its text is written as it is.
    fn is_verbatim(&self) -> bool {
        self.places.len() == self.text.len() && self.places.windows(2).all(|pair| pair[0] + 1 == pair[1])
    }

    /// The word in a file.
    pub(crate) fn word(&self, file: FileId) -> Word {
        let is_verbatim = !self.text.is_empty() && self.is_verbatim();
        let span = if is_verbatim { Span::new(self.places[0], self.places[0] + self.text.len() as u32) } else { self.span };
        Word { text: self.text.as_str().into(), location: Location::new(file, span), is_verbatim }
    }

    /// The commands in it.
    pub(crate) fn commands(&self) -> Vec<Vec<Self>> {
        gathered(Scanner { piece: self, at: 0 }.tokens())
    }
}

/// Whether a word names a TOML file.
pub(crate) fn is_toml(word: &str) -> bool {
    word.strip_suffix(".toml").is_some()
}

/// The commands among words that a shell, or whoever calls the program, has already separated: an operator may be one of them.
pub(crate) fn commands(words: Vec<Piece>) -> Vec<Vec<Piece>> {
    gathered(words.into_iter().flat_map(separated).collect())
}

/// A word as the tokens that a shell would make of it if it is an operator, or ends with one.
fn separated(word: Piece) -> Vec<Token> {
    let is_operator = |text: &str| !text.is_empty() && text.chars().all(|character| ENDS.contains(&character));
    let text = &*word.text;
    if is_operator(text) {
        return vec![Token::End];
    }
    if text == "\\" {
        return Vec::new();
    }
    if let Some(target) = redirection(text).filter(|target| !target.contains(char::is_whitespace)) {
        return vec![Token::Redirection(target.is_empty())];
    }
    if text.contains(char::is_whitespace) {
        return vec![Token::Word(word)];
    }
    // `(cd FOLDER` and `x.toml)`; a list in parentheses is a value.
    let is_closing = text.ends_with(')') && !text.contains('(');
    let start = usize::from(text.len() > 1 && text.starts_with('(') && !text.contains(')'));
    let end = if text.len() > 1 && (is_closing || text.ends_with(';')) { text.len() - 1 } else { text.len() };
    let before = (start > 0).then_some(Token::End);
    let behind = (end < text.len()).then_some(Token::End);
    before.into_iter().chain([Token::Word(word.part(start, end))]).chain(behind).collect()
}

/// What follows the operator of a redirection: `2>`, `>>`, `&>`, `2>&1`, `>log`. A text that is given directly, `<<<`, is not one.
fn redirection(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|first: char| first.is_ascii_digit() || first == '&');
    if rest.starts_with("<<<") {
        return None;
    }
    let target = rest.trim_start_matches(['<', '>', '|']);
    let is_short = text.len() - rest.len() <= 2 && matches!(rest.len() - target.len(), 1..=2) && !target.contains(['<', '>']);
    is_short.then(|| target.trim_start_matches('&'))
}

fn gathered(tokens: Vec<Token>) -> Vec<Vec<Piece>> {
    let mut commands: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut is_target = false;
    for token in tokens {
        match token {
            Token::Word(_) if is_target => is_target = false,
            Token::Word(word) => {
                if let Some(words) = commands.last_mut() {
                    words.push(word);
                }
            }
            Token::End => {
                is_target = false;
                commands.push(Vec::new());
            }
            Token::Redirection(has_target) => is_target = has_target,
        }
    }
    commands.retain(|words| !words.is_empty());
    commands
}

/// Reads tokens from a text.
struct Scanner<'p> {
    piece: &'p Piece,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.piece.text[self.at..]
    }

    fn tokens(mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        while let Some(first) = self.rest().chars().next() {
            if self.rest().starts_with("\\\n") || self.rest() == "\\" {
                self.at = (self.at + 2).min(self.piece.text.len());
            } else if first == '#' {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if let Some((token, length)) = operator(self.rest()) {
                tokens.push(token);
                self.at += length;
            } else if first.is_whitespace() {
                self.at += first.len_utf8();
            } else {
                let word = self.word();
                // Braces around a list of commands.
                tokens.push(if matches!(&*word.text, "{" | "}") { Token::End } else { Token::Word(word) });
            }
        }
        tokens
    }

    /// The word at this place, which is not empty.
    fn word(&mut self) -> Piece {
        let (start, mut text, mut places) = (self.at, String::new(), Vec::new());
        let places_of = &self.piece.places;
        let mut push = |from: usize, part: &str| {
            text.push_str(part);
            places.extend((from..from + part.len()).map(|at| places_of.get(at).copied().unwrap_or_default()));
        };
        let mut before = None;
        while self.at < self.piece.text.len() {
            let rest = &self.piece.text[self.at..];
            // Most characters are ones that a shell has no use for.
            let plain = rest.bytes().take_while(|byte| is_plain(*byte)).count();
            if plain > 0 {
                push(self.at, &rest[..plain]);
                self.at += plain;
                before = rest[..plain].chars().next_back();
                continue;
            }
            let Some(character) = rest.chars().next() else { break };
            let length = character.len_utf8();
            if let Some(quoted) = quoted(rest, before) {
                let inside = self.at + quoted.start;
                for (at, part) in quoted.parts(rest) {
                    push(inside + at, part);
                }
                self.at += quoted.length;
            } else if let Some(length) = substitution(rest).or_else(|| placeholder(rest)) {
                push(self.at, &rest[..length]);
                self.at += length;
            } else if character == '\\' {
                let next = rest[1..].chars().next().unwrap_or('\n');
                if next != '\n' {
                    push(self.at + 1, &rest[1..=next.len_utf8()]);
                }
                self.at = (self.at + 1 + next.len_utf8()).min(self.piece.text.len());
            } else if character.is_whitespace() || ENDS.contains(&character) || matches!(character, '<' | '>') {
                break;
            } else {
                push(self.at, &rest[..length]);
                self.at += length;
            }
            before = Some(character);
        }
        let place = |at: usize| places_of.get(at).copied().unwrap_or_default();
        let span = Span::new(place(start), place(self.at - 1) + 1);
        Piece { text, places, span }
    }
}

/// Whether a byte is a character that means itself in a word, wherever it is.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@' | b'=' | b':' | b',')
}

/// The operator at the beginning of a text, and its length.
fn operator(text: &str) -> Option<(Token, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = &text[digits..];
    let streams = ["&>>", "&>", ">>", ">|", ">&", ">", "<<-", "<<", "<&", "<"];
    if after.starts_with("<<<") {
        // The text that follows is read like a word of the command.
        return Some((Token::Redirection(false), digits + 3));
    }
    if placeholder(after).is_none()
        && let Some(stream) = streams.iter().find(|stream| after.starts_with(**stream))
        && (digits == 0 || !stream.starts_with('&'))
    {
        let is_process = after[stream.len()..].starts_with('(');
        return Some((Token::Redirection(!is_process), digits + stream.len()));
    }
    text.starts_with(ENDS).then_some((Token::End, 1))
}

/// Quotes, and the text between them.
struct Quoted {
    /// Where the text begins.
    start: usize,
    /// The length of the text.
    inner: usize,
    /// The length with the quotes.
    length: usize,
    /// The characters that a backslash protects.
    protected: &'static [char],
}

/// The quotes at the beginning of a text, after the character `before`. An apostrophe in a word of prose is none, and neither is a quote that nothing
/// closes.
fn quoted(text: &str, before: Option<char>) -> Option<Quoted> {
    let (start, quote) = match text.as_bytes() {
        [b'$', b'\'', ..] => (2, '\''),
        [b'\'', ..] => (1, '\''),
        [b'"', ..] => (1, '"'),
        _ => return None,
    };
    let inside = &text[start..];
    let is_apostrophe = quote == '\'' && start == 1 && before.is_some_and(char::is_alphanumeric);
    if is_apostrophe {
        return None;
    }
    let protected: &[char] = match (quote, start) {
        ('"', _) => &PROTECTED,
        (_, 2) => &['\'', '\\'],
        _ => &[],
    };
    let mut characters = inside.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next_if(|(_, next)| protected.contains(next));
        } else if character == quote {
            return Some(Quoted { start, inner: at, length: start + at + 1, protected });
        }
    }
    None
}

impl Quoted {
    /// The text without the backslashes that protect characters, in parts with their places in it.
    fn parts<'t>(&self, text: &'t str) -> Vec<(usize, &'t str)> {
        let inside = &text[self.start..self.start + self.inner];
        let (mut parts, mut from) = (Vec::new(), 0);
        let mut characters = inside.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if character == '\\'
                && let Some((_, next)) = characters.next_if(|(_, next)| self.protected.contains(next))
            {
                parts.push((from, &inside[from..at]));
                from = if next == '\n' { at + 2 } else { at + 1 };
            }
        }
        parts.push((from, &inside[from..]));
        parts
    }
}

/// The maximum number of characters in `$(...)` or `${...}`.
const LONGEST_SUBSTITUTION: usize = 512;

/// The length of `$(...)` or `${...}` at the beginning of a text.
fn substitution(text: &str) -> Option<usize> {
    let (open, close) = match text.as_bytes() {
        [b'$', b'(', ..] => ('(', ')'),
        [b'$', b'{', ..] => ('{', '}'),
        _ => return None,
    };
    let mut depth = 0_usize;
    // What is not closed soon is not closed: otherwise each of many would be searched to the end.
    for (at, character) in text.char_indices().take(LONGEST_SUBSTITUTION) {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// The length of a placeholder such as `<name>` at the beginning of a text.
fn placeholder(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(['>', '<', '\n', '/', '&', '|', ';'])?;
    let name = &inside[..end];
    let is_name = name.starts_with(char::is_alphabetic) && name.ends_with(char::is_alphanumeric);
    (is_name && inside[end..].starts_with('>')).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::{Piece, commands};

    fn split(text: &str) -> Vec<Vec<String>> {
        let piece = Piece::of_text(text);
        piece.commands().into_iter().map(|words| words.into_iter().map(|word| word.text).collect()).collect()
    }

    #[test]
    fn words_are_split_like_in_a_shell() {
        for (text, wanted) in [
            ("rl @ a.toml", vec![vec!["rl", "@", "a.toml"]]),
            ("a 'b c' \"d \\\"e\\\" $F\" g\\ h", vec![vec!["a", "b c", "d \"e\" $F", "g h"]]),
            ("a && b; c | d |& e & f", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"], vec!["e"], vec!["f"]]),
            ("a > log 2>&1 b &>>x 2> y < in c >d", vec![vec!["a", "b", "c"]]),
            ("a 2>&1 | tee log", vec![vec!["a"], vec!["tee", "log"]]),
            ("a \\\n b # c\nd \\", vec![vec!["a", "b"], vec!["d"]]),
            ("(cd a && b) ; { c; }", vec![vec!["cd", "a"], vec!["b"], vec!["c"]]),
            ("a $(date +%s | x) ${B:-c d} 'e", vec![vec!["a", "$(date +%s | x)", "${B:-c d}", "'e"]]),
            ("it's b and don't", vec![vec!["it's", "b", "and", "don't"]]),
            ("at now <<< 'rl @ a'", vec![vec!["at", "now", "rl @ a"]]),
            ("rl @ <name>.toml a/<b c>", vec![vec!["rl", "@", "<name>.toml", "a/<b c>"]]),
            ("a --x='b c' --y=\"$Z\" ''", vec![vec!["a", "--x=b c", "--y=$Z", ""]]),
            ("$'a\\'b' \"\" é'ü'", vec![vec!["a'b", "", "é'ü'"]]),
            ("", vec![]),
            ("\\", vec![]),
            ("a \"", vec![vec!["a", "\""]]),
        ] {
            assert_eq!(split(text), wanted, "{text}");
        }
    }

    #[test]
    fn operators_among_words_are_found() {
        let words =
            ["a", "x.toml;", "b", ">", "log", "2>&1", "c", "&", "\\", "--x=>1", "--d", "[1;", "|&", "tee", "2>/dev/null", "-a"];
        let split = commands(words.iter().map(|word| Piece::of_text(word)).collect());
        let split: Vec<String> =
            split.iter().map(|words| words.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(split, ["a x.toml", "b c", "--x=>1 --d [1", "tee -a"]);
    }

    #[test]
    fn each_byte_has_its_place() {
        let text = "bash -c \"cd 'x y' && rl @ 'a b.toml'\"";
        let outer = Piece::of_text(text).commands();
        let inner = outer[0][2].commands();
        let place = |piece: &Piece| piece.word(cfg_diag::FileId(0)).location.span.range();
        assert_eq!(&text[place(&inner[1][2])], "a b.toml");
        assert_eq!(&text[place(&inner[0][1])], "x y");
        assert_eq!(&text[place(&outer[0][2])], "cd 'x y' && rl @ 'a b.toml'");
        let escaped = Piece::of_text("\"a \\\"b\\\" c\"").commands();
        assert_eq!(place(&escaped[0][0]), 0..11);
    }
}
