//! Logs that a collector keeps as JSON, one object for each line of a program: docker, Fluent Bit, Vector, Loki, journald, Google Cloud. They are read
//! as the program wrote them, with the collector's time before each line.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use serde_json::{Map, Value};

use crate::{prefix::dated, timeline::DAY};

/// The keys under which the line stands.
const LINES: [&str; 5] = ["log", "MESSAGE", "textPayload", "line", "message"];

/// The keys of the time: a date, or seconds or microseconds since 1970.
const TIMES: [&str; 6] = ["time", "timestamp", "@timestamp", "ts", "date", "__REALTIME_TIMESTAMP"];

/// The level in an object that the program's own logger wrote.
const LEVELS: [&str; 3] = ["level", "levelname", "severity"];

/// At the beginning of a log, this many lines show what it is.
const SHOWN: usize = 16;

/// A longer line is passed on as it is, in bytes.
const LONGEST: u64 = 1 << 20;

/// Whether the lines at the beginning of a log are objects of a collector. `is_whole` tells whether this is the whole log.
pub fn is_enveloped(head: &[u8], is_whole: bool) -> bool {
    let end = if is_whole { head.len() } else { memchr::memrchr(b'\n', head).unwrap_or(0) };
    let lines = head[..end].split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut shown = lines.take(SHOWN).peekable();
    shown.peek().is_some() && shown.all(|line| unfolded(line).is_some())
}

/// The line of a program in an object, with the time of day before it.
fn unfolded(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    if line.first() != Some(&b'{') {
        return None;
    }
    let Ok(Value::Object(entry)) = serde_json::from_slice::<Value>(line) else { return None };
    let (key, text) = LINES.iter().find_map(|key| Some((*key, entry.get(*key)?.as_str()?)))?;
    // The object of a logger is read as it is.
    if key == "message" && LEVELS.iter().any(|level| entry.contains_key(*level)) {
        return None;
    }
    // One object is one line, so that the numbers of lines stay those of the file.
    let text = text.trim_end_matches(['\n', '\r']).replace('\n', "\\n");
    let time = time(&entry).map(|time| format!("{:02}:{:02}:{:02} ", time / 3600, time / 60 % 60, time % 60));
    Some(time.unwrap_or_default() + &text)
}

/// The time of day in seconds.
fn time(entry: &Map<String, Value>) -> Option<u32> {
    TIMES.iter().find_map(|key| {
        let value = entry.get(*key)?;
        let text = value.as_str();
        if let Some((time, _)) = text.and_then(dated) {
            return Some(time);
        }
        #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
        let number = value.as_f64().or_else(|| text?.parse().ok())? as i64;
        // Seconds, milliseconds, microseconds or nanoseconds.
        let seconds = [1, 1_000, 1_000_000, 1_000_000_000].iter().map(|unit| number / unit).find(|seconds| *seconds < 1 << 33)?;
        u32::try_from(seconds.rem_euclid(DAY)).ok()
    })
}

/// A log of objects, as the program wrote it.
#[derive(Debug)]
pub struct Unfolded<R> {
    from: BufReader<R>,
    /// What has been unfolded, as far as it is not read yet.
    out: Cursor<Vec<u8>>,
}

impl<R: Read> Unfolded<R> {
    /// The log in a stream of objects.
    pub fn new(from: R) -> Self {
        Self { from: BufReader::new(from), out: Cursor::default() }
    }
}

impl<R: Read> Read for Unfolded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let given = self.out.read(to)?;
        if given > 0 || to.is_empty() {
            return Ok(given);
        }
        let mut line = Vec::new();
        (&mut self.from).take(LONGEST).read_until(b'\n', &mut line)?;
        if let Some(text) = unfolded(&line) {
            line = text.into_bytes();
            line.push(b'\n');
        }
        self.out = Cursor::new(line);
        self.out.read(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{Unfolded, is_enveloped};

    #[test]
    fn the_objects_of_collectors_are_unfolded() {
        for (object, line) in [
            ("{\"log\":\"Step 1\\n\",\"stream\":\"stderr\",\"time\":\"2026-08-10T09:00:01.1Z\"}", "09:00:01 Step 1\n"),
            ("{\"date\":1786352401.1,\"log\":\"  File\",\"kubernetes\":{\"pod_name\":\"x\"}}", "09:00:01   File\n"),
            ("{\"message\":\"Step 1\",\"host\":\"n1\",\"timestamp\":\"2026-08-10T09:00:01Z\"}", "09:00:01 Step 1\n"),
            ("{\"__REALTIME_TIMESTAMP\":\"1786352401000000\",\"MESSAGE\":\"Step 1\",\"PRIORITY\":\"6\"}", "09:00:01 Step 1\n"),
            ("{\"textPayload\":\"a\\nb\",\"severity\":\"ERROR\"}", "a\\nb\n"),
            ("{\"labels\":{},\"line\":\"x\",\"timestamp\":\"2026-08-10T09:00:01Z\"}", "09:00:01 x\n"),
        ] {
            assert!(is_enveloped(object.as_bytes(), true), "{object}");
            let mut text = String::new();
            Unfolded::new(format!("{object}\nno object\n").as_bytes()).read_to_string(&mut text).expect("text");
            assert_eq!(text, format!("{line}no object\n"), "{object}");
        }
    }

    #[test]
    fn other_logs_are_left_alone() {
        let logger = "{\"timestamp\":\"2026-08-10T09:00:01Z\",\"level\":\"INFO\",\"message\":\"Step 1\"}\n";
        let metrics = "{\"step\": 1, \"reward\": 0.5}\n";
        for text in ["", "\n\n", "Step 1\n", logger, metrics, "{\"log\": 1}\n", "{\"log\": \"x\"}\nStep 1\n", "\u{ff}\n"] {
            assert!(!is_enveloped(text.as_bytes(), true), "{text}");
        }
        assert!(!is_enveloped(b"{\"log\": \"x\"", false));
    }
}
