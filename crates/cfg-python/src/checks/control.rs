//! Runs loops and exception handlers.

use std::{rc::Rc, sync::Arc};

use super::{
    heap,
    object::{Exception, Object, Why},
    places::Where,
    run::{Frame, MAX_DEEP, Outcome, Run},
    statement::Flow,
};
use crate::ast::{Expr, Handler, Stmt, StmtKind};

impl Run<'_> {
    pub(super) fn repeat(
        &mut self,
        frame: &mut Frame,
        line: u32,
        target: &Expr,
        iter: &Expr,
        body: &[Stmt],
        otherwise: &[Stmt],
    ) -> Outcome<Flow> {
        let (over, reads) = self.tracked(frame, iter)?;
        let outer = self.maybe.clone();
        let returned = frame.returned.len();
        let items = match self.iterated(frame, line, &over)? {
            Ok(items) => items,
            Err(why) => {
                let item = Object::Unknown(Rc::clone(&why));
                let flow = self.repeat_unknown(frame, &why, |run, frame| {
                    run.assign(frame, target, item.clone(), &reads)?;
                    Ok(run.block(frame, body))
                });
                if frame.returned.len() == returned {
                    self.maybe = outer;
                }
                return Ok(match flow {
                    Flow::Next if !otherwise.is_empty() => {
                        self.either(frame, &why, |run, frame| run.block(frame, otherwise), |_, _| Flow::Next)
                    }
                    flow => flow,
                });
            }
        };
        let (mut is_broken, leaves) = (false, frame.leaves);
        let length = items.len();
        let mut items: std::collections::VecDeque<Object> = items.into();
        let mut done = 0;
        // A list that the loop itself changes is read as it is at each step; a dict may not change.
        loop {
            let item = match &over {
                Object::List(list) if list.lost.borrow().is_none() => list.value.borrow().get(done).cloned(),
                _ => items.pop_front(),
            };
            let is_changed =
                matches!(&over, Object::Dict(dict) if dict.lost.borrow().is_none() && dict.value.borrow().len() != length);
            if is_changed {
                return Err(self.raised(frame, line, "RuntimeError", "dictionary changed size during iteration"));
            }
            let Some(item) = item.filter(|_| !heap::is_empty()) else { break };
            done += 1;
            heap::spend(1);
            let reads = match self.whereabouts(&item) {
                Where::At(place) => Rc::new([place]),
                _ => Rc::clone(&reads),
            };
            self.assign(frame, target, item, &reads)?;
            match self.block(frame, body) {
                Flow::Next | Flow::Continue => {}
                Flow::Break => {
                    is_broken = true;
                    break;
                }
                flow => return Ok(flow),
            }
        }
        // A loop that may have ended early may skip `else`.
        let may_skip = self.maybe.clone().filter(|_| frame.leaves > leaves);
        if frame.returned.len() == returned {
            self.maybe = outer;
        }
        Ok(match may_skip {
            _ if is_broken || otherwise.is_empty() => Flow::Next,
            Some(why) => self.either(frame, &why, |run, frame| run.block(frame, otherwise), |_, _| Flow::Next),
            None => self.block(frame, otherwise),
        })
    }

    /// Runs the body of a loop of which it is unknown how often it runs: twice, so that what it changes is unknown in the second run.
    fn repeat_unknown(&mut self, frame: &mut Frame, why: &Why, body: impl Fn(&mut Self, &mut Frame) -> Outcome<Flow>) -> Flow {
        let once = |run: &mut Self, frame: &mut Frame| match body(run, frame) {
            Ok(Flow::Break | Flow::Continue) => Flow::Next,
            Ok(flow) => flow,
            Err(raised) => Flow::Raise(raised),
        };
        match self.either(frame, why, once, |_, _| Flow::Next) {
            Flow::Next => self.either(frame, why, once, |_, _| Flow::Next),
            flow => flow,
        }
    }

    pub(super) fn repeat_while(&mut self, frame: &mut Frame, test: &Expr, body: &[Stmt], otherwise: &[Stmt]) -> Outcome<Flow> {
        let outer = self.maybe.clone();
        let returned = frame.returned.len();
        let flow = loop {
            let (truth, _) = self.test(frame, test)?;
            match truth {
                Ok(true) => match self.block(frame, body) {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break Flow::Next,
                    flow => break flow,
                },
                Ok(false) => break self.block(frame, otherwise),
                Err(why) => {
                    // The number of iterations is unknown, so the names that are bound in the loop are unknown too.
                    let flow = self.repeat_unknown(frame, &why, |run, frame| {
                        let flow = run.block(frame, body);
                        let _ = run.test(frame, test)?;
                        Ok(flow)
                    });
                    break match flow {
                        Flow::Next if !otherwise.is_empty() => {
                            self.either(frame, &why, |run, frame| run.block(frame, otherwise), |_, _| Flow::Next)
                        }
                        flow => flow,
                    };
                }
            }
        };
        if frame.returned.len() == returned {
            self.maybe = outer;
        }
        Ok(flow)
    }

    pub(super) fn tried(&mut self, frame: &mut Frame, body: &[Stmt], handlers: &[Handler], otherwise: &[Stmt]) -> Flow {
        let imports = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Import(names) => names.iter().any(|(dotted, _)| matches!(self.code.imported(dotted), Object::External(_))),
            StmtKind::ImportFrom { level, module, .. } => {
                let base = frame.module.named_from(*level, module.as_deref());
                !self.code.has_module(&base)
            }
            _ => false,
        };
        let unsure = body.iter().find(|stmt| imports(stmt)).map(|stmt| stmt.line);
        if let Some(line) = unsure {
            let why = self.why(&frame.module, line, "whether a package is installed");
            return self.either(
                frame,
                &why,
                |run, frame| match run.block(frame, body) {
                    Flow::Next => run.block(frame, otherwise),
                    flow => flow,
                },
                |run, frame| run.handled(frame, handlers, &why),
            );
        }
        let before = self.opened.take();
        let flow = self.block(frame, body);
        let within = std::mem::replace(&mut self.opened, before);
        match flow {
            Flow::Raise(raised) => {
                for handler in handlers {
                    let catches = match &handler.catches {
                        Some(caught) => self.catches(frame, caught, &raised),
                        None => Some(true),
                    };
                    match catches {
                        Some(true) => {
                            if let Some(name) = &handler.name {
                                let caught = Object::Exception(Rc::clone(&raised));
                                frame.names.insert(Arc::clone(name), (caught, raised.reads.clone().into()));
                            }
                            let outer = frame.caught.replace(raised);
                            let flow = self.block(frame, &handler.body);
                            frame.caught = outer;
                            return flow;
                        }
                        Some(false) => {}
                        None => {
                            let why = self.why(&frame.module, handler_line(handler), "the class of a caught exception");
                            self.open(&why);
                            return Flow::Raise(raised);
                        }
                    }
                }
                Flow::Raise(raised)
            }
            // It is unknown whether an exception was raised in the block and handled.
            flow if let Some(why) = within => match flow {
                Flow::Next => self.either(
                    frame,
                    &why,
                    |run, frame| run.block(frame, otherwise),
                    |run, frame| run.handled(frame, handlers, &why),
                ),
                flow => {
                    self.open(&why);
                    flow
                }
            },
            Flow::Next => self.block(frame, otherwise),
            flow => flow,
        }
    }

    /// Runs the handlers, if it is unknown which of them runs.
    fn handled(&mut self, frame: &mut Frame, handlers: &[Handler], why: &Why) -> Flow {
        let Some((handler, rest)) = handlers.split_first() else { return Flow::Next };
        if self.depth > MAX_DEEP || heap::is_empty() {
            self.open(why);
            return Flow::Next;
        }
        if let Some(name) = &handler.name {
            frame.names.insert(Arc::clone(name), (Object::Unknown(Rc::clone(why)), Rc::default()));
        }
        if rest.is_empty() {
            return self.block(frame, &handler.body);
        }
        self.depth += 1;
        let flow =
            self.either(frame, why, |run, frame| run.block(frame, &handler.body), |run, frame| run.handled(frame, rest, why));
        self.depth -= 1;
        flow
    }

    /// Whether an exception is of a class, or of one of several classes; `None` if that is unknown.
    pub(super) fn catches(&mut self, frame: &mut Frame, caught: &Expr, raised: &Exception) -> Option<bool> {
        let caught = self.eval(frame, caught).ok()?;
        let one = |caught: &Object| match caught {
            Object::External(name) => Some(is_exception(raised, name.rsplit('.').next().unwrap_or_default())),
            Object::Class(class) => Some(is_exception(raised, &class.name)),
            _ => None,
        };
        match &caught {
            Object::Tuple(all) => {
                let all: Vec<Option<bool>> = all.iter().map(one).collect();
                if all.contains(&Some(true)) { Some(true) } else { all.into_iter().collect::<Option<Vec<_>>>().map(|_| false) }
            }
            caught => one(caught),
        }
    }
}

