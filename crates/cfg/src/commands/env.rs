//! `cfg env`: the arguments of an environment, read from the source of its package.

use std::{io, path::Path};

use cfg_diag::one_line;
use cfg_report::listed::{About, OwnCheck, PackageKey, PackagePart};
use cfg_schema::{
    EnvironmentArgs, History, Interval, Kind, Node, OtherArgs, PackageClass, Packages, Point, Role, Segment, Target, Unread,
    interval_in_words,
};
use serde_json::Value;

use super::Listing;
use crate::{CommandResult, Outcome, args::Env, context::Context};

pub(crate) fn run(cx: &Context, env: &Env) -> CommandResult {
    let id = &env.id;
    let listing = Listing::of(cx);
    // Packages are searched for as for a config in the current folder.
    let config = Path::new("config.toml");
    let session = cx.session();
    let Ok(stated) = cx.stated_target() else { return Ok(Outcome::Failed) };
    let detected = || session.projects().target(config).and_then(|found| Some(found.as_ref().as_ref().ok()?.target.clone()));
    let target = stated.or_else(detected).unwrap_or_else(|| Target::newest_release(History::built_in()));
    let packages = session.projects().packages(config);
    let mut unclear: Vec<String> = Vec::new();
    let found = brought(&*packages, id, &target, &mut unclear);
    if found.is_empty() {
        let why = match unclear.first() {
            Some(why) => format!("can't read the package of `{id}`: {why}"),
            None => format!(
                "no source found for `{id}`: cfg looks in the folders of the project, such as `environments/`, in its `.venv`, \
                 and in a prime-rl checkout"
            ),
        };
        cx.complain(&why);
        return Ok(Outcome::Failed);
    }
    let mut out = cx.out();
    if listing != Listing::Text {
        let about = About { kind: None, target: Some(target.to_string()) };
        listing.write_about(&mut out, &found, Some(&about))?;
        return Ok(Outcome::Clean);
    }
    for one in &found {
        write_text(&mut out, one)?;
    }
    Ok(Outcome::Clean)
}

/// All functions and classes in the package of an id.
fn brought(packages: &dyn Packages, id: &str, target: &Target, unclear: &mut Vec<String>) -> Vec<PackagePart> {
    let mut found = Vec::new();
    let mut note = |why: Unread| {
        if let Unread::Unclear(why) = why {
            unclear.push(why);
        }
    };
    match packages.arguments(id) {
        Ok(arguments) => found.push(of_arguments(&arguments)),
        Err(why) => note(why),
    }
    for (role, field) in
        [(Role::Taskset, "taskset"), (Role::Harness, "harness"), (Role::Judge, "judges"), (Role::Environment, "env")]
    {
        let Some(declared) = declared(target, field) else { continue };
        match packages.class(role, id, declared, target.point) {
            Ok(class) => found.push(of_class(role, &class, target.point)),
            Err(why) => note(why),
        }
        if role == Role::Environment
            && let Ok(Some(class)) = packages.environment_of(id, declared, target.point)
        {
            found.push(of_class(role, &class, target.point));
        }
    }
    found
}

/// The first field of this name whose class may be one of a package.
fn declared(target: &Target, field: &str) -> Option<Node> {
    below(target.history.root(Kind::Orchestrator), field, target.point, 6)
}

fn below(node: Node, field: &str, point: Point, depth: usize) -> Option<Node> {
    let there = || node.children().filter(|child| child.at(point).is_some() || child.segment() == Segment::Item);
    let own = there().find(|child| child.field_name() == Some(field) && (child.item().is_some() || child.field("id").is_some()));
    match own {
        Some(own) => Some(own.item().unwrap_or(own)),
        None if depth == 0 => None,
        None => there().find_map(|child| below(child, field, point, depth - 1)),
    }
}

fn of_class(role: Role, class: &PackageClass, point: Point) -> PackagePart {
    let mut keys = Vec::new();
    add_keys(class.node, point, "", &mut keys);
    PackagePart {
        what: role.in_words(),
        name: class.name.clone(),
        place: class.place.clone(),
        keys,
        others: "refused",
        checks: class
            .checks
            .iter()
            .map(|check| OwnCheck { name: check.name.clone(), place: check.place.clone(), reads: check.reads.clone() })
            .collect(),
    }
}

/// Adds the keys of a table and of the tables inside it. A table without keys is added itself.
fn add_keys(node: Node, point: Point, path: &str, keys: &mut Vec<PackageKey>) {
    for (field, interval) in node.fields(point) {
        let Some(name) = field.field_name().filter(|_| !interval.is_hidden()) else { continue };
        let key = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let has_keys = field.fields(point).next().is_some();
        if has_keys && keys.len() < MAX_KEYS {
            add_keys(field, point, &key, keys);
        } else {
            keys.push(key_of(field, interval, point, key));
        }
    }
}

/// The maximum number of keys that are listed separately; after that, a table inside the table is a single entry.
const MAX_KEYS: usize = 200;

fn key_of(field: Node, interval: Interval, point: Point, key: String) -> PackageKey {
    PackageKey {
        path: key,
        holds: interval_in_words(interval),
        required: interval.is_required(),
        default: interval.default_json().and_then(|json| serde_json::from_str(json).ok()),
        doc: field.doc(point).map(str::to_owned),
    }
}

fn of_arguments(arguments: &EnvironmentArgs) -> PackagePart {
    let key = |arg: &cfg_schema::EnvironmentArg| {
        let default = arg.default.as_ref().map(|default| format!("; default {default}")).unwrap_or_default();
        let required = if arg.is_required { "; required" } else { "" };
        PackageKey {
            path: arg.name.clone(),
            holds: format!("{}{default}{required}", cfg_rules::declared::in_words(&arg.ty)),
            required: arg.is_required,
            default: arg.default.clone().map(Value::from),
            doc: None,
        }
    };
    PackagePart {
        what: "arguments",
        name: "load_environment".to_owned(),
        place: arguments.place.clone(),
        keys: arguments.args.iter().map(key).collect(),
        others: match arguments.others {
            OtherArgs::Refused => "refused",
            OtherArgs::Dropped => "dropped",
            OtherArgs::PassedOn => "passed_on",
        },
        checks: Vec::new(),
    }
}

/// Writes what the sources of a package say, which may be any texts.
fn write_text(out: &mut impl io::Write, brought: &PackagePart) -> io::Result<()> {
    let mut line = |line: &str| writeln!(out, "{}", one_line(line));
    line(&format!("{} `{}` ({})", brought.what, brought.name, brought.place))?;
    let width = brought.keys.iter().map(|key| key.path.chars().count()).max().unwrap_or(0);
    for key in &brought.keys {
        line(&format!("  {:width$}  {}", key.path, key.holds))?;
        if let Some(doc) = &key.doc {
            line(&format!("  {:width$}    {doc}", ""))?;
        }
    }
    match brought.others {
        "dropped" => line("  other arguments are ignored")?,
        "passed_on" => line("  other arguments may be passed on")?,
        _ => {}
    }
    for check in &brought.checks {
        let reads = match &check.reads {
            Some(keys) => format!("reads {}", keys.join(", ")),
            None => "may read any key".to_owned(),
        };
        line(&format!("  checked by `{}`, which {reads} ({})", check.name, check.place))?;
    }
    Ok(())
}
