//! `cfg registry adopt`: creates a registry from existing configs, their metadata and their git history.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use cfg_check::{Checked, Verdict};
use cfg_project::{history, names_in_history};
use cfg_registry::{
    adopt::{FoundConfig, Revision, adopt},
    fingerprint::Digest,
    place,
    registry::EMPTY,
    store::{Change, FILE_NAME, Kept, Replace, Writer},
    verify::Object,
};
use cfg_report::compared::Adoption;
use cfg_schema::Target;
use cfg_system::Role;
use rayon::prelude::*;

use super::{
    config::Reader,
    merge::stored::StoredText,
    mv::renamed_sentence,
    open::{Opened, begin, commit, open_sound, open_to_change},
    today::today,
    verify::{LeftOut, Sight, is_config, unregistered},
};
use crate::{CommandResult, Ended, Outcome, args::Format, context::Context, threads};

pub(super) fn run(cx: &Context, paths: &[PathBuf], is_dry: bool) -> CommandResult {
    let Some(reader) = Reader::new(cx) else { return Ok(Outcome::Failed) };
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    let system = &*cx.system;
    if !system.exists(first) {
        cx.complain(&format!("no such path: {}", first.display()));
        return Ok(Outcome::Failed);
    }
    let is_new = place::find(system, first)?.is_none();
    let mut opened = if is_new {
        // If there is no registry, a new one is created, and read as it will be written.
        new(cx, first, is_dry).ok_or(Ended::Reported(Outcome::Failed))?
    } else if is_dry {
        Begun::of(open_sound(cx, first)?, None)
    } else {
        let (opened, writer) = open_to_change(cx, first)?;
        Begun::of(opened, Some(writer))
    };
    let before = opened.registry.text.clone();
    let renamed = opened.follow_renames(&reader);
    let mut keys: BTreeSet<String> = opened.registry.configs.iter().map(|config| config.path.value.to_string()).collect();
    for found in cx.projects().discover(paths).into_iter().flatten() {
        let Some(key) = place::key(&opened.base, &system.plain(&found.path)) else {
            cx.complain(&format!("{} is outside {}", found.path.display(), system.shown(&opened.base)));
            return Ok(Outcome::Failed);
        };
        let text = system.read(&found.path, Role::Config).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let text = text.unwrap_or_default();
        if keys.contains(&key) || found.explicit || is_config(&reader, &key, &reader.head(&found.path, &text)) {
            if let Some(conflict) = super::conflict_in(&found.path, &text) {
                cx.complain(&conflict);
                return Ok(Outcome::Failed);
            }
            keys.insert(key);
        }
    }
    let today = today(cx.host());
    let sparse = LeftOut::new(system, &opened.base);
    let gone = keys.iter().filter(|key| !system.is_there(&opened.base.join(key))).take(MAX_SINGLE_LOOKUPS + 1).count();
    let known = (gone > MAX_SINGLE_LOOKUPS).then(|| names_in_history(system, &opened.base)).flatten();
    let look = |key: String| {
        let file = opened.base.join(&key);
        let has_history = known.as_ref().is_none_or(|known| known.contains(&key) || system.is_there(&file));
        let found = with_history(&reader, &file, key, has_history.then_some(&*today));
        // A file that git leaves out of the work tree is not gone.
        FoundConfig { is_there: found.is_there || sparse.has(&file), ..found }
    };
    let found: Vec<FoundConfig> = threads::on_all(|| keys.into_iter().collect::<Vec<_>>().into_par_iter().map(look).collect());
    let mut adopted = adopt(&opened.registry, &found);
    adopted.objects.extend(lost(cx, &opened, &adopted.objects));
    adopted.notes.extend(stored_again(&opened, &adopted.objects));
    adopted.notes.splice(0..0, renamed);
    if let Some(writer) = &opened.writer {
        let kept = |(key, bytes): (String, Vec<u8>)| Kept { bytes, like: Some(opened.base.join(key)) };
        let old = (!opened.is_new).then(|| before.into_bytes());
        let change = Change {
            what: "adopt configs into the registry".to_owned(),
            objects: adopted.objects.into_iter().map(kept).collect(),
            registry: Some(Replace { path: opened.path.clone(), old, new: Some(adopted.registry) }),
            files: Vec::new(),
        };
        if !commit(cx, writer, &change) {
            return Ok(Outcome::Failed);
        }
    }
    let mut out = cx.out();
    if matches!(cx.common.format, Format::Json | Format::JsonLines) {
        let document = Adoption {
            schema_version: cfg_report::json::SCHEMA_VERSION,
            registry: system.shown(&opened.path),
            written: !is_dry,
            changes: adopted.notes,
        };
        cfg_report::json::write_line(&mut out, &document)?;
        io::Write::write_all(&mut out, b"\n")?;
        return Ok(Outcome::Clean);
    }
    for note in &adopted.notes {
        io::Write::write_all(&mut out, format!("{}\n", cfg_diag::one_line(note)).as_bytes())?;
    }
    let done = if adopted.notes.is_empty() {
        "nothing to adopt"
    } else if is_dry {
        "nothing was written"
    } else {
        "adopted"
    };
    cx.say(&format!("{}: {done}", system.shown(&opened.path)));
    Ok(Outcome::Clean)
}

