//! Values that are written for the new prime-rl already: in a text that was migrated before, as a whole or in part.

use std::collections::{HashMap, HashSet};

use cfg_check::Checked;
use cfg_diag::{Code, Diagnostic, Location, codes};
use cfg_schema::{Node as Field, Point};

use crate::{
    draft::{Body, Draft, Id, Node, Path},
    pattern::{self, Token},
    step::Prepared,
};

/// Whether prime-rl refuses something that is written.
pub(crate) fn refuses(checked: &Checked) -> bool {
    refused(checked).next().is_some()
}

/// Whether a text is one for the new prime-rl: that refuses only what the old one refuses as well, and not all of it. Such a text has no key that only the
/// old prime-rl knows, so no move may be applied to it.
pub(crate) fn is_migrated(before: &Checked, after: &Checked) -> bool {
    let (old, new): (HashSet<Refused<'_>>, HashSet<Refused<'_>>) = (refused(before).collect(), refused(after).collect());
    new.len() < old.len() && new.is_subset(&old)
}

/// Whether a key or a value shows that such a text was written for the new prime-rl. That the old one refuses a combination shows nothing: it knows all of it.
pub(crate) fn is_shown(before: &Checked, after: &Checked) -> bool {
    let new: HashSet<Refused<'_>> = refused(after).collect();
    refused(before).any(|old| !new.contains(&old) && old.0 != codes::CONTRADICTION.code)
}

/// Whether a text fits the new prime-rl as well as the one that its keys suggested: an older one must accept more of it, a newer one must have keys that the
/// new one does not have. None fits a prime-rl without its entrypoint.
pub(crate) fn fits_as_well(guessed: &Checked, new: &Checked) -> bool {
    let of_keys: [Code; 4] = [&codes::UNKNOWN_KEY, &codes::REMOVED_KEY, &codes::FUTURE_KEY, &codes::MISPLACED_KEY];
    let is_newer = new.target.point < guessed.target.point;
    let is_known = new.diagnostics.iter().all(|found| found.code != &codes::UNCHECKED_KIND);
    let knows_all = || !new.diagnostics.iter().any(|found| found.native.is_some() && of_keys.contains(&found.code));
    is_known && (refused(new).count() <= refused(guessed).count() || is_newer && knows_all())
}

/// The code, the key and the place of a refusal.
type Refused<'c> = (&'c str, Option<&'c str>, Option<Location>);

/// What prime-rl refuses. What is missing may be in another file of the config.
fn refused(checked: &Checked) -> impl Iterator<Item = Refused<'_>> {
    let is_written = |found: &&Diagnostic| found.native.is_some() && found.code != &codes::MISSING_KEY;
    checked.diagnostics.iter().filter(is_written).map(|found| (found.code.code, found.key.as_deref(), found.location))
}

/// The places of what prime-rl refuses.
fn places(checked: &Checked) -> HashSet<Location> {
    refused(checked).filter_map(|(.., place)| place).collect()
}

/// The values whose keys prime-rl refuses because it does not know them.
pub(crate) fn unknown(draft: &Draft, checked: &Checked) -> HashSet<Id> {
    let is_unknown = |found: &&Diagnostic| found.native.as_ref().is_some_and(|native| native.kind == "extra_forbidden");
    let places: HashSet<Location> = checked.diagnostics.iter().filter(is_unknown).filter_map(|found| found.location).collect();
    let sources = draft.sources.iter().enumerate();
    sources.filter(|(_, source)| source.place.is_some_and(|place| places.contains(&place))).map(|(id, _)| id).collect()
}

/// Marks the values whose keys the old prime-rl does not know at their places, while the new one does: no move may change them. If there are such, also all
/// other values that the new one accepts: only what it refuses, in the result of checking the old text, is still to be moved. Returns the former
/// places of the first, each with the place now: no other value may be moved there. `None` if there are none.
pub(crate) fn mark(
    draft: &mut Draft,
    root: Field,
    prepared: &[Prepared],
    from: Point,
    to: Point,
    untouched: &Checked,
) -> Option<HashMap<Path, Path>> {
    let refused = places(untouched);
    let mut fresh: Vec<Path> = Vec::new();
    let known = |point, path: &[Box<str>]| pattern::field_at(&draft.root, root, point, path).is_some();
    walk(&draft.root, &mut Path::new(), &mut |path| {
        let is_old = known(from, path);
        if !is_old && known(to, path) {
            fresh.push(path.to_vec());
        }
        is_old
    });
    if fresh.is_empty() {
        return None;
    }
    let is_refused = |node: &Node| {
        let place = node.id.and_then(|id| draft.sources[id].place);
        place.is_some_and(|place| refused.contains(&place))
    };
    let mut accepted: Vec<Path> = Vec::new();
    walk(&draft.root, &mut Path::new(), &mut |path| {
        let is_known = known(to, path);
        let node = draft.root.get(path).filter(|_| is_known);
        if node.is_some_and(|node| node.leaf().is_some() && !is_refused(node)) {
            accepted.push(path.to_vec());
        }
        is_known
    });
    for path in accepted {
        if let Some(node) = draft.root.get_mut(&path) {
            node.is_fresh = true;
        }
    }
    let on_the_way = |prepared: &&Prepared| prepared.entry.point().is_some_and(|point| from < point && point <= to);
    let mut taken = HashMap::new();
    for mut path in fresh {
        let Some(node) = draft.root.get_mut(&path) else { continue };
        node.is_fresh = true;
        let mut places = Vec::new();
        tables(node, &mut path, &mut places);
        for now in places {
            let mut place = now.clone();
            for prepared in prepared.iter().rev().filter(on_the_way) {
                if let Some(former) = former(prepared, &place) {
                    taken.insert(former.clone(), now.clone());
                    place = former;
                }
            }
        }
    }
    Some(taken)
}

/// The paths of a value and of all in its tables, but not of what is in arrays, which can be very long.
fn tables(node: &Node, path: &mut Path, paths: &mut Vec<Path>) {
    paths.push(path.clone());
    for (key, below) in node.entries() {
        path.push(key.clone());
        tables(below, path, paths);
        path.pop();
    }
}

/// The place of a value before a move to a place.
fn former(prepared: &Prepared, place: &[Box<str>]) -> Option<Path> {
    let is_part = |token: &&Token| !matches!(token, Token::Variant(..) | Token::Class(_));
    let to: Vec<&Token> = prepared.to.as_ref()?.iter().filter(is_part).collect();
    let is_same = |token: &Token, part: &str| !matches!(token, Token::Key(key) if *key != part);
    if !prepared.leaves() || to.len() != place.len() || !to.iter().zip(place).all(|(token, part)| is_same(token, part)) {
        return None;
    }
    let mut captured = to.iter().zip(place).filter(|(token, _)| !matches!(token, Token::Key(_))).map(|(_, part)| part.clone());
    let from = prepared.from.iter().filter(is_part);
    from.map(|token| if let Token::Key(key) = token { Some((*key).into()) } else { captured.next() }).collect()
}

/// Calls a function with the path of each value below a node, and goes on below those for which it returns true.
fn walk(node: &Node, path: &mut Path, enters: &mut dyn FnMut(&[Box<str>]) -> bool) {
    let mut below = |part: Box<str>, node: &Node| {
        path.push(part);
        if enters(path) {
            walk(node, path, enters);
        }
        path.pop();
    };
    match &node.body {
        Body::Table(entries) => entries.iter().for_each(|(key, node)| below(key.clone(), node)),
        Body::List(items) => items.iter().enumerate().for_each(|(index, node)| below(index.to_string().into(), node)),
        Body::Leaf(_) => {}
    }
}
