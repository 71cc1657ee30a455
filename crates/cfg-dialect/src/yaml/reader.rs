//! Builds values from the parser's events.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use cfg_compose::{Node, Origin, Value};
use cfg_diag::{Diagnostic, FileId, Location, Span, codes};
use cfg_syntax::MAX_DEPTH;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as Marked, Tag};

use super::{
    Yaml,
    differences::{
        anchor_name, block_start, is_colon_in_flow, is_colon_on_later_line, is_no_plain_start, is_of_yaml_1_2, name_after,
        quoted, tab_between,
    },
    fault,
    key::Key,
    mapping::{Mapping, NextKey},
    open,
    places::Places,
    too_deep,
};
use crate::scalar::{Meaning, Scalar, looks_like_number, scalar};

/// The maximum number of values of a document, including those that aliases repeat.
const MAX_VALUES: usize = 100_000;

/// The maximum number of bytes in the strings that are copied for anchors and aliases. A text of a megabyte can repeat a string of half a megabyte a
/// hundred thousand times.
const MAX_COPIED_BYTES: usize = 8 << 20;

/// The size of a complete value.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// The number of values in it, with itself.
    values: usize,
    /// The bytes of the strings in it, with the keys.
    text: usize,
}

impl Size {
    const ONE: Self = Self { values: 1, text: 0 };

    /// The size of a scalar.
    fn of_scalar(value: &Value) -> Self {
        Self { values: 1, text: value.as_str().map_or(0, str::len) }
    }

    fn and(self, other: Self) -> Self {
        Self { values: self.values.saturating_add(other.values), text: self.text.saturating_add(other.text) }
    }
}

/// A complete value, with its size and depth.
#[derive(Clone)]
struct Done {
    node: Node,
    size: Size,
    depth: usize,
}

/// An incomplete sequence or mapping.
struct Open {
    start: usize,
    anchor: usize,
    size: Size,
    depth: usize,
    /// Whether it is in brackets or braces.
    is_flow: bool,
    /// Whether only the program knows its meaning.
    is_of_program: bool,
    kind: Kind,
}

enum Kind {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

pub(super) struct Reader<'t> {
    file: FileId,
    text: &'t str,
    places: Places,
    open: Vec<Open>,
    /// The value of each anchor.
    anchors: HashMap<usize, Done>,
    /// The names of all anchors up to here.
    names: HashSet<&'t str>,
    /// The places of quoted scalars and of block scalars.
    styled: Vec<Range<usize>>,
    /// The value of the document.
    pub(super) root: Option<Node>,
    count: usize,
    /// The number of bytes in the strings that have been copied for anchors and aliases.
    copied: usize,
    /// The result.
    pub(super) yaml: Yaml,
}

/// An error ends the reading.
type Outcome = Result<(), Box<Diagnostic>>;

impl<'t> Reader<'t> {
    pub(super) fn of(file: FileId, text: &'t str) -> Self {
        Self {
            file,
            text,
            places: Places::of(text),
            open: Vec::new(),
            anchors: HashMap::new(),
            names: HashSet::new(),
            styled: Vec::new(),
            root: None,
            count: 0,
            copied: 0,
            yaml: Yaml::default(),
        }
    }

    fn location(&self, marked: &Marked) -> Location {
        let start = self.places.byte(marked.start.index());
        let end = self.places.byte(marked.end.index()).max(start);
        // The parser's end of a block includes the line breaks that follow it.
        let end = start + self.text.get(start..end).map_or(0, |text| text.trim_end().len());
        Location::new(self.file, Span::from(start..end))
    }

    fn place(&self, range: Range<usize>) -> Location {
        Location::new(self.file, Span::from(range))
    }

