//! `model_dump`: a table as a dict, and the tables in it as dicts too.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Open, Reason};

use super::{
    call::Named,
    heap,
    object::{DEEPEST, Object, Shared, Why},
    run::Run,
};
use crate::{
    ast::{Expr, ExprKind, Name},
    class::Class,
    value::Value,
};

/// Decorators of functions that decide what a table is dumped as.
const SERIALIZERS: [&str; 3] = ["model_serializer", "field_serializer", "computed_field"];

/// What a dict or a list is the dump of.
#[derive(Debug)]
pub(super) struct Dump {
    /// The table, or the list.
    of: Object,
    /// The dump as it was made: a copy that no code can change.
    made: Object,
}

/// Which fields are dumped.
#[derive(Clone, Copy)]
struct Dumped {
    given_alone: bool,
    without_none: bool,
}

impl Run<'_> {
    /// The result of `model_dump` with these arguments; `None` if that is unknown.
    pub(super) fn dumped(&self, of: &Object, named: &Named) -> Option<Object> {
        let asks = |word: &str| {
            let asked = named.iter().find(|(name, _)| &**name == word);
            asked.map_or(Some(false), |(_, (value, _))| value.truth().ok())
        };
        if named.iter().any(|(name, _)| !matches!(&**name, "exclude_unset" | "exclude_none" | "mode")) {
            return None;
        }
        let which = Dumped { given_alone: asks("exclude_unset")?, without_none: asks("exclude_none")? };
        self.entries_of(of, which, 0).map(Object::dict)
    }

    /// The entries of the dump of a table.
    fn entries_of(&self, of: &Object, which: Dumped, depth: usize) -> Option<Vec<(Object, Object)>> {
        let class = self.class_of(of).filter(|class| class.partial.is_none() && class.opaque.is_none())?;
        let decides = |decorator: &Expr| last(decorator).is_some_and(|name| SERIALIZERS.contains(&&**name));
        if class.line().any(|home| home.functions().any(|function| function.decorators.iter().any(decides))) {
            return None;
        }
        let (given, extras): (Vec<Name>, _) = match of {
            Object::Table(place) => (self.table.given(place).into_iter().map(Name::from).collect(), self.table.extras(place)),
            Object::New(new) => match &*new.home.borrow() {
                Some(place) => (self.table.given(place).into_iter().map(Name::from).collect(), self.table.extras(place)),
                None => (new.given.borrow().iter().map(|(name, _)| Arc::clone(name)).collect(), None),
            },
            _ => return None,
        };
        if depth > DEEPEST || extras.is_some_and(|extras| !extras.is_empty()) {
            return None;
        }
        let mut entries = Vec::new();
        for field in self.code.fields(&class)?.iter().filter(|field| !field.is_hidden) {
            let value = self.value_of(of, &field.name)?;
            if (which.given_alone && !given.contains(&field.name)) || (which.without_none && matches!(value, Object::None)) {
                continue;
            }
            entries.push((Object::Str(Arc::clone(&field.name)), self.part(&value, &field.annotation, which, depth + 1)));
        }
        Some(entries)
    }

    /// What a value of a field is dumped as.
    fn part(&self, value: &Object, annotation: &Value, which: Dumped, depth: usize) -> Object {
        // A container can contain itself, or be shared by many others.
        if depth > DEEPEST || !heap::spend(1) {
            return Object::Unknown(undumpable());
        }
        let all = |items: &[Object]| items.iter().map(|item| self.part(item, annotation, which, depth + 1)).collect::<Vec<_>>();
        match value {
            Object::Table(_) | Object::New(_) => {
                // Of a derived class, pydantic dumps the fields of the declared one.
                let is_declared = self.class_of(value).is_some_and(|class| declares(annotation, &class));
                let entries = if is_declared { self.entries_of(value, which, depth) } else { None };
                let lost = if entries.is_some() { None } else { Some(undumpable()) };
                let dict = Shared::new(entries.unwrap_or_default(), None);
                heap::keep_entries(&dict);
                *dict.lost.borrow_mut() = lost;
                let made = copied(&Object::Dict(Rc::clone(&dict)), 0);
                *dict.dump.borrow_mut() = Some(Rc::new(Dump { of: value.clone(), made }));
                Object::Dict(dict)
            }
            Object::List(list) if list.lost.borrow().is_none() => {
                let items = Shared::new(all(&list.value.borrow()), None);
                heap::keep_items(&items);
                let made = copied(&Object::List(Rc::clone(&items)), 0);
                *items.dump.borrow_mut() = Some(Rc::new(Dump { of: value.clone(), made }));
                Object::List(items)
            }
            Object::Dict(dict) if dict.lost.borrow().is_none() => {
                let entry = |(key, value): &(Object, Object)| (key.clone(), self.part(value, annotation, which, depth + 1));
                Object::dict(dict.value.borrow().iter().map(entry).collect())
            }
            Object::Tuple(items) => Object::tuple(all(items)),
            _ => value.clone(),
        }
    }
}

