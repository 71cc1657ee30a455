//! What all checks share.

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_diag::{Diagnostic, FileId, codes};
use cfg_dialect::Declared;
use cfg_plan::{Located, Metadata};
use cfg_project::Projects;
use cfg_registry::around::Registries;
use cfg_resolve::Names;
use cfg_schema::{History, Kind, OwnChecks, Packages, Point, Schema};
use cfg_syntax::Document;
use cfg_system::MemorySystem;

use crate::{dialect::Schemas, hosted, identity::neighbours::Neighbourhoods};

/// What all checks share: the projects and registries around the configs, the history, and cached results. Threads can share it.
pub struct Session {
    /// The history in which targets are looked up.
    pub history: History,
    projects: Arc<Projects>,
    /// The registries around the configs, if their findings are wanted.
    pub(crate) registries: Option<Arc<Registries>>,
    /// Whether files of verifiers' own evaluations are treated as unknown files.
    pub(crate) prime_rl_only: bool,
    /// The folder of relative paths, for determining a config's kind from its path; empty if unknown.
    here: String,
    names: Mutex<HashMap<(History, Kind, Point), Names>>,
    schemas: Mutex<Schemas>,
    /// The configs of folders, which say something about each other.
    pub(crate) neighbourhoods: Neighbourhoods,
    /// The kinds of configs that could be the base of others, by a number for the file, its text and the target; `None` for one that could not.
    pub(crate) complete: Mutex<HashMap<u64, Option<Kind>>>,
}

impl Default for Session {
    /// A session for configs without a project.
    fn default() -> Self {
        Self::new(Arc::new(Projects::new(Arc::new(MemorySystem::default()), None)))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("history", &self.history).finish_non_exhaustive()
    }
}

impl Session {
    /// A session for the configs of these projects.
    pub fn new(projects: Arc<Projects>) -> Self {
        let here = projects.system().host().folder();
        let here = here.to_str().filter(|here| *here != "/").unwrap_or_default().to_owned();
        Self {
            history: History::built_in(),
            projects,
            registries: None,
            prime_rl_only: false,
            here,
            names: Mutex::default(),
            schemas: Mutex::default(),
            neighbourhoods: Neighbourhoods::default(),
            complete: Mutex::default(),
        }
    }

    /// Adds the registries around the configs, whose findings are then reported.
    #[must_use]
    pub fn with_registries(self, registries: Arc<Registries>) -> Self {
        Self { registries: Some(registries), ..self }
    }

    /// Accepts only configs of prime-rl: a file of verifiers' own evaluations is reported as not a config.
    #[must_use]
    pub fn of_configs(self) -> Self {
        Self { prime_rl_only: true, ..self }
    }

    /// The projects around the configs.
    pub const fn projects(&self) -> &Arc<Projects> {
        &self.projects
    }

    /// The registries around the configs, if their findings are wanted.
    pub const fn registries(&self) -> Option<&Arc<Registries>> {
        self.registries.as_ref()
    }

    /// The path of a file with the folders above it, so that its kind does not depend on how the path is written.
    pub(crate) fn place<'p>(&self, path: &'p str) -> Cow<'p, str> {
        // Standard input is in no folder.
        if self.here.is_empty() || path == "-" || Path::new(path).is_absolute() {
            return Cow::Borrowed(path);
        }
        Cow::Owned(format!("{}/{}", self.here, path.strip_prefix("./").unwrap_or(path)))
    }

    /// Reads the metadata of the config at `path`, with its errors. A prime-rl that the metadata states as an imported entry or a
    /// checkout is looked up from the folder of the config.
    pub fn metadata(&self, file: FileId, path: &str, text: &str, document: &Document) -> (Metadata, Vec<Diagnostic>) {
        let (mut metadata, mut diagnostics) = Metadata::read(self.history, file, text, document);
        metadata.hardware = metadata.hardware.or_else(|| hosted::machine(file, document));
        if let Some(local) = metadata.local.clone() {
            let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let missing =
                || Err((format!("`{}` can't be looked up here", local.value), "use a release, a commit or a date".to_owned()));
            match self.projects.named_target(&local.value, folder).unwrap_or_else(missing) {
                Ok(target) => metadata.target = Some(Located { value: target, location: local.location }),
                Err((message, help)) => {
                    metadata.is_target_refused = true;
                    diagnostics.push(Diagnostic::new(&codes::UNKNOWN_TARGET, message).at(local.location).help(help));
                }
            }
        }
        (metadata, diagnostics)
    }

    /// The schema of a dialect, which is read only once.
    pub(crate) fn schema_of_dialect(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<Declared, String>,
    ) -> Arc<Result<Declared, String>> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(schemas.entry(path.to_owned()).or_insert_with(|| Arc::new(read())))
    }

    /// The names of a schema, with the packages around a config and the own checks of its prime-rl. The names are cached.
    pub(crate) fn names(&self, schema: Schema, packages: Option<&Arc<dyn Packages>>, own: Option<&OwnChecks>) -> Names {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names.entry((schema.history, schema.kind, schema.point)).or_insert_with(|| Names::new(schema));
        known.clone().with_packages(packages.cloned()).with_own(own.cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::Session;

    #[test]
    fn spellings_of_one_path_are_one_file() {
        let session = Session { here: "/project/sft".to_owned(), ..Session::default() };
        for path in ["train.toml", "./train.toml", "/project/sft/train.toml"] {
            assert_eq!(session.place(path), "/project/sft/train.toml");
        }
        assert_eq!(session.place("-"), "-");
        assert_eq!(Session::default().place("sft/train.toml"), "sft/train.toml");
    }
}
