//! Finds the prime-rl for which a config is written, if that is not stated.

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, codes};
use cfg_schema::{Commit, Kind, Point, Schema, Target};
use cfg_syntax::Dialect;

use crate::{
    Certainty, Checked, Session, stage,
    version_match::{VersionMatch, version_match},
};

/// The number of keys that must be unknown before another target is considered. One is enough if it is newer than the assumed prime-rl, or if git
/// has the day of the file's last commit: the newest release of that day is only one of those that the author may have used.
const STRANGE_KEYS: usize = 3;

/// A target that suits a config better than the assumed one.
pub(crate) enum OtherTarget {
    /// It accepts the config: its name, with the finding that reports it.
    Accepts { name: String, finding: Box<Diagnostic> },
    /// It knows more of the keys, but no target accepts the config.
    KnowsMore(Target),
}

/// Finds a target that suits the config better than the assumed one.
pub(crate) fn other_target(
    session: &Session,
    schema: Schema,
    checked: &Checked,
    tree: &Tree,
    found: &[Diagnostic],
) -> Option<OtherTarget> {
    let assumed = &checked.target;
    let day = if let Certainty::NewestOn(day) = &checked.certainty { Some(day) } else { None };
    let is_later = found.iter().any(|diagnostic| diagnostic.code == &codes::FUTURE_KEY);
    let enough = if day.is_some() || is_later { 1 } else { STRANGE_KEYS };
    let by_time = [codes::REMOVED_KEY.code, codes::FUTURE_KEY.code, codes::UNKNOWN_KEY.code, codes::MISPLACED_KEY.code];
    let strange = found.iter().filter(|diagnostic| by_time.contains(&diagnostic.code.code)).count();
    if strange < enough {
        return None;
    }
    let of_day = day.and_then(|day| Target::parse(session.history, day).ok());
    let is_beyond = of_day.as_ref().is_some_and(|target| target.is_beyond);
    let likely = of_day.filter(|target| !target.is_beyond).map(|target| target.point);
    let fit = version_match(session.history, schema.kind, &tree.root, schema.point, likely);
    if fit.known < fit.known_at_point + enough {
        return None;
    }
    let Some((first, last)) = accepting_stretch(session, schema.kind, tree, (&fit, likely)) else {
        // A config with removed keys and without a date is reported only if it suits a later prime-rl; otherwise it is most
        // likely written for the newest release.
        let is_told = day.is_some() || is_later && schema.point < fit.first;
        return is_told
            .then(|| target_within(session, (fit.first, fit.last), day.zip(likely)))
            .flatten()
            .map(OtherTarget::KnowsMore);
    };
    let (from, to) = (name_of(session, first), name_of(session, last));
    let when = day.map(|day| format!(", the newest on {day}, when the file was last committed")).unwrap_or_default();
    let assumption = format!("no target was given, so {assumed} was assumed{when}");
    // A file that is newer than the history may be written for a prime-rl that is newer as well.
    if is_beyond && last == session.history.newest() {
        let commit = |point| session.history.commit_of(point);
        let from = commit(first).map(|commit| format!("{} ({})", commit.short_sha(), commit.day())).unwrap_or_default();
        let known = commit(last).map(Commit::day).unwrap_or_default();
        let message = format!(
            "this config seems to be written for a newer prime-rl: main since {from}, known until {known}, has {} of its {} keys, \
             {assumed} has {}",
            fit.known, fit.keys, fit.known_at_point
        );
        let finding = Diagnostic::new(&codes::OTHER_TARGET_FITS, message).help(format!(
            "{assumption}; pass the checkout of the prime-rl that you run, `--target path:CHECKOUT`, or check for the newest that \
             is known: `--target main`"
        ));
        return Some(OtherTarget::Accepts { name: "main".to_owned(), finding: Box::new(finding) });
    }
    let stretch = if from == to { from } else { format!("{from} to {to}") };
    let message = format!(
        "this config seems to be written for another prime-rl: {stretch} has {} of its {} keys, {assumed} has {}",
        fit.known, fit.keys, fit.known_at_point
    );
    let name = target_within(session, (first, last), day.zip(likely))?.name;
    let finding = Diagnostic::new(&codes::OTHER_TARGET_FITS, message).help(format!(
        "{assumption}; state the version you run: `--target {name}`, `target = \
         \"{name}\"` in cfg.toml, or `prime_rl = \"{name}\"` in the metadata block"
    ));
    Some(OtherTarget::Accepts { name, finding: Box::new(finding) })
}

