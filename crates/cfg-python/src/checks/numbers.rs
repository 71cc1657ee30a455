//! Functions that take or create numbers.

use super::{
    builtins::Call,
    heap,
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
            ("int", [text @ Object::Str(digits)]) => match without_marks(digits).map(|digits| (digits.parse(), digits)) {
                Some((Ok(value), _)) => Object::Int(value),
                Some((_, digits)) if is_integer(&digits) => {
                    self.unknown(call.frame, line, "an integer that does not fit in 64 bits")
                }
                _ if !digits.is_ascii() => return Ok(None),
                _ => {
                    let message = format!("invalid literal for int() with base 10: {}", text::quoted(text).unwrap_or_default());
                    return Err(self.raised(call.frame, line, "ValueError", message));
                }
            },
            ("int", [Object::Str(digits), base]) => match based(digits, base) {
                Some(value) => Object::Int(value),
                None => return Ok(None),
            },
            ("float", [text @ Object::Str(digits)]) => match without_marks(digits).and_then(|digits| digits.parse().ok()) {
                Some(value) => Object::Float(value),
                None if !digits.is_ascii() => return Ok(None),
                None => {
                    let message = format!("could not convert string to float: {}", text::quoted(text).unwrap_or_default());
                    return Err(self.raised(call.frame, line, "ValueError", message));
                }
            },
            ("round", [Object::Float(value)] | [Object::Float(value), Object::None]) => {
                return self.whole(call, rounded(*value, 0).unwrap_or(*value)).map(Some);
            }
            ("round", [Object::Float(value), Object::Int(places)]) => match rounded(*value, *places) {
                Some(value) => Object::Float(value),
                None => return Ok(None),
            },
            ("divmod", [one, other]) => {
                let whole = self.binary(call.frame, line, Operator::DivideDown, one, other)?;
                Object::tuple(vec![whole, self.binary(call.frame, line, Operator::Remainder, one, other)?])
            }
            ("pow", [one, other]) => self.binary(call.frame, line, Operator::Power, one, other)?,
            ("pow", [one, other, by]) => {
                let power = self.binary(call.frame, line, Operator::Power, one, other)?;
                self.binary(call.frame, line, Operator::Remainder, &power, by)?
            }
            ("sum", [items, start]) => return self.fold(call, items, start.clone(), Operator::Add).map(Some),
            (
                "operator.add" | "operator.sub" | "operator.mul" | "operator.truediv" | "operator.floordiv" | "operator.mod"
                | "operator.or_" | "operator.and_",
                [one, other],
            ) => {
                let operator = match call.name.trim_start_matches("operator.") {
                    "add" => Operator::Add,
                    "sub" => Operator::Subtract,
                    "mul" => Operator::Multiply,
                    "truediv" => Operator::Divide,
                    "floordiv" => Operator::DivideDown,
                    "mod" => Operator::Remainder,
                    "or_" => Operator::Or,
                    _ => Operator::And,
                };
                self.binary(call.frame, line, operator, one, other)?
            }
            (name, objects) if name.starts_with("math.") && !OWN_MATH.contains(&name) => {
                return self.of_math(call, name.trim_start_matches("math."), objects);
            }
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
            ("math.prod", [items]) => return self.fold(call, items, Object::Int(1), Operator::Multiply).map(Some),
            ("sum", [items]) if let Some(start) = call.named("start") => {
                return self.fold(call, items, start.clone(), Operator::Add).map(Some);
            }
            ("sum", [items]) => return self.fold(call, items, Object::Int(0), Operator::Add).map(Some),
            ("min" | "max", _) => return self.extreme(call).map(Some),
            ("bool", [object]) => object.truth().map_or_else(Object::Unknown, Object::Bool),
            _ => return Ok(None),
        };
        Ok(Some(made))
    }

    /// Functions of `math`. `None` if the function is not modelled, or not for these arguments.
    fn of_math(&mut self, call: &Call<'_>, name: &str, objects: &[Object]) -> Outcome<Option<Object>> {
        let integers: Option<Vec<i64>> = objects.iter().map(Object::as_int).collect();
        let floats: Option<Vec<f64>> = objects.iter().map(Object::as_float).collect();
        let domain = |run: &Self| Err(run.raised(call.frame, call.line, "ValueError", "math domain error"));
        match (name, integers.as_deref()) {
            ("gcd", Some(all)) => return Ok(Some(Object::Int(all.iter().copied().fold(0, gcd)))),
            ("lcm", Some(all)) => {
                let lcm = |one: i64, other: i64| (one / gcd(one, other).max(1)).checked_mul(other)?.checked_abs();
                return Ok(all.iter().copied().try_fold(1, lcm).map(Object::Int));
            }
            ("isqrt", Some([value])) if *value >= 0 => return Ok(Some(Object::Int(value.isqrt()))),
            ("comb", Some([of, taken])) if (0..=60).contains(of) && taken > of => return Ok(Some(Object::Int(0))),
            ("comb", Some([of, taken])) if (0..=60).contains(of) && *taken >= 0 => {
                let ways = (0..*taken).try_fold(1_i64, |ways, at| Some(ways.checked_mul(of - at)? / (at + 1)));
                return Ok(ways.map(Object::Int));
            }
            ("factorial", Some([value])) if (0..=20).contains(value) => {
                return Ok(Some(Object::Int((1..=*value).product())));
            }
            _ => {}
        }
        let Some(floats) = floats else { return Ok(None) };
        Ok(Some(match (name, floats.as_slice()) {
            ("isfinite", [value]) => Object::Bool(value.is_finite()),
            ("isnan", [value]) => Object::Bool(value.is_nan()),
            ("isinf", [value]) => Object::Bool(value.is_infinite()),
            ("fabs", [value]) => Object::Float(value.abs()),
            ("copysign", [value, sign]) => Object::Float(value.copysign(*sign)),
            ("sqrt", [value]) if *value < 0.0 => return domain(self),
            ("sqrt", [value]) => Object::Float(value.sqrt()),
            ("log" | "log2" | "log10", [value, ..]) if *value <= 0.0 => return domain(self),
            ("log2", [value]) => Object::Float(value.log2()),
            ("log10", [value]) => Object::Float(value.log10()),
            ("log", [value]) => Object::Float(value.ln()),
            ("exp", [value]) if *value < 700.0 => Object::Float(value.exp()),
            ("pow", [one, other]) => return self.of_power(call, *one, *other).map(Some),
            ("hypot", [one, other]) => Object::Float(one.hypot(*other)),
            ("fmod", [one, other]) if *other != 0.0 => Object::Float(one % other),
            ("isclose", [one, other]) => {
                let tolerance = |name: &str, default: f64| call.named(name).map_or(Some(default), Object::as_float);
                let (Some(relative), Some(absolute)) = (tolerance("rel_tol", 1e-9), tolerance("abs_tol", 0.0)) else {
                    return Ok(None);
                };
                let is_same = one.partial_cmp(other) == Some(std::cmp::Ordering::Equal);
                let far = (one - other).abs();
                let is_near = far.is_finite() && far <= (relative * one.abs().max(other.abs())).max(absolute);
                Object::Bool(is_same || is_near)
            }
            _ => return Ok(None),
        }))
    }

    fn of_power(&self, call: &Call<'_>, one: f64, other: f64) -> Outcome<Object> {
        self.binary(call.frame, call.line, Operator::Power, &Object::Float(one), &Object::Float(other))
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
    fn fold(&mut self, call: &Call<'_>, items: &Object, start: Object, operator: Operator) -> Outcome<Object> {
        let items = match self.iterated(call.frame, call.line, items)? {
            Ok(items) => items,
            Err(why) => return Ok(Object::Unknown(why)),
        };
        if matches!(start, Object::Str(_)) {
            return Err(self.raised(call.frame, call.line, "TypeError", "sum() can't sum strings"));
        }
        items.iter().try_fold(start, |whole, item| {
            heap::spend(4);
            self.binary(call.frame, call.line, operator, &whole, item)
        })
    }

    /// The result of `min` or `max`.
    fn extreme(&mut self, call: &mut Call<'_>) -> Outcome<Object> {
        let items = match call.objects {
            [one] => match self.iterated(call.frame, call.line, one)? {
                Ok(items) => items,
                Err(why) => return Ok(Object::Unknown(why)),
            },
            several => several.to_vec(),
        };
        let keys = match self.keys_of(call, &items)? {
            Ok(keys) => keys,
            Err(why) => return Ok(Object::Unknown(why)),
        };
        let comparison = if call.name == "min" { Comparison::Less } else { Comparison::Greater };
        let mut best: Option<(Object, Object)> = None;
        for (key, item) in keys.into_iter().zip(items) {
            heap::spend(4);
            let is_better = match &best {
                None => true,
                Some((best, _)) => match self.compare(call.frame, call.line, comparison, &key, best)? {
                    Ok(is_better) => is_better,
                    Err(why) => return Ok(Object::Unknown(why)),
                },
            };
            if is_better {
                best = Some((key, item));
            }
        }
        best.map(|(_, item)| item).or_else(|| call.named("default").cloned()).ok_or_else(|| {
            self.raised(call.frame, call.line, "ValueError", format!("{}() iterable argument is empty", call.name))
        })
    }
}

