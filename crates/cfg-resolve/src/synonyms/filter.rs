//! Tells of most words that they are none of a few, without a comparison of texts.

/// Several times the number of words that are held, so that few others are taken for one.
const BITS: usize = 1 << 12;

/// Holds words by their digests. Another word may be taken for one of them.
pub(super) struct Filter([u64; BITS / 64]);

impl Filter {
    /// Holds nothing.
    pub(super) const EMPTY: Self = Self([0; BITS / 64]);

    /// Adds a word.
    pub(super) const fn add(&mut self, digest: u64) {
        let at = Self::at(digest);
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// Whether a word may have been added.
    pub(super) const fn may_have(&self, digest: u64) -> bool {
        let at = Self::at(digest);
        self.0[at / 64] & 1 << (at % 64) != 0
    }

    const fn at(digest: u64) -> usize {
        (digest ^ digest >> 32) as usize % BITS
    }
}

/// The digest of no bytes.
pub(crate) const NO_BYTES: u64 = 0xcbf2_9ce4_8422_2325;

/// The digest of some bytes and one more.
pub(crate) const fn digest_with(digest: u64, byte: u8) -> u64 {
    (digest ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}

/// A number for the bytes of a word from one on, by which words are told apart.
pub(crate) const fn digest(word: &[u8], start: usize) -> u64 {
    let (mut digest, mut at) = (NO_BYTES, start);
    while at < word.len() {
        digest = digest_with(digest, word[at]);
        at += 1;
    }
    digest
}
