//! The list of generated files: each has a path and a function that makes its bytes.

use std::{collections::BTreeSet, fs, path::PathBuf};

use cfg_schema::{History, Kind, Target};

use crate::{
    accuracy, ahead, behaviours, catalogue, classes, commands, days, entrypoints, history, llms, names, needs, pictures, sockets,
    speed, synonyms, tables, unchecked,
};

struct Generated {
    path: &'static str,
    make: fn() -> Result<Vec<u8>, String>,
}

/// The table that this program itself was built with; everything else is generated from it.
const HISTORY: &str = "crates/cfg-schema/src/history.bin";

/// The behaviours of prime-rl, with the points of that table.
const BEHAVIOURS: &str = "crates/cfg-schema/src/behaviours.rs";

/// The contradictions that prime-rl does not check over a range of that table's points.
const UNCHECKED: &str = "crates/cfg-schema/src/unchecked/rows.rs";

/// What settings need of a card over a range of that table's points.
const NEEDS: &str = "crates/cfg-schema/src/needs/rows.rs";

/// The ports on which the processes of a run listen, over a range of that table's points.
const SOCKETS: &str = "crates/cfg-plan/src/sockets/rows.rs";

/// The entrypoints of prime-rl over ranges of that table's points.
const ENTRYPOINTS: &str = "crates/cfg-schema/src/entrypoints/rows.rs";

/// The compiled `schemas/ahead.toml`, part of this program as well.
const AHEAD: &str = "crates/cfg-schema/src/ahead/rows.rs";

/// The keys that prime-rl shares, and what it knows about models by name.
const TABLES: &str = "crates/cfg-resolve/src/tables.rs";

/// The files that are generated from that table and from other sources.
const FILES: &[Generated] = &[
    Generated { path: "crates/cfg-memory/src/prime_rl/days.rs", make: days::compile },
    Generated { path: "crates/cfg-memory/src/catalogue/gpus.rs", make: catalogue::gpus },
    Generated { path: "crates/cfg-memory/src/catalogue/models.rs", make: catalogue::models },
    Generated { path: "crates/cfg-memory/src/catalogue/shapes.rs", make: catalogue::shapes },
    Generated { path: "crates/cfg-memory/src/duration/table/constants.rs", make: speed::compile },
    Generated { path: "docs/commands.md", make: commands::page },
    Generated { path: "docs/estimate.md", make: || Ok(speed::page::page()) },
    Generated { path: "docs/memory-accuracy.md", make: accuracy::page },
    Generated { path: "crates/cfg-rules/src/known_models.rs", make: names::compile },
    Generated { path: "crates/cfg-resolve/src/synonyms/rows.rs", make: synonyms::compile },
    Generated { path: "crates/cfg-registry/src/fingerprint/classes.rs", make: classes::compile },
    Generated {
        path: "docs/registry-classes.md",
        make: || Ok(cfg_registry::fingerprint::page(History::built_in()).into_bytes()),
    },
    Generated { path: "schemas/registry.schema.json", make: || pretty(&with_id("registry", cfg_registry::schema())) },
    Generated { path: "schemas/settings.schema.json", make: || pretty(&with_id("settings", cfg_project::settings_schema())) },
    Generated { path: "docs/json.md", make: json_page },
    Generated { path: "docs/settings.md", make: settings_page },
    Generated { path: "docs/lines.md", make: || Ok(cfg_diagnose::lines_table().into_bytes()) },
    Generated { path: "docs/symptoms.md", make: || Ok(cfg_diagnose::table().into_bytes()) },
    Generated { path: "docs/pictures/check.svg", make: || pictures::of("docs/pictures", &["check", "rl.toml"]) },
    Generated {
        path: "docs/pictures/memory.svg",
        make: || pictures::of("configs/prime-rl", &["memory", "qwen3-8b-2xh100.toml"]),
    },
    Generated { path: "llms.txt", make: llms::page },
    Generated { path: "docs/plan.md", make: || Ok(cfg_plan::table(History::built_in()).into_bytes()) },
];

/// The page of settings, with the table of all between its marks.
fn settings_page() -> Result<Vec<u8>, String> {
    with_table("docs/settings.md", "all settings", &cfg_project::settings_table())
}

/// The page of the JSON contract, with the schema of each command between its marks.
fn json_page() -> Result<Vec<u8>, String> {
    let row = |command: &str, name: &str| format!("| `cfg {command}` | [{name}.schema.json](../schemas/{name}.schema.json) |\n");
    let kinds = cfg_report::schemas::ALL.iter();
    let mut rows: Vec<String> = kinds.flat_map(|kind| kind.commands.iter().map(|command| row(command, kind.name))).collect();
    rows.sort_unstable();
    with_table("docs/json.md", "all documents", &rows.concat())
}

/// A page with a table between its marks.
fn with_table(path: &str, mark: &str, table: &str) -> Result<Vec<u8>, String> {
    let page = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->"));
    let (before, rest) = page.split_once(&begin).ok_or_else(|| format!("{path} has no mark of the table"))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| format!("{path} has no end of the table"))?;
    Ok(format!("{before}{begin}{table}{end}{after}").into_bytes())
}

fn pretty(value: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    let mut json = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
    json.push(b'\n');
    Ok(json)
}

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A schema with its `$id`.
fn with_id(name: &str, schema: impl serde::Serialize) -> serde_json::Value {
    let mut schema = serde_json::to_value(schema).unwrap_or_default();
    schema["$id"] = cfg_report::schemas::id(name).into();
    schema
}

