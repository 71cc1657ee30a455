//! Evaluates calls: of classes, of external functions, and of methods of values.

use std::sync::Arc;

use crate::{
    ast::{Name, StmtKind},
    class::Class,
    function::bind,
    module::Module,
    names::Reader,
    parts::{Measured, Parts},
    pattern::is_found,
    value::{Called, Value},
};

impl Reader<'_> {
    /// The value of a call.
    pub(crate) fn call(
        &mut self,
        module: &Arc<Module>,
        line: u32,
        function: Value,
        arguments: Vec<Value>,
        keywords: Vec<(Name, Value)>,
    ) -> Value {
        // Nothing that is built in goes through its arguments more than once.
        let given = arguments.iter().chain(keywords.iter().map(|(_, value)| value));
        let size = given.chain([&function]).map(size_of).fold(0, usize::saturating_add);
        if !self.pays(size) {
            return Value::unknown(module, line, "a call");
        }
        match function {
            Value::Class(class) if class.is_model => {
                if arguments.is_empty() {
                    self.made(&class, keywords)
                } else {
                    Value::unknown(module, line, format!("`{}` with positional arguments", class.name))
                }
            }
            Value::Class(class) => {
                Value::unknown(module, line, format!("an instance of `{}`, which is not a config class", class.name))
            }
            Value::External(name) => call_external(module, line, &name, arguments, keywords),
            Value::Generic(name, _) if matches!(&*name, "builtins.list" | "builtins.dict") && arguments.is_empty() => {
                call_external(module, line, &name, arguments, keywords)
            }
            Value::Method(of, name) => {
                method(&of, &name, &arguments).unwrap_or_else(|| Value::unknown(module, line, format!("a call of `.{name}`")))
            }
            Value::Function(home, function) => match bind(self, &home, &function.parameters, arguments, keywords) {
                Some(env) => self.run(&home, &function, env),
                None => Value::unknown(module, line, format!("a call of `{}`", function.name)),
            },
            Value::Lambda(home, lambda, outer) => match bind(self, &home, &lambda.parameters, arguments, keywords) {
                Some(mut env) => {
                    env.splice(0..0, outer.iter().cloned());
                    self.eval(&home, &lambda.body, &env)
                }
                None => Value::unknown(module, line, "a call of a lambda"),
            },
            Value::Unknown(_) => function,
            _ => Value::unknown(module, line, "a call"),
        }
    }

    /// The instance of a config class with these values. The checks of the class may set further values. If their effect is unknown, the
    /// instance has only the given values, and the others are unknown defaults.
    fn made(&mut self, class: &Arc<Class>, given: Vec<(Name, Value)>) -> Value {
        let plain = Value::Instance(Arc::clone(class), given.into());
        let mut made = plain.clone();
        for validator in self.validators(class).iter().filter(|one| one.fields.is_none() && &*one.mode == "after") {
            let own = validator.home.def.body.iter().find_map(|stmt| match &stmt.kind {
                StmtKind::Function(function) if function.line == validator.line => Some(Arc::clone(function)),
                _ => None,
            });
            let Some(function) = own.filter(|function| function.parameters.len() == 1) else { return plain };
            let mut env = vec![(Arc::clone(&function.parameters[0].name), made)];
            match self.block(&validator.home.module, &function.body, &mut env) {
                Some(value @ Value::Instance(..)) => made = value,
                _ => return plain,
            }
        }
        made
    }
}

