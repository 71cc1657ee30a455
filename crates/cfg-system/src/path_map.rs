//! Maps whose keys are paths: several of them are asked for each config, and most paths are long.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    hash::{BuildHasher, Hasher, RandomState},
};

/// Values by the texts of absolute paths.
pub type PathMap<V> = HashMap<OsString, V, PathHash>;

/// The texts of absolute paths.
pub type PathSet = HashSet<OsString, PathHash>;

/// Hashes texts by eight bytes at once. The seed is random, so that nobody can choose names of files that have the same hash.
#[derive(Clone, Copy, Debug)]
pub struct PathHash {
    seed: u64,
}

impl Default for PathHash {
    fn default() -> Self {
        Self { seed: RandomState::new().hash_one(()) | 1 }
    }
}

impl BuildHasher for PathHash {
    type Hasher = PathHasher;

    fn build_hasher(&self) -> PathHasher {
        PathHasher { seed: self.seed, hash: 0 }
    }
}

/// The hash of the bytes so far.
#[derive(Clone, Copy, Debug)]
pub struct PathHasher {
    seed: u64,
    hash: u64,
}

impl PathHasher {
    fn add(&mut self, word: u64) {
        let product = u128::from(self.hash ^ self.seed ^ word) * u128::from(self.seed.rotate_left(32));
        self.hash = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for PathHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last));
    }

    fn write_usize(&mut self, length: usize) {
        self.add(length as u64);
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, ffi::OsStr, hash::BuildHasher};

    use super::PathHash;

    #[test]
    fn similar_paths_have_different_hashes() {
        let hash = PathHash::default();
        let paths = (0..10_000).flat_map(|number| [format!("/runs/{number}"), format!("/runs/{number:08}/{number}/rl.toml")]);
        let hashes: HashSet<u64> =
            paths.chain(["/a".into(), "/a\0".into(), String::new()]).map(|path| hash.hash_one(OsStr::new(&path))).collect();
        assert_eq!(hashes.len(), 20_003);
        // A map uses the low bits for places, and the high ones for comparisons.
        for bits in
            [hashes.iter().map(|hash| hash % 4096).collect::<HashSet<_>>(), hashes.iter().map(|hash| hash >> 52).collect()]
        {
            assert!(bits.len() > 3900, "{}", bits.len());
        }
    }
}
