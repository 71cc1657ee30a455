//! Which errors of rollouts are the same.

use std::hash::{DefaultHasher, Hash, Hasher};

/// An error of rollouts, without what differs from one rollout to the next: numbers and ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ErrorKind(u64);

/// Of an error, this many bytes say which one it is; what follows quotes the rollout.
const SAID: usize = 160;

impl ErrorKind {
    /// The kind of an error with this text, in lower case.
    pub(crate) fn of(text: &str) -> Self {
        let words =
            text.get(..text.floor_char_boundary(SAID)).unwrap_or(text).split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let mut hasher = DefaultHasher::new();
        words
            .filter(|word| !word.is_empty() && !word.bytes().any(|byte| byte.is_ascii_digit()))
            .for_each(|word| word.hash(&mut hasher));
        Self(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorKind;

    #[test]
    fn numbers_and_ids_make_no_other_error() {
        let of = ErrorKind::of;
        assert_eq!(of("keyerror: 'answer' of 3f2a-77"), of("keyerror: 'answer' of 9b1c-12"));
        assert_eq!(of("timed out after 30.5s"), of("timed out after 31s"));
        assert_ne!(of("keyerror: 'answer'"), of("keyerror: 'prompt'"));
        assert_eq!(of(&"é".repeat(200)), of(&"é".repeat(300)));
    }
}