fn handler_line(handler: &Handler) -> u32 {
    handler.catches.as_ref().map(|caught| caught.line).or_else(|| handler.body.first().map(|stmt| stmt.line)).unwrap_or(1)
}

/// Whether an exception is an instance of a builtin class.
pub(super) fn is_exception(raised: &Exception, class: &str) -> bool {
    let above = |name: &str| -> &'static [&'static str] {
        match name {
            "KeyError" | "IndexError" => &["LookupError"],
            "ZeroDivisionError" | "OverflowError" | "FloatingPointError" => &["ArithmeticError"],
            "ModuleNotFoundError" => &["ImportError"],
            "FileNotFoundError" | "PermissionError" | "IsADirectoryError" | "NotADirectoryError" | "FileExistsError"
            | "TimeoutError" | "ConnectionError" => &["OSError", "IOError", "EnvironmentError"],
            "NotImplementedError" | "RecursionError" => &["RuntimeError"],
            "UnboundLocalError" => &["NameError"],
            "UnicodeDecodeError" | "UnicodeEncodeError" => &["UnicodeError", "ValueError"],
            "UnicodeError" | "JSONDecodeError" | "ValidationError" => &["ValueError"],
            _ => &[],
        }
    };
    let is_it = |name: &str| name == class || above(name).contains(&class);
    let ends_all = matches!(&*raised.name, "SystemExit" | "KeyboardInterrupt" | "GeneratorExit");
    class == "BaseException"
        || (class == "Exception" && !ends_all)
        || is_it(&raised.name)
        || raised.bases.iter().any(|base| is_it(base))
}
