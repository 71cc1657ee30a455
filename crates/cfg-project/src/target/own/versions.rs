//! The versions of packages that a prime-rl may use, if neither the packages nor its commit are here.

use cfg_python::{Beside, Declarations, Reading};
use cfg_schema::{
    History, Point, Target,
    compiler::{Pin, pin_at},
};

use crate::target::pins::PACKAGES;

/// The largest number of versions of packages that are compared.
const MAX_VERSIONS: usize = 8;

/// Leaves open what other versions of packages declare than those that prime-rl uses at `base`. At the points `others` it has the same classes, but may
/// use other versions.
///
/// # Errors
/// Why the sources can't be read.
pub(super) fn leave_open(
    declared: &mut Declarations,
    reading: &mut Reading<'_>,
    base: Point,
    others: Vec<Point>,
    pins: &[Pin],
) -> Result<(), String> {
    let used = |point: Point| PACKAGES.map(|package| pin_of(package, point));
    let mut known = vec![used(base)];
    for other in others.into_iter().rev() {
        if known.len() < MAX_VERSIONS && !known.contains(&used(other)) {
            known.push(used(other));
            declared.leave_open_beside(&reading.read(Some(Beside::with_pins(other, pins.iter().cloned())))?);
        }
    }
    Ok(())
}

/// The commit or version of a package that prime-rl uses at a point.
fn pin_of(package: &str, point: Point) -> Option<&'static str> {
    History::built_in().commit_of(point).and_then(|commit| pin_at(package, &commit.short_sha()))
}

/// The base point of a target in words: "main line d5ce4ce84 of 2026-06-12", or a release, "0.8.0 of 2026-08-06".
pub(super) fn base_in_words(base: Point, target: &Target) -> String {
    let history = History::built_in();
    let release = history.releases().find(|release| release.point() == base && release.name() == target.name);
    let named = history.commits_at(base).find(|commit| commit.short_sha() == target.name);
    match (release, named.or_else(|| history.commit_of(base))) {
        (Some(release), _) => format!("{} of {}", release.name(), release.day()),
        (None, Some(commit)) => format!("main line {} of {}", commit.short_sha(), commit.day()),
        (None, None) => String::new(),
    }
}
