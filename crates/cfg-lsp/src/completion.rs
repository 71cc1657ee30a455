//! Converts completions to what the client can apply: text, snippets, and one range or two.

use std::collections::HashSet;

use cfg_check::Session;
use cfg_diag::{Span, markdown::plain};
use cfg_ide::{Analysis, Item, ItemKind, Listing, MOST_FILES, Next, Skeletons};
use serde_json::{Value, json};
use tower_lsp_server::ls_types as lsp;

use crate::{
    capabilities, commands,
    convert::{View, harmless},
};

/// The completions at a byte offset.
pub(crate) fn response(view: &View<'_>, items: Vec<Item>, offset: u32, client: &capabilities::Client) -> lsp::CompletionResponse {
    let (above, below) = view.analysis.text.split_at(offset as usize);
    let line_end = above.rsplit_once('\n').or_else(|| below.split_once('\n'));
    let returns = line_end.is_some_and(|(line, _)| line.ends_with('\r'));
    let items = items.into_iter().map(|item| if returns { with_returns(item) } else { item });
    let items: Vec<lsp::CompletionItem> = items.map(|item| self::item(view, item, offset, client)).collect();
    if items.len() < MOST_FILES {
        return lsp::CompletionResponse::Array(items);
    }
    // What is typed next may lead to files that are not among these.
    lsp::CompletionResponse::List(lsp::CompletionList { is_incomplete: true, items })
}

/// The completions in a file with settings: the configs that a group could name, and the settings and their values.
pub(crate) fn of_settings(analysis: &Analysis, table: &[&str], offset: u32, list: Listing<'_>) -> Vec<Item> {
    let mut items = cfg_ide::complete_files(analysis, Some(table), offset, list);
    let mut labels: HashSet<String> = items.iter().map(|item| item.label.clone()).collect();
    items
        .extend(cfg_ide::complete_settings(analysis, table, offset).into_iter().filter(|item| labels.insert(item.label.clone())));
    items
}

/// The completions in a config: keys, values and headers, whole configs, and files.
pub(crate) fn of_config(analysis: &Analysis, session: &Session, kept: &Skeletons, offset: u32, list: Listing<'_>) -> Vec<Item> {
    let mut items = cfg_ide::complete(analysis, offset);
    cfg_ide::prefer_accepted(session, analysis, &mut items);
    items.extend(cfg_ide::skeletons(session, analysis, offset, kept));
    let files = cfg_ide::complete_files(analysis, None, offset, list);
    let labels: HashSet<&str> = files.iter().map(|file| &*file.label).collect();
    items.retain(|item| !labels.contains(&*item.label));
    items.extend(files);
    items
}

/// The item with the line ends of a text whose lines end in a carriage return and a line feed.
fn with_returns(mut item: Item) -> Item {
    if !item.insert.contains('\n') {
        return item;
    }
    let moved = |at: usize| at + item.insert[..at].matches('\n').count();
    item.cursor = item.cursor.map(moved);
    item.stops = item.stops.iter().map(|stop| moved(stop.start)..moved(stop.end)).collect();
    item.insert = item.insert.replace('\n', "\r\n");
    item
}

