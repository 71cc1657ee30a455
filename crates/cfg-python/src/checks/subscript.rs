//! Items of objects: `of[key]` and `of[from:to]`.

use std::rc::Rc;

use super::{
    object::Object,
    places::Where,
    run::{Frame, Outcome, Run},
    text,
};
use crate::ast::{Expr, ExprKind};

impl Run<'_> {
    pub(super) fn subscript(&mut self, frame: &mut Frame, line: u32, of: &Object, index: &Expr) -> Outcome<Object> {
        if let Object::Unknown(_) = of {
            return Ok(of.clone());
        }
        if let ExprKind::Slice(bounds) = &index.kind {
            return self.slice(frame, line, of, bounds);
        }
        let key = self.eval(frame, index)?;
        let item = self.item(frame, line, of, &key)?;
        Ok(self.current(item))
    }

    /// A table at its path; another object itself.
    pub(super) fn current(&self, object: Object) -> Object {
        match (&object, self.whereabouts(&object)) {
            (Object::Table(..), Where::At(place)) => self.table_at(&place),
            _ => object,
        }
    }

    /// The item of an object with a key.
    pub(super) fn item(&mut self, frame: &mut Frame, line: u32, of: &Object, key: &Object) -> Outcome<Object> {
        if let Object::Unknown(_) = key {
            return Ok(key.clone());
        }
        match of {
            Object::Dict(entries) => {
                if let Some(why) = &*entries.lost.borrow() {
                    return Ok(Object::Unknown(Rc::clone(why)));
                }
                self.hashed(frame, line, key)?;
                match self.looked_up(entries, key) {
                    Ok(Some(value)) => Ok(value),
                    Ok(None) if let Some(missing) = entries.missing.borrow().clone() => {
                        self.missing(frame, line, of, key, missing)
                    }
                    Ok(None) => Err(self.raised(frame, line, "KeyError", text::quoted(key).unwrap_or_default())),
                    Err(()) => Ok(self.unknown(frame, line, "a key of a dict")),
                }
            }
            Object::List(items) if items.lost.borrow().is_none() => {
                let items = items.value.borrow();
                let Some(at) = key.as_int() else { return Ok(self.unknown(frame, line, "an index")) };
                match place_in(at, items.len()) {
                    Some(at) => Ok(items[at].clone()),
                    None => Err(self.raised(frame, line, "IndexError", "list index out of range")),
                }
            }
            Object::List(_) | Object::Tuple(_) | Object::Str(_) | Object::Url(_) => {
                let items = match of.items() {
                    Ok(items) => items,
                    Err(why) => return Ok(self.unknown_or(frame, line, why, "an index")),
                };
                let Some(at) = key.as_int() else { return Ok(self.unknown(frame, line, "an index")) };
                match place_in(at, items.len()) {
                    Some(at) => Ok(items[at].clone()),
                    None => Err(self.raised(frame, line, "IndexError", "list index out of range")),
                }
            }
            Object::Class(class) if class.is_enum => match key {
                Object::Str(name) if self.members(class).is_some() => match self.member_named(class, name) {
                    Some(member) => Ok(member),
                    None => Err(self.raised(frame, line, "KeyError", text::quoted(key).unwrap_or_default())),
                },
                _ => Ok(self.unknown(frame, line, format!("a member of `{}`", class.name))),
            },
            Object::Match(found) => match found.group(key) {
                Some(group) => Ok(found.call("group", &[Object::Int(i64::try_from(group).unwrap_or(0))]).unwrap_or(Object::None)),
                None => Err(self.raised(frame, line, "IndexError", "no such group")),
            },
            Object::External(name) if name.starts_with("builtins.") || name.starts_with("typing.") => {
                let members = if let Object::Tuple(items) = key { items.to_vec() } else { vec![key.clone()] };
                Ok(Object::generic(name, members))
            }
            Object::External(name) if &**name == "os.environ" => Ok(self.variable(frame, line, Some(key))),
            _ => Ok(self.unknown(frame, line, "an index of a value that has no items")),
        }
    }

    /// What a `Counter` or a `defaultdict` has for a missing key.
    pub(super) fn missing(
        &mut self,
        frame: &mut Frame,
        line: u32,
        of: &Object,
        key: &Object,
        missing: Object,
    ) -> Outcome<Object> {
        if let Object::Int(_) = missing {
            return Ok(missing);
        }
        let made = self.call(frame, line, &missing, Vec::new(), Vec::new())?;
        self.set_item(frame, line, of, key, made.clone(), &[])?;
        Ok(made)
    }

    pub(super) fn slice(
        &mut self,
        frame: &mut Frame,
        line: u32,
        of: &Object,
        bounds: &[Option<Box<Expr>>; 3],
    ) -> Outcome<Object> {
        let mut numbers = [None, None];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            if let Some(bound) = bound {
                let bound = self.eval(frame, bound)?;
                match bound.as_int() {
                    Some(value) => *number = Some(value),
                    None if matches!(bound, Object::None) => {}
                    None => return Ok(self.unknown(frame, line, "a slice")),
                }
            }
        }
        let step = match &bounds[2] {
            Some(step) => match self.eval(frame, step)? {
                Object::None => 1,
                step => match step.as_int().filter(|step| *step != 0) {
                    Some(step) => step,
                    None => return Ok(self.unknown(frame, line, "a slice")),
                },
            },
            None => 1,
        };
        let items = match of {
            Object::List(_) | Object::Tuple(_) | Object::Str(_) => match of.items() {
                Ok(items) => items,
                Err(why) => return Ok(self.unknown_or(frame, line, why, "a slice")),
            },
            _ => return Ok(self.unknown(frame, line, "a slice")),
        };
        if step < 0 && numbers != [None, None] {
            return Ok(self.unknown(frame, line, "a slice with steps"));
        }
        let clamped = |at: i64| {
            let at = if at < 0 { at.saturating_add(i64::try_from(items.len()).unwrap_or(i64::MAX)) } else { at };
            usize::try_from(at).unwrap_or(0).min(items.len())
        };
        let (from, to) = (numbers[0].map_or(0, clamped), numbers[1].map_or(items.len(), clamped));
        let mut part = items.get(from..to.max(from)).unwrap_or_default().to_vec();
        if step < 0 {
            part.reverse();
        }
        let part: Vec<Object> = part.into_iter().step_by(usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX)).collect();
        Ok(match of {
            Object::Str(_) => {
                let text: String = part.iter().filter_map(text::shown).collect();
                Object::str(text)
            }
            Object::Tuple(_) => Object::tuple(part),
            _ => Object::list(part),
        })
    }
}

/// The index of an item, which counts from the end if it is negative; `None` if it is out of range.
pub(super) fn place_in(at: i64, length: usize) -> Option<usize> {
    let at = if at < 0 { at.checked_add(i64::try_from(length).ok()?)? } else { at };
    usize::try_from(at).ok().filter(|at| *at < length)
}
