//! A table as the code of a project's own checks sees it.

use std::sync::Arc;

use cfg_compose::{Integer, Node as RawNode, Origin, Table, Value as RawValue};
use cfg_schema::{Assigned, CheckedTable, FieldType, Node, Policy, Seen, Segment, TypeKind, ValueSegment};

use super::ValidatorCtx;
use crate::{Field, Resolved, ResolvedTable, ResolvedValue, before, native::orchestrator::mapped_models, view, walk};

/// The value at a path.
enum Found<'t> {
    Table(&'t ResolvedTable),
    Value(&'t Resolved, Option<FieldType>),
}

impl ValidatorCtx<'_> {
    /// The value at a path; `None` if there is no such field.
    fn find(&self, path: &[ValueSegment]) -> Option<Found<'_>> {
        let mut found = Found::Table(&self.table);
        let mut rest = path;
        while !rest.is_empty() {
            let fields = rest.iter().take_while(|step| matches!(step, ValueSegment::Field(_))).count();
            found = match (found, fields) {
                (Found::Table(table), 1..) => {
                    let way = ValueSegment::dotted(&rest[..fields]);
                    let value = view::get(table, &way, self.point)?;
                    let ty = view::field_below(table.node, &way, self.point)
                        .and_then(|node| node.at(self.point))
                        .map(cfg_schema::Interval::field_type);
                    rest = &rest[fields..];
                    settled(value, ty)
                }
                (Found::Value(value, ty), 0) => {
                    let (step, behind) = rest.split_first()?;
                    rest = behind;
                    let (inner, member) = match (step, &value.value) {
                        (ValueSegment::Item(index), ResolvedValue::List(items)) => (items.get(*index)?, 0),
                        (ValueSegment::Key(key), ResolvedValue::Map(entries)) => {
                            (&entries.iter().find(|(own, _)| **own == **key)?.1, 1)
                        }
                        (_, ResolvedValue::Invalid) => return Some(Found::Value(value, None)),
                        _ => return None,
                    };
                    settled(inner, ty.and_then(|ty| ty.members().nth(member)))
                }
                (found @ Found::Value(Resolved { value: ResolvedValue::Invalid, .. }, _), _) => return Some(found),
                _ => return None,
            };
        }
        Some(found)
    }

    fn resolved(&self, value: Assigned) -> Resolved {
        let plain = match value {
            Assigned::Unknown => ResolvedValue::Invalid,
            Assigned::Null => ResolvedValue::Null,
            Assigned::Bool(value) => ResolvedValue::Bool(value),
            Assigned::Int(value) => ResolvedValue::Int(Integer::Small(value)),
            Assigned::Float(value) => ResolvedValue::Float(value),
            Assigned::Str(text) => ResolvedValue::Str(text.as_ref().into()),
            Assigned::List(items) => ResolvedValue::List(items.into_iter().map(|item| self.resolved(item)).collect()),
            Assigned::Map(entries) => {
                ResolvedValue::Map(entries.into_iter().map(|(key, value)| (key.as_ref().into(), self.resolved(value))).collect())
            }
            Assigned::Copy(path) => {
                return match self.find(&path) {
                    Some(Found::Value(value, _)) => value.clone(),
                    Some(Found::Table(table)) => ResolvedValue::from(table.clone()).into(),
                    None => ResolvedValue::Invalid.into(),
                };
            }
            Assigned::Table(node, values, not_given) => {
                let mut table = ResolvedTable::new(node);
                for (name, value) in values {
                    if let Some(node) = node.field(&name).filter(|node| node.at(self.point).is_some()) {
                        let is_set = !not_given.contains(&name);
                        table.fields.push(Field { node, resolved: self.resolved(value), is_set });
                    }
                }
                ResolvedValue::from(table)
            }
        };
        plain.into()
    }

    /// A value as it would be written in a file; `None` for tables and unknown values.
    fn raw(&self, value: &Assigned) -> Option<RawValue> {
        Some(match value {
            Assigned::Unknown | Assigned::Table(..) => return None,
            Assigned::Copy(path) => match self.find(path)? {
                Found::Value(value, _) => return self.raw(&free(&value.value)),
                Found::Table(_) => return None,
            },
            Assigned::Null => RawValue::Null,
            Assigned::Bool(value) => RawValue::Bool(*value),
            Assigned::Int(value) => RawValue::Int(Integer::Small(*value)),
            Assigned::Float(value) => RawValue::Float(*value),
            Assigned::Str(text) => RawValue::Str(text.as_ref().into()),
            Assigned::List(items) => {
                let item = |item| Some(RawNode { value: self.raw(item)?, origin: Origin::Default });
                RawValue::List(items.iter().map(item).collect::<Option<_>>()?)
            }
            Assigned::Map(entries) => {
                let mut table = Table::default();
                for (key, value) in entries {
                    table.insert(before::made(key, self.raw(value)?, self.name));
                }
                RawValue::Table(table)
            }
        })
    }

    /// Whether a value is that of a field whose type is not understood as a whole, or lies in one.
    fn is_left_open(&self, path: &[ValueSegment]) -> bool {
        if self.state.open.is_none() {
            return false;
        }
        let last = path.iter().rposition(|segment| matches!(segment, ValueSegment::Field(_)));
        let Some((at, ValueSegment::Field(name))) = last.map(|at| (at, &path[at])) else { return false };
        let Some(Found::Table(owner)) = self.find(&path[..at]) else { return false };
        owner.node.field(name).is_some_and(|field| self.state.is_open(field))
    }

    /// The table at a path, mutable; defaults on the way are created.
    fn within(&mut self, path: &[ValueSegment]) -> Option<ValidatorCtx<'_>> {
        let (schema, point, name, state) = (self.schema, self.point, self.name, self.state);
        let mut table = &mut *self.table;
        let mut rest = path;
        while let Some((ValueSegment::Field(field), behind)) = rest.split_first() {
            rest = behind;
            let node = table.node.field(field)?;
            let mut value = view::given_or_default(table, node, point)?;
            while let Some((step @ (ValueSegment::Item(_) | ValueSegment::Key(_)), behind)) = rest.split_first() {
                value = part(value, step)?;
                rest = behind;
            }
            let ResolvedValue::Table(inner) = &mut value.value else { return None };
            table = inner;
        }
        // Replaced values are recorded only at the root of a config.
        let replaced = if path.is_empty() { self.replaced } else { None };
        rest.is_empty().then(|| ValidatorCtx::new(schema, table, name, state, replaced))
    }
}

