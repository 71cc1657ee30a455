//! `cfg registry adopt`: a registry from the configs that are there, what they say of themselves, and their git history.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_check::{Checked, Verdict};
use cfg_project::{DiscoverOptions, discover, history};
use cfg_registry::{
    adopt::{Found, Revision, adopt},
    fingerprint::Digest,
    registry::EMPTY,
    store::{Access, Change, Disk, FILE_NAME, Replace, Store},
};
use cfg_schema::Target;
use rayon::prelude::*;
use serde_json::json;

use super::{config::Reader, open::open_sound, place, today::today, verify::is_config};
use crate::{
    Outcome,
    args::{Common, Format},
    terminal,
};

pub(super) fn run(common: &Common, paths: &[PathBuf], is_dry: bool) -> io::Result<Outcome> {
    let Some(reader) = Reader::new(common) else { return Ok(Outcome::Failed) };
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    if !first.exists() {
        terminal::complain(&format!("there is no {}", first.display()));
        return Ok(Outcome::Failed);
    }
    let is_new = place::find(first)?.is_none();
    let opened = if is_new {
        // Where there is no registry, one is made; it is read from what it will be.
        match begin(first, is_dry)? {
            Some(made) => made,
            None => return Ok(Outcome::Failed),
        }
    } else {
        let access = if is_dry { Access::Read } else { Access::Write };
        match open_sound(common, first, access)? {
            Ok(opened) => Begun {
                registry: opened.registry,
                base: opened.base,
                path: opened.store.registry().to_owned(),
                store: Some(opened.store),
            },
            Err(outcome) => return Ok(outcome),
        }
    };
    let mut keys: BTreeSet<String> = opened.registry.configs.iter().map(|config| config.path.value.to_string()).collect();
    for found in discover(paths, DiscoverOptions::default()).into_iter().flatten() {
        let Some(key) = place::key(&opened.base, &place::absolute(&found.path)?) else {
            terminal::complain(&format!("{} lies outside of {}", found.path.display(), place::shown(&opened.base)));
            return Ok(Outcome::Failed);
        };
        let text = fs::read(&found.path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        if keys.contains(&key) || found.explicit || is_config(&reader, &key, &reader.head(&found.path, &text)) {
            keys.insert(key);
        }
    }
    let today = today();
    let look = |key: String| found(&reader, &opened.base, key, &today);
    let found: Vec<Found> = keys.into_iter().collect::<Vec<_>>().into_par_iter().map(look).collect();
    let adopted = adopt(&opened.registry, &found);
    if let Some(store) = opened.store.as_ref().filter(|_| !is_dry) {
        let old = (!is_new).then(|| opened.registry.text.clone().into_bytes());
        let change = Change {
            what: "adopt configs into the registry".to_owned(),
            objects: adopted.objects,
            registry: Some(Replace { path: opened.path.clone(), old, new: adopted.registry }),
            files: Vec::new(),
        };
        if let Err(error) = store.commit(&change) {
            terminal::complain(&error.to_string());
            return Ok(Outcome::Failed);
        }
    }
    let mut out = io::stdout().lock();
    if matches!(common.format, Format::Json | Format::JsonLines) {
        let document = json!({ "registry": place::shown(&opened.path), "written": !is_dry, "changes": adopted.notes });
        io::Write::write_all(&mut out, format!("{document}\n").as_bytes())?;
        return Ok(Outcome::Clean);
    }
    for note in &adopted.notes {
        io::Write::write_all(&mut out, format!("{}\n", cfg_report::one_line(note)).as_bytes())?;
    }
    let done = if adopted.notes.is_empty() {
        "nothing to adopt"
    } else if is_dry {
        "nothing was written"
    } else {
        "adopted"
    };
    terminal::say(&format!("{}: {done}", place::shown(&opened.path)));
    Ok(Outcome::Clean)
}

/// A registry that may not be there yet.
struct Begun {
    store: Option<Store<'static>>,
    registry: cfg_registry::Registry,
    base: PathBuf,
    path: PathBuf,
}

/// A new registry in a folder, or beside a file.
fn begin(near: &Path, is_dry: bool) -> io::Result<Option<Begun>> {
    static DISK: Disk = Disk;
    let absolute = place::absolute(near)?;
    let base = if absolute.is_dir() { absolute } else { absolute.parent().unwrap_or(&absolute).to_owned() };
    let path = base.join(FILE_NAME);
    if path.symlink_metadata().is_ok() {
        terminal::complain(&format!("{} is no registry of configs; nothing was changed", path.display()));
        return Ok(None);
    }
    let (registry, _) = cfg_registry::Registry::read(EMPTY);
    let store = if is_dry {
        None
    } else {
        match Store::open(&DISK, &path, Access::Write, Duration::from_secs(60), &|| {}) {
            Ok((store, _)) => Some(store),
            Err(error) => {
                terminal::complain(&error.to_string());
                return Ok(None);
            }
        }
    };
    Ok(Some(Begun { store, registry, base, path }))
}

/// A config that states no prime-rl, checked for the one of the day on which it was committed: the main line as it was, else the newest release;
/// nothing where both refuse it.
fn checked_at_day(reader: &Reader<'_>, file: &Path, text: &str, day: &str) -> Option<Checked> {
    let history = reader.session.history;
    let main = Target::at_date(history, day).ok();
    let release = history.releases().rfind(|tag| tag.day() <= day).map(Target::from);
    main.into_iter().chain(release).find_map(|target| {
        let checked = reader.check_or_at(file, text, Some(&target));
        (checked.is_config && checked.verdict != Verdict::Rejected).then_some(checked)
    })
}

/// A config with its past.
fn found(reader: &Reader<'_>, base: &Path, path: String, today: &str) -> Found {
    let file = base.join(&path);
    let revision = |bytes: Vec<u8>, day: String, subject: Option<String>, commit: Option<String>| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let head = reader.head(&file, &text);
        let text = reader.converted(&file, &text);
        let mut checked = reader.check(&file, &text);
        if checked.is_assumed && commit.is_some() {
            checked = checked_at_day(reader, &file, &text, &day).unwrap_or(checked);
        }
        let fingerprint = Reader::fingerprint_of(&checked);
        let prime_rl = (!checked.is_assumed && fingerprint.is_some()).then(|| checked.target.name.clone());
        Revision { bytes, metadata: head.metadata, model: head.model, fingerprint, prime_rl, day, subject, commit }
    };
    let mut revisions: Vec<Revision> = Vec::new();
    for old in history(&file) {
        if revisions.last().is_none_or(|last| last.bytes != old.bytes) {
            revisions.push(revision(old.bytes, old.day, Some(old.subject), Some(old.commit)));
        }
    }
    let now = fs::read(&file).ok();
    let is_there = now.is_some();
    if let Some(now) = now
        && revisions.last().is_none_or(|last| Digest::of(&last.bytes) != Digest::of(&now))
    {
        revisions.push(revision(now, today.to_owned(), None, None));
    }
    Found { path, is_there, revisions }
}
