//! A strict reader of JSON.

use cfg_diag::Span;

use super::{Fault, Kind, Member, Node};

/// The maximum number of values that are read, enough for 20,000 versions. Each takes some hundred bytes of memory.
const MOST_VALUES: usize = 400_000;

/// The maximum nesting depth, so that recursion over the values is safe on small stacks.
const MAX_DEPTH: usize = 64;

/// Reads a text that is one value; a byte order mark may come before it.
///
/// # Errors
///
/// If the text is not JSON, is nested too deeply, or has too many values.
pub fn parse(text: &str) -> Result<Node, Fault> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, values: 0 };
    reader.blanks();
    let node = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() { Err(reader.fault("unexpected text after the value")) } else { Ok(node) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    values: usize,
}

impl Reader<'_> {
    const fn fault(&self, message: &'static str) -> Fault {
        Fault { at: self.at as u32, message }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Consumes a byte if it is the next one; returns whether it was.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        let start = self.at;
        self.values += 1;
        let kind = match self.peek() {
            Some(_) if self.values > MOST_VALUES => return Err(self.fault("too many values for a registry")),
            Some(b'{' | b'[') if depth >= MAX_DEPTH => return Err(self.fault("values are nested too deeply")),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            None => return Err(self.fault("unexpected end of file, expected a value")),
            Some(_) => return Err(self.fault("expected a value")),
        };
        Ok(Node { span: Span::from(start..self.at), kind })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, Fault> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.fault("expected a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                let is_end = self.peek() == Some(b'}');
                return Err(self.fault(if is_end {
                    "trailing comma after the last member"
                } else {
                    "expected a name in double quotes"
                }));
            }
            let key = self.string()?;
            let key_span = Span::from(start..self.at);
            self.blanks();
            if !self.take(b':') {
                return Err(self.fault("expected a colon"));
            }
            self.blanks();
            let value = self.value(depth + 1)?;
            members.push(Member { key, key_span, value });
            self.blanks();
            if self.take(b'}') {
                return Ok(Kind::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("expected a comma or the end of the object"));
            }
            self.blanks();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Ok(Kind::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take(b']') {
                return Ok(Kind::Array(items));
            }
            if !self.take(b',') {
                return Err(self.fault("expected a comma or the end of the array"));
            }
            self.blanks();
        }
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.fault("expected a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        self.take(b'-');
        if self.take(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.fault("a number must not start with 0"));
            }
        } else {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Kind::Number(self.text[start..self.at].into()))
    }

    fn string(&mut self) -> Result<Box<str>, Fault> {
        self.at += 1;
        let start = self.at;
        // Fast path: most strings contain no escapes.
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    let text = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(text.into());
                }
                b'\\' => return self.escaped(start),
                0..=0x1f => return Err(self.fault("a control character must be escaped")),
                _ => self.at += 1,
            }
        }
        Err(self.fault("unterminated string"))
    }

    fn escaped(&mut self, start: usize) -> Result<Box<str>, Fault> {
        let mut out = self.text[start..self.at].to_owned();
        loop {
            let run = self.at;
            while matches!(self.peek(), Some(byte) if byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            out.push_str(&self.text[run..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out.into());
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fault("a control character must be escaped")),
                None => return Err(self.fault("unterminated string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.fault("invalid JSON escape")),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode(&mut self) -> Result<char, Fault> {
        let first = self.hex()?;
        // A single half of a surrogate pair is not a character.
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let joined = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            return Err(self.fault("unpaired surrogate"));
        }
        char::from_u32(first).ok_or_else(|| self.fault("unpaired surrogate"))
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let value = value.ok_or_else(|| self.fault("expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn json_of_serde_json_is_read_with_the_same_meaning() {
        let texts = [
            r#"{"a": 1, "b": [true, false, null, "x\né\u00e9\ud834\udd1e\/"], "c": {"d": -0.5e+3}}"#,
            "[]",
            "{}",
            " 0 ",
            r#""""#,
            "[1,2]",
            "1e5",
            "\t{\r\n\"a\"\n:\n1}\n",
        ];
        for text in texts {
            let node = parse(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            assert_eq!(node.to_json(), serde_json::from_str::<serde_json::Value>(text).expect("JSON"), "{text}");
        }
    }

    #[test]
    fn invalid_json_is_refused_at_its_place() {
        let texts = [
            ("", 0),
            ("{", 1),
            (r#"{"a"}"#, 4),
            (r#"{"a": 1,}"#, 8),
            ("[1 2]", 3),
            ("01", 1),
            ("tru", 0),
            ("\"a", 2),
            ("\"\\x\"", 2),
            ("\"\\ud800\"", 7),
            ("1 1", 2),
            ("{'a': 1}", 1),
            ("NaN", 0),
            ("-", 1),
            ("1.", 2),
            ("\"\t\"", 1),
            ("\"\\u12é\"", 3),
        ];
        for (text, at) in texts {
            assert_eq!(parse(text).map_err(|fault| fault.at).err(), Some(at), "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(1_000_000)).is_err());
    }
}
