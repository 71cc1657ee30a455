//! `cfg diff --since REVISION`: what all configs of a repository mean, compared with a revision that is read with its own settings, includes and pins.

mod copies;
mod pair;
mod registered;
mod renamed;
mod write;

use cfg_diag::Order as _;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{Registries, Request, Session, check};
use cfg_project::{FoundFile, discover, outside_of_sparse_checkout};
use cfg_schema::Target;
use cfg_system::{Role, SearchOptions, SearchedOnce, System, tidy};

use self::{
    copies::Copies,
    pair::{Pair, States},
    registered::{Around, Standing},
    renamed::{File, renamed},
};
use super::side::{Side, at_revision};
use crate::{CommandResult, Outcome, args::Format, context::Context, threads};

/// The number of configs that are compared at once, so that their resolved values are not all in memory.
const CHUNK: usize = 512;

/// One state of the repository: a revision, or the work tree.
struct State {
    /// What precedes a path in its name: `main:`.
    name: String,
    cx: Context,
    session: Arc<Session>,
    /// The configs with their texts, by their paths from the root of the work tree.
    configs: BTreeMap<PathBuf, String>,
}

/// What became of the configs.
#[derive(Default)]
struct Changes {
    /// The configs whose prime-rl changed, by the two targets.
    targets: BTreeMap<(String, String), Vec<String>>,
    /// The configs whose machine changed, by the two machines.
    machines: BTreeMap<(Option<String>, Option<String>), Vec<String>>,
    /// The configs that need other memory although they mean the same, by the table that says so.
    memory: BTreeMap<String, Vec<String>>,
    new: Vec<New>,
    deleted: Vec<String>,
    renamed: Vec<(String, String)>,
    /// What can't be compared, with the reason.
    uncompared: Vec<(String, &'static str)>,
    /// The configs that mean something else.
    differing: Vec<String>,
    /// What differs in those that were edited.
    edited: Vec<Edited>,
    /// Those of the others, which another prime-rl changes.
    of_version: Vec<String>,
    /// The keys that it changes, each with its values before and now, and in how many configs.
    keys_of_version: BTreeMap<(String, String, String), usize>,
    /// The first of these configs.
    sides_of_version: Vec<(Side, Side)>,
    /// The configs that prime-rl accepted before and refuses now, each with its first error.
    refused_now: BTreeMap<String, String>,
    /// The configs that prime-rl refused before and accepts now.
    accepted_now: BTreeSet<String>,
    /// The configs that prime-rl refuses before and now, of which only the text of invalid values is compared.
    refused: BTreeSet<String>,
    /// The files that another one completes, of which only their own values are compared.
    parts: BTreeSet<String>,
    /// The number of configs that were compared.
    compared: usize,
    /// The new and changed configs in the registries around them.
    standings: Vec<Standing>,
    /// The deleted configs that a registry still has.
    still_registered: BTreeSet<String>,
}

/// Configs in which the same differs: the files of one launch, or any that were edited alike.
struct Edited {
    /// The name of each before and now.
    configs: Vec<(String, String)>,
    /// What differs, as Markdown.
    text: String,
}

/// A new config.
struct New {
    name: String,
    /// What it is for: `an rl config for prime-rl 0.8.0`.
    what: String,
    /// As Markdown, the memory that it needs.
    memory: Option<Vec<u8>>,
}

pub(super) fn run(cx: &Context, since: &str, paths: &[String]) -> CommandResult {
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    let before = match at_revision(cx, since) {
        Ok(before) => before,
        Err(error) => {
            cx.complain(&format!("{since}: no git revision: {error}"));
            return Ok(Outcome::Failed);
        }
    };
    let Some((top, _)) = before.system.revision().map(|(top, revision)| (top.to_owned(), revision.to_owned())) else {
        return Ok(Outcome::Failed);
    };
    let wanted: Vec<PathBuf> = paths.iter().map(|path| tidy(&cx.system.absolute(Path::new(path)))).collect();
    let copies = Copies::default();
    let before = State::read(format!("{since}:"), &before, &top, &wanted, Some(&copies));
    if copies.are_too_many() {
        cx.complain(&format!("{since}: more than 4 MiB of its configs are copies of others: name what to compare"));
        return Ok(Outcome::Failed);
    }
    let disk: Arc<dyn System> = Arc::new(SearchedOnce::new(Arc::clone(&cx.system)));
    let now = State::read(String::new(), &cx.on(&disk), &top, &wanted, None);
    let is_for_people = cx.common.format != Format::Json;
    let states = States { was: before.around(), is: now.around(), before: &before, now: &now, top: &top, target, is_for_people };
    let mut changes = Changes::between(&states);
    changes.launches(&before, &now, &top, &wanted);
    let is_same = changes.is_empty();
    if is_for_people {
        changes.write(cx, since, &now.session)?;
    } else {
        changes.write_json(cx)?;
    }
    Ok(if is_same { Outcome::Clean } else { Outcome::Found })
}

impl State {
    fn read(name: String, cx: &Context, top: &Path, wanted: &[PathBuf], copies: Option<&Copies>) -> Self {
        let session = Arc::new(cx.session());
        let named = if wanted.is_empty() { vec![top.to_owned()] } else { wanted.to_vec() };
        let projects = session.projects();
        let is_own = |found: &FoundFile| projects.left_out(&found.path, &named).is_none();
        let found = discover(&*cx.system, &[top.to_owned()], SearchOptions::default());
        let found = found.into_iter().filter_map(Result::ok).filter(is_own);
        let is_wanted = |path: &Path| wanted.is_empty() || wanted.iter().any(|wanted| path.starts_with(wanted));
        let config = |path: PathBuf| {
            if copies.is_some_and(Copies::are_too_many) {
                return None;
            }
            let text = cx.system.text(&path, Role::Config).filter(|text| copies.is_none_or(|copies| copies.add(text)))?;
            is_config(&session, &cx.system.shown(&path), &text).then(|| Some((path.strip_prefix(top).ok()?.to_owned(), text)))?
        };
        let paths: Vec<PathBuf> = found.map(|found| found.path).filter(|path| is_wanted(path)).collect();
        let configs = threads::map(paths, config).into_iter().flatten().collect();
        Self { name, cx: cx.clone(), session, configs }
    }

