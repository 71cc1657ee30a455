//! What a check is asked.

use cfg_diag::{Diagnostic, FileId};
use cfg_rules::Project;
use cfg_schema::{Kind, Target};

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
    /// The settings of the config's project, for rules.
    pub project: Option<&'a Project>,
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
            project: None,
        }
    }
}
