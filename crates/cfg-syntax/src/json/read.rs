//! The reader of JSON.

use cfg_diag::Span;

use super::{Fault, Kind, MAX_NESTING, Member, Node, Style};
use crate::MAX_DEPTH;

/// Reads a text that is one value; a byte order mark may come before it in a strict text.
///
/// # Errors
///
/// If the text is not JSON, is nested too deeply, or has too many values.
pub fn parse(text: &str, style: Style) -> Result<Node, Fault> {
    let start = if style != Style::Python && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (max_values, max_depth) = match style {
        Style::Strict { max_values } => (max_values, MAX_NESTING),
        Style::Python => (usize::MAX, MAX_DEPTH),
    };
    let mut reader = Reader { text, at: start, is_python: style == Style::Python, values_left: max_values, max_depth };
    reader.blanks();
    let node = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() { Err(reader.fault("unexpected text after the value")) } else { Ok(node) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    is_python: bool,
    values_left: usize,
    max_depth: usize,
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
        let Some(values_left) = self.values_left.checked_sub(1) else { return Err(self.fault("too many values")) };
        self.values_left = values_left;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth >= self.max_depth => return Err(self.fault("values are nested too deeply")),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::String(self.string()?),
            Some(b'N') if self.is_python => self.float("NaN")?,
            Some(b'I') if self.is_python => self.float("Infinity")?,
            Some(b'-') if self.is_python && self.text[self.at..].starts_with("-I") => self.float("-Infinity")?,
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

    fn float(&mut self, word: &'static str) -> Result<Kind, Fault> {
        self.word(word, Kind::Number(word.into()))
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
            let before = self.at;
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let joined = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            if !self.is_python {
                return Err(self.fault("unpaired surrogate"));
            }
            self.at = before;
        }
        match char::from_u32(first) {
            Some(character) => Ok(character),
            None if self.is_python => Ok(char::REPLACEMENT_CHARACTER),
            None => Err(self.fault("unpaired surrogate")),
        }
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
    use serde_json::Value as Json;

    use super::parse;
    use crate::json::{Fault, Kind, Node, Style};

    const STRICT: Style = Style::Strict { max_values: 1000 };

    fn to_json(node: &Node) -> Json {
        match &node.kind {
            Kind::Null => Json::Null,
            Kind::Bool(is) => Json::Bool(*is),
            Kind::Number(digits) => serde_json::from_str(digits).unwrap_or(Json::Null),
            Kind::String(text) => Json::String(text.to_string()),
            Kind::Array(items) => items.iter().map(to_json).collect(),
            Kind::Object(members) => members.iter().map(|member| (member.key.to_string(), to_json(&member.value))).collect(),
        }
    }

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
            let node = parse(text, STRICT).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            assert_eq!(to_json(&node), serde_json::from_str::<Json>(text).expect("JSON"), "{text}");
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
            assert_eq!(parse(text, STRICT).map_err(|fault| fault.at).err(), Some(at), "{text}");
            assert!(serde_json::from_str::<Json>(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(1_000_000), STRICT).is_err());
    }

    #[test]
    fn a_text_with_more_values_than_asked_for_is_refused() {
        let many = format!("[{}0]", "0,".repeat(998));
        assert!(parse(&many, STRICT).is_ok());
        assert_eq!(parse(&format!("[0,{}", &many[1..]), STRICT).map_err(|fault| fault.message).err(), Some("too many values"));
    }

    fn python(text: &str) -> Result<Kind, Fault> {
        parse(text, Style::Python).map(|node| node.kind)
    }

    #[test]
    fn json_that_python_accepts_is_read() {
        assert!(
            matches!(python(" [1, -2.5e3, \"a\\u00e9\\ud83d\\ude00\", null, NaN, -Infinity] "), Ok(Kind::Array(items)) if items.len() == 6)
        );
        assert!(matches!(python("\"\\ud800\\u0041\""), Ok(Kind::String(text)) if &*text == "\u{fffd}A"));
        assert!(matches!(python("-Infinity"), Ok(Kind::Number(word)) if &*word == "-Infinity"));
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
            "-Inf",
            "\"\\x\"",
            "\"a\nb\"",
            "\u{feff}1",
        ] {
            assert!(python(text).is_err(), "{text}");
        }
        assert!(python(&"[".repeat(100_000)).is_err());
    }
}