/// A range of points within `fit` that accept a config, around one of these: the point of the file's day, the end of `fit`, a release in it, or
/// its beginning. `None` if none of these does.
fn accepting_stretch(
    session: &Session,
    kind: Kind,
    tree: &Tree,
    (fit, likely): (&VersionMatch, Option<Point>),
) -> Option<(Point, Point)> {
    let accepts = |at: u16| stage::accepts(session, session.history.schema(kind, Point(at)), tree.clone());
    let (first, last) = (fit.first.0, fit.last.0);
    let releases = session.history.releases().rev().map(|release| release.point().0).filter(|at| (first..last).contains(at));
    let likely = likely.map(|point| point.0).into_iter().filter(|at| (first..=last).contains(at)).chain([last]);
    let found = likely.chain(releases).chain([first]).find(|&at| accepts(at))?;
    let start = (first..found).rev().take_while(|&at| accepts(at)).last().unwrap_or(found);
    let end = (found + 1..=last).take_while(|&at| accepts(at)).last().unwrap_or(found);
    Some((Point(start), Point(end)))
}

/// The name of a point: the release that begins there, or the commit with its day.
fn name_of(session: &Session, point: Point) -> String {
    if let Some(release) = session.history.tags().find(|tag| tag.point() == point && tag.is_release()) {
        return release.name().to_owned();
    }
    match session.history.commit_of(point) {
        Some(_) if point == session.history.newest() => "main".to_owned(),
        Some(commit) => format!("{} ({})", commit.short_sha(), commit.day()),
        None => String::new(),
    }
}

/// A target within a range of points. If the file's day is known: the newest release of that day, or else the main line of that day, or else the
/// next release. Otherwise the newest release in the range. If there is no release in it, its last commit.
fn target_within(session: &Session, (first, last): (Point, Point), day: Option<(&String, Point)>) -> Option<Target> {
    let is_within = |point: &Point| (first..=last).contains(point);
    let mut releases = session.history.releases().filter(|release| is_within(&release.point()));
    let at = |point| session.history.commit_of(point).map(|commit| Target::at(session.history, point, commit.short_sha()));
    let found = match day {
        Some((day, point)) => {
            let (earlier, later): (Vec<_>, Vec<_>) = releases.partition(|release| release.day() <= day.as_str());
            let of_day = || Some(point).filter(is_within).and_then(at);
            let next = || later.first().copied().map(Target::from);
            earlier.last().copied().map(Target::from).or_else(of_day).or_else(next)
        }
        None => releases.next_back().map(Target::from),
    };
    found.or_else(|| at(last))
}

/// The target for which a config is written, by its keys, if `point` has fewer of them; the newest release that accepts it, if one does.
pub fn best_target(session: &Session, kind: Kind, text: &str, point: Point) -> Option<Target> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let tree = Tree::from_document(FileId(0), document);
    let fit = version_match(session.history, kind, &tree.root, point, None);
    if fit.known <= fit.known_at_point {
        return None;
    }
    let accepts = |target: &Target| stage::accepts(session, session.history.schema(kind, target.point), tree.clone());
    let releases = session.history.releases().rev().filter(|release| (fit.first..=fit.last).contains(&release.point()));
    let mut releases: Vec<Target> = releases.map(Target::from).collect();
    let accepting = releases.iter().position(accepts).unwrap_or(0);
    if accepting < releases.len() {
        return Some(releases.swap_remove(accepting));
    }
    let commit = session.history.commit_of(fit.last)?;
    Some(Target::at(session.history, fit.last, commit.short_sha()))
}
