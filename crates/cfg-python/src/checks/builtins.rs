//! The builtins of Python that checks use.

use std::{rc::Rc, sync::Arc};

use super::{
    attribute::UUID,
    call::{Given, Named},
    equality::{once, put},
    numbers::range,
    object::{Exception, Object, Why},
    operators::type_name,
    run::{Frame, Outcome, Run},
    text,
    url::Url,
};
use crate::{
    ast::{Name, Operator},
    pattern::is_found,
};

/// Whether a name is a modelled builtin, which needs no import.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || is_error(name)
}

const KNOWN: [&str; 36] = [
    "int",
    "float",
    "bool",
    "str",
    "bytes",
    "list",
    "dict",
    "set",
    "frozenset",
    "tuple",
    "object",
    "type",
    "len",
    "min",
    "max",
    "sum",
    "abs",
    "round",
    "range",
    "sorted",
    "reversed",
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "setattr",
    "callable",
    "super",
    "print",
    "any",
    "all",
    "enumerate",
    "zip",
    "repr",
    "next",
    "filter",
];

/// Whether a name is that of a builtin exception class.
pub(super) fn is_error(name: &str) -> bool {
    name.ends_with("Error") || matches!(name, "Exception" | "BaseException" | "StopIteration" | "KeyboardInterrupt" | "Warning")
}

/// A call: the function, its arguments, and the place.
pub(super) struct Call<'c> {
    pub(super) frame: &'c mut Frame,
    pub(super) line: u32,
    /// The name of the method, or of the function without `builtins.`.
    pub(super) name: &'c str,
    pub(super) objects: &'c [Object],
    pub(super) given: &'c Given,
    pub(super) named: &'c Named,
}

impl Call<'_> {
    /// The keyword argument with this name.
    pub(super) fn named(&self, name: &str) -> Option<&Object> {
        self.named.iter().find(|(own, _)| &**own == name).map(|(_, (value, _))| value)
    }
}

