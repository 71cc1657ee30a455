//! Every sentence that this crate says, except on malformed values (see `unquoted`).

use std::fmt::Write as _;

use cfg_diag::{Applicability, Diagnostic, Edit, Location, Severity, codes};

use crate::Dialect;
use crate::tree::ConflictKind;

/// How many brackets, or parts of a key, tomli reads within each other: Python's default recursion limit.
const LOADER_DEPTH: usize = 1000;

fn invalid(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&codes::INVALID_TOML, message)
}

fn insert(location: Location, text: &str) -> Edit {
    Edit { location, new_text: text.into() }
}

/// The bytes of keys that need no quotes.
static BARE: [bool; 256] = {
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

/// A key as it is written.
pub(crate) fn key_text(text: &str) -> String {
    if is_bare(text) { text.into() } else { quoted(text) }
}

/// A string as it is written.
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
    invalid(format!("the value of `{key}` is on another line")).help("write it behind the `=`")
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

pub(crate) fn colon(key: &str, place: Location) -> Diagnostic {
    invalid(format!("`{key}` is followed by `:` instead of `=`")).at(place).help(format!("write `{key} = ...`")).fix(
        "write `=`",
        Applicability::Safe,
        insert(place, " ="),
    )
}

pub(crate) fn missing_key_part(found: &str) -> Diagnostic {
    let message =
        if found.trim().is_empty() { "a key is missing here".into() } else { format!("a key is missing before `{found}`") };
    invalid(message).help("write a key, such as `name`")
}

pub(crate) fn bad_key(raw: &str, place: Location) -> Diagnostic {
    let stray = raw.chars().find(|character| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-'));
    let message = match stray {
        Some(character) if character.is_whitespace() || character.is_control() => {
            format!("a key holds the invisible character U+{:04X}", character as u32)
        }
        Some(character) => format!("`{character}` is not allowed in a key without quotes"),
        None => "a key must not be empty".into(),
    };
    let text = quoted(raw);
    invalid(message).at(place).help(format!("a key has letters, digits, `_` and `-`; any other must be quoted: {text}")).fix(
        format!("write `{text}`"),
        Applicability::Unsafe,
        insert(place, &text),
    )
}

pub(crate) fn multiline_key() -> Diagnostic {
    invalid("a key can't be a string of several lines").help("write the key in single quotes or without any")
}

pub(crate) fn empty_header() -> Diagnostic {
    invalid("a header names no table").help("write `[name]`")
}

pub(crate) fn colon_in_header() -> Diagnostic {
    invalid("a colon is not allowed in a header").help("delete it")
}

pub(crate) fn unclosed_header(header: &str, missing: &str, end: Location) -> Diagnostic {
    invalid(format!("the header `{header}` is not closed")).help(format!("write `{header}{missing}`")).fix(
        format!("insert `{missing}`"),
        Applicability::Safe,
        insert(end, missing),
    )
}

pub(crate) fn after_header(rest: &str, place: Location) -> Diagnostic {
    let diagnostic = invalid("a header must be alone on its line").at(place);
    match rest.chars().next() {
        Some(']') => diagnostic.help("delete the bracket, or write two on both sides for an array of tables"),
        _ => diagnostic.help("move what follows to the next line"),
    }
}

pub(crate) fn after_value(rest: &str, place: Location) -> Diagnostic {
    let diagnostic = invalid("nothing may follow a value on its line").at(place);
    match rest.as_bytes() {
        b"," => diagnostic.help("delete the comma: entries of a table are separated by line ends").fix(
            "delete the comma",
            Applicability::Safe,
            insert(place, ""),
        ),
        [b',', ..] => diagnostic.help("several values need brackets, `[1, 2]`; a large number is written `1_000`"),
        [b'/', b'/', ..] => diagnostic.help("a comment starts with `#`"),
        [b']' | b'}', ..] => diagnostic.help("delete the bracket, or write the opening one"),
        _ => diagnostic.help("put the whole value in quotes if it is a string, or start a new line for the next key"),
    }
}

pub(crate) fn stray(found: &str) -> Diagnostic {
    match found {
        "]" | "}" => invalid(format!("`{found}` closes nothing")).help("delete it, or write the opening bracket"),
        "{" => invalid("a table without a key").help("write `key = { ... }`"),
        _ => invalid(format!("a line can't start with `{found}`")).help("write `key = value`"),
    }
}

pub(crate) fn unclosed_bracket(bracket: &str) -> Diagnostic {
    let closing = if bracket == "[" { "]" } else { "}" };
    invalid(format!("this `{bracket}` is never closed")).help(format!("write `{closing}` at its end"))
}

pub(crate) fn extra_comma() -> Diagnostic {
    invalid("there is nothing before this comma").help("delete the comma")
}

pub(crate) fn missing_comma(end: Location) -> Diagnostic {
    invalid("a comma is missing after this").help("write `,` between two items").fix(
        "insert `,`",
        Applicability::Safe,
        insert(end, ","),
    )
}

pub(crate) fn unclosed_string(raw: &str, multiline: bool, end: Location) -> Diagnostic {
    let quote = if multiline { &raw[..3] } else { &raw[..1] };
    let diagnostic = invalid("this string is never closed").help(format!("write `{quote}` at its end"));
    if multiline || raw.contains('#') || raw.ends_with('\\') {
        return diagnostic;
    }
    diagnostic.fix(format!("insert `{quote}`"), Applicability::Unsafe, insert(end, quote))
}

pub(crate) fn unknown_escape(escape: &str) -> Diagnostic {
    invalid(format!("`{escape}` is no escape"))
        .help("write `\\\\` for a backslash, or put the string in single quotes, where backslashes mean themselves")
}

pub(crate) fn bad_unicode(escape: &str) -> Diagnostic {
    invalid(format!("`{escape}` names no character")).help(
        "write `\\\\` for a backslash, or put the string in single quotes; a character has four hexadecimal digits after `\\u`, eight after `\\U`",
    )
}

pub(crate) fn control_in_string(character: char) -> Diagnostic {
    invalid(format!("a string holds the control character U+{:04X}", character as u32))
        .help(format!("write `\\u{:04X}` in a string in double quotes", character as u32))
}

pub(crate) fn control_in_comment(character: char) -> Diagnostic {
    invalid(format!("a comment holds the control character U+{:04X}", character as u32)).help("delete it")
}

pub(crate) fn carriage_return(count: usize) -> Diagnostic {
    let message = match count {
        1 => "a carriage return without a line feed".into(),
        _ => format!("{count} carriage returns without a line feed, the first of them here"),
    };
    invalid(message).help("save the file with line ends LF or CR LF")
}

pub(crate) fn too_large() -> Diagnostic {
    invalid("the file has 4 GiB or more").help("write a smaller config")
}

pub(crate) fn long_integer(most: usize) -> Diagnostic {
    invalid(format!("an integer of more than {most} digits")).help("Python refuses to convert it; write a smaller one")
}

pub(crate) fn byte_order_mark(place: Location) -> Diagnostic {
    Diagnostic::new(&codes::INVALID_ENCODING, "the file starts with a byte order mark")
        .at(place)
        .help("save the file as UTF-8 without a byte order mark")
        .fix("delete the byte order mark", Applicability::Safe, insert(place, ""))
}

fn unsupported(message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(&codes::UNSUPPORTED_TOML, message).help(format!("tomli reads it from 2.4.0 on; {help}"))
}

pub(crate) fn broken_inline_table() -> Diagnostic {
    unsupported(
        "an inline table over several lines is TOML 1.1",
        "for older ones write it on one line, or as a table with a header",
    )
}

pub(crate) fn trailing_comma(place: Location) -> Diagnostic {
    unsupported("a comma at the end of an inline table is TOML 1.1", "for older ones delete the comma").at(place).fix(
        "delete the comma",
        Applicability::Safe,
        insert(place, ""),
    )
}

pub(crate) fn short_time(raw: &str) -> Diagnostic {
    unsupported(format!("`{raw}`, a time without seconds, is TOML 1.1"), "for older ones write the seconds: `07:32:00`")
}

pub(crate) fn new_escape(escape: &str) -> Diagnostic {
    let long = match escape.strip_prefix("\\x") {
        Some(digits) => format!("\\u00{digits}"),
        None => "\\u001B".into(),
    };
    unsupported(format!("the escape `{escape}` is TOML 1.1"), &format!("for older ones write `{long}`"))
}

/// A bracket beyond the depth that is kept; the deepest value lies in `brackets` brackets.
pub(crate) fn deep_value(brackets: usize) -> Diagnostic {
    deep(brackets > LOADER_DEPTH, "this value is nested too deep")
}

/// A key beyond the depth that is kept.
pub(crate) fn deep_key(parts: usize, dialect: Dialect) -> Diagnostic {
    deep(parts > LOADER_DEPTH && dialect == Dialect::Toml11, "this key is nested too deep")
}

fn deep(refused: bool, message: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&codes::NESTED_TOO_DEEP, message);
    diagnostic.help = Some(if refused {
        format!("the loader gives up at {LOADER_DEPTH} levels; write it flatter")
    } else {
        format!("the loader reads it, but nothing beyond {} levels is checked here", crate::MAX_DEPTH)
    });
    if !refused {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}

/// A key that can't stand where it does.
pub(crate) fn conflict(key: &str, kind: ConflictKind, first: Location) -> Diagnostic {
    let key = key_text(key);
    let (code, message, help) = match kind {
        ConflictKind::DuplicateKey => (&codes::DUPLICATE_KEY, format!("`{key}` is defined twice"), "keep one of them"),
        ConflictKind::DuplicateTable => {
            (&codes::DUPLICATE_KEY, format!("the table `{key}` is defined twice"), "put all entries under one header")
        }
        ConflictKind::ExtendsTable => (
            &codes::DUPLICATE_KEY,
            format!("the table `{key}` is defined elsewhere and can't be extended by dotted keys"),
            "put the entry under the header of that table",
        ),
        ConflictKind::ValueAsTable => {
            (&codes::KEY_CONFLICT, format!("`{key}` is a table here, but has a value already"), "rename one of them")
        }
        ConflictKind::ExtendsInline => (
            &codes::KEY_CONFLICT,
            format!("`{key}` is complete already and can't be extended"),
            "put the entries inside its brackets, or write it with a header",
        ),
        ConflictKind::TableAsValue => {
            (&codes::KEY_CONFLICT, format!("`{key}` has a value here, but is a table already"), "rename one of them")
        }
        ConflictKind::TableAsArray => (
            &codes::KEY_CONFLICT,
            format!("`{key}` is an array of tables here, but a single table already"),
            "write the same brackets in both places",
        ),
        ConflictKind::ArrayAsTable => (
            &codes::KEY_CONFLICT,
            format!("`{key}` is a single table here, but an array of tables already"),
            "write the same brackets in both places",
        ),
    };
    Diagnostic::new(code, message).help(help).related(first, "first defined here")
}
