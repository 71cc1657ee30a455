//! Python's arithmetic, comparison and text, if they differ from Rust's.

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

/// `//`, which rounds down. Dividing by zero raises an exception that is not caught.
pub(super) fn floor_div(dividend: i128, divisor: i128, path: &'static str) -> Result<i128, Failure> {
    let quotient = dividend.checked_div(divisor).ok_or_else(|| by_zero(path))?;
    let is_between = dividend.wrapping_rem(divisor) != 0 && (dividend < 0) != (divisor < 0);
    Ok(if is_between { quotient.saturating_sub(1) } else { quotient })
}

/// Whether the remainder of `%` is zero. Dividing by zero raises an exception that is not caught.
pub(super) fn divides(divisor: i128, dividend: i128, path: &'static str) -> Result<bool, Failure> {
    dividend.checked_rem(divisor).map(|rest| rest == 0).ok_or_else(|| by_zero(path))
}

fn by_zero(path: &'static str) -> Failure {
    Failure::exception("ZeroDivisionError", format!("`{path}` is 0, but prime-rl divides by it"), &[path])
        .help(format!("set `{path}` to 1 or more"))
}

/// Whether the values at two paths are equal; lists and tables are not compared.
#[allow(clippy::float_cmp)]
pub(super) fn equal(cx: &ValidatorCtx<'_>, one: &'static str, other: &'static str) -> bool {
    match (cx.get(one), cx.get(other)) {
        (Some(one), Some(other)) => match (&one.value, &other.value) {
            (ResolvedValue::Null, ResolvedValue::Null) => true,
            (ResolvedValue::Bool(one), ResolvedValue::Bool(other)) => one == other,
            (ResolvedValue::Int(one), ResolvedValue::Int(other)) => one == other,
            (ResolvedValue::Float(one), ResolvedValue::Float(other)) => one == other,
            (ResolvedValue::Str(one), ResolvedValue::Str(other)) => one == other,
            _ => false,
        },
        (None, None) => true,
        (Some(given), None) | (None, Some(given)) => matches!(given.value, ResolvedValue::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::{divides, floor_div};

    #[test]
    fn division_rounds_down() {
        for (dividend, divisor, quotient) in [(7, 2, 3), (-7, 2, -4), (7, -2, -4), (-8, 2, -4), (0, 5, 0)] {
            assert_eq!(floor_div(dividend, divisor, "x").ok(), Some(quotient));
        }
        assert!(
            floor_div(1, 0, "x")
                .is_err_and(|failure| failure.kind == crate::native::FailureKind::Exception("ZeroDivisionError".into()))
        );
        assert_eq!(divides(2, -4, "x").ok(), Some(true));
    }
}
