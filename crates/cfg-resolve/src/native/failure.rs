//! Why a check refuses a table.

/// A refusal.
pub(crate) struct Failure {
    /// `value_error`, `assertion_error`, or the name of an exception that nothing catches.
    pub(crate) kind: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub(crate) message: String,
    /// The paths of the values that contradict each other, seen from the table; the one to look at first comes first.
    pub(crate) ends: Vec<&'static str>,
    /// What to write instead.
    pub(crate) help: Option<String>,
}

impl Failure {
    /// A `value_error`.
    pub(crate) fn value(message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind: "value_error", message: message.into(), ends: ends.to_vec(), help: None }
    }

    /// An `assertion_error`.
    pub(crate) fn assertion(message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind: "assertion_error", ..Self::value(message, ends) }
    }

    /// An exception that nothing catches.
    pub(crate) fn exception(kind: &'static str, message: impl Into<String>, ends: &[&'static str]) -> Self {
        Self { kind, ..Self::value(message, ends) }
    }

    /// Says what to write instead.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
