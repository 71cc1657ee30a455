//! Keys that a prime-rl after the last known commit has under other names.

use cfg_compose::{Entry, Node, Origin, Table, Tree, Value};
use cfg_diag::{Diagnostic, is_within};
use cfg_schema::{Ahead, History, Kind};
use cfg_syntax::rewrite::{Change, KeyPath};

/// Keys of the last known prime-rl with the names that they have for a config.
#[derive(Clone, Debug, Default)]
pub struct LaterNames(Vec<(String, String)>);

/// A config in which these keys have the names of the last known prime-rl, if it has any: what follows from their values is known then. Beside it the
/// names, also those of keys that it does not have, of a prime-rl of a day.
pub(crate) fn with_names(kind: Kind, until: &str, tree: &Tree) -> (Option<Tree>, LaterNames) {
    let history = History::built_in();
    let newest = history.schema(kind, history.newest());
    let mut names = LaterNames::default();
    let (mut renamed, mut is_any) = (tree.clone(), false);
    for (old, new, day) in Ahead::renamed(kind).filter(|(old, new, _)| newest.has(old) && !newest.has(new)) {
        let (from, to): (Vec<&str>, Vec<&str>) = (new.split('.').collect(), old.split('.').collect());
        let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        let mut is_it = false;
        each_table(&mut renamed.root, &from[..shared], &mut |table| is_it |= rename(table, &to[shared..], &from[shared..]));
        is_any |= is_it;
        if is_it || day <= until {
            names.0.push((old, new));
        }
    }
    (is_any.then_some(renamed), names)
}

impl LaterNames {
    /// Makes a finding name the keys so.
    pub(crate) fn apply(&self, found: &mut Diagnostic) {
        for (old, new) in &self.0 {
            let rename = |text: &mut String| {
                for end in ['`', '.', ' '] {
                    *text = text.replace(&format!("`{old}{end}"), &format!("`{new}{end}"));
                }
            };
            rename(&mut found.message);
            found.help.iter_mut().chain(&mut found.label).for_each(rename);
            found.related.iter_mut().for_each(|related| rename(&mut related.message));
        }
        found.key.iter_mut().chain(&mut found.choices).for_each(|key| self.rename(key));
    }

    /// Makes changes where the keys are.
    pub(crate) fn apply_to_changes(&self, changes: &mut [Change]) {
        for change in changes {
            let (path, other) = match change {
                Change::Set { path, .. }
                | Change::Insert { path, .. }
                | Change::InsertTables { path, .. }
                | Change::Remove { path, .. } => (path, None),
                Change::Relocate { from, to } => (from, Some(to)),
            };
            for path in std::iter::once(path).chain(other) {
                if let Some(parts) = self.0.iter().find_map(|(old, new)| renamed(path.parts(), old, new)) {
                    *path = KeyPath::new(parts);
                }
            }
        }
    }

    fn rename(&self, key: &mut String) {
        if let Some((old, new)) = self.0.iter().find(|(old, _)| is_within(key, old)) {
            key.replace_range(..old.len(), new);
        }
    }
}

/// The parts of a path, in which lists have indices, at or below a key that has another name; `None` if it is no such path.
fn renamed(parts: &[Box<str>], old: &str, new: &str) -> Option<Vec<Box<str>>> {
    let is_index = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('.').collect(), new.split('.').collect());
    let shared = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (mut at, mut fork) = (0, 0);
    for (number, key) in old.iter().enumerate() {
        at += parts[at..].iter().take_while(|part| number > 0 && is_index(part)).count();
        if number == shared {
            fork = at;
        }
        parts.get(at).filter(|part| ***part == **key)?;
        at += 1;
    }
    let own = new[shared..].iter().map(|key| Box::from(*key));
    Some(parts[..fork].iter().cloned().chain(own).chain(parts[at..].iter().cloned()).collect())
}

/// Calls a function with the tables at a path, with each item of a list.
fn each_table(table: &mut Table, path: &[&str], each: &mut dyn FnMut(&mut Table)) {
    let Some((first, rest)) = path.split_first() else { return each(table) };
    match table.get_mut(first).map(|entry| &mut entry.node.value) {
        Some(Value::Table(inner)) => each_table(inner, rest, each),
        Some(Value::List(items)) => {
            let tables = items.iter_mut().filter_map(|item| item.value.as_table_mut());
            tables.for_each(|inner| each_table(inner, rest, each));
        }
        _ => {}
    }
}