fn item(view: &View<'_>, mut item: Item, offset: u32, client: &capabilities::Client) -> lsp::CompletionItem {
    let finish = if client.keeps_rest && client.snippets { end_at_cursor(view, &mut item, offset) } else { None };
    // Completions are listed only if the cursor stays inside the inserted text; otherwise it ends up after it.
    let lists_next = item.next != Next::Nothing && (item.cursor.is_none() || client.snippets);
    let suggests = client.suggests.as_ref().filter(|_| lists_next);
    let has_blanks = item.insert.contains([' ', '\t', '\n']);
    let is_led = !item.stops.is_empty() || item.cursor.is_some();
    // Some clients insert only the first word of a plain text.
    let is_snippet = client.snippets && (has_blanks || is_led);
    let new_text = if is_snippet { snippet(&item, client.choices && suggests.is_none()) } else { item.insert.clone() };
    let command =
        suggests.map(|command| lsp::Command { title: "list the values".to_owned(), command: command.clone(), arguments: None });
    let range = view.range(item.span);
    let text_edit = if client.inserts_or_replaces {
        // Half of a word is never what is wanted, so both ways replace the whole of it.
        let edit = lsp::InsertReplaceEdit { new_text: new_text.clone(), insert: range, replace: range };
        lsp::CompletionTextEdit::InsertAndReplace(edit)
    } else {
        lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(range, new_text.clone()))
    };
    lsp::CompletionItem {
        sort_text: Some(harmless(format!("{:03}{:05}{}", item.rank, u16::MAX - item.uses, item.label))),
        // Editors compare the existing word with this text; quotes are part of the word.
        filter_text: Some(harmless(item.filter.clone().unwrap_or_else(|| item.label.clone()))),
        kind: Some(client.item_kind(match item.kind {
            ItemKind::Key => lsp::CompletionItemKind::PROPERTY,
            ItemKind::Table => lsp::CompletionItemKind::STRUCT,
            ItemKind::Value => lsp::CompletionItemKind::VALUE,
            ItemKind::Variant => lsp::CompletionItemKind::ENUM_MEMBER,
            ItemKind::Skeleton => lsp::CompletionItemKind::FILE,
        })),
        documentation: documentation(&item, client.documentation.as_ref()),
        detail: (!item.detail.is_empty()).then(|| harmless(item.detail)),
        insert_text_format: is_snippet.then_some(lsp::InsertTextFormat::SNIPPET),
        // For a client that knows no edits.
        insert_text: Some(new_text),
        text_edit: Some(text_edit),
        label: harmless(item.label),
        command: finish.or(command),
        ..lsp::CompletionItem::default()
    }
}

/// The arguments of an environment while they are written. `is_active` says whether a signature itself can state its active argument.
pub(crate) fn signature(signature: cfg_ide::Signature, is_active: bool) -> lsp::SignatureHelp {
    let parameter = |(shown, about): (String, String)| lsp::ParameterInformation {
        label: lsp::ParameterLabel::Simple(harmless(shown)),
        documentation: Some(lsp::Documentation::String(harmless(plain(&about)))),
    };
    let information = lsp::SignatureInformation {
        label: harmless(signature.label),
        documentation: None,
        parameters: Some(signature.parameters.into_iter().map(parameter).collect()),
        active_parameter: signature.active.filter(|_| is_active),
    };
    lsp::SignatureHelp { signatures: vec![information], active_signature: Some(0), active_parameter: signature.active }
}

/// Prepares an item for an editor whose own completion keeps the text after the cursor. What of this text the item has too, such as a closing quote, is
/// taken from the item, so that its range ends at the cursor. Otherwise the item keeps its range, for the other completions of that editor, and the
/// returned command [removes the text](kept_rest) if it was kept.
fn end_at_cursor(view: &View<'_>, item: &mut Item, offset: u32) -> Option<lsp::Command> {
    let text = &view.analysis.text;
    let (start, end) = (item.span.start, offset.min(item.span.end));
    let rest = &text[Span::new(end, item.span.end).range()];
    if let Some(kept) = item.insert.strip_suffix(rest).map(str::len) {
        let is_in_kept = |end: usize| end <= kept;
        if item.cursor.is_none_or(is_in_kept) && item.stops.iter().all(|stop| is_in_kept(stop.end)) {
            item.insert.truncate(kept);
            item.span = Span::new(start, end);
            return None;
        }
    }
    let line = view.position(start).line;
    let (line_start, whole) = line_of(view, line);
    let typed = Span::new(start, end).range().len();
    let arguments = json!({
        "line": line,
        "start": start - line_start,
        "inserted": item.insert,
        "rest": rest.len(),
        "bytes": (whole.len() + item.insert.len()).checked_sub(typed)?,
    });
    Some(lsp::Command {
        title: "replace the rest of the word".to_owned(),
        command: commands::FINISH_WORD.to_owned(),
        arguments: Some(vec![view.uri.as_str().into(), arguments]),
    })
}

