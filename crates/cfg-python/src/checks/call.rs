//! Evaluates the calls in a check.

use std::{rc::Rc, sync::Arc};

use super::{
    builtins::is_error,
    object::{Object, Place, Why},
    run::{Frame, Outcome, Run},
};
use crate::ast::{Call, Clause, Expr, ExprKind, Function, Name};

/// The arguments of a call.
pub(super) type Given = Vec<(Object, Rc<[Place]>)>;
pub(super) type Named = Vec<(Name, (Object, Rc<[Place]>))>;

impl Run<'_> {
    pub(super) fn call_expr(&mut self, frame: &mut Frame, line: u32, call: &Call) -> Outcome<Object> {
        let function = match self.any_or_all(frame, call)? {
            Ok(value) => return Ok(value),
            Err(function) => function,
        };
        let mut given: Given = Vec::new();
        for argument in &call.arguments {
            match &argument.kind {
                ExprKind::Starred(inner) => match self.eval(frame, inner)?.items() {
                    Ok(items) => given.extend(items.into_iter().map(|item| (item, Rc::default()))),
                    Err(why) => return Ok(self.unknown_or(frame, line, why, "a star before a value that is not a list")),
                },
                _ => given.push(self.tracked(frame, argument)?),
            }
        }
        let mut named: Named = Vec::new();
        for (name, value) in &call.keywords {
            let (value, reads) = self.tracked(frame, value)?;
            match name {
                Some(name) => named.push((Arc::clone(name), (value, reads))),
                None => match &value {
                    Object::Dict(entries) if entries.lost.borrow().is_none() => {
                        for (key, value) in entries.value.borrow().iter() {
                            let Object::Str(key) = key else { continue };
                            named.push((Arc::clone(key), (value.clone(), Rc::default())));
                        }
                    }
                    Object::Unknown(_) => return Ok(value),
                    _ => return Ok(self.unknown(frame, line, "`**` of a value that is not a dict")),
                },
            }
        }
        self.call(frame, line, &function, given, named)
    }

    /// The result of `any` or `all` of a generator, which is evaluated only until the result is known. For any other call, the inner
    /// error is the function to call.
    fn any_or_all(&mut self, frame: &mut Frame, call: &Call) -> Outcome<Result<Object, Object>> {
        let function = self.eval(frame, &call.function)?;
        let Object::External(name) = &function else { return Ok(Err(function)) };
        let stops_at = match &**name {
            "builtins.any" => true,
            "builtins.all" => false,
            _ => return Ok(Err(function)),
        };
        let [Expr { kind: ExprKind::Comprehension(made), .. }] = call.arguments.as_slice() else { return Ok(Err(function)) };
        let before = frame.names.clone();
        let mut found = Found { stops_at, unknown: None };
        let outcome = self.any(frame, &made.clauses, &made.element, &mut found);
        frame.names = before;
        let is_there = outcome?;
        Ok(Ok(if is_there { Object::Bool(stops_at) } else { found.unknown.map_or(Object::Bool(!stops_at), Object::Unknown) }))
    }

    /// Whether a generator yields the searched value. Unknown values are recorded in `found`.
    fn any(&mut self, frame: &mut Frame, clauses: &[Clause], element: &Expr, found: &mut Found) -> Outcome<bool> {
        let Some((clause, rest)) = clauses.split_first() else {
            return Ok(match self.holds(frame, element)? {
                Ok(truth) => truth == found.stops_at,
                Err(why) => {
                    found.unknown.get_or_insert(why);
                    false
                }
            });
        };
        let (over, reads) = self.tracked(frame, &clause.iter)?;
        let items = match over.items() {
            Ok(items) => items,
            Err(why) => {
                let why =
                    why.unwrap_or_else(|| self.why(&frame.module, clause.iter.line, "a loop over a value that is not a list"));
                found.unknown.get_or_insert(why);
                return Ok(false);
            }
        };
        'items: for item in items {
            self.assign(frame, &clause.target, item, &reads)?;
            for condition in &clause.conditions {
                match self.holds(frame, condition)? {
                    Ok(true) => {}
                    Ok(false) => continue 'items,
                    Err(why) => {
                        found.unknown.get_or_insert(why);
                        continue 'items;
                    }
                }
            }
            if self.any(frame, rest, element, found)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls an object.
    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        line: u32,
        function: &Object,
        given: Given,
        named: Named,
    ) -> Outcome<Object> {
        if let Some(found) = self.look_up(frame, line, function, &given) {
            return found;
        }
        match function {
            Object::Function(module, function, around) => {
                if function.decorators.iter().all(is_harmless) {
                    self.closure(module, function, None, around, given, named)
                } else {
                    Ok(self.unmodelled(frame, line, &function.name, &given))
                }
            }
            Object::Lambda(module, lambda, around) => {
                let mut inner = Frame::new(module, (**around).clone(), None);
                if self.bind(&mut inner, &lambda.parameters, given, named)? {
                    self.eval(&mut inner, &lambda.body)
                } else {
                    Ok(self.unknown(frame, line, "a lambda whose arguments do not match"))
                }
            }
            Object::Bound(this, home, function) => {
                let given = match () {
                    () if is_decorated(function, &["staticmethod"]) => given,
                    () if is_decorated(function, &["classmethod"]) => {
                        let class = match &**this {
                            Object::Class(class) => Arc::clone(class),
                            other => self.class_of(other).unwrap_or_else(|| Arc::clone(home)),
                        };
                        std::iter::once((Object::Class(class), Rc::default())).chain(given).collect()
                    }
                    // A method is called with the object.
                    () if matches!(**this, Object::Class(_)) => given,
                    () => std::iter::once(((**this).clone(), Rc::default())).chain(given).collect(),
                };
                self.function(&home.module, function, Some(home), given, named)
            }
            Object::Class(class) => {
                let bases: Vec<Name> = class.absent_bases.iter().filter_map(exception_base).collect();
                match () {
                    () if !bases.is_empty() => Ok(self.exception(&class.name, bases, &given)),
                    () if class.is_model => self.make(frame, line, class, &given, named),
                    () => Ok(self.unknown(frame, line, format!("an instance of `{}`", class.name))),
                }
            }
            Object::External(name) => self.call_external(frame, line, name, &given, &named),
            Object::Method(of, name) => self.call_method(frame, line, of, name, &given, &named),
            Object::Unknown(why) => {
                // An external function may read, refuse or change a table.
                if given.iter().any(|(object, _)| matches!(object, Object::Table(_))) {
                    self.open(why);
                }
                Ok(function.clone())
            }
            Object::None => Err(self.raised(frame, line, "TypeError", "'NoneType' object is not callable")),
            _ => Ok(self.unknown(frame, line, "a call")),
        }
    }

    /// A call of a function that is not modelled.
    pub(super) fn unmodelled(&mut self, frame: &Frame, line: u32, name: &str, given: &[(Object, Rc<[Place]>)]) -> Object {
        let why = self.why(&frame.module, line, format!("a call of `{}`", name.trim_start_matches("builtins.")));
        if given.iter().any(|(object, _)| matches!(object, Object::Table(_))) {
            self.open(&why);
        }
        Object::Unknown(why)
    }
}

/// The value for which `any` or `all` searches, and why a value before it is unknown.
struct Found {
    stops_at: bool,
    unknown: Option<Why>,
}

/// Whether a function has a decorator with one of these names.
pub(super) fn is_decorated(function: &Function, words: &[&str]) -> bool {
    function.decorators.iter().any(|decorator| match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => words.contains(&&**name),
        _ => false,
    })
}

/// Whether a decorator returns the function with the same result.
fn is_harmless(decorator: &Expr) -> bool {
    let words = ["lru_cache", "cache", "staticmethod", "classmethod", "override", "deprecated"];
    match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => words.contains(&&**name),
        ExprKind::Call(call) => is_harmless(&call.function),
        _ => false,
    }
}

/// The name of a base class without `builtins.`; `None` if it is not a builtin exception.
fn exception_base(base: &Name) -> Option<Name> {
    base.strip_prefix("builtins.").filter(|base| is_error(base)).map(Name::from)
}