impl CheckedTable for ValidatorCtx<'_> {
    fn get(&self, path: &[ValueSegment]) -> Seen {
        match self.find(path) {
            None => Seen::Missing,
            Some(Found::Table(table)) => Seen::Table(table.node),
            // What the declaration leaves open may be any object in Python. A check assigns what it has.
            Some(Found::Value(value, ty))
                if ty.is_none_or(|ty| ty.kind() == TypeKind::Any)
                    && value.origin.made_by().is_none()
                    && self.is_left_open(path) =>
            {
                Seen::Faulty
            }
            Some(Found::Value(value, ty)) => seen(&value.value, ty),
        }
    }

    fn given(&self, path: &[ValueSegment]) -> Vec<&'static str> {
        match self.find(path) {
            Some(Found::Table(table)) => {
                table.fields.iter().filter(|field| field.is_set).filter_map(|field| field.node.field_name()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn extras(&self, path: &[ValueSegment]) -> Option<Vec<(Arc<str>, Assigned)>> {
        let Some(Found::Table(table)) = self.find(path) else { return None };
        let keeps = table.node.at(self.point).is_some_and(|own| own.field_type().kind() == TypeKind::Table(Policy::Allow));
        // Where a base of the class could not be read, a key may be a field of it, with any object in Python.
        let is_open = self.state.is_open(table.node);
        let value = |raw: &RawNode| if is_open { Assigned::Unknown } else { free(&walk::free(raw.value.clone())) };
        let extra = |(key, raw): &(Box<str>, RawNode)| (Arc::from(&**key), value(raw));
        (keeps || !table.extra.is_empty()).then(|| table.extra.iter().map(extra).collect())
    }

    fn holds(&self, name: &str, key: &str) -> Option<bool> {
        (name.rsplit('.').next() == Some("MODEL_RENDERER_MAP")).then(|| mapped_models::is_mapped(key, self.point))
    }

    fn is_of(&self, path: &[ValueSegment], class: &str) -> Option<bool> {
        let Found::Table(table) = self.find(path)? else { return None };
        let tag = match class.strip_prefix("renderers.")?.rsplit('.').next()? {
            "AutoRendererConfig" => "auto",
            "DefaultRendererConfig" => "default",
            _ => return None,
        };
        matches!(table.node.segment(), Segment::Variant(_)).then(|| table.node.segment() == Segment::Variant(tag))
    }

    fn base_class(&self, path: &[ValueSegment]) -> Option<Node> {
        match self.find(path)? {
            Found::Table(table) if walk::shipped::is_class(table.node) => self.classes(path).into_iter().next(),
            _ => None,
        }
    }

    fn classes(&self, path: &[ValueSegment]) -> Vec<Node> {
        let Some(last) = path.iter().rposition(|step| matches!(step, ValueSegment::Field(_))) else { return Vec::new() };
        match self.find(&path[..last]) {
            Some(Found::Table(table)) => self.classes_below(table.node, &path[last..]),
            _ => Vec::new(),
        }
    }

    fn classes_below(&self, class: Node, path: &[ValueSegment]) -> Vec<Node> {
        let Some((ValueSegment::Field(name), items)) = path.split_first() else { return Vec::new() };
        let node = items.iter().try_fold(class.field(name), |node, step| {
            Some(match step {
                ValueSegment::Item(_) => node?.item(),
                _ => node?.map_value(),
            })
        });
        let Some(node) = node.flatten() else { return Vec::new() };
        std::iter::once(node).chain(node.variants(self.point)).chain(node.classes()).collect()
    }

    fn accepts(&self, class: Node, field: &str, value: &Assigned) -> Option<Result<(), String>> {
        let field = class.field(field)?;
        let interval = field.at(self.point)?;
        let raw = RawNode { value: self.raw(value)?, origin: Origin::Default };
        walk::accepts(self.schema, field, interval, raw)
    }

    fn shared(&self) -> Vec<(Vec<ValueSegment>, Vec<ValueSegment>)> {
        self.state.shared.borrow().clone()
    }

    fn share(&mut self, pairs: Vec<(Vec<ValueSegment>, Vec<ValueSegment>)>) {
        *self.state.shared.borrow_mut() = pairs;
    }

    fn remove(&mut self, path: &[ValueSegment]) {
        if let Some((ValueSegment::Key(key), way)) = path.split_last()
            && let Some((ValueSegment::Field(name), tables)) = way.split_last()
            && let Some(mut table) = self.within(tables)
        {
            table.remove_key(name, key);
        }
    }

    fn assign(&mut self, path: &[ValueSegment], value: Assigned, made_of: Option<&[ValueSegment]>) {
        let source = match made_of.and_then(|path| self.find(path)) {
            Some(Found::Value(value, _)) => value.origin,
            _ => Origin::Default,
        };
        let resolved = self.resolved(value);
        let Some((last, tables)) = path.split_last() else { return };
        match last {
            ValueSegment::Field(name) => {
                let Some(mut table) = self.within(tables) else { return };
                table.source = source;
                table.set(name, resolved);
            }
            ValueSegment::Item(_) | ValueSegment::Key(_) => {
                let fields = path.iter().rposition(|step| matches!(step, ValueSegment::Field(_)));
                let Some((way, below)) = fields.map(|at| path.split_at(at + 1)) else { return };
                let Some((ValueSegment::Field(name), tables)) = way.split_last() else { return };
                let Some(mut table) = self.within(tables) else { return };
                table.source = source;
                match below {
                    [ValueSegment::Key(key)] => table.set_key(name, key, resolved),
                    below => {
                        let assigned = table.assigned(resolved);
                        let inner = table.materialize(name).and_then(|whole| below.iter().try_fold(whole, part));
                        if let Some(inner) = inner {
                            *inner = assigned;
                        }
                    }
                }
            }
        }
    }
}

/// A value, or the table if it is one.
fn settled(value: &Resolved, ty: Option<FieldType>) -> Found<'_> {
    match &value.value {
        ResolvedValue::Table(table) => Found::Table(table),
        _ => Found::Value(value, ty),
    }
}

/// An item of a list, or an entry of a map, mutable.
fn part<'v>(value: &'v mut Resolved, step: &ValueSegment) -> Option<&'v mut Resolved> {
    match (step, &mut value.value) {
        (ValueSegment::Item(index), ResolvedValue::List(items)) => items.get_mut(*index),
        (ValueSegment::Key(key), ResolvedValue::Map(entries)) => Some(&mut entries.iter_mut().find(|(own, _)| **own == **key)?.1),
        _ => None,
    }
}

