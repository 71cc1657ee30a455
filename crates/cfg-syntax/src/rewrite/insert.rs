//! Sets and inserts the values of keys.

use cfg_diag::Span;

use super::{
    Literal, Obstacle, TextEdit,
    change::dotted,
    items::{Brackets, PathTarget},
    layout::{Layout, Line, Statement},
};

type Edits = Result<Vec<TextEdit>, Obstacle>;

type TwoPaths<'p> = (&'p [Box<str>], &'p [Box<str>]);

/// Sets the value of a key, which may already exist.
pub(super) fn set(layout: &Layout<'_>, path: &[Box<str>], value: &str) -> Edits {
    let (statement, span) = match layout.place(path) {
        Some(PathTarget::Statement(statement)) => (statement, statement.value),
        Some(PathTarget::Item(statement, brackets, item)) => (statement, brackets.items[item].value),
        _ => return insert(layout, path, value, None),
    };
    let mut edits = saved(layout, statement, span);
    edits.push(TextEdit { span, new_text: value.to_owned() });
    Ok(edits)
}

/// Edits that put the comments within a span on lines of their own above the statement.
pub(super) fn saved(layout: &Layout<'_>, statement: &Statement, span: Span) -> Vec<TextEdit> {
    let (indentation, end) = (layout.indentation(statement.line), layout.line_end(Some(statement.line)));
    let line = |comment| format!("{indentation}{}{end}", layout.slice(comment));
    let new_text: String = layout.comments_in(span).map(line).collect();
    let place = Span::empty(statement.line.span.start);
    if new_text.is_empty() { Vec::new() } else { vec![TextEdit { span: place, new_text }] }
}

/// A key and its value, to be written in a table.
pub(super) struct NewLine<'n> {
    /// The keys below the table.
    pub(super) keys: Vec<&'n str>,
    pub(super) value: &'n str,
    pub(super) comment: Option<&'n str>,
}

/// Adds a key that does not exist.
pub(super) fn insert(layout: &Layout<'_>, path: &[Box<str>], value: &str, comment: Option<&str>) -> Edits {
    let Some((name, parent)) = path.split_last() else { return Err(Obstacle::InTheWay) };
    match layout.place(path) {
        Some(PathTarget::Statement(_) | PathTarget::Item(..)) => return Err(Obstacle::Occupied),
        Some(PathTarget::Dotted(_) | PathTarget::Blocked) => return Err(Obstacle::InTheWay),
        Some(PathTarget::Missing(brackets, length)) => return within(layout, &brackets, &path[length..], value),
        None => {}
    }
    Ok(vec![lines(layout, path, parent, &[NewLine { keys: vec![name], value, comment }])?])
}

/// Adds lines to the table `parent`, of which the first is that of `path`. What they write does not exist.
pub(super) fn lines(
    layout: &Layout<'_>,
    path: &[Box<str>],
    parent: &[Box<str>],
    new: &[NewLine<'_>],
) -> Result<TextEdit, Obstacle> {
    let (table, missing) = free(layout, path, parent)?;
    let written = |above: &[&str]| -> Vec<String> {
        let line = |line: &NewLine<'_>| {
            let comment = line.comment.map(|comment| format!("  {comment}")).unwrap_or_default();
            format!("{} = {}{comment}", dotted(above.iter().chain(&line.keys).copied()), line.value)
        };
        new.iter().map(line).collect()
    };
    let missing_keys = || missing.iter().map(|key| &**key);
    if let Some((section, position)) = dotted_neighbour(layout, table, missing) {
        let own = layout.sections[section].path.len();
        let above: Vec<&str> = table[own..].iter().map(|key| &**key).chain(missing_keys()).collect();
        return Ok(below(layout, layout.sections[section].statements[position].line, &written(&above)));
    }
    match layout.section_of(table) {
        Some(0) if missing.is_empty() => Ok(at_the_top(layout, &written(&[]))),
        Some(section) if missing.is_empty() => {
            let last = layout.last_line(section).ok_or(Obstacle::InTheWay)?;
            Ok(below(layout, last, &written(&[])))
        }
        _ => {
            let whole: Vec<&str> = layout.written(table).into_iter().chain(missing_keys()).collect();
            let header = format!("[{}]", dotted(whole));
            Ok(new_table(layout, table, missing.is_empty(), &header, &written(&[])))
        }
    }
}

