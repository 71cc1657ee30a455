//! The edits between two texts, line by line.

use cfg_diag::{Edit, FileId, Location, Span};

/// The edits that turn one text into another; `None` if they are the same. Unchanged text at the start and the end is not touched, and
/// neither is a line in the middle that each text has once.
pub fn difference(file: FileId, old: &str, new: &str) -> Option<Vec<Edit>> {
    if old == new {
        return None;
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let mut edits = Vec::new();
    let (mut at, mut first, mut second) = (0, 0, 0);
    while first < old_lines.len() || second < new_lines.len() {
        if first < old_lines.len() && second < new_lines.len() && old_lines[first] == new_lines[second] {
            at += old_lines[first].len();
            (first, second) = (first + 1, second + 1);
            continue;
        }
        let (skipped, added) = until_same(&old_lines[first..], &new_lines[second..]);
        let end = at + old_lines[first..first + skipped].iter().map(|line| line.len()).sum::<usize>();
        let new_text = new_lines[second..second + added].concat();
        edits.push(Edit { location: Location::new(file, Span::from(at..end)), new_text });
        (at, first, second) = (end, first + skipped, second + added);
    }
    Some(edits)
}

/// The number of lines that are searched for the next common line.
const MAX_LINES: usize = 200;

/// How many lines of each text come before the next common line.
fn until_same(old: &[&str], new: &[&str]) -> (usize, usize) {
    let (most_old, most_new) = (old.len().min(MAX_LINES), new.len().min(MAX_LINES));
    for total in 1..most_old + most_new {
        for skipped in 0..=total.min(most_old) {
            let added = total - skipped;
            let same = old.get(skipped).zip(new.get(added)).is_some_and(|(one, other)| one == other && !one.trim().is_empty());
            if same && added < most_new {
                return (skipped, added);
            }
        }
    }
    (old.len(), new.len())
}

#[cfg(test)]
mod tests {
    use cfg_check::apply;
    use cfg_diag::FileId;

    use super::difference;

    #[test]
    fn only_lines_that_differ_are_replaced() {
        for (old, new, edits) in [
            ("a\nb\nc\n", "a\nx\nc\n", 1),
            ("a\nb\nc\nd\n", "x\nb\nc\ny\n", 2),
            ("a\nb\n", "b\n", 1),
            ("b", "a\nb", 1),
            ("a\n", "", 1),
            ("", "a", 1),
        ] {
            let found = difference(FileId(0), old, new).expect("they differ");
            assert_eq!(apply(old, &found).as_deref(), Some(new), "{old:?}");
            assert_eq!(found.len(), edits, "{found:?}");
        }
        assert_eq!(difference(FileId(0), "a", "a"), None);
    }
}
