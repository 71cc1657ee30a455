//! `cfg migrate`: rewrites configs for another prime-rl.

mod json;
mod report;
mod together;

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::Session;
use cfg_diag::{FileId, LineIndex, Location, PositionEncoding, Verdict, one_line};
use cfg_migrate::{Changed, Decision, Done, Failure, Migration, Request, migrate};
use cfg_registry::fingerprint::Class;
use cfg_report::Sources;
use cfg_schema::{Kind, Target};
use cfg_system::Role;
use memchr::memmem;

use super::{Listing, check::edit::diff, read::not_toml};
use crate::{CommandResult, Outcome, args::Migrate, context::Context};
use together::Together;

/// A config and its migration.
struct MigratedConfig {
    /// Its path in messages.
    name: String,
    bytes: Vec<u8>,
    /// The byte order mark before the text, if there is one.
    mark: &'static str,
    /// Its text before the migration.
    old: String,
    /// The lines of the old text.
    lines: LineIndex,
    migration: Migration,
    /// For each of the [new faults](Migration::new_faults), the first release that has it.
    since: Vec<String>,
    /// For each decision, what happens to its key if all moves are applied, including unsafe ones.
    forced: Vec<Option<Done>>,
    /// The config that names it in `toml_files`.
    named_by: Option<String>,
}

impl MigratedConfig {
    /// The new text with the byte order mark.
    fn new_text(&self) -> String {
        format!("{}{}", self.mark, self.migration.text)
    }

    fn is_changed(&self) -> bool {
        self.migration.text != self.old
    }

    /// The line number, counted from one, of a location in the old text.
    fn line_of(&self, location: Option<Location>) -> Option<u32> {
        let location = location.filter(|location| location.file == FileId(0))?;
        Some(self.lines.line_column(&self.old, location.span.start, PositionEncoding::Utf8).line + 1)
    }
}

pub(crate) fn run(cx: &Context, arguments: &Migrate) -> CommandResult {
    let listing = Listing::of(cx);
    let wanted = match (&arguments.to, &cx.common.target) {
        (Some(to), None) | (None, Some(to)) => to.clone(),
        (Some(_), Some(_)) => {
            cx.complain("missing target: pass `--to`, and `--from` if the file does not state it");
            return Ok(Outcome::Failed);
        }
        (None, None) => {
            cx.complain("missing target, such as `--to 0.8.0`");
            return Ok(Outcome::Failed);
        }
    };
    // The target of the command line is that of the result; the files to read have another one.
    let cx = &cx.without_target();
    let is_stdin = arguments.paths.iter().any(|path| path == Path::new("-"));
    if is_stdin && arguments.paths.len() > 1 {
        cx.complain("standard input can't be combined with files");
        return Ok(Outcome::Failed);
    }
    let session = cx.session();
    let parse = |text: &str| cx.named_target(text).map_err(|error| cx.complain(&error));
    let Ok(to) = parse(&wanted) else { return Ok(Outcome::Failed) };
    let Ok(from) = arguments.from.as_deref().map(parse).transpose() else { return Ok(Outcome::Failed) };
    let job = Job { cx, arguments, session: &session, to };
    let Some(all) = job.all(from.as_ref())? else { return Ok(Outcome::Failed) };
    // Files that form one config are also checked together, which is more exact than checking each alone.
    let together: Vec<Together> = all.iter().filter_map(|way| Together::of(cx, &session, way, &all)).collect();
    let is_complete = |way: &MigratedConfig| {
        let whole = together.iter().find(|together| together.has(cx, &way.name));
        let is_whole = |whole: &Together| whole.is_accepted() && whole.new_errors().next().is_none();
        whole.map_or_else(|| way.migration.is_complete(), |whole| is_whole(whole) && way.migration.decisions.is_empty())
    };
    let mut outcome = if all.iter().all(is_complete) { Outcome::Clean } else { Outcome::Found };
    if arguments.diff {
        for way in all.iter().filter(|way| way.is_changed()) {
            let old = format!("{}{}", way.mark, way.old);
            cx.print_view(&diff(&way.name, &old, &way.new_text()))?;
            outcome = Outcome::Found;
        }
        all.iter().for_each(|way| cx.say(&report::sentence(&way.migration, report::Mode::Shown)));
        return Ok(outcome);
    }
    if let ([way], true) = (all.as_slice(), is_stdin && arguments.write) {
        cx.print(way.new_text().as_bytes())?;
        cx.say(&report::sentence(&way.migration, report::Mode::Written));
        return Ok(outcome);
    }
    if arguments.write && !write_all(cx, &all) {
        return Ok(Outcome::Failed);
    }
    let mode = if arguments.write { report::Mode::Written } else { report::Mode::Planned };
    let mut out = io::BufWriter::new(cx.out());
    if listing == Listing::Text {
        let files: Vec<(Kind, &str)> = all.iter().map(|way| (way.migration.kind, &*way.name)).collect();
        for (index, way) in all.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            report::write(&mut out, cx, &session, (way, files.as_slice()), mode)?;
        }
        for whole in &together {
            report::write_together(&mut out, cx, &session, whole)?;
        }
    } else {
        let sources: Vec<Sources<'_>> = all.iter().map(|way| Sources::single(&way.name, &way.migration.text)).collect();
        let documents: Vec<_> = all.iter().zip(&sources).map(|(way, sources)| json::report(&way.name, way, sources)).collect();
        match documents.as_slice() {
            [document] => listing.write_one(&mut out, document)?,
            documents => listing.write(&mut out, documents)?,
        }
    }
    out.flush()?;
    Ok(outcome)
}

