//! Evaluates the expressions in a check.

use std::{rc::Rc, sync::Arc};

use super::{
    equality::{once, put},
    heap,
    object::{Object, Why},
    run::{Frame, MOST_DEEP, MOST_STEPS, Outcome, Run},
    text,
};
use crate::ast::{Clause, Comprehension, Expr, ExprKind, Makes, Name, Part};

impl Run<'_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<Object> {
        self.steps += 1;
        self.depth += 1;
        let value = if self.steps > MOST_STEPS || self.depth > MOST_DEEP || heap::is_empty() {
            let why = self.why(&frame.module, expr.line, "code that is too long or nested too deeply");
            self.open(&why);
            Ok(Object::Unknown(why))
        } else {
            self.kind(frame, expr)
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
                items.map_or_else(Object::Unknown, |items| Object::set(once(items)))
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
            ExprKind::Binary(operator, left, right) => {
                let left = self.eval(frame, left)?;
                let right = self.eval(frame, right)?;
                self.binary(frame, expr.line, *operator, &left, &right)?
            }
            ExprKind::Negative(of) => match self.eval(frame, of)? {
                Object::Int(value) if value != i64::MIN => Object::Int(-value),
                Object::Float(value) => Object::Float(-value),
                unknown @ Object::Unknown(_) => unknown,
                _ => self.unknown(frame, expr.line, "a negative value"),
            },
            ExprKind::Not(_) | ExprKind::Compare(..) => self.holds(frame, expr)?.map_or_else(Object::Unknown, Object::Bool),
            ExprKind::And(values) | ExprKind::Or(values) => {
                let stops_at = matches!(expr.kind, ExprKind::Or(_));
                let mut last = Object::None;
                for value in values {
                    last = self.eval(frame, value)?;
                    match last.truth() {
                        Err(why) => return Ok(Object::Unknown(why)),
                        Ok(truth) if truth == stops_at => break,
                        Ok(_) => {}
                    }
                }
                last
            }
            ExprKind::Conditional { test, then, otherwise } => match self.holds(frame, test)? {
                Ok(true) => self.eval(frame, then)?,
                Ok(false) => self.eval(frame, otherwise)?,
                Err(why) => {
                    let both = self.perhaps(frame, &why, |run, frame| Ok((run.eval(frame, then)?, run.eval(frame, otherwise)?)));
                    match both {
                        Some((one, other)) if one.is_same(&other) => one,
                        _ => Object::Unknown(why),
                    }
                }
            },
            ExprKind::Lambda(lambda) if !heap::may_close() => {
                self.unknown(frame, lambda.body.line, "too many functions within functions")
            }
            ExprKind::Lambda(lambda) => {
                Object::Lambda(Arc::clone(&frame.module), Arc::clone(lambda), Rc::new(frame.names.clone()))
            }
            ExprKind::Call(call) => self.call_expr(frame, expr.line, call)?,
            ExprKind::Comprehension(made) => self.comprehension(frame, made)?,
            ExprKind::Formatted(parts) => self.formatted(frame, parts)?,
            ExprKind::Named(name, value) => {
                let (value, reads) = self.tracked(frame, value)?;
                frame.names.insert(Arc::clone(name), (value.clone(), reads));
                value
            }
            ExprKind::Slice(_) => self.unknown(frame, expr.line, "a slice"),
            ExprKind::Starred(_) => self.unknown(frame, expr.line, "a star"),
            ExprKind::Other(word) => self.unknown(frame, expr.line, *word),
        })
    }

    fn dict_of(&mut self, frame: &mut Frame, line: u32, entries: &[(Option<Expr>, Expr)]) -> Outcome<Object> {
        let mut all: Vec<(Object, Object)> = Vec::new();
        for (key, value) in entries {
            let value = self.eval(frame, value)?;
            match key {
                Some(key) => put(&mut all, self.eval(frame, key)?, value),
                None => match &value {
                    Object::Dict(inner) if inner.lost.borrow().is_none() => {
                        inner.value.borrow().iter().for_each(|(key, value)| put(&mut all, key.clone(), value.clone()));
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
                    let right = self.eval(frame, right)?;
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
            _ => Ok(self.eval(frame, expr)?.truth()),
        }
    }

    fn name(&mut self, frame: &Frame, line: u32, name: &Name) -> Object {
        if let Some((value, reads)) = frame.names.get(name) {
            let (value, reads) = (value.clone(), Rc::clone(reads));
            self.reads.extend(reads.iter().cloned());
            return value;
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
                ExprKind::Starred(inner) => match self.eval(frame, inner)?.items() {
                    Ok(items) => all.extend(items),
                    Err(why) => {
                        let why =
                            why.unwrap_or_else(|| self.why(&frame.module, expr.line, "a star before a value that is not a list"));
                        return Ok(Err(why));
                    }
                },
                _ => all.push(self.eval(frame, expr)?),
            }
        }
        Ok(Ok(all))
    }

    fn formatted(&mut self, frame: &mut Frame, parts: &[Part]) -> Outcome<Object> {
        let mut whole = String::new();
        let mut unknown = None;
        for part in parts {
            match part {
                Part::Text(text) => whole.push_str(text),
                Part::Value { value, is_quoted, layout } => {
                    let line = value.line;
                    let value = self.eval(frame, value)?;
                    let shown = match layout {
                        Some(layout) => text::laid_out(&value, layout),
                        None if *is_quoted => text::quoted(&value),
                        None => text::shown(&value),
                    };
                    if shown.is_none() {
                        unknown.get_or_insert_with(|| match &value {
                            Object::Unknown(why) => Rc::clone(why),
                            _ => self.why(&frame.module, line, "a value in an f-string"),
                        });
                    }
                    whole.push_str(shown.as_deref().unwrap_or(text::UNKNOWN));
                }
            }
        }
        self.partial = unknown.clone().map(|_| whole.clone());
        Ok(unknown.map_or_else(|| Object::str(whole), Object::Unknown))
    }

    fn comprehension(&mut self, frame: &mut Frame, made: &Comprehension) -> Outcome<Object> {
        let before = frame.names.clone();
        let mut all = Vec::new();
        let outcome = self.clauses(frame, &made.clauses, made, &mut all);
        frame.names = before;
        Ok(match outcome? {
            Err(why) => Object::Unknown(why),
            Ok(()) => match made.makes {
                Makes::List | Makes::Generator => Object::list(all.into_iter().map(|(item, _)| item).collect()),
                Makes::Set => Object::set(once(all.into_iter().map(|(item, _)| item).collect())),
                Makes::Dict => {
                    let mut entries = Vec::new();
                    all.into_iter().for_each(|(key, value)| put(&mut entries, key, value));
                    Object::dict(entries)
                }
            },
        })
    }

    fn clauses(
        &mut self,
        frame: &mut Frame,
        clauses: &[Clause],
        made: &Comprehension,
        all: &mut Vec<(Object, Object)>,
    ) -> Outcome<Result<(), Why>> {
        let Some((clause, rest)) = clauses.split_first() else {
            let key = self.eval(frame, &made.element)?;
            let value = made.value.as_ref().map_or(Ok(Object::None), |value| self.eval(frame, value))?;
            all.push((key, value));
            return Ok(Ok(()));
        };
        let (over, reads) = self.tracked(frame, &clause.iter)?;
        let items = match over.items() {
            Ok(items) => items,
            Err(why) => {
                let why =
                    why.unwrap_or_else(|| self.why(&frame.module, clause.iter.line, "a loop over a value that is not a list"));
                return Ok(Err(why));
            }
        };
        for item in items {
            self.assign(frame, &clause.target, item, &reads)?;
            let mut is_wanted = true;
            for condition in &clause.conditions {
                match self.holds(frame, condition)? {
                    Ok(true) => {}
                    Ok(false) => {
                        is_wanted = false;
                        break;
                    }
                    Err(why) => return Ok(Err(why)),
                }
            }
            if is_wanted && let Err(why) = self.clauses(frame, rest, made, all)? {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }

    fn subscript(&mut self, frame: &mut Frame, line: u32, of: &Object, index: &Expr) -> Outcome<Object> {
        if let Object::Unknown(_) = of {
            return Ok(of.clone());
        }
        if let ExprKind::Slice(bounds) = &index.kind {
            return self.slice(frame, line, of, bounds);
        }
        let key = self.eval(frame, index)?;
        if let Object::Unknown(_) = key {
            return Ok(key);
        }
        match of {
            Object::Dict(entries) => {
                if let Some(why) = &*entries.lost.borrow() {
                    return Ok(Object::Unknown(Rc::clone(why)));
                }
                let all = entries.value.borrow().clone();
                match self.looked_up(entries, &all, &key) {
                    Ok(Some(value)) => Ok(value),
                    Ok(None) => Err(self.raised(frame, line, "KeyError", text::quoted(&key).unwrap_or_default())),
                    Err(()) => Ok(self.unknown(frame, line, "a key of a dict")),
                }
            }
            Object::List(_) | Object::Tuple(_) | Object::Str(_) | Object::Url(_) => {
                let items = match of.items() {
                    Ok(items) => items,
                    Err(why) => return Ok(self.unknown_or(frame, line, why, "an index")),
                };
                let Some(at) = key.as_int() else { return Ok(self.unknown(frame, line, "an index")) };
                match place_in(at, items.len()) {
                    Some(at) => Ok(items[at].clone()),
                    None => Err(self.raised(frame, line, "IndexError", "list index out of range")),
                }
            }
            Object::External(name) if &**name == "os.environ" => Ok(self.variable(frame, line, Some(&key))),
            _ => Ok(self.unknown(frame, line, "an index of a value that has no items")),
        }
    }

    fn slice(&mut self, frame: &mut Frame, line: u32, of: &Object, bounds: &[Option<Box<Expr>>; 3]) -> Outcome<Object> {
        let mut numbers = [None, None];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            if let Some(bound) = bound {
                match self.eval(frame, bound)?.as_int() {
                    Some(value) => *number = Some(value),
                    None => return Ok(self.unknown(frame, line, "a slice")),
                }
            }
        }
        let items = match of.items() {
            Ok(items) if bounds[2].is_none() => items,
            Ok(_) => return Ok(self.unknown(frame, line, "a slice with steps")),
            Err(why) => return Ok(self.unknown_or(frame, line, why, "a slice")),
        };
        let clamped = |at: i64| {
            let at = if at < 0 { at.saturating_add(i64::try_from(items.len()).unwrap_or(i64::MAX)) } else { at };
            usize::try_from(at).unwrap_or(0).min(items.len())
        };
        let (from, to) = (numbers[0].map_or(0, clamped), numbers[1].map_or(items.len(), clamped));
        let part = items.get(from..to.max(from)).unwrap_or_default().to_vec();
        Ok(match of {
            Object::Str(_) => {
                let text: String = part.iter().filter_map(text::shown).collect();
                Object::str(text)
            }
            Object::Tuple(_) => Object::tuple(part),
            _ => Object::list(part),
        })
    }

    pub(super) fn unknown_or(&self, frame: &Frame, line: u32, why: Option<Why>, otherwise: &str) -> Object {
        why.map_or_else(|| self.unknown(frame, line, otherwise), Object::Unknown)
    }
}

/// The index of an item, which counts from the end if it is negative; `None` if it is out of range.
pub(super) fn place_in(at: i64, length: usize) -> Option<usize> {
    let at = if at < 0 { at.checked_add(i64::try_from(length).ok()?)? } else { at };
    usize::try_from(at).ok().filter(|at| *at < length)
}
