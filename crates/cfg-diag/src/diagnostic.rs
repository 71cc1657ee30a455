//! One finding: what is wrong, where, why, and what to write instead.

use std::borrow::Cow;

use crate::{Code, Edit, Fix, Location};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; nothing needs to change.
    Info,
    /// The run starts, but likely not as meant.
    Warning,
    /// The run does not start, or can't end well.
    Error,
}

/// One step of the place where prime-rl locates an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LocPart {
    /// A key, the tag of a variant, or the label of a union's member.
    Key(String),
    /// The index of an array's item.
    Index(usize),
}

/// What prime-rl itself says of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Its error type: `extra_forbidden`, `int_parsing`, ..., or an exception's name where it ends in one.
    pub kind: Cow<'static, str>,
    /// Its location, from the root of the config.
    pub loc: Vec<LocPart>,
    /// The function of prime-rl that raises it, for its own checks.
    pub check: Option<Cow<'static, str>>,
    /// Whether prime-rl stops at an earlier error and so does not say this one yet.
    pub masked: bool,
}

/// A second place that has a part in the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub location: Location,
    /// Its part, in a few words.
    pub message: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its entry in the table of codes.
    pub code: Code,
    /// How bad it is here.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The dotted key that it is about, from the root of the config.
    pub key: Option<String>,
    /// The place to look at first.
    pub location: Option<Location>,
    /// A few words to be at that place; the message where there are none.
    pub label: Option<String>,
    /// Further places, such as the other end of a contradiction.
    pub related: Vec<Related>,
    /// What prime-rl says of it, where prime-rl says anything.
    pub native: Option<Native>,
    /// A repair.
    pub fix: Option<Fix>,
    /// Further repairs, of which any could be made in place of that one.
    pub other_fixes: Vec<Fix>,
    /// What to write instead, or how to find out.
    pub help: Option<String>,
    /// Whether an earlier finding tells the same fault: prime-rl reports some faults at several locations. Programs get all of them,
    /// people one.
    pub is_echo: bool,
    /// Findings that this one explains; they are counted, not shown one by one.
    pub folded: Vec<Diagnostic>,
}

impl Diagnostic {
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
            help: None,
            is_echo: false,
            folded: Vec::new(),
        }
    }

    /// Puts it at a place.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Says which dotted key it is about.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the words at its place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, location: Location, message: impl Into<String>) -> Self {
        self.related.push(Related { location, message: message.into() });
        self
    }

    /// Says what prime-rl says of it.
    #[must_use]
    pub fn native(mut self, kind: impl Into<Cow<'static, str>>, loc: Vec<LocPart>) -> Self {
        self.native = Some(Native { kind: kind.into(), loc, check: None, masked: false });
        self
    }

    /// Adds a repair of a single edit.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, applicability: crate::Applicability, edit: Edit) -> Self {
        self.fix = Some(Fix { title: title.into(), applicability, edits: vec![edit] });
        self
    }
}
