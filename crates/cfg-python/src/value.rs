//! The results of expressions in declarations: values, or why they are unknown.

use std::{fmt, sync::Arc};

use crate::{
    ast::{Function, Lambda, Name},
    class::Class,
    module::Module,
    parts::{Measured, Parts, Size},
};

/// A value. What is not modelled is [`Value::Unknown`] and never guessed.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Name),
    Path(Name),
    List(Parts<Value>),
    Tuple(Parts<Value>),
    Set(Parts<Value>),
    Dict(Parts<(Value, Value)>),
    /// `...`
    Ellipsis,
    /// An object of a package whose source is not read: `pydantic.Field`, `builtins.int`.
    External(Name),
    Module(Name),
    Class(Arc<Class>),
    Function(Arc<Module>, Arc<Function>),
    Lambda(Arc<Module>, Arc<Lambda>, Env),
    /// An external object with parameters in brackets: `Literal["a", "b"]`.
    Generic(Name, Parts<Value>),
    /// `A | B`.
    Union(Parts<Value>),
    /// A call of an external object.
    Call(Arc<Called>),
    /// An instance of a config class with the given values.
    Instance(Arc<Class>, Parts<(Name, Value)>),
    /// A method, bound to a value.
    Method(Arc<Value>, Name),
    Unknown(Arc<Unknown>),
}

/// A call of an external object: `Field(ge=1)`.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) function: Name,
    pub(crate) arguments: Parts<Value>,
    pub(crate) keywords: Parts<(Name, Value)>,
}

/// Why something is unknown, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unknown {
    /// The path of the file.
    pub path: String,
    /// The line in it, counted from 1.
    pub line: u32,
    /// The part that is not understood: `a loop`, ``no name `X` of module `m` ``.
    pub why: String,
    /// The dotted name of the missing part, if the source of a package is not available: `verifiers.v1.EnvConfig`.
    pub absent: Option<Name>,
}

impl Unknown {
    /// The reason for a name in a package whose source is not available.
    pub(crate) fn absent(module: &Module, line: u32, name: &str) -> Arc<Self> {
        let why = format!("the source of `{name}` was not found");
        Arc::new(Self { path: module.path.to_string(), line, why, absent: Some(name.into()) })
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.why)
    }
}

/// The names within a function, with their values.
pub(crate) type Env = Parts<(Name, Value)>;

impl Value {
    pub(crate) fn unknown(module: &Module, line: u32, why: impl Into<String>) -> Self {
        Self::Unknown(Arc::new(Unknown { path: module.path.to_string(), line, why: why.into(), absent: None }))
    }

    pub(crate) fn external(name: impl Into<Name>) -> Self {
        Self::External(name.into())
    }

    pub(crate) fn str(text: impl Into<Name>) -> Self {
        Self::Str(text.into())
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list, a tuple or a set.
    pub(crate) fn items(&self) -> Option<&[Value]> {
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => Some(items),
            _ => None,
        }
    }

    /// The first unknown part of the value; `None` if all of it is known.
    pub(crate) fn unknown_within(&self) -> Option<Arc<Unknown>> {
        match self {
            Self::Unknown(unknown) => Some(Arc::clone(unknown)),
            Self::List(items) | Self::Tuple(items) | Self::Set(items) | Self::Union(items) | Self::Generic(_, items) => {
                items.iter().find_map(Self::unknown_within)
            }
            Self::Dict(entries) => {
                entries.iter().find_map(|(key, value)| key.unknown_within().or_else(|| value.unknown_within()))
            }
            Self::Instance(_, given) => given.iter().find_map(|(_, value)| value.unknown_within()),
            _ => None,
        }
    }

    /// Whether it is true as a condition; `None` if that is unknown.
    pub(crate) fn truth(&self) -> Option<bool> {
        Some(match self {
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Str(value) => !value.is_empty(),
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => !items.is_empty(),
            Self::Dict(entries) => !entries.is_empty(),
            Self::Class(_) | Self::Function(..) | Self::Lambda(..) | Self::Path(_) | Self::Module(_) => true,
            _ => return None,
        })
    }

    /// Whether the history keeps all of it: no class, no instance of one, and nothing unknown within it.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Str(_) | Self::Path(_) => true,
            Self::Float(value) => value.is_finite(),
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => items.iter().all(Self::is_plain),
            Self::Dict(entries) => entries.iter().all(|(key, value)| matches!(key, Self::Str(_)) && value.is_plain()),
            _ => false,
        }
    }

    /// Whether two values are equal; `None` if that is unknown.
    pub(crate) fn equals(&self, other: &Self) -> Option<bool> {
        Some(match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one.to_bits() == other.to_bits() || (*one - *other).abs() == 0.0,
            (Self::Str(one), Self::Str(other)) | (Self::Path(one), Self::Path(other)) => one == other,
            (Self::None, Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Str(_))
            | (Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Str(_), Self::None)
            | (Self::Str(_), Self::Bool(_) | Self::Int(_) | Self::Float(_))
            | (Self::Bool(_) | Self::Int(_) | Self::Float(_), Self::Str(_)) => false,
            _ => return None,
        })
    }
}

impl Measured for Value {
    fn size(&self) -> Size {
        match self {
            Self::List(parts) | Self::Tuple(parts) | Self::Set(parts) | Self::Generic(_, parts) | Self::Union(parts) => {
                parts.size()
            }
            Self::Dict(entries) => entries.size(),
            Self::Instance(_, given) => given.size(),
            Self::Lambda(_, _, env) => env.size(),
            Self::Call(call) => call.arguments.size().with(call.keywords.size()).wrapped(),
            Self::Method(of, _) => of.size().wrapped(),
            _ => Size::ONE,
        }
    }
}

impl Measured for (Value, Value) {
    fn size(&self) -> Size {
        self.0.size().with(self.1.size())
    }
}

impl Measured for (Name, Value) {
    fn size(&self) -> Size {
        self.1.size()
    }
}

impl Called {
    /// The last part of the name of the called object: `Field` of `pydantic.fields.Field`.
    pub(crate) fn last(&self) -> &str {
        self.function.rsplit('.').next().unwrap_or_default()
    }

    pub(crate) fn keyword(&self, name: &str) -> Option<&Value> {
        self.keywords.iter().find(|(own, _)| &**own == name).map(|(_, value)| value)
    }
}

/// A Python integer as a float; beyond 2^53 it is rounded to the nearest float, as in Python.
#[expect(clippy::cast_precision_loss, reason = "Python rounds in the same way")]
pub(crate) const fn double(number: i64) -> f64 {
    number as f64
}
