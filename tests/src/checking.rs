//! Checking a text in one line, and findings in a form that a failing test shows well.

use cfg_check::{Checked, Request, Session, check};
use cfg_diag::{Diagnostic, FileId, LineIndex, Location, PositionEncoding};
use cfg_schema::{Kind, Target};

/// A config of ours for `rl` at 0.4.0 in which nothing is wrong.
pub const CLEAN: &str = include_str!("../fixtures/clean.toml");

/// One session for many checks of one target.
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

    /// Takes every text for a config of this kind.
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

    /// The whole way from text to findings.
    pub fn check(&self, text: &str) -> Checked {
        let request = Request {
            file: FileId(0),
            path: &self.path,
            named: true,
            text,
            encoding: Vec::new(),
            kind: self.kind,
            target: Some(self.target.clone()),
            otherwise: None,
            project: None,
        };
        check(&self.session, request)
    }

    /// What is found in an example of several files, of which the first has this name.
    pub fn check_split(&self, path: &str, text: &str) -> Vec<Diagnostic> {
        crate::check_split(&self.session, path, &self.target, text)
    }

    /// What is found in a text, in its order.
    pub fn found(&self, text: &str) -> Vec<Found> {
        self.check(text).diagnostics.iter().map(|diagnostic| Found::new(text, diagnostic)).collect()
    }
}

/// A finding, as far as tests compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its code: `PRL101`.
    pub code: &'static str,
    /// Its line and column, in characters, from 1; `None` if it has no place.
    pub at: Option<(u32, u32)>,
    /// The text that it points at.
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

/// Where a location begins: line and column, in characters, from 1.
pub fn position(text: &str, location: Location) -> (u32, u32) {
    let start = LineIndex::new(text).line_column(text, location.span.start, PositionEncoding::Utf32);
    (start.line + 1, start.column + 1)
}

/// A finding with all that are folded under it.
pub fn spread(diagnostic: &Diagnostic) -> Vec<&Diagnostic> {
    std::iter::once(diagnostic).chain(diagnostic.folded.iter().flat_map(spread)).collect()
}
