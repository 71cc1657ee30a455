//! `cfg registry verify`: compares a registry with its configs and stored texts.

use std::{
    collections::{BTreeSet, HashMap},
    io::{self, BufWriter},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use cfg_check::{Family, guess_kind};
use cfg_diag::{Diagnostic, FileId, Location, Order, Severity, codes};
use cfg_plan::Metadata;
use cfg_registry::{
    Registry,
    fingerprint::{Digest, Fingerprint},
    lineage::Lineage,
    place,
    registry::{REGISTRY_FILE, VersionPlace},
    verify::{self, Drift, File, Held, Lines, MAX_COMPARED, Object, StoredLines, Verified, rename_advice},
};
use cfg_schema::Target;
use cfg_system::{Role, Scope, System};
use rayon::prelude::*;

use super::{
    config::Reader,
    findings::{Findings, OfFile},
    open::{Opened, open},
};
use crate::{
    CommandResult, Outcome,
    args::{DenyOfRegistry, Verify},
    commands::format_of_findings,
    context::Context,
    threads,
};

/// The name of the main branch as a prime-rl: another one with each commit.
const MAIN: &str = "main";

pub(super) fn run(cx: &Context, asked: &Verify) -> CommandResult {
    let format = format_of_findings(cx.common.format);
    let Some(opened) = open(cx, &asked.path)? else { return Ok(Outcome::Failed) };
    let Some(reader) = Reader::new(&cx.on(opened.system())) else { return Ok(Outcome::Failed) };
    let mut findings = verified(&reader, &opened)?;
    let failing = if asked.deny == Some(DenyOfRegistry::Warnings) { Severity::Warning } else { Severity::Error };
    let mut stream = cx.reporter(format, &[]).failing_at(failing).stream(BufWriter::new(cx.out_of_findings(format)));
    findings.write(&*cx.system, &mut stream)?;
    let summary = stream.summary();
    let further = match summary.further() {
        further if further.is_empty() => further,
        further => format!("\n{further}"),
    };
    let versions: usize = opened.registry.configs.iter().map(|config| config.versions.len()).sum();
    let configs = cfg_report::count(opened.registry.configs.len(), "config");
    let closing = format!("{} ({configs}, {}){further}", summary.sentence(), cfg_report::count(versions, "version"));
    stream.finish(&closing)?;
    let unmerged = unmerged(cx, &opened);
    if !unmerged.is_empty() {
        cx.note(&format!("not merged: {}; `git add` marks what is right as resolved", unmerged.join(", ")));
    }
    Ok(if findings.has(failing) || !unmerged.is_empty() { Outcome::Found } else { Outcome::Clean })
}

/// The files of a registry that git has not merged, by their names.
fn unmerged(cx: &Context, opened: &Opened) -> Vec<String> {
    let of_git = cfg_project::unmerged(&*cx.system, &opened.base).unwrap_or_default();
    let is_its = |path: &Path| {
        path == opened.path
            || path.starts_with(opened.store.objects_folder())
            || place::key(&opened.base, path).is_some_and(|key| opened.registry.index_of(&key).is_some())
    };
    of_git.iter().filter(|file| is_its(&file.path)).map(|file| cx.system.shown(&file.path)).collect()
}

/// The findings in an open registry.
pub(super) fn verified(reader: &Reader, opened: &Opened) -> io::Result<Findings> {
    let objects = opened.store.objects_folder();
    let sparse = LeftOut::new(&*reader.cx.system, &opened.base);
    let is_left_out = |path: &Path| sparse.has(path);
    let object = |digest: &Digest| match kept(&**opened.system(), &objects, digest) {
        Object::Missing if is_left_out(&objects.join(digest.to_string())) => Object::NotAsked,
        object => object,
    };
    let text = |digest: &Digest| opened.store.object(digest);
    let seen = Sight {
        registry: &opened.registry,
        path: &opened.path,
        base: &opened.base,
        object: &object,
        text: &text,
        is_left_out: &is_left_out,
    };
    let findings = seen.verify(reader, &opened.diagnostics)?;
    let of_registry = |path: &&PathBuf| path.starts_with(&opened.base) || path.starts_with(&objects);
    let left_out = sparse.files.get().map_or(0, |left_out| left_out.iter().filter(of_registry).count());
    if left_out > 0 {
        reader.cx.note(&format!(
            "{} outside of this sparse checkout: those of the registry were not read; `git sparse-checkout add` includes their folders, such as `.cfg`",
            if left_out == 1 { "1 file is".to_owned() } else { format!("{left_out} files are") }
        ));
    }
    Ok(findings)
}

/// The files around a folder that git leaves out of a sparse checkout; git is asked once, when it matters.
pub(super) struct LeftOut<'a> {
    system: &'a dyn System,
    folder: &'a Path,
    files: OnceLock<BTreeSet<PathBuf>>,
}