impl Run<'_> {
    /// Calls an external function.
    pub(super) fn call_external(
        &mut self,
        frame: &mut Frame,
        line: u32,
        name: &Name,
        given: &Given,
        named: &Named,
    ) -> Outcome<Object> {
        let objects: Vec<Object> = given.iter().map(|(object, _)| object.clone()).collect();
        let short = name.strip_prefix("builtins.").unwrap_or(name);
        if short.len() < name.len() && is_error(short) {
            return Ok(self.exception(&short.into(), Vec::new(), given));
        }
        let mut call = Call { frame, line, name: short, objects: &objects, given, named };
        if let Some(value) = self.of_objects(&mut call)? {
            return Ok(value);
        }
        if let Some(Object::Unknown(why)) = objects.iter().find(|object| matches!(object, Object::Unknown(_))) {
            return Ok(Object::Unknown(Rc::clone(why)));
        }
        if let Some(value) = self.of_numbers(&mut call)? {
            return Ok(value);
        }
        if let Some(value) = self.of_items(&mut call)? {
            return Ok(value);
        }
        if let Some(value) = self.of_others(&mut call)? {
            return Ok(value);
        }
        if let Some(value) = self.of_machine(call.frame, line, short, &objects) {
            return Ok(value);
        }
        Ok(self.unmodelled(call.frame, line, name, given))
    }

    /// Functions that examine the type or the attributes of an object. `None` if the function is not one of them.
    fn of_objects(&mut self, call: &mut Call<'_>) -> Outcome<Option<Object>> {
        let line = call.line;
        Ok(Some(match (call.name, call.objects) {
            ("isinstance", [object, class]) => match self.is_instance(object, class) {
                Some(is_it) => Object::Bool(is_it),
                None => match object {
                    Object::Unknown(_) => object.clone(),
                    _ => self.unknown(call.frame, line, "the class in `isinstance`"),
                },
            },
            ("issubclass", [object, class]) => match Self::is_subclass(object, class) {
                Some(is_it) => Object::Bool(is_it),
                None => match object {
                    Object::Unknown(_) => object.clone(),
                    _ => self.unknown(call.frame, line, "what `issubclass` is asked"),
                },
            },
            ("getattr", [object, Object::Str(attribute), rest @ ..]) => {
                match (self.attribute(call.frame, line, object, attribute), rest.first()) {
                    (Err(raised), Some(default)) if &*raised.name == "AttributeError" => default.clone(),
                    (outcome, _) => outcome?,
                }
            }
            ("hasattr", [object, Object::Str(attribute)]) => match self.attribute(call.frame, line, object, attribute) {
                Ok(Object::Unknown(why)) if why.reason != cfg_schema::Reason::Fault => Object::Unknown(why),
                Ok(_) => Object::Bool(true),
                Err(raised) if &*raised.name == "AttributeError" => Object::Bool(false),
                Err(raised) => return Err(raised),
            },
            ("setattr", [object, Object::Str(attribute), value]) => {
                let reads = call.given.get(2).map(|(_, reads)| Rc::clone(reads)).unwrap_or_default();
                self.set_attribute(call.frame, line, object, attribute, value.clone(), &reads)?;
                Object::None
            }
            ("type", [object]) => match self.class_of(object) {
                Some(class) => Object::Class(class),
                None => return Ok(None),
            },
            ("print", _) => Object::None,
            _ => return Ok(None),
        }))
    }

    /// Functions that take or create iterables. `None` if the function is not one of them.
    fn of_items(&mut self, call: &mut Call<'_>) -> Outcome<Option<Object>> {
        let line = call.line;
        let items = match (call.name, call.objects) {
            ("list", []) => return Ok(Some(Object::list(Vec::new()))),
            ("tuple", []) => return Ok(Some(Object::tuple(Vec::new()))),
            ("set" | "frozenset", []) => return Ok(Some(Object::set(Vec::new()))),
            ("dict", [] | [Object::Dict(_)]) => return Ok(Self::dict(call)),
            ("range", _) => return Ok(range(call.objects)),
            ("zip", [one, other]) => {
                return Ok(Some(match (one.items(), other.items()) {
                    (Ok(one), Ok(other)) => {
                        let pairs = one.into_iter().zip(other);
                        Object::list(pairs.map(|(one, other)| Object::tuple(vec![one, other])).collect())
                    }
                    (Err(why), _) | (_, Err(why)) => {
                        self.unknown_or(call.frame, line, why, "a loop over a value that is not a list")
                    }
                }));
            }
            ("len", [object @ (Object::None | Object::Int(_) | Object::Bool(_) | Object::Float(_))]) => {
                let message = format!("object of type '{}' has no len()", type_name(object));
                return Err(self.raised(call.frame, line, "TypeError", message));
            }
            (
                "len" | "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "dict.fromkeys" | "enumerate" | "any"
                | "all",
                [object],
            )
            | ("next", [object, ..]) => match object.items() {
                Ok(items) => items,
                Err(why) => return Ok(Some(self.unknown_or(call.frame, line, why, "the items of a value that is not a list"))),
            },
            _ => return Ok(None),
        };
        Ok(Some(match call.name {
            "len" => Object::Int(i64::try_from(items.len()).unwrap_or(i64::MAX)),
            "list" => Object::list(items),
            "tuple" => Object::tuple(items),
            "set" | "frozenset" => Object::set(once(items)),
            "reversed" => Object::list(items.into_iter().rev().collect()),
            "dict.fromkeys" => Object::dict(once(items).into_iter().map(|item| (item, Object::None)).collect()),
            "enumerate" => {
                let start = call.named("start").and_then(Object::as_int).unwrap_or(0);
                let numbered = (start..).zip(items);
                Object::list(numbered.map(|(at, item)| Object::tuple(vec![Object::Int(at), item])).collect())
            }
            "any" | "all" => {
                let stops_at = call.name == "any";
                let truths: Vec<Result<bool, Why>> = items.iter().map(Object::truth).collect();
                if truths.iter().any(|truth| matches!(truth, Ok(truth) if *truth == stops_at)) {
                    Object::Bool(stops_at)
                } else {
                    truths.into_iter().find_map(Result::err).map_or(Object::Bool(!stops_at), Object::Unknown)
                }
            }
            "next" => match items.into_iter().next().or_else(|| call.objects.get(1).cloned()) {
                Some(first) => first,
                None => return Err(self.raised(call.frame, line, "StopIteration", "")),
            },
            _ if call.named.is_empty() => return Ok(sorted(items).map(Object::list)),
            _ => return Ok(None),
        }))
    }

    fn dict(call: &Call<'_>) -> Option<Object> {
        let mut all = match call.objects {
            [Object::Dict(entries)] if entries.lost.borrow().is_none() => entries.value.borrow().clone(),
            [Object::Dict(entries)] => return entries.lost.borrow().clone().map(Object::Unknown),
            _ => Vec::new(),
        };
        call.named.iter().for_each(|(name, (value, _))| put(&mut all, Object::Str(Arc::clone(name)), value.clone()));
        Some(Object::dict(all))
    }

    /// Functions of strings, paths and regular expressions. `None` if the function is not one of them.
    fn of_others(&mut self, call: &mut Call<'_>) -> Outcome<Option<Object>> {
        Ok(match (call.name, call.objects) {
            ("str", []) => Some(Object::str("")),
            ("str", [object]) => text::shown(object).map(Object::str),
            ("repr", [object]) => text::quoted(object).map(Object::str),
            ("pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath", parts) => {
                let mut path = Object::Path(".".into());
                for part in parts {
                    if !matches!(part, Object::Str(_) | Object::Path(_)) {
                        return Ok(None);
                    }
                    path = self.binary(call.frame, call.line, Operator::Divide, &path, part)?;
                }
                Some(path)
            }
            ("json.loads", [Object::Str(text)]) => match serde_json::from_str(text) {
                Ok(value) => Some(of_json(&value)),
                Err(error) => return Err(self.raised(call.frame, call.line, "JSONDecodeError", error.to_string())),
            },
            ("urllib.parse.urlparse" | "urllib.parse.urlsplit", [Object::Str(text)]) if call.named.is_empty() => {
                match Url::of(text, call.name.ends_with("parse")) {
                    Some(Ok(url)) => Some(Object::Url(Rc::new(url))),
                    Some(Err(said)) => return Err(self.raised(call.frame, call.line, "ValueError", said)),
                    None => None,
                }
            }
            ("re.compile", [Object::Str(pattern)]) => Some(Object::Pattern(Arc::clone(pattern))),
            ("re.fullmatch" | "re.match" | "re.search", [Object::Str(pattern), Object::Str(text)]) => {
                matched(pattern, call.name.trim_start_matches("re."), text)
            }
            ("fnmatch.fnmatch" | "fnmatch.fnmatchcase", [Object::Str(text), Object::Str(pattern)]) => {
                matched(&text::of_glob(pattern), "fullmatch", text).map(|found| Object::Bool(!matches!(found, Object::None)))
            }
            ("uuid.uuid4" | "uuid.uuid1", []) => Some(Object::External(UUID.into())),
            ("typing.cast", [_, object]) | ("copy.copy" | "copy.deepcopy", [object]) => Some(object.clone()),
            _ => None,
        })
    }

    /// Creates an exception object.
    pub(super) fn exception(&mut self, name: &Name, bases: Vec<Name>, given: &Given) -> Object {
        let message = match given.first() {
            None => String::new(),
            Some((Object::Unknown(_), _)) => self.partial.take().unwrap_or_else(|| text::UNKNOWN.to_owned()),
            Some((object, _)) => text::shown(object).unwrap_or_else(|| text::UNKNOWN.to_owned()),
        };
        let name = Arc::clone(name);
        Object::Exception(Rc::new(Exception { name, bases, message, place: String::new(), reads: Vec::new(), of_field: None }))
    }

    /// Whether an object is an instance of a class; `None` if that is unknown.
    pub(super) fn is_instance(&self, object: &Object, class: &Object) -> Option<bool> {
        if let Object::Types(all) | Object::Tuple(all) = class {
            let found: Vec<Option<bool>> = all.iter().map(|class| self.is_instance(object, class)).collect();
            let is_none = || found.iter().copied().collect::<Option<Vec<_>>>().map(|_| false);
            return if found.contains(&Some(true)) { Some(true) } else { is_none() };
        }
        match (object, class) {
            (Object::Unknown(_), _) => None,
            (object, Object::None) => Some(matches!(object, Object::None)),
            (Object::Table(_) | Object::New(_), Object::Class(class)) => {
                let own = self.class_of(object)?;
                if own.is_a(class) { Some(true) } else { own.partial.is_none().then_some(false) }
            }
            (Object::Exception(exception), Object::Class(class)) => Some(*exception.name == *class.name),
            (_, Object::Class(_)) => Some(false),
            (Object::Table(_) | Object::New(_), Object::External(name)) => self.is_table_of(object, name),
            (_, Object::External(name)) => is_plain_of(object, name.strip_prefix("builtins.").unwrap_or(name)),
            _ => None,
        }
    }

    /// Whether a class is another one, or below it; `None` if unknown.
    fn is_subclass(own: &Object, class: &Object) -> Option<bool> {
        match (own, class) {
            (_, Object::Tuple(all)) => {
                let found: Vec<Option<bool>> = all.iter().map(|class| Self::is_subclass(own, class)).collect();
                let is_none = || found.iter().copied().collect::<Option<Vec<_>>>().map(|_| false);
                if found.contains(&Some(true)) { Some(true) } else { is_none() }
            }
            (_, Object::External(name)) if &**name == "builtins.object" => Some(true),
            (Object::Class(own), Object::External(name)) if &**name == "pydantic.BaseModel" && own.is_model => Some(true),
            (Object::Class(own), Object::External(name)) if own.absent_bases.contains(name) => Some(true),
            (Object::Class(own), Object::Class(class)) if own.is_a(class) => Some(true),
            (Object::Class(own), Object::Class(_) | Object::External(_)) => own.partial.is_none().then_some(false),
            (Object::External(own), Object::External(class)) if own == class => Some(true),
            _ => None,
        }
    }

    /// Whether a table is of an external class.
    fn is_table_of(&self, object: &Object, class: &Name) -> Option<bool> {
        if let Object::Table(place) = object
            && let Some(is_it) = self.table.is_of(place, class)
        {
            return Some(is_it);
        }
        match &**class {
            "pydantic.BaseModel" | "builtins.object" => Some(true),
            name if name.starts_with("builtins.") => Some(false),
            "pydantic_settings.BaseSettings" => Some(self.class_of(object)?.is_settings),
            _ => {
                let own = self.class_of(object)?;
                if own.absent_bases.contains(class) { Some(true) } else { own.partial.is_none().then_some(false) }
            }
        }
    }
}

