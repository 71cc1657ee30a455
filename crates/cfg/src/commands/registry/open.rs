//! Opens a registry for a command.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use cfg_diag::Diagnostic;
use cfg_registry::{
    Registry, place,
    registry::{REGISTRY_FILE, VersionPlace, fault},
    store::{self, Pending, Recovered, Store, Writer},
};
use cfg_report::{FileReport, Sources};
use cfg_system::{Admission, System};

use crate::{CommandResult, Ended, Outcome, context::Context};

/// The maximum time that a command waits for another one.
const PATIENCE: Duration = Duration::from_mins(1);

/// A registry and its store. While it exists, no other command changes the registry.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    /// The path at which it was found.
    pub(crate) path: PathBuf,
    /// The folder to which its paths are relative.
    pub(crate) base: PathBuf,
    /// The findings in `registry.json` itself.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Opened {
    pub(super) fn read(store: Store, path: PathBuf) -> Result<Self, String> {
        let bytes = store.read_registry().map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8; nothing was changed", path.display()))?;
        let (registry, diagnostics) = Registry::read(&text);
        let base = place::base(&**store.system(), &path, &registry);
        Ok(Self { store, registry, path, base, diagnostics })
    }

    /// The files, as they are or will be after an interrupted change has been completed.
    pub(crate) fn system(&self) -> &Arc<dyn System> {
        self.store.system()
    }

    /// The version with this text; of several, that of the file at this path, or else the last one.
    pub(crate) fn version_of(&self, path: &Path, bytes: &[u8]) -> Option<VersionPlace> {
        let digest = self.registry.digest_of(bytes).to_string();
        let key = place::key(&self.base, path);
        let is_it =
            |place: &VersionPlace| self.registry.entry(*place).sha256.as_ref().is_some_and(|sha256| *sha256.value == *digest);
        let is_own = |place: &VersionPlace| key.as_deref() == Some(&*self.registry.configs[place.config].path.value);
        let places: Vec<_> = self.registry.places().filter(is_it).collect();
        places.iter().rev().find(|place| is_own(place)).or(places.last()).copied()
    }

    /// The file of a config.
    pub(crate) fn file(&self, key: &str) -> PathBuf {
        self.base.join(key)
    }

    fn is_sound(&self) -> bool {
        fault(&self.diagnostics).is_none()
    }
}

/// Opens the registry for a path to read it; reports an error if there is none.
pub(super) fn open(cx: &Context, path: &Path) -> io::Result<Option<Opened>> {
    let Some(found) = find(cx, path)? else { return Ok(None) };
    let opened = Store::open(Arc::clone(&cx.system), &found, PATIENCE, &|| waiting(cx)).map_err(|error| error.to_string());
    let opened = opened.and_then(|(store, pending)| Ok((Opened::read(store, found)?, pending)));
    match opened {
        Ok((opened, pending)) => {
            tell_pending(cx, pending.as_ref());
            Ok(Some(opened))
        }
        Err(why) => {
            cx.complain(&why);
            Ok(None)
        }
    }
}

/// The registry for a path; reports an error if there is none.
fn find(cx: &Context, path: &Path) -> io::Result<Option<PathBuf>> {
    let found = find_and_admit(cx, path)?;
    if found.is_none() {
        let place = if path == Path::new(".") { "this folder".into() } else { path.display().to_string() };
        cx.complain(&format!("no registry.json found for {place}; create one with `cfg registry init`"));
    }
    Ok(found)
}

/// The path of the registry for a path. Without a repository, it may be above all named paths; then its files are admitted too.
fn find_and_admit(cx: &Context, path: &Path) -> io::Result<Option<PathBuf>> {
    let found = place::find(&*cx.system, path)?;
    if let Some(folder) = found.as_ref().and_then(|found| found.parent()) {
        cx.system.admit(folder, Admission::Listed);
    }
    Ok(found)
}

fn waiting(cx: &Context) {
    cx.say("waiting for another `cfg` that is using this registry");
}

/// Opens a registry that must have no errors; otherwise reports them.
pub(crate) fn open_sound(cx: &Context, path: &Path) -> CommandResult<Opened> {
    let Some(opened) = open(cx, path)? else { return Err(Ended::Reported(Outcome::Failed)) };
    if opened.is_sound() { Ok(opened) } else { refuse(cx, &opened) }
}

