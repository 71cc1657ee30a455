//! Values that the new prime-rl no longer accepts, although every key is at its place.

use std::{collections::HashMap, ops::Range};

use cfg_diag::{Diagnostic, Edit, Location, Severity, Span};

use crate::Migration;

/// An error of the new prime-rl, or of what it starts, in the new text.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'a> {
    /// The error; its locations are in the new text.
    pub finding: &'a Diagnostic,
    /// Its location in the old text; `None` if the user did not write that line.
    pub location: Option<Location>,
    /// Whether the old prime-rl accepted it.
    pub is_new: bool,
}

impl Refusal<'_> {
    /// Whether prime-rl itself refuses it; otherwise the run would fail.
    pub const fn is_native(&self) -> bool {
        self.finding.native.is_some()
    }
}

impl Migration {
    /// The errors of the new prime-rl, one for each value that the user has to decide about, because the first one would mask the others.
    pub fn refusals(&self) -> Vec<Refusal<'_>> {
        self.findings(|finding| finding.native.is_some())
    }

    /// Errors in what prime-rl accepts, because the run would fail or train nothing; only those that the old text does not have with the old
    /// prime-rl.
    pub fn new_errors(&self) -> Vec<Refusal<'_>> {
        let mut errors = self.findings(|finding| finding.native.is_none() && finding.severity == Severity::Error);
        errors.retain(|error| error.is_new);
        errors
    }

    /// What is left to the user beside the [decisions](Self::decisions): first what only the new prime-rl refuses, then what it accepts although the
    /// run would fail.
    pub fn new_faults(&self) -> Vec<Refusal<'_>> {
        let refused = self.refusals().into_iter().filter(|refusal| refusal.is_new);
        refused.chain(self.new_errors()).collect()
    }

    /// A summary of what is left to the user: `2 keys left to decide`; `None` if there is nothing.
    pub fn left(&self) -> Option<String> {
        let (keys, faults) = (self.decisions.len(), self.new_faults().len());
        let what = if faults == 0 { "key" } else { "thing" };
        match keys + faults {
            0 => None,
            1 => Some(format!("1 {what} left to decide")),
            count => Some(format!("{count} {what}s left to decide")),
        }
    }

    /// The location in the old text of a key that was moved to the place of the finding.
    fn moved_from(&self, finding: &Diagnostic) -> Option<Location> {
        let key = finding.key.as_deref()?;
        self.done.iter().find(|done| done.new.as_deref() == Some(key))?.location
    }

    fn findings(&self, is_meant: impl Fn(&Diagnostic) -> bool) -> Vec<Refusal<'_>> {
        let old_places = Places::new(&self.edits);
        let before = &self.before.diagnostics;
        // How severe each was: what was a warning and is an error now is new.
        let messages = most_severe(before.iter().map(|old| ((old.code.code, &*old.message), old.severity)));
        let at = most_severe(before.iter().filter_map(|old| Some(((old.code.code, old.location?), old.severity))));
        self.remaining()
            .filter(|finding| is_meant(finding))
            .map(|finding| {
                let location =
                    finding.location.and_then(|location| old_places.old(location)).or_else(|| self.moved_from(finding));
                let code = finding.code.code;
                let was = messages.get(&(code, &*finding.message)).max(location.and_then(|location| at.get(&(code, location))));
                let is_old = was.is_some_and(|was| *was >= finding.severity);
                Refusal { finding, location, is_new: !is_old }
            })
            .collect()
    }
}

/// Maps locations in the new text to the old one.
struct Places<'e> {
    edits: &'e [Edit],
    /// The range of each edit's new text.
    new: Vec<Range<u32>>,
}

impl<'e> Places<'e> {
    fn new(edits: &'e [Edit]) -> Self {
        let (mut old_end, mut new_end) = (0, 0);
        let new = edits.iter().map(|edit| {
            let start = new_end + (edit.location.span.start - old_end);
            (old_end, new_end) = (edit.location.span.end, start + edit.new_text.len() as u32);
            start..new_end
        });
        Self { edits, new: new.collect() }
    }

    /// The location in the old text; `None` if it was inserted.
    fn old(&self, location: Location) -> Option<Location> {
        let start = self.at(location.span.start)?;
        let end = self.at(location.span.end).unwrap_or(start).max(start);
        Some(Location { span: Span::new(start, end), ..location })
    }

    fn at(&self, offset: u32) -> Option<u32> {
        let next = self.new.partition_point(|new| new.end <= offset);
        if self.new.get(next).is_some_and(|new| new.start <= offset) {
            let span = self.edits[next].location.span;
            return (span.start < span.end).then_some(span.start);
        }
        let Some(before) = next.checked_sub(1) else { return Some(offset) };
        Some(self.edits[before].location.span.end + (offset - self.new[before].end))
    }
}

/// The highest severity of each.
fn most_severe<K: Eq + std::hash::Hash>(found: impl Iterator<Item = (K, Severity)>) -> HashMap<K, Severity> {
    let mut most = HashMap::new();
    for (key, severity) in found {
        let known = most.entry(key).or_insert(severity);
        *known = severity.max(*known);
    }
    most
}

#[cfg(test)]
mod tests {
    use cfg_diag::{Edit, FileId, Location, Span};

    use super::Places;

    #[test]
    fn places_are_those_of_the_old_text() {
        let place = |start, end| Location::new(FileId(0), Span::new(start, end));
        let edit = |start, end, text: &str| Edit { location: place(start, end), new_text: text.to_owned() };
        // `a=1 b=2 c=3` becomes `new a=1 bb=2 =3`.
        let edits = [edit(0, 0, "new "), edit(4, 5, "bb"), edit(8, 9, "")];
        let places = Places::new(&edits);
        assert_eq!(places.old(place(4, 5)), Some(place(0, 1)));
        assert_eq!(places.old(place(8, 10)), Some(place(4, 5)));
        assert_eq!(places.old(place(11, 12)), Some(place(6, 7)));
        assert_eq!(places.old(place(13, 14)), Some(place(9, 10)));
        assert_eq!(places.old(place(1, 2)), None);
    }
}
