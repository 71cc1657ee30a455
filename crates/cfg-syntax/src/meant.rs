//! What a value that TOML does not have was meant to be: a number with a unit, a product, a value as Python writes it.

use crate::{Dialect, scalar};

/// The maximum length of a text that is looked through, in bytes.
const LONGEST: usize = 256;

/// What `k` multiplies a value of this key with: 1024 for tokens and sizes, of which 8k are 8192, and 1000 for what is counted otherwise, such as steps.
pub fn thousand(key: &str) -> f64 {
    // Each value has a key, so its bytes are looked at once for all of these words.
    let bytes = key.as_bytes();
    let begins = |at: usize| {
        let words: &[&[u8]] = match bytes[at] {
            b'l' => &[b"len"],
            b't' => &[b"token"],
            b'c' => &[b"context"],
            b's' => &[b"seq", b"size"],
            _ => return false,
        };
        words.iter().any(|word| bytes[at..].starts_with(word))
    };
    if (0..bytes.len()).any(begins) { 1024.0 } else { 1000.0 }
}

/// The number that a text states: with a unit that scales it or says what is counted (`4k`, `90%`, `50 steps`), or as a product, sum or power
/// (`4 * 1024`, `2**12`). `thousand` is what `k` stands for.
pub fn quantity(text: &str, thousand: f64) -> Option<f64> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    if let Some(result) = Arithmetic::read(text) {
        return Some(result);
    }
    let end = text.find(|character: char| !(character.is_ascii_digit() || "._,+-eE".contains(character))).unwrap_or(text.len());
    // An exponent has digits.
    let digits = text[..end].trim_end_matches(['e', 'E']);
    let unit = text[digits.len()..].trim().to_ascii_lowercase();
    let without_marks = || digits.chars().filter(|character| !"_,".contains(*character)).collect();
    let plain: String = with_point(digits).unwrap_or_else(without_marks);
    let number: f64 = plain.parse().ok()?;
    let scale = match &*unit {
        "" | "tokens" | "token" | "steps" | "step" | "rollouts" | "rollout" | "samples" | "gpus" | "gpu" => 1.0,
        "k" | "k tokens" | "k steps" | "k samples" => thousand,
        "ki" => 1024.0,
        "m" | "m tokens" => thousand * thousand,
        // As C and Java write a float, which has a point or an exponent.
        "f" if digits.contains(['.', 'e', 'E']) => 1.0,
        "%" => return Some(number / 100.0),
        _ => return None,
    };
    number.is_finite().then_some(number * scale)
}

/// The number that is written with commas between its groups of three digits: `1,000`.
pub(crate) fn grouped(text: &str) -> Option<String> {
    let mut groups = text.trim().split(',');
    let first = groups.next().filter(|first| (1..=3).contains(&first.len()) && !first.starts_with('0'))?;
    let rest: Vec<&str> = groups.collect();
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = !rest.is_empty() && is_digits(first) && rest.iter().all(|group| group.len() == 3 && is_digits(group));
    is_number.then(|| std::iter::once(first).chain(rest).collect())
}

/// The number that is written with a comma in place of its point: `0,8`.
pub(crate) fn with_point(text: &str) -> Option<String> {
    let (whole, fraction) = text.trim().split_once(',')?;
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // Three digits behind a comma may be thousands.
    let is_fraction = whole == "0" || fraction.len() != 3;
    (is_digits(whole) && is_digits(fraction) && is_fraction && (whole == "0" || !whole.starts_with('0')))
        .then(|| format!("{whole}.{fraction}"))
}

/// A number as TOML writes it: without a fraction as an integer.
pub(crate) fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number}") } else { format!("{number:?}") }
}

