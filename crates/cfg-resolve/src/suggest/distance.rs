//! The number of typing errors between two names.

/// The length up to which names are compared, in bytes, and the largest number of errors that is counted.
const LONGEST: usize = 70;
const MAX_ERRORS: usize = 8;

/// The side of the table for most names, once what is the same at their ends is gone.
const SMALL: usize = 16;

/// A number of errors that no two names have.
const TOO_MANY: u8 = u8::MAX / 2;

/// How many letters are added, removed, replaced or swapped with another one between two names; `None` if more than `most`.
///
/// As in `strsim::damerau_levenshtein`, but only what can lead to so few errors is computed: near the diagonal of the table of all beginnings of both names.
pub(super) fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let is_short = one.len() <= LONGEST && other.len() <= LONGEST && most <= MAX_ERRORS;
    if !is_short || !one.is_ascii() || !other.is_ascii() {
        return Some(strsim::damerau_levenshtein(one, other)).filter(|distance| *distance <= most);
    }
    if one.len().abs_diff(other.len()) > most || !may_be_within(one.as_bytes(), other.as_bytes(), most) {
        return None;
    }
    // What both begin or end with needs no correction.
    let (one, other) = without_common_ends(one, other);
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // A name has few errors, so little is left.
    let fits = one.len().max(other.len()) + 2 <= SMALL;
    let found = usize::from(if fits { within::<SMALL>(one, other, most) } else { within::<{ LONGEST + 2 }>(one, other, most) });
    (found <= most).then_some(found)
}

/// Whether the letters of two names, whatever their order, allow so few errors: each adds at most one letter that the other name does not have, and removes
/// at most one. Letters that share a counter only make it less certain that two names differ.
fn may_be_within(one: &[u8], other: &[u8], most: usize) -> bool {
    let mut counts = [0_i8; 32];
    one.iter().for_each(|letter| counts[usize::from(letter & 31)] += 1);
    other.iter().for_each(|letter| counts[usize::from(letter & 31)] -= 1);
    let removed: usize = counts.iter().map(|count| usize::from(count.max(&0).unsigned_abs())).sum();
    let added: usize = counts.iter().map(|count| usize::from(count.min(&0).unsigned_abs())).sum();
    removed.max(added) <= most
}

/// Two names without what both begin and end with.
fn without_common_ends<'n>(one: &'n str, other: &'n str) -> (&'n str, &'n str) {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[same..], &other[same..]);
    let same = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
    (&one[..one.len() - same], &other[..other.len() - same])
}

/// The distance of two names if it is at most `most`, and otherwise a larger number. `SIDE` is at least two more than the length of each.
fn within<const SIDE: usize>(one: &[u8], other: &[u8], most: usize) -> u8 {
    // A row and a column for the empty beginnings, and one before each, into which no swap leads.
    let mut table = [[TOO_MANY; SIDE]; SIDE];
    for length in 0..=most.min(one.len()) {
        table[length + 1][1] = length as u8;
    }
    for length in 0..=most.min(other.len()) {
        table[1][length + 1] = length as u8;
    }
    // Where each letter was last in `one`.
    let mut last = [0_u8; 128];
    for row in 1..=one.len() {
        let letter = one[row - 1];
        // Where this letter was last in `other`.
        let mut same = 0;
        let first = row.saturating_sub(most).max(1);
        // The letters before the diagonal may be swapped with one on it.
        for (at, other) in other.iter().enumerate().take(first - 1) {
            if *other == letter {
                same = at + 1;
            }
        }
        for column in first..=(row + most).min(other.len()) {
            let from = usize::from(last[usize::from(other[column - 1] & 127)]);
            let swapped = table[from][same].saturating_add((row - from - 1 + 1 + column - same - 1) as u8);
            let is_same = letter == other[column - 1];
            let kept = table[row][column] + u8::from(!is_same);
            let added = table[row + 1][column] + 1;
            let removed = table[row][column + 1] + 1;
            table[row + 1][column + 1] = kept.min(added).min(removed).min(swapped).min(TOO_MANY);
            if is_same {
                same = column;
            }
        }
        last[usize::from(letter & 127)] = row as u8;
    }
    table[one.len() + 1][other.len() + 1]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn few_errors_are_counted_as_in_the_whole_table() {
        let names = [
            "",
            "a",
            "ab",
            "ba",
            "ca",
            "abc",
            "bac",
            "batch_size",
            "batchsize",
            "bathc_size",
            "abtch_sizes",
            "bacth_isze",
            "lr",
            "learning_rate",
            "max_steps",
            "max_stesp",
            "mxa_tspes",
            "steps_max",
            "seq_len",
            "seqlen",
            "sqe_lne",
            "ü_len",
            "aaaa",
            "aabbaa",
            "bbaabb",
            "abababab",
            "babababa",
            "rollouts_per_example",
            "rollouts_per_exmaple",
            "example_rollouts",
        ];
        for one in names {
            for other in names {
                let whole = strsim::damerau_levenshtein(one, other);
                for most in 0..=4 {
                    assert_eq!(distance(one, other, most), Some(whole).filter(|whole| *whole <= most), "{one} {other} {most}");
                }
            }
        }
    }
}
