//! Texts in boxes: trainers print answers of the model in them, which may be about any error.

use crate::prefix;

/// How many bytes above a line the upper border of its box is looked for.
const REACH: usize = 16 << 10;

/// The border at the left of a box.
const FRAMES: [char; 2] = ['│', '┃'];

/// Of a line this many bytes are looked at for the border at its left.
const FRAME_BYTES: usize = 200;

/// Words in the upper border of a box in which a program reports its own error: that of a command line, or a traceback.
const REPORTS: [&str; 2] = ["error", "traceback"];

/// Whether a line is in a box that quotes something else: it begins with the border at the left, and the box is not that of an error. Without an upper border it
/// may also be in the frame of a terminal's window, in which the lines of a logger stand.
pub(crate) fn is_quoted(above: &[u8], line: &[u8]) -> bool {
    // Bytes of the two borders.
    let may_be = memchr::memmem::find(&line[..line.len().min(FRAME_BYTES)], b"\xe2\x94").is_some();
    if !may_be || !of_prefix(line, |line| line.text.trim_start().starts_with(FRAMES)) {
        return false;
    }
    let from = above.len().saturating_sub(REACH);
    let mut lines = above[from..].rsplit(|byte| *byte == b'\n');
    let border = lines.find(|line| {
        let text = String::from_utf8_lossy(line);
        ['╭', '┌', '┏'].iter().any(|corner| text.contains(*corner))
    });
    let Some(border) = border else {
        let is_logged = |line: &[u8]| of_prefix(line, |line| line.time.is_some() && line.before().contains(FRAMES));
        return !above[from..].split(|byte| *byte == b'\n').any(is_logged);
    };
    let border = String::from_utf8_lossy(border).to_lowercase();
    !REPORTS.iter().any(|word| border.contains(word))
}

/// Whether the beginning of a line is as wanted.
fn of_prefix(line: &[u8], is_wanted: impl FnOnce(&prefix::Line<'_>) -> bool) -> bool {
    is_wanted(&prefix::line(&String::from_utf8_lossy(&line[..line.len().min(FRAME_BYTES)])))
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
        let of_a_window =
            "│ INFO 03-24 04:03:55 [gpu_model_runner.py:1176] Starting to load model\n│ Traceback (most recent call last):\n";
        assert!(!is_quoted(of_a_window.as_bytes(), line));
        assert!(!is_quoted(b"", "RuntimeError: a │ b".as_bytes()));
    }
}
