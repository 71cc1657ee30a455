//! Locations: the parser counts characters, and all other code counts bytes.

/// Converts the parser's locations to byte offsets.
pub(super) enum Places {
    Ascii(usize),
    /// The byte offset of each character, and the end.
    Wide(Vec<usize>),
}

impl Places {
    pub(super) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ascii(text.len());
        }
        Self::Wide(text.char_indices().map(|(at, _)| at).chain([text.len()]).collect())
    }

    pub(super) fn byte(&self, character: usize) -> usize {
        match self {
            Self::Ascii(len) => character.min(*len),
            Self::Wide(starts) => starts.get(character).or(starts.last()).copied().unwrap_or_default(),
        }
    }
}
