//! `cfg migrate`: rewrites configs for another prime-rl.

mod gather;
mod json;
mod keys;
mod one;
mod origin;
mod refused;
mod report;
mod scripts;
mod settings;
mod stated_by;
mod summary;
mod together;
mod unclear;
mod unused;
mod write;

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use cfg_check::Session;
use cfg_diag::{Order as _, Verdict};
use cfg_migrate::{Changed, Failure};
use cfg_project::Earlier;
use cfg_registry::fingerprint::Class;
use cfg_report::{Sources, migration::MigrationsReport};
use cfg_schema::{Kind, Target};
use cfg_system::Role;
use memchr::memmem;

use super::Listing;
use crate::{CommandResult, Outcome, args::Migrate, context::Context, lines::unified, threads};
use gather::Gathered;
use one::{MigratedConfig, backwards};
use scripts::{KnownFlags, Script};
use settings::OldSettings;
use together::{Migrated, Together, place};
use unclear::Unclear;
use write::ChangedFile;

/// The maximum number of configs that are reported in detail if the user named them; of more, a summary is reported.
const MAX_DETAILED_REPORTS: usize = 4;

pub(crate) fn run(cx: &Context, arguments: &Migrate) -> CommandResult {
    let listing = Listing::of(cx);
    let wanted = match (&arguments.to, &cx.common.target) {
        (Some(_), Some(_)) => {
            cx.complain("pass either `--to` or `--target`: both are the prime-rl to migrate to; `--from` is the old one");
            return Ok(Outcome::Failed);
        }
        (to, target) => to.clone().or_else(|| target.clone()),
    };
    // The target of the command line is that of the result; the files to read have another one.
    let cx = &cx.without_target();
    let is_stdin = arguments.paths.iter().any(|path| path == Path::new("-"));
    if is_stdin && arguments.paths.len() > 1 {
        cx.complain("standard input can't be combined with files");
        return Ok(Outcome::Failed);
    }
    let session = cx.session();
    session.projects().searched_in(&arguments.paths);
    let parse = |text: &str| cx.named_target(text).map_err(|error| cx.complain(&error));
    let Ok(to) = wanted.as_deref().map(parse).transpose() else { return Ok(Outcome::Failed) };
    let Ok(from) = arguments.from.as_deref().map(parse).transpose() else { return Ok(Outcome::Failed) };
    let mut job = Job {
        cx,
        arguments,
        session: &session,
        to,
        is_detailed: true,
        said: Mutex::default(),
        earlier: Mutex::default(),
        flags: Mutex::default(),
    };
    let paths = if arguments.all { vec![job.whole_project()] } else { arguments.paths.clone() };
    let is_of_folders = paths.iter().any(|path| job.is_folder(path));
    job.is_detailed = !is_of_folders || arguments.verbose || listing != Listing::Text;
    let Some(whole) = job.whole(&paths, from.as_ref(), is_of_folders)? else { return Ok(Outcome::Failed) };
    if whole.all.is_empty() && whole.unclear.is_empty() {
        cx.complain(&no_configs(whole.hosted));
        return Ok(Outcome::Failed);
    }
    let is_complete = whole.is_complete(cx, is_of_folders);
    let mut outcome = if is_complete { Outcome::Clean } else { Outcome::Found };
    let files = whole.files();
    if (arguments.check || arguments.diff) && !files.is_empty() {
        outcome = Outcome::Found;
    }
    let is_summary = is_of_folders || whole.all.len() > MAX_DETAILED_REPORTS;
    if arguments.diff {
        files.iter().try_for_each(|file| cx.print_view(&unified(&file.name, &file.old_text(), &file.new_text())))?;
        for way in whole.all.iter().filter(|way| !is_summary || way.is_changed()) {
            let sentence = report::sentence(&way.migration, report::Mode::Shown);
            let name = if whole.all.len() > 1 { format!("{}: ", cfg_diag::one_line(&way.name)) } else { String::new() };
            cx.say(&format!("{name}{sentence}"));
        }
        whole.unclear.iter().for_each(|why| cx.note(&why.in_words()));
        if is_summary {
            let all = cfg_report::count(whole.all.len(), "config");
            cx.say(&format!(
                "{all}, {} would change; without `--diff`, a summary says what is left to decide",
                cfg_report::count(files.len(), "file")
            ));
        }
        return Ok(outcome);
    }
    if let ([way], true) = (whole.all.as_slice(), is_stdin && arguments.write) {
        cx.print(way.new_text().as_bytes())?;
        cx.say(&report::sentence(&way.migration, report::Mode::Written));
        return Ok(outcome);
    }
    if arguments.write && !write::write_all(cx, &files) {
        return Ok(Outcome::Failed);
    }
    let mode = if arguments.write { report::Mode::Written } else { report::Mode::Planned };
    let mut out = io::BufWriter::new(cx.out());
    if listing == Listing::Text {
        if is_summary {
            summary::write(&mut out, cx, &whole, mode)?;
        }
        if !is_summary || arguments.verbose {
            details(&mut out, &job, &whole, mode, is_summary)?;
        }
    } else {
        let all = &whole.all;
        let sources: Vec<Sources<'_>> = all.iter().map(|way| Sources::single(&way.name, &way.migration.text)).collect();
        let documents: Vec<_> =
            all.iter().zip(&sources).map(|(way, sources)| json::report(&session, &way.name, way, sources)).collect();
        if is_of_folders {
            listing.write_one(&mut out, &json::folder(&whole, is_complete, documents))?;
            out.flush()?;
            return Ok(outcome);
        }
        match documents.as_slice() {
            [document] => listing.write_one(&mut out, document)?,
            documents if listing == Listing::JsonLines => {
                documents.iter().try_for_each(|document| listing.write_one(&mut out, document))?;
            }
            documents => listing.write_one(&mut out, &MigrationsReport::new(documents))?,
        }
        whole.unclear.iter().for_each(|why| cx.note(&why.in_words()));
    }
    out.flush()?;
    Ok(outcome)
}