/// The TOML of a value that Python writes in another way: a tuple, a `dict`, a constructor of a single value, a string with a prefix.
pub(crate) fn of_python(raw: &str) -> Option<String> {
    let raw = raw.trim().trim_end_matches(',');
    if raw.len() > LONGEST {
        return None;
    }
    if let Some(body) = raw.strip_prefix(['u', 'r', 'f', 'b', 'U', 'R', 'F', 'B']).filter(|body| is_string(body)) {
        let is_filled_in = raw.starts_with(['f', 'F']) && body.contains('{');
        return (!is_filled_in && !body.contains('\\')).then(|| body.to_owned());
    }
    let (name, rest) = raw.split_once('(')?;
    let inner = rest.strip_suffix(')')?.trim().trim_end_matches(',');
    if inner.contains(['(', ')', '[', ']', '{', '}']) {
        return None;
    }
    match name {
        "" | "tuple" | "list" | "set" => {
            let items: Option<Vec<String>> = inner.split(',').map(value).collect();
            items.filter(|items| items.len() > 1).map(|items| format!("[{}]", items.join(", ")))
        }
        "dict" => {
            let entry = |entry: &str| {
                let (key, text) = entry.split_once('=')?;
                crate::faults::is_bare(key.trim()).then(|| Some(format!("{} = {}", key.trim(), value(text)?)))?
            };
            let entries: Option<Vec<String>> = inner.split(',').map(entry).collect();
            entries.map(|entries| format!("{{ {} }}", entries.join(", ")))
        }
        "int" | "float" | "bool" => {
            let text = inner.trim_matches(['"', '\'']);
            is_scalar(text).then(|| text.to_owned()).or_else(|| value(text))
        }
        "str" | "Path" | "pathlib.Path" | "PosixPath" => is_string(inner).then(|| inner.to_owned()),
        _ => None,
    }
}

/// The variable that a text asks a shell to fill in: `$NAME`, `${NAME}`, `${NAME:-default}`, with the default; `${oc.env:NAME,default}` too.
pub fn variable(raw: &str) -> Option<(&str, Option<&str>)> {
    let rest = raw.strip_prefix('$')?;
    let (name, default) = match rest.strip_prefix('{') {
        Some(rest) => {
            let inner = rest.strip_suffix('}')?;
            // As OmegaConf writes it: `${oc.env:NAME,default}`.
            if let Some(asked) = inner.strip_prefix("oc.env:") {
                asked.split_once(',').map_or((asked, None), |(name, value)| (name, Some(value.trim())))
            } else {
                inner
                    .split_once(":-")
                    .or_else(|| inner.split_once(':'))
                    .map_or((inner, None), |(name, value)| (name, Some(value)))
            }
        }
        None => (rest, None),
    };
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, default))
}

/// A single value of Python as TOML.
fn value(text: &str) -> Option<String> {
    let text = text.trim();
    match text {
        "True" => Some("true".to_owned()),
        "False" => Some("false".to_owned()),
        _ => (is_scalar(text) || is_string(text)).then(|| text.to_owned()),
    }
}

fn is_scalar(text: &str) -> bool {
    matches!(scalar::read(text, Dialect::Toml11), scalar::Scalar::Value(_))
}

/// Whether a text is one string in quotes, without any within.
fn is_string(text: &str) -> bool {
    ['"', '\''].iter().any(|quote| {
        let inner = text.strip_prefix(*quote).and_then(|rest| rest.strip_suffix(*quote));
        inner.is_some_and(|inner| !inner.contains(*quote) && !inner.contains('\n'))
    })
}

/// Reads a sum of products of powers.
struct Arithmetic<'t> {
    rest: &'t str,
    operators: usize,
}

impl<'t> Arithmetic<'t> {
    /// The result, if the text has an operator. A date is not a difference: that has blanks around its sign.
    fn read(text: &'t str) -> Option<f64> {
        let mut own = Self { rest: text, operators: 0 };
        let result = own.sum()?;
        let is_whole = own.rest.trim().is_empty() && own.operators > 0 && text.matches('/').count() < 2;
        (is_whole && result.is_finite()).then_some(result)
    }

    fn eat(&mut self, operator: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(operator.trim_start());
        let is_there = if operator.starts_with(' ') { self.rest.starts_with(operator) } else { rest.is_some() };
        if let Some(rest) = rest.filter(|_| is_there) {
            (self.rest, self.operators) = (rest, self.operators + 1);
        }
        is_there && rest.is_some()
    }

