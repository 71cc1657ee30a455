//! The places that a run writes to, and its names elsewhere: each variant of a config has its own.

use cfg_syntax::{
    Entry, Integer, Table, Value, ValueKind,
    rewrite::{Change, KeyPath, Literal},
};

/// The keys of folders that a run writes to, in any table.
const FOLDERS: [&str; 3] = ["output_dir", "trace_path", "memory_profiler_path"];

/// The keys of files that a run writes, with the tables around them. Relative paths of the last two begin in the output folder.
const FILES: [(&str, &str); 3] = [("bench", "output_json"), ("file", "path"), ("file_monitor", "filename")];

/// The keys of names by which others know a run, with the tables around them.
const NAMES: [(&str, &str); 3] = [("wandb", "name"), ("prime_monitor", "run_name"), ("prime", "name")];

/// Each value of a table, with its path and the table that has it.
fn each<'t>(above: &[Box<str>], table: &'t Table, found: &mut Vec<(Vec<Box<str>>, &'t Table, &'t Entry)>) {
    for entry in &table.entries {
        let path: Vec<Box<str>> = above.iter().cloned().chain([entry.key.text.clone()]).collect();
        match &entry.value.kind {
            ValueKind::Table(below) => each(&path, below, found),
            _ => found.push((path, table, entry)),
        }
    }
}

/// The changes that give a variant its own places and names. `folder` is the output folder of the config, `own_folder` that of the variant, `label`
/// distinguishes it from the others, and `is_varied` says whether a key is one of the varied ones.
pub(crate) fn own_places(
    root: &Table,
    folder: &str,
    own_folder: &str,
    label: &str,
    is_varied: impl Fn(&str) -> bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    if !is_varied("output_dir") {
        changes.push(Change::set("output_dir", quoted(own_folder)));
    }
    let mut values = Vec::new();
    each(&[], root, &mut values);
    for (path, _, Entry { value: Value { kind, .. }, .. }) in values {
        let ValueKind::String(text) = kind else { continue };
        let key = KeyPath::new(path.iter().cloned()).to_string();
        if key == "output_dir" || text.is_empty() || is_varied(&key) {
            continue;
        }
        let [.., name] = &*path else { continue };
        let around = path.len().checked_sub(2).map_or("", |at| &*path[at]);
        let is_one_of = |keys: &[(&str, &str)]| keys.contains(&(around, &**name));
        // What is below the folder of the config moves with it.
        let below = text.strip_prefix(folder.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_file = is_one_of(&FILES) && (&**name == "output_json" || text.starts_with('/'));
        let own = match below {
            Some(rest) if FOLDERS.contains(&&**name) || is_file => format!("{}{rest}", own_folder.trim_end_matches('/')),
            _ if FOLDERS.contains(&&**name) => format!("{}/{label}", text.trim_end_matches('/')),
            _ if is_file => with_label(text, label),
            _ if is_one_of(&NAMES) => format!("{text}-{label}"),
            _ => continue,
        };
        changes.push(Change::set(&key, quoted(&own)));
    }
    changes
}

/// The keys by which a config resumes from a certain step of its own run.
pub(crate) fn resumes_at(root: &Table) -> Vec<String> {
    let mut values = Vec::new();
    each(&[], root, &mut values);
    let at = |(path, table, entry): (Vec<Box<str>>, &Table, &Entry)| {
        let ValueKind::Integer(Integer::Small(0..)) = entry.value.kind else { return None };
        let owner = || KeyPath::new(path[..path.len() - 1].iter().cloned()).to_string();
        match &*path {
            [.., name] if &**name == "resume_step" => Some(KeyPath::new(path.iter().cloned()).to_string()),
            // Without other keys the table would resume from the last step.
            [.., around, name] if (&**around, &**name) == ("resume", "step") && table.get("dir").is_none() => Some(owner()),
            _ => None,
        }
    };
    values.into_iter().filter_map(at).collect()
}

/// The path of a file with a label before its extension.
fn with_label(path: &str, label: &str) -> String {
    match path.rsplit_once('.').filter(|(stem, extension)| !stem.is_empty() && !extension.contains('/')) {
        Some((stem, extension)) => format!("{stem}-{label}.{extension}"),
        None => format!("{path}-{label}"),
    }
}

fn quoted(text: &str) -> Literal {
    Literal::raw(toml_edit::Value::from(text).to_string())
}
