//! Configs that a program reads as a file of TOML itself: `Config(**tomllib.load(file))`, `Config.model_validate(data)`, or the `toml_file` of a
//! pydantic-settings class.

use std::sync::Arc;

use super::{
    Loader,
    search::{Callee, Locals, Search},
};
use crate::{
    ast::{Call, Expr, ExprKind, Function, Name, Stmt, StmtKind},
    class::Class,
    module::Module,
    value::Value,
};

/// Functions that read TOML.
const READERS: [&str; 11] = [
    "tomllib.load",
    "tomllib.loads",
    "tomli.load",
    "tomli.loads",
    "toml.load",
    "toml.loads",
    "tomlkit.load",
    "tomlkit.parse",
    "rtoml.load",
    "rtoml.loads",
    "pytomlpp.load",
];

/// Methods of a pydantic model that make one of its values.
const VALIDATORS: [&str; 3] = ["model_validate", "parse_obj", "validate_python"];

/// The most functions of which it is asked whether they return what a file says; each may call the next.
const MAX_FUNCTIONS: usize = 64;

/// Notes the names that statements bind to what a file of TOML says.
pub(super) fn names(search: &mut Search<'_, '_>, module: &Arc<Module>, body: &[Stmt], locals: &mut Locals) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign { targets, value } if is_toml(search, module, value, locals) => {
                locals.of_toml.extend(targets.iter().filter_map(name));
            }
            StmtKind::Annotated { target, value: Some(value), .. } if is_toml(search, module, value, locals) => {
                locals.of_toml.extend(name(target));
            }
            _ => stmt.each_block(&mut |block| names(search, module, block, locals)),
        }
    }
}

fn name(target: &Expr) -> Option<Name> {
    if let ExprKind::Name(name) = &target.kind { Some(Arc::clone(name)) } else { None }
}

/// Whether a value is all that a file of TOML says.
fn is_toml(search: &mut Search<'_, '_>, module: &Arc<Module>, expr: &Expr, locals: &Locals) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => locals.of_toml.contains(name),
        ExprKind::Call(call) => {
            // A document of tomlkit as plain values.
            if let ExprKind::Attribute(of, method) = &call.function.kind
                && &**method == "unwrap"
                && is_toml(search, module, of, locals)
            {
                return true;
            }
            match search.callee(module, &call.function, locals) {
                Some(Callee::Named(dotted)) => READERS.contains(&&*dotted),
                Some(Callee::Function(home, function)) => returns_toml(search, &home, &function),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether a function returns what a file says, unchanged.
fn returns_toml(search: &mut Search<'_, '_>, home: &Arc<Module>, function: &Arc<Function>) -> bool {
    if let Some(known) = search.of_toml.get(&Arc::as_ptr(function)) {
        return *known;
    }
    // A function that calls itself does not, and of very many the rest is not looked at.
    search.of_toml.insert(Arc::as_ptr(function), false);
    if search.of_toml.len() > MAX_FUNCTIONS {
        return false;
    }
    let mut locals = Locals::of(home, &function.body);
    names(search, home, &function.body, &mut locals);
    let mut returned = Vec::new();
    returns(&function.body, &mut returned);
    let is_it = !returned.is_empty() && returned.iter().all(|value| is_toml(search, home, value, &locals));
    search.of_toml.insert(Arc::as_ptr(function), is_it);
    is_it
}

fn returns<'s>(body: &'s [Stmt], found: &mut Vec<&'s Expr>) {
    for stmt in body {
        if let StmtKind::Return(Some(value)) = &stmt.kind {
            found.push(value);
        }
        stmt.each_block(&mut |block| returns(block, found));
    }
}

/// The class of which a call makes a value from all that a file of TOML says, and how it reads that; `None` if it is another call.
pub(super) fn class(search: &mut Search<'_, '_>, module: &Arc<Module>, call: &Call, locals: &Locals) -> Option<(Value, Loader)> {
    let of_class = |value: Value| matches!(value, Value::Class(_)).then_some((value, Loader::File));
    if let ExprKind::Attribute(of, method) = &call.function.kind
        && VALIDATORS.contains(&&**method)
    {
        let argument = call.arguments.first()?;
        let of = match &of.kind {
            // `TypeAdapter(Config).validate_python(data)`.
            ExprKind::Call(adapter) if &**method == "validate_python" => adapter.arguments.first()?,
            _ => of,
        };
        if is_toml(search, module, argument, locals) {
            return of_class(search.value(module, of, locals));
        }
        if is_part(search, module, argument, locals) {
            part(search, module, of, locals);
        }
        return None;
    }
    if let [(None, spread)] = call.keywords.as_slice()
        && call.arguments.is_empty()
    {
        if is_toml(search, module, spread, locals) {
            return of_class(search.value(module, &call.function, locals));
        }
        if is_part(search, module, spread, locals) {
            part(search, module, &call.function, locals);
        }
        return None;
    }
    let made = match search.callee(module, &call.function, locals) {
        Some(Callee::Named(dotted)) if &*dotted == "pydantic_settings.CliApp.run" => call.arguments.first()?,
        None if call.arguments.is_empty() => &call.function,
        _ => return None,
    };
    let Value::Class(class) = search.value(module, made, locals) else { return None };
    let loader = settings(&class)?;
    Some((Value::Class(class), loader))
}

/// Whether a value is a table of a file of TOML.
fn is_part(search: &mut Search<'_, '_>, module: &Arc<Module>, expr: &Expr, locals: &Locals) -> bool {
    match &expr.kind {
        ExprKind::Subscript(of, _) => is_toml(search, module, of, locals) || is_part(search, module, of, locals),
        ExprKind::Call(call) => match &call.function.kind {
            ExprKind::Attribute(of, method) => &**method == "get" && is_toml(search, module, of, locals),
            _ => false,
        },
        _ => false,
    }
}

/// Notes that a class is only that of a table of the file.
fn part(search: &mut Search<'_, '_>, module: &Arc<Module>, made: &Expr, locals: &Locals) {
    if let Value::Class(class) = search.value(module, made, locals) {
        let why = format!("{}:{}: `{}` is made of a single table of the file", module.path, made.line, class.name);
        search.why = search.why.take().or(Some(why));
    }
}

/// How a class of pydantic-settings reads a file of TOML: it names one in its settings, and asks for that source.
fn settings(class: &Arc<Class>) -> Option<Loader> {
    let is_read = class.is_settings && class.line().any(|class| class.function("settings_customise_sources").is_some());
    let named = class.line().find_map(|class| match &class.own("model_config")?.kind {
        ExprKind::Call(call) => {
            call.keywords.iter().find(|(name, _)| name.as_deref() == Some("toml_file")).map(|(_, file)| of_file(file))
        }
        ExprKind::Dict(entries) => entries.iter().find_map(|(key, file)| {
            let is_it = matches!(key, Some(Expr { kind: ExprKind::Str(key), .. }) if &**key == "toml_file");
            is_it.then(|| of_file(file))
        }),
        _ => None,
    });
    named.filter(|_| is_read)
}

/// Settings with a file of this name, which may be one that only running the program shows.
fn of_file(name: &Expr) -> Loader {
    Loader::Settings(if let ExprKind::Str(text) = &name.kind { Some(text.to_string()) } else { None })
}
