//! `cfg registry verify`: what is wrong between a registry, its configs, and what is kept of them.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use cfg_check::{KindGuess, guess_kind};
use cfg_diag::{Diagnostic, FileId, Location, Severity};
use cfg_registry::{
    fingerprint::Digest,
    lineage::Lineage,
    registry::{Place, REGISTRY_FILE},
    store::Access,
    verify::{self, Drift, File, Held, Object, Verified},
};
use cfg_report::{FileReport, Reporter, Sources, Verdict};
use rayon::prelude::*;

use super::{
    config::Reader,
    open::{Opened, open},
    place,
};
use crate::{
    Outcome,
    args::{Common, Deny, Verify},
    commands::format_of_findings,
    terminal,
};

pub(super) fn run(common: &Common, asked: &Verify) -> io::Result<Outcome> {
    let Ok(format) = format_of_findings(common.format) else {
        terminal::complain("findings can't be printed in this format");
        return Ok(Outcome::Failed);
    };
    let Some(reader) = Reader::new(common) else { return Ok(Outcome::Failed) };
    let Some(opened) = open(&asked.path, Access::Read)? else { return Ok(Outcome::Failed) };
    let files = look(&reader, &opened);
    let registry_name = place::shown(&opened.path);
    let mut of_registry = opened.diagnostics.clone();
    let mut of_files: Vec<(String, &str, Vec<Diagnostic>)> = Vec::new();
    let mut drift = Drift::default();
    let mut headers = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        let path = &*opened.registry.configs[index].path.value;
        let (of_file, others): (Vec<_>, Vec<_>) = file.verified.diagnostics.iter().cloned().partition(is_of_file);
        of_registry.extend(others);
        if !of_file.is_empty() {
            of_files.push((place::shown(&opened.file(path)), &file.text, of_file));
        }
        if file.verified.has_changed {
            drift.changed.insert(index);
        }
        if file.is_missing {
            drift.missing.insert(index);
        }
        headers.extend(file.stated_parent.clone());
    }
    let lineage = Lineage::new(&opened.registry, &headers);
    of_registry.extend(verify::graph(&opened.registry, &lineage, &drift));
    for path in unregistered(&reader, &opened)? {
        let name = place::shown(&opened.file(&path));
        of_files.push((name.clone(), "", vec![verify::unregistered(&name)]));
    }
    of_registry.sort_by_key(|diagnostic| diagnostic.location.map(|location| location.span));
    of_files.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    report(common, asked, format, &opened, &registry_name, &of_registry, of_files)
}

/// What was found at the path of a config.
struct Looked {
    text: String,
    is_missing: bool,
    verified: Verified,
    /// The parent that it states of the version that it holds.
    stated_parent: Option<(Place, String)>,
}

fn is_of_file(diagnostic: &Diagnostic) -> bool {
    diagnostic.location.is_none_or(|location| location.file != REGISTRY_FILE)
}

/// Looks at each config.
fn look(reader: &Reader<'_>, opened: &Opened) -> Vec<Looked> {
    let (registry, base, objects) = (&opened.registry, &opened.base, opened.store.objects_folder());
    let object = |digest: &Digest| match fs::read(objects.join(digest.to_string())) {
        Ok(bytes) if Digest::of(&bytes) == *digest => Object::Whole,
        Ok(_) => Object::Damaged,
        Err(_) => Object::Missing,
    };
    let one = |index: usize| {
        let config = &registry.configs[index];
        let path = base.join(&*config.path.value);
        let without_text = |file: File<'_>, is_missing| Looked {
            text: String::new(),
            is_missing,
            verified: verify::config(registry, index, file, &object),
            stated_parent: None,
        };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return without_text(File::Missing, true);
            }
            Err(error) => return without_text(File::Unreadable(&error.to_string()), false),
        };
        let sha256 = Digest::of(&bytes);
        let (text, _) = cfg_syntax::decode(FileId(0), bytes);
        let head = reader.head(&text);
        let fingerprint = || reader.fingerprint(&path, &text);
        let now = Held { text: &text, sha256, metadata: &head.metadata, model: head.model.as_deref(), fingerprint: &fingerprint };
        let verified = verify::config(registry, index, File::Held(&now), &object);
        let current = config.current.as_ref().and_then(|current| config.index_of(&current.value));
        let is_own = |entry: &usize| {
            head.metadata.version.as_ref().is_some_and(|version| version.value == config.versions[*entry].label.value)
        };
        let based_on = head.metadata.based_on.as_ref().map(|based_on| based_on.value.to_string());
        let stated_parent = current.filter(is_own).map(|entry| Place { config: index, entry }).zip(based_on);
        Looked { text, is_missing: false, verified, stated_parent }
    };
    (0..registry.configs.len()).into_par_iter().map(one).collect()
}

