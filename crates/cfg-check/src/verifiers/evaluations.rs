//! `[[eval]]` and `[[ablation]]`: the loader's refusals, in its order.

use std::collections::{HashMap, HashSet};

use cfg_diag::{Diagnostic, FileId, Location};
use cfg_syntax::{Entry, Table, Value, ValueKind};

use super::{
    keys,
    registry::Registries,
    table::{At, place},
    used::{Standing, Used},
    values,
};

/// The arrays of evaluations.
const ENTRIES: [&str; 2] = ["eval", "ablation"];

/// The findings of verifiers for the root of such a file.
pub(super) fn check(file: FileId, used: &Used, mut registries: Registries<'_>, root: &Table) -> Vec<Diagnostic> {
    let root = At::root(file, root);
    let mut found: Vec<Diagnostic> = ENTRIES.iter().filter_map(|key| no_array(used, &root, key)).collect();
    if !found.is_empty() {
        return found;
    }
    let (evals, ablations) = (root.items("eval"), root.items("ablation"));
    if evals.is_empty() && ablations.is_empty() {
        let entry = ENTRIES.iter().find_map(|key| root.given(key));
        let message = "verifiers evaluates nothing: there is no `[[eval]]`".to_owned();
        return vec![match entry {
            Some(entry) => root.refused(entry, message),
            None => root.refused_itself(message),
        }];
    }
    found.extend(evals.iter().chain(&ablations).filter_map(|entry| two_names(used, entry)));
    found.extend(keys::check(used, &root, &ENTRIES));
    found.extend(sampling(used, &root));
    let mut of_root = OfRoot::new(&root);
    for entry in &evals {
        found.extend(keys::check(used, entry, &[]));
        found.extend(no_environment(used, entry));
        found.extend(sampling(used, entry));
        found.extend(arguments(used, &root, &mut of_root, entry));
    }
    for ablation in &ablations {
        found.extend(of_ablation(used, &root, &mut of_root, ablation));
    }
    found.extend(model_and_endpoint(used, &root, &evals, &ablations));
    found.extend(values::check(used, &root, &evals, &ablations));
    let mut seen = HashSet::new();
    for entry in evals.iter().chain(&ablations) {
        // An error in a value of the root is reported only once.
        found.extend(registries.check(&root, entry).into_iter().filter(|wrong| seen.insert(wrong.location)));
    }
    found
}

/// Reports a table, or any other value, where the loader expects an array of tables.
fn no_array(used: &Used, root: &At<'_>, key: &str) -> Option<Diagnostic> {
    let entry = root.given(key)?;
    if key == "ablation" && used.does("ablations") == Some(false) {
        let message = format!("{} has no `[[ablation]]` yet: it was added in 0.1.11", used.in_words());
        return Some(root.refused(entry, message).label("added later").help("write an `[[eval]]` for each"));
    }
    match &entry.value.kind {
        ValueKind::Array(items) => {
            let is_table = |item: &Value| matches!(item.kind, ValueKind::Table(_) | ValueKind::Missing | ValueKind::Invalid);
            let other = items.iter().find(|item| !is_table(item))?;
            let mut found = root.refused(entry, format!("each item of `{key}` must be a table"));
            found.location = Some(Location::new(root.file, other.span));
            Some(found.help(format!("write each evaluation below a `[[{key}]]`")))
        }
        _ => {
            let message = format!("verifiers reads a list of evaluations: `[[{key}]]`, not `[{key}]`");
            Some(root.refused(entry, message).help(format!("write `[[{key}]]`")))
        }
    }
}

/// Reports `id` beside `env_id`, which has the same meaning.
fn two_names(used: &Used, at: &At<'_>) -> Option<Diagnostic> {
    let (id, env_id) = (at.given("id")?, at.given("env_id")?);
    let is_alias = used.standing("id") == Standing::Taken;
    is_alias.then(|| exclusive(at, id, env_id, "both name the environment").help("remove `id`"))
}

/// A refusal of two keys of a table that exclude each other.
fn exclusive(at: &At<'_>, entry: &Entry, other: &Entry, why: &str) -> Diagnostic {
    let message = format!("`{}` and `{}` {why}: verifiers accepts only one of them", entry.key.text, other.key.text);
    at.refused(entry, message).related(place(at.file, other), format!("`{}` is here", other.key.text))
}

