//! Items of a list, such as the environments, that others name or place in another way.

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Diagnostic, FileId, KeyChange, Proposal};
use cfg_schema::{Discriminator, FieldType, Interval, Node, Segment, TypeKind, without_indices};

use crate::{
    emit::{inline, key as quoted, string},
    loc::below,
    synonyms::{self, Suggestion},
    walk::Walker,
};

/// The largest number of items that are rewritten: each rewriting reads the text again, and nobody writes more by hand.
const MAX_ITEMS: usize = 32;

impl Walker<'_> {
    /// A list of one item, which is about a text that is written outside of it.
    pub(super) fn as_new_item(&self, key: &str, home: &str, value: &Value) -> Option<Proposal> {
        let list = home.match_indices('.').map(|(end, _)| &home[..end]).find(|path| self.is_list(path))?;
        self.listing(key, list, &[value.as_str()?])
    }

    /// The list of tables at `home` that bare names mean, one table for each.
    pub(super) fn as_items(&self, key: &str, home: &str, value: &Value) -> Option<Proposal> {
        match value {
            Value::Str(text) => self.listing(key, home, &listed(text)),
            Value::Table(table) => self.as_only_item(key, home, table),
            Value::List(items) => {
                let texts: Vec<&str> = items.iter().map(|item| item.value.as_str()).collect::<Option<_>>()?;
                self.listing(key, home, &texts)
            }
            _ => None,
        }
    }

    /// The list of tables at `home` with one item, for a table that was written in its place.
    fn as_only_item(&self, key: &str, home: &str, table: &Table) -> Option<Proposal> {
        let value = format!("[{{ {} }}]", self.item(home, None, table)?);
        let changes =
            vec![KeyChange::Remove { key: key.to_owned() }, KeyChange::Set { key: home.to_owned(), value: value.clone() }];
        Some(Proposal::possible(format!("write `{home} = {value}` instead"), changes))
    }

    /// The list of tables at `home` in place of a table of tables, whose keys are the names.
    pub(super) fn as_named_items(&self, key: &str, home: &str, table: &Table) -> Option<Proposal> {
        let entries = table.entries();
        if entries.is_empty() || entries.len() > MAX_ITEMS {
            return None;
        }
        // Keys that have a meaning of their own are no names.
        let (_, class) = self.items_of(home)?;
        let is_name = |entry: &Entry| {
            let is_phase = matches!(&*entry.key, "train" | "eval" | "validation" | "test");
            !is_phase && class.field_for_key(&entry.key, self.schema.point).is_none()
        };
        if !entries.iter().all(is_name) {
            return None;
        }
        let item = |entry: &Entry| Some(format!("{{ {} }}", self.item(home, Some(&entry.key), entry.node.value.as_table()?)?));
        let items: Vec<String> = entries.iter().map(item).collect::<Option<_>>()?;
        let set = KeyChange::Set { key: home.to_owned(), value: format!("[{}]", items.join(", ")) };
        let title = format!("write `{home}` as a list of its {} tables", items.len());
        Some(Proposal::possible(title, vec![KeyChange::Remove { key: key.to_owned() }, set]))
    }

    /// The keys of an item of the list at `home`, as TOML, for a table of another form: what it names is at the key that the item has for that. If it names
    /// nothing, `name` does.
    fn item(&self, home: &str, name: Option<&str>, table: &Table) -> Option<String> {
        let (ty, class) = self.items_of(home)?;
        // What is named `id` or `name` there, or has another trainer's word for that.
        let is_name = |entry: &&Entry| {
            let of_environments = || synonyms::setting("env", &entry.key).is_some_and(|(setting, _)| setting.is_key("env.id"));
            matches!(&*entry.key, "id" | "name") || of_environments()
        };
        let word = table
            .get("id")
            .or_else(|| table.entries().iter().find(|entry| entry.node.value.as_str().is_some() && is_name(entry)));
        let has_name = || class.field("name").is_some_and(|field| field.at(self.schema.point).is_some());
        // A table of the list's own form needs nothing but its name.
        let is_item = |entry: &Entry| {
            matches!(&*entry.key, "env" | "legacy" | "taskset") && class.field_for_key(&entry.key, self.schema.point).is_some()
        };
        if word.is_none_or(|word| *word.key == *"name") && table.entries().iter().any(is_item) {
            let name = name.filter(|_| table.get("name").is_none() && has_name());
            let named = name.map(|name| format!("name = {}", string(name)));
            let own = table.entries().iter().map(|entry| format!("{} = {}", quoted(&entry.key), inline(&entry.node.value)));
            return Some(named.into_iter().chain(own).collect::<Vec<String>>().join(", "));
        }
        let id = match word {
            Some(word) => word.node.value.as_str()?,
            None => name?,
        };
        let own = self.key_of_string(id, ty, class)?;
        // Another trainer's word for a key of the item, with the same value.
        let own_name = |name: &str| {
            let is_own = class.field_for_key(name, self.schema.point).is_some();
            let synonym = if is_own { None } else { synonyms::suggestion(self.names, home, name) };
            synonym.and_then(|found| found.rename).unwrap_or_else(|| name.to_owned())
        };
        let keys_of = |entry: &Entry| -> Vec<String> {
            let (name, value) = (&entry.key, &entry.node.value);
            if word.is_some_and(|word| *name == word.key) {
                return Vec::new();
            }
            match (place_of_arguments(&own).filter(|_| **name == *"args"), value) {
                (Some(Arguments::Keys(table)), Value::Table(args)) => {
                    let each = |arg: &Entry| format!("{table}.{} = {}", quoted(&arg.key), inline(&arg.node.value));
                    args.entries().iter().map(each).collect()
                }
                (Some(Arguments::Table(place)), _) => vec![format!("{place} = {}", inline(value))],
                _ => vec![format!("{} = {}", quoted(&own_name(name)), inline(value))],
            }
        };
        let other = name.filter(|name| *name != id && table.get("name").is_none() && has_name());
        let first = std::iter::once(format!("{own} = {}", string(id)));
        let named = other.map(|name| format!("name = {}", string(name)));
        let keys: Vec<String> = first.chain(named).chain(table.entries().iter().flat_map(keys_of)).collect();
        let keys = keys.join(", ");
        // Two words may mean one key, which is written once.
        let (_, faults) = cfg_syntax::parse(FileId(0), &format!("item = {{ {keys} }}\n"), cfg_syntax::Dialect::Toml10);
        faults.is_empty().then_some(keys)
    }

    /// A list of values beside a list of tables, each of which is about the table in the same place: the key that the tables have for it.
    pub(super) fn beside_items(&self, diagnostic: Diagnostic, table: Node, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let Value::List(values) = &entry.node.value else { return None };
        let is_plain = |value: &Value| !matches!(value, Value::Table(_) | Value::List(_));
        if !(2..=MAX_ITEMS).contains(&values.len()) || !values.iter().all(|value| is_plain(&value.value)) {
            return None;
        }
        let point = self.schema.point;
        let names = [Some(&*entry.key), entry.key.strip_suffix('s')];
        let mut having = table.fields(point).filter_map(|(field, interval)| {
            let (list, class) = (field.field_name()?, field.item()?);
            let path = below(owner, list);
            let is_scalar = |key: &str| {
                let ty = class.field(key).and_then(|field| field.at(point)).map(Interval::field_type);
                ty.is_some_and(|ty| !matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Union | TypeKind::List | TypeKind::Dict))
            };
            let own = || names.into_iter().flatten().find(|name| is_scalar(name)).map(str::to_owned);
            let other = || names.into_iter().flatten().find_map(|name| synonyms::suggestion(self.names, &path, name)?.rename);
            let is_list = interval.field_type().kind() == TypeKind::List;
            let name = if is_list { own().or_else(other).filter(|name| is_scalar(name)) } else { None }?;
            Some((path, name))
        });
        let (list, name) = having.next().filter(|_| having.next().is_none())?;
        let proposal = self.in_each_item(&list, &name, values)?;
        Some(diagnostic.help(proposal.title.clone()).propose(proposal))
    }

    /// The values of a list as those of a key in each table of another list.
    pub(super) fn in_each_item(&self, list: &str, name: &str, values: &[cfg_compose::Node]) -> Option<Proposal> {
        let is_plain = |value: &cfg_compose::Node| !matches!(value.value, Value::Table(_) | Value::List(_));
        if !(2..=MAX_ITEMS).contains(&values.len()) || !values.iter().all(is_plain) {
            return None;
        }
        let set = |(index, value): (usize, &cfg_compose::Node)| KeyChange::Set {
            key: format!("{list}[{index}].{name}"),
            value: inline(&value.value),
        };
        let remove = KeyChange::Remove { key: self.path.key() };
        let changes = values.iter().enumerate().map(set).chain([remove]).collect();
        Some(Proposal::possible(format!("write `{name}` in each table of `{list}` instead"), changes))
    }

    /// Where an item of the list of environments, in whose table `owner` this is, names the environment that another trainer's word names.
    pub(super) fn name_of_item(&self, table: Node, owner: &str, entry: &Entry) -> Option<Suggestion> {
        let value = Some(&entry.node.value).filter(|_| owner.ends_with(']'))?;
        synonyms::setting("env", &entry.key).filter(|(setting, _)| setting.is_key("env.id"))?;
        let list = without_indices(owner);
        let (ty, class) = self.items_of(&list).filter(|(_, class)| *class == table)?;
        let own = match value {
            // The table of the environment itself.
            Value::Table(_) => class.field_for_key("env", self.schema.point).map(|_| "env".to_owned()),
            value => self.key_of_string(value.as_str()?, ty, class),
        }?;
        let home = format!("{list}.{own}");
        Some(Suggestion { help: format!("in prime-rl it is `{home}`"), ..Suggestion::same(home) })
    }

    /// The list of tables at `home` in place of a table whose keys are the types of its items, each on, off, or with the keys of that item.
    pub(super) fn as_tagged_items(&self, key: &str, home: &str, table: &Table) -> Option<Proposal> {
        let (ty, class) = self.items_of(home)?;
        let Discriminator::Key(tag) = ty.discriminator()? else { return None };
        let is_it = |variant: Node, name: &str| matches!(variant.segment(), Segment::Variant(tag) if tag == name);
        let is_tag = |name: &str| class.variants(self.schema.point).any(|variant| is_it(variant, name));
        let entries = table.entries();
        if entries.is_empty() || entries.len() > MAX_ITEMS || !entries.iter().all(|entry| is_tag(&entry.key)) {
            return None;
        }
        let mut items = Vec::new();
        for entry in entries {
            let first = format!("{tag} = {}", string(&entry.key));
            let keys = match &entry.node.value {
                Value::Bool(true) => Vec::new(),
                Value::Bool(false) => continue,
                Value::Table(inner) => inner
                    .entries()
                    .iter()
                    .filter(|inner| *inner.key != *tag)
                    .map(|inner| format!("{} = {}", quoted(&inner.key), inline(&inner.node.value)))
                    .collect(),
                _ => return None,
            };
            items.push(format!("{{ {} }}", std::iter::once(first).chain(keys).collect::<Vec<String>>().join(", ")));
        }
        let value = format!("[{}]", items.join(", "));
        let title = format!("write `{home} = {value}` instead");
        let set = KeyChange::Set { key: home.to_owned(), value };
        Some(Proposal::possible(title, vec![KeyChange::Remove { key: key.to_owned() }, set]))
    }

    /// The type and the class of the items of a list at the target.
    fn items_of(&self, list: &str) -> Option<(FieldType, Node)> {
        let point = self.schema.point;
        let node = *self.schema.named(list).first()?;
        Some((node.at(point)?.field_type().members().next()?, node.item()?))
    }

    /// The list of tables at `list`, one about each text, in place of `key`.
    fn listing(&self, key: &str, list: &str, texts: &[&str]) -> Option<Proposal> {
        let (ty, class) = self.items_of(list)?;
        let item = |text: &&str| {
            let own = self.key_of_string(text, ty, class)?;
            let mut steps = own.rsplit('.');
            let first = format!("{} = {}", steps.next()?, string(text));
            let item = steps.fold(first, |inner, step| format!("{step} = {{ {inner} }}"));
            Some(format!("{{ {item} }}"))
        };
        if texts.is_empty() || texts.len() > MAX_ITEMS {
            return None;
        }
        let items: Vec<String> = texts.iter().map(item).collect::<Option<_>>()?;
        let value = format!("[{}]", items.join(", "));
        let title = format!("write `{list} = {value}` instead");
        let help = format!("write `{list} = {value}`: it is a list of tables, one for each environment");
        let changes = vec![KeyChange::Remove { key: key.to_owned() }, KeyChange::Set { key: list.to_owned(), value }];
        Some(Proposal::possible(title, changes).help(help))
    }

    /// The changes that move a list of tables to `home`, with the names that its items have there for what they are about.
    pub(super) fn moved_list(&self, key: &str, home: &str, value: &Value) -> Option<Vec<KeyChange>> {
        let Value::List(items) = value else { return None };
        if items.is_empty() || !items.iter().all(|item| item.value.as_table().is_some()) {
            return None;
        }
        let whole = KeyChange::Move { from: key.to_owned(), to: home.to_owned() };
        Some(std::iter::once(whole).chain(self.named_items(home, value)).collect())
    }

    /// The changes of the items of a list at `home` that name what they are about as others do: by `id`, or by `name` alone.
    pub(super) fn named_items(&self, home: &str, value: &Value) -> Vec<KeyChange> {
        let point = self.schema.point;
        let Some(list) = self.schema.named(home).first().copied() else { return Vec::new() };
        let (Some(item), Value::List(items)) = (list.item(), value) else { return Vec::new() };
        let Some(ty) = list.at(point).and_then(|interval| interval.field_type().members().next()) else { return Vec::new() };
        let mut changes = Vec::new();
        if items.len() > MAX_ITEMS {
            return Vec::new();
        }
        for (index, table) in items.iter().enumerate() {
            let Some(table) = table.value.as_table() else { continue };
            let text = |entry: &Entry| entry.node.value.as_str().map(str::to_owned);
            // A name without an id is that of what is meant.
            let named = ["id", "name"].into_iter().filter_map(|word| table.get(word));
            let id = table.get("id").or_else(|| of_environments(table, "env.id")).into_iter().chain(named);
            let Some((word, text)) = id.into_iter().find_map(|entry| Some((&*entry.key, text(entry)?))) else { continue };
            let Some(own) = self.key_of_string(&text, ty, item) else { continue };
            let at = format!("{home}[{index}]");
            // Another word for what it is about is then its name.
            let is_other = |entry: &&Entry| {
                let is_word = synonyms::setting("env", &entry.key).is_some_and(|(setting, _)| setting.is_key("env.id"));
                *entry.key != *word && is_word && entry.node.value.as_str().is_some()
            };
            let has_name = item.field("name").is_some_and(|field| field.at(point).is_some()) && table.get("name").is_none();
            if let Some(name) = table.entries().iter().find(is_other).filter(|_| has_name) {
                changes.push(KeyChange::Move { from: format!("{at}.{}", name.key), to: format!("{at}.name") });
            }
            if own != word {
                changes.push(KeyChange::Move { from: format!("{at}.{word}"), to: format!("{at}.{own}") });
            }
            let args = table.get("args").or_else(|| of_environments(table, "env.args"));
            let Some((name, args)) = args.and_then(|args| Some((&args.key, args.node.value.as_table()?))) else { continue };
            let below = match place_of_arguments(&own) {
                Some(Arguments::Keys(below) | Arguments::Table(below)) => below,
                None => "args".to_owned(),
            };
            if below != **name {
                let each = args.entries().iter().map(|arg| KeyChange::Move {
                    from: format!("{at}.{name}.{}", arg.key),
                    to: format!("{at}.{below}.{}", arg.key),
                });
                changes.extend(each);
                changes.push(KeyChange::Remove { key: format!("{at}.{name}") });
            }
        }
        changes
    }
}

