//! Reads a file of git's settings as git reads it: comments, continued lines, quotes, and several settings in one line.

/// A setting. Names are in lower case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The section, without the rest of its name: `includeif` of `[includeIf "gitdir:/"]`.
    pub(super) section: String,
    pub(super) name: String,
    pub(super) value: Vec<u8>,
}

/// The settings of a file, up to the first error, at which git ends.
pub(super) fn parse(text: &[u8]) -> Vec<Setting> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = Reader { text, at: 0 };
    let mut settings = Vec::new();
    let mut section = String::new();
    while let Some(byte) = reader.next() {
        match byte {
            b'#' | b';' => reader.skip_line(),
            b'[' => match reader.section() {
                Some(new) => section = new,
                None => break,
            },
            _ if byte.is_ascii_whitespace() => {}
            _ if byte.is_ascii_alphabetic() => match reader.setting(byte) {
                Some((name, value)) => settings.push(Setting { section: section.clone(), name, value }),
                None => break,
            },
            _ => break,
        }
    }
    settings
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte, in which a line ends with a line feed.
    fn next(&mut self) -> Option<u8> {
        if self.text[self.at.min(self.text.len())..].starts_with(b"\r\n") {
            self.at += 1;
        }
        let byte = self.text.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// The section after its `[`.
    fn section(&mut self) -> Option<String> {
        let mut section = String::new();
        let (mut is_rest, mut is_quoted) = (false, false);
        loop {
            match self.next()? {
                b']' if !is_quoted => return Some(section),
                b'\n' => return None,
                b'\\' if is_quoted => drop(self.next()?),
                b'"' => is_quoted = !is_quoted,
                b'.' => is_rest = true,
                byte if byte.is_ascii_whitespace() => is_rest = true,
                byte if !is_rest => section.push(byte.to_ascii_lowercase().into()),
                _ => {}
            }
        }
    }

    /// A setting after the first letter of its name.
    fn setting(&mut self, first: u8) -> Option<(String, Vec<u8>)> {
        let mut name = String::from(char::from(first.to_ascii_lowercase()));
        let mut byte = self.next();
        while let Some(letter) = byte.filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            name.push(letter.to_ascii_lowercase().into());
            byte = self.next();
        }
        while matches!(byte, Some(b' ' | b'\t')) {
            byte = self.next();
        }
        match byte {
            None | Some(b'\n') => Some((name, Vec::new())),
            Some(b'=') => Some((name, self.value()?)),
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let (mut value, mut is_quoted, mut end) = (Vec::new(), false, 0);
        loop {
            match self.next() {
                None | Some(b'\n') if is_quoted => return None,
                None | Some(b'\n') => break,
                Some(b'#' | b';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some(b'"') => is_quoted = !is_quoted,
                Some(b'\\') => match self.next()? {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'n' => value.push(b'\n'),
                    b'b' => value.push(8),
                    other @ (b'\\' | b'"') => value.push(other),
                    _ => return None,
                },
                Some(byte) if byte.is_ascii_whitespace() && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                Some(byte) => value.push(byte),
            }
            end = value.len();
        }
        // Spaces at the end do not belong to it.
        value.truncate(end);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn read(text: &str) -> Vec<String> {
        let settings = parse(text.as_bytes()).into_iter();
        settings.map(|one| format!("{}/{}={}", one.section, one.name, String::from_utf8_lossy(&one.value))).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        assert_eq!(
            read(
                "# [no]\n[Core] bare = false ; x\n[a][includeIf \"gitdir:/]\\\"\"]PATH=  in\\\n\"c \\\"#\"d  \r\n[include]\n\tpath\n"
            ),
            ["core/bare=false", "includeif/path=inc \"#d", "include/path="]
        );
        assert_eq!(read("[include.x]path=a b\t c  # y"), ["include/path=a b\t c"]);
        assert_eq!(read("\u{feff}[a]\nb=1\nc d\ne=2"), ["a/b=1"], "git ends at an error");
        for odd in ["[", "[a", "[a]b=\"", "[a]b=\\", "[a]b=\\x", "]", "\\", "[a\n]b=1", "[a]b"] {
            read(odd);
        }
    }
}
