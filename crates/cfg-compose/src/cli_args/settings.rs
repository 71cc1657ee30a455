//! The arguments of pydantic-settings: every field of every table is an option of argparse, by its dotted path with hyphens.

use cfg_schema::{FieldType, Kind, Node, Point, Segment, TypeKind};

use super::{
    Reading, Words,
    argparse::{self, ParsedPart, Takes},
    field::is_kebab_of,
    list::{self, Joined},
};
use crate::{Entry, Node as RawNode, Origin, Table, Value, Word, json, json::JsonPlace, loader, merge::wrapped};

/// An option.
#[derive(Clone, Debug)]
struct Flag {
    /// The path of its value.
    keys: Vec<&'static str>,
    ty: FieldType,
    node: Node,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// `--x` and `--no-x`.
    Switch { negated: bool },
    /// May be repeated.
    Append(list::Into),
    /// A table: JSON, or no value for an empty one.
    Table,
    /// A single value.
    Store,
}

/// The arguments for one path.
struct Given<'w> {
    flag: Flag,
    /// The word of the flag, and the values with their words.
    word: &'w Word,
    values: Vec<(&'w Word, String)>,
}

/// Reads the arguments after the files.
pub(crate) fn read(reading: &mut Reading<'_>, words: &Words<'_>) -> Table {
    let own = if reading.schema.kind == Kind::Inference { lenient(reading, words) } else { words.clone() };
    own.iter().for_each(|word| reading.mangled(word));
    let spelled: Vec<Word> = own.iter().map(|word| spelled(word)).collect();
    let words: Words<'_> = spelled.iter().collect();
    let root = reading.schema.root();
    let point = reading.schema.point;
    let found = argparse::read(&words, |text| option(root, point, text));
    let mut given: Vec<Given<'_>> = Vec::new();
    for found in found {
        match found {
            ParsedPart::Option { option, flag, value } => take(&mut given, option, flag, value),
            ParsedPart::Lacks(word) => reading.no_value(word, "SystemExit"),
            ParsedPart::Surplus(word) => {
                let name = word.text.split('=').next().unwrap_or_default().trim_start_matches('-');
                let help = format!("write `--{name}` for true and `--no-{name}` for false");
                reading.refuse(word, "SystemExit", format!("`--{name}` takes no value"), help);
            }
            ParsedPart::Help(word) => reading.help(word),
            ParsedPart::Left(word) => reading.left_over(&[word], "SystemExit"),
        }
    }
    tables(reading, given)
}

/// An argument in the loader's spelling: `_` becomes `-` in every word that begins with `--`, and in a word that begins with a hyphen the part before
/// the first `=` or blank is written in lower case.
fn spelled(word: &Word) -> Word {
    let mut text = if word.text.starts_with("--") { word.text.replace('_', "-") } else { word.text.to_string() };
    if text.starts_with('-') {
        let end = text.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(text.len());
        if end > 1 {
            text = text[..end].to_lowercase() + &text[end..];
        }
    }
    Word { text: text.into(), ..word.clone() }
}

/// The inference server passes every flag that names no field to vLLM.
fn lenient<'w>(reading: &mut Reading<'_>, words: &Words<'w>) -> Words<'w> {
    let is_key = |word: &Word| word.text.starts_with('-');
    let knows_hyphens = reading.schema.point.has(cfg_schema::Behaviour::LenientFlagsWithHyphens);
    let mut own = Vec::new();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        at += 1;
        if !is_key(word) {
            continue;
        }
        let key = word.text.strip_prefix("--").unwrap_or(&word.text[1..]);
        let key = if knows_hyphens { key.replace('-', "_") } else { key.to_owned() };
        let value = words.get(at).copied().filter(|next| !is_key(next));
        at += usize::from(value.is_some());
        if is_plain_field(reading.schema.root(), reading.schema.point, &key) {
            own.push(word);
            own.extend(value);
        } else {
            reading.handed_to_vllm(word);
        }
    }
    own
}

/// Whether a dotted path names a field through tables that always exist.
fn is_plain_field(mut node: Node, point: Point, path: &str) -> bool {
    let mut keys = path.split('.').peekable();
    while let Some(key) = keys.next() {
        let Some((field, interval)) = node.field(key).and_then(|field| Some((field, field.at(point)?))) else { return false };
        let ty = interval.field_type();
        let is_plain_table = matches!(ty.kind(), TypeKind::Table(_)) && !ty.is_nullable();
        if keys.peek().is_some() && !is_plain_table {
            return false;
        }
        node = field;
    }
    true
}

