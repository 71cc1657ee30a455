//! All fields of a history at one point as a text. Two points have the same text exactly if they have the same fields.

use crate::{History, Kind, Node, Point};

use crate::compiler::{
    notation::meaning,
    recorded::{always, step},
};

/// A line for each field of each kind of a run, in the order of kinds and paths: `trainer:optim<type=adamw>.lr  float(ge 0) = 1e-6`. The validators
/// of a table follow its line.
pub fn listing(history: History, point: Point) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in Kind::RUNS {
        let mut fields = Vec::new();
        add(history.root(kind), point, String::new(), &mut fields);
        fields.sort_unstable();
        lines.extend(fields.into_iter().map(|(path, what)| format!("{kind}:{path}  {what}")));
    }
    lines
}

fn add(node: Node, point: Point, path: String, fields: &mut Vec<(String, String)>) {
    let interval = node.at(point);
    // An array of variants has no line of its own.
    if interval.is_none() && node.intervals().next().is_some() {
        return;
    }
    for child in node.children() {
        add(child, point, step(&path, child), fields);
    }
    if let Some(interval) = interval {
        fields.push((path, meaning(&always(interval)).replace('\n', "")));
    }
}
