//! What stands before the message of a line: the time, the level, the process, and what a [collector](crate::collector) of logs writes before each line.

use std::borrow::Cow;

use serde_json::Value;

use crate::{
    collector::{collected, dated_by},
    shape::Shape,
};

/// How urgent a logger says that a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Level {
    /// The line is not a logger's.
    #[default]
    None,
    /// Debug, info or success.
    Info,
    Warning,
    Error,
}

/// A line without what stands before its message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line<'l> {
    /// The message. Spaces at its beginning remain, because they show what belongs together.
    pub(crate) text: &'l str,
    /// The time of day in seconds, if the line begins with one.
    pub(crate) time: Option<u32>,
    pub(crate) level: Level,
    /// The process that wrote the line, as its prefix names it: `EngineCore_DP0 pid=11`, `rank0`; empty if none does.
    pub(crate) speaker: &'l str,
    /// The task or the machine that a collector names: `3` of `srun --label`; empty if none does.
    pub(crate) task: &'l str,
    /// The pod and its container, as `kubectl logs --prefix` names them: `pod/trainer-0/trainer`; empty if it doesn't.
    pub(crate) pod: &'l str,
    /// What stands before the logger's own time, of a kind that is not known; empty in most logs.
    pub(crate) unknown: &'l str,
    whole: &'l str,
}

/// More prefixes than this stand before no message.
const MAX_PREFIXES: usize = 8;

/// The longest name of a process in brackets, in bytes.
pub(crate) const LONGEST_NAME: usize = 120;

/// Of the lines above another one, this many are looked at.
pub(crate) const SHOWN: usize = 24;

/// A logger's line begins within this many bytes of a line, behind what is not known.
const FARTHEST: usize = 512;

/// The time of kubectl, docker or journald is only used if the program wrote none itself.
pub(crate) fn line(whole: &str) -> Line<'_> {
    let mut line = Line { text: whole, whole, ..Line::default() };
    for _ in 0..MAX_PREFIXES {
        if !line.step() {
            break;
        }
    }
    line
}

/// A line without what stands before its message, in a log whose lines have a prefix of this shape.
pub(crate) fn line_of<'l>(whole: &'l str, shape: Option<&Shape>) -> Line<'l> {
    let mut found = line(whole);
    if let Some(text) = shape.and_then(|shape| shape.strip(found.text)) {
        found = Line { speaker: found.speaker, task: found.task, pod: found.pod, time: found.time, whole, ..line(text) };
    }
    found
}

/// What stands before the lines of a part of a log, if it is nothing known: the logger's line nearest to its end shows it.
pub(crate) fn shape(part: &str) -> Option<Shape> {
    part.lines().rev().take(SHOWN).find_map(|text| Shape::of(line(text).unknown))
}

impl<'l> Line<'l> {
    /// All that stands before the message.
    pub(crate) fn before(&self) -> &str {
        &self.whole[..self.whole.len().saturating_sub(self.text.len())]
    }

    /// Who wrote the line, as far as its prefix says: the task, and the process in it.
    pub(crate) fn who(&self) -> Cow<'l, str> {
        if self.task.is_empty() { self.speaker.into() } else { format!("{} {}", self.task, self.speaker).into() }
    }

    /// The message behind a level that stands alone, as it does in lines of which the time was cut off.
    pub(crate) fn behind_level(&self) -> &'l str {
        let found = if self.level == Level::None { level(self.text.trim_start()) } else { None };
        found.map_or(self.text, |(_, rest)| rest)
    }

    /// Removes one prefix; `false` if there is none.
    fn step(&mut self) -> bool {
        let text = self.text.trim_start_matches([' ', '\t']);
        let text = if self.level == Level::None { text } else { passed_on(text) };
        if let Some(rest) = bracketed(text, self) {
            // A level before the name of a process is of the program that passes its lines on.
            if text.starts_with('(') {
                self.level = Level::None;
            }
            self.text = one_space(rest);
            return true;
        }
        if let Some((time, rest)) = clock(text).or_else(|| dated(text)).or_else(|| dated_by(text)).or_else(|| boxed(text)) {
            (self.time, self.text) = (Some(time), one_space(rest));
            // A logger writes its level after the time, padded to the same width.
            if let Some((level, rest)) = level(self.text.trim_start()) {
                (self.level, self.text) = (level, one_space(rest));
            }
            if let Some((level, rest)) = python_logger(self.text) {
                (self.level, self.text) = (level, rest);
            }
            return true;
        }
        // The message of a logger may begin with a name in brackets, or be another logger's line; nothing else stands before it.
        if self.level != Level::None {
            return false;
        }
        // vLLM: `INFO 08-19 13:12:50 [api_server.py:1805] message`.
        if let Some((found, rest)) = level(text)
            && let Some((time, rest)) = short_date(rest.trim_start())
        {
            (self.time, self.level) = (Some(time), found);
            let rest = one_space(rest);
            self.text = source_place(rest).map_or(rest, one_space);
            return true;
        }
        // A logger's line of which the time was cut off.
        let is_upper = text.len() > 1 && text.as_bytes()[..2].iter().all(u8::is_ascii_uppercase);
        if self.time.is_none()
            && is_upper
            && let Some((found, rest)) = level(text)
        {
            (self.level, self.text) = (found, one_space(rest));
            return true;
        }
        // Its text remains: the file of the C++ code says what it is about.
        self.time = self.time.or_else(|| glog(text));
        if let Some(rest) = collected(text).or_else(|| text.strip_prefix("> ")) {
            let name = text[..text.len() - rest.len()].trim_end_matches([' ', ':', '|']);
            if !name.is_empty() && !name.contains([' ', '{', '[', '>']) {
                self.task = name;
            }
            self.text = one_space(rest);
            return true;
        }
        if let Some(at) = logger_at(text) {
            (self.unknown, self.text) = text.split_at(at);
            return true;
        }
        false
    }
}

