//! Functions that take or create numbers.

use super::{
    builtins::Call,
    object::Object,
    run::{Outcome, Run},
    text,
};
use crate::ast::{Comparison, Operator};

impl Run<'_> {
    /// Functions that take or create numbers. `None` if the function is not one of them.
    pub(super) fn of_numbers(&mut self, call: &mut Call<'_>) -> Outcome<Option<Object>> {
        let line = call.line;
        let made = match (call.name, call.objects) {
            ("int", []) => Object::Int(0),
            ("int" | "math.trunc", [Object::Float(value)]) => return self.whole(call, value.trunc()).map(Some),
            ("math.floor", [Object::Float(value)]) => return self.whole(call, value.floor()).map(Some),
            ("math.ceil", [Object::Float(value)]) => return self.whole(call, value.ceil()).map(Some),
            ("int", [text @ Object::Str(digits)]) => match digits.trim().replace('_', "").parse() {
                Ok(value) => Object::Int(value),
                Err(_) => {
                    let message = format!("invalid literal for int() with base 10: {}", text::quoted(text).unwrap_or_default());
                    return Err(self.raised(call.frame, line, "ValueError", message));
                }
            },
            ("float", [text @ Object::Str(digits)]) => match digits.trim().parse() {
                Ok(value) => Object::Float(value),
                Err(_) => {
                    let message = format!("could not convert string to float: {}", text::quoted(text).unwrap_or_default());
                    return Err(self.raised(call.frame, line, "ValueError", message));
                }
            },
            ("int" | "round" | "math.floor" | "math.ceil" | "math.trunc", [object]) => match object.as_int() {
                Some(value) => Object::Int(value),
                None => return Ok(None),
            },
            ("float", [object]) => match object.as_float() {
                Some(value) => Object::Float(value),
                None => return Ok(None),
            },
            ("abs", [Object::Float(value)]) => Object::Float(value.abs()),
            ("abs", [object]) => match object.as_int().and_then(i64::checked_abs) {
                Some(value) => Object::Int(value),
                None => return Ok(None),
            },
            ("math.isfinite", [object]) => match object.as_float() {
                Some(value) => Object::Bool(value.is_finite()),
                None => return Ok(None),
            },
            ("math.gcd", [one, other]) => match (one.as_int(), other.as_int()) {
                (Some(mut one), Some(mut other)) => {
                    while other != 0 {
                        (one, other) = (other, one.checked_rem(other).unwrap_or(0));
                    }
                    Object::Int(one.saturating_abs())
                }
                _ => return Ok(None),
            },
            ("math.prod", [items]) => return self.fold(call, items, Object::Int(1), Operator::Multiply).map(Some),
            ("sum", [items]) => return self.fold(call, items, Object::Int(0), Operator::Add).map(Some),
            ("min" | "max", _) => return self.extreme(call).map(Some),
            ("bool", [object]) => object.truth().map_or_else(Object::Unknown, Object::Bool),
            _ => return Ok(None),
        };
        Ok(Some(made))
    }

    /// Converts a float without a fraction to an integer.
    fn whole(&self, call: &Call<'_>, value: f64) -> Outcome<Object> {
        if value.is_infinite() {
            return Err(self.raised(call.frame, call.line, "OverflowError", "cannot convert float infinity to integer"));
        }
        if value.is_nan() {
            return Err(self.raised(call.frame, call.line, "ValueError", "cannot convert float NaN to integer"));
        }
        if value.abs() >= 9e18 {
            return Ok(self.unknown(call.frame, call.line, "an integer that does not fit in 64 bits"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is within 63 bits")]
        let whole = value as i64;
        Ok(Object::Int(whole))
    }

    /// The sum or the product of items.
    fn fold(&self, call: &Call<'_>, items: &Object, start: Object, operator: Operator) -> Outcome<Object> {
        let items = match items.items() {
            Ok(items) => items,
            Err(why) => return Ok(self.unknown_or(call.frame, call.line, why, "the items of a value that is not a list")),
        };
        items.iter().try_fold(start, |whole, item| self.binary(call.frame, call.line, operator, &whole, item))
    }

    /// The result of `min` or `max`.
    fn extreme(&self, call: &Call<'_>) -> Outcome<Object> {
        let items = match call.objects {
            [one] => match one.items() {
                Ok(items) => items,
                Err(why) => return Ok(self.unknown_or(call.frame, call.line, why, "the items of a value that is not a list")),
            },
            several => several.to_vec(),
        };
        if call.named("key").is_some() {
            return Ok(self.unknown(call.frame, call.line, format!("`{}` by a key", call.name)));
        }
        let comparison = if call.name == "min" { Comparison::Less } else { Comparison::Greater };
        let mut best: Option<Object> = None;
        for item in items {
            let is_better = match &best {
                None => true,
                Some(best) => match self.compare(call.frame, call.line, comparison, &item, best)? {
                    Ok(is_better) => is_better,
                    Err(why) => return Ok(Object::Unknown(why)),
                },
            };
            if is_better {
                best = Some(item);
            }
        }
        best.or_else(|| call.named("default").cloned()).ok_or_else(|| {
            self.raised(call.frame, call.line, "ValueError", format!("{}() iterable argument is empty", call.name))
        })
    }
}

/// The numbers of a `range`; `None` if the arguments are not supported.
pub(super) fn range(objects: &[Object]) -> Option<Object> {
    let numbers: Vec<i64> = objects.iter().map(Object::as_int).collect::<Option<_>>()?;
    let (from, to, step) = match *numbers.as_slice() {
        [to] => (0, to, 1),
        [from, to] => (from, to, 1),
        [from, to, step] if step > 0 => (from, to, step),
        _ => return None,
    };
    let is_short = to.saturating_sub(from) / step <= 10_000;
    let step = usize::try_from(step).ok()?;
    is_short.then(|| Object::list((from..to).step_by(step).map(Object::Int).collect()))
}
