//! The migration of one file.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use cfg_check::{Certainty, Checked, CheckedCommand, Completed, Fragment, Session};
use cfg_diag::{Code, Diagnostic, FileId, LineIndex, Location, PositionEncoding, codes, one_line};
use cfg_migrate::{Decision, Done, Failure, Migration, Request, migrate, migrate_text};
use cfg_schema::{Kind, Target};

use super::{Job, Waiting, origin::File, together::refusals, unclear::Unclear, unused::dense_model};
use crate::commands::read::{not_toml, started, why};

/// A config and its migration.
pub(super) struct MigratedConfig {
    /// Its path in messages.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// The byte order mark before the text, if there is one.
    pub(super) mark: &'static str,
    /// Its text before the migration.
    pub(super) old: String,
    /// The lines of the old text.
    pub(super) lines: LineIndex,
    pub(super) migration: Migration,
    /// For each of the [new faults](Migration::new_faults), the first release that has it.
    pub(super) since: Vec<String>,
    /// For each decision, what happens to its key if all moves are applied, including unsafe ones.
    pub(super) forced: Vec<Option<Done>>,
    /// The config that names it in `toml_files`.
    pub(super) named_by: Option<String>,
    /// Whether other files complete it: what it lacks alone is no fault.
    pub(super) is_completed: bool,
    /// The files that it overrides.
    pub(super) bases: Vec<String>,
    /// What prime-rl refuses of it with these files, or with the flags with which a script starts it, each as a line.
    pub(super) beside: Vec<String>,
    /// The model, if it is known to have no experts.
    pub(super) dense: Option<String>,
    /// Where the old prime-rl is stated: "read from uv.lock"; `None` if it is not.
    pub(super) why: Option<String>,
    /// The new text with the flags of the launch commands in its comments changed, if there are such.
    pub(super) commented: Option<String>,
}

impl MigratedConfig {
    /// The new text with the byte order mark.
    pub(super) fn new_text(&self) -> String {
        format!("{}{}", self.mark, self.commented.as_deref().unwrap_or(&self.migration.text))
    }

    /// Whether the user has nothing to decide because of the migration. What a part lacks may be in another file.
    pub(super) fn is_settled(&self) -> bool {
        let lacks = |code: Code| self.migration.is_part && code == &codes::MISSING_KEY;
        let migration = &self.migration;
        migration.stuck.is_none()
            && migration.decisions.is_empty()
            && migration.new_faults().iter().all(|fault| lacks(fault.finding.code))
    }

    /// What the new prime-rl refuses of it. What a part lacks may be in another file.
    pub(super) fn refused(&self) -> impl Iterator<Item = &Diagnostic> {
        let lacks = |found: &Diagnostic| self.migration.is_part && found.code == &codes::MISSING_KEY;
        self.migration.remaining().filter(move |found| found.native.is_some() && !found.is_echo && !lacks(found))
    }

    pub(super) fn is_changed(&self) -> bool {
        self.migration.text != self.old || self.commented.is_some()
    }

    /// The line number, counted from one, of a location in the old text.
    pub(super) fn line_of(&self, location: Option<Location>) -> Option<u32> {
        let location = location.filter(|location| location.file == FileId(0))?;
        Some(self.lines.line_column(&self.old, location.span.start, PositionEncoding::Utf8).line + 1)
    }
}

/// Why a config can't be migrated to an older prime-rl.
pub(super) fn backwards(name: &str, from: &Target, kind: Kind) -> String {
    let name = one_line(name);
    if kind.is_hosted() {
        return format!(
            "{name} is for hosted training, which runs prime-rl {from}: there is nothing to migrate; `cfg check {name}` says what it refuses"
        );
    }
    // Also of a text with keys that no known commit has.
    let later = if from.name == "main" { " or later" } else { "" };
    format!("{name} is written for prime-rl {from}{later}, which is newer; configs can only be migrated to a newer version")
}

