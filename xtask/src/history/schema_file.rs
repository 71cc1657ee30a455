//! A `.schema` file, with its intervals by the numbers of their commits.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use cfg_schema::compiler::KINDS;

use super::main_line::Numbers;

/// The fields of all kinds in the history, in the order of [`KINDS`].
pub(crate) type Files = Vec<File>;

/// The fields of one kind.
#[derive(Clone, Default)]
pub(crate) struct File {
    /// The comment at its top.
    head: String,
    /// The entries by path; the path of the whole file is empty.
    pub(crate) entries: BTreeMap<String, Entry>,
}

/// A field.
#[derive(Clone, Default)]
pub(crate) struct Entry {
    pub(crate) intervals: Vec<Interval>,
    /// The kind and path whose fields it shares.
    pub(crate) like: Option<Like>,
}

/// The index of a kind, and a path.
pub(crate) type Like = (usize, String);

/// The properties of a field over a range of schema commits.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) since: u16,
    pub(crate) until: Option<u16>,
    /// The text after the commits, with the lines below it.
    pub(crate) body: String,
}

impl Interval {
    /// The end as a number.
    pub(crate) fn end(&self) -> u16 {
        self.until.unwrap_or(u16::MAX)
    }
}

/// The width of the commits of an interval.
const WIDTH: usize = 22;

/// The path of the whole file as it is written.
const ROOT: &str = "(root)";

fn path_of(schemas: &Path, kind: &str) -> PathBuf {
    schemas.join("history").join(format!("{kind}.schema"))
}

/// Reads the files of all kinds.
pub(crate) fn read(schemas: &Path, numbers: &Numbers) -> Result<Files, String> {
    let each = KINDS.iter().map(|kind| {
        let path = path_of(schemas, kind);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        File::parse(&text, numbers).map_err(|error| format!("{}: {error}", path.display()))
    });
    each.collect()
}

/// Writes them.
pub(crate) fn write(schemas: &Path, files: &Files, numbers: &Numbers) -> Result<(), String> {
    for (kind, file) in KINDS.iter().zip(files) {
        let path = path_of(schemas, kind);
        fs::write(&path, file.text(numbers)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

impl File {
    /// A file without fields, with the comment at its top.
    pub(crate) fn with_head(head: &str) -> Self {
        Self { head: head.to_owned(), entries: BTreeMap::new() }
    }

    pub(crate) fn parse(text: &str, numbers: &Numbers) -> Result<Self, String> {
        let (head, rest) = text.split_once("\n\n").unwrap_or((text, ""));
        // The file of a kind without fields contains only this line.
        let mut file = Self { head: head.trim_end().to_owned(), entries: BTreeMap::new() };
        for block in rest.split("\n\n").map(str::trim_end).filter(|block| !block.is_empty()) {
            let mut lines = block.lines();
            let path = lines.next().filter(|path| *path != ROOT).unwrap_or_default();
            let entry = lines.try_fold(Entry::default(), |entry, line| entry.with(line, numbers));
            if file.entries.insert(path.to_owned(), entry.map_err(|error| format!("{path}: {error}"))?).is_some() {
                return Err(format!("`{path}` appears twice"));
            }
        }
        Ok(file)
    }

    pub(crate) fn text(&self, numbers: &Numbers) -> String {
        let mut text = format!("{}\n", self.head);
        for (path, entry) in &self.entries {
            let _ = writeln!(text, "\n{}", if path.is_empty() { ROOT } else { path });
            for Interval { since, until, body } in &entry.intervals {
                let until = until.map(|until| numbers.commit(until)).unwrap_or_default();
                let range = format!("{}..{until}", numbers.commit(*since));
                let _ = writeln!(text, "  {range:WIDTH$}{body}");
            }
            if let Some((kind, path)) = &entry.like {
                let _ = writeln!(text, "  fields of {}:{}", KINDS[*kind], if path.is_empty() { ROOT } else { path });
            }
        }
        text
    }

    /// Removes everything from the schema commit with this number on.
    pub(crate) fn cut(&mut self, first: u16) {
        for entry in self.entries.values_mut() {
            entry.intervals.retain(|interval| interval.since < first);
            for interval in &mut entry.intervals {
                interval.until = interval.until.filter(|until| *until < first);
            }
        }
        self.entries.retain(|_, entry| !entry.intervals.is_empty());
    }
}

impl Entry {
    fn with(mut self, line: &str, numbers: &Numbers) -> Result<Self, String> {
        if let Some(like) = line.strip_prefix("  fields of ") {
            let (kind, path) = like.split_once(':').ok_or("write `fields of KIND:PATH`")?;
            let kind = KINDS.iter().position(|name| *name == kind).ok_or_else(|| format!("unknown kind `{kind}`"))?;
            self.like = Some((kind, if path == ROOT { String::new() } else { path.to_owned() }));
        } else if line.starts_with("    ") {
            let last = self.intervals.last_mut().ok_or("validators before any interval")?;
            let _ = write!(last.body, "\n{line}");
        } else {
            let (range, body) =
                line.trim_start().split_once("  ").ok_or("two spaces must be between the commits and the type")?;
            let (since, until) = range.trim_end().split_once("..").ok_or("write `SINCE..UNTIL`")?;
            let until = Some(until).filter(|until| !until.is_empty()).map(|until| numbers.of(until)).transpose()?;
            self.intervals.push(Interval { since: numbers.of(since)?, until, body: body.trim_start().to_owned() });
        }
        Ok(self)
    }

    /// The ranges in which it exists: beginnings and ends.
    pub(crate) fn life(&self) -> Vec<(u16, u16)> {
        let mut life: Vec<(u16, u16)> = Vec::new();
        for interval in &self.intervals {
            match life.last_mut() {
                Some(last) if last.1 == interval.since => last.1 = interval.end(),
                _ => life.push((interval.since, interval.end())),
            }
        }
        life
    }
}

/// A path relative to one above it, in the form in which it follows: `.lr`, `[]`, `<type=adamw>.lr`.
pub(crate) fn relative(path: &str, above: &str) -> Option<String> {
    if above.is_empty() {
        return (!path.is_empty()).then(|| if path.starts_with(['[', '<']) { path.to_owned() } else { format!(".{path}") });
    }
    path.strip_prefix(above).filter(|below| below.starts_with(['.', '[', '<'])).map(str::to_owned)
}

/// The path of `below` in the table `above`.
pub(crate) fn joined(above: &str, below: &str) -> String {
    if above.is_empty() { below.strip_prefix('.').unwrap_or(below).to_owned() } else { format!("{above}{below}") }
}
