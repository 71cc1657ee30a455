//! All messages of this crate, except those on malformed values (see `unquoted`).

use std::fmt::Write as _;

use cfg_diag::{Applicability, Diagnostic, Edit, Fix, Location, Severity, Span, codes};

use crate::Dialect;
use crate::tree::ConflictKind;

/// The maximum number of nested brackets, and of parts of a key, that tomli reads: Python's default recursion
/// limit.
const LOADER_DEPTH: usize = 1000;

fn invalid(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&codes::INVALID_TOML, message)
}

fn insert(location: Location, text: &str) -> Edit {
    Edit { location, new_text: text.into() }
}

/// The bytes of keys that need no quotes.
pub(crate) static BARE: [bool; 256] = {
    let mut bare = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        bare[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        byte += 1;
    }
    bare
};

/// Whether `text` is a key that needs no quotes.
pub(crate) fn is_bare(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| BARE[usize::from(byte)])
}

/// A key as TOML writes it.
pub(crate) fn key_text(text: &str) -> String {
    if is_bare(text) { text.into() } else { quoted(text) }
}

/// The maximum length of a key that a fix writes in quotes, in bytes.
const LONGEST_QUOTED: usize = 1 << 12;

/// A string as TOML writes it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Writing to a string can't fail.
            '\0'..' ' | '\x7f' => drop(write!(out, "\\u{:04X}", character as u32)),
            _ => out.push(character),
        }
    }
    out + "\""
}

pub(crate) fn no_value(key: &str) -> Diagnostic {
    invalid(format!("`{key}` has no value")).help(format!("write `{key} = ...`, or delete the line"))
}

pub(crate) fn late_value(key: &str) -> Diagnostic {
    invalid(format!("the value of `{key}` must be on the same line")).help("write it after the `=`")
}

pub(crate) fn bare_key(key: &str) -> Diagnostic {
    invalid(format!("`{key}` has no `=` and no value")).help(format!("write `{key} = ...`"))
}

pub(crate) fn no_equals(key: &str, end: Location) -> Diagnostic {
    invalid(format!("`{key}` is not followed by `=`")).help(format!("write `{key} = ...`")).fix(
        "insert `=`",
        Applicability::Unsafe,
        insert(end, " ="),
    )
}

/// A key of several words, which is at `place`.
pub(crate) fn key_of_words(joined: &str, place: Location) -> Diagnostic {
    invalid("a key without quotes is one word").help(format!("write `{joined}`")).fix(
        format!("write `{joined}`"),
        Applicability::Unsafe,
        insert(place, joined),
    )
}

pub(crate) fn colon(key: &str, place: Location) -> Diagnostic {
    invalid(format!("`{key}` is followed by `:` instead of `=`")).at(place).help(format!("write `{key} = ...`")).fix(
        "write `=`",
        Applicability::Safe,
        insert(place, " ="),
    )
}

/// A key with a list or tables below it, as YAML writes them.
pub(crate) fn yaml_block(key: &str) -> Diagnostic {
    invalid(format!("`{key}` is written as YAML")).help("write it as TOML: a table as `{ key = value }`, a list as `[...]`")
}

/// A key with a colon whose table follows on indented lines, which `edits` turn into dotted keys.
pub(crate) fn nested(found: Diagnostic, key: &str, edits: Vec<Edit>) -> Diagnostic {
    let title = format!("write its keys as `{key}.KEY`");
    let fix = Fix::new(title, Applicability::Unsafe, edits);
    Diagnostic { fix: Some(fix), ..found.help(format!("write the keys below it as `{key}.KEY = ...`")) }
}

pub(crate) fn missing_key_part(found: &str) -> Diagnostic {
    let message = if found.trim().is_empty() { "expected a key here".into() } else { format!("expected a key before `{found}`") };
    invalid(message).help("write a key, such as `name`")
}

