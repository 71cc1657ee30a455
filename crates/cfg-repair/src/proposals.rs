//! Proposed repairs, before they are tried.

use std::cell::{Cell, OnceCell};

use cfg_check::Checked;
use cfg_diag::{
    Applicability, Diagnostic, Does, Edit, FileId, Fix, KeyChange, Location, Lost, Order, Proposal, Severity, Span, codes,
    is_within,
};
use cfg_migrate::{Carried, Carrier};
use cfg_resolve::loader;
use cfg_syntax::{
    Dialect,
    rewrite::{Change, KeyPath, Literal, Obstacle, Rewriter},
};

use crate::{Wanted, beside::Twice, shared::as_written};

/// The largest number of changes of a proposal that are tried one by one.
const MAX_CHANGES: usize = 64;

/// The proposals for the findings of a text.
pub(crate) struct Proposals<'a> {
    file: FileId,
    text: &'a str,
    checked: &'a Checked,
    /// Read when a finding needs it.
    carrier: OnceCell<Option<Carrier<'a>>>,
    /// Parsed when a finding needs it.
    twice: OnceCell<Twice<'a>>,
    rewriter: OnceCell<Option<Rewriter<'a>>>,
    /// How many bytes were rewritten.
    rewritten: Cell<usize>,
}

/// The maximum number of bytes that are rewritten for proposals in terms of keys: each of them reads the whole text. Findings after that have only the
/// fixes at their own places.
const MAX_REWRITTEN: usize = 16 << 20;

impl<'a> Proposals<'a> {
    pub(crate) const fn new(file: FileId, text: &'a str, checked: &'a Checked) -> Self {
        Self {
            file,
            text,
            checked,
            carrier: OnceCell::new(),
            twice: OnceCell::new(),
            rewriter: OnceCell::new(),
            rewritten: Cell::new(0),
        }
    }

    /// Whether there is a proposal for any finding.
    pub(crate) fn are_there(&self, wanted: Wanted) -> bool {
        let is_more = |found: &Diagnostic| wanted == Wanted::All && found.code == &codes::OTHER_TARGET_FITS;
        let is_any = |found: &Diagnostic| {
            found.fix.is_some() || !found.proposals.is_empty() || is_again(found) || is_gone(found) || is_more(found)
        };
        self.checked.diagnostics.iter().any(|found| !found.is_echo && is_any(found))
    }

    /// The first of the proposals for a finding, if that is clear before the others are worked out: its own safe fix.
    pub(crate) fn certain(&self, found: &Diagnostic) -> Option<Fix> {
        let is_own = |fix: &Fix| !fix.edits.is_empty() && fix.edits.iter().all(|edit| edit.location.file == self.file);
        let own = found.fix.as_ref().filter(|fix| fix.applicability != Applicability::Unsafe && is_own(fix));
        let mut fix = own.filter(|_| !found.is_echo && !is_gone(found))?.clone();
        fix.edits.order_by_key(|edit| edit.location.span);
        Some(fix)
    }

    /// The proposals for a finding, the most certain first. Edits of other files are excluded.
    pub(crate) fn of(&self, found: &Diagnostic) -> Vec<Fix> {
        if found.is_echo {
            return Vec::new();
        }
        // One table that has become a list can't just move.
        let becomes_item = found
            .proposals
            .iter()
            .flat_map(|proposal| &proposal.changes)
            .any(|change| matches!(change, KeyChange::Set { value, .. } if value.starts_with("[{")));
        let (moved, to) = if is_gone(found) && !becomes_item { self.moved(found).unzip() } else { (None, None) };
        // Where a key could not move, its new place may be taken.
        let named = || found.choices.first().filter(|_| found.code == &codes::REMOVED_KEY).cloned();
        let beside = match to.flatten().or_else(|| renamed(found)).or_else(named) {
            Some(to) => self.twice().old_beside_new(found, &to),
            None if is_again(found) => self.twice().again(found),
            None => Vec::new(),
        };
        // A migration that only takes it away loses nothing that prime-rl would still read.
        let is_without_loss =
            moved.as_ref().is_some_and(|fix| fix.does == Does::Remove && fix.applicability != Applicability::Unsafe);
        let own = found.fix.clone().filter(|fix| moved.as_ref().is_none_or(|moved| moved.edits != fix.edits));
        let is_here = found.location.is_none_or(|location| location.file == self.file);
        let by_keys = found.proposals.iter().filter(|_| is_here).filter_map(|proposal| self.by_keys(proposal));
        let mut fixes: Vec<Fix> = moved.into_iter().chain(own).chain(by_keys).chain(beside).collect();
        fixes.retain(|fix| !fix.edits.is_empty() && fix.edits.iter().all(|edit| edit.location.file == self.file));
        for fix in &mut fixes {
            fix.edits.order_by_key(|edit| edit.location.span);
        }
        // Else, what is kept in another way is not removed.
        if !is_without_loss && fixes.iter().any(|fix| fix.does != Does::Remove) {
            for fix in fixes.iter_mut().filter(|fix| fix.does == Does::Remove && is_gone(found)) {
                fix.applicability = Applicability::Unsafe;
            }
            fixes.order_by_key(|fix| fix.does == Does::Remove && is_gone(found));
        }
        fixes.order_by_key(|fix| fix.applicability == Applicability::Unsafe);
        let mut seen: Vec<Vec<Edit>> = Vec::new();
        fixes.retain(|fix| {
            let is_new = !seen.contains(&fix.edits);
            seen.push(fix.edits.clone());
            is_new
        });
        fixes
    }

