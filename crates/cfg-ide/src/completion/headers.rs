//! Tables that a header can open.

use cfg_diag::Span;
use cfg_schema::{FieldType, Interval, Node, NodeMap, Point, Schema, TypeKind, interval_in_words};
use cfg_syntax::{Document, Table, TableStyle, Value, ValueKind};

use super::{Item, ItemKind, keys::since, usage};
use crate::{
    Analysis,
    context::{is_end_of_body, line_start},
    intended_path::IntendedPath,
    memory,
    place::{self, PathSegment, dotted},
};

/// Tables further below a path are not offered.
const DEEPEST: usize = 6;
/// The limit of tables that are offered. prime-rl has fewer; a repository's own schema can have any number.
const MAX_TABLES: usize = 400;
/// The limit of fields that are read to find them.
const MAX_FIELDS: usize = 20_000;

/// A table of the schema that the text can still open.
struct Opening {
    /// Its keys below the path where the search started.
    names: Vec<&'static str>,
    node: Node,
    interval: Interval,
    is_array: bool,
}

impl Opening {
    /// An item for it; `key` is its dotted key, which that many real configs have.
    fn item(&self, analysis: &Analysis, key: &str, uses: u16, label: String, span: Span, insert: String) -> Item {
        Item {
            detail: interval_in_words(self.interval),
            documentation: analysis.documentation(self.node),
            cost: memory::cost(analysis, key),
            since: since(analysis.history(), self.node),
            uses,
            ..Item::new(ItemKind::Table, label, span, insert)
        }
    }
}

/// The tables that a header at the cursor can name: `path` are the parts before it, and `span` is the written part before the cursor.
pub(super) fn complete(analysis: &Analysis, path: &[PathSegment], span: Span, array: bool) -> Vec<Item> {
    let typed = &analysis.text[span.range()];
    let whole = super::whole_key(&analysis.text, span);
    let Some((close, is_last)) = closing(analysis, whole, array) else { return Vec::new() };
    let own = analysis.document.headers.iter().find(|header| header.span.touches(whole.start));
    // Tables below the item of an array would be left without it.
    let is_array = |own: &cfg_syntax::Header| {
        let names: Vec<&str> = own.keys.iter().map(|key| &*key.text).collect();
        let declared = place::types(analysis.schema(), &analysis.document.root, &keys(&names));
        // An array that the schema does not know has further items.
        let is_again = |other: &&cfg_syntax::Header| other.array && named(other) == named(own);
        let has_more = || declared.is_empty() && analysis.document.headers.iter().filter(is_again).count() > 1;
        own.array && (declared.iter().copied().any(is_list_of_tables) || has_more())
    };
    // One of several items is not made an item of another array by a change of the table around it.
    let is_one_of = |own: &cfg_syntax::Header| {
        let is_item = |other: &&cfg_syntax::Header| other.array && named(other) == named(own);
        own.array && analysis.document.headers.iter().filter(is_item).count() > 1
    };
    if !is_last && own.is_some_and(is_one_of) {
        return Vec::new();
    }
    let kept = own.filter(|own| is_array(own) && splits_array(&analysis.document, &named(own), own.span.end)).map(named);
    let at = own.map_or(whole.start, |own| own.span.start);
    let meant = IntendedPath::at(analysis, path);
    let above = dotted(&meant.path);
    let mut items = Vec::new();
    for found in openings_below(analysis, meant.schema, &meant.path, whole, true) {
        let is_deep = found.names.len() > 1;
        let fits = if is_last { found.is_array == array } else { !is_deep && !found.is_array };
        let label = found.names.join(".");
        let full = if above.is_empty() { label.clone() } else { format!("{above}.{label}") };
        let splits = array && splits_array(&analysis.document, &full, at);
        if !fits
            || splits
            || kept.as_ref().is_some_and(|kept| *kept != full)
            || (!is_last && is_taken(&analysis.document, &full, whole))
        {
            continue;
        }
        let uses = usage::of_key(analysis.schema().kind, &full);
        let mut item = found.item(analysis, &full, uses, label.clone(), whole, format!("{label}{close}"));
        item.rank = if is_deep { 2 } else { u8::from(!found.interval.is_required()) };
        // Many editors offer only what begins with the typed word: a nested table is found by its path and by its last name.
        if is_deep && (typed.is_empty() || !label.starts_with(typed)) {
            item.filter = found.names.last().map(|last| format!("{last} {label}"));
        }
        items.push(item);
    }
    meant.mark(&mut items);
    items
}

