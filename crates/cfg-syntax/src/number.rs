//! Integers and floats.

use crate::{Integer, ValueKind};

/// The maximum number of decimal digits of an integer that Python reads. An integer in another radix may have any size.
pub const MAX_DIGITS: usize = 4300;

/// A bare value that looks like a number.
pub(crate) enum Number {
    Value(ValueKind),
    /// An integer with more than [`MAX_DIGITS`] decimal digits.
    TooLong,
    No,
}

pub(crate) fn read(text: &str) -> Number {
    if let Some(small) = small(text) {
        return Number::Value(ValueKind::Integer(Integer::Small(small)));
    }
    if let Some(float) = plain_float(text) {
        return Number::Value(ValueKind::Float(float));
    }
    match text.strip_prefix(['+', '-']).unwrap_or(text) {
        "inf" => return Number::Value(ValueKind::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY })),
        "nan" => return Number::Value(ValueKind::Float(f64::NAN)),
        _ => {}
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return if are_digits(digits, radix) { prefixed(&digits.replace('_', ""), radix) } else { Number::No };
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_whole = are_digits(whole, 10) && (whole == "0" || !whole.starts_with('0'));
    if !is_whole
        || fraction.is_some_and(|digits| !are_digits(digits, 10))
        || exponent.is_some_and(|digits| !are_digits(digits, 10))
    {
        return Number::No;
    }
    let is_float = fraction.is_some() || exponent.is_some();
    if text.contains('_') { decimal(&text.replace('_', ""), is_float) } else { decimal(text, is_float) }
}

/// The fast path for nearly all numbers of a config: a few digits and nothing else.
fn small(text: &str) -> Option<i64> {
    // An integer of this many digits fits into 64 bits.
    if !(1..=18).contains(&text.len()) || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.bytes().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| 10 * number + i64::from(byte - b'0')))
}

/// The fast path for most floats: digits, a point, and digits.
fn plain_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let point = bytes.iter().position(|byte| !byte.is_ascii_digit()).filter(|&at| bytes[at] == b'.')?;
    let fraction = &bytes[point + 1..];
    let is_plain =
        (point == 1 || !text.starts_with(['0', '.'])) && !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit);
    if is_plain { text.parse().ok() } else { None }
}

/// Whether the text consists of digits, with single underscores only between two of them.
fn are_digits(text: &str, radix: u32) -> bool {
    let mut after_digit = false;
    for byte in text.bytes() {
        let is_digit = (byte as char).is_digit(radix);
        if !(is_digit || byte == b'_' && after_digit) {
            return false;
        }
        after_digit = is_digit;
    }
    after_digit
}

fn decimal(text: &str, is_float: bool) -> Number {
    if is_float {
        return text.parse().map_or(Number::No, |float| Number::Value(ValueKind::Float(float)));
    }
    if let Ok(small) = text.parse() {
        return Number::Value(ValueKind::Integer(Integer::Small(small)));
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    if text.trim_start_matches('-').len() > MAX_DIGITS {
        return Number::TooLong;
    }
    Number::Value(ValueKind::Integer(Integer::Big(text.into())))
}

fn prefixed(digits: &str, radix: u32) -> Number {
    if let Ok(small) = i64::from_str_radix(digits, radix) {
        return Number::Value(ValueKind::Integer(Integer::Small(small)));
    }
    let digits = digits.trim_start_matches('0');
    // 10^4300 has 14,285 bits. A longer integer stays in hexadecimal: the time to convert it to decimal grows with the square of its length.
    let is_short = digits.len() * radix.ilog2() as usize <= 14_290;
    let digits = if is_short { to_decimal(digits, radix) } else { to_hexadecimal(digits, radix) };
    Number::Value(ValueKind::Integer(Integer::Big(digits.into())))
}

/// Converts digits of a radix that is a power of two to hexadecimal digits, with `0x` before them.
fn to_hexadecimal(digits: &str, radix: u32) -> String {
    let width = radix.ilog2();
    let (mut hexadecimal, mut bits, mut count) = (Vec::with_capacity(digits.len()), 0, 0);
    for digit in digits.bytes().rev().filter_map(|byte| (byte as char).to_digit(radix)) {
        bits |= digit << count;
        count += width;
        while count >= 4 {
            hexadecimal.extend(char::from_digit(bits & 0xF, 16));
            bits >>= 4;
            count -= 4;
        }
    }
    hexadecimal.extend(char::from_digit(bits, 16));
    let text: String = hexadecimal.into_iter().rev().collect();
    format!("0x{}", text.trim_start_matches('0'))
}

/// Converts digits of a small radix to decimal digits.
fn to_decimal(digits: &str, radix: u32) -> String {
    const BASE: u64 = 1_000_000_000;
    // Groups of nine decimal digits, the lowest first.
    let mut groups: Vec<u64> = vec![0];
    for digit in digits.bytes().filter_map(|byte| (byte as char).to_digit(radix)) {
        let mut carry = u64::from(digit);
        for group in &mut groups {
            let sum = *group * u64::from(radix) + carry;
            *group = sum % BASE;
            carry = sum / BASE;
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut groups = groups.iter().rev();
    let highest = groups.next().copied().unwrap_or(0);
    groups.fold(highest.to_string(), |text, group| text + &format!("{group:09}"))
}
