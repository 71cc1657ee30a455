//! Defaults that a prime-rl after the last known commit has changed.

use cfg_compose::{Entry, Node, Origin, Table, Tree, Value};
use cfg_diag::{Diagnostic, FileId, codes};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{Ahead, AheadChange, Schema};
use cfg_syntax::Dialect;

/// The changed defaults on which a config rests: it does not set the key, and the table of the key is used.
fn rests_on(schema: Schema, resolved: &ResolvedTable) -> impl Iterator<Item = (&'static Ahead, String)> {
    let view = View::new(schema, resolved);
    Ahead::defaults(schema.kind).filter(move |(entry, path)| {
        let AheadChange::Default { old, .. } = entry.change else { return false };
        view.get(path).is_some_and(|value| value.origin == Origin::Default && is_value(value, old))
    })
}

/// Whether a value is the one that is written as JSON.
fn is_value(resolved: &Resolved, json: &str) -> bool {
    match &resolved.value {
        ResolvedValue::Null => json == "null",
        ResolvedValue::Bool(value) => json == if *value { "true" } else { "false" },
        ResolvedValue::Int(_) => resolved.value.as_int().is_some_and(|value| json.parse() == Ok(value)),
        ResolvedValue::Float(value) => json.parse() == Ok(*value),
        ResolvedValue::Str(text) => json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) == Some(&**text),
        _ => false,
    }
}

/// A config with the defaults of a prime-rl of a day, if it rests on some that have changed until then.
pub(crate) fn with_defaults(schema: Schema, resolved: &ResolvedTable, until: &str, tree: &Tree) -> Option<Tree> {
    let mut tree = tree.clone();
    let mut is_any = false;
    for (entry, path) in rests_on(schema, resolved).filter(|(entry, _)| entry.day <= until) {
        let AheadChange::Default { new, .. } = entry.change else { continue };
        let parts: Vec<&str> = path.split('.').collect();
        is_any |= read(new).is_some_and(|value| set(&mut tree.root, &parts, value));
    }
    is_any.then_some(tree)
}

/// A value as it is written in JSON and TOML alike.
fn read(json: &str) -> Option<Value> {
    let (document, found) = cfg_syntax::parse(FileId(0), &format!("value = {json}"), Dialect::Toml10);
    let tree = found.is_empty().then(|| Tree::from_document(FileId(0), document))?;
    tree.root.into_entries().pop().map(|entry| entry.node.value)
}

/// Sets a key that is not given. Returns whether it could.
fn set(root: &mut Table, path: &[&str], value: Value) -> bool {
    let Some((last, tables)) = path.split_last() else { return false };
    let Some(table) = root.table_at(tables, Origin::Default).filter(|table| table.get(last).is_none()) else { return false };
    let node = Node { value, origin: Origin::Default };
    table.insert(Entry { key: (*last).into(), written: None, key_origin: Origin::Default, node });
    true
}

/// Says on which defaults a config rests that a later prime-rl has changed, and which of them were used.
pub(crate) fn tell_defaults(schema: Schema, resolved: &ResolvedTable, until: &str, is_used: bool, found: &mut Vec<Diagnostic>) {
    for (entry, path) in rests_on(schema, resolved) {
        let AheadChange::Default { old, new } = entry.change else { continue };
        let message = format!("the default of `{path}` changed from {old} to {new} in prime-rl {}", entry.since());
        let what = match entry.day <= until {
            true if is_used => format!("{new} is used here; "),
            true => format!("{old} is used here, because it can't be checked with {new}; "),
            false => String::new(),
        };
        let mut told = Diagnostic::new(&codes::CHANGED_DEFAULT, message).help(format!("{what}set the value that you want"));
        let view = View::new(schema, resolved);
        // The default itself is written nowhere: the nearest table around it is shown.
        let around = path.rmatch_indices('.').find_map(|(at, _)| view.location(&path[..at]));
        told.location = around;
        told.key = Some(path);
        found.push(told);
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::codes;
    use cfg_resolve::View;
    use cfg_schema::{History, Kind, Target};

    use crate::{Checked, Request, Session, check};

    fn checked(target: &str, text: &str) -> Checked {
        let target = Target::parse(History::built_in(), target).expect("a target");
        check(
            &Session::default(),
            Request { kind: Some(Kind::Trainer), target: Some(target), ..Request::new("train.toml", text) },
        )
    }

    fn loss(checked: &Checked) -> String {
        let resolved = checked.resolved.as_ref().expect("it is resolved");
        View::new(checked.target.schema(Kind::Trainer), resolved).str("loss.type").unwrap_or_default().to_owned()
    }

    #[test]
    fn a_default_that_changed_is_told_and_used_from_its_day_on() {
        let told = |checked: &Checked| checked.diagnostics.iter().any(|found| found.code == &codes::CHANGED_DEFAULT);
        for (target, text, is_told, used) in [
            ("0.8.0", "", false, "default"),
            ("0.9.0", "", true, "default"),
            ("2026-08-26", "", true, "default"),
            ("2026-08-27", "", true, "ipo"),
            ("0.10.0", "", true, "ipo"),
            ("2026-08-27", "[loss]\ntype = \"default\"\n", false, "default"),
        ] {
            let checked = checked(target, text);
            assert_eq!((told(&checked), &*loss(&checked)), (is_told, used), "{target} {text}");
        }
    }
}
