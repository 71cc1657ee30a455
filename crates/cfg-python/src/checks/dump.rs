//! `model_dump`: a table as a dict, and the tables in it as dicts too. [`Run::undumped`] is the way back.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Open, Reason};

use super::{
    call::Named,
    heap,
    object::{DEEPEST, Object, Shared, Why},
    places::Where,
    run::Run,
};
use crate::{
    ast::{Expr, ExprKind, Name},
    class::Class,
    field::Field,
    value::Value,
};

/// Decorators of functions that decide what a table is dumped as.
const SERIALIZERS: [&str; 3] = ["model_serializer", "field_serializer", "computed_field"];

/// Which fields are dumped, and how.
#[derive(Clone, Copy)]
struct Dumped {
    given_alone: bool,
    without_none: bool,
    is_json: bool,
}

impl Run<'_> {
    /// The result of `model_dump` with these arguments; `None` if they, or the class, are not modelled.
    pub(super) fn dumped(&self, of: &Object, named: &Named) -> Option<Object> {
        let given = |word: &str| named.iter().find(|(name, _)| &**name == word).map(|(_, (value, _))| value);
        let asks = |word: &str| given(word).map_or(Some(false), |value| value.truth().ok());
        if named.iter().any(|(name, _)| !matches!(&**name, "exclude_unset" | "exclude_none" | "mode")) {
            return None;
        }
        let is_json = match given("mode") {
            None => false,
            Some(Object::Str(mode)) if matches!(&**mode, "python" | "json") => &**mode == "json",
            Some(_) => return None,
        };
        let which = Dumped { given_alone: asks("exclude_unset")?, without_none: asks("exclude_none")?, is_json };
        match self.entries_of(of, which, 0) {
            Ok(entries) => Some(Object::dict(entries)),
            Err(why) => why.map(Object::Unknown),
        }
    }

    /// The entries of the dump of a table. An error says why they are unknown; it is `None` if the class is not modelled.
    fn entries_of(&self, of: &Object, which: Dumped, depth: usize) -> Result<Vec<(Object, Object)>, Option<Why>> {
        let class = self.class_of(of).filter(|class| class.partial.is_none() && class.opaque.is_none()).ok_or(None)?;
        let given = self.given_alone(of).filter(|_| depth <= DEEPEST && !has_decorated(&class, &SERIALIZERS)).ok_or(None)?;
        let mut entries = Vec::new();
        let fields = self.code.fields(&class).ok_or(None)?;
        heap::spend(fields.len() + fields.len() * given.len() / 8);
        for field in fields {
            if field.is_hidden {
                continue;
            }
            if may_be_hidden(field) {
                return Err(None);
            }
            if which.given_alone && !given.contains(&field.name) {
                continue;
            }
            let value = self.value_of(of, &field.name).ok_or(None)?;
            let is_serialized = field.metadata.iter().chain([&field.annotation]).any(serializes);
            let value = if is_serialized { Object::Unknown(undumpable()) } else { value };
            match &value {
                // It may be `None`, which is left out.
                Object::Unknown(why) if which.without_none => return Err(Some(Rc::clone(why))),
                Object::None if which.without_none => continue,
                _ => {}
            }
            entries.push((Object::Str(Arc::clone(&field.name)), self.part(&value, &field.annotation, which, depth + 1)));
        }
        Ok(entries)
    }

    /// The names of the fields of a table that were given; `None` if it also keeps keys without a field, or is no table.
    pub(super) fn given_alone(&self, of: &Object) -> Option<Vec<Name>> {
        let home = match (self.whereabouts(of), of) {
            (Where::At(place), _) => place,
            (Where::Nowhere, Object::New(new)) => {
                let not_given = new.not_given.borrow();
                let given = new.given.borrow();
                let names = given.iter().map(|(name, _)| name).filter(|name| !not_given.contains(*name));
                return Some(names.cloned().collect());
            }
            _ => return None,
        };
        let has_extras = self.table.extras(&home).is_some_and(|extras| !extras.is_empty());
        (!has_extras).then(|| self.table.given(&home).into_iter().map(Name::from).collect())
    }

    /// What a value of a field is dumped as.
    fn part(&self, value: &Object, annotation: &Value, which: Dumped, depth: usize) -> Object {
        // A container can contain itself, or be shared by many others.
        if depth > DEEPEST || !heap::spend(1) {
            return Object::Unknown(undumpable());
        }
        let all = |items: &[Object]| items.iter().map(|item| self.part(item, annotation, which, depth + 1)).collect::<Vec<_>>();
        match value {
            Object::Table(..) | Object::New(_) => {
                // Of a derived class, pydantic dumps the fields of the declared one.
                let is_declared = self.class_of(value).is_some_and(|class| declares(annotation, &class));
                let entries = if is_declared { self.entries_of(value, which, depth) } else { Err(None) };
                let lost = entries.as_ref().err().map(|why| why.clone().unwrap_or_else(undumpable));
                let dict = Shared::new(entries.unwrap_or_default(), None);
                heap::keep_entries(&dict);
                *dict.lost.borrow_mut() = lost;
                *dict.dump_of.borrow_mut() = Some(value.clone());
                Object::Dict(dict)
            }
            Object::List(list) if list.lost.borrow().is_none() => {
                let items = Shared::new(all(&list.value.borrow()), None);
                heap::keep_items(&items);
                *items.dump_of.borrow_mut() = Some(value.clone());
                Object::List(items)
            }
            Object::Dict(dict) if dict.lost.borrow().is_none() => {
                let (entries, is_text) = (dict.value.borrow(), |(key, _): &(Object, Object)| matches!(key, Object::Str(_)));
                if which.is_json && !entries.iter().all(is_text) {
                    return Object::Unknown(undumpable());
                }
                let entry = |(key, value): &(Object, Object)| (key.clone(), self.part(value, annotation, which, depth + 1));
                Object::dict(entries.iter().map(entry).collect())
            }
            Object::Tuple(items) if which.is_json => Object::list(all(items)),
            Object::Tuple(items) => Object::tuple(all(items)),
            Object::Path(text) if which.is_json => Object::Str(Arc::clone(text)),
            Object::Float(number) if which.is_json && !number.is_finite() => Object::Unknown(undumpable()),
            Object::Set(set) if set.lost.borrow().is_none() && !which.is_json => Object::set(set.value.borrow().clone()),
            Object::List(_) | Object::Dict(_) | Object::Set(_) => Object::Unknown(undumpable()),
            _ => value.clone(),
        }
    }

    /// The value that pydantic makes of a value for a field: the dump of a table is that table, if the new one is the same with the same given
    /// fields. Otherwise it is the value itself, which is not a table yet.
    pub(super) fn undumped(&self, value: Object, field: &Field) -> Object {
        let of = match &value {
            Object::Dict(dict) => dict.dump_of.borrow().clone(),
            Object::List(list) if has_table(list) => list.dump_of.borrow().clone(),
            _ => None,
        };
        match of {
            // The new table has values of its own.
            Some(of) if self.rebuilds(&value, &of, &field.annotation, field.discriminator.as_ref(), 0) => {
                self.deep_copy(&of).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// Whether a field with this type makes of a value the same as another value, of which the first one may be a dump.
    fn rebuilds(&self, value: &Object, of: &Object, annotation: &Value, discriminator: Option<&Value>, depth: usize) -> bool {
        if depth > DEEPEST || !heap::spend(1) {
            return false;
        }
        let all = |items: &[Object], of: &[Object]| {
            let inner = item_of(annotation);
            let mut pairs = items.iter().zip(of);
            items.len() == of.len() && pairs.all(|(item, of)| self.rebuilds(item, of, inner, None, depth + 1))
        };
        match (value, of) {
            (Object::Dict(dict), Object::Table(..) | Object::New(_)) => {
                let (Some(class), Some(given)) = (self.class_of(of), self.given_alone(of)) else { return false };
                let entries = dict.value.borrow();
                let is_rebuilt = |(key, value): &(Object, Object)| {
                    let Object::Str(key) = key else { return false };
                    let field =
                        self.code.field(&class, key).filter(|field| field.aliases.is_empty() || field.aliases.contains(key));
                    let (Some(field), Some(of)) = (field.filter(|_| given.contains(key)), self.value_of(of, key)) else {
                        return false;
                    };
                    self.rebuilds(value, &of, &field.annotation, field.discriminator.as_ref(), depth + 1)
                };
                dict.lost.borrow().is_none()
                    && self.is_made_of_given(&class, of)
                    && takes(annotation, &class, discriminator, &entries)
                    && entries.len() == given.len()
                    && entries.iter().all(is_rebuilt)
            }
            (Object::List(list), Object::List(of)) => {
                Rc::ptr_eq(list, of)
                    || (list.lost.borrow().is_none()
                        && of.lost.borrow().is_none()
                        && all(&list.value.borrow(), &of.value.borrow()))
            }
            (Object::Tuple(items), Object::Tuple(of)) => all(items, of),
            (Object::Dict(dict), Object::Dict(of)) if !Rc::ptr_eq(dict, of) => {
                let (entries, others, inner) = (dict.value.borrow(), of.value.borrow(), item_of(annotation));
                let is_entry = |((key, value), (own, of)): (&(Object, Object), &(Object, Object))| {
                    key.is_same(own) && self.rebuilds(value, of, inner, None, depth + 1)
                };
                dict.lost.borrow().is_none()
                    && of.lost.borrow().is_none()
                    && entries.len() == others.len()
                    && entries.iter().zip(others.iter()).all(is_entry)
            }
            (Object::Set(_), Object::Set(_)) => value.equals(of) == Some(true),
            (Object::Unknown(why), Object::Unknown(of)) => why == of,
            _ => value.is_same(of),
        }
    }

    /// Whether the given values alone decide about a table of a class: no check runs again on what it may have changed, and nothing else is kept.
    fn is_made_of_given(&self, class: &Arc<Class>, of: &Object) -> bool {
        const VALIDATORS: [&str; 4] = ["model_validator", "field_validator", "validator", "root_validator"];
        let home = match self.whereabouts(of) {
            Where::At(place) => Some(place),
            Where::Nowhere | Where::Gone => None,
        };
        let is_plain = |field: &Field| {
            let mut parts = field.metadata.iter().chain([&field.annotation]);
            !field.is_hidden && !may_be_hidden(field) && !parts.any(|part| calls(part, "Validator"))
        };
        class.partial.is_none()
            && class.opaque.is_none()
            && !class.is_settings
            && !has_decorated(class, &VALIDATORS)
            && self.code.fields(class).is_some_and(|fields| fields.iter().all(is_plain))
            && !self.private.keys().any(|(place, _)| home.as_ref() == Some(place))
    }
}

/// Whether a type makes tables of parts of a value that are dicts still.
pub(super) fn makes_tables(annotation: &Value, value: &Object) -> bool {
    let any = |members: &[Value], value: &Object| members.iter().any(|member| makes_tables(member, value));
    let is_same =
        |name: &str| matches!(name, "typing.Optional" | "typing.Union" | "typing.Annotated" | "pydantic.SerializeAsAny");
    if !heap::spend(1) {
        return true;
    }
    match (annotation, value) {
        (Value::Class(class), Object::Dict(_)) => class.is_model,
        (Value::Union(members), _) => any(members, value),
        (Value::Generic(name, members), _) if is_same(name) => any(members, value),
        (Value::Generic(_, members), Object::List(items)) => items.value.borrow().iter().any(|item| any(members, item)),
        (Value::Generic(_, members), Object::Tuple(items)) => items.iter().any(|item| any(members, item)),
        (Value::Generic(_, members), Object::Dict(dict)) => dict.value.borrow().iter().any(|(_, value)| any(members, value)),
        _ => false,
    }
}

fn undumpable() -> Why {
    Rc::new(Open { why: "what `model_dump` makes of a table".to_owned(), place: String::new(), reason: Reason::Code })
}

/// Whether a list has items that are dumps of tables.
fn has_table(list: &Shared<Vec<Object>>) -> bool {
    list.value.borrow().iter().any(|item| matches!(item, Object::Dict(dict) if dict.dump_of.borrow().is_some()))
}

/// Whether a function of a class has one of these decorators. The validators of the package `pydantic_config` leave validated values as they are.
fn has_decorated(class: &Arc<Class>, words: &[&str]) -> bool {
    let is_one = |decorator: &Expr| last(decorator).is_some_and(|name| words.contains(&&**name));
    let own = class.line().filter(|home| home.module.name.split('.').next() != Some("pydantic_config"));
    own.into_iter().any(|home| home.functions().any(|function| function.decorators.iter().any(is_one)))
}

/// Whether it depends on the value, or is unknown, whether a field is left out of dumps.
fn may_be_hidden(field: &Field) -> bool {
    field.metadata.iter().any(|item| match item {
        Value::Call(call) => {
            call.keyword("exclude").is_some_and(|value| value.truth().is_none())
                || call.keyword("exclude_if").is_some_and(|value| !matches!(value, Value::None))
        }
        _ => false,
    })
}

/// Whether a part of a type decides what values are dumped as, or may do so.
fn serializes(part: &Value) -> bool {
    calls(part, "Serializer")
}

/// Whether a part of a type is a call of a class with this end of its name, or is unknown.
fn calls(part: &Value, end: &str) -> bool {
    match part {
        Value::Call(call) => call.last().ends_with(end),
        Value::Unknown(_) => true,
        Value::Union(members) | Value::Generic(_, members) => members.iter().any(|member| calls(member, end)),
        _ => false,
    }
}

/// Whether a type names a class itself, so that all fields of its instances are dumped.
fn declares(annotation: &Value, class: &Class) -> bool {
    match annotation {
        Value::Class(own) => Arc::as_ptr(&own.def) == Arc::as_ptr(&class.def),
        Value::Generic(name, members) if &**name == "pydantic.SerializeAsAny" => {
            members.iter().any(|member| matches!(member, Value::Class(own) if class.is_a(own)))
        }
        Value::Union(members) | Value::Generic(_, members) => members.iter().any(|member| declares(member, class)),
        _ => false,
    }
}

/// Whether a type makes an instance of this class of a dict with these entries.
fn takes(annotation: &Value, class: &Class, discriminator: Option<&Value>, entries: &[(Object, Object)]) -> bool {
    match annotation {
        Value::Class(_) => declares(annotation, class),
        Value::Generic(name, members) if &**name == "typing.Annotated" => {
            let Some((inner, more)) = members.split_first() else { return false };
            let stated = more.iter().find_map(|item| match item {
                Value::Call(call) if call.last() == "Field" => call.keyword("discriminator"),
                _ => None,
            });
            takes(inner, class, stated.or(discriminator), entries)
        }
        Value::Union(members) | Value::Generic(_, members) if is_union(annotation) => {
            let tables: Vec<&Value> = members.iter().filter(|member| !matches!(member, Value::None)).collect();
            // Of several classes, only a tag that is among the values decides which it is.
            let is_tagged = discriminator.and_then(Value::as_str).is_some_and(|tag| {
                let is_tag = |(key, _): &(Object, Object)| matches!(key, Object::Str(key) if &**key == tag);
                entries.iter().any(is_tag)
            });
            tables.iter().all(|member| matches!(member, Value::Class(_)))
                && tables.iter().any(|member| declares(member, class))
                && (tables.len() == 1 || is_tagged)
        }
        _ => false,
    }
}

fn is_union(annotation: &Value) -> bool {
    match annotation {
        Value::Union(_) => true,
        Value::Generic(name, _) => matches!(&**name, "typing.Optional" | "typing.Union"),
        _ => false,
    }
}

/// The type of the items of a list, or of the values of a dict.
fn item_of(annotation: &Value) -> &Value {
    match annotation {
        Value::Union(members) | Value::Generic(_, members) if is_union(annotation) => {
            let mut others = members.iter().filter(|member| !matches!(member, Value::None));
            match (others.next(), others.next()) {
                (Some(only), None) => item_of(only),
                _ => &Value::None,
            }
        }
        Value::Generic(_, members) => members.iter().rfind(|member| !matches!(member, Value::Ellipsis)).unwrap_or(&Value::None),
        _ => &Value::None,
    }
}

/// The last part of the name of a decorator.
fn last(decorator: &Expr) -> Option<&Name> {
    match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
        ExprKind::Call(call) => last(&call.function),
        _ => None,
    }
}
