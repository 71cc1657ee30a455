//! Known values for free keys of the schema: models, environments, and their arguments.

use std::collections::{HashMap, HashSet};

use cfg_check::OfVerifiers;
use cfg_diag::Span;
use cfg_memory::catalogue;
use cfg_rules::declared::{Declared, DeclaredArg, in_words};
use cfg_schema::{Behaviour, ExtraType, Point};
use cfg_syntax::{Table, Value, ValueKind};

use super::{Item, ItemKind, free, usage};
use crate::{Analysis, arguments::declared, place::PathSegment};

/// Values of keys with a free string, and of declared arguments.
pub(super) fn values(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    let keys: Vec<&str> =
        path.iter().filter_map(|step| if let PathSegment::Key(key) = step { Some(&**key) } else { None }).collect();
    match keys[..] {
        [.., "model" | "tokenizer", "name"] => models(analysis, span),
        [.., "taskset", "id"] => tasksets(analysis, span),
        [.., "env" | "environments" | "legacy", "id"] => environments_by_use(analysis, span),
        [.., last] => {
            let Some((_, above)) = path.split_last() else { return Vec::new() };
            match declared(analysis, above) {
                Some(declared) => declared.arg(last).map(|arg| of_arg(arg, span)).unwrap_or_default(),
                None => free::values(analysis, path, span),
            }
        }
        [] => Vec::new(),
    }
}

/// Whether a key is the name of a model, for which many are known.
pub(super) fn is_model(path: &[PathSegment]) -> bool {
    let is = |step: &PathSegment, names: &[&str]| matches!(step, PathSegment::Key(key) if names.contains(&&**key));
    matches!(path, [.., above, last] if is(above, &["model", "tokenizer"]) && is(last, &["name"]))
}

/// Whether a declared argument, or one of vLLM, accepts only the values of [`values`].
pub(super) fn are_all(analysis: &Analysis, path: &[PathSegment]) -> bool {
    matches!(type_of(analysis, path).as_ref().map(free::unwrapped), Some(ExtraType::Bool | ExtraType::Literal(_)))
}

/// The type of a declared argument, or of one of vLLM.
pub(super) fn type_of(analysis: &Analysis, path: &[PathSegment]) -> Option<ExtraType> {
    let Some((PathSegment::Key(last), above)) = path.split_last() else { return None };
    match declared(analysis, above) {
        Some(declared) => declared.arg(last)?.type_.clone(),
        None => free::type_of(analysis, path),
    }
}

/// Whether an environment has declared arguments at a path.
pub(super) fn has_keys(analysis: &Analysis, path: &[PathSegment]) -> bool {
    declared(analysis, path).is_some_and(|declared| !declared.args.is_empty())
}

/// The declared arguments of an environment that are not written yet.
pub(super) fn keys(analysis: &Analysis, path: &[PathSegment], written: Option<&Table>, span: Span, has_value: bool) -> Vec<Item> {
    let Some(declared) = declared(analysis, path) else { return Vec::new() };
    let item = |arg: &DeclaredArg| {
        let ty = arg.type_.as_ref().map_or_else(|| "any value".to_owned(), in_words);
        let default = arg.default.as_ref().map(|default| format!("; default {default}")).unwrap_or_default();
        let why = arg.ignored.as_ref().map(|why| format!("; no effect: {why}")).unwrap_or_default();
        let insert = if has_value { arg.name.clone() } else { format!("{} = ", arg.name) };
        let rank = if arg.required { 0 } else { 1 + u8::from(arg.ignored.is_some()) };
        let detail = format!("an argument of the environment: {ty}{default}{why}");
        Item { detail, rank, ..Item::new(ItemKind::Key, &*arg.name, span, insert) }
    };
    declared.args.iter().filter(|arg| !is_set(&arg.name, written, span)).map(item).collect()
}

/// Whether a table has a key already, apart from the one that is being typed.
pub(super) fn is_set(name: &str, written: Option<&Table>, span: Span) -> bool {
    written.and_then(|table| table.get(name)).is_some_and(|entry| !entry.key.span.touches(span.end))
}

