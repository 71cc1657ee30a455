//! Settings of other trainers: single ones, and whole tables of them.

use cfg_compose::{Entry, Integer, Table, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes};
use cfg_schema::{TypeKind, find_fields, without_indices};

use super::unknown_key::list;
use crate::{
    coerce,
    synonyms::{self, Form, Suggestion},
    walk::Walker,
};

/// The largest number of settings of a foreign table that are looked up, and of those that the help names.
const MOST_SETTINGS: usize = 64;
const MOST_NAMED: usize = 8;

/// The largest number of settings that the help names with the tables around them, and its length up to which it has notes about them, in bytes.
const MOST_IN_FULL: usize = 2;
const LONGEST: usize = 220;

/// What a setting of a foreign table is in prime-rl.
enum Meaning {
    /// These keys, the nearest first.
    Home(Suggestion),
    /// Nothing, for this reason.
    Nothing(String),
    /// It is not known.
    Unknown,
}

impl Walker<'_> {
    /// The place in this config for a key of the schema: with the indices that the walker's path has. `None` if an item of another list would have to
    /// be chosen.
    pub(crate) fn placed(&self, home: &str) -> Option<String> {
        let own = self.path.key();
        let own: Vec<&str> = own.split('.').collect();
        let mut placed: Vec<String> = Vec::new();
        let mut path = String::new();
        let steps: Vec<&str> = home.split('.').collect();
        for (number, step) in steps.iter().enumerate() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(step);
            // The last step may itself be a list, which moves as a whole.
            let is_list = number + 1 < steps.len() && self.is_list(&path);
            if !is_list {
                placed.push((*step).to_owned());
                continue;
            }
            let is_on_the_way = placed.iter().zip(&own).all(|(one, other)| one == other);
            let item = own
                .get(number)
                .filter(|item| is_on_the_way && item.strip_prefix(step).is_some_and(|index| index.starts_with('[')))?;
            placed.push((*item).to_owned());
        }
        Some(placed.join("."))
    }

    /// Whether a key of the schema is a list at the target.
    pub(super) fn is_list(&self, path: &str) -> bool {
        let point = self.schema.point;
        find_fields(self.schema.history, self.schema.kind, path).iter().any(|field| {
            field.exists_at(point) && field.node.at(point).is_some_and(|interval| interval.field_type().kind() == TypeKind::List)
        })
    }

    fn is_table(&self, path: &str) -> bool {
        let point = self.schema.point;
        find_fields(self.schema.history, self.schema.kind, path)
            .iter()
            .any(|field| field.exists_at(point) && !field.fields_at(point).is_empty())
    }

    /// Adds what another trainer's setting becomes.
    pub(crate) fn propose_synonym(&self, mut diagnostic: Diagnostic, suggestion: &Suggestion, entry: &Entry) -> Diagnostic {
        let key = self.path.key();
        diagnostic.choices.clone_from(&suggestion.homes);
        if suggestion.homes.is_empty() {
            let is_off = suggestion.form == Some(Form::Switch) && matches!(entry.node.value, Value::Bool(false));
            let table = key.rsplit_once('.').map(|(table, _)| table.to_owned()).filter(|_| is_off);
            let key = table.unwrap_or(key);
            let title = format!("remove `{key}`");
            return diagnostic.propose(Proposal::possible(title, vec![KeyChange::Remove { key }]));
        }
        // What a key at the top shares with all components is written there, if a component's own key would differ from the others.
        let mut homes: Vec<&String> = suggestion.homes.iter().collect();
        let is_of_component = |home: &str| {
            let shared = home.split_once('.').map(|(_, rest)| rest).unwrap_or_default();
            suggestion.homes.iter().any(|other| other == shared)
        };
        homes.sort_by_key(|home| is_of_component(home));
        let is_list_of_tables = match &entry.node.value {
            Value::List(items) => !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some()),
            _ => false,
        };
        let inner = entry.node.value.as_table().filter(|table| !table.entries().is_empty());
        for home in homes {
            let Some(home) = self.placed(home) else {
                diagnostic.proposals.extend(self.as_new_item(&key, home, &entry.node.value));
                continue;
            };
            // A list of tables moves as a whole, and its keys follow.
            if is_list_of_tables && self.is_list(&home) {
                let (mut changes, whole) = (self.named_items(&home, &entry.node.value), Proposal::relocate(&key, &home));
                if !changes.is_empty() {
                    changes.insert(0, KeyChange::Move { from: key.clone(), to: home.clone() });
                    diagnostic.proposals.push(Proposal { changes, ..Proposal::relocate(&key, &home) });
                }
                diagnostic.proposals.push(whole);
                continue;
            }
            let proposal = match suggestion.form {
                // A table does not become a value.
                Some(Form::Same) if entry.node.value.as_table().is_some() && !self.is_table(&home) => None,
                Some(Form::Same) if let Some(inner) = inner => {
                    diagnostic.proposals.extend(self.merged(&key, &home, inner));
                    None
                }
                Some(Form::Same) => {
                    let home = self.choosing(&home, &entry.node.value);
                    let proposal = Proposal::relocate(&key, &home).help(format!("in prime-rl it is `{home}`"));
                    Some(Proposal { changes: Self::carried(&key, &home, &entry.node.value), ..proposal })
                }
                Some(form) => self.written((&key, &home), form, &entry.node.value),
                None => None,
            };
            diagnostic.proposals.extend(proposal);
        }
        diagnostic
    }

    /// Moves a table to another one that may be there already: as a whole, or each of its keys.
    fn merged(&self, key: &str, home: &str, table: &Table) -> [Proposal; 2] {
        let remove = KeyChange::Remove { key: key.to_owned() };
        let of = |changes: Vec<KeyChange>| Proposal { changes, ..Proposal::relocate(key, home) };
        let each = table.entries().iter().map(|entry| {
            let key = &entry.key;
            KeyChange::Move { from: format!("{}.{key}", self.path.key()), to: format!("{home}.{key}") }
        });
        let whole = KeyChange::Move { from: key.to_owned(), to: home.to_owned() };
        [of(vec![whole, remove.clone()]), of(each.chain([remove]).collect())]
    }

    /// The changes that move a value which means the same; a choice that has another name here is written under this one.
    fn carried(key: &str, home: &str, value: &Value) -> Vec<KeyChange> {
        let (owner, last) = home.rsplit_once('.').unwrap_or(("", home));
        match value.as_str().and_then(|text| synonyms::choice(owner, last, text)) {
            Some(choice) => vec![
                KeyChange::Remove { key: key.to_owned() },
                KeyChange::Set { key: home.to_owned(), value: format!("\"{choice}\"") },
            ],
            None => vec![KeyChange::Move { from: key.to_owned(), to: home.to_owned() }],
        }
    }

    /// The key that takes a value: of a table with a `type`, a bare text is the type.
    fn choosing(&self, home: &str, value: &Value) -> String {
        let point = self.schema.point;
        let is_tagged = || {
            let fields = find_fields(self.schema.history, self.schema.kind, home);
            fields.iter().any(|field| {
                field.exists_at(point)
                    && field.node.at(point).is_some_and(|interval| interval.field_type().discriminator().is_some())
            })
        };
        if value.as_str().is_some() && is_tagged() { format!("{home}.type") } else { home.to_owned() }
    }

    /// The change that writes the value of `key` at `home` in another form.
    fn written(&self, (key, home): (&str, &str), form: Form, value: &Value) -> Option<Proposal> {
        let remove = KeyChange::Remove { key: key.to_owned() };
        if form == Form::Pair {
            let ([one, two], Some(second)) = (numbers_of(value)?, home.strip_suffix('1')) else { return None };
            let second = format!("{second}2");
            let title = format!("write `{home} = {one}` and `{second} = {two}` instead");
            let set = |key: &str, value: &str| KeyChange::Set { key: key.to_owned(), value: value.to_owned() };
            return Some(Proposal::possible(title, vec![remove, set(home, &one), set(&second, &two)]));
        }
        let (title, value) = match (form, value) {
            (Form::Table, Value::Bool(false)) => {
                return Some(Proposal::possible(format!("remove `{key}`: `{home}` is off unless it is written"), vec![remove]));
            }
            (Form::Table, Value::Bool(true)) => (format!("write `{home} = {{}}` instead"), "{}".to_owned()),
            (Form::List, Value::Str(text)) => (format!("write `{home} = [{text:?}]` instead"), format!("[{text:?}]")),
            (Form::Steps, Value::Float(share)) if (0.0..1.0).contains(share) => {
                let steps = (share * self.max_steps?).round();
                (format!("write `{home} = {steps}` instead, the share of `max_steps`"), steps.to_string())
            }
            (Form::Resume, Value::Bool(false)) => return Some(Proposal::possible(format!("remove `{key}`"), vec![remove])),
            (Form::Resume, value) => {
                let step = step_of(value)?;
                (format!("write `{home} = {step}` instead"), step)
            }
            _ => return None,
        };
        Some(Proposal::possible(title, vec![remove, KeyChange::Set { key: home.to_owned(), value }]))
    }

    /// Reports a table with settings of other trainers, and what they are here. `None` if it has none that are known.
    pub(super) fn foreign_table(&mut self, named: &str, entry: &Entry) -> Option<Diagnostic> {
        let mut leaves = Vec::new();
        match &entry.node.value {
            Value::Table(table) => collect(&self.path.key(), table, &mut leaves),
            // A list of tables of which there is one.
            Value::List(items) => match items.as_slice() {
                [item] => collect(&format!("{}[0]", self.path.key()), item.value.as_table()?, &mut leaves),
                _ => return None,
            },
            _ => return None,
        }
        if leaves.len() > MOST_SETTINGS {
            return None;
        }
        let meanings: Vec<(String, &Value, Meaning)> = leaves
            .into_iter()
            .map(|(key, value)| (self.meaning(&key), key, value))
            .map(|(meaning, key, value)| (key, value, meaning))
            .collect();
        let is_known = |(_, _, meaning): &(String, &Value, Meaning)| !matches!(meaning, Meaning::Unknown);
        if !meanings.iter().any(is_known) {
            return None;
        }
        let (mut changes, mut moved, mut dropped, mut said) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // Of many keys, the table around them is named in the message alone.
        let own = self.path.key();
        let is_long = meanings.len() > MOST_IN_FULL;
        let key_within =
            |key: &str| key.strip_prefix(&*own).filter(|_| is_long).map_or(key, |rest| rest.trim_start_matches('.')).to_owned();
        for (key, value, meaning) in &meanings {
            match meaning {
                Meaning::Home(suggestion) => {
                    let Some(home) = suggestion.homes.first() else { continue };
                    said.push((format!("`{}` is `{home}`", key_within(key)), note_of(suggestion)));
                    let placed = self.placed(home);
                    // An evaluation needs settings that are not there.
                    let placed = placed.filter(|home| !home.contains("eval."));
                    let change = match (suggestion.form, placed) {
                        (Some(Form::Same), Some(home)) => Some(Self::carried(key, &home, value)),
                        (Some(form), Some(home)) => self.written((key, &home), form, value).map(|proposal| proposal.changes),
                        _ => None,
                    };
                    match change {
                        Some(change) => {
                            changes.extend(change);
                            moved.push(home.clone());
                        }
                        None => dropped.push(key.clone()),
                    }
                }
                Meaning::Nothing(why) => {
                    said.push((format!("`{}` has no counterpart", key_within(key)), format!(": {why}")));
                    dropped.push(key.clone());
                }
                Meaning::Unknown => {
                    said.push((format!("`{}` is not known", key_within(key)), String::new()));
                    dropped.push(key.clone());
                }
            }
        }
        let owner = self.path.schema_path();
        let owner = owner.rsplit_once('.').map(|(owner, _)| owner).unwrap_or_default();
        let whole = || synonyms::suggestion(self.names, owner, &entry.key);
        let has_whole = || whole().is_some_and(|whole| whole.homes.first().is_none_or(|home| self.is_table(home)));
        if moved.is_empty() && has_whole() {
            return None;
        }
        self.meant.extend(moved.iter().cloned());
        let more = said.len().saturating_sub(MOST_NAMED);
        said.truncate(MOST_NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        // The notes are left out if the list would be cut.
        let length: usize = said.iter().map(|(text, note)| text.len() + note.len() + 2).sum();
        let said: Vec<String> = said.into_iter().map(|(text, note)| if length > LONGEST { text } else { text + &note }).collect();
        let message = format!("{named} has no table `{}`", entry.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message)
            .label("another trainer's settings")
            .help(format!("in prime-rl {}{more}", said.join("; ")))
            .choices(moved.iter().map(String::as_str));
        let key = self.path.key();
        if moved.is_empty() {
            let title = format!("remove `{key}`");
            return Some(diagnostic.propose(Proposal::possible(title, vec![KeyChange::Remove { key }])));
        }
        changes.push(KeyChange::Remove { key });
        let left = if dropped.is_empty() { String::new() } else { format!(", and leave out {}", list(&dropped)) };
        let title = format!("write {} instead{left}", list(&moved));
        Some(diagnostic.propose(Proposal::possible(title, changes)))
    }

    /// What a setting of a foreign table is, by its key from the root.
    fn meaning(&self, key: &str) -> Meaning {
        let plain = without_indices(key);
        let steps: Vec<&str> = plain.split('.').collect();
        let Some((&word, _)) = steps.split_last() else { return Meaning::Unknown };
        let tables = |count: usize| steps[..count].join(".");
        let own = synonyms::setting(&tables(steps.len() - 1), word);
        // A table of something that prime-rl does not have, unless the data names this very key of it.
        for count in (1..steps.len()).filter(|_| own.is_none_or(|(_, steps)| steps < 2)) {
            let found = synonyms::setting(&tables(count - 1), steps[count - 1]).filter(|(setting, _)| setting.is_nothing());
            if let Some(suggestion) = found.and_then(|(setting, _)| synonyms::of_setting(self.names, "", setting)) {
                return Meaning::Nothing(reason(&suggestion.help));
            }
        }
        // The tables are not those of prime-rl, so their place says nothing.
        if let Some((setting, _)) = own {
            return match synonyms::of_setting(self.names, "", setting) {
                Some(suggestion) if suggestion.homes.is_empty() => Meaning::Nothing(reason(&suggestion.help)),
                Some(suggestion) => Meaning::Home(suggestion),
                None => Meaning::Unknown,
            };
        }
        let same = |home: String| {
            Meaning::Home(Suggestion { help: String::new(), rename: None, homes: vec![home], form: Some(Form::Same) })
        };
        // A table under another name, with keys that have the same names.
        for count in (1..steps.len()).rev() {
            let setting = synonyms::setting(&tables(count - 1), steps[count - 1]);
            let suggestion = setting.and_then(|(setting, _)| synonyms::of_setting(self.names, "", setting));
            let homes = suggestion
                .into_iter()
                .filter(|suggestion| suggestion.form == Some(Form::Same))
                .flat_map(|suggestion| suggestion.homes);
            let mut below = homes.map(|home| format!("{home}.{}", steps[count..].join(".")));
            if let Some(home) = below.find(|home| self.names.paths(word).contains(home)) {
                return same(home);
            }
        }
        // A key of prime-rl in a table of the same name, or in one table alone.
        let homes = self.names.paths(word);
        let ending = steps.len().checked_sub(2).map(|start| format!(".{}", steps[start..].join(".")));
        let beside: Vec<&String> =
            homes.iter().filter(|home| ending.as_ref().is_some_and(|ending| format!(".{home}").ends_with(&**ending))).collect();
        match (beside.as_slice(), homes) {
            ([home], _) => same((*home).clone()),
            // Of the model's halves, the one that is trained.
            (several, _) if let Some(home) = the_trainers(several) => same(home.clone()),
            // A key of the whole run that was put into a table.
            ([], homes) if word.contains('_') && homes.iter().any(|home| home == word) => same(word.to_owned()),
            ([], [home]) if word.contains('_') || word.len() == 2 => same(home.clone()),
            // A key that another version has in a table of this name.
            ([], _) if let Some(home) = ending.and_then(|ending| self.at_another_time(word, &ending)) => same(home),
            _ => Meaning::Unknown,
        }
    }
}

