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
        let texts = self.texts.get_or_init(|| self.contents().map(Into::into).collect());
        texts.contains(&*digest.to_string())
    }
}

/// A text with LF for all CRLF, or the other way round; `None` if it has both, or only one line.
fn with_other_line_ends(text: &[u8]) -> Option<Vec<u8>> {
    let lines = text.split(|byte| *byte == b'\n').count() - 1;
    let returned = text.windows(2).filter(|pair| pair == b"\r\n").count();
    let is_whole = lines > 0 && (returned == 0 || returned == lines);
    is_whole.then(|| {
        let mut other = Vec::with_capacity(text.len() + lines);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                None => other.extend_from_slice(line),
                Some(line) if returned == 0 => other.extend_from_slice(&[line, b"\r\n"].concat()),
                Some(line) => other.extend_from_slice(&[line.strip_suffix(b"\r").unwrap_or(line), b"\n"].concat()),
            }
        }
        other
    })
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