/// The brackets that are missing behind a part of a header, and whether it is the last part; `None` if something else is behind it.
pub(super) fn closing(analysis: &Analysis, part: Span, array: bool) -> Option<(&'static str, bool)> {
    let rest = super::rest_of_line(&analysis.text, part.end);
    match (rest.bytes().next(), array) {
        // In the middle of a header only this part of it is replaced.
        (Some(b'.'), _) => Some(("", false)),
        (Some(b']'), true) => Some((if rest.starts_with("]]") { "" } else { "]" }, true)),
        (Some(b']'), false) => Some(("", true)),
        (None | Some(b'#'), true) => Some(("]]", true)),
        (None | Some(b'#'), false) => Some(("]", true)),
        _ => None,
    }
}

/// The headers of tables that could follow the body of the table at `path`, to be written in place of a word; those of the table's own keys are
/// offered as these keys.
pub(super) fn openings(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    if !can_open(analysis, path, span) {
        return Vec::new();
    }
    let own: Vec<&str> =
        path.iter().filter_map(|step| if let PathSegment::Key(key) = step { Some(&**key) } else { None }).collect();
    let typed = &analysis.text[span.range()];
    let mut items = Vec::new();
    for found in openings_below(analysis, analysis.schema(), &[], span, false) {
        let Some((last, above)) = found.names.split_last() else { continue };
        if !typed.is_empty() && !found.names.iter().any(|name| name.starts_with(typed)) {
            continue;
        }
        let full = found.names.join(".");
        let is_again = found.is_array && place::value(&analysis.document.root, &keys(&found.names)).is_some();
        if (above == own && !is_again) || (found.is_array && splits_array(&analysis.document, &full, span.end)) {
            continue;
        }
        // Before a letter is typed, what no config has would only make the list long.
        let uses = usage::of_key(analysis.schema().kind, &full);
        if uses == 0 && !above.is_empty() && typed.is_empty() {
            continue;
        }
        let header = if found.is_array { format!("[[{full}]]") } else { format!("[{full}]") };
        let mut item = found.item(analysis, &full, uses, header.clone(), span, format!("{header}\n"));
        item.filter = Some(if above.is_empty() { full } else { format!("{last} {full}") });
        item.rank = 5 + u8::from(uses == 0);
        items.push(item);
    }
    items
}

/// Whether a header can be written in place of a word: the word is alone in its line, at the end of its table's body.
pub(super) fn can_open(analysis: &Analysis, path: &[PathSegment], span: Span) -> bool {
    let line = line_start(&analysis.text, span.start as usize);
    analysis.text[line..span.start as usize].trim().is_empty() && is_end_of_body(&analysis.document, path, span.end)
}

/// Whether another header has the name that the header around `part` gets, if this part of it and those before it become `name`.
fn is_taken(document: &Document, name: &str, part: Span) -> bool {
    let own = document.headers.iter().position(|header| header.span.touches(part.start));
    let behind = own.map_or(&[][..], |own| &document.headers[own].keys).iter().filter(|key| key.span.start >= part.end);
    let new: Vec<&str> = name.split('.').chain(behind.map(|key| &*key.text)).collect();
    let others = document.headers.iter().enumerate().filter(|(index, _)| Some(*index) != own);
    let is_there = |(_, other): (usize, &cfg_syntax::Header)| other.keys.iter().map(|key| &*key.text).eq(new.iter().copied());
    place::value(&document.root, &keys(&new)).is_some() || others.into_iter().any(is_there)
}

/// Whether a new item of an array, whose header is at `offset`, would take over tables that belong to the item before it. Without one before it, they are its own.
pub(super) fn splits_array(document: &Document, array: &str, offset: u32) -> bool {
    let names: Vec<&str> = array.split('.').collect();
    let is_below = |header: &&cfg_syntax::Header| {
        header.keys.len() >= names.len() && header.keys.iter().zip(&names).all(|(key, name)| *key.text == **name)
    };
    let is_item = |header: &cfg_syntax::Header| header.array && header.keys.len() == names.len();
    let has_item_before = document.headers.iter().filter(|header| header.span.start < offset).filter(is_below).any(is_item);
    let next = document.headers.iter().filter(|header| header.span.start > offset).find(is_below);
    has_item_before && next.is_some_and(|header| header.keys.len() > names.len() || !header.array)
}

/// The dotted name of a header.
fn named(header: &cfg_syntax::Header) -> String {
    header.keys.iter().map(|key| &*key.text).collect::<Vec<_>>().join(".")
}

fn keys(names: &[&str]) -> Vec<PathSegment> {
    names.iter().map(|name| PathSegment::Key((*name).into())).collect()
}

/// The tables below a path that the text does not define yet, for a header at a place. If that replaces a part of a header, the table which that one
/// opens may be opened.
fn openings_below(analysis: &Analysis, schema: Schema, path: &[PathSegment], at: Span, replaces: bool) -> Vec<Opening> {
    let root = &analysis.document.root;
    let mut search = Search { point: schema.point, at, replaces, fields: 0, found: Vec::new() };
    search.below(&place::tables(schema, root, path), place::table(root, path), &mut Vec::new());
    search.found
}

