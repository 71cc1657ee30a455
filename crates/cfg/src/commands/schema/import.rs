//! `cfg schema import`: a prime-rl that the history does not know.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use cfg_history::{Classes, Difference, NoClasses, READ_CLASSES, SUFFIX};
use cfg_project::{ENTRIES, LOCAL};
use cfg_schema::{History, Point};
use serde::Serialize;

use super::point_in_words;
use crate::{
    Outcome,
    args::{Common, Import},
    commands::Listing,
    terminal, write,
};

/// So many differences are shown; `--format json` has all.
const MOST_SHOWN: usize = 100;

#[derive(Serialize)]
struct Shown<'d> {
    kind: &'static str,
    key: &'d str,
    /// What holds of it at the nearest point.
    known: Option<&'d str>,
    /// What holds of it in the checkout.
    own: Option<&'d str>,
    new_checks: &'d [String],
    gone_checks: &'d [String],
}

pub(super) fn run(common: &Common, import: &Import) -> io::Result<Outcome> {
    let Some(listing) = Listing::of(common, "schema") else { return Ok(Outcome::Failed) };
    let classes = match read_classes(import) {
        Ok(classes) => classes,
        Err(NoClasses { message, help }) => {
            let help = help.map(|help| format!("; {help}")).unwrap_or_default();
            terminal::complain(&format!("{message}{help}"));
            return Ok(Outcome::Failed);
        }
    };
    // Which point is nearest is only known once the classes have been compiled.
    let newest = History::built_in().commit_of(History::built_in().newest()).map(cfg_schema::Commit::sha).unwrap_or_default();
    let entry = match cfg_history::read_entry(&classes.entry(&[], &newest)) {
        Ok(entry) => entry,
        Err(error) => {
            terminal::complain(&format!("the config classes of {} can't be taken over: {error}", import.checkout.display()));
            return Ok(Outcome::Failed);
        }
    };
    let (nearest, _) = cfg_history::nearest(entry.history);
    let differences = cfg_history::differences(entry.history, nearest);
    let (path, target) = match place(import) {
        Ok(place) => place,
        Err(message) => {
            terminal::complain(&message);
            return Ok(Outcome::Failed);
        }
    };
    let sha = History::built_in().commit_of(nearest).map(cfg_schema::Commit::sha).unwrap_or_default();
    let about = [
        format!(
            "The config classes of {}, read by `cfg schema import` with pydantic {}.",
            import.checkout.display(),
            classes.pydantic
        ),
        "Checks, loader and launcher are those of the nearest known point.".to_owned(),
    ];
    let text = classes.entry(&about, &sha);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Err(error) = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| write::create(&path, text.as_bytes())) {
        terminal::complain(&format!("{}: {error}", path.display()));
        return Ok(Outcome::Failed);
    }
    for unread in &classes.unread {
        terminal::note(unread);
    }
    report(listing, nearest, &differences)?;
    terminal::say(&format!(
        "wrote {}; name it with `--target {target}`, or with `target = \"{target}\"` in cfg.toml",
        path.display()
    ));
    Ok(Outcome::Clean)
}

/// Where the entry goes, and how it is named then.
fn place(import: &Import) -> Result<(PathBuf, String), String> {
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
            let whole = fs::canonicalize(&import.checkout).unwrap_or_else(|_| import.checkout.clone());
            whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        }
    };
    let is_name = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_.@".contains(character));
    if !is_name {
        return Err(format!(
            "`{name}` can't be the name of an entry; give one of letters, digits, `-` and `_`: `--name my-fork`"
        ));
    }
    Ok((Path::new(ENTRIES).join(format!("{name}.{SUFFIX}")), format!("{LOCAL}{name}")))
}

/// Runs the user's Python on our script, which it gets on its standard input.
fn read_classes(import: &Import) -> Result<Classes, NoClasses> {
    let checkout = &import.checkout;
    if !checkout.is_dir() {
        let help = Some("name the folder into which prime-rl was cloned".to_owned());
        return Err(NoClasses { message: format!("{} is no folder", checkout.display()), help });
    }
    let own = [checkout.join(".venv/bin/python"), checkout.join(".venv/Scripts/python.exe")];
    let python =
        import.python.clone().or_else(|| own.into_iter().find(|path| path.is_file())).unwrap_or_else(|| "python3".into());
    terminal::say(&format!("reading the config classes of {} with {}", checkout.display(), python.display()));
    let cannot_run = |error: &io::Error| NoClasses {
        message: format!("{} can't be run: {error}", python.display()),
        help: Some("name the Python that runs this prime-rl: `--python PATH`".to_owned()),
    };
    let mut child = Command::new(&python)
        .args(["-W", "ignore", "-"])
        .arg(checkout)
        // Nothing is written into the checkout.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_run(&error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A Python that ends early has said why.
        let _ = stdin.write_all(READ_CLASSES.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| cannot_run(&error))?;
    if output.stdout.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim().to_owned();
        return Err(NoClasses {
            message: format!("{} ended without an answer ({}): {last}", python.display(), output.status),
            help: Some("prime-rl needs Python 3.12 or newer; name the one that runs it: `--python PATH`".to_owned()),
        });
    }
    Classes::read(&String::from_utf8_lossy(&output.stdout))
}

/// Prints what differs from the nearest known point.
fn report(listing: Listing, nearest: Point, differences: &[Difference]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let entries: Vec<Shown<'_>> = differences
        .iter()
        .map(|difference| Shown {
            kind: difference.kind.name(),
            key: &difference.path,
            known: difference.known.as_deref(),
            own: difference.own.as_deref(),
            new_checks: &difference.new_validators,
            gone_checks: &difference.gone_validators,
        })
        .collect();
    listing.write(&mut out, &entries)?;
    if listing != Listing::Text {
        return Ok(());
    }
    let point = point_in_words(History::built_in(), nearest);
    match entries.len() {
        0 => writeln!(out, "nothing differs from the nearest known point, {point}")?,
        1 => writeln!(out, "one field differs from the nearest known point, {point}:")?,
        count => writeln!(out, "{count} fields differ from the nearest known point, {point}:")?,
    }
    for entry in entries.iter().take(MOST_SHOWN) {
        let name = if entry.key.is_empty() { "the whole file" } else { entry.key };
        match (entry.known, entry.own) {
            (None, Some(own)) => writeln!(out, "  + {} {name}: {own}", entry.kind)?,
            (Some(known), None) => writeln!(out, "  - {} {name}: {known}", entry.kind)?,
            (Some(known), Some(own)) if known != own => writeln!(out, "  ~ {} {name}: {own} (was {known})", entry.kind)?,
            _ => writeln!(out, "  ~ {} {name}", entry.kind)?,
        }
        if !entry.new_checks.is_empty() {
            writeln!(out, "      its checks that are not known here, and so not run: {}", entry.new_checks.join(", "))?;
        }
        if !entry.gone_checks.is_empty() {
            writeln!(out, "      checks that it no longer has: {}", entry.gone_checks.join(", "))?;
        }
    }
    if entries.len() > MOST_SHOWN {
        writeln!(out, "  and {} more; `--format json` lists all", entries.len() - MOST_SHOWN)?;
    }
    Ok(())
}