impl<'a> LeftOut<'a> {
    pub(super) fn new(system: &'a dyn System, folder: &'a Path) -> Self {
        Self { system, folder, files: OnceLock::new() }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        let files = self.files.get_or_init(|| cfg_project::outside_of_sparse_checkout(self.system, self.folder));
        !files.is_empty() && files.contains(&*self.system.plain(path))
    }
}

/// The state of the stored text for a sha256 in a folder.
pub(super) fn kept(system: &dyn System, objects: &Path, digest: &Digest) -> Object {
    match system.read(&objects.join(digest.to_string()), Role::KeptText) {
        Ok(bytes) if Digest::of(&bytes) == *digest => Object::Whole,
        Ok(_) => Object::Damaged,
        Err(_) => Object::Missing,
    }
}

/// A registry, and where its configs and stored texts are.
pub(super) struct Sight<'a> {
    pub(super) registry: &'a Registry,
    /// The path at which it was found.
    pub(super) path: &'a Path,
    /// The folder to which its paths are relative.
    pub(super) base: &'a Path,
    /// Looks up the stored text for a sha256.
    pub(super) object: &'a (dyn Fn(&Digest) -> Object + Sync),
    /// The stored text for a sha256.
    pub(super) text: &'a (dyn Fn(&Digest) -> Option<Vec<u8>> + Sync),
    /// Whether git leaves a file of its index out of the work tree.
    pub(super) is_left_out: &'a (dyn Fn(&Path) -> bool + Sync),
}

impl Sight<'_> {
    /// The findings in the registry, its configs and its stored texts; `diagnostics` are those in `registry.json` itself.
    pub(super) fn verify(&self, reader: &Reader, diagnostics: &[Diagnostic]) -> io::Result<Findings> {
        let computed = self.all_computed(reader);
        let configs = read_configs(reader, self, &computed);
        let mut of_registry = diagnostics.to_vec();
        let mut of_files: Vec<OfFile> = Vec::new();
        let mut drift = Drift::default();
        let mut headers = HashMap::new();
        for (index, file) in configs.into_iter().enumerate() {
            let path = self.base.join(&*self.registry.configs[index].path.value);
            of_registry.extend(file.fingerprints);
            let (diagnostics, others): (Vec<_>, Vec<_>) = file.verified.diagnostics.into_iter().partition(is_of_file);
            of_registry.extend(others);
            of_files.push(OfFile { path, text: file.text, diagnostics });
            if file.verified.has_changed {
                drift.changed.insert(index);
            }
            if file.is_missing {
                drift.missing.insert(index);
            }
            headers.extend(file.stated_parent);
        }
        let lineage = Lineage::new(self.registry, &headers);
        of_registry.extend(verify::graph(self.registry, &lineage, &drift));
        of_registry.extend(verify::runs(self.registry, self.object, &|place, sha256| self.computed(reader, place, sha256)));
        let unregistered = unregistered(reader, self);
        let renamed = self.renamed(reader, &self.missing(&*reader.cx.system), &unregistered);
        for rename in &renamed {
            let place = self.registry.configs[rename.config].path.location();
            let is_it = |found: &Diagnostic| found.code == &codes::MISSING_CONFIG && found.location == Some(place);
            if let Some(found) = of_registry.iter_mut().find(|found| is_it(found)) {
                let (old, new) = (&*self.registry.configs[rename.config].path.value, &*rename.path);
                let has = if rename.is_edited { "seems to be edited from" } else { "has the text of" };
                found.message = format!("`{old}` is registered, but the file is `{new}` now: it {has} {}", rename.label);
                found.help = Some(rename_advice(&self.named(reader, old), &self.named(reader, new)));
            }
        }
        let is_renamed = |key: &&String| renamed.iter().any(|rename| rename.path == **key);
        for key in unregistered.iter().filter(|key| !is_renamed(key)) {
            let path = self.base.join(key);
            let diagnostics = vec![verify::unregistered(&reader.cx.system.shown(&path))];
            of_files.push(OfFile { path, text: String::new(), diagnostics });
        }
        for file in &mut of_files {
            reader.apply_settings(&file.path, &mut file.diagnostics);
        }
        of_files.retain(|file| !file.diagnostics.is_empty());
        reader.apply_settings(self.path, &mut of_registry);
        of_registry.order_by_key(|diagnostic| diagnostic.location.map(|location| location.span));
        of_files.order_by(|one, other| one.path.cmp(&other.path));
        Ok(Findings { path: self.path.to_owned(), text: self.registry.text.clone(), of_registry, of_files })
    }
}

