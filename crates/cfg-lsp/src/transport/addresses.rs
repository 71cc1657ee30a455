//! The addresses of documents and folders, which many clients write without percent-encoding: any string is accepted, and the client gets its own
//! spelling back.

use std::{
    borrow::Cow,
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;
use tower_lsp_server::{jsonrpc::Request, ls_types::Uri};

/// The most spellings that are remembered. Of further ones the client gets the encoded form.
const MAX_SPELLINGS: usize = 4096;

/// The spellings of a client that are no valid URIs. They are shared by threads.
#[derive(Clone, Default)]
pub(crate) struct Addresses(Arc<Mutex<Spellings>>);

#[derive(Default)]
struct Spellings {
    /// The valid URI for each spelling.
    valid: HashMap<String, String>,
    /// The spelling for each valid URI, both as they are in a message, with their quotes.
    quoted: HashMap<String, String>,
}

impl Addresses {
    /// The request with valid URIs in place of all others.
    pub(crate) fn read(&self, request: Request) -> Request {
        let is_known = !self.spellings().valid.is_empty();
        if !is_known && !request.params().is_some_and(has_invalid) {
            return request;
        }
        let (method, id, params) = request.into_parts();
        let mut built = Request::build(method);
        if let Some(id) = id {
            built = built.id(id);
        }
        if let Some(mut params) = params {
            self.correct(&mut params);
            built = built.params(params);
        }
        built.finish()
    }

    /// The message with the client's own spellings.
    pub(crate) fn written<'m>(&self, message: &'m [u8]) -> Cow<'m, [u8]> {
        let spellings = self.spellings();
        let Some(text) = std::str::from_utf8(message).ok().filter(|_| !spellings.quoted.is_empty()) else {
            return Cow::Borrowed(message);
        };
        let mut written: Option<String> = None;
        let (mut done, mut at) = (0, 0);
        while let Some(string) = next_string(text, at) {
            at = string.end;
            if let Some(own) = spellings.quoted.get(&text[string.clone()]) {
                let written = written.get_or_insert_default();
                written.push_str(&text[done..string.start]);
                written.push_str(own);
                done = string.end;
            }
        }
        match written {
            None => Cow::Borrowed(message),
            Some(written) => Cow::Owned((written + &text[done..]).into_bytes()),
        }
    }

    fn spellings(&self) -> std::sync::MutexGuard<'_, Spellings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Corrects the addresses in a value, however deep they are.
    fn correct(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(own) if is_address(name) && !is_valid(own) => match valid(own) {
                            Some(valid) => *own = self.remember(own, valid),
                            // Such as the empty name of a folder.
                            None if name == "rootUri" => *member = Value::Null,
                            None => *own = self.remember(own, format!("untitled:{}", encoded(own))),
                        },
                        // The arguments of a command are what the server has sent.
                        Value::Array(arguments) if name == "arguments" => {
                            arguments.iter_mut().for_each(|argument| self.correct_argument(argument));
                        }
                        other => self.correct(other),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.correct(item)),
            _ => {}
        }
    }

    fn correct_argument(&self, argument: &mut Value) {
        if let Value::String(own) = argument {
            let valid = self.spellings().valid.get(own).cloned();
            valid.into_iter().for_each(|valid| *own = valid);
        } else {
            self.correct(argument);
        }
    }

    fn remember(&self, own: &str, valid: String) -> String {
        let mut spellings = self.spellings();
        if spellings.valid.len() < MAX_SPELLINGS && !spellings.valid.contains_key(own) {
            // Of several spellings of one URI, the first is the one that the client gets.
            let quoted = spellings.quoted.entry(Value::from(&*valid).to_string());
            quoted.or_insert_with(|| Value::from(own).to_string());
            spellings.valid.insert(own.to_owned(), valid.clone());
        }
        valid
    }
}

/// The place of the next string of a JSON text from `at` on, which is not in a string, with its quotes.
fn next_string(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + text[at..].find('"')?;
    let mut is_escaped = false;
    let end = text[start + 1..].bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(start..start + end + 2)
}

/// Whether a member with this name has an address: `uri`, `rootUri`, `newUri`.
fn is_address(name: &str) -> bool {
    name == "uri" || name.ends_with("Uri")
}

fn has_invalid(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| match member {
            Value::String(text) if is_address(name) => !is_valid(text),
            other => has_invalid(other),
        }),
        Value::Array(items) => items.iter().any(has_invalid),
        _ => false,
    }
}

fn is_valid(text: &str) -> bool {
    text.parse::<Uri>().is_ok() && drive(text).is_none()
}

