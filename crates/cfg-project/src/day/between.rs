//! The number of days between two days.

/// The number of days between two days, each in the form `2026-01-05`; `None` if one of them is not a day.
pub fn days_between(from: &str, to: &str) -> Option<i64> {
    Some(number(to)? - number(from)?)
}

/// The number of days from a fixed day to this one.
fn number(day: &str) -> Option<i64> {
    let mut parts = day.get(..10)?.split('-').map(|part| part.parse::<i64>().ok().filter(|number| *number >= 0));
    let (year, month, of_month) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&of_month) {
        return None;
    }
    let (year, month_from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month_from_march + 2) / 5 + of_month - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year)
}
