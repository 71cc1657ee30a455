//! Removes a key or a table.

use cfg_diag::Span;

use super::{
    Change, Comments, Effect, KeyPath, Obstacle, TextEdit,
    change::dotted,
    insert::{attached, saved},
    items::{Brackets, PathTarget},
    layout::{Below, Layout, Line, Statement},
};

type Edits = Result<Vec<TextEdit>, Obstacle>;

pub(super) fn remove(layout: &Layout<'_>, path: &[Box<str>], comments: Comments) -> Result<Effect, Obstacle> {
    let edits = match layout.place(path) {
        Some(PathTarget::Statement(statement)) => Ok(remove_statement(layout, path, statement, comments)),
        Some(PathTarget::Item(statement, brackets, item)) => remove_item(layout, statement, &brackets, item, comments),
        Some(PathTarget::Dotted(entries)) => {
            // Removing all entries leaves an empty table, which is removed last.
            let remove = |path| Change::Remove { path: KeyPath::new(path), comments };
            return Ok(Effect::Changes(entries.into_iter().map(remove).chain([remove(path.to_vec())]).collect()));
        }
        Some(PathTarget::Missing(..) | PathTarget::Blocked) => Err(Obstacle::Absent),
        None => {
            let below = layout.below(path);
            if below.is_empty() { Err(Obstacle::Absent) } else { Ok(remove_table(layout, path, &below, comments)) }
        }
    };
    edits.map(|edits| Effect::Edits(without_blank_start(layout, edits)))
}