/// The known models: first those of this file, then those that configs have.
fn models(analysis: &Analysis, span: Span) -> Vec<Item> {
    let item = |model: &catalogue::Model| {
        #[expect(clippy::cast_precision_loss, reason = "it is shown with one decimal")]
        let parameters = model.published as f64 / 1e9;
        value(model.id, format!("{parameters:.1}B parameters, {} of context", model.architecture.context), span)
    };
    let mut items: Vec<Item> = catalogue::models().iter().map(item).collect();
    let mut places: HashMap<String, usize> = items.iter().zip(0..).map(|(item, index)| (item.insert.clone(), index)).collect();
    let mut at = |items: &mut Vec<Item>, name: String, detail: &str| {
        *places.entry(name).or_insert_with_key(|name| {
            items.push(plain(name.clone(), detail.to_owned(), span));
            items.len() - 1
        })
    };
    for (name, uses) in usage::models() {
        let index = at(&mut items, name.to_owned(), "in other configs");
        items[index].uses = uses;
    }
    let mut written = Vec::new();
    model_names(&analysis.document.root, span, &mut written);
    for name in written {
        let index = at(&mut items, format!("\"{name}\""), "elsewhere in this file");
        items[index].rank = 0;
    }
    items
}

/// The names of models in a table, apart from the one at `span`.
fn model_names<'d>(table: &'d Table, span: Span, found: &mut Vec<&'d str>) {
    for entry in &table.entries {
        let Some(inner) = entry.value.as_table() else { continue };
        let name = inner.value("name").filter(|_| &*entry.key.text == "model");
        if let Some(Value { kind: ValueKind::String(name), span: own }) = name
            && !own.touches(span.end)
            && !name.contains(['"', '\\'])
        {
            found.push(name);
        }
        model_names(inner, span, found);
    }
}

fn environments(analysis: &Analysis, span: Span) -> Vec<Item> {
    let of_project =
        analysis.project.environments.keys().map(|id| value(id, "declared in the project's settings".to_owned(), span));
    let known = Declared::known().filter(|id| !analysis.project.environments.contains_key(*id));
    of_project.chain(known.map(|id| value(id, "an environment with known arguments".to_owned(), span))).collect()
}

/// The known environments, and the tasksets of verifiers.
fn tasksets(analysis: &Analysis, span: Span) -> Vec<Item> {
    let known = environments(analysis, span);
    let others = OfVerifiers::tasksets().map(|id| value(id, "a taskset of verifiers".to_owned(), span));
    let others: Vec<Item> = others.filter(|item| known.iter().all(|own| own.label != item.label)).collect();
    known.into_iter().chain(others).collect()
}

/// Puts the names of tasksets behind the others that another prime-rl has for them: they ended in `-v1` as long as there were environments of the old kind.
pub(super) fn prefer_current(point: Point, path: &[PathSegment], items: &mut [Item]) {
    let is = |step: &PathSegment, name: &str| matches!(step, PathSegment::Key(key) if **key == *name);
    if !matches!(path, [.., above, last] if is(above, "taskset") && is(last, "id")) {
        return;
    }
    let labels: HashSet<String> = items.iter().map(|item| item.label.clone()).collect();
    for item in items {
        let current = match item.label.strip_suffix("-v1\"") {
            Some(name) if point.has(Behaviour::NoLegacy) => format!("{name}\""),
            None if point.lacks(Behaviour::NoLegacy) => format!("{}-v1\"", item.label.trim_end_matches('"')),
            _ => continue,
        };
        item.rank += u8::from(labels.contains(&current));
    }
}

/// The known environments, and those of the old kind that configs have under any of their keys.
pub(super) fn environments_by_use(analysis: &Analysis, span: Span) -> Vec<Item> {
    let mut items = environments(analysis, span);
    for (id, uses) in usage::environments() {
        match items.iter_mut().find(|item| item.insert == id) {
            Some(item) => item.uses = item.uses.max(uses),
            None => items.push(Item { uses, rank: 1, ..plain(id.to_owned(), "in other configs".to_owned(), span) }),
        }
    }
    items
}