impl Job<'_> {
    /// Migrates a file. What is to be said about it is added to `notes`, because other threads migrate others.
    pub(super) fn one(&self, waiting: Waiting, notes: &mut Vec<String>) -> Result<MigratedConfig, Unclear> {
        let is_stdin = waiting.path == Path::new("-");
        let stands_for = self.arguments.stdin_filename.as_deref().unwrap_or(Path::new("<stdin>"));
        let path = if is_stdin { stands_for } else { &waiting.path };
        let name = path.to_string_lossy().into_owned();
        let bytes = waiting.bytes.map_err(|error| Unclear::Message(format!("{name} can't be read: {}", why(&error))))?;
        if let Some(why) = not_toml(path) {
            return Err(Unclear::Message(why));
        }
        let Ok(whole) = std::str::from_utf8(&bytes) else {
            return Err(Unclear::Message(format!("{name} is not UTF-8; run `cfg check` for the place")));
        };
        let text = whole.strip_prefix(MARK).unwrap_or(whole).to_owned();
        let mark = if whole.len() > text.len() { MARK } else { "" };
        let hides_target = || self.cx.refused_settings(self.session, path).filter(|_| !states_target(self.session, &name, &text));
        if let Some(why) = waiting.from.is_none().then(hides_target).flatten() {
            return Err(Unclear::Message(format!("{why}; pass `--from`")));
        }
        let to = self.goal(path, notes);
        if let Some(why) = waiting.kind.is_none().then(|| self.of_own_program(path, &name, &text)).flatten() {
            return Err(Unclear::Message(why));
        }
        let origin = self.origin(waiting.from, &File { path, name: &name, text: &text }, &to, notes);
        let mut request = Request {
            path: &name,
            text: &text,
            kind: waiting.kind,
            from: origin.target,
            to,
            makes_all: self.arguments.unsafe_fixes,
            keeps_defaults: self.arguments.keep_defaults,
            is_part: waiting.is_part,
        };
        let (mut is_completed, mut bases, mut beside) = (false, Vec::new(), Vec::new());
        let mut migrated = migrate(self.session, &request);
        let mut why = origin.why;
        let alone = match &migrated {
            Err(Failure::NoConfig(alone)) => Some(&**alone),
            Ok(alone) => Some(&alone.before),
            Err(_) => None,
        };
        let part = alone.filter(|alone| alone.is_part() && !waiting.is_part && !is_stdin);
        if let Some((completed, alone)) = part.and_then(|alone| Some((self.completed_by(&request, alone)?, alone)))
            && let Some(kind) = completed.command.checked.kind
        {
            let whole = &completed.command.checked;
            let named = completed.bases.join(", ");
            notes.push(format!("{} is read with {}", one_line(&name), one_line(&named)));
            is_completed = true;
            request = Request { kind: Some(kind), is_part: true, ..request };
            // What it overrides shows better than its own few keys for which prime-rl it is.
            let is_shown = !matches!(whole.certainty, Certainty::Assumed(None) | Certainty::Unknown);
            if request.from.is_none() && alone.is_assumed() && is_shown && !named.is_empty() {
                request.from = Some(whole.target.clone());
                why = Some(format!("read with {}, which it overrides", one_line(&named)));
            }
            beside = refused_in_others(&completed.command, &name);
            bases = completed.bases;
            migrated = migrate(self.session, &request);
        } else if let Ok(Migration { from, to, before, .. }) = &migrated
            // The flags of a config that is still to be migrated are migrated with the scripts.
            && from.point == to.point
            && !waiting.is_part
            && !is_stdin
            && let Some(found) = started(self.cx, self.session, path, before, Some(to))
        {
            let is_of_script = |found: &Diagnostic| found.location.is_some_and(|at| at.file == FileId(0));
            beside = found.command.iter().chain(&found.refused).flat_map(|command| refusals(command, is_of_script)).collect();
        }
        let mut migration = match migrated {
            Ok(migration) => migration,
            Err(failure) => return Err(Unclear::Failure(name, text, Box::new(failure))),
        };
        // A migration updates the metadata itself, also of a text with keys that are left to decide.
        if !states_target(self.session, &name, &text)
            && let Some(older) = self.asks_for_from(&migration, &name, &text, why.as_deref())
        {
            return Err(Unclear::Older(Box::new(older)));
        }
        // Each takes further migrations of the text, and a summary has neither.
        let (since, forced) = if self.is_detailed {
            (since(self.session, &request, &migration), forced(self.session, &request, &migration))
        } else {
            (Vec::new(), Vec::new())
        };
        let dense = [&migration.after, &migration.before].into_iter().find_map(dense_model);
        // They have been compared; those of all configs of a project would take much memory.
        (migration.before.resolved, migration.after.resolved) = (None, None);
        let lines = LineIndex::new(&text);
        Ok(MigratedConfig {
            name,
            mark,
            old: text,
            lines,
            migration,
            since,
            forced,
            named_by: waiting.named_by,
            is_completed,
            bases,
            beside,
            dense,
            why,
            commented: None,
            bytes,
        })
    }
}