/// An integer that is written in another base; `None` if that is not modelled.
fn based(digits: &str, base: &Object) -> Option<i64> {
    let base = base.as_int().and_then(|base| u32::try_from(base).ok()).filter(|base| matches!(base, 2 | 8 | 10 | 16))?;
    let prefix = match base {
        2 => "0b",
        8 => "0o",
        16 => "0x",
        _ => "",
    };
    let digits = without_marks(&digits.trim().to_ascii_lowercase())?;
    i64::from_str_radix(digits.strip_prefix(prefix).unwrap_or(&digits), base).ok()
}

/// Functions of `math` with integers as results.
const OWN_MATH: [&str; 4] = ["math.floor", "math.ceil", "math.trunc", "math.prod"];

fn gcd(mut one: i64, mut other: i64) -> i64 {
    while other != 0 {
        (one, other) = (other, one.checked_rem(other).unwrap_or(0));
    }
    one.saturating_abs()
}

/// The text of a number without spaces around it and `_` between digits; `None` if `_` is anywhere else.
fn without_marks(text: &str) -> Option<String> {
    let text = text.trim();
    let is_digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let are_between = text.match_indices('_').all(|(at, _)| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)));
    are_between.then(|| text.replace('_', ""))
}

fn is_integer(digits: &str) -> bool {
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// A float, rounded to a number of decimal places, of two equally near ones to the even one; `None` if that is not modelled.
fn rounded(value: f64, places: i64) -> Option<f64> {
    match usize::try_from(places) {
        Ok(0) => Some(value.round_ties_even()),
        Ok(places) if places < 20 && value.is_finite() => format!("{value:.places$}").parse().ok(),
        _ => None,
    }
}

/// The numbers of a `range`; `None` if the arguments are not supported.
pub(super) fn range(objects: &[Object]) -> Option<Object> {
    let numbers: Vec<i64> = objects.iter().map(Object::as_int).collect::<Option<_>>()?;
    let (from, to, step) = match *numbers.as_slice() {
        [to] => (0, to, 1),
        [from, to] => (from, to, 1),
        [from, to, step] if step != 0 => (from, to, step),
        _ => return None,
    };
    // The difference of two integers of 64 bits needs more.
    let (from, to, step) = (i128::from(from), i128::from(to), i128::from(step));
    let length = ((to - from + step - step.signum()) / step).max(0);
    let length = usize::try_from(length).ok().filter(|length| *length <= 10_000 && heap::spend(*length))?;
    let numbers: Option<Vec<Object>> =
        (0..length).map(|at| Some(Object::Int(i64::try_from(from + step * i128::try_from(at).ok()?).ok()?))).collect();
    Some(Object::tuple(numbers?))
}
