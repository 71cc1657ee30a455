//! The lines around a match: where they begin and end, and what of them is quoted.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr2, memrchr2};

use crate::{last_words::is_exception, matcher::LONG, prefix};

/// Of a line, at most this many bytes before and after a match are examined. Longer lines are examined in parts.
pub(crate) const REACH: usize = 8192;

/// These parts begin and end at multiples of this, so that neighbouring matches are in the same part.
const CELL: u64 = REACH as u64 / 2;

// A line that the scan examined as a whole is examined as a whole here, too.
const _: () = assert!(LONG <= REACH / 2);

/// The number of bytes before and after the beginning of a match that are quoted from a longer line.
const QUOTED: (usize, usize) = (100, 260);

/// The bounds of the line around a position in a buffer, or of the part of it that is examined. `base` is the buffer's position in the cleaned log.
pub(crate) fn bounds(buffer: &[u8], base: u64, at: usize) -> Range<usize> {
    let in_cell = usize::try_from((base + at as u64) % CELL).unwrap_or_default();
    let (before, behind) = (in_cell + REACH / 2, REACH - in_cell);
    let from = at.saturating_sub(before);
    let start = memrchr2(b'\n', b'\r', &buffer[from..at]).map_or(from, |found| from + found + 1);
    let to = buffer.len().min(at + behind);
    let end = memchr2(b'\n', b'\r', &buffer[at..to]).map_or(to, |found| at + found);
    start..end
}

/// The text of a part of a log. Much faster than `from_utf8_lossy` for valid text.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The quoted part of a line.
pub(crate) fn quoted(buffer: &[u8], at: usize, whole: Range<usize>) -> String {
    let Range { start, end } = whole;
    let (before, behind) = QUOTED;
    let is_short = end - start <= before + behind;
    let is_part = |byte: u8| byte & 0xc0 == 0x80;
    let (mut from, mut to) = if is_short { (start, end) } else { (start.max(at.saturating_sub(before)), end.min(at + behind)) };
    // Do not begin within a character.
    while from > start && is_part(buffer[from]) {
        from -= 1;
    }
    while to < end && is_part(buffer[to]) {
        to += 1;
    }
    let text = lossy(&buffer[from..to]);
    let (head, tail) = (if from > start { "..." } else { "" }, if to < end { "..." } else { "" });
    [head, text.trim(), tail].concat()
}

/// The quoted part of a line, with the reason that an exception gives in the line below it: `BackendCompilerFailed: backend='inductor' raised:`.
pub(crate) fn message(buffer: &[u8], at: usize, whole: Range<usize>) -> String {
    let end = whole.end;
    let text = quoted(buffer, at, whole);
    let own = prefix::line(&text);
    let below = reason_below(own.text, &own.who(), &buffer[end..]);
    below.map_or_else(|| text.clone(), |reason| format!("{text} {reason}"))
}

/// What an exception that announces its reason says in the lines below, which begin with a line break: the next line, or for pydantic's list of errors
/// the first of them. `who` wrote the exception.
pub(crate) fn reason_below(exception: &str, who: &str, below: &[u8]) -> Option<String> {
    let exception = exception.trim();
    let is_list = is_list_of_errors(exception);
    if !(exception.ends_with(':') || is_list) || !is_exception(exception) {
        return None;
    }
    let mut rest = below;
    let first = line_below(who, &mut rest)?;
    let reason = if is_list && !first.starts_with(' ') {
        let what = line_below(who, &mut rest).filter(|what| what.starts_with("  "));
        what.map_or_else(|| first.clone(), |what| format!("{first}: {}", what.trim()))
    } else {
        first
    };
    Some(reason.trim().chars().take(QUOTED.1).collect())
}

/// Whether an exception is pydantic's: `ValidationError: 2 validation errors for Trace`. Each error stands in two lines below it, its place and what is wrong.
fn is_list_of_errors(exception: &str) -> bool {
    let Some((before, _)) = exception.split_once(" validation error") else { return false };
    before.rsplit(' ').next().is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The next line behind a line break, without what stands before its message, if it can be a part of the message above. Lines of other processes may be
/// between them.
fn line_below(who: &str, rest: &mut &[u8]) -> Option<String> {
    for _ in 0..prefix::SHOWN {
        let below = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
        let end = memchr2(b'\n', b'\r', &below[..below.len().min(REACH)])?;
        let whole = String::from_utf8_lossy(&below[..end]);
        *rest = &below[end..];
        let found = prefix::line(&whole);
        let speaker = found.who();
        if speaker.is_empty() || speaker == who {
            let text = found.text.trim();
            let is_part = found.level == prefix::Level::None && !text.is_empty() && !text.starts_with("Traceback (most");
            return is_part.then(|| found.text.to_owned());
        }
    }
    None
}

/// Whether a line is the source below the place of a traceback: `    raise GatedRepoError(message)`.
pub(crate) fn is_source(buffer: &[u8], whole: Range<usize>) -> bool {
    let text = |line: Range<usize>| String::from_utf8_lossy(&buffer[line]).into_owned();
    let start = whole.start;
    if !prefix::line(&text(whole)).text.starts_with("    ") || start == 0 {
        return false;
    }
    prefix::line(&text(bounds(buffer, 0, start - 1))).text.trim_start().starts_with("File \"")
}