pub(crate) fn bad_key(raw: &str, place: Location) -> Diagnostic {
    let stray = raw.chars().find(|character| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-'));
    let message = match stray {
        Some(character) if character.is_whitespace() || character.is_control() => {
            format!("a key contains the invisible character U+{:04X}", character as u32)
        }
        Some(character) => format!("`{character}` is not allowed in a key without quotes"),
        None => "a key must not be empty".into(),
    };
    if raw.len() > LONGEST_QUOTED {
        return invalid(message).at(place).help("a bare key has only letters, digits, `_` and `-`; put others in quotes");
    }
    if raw.starts_with("//") {
        let comment = insert(Location::new(place.file, Span::new(place.span.start, place.span.start + 2)), "#");
        return invalid(message).at(place).help("a comment starts with `#`").fix("write `#`", Applicability::Safe, comment);
    }
    let text = quoted(raw);
    invalid(message)
        .at(place)
        .help(format!("a bare key has only letters, digits, `_` and `-`; put others in quotes: {text}"))
        .fix(format!("write `{text}`"), Applicability::Unsafe, insert(place, &text))
}

pub(crate) fn multiline_key() -> Diagnostic {
    invalid("a key can't be a multi-line string").help("write the key in single quotes, or without quotes")
}

pub(crate) fn empty_header() -> Diagnostic {
    invalid("empty table header").help("write `[name]`")
}

pub(crate) fn colon_in_header(place: Location) -> Diagnostic {
    invalid("a colon is not allowed in a header").at(place).help("delete it").fix(
        "delete the colon",
        Applicability::Safe,
        insert(place, ""),
    )
}

pub(crate) fn unclosed_header(header: &str, missing: &str, end: Location) -> Diagnostic {
    invalid(format!("unclosed header `{header}`")).help(format!("write `{header}{missing}`")).fix(
        format!("insert `{missing}`"),
        Applicability::Safe,
        insert(end, missing),
    )
}

pub(crate) fn after_header(rest: &str, place: Location) -> Diagnostic {
    let diagnostic = invalid("a header must be alone on its line").at(place);
    match rest.chars().next() {
        Some(']') => diagnostic.help("delete the bracket, or write two on both sides for an array of tables").fix(
            "delete the bracket",
            Applicability::Unsafe,
            insert(place, ""),
        ),
        _ => diagnostic.help("move what follows to the next line"),
    }
}

pub(crate) fn after_value(rest: &str, place: Location) -> Diagnostic {
    let diagnostic = invalid("unexpected text after a value").at(place);
    match rest.as_bytes() {
        b"," => diagnostic.help("delete the comma: entries of a table are separated by line ends").fix(
            "delete the comma",
            Applicability::Safe,
            insert(place, ""),
        ),
        [b',', ..] => diagnostic.help("put several values in brackets, `[1, 2]`; write a large number as `1_000`"),
        [b'/', b'/', ..] | [b'-', b'-', b' ', ..] => {
            let comment = insert(Location::new(place.file, Span::new(place.span.start, place.span.start + 2)), "#");
            diagnostic.help("a comment starts with `#`").fix("write `#`", Applicability::Safe, comment)
        }
        b";" => diagnostic.help("delete the `;`").fix("delete the `;`", Applicability::Safe, insert(place, "")),
        [b']' | b'}', ..] => diagnostic.help("delete the bracket, or add the opening one"),
        _ => diagnostic.help("put the whole value in quotes if it is a string, or start a new line for the next key"),
    }
}

pub(crate) fn stray(found: &str) -> Diagnostic {
    match found {
        "]" | "}" => invalid(format!("unmatched `{found}`")).help("delete it, or add the opening bracket"),
        "{" => invalid("a table without a key").help("write `key = { ... }`"),
        _ => invalid(format!("a line can't start with `{found}`")).help("write `key = value`"),
    }
}

pub(crate) fn unclosed_bracket(bracket: &str) -> Diagnostic {
    let closing = if bracket == "[" { "]" } else { "}" };
    invalid(format!("unclosed `{bracket}`")).help(format!("write `{closing}` at its end"))
}

pub(crate) fn extra_comma() -> Diagnostic {
    invalid("unexpected comma").help("delete the comma")
}

pub(crate) fn missing_comma(end: Location) -> Diagnostic {
    invalid("missing comma after this").help("put `,` between two items").fix("insert `,`", Applicability::Safe, insert(end, ","))
}

pub(crate) fn unclosed_string(raw: &str, multiline: bool, end: Location) -> Diagnostic {
    let quote = if multiline { &raw[..3] } else { &raw[..1] };
    let diagnostic = invalid("unterminated string").help(format!("write `{quote}` at its end"));
    if multiline || raw.contains('#') || raw.ends_with('\\') {
        return diagnostic;
    }
    // It ends with the mark of the other kind of string.
    let other = if quote == "'" { "\"" } else { "'" };
    if let Some(inner) = raw[1..].strip_suffix(other).filter(|inner| !inner.contains(['"', '\''])) {
        let last = Location::new(end.file, Span::new(end.span.start - 1, end.span.start));
        let help = format!("it begins with `{quote}`: write `{quote}{inner}{quote}`");
        return diagnostic.help(help).fix(format!("write `{quote}` at its end"), Applicability::Unsafe, insert(last, quote));
    }
    diagnostic.fix(format!("insert `{quote}`"), Applicability::Unsafe, insert(end, quote))
}

pub(crate) fn unknown_escape(escape: &str, whole: &str, place: Location) -> Diagnostic {
    let diagnostic = invalid(format!("invalid escape `{escape}`"))
        .help("write `\\\\` for a backslash, or use single quotes, where backslashes are literal");
    let literal = whole.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match literal.filter(|literal| !literal.starts_with('"') && !literal.contains(['\'', '\n'])) {
        Some(literal) => {
            diagnostic.fix("write it in single quotes", Applicability::Unsafe, insert(place, &format!("'{literal}'")))
        }
        None => diagnostic,
    }
}

pub(crate) fn bad_unicode(escape: &str) -> Diagnostic {
    invalid(format!("`{escape}` is not a character"))
        .help("write `\\\\` for a backslash, or use single quotes; `\\u` takes four hexadecimal digits, `\\U` eight")
}

pub(crate) fn control_in_string(character: char) -> Diagnostic {
    invalid(format!("a string contains the control character U+{:04X}", character as u32))
        .help(format!("write `\\u{:04X}` in a double-quoted string", character as u32))
}

pub(crate) fn control_in_comment(character: char) -> Diagnostic {
    invalid(format!("a comment contains the control character U+{:04X}", character as u32)).help("delete it")
}

pub(crate) fn carriage_return(count: usize) -> Diagnostic {
    let message = match count {
        1 => "a carriage return without a line feed".into(),
        _ => format!("{count} carriage returns without a line feed; this is the first"),
    };
    invalid(message).help("save the file with LF or CRLF line endings")
}

pub(crate) fn too_large() -> Diagnostic {
    invalid("the file has 4 GiB or more").help("write a smaller config")
}

pub(crate) fn long_integer(most: usize) -> Diagnostic {
    invalid(format!("an integer of more than {most} digits")).help("Python refuses to convert it; write a smaller number")
}

pub(crate) fn byte_order_mark(place: Location) -> Diagnostic {
    Diagnostic::new(&codes::INVALID_ENCODING, "the file starts with a byte order mark")
        .at(place)
        .help("save the file as UTF-8 without a byte order mark")
        .fix("delete the byte order mark", Applicability::Safe, insert(place, ""))
}

fn unsupported(message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(&codes::UNSUPPORTED_TOML, message).help(format!("tomli supports it from 2.4.0 on; {help}"))
}

pub(crate) fn broken_inline_table() -> Diagnostic {
    unsupported(
        "an inline table over several lines is TOML 1.1",
        "for older versions write it on one line, or as a table with a header",
    )
}

pub(crate) fn trailing_comma(place: Location) -> Diagnostic {
    unsupported("a trailing comma in an inline table is TOML 1.1", "for older versions delete the comma").at(place).fix(
        "delete the comma",
        Applicability::Safe,
        insert(place, ""),
    )
}

pub(crate) fn short_time(raw: &str) -> Diagnostic {
    unsupported(format!("`{raw}`, a time without seconds, is TOML 1.1"), "for older versions write the seconds: `07:32:00`")
}

pub(crate) fn new_escape(escape: &str) -> Diagnostic {
    let long = match escape.strip_prefix("\\x") {
        Some(digits) => format!("\\u00{digits}"),
        None => "\\u001B".into(),
    };
    unsupported(format!("the escape `{escape}` is TOML 1.1"), &format!("for older versions write `{long}`"))
}

/// The diagnostic for a bracket nested beyond [`MAX_DEPTH`](crate::MAX_DEPTH). `brackets` is the number of
/// brackets around its deepest value.
pub(crate) fn deep_value(brackets: usize) -> Diagnostic {
    deep(brackets > LOADER_DEPTH, "this value is nested too deep")
}

/// The diagnostic for a dotted key with more than [`MAX_DEPTH`](crate::MAX_DEPTH) parts.
pub(crate) fn deep_key(parts: usize, dialect: Dialect) -> Diagnostic {
    deep(parts > LOADER_DEPTH && dialect == Dialect::Toml11, "this key is nested too deep")
}

fn deep(refused: bool, message: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&codes::NESTED_TOO_DEEP, message);
    diagnostic.help = Some(if refused {
        format!("the loader stops at {LOADER_DEPTH} levels; use less nesting")
    } else {
        format!("the loader reads it, but cfg checks nothing beyond {} levels", crate::MAX_DEPTH)
    });
    if !refused {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}

/// The diagnostic for a key that conflicts with an earlier one.
pub(crate) fn conflict(key: &str, kind: ConflictKind, first: Location) -> Diagnostic {
    let key = key_text(key);
    let (code, message, help) = match kind {
        ConflictKind::DuplicateKey => (&codes::DUPLICATE_KEY, format!("duplicate key `{key}`"), "keep one of them"),
        ConflictKind::DuplicateTable => {
            (&codes::DUPLICATE_KEY, format!("duplicate table `{key}`"), "put all entries under one header")
        }
        ConflictKind::ExtendsTable => (
            &codes::DUPLICATE_KEY,
            format!("the table `{key}` is defined elsewhere and can't be extended by dotted keys"),
            "put the entry under the header of that table",
        ),
        ConflictKind::ValueAsTable => {
            (&codes::KEY_CONFLICT, format!("`{key}` is a table here, but already has a value"), "rename one of them")
        }
        ConflictKind::ExtendsInline => (
            &codes::KEY_CONFLICT,
            format!("`{key}` is an inline value and can't be extended"),
            "put the entries inside its brackets, or write it as a table with a header",
        ),
        ConflictKind::TableAsValue => {
            (&codes::KEY_CONFLICT, format!("`{key}` has a value here, but is already a table"), "rename one of them")
        }
        ConflictKind::TableAsArray => (
            &codes::KEY_CONFLICT,
            format!("`{key}` is an array of tables here, but already a single table"),
            "use the same brackets in both places",
        ),
        ConflictKind::ArrayAsTable => (
            &codes::KEY_CONFLICT,
            format!("`{key}` is a single table here, but already an array of tables"),
            "use the same brackets in both places",
        ),
    };
    Diagnostic::new(code, message).help(help).related(first, "first defined here")
}
