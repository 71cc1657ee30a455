//! From a value to its origin, and to its other occurrences.

use std::path::{Path, PathBuf};

use cfg_check::Session;
use cfg_compose::Origin;
use cfg_diag::{Location, Span};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_syntax::{Document, Table, Value, ValueKind};

use crate::{
    Analysis, Spot,
    place::{self, PathSegment, dotted},
    spot,
    spot::Bodies,
};

/// A place in one of the texts of a config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The index of the part; `None` for the text itself.
    pub part: Option<usize>,
    /// The range in it.
    pub span: Span,
}

impl Target {
    const fn here(span: Span) -> Self {
        Self { part: None, span }
    }
}

/// The places that decide the value of a key: in the file that overrides this one or is overridden by it, or at a shared key that prime-rl copies;
/// the key itself if nothing else affects it.
pub fn definition(analysis: &Analysis, offset: u32) -> Vec<Target> {
    let Some(spot) = spot(&analysis.document, offset) else { return Vec::new() };
    let Some(own) = place::value(&analysis.document.root, spot.path()) else { return Vec::new() };
    let decided = analysis.resolved_at(spot.path()).and_then(|resolved| resolved.origin.place());
    let mut targets: Vec<Target> = decided.and_then(|location| target(analysis, location)).into_iter().collect();
    targets.retain(|target| target.part.is_some() || !analysis.is_same_line(target.span, own.span));
    for found in in_parts(analysis, spot.path()) {
        let is_known = |target: &Target| target.part == found.part && is_near(analysis, *target, found);
        if !targets.iter().any(is_known) {
            targets.push(found);
        }
    }
    if targets.is_empty() {
        targets.push(Target::here(own.span));
    }
    targets
}

/// The file of the user's own prime-rl, and its line counted from 1, that declare the key at `offset`. A config that states another version is led to
/// the prime-rl around it, too, if that has the key.
pub fn declaration(session: &Session, analysis: &Analysis, offset: u32) -> Option<(PathBuf, u32)> {
    let Some(Spot::Key { path, .. }) = spot(&analysis.document, offset) else { return None };
    let own = analysis.checked.own.clone().or_else(|| {
        let around = session.projects().target_in(Path::new(&analysis.path), &analysis.text)?;
        around.as_ref().as_ref().ok()?.own.clone()
    })?;
    // Classes that are as known are checked by the built-in history, but only their own one knows their lines.
    let schema = own.target(&analysis.checked.target.name).schema(analysis.schema().kind);
    let field = place::fields(schema, &analysis.document.root, &path).into_iter().next()?;
    own.declared_at(field.node).map(|(file, line)| (file.to_owned(), line))
}

/// The place of a location, if it is in one of the texts.
fn target(analysis: &Analysis, location: Location) -> Option<Target> {
    if let Some(span) = analysis.own(location) {
        return Some(Target::here(span));
    }
    let part = analysis.parts.iter().position(|part| part.file == location.file)?;
    Some(Target { part: Some(part), span: location.span })
}

/// Whether two places of one part are on the same line.
fn is_near(analysis: &Analysis, one: Target, other: Target) -> bool {
    let Some(part) = one.part.and_then(|part| analysis.parts.get(part)) else { return false };
    let (from, to) = (one.span.start.min(other.span.start) as usize, one.span.start.max(other.span.start) as usize);
    part.text.get(from..to).is_some_and(|between| !between.contains('\n'))
}

/// The places where other files of the config set the same key.
fn in_parts(analysis: &Analysis, path: &[PathSegment]) -> Vec<Target> {
    let parts = analysis.parts.iter().enumerate();
    let first = |(part, of): (usize, &crate::Part)| {
        let span = occurrences(of.document(), path).into_iter().next()?;
        Some(Target { part: Some(part), span })
    };
    parts.filter_map(first).collect()
}

/// All occurrences of the word at `offset`: the same table or key, or the same string.
pub fn highlights(analysis: &Analysis, offset: u32) -> Vec<Span> {
    let Some(spot) = spot(&analysis.document, offset) else { return Vec::new() };
    match &spot {
        Spot::Key { path, span, .. } => {
            let mut spans = occurrences(&analysis.document, path);
            spans.push(*span);
            spans.sort();
            spans.dedup();
            spans
        }
        Spot::Value { path, span } => {
            let Some(Value { kind: ValueKind::String(text), .. }) = place::value(&analysis.document.root, path) else {
                return vec![*span];
            };
            let mut spans = Vec::new();
            same_string(&analysis.document.root, text, &mut spans);
            spans.sort();
            spans
        }
    }
}

/// The places related to the word at `offset`: its other occurrences, the place that decides its value, the same key in the other files of the
/// config, and the tables into which prime-rl copies it.
pub fn references(analysis: &Analysis, offset: u32) -> Vec<Target> {
    let mut targets: Vec<Target> = highlights(analysis, offset).into_iter().map(Target::here).collect();
    let add = |found: Target, targets: &mut Vec<Target>| {
        let is_known = |known: &Target| {
            known.part == found.part
                && if found.part.is_none() {
                    analysis.is_same_line(known.span, found.span)
                } else {
                    is_near(analysis, *known, found)
                }
        };
        if !targets.iter().any(is_known) {
            targets.push(found);
        }
    };
    definition(analysis, offset).into_iter().for_each(|found| add(found, &mut targets));
    let copies = spot(&analysis.document, offset).map(|spot| copies(analysis, spot.path())).unwrap_or_default();
    for copy in copies {
        if let Some(header) = header_of(analysis, &copy) {
            add(Target::here(header), &mut targets);
        }
    }
    targets.sort();
    targets
}