/// The same cuts; what they leave of the text does not begin with blank lines that were below its first lines.
fn without_blank_start(layout: &Layout<'_>, mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
    edits.sort_by_key(|edit| edit.span);
    let begin = layout.begin();
    let (mut end, mut cuts) = (begin, 0);
    while let Some(edit) = edits.get(cuts).filter(|edit| edit.span.start == end && edit.new_text.is_empty()) {
        end = edit.span.end;
        cuts += 1;
    }
    let lines = layout.text[end as usize..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    let blank = end + lines.map(str::len).sum::<usize>() as u32;
    if begin < end && edits.get(cuts).is_none_or(|next| blank <= next.span.start) {
        edits[cuts - 1].span.end = blank;
    }
    edits
}

/// Removes a statement but keeps the table that it creates: if `a.b = 1` is the whole content of `a`, `a = {}` remains.
fn remove_statement(layout: &Layout<'_>, path: &[Box<str>], statement: &Statement, comments: Comments) -> Vec<TextEdit> {
    match &statement.keys[..] {
        [.., table, last] if is_all_of_its_table(layout, path, statement) => {
            emptied(layout, statement, Span::new(table.span.end, statement.value.end.max(last.span.end)), comments)
        }
        _ => vec![cut_lines(layout, statement.line.span, statement.line, None, comments)],
    }
}

/// Whether this dotted key is the whole content of its table.
pub(super) fn is_all_of_its_table(layout: &Layout<'_>, path: &[Box<str>], statement: &Statement) -> bool {
    if statement.keys.len() < 2 {
        return false;
    }
    let (statements, sections) = layout.counts_below(&path[..path.len() - 1]);
    statements + sections == 1
}

/// Replaces `span`, the end of a dotted key together with the value, by an empty table.
fn emptied(layout: &Layout<'_>, statement: &Statement, span: Span, comments: Comments) -> Vec<TextEdit> {
    let mut edits = if comments == Comments::Keep { saved(layout, statement, span) } else { Vec::new() };
    edits.push(TextEdit { span, new_text: " = {}".to_owned() });
    edits
}

/// Removes whole lines. Their comments are kept on lines of their own, below `head`, unless `comments` says otherwise.
fn cut_lines(layout: &Layout<'_>, span: Span, first: Line, head: Option<String>, comments: Comments) -> TextEdit {
    let indentation = layout.indentation(first);
    let mut kept: Vec<String> = head.map(|head| format!("{indentation}{head}")).into_iter().collect();
    if comments == Comments::Keep {
        kept.extend(layout.comments_in(span).map(|comment| format!("{indentation}{}", layout.slice(comment))));
    }
    let end = layout.line_end(Some(first));
    let is_ended = layout.slice(span).ends_with('\n');
    if kept.is_empty() && !is_ended {
        // This is the last line of a text without a final line end: the line end before it is removed as well.
        let start = layout.text[..span.start as usize].trim_end_matches(['\n', '\r']).len() as u32;
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
            return Ok(emptied(layout, statement, Span::new(table.span.end, own.value.end), comments));
        }
    }
    let end = own.comma.map_or(own.value.end, |comma| comma.end);
    if let Some(lines) = whole_lines(layout, brackets, own.start, end) {
        let line = Line { span: lines, comment: None };
        return Ok(vec![cut_lines(layout, lines, line, None, comments)]);
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
    let mut edits = if comments == Comments::Keep { saved(layout, statement, span) } else { Vec::new() };
    edits.push(TextEdit { span, new_text: String::new() });
    Ok(edits)
}

/// The lines of an item; `None` if they contain anything else.
fn whole_lines(layout: &Layout<'_>, brackets: &Brackets, start: u32, end: u32) -> Option<Span> {
    let line_start = layout.line_start(start);
    let is_alone = brackets.opening.end <= line_start && layout.text[line_start as usize..start as usize].trim().is_empty();
    let rest = &layout.text[end as usize..brackets.closing.start as usize];
    let newline = rest.find('\n').filter(|_| is_alone)?;
    let after = rest[..newline].trim();
    (after.is_empty() || after.starts_with('#')).then(|| Span::new(line_start, end + newline as u32 + 1))
}

/// Removes a table written by headers or dotted keys. Its parent stays, as an empty table if nothing else creates it.
fn remove_table(layout: &Layout<'_>, path: &[Box<str>], below: &Below, comments: Comments) -> Vec<TextEdit> {
    cut_table(layout, path, below, comments, is_all_of_its_parent(layout, path, below))
}

/// Whether a table is the whole content of its parent, which is not an array.
pub(super) fn is_all_of_its_parent(layout: &Layout<'_>, path: &[Box<str>], below: &Below) -> bool {
    let parent = above(path);
    !parent.is_empty()
        && !layout.is_array(parent)
        && layout.counts_below(parent) == (below.statements.len(), below.sections.len())
}

fn above(path: &[Box<str>]) -> &[Box<str>] {
    &path[..path.len() - usize::from(!path.is_empty())]
}

/// Removes a table written by headers or dotted keys. If `keeps_parent`, an empty table remains of its parent.
pub(super) fn cut_table(
    layout: &Layout<'_>,
    path: &[Box<str>],
    below: &Below,
    comments: Comments,
    mut keeps_parent: bool,
) -> Vec<TextEdit> {
    let parent = above(path);
    let mut edits = Vec::new();
    for &(section, position) in &below.statements {
        let statement = &layout.sections[section].statements[position];
        let depth = parent.len().checked_sub(layout.sections[section].path.len()).filter(|&depth| depth > 0 && keeps_parent);
        if let Some(table) = depth.and_then(|depth| statement.keys.get(depth - 1)) {
            keeps_parent = false;
            edits.extend(emptied(layout, statement, Span::new(table.span.end, statement.value.end), comments));
            continue;
        }
        edits.push(cut_lines(layout, statement.line.span, statement.line, None, comments));
    }
    let mut at = 0;
    while let Some(&first) = below.sections.get(at) {
        // Consecutive sections are one range of lines.
        let mut last = first;
        while below.sections.get(at + 1) == Some(&(last + 1)) {
            at += 1;
            last += 1;
        }
        at += 1;
        let Some(head) = &layout.sections[first].header else { continue };
        let end = layout.sections.get(last + 1).and_then(|next| next.header.as_ref()).map(|next| next.line.span.start);
        let end = end.map_or(layout.text.len() as u32, |end| attached(layout, end));
        let header = keeps_parent.then(|| format!("[{}]", dotted(layout.written(parent))));
        keeps_parent = false;
        edits.push(cut_lines(layout, Span::new(head.line.span.start, end), head.line, header, comments));
    }
    joined(layout, edits)
}

/// Merges cuts that overlap: a cut at the end of a text without a final line end also removes the line end before it.
fn joined(layout: &Layout<'_>, mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
    edits.sort_by_key(|edit| edit.span);
    while let [.., before, last] = &mut edits[..]
        && last.span.start < before.span.end
    {
        before.span.end = last.span.end;
        before.new_text.truncate(before.new_text.trim_end_matches(['\n', '\r']).len());
        if before.new_text.is_empty() {
            let kept = layout.text[..before.span.start as usize].trim_end_matches(['\n', '\r']).len() as u32;
            before.span.start = kept.max(layout.begin().min(before.span.start));
        }
        edits.pop();
    }
    edits
}