    fn sum(&mut self) -> Option<f64> {
        let mut sum = self.product()?;
        loop {
            if self.eat(" + ") {
                sum += self.product()?;
            } else if self.eat(" - ") {
                sum -= self.product()?;
            } else {
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut product = self.power()?;
        loop {
            if self.eat("*") || self.eat("×") {
                product *= self.power()?;
            } else if self.eat("/") {
                product /= self.power()?;
            } else if self.eat("<<") {
                product *= 2_f64.powf(self.power()?);
            } else {
                return Some(product);
            }
        }
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.number()?;
        if self.eat("**") || self.eat("^") { Some(base.powf(self.number()?)) } else { Some(base) }
    }

    fn number(&mut self) -> Option<f64> {
        let text = self.rest.trim_start();
        let is_part = |(at, byte): (usize, u8)| {
            byte.is_ascii_digit()
                || matches!(byte, b'.' | b'_' | b'e' | b'E')
                || byte == b'-' && (at == 0 || matches!(text.as_bytes()[at - 1], b'e' | b'E'))
        };
        let end = text.bytes().enumerate().position(|part| !is_part(part)).unwrap_or(text.len());
        self.rest = &text[end..];
        text[..end].replace('_', "").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, of_python, quantity, variable};

    #[test]
    fn groups_of_digits_are_one_number() {
        for (text, expected) in
            [("1,000", Some("1000")), ("12,345,678", Some("12345678")), ("1,2", None), ("0,100", None), ("1000", None)]
        {
            assert_eq!(grouped(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_with_units_and_products_are_read() {
        for (text, expected) in [
            ("4k", Some(4096.0)),
            ("8K", Some(8192.0)),
            ("50 steps", Some(50.0)),
            ("1,024", Some(1024.0)),
            ("1e-5", Some(1e-5)),
            ("90%", Some(0.9)),
            ("4 * 1024", Some(4096.0)),
            ("4*1024", Some(4096.0)),
            ("2**12", Some(4096.0)),
            ("2^12", Some(4096.0)),
            ("1 << 12", Some(4096.0)),
            ("1024 + 2 * 512", Some(2048.0)),
            ("1/2", Some(0.5)),
            ("1e-5 * 2", Some(2e-5)),
            ("2026-1-31", None),
            ("10/31/2026", None),
            ("1/0", None),
            ("4 *", None),
            ("* 4", None),
            ("eight", None),
            ("1h", None),
            ("512x", None),
            ("1M", Some(1_048_576.0)),
            ("2e-5f", Some(2e-5)),
            ("0,7", Some(0.7)),
            ("1,5", Some(1.5)),
            ("1,500", Some(1500.0)),
            ("2f", None),
            ("", None),
        ] {
            assert_eq!(quantity(text, 1024.0), expected, "{text}");
        }
        assert_eq!(quantity("1k", super::thousand("max_steps")), Some(1000.0));
        assert_eq!(quantity("8k", super::thousand("seq_len")), Some(8192.0));
    }

    #[test]
    fn values_of_python_are_written_as_toml() {
        for (raw, toml) in [
            ("(0.9, 0.95)", Some("[0.9, 0.95]")),
            ("('a', 'b')", Some("['a', 'b']")),
            ("dict(lr=1e-6, nesterov=True)", Some("{ lr = 1e-6, nesterov = true }")),
            ("float(\"inf\")", Some("inf")),
            ("int(5)", Some("5")),
            ("Path(\"out/x\")", Some("\"out/x\"")),
            ("u'x'", Some("'x'")),
            ("f\"x\"", Some("\"x\"")),
            ("f\"{x}\"", None),
            ("dict(lr=f(1))", None),
            ("max(1, 2)", None),
            ("x", None),
        ] {
            assert_eq!(of_python(raw).as_deref(), toml, "{raw}");
        }
    }

    #[test]
    fn variables_of_a_shell_are_known() {
        assert_eq!(variable("${MODEL:-Qwen/x}"), Some(("MODEL", Some("Qwen/x"))));
        assert_eq!(variable("$MODEL"), Some(("MODEL", None)));
        assert_eq!(variable("$5"), Some(("5", None)));
        assert_eq!(variable("${a b}"), None);
    }
}
