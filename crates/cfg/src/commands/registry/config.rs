//! Reads what a registry needs of a config: its text, its metadata and its meaning.

use std::path::Path;

use cfg_check::{Checked, Fragment, Request, Session, Verdict};
use cfg_diag::{Diagnostic, FileId, Severity};
use cfg_plan::Metadata;
use cfg_registry::fingerprint::{Fingerprint, Meaning};
use cfg_resolve::View;
use cfg_schema::{Kind, Target};
use cfg_syntax::{Dialect, Document, ValueKind};

use crate::context::Context;

/// Reads and checks configs for a registry.
pub(in crate::commands) struct Reader {
    pub(super) cx: Context,
    pub(super) session: Session,
    target: Option<Target>,
}

/// The metadata of a config.
pub(super) struct Head {
    pub(super) document: Document,
    pub(super) metadata: Metadata,
    pub(super) model: Option<String>,
}

impl Reader {
    /// A reader with the options of the command line; `None` if they state an unknown target, which is reported.
    pub(in crate::commands) fn new(cx: &Context) -> Option<Self> {
        let target = cx.stated_target().ok()?;
        Some(Self { cx: cx.clone(), session: cx.session(), target })
    }

    /// Reads the metadata of the config at `path`.
    pub(super) fn head(&self, path: &Path, text: &str) -> Head {
        let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
        let (metadata, _) = self.session.metadata(FileId(0), &path.to_string_lossy(), text, &document);
        let model = model_of(&document);
        Head { document, metadata, model }
    }

    /// Applies the settings of a file's project: removes the findings that they ignore, and sets their severities.
    pub(super) fn apply_settings(&self, path: &Path, diagnostics: &mut Vec<Diagnostic>) {
        self.session.projects().apply_lint(path, &[], &[], diagnostics, |_| false);
    }

    /// The fingerprint of a text as the config at `path`, for a prime-rl; `None` if that refuses it.
    pub(super) fn fingerprint_at(&self, path: &Path, text: &str, target: Target) -> Option<Fingerprint> {
        let (path, target) = (path.to_string_lossy(), Some(target));
        let meaning = cfg_check::meaning_of_text(&self.session, &request(&path, text, self.cx.common.kind(), target))?;
        Some(Fingerprint::of_meaning(&meaning))
    }

    /// Whether the project of `path` has a prime-rl of its own, with which a fingerprint may have been computed.
    pub(super) fn has_own_prime_rl(&self, path: &Path) -> bool {
        let target = self.check(path, "").target;
        target.own_checks.is_some() || target.history != self.session.history
    }

    /// Checks a text as the config at `path`.
    pub(super) fn check(&self, path: &Path, text: &str) -> Checked {
        self.check_or_at(path, text, None)
    }

    /// As [`Self::check`]; if no target is stated, for `otherwise`.
    pub(super) fn check_or_at(&self, path: &Path, text: &str, otherwise: Option<&Target>) -> Checked {
        let path = path.to_string_lossy();
        let request = request(&path, text, self.cx.common.kind(), self.target.clone());
        cfg_check::check(&self.session, Request { otherwise: otherwise.cloned(), ..request })
    }

    /// The result for a config that only overrides others, together with these; `None` if it does not.
    pub(super) fn completed(&self, path: &Path, text: &str, alone: &Checked) -> Option<Checked> {
        let path = path.to_string_lossy();
        if self.cx.common.states_kind() || !alone.is_part() || cfg_check::states_kind(&self.session, &path, text) {
            return None;
        }
        let target = self.target.as_ref();
        let part = Fragment { session: &self.session, system: &*self.cx.system, path: &path, text, target, project: None };
        Some(cfg_check::completed_by(part, alone)?.command.checked)
    }

    /// The meaning of a checked config; `None` if prime-rl refuses it.
    pub(super) fn meaning(checked: &Checked) -> Option<Meaning> {
        if checked.verdict == Verdict::Rejected || checked.diagnostics.iter().any(is_unreadable) {
            return None;
        }
        let schema = checked.target.schema(checked.kind?);
        Some(Meaning::new(&View::new(schema, checked.resolved.as_ref()?)))
    }

    /// The text with its metadata moved into the metadata block, so that prime-rl accepts it.
    pub(super) fn converted(&self, path: &Path, text: &str) -> String {
        let head = self.head(path, text);
        let fix = head.metadata.into_block(FileId(0), text, &head.document);
        fix.and_then(|fix| cfg_check::apply(text, &fix.edits)).unwrap_or_else(|| text.to_owned())
    }

    /// The fingerprint of a checked config.
    pub(super) fn fingerprint_of(checked: &Checked) -> Option<Fingerprint> {
        Self::meaning(checked).map(|meaning| Fingerprint::of_meaning(&meaning))
    }

    /// The fingerprint of a text as the config at `path`; if no target is stated, for `otherwise`.
    pub(super) fn fingerprint(&self, path: &Path, text: &str, otherwise: Option<&Target>) -> Option<Fingerprint> {
        Self::fingerprint_of(&self.check_or_at(path, &self.converted(path, text), otherwise))
    }
}

/// The request to check a text as the config at `path`.
fn request<'a>(path: &'a str, text: &'a str, kind: Option<Kind>, target: Option<Target>) -> Request<'a> {
    Request { kind, target, ..Request::new(path, text) }
}

/// Whether a finding states that a text is not TOML.
fn is_unreadable(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && diagnostic.code.code < "PRL010"
}

/// The model that a config trains, read from its text without resolution.
fn model_of(document: &Document) -> Option<String> {
    let named = |table: &cfg_syntax::Table| match &table.get("model")?.value.kind {
        ValueKind::Table(model) => match &model.get("name")?.value.kind {
            ValueKind::String(name) => Some(name.to_string()),
            _ => None,
        },
        _ => None,
    };
    let of_trainer = || match &document.root.get("trainer")?.value.kind {
        ValueKind::Table(trainer) => named(trainer),
        _ => None,
    };
    named(&document.root).or_else(of_trainer)
}
