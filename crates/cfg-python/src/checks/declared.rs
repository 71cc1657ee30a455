//! The objects of values in declarations, and of constants.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Open, Reason};

use super::{
    object::{Around, DEEPEST, Object},
    operators::join,
};
use crate::value::Value;

impl Object {
    /// The object of a value in a declaration.
    pub(super) fn declared(value: &Value) -> Self {
        let all = |values: &[Value]| values.iter().map(Self::declared).collect::<Vec<_>>();
        match value {
            Value::None => Self::None,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Float(value) => Self::Float(*value),
            Value::Str(text) => Self::Str(Arc::clone(text)),
            Value::Path(text) => Self::path(join("", text)),
            Value::List(items) => Self::list(all(items)),
            Value::Tuple(items) => Self::tuple(all(items)),
            Value::Set(items) => Self::set(all(items)),
            Value::Dict(entries) => {
                Self::dict(entries.iter().map(|(key, value)| (Self::declared(key), Self::declared(value))).collect())
            }
            Value::External(name) => match name.strip_prefix("math.").and_then(constant_of_math) {
                Some(number) => Self::Float(number),
                None => Self::External(Arc::clone(name)),
            },
            Value::Generic(name, members) => Self::generic(name, all(members)),
            Value::Module(name) => Self::Module(Arc::clone(name)),
            Value::Class(class) => Self::Class(Arc::clone(class)),
            Value::Function(module, function) => Self::Function(Arc::clone(module), Arc::clone(function), Rc::default()),
            Value::Lambda(module, lambda, env) => {
                let names = env.iter().map(|(name, value)| (Arc::clone(name), (Self::declared(value), Rc::default())));
                Self::Lambda(Arc::clone(module), Arc::clone(lambda), Rc::new(Around { names: names.collect(), frame: 0 }))
            }
            Value::Union(members) => Self::types(all(members)),
            Value::Instance(class, given) => {
                let given = given.iter().map(|(name, value)| (Arc::clone(name), Self::declared(value))).collect();
                Self::new(class, given)
            }
            Value::Call(call) if &*call.function == "re.compile" => match &*call.arguments {
                [Value::Str(pattern)] if call.keywords.is_empty() => Self::Pattern(Arc::clone(pattern)),
                _ => Self::unknown("a pattern"),
            },
            Value::Call(call) => Self::unknown(format!("a call of `{}`", call.function)),
            Value::Unknown(unknown) => Self::Unknown(Rc::new(Open {
                why: unknown.why.clone(),
                place: format!("{}:{}", unknown.path, unknown.line),
                reason: Reason::Code,
            })),
            Value::Ellipsis | Value::Method(..) => Self::unknown("a value"),
        }
    }

    /// The object of a constant, which all checks share.
    pub(super) fn constant(value: &Value) -> Self {
        let object = Self::declared(value);
        object.fix(DEEPEST);
        object
    }

    /// Marks it as a constant, with all that it contains. What is marked already is not gone through again.
    pub(super) fn fix(&self, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match self {
            Self::List(items) | Self::Set(items) if !items.is_constant.replace(true) => {
                items.value.borrow().iter().for_each(|item| item.fix(depth));
            }
            Self::Dict(entries) if !entries.is_constant.replace(true) => {
                entries.value.borrow().iter().for_each(|(_, value)| value.fix(depth));
            }
            Self::Tuple(items) => items.iter().for_each(|item| item.fix(depth)),
            _ => {}
        }
    }
}

/// A number of the module `math`.
pub(super) fn constant_of_math(name: &str) -> Option<f64> {
    Some(match name {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "tau" => std::f64::consts::TAU,
        _ => return None,
    })
}
