//! The config class of an entrypoint, found in the code that starts it: `config = cli(EvalConfig)`.

use std::sync::Arc;

use crate::{
    ast::{Expr, ExprKind, Name, Stmt, StmtKind},
    class::Class,
    module::Bound,
    names::Reader,
    value::Value,
};

/// The functions of prime-rl that load a config from the arguments of a command.
const LOADERS: [&str; 2] = ["cli", "parse_argv"];

impl Reader<'_> {
    /// The class that prime-rl's module for an entrypoint loads; `None` if prime-rl has no such module.
    ///
    /// # Errors
    /// If the module exists but its class is unknown: the reason, as a sentence.
    pub(crate) fn entrypoint(&mut self, name: &str) -> Option<Result<Arc<Class>, String>> {
        let module = self.module(&format!("prime_rl.entrypoints.{}", name.replace('-', "_")))?;
        let Some(Bound::Function(main)) = module.bound("main") else {
            return Some(Err(format!("{}: there is no function `main`", module.path)));
        };
        let mut loaded = Vec::new();
        main.body.iter().for_each(|stmt| statement(stmt, &mut loaded));
        loaded.dedup();
        let [class] = loaded.as_slice() else {
            return Some(Err(format!("{}: `main` loads {} configs", module.path, loaded.len())));
        };
        Some(match self.global(&module, class) {
            Some(Value::Class(class)) => Ok(class),
            Some(Value::Unknown(unknown)) => Err(unknown.to_string()),
            _ => Err(format!("{}: the class `{class}` is unknown", module.path)),
        })
    }
}

/// Adds the names of the classes that a statement loads.
fn statement(stmt: &Stmt, loaded: &mut Vec<Name>) {
    let mut block = |body: &[Stmt]| body.iter().for_each(|stmt| statement(stmt, loaded));
    match &stmt.kind {
        StmtKind::If(branches) => branches.iter().for_each(|(_, body)| block(body)),
        StmtKind::With { body, .. } => block(body),
        StmtKind::Match { cases, .. } => cases.iter().for_each(|case| block(&case.body)),
        StmtKind::Try { body, handlers, otherwise, finally } => {
            block(body);
            handlers.iter().for_each(|handler| block(&handler.body));
            block(otherwise);
            block(finally);
        }
        StmtKind::Expression(value) | StmtKind::Return(Some(value)) => expression(value, loaded),
        StmtKind::Assign { value, .. } => expression(value, loaded),
        _ => {}
    }
}

fn expression(expr: &Expr, loaded: &mut Vec<Name>) {
    if let ExprKind::Call(call) = &expr.kind
        && let ExprKind::Name(function) = &call.function.kind
        && LOADERS.contains(&&**function)
        && let Some(ExprKind::Name(class)) = call.arguments.first().map(|argument| &argument.kind)
    {
        loaded.push(Arc::clone(class));
    }
    expr.parts().into_iter().for_each(|part| expression(part, loaded));
}
