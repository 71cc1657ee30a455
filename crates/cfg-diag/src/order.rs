//! Sorting with little code. The sort of the standard library is compiled for each type of items and each order, with several kilobytes each time; this one is
//! compiled once, and asks for the order of two places.

use std::cmp::Ordering;

/// Stable sorts of few items, which need not be as fast as those of the standard library.
pub trait Order<T> {
    /// As [`sort_by`](slice::sort_by).
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// As [`sort_by_key`](slice::sort_by_key).
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.len() < 2 {
            return;
        }
        let mut places = places_in_order(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        // Each item is swapped to its place; what was there is found where its place was noted.
        for at in 0..places.len() {
            let mut from = places[at];
            while from < at {
                from = places[from];
            }
            places[at] = from;
            self.swap(at, from);
        }
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }
}

/// The places of some items, in the order of these.
#[inline(never)]
fn places_in_order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn items_are_ordered_as_by_the_standard_library() {
        let mut number = 1_u32;
        for count in 0..200 {
            let next = || {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                number >> 24
            };
            // Many are equal, and keep their order.
            let items: Vec<(u32, usize)> = std::iter::repeat_with(next).take(count).map(|key| key % 16).zip(0..).collect();
            let (mut ordered, mut sorted) = (items.clone(), items);
            ordered.order_by_key(|(key, _)| *key);
            sorted.sort_by_key(|(key, _)| *key);
            assert_eq!(ordered, sorted);
        }
    }
}