/// Adds an array of tables that does not exist, each with a header of its own.
pub(super) fn tables(layout: &Layout<'_>, path: &[Box<str>], tables: &[Vec<(Box<str>, Literal)>]) -> Edits {
    let Some((name, parent)) = path.split_last() else { return Err(Obstacle::InTheWay) };
    if layout.place(path).is_some() {
        return Err(Obstacle::InTheWay);
    }
    let (table, missing) = free(layout, path, parent)?;
    // A table of dotted keys can't be continued by a header.
    if !table.is_empty() && !layout.sections.iter().any(|section| section.path.starts_with(table)) {
        return Err(Obstacle::InTheWay);
    }
    let end = layout.line_end(None);
    let keys: Vec<&str> = layout.written(table).into_iter().chain(missing.iter().chain([name]).map(|key| &**key)).collect();
    let header = format!("[[{}]]", dotted(keys));
    let lines = |table: &Vec<(Box<str>, Literal)>| {
        let lines = table.iter().map(|(key, value)| format!("{} = {}", dotted([&**key]), value.as_str()));
        lines.collect::<Vec<_>>().join(end)
    };
    let blocks: Vec<String> = tables.iter().map(lines).collect();
    Ok(vec![new_table(layout, table, false, &header, &[blocks.join(&format!("{end}{end}{header}{end}"))])])
}

/// The deepest existing table of a path to a new key, and the keys of the missing tables below it.
fn free<'p>(layout: &Layout<'_>, path: &'p [Box<str>], parent: &'p [Box<str>]) -> Result<TwoPaths<'p>, Obstacle> {
    let is_there = |path: &[Box<str>]| layout.counts_below(path) != (0, 0);
    if is_there(path) || layout.is_array(path) {
        return Err(Obstacle::InTheWay);
    }
    let depth = (0..=parent.len()).rev().find(|&depth| depth == 0 || is_there(&path[..depth])).unwrap_or(0);
    let (table, missing) = (&path[..depth], &parent[depth..]);
    if layout.is_array(table) { Err(Obstacle::InTheWay) } else { Ok((table, missing)) }
}

/// The statement after which a new dotted key belongs: the last one whose dotted key leads through `table`, or the last one below the
/// header of `table` if dotted keys are used there. `None` if the new key needs another notation.
fn dotted_neighbour(layout: &Layout<'_>, table: &[Box<str>], missing: &[Box<str>]) -> Option<(usize, usize)> {
    let through = layout.below(table);
    if let Some(last) = through.statements.last() {
        return Some(*last);
    }
    let section = layout.section_of(table).filter(|_| !missing.is_empty() && !table.is_empty())?;
    let statements = &layout.sections[section].statements;
    let is_dotted = statements.iter().any(|statement| statement.keys.len() > 1) && through.sections == [section];
    is_dotted.then(|| (section, statements.len() - 1))
}

/// Inserts lines below another one.
fn below(layout: &Layout<'_>, line: Line, lines: &[String]) -> TextEdit {
    let (indentation, end) = (layout.indentation(line), layout.line_end(Some(line)));
    let text = lines.join(&format!("{end}{indentation}"));
    let is_ended = layout.slice(line.span).ends_with('\n');
    let new_text = if is_ended { format!("{indentation}{text}{end}") } else { format!("{end}{indentation}{text}") };
    TextEdit { span: Span::empty(line.span.end), new_text }
}

/// Inserts keys of the root table.
fn at_the_top(layout: &Layout<'_>, lines: &[String]) -> TextEdit {
    if let Some(last) = layout.last_line(0) {
        return below(layout, last, lines);
    }
    let end = layout.line_end(None);
    let text = lines.join(end);
    let Some(header) = layout.sections.get(1).and_then(|section| section.header.as_ref()) else {
        // The text contains only comments.
        let is_ended = layout.text.ends_with('\n') || layout.text.len() as u32 == layout.begin();
        let place = Span::empty(layout.text.len() as u32);
        let new_text = if is_ended { format!("{text}{end}") } else { format!("{end}{text}") };
        return TextEdit { span: place, new_text };
    };
    let above = attached(layout, header.line.span.start);
    // A comment at the start of the text describes the file, not its first table.
    let place = if above == layout.begin() { header.line.span.start } else { above };
    TextEdit { span: Span::empty(place), new_text: format!("{text}{end}{end}") }
}

/// The start of the comments directly above a line; the line itself if there are none.
pub(super) fn attached(layout: &Layout<'_>, line: u32) -> u32 {
    let mut start = line;
    while start > layout.begin() {
        let above = layout.line_start(start - 1);
        let text = layout.text[above as usize..start as usize].trim();
        // The metadata block describes the file.
        if !text.starts_with('#') || text.trim_start_matches('#').trim() == "///" {
            break;
        }
        start = above;
    }
    start
}

