//! Commits between two releases that are close to each other: who states nothing runs one of the releases.

use cfg_project::days_between;
use cfg_schema::{Commit, History, Point};

/// The maximum number of days for which commits know a file, if it is rather for a release.
const FEW_DAYS: i64 = 7;

/// The maximum number of days between the two releases. For months without a release, the main line was what was used.
const CLOSE: i64 = 45;

/// Whether a range of points covers only a few days between two releases that are close to each other, and `day`, on which the file was used, is none
/// of them.
pub(super) fn is_of_few_days(history: History, (first, last): (Point, Point), day: Option<&str>) -> bool {
    let before = history.releases().rfind(|release| release.point() < first);
    let after = history.releases().find(|release| release.point() >= first).filter(|release| release.point() > last);
    let Some((before, after)) = before.zip(after) else { return false };
    let day_of = |point: Point| history.commit_of(point).map_or("", Commit::day);
    let (start, end) = (day_of(first), day_of(Point(last.0 + 1)));
    let is_at_most = |from: &str, to: &str, days: i64| days_between(from, to).is_some_and(|between| between <= days);
    let is_near = |day: &str| is_at_most(day, start, FEW_DAYS) && is_at_most(end, day, FEW_DAYS);
    is_at_most(before.day(), after.day(), CLOSE) && is_at_most(start, end, FEW_DAYS) && !day.is_some_and(is_near)
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Target};

    use super::is_of_few_days;

    #[test]
    fn commits_of_a_few_days_count_where_releases_are_months_apart() {
        let history = History::built_in();
        let is_of_few_days = |name: &str, day: Option<&str>| {
            let point = Target::parse(history, name).expect("a known target").point;
            is_of_few_days(history, (point, point), day)
        };
        assert!(is_of_few_days("d135ed4c9", None), "between 0.7.0 and 0.8.0");
        assert!(!is_of_few_days("d135ed4c9", Some("2026-08-01")), "used in these days");
        assert!(is_of_few_days("d135ed4c9", Some("2026-08-20")) && is_of_few_days("d135ed4c9", Some("2026-07-13")));
        for other in ["0.8.0", "2025-10-10", "2026-05-01", "main"] {
            assert!(!is_of_few_days(other, None), "{other}");
        }
    }
}