/// More registered configs than this without a file are looked up in git's history together.
const MAX_SINGLE_LOOKUPS: usize = 16;

/// The maximum number of lost texts that are looked for in all branches.
const MAX_LOST_TEXTS: usize = 256;

/// The lost texts of registered versions, each with the path of its config, that a commit of any branch has where it was stored.
fn lost(cx: &Context, opened: &Begun, found: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let Some(writer) = &opened.writer else { return Vec::new() };
    let (store, found): (_, BTreeSet<Digest>) = (writer.store(), found.iter().map(|(_, bytes)| Digest::of(bytes)).collect());
    let digests = opened.registry.places().filter_map(|place| {
        let digest: Digest = opened.registry.entry(place).sha256.as_ref()?.value.parse().ok()?;
        Some((opened.registry.configs[place.config].path.value.to_string(), digest))
    });
    let missing = digests.filter(|(_, digest)| !found.contains(digest) && store.object(digest).is_none()).take(MAX_LOST_TEXTS);
    missing.filter_map(|(path, digest)| Some((path, StoredText::named(&store.object_path(&digest))?.in_git(cx)?))).collect()
}

/// The sentence about texts of registered versions that were lost, and that git's history still has.
fn stored_again(opened: &Begun, objects: &[(String, Vec<u8>)]) -> Option<String> {
    let writer = opened.writer.as_ref()?;
    let (store, known) = (writer.store(), opened.registry.contents().collect::<BTreeSet<_>>());
    let is_lost = |bytes: &Vec<u8>| {
        let digest = Digest::of(bytes);
        known.contains(&*digest.to_string()) && store.object(&digest).is_none()
    };
    let lost = objects.iter().filter(|(_, bytes)| is_lost(bytes)).count();
    (lost > 0).then(|| {
        format!(
            "{} of registered versions {} stored again",
            cfg_report::count(lost, "text"),
            if lost == 1 { "is" } else { "are" }
        )
    })
}

/// A registry that need not exist yet.
struct Begun {
    /// Whether it does not exist yet.
    is_new: bool,
    /// `None` if nothing is to be written.
    writer: Option<Writer>,
    registry: cfg_registry::Registry,
    base: PathBuf,
    path: PathBuf,
}

impl Begun {
    /// Gives the configs whose files were renamed their new paths; what was done, as sentences.
    fn follow_renames(&mut self, reader: &Reader) -> Vec<String> {
        let system = &*reader.cx.system;
        let objects = place::objects(system, &self.path);
        let text = |digest: &Digest| place::stored(system, &objects, digest);
        let sparse = LeftOut::new(system, &self.base);
        let seen = Sight {
            registry: &self.registry,
            path: &self.path,
            base: &self.base,
            object: &|_| Object::NotAsked,
            text: &text,
            is_left_out: &|path| sparse.has(path),
        };
        let missing = seen.missing(system);
        if missing.is_empty() {
            return Vec::new();
        }
        let found = seen.renamed(reader, &missing, &unregistered(reader, &seen));
        let path_of = |config: usize| self.registry.configs[config].path.value.to_string();
        let renames: Vec<(String, String)> =
            found.into_iter().filter(|found| found.is_certain).map(|found| (path_of(found.config), found.path)).collect();
        if renames.is_empty() {
            return Vec::new();
        }
        let told = renames.iter().map(|rename| renamed_sentence(&self.registry, rename)).collect();
        self.registry = cfg_registry::Registry::read(&cfg_registry::merge::renamed(&self.registry, &renames)).0;
        told
    }