    /// The words of the launches in each script, by its path from the root of the work tree.
    fn launches(&self, top: &Path, wanted: &[PathBuf]) -> BTreeMap<PathBuf, Vec<Vec<String>>> {
        let index = self.session.projects().launch_index(&top.join("cfg.toml"));
        let is_wanted = |path: &PathBuf| wanted.is_empty() || wanted.iter().any(|wanted| path.starts_with(wanted));
        let mut launches: BTreeMap<PathBuf, Vec<Vec<String>>> = BTreeMap::new();
        for placed in index.all().filter(|placed| !placed.is_comment && placed.files.iter().any(is_wanted)) {
            if let Ok(script) = placed.script.strip_prefix(top) {
                launches.entry(script.to_owned()).or_default().push(placed.launch.words.clone());
            }
        }
        launches
    }

    /// Its registries.
    fn around(&self) -> Around<'_> {
        let registries = Registries::new(Arc::clone(&self.cx.system));
        Around { system: &*self.cx.system, session: &self.session, registries }
    }

    /// One of its configs, for a target if that is stated.
    fn side(&self, top: &Path, path: &Path, target: Option<&Target>) -> Option<Side> {
        let text = self.configs.get(path)?;
        let name = format!("{}{}", self.name, path.to_string_lossy());
        let place = top.join(path);
        let side = Side::of_text(&self.cx, &self.session, &name, &place, text, target.cloned());
        Some(side.completed(&self.cx, &self.session, &self.cx.system.shown(&place), target).0)
    }
}

/// Whether a file is a config of prime-rl, and not only a part that another one includes.
fn is_config(session: &Session, path: &str, text: &str) -> bool {
    let request = Request { named: false, ..Request::new(path, text) };
    let checked = check(session, request);
    checked.is_of_prime_rl() && !(checked.may_be_part() && session.projects().includer(Path::new(path)).is_some())
}

