//! From a value to where it comes from, and to everything that is the same.

use cfg_diag::Span;
use cfg_syntax::{Table, Value, ValueKind};

use crate::{
    Analysis, Spot,
    place::{self, Step},
    spot,
    spot::Bodies,
};

/// Where the value of a key is decided: another place of the file, if a shared key overrides it, else the key itself.
pub fn definition(analysis: &Analysis, offset: u32) -> Option<Span> {
    let spot = spot(&analysis.document, offset)?;
    let own = place::value(&analysis.document.root, spot.path())?;
    let decided = analysis.resolved_at(spot.path()).and_then(|resolved| resolved.origin.place());
    Some(decided.map_or(own.span, |location| location.span))
}

/// Everything that is the same as what stands at `offset`: the same table or key, or the same string.
pub fn highlights(analysis: &Analysis, offset: u32) -> Vec<Span> {
    let Some(spot) = spot(&analysis.document, offset) else { return Vec::new() };
    match &spot {
        Spot::Key { path, span, .. } => {
            let mut spans = same_key(analysis, path);
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

/// The places that have to do with what stands at `offset`: what is the same, and where its value is decided.
pub fn references(analysis: &Analysis, offset: u32) -> Vec<Span> {
    let mut spans = highlights(analysis, offset);
    if let Some(definition) = definition(analysis, offset)
        && !spans.iter().any(|span| analysis.is_same_line(*span, definition))
    {
        spans.push(definition);
    }
    spans.sort();
    spans
}

/// Every place that names a path: parts of headers, and keys.
fn same_key(analysis: &Analysis, path: &[Step]) -> Vec<Span> {
    let document = &analysis.document;
    let bodies = Bodies::new(document);
    let mut spans = Vec::new();
    let keys = path.iter().filter(|step| matches!(step, Step::Key(_))).count();
    for (index, header) in document.headers.iter().enumerate() {
        let Some(part) = keys.checked_sub(1).filter(|&part| part < header.keys.len()) else { continue };
        let found = bodies.path_of_part(document, index, part);
        if found == path {
            spans.push(header.keys[part].span);
        }
    }
    let entry = path.split_last().and_then(|(last, above)| match last {
        Step::Key(key) => place::table(&document.root, above)?.get(key),
        Step::Index(_) => None,
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