    fn of(opened: Opened, writer: Option<Writer>) -> Self {
        let path = opened.store.registry().to_owned();
        Self { is_new: false, writer, registry: opened.registry, base: opened.base, path }
    }
}

/// A new registry in a folder, or next to a file.
fn new(cx: &Context, near: &Path, is_dry: bool) -> Option<Begun> {
    let absolute = cx.system.plain(near).into_owned();
    let base = if cx.system.is_folder(&absolute) { absolute } else { absolute.parent().unwrap_or(&absolute).to_owned() };
    let path = base.join(FILE_NAME);
    if cx.system.is_there(&path) {
        cx.complain(&format!("{} is not a config registry; nothing was changed", path.display()));
        return None;
    }
    let (registry, _) = cfg_registry::Registry::read(EMPTY);
    let writer = if is_dry { None } else { Some(begin(cx, &path)?) };
    if let Some(begun) = &writer
        && cx.system.is_there(&path)
    {
        // If an earlier command was interrupted while it created the registry, opening has completed that.
        let opened = Opened::read(begun.store(), path).map_err(|why| cx.complain(&why)).ok()?;
        return Some(Begun { writer, ..Begun::of(opened, None) });
    }
    Some(Begun { is_new: true, writer, registry, base, path })
}

/// Checks a config that states no prime-rl for that of the day on which it was committed: the main line of that day, or else the newest release at
/// that time. `None` if both refuse the config.
fn checked_at_day(reader: &Reader, file: &Path, text: &str, day: &str) -> Option<Checked> {
    let history = reader.session.history;
    let main = Target::at_date(history, day).ok();
    let release = history.releases().rfind(|tag| tag.day() <= day).map(Target::from);
    main.into_iter().chain(release).find_map(|target| {
        let checked = reader.check_or_at(file, text, Some(&target));
        (checked.is_config && checked.verdict != Verdict::Rejected).then_some(checked)
    })
}

/// A config with its git history, and its file as of `today`; `None` if it has neither.
fn with_history(reader: &Reader, file: &Path, path: String, today: Option<&str>) -> FoundConfig {
    let Some(today) = today else { return FoundConfig { path, is_there: false, revisions: Vec::new() } };
    let revision = |bytes: Vec<u8>, day: String, subject: Option<String>, commit: Option<String>| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let head = reader.head(file, &text);
        let text = reader.converted(file, &text);
        let mut checked = reader.check(file, &text);
        if !checked.is_stated() && commit.is_some() {
            checked = checked_at_day(reader, file, &text, &day).unwrap_or(checked);
        }
        let fingerprint = Reader::fingerprint_of(&checked);
        let prime_rl = (checked.is_stated() && fingerprint.is_some()).then(|| checked.target.name.clone());
        Revision { bytes, metadata: head.metadata, model: head.model, fingerprint, prime_rl, day, subject, commit }
    };
    let mut revisions: Vec<Revision> = Vec::new();
    for old in history(&*reader.cx.system, file) {
        if revisions.last().is_none_or(|last| last.bytes != old.bytes) {
            revisions.push(revision(old.bytes, old.day, Some(old.subject), Some(old.commit)));
        }
    }
    let now = reader.cx.system.read(file, Role::Config).ok();
    let is_there = now.is_some();
    if let Some(now) = now
        && revisions.last().is_none_or(|last| Digest::of(&last.bytes) != Digest::of(&now))
    {
        revisions.push(revision(now, today.to_owned(), None, None));
    }
    FoundConfig { path, is_there, revisions }
}
