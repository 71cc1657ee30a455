//! Which commits of verifiers and renderers the main line of prime-rl used at which time, and at which places its config classes use classes of these
//! packages. `cargo xtask history revisions` writes the files.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use crate::{History, Point};

use crate::compiler::{
    KINDS,
    revisions::{revisions_at, revisions_ever},
};

/// Lines of `PACKAGE PIN SINCE..UNTIL` with commits of the main line.
const PINS: &str = include_str!("../../../../schemas/pins.tsv");

/// Lines of `PACKAGE VERSION FIRST LAST`: the version has the classes that are recorded at the schema commits from `FIRST` to `LAST`.
const RELEASES: &str = include_str!("../../../../schemas/releases.tsv");

/// Lines of `KIND PATH CLASSES OWN SINCE..UNTIL` with schema commits.
const SEAMS: &str = include_str!("../../../../schemas/seams.tsv");

/// A place at which prime-rl's config classes use classes of packages.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seam {
    /// The dotted names of these classes: `verifiers.v1.EnvConfig`.
    pub names: Vec<String>,
    /// If the classes are bases of a table's class: the fields that the table's class declares itself.
    pub own: Vec<String>,
}

/// The commits of the main line by their first nine digits, each with its point, oldest first.
static MAIN_LINE: LazyLock<Vec<(String, Point)>> =
    LazyLock::new(|| History::built_in().commits().map(|commit| (commit.short_sha(), commit.point())).collect());

/// The index of a commit in the main line.
fn index_of(sha: &str) -> Option<usize> {
    MAIN_LINE.iter().position(|(own, _)| own == sha)
}

/// The point at which the recorded classes of a package are those of the commit or version `pin`. If there are several, a point whose own schema
/// commit used the package is preferred, because fields are recorded only at schema commits; then the point nearest to `base`.
pub fn point_with(package: &str, pin: &str, base: Point) -> Option<Point> {
    let is_pin = |recorded: &str| recorded == pin || (is_short_hash(pin) && recorded.starts_with(pin));
    let ranges: Vec<&str> = lines(PINS)
        .filter_map(|line| match *line.split('\t').collect::<Vec<_>>() {
            [of, recorded, range] if of == package && is_pin(recorded) => Some(range),
            _ => None,
        })
        .collect();
    if ranges.is_empty() {
        return released(package, pin, base);
    }
    let commits = &*MAIN_LINE;
    let mut found: Vec<(bool, u16, Point)> = Vec::new();
    for range in ranges {
        let Some((since, until)) = range.split_once("..") else { continue };
        let Some(since) = index_of(since) else { continue };
        let until = index_of(until).unwrap_or(commits.len());
        for at in since..until {
            let (_, point) = commits[at];
            let is_later = at > 0 && commits[at - 1].1 == point;
            found.push((is_later, point.0.abs_diff(base.0), point));
        }
    }
    found.into_iter().min().map(|(.., point)| point)
}

/// The commit or version of a package that a commit of the main line names.
pub fn pin_at(package: &str, commit: &str) -> Option<&'static str> {
    let at = index_of(commit.get(..9)?)?;
    let holds = |range: &str| {
        let (since, until) = range.split_once("..")?;
        Some(index_of(since)? <= at && (until.is_empty() || at < index_of(until)?))
    };
    lines(PINS).find_map(|line| match *line.split('\t').collect::<Vec<_>>() {
        [of, pin, range] if of == package && holds(range) == Some(true) => Some(pin),
        _ => None,
    })
}

/// [`point_with`] for a version that the main line may never have used: the nearest schema commit whose recorded classes the version has.
fn released(package: &str, version: &str, base: Point) -> Option<Point> {
    let points = schema_commits();
    let spans = lines(RELEASES).filter_map(|line| match *line.split('\t').collect::<Vec<_>>() {
        [of, recorded, first, last] if of == package && recorded == version => Some((points.get(first)?, points.get(last)?)),
        _ => None,
    });
    let nearest = spans.map(|(first, last)| Point(base.0.clamp(first.0, last.0.max(first.0))));
    nearest.min_by_key(|point| point.0.abs_diff(base.0))
}

/// Whether the class of a table, or the type of a field, uses at `point` the same classes of packages as `seam`.
pub fn is_used_alike(seam: &Seam, kind: usize, path: &str, point: Point) -> bool {
    let recorded = seam_at(kind, path, point);
    recorded.is_some_and(|recorded| recorded.names == seam.names && recorded.own.iter().all(|field| seam.own.contains(field)))
}

/// The names of the checks whose code at `point` differs from the checks of the same name at `base`. A check whose code never changed is the same at
/// all points.
pub fn changed_checks(base: Point, point: Point) -> BTreeSet<&'static str> {
    let (here, there, ever) = (revisions_at(base), revisions_at(point), revisions_ever());
    let has_other = |class: &str, name: &str, revision: u64| {
        ever.iter().any(|(of, other, at)| *of == class && *other == name && *at != revision)
    };
    let others = there.difference(&here).filter(|(class, name, revision)| has_other(class, name, *revision));
    others.map(|(_, name, _)| *name).collect()
}

/// The classes of packages that a place uses at a point; `None` if it uses none.
fn seam_at(kind: usize, path: &str, point: Point) -> Option<Seam> {
    seams_where(point, |of, place| of == KINDS[kind] && place == path).into_iter().next().map(|(.., seam)| seam)
}

/// Whether prime-rl uses classes of a package at a point.
pub fn uses(package: &str, point: Point) -> bool {
    let is_of = |name: &String| name.split('.').next() == Some(package);
    seams_at(point).iter().any(|(.., seam)| seam.names.iter().any(is_of))
}

