//! Finds the prime-rl for which a config is written, if nothing states it.
//!
//! Candidates are the ranges of the history in which prime-rl raises nothing for the config. If there are several, the one nearest to the day of the
//! file's last commit counts, or else the newest. If there is none, the config has a fault in any version, and the prime-rl that knows the most of its
//! keys and types counts.

use std::{borrow::Cow, sync::Arc};

use cfg_compose::{Entry, Node, Origin, Table, Tree, Value};
use cfg_diag::{Code, Diagnostic, FileId, Order, Severity, codes};
use cfg_project::FileDay;
use cfg_resolve::OTHER_VARIANT;
use cfg_schema::{Commit, History, Kind, Point, Schema, Target};
use cfg_syntax::Dialect;

use super::{
    between,
    version::{Certainty, Inference},
    votes::{Votes, votes},
};
use crate::{Checked, Session, open, stage};

/// The number of keys that the assumed prime-rl must refuse before another one is inferred for a file without a date.
const ENOUGH_KEYS: usize = 2;

/// The maximum number of separate ranges that are searched.
const MAX_RANGES: usize = 6;

/// The codes of errors about keys that depend on the version more than on the author: names change from week to week.
const BY_TIME: [Code; 4] = [&codes::REMOVED_KEY, &codes::FUTURE_KEY, &codes::UNKNOWN_KEY, &codes::MISPLACED_KEY];

/// The same for errors about values: types and choices change as well.
const BY_TIME_OF_VALUES: [Code; 4] =
    [&codes::WRONG_TYPE, &codes::UNKNOWN_VARIANT, &codes::MISSING_VARIANT, &codes::INVALID_CHOICE];

/// Which target a config is written for, and why.
#[derive(Clone)]
pub(crate) struct Inferred {
    pub(crate) target: Target,
    pub(crate) certainty: Certainty,
}

/// What the errors of a config at the assumed prime-rl say of its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs {
    is_refused: bool,
    /// The number of errors that depend on the version more than on the author.
    by_time: usize,
    /// The number of these that are about values: their types and choices.
    by_value: usize,
    /// Whether one of them is about a key of a later prime-rl.
    is_later: bool,
    /// Whether a prime-rl after the last known commit may accept one of them.
    may_be_new: bool,
}

impl Signs {
    pub(super) fn of(found: &[Diagnostic]) -> Self {
        // What shows only once another error is fixed says as much of the version.
        let refused = |codes: &[Code]| found.iter().filter(|found| found.native.is_some() && codes.contains(&found.code)).count();
        // Which variant a table is by default changes as well.
        let is_of_variant =
            |found: &&Diagnostic| found.code == &codes::MISPLACED_KEY && found.label.as_deref() == Some(OTHER_VARIANT);
        let of_variants = found.iter().filter(|found| found.native.is_some()).filter(is_of_variant).count();
        let by_value = refused(&BY_TIME_OF_VALUES);
        Self {
            is_refused: found.iter().any(Diagnostic::is_refusal),
            by_time: refused(&BY_TIME) + by_value,
            by_value: by_value + of_variants,
            is_later: found.iter().any(|found| found.code == &codes::FUTURE_KEY),
            may_be_new: found.iter().any(open::may_be_new),
        }
    }
}

/// Whether errors of a config depend on the version more than on the author.
pub(crate) fn is_of_another_time(found: &[Diagnostic]) -> bool {
    Signs::of(found).by_time > 0
}

/// The target that suits a config better than the assumed one, whose errors are `signs`; `None` if none does. `day` is that of its last commit.
pub(super) fn infer(
    session: &Session,
    schema: Schema,
    assumed: &Target,
    of_day: Option<&FileDay>,
    tree: &Tree,
    signs: Signs,
) -> Option<Inferred> {
    let day = of_day.map(|day| &*day.day);
    if signs.by_time == 0 && (day.is_none() || !signs.is_refused) {
        return None;
    }
    let search = Search::new(session, schema, tree, day);
    // What is wrong with a dated config, but not by time, was so on its day: an older prime-rl that allowed it is no excuse.
    let near = search.near.filter(|near| !search.is_beyond && *near != schema.point && search.accepts(near.0));
    if signs.by_time == 0 && near.is_none() {
        return None;
    }
    search.inferred(assumed, schema.point, of_day, signs, near)
}