    /// Adds the header of a table to the end of the text.
    fn with_table(&self, table: &str) -> Fix {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let end = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { newline };
        let gap = if self.text.trim().is_empty() { "" } else { newline };
        let location = Location::new(self.file, Span::empty(self.text.len() as u32));
        let edits = vec![Edit { location, new_text: format!("{end}{gap}[{table}]{newline}") }];
        Fix::new(format!("add `[{table}]`"), Applicability::Unsafe, edits)
    }

    fn twice(&self) -> &Twice<'a> {
        self.twice.get_or_init(|| Twice::new(self.file, self.text))
    }

    /// Writes down the target that was inferred. Only the user knows which prime-rl is used.
    pub(crate) fn stated_target(&self, found: &Diagnostic) -> Option<Fix> {
        let is_inferred = found.code == &codes::OTHER_TARGET_FITS && self.checked.is_for_another();
        let target = is_inferred.then_some(&self.checked.target.name)?;
        let title = format!("state that it is for prime-rl {target}");
        let edits = vec![metadata_line(self.file, self.text, &format!("prime_rl = \"{target}\""))];
        Some(Fix::new(title, Applicability::Unsafe, edits))
    }

    /// The fix that a proposal in terms of keys is in this text.
    fn by_keys(&self, proposal: &Proposal) -> Option<Fix> {
        if let [KeyChange::Table { key }] = &*proposal.changes {
            return Some(self.with_table(key));
        }
        let shared = as_written(proposal, self.twice());
        let proposal = shared.as_ref().unwrap_or(proposal);
        let rewritten = self.rewritten.get() + self.text.len();
        if rewritten > MAX_REWRITTEN {
            return None;
        }
        self.rewritten.set(rewritten);
        let rewriter =
            self.rewriter.get_or_init(|| Rewriter::new(self.file, self.text, loader::dialect(self.checked.target.point)));
        let rewriter = rewriter.as_ref()?;
        if self.overwrites(&proposal.changes) {
            // What is written at its new place already counts.
            let [KeyChange::Remove { key: from }, KeyChange::Set { key: to, .. }] = &*proposal.changes else {
                return self.without_written(proposal, rewriter);
            };
            if !self.twice().is_single(from) || self.twice().is_array(to) {
                return None;
            }
            let title = format!("remove `{from}`: `{to}` is set as well");
            let edits = rewriter.edits(&[Change::remove(from)]).ok()?;
            return Some(Fix { lost: lost_to(from, to), ..Fix::new(title, Applicability::Unsafe, edits) });
        }
        let changes: Vec<Change> = proposal.changes.iter().map(change).collect();
        let (applicability, does, lost) = (proposal.applicability, proposal.does(), proposal.lost.clone());
        let fix = |title: &str, edits| Fix { title: title.to_owned(), applicability, edits, does, lost: lost.clone() };
        match (rewriter.edits(&changes), &*proposal.changes) {
            (Ok(edits), _) => Some(fix(&proposal.title, edits)),
            // A table that has only headers of inner tables is gone with the last of them.
            (Err(Obstacle::Absent), [.., KeyChange::Remove { .. }]) => {
                Some(fix(&proposal.title, rewriter.edits(&changes[..changes.len() - 1]).ok()?))
            }
            // A table whose right place has keys already joins them.
            (Err(Obstacle::Occupied), [KeyChange::Move { from, to }])
                if let Some(names) = self.twice().names_below(from).filter(|names| !names.is_empty()) =>
            {
                let each = names.iter().map(|name| Change::relocate(&format!("{from}.{name}"), &format!("{to}.{name}")));
                let changes: Vec<Change> = each.chain([Change::remove(from)]).collect();
                let (possible, left) = without_occupied(rewriter, &changes);
                let edits = rewriter.edits(&possible).ok().filter(|_| possible.len() > 1)?;
                let title = format!("move the keys of `{from}` to `{to}`{}", and_removes(&left));
                let lost = also_lost(None, left);
                Some(Fix { applicability: Applicability::Unsafe, does: Does::Move, lost, ..fix(&title, edits) })
            }
            // The key has been written at its right place as well. What is more than one value is not lost for that.
            (Err(Obstacle::Occupied), [KeyChange::Move { from, to }]) if self.twice().is_single(from) => {
                let edits = rewriter.edits(&[Change::remove(from)]).ok()?;
                let title = format!("remove `{from}`: `{to}` is set as well");
                Some(Fix { lost: lost_to(from, to), ..Fix::new(title, Applicability::Unsafe, edits) })
            }
            // Of several keys that go to places of their own, those stay out whose place is taken.
            (Err(Obstacle::Occupied), [_, .., KeyChange::Remove { .. }]) => {
                let (possible, left) = without_occupied(rewriter, &changes);
                let edits = rewriter.edits(&possible).ok().filter(|_| possible.len() > 1 && !left.is_empty())?;
                let title = format!("{}{}", proposal.title, and_removes(&left));
                let lost = also_lost(proposal.lost.clone(), left);
                Some(Fix { applicability: Applicability::Unsafe, lost, ..fix(&title, edits) })
            }
            _ => None,
        }
    }

    /// A proposal of several changes without the values whose new places are taken, and without which its key goes all the same.
    fn without_written(&self, proposal: &Proposal, rewriter: &Rewriter<'_>) -> Option<Fix> {
        let is_taken = |change: &&KeyChange| matches!(change, KeyChange::Set { key, .. } if self.twice().is_written(key));
        let (taken, kept): (Vec<&KeyChange>, Vec<&KeyChange>) = proposal.changes.iter().partition(is_taken);
        let named = |change: &&KeyChange| if let KeyChange::Set { key, .. } = change { Some(key.clone()) } else { None };
        let taken: Vec<String> = taken.iter().filter_map(named).collect();
        let writes = kept.iter().any(|change| !matches!(change, KeyChange::Remove { .. }));
        let is_list = taken.iter().any(|key| !self.twice().is_single(key));
        let changes: Vec<Change> = kept.into_iter().map(change).collect();
        let (possible, left) = without_occupied(rewriter, &changes);
        let edits = rewriter.edits(&possible).ok().filter(|_| writes && !is_list)?;
        let are_set: Vec<String> = taken.iter().map(|key| format!("`{key}`")).collect();
        let verb = if are_set.len() == 1 { "is" } else { "are" };
        let title = format!("{}{}; {} {verb} set already", proposal.title, and_removes(&left), are_set.join(", "));
        let lost = also_lost(proposal.lost.clone(), left);
        Some(Fix { title, applicability: Applicability::Unsafe, edits, does: proposal.does(), lost })
    }

    /// Whether a value that moves in another form would replace what is written at its new place.
    fn overwrites(&self, changes: &[KeyChange]) -> bool {
        let removed: Vec<&str> = changes
            .iter()
            .filter_map(|change| if let KeyChange::Remove { key } = change { Some(&**key) } else { None })
            .collect();
        let is_removed = |key: &str| removed.iter().any(|removed| is_within(key, removed));
        let replaces =
            |change: &KeyChange| matches!(change, KeyChange::Set { key, .. } if !is_removed(key) && self.twice().is_written(key));
        !removed.is_empty() && changes.iter().any(replaces)
    }

    /// A moved key, with everything in it, and its new place.
    fn moved(&self, found: &Diagnostic) -> Option<(Fix, Option<String>)> {
        let key = found.key.as_deref()?;
        let (file, text, target) = (self.file, self.text, &self.checked.target);
        let schema = target.schema(self.checked.kind?);
        let carrier = self.carrier.get_or_init(|| Carrier::new(file, text, schema)).as_ref()?;
        let Carried { to, is_sorted, instead, is_safe, edits } = carrier.carry(key)?;
        let table = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default();
        let title = match &to {
            Some(to) if to == key => format!("rewrite the value of `{key}` for prime-rl {target}"),
            Some(to) if table(to) == table(key) => {
                let name = to.rsplit('.').next().unwrap_or(to);
                format!("rename to `{name}`{}", if is_sorted { ", and move its keys" } else { "" })
            }
            Some(to) => format!("move to `{to}`{}", if is_sorted { ", and move its keys" } else { "" }),
            None if instead.is_empty() => format!("remove `{key}`"),
            None => format!("write {} instead", instead.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")),
        };
        let is_beyond = target.is_beyond;
        let is_certain = is_safe && !is_beyond && found.code != &codes::FUTURE_KEY;
        let applicability = if is_certain { Applicability::Safe } else { Applicability::Unsafe };
        let (does, lost) = match &to {
            Some(to) if to == key => (Does::Write, None),
            Some(to) if table(to) == table(key) => (Does::Rename, None),
            Some(_) => (Does::Move, None),
            None if instead.is_empty() => (Does::Remove, Some(Lost { keys: vec![key.to_owned()], why: String::new() })),
            None => (Does::Write, None),
        };
        Some((Fix { title, applicability, edits, does, lost }, to))
    }
}