/// The places at which prime-rl uses classes of packages at a point, by kind and path.
pub(crate) fn seams_at(point: Point) -> Vec<(usize, String, Seam)> {
    seams_where(point, |_, _| true)
}

fn seams_where(point: Point, is_wanted: impl Fn(&str, &str) -> bool) -> Vec<(usize, String, Seam)> {
    let here: Vec<[&str; 5]> = lines(SEAMS)
        .filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
        .filter(|[of, place, ..]: &[&str; 5]| is_wanted(of, place))
        .collect();
    let points = schema_commits();
    let holds = |range: &str| {
        let (since, until) = range.split_once("..")?;
        let has_begun = points.get(since).is_some_and(|since| *since <= point);
        Some(has_begun && (until.is_empty() || points.get(until).is_some_and(|until| point < *until)))
    };
    let listed = |text: &str| text.split(' ').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let seam = |[kind, path, names, own, _]: [&str; 5]| {
        let kind = KINDS.iter().position(|name| *name == kind)?;
        Some((kind, path.to_owned(), Seam { names: listed(names), own: listed(own) }))
    };
    here.into_iter().filter(|[.., range]| holds(range) == Some(true)).filter_map(seam).collect()
}

/// The schema commits by their first nine digits.
pub(crate) fn schema_commits() -> &'static HashMap<String, Point> {
    static COMMITS: LazyLock<HashMap<String, Point>> = LazyLock::new(|| {
        let history = History::built_in();
        (0..=history.newest().0).filter_map(|index| Some((history.commit_of(Point(index))?.short_sha(), Point(index)))).collect()
    });
    &COMMITS
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

fn is_short_hash(text: &str) -> bool {
    (7..40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::{Commit, History, Target};

    use super::{KINDS, PINS, SEAMS, lines, point_with, seam_at};

    #[test]
    fn recorded_packages_belong_to_commits_of_the_history() {
        let commits: HashSet<String> = History::built_in().commits().map(Commit::short_sha).collect();
        for (line, cells) in lines(PINS).map(|line| (line, 3)).chain(lines(SEAMS).map(|line| (line, 5))) {
            let found: Vec<&str> = line.split('\t').collect();
            assert_eq!(found.len(), cells, "{line}");
            let (since, until) = found[cells - 1].split_once("..").expect(line);
            assert!(commits.contains(since) && (until.is_empty() || commits.contains(until)), "{line}");
        }
        // The newest commit names both packages.
        let newest = History::built_in().commits().next_back().map(Commit::point).expect("there is one");
        for package in ["verifiers", "renderers"] {
            let now = lines(PINS).filter(|line| line.starts_with(package) && line.ends_with(".."));
            let pins: Vec<&str> = now.filter_map(|line| line.split('\t').nth(1)).collect();
            assert_eq!(pins.len(), 1, "{package}");
            assert_eq!(point_with(package, pins[0], newest), Some(newest), "{package}");
        }
    }

    #[test]
    fn a_released_version_is_that_of_the_nearest_commit_whose_classes_it_has() {
        let points = super::schema_commits();
        let mut releases = 0;
        for line in lines(super::RELEASES) {
            let [package, version, first, last] = *line.split('\t').collect::<Vec<_>>() else { panic!("{line}") };
            let (first, last) = (points[first], points[last]);
            assert!(first <= last && super::uses(package, first) && super::uses(package, last), "{line}");
            assert!(point_with(package, version, first).is_some(), "{line}");
            releases += 1;
        }
        assert!(releases > 0);
        let (first, last) = (points["8a977ecc9"], points["84ce4d667"]);
        let newest = History::built_in().newest();
        for (base, wanted) in [(first, first), (last, last), (newest, last), (crate::Point(0), first)] {
            assert_eq!(point_with("renderers", "0.1.8", base), Some(wanted), "{base:?}");
        }
        assert_eq!(point_with("verifiers", "0.1.8", first), None);
    }

    #[test]
    fn the_nearest_of_several_points_has_the_pin() {
        let point = |name: &str| Target::parse(History::built_in(), name).expect("a commit of the history").point;
        let (since, until) = (point("f5946b098"), point("9b944591c"));
        let pin = "b13ba60da63cea91389e7575766b7270d0d11fc5";
        assert_eq!(point_with("verifiers", pin, since), Some(since));
        assert_eq!(point_with("verifiers", &pin[..7], until).map(|found| found < until), Some(true));
        assert_eq!(super::pin_at("verifiers", "3b5d031028320ef668cc568d5098e0d593a44e1d"), Some(pin));
        assert_eq!(super::pin_at("verifiers", "9b944591c").filter(|other| *other == pin), None);
        for (package, pin) in [("renderers", pin), ("verifiers", &pin[..6]), ("verifiers", ""), ("verifiers", "0.4.0")] {
            assert_eq!(point_with(package, pin, since), None, "{package} {pin}");
        }
    }

    #[test]
    fn a_seam_has_the_classes_of_its_point() {
        let point = |name: &str| Target::parse(History::built_in(), name).expect("a commit of the history").point;
        let orchestrator = KINDS.iter().position(|kind| *kind == "orchestrator").expect("a kind");
        let seam = seam_at(orchestrator, "train.env[]", point("3b22dd951")).expect("it is one");
        assert_eq!(seam.names, ["verifiers.v1.EnvServerConfig"]);
        assert!(seam.own.contains(&"group_size".to_owned()));
        assert_eq!(seam_at(orchestrator, "train.env[]", point("559b44772")), None);
        assert_eq!(seam_at(orchestrator, "max_steps", point("3b22dd951")), None);
    }
}
