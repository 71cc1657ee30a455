//! `cargo xtask history shipped PRIME-RL VERIFIERS`: reads the config classes that come with the verifiers package and that a config names by an
//! `id`, at every commit of the main line in the history.

use std::collections::{BTreeSet, HashMap};

use cfg_python::PackageDeclarations;
use cfg_schema::compiler::{Interval, Type};

use super::{
    add::advance,
    main_line::MainLine,
    rows::{Rows, rows_of_class, same},
    schema_file::{self, relative},
};
use crate::{commits::Commits, generate::root, mirror::Mirror};

/// Writes `schemas/shipped.schema` from the commit with the index `first` on, and returns lines for a person to review.
pub(crate) fn read(mirror: &mut Mirror, first: usize) -> Result<Vec<String>, String> {
    write(mirror, ("shipped.schema", HEAD), first, of_pin)
}

/// Writes what is `read` at each commit of verifiers that the main line used, over intervals of schema commits, from the commit with the index `first`
/// on: what the file says of earlier ones stays. Returns lines for a person to review.
pub(super) fn write(
    mirror: &mut Mirror,
    (name, head): (&str, &str),
    first: usize,
    read: impl Fn(&mut Mirror, &str, &mut News) -> Result<Rows, String>,
) -> Result<Vec<String>, String> {
    let schemas = root().join("schemas");
    let path = schemas.join(name);
    let numbers = MainLine::read(&schemas)?.numbers();
    let main_line = Commits::read()?.main_line;
    // A commit that is no schema commit counts to the one before it.
    let begin = main_line.get(first).map_or_else(|| numbers.count(), |commit| commit.schema);
    let mut file = schema_file::File::with_head(head);
    if begin > 0 {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        file = schema_file::File::parse(&text, &numbers).map_err(|error| format!("{}: {error}", path.display()))?;
        file.cut(begin);
    }
    let mut news = News::new();
    let mut of_pins: HashMap<String, Rows> = HashMap::new();
    // The fields at each schema commit from there on.
    let mut later: Vec<Rows> = Vec::new();
    for commit in main_line.into_iter().filter(|commit| commit.schema >= begin) {
        let pin = mirror.verifiers_of(&commit.sha)?.filter(|pin| mirror.has_verifiers(pin));
        let rows = match pin {
            None => Rows::new(),
            Some(pin) => match of_pins.get(&pin) {
                Some(known) => known.clone(),
                None => of_pins.entry(pin.clone()).or_insert(read(mirror, &pin, &mut news)?).clone(),
            },
        };
        if usize::from(commit.schema - begin) == later.len() {
            later.push(rows);
        } else if let Some(now) = later.last_mut() {
            merge(now, rows, &commit.sha[..9], &mut news);
        }
    }
    let root = Rows::from([(String::new(), "root(ignore)".to_owned())]);
    for (number, rows) in (begin..).zip(&later) {
        advance(&mut file, number, &root.iter().chain(rows).map(|(path, body)| (path.clone(), body.clone())).collect());
    }
    std::fs::write(&path, file.text(&numbers)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(news.into_iter().collect())
}

/// Lines for a person to review, each once.
pub(super) type News = BTreeSet<String>;

const HEAD: &str = "# The config classes that come with the verifiers package, with the fields that each has beyond, or otherwise than, the class of its role:\n# `harness.codex` is what a harness with the id `codex` has. What an environment has by its taskset is below `env_of`. `own` are checks of such a\n# class, with the fields that each reads.\n# `cargo xtask history shipped` writes it.";

/// Merges the changes of verifiers between two schema commits: new keys are included from the first on, a field whose type changed has any type, and
/// a default that changed is unknown.
fn merge(now: &mut Rows, rows: Rows, commit: &str, news: &mut News) {
    for (path, body) in rows {
        match now.get_mut(&path) {
            None => {
                now.insert(path, body);
            }
            Some(known) if !same(known, &body) => {
                news.insert(format!("{commit}: {path} changes from {known} to {body}"));
                let ty = |body: &str| body.split(" = ").next().map(|ty| ty.split("  ;").next().unwrap_or(ty).to_owned());
                *known = ty(&body).filter(|now| ty(known).as_ref() == Some(now)).unwrap_or_else(|| "any".to_owned());
            }
            Some(_) => {}
        }
    }
}

/// The classes at a commit of verifiers.
fn of_pin(mirror: &mut Mirror, pin: &str, news: &mut News) -> Result<Rows, String> {
    let mut all = Rows::new();
    for (place, read) in mirror.shipped(pin)? {
        let class = match read {
            Ok(class) => class,
            Err(why) => {
                news.insert(format!("{}: {place}: {why}", &pin[..9]));
                continue;
            }
        };
        let is_inherited = |field: &str| is_of_role(&place, field);
        add(&mut all, &place, &class, is_inherited)?;
    }
    Ok(below_groups(all))
}

/// Adds the fields of a class that are its own. A table in place of an inherited one has the same fields and another default: it is left out.
pub(super) fn add(
    all: &mut Rows,
    place: &str,
    class: &PackageDeclarations,
    is_inherited: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let checks = class.checks.iter().map(|check| match &check.reads {
        Some(fields) => format!("{}({})", check.name, fields.join(",")),
        None => check.name.clone(),
    });
    let mut root = table("forbid");
    root.validators.extend(checks.map(|check| ("own".to_owned(), check)));
    let rows = rows_of_class(&class.fields)?;
    for field in &class.own {
        let is_part = |path: &str| path == field.name || relative(path, &field.name).is_some();
        let is_table = rows.get(&field.name).is_some_and(|body| body.contains("table("));
        if is_table && is_inherited(&field.name) {
            continue;
        }
        for (path, body) in rows.iter().filter(|(path, _)| is_part(path)) {
            // A text with a restriction that the notation lacks is a plain text.
            let word = field.annotation.as_deref().filter(|word| ["str", "int", "float", "bool"].contains(word));
            let known = word.and_then(|word| Some(format!("{word}{}", body.strip_prefix("any")?)));
            all.insert(format!("{place}.{path}"), known.unwrap_or_else(|| body.clone()));
        }
    }
    all.insert(place.to_owned(), cfg_schema::compiler::body(&root));
    Ok(())
}

/// Adds the tables that hold the classes.
pub(super) fn below_groups(mut all: Rows) -> Rows {
    let groups: BTreeSet<String> = all.keys().filter_map(|path| Some(path.split_once('.')?.0.to_owned())).collect();
    all.extend(groups.into_iter().map(|group| (group, cfg_schema::compiler::body(&table("ignore")))));
    all
}

/// Whether the class of a role itself has a table of this name.
fn is_of_role(place: &str, field: &str) -> bool {
    let role = place.split('.').next().unwrap_or_default();
    matches!((role, field), ("env" | "env_of", "agent") | ("taskset", "task"))
}

/// A table without anything but a policy.
pub(super) fn table(policy: &str) -> Interval {
    Interval::plain(Type { base: "table".to_owned(), policy: Some(policy.to_owned()), ..Type::default() })
}
