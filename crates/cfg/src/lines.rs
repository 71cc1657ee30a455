//! What differs between two texts, line by line, in time that grows as the texts do.

use std::{collections::HashMap, fmt::Write as _, ops::Range};

use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices, group_diff_ops, udiff::UnifiedHunkHeader};

/// The number of lines of both texts up to which all ways of matching them are compared.
const EXACT: usize = 8_000;

/// The same for the lines between two that are matched already.
const EXACT_BETWEEN: usize = 1_000;

/// The number of unchanged lines around those that differ.
const AROUND: usize = 3;

/// A unified diff that can be applied.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let name = cfg_diag::one_line(name);
    let (before, after) = (format!("a/{name}"), format!("b/{name}"));
    let [lines_before, lines_after] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    if lines_before.len() + lines_after.len() <= EXACT {
        return TextDiff::from_lines(old, new).unified_diff().context_radius(AROUND).header(&before, &after).to_string();
    }
    let hunks = group_diff_ops(operations(&lines_before, &lines_after), AROUND);
    let mut diff = String::new();
    for hunk in hunks.iter().filter(|hunk| !hunk.is_empty()) {
        if diff.is_empty() {
            diff = format!("--- {before}\n+++ {after}\n");
        }
        // Writing to a string does not fail.
        let _ = writeln!(diff, "{}", UnifiedHunkHeader::new(hunk));
        for operation in hunk {
            let (was, is) = (&lines_before[operation.old_range()], &lines_after[operation.new_range()]);
            match operation {
                DiffOp::Equal { .. } => was.iter().for_each(|line| push(&mut diff, ' ', line)),
                _ => {
                    was.iter().for_each(|line| push(&mut diff, '-', line));
                    is.iter().for_each(|line| push(&mut diff, '+', line));
                }
            }
        }
    }
    diff
}

fn push(diff: &mut String, sign: char, line: &str) {
    diff.push(sign);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

/// How the lines of one text become those of another.
///
/// Of long texts, the lines that each has once are matched first, in their order; what is between them is compared exactly if it is short.
pub(crate) fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut operations = Operations::default();
    let mut open = vec![(0..old.len(), 0..new.len(), EXACT)];
    while let Some((mut before, mut after, exact)) = open.pop() {
        let same = old[before.clone()].iter().zip(&new[after.clone()]).take_while(|(one, other)| one == other).count();
        operations.equal(before.start, after.start, same);
        (before.start, after.start) = (before.start + same, after.start + same);
        let backwards = old[before.clone()].iter().rev().zip(new[after.clone()].iter().rev());
        let at_end = backwards.take_while(|(one, other)| one == other).count();
        (before.end, after.end) = (before.end - at_end, after.end - at_end);
        // What follows comes off the stack after what is put on it from here on.
        if at_end > 0 {
            open.push((before.end..before.end + at_end, after.end..after.end + at_end, 0));
        }
        if before.len() + after.len() <= exact {
            for operation in capture_diff_slices(Algorithm::Myers, &old[before.clone()], &new[after.clone()]) {
                operations.add(&operation, before.start, after.start);
            }
            continue;
        }
        let anchors = anchors(old, before.clone(), new, after.clone());
        if anchors.is_empty() {
            operations.replace(before, after);
            continue;
        }
        let mut ends = (before.end, after.end);
        for (one, other) in anchors.into_iter().rev() {
            open.push((one..ends.0, other..ends.1, EXACT_BETWEEN));
            ends = (one, other);
        }
        open.push((before.start..ends.0, after.start..ends.1, EXACT_BETWEEN));
    }
    operations.0
}