/// Why nothing in the folders is migrated, of whose files so many are for hosted training.
fn no_configs(hosted: usize) -> String {
    let all = match hosted {
        0 => return "no prime-rl configs were found".to_owned(),
        1 => "the config here is".to_owned(),
        more => format!("the {more} configs here are"),
    };
    format!("there is nothing to migrate: {all} for hosted training, which runs prime-rl main; `cfg check` says what it refuses")
}

/// Writes the report of each file.
fn details(out: &mut impl io::Write, job: &Job<'_>, whole: &Whole, mode: report::Mode, is_after: bool) -> io::Result<()> {
    let files: Vec<(Kind, &str)> = whole.all.iter().map(|way| (way.migration.kind, &*way.name)).collect();
    for (index, way) in whole.all.iter().enumerate() {
        if index > 0 || is_after {
            writeln!(out)?;
        }
        report::write(out, job.cx, job.session, way, files.as_slice(), mode)?;
    }
    whole.together.iter().try_for_each(|together| report::write_together(out, job.cx, job.session, together))
}

/// Everything that a command migrates.
struct Whole {
    all: Vec<MigratedConfig>,
    /// The configs that consist of several files.
    together: Vec<Together>,
    scripts: Vec<Script>,
    settings: Vec<OldSettings>,
    /// The pins that still name the old prime-rl, each as a sentence.
    pins: Vec<String>,
    /// The files that are not migrated, each with the reason.
    unclear: Vec<Unclear>,
    /// What the new prime-rl refuses although it is nothing to decide about: the configs are for it already, or the old one refuses it as well. In
    /// folders.
    refused: Vec<String>,
    /// The number of configs for hosted training, which are left out.
    hosted: usize,
}

impl Whole {
    /// Whether nothing is left to the user.
    fn is_complete(&self, cx: &Context, is_of_folders: bool) -> bool {
        let mut whole_of: HashMap<&Path, &Together> = HashMap::new();
        for together in &self.together {
            for place in together.places() {
                whole_of.entry(place).or_insert(together);
            }
        }
        let is_config_complete = |way: &MigratedConfig| {
            let whole = if whole_of.is_empty() { None } else { whole_of.get(&*place(cx, Path::new(&way.name))) };
            let is_whole = |whole: &Together| whole.is_accepted() && whole.new_errors().next().is_none();
            match whole {
                Some(whole) => is_whole(whole) && way.migration.decisions.is_empty(),
                // What both versions refuse is said of all files of a folder together.
                None if is_of_folders => way.is_settled(),
                None if way.is_completed => way.is_settled() && way.refused().next().is_none() && way.beside.is_empty(),
                None => way.migration.is_complete() && way.beside.is_empty(),
            }
        };
        self.all.iter().all(is_config_complete)
            && self.unclear.is_empty()
            && self.refused.is_empty()
            && self.scripts.iter().flat_map(|script| &script.flags).all(|flag| flag.new.is_ok())
    }