/// The option of a word.
fn option(root: Node, point: Point, text: &str) -> Option<(Flag, Takes)> {
    let path = text.strip_prefix("--")?;
    if let Some(flag) = flag(root, point, path) {
        return Some((flag.clone(), takes(flag.action)));
    }
    let mut flag = flag(root, point, path.strip_prefix("no-")?)?;
    let Action::Switch { .. } = flag.action else { return None };
    flag.action = Action::Switch { negated: true };
    Some((flag, Takes::Nothing))
}

fn takes(action: Action) -> Takes {
    match action {
        Action::Switch { .. } => Takes::Nothing,
        Action::Append(_) | Action::Store => Takes::One,
        Action::Table => Takes::OneOrNothing,
    }
}

/// The field at the end of a path with hyphens.
fn flag(root: Node, point: Point, path: &str) -> Option<Flag> {
    let mut tables = vec![root];
    let mut keys = Vec::new();
    let mut segments = path.split('.').peekable();
    while let Some(segment) = segments.next() {
        let (node, ty, name) = tables.iter().find_map(|table| child(*table, point, |name| is_kebab_of(segment, name)))?;
        keys.push(name);
        let action = action(node, ty, point);
        if segments.peek().is_none() {
            return Some(Flag { keys, ty, node, action });
        }
        if action != Action::Table {
            return None;
        }
        tables = tables_of(node, ty, point);
    }
    None
}

pub(crate) fn child(table: Node, point: Point, is_meant: impl Fn(&str) -> bool) -> Option<(Node, FieldType, &'static str)> {
    table.fields(point).find_map(|(field, interval)| match field.segment() {
        Segment::Field(name) if is_meant(name) => Some((field, interval.field_type(), name)),
        _ => None,
    })
}

/// The possible tables of a field.
pub(crate) fn tables_of(node: Node, ty: FieldType, point: Point) -> Vec<Node> {
    match ty.kind() {
        TypeKind::Table(_) => vec![node],
        // A nullable tagged union hides its tables behind its name.
        TypeKind::Union if ty.discriminator().is_some() && ty.is_nullable() => Vec::new(),
        TypeKind::Union if ty.discriminator().is_some() => node.variants(point).collect(),
        TypeKind::Union => node.classes().filter(|class| class.at(point).is_some()).collect(),
        _ => Vec::new(),
    }
}

fn holds(ty: FieldType, kind: TypeKind) -> bool {
    ty.kind() == kind || (!matches!(ty.kind(), TypeKind::Table(_)) && ty.members().any(|member| holds(member, kind)))
}

fn action(node: Node, ty: FieldType, point: Point) -> Action {
    let has_map = holds(ty, TypeKind::Dict);
    if has_map || holds(ty, TypeKind::List) {
        let is_alternative = |member: FieldType| member.kind() != TypeKind::Dict;
        return Action::Append(match ty.kind() {
            _ if !has_map => list::Into::List,
            TypeKind::Union if ty.members().any(is_alternative) => list::Into::MapOrOther,
            _ => list::Into::Map,
        });
    }
    if !tables_of(node, ty, point).is_empty() {
        return Action::Table;
    }
    if ty.kind() == TypeKind::Bool && !ty.is_nullable() { Action::Switch { negated: false } } else { Action::Store }
}

/// Whether a value of this type is read as JSON, and whether it may also be plain text.
pub(crate) fn complexity(ty: FieldType) -> Option<bool> {
    let is_complex = |ty: FieldType| matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Dict | TypeKind::List);
    match ty.kind() {
        TypeKind::Union if ty.discriminator().is_some() => (!ty.is_nullable()).then_some(true),
        TypeKind::Union => ty.members().any(is_complex).then_some(true),
        // `X | None` is a union as well.
        _ if is_complex(ty) => Some(ty.is_nullable()),
        _ => None,
    }
}

fn take<'w>(given: &mut Vec<Given<'w>>, flag: Flag, word: &'w Word, value: Option<(&'w Word, usize)>) {
    let value = match flag.action {
        Action::Switch { .. } => (word, String::new()),
        Action::Table if value.is_none() => (word, "{}".to_owned()),
        _ => value.map_or((word, String::new()), |(value, start)| (value, value.text[start..].to_owned())),
    };
    match given.iter_mut().find(|known| known.flag.keys == flag.keys) {
        Some(known) => {
            if !matches!(flag.action, Action::Append(_)) {
                known.values.clear();
            }
            known.values.push(value);
            known.word = word;
            known.flag = flag;
        }
        None => given.push(Given { flag, word, values: vec![value] }),
    }
}

/// The value at the end of a path.
enum Content {
    Node(RawNode),
    /// The word `null`: it does not replace an existing value.
    Null(Origin),
}