/// The dotted keys into which prime-rl copies the value at a path.
pub(crate) fn copies(analysis: &Analysis, path: &[PathSegment]) -> Vec<String> {
    let (Some(value), Some(root)) = (place::value(&analysis.document.root, path), &analysis.checked.resolved) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let own = dotted(path);
    let is_of = |origin: &Origin| {
        let from = matches!(origin, Origin::Check(_) | Origin::Loader(_)).then(|| origin.place()).flatten();
        from.is_some_and(|location| analysis.own(location).is_some_and(|span| span == value.span))
    };
    walk(root, &mut String::new(), &mut |key, resolved| {
        if is_of(&resolved.origin) && key != own {
            found.push(key.to_owned());
        }
    });
    found
}

/// Calls `found` for every field that was given or assigned.
fn walk(table: &ResolvedTable, key: &mut String, found: &mut dyn FnMut(&str, &Resolved)) {
    for field in &table.fields {
        let Some(name) = field.node.field_name() else { continue };
        let length = key.len();
        if length > 0 {
            key.push('.');
        }
        key.push_str(name);
        found(key, &field.resolved);
        if let ResolvedValue::Table(inner) = &field.resolved.value {
            walk(inner, key, found);
        }
        key.truncate(length);
    }
}

/// The header of the innermost written table that contains a key.
fn header_of(analysis: &Analysis, key: &str) -> Option<Span> {
    let mut above = key;
    while let Some((outer, _)) = above.rsplit_once('.') {
        above = outer;
        let is_it = |header: &&cfg_syntax::Header| !header.array && header.keys.iter().map(|key| &*key.text).eq(above.split('.'));
        if let Some(header) = analysis.document.headers.iter().find(is_it) {
            return header.keys.last().map(|key| key.span);
        }
    }
    None
}

/// Every place of a document that names a path: parts of headers, and keys.
pub fn occurrences(document: &Document, path: &[PathSegment]) -> Vec<Span> {
    let bodies = Bodies::new(document);
    let mut spans = Vec::new();
    let keys = path.iter().filter(|step| matches!(step, PathSegment::Key(_))).count();
    for (index, header) in document.headers.iter().enumerate() {
        let Some(part) = keys.checked_sub(1).filter(|&part| part < header.keys.len()) else { continue };
        let found = bodies.path_of_part(document, index, part);
        if found == path {
            spans.push(header.keys[part].span);
        }
    }
    let entry = path.split_last().and_then(|(last, above)| match last {
        PathSegment::Key(key) => place::table(&document.root, above)?.get(key),
        PathSegment::Index(_) => None,
    });
    spans.extend(entry.map(|entry| entry.key.span));
    spans
}

fn same_string(table: &Table, text: &str, spans: &mut Vec<Span>) {
    fn value(of: &Value, text: &str, spans: &mut Vec<Span>) {
        match &of.kind {
            ValueKind::String(own) if **own == *text => spans.push(of.span),
            ValueKind::Table(inner) => same_string(inner, text, spans),
            ValueKind::Array(items) => items.iter().for_each(|item| value(item, text, spans)),
            _ => {}
        }
    }
    for entry in &table.entries {
        value(&entry.value, text, spans);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cfg_check::Session;
    use cfg_project::Projects;
    use cfg_system::{MemorySystem, System};

    use super::{definition, references};
    use crate::{Analysis, Source, testing::with_cursor};

    /// The text at each target, with its file.
    fn words(analysis: &Analysis, targets: &[super::Target]) -> Vec<String> {
        let of = |target: &super::Target| match target.part {
            None => analysis.text[target.span.range()].to_owned(),
            Some(part) => format!("{}: {}", analysis.parts[part].path, &analysis.parts[part].text[target.span.range()]),
        };
        targets.iter().map(of).collect()
    }

    #[test]
    fn a_shared_key_links_to_its_copies() {
        let text = "seq_l^en = 4096\n[trainer]\n[trainer.model]\nname = \"Qwen/Qwen3-0.6B\"\n[orchestrator]\n[inference]\n";
        let (analysis, offset) = with_cursor(text);
        let found = words(&analysis, &references(&analysis, offset));
        assert!(found.contains(&"seq_len".to_owned()) && found.contains(&"orchestrator".to_owned()), "{found:?}");
    }

    #[test]
    fn an_overlay_links_to_its_base() {
        let text = "toml_files = [\"base.toml\"]\n[orchestrator]\nbatch_si^ze = 64\n";
        let offset = text.find('^').expect("a cursor") as u32;
        let base = "[trainer]\n[orchestrator]\nbatch_size = 128\n";
        let files = [("dir/base.toml", base), ("cfg.toml", "target = \"0.2.0\"\n")];
        let system: Arc<dyn System> = Arc::new(MemorySystem::with_files(files));
        let session = Session::new(Arc::new(Projects::new(Arc::clone(&system), None)));
        let source = Source {
            path: "dir/run.toml",
            named: true,
            text: text.replace('^', ""),
            kind: None,
            target: None,
            project: Arc::default(),
            system: Some(&system),
        };
        let analysis = Analysis::new(&session, source);
        assert!(analysis.checked.has_includes, "this prime-rl reads them");
        assert!(analysis.checked.diagnostics.iter().all(|found| found.native.is_none()), "{:?}", analysis.checked.diagnostics);
        let found = words(&analysis, &definition(&analysis, offset));
        assert!(found.iter().any(|words| words.starts_with("dir/base.toml: ")), "{found:?}");
    }
}
