//! Renames keys and moves them to other tables.

use cfg_diag::Span;

use super::{
    Change, Comments, Effect, KeyPath, Literal, Obstacle, TextEdit,
    change::dotted,
    cut::{cut_table, is_all_of_its_parent, is_all_of_its_table},
    insert::{self, NewLine},
    items::PathTarget,
    layout::{Below, Layout},
};
use crate::{Key, faults::key_text};

pub(super) fn relocate(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath) -> Result<Effect, Obstacle> {
    let (old, new) = (from.parts(), to.parts());
    let (Some((_, old_table)), Some((new_name, new_table))) = (old.split_last(), new.split_last()) else {
        return Err(Obstacle::Absent);
    };
    if old == new {
        return Ok(Effect::Edits(Vec::new()));
    }
    let is_free = !matches!(layout.place(new), Some(PathTarget::Statement(_) | PathTarget::Item(..) | PathTarget::Dotted(_)))
        && layout.counts_below(new) == (0, 0)
        && !layout.is_array(new);
    if !is_free {
        return Err(Obstacle::Occupied);
    }
    let is_renamed = old_table == new_table;
    let (key, value, comment) = match layout.place(old) {
        Some(PathTarget::Statement(statement)) => {
            let last = statement.keys.last().ok_or(Obstacle::Absent)?;
            // If the line is the whole table, it stays, with its comment.
            let comment = statement.line.comment.filter(|_| !is_all_of_its_table(layout, old, statement));
            (last, statement.value, comment)
        }
        Some(PathTarget::Item(_, ref brackets, item)) => {
            let item = &brackets.items[item];
            let Some(last) = item.keys.last() else { return Err(Obstacle::InTheWay) };
            if is_renamed {
                return Ok(Effect::Edits(vec![TextEdit { span: last.span, new_text: key_text(new_name) }]));
            }
            if new.starts_with(old) {
                return Ok(Effect::Edits(vec![deepened(last, &new[old.len()..])]));
            }
            return moved(layout, from, to, item.value, None);
        }
        Some(_) => return Err(Obstacle::Absent),
        None => return relocate_table(layout, from, to),
    };
    if is_renamed {
        return Ok(Effect::Edits(vec![TextEdit { span: key.span, new_text: key_text(new_name) }]));
    }
    if new.starts_with(old) {
        return Ok(Effect::Edits(vec![deepened(key, &new[old.len()..])]));
    }
    moved(layout, from, to, value, comment)
}

/// `model = "x"` becomes `model.name = "x"`.
fn deepened(key: &Key, deeper: &[Box<str>]) -> TextEdit {
    TextEdit { span: Span::empty(key.span.end), new_text: format!(".{}", dotted(deeper.iter().map(|key| &**key))) }
}

/// Inserts a value at another key and removes the old key.
fn moved(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath, value: Span, comment: Option<Span>) -> Result<Effect, Obstacle> {
    let goes_into_brackets = matches!(layout.place(to.parts()), Some(PathTarget::Missing(..)));
    // Comments inside the value move with it.
    let has_inner = layout.comments_in(value).next().is_some();
    if comment.is_some() && has_inner && goes_into_brackets {
        return Err(Obstacle::Comments);
    }
    let comment = comment.filter(|_| !goes_into_brackets);
    let comments = if comment.is_some() || has_inner { Comments::Drop } else { Comments::Keep };
    let insert = Change::Insert {
        path: to.clone(),
        value: Literal::raw(layout.slice(value)),
        comment: comment.map(|comment| layout.slice(comment).to_owned()),
    };
    Ok(Effect::Changes(vec![insert, Change::Remove { path: from.clone(), comments }]))
}

