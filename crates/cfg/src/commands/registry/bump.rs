//! `cfg bump`: registers a config as a new version.

mod message;
mod tell;

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

use cfg_check::{Checked, Verdict};
use cfg_diag::{Severity, codes, word};
use cfg_registry::{
    bump::{self, Refusal, Request},
    fingerprint::{Difference, Digest, Edit, Fingerprint, Meaning, compare, edits},
    place,
    store::{Change, Kept, Replace, Writer},
};
use cfg_system::Role;

use super::{
    config::Reader,
    open::{Opened, open_sound, open_to_change},
    today::today,
};
use crate::{
    CommandResult, Outcome,
    args::Bump,
    commands::diff::hints::{Course, hints, shared_run_name},
    context::Context,
};

pub(crate) fn run(cx: &Context, asked: &Bump) -> CommandResult {
    let Some(reader) = Reader::new(cx) else { return Ok(Outcome::Failed) };
    let why = match &asked.message {
        Some(why) => why.clone(),
        // What would be recorded is known without a reason; a document has the sha256 of the text with it.
        None if asked.dry_run && !cx.is_for_program() => message::UNKNOWN.to_owned(),
        None => match message::asked_for(&reader, &open_sound(cx, &asked.path)?, asked) {
            Ok(why) => why,
            Err(unmade) => return Ok(unmade.tell(cx)),
        },
    };
    if asked.dry_run {
        return match plan(&reader, &open_sound(cx, &asked.path)?, asked, &why) {
            Ok((made, _)) => {
                tell::warnings(cx, asked, &made);
                tell::written(cx, asked, &made)?;
                cx.say("nothing was written");
                Ok(Outcome::Clean)
            }
            Err(unmade) => Ok(unmade.tell(cx)),
        };
    }
    let (opened, writer) = open_to_change(cx, &asked.path)?;
    let (made, change) = match plan(&reader, &opened, asked, &why) {
        Ok(planned) => planned,
        Err(unmade) => return Ok(unmade.tell(cx)),
    };
    tell::warnings(cx, asked, &made);
    // A person reads what is recorded before it is; a program gets only what has been done.
    let is_read = !cx.is_for_program() && io::stdout().is_terminal();
    if is_read {
        tell::written(cx, asked, &made)?;
    }
    if let Err(error) = writer.commit(&change) {
        return Ok(failed(error.to_string()).tell(cx));
    }
    let objects = opened.store.objects_folder();
    if cfg_project::outside_of_sparse_checkout(&*cx.system, &opened.base).iter().any(|path| path.starts_with(&objects)) {
        cx.note(&format!(
            "{} is outside of this sparse checkout, so `git add` leaves the text of this version out: `git sparse-checkout add .cfg`",
            cx.system.shown(&objects)
        ));
    }
    if is_read {
        cx.say(&format!("{} is registered", made.planned.to));
    } else {
        tell::written(cx, asked, &made)?;
    }
    Ok(Outcome::Clean)
}

/// A new version.
pub(super) struct Made {
    /// The config's path in the registry.
    pub(super) key: String,
    pub(super) planned: bump::Bump,
    before: Option<Meaning>,
    now: Option<Meaning>,
    checked_before: Option<Checked>,
    checked: Checked,
}

impl Made {
    /// The differences in meaning from the previous version; `None` if they are unknown.
    pub(super) fn differences(&self) -> Option<Vec<Difference<'_>>> {
        Some(compare(self.before.as_ref()?, self.now.as_ref()?))
    }

    /// The edits since the previous version, in the order of their importance; `None` if they are unknown.
    pub(super) fn edits(&self) -> Option<Vec<Edit<'_>>> {
        Some(edits(self.before.as_ref()?, self.now.as_ref()?, &self.differences()?))
    }

    /// Effects of the change on a training step and on the names of runs, as sentences.
    pub(super) fn hints(&self) -> Vec<String> {
        let mut told: Vec<String> =
            self.planned.unknown_parent.as_deref().map(|stated| self.without_parent(stated)).into_iter().collect();
        let courses = self.checked_before.as_ref().and_then(Course::of).zip(Course::of(&self.checked));
        let Some((before, now)) = &courses else { return told };
        told.extend(hints(before, now));
        let changes = self.differences().is_some_and(|differences| !differences.is_empty());
        told.extend(shared_run_name(before, now).filter(|_| changes).map(|name| {
            format!(
                "runs of both versions have the name `{name}` in Weights & Biases: change `wandb.name` before the bump to \
                distinguish them"
            )
        }));
        told
    }

    /// The message if the parent that the file states is not a registered version.
    fn without_parent(&self, stated: &str) -> String {
        let key = word(&self.key);
        format!(
            "`{stated}`, the stated parent, is not in this registry, so {} has no parent; run `cfg registry adopt` to register \
             the versions of {key} in the git history, or pass `--based-on FILE:VERSION`",
            self.planned.to
        )
    }
}

/// Why no version was created.
pub(super) struct Unmade {
    pub(super) why: String,
    outcome: Outcome,
}

impl Unmade {
    fn tell(&self, cx: &Context) -> Outcome {
        cx.complain(&self.why);
        self.outcome
    }
}

