//! The methods of builtin objects that checks use.

use std::{rc::Rc, sync::Arc};

use cfg_schema::ValueSegment;

use super::{
    builtins::Call,
    call::{Given, Named},
    equality::{contains, lookup, set_of},
    heap,
    object::{Object, Shared, below, too_much},
    operators::LONGEST,
    regex::matched,
    run::{Frame, Outcome, Run},
    strings::of_words,
    subscript::place_in,
    text,
};
use crate::ast::Name;

/// The entries of a dict.
type Entries = Rc<Shared<Vec<(Object, Object)>>>;

impl Run<'_> {
    /// Calls a builtin method.
    pub(super) fn call_method(
        &mut self,
        frame: &mut Frame,
        line: u32,
        of: &Object,
        name: &Name,
        given: &Given,
        named: &Named,
    ) -> Outcome<Object> {
        let objects: Vec<Object> = given.iter().map(|(object, _)| object.clone()).collect();
        // A method that only stores an object accepts an unknown one.
        let puts = matches!(&**name, "append" | "extend" | "insert" | "add" | "setdefault" | "get" | "update");
        if let Some(Object::Unknown(why)) = objects.iter().find(|object| matches!(object, Object::Unknown(_)))
            && !puts
        {
            return Ok(Object::Unknown(Rc::clone(why)));
        }
        let Some(mut call) = Call::paid(frame, line, of, name, &objects, given, named) else {
            return Ok(Object::Unknown(too_much()));
        };
        let value = match of.based() {
            Object::Table(..) | Object::New(_) => self.of_config(&call, of),
            Object::Str(text) => match self.of_str(&call, text)? {
                Some(value) => Some(value),
                None => of_words(&call, text),
            },
            Object::List(list) => self.of_list(&mut call, of, list)?,
            Object::Tuple(_) => self.of_sequence(&call, of)?,
            Object::Set(set) => self.of_set(&mut call, of, set)?,
            Object::Dict(entries) => self.of_dict(&call, entries)?,
            Object::Path(text) => Some(self.call_path_method(&mut call, of, text)?),
            Object::Class(class) if named.is_empty() => match call.objects {
                [given @ Object::Dict(_)] => {
                    let named: Option<Named> = given.items_of_dict().and_then(|entries| {
                        let entry = |(key, value)| match key {
                            Object::Str(key) => Some((key, (value, Rc::default()))),
                            _ => None,
                        };
                        entries.into_iter().map(entry).collect()
                    });
                    match named {
                        Some(named) => Some(self.make(call.frame, line, class, &Vec::new(), named)?),
                        None => None,
                    }
                }
                [given] if self.class_of(given).is_some_and(|own| own.is_a(class)) => Some(given.clone()),
                _ => None,
            },
            Object::Field(class, field) => match (call.name, self.code.field(class, field)) {
                ("is_required", Some(field)) if call.objects.is_empty() => {
                    Some(Object::Bool(field.default.is_none() && !field.has_factory))
                }
                _ => None,
            },
            Object::Pattern(pattern) => match call.objects {
                [Object::Str(text)] if matches!(call.name, "match" | "fullmatch" | "search") => matched(pattern, call.name, text),
                _ => None,
            },
            Object::Match(found) if named.is_empty() => found.call(call.name, call.objects),
            Object::Float(value) if call.name == "is_integer" => Some(Object::Bool(value.fract() == 0.0 && value.is_finite())),
            Object::Int(_) | Object::Bool(_) if call.name == "is_integer" => Some(Object::Bool(true)),
            Object::Int(value) if call.name == "bit_length" => {
                Some(Object::Int(i64::from(64 - value.unsigned_abs().leading_zeros())))
            }
            _ => None,
        };
        Ok(value.unwrap_or_else(|| self.unknown(call.frame, line, format!("a call of `.{name}`"))))
    }

    fn of_config(&mut self, call: &Call<'_>, of: &Object) -> Option<Object> {
        match (call.name, call.objects) {
            ("model_copy", []) if call.named.iter().all(|(name, _)| matches!(&**name, "deep" | "update")) => {
                let is_deep = call.named("deep").map_or(Ok(false), Object::truth).ok()?;
                let changes = match call.named("update") {
                    None | Some(Object::None) => Vec::new(),
                    Some(changes) => changes.items_of_dict()?,
                };
                let of = if is_deep { self.deep_copy(of)? } else { of.clone() };
                self.table_copy(&of, changes)
            }
            ("model_dump" | "dict", []) => self.dumped(of, call.named),
            _ => None,
        }
    }

    /// The methods that lists and tuples have in common. `None` if the method is not one of them.
    fn of_sequence(&self, call: &Call<'_>, of: &Object) -> Outcome<Option<Object>> {
        let items = match of.items() {
            Ok(items) => items,
            Err(why) => return Ok(Some(self.unknown_or(call.frame, call.line, why, "the items of a list"))),
        };
        Ok(match (call.name, call.objects) {
            ("index", [item]) => match items.iter().position(|own| own.equals(item) != Some(false)) {
                Some(at) if items[at].equals(item).is_none() => None,
                Some(at) => i64::try_from(at).ok().map(Object::Int),
                None => return Err(self.raised(call.frame, call.line, "ValueError", "an item that is not in the list")),
            },
            ("count", [item]) => {
                let same: Option<Vec<bool>> = items.iter().map(|own| own.equals(item)).collect();
                same.and_then(|same| i64::try_from(same.into_iter().filter(|same| *same).count()).ok()).map(Object::Int)
            }
            ("copy", []) => Some(Object::list(items)),
            _ => None,
        })
    }

    fn of_list(&mut self, call: &mut Call<'_>, of: &Object, list: &Rc<Shared<Vec<Object>>>) -> Outcome<Option<Object>> {
        if let ("append", [item], None, None) = (call.name, call.objects, &self.maybe, list.home())
            && list.lost.borrow().is_none()
            && list.value.borrow().len() < LONGEST
        {
            self.alters(call.frame, call.line, list);
            heap::spend(2);
            list.value.borrow_mut().push(item.clone());
            return Ok(Some(Object::None));
        }
        if !matches!(call.name, "append" | "extend" | "insert" | "remove" | "clear" | "sort" | "pop" | "reverse") {
            return self.of_sequence(call, of);
        }
        let mut items = list.value.borrow().clone();
        let is_known = list.lost.borrow().is_none() && self.maybe.is_none();
        let mut result = Object::None;
        let line = call.line;
        let changed = match (call.name, call.objects) {
            ("append", [item]) => {
                items.push(item.clone());
                Some(items)
            }
            ("extend", [more]) => self.iterated(call.frame, line, more)?.ok().map(|more| [items, more].concat()),
            ("insert", [Object::Int(at), item]) => {
                let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                let at = if *at < 0 { (at + length).max(0) } else { (*at).min(length) };
                items.insert(usize::try_from(at).unwrap_or(0), item.clone());
                Some(items)
            }
            ("clear", []) => Some(Vec::new()),
            ("reverse", []) => {
                items.reverse();
                Some(items)
            }
            ("sort", []) if is_known => match self.sorted(call, items)? {
                Some(Ok(items)) => Some(items),
                _ => None,
            },
            ("remove", [item]) if is_known => match items.iter().position(|own| own.equals(item) != Some(false)) {
                Some(at) if items[at].equals(item).is_none() => None,
                Some(at) => {
                    items.remove(at);
                    Some(items)
                }
                None => return Err(self.raised(call.frame, line, "ValueError", "list.remove(x): x not in list")),
            },
            ("pop", [] | [Object::Int(_)]) if is_known => {
                let at = call.objects.first().and_then(Object::as_int).unwrap_or(-1);
                let Some(at) = place_in(at, items.len()) else {
                    return Err(self.raised(call.frame, line, "IndexError", "pop index out of range"));
                };
                result = items.remove(at);
                Some(items)
            }
            _ => None,
        };
        if changed.is_none() && call.name == "pop" {
            result = self.unknown(call.frame, line, "an item that is taken from a list");
        }
        self.changed(call.frame, line, of, changed);
        Ok(Some(result))
    }

    fn of_set(&mut self, call: &mut Call<'_>, of: &Object, set: &Rc<Shared<Vec<Object>>>) -> Outcome<Option<Object>> {
        let own = match of.items() {
            Ok(own) => own,
            Err(why) => return Ok(Some(self.unknown_or(call.frame, call.line, why, "the items of a set"))),
        };
        let line = call.line;
        if let ("add" | "remove" | "discard", Some(item)) = (call.name, call.objects.first()) {
            self.hashed(call.frame, line, item)?;
        }
        let mut others = Vec::new();
        if !matches!(call.name, "add" | "remove" | "discard") {
            others = match self.all_items(call, call.objects)? {
                Ok(all) => all.concat(),
                Err(why) => {
                    if matches!(call.name, "update" | "difference_update" | "intersection_update") {
                        self.lose(set, &why);
                        return Ok(Some(Object::None));
                    }
                    return Ok(Some(Object::Unknown(why)));
                }
            };
        }
        let kept = |all: &[Object], others: &[Object], is_in: bool| -> Option<Vec<Object>> {
            let found: Option<Vec<bool>> = all.iter().map(|item| contains(others, item)).collect();
            Some(all.iter().zip(found?).filter(|(_, found)| *found == is_in).map(|(item, _)| item.clone()).collect())
        };
        let joined = || match set_of(own.iter().chain(&others).cloned().collect()) {
            Object::Set(set) => Some(set.value.take()),
            _ => None,
        };
        let changed = match (call.name, call.objects) {
            ("add", [item]) => match contains(&own, item) {
                Some(true) => Some(own.clone()),
                Some(false) => Some(own.iter().chain([item]).cloned().collect()),
                None => None,
            },
            ("discard" | "remove", [item]) => match contains(&own, item) {
                Some(false) if call.name == "remove" && self.maybe.is_none() => {
                    let key = text::quoted(item).unwrap_or_default();
                    return Err(self.raised(call.frame, line, "KeyError", key));
                }
                Some(_) => kept(&own, std::slice::from_ref(item), false),
                None => None,
            },
            ("clear", []) => Some(Vec::new()),
            ("update", _) => joined(),
            ("difference_update", [_]) => kept(&own, &others, false),
            ("intersection_update", [_]) => kept(&own, &others, true),
            ("pop", []) => {
                self.changed(call.frame, line, of, None);
                return Ok(Some(self.unknown(call.frame, line, "an item that is taken from a set")));
            }
            _ => {
                return Ok(match (call.name, call.objects) {
                    ("union", _) => joined().map(Object::set),
                    ("difference", _) => kept(&own, &others, false).map(Object::set),
                    ("intersection", [_]) => kept(&own, &others, true).map(Object::set),
                    ("symmetric_difference", [_]) => kept(&own, &others, false)
                        .zip(kept(&others, &own, false))
                        .map(|(one, other)| set_of([one, other].concat())),
                    ("issubset", [_]) => kept(&own, &others, false).map(|others| Object::Bool(others.is_empty())),
                    ("issuperset", [_]) => kept(&others, &own, false).map(|others| Object::Bool(others.is_empty())),
                    ("isdisjoint", [_]) => kept(&own, &others, true).map(|common| Object::Bool(common.is_empty())),
                    ("copy", []) => Some(Object::set(own)),
                    _ => None,
                });
            }
        };
        self.changed(call.frame, line, of, changed);
        Ok(Some(Object::None))
    }

    fn of_dict(&mut self, call: &Call<'_>, entries: &Entries) -> Outcome<Option<Object>> {
        if let Some(why) = &*entries.lost.borrow() {
            return Ok(Some(Object::Unknown(Rc::clone(why))));
        }
        if let ("get" | "pop" | "setdefault", Some(key)) = (call.name, call.objects.first()) {
            self.hashed(call.frame, call.line, key)?;
        }
        let all = entries.value.borrow().clone();
        Ok(match (call.name, call.objects) {
            ("get", [key, rest @ ..]) => match self.looked_up(entries, key) {
                Ok(found) => Some(found.or_else(|| rest.first().cloned()).unwrap_or(Object::None)),
                Err(()) => Some(key.clone()).filter(|key| matches!(key, Object::Unknown(_))),
            },
            // A view of keys is compared and joined like a set.
            ("keys", []) => Some(Object::set(all.into_iter().map(|(key, _)| key).collect())),
            ("values", []) => Some(Object::list(all.into_iter().map(|(_, value)| value).collect())),
            ("items", []) => Some(Object::list(all.into_iter().map(|(key, value)| Object::tuple(vec![key, value])).collect())),
            ("copy", []) if entries.missing.borrow().is_none() => Some(Object::dict(all)),
            ("setdefault", [key, rest @ ..]) => match lookup(&all, key) {
                Ok(Some(found)) => Some(found),
                Ok(None) => {
                    let value = rest.first().cloned().unwrap_or(Object::None);
                    self.set_entry(call, entries, key, &value)?;
                    Some(value)
                }
                Err(()) => None,
            },
            ("update", [] | [_]) if entries.missing.borrow().is_none() => {
                let Some(more) = self.pairs_of(call)? else { return Ok(Some(self.spoiled(call, entries))) };
                for (key, value) in &more {
                    self.set_entry(call, entries, key, value)?;
                }
                for (key, (value, _)) in call.named {
                    self.set_entry(call, entries, &Object::Str(Arc::clone(key)), value)?;
                }
                Some(Object::None)
            }
            ("most_common", [] | [Object::Int(_)]) if matches!(&*entries.missing.borrow(), Some(Object::Int(_))) => {
                let mut counts = all;
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.as_int()));
                let most =
                    call.objects.first().and_then(Object::as_int).map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(0));
                Some(Object::list(counts.into_iter().take(most).map(|(key, value)| Object::tuple(vec![key, value])).collect()))
            }
            ("popitem", []) if self.maybe.is_none() => match all.last() {
                Some((key, value)) => {
                    self.take_entry(call.frame, call.line, entries, key, value);
                    Some(Object::tuple(vec![key.clone(), value.clone()]))
                }
                None => return Err(self.raised(call.frame, call.line, "KeyError", "'popitem(): dictionary is empty'")),
            },
            ("clear", []) if self.maybe.is_none() => {
                for (key, value) in &all {
                    self.take_entry(call.frame, call.line, entries, key, value);
                }
                Some(Object::None)
            }
            ("pop", [key, rest @ ..]) => match (lookup(&all, key), rest.first()) {
                (Ok(None), Some(default)) => Some(default.clone()),
                (Ok(None), None) => {
                    return Err(self.raised(call.frame, call.line, "KeyError", text::quoted(key).unwrap_or_default()));
                }
                (Ok(Some(found)), _) if self.maybe.is_none() => {
                    self.take_entry(call.frame, call.line, entries, key, &found);
                    Some(found)
                }
                _ => Some(self.spoiled(call, entries)),
            },
            ("clear" | "move_to_end" | "popitem" | "update", _) => Some(self.spoiled(call, entries)),
            _ => None,
        })
    }

    /// Removes an entry with this value from a dict.
    pub(super) fn take_entry(&mut self, frame: &Frame, line: u32, entries: &Entries, key: &Object, value: &Object) {
        if !heap::spend(entries.value.borrow().len()) {
            return;
        }
        self.alters(frame, line, entries);
        if let (Some(home), Object::Str(key)) = (entries.home(), key) {
            let at = below(&home, ValueSegment::Key(Arc::clone(key)));
            self.reads.push(Rc::clone(&at));
            if !self.is_of_data(frame, line, &at) {
                let slots = self.places.borrow().slots(&at);
                slots.iter().for_each(|slot| self.table.remove(slot));
                if let Some(slot) = slots.first() {
                    self.places.borrow_mut().remove(slot);
                }
            }
            value.take();
        }
        entries.value.borrow_mut().retain(|(own, _)| own.equals(key) != Some(true));
    }

    /// A dict's value for a key, which is recorded as read.
    pub(super) fn looked_up(&mut self, entries: &Entries, key: &Object) -> Result<Option<Object>, ()> {
        if let (Some(home), Object::Str(key)) = (entries.home(), key) {
            self.reads.push(below(&home, ValueSegment::Key(Arc::clone(key))));
        }
        lookup(&entries.value.borrow(), key)
    }

    /// Marks a dict as unknown, because it is changed in a way that is not modelled.
    fn spoiled(&mut self, call: &Call<'_>, entries: &Entries) -> Object {
        let otherwise = self.why(&call.frame.module, call.line, format!("a call of `.{}`", call.name));
        let why = self.maybe.clone().unwrap_or(otherwise);
        self.lose(entries, &why);
        Object::Unknown(why)
    }

    fn set_entry(&mut self, call: &Call<'_>, entries: &Entries, key: &Object, value: &Object) -> Outcome<()> {
        self.set_item(call.frame, call.line, &Object::Dict(Rc::clone(entries)), key, value.clone(), &[])
    }

    /// The entries that `update` is given; `None` if they are unknown.
    fn pairs_of(&mut self, call: &Call<'_>) -> Outcome<Option<Vec<(Object, Object)>>> {
        let Some(given) = call.objects.first() else { return Ok(Some(Vec::new())) };
        if let Object::Dict(_) = given {
            return Ok(given.items_of_dict());
        }
        let Ok(pairs) = self.iterated(call.frame, call.line, given)? else { return Ok(None) };
        let pair = |pair: Object| match pair.items().ok()?.as_slice() {
            [key, value] => Some((key.clone(), value.clone())),
            _ => None,
        };
        Ok(pairs.into_iter().map(pair).collect())
    }
}
