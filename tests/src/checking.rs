//! Checks a text in one line, and gives findings in a form that is readable in a failing test.

use cfg_check::{Checked, Request, Session, check};
use cfg_diag::{Diagnostic, LineIndex, Location, PositionEncoding};
use cfg_schema::{Kind, Target};

/// An `rl` config without findings at 0.4.0.
pub const CLEAN: &str = include_str!("../fixtures/clean.toml");

/// A session for many checks with one target.
pub struct Checking {
    session: Session,
    target: Target,
    kind: Option<Kind>,
    path: String,
}

impl Checking {
    /// Checks for a release, commit, date or `main`; the kind follows from the content.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn for_target(target: &str) -> Self {
        let session = Session::default();
        let target = Target::parse(session.history, target).expect("the target is known");
        Self { session, target, kind: None, path: "config.toml".to_owned() }
    }

    /// Treats every text as a config of this kind.
    #[must_use]
    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Treats every text as a file of this name, which may determine its kind.
    #[must_use]
    pub fn named(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// All steps from the text to the findings.
    pub fn check(&self, text: &str) -> Checked {
        let request = Request { kind: self.kind, target: Some(self.target.clone()), ..Request::new(&self.path, text) };
        check(&self.session, request)
    }

    /// The findings in an example with several files, the first of which has this name.
    pub fn check_split(&self, path: &str, text: &str) -> Vec<Diagnostic> {
        crate::check_split(&self.session, path, &self.target, text)
    }

    /// The findings in a text, in its order.
    pub fn found(&self, text: &str) -> Vec<Found> {
        self.check(text).diagnostics.iter().map(|diagnostic| Found::new(text, diagnostic)).collect()
    }
}

/// The parts of a finding that tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its code: `PRL101`.
    pub code: &'static str,
    /// Its line and column, counted in characters from 1; `None` if it has no place.
    pub at: Option<(u32, u32)>,
    /// The text at its place.
    pub text: String,
}

impl Found {
    fn new(text: &str, diagnostic: &Diagnostic) -> Self {
        let range = diagnostic.location.map(|location| location.span.range());
        Self {
            code: diagnostic.code.code,
            at: diagnostic.location.map(|location| position(text, location)),
            text: range.map(|range| text[range].to_owned()).unwrap_or_default(),
        }
    }

    /// A finding that a test expects: code, line, column, and the text there.
    pub fn expected(code: &'static str, at: (u32, u32), text: &str) -> Self {
        Self { code, at: Some(at), text: text.to_owned() }
    }
}

/// The line and column of a location's start, counted in characters from 1.
pub fn position(text: &str, location: Location) -> (u32, u32) {
    let start = LineIndex::new(text).line_column(text, location.span.start, PositionEncoding::Utf32);
    (start.line + 1, start.column + 1)
}

/// A finding and all findings that are folded below it.
pub fn spread(diagnostic: &Diagnostic) -> Vec<&Diagnostic> {
    std::iter::once(diagnostic).chain(diagnostic.folded.iter().flat_map(spread)).collect()
}
