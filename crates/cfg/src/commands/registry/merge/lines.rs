//! Merges two texts by their lines, as git does.

use std::ops::Range;

use similar::DiffOp;

use crate::lines::operations;

/// A merged text.
pub(super) struct Lines {
    pub(super) text: String,
    /// The number of places in which both sides differ; they are between marks.
    pub(super) conflicts: usize,
}

/// The lines of the common ancestor that a side replaced, and the lines by which.
struct Change {
    base: Range<usize>,
    side: Range<usize>,
}

/// What changes of both sides are that touch, because no line between them is unchanged.
#[derive(Clone, Copy)]
pub(super) enum Touching {
    /// One place, as for git.
    Conflict,
    /// Changes of their own if each line is an assignment that keeps its key: a setting does not depend on the line next to it.
    OfKeys,
}

pub(super) fn merge(touching: Touching, base: &str, ours: &str, theirs: &str) -> Lines {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let (one, other) = (changes(&base, &ours), changes(&base, &theirs));
    let mut merged = Lines { text: String::new(), conflicts: 0 };
    let (mut at, mut i, mut j) = (0, 0, 0);
    while i < one.len() || j < other.len() {
        let starts = [one.get(i), other.get(j)].into_iter().flatten().map(|change| change.base.start);
        let start = starts.min().unwrap_or(base.len());
        let (from_i, from_j) = (i, j);
        let mut end = start;
        // Changes that overlap or touch are one place.
        loop {
            let next = |change: Option<&Change>| change.filter(|change| change.base.start <= end).map(|change| change.base.end);
            if let Some(new) = next(one.get(i)) {
                (end, i) = (end.max(new), i + 1);
            } else if let Some(new) = next(other.get(j)) {
                (end, j) = (end.max(new), j + 1);
            } else {
                break;
            }
        }
        base[at..start].iter().for_each(|line| merged.text.push_str(line));
        at = end;
        let own = replaced(&base, &ours, &one[from_i..i], start..end);
        let its = replaced(&base, &theirs, &other[from_j..j], start..end);
        let by_key = match touching {
            Touching::Conflict => None,
            Touching::OfKeys => by_key(&base[start..end], &own, &its),
        };
        match by_key {
            Some(lines) => merged.text.push_str(&lines),
            None => merged.add(&base[start..end], &own, &its),
        }
    }
    base[at..].iter().for_each(|line| merged.text.push_str(line));
    merged
}

/// The text of a place in which the sides changed the values of different keys; `None` if they did anything else.
fn by_key(base: &[&str], ours: &[&str], theirs: &[&str]) -> Option<String> {
    if base.len() != ours.len() || base.len() != theirs.len() {
        return None;
    }
    let key = |line: &str| line.split_once('=').map(|(key, _)| key.trim().to_owned()).filter(|key| !key.is_empty());
    let of_line = |((base, ours), theirs): ((&&str, &&str), &&str)| {
        let changed = match (ours == base, theirs == base) {
            (_, true) => *ours,
            (true, false) => *theirs,
            (false, false) => return (ours == theirs).then(|| (*ours).to_owned()),
        };
        (changed == *base || key(changed).is_some() && key(changed) == key(base)).then(|| changed.to_owned())
    };
    base.iter().zip(ours).zip(theirs).map(of_line).collect()
}

fn changes(base: &[&str], side: &[&str]) -> Vec<Change> {
    let changed = operations(base, side).into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed.map(|op| Change { base: op.old_range(), side: op.new_range() }).collect()
}

