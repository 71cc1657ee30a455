//! Reads `schemas/docs/*.docs`, the descriptions of fields; `schemas/README.md` describes the files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
};

use cfg_schema::compiler::{KINDS, Node, Segment, Sentence, segments};

use crate::{commits::Commits, generate::root};

/// The content of one line: a description, and the fields it is for.
pub(crate) struct Entry {
    /// The index of the kind.
    kind: usize,
    path: String,
    /// The first point from which it applies.
    since: u16,
    text: String,
    /// The file and line, for errors.
    place: String,
}

/// Reads every file. A line that is below several tables becomes an entry for each of them.
pub(crate) fn read(commits: &Commits) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    for (kind, name) in KINDS.iter().enumerate() {
        let path = format!("schemas/docs/{name}.docs");
        let source = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        entries.extend(parse(&source, kind, &path, commits)?);
    }
    Ok(entries)
}

fn parse(source: &str, own_kind: usize, file: &str, commits: &Commits) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut tables = vec![(own_kind, String::new())];
    // The number of entries of the last line: an indented line continues all of them.
    let mut open = 0;
    for (index, line) in source.lines().enumerate() {
        let place = format!("{file}:{}", index + 1);
        let complain = |message: &str| format!("{place}: {message}");
        if line.is_empty() || line.starts_with('#') {
            open = 0;
        } else if let Some(header) = line.strip_prefix("== ") {
            let paths = header.strip_suffix(" ==").ok_or_else(|| complain("a header ends with ` ==`"))?;
            tables =
                paths.split(", ").map(|path| table(path, own_kind)).collect::<Result<Vec<_>, _>>().map_err(|m| complain(&m))?;
            tables = tables
                .into_iter()
                .flat_map(|(kind, path)| alternatives(&path).into_iter().map(move |path| (kind, path)))
                .collect();
            open = 0;
        } else if line.starts_with(' ') {
            if open == 0 {
                return Err(complain("no sentence to continue"));
            }
            let from = entries.len() - open;
            for entry in &mut entries[from..] {
                entry.text.push(' ');
                entry.text.push_str(line.trim());
            }
        } else {
            let (head, text) = line.split_once(": ").ok_or_else(|| complain("write `path: sentence`"))?;
            let (path, since) = match head.split_once(" @") {
                Some((path, since)) => (path, point(since, commits).map_err(|message| complain(&message))?),
                None => (head, 0),
            };
            let before = entries.len();
            for (kind, table) in &tables {
                for path in alternatives(path) {
                    let joined = if table.is_empty() || path.starts_with(['[', '<']) { "" } else { "." };
                    let path = format!("{table}{joined}{path}");
                    entries.push(Entry { kind: *kind, path, since, text: text.trim().to_owned(), place: place.clone() });
                }
            }
            open = entries.len() - before;
        }
    }
    Ok(entries)
}

/// The kind and path of a table in a header: `trainer:model`, or a path of the file's own kind.
fn table(path: &str, own_kind: usize) -> Result<(usize, String), String> {
    let (kind, path) = match path.split_once(':') {
        Some((kind, path)) => (KINDS.iter().position(|name| *name == kind).ok_or(format!("unknown kind `{kind}`"))?, path),
        None => (own_kind, path),
    };
    Ok((kind, if path == "(root)" { String::new() } else { path.to_owned() }))
}

/// A point given as `0.7.0+`, or as `f8352b7aa+` by the first nine digits of its commit.
fn point(since: &str, commits: &Commits) -> Result<u16, String> {
    let name = since.strip_suffix('+').ok_or("write `@RELEASE+` or `@COMMIT+`")?;
    let tag = commits.tags.iter().find(|tag| tag.name == name);
    tag.map_or_else(|| commits.schema_index(name), |tag| Ok(tag.schema))
}

