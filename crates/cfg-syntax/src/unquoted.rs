//! Guesses what a malformed value was meant to be.

use cfg_diag::{Applicability, Diagnostic, Edit, Location, codes};

use crate::faults::quoted;
use crate::{Dialect, datetime, meant, scalar};

/// Explains the malformed value `raw`; `thousand` is what `k` stands for in it.
pub(crate) fn explain(raw: &str, place: Location, thousand: f64) -> Diagnostic {
    let found = ends_wrongly(raw, thousand).or_else(|| word(raw)).or_else(|| of_another_language(raw, thousand));
    let found = found.or_else(|| starts_wrongly(raw)).or_else(|| number(raw));
    let found = found.unwrap_or_else(|| {
        let explanation = Explanation::new("strings must be quoted").help(format!("write {}", quoted(raw)));
        if is_name(raw) { explanation.sure(quoted(raw)) } else { explanation.unsure(quoted(raw)) }
    });
    let mut diagnostic = Diagnostic::new(&codes::INVALID_TOML, found.message).at(place);
    diagnostic.help = found.help;
    if let Some((new_text, applicability)) = found.replacement {
        let title = format!("write `{new_text}`");
        diagnostic = diagnostic.fix(title, applicability, Edit { location: place, new_text });
    }
    diagnostic
}

struct Explanation {
    message: String,
    help: Option<String>,
    replacement: Option<(String, Applicability)>,
}

impl Explanation {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, replacement: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn unsure(mut self, text: impl Into<String>) -> Self {
        self.replacement = Some((text.into(), Applicability::Unsafe));
        self
    }

    fn sure(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.help.get_or_insert_with(|| format!("write `{text}`"));
        self.replacement = Some((text, Applicability::Safe));
        self
    }
}

/// Words that have a meaning in other languages.
fn word(raw: &str) -> Option<Explanation> {
    let unsigned = raw.strip_prefix(['+', '-']).unwrap_or(raw);
    let sign = &raw[..raw.len() - unsigned.len()];
    let lower = unsigned.to_ascii_lowercase();
    match &*lower {
        "true" | "false" if sign.is_empty() => Some(Explanation::new(format!("`{raw}` must be lowercase")).sure(lower)),
        "yes" | "no" | "on" | "off" if sign.is_empty() => {
            let value = if matches!(&*lower, "yes" | "on") { "true" } else { "false" };
            Some(
                Explanation::new(format!("`{raw}` is not a TOML value"))
                    .help(format!("write `{value}`, or quote it if it is a string"))
                    .unsure(value),
            )
        }
        "t" | "tr" | "tru" | "f" | "fa" | "fal" | "fals" if sign.is_empty() => {
            let value = if lower.starts_with('t') { "true" } else { "false" };
            Some(
                Explanation::new(format!("`{raw}` is not a TOML value"))
                    .help(format!("write `{value}`, or quote it if it is a string: {}", quoted(raw)))
                    .unsure(value),
            )
        }
        "none" | "null" | "nil" | "undefined" | "~" if sign.is_empty() => Some(
            Explanation::new(format!("TOML has no `{raw}`"))
                .help("remove the key for its default; to set it to null, prime-rl accepts the string \"None\"")
                .unsure("\"None\""),
        ),
        "inf" | "infinity" => Some(Explanation::new(format!("write infinity as `{sign}inf`")).sure(format!("{sign}inf"))),
        "nan" => Some(Explanation::new(format!("write not-a-number as `{sign}nan`")).sure(format!("{sign}nan"))),
        _ => None,
    }
}

