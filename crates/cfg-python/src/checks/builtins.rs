//! The builtins of Python that checks use.

use std::{rc::Rc, sync::Arc};

use super::{
    attribute::UUID,
    call::{Given, Named},
    format::laid_out,
    heap,
    json::{json_of, of_json},
    object::{Exception, Object, too_much},
    regex::of_regex,
    run::{Frame, Outcome, Run},
    text,
    types::{args_of, type_of},
    url::Url,
};
use crate::{
    ast::{Name, Operator},
    parts::Parts,
    pattern::is_found,
};

/// The units for a call of what is built in.
const OF_A_CALL: usize = 8;

/// Whether a name is a modelled builtin, which needs no import.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || is_error(name)
}

const KNOWN: [&str; 45] = [
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
    "map",
    "iter",
    "divmod",
    "pow",
    "ord",
    "chr",
    "format",
    "ascii",
    "hash",
];

/// Whether a name is that of a builtin exception class.
pub(super) fn is_error(name: &str) -> bool {
    name.ends_with("Error") || matches!(name, "Exception" | "BaseException" | "StopIteration" | "KeyboardInterrupt" | "Warning")
}

/// The modelled functions that take arguments by name; of others, what such an argument means is unknown.
const TAKE_NAMED: [&str; 16] = [
    "sorted",
    "min",
    "max",
    "sum",
    "enumerate",
    "zip",
    "dict",
    "print",
    "round",
    "math.isclose",
    "math.prod",
    "collections.OrderedDict",
    "itertools.zip_longest",
    "itertools.product",
    "itertools.groupby",
    "functools.partial",
];

/// A call of what is built in: the function, its arguments, and the place. That the arguments are gone through once is charged when it is made, and
/// nothing else makes one; what goes through them more often charges that itself.
pub(super) struct Call<'c> {
    pub(super) frame: &'c mut Frame,
    pub(super) line: u32,
    /// The name of the method, or of the function without `builtins.`.
    pub(super) name: &'c str,
    pub(super) objects: &'c [Object],
    pub(super) given: &'c Given,
    pub(super) named: &'c Named,
    _paid: (),
}

impl<'c> Call<'c> {
    /// A call; `None` if nothing is left to go through its arguments. `of` is the object of a method.
    pub(super) fn paid(
        frame: &'c mut Frame,
        line: u32,
        of: &Object,
        name: &'c str,
        objects: &'c [Object],
        given: &'c Given,
        named: &'c Named,
    ) -> Option<Self> {
        let all = objects.iter().chain(named.iter().map(|(_, (value, _))| value)).chain([of]);
        let length = all.map(Object::length).fold(OF_A_CALL, usize::saturating_add);
        heap::spend(length).then_some(Self { frame, line, name, objects, given, named, _paid: () })
    }

    /// The keyword argument with this name.
    pub(super) fn named(&self, name: &str) -> Option<&Object> {
        heap::spend(self.named.len());
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
        if let ("hash", [of]) = (short, &*objects) {
            self.hashed(frame, line, of)?;
            return Ok(self.unknown(frame, line, "a hash"));
        }
        let Some(mut call) = Call::paid(frame, line, &Object::None, short, &objects, given, named) else {
            return Ok(Object::Unknown(too_much()));
        };
        if let Some(value) = self.of_objects(&mut call)? {
            return Ok(value);
        }
        if let Some(Object::Unknown(why)) = objects.iter().find(|object| matches!(object, Object::Unknown(_))) {
            return Ok(Object::Unknown(Rc::clone(why)));
        }
        if named.is_empty() || TAKE_NAMED.contains(&short) {
            if let Some(value) = self.of_numbers(&mut call)? {
                return Ok(value);
            }
            if let Some(value) = self.of_iterables(&mut call)? {
                return Ok(value);
            }
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
            // Only what `Annotated` makes has metadata.
            ("hasattr", [Object::Generic(of, _), Object::Str(attribute)]) if &**attribute == "__metadata__" => {
                Object::Bool(&**of == "typing.Annotated")
            }
            ("hasattr", [Object::External(_) | Object::Class(_) | Object::Types(_), Object::Str(attribute)])
                if &**attribute == "__metadata__" =>
            {
                Object::Bool(false)
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
            ("type", [object]) => match (self.class_of(object), type_of(object)) {
                (Some(class), _) => Object::Class(class),
                (None, Some(name)) => Object::External(name.into()),
                (None, None) => return Ok(None),
            },
            ("callable", [object]) => match object {
                Object::Function(..) | Object::Lambda(..) | Object::Bound(..) | Object::Method(..) | Object::Class(_) => {
                    Object::Bool(true)
                }
                Object::External(name) if is_known(name.trim_start_matches("builtins.")) => Object::Bool(true),
                object if type_of(object).is_some() => Object::Bool(false),
                _ => return Ok(None),
            },
            ("print", _) => Object::None,
            _ => return Ok(None),
        }))
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
            (name, objects) if name.starts_with("re.") => of_regex(call, name.trim_start_matches("re."), objects),
            ("fnmatch.fnmatch" | "fnmatch.fnmatchcase", [Object::Str(text), Object::Str(pattern)]) => {
                text::of_glob(pattern).and_then(|pattern| is_found(&format!("^(?:{pattern})$"), text)).map(Object::Bool)
            }
            ("uuid.uuid4" | "uuid.uuid1", []) => Some(Object::External(UUID.into())),
            ("typing.cast", [_, object]) => Some(object.clone()),
            ("copy.copy", [object]) => self.shallow_copy(object),
            ("copy.deepcopy", [object]) => self.deep_copy(object),
            ("json.dumps", [object]) if call.named.is_empty() => json_of(object).map(Object::str),
            ("ord", [Object::Str(text)]) if text.chars().count() == 1 => text.chars().next().map(|one| Object::Int(one as i64)),
            ("chr", [object]) => {
                let letter = object.as_int().and_then(|number| char::from_u32(u32::try_from(number).ok()?));
                letter.map(|letter| Object::str(letter.to_string()))
            }
            ("format", [object]) => text::shown(object).map(Object::str),
            ("format", [object, Object::Str(layout)]) => laid_out(object, layout).map(Object::str),
            ("typing.get_args", [object]) => args_of(object),
            ("typing.get_origin", [object]) => match object {
                Object::Generic(name, _) => Some(Object::External(Arc::clone(name))),
                Object::Types(_) => Some(Object::External("types.UnionType".into())),
                Object::Class(_) | Object::External(_) => Some(Object::None),
                _ => None,
            },
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
        let args: Vec<Object> = given.iter().map(|(object, _)| object.clone()).collect();
        let message = match args.as_slice() {
            [_, _, ..] => text::quoted(&Object::tuple(args.clone())).unwrap_or(message),
            _ => message,
        };
        let args = Parts::from(args);
        let args = if args.size().is_too_large() { Parts::default() } else { args };
        let (name, place, reads) = (Arc::clone(name), String::new(), Vec::new());
        Object::Exception(Rc::new(Exception { name, bases, message, args, place, reads, of_field: None }))
    }
}
