//! What texts state: durations, sizes, steps and tables.

use cfg_compose::{Integer, Value};
use cfg_diag::FileId;

use super::value::{is_on, whole, without_words};
use crate::emit::{key as quoted, string};

/// A number and its unit in small letters.
fn with_unit(text: &str) -> Option<(f64, String)> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|character: char| !(character.is_ascii_digit() || character == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then(|| (number, text[end..].trim().to_owned()))
}

/// A duration, in seconds: with its unit, several of those (`1h30m`, `PT1H`), or as a clock shows it (`00:30:00`).
pub(super) fn seconds(text: &str) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    if lower.len() > LONGEST_DURATION {
        return None;
    }
    if lower.contains(':') {
        let (days, clock) = lower.split_once('-').unwrap_or(("0", &lower));
        let parts: Vec<f64> = clock.split(':').map(|part| part.parse::<u32>().ok().map(f64::from)).collect::<Option<_>>()?;
        let [hours, minutes, seconds] = parts[..] else { return None };
        return Some(f64::from(days.parse::<u32>().ok()?) * 86400.0 + hours * 3600.0 + minutes * 60.0 + seconds);
    }
    let plain = lower.strip_prefix("pt").unwrap_or(&lower);
    // Each part begins where a digit follows a unit.
    let is_start = |at: &usize| {
        let before = plain[..*at].chars().next_back();
        plain[*at..].starts_with(|next: char| next.is_ascii_digit())
            && before.is_some_and(|before| before.is_ascii_alphabetic() || before == ' ')
    };
    let mut starts: Vec<usize> = (1..plain.len()).filter(|at| plain.is_char_boundary(*at)).filter(is_start).collect();
    starts.push(plain.len());
    let mut from = 0;
    let mut sum = 0.0;
    for to in starts {
        sum += of_one_unit(plain[from..to].trim())?;
        from = to;
    }
    Some(sum)
}

/// A duration with one unit, in seconds.
fn of_one_unit(text: &str) -> Option<f64> {
    let (number, unit) = with_unit(text)?;
    let unit = match &*unit {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86400.0,
        "ms" | "milliseconds" => 0.001,
        _ => return None,
    };
    Some(number * unit)
}

/// The longest text, in bytes, that is read as a duration.
const LONGEST_DURATION: usize = 64;

/// A text without what is said about its number: `~100`, `100+`, `1e-6 (default)`, `8 # GPUs`, `85 percent`.
pub(super) fn bare_number(text: &str) -> String {
    let end = text.find(['(', '#', '[']).unwrap_or(text.len());
    let bare = text[..end].trim().trim_start_matches(['~', '≈', '=']).trim_end_matches('+').trim();
    let percent = bare.strip_suffix("percent").or_else(|| bare.strip_suffix("pct"));
    percent.map_or_else(|| bare.to_owned(), |number| format!("{}%", number.trim()))
}

/// A size with its unit, in bytes.
pub(super) fn bytes(text: &str) -> Option<f64> {
    const THOUSANDS: [&str; 5] = ["", "k", "m", "g", "t"];
    let (number, unit) = with_unit(text)?;
    let (thousand, unit) = match unit.strip_suffix("ib") {
        Some(unit) => (1024.0_f64, unit),
        None => (1000.0, unit.strip_suffix('b').or(Some(&*unit)).filter(|unit| !unit.is_empty())?),
    };
    let power = THOUSANDS.iter().position(|known| *known == unit)?;
    Some(number * thousand.powi(i32::try_from(power).ok()?))
}

