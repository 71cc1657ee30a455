//! `[[endpoint]]`: errors after which the loader continues without the registry, and keys that it drops.

use std::collections::HashMap;

use cfg_diag::{Applicability, Code, Diagnostic, Edit, FileId, Location, codes};
use cfg_resolve::nearest;
use cfg_syntax::{Entry, Table, Value, ValueKind};

use super::{
    facts::facts,
    table::{At, place},
    used::{Standing, Used},
};

/// Checks the root of a registry.
pub(super) fn check(file: FileId, used: &Used, root: &Table) -> Vec<Diagnostic> {
    let root = At::root(file, root);
    let mut found: Vec<Diagnostic> = Vec::new();
    if let Some(entry) = root.given("endpoints").filter(|_| root.table.get("endpoint").is_none()) {
        let message = "verifiers reads only `[[endpoint]]`: for it this registry is empty".to_owned();
        let mut finding = root.finding(&codes::DROPPED_ENDPOINT_KEY, entry, message);
        finding = finding.label("not read").help("write an `[[endpoint]]` for each endpoint");
        return vec![finding];
    }
    if let Some(entry) = root.given("endpoint")
        && !matches!(entry.value.kind, ValueKind::Array(_))
    {
        found.push(dropped_all(&root, entry, "`endpoint` must be a list of tables: `[[endpoint]]`"));
    }
    let mut passed_over = Vec::new();
    for endpoint in root.items("endpoint") {
        found.extend(refused(used, &endpoint));
        passed_over.extend(endpoint.keys().filter_map(|entry| dropped(used, &endpoint, entry)));
    }
    found.extend(once_each(passed_over));
    found
}

/// Combines findings with the same text in many endpoints into one; a finding with a fix stays at each.
fn once_each(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<(Diagnostic, usize)> = Vec::new();
    let mut indices: HashMap<String, usize> = HashMap::new();
    for one in found {
        let next = kept.len();
        let index = if one.fix.is_some() { next } else { *indices.entry(one.message.clone()).or_insert(next) };
        match kept.get_mut(index) {
            Some((_, more)) => *more += 1,
            None => kept.push((one, 0)),
        }
    }
    let in_all = |(mut one, more): (Diagnostic, usize)| {
        if more > 0 {
            one.message.push_str(&format!(", in {} endpoints", more + 1));
        }
        one
    };
    kept.into_iter().map(in_all).collect()
}

/// An error for which the loader drops the whole registry.
fn dropped_all(at: &At<'_>, entry: &Entry, why: &str) -> Diagnostic {
    at.finding(&codes::REFUSED_ENDPOINT, entry, why.to_owned()).help(GOES_ON)
}

const GOES_ON: &str = "verifiers warns and continues without any endpoint of this file";

/// The loader's exceptions for an entry.
fn refused(used: &Used, at: &At<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (key, same) in [("endpoint_id", None), ("model", None), ("url", Some("api_base_url")), ("key", Some("api_key_var"))] {
        let names: Vec<&str> = [Some(key), same].into_iter().flatten().collect();
        if names.iter().any(|name| at.is_half_typed(name)) {
            continue;
        }
        let given: Vec<&Entry> = names.iter().filter_map(|name| at.given(name)).collect();
        match given.as_slice() {
            [] => {
                let mut missing = Diagnostic::new(&codes::REFUSED_ENDPOINT, format!("`[[endpoint]]` has no `{key}`"));
                missing.location = Some(Location::new(at.file, at.table.span));
                found.push(missing.key(at.key.clone()).label(format!("no `{key}`")).help(GOES_ON));
            }
            [one, other] if one.value.as_str() != other.value.as_str() => {
                let why = format!("`{}` and `{}` mean the same but have different values", one.key.text, other.key.text);
                found.push(dropped_all(at, other, &why).related(place(at.file, one), "the other is here"));
            }
            [one, ..] => {
                let is_empty = key == "endpoint_id" && one.value.as_str().is_some_and(str::is_empty);
                if one.value.as_str().is_none() || is_empty {
                    found.push(at_value(at, one, &format!("`{}` must be a text", one.key.text)));
                }
            }
        }
    }
    if let Some(entry) = at.given("client_type").filter(|_| used.does("typed-clients") != Some(false)) {
        found.push(dropped_all(at, entry, "`client_type` is no longer accepted").help(format!("write `type`; {GOES_ON}")));
    }
    let is_typed = used.does("typed-clients") != Some(false);
    match (at.given("type"), at.given("api_client_type")) {
        (Some(short), Some(long)) if is_typed && short.value.as_str() != long.value.as_str() => {
            found.push(dropped_all(at, long, "`type` and `api_client_type` mean the same but have different values"));
        }
        (Some(entry), _) | (None, Some(entry)) if is_typed => found.extend(unknown_type(at, entry)),
        _ => {}
    }
    found.extend(headers(used, at));
    found
}