/// The line of a process that another program passes on, behind that program's name for it: `[container] (EngineCore pid=600) KeyError: 'x'`.
fn passed_on(text: &str) -> &str {
    let behind = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(text, |(_, behind)| behind);
    let is_process = behind.starts_with('(') && behind.split_once(')').is_some_and(|(name, _)| name.contains(" pid="));
    if is_process { behind } else { text }
}

/// Without the one space between a prefix and the message.
fn one_space(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text)
}

/// `[pod/trainer-0/trainer] `, `[rank0]: `, `[default3]:`, `(EngineCore_DP0 pid=11) `.
fn bracketed<'l>(text: &'l str, line: &mut Line<'l>) -> Option<&'l str> {
    let (close, is_round) = match text.as_bytes().first()? {
        b'[' => (']', false),
        b'(' => (')', true),
        _ => return None,
    };
    let end = text.as_bytes().iter().take(LONGEST_NAME).position(|byte| *byte == close as u8)?;
    let (name, rest) = (&text[1..end], &text[end + 1..]);
    let is_name = if is_round {
        name.contains("pid=")
    } else {
        let starts = ["pod/", "rank", "Rank", "default", "trainer", "orchestrator", "inference", "env"];
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':');
        starts.iter().any(|start| name.starts_with(start)) && name.bytes().all(is_plain)
    };
    if !is_name {
        return None;
    }
    // The pod is not a process: all lines of its file are its.
    *if name.starts_with("pod/") { &mut line.pod } else { &mut line.speaker } = name;
    Some(rest.strip_prefix(':').unwrap_or(rest))
}

/// Two digits.
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    match bytes.get(at..at + 2)? {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
        _ => None,
    }
}

/// `09:00:00`, with a fraction of a second and a zone behind it.
pub(crate) fn clock(text: &str) -> Option<(u32, &str)> {
    let bytes = text.as_bytes();
    let (hours, minutes, seconds) = (two(bytes, 0)?, two(bytes, 3)?, two(bytes, 6)?);
    let is_time = bytes[2] == b':' && bytes[5] == b':' && hours < 24 && minutes < 60 && seconds < 61;
    let rest = &bytes[8..];
    let more =
        rest.iter().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'+' | b':' | b'Z' | b'z')).count();
    // `09:00:00]` or `09:00:00abc` belongs to something else.
    let is_end = rest.get(more).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'|'));
    (is_time && is_end).then(|| (hours * 3600 + minutes * 60 + seconds, &text[8 + more..]))
}

/// `2026-08-24 13:01:21,123`, `2026-08-24T13:01:21Z`.
pub(crate) fn dated(text: &str) -> Option<(u32, &str)> {
    let bytes = text.as_bytes();
    let is_date = two(bytes, 0).is_some()
        && two(bytes, 2).is_some()
        && two(bytes, 5).is_some()
        && two(bytes, 8).is_some()
        && matches!((bytes[4], bytes[7]), (b'-', b'-') | (b'/', b'/'))
        && matches!(bytes.get(10), Some(b' ' | b'T' | b't'));
    if is_date { clock(&text[11..]) } else { None }
}

