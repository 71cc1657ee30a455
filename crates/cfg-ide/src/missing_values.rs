//! Actions for a key whose value is missing: write one, or remove the key.

use cfg_diag::{Edit, Location, Span};
use cfg_syntax::{Entry, Table, Value, ValueKind};

use crate::{
    Action, ActionKind, Analysis,
    completion::first_value,
    context::line_start,
    intended_path::IntendedPath,
    place::{self, PathSegment, dotted},
};

/// The actions for keys without a value in the lines of `span`, such as `temperature =`.
pub fn missing_values(analysis: &Analysis, span: Span) -> Vec<Action> {
    let mut actions = Vec::new();
    each(&analysis.document.root, &mut Vec::new(), &mut |entry, path| {
        let line = line_of(&analysis.text, entry.key.span.start);
        if line.start <= span.end && span.start <= line.end {
            actions.extend(of(analysis, entry, path, line));
        }
    });
    actions
}

fn of(analysis: &Analysis, entry: &Entry, path: &[PathSegment], line: Span) -> Vec<Action> {
    let meant = IntendedPath::at(analysis, path);
    let (text, at) = (&analysis.text, entry.value.span.start);
    let between = text.get(entry.key.span.end as usize..at as usize).unwrap_or_default();
    let is_known = !place::types(meant.schema, &analysis.document.root, &meant.path).is_empty();
    let diagnostic = analysis.checked.diagnostics.iter().position(|found| {
        let own = found.location.and_then(|location| analysis.own(location));
        own.is_some_and(|own| line.start <= own.start && own.end <= line.end)
    });
    let action = |title: String, span: Span, new_text: String| Action {
        title,
        kind: ActionKind::Repair,
        is_preferred: false,
        diagnostic,
        edits: vec![Edit { location: Location::new(analysis.file, span), new_text }],
    };
    let mut actions = Vec::new();
    if is_known {
        let value = first_value(analysis, path, at);
        let before = match between.trim_end_matches([' ', '\t']) {
            "" => " = ",
            _ if between.ends_with([' ', '\t']) => "",
            _ => " ",
        };
        let title = format!("write a value: {} = {value}", dotted(&path[path.len().saturating_sub(1)..]));
        // Blanks that only wait for the value go.
        let rest = &text[at as usize..line.end as usize];
        let waiting = if rest.trim().is_empty() { rest.trim_end_matches('\r').len() as u32 } else { 0 };
        let before = if waiting > 0 && before.is_empty() { " " } else { before };
        actions.push(action(title, Span::new(at, at + waiting), format!("{before}{value}")));
    }
    // A line that has more than this key stays.
    if text[line.start as usize..entry.key.span.start as usize].trim().is_empty()
        && text[at as usize..line.end as usize].trim().is_empty()
    {
        let end = text[line.end as usize..].find('\n').map_or(line.end, |newline| line.end + newline as u32 + 1);
        let title = format!("remove `{}`, which has no value", entry.key.text);
        actions.push(action(title, Span::new(line.start, end), String::new()));
    }
    actions
}

/// The line at an offset, without its end.
fn line_of(text: &str, offset: u32) -> Span {
    let start = line_start(text, offset as usize);
    Span::from(start..start + text[start..].lines().next().map_or(0, str::len))
}

/// Calls `found` for every key without a value.
fn each(table: &Table, path: &mut Vec<PathSegment>, found: &mut dyn FnMut(&Entry, &[PathSegment])) {
    for entry in &table.entries {
        path.push(PathSegment::Key(entry.key.text.clone()));
        if entry.value.kind == ValueKind::Missing {
            found(entry, path);
        }
        below(&entry.value, path, found);
        path.pop();
    }
}

fn below(value: &Value, path: &mut Vec<PathSegment>, found: &mut dyn FnMut(&Entry, &[PathSegment])) {
    match &value.kind {
        ValueKind::Table(table) => each(table, path, found),
        ValueKind::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(PathSegment::Index(index));
                below(item, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::missing_values;
    use crate::testing::with_cursor;

    /// The texts after each action at the `^`.
    fn after(text: &str) -> Vec<String> {
        let (analysis, offset) = with_cursor(text);
        let actions = missing_values(&analysis, cfg_diag::Span::empty(offset));
        let applied = actions.into_iter().map(|action| {
            let mut text = analysis.text.clone();
            action.edits.iter().for_each(|edit| text.replace_range(edit.location.span.range(), &edit.new_text));
            text
        });
        applied.collect()
    }

    #[test]
    fn a_key_without_a_value_gets_one_or_goes() {
        let rest = "[orchestrator]\n[trainer.optim]\n";
        for half in ["lr =^", "lr = ^", "lr^", "l^r ="] {
            let found = after(&format!("{rest}{half}\nweight_decay = 0.1\n"));
            let written = found.first().expect("a value is offered");
            assert_eq!(*written, format!("{rest}lr = 1e-06\nweight_decay = 0.1\n"), "{half}");
            assert_eq!(found.get(1).map(String::as_str), Some(&*format!("{rest}weight_decay = 0.1\n")), "{half}");
        }
        assert_eq!(after(&format!("{rest}nonsense_of_mine =^\n")), [rest.to_owned()], "nothing is known of its values");
        assert!(after(&format!("{rest}lr = 1^.0\n")).is_empty());
    }
}
