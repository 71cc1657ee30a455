//! What is not written but holds, shown beside what is.

use cfg_compose::Origin;
use cfg_resolve::{ResolvedTable, ResolvedValue};
use cfg_schema::Segment;

use crate::{
    Analysis,
    place::{Step, dotted},
    spot::Bodies,
};

/// Words beside a place of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Behind which byte they stand.
    pub offset: u32,
    /// The words.
    pub label: String,
    /// Why.
    pub tooltip: String,
}

/// Words above the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// At which byte.
    pub offset: u32,
    /// The words.
    pub title: String,
}

/// Values that prime-rl itself puts in place of what is written, or beside it, in each table that has a header.
pub fn hints(analysis: &Analysis) -> Vec<Hint> {
    let bodies = Bodies::new(&analysis.document);
    let mut hints = Vec::new();
    for (index, header) in analysis.document.headers.iter().enumerate() {
        let path = bodies.path(index);
        let Some(ResolvedValue::Table(table)) = analysis.resolved_at(path).map(|resolved| &resolved.value) else { continue };
        for (name, shown, rule) in assigned(analysis, table, path) {
            hints.push(Hint {
                offset: header.span.end,
                label: format!("{name} = {shown}"),
                tooltip: format!("prime-rl sets this itself ({rule})"),
            });
        }
    }
    hints
}

/// The plain values of a table that one of prime-rl's checks assigned, and that differ from what is written.
fn assigned(analysis: &Analysis, table: &ResolvedTable, path: &[Step]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for field in &table.fields {
        let Some(rule) = rule(&field.resolved.origin) else { continue };
        let (Segment::Field(name), Some(shown)) = (field.node.segment(), crate::analysis::shown(&field.resolved.value)) else {
            continue;
        };
        let mut full = path.to_vec();
        full.push(Step::Key(name.into()));
        let written = crate::place::value(&analysis.document.root, &full);
        let is_default =
            field.node.at(analysis.checked.target.point).and_then(cfg_schema::Interval::default_json) == Some(&shown);
        if (written.is_none() && is_default) || written.is_some_and(|value| analysis.text[value.span.range()] == shown) {
            continue;
        }
        debug_assert!(!dotted(&full).is_empty());
        found.push((name.to_owned(), shown, rule.to_owned()));
    }
    found
}

const fn rule(origin: &Origin) -> Option<&'static str> {
    if let Origin::Rule(step) = origin { Some(step.name) } else { None }
}

/// What the file is taken for: its kind and its target, and what was found.
pub fn lenses(analysis: &Analysis) -> Vec<Lens> {
    let checked = &analysis.checked;
    let Some(kind) = checked.kind else { return Vec::new() };
    let assumed = if checked.is_assumed { ", assumed" } else { "" };
    let count = |severity| checked.diagnostics.iter().filter(|found| !found.is_echo && found.severity == severity).count();
    let (errors, warnings) = (count(cfg_diag::Severity::Error), count(cfg_diag::Severity::Warning));
    let plural = |count: usize, word: &str| if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") };
    let found = match (errors, warnings) {
        (0, 0) => "nothing wrong".to_owned(),
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    vec![Lens { offset: 0, title: format!("{kind} config for prime-rl {}{assumed}: {found}", checked.target) }]
}