/// The configs beside registered ones that are not registered, in order.
fn unregistered(reader: &Reader<'_>, opened: &Opened) -> io::Result<Vec<String>> {
    let registry = &opened.registry;
    let folders: BTreeSet<&str> =
        registry.configs.iter().map(|config| config.path.value.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(opened.file(folder)) else { continue };
        for entry in entries {
            let path = entry?.path();
            let Some(key) = place::key(&opened.base, &path) else { continue };
            if may_be_config(&path) && registry.index_of(&key).is_none() {
                found.push((key, path));
            }
        }
    }
    found.sort();
    let is_config = |path: &Path| {
        fs::read(path).is_ok_and(|bytes| {
            let (text, _) = cfg_syntax::decode(FileId(0), bytes);
            let head = reader.head(&text);
            is_config(reader, &path.to_string_lossy(), &head)
        })
    };
    Ok(found.into_par_iter().filter(|(_, path)| is_config(path)).map(|(key, _)| key).collect())
}

/// Whether a text is a config, as far as its keys tell.
pub(super) fn is_config(reader: &Reader<'_>, path: &str, head: &super::config::Head) -> bool {
    head.metadata.kind.is_some()
        || !matches!(guess_kind(reader.session.history, path, &head.document, false), KindGuess::NoConfig(_))
}

/// Whether a file of this name can be a config at all.
pub(super) fn may_be_config(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    is_toml && name != "cfg.toml" && name != "pyproject.toml" && !name.to_string_lossy().starts_with('.') && path.is_file()
}

fn report(
    common: &Common,
    asked: &Verify,
    format: cfg_report::Format,
    opened: &Opened,
    registry_name: &str,
    of_registry: &[Diagnostic],
    mut of_files: Vec<(String, &str, Vec<Diagnostic>)>,
) -> io::Result<Outcome> {
    let failing = if asked.deny == Some(Deny::Warnings) { Severity::Warning } else { Severity::Error };
    // One list of sources for all, so that the lines of a long registry are counted once.
    for (number, (.., diagnostics)) in of_files.iter_mut().enumerate() {
        let own = FileId(number as u32);
        let renumber = |location: &mut Location| {
            if location.file != REGISTRY_FILE {
                location.file = own;
            }
        };
        for diagnostic in diagnostics {
            diagnostic.location.iter_mut().for_each(renumber);
            diagnostic.related.iter_mut().map(|related| &mut related.location).for_each(renumber);
        }
    }
    let mut sources = Sources::new();
    sources.insert(REGISTRY_FILE, registry_name, &opened.registry.text);
    for (number, (name, text, _)) in of_files.iter().enumerate() {
        sources.insert(FileId(number as u32), name, text);
    }
    let mut stream =
        Reporter::new(format, terminal::style(common.color)).failing_at(failing).stream(BufWriter::new(io::stdout().lock()));
    let mut has_failed = false;
    let listed = of_files.iter().map(|(name, _, diagnostics)| (name.as_str(), diagnostics.as_slice()));
    for (path, diagnostics) in std::iter::once((registry_name, of_registry)).chain(listed) {
        has_failed |= diagnostics.iter().any(|diagnostic| diagnostic.severity >= failing);
        stream.file(&FileReport { path, kind: None, target: None, verdict: Verdict::Ok, diagnostics }, &sources)?;
    }
    let summary = stream.summary();
    let code = summary.first_code.map(|code| format!("\n`cfg explain {}` tells more", code.code)).unwrap_or_default();
    let versions: usize = opened.registry.configs.iter().map(|config| config.versions.len()).sum();
    let configs = cfg_report::count(opened.registry.configs.len(), "config");
    let closing = format!("{} ({configs}, {}){code}", summary.sentence(), cfg_report::count(versions, "version"));
    stream.finish(&closing)?;
    Ok(if has_failed { Outcome::Found } else { Outcome::Clean })
}
