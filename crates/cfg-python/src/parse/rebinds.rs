//! The names that code inside the statements of a module binds: by `global`, and by `:=` anywhere.

use ruff_python_ast::{
    self as py,
    visitor::{Visitor, walk_expr, walk_stmt},
};

use crate::ast::Name;

/// The names that code inside these statements binds.
pub(super) fn rebinds(body: &[py::Stmt]) -> Vec<Name> {
    let mut found = Rebinds(Vec::new());
    body.iter().for_each(|stmt| found.visit_stmt(stmt));
    found.0
}

struct Rebinds(Vec<Name>);

impl<'a> Visitor<'a> for Rebinds {
    fn visit_stmt(&mut self, stmt: &'a py::Stmt) {
        if let py::Stmt::Global(given) = stmt {
            self.0.extend(given.names.iter().map(|name| Name::from(name.as_str())));
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a py::Expr) {
        if let py::Expr::Named(named) = expr
            && let py::Expr::Name(name) = &*named.target
        {
            self.0.push(name.id.as_str().into());
        }
        walk_expr(self, expr);
    }
}