/// What another trainer's word in the table of an environment means, by the key that prime-rl has for it.
fn of_environments<'t>(table: &'t Table, key: &str) -> Option<&'t Entry> {
    table.entries().iter().find(|entry| synonyms::setting("env", &entry.key).is_some_and(|(setting, _)| setting.is_key(key)))
}

/// Where the arguments of an environment are.
enum Arguments {
    /// As keys of this table.
    Keys(String),
    /// In a table of their own.
    Table(String),
}

/// Where the arguments of the environment are that an item names at its key `id`: those of a taskset are keys beside it. `None` if the item itself has them.
fn place_of_arguments(id: &str) -> Option<Arguments> {
    let table = id.strip_suffix(".id")?;
    Some(if table.rsplit('.').next() == Some("taskset") {
        Arguments::Keys(table.to_owned())
    } else {
        Arguments::Table(format!("{table}.args"))
    })
}

/// The texts of one text that lists them, as TOML: `a, b` are two.
pub(super) fn list_of(text: &str) -> String {
    let items: Vec<String> = listed(text).into_iter().map(string).collect();
    format!("[{}]", items.join(", "))
}

/// The texts that commas separate, or other marks between names if there are none; the whole text if one of them would be empty. A space separates what is
/// one name each. `|` is also a part of patterns, and `;` of sentences.
pub(super) fn listed(text: &str) -> Vec<&str> {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(trimmed);
    let are_names = || inner.split_whitespace().all(|part| part.contains(['_', '/']));
    let is_name = |part: &str| part.chars().all(|character| character.is_alphanumeric() || "_-./:".contains(character));
    let separates = |mark: &char| inner.contains(*mark) && (*mark == ',' || inner.split(*mark).all(|part| is_name(part.trim())));
    let mark = match [',', ';', '|'].into_iter().find(separates) {
        Some(mark) => mark,
        None if are_names() => ' ',
        None => ',',
    };
    let parts: Vec<&str> = inner.split(mark).map(|part| part.trim().trim_matches(['"', '\''])).collect();
    if parts.iter().all(|part| !part.is_empty()) { parts } else { vec![text] }
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use super::listed;
    use crate::testing::found_in;

    /// Evaluations are not trained on, and settings of all environments are none.
    #[test]
    fn keys_with_a_meaning_of_their_own_name_no_environments() {
        let writes_list = |tables: &[&str]| {
            let table = |name: &&str| format!("[orchestrator.environments.{name}]\nid = \"org/a\"\n");
            let tables = tables.iter().map(table).collect::<Vec<_>>().concat();
            let found = found_in(Kind::Rl, "main", &tables);
            found.iter().flat_map(|found| &found.proposals).any(|proposal| proposal.title.contains("as a list of its"))
        };
        assert!(writes_list(&["gsm8k", "math"]));
        for tables in [["train", "eval"], ["gsm8k", "validation"], ["sampling", "gsm8k"]] {
            assert!(!writes_list(&tables), "{tables:?}");
        }
    }

    #[test]
    fn a_text_lists_what_its_marks_separate() {
        assert_eq!(listed("[\"a b\", 'c']"), ["a b", "c"]);
        assert_eq!(listed("q_proj;v_proj"), ["q_proj", "v_proj"]);
        assert_eq!(listed("http://a:1 | http://b:2"), ["http://a:1", "http://b:2"]);
        // A pattern, and a sentence.
        assert_eq!(listed(".*(q_proj|v_proj)$"), [".*(q_proj|v_proj)$"]);
        assert_eq!(listed("lr=1e-6|seed 3; try 2"), ["lr=1e-6|seed 3; try 2"]);
    }
}
