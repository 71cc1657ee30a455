//! Keys of a later prime-rl: what they are at the target.

use cfg_compose::{Entry, Integer, Table, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes};
use cfg_schema::{Former, FormerValue, Point, find_fields, former, moved::when, without_indices};

use super::{elsewhere::has_table, foreign_table::Meaning, unknown_key::list, value::NUMBERS};
use crate::{
    emit::string,
    loc::{above, below},
    synonyms::{self, Form, Suggestion},
    walk::Walker,
};

/// The largest number of keys of a table whose places are looked up, and of findings for which that is done.
const MAX_KEYS: usize = 64;
const MAX_FINDINGS: usize = 100;

/// The most keys that the help names.
const MAX_NAMED: usize = 8;

/// One key of a later prime-rl, with its place at the target.
struct Found<'e> {
    key: String,
    value: &'e Value,
    former: Option<Former>,
    /// Whether some version has the key itself.
    is_known: bool,
}

impl Walker<'_> {
    /// Reports a key that its table gets after the target, at `added`.
    pub(super) fn future(&mut self, entry: &Entry, added: Point) -> Diagnostic {
        let history = self.schema.history;
        let key = self.path.key();
        let message = format!("the target does not have `{key}` yet: it was added {}", when(history, added));
        let diagnostic = Diagnostic::new(&codes::FUTURE_KEY, message).label("added later");
        if self.diagnostics.len() > MAX_FINDINGS {
            return diagnostic.help("remove it, or use a prime-rl that has it");
        }
        let path = self.path.schema_path();
        let by_name = || entry.node.value.as_str().and_then(|_| self.id_beside(&path, ".env"));
        let by_number = || self.of_number(&path, &entry.node.value);
        let whole = self.former(&path).filter(|former| former.value != FormerValue::Other).or_else(by_name).or_else(by_number);
        // What is in a table may have come from several places.
        let table = entry.node.value.as_table().filter(|table| !table.entries().is_empty());
        let is_of_map = whole.as_ref().is_some_and(|former| matches!(former.value, FormerValue::Of(_)));
        let inner = table.filter(|table| !is_of_map && (whole.is_none() || self.has_own_places(&path, table)));
        let mut found = Vec::new();
        match inner {
            Some(table) => self.places(&key, &path, table, &mut found),
            None => found.push(Found { key: key.clone(), value: &entry.node.value, former: whole, is_known: true }),
        }
        keep_one_of_each(&mut found);
        if let Some(proposal) = self.of_empty_table(&key, &path, entry) {
            return diagnostic.help(proposal.title.clone()).propose(proposal);
        }
        if found.iter().all(|found| found.former.is_none()) {
            let title = format!("remove `{key}`");
            let diagnostic = diagnostic.propose(Proposal::possible(title, vec![KeyChange::Remove { key }]));
            return diagnostic.help("remove it, or use a prime-rl that has it");
        }
        let (mut changes, mut said, mut left, mut choices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut is_whole = true;
        for Found { key: own, value, former, is_known } in &found {
            let Some(former) = former else {
                left.push(own.clone());
                continue;
            };
            let Some(to) = Self::with_indices(&former.path, own) else {
                left.push(own.clone());
                continue;
            };
            let is = if *is_known { "is still" } else { "is" };
            said.push(if *own == key { format!("it {is} `{to}`") } else { format!("`{own}` {is} `{to}`") });
            choices.push(to.clone());
            match &former.value {
                FormerValue::Same => {
                    changes.push(KeyChange::Move { from: own.clone(), to: to.clone() });
                    let before = changes.len();
                    self.within_items(own, &to, value, &mut changes);
                    let of_items = changes[before..].iter().filter_map(|change| match change {
                        KeyChange::Move { from, to } => Some(format!("its `{}` is `{}`", within_item(from), within_item(to))),
                        _ => None,
                    });
                    said.extend(of_items.take(1));
                }
                FormerValue::Numbers(before) => match numbers(entry, value, before) {
                    Some(value) => changes.extend([KeyChange::Set { key: to, value }, KeyChange::Remove { key: own.clone() }]),
                    None => is_whole = false,
                },
                FormerValue::Of(map) => match before_map(map, value).or_else(|| self.before_default(map, own, value)) {
                    Some(value) => changes.extend([KeyChange::Set { key: to, value }, KeyChange::Remove { key: own.clone() }]),
                    None => is_whole = false,
                },
                // Another word for one of its choices.
                FormerValue::Other => match &*self.carried(own, &to, value) {
                    chosen @ [KeyChange::Remove { .. }, KeyChange::Set { .. }] => changes.extend(chosen.iter().cloned()),
                    _ => is_whole = false,
                },
            }
        }
        self.meant.extend(choices.iter().filter(|path| !path.contains('[')).cloned());
        let more = said.len().saturating_sub(MAX_NAMED);
        said.truncate(MAX_NAMED);
        if more > 0 {
            said.push(format!("{more} more keys have another place"));
        }
        if !left.is_empty() {
            said.push(format!("{} can't be kept", list(&left)));
        }
        let diagnostic =
            diagnostic.help(format!("in the target {}", said.join(", "))).choices(choices.iter().map(String::as_str));
        if changes.is_empty() && is_whole && choices.is_empty() {
            return diagnostic.propose(Proposal::remove(&key, "nothing in the target has the same meaning"));
        }
        if !is_whole || changes.is_empty() {
            return diagnostic;
        }
        let proposal = match (&*changes, inner) {
            ([KeyChange::Move { from, to }], None) => Proposal::relocate(from, to),
            _ => {
                let without = if left.is_empty() { String::new() } else { format!(", and leave out {}", list(&left)) };
                changes.extend(inner.map(|_| KeyChange::Remove { key }));
                Proposal::possible(format!("write {} instead{without}", list(&choices)), changes)
            }
        };
        diagnostic.propose(proposal)
    }

    /// The place at the target of a key of a later prime-rl. A package with a taskset was one with an environment, which had its name.
    fn former(&self, path: &str) -> Option<Former> {
        let of = |path: &str| former(self.schema.history, self.schema.kind, path, self.schema.point);
        let of_package = || of(&format!("{}.legacy.id", path.strip_suffix(".env.taskset.id")?));
        let beside = || [".env.taskset.id", ".env.id"].into_iter().find_map(|later| self.id_beside(path, later));
        let of_arguments = || self.argument_of_package(path);
        of(path).or_else(of_package).or_else(beside).or_else(of_arguments).or_else(|| self.of_no_version(path))
    }

    /// The place of an argument of a package with a taskset, which no version of prime-rl knows: it was one of the environment of that name.
    fn argument_of_package(&self, path: &str) -> Option<Former> {
        let (item, argument) = path.split_once(".env.taskset.")?;
        if !find_fields(self.schema.history, self.schema.kind, path).is_empty() {
            return None;
        }
        let arguments = former(self.schema.history, self.schema.kind, &format!("{item}.legacy.args"), self.schema.point)?;
        Some(Former { path: format!("{}.{argument}", arguments.path), is_safe: false, ..arguments })
    }

    /// The place of a key that no version has in its table: what it means is written elsewhere.
    fn of_no_version(&self, path: &str) -> Option<Former> {
        if !find_fields(self.schema.history, self.schema.kind, path).is_empty() {
            return None;
        }
        let home = match self.meaning(path) {
            Meaning::Home(Suggestion { homes, form: Some(Form::Same), .. }) => homes.into_iter().next()?,
            Meaning::Unknown => return self.of_table_around(path),
            _ => return None,
        };
        // What an item of a list has is about that item.
        let list = path.rsplit_once("[]").and_then(|(list, _)| self.former(list));
        let of_item = list.and_then(|list| {
            let own = self.in_items(&home, &list.path)?;
            Some(own.replacen(&list.path, &format!("{}[]", list.path), 1))
        });
        Some(Former { path: of_item.unwrap_or(home), value: FormerValue::Same, is_safe: false })
    }

    /// The place of a key of a later prime-rl that was written one table too deep.
    fn of_table_around(&self, path: &str) -> Option<Former> {
        let (owner, word) = path.rsplit_once('.').filter(|(_, word)| word.contains('_'))?;
        let around = above(owner);
        let place = former(self.schema.history, self.schema.kind, &below(around, word), self.schema.point)?;
        (place.value == FormerValue::Same && !place.path.contains("[]")).then_some(Former { is_safe: false, ..place })
    }

    /// What an empty table of a later prime-rl is at the target if it is about the step from which a run goes on: without one, it is the last.
    fn of_empty_table(&self, key: &str, path: &str, entry: &Entry) -> Option<Proposal> {
        entry.node.value.as_table().filter(|table| table.entries().is_empty())?;
        let home = self.former(&format!("{path}.step")).filter(|former| former.value == FormerValue::Same)?.path;
        let set = KeyChange::Set { key: home.clone(), value: "-1".to_owned() };
        let title = format!("write `{home} = -1` instead");
        Some(Proposal::possible(title, vec![KeyChange::Remove { key: key.to_owned() }, set]))
    }

    /// The place at the target of the number that a table of a later prime-rl is about, written in place of the table.
    fn of_number(&self, path: &str, value: &Value) -> Option<Former> {
        if !matches!(value, Value::Int(_)) {
            return None;
        }
        let (history, kind) = (self.schema.history, self.schema.kind);
        let fields = find_fields(history, kind, path);
        let has = |name: &&str| fields.iter().any(|field| field.node.field(name).is_some());
        let name = NUMBERS.into_iter().find(has)?;
        let path = format!("{path}.{name}");
        let same = former(history, kind, &path, self.schema.point).filter(|former| former.value == FormerValue::Same);
        // What became of several keys is the one of them that is listed as the same.
        let listed = || Some(Former { path: synonyms::same_as(self.names, &path)?, value: FormerValue::Same, is_safe: false });
        same.or_else(listed)
    }

    /// The name of an environment that its table takes itself at the target, in place of the key `later`.
    fn id_beside(&self, path: &str, later: &str) -> Option<Former> {
        let path = format!("{}.id", path.strip_suffix(later)?);
        let is_there = path.contains("env") && self.schema.has(&path);
        is_there.then_some(Former { path, value: FormerValue::Same, is_safe: false })
    }

    /// The changes of keys in the items of a list that has moved, which have places of their own at the target.
    fn within_items(&self, from: &str, to: &str, value: &Value, changes: &mut Vec<KeyChange>) {
        let Value::List(items) = value else { return };
        for (index, item) in items.iter().enumerate().take(MAX_KEYS) {
            let Some(table) = item.value.as_table() else { continue };
            for entry in table.entries() {
                let mut found = Vec::new();
                let (key, path) = (format!("{from}[{index}].{}", entry.key), format!("{from}[].{}", entry.key));
                let own = self.former(&path);
                match entry.node.value.as_table() {
                    Some(inner) if own.is_none() => self.places(&key, &path, inner, &mut found),
                    _ => found.push(Found { key: key.clone(), value: &entry.node.value, former: own, is_known: true }),
                }
                let mut is_moved = !found.is_empty();
                for Found { key, former, .. } in found {
                    let place = former.filter(|former| former.value == FormerValue::Same);
                    let Some(place) = place.and_then(|former| Self::with_indices(&former.path, &key)) else {
                        is_moved = false;
                        continue;
                    };
                    let now = key.replacen(from, to, 1);
                    if now == place {
                        // It stays where it is, and so does its table.
                        is_moved = false;
                    } else {
                        changes.push(KeyChange::Move { from: now, to: place });
                    }
                }
                if is_moved && has_table(entry) {
                    changes.push(KeyChange::Remove { key: key.replacen(from, to, 1) });
                }
            }
        }
    }

    /// As [`before_map`], for a table that says no more than its default: the value of which the map makes nothing.
    fn before_default(&self, map: &str, key: &str, value: &Value) -> Option<String> {
        let [tag] = value.as_table()?.entries() else { return None };
        let path = without_indices(key);
        let fields = find_fields(self.schema.history, self.schema.kind, &path);
        let intervals = fields.iter().flat_map(|field| field.node.intervals());
        let first = intervals.filter(|interval| interval.since() > self.schema.point).min_by_key(|interval| interval.since())?;
        first.default_variant().filter(|default| Some(*default) == tag.node.value.as_str() && *tag.key == *"type")?;
        before_map(map, &Value::Null)
    }

    /// Whether a key of a table has another place than its table has.
    fn has_own_places(&self, path: &str, table: &Table) -> bool {
        let (history, kind, point) = (self.schema.history, self.schema.kind, self.schema.point);
        let whole = former(history, kind, path, point).map(|former| former.path);
        table.entries().iter().take(MAX_KEYS).any(|entry| {
            let own = former(history, kind, &format!("{path}.{}", entry.key), point).map(|former| former.path);
            own.is_none() || own != whole.as_ref().map(|whole| format!("{whole}.{}", entry.key))
        })
    }

    /// The keys below a table, with their places at the target.
    fn places<'e>(&self, owner: &str, path: &str, table: &'e Table, found: &mut Vec<Found<'e>>) {
        for entry in table.entries() {
            if found.len() > MAX_KEYS {
                return;
            }
            let (key, path) = (format!("{owner}.{}", entry.key), format!("{path}.{}", entry.key));
            let own = self.former(&path);
            match &entry.node.value {
                Value::Table(inner) if !inner.entries().is_empty() && (own.is_none() || self.has_own_places(&path, inner)) => {
                    self.places(&key, &path, inner, found);
                }
                value => {
                    let is_known = !find_fields(self.schema.history, self.schema.kind, &path).is_empty();
                    found.push(Found { key, value, former: own, is_known });
                }
            }
        }
    }

    /// A path of the schema with the indices of a key, which are those of its lists in their order; `None` if the path has more lists.
    fn with_indices(path: &str, key: &str) -> Option<String> {
        let indices: Vec<&str> = key.split('[').skip(1).filter_map(|rest| rest.split(']').next()).collect();
        let parts: Vec<&str> = path.split("[]").collect();
        if parts.len() > indices.len() + 1 {
            return None;
        }
        let mut placed = String::new();
        for (number, part) in parts.iter().enumerate() {
            placed.push_str(part);
            if number + 1 < parts.len() {
                placed.push_str(&format!("[{}]", indices[number]));
            }
        }
        Some(placed)
    }
}

