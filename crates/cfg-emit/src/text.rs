//! Dates and times, which keep no text of their own: it is read where they are written.

use cfg_compose::Origin;
use cfg_diag::Location;

/// The text that stands at a location.
pub type Texts<'a> = &'a dyn Fn(Location) -> Option<&'a str>;

/// A date or time as TOML writes it.
pub(crate) fn datetime(origin: Origin, texts: Texts<'_>) -> Option<&str> {
    texts(origin.place()?)
}

/// A date or time as Python's `isoformat` writes it, with `Z` for UTC as pydantic does.
pub(crate) fn iso(written: &str) -> String {
    let at = written.find(':').map_or(written.len(), |colon| colon.saturating_sub(2));
    let (date, rest) = written.split_at_checked(at).unwrap_or((written, ""));
    if rest.is_empty() {
        return date.to_owned();
    }
    let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at_checked(zone).unwrap_or((rest, ""));
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let seconds = if clock.matches(':').count() < 2 { ":00" } else { "" };
    let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let fraction = if digits == "000000" { String::new() } else { format!(".{digits}") };
    let zone = if matches!(zone, "z" | "+00:00" | "-00:00") { "Z" } else { zone };
    let separator = if date.is_empty() { "" } else { "T" };
    format!("{}{separator}{clock}{seconds}{fraction}{zone}", date.trim_end_matches(['T', 't', ' ']))
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn dates_are_written_as_pydantic_writes_them() {
        for (written, iso_form) in [
            ("1979-05-27", "1979-05-27"),
            ("07:32:00", "07:32:00"),
            ("07:32", "07:32:00"),
            ("1979-05-27 07:32:00z", "1979-05-27T07:32:00Z"),
            ("1979-05-27T00:32:00.5-07:00", "1979-05-27T00:32:00.500000-07:00"),
            ("1979-05-27T00:32:00.0000001+00:00", "1979-05-27T00:32:00Z"),
        ] {
            assert_eq!(iso(written), iso_form, "{written}");
        }
    }
}