const fn failed(why: String) -> Unmade {
    Unmade { why, outcome: Outcome::Failed }
}

/// Creates a new version of a config.
pub(super) fn make(reader: &Reader, opened: &Opened, writer: &Writer, asked: &Bump, why: &str) -> Result<Made, Unmade> {
    let (made, change) = plan(reader, opened, asked, why)?;
    writer.commit(&change).map_err(|error| failed(error.to_string()))?;
    Ok(made)
}

/// Computes a new version of a config, and the change that creates it.
fn plan(reader: &Reader, opened: &Opened, asked: &Bump, why: &str) -> Result<(Made, Change), Unmade> {
    let system = &*reader.cx.system;
    let path = system.plain(&asked.path);
    let outside = || format!("{} is outside {}", asked.path.display(), system.shown(&opened.base));
    let key = place::key(&opened.base, &path).ok_or_else(|| failed(outside()))?;
    let bytes = opened.store.read(&asked.path, Role::Config).map_err(|error| failed(error.to_string()))?;
    let no_text = |_| failed(format!("{} is not UTF-8, so prime-rl would refuse it", asked.path.display()));
    let old = String::from_utf8(bytes).map_err(no_text)?;
    let text = reader.converted(&asked.path, &old);
    let checked = reader.check(&asked.path, &text);
    if let Some(conflict) = super::conflict_in(&asked.path, &text) {
        return Err(failed(conflict));
    }
    let unmerged = cfg_project::unmerged(system, path.parent().unwrap_or(&path)).unwrap_or_default();
    if unmerged.iter().any(|file| system.real(&file.path).ok() == system.real(&path).ok()) {
        let (name, word) = (asked.path.display(), word(&asked.path.to_string_lossy()).into_owned());
        return Err(failed(format!("{name} is not merged: `cfg registry merge {word}`, then `git add {word}` when it is right")));
    }
    if !asked.force {
        is_fit(&asked.path, reader.completed(&asked.path, &text, &checked).as_ref().unwrap_or(&checked))
            .map_err(|why| Unmade { why, outcome: Outcome::Found })?;
    }
    let now = Reader::meaning(&checked);
    let checked_before = checked_before(reader, opened, &key, &asked.path);
    let before = checked_before.as_ref().and_then(Reader::meaning);
    let head = reader.head(&asked.path, &text);
    let of_meaning = |meaning: &Option<Meaning>| meaning.as_ref().map(Fingerprint::of_meaning);
    let target = checked.is_stated().then(|| checked.target.name.clone());
    let request = Request {
        registry: &opened.registry,
        path: &key,
        text: &text,
        metadata: &head.metadata,
        fingerprint: of_meaning(&now),
        previous: of_meaning(&before),
        why: why.trim(),
        level: asked.level.map(Into::into),
        based_on: asked.based_on.as_deref(),
        today: &today(reader.cx.host()),
        prime_rl: target.as_deref(),
        model: head.model.as_deref(),
        is_forced: asked.force,
    };
    let planned = bump::plan(&request).map_err(|refusal| {
        let is_no_change = matches!(refusal, Refusal::Unchanged { .. } | Refusal::OnlyComments { .. });
        let outcome = if is_no_change { Outcome::Found } else { Outcome::Failed };
        Unmade { why: refusal.message(&opened.registry, &key), outcome }
    })?;
    let registry_text = opened.registry.text.clone().into_bytes();
    let change = Change {
        what: format!("bump {key} to {}", planned.to),
        objects: vec![Kept { bytes: planned.text.clone().into_bytes(), like: Some(asked.path.clone()) }],
        registry: Some(Replace {
            path: opened.store.registry().to_owned(),
            old: Some(registry_text),
            new: Some(planned.registry.clone()),
        }),
        files: vec![Replace { path: asked.path.clone(), old: Some(old.into_bytes()), new: Some(planned.text.clone()) }],
    };
    Ok((Made { key, planned, before, now, checked_before, checked }, change))
}

/// Checks that a config may become a version: prime-rl must accept it, and it must not contain a secret, which would be stored permanently.
fn is_fit(path: &Path, checked: &Checked) -> Result<(), String> {
    let path = path.to_string_lossy();
    let word = word(&path);
    if checked.diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::SECRET_IN_CONFIG) {
        return Err(format!(
            "{path} contains a secret, and registered texts are kept forever: remove it (`cfg check {word}` shows it), or use \
             --force to register it anyway"
        ));
    }
    if !checked.is_config || checked.verdict == Verdict::Rejected {
        let errors = checked.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        return Err(format!(
            "prime-rl {} refuses {path} ({}; see `cfg check {word}`); use --force to register it anyway",
            checked.target,
            cfg_report::count(errors, "error")
        ));
    }
    Ok(())
}

/// The result of checking the current version, if its text is stored.
fn checked_before(reader: &Reader, opened: &Opened, key: &str, path: &Path) -> Option<Checked> {
    let entry = opened.registry.config(key)?.current_entry()?;
    let digest: Digest = entry.sha256.as_ref()?.value.parse().ok()?;
    let text = String::from_utf8(opened.store.object(&digest)?).ok()?;
    Some(reader.check(path, &reader.converted(path, &text)))
}