fn seen(value: &ResolvedValue, ty: Option<FieldType>) -> Seen {
    match value {
        ResolvedValue::Null => Seen::Null,
        ResolvedValue::Bool(value) => Seen::Bool(*value),
        ResolvedValue::Int(Integer::Small(value)) => Seen::Int(*value),
        ResolvedValue::Int(Integer::Big(_)) => Seen::Strange("an integer that does not fit in 64 bits"),
        ResolvedValue::Float(value) => Seen::Float(*value),
        ResolvedValue::Str(text) if ty.is_some_and(is_path) => Seen::Path(text.as_ref().into()),
        ResolvedValue::Str(text) => Seen::Str(text.as_ref().into()),
        ResolvedValue::Datetime(_) => Seen::Strange("a date"),
        ResolvedValue::List(items) => Seen::List(items.len()),
        ResolvedValue::Map(entries) => Seen::Map(entries.iter().map(|(key, _)| Arc::from(&**key)).collect()),
        ResolvedValue::Table(table) => Seen::Table(table.node),
        ResolvedValue::Invalid => Seen::Faulty,
    }
}

/// Whether a string of this type is a path in Python.
fn is_path(ty: FieldType) -> bool {
    match ty.kind() {
        TypeKind::Path => true,
        TypeKind::Union => {
            ty.members().any(is_path) && !ty.members().any(|member| matches!(member.kind(), TypeKind::Str | TypeKind::Literal))
        }
        _ => false,
    }
}

/// A value below a free key, without a type.
fn free(value: &ResolvedValue) -> Assigned {
    match value {
        ResolvedValue::Null => Assigned::Null,
        ResolvedValue::Bool(value) => Assigned::Bool(*value),
        ResolvedValue::Int(Integer::Small(value)) => Assigned::Int(*value),
        ResolvedValue::Float(value) => Assigned::Float(*value),
        ResolvedValue::Str(text) => Assigned::Str(text.as_ref().into()),
        ResolvedValue::List(items) => Assigned::List(items.iter().map(|item| free(&item.value)).collect()),
        ResolvedValue::Map(entries) => {
            Assigned::Map(entries.iter().map(|(key, value)| (key.as_ref().into(), free(&value.value))).collect())
        }
        _ => Assigned::Unknown,
    }
}
