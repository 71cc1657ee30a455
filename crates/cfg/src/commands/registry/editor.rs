//! The registries around open configs, as the language server uses them.

use std::{collections::HashMap, path::Path, sync::Arc};

use cfg_check::{Checked, Registries, Session};
use cfg_diag::{Diagnostic, FileId};
use cfg_lsp::{Since, Standing, Versions};
use cfg_project::Projects;
use cfg_registry::{
    Registry,
    around::CachedRegistry,
    fingerprint::{Digest, compare},
    lineage::{Lineage, Parent},
    place,
    registry::{REGISTRY_FILE, VersionPlace},
};
use cfg_system::Role;

use super::{
    bump::make,
    config::Reader,
    log,
    open::open_silently_to_change,
    verify::{self, LeftOut, Sight},
};
use crate::{args::Bump, context::Context};

/// Implements the operations on versions for the language server.
pub(crate) struct Editor {
    cx: Context,
}

impl Editor {
    pub(crate) fn new(cx: &Context) -> Self {
        Self { cx: cx.clone() }
    }

    /// A reader of configs on the system of a session.
    fn reader(&self, session: &Session) -> Option<Reader> {
        Reader::new(&self.cx.on(session.projects().system()))
    }

    /// The registry around a config, and the config's name in it.
    fn around(session: &Session, path: &Path) -> Option<(Arc<CachedRegistry>, String)> {
        let file = session.projects().system().plain(path);
        let around = session.registries()?.of(file.parent()?).filter(|around| around.is_sound)?;
        let key = place::key(&around.base, &file)?;
        Some((around, key))
    }

    /// The changes to a config since its last registered version.
    fn since(
        &self,
        session: &Session,
        around: &CachedRegistry,
        version: VersionPlace,
        path: &Path,
        text: &str,
        checked: &Checked,
    ) -> Since {
        let registered = around.registry.entry(version).sha256.as_ref().map(|sha256| &sha256.value);
        if registered.is_some_and(|registered| **registered == *around.registry.digest_of(text.as_bytes()).to_string()) {
            return Since::Nothing;
        }
        let before = || {
            let reader = self.reader(session)?;
            let text = reader.converted(path, &String::from_utf8(around.bytes(version)?).ok()?);
            Reader::meaning(&reader.check(path, &text))
        };
        match before().zip(cfg_check::meaning(session, checked, text)) {
            None => Since::Unknown,
            Some((before, now)) => match compare(&before, &now).len() {
                0 => Since::Comments,
                count => Since::Keys(count),
            },
        }
    }
}

impl Versions for Editor {
    fn session(&self, projects: &Arc<Projects>) -> Session {
        let registries = Arc::new(Registries::new(Arc::clone(projects.system())));
        Session::new(Arc::clone(projects)).with_registries(registries)
    }

    fn standing(&self, session: &Session, path: &Path, text: &str, checked: &Checked) -> Option<Standing> {
        let (around, key) = Self::around(session, path)?;
        let registry = &around.registry;
        let Some(config) = registry.index_of(&key) else { return Some(Standing::Unregistered) };
        let of = &registry.configs[config];
        let entry = of.current.as_ref().and_then(|current| of.index_of(&current.value))?;
        let version = VersionPlace { config, entry };
        let from = match Lineage::new(registry, &HashMap::new()).parent(version) {
            Parent::Stated(parent) | Parent::Implied(parent) if parent.config == config => {
                Some(registry.entry(*parent).label.value.to_string())
            }
            Parent::Stated(parent) | Parent::Implied(parent) => Some(registry.name(*parent)),
            Parent::None | Parent::Unknown(_) => None,
        };
        let since = self.since(session, &around, version, path, text, checked);
        let entry = registry.entry(version);
        let notes = entry.notes.as_ref().map(|notes| notes.value.to_string());
        Some(Standing::Registered { version: entry.label.value.to_string(), from, notes, since })
    }

    fn verify(&self, session: &Session, path: &Path, text: &str) -> Vec<Diagnostic> {
        let found = || {
            let reader = self.reader(session)?;
            // A file of this name may belong to another program.
            let system = &**session.projects().system();
            place::is_one(system, path).ok().filter(|is_one| *is_one)?;
            // Read without the lock and without completing an interrupted change, because typing must not wait or change files.
            system.read(path, Role::Registry).ok().filter(|bytes| bytes == text.as_bytes())?;
            let (registry, diagnostics) = Registry::read(text);
            let objects = place::objects(system, path);
            let object = |digest: &Digest| verify::kept(system, &objects, digest);
            let base = place::base(system, path, &registry);
            let stored = |digest: &Digest| place::stored(system, &objects, digest);
            let sparse = LeftOut::new(system, &base);
            let is_left_out = |path: &Path| sparse.has(path);
            let seen =
                Sight { registry: &registry, path, base: &base, object: &object, text: &stored, is_left_out: &is_left_out };
            let mut found = seen.verify(&reader, &diagnostics).ok()?.of_registry;
            for diagnostic in &mut found {
                diagnostic.related.retain(|related| related.location.file == REGISTRY_FILE);
                let related = diagnostic.related.iter_mut().map(|related| &mut related.location);
                related.chain(&mut diagnostic.location).for_each(|location| location.file = FileId(0));
            }
            Some(found)
        };
        found().unwrap_or_default()
    }

    fn lineage(&self, path: &Path) -> Result<String, String> {
        log::document(&self.cx, path)
    }

    fn bump(&self, path: &Path, text: &str, why: &str) -> Result<String, String> {
        if self.cx.system.read(path, Role::Config).map_err(|error| error.to_string())? != text.as_bytes() {
            return Err("save the file first: the version is made from disk".to_owned());
        }
        let reader = Reader::new(&self.cx).ok_or("the target of `cfg lsp` is unknown")?;
        let (opened, writer) = open_silently_to_change(&self.cx, path)?;
        let asked = Bump { path: path.to_owned(), level: None, message: None, based_on: None, force: false, dry_run: false };
        let made = make(&reader, &opened, &writer, &asked, why).map_err(|unmade| unmade.why)?;
        let changes = made.edits().map_or(0, |edits| edits.len());
        let planned = &made.planned;
        let said = match &planned.from {
            Some(from) => format!("{}: {from} -> {} ({})", made.key, planned.to, cfg_report::count(changes, "change")),
            None => format!("{}: {}, the first version", made.key, planned.to),
        };
        Ok([vec![said], made.hints()].concat().join("\n"))
    }
}
