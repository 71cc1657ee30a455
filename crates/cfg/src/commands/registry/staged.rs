//! Checks the staged registries.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_diag::{Diagnostic, codes, word};
use cfg_project::Index;
use cfg_registry::{
    Registry,
    fingerprint::Digest,
    place,
    registry::is_registry,
    store::{FILE_NAME, FOLDER},
    verify::Object,
};
use cfg_system::{Role, System};

use super::{
    config::Reader,
    findings::Findings,
    verify::{Sight, kept},
};
use crate::context::Context;

/// The changes of a commit.
pub(crate) struct Changes {
    /// The paths that it changes or removes.
    paths: HashSet<PathBuf>,
    /// Whether all files that git tracks are checked instead.
    is_all: bool,
}

impl Changes {
    pub(crate) fn new(paths: impl IntoIterator<Item = PathBuf>, is_all: bool) -> Self {
        Self { paths: paths.into_iter().collect(), is_all }
    }

    fn has(&self, path: &Path) -> bool {
        self.is_all || self.paths.contains(path)
    }

    /// Whether a commit changes a registry, one of its stored texts or one of its configs.
    fn concern(&self, path: &Path, base: &Path, registry: &Registry) -> bool {
        let kept = path.with_file_name(FOLDER);
        let is_its = |changed: &PathBuf| {
            changed == path
                || changed.starts_with(&kept)
                || place::key(base, changed).is_some_and(|key| registry.index_of(&key).is_some())
        };
        self.is_all || self.paths.iter().any(is_its)
    }
}

/// The findings in the registries that a commit affects; `None` if the command line names an unknown target, which has been reported.
///
/// Of the stored texts, only those that the commit adds or changes are read, because the commit does not change the others.
pub(crate) fn staged(cx: &Context, index: &Arc<Index>, changes: &Changes) -> io::Result<Option<Vec<Findings>>> {
    let system: Arc<dyn System> = Arc::<Index>::clone(index);
    let Some(reader) = Reader::new(&cx.on(&system)) else { return Ok(None) };
    let mut all = Vec::new();
    for path in index.files().filter(|path| path.file_name().is_some_and(|name| name == FILE_NAME)) {
        // A broken link is not a registry.
        let Ok(bytes) = system.read(&path, Role::Registry) else { continue };
        let objects = place::objects(&*system, &path);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if !is_registry(&text) && !system.is_folder(&objects) {
            continue;
        }
        let (registry, diagnostics) = Registry::read(&text);
        let base = place::base(&*system, &path, &registry);
        if !changes.concern(&path, &base, &registry) {
            continue;
        }
        let object = |digest: &Digest| {
            let path = objects.join(digest.to_string());
            if !system.is_file(&path) {
                return if kept(&*cx.system, &objects, digest) == Object::Whole { Object::Unstaged } else { Object::Missing };
            }
            if !changes.has(&path) || place::stored(&*system, &objects, digest).is_some() {
                return Object::Whole;
            }
            Object::Damaged
        };
        let text = |digest: &Digest| place::stored(&*system, &objects, digest);
        let seen = Sight { registry: &registry, path: &path, base: &base, object: &object, text: &text, is_left_out: &|_| false };
        let mut found = seen.verify(&reader, &diagnostics)?;
        for file in &mut found.of_files {
            explain_unstaged(&*cx.system, &file.path, &file.text, &mut file.diagnostics);
        }
        all.push(found);
    }
    Ok(Some(all))
}

/// Of a staged text that the registry of the work tree already has as the current version, only the registration is not staged: registering it again or
/// restoring the former version would be no help. `disk` is where the work tree is.
pub(crate) fn explain_unstaged(disk: &dyn System, path: &Path, text: &str, found: &mut [Diagnostic]) {
    let is_about_text = |one: &&mut Diagnostic| one.code == &codes::UNBUMPED_CHANGE || one.code == &codes::REGISTRY_MISMATCH;
    let mut found = found.iter_mut().filter(is_about_text).peekable();
    if found.peek().is_none() {
        return;
    }
    let Some(of_work_tree) = place::find(disk, path).ok().flatten() else { return };
    let (registry, _) = Registry::read(&disk.text(&of_work_tree, Role::Registry).unwrap_or_default());
    let key = place::key(&place::base(disk, &of_work_tree, &registry), &disk.plain(path));
    let registered = key.and_then(|key| registry.config(&key)?.current_entry()?.sha256.as_ref());
    if registered.is_some_and(|registered| *registered.value == *Digest::of(text.as_bytes()).to_string()) {
        let name = disk.shown(&of_work_tree);
        found.for_each(|one| {
            one.help = Some(format!("its registration is only not staged: `git add {} .cfg`", word(&name)));
        });
    }
}
