//! Taking a key or a table out.

use cfg_diag::Span;

use super::{
    Comments, Obstacle, TextEdit,
    change::dotted,
    insert::attached,
    items::{Brackets, Place},
    layout::{Below, Layout, Line, Statement},
};

type Edits = Result<Vec<TextEdit>, Obstacle>;

pub(super) fn remove(layout: &Layout<'_>, path: &[Box<str>], comments: Comments) -> Edits {
    match layout.place(path) {
        Some(Place::Statement(statement)) => Ok(vec![remove_statement(layout, path, statement, comments)]),
        Some(Place::Item(statement, brackets, item)) => remove_item(layout, statement, &brackets, item, comments),
        Some(Place::Dotted | Place::Missing(..) | Place::Blocked) => Err(Obstacle::Absent),
        None => {
            let below = layout.below(path);
            if below.is_empty() { Err(Obstacle::Absent) } else { remove_table(layout, path, &below, comments) }
        }
    }
}

/// The statement goes, but not the table that it makes: the last of a table's dotted keys becomes that table, empty.
fn remove_statement(layout: &Layout<'_>, path: &[Box<str>], statement: &Statement, comments: Comments) -> TextEdit {
    if let [.., table, last] = &statement.keys[..] {
        let parent = layout.below(&path[..path.len() - 1]);
        if parent.statements.len() + parent.sections.len() == 1 && layout.comments_in(statement.value).next().is_none() {
            let span = Span::new(table.span.end, statement.value.end.max(last.span.end));
            return TextEdit { span, new_text: " = {}".to_owned() };
        }
    }
    cut_lines(layout, statement.line.span, Some(statement.line), comments)
}

/// Takes whole lines out.
fn cut_lines(layout: &Layout<'_>, span: Span, first: Option<Line>, comments: Comments) -> TextEdit {
    let indentation = first.map(|line| layout.indentation(line)).unwrap_or_default();
    let kept: Vec<String> = match comments {
        Comments::Drop => Vec::new(),
        Comments::Keep => layout.comments_in(span).map(|comment| format!("{indentation}{}", layout.slice(comment))).collect(),
    };
    let end = layout.line_end(first);
    let is_ended = layout.slice(span).ends_with('\n');
    if kept.is_empty() && !is_ended {
        // The last line of a text that does not end in a line end: the one before it becomes the last.
        let before = layout.text[..span.start as usize].strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
        let start = before.map_or(span.start, |text| text.len() as u32);
        return TextEdit { span: Span::new(start.max(layout.begin().min(span.start)), span.end), new_text: String::new() };
    }
    let mut new_text = kept.join(end);
    if !new_text.is_empty() && is_ended {
        new_text.push_str(end);
    }
    TextEdit { span, new_text }
}

fn remove_item(layout: &Layout<'_>, statement: &Statement, brackets: &Brackets, item: usize, comments: Comments) -> Edits {
    let own = &brackets.items[item];
    // `a = { b.c = 1 }` without `b.c` is `a = { b = {} }`.
    if let [leading @ .., _] = &own.keys[..]
        && let Some(table) = leading.last()
    {
        let shares = |other: &&super::items::Item| {
            other.keys.len() >= leading.len() && other.keys.iter().zip(leading).all(|(one, two)| one.text == two.text)
        };
        if brackets.items.iter().filter(shares).count() == 1 {
            return Ok(vec![TextEdit { span: Span::new(table.span.end, own.value.end), new_text: " = {}".to_owned() }]);
        }
    }
    let end = own.comma.map_or(own.value.end, |comma| comma.end);
    if let Some(lines) = whole_lines(layout, brackets, own.start, end) {
        let line = Line { span: lines, comment: None };
        return Ok(vec![cut_lines(layout, lines, Some(line), comments)]);
    }
    let before = item.checked_sub(1).map(|before| &brackets.items[before]);
    let span = match (brackets.items.get(item + 1), before) {
        (Some(next), _) => Span::new(own.start, next.start),
        (None, Some(before)) => Span::new(before.value.end, own.value.end),
        (None, None) => {
            let inside = Span::new(brackets.opening.end, brackets.closing.start);
            if layout.comments_in(inside).next().is_some() { Span::new(own.start, end) } else { inside }
        }
    };
    let mut edits = if comments == Comments::Keep { super::insert::saved(layout, statement, span) } else { Vec::new() };
    edits.push(TextEdit { span, new_text: String::new() });
    Ok(edits)
}

/// The lines of an item that has them for itself.
fn whole_lines(layout: &Layout<'_>, brackets: &Brackets, start: u32, end: u32) -> Option<Span> {
    let line_start = layout.line_start(start);
    let is_alone = brackets.opening.end <= line_start && layout.text[line_start as usize..start as usize].trim().is_empty();
    let rest = &layout.text[end as usize..brackets.closing.start as usize];
    let newline = rest.find('\n').filter(|_| is_alone)?;
    let after = rest[..newline].trim();
    (after.is_empty() || after.starts_with('#')).then(|| Span::new(line_start, end + newline as u32 + 1))
}

/// Takes out what headers or dotted keys write. The table above stays, as an empty one if nothing else makes it.
fn remove_table(layout: &Layout<'_>, path: &[Box<str>], below: &Below, comments: Comments) -> Edits {
    let parent = &path[..path.len() - usize::from(!path.is_empty())];
    let above = layout.below(parent);
    let is_array_item = layout.is_array(parent);
    let leaves_nothing = !parent.is_empty()
        && !is_array_item
        && above.statements.len() == below.statements.len()
        && above.sections.len() == below.sections.len();
    let mut edits = Vec::new();
    let mut keeps_parent = leaves_nothing;
    for &(section, position) in &below.statements {
        let statement = &layout.sections[section].statements[position];
        let depth = parent.len().checked_sub(layout.sections[section].path.len()).filter(|&depth| depth > 0 && keeps_parent);
        if let Some(table) = depth.and_then(|depth| statement.keys.get(depth - 1)) {
            keeps_parent = false;
            edits.extend(
                super::insert::saved(layout, statement, statement.value).into_iter().filter(|_| comments == Comments::Keep),
            );
            edits.push(TextEdit { span: Span::new(table.span.end, statement.value.end), new_text: " = {}".to_owned() });
            continue;
        }
        edits.push(cut_lines(layout, statement.line.span, Some(statement.line), comments));
    }
    let mut at = 0;
    while let Some(&first) = below.sections.get(at) {
        // Sections that follow one another are one stretch of lines.
        let mut last = first;
        while below.sections.get(at + 1) == Some(&(last + 1)) {
            at += 1;
            last += 1;
        }
        at += 1;
        let Some(head) = &layout.sections[first].header else { continue };
        let end = layout.sections.get(last + 1).and_then(|next| next.header.as_ref()).map(|next| next.line.span.start);
        let end = end.map_or(layout.text.len() as u32, |end| attached(layout, end));
        let mut edit = cut_lines(layout, Span::new(head.line.span.start, end), Some(head.line), comments);
        if keeps_parent {
            keeps_parent = false;
            let end = layout.line_end(Some(head.line));
            let header = format!("{}[{}]", layout.indentation(head.line), dotted(layout.written(parent)));
            edit.span.start = head.line.span.start;
            edit.new_text = if edit.new_text.is_empty() { header + end } else { header + end + &edit.new_text };
        }
        edits.push(edit);
    }
    Ok(edits)
}
