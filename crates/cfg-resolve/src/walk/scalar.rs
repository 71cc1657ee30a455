//! Values that are neither tables nor arrays.

use cfg_compose::{Integer, Node, Value};
use cfg_schema::{Bounds, FieldType, TypeKind};

use super::{Outcome, Walker};
use crate::{ResolvedValue, coerce};

impl Walker<'_> {
    pub(super) fn scalar(&mut self, mut raw: Node, ty: FieldType) -> Outcome {
        let value = &mut raw.value;
        let coerced = match ty.kind() {
            TypeKind::Int => coerce::int(value).map(|(integer, exactness)| (ResolvedValue::Int(integer), exactness)),
            TypeKind::Float => coerce::float(value).map(|(float, exactness)| (ResolvedValue::Float(float), exactness)),
            TypeKind::Bool => coerce::boolean(value).map(|(boolean, exactness)| (ResolvedValue::Bool(boolean), exactness)),
            TypeKind::Path => coerce::path(value).map(|(path, exactness)| (ResolvedValue::Str(path), exactness)),
            TypeKind::Literal if !value.as_str().is_some_and(|text| ty.literals().any(|literal| literal == text)) => {
                Err("literal_error")
            }
            _ => coerce::string(value).map(|(text, exactness)| (ResolvedValue::Str(text), exactness)),
        };
        let (value, exactness) = match coerced {
            Ok(outcome) => outcome,
            Err(kind) => return self.wrong(kind, &raw, ty),
        };
        if !ty.is_bounded() {
            return Outcome::new(value, raw.origin, exactness);
        }
        let bounds = ty.bounds();
        let number = match &value {
            ResolvedValue::Int(integer) => Some(coerce::as_double(integer)),
            ResolvedValue::Float(float) => Some(*float),
            _ => None,
        };
        if let Some(kind) = number.and_then(|number| broken_bound(number, bounds)) {
            self.out_of_range(kind, &raw, bounds);
            return Outcome::invalid(raw.origin);
        }
        if let (ResolvedValue::Str(text), Some(least)) = (&value, bounds.min_length) {
            let length = text.chars().count();
            if length < least {
                self.too_short("string_too_short", raw.origin, length, least);
                return Outcome::invalid(raw.origin);
            }
        }
        Outcome::new(value, raw.origin, exactness)
    }
}

/// A scalar of exactly the required type and within its bounds, which is taken from the raw value; `None` if that needs a conversion, or if only
/// [`Walker::value`] can tell.
pub(super) fn of_its_type(value: &mut Value, ty: FieldType) -> Option<ResolvedValue> {
    if ty.functions().len() > 0 {
        return None;
    }
    match (value, ty.kind()) {
        (Value::Bool(boolean), TypeKind::Bool) => Some(ResolvedValue::Bool(*boolean)),
        (Value::Int(Integer::Small(small)), TypeKind::Int) => {
            is_within(coerce::as_double(&Integer::Small(*small)), ty).then_some(ResolvedValue::Int(Integer::Small(*small)))
        }
        (Value::Float(float), TypeKind::Float) => is_within(*float, ty).then_some(ResolvedValue::Float(*float)),
        (Value::Str(text), TypeKind::Str) if !ty.is_bounded() => Some(ResolvedValue::Str(std::mem::take(text))),
        (Value::Str(text), TypeKind::Literal) if ty.literals().any(|literal| *literal == **text) => {
            Some(ResolvedValue::Str(std::mem::take(text)))
        }
        _ => None,
    }
}

/// Whether a number is within the bounds of a type.
pub(super) fn is_within(number: f64, ty: FieldType) -> bool {
    !ty.is_bounded() || broken_bound(number, ty.bounds()).is_none()
}

/// The first limit that a number violates, in pydantic's order. NaN violates every limit.
fn broken_bound(number: f64, bounds: Bounds) -> Option<&'static str> {
    let breaks = |limit: Option<f64>, holds: fn(&f64, &f64) -> bool| limit.is_some_and(|limit| !holds(&number, &limit));
    if bounds.finite && !number.is_finite() {
        Some("finite_number")
    } else if breaks(bounds.le, f64::le) {
        Some("less_than_equal")
    } else if breaks(bounds.lt, f64::lt) {
        Some("less_than")
    } else if breaks(bounds.ge, f64::ge) {
        Some("greater_than_equal")
    } else if breaks(bounds.gt, f64::gt) {
        Some("greater_than")
    } else {
        None
    }
}