/// A call of an external function.
fn call_external(module: &Arc<Module>, line: u32, name: &Name, arguments: Vec<Value>, keywords: Vec<(Name, Value)>) -> Value {
    let unknown = || Value::unknown(module, line, format!("a call of `{}`", name.trim_start_matches("builtins.")));
    let first = arguments.first();
    match &**name {
        "pathlib.Path" => {
            let parts: Option<Vec<&str>> = arguments
                .iter()
                .map(|part| match part {
                    Value::Str(text) | Value::Path(text) => Some(&**text),
                    _ => None,
                })
                .collect();
            match parts {
                Some(parts) if parts.is_empty() => Value::Path(".".into()),
                Some(parts) => Value::Path(parts.join("/").into()),
                None => unknown(),
            }
        }
        // As in the history, environment variables are assumed not to be set.
        "os.environ.get" | "os.getenv" => arguments.into_iter().nth(1).unwrap_or(Value::None),
        "builtins.frozenset" | "builtins.set" => match first {
            Some(items) => items.items().map_or_else(unknown, |items| Value::Set(items.into())),
            None => Value::Set(Parts::default()),
        },
        // The keys of a dict, in order and without duplicates.
        "builtins.dict.fromkeys" => {
            let mut entries: Vec<(Value, Value)> = Vec::new();
            let Some(items) = first.and_then(Value::items) else { return unknown() };
            for item in items {
                if cfg_meter::charge_each(entries.len()).is_err() {
                    return unknown();
                }
                let known = entries.iter().map(|(own, _)| own.equals(item)).find(|equal| *equal != Some(false));
                match known {
                    None => entries.push((item.clone(), Value::None)),
                    Some(Some(_)) => {}
                    Some(None) => return unknown(),
                }
            }
            Value::Dict(entries.into())
        }
        "builtins.list" | "builtins.tuple" | "builtins.sorted" if first.is_none() => Value::List(Parts::default()),
        "builtins.list" if matches!(first, Some(Value::Dict(_))) => match first {
            Some(Value::Dict(entries)) => Value::List(entries.iter().map(|(key, _)| key.clone()).collect()),
            _ => unknown(),
        },
        "builtins.list" | "builtins.tuple" => {
            first.and_then(Value::items).map_or_else(unknown, |items| Value::List(items.into()))
        }
        "builtins.dict" => match first {
            Some(Value::Dict(entries)) if keywords.is_empty() => Value::Dict(entries.clone()),
            Some(_) => unknown(),
            None => Value::Dict(keywords.into_iter().map(|(key, value)| (Value::Str(key), value)).collect()),
        },
        "builtins.str" => match first {
            Some(Value::Path(text) | Value::Str(text)) => Value::Str(Arc::clone(text)),
            None => Value::str(""),
            Some(_) => unknown(),
        },
        "builtins.isinstance" => match (first, arguments.get(1)) {
            (Some(value), Some(Value::External(class))) => is_instance(value, class).map_or_else(unknown, Value::Bool),
            _ => unknown(),
        },
        "typing.cast" => arguments.into_iter().nth(1).unwrap_or_else(unknown),
        "typing.get_args" => match first {
            Some(Value::Generic(_, members) | Value::Union(members)) => Value::Tuple(members.clone()),
            _ => unknown(),
        },
        _ => Value::Call(Arc::new(Called { function: Arc::clone(name), arguments: arguments.into(), keywords: keywords.into() })),
    }
}

/// The units for going through a value once.
fn size_of(value: &Value) -> usize {
    match value {
        Value::Str(text) | Value::Path(text) => text.len() / 8,
        Value::Method(of, _) => size_of(of),
        other => other.size().nodes as usize,
    }
}

fn method(of: &Value, name: &str, arguments: &[Value]) -> Option<Value> {
    match (of, name, arguments) {
        (Value::Dict(entries), "get", [key, rest @ ..]) if rest.len() < 2 => {
            let mut is_clear = true;
            let found = entries.iter().rev().find(|(own, _)| {
                let equal = own.equals(key);
                is_clear &= equal.is_some();
                equal == Some(true)
            });
            is_clear.then(|| found.map_or_else(|| rest.first().cloned().unwrap_or(Value::None), |(_, value)| value.clone()))
        }
        (Value::Dict(entries), "keys", []) => Some(Value::List(entries.iter().map(|(key, _)| key.clone()).collect())),
        (Value::Dict(entries), "values", []) => Some(Value::List(entries.iter().map(|(_, value)| value.clone()).collect())),
        (Value::Call(call), "search", [Value::Str(text)]) if &*call.function == "re.compile" && call.keywords.is_empty() => {
            let [Value::Str(pattern)] = &*call.arguments else { return None };
            // The match is true, and nothing else about it is used.
            Some(if is_found(pattern, text)? { Value::Bool(true) } else { Value::None })
        }
        (Value::Str(text), "lower", []) => Some(Value::str(text.to_lowercase())),
        (Value::Str(text), "upper", []) => Some(Value::str(text.to_uppercase())),
        (Value::Str(text), "strip", []) => Some(Value::str(text.trim())),
        _ => None,
    }
}

fn is_instance(value: &Value, class: &str) -> Option<bool> {
    let own = match value {
        Value::Bool(_) => "builtins.bool",
        Value::Int(_) => "builtins.int",
        Value::Float(_) => "builtins.float",
        Value::Str(_) => "builtins.str",
        Value::List(_) => "builtins.list",
        Value::Tuple(_) => "builtins.tuple",
        Value::Set(_) => "builtins.set",
        Value::Dict(_) => "builtins.dict",
        Value::Path(_) => "pathlib.Path",
        _ => return None,
    };
    let is_plain = class.starts_with("builtins.") || class == "pathlib.Path";
    is_plain.then_some(own == class || (own == "builtins.bool" && class == "builtins.int"))
}
