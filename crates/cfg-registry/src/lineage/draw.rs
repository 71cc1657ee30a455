//! The lineage as text, Mermaid, Graphviz dot, SVG and JSON.

use std::{cmp::Reverse, collections::HashMap, fmt::Write as _};

use cfg_diag::one_line;
use serde_json::{Value as Json, json};

use super::{Lineage, Parent};
use crate::registry::{Registry, VersionPlace};

/// A version in the order of drawing.
struct Drawn {
    place: VersionPlace,
    /// The number of its ancestors.
    depth: usize,
    parent: Option<VersionPlace>,
    is_implied: bool,
}

/// The versions in the order of drawing: each after its parent. `keep` selects those that are drawn. In a cycle, the edge back to
/// the first drawn version is omitted.
fn ordered(registry: &Registry, lineage: &Lineage, keep: &dyn Fn(VersionPlace) -> bool) -> Vec<Drawn> {
    let mut children: HashMap<VersionPlace, Vec<(VersionPlace, bool)>> = HashMap::new();
    let mut roots = Vec::new();
    for (place, parent) in lineage.iter().filter(|(place, _)| keep(*place)) {
        match parent {
            Parent::Stated(parent) if keep(*parent) => children.entry(*parent).or_default().push((place, false)),
            Parent::Implied(parent) if keep(*parent) => children.entry(*parent).or_default().push((place, true)),
            _ => roots.push(place),
        }
    }
    let mut drawn: Vec<Drawn> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    // The versions of a cycle have no root; they come last, beginning with the first one in the registry.
    let in_circles = lineage.iter().map(|(place, _)| place).filter(|place| keep(*place));
    for root in roots.into_iter().chain(in_circles.collect::<Vec<_>>()) {
        let mut stack = vec![Drawn { place: root, depth: 0, parent: None, is_implied: false }];
        while let Some(next) = stack.pop() {
            if !seen.insert(next.place) {
                continue;
            }
            let (place, depth) = (next.place, next.depth);
            drawn.push(next);
            let mut below = children.remove(&place).unwrap_or_default();
            // The last element is taken from the stack first.
            below.sort_by_cached_key(|(child, _)| Reverse((child.config, registry.entry(*child).version.clone(), child.entry)));
            stack.extend(below.iter().map(|(child, is_implied)| Drawn {
                place: *child,
                depth: depth + 1,
                parent: Some(place),
                is_implied: *is_implied,
            }));
        }
    }
    drawn
}

/// The first line of a note.
fn note(registry: &Registry, place: VersionPlace) -> String {
    let notes = registry.entry(place).notes.as_ref().map_or("", |notes| &notes.value);
    notes.lines().next().unwrap_or_default().trim().to_owned()
}

/// The maximum indentation; deeper versions are drawn at this level.
const DEEPEST: usize = 64;

/// A tree as text lines: each version is indented below its parent, which it names if that is not the line above. Versions in a chain, where each
/// has only one child, are not indented further.
///
/// `state` says where the file of a config is: at the version for which it returns a text.
pub fn text(
    registry: &Registry,
    lineage: &Lineage,
    keep: &dyn Fn(VersionPlace) -> bool,
    state: &dyn Fn(VersionPlace) -> Option<&'static str>,
) -> String {
    let drawn = ordered(registry, lineage, keep);
    let mut children: HashMap<VersionPlace, usize> = HashMap::new();
    for parent in drawn.iter().filter_map(|drawn| drawn.parent) {
        *children.entry(parent).or_default() += 1;
    }
    let mut level: HashMap<VersionPlace, usize> = HashMap::new();
    let mut out = String::new();
    let mut above = None;
    for Drawn { place, parent, is_implied, .. } in &drawn {
        let own = parent.map_or(0, |parent| {
            let above = level.get(&parent).copied().unwrap_or_default();
            DEEPEST.min(above + usize::from(children.get(&parent) != Some(&1) || parent.config != place.config))
        });
        level.insert(*place, own);
        let mark = match (parent, is_implied) {
            (None, _) => "*",
            (Some(_), false) => "+",
            (Some(_), true) => ":",
        };
        let created = registry.entry(*place).created.as_ref().map_or("", |created| &created.value);
        let state = state(*place).map_or(String::new(), |state| format!("  ({state})"));
        let name = registry.name(*place);
        let on = parent.filter(|_| above != *parent).map(|parent| {
            let entry = registry.entry(parent);
            let is_of_it = parent.config == place.config;
            format!(" on {}", if is_of_it { entry.label.value.to_string() } else { registry.name(parent) })
        });
        let on = on.unwrap_or_default();
        above = Some(*place);
        let line = format!("{}{mark} {name}{on}  {created}{state}  {}", "  ".repeat(own), note(registry, *place));
        let _ = writeln!(out, "{}", one_line(line.trim_end()));
    }
    out
}

