//! Members of enumerations.

use std::{rc::Rc, sync::Arc};

use super::{
    heap, key,
    object::Object,
    run::{Frame, Outcome, Run},
    text,
};
use crate::hash::HashMap;
use crate::{
    ast::{ExprKind, Name, StmtKind},
    class::Class,
    names::Reader,
    value::Value,
};

/// The enumerations in some code, by class.
pub(super) type Enumerations = HashMap<usize, Arc<Enumeration>>;

/// An enumeration.
#[derive(Debug)]
pub(super) struct Enumeration {
    /// The names of its members with their values; `None` if they are unknown.
    members: Option<Vec<(Name, Value)>>,
    kind: Kind,
}

/// What members are beside being members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing else, so that they only equal themselves.
    Plain,
    /// Strings, whose text is that of the member: `Mode.FAST`.
    Str,
    /// Strings, whose text is the value.
    StrEnum,
    Int,
}

/// A member of an enumeration.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) class: Arc<Class>,
    pub(super) name: Name,
    pub(super) value: Object,
    kind: Kind,
}

impl Enumeration {
    pub(super) fn of(reader: &mut Reader<'_>, class: &Arc<Class>) -> Self {
        let mut bases = Vec::new();
        for home in class.line() {
            for base in &home.def.bases {
                if let Value::External(name) = reader.eval(&home.module, base, &[]) {
                    bases.push(name);
                }
            }
        }
        let has = |name: &str| bases.iter().any(|base| &**base == name);
        let kind = match () {
            () if has("enum.StrEnum") => Kind::StrEnum,
            () if has("enum.IntEnum") || has("builtins.int") => Kind::Int,
            () if has("builtins.str") => Kind::Str,
            () => Kind::Plain,
        };
        let mut members = Some(Vec::new());
        for stmt in &class.def.body {
            let StmtKind::Assign { targets, value } = &stmt.kind else { continue };
            let names = targets.iter().filter_map(|target| match &target.kind {
                ExprKind::Name(name) if !name.starts_with('_') => Some(Arc::clone(name)),
                _ => None,
            });
            for name in names.collect::<Vec<_>>() {
                let value = reader.eval(&class.module, value, &[]);
                let fits = match kind {
                    Kind::Plain => matches!(value, Value::Str(_) | Value::Int(_)),
                    Kind::Str | Kind::StrEnum => matches!(value, Value::Str(_)),
                    Kind::Int => matches!(value, Value::Int(_)),
                };
                // Two names with the same value are one member, by the first name.
                let is_new = |members: &Vec<(Name, Value)>| members.iter().all(|(_, own)| own.equals(&value) == Some(false));
                members = members.filter(|members| fits && is_new(members));
                members.iter_mut().for_each(|members| members.push((Arc::clone(&name), value.clone())));
            }
        }
        let has_own_ways = class.line().any(|home| home.functions().any(|function| function.name.starts_with('_')));
        Self { members: members.filter(|_| !has_own_ways), kind }
    }
}

impl Member {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.class.def, &other.class.def) && self.name == other.name
    }

    /// The string or the number that it is as well; `None` if it is only a member.
    pub(super) fn base(&self) -> Option<&Object> {
        (self.kind != Kind::Plain).then_some(&self.value)
    }

    /// The result of `str(member)`.
    pub(super) fn text(&self) -> Option<String> {
        match self.kind {
            Kind::StrEnum | Kind::Int => text::shown(&self.value),
            Kind::Plain | Kind::Str => Some(format!("{}.{}", self.class.name, self.name)),
        }
    }

    /// Whether `format(member)` has the text that `str` has in every Python.
    pub(super) fn is_formatted_as_text(&self) -> bool {
        self.kind != Kind::Str
    }
}

impl Object {
    /// A member of an enumeration of strings or numbers as the string or the number; any other object itself.
    pub(super) fn based(&self) -> &Self {
        match self {
            Self::Member(member) => member.base().unwrap_or(self),
            other => other,
        }
    }
}

