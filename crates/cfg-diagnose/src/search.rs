//! Searches for many texts at once, ignoring case, by the method of Wu and Manber: the last four bytes of a window determine how far it can be moved
//! without missing a match, so that most bytes are never read.

use std::ops::Range;

/// The number of bytes that determine the shift.
const BLOCK: usize = 4;

/// The number of hash values of a block.
const SLOTS: usize = 1 << 16;

/// A set of texts, prepared for the search.
#[derive(Debug)]
pub(crate) struct Search {
    /// The texts in lower case; none is shorter than `window`.
    texts: Vec<Box<[u8]>>,
    /// The length of the shortest text.
    window: usize,
    /// By the hash of a window's last block, how far the window can be moved; 0 if a text may be there.
    shifts: Box<[u8]>,
    /// By the same hash, where its texts begin in `candidates`. It has one more entry than there are slots.
    starts: Box<[u32]>,
    candidates: Vec<u32>,
}

impl Search {
    /// Prepares the search. Texts of fewer than four bytes are never found.
    pub(crate) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let texts: Vec<Box<[u8]>> = texts.into_iter().map(|text| text.to_ascii_lowercase().into_bytes().into()).collect();
        let window = texts.iter().map(|text| text.len()).min().unwrap_or(BLOCK).clamp(BLOCK, 250);
        let farthest = u8::try_from(window - BLOCK + 1).unwrap_or(u8::MAX);
        let mut shifts = vec![farthest; SLOTS].into_boxed_slice();
        let mut of_slot: Vec<(usize, u32)> = Vec::new();
        for (number, text) in (0..).zip(&texts) {
            for (end, block) in text[..text.len().min(window)].windows(BLOCK).enumerate() {
                let slot = slot(block);
                let shift = u8::try_from(window - BLOCK - end).unwrap_or(u8::MAX);
                shifts[slot] = shifts[slot].min(shift);
                if shift == 0 {
                    of_slot.push((slot, number));
                }
            }
        }
        of_slot.sort_unstable();
        let mut starts = vec![0; SLOTS + 1].into_boxed_slice();
        for (slot, _) in &of_slot {
            starts[slot + 1] += 1;
        }
        for slot in 0..SLOTS {
            starts[slot + 1] += starts[slot];
        }
        let candidates = of_slot.into_iter().map(|(_, number)| number).collect();
        Self { texts, window, shifts, starts, candidates }
    }

    /// Calls `found` with the index of each text that begins in a range of a buffer, and its position, in the order of positions. `found` can end the
    /// search.
    pub(crate) fn find(&self, buffer: &[u8], range: Range<usize>, mut found: impl FnMut(u32, usize) -> bool) {
        let mut end = range.start + self.window;
        // A match must begin in the range, but may end after it.
        let last = buffer.len().min(range.end.saturating_add(self.window - 1));
        while end <= last {
            let slot = slot(&buffer[end - BLOCK..end]);
            let shift = usize::from(self.shifts[slot]);
            if shift > 0 {
                end += shift;
                continue;
            }
            let at = end - self.window;
            let (from, to) = (self.starts[slot] as usize, self.starts[slot + 1] as usize);
            for &number in &self.candidates[from..to] {
                let text = &self.texts[number as usize];
                let stands = buffer.get(at..at + text.len()).is_some_and(|there| there.eq_ignore_ascii_case(text));
                if stands && !found(number, at) {
                    return;
                }
            }
            end += 1;
        }
    }

    /// Whether any of the texts is in the buffer.
    pub(crate) fn is_in(&self, buffer: &[u8]) -> bool {
        let mut is_there = false;
        self.find(buffer, 0..buffer.len(), |_, _| {
            is_there = true;
            false
        });
        is_there
    }

    /// The length of the shortest text: the longer it is, the faster is the search.
    #[cfg(test)]
    pub(crate) const fn shortest(&self) -> usize {
        self.window
    }
}

/// The slot of a block, ignoring case. Some other bytes share a slot, too; that costs a comparison of the texts, but gives no false match.
#[inline]
fn slot(block: &[u8]) -> usize {
    let &[a, b, c, d] = block else { return 0 };
    let folded = u32::from_le_bytes([a, b, c, d]) | 0x2020_2020;
    (folded.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

#[cfg(test)]
mod tests {
    use super::Search;

    fn found(texts: &[&str], buffer: &str) -> Vec<(u32, usize)> {
        let mut all = Vec::new();
        Search::new(texts.iter().copied()).find(buffer.as_bytes(), 0..buffer.len(), |number, at| {
            all.push((number, at));
            true
        });
        all
    }

    #[test]
    fn every_place_is_found() {
        assert_eq!(found(&["abab", "baba", "ABABA"], "xababab"), [(0, 1), (2, 1), (1, 2), (0, 3)]);
        assert_eq!(found(&["needle", "dle in"], "a NeedLE in hay, needle"), [(0, 2), (1, 5), (0, 17)]);
        assert_eq!(found(&["abcd"], ""), []);
        assert_eq!(found(&["abcd"], "abc"), []);
        assert_eq!(found(&[], "ab abcd"), []);
    }

    /// The same as in a plain search, for texts of all lengths at all positions.
    #[test]
    fn the_automaton_finds_the_same_as_a_plain_search() {
        let texts = ["aaba", "abca", "bcabc", "cabcaab", "aaaaaaaa"];
        let mut state = 7_u32;
        let buffer: String = (0..4000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from(b'a' + (state >> 28) as u8 % 3)
            })
            .collect();
        let mut plain: Vec<(u32, usize)> = Vec::new();
        for at in 0..buffer.len() {
            plain.extend((0..).zip(&texts).filter(|(_, text)| buffer[at..].starts_with(**text)).map(|(number, _)| (number, at)));
        }
        let mut fast = found(&texts, &buffer);
        fast.sort_by_key(|(number, at)| (*at, *number));
        assert_eq!(fast, plain);
        // A range limits where matches begin, not where they end.
        let mut within = Vec::new();
        Search::new(texts).find(buffer.as_bytes(), 100..200, |number, at| {
            within.push((number, at));
            true
        });
        within.sort_by_key(|(number, at)| (*at, *number));
        plain.retain(|(_, at)| (100..200).contains(at));
        assert_eq!(within, plain);
    }
}