/// Moves what is at one path to another one, if nothing is there. Returns whether it did.
fn rename(table: &mut Table, old: &[&str], new: &[&str]) -> bool {
    if is_at(table, old) || !is_at(table, new) {
        return false;
    }
    let Some(entry) = take(table, new) else { return false };
    put(table, old, entry)
}

fn is_at(table: &Table, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    table.get(first).is_some_and(|entry| rest.is_empty() || entry.node.value.as_table().is_some_and(|table| is_at(table, rest)))
}

/// Takes what is at a path, with the tables around it that have nothing else.
fn take(table: &mut Table, path: &[&str]) -> Option<Entry> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return table.remove(first);
    }
    let inner = table.get_mut(first)?.node.value.as_table_mut()?;
    let taken = take(inner, rest);
    if inner.is_empty() {
        table.remove(first);
    }
    taken
}

fn put(table: &mut Table, path: &[&str], entry: Entry) -> bool {
    let Some((last, tables)) = path.split_last() else { return false };
    let mut table = table;
    for key in tables {
        if table.get(key).is_none() {
            let node = Node { value: Value::Table(Table::default()), origin: Origin::Default };
            table.insert(Entry { key: (*key).into(), written: None, key_origin: Origin::Default, node });
        }
        let Some(inner) = table.get_mut(key).and_then(|entry| entry.node.value.as_table_mut()) else { return false };
        table = inner;
    }
    table.insert(entry.renamed(last));
    true
}

#[cfg(test)]
mod tests {
    use cfg_resolve::View;
    use cfg_schema::{History, Kind, Target};

    use super::{KeyPath, renamed};
    use crate::{Checked, Request, Session, check};

    fn checked(text: &str) -> Checked {
        let target = Target::parse(History::built_in(), "2099-01-01").expect("a target");
        check(&Session::default(), Request { kind: Some(Kind::Rl), target: Some(target), ..Request::new("rl.toml", text) })
    }

    #[test]
    fn a_finding_names_the_key_that_is_written() {
        let text = "[trainer]\n[orchestrator]\nbatch_size = 64\n[orchestrator.train]\ngroup_size = 1\n[[orchestrator.train.source]]\nenv.id = \"a\"\n";
        let checked = checked(text);
        let found = checked.diagnostics.iter().find(|found| found.code.code == "PRL309").expect("one rollout per problem");
        assert!(found.help.as_deref().is_some_and(|help| help.contains("`orchestrator.train.group_size`")), "{found:?}");
        assert_eq!(found.key.as_deref(), Some("orchestrator.train.group_size"));
        let fixed = crate::apply(text, &found.fix.as_ref().expect("a fix").edits).expect("edits");
        assert_eq!(fixed, text.replace("group_size = 1", "group_size = 8"));
    }

    #[test]
    fn a_path_is_renamed_with_its_indices() {
        let path = |dotted: &str| KeyPath::parse(dotted).parts().to_vec();
        let (old, new) = ("eval.source.num_examples", "eval.source.select.limit");
        assert_eq!(renamed(&path("eval.source[2].num_examples"), old, new), Some(path("eval.source[2].select.limit")));
        assert_eq!(renamed(&path("algo.type"), "algo", "train.algo"), Some(path("train.algo.type")));
        assert_eq!(renamed(&path("eval.source[2].num"), old, new), None);
        assert_eq!(renamed(&path("eval"), old, new), None);
    }

    fn int(checked: &Checked, key: &str) -> Option<i64> {
        let resolved = checked.resolved.as_ref().expect("it is resolved");
        let view = View::new(checked.target.schema(Kind::Rl), resolved);
        match key.split_once("[0].") {
            Some((list, key)) => view.each(list).first().and_then(|(_, item)| item.int(key)),
            None => view.int(key),
        }
    }

    #[test]
    fn a_value_under_a_later_name_is_known() {
        for (text, key, value) in [
            ("[trainer]\n[orchestrator.train]\ngroup_size = 16\n", "orchestrator.group_size", 16),
            ("[trainer]\n[orchestrator]\ngroup_size = 4\n[orchestrator.train]\ngroup_size = 16\n", "orchestrator.group_size", 4),
            ("[trainer]\n[orchestrator]\nbatch_size = 64\n", "orchestrator.batch_size", 64),
            (
                "[trainer]\n[[orchestrator.eval.source]]\nenv.id = \"a\"\nselect.limit = 7\n",
                "orchestrator.eval.source[0].num_examples",
                7,
            ),
        ] {
            assert_eq!(int(&checked(text), key), Some(value), "{text}");
        }
    }
}