/// Reports `sampling` beside `sampling_args`, which has the same meaning.
fn sampling(used: &Used, at: &At<'_>) -> Option<Diagnostic> {
    let (new, old) = (at.given("sampling")?, at.given("sampling_args")?);
    let is_taken = used.standing("sampling") == Standing::Taken;
    is_taken.then(|| exclusive(at, new, old, "both contain the settings of sampling").help("join them in `sampling`"))
}

/// Reports an `[[eval]]` that names no environment. A name at the root is not used.
fn no_environment(used: &Used, entry: &At<'_>) -> Option<Diagnostic> {
    if names_environment(used, entry) {
        return None;
    }
    let Some(written) = ["env_id", "id"].iter().find_map(|key| entry.given(key)) else {
        let message = format!("{} names no environment", entry.name());
        let help = match used.does("tasksets-name") {
            Some(true) => "write `env_id = \"ENVIRONMENT\"`, or name a taskset: `taskset = { id = \"TASKSET\" }`",
            _ => "write `env_id = \"ENVIRONMENT\"` here; a name at the root of the file is not used",
        };
        return Some(entry.refused_itself(message).label("no `env_id`").help(help));
    };
    let message = format!("`{}` must be the name of an environment", written.key.text);
    let mut found = entry.refused(written, message);
    found.location = Some(Location::new(entry.file, written.value.span));
    Some(found)
}

/// Whether a table names an environment; also if the name is still being typed.
fn names_environment(used: &Used, at: &At<'_>) -> bool {
    // Before tasksets were supported, an empty name was accepted.
    let may_be_empty = used.does("tasksets-name") != Some(true);
    let is_name = |value: &Value| value.as_str().is_some_and(|text| may_be_empty || !text.is_empty());
    let is_named = |key: &str| at.is_half_typed(key) || at.table.value(key).is_some_and(is_name);
    is_named("env_id") || is_named("id") && used.standing("id") == Standing::Taken || names_taskset(used, at)
}

/// Whether a table names a taskset instead of an environment.
fn names_taskset(used: &Used, at: &At<'_>) -> bool {
    let is_name = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let names_one = |taskset: Option<&Value>| {
        let taskset = taskset.and_then(Value::as_table);
        ["id", "taskset_id"].iter().any(|key| taskset.and_then(|taskset| taskset.value(key)).is_some_and(is_name))
    };
    let config = || at.table.value("env_args")?.as_table()?.value("config")?.as_table()?.value("taskset");
    used.does("tasksets-name") != Some(false) && (names_one(at.table.value("taskset")) || names_one(config()))
}

/// A table of arguments with an index of its keys, because there may be many.
struct Given<'t> {
    at: At<'t>,
    by_name: HashMap<&'t str, &'t Entry>,
}

impl<'t> Given<'t> {
    fn new(at: At<'t>) -> Self {
        let is_read = |entry: &&Entry| !matches!(entry.value.kind, ValueKind::Missing | ValueKind::Invalid);
        let by_name = at.keys().filter(is_read).map(|entry| (&*entry.key.text, entry)).collect();
        Self { at, by_name }
    }

    fn get(&self, name: &str) -> Option<&'t Entry> {
        self.by_name.get(name).copied()
    }
}

/// The tables of arguments at the root, which apply to all evaluations.
struct OfRoot<'t> {
    /// The tables `args` and `env_args`.
    tables: [Option<Given<'t>>; 2],
    /// Whether they were compared with each other.
    is_compared: bool,
}

impl<'t> OfRoot<'t> {
    fn new(root: &At<'t>) -> Self {
        Self { tables: ["args", "env_args"].map(|key| root.below(key).map(Given::new)), is_compared: false }
    }
}

