//! Copies of objects: of tables as pydantic's `model_copy` makes them, of others as Python's `copy` does.

use std::sync::Arc;

use super::{
    heap,
    object::{DEEPEST, Object},
    places::Where,
    run::Run,
};

/// The objects that have been copied, each with its copy: what is in several places is copied once.
type Copies = Vec<(Object, Object)>;

impl Run<'_> {
    /// A copy of a table that shares its values with it, except for `changes`; `None` if that is unknown.
    pub(super) fn table_copy(&self, of: &Object, changes: Vec<(Object, Object)>) -> Option<Object> {
        let copy = self.copy_of_table(of, |value| Some(value.clone()))?;
        let Object::New(new) = &copy else { return None };
        for (key, value) in changes {
            let Object::Str(name) = key else { return None };
            self.code.field(&new.class, &name)?;
            new.given.borrow_mut().retain(|(own, _)| *own != name);
            new.not_given.borrow_mut().remove(&name);
            new.given.borrow_mut().push((name, value));
        }
        Some(copy)
    }

    /// A copy of an object that shares nothing with it; `None` if that is unknown.
    pub(super) fn deep_copy(&self, of: &Object) -> Option<Object> {
        self.deep(of, &mut Vec::new(), 0)
    }

    /// A copy of an object that has the same contents; `None` if that is unknown.
    pub(super) fn shallow_copy(&self, of: &Object) -> Option<Object> {
        match of {
            Object::Table(..) | Object::New(_) => self.table_copy(of, Vec::new()),
            Object::List(_) => Some(Object::list(of.items().ok()?)),
            Object::Set(_) => Some(Object::set(of.items().ok()?)),
            Object::Dict(dict) if dict.missing.borrow().is_none() => Some(Object::dict(of.items_of_dict()?)),
            Object::Dict(_) | Object::Iterator(_) | Object::Unknown(_) => None,
            other => Some(other.clone()),
        }
    }

    fn deep(&self, of: &Object, copies: &mut Copies, depth: usize) -> Option<Object> {
        if depth > DEEPEST || !heap::spend(copies.len() + 1) {
            return None;
        }
        let is_shared = matches!(of, Object::Table(..) | Object::New(_) | Object::List(_) | Object::Set(_) | Object::Dict(_));
        if let Some((_, copy)) = copies.iter().find(|(own, _)| is_shared && own.is_same(of)) {
            return Some(copy.clone());
        }
        let copy = match of {
            Object::Table(..) | Object::New(_) => self.copy_of_table(of, |value| self.deep(value, copies, depth + 1))?,
            Object::List(_) => Object::list(self.deep_items(of, copies, depth)?),
            Object::Set(_) => Object::set(self.deep_items(of, copies, depth)?),
            Object::Tuple(_) => Object::tuple(self.deep_items(of, copies, depth)?),
            Object::Dict(dict) if dict.missing.borrow().is_none() => {
                let entries = of.items_of_dict()?;
                let entry = |(key, value): (Object, Object)| Some((key, self.deep(&value, copies, depth + 1)?));
                Object::dict(entries.into_iter().map(entry).collect::<Option<_>>()?)
            }
            Object::Dict(_) | Object::Iterator(_) => return None,
            other => other.clone(),
        };
        if is_shared {
            copies.push((of.clone(), copy.clone()));
        }
        Some(copy)
    }

    fn deep_items(&self, of: &Object, copies: &mut Copies, depth: usize) -> Option<Vec<Object>> {
        of.items().ok()?.iter().map(|item| self.deep(item, copies, depth + 1)).collect()
    }

    /// A new table with all values of another one; no check runs on it.
    fn copy_of_table(&self, of: &Object, mut copied: impl FnMut(&Object) -> Option<Object>) -> Option<Object> {
        let class = self.class_of(of).filter(|class| class.partial.is_none() && class.opaque.is_none())?;
        // What the table keeps beside its fields is not modelled.
        let given = self.given_alone(of)?;
        if let Where::At(home) = self.whereabouts(of)
            && self.private.keys().any(|(place, _)| *place == home)
        {
            return None;
        }
        let mut values = Vec::new();
        let fields = self.code.fields(&class)?;
        heap::spend(fields.len() + fields.len() * fields.len() / 8);
        for field in fields {
            values.push((Arc::clone(&field.name), copied(&self.value_of(of, &field.name)?)?));
        }
        let copy = Object::new(&class, values);
        if let Object::New(new) = &copy {
            new.is_checked.set(true);
            let others = self.code.fields(&class)?.iter().map(|field| &field.name).filter(|name| !given.contains(name));
            *new.not_given.borrow_mut() = others.cloned().collect();
        }
        Some(copy)
    }
}
