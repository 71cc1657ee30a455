//! The refusal of a check.

use std::borrow::Cow;

/// The kind of error that a refusal is in prime-rl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// A validation error, by pydantic's name: `value_error`, `assertion_error`, or the error of a field.
    Error(&'static str),
    /// An exception that is not caught, by its name.
    Exception(Cow<'static, str>),
    /// Not a refusal: an installed package decides.
    LeftOpen,
}

impl FailureKind {
    /// The name of the error or the exception; empty if a package decides.
    pub(crate) fn name(self) -> Cow<'static, str> {
        match self {
            Self::Error(name) => name.into(),
            Self::Exception(name) => name,
            Self::LeftOpen => "".into(),
        }
    }

    /// Whether prime-rl fails with an exception that is not a validation error.
    pub(crate) const fn is_exception(&self) -> bool {
        matches!(self, Self::Exception(_))
    }
}

/// A refusal.
pub(crate) struct Failure {
    /// The kind of error in prime-rl.
    pub(crate) kind: FailureKind,
    /// The error, in one sentence without a full stop.
    pub(crate) message: String,
    /// The paths of the contradicting values, relative to the table (`env[0].id`); the most relevant one comes first.
    pub(crate) related_keys: Vec<Cow<'static, str>>,
    /// What to write instead.
    pub(crate) help: Option<String>,
    /// The field that is refused, if a check builds a table and that table refuses the value; otherwise empty.
    pub(crate) field: &'static str,
}

impl Failure {
    /// A `value_error`.
    pub(crate) fn value(message: impl Into<String>, related_keys: &[&'static str]) -> Self {
        let related_keys = related_keys.iter().copied().map(Cow::Borrowed).collect();
        Self { kind: FailureKind::Error("value_error"), message: message.into(), related_keys, help: None, field: "" }
    }

    /// An `assertion_error`.
    pub(crate) fn assertion(message: impl Into<String>, related_keys: &[&'static str]) -> Self {
        Self { kind: FailureKind::Error("assertion_error"), ..Self::value(message, related_keys) }
    }

    /// An exception that is not caught.
    pub(crate) fn exception(kind: &'static str, message: impl Into<String>, related_keys: &[&'static str]) -> Self {
        Self { kind: FailureKind::Exception(kind.into()), ..Self::value(message, related_keys) }
    }

    /// Not a refusal: an installed package decides. `message` says what it decides.
    pub(crate) fn left_open(message: impl Into<String>, related_keys: &[&'static str]) -> Self {
        Self { kind: FailureKind::LeftOpen, ..Self::value(message, related_keys) }
    }

    /// The error of a field in a table that the check builds.
    pub(crate) fn of_field(
        kind: &'static str,
        field: &'static str,
        message: impl Into<String>,
        related_keys: &[&'static str],
    ) -> Self {
        Self { kind: FailureKind::Error(kind), field, ..Self::value(message, related_keys) }
    }

    /// Adds what to write instead.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