    /// The files that would be changed.
    fn files(&self) -> Vec<ChangedFile> {
        let configs = self.all.iter().filter(|way| way.is_changed()).map(ChangedFile::of_config);
        let scripts = self.scripts.iter().filter(|script| !script.is_of_config).map(ChangedFile::of_script);
        let settings = self.settings.iter().filter_map(ChangedFile::of_settings);
        configs.chain(scripts).chain(settings).filter(|file| file.old != file.new).collect()
    }
}

/// What all configs of a command share.
struct Job<'a> {
    cx: &'a Context,
    arguments: &'a Migrate,
    session: &'a Session,
    /// The new prime-rl, if the command line names it.
    to: Option<Target>,
    /// Whether each file is reported in detail, and not only in a summary.
    is_detailed: bool,
    /// What was said about the new prime-rl.
    said: Mutex<HashSet<String>>,
    /// The prime-rl that projects stated before, by the file that states the one now.
    earlier: Mutex<HashMap<PathBuf, Option<Earlier>>>,
    /// What becomes of the flags of launch commands.
    flags: Mutex<KnownFlags>,
}

/// A file that is still to be migrated.
struct Waiting {
    path: PathBuf,
    bytes: io::Result<Vec<u8>>,
    kind: Option<Kind>,
    from: Option<Target>,
    named_by: Option<String>,
    /// Whether it is part of a config that a launch or another file completes.
    is_part: bool,
    /// Its place among all: behind that of the file that names it.
    rank: Vec<usize>,
}

/// A file that is migrated.
struct Ended {
    rank: Vec<usize>,
    outcome: Result<MigratedConfig, Unclear>,
    /// What is to be said about it.
    notes: Vec<String>,
}

