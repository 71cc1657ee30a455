//! Whole tables of other trainers: what each of their settings is here, and how the table is written instead.

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes, is_within};
use cfg_schema::{Kind, without_indices};

use super::{
    places::{of_training, outermost, shared, the_trainers, usual},
    unknown_key::list,
    variants::{Having, in_words},
};
use crate::{
    emit::key,
    loc::above,
    synonyms::{self, Form, Suggestion},
    vllm::{Part, Version},
    walk::Walker,
};

/// The largest number of settings of a foreign table that are looked up, and of those that the help names.
pub(super) const MAX_SETTINGS: usize = 64;
const MAX_NAMED: usize = 8;

/// The largest number of tables of a config that are compared with those of other trainers: each of their keys is looked for among all names.
const MAX_TABLES: usize = 100;

/// The largest number of settings that the help names with the tables around them, and its length up to which it has notes about them, in bytes.
const MAX_NAMED_IN_FULL: usize = 2;
const LONGEST: usize = 220;

/// The longest key, from the root, that is looked up, in bytes: each end of it is.
const LONGEST_KEY: usize = 512;

/// What a setting of a foreign table is in prime-rl.
pub(super) enum Meaning {
    /// These keys, the nearest first.
    Home(Suggestion),
    /// Nothing, for this reason.
    Nothing(String),
    /// It is not known.
    Unknown,
}

/// A setting of a foreign table that has a place here.
struct Moved {
    /// Its key, from the root.
    key: String,
    home: String,
    changes: Vec<KeyChange>,
}

