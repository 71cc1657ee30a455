//! Equality of objects, and what depends on it: membership, and keys of dicts.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Open, Reason};

use super::{
    heap,
    object::{DEEPEST, Object},
};

impl Object {
    /// Whether two objects are equal; `None` if that is unknown.
    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        self.equals_within(other, DEEPEST)
    }

    fn equals_within(&self, other: &Self, depth: usize) -> Option<bool> {
        let letters = if let (Self::Str(one), Self::Str(_)) = (self, other) { one.len() / 64 } else { 0 };
        if depth == 0 || !heap::spend(1 + letters) {
            return None;
        }
        let depth = depth - 1;
        let all = |one: &[Self], other: &[Self]| {
            if one.len() != other.len() {
                return Some(false);
            }
            let pairs: Vec<Option<bool>> = one.iter().zip(other).map(|(one, other)| one.equals_within(other, depth)).collect();
            if pairs.contains(&Some(false)) { Some(false) } else { pairs.into_iter().collect::<Option<Vec<_>>>().map(|_| true) }
        };
        Some(match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Str(one), Self::Str(other))
            | (Self::Path(one), Self::Path(other))
            | (Self::External(one), Self::External(other)) => one == other,
            (Self::Tuple(one), Self::Tuple(other)) => return all(one, other),
            (Self::List(_), Self::List(_)) => return all(&self.items().ok()?, &other.items().ok()?),
            (Self::Set(_), Self::Set(_)) => {
                let (one, other) = (self.items().ok()?, other.items().ok()?);
                let within = |all: &[Self], of: &[Self]| {
                    all.iter().map(|item| contains(of, item)).collect::<Option<Vec<bool>>>().map(|found| !found.contains(&false))
                };
                within(&one, &other)? && within(&other, &one)?
            }
            (Self::Dict(one), Self::Dict(other)) => {
                if one.lost.borrow().is_some() || other.lost.borrow().is_some() {
                    return None;
                }
                let (one, other) = (one.value.borrow(), other.value.borrow());
                if one.len() != other.len() {
                    return Some(false);
                }
                let mut is_known = true;
                for (key, value) in one.iter() {
                    match lookup(&other, key).map(|found| found.map(|own| own.equals_within(value, depth))) {
                        Ok(Some(Some(true))) => {}
                        Ok(Some(None)) | Err(()) => is_known = false,
                        Ok(Some(Some(false)) | None) => return Some(false),
                    }
                }
                return is_known.then_some(true);
            }
            (Self::Member(one), Self::Member(other)) if one.is_same(other) => true,
            (Self::Member(one), Self::Member(other)) => {
                let bases = one.base().zip(other.base());
                return bases.map_or(Some(false), |(one, other)| one.equals_within(other, depth));
            }
            (Self::Member(member), Self::Str(_) | Self::Int(_) | Self::Bool(_) | Self::Float(_))
            | (Self::Str(_) | Self::Int(_) | Self::Bool(_) | Self::Float(_), Self::Member(member)) => {
                let other = if matches!(self, Self::Member(_)) { other } else { self };
                return member.base().map_or(Some(false), |base| base.equals_within(other, depth));
            }
            (Self::Table(one, version), Self::Table(other, number)) if one == other && version == number => true,
            (Self::New(one), Self::New(other)) if Rc::ptr_eq(one, other) => true,
            (Self::Unknown(_), _) | (_, Self::Unknown(_)) | (Self::Table(..) | Self::New(_), Self::Table(..) | Self::New(_)) => {
                return None;
            }
            (Self::Class(one), Self::Class(other)) => Arc::ptr_eq(&one.def, &other.def),
            (one, other) => match (one.as_int().zip(other.as_int()), one.as_float().zip(other.as_float())) {
                (Some((one, other)), _) => one == other,
                (None, Some((one, other))) => one.partial_cmp(&other) == Some(std::cmp::Ordering::Equal),
                _ if one.is_plain() && other.is_plain() => false,
                _ => return None,
            },
        })
    }

    /// Whether the equality of its type with other types is known.
    const fn is_plain(&self) -> bool {
        self.is_builtin() || matches!(self, Self::Path(_) | Self::Table(..) | Self::New(_) | Self::Member(_))
    }

    /// Whether its type is one of Python's own.
    pub(super) const fn is_builtin(&self) -> bool {
        matches!(
            self,
            Self::None
                | Self::Bool(_)
                | Self::Int(_)
                | Self::Float(_)
                | Self::Str(_)
                | Self::List(_)
                | Self::Tuple(_)
                | Self::Set(_)
                | Self::Dict(_)
        )
    }

    /// Whether it is the same object, so that it stays known after two branches.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(one), Self::List(other))
            | (Self::Set(one), Self::Set(other))
            | (Self::Iterator(one), Self::Iterator(other)) => Rc::ptr_eq(one, other),
            (Self::Dict(one), Self::Dict(other)) => Rc::ptr_eq(one, other),
            (Self::Function(_, one, _), Self::Function(_, other, _)) => Arc::ptr_eq(one, other),
            (Self::Module(one), Self::Module(other)) => one == other,
            _ => self.equals(other) == Some(true) && std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// Whether an object is among others; `None` if that is unknown.
pub(super) fn contains(all: &[Object], wanted: &Object) -> Option<bool> {
    // If nothing is left, no item is looked at.
    if !heap::spend(all.len()) {
        return None;
    }
    let found: Vec<Option<bool>> = all.iter().map(|item| item.equals(wanted)).collect();
    if found.contains(&Some(true)) {
        Some(true)
    } else if found.contains(&None) {
        None
    } else {
        Some(false)
    }
}

/// A set of these objects. Which of them are the same is unknown if one of them is.
pub(super) fn set_of(items: Vec<Object>) -> Object {
    let mut all: Vec<Object> = Vec::new();
    let mut unknown = None;
    for item in items {
        match contains(&all, &item) {
            Some(true) => {}
            Some(false) => all.push(item),
            None => {
                unknown.get_or_insert(match &item {
                    Object::Unknown(why) => Object::Unknown(Rc::clone(why)),
                    _ => item,
                });
            }
        }
    }
    match unknown {
        None => Object::set(all),
        Some(unknown @ Object::Unknown(_)) => unknown,
        Some(_) => all.into_iter().find(|item| matches!(item, Object::Unknown(_))).unwrap_or_else(|| {
            let why = "whether items of a set are equal".to_owned();
            Object::Unknown(Rc::new(Open { why, place: String::new(), reason: Reason::Code }))
        }),
    }
}

/// Puts an entry into a dict; returns whether that could be paid.
pub(super) fn put(entries: &mut Vec<(Object, Object)>, key: Object, value: Object) -> bool {
    if !heap::spend(entries.len() + 2) {
        return false;
    }
    match entries.iter_mut().find(|(own, _)| own.equals(&key) == Some(true)) {
        Some((_, own)) => *own = value,
        None => entries.push((key, value)),
    }
    true
}

/// The value of a dict for a key; an error if it is unknown.
pub(super) fn lookup(entries: &[(Object, Object)], key: &Object) -> Result<Option<Object>, ()> {
    if !heap::spend(entries.len()) {
        return Err(());
    }
    let mut is_clear = true;
    for (own, value) in entries {
        match own.equals(key) {
            Some(true) => return Ok(Some(value.clone())),
            Some(false) => {}
            None => is_clear = false,
        }
    }
    if is_clear { Ok(None) } else { Err(()) }
}
