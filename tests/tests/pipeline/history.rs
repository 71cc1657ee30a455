//! The schema history of the program contains exactly the recorded facts: every interval of every field is as it was recorded, and there are no
//! others.
//!
//! The variants of `renderer` are left out: they belong to the package `renderers`, of which one version was recorded for the whole history, while
//! the program uses the version of each prime-rl. The recorded vectors cover them.

use std::{collections::BTreeMap, fs};

use cfg_schema::{Discriminator, FieldType, History, Interval, Kind, Node, Point, Policy, Segment, TypeKind};
use cfg_tests::shared;
use serde_json::{Map, Value, json};

/// The number of differences that are shown.
const SHOWN: usize = 10;

/// The kind, the path and the first point.
type Place = (String, String, u64);

/// The points from the first to before the second.
type Range = (u16, u16);

/// Whether the history deliberately has more for a path than the facts. The facts have the renderers of one package version for the whole history,
/// and the base class of an environment's table or harness where prime-rl narrows it. They do not say which numbers must be finite; the weight of a
/// judge must, from verifiers of July 2026 on. They use verifiers' declarations of an environment from one of its commits for several commits of
/// prime-rl, which named other commits in between; the same holds for the shared broadcast port.
fn is_told_better(path: &str) -> bool {
    let of_environment = path.split_once("env[]").or_else(|| path.split_once("source[]")).map(|(_, own)| own);
    let of_verifiers =
        [".args", ".extra_env_kwargs", ".env", ".harness", ".id", ".interception", ".multiplex", ".pool", ".taskset"];
    let is_below =
        |key: &str, own: &str| own.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '<']));
    if of_environment.is_some_and(|own| own.is_empty() || of_verifiers.iter().any(|key| is_below(key, own))) {
        return true;
    }
    if path == "weight_broadcast.port" || path == "weight_broadcast.timeout" {
        return true;
    }
    let is_renderer = path.contains("renderer<name=") || path.ends_with("renderer");
    let is_of_default_harness = path.ends_with(".harness.edit") || path.ends_with(".harness.search");
    is_renderer || is_of_default_harness || path.contains(".env.agent") || path.ends_with(".judges[].weight")
}

/// The content of the program's history, in the form of the facts.
fn known() -> BTreeMap<Place, Value> {
    let history = History::built_in();
    let mut all = BTreeMap::new();
    for kind in Kind::RUNS {
        walk(history.root(kind), "", &[(0, END)], &mut |path, node, since, until, interval| {
            let before = all.insert((kind.to_string(), path.to_owned(), u64::from(since)), facts(node, until, interval));
            assert!(before.is_none(), "{kind}:{path} has two intervals since {since}");
        });
    }
    all
}

/// After every point.
const END: u16 = u16::MAX;

/// Visits every interval of a node and everything below it. Tables with the same fields share their nodes, so an interval only holds as long as the
/// table above it exists (`alive`).
fn walk(node: Node, path: &str, alive: &[Range], visit: &mut impl FnMut(&str, Node, u16, u16, &Interval)) {
    let mut own: Vec<Range> = Vec::new();
    for interval in node.intervals() {
        let (since, until) = (interval.since().0, interval.until().map_or(END, |until| until.0));
        for range in alive.iter().map(|range| (range.0.max(since), range.1.min(until))).filter(|range| range.0 < range.1) {
            visit(path, node, range.0, range.1, &interval);
            match own.last_mut() {
                Some(last) if last.1 == range.0 => last.1 = range.1,
                _ => own.push(range),
            }
        }
    }
    // The items of an array of a union have no facts of their own; they exist as long as the array.
    let is_bare_item = node.segment() == Segment::Item && node.intervals().next().is_none();
    let own = if is_bare_item { alive } else { &own };
    for child in node.children() {
        let path = match child.segment() {
            Segment::Field(name) if path.is_empty() => name.to_owned(),
            Segment::Field(name) => format!("{path}.{name}"),
            Segment::Item => format!("{path}[]"),
            Segment::MapValue => format!("{path}.*"),
            Segment::Variant(tag) => format!("{path}<{}={tag}>", tag_key(node)),
            Segment::Class(name) => format!("{path}<{name}>"),
        };
        walk(child, &path, own, visit);
    }
}

/// The key that selects the variants below a node: `name` for renderers, `type` for others.
fn tag_key(node: Node) -> &'static str {
    fn of(ty: FieldType) -> Option<&'static str> {
        match ty.discriminator() {
            Some(Discriminator::Key(key)) => Some(key),
            Some(Discriminator::TypeOrDefault) => Some("type"),
            None => ty.members().find_map(of),
        }
    }
    node.intervals().find_map(|interval| of(interval.field_type())).unwrap_or("type")
}

fn facts(node: Node, until: u16, interval: &Interval) -> Value {
    let ty = interval.field_type();
    let validators = by_mode(interval.validators().map(|(mode, name)| (mode.to_owned(), name.to_owned())));
    json!({
        "until": Some(until).filter(|&until| until != END),
        "type": shape(ty),
        "required": interval.is_required(),
        "default": interval.default_json().map(|json| serde_json::from_str::<Value>(json).expect("JSON")),
        "has default": interval.default_json().is_some(),
        "variant": interval.default_variant_json().map(|json| serde_json::from_str::<Value>(json).expect("JSON")),
        "factory": interval.has_factory(),
        "hidden": interval.is_hidden(),
        "aliases": interval.aliases().collect::<Vec<_>>(),
        "validators": validators,
        "settings": interval.settings_prefix(),
        "is variant": matches!(node.segment(), Segment::Variant(_) | Segment::Class(_)),
    })
}