impl Walker<'_> {
    /// Reports a table with settings of other trainers, and what they are here. `None` if it has none that are known.
    pub(super) fn foreign_table(&mut self, named: &str, entry: &Entry) -> Option<Diagnostic> {
        // A list of tables that only has another name moves as a whole.
        if self.foreign_tables >= MAX_TABLES || self.is_renamed_list(entry) {
            return None;
        }
        self.foreign_tables += 1;
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
        if leaves.len() > MAX_SETTINGS {
            return None;
        }
        let mut meanings: Vec<(String, &Value, Meaning)> = leaves
            .into_iter()
            .map(|(key, value)| (self.meaning(&key), key, value))
            .map(|(meaning, key, value)| (key, value, meaning))
            .collect();
        self.guess_by_siblings(&mut meanings);
        let is_known = |(_, _, meaning): &(String, &Value, Meaning)| !matches!(meaning, Meaning::Unknown);
        if !meanings.iter().any(is_known) {
            return None;
        }
        let mut tags = chosen_tags(&meanings);
        // A name that no variant has chooses none.
        tags.retain(|(table, tag)| self.variants_with(&format!("{table}.type")).is_none_or(|having| having.tags.contains(tag)));
        let (mut moved, mut dropped, mut said) = (Vec::new(), Vec::new(), Vec::new());
        // Of many keys, the table around them is named in the message alone.
        let own = self.path.key();
        let is_long = meanings.len() > MAX_NAMED_IN_FULL;
        let key_within =
            |key: &str| key.strip_prefix(&*own).filter(|_| is_long).map_or(key, |rest| rest.trim_start_matches('.')).to_owned();
        for (key, value, meaning) in &meanings {
            match meaning {
                Meaning::Home(suggestion) => {
                    let Some(home) = suggestion.homes.first() else { continue };
                    let home = &self.of_item(home).unwrap_or_else(|| home.clone());
                    if let Some((table, tag)) = self.other_tag(home, &tags) {
                        said.push((format!("`{table}` with \"{tag}\" has no key `{}`", key_within(key)), String::new()));
                        dropped.push(key.clone());
                        continue;
                    }
                    said.push((format!("`{}` is `{home}`", key_within(key)), note_of(suggestion)));
                    let change = match (suggestion.form, self.placed(home)) {
                        (Some(Form::Same), Some(home)) => Some(self.carried(key, &self.choosing(&home, value), value)),
                        (Some(form), Some(home)) => self.written(key, &home, form, value).map(|proposal| proposal.changes),
                        // The names of what a list is about.
                        (None, Some(home)) if self.is_list(&home) => self
                            .as_items(key, &home, value)
                            .map(|proposal| proposal.changes)
                            .or_else(|| self.moved_list(key, &home, value)),
                        _ => None,
                    };
                    let writes =
                        |changes: &Vec<KeyChange>| changes.iter().any(|change| !matches!(change, KeyChange::Remove { .. }));
                    match change.filter(writes) {
                        Some(changes) => moved.push(Moved { key: key.clone(), home: home.clone(), changes }),
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
        self.meant.extend(moved.iter().map(|moved| moved.home.clone()));
        let more = said.len().saturating_sub(MAX_NAMED);
        said.truncate(MAX_NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        // The notes are left out if the list would be cut.
        let length: usize = said.iter().map(|(text, note)| text.len() + note.len() + 2).sum();
        let said: Vec<String> = said.into_iter().map(|(text, note)| if length > LONGEST { text } else { text + &note }).collect();
        let message = format!("{named} has no table `{}`", entry.key);
        let is_of_run = owner.is_empty() && matches!(&*entry.key, "trainer" | "orchestrator" | "inference");
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message)
            .label(if is_of_run { "a table of an rl config" } else { "another trainer's settings" })
            .help(format!("in prime-rl {}{more}", said.join("; ")))
            .choices(moved.iter().map(|moved| &*moved.home));
        let key = self.path.key();
        if moved.is_empty() {
            // What has a place, but in another form, is not lost: the author has to write it there.
            let is_left = |meaning: &Meaning| matches!(meaning, Meaning::Home(found) if found.form != Some(Form::Dropped));
            if meanings.iter().any(|(_, _, meaning)| is_left(meaning)) {
                let help = format!("{}; write it there, or remove the table", diagnostic.help.as_deref().unwrap_or_default());
                return Some(diagnostic.help(help));
            }
            return Some(diagnostic.propose(Proposal::remove(&key, "")));
        }
        Some(self.instead(&key, &moved, &dropped).into_iter().fold(diagnostic, Diagnostic::propose))
    }

    /// What another trainer's word for the key at this place means.
    pub(super) fn word_for(&self, entry: &Entry) -> Option<Suggestion> {
        synonyms::suggestion(self.names, above(&self.path.schema_path()), &entry.key)
    }

    /// Whether an array of tables has the name that others have for a list of tables.
    fn is_renamed_list(&self, entry: &Entry) -> bool {
        let Value::List(items) = &entry.node.value else { return false };
        let homes = || self.word_for(entry).map(|found| found.homes).unwrap_or_default();
        let has_tables = !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some());
        has_tables && homes().first().is_some_and(|home| self.placed(home).is_some_and(|home| self.is_list(&home)))
    }

    /// The ways to write a foreign table: with each setting at its place; with the variants that have these; and without what needs settings that are not
    /// there, such as the environments of an evaluation.
    fn instead(&self, key: &str, moved: &[Moved], dropped: &[String]) -> Vec<Proposal> {
        let choices: Vec<KeyChange> = {
            // What the table itself chooses comes first.
            let is_written =
                |choice: &KeyChange| matches!(choice, KeyChange::Set { key, .. } if moved.iter().any(|moved| moved.home == *key));
            let all = moved.iter().filter_map(|moved| self.choosing_variant(&moved.home)).flatten();
            let mut choices: Vec<KeyChange> = Vec::new();
            all.filter(|choice| !is_written(choice)).for_each(|choice| {
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            });
            choices
        };
        let is_of_evaluation = |moved: &&Moved| moved.home.contains("eval.");
        let has_evaluation = moved.iter().any(|moved| is_of_evaluation(&moved));
        let mut proposals = Vec::new();
        // What only says how often to evaluate says nothing if there is nothing to evaluate in.
        for without_evaluation in if self.run.has_evaluations { [false, true] } else { [true, false] } {
            for with_choices in [false, true] {
                if without_evaluation && !has_evaluation || with_choices && choices.is_empty() {
                    continue;
                }
                let (left, kept): (Vec<&Moved>, Vec<&Moved>) =
                    moved.iter().partition(|moved| without_evaluation && is_of_evaluation(moved));
                // A table that is on where it is written is there with its keys.
                let has_keys = |home: &str| kept.iter().any(|moved| moved.home != home && is_within(&moved.home, home));
                let is_needless =
                    |change: &KeyChange| matches!(change, KeyChange::Set { key, value } if value == "{}" && has_keys(key));
                let changes = kept.iter().flat_map(|moved| moved.changes.clone());
                let mut changes: Vec<KeyChange> = changes.filter(|change| !is_needless(change)).collect();
                let mut said =
                    format!("write {} instead", list(&kept.iter().map(|moved| moved.home.clone()).collect::<Vec<_>>()));
                if with_choices {
                    changes.extend(choices.iter().cloned());
                    let set: Vec<String> = choices.iter().filter_map(in_words).collect();
                    said = format!("{said}, set {}", set.join(" and "));
                }
                changes.push(KeyChange::Remove { key: key.to_owned() });
                let dropped: Vec<String> = dropped.iter().cloned().chain(left.iter().map(|moved| moved.key.clone())).collect();
                let left = if dropped.is_empty() { String::new() } else { format!(", and leave out {}", list(&dropped)) };
                if !kept.is_empty() {
                    proposals.push(Proposal::possible(format!("{said}{left}"), changes).loses(dropped, ""));
                }
            }
        }
        proposals
    }

    /// The table and the tag that the settings of a foreign table choose, if the variant with this tag does not have the key `home`.
    fn other_tag<'t>(&self, home: &str, tags: &'t [(String, String)]) -> Option<(&'t str, &'t str)> {
        let Having { table, tags: having } = self.variants_with(home)?;
        let (table, tag) = tags.iter().find(|(chosen, _)| *chosen == table)?;
        (!having.contains(tag)).then_some((table, tag))
    }

    /// What a setting of a foreign table is, by its key from the root; with one typing error, or in other words, too.
    pub(super) fn meaning(&self, key: &str) -> Meaning {
        let found = match (self.meaning_as_written(key), key.rsplit_once('.')) {
            (Meaning::Unknown, Some((table, word))) => {
                let name = self.names.without_slip(word).or_else(|| self.names.in_other_words(word));
                name.map_or(Meaning::Unknown, |name| self.meaning_as_written(&format!("{table}.{name}")))
            }
            (found, _) => found,
        };
        match found {
            Meaning::Home(suggestion) if key.split('.').rev().skip(1).any(synonyms::is_of_evaluations) => {
                self.for_evaluations(suggestion)
            }
            found => found,
        }
    }

    /// A setting of a table about evaluations: what is trained has one of its own.
    fn for_evaluations(&self, mut suggestion: Suggestion) -> Meaning {
        let is_there = |home: &String| home.split('.').any(|step| matches!(step, "eval" | "val"));
        let last = suggestion.homes.first().and_then(|home| home.rsplit('.').next()).unwrap_or_default().to_owned();
        suggestion.homes.retain(is_there);
        if suggestion.homes.is_empty() {
            suggestion.homes.extend(self.names.paths(&last).iter().find(|home| is_there(home)).cloned());
        }
        if suggestion.homes.is_empty() { Meaning::Unknown } else { Meaning::Home(suggestion) }
    }

    fn meaning_as_written(&self, key: &str) -> Meaning {
        if key.len() > LONGEST_KEY {
            return Meaning::Unknown;
        }
        let plain = without_indices(key);
        let steps: Vec<&str> = plain.split('.').collect();
        let Some((&word, _)) = steps.split_last() else { return Meaning::Unknown };
        let tables = |count: usize| steps[..count].join(".");
        let same = |home: String| Meaning::Home(Suggestion::same(home));
        // The file of a component is its table in an rl config.
        if let Some(rest) = plain.strip_prefix(self.schema.kind.name()).and_then(|rest| rest.strip_prefix('.')) {
            let now =
                if self.names.paths(word).iter().any(|home| home == rest) { Some(rest.to_owned()) } else { self.now_of(rest) };
            if let Some(home) = now {
                return same(home);
            }
        }
        // What has a switch for the table as a whole: `[token_export] enabled` is `enable_token_export`.
        if let ("enabled" | "enable", Some(table)) = (word, steps.iter().rev().nth(1))
            && let [home] = self.names.paths(&format!("enable_{table}"))
        {
            return same(home.clone());
        }
        let own = synonyms::setting_in(self.schema.kind, &tables(steps.len() - 1), word);
        // A key of prime-rl by its own name, which only one table has.
        let is_own_name = word.contains('_') && matches!(usual(self.names.paths(word)).as_slice(), [_]);
        // A table of something that prime-rl does not have, unless the data names this very key of it.
        for count in (1..steps.len()).filter(|_| !is_own_name && own.is_none_or(|(_, steps)| steps < 2)) {
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
        // A table under another name, with keys that have the same names.
        for count in (1..steps.len()).rev() {
            let setting = synonyms::setting(&tables(count - 1), steps[count - 1]);
            let suggestion = setting.and_then(|(setting, _)| synonyms::of_setting(self.names, "", setting));
            let homes = suggestion
                .into_iter()
                .filter(|suggestion| matches!(suggestion.form, Some(Form::Same | Form::Table)))
                .flat_map(|suggestion| suggestion.homes);
            // What names the data set is a key of the table that is about it.
            let around = |home: String| {
                let table = home.rsplit_once('.').map(|(table, _)| table.to_owned()).filter(|_| !self.is_table(&home));
                std::iter::once(home).chain(table)
            };
            let mut below = homes.flat_map(around).map(|home| format!("{home}.{}", steps[count..].join(".")));
            let now = |home: String| if self.names.paths(word).contains(&home) { Some(home) } else { self.now_of(&home) };
            if let Some(home) = below.find_map(now) {
                return same(home);
            }
        }
        // A key of prime-rl in a table of the same name, or in one table alone.
        let homes: Vec<String> = of_training(&steps, usual(self.names.paths(word))).into_iter().cloned().collect();
        let homes = homes.as_slice();
        let ending = steps.len().checked_sub(2).map(|start| format!(".{}", steps[start..].join(".")));
        let beside: Vec<&String> =
            homes.iter().filter(|home| ending.as_ref().is_some_and(|ending| format!(".{home}").ends_with(&**ending))).collect();
        match (beside.as_slice(), homes) {
            ([home], _) => same((*home).clone()),
            // What a key at the top shares with all components.
            (several, _) if let Some(home) = shared(several) => same(home.clone()),
            // Of the model's halves, the one that is trained.
            (several, _) if let Some(home) = the_trainers(several) => same(home.clone()),
            // A key of the whole run that was put into a table.
            ([], homes) if word.contains('_') && homes.iter().any(|home| home == word) => same(word.to_owned()),
            // What all components take from the top.
            ([], homes)
                if word.contains('_')
                    && let Some(home) = shared(&homes.iter().collect::<Vec<_>>()) =>
            {
                same(home.clone())
            }
            // A key that another version has in a table of this name.
            ([], _) if let Some(home) = ending.and_then(|ending| self.at_another_time(word, &ending)) => same(home),
            // A long word has no other meaning.
            ([], [home]) if word.contains('_') || word.len() == 2 || word.len() > 8 => same(home.clone()),
            // What a table has for all tables within it.
            ([], several)
                if word.contains('_')
                    && let Some(home) = outermost(several) =>
            {
                same(home.clone())
            }
            // The model as a whole, which is a table.
            ([], _) if word == "model" && self.is_table("model") => same(word.to_owned()),
            _ => self.argument_of_vllm(word).or_else(|| self.joined_name(&steps)).map_or(Meaning::Unknown, same),
        }
    }

    /// The key whose name is that of a table and of what is in it: `[output] dir` is `output_dir`.
    fn joined_name(&self, steps: &[&str]) -> Option<String> {
        let [.., table, word] = steps else { return None };
        let joined = format!("{table}_{word}");
        let name =
            Some(&*joined).filter(|name| !self.names.paths(name).is_empty()).or_else(|| self.names.in_other_words(&joined))?;
        let homes = of_training(steps, usual(self.names.paths(name)));
        match homes.as_slice() {
            [home] => Some((*home).clone()),
            // A key of the whole run.
            several => {
                several.iter().find(|home| ***home == *name).map(|home| (**home).clone()).or_else(|| shared(several).cloned())
            }
        }
    }

    /// The place of an argument of vLLM's server in a config that starts one, if only the server has such a setting.
    fn argument_of_vllm(&self, word: &str) -> Option<String> {
        let version = Version::at(self.schema.history, self.schema.point)?;
        let is_only_there = word.contains('_') && version.has(Part::Server, word) && !version.has(Part::Request, word);
        let owner = if self.schema.kind == Kind::Rl { "inference" } else { "" };
        let place = is_only_there.then(|| self.settings_of_vllm(owner, word)).flatten()?;
        place.homes.into_iter().next()
    }
}

/// The tags that settings of a foreign table choose, with the paths of the tables that have them.
fn chosen_tags(meanings: &[(String, &Value, Meaning)]) -> Vec<(String, String)> {
    let tag = |(_, value, meaning): &(String, &Value, Meaning)| {
        let Meaning::Home(Suggestion { homes, form: Some(Form::Same), .. }) = meaning else { return None };
        let table = homes.first()?.strip_suffix(".type")?;
        let text = value.as_str()?;
        Some((table.to_owned(), synonyms::choice(table, "type", text).unwrap_or(text).to_owned()))
    };
    meanings.iter().filter_map(tag).collect()
}

/// The values below a table, with their keys from the root.
pub(super) fn collect<'t>(owner: &str, table: &'t Table, leaves: &mut Vec<(String, &'t Value)>) {
    for entry in table.entries() {
        if leaves.len() > MAX_SETTINGS {
            return;
        }
        let name = if entry.key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            entry.key.to_string()
        } else {
            key(&entry.key)
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
