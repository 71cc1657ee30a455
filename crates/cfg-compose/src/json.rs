//! JSON as Python's `json` reads it: with `NaN` and infinities, and with the last of duplicate keys.

use cfg_diag::{Location, Span};
use cfg_syntax::{Integer, MAX_DEPTH};

use crate::{Entry, Node, Origin, Table, Value};

/// The place of a JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JsonPlace {
    /// Its bytes are at this location of a file.
    At(Location),
    /// It is quoted, so that all of it has one place.
    Whole(Origin),
}

/// The error in a JSON text, and its byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) message: &'static str,
}

/// Reads a text that is one value. `origin` gives the origin of a part of it.
pub(crate) fn parse(text: &str, place: JsonPlace, origin: fn(Location) -> Origin) -> Result<Node, Fault> {
    let mut parser = Parser { text, at: 0, place, origin };
    parser.blanks();
    let node = parser.value(0)?;
    parser.blanks();
    if parser.at < text.len() { Err(parser.fault("unexpected text after the value")) } else { Ok(node) }
}

/// The value of a string that is a JSON text, if it is one; all of it has the origin of that string.
pub fn read_quoted(text: &str, origin: Origin) -> Option<Node> {
    parse(text, JsonPlace::Whole(origin), Origin::File).ok()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    place: JsonPlace,
    origin: fn(Location) -> Origin,
}

impl Parser<'_> {
    fn fault(&self, message: &'static str) -> Fault {
        Fault { at: self.at, message }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn origin_from(&self, start: usize) -> Origin {
        match self.place {
            JsonPlace::Whole(origin) => origin,
            JsonPlace::At(location) => {
                let base = location.span.start;
                (self.origin)(Location::new(location.file, Span::new(base + start as u32, base + self.at as u32)))
            }
        }
    }

    fn eat(&mut self, byte: u8, message: &'static str) -> Result<(), Fault> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.fault(message))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault("nested too deeply"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::Str(self.string()?.into()),
            _ => self.word()?,
        };
        Ok(Node { value, origin: self.origin_from(start) })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut table = Table::default();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Table(table));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault("expected a key in double quotes"));
            }
            let key = self.string()?;
            let key_origin = self.origin_from(start);
            self.blanks();
            self.eat(b':', "`:` must follow a key")?;
            self.blanks();
            let node = self.value(depth + 1)?;
            table.insert(Entry { key: key.into(), written: None, key_origin, node });
            self.blanks();
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Value::Table(table));
            }
            self.eat(b',', "expected `,` or `}`")?;
            self.blanks();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Value::List(items));
            }
            self.eat(b',', "expected `,` or `]`")?;
            self.blanks();
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(character) = self.text[self.at..].chars().next() else {
                return Err(Fault { at: start, message: "this string does not end" });
            };
            match character {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '\\' => text.push(self.escape()?),
                control if control < ' ' => return Err(self.fault("a control character must be written as an escape")),
                other => {
                    text.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'u') => return self.unicode(),
            _ => return Err(self.fault("unknown escape")),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode(&mut self) -> Result<char, Fault> {
        let high = self.hexadecimal()?;
        if (0xD800..0xDC00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            let back = self.at;
            self.at += 1;
            let low = self.hexadecimal()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Four digits after the `u` at the parser's position.
    fn hexadecimal(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at + 1..self.at + 5).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.fault("four hexadecimal digits must follow"))?;
        self.at += 5;
        Ok(code)
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let rest = &self.text[self.at..];
        let words: [(&str, Value); 6] = [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
            ("NaN", Value::Float(f64::NAN)),
            ("Infinity", Value::Float(f64::INFINITY)),
            ("-Infinity", Value::Float(f64::NEG_INFINITY)),
        ];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        let length = number(rest.as_bytes());
        let digits = &rest[..length];
        if digits.is_empty() {
            return Err(self.fault("expected a value"));
        }
        self.at += length;
        if digits.contains(['.', 'e', 'E']) {
            return Ok(Value::Float(digits.parse().unwrap_or(f64::NAN)));
        }
        Ok(Value::Int(digits.parse().map_or_else(|_| Integer::Big(digits.into()), Integer::Small)))
    }
}

/// The length of the number at the beginning of a text.
fn number(text: &[u8]) -> usize {
    let digits = |from: usize| text[from.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(text.first() == Some(&b'-'));
    let whole = if text.get(at) == Some(&b'0') { 1 } else { digits(at) };
    if whole == 0 {
        return 0;
    }
    at += whole;
    if text.get(at) == Some(&b'.') && digits(at + 1) > 0 {
        at += 1 + digits(at + 1);
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Fault, JsonPlace, parse};
    use crate::{Origin, Value};

    fn read(text: &str) -> Result<Value, Fault> {
        parse(text, JsonPlace::Whole(Origin::Default), Origin::File).map(|node| node.value)
    }

    #[test]
    fn json_that_python_accepts_is_read() {
        assert!(
            matches!(read(" [1, -2.5e3, \"a\\u00e9\\ud83d\\ude00\", null, NaN] "), Ok(Value::List(items)) if items.len() == 5)
        );
        assert!(matches!(read("{\"a\": 1, \"a\": {}}"), Ok(Value::Table(table)) if table.entries().len() == 1));
        assert!(matches!(read("123456789012345678901234567890"), Ok(Value::Int(_))));
        assert!(matches!(read("\"\\\"x\""), Ok(Value::Str(text)) if &*text == "\"x"));
    }

    #[test]
    fn json_that_python_refuses_is_refused() {
        for text in [
            "",
            "x",
            "[1,]",
            "{a: 1}",
            "{\"a\" 1}",
            "01",
            "1 2",
            "\"",
            "[",
            "'a'",
            "+1",
            ".5",
            "1.",
            "nan",
            "\"\\x\"",
            "\"a\nb\"",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
