//! `cargo xtask history add`: reads new commits of prime-rl's main line and writes them into `schemas/`. Moves of keys and descriptions of fields are
//! left to a person, who reviews the diff.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use cfg_schema::{History, Point};

use super::{
    main_line::{Line, MainLine, touches_classes},
    news::News,
    rows::{Rows, are_same, rows_of, same},
    schema_file::{self, File, Files, Interval, Like, relative},
    sharing::{self, Decided},
    tags,
};
use crate::{mirror::Mirror, moves};

#[derive(Clone, Copy)]
pub(crate) struct Request<'r> {
    /// The folder with `commits.tsv`, `tags.tsv` and `history`.
    pub(crate) schemas: &'r Path,
    /// The commit from which on existing data is removed first.
    pub(crate) again: Option<&'r str>,
    /// The last point of the built-in history. Classes of packages that are in no clone are taken from it.
    pub(crate) known: Point,
}

/// Adds the new commits, and returns what is new.
pub(crate) fn add(request: &Request<'_>, mirror: &mut Mirror) -> Result<News, String> {
    let schemas = request.schemas;
    let mut main_line = MainLine::read(schemas)?;
    let mut files = schema_file::read(schemas, &main_line.numbers())?;
    let mut decided = Decided::new();
    if let Some(since) = request.again {
        decided = sharing::decided(&files);
        main_line.cut(since)?;
    }
    let first = main_line.numbers().count();
    for file in &mut files {
        file.cut(first);
    }

    let mut news = News::default();
    let mut later = Vec::new();
    let releases = tags::releases(mirror)?;
    let points: HashMap<String, Point> = History::built_in().commits().map(|commit| (commit.sha(), commit.point())).collect();
    let mut now = sharing::rows_at(&files, first.checked_sub(1).ok_or("commits.tsv must begin with a schema commit")?);
    let last = main_line.lines.last().ok_or("commits.tsv is empty")?.sha.clone();
    let mut base = points.get(&last).copied().unwrap_or(request.known).min(request.known);
    let mut pinned = mirror.verifiers_of(&last)?;
    for commit in mirror.later_than(&last)? {
        base = points.get(&commit.sha).copied().unwrap_or(base).min(request.known);
        let read = mirror.read(&commit.sha, Some(base)).map_err(|error| format!("{}: {error}", &commit.sha[..9]))?;
        news.not_understood(&commit.sha, &read.unknown);
        let verifiers = mirror.verifiers_of(&commit.sha)?;
        if verifiers != pinned {
            news.verifiers_moved(&commit.sha, verifiers.as_deref(), mirror);
            pinned = verifiers;
        }
        let rows = rows_of(&read)?;
        let touches = releases.contains(&commit.sha) || commit.paths.iter().any(|path| touches_classes(path));
        let line = match (are_same(&now, &rows), touches) {
            (false, _) => Line::of(&commit, "changed"),
            (true, true) => Line::of(&commit, "same"),
            (true, false) => Line::of(&commit, ""),
        };
        news.commit(&commit, line.schema);
        if line.is_schema_commit() {
            later.push(rows.clone());
            now = rows;
        }
        main_line.lines.push(line);
    }

    let (parted, shared) = insert(&mut files, first, &later, &decided);
    news.parted(&parted);
    news.shared(&files, &shared);
    let numbers = main_line.numbers();
    news.fields(&files, first, &numbers, &moves::places(schemas)?);
    schema_file::write(schemas, &files, &numbers)?;
    main_line.write(schemas)?;
    tags::write(schemas, &main_line, mirror)?;
    Ok(news)
}

/// Adds the fields at the schema commits from a number on. Returns the tables that no longer share the fields of another one, and those that now do.
pub(crate) fn insert(files: &mut Files, first: u16, later: &[Vec<Rows>], decided: &Decided) -> (Vec<Like>, Vec<Like>) {
    let parted = sharing::part(files, later);
    for (number, rows) in (first..).zip(later) {
        for (file, rows) in files.iter_mut().zip(rows) {
            advance(file, number, rows);
        }
    }
    (parted, sharing::share(files, first, decided))
}

/// Adds the fields at a schema commit.
pub(super) fn advance(file: &mut File, number: u16, rows: &Rows) {
    let shared: Vec<String> =
        file.entries.iter().filter(|(_, entry)| entry.like.is_some()).map(|(path, _)| path.clone()).collect();
    let is_shared = |path: &str| shared.iter().any(|above| relative(path, above).is_some());
    let own: BTreeMap<&String, &String> = rows.iter().filter(|(path, _)| !is_shared(path)).collect();
    for (path, body) in &own {
        let entry = file.entries.entry((*path).clone()).or_default();
        match entry.intervals.last_mut() {
            Some(last) if last.until.is_none() && same(&last.body, body) => {}
            last => {
                if let Some(last) = last.filter(|last| last.until.is_none()) {
                    last.until = Some(number);
                }
                entry.intervals.push(Interval { since: number, until: None, body: (*body).clone() });
            }
        }
    }
    let here: BTreeSet<&String> = own.into_keys().collect();
    for (path, entry) in &mut file.entries {
        if let Some(last) = entry.intervals.last_mut().filter(|last| last.until.is_none() && !here.contains(path)) {
            last.until = Some(number);
        }
    }
}