/// Writes all files or none, because a config of which only some files are migrated is valid for neither prime-rl. Returns whether they were written.
fn write_all(cx: &Context, all: &[MigratedConfig]) -> bool {
    let mut written: Vec<&MigratedConfig> = Vec::new();
    for way in all.iter().filter(|way| way.is_changed()) {
        let Err(error) = cx.writer.replace(Path::new(&way.name), &way.bytes, way.new_text().as_bytes()) else {
            written.push(way);
            continue;
        };
        cx.complain(&format!("{} can't be written: {error}", way.name));
        for way in written {
            let again = match cx.writer.replace(Path::new(&way.name), way.new_text().as_bytes(), &way.bytes) {
                Ok(()) => "was not changed, because all files of a config change together".to_owned(),
                Err(error) => format!("was rewritten, and can't be restored: {error}"),
            };
            cx.complain(&format!("{} {again}", way.name));
        }
        return false;
    }
    true
}

/// What all configs of a command share.
struct Job<'a> {
    cx: &'a Context,
    arguments: &'a Migrate,
    session: &'a Session,
    to: Target,
}

/// A file that is still to be migrated.
struct Waiting {
    path: PathBuf,
    bytes: io::Result<Vec<u8>>,
    kind: Option<Kind>,
    from: Option<Target>,
    named_by: Option<String>,
}

