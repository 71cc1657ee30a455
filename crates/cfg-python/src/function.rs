//! Evaluates a small function, which contains only assignments, conditions, loops over known values, and returns.

use std::sync::Arc;

use crate::{
    ast::{Expr, ExprKind, Function, Name, Parameter, ParameterKind, Stmt, StmtKind},
    module::Module,
    names::{MAX_DEEP, Reader},
    value::Value,
};

impl Reader<'_> {
    /// The result of a small function.
    pub(crate) fn run(&mut self, module: &Arc<Module>, function: &Function, mut env: Vec<(Name, Value)>) -> Value {
        if function.is_generator {
            return Value::unknown(module, function.line, format!("`{}` is a generator", function.name));
        }
        if !function.decorators.is_empty() {
            return Value::unknown(module, function.line, format!("`{}` is decorated", function.name));
        }
        self.block(module, &function.body, &mut env).unwrap_or(Value::None)
    }

    /// The result of a block; `None` if execution continues after it.
    pub(crate) fn block(&mut self, module: &Arc<Module>, body: &[Stmt], env: &mut Vec<(Name, Value)>) -> Option<Value> {
        if self.depth > MAX_DEEP {
            return Some(Value::unknown(module, body.first().map_or(1, |stmt| stmt.line), "code that is nested too deeply"));
        }
        for stmt in body {
            let unknown = |why: &str| Some(Value::unknown(module, stmt.line, why));
            match &stmt.kind {
                StmtKind::Return(value) => {
                    return Some(value.as_ref().map_or(Value::None, |value| self.eval(module, value, env)));
                }
                StmtKind::Expression(expr) if matches!(expr.kind, ExprKind::Str(_)) || is_log(expr) => {}
                StmtKind::Pass => {}
                StmtKind::ImportFrom { level, module: from, names } => {
                    let base = module.named_from(*level, from.as_deref());
                    for (name, known_as) in names {
                        let value = self.of_module(&base, name, module);
                        env.push((Arc::clone(known_as.as_ref().unwrap_or(name)), value));
                    }
                }
                StmtKind::Assign { targets, value } => {
                    let value = self.eval(module, value, env);
                    for target in targets {
                        match &target.kind {
                            ExprKind::Name(name) => env.push((Arc::clone(name), value.clone())),
                            ExprKind::Attribute(of, field) => {
                                let ExprKind::Name(of) = &of.kind else { return unknown("an assignment") };
                                let changed = match self.name(module, of, stmt.line, env) {
                                    Value::Instance(class, given) if self.pays(given.len()) => {
                                        let mut given = given.to_vec();
                                        given.retain(|(name, _)| name != field);
                                        given.push((Arc::clone(field), value.clone()));
                                        Value::Instance(class, given.into())
                                    }
                                    _ => return unknown("an assignment"),
                                };
                                env.push((Arc::clone(of), changed));
                            }
                            _ => return unknown("an assignment"),
                        }
                    }
                }
                StmtKind::If(branches) => {
                    let mut taken = None;
                    for (test, body) in branches {
                        match test.as_ref().map_or(Some(true), |test| self.eval(module, test, env).truth()) {
                            Some(true) => {
                                taken = Some(body);
                                break;
                            }
                            Some(false) => {}
                            None => return unknown("a condition"),
                        }
                    }
                    if let Some(value) = taken.and_then(|body| self.block(module, body, env)) {
                        return Some(value);
                    }
                }
                StmtKind::For { target, iter, body, otherwise } if otherwise.is_empty() => {
                    let over = self.eval(module, iter, env);
                    let Some(items) = over.items() else { return unknown("a loop over a value that is not a list") };
                    for item in items {
                        // Without a statement in it, nothing else is charged.
                        if !self.pays(1 + env.len() / 64) {
                            return unknown("a loop");
                        }
                        if !unpack(target, item, env) {
                            return unknown("a loop whose targets do not match the items");
                        }
                        if let Some(value) = self.block(module, body, env) {
                            return Some(value);
                        }
                    }
                }
                _ => return unknown("a statement within a function"),
            }
        }
        None
    }
}

/// Whether a statement is only a log call.
fn is_log(expr: &Expr) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    let ExprKind::Attribute(of, name) = &call.function.kind else { return false };
    let is_logger = matches!(&of.kind, ExprKind::Name(name) if name.trim_start_matches('_').starts_with("log"));
    is_logger && ["debug", "info", "warning", "error"].contains(&&**name)
}

/// Binds the names in a target to the items of a value; `false` if their numbers do not match.
fn unpack(target: &Expr, item: &Value, env: &mut Vec<(Name, Value)>) -> bool {
    match (&target.kind, item) {
        (ExprKind::Name(name), item) => {
            env.push((Arc::clone(name), item.clone()));
            true
        }
        (ExprKind::Tuple(targets), Value::Tuple(items) | Value::List(items)) if targets.len() == items.len() => {
            targets.iter().zip(items.iter()).all(|(target, item)| unpack(target, item, env))
        }
        _ => false,
    }
}

/// Binds the arguments of a call to the parameters of a function; `None` if they do not match.
pub(crate) fn bind(
    reader: &mut Reader<'_>,
    home: &Arc<Module>,
    parameters: &[Parameter],
    arguments: Vec<Value>,
    mut keywords: Vec<(Name, Value)>,
) -> Option<Vec<(Name, Value)>> {
    let mut env = Vec::new();
    let mut arguments = arguments.into_iter();
    for parameter in parameters {
        if matches!(parameter.kind, ParameterKind::Rest | ParameterKind::NamedRest) {
            return None;
        }
        let by_place = if parameter.kind == ParameterKind::Named { None } else { arguments.next() };
        let by_name = || keywords.iter().position(|(name, _)| *name == parameter.name);
        let value = match by_place {
            Some(value) => value,
            None => match by_name() {
                Some(at) => keywords.swap_remove(at).1,
                None => reader.eval(home, parameter.default.as_ref()?, &[]),
            },
        };
        env.push((Arc::clone(&parameter.name), value));
    }
    (arguments.next().is_none() && keywords.is_empty()).then_some(env)
}