/// A config whose file has another path.
pub(super) struct Renamed {
    /// Its index in the registry.
    pub(super) config: usize,
    /// The version whose text the file has.
    pub(super) label: String,
    /// The path of the file, in the registry's form.
    pub(super) path: String,
    /// Whether the text was edited since.
    pub(super) is_edited: bool,
    /// Whether the text, or else its metadata, shows that it is this config and not a similar one.
    pub(super) is_certain: bool,
}

impl Sight<'_> {
    /// The path of a config as the user would write it.
    fn named(&self, reader: &Reader, key: &str) -> String {
        reader.cx.system.shown(&self.base.join(key))
    }

    /// The fingerprints of the stored texts of all versions that have one of the current scheme.
    fn all_computed(&self, reader: &Reader) -> Computed {
        let registry = self.registry;
        let is_compared =
            |place: &VersionPlace| registry.entry(*place).fingerprint.is_some_and(|known| known.current().is_some());
        let places: Vec<VersionPlace> = registry.places().filter(is_compared).collect();
        let one = |place: VersionPlace| {
            let sha256 = registry.entry(place).sha256.as_ref()?.value.parse().ok()?;
            Some((place, self.computed(reader, place, &sha256)?))
        };
        threads::on_all(|| places.into_par_iter().filter_map(one).collect())
    }

    /// The fingerprint of a stored text for the prime-rl of a version; `None` if that is not recorded or moves on, or if the fingerprint can't be known
    /// from the text alone.
    fn computed(&self, reader: &Reader, place: VersionPlace, sha256: &Digest) -> Option<Fingerprint> {
        let prime_rl = self.registry.entry(place).prime_rl.as_ref()?;
        let target = Target::parse(reader.session.history, &prime_rl.value).ok()?;
        if target.is_beyond || target.name == MAIN {
            return None;
        }
        let path = self.base.join(&*self.registry.configs[place.config].path.value);
        reader.fingerprint_at(&path, &String::from_utf8((self.text)(sha256)?).ok()?, target)
    }

    /// The indices of the configs whose file is gone, although they are neither marked as removed nor left out of the work tree.
    pub(super) fn missing(&self, system: &dyn System) -> BTreeSet<usize> {
        let mut missing = place::gone(system, self.base, self.registry);
        missing.retain(|config| !(self.is_left_out)(&self.base.join(&*self.registry.configs[*config].path.value)));
        missing
    }

    /// The configs without a file of which an unregistered file has the text of a version: of several, the one with that of the current version; or
    /// else a file that was edited from one.
    pub(super) fn renamed(&self, reader: &Reader, missing: &BTreeSet<usize>, unregistered: &[String]) -> Vec<Renamed> {
        if missing.is_empty() {
            return Vec::new();
        }
        let mut files: HashMap<String, Vec<&String>> = HashMap::new();
        let mut texts: HashMap<&String, Vec<u8>> = HashMap::new();
        for key in unregistered.iter().rev() {
            if let Ok(bytes) = reader.cx.system.read(&self.base.join(key), Role::Config) {
                files.entry(self.registry.digest_of(&bytes).to_string()).or_default().push(key);
                texts.insert(key, bytes);
            }
        }
        let mut missing: Vec<usize> = missing.iter().copied().collect();
        let mut renamed = Vec::new();
        missing.retain(|&config| {
            let of = &self.registry.configs[config];
            let current = of.current_entry().into_iter();
            let mut of_texts = current.chain(of.versions.iter().rev()).filter_map(|entry| Some((entry, entry.sha256.as_ref()?)));
            let found = of_texts.find_map(|(entry, text)| Some((entry, files.get_mut(&*text.value)?.pop()?)));
            if let Some((entry, path)) = found {
                texts.remove(path);
                let label = entry.label.value.to_string();
                renamed.push(Renamed { config, label, path: path.clone(), is_edited: false, is_certain: true });
            }
            found.is_none()
        });
        if missing.is_empty() {
            return renamed;
        }
        let left: Vec<(&String, Lines, Metadata)> = unregistered
            .iter()
            .filter_map(|key| Some((key, texts.remove(key)?)))
            .take(MAX_COMPARED)
            .map(|(key, bytes)| {
                let (text, _) = cfg_syntax::decode(FileId(0), bytes);
                let metadata = reader.head(&self.base.join(key), &text).metadata;
                (key, Lines::of(&text), metadata)
            })
            .collect();
        let mut alike: Vec<(usize, &String, verify::Edited<'_>)> = Vec::new();
        for config in missing.into_iter().take(MAX_COMPARED) {
            let (of, stored) = (&self.registry.configs[config], StoredLines::default());
            alike.extend(left.iter().filter_map(|(key, lines, metadata)| {
                Some((config, *key, verify::edited_from(of, lines, metadata, &stored, self.text)?))
            }));
        }
        // Those that are certain belong together, and then the most similar ones.
        alike.order_by_key(|(_, _, edited)| std::cmp::Reverse((edited.is_certain, edited.likeness)));
        for (config, path, edited) in alike {
            if !renamed.iter().any(|known: &Renamed| known.config == config || known.path == *path) {
                let label = edited.entry.label.value.to_string();
                renamed.push(Renamed { config, label, path: path.clone(), is_edited: true, is_certain: edited.is_certain });
            }
        }
        renamed
    }
}

