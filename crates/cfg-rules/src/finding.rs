//! What a rule returns.

use cfg_diag::{Applicability, Code, Diagnostic, Location, Severity, codes};
use cfg_plan::Fact;
use cfg_syntax::rewrite::{Change, Literal};

/// A finding of a rule. It gets its code from the rule.
#[derive(Clone, Debug)]
pub struct Finding {
    diagnostic: Diagnostic,
    /// Set if this finding has another severity than the rule's usual one.
    severity: Option<Severity>,
    repair: Option<Repair>,
}

/// A proposed change of a config, in terms of its keys.
#[derive(Clone, Debug)]
pub struct Repair {
    /// What it does, in imperative form: "set `max_tokens` to 2000".
    pub title: String,
    /// Whether it is safe.
    pub applicability: Applicability,
    /// The changes, in the order in which they are made. All of them, or none.
    pub changes: Vec<Change>,
}

impl Finding {
    /// A finding with this message: one sentence without a full stop.
    pub fn new(message: impl Into<String>) -> Self {
        // The runner fills the code in.
        Self { diagnostic: Diagnostic::new(&codes::INVALID_TOML, message), severity: None, repair: None }
    }

    /// Sets the value that it is about: its key, and the place where it is written. If the value is not written, as for a default, the first
    /// related place becomes its place.
    #[must_use]
    pub fn on<T>(self, fact: &Fact<T>) -> Self {
        self.key(fact.written_key().to_string()).at_place(fact.location())
    }

    /// Sets the dotted key that it is about.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.key(key);
        self
    }

    /// Places it at a location.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.diagnostic = self.diagnostic.at(location);
        self
    }

    /// Places it at a location, if there is one: what is not written has none.
    #[must_use]
    pub fn at_place(self, location: Option<Location>) -> Self {
        match location {
            Some(location) => self.at(location),
            None => self,
        }
    }

    /// Sets a short label for its place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.label(label);
        self
    }

    /// Shows a second value, with a short label. One that is not written is not shown: the message has to contain it.
    #[must_use]
    pub fn with<T>(self, fact: &Fact<T>, message: impl Into<String>) -> Self {
        match fact.location() {
            Some(location) => self.related(location, message),
            None => self,
        }
    }

    /// Shows a second place, with a short label.
    #[must_use]
    pub fn related(mut self, location: Location, message: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.related(location, message);
        self
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.help(help);
        self
    }

    /// Sets a severity other than the rule's usual one.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Offers a repair.
    #[must_use]
    pub fn repair(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }

    pub(crate) fn finish(self, code: Code) -> (Diagnostic, Option<Repair>) {
        let severity = self.severity.unwrap_or(code.severity);
        let mut diagnostic = Diagnostic { code, severity, ..self.diagnostic };
        if diagnostic.location.is_none() && !diagnostic.related.is_empty() {
            let first = diagnostic.related.remove(0);
            diagnostic.location = Some(first.location);
            diagnostic.label = diagnostic.label.or(Some(first.message));
        }
        (diagnostic, self.repair)
    }
}

impl Repair {
    /// A repair that is certainly what the user meant, or what prime-rl already does.
    pub fn safe(title: impl Into<String>) -> Self {
        Self { title: title.into(), applicability: Applicability::Safe, changes: Vec::new() }
    }

    /// A repair that is probable, but changes what the config means.
    pub fn possible(title: impl Into<String>) -> Self {
        Self { title: title.into(), applicability: Applicability::Unsafe, changes: Vec::new() }
    }

    /// Sets a key to a value, whether it exists or not.
    #[must_use]
    pub fn set(self, key: &impl ToString, value: impl Into<Literal>) -> Self {
        self.change(Change::set(&key.to_string(), value))
    }

    /// Removes a key.
    #[must_use]
    pub fn remove(self, key: &impl ToString) -> Self {
        self.change(Change::remove(&key.to_string()))
    }

    /// Moves a key to another place, with its value.
    #[must_use]
    pub fn relocate(self, from: &impl ToString, to: &impl ToString) -> Self {
        self.change(Change::relocate(&from.to_string(), &to.to_string()))
    }

    /// Adds a change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }
}
