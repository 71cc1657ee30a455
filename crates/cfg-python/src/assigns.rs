//! Whether a check may assign to the attributes of an object, judging by its own code and that of its class and module. Other code that it calls is
//! not followed: when the check runs, its result is then unknown.

use std::sync::Arc;

use crate::{
    ast::{Case, Expr, ExprKind, Function, Stmt, StmtKind},
    class::Class,
    module::{Bound, Module},
    revision::MAX_DEEP,
};

/// Whether a method of a class, or a function of the class or of its module that it calls, assigns to an attribute.
pub(crate) fn may_assign(class: &Arc<Class>, module: &Module, method: &Function) -> bool {
    Search { class, module, open: Vec::new(), depth: 0 }.function(method)
}

struct Search<'a> {
    class: &'a Arc<Class>,
    module: &'a Module,
    /// The lines of the functions that have been visited.
    open: Vec<u32>,
    /// How many functions that call each other are being visited.
    depth: usize,
}

impl Search<'_> {
    fn function(&mut self, function: &Function) -> bool {
        if self.open.contains(&function.line) {
            return false;
        }
        if self.depth > MAX_DEEP {
            return true;
        }
        self.open.push(function.line);
        self.depth += 1;
        let assigns = self.body(&function.body);
        self.depth -= 1;
        assigns
    }

    fn body(&mut self, body: &[Stmt]) -> bool {
        body.iter().any(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => targets.iter().any(is_attribute) || self.expr(value),
            StmtKind::Annotated { target, value, .. } => {
                is_attribute(target) || value.as_ref().is_some_and(|value| self.expr(value))
            }
            StmtKind::Augmented { target, value, .. } => is_attribute(target) || self.expr(value),
            StmtKind::Delete(targets) => targets.iter().any(is_attribute),
            StmtKind::Expression(value) | StmtKind::Return(Some(value)) => self.expr(value),
            StmtKind::Assert(test, _) => self.expr(test),
            StmtKind::If(branches) => {
                branches.iter().any(|(test, body)| test.as_ref().is_some_and(|test| self.expr(test)) || self.body(body))
            }
            StmtKind::For { target, iter, body, otherwise } => {
                is_attribute(target) || self.expr(iter) || self.body(body) || self.body(otherwise)
            }
            StmtKind::While { test, body, otherwise } => self.expr(test) || self.body(body) || self.body(otherwise),
            StmtKind::With { items, body } => {
                items.iter().any(|(item, target)| target.as_ref().is_some_and(is_attribute) || self.expr(item)) || self.body(body)
            }
            StmtKind::Try { body, handlers, otherwise, finally } => {
                self.body(body)
                    || handlers.iter().any(|handler| self.body(&handler.body))
                    || self.body(otherwise)
                    || self.body(finally)
            }
            StmtKind::Function(function) => self.function(function),
            StmtKind::Match { subject, cases, .. } => {
                self.expr(subject)
                    || cases
                        .iter()
                        .any(|case: &Case| case.guard.as_ref().is_some_and(|guard| self.expr(guard)) || self.body(&case.body))
            }
            StmtKind::Other { .. } => true,
            _ => false,
        }
    }

    fn expr(&mut self, expr: &Expr) -> bool {
        let assigns = match &expr.kind {
            ExprKind::Call(call) => match &call.function.kind {
                ExprKind::Name(name) => match self.module.bound(name) {
                    Some(Bound::Function(function)) => self.function(&function),
                    _ => &**name == "setattr",
                },
                ExprKind::Attribute(_, name) if &**name == "__setattr__" => true,
                ExprKind::Attribute(_, name) => {
                    let method = self.class.line().find_map(|class| class.function(name).cloned());
                    method.is_some_and(|method| self.function(&method))
                }
                _ => false,
            },
            _ => false,
        };
        assigns || expr.parts().into_iter().any(|part| self.expr(part))
    }
}

fn is_attribute(target: &Expr) -> bool {
    match &target.kind {
        ExprKind::Attribute(..) => true,
        ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().any(is_attribute),
        _ => false,
    }
}
