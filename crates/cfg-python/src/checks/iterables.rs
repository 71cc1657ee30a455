//! Functions of Python that take or create iterables: builtins, and those of `functools` and `collections`.

use std::{collections::VecDeque, rc::Rc, sync::Arc};

use super::{
    builtins::Call,
    equality::{lookup, put},
    heap,
    numbers::range,
    object::{Object, Why, too_much},
    operators::type_name,
    run::{Frame, Outcome, Run},
};
use crate::ast::{Comparison, Name};

/// Functions whose first argument is an iterable that they go through once.
const OF_ONE: [&str; 12] = [
    "list",
    "tuple",
    "set",
    "frozenset",
    "sorted",
    "reversed",
    "iter",
    "enumerate",
    "any",
    "all",
    "dict.fromkeys",
    "collections.Counter",
];

impl Run<'_> {
    /// The items of an iterable; the inner error says why they are unknown. An object without items raises an exception.
    pub(super) fn iterated(&mut self, frame: &Frame, line: u32, object: &Object) -> Outcome<Result<Vec<Object>, Why>> {
        match object.items() {
            Ok(items) => return Ok(Ok(items)),
            Err(Some(why)) => return Ok(Err(why)),
            Err(None) => {}
        }
        match object {
            Object::None | Object::Bool(_) | Object::Int(_) | Object::Float(_) | Object::Path(_) => {
                let message = format!("'{}' object is not iterable", type_name(object));
                Err(self.raised(frame, line, "TypeError", message))
            }
            Object::Class(class) if class.is_enum => {
                Ok(self.members(class).ok_or_else(|| self.why(&frame.module, line, "the members of an enumeration")))
            }
            Object::Table(..) | Object::New(_) => Ok(self
                .fields_of(object)
                .ok_or_else(|| self.why(&frame.module, line, "the fields of a table, one after the other"))),
            _ => Ok(Err(self.why(&frame.module, line, "a loop over a value that is not a list"))),
        }
    }

    /// The names of the fields of a table with their values; `None` if it may have others.
    fn fields_of(&self, of: &Object) -> Option<Vec<Object>> {
        let class = self.class_of(of).filter(|class| class.partial.is_none() && class.function("__iter__").is_none())?;
        self.given_alone(of)?;
        let fields = self.code.fields(&class)?.iter();
        fields
            .map(|field| Some(Object::tuple(vec![Object::Str(Arc::clone(&field.name)), self.value_of(of, &field.name)?])))
            .collect()
    }

    /// `None` if the function is not one of them.
    pub(super) fn of_iterables(&mut self, call: &mut Call<'_>) -> Outcome<Option<Object>> {
        if let Some(made) = self.of_several(call)? {
            return Ok(Some(made));
        }
        let (name, Some((first, rest))) = (call.name, call.objects.split_first()) else {
            return Ok(match call.name {
                "list" => Some(Object::list(Vec::new())),
                "tuple" => Some(Object::tuple(Vec::new())),
                "set" | "frozenset" => Some(Object::set(Vec::new())),
                "collections.Counter" if call.named.is_empty() => Some(counted(Vec::new())),
                _ => None,
            });
        };
        if !OF_ONE.contains(&name) {
            return Ok(None);
        }
        if name == "iter" && matches!(first, Object::Iterator(_)) {
            return Ok(Some(first.clone()));
        }
        if name == "collections.Counter" && matches!(first, Object::Dict(_)) {
            return Ok(None);
        }
        let items = match self.iterated(call.frame, call.line, first)? {
            Ok(items) => items,
            Err(why) => return Ok(Some(Object::Unknown(why))),
        };
        Ok(match (name, rest) {
            ("list", []) => Some(Object::list(items)),
            ("tuple", []) => Some(Object::tuple(items)),
            ("set" | "frozenset", []) => Some(self.hashed_set(call.frame, call.line, items)?),
            ("iter", []) => Some(Object::iterator(items)),
            ("reversed", []) if !matches!(first, Object::Set(_) | Object::Iterator(_)) => {
                Some(Object::iterator(items.into_iter().rev().collect()))
            }
            ("sorted", []) => match self.sorted(call, items)? {
                Some(Ok(items)) => Some(Object::list(items)),
                Some(Err(why)) => Some(Object::Unknown(why)),
                None => None,
            },
            ("enumerate", [] | [Object::Int(_)]) => {
                let start = rest.first().or_else(|| call.named("start")).map_or(Some(0), Object::as_int);
                let last = |start: i64| start.checked_add(i64::try_from(items.len()).ok()?);
                start.filter(|start| last(*start).is_some()).map(|start| {
                    let numbered = (start..).zip(items);
                    Object::iterator(numbered.map(|(at, item)| Object::tuple(vec![Object::Int(at), item])).collect())
                })
            }
            ("any" | "all", []) => Some(decided(&items, name == "any")),
            ("dict.fromkeys", [] | [_]) => {
                let value = rest.first().cloned().unwrap_or(Object::None);
                entries_of(items.into_iter().map(|key| (key, value.clone())).collect()).map(Object::dict)
            }
            ("collections.Counter", []) if call.named.is_empty() => {
                self.all_hashed(call.frame, call.line, &items)?;
                Some(counted(items))
            }
            _ => None,
        })
    }

    /// Functions that take several iterables, a function, or no iterable. `None` if the function is not one of them.
    fn of_several(&mut self, call: &mut Call<'_>) -> Outcome<Option<Object>> {
        let line = call.line;
        Ok(match (call.name, call.objects) {
            ("len", [object]) => Some(match object {
                Object::None | Object::Int(_) | Object::Bool(_) | Object::Float(_) | Object::Iterator(_) => {
                    let message = format!("object of type '{}' has no len()", type_name(object));
                    return Err(self.raised(call.frame, line, "TypeError", message));
                }
                Object::Class(class) if let Some(members) = self.members(class) => {
                    Object::Int(i64::try_from(members.len()).unwrap_or(i64::MAX))
                }
                _ => match object.items() {
                    Ok(items) => Object::Int(i64::try_from(items.len()).unwrap_or(i64::MAX)),
                    Err(why) => self.unknown_or(call.frame, line, why, "the items of a value that is not a list"),
                },
            }),
            ("range", _) => range(call.objects),
            ("dict", []) if call.named.is_empty() => Some(Object::dict(Vec::new())),
            ("dict" | "collections.OrderedDict", [] | [_]) => self.dict(call)?,
            ("collections.defaultdict", [factory, given @ ..]) if given.len() < 2 && call.named.is_empty() => {
                let made = match given {
                    [given] => given.items_of_dict().map(Object::dict),
                    _ => Some(Object::dict(Vec::new())),
                };
                if let Some(Object::Dict(dict)) = &made {
                    *dict.missing.borrow_mut() = Some(factory.clone()).filter(|factory| !matches!(factory, Object::None));
                }
                made
            }
            ("zip" | "itertools.zip_longest", all) => self.zipped(call, all)?,
            ("map", [function, all @ ..]) if !all.is_empty() => {
                let (function, all) = (function.clone(), self.all_items(call, all)?);
                match all {
                    Ok(all) => Some(Object::iterator(self.mapped(call, &function, &all)?)),
                    Err(why) => Some(Object::Unknown(why)),
                }
            }
            ("filter" | "itertools.filterfalse" | "itertools.takewhile" | "itertools.dropwhile", [test, over]) => {
                Some(self.selected(call, test, over)?)
            }
            ("next", [Object::Iterator(items), rest @ ..]) => {
                if let Some(why) = &*items.lost.borrow() {
                    return Ok(Some(Object::Unknown(Rc::clone(why))));
                }
                if let Some(why) = self.maybe.clone() {
                    self.lose(items, &why);
                    return Ok(Some(Object::Unknown(why)));
                }
                let is_empty = items.value.borrow().is_empty();
                let first = (!is_empty).then(|| items.value.borrow_mut().remove(0));
                match first.or_else(|| rest.first().cloned()) {
                    Some(first) => Some(first),
                    None => return Err(self.raised(call.frame, line, "StopIteration", "")),
                }
            }
            ("next", [object, ..]) if !matches!(object, Object::Unknown(_)) => {
                let message = format!("'{}' object is not an iterator", type_name(object));
                return Err(self.raised(call.frame, line, "TypeError", message));
            }
            ("functools.reduce", [function, over, rest @ ..]) if rest.len() < 2 => {
                let items = match self.iterated(call.frame, line, over)? {
                    Ok(items) => items,
                    Err(why) => return Ok(Some(Object::Unknown(why))),
                };
                let mut items = rest.iter().cloned().chain(items);
                match items.next() {
                    Some(mut value) => {
                        for item in items {
                            heap::spend(4);
                            value = self.calls(call, function, vec![value, item])?;
                        }
                        Some(value)
                    }
                    None => {
                        let message = "reduce() of empty iterable with no initial value";
                        return Err(self.raised(call.frame, line, "TypeError", message));
                    }
                }
            }
            ("functools.partial" | "operator.itemgetter" | "operator.attrgetter", [first, rest @ ..])
                if call.named.is_empty() =>
            {
                Some(if call.name == "functools.partial" {
                    Object::partial(first.clone(), rest.to_vec())
                } else {
                    Object::partial(Object::External(call.name.into()), call.objects.to_vec())
                })
            }
            (name, all) if name.starts_with("itertools.") => self.of_itertools(call, all)?,
            _ => None,
        })
    }

    /// Calls an object with these arguments.
    pub(super) fn calls(&mut self, call: &mut Call<'_>, function: &Object, arguments: Vec<Object>) -> Outcome<Object> {
        let given = arguments.into_iter().map(|argument| (argument, Rc::default())).collect();
        self.call(call.frame, call.line, function, given, Vec::new())
    }

    pub(super) fn all_items(&mut self, call: &Call<'_>, all: &[Object]) -> Outcome<Result<Vec<Vec<Object>>, Why>> {
        let mut found = Vec::new();
        for one in all {
            match self.iterated(call.frame, call.line, one)? {
                Ok(items) => found.push(items),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(found))
    }

    fn mapped(&mut self, call: &mut Call<'_>, function: &Object, all: &[Vec<Object>]) -> Outcome<Vec<Object>> {
        let length = all.iter().map(Vec::len).min().unwrap_or(0);
        (0..length).map(|at| self.calls(call, function, all.iter().map(|items| items[at].clone()).collect())).collect()
    }

    fn zipped(&mut self, call: &Call<'_>, all: &[Object]) -> Outcome<Option<Object>> {
        let all = match self.all_items(call, all)? {
            Ok(all) => all,
            Err(why) => return Ok(Some(Object::Unknown(why))),
        };
        let (shortest, longest) = (all.iter().map(Vec::len).min(), all.iter().map(Vec::len).max());
        let length = match call.name {
            "zip" => {
                let is_strict = call.named("strict").map_or(Ok(false), Object::truth);
                match is_strict {
                    Ok(true) if shortest != longest => {
                        return Err(self.raised(call.frame, call.line, "ValueError", "zip() argument is shorter or longer"));
                    }
                    Ok(_) => shortest,
                    Err(why) => return Ok(Some(Object::Unknown(why))),
                }
            }
            _ => longest,
        };
        if !heap::spend(length.unwrap_or(0).saturating_mul(all.len())) {
            return Ok(Some(Object::Unknown(too_much())));
        }
        let filler = call.named("fillvalue").cloned().unwrap_or(Object::None);
        let row = |at: usize| all.iter().map(|items| items.get(at).cloned().unwrap_or_else(|| filler.clone())).collect();
        Ok(Some(Object::iterator((0..length.unwrap_or(0)).map(|at| Object::tuple(row(at))).collect())))
    }

    /// The items that a function selects.
    fn selected(&mut self, call: &mut Call<'_>, test: &Object, over: &Object) -> Outcome<Object> {
        let items = match self.iterated(call.frame, call.line, over)? {
            Ok(items) => items,
            Err(why) => return Ok(Object::Unknown(why)),
        };
        let (mut kept, mut is_dropping) = (Vec::new(), true);
        for item in items {
            if call.name == "itertools.dropwhile" && !is_dropping {
                kept.push(item);
                continue;
            }
            let value = if matches!(test, Object::None) { item.clone() } else { self.calls(call, test, vec![item.clone()])? };
            let holds = match value.truth() {
                Ok(holds) => holds,
                Err(why) => return Ok(Object::Unknown(why)),
            };
            match call.name {
                "itertools.takewhile" if !holds => break,
                "itertools.dropwhile" => is_dropping = holds,
                _ => {}
            }
            let is_kept = if matches!(call.name, "filter" | "itertools.takewhile") { holds } else { !holds };
            if is_kept {
                kept.push(item);
            }
        }
        Ok(Object::iterator(kept))
    }

    /// `dict(...)`: of another dict, or of pairs, with further entries by name.
    fn dict(&mut self, call: &Call<'_>) -> Outcome<Option<Object>> {
        let mut all = match call.objects {
            [Object::Dict(entries)] => match &*entries.lost.borrow() {
                Some(why) => return Ok(Some(Object::Unknown(Rc::clone(why)))),
                None => entries.value.borrow().clone(),
            },
            [pairs] => {
                let pairs = match self.iterated(call.frame, call.line, pairs)? {
                    Ok(pairs) => pairs,
                    Err(why) => return Ok(Some(Object::Unknown(why))),
                };
                let pair = |pair: Object| match pair.items().ok()?.as_slice() {
                    [key, value] => Some((key.clone(), value.clone())),
                    _ => None,
                };
                let Some(pairs) = pairs.into_iter().map(pair).collect::<Option<Vec<_>>>() else { return Ok(None) };
                self.all_hashed(call.frame, call.line, pairs.iter().map(|(key, _)| key))?;
                let Some(entries) = entries_of(pairs) else { return Ok(None) };
                entries
            }
            _ => Vec::new(),
        };
        let is_put = |(name, (value, _)): &(Name, (Object, _))| put(&mut all, Object::Str(Arc::clone(name)), value.clone());
        if !call.named.iter().all(is_put) {
            return Ok(Some(Object::Unknown(too_much())));
        }
        Ok(Some(Object::dict(all)))
    }

    /// Items in Python's order; the inner error says why it is unknown. `None` if the arguments are not modelled.
    pub(super) fn sorted(&mut self, call: &mut Call<'_>, items: Vec<Object>) -> Outcome<Option<Result<Vec<Object>, Why>>> {
        if call.named.iter().any(|(name, _)| !matches!(&**name, "key" | "reverse")) {
            return Ok(None);
        }
        let is_reverse = match call.named("reverse").map_or(Ok(false), Object::truth) {
            Ok(is_reverse) => is_reverse,
            Err(why) => return Ok(Some(Err(why))),
        };
        let keys = match self.keys_of(call, &items)? {
            Ok(keys) => keys,
            Err(why) => return Ok(Some(Err(why))),
        };
        Ok(Some(self.merge_sorted(call, keys.into_iter().zip(items).collect(), is_reverse)?))
    }

    /// Items with their keys in the order of these. Of equal items the first stays in front, in both directions.
    fn merge_sorted(
        &mut self,
        call: &Call<'_>,
        mut items: Vec<(Object, Object)>,
        is_reverse: bool,
    ) -> Outcome<Result<Vec<Object>, Why>> {
        let mut width = 1;
        while width < items.len() {
            let mut merged = Vec::with_capacity(items.len());
            let mut rest = items.into_iter();
            loop {
                let mut one: VecDeque<_> = rest.by_ref().take(width).collect();
                let mut other: VecDeque<_> = rest.by_ref().take(width).collect();
                if one.is_empty() {
                    break;
                }
                while let (Some((first, _)), Some((second, _))) = (one.front(), other.front()) {
                    if !heap::spend(4) {
                        return Ok(Err(too_much()));
                    }
                    let (left, right) = if is_reverse { (first, second) } else { (second, first) };
                    let comes_first = match self.compare(call.frame, call.line, Comparison::Less, left, right)? {
                        Ok(comes_first) => comes_first,
                        Err(why) => return Ok(Err(why)),
                    };
                    merged.extend(if comes_first { other.pop_front() } else { one.pop_front() });
                }
                merged.extend(one);
                merged.extend(other);
            }
            items = merged;
            width *= 2;
        }
        Ok(Ok(items.into_iter().map(|(_, item)| item).collect()))
    }

    /// What items are compared by: the results of the argument `key`, or the items themselves.
    pub(super) fn keys_of(&mut self, call: &mut Call<'_>, items: &[Object]) -> Outcome<Result<Vec<Object>, Why>> {
        let key = call.named("key").filter(|key| !matches!(key, Object::None)).cloned();
        let mut keys = Vec::new();
        for item in items {
            let value = match &key {
                Some(key) => self.calls(call, key, vec![item.clone()])?,
                None => item.clone(),
            };
            match value {
                Object::Unknown(why) => return Ok(Err(why)),
                value => keys.push(value),
            }
        }
        Ok(Ok(keys))
    }
}

