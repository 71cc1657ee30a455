//! A user's own entry: the schema of one prime-rl, as written by `cfg schema import`.
//!
//! Its text uses the notation of the history: a section `== KIND ==` for each kind, whose fields apply to `..` (all points), and `== KIND docs ==`
//! with a description for each field that has one. A line `nearest COMMIT` before the sections names the base point, whose checks and loader are
//! used.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::hash::{HashMap, HashSet};
use crate::{History, Kind, Point, Target};

use crate::compiler::{
    Field, KINDS, Node, Sentence, build,
    chronicle::Chronicle,
    encode,
    notation::fields_in_notation,
    parse,
    tree::{MAX_SEGMENTS, child},
};

/// The file extension of an entry.
pub const SUFFIX: &str = "schema";

/// The text of an entry. `about` are lines about its source, `kinds` the fields of each kind, `docs` the fields' own descriptions by kind and path.
/// `kinds` and `docs` are the same as for [`compile`].
pub fn entry(about: &[String], nearest: &str, kinds: &[Vec<Field>], docs: &[(usize, &str, &str)]) -> String {
    let mut entry = String::new();
    for line in about {
        let _ = writeln!(entry, "# {}", line.replace(['\n', '\r'], " "));
    }
    let _ = writeln!(entry, "nearest {nearest}");
    for (kind, fields) in KINDS.iter().zip(kinds).filter(|(kind, fields)| !fields.is_empty() || is_of_run(kind)) {
        let _ = write!(entry, "\n== {kind} ==\n{}", fields_in_notation(fields));
    }
    for (index, kind) in KINDS.iter().enumerate() {
        let own: Vec<_> = docs.iter().filter(|(of, ..)| *of == index).collect();
        if !own.is_empty() {
            let _ = writeln!(entry, "\n== {kind} docs ==");
        }
        for (_, path, sentence) in own {
            let _ = writeln!(entry, "{path}: {}", sentence.replace(['\n', '\r'], " "));
        }
    }
    entry
}

/// A parsed entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its schemas.
    pub history: History,
    /// The base point, whose checks and loader are used.
    pub nearest: Point,
}

/// Parses an entry. An error names the part that is wrong.
pub fn read_entry(text: &str) -> Result<Entry, String> {
    let mut parts = text.split("\n== ");
    let head = parts.next().unwrap_or_default();
    let nearest = head.lines().find_map(|line| line.strip_prefix("nearest ")).ok_or("the line `nearest COMMIT` is missing")?;
    let nearest = Target::parse(History::built_in(), nearest).map_err(|error| format!("nearest: {error}"))?;
    if let Some(beyond) = nearest.beyond() {
        return Err(format!("nearest: {beyond}"));
    }
    let nearest = nearest.point;
    let mut sections: BTreeMap<&str, &str> = BTreeMap::new();
    for part in parts {
        let (name, body) = part.split_once(" ==\n").ok_or("a section must begin with `== KIND ==`")?;
        sections.insert(name, body);
    }
    let no_commit = |sha: &str| Err(format!("`{sha}`: the fields of an entry must apply to all points, written `..`"));
    let mut kinds = Vec::new();
    for kind in KINDS {
        // Entrypoints that are not part of a run may be missing; a kind that this prime-rl does not have is empty.
        let source = sections.get(kind).copied().or_else(|| (!is_of_run(kind)).then_some(""));
        let source = source.ok_or_else(|| format!("the section `== {kind} ==` is missing"))?;
        kinds.push(parse(source, &no_commit).map_err(|error| format!("{kind}:{error}"))?);
    }
    let docs = |kind: usize| {
        let own = sections.get(&*format!("{} docs", KINDS[kind])).copied().unwrap_or_default();
        own.lines().filter_map(|line| line.split_once(": "))
    };
    let docs: Vec<(usize, &str, &str)> =
        (0..KINDS.len()).flat_map(|kind| docs(kind).map(move |(path, sentence)| (kind, path, sentence))).collect();
    Ok(Entry { history: compile(&kinds, &docs, nearest)?, nearest })
}

/// A history of a single prime-rl, whose fields hold at all points. `docs` are the fields' own descriptions by path; where the built-in history
/// describes a field at the point `nearest`, its description is used instead.
///
/// # Errors
/// The fields contradict each other, such as two with the same path.
pub fn compile(kinds: &[Vec<Field>], docs: &[(usize, &str, &str)], nearest: Point) -> Result<History, String> {
    let mut trees = Vec::new();
    for (kind, fields) in KINDS.iter().zip(kinds) {
        let tree = build(fields).map_err(|error| format!("{kind}:{error}"))?;
        if tree.intervals.is_empty() && is_always_there(kind) {
            return Err(format!("{kind}: `(root)` is missing"));
        }
        trees.push(tree);
    }
    let mut sentences: Vec<Sentence<'_>> = Vec::new();
    for (kind, tree) in KINDS.iter().zip(&trees) {
        let known = kind.parse().ok().map(|kind| History::built_in().root(kind));
        ours(tree, known, nearest, &mut sentences);
    }
    let mut described: HashSet<*const Node<'_>> = sentences.iter().map(|(node, ..)| std::ptr::from_ref(*node)).collect();
    for (kind, path, sentence) in docs {
        if let Some(node) = trees.get(*kind).and_then(|tree| tree.at(path))
            && described.insert(std::ptr::from_ref(node))
        {
            sentences.push((node, 0, sentence));
        }
    }
    history_of(&trees, &sentences, &Kind::ALL)
}