/// Validators in the order of their modes: pydantic runs each mode separately, so only the order within a mode matters.
fn by_mode(validators: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut validators: Vec<_> = validators.collect();
    validators.sort_by(|(one, _), (other, _)| one.cmp(other));
    validators
}

fn shape(ty: FieldType) -> Value {
    let (name, policy) = match ty.kind() {
        TypeKind::Any => ("any", None),
        TypeKind::Int => ("int", None),
        TypeKind::Float => ("float", None),
        TypeKind::Bool => ("bool", None),
        TypeKind::Str => ("str", None),
        TypeKind::Path => ("path", None),
        TypeKind::Literal => ("lit", None),
        TypeKind::List => ("list", None),
        TypeKind::Dict => ("dict", None),
        TypeKind::Union => ("union", None),
        TypeKind::Table(Policy::Forbid) => ("table", Some("forbid")),
        TypeKind::Table(Policy::Ignore) => ("table", Some("ignore")),
        TypeKind::Table(Policy::Allow) => ("table", Some("allow")),
    };
    let bounds = ty.bounds();
    json!({
        "name": name,
        "policy": policy,
        "nullable": ty.is_nullable(),
        "by": ty.discriminator().map(|by| match by { Discriminator::Key(key) => key, Discriminator::TypeOrDefault => "type, or default" }),
        "literals": ty.literals().collect::<Vec<_>>(),
        "members": ty.members().map(shape).collect::<Vec<_>>(),
        "bounds": [bounds.ge, bounds.gt, bounds.le, bounds.lt],
        "min length": bounds.min_length,
        "functions": ty.functions().collect::<Vec<_>>(),
    })
}

/// A line of the facts, in the form of [`facts`].
fn recorded(line: &Map<String, Value>) -> Value {
    let names = |part: &str| line.get("validators").and_then(|both| both[part].as_array()).into_iter().flatten();
    let split = |name: &Value, suffix: &str| {
        let (mode, name) = name.as_str().expect("a text").split_once(':').expect("MODE:NAME");
        (format!("{mode}{suffix}"), name.to_owned())
    };
    let own = names("mv").map(|name| split(name, ""));
    let validators = by_mode(own.chain(names("fv").map(|name| split(name, " field"))));
    let is = |key: &str| line.get(key).is_some_and(|value| value == true);
    json!({
        "until": line["until"],
        "type": recorded_shape(&line["type"]),
        "required": is("req"),
        "default": line.get("def"),
        "has default": line.contains_key("def"),
        "variant": line.get("deftag"),
        "factory": is("fac"),
        "hidden": is("excl"),
        "aliases": line.get("alias").cloned().unwrap_or(json!([])),
        "validators": validators,
        "settings": line.get("cfg").map(|cfg| &cfg["env_prefix"]),
        "is variant": line["type"]["t"] == "variant",
    })
}

fn recorded_shape(ty: &Value) -> Value {
    let name = match ty["t"].as_str().expect("a type") {
        "root" | "variant" => "table",
        name => name,
    };
    let list = |key: &str| ty[key].as_array().cloned().unwrap_or_default();
    let functions = match &ty["fn"] {
        Value::String(one) => vec![Value::from(one.as_str())],
        Value::Array(several) => several.clone(),
        _ => Vec::new(),
    };
    let by = ty["disc"].as_str().map(|by| if by.starts_with("fn:") { "type, or default" } else { by });
    let bounds = ["ge", "gt", "le", "lt"].map(|bound| ty[bound].as_f64());
    json!({
        "name": name,
        "policy": ty["extra"],
        "nullable": ty["null"] == true,
        "by": by,
        "literals": list("v"),
        "members": list("of").iter().map(recorded_shape).collect::<Vec<_>>(),
        "bounds": bounds,
        "min length": ty["min_length"],
        "functions": functions,
    })
}

/// The points of the history for those of the facts, which have fewer.
fn points_of_facts() -> Vec<u64> {
    let commits = fs::read_to_string(shared("facts/schema/commits.json")).expect("the facts");
    let commits: Vec<Map<String, Value>> = serde_json::from_str(&commits).expect("a list");
    let history = History::built_in();
    let known: BTreeMap<String, u64> = (0..=history.newest().0)
        .filter_map(|point| Some((history.commit_of(Point(point))?.short_sha(), u64::from(point))))
        .collect();
    let point = |commit: &Map<String, Value>| known[&commit["sha"].as_str().expect("a hash")[..9]];
    commits.iter().map(point).collect()
}

#[test]
#[ignore = "reads ../shared/facts"]
fn the_recorded_intervals_are_exactly_those_read_back() {
    let file = shared("facts/schema/fields.jsonl");
    let mut known = known();
    known.retain(|(_, path, _), _| !is_told_better(path));
    let points = points_of_facts();
    let (mut count, mut wrong) = (0, Vec::new());
    for line in fs::read_to_string(file).expect("the facts").lines() {
        let line: Map<String, Value> = serde_json::from_str(line).expect("a line of JSON");
        let text = |key: &str| line[key].as_str().expect("a text").to_owned();
        let place = (text("kind"), text("path"), points[line["since"].as_u64().expect("a point") as usize]);
        if is_told_better(&place.1) {
            continue;
        }
        let mut recorded = recorded(&line);
        if let Some(until) = recorded["until"].as_u64() {
            recorded["until"] = points[until as usize].into();
        }
        count += 1;
        match known.remove(&place) {
            None => wrong.push(format!("{place:?} is missing")),
            Some(known) if known != recorded => wrong.push(format!("{place:?}\n  recorded {recorded}\n  known    {known}")),
            Some(_) => {}
        }
    }
    wrong.extend(known.keys().map(|place| format!("{place:?} is not among the facts")));
    let shown = wrong.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {count} intervals differ\n{shown}", wrong.len());
    assert!(count > 4000, "only {count} intervals were compared");
}