/// The one of several keys that is the trainer's.
fn the_trainers<'p>(homes: &[&'p String]) -> Option<&'p String> {
    let mut own = homes.iter().filter(|home| home.starts_with("trainer."));
    own.next().filter(|_| own.next().is_none()).copied()
}

/// The two numbers of a list, as TOML.
fn numbers_of(value: &Value) -> Option<[String; 2]> {
    let Value::List(items) = value else { return None };
    let number = |value: &Value| match value {
        Value::Float(float) => Some(format!("{float:?}")),
        Value::Int(Integer::Small(integer)) => Some(integer.to_string()),
        _ => None,
    };
    let [one, two] = items.as_slice() else { return None };
    Some([number(&one.value)?, number(&two.value)?])
}

/// The number of the step from which a run goes on, by the path of its checkpoint or a word; -1 for the last one.
fn step_of(value: &Value) -> Option<String> {
    match value {
        Value::Bool(true) => Some("-1".to_owned()),
        Value::Int(Integer::Small(step)) => Some(step.to_string()),
        Value::Str(text) => {
            let word = text.to_ascii_lowercase();
            if matches!(&*word, "latest" | "last" | "auto" | "newest" | "true" | "-1") {
                return Some("-1".to_owned());
            }
            let last = word.trim_end_matches('/').rsplit('/').next()?;
            let digits = last.rsplit(|character: char| !character.is_ascii_digit()).next()?;
            (!digits.is_empty() && digits.len() < 10)
                .then(|| digits.trim_start_matches('0'))
                .map(|step| if step.is_empty() { "0".to_owned() } else { step.to_owned() })
        }
        _ => None,
    }
}

/// The values below a table, with their keys from the root.
fn collect<'t>(owner: &str, table: &'t Table, leaves: &mut Vec<(String, &'t Value)>) {
    for entry in table.entries() {
        if leaves.len() > MOST_SETTINGS {
            return;
        }
        let name = if entry.key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            entry.key.to_string()
        } else {
            format!("{:?}", entry.key)
        };
        let key = format!("{owner}.{name}");
        match &entry.node.value {
            Value::Table(inner) if !inner.entries().is_empty() => collect(&key, inner, leaves),
            value => leaves.push((key, value)),
        }
    }
}

/// What is different about a setting, for a list of several.
fn note_of(suggestion: &Suggestion) -> String {
    suggestion.help.split_once("; ").map(|(_, note)| format!(" ({note})")).unwrap_or_default()
}

fn reason(help: &str) -> String {
    help.strip_prefix("prime-rl has no such setting: ").unwrap_or(help).to_owned()
}

/// The number of steps of a run, if its config states it.
pub(crate) fn max_steps(root: &Table) -> Option<f64> {
    match &root.get("max_steps")?.node.value {
        Value::Int(integer @ Integer::Small(1..)) => Some(coerce::as_double(integer)),
        _ => None,
    }
}
