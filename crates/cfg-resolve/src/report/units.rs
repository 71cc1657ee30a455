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

/// A duration with its unit, in seconds.
pub(super) fn seconds(text: &str) -> Option<f64> {
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
    use super::{Value, bytes, seconds, step_of, table_in};

    #[test]
    fn nothing_but_the_table_of_a_text_is_written() {
        assert_eq!(table_in("{ n = 1 } # x").as_deref(), Some("{ n = 1 }"));
        assert_eq!(table_in("{ n = 1 }\n[inference]\nx = 1\n"), None);
        assert_eq!(table_in("{ n = 1 }\ngroup_size = 7"), None);
    }

    #[test]
    fn units_are_read() {
        for (text, number) in [("30m", Some(1800.0)), ("1.5 h", Some(5400.0)), ("90", Some(90.0)), ("soon", None)] {
            assert_eq!(seconds(text), number, "{text}");
        }
        for (text, number) in
            [("64GB", Some(64e9)), ("1 GiB", Some(1_073_741_824.0)), ("512m", Some(512e6)), ("8", None), ("64 GPUs", None)]
        {
            assert_eq!(bytes(text), number, "{text}");
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
