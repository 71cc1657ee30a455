//! Renaming keys and moving them to other tables.

use cfg_diag::Span;

use super::{
    Change, Comments, KeyPath, Literal, Obstacle, Step, TextEdit,
    change::dotted,
    items::Place,
    layout::{Below, Layout},
};
use crate::faults::key_text;

pub(super) fn relocate(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath) -> Result<Step, Obstacle> {
    let (old, new) = (from.parts(), to.parts());
    let (Some((_, old_table)), Some((new_name, new_table))) = (old.split_last(), new.split_last()) else {
        return Err(Obstacle::Absent);
    };
    if old == new {
        return Ok(Step::Edits(Vec::new()));
    }
    let is_free = !matches!(layout.place(new), Some(Place::Statement(_) | Place::Item(..) | Place::Dotted))
        && layout.below(new).is_empty()
        && !layout.is_array(new);
    if !is_free && !old.starts_with(new) {
        return Err(Obstacle::Occupied);
    }
    let is_renamed = old_table == new_table;
    let (key, value, comment) = match layout.place(old) {
        Some(Place::Statement(statement)) => {
            let last = statement.keys.last().ok_or(Obstacle::Absent)?;
            (last, statement.value, statement.line.comment)
        }
        Some(Place::Item(_, ref brackets, item)) => {
            let item = &brackets.items[item];
            let Some(last) = item.keys.last() else { return Err(Obstacle::InTheWay) };
            if is_renamed {
                return Ok(Step::Edits(vec![TextEdit { span: last.span, new_text: key_text(new_name) }]));
            }
            return Ok(moved(layout, from, to, item.value, None));
        }
        Some(_) => return Err(Obstacle::Absent),
        None => return relocate_table(layout, from, to),
    };
    if is_renamed {
        return Ok(Step::Edits(vec![TextEdit { span: key.span, new_text: key_text(new_name) }]));
    }
    if let Some(deeper) = new.strip_prefix(old) {
        // `model = "x"` becomes `model.name = "x"`.
        let new_text = format!(".{}", dotted(deeper.iter().map(|key| &**key)));
        return Ok(Step::Edits(vec![TextEdit { span: Span::empty(key.span.end), new_text }]));
    }
    if old.starts_with(new) {
        return Err(Obstacle::Occupied);
    }
    Ok(moved(layout, from, to, value, comment))
}

/// A value that is written at another place, and taken out at the old one.
fn moved(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath, value: Span, comment: Option<Span>) -> Step {
    let goes_into_brackets = matches!(layout.place(to.parts()), Some(Place::Missing(..)));
    let comment = comment.filter(|_| !goes_into_brackets);
    let comments = if comment.is_some() && layout.comments_in(value).next().is_none() { Comments::Drop } else { Comments::Keep };
    let value_text = layout.slice(value);
    // Comments inside the value go with it; taken out, they would be there twice.
    let has_inner = layout.comments_in(value).next().is_some();
    let comments = if has_inner { Comments::Drop } else { comments };
    let insert = Change::Insert {
        path: to.clone(),
        value: Literal::raw(value_text),
        comment: comment.map(|comment| layout.slice(comment).to_owned()),
    };
    Step::Changes(vec![insert, Change::Remove { path: from.clone(), comments }])
}

/// A table that headers or dotted keys write: its headers get another name where they stand, its dotted keys move one by one.
fn relocate_table(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath) -> Result<Step, Obstacle> {
    let (old, new) = (from.parts(), to.parts());
    let Below { statements, sections } = layout.below(old);
    if statements.is_empty() && sections.is_empty() {
        return Err(Obstacle::Absent);
    }
    let (old_table, new_table) = (&old[..old.len() - 1], &new[..new.len() - 1]);
    let mut edits = Vec::new();
    if !statements.is_empty() && old_table != new_table {
        if !sections.is_empty() {
            return Err(Obstacle::InTheWay);
        }
        let path_of = |&(section, position): &(usize, usize)| {
            let section = &layout.sections[section];
            let keys = section.statements[position].keys.iter().map(|key| &key.text);
            section.path.iter().chain(keys).cloned().collect::<Vec<_>>()
        };
        let change = |path: Vec<Box<str>>| Change::Relocate {
            to: KeyPath::new(new.iter().chain(&path[old.len()..]).cloned()),
            from: KeyPath::new(path),
        };
        let mut changes: Vec<Change> = statements.iter().map(|statement| change(path_of(statement))).collect();
        changes.push(Change::Remove { path: from.clone(), comments: Comments::Keep });
        return Ok(Step::Changes(changes));
    }
    for &(section, position) in &statements {
        let section = &layout.sections[section];
        let key = &section.statements[position].keys[old.len() - 1 - section.path.len()];
        edits.push(TextEdit { span: key.span, new_text: key_text(&new[new.len() - 1]) });
    }
    let name = dotted(layout.written(new_table).into_iter().chain([&*new[new.len() - 1]]));
    for section in sections {
        let Some(head) = &layout.sections[section].header else { continue };
        let position = head.depths.iter().position(|&depth| depth == old.len()).ok_or(Obstacle::InTheWay)?;
        let span = Span::new(head.keys[0].span.start, head.keys[position].span.end);
        edits.push(TextEdit { span, new_text: name.clone() });
    }
    Ok(Step::Edits(edits))
}