/// The value, as TOML, of which a map of values makes this one.
fn before_map(map: &str, value: &Value) -> Option<String> {
    let map: serde_json::Map<String, serde_json::Value> = serde_json::from_str(map.strip_prefix("map:")?).ok()?;
    let is_it = |json: &serde_json::Value| match (json, value) {
        (serde_json::Value::Object(pairs), Value::Table(table)) => {
            pairs.len() == table.entries().len()
                && table
                    .entries()
                    .iter()
                    .all(|entry| pairs.get(&*entry.key).is_some_and(|json| json.as_str() == entry.node.value.as_str()))
        }
        (serde_json::Value::String(text), Value::Str(own)) => **text == **own,
        (serde_json::Value::Null, Value::Null) => true,
        _ => false,
    };
    let mut keys = map.iter().filter(|(key, json)| *key != "*" && is_it(json)).map(|(key, _)| key);
    let key = keys.next().filter(|_| keys.next().is_none())?;
    // Keys that are no JSON are bare strings.
    Some(if serde_json::from_str::<serde_json::Value>(key).is_ok() { key.clone() } else { string(key) })
}

/// Leaves, of several keys that were one at the target, only that whose name has most of its words.
fn keep_one_of_each(found: &mut [Found<'_>]) {
    fn last(path: &str) -> &str {
        path.rsplit('.').next().unwrap_or(path)
    }
    let shared =
        |key: &str, path: &str| last(path).split('_').filter(|word| last(key).split('_').any(|own| own == *word)).count();
    let place = |found: &Found<'_>| {
        let former = found.former.as_ref().filter(|former| former.value == FormerValue::Same)?;
        Some((former.path.clone(), std::cmp::Reverse(shared(&found.key, &former.path))))
    };
    let places: Vec<_> = found.iter().map(place).collect();
    let mut order: Vec<usize> = (0..found.len()).filter(|at| places[*at].is_some()).collect();
    order.sort_by_key(|at| &places[*at]);
    for pair in order.windows(2) {
        let of = |at: usize| places[at].as_ref().map(|(path, _)| path);
        if of(pair[0]) == of(pair[1]) {
            found[pair[1]].former = None;
        }
    }
}