/// The number of the step from which a run goes on, by the path of its checkpoint or a word; -1 for the last one.
pub(super) fn step_of(value: &Value) -> Option<String> {
    match value {
        Value::Bool(true) => Some("-1".to_owned()),
        Value::Int(Integer::Small(step)) => Some(step.to_string()),
        Value::Str(text) => {
            let word = text.to_ascii_lowercase();
            // A single digit is the number of a step.
            if matches!(&*word, "latest" | "last" | "auto" | "newest" | "-1") || is_on(&word) && word.trim() != "1" {
                return Some("-1".to_owned());
            }
            // `1,000` is one number, not the last digits of a path.
            let number = cfg_syntax::quantity(&word, 1000.0).or_else(|| cfg_syntax::quantity(&without_words(&word), 1000.0));
            if let Some(step) = whole(number).filter(|step| *step >= 0) {
                return Some(step.to_string());
            }
            let last = word.trim_end_matches('/').rsplit('/').next()?;
            let digits = last.rsplit(|character: char| !character.is_ascii_digit()).next()?;
            (!digits.is_empty() && digits.len() < 10)
                .then(|| digits.trim_start_matches('0'))
                .map(|step| if step.is_empty() { "0".to_owned() } else { step.to_owned() })
        }
        _ => None,
    }
}

/// The inline table, as TOML, that a text contains as TOML or JSON.
pub(super) fn table_in(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with('{') || text.len() > MAX_TABLE {
        return None;
    }
    let whole = format!("x = {text}");
    let (document, faults) = cfg_syntax::parse(FileId(0), &whole, cfg_syntax::Dialect::Toml10);
    if faults.is_empty() {
        // Nothing may follow the table: it would become a part of the config.
        let [entry] = &document.root.entries[..] else { return None };
        entry.value.as_table()?;
        return whole.get(entry.value.span.range()).map(str::to_owned);
    }
    let json: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let plain = |value: &serde_json::Value| match value {
        serde_json::Value::Null | serde_json::Value::Object(_) | serde_json::Value::Array(_) => None,
        serde_json::Value::String(text) => Some(string(text)),
        other => Some(other.to_string()),
    };
    let pairs: Option<Vec<String>> =
        json.iter().map(|(key, value)| Some(format!("{} = {}", quoted(key), plain(value)?))).collect();
    Some(format!("{{ {} }}", pairs?.join(", ")))
}

/// The longest text, in bytes, that is read as a table.
const MAX_TABLE: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::{Value, bare_number, bytes, seconds, step_of, table_in};

    #[test]
    fn nothing_but_the_table_of_a_text_is_written() {
        assert_eq!(table_in("{ n = 1 } # x").as_deref(), Some("{ n = 1 }"));
        assert_eq!(table_in("{ n = 1 }\n[inference]\nx = 1\n"), None);
        assert_eq!(table_in("{ n = 1 }\ngroup_size = 7"), None);
    }

    #[test]
    fn units_are_read() {
        for (text, number) in [
            ("30m", Some(1800.0)),
            ("1.5 h", Some(5400.0)),
            ("90", Some(90.0)),
            ("soon", None),
            ("1h30m", Some(5400.0)),
            ("1 h 30 min", Some(5400.0)),
            ("PT1H", Some(3600.0)),
            ("00:30:00", Some(1800.0)),
            ("1-00:00:00", Some(86400.0)),
            ("30:00", None),
        ] {
            assert_eq!(seconds(text), number, "{text}");
        }
        for (text, number) in
            [("64GB", Some(64e9)), ("1 GiB", Some(1_073_741_824.0)), ("512m", Some(512e6)), ("8", None), ("64 GPUs", None)]
        {
            assert_eq!(bytes(text), number, "{text}");
        }
    }

    #[test]
    fn what_is_said_about_a_number_is_no_part_of_it() {
        for (text, bare) in
            [("~100", "100"), ("100+", "100"), ("1e-6 (default)", "1e-6"), ("8 # GPUs", "8"), ("85 percent", "85%")]
        {
            assert_eq!(bare_number(text), bare);
        }
    }

    #[test]
    fn a_step_is_a_number_or_the_end_of_a_path() {
        let step = |text: &str| step_of(&Value::Str(text.into()));
        for (text, number) in [("1,000", "1000"), ("1", "1"), ("0", "0"), ("a/step_20", "20"), ("on", "-1"), ("latest", "-1")] {
            assert_eq!(step(text).as_deref(), Some(number), "{text}");
        }
        assert_eq!(step("no"), None);
    }
}
