//! YAML as a tree of raw values with their places.
//!
//! A parser hands out events and resolves nothing; values are made of them here, within bounds: of depth, of the number of values with all that aliases
//! repeat, and of the size of the text.

use std::collections::HashMap;

use cfg_compose::{Entry, Node, Origin, Table, Tree, Value};
use cfg_diag::{Diagnostic, FileId, Location, Severity, Span, codes};
use cfg_syntax::MAX_DEPTH;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as Marked, Tag};

use crate::scalar::{looks_like_number, plain};

/// A larger text is not read: a config is written by hand.
const MOST_BYTES: usize = 1 << 20;

/// So many values a document may have, with what its aliases repeat.
const MOST_VALUES: usize = 100_000;

/// A document.
#[derive(Debug, Default)]
pub struct Yaml {
    /// Its values; `None` where it can't be read as a whole.
    pub tree: Option<Tree>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// Where plain scalars are that look like numbers and are texts.
    pub texts: Vec<Location>,
}

/// Reads a text that is one document whose root is a mapping.
pub fn read_yaml(file: FileId, text: &str) -> Yaml {
    let mut yaml = Yaml::default();
    if text.len() > MOST_BYTES {
        let message = "more than 1 MiB of YAML: cfg does not check a config this large";
        yaml.diagnostics.push(Diagnostic::new(&codes::UNREADABLE_FILE, message));
        return yaml;
    }
    let mut reader =
        Reader { file, places: Places::of(text), text, open: Vec::new(), anchors: HashMap::new(), root: None, count: 0, yaml };
    let read = reader.read();
    let Reader { root, yaml: mut read_so_far, .. } = reader;
    match (read, root) {
        (Err(fault), _) => read_so_far.diagnostics.push(*fault),
        // An empty text is an empty config.
        (Ok(()), None | Some(Node { value: Value::Null, .. })) => read_so_far.tree = Some(Tree::default()),
        (Ok(()), Some(Node { value: Value::Table(root), .. })) => read_so_far.tree = Some(Tree { root }),
        (Ok(()), Some(node)) => {
            let message = "a config is a mapping: `key: value`, line by line";
            let mut found = Diagnostic::new(&codes::INVALID_YAML, message);
            found.location = node.origin.place();
            read_so_far.diagnostics.push(found);
        }
    }
    read_so_far
}

/// From the parser's places, which count characters, to bytes.
enum Places {
    Ascii(usize),
    /// The byte at which each character begins, and the end.
    Wide(Vec<usize>),
}

impl Places {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ascii(text.len());
        }
        Self::Wide(text.char_indices().map(|(at, _)| at).chain([text.len()]).collect())
    }

    fn byte(&self, character: usize) -> usize {
        match self {
            Self::Ascii(len) => character.min(*len),
            Self::Wide(starts) => starts.get(character).or(starts.last()).copied().unwrap_or_default(),
        }
    }
}

/// A value that is complete: with how many there are in it, and how deep they are.
#[derive(Clone)]
struct Done {
    node: Node,
    count: usize,
    depth: usize,
}

/// A sequence or mapping that is not complete.
struct Open {
    start: usize,
    anchor: usize,
    count: usize,
    depth: usize,
    kind: Kind,
}

enum Kind {
    Sequence(Vec<Node>),
    Mapping {
        entries: Table,
        /// The key whose value comes next.
        key: Option<(Box<str>, Location)>,
        /// What `<<` merges in, in its order.
        merged: Vec<Node>,
    },
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    places: Places,
    open: Vec<Open>,
    /// What each anchor stands for.
    anchors: HashMap<usize, Done>,
    root: Option<Node>,
    count: usize,
    yaml: Yaml,
}

/// Whether reading goes on.
type Outcome = Result<(), Box<Diagnostic>>;

/// The key that merges other mappings in.
const MERGE: &str = "<<";

fn fault(at: Location, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(&codes::INVALID_YAML, message.into()).at(at))
}