fn is_of_run(kind: &str) -> bool {
    kind.parse().is_ok_and(Kind::is_run)
}

/// Whether each prime-rl that can be read has a kind: supervised fine-tuning came after the other parts of a run.
fn is_always_there(kind: &str) -> bool {
    is_of_run(kind) && kind.parse() != Ok(Kind::Sft)
}

/// The root of a history of a single class, such as that of a package, whose fields hold at all points. `docs` are the fields' own descriptions by
/// path.
///
/// # Errors
/// The fields contradict each other, such as two with the same path.
pub fn compile_class(fields: &[Field], docs: &[(&str, &str)]) -> Result<crate::Node, String> {
    let mut trees = vec![build(fields)?];
    if trees[0].intervals.is_empty() {
        return Err("`(root)` is missing".to_owned());
    }
    // The table of a history has a root for each kind.
    trees.resize_with(KINDS.len(), Node::default);
    let sentences: Vec<Sentence<'_>> =
        docs.iter().filter_map(|(path, sentence)| Some((trees[0].at(path)?, 0, *sentence))).collect();
    let only = Kind::ALL[0];
    Ok(history_of(&trees, &sentences, &[only])?.root(only))
}

/// A history that has only the class of a program, at its kind, whose fields hold at all points. `docs` are the fields' own descriptions by path.
///
/// # Errors
/// The fields contradict each other, such as two with the same path.
pub fn compile_program(kind: Kind, fields: &[Field], docs: &[(&str, &str)]) -> Result<History, String> {
    let mut trees: Vec<Node<'_>> = Vec::new();
    trees.resize_with(KINDS.len(), Node::default);
    let tree = &mut trees[kind.entrypoint() as usize];
    *tree = build(fields)?;
    if tree.intervals.is_empty() {
        return Err("`(root)` is missing".to_owned());
    }
    let tree = &trees[kind.entrypoint() as usize];
    let sentences: Vec<Sentence<'_>> = docs.iter().filter_map(|(path, sentence)| Some((tree.at(path)?, 0, *sentence))).collect();
    history_of(&trees, &sentences, &[kind])
}

/// The history of these trees; only those of `kinds` have fields.
fn history_of<'t>(trees: &'t [Node<'t>], sentences: &[Sentence<'t>], kinds: &[Kind]) -> Result<History, String> {
    let chronicle = Chronicle::default();
    let bytes = encode(trees, sentences, &chronicle)?;
    let history = History::of_bytes(bytes).ok_or("its table can't be read")?;
    let mut extents = Extents::default();
    kinds.iter().try_for_each(|kind| extents.of(history.root(*kind), 0).map(drop))?;
    Ok(history)
}

/// The maximum number of fields of a kind, where those that several tables share count for each. Those of prime-rl have some thousand.
const MAX_FIELDS: usize = 200_000;

/// How many levels and fields there are below the nodes that were visited. A field may share the fields of another one: a few lines could describe a
/// table that contains itself, that is very deep, or whose fields double with each level.
#[derive(Default)]
struct Extents {
    known: HashMap<u32, (usize, usize)>,
    above: Vec<u32>,
}

impl Extents {
    /// The levels and the fields below a node that has `depth` nodes above it.
    fn of(&mut self, node: crate::Node, depth: usize) -> Result<(usize, usize), String> {
        if self.above.contains(&node.id()) {
            return Err("a table contains itself".to_owned());
        }
        let (levels, fields) = match self.known.get(&node.id()) {
            Some(known) => *known,
            None => self.of_children(node, depth)?,
        };
        if depth + levels > MAX_SEGMENTS {
            return Err(format!("its tables are nested more than {MAX_SEGMENTS} levels deep"));
        }
        if fields > MAX_FIELDS {
            return Err(format!("it has more than {MAX_FIELDS} fields"));
        }
        self.known.insert(node.id(), (levels, fields));
        Ok((levels, fields))
    }

    fn of_children(&mut self, node: crate::Node, depth: usize) -> Result<(usize, usize), String> {
        if depth >= MAX_SEGMENTS && node.children().next().is_some() {
            return Ok((1, 1));
        }
        self.above.push(node.id());
        let (mut levels, mut fields) = (0, 1);
        for child in node.children() {
            let (below, count) = self.of(child, depth + 1)?;
            levels = levels.max(below + 1);
            fields += count;
        }
        self.above.pop();
        Ok((levels, fields))
    }
}

/// Collects the descriptions that the built-in history has of these fields.
fn ours<'t>(node: &'t Node<'t>, known: Option<crate::Node>, point: Point, sentences: &mut Vec<Sentence<'t>>) {
    let Some(known) = known else { return };
    if let Some(sentence) = known.doc(point).filter(|_| known.at(point).is_some()) {
        sentences.push((node, 0, sentence));
    }
    for (segment, below) in &node.children {
        ours(below, child(known, *segment), point, sentences);
    }
}