impl Object {
    /// The table or the list of which the object is an unchanged dump, otherwise the object itself: a new table accepts both alike.
    pub(super) fn undumped(self) -> Self {
        let dump = match &self {
            Self::Dict(dict) => dict.dump.borrow().clone(),
            Self::List(list) => list.dump.borrow().clone(),
            _ => None,
        };
        match dump {
            Some(dump) if is_alike(&self, &dump.made) => dump.of.clone(),
            _ => self,
        }
    }
}

fn undumpable() -> Why {
    Rc::new(Open { why: "what `model_dump` makes of a table".to_owned(), place: String::new(), reason: Reason::Code })
}

/// A copy of a value, with copies of the containers in it.
fn copied(value: &Object, depth: usize) -> Object {
    if depth > DEEPEST || !heap::spend(1) {
        return Object::Unknown(undumpable());
    }
    let all = |items: &[Object]| items.iter().map(|item| copied(item, depth + 1)).collect::<Vec<_>>();
    match value {
        Object::List(list) if list.lost.borrow().is_none() => Object::list(all(&list.value.borrow())),
        Object::Dict(dict) => {
            let entries = dict.value.borrow().iter().map(|(key, value)| (key.clone(), copied(value, depth + 1))).collect();
            let copy = Shared::new(entries, None);
            heap::keep_entries(&copy);
            (*copy.lost.borrow_mut()).clone_from(&dict.lost.borrow());
            Object::Dict(copy)
        }
        Object::Tuple(items) => Object::tuple(all(items)),
        _ => value.clone(),
    }
}

/// Whether a value is the same as one that was copied from it, unknown parts included.
fn is_alike(one: &Object, other: &Object) -> bool {
    let all = |one: &[Object], other: &[Object]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_alike(one, other))
    };
    match (one, other) {
        (Object::Unknown(one), Object::Unknown(other)) => Rc::ptr_eq(one, other),
        (Object::List(one), Object::List(other)) if !Rc::ptr_eq(one, other) => {
            are_lost_alike(one.lost.borrow().as_ref(), other.lost.borrow().as_ref())
                && all(&one.value.borrow(), &other.value.borrow())
        }
        (Object::Dict(one), Object::Dict(other)) if !Rc::ptr_eq(one, other) => {
            let (entries, others) = (one.value.borrow(), other.value.borrow());
            let is_entry =
                |((key, value), (own, known)): (&(Object, Object), &(Object, Object))| key.is_same(own) && is_alike(value, known);
            are_lost_alike(one.lost.borrow().as_ref(), other.lost.borrow().as_ref())
                && entries.len() == others.len()
                && entries.iter().zip(others.iter()).all(is_entry)
        }
        (Object::Tuple(one), Object::Tuple(other)) => all(one, other),
        _ => one.is_same(other),
    }
}

fn are_lost_alike(one: Option<&Why>, other: Option<&Why>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
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

/// The last part of the name of a decorator.
fn last(decorator: &Expr) -> Option<&Name> {
    match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
        ExprKind::Call(call) => last(&call.function),
        _ => None,
    }
}
