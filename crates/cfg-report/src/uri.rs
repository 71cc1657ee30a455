//! Paths as URI references.

use std::fmt::Write as _;

/// A path as a URI reference: relative if the path is, otherwise with `file:`. Characters that URIs don't allow, or read as something else, are
/// percent-encoded.
pub(crate) fn of_path(path: &str) -> String {
    let mut uri = String::with_capacity(path.len() + 8);
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.starts_with(std::path::is_separator) {
        uri.push_str("file://");
    } else if cfg!(windows) && path.as_bytes().get(1) == Some(&b':') {
        uri.push_str("file:///");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' | b'=' | b',' => {
                uri.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::of_path;

    #[test]
    fn paths_are_converted_to_uris() {
        assert_eq!(of_path("./my runs/rl.toml"), "my%20runs/rl.toml");
        assert_eq!(of_path("a:b#c?d%e.toml"), "a%3Ab%23c%3Fd%25e.toml");
        assert_eq!(of_path("é\u{1b}.toml"), "%C3%A9%1B.toml");
        assert_eq!(of_path("<stdin>"), "%3Cstdin%3E");
        assert_eq!(of_path("../rl.toml"), "../rl.toml");
    }

    #[cfg(unix)]
    #[test]
    fn absolute_paths_name_their_scheme() {
        assert_eq!(of_path("/runs/a b.toml"), "file:///runs/a%20b.toml");
    }
}
