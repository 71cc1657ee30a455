//! The files that prime-rl's launcher writes for the processes that it starts, at each point of the history.

use cfg_compose::{Table, Tree, Value};
use cfg_diag::Diagnostic;
use cfg_schema::{Behaviour, Kind, Point, Schema, Segment};

use crate::{
    Field, Names, Resolved, ResolvedTable, ResolvedValue,
    default::default_of,
    resolve, walk,
    written::{Defaults, Nulls, Writing, made, write, written},
};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// A file that the launcher writes.
#[derive(Clone, Debug)]
pub struct LauncherFile {
    /// Its path below the folder of configs, with `/` between folders.
    pub path: String,
    /// The kind of config as which the process reads it; `None` for a server of an environment, whose config has no kind.
    pub kind: Option<Kind>,
    /// The key of the part of the config that it contains; empty for the whole config.
    pub part: &'static str,
    /// Its format.
    pub notation: Notation,
    /// Its values.
    pub table: Table,
}

/// How null is written in the launcher's files at a point.
pub fn nulls(point: Point) -> Nulls {
    if point.has(Behaviour::RunTable) {
        Nulls::Kept
    } else if point.has(Behaviour::NullAsText) {
        Nulls::AsText
    } else {
        Nulls::Dropped
    }
}

/// The files for the processes of a resolved config of this kind. A separate trainer, orchestrator or inference server reads what the user wrote, so
/// its file is the whole config.
pub fn files(table: &ResolvedTable, kind: Kind, point: Point) -> Vec<LauncherFile> {
    let mut files = Vec::new();
    match kind {
        Kind::Rl => {
            if point.has(Behaviour::NullBatchSize)
                && below(table, "slurm", point).is_some()
                && is_variant(table, "deployment", "single_node", point)
            {
                files.push(whole_config(table, kind, point, &["slurm", "dry_run", "clean_output_dir", "clean"]));
            }
            files.extend(parts(table, point, Defaults::Written));
            if point.has(Behaviour::EnvServers) {
                env_servers(table, point, &mut files);
            }
        }
        Kind::Sft if below(table, "slurm", point).is_some() => {
            let of_launcher = ["slurm", "dry_run", "clean_output_dir", "clean", "deployment", "inference"];
            let several = is_variant(table, "deployment", "multi_node", point);
            let count = match (several, below(table, "eval", point)) {
                (true, Some(_)) => 6,
                (true, None) => 5,
                (false, _) => 4,
            };
            files.push(whole_config(table, kind, point, &of_launcher[..count]));
        }
        _ => files.push(whole_config(table, kind, point, &[])),
    }
    files
}

/// The parts of an rl config that are configs of their own, with the kind of each.
pub const PARTS: [(&str, Kind); 4] = [
    ("trainer", Kind::Trainer),
    ("orchestrator", Kind::Orchestrator),
    ("inference", Kind::Inference),
    ("teacher_inference", Kind::Inference),
];

/// Keys of the inference part that only the launcher needs.
const OF_LAUNCHER: [&str; 4] = ["deployment", "slurm", "output_dir", "dry_run"];

/// The files of all [`PARTS`] that a config has. Omitting defaults does not change their meaning, unless a check of prime-rl depends on whether a
/// default was written.
pub fn parts(table: &ResolvedTable, point: Point, defaults: Defaults) -> Vec<LauncherFile> {
    PARTS.iter().filter_map(|&(part, kind)| self::part(table, part, kind, point, defaults)).collect()
}

/// The file of one part.
pub fn part(table: &ResolvedTable, part: &'static str, kind: Kind, point: Point, defaults: Defaults) -> Option<LauncherFile> {
    let config = below(table, part, point)?;
    let mut raw = write(config, Writing { point, nulls: nulls(point), defaults });
    if part == "inference" && point.has(Behaviour::Replicas) {
        for key in OF_LAUNCHER {
            raw.remove(key);
        }
        let knows_router = config.node.field("router").is_some_and(|router| router.at(point).is_some());
        if point.has(Behaviour::Router) && knows_router && is_variant(table, "deployment", "multi_node", point) {
            raw.insert(made("router", if point.has(Behaviour::RunTable) { Value::Null } else { Value::Str("None".into()) }));
        }
    }
    Some(file(part, Some(kind), part, raw, point))
}

/// The findings of the process that reads the file of a part; `schema` is that of the file. Empty if the config does not have the part. `names` are
/// those of the given config: a file that the launcher writes has no unknown keys.
pub fn read_part(schema: Schema, names: &Names, table: &ResolvedTable, part: &'static str) -> Vec<Diagnostic> {
    let point = schema.point;
    let Some(config) = below(table, part, point) else { return Vec::new() };
    let is_changed = part == "inference"
        && point.has(Behaviour::Replicas)
        && (OF_LAUNCHER.iter().any(|key| config.given(key).is_some()) || is_variant(table, "deployment", "multi_node", point));
    // If the part and the file have different classes in the history, the findings for one do not apply to the other.
    if is_changed || !config.node.has_fields_of(schema.root()) {
        let file = self::part(table, part, schema.kind, point, Defaults::LeftOut);
        return file.map_or_else(Vec::new, |file| resolve(schema, names, Tree { root: file.table }).1);
    }
    let is_as_given = table.given(part).is_some_and(|field| field.is_set && is_given(&field.resolved));
    if is_as_given { Vec::new() } else { walk::resolve_again(schema, names, config).1 }
}