/// `08-19 13:12:50`, as vLLM writes it.
fn short_date(text: &str) -> Option<(u32, &str)> {
    let bytes = text.as_bytes();
    let is_date = two(bytes, 0).is_some() && two(bytes, 3).is_some() && bytes[2] == b'-' && bytes.get(5) == Some(&b' ');
    if is_date { clock(&text[6..]) } else { None }
}

/// `[2026-01-29 06:53:43]`, `[10:00:00]`.
fn boxed(text: &str) -> Option<(u32, &str)> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']').filter(|(inside, _)| inside.len() < 40)?;
    let (time, behind) = clock(inside).or_else(|| dated(inside))?;
    behind.is_empty().then_some((time, rest))
}

/// The time in `[E804 23:05:54.816499929 ProcessGroupNCCL.cpp:632]` and `W0917 10:46:03.100000 31700 api.py:900]`.
fn glog(text: &str) -> Option<u32> {
    let text = text.strip_prefix('[').unwrap_or(text);
    let rest = text.strip_prefix(['I', 'W', 'E', 'F', 'i', 'w', 'e', 'f'])?;
    let (day, rest) = rest.split_once(' ')?;
    let is_day = (3..=4).contains(&day.len()) && day.bytes().all(|byte| byte.is_ascii_digit());
    clock(rest).filter(|_| is_day).map(|(time, _)| time)
}

/// A level at the beginning of a text.
fn level(text: &str) -> Option<(Level, &str)> {
    const LEVELS: [(&str, Level); 9] = [
        ("info", Level::Info),
        ("success", Level::Info),
        ("debug", Level::Info),
        ("trace", Level::Info),
        ("warning", Level::Warning),
        ("warn", Level::Warning),
        ("error", Level::Error),
        ("critical", Level::Error),
        ("fatal", Level::Error),
    ];
    // Hosted training writes it in brackets.
    let (text, close) = text.strip_prefix('[').map_or((text, " "), |text| (text, "] "));
    let end = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    // `Fatal Python error`, `Error from server` and the `Warning` of a Kubernetes event are messages.
    let is_sentence = text[..end].starts_with(|first: char| first.is_ascii_uppercase())
        && text[1..end].contains(|c: char| c.is_ascii_lowercase());
    if is_sentence && close == " " {
        return None;
    }
    if !text[end..].starts_with(close) {
        return None;
    }
    let (_, level) = LEVELS.iter().find(|(name, _)| text[..end].eq_ignore_ascii_case(name))?;
    Some((*level, &text[end + close.len() - 1..]))
}

/// `- verifiers.serve.server - WARNING - message`, as Python's own logger is often set up.
fn python_logger(text: &str) -> Option<(Level, &str)> {
    let mut rest = text.trim_start().strip_prefix("- ")?;
    // The names of the logger and of its class stand before the level.
    for _ in 0..4 {
        let (word, behind) = rest.split_once(" - ")?;
        if word.contains(' ') {
            return None;
        }
        if let Some((level, _)) = level(&format!("{word} ")) {
            return Some((level, behind));
        }
        rest = behind;
    }
    None
}

/// `[core.py:708]`; older versions of vLLM leave out the first bracket.
fn source_place(text: &str) -> Option<&str> {
    let (place, rest) = text.strip_prefix('[').unwrap_or(text).split_once(']')?;
    let (file, line) = place.rsplit_once(':')?;
    let is_python = file.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("py"));
    let is_place = is_python && !file.contains(' ') && line.bytes().all(|byte| byte.is_ascii_digit());
    is_place.then_some(rest)
}

/// Where the logger's own line begins, behind a prefix that is not known: `0/128 [00:00<?, ?it/s]16:43:09    INFO Orchestrator paused`.
fn logger_at(text: &str) -> Option<usize> {
    let head = &text.as_bytes()[..text.len().min(FARTHEST)];
    let colons = memchr::memchr_iter(b':', head).filter_map(|colon| colon.checked_sub(2)).filter(|at| *at > 0);
    colons.into_iter().find_map(|at| {
        // Within a character, or a number.
        if !text.is_char_boundary(at) || head[at - 1].is_ascii_alphanumeric() {
            return None;
        }
        let (_, message) = clock(&text[at..])?;
        if level(message.trim_start()).is_some() { Some(at) } else { vllm_at(&text[..at]) }
    })
}