/// Judges a config for the prime-rl that it shows, if it was assumed to be for one without its kind. Returns whether there is one.
pub(crate) fn judge_elsewhere(
    session: &Session,
    checked: &mut Checked,
    kind: Kind,
    tree: &Tree,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let Certainty::Assumed(day) = &checked.certainty else { return false };
    let found = elsewhere(session, checked.target.schema(kind), &checked.target, day.as_ref(), tree);
    let Some(Inferred { target, certainty }) = found else { return false };
    (checked.target, checked.certainty) = (target, certainty);
    if let Certainty::Inferred(inference) = &checked.certainty {
        diagnostics.push(finding(inference, &checked.target, kind));
    }
    true
}

/// As [`infer`], for a config of a kind that the assumed prime-rl does not have.
fn elsewhere(session: &Session, schema: Schema, assumed: &Target, of_day: Option<&FileDay>, tree: &Tree) -> Option<Inferred> {
    let search = Search::new(session, schema, tree, of_day.map(|day| &*day.day));
    let (range, accepting) = search.ranges().into_iter().find_map(|range| Some((range, search.accepting(range)?)))?;
    search.result(assumed, schema.point, search.votes.best(), range, accepting, true)
}

/// The search for the versions that suit a config.
pub(super) struct Search<'a> {
    session: &'a Session,
    history: History,
    kind: Kind,
    /// The values, with the tables that a part of a config lacks.
    tree: Cow<'a, Tree>,
    day: Option<&'a str>,
    pub(super) votes: Votes,
    /// The main line on the day of the file's last commit.
    near: Option<Point>,
    /// Whether that day is after the last known commit.
    is_beyond: bool,
}

impl<'a> Search<'a> {
    /// The best target for a config that the assumed one refuses. `near` is the main line of its day, if that accepts it.
    fn inferred(
        &self,
        assumed: &Target,
        at: Point,
        of_day: Option<&FileDay>,
        signs: Signs,
        near: Option<Point>,
    ) -> Option<Inferred> {
        let history = self.history;
        let (known_instead, best) = (self.votes.known_at(at), self.votes.best());
        // In a file without a date, a single old name is rather a mistake than a sign of an old prime-rl.
        let enough = if self.day.is_some() || signs.is_later { 1 } else { ENOUGH_KEYS };
        // The classes of evaluations have changed as a whole, and have few keys.
        let enough_if_accepted = if self.kind.is_run() { enough } else { 1 };
        let is_shown = self.day.is_some() || signs.by_time.max(best - known_instead) >= enough_if_accepted;
        if let Some(near) = near {
            let known = self.votes.known_at(near);
            let range =
                self.votes.ranges_of(known, history.newest()).into_iter().find(|range| (range.0..=range.1).contains(&near));
            let range = range.unwrap_or((near, near));
            let accepting = self.accepting(range).unwrap_or((near, near));
            return self.result(assumed, at, known, range, accepting, true);
        }
        let many = ENOUGH_KEYS + self.votes.keys / 10;
        let ranges = self.ranges();
        let accepting = || ranges.iter().find_map(|range| Some((*range, self.accepting(*range)?)));
        // One that knows no more keys, and that accepts the others because it ignores them, is not what the config is written for.
        let is_known = best > known_instead || signs.by_value > 0 || signs.is_later;
        if let Some((range, accepting)) = (is_shown && is_known).then(accepting).flatten() {
            let is_of_few_days = between::is_of_few_days(history, accepting, self.day);
            return match self.known_at_release().filter(|known| is_of_few_days && best < known + many) {
                Some(known) => self.at_release(assumed, at, known, enough),
                None => self.result(assumed, at, best, range, accepting, true),
            };
        }
        let is_newest = ranges.iter().any(|(_, last)| *last == history.newest());
        if let Some(day) = of_day.filter(|_| self.is_beyond && is_newest && signs.may_be_new) {
            let target = Target::at_date(history, &day.day).ok()?;
            return Some(Inferred { target, certainty: Certainty::Newer(day.clone()) });
        }
        // No prime-rl accepts the config: it has a fault at any version. A dated config was not written for a later one, unless many of its keys say so.
        let until = self.near.filter(|near| best < self.votes.best_until(*near) + many).unwrap_or_else(|| history.newest());
        let best = self.votes.best_until(until);
        if best < known_instead + enough {
            return None;
        }
        let ranges = self.nearest_first(self.votes.ranges_of(best, until));
        let range = ranges.iter().copied().min_by_key(|range| self.type_errors(*range))?;
        self.result(assumed, at, best, range, range, false)
    }

