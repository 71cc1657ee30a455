//! Whether a text is registered, whatever line ends git gave it in this checkout.

use super::Registry;
use crate::fingerprint::Digest;

impl Registry {
    /// The digest under which a text is registered: as it is, or with the line ends of another checkout, which git converts between systems
    /// (`core.autocrlf`). That of the text as it is if it is not registered.
    pub fn digest_of(&self, text: &[u8]) -> Digest {
        let own = Digest::of(text);
        if self.knows(&own) {
            return own;
        }
        let other = with_other_line_ends(text).map(|other| Digest::of(&other));
        other.filter(|other| self.knows(other)).unwrap_or(own)
    }

    /// Whether a text with this digest is registered.
    fn knows(&self, digest: &Digest) -> bool {
        self.texts.get_or_init(|| self.contents().filter_map(|sha256| sha256.parse().ok()).collect()).contains(digest)
    }
}

/// A text with LF for all CRLF, or the other way round; `None` if it has both, or only one line.
fn with_other_line_ends(text: &[u8]) -> Option<Vec<u8>> {
    let ends = || text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let is_returned = |end: &usize| text[..*end].ends_with(b"\r");
    let (lines, returned) = (ends().count(), ends().filter(is_returned).count());
    if lines == 0 || returned != 0 && returned != lines {
        return None;
    }
    let (end, kept): (&[u8], usize) = if returned == 0 { (b"\r\n", 0) } else { (b"\n", 1) };
    let mut other = Vec::with_capacity(text.len() + lines);
    let mut from = 0;
    for at in ends() {
        other.extend_from_slice(&text[from..at - kept]);
        other.extend_from_slice(end);
        from = at + 1;
    }
    other.extend_from_slice(&text[from..]);
    Some(other)
}

#[cfg(test)]
mod tests {
    use super::with_other_line_ends;

    #[test]
    fn only_texts_with_one_kind_of_line_ends_are_converted() {
        for (text, other) in [
            ("a\nb\n", Some("a\r\nb\r\n")),
            ("a\nb", Some("a\r\nb")),
            ("a\rb\n", Some("a\rb\r\n")),
            ("a\r\nb\n", None),
            ("a\r", None),
            ("", None),
        ] {
            let found = with_other_line_ends(text.as_bytes());
            assert_eq!(found.as_deref(), other.map(str::as_bytes), "{text:?}");
            if let Some(found) = found {
                assert_eq!(with_other_line_ends(&found).as_deref(), Some(text.as_bytes()));
            }
        }
    }
}
