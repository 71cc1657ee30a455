//! Keys that a table does not know: misspelt, moved, not yet added, or written in the wrong table.

use cfg_compose::{Entry, Value};
use cfg_diag::{Applicability, Diagnostic, Fix, KeyChange, Proposal, codes, in_a_row, is_within};
use cfg_meter::{charge_each, is_spent};
use cfg_schema::{
    Interval, Node, Point, TypeKind, find_fields, former,
    moved::{Moved, when},
    without_indices,
};

use super::{
    elsewhere::MAX_HOMES, foreign_table::MAX_SETTINGS, nameless::without_id, other_words::beside, value::is_of_new_kind,
};
use crate::{
    ResolvedTable, before,
    loc::{LocSegment, above, below},
    suggest::{alike, nearest, respelt},
    synonyms,
    synonyms::{Form, Suggestion},
    walk::Walker,
};

/// After this many findings there are no more suggestions: the file is of another kind, or damaged.
const MAX_EXPLAINED: usize = 1000;

/// The text of the message for a key of a variant that is not selected, or not the default one if none is selected.
pub const OTHER_VARIANT: &str = "belongs to another variant";

impl Walker<'_> {
    /// A key that `table` refuses; `resolved` is what it has else, if that is known.
    pub(crate) fn unknown(&mut self, table: Node, entry: &Entry, resolved: Option<&ResolvedTable>) {
        // A key that is still being typed has been reported by the parser.
        let is_half_typed =
            matches!(entry.node.value, Value::Unknown) && entry.node.origin.place().is_some_and(|place| place.span.is_empty());
        if is_half_typed || is_spent() {
            return;
        }
        let owner = self.path.key();
        self.path.push(LocSegment::key(entry));
        let mut diagnostic = self.explain(table, &owner, entry).native("extra_forbidden", self.path.loc()).key(self.path.key());
        diagnostic.location = entry.key_origin.place();
        if *entry.key == *"id" && entry.node.value.as_str().is_some_and(is_of_new_kind) {
            self.tasksets.insert(self.path.key());
        }
        // What nothing else is said of can go.
        let is_empty = matches!(&entry.node.value, Value::Table(table) if table.entries().is_empty());
        let is_unsaid = diagnostic.choices.is_empty() || is_empty;
        if diagnostic.proposals.is_empty() && diagnostic.fix.is_none() && is_unsaid && self.explains {
            let key = self.path.key();
            diagnostic.proposals.push(Proposal::remove(&key, ""));
        }
        if self.explains && resolved.is_some_and(|resolved| self.is_unnamed(resolved)) {
            diagnostic = without_id(diagnostic, entry);
        }
        let meant = (self.diagnostics.len() <= MAX_EXPLAINED && self.explains).then(|| self.meant_key(entry)).flatten();
        // A list that is written under another name is there.
        let list = || diagnostic.choices.first().filter(|home| !home.contains('[') && self.is_list(home)).cloned();
        self.meant.extend(meant.or_else(list));
        self.path.pop();
        self.note_wordless(&entry.node.value, entry.key_origin.place());
        self.push(diagnostic);
    }

    /// A key that `table` drops silently.
    pub(crate) fn ignored(&mut self, table: Node, entry: &Entry) {
        // A key that the loader added is not the user's mistake.
        let Some(location) = entry.key_origin.place().filter(|_| !is_spent()) else { return };
        let owner = self.path.key();
        self.path.push(LocSegment::key(entry));
        let why = self.explain(table, &owner, entry);
        let named = if owner.is_empty() { "this config".to_owned() } else { format!("`{owner}`") };
        let message = format!("prime-rl silently ignores `{}`: {named} has no such key", entry.key);
        let mut diagnostic =
            Diagnostic::new(&codes::IGNORED_KEY, message).at(location).key(self.path.key()).label("has no effect");
        diagnostic.help = why.help.or(Some("remove it, or correct its name".to_owned()));
        // Since the run starts with the key ignored, renaming it changes what is trained.
        diagnostic.fix = why.fix.map(|fix| Fix { applicability: Applicability::Unsafe, ..fix });
        let possible = |proposal| Proposal { applicability: Applicability::Unsafe, ..proposal };
        diagnostic.proposals = why.proposals.into_iter().map(possible).collect();
        diagnostic.choices = why.choices;
        self.path.pop();
        self.push(diagnostic);
    }

    pub(super) fn explain(&mut self, table: Node, owner: &str, entry: &Entry) -> Diagnostic {
        let key = &*entry.key;
        if self.diagnostics.len() > MAX_EXPLAINED || !self.explains {
            return Diagnostic::new(&codes::UNKNOWN_KEY, format!("unknown key `{key}`"));
        }
        let point = self.schema.point;
        // Several times, each name is compared with what is written.
        if charge_each(table.fields(point).count().saturating_mul(8)).is_err() {
            return Diagnostic::new(&codes::UNKNOWN_KEY, format!("unknown key `{key}`"));
        }
        let named = if owner.is_empty() { format!("{} config", self.schema.kind.with_article()) } else { format!("`{owner}`") };
        if let Some(diagnostic) = self.of_its_table(table, &named, owner, entry) {
            return diagnostic;
        }
        if let Some(diagnostic) = self.other_time(table, &named, entry).or_else(|| self.variables(&named, owner, entry)) {
            return diagnostic;
        }
        if let Some(diagnostic) = self.dotted(&named, owner, key).or_else(|| self.dotted_word(&named, owner, entry)) {
            return diagnostic;
        }
        let as_flag = self.flags(table, &named, owner, entry);
        if let Some(diagnostic) = as_flag.or_else(|| self.contrary(table, &named, owner, entry)) {
            return diagnostic;
        }
        if let Some(diagnostic) = self.as_spelt(table, owner, entry) {
            return diagnostic;
        }
        if let Some(place) = self.of_other_self(owner, key) {
            let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key");
            return self.belongs_elsewhere(diagnostic, place);
        }
        if let Some(diagnostic) = self.other_table(table, owner, &named, entry) {
            return diagnostic;
        }
        // A misspelt table of prime-rl has keys that its right name has.
        let fields = || table.fields(point).filter_map(|(field, _)| field.field_name());
        let near = || alike(key, fields()).or_else(|| nearest(key, fields()));
        let is_misspelt = has_keys(&entry.node.value)
            && near().is_some_and(|near| {
                let plain = self.path.schema_path().replace("[]", "");
                self.takes(&plain.replace(key, near), entry)
            });
        let suggestion = self.suggestion(table, owner, entry);
        let renamed = suggestion.as_ref().filter(|found| found.form == Some(Form::Same));
        // What takes any keys does so, and what belongs into an entry of a list is as its author means it.
        let takes = |home: &String| self.takes_all(home, entry) || self.takes_any(home) || self.placed(home).is_none();
        let is_renamed = renamed.and_then(|found| found.homes.first()).is_some_and(takes);
        let may_be_named = suggestion.is_none() && !is_misspelt;
        if let Some(diagnostic) = self.misnamed_table(table, (owner, &named), entry, may_be_named) {
            return diagnostic;
        }
        if !(is_misspelt || is_renamed)
            && let Some(diagnostic) = self.foreign_table(&named, entry)
        {
            let own: Vec<&str> = table.fields(point).filter_map(|(field, _)| field.field_name()).collect();
            return match self.swallowed(&own, entry) {
                Some(help) if diagnostic.choices.iter().all(|home| own.contains(&&**home)) => diagnostic.help(help),
                _ => diagnostic,
            };
        }
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key");
        if owner.is_empty() && key == "config" {
            return diagnostic
                .help("prime-rl refuses a `[config]` table; put metadata in a comment block that starts with `# /// config`");
        }
        if let Some(proposal) = self.address_of_client(owner, key) {
            return diagnostic.help(proposal.help.clone().unwrap_or_default()).propose(proposal);
        }
        // The same words for a key beside it say more than a word that is not bound to this table.
        let is_bound = synonyms::setting_in(self.schema.kind, &without_indices(owner), key).is_some_and(|(_, steps)| steps > 1);
        let own_key = || {
            let fields: Vec<&'static str> = fields().collect();
            beside(owner, entry, &fields, &fields).filter(|_| !is_bound)
        };
        let is_elsewhere = |home: &String, name: &str| {
            let own = below(owner, name);
            !is_within(&without_indices(home), &without_indices(&own))
        };
        let other_home = suggestion.as_ref().filter(|found| found.rename.is_none()).and_then(|found| found.homes.first());
        if let Some(name) = other_home.and_then(|home| own_key().filter(|name| is_elsewhere(home, name))) {
            return self.named(owner, diagnostic, entry, name, Applicability::Unsafe);
        }
        let joined = || synonyms::joined(self.names, owner, key).filter(|found| !found.homes.is_empty() && own_key().is_none());
        if let Some(suggestion) = suggestion.or_else(joined) {
            let diagnostic = diagnostic.help(suggestion.help.clone());
            let diagnostic = self.propose_synonym(diagnostic, &suggestion, entry);
            let is_key_within = |name: &String| {
                let home = below(owner, name);
                self.choosing(&without_indices(&home), &entry.node.value) != without_indices(&home)
            };
            return match suggestion.rename.filter(|name| !is_key_within(name)) {
                Some(name) => with_name(diagnostic, entry, &name, Applicability::Unsafe),
                None => diagnostic,
            };
        }
        self.in_other_words((table, owner, &named), diagnostic, entry)
    }

    /// Reports a key by the name that it spells in another way: `batch-size`, `batchSize`.
    fn as_spelt(&mut self, table: Node, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let (key, point) = (&*entry.key, self.schema.point);
        let spelt = respelt(key).filter(|spelt| {
            !table.children().any(|field| field.field_name() == Some(spelt))
                && table.field_for_key(spelt, point).is_none()
                && !spelt.contains('.')
        })?;
        let written = entry.written.clone().or_else(|| Some(entry.key.clone()));
        let respelt = Entry { key: spelt.clone().into(), written, ..entry.clone() };
        // Its place in the schema is that of the name which it spells.
        let own = self.path.pop();
        self.path.push(LocSegment::key(&respelt));
        let diagnostic = self.explain(table, owner, &respelt);
        self.path.pop();
        self.path.extend(own);
        Some(Diagnostic { message: diagnostic.message.replacen(&*spelt, key, 1), ..diagnostic })
    }

    /// Reports a key about what its table is: its tag under another name, or a key or a table of another variant.
    fn of_its_table(&self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let by_tag = self.renamed_tag(table, named, owner, entry).or_else(|| self.other_variant(table, named, entry));
        by_tag.or_else(|| self.variant_within(table, named, owner, entry))
    }

    /// What an unknown key is by another trainer's word for it. A table that only has another name is renamed.
    fn suggestion(&self, table: Node, owner: &str, entry: &Entry) -> Option<Suggestion> {
        let found = self.name_of_item(table, owner, entry).or_else(|| synonyms::suggestion(self.names, owner, &entry.key));
        let found = self.with_table(found.or_else(|| self.bound_within(table, owner, &entry.key))?, entry);
        // What is one value is not meant by a table of several.
        let may_take = |home: &String| self.may_take("", home, &entry.node.value);
        let is_possible = found.form != Some(Form::Same) || found.homes.is_empty() || found.homes.iter().any(may_take);
        is_possible.then_some(found)
    }

    /// Reports a key that this table has at another version.
    fn other_time(&mut self, table: Node, named: &str, entry: &Entry) -> Option<Diagnostic> {
        let point = self.schema.point;
        let field = table.field(&entry.key);
        let own = field.into_iter().flat_map(Node::intervals);
        let as_alias = table.aliased().flat_map(Node::intervals).filter(|interval| interval.is_alias(&entry.key));
        let reads = before::old_places(table).iter().filter(|(keys, _)| keys.contains(&&*entry.key));
        let by_validator = reads.map(|(_, interval)| *interval);
        let ended = own.chain(as_alias).chain(by_validator).filter_map(Interval::until).filter(|&until| until <= point).max();
        let moved = self.moved(entry);
        let later = field.into_iter().flat_map(Node::intervals).filter(|interval| interval.since() > point);
        let added = later.min_by_key(|interval| interval.since());
        // Of a name that goes and comes back, the other keys of the config say which is meant.
        let told = |code| self.diagnostics.iter().filter(|found| found.code == code).count();
        let is_of_later = added.is_some() && told(&codes::FUTURE_KEY) > told(&codes::REMOVED_KEY);
        if !is_of_later && (ended.is_some() || moved.is_some()) {
            // A table that is gone says what its keys are only if it ever had them.
            let foreign = if self.has_no_known_key(entry) { self.foreign_table(named, entry) } else { None };
            return foreign.or_else(|| Some(self.removed(entry, ended, moved)));
        }
        let added = added?;
        // A bare value is not the table that a later version has.
        let is_later = !matches!(added.field_type().kind(), TypeKind::Table(_) | TypeKind::Union) || has_keys(&entry.node.value);
        if let Some(diagnostic) = if is_later { None } else { self.beside_of_table(table, entry) } {
            return Some(diagnostic);
        }
        Some(self.future(entry, added.since()))
    }

    /// Whether a table is written with values of which no version of it has any, and has no other name as a whole.
    fn has_no_known_key(&self, entry: &Entry) -> bool {
        let keys = entry.node.value.as_table().map_or(&[][..], cfg_compose::Table::entries);
        if keys.is_empty() || keys.iter().any(|inner| has_keys(&inner.node.value)) || self.word_for(entry).is_some() {
            return false;
        }
        let path = self.path.schema_path();
        let find = |path: &str| find_fields(self.schema.history, self.schema.kind, path);
        // A table that takes any key has all of them.
        let is_free = |interval: Interval| interval.field_type().kind() == TypeKind::Dict;
        if find(&path).iter().any(|found| found.node.intervals().any(is_free)) {
            return false;
        }
        let is_known = |key: &str| !find(&format!("{path}.{key}")).is_empty();
        !keys.iter().take(MAX_SETTINGS).any(|inner| is_known(&inner.key))
    }

    /// The path of the key that an unknown one is at this version. Without a replacement, or with another meaning, there is none.
    fn meant_key(&self, entry: &Entry) -> Option<String> {
        let moved = self.moved(entry).filter(|moved| !moved.is_dropped).and_then(|moved| moved.to);
        let former = || former(self.schema.history, self.schema.kind, &self.path.schema_path(), self.schema.point);
        moved.or_else(|| former().map(|former| former.path))
    }

    /// The new place of the key; for a table that contains a single key, the new place of that key.
    fn moved(&self, entry: &Entry) -> Option<Moved> {
        let path = self.path.schema_path();
        let inner = entry.node.value.as_table().map(cfg_compose::Table::entries).unwrap_or_default();
        let tag = if *entry.key == *"type" { Some(entry) } else { inner.iter().find(|inner| *inner.key == *"type") };
        let tag = tag.and_then(|tag| tag.node.value.as_str());
        let find = |path: &str| Moved::find(self.schema.history, self.schema.kind, path, tag, self.schema.point);
        let moved = find(&path);
        let inner = match inner {
            [only] if moved.as_ref().is_none_or(|moved| moved.to.is_none()) => find(&format!("{path}.{}", only.key)),
            _ => None,
        };
        inner.filter(|inner| inner.to.is_some()).or(moved)
    }

    fn removed(&self, entry: &Entry, ended: Option<Point>, moved: Option<Moved>) -> Diagnostic {
        let key = self.path.key();
        // What became nothing may have a counterpart all the same.
        let counterpart = || {
            let owner = above(&key);
            synonyms::suggestion(self.names, owner, &entry.key).filter(|found| !found.homes.is_empty())
        };
        // A key whose value means something else at its new place may have had the form of another trainer's before.
        let is_same_home = |found: &Suggestion| {
            found.form == Some(Form::Same)
                && moved.as_ref().and_then(|moved| moved.to.as_ref()).is_some_and(|to| found.homes.contains(to))
        };
        let is_number = matches!(entry.node.value, Value::Int(_) | Value::Float(_));
        let counterpart = match &moved {
            Some(moved) if moved.to.is_some() && moved.is_same() => None,
            Some(moved) if moved.to.is_some() => counterpart().filter(|found| is_number && is_same_home(found)),
            _ => counterpart(),
        };
        let since = match (ended, &moved) {
            (Some(point), _) => when(self.schema.history, point),
            (None, Some(moved)) => moved.when(self.schema.history),
            (None, None) => String::new(),
        };
        let diagnostic = Diagnostic::new(&codes::REMOVED_KEY, format!("`{key}` was removed {since}")).label("removed");
        if let Some(found) = counterpart {
            return self.propose_synonym(diagnostic.help(&*found.help), &found, entry);
        }
        let Some(moved) = moved else {
            let homes = self.names.paths(&entry.key);
            return diagnostic.help(match homes {
                [] => "remove it: the target has no such key".to_owned(),
                few if few.len() <= MAX_HOMES => format!("the target has {}", list(few)),
                _ => "remove it".to_owned(),
            });
        };
        let note = moved.note.map(str::to_owned);
        let help: Vec<String> = if moved.is_dropped {
            // If prime-rl drops the key anyway, a similar key is not a reason to keep it.
            note.into_iter().chain(moved.to.as_ref().map(|to| format!("The closest is `{to}`"))).collect()
        } else {
            moved.to.as_ref().map(|to| format!("write `{to}` instead")).into_iter().chain(note).collect()
        };
        let mut diagnostic = if help.is_empty() { diagnostic } else { diagnostic.help(join(&help)) };
        let to = moved.to.as_deref().filter(|_| !moved.is_dropped);
        diagnostic = diagnostic.choices(to.and_then(|to| self.placed(to)).as_deref());
        let listed = || self.listed(&key, entry, to?);
        // One table that has become a list.
        let as_item = || {
            let home = self.placed(to?).filter(|home| self.is_list(home) && entry.node.value.as_table().is_some())?;
            let tagged = || self.as_tagged_items(&key, &home, entry.node.value.as_table()?);
            self.as_items(&key, &home, &entry.node.value).or_else(tagged)
        };
        // Names of what has a table each there, even if they may be other names.
        let as_names = || {
            let (list, "id" | "taskset.id" | "legacy.id") = moved.to.as_deref()?.split_once("[].")? else { return None };
            let items = self.as_items(&key, &self.placed(list)?, &entry.node.value)?;
            Some(items.help(diagnostic.help.clone().unwrap_or_default()))
        };
        let client = key.rsplit_once('.').and_then(|(owner, name)| self.address_of_client(owner, name));
        let is_address = client.is_some();
        let value = client
            .or_else(|| self.address(&key, entry))
            .or_else(|| self.named_by_text(&key, entry))
            .or_else(listed)
            .or_else(as_item)
            .or_else(as_names)
            .or_else(|| Self::chosen_by_type(&key, entry, to?));
        if let Some(proposal) = value {
            diagnostic.help = proposal.help.clone().or(diagnostic.help);
            diagnostic = diagnostic.propose(proposal);
        }
        // Items of a list that moves name what they are about in another way there.
        if let Some(home) = to.and_then(|to| self.placed(to)).filter(|home| self.is_list(home)) {
            let mut changes = self.named_items(&home, &entry.node.value);
            if !changes.is_empty() {
                changes.insert(0, KeyChange::Move { from: key.clone(), to: home.clone() });
                diagnostic = diagnostic.propose(Proposal { changes, ..Proposal::relocate(&key, &home) });
            }
        }
        // As a whole, if its keys or its value mean the same there.
        if let Some(home) =
            to.and_then(|to| self.placed(to)).filter(|_| !is_address && (moved.is_same() || has_keys(&entry.node.value)))
        {
            diagnostic = diagnostic.propose(Proposal::relocate(&key, &home));
        }
        // What only resembles it is not what was meant, if its values mean something else.
        if moved.is_dropped || moved.to.is_some() && !moved.is_same() && !has_keys(&entry.node.value) {
            diagnostic = diagnostic.propose(Proposal::remove(&key, ""));
        }
        // The keys of a table may have moved to other places than the table itself.
        let is_plain = !has_keys(&entry.node.value) && !is_address;
        match moved.new_name(&key).filter(|_| is_plain) {
            Some(name) => with_name(diagnostic, entry, name, Applicability::Safe),
            None => diagnostic,
        }
    }
}