/// Whether an object other than a table is an instance of a builtin class; `None` if that is unknown.
fn is_plain_of(object: &Object, class: &str) -> Option<bool> {
    Some(match class {
        "object" => true,
        "type" => match object {
            Object::Class(_) => true,
            // Of the external names these are known to be classes.
            Object::External(name) if BUILTIN_CLASSES.contains(&&**name) => true,
            Object::External(_) => return None,
            _ => false,
        },
        "int" => object.as_int().is_some(),
        "float" => matches!(object, Object::Float(_)),
        "bool" => matches!(object, Object::Bool(_)),
        "str" => matches!(object, Object::Str(_)),
        "list" => matches!(object, Object::List(_)),
        "tuple" => matches!(object, Object::Tuple(_)),
        "set" | "frozenset" => matches!(object, Object::Set(_)),
        "dict" => matches!(object, Object::Dict(_)),
        "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" => matches!(object, Object::Path(_)),
        "pydantic.BaseModel" => false,
        _ => return None,
    })
}

/// The classes among Python's builtins.
const BUILTIN_CLASSES: [&str; 10] = [
    "builtins.int",
    "builtins.float",
    "builtins.bool",
    "builtins.str",
    "builtins.bytes",
    "builtins.list",
    "builtins.dict",
    "builtins.set",
    "builtins.tuple",
    "builtins.object",
];

