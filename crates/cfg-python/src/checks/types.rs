//! Types of objects: `isinstance`, `issubclass`, `type`, and the parameters of types.

use super::{control::is_exception, object::Object, places::Where, run::Run};
use crate::ast::Name;

impl Run<'_> {
    /// Whether an object is an instance of a class; `None` if that is unknown.
    pub(super) fn is_instance(&self, object: &Object, class: &Object) -> Option<bool> {
        if let Object::Types(all) | Object::Tuple(all) = class {
            let found: Vec<Option<bool>> = all.iter().map(|class| self.is_instance(object, class)).collect();
            let is_none = || found.iter().copied().collect::<Option<Vec<_>>>().map(|_| false);
            return if found.contains(&Some(true)) { Some(true) } else { is_none() };
        }
        match (object, class) {
            (Object::Unknown(_), _) | (_, Object::Generic(..)) => None,
            (Object::Member(member), Object::Class(class)) => Some(member.class.is_a(class)),
            (Object::Member(member), Object::External(name)) => match member.base() {
                _ if name.starts_with("enum.") => None,
                Some(base) => self.is_instance(base, class),
                None => Some(&**name == "builtins.object"),
            },
            (object, Object::None) => Some(matches!(object, Object::None)),
            (Object::Table(..) | Object::New(_), Object::Class(class)) => {
                let own = self.class_of(object)?;
                if own.is_a(class) { Some(true) } else { own.partial.is_none().then_some(false) }
            }
            (Object::Exception(exception), Object::Class(class)) => Some(is_exception(exception, &class.name)),
            (Object::Exception(exception), Object::External(name)) => {
                Some(is_exception(exception, name.rsplit('.').next().unwrap_or_default()))
            }
            (_, Object::Class(_)) => Some(false),
            (Object::Table(..) | Object::New(_), Object::External(name)) => self.is_table_of(object, name),
            (_, Object::External(name)) => is_plain_of(object, name.strip_prefix("builtins.").unwrap_or(name)),
            _ => None,
        }
    }

    /// Whether a class is another one, or below it; `None` if unknown.
    pub(super) fn is_subclass(own: &Object, class: &Object) -> Option<bool> {
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
        if let Where::At(place) = self.whereabouts(object)
            && let Some(is_it) = self.table.is_of(&place, class)
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
        "NoneType" | "types.NoneType" => matches!(object, Object::None),
        "complex" | "bytes" if type_of(object).is_some() => false,
        "list" => matches!(object, Object::List(_)),
        "tuple" => matches!(object, Object::Tuple(_)),
        "set" | "frozenset" => matches!(object, Object::Set(_)),
        "dict" => matches!(object, Object::Dict(_)),
        "pathlib.Path" | "pathlib.PurePath" | "pathlib.PosixPath" => matches!(object, Object::Path(_)),
        "pydantic.BaseModel" => false,
        "typing.Sequence" | "collections.abc.Sequence" => matches!(object, Object::List(_) | Object::Tuple(_) | Object::Str(_)),
        "typing.Mapping" | "collections.abc.Mapping" | "typing.MutableMapping" | "collections.abc.MutableMapping" => {
            matches!(object, Object::Dict(_))
        }
        "typing.Iterable" | "collections.abc.Iterable" if type_of(object).is_some() => {
            !matches!(object, Object::None | Object::Bool(_) | Object::Int(_) | Object::Float(_) | Object::Path(_))
        }
        "numbers.Number" | "numbers.Real" => object.as_float().is_some(),
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

/// The type of a plain object.
pub(super) const fn type_of(object: &Object) -> Option<&'static str> {
    Some(match object {
        Object::None => "types.NoneType",
        Object::Bool(_) => "builtins.bool",
        Object::Int(_) => "builtins.int",
        Object::Float(_) => "builtins.float",
        Object::Str(_) => "builtins.str",
        Object::Path(_) => "pathlib.PosixPath",
        Object::List(_) => "builtins.list",
        Object::Tuple(_) => "builtins.tuple",
        Object::Set(_) => "builtins.set",
        Object::Dict(_) => "builtins.dict",
        _ => return None,
    })
}

/// The result of `get_args`; `None` if it is unknown.
pub(super) fn args_of(object: &Object) -> Option<Object> {
    Some(match object {
        Object::Generic(name, members) if &**name == "typing.Literal" => {
            let mut all = Vec::new();
            for member in members {
                match member {
                    Object::Generic(name, inner) if &**name == "typing.Literal" => all.extend(inner.iter().cloned()),
                    Object::Generic(..) | Object::Unknown(_) => return None,
                    member => all.push(member.clone()),
                }
            }
            Object::tuple(all)
        }
        Object::Generic(name, members) if &**name != "typing.Annotated" => Object::tuple(members.iter().map(as_type).collect()),
        Object::Types(members) => Object::tuple(members.iter().map(as_type).collect()),
        Object::Class(_) | Object::External(_) => Object::tuple(Vec::new()),
        _ => return None,
    })
}

/// A type in an annotation, where `None` is its own type.
fn as_type(object: &Object) -> Object {
    if matches!(object, Object::None) { Object::External("types.NoneType".into()) } else { object.clone() }
}

/// Whether an object of a builtin type has a method or another public attribute with this name.
pub(super) fn has_method(object: &Object, name: &str) -> bool {
    let names: &[&str] = match object {
        Object::Str(_) => &STR,
        Object::List(_) => &LIST,
        Object::Tuple(_) => &["count", "index"],
        Object::Set(_) => &SET,
        Object::Dict(dict) if dict.missing.borrow().is_some() => return true,
        Object::Dict(_) => &DICT,
        Object::Int(_) | Object::Bool(_) => &INT,
        Object::Float(_) => &["as_integer_ratio", "conjugate", "fromhex", "hex", "imag", "is_integer", "real"],
        Object::None => &[],
        _ => return true,
    };
    names.contains(&name)
}

const STR: [&str; 47] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
];

const LIST: [&str; 11] = ["append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"];

const SET: [&str; 17] = [
    "add",
    "clear",
    "copy",
    "difference",
    "difference_update",
    "discard",
    "intersection",
    "intersection_update",
    "isdisjoint",
    "issubset",
    "issuperset",
    "pop",
    "remove",
    "symmetric_difference",
    "symmetric_difference_update",
    "union",
    "update",
];

// The last is one of `OrderedDict`, which is a dict here.
const DICT: [&str; 12] =
    ["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values", "move_to_end"];

const INT: [&str; 10] = [
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "denominator",
    "from_bytes",
    "imag",
    "numerator",
    "real",
    "is_integer",
];
