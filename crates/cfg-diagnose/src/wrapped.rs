//! Joins the lines of a log that a terminal broke at its width, as `tmux capture-pane` or a copied screen has them. Line numbers stay those of the file:
//! what was appended to a line leaves an empty one.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use crate::prefix::{self, Level};

/// The narrowest and the widest terminal, in characters.
const NARROWEST: usize = 40;
const WIDEST: usize = 500;

/// A log with fewer full lines than this was not broken.
const LEAST: usize = 3;

/// A longer line is passed on in pieces, in bytes.
const LONGEST: u64 = 1 << 16;

/// The width in characters at which the lines at the beginning of a log were broken; `None` if they were not. `is_whole` tells whether this is the whole log.
pub fn wrapped_at(head: &[u8], is_whole: bool) -> Option<usize> {
    // A recording with escape sequences is not broken by its terminal.
    let end = if is_whole { head.len() } else { memchr::memrchr(b'\n', head)? };
    let text = str::from_utf8(&head[..end]).ok().filter(|text| !text.contains('\x1b'))?;
    let lines: Vec<&str> = text.lines().collect();
    let widths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
    let width = widths.iter().copied().max()?;
    if !(NARROWEST..=WIDEST).contains(&width) {
        return None;
    }
    // Lines of one format often have the same length, but then each begins like one.
    let full = || (0..lines.len()).filter(|at| widths[*at] == width && !is_drawn(lines[*at]));
    let broken = full().filter(|at| lines.get(at + 1).is_some_and(|next| continues(lines[*at], next))).count();
    (broken >= LEAST && broken * 3 >= full().count() * 2).then_some(width)
}

/// Lines of one format begin alike in this many bytes.
const ALIKE: usize = 4;

/// Whether a line may be the end of the one above it, which was broken: it does not begin as a line does, and not like the one above.
fn continues(above: &str, line: &str) -> bool {
    let found = prefix::line(line);
    let begins = found.time.is_some() || found.level != Level::None || !found.speaker.is_empty();
    let is_python = found.text.starts_with("Traceback (") || found.text.trim_start().starts_with("File \"");
    let word = line.split([' ', ':']).next().unwrap_or_default();
    // `INFO:     127.0.0.1 ...`, and a line of JSON.
    let is_label = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_uppercase()) || line.starts_with("{\"");
    let is_alike = above.as_bytes().get(..ALIKE).is_some_and(|begin| line.as_bytes().starts_with(begin));
    !(line.trim().is_empty() || begins || is_python || is_label || is_alike || is_drawn(line))
}

/// Whether a line is a progress bar, a rule or a row of a table, which fill the width of the terminal.
fn is_drawn(line: &str) -> bool {
    let ends = ['|', '+', '*', '=', '-', '~', '^', '│', '┃', '╮', '╯', '┐', '┘', '─', '━', '╌'];
    line.ends_with(ends) || line.contains("it/s") || line.contains("s/it") || line.contains('█')
}

/// A log whose broken lines are joined.
#[derive(Debug)]
pub struct Unwrapped<R> {
    from: BufReader<R>,
    width: usize,
    /// What has been joined, as far as it is not read yet.
    out: Cursor<Vec<u8>>,
    /// The line that was read to see whether it continues the one before.
    next: Vec<u8>,
}

impl<R: Read> Unwrapped<R> {
    /// A log that was broken at this width, in characters.
    pub fn new(from: R, width: usize) -> Self {
        Self { from: BufReader::new(from), width, out: Cursor::default(), next: Vec::new() }
    }

    /// Reads a line with its end, or a piece of a long one.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        (&mut self.from).take(LONGEST).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    fn is_full(&self, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(content(line));
        line.ends_with(b"\n") && !is_drawn(&text) && text.chars().count() == self.width
    }

    /// Joins the next line with those that continue it.
    fn join(&mut self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut line = std::mem::take(&mut self.next);
        if line.is_empty() {
            line = self.line()?;
        }
        let mut joined = 0;
        loop {
            let is_full = self.is_full(&line);
            if is_full {
                self.next = self.line()?;
            }
            let text = |line: &[u8]| String::from_utf8_lossy(content(line)).into_owned();
            let goes_on = is_full && continues(&text(&line), &text(&self.next));
            if !goes_on {
                out.extend_from_slice(&line);
                out.extend(std::iter::repeat_n(b'\n', joined));
                return Ok(out);
            }
            out.extend_from_slice(content(&line));
            joined += 1;
            line = std::mem::take(&mut self.next);
        }
    }
}