/// Adds the fix that renames a key in its place.
pub(super) fn with_name(diagnostic: Diagnostic, entry: &Entry, suggestion: &str, applicability: Applicability) -> Diagnostic {
    let mut diagnostic = diagnostic;
    if let Some(location) = entry.key_origin.place() {
        diagnostic.fix = Some(Fix::rename(suggestion, applicability, location));
    }
    diagnostic
}

/// Whether a value contains keys.
fn has_keys(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::List(items) => items.iter().any(|item| has_keys(&item.value)),
        _ => false,
    }
}

/// Joins sentences with full stops.
fn join(sentences: &[String]) -> String {
    let stripped: Vec<&str> = sentences.iter().map(|sentence| sentence.trim_end_matches('.')).collect();
    stripped.join(". ")
}

pub(super) fn list(paths: &[String]) -> String {
    in_a_row(&paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use cfg_diag::codes;
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// The key at the end of a text, and where its help says that it belongs.
    fn home(target: &str, kind: Kind, text: &str) -> Option<String> {
        let found = found_in(kind, target, text);
        let found = found.into_iter().find(|found| found.code == &codes::MISPLACED_KEY)?;
        found.help?.split('`').nth(1).map(str::to_owned)
    }

    #[test]
    fn a_key_of_a_table_around_or_beside_it_is_named() {
        for (target, kind, text, expected) in [
            ("main", Kind::Rl, "[orchestrator.train]\ngroup_size = 8\n", Some("orchestrator.group_size")),
            ("0.6.0", Kind::Rl, "[orchestrator.train]\ngroup_size = 8\n", Some("orchestrator.group_size")),
            ("0.8.0", Kind::Orchestrator, "[train]\nbatch_size = 8\n", Some("batch_size")),
            ("0.8.0", Kind::Rl, "[deployment]\nmax_steps = 8\n", Some("max_steps")),
            ("0.8.0", Kind::Rl, "[trainer.model]\nlr = 1.0\n", Some("trainer.optim.lr")),
            ("0.8.0", Kind::Rl, "[trainer.scheduler]\nlr = 1.0\n", Some("trainer.optim.lr")),
            // Only one table has it.
            ("0.8.0", Kind::Rl, "attn = \"sdpa\"\n", Some("trainer.model.attn")),
            ("0.8.0", Kind::Rl, "[trainer]\ndtype = \"x\"\n", None),
            // The server of a fine-tuning is for its evaluations.
            ("main", Kind::Sft, "[model]\ndtype = \"bfloat16\"\n", None),
            // In many tables.
            ("0.8.0", Kind::Rl, "[orchestrator.ckpt]\nid = \"x\"\n", None),
        ] {
            assert_eq!(home(target, kind, text).as_deref(), expected, "{text}");
        }
    }
}
