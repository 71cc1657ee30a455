//! Evaluates the expressions of declarations: operators, attributes and indices.

use std::sync::Arc;

use crate::{
    ast::{Call, Comparison, Expr, ExprKind, Name, Operator},
    module::Module,
    names::{MAX_DEEP, Reader, canonical},
    parse,
    parts::{LONGEST, Measured, Parts},
    value::{Value, double},
};

/// The units for parsing a letter of an annotation that is written as a string.
const OF_A_LETTER: usize = 20;

impl Reader<'_> {
    /// The value of an expression; `env` has the names within a function.
    pub(crate) fn eval(&mut self, module: &Arc<Module>, expr: &Expr, env: &[(Name, Value)]) -> Value {
        if self.depth > MAX_DEEP {
            return Value::unknown(module, expr.line, "code that is nested too deeply");
        }
        if let Err(unknown) = self.pays_for(module, expr.line) {
            return Value::Unknown(unknown);
        }
        self.depth += 1;
        let value = self.eval_kind(module, expr, env);
        self.depth -= 1;
        if value.size().is_too_large() { Value::unknown(module, expr.line, "a value that is too large") } else { value }
    }

    fn eval_kind(&mut self, module: &Arc<Module>, expr: &Expr, env: &[(Name, Value)]) -> Value {
        let unknown = |why: &str| Value::unknown(module, expr.line, why);
        match &expr.kind {
            ExprKind::None => Value::None,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(*value),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Str(value) => Value::Str(Arc::clone(value)),
            ExprKind::Ellipsis => Value::Ellipsis,
            ExprKind::Name(name) => self.name(module, name, expr.line, env),
            ExprKind::List(items) => {
                self.sequence(module, items, env).map_or_else(|unknown| unknown, |items| Value::List(items.into()))
            }
            ExprKind::Tuple(items) => {
                self.sequence(module, items, env).map_or_else(|unknown| unknown, |items| Value::Tuple(items.into()))
            }
            ExprKind::Set(items) => {
                self.sequence(module, items, env).map_or_else(|unknown| unknown, |items| Value::Set(items.into()))
            }
            ExprKind::Dict(entries) => {
                let mut all = Vec::new();
                for (key, value) in entries {
                    let value = self.eval(module, value, env);
                    match key {
                        Some(key) => all.push((self.eval(module, key, env), value)),
                        None => match value {
                            Value::Dict(inner) if self.pays(inner.len()) => all.extend(inner.iter().cloned()),
                            _ => return unknown("`**` of a value that is not a dict"),
                        },
                    }
                }
                Value::Dict(all.into())
            }
            ExprKind::Attribute(of, name) => {
                let of = self.eval(module, of, env);
                self.attribute(module, expr.line, of, name)
            }
            ExprKind::Subscript(of, index) => {
                let of = self.eval(module, of, env);
                self.subscript(module, expr.line, of, index, env)
            }
            ExprKind::Binary(operator, left, right) => {
                let left = self.eval(module, left, env);
                let right = self.eval(module, right, env);
                self.binary(module, expr.line, *operator, left, right)
            }
            ExprKind::Positive(_) | ExprKind::Inverted(_) => unknown("an operator"),
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => unknown("an expression"),
            ExprKind::Negative(of) => match self.eval(module, of, env) {
                Value::Int(value) => value.checked_neg().map_or_else(
                    || {
                        unknown(
                            "an integer that does not fit in 64 \
                    bits",
                        )
                    },
                    Value::Int,
                ),
                Value::Float(value) => Value::Float(-value),
                _ => unknown("a negative value"),
            },
            ExprKind::Not(of) => {
                self.eval(module, of, env).truth().map_or_else(|| unknown("a condition"), |truth| Value::Bool(!truth))
            }
            ExprKind::And(values) | ExprKind::Or(values) => {
                let stops_at = matches!(expr.kind, ExprKind::Or(_));
                let mut last = Value::None;
                for value in values {
                    last = self.eval(module, value, env);
                    match last.truth() {
                        None => return unknown("a condition"),
                        Some(truth) if truth == stops_at => break,
                        Some(_) => {}
                    }
                }
                last
            }
            ExprKind::Compare(left, rest) => match rest.as_slice() {
                [(comparison, right)] => {
                    let (left, right) = (self.eval(module, left, env), self.eval(module, right, env));
                    self.pays(right.items().map_or(0, <[Value]>::len));
                    compare(*comparison, &left, &right).map_or_else(|| unknown("a comparison"), Value::Bool)
                }
                _ => unknown("a comparison of several values"),
            },
            ExprKind::Conditional { test, then, otherwise } => match self.eval(module, test, env).truth() {
                Some(true) => self.eval(module, then, env),
                Some(false) => self.eval(module, otherwise, env),
                None => unknown("a condition"),
            },
            ExprKind::Lambda(_) if !self.pays(env.len()) => unknown("a lambda"),
            ExprKind::Lambda(lambda) => Value::Lambda(Arc::clone(module), Arc::clone(lambda), env.into()),
            ExprKind::Call(call) => self.eval_call(module, expr.line, call, env),
            ExprKind::Starred(_) => unknown("a star"),
            ExprKind::Comprehension(_) => unknown("a comprehension"),
            ExprKind::Formatted(_) => unknown("an f-string"),
            ExprKind::Named(..) => unknown("an assignment within an expression"),
            ExprKind::Slice(_) => unknown("a slice"),
            ExprKind::Other(word) => unknown(word),
        }
    }

    fn eval_call(&mut self, module: &Arc<Module>, line: u32, call: &Call, env: &[(Name, Value)]) -> Value {
        let unknown = |why: &str| Value::unknown(module, line, why);
        let function = self.eval(module, &call.function, env);
        let arguments = match self.sequence(module, &call.arguments, env) {
            Ok(arguments) => arguments,
            Err(unknown) => return unknown,
        };
        let mut keywords = Vec::new();
        for (name, value) in &call.keywords {
            let value = self.eval(module, value, env);
            match (name, value) {
                (Some(name), value) => keywords.push((Arc::clone(name), value)),
                (None, Value::Dict(entries)) if self.pays(entries.len()) => {
                    for (key, value) in &entries {
                        match key {
                            Value::Str(key) => keywords.push((Arc::clone(key), value.clone())),
                            _ => return unknown("`**` with a key that is not a string"),
                        }
                    }
                }
                (None, _) => return unknown("`**` of a value that is not a dict"),
            }
        }
        self.call(module, line, function, arguments, keywords)
    }

    fn sequence(&mut self, module: &Arc<Module>, items: &[Expr], env: &[(Name, Value)]) -> Result<Vec<Value>, Value> {
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            match &item.kind {
                ExprKind::Starred(inner) => match self.eval(module, inner, env) {
                    Value::List(items) | Value::Tuple(items) | Value::Set(items) if self.pays(items.len()) => {
                        all.extend(items.iter().cloned());
                    }
                    _ => return Err(Value::unknown(module, item.line, "a star before a value that is not a list")),
                },
                _ => all.push(self.eval(module, item, env)),
            }
        }
        Ok(all)
    }

    /// The value of an annotation. A string in it is parsed as an annotation.
    pub(crate) fn annotation(&mut self, module: &Arc<Module>, expr: &Expr, env: &[(Name, Value)]) -> Value {
        let value = self.eval(module, expr, env);
        self.resolved(module, expr.line, value)
    }

    /// Parses a type that is written as a string.
    fn resolved(&mut self, module: &Arc<Module>, line: u32, value: Value) -> Value {
        match &value {
            Value::Str(text) if !self.pays(text.len() * OF_A_LETTER) => {
                Value::unknown(module, line, "a string that is not a type")
            }
            Value::Str(text) => match parse::expression(text, line) {
                Some(expr) => {
                    let inner = self.eval(module, &expr, &[]);
                    if matches!(inner, Value::Str(_)) {
                        Value::unknown(module, line, "a string that is evaluated to another string as a type")
                    } else {
                        inner
                    }
                }
                None => Value::unknown(module, line, "a string that is not a type"),
            },
            _ => value,
        }
    }

    fn subscript(&mut self, module: &Arc<Module>, line: u32, of: Value, index: &Expr, env: &[(Name, Value)]) -> Value {
        match of {
            Value::External(name) => {
                let is_literal = &*name == "typing.Literal";
                let items: &[Expr] = match &index.kind {
                    ExprKind::Tuple(items) => items,
                    _ => std::slice::from_ref(index),
                };
                let mut all = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    // The items after the first one in `Annotated` are values, not types.
                    let is_value = is_literal || (&*name == "typing.Annotated" && at > 0);
                    match &item.kind {
                        ExprKind::Starred(inner) => match self.eval(module, inner, env) {
                            Value::List(items) | Value::Tuple(items) if self.pays(items.len()) => {
                                all.extend(items.iter().cloned());
                            }
                            _ => return Value::unknown(module, line, "a star before a value that is not a list"),
                        },
                        _ if is_value => all.push(self.eval(module, item, env)),
                        _ => all.push(self.annotation(module, item, env)),
                    }
                }
                Value::Generic(name, all.into())
            }
            Value::Dict(entries) => {
                let key = self.eval(module, index, env);
                self.pays(entries.len());
                let found =
                    entries.iter().rev().map(|(own, value)| (own.equals(&key), value)).find(|(is_it, _)| *is_it != Some(false));
                match found {
                    Some((Some(true), value)) => value.clone(),
                    _ => Value::unknown(module, line, "a key of a dict"),
                }
            }
            Value::List(items) | Value::Tuple(items) => match self.eval(module, index, env) {
                Value::Int(at) => usize::try_from(at)
                    .ok()
                    .and_then(|at| items.get(at))
                    .cloned()
                    .unwrap_or_else(|| Value::unknown(module, line, "an index")),
                _ => Value::unknown(module, line, "an index"),
            },
            Value::Unknown(_) => of,
            _ => Value::unknown(module, line, "an index of a value that has no items"),
        }
    }

    fn binary(&mut self, module: &Arc<Module>, line: u32, operator: Operator, left: Value, right: Value) -> Value {
        let unknown = || Value::unknown(module, line, "an operator");
        let length = |value: &Value| match value {
            Value::Str(text) | Value::Path(text) => text.len(),
            Value::Dict(entries) => entries.len(),
            Value::Union(items) => items.len(),
            other => other.items().map_or(0, <[Value]>::len),
        };
        let length = length(&left).saturating_add(length(&right));
        if length > LONGEST || !self.pays(length) {
            return unknown();
        }
        let number = |value: Option<i64>| value.map_or_else(unknown, Value::Int);
        let joined = |one: &[Value], other: &[Value]| one.iter().chain(other).cloned().collect::<Parts<Value>>();
        match (operator, &left, &right) {
            (Operator::Or, Value::Set(one), Value::Set(other)) => Value::Set(joined(one, other)),
            (Operator::Or, Value::Dict(one), Value::Dict(other)) => {
                Value::Dict(one.iter().chain(other.iter()).cloned().collect())
            }
            (Operator::Or, ..) => {
                let mut members = Vec::new();
                for side in [left, right] {
                    match self.resolved(module, line, side) {
                        Value::Union(inner) => members.extend(inner.iter().cloned()),
                        other => members.push(other),
                    }
                }
                Value::Union(members.into())
            }
            (Operator::Add, Value::Int(one), Value::Int(other)) => number(one.checked_add(*other)),
            (Operator::Subtract, Value::Int(one), Value::Int(other)) => number(one.checked_sub(*other)),
            (Operator::Multiply, Value::Int(one), Value::Int(other)) => number(one.checked_mul(*other)),
            (Operator::Power, Value::Int(one), Value::Int(other)) => {
                number(u32::try_from(*other).ok().and_then(|other| one.checked_pow(other)))
            }
            (Operator::ShiftLeft, Value::Int(one), Value::Int(other)) => {
                number(u32::try_from(*other).ok().filter(|other| *other < 62).and_then(|other| one.checked_mul(1 << other)))
            }
            (Operator::Divide, Value::Int(one), Value::Int(other)) if *other != 0 => Value::Float(double(*one) / double(*other)),
            (Operator::Multiply, Value::Float(one), Value::Int(other))
            | (Operator::Multiply, Value::Int(other), Value::Float(one)) => Value::Float(one * double(*other)),
            (Operator::Add, Value::List(one), Value::List(other)) => Value::List(joined(one, other)),
            (Operator::Add, Value::Tuple(one), Value::Tuple(other)) => Value::Tuple(joined(one, other)),
            (Operator::Add, Value::Str(one), Value::Str(other)) => Value::str(format!("{one}{other}")),
            (Operator::Divide, Value::Path(one), Value::Str(other) | Value::Path(other)) if !other.starts_with('/') => {
                Value::Path(format!("{one}/{other}").into())
            }
            _ => unknown(),
        }
    }

    pub(crate) fn attribute(&mut self, module: &Arc<Module>, line: u32, of: Value, name: &Name) -> Value {
        match of {
            Value::Module(dotted) => self.of_module(&dotted, name, module),
            Value::External(dotted) => Value::External(canonical(&format!("{dotted}.{name}").into())),
            Value::Class(class) => match self.class_attribute(&class, name) {
                Some(value) => value,
                None => Value::unknown(module, line, format!("`{}` has no attribute `{name}`", class.name)),
            },
            Value::Instance(class, given) => {
                self.pays(given.len());
                if let Some((_, value)) = given.iter().find(|(own, _)| own == name) {
                    return value.clone();
                }
                let fields = self.fields(&class);
                match &**name {
                    "model_fields_set" => {
                        return Value::Set(given.iter().map(|(name, _)| Value::Str(Arc::clone(name))).collect());
                    }
                    // An instance that code creates has no keys without a field.
                    "model_extra" => {
                        return if self.policy(&class) == "allow" { Value::Dict(Parts::default()) } else { Value::None };
                    }
                    _ => {}
                }
                let field = fields.iter().find(|field| field.name == *name);
                field
                    .and_then(|field| field.default.clone())
                    .unwrap_or_else(|| Value::unknown(module, line, format!("`.{name}`")))
            }
            Value::Unknown(_) => of,
            Value::Str(_) | Value::Dict(_) | Value::Path(_) | Value::Call(_) => Value::Method(Arc::new(of), Arc::clone(name)),
            _ => Value::unknown(module, line, format!("`.{name}`")),
        }
    }
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Option<bool> {
    let ordered = || match (left, right) {
        (Value::Int(one), Value::Int(other)) => Some(one.cmp(other)),
        _ => None,
    };
    match comparison {
        Comparison::Equal => left.equals(right),
        Comparison::NotEqual => left.equals(right).map(|equal| !equal),
        Comparison::Is | Comparison::IsNot => {
            let is_it = match (left, right) {
                (Value::None, Value::Unknown(_)) | (Value::Unknown(_), Value::None) => return None,
                (Value::None, other) | (other, Value::None) => matches!(other, Value::None),
                _ => return None,
            };
            Some(is_it == (comparison == Comparison::Is))
        }
        Comparison::Less => ordered().map(std::cmp::Ordering::is_lt),
        Comparison::LessEqual => ordered().map(std::cmp::Ordering::is_le),
        Comparison::Greater => ordered().map(std::cmp::Ordering::is_gt),
        Comparison::GreaterEqual => ordered().map(std::cmp::Ordering::is_ge),
        Comparison::In | Comparison::NotIn => {
            let members: Vec<Option<bool>> = match right {
                Value::Dict(entries) => entries.iter().map(|(key, _)| key.equals(left)).collect(),
                other => other.items()?.iter().map(|item| item.equals(left)).collect(),
            };
            let is_in = if members.contains(&Some(true)) {
                true
            } else if members.contains(&None) {
                return None;
            } else {
                false
            };
            Some(is_in == (comparison == Comparison::In))
        }
    }
}