impl Changes {
    fn between(states: &States<'_>) -> Self {
        let States { before, now, top, .. } = *states;
        let mut changes = Self::default();
        let is_new = |(path, _): &(&PathBuf, &String)| !before.configs.contains_key(*path);
        let mut new: Vec<File<'_>> = now.configs.iter().filter(is_new).collect();
        let mut gone: Vec<File<'_>> = before.configs.iter().filter(|(path, _)| !now.configs.contains_key(*path)).collect();
        changes.left_out(now, top, &mut gone);
        let is_there = |path: &&PathBuf| now.configs.contains_key(*path);
        let mut pairs: Vec<Pair<'_>> =
            before.configs.keys().filter(is_there).map(|path| Pair { before: Some(path), now: path }).collect();
        for (old, path) in renamed(&mut gone, &mut new) {
            changes.renamed.push((old.to_string_lossy().into_owned(), path.to_string_lossy().into_owned()));
            pairs.push(Pair { before: Some(old), now: path });
        }
        pairs.order_by_key(|pair| pair.now);
        pairs.extend(new.iter().map(|(path, _)| Pair { before: None, now: path }));
        for chunk in pairs.chunks(CHUNK) {
            threads::map(chunk.to_vec(), |pair| states.compare(pair)).into_iter().for_each(|found| changes.add(found));
        }
        let gone: Vec<String> = gone
            .into_iter()
            .map(|(path, _)| {
                let name = path.to_string_lossy().into_owned();
                if states.is.is_registered(&top.join(path)) {
                    changes.still_registered.insert(name.clone());
                }
                name
            })
            .collect();
        changes.deleted = gone;
        changes
    }

    /// Adds those of the next config.
    fn add(&mut self, next: Self) {
        let Self { targets, machines, memory, new, differing, edited, of_version, keys_of_version, sides_of_version, .. } = next;
        targets.into_iter().for_each(|(targets, configs)| self.targets.entry(targets).or_default().extend(configs));
        machines.into_iter().for_each(|(machines, configs)| self.machines.entry(machines).or_default().extend(configs));
        memory.into_iter().for_each(|(table, configs)| self.memory.entry(table).or_default().extend(configs));
        keys_of_version.into_iter().for_each(|(key, count)| *self.keys_of_version.entry(key).or_default() += count);
        let room = write::MAX_NAMED.saturating_sub(self.sides_of_version.len());
        self.sides_of_version.extend(sides_of_version.into_iter().take(room));
        self.new.extend(new);
        self.differing.extend(differing);
        for Edited { configs, text } in edited {
            match self.edited.iter_mut().find(|known| known.text == text) {
                Some(known) => known.configs.extend(configs),
                None => self.edited.push(Edited { configs, text }),
            }
        }
        self.of_version.extend(of_version);
        self.uncompared.extend(next.uncompared);
        self.refused_now.extend(next.refused_now);
        self.accepted_now.extend(next.accepted_now);
        self.refused.extend(next.refused);
        self.parts.extend(next.parts);
        self.compared += next.compared;
        self.standings.extend(next.standings);
    }

    /// The scripts on both sides whose launches changed: a flag also decides what a run means, and only the configs are compared. Those of `wanted` files.
    fn launches(&mut self, before: &State, now: &State, top: &Path, wanted: &[PathBuf]) {
        let (was, mut is) = (before.launches(top, wanted), now.launches(top, wanted));
        for (script, launches) in was {
            if is.remove(&script).is_some_and(|now| now != launches) {
                let script = script.to_string_lossy().into_owned();
                self.uncompared.push((script, "the commands in it that start runs changed"));
            }
        }
    }

    /// Takes the files that a sparse checkout leaves out of the work tree out of those that are gone.
    fn left_out(&mut self, now: &State, top: &Path, gone: &mut Vec<File<'_>>) {
        if gone.is_empty() {
            return;
        }
        let left_out = outside_of_sparse_checkout(&*now.cx.system, top);
        gone.retain(|(path, _)| {
            let is_gone = !left_out.contains(&top.join(path));
            if !is_gone {
                self.uncompared.push((path.to_string_lossy().into_owned(), "it is outside of this sparse checkout"));
            }
            is_gone
        });
    }

    fn is_empty(&self) -> bool {
        self.targets.is_empty()
            && self.machines.is_empty()
            && self.new.is_empty()
            && self.deleted.is_empty()
            && self.renamed.is_empty()
            && self.differing.is_empty()
            && self.uncompared.is_empty()
            && self.refused_now.is_empty()
            && self.accepted_now.is_empty()
            && !self.standings.iter().any(Standing::is_open)
    }
}