/// The lines that a side has instead of a range of the common ancestor.
fn replaced<'t>(base: &[&'t str], side: &[&'t str], changes: &[Change], range: Range<usize>) -> Vec<&'t str> {
    let mut lines = Vec::new();
    let mut at = range.start;
    for change in changes {
        lines.extend(&base[at..change.base.start]);
        lines.extend(&side[change.side.clone()]);
        at = change.base.end;
    }
    lines.extend(&base[at..range.end]);
    lines
}

impl Lines {
    fn add(&mut self, base: &[&str], ours: &[&str], theirs: &[&str]) {
        if ours == theirs || theirs == base {
            ours.iter().for_each(|line| self.text.push_str(line));
            return;
        }
        if ours == base {
            theirs.iter().for_each(|line| self.text.push_str(line));
            return;
        }
        self.conflicts += 1;
        let first = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
        let (own, its) = (&ours[first..], &theirs[first..]);
        let last = own.iter().rev().zip(its.iter().rev()).take_while(|(one, other)| one == other).count();
        ours[..first].iter().for_each(|line| self.text.push_str(line));
        for (mark, lines) in [("<<<<<<< ours", &own[..own.len() - last]), ("=======", &its[..its.len() - last])] {
            self.text.push_str(mark);
            self.text.push('\n');
            lines.iter().for_each(|line| self.text.push_str(line));
            if !self.text.ends_with('\n') {
                self.text.push('\n');
            }
        }
        self.text.push_str(">>>>>>> theirs\n");
        own[own.len() - last..].iter().for_each(|line| self.text.push_str(line));
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Touching};

    fn merge(base: &str, ours: &str, theirs: &str) -> Lines {
        super::merge(Touching::Conflict, base, ours, theirs)
    }

    fn of_keys(base: &str, ours: &str, theirs: &str) -> (String, usize) {
        let merged = super::merge(Touching::OfKeys, base, ours, theirs);
        (merged.text, merged.conflicts)
    }

    #[test]
    fn changes_of_different_lines_are_merged() {
        let merged = merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\ne\n");
        assert_eq!((merged.text.as_str(), merged.conflicts), ("A\nb\nc\nD\ne\n", 0));
        let same = merge("a\nb\n", "x\nb\n", "x\nb\n");
        assert_eq!((same.text.as_str(), same.conflicts), ("x\nb\n", 0));
        let none = merge("", "", "a");
        assert_eq!((none.text.as_str(), none.conflicts), ("a", 0));
    }

    #[test]
    fn changes_of_the_same_lines_are_between_marks() {
        let merged = merge("a\nb\nc\n", "a\nx\nsame\nc\n", "a\ny\nsame\nc\n");
        assert_eq!(merged.text, "a\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\nsame\nc\n");
        assert_eq!(merged.conflicts, 1);
        assert_eq!(merge("", "a", "b").text, "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n");
    }

    #[test]
    fn changes_of_neighbouring_keys_are_merged() {
        let base = "a = 1\nb = 1\nc = 1\n";
        assert_eq!(
            of_keys(base, "a = 2\nb = 1\nc = 3 # why\n", "a = 1\nb = 2\nc = 1\n"),
            ("a = 2\nb = 2\nc = 3 # why\n".to_owned(), 0)
        );
        assert_eq!(of_keys(base, "a = 2\nb = 2\nc = 1\n", "a = 2\nb = 1\nc = 2\n"), ("a = 2\nb = 2\nc = 2\n".to_owned(), 0));
        assert_eq!(merge(base, "a = 2\nb = 1\nc = 1\n", "a = 1\nb = 2\nc = 1\n").conflicts, 1);
    }

    #[test]
    fn what_changes_a_key_or_the_same_one_stays_a_conflict() {
        let base = "a = 1\nb = 1\n";
        for (ours, theirs) in [
            ("a = 2\nb = 1\n", "a = 3\nb = 2\n"),
            ("a = 2\nb = 1\n", "a = 1\nc = 1\n"),
            ("a = 2\nb = 1\n", "a = 1\n"),
            ("a = 2\nb = 1\n", "a = 1\nnew = 1\nb = 2\n"),
            ("[a]\nb = 1\n", "a = 1\nb = 2\n"),
        ] {
            assert_eq!(of_keys(base, ours, theirs).1, 1, "{ours} {theirs}");
        }
    }
}