impl Run<'_> {
    /// The members of an enumeration; `None` if they are unknown.
    pub(super) fn members(&self, class: &Arc<Class>) -> Option<Vec<Object>> {
        let known = self.code.enums.get(&key(class))?;
        heap::spend(known.members.as_ref()?.len() * 4);
        let member = |(name, value): &(Name, Value)| {
            let (class, name, value) = (Arc::clone(class), Arc::clone(name), Object::declared(value));
            Object::Member(Rc::new(Member { class, name, value, kind: known.kind }))
        };
        Some(known.members.as_ref()?.iter().map(member).collect())
    }

    /// The member of an enumeration with this name.
    pub(super) fn member_named(&self, class: &Arc<Class>, wanted: &str) -> Option<Object> {
        let is_it = |member: &Object| matches!(member, Object::Member(member) if &*member.name == wanted);
        self.members(class)?.into_iter().find(is_it)
    }

    /// The members of an enumeration with this value: at most one; `None` if they are unknown.
    fn members_of_value(&self, class: &Arc<Class>, value: &Object) -> Option<Vec<Object>> {
        let is_it =
            |member: &Object| matches!(member, Object::Member(member) if member.value.equals(value.based()) == Some(true));
        Some(self.members(class)?.into_iter().filter(is_it).collect())
    }

    /// Calls an enumeration: the member with a value.
    pub(super) fn call_enum(&self, frame: &Frame, line: u32, class: &Arc<Class>, given: &Object) -> Outcome<Object> {
        match given {
            Object::Member(member) if Arc::ptr_eq(&member.class.def, &class.def) => return Ok(given.clone()),
            Object::Unknown(_) => return Ok(given.clone()),
            _ => {}
        }
        match self.members_of_value(class, given).as_deref() {
            Some([member, ..]) => Ok(member.clone()),
            Some([]) => {
                let said = format!("{} is not a valid {}", text::quoted(given).unwrap_or_default(), class.name);
                Err(self.raised(frame, line, "ValueError", said))
            }
            None => Ok(self.unknown(frame, line, format!("an instance of `{}`", class.name))),
        }
    }

    /// A value of the config as the object that its type makes of it in Python: a tuple, a set, or a member of an enumeration.
    pub(super) fn typed(&self, object: Object, annotation: &Value, depth: usize) -> Object {
        let strange = |why: &str| Object::Unknown(self.strange_why(why));
        let Some(depth) = depth.checked_sub(1) else { return strange("a value that is nested too deeply") };
        match (&object, annotation) {
            (Object::Unknown(_) | Object::None | Object::Table(..), _) => object,
            (_, Value::Union(members)) => self.of_union(object, members, depth),
            (_, Value::Generic(name, members)) => match (name.rsplit('.').next().unwrap_or_default(), &object) {
                ("Optional" | "Union", _) => self.of_union(object, members, depth),
                ("Annotated", _) => match members.first() {
                    Some(inner) => self.typed(object, inner, depth),
                    None => object,
                },
                ("tuple" | "Tuple", Object::List(list)) => {
                    let member = |at: usize| match &**members {
                        [inner, Value::Ellipsis] => Some(inner),
                        members => members.get(at),
                    };
                    let items = list.value.borrow().clone().into_iter().enumerate();
                    Object::tuple(items.map(|(at, item)| self.typed_by(item, member(at), depth)).collect())
                }
                ("set" | "Set" | "frozenset" | "FrozenSet", Object::List(list)) => {
                    let items = list.value.borrow().clone();
                    super::equality::set_of(items.into_iter().map(|item| self.typed_by(item, members.first(), depth)).collect())
                }
                (_, Object::List(list)) => {
                    let items = list.value.borrow().clone();
                    let items = items.into_iter().map(|item| self.typed_by(item, members.first(), depth)).collect();
                    *list.value.borrow_mut() = items;
                    object
                }
                (_, Object::Dict(dict)) => {
                    let entries = dict.value.borrow().clone();
                    let entries = entries.into_iter().map(|(key, value)| {
                        (self.typed_by(key, members.first(), depth), self.typed_by(value, members.get(1), depth))
                    });
                    let entries: Vec<(Object, Object)> = entries.collect();
                    *dict.value.borrow_mut() = entries;
                    object
                }
                _ => object,
            },
            (Object::Str(_) | Object::Int(_), Value::Class(class)) if class.is_enum => {
                match self.members_of_value(class, &object).as_deref() {
                    Some([member, ..]) => member.clone(),
                    _ => strange("a value of an enumeration"),
                }
            }
            (Object::Str(_), Value::External(name)) if matches!(&**name, "builtins.int" | "builtins.float") => {
                strange("a key that is not a string")
            }
            (Object::List(list), Value::External(name)) => match &**name {
                "builtins.tuple" => Object::tuple(list.value.borrow().clone()),
                "builtins.set" | "builtins.frozenset" => super::equality::set_of(list.value.borrow().clone()),
                _ => object,
            },
            // A check may assign a plain value to a table; another class makes an unknown object of it.
            (Object::Bool(_) | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::Path(_), Value::Class(class))
                if class.is_model && !class.is_enum =>
            {
                object
            }
            (_, Value::Class(_)) | (Object::List(_) | Object::Dict(_), Value::Unknown(_)) => {
                strange("a value whose type is not understood")
            }
            _ => object,
        }
    }

    fn typed_by(&self, object: Object, member: Option<&Value>, depth: usize) -> Object {
        match member {
            Some(member) => self.typed(object, member, depth),
            None => object,
        }
    }

    /// A value of one of several types.
    fn of_union(&self, object: Object, members: &[Value], depth: usize) -> Object {
        let mut others = members.iter().filter(|member| !matches!(member, Value::None));
        let (Some(first), second) = (others.next(), others.next()) else { return object };
        if second.is_none() {
            return self.typed(object, first, depth);
        }
        // Of several types it is known only for plain ones which of them a value has.
        let is_plain = |member: &Value| match member {
            Value::Class(class) => class.is_model,
            Value::External(name) => !matches!(&**name, "builtins.tuple" | "builtins.set" | "builtins.frozenset"),
            Value::Generic(name, inner) => {
                let name = name.rsplit('.').next().unwrap_or_default();
                let is_simple = |inner: &Value| matches!(inner, Value::External(_) | Value::Class(_) | Value::None);
                name == "Literal" || (matches!(name, "list" | "List" | "dict" | "Dict") && inner.iter().all(is_simple))
            }
            Value::None => true,
            _ => false,
        };
        if members.iter().all(is_plain) || matches!(object, Object::Bool(_) | Object::Float(_)) {
            return object;
        }
        let is_enum = |member: &Value| matches!(member, Value::Class(class) if class.is_enum);
        match object {
            Object::Str(_) | Object::Int(_) if !members.iter().any(is_enum) => object,
            _ => Object::Unknown(self.strange_why("a value of one of several types")),
        }
    }
}

/// Adds the enumerations that a type mentions.
pub(super) fn enums_in<'v>(annotation: &'v Value, found: &mut Vec<&'v Arc<Class>>) {
    match annotation {
        Value::Class(class) if class.is_enum => found.push(class),
        Value::Union(members) | Value::Generic(_, members) => members.iter().for_each(|member| enums_in(member, found)),
        _ => {}
    }
}