/// Whether a finding is about something that is defined again.
fn is_again(found: &Diagnostic) -> bool {
    found.code == &codes::DUPLICATE_KEY || found.code == &codes::KEY_CONFLICT
}

/// Whether a finding is about a table at the top that the config lacks, and that is not there under another name.
pub(crate) fn lacks_table(found: &Diagnostic) -> bool {
    found.proposals.iter().any(|proposal| matches!(&*proposal.changes, [KeyChange::Table { .. }]))
}

/// The new name of a removed key, according to its fix.
fn renamed(found: &Diagnostic) -> Option<String> {
    let (key, [edit]) = (found.key.as_deref().filter(|_| is_gone(found))?, &*found.fix.as_ref()?.edits) else { return None };
    let name = &edit.new_text;
    let is_name = Some(edit.location) == found.location && !name.contains(['.', '\n', '"']);
    is_name.then(|| key.rsplit_once('.').map_or_else(|| name.clone(), |(table, _)| format!("{table}.{name}")))
}

/// The changes that can be made one after the other, without those whose new place is taken, and the old places of these.
fn without_occupied(rewriter: &Rewriter<'_>, changes: &[Change]) -> (Vec<Change>, Vec<String>) {
    let (mut possible, mut left) = (Vec::new(), Vec::new());
    for change in changes.iter().take(MAX_CHANGES) {
        possible.push(change.clone());
        if let (Change::Relocate { from, .. }, Err(Obstacle::Occupied)) = (change, rewriter.edits(&possible)) {
            possible.pop();
            left.push(from.to_string());
        }
    }
    (possible, left)
}

