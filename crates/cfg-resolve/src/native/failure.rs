//! Why a check refuses a table.

use std::borrow::Cow;

/// A refusal.
pub(crate) struct Failure {
    /// `value_error`, `assertion_error`, the error of a field, or the name of an exception that nothing catches; empty where an installed
    /// package decides.
    pub(crate) kind: Cow<'static, str>,
    /// What is wrong, in one sentence without a full stop.
    pub(crate) message: String,
    /// The paths of the values that contradict each other, seen from the table (`env[0].id`); the one to look at first comes first.
    pub(crate) ends: Vec<Cow<'static, str>>,
    /// What to write instead.
    pub(crate) help: Option<String>,
    /// The field whose error it is, where a check makes a table of its own and that refuses a value; empty otherwise.
    pub(crate) field: &'static str,
}

impl Failure {
    /// A `value_error`.
    pub(crate) fn value(message: impl Into<String>, ends: &[&'static str]) -> Self {
        let ends = ends.iter().copied().map(Cow::Borrowed).collect();
        Self { kind: "value_error".into(), message: message.into(), ends, help: None, field: "" }
    }

    /// An `assertion_error`.
    pub(crate) fn assertion(message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind: "assertion_error".into(), ..Self::value(message, ends) }
    }

    /// An exception that nothing catches.
    pub(crate) fn exception(kind: &'static str, message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind: kind.into(), ..Self::value(message, ends) }
    }

    /// No refusal by what the config says: an installed package decides, as `message` says.
    pub(crate) fn left_open(message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind: "".into(), ..Self::value(message, ends) }
    }

    /// A field's error in a table that the check makes.
    pub(crate) fn of_field(kind: &'static str, field: &'static str, message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind: kind.into(), field, ..Self::value(message, ends) }
    }

    /// Says what to write instead.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