    /// The largest number of keys that a release knows.
    fn known_at_release(&self) -> Option<usize> {
        self.history.releases().map(|release| self.votes.known_at(release.point())).max()
    }

    /// The best release, which knows `known` keys, if it knows at least `enough` more than the assumed one: few of the file's keys are mistakes in it.
    fn at_release(&self, assumed: &Target, at: Point, known: usize, enough: usize) -> Option<Inferred> {
        if known < self.votes.known_at(at) + enough {
            return None;
        }
        let is_released =
            |(first, last): &(Point, Point)| self.history.releases().any(|release| (*first..=*last).contains(&release.point()));
        let ranges = self.nearest_first(self.votes.ranges_of(known, self.history.newest()));
        let range = ranges.into_iter().filter(is_released).min_by_key(|range| self.type_errors(*range))?;
        self.result(assumed, at, known, range, range, false)
    }

    /// The target within a range that accepts the config, or would be the best; `range` knows `known` of its keys. `None` if it is the assumed one.
    fn result(
        &self,
        assumed: &Target,
        at: Point,
        known: usize,
        range: (Point, Point),
        accepting: (Point, Point),
        is_accepted: bool,
    ) -> Option<Inferred> {
        let target = self.target_within(accepting).filter(|target| target.point != at)?;
        let near = self.near.filter(|_| !self.is_beyond);
        let inference = Inference {
            // Among those that know as many keys as the assumed one, the ones that accept their values are meant.
            range: self.name_of_range(if is_accepted && known == self.votes.known_at(at) { accepting } else { range }),
            known,
            keys: self.votes.keys,
            instead_of: assumed.name.clone(),
            known_instead: self.votes.known_at(at),
            is_accepted,
            accepting,
            is_of_its_day: near.is_some_and(|near| (range.0..=range.1).contains(&near)),
            neighbour: None,
        };
        Some(Inferred { target, certainty: Certainty::Inferred(Arc::new(inference)) })
    }

    pub(super) fn new(session: &'a Session, schema: Schema, tree: &'a Tree, day: Option<&'a str>) -> Self {
        let of_day = day.and_then(|day| Target::parse(schema.history, day).ok());
        Self {
            session,
            history: schema.history,
            kind: schema.kind,
            tree: with_tables(schema.kind, tree),
            day,
            votes: votes(schema.history, schema.kind, &tree.root),
            near: of_day.as_ref().map(|target| target.point),
            is_beyond: of_day.is_some_and(|target| target.is_beyond),
        }
    }

    /// The ranges that know the most keys, the nearest to the day of the file first; without a day, the newest first.
    pub(super) fn ranges(&self) -> Vec<(Point, Point)> {
        self.nearest_first(self.votes.ranges_of(self.votes.best(), self.history.newest()))
    }

    fn nearest_first(&self, mut ranges: Vec<(Point, Point)>) -> Vec<(Point, Point)> {
        let near = self.near.unwrap_or_else(|| self.history.newest()).0;
        ranges.order_by_key(|(first, last)| {
            let distance = if near < first.0 { first.0 - near } else { near.saturating_sub(last.0) };
            (distance, std::cmp::Reverse(*last))
        });
        ranges.truncate(MAX_RANGES);
        ranges
    }

