//! The arguments of tyro: those that pydantic-config does not read. Values are typed here already, so that a wrong one ends the command.

use cfg_schema::{FieldType, Node, Point, Schema, TypeKind};
use cfg_syntax::Integer;

use super::{
    Reading, Words,
    field::{self, Flag, NamedField, Names},
    list,
    own::json_values,
};
use crate::{Node as RawNode, Origin, Table, Value, Word, compose::is_required_table, merge::wrapped};

/// Reads the arguments for maps, whose value is JSON.
pub(crate) fn maps<'w>(reading: &mut Reading<'_>, words: &Words<'w>, overrides: &mut Table) -> Words<'w> {
    json_values(reading, words, overrides, &|ty, _| ty.kind() == TypeKind::Dict && !ty.is_nullable())
}

/// Without any file, tyro creates the tables itself.
pub(crate) fn required_tables(schema: Schema, root: &mut Table) {
    fill(schema.root(), schema.point, root);
}

fn fill(class: Node, point: Point, table: &mut Table) {
    for (field, _) in class.fields(point).filter(|(_, interval)| is_required_table(*interval)) {
        let Some(name) = field.field_name() else { continue };
        let mut inner = Table::default();
        fill(field, point, &mut inner);
        let origin = Origin::Default.through_loader("tyro");
        table.insert(wrapped(name, RawNode { value: Value::Table(inner), origin }, origin));
    }
}

/// Reads the rest. Every error ends the command.
pub(crate) fn read(reading: &mut Reading<'_>, words: &Words<'_>) -> Table {
    let mut overlay = Table::default();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        at += 1;
        if matches!(&*word.text, "-h" | "--help") {
            reading.help(word);
            break;
        }
        let Some(flag) = word.text.strip_prefix("--").filter(|flag| reading.is_shallow(word, flag)) else {
            reading.left_over(&[word], "SystemExit");
            continue;
        };
        if flag.is_empty() {
            // Arguments after `--` are not flags, and are left over.
            reading.left_over(&words[at..], "SystemExit");
            break;
        }
        let (path, glued) = flag.split_once('=').map_or((flag, None), |(path, value)| (path, Some(value)));
        let path = path.replace('_', "-");
        let origin = Origin::CommandLine(word.location);
        if let Some((found, negated)) = switch(reading.schema, &path) {
            if glued.is_some() {
                reading.refuse(word, "SystemExit", format!("`--{path}` takes no value"), None);
                continue;
            }
            set(&mut overlay, &found.path, RawNode { value: Value::Bool(!negated), origin }, origin);
            continue;
        }
        let Some(NamedField { flag: Flag::Leaf(ty), path: keys, .. }) = field::find(reading.schema, &path, Names::Own) else {
            reading.left_over(&[word], "SystemExit");
            at += usize::from(glued.is_none() && words.get(at).is_some_and(|next| !next.text.starts_with("--")));
            continue;
        };
        let values: Vec<(&str, &Word)> = match glued {
            Some(value) => vec![(value, word)],
            None => words[at..].iter().take_while(|word| !is_flag(word)).map(|word| (&*word.text, *word)).collect(),
        };
        let is_list = ty.kind() == TypeKind::List;
        let count = if is_list { values.len() } else { values.len().min(1) };
        at += if glued.is_none() { count } else { 0 };
        match typed(ty, &values[..count]) {
            Ok(Some(value)) => {
                let place = values.first().map_or(word.location, |(_, word)| word.location);
                set(&mut overlay, &keys, RawNode { value, origin: Origin::CommandLine(place) }, origin);
            }
            Ok(None) => {
                let help = "set it in a config".to_owned();
                reading.refuse(word, "SystemExit", format!("`--{path}` can't be set on the command line"), help);
            }
            Err(Some(wrong)) => {
                let message = format!("`{}` is not a valid value for `--{path}`", wrong.text);
                reading.refuse(wrong, "SystemExit", message, None);
            }
            Err(None) => reading.no_value(word, "SystemExit"),
        }
    }
    overlay
}

/// Whether a word begins the next flag; a negative number does not.
fn is_flag(word: &Word) -> bool {
    word.text.starts_with('-') && word.text.len() > 1 && !list::is_number(&word.text)
}

/// A boolean field, and whether the flag negates it: `no-` is before its last key.
fn switch(schema: Schema, path: &str) -> Option<(NamedField, bool)> {
    let find = |path: &str| {
        let is_switch =
            |found: &NamedField| matches!(found.flag, Flag::Leaf(ty) if ty.kind() == TypeKind::Bool && !ty.is_nullable());
        field::find(schema, path, Names::Own).filter(is_switch)
    };
    if let Some(found) = find(path) {
        return Some((found, false));
    }
    let start = path.rfind('.').map_or(0, |dot| dot + 1);
    let positive = format!("{}{}", &path[..start], path[start..].strip_prefix("no-")?);
    Some((find(&positive)?, true))
}

fn set(overlay: &mut Table, path: &str, node: RawNode, origin: Origin) {
    overlay.merge_deep(Table::nested(path, node, origin));
}

/// Arguments as a value of a type; `None` for a type that can't be written as arguments, an error for invalid values.
fn typed<'w>(ty: FieldType, words: &[(&str, &'w Word)]) -> Result<Option<Value>, Option<&'w Word>> {
    if ty.is_nullable()
        && ty.discriminator().is_none()
        && let [("None", _)] = words
    {
        return Ok(Some(Value::Null));
    }
    if ty.kind() == TypeKind::List {
        let Some(item) = ty.members().next().filter(|item| is_writable(*item)) else { return Ok(None) };
        let node = |(text, word): &(&str, &'w Word)| {
            let value = scalar(item, text).ok_or(Some(*word))?;
            Ok(RawNode { value, origin: Origin::CommandLine(word.location) })
        };
        let nodes: Result<Vec<RawNode>, Option<&'w Word>> = words.iter().map(node).collect();
        return Ok(Some(Value::List(nodes?)));
    }
    if !is_writable(ty) {
        return Ok(None);
    }
    let (text, word) = words.first().ok_or(None)?;
    scalar(ty, text).map(Some).ok_or(Some(*word))
}

fn is_writable(ty: FieldType) -> bool {
    match ty.kind() {
        TypeKind::Union => ty.members().all(is_writable),
        kind => !matches!(kind, TypeKind::Table(_) | TypeKind::Dict | TypeKind::List),
    }
}

fn scalar(ty: FieldType, text: &str) -> Option<Value> {
    let string = || Some(Value::Str(text.into()));
    match ty.kind() {
        _ if ty.is_nullable() && text == "None" => Some(Value::Null),
        TypeKind::Int => integer(text),
        TypeKind::Float => number(text),
        TypeKind::Bool => match text {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            _ => None,
        },
        TypeKind::Literal => ty.literals().any(|literal| literal == text).then(string)?,
        TypeKind::Union => ty.members().find_map(|member| scalar(member, text)),
        _ => string(),
    }
}

/// A text as Python's `int` reads it.
fn integer(text: &str) -> Option<Value> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let is_grouped = !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    if digits.is_empty() || !digits.bytes().all(is_digit) || !is_grouped {
        return None;
    }
    let plain = text.replace('_', "").trim_start_matches('+').to_owned();
    Some(Value::Int(plain.parse().map_or_else(|_| Integer::Big(plain.into()), Integer::Small)))
}

/// A text as Python's `float` reads it.
fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    if !list::is_number(text) {
        return None;
    }
    text.replace('_', "").parse().ok().map(Value::Float)
}
