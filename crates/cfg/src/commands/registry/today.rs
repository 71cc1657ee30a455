//! Conversions of days.

pub(crate) use cfg_project::days_between;
use cfg_system::Host;

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Today in UTC, `2026-01-05`, or the day of `SOURCE_DATE_EPOCH` if that is set.
pub(crate) fn today(host: &dyn Host) -> String {
    let stated = host.variable("SOURCE_DATE_EPOCH").and_then(|seconds| seconds.to_str()?.parse().ok());
    day(stated.unwrap_or_else(|| host.now().as_secs()))
}

/// The day of a time in seconds since 1970.
pub(super) fn day(seconds: u64) -> String {
    // Years are counted from March, so that the leap day is the last day of a year. A period of 400 years has 146,097 days.
    let days = (seconds / SECONDS_OF_A_DAY).saturating_add(719_468);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::{day, days_between};

    #[test]
    fn days_are_counted() {
        for (seconds, days) in [(0_u64, 0), (951_782_400, 11_016), (1_767_225_600, 20_454), (4_107_542_400, 47_541)] {
            assert_eq!(days_between("1970-01-01", &day(seconds)), Some(days));
        }
        assert_eq!(days_between("2026-01-05T10:00", "2026-01-04"), Some(-1));
        for none in ["", "soon", "2026-13-01", "2026-1-1", "2026-01-32", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}"] {
            assert_eq!(days_between(none, "2026-01-05"), None, "{none}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (68_169_599, "1972-02-28"),
            (68_255_999, "1972-02-29"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_767_225_599, "2025-12-31"),
            (1_767_225_600, "2026-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds), expected);
        }
    }
}
