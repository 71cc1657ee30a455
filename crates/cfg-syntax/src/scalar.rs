//! Bare values: booleans, numbers, dates.

use crate::number::{self, Number};
use crate::{Dialect, ValueKind, datetime};

/// The kinds of a bare value.
pub(crate) enum Scalar {
    Value(ValueKind),
    /// A time without seconds, which the dialect does not allow.
    ShortTime(ValueKind),
    /// An integer with too many digits for Python.
    TooLong,
    /// Not a TOML value.
    Unknown,
}

/// Reads a bare value.
pub(crate) fn read(text: &str, dialect: Dialect) -> Scalar {
    match text {
        "true" => return Scalar::Value(ValueKind::Boolean(true)),
        "false" => return Scalar::Value(ValueKind::Boolean(false)),
        _ => {}
    }
    match number::read(text) {
        Number::Value(value) => return Scalar::Value(value),
        Number::TooLong => return Scalar::TooLong,
        Number::No => {}
    }
    match datetime::read(text) {
        Some(read) if read.short && dialect == Dialect::Toml10 => Scalar::ShortTime(ValueKind::Datetime(read.datetime)),
        Some(read) => Scalar::Value(ValueKind::Datetime(read.datetime)),
        None => Scalar::Unknown,
    }
}
