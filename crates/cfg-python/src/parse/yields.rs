//! Which functions are generators.

use ruff_python_ast::{
    self as py,
    visitor::{Visitor, walk_expr, walk_stmt},
};

/// Whether the body of a function has a `yield` of its own.
pub(super) fn has_yield(body: &[py::Stmt]) -> bool {
    let mut found = Yields(false);
    body.iter().for_each(|stmt| found.visit_stmt(stmt));
    found.0
}

struct Yields(bool);

impl<'a> Visitor<'a> for Yields {
    fn visit_stmt(&mut self, stmt: &'a py::Stmt) {
        if !matches!(stmt, py::Stmt::FunctionDef(_) | py::Stmt::ClassDef(_)) {
            walk_stmt(self, stmt);
        }
    }

    fn visit_expr(&mut self, expr: &'a py::Expr) {
        self.0 |= matches!(expr, py::Expr::Yield(_) | py::Expr::YieldFrom(_));
        if !matches!(expr, py::Expr::Lambda(_)) {
            walk_expr(self, expr);
        }
    }
}
