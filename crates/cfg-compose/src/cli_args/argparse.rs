//! Python's argparse, as far as pydantic-settings uses it: no positional arguments, no abbreviations.

use crate::Word;

/// The number of values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// None at all.
    Nothing,
    /// One.
    One,
    /// One or none.
    OneOrNothing,
}

/// The meaning of a part of a line.
#[derive(Clone, Debug)]
pub(crate) enum ParsedPart<'w, O> {
    /// An option with its value: the word, and the start of the value in it.
    Option { option: O, flag: &'w Word, value: Option<(&'w Word, usize)> },
    /// An option without its value.
    Lacks(&'w Word),
    /// An option that takes no value, but has one.
    Surplus(&'w Word),
    /// A word that only prints the help.
    Help(&'w Word),
    /// A word that is left over.
    Left(&'w Word),
}

/// A word that may be an option: its name, and the text after the `=`.
enum Token<'w, O> {
    Option(O, Option<(&'w Word, usize)>),
    Help,
    /// It looks like an option, but is not one.
    Unknown,
    Argument,
    /// `--`, after which everything is an argument.
    End,
}

/// Reads a line. `find` knows the options by their full spelling.
pub(crate) fn read<'w, O>(words: &[&'w Word], find: impl Fn(&str) -> Option<(O, Takes)>) -> Vec<ParsedPart<'w, O>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut has_ended = false;
    let is_argument = |word: &Word| matches!(token(word, &find), Token::Argument);
    while let Some(&word) = words.get(at) {
        at += 1;
        if has_ended {
            found.push(ParsedPart::Left(word));
            continue;
        }
        match token(word, &find) {
            Token::Option((option, takes), value) => match (takes, value) {
                (Takes::Nothing, Some(_)) => found.push(ParsedPart::Surplus(word)),
                (Takes::Nothing, None) | (_, Some(_)) => found.push(ParsedPart::Option { option, flag: word, value }),
                (_, None) => match (words.get(at).filter(|next| is_argument(next)), takes) {
                    (Some(&next), _) => {
                        at += 1;
                        found.push(ParsedPart::Option { option, flag: word, value: Some((next, 0)) });
                    }
                    (None, Takes::OneOrNothing) => found.push(ParsedPart::Option { option, flag: word, value: None }),
                    (None, _) => found.push(ParsedPart::Lacks(word)),
                },
            },
            Token::Help => found.push(ParsedPart::Help(word)),
            Token::End => {
                has_ended = true;
                found.push(ParsedPart::Left(word));
            }
            Token::Unknown | Token::Argument => found.push(ParsedPart::Left(word)),
        }
    }
    found
}

fn token<'w, O>(word: &'w Word, find: &impl Fn(&str) -> Option<(O, Takes)>) -> Token<'w, (O, Takes)> {
    let text = &*word.text;
    if text == "--" {
        return Token::End;
    }
    if text.len() < 2 || !text.starts_with('-') {
        return Token::Argument;
    }
    if let Some(option) = find(text) {
        return Token::Option(option, None);
    }
    if text == "--help" || text.starts_with("-h") {
        return Token::Help;
    }
    if let Some((name, _)) = text.split_once('=')
        && let Some(option) = find(name)
    {
        return Token::Option(option, Some((word, name.len() + 1)));
    }
    if is_negative_number(text) || text.contains(' ') { Token::Argument } else { Token::Unknown }
}

/// `-5`, `-0.5`, `-.5`; not `-1e3`.
fn is_negative_number(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(number) = text.strip_prefix('-') else { return false };
    match number.split_once('.') {
        Some((whole, part)) => digits(whole) && !part.is_empty() && digits(part),
        None => !number.is_empty() && digits(number),
    }
}
