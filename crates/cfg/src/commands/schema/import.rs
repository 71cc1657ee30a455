//! `cfg schema import`: imports the schema of a prime-rl that the history does not know.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_project::{ENTRIES, LOCAL, read_own};
use cfg_report::listed::ImportedKey;
use cfg_schema::{
    History, Point,
    compiler::{Difference, SUFFIX},
};
use cfg_system::{NewMode, Role};

use super::point_in_words;
use crate::{CommandResult, Outcome, args::Import, commands::Listing, context::Context, write::put};

/// The maximum number of differences in text output; `--format json` has all.
const MAX_SHOWN: usize = 100;

pub(super) fn run(cx: &Context, import: &Import) -> CommandResult {
    let listing = Listing::of(cx);
    let checkout = &import.checkout;
    let own = match read_own(&*cx.system, checkout, None) {
        Some(Ok(own)) => own,
        Some(Err(error)) => {
            cx.complain(&format!("the config classes of {} can't be read: {error}", checkout.display()));
            return Ok(Outcome::Failed);
        }
        None => {
            let shown = checkout.display();
            cx.complain(&format!(
                "{shown} is not a prime-rl checkout: it has no folder `prime_rl`; pass the folder of the clone"
            ));
            return Ok(Outcome::Failed);
        }
    };
    let (nearest, differences) = (own.base, &own.differences);
    let (path, target) = match destination(cx, import) {
        Ok(place) => place,
        Err(message) => {
            cx.complain(&message);
            return Ok(Outcome::Failed);
        }
    };
    let about = [
        format!("The config classes of {}, read by `cfg schema import`.", checkout.display()),
        "Checks, loader and launcher are those of the base point.".to_owned(),
    ];
    let text = own.entry(&about);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Err(error) = write(cx, &path, folder, &text) {
        cx.complain(&format!("{}: {error}", path.display()));
        return Ok(Outcome::Failed);
    }
    for unknown in own.checks.unknown.iter() {
        cx.note(&unknown.to_string());
    }
    report(cx, listing, nearest, differences)?;
    cx.say(&format!("wrote {}; use it with `--target {target}`, or `target = \"{target}\"` in cfg.toml", path.display()));
    Ok(Outcome::Clean)
}

/// The path of the entry, and the name of the target.
fn destination(cx: &Context, import: &Import) -> Result<(PathBuf, String), String> {
    if let Some(path) = &import.output {
        let is_plain = path.extension().is_some_and(|ending| ending == SUFFIX);
        let shown = path.display();
        return if is_plain {
            Ok((path.clone(), format!("{LOCAL}{shown}")))
        } else {
            Err(format!("{shown} must end with .{SUFFIX}"))
        };
    }
    let name = match &import.name {
        Some(name) => name.clone(),
        None => {
            let whole = cx.system.real(&import.checkout).unwrap_or_else(|_| import.checkout.clone());
            whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        }
    };
    let is_name = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_.@".contains(character));
    if !is_name {
        return Err(format!("`{name}` is not a valid entry name; use letters, digits, `-` and `_`: `--name my-fork`"));
    }
    Ok((Path::new(ENTRIES).join(format!("{name}.{SUFFIX}")), format!("{LOCAL}{name}")))
}

/// Writes an entry, and creates its folder.
fn write(cx: &Context, path: &Path, folder: Option<&Path>, text: &str) -> io::Result<()> {
    folder.map_or(Ok(()), |folder| cx.writer.create_folder(folder))?;
    put(&*cx.writer, path, Role::SchemaEntry, NewMode::Plain, text.as_bytes())
}

/// Prints the differences from the base point.
fn report(cx: &Context, listing: Listing, nearest: Point, differences: &[Difference]) -> io::Result<()> {
    let mut out = cx.out();
    let entries: Vec<ImportedKey> = differences
        .iter()
        .map(|difference| ImportedKey {
            kind: difference.kind.name(),
            key: difference.path.clone(),
            known: difference.known.clone(),
            own: difference.own.clone(),
            unknown_checks: difference.unknown_validators.clone(),
            gone_checks: difference.gone_validators.clone(),
        })
        .collect();
    listing.write(&mut out, &entries)?;
    if listing != Listing::Text {
        return Ok(());
    }
    let point = point_in_words(History::built_in(), nearest);
    match entries.len() {
        0 => writeln!(out, "no differences from the base point, {point}")?,
        1 => writeln!(out, "one field differs from the base point, {point}:")?,
        count => writeln!(out, "{count} fields differ from the base point, {point}:")?,
    }
    for entry in entries.iter().take(MAX_SHOWN) {
        let name = if entry.key.is_empty() { "the whole file".into() } else { cfg_diag::one_line(&entry.key) };
        match (entry.known.as_deref().map(shortened), entry.own.as_deref().map(shortened)) {
            (None, Some(own)) => writeln!(out, "  + {} {name}: {own}", entry.kind)?,
            (Some(known), None) => writeln!(out, "  - {} {name}: {known}", entry.kind)?,
            (Some(known), Some(own)) if known != own => writeln!(out, "  ~ {} {name}: {known} -> {own}", entry.kind)?,
            _ => writeln!(out, "  ~ {} {name}", entry.kind)?,
        }
        if !entry.unknown_checks.is_empty() {
            writeln!(out, "      checks unknown to cfg, not run: {}", cfg_diag::one_line(&entry.unknown_checks.join(", ")))?;
        }
        if !entry.gone_checks.is_empty() {
            writeln!(out, "      removed checks: {}", cfg_diag::one_line(&entry.gone_checks.join(", ")))?;
        }
    }
    if entries.len() > MAX_SHOWN {
        writeln!(out, "  and {} more; use `--format json` to list all", entries.len() - MAX_SHOWN)?;
    }
    Ok(())
}

/// The properties of a field in one line; a long union is shortened to the number of its members.
fn shortened(field: &str) -> String {
    const MAX_TABLES: usize = 8;
    let tables = field.matches("table(").count();
    match field.strip_prefix("union[table(").and_then(|_| field.find(']')) {
        Some(end) if tables > MAX_TABLES => format!("union[{tables} tables{}", cfg_diag::one_line(&field[end..])),
        // An alias of the sources may be any text.
        _ => cfg_diag::one_line(field).into_owned(),
    }
}
