//! Evaluates the operators and comparisons in a check.

use std::{cmp::Ordering, rc::Rc, sync::Arc};

use cfg_schema::ValueSegment;

use super::{
    equality::{contains, once, put},
    heap,
    object::{DEEPEST, Object, Why, below},
    run::{Frame, Outcome, Run},
};
use crate::{
    ast::{Comparison, Name, Operator},
    value::double,
};

/// The maximum length of strings in bytes, and of lists in items. Those of configs are far shorter.
pub(super) const LONGEST: usize = 1 << 16;

impl Run<'_> {
    /// The result of a binary operator.
    pub(super) fn binary(&self, frame: &Frame, line: u32, operator: Operator, left: &Object, right: &Object) -> Outcome<Object> {
        if let (unknown @ Object::Unknown(_), _) | (_, unknown @ Object::Unknown(_)) = (left, right) {
            return Ok(unknown.clone());
        }
        let unknown = || self.unknown(frame, line, "an operator");
        let numbers = (left.as_int().zip(right.as_int()), left.as_float().zip(right.as_float()));
        if let (Some((one, other)), _) = numbers {
            return self.of_integers(frame, line, operator, one, other);
        }
        if let (_, Some((one, other))) = numbers {
            return self.of_doubles(frame, line, operator, one, other);
        }
        let joined = |one: &Object, other: &Object| -> Option<Vec<Object>> {
            let mut all = one.items().ok()?;
            all.extend(other.items().ok()?);
            Some(all).filter(|all| all.len() < LONGEST)
        };
        Ok(match (operator, left, right) {
            (Operator::Add, Object::Str(one), Object::Str(other)) if one.len() + other.len() < LONGEST => {
                Object::str(format!("{one}{other}"))
            }
            (Operator::Multiply, Object::Str(text), Object::Int(count)) => match times(text.len(), *count) {
                Some(count) => Object::str(text.repeat(count)),
                None => unknown(),
            },
            (Operator::Add, Object::List(_), Object::List(_)) => joined(left, right).map_or_else(unknown, Object::list),
            (Operator::Add, Object::Tuple(_), Object::Tuple(_)) => joined(left, right).map_or_else(unknown, Object::tuple),
            (Operator::Multiply, Object::List(_), Object::Int(count)) => match left.items() {
                Ok(items) => match times(items.len(), *count) {
                    Some(count) => Object::list(std::iter::repeat_n(items, count).flatten().collect()),
                    None => unknown(),
                },
                Err(_) => unknown(),
            },
            (Operator::Or, Object::Set(_), Object::Set(_)) => {
                joined(left, right).map_or_else(unknown, |all| Object::set(once(all)))
            }
            (Operator::Subtract, Object::Set(_), Object::Set(_)) => match (left.items(), right.items()) {
                (Ok(one), Ok(other)) => {
                    let kept: Option<Vec<(bool, Object)>> =
                        one.into_iter().map(|item| Some((contains(&other, &item)?, item))).collect();
                    kept.map_or_else(unknown, |kept| {
                        Object::set(kept.into_iter().filter(|(is_in, _)| !is_in).map(|(_, item)| item).collect())
                    })
                }
                _ => unknown(),
            },
            (Operator::Or, Object::Dict(one), Object::Dict(other))
                if one.lost.borrow().is_none() && other.lost.borrow().is_none() =>
            {
                let mut all = one.value.borrow().clone();
                other.value.borrow().iter().for_each(|(key, value)| put(&mut all, key.clone(), value.clone()));
                Object::dict(all)
            }
            // `int | str`
            (Operator::Or, Object::Class(_) | Object::External(_) | Object::Types(_) | Object::None, _) => {
                let all = [left, right].into_iter().flat_map(|side| match side {
                    Object::Types(all) => all.to_vec(),
                    one => vec![one.clone()],
                });
                Object::Types(all.take(DEEPEST).collect())
            }
            (Operator::Divide, Object::Path(one), Object::Path(other) | Object::Str(other)) => {
                Object::Path(if other.starts_with('/') { other.to_string() } else { join(one, other) }.into())
            }
            (Operator::Divide, Object::Str(one), Object::Path(other)) => Object::Path(join(one, other).into()),
            (_, Object::None, _) | (_, _, Object::None)
                if matches!(left, Object::None | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::List(_))
                    && matches!(right, Object::None | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::List(_)) =>
            {
                let message = format!("unsupported operand type(s): '{}' and '{}'", type_name(left), type_name(right));
                return Err(self.raised(frame, line, "TypeError", message));
            }
            _ => unknown(),
        })
    }

    fn of_integers(&self, frame: &Frame, line: u32, operator: Operator, one: i64, other: i64) -> Outcome<Object> {
        let whole = match operator {
            Operator::Add => one.checked_add(other),
            Operator::Subtract => one.checked_sub(other),
            Operator::Multiply => one.checked_mul(other),
            Operator::DivideDown | Operator::Remainder | Operator::Divide if other == 0 => {
                return Err(self.raised(frame, line, "ZeroDivisionError", "division by zero"));
            }
            Operator::Divide => return Ok(Object::Float(double(one) / double(other))),
            // Python rounds the quotient down, so the remainder has the sign of the divisor.
            Operator::DivideDown => {
                one.checked_div_euclid(other).map(|whole| if other < 0 && one.rem_euclid(other) != 0 { whole - 1 } else { whole })
            }
            Operator::Remainder => {
                one.checked_rem(other).map(|rest| if rest != 0 && (rest < 0) != (other < 0) { rest + other } else { rest })
            }
            Operator::Power => u32::try_from(other).ok().and_then(|other| one.checked_pow(other)),
            Operator::ShiftLeft => {
                u32::try_from(other).ok().filter(|other| *other < 62).and_then(|other| one.checked_mul(1 << other))
            }
            Operator::Or | Operator::Other => None,
        };
        Ok(whole.map_or_else(|| self.unknown(frame, line, "an operator"), Object::Int))
    }

    fn of_doubles(&self, frame: &Frame, line: u32, operator: Operator, one: f64, other: f64) -> Outcome<Object> {
        let value = match operator {
            Operator::Add => one + other,
            Operator::Subtract => one - other,
            Operator::Multiply => one * other,
            Operator::Divide | Operator::DivideDown | Operator::Remainder if other == 0.0 => {
                return Err(self.raised(frame, line, "ZeroDivisionError", "float division by zero"));
            }
            Operator::Divide => one / other,
            Operator::DivideDown => (one / other).floor(),
            Operator::Remainder => {
                let rest = one % other;
                if rest != 0.0 && (rest < 0.0) != (other < 0.0) { rest + other } else { rest }
            }
            Operator::Power => one.powf(other),
            Operator::ShiftLeft | Operator::Or | Operator::Other => return Ok(self.unknown(frame, line, "an operator")),
        };
        Ok(Object::Float(value))
    }

    /// Whether a comparison holds; the inner error says why that is unknown.
    pub(super) fn compare(
        &self,
        frame: &Frame,
        line: u32,
        comparison: Comparison,
        left: &Object,
        right: &Object,
    ) -> Outcome<Result<bool, Why>> {
        if matches!(comparison, Comparison::In | Comparison::NotIn) {
            return self.is_in(frame, line, left, right).map(|found| found.map(|found| found == (comparison == Comparison::In)));
        }
        if let (Object::Unknown(why), _) | (_, Object::Unknown(why)) = (left, right) {
            return Ok(Err(Rc::clone(why)));
        }
        let unknown = |run: &Self| Ok(Err(run.why(&frame.module, line, "a comparison")));
        match comparison {
            Comparison::Equal | Comparison::NotEqual => match self.are_equal(left, right) {
                Some(equal) => Ok(Ok(equal == (comparison == Comparison::Equal))),
                None => unknown(self),
            },
            Comparison::Is | Comparison::IsNot => {
                let is_it = match (left, right) {
                    (Object::None, other) | (other, Object::None) => Some(matches!(other, Object::None)),
                    (Object::Bool(one), Object::Bool(other)) => Some(one == other),
                    (Object::Bool(_), other) | (other, Object::Bool(_)) if !matches!(other, Object::External(_)) => Some(false),
                    (Object::Class(_), Object::Class(_)) | (Object::External(_), Object::External(_)) => left.equals(right),
                    (Object::Table(one), Object::Table(other)) if one == other => Some(true),
                    _ => None,
                };
                match is_it {
                    Some(is_it) => Ok(Ok(is_it == (comparison == Comparison::Is))),
                    None => unknown(self),
                }
            }
            _ => {
                let ordering = match (left, right) {
                    (Object::Str(one), Object::Str(other)) => Some(one.cmp(other)),
                    _ => match (left.as_int(), right.as_int()) {
                        (Some(one), Some(other)) => Some(one.cmp(&other)),
                        _ => match (left.as_float(), right.as_float()) {
                            (Some(one), Some(other)) => match one.partial_cmp(&other) {
                                Some(ordering) => Some(ordering),
                                // A comparison with NaN is false.
                                None => return Ok(Ok(false)),
                            },
                            _ => None,
                        },
                    },
                };
                let Some(ordering) = ordering else {
                    let is_plain = |object: &Object| {
                        matches!(object, Object::None | Object::Int(_) | Object::Float(_) | Object::Bool(_) | Object::Str(_))
                    };
                    if is_plain(left) && is_plain(right) {
                        let message = format!(
                            "'{}' not supported between instances of '{}' and '{}'",
                            sign(comparison),
                            type_name(left),
                            type_name(right)
                        );
                        return Err(self.raised(frame, line, "TypeError", message));
                    }
                    return unknown(self);
                };
                Ok(Ok(match comparison {
                    Comparison::Less => ordering == Ordering::Less,
                    Comparison::LessEqual => ordering != Ordering::Greater,
                    Comparison::Greater => ordering == Ordering::Greater,
                    _ => ordering != Ordering::Less,
                }))
            }
        }
    }

    /// Whether two objects are equal; for tables, whether all their values are. `None` if that is unknown.
    fn are_equal(&self, left: &Object, right: &Object) -> Option<bool> {
        self.are_equal_within(left, right, DEEPEST)
    }

    fn are_equal_within(&self, left: &Object, right: &Object, depth: usize) -> Option<bool> {
        if depth == 0 || !heap::spend(1) {
            return None;
        }
        let is_table = |object: &Object| matches!(object, Object::Table(_) | Object::New(_));
        if let Some(equal) = left.equals(right) {
            return Some(equal);
        }
        if !is_table(left) || !is_table(right) {
            return None;
        }
        let (one, other) = (self.class_of(left)?, self.class_of(right)?);
        if !Arc::ptr_eq(&one.def, &other.def) {
            return Some(false);
        }
        if one.partial.is_some() {
            return None;
        }
        let mut is_known = true;
        for field in self.code.fields(&one)? {
            match self.are_equal_within(&self.value_of(left, &field.name)?, &self.value_of(right, &field.name)?, depth - 1) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    /// The value of a field of a table; `None` if it has no such field.
    pub(super) fn value_of(&self, of: &Object, name: &Name) -> Option<Object> {
        let place = match of {
            Object::Table(place) => Rc::clone(place),
            Object::New(new) => match &*new.home.borrow() {
                Some(place) => Rc::clone(place),
                None => {
                    let given = new.given.borrow().iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
                    return given.or_else(|| self.code.field(&new.class, name)?.default.as_ref().map(Object::declared));
                }
            },
            _ => return None,
        };
        let at = below(&place, ValueSegment::Field(Arc::clone(name)));
        let seen = self.table.get(&at);
        Some(self.object(seen, at))
    }

    fn is_in(&self, frame: &Frame, line: u32, wanted: &Object, all: &Object) -> Outcome<Result<bool, Why>> {
        match (wanted, all) {
            (_, Object::Unknown(why)) => Ok(Err(Rc::clone(why))),
            (Object::Str(part), Object::Str(text)) => Ok(Ok(text.contains(&**part))),
            (_, Object::None) => Err(self.raised(frame, line, "TypeError", "argument of type 'NoneType' is not iterable")),
            (Object::Str(key), Object::External(name)) if let Some(holds) = self.table.holds(name, key) => Ok(Ok(holds)),
            (_, Object::External(name)) if &**name == "os.environ" => Ok(self.is_variable(frame, line, Some(wanted))),
            (_, Object::External(name)) => Ok(Err(self.why(&frame.module, line, format!("the contents of `{name}`")))),
            (_, all) => match all.items() {
                Ok(items) => Ok(match contains(&items, wanted) {
                    Some(found) => Ok(found),
                    None => Err(match wanted {
                        Object::Unknown(why) => Rc::clone(why),
                        _ => self.why(&frame.module, line, "whether a value contains another"),
                    }),
                }),
                Err(why) => Ok(Err(why.unwrap_or_else(|| self.why(&frame.module, line, "the contents of a value")))),
            },
        }
    }
}

/// The length after repeating something `count` times; `None` if that is too long.
fn times(length: usize, count: i64) -> Option<usize> {
    let count = usize::try_from(count).unwrap_or(0);
    (length.saturating_mul(count) < LONGEST).then_some(count)
}

fn join(one: &str, other: &str) -> String {
    match one {
        "." | "" => other.to_owned(),
        one => format!("{}/{other}", one.trim_end_matches('/')),
    }
}

const fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        _ => ">=",
    }
}

/// Python's name of the type of an object.
pub(super) const fn type_name(object: &Object) -> &'static str {
    match object {
        Object::None => "NoneType",
        Object::Bool(_) => "bool",
        Object::Int(_) => "int",
        Object::Float(_) => "float",
        Object::Str(_) => "str",
        Object::Path(_) => "PosixPath",
        Object::List(_) => "list",
        Object::Tuple(_) => "tuple",
        Object::Set(_) => "set",
        Object::Dict(_) => "dict",
        _ => "object",
    }
}