/// The fingerprints of stored texts, by their versions.
type Computed = HashMap<VersionPlace, Fingerprint>;

/// What was found at the path of a config.
struct ReadConfig {
    text: String,
    is_missing: bool,
    verified: Verified,
    /// The findings about the fingerprints of its versions.
    fingerprints: Vec<Diagnostic>,
    /// The parent that the config states for its version.
    stated_parent: Option<(VersionPlace, String)>,
}

fn is_of_file(diagnostic: &Diagnostic) -> bool {
    diagnostic.location.is_none_or(|location| location.file != REGISTRY_FILE)
}

/// Reads each config.
fn read_configs(reader: &Reader, seen: &Sight<'_>, computed: &Computed) -> Vec<ReadConfig> {
    let Sight { registry, base, object, .. } = *seen;
    let one = |index: usize| {
        let config = &registry.configs[index];
        let path = base.join(&*config.path.value);
        let fingerprints = || {
            let found = verify::fingerprints(registry, index, &|place, _| computed.get(&place).copied());
            if found.is_empty() || reader.has_own_prime_rl(&path) { Vec::new() } else { found }
        };
        let without_text = |file: File<'_>, is_missing| ReadConfig {
            text: String::new(),
            is_missing,
            verified: verify::config(registry, index, file, object),
            fingerprints: fingerprints(),
            stated_parent: None,
        };
        let bytes = match reader.cx.system.read(&path, Role::Config) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                let is_left_out = (seen.is_left_out)(&path);
                return without_text(if is_left_out { File::LeftOut } else { File::Missing }, !is_left_out);
            }
            Err(error) => return without_text(File::Unreadable(&error.to_string()), false),
        };
        let sha256 = registry.digest_of(&bytes);
        let (text, _) = cfg_syntax::decode(FileId(0), bytes);
        let head = reader.head(&path, &text);
        let registered = config.current_entry().and_then(|entry| entry.prime_rl.as_ref());
        let registered = registered.and_then(|name| Target::parse(reader.session.history, &name.value).ok());
        let fingerprint = || reader.fingerprint(&path, &text, registered.as_ref());
        let fingerprint_of = |text: &str| reader.fingerprint(&path, text, registered.as_ref());
        let stored = |sha256: &Digest| String::from_utf8((seen.text)(sha256)?).ok();
        let now = Held {
            text: &text,
            sha256,
            metadata: &head.metadata,
            model: head.model.as_deref(),
            fingerprint: &fingerprint,
            stored: &stored,
            fingerprint_of: &fingerprint_of,
        };
        let mut verified = verify::config(registry, index, File::Held(&now), object);
        if let Some(conflict) = cfg_syntax::conflict(&text).filter(|_| verified.has_changed) {
            // What a text with the marks of a merge says is not known.
            verified.diagnostics.retain(|found| !is_of_file(found));
            verified.diagnostics.push(cfg_syntax::unresolved_conflict(Location::new(FileId(0), conflict)));
        }
        let current = config.current.as_ref().and_then(|current| config.index_of(&current.value));
        let is_own = |entry: &usize| {
            head.metadata.version.as_ref().is_some_and(|version| version.value == config.versions[*entry].label.value)
        };
        let based_on = head.metadata.based_on.as_ref().map(|based_on| based_on.value.to_string());
        let stated_parent = current.filter(is_own).map(|entry| VersionPlace { config: index, entry }).zip(based_on);
        ReadConfig { text, is_missing: false, verified, fingerprints: fingerprints(), stated_parent }
    };
    threads::on_all(|| (0..registry.configs.len()).into_par_iter().map(one).collect())
}