/// A field of a table that a header can open.
struct TableField {
    name: &'static str,
    node: Node,
    interval: Interval,
    is_array: bool,
}

/// What headers can open in a table.
struct TableFields {
    fields: Vec<TableField>,
    /// The number of fields that were read to find them.
    read: usize,
}

/// The fields of a table that headers can open. They depend only on the schema, which has many more fields than these.
fn table_fields(table: Node, point: Point) -> &'static TableFields {
    static KNOWN: NodeMap<TableFields, 256> = NodeMap::new();
    KNOWN.of(table, point, || {
        let mut read = 0;
        let mut field = |(node, interval): (Node, Interval)| {
            read += 1;
            let name = interval.aliases().next().or_else(|| node.field_name())?;
            let is_array = is_list_of_tables(interval.field_type());
            let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            let can_open = is_bare && (is_array || is_table(interval.field_type()));
            can_open.then_some(TableField { name, node, interval, is_array })
        };
        let fields = table.fields(point).take(MAX_FIELDS).filter_map(&mut field).collect();
        TableFields { fields, read }
    })
}

struct Search {
    point: Point,
    /// The place of the header.
    at: Span,
    /// Whether a part of a header is there.
    replaces: bool,
    fields: usize,
    found: Vec<Opening>,
}

impl Search {
    /// Searches the tables of the schema that a table of the text can be; `names` are the keys that lead to it.
    fn below(&mut self, tables: &[Node], written: Option<&Table>, names: &mut Vec<&'static str>) {
        if names.len() == DEEPEST {
            return;
        }
        for (index, table) in tables.iter().enumerate() {
            let own = table_fields(*table, self.point);
            self.fields += own.read;
            for field in &own.fields {
                if self.found.len() == MAX_TABLES || self.fields > MAX_FIELDS {
                    return;
                }
                let same = |table: &Node| table_fields(*table, self.point).fields.iter().find(|other| other.name == field.name);
                // Variants of a table share fields.
                if tables[..index].iter().any(|table| same(table).is_some()) {
                    continue;
                }
                let alike: Vec<&TableField> = tables[index..].iter().filter_map(same).collect();
                names.push(field.name);
                self.visit(&alike, written.and_then(|table| table.value(field.name)), names);
                names.pop();
            }
        }
    }

    /// Adds a field of several variants of a table, and what is below it.
    fn visit(&mut self, alike: &[&TableField], written: Option<&Value>, names: &mut Vec<&'static str>) {
        let Some(&&TableField { node, interval, is_array, .. }) = alike.first() else { return };
        let is_here = |span: Span| self.replaces && span.start <= self.at.end && self.at.start <= span.end;
        let (is_free, is_extended) = match written.map(|value| (&value.kind, value.span)) {
            None | Some((ValueKind::Missing, _)) => (true, true),
            Some((ValueKind::Table(table), span)) => match table.style {
                // Tables below that belong to an array whose first item is about to be opened.
                TableStyle::Implicit => (!is_array || span.start >= self.at.start, true),
                TableStyle::Header => (is_here(span), true),
                TableStyle::Dotted => (false, true),
                TableStyle::Inline | TableStyle::Root => (false, false),
            },
            Some((ValueKind::Array(_), _)) => {
                let of_tables = written.is_some_and(Value::is_array_of_tables);
                (is_array && of_tables, of_tables)
            }
            Some(_) => (false, false),
        };
        if is_free {
            self.found.push(Opening { names: names.clone(), node, interval, is_array });
        }
        if !is_extended || interval.field_type().kind() == TypeKind::Dict {
            return;
        }
        if !is_array {
            let table = written.and_then(Value::as_table);
            let inside = alike.iter().flat_map(|field| place::inside(field.node, field.interval, table, self.point));
            self.below(&inside.collect::<Vec<_>>(), table, names);
        } else if let Some(items) = written.map(Value::items) {
            // A header below an array means the last item before it.
            let last = items.iter().take_while(|item| item.span.start < self.at.start).last();
            if let Some(table) = last.and_then(Value::as_table) {
                let inside = alike.iter().flat_map(|field| place::inside_item(field.node, field.interval, table, self.point));
                self.below(&inside.collect::<Vec<_>>(), Some(table), names);
            }
        }
    }
}

fn is_table(ty: FieldType) -> bool {
    let of_union = || ty.kind() == TypeKind::Union && ty.members().any(is_table);
    matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Dict) || ty.discriminator().is_some() || of_union()
}

fn is_list_of_tables(ty: FieldType) -> bool {
    ty.kind() == TypeKind::List && ty.members().next().is_some_and(is_table)
}