/// Whether a value and everything in it is unchanged since it was read. `false` for null, because not every file format can contain it.
pub(crate) fn is_given(resolved: &Resolved) -> bool {
    resolved.origin.made_by().is_none()
        && match &resolved.value {
            ResolvedValue::Null | ResolvedValue::Invalid => false,
            ResolvedValue::List(items) => items.iter().all(is_given),
            ResolvedValue::Map(entries) => entries.iter().all(|(_, entry)| is_given(entry)),
            ResolvedValue::Table(table) => table.fields.iter().all(|field| field.is_set && is_given(&field.resolved)),
            _ => true,
        }
}

/// The whole config, without some keys of its root.
fn whole_config(table: &ResolvedTable, kind: Kind, point: Point, without: &[&str]) -> LauncherFile {
    let mut raw = written(table, point, nulls(point));
    for key in without {
        raw.remove(key);
    }
    file(kind.name(), Some(kind), "", raw, point)
}

fn file(name: &str, kind: Option<Kind>, part: &'static str, table: Table, point: Point) -> LauncherFile {
    let notation = if point.has(Behaviour::RunTable) { Notation::Json } else { Notation::Toml };
    let extension = if notation == Notation::Json { "json" } else { "toml" };
    LauncherFile { path: format!("{name}.{extension}"), kind, part, notation, table }
}

/// The files of the environments' servers that the launcher starts. Each contains its environment, how to serve it, and its address.
fn env_servers(table: &ResolvedTable, point: Point, files: &mut Vec<LauncherFile>) {
    let Some(orchestrator) = below(table, "orchestrator", point) else { return };
    let whole = written(orchestrator, point, nulls(point));
    let number = |key: &str| match whole.get(key).map(|entry| &entry.node.value) {
        Some(Value::Int(cfg_compose::Integer::Small(number))) => Some(*number),
        _ => None,
    };
    let Some(first_port) = number("env_server_base_port") else { return };
    let mut log = Table::default();
    if let Some(own) = whole.get("log").and_then(|entry| entry.node.value.as_table()) {
        for (key, from) in [("level", "vf_level"), ("json_logging", "json_logging")] {
            if let Some(entry) = own.get(from) {
                log.insert(made(key, entry.node.value.clone()));
            }
        }
    }
    let mut port = first_port;
    for split in ["train", "eval"] {
        let group = whole.get(split).and_then(|entry| entry.node.value.as_table()).and_then(|group| group.get("source"));
        let Some(Value::List(sources)) = group.map(|entry| &entry.node.value) else { continue };
        for source in sources.iter().filter_map(|source| source.value.as_table()) {
            let address = format!("tcp://127.0.0.1:{port}");
            port += 1;
            let inner = |key: &str| source.get(key).and_then(|entry| entry.node.value.as_table()).cloned();
            let mut serve = inner("serve").unwrap_or_default();
            let own_address = serve.get("address").and_then(|entry| entry.node.value.as_str());
            if own_address.is_some_and(|address| address != "None") {
                continue;
            }
            let Some(name) = source_name(source) else { continue };
            serve.insert(made("address", Value::Str(address.into())));
            let mut config = Table::default();
            config.insert(made("env", Value::Table(inner("env").unwrap_or_default())));
            config.insert(made("serve", Value::Table(serve)));
            if let Some(legacy) = inner("legacy") {
                config.insert(made("legacy", Value::Table(legacy)));
            }
            config.insert(made("log", Value::Table(log.clone())));
            files.push(file(&format!("envs/{split}/{name}"), None, "", config, point));
        }
    }
}

/// The name that prime-rl gives to the environment of an entry in `source`.
fn source_name(source: &Table) -> Option<String> {
    let text = |path: &[&str]| {
        let (last, tables) = path.split_last()?;
        let table = tables.iter().try_fold(source, |table, key| table.get(key)?.node.value.as_table())?;
        let text = table.get(last)?.node.value.as_str()?;
        (!text.is_empty() && text != "None").then(|| text.to_owned())
    };
    text(&["name"]).or_else(|| match (text(&["env", "id"]), text(&["env", "taskset", "id"])) {
        (Some(env), Some(taskset)) => Some(format!("{env}+{taskset}")),
        (env, taskset) => taskset.or(env).or_else(|| text(&["legacy", "id"])),
    })
}

/// The table of a field, or its default.
fn below<'t>(table: &'t ResolvedTable, name: &str, point: Point) -> Option<&'t ResolvedTable> {
    match table.given(name) {
        Some(Field { resolved: Resolved { value: ResolvedValue::Table(below), .. }, .. }) => Some(below),
        Some(_) => None,
        None => {
            let node = table.node.field(name)?;
            match &default_of(node, node.at(point)?, point).value {
                ResolvedValue::Table(below) => Some(below),
                _ => None,
            }
        }
    }
}

/// Whether the table of a field is the variant `tag`.
fn is_variant(table: &ResolvedTable, name: &str, tag: &str, point: Point) -> bool {
    below(table, name, point).is_some_and(|below| matches!(below.node.segment(), Segment::Variant(own) if own == tag))
}
