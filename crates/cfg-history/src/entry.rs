//! An entry of a user's own: the schema of one prime-rl, as `cfg schema import` writes it.
//!
//! Its text is that of the history: a section `== KIND ==` for each kind, whose fields hold over `..`, all of time; and `== KIND docs ==`
//! with a sentence for each field that describes itself. A line `nearest COMMIT` in front of them names the known point whose checks and
//! loader are taken for its own.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
};

use cfg_schema::{History, Kind, Point, Target};

use crate::{KINDS, Node, Segment, Sentence, build, chronicle::Chronicle, encode, parse};

/// The script that reads the config classes of a checkout: its head says how it is run, and what it answers.
pub const READ_CLASSES: &str = include_str!("read_classes.py");

/// The ending of an entry's file.
pub const SUFFIX: &str = "schema";

/// What the script said of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The version of pydantic that read them.
    pub pydantic: String,
    /// By kind, its fields in the notation of the history.
    kinds: BTreeMap<String, String>,
    /// By kind and path, what the classes say of a field themselves.
    docs: BTreeMap<String, BTreeMap<String, String>>,
    /// What could not be read as it is.
    pub unread: Vec<String>,
}

/// Why there are no classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoClasses {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A whole entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its schemas.
    pub history: History,
    /// The known point that is nearest.
    pub nearest: Point,
}

impl Classes {
    /// Reads the answer of the script.
    pub fn read(answer: &str) -> Result<Self, NoClasses> {
        let no_answer = |message: String| NoClasses { message, help: None };
        let answer: serde_json::Value =
            serde_json::from_str(answer).map_err(|error| no_answer(format!("the script gave no answer: {error}")))?;
        if let Some(message) = answer["error"].as_str() {
            return Err(NoClasses { message: message.to_owned(), help: answer["help"].as_str().map(str::to_owned) });
        }
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let texts = |value: &serde_json::Value| -> BTreeMap<String, String> {
            value.as_object().into_iter().flatten().filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect()
        };
        let docs = answer["docs"].as_object().into_iter().flatten().map(|(kind, paths)| (kind.clone(), texts(paths))).collect();
        Ok(Self {
            pydantic: text(&answer["pydantic"]).unwrap_or_default(),
            kinds: texts(&answer["kinds"]),
            docs,
            unread: answer["unread"].as_array().into_iter().flatten().filter_map(text).collect(),
        })
    }

    /// The text of their entry; `about` are lines on where they come from.
    pub fn entry(&self, about: &[String], nearest: &str) -> String {
        let mut entry = String::new();
        for line in about {
            let _ = writeln!(entry, "# {}", line.replace(['\n', '\r'], " "));
        }
        let _ = writeln!(entry, "nearest {nearest}");
        for kind in KINDS {
            let _ = write!(entry, "\n== {kind} ==\n{}", self.kinds.get(kind).map_or("", String::as_str));
        }
        for (kind, docs) in &self.docs {
            let _ = writeln!(entry, "\n== {kind} docs ==");
            for (path, sentence) in docs {
                let _ = writeln!(entry, "{path}: {}", sentence.replace(['\n', '\r'], " "));
            }
        }
        entry
    }
}

/// Reads an entry. An error says in which part of it something is wrong.
pub fn read_entry(text: &str) -> Result<Entry, String> {
    let mut parts = text.split("\n== ");
    let head = parts.next().unwrap_or_default();
    let nearest = head.lines().find_map(|line| line.strip_prefix("nearest ")).ok_or("the line `nearest COMMIT` is missing")?;
    let nearest = Target::parse(History::built_in(), nearest).map_err(|error| format!("nearest: {error}"))?.point;
    let mut sections: BTreeMap<&str, &str> = BTreeMap::new();
    for part in parts {
        let (name, body) = part.split_once(" ==\n").ok_or("a section begins with `== KIND ==`")?;
        sections.insert(name, body);
    }
    let mut trees = Vec::new();
    for kind in KINDS {
        let source = sections.get(kind).ok_or_else(|| format!("the section `== {kind} ==` is missing"))?;
        let no_commit = |sha: &str| Err(format!("`{sha}`: a field of an entry holds over `..`"));
        let fields = parse(source, &no_commit).map_err(|error| format!("{kind}:{error}"))?;
        let tree = build(fields).map_err(|error| format!("{kind}:{error}"))?;
        if tree.intervals.is_empty() {
            return Err(format!("{kind}: `(root)` is missing"));
        }
        trees.push(tree);
    }
    let mut sentences: Vec<Sentence<'_>> = Vec::new();
    for (kind, tree) in KINDS.iter().zip(&trees) {
        let known = kind.parse().ok().map(|kind| History::built_in().root(kind));
        ours(tree, known, nearest, &mut sentences);
        let own = sections.get(&*format!("{kind} docs")).copied().unwrap_or_default();
        for (path, sentence) in own.lines().filter_map(|line| line.split_once(": ")) {
            if let Some(node) = tree.at(path)
                && !sentences.iter().any(|(other, ..)| std::ptr::eq(*other, node))
            {
                sentences.push((node, 0, sentence));
            }
        }
    }
    let bytes = encode(&trees, &sentences, &Chronicle::default())?;
    let history = History::of_bytes(bytes).ok_or("its table can't be read")?;
    if Kind::ALL.into_iter().any(|kind| is_endless(history.root(kind), &mut Vec::new(), &mut HashSet::new())) {
        return Err("a table contains itself".to_owned());
    }
    Ok(Entry { history, nearest })
}

/// Whether a table lies somewhere below itself.
fn is_endless(node: cfg_schema::Node, above: &mut Vec<u32>, done: &mut HashSet<u32>) -> bool {
    if above.contains(&node.id()) {
        return true;
    }
    if !done.insert(node.id()) {
        return false;
    }
    above.push(node.id());
    let is_endless = node.children().any(|child| is_endless(child, above, done));
    above.pop();
    is_endless
}

/// What we say of the fields that the history knows.
fn ours<'t>(node: &'t Node, known: Option<cfg_schema::Node>, point: Point, sentences: &mut Vec<Sentence<'t>>) {
    let Some(known) = known else { return };
    if let Some(sentence) = known.doc(point).filter(|_| known.at(point).is_some()) {
        sentences.push((node, 0, sentence));
    }
    for (segment, child) in &node.children {
        let same = match segment {
            Segment::Field(name) => known.field(name),
            Segment::Item => known.item(),
            Segment::MapValue => known.map_value(),
            Segment::Variant(tag) => known.variant(tag),
            Segment::Class(name) => {
                known.classes().find(|class| matches!(class.segment(), cfg_schema::Segment::Class(own) if own == name))
            }
        };
        ours(child, same, point, sentences);
    }
}
