//! Runs `with`, and assignments that change an object in place.

use std::rc::Rc;

use super::{
    heap,
    object::Object,
    run::{Frame, MAX_DEEP, Outcome, Run},
    statement::Flow,
};
use crate::ast::{Expr, ExprKind, Operator, Stmt};

impl Run<'_> {
    /// Runs a `with` statement.
    pub(super) fn within(&mut self, frame: &mut Frame, items: &[(Expr, Option<Expr>)], body: &[Stmt]) -> Outcome<Flow> {
        let Some(((manager, target), rest)) = items.split_first() else { return Ok(self.block(frame, body)) };
        let line = manager.line;
        if self.depth > MAX_DEEP {
            let why = self.why(&frame.module, line, "context managers that are nested too deeply");
            self.open(&why);
            return Ok(Flow::Next);
        }
        self.depth += 1;
        let flow = self.entered(frame, manager, target.as_ref(), rest, body);
        self.depth -= 1;
        flow
    }

    fn entered(
        &mut self,
        frame: &mut Frame,
        manager: &Expr,
        target: Option<&Expr>,
        rest: &[(Expr, Option<Expr>)],
        body: &[Stmt],
    ) -> Outcome<Flow> {
        let line = manager.line;
        let suppressed = match &manager.kind {
            ExprKind::Call(call) => match self.eval(frame, &call.function)? {
                Object::External(name) if &*name == "contextlib.suppress" => Some(&call.arguments),
                _ => None,
            },
            _ => None,
        };
        if let Some(caught) = suppressed {
            let flow = self.within(frame, rest, body)?;
            let Flow::Raise(raised) = flow else { return Ok(flow) };
            for caught in caught {
                match self.catches(frame, caught, &raised) {
                    Some(true) => return Ok(Flow::Next),
                    Some(false) => {}
                    None => {
                        let why = self.why(&frame.module, line, "the class of a caught exception");
                        self.open(&why);
                    }
                }
            }
            return Ok(Flow::Raise(raised));
        }
        let entered = self.eval(frame, manager)?;
        if let Some(target) = target {
            let entered = match entered {
                Object::Unknown(_) => entered,
                _ => self.unknown(frame, line, "the value of a context manager"),
            };
            self.assign(frame, target, entered, &Rc::default())?;
        }
        let is_harmless = is_call_of(manager, &["open", "catch_warnings", "redirect_stdout", "redirect_stderr", "nullcontext"]);
        match self.within(frame, rest, body)? {
            // Another context manager may catch it.
            Flow::Raise(_) if !is_harmless => {
                let why = self.why(&frame.module, line, "whether a context manager catches an exception");
                self.open(&why);
                Ok(Flow::Next)
            }
            flow => Ok(flow),
        }
    }

    /// Changes a list, a set or a dict as `+=` and the like do; returns whether the object is one of them.
    pub(super) fn in_place(
        &mut self,
        frame: &mut Frame,
        line: u32,
        operator: Operator,
        of: &Object,
        by: &Object,
    ) -> Outcome<bool> {
        match (of, operator) {
            (Object::List(list), Operator::Add) => {
                let more = self.iterated(frame, line, by)?.ok();
                heap::spend(list.value.borrow().len());
                let items = more.map(|more| list.value.borrow().iter().cloned().chain(more).collect());
                self.changed(frame, line, of, items);
            }
            (Object::List(_) | Object::Set(_), _) => {
                let items = match self.binary(frame, line, operator, of, by)? {
                    Object::Unknown(_) => None,
                    made => made.items().ok(),
                };
                self.changed(frame, line, of, items);
            }
            (Object::Dict(dict), Operator::Or) => match by.items_of_dict().filter(|_| dict.missing.borrow().is_none()) {
                Some(more) => {
                    for (key, value) in more {
                        self.set_item(frame, line, of, &key, value, &[])?;
                    }
                }
                None => {
                    let why = self.why(&frame.module, line, "a dict that is changed");
                    self.lose(dict, &why);
                }
            },
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Whether an expression calls a function with one of these names.
fn is_call_of(expr: &Expr, words: &[&str]) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    matches!(&call.function.kind, ExprKind::Name(name) | ExprKind::Attribute(_, name) if words.contains(&&**name))
}
