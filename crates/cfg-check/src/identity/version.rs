//! The prime-rl that a file is for, and how certain that is.

use std::{path::Path, sync::Arc};

use cfg_diag::FileId;
use cfg_plan::Metadata;
use cfg_project::{DaySource, FileDay, OwnClasses, Patches, TargetSource};
use cfg_resolve::loader;
use cfg_rules::Project;
use cfg_schema::{Commit, History, Packages, Point, Target};
use cfg_syntax::{Dialect, Value};

use crate::{Held, Session};

/// How certain it is that a config is for its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The user or the file states it.
    Stated,
    /// The project around the file says it: its settings, its sources, its lock file.
    Read(TargetSource),
    /// Nothing says it, but the keys of the file show it.
    Inferred(Arc<Inference>),
    /// Nothing says or shows it: it is the newest release, or the newest one on the day on which the file was used.
    Assumed(Option<FileDay>),
    /// The file was used on this day, which is after the last known commit, and no known prime-rl has all of its keys.
    Newer(FileDay),
    /// Nothing says it, but a key of the file is known to be newer than the last known commit: which one and since when, and the day on or after
    /// which a prime-rl has all such keys of the file.
    Ahead(Arc<str>, &'static str),
    /// The project uses an unknown prime-rl. The target is only a substitute, and no finding may depend on it.
    Unknown,
}

impl Certainty {
    /// Its name in documents for programs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Read(_) => "read",
            Self::Inferred(_) => "inferred",
            Self::Assumed(_) => "assumed",
            Self::Newer(_) | Self::Ahead(..) => "newer",
            Self::Unknown => "unknown",
        }
    }

    /// Why the target is this one; paths are relative to the folder `here`: `read from uv.lock`, `assumed: nothing states it`.
    pub fn why(&self, here: &Path) -> String {
        match self {
            Self::Stated => "stated".to_owned(),
            Self::Read(source) => format!("read from {}", source.describe(here)),
            Self::Inferred(inference) => format!("inferred: {}", inference.in_words()),
            Self::Assumed(None) => "assumed: the newest release, since nothing states it".to_owned(),
            Self::Assumed(Some(FileDay { day, source })) => {
                let history = History::built_in();
                let last = history.commits().next_back().map(Commit::day).unwrap_or_default();
                let which = match history.releases().next().map(cfg_schema::Tag::day) {
                    _ if day.as_str() > last => format!("the newest release that this cfg knows, which ends on {last}, for"),
                    Some(first) if day.as_str() < first => "the main line on".to_owned(),
                    _ => "the newest release on".to_owned(),
                };
                format!("assumed: {which} {day}, the day of {}", source.describe(here))
            }
            Self::Newer(FileDay { day, source }) => {
                format!("newer than this cfg knows: {day} is the day of {}", source.describe(here))
            }
            Self::Ahead(shown, _) => format!("newer than this cfg knows: {shown}"),
            Self::Unknown => "the project's prime-rl is unknown".to_owned(),
        }
    }
}

/// Why a target was inferred from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// The range of the history that knows the most keys of the file: `0.2.0 to 0.4.0`.
    pub range: String,
    /// The number of keys that it knows.
    pub known: usize,
    /// The number of keys in the file.
    pub keys: usize,
    /// The prime-rl that would have been assumed.
    pub instead_of: String,
    /// The number of keys that this one knows.
    pub known_instead: usize,
    /// Whether the inferred prime-rl accepts the file.
    pub is_accepted: bool,
    /// The first and the last point around the inferred one that accept the file; if none does, those that know the most keys.
    pub accepting: (Point, Point),
    /// Whether the range includes the main line on the day of the file's last commit: then nothing contradicts it.
    pub is_of_its_day: bool,
    /// The file whose keys decide, if it is another one of the same folder.
    pub neighbour: Option<String>,
}

impl Inference {
    /// What the keys show: `0.2.0 to 0.4.0 knows all 26 keys of this file, 0.8.0 knows 20`.
    pub fn in_words(&self) -> String {
        let Self { range, known, keys, instead_of, known_instead, neighbour, .. } = self;
        let file = neighbour.as_ref().map_or_else(|| "this file".to_owned(), |other| cfg_diag::one_line(other).into_owned());
        let of = if known == keys { format!("all {keys} keys") } else { format!("{known} of the {keys} keys") };
        match known_instead {
            same if same == known => {
                format!("prime-rl {range} knows {of} of {file} and accepts their values, {instead_of} does not")
            }
            fewer => format!("prime-rl {range} knows {of} of {file}, {instead_of} knows {fewer}"),
        }
    }
}

/// A target, and where it is stated.
pub(crate) struct Settled {
    pub(crate) target: Target,
    pub(crate) certainty: Certainty,
    /// The classes of the project's own prime-rl, if its sources are available.
    pub(crate) own: Option<Arc<OwnClasses>>,
    /// The packages around the config.
    pub(crate) packages: Option<Arc<dyn Packages>>,
    /// The patches around it.
    pub(crate) patches: Patches,
}

