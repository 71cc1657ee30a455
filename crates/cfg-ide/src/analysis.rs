//! One version of one text, with everything that is known of it.

use cfg_check::{Checked, Project, Request, Session};
use cfg_compose::{Integer, Origin};
use cfg_diag::{FileId, LineIndex, PositionEncoding, Span};
use cfg_resolve::{Resolved, ResolvedValue};
use cfg_schema::{Kind, Schema, Target};
use cfg_syntax::{Document, MetadataBlock};

use crate::place::{self, Step};

/// The text that is looked at, and what surrounds it.
pub struct Source<'a> {
    /// Its path, as the user knows it: it may tell the kind.
    pub path: &'a str,
    /// The text.
    pub text: String,
    /// The target that the surrounding project implies.
    pub surroundings: &'a dyn Fn() -> Option<Target>,
    /// What the project's settings say that rules can use.
    pub project: Option<&'a Project>,
}

/// A text that has been parsed and checked.
pub struct Analysis {
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineIndex,
    /// What is written in it.
    pub document: Document,
    /// Its block of metadata.
    pub metadata: Option<MetadataBlock>,
    /// What is wrong with it, and what prime-rl makes of it.
    pub checked: Checked,
    history: cfg_schema::History,
}

/// Every location of an analysis is in this file.
pub(crate) const FILE: FileId = FileId(0);

impl Analysis {
    /// Parses and checks a text.
    pub fn new(session: &Session, source: Source<'_>) -> Self {
        let Source { path, text, surroundings, project } = source;
        let request = Request {
            file: FILE,
            path,
            named: true,
            text: &text,
            encoding: Vec::new(),
            kind: None,
            target: None,
            surroundings,
            project,
        };
        let checked = cfg_check::check(session, request);
        let (document, _) = cfg_syntax::parse(FILE, &text, cfg_resolve::loader::dialect(checked.target.point));
        let metadata = document.metadata_block(&text);
        Self { lines: LineIndex::new(&text), document, metadata, history: checked.target.history, checked, text }
    }

    /// The history that it is checked against.
    pub const fn history(&self) -> cfg_schema::History {
        self.history
    }

    /// What a field means.
    pub(crate) fn documentation(&self, node: cfg_schema::Node) -> Option<&'static str> {
        node.doc(self.checked.target.point)
    }

    /// The schema that it is checked against. A file whose kind can't be told is looked at as one of `rl`.
    pub fn schema(&self) -> Schema {
        self.checked.target.schema(self.checked.kind.unwrap_or(Kind::Rl))
    }

    /// What prime-rl holds at a path, where something was given or assigned there.
    pub(crate) fn resolved_at(&self, path: &[Step]) -> Option<&Resolved> {
        let mut table = self.checked.resolved.as_ref()?;
        let mut steps = path.iter().peekable();
        loop {
            let Step::Key(key) = steps.next()? else { return None };
            let (node, _) = table.node.field_for_key(key, self.checked.target.point)?;
            let mut resolved = &table.fields.iter().find(|field| field.node == node)?.resolved;
            while let Some(Step::Index(index)) = steps.peek() {
                let ResolvedValue::List(items) = &resolved.value else { return None };
                resolved = items.get(*index)?;
                steps.next();
            }
            if steps.peek().is_none() {
                return Some(resolved);
            }
            let ResolvedValue::Table(inner) = &resolved.value else { return None };
            table = inner;
        }
    }

    /// What prime-rl makes of a written value, where that is something else.
    pub(crate) fn effective(&self, path: &[Step]) -> Option<String> {
        let resolved = self.resolved_at(path)?;
        let shown = shown(&resolved.value)?;
        let written = place::value(&self.document.root, path)?;
        if self.text[written.span.range()] == shown {
            return None;
        }
        let why = match resolved.origin {
            Origin::Rule(step) => format!("; prime-rl sets it itself ({})", step.name),
            _ => String::new(),
        };
        Some(format!("prime-rl takes it as `{shown}`{why}"))
    }

    pub(crate) fn is_same_line(&self, one: Span, other: Span) -> bool {
        let line = |span: Span| self.lines.line_column(&self.text, span.start, PositionEncoding::Utf8).line;
        line(one) == line(other)
    }
}

/// A plain value as TOML writes it; nothing for tables and arrays.
pub(crate) fn shown(value: &ResolvedValue) -> Option<String> {
    Some(match value {
        ResolvedValue::Bool(boolean) => boolean.to_string(),
        ResolvedValue::Int(Integer::Small(small)) => small.to_string(),
        ResolvedValue::Int(Integer::Big(digits)) => digits.to_string(),
        ResolvedValue::Float(float) => format!("{float:?}"),
        ResolvedValue::Str(text) => format!("{text:?}"),
        ResolvedValue::Null => "null".to_owned(),
        _ => return None,
    })
}