fn of_arg(arg: &DeclaredArg, span: Span) -> Vec<Item> {
    let mut items = Vec::new();
    match arg.type_.as_ref().map(free::unwrapped) {
        Some(ExtraType::Bool) => {
            for text in ["true", "false"] {
                items.push(plain(text.to_owned(), detail(arg, text), span));
            }
        }
        Some(ExtraType::Literal(words)) => items.extend(words.iter().map(|word| value(word, detail(arg, word), span))),
        Some(ExtraType::Str | ExtraType::Path) => {
            items.extend(arg.default.iter().map(|default| value(default, "the default".to_owned(), span)));
        }
        _ => items.extend(arg.default.iter().map(|default| plain(default.clone(), "the default".to_owned(), span))),
    }
    items
}

fn detail(arg: &DeclaredArg, text: &str) -> String {
    if arg.default.as_deref() == Some(text) { "the default".to_owned() } else { String::new() }
}

fn value(text: &str, detail: String, span: Span) -> Item {
    plain(format!("\"{text}\""), detail, span)
}

fn plain(text: String, detail: String, span: Span) -> Item {
    Item { detail, ..Item::new(ItemKind::Value, text.clone(), span, text) }
}

#[cfg(test)]
mod tests {
    use crate::{complete, testing::with_cursor};

    fn labels(text: &str) -> Vec<String> {
        let (analysis, offset) = with_cursor(text);
        complete(&analysis, offset).into_iter().map(|item| item.label).collect()
    }

    const BEGIN: &str = "[trainer]\n[orchestrator]\n";

    #[test]
    fn models_and_environments_are_offered_by_name() {
        assert!(labels("[model]\nname = \"Qwen/^\"\n").contains(&"\"Qwen/Qwen3-8B\"".to_owned()));
        let found = labels(&format!("{BEGIN}[[orchestrator.train.env]]\nid = \"^\"\n"));
        assert!(found.contains(&"\"seconds-0/beautiful-soup-env\"".to_owned()), "{found:?}");
        let found = labels(&format!("{BEGIN}[[orchestrator.train.source]]\nenv.taskset.id = \"gsm^\"\n"));
        assert!(found.contains(&"\"gsm8k\"".to_owned()), "{found:?}");
        for (target, first) in [("0.8.0", "\"reverse-text-v1\""), ("main", "\"reverse-text\"")] {
            let head = format!("# /// config\n# prime_rl = \"{target}\"\n# ///\n");
            let found = labels(&format!("{head}{BEGIN}[[orchestrator.train.source]]\nenv.taskset.id = \"^\"\n"));
            assert_eq!(found[0], first, "{target}");
        }
        // What configs write as `env.id` is called `legacy.id` since 0.8.0.
        for text in ["[orchestrator.train.source.legacy]\nid = \"^\"\n", "legacy = { id = ^ }\n"] {
            let found = labels(&format!("{BEGIN}[[orchestrator.train.source]]\n{text}"));
            assert!(found.contains(&"\"reverse-text\"".to_owned()), "{text}: {found:?}");
        }
    }

    #[test]
    fn declared_arguments_are_offered_with_their_values() {
        let text = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"seconds-0/beautiful-soup-env\"\n\
                    [orchestrator.env.args]\n";
        let found = labels(&format!("{text}^\n"));
        assert!(found.contains(&"split".to_owned()) && found.contains(&"difficulty".to_owned()), "{found:?}");
        let found = labels(&format!("{text}split = ^\n"));
        assert!(found.iter().any(|label| label.starts_with('"')), "{found:?}");
        let found = labels(&format!("{text}split = \"train\"\n^\n"));
        assert!(!found.contains(&"split".to_owned()), "{found:?}");
    }
}