/// The valid URI that is meant by a text; `None` if it is neither a path nor a URI with a scheme.
fn valid(text: &str) -> Option<String> {
    let is_file = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if !is_file && drive(text).is_none() && !text.starts_with(['/', '\\']) {
        return Some(encoded(text)).filter(|uri| is_valid(uri));
    }
    let path = if is_file { &text[5..] } else { text };
    let is_of_windows = text.starts_with('\\') || drive(path.trim_start_matches('/')).is_some();
    let is_as_written = is_file && path.starts_with("//") && !is_of_windows;
    let as_written = Some(format!("file:{}", encoded(path))).filter(|uri| is_as_written && is_valid(uri));
    let path = if is_of_windows { path.replace('\\', "/") } else { path.to_owned() };
    as_written.or_else(|| Some(format!("file:///{}", encoded(path.trim_start_matches('/')))).filter(|uri| is_valid(uri)))
}

/// The letter of the drive with which a path begins, which also looks like the scheme of a URI.
fn drive(text: &str) -> Option<char> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    (letters.next() == Some(':') && matches!(letters.next(), Some('/' | '\\'))).then_some(letter)
}

/// A text with the characters percent-encoded that the path of a URI can't have. What is encoded already stays so.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_escape = || bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        match byte {
            b'%' if is_escape() => out.push('%'),
            _ if byte.is_ascii_alphanumeric() || b"-._~/:@!$&'()*+,;=".contains(byte) => out.push(char::from(*byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tower_lsp_server::jsonrpc::Request;

    use super::{Addresses, is_valid, valid};

    #[test]
    fn any_text_becomes_a_valid_uri() {
        for (text, uri) in [
            ("file:///a b/c.toml", "file:///a%20b/c.toml"),
            ("file:///a%20b/c d.toml", "file:///a%20b/c%20d.toml"),
            ("file:///100% #1/[x]?.toml", "file:///100%25%20%231/%5Bx%5D%3F.toml"),
            ("file:///é.toml", "file:///%C3%A9.toml"),
            ("file:///C:\\a b.toml", "file:///C:/a%20b.toml"),
            ("/home/a\\b c", "file:///home/a%5Cb%20c"),
            ("/home/me/x.toml", "file:///home/me/x.toml"),
            ("file:/a b", "file:///a%20b"),
            ("file://", "file://"),
            ("C:\\a b\\c.toml", "file:///C:/a%20b/c.toml"),
            ("file://C:\\a b.toml", "file:///C:/a%20b.toml"),
            ("untitled:Untitled 1", "untitled:Untitled%201"),
        ] {
            assert_eq!(valid(text).as_deref(), Some(uri), "{text}");
            assert!(is_valid(uri), "{uri}");
        }
        assert_eq!(valid("no scheme"), None);
        assert_eq!(valid(""), None);
    }

    #[test]
    fn the_client_gets_its_own_spelling_back() {
        let addresses = Addresses::default();
        let asked = |params: serde_json::Value| Request::build("a").params(params).id(1).finish();
        let plain = asked(json!({ "textDocument": { "uri": "file:///a.toml", "text": "\"file:///a b\"" } }));
        assert_eq!(addresses.read(plain.clone()), plain);
        let read = addresses.read(asked(json!({ "rootUri": "", "folders": [{ "uri": "file:///a b" }, { "uri": "x" }] })));
        let folders = json!([{ "uri": "file:///a%20b" }, { "uri": "untitled:x" }]);
        assert_eq!(read.params(), Some(&json!({ "rootUri": null, "folders": folders })));
        let message = br#"{"uri":"file:///a%20b","text":"\"file:///a%20b\"","changes":{"file:///a%20b":[]}}"#;
        let written = br#"{"uri":"file:///a b","text":"\"file:///a%20b\"","changes":{"file:///a b":[]}}"#;
        assert_eq!(&*addresses.written(message), written);
        // Each string is read once: what one spelling becomes is not looked for among the others.
        addresses.read(asked(json!({ "uri": "file:///c d" })));
        let both = br#"["file:///a%20b","\\","file:///c%20d\"file:///c%20d","file:///c%20d"]"#;
        assert_eq!(&*addresses.written(both), br#"["file:///a b","\\","file:///c%20d\"file:///c%20d","file:///c d"]"#);
        let command = addresses.read(asked(json!({ "command": "x", "arguments": ["file:///a b", 1] })));
        assert_eq!(command.params(), Some(&json!({ "command": "x", "arguments": ["file:///a%20b", 1] })));
    }
}