    fn accepts(&self, at: u16) -> bool {
        let schema = self.history.schema(self.kind, Point(at));
        schema.root().at(schema.point).is_some() && stage::accepts(self.session, schema, self.tree.as_ref().clone())
    }

    /// The part of a range that accepts the config, around the main line of the file's day, the end of the range, a release in it, or its beginning.
    pub(super) fn accepting(&self, (first, last): (Point, Point)) -> Option<(Point, Point)> {
        let (first, last) = (first.0, last.0);
        let releases = self.history.releases().rev().map(|release| release.point().0);
        let releases = releases.filter(|at| (first..=last).contains(at));
        let near = self.near.map(|point| point.0).into_iter().filter(|at| (first..=last).contains(at));
        let found = near.chain(releases).chain([last, first]).find(|&at| self.accepts(at))?;
        Some((Point(self.edge(found, first)), Point(self.edge(found, last))))
    }

    /// The point furthest from `found` towards `end` that accepts the config, found by halving.
    fn edge(&self, found: u16, end: u16) -> u16 {
        let (mut accepted, mut refused) = (found, end);
        if accepted == end || self.accepts(end) {
            return end;
        }
        while accepted.abs_diff(refused) > 1 {
            let middle = u16::midpoint(accepted, refused);
            if self.accepts(middle) { accepted = middle } else { refused = middle }
        }
        accepted
    }

    /// The number of errors about types and choices at the target within a range.
    fn type_errors(&self, range: (Point, Point)) -> usize {
        let Some(target) = self.target_within(range) else { return usize::MAX };
        let schema = self.history.schema(self.kind, target.point);
        let found = cfg_resolve::refusals(schema, &self.session.names(schema, None, None), self.tree.as_ref().clone());
        Signs::of(&found).by_time
    }

    /// A target within a range of points. If the file's day is known: the newest release of that day, or else the main line of that day, or else the
    /// next release. Otherwise the newest release in the range. If there is no release in it, its last commit.
    pub(super) fn target_within(&self, (first, last): (Point, Point)) -> Option<Target> {
        let history = self.history;
        let is_within = |point: &Point| (first..=last).contains(point);
        let mut releases = history.releases().filter(|release| is_within(&release.point()));
        let at = |point| history.commit_of(point).map(|commit| Target::at(history, point, commit.short_sha()));
        let found = match self.day.zip(self.near) {
            Some((day, point)) => {
                let (earlier, later): (Vec<_>, Vec<_>) = releases.partition(|release| release.day() <= day);
                let of_day = || Some(point).filter(is_within).and_then(at);
                let next = || later.first().copied().map(Target::from);
                earlier.last().copied().map(Target::from).or_else(of_day).or_else(next)
            }
            None => releases.next_back().map(Target::from),
        };
        // A file that is newer than the history may be for a newer prime-rl as well: no known commit is named.
        let newest = || (last == history.newest() && (self.day.is_none() || self.is_beyond)).then(|| Target::main(history));
        found.filter(|_| !self.is_beyond || last != history.newest()).or_else(newest).or_else(|| at(last))
    }

    /// The releases in a range, or else its first and last commit.
    pub(super) fn name_of_range(&self, range: (Point, Point)) -> String {
        name_of_range(self.history, range)
    }
}

/// The releases in a range, or else its first and last commit: `0.2.0 to 0.4.0`.
pub fn name_of_range(history: History, (first, last): (Point, Point)) -> String {
    let mut releases = history.releases().filter(|release| (first..=last).contains(&release.point()));
    let (from, to) = match (releases.next(), releases.next_back()) {
        (Some(only), None) => (only.name().to_owned(), only.name().to_owned()),
        (Some(from), Some(to)) => (from.name().to_owned(), to.name().to_owned()),
        _ => (name_of(history, first), name_of(history, last)),
    };
    // The main line after the last release is not in any of them.
    let to = if last == history.newest() { name_of(history, last) } else { to };
    if from == to { from } else { format!("{from} to {to}") }
}

