//! Evaluates the operators in a check.

use super::{
    equality::{contains, put, set_of},
    format::by_percent,
    heap,
    object::{DEEPEST, Object},
    run::{Frame, Outcome, Run},
};
pub(super) use crate::parts::LONGEST;
use crate::{ast::Operator, value::double};

impl Run<'_> {
    /// The result of a binary operator.
    pub(super) fn binary(&self, frame: &Frame, line: u32, operator: Operator, left: &Object, right: &Object) -> Outcome<Object> {
        if let (unknown @ Object::Unknown(_), _) | (_, unknown @ Object::Unknown(_)) = (left, right) {
            return Ok(unknown.clone());
        }
        let (left, right) = (left.based(), right.based());
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
            // Longer ones come from the config, and are not joined further.
            (Operator::Divide, Object::Path(one) | Object::Str(one), Object::Path(other) | Object::Str(other))
                if one.len() + other.len() >= LONGEST || !heap::spend(one.len() / 4 + other.len() / 4) =>
            {
                unknown()
            }
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
                    Some(count) if heap::spend(items.len() * count) => {
                        Object::list(std::iter::repeat_n(items, count).flatten().collect())
                    }
                    _ => unknown(),
                },
                Err(_) => unknown(),
            },
            (_, Object::Set(_), Object::Set(_)) => match (left.items(), right.items()) {
                (Ok(one), Ok(other)) => of_sets(operator, one, other).unwrap_or_else(unknown),
                _ => unknown(),
            },
            (Operator::Multiply, Object::Tuple(items), Object::Int(count)) => match times(items.len(), *count) {
                Some(count) if heap::spend(items.len() * count) => {
                    Object::tuple(std::iter::repeat_n(items.to_vec(), count).flatten().collect())
                }
                _ => unknown(),
            },
            (Operator::Multiply, Object::Int(_), Object::Str(_) | Object::List(_) | Object::Tuple(_)) => {
                return self.binary(frame, line, operator, right, left);
            }
            (Operator::Remainder, Object::Str(template), values) => {
                by_percent(template, values).map_or_else(unknown, Object::str)
            }
            (Operator::Or, Object::Dict(one), Object::Dict(other))
                if [one, other].iter().all(|dict| dict.lost.borrow().is_none() && dict.missing.borrow().is_none()) =>
            {
                heap::spend(one.value.borrow().len());
                let mut all = one.value.borrow().clone();
                let are_put = other.value.borrow().iter().all(|(key, value)| put(&mut all, key.clone(), value.clone()));
                if are_put { Object::dict(all) } else { unknown() }
            }
            // `int | str`
            (
                Operator::Or,
                Object::Class(_) | Object::External(_) | Object::Generic(..) | Object::Types(_) | Object::None,
                Object::Class(_) | Object::External(_) | Object::Generic(..) | Object::Types(_) | Object::None,
            ) if !matches!((left, right), (Object::None, Object::None)) => {
                let all = [left, right].into_iter().flat_map(|side| match side {
                    Object::Types(all) => all.to_vec(),
                    one => vec![one.clone()],
                });
                Object::types(all.take(DEEPEST).collect())
            }
            (Operator::Divide, Object::Path(one), Object::Path(other) | Object::Str(other))
            | (Operator::Divide, Object::Str(one), Object::Path(other)) => Object::path(join(one, other)),
            (_, Object::None, _) | (_, _, Object::None)
                if matches!(left, Object::None | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::List(_))
                    && matches!(right, Object::None | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::List(_)) =>
            {
                let message = format!("unsupported operand type(s): '{}' and '{}'", type_name(left), type_name(right));
                return Err(self.raised(frame, line, "TypeError", message));
            }
            _ if is_undefined(operator, left, right) => {
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
            Operator::Power if other < 0 => return self.of_doubles(frame, line, operator, double(one), double(other)),
            Operator::Power => u32::try_from(other).ok().and_then(|other| one.checked_pow(other)),
            Operator::ShiftLeft | Operator::ShiftRight if other < 0 => {
                return Err(self.raised(frame, line, "ValueError", "negative shift count"));
            }
            Operator::ShiftLeft => {
                u32::try_from(other).ok().filter(|other| *other < 62).and_then(|other| one.checked_mul(1 << other))
            }
            Operator::ShiftRight => Some(one >> other.min(63)),
            Operator::Or => Some(one | other),
            Operator::And => Some(one & other),
            Operator::Xor => Some(one ^ other),
            Operator::Other => None,
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
            Operator::DivideDown => divided_down(one, other),
            Operator::Remainder => remainder(one, other),
            Operator::Power if one == 0.0 && other < 0.0 => {
                return Err(self.raised(frame, line, "ZeroDivisionError", "0.0 cannot be raised to a negative power"));
            }
            // A root of a negative number is complex.
            Operator::Power if one < 0.0 && other.fract() != 0.0 => return Ok(self.unknown(frame, line, "a complex number")),
            Operator::Power => match one.powf(other) {
                value if value.is_infinite() && one.is_finite() && other.is_finite() => {
                    return Err(self.raised(frame, line, "OverflowError", "Result too large"));
                }
                value => value,
            },
            _ => return Ok(self.unknown(frame, line, "an operator")),
        };
        Ok(Object::Float(value))
    }
}

