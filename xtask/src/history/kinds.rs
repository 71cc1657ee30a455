//! `cargo xtask history kinds`: reads the kinds that do not belong to a run again, at every commit of the main line in the history.

use cfg_schema::{History, Kind, compiler::KINDS};

use super::{
    add::advance,
    main_line::MainLine,
    rows::{Rows, are_same, rows_of},
    schema_file, sharing,
};
use crate::{generate::root, mirror::Mirror};

/// Writes them, and returns lines for a person to review.
pub(crate) fn read(mirror: &mut Mirror) -> Result<Vec<String>, String> {
    let schemas = root().join("schemas");
    let numbers = MainLine::read(&schemas)?.numbers();
    let mut files = schema_file::read(&schemas, &numbers)?;
    let is_run = |kind: usize| KINDS[kind].parse().is_ok_and(Kind::is_run);
    files.iter_mut().enumerate().filter(|(kind, _)| !is_run(*kind)).for_each(|(_, file)| file.cut(0));
    let decided = sharing::decided(&files);
    let mut news = Vec::new();
    // The fields at each schema commit, and the commit at which they were read.
    let mut later: Vec<Vec<Rows>> = Vec::new();
    let mut pinned = None;
    for commit in History::built_in().commits() {
        let pin = mirror.verifiers_of(&commit.sha())?;
        let is_schema_commit = usize::from(commit.point().0) == later.len();
        if !is_schema_commit && pin == pinned {
            continue;
        }
        pinned = pin;
        let read =
            mirror.read(&commit.sha(), Some(commit.point())).map_err(|error| format!("{}: {error}", commit.short_sha()))?;
        let unknown: Vec<String> = read.unknown.iter().map(ToString::to_string).collect();
        let rows = rows_of(&read)?;
        if is_schema_commit {
            later.push(rows);
        } else if let Some(now) = later.last_mut() {
            for (kind, name) in KINDS.iter().enumerate().filter(|(kind, _)| !is_run(*kind)) {
                if are_same(&now[kind..=kind], &rows[kind..=kind]) {
                    continue;
                }
                news.push(format!(
                    "{} {}: {name} differs from {}",
                    commit.short_sha(),
                    commit.day(),
                    numbers.commit(commit.point().0)
                ));
                for (path, body) in &now[kind] {
                    match rows[kind].get(path) {
                        None => news.push(format!("  - {path}  {body}")),
                        Some(other) if !super::rows::same(other, body) => news.push(format!("  ~ {path}  {body}  =>  {other}")),
                        Some(_) => {}
                    }
                }
                // A field that is missing at a point would be a false error, so a field of any of its commits is used for all of them.
                for (path, body) in &rows[kind] {
                    if !now[kind].contains_key(path) {
                        news.push(format!("  + {path}  {body}"));
                        now[kind].insert(path.clone(), body.clone());
                    }
                }
            }
        }
        for one in unknown {
            if !news.contains(&one) {
                news.push(one);
            }
        }
    }
    for (number, rows) in (0..).zip(&later) {
        let of_kinds = files.iter_mut().zip(rows).enumerate().filter(|(kind, _)| !is_run(*kind));
        of_kinds.for_each(|(_, (file, rows))| advance(file, number, rows));
    }
    sharing::share(&mut files, 0, &decided);
    schema_file::write(&schemas, &files, &numbers)?;
    Ok(news)
}