/// The name of a point: the release that begins there, or the commit with its day.
fn name_of(history: History, point: Point) -> String {
    if let Some(release) = history.releases().find(|release| release.point() == point) {
        return release.name().to_owned();
    }
    match history.commit_of(point) {
        Some(_) if point == history.newest() => "main".to_owned(),
        Some(commit) => format!("{} ({})", commit.short_sha(), commit.day()),
        None => String::new(),
    }
}

/// A tree with the tables that each complete config has: a part of one is for the prime-rl that accepts the rest.
fn with_tables(kind: Kind, tree: &Tree) -> Cow<'_, Tree> {
    let mut lacking =
        ["trainer", "orchestrator"].into_iter().filter(|name| kind == Kind::Rl && tree.root.get(name).is_none()).peekable();
    if lacking.peek().is_none() {
        return Cow::Borrowed(tree);
    }
    let mut whole = tree.clone();
    for name in lacking {
        let node = Node { value: Value::Table(Table::default()), origin: Origin::Default };
        whole.root.insert(Entry { key: name.into(), written: None, key_origin: Origin::Default, node });
    }
    Cow::Owned(whole)
}

/// The finding that says for which prime-rl a config was judged, since nothing states it.
pub(crate) fn finding(inference: &Inference, target: &Target, kind: Kind) -> Diagnostic {
    let name = &target.name;
    let message = format!("no prime-rl is stated, so this config was checked for {name}: {}", inference.in_words());
    let other = &inference.instead_of;
    let state = if name == "main" {
        "state it: `--target main`, or pass the checkout that you run, if it is newer than this cfg knows: `--target path:CHECKOUT`".to_owned()
    } else {
        let accepting = name_of_range(target.history, inference.accepting);
        let such =
            if inference.is_accepted && accepting != *name { format!(", one of {accepting}, such as") } else { ":".to_owned() };
        format!(
            "state the version that you run{such} `--target {name}`, `target = \"{name}\"` in cfg.toml, or `prime_rl = \"{name}\"` in the \
             metadata block"
        )
    };
    let help = format!("{state}; `--target {other}` checks the file for {other}");
    let mut finding = Diagnostic::new(&codes::OTHER_TARGET_FITS, message).help(help);
    // Nothing contradicts a prime-rl of the day of the file. Evaluations are also used without prime-rl, at any version.
    if inference.is_of_its_day || !kind.is_run() {
        finding.severity = Severity::Info;
    }
    finding
}

/// Adds to errors about keys that no known prime-rl has that a newer one may have them, and how to state it.
pub(crate) fn mention_newer(history: History, found: &mut [Diagnostic]) {
    let is_strange = |found: &&mut Diagnostic| found.code == &codes::UNKNOWN_KEY && found.native.is_some() && found.fix.is_none();
    let last = history.commits().next_back().map(Commit::day).unwrap_or_default();
    for diagnostic in found.iter_mut().filter(is_strange) {
        let newer = format!(
            "no prime-rl up to {last}, the last day that this cfg knows, has it; if yours is newer, pass `--target path:CHECKOUT`, or \
             the day of its commit, such as `--target {}`",
            day_in_next_month(last)
        );
        diagnostic.help = Some(diagnostic.help.take().map_or(newer.clone(), |help| format!("{help}; {newer}")));
    }
}

/// A day in the month after one.
fn day_in_next_month(day: &str) -> String {
    let number = |range: std::ops::Range<usize>| day.get(range).and_then(|text| text.parse::<u32>().ok()).unwrap_or(1);
    let (year, month) = (number(0..4), number(5..7));
    let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    format!("{year:04}-{month:02}-01")
}

/// The target for which a config is written, by its keys, if `point` has fewer of them; the newest release that accepts it, if one does.
pub fn best_target(session: &Session, kind: Kind, text: &str, point: Point) -> Option<Target> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let tree = Tree::from_document(FileId(0), document);
    let search = Search::new(session, session.history.schema(kind, point), &tree, None);
    if search.votes.best() <= search.votes.known_at(point) {
        return None;
    }
    let ranges = search.ranges();
    let accepting = ranges.iter().find_map(|range| search.accepting(*range));
    search.target_within(accepting.or_else(|| ranges.first().copied())?)
}
