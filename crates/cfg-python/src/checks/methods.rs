//! The methods of builtin objects that checks use.

use std::{rc::Rc, sync::Arc};

use cfg_schema::ValueSegment;

use super::{
    builtins::{Call, matched},
    call::{Given, Named},
    equality::{contains, lookup, once},
    object::{Object, Shared, below},
    operators::LONGEST,
    run::{Frame, Outcome, Run},
    text,
};
use crate::ast::{Name, Operator};

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
        let mut call = Call { frame, line, name, objects: &objects, given, named };
        let value = match of {
            Object::Table(_) | Object::New(_) => self.of_config(&call, of),
            Object::Str(text) => self.of_str(&call, text),
            Object::List(list) => self.of_list(&mut call, of, list)?,
            Object::Tuple(_) => self.of_sequence(&call, of)?,
            Object::Set(set) => self.of_set(&call, of, set),
            Object::Dict(entries) => self.of_dict(&call, entries)?,
            Object::Path(text) => Some(self.of_some_path(&mut call, of, text)?),
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
            _ => None,
        };
        Ok(value.unwrap_or_else(|| self.unknown(call.frame, line, format!("a call of `.{name}`"))))
    }

    fn of_config(&mut self, call: &Call<'_>, of: &Object) -> Option<Object> {
        match (call.name, call.objects) {
            ("model_copy" | "copy", []) if call.named.iter().all(|(name, _)| &**name == "deep") => Some(of.clone()),
            ("model_dump" | "dict", []) => self.dumped(of, call.named),
            _ => None,
        }
    }

    fn of_str(&self, call: &Call<'_>, text: &Name) -> Option<Object> {
        let parts = |parts: Vec<&str>| Object::list(parts.into_iter().map(Object::str).collect());
        let most = |most: i64| usize::try_from(most).ok().filter(|most| *most < 1000).map(|most| most + 1);
        Some(match (call.name, call.objects) {
            ("startswith", [part]) => Object::Bool(texts(part)?.iter().any(|part| text.starts_with(*part))),
            ("endswith", [part]) => Object::Bool(texts(part)?.iter().any(|part| text.ends_with(*part))),
            ("lower" | "casefold", []) => Object::str(text.to_lowercase()),
            ("upper", []) => Object::str(text.to_uppercase()),
            ("strip", []) => Object::str(text.trim()),
            ("lstrip", []) => Object::str(text.trim_start()),
            ("rstrip", []) => Object::str(text.trim_end()),
            ("strip", [Object::Str(letters)]) => Object::str(text.trim_matches(|letter| letters.contains(letter))),
            ("lstrip", [Object::Str(letters)]) => Object::str(text.trim_start_matches(|letter| letters.contains(letter))),
            ("rstrip", [Object::Str(letters)]) => Object::str(text.trim_end_matches(|letter| letters.contains(letter))),
            ("removeprefix", [Object::Str(part)]) => Object::str(text.strip_prefix(&**part).unwrap_or(text)),
            ("removesuffix", [Object::Str(part)]) => Object::str(text.strip_suffix(&**part).unwrap_or(text)),
            ("replace", [Object::Str(part), Object::Str(by)])
                if !part.is_empty() && text.len().saturating_mul(by.len()) < LONGEST =>
            {
                Object::str(text.replace(&**part, by))
            }
            ("split", []) => parts(text.split_whitespace().collect()),
            ("split", [Object::Str(by)]) if !by.is_empty() && call.named.is_empty() => parts(text.split(&**by).collect()),
            ("split", [Object::Str(by), Object::Int(times)]) if !by.is_empty() => {
                parts(text.splitn(most(*times)?, &**by).collect())
            }
            ("rsplit", [Object::Str(by), Object::Int(times)]) if !by.is_empty() => {
                let mut found: Vec<&str> = text.rsplitn(most(*times)?, &**by).collect();
                found.reverse();
                parts(found)
            }
            ("count", [Object::Str(part)]) if !part.is_empty() => Object::Int(i64::try_from(text.matches(&**part).count()).ok()?),
            ("isdigit" | "isdecimal" | "isnumeric", []) => {
                Object::Bool(!text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit()))
            }
            ("join", [all]) => match all.items() {
                Ok(items) => match items.iter().find(|item| matches!(item, Object::Unknown(_))) {
                    Some(unknown) => unknown.clone(),
                    None => Object::str(items.iter().map(as_str).collect::<Option<Vec<_>>>()?.join(text)),
                },
                Err(why) => self.unknown_or(call.frame, call.line, why, "the strings to join"),
            },
            _ => return None,
        })
    }

    /// The methods that lists and tuples have in common. `None` if the method is not one of them.
    fn of_sequence(&self, call: &Call<'_>, of: &Object) -> Outcome<Option<Object>> {
        let items = match of.items() {
            Ok(items) => items,
            Err(why) => return Ok(Some(self.unknown_or(call.frame, call.line, why, "the items of a list"))),
        };
        Ok(match (call.name, call.objects) {
            ("index", [item]) => match items.iter().position(|own| own.equals(item) == Some(true)) {
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
        let more = match (call.name, call.objects) {
            ("append", [item]) => Some(vec![item.clone()]),
            ("extend", [more]) => more.items().ok(),
            ("insert" | "remove" | "clear" | "sort" | "pop" | "reverse" | "extend", _) => None,
            _ => return self.of_sequence(call, of),
        };
        let is_known = self.maybe.is_none() && list.lost.borrow().is_none();
        match more.filter(|more| is_known && list.value.borrow().len() + more.len() < LONGEST) {
            Some(more) => {
                list.value.borrow_mut().extend(more);
                // A list in the config is replaced by the longer one.
                if let Some(home) = list.home() {
                    let whole = Object::list(list.value.borrow().clone());
                    self.put(call.frame, call.line, &home, &whole, &[Rc::clone(&home)]);
                }
            }
            None => {
                let otherwise = self.why(&call.frame.module, call.line, format!("a call of `.{}`", call.name));
                let why = self.maybe.clone().unwrap_or(otherwise);
                self.lose(list, &why);
            }
        }
        Ok(Some(Object::None))
    }

    fn of_set(&mut self, call: &Call<'_>, of: &Object, set: &Rc<Shared<Vec<Object>>>) -> Option<Object> {
        match (call.name, call.objects) {
            ("add", [item]) => {
                if let Some(why) = self.maybe.clone() {
                    self.lose(set, &why);
                } else if !set.value.borrow().iter().any(|own| own.equals(item) == Some(true)) {
                    set.value.borrow_mut().push(item.clone());
                }
                Some(Object::None)
            }
            ("union", [other]) => {
                let mut all = of.items().ok()?;
                all.extend(other.items().ok()?);
                Some(Object::set(once(all)))
            }
            ("difference" | "intersection" | "issubset", [other]) => {
                let others = other.items().ok()?;
                let mut kept = Vec::new();
                let mut are_all = true;
                for item in of.items().ok()? {
                    let is_in = contains(&others, &item)?;
                    are_all &= is_in;
                    if is_in == (call.name == "intersection") {
                        kept.push(item);
                    }
                }
                Some(if call.name == "issubset" { Object::Bool(are_all) } else { Object::set(kept) })
            }
            _ => None,
        }
    }

    fn of_some_path(&self, call: &mut Call<'_>, of: &Object, text: &Name) -> Outcome<Object> {
        Ok(match (call.name, call.objects) {
            ("as_posix" | "__str__", []) => Object::Str(Arc::clone(text)),
            ("joinpath", [part]) => self.binary(call.frame, call.line, Operator::Divide, of, part)?,
            // The result is a path as well; where it is on the machine does not matter.
            ("resolve" | "absolute" | "expanduser", _) => of.clone(),
            ("is_absolute", []) => Object::Bool(text.starts_with('/')),
            (method, _) => {
                let why = format!("the result of `Path(\"{text}\").{method}` on the machine");
                self.machine(call.frame, call.line, why)
            }
        })
    }

    fn of_dict(&mut self, call: &Call<'_>, entries: &Entries) -> Outcome<Option<Object>> {
        if let Some(why) = &*entries.lost.borrow() {
            return Ok(Some(Object::Unknown(Rc::clone(why))));
        }
        let all = entries.value.borrow().clone();
        Ok(match (call.name, call.objects) {
            ("get", [key, rest @ ..]) => match self.looked_up(entries, &all, key) {
                Ok(found) => Some(found.or_else(|| rest.first().cloned()).unwrap_or(Object::None)),
                Err(()) => Some(key.clone()).filter(|key| matches!(key, Object::Unknown(_))),
            },
            ("keys", []) => Some(Object::list(all.into_iter().map(|(key, _)| key).collect())),
            ("values", []) => Some(Object::list(all.into_iter().map(|(_, value)| value).collect())),
            ("items", []) => Some(Object::list(all.into_iter().map(|(key, value)| Object::tuple(vec![key, value])).collect())),
            ("copy", []) => Some(Object::dict(all)),
            ("setdefault", [key @ Object::Str(_), rest @ ..]) => match lookup(&all, key) {
                Ok(Some(found)) => Some(found),
                Ok(None) => {
                    let value = rest.first().cloned().unwrap_or(Object::None);
                    self.set_entry(call, entries, key, &value);
                    Some(value)
                }
                Err(()) => None,
            },
            ("update", [] | [Object::Dict(_)]) => {
                let more = match call.objects {
                    [Object::Dict(more)] if more.lost.borrow().is_none() => more.value.borrow().clone(),
                    [_] => return Ok(Some(self.spoiled(call, entries))),
                    _ => Vec::new(),
                };
                more.iter().for_each(|(key, value)| self.set_entry(call, entries, key, value));
                for (key, (value, _)) in call.named {
                    self.set_entry(call, entries, &Object::Str(Arc::clone(key)), value);
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
            ("clear" | "update" | "popitem", _) => Some(self.spoiled(call, entries)),
            _ => None,
        })
    }

    /// Removes an entry with this value from a dict.
    pub(super) fn take_entry(&mut self, frame: &Frame, line: u32, entries: &Entries, key: &Object, value: &Object) {
        if let (Some(home), Object::Str(key)) = (entries.home(), key) {
            let at = below(&home, ValueSegment::Key(Arc::clone(key)));
            self.reads.push(Rc::clone(&at));
            if !self.is_of_data(frame, line, &at) {
                self.table.remove(&at);
            }
            value.take();
        }
        entries.value.borrow_mut().retain(|(own, _)| own.equals(key) != Some(true));
    }

    /// A dict's value for a key, which is recorded as read.
    pub(super) fn looked_up(&mut self, entries: &Entries, all: &[(Object, Object)], key: &Object) -> Result<Option<Object>, ()> {
        if let (Some(home), Object::Str(key)) = (entries.home(), key) {
            self.reads.push(below(&home, ValueSegment::Key(Arc::clone(key))));
        }
        lookup(all, key)
    }

    /// Marks a dict as unknown, because it is changed in a way that is not modelled.
    fn spoiled(&mut self, call: &Call<'_>, entries: &Entries) -> Object {
        let otherwise = self.why(&call.frame.module, call.line, format!("a call of `.{}`", call.name));
        let why = self.maybe.clone().unwrap_or(otherwise);
        self.lose(entries, &why);
        Object::Unknown(why)
    }

    fn set_entry(&mut self, call: &Call<'_>, entries: &Entries, key: &Object, value: &Object) {
        self.set_item(call.frame, call.line, &Object::Dict(Rc::clone(entries)), key, value.clone(), &[]);
    }
}

/// A string, or a tuple of strings; `None` for other objects.
fn texts(object: &Object) -> Option<Vec<&str>> {
    match object {
        Object::Tuple(all) => all.iter().map(as_str).collect(),
        one => Some(vec![as_str(one)?]),
    }
}

fn as_str(object: &Object) -> Option<&str> {
    if let Object::Str(text) = object { Some(text) } else { None }
}
