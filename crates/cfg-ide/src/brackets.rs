//! The brackets around the cursor.

/// The brackets that are open at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    /// What closes them, the innermost one first, set off by a blank as their contents are from their beginning.
    pub(crate) closing: String,
    /// The place of the outermost one.
    pub(crate) outermost: u32,
    /// The place behind the innermost one.
    pub(crate) inside: u32,
}

impl Open {
    /// Whether the contents of the innermost bracket are set off from it.
    pub(crate) fn is_set_off(&self, text: &str) -> bool {
        is_set_off(text, self.inside as usize)
    }
}

/// What closes a bracket whose contents begin at `start`, set off as these are.
pub(crate) fn closing_of(text: &str, start: usize, is_array: bool) -> &'static str {
    match (is_set_off(text, start), is_array) {
        (true, true) => " ]",
        (true, false) => " }",
        (false, true) => "]",
        (false, false) => "}",
    }
}

fn is_set_off(text: &str, start: usize) -> bool {
    text[start..].starts_with([' ', '\t'])
}
