//! The kinds of checks: validators of finished and of raw tables, and checks of single fields.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{FieldCheck, Open, Reason, Ruling, Seen, ValueSegment};

use super::{
    call::Given,
    heap,
    object::{DEEPEST, Names, Object, Place, Validation},
    run::{DATA, Frame, Outcome, Run},
};
use crate::{
    ast::Function,
    class::Class,
    of_field::{Called, OfField, takes_more},
};

impl Run<'_> {
    /// Runs an `after` validator on a table.
    pub(super) fn after(mut self, home: &Arc<Class>, function: &Arc<Function>) -> Ruling {
        let whole = self.table_at(&[]);
        let made = self.validator(whole.clone(), home, function);
        if let Ok(made) = &made
            && &*function.name != "model_post_init"
            && !made.is_same(&whole)
        {
            let why = match made {
                Object::Unknown(why) => Rc::clone(why),
                _ => self.why(&home.module, function.line, "a result other than the given table"),
            };
            self.open(&why);
        }
        self.ruling(made)
    }

    /// Runs a `before` validator of a class on a raw table.
    pub(super) fn before(mut self, class: &Arc<Class>, home: &Arc<Class>, function: &Arc<Function>) -> Ruling {
        let raw = self.object(self.table.get(&[]), &Place::from([]));
        let function_of = Object::Bound(Rc::new(Object::Class(Arc::clone(class))), Arc::clone(home), Arc::clone(function));
        let mut frame = Frame::new(&home.module, Names::new(), None);
        let given = self.with_validation(home, function, raw.clone());
        let made = self.call(&mut frame, function.line, &function_of, given, Vec::new());
        if let Ok(made) = &made
            && !made.is_same(&raw)
            && !self.replaces_root(&frame, function.line, &raw, made)
        {
            let why = match made {
                Object::Unknown(why) => Rc::clone(why),
                _ => self.why(&home.module, function.line, "a table that replaces the given one"),
            };
            self.opened = Some(Rc::new(Open { reason: Reason::Replaced, ..(*why).clone() }));
        }
        self.ruling(made)
    }

    /// Puts the entries of the dict that a validator returns in place of those of the raw table; returns whether that is possible.
    fn replaces_root(&mut self, frame: &Frame, line: u32, raw: &Object, made: &Object) -> bool {
        let (Some(old), Some(new)) = (raw.items_of_dict(), made.items_of_dict()) else { return false };
        if self.maybe.is_some() || !new.iter().all(|(key, _)| matches!(key, Object::Str(_))) {
            return false;
        }
        let is_kept = |(key, value): &&(Object, Object)| {
            old.iter().any(|(own, before)| own.equals(key) == Some(true) && before.is_same(value))
        };
        let changed: Vec<&(Object, Object)> = new.iter().filter(|entry| !is_kept(entry)).collect();
        // A value that comes from another changed key would be read after that key has got its new value.
        let crosses = |(key, value): &&(Object, Object)| {
            changed.iter().any(|(other, _)| other.equals(key) != Some(true) && comes_from(value, other, DEEPEST))
        };
        if changed.iter().any(crosses) {
            return false;
        }
        let Object::Dict(root) = raw else { return false };
        for (key, value) in &old {
            if !new.iter().any(|(own, _)| own.equals(key) == Some(true)) {
                self.take_entry(frame, line, root, key, value);
            }
        }
        for (key, value) in changed {
            if let Object::Str(name) = key {
                self.put(frame, line, &[ValueSegment::Key(Arc::clone(name))], value, &[]);
            }
        }
        true
    }

    /// Runs a check of a single field on the value of the field.
    pub(super) fn of_field(mut self, class: &Arc<Class>, check: &FieldCheck, one: &OfField) -> Ruling {
        let name = Arc::clone(&check.field);
        let at: Place = Rc::new([if check.is_before { ValueSegment::Key(name) } else { ValueSegment::Field(name) }]);
        let value = self.object(self.table.get(&at), &at);
        let function = match &one.called {
            Called::OfClass(home, function) if one.is_bound() => {
                Object::Bound(Rc::new(Object::Class(Arc::clone(class))), Arc::clone(home), Arc::clone(function))
            }
            Called::OfClass(home, function) => Object::Function(Arc::clone(&home.module), Arc::clone(function), Rc::default()),
            Called::Attached(called) => Object::declared(called),
        };
        let mut given = vec![(value.clone(), Rc::from([Rc::clone(&at)]))];
        if one.takes_more() {
            let data = self.fields_before(class, check, one);
            let validation = Validation { field: Some(Arc::clone(&check.field)), data };
            given.push((Object::Validation(Rc::new(validation)), Rc::default()));
        }
        let mut frame = Frame::new(&one.module, Names::new(), None);
        let made = self.call(&mut frame, one.line, &function, given, Vec::new());
        if let Ok(made) = &made
            && !made.is_same(&value)
        {
            self.put(&frame, one.line, &at, made, &[Rc::clone(&at)]);
        }
        self.ruling(made)
    }

    /// The fields that pydantic has checked before this one, with their values.
    fn fields_before(&self, class: &Arc<Class>, check: &FieldCheck, one: &OfField) -> Object {
        let given = self.table.given(&[]);
        let mut entries = Vec::new();
        for field in self.code.fields(class).unwrap_or_default().iter().take_while(|field| field.name != check.field) {
            let at: Place = Rc::new([ValueSegment::Field(Arc::clone(&field.name))]);
            let is_given = given.contains(&&*field.name);
            let value = match self.table.get(&at) {
                Seen::Missing => continue,
                // A field with an error is missing here. A default may be changed by a check of it, so it is unknown.
                Seen::Faulty if is_given => return self.object(Seen::Faulty, &at),
                _ if !is_given && self.code.looks_at_default(class, &field.name) => {
                    Object::Unknown(self.why(&one.module, one.line, format!("the default of `{}` after its check", field.name)))
                }
                seen => {
                    let object = self.object(seen, &at);
                    self.typed(object, &field.annotation, DEEPEST)
                }
            };
            entries.push((Object::Str(Arc::clone(&field.name)), value));
        }
        Object::dict_at(entries, Some(Rc::new([ValueSegment::Key(DATA.into())])))
    }

    /// The arguments of a validator of a raw table: the table, and the information about the validation if the function takes it.
    pub(super) fn with_validation(&self, home: &Arc<Class>, function: &Function, raw: Object) -> Given {
        let mut given = vec![(raw, Rc::default())];
        if takes_more(function, true) {
            given.push((self.validation(home, function), Rc::default()));
        }
        given
    }

    /// The information about the validation of a whole table.
    fn validation(&self, home: &Arc<Class>, function: &Function) -> Object {
        let why = self.why(&home.module, function.line, "pydantic's validation info");
        Object::Validation(Rc::new(Validation { field: None, data: Object::Unknown(why) }))
    }

    pub(super) fn validator(&mut self, of: Object, home: &Arc<Class>, function: &Arc<Function>) -> Outcome<Object> {
        let more = function.parameters.len().saturating_sub(1);
        let mut given = vec![(of, Rc::default())];
        given.extend(std::iter::repeat_n((self.validation(home, function), Rc::default()), more));
        self.function(&home.module, function, Some(home), given, Vec::new())
    }
}

/// Whether a value contains one of the config below this key of the root.
fn comes_from(value: &Object, key: &Object, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1).filter(|_| heap::spend(1)) else { return true };
    let home = value.home();
    let is_below =
        |home: &Place| matches!((home.first(), key), (Some(ValueSegment::Key(first)), Object::Str(key)) if first == key);
    if home.as_ref().is_some_and(is_below) {
        return true;
    }
    match value {
        Object::List(_) | Object::Tuple(_) => {
            value.items().is_ok_and(|items| items.iter().any(|item| comes_from(item, key, depth)))
        }
        Object::Dict(_) => value.items_of_dict().is_some_and(|all| all.iter().any(|(_, value)| comes_from(value, key, depth))),
        _ => false,
    }
}
