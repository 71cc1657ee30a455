//! The assignments in a check.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Assigned, Reason, Seen, ValueSegment};

use super::{
    equality::lookup,
    heap,
    object::{DEEPEST, Object, Place, Shared, Why, below},
    run::{DATA, Frame, Outcome, Run},
    text,
};
use crate::ast::{Expr, ExprKind, Name};

impl Run<'_> {
    pub(super) fn assign(&mut self, frame: &mut Frame, target: &Expr, value: Object, reads: &Rc<[Place]>) -> Outcome<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                frame.names.insert(Arc::clone(name), (value, Rc::clone(reads)));
                Ok(())
            }
            ExprKind::Attribute(of, name) => {
                let of = self.eval(frame, of)?;
                self.set_attribute(frame, target.line, &of, name, value, reads)
            }
            ExprKind::Subscript(of, index) => {
                let of = self.eval(frame, of)?;
                let index = self.eval(frame, index)?;
                self.set_item(frame, target.line, &of, &index, value, reads);
                Ok(())
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let items = match value.items() {
                    Ok(items) if items.len() == targets.len() => items.into_iter().map(Ok).collect(),
                    Ok(_) => return Err(self.raised(frame, target.line, "ValueError", "a wrong number of values to unpack")),
                    Err(why) => vec![Err(why); targets.len()],
                };
                for (target, item) in targets.iter().zip(items) {
                    let item = item.unwrap_or_else(|why| match why {
                        Some(why) => Object::Unknown(why),
                        None => self.unknown(frame, target.line, "an unpacked value that is not a list"),
                    });
                    self.assign(frame, target, item, reads)?;
                }
                Ok(())
            }
            _ => {
                let why = self.why(&frame.module, target.line, "an assignment");
                self.open(&why);
                Ok(())
            }
        }
    }

    /// Assigns to an attribute.
    pub(super) fn set_attribute(
        &mut self,
        frame: &Frame,
        line: u32,
        of: &Object,
        name: &Name,
        value: Object,
        reads: &[Place],
    ) -> Outcome<()> {
        let home = match of {
            Object::Table(place) => Some(Rc::clone(place)),
            Object::New(new) => new.home.borrow().clone(),
            _ => None,
        };
        match (of, home) {
            (_, Some(place)) if name.starts_with('_') => {
                let value = self.maybe.clone().map_or(value, Object::Unknown);
                self.private.insert((place, Arc::clone(name)), value);
            }
            (_, Some(place)) => {
                let at = below(&place, ValueSegment::Field(Arc::clone(name)));
                if self.table.get(&at) == Seen::Missing {
                    let why = self.why(&frame.module, line, format!("an assignment to `.{name}`, which is not a field"));
                    self.open(&why);
                    return Ok(());
                }
                self.put(frame, line, &at, &value, reads);
                value.settle(&at);
            }
            (Object::New(new), None) => {
                let value = self.maybe.clone().map_or(value, Object::Unknown);
                let mut given = new.given.borrow_mut();
                given.retain(|(own, _)| own != name);
                given.push((Arc::clone(name), value));
            }
            (Object::None, None) => {
                let message = format!("'NoneType' object has no attribute '{name}'");
                return Err(self.raised(frame, line, "AttributeError", message));
            }
            (Object::Unknown(why), None) => self.open(why),
            _ => {
                let why = self.why(&frame.module, line, format!("an assignment to `.{name}`"));
                self.open(&why);
            }
        }
        Ok(())
    }

    /// Records that an unknown value is put into the config, so that the result of the check is unknown. This does not apply to
    /// values that depend on the machine, which are unknown for every config.
    fn open_value(&mut self, why: &Why) {
        if why.reason != Reason::Machine {
            self.open(why);
        }
    }

    /// Puts a value at a path of the config.
    pub(super) fn put(&mut self, frame: &Frame, line: u32, at: &[ValueSegment], value: &Object, reads: &[Place]) {
        if self.is_of_data(frame, line, at) {
            return;
        }
        let assigned = if let Some(why) = self.maybe.clone() {
            let current = self.object(self.table.get(at), at.into());
            if current.is_same(value) {
                return;
            }
            self.open_value(&why);
            Assigned::Unknown
        } else {
            match self.assigned(at, value) {
                Ok(assigned) => assigned,
                Err(why) => {
                    let why = why.unwrap_or_else(|| self.why(&frame.module, line, "the value that is assigned"));
                    self.open_value(&why);
                    Assigned::Unknown
                }
            }
        };
        let made_of = reads.iter().find(|place| !matches!(self.table.get(place), Seen::Table(_)));
        self.table.assign(at, assigned, made_of.map(|place| &**place));
    }

    /// Whether a path is in the values that pydantic passes to a check of a field. The effect of a change there is not modelled.
    pub(super) fn is_of_data(&mut self, frame: &Frame, line: u32, at: &[ValueSegment]) -> bool {
        let is_there = is_data(at);
        if is_there {
            let why = self.why(&frame.module, line, "a change of pydantic's validation info");
            self.open(&why);
        }
        is_there
    }

    /// Converts an object to a value that the config accepts at a path. An error says why it is unknown.
    pub(super) fn assigned(&self, at: &[ValueSegment], value: &Object) -> Result<Assigned, Option<Why>> {
        if at.len() > DEEPEST || !heap::spend(1) {
            return Err(None);
        }
        Ok(match value {
            Object::None => Assigned::Null,
            Object::Bool(value) => Assigned::Bool(*value),
            Object::Int(value) => Assigned::Int(*value),
            Object::Float(value) => Assigned::Float(*value),
            Object::Str(text) | Object::Path(text) => Assigned::Str(Arc::clone(text)),
            Object::List(list) if let Some(home) = list.home() => Assigned::Copy(home.to_vec()),
            Object::List(_) | Object::Tuple(_) | Object::Set(_) => {
                let item = |(index, item): (usize, &Object)| self.assigned(&below(at, ValueSegment::Item(index)), item);
                Assigned::List(value.items()?.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            Object::Dict(dict) if let Some(home) = dict.home().filter(|home| !is_data(home)) => Assigned::Copy(home.to_vec()),
            Object::Dict(dict) => {
                if let Some(why) = &*dict.lost.borrow() {
                    return Err(Some(Rc::clone(why)));
                }
                let entry = |(key, value): &(Object, Object)| match key {
                    Object::Str(key) => {
                        Ok((Arc::clone(key), self.assigned(&below(at, ValueSegment::Key(Arc::clone(key))), value)?))
                    }
                    _ => Err(None),
                };
                Assigned::Map(dict.value.borrow().iter().map(entry).collect::<Result<_, _>>()?)
            }
            Object::Table(place) => Assigned::Copy(place.to_vec()),
            Object::New(new) => {
                if let Some(home) = &*new.home.borrow() {
                    return Ok(Assigned::Copy(home.to_vec()));
                }
                let is_it =
                    |node: &cfg_schema::Node| self.code.class(*node).is_some_and(|class| Arc::ptr_eq(&class.def, &new.class.def));
                let node = self.table.classes(at).into_iter().find(is_it).ok_or(None)?;
                if !new.is_checked.get() && self.code.changes_itself(&new.class) {
                    return Err(None);
                }
                let mut given = Vec::new();
                for (name, value) in new.given.borrow().iter() {
                    given.push((Arc::clone(name), self.assigned(&below(at, ValueSegment::Field(Arc::clone(name))), value)?));
                }
                Assigned::Table(node, given)
            }
            Object::Unknown(why) => return Err(Some(Rc::clone(why))),
            _ => return Err(None),
        })
    }

    /// Assigns to an item of an object, as `of[index] = value` does.
    pub(super) fn set_item(&mut self, frame: &Frame, line: u32, of: &Object, index: &Object, value: Object, reads: &[Place]) {
        match (of, index) {
            (Object::Dict(dict), Object::Str(key)) => {
                if let Some(home) = dict.home() {
                    let at = below(&home, ValueSegment::Key(Arc::clone(key)));
                    self.put(frame, line, &at, &value, reads);
                    value.settle(&at);
                }
                let lost = self.maybe.clone();
                let mut entries = dict.value.borrow_mut();
                let value = lost.map_or(value, Object::Unknown);
                match entries.iter_mut().find(|(own, _)| own.equals(index) == Some(true)) {
                    Some((_, own)) => *own = value,
                    None => entries.push((index.clone(), value)),
                }
            }
            (Object::Dict(dict), _) => {
                let why = self.why(&frame.module, line, "a key of a dict");
                self.lose(dict, &why);
            }
            (Object::List(list), _) => {
                let why = self.why(&frame.module, line, "an item of a list that is replaced");
                self.lose(list, &why);
            }
            (Object::Unknown(why), _) => self.open(why),
            // Environment variables that it sets are for programs that it starts; checks do not read them.
            (Object::External(name), _) if &**name == "os.environ" => {}
            _ => {
                let why = self.why(&frame.module, line, "an assignment in brackets");
                self.open(&why);
            }
        }
    }

    /// Marks a shared value as unknown from now on.
    pub(super) fn lose<T>(&mut self, shared: &Shared<T>, why: &Why) {
        shared.lost.borrow_mut().get_or_insert_with(|| Rc::clone(why));
        if let Some(home) = shared.home() {
            self.open(why);
            self.table.assign(&home, Assigned::Unknown, None);
        }
    }

    pub(super) fn delete(&mut self, frame: &mut Frame, target: &Expr) -> Outcome<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                frame.names.remove(name);
            }
            ExprKind::Subscript(of, index) => match self.eval(frame, of)? {
                Object::Dict(dict) => {
                    let key = self.eval(frame, index)?;
                    let is_known = self.maybe.is_none() && dict.lost.borrow().is_none();
                    let found = lookup(&dict.value.borrow(), &key);
                    match found.ok().filter(|_| is_known) {
                        Some(Some(value)) => self.take_entry(frame, target.line, &dict, &key, &value),
                        Some(None) => {
                            let key = text::quoted(&key).unwrap_or_default();
                            return Err(self.raised(frame, target.line, "KeyError", key));
                        }
                        None => {
                            let why = self.why(&frame.module, target.line, "a key that is removed");
                            self.lose(&dict, &why);
                        }
                    }
                }
                Object::List(list) => {
                    let why = self.why(&frame.module, target.line, "an item that is removed");
                    self.lose(&list, &why);
                }
                _ => {}
            },
            _ => {
                let why = self.why(&frame.module, target.line, "a deletion");
                self.open(&why);
            }
        }
        Ok(())
    }
}

fn is_data(at: &[ValueSegment]) -> bool {
    matches!(at.first(), Some(ValueSegment::Key(first)) if &**first == DATA)
}