/// Relocates a table written by headers or dotted keys: headers are renamed in place, lines with dotted keys are moved.
fn relocate_table(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath) -> Result<Effect, Obstacle> {
    let (old, new) = (from.parts(), to.parts());
    let below = layout.below(old);
    let Below { statements, sections } = &below;
    if statements.is_empty() && sections.is_empty() {
        return Err(Obstacle::Absent);
    }
    let (old_table, new_table) = (&old[..old.len() - 1], &new[..new.len() - 1]);
    // A header below an array belongs to the last table of that array before it. Renamed in place, it belongs to the
    // intended table only if the old and the new name are below the same table.
    if (1..new.len()).any(|length| layout.is_array(&new[..length]) && !old.starts_with(&new[..=length])) {
        return Err(Obstacle::InTheWay);
    }
    let mut edits = Vec::new();
    if !statements.is_empty() && new.starts_with(old) {
        return Err(Obstacle::InTheWay);
    }
    if !statements.is_empty() && old_table != new_table {
        if !sections.is_empty() {
            return Err(Obstacle::InTheWay);
        }
        return match layout.place(new) {
            Some(PathTarget::Missing(..)) => Ok(Effect::Changes(one_by_one(layout, from, to, &below))),
            Some(_) => Err(Obstacle::InTheWay),
            None => moved_lines(layout, old, new, &below).map(Effect::Edits),
        };
    }
    for &(section, position) in statements {
        let section = &layout.sections[section];
        let key = &section.statements[position].keys[old.len() - 1 - section.path.len()];
        edits.push(TextEdit { span: key.span, new_text: key_text(&new[new.len() - 1]) });
    }
    let loses_parent = !old_table.is_empty()
        && !new.starts_with(old_table)
        && layout.counts_below(old_table) == (statements.len(), sections.len());
    if loses_parent && layout.is_array(old_table) {
        return Err(Obstacle::InTheWay);
    }
    if let Some(head) = sections.first().and_then(|first| layout.sections[*first].header.as_ref()).filter(|_| loses_parent) {
        let (indentation, end) = (layout.indentation(head.line), layout.line_end(Some(head.line)));
        let new_text = format!("{indentation}[{}]{end}", dotted(layout.written(old_table)));
        edits.push(TextEdit { span: Span::empty(head.line.span.start), new_text });
    }
    let name = dotted(layout.written(new_table).into_iter().chain([&*new[new.len() - 1]]));
    for &section in sections {
        let Some(head) = &layout.sections[section].header else { continue };
        let position = head.depths.iter().position(|&depth| depth == old.len()).ok_or(Obstacle::InTheWay)?;
        let span = Span::new(head.keys[0].span.start, head.keys[position].span.end);
        edits.push(TextEdit { span, new_text: name.clone() });
    }
    Ok(Effect::Edits(edits))
}

/// Moves a table of dotted keys into the braces of another one.
fn one_by_one(layout: &Layout<'_>, from: &KeyPath, to: &KeyPath, below: &Below) -> Vec<Change> {
    let change = |&(section, position): &(usize, usize)| {
        let section = &layout.sections[section];
        let keys = section.statements[position].keys.iter().map(|key| &key.text);
        let path: Vec<Box<str>> = section.path.iter().chain(keys).cloned().collect();
        let inner = &path[from.parts().len()..];
        Change::Relocate { to: KeyPath::new(to.parts().iter().chain(inner).cloned()), from: KeyPath::new(path) }
    };
    let remove = Change::Remove { path: from.clone(), comments: Comments::Keep };
    below.statements.iter().map(change).chain([remove]).collect()
}

/// Moves the lines of a table of dotted keys, with the comments in them, to another table.
fn moved_lines(layout: &Layout<'_>, old: &[Box<str>], new: &[Box<str>], below: &Below) -> Result<Vec<TextEdit>, Obstacle> {
    let keeps_parent = is_all_of_its_parent(layout, old, below) && !new.starts_with(&old[..old.len() - 1]);
    let line = |(at, &(section, position)): (usize, &(usize, usize))| {
        let section = &layout.sections[section];
        let statement = &section.statements[position];
        // The first line stays as that of the empty parent, with its comment.
        let comment = statement.line.comment.filter(|_| at > 0 || !keeps_parent);
        NewLine {
            keys: statement.keys[old.len() - section.path.len()..].iter().map(|key| &*key.text).collect(),
            value: layout.slice(statement.value),
            comment: comment.map(|comment| layout.slice(comment)),
        }
    };
    let lines: Vec<NewLine<'_>> = below.statements.iter().enumerate().map(line).collect();
    let first = lines.first().and_then(|line| line.keys.first()).ok_or(Obstacle::Absent)?;
    let path: Vec<Box<str>> = new.iter().cloned().chain([(*first).into()]).collect();
    let inserted = insert::lines(layout, &path, new, &lines)?;
    let mut edits = cut_table(layout, old, below, Comments::Drop, keeps_parent);
    edits.push(inserted);
    Ok(edits)
}
