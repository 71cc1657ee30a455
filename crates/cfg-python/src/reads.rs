//! The fields that a validator reads.

use std::collections::BTreeSet;

use crate::ast::{Expr, ExprKind, Function, Name, Pattern, Stmt, StmtKind};

/// The fields among `fields` that a validator of a whole class reads from its first parameter; `None` if that is unknown.
pub(crate) fn fields_read(function: &Function, fields: &[Name]) -> Option<Vec<String>> {
    let of = &function.parameters.first()?.name;
    let mut reads = Reads { of, fields, found: BTreeSet::new() };
    reads.block(&function.body)?;
    Some(reads.found.into_iter().collect())
}

/// Whether a name occurs in the body of a function, or may occur there.
pub(crate) fn is_mentioned(name: &Name, body: &[Stmt]) -> bool {
    let mut reads = Reads { of: name, fields: &[], found: BTreeSet::new() };
    let is_returned =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Return(Some(Expr { kind: ExprKind::Name(own), .. })) if own == name);
    body.iter().any(is_returned) || reads.block(body).is_none()
}

struct Reads<'f> {
    /// The name of the variable whose attributes are counted.
    of: &'f Name,
    fields: &'f [Name],
    found: BTreeSet<String>,
}

impl Reads<'_> {
    fn block(&mut self, body: &[Stmt]) -> Option<()> {
        body.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match &stmt.kind {
            // A validator returns its argument.
            StmtKind::Return(Some(Expr { kind: ExprKind::Name(name), .. })) if name == self.of => Some(()),
            StmtKind::Return(value) => value.iter().try_for_each(|value| self.expr(value)),
            StmtKind::Expression(expr) => self.expr(expr),
            StmtKind::Assign { targets, value } => {
                targets.iter().try_for_each(|target| self.expr(target))?;
                self.expr(value)
            }
            StmtKind::Annotated { target, value, .. } => {
                self.expr(target)?;
                value.iter().try_for_each(|value| self.expr(value))
            }
            StmtKind::If(branches) => branches.iter().try_for_each(|(test, body)| {
                test.iter().try_for_each(|test| self.expr(test))?;
                self.block(body)
            }),
            StmtKind::For { target, iter, body, otherwise } => {
                self.expr(target)?;
                self.expr(iter)?;
                self.block(body)?;
                self.block(otherwise)
            }
            StmtKind::Try { body, handlers, otherwise, finally } => {
                self.block(body)?;
                handlers.iter().try_for_each(|handler| self.block(&handler.body))?;
                self.block(otherwise)?;
                self.block(finally)
            }
            StmtKind::Function(function) => {
                let defaults = function.parameters.iter().filter_map(|parameter| parameter.default.as_ref());
                defaults.chain(&function.decorators).try_for_each(|expr| self.expr(expr))?;
                self.block(&function.body)
            }
            StmtKind::With { items, body } => {
                items.iter().try_for_each(|(entered, target)| {
                    self.expr(entered)?;
                    target.iter().try_for_each(|target| self.expr(target))
                })?;
                self.block(body)
            }
            StmtKind::Augmented { target, value, operator: _ } => {
                self.expr(target)?;
                self.expr(value)
            }
            StmtKind::Assert(test, _) => self.expr(test),
            StmtKind::While { test, body, otherwise } => {
                self.expr(test)?;
                self.block(body)?;
                self.block(otherwise)
            }
            StmtKind::Match { subject, cases, .. } => {
                self.expr(subject)?;
                cases.iter().try_for_each(|case| {
                    self.pattern(&case.pattern)?;
                    case.guard.iter().try_for_each(|guard| self.expr(guard))?;
                    self.block(&case.body)
                })
            }
            StmtKind::Delete(targets) => targets.iter().try_for_each(|target| self.expr(target)),
            StmtKind::Import(_)
            | StmtKind::ImportFrom { .. }
            | StmtKind::Raise(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Pass => Some(()),
            _ => None,
        }
    }

    fn pattern(&mut self, pattern: &Pattern) -> Option<()> {
        pattern.exprs().into_iter().try_for_each(|expr| self.expr(expr))?;
        pattern.parts().into_iter().try_for_each(|part| self.pattern(part))
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Attribute(of, name) if matches!(&of.kind, ExprKind::Name(of) if of == self.of) => {
                // A method or a property may read any field.
                self.fields.contains(name).then(|| self.found.insert(name.to_string()))?;
                Some(())
            }
            ExprKind::Name(name) => (name != self.of && &**name != "super").then_some(()),
            ExprKind::Lambda(_) | ExprKind::Other(_) | ExprKind::Yield(_) | ExprKind::YieldFrom(_) => None,
            // An f-string is part of an error message and decides nothing.
            _ => expr.parts().into_iter().try_for_each(|part| self.expr(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fields_read;
    use crate::{
        ast::{Name, StmtKind},
        parse,
    };

    /// The fields among `a`, `b` and `c` that a validator with this body reads.
    fn read(body: &str) -> Option<String> {
        let parsed =
            parse::module(&format!("def check(self):\n    {}\n", body.replace('\n', "\n    ")), usize::MAX).expect("Python");
        let StmtKind::Function(function) = &parsed.body[0].kind else { panic!("a function") };
        Some(fields_read(function, &["a", "b", "c"].map(Name::from))?.join(" "))
    }

    #[test]
    fn all_fields_that_a_validator_reads_are_found() {
        for (body, reads) in [
            ("return self", ""),
            ("if self.a > 1:\n    raise ValueError(f\"{self.b}\")\nreturn self", "a"),
            ("for item in self.b.items:\n    if item not in (self.c or []):\n        raise ValueError", "b c"),
            ("x = [y for y in self.a if y]\nassert_it(x, key=self.c)", "a c"),
            ("try:\n    int(self.a)\nexcept ValueError:\n    self.b = 0", "a b"),
            ("self.a.b.c", "a"),
            ("self.a += self.b", "a b"),
            ("del self.c.inner", "c"),
            ("with opened(self.b) as file:\n    file.write(self.a)", "a b"),
            ("while self.b:\n    assert self.a, \"it must be\"", "a b"),
            ("match self.a:\n    case [x, 1] if x > self.b:\n        self.c", "a b c"),
            ("for item in self.a:\n    if item:\n        continue\n    break", "a"),
        ] {
            assert_eq!(read(body).as_deref(), Some(reads), "{body}");
        }
    }

    #[test]
    fn a_validator_that_may_read_any_field_is_marked() {
        for body in [
            "self.other()",
            "look(self)",
            "return self.model_copy()",
            "total += self.other()",
            "with opened(self.other()):\n    pass",
            "with opened(self) as file:\n    pass",
            "f = lambda: self.a",
            "super().check()",
            "def inner():\n    return self.other()",
        ] {
            assert_eq!(read(body), None, "{body}");
        }
    }
}
