//! What a rule hands back.

use cfg_diag::{Applicability, Code, Diagnostic, Location, Severity, codes};
use cfg_plan::Fact;
use cfg_syntax::rewrite::{Change, Literal};

/// What a rule has found. It gets its code from the rule.
#[derive(Clone, Debug)]
pub struct Finding {
    diagnostic: Diagnostic,
    /// Set where the rule judges this one differently from its usual severity.
    severity: Option<Severity>,
    repair: Option<Repair>,
}

/// What should change in a config, in terms of its keys.
#[derive(Clone, Debug)]
pub struct Repair {
    /// What it does, as an order: "set `max_tokens` to 2000".
    pub title: String,
    /// How sure it is.
    pub applicability: Applicability,
    /// The changes, in the order in which they are made. All of them, or none.
    pub changes: Vec<Change>,
}

impl Finding {
    /// What is wrong, in one sentence without a full stop.
    pub fn new(message: impl Into<String>) -> Self {
        // The code is put in when the rule has run.
        Self { diagnostic: Diagnostic::new(&codes::INVALID_TOML, message), severity: None, repair: None }
    }

    /// Says what it is about: names the key, and puts it where the value is written. Where the value is written nowhere, as a default is
    /// not, the first related place becomes its own.
    #[must_use]
    pub fn on<T>(self, fact: &Fact<T>) -> Self {
        let finding = self.key(fact.written_key().to_string());
        match fact.location() {
            Some(location) => finding.at(location),
            None => finding,
        }
    }

    /// Names the dotted key that it is about.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.key(key);
        self
    }

    /// Puts it at a place.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.diagnostic = self.diagnostic.at(location);
        self
    }

    /// Sets a few words to be at its place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.label(label);
        self
    }

    /// Shows the other end, with a few words. One that is written nowhere is not shown: the message has to tell it.
    #[must_use]
    pub fn with<T>(self, fact: &Fact<T>, message: impl Into<String>) -> Self {
        match fact.location() {
            Some(location) => self.related(location, message),
            None => self,
        }
    }

    /// Shows a second place, with a few words.
    #[must_use]
    pub fn related(mut self, location: Location, message: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.related(location, message);
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.help(help);
        self
    }

    /// Judges this one differently from the rule's usual severity.
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
    /// A repair that means what the author meant, or what prime-rl does already.
    pub fn safe(title: impl Into<String>) -> Self {
        Self { title: title.into(), applicability: Applicability::Safe, changes: Vec::new() }
    }

    /// A repair that is likely, but changes what the config means.
    pub fn possible(title: impl Into<String>) -> Self {
        Self { title: title.into(), applicability: Applicability::Unsafe, changes: Vec::new() }
    }

    /// Gives a key a value, whether it has one or not.
    #[must_use]
    pub fn set(self, key: &impl ToString, value: impl Into<Literal>) -> Self {
        self.change(Change::set(&key.to_string(), value))
    }

    /// Takes a key out.
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