/// Opens a registry that must have no errors, for changes; otherwise reports them.
pub(crate) fn open_to_change(cx: &Context, path: &Path) -> CommandResult<(Opened, Writer)> {
    let Some(found) = find(cx, path)? else { return Err(Ended::Reported(Outcome::Failed)) };
    match writer(cx, &found, &|| waiting(cx))
        .and_then(|(writer, recovered)| Ok((Opened::read(writer.store(), found)?, writer, recovered)))
    {
        Ok((opened, writer, recovered)) => {
            tell_recovered(cx, recovered.as_ref());
            if opened.is_sound() { Ok((opened, writer)) } else { refuse(cx, &opened) }
        }
        Err(why) => {
            cx.complain(&why);
            Err(Ended::Reported(Outcome::Failed))
        }
    }
}

/// Prepares a change of the registry at a path, which need not exist yet; reports an error if that fails.
pub(super) fn begin(cx: &Context, path: &Path) -> Option<Writer> {
    writer(cx, path, &|| waiting(cx)).map_err(|why| cx.complain(&why)).ok().map(|(writer, _)| writer)
}

fn writer(cx: &Context, path: &Path, waiting: &dyn Fn()) -> Result<(Writer, Option<Recovered>), String> {
    Writer::open(Arc::clone(&cx.writer), path, PATIENCE, waiting).map_err(|error| error.to_string())
}

/// Opens the registry around a config without output, for an editor. The error is the reason why the registry can't be used.
pub(crate) fn open_silently(cx: &Context, config: &Path) -> Result<Opened, String> {
    let found = find_silently(cx, config)?;
    let (store, _) = Store::open(Arc::clone(&cx.system), &found, PATIENCE, &|| ()).map_err(|error| error.to_string())?;
    sound(cx, Opened::read(store, found)?)
}

/// Opens the registry around a config without output, for changes by an editor.
pub(super) fn open_silently_to_change(cx: &Context, config: &Path) -> Result<(Opened, Writer), String> {
    let found = find_silently(cx, config)?;
    let (writer, _) = writer(cx, &found, &|| ())?;
    Ok((sound(cx, Opened::read(writer.store(), found)?)?, writer))
}

fn find_silently(cx: &Context, config: &Path) -> Result<PathBuf, String> {
    let found = find_and_admit(cx, config).map_err(|error| error.to_string())?;
    found.ok_or_else(|| "no registry.json found for this config; create one with `cfg registry init`".to_owned())
}

fn sound(cx: &Context, opened: Opened) -> Result<Opened, String> {
    let why = || format!("{} has errors; run `cfg registry verify` for details", cx.system.shown(&opened.path));
    if opened.is_sound() { Ok(opened) } else { Err(why()) }
}

/// Reports the errors of a registry that must be valid.
fn refuse<T>(cx: &Context, opened: &Opened) -> CommandResult<T> {
    let name = cx.system.shown(&opened.path);
    let mut sources = Sources::new();
    sources.insert(REGISTRY_FILE, &name, &opened.registry.text);
    cx.report(&FileReport::about(&name, &opened.diagnostics), &sources)?;
    Err(Ended::Reported(Outcome::Failed))
}

/// Commits a change, and reports an error if that fails.
pub(crate) fn commit(cx: &Context, writer: &Writer, change: &store::Change) -> bool {
    writer.commit(change).map_err(|error| cx.complain(&error.to_string())).is_ok()
}

/// Reports what happened to a change that another process had begun.
fn tell_recovered(cx: &Context, recovered: Option<&Recovered>) {
    match recovered {
        None => {}
        Some(Recovered::Finished { what, except }) => {
            cx.note(&format!("an interrupted command was finished: {what}"));
            for path in except {
                cx.note(&format!("{} changed since then, and was left as it is", path.display()));
            }
        }
        Some(Recovered::Undone { what }) => {
            cx.note(&format!("an interrupted command was rolled back because a file changed in the meantime: {what}"));
        }
    }
}

/// Reports that there is a change that another process has begun.
fn tell_pending(cx: &Context, pending: Option<&Pending>) {
    match pending {
        None => {}
        Some(Pending { what, is_undone: false }) => {
            cx.note(&format!(
                "an interrupted command is shown as finished; the next command that changes the registry will finish it: {what}"
            ));
        }
        Some(Pending { what, is_undone: true }) => {
            cx.note(&format!(
                "an interrupted command will be rolled back by the next command that changes the registry, because a file \
                 changed in the meantime: {what}"
            ));
        }
    }
}