impl Reader<'_> {
    fn location(&self, marked: &Marked) -> Location {
        let start = self.places.byte(marked.start.index());
        let end = self.places.byte(marked.end.index()).max(start);
        // The end of a block is behind the line breaks that follow it.
        let end = start + self.text.get(start..end).map_or(0, |text| text.trim_end().len());
        Location::new(self.file, Span::from(start..end))
    }

    fn scan_error(&self, error: &ScanError) -> Box<Diagnostic> {
        let at = self.places.byte(error.marker().index());
        let rest = self.text.get(at..).unwrap_or_default();
        let end = at + rest.chars().next().filter(|next| *next != '\n').map_or(0, char::len_utf8);
        fault(Location::new(self.file, Span::from(at..end)), format!("this is not YAML: {}", error.info()))
    }

    fn read(&mut self) -> Outcome {
        let text = self.text;
        let mut documents = 0;
        for event in Parser::new_from_str(text) {
            let (event, marked) = event.map_err(|error| self.scan_error(&error))?;
            let at = self.location(&marked);
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        let fault = fault(at, "a second document begins here: a config is one document");
                        return Err(Box::new(fault.help("remove the `---`")));
                    }
                }
                Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), at)?,
                Event::Alias(anchor) => self.alias(anchor, at)?,
                Event::SequenceStart(anchor, _) => self.begin(Kind::Sequence(Vec::new()), anchor, at)?,
                Event::MappingStart(anchor, _) => {
                    self.begin(Kind::Mapping { entries: Table::default(), key: None, merged: Vec::new() }, anchor, at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(at)?,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        Ok(())
    }

    /// Whether a key of a mapping comes next.
    fn is_at_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { kind: Kind::Mapping { key: None, .. }, .. }))
    }

    fn add_to_count(&mut self, more: usize, at: Location) -> Outcome {
        self.count = self.count.saturating_add(more);
        if self.count > MOST_VALUES {
            let message = "more than 100,000 values, with what aliases repeat: cfg does not check a config this large";
            return Err(Box::new(Diagnostic::new(&codes::UNREADABLE_FILE, message).at(at)));
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind, anchor: usize, at: Location) -> Outcome {
        if self.is_at_key() {
            return Err(fault(at, "a key must be a single text"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Box::new(
                Diagnostic::new(&codes::NESTED_TOO_DEEP, format!("nested deeper than {MAX_DEPTH} levels")).at(at),
            ));
        }
        self.add_to_count(1, at)?;
        self.open.push(Open { start: at.span.range().start, anchor, count: 1, depth: 1, kind });
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, tag: Option<&Tag>, at: Location) -> Outcome {
        self.add_to_count(1, at)?;
        if let Some(Open { kind: Kind::Mapping { key: key @ None, .. }, .. }) = self.open.last_mut() {
            *key = Some((text.into(), at));
            return Ok(());
        }
        let is_plain = style == ScalarStyle::Plain;
        let value = match tag {
            // What a program makes of a tag of its own is not known.
            Some(tag) if !tag.is_yaml_core_schema() => Value::Unknown,
            Some(tag) if tag.suffix == "str" => Value::Str(text.into()),
            Some(_) => match plain(text) {
                Value::Str(_) => Value::Unknown,
                value => value,
            },
            None if is_plain => plain(text),
            None => Value::Str(text.into()),
        };
        if is_plain && tag.is_none() && looks_like_number(text) {
            self.yaml.texts.push(at);
        }
        let done = Done { node: Node { value, origin: Origin::File(at) }, count: 1, depth: 0 };
        self.complete(done, anchor, at)
    }

    fn alias(&mut self, anchor: usize, at: Location) -> Outcome {
        let Some(done) = self.anchors.get(&anchor) else {
            return Err(fault(at, "an alias within what it stands for"));
        };
        let (count, depth) = (done.count, done.depth);
        self.add_to_count(count, at)?;
        if self.is_at_key() {
            return Err(fault(at, "a key must be a single text, not an alias"));
        }
        if self.open.len() + depth > MAX_DEPTH {
            return Err(Box::new(
                Diagnostic::new(&codes::NESTED_TOO_DEEP, format!("nested deeper than {MAX_DEPTH} levels")).at(at),
            ));
        }
        // Counted before it is copied.
        let Some(done) = self.anchors.get(&anchor).cloned() else { return Ok(()) };
        self.complete(done, 0, at)
    }

    fn end(&mut self, at: Location) -> Outcome {
        let Some(Open { start, anchor, count, depth, kind }) = self.open.pop() else { return Ok(()) };
        let value = match kind {
            Kind::Sequence(items) => Value::List(items),
            Kind::Mapping { mut entries, merged, .. } => {
                for other in merged {
                    Self::merge(&mut entries, other, at)?;
                }
                Value::Table(entries)
            }
        };
        let end = at.span.range().end.max(start);
        let end = start + self.text.get(start..end).map_or(0, |text| text.trim_end().len());
        let place = Location::new(self.file, Span::from(start..end));
        self.complete(Done { node: Node { value, origin: Origin::File(place) }, count, depth }, anchor, place)
    }

    /// What `<<` names comes to a mapping where that has no such key of its own.
    fn merge(entries: &mut Table, other: Node, at: Location) -> Outcome {
        let others = match other.value {
            Value::Table(table) => vec![table],
            Value::List(items) if items.iter().all(|item| matches!(item.value, Value::Table(_))) => items
                .into_iter()
                .filter_map(|item| if let Value::Table(table) = item.value { Some(table) } else { None })
                .collect(),
            _ => {
                let place = other.origin.place().unwrap_or(at);
                return Err(fault(place, "`<<` takes a mapping, or a list of them"));
            }
        };
        for entry in others.into_iter().flat_map(Table::into_entries) {
            if entries.get(&entry.key).is_none() {
                entries.insert(entry);
            }
        }
        Ok(())
    }

    /// Puts a complete value where it belongs.
    fn complete(&mut self, done: Done, anchor: usize, at: Location) -> Outcome {
        if anchor > 0 {
            // The copy that the anchor keeps counts, too.
            self.add_to_count(done.count, at)?;
            self.anchors.insert(anchor, done.clone());
        }
        let Done { node, count, depth } = done;
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.count = open.count.saturating_add(count);
        open.depth = open.depth.max(depth + 1);
        match &mut open.kind {
            Kind::Sequence(items) => items.push(node),
            Kind::Mapping { entries, key, merged } => {
                let Some((key, place)) = key.take() else { return Ok(()) };
                if &*key == MERGE {
                    merged.push(node);
                    return Ok(());
                }
                if let Some(first) = entries.get(&key).and_then(|first| first.key_origin.place()) {
                    let message = format!("`{}` is defined twice: PyYAML silently takes the last", cfg_diag::one_line(&key));
                    let mut found =
                        Diagnostic::new(&codes::DUPLICATE_KEY, message).at(place).related(first, "first defined here");
                    found.severity = Severity::Warning;
                    self.yaml.diagnostics.push(found);
                }
                entries.insert(Entry { key, written: None, key_origin: Origin::File(place), node });
            }
        }
        Ok(())
    }
}