/// Puts the values into tables, as the loader expands its variables: first the value of a key of the root itself, then those below it.
fn tables(reading: &mut Reading<'_>, given: Vec<Given<'_>>) -> Table {
    let mut root = Table::default();
    let mut below = Table::default();
    for given in given {
        let path: Vec<&str> = given.flag.keys.clone();
        let origin = Origin::CommandLine(given.word.location);
        let Some(content) = content(reading, &given) else { continue };
        let [parents @ .., last] = path.as_slice() else { continue };
        let target = if parents.is_empty() { Some(&mut root) } else { below.table_at(parents, origin) };
        let Some(target) = target else { continue };
        match content {
            Content::Node(node) => target.insert(wrapped(last, node, origin)),
            Content::Null(at) => {
                let is_free = target.get(last).is_none_or(|entry| entry.node.value.as_table().is_some_and(Table::is_empty));
                if is_free {
                    target.insert(wrapped(last, RawNode { value: Value::Null, origin: at }, origin));
                }
            }
        }
    }
    // If the key of the root has a value that is not a table, the keys below it are ignored.
    for entry in below.into_entries() {
        match root.get(&entry.key).map(|over| over.node.value.as_table().is_some()) {
            Some(false) => {}
            _ => {
                let mut one = Table::default();
                one.insert(entry);
                root.merge_deep(one);
            }
        }
    }
    root
}

/// The value of an option.
fn content(reading: &mut Reading<'_>, given: &Given<'_>) -> Option<Content> {
    let Given { flag, values, .. } = given;
    let (word, text) = values.last()?;
    let origin = Origin::CommandLine(word.location);
    let node = |value: Value| Some(Content::Node(RawNode { value, origin }));
    match flag.action {
        Action::Switch { negated } => node(Value::Bool(!negated)),
        Action::Append(into) => {
            let texts: Vec<&str> = values.iter().map(|(_, text)| text.as_str()).collect();
            let joined = match list::join(&texts, into) {
                Ok(joined) => joined,
                Err(what) => {
                    reading.refuse(word, "SettingsError", format!("this value can't be read: {what}"), None);
                    return None;
                }
            };
            match joined {
                Joined::Json(text) | Joined::Word(text) => decoded(reading, flag, word, &text, origin),
                Joined::Objects(objects) => {
                    let mut map = Table::default();
                    for object in objects {
                        match json::parse(&object, JsonPlace::Whole(origin), Origin::CommandLine).map(|node| node.value) {
                            Ok(Value::Table(table)) => map.merge(table, loader::Merge::Shallow),
                            _ => {
                                reading.refuse(word, "SettingsError", format!("`{object}` is not a JSON object"), None);
                                return None;
                            }
                        }
                    }
                    node(Value::Table(map))
                }
            }
        }
        Action::Table | Action::Store if text == "null" => Some(Content::Null(origin)),
        Action::Table | Action::Store => decoded(reading, flag, word, text, origin),
    }
}

/// A text in the form of the type: JSON, or unchanged.
fn decoded(reading: &mut Reading<'_>, flag: &Flag, word: &Word, text: &str, origin: Origin) -> Option<Content> {
    let as_it_is = || Some(Content::Node(RawNode { value: Value::Str(text.into()), origin }));
    let Some(may_stand_for_itself) = complexity(flag.ty) else { return as_it_is() };
    if text.is_empty() && flag.keys.len() > 1 {
        return as_it_is();
    }
    match json::parse(text, JsonPlace::Whole(origin), Origin::CommandLine) {
        Ok(mut node) => {
            if let (Some(table), [model]) =
                (node.value.as_table_mut(), tables_of(flag.node, flag.ty, reading.schema.point).as_slice())
            {
                small_letters(table, *model, reading.schema.point);
            }
            Some(Content::Node(node))
        }
        Err(_) if may_stand_for_itself => as_it_is(),
        Err(fault) => {
            let help = "pass a table or an array as JSON";
            reading.refuse(word, "SettingsError", format!("this value is not valid JSON: {}", fault.message), help.to_owned());
            None
        }
    }
}

/// Keys in JSON match fields in any case.
fn small_letters(table: &mut Table, model: Node, point: Point) {
    for entry in std::mem::take(table).into_entries() {
        let found = child(model, point, |name| name.eq_ignore_ascii_case(&entry.key));
        let Some((field, ty, name)) = found else {
            table.insert(entry);
            continue;
        };
        let mut entry: Entry = entry.renamed(name);
        if matches!(ty.kind(), TypeKind::Table(_))
            && !ty.is_nullable()
            && let Some(inner) = entry.node.value.as_table_mut()
        {
            small_letters(inner, field, point);
        }
        table.insert(entry);
    }
}