    fn scan_error(&self, error: &ScanError) -> Box<Diagnostic> {
        let at = self.places.byte(error.marker().index());
        let rest = self.text.get(at..).unwrap_or_default();
        let end = at + rest.chars().next().filter(|next| *next != '\n').map_or(0, char::len_utf8);
        let place = self.place(at..end);
        if error.info().contains("unknown anchor") && rest.strip_prefix('*').and_then(name_after).is_none() {
            return open(place, "PyYAML reads another alias here");
        }
        if is_of_yaml_1_2(error.info()) || is_colon_in_flow(error.info(), self.text, at) {
            return open(place, &format!("PyYAML may read what YAML 1.2 refuses here: {}", error.info()));
        }
        fault(place, format!("this is not YAML: {}", error.info()))
    }

    /// Reads the whole text.
    pub(super) fn read(&mut self) -> Outcome {
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
                Event::Scalar(text, style, anchor, tag) => {
                    self.properties(anchor, tag.as_deref(), at)?;
                    self.scalar(&text, style, anchor, tag.as_deref(), at)?;
                }
                Event::Alias(anchor) => self.alias(anchor, at)?,
                Event::SequenceStart(anchor, tag) => {
                    self.properties(anchor, tag.as_deref(), at)?;
                    self.begin(Kind::Sequence(Vec::new()), anchor, tag.as_deref(), at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.properties(anchor, tag.as_deref(), at)?;
                    self.begin(Kind::Mapping(Mapping::default()), anchor, tag.as_deref(), at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(at)?,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        match tab_between(text, &self.styled) {
            Some(tab) => Err(fault(self.place(tab), "PyYAML does not accept a tab here: use spaces")),
            None => Ok(()),
        }
    }

    /// Whether the next node is a key of a mapping.
    fn is_at_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { kind: Kind::Mapping(Mapping { key: None, .. }), .. }))
    }

