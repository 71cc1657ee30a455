//! The parameters of the function that creates an environment: `load_environment` in its package.

use std::path::PathBuf;

use cfg_schema::{EnvironmentArg, EnvironmentArgs, ExtraType, OtherArgs, Unread};
use cfg_system::System;

use crate::{ast::ParameterKind, names::Reader, plugin::package_name, reads::is_mentioned, sources::Sources, value::Value};

/// The maximum number of arguments of an environment, and the length of all names. Real ones have a few dozen.
const MAX_ARGUMENTS: usize = 512;
const MAX_NAMES: usize = 1 << 15;

/// Reads the arguments of the environment `id`. `roots` are the folders in which Python would look for packages.
///
/// # Errors
/// Why the arguments are unknown.
pub fn read_arguments(system: &dyn System, roots: Vec<PathBuf>, id: &str) -> Result<EnvironmentArgs, Unread> {
    let mut reader = Reader::new(Sources::new(system, roots));
    let module = reader.module(&environment_module(id)).ok_or(Unread::Absent)?;
    let (home, function) = match reader.global(&module, "load_environment") {
        Some(Value::Function(home, function)) if function.decorators.is_empty() => (home, function),
        Some(Value::Unknown(unknown)) => return Err(Unread::Unclear(unknown.to_string())),
        Some(_) => return Err(Unread::Unclear(format!("{}: `load_environment` is not a plain function", module.path))),
        None => return Err(Unread::Unclear(format!("{} has no `load_environment`", module.path))),
    };
    let names: usize = function.parameters.iter().map(|parameter| parameter.name.len()).sum();
    if function.parameters.len() > MAX_ARGUMENTS || names > MAX_NAMES {
        return Err(Unread::Unclear(format!("{}:{}: `load_environment` has too many arguments", home.path, function.line)));
    }
    let mut args = Vec::new();
    let mut others = OtherArgs::Refused;
    for parameter in &function.parameters {
        match parameter.kind {
            ParameterKind::Positional => {
                return Err(Unread::Unclear(format!(
                    "{}:{}: `{}` is a positional-only parameter",
                    home.path, function.line, parameter.name
                )));
            }
            // Arguments are passed by name, so `*args` gets none.
            ParameterKind::Rest => {}
            ParameterKind::NamedRest if is_mentioned(&parameter.name, &function.body) => others = OtherArgs::PassedOn,
            ParameterKind::NamedRest => others = OtherArgs::Dropped,
            ParameterKind::Either | ParameterKind::Named => {
                let annotation = parameter.annotation.as_ref().map(|annotation| reader.annotation(&home, annotation, &[]));
                // Newer environments have a parameter of a config class, which verifiers creates from the arguments.
                if annotation.as_ref().is_some_and(is_config) {
                    return Err(Unread::Unclear(format!(
                        "{}:{}: the parameter `{}` is a config class",
                        home.path, function.line, parameter.name
                    )));
                }
                let default = parameter.default.as_ref().map(|default| reader.eval(&home, default, &[]));
                args.push(EnvironmentArg {
                    name: parameter.name.to_string(),
                    ty: annotation.map_or(ExtraType::Any, |annotation| type_of(&annotation)),
                    is_required: parameter.default.is_none(),
                    default: default.as_ref().and_then(text_of),
                });
            }
        }
    }
    if let Some(why) = reader.spent() {
        return Err(Unread::Unclear(why.to_string()));
    }
    Ok(EnvironmentArgs { args, others, place: format!("{}:{}", home.path, function.line) })
}

/// The module of an environment: `my_env` for `owner/my-env@1.0`.
pub fn environment_module(id: &str) -> String {
    package_name(id).replace('-', "_")
}

fn is_config(annotation: &Value) -> bool {
    match annotation {
        Value::Class(_) => true,
        Value::External(name) => name.starts_with("verifiers.") && name.ends_with("Config"),
        Value::Union(members) | Value::Generic(_, members) => members.iter().any(is_config),
        _ => false,
    }
}

/// Converts an annotation to a type; any type, if values of a config can't be compared with it.
fn type_of(annotation: &Value) -> ExtraType {
    let list = |items: &[Value]| ExtraType::List(Box::new(items.first().map_or(ExtraType::Any, type_of)));
    match annotation {
        Value::External(name) => match &**name {
            "builtins.int" => ExtraType::Int,
            "builtins.float" => ExtraType::Float,
            "builtins.bool" => ExtraType::Bool,
            "builtins.str" => ExtraType::Str,
            "builtins.list" => list(&[]),
            "builtins.dict" => ExtraType::Dict(Box::new(ExtraType::Any)),
            _ => ExtraType::Any,
        },
        Value::Generic(name, members) => match (&**name, &**members) {
            ("builtins.list", items) => list(items),
            ("builtins.dict", [_, value]) => ExtraType::Dict(Box::new(type_of(value))),
            ("typing.Optional", [inner]) => optional(type_of(inner)),
            ("typing.Union", members) => union(members),
            ("typing.Literal", members) => {
                let texts: Option<Vec<String>> = members.iter().map(|member| member.as_str().map(str::to_owned)).collect();
                texts.map_or(ExtraType::Any, ExtraType::Literal)
            }
            _ => ExtraType::Any,
        },
        Value::Union(members) => union(members),
        _ => ExtraType::Any,
    }
}

fn union(members: &[Value]) -> ExtraType {
    let is_none = |member: &&Value| matches!(member, Value::None);
    let types: Vec<ExtraType> = members.iter().filter(|member| !is_none(member)).map(type_of).collect();
    if types.contains(&ExtraType::Any) {
        return ExtraType::Any;
    }
    let joined = match <[ExtraType; 1]>::try_from(types) {
        Ok([only]) => only,
        Err(types) => ExtraType::Union(types),
    };
    if members.iter().any(|member| is_none(&member)) { optional(joined) } else { joined }
}

fn optional(inner: ExtraType) -> ExtraType {
    if inner == ExtraType::Any { inner } else { ExtraType::Optional(Box::new(inner)) }
}

/// A default as text, if it is a plain value: `bench`, `30.0`.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Int(value) => Some(value.to_string()),
        Value::Float(value) => Some(format!("{value:?}")),
        _ => None,
    }
}
