//! The place in prime-rl's own code at which an exception was raised, and what its function reads of the config.

/// A line of prime-rl's code, from a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The path below the folder of the sources: `prime_rl/trainer/scheduler.py`.
    pub path: Box<str>,
    /// The number of the line, from 1.
    pub line: u32,
    /// The name of the function.
    pub function: Box<str>,
}

/// Of a longer function, only the beginning is read, in lines.
const LONGEST: usize = 600;

/// Of more names, only the first are listed.
const MAX_NAMES: usize = 64;

impl Frame {
    /// Reads a line of a traceback: `File "/app/src/prime_rl/trainer/scheduler.py", line 46, in setup_scheduler`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (path, rest) = text.trim().strip_prefix("File \"")?.split_once("\", line ")?;
        let at = path.rfind("/prime_rl/")?;
        let (line, function) = rest.split_once(", in ").unwrap_or((rest, ""));
        Some(Self { path: path[at + 1..].into(), line: line.trim().parse().ok()?, function: function.trim().into() })
    }

    /// What the function reads of a config, by the text of its file: the dotted names behind a variable that is a config (`scheduler.warmup_steps` of
    /// `config.scheduler.warmup_steps`), and the names of its parameters. In the order of the text.
    pub fn names_read(&self, source: &str) -> Vec<String> {
        let lines: Vec<&str> = source.lines().collect();
        let last = usize::try_from(self.line).unwrap_or_default().min(lines.len());
        let begins = |line: &&str| -> bool {
            let head = line.trim_start();
            let head = head.strip_prefix("async ").unwrap_or(head);
            head.strip_prefix("def ")
                .and_then(|head| head.strip_prefix(&*self.function))
                .is_some_and(|rest| rest.starts_with('('))
        };
        // The source may differ a little from the code that ran.
        let start = lines[..last].iter().rposition(begins).or_else(|| lines.iter().position(begins));
        let Some(start) = start else { return Vec::new() };
        let depth = |line: &str| line.len() - line.trim_start().len();
        let is_after =
            |line: &&&str| !line.trim().is_empty() && depth(line) <= depth(lines[start]) && !line.trim_start().starts_with(')');
        let length = lines[start + 1..].iter().take(LONGEST).position(|line| is_after(&line)).unwrap_or(LONGEST);
        let end = lines.len().min(start + 1 + length);
        let text = lines[start..end].join("\n");
        let mut names = Vec::new();
        for name in chains(&text).into_iter().chain(parameters(&text)) {
            if names.len() < MAX_NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The dotted names behind variables that are configs.
fn chains(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let mut names = Vec::new();
    for line in text.lines() {
        let code = line.split(" #").next().unwrap_or(line);
        let mut rest = code;
        while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
            let end = rest[at..].find(|c| !is_part(c)).map_or(rest.len(), |end| at + end);
            let (word, behind) = (&rest[at..end], &rest[end..]);
            let mut parts: Vec<&str> = word.split('.').filter(|part| *part != "self" && !part.is_empty()).collect();
            // A method is no key.
            if behind.starts_with('(') {
                parts.pop();
            }
            let is_config = |part: &&&str| **part == "config" || part.ends_with("_config") || **part == "cfg";
            if parts.len() > 1 && parts.first().is_some_and(|first| is_config(&first)) {
                names.push(parts[1..].join("."));
            }
            rest = behind;
        }
    }
    names
}

/// The names of the parameters of a function, whose text begins with its definition.
fn parameters(text: &str) -> Vec<String> {
    let Some((_, inner)) = text.split_once('(') else { return Vec::new() };
    let (mut depth, mut names, mut name) = (0_u32, Vec::new(), String::new());
    let mut is_name = true;
    for c in inner.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(std::mem::take(&mut name));
                is_name = true;
            }
            ':' | '=' if depth == 0 => is_name = false,
            _ if is_name && (c.is_ascii_alphanumeric() || c == '_') => name.push(c),
            _ => {}
        }
    }
    names.push(name);
    names.retain(|name| !name.is_empty() && name != "self" && !name.ends_with("config"));
    names
}

#[cfg(test)]
mod tests {
    use super::Frame;

    #[test]
    fn a_frame_names_what_its_function_reads() {
        let source = "import x\n\ndef other(config):\n    return config.seed\n\n\ndef setup(\n    optimizer, decay_steps: int = 3,\n    config: SchedulerConfig | None = None,\n) -> None:\n    \
                      last = self.config.max_steps  # config.unread\n    assert config.scheduler.warmup_steps < last\n    config.items()\n\n\nclass Next:\n    y = config.never\n";
        let frame = Frame::read("  File \"/app/src/prime_rl/trainer/scheduler.py\", line 12, in setup").expect("a frame");
        assert_eq!((&*frame.path, frame.line, &*frame.function), ("prime_rl/trainer/scheduler.py", 12, "setup"));
        assert_eq!(frame.names_read(source), ["max_steps", "scheduler.warmup_steps", "optimizer", "decay_steps"]);
        assert_eq!(Frame { function: "gone".into(), ..frame.clone() }.names_read(source), [""; 0]);
        assert_eq!(Frame { line: 9000, ..frame }.names_read(source).len(), 4);
        assert_eq!(Frame::read("  File \"/app/torch/x.py\", line 12, in setup"), None);
    }
}