/// What is refused of a config of several files elsewhere than in the file of this name.
fn refused_in_others(command: &CheckedCommand, name: &str) -> Vec<String> {
    refusals(command, |found| {
        let at = found.location.and_then(|at| command.texts.get(at.file));
        at.is_none_or(|text| text.path != name)
    })
}

impl Job<'_> {
    /// Why a file of one of the project's own programs can't be migrated. Only projects with such programs have such files.
    fn of_own_program(&self, path: &Path, name: &str, text: &str) -> Option<String> {
        if self.session.projects().own_programs(path).is_empty() {
            return None;
        }
        let of = self.look(name, text, true, None).of_own_program()?;
        Some(format!("{} is a config {of}, which is none of prime-rl's: there is nothing to migrate", one_line(name)))
    }

    /// The result of checking a part of a config with the files that it overrides.
    fn completed_by(&self, request: &Request<'_>, alone: &Checked) -> Option<Completed> {
        let Request { path, text, .. } = *request;
        if self.cx.common.states_kind() || cfg_check::states_kind(self.session, path, text) {
            return None;
        }
        let target = request.from.as_ref();
        let part = Fragment { session: self.session, system: &*self.cx.system, path, text, target, project: None };
        cfg_check::completed_by(part, alone)
    }
}

/// The byte order mark, which some editors write.
const MARK: &str = "\u{feff}";

/// What happens to the key of each decision if all moves are applied.
fn forced(session: &Session, request: &Request<'_>, migration: &Migration) -> Vec<Option<Done>> {
    if migration.decisions.is_empty() || request.makes_all {
        return vec![None; migration.decisions.len()];
    }
    let (from, to) = (Some(migration.from.clone()), request.to.clone());
    let all = migrate_text(session, &Request { from, to, makes_all: true, keeps_defaults: false, ..*request }).ok();
    let mut by_key: HashMap<(Location, &str), &Done> = HashMap::new();
    for done in all.iter().flat_map(|all| &all.done) {
        if let Some(location) = done.location {
            by_key.entry((location, &done.old)).or_insert(done);
        }
    }
    let of = |decision: &Decision| by_key.get(&(decision.location?, &*decision.key)).map(|done| (*done).clone());
    migration.decisions.iter().map(of).collect()
}

/// Whether a config itself states its prime-rl.
pub(super) fn states_target(session: &Session, name: &str, text: &str) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml11);
    let (metadata, _) = session.metadata(FileId(0), name, text, &document);
    metadata.target.is_some() || metadata.is_target_refused
}

/// The bytes of a text up to which the releases between the two targets are searched for the first one that refuses a value.
const LONGEST_SEARCHED: usize = 1 << 18;

/// The first release for each value that only the new prime-rl refuses, or with which only its runs fail.
fn since(session: &Session, request: &Request<'_>, migration: &Migration) -> Vec<String> {
    let faults = migration.new_faults();
    let mut since: Vec<Option<String>> = vec![None; faults.len()];
    // A long text is migrated once: its faults get the release of the target.
    if since.is_empty() || request.text.len() > LONGEST_SEARCHED {
        return since.into_iter().map(|_| migration.to.name.clone()).collect();
    }
    let releases = session.history.releases().map(Target::from);
    for release in releases.filter(|release| migration.from.point < release.point && release.point < migration.to.point) {
        if since.iter().all(Option::is_some) {
            break;
        }
        let on_the_way = Request { from: Some(migration.from.clone()), to: release.clone(), ..*request };
        let Ok(there) = migrate_text(session, &on_the_way) else { continue };
        let there: Vec<_> = there.refusals().into_iter().chain(there.new_errors()).collect();
        let messages: HashSet<(&str, &str)> =
            there.iter().map(|other| (other.finding.code.code, &*other.finding.message)).collect();
        let places: HashSet<(&str, Location)> =
            there.iter().filter_map(|other| Some((other.finding.code.code, other.location?))).collect();
        for (since, fault) in since.iter_mut().zip(&faults) {
            let code = fault.finding.code.code;
            let is_there = messages.contains(&(code, &*fault.finding.message))
                || fault.location.is_some_and(|location| places.contains(&(code, location)));
            if since.is_none() && is_there {
                *since = Some(release.name.clone());
            }
        }
    }
    since.into_iter().map(|since| since.unwrap_or_else(|| migration.to.name.clone())).collect()
}
