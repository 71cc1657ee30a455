//! What a check is asked.

use cfg_diag::{Diagnostic, FileId, Severity};
use cfg_rules::Project;
use cfg_schema::{Kind, Target};

use crate::{Certainty, Checked};

/// The input of a check.
pub struct Request<'a> {
    /// The file of the diagnostics.
    pub file: FileId,
    /// Its path, as the user wrote it: it may show the kind.
    pub path: &'a str,
    /// Whether the user named it, instead of a search in a folder: then it is treated as a config if it can be one.
    pub named: bool,
    /// Its text.
    pub text: &'a str,
    /// Errors in its bytes.
    pub encoding: Vec<Diagnostic>,
    /// The kind, if the user states it.
    pub kind: Option<Kind>,
    /// The script of the project that reads it, if the user states one that is no entrypoint of prime-rl.
    pub script: Option<&'a str>,
    /// The target, if the user states it.
    pub target: Option<Target>,
    /// The target if neither the user nor the file nor the project around it states one.
    pub otherwise: Option<Target>,
    /// The target that the check of an earlier form of the text has settled on, if nothing states one: then none is inferred from this text.
    pub held: Option<&'a Held>,
    /// The settings of the config's project, for rules.
    pub project: Option<&'a Project>,
    /// The severity from which on findings of rules get fixes. Only what nobody reads is left out with it.
    pub fixes_from: Severity,
    /// Whether only the codes and keys of the findings, the verdict and the values are wanted, as for a text in which a fix is tried: then findings have no
    /// fixes, and their help may be shorter.
    pub is_trial: bool,
}

impl<'a> Request<'a> {
    /// A text at a path that the user named, of which nothing else is stated.
    pub const fn new(path: &'a str, text: &'a str) -> Self {
        Self {
            file: FileId(0),
            path,
            named: true,
            text,
            encoding: Vec::new(),
            kind: None,
            script: None,
            target: None,
            otherwise: None,
            held: None,
            project: None,
            fixes_from: Severity::Info,
            is_trial: false,
        }
    }
}

/// A target that nothing states, and the reason for it.
#[derive(Clone)]
pub struct Held {
    pub(crate) target: Target,
    pub(crate) certainty: Certainty,
}

impl Held {
    /// The target of a checked text, for the check of the text with a few edits: what its keys show does not change with each of them. `None` if it is
    /// stated or unknown, and found again as it is.
    pub fn of(checked: &Checked) -> Option<Self> {
        let is_of_prime_rl = checked.kind.is_some_and(|kind| !kind.is_hosted());
        (is_of_prime_rl && checked.is_assumed())
            .then(|| Self { target: checked.target.clone(), certainty: checked.certainty.clone() })
    }
}