impl Job<'_> {
    /// All configs, with the files that they name; `None` if one can't be migrated, which is reported.
    fn all(&self, from: Option<&Target>) -> io::Result<Option<Vec<MigratedConfig>>> {
        let named = |path: &PathBuf| Waiting {
            path: path.clone(),
            bytes: read(self.cx, path),
            kind: self.cx.common.kind,
            from: from.cloned(),
            named_by: None,
        };
        // A file that names others determines their kind, and which keys they may lack. So it is migrated before them: such files are sorted to the
        // end, from which the loop takes them.
        let mut waiting: Vec<Waiting> = self.arguments.paths.iter().rev().map(named).collect();
        waiting.sort_by_key(|next| next.bytes.as_ref().is_ok_and(|bytes| memmem::find(bytes, b"toml_files").is_some()));
        let mut all: Vec<MigratedConfig> = Vec::new();
        while let Some(next) = waiting.pop() {
            if all.iter().any(|way| together::is_same(self.cx, &way.name, &next.path)) {
                continue;
            }
            let Some(way) = self.one(next)? else { return Ok(None) };
            let files = if way.migration.before.has_includes { together::parts(self.cx, self.session, &way) } else { Vec::new() };
            waiting.extend(files.into_iter().filter(|path| self.cx.system.exists(path)).rev().map(|path| Waiting {
                bytes: read(self.cx, &path),
                path,
                kind: Some(way.migration.kind),
                from: Some(way.migration.from.clone()),
                named_by: Some(way.name.clone()),
            }));
            all.push(way);
        }
        Ok(Some(all))
    }

    fn one(&self, waiting: Waiting) -> io::Result<Option<MigratedConfig>> {
        let is_stdin = waiting.path == Path::new("-");
        let stands_for = self.arguments.stdin_filename.as_deref().unwrap_or(Path::new("<stdin>"));
        let path = if is_stdin { stands_for } else { &waiting.path };
        let name = path.to_string_lossy().into_owned();
        let bytes = match waiting.bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                self.cx.complain(&format!("{name} can't be read: {error}"));
                return Ok(None);
            }
        };
        if let Some(why) = not_toml(path) {
            self.cx.complain(&why);
            return Ok(None);
        }
        let Ok(whole) = std::str::from_utf8(&bytes) else {
            self.cx.complain(&format!("{name} is not UTF-8; run `cfg check` for the place"));
            return Ok(None);
        };
        let text = whole.strip_prefix(MARK).unwrap_or(whole).to_owned();
        let mark = if whole.len() > text.len() { MARK } else { "" };
        if waiting.from.is_none()
            && let Some(why) = self.cx.refused_settings(self.session, path).filter(|_| !states_target(self.session, &name, &text))
        {
            self.cx.complain(&format!("{why}; pass `--from`"));
            return Ok(None);
        }
        let request = Request {
            path: &name,
            text: &text,
            kind: waiting.kind,
            from: waiting.from,
            to: self.to.clone(),
            makes_all: self.arguments.unsafe_fixes,
            keeps_defaults: self.arguments.keep_defaults,
            is_part: waiting.named_by.is_some(),
        };
        match migrate(self.session, &request) {
            Ok(migration) => {
                let since = since(self.session, &request, &migration);
                let forced = forced(self.session, &request, &migration);
                let named_by = waiting.named_by;
                let lines = LineIndex::new(&text);
                Ok(Some(MigratedConfig { name, mark, old: text, lines, migration, since, forced, named_by, bytes }))
            }
            Err(failure) => {
                failed(self.cx, &name, &text, &failure)?;
                Ok(None)
            }
        }
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
    let all = migrate(session, &Request { from, to, makes_all: true, keeps_defaults: false, ..*request }).ok();
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
fn states_target(session: &Session, name: &str, text: &str) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml11);
    let (metadata, _) = session.metadata(FileId(0), name, text, &document);
    metadata.target.is_some() || metadata.is_target_refused
}

/// The class of a changed value.
fn class_of(kind: Kind, changed: &Changed) -> Class {
    // Indices are removed, because the classes of keys do not have them.
    let path: String = changed.key.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
    // A shared key has no class; its copies may have the class training.
    cfg_registry::fingerprint::class_of(kind, &path).unwrap_or(Class::Training)
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
        let on_the_way = Request { from: Some(migration.from.clone()), to: release.clone(), ..*request };
        let Ok(there) = migrate(session, &on_the_way) else { continue };
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

/// The bytes of a file, or of standard input for `-`.
fn read(cx: &Context, path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") { cx.host().input(Role::Config.limit()) } else { cx.system.read(path, Role::Config) }
}

/// Reports why a config can't be migrated.
fn failed(cx: &Context, name: &str, text: &str, failure: &Failure) -> io::Result<()> {
    let checked = match failure {
        Failure::Backwards(from) => {
            cx.complain(&format!(
                "{} is written for prime-rl {from}, which is newer; configs can only be migrated to a newer version",
                one_line(name)
            ));
            return Ok(());
        }
        Failure::NoConfig(checked) | Failure::NotToml(checked) => checked,
    };
    cx.report_checked(name, checked, Verdict::Rejected, &Sources::single(name, text))
}