/// A key without the item of a list that it is in.
fn within_item(key: &str) -> &str {
    key.rsplit_once("].").map_or(key, |(_, key)| key)
}

/// Consecutive numbers, as many as `value` says, after those of the keys `before`.
fn numbers(entry: &Entry, value: &Value, before: &[String]) -> Option<String> {
    let count = |value: &Value| match value {
        Value::Int(Integer::Small(count @ 0..=4096)) => Some(*count),
        _ => None,
    };
    let table = entry.node.value.as_table()?;
    let of = |key: &String| {
        let name = key.rsplit('.').next().unwrap_or(key);
        table.get(name).map_or(Some(1), |entry| count(&entry.node.value))
    };
    let first: i64 = before.iter().map(of).sum::<Option<i64>>()?;
    let numbers: Vec<String> = (first..first + count(value)?).map(|number| number.to_string()).collect();
    Some(format!("[{}]", numbers.join(", ")))
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// What has a counterpart whose value can't be carried is not removed as if it had none.
    #[test]
    fn a_key_with_a_counterpart_is_not_called_one_without() {
        let found = found_in(Kind::Rl, "0.6.0", "[trainer.model.quantization]\ntype = \"mxfp8\"\n");
        let help = found.iter().find_map(|found| found.help.as_deref().filter(|help| help.contains("trainer.model.fp8")));
        assert!(help.is_some(), "{found:?}");
        assert!(
            !found.iter().flat_map(|found| &found.proposals).any(|proposal| proposal.title.contains("same meaning")),
            "{found:?}"
        );
    }
}