/// The unregistered configs in the folders of registered ones, in order.
pub(super) fn unregistered(reader: &Reader, seen: &Sight<'_>) -> Vec<String> {
    let registry = seen.registry;
    let folders: BTreeSet<&str> =
        registry.configs.iter().map(|config| config.path.value.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders {
        let folder = if folder.is_empty() { seen.base.to_owned() } else { seen.base.join(folder) };
        for entry in reader.cx.system.list(&folder, Scope::Inside).unwrap_or_default() {
            let path = folder.join(entry.name);
            let Some(key) = place::key(seen.base, &path) else { continue };
            if may_be_config(&*reader.cx.system, &path) && registry.index_of(&key).is_none() {
                found.push((key, path));
            }
        }
    }
    found.sort();
    let is_config = |path: &Path| {
        reader.cx.system.read(path, Role::Config).is_ok_and(|bytes| {
            let (text, _) = cfg_syntax::decode(FileId(0), bytes);
            let head = reader.head(path, &text);
            is_config(reader, &path.to_string_lossy(), &head)
        })
    };
    threads::on_all(|| found.into_par_iter().filter(|(_, path)| is_config(path)).map(|(key, _)| key).collect())
}

/// Whether a text is a config, according to its keys.
pub(super) fn is_config(reader: &Reader, path: &str, head: &super::config::Head) -> bool {
    head.metadata.kind.is_some()
        || match guess_kind(reader.session.history, path, &head.document, false) {
            Family::Config(kind) | Family::Hosted(kind) => kind.is_run(),
            Family::OneOf(_) => true,
            Family::Evaluation(_) | Family::OtherProgram(_) | Family::Unclear => false,
        }
}

/// Whether a file of this name can be a config.
fn may_be_config(system: &dyn System, path: &Path) -> bool {
    let is_hidden = path.file_name().unwrap_or_default().to_string_lossy().starts_with('.');
    cfg_project::may_be_config(path) && !is_hidden && system.is_file(path)
}