/// Whether any, or all, of the items are true.
fn decided(items: &[Object], stops_at: bool) -> Object {
    let truths: Vec<Result<bool, Why>> = items.iter().map(Object::truth).collect();
    if truths.iter().any(|truth| matches!(truth, Ok(truth) if *truth == stops_at)) {
        return Object::Bool(stops_at);
    }
    truths.into_iter().find_map(Result::err).map_or(Object::Bool(!stops_at), Object::Unknown)
}

/// Entries of a dict, each key once; `None` if it is unknown whether keys are equal.
fn entries_of(pairs: Vec<(Object, Object)>) -> Option<Vec<(Object, Object)>> {
    let mut all = Vec::new();
    for (key, value) in pairs {
        lookup(&all, &key).ok()?;
        put(&mut all, key, value);
    }
    Some(all)
}

/// A `Counter` of these items.
fn counted(items: Vec<Object>) -> Object {
    let mut counts: Vec<(Object, Object)> = Vec::new();
    for item in items {
        let count = match lookup(&counts, &item) {
            Ok(count) => count.and_then(|count| count.as_int()).unwrap_or(0) + 1,
            Err(()) => {
                let unknown = counts.into_iter().map(|(item, _)| item).find(|item| matches!(item, Object::Unknown(_)));
                return unknown.unwrap_or(item);
            }
        };
        put(&mut counts, item, Object::Int(count));
    }
    let made = Object::dict(counts);
    if let Object::Dict(dict) = &made {
        *dict.missing.borrow_mut() = Some(Object::Int(0));
    }
    made
}