/// Values that Python, a shell or a calculator knows.
fn of_another_language(raw: &str, thousand: f64) -> Option<Explanation> {
    if let Some(value) = meant::of_python(raw) {
        return Some(Explanation::new(format!("`{raw}` is Python, not TOML")).help(format!("write {value}")).unsure(value));
    }
    if let Some(number) = quantity_text(raw, thousand) {
        let help = format!("write the number, {number}, or quote the string: {}", quoted(raw));
        let unit = raw.trim_start_matches(|character: char| character.is_ascii_digit() || matches!(character, '.' | '_'));
        let has_unit = unit.starts_with(|character: char| character.is_ascii_alphabetic());
        let what = if has_unit { "a number" } else { "a TOML value" };
        return Some(Explanation::new(format!("`{raw}` is not {what}")).help(help).unsure(number));
    }
    let (name, default) = meant::variable(raw)?;
    let explanation = Explanation::new(format!("`{raw}` is not expanded: TOML has no variables"));
    Some(match default {
        Some(default) => explanation.help(format!("write the value itself: {}", quoted(default))).unsure(quoted(default)),
        None => explanation.help(format!("write the value of `{name}` itself, or pass it as a flag of the command")),
    })
}

/// The number that a text with a unit or an operator is, as TOML writes it.
pub(crate) fn quantity_text(raw: &str, thousand: f64) -> Option<String> {
    // What is nearly a number or a date has an explanation of its own.
    let is_plain = raw.bytes().all(|byte| byte.is_ascii_digit() || b"._,+-eE:".contains(&byte));
    let number = meant::quantity(raw, thousand).filter(|_| !is_plain && !datetime::starts_like_date(raw))?;
    Some(meant::number_text(number))
}

