//! The names that code inside the statements of a module binds: by `global`, and by `:=` outside of functions.

use ruff_python_ast::{
    self as py,
    visitor::{Visitor, walk_expr, walk_stmt},
};

use crate::ast::Name;

/// The names that code inside these statements binds.
pub(super) fn rebinds(body: &[py::Stmt]) -> Vec<Name> {
    let mut found = Rebinds { names: Vec::new(), functions: 0 };
    body.iter().for_each(|stmt| found.visit_stmt(stmt));
    found.names
}

struct Rebinds {
    names: Vec<Name>,
    /// The number of functions around the code: `:=` in a function binds a name of the function.
    functions: usize,
}

impl<'a> Visitor<'a> for Rebinds {
    fn visit_stmt(&mut self, stmt: &'a py::Stmt) {
        if let py::Stmt::Global(given) = stmt {
            self.names.extend(given.names.iter().map(|name| Name::from(name.as_str())));
        }
        if let py::Stmt::FunctionDef(function) = stmt {
            function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
            self.visit_parameters(&function.parameters);
            self.functions += 1;
            self.visit_body(&function.body);
            self.functions -= 1;
            return;
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a py::Expr) {
        if let py::Expr::Named(named) = expr
            && let py::Expr::Name(name) = &*named.target
            && self.functions == 0
        {
            self.names.push(name.id.as_str().into());
        }
        walk_expr(self, expr);
    }
}