/// A Mermaid flowchart, which GitHub renders in Markdown. Edges to implied parents are dotted.
pub fn mermaid(registry: &Registry, lineage: &Lineage, keep: &dyn Fn(VersionPlace) -> bool) -> String {
    let mut out = "flowchart TD\n".to_owned();
    let drawn = ordered(registry, lineage, keep);
    let number: HashMap<VersionPlace, usize> = drawn.iter().enumerate().map(|(number, drawn)| (drawn.place, number)).collect();
    // Mermaid supports entities, but no escape sequences.
    let label =
        |text: &str| one_line(text).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    for (at, drawn) in drawn.iter().enumerate() {
        let created =
            registry.entry(drawn.place).created.as_ref().map_or(String::new(), |day| format!("<br>{}", label(&day.value)));
        let _ = writeln!(out, "  n{at}[\"{}{created}\"]", label(&registry.name(drawn.place)));
    }
    for (at, drawn) in drawn.iter().enumerate() {
        if let Some(parent) = drawn.parent.and_then(|parent| number.get(&parent)) {
            let _ = writeln!(out, "  n{parent} {} n{at}", if drawn.is_implied { "-.->" } else { "-->" });
        }
    }
    out
}

/// The lineage in the dot language of Graphviz.
pub fn dot(registry: &Registry, lineage: &Lineage, keep: &dyn Fn(VersionPlace) -> bool) -> String {
    let quoted = |text: &str| format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = "digraph lineage {\n  node [shape=box];\n".to_owned();
    for drawn in ordered(registry, lineage, keep) {
        let name = quoted(&registry.name(drawn.place));
        let _ = writeln!(out, "  {name} [tooltip={}];", quoted(&note(registry, drawn.place)));
        if let Some(parent) = drawn.parent {
            let style = if drawn.is_implied { " [style=dashed]" } else { "" };
            let _ = writeln!(out, "  {} -> {name}{style};", quoted(&registry.name(parent)));
        }
    }
    out.push_str("}\n");
    out
}

/// An SVG picture, with a column for each config and a row for each version, the oldest at the top.
pub fn svg(registry: &Registry, lineage: &Lineage, keep: &dyn Fn(VersionPlace) -> bool) -> String {
    const ROW: usize = 28;
    const COLUMN: usize = 24;
    const LETTER: usize = 7;
    let escaped =
        |text: &str| one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let drawn = ordered(registry, lineage, keep);
    let row: HashMap<VersionPlace, usize> = drawn.iter().enumerate().map(|(row, drawn)| (drawn.place, row)).collect();
    let mut columns: HashMap<usize, usize> = HashMap::new();
    for drawn in &drawn {
        let next = columns.len();
        columns.entry(drawn.place.config).or_insert(next);
    }
    let at = |place: VersionPlace| {
        (
            COLUMN + columns.get(&place.config).copied().unwrap_or_default() * COLUMN,
            ROW / 2 + row.get(&place).copied().unwrap_or_default() * ROW,
        )
    };
    let texts: Vec<String> = drawn
        .iter()
        .map(|drawn| {
            let created = registry.entry(drawn.place).created.as_ref().map_or("", |day| &*day.value);
            format!("{}  {created}", registry.name(drawn.place)).trim_end().to_owned()
        })
        .collect();
    let left = COLUMN * (columns.len() + 1) + 8;
    let width = left + texts.iter().map(|text| text.chars().count()).max().unwrap_or_default() * LETTER + COLUMN;
    let height = ROW * drawn.len().max(1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for drawn in &drawn {
        if let Some(parent) = drawn.parent {
            let ((x1, y1), (x2, y2)) = (at(parent), at(drawn.place));
            let dashes = if drawn.is_implied { " stroke-dasharray=\"4 3\"" } else { "" };
            let _ =
                writeln!(out, "<path d=\"M{x1} {y1} C{x1} {y2} {x2} {y1} {x2} {y2}\" fill=\"none\" stroke=\"#888\"{dashes}/>");
        }
    }
    for (drawn, text) in drawn.iter().zip(&texts) {
        let (x, y) = at(drawn.place);
        let note = escaped(&note(registry, drawn.place));
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#2f6fb2\"><title>{note}</title></circle><text x=\"{left}\" y=\"{}\">{}</text>",
            y + 4,
            escaped(text)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// JSON: the versions, each with its parent and whether the parent is stated.
pub fn json(registry: &Registry, lineage: &Lineage, keep: &dyn Fn(VersionPlace) -> bool) -> Json {
    let nodes = lineage.iter().filter(|(place, _)| keep(*place)).map(|(place, parent)| {
        let entry = registry.entry(place);
        let text = |text: &Option<crate::registry::Text>| text.as_ref().map(|text| text.value.to_string());
        let (of, how) = match parent {
            Parent::None => (None, "none"),
            Parent::Stated(parent) => (Some(registry.name(*parent)), "stated"),
            Parent::Implied(parent) => (Some(registry.name(*parent)), "implied"),
            Parent::Unknown(_) => (entry.based_on.as_ref().map(|text| text.value.to_string()), "unknown"),
        };
        json!({
            "config": &*registry.configs[place.config].path.value,
            "version": &*entry.label.value,
            "created": text(&entry.created),
            "notes": text(&entry.notes),
            "sha256": text(&entry.sha256),
            "prime_rl": text(&entry.prime_rl),
            "env_version": text(&entry.env_version),
            "parent": of,
            "parent_is": how,
        })
    });
    json!({ "versions": nodes.collect::<Vec<_>>() })
}