/// Where vLLM's line begins, by what stands before its time: `rl-inference-0 vllm INFO 08-19 `.
fn vllm_at(before: &str) -> Option<usize> {
    let (names, date) = before.trim_end().rsplit_once(' ')?;
    let is_date = date.len() == 5 && two(date.as_bytes(), 0).is_some() && two(date.as_bytes(), 3).is_some();
    let at = names.rfind(' ')? + 1;
    (is_date && level(&before[at..]).is_some()).then_some(at)
}

/// A line of a logger that writes JSON, as the same logger writes it otherwise; other lines as they are.
///
/// `{"timestamp": "2026-08-10T09:00:00+00:00", "level": "INFO", "message": "..."}` becomes `09:00:00 INFO ...`.
pub(crate) fn plain(whole: &str) -> Cow<'_, str> {
    let head = &whole.as_bytes()[..whole.len().min(LONGEST_NAME + 1)];
    let Some(at) = memchr::memchr(b'{', head).filter(|_| whole.trim_end().ends_with('}')) else {
        return Cow::Borrowed(whole);
    };
    if !whole[at..].contains("\"level\"") && !whole[at..].contains("\"message\"") {
        return Cow::Borrowed(whole);
    }
    let Ok(Value::Object(entry)) = serde_json::from_str::<Value>(whole[at..].trim_end()) else { return Cow::Borrowed(whole) };
    let text = |names: [&str; 3]| names.into_iter().find_map(|name| entry.get(name)?.as_str());
    let number = |name: &str| entry.get(name).and_then(Value::as_u64);
    let message = if let (Some(what), Some(current), Some(total)) = (text(["desc", "", ""]), number("current"), number("total")) {
        format!("{what}: {current}/{total}")
    } else if let Some(message) = text(["message", "msg", "event"]) {
        message.to_owned()
    } else {
        return Cow::Borrowed(whole);
    };
    let time = text(["timestamp", "time", "ts"])
        .and_then(|stamp| dated(stamp))
        .map_or_else(String::new, |(seconds, _)| format!("{:02}:{:02}:{:02} ", seconds / 3600, seconds / 60 % 60, seconds % 60));
    let level = text(["level", "levelname", "severity"]).unwrap_or("info");
    Cow::Owned(if time.is_empty() { message } else { format!("{time}{level} {message}") })
}

#[cfg(test)]
mod tests {
    use super::{Level, line, line_of, plain, shape};

    fn read(text: &str) -> (&str, Option<u32>, Level, &str) {
        let found = line(text);
        (found.text, found.time, found.level, found.speaker)
    }