/// Checks that each argument is given only once. An entry's own table replaces that of the root.
fn arguments(used: &Used, root: &At<'_>, of_root: &mut OfRoot<'_>, entry: &At<'_>) -> Vec<Diagnostic> {
    if used.standing("args") != Standing::Taken {
        return Vec::new();
    }
    let own = ["args", "env_args"].map(|key| entry.below(key).map(Given::new));
    let is_own = own.iter().any(Option::is_some);
    let table = |index: usize, key: &str| {
        own[index].as_ref().or_else(|| of_root.tables[index].as_ref().filter(|_| entry.given(key).is_none()))
    };
    let (args, env_args) = (table(0, "args"), table(1, "env_args"));
    let mut found = Vec::new();
    if let (Some(args), Some(env_args)) = (args, env_args) {
        let mut twice = |given: &Entry, other: &Entry| {
            let message =
                format!("`{}` is in `args` and in `env_args`: verifiers accepts it only in one of them", given.key.text);
            found.push(args.at.refused(given, message).related(place(args.at.file, other), "and here"));
        };
        if own[0].is_some() || !is_own && !of_root.is_compared {
            for given in args.at.keys() {
                if let Some(other) = env_args.get(&given.key.text) {
                    twice(given, other);
                }
            }
        } else if is_own {
            for other in env_args.at.keys() {
                if let Some(given) = args.get(&other.key.text) {
                    twice(given, other);
                }
            }
        }
    }
    let config = args.and_then(|args| args.at.below("config")).or_else(|| env_args?.at.below("config"));
    let sweep = entry.below("sweep");
    for section in ["taskset", "harness"] {
        let places = sweep.iter().chain([entry, root]);
        let own = places.into_iter().find_map(|at| Some((at, at.given(section)?)));
        if let (Some((at, own)), Some(config)) = (own, &config)
            && let Some(other) = config.given(section)
        {
            let message = format!("`{section}` is given twice: as its own table, and in `{}`", config.key);
            found.push(at.refused(own, message).related(place(at.file, other), "and here"));
        }
    }
    of_root.is_compared |= !is_own;
    found
}

fn of_ablation(used: &Used, root: &At<'_>, of_root: &mut OfRoot<'_>, ablation: &At<'_>) -> Vec<Diagnostic> {
    let mut found = keys::check(used, ablation, &["sweep"]);
    found.extend(sampling(used, ablation));
    found.extend(arguments(used, root, &mut *of_root, ablation));
    let sweep = ablation.below("sweep");
    match (&sweep, ablation.given("sweep")) {
        (Some(sweep), _) => found.extend(of_sweep(used, of_root, ablation, sweep)),
        (None, Some(other)) => found.push(ablation.refused(other, "`sweep` must be a table of lists".to_owned())),
        (None, None) if ablation.is_half_typed("sweep") => {}
        (None, None) => {
            let message = "`[[ablation]]` has no `[ablation.sweep]`: there is nothing to combine".to_owned();
            found.push(ablation.refused_itself(message).label("no `sweep`").help("write the values to combine as lists in it"));
        }
    }
    let swept =
        || sweep.as_ref().is_some_and(|sweep| ["env_id", "id", "taskset"].iter().any(|key| sweep.table.get(key).is_some()));
    // An ablation also uses the root's values, unless it sets them itself.
    let is_own = ["env_id", "id"].iter().any(|key| ablation.table.get(key).is_some());
    let is_of_root = names_taskset(used, root) || !is_own && names_environment(used, root);
    if !(names_environment(used, ablation) || is_of_root || swept()) {
        let message = "`[[ablation]]` names no environment".to_owned();
        found.push(ablation.refused_itself(message).label("no `env_id`").help("write `env_id = \"ENVIRONMENT\"`"));
    }
    found
}