/// Malformed values whose first characters show what was intended.
fn starts_wrongly(raw: &str) -> Option<Explanation> {
    const QUOTES: [char; 9] = ['“', '”', '„', '‟', '‘', '’', '‚', '«', '»'];
    let first = raw.chars().next()?;
    if QUOTES.contains(&first) {
        let is_quote = |character: char| QUOTES.contains(&character) || character == '"';
        let inner = raw.trim_matches(is_quote);
        let explanation =
            Explanation::new("curly quotes do not delimit a string").help(format!("use straight quotes: {}", quoted(inner)));
        let is_whole = raw.ends_with(is_quote) && !inner.contains(is_quote);
        return Some(if is_whole { explanation.sure(quoted(inner)) } else { explanation.unsure(quoted(inner)) });
    }
    if !first.is_ascii() && (first.is_whitespace() || matches!(first, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')) {
        let code = first as u32;
        let rest = raw.trim_start_matches(first);
        return Some(
            Explanation::new(format!("there is an invisible character (U+{code:04X}) before the value"))
                .help("delete it")
                .unsure(rest),
        );
    }
    match first {
        '=' => {
            let rest = raw.trim_start_matches(['=', ' ', '\t']);
            Some(Explanation::new("one `=` too many").help("write a single `=` between key and value").unsure(rest))
        }
        '>' => {
            let rest = raw.trim_start_matches(['>', ' ', '\t']);
            Some(Explanation::new("`=>` is not TOML").help("write a single `=` between key and value").unsure(rest))
        }
        '(' => Some(Explanation::new("TOML has no parentheses").help("write an array with `[` and `]`")),
        ',' => Some(Explanation::new("missing value before this comma").help("write a value, or delete the comma")),
        ']' | '}' => Some(Explanation::new(format!("unmatched `{first}`")).help("write a value instead")),
        '`' => {
            let inner = raw.trim_matches('`');
            Some(
                Explanation::new("backticks do not delimit a string")
                    .help(format!(
                        "write \
                    {}",
                        quoted(inner)
                    ))
                    .unsure(quoted(inner)),
            )
        }
        _ => None,
    }
}

/// Characters that end statements and items in other languages.
fn ends_wrongly(raw: &str, thousand: f64) -> Option<Explanation> {
    let end = raw.chars().next_back().filter(|end| matches!(end, ';' | ','))?;
    let rest = raw.trim_end_matches([';', ',', ' ', '\t']);
    let message = format!("a line of TOML has no `{end}` at its end");
    if is_number(rest) || matches!(rest, "true" | "false") {
        return Some(Explanation::new(message).sure(rest));
    }
    let found = word(rest).or_else(|| of_another_language(rest, thousand)).or_else(|| starts_wrongly(rest));
    match found {
        Some(found) => found.replacement.is_some().then_some(found),
        None if is_name(rest) => Some(Explanation::new(message).help(format!("write {}", quoted(rest))).sure(quoted(rest))),
        None => None,
    }
}

/// Whether it is a single word, such as the name of a model, optimizer or folder. It can only have been
/// meant as a string.
fn is_name(raw: &str) -> bool {
    raw.starts_with(|first: char| first.is_ascii_alphabetic())
        && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
}

/// Numbers and dates that are nearly valid.
fn number(raw: &str) -> Option<Explanation> {
    let unsigned = raw.strip_prefix(['+', '-']).unwrap_or(raw);
    let sign = &raw[..raw.len() - unsigned.len()];
    let starts_with_digit = unsigned.starts_with(|character: char| character.is_ascii_digit());
    if datetime::starts_like_date(raw) || datetime::starts_like_time(raw) {
        return Some(
            Explanation::new(format!("`{raw}` is not a valid date or time"))
                .help("write a date like 2026-01-31, or quote it as a string"),
        );
    }
    if !starts_with_digit && !unsigned.starts_with('.') {
        return None;
    }
    if let Some(prefix) = unsigned.get(..2).filter(|prefix| matches!(&*prefix.to_ascii_lowercase(), "0x" | "0o" | "0b")) {
        let lower = prefix.to_ascii_lowercase();
        let plain = format!("{lower}{}", &unsigned[2..]);
        if is_number(&plain) {
            let message = if sign.is_empty() {
                format!("`{prefix}` must be lowercase")
            } else {
                format!("a number with `{lower}` can't have a sign")
            };
            let explanation = Explanation::new(message);
            return Some(if sign == "-" {
                explanation.help("write negative numbers in decimal")
            } else {
                explanation.sure(plain)
            });
        }
    }
    if unsigned.contains('_') {
        let plain = raw.replace('_', "");
        if is_number(&plain) {
            return Some(Explanation::new("an underscore in a number must be between two digits").sure(plain));
        }
    }
    let without_zeros = unsigned.trim_start_matches('0');
    if without_zeros.len() < unsigned.len() {
        let zero = if without_zeros.starts_with(|character: char| character.is_ascii_digit()) { "" } else { "0" };
        let plain = format!("{sign}{zero}{without_zeros}");
        if is_number(&plain) {
            return Some(
                Explanation::new("a number must not start with 0")
                    .help(format!("write `{plain}`, or `0o...` for octal"))
                    .unsure(plain),
            );
        }
    }
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, String::new()), |(mantissa, rest)| (mantissa, format!("e{rest}")));
    let zero = if mantissa.starts_with('.') { "0" } else { "" };
    let last = if mantissa.ends_with('.') { "0" } else { "" };
    let plain = format!("{sign}{zero}{mantissa}{last}{exponent}");
    if is_number(&plain) {
        return Some(Explanation::new("a float must have digits on both sides of the point").sure(plain));
    }
    let digits = unsigned.trim_start_matches(|character: char| character.is_ascii_digit() || matches!(character, '.' | '_'));
    starts_with_digit.then(|| {
        let text = quoted(raw);
        if digits.starts_with(|character: char| character.is_ascii_alphabetic()) {
            Explanation::new(format!("`{raw}` is not a number"))
                .help(format!("write the number in full, or quote the string: {text}"))
                .unsure(text)
        } else {
            Explanation::new(format!("`{raw}` is not a TOML value"))
                .help(format!("if it is a string, quote it: {text}"))
                .unsure(text)
        }
    })
}

fn is_number(text: &str) -> bool {
    matches!(scalar::read(text, Dialect::Toml11), scalar::Scalar::Value(_))
}
