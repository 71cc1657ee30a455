//! Unknown keys that say the same as a key beside them, or less than a key elsewhere.

use cfg_compose::{Entry, Integer, Value};
use cfg_diag::{Applicability, Diagnostic, Proposal, codes};
use cfg_schema::{FieldType, Node, TypeKind, moved::Moved, without_indices};

use super::{
    describe::known_keys,
    elsewhere::Place,
    places::{of_training, usual},
    unknown_key::{list, with_name},
    value::{is_nothing, is_off, is_on},
};
use crate::{
    loc::{above, below},
    suggest::{Meant, alike, nearest, with_its_words},
    walk::Walker,
};

/// The key of the table `owner` that says the same as an unknown one in other words: without the name of the table, too, and with a word of what it
/// counts. `fields` are the keys that the table reads, `own` those of them that are not former names.
pub(super) fn beside(owner: &str, entry: &Entry, fields: &[&'static str], own: &[&'static str]) -> Option<&'static str> {
    let (key, path) = (&*entry.key, without_indices(owner));
    let table = path.rsplit('.').next().unwrap_or_default();
    let names = Meant::of(fields.iter().copied());
    // A switch switches something on, a number is the most of something.
    let left_out = if matches!(entry.node.value, Value::Bool(_)) { "enable" } else { "max" };
    let longer = || {
        let mut longer = own.iter().copied().filter(|field| field.strip_prefix(key).is_some_and(|rest| rest.starts_with('_')));
        longer.next().filter(|_| key.len() > 3 && longer.next().is_none())
    };
    names.alike(key).or_else(|| names.alike_within(table, key)).or_else(|| names.alike_without(left_out, key)).or_else(longer)
}

