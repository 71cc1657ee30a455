//! Compares the values of keys that a prime-rl after the last known commit has with the types that public sources show: no prime-rl takes a value that
//! an earlier one refuses for its key and a later one for its type.

use std::{fmt::Write as _, sync::LazyLock};

use cfg_compose::{Entry, Node, Origin, Table, Tree, Value};
use cfg_diag::{Diagnostic, LocPart};
use cfg_resolve::{Names, resolve};
use cfg_schema::{Ahead, AheadChange, History, Kind};

use super::{MAX_KEYS, each_key};

/// The types as one class: each below a table of its own, whose name is the number of the entry.
static TYPES: LazyLock<Option<History>> = LazyLock::new(|| {
    let mut text = "(root)\n  ..  root(forbid)\n".to_owned();
    for (number, entry) in Ahead::all().iter().enumerate() {
        if let AheadChange::Added { ty, is_open: false } = entry.change {
            // Writing to a `String` does not fail.
            let _ = write!(text, "{number}\n  ..  table(forbid)? = null\n{number}.{}\n  ..  {ty}\n", last(entry.path));
        }
    }
    let fields = cfg_schema::compiler::parse(&text, &|sha| Err(sha.to_owned())).ok()?;
    cfg_schema::compiler::compile_program(Kind::Script, &fields, &[]).ok()
});

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Adds the errors of the value at a key that is new in a later prime-rl, or of those in a new table.
pub(super) fn compare(kind: Kind, key: &str, loc: &[LocPart], entry: &Entry, found: &mut Vec<Diagnostic>) {
    if found.len() > MAX_KEYS {
        return;
    }
    let each = Ahead::typed(kind, key).map(|(number, _)| refused(number, key, loc, &entry.node));
    // A key of several variants may have a type in each.
    if let Some(fewest) = each.min_by_key(Vec::len) {
        found.extend(fewest);
        return;
    }
    each_key(&entry.node.value, key, loc, &mut |_, inner, path, loc| compare(kind, &path, &loc, inner, found));
}

/// The errors of a value for the type of the entry with a number.
fn refused(number: usize, key: &str, loc: &[LocPart], node: &Node) -> Vec<Diagnostic> {
    let Some(history) = *TYPES else { return Vec::new() };
    let schema = history.schema(Kind::Script, History::built_in().newest());
    let own = |name: &str, node: Node| {
        let mut table = Table::default();
        table.insert(Entry { key: name.into(), written: None, key_origin: Origin::Default, node });
        table
    };
    let above = number.to_string();
    let name = last(key).split('[').next().unwrap_or(key);
    let below = Node { value: Value::Table(own(name, node.clone())), origin: node.origin };
    let tree = Tree { root: own(&above, below) };
    let (_, mut found) = resolve(schema, &Names::new(schema), tree);
    found.retain(Diagnostic::is_refusal);
    for diagnostic in &mut found {
        let rest = diagnostic.key.as_deref().and_then(|key| key.strip_prefix(&*above)?.strip_prefix('.')?.strip_prefix(name));
        diagnostic.key = Some(format!("{key}{}", rest.unwrap_or_default()));
        if let Some(native) = &mut diagnostic.native {
            native.loc = [loc, native.loc.get(2..).unwrap_or_default()].concat();
        }
        diagnostic.proposals.clear();
    }
    found
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Ahead, AheadChange};

    use super::TYPES;

    #[test]
    fn each_type_is_understood() {
        assert!(TYPES.is_some());
        assert!(Ahead::all().iter().any(|entry| matches!(entry.change, AheadChange::Added { is_open: false, .. })));
    }
}