/// Checks the lists of an ablation, and those for arguments of its environment.
fn of_sweep(used: &Used, of_root: &OfRoot<'_>, ablation: &At<'_>, sweep: &At<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = two_names(used, sweep).into_iter().collect();
    found.extend(keys::check(used, sweep, &[]));
    let mut dimensions = 0;
    let mut lists = |at: &At<'_>, own: &[&str]| {
        let mut wrong = Vec::new();
        for entry in at.keys().filter(|entry| !own.contains(&&*entry.key.text)) {
            dimensions += 1;
            if at.given(&entry.key.text).is_some_and(|entry| !matches!(entry.value.kind, ValueKind::Array(_))) {
                let message = format!("`{}` must be a list of the values to combine", at.path(&entry.key.text));
                let help = "write the values in brackets; a value that is the same for all belongs in `[[ablation]]` itself";
                wrong.push(at.refused(entry, message).label("not a list").help(help));
            }
        }
        wrong
    };
    found.extend(lists(sweep, &["args", "env_args"]));
    let fixed = ["args", "env_args"].map(|key| ablation.below(key).map(Given::new));
    for (index, key) in ["args", "env_args"].into_iter().enumerate() {
        let Some(arguments) = sweep.below(key) else { continue };
        found.extend(lists(&arguments, &[]));
        let other = if key == "args" { "env_args" } else { "args" };
        let swept_there = sweep.below(other).filter(|_| key == "args").map(Given::new);
        let of_root = of_root.tables[1 - index].as_ref().filter(|_| ablation.table.get(other).is_none());
        for entry in arguments.keys() {
            let name = &*entry.key.text;
            // The root's values in the other table are kept next to the swept ones.
            let of_root = || of_root?.get(name);
            let swept = || swept_there.as_ref()?.get(name);
            if let Some(twice) = fixed.iter().flatten().find_map(|fixed| fixed.get(name)) {
                let message = format!("`{name}` is fixed and swept: verifiers accepts only one of them");
                found.push(arguments.refused(entry, message).related(place(sweep.file, twice), "fixed here"));
            } else if let Some(twice) = of_root().or_else(swept) {
                let message = format!("`{name}` is in `args` and in `env_args`: verifiers accepts it only in one of them");
                found.push(arguments.refused(entry, message).related(place(sweep.file, twice), "and here"));
            }
        }
    }
    if dimensions == 0 {
        let message = "`[ablation.sweep]` is empty: there is nothing to combine".to_owned();
        found.push(sweep.refused_itself(message).help("write the values to combine as lists in it"));
    }
    found
}

/// Reports `endpoint_id` beside `model`; an evaluation accepts only one of them. An entry's value replaces that of the root.
fn model_and_endpoint(used: &Used, root: &At<'_>, evals: &[At<'_>], ablations: &[At<'_>]) -> Vec<Diagnostic> {
    fn both<'t>(at: &At<'t>) -> Option<(&'t Entry, &'t Entry)> {
        Some((at.given("endpoint_id")?, at.given("model")?))
    }
    let told = |at: &At<'_>, (entry, other): (&Entry, &Entry)| {
        exclusive(at, entry, other, "both name the model").help("remove one of them")
    };
    let mut found: Vec<Diagnostic> = evals.iter().chain(ablations).filter_map(|entry| Some(told(entry, both(entry)?))).collect();
    for ablation in ablations {
        let Some(sweep) = ablation.below("sweep") else { continue };
        found.extend(both(&sweep).map(|pair| told(&sweep, pair)));
        for (swept, fixed) in [("endpoint_id", "model"), ("model", "endpoint_id")] {
            let pair = sweep.given(swept).zip(ablation.given(fixed)).filter(|_| ablation.table.get(swept).is_none());
            found.extend(pair.map(|pair| told(&sweep, pair)));
        }
    }
    let says_neither = |entry: &At<'_>| {
        let is_swept = |key: &str| entry.below("sweep").is_some_and(|sweep| sweep.table.get(key).is_some());
        ["endpoint_id", "model"].iter().all(|key| entry.table.get(key).is_none() && !is_swept(key))
    };
    if let Some(pair) = both(root).filter(|_| evals.iter().chain(ablations).any(says_neither)) {
        found.push(told(root, pair));
    }
    if used.does("entry-replaces-model") == Some(false) {
        for entry in evals {
            for (own, other) in [("endpoint_id", "model"), ("model", "endpoint_id")] {
                if let (Some(own), Some(of_root), None) = (entry.given(own), root.given(other), entry.table.get(other)) {
                    let message = format!(
                        "`{}` here and `{other}` of the root both name the model: verifiers accepts only one of them",
                        own.key.text
                    );
                    found.push(entry.refused(own, message).related(place(root.file, of_root), "for all evaluations"));
                }
            }
        }
    }
    found
}