/// The rest of a word that a client kept behind an accepted item, as the arguments of the item's command describe it; `None` if the line is not what it
/// would be then.
pub(crate) fn kept_rest(view: &View<'_>, arguments: &Value) -> Option<Span> {
    let number = |name: &str| arguments[name].as_u64().and_then(|number| u32::try_from(number).ok());
    let inserted = arguments["inserted"].as_str()?;
    let (line_start, line) = line_of(view, number("line")?);
    let from = number("start")?.checked_add(u32::try_from(inserted.len()).ok()?)?;
    let rest = from..from.checked_add(number("rest")?)?;
    let is_kept = line.len() == number("bytes")? as usize && line.get(..from as usize)?.ends_with(inserted);
    line.get(rest.start as usize..rest.end as usize).filter(|_| is_kept)?;
    Some(Span::new(line_start + rest.start, line_start + rest.end))
}

/// A line of the text without its end, and where it starts.
fn line_of<'a>(view: &View<'a>, line: u32) -> (u32, &'a str) {
    let start = view.offset(lsp::Position::new(line, 0));
    (start, view.analysis.text[start as usize..].lines().next().unwrap_or_default())
}

/// The text with its places to fill; the values of a key are a choice if `has_choices`.
fn snippet(item: &Item, has_choices: bool) -> String {
    if let Some(cursor) = item.cursor {
        let (before, after) = item.insert.split_at(cursor);
        return format!("{}$0{}", escaped(before), escaped(after));
    }
    let mut text = String::new();
    let mut last = 0;
    for (stop, number) in item.stops.iter().zip(1..) {
        text.push_str(&escaped(&item.insert[last..stop.start]));
        match &item.next {
            Next::OneOf(values) if has_choices => text.push_str(&choice(values)),
            _ => text.push_str(&format!("${{{number}:{}}}", escaped(&item.insert[stop.clone()]))),
        }
        last = stop.end;
    }
    // A key whose values are listed is given none of its own.
    if let (Next::OneOf(values), true, true) = (&item.next, item.stops.is_empty(), has_choices) {
        return escaped(&item.insert) + &choice(values);
    }
    text + &escaped(&item.insert[last..])
}

/// What it is, what it costs, since when it exists, and what is inserted.
fn documentation(item: &Item, kind: Option<&lsp::MarkupKind>) -> Option<lsp::Documentation> {
    let is_markdown = kind == Some(&lsp::MarkupKind::Markdown);
    let mut parts: Vec<String> = item.documentation.map(str::to_owned).into_iter().collect();
    parts.extend(item.cost.clone());
    parts.extend(item.since.as_ref().map(|since| format!("Since prime-rl {since}.")));
    let inserted = item.insert.trim_end().replace('\r', "");
    let is_opaque = inserted != item.label && !matches!(item.kind, ItemKind::Value | ItemKind::Variant);
    if is_opaque {
        parts.push(format!("Inserts:\n```toml\n{inserted}\n```"));
    }
    let text = parts.join("\n\n");
    let value = harmless(if is_markdown { text } else { plain(&text).trim_end().to_owned() });
    (!value.is_empty()).then(|| match kind {
        Some(kind) => lsp::Documentation::MarkupContent(lsp::MarkupContent { kind: kind.clone(), value }),
        None => lsp::Documentation::String(value),
    })
}

/// Escapes a text for a snippet, where `$`, `}` and `\` have a meaning.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// A placeholder of a snippet with a choice of values.
fn choice(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| escaped(value).replace(',', "\\,").replace('|', "\\|")).collect();
    format!("${{1|{}|}}", values.join(","))
}
