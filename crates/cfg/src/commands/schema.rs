//! `cfg schema`: looks up keys in the schema history.

mod diff;
mod export;
mod history;
mod import;
mod json;
mod show;
mod versions;

pub(crate) use versions::extent;

use std::path::Path;

use cfg_diag::one_line;
use cfg_project::{OwnProgram, ProgramName};
use cfg_schema::{FoundField, History, Kind, Point, Target, find_fields};

use crate::{
    CommandResult, Outcome,
    args::{Schema, SchemaCommand},
    context::Context,
};

pub(crate) fn run(cx: &Context, schema: &Schema) -> CommandResult {
    if let (Some(name), SchemaCommand::Show { key }) = (cx.common.script(), &schema.command) {
        return of_script(cx, name, key);
    }
    let history = History::built_in();
    let kind = cx.common.kind().unwrap_or(Kind::Rl);
    let Some(target) = target(cx, cx.common.target.as_deref()) else { return Ok(Outcome::Failed) };
    let target = if kind.is_hosted() { Target { history: target.history.hosted(), ..target } } else { target };
    let history = if kind.is_hosted() { history.hosted() } else { history };
    match &schema.command {
        SchemaCommand::Show { key } => show::run(cx, target.history, kind, &target, key),
        SchemaCommand::Versions => versions::run(cx, history),
        SchemaCommand::Import(import) => import::run(cx, import),
        SchemaCommand::History { key } => history::run(cx, &target, history, kind, key),
        SchemaCommand::Export { folder } => export::run(cx, &target, folder.as_deref()),
        SchemaCommand::Diff { from, to } => {
            let (Some(from), Some(to)) = (self::target(cx, Some(from)), self::target(cx, Some(to))) else {
                return Ok(Outcome::Failed);
            };
            diff::run(cx, history, kind, &from, &to)
        }
    }
}

/// Shows a key of the class that a script of this project loads.
fn of_script(cx: &Context, name: &str, key: &str) -> CommandResult {
    if cx.common.target.is_some() {
        cx.complain(&format!(
            "`{}` is a script of this project, whose class is read as it is now: leave out `--target`",
            one_line(name)
        ));
        return Ok(Outcome::Failed);
    }
    let program = cx.projects().own_program(Path::new("pyproject.toml"), ProgramName::Script(name));
    match program.as_deref() {
        Some(Ok(OwnProgram::Own(class))) => {
            let target = Target {
                name: name.to_owned(),
                history: class.history,
                is_beyond: false,
                own_checks: None,
                point: History::built_in().newest(),
            };
            show::run(cx, class.history, class.kind, &target, key)
        }
        Some(Ok(OwnProgram::Known(kind))) => {
            cx.complain(&format!("`{name}` loads the class of prime-rl's `{kind}`, or one like it: pass `--kind {kind}`"));
            Ok(Outcome::Failed)
        }
        Some(Err(why)) => {
            cx.complain(&format!("can't read the config class of `{}`: {}", one_line(name), one_line(why)));
            Ok(Outcome::Failed)
        }
        None => {
            cx.complain(&format!("this project has no script `{}`", one_line(name)));
            Ok(Outcome::Failed)
        }
    }
}

/// The target that a text names, or the newest release if there is no text; reports an error if the target is unknown.
fn target(cx: &Context, text: Option<&str>) -> Option<Target> {
    let Some(text) = text else { return Some(Target::newest_release(History::built_in())) };
    cx.named_target(text).map_err(|error| cx.complain(&error)).ok()
}

/// The fields that a key has had at any point; reports an error if there are none.
fn find(cx: &Context, target: &Target, history: History, kind: Kind, key: &str) -> Option<Vec<FoundField>> {
    let found = find_fields(history, kind, key);
    if !found.is_empty() {
        return Some(found);
    }
    let moved = history.moves_of(kind, key).next();
    let instead = moved.and_then(cfg_schema::Move::to).map(|(kind, to)| format!("; it became `{to}` of {}", kind.with_article()));
    let other_kinds = || {
        let kinds: Vec<&str> =
            Kind::ALL.into_iter().filter(|kind| !find_fields(history, *kind, key).is_empty()).map(Kind::name).collect();
        if kinds.is_empty() { String::new() } else { format!("; `--kind {}` has it", kinds.join("|")) }
    };
    let instead = instead.unwrap_or_else(|| match near(target, kind, key) {
        near if near.is_empty() => other_kinds(),
        near => format!("; did you mean {near}?"),
    });
    let later = cfg_schema::Ahead::added(kind, key)
        .first()
        .map(|entry| format!("; prime-rl has it {}, which this cfg does not know whole", entry.since()));
    let instead = later.unwrap_or(instead);
    cx.complain(&format!("no {kind} config ever had a key `{key}`{instead}"));
    None
}

/// A list of similar keys of the target: "`a`, `b` or `c`".
fn near(target: &Target, kind: Kind, key: &str) -> String {
    /// The maximum number of keys in the list.
    const MAX_KEYS: usize = 3;
    let names = cfg_resolve::Names::new(target.schema(kind));
    let (table, last) = key.rsplit_once('.').unwrap_or(("", key));
    if let Some(path) = names.likely_in(table, last) {
        return format!("`{path}`");
    }
    let likely = names.likely(last);
    // Of several keys, those in the same table are preferred.
    let within =
        |path: &&String| path.rsplit_once('.').is_some_and(|(above, _)| above.rsplit('.').next() == table.rsplit('.').next());
    let mut near: Vec<String> = likely.iter().filter(within).take(MAX_KEYS).map(|path| format!("`{path}`")).collect();
    if near.is_empty() {
        near = likely.iter().take(MAX_KEYS).map(|path| format!("`{path}`")).collect();
    }
    match near.pop() {
        Some(last) if !near.is_empty() => format!("{} or {last}", near.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// A path without variants, in the notation of the moves: `trainer.optim.lr` for `trainer.optim<type=adamw>.lr`.
fn without_variants(path: &str) -> String {
    let mut parts = path.split('<');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('>').map_or("", |(_, rest)| rest))
}

/// The name of a point for messages: the release that begins with it, or its commit.
fn point_in_words(history: History, point: Point) -> String {
    let commit = history.commit_of(point);
    let sha = commit.map(cfg_schema::Commit::short_sha).unwrap_or_default();
    let day = commit.map(cfg_schema::Commit::day).unwrap_or_default();
    let pull_request = commit.and_then(cfg_schema::Commit::pull_request).map(|number| format!(" #{number}")).unwrap_or_default();
    let release = history
        .first_release_with(point)
        .map_or("after the last release".to_owned(), |release| format!("first in {}", release.name()));
    format!("{day} {sha}{pull_request} ({release})")
}

/// The properties of a field in one line, with the keys that a file may use for it.
fn field_in_words(interval: cfg_schema::Interval) -> String {
    let mut words = cfg_schema::interval_in_words(interval);
    let aliases: Vec<&str> = interval.aliases().collect();
    if !aliases.is_empty() {
        words.push_str(&format!("; written {}", aliases.join(" or ")));
    }
    // A default may be any text of the sources.
    one_line(&words).into_owned()
}