impl Walker<'_> {
    /// Reports a key that says the same as another one of its table in other words.
    pub(super) fn beside_of_table(&self, table: Node, entry: &Entry) -> Option<Diagnostic> {
        let key = self.path.key();
        let owner = above(&key);
        let fields: Vec<&'static str> = table.fields(self.schema.point).filter_map(|(field, _)| field.field_name()).collect();
        let name = beside(owner, entry, &fields, &fields).filter(|name| self.may_take(owner, name, &entry.node.value))?;
        let named = if owner.is_empty() { format!("{} config", self.schema.kind.with_article()) } else { format!("`{owner}`") };
        let message = format!("{named} has no key `{}`", entry.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message).label("unknown key");
        Some(self.named(owner, diagnostic, entry, name, Applicability::Unsafe))
    }

    /// Adds to an unknown key what it says in other words, what it is but for a typing error, or what its name resembles.
    pub(super) fn in_other_words(
        &mut self,
        (table, owner, named): (Node, &str, &str),
        diagnostic: Diagnostic,
        entry: &Entry,
    ) -> Diagnostic {
        let (key, point) = (&*entry.key, self.schema.point);
        if let Some(diagnostic) = self.beside_items(diagnostic.clone(), table, owner, entry) {
            return diagnostic;
        }
        let fields = table.fields(point).flat_map(|(field, interval)| {
            let own = field.field_name().filter(|_| interval.aliases().len() == 0);
            own.into_iter().chain(interval.aliases())
        });
        let fields: Vec<&str> = fields.collect();
        // One typing error in a name that is known elsewhere is more probable than several in one of the table's own.
        let near = nearest(key, fields.iter().copied());
        // A table is not one value, whatever it is called.
        let is_table = entry.node.value.as_table().is_some_and(|table| !table.entries().is_empty());
        let takes = |near: &&'static str| self.may_take(owner, near, &entry.node.value) && self.takes_items(owner, near);
        let near = near.filter(|near| !is_table || takes(near));
        let near = near.map(|near| (near, self.names.is_slip(key, near, &fields)));
        if near.is_none_or(|(_, is_slip)| !is_slip) {
            let own: Vec<&'static str> = table.fields(point).filter_map(|(field, _)| field.field_name()).collect();
            if let Some(name) = beside(owner, entry, &fields, &own).filter(|name| self.may_take(owner, name, &entry.node.value)) {
                return self.named(owner, diagnostic, entry, name, Applicability::Unsafe);
            }
            if let Some(home) = self.within_table(owner, key, &own) {
                return self.belongs_elsewhere(diagnostic, Place::at(format!("did you mean `{home}`?"), vec![home]));
            }
            if let Some(diagnostic) = self.misspelt(table, named, owner, entry) {
                return diagnostic;
            }
            if near.is_none()
                && let Some(home) = self.longer_within(table, owner, entry)
            {
                return self.belongs_elsewhere(diagnostic, Place::at(format!("did you mean `{home}`?"), vec![home]));
            }
        }
        self.by_name((table, owner), diagnostic, entry, &fields, near)
    }

    /// Adds to an unknown key what its name resembles, or says that it can go. `fields` are the keys of its table, `near` is the nearest of them, and whether
    /// only it can be meant.
    fn by_name(
        &self,
        (table, owner): (Node, &str),
        diagnostic: Diagnostic,
        entry: &Entry,
        fields: &[&'static str],
        near: Option<(&'static str, bool)>,
    ) -> Diagnostic {
        let key = &*entry.key;
        // The very name of another version says more than one that it resembles.
        let is_certain = near.is_some_and(|(_, is_slip)| is_slip);
        let elsewhere = if is_certain { None } else { self.elsewhere_at_another_time(owner, key) };
        if let Some(place) = elsewhere.as_ref().filter(|place| !place.homes.is_empty()) {
            if let (Some((list, name)), Value::List(values)) = (place.homes[0].split_once("[]."), &entry.node.value)
                && let Some(proposal) = self.in_each_item(list, name, values)
            {
                return diagnostic.help(proposal.title.clone()).propose(proposal);
            }
            return self.belongs_elsewhere(diagnostic, place.clone());
        }
        let with_word = || {
            let mut having = fields.iter().copied().filter(|field| field.split('_').any(|word| word == key));
            having.next().filter(|_| key.len() > 3 && having.next().is_none())
        };
        // A text is called by its name.
        let without_name = || {
            let name = key.strip_suffix("_name")?;
            let home = if owner.is_empty() { name.to_owned() } else { format!("{}.{name}", without_indices(owner)) };
            let is_it = entry.node.value.as_str().is_some() && self.takes_kind(&home, &entry.node.value);
            fields.iter().copied().find(|field| *field == name).filter(|_| is_it)
        };
        let by_words = || {
            let name = with_its_words(key, fields).or_else(with_word).or_else(without_name);
            let name = name.filter(|name| self.may_take(owner, name, &entry.node.value))?;
            Some((name, self.names.is_slip(key, name, fields)))
        };
        match near.or_else(by_words) {
            Some((suggestion, is_slip)) => {
                let applicability = if is_slip { Applicability::Safe } else { Applicability::Unsafe };
                self.named(owner, diagnostic, entry, suggestion, applicability)
            }
            None if elsewhere.is_none()
                && let Some(diagnostic) = self.longer_elsewhere(diagnostic.clone(), entry) =>
            {
                diagnostic
            }
            None => {
                let place = elsewhere
                    .or_else(|| self.settings_of_requests(owner, table, key))
                    .or_else(|| self.settings_of_vllm(owner, key));
                let is_nowhere = place.as_ref().is_none_or(|place| place.homes.is_empty());
                if let Some(diagnostic) = if is_nowhere { self.guessed(table, owner, &diagnostic, entry) } else { None } {
                    return diagnostic;
                }
                if let Some(place) = place {
                    return self.belongs_elsewhere(diagnostic, place);
                }
                if let Some(help) = self.swallowed(fields, entry) {
                    return diagnostic.help(help);
                }
                let place = self.former_key(table, key).unwrap_or_else(|| known_keys(owner, fields, self.schema));
                self.belongs_elsewhere(diagnostic, place)
            }
        }
    }

    /// The key of a table within `owner` that an unknown key names together with that table: `ac_freq` is `ac.freq`.
    pub(super) fn within_table(&self, owner: &str, key: &str, fields: &[&'static str]) -> Option<String> {
        let own = without_indices(owner);
        let at = |name: &str| below(&own, name);
        let mut found = fields.iter().filter_map(|table| {
            let rest = key.strip_prefix(table)?.strip_prefix('_').filter(|rest| !rest.is_empty())?;
            let keys: Vec<&'static str> = self.keys_of(&at(table)).into_iter().flatten().collect();
            let with_word = || {
                let mut having = keys.iter().copied().filter(|name| rest.len() > 3 && name.split('_').any(|word| word == rest));
                having.next().filter(|_| having.next().is_none())
            };
            let name = keys.iter().copied().find(|name| *name == rest).or_else(|| alike(rest, keys.iter().copied()));
            let name = name.or_else(with_word)?;
            Some(format!("{}.{name}", at(table)))
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// The only key of the tables within `owner`, which is `table`, whose name has all words of an unknown one, and more, and that takes its value.
    fn longer_within(&self, table: Node, owner: &str, entry: &Entry) -> Option<String> {
        let fields = table.fields(self.schema.point).filter_map(|(field, _)| Some((field.field_name()?, field)));
        let keys_of =
            |(table, field)| self.schema.below(field).into_iter().filter_map(move |key| Some((table, key.field_name()?)));
        let inner: Vec<(&str, &'static str)> = fields.flat_map(keys_of).collect();
        let name = with_its_words(&entry.key, &inner.iter().map(|(_, key)| *key).collect::<Vec<_>>())?;
        let (table, _) = inner.iter().find(|(_, key)| *key == name)?;
        let own = without_indices(owner);
        let home = below(&below(&own, table), name);
        self.takes_kind(&home, &entry.node.value).then_some(home)
    }

    /// Whether a key of the table `owner` can have been meant with this value: no word is a number, nor a switch unless it says on or off; no number is a
    /// text, and several values are not one.
    pub(super) fn may_take(&self, owner: &str, name: &str, value: &Value) -> bool {
        let own = without_indices(owner);
        let home = below(&own, name);
        let is_not = |kind: TypeKind| match value {
            Value::Str(text) if kind == TypeKind::Bool => !(is_on(text) || is_off(text) || is_nothing(text)),
            Value::Str(text) if matches!(kind, TypeKind::Int | TypeKind::Float) => {
                !text.bytes().any(|byte| byte.is_ascii_digit())
            }
            Value::Bool(_) => matches!(kind, TypeKind::Str | TypeKind::Path | TypeKind::Int | TypeKind::Float | TypeKind::List),
            // But a duration is a text, too.
            Value::Int(_) | Value::Float(_) => match kind {
                TypeKind::Str | TypeKind::Path => !home.ends_with("time"),
                TypeKind::Bool | TypeKind::Literal => !matches!(value, Value::Int(Integer::Small(0 | 1))),
                _ => false,
            },
            // But a list of tables may be meant by one of them.
            Value::Table(table) if !table.entries().is_empty() => {
                !matches!(kind, TypeKind::Table(_) | TypeKind::Union | TypeKind::Dict | TypeKind::Any | TypeKind::List)
            }
            Value::List(items) if items.len() > 1 && items.iter().all(|item| item.value.as_table().is_none()) => {
                !matches!(kind, TypeKind::List | TypeKind::Str | TypeKind::Any)
            }
            _ => false,
        };
        let mut kinds = self.types(&home).map(FieldType::kind).peekable();
        kinds.peek().is_none() || !kinds.all(is_not)
    }

    /// Whether a key takes tables as its items, if it is a list.
    fn takes_items(&self, owner: &str, name: &str) -> bool {
        let home = below(&without_indices(owner), name);
        let is_scalar = |ty: FieldType| {
            matches!(ty.kind(), TypeKind::Str | TypeKind::Path | TypeKind::Int | TypeKind::Float | TypeKind::Literal)
        };
        self.types(&home).all(|ty| ty.kind() != TypeKind::List || !ty.members().next().is_some_and(is_scalar))
    }

    /// Whether a key of the schema takes values of this kind at the target.
    pub(super) fn takes_kind(&self, home: &str, value: &Value) -> bool {
        let takes = |kind: TypeKind| match value {
            Value::Str(_) => matches!(kind, TypeKind::Str | TypeKind::Path | TypeKind::Literal),
            Value::Int(_) => matches!(kind, TypeKind::Int | TypeKind::Float),
            Value::Float(_) => kind == TypeKind::Float,
            Value::Bool(_) => kind == TypeKind::Bool,
            Value::List(_) => kind == TypeKind::List,
            _ => false,
        };
        self.types(home).any(|ty| takes(ty.kind()))
    }

    /// The table within `owner` that the name of an unknown table names together with the table around it: `train_source` is `train.source`.
    fn table_within(&self, table: Node, owner: &str, entry: &Entry) -> Option<String> {
        let has_keys = match &entry.node.value {
            Value::Table(_) => true,
            Value::List(items) => items.first().is_some_and(|item| item.value.as_table().is_some()),
            _ => false,
        };
        if !has_keys || !entry.key.contains('_') {
            return None;
        }
        let own: Vec<&'static str> = table.fields(self.schema.point).filter_map(|(field, _)| field.field_name()).collect();
        let home = self.within_table(owner, &entry.key, &own)?;
        let is_it = if entry.node.value.as_table().is_some() { self.is_table(&home) } else { self.is_list(&home) };
        is_it.then_some(home)
    }

    /// Reports an unknown table whose name is the path of another one, or ends in its name if `may_be_named`.
    pub(super) fn misnamed_table(
        &self,
        table: Node,
        (owner, named): (&str, &str),
        entry: &Entry,
        may_be_named: bool,
    ) -> Option<Diagnostic> {
        let by_name = || may_be_named.then(|| self.table_named(entry)).flatten();
        let home = self.table_within(table, owner, entry).or_else(by_name)?;
        let message = format!("{named} has no table `{}`", entry.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message).label("unknown table");
        Some(self.belongs_elsewhere(diagnostic, Place::at(format!("did you mean `{home}`?"), vec![home])))
    }

    /// The table that an unknown one is about, if it has at least one of its keys: the last words of its name are that of the table, `inference_client`.
    fn table_named(&self, entry: &Entry) -> Option<String> {
        let table = entry.node.value.as_table().filter(|table| !table.entries().is_empty())?;
        let (_, last) = entry.key.rsplit_once('_')?;
        let has_one = |home: &&&String| {
            let keys = self.keys_of(home);
            table.entries().iter().any(|entry| keys.contains(&Some(&*entry.key)))
        };
        let homes = of_training(&[], usual(self.names.paths(last)));
        let homes: Vec<&&String> = homes.iter().filter(has_one).collect();
        // What is about an algorithm has clients of its own.
        let mut own = homes.iter().filter(|home| !home.split('.').any(|step| matches!(step, "algo" | "source")));
        own.next().filter(|_| own.next().is_none()).map(|home| (***home).clone())
    }

    /// Adds to an unknown key the only key of another table whose name has all of its words, and more.
    pub(super) fn longer_elsewhere(&self, diagnostic: Diagnostic, entry: &Entry) -> Option<Diagnostic> {
        let name = self.names.with_its_words_elsewhere(&entry.key)?;
        let home = self.names.paths(name).first().filter(|home| self.may_take("", home, &entry.node.value))?;
        let own = self.path.schema_path();
        // The same part of the run, or one place for all.
        let is_near = own.split('.').next() == home.split('.').next() || !home.contains('.');
        let place = Place::at(format!("did you mean `{home}`?"), vec![home.clone()]);
        is_near.then(|| self.belongs_elsewhere(diagnostic, place))
    }

    /// Adds to an unknown key of the table `owner` the key of that table which is meant.
    pub(super) fn named(
        &self,
        owner: &str,
        diagnostic: Diagnostic,
        entry: &Entry,
        name: &str,
        applicability: Applicability,
    ) -> Diagnostic {
        let to = below(owner, name);
        // The headers of a table and of those below it are renamed together.
        let proposal = Proposal { applicability, ..Proposal::relocate(&self.path.key(), &to) };
        let diagnostic = diagnostic.choices([name]).propose(proposal);
        with_name(diagnostic.help(format!("did you mean `{name}`?")), entry, name, applicability)
    }

    /// The keys of the table itself that are written after the header of an unknown table, and so belong to that.
    pub(super) fn swallowed(&self, fields: &[&str], entry: &Entry) -> Option<String> {
        let inner = entry.node.value.as_table()?.entries().iter().map(|inner| &*inner.key);
        let own: Vec<String> = inner.filter(|key| fields.contains(key)).map(str::to_owned).collect();
        // A single common word such as `name` occurs in many tables.
        let is_meant = own.len() > 1 || own.iter().any(|key| key.contains('_'));
        let table = self.path.key();
        is_meant.then(|| format!("if {} should take effect, write them before `[{table}]`, which ends its table", list(&own)))
    }

    /// The key of another version that was probably meant by a misspelt one and what happened to it, with its place at the target.
    pub(super) fn former_key(&self, table: Node, key: &str) -> Option<Place> {
        let names = table.children().filter_map(Node::field_name);
        let names: Vec<&str> = names.collect();
        let suggestion = with_its_words(key, &names).or_else(|| nearest(key, names.iter().copied()))?;
        let path = self.path.schema_path();
        let path = path.rsplit_once('.').map_or_else(|| suggestion.to_owned(), |(table, _)| format!("{table}.{suggestion}"));
        let moved = Moved::find(self.schema.history, self.schema.kind, &path, None, self.schema.point)?;
        Some(match moved.to {
            Some(to) => Place::at(format!("did you mean `{suggestion}`? In the target it is `{to}`"), vec![to]),
            None => {
                let when = moved.when(self.schema.history);
                Place::nowhere(format!("remove it: `{suggestion}`, which it resembles, was removed {when}"))
            }
        })
    }
}