/// Inserts a header with its first lines where an author would put it: before its sub-tables if they exist already (`is_parent`),
/// otherwise after everything that belongs to its parent table.
fn new_table(layout: &Layout<'_>, parent: &[Box<str>], is_parent: bool, header: &str, lines: &[String]) -> TextEdit {
    let end = layout.line_end(None);
    let block = |indentation: &str| {
        let below = format!("{end}{indentation}");
        format!("{indentation}{header}{below}{}", lines.join(&below))
    };
    let within = |section: &usize| layout.sections[*section].path.starts_with(parent);
    let first = (0..layout.sections.len()).find(|section| *section > 0 && within(section) || parent.is_empty());
    let first = first.unwrap_or(0);
    let start = |section: usize| layout.sections[section].header.as_ref().map(|header| header.line);
    if is_parent && let Some(child) = start(first) {
        let indentation = layout.indentation(child);
        let place = Span::empty(attached(layout, child.span.start));
        let new_text = format!("{}{end}{end}", block(indentation));
        return TextEdit { span: place, new_text };
    }
    let behind = (first..layout.sections.len()).find(|section| !within(section)).unwrap_or(layout.sections.len());
    let next = (behind < layout.sections.len()).then(|| start(behind)).flatten();
    let limit = next.map_or(layout.text.len() as u32, |next| attached(layout, next.span.start));
    let indentation = start(behind - 1).or(next).map(|line| layout.indentation(line)).unwrap_or_default();
    let block = block(indentation);
    let kept = layout.text[..limit as usize].trim_end_matches(['\n', '\r', ' ', '\t']).len() as u32;
    if kept <= layout.begin() {
        return TextEdit { span: Span::empty(layout.begin()), new_text: format!("{block}{end}") };
    }
    // After the line end of the last line that is not blank.
    let rest = &layout.text[kept as usize..];
    match rest.find('\n').map(|newline| kept + newline as u32 + 1).filter(|&place| place <= limit) {
        None => TextEdit { span: Span::empty(layout.text.len() as u32), new_text: format!("{end}{end}{block}") },
        Some(place) => {
            let is_apart = place < limit || next.is_none();
            let new_text = format!("{end}{block}{end}{}", if is_apart { "" } else { end });
            TextEdit { span: Span::empty(place), new_text }
        }
    }
}

/// Inserts a key into an inline table.
fn within(layout: &Layout<'_>, brackets: &Brackets, rest: &[Box<str>], value: &str) -> Edits {
    let Some((first, deeper)) = rest.split_first().filter(|_| brackets.is_table) else { return Err(Obstacle::Absent) };
    let is_begun = |item: &&super::items::Item| item.keys.len() > 1 && item.keys[0].text == *first && !deeper.is_empty();
    let entry = if brackets.items.iter().any(|item| is_begun(&item)) {
        format!("{} = {value}", dotted(rest.iter().map(|key| &**key)))
    } else {
        let opening = deeper.iter().fold(String::new(), |opening, key| opening + "{ " + &dotted([&**key]) + " = ");
        format!("{} = {opening}{value}{}", dotted([&**first]), " }".repeat(deeper.len()))
    };
    let Some(last) = brackets.items.last() else {
        let inside = Span::new(brackets.opening.end, brackets.closing.start);
        let is_blank = layout.slice(inside).trim().is_empty();
        let span = if is_blank { inside } else { Span::empty(brackets.closing.start) };
        return Ok(vec![TextEdit { span, new_text: format!(" {entry} ") }]);
    };
    let behind = last.comma.map_or(last.value.end, |comma| comma.end);
    let rest = &layout.text[behind as usize..brackets.closing.start as usize];
    let Some(line_end) = rest.find('\n') else {
        let new_text = format!(", {entry}");
        return Ok(vec![TextEdit { span: Span::empty(last.value.end), new_text }]);
    };
    let line_end = behind + line_end as u32;
    let place = line_end - u32::from(layout.text[..line_end as usize].ends_with('\r'));
    let start = layout.line_start(last.start) as usize;
    let before = &layout.text[start..last.start as usize];
    let indentation = &before[..before.len() - before.trim_start_matches([' ', '\t']).len()];
    let newline = layout.line_end(None);
    let own_comma = if last.comma.is_some() { "," } else { "" };
    let line = TextEdit { span: Span::empty(place), new_text: format!("{newline}{indentation}{entry}{own_comma}") };
    let comma = last.comma.is_none().then(|| TextEdit { span: Span::empty(last.value.end), new_text: ",".to_owned() });
    Ok(match comma {
        Some(comma) if comma.span == line.span => vec![TextEdit { span: line.span, new_text: comma.new_text + &line.new_text }],
        comma => comma.into_iter().chain([line]).collect(),
    })
}
