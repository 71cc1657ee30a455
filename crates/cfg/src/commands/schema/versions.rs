//! `cfg schema versions`: which versions of prime-rl the table has, and until which day.

use std::io::Write as _;

use cfg_report::listed::Version;
use cfg_schema::{AheadRelease, Commit, Entrypoint, History, Tag};

use crate::{CommandResult, Outcome, commands::Listing, context::Context};

/// The releases, the oldest first, with those after the last known commit.
fn releases(history: History) -> Vec<Version> {
    let known = history.releases().map(|release: Tag| Version {
        name: release.name(),
        day: release.day(),
        commit: history.commit_of(release.point()).map(Commit::short_sha),
        pull_request: None,
        whole: true,
        entrypoints: history.entrypoints(release.point()),
    });
    let ahead = AheadRelease::all().iter().filter(|release| history.tag(release.name).is_none()).map(|release| Version {
        name: release.name,
        day: release.day,
        commit: None,
        pull_request: Some(release.pull_request),
        whole: false,
        entrypoints: Vec::new(),
    });
    known.chain(ahead).collect()
}

pub(super) fn run(cx: &Context, history: History) -> CommandResult {
    let releases = releases(history);
    let mut out = cx.out();
    let listing = Listing::of(cx);
    if listing != Listing::Text {
        listing.write(&mut out, &releases)?;
        return Ok(Outcome::Clean);
    }
    let width = releases.iter().map(|release| release.name.len()).max().unwrap_or(0);
    for release in &releases {
        let at = match (&release.commit, release.pull_request) {
            (Some(commit), _) => commit.clone(),
            (None, Some(number)) => format!("#{number}, known by the names of keys alone"),
            (None, None) => String::new(),
        };
        writeln!(out, "{:width$}  {}  {at}", release.name, release.day)?;
    }
    writeln!(out, "{}", extent(history))?;
    writeln!(out, "entrypoints:")?;
    let mut names: Vec<&str> = Entrypoint::all().iter().map(|entry| entry.name).collect();
    names.dedup();
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    for name in names {
        let classes: Vec<&str> = Entrypoint::named(name).filter_map(|entry| entry.class.rsplit('.').next()).collect();
        writeln!(out, "  {name:width$}  {}  {}", Entrypoint::time_of(name).unwrap_or_default(), unique(classes).join(", "))?;
    }
    Ok(Outcome::Clean)
}

/// Names, each once, in the order in which they come first.
fn unique(names: Vec<&str>) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// From which day to which the commits of the main line are known: `main from 2025-09-01 to 2026-08-21, 1294 commits`.
pub(crate) fn extent(history: History) -> String {
    let first = history.commits().next().map(Commit::day).unwrap_or_default();
    let last = history.commits().next_back().map(Commit::day).unwrap_or_default();
    format!("main from {first} to {last}, {} commits", history.commits().count())
}
