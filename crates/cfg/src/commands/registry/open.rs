//! A registry, opened for a command.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_diag::{Diagnostic, Severity};
use cfg_project::Files;
use cfg_registry::{
    Registry,
    registry::REGISTRY_FILE,
    store::{Access, Disk, Recovered, Store},
};
use cfg_report::{FileReport, Format, Reporter, Sources, Verdict};

use super::place;
use crate::{Outcome, args::Common, terminal};

/// The file system.
static DISK: Disk = Disk;

/// So long a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(60);

/// A registry and its store; no other command changes it meanwhile.
pub(crate) struct Opened {
    pub(crate) store: Store<'static>,
    pub(crate) registry: Registry,
    /// The path by which it was found.
    pub(crate) path: PathBuf,
    /// The folder in which its paths begin.
    pub(crate) base: PathBuf,
    /// What is wrong in `registry.json` by itself.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Opened {
    /// The file of a config.
    pub(crate) fn file(&self, key: &str) -> PathBuf {
        self.base.join(key)
    }
}

/// Opens the registry that a path means; complains where there is none.
pub(super) fn open(path: &Path, access: Access) -> io::Result<Option<Opened>> {
    let Some(found) = place::find(path)? else {
        terminal::complain(&format!("there is no registry.json above {}; `cfg registry init` makes one", path.display()));
        return Ok(None);
    };
    Ok(open_at(found, access))
}

/// Opens the registry at a path; complains where that fails.
pub(super) fn open_at(path: PathBuf, access: Access) -> Option<Opened> {
    let waiting = || terminal::say("waiting for another `cfg` that uses this registry");
    match opened_at(path, access, &waiting) {
        Ok((opened, recovered)) => {
            tell(recovered.as_ref());
            Some(opened)
        }
        Err(why) => {
            terminal::complain(&why);
            None
        }
    }
}

/// Opens the registry at a path, or says why it can't be.
fn opened_at(path: PathBuf, access: Access, waiting: &dyn Fn()) -> Result<(Opened, Option<Recovered>), String> {
    let said = |error: cfg_registry::store::Error| error.to_string();
    let (store, recovered) = Store::open(&DISK, &path, access, PATIENCE, waiting).map_err(said)?;
    let bytes = store.read_registry().map_err(said)?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{} is no UTF-8 text; nothing was changed", path.display()))?;
    let (registry, diagnostics) = Registry::read(&text);
    let base = place::base(&Files::Disk, &path, &registry);
    Ok((Opened { store, registry, path, base, diagnostics }, recovered))
}

/// Opens the registry at a path for an editor, whatever is wrong with it.
pub(super) fn open_silently_at(path: PathBuf, access: Access) -> Result<Opened, String> {
    opened_at(path, access, &|| ()).map(|(opened, _)| opened)
}

/// Opens the registry around a config for an editor, which has no terminal: all of it must be right, or it is said why not.
pub(super) fn open_silently(config: &Path, access: Access) -> Result<Opened, String> {
    let found = place::find(config).map_err(|error| error.to_string())?;
    let found = found.ok_or("there is no registry.json above this config; `cfg registry init` makes one")?;
    let opened = open_silently_at(found, access)?;
    let is_wrong = opened.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let why = || format!("{} has faults, which `cfg registry verify` shows", place::shown(&opened.path));
    if is_wrong { Err(why()) } else { Ok(opened) }
}

/// Opens a registry for a command that needs all of it to be right; tells what is wrong.
pub(crate) fn open_sound(common: &Common, path: &Path, access: Access) -> io::Result<Result<Opened, Outcome>> {
    let Some(opened) = open(path, access)? else { return Ok(Err(Outcome::Failed)) };
    if opened.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
        return Ok(Ok(opened));
    }
    let name = place::shown(&opened.path);
    let mut sources = Sources::new();
    sources.insert(REGISTRY_FILE, &name, &opened.registry.text);
    let report = FileReport { path: &name, kind: None, target: None, verdict: Verdict::Ok, diagnostics: &opened.diagnostics };
    let mut stream = Reporter::new(Format::Full, terminal::style(common.color)).stream(io::stderr().lock());
    stream.file(&report, &sources)?;
    let closing = stream.summary().sentence();
    drop(stream.finish(&closing)?);
    Ok(Err(Outcome::Failed))
}

/// Says what was done about a change that another process had begun.
fn tell(recovered: Option<&Recovered>) {
    match recovered {
        None => {}
        Some(Recovered::Finished { what, except }) => {
            terminal::note(&format!("an interrupted command was finished: {what}"));
            for path in except {
                terminal::note(&format!("{} was changed since then and was left alone", path.display()));
            }
        }
        Some(Recovered::Undone { what }) => {
            terminal::note(&format!("an interrupted command was taken back, since a file was changed since then: {what}"));
        }
        Some(Recovered::Pending) => {
            terminal::note("an interrupted command is still to be finished, and nothing may be written here");
        }
    }
}