impl Job<'_> {
    /// All that is to be migrated; `None` if a file that the user named can't be, which is reported.
    fn whole(&self, paths: &[PathBuf], from: Option<&Target>, is_of_folders: bool) -> io::Result<Option<Whole>> {
        let named = |path: &PathBuf| Waiting {
            path: path.clone(),
            bytes: read(self.cx, path),
            kind: self.cx.common.kind(),
            from: from.cloned(),
            named_by: None,
            is_part: false,
            rank: Vec::new(),
        };
        let gathered = if is_of_folders {
            self.gather(paths, from)
        } else {
            Gathered { configs: paths.iter().map(named).collect(), ..Gathered::default() }
        };
        let Gathered { configs, launches, seen, unread, hosted } = gathered;
        let mut unclear: Vec<Unclear> = unread.into_iter().map(Unclear::Message).collect();
        let mut all: Vec<MigratedConfig> = Vec::new();
        for ended in self.all(configs) {
            match ended {
                Ok(way) => all.push(way),
                Err(why) if is_of_folders => unclear.push(why),
                Err(Unclear::Failure(name, text, failure)) => {
                    failed(self.cx, &name, &text, &failure)?;
                    return Ok(None);
                }
                Err(why) => {
                    self.cx.complain(&why.in_words());
                    return Ok(None);
                }
            }
        }
        // Files that form one config are also checked together, which is more exact than checking each alone.
        if all.iter().any(|way| !way.bases.is_empty()) {
            let migrated = Migrated::new(self.cx, &all);
            let beside: Vec<_> = all.iter().map(|way| together::refused_beside(self.session, way, &migrated)).collect();
            all.iter_mut()
                .zip(beside)
                .for_each(|(way, beside)| way.beside = beside.unwrap_or_else(|| std::mem::take(&mut way.beside)));
        }
        let migrated = Migrated::new(self.cx, &all);
        let naming: Vec<&MigratedConfig> = all.iter().filter(|way| way.migration.before.has_includes).collect();
        let included = threads::map(naming, |way| Together::of(self.session, way, &migrated));
        let launched = threads::map(launches, |launch| Together::launched(self, &launch, &migrated));
        let together: Vec<Together> = included.into_iter().chain(launched.into_iter().flatten()).collect();
        let (mut scripts, mut settings, mut pins) = (Vec::new(), Vec::new(), Vec::new());
        if is_of_folders {
            scripts = self.scripts(paths, &all);
            scripts.extend(self.usage_lines(&mut all));
            settings = self.settings(&all, &seen);
            pins = self.old_pins(&all);
            self.note_merge(&all);
            if self.flags.lock().unwrap_or_else(PoisonError::into_inner).are_too_many {
                let most = scripts::MAX_FLAGS;
                let why = format!("launch commands: they have more than {most} different flags; the others stay as they are");
                unclear.push(Unclear::Message(why));
            }
        }
        let refused = if is_of_folders { refused::lines(self.cx, &all, &together) } else { Vec::new() };
        Ok(Some(Whole { all, together, scripts, settings, pins, unclear, refused, hosted }))
    }

    /// Migrates configs, with the files that they name, each before these.
    fn all(&self, configs: Vec<Waiting>) -> Vec<Result<MigratedConfig, Unclear>> {
        // A file that names others determines their kind, and which keys they may lack. So it is migrated before them.
        let has_names = |next: &Waiting| next.bytes.as_ref().is_ok_and(|bytes| memmem::find(bytes, b"toml_files").is_some());
        let (naming, others): (Vec<Waiting>, Vec<Waiting>) = configs.into_iter().partition(has_names);
        let (mut rest, mut waiting): (Vec<Waiting>, Vec<Waiting>) =
            naming.into_iter().partition(|next| self.session.projects().includer(&next.path).is_some());
        rest.extend(others);
        for (rank, next) in waiting.iter_mut().chain(&mut rest).enumerate() {
            next.rank = vec![rank];
        }
        let mut all: Vec<Ended> = Vec::new();
        let mut known: HashSet<PathBuf> = HashSet::new();
        while !waiting.is_empty() || !rest.is_empty() {
            // Those that no other one has named by now are on their own.
            let mut next = if waiting.is_empty() { std::mem::take(&mut rest) } else { std::mem::take(&mut waiting) };
            next.retain(|next| known.insert(self.cx.system.real(&next.path).unwrap_or_else(|_| next.path.clone())));
            for (mut ended, parts) in threads::map(next, |next| self.with_parts(next)) {
                self.say_once(std::mem::take(&mut ended.notes));
                waiting.extend(parts);
                all.push(ended);
            }
        }
        all.order_by(|one, other| one.rank.cmp(&other.rank));
        all.into_iter().map(|ended| ended.outcome).collect()
    }

    /// Migrates a config. Returns also the files that it names.
    fn with_parts(&self, mut next: Waiting) -> (Ended, Vec<Waiting>) {
        let (rank, mut notes) = (std::mem::take(&mut next.rank), Vec::new());
        let outcome = self.one(next, &mut notes);
        let mut parts = Vec::new();
        if let Ok(way) = &outcome
            && way.migration.before.has_includes
        {
            let files = together::parts(self.cx, self.session, way);
            parts.extend(files.into_iter().filter(|path| self.cx.system.exists(path)).enumerate().map(|(at, path)| Waiting {
                bytes: read(self.cx, &path),
                path,
                kind: Some(way.migration.kind),
                from: Some(way.migration.from.clone()),
                named_by: Some(way.name.clone()),
                is_part: true,
                rank: rank.iter().copied().chain([at]).collect(),
            }));
        }
        (Ended { rank, outcome, notes }, parts)
    }
}

/// The class of a changed value.
fn class_of(kind: Kind, changed: &Changed) -> Class {
    // Indices are removed, because the classes of keys do not have them.
    let path: String = changed.key.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
    // A shared key has no class; its copies may have the class training.
    cfg_registry::fingerprint::class_of(kind, &path).unwrap_or(Class::Training)
}

/// The bytes of a file, or of standard input for `-`.
fn read(cx: &Context, path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") { cx.host().input(Role::Config.limit()) } else { cx.system.read(path, Role::Config) }
}

/// Reports why a config can't be migrated.
fn failed(cx: &Context, name: &str, text: &str, failure: &Failure) -> io::Result<()> {
    let checked = match failure {
        Failure::Backwards(from, kind) => {
            cx.complain(&backwards(name, from, *kind));
            return Ok(());
        }
        Failure::NoConfig(checked) | Failure::NotToml(checked) => checked,
    };
    cx.report_checked(name, checked, Verdict::Rejected, &Sources::single(name, text))
}