/// A finding at the value of a key.
fn at_value(at: &At<'_>, entry: &Entry, why: &str) -> Diagnostic {
    let mut found = dropped_all(at, entry, why);
    found.location = Some(Location::new(at.file, entry.value.span));
    found
}

/// A client type that no release has; `None` for a known one.
fn unknown_type(at: &At<'_>, entry: &Entry) -> Option<Diagnostic> {
    let types = &facts().client_types;
    let named = entry.value.as_str().unwrap_or_default();
    if types.iter().any(|ty| ty == named) {
        return None;
    }
    let found = at_value(at, entry, &format!("`{}` must be one of {}", entry.key.text, types.join(", ")));
    Some(match nearest(named, types.iter().map(String::as_str)) {
        Some(near) => {
            let edit = Edit { location: Location::new(at.file, entry.value.span), new_text: format!("{near:?}") };
            found.help(format!("did you mean {near:?}? {GOES_ON}")).fix(format!("write {near:?}"), Applicability::Unsafe, edit)
        }
        None => found,
    })
}

fn headers(used: &Used, at: &At<'_>) -> Vec<Diagnostic> {
    if used.of_endpoint("headers") != Standing::Taken {
        return Vec::new();
    }
    let given = [at.given("headers"), at.given("extra_headers")];
    if let [Some(one), Some(other)] = given {
        let found = dropped_all(at, other, "`headers` and `extra_headers` mean the same: write one of them");
        return vec![found.related(place(at.file, one), "the other is here")];
    }
    let Some(entry) = given.into_iter().flatten().next() else { return Vec::new() };
    let Some(table) = at.below(&entry.key.text) else {
        return vec![at_value(at, entry, &format!("`{}` must be a table", entry.key.text))];
    };
    let is_text = |value: &Value| matches!(value.kind, ValueKind::String(_) | ValueKind::Missing | ValueKind::Invalid);
    table
        .keys()
        .filter(|header| !is_text(&header.value))
        .map(|header| at_value(&table, header, "a header must be a string"))
        .collect()
}

/// The client type of an endpoint that names none, and of all endpoints before they could name one.
const USUAL_CLIENT: &str = "openai_chat_completions";

/// Reports a key that nothing reads.
fn dropped(used: &Used, at: &At<'_>, entry: &Entry) -> Option<Diagnostic> {
    let key = &*entry.key.text;
    // A release that drops these keys uses the same type, so nothing is lost.
    if matches!(key, "type" | "api_client_type") && entry.value.as_str() == Some(USUAL_CLIENT) {
        return None;
    }
    let code: Code = &codes::DROPPED_ENDPOINT_KEY;
    let finding = |message: String| at.finding(code, entry, message).label("not read");
    Some(match used.of_endpoint(key) {
        Standing::Taken | Standing::NotHosted | Standing::Unknown { may_be_new: true } => return None,
        Standing::Future { since } => finding(format!("{} does not read `{key}`, which was added in {since}", used.in_words()))
            .help("use a verifiers that has it"),
        Standing::Unknown { .. } | Standing::Removed { .. }
            if key == "client_type" && used.does("typed-clients") != Some(false) =>
        {
            return None;
        }
        Standing::Unknown { .. } | Standing::Removed { .. } => {
            let found = finding(format!("verifiers drops `{key}`: `[[endpoint]]` has no such key"));
            let names = facts().endpoint_keys().iter().map(|known| &*known.name).filter(|name| at.table.get(name).is_none());
            match nearest(key, names) {
                Some(meant) => {
                    found.help(format!("did you mean `{meant}`?")).rename(meant, Applicability::Unsafe, place(at.file, entry))
                }
                None => found.help("remove it, or correct its name"),
            }
        }
    })
}
