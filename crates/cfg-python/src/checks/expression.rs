//! Evaluates the expressions in a check.

use std::{rc::Rc, sync::Arc};

use super::{
    equality::put,
    format::{formatted, laid_out},
    heap,
    object::{Around, Object, Why, too_much},
    run::{Frame, Outcome, Run},
    text::{self, Written},
};
use crate::ast::{Expr, ExprKind, Makes, Name, Part};

impl Run<'_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<Object> {
        self.depth += 1;
        let value = match self.step(&frame.module, expr.line) {
            Ok(()) => self.kind(frame, expr),
            Err(why) => {
                self.open(&why);
                Ok(Object::Unknown(why))
            }
        };
        self.depth -= 1;
        value
    }

    fn kind(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<Object> {
        Ok(match &expr.kind {
            ExprKind::None => Object::None,
            ExprKind::Bool(value) => Object::Bool(*value),
            ExprKind::Int(value) => Object::Int(*value),
            ExprKind::Float(value) => Object::Float(*value),
            ExprKind::Str(text) => Object::Str(Arc::clone(text)),
            ExprKind::Ellipsis => self.unknown(frame, expr.line, "`...`"),
            ExprKind::Name(name) => self.name(frame, expr.line, name),
            ExprKind::List(items) => {
                let items = self.all(frame, items)?;
                items.map_or_else(Object::Unknown, Object::list)
            }
            ExprKind::Set(items) => {
                let items = self.all(frame, items)?;
                items.map_or_else(|why| Ok(Object::Unknown(why)), |items| self.hashed_set(frame, expr.line, items))?
            }
            ExprKind::Tuple(items) => {
                let items = self.all(frame, items)?;
                items.map_or_else(Object::Unknown, Object::tuple)
            }
            ExprKind::Dict(entries) => self.dict_of(frame, expr.line, entries)?,
            ExprKind::Attribute(of, name) => {
                if let Some(super_of) = Self::super_of(frame, of) {
                    return Ok(self.above(frame, expr.line, &super_of, name));
                }
                let of = self.eval(frame, of)?;
                self.attribute(frame, expr.line, &of, name)?
            }
            ExprKind::Subscript(of, index) => {
                let of = self.eval(frame, of)?;
                self.subscript(frame, expr.line, &of, index)?
            }
            ExprKind::Positive(of) | ExprKind::Negative(of) | ExprKind::Inverted(of) => {
                let of = self.eval(frame, of)?;
                signed(expr, &of).unwrap_or_else(|| self.unknown(frame, expr.line, "an operator"))
            }
            ExprKind::Binary(operator, left, right) => {
                let left = self.eval(frame, left)?;
                let right = self.eval(frame, right)?;
                self.binary(frame, expr.line, *operator, &left, &right)?
            }
            ExprKind::Not(_) | ExprKind::Compare(..) => self.holds(frame, expr)?.map_or_else(Object::Unknown, Object::Bool),
            ExprKind::And(values) | ExprKind::Or(values) => {
                self.first_deciding(frame, values, matches!(expr.kind, ExprKind::Or(_)))?
            }
            ExprKind::Conditional { test, then, otherwise } => self.conditional(frame, test, then, otherwise)?,
            ExprKind::Lambda(lambda) if !heap::may_close() => {
                self.unknown(frame, lambda.body.line, "too many functions within functions")
            }
            ExprKind::Lambda(lambda) => {
                let around = Around { names: frame.copy_of_names(), frame: frame.number };
                Object::Lambda(Arc::clone(&frame.module), Arc::clone(lambda), Rc::new(around))
            }
            ExprKind::Call(call) => self.call_expr(frame, expr.line, call)?,
            ExprKind::Comprehension(made) if made.makes == Makes::Generator => {
                // What it raises, it raises when its items are taken.
                let outcome = self.comprehension(frame, made);
                outcome.unwrap_or_else(|_| self.unknown(frame, expr.line, "a generator that raises an exception"))
            }
            ExprKind::Comprehension(made) => self.comprehension(frame, made)?,
            ExprKind::Formatted(parts) => self.formatted(frame, parts)?,
            ExprKind::Named(name, value) => {
                let (value, reads) = self.tracked(frame, value)?;
                frame.names.insert(Arc::clone(name), (value.clone(), reads));
                value
            }
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => self.yielded(frame, expr)?,
            ExprKind::Slice(_) => self.unknown(frame, expr.line, "a slice"),
            ExprKind::Starred(_) => self.unknown(frame, expr.line, "a star"),
            ExprKind::Other(word) => self.unknown(frame, expr.line, *word),
        })
    }

    /// The first of some values that decides `and` or `or`, or the last one.
    fn first_deciding(&mut self, frame: &mut Frame, values: &[Expr], stops_at: bool) -> Outcome<Object> {
        let mut last = Object::None;
        for (at, value) in values.iter().enumerate() {
            last = self.eval(frame, value)?;
            match last.truth() {
                Err(why) => {
                    // The others may run, too.
                    for value in &values[at + 1..] {
                        self.perhaps(frame, &why, |run, frame| run.eval(frame, value));
                    }
                    return Ok(Object::Unknown(why));
                }
                Ok(truth) if truth == stops_at => break,
                Ok(_) => {}
            }
        }
        Ok(last)
    }

    fn conditional(&mut self, frame: &mut Frame, test: &Expr, then: &Expr, otherwise: &Expr) -> Outcome<Object> {
        match self.holds(frame, test)? {
            Ok(true) => self.eval(frame, then),
            Ok(false) => self.eval(frame, otherwise),
            Err(why) => {
                let both = self.perhaps(frame, &why, |run, frame| Ok((run.eval(frame, then)?, run.eval(frame, otherwise)?)));
                Ok(match both {
                    Some((one, other)) if one.is_same(&other) => one,
                    _ => Object::Unknown(why),
                })
            }
        }
    }

    /// Records what a generator yields.
    fn yielded(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<Object> {
        match &expr.kind {
            ExprKind::YieldFrom(values) => {
                let values = self.eval(frame, values)?;
                match self.iterated(frame, expr.line, &values)? {
                    Ok(values) if self.maybe.is_none() => frame.yields.extend(values),
                    Ok(_) => frame.lost.clone_from(&self.maybe),
                    Err(why) => frame.lost = Some(why),
                }
            }
            ExprKind::Yield(Some(value)) => {
                let value = self.eval(frame, value)?;
                frame.yields.push(value);
            }
            _ => frame.yields.push(Object::None),
        }
        if self.maybe.is_some() {
            frame.lost.clone_from(&self.maybe);
        }
        Ok(Object::None)
    }

    fn dict_of(&mut self, frame: &mut Frame, line: u32, entries: &[(Option<Expr>, Expr)]) -> Outcome<Object> {
        let mut all: Vec<(Object, Object)> = Vec::new();
        for (key, value) in entries {
            // The key comes first.
            let key = key.as_ref().map(|key| self.eval(frame, key)).transpose()?;
            let value = self.eval(frame, value)?;
            match key {
                Some(key) => {
                    self.hashed(frame, line, &key)?;
                    if !put(&mut all, key, value) {
                        return Ok(Object::Unknown(too_much()));
                    }
                }
                None => match &value {
                    Object::Dict(inner) if inner.lost.borrow().is_none() => {
                        if !inner.value.borrow().iter().all(|(key, value)| put(&mut all, key.clone(), value.clone())) {
                            return Ok(Object::Unknown(too_much()));
                        }
                    }
                    Object::Unknown(_) => return Ok(value),
                    _ => return Ok(self.unknown(frame, line, "`**` of a value that is not a dict")),
                },
            }
        }
        Ok(Object::dict(all))
    }

    /// Evaluates an expression that may not run at all; `None` if it raises an exception.
    pub(super) fn perhaps<T>(
        &mut self,
        frame: &mut Frame,
        why: &Why,
        look: impl FnOnce(&mut Self, &mut Frame) -> Outcome<T>,
    ) -> Option<T> {
        let outer = self.maybe.clone();
        self.maybe.get_or_insert_with(|| Rc::clone(why));
        let found = look(self, frame);
        self.maybe = outer;
        match found {
            Ok(value) => Some(value),
            Err(_) => {
                self.open(why);
                None
            }
        }
    }

    /// Whether a condition holds; the inner error says why that is unknown. If one operand decides the result, the others may be
    /// unknown.
    pub(super) fn holds(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<Result<bool, Why>> {
        match &expr.kind {
            ExprKind::Not(of) => Ok(self.holds(frame, of)?.map(|truth| !truth)),
            ExprKind::And(values) | ExprKind::Or(values) => {
                let stops_at = matches!(expr.kind, ExprKind::Or(_));
                let mut unknown: Option<Why> = None;
                for value in values {
                    let truth = match unknown.clone() {
                        None => self.holds(frame, value)?,
                        Some(why) => self
                            .perhaps(frame, &why, |run, frame| run.holds(frame, value))
                            .unwrap_or_else(|| Err(Rc::clone(&why))),
                    };
                    match truth {
                        Ok(truth) if truth == stops_at => return Ok(Ok(stops_at)),
                        Ok(_) => {}
                        Err(why) => {
                            unknown.get_or_insert(why);
                        }
                    }
                }
                Ok(unknown.map_or(Ok(!stops_at), Err))
            }
            ExprKind::Compare(left, rest) => {
                let mut left = self.eval(frame, left)?;
                let mut unknown = None;
                for (comparison, right) in rest {
                    let right = match &unknown {
                        None => self.eval(frame, right)?,
                        Some(why) => match self.perhaps(frame, why, |run, frame| run.eval(frame, right)) {
                            Some(right) => right,
                            None => break,
                        },
                    };
                    match self.compare(frame, expr.line, *comparison, &left, &right)? {
                        Ok(true) => {}
                        Ok(false) => return Ok(Ok(false)),
                        Err(why) => {
                            unknown.get_or_insert(why);
                        }
                    }
                    left = right;
                }
                Ok(unknown.map_or(Ok(true), Err))
            }
            _ => {
                let object = self.eval(frame, expr)?;
                let class = self.class_of(&object);
                let decides = |word: &str| class.iter().any(|class| class.line().any(|home| home.function(word).is_some()));
                if decides("__bool__") || decides("__len__") {
                    return Ok(Err(self.why(&frame.module, expr.line, "whether a table is true")));
                }
                Ok(object.truth())
            }
        }
    }

    fn name(&mut self, frame: &Frame, line: u32, name: &Name) -> Object {
        if let Some((value, reads)) = frame.names.get(name) {
            let (value, reads) = (value.clone(), Rc::clone(reads));
            self.reads.extend(reads.iter().cloned());
            return self.current(value);
        }
        if let Some(value) = self.code.global(&frame.module, name) {
            return value;
        }
        if super::builtins::is_known(name) {
            return Object::External(format!("builtins.{name}").into());
        }
        self.unknown(frame, line, format!("the name `{name}` is not defined"))
    }

    /// The values of expressions; the inner error says why the number of values is unknown (`*` before an unknown value).
    fn all(&mut self, frame: &mut Frame, exprs: &[Expr]) -> Outcome<Result<Vec<Object>, Why>> {
        let mut all = Vec::with_capacity(exprs.len());
        for expr in exprs {
            match &expr.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(frame, inner)?;
                    match self.iterated(frame, expr.line, &inner)? {
                        Ok(items) => all.extend(items),
                        Err(why) => return Ok(Err(why)),
                    }
                }
                _ => all.push(self.eval(frame, expr)?),
            }
        }
        Ok(Ok(all))
    }

    fn formatted(&mut self, frame: &mut Frame, parts: &[Part]) -> Outcome<Object> {
        let mut whole = Written::default();
        let mut unknown = None;
        let mut is_long = false;
        for part in parts {
            match part {
                Part::Text(text) => is_long |= whole.push(text).is_none(),
                Part::Value { value, is_quoted, is_text, layout } => {
                    let line = value.line;
                    let value = self.eval(frame, value)?;
                    let layout = match layout {
                        Some(parts) => Some(self.formatted(frame, parts)?),
                        None => None,
                    };
                    let converted = match (is_quoted, is_text) {
                        (true, _) => text::quoted(&value).map(Object::str),
                        (_, true) => text::shown(&value).map(Object::str),
                        _ => Some(value.clone()),
                    };
                    let shown = converted.and_then(|value| match &layout {
                        None => formatted(&value),
                        Some(Object::Str(layout)) => laid_out(&value, layout),
                        Some(_) => None,
                    });
                    if shown.is_none() {
                        unknown.get_or_insert_with(|| match &value {
                            Object::Unknown(why) => Rc::clone(why),
                            _ => self.why(&frame.module, line, "a value in an f-string"),
                        });
                    }
                    is_long |= whole.push(shown.as_deref().unwrap_or(text::UNKNOWN)).is_none();
                }
            }
        }
        let whole = whole.text();
        if is_long {
            unknown.get_or_insert_with(|| self.why(&frame.module, 1, "a long string"));
        }
        self.partial = unknown.clone().map(|_| whole.clone());
        Ok(unknown.map_or_else(|| Object::str(whole), Object::Unknown))
    }

    pub(super) fn unknown_or(&self, frame: &Frame, line: u32, why: Option<Why>, otherwise: &str) -> Object {
        why.map_or_else(|| self.unknown(frame, line, otherwise), Object::Unknown)
    }
}

/// The result of `+`, `-` or `~` before a value; `None` if it is not modelled.
fn signed(expr: &Expr, of: &Object) -> Option<Object> {
    Some(match (&expr.kind, of) {
        (_, Object::Unknown(_)) | (ExprKind::Positive(_), Object::Float(_)) => of.clone(),
        (ExprKind::Negative(_), Object::Float(value)) => Object::Float(-value),
        (ExprKind::Positive(_), of) => Object::Int(of.as_int()?),
        (ExprKind::Negative(_), of) => Object::Int(of.as_int()?.checked_neg()?),
        (_, of) => Object::Int(!of.as_int()?),
    })
}