    #[test]
    fn prefixes_of_every_kind_are_removed() {
        let nine = Some(9 * 3600);
        let passed_on = "2026-05-29 09:00:00,594 - INFO - [container] (EngineCore pid=600) KeyError: 'x'";
        assert_eq!(read(passed_on), ("KeyError: 'x'", nine, Level::None, "EngineCore pid=600"));
        assert_eq!(read("09:00:00 SUCCESS Step 1 | x"), ("Step 1 | x", nine, Level::Info, ""));
        assert_eq!(read("09:00:00    INFO [orchestrator] Step 1"), ("Step 1", nine, Level::Info, "orchestrator"));
        assert_eq!(read("[pod/oakland-rl-0/trainer] 09:00:00 warning x"), ("x", nine, Level::Warning, ""));
        assert_eq!(read("[rank0]: Traceback (most"), ("Traceback (most", None, Level::None, "rank0"));
        assert_eq!(read("[rank0]:   File \"x\""), ("  File \"x\"", None, Level::None, "rank0"));
        assert_eq!(read("[default3]:09:00:00 ERROR x"), ("x", nine, Level::Error, "default3"));
        assert_eq!(
            read("(EngineCore_DP0 pid=11) ERROR 07-01 09:00:00 [core.py:708] RuntimeError: x"),
            ("RuntimeError: x", nine, Level::Error, "EngineCore_DP0 pid=11")
        );
        assert_eq!(
            read("ERROR 03-19 09:00:00 async_llm_engine.py:68] RuntimeError: x"),
            ("RuntimeError: x", nine, Level::Error, "")
        );
        assert_eq!(read("09:00:00 Warning  FailedScheduling x"), ("Warning  FailedScheduling x", nine, Level::None, ""));
        assert_eq!(read("gpu-03: 09:00:00 INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("gpu-03: RuntimeError: x"), ("RuntimeError: x", None, Level::None, ""));
        assert_eq!(read("2026-07-01T09:00:00.123Z 09:00:01    INFO x"), ("x", Some(9 * 3600 + 1), Level::Info, ""));
        assert_eq!(
            read("Aug 10 08:00:00 brooklyn-gpu-3 torchrun[4242]: 09:00:00 SUCCESS Step 1"),
            ("Step 1", nine, Level::Info, "")
        );
        assert_eq!(
            read("2026-09-08 09:00:00,001 - verifiers.serve - EnvRouter - WARNING - Worker 0 heartbeat"),
            ("Worker 0 heartbeat", nine, Level::Warning, "")
        );
        assert_eq!(read("trainer-1  | 09:00:00 INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("trainer_1  | 09:00:00 INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("Nov 20 08:00:00 09:00:00    INFO x y"), ("x y", nine, Level::Info, ""));
        assert_eq!(read("Nov 20 09:00:00 KeyError: 'x'"), ("KeyError: 'x'", nine, Level::None, ""));
        assert_eq!(read("[2026-01-29 09:00:00] INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("[2026-01-29 09:00:00,123][INFO] x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("[1,0]<stderr>:09:00:00 INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("[1,0]<stderr>:RuntimeError: x"), ("RuntimeError: x", None, Level::None, ""));
        assert_eq!(read("Rollouts: 0%|  | 0/8 [00:00<?, ?it/s]09:00:00    INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("Rollouts: 0%|  | 0/8 [00:00<?, ?it/s]").0, "Rollouts: 0%|  | 0/8 [00:00<?, ?it/s]");
        assert_eq!(line("[rank0]:[E804 09:00:00.816499929 ProcessGroupNCCL.cpp:1849] x").time, nine);
        assert_eq!(line("W0917 09:00:00.100000 31700 torch/api.py:900] x").time, nine);
        assert_eq!(read("09:00:00 [SUCCESS] Step 1 | x"), ("Step 1 | x", nine, Level::Info, ""));
        assert_eq!(read("3: 09:00:00 INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("2026-08-10T08:00:00+0000 gpu-n3 rl[42]: 09:00:00 SUCCESS Step 1"), ("Step 1", nine, Level::Info, ""));
        assert_eq!(read("2026-08-10T09:00:00.1Z stderr F   File \"x\""), ("  File \"x\"", nine, Level::None, ""));
        assert_eq!(read("rl-trainer-0 trainer 09:00:00    INFO x"), ("x", nine, Level::Info, ""));
        assert_eq!(read("rl-infer-0 vllm INFO 08-19 09:00:00 [core.py:7] x"), ("x", nine, Level::Info, ""));
    }

    #[test]
    fn a_prefix_of_any_kind_is_learned_from_a_logger_s_line() {
        let found = line("<7> x/3 -> 09:00:00    INFO x");
        assert_eq!((found.text, found.time, found.unknown), ("x", Some(9 * 3600), "<7> x/3 -> "));
        let shape = shape("<7> x/3 -> 09:00:00    INFO x\n<7> x/4 -> y\n");
        assert_eq!(line_of("<7> x/12 -> KeyError: 'x'", shape.as_ref()).text, "KeyError: 'x'");
        assert_eq!(line_of("KeyError: 'x'", shape.as_ref()).text, "KeyError: 'x'");
    }

    #[test]
    fn a_message_is_left_alone() {
        for text in
            ["Step 1 | Reward 0.1", "[core.py] x", "ValueError: x", "12 of 13", "reward | x", "Maybe 3 x", "é", "", "May 5"]
        {
            assert_eq!(read(text), (text, None, Level::None, ""), "{text}");
        }
    }

    #[test]
    fn json_is_read_like_text() {
        let entry =
            "{\"timestamp\": \"2026-08-10T09:00:01.5+00:00\", \"level\": \"SUCCESS\", \"message\": \"Step 1 | Reward 0.5\"}";
        assert_eq!(plain(entry), "09:00:01 SUCCESS Step 1 | Reward 0.5");
        let progress = "{\"timestamp\": \"2026-08-10T09:00:01\", \"level\": \"INFO\", \"type\": \"progress\", \
                        \"desc\": \"Generating rollouts (train)\", \"current\": 0, \"total\": 8, \"percent\": 0}";
        assert_eq!(plain(progress), "09:00:01 INFO Generating rollouts (train): 0/8");
        assert_eq!(plain("weights {'easy': 0.2}"), "weights {'easy': 0.2}");
    }
}