/// A line without its end.
fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl<R: Read> Read for Unwrapped<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let given = self.out.read(to)?;
        if given > 0 || to.is_empty() {
            return Ok(given);
        }
        self.out = Cursor::new(self.join()?);
        self.out.read(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{Unwrapped, wrapped_at};

    const LINES: [&str; 5] = [
        "09:00:00    INFO Starting RL trainer in World(world_size=24, rank=0, local_rank=2, local_world_size=8, num_nodes=3)",
        "09:00:01    INFO short",
        "09:00:02 SUCCESS Step 1 | Time: 41.20s | Reward: 0.3100 | Seq. Length: 142.7 tokens/sample | Async Level: 1 | Max. Off-Policy Level: 1",
        "Traceback (most recent call last):",
        "RuntimeError: a message that is long enough to be broken by a terminal of sixty-four columns, and once more behind that",
    ];

    fn broken(width: usize) -> String {
        let pieces = |line: &&str| {
            let chars: Vec<char> = line.chars().collect();
            let pieces: Vec<String> = chars.chunks(width).map(|piece| piece.iter().collect()).collect();
            pieces.join("\n") + "\n"
        };
        LINES.iter().map(pieces).collect()
    }

    #[test]
    fn broken_lines_are_joined_and_keep_their_numbers() {
        let text = broken(64);
        assert_eq!(wrapped_at(text.as_bytes(), true), Some(64));
        let mut joined = String::new();
        Unwrapped::new(text.as_bytes(), 64).read_to_string(&mut joined).expect("text");
        assert_eq!(joined.lines().count(), text.lines().count());
        let whole: Vec<&str> = joined.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(whole, LINES);
        let place = |text: &str| text.lines().position(|line| line.starts_with("RuntimeError"));
        assert_eq!(place(&joined), place(&text));
    }

    /// Lines of one length, bars and tables are no broken lines.
    #[test]
    fn other_logs_are_left_alone() {
        let whole = LINES.join("\n");
        assert_eq!(wrapped_at(whole.as_bytes(), true), None);
        let steps: Vec<String> =
            (10..40).map(|step| format!("09:00:{step} SUCCESS Step {step} | Loss: 0.1000 | KL: 0.0010\n")).collect();
        assert_eq!(wrapped_at(steps.concat().as_bytes(), true), None);
        let bars: Vec<String> = (10..40)
            .map(|done| format!("Generating rollouts:  {done}%|####     | {done}/100 [00:05<00:15,  6.14it/s]\n"))
            .collect();
        assert_eq!(wrapped_at(bars.concat().as_bytes(), true), None);
        let requests: Vec<String> = (10..40)
            .map(|port| format!("INFO:     127.0.0.1:410{port} - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n"))
            .collect();
        assert_eq!(wrapped_at(requests.concat().as_bytes(), true), None);
        let entries: Vec<String> = (10..40)
            .map(|step| format!("{{\"timestamp\": \"2026-11-20T09:00:{step}Z\", \"message\": \"Step {step}\"}}\n"))
            .collect();
        assert_eq!(wrapped_at(entries.concat().as_bytes(), true), None);
        let free: Vec<String> =
            (10..40).map(|item| format!("item {item} of the list, in a sentence that is always as long\n")).collect();
        assert_eq!(wrapped_at(free.concat().as_bytes(), true), None);
        let rows: Vec<String> = (10..40).map(|row| format!("| GPU {row}  NVIDIA H100  | 12345MiB / 81559MiB |\n")).collect();
        assert_eq!(wrapped_at(rows.concat().as_bytes(), true), None);
        assert_eq!((wrapped_at(b"", true), wrapped_at(b"\xff\n", true)), (None, None));
    }
}