/// The result for a config that states a prime-rl that can't be used. The project's prime-rl does not replace it, because the
/// author meant another one.
pub(crate) fn refused(session: &Session, path: Option<&Path>) -> Settled {
    Settled::around(session, path, Target::newest_release(session.history), Certainty::Unknown)
}

/// A config whose version is settled.
pub(crate) struct Subject<'a> {
    /// Its path; `None` if it has none.
    pub(crate) path: Option<&'a Path>,
    pub(crate) text: &'a str,
    pub(crate) metadata: Option<&'a Metadata>,
}

/// The target of a config: the stated one, that of the project around it, `otherwise`, or an assumed one, which [`infer`](super::infer::infer) replaces
/// if the file's values show another.
pub(crate) fn settle(session: &Session, stated: Option<Target>, subject: &Subject<'_>, otherwise: Option<Target>) -> Settled {
    let path = subject.path;
    let settled = |target, certainty| Settled::around(session, path, target, certainty);
    let newest = |certainty| settled(Target::newest_release(session.history), certainty);
    if let Some(target) = stated {
        return settled(target, Certainty::Stated);
    }
    match path.and_then(|path| session.projects().target_in(path, subject.text)).as_deref() {
        Some(Ok(detected)) => {
            return Settled {
                own: detected.own.clone(),
                ..settled(detected.target.clone(), Certainty::Read(detected.source.clone()))
            };
        }
        Some(Err(_)) if otherwise.is_none() => return newest(Certainty::Unknown),
        Some(Err(_)) | None => {}
    }
    if let Some(target) = otherwise {
        return settled(target, Certainty::Stated);
    }
    let Some(day) = day_of(session, subject) else { return newest(Certainty::Assumed(None)) };
    match Target::newest_release_on(session.history, &day.day) {
        Ok(target) => settled(target, Certainty::Assumed(Some(day))),
        // Before the history there is no known prime-rl.
        Err(_) if day.source == DaySource::Commit => newest(Certainty::Unknown),
        Err(_) => newest(Certainty::Assumed(None)),
    }
}

/// The day on which a config was used: what its own metadata says of it tells more than the pages and the lock file of its project.
pub(super) fn day_of(session: &Session, subject: &Subject<'_>) -> Option<FileDay> {
    let created = subject.metadata.and_then(|metadata| metadata.created.as_ref());
    let created = created.map(|created| FileDay { day: created.value.to_string(), source: DaySource::Metadata });
    let found = session.projects().day(subject.path?, subject.text);
    match (found, created) {
        (Some(found), Some(created)) => {
            let is_of_file = matches!(found.source, DaySource::Commit | DaySource::Comment { .. });
            Some(if is_of_file && found.day > created.day { found } else { created })
        }
        (found, created) => found.or(created).or_else(|| of_includes(session, subject)),
    }
}

/// The day of the last release that includes the files which a text names, if it names any, or if another file of its folder includes it.
fn of_includes(session: &Session, subject: &Subject<'_>) -> Option<FileDay> {
    let by_other = || Some(DaySource::IncludedBy { path: session.projects().includer_beside(subject.path?)? });
    let source = if names_files(subject.text) { DaySource::Includes } else { by_other()? };
    let last = session.history.releases().rev().find(|release| loader::at(release.point()).includes)?;
    Some(FileDay { day: last.day().to_owned(), source })
}

/// Whether a text names other files that it includes.
fn names_files(text: &str) -> bool {
    if !text.contains("toml_files") {
        return false;
    }
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let names = document.root.value("toml_files").map_or(&[][..], Value::items);
    !names.is_empty() && names.iter().all(|name| name.as_str().is_some())
}

impl Settled {
    /// A target with the classes, packages and patches around the config.
    fn around(session: &Session, path: Option<&Path>, target: Target, certainty: Certainty) -> Self {
        let (packages, patches) = path.map(|path| session.projects().packages_and_patches(path)).unzip();
        Self { target, certainty, own: None, packages, patches: patches.unwrap_or_default() }
    }

    /// The target for a file that no prime-rl reads: its project is not asked.
    pub(crate) fn of_no_config(session: &Session, stated: Option<Target>) -> Self {
        let target = stated.unwrap_or_else(|| Target::newest_release(session.history));
        Self { target, certainty: Certainty::Assumed(None), own: None, packages: None, patches: Patches::default() }
    }

    /// The target that an earlier form of the text had, if nothing states one.
    pub(crate) fn hold(self, held: &Held) -> Self {
        match self.certainty {
            Certainty::Assumed(_) => Self { target: held.target.clone(), certainty: held.certainty.clone(), ..self },
            _ => self,
        }
    }

    /// Adds the keys that the project's settings declare.
    pub(crate) fn extend(&mut self, project: Option<&Project>) {
        self.target.history = self.target.history.extended(project.map_or(&[], |project| &project.extend));
    }

    /// The TOML version that its loader reads; the newest if the target is unknown.
    pub(crate) fn dialect(&self) -> Dialect {
        if self.certainty == Certainty::Unknown { Dialect::Toml11 } else { loader::dialect(self.target.point) }
    }
}
