//! One finding: what is wrong, where, why, and what to write instead.

use std::borrow::Cow;

use crate::{Code, Edit, Fix, Location, Proposal, codes};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Useful to know; nothing needs to change.
    Info,
    /// The run starts, but probably not as intended.
    Warning,
    /// The run does not start, or can't succeed.
    Error,
}

/// prime-rl's own answer to a config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It accepts it.
    Ok,
    /// It refuses to start with it.
    Rejected,
    /// It depends on something that the config leaves open: an installed package, a changed check, the config that this one overrides.
    Depends,
}

/// One step of prime-rl's location of an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LocPart {
    /// A key, the tag of a variant, or the label of a union's member.
    Key(String),
    /// The index of an array's item.
    Index(usize),
}

/// prime-rl's own error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Its error type: `extra_forbidden`, `int_parsing`, ..., or the name of an exception that ends it.
    pub kind: Cow<'static, str>,
    /// Its location, from the root of the config.
    pub loc: Vec<LocPart>,
    /// The function of prime-rl that raises it, for its own checks.
    pub check: Option<Cow<'static, str>>,
    /// Whether prime-rl stops at an earlier error and does not report this one yet.
    pub masked: bool,
}

/// A second place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub location: Location,
    /// Its role, in a few words.
    pub message: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its entry in the table of codes.
    pub code: Code,
    /// Its severity here.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The dotted key, from the root of the config.
    pub key: Option<String>,
    /// The main place.
    pub location: Option<Location>,
    /// A short label for that place; without one, the message is used.
    pub label: Option<String>,
    /// Further places, such as the other value of a contradiction.
    pub related: Vec<Related>,
    /// prime-rl's own error, if it has one.
    pub native: Option<Native>,
    /// A fix.
    pub fix: Option<Fix>,
    /// Further fixes, of which any could be applied instead.
    pub other_fixes: Vec<Fix>,
    /// Repairs in terms of keys, the most probable first. Whoever has the text turns those that improve it into fixes.
    pub proposals: Vec<Proposal>,
    /// What may be written at its place: the values of a choice, or the keys that are meant; empty if that is not a list.
    pub choices: Vec<String>,
    /// What to write instead, or how to find the answer.
    pub help: Option<String>,
    /// Whether an earlier finding reports the same error: prime-rl reports some errors at several locations. Programs get all of them, people only
    /// one.
    pub is_echo: bool,
    /// Findings that this one explains; they are counted, but not shown one by one.
    pub folded: Vec<Diagnostic>,
}

impl Diagnostic {
    /// Whether prime-rl refuses the config for it, in the first layer of its errors.
    pub fn is_refusal(&self) -> bool {
        self.native.as_ref().is_some_and(|native| !native.masked)
    }

    /// Whether it leaves open whether prime-rl accepts the config.
    pub fn is_open(&self) -> bool {
        self.code == &codes::CHANGED_CHECK || self.code == &codes::PLUGIN_DECIDES
    }

    /// A finding of the code's usual severity, without a place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            message: message.into(),
            key: None,
            location: None,
            label: None,
            related: Vec::new(),
            native: None,
            fix: None,
            other_fixes: Vec::new(),
            proposals: Vec::new(),
            choices: Vec::new(),
            help: None,
            is_echo: false,
            folded: Vec::new(),
        }
    }

    /// Places it at a location.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Sets its dotted key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the label of its place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a repair in terms of keys, less probable than those before it.
    #[must_use]
    pub fn propose(mut self, proposal: Proposal) -> Self {
        self.proposals.push(proposal);
        self
    }

    /// Sets what may be written at its place.
    #[must_use]
    pub fn choices<'c>(mut self, choices: impl IntoIterator<Item = &'c str>) -> Self {
        self.choices = choices.into_iter().map(str::to_owned).collect();
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, location: Location, message: impl Into<String>) -> Self {
        self.related.push(Related { location, message: message.into() });
        self
    }

    /// Sets prime-rl's own error.
    #[must_use]
    pub fn native(mut self, kind: impl Into<Cow<'static, str>>, loc: Vec<LocPart>) -> Self {
        self.native = Some(Native { kind: kind.into(), loc, check: None, masked: false });
        self
    }

    /// Adds a fix that gives the key at a place another name.
    #[must_use]
    pub fn rename(mut self, name: &str, applicability: crate::Applicability, key: Location) -> Self {
        self.fix = Some(Fix::rename(name, applicability, key));
        self
    }

    /// Adds a fix with a single edit.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, applicability: crate::Applicability, edit: Edit) -> Self {
        self.fix = Some(Fix::new(title, applicability, vec![edit]));
        self
    }
}