/// The object for a JSON text.
fn of_json(value: &serde_json::Value) -> Object {
    use serde_json::Value;
    match value {
        Value::Null => Object::None,
        Value::Bool(value) => Object::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(value) => Object::Int(value),
            None => Object::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Object::str(text.as_str()),
        Value::Array(items) => Object::list(items.iter().map(of_json).collect()),
        Value::Object(entries) => {
            Object::dict(entries.iter().map(|(key, value)| (Object::str(key.as_str()), of_json(value))).collect())
        }
    }
}

/// Sorts objects in Python's order; `None` if their order is unknown.
fn sorted(mut items: Vec<Object>) -> Option<Vec<Object>> {
    let are_texts = items.iter().all(|item| matches!(item, Object::Str(_)));
    let are_numbers = items.iter().all(|item| item.as_float().is_some_and(f64::is_finite));
    if are_texts {
        items.sort_by_key(text::shown);
    } else if are_numbers {
        items.sort_by(|one, other| one.as_float().partial_cmp(&other.as_float()).unwrap_or(std::cmp::Ordering::Equal));
    } else {
        return None;
    }
    Some(items)
}

/// Applies a regular expression: the result is a value that is true, or Python's `None`. Rust's `None` if the expression is not
/// supported.
pub(super) fn matched(pattern: &str, way: &str, text: &str) -> Option<Object> {
    let whole = match way {
        "fullmatch" => format!("^(?:{pattern})$"),
        "match" => format!("^(?:{pattern})"),
        _ => pattern.to_owned(),
    };
    let is_match = is_found(&whole, text)?;
    Some(if is_match { Object::External("re.Match".into()) } else { Object::None })
}