/// The lines that each part has once, in an order that both have: as many as possible.
fn anchors(old: &[&str], before: Range<usize>, new: &[&str], after: Range<usize>) -> Vec<(usize, usize)> {
    let (of_old, of_new) = (once(old, &before), once(new, &after));
    let pair = |at: usize| {
        of_old.get(old[at]).copied().flatten()?;
        Some((at, of_new.get(old[at]).copied().flatten()?))
    };
    let pairs: Vec<(usize, usize)> = before.filter_map(pair).collect();
    // The longest part whose places in the new text rise: each pair knows the one before it, and `last` has the best end for each length.
    let (mut last, mut earlier): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, (_, place)) in pairs.iter().enumerate() {
        let length = last.partition_point(|end| pairs[*end].1 < *place);
        earlier.push(length.checked_sub(1).map(|length| last[length]));
        if length == last.len() {
            last.push(at);
        } else {
            last[length] = at;
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(last.last().copied(), |at| earlier[*at]).map(|at| pairs[at]).collect();
    chain.reverse();
    chain
}

/// The place of each line that a part has once; `None` for the others.
fn once<'l>(lines: &[&'l str], part: &Range<usize>) -> HashMap<&'l str, Option<usize>> {
    let mut places = HashMap::new();
    for at in part.clone() {
        places.entry(lines[at]).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// Operations in their order; those of the same kind that touch are one.
#[derive(Default)]
struct Operations(Vec<DiffOp>);

impl Operations {
    fn equal(&mut self, old_index: usize, new_index: usize, len: usize) {
        match self.0.last_mut() {
            _ if len == 0 => {}
            Some(DiffOp::Equal { len: known, .. }) => *known += len,
            _ => self.0.push(DiffOp::Equal { old_index, new_index, len }),
        }
    }

    fn replace(&mut self, before: Range<usize>, after: Range<usize>) {
        // What touches the one before it is part of it.
        let (before, after) = match self.0.last() {
            Some(DiffOp::Equal { .. }) | None => (before, after),
            Some(last) => {
                let whole = (last.old_range().start..before.end, last.new_range().start..after.end);
                self.0.pop();
                whole
            }
        };
        let (old_index, old_len, new_index, new_len) = (before.start, before.len(), after.start, after.len());
        match (old_len, new_len) {
            (0, 0) => {}
            (_, 0) => self.0.push(DiffOp::Delete { old_index, old_len, new_index }),
            (0, _) => self.0.push(DiffOp::Insert { old_index, new_index, new_len }),
            _ => self.0.push(DiffOp::Replace { old_index, old_len, new_index, new_len }),
        }
    }

    /// An operation of parts that begin at these lines.
    fn add(&mut self, operation: &DiffOp, old: usize, new: usize) {
        let (before, after) = (operation.old_range(), operation.new_range());
        match operation {
            DiffOp::Equal { len, .. } => self.equal(before.start + old, after.start + new, *len),
            _ => self.replace(before.start + old..before.end + old, after.start + new..after.end + new),
        }
    }
}

#[cfg(test)]
mod tests {
    use similar::DiffOp;

    use super::{operations, unified};

    /// The new text, made of the old one.
    fn made(old: &[&str], new: &[&str]) -> Vec<String> {
        let (mut made, mut at) = (Vec::new(), (0, 0));
        for operation in operations(old, new) {
            let (before, after) = (operation.old_range(), operation.new_range());
            assert_eq!((before.start, after.start), at, "nothing is left out");
            match operation {
                DiffOp::Equal { .. } => {
                    assert_eq!(old[before.clone()], new[after.clone()]);
                    made.extend(old[before.clone()].iter().map(|line| (*line).to_owned()));
                }
                _ => made.extend(new[after.clone()].iter().map(|line| (*line).to_owned())),
            }
            at = (before.end, after.end);
        }
        assert_eq!(at, (old.len(), new.len()));
        made
    }

    #[test]
    fn each_text_becomes_the_other() {
        let text = |count: usize, step: usize, kinds: usize| -> Vec<String> {
            (0..count).map(|at| format!("{}\n", (at * step) % kinds.max(1))).collect()
        };
        let texts = [
            text(0, 1, 1),
            text(5, 1, 5),
            text(9_000, 1, 9_000),
            text(9_000, 7, 9_001),
            text(9_000, 1, 3),
            text(12_000, 1, 11_000),
            text(20_000, 2, 40_000),
        ];
        for one in &texts {
            for other in &texts {
                let [one, other] = [one, other].map(|text| text.iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(made(&one, &other), other);
            }
        }
    }

    #[test]
    fn a_diff_of_long_texts_has_only_what_differs() {
        let lines: Vec<String> = (0..20_000).map(|at| format!("a{at} = {at}\n")).collect();
        let old = lines.concat();
        let new = old.replace("a7000 = 7000\n", "a7000 = 1\n").replace("a15000 = 15000\n", "").trim_end().to_owned();
        let diff = unified("a.toml", &old, &new);
        let signs = |sign: char| diff.lines().skip(2).filter(|line| line.starts_with(sign)).count();
        assert_eq!((signs('@'), signs('-'), signs('+')), (3, 3, 2), "{diff}");
        assert!(diff.starts_with("--- a/a.toml\n+++ b/a.toml\n@@ -6998,7 +6998,7 @@\n a6997 = 6997\n"), "{diff}");
        assert!(diff.ends_with("-a19999 = 19999\n+a19999 = 19999\n\\ No newline at end of file\n"), "{diff}");
    }
}
