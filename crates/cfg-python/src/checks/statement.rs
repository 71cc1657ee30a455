//! Runs the statements of a check.

use std::{rc::Rc, sync::Arc};

use cfg_schema::Reason;

use super::{
    call::is_harmless,
    heap,
    object::{Around, Exception, Names, Object, Place, Why},
    run::{Frame, MAX_DEEP, Outcome, Raise, Run, each_once},
    text,
};
use crate::{
    ast::{Expr, ExprKind, Name, Stmt, StmtKind},
    parts::Parts,
};

/// The units for finding the value of a name in another branch, and comparing the two.
const OF_A_MERGED_NAME: usize = 10;

/// How a statement ends.
pub(super) enum Flow {
    Next,
    Return(Object),
    Break,
    Continue,
    Raise(Raise),
}

impl Run<'_> {
    pub(super) fn block(&mut self, frame: &mut Frame, body: &[Stmt]) -> Flow {
        for stmt in body {
            match self.stmt(frame, stmt) {
                Ok(Flow::Next) => {}
                Ok(flow) => return flow,
                Err(raised) => return Flow::Raise(raised),
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, frame: &mut Frame, stmt: &Stmt) -> Outcome<Flow> {
        if let Err(why) = self.step(&frame.module, stmt.line) {
            self.open(&why);
            return Ok(Flow::Return(Object::Unknown(why)));
        }
        match &stmt.kind {
            StmtKind::Return(value) => {
                let value = value.as_ref().map_or(Ok(Object::None), |value| self.eval(frame, value))?;
                return Ok(Flow::Return(value));
            }
            StmtKind::Expression(expr) => self.effect(frame, expr)?,
            StmtKind::Assign { targets, value } => {
                let (value, reads) = self.tracked(frame, value)?;
                for target in targets {
                    self.assign(frame, target, value.clone(), &reads)?;
                }
            }
            StmtKind::Annotated { target, value: Some(value), .. } => {
                let (value, reads) = self.tracked(frame, value)?;
                self.assign(frame, target, value, &reads)?;
            }
            StmtKind::Augmented { target, operator, value } => {
                let start = self.reads.len();
                let old = self.eval(frame, target)?;
                let value = self.eval(frame, value)?;
                let is_changed = self.in_place(frame, stmt.line, *operator, &old, &value)?;
                let new = if is_changed { old } else { self.binary(frame, stmt.line, *operator, &old, &value)? };
                let reads = self.reads[start..].to_vec().into();
                self.assign(frame, target, new, &reads)?;
            }
            StmtKind::If(branches) => return self.branches(frame, branches),
            StmtKind::For { target, iter, body, otherwise } => {
                return self.repeat(frame, stmt.line, target, iter, body, otherwise);
            }
            StmtKind::While { test, body, otherwise } => return self.repeat_while(frame, test, body, otherwise),
            StmtKind::Raise(raised) => {
                let raised = self.raise(frame, stmt.line, raised.as_ref())?;
                return Ok(self.stopped(raised));
            }
            StmtKind::Assert(test, message) => return self.assert(frame, stmt.line, test, message.as_ref()),
            StmtKind::Try { body, handlers, otherwise, finally } => {
                let flow = self.tried(frame, body, handlers, otherwise);
                return Ok(match self.block(frame, finally) {
                    Flow::Next => flow,
                    other => other,
                });
            }
            StmtKind::With { items, body } => return self.within(frame, items, body),
            StmtKind::Import(_) | StmtKind::ImportFrom { .. } => self.import(frame, &stmt.kind),
            StmtKind::Function(function) => {
                let made = if function.decorators.iter().all(is_harmless) && heap::may_close() {
                    let around = Around { names: frame.copy_of_names(), frame: frame.number };
                    Object::Function(Arc::clone(&frame.module), Arc::clone(function), Rc::new(around))
                } else {
                    self.unknown(
                        frame,
                        stmt.line,
                        format!("the function `{}`, which is defined within a function", function.name),
                    )
                };
                frame.names.insert(Arc::clone(&function.name), (made, Rc::default()));
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Pass | StmtKind::Annotated { .. } => {}
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.delete(frame, target)?;
                }
            }
            StmtKind::Class(class) => {
                let made = self.unknown(frame, stmt.line, "a class within a function");
                frame.names.insert(Arc::clone(&class.name), (made, Rc::default()));
            }
            StmtKind::TypeAlias { name, .. } => {
                let made = self.unknown(frame, stmt.line, "a type within a function");
                frame.names.insert(Arc::clone(name), (made, Rc::default()));
            }
            StmtKind::Match { subject, cases, .. } => return self.matches(frame, subject, cases),
            StmtKind::Other { word, .. } => {
                let why = self.why(&frame.module, stmt.line, *word);
                self.open(&why);
                frame.returned.push((Object::Unknown(Rc::clone(&why)), Rc::clone(&why)));
                return Ok(self.leave(frame, &why));
            }
        }
        Ok(Flow::Next)
    }

    /// Runs `assert`.
    fn assert(&mut self, frame: &mut Frame, line: u32, test: &Expr, message: Option<&Expr>) -> Outcome<Flow> {
        let (truth, reads) = self.test(frame, test)?;
        if let Ok(true) = truth {
            return Ok(Flow::Next);
        }
        self.tests.push(reads);
        let message = message.map_or_else(|| Ok(Object::str("")), |message| self.eval(frame, message))?;
        let message = text::shown(&message).unwrap_or_else(|| text::UNKNOWN.to_owned());
        let raised = self.raised(frame, line, "AssertionError", message);
        self.tests.pop();
        Ok(match truth {
            Err(why) => {
                self.open(&why);
                Flow::Next
            }
            Ok(_) => self.stopped(raised),
        })
    }

    /// Binds the names of an import within a function.
    fn import(&self, frame: &mut Frame, import: &StmtKind) {
        match import {
            StmtKind::Import(names) => {
                for (dotted, known_as) in names {
                    let head: Name = dotted.split('.').next().unwrap_or_default().into();
                    let (name, module) = match known_as {
                        Some(name) => (name, dotted),
                        None => (&head, &head),
                    };
                    frame.names.insert(Arc::clone(name), (self.code.imported(module), Rc::default()));
                }
            }
            StmtKind::ImportFrom { level, module, names } => {
                let base = frame.module.named_from(*level, module.as_deref());
                for (name, known_as) in names {
                    let value = self.code.of_module(&base, name);
                    frame.names.insert(Arc::clone(known_as.as_ref().unwrap_or(name)), (value, Rc::default()));
                }
            }
            _ => {}
        }
    }

    /// The end of a statement that raises an exception. If it is unknown whether it runs at all, execution continues, and it is
    /// unknown whether the table is accepted.
    pub(super) fn stopped(&mut self, raised: Raise) -> Flow {
        if let Some(why) = self.maybe.clone() {
            self.open(&why);
        }
        Flow::Raise(raised)
    }

    /// Runs an expression statement.
    pub(super) fn effect(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<()> {
        if is_said(expr) {
            return Ok(());
        }
        if let Object::Unknown(why) = self.eval(frame, expr)?
            // A function that only affects the machine does not refuse the config.
            && why.reason != Reason::Machine
        {
            self.open(&why);
        }
        Ok(())
    }

    /// The exception that `raise` raises.
    pub(super) fn raise(&mut self, frame: &mut Frame, line: u32, raised: Option<&Expr>) -> Outcome<Raise> {
        let Some(raised) = raised else {
            let again = frame.caught.clone();
            return Ok(again.unwrap_or_else(|| self.raised(frame, line, "RuntimeError", "No active exception to reraise")));
        };
        let (value, reads) = self.tracked(frame, raised)?;
        let exception = match value {
            Object::Exception(exception) => (*exception).clone(),
            Object::Class(_) if let Object::Exception(made) = self.call(frame, line, &value, Vec::new(), Vec::new())? => {
                (*made).clone()
            }
            Object::External(name) => {
                let name = name.rsplit('.').next().unwrap_or_default().into();
                Exception {
                    name,
                    bases: Vec::new(),
                    message: String::new(),
                    args: Parts::default(),
                    place: String::new(),
                    reads: Vec::new(),
                    of_field: None,
                }
            }
            other => {
                // An exception is certainly raised, but it is unknown which one.
                let message = text::shown(&other).unwrap_or_else(|| text::UNKNOWN.to_owned());
                Exception {
                    name: "Exception".into(),
                    bases: Vec::new(),
                    message,
                    args: Parts::default(),
                    place: String::new(),
                    reads: Vec::new(),
                    of_field: None,
                }
            }
        };
        Ok(self.placed(frame, line, exception, &reads))
    }

    pub(super) fn branches(&mut self, frame: &mut Frame, branches: &[(Option<Expr>, Vec<Stmt>)]) -> Outcome<Flow> {
        let tests = self.tests.len();
        let flow = self.first_branch(frame, branches);
        self.tests.truncate(tests);
        flow
    }

    fn first_branch(&mut self, frame: &mut Frame, branches: &[(Option<Expr>, Vec<Stmt>)]) -> Outcome<Flow> {
        for (at, (test, body)) in branches.iter().enumerate() {
            let Some(test) = test else { return Ok(self.block(frame, body)) };
            let (truth, reads) = self.test(frame, test)?;
            match truth {
                Ok(true) => {
                    self.tests.push(reads);
                    return Ok(self.block(frame, body));
                }
                Ok(false) => {
                    let ends = body.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_) | StmtKind::Continue));
                    if ends {
                        frame.guards.extend(reads.iter().cloned());
                    }
                    // The paths read by a condition also affect the `elif` and `else` that follow.
                    self.tests.push(reads);
                }
                Err(why) if self.depth > MAX_DEEP => {
                    self.open(&why);
                    return Ok(Flow::Next);
                }
                Err(why) => {
                    self.tests.push(reads);
                    self.depth += 1;
                    let flow = self.either(
                        frame,
                        &why,
                        |run, frame| run.block(frame, body),
                        |run, frame| match run.branches(frame, &branches[at + 1..]) {
                            Ok(flow) => flow,
                            Err(raised) => Flow::Raise(raised),
                        },
                    );
                    self.depth -= 1;
                    return Ok(flow);
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Runs both branches if it is unknown which one runs.
    pub(super) fn either(
        &mut self,
        frame: &mut Frame,
        why: &Why,
        one: impl FnOnce(&mut Self, &mut Frame) -> Flow,
        other: impl FnOnce(&mut Self, &mut Frame) -> Flow,
    ) -> Flow {
        let (outer, leaves) = (self.maybe.clone(), frame.leaves);
        let before = frame.copy_of_names();
        self.maybe.get_or_insert_with(|| Rc::clone(why));
        let first = one(self, frame);
        let firsts = std::mem::replace(&mut frame.names, before);
        self.maybe = Some(outer.clone().unwrap_or_else(|| Rc::clone(why)));
        let second = other(self, frame);
        self.maybe.clone_from(&outer);
        if frame.leaves > leaves {
            self.maybe.get_or_insert_with(|| Rc::clone(why));
        }
        match (first, second) {
            (Flow::Raise(raised), Flow::Raise(_)) => Flow::Raise(raised),
            // If one branch raises, execution continues as after the other branch.
            (Flow::Raise(_), flow) => {
                self.open(why);
                flow
            }
            (flow, Flow::Raise(_)) => {
                self.open(why);
                frame.names = firsts;
                flow
            }
            (Flow::Return(one), Flow::Return(other)) => {
                if one.is_same(&other) {
                    Flow::Return(one)
                } else {
                    Flow::Return(Object::Unknown(Rc::clone(why)))
                }
            }
            (Flow::Next, Flow::Next) => {
                Self::merge(frame, firsts, why);
                Flow::Next
            }
            (Flow::Return(value), _) => {
                frame.returned.push((value, Rc::clone(why)));
                self.leave(frame, why)
            }
            (_, Flow::Return(value)) => {
                frame.returned.push((value, Rc::clone(why)));
                frame.names = firsts;
                self.leave(frame, why)
            }
            // The other branch may have ended the loop, so it is unknown whether the rest of its body runs.
            (Flow::Next, _) => {
                frame.names = firsts;
                self.leave(frame, why)
            }
            _ => self.leave(frame, why),
        }
    }

    /// Records that it is unknown whether the rest of a function or of a loop runs.
    pub(super) fn leave(&mut self, frame: &mut Frame, why: &Why) -> Flow {
        frame.leaves += 1;
        self.maybe.get_or_insert_with(|| Rc::clone(why));
        Flow::Next
    }

    /// Merges the names after two branches: names with different values become unknown. Each is looked for among those of the other branch.
    fn merge(frame: &mut Frame, others: Names, why: &Why) {
        if !heap::spend((frame.names.len() + others.len()) * OF_A_MERGED_NAME) {
            return;
        }
        for (name, (object, reads)) in &mut frame.names {
            match others.get(name) {
                Some((other, _)) if other.is_same(object) => {}
                _ => (*object, *reads) = (Object::Unknown(Rc::clone(why)), Rc::default()),
            }
        }
        for (name, _) in others {
            frame.names.entry(name).or_insert_with(|| (Object::Unknown(Rc::clone(why)), Rc::default()));
        }
    }

    /// Whether a condition holds, with the paths that were read for it. The inner error says why that is unknown.
    pub(super) fn test(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<(Result<bool, Why>, Vec<Place>)> {
        let start = self.reads.len();
        let truth = self.holds(frame, expr)?;
        let reads = each_once(self.reads.get(start..).unwrap_or_default());
        self.reads.truncate(start);
        Ok((truth, reads))
    }
}

/// Whether a statement is only documentation or a log call.
fn is_said(expr: &Expr) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return matches!(expr.kind, ExprKind::Str(_) | ExprKind::Ellipsis) };
    match &call.function.kind {
        ExprKind::Attribute(of, name) => {
            let words = ["debug", "info", "warning", "warn", "error", "exception", "critical", "log", "success"];
            let is_logger = match &of.kind {
                ExprKind::Name(name) => {
                    let name = name.trim_start_matches('_').to_ascii_lowercase();
                    name.starts_with("log") || name == "warnings"
                }
                ExprKind::Call(call) => {
                    matches!(&call.function.kind, ExprKind::Name(name) | ExprKind::Attribute(_, name) if name.to_ascii_lowercase().contains("log"))
                }
                ExprKind::Attribute(_, name) => name.trim_start_matches('_').to_ascii_lowercase().starts_with("log"),
                _ => false,
            };
            is_logger && words.contains(&&**name)
        }
        ExprKind::Name(name) => &**name == "print",
        _ => false,
    }
}
