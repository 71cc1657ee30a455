//! Caches of values that depend only on the schema.

use std::sync::OnceLock;

use crate::{Node, Point};

/// Values by key, which are kept until the process ends. Reading a cached value never blocks.
///
/// The values are in a linked list that is searched from its start, so a cache is for a small number of them.
#[derive(Debug)]
pub struct Cache<K, T>(OnceLock<Box<Cached<K, T>>>);

/// The value of one key, and the next entry.
#[derive(Debug)]
struct Cached<K, T> {
    key: K,
    value: T,
    next: Cache<K, T>,
}

impl<K: Copy + PartialEq, T> Cache<K, T> {
    /// An empty cache.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value of a key; `find` computes it if it is not cached.
    pub fn of(&self, key: K, find: impl Fn() -> T) -> &T {
        let mut known = self;
        loop {
            let make = || Box::new(Cached { key, value: find(), next: Self::new() });
            let this = known.0.get_or_init(make);
            if this.key == key {
                return &this.value;
            }
            known = &this.next;
        }
    }
}

impl<K: Copy + PartialEq, T> Default for Cache<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A [`Cache`] of values by node and point, which depend only on the schema.
#[derive(Debug)]
pub struct NodeCache<T>(Cache<(Node, Point), T>);

impl<T> NodeCache<T> {
    /// An empty cache.
    pub const fn new() -> Self {
        Self(Cache::new())
    }

    /// The value of a node at a point; `find` computes it if it is not cached.
    pub fn of(&self, node: Node, point: Point, find: impl Fn() -> T) -> &T {
        self.0.of((node, point), find)
    }
}

impl<T> Default for NodeCache<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A cache for many keys: [`Cache`]s over which the keys are spread, so that each is short. `LISTS` is a power of two.
#[derive(Debug)]
pub struct CacheMap<K, T, const LISTS: usize>([Cache<K, T>; LISTS]);

impl<K: Copy + PartialEq, T, const LISTS: usize> CacheMap<K, T, LISTS> {
    /// An empty cache.
    pub const fn new() -> Self {
        Self([const { Cache::new() }; LISTS])
    }

    /// The value of a key; `find` computes it if it is not cached. `number` is the same for equal keys, and should differ for others, however little.
    pub fn of(&self, key: K, number: u64, find: impl Fn() -> T) -> &T {
        // Spreads neighbouring numbers.
        let digest = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0[(digest >> (u64::BITS - LISTS.ilog2())) as usize].of(key, find)
    }
}

impl<K: Copy + PartialEq, T, const LISTS: usize> Default for CacheMap<K, T, LISTS> {
    fn default() -> Self {
        Self::new()
    }
}

/// A [`CacheMap`] of values by node and point, for many versions of prime-rl.
#[derive(Debug)]
pub struct NodeMap<T, const LISTS: usize>(CacheMap<(Node, Point), T, LISTS>);

impl<T, const LISTS: usize> NodeMap<T, LISTS> {
    /// An empty cache.
    pub const fn new() -> Self {
        Self(CacheMap::new())
    }

    /// The value of a node at a point; `find` computes it if it is not cached.
    pub fn of(&self, node: Node, point: Point, find: impl Fn() -> T) -> &T {
        self.0.of((node, point), u64::from(node.id()) << 16 | u64::from(point.0), find)
    }
}

impl<T, const LISTS: usize> Default for NodeMap<T, LISTS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::NodeCache;
    use crate::{History, Kind, Point};

    #[test]
    fn each_value_is_computed_once() {
        let asked = Cell::new(0);
        let known = NodeCache::new();
        let nodes = [History::built_in().root(Kind::Rl), History::built_in().root(Kind::Sft)];
        let find = |node: crate::Node, point: Point| {
            *known.of(node, point, || {
                asked.set(asked.get() + 1);
                (node.id(), point.0)
            })
        };
        for _ in 0..2 {
            for (node, point) in nodes.into_iter().flat_map(|node| [(node, Point(3)), (node, Point(7))]) {
                assert_eq!(find(node, point), (node.id(), point.0));
            }
        }
        assert_eq!(asked.get(), 4);
    }
}
