//! Keys that a prime-rl after the last known commit has under other names.

use cfg_compose::{Entry, Origin, Table, Tree, Value};
use cfg_diag::Diagnostic;
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
        if self.0.is_empty() {
            return;
        }
        let texts = [&mut found.message].into_iter().chain(&mut found.help).chain(&mut found.label);
        texts.chain(found.related.iter_mut().map(|related| &mut related.message)).for_each(|text| *text = self.in_text(text));
        found.key.iter_mut().chain(&mut found.choices).for_each(|key| *key = self.of_key(key));
    }

    /// A text in which keys are between backticks, with the values that are written to them.
    fn in_text(&self, text: &str) -> String {
        let pieces = text.split('`').enumerate().map(|(number, piece)| {
            let (key, rest) = piece.split_at(piece.find(' ').unwrap_or(piece.len()));
            if number % 2 == 1 { self.of_key(key) + rest } else { piece.to_owned() }
        });
        pieces.collect::<Vec<_>>().join("`")
    }

    /// A key in the notation of findings.
    fn of_key(&self, key: &str) -> String {
        let parts = key.replace('[', ".[");
        let parts: Vec<&str> = parts.split('.').collect();
        self.of_parts(&parts).map_or_else(|| key.to_owned(), |parts| parts.join(".").replace(".[", "["))
    }

    fn of_parts<'p>(&'p self, parts: &[&'p str]) -> Option<Vec<&'p str>> {
        self.0.iter().find_map(|(old, new)| renamed(parts, old, new))
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
                let parts: Vec<&str> = path.parts().iter().map(|part| &**part).collect();
                if let Some(parts) = self.of_parts(&parts) {
                    *path = KeyPath::new(parts);
                }
            }
        }
    }
}

/// The parts of a path, in which lists have indices, at or below a key that has another name; `None` if it is no such path.
fn renamed<'p>(parts: &[&'p str], old: &str, new: &'p str) -> Option<Vec<&'p str>> {
    let is_index = |part: &&&str| part.starts_with('[') || part.bytes().all(|byte| byte.is_ascii_digit());
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('.').collect(), new.split('.').collect());
    let shared = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (mut at, mut fork) = (0, 0);
    for (number, key) in old.iter().enumerate() {
        at += parts[at..].iter().take_while(|part| number > 0 && is_index(part)).count();
        if number == shared {
            fork = at;
        }
        parts.get(at).filter(|part| *part == key)?;
        at += 1;
    }
    Some([&parts[..fork], &new[shared..], &parts[at..]].concat())
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
    let Some((last, tables)) = old.split_last() else { return false };
    if is_at(table, old) || !is_at(table, new) || table.table_at(tables, Origin::Default).is_none() {
        return false;
    }
    let Some(entry) = take(table, new) else { return false };
    table.table_at(tables, Origin::Default).map(|home| home.insert(entry.renamed(last))).is_some()
}

fn is_at(table: &Table, path: &[&str]) -> bool {
    let Some((last, tables)) = path.split_last() else { return true };
    let table = tables.iter().try_fold(table, |table, key| table.get(key)?.node.value.as_table());
    table.is_some_and(|table| table.get(last).is_some())
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

#[cfg(test)]
mod tests {
    use cfg_resolve::View;
    use cfg_schema::{History, Kind, Target};
    use cfg_syntax::rewrite::Literal;

    use super::{Change, KeyPath, LaterNames};
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
        let names = [("eval.source.num_examples", "eval.source.select.limit"), ("algo", "train.algo")];
        let names = LaterNames(names.map(|(old, new)| (old.to_owned(), new.to_owned())).to_vec());
        for (key, expected) in [
            ("eval.source[2].num_examples", "eval.source[2].select.limit"),
            ("algo.type", "train.algo.type"),
            ("eval.source[2].num", "eval.source[2].num"),
            ("eval", "eval"),
        ] {
            assert_eq!(names.of_key(key), expected);
            let mut changes = [Change::Set { path: KeyPath::parse(key), value: Literal::raw("1") }];
            names.apply_to_changes(&mut changes);
            assert_eq!(changes, [Change::Set { path: KeyPath::parse(expected), value: Literal::raw("1") }]);
        }
        let text = "set `algo.type = \"a\"`, or `eval.source[0].num_examples`; algo and `algos` stay";
        assert_eq!(names.in_text(text), text.replace("`algo.", "`train.algo.").replace("num_examples", "select.limit"));
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