/// The schemas of all documents that commands print.
fn document_schemas() -> Result<Vec<(String, Vec<u8>)>, String> {
    let kinds = cfg_report::schemas::ALL.iter();
    kinds
        .map(|kind| Ok((format!("schemas/{}.schema.json", kind.name), pretty(&cfg_report::schemas::describe(kind.name))?)))
        .collect()
}

/// The folder of the JSON Schemas of configs, with a subfolder for each release, and one for the newest point.
const JSON_SCHEMAS: &str = "schemas/json";

/// The JSON Schema of each kind at each release and at the newest point, with its path.
fn json_schemas() -> Vec<(String, Vec<u8>)> {
    let history = History::built_in();
    let newest = Target::main(history);
    let targets = history.releases().map(Target::from).chain([newest]);
    targets
        .flat_map(|target| {
            let kinds = Kind::ALL.into_iter().filter(move |kind| history.root(*kind).at(target.point).is_some());
            kinds.map(move |kind| {
                let schema = cfg_resolve::emit::json_schema(history.schema(kind, target.point), &target.name);
                (format!("{JSON_SCHEMAS}/{}/{kind}.json", target.name), cfg_resolve::emit::json_schema_text(&schema).into_bytes())
            })
        })
        .collect()
}

/// Every generated file except the history: its path and its content.
///
/// # Errors
/// Why files can't be made, each on a line.
fn files() -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut files = all(FILES.iter().map(|file| Ok((file.path.to_owned(), (file.make)()?))))?;
    files.extend(document_schemas()?);
    files.extend(json_schemas());
    Ok(files)
}

/// All results, or all errors, each on a line.
fn all<T>(results: impl Iterator<Item = Result<T, String>>) -> Result<Vec<T>, String> {
    let (made, faults): (Vec<_>, Vec<_>) = results.partition(Result::is_ok);
    if faults.is_empty() {
        Ok(made.into_iter().filter_map(Result::ok).collect())
    } else {
        Err(faults.into_iter().filter_map(Result::err).collect::<Vec<String>>().join("\n"))
    }
}

/// Existing JSON Schemas that are no longer generated.
fn abandoned(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let made: BTreeSet<&str> = files.iter().map(|(path, _)| &**path).collect();
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())).collect()
    };
    let mut found: Vec<String> = names(JSON_SCHEMAS).iter().flat_map(|folder| names(folder)).collect();
    found.retain(|path| !made.contains(&**path));
    found.sort();
    found
}

/// The files that this program itself was built with, if they differ from what would be generated.
fn stale_bases() -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    type Make = fn() -> Result<Vec<u8>, String>;
    let makes: [(&'static str, Make); 8] = [
        (BEHAVIOURS, behaviours::compile),
        (UNCHECKED, unchecked::compile),
        (NEEDS, needs::compile),
        (SOCKETS, sockets::compile),
        (ENTRYPOINTS, entrypoints::compile),
        (AHEAD, ahead::compile),
        (TABLES, tables::compile),
        (HISTORY, history::compile),
    ];
    let mut bases = all(makes.into_iter().map(|(path, make)| Ok((path, make()?))))?;
    bases.retain(|(path, made)| fs::read(root().join(path)).ok().as_ref() != Some(made));
    Ok(bases)
}

/// Generates the files whose paths begin with one of these words, such as those of a crate: what is made by the program itself takes minutes.
pub(crate) fn write_only(words: &[&str]) -> Result<(), String> {
    let is_wanted = |path: &str| words.iter().any(|word| path.starts_with(word));
    let files = all(FILES.iter().filter(|file| is_wanted(file.path)).map(|file| Ok((file.path, (file.make)()?))))?;
    if files.is_empty() {
        return Err(format!("no generated file has a path that begins with {}", words.join(" or ")));
    }
    for (path, made) in files {
        fs::write(root().join(path), made).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// Generates every file.
pub(crate) fn write() -> Result<(), String> {
    let bases = stale_bases()?;
    for (path, made) in &bases {
        fs::write(root().join(path), made).map_err(|error| format!("{path}: {error}"))?;
    }
    if !bases.is_empty() {
        let paths: Vec<&str> = bases.iter().map(|(path, _)| *path).collect();
        return Err(format!("{} was regenerated; run this again to update what depends on it", paths.join(", ")));
    }
    let files = files()?;
    for path in abandoned(&files) {
        fs::remove_file(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
    }
    for (path, bytes) in files {
        let whole = root().join(&path);
        let made = whole.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&whole, bytes));
        made.map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// Fails with the names of files that differ from what would be generated. What this program itself was built with comes first: it takes little time, and
/// while it is stale or has errors, the rest would be made from the wrong tables.
pub(crate) fn check() -> Result<(), String> {
    let bases = stale_bases()?;
    if !bases.is_empty() {
        let paths: Vec<&str> = bases.iter().map(|(path, _)| *path).collect();
        return Err(format!("stale, run `cargo xtask generate` twice: {}, and perhaps what is made from it", paths.join(", ")));
    }
    let files = files()?;
    let mut stale = abandoned(&files);
    stale.extend(
        files.into_iter().filter(|(path, bytes)| fs::read(root().join(path)).ok().as_ref() != Some(bytes)).map(|(path, _)| path),
    );
    if stale.is_empty() { Ok(()) } else { Err(format!("stale, run `cargo xtask generate`: {}", stale.join(", "))) }
}
