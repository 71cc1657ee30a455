//! Texts in boxes: trainers print answers of the model in them, which may be about any error.

use crate::prefix;

/// How many bytes above a line the upper border of its box is looked for.
const REACH: usize = 16 << 10;

/// Words in the upper border of a box in which a program reports its own error: that of a command line, or a traceback.
const REPORTS: [&str; 2] = ["error", "traceback"];

/// Whether a line is in a box that quotes something else: it begins with the border at the left, and the box is not that of an error.
pub(crate) fn is_quoted(above: &[u8], line: &[u8]) -> bool {
    let is_in_box = |line: &[u8]| {
        let text = String::from_utf8_lossy(&line[..line.len().min(200)]);
        prefix::line(&text).text.trim_start().starts_with(['│', '┃'])
    };
    // Bytes of the two borders.
    let may_be = memchr::memmem::find(&line[..line.len().min(200)], b"\xe2\x94").is_some();
    if !may_be || !is_in_box(line) {
        return false;
    }
    let from = above.len().saturating_sub(REACH);
    let mut lines = above[from..].rsplit(|byte| *byte == b'\n');
    let border = lines.find(|line| {
        let text = String::from_utf8_lossy(line);
        ['╭', '┌', '┏'].iter().any(|corner| text.contains(*corner))
    });
    let Some(border) = border else { return true };
    let border = String::from_utf8_lossy(border).to_lowercase();
    !REPORTS.iter().any(|word| border.contains(word))
}

#[cfg(test)]
mod tests {
    use super::is_quoted;

    #[test]
    fn answers_are_quoted_and_errors_are_not() {
        let line = "│ torch.OutOfMemoryError: CUDA out of memory │".as_bytes();
        for (above, quoted) in [
            ("╭───── completion ─────╮\n│ It says │\n", true),
            ("┏━━━━━━┳━━━━━┓\n┃ Prompt ┃ Answer ┃\n", true),
            ("no border\n", true),
            ("╭─ Error ──╮\n", false),
            ("╭──── Traceback (most recent call last) ────╮\n│ x │\n", false),
        ] {
            assert_eq!(is_quoted(above.as_bytes(), line), quoted, "{above}");
        }
        assert!(is_quoted(b"", "12:00:01    INFO │ RuntimeError: NCCL │".as_bytes()));
        assert!(!is_quoted(b"", b"RuntimeError: NCCL"));
        assert!(!is_quoted(b"", "RuntimeError: a │ b".as_bytes()));
    }
}