/// All expansions of a path with braces: `{train,eval}.env` gives two paths.
pub(crate) fn alternatives(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((inner, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    inner.split(',').flat_map(|choice| alternatives(&format!("{before}{choice}{after}"))).collect()
}

/// The description of each node with the point from which it applies, in no order. If several lines describe a node, the one with the most exact path
/// is used. A line that would never be used is an error.
pub(crate) fn choose<'t>(entries: &'t [Entry], trees: &'t [Node<'t>]) -> Result<Vec<Sentence<'t>>, String> {
    // By node and point: the number of open steps in the path, and the entry.
    let mut chosen: BTreeMap<(*const Node<'_>, u16), (&Node<'_>, usize, &Entry)> = BTreeMap::new();
    let mut complaints: Vec<String> = Vec::new();
    for entry in entries {
        let (nodes, open_steps) = nodes(entry, trees)?;
        for node in nodes {
            let key = (std::ptr::from_ref(node), entry.since);
            match chosen.get(&key) {
                Some((_, steps, other)) if *steps == open_steps => {
                    complaints.push(format!("{entry} says again what {other} says"));
                }
                Some((_, steps, _)) if *steps < open_steps => {}
                _ => {
                    chosen.insert(key, (node, open_steps, entry));
                }
            }
        }
    }
    let mut shown: Vec<Sentence<'_>> = Vec::new();
    let mut idle: BTreeSet<&str> = entries.iter().map(|entry| entry.place.as_str()).collect();
    let mut later = chosen.keys().skip(1).copied();
    for ((id, since), (node, _, entry)) in &chosen {
        let until = later.next().filter(|(next, _)| next == id).map(|(_, point)| point);
        let holds = |from: u16, to: Option<u16>| until.is_none_or(|until| from < until) && to.is_none_or(|to| to > *since);
        if node.intervals.is_empty() || node.intervals.iter().any(|interval| holds(interval.since, interval.until)) {
            shown.push((node, *since, &entry.text));
            idle.remove(entry.place.as_str());
        }
    }
    complaints.extend(idle.into_iter().map(|line| format!("{line}: no field has this when it holds")));
    if complaints.is_empty() { Ok(shown) } else { Err(complaints.join("\n")) }
}

/// The nodes that an entry describes, and the number of open steps in its path.
fn nodes<'t>(entry: &Entry, trees: &'t [Node<'t>]) -> Result<(Vec<&'t Node<'t>>, usize), String> {
    let path = segments(&entry.path).map_err(|message| format!("{}: {message}", entry.place))?;
    let is_any = |segment: &Segment<'_>| matches!(segment, Segment::Class("*"));
    let mut nodes = vec![&trees[entry.kind]];
    for segment in &path {
        nodes = nodes
            .into_iter()
            .flat_map(|node| node.children.iter())
            .filter(|(own, _)| *own == segment || (is_any(segment) && matches!(own, Segment::Variant(_) | Segment::Class(_))))
            .map(|(_, child)| child)
            .collect();
    }
    Ok((nodes, path.iter().filter(|segment| is_any(segment)).count()))
}

/// Its place, for errors: file, line and path.
impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: `{}`", self.place, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::{alternatives, parse};
    use crate::commits::Commits;

    #[test]
    fn a_line_applies_to_each_table_of_its_header_and_continues_if_indented() {
        let commits = Commits::read().expect("the history is well formed");
        let source = "# a comment\n== a, sft:b[].{c,d} ==\nkey<*>: One\n  two.\nkey @0.7.0+: Three.\n";
        let entries = parse(source, 1, "file", &commits).expect("it is well formed");
        let read: Vec<_> = entries.iter().map(|entry| (entry.kind, entry.path.as_str(), entry.text.as_str())).collect();
        assert_eq!(
            read,
            [
                (1, "a.key<*>", "One two."),
                (4, "b[].c.key<*>", "One two."),
                (4, "b[].d.key<*>", "One two."),
                (1, "a.key", "Three."),
                (4, "b[].c.key", "Three."),
                (4, "b[].d.key", "Three.")
            ]
        );
        assert!(entries[3].since > entries[0].since);
        for wrong in ["  continued.\n", "no sentence\n", "== open\n", "key @tomorrow+: One.\n", "== nothing:a ==\n"] {
            assert!(parse(wrong, 1, "file", &commits).is_err(), "{wrong}");
        }
    }

    #[test]
    fn braces_are_a_choice() {
        assert_eq!(alternatives("a.{b,c}<type={x,y}>").len(), 4);
        assert_eq!(alternatives("a.b"), ["a.b"]);
    }
}