/// The setting `from` that is removed because `to` is written.
fn lost_to(from: &str, to: &str) -> Option<Lost> {
    Some(Lost { keys: vec![from.to_owned()], why: format!("`{to}` is set as well") })
}

/// What a fix drops, with the keys whose new places are taken.
fn also_lost(lost: Option<Lost>, taken: Vec<String>) -> Option<Lost> {
    match lost {
        Some(lost) => Some(Lost { keys: lost.keys.into_iter().chain(taken).collect(), why: lost.why }),
        None => (!taken.is_empty()).then(|| Lost { keys: taken, why: "its new place is set already".to_owned() }),
    }
}

/// What the title of a fix says of keys that are lost, because their new places are taken.
fn and_removes(left: &[String]) -> String {
    let named: Vec<String> = left.iter().map(|from| format!("`{from}`")).collect();
    match named.as_slice() {
        [] => String::new(),
        [one] => format!(", and remove {one}, which is set there already"),
        several => format!(", and remove {}, which are set there already", several.join(", ")),
    }
}

fn change(change: &KeyChange) -> Change {
    match change {
        KeyChange::Move { from, to } => Change::relocate(from, to),
        KeyChange::Set { key, value } => Change::Set { path: KeyPath::parse(key), value: Literal::raw(value.as_str()) },
        KeyChange::Table { key } => Change::Set { path: KeyPath::parse(key), value: Literal::raw("{}") },
        KeyChange::Remove { key } => Change::remove(key),
    }
}

/// Whether the key of a finding may have been moved.
fn is_gone(found: &Diagnostic) -> bool {
    // A key that comes back after the target is one that has gone before it.
    let comes_back = found.code == &codes::FUTURE_KEY && found.severity < Severity::Error && !found.choices.is_empty();
    (found.code == &codes::REMOVED_KEY || comes_back) && found.location.is_some()
}

/// Adds a line to the metadata block, or a new block with it.
fn metadata_line(file: FileId, text: &str, line: &str) -> Edit {
    let newline = if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let (document, _) = cfg_syntax::parse(file, text, Dialect::Toml10);
    let (at, new_text) = match document.metadata_block(text) {
        Some(block) => {
            let opening = text[block.span.start as usize..].find('\n').map(|end| block.span.start + end as u32 + 1);
            match opening.filter(|opening| *opening <= block.span.end) {
                Some(opening) => (opening, format!("# {line}{newline}")),
                None => (block.span.end, format!("{newline}# {line}{newline}# ///")),
            }
        }
        None => {
            // After a byte order mark.
            let top = if text.starts_with('\u{feff}') { 3 } else { 0 };
            // A comment directly below it would look like a part of the block.
            let gap = if text[top..].starts_with('#') { newline } else { "" };
            (top as u32, format!("# /// config{newline}# {line}{newline}# ///{newline}{gap}"))
        }
    };
    Edit { location: Location::new(file, Span::empty(at)), new_text }
}