#[cfg(test)]
mod tests {
    use crate::{Item, complete, testing::with_cursor};

    fn offered(text: &str) -> Vec<Item> {
        let (analysis, offset) = with_cursor(text);
        complete(&analysis, offset)
    }

    /// The text after the item with a label was accepted.
    fn accepted(text: &str, label: &str) -> String {
        let items = offered(text);
        let item = items.iter().find(|item| item.label == label);
        let item =
            item.unwrap_or_else(|| panic!("{label} is offered: {:?}", items.iter().map(|item| &item.label).collect::<Vec<_>>()));
        let mut text = text.replacen('^', "", 1);
        text.replace_range(item.span.range(), &item.insert);
        text
    }

    const BEGIN: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n";

    #[test]
    fn an_array_of_tables_is_found_from_its_brackets() {
        let after =
            |header: &str| accepted(&format!("{BEGIN}[orchestrator]\nseq_len = 1\n\n{header}\n"), "orchestrator.train.source");
        let wanted = format!("{BEGIN}[orchestrator]\nseq_len = 1\n\n[[orchestrator.train.source]]\n");
        for header in ["[[^]]", "[[orch^]]", "[[^", "[[orch^]", "[[source^"] {
            assert_eq!(after(header), wanted, "{header}");
        }
        assert_eq!(
            accepted(&format!("{BEGIN}[[orchestrator.tr^]]\n"), "train.source"),
            format!("{BEGIN}[[orchestrator.train.source]]\n")
        );
    }

    #[test]
    fn a_nested_table_is_found_by_its_last_name() {
        let text = format!("{BEGIN}[orchestrator]\n\n[lora^\n");
        let lora = offered(&text).into_iter().find(|item| item.label == "trainer.model.lora").expect("it is offered");
        assert!(lora.filter.as_deref().is_some_and(|filter| filter.starts_with("lora ")), "{lora:?}");
        assert_eq!(accepted(&text, "trainer.model.lora"), format!("{BEGIN}[orchestrator]\n\n[trainer.model.lora]\n"));
    }

    #[test]
    fn the_whole_part_of_a_header_is_replaced() {
        assert_eq!(accepted(&format!("{BEGIN}[trainer.mod^el]\n"), "optim"), format!("{BEGIN}[trainer.optim]\n"));
        assert_eq!(accepted(&format!("{BEGIN}[trainer.mod^el.lora]\n"), "optim"), format!("{BEGIN}[trainer.optim.lora]\n"));
        assert_eq!(accepted(&format!("{BEGIN}[^trainer.model]\n"), "orchestrator"), format!("{BEGIN}[orchestrator.model]\n"));
    }

    #[test]
    fn a_table_with_a_header_is_not_offered_again() {
        let labels = |text: &str| -> Vec<String> { offered(text).into_iter().map(|item| item.label).collect() };
        let found = labels(&format!("{BEGIN}[model]\nname = \"x\"\n[trainer.optim]\nlr = 1.0\n[orchestrator]\n[wandb]\n[^\n"));
        for there in ["model", "orchestrator", "trainer.optim"] {
            assert!(!found.iter().any(|label| label == there), "{there}: {found:?}");
        }
        for free in ["ckpt", "trainer", "trainer.model"] {
            assert!(found.iter().any(|label| label == free), "{free}: {found:?}");
        }
    }

    #[test]
    fn a_table_is_offered_where_another_one_ends() {
        let text = format!("{BEGIN}[orchestrator]\nseq_len = 1\nck^\n");
        assert_eq!(accepted(&text, "[ckpt]"), format!("{BEGIN}[orchestrator]\nseq_len = 1\n[ckpt]\n\n"));
        // In the middle of a body, a header would take over the keys below it.
        let labels: Vec<String> =
            offered(&format!("{BEGIN}[orchestrator]\nck^\nseq_len = 1\n")).into_iter().map(|item| item.label).collect();
        assert!(!labels.iter().any(|label| label.starts_with('[')), "{labels:?}");
    }

    #[test]
    fn a_new_item_takes_no_tables_of_the_one_before() {
        let text = format!("{BEGIN}[[orchestrator.train.source]]\nid = \"a\"\n^\n[orchestrator.train.source.env]\nx = 1\n");
        let found = offered(&text);
        assert!(!found.iter().any(|item| item.label == "[[orchestrator.train.source]]"));
        let found = offered(&text.replace(".env]", ".env]\nx = 1\n[[orchestrator.train.source]]"));
        assert!(!found.iter().any(|item| item.label == "[[orchestrator.train.source]]"));
        let found = offered(&format!("{BEGIN}[[orchestrator.train.source]]\nid = \"a\"\n^\n"));
        assert!(found.iter().any(|item| item.label == "[[orchestrator.train.source]]"));
    }
}