    /// Whether the next node is in brackets or braces.
    fn is_flow(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_flow)
    }

    /// Whether the next node belongs to a value whose meaning only the program knows.
    fn is_of_program(&self) -> bool {
        self.open.iter().any(|open| open.is_of_program)
    }

    /// Reads the properties of a node, whose text begins at this location.
    fn properties(&mut self, anchor: usize, tag: Option<&Tag>, at: Location) -> Outcome {
        if anchor == 0 && tag.is_none() {
            return Ok(());
        }
        let written = self.text.get(at.span.range().start..).unwrap_or_default();
        match anchor_name(written).map_err(|why| open(at, why))? {
            Some(name) if anchor > 0 && !self.names.insert(name) => {
                Err(fault(at, format!("duplicate anchor `{name}`: PyYAML allows each name only once")))
            }
            _ => Ok(()),
        }
    }

    fn add_to_count(&mut self, more: usize, at: Location) -> Outcome {
        self.count = self.count.saturating_add(more);
        if self.count > MAX_VALUES {
            let message = "more than 100,000 values, including those that aliases repeat: cfg does not check a config this large";
            return Err(Box::new(Diagnostic::new(&codes::UNREADABLE_FILE, message).at(at)));
        }
        Ok(())
    }

    /// Counts a value that is copied, before it is copied.
    fn add_copy(&mut self, size: Size, at: Location) -> Outcome {
        self.add_to_count(size.values, at)?;
        self.copied = self.copied.saturating_add(size.text);
        if self.copied > MAX_COPIED_BYTES {
            let message = "anchors and aliases repeat more than 8 MiB of text: cfg does not check a config this large";
            return Err(Box::new(Diagnostic::new(&codes::UNREADABLE_FILE, message).at(at)));
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind, anchor: usize, tag: Option<&Tag>, at: Location) -> Outcome {
        if self.is_at_key() {
            return Err(if self.is_of_program() || Meaning::of(tag) == Meaning::Program {
                open(at, "only its program knows the meaning of a mapping or a list as a key")
            } else {
                fault(at, "a key must be a scalar")
            });
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(at));
        }
        self.add_to_count(1, at)?;
        let is_default = match Meaning::of(tag) {
            Meaning::None | Meaning::NotSpecific => true,
            Meaning::Sequence => matches!(kind, Kind::Sequence(_)),
            Meaning::Mapping => matches!(kind, Kind::Mapping(_)),
            _ => false,
        };
        let start = at.span.range().start;
        let is_flow = self.is_flow() || self.text.get(at.span.range()).is_some_and(|text| text.ends_with(['[', '{']));
        self.open.push(Open { start, anchor, size: Size::ONE, depth: 1, is_flow, is_of_program: !is_default, kind });
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, tag: Option<&Tag>, at: Location) -> Outcome {
        self.add_to_count(1, at)?;
        let is_plain = style == ScalarStyle::Plain;
        if is_plain && (is_no_plain_start(text) || self.is_flow() && text.contains('?')) {
            return Err(open(at, "PyYAML may read another scalar here"));
        }
        let (text, at) = self.styled(text, style, at, anchor > 0 || tag.is_some())?;
        let is_key = self.is_at_key();
        let value = match scalar(text, is_plain, Meaning::of(tag)) {
            Scalar::Value(value) => value,
            _ if anchor > 0 => return Err(open(at, "it has an anchor at `<<` or `=`")),
            Scalar::Merge if is_key => {
                self.set_key(NextKey::Merge);
                return Ok(());
            }
            Scalar::Equals if is_key => Value::Str("=".into()),
            Scalar::Merge | Scalar::Equals if self.is_of_program() => Value::Unknown,
            Scalar::Merge | Scalar::Equals => {
                return Err(fault(at, format!("PyYAML can't construct a value from a plain `{text}`: put it in quotes")));
            }
        };
        if is_key {
            let size = Size::of_scalar(&value);
            return self.scalar_key(Done { node: Node { value, origin: Origin::File(at) }, size, depth: 0 }, anchor, at);
        }
        if is_plain && tag.is_none() && looks_like_number(text) {
            self.yaml.texts.push(at);
        }
        let size = Size::of_scalar(&value);
        let done = Done { node: Node { value, origin: Origin::File(at) }, size, depth: 0 };
        self.complete(done, anchor, at)
    }

    /// The text of a scalar and its place, where these are not what the parser says: a scalar in quotes ends at its quote, and the last line of a block
    /// has no line break if the file has none.
    fn styled<'s>(
        &mut self,
        text: &'s str,
        style: ScalarStyle,
        at: Location,
        has_properties: bool,
    ) -> Result<(&'s str, Location), Box<Diagnostic>> {
        let Range { start, end } = at.span.range();
        let rest = self.text.get(end..).unwrap_or_default();
        let text = match style {
            ScalarStyle::Plain => return Ok((text, at)),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let range = quoted(self.text.get(start..).unwrap_or_default()).unwrap_or(0..end - start);
                self.styled.push(start + range.start..start + range.end);
                return Ok((text, self.place(start..start + range.end)));
            }
            _ if rest.trim().is_empty() && !rest.contains('\n') => text.strip_suffix('\n').unwrap_or(text),
            // A last line of spaces may belong to the text.
            _ if rest.trim().is_empty() && !rest.ends_with('\n') => {
                return Err(open(at, "it ends in spaces, which PyYAML may read as a part of this text"));
            }
            ScalarStyle::Literal | ScalarStyle::Folded => text,
        };
        // Its place begins with its properties, else with its text. Lines without a text belong to it.
        let own = self.text.get(start..end).filter(|_| has_properties);
        self.styled.push(start + own.map_or(0, block_start)..self.text.len() - rest.trim_start().len());
        Ok((text, at))
    }

    fn set_key(&mut self, next: NextKey) {
        if let Some(Open { kind: Kind::Mapping(Mapping { key, .. }), .. }) = self.open.last_mut() {
            *key = Some(next);
        }
    }

    /// Uses a scalar as the key of the next value.
    fn scalar_key(&mut self, done: Done, anchor: usize, at: Location) -> Outcome {
        let written = self.text.get(at.span.range()).unwrap_or_default();
        let is_after_mark = self.text[..at.span.range().start].trim_end().ends_with('?');
        let after = self.text.get(at.span.range().end..).unwrap_or_default();
        let is_over_lines = written.contains('\n') || is_colon_on_later_line(after);
        if is_after_mark && self.is_flow() || !is_after_mark && is_over_lines {
            return Err(open(at, "PyYAML may read another key here"));
        }
        if written.is_empty() && anchor == 0 && !is_after_mark {
            return Err(open(at, "a key is missing, which PyYAML may refuse"));
        }
        let key = Key::of(&done.node.value, written, at);
        let length = key.as_ref().map_or(0, |key| key.name.len() + key.written.as_ref().map_or(0, |written| written.len()));
        if anchor > 0 {
            self.add_copy(Size { values: 0, ..done.size }, at)?;
            self.anchors.insert(anchor, done);
        }
        if let Some(open) = self.open.last_mut() {
            open.size.text = open.size.text.saturating_add(length);
        }
        self.set_key(key.map_or(NextKey::Unknown, NextKey::Known));
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Location) -> Outcome {
        let written = self.text.get(at.span.range().start..).unwrap_or_default();
        if written.strip_prefix('*').and_then(name_after).is_none() {
            return Err(open(at, "PyYAML reads another alias here"));
        }
        let sizes = |done: &Done| (done.size, done.depth, matches!(done.node.value, Value::List(_) | Value::Table(_)));
        let Some((size, depth, is_collection)) = self.anchors.get(&anchor).map(sizes) else {
            // An alias within its own anchor: Python makes an object that contains itself.
            if self.is_at_key() {
                return Err(fault(at, "a key must be a scalar"));
            }
            let node = Node { value: Value::Unknown, origin: Origin::File(at) };
            return self.complete(Done { node, size: Size::ONE, depth: 0 }, 0, at);
        };
        // The limit is checked before the value is copied.
        self.add_copy(size, at)?;
        let is_key = self.is_at_key();
        if is_key && is_collection {
            return Err(fault(at, "a key must be a scalar, but this alias is a mapping or a list"));
        }
        if self.open.len() + depth > MAX_DEPTH {
            return Err(too_deep(at));
        }
        let Some(done) = self.anchors.get(&anchor).cloned() else { return Ok(()) };
        if is_key { self.scalar_key(done, 0, at) } else { self.complete(done, 0, at) }
    }

    fn end(&mut self, at: Location) -> Outcome {
        let Some(Open { start, anchor, size, depth, is_of_program, kind, .. }) = self.open.pop() else { return Ok(()) };
        let is_of_program = is_of_program || self.is_of_program();
        let value = match kind {
            _ if is_of_program => Value::Unknown,
            Kind::Sequence(items) => Value::List(items),
            Kind::Mapping(mapping) => mapping.finish(at)?,
        };
        let end = at.span.range().end.max(start);
        let end = start + self.text.get(start..end).map_or(0, |text| text.trim_end().len());
        let place = self.place(start..end);
        self.complete(Done { node: Node { value, origin: Origin::File(place) }, size, depth }, anchor, place)
    }

    /// Adds a complete value to its parent.
    fn complete(&mut self, done: Done, anchor: usize, at: Location) -> Outcome {
        if anchor > 0 {
            // The copy that is stored for the anchor is counted too.
            self.add_copy(done.size, at)?;
            self.anchors.insert(anchor, done.clone());
        }
        let Done { node, size, depth } = done;
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size = open.size.and(size);
        open.depth = open.depth.max(depth + 1);
        match &mut open.kind {
            Kind::Sequence(items) => items.push(node),
            Kind::Mapping(mapping) => self.yaml.diagnostics.extend(mapping.add(node)),
        }
        Ok(())
    }
}
