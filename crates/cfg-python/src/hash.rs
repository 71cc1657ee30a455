//! Maps and sets with a fast hash, for keys of our own making: names of sources, places in tables. Their order differs from process to process.

use foldhash::fast::RandomState;

/// A map.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A set.
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;