/// The length after repeating something `count` times; `None` if that is too long.
fn times(length: usize, count: i64) -> Option<usize> {
    let count = usize::try_from(count).unwrap_or(0);
    (length.saturating_mul(count) < LONGEST).then_some(count)
}

/// A path and another one below it, as `pathlib` writes it: without empty parts and `.`.
pub(super) fn join(one: &str, other: &str) -> String {
    let (root, path) = match other.strip_prefix('/') {
        Some(other) => ("/", other.to_owned()),
        None => (if one.starts_with('/') { "/" } else { "" }, format!("{one}/{other}")),
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    match (root, parts.is_empty()) {
        ("", true) => ".".to_owned(),
        _ => format!("{root}{}", parts.join("/")),
    }
}

/// The result of an operator of two sets; `None` if it is unknown.
fn of_sets(operator: Operator, one: Vec<Object>, other: Vec<Object>) -> Option<Object> {
    let kept = |all: &[Object], others: &[Object], is_in: bool| -> Option<Vec<Object>> {
        let found: Option<Vec<bool>> = all.iter().map(|item| contains(others, item)).collect();
        Some(all.iter().zip(found?).filter(|(_, found)| *found == is_in).map(|(item, _)| item.clone()).collect())
    };
    Some(match operator {
        Operator::Or => set_of([one, other].concat()),
        Operator::And => Object::set(kept(&one, &other, true)?),
        Operator::Subtract => Object::set(kept(&one, &other, false)?),
        Operator::Xor => set_of([kept(&one, &other, false)?, kept(&other, &one, false)?].concat()),
        _ => return None,
    })
}

/// Python's remainder, which has the sign of the divisor.
fn remainder(one: f64, other: f64) -> f64 {
    let rest = one % other;
    if rest != 0.0 && (rest < 0.0) != (other < 0.0) { rest + other } else { rest }
}

/// Python's `//` of floats: exact, where the quotient itself is rounded.
fn divided_down(one: f64, other: f64) -> f64 {
    if !one.is_finite() || !other.is_finite() {
        return (one / other).floor();
    }
    let whole = (one - remainder(one, other)) / other;
    let down = whole.floor();
    if whole - down > 0.5 { down + 1.0 } else { down }
}

/// Whether an operator is not defined for two builtin types, so that Python raises an exception.
fn is_undefined(operator: Operator, left: &Object, right: &Object) -> bool {
    let is_number = |object: &Object| object.as_float().is_some();
    let is_text = |object: &Object| matches!(object, Object::Str(_));
    let is_list = |object: &Object| matches!(object, Object::List(_));
    matches!(operator, Operator::Add | Operator::Subtract | Operator::Divide | Operator::DivideDown)
        && (is_number(left) || is_text(left) || is_list(left))
        && (is_number(right) || is_text(right) || is_list(right))
        && !(operator == Operator::Add && (is_text(left) && is_text(right) || is_list(left) && is_list(right)))
        && !(is_number(left) && is_number(right))
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
