//! The assignments in a check.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Assigned, Node, Reason, Seen, ValueSegment};

use super::{
    equality::{lookup, put},
    heap,
    object::{DEEPEST, Object, Place, Shared, Why, below},
    places::Where,
    run::{DATA, Frame, Outcome, Run},
    subscript::place_in,
    text,
};
use crate::ast::{Expr, ExprKind, Name};

/// The units for a value that is put into the config: what is in several places is put there several times.
const OF_A_VALUE: usize = 16;

/// A path to which a value is written. If it is below a table that is not in the config yet: the class of that table, and the length of its path.
struct Slot {
    path: Place,
    table: Option<(Node, usize)>,
}

impl Slot {
    fn below(&self, step: ValueSegment) -> Self {
        Self { path: below(&self.path, step), table: self.table }
    }
}

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
                self.set_item(frame, target.line, &of, &index, value, reads)
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => self.unpack(frame, target.line, targets, &value, reads),
            _ => {
                let why = self.why(&frame.module, target.line, "an assignment");
                self.open(&why);
                Ok(())
            }
        }
    }

    /// Assigns the items of a value to several targets, of which one may take all that are left: `first, *rest = value`.
    fn unpack(&mut self, frame: &mut Frame, line: u32, targets: &[Expr], value: &Object, reads: &Rc<[Place]>) -> Outcome<()> {
        let starred = targets.iter().position(|target| matches!(target.kind, ExprKind::Starred(_)));
        let items: Vec<Object> = match self.iterated(frame, line, value)? {
            Ok(items) => match starred {
                None if items.len() == targets.len() => items,
                Some(at) if items.len() + 1 >= targets.len() => {
                    let behind = items.len() - (targets.len() - 1 - at);
                    let rest = Object::list(items[at..behind].to_vec());
                    items[..at].iter().cloned().chain(std::iter::once(rest)).chain(items[behind..].iter().cloned()).collect()
                }
                _ => return Err(self.raised(frame, line, "ValueError", "a wrong number of values to unpack")),
            },
            Err(why) => vec![Object::Unknown(why); targets.len()],
        };
        for (target, item) in targets.iter().zip(items) {
            match &target.kind {
                ExprKind::Starred(target) => self.assign(frame, target, item, reads)?,
                _ => self.assign(frame, target, item, reads)?,
            }
        }
        Ok(())
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
        match (of, self.whereabouts(of)) {
            (_, Where::At(place)) if name.starts_with('_') => {
                let value = self.maybe.clone().map_or(value, Object::Unknown);
                self.private.insert((place, Arc::clone(name)), value);
            }
            (_, Where::At(place)) => {
                let at = below(&place, ValueSegment::Field(Arc::clone(name)));
                if self.table.get(&at) == Seen::Missing {
                    let why = self.why(&frame.module, line, format!("an assignment to `.{name}`, which is not a field"));
                    self.open(&why);
                    return Ok(());
                }
                self.put(frame, line, &at, &value, reads);
            }
            (_, Where::Gone) => self.open(&Self::gone()),
            (Object::New(new), Where::Nowhere) => {
                let value = self.maybe.clone().map_or(value, Object::Unknown);
                let mut given = new.given.borrow_mut();
                given.retain(|(own, _)| own != name);
                given.push((Arc::clone(name), value));
                new.not_given.borrow_mut().remove(name);
            }
            (Object::None, _) => return Err(self.no_attribute(frame, line, "NoneType", name)),
            (Object::Unknown(why), _) => self.open(why),
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

    /// Puts a value at a path of the config, and at all other paths that lead to the same table.
    pub(super) fn put(&mut self, frame: &Frame, line: u32, at: &[ValueSegment], value: &Object, reads: &[Place]) {
        if self.is_of_data(frame, line, at) {
            return;
        }
        let slots = self.places.borrow().slots(at);
        let Some(first) = slots.first() else { return };
        let current = self.object(self.table.get(first), first);
        let is_same = current.is_same(value);
        let assigned = match self.maybe.clone() {
            Some(_) if is_same => return,
            Some(why) => Err(Some(why)),
            None => self.assigned(first, value),
        };
        self.write(frame, line, &slots, assigned, reads);
        if !is_same {
            self.replaced(first, &current);
            if self.maybe.is_none() {
                self.settle(value, first);
            }
        }
    }

    /// Records that another object than this one is at a path now.
    fn replaced(&mut self, slot: &Place, current: &Object) {
        let is_shared = !matches!(
            current,
            Object::None | Object::Bool(_) | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::Path(_)
        );
        if is_shared {
            self.places.borrow_mut().replace(slot);
            self.private.retain(|(place, _), _| !place.starts_with(slot));
        }
    }

    /// Writes a value to paths of the config that lead to the same table. An error says why the value is unknown.
    fn write(&mut self, frame: &Frame, line: u32, slots: &[Place], assigned: Result<Assigned, Option<Why>>, reads: &[Place]) {
        let assigned = assigned.unwrap_or_else(|why| {
            let why = why.unwrap_or_else(|| self.why(&frame.module, line, "the value that is assigned"));
            self.open_value(&why);
            Assigned::Unknown
        });
        let made_of = reads.iter().find(|place| !matches!(self.table.get(place), Seen::Table(_))).cloned();
        let Some((first, others)) = slots.split_first() else { return };
        let is_known = assigned != Assigned::Unknown;
        self.table.assign(first, assigned, made_of.as_deref());
        for other in others {
            let copy = if is_known { Assigned::Copy(first.to_vec()) } else { Assigned::Unknown };
            self.table.assign(other, copy, made_of.as_deref());
        }
    }

    /// Writes a list, a set or a dict that has changed to its paths in the config.
    pub(super) fn rewrite(&mut self, frame: &Frame, line: u32, container: &Object) {
        let Some(home) = container.home() else { return };
        if self.is_of_data(frame, line, &home) {
            return;
        }
        let slots = self.places.borrow().all(&home);
        let assigned = self.contents(&Slot { path: Rc::clone(&home), table: None }, container);
        self.write(frame, line, &slots, assigned, &[Rc::clone(&home)]);
        self.places.borrow_mut().replace(&home);
        self.settle(container, &home);
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
        self.assigned_at(&Slot { path: at.into(), table: None }, value)
    }

    fn assigned_at(&self, at: &Slot, value: &Object) -> Result<Assigned, Option<Why>> {
        match value {
            Object::List(list) if let Some(home) = list.home() => Ok(Assigned::Copy(home.to_vec())),
            Object::Dict(dict) if let Some(home) = dict.home().filter(|home| !is_data(home)) => Ok(Assigned::Copy(home.to_vec())),
            _ => self.contents(at, value),
        }
    }

    /// The same, with the contents of a list or a dict even if it is in the config already.
    fn contents(&self, at: &Slot, value: &Object) -> Result<Assigned, Option<Why>> {
        if at.path.len() > DEEPEST || !heap::spend(OF_A_VALUE + at.path.len()) {
            return Err(None);
        }
        Ok(match value {
            Object::None => Assigned::Null,
            Object::Bool(value) => Assigned::Bool(*value),
            Object::Int(value) => Assigned::Int(*value),
            Object::Float(value) => Assigned::Float(*value),
            Object::Str(text) | Object::Path(text) => Assigned::Str(Arc::clone(text)),
            Object::List(_) | Object::Tuple(_) | Object::Set(_) => {
                let item = |(index, item): (usize, &Object)| self.assigned_at(&at.below(ValueSegment::Item(index)), item);
                Assigned::List(value.items()?.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            Object::Dict(dict) => {
                if let Some(why) = &*dict.lost.borrow() {
                    return Err(Some(Rc::clone(why)));
                }
                let entry = |(key, value): &(Object, Object)| match key.based() {
                    Object::Str(key) => {
                        Ok((Arc::clone(key), self.assigned_at(&at.below(ValueSegment::Key(Arc::clone(key))), value)?))
                    }
                    _ => Err(None),
                };
                Assigned::Map(dict.value.borrow().iter().map(entry).collect::<Result<_, _>>()?)
            }
            Object::Table(..) | Object::New(_) => match (self.whereabouts(value), value) {
                (Where::At(place), _) => Assigned::Copy(place.to_vec()),
                (Where::Nowhere, Object::New(new)) => {
                    let is_it = |node: &Node| self.code.class(*node).is_some_and(|class| Arc::ptr_eq(&class.def, &new.class.def));
                    let classes = match at.table {
                        Some((class, from)) => self.table.classes_below(class, &at.path[from..]),
                        None => self.table.classes(&at.path),
                    };
                    let node = classes.into_iter().find(is_it).ok_or(None)?;
                    if !new.is_checked.get() && self.code.changes_itself(&new.class) {
                        return Err(None);
                    }
                    let mut given = Vec::new();
                    for (name, value) in new.given.borrow().iter() {
                        let field = at.below(ValueSegment::Field(Arc::clone(name)));
                        let field = Slot { table: Some((node, at.path.len())), ..field };
                        given.push((Arc::clone(name), self.assigned_at(&field, value)?));
                    }
                    Assigned::Table(node, given, new.not_given.borrow().iter().cloned().collect())
                }
                _ => return Err(Some(Self::gone())),
            },
            Object::Member(member) => self.contents(at, &member.value)?,
            Object::Unknown(why) => return Err(Some(Rc::clone(why))),
            _ => return Err(None),
        })
    }

    /// Assigns to an item of an object, as `of[index] = value` does.
    pub(super) fn set_item(
        &mut self,
        frame: &Frame,
        line: u32,
        of: &Object,
        index: &Object,
        value: Object,
        reads: &[Place],
    ) -> Outcome<()> {
        match (of, index) {
            (Object::Dict(dict), key @ Object::Str(name)) => {
                self.alters(frame, line, dict);
                if let Some(home) = dict.home() {
                    let at = below(&home, ValueSegment::Key(Arc::clone(name)));
                    self.put(frame, line, &at, &value, reads);
                }
                let value = self.maybe.clone().map_or(value, Object::Unknown);
                put(&mut dict.value.borrow_mut(), key.clone(), value);
            }
            (Object::Dict(dict), key) => {
                self.hashed(frame, line, key)?;
                self.alters(frame, line, dict);
                if self.maybe.is_none() && dict.home().is_none() && lookup(&dict.value.borrow(), key).is_ok() {
                    put(&mut dict.value.borrow_mut(), key.clone(), value);
                } else {
                    let why = self.why(&frame.module, line, "a key of a dict");
                    self.lose(dict, &why);
                }
            }
            (Object::List(list), index) => {
                let mut items = list.value.borrow().clone();
                let at = index.as_int().map(|at| place_in(at, items.len()));
                match at {
                    Some(None) if list.lost.borrow().is_none() => {
                        return Err(self.raised(frame, line, "IndexError", "list assignment index out of range"));
                    }
                    Some(Some(at)) => {
                        items[at] = value;
                        self.changed(frame, line, of, Some(items));
                    }
                    _ => self.changed(frame, line, of, None),
                }
            }
            (Object::Unknown(why), _) => self.open(why),
            // Environment variables that it sets are for programs that it starts; checks do not read them.
            (Object::External(name), _) if &**name == "os.environ" => {}
            _ => {
                let why = self.why(&frame.module, line, "an assignment in brackets");
                self.open(&why);
            }
        }
        Ok(())
    }

    /// Replaces the items of a list or a set; `None` if the new ones are unknown.
    pub(super) fn changed(&mut self, frame: &Frame, line: u32, of: &Object, items: Option<Vec<Object>>) {
        let (Object::List(shared) | Object::Set(shared)) = of else { return };
        self.alters(frame, line, shared);
        let is_known = self.maybe.is_none() && shared.lost.borrow().is_none();
        match items.filter(|items| is_known && items.len() < super::operators::LONGEST) {
            Some(items) => {
                heap::spend(items.len());
                *shared.value.borrow_mut() = items;
                self.rewrite(frame, line, of);
            }
            None => {
                let otherwise = self.why(&frame.module, line, "a change of a list or a set");
                let why = self.maybe.clone().unwrap_or(otherwise);
                self.lose(shared, &why);
            }
        }
    }

    /// Records that a value is altered. If it is a constant of the code, it has other contents at the next check.
    pub(super) fn alters<T>(&mut self, frame: &Frame, line: u32, shared: &Shared<T>) {
        if shared.is_constant.get() {
            let why = self.why(&frame.module, line, "a constant that a check changes");
            self.open(&why);
        }
    }

    /// Marks a shared value as unknown from now on.
    pub(super) fn lose<T>(&mut self, shared: &Shared<T>, why: &Why) {
        shared.lost.borrow_mut().get_or_insert_with(|| Rc::clone(why));
        if let Some(home) = shared.home() {
            self.open(why);
            let slots = self.places.borrow().all(&home);
            slots.iter().for_each(|slot| self.table.assign(slot, Assigned::Unknown, None));
        }
    }

    pub(super) fn delete(&mut self, frame: &mut Frame, target: &Expr) -> Outcome<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                frame.names.remove(name);
            }
            ExprKind::Subscript(of, index) => {
                let of = self.eval(frame, of)?;
                let key = self.eval(frame, index)?;
                match &of {
                    Object::Dict(dict) => {
                        self.hashed(frame, target.line, &key)?;
                        self.alters(frame, target.line, dict);
                        let is_known = self.maybe.is_none() && dict.lost.borrow().is_none();
                        let found = lookup(&dict.value.borrow(), &key);
                        match found.ok().filter(|_| is_known) {
                            Some(Some(value)) => self.take_entry(frame, target.line, dict, &key, &value),
                            Some(None) => {
                                let key = text::quoted(&key).unwrap_or_default();
                                return Err(self.raised(frame, target.line, "KeyError", key));
                            }
                            None => {
                                let why = self.why(&frame.module, target.line, "a key that is removed");
                                self.lose(dict, &why);
                            }
                        }
                    }
                    Object::List(list) => {
                        let mut items = list.value.borrow().clone();
                        match key.as_int().map(|at| place_in(at, items.len())) {
                            Some(None) if list.lost.borrow().is_none() => {
                                let said = "list assignment index out of range";
                                return Err(self.raised(frame, target.line, "IndexError", said));
                            }
                            Some(Some(at)) => {
                                items.remove(at);
                                self.changed(frame, target.line, &of, Some(items));
                            }
                            _ => self.changed(frame, target.line, &of, None),
                        }
                    }
                    _ => {
                        let why = self.why(&frame.module, target.line, "a deletion");
                        self.open(&why);
                    }
                }
            }
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
