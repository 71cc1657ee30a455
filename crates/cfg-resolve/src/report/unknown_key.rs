//! Keys that a table does not know: misspelt, moved, not yet added, or written in the wrong table.

use cfg_compose::{Entry, Value};
use cfg_diag::{Applicability, Diagnostic, Edit, Fix, codes};
use cfg_meter::is_spent;
use cfg_schema::{
    FoundField, Interval, Kind, Node, Point, Segment, alternatives, find_fields,
    moved::{self, Moved, when},
};

use crate::{before, loc::LocSegment, suggest::nearest, synonyms, walk::Walker};

/// After this many findings there are no more suggestions: the file is of another kind, or damaged.
const MAX_EXPLAINED: usize = 1000;

/// The maximum number of tables that are suggested for a key; for a key that exists in more, none is.
const MAX_HOMES: usize = 3;

/// The text of the message for a key of a variant that is not selected, or not the default one if none is selected.
pub const OTHER_VARIANT: &str = "belongs to another variant";

impl Walker<'_> {
    /// A key that `table` refuses.
    pub(crate) fn unknown(&mut self, table: Node, entry: &Entry) {
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
        let meant = (self.diagnostics.len() <= MAX_EXPLAINED && self.explains).then(|| self.meant_key(entry)).flatten();
        self.meant.extend(meant);
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
        self.path.pop();
        self.push(diagnostic);
    }

    fn explain(&self, table: Node, owner: &str, entry: &Entry) -> Diagnostic {
        let key = &*entry.key;
        if self.diagnostics.len() > MAX_EXPLAINED || !self.explains {
            return Diagnostic::new(&codes::UNKNOWN_KEY, format!("unknown key `{key}`"));
        }
        let point = self.schema.point;
        let named = if owner.is_empty() { format!("{} config", self.schema.kind.with_article()) } else { format!("`{owner}`") };
        if let Some(diagnostic) = self.other_variant(table, &named, key) {
            return diagnostic;
        }
        if let Some(diagnostic) = self.other_time(table, entry) {
            return diagnostic;
        }
        if let Some(diagnostic) = self.other_table(owner, &named, key) {
            return diagnostic;
        }
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key");
        if owner.is_empty() && key == "config" {
            return diagnostic
                .help("prime-rl refuses a `[config]` table; put metadata in a comment block that starts with `# /// config`");
        }
        let rename = |diagnostic: Diagnostic, suggestion: &str, applicability| match entry.key_origin.place() {
            Some(location) => diagnostic.fix(
                format!("rename to `{suggestion}`"),
                applicability,
                Edit { location, new_text: suggestion.to_owned() },
            ),
            None => diagnostic,
        };
        if let Some(suggestion) = synonyms::suggestion(self.names, owner, key) {
            let diagnostic = diagnostic.help(suggestion.help);
            return match suggestion.rename {
                Some(name) => rename(diagnostic, &name, Applicability::Unsafe),
                None => diagnostic,
            };
        }
        let fields = table.fields(point).flat_map(|(field, interval)| {
            let own = field.field_name();
            let aliases: Vec<&str> = interval.aliases().collect();
            if aliases.is_empty() { own.into_iter().collect() } else { aliases }
        });
        let fields: Vec<&str> = fields.collect();
        match nearest(key, fields.iter().copied()) {
            Some(suggestion) => {
                let is_slip = self.names.is_slip(key, suggestion, &fields);
                let applicability = if is_slip { Applicability::Safe } else { Applicability::Unsafe };
                rename(diagnostic.help(format!("did you mean `{suggestion}`?")), suggestion, applicability)
            }
            None => diagnostic.help(
                self.swallowed(&fields, entry)
                    .or_else(|| self.former_key(table, key))
                    .or_else(|| self.elsewhere_at_another_time(owner, key))
                    .or_else(|| self.settings_of_vllm(owner))
                    .unwrap_or_else(|| known_keys(&fields)),
            ),
        }
    }

    /// The path of a key of this name in the same component at another version.
    fn elsewhere_at_another_time(&self, owner: &str, key: &str) -> Option<String> {
        let component = owner.split('.').next().filter(|_| self.schema.kind == Kind::Rl).unwrap_or_default();
        let homes = self.names.paths_ever(key).iter().filter(|home| home.starts_with(component));
        let since = |home: &String| {
            let found = find_fields(self.schema.history, self.schema.kind, home);
            found.iter().filter_map(FoundField::since).min().filter(|&since| since > self.schema.point)
        };
        let homes: Vec<(Point, &String)> = homes.filter_map(|home| Some((since(home)?, home))).collect();
        let (since, home) = homes.iter().min().filter(|_| homes.len() <= MAX_HOMES)?;
        Some(format!("`{home}` was added {}; the target does not have it", when(self.schema.history, *since)))
    }

    /// Where to set options of vLLM for which prime-rl has no key in the inference server.
    fn settings_of_vllm(&self, owner: &str) -> Option<String> {
        let component = owner.split('.').next().filter(|_| self.schema.kind == Kind::Rl).unwrap_or_default();
        let is_server = self.schema.kind == Kind::Inference || component == "inference";
        let homes = ["vllm_extra", "vllm"].into_iter().flat_map(|name| self.names.paths(name));
        let home = homes.filter(|home| is_server && home.starts_with(component)).min_by_key(|home| home.len())?;
        Some(format!("if vLLM has such a setting, it belongs in `[{home}]`"))
    }

    /// The key of another version that was probably meant by a misspelt one, and what happened to it.
    fn former_key(&self, table: Node, key: &str) -> Option<String> {
        let names = table.children().filter_map(Node::field_name);
        let suggestion = nearest(key, names)?;
        let path = self.path.schema_path();
        let path = path.rsplit_once('.').map_or_else(|| suggestion.to_owned(), |(table, _)| format!("{table}.{suggestion}"));
        let moved = Moved::find(self.schema.history, self.schema.kind, &path, None, self.schema.point)?;
        Some(match moved.to {
            Some(to) => format!("did you mean `{suggestion}`? In the target it is `{to}`"),
            None => format!("remove it: `{suggestion}`, which it resembles, was removed {}", moved.when(self.schema.history)),
        })
    }

    /// The keys of the table itself that are written after the header of an unknown table, and so belong to that.
    fn swallowed(&self, fields: &[&str], entry: &Entry) -> Option<String> {
        let inner = entry.node.value.as_table()?.entries().iter().map(|inner| &*inner.key);
        let own: Vec<String> = inner.filter(|key| fields.contains(key)).map(str::to_owned).collect();
        // A single common word such as `name` occurs in many tables.
        let is_meant = own.len() > 1 || own.iter().any(|key| key.contains('_'));
        let table = self.path.key();
        is_meant.then(|| format!("if {} should take effect, write them before `[{table}]`, which ends its table", list(&own)))
    }

    /// Reports a key that this table has at another version.
    fn other_time(&self, table: Node, entry: &Entry) -> Option<Diagnostic> {
        let (history, point) = (self.schema.history, self.schema.point);
        let field = table.field(&entry.key);
        let own = field.into_iter().flat_map(Node::intervals);
        let as_alias = table.aliased().flat_map(Node::intervals).filter(|interval| interval.is_alias(&entry.key));
        let by_validator = table
            .intervals()
            .filter(|interval| interval.validators().any(|(_, name)| before::also_reads(name).contains(&&*entry.key)));
        let ended = own.chain(as_alias).chain(by_validator).filter_map(Interval::until).filter(|&until| until <= point).max();
        let moved = self.moved(entry);
        if ended.is_some() || moved.is_some() {
            return Some(self.removed(entry, ended, moved));
        }
        let added = field?.intervals().map(Interval::since).filter(|&since| since > point).min()?;
        let message = format!("the target does not have `{}` yet: it was added {}", self.path.key(), when(history, added));
        let diagnostic = Diagnostic::new(&codes::FUTURE_KEY, message).label("added later");
        let path = self.path.schema_path();
        let inner = match entry.node.value.as_table().map(cfg_compose::Table::entries) {
            Some([only]) => moved::former_name(history, self.schema.kind, &format!("{path}.{}", only.key), point),
            _ => None,
        };
        Some(match inner.or_else(|| moved::former_name(history, self.schema.kind, &path, point)) {
            Some(former) => diagnostic.help(format!("in the target it is still `{former}`")),
            None => diagnostic.help("remove it, or use a prime-rl that has it"),
        })
    }

    /// The path of the key that an unknown one is at this version. Without a replacement, or with another meaning, there is none.
    fn meant_key(&self, entry: &Entry) -> Option<String> {
        let moved = self.moved(entry).filter(|moved| !moved.is_dropped).and_then(|moved| moved.to);
        moved.or_else(|| moved::former_name(self.schema.history, self.schema.kind, &self.path.schema_path(), self.schema.point))
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
        let since = match (ended, &moved) {
            (Some(point), _) => when(self.schema.history, point),
            (None, Some(moved)) => moved.when(self.schema.history),
            (None, None) => String::new(),
        };
        let diagnostic = Diagnostic::new(&codes::REMOVED_KEY, format!("`{key}` was removed {since}")).label("removed");
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
        let diagnostic = if help.is_empty() { diagnostic } else { diagnostic.help(join(&help)) };
        // The keys of a table may have moved to other places than the table itself.
        let is_plain = !has_keys(&entry.node.value);
        match (moved.new_name(&key).filter(|_| is_plain), entry.key_origin.place()) {
            (Some(name), Some(location)) => {
                diagnostic.fix(format!("rename to `{name}`"), Applicability::Safe, Edit { location, new_text: name.to_owned() })
            }
            _ => diagnostic,
        }
    }

    /// Reports a key that exists in another table.
    fn other_table(&self, owner: &str, named: &str, key: &str) -> Option<Diagnostic> {
        let homes = self.names.paths(key);
        // The paths of known keys contain no indices.
        let own = self.path.schema_path().replace("[]", "");
        let prefix = own.strip_suffix(key).unwrap_or_default();
        // The same table in another variant is not another place.
        let homes: Vec<&String> = homes.iter().filter(|home| **home != own).collect();
        let below: Vec<&&String> =
            homes.iter().filter(|home| home.strip_prefix(prefix).is_some_and(|rest| rest.matches('.').count() == 1)).collect();
        let is_home = |path: &String| homes.contains(&path);
        // A table around it that has the key is the nearest place, then the only one beside it.
        let tables = std::iter::successors(prefix.strip_suffix('.'), |table| table.rsplit_once('.').map(|(above, _)| above));
        let paths = tables.skip(1).map(|table| format!("{table}.{key}")).chain([key.to_owned()]);
        // A common word such as `name` has another meaning there.
        let is_plain = key.contains('_') || homes.len() == 1;
        let around = paths.filter(|_| is_plain && !owner.is_empty()).find(is_home);
        let beside: Vec<&&String> = homes.iter().filter(|home| is_beside(home, &own)).take(2).collect();
        // A shared table of an rl config has few of the keys of the components' tables.
        let is_of_component = |home: &&&String| home.split_once('.').is_some_and(|(_, path)| path == own);
        let of_components: Vec<String> =
            homes.iter().filter(|_| self.schema.kind == Kind::Rl).filter(is_of_component).map(|home| (*home).clone()).collect();
        let home = match (below.as_slice(), homes.as_slice()) {
            (below, _) if let Some(around) = around => {
                let below = below.iter().filter(|_| below.len() == 1).map(|home| (**home).clone());
                list(&std::iter::once(around).chain(below).collect::<Vec<_>>())
            }
            ([home], _) => (**home).clone(),
            _ if let [home] = beside.as_slice() => (**home).clone(),
            _ if !of_components.is_empty() && !owner.is_empty() => list(&of_components),
            (_, []) => return self.other_kind(owner, named, key),
            (_, [home]) if !synonyms::is_of_other_half(self.names, &own, home) => (**home).clone(),
            // A word with many meanings in prime-rl does not suggest a single place.
            (_, several)
                if several.len() <= MAX_HOMES && key.contains('_') && !several.iter().any(|home| home.contains(".fake.")) =>
            {
                let several: Vec<String> = several.iter().map(|home| (*home).clone()).collect();
                list(&several)
            }
            _ => return None,
        };
        let message = format!("{named} has no key `{key}`");
        let home = if home.starts_with('`') { home } else { format!("`{home}`") };
        Some(
            Diagnostic::new(&codes::MISPLACED_KEY, message)
                .label("belongs to another table")
                .help(format!("the target has {home}")),
        )
    }

    /// Reports a key that another variant of this table has.
    fn other_variant(&self, table: Node, named: &str, key: &str) -> Option<Diagnostic> {
        let (_, union) = self.unions.iter().rfind(|(variant, _)| *variant == table)?;
        let has_key = |variant: &Node| variant.field(key).is_some_and(|field| field.at(self.schema.point).is_some());
        let tag = |variant: Node| if let Segment::Variant(tag) = variant.segment() { Some(tag) } else { None };
        let tags: Vec<&str> = union.variants(self.schema.point).filter(has_key).filter_map(tag).collect();
        let chosen = tag(table).unwrap_or_default();
        (!tags.is_empty()).then(|| {
            Diagnostic::new(&codes::MISPLACED_KEY, format!("{named} has no key `{key}`: it is \"{chosen}\""))
                .label(OTHER_VARIANT)
                .help(format!("only {} has it", alternatives(tags.into_iter())))
        })
    }

    /// Reports a key that belongs to the file of another component.
    fn other_kind(&self, owner: &str, named: &str, key: &str) -> Option<Diagnostic> {
        let knows = |kind: &Kind| {
            let root = self.schema.history.schema(*kind, self.schema.point).root();
            *kind != Kind::Rl && root.field(key).is_some_and(|field| field.at(self.schema.point).is_some())
        };
        let kinds: Vec<&str> = Kind::ALL.iter().filter(|kind| owner.is_empty() && knows(kind)).map(|kind| kind.name()).collect();
        let [kind] = kinds.as_slice() else { return None };
        let message = format!("{named} has no key `{key}`");
        Some(
            Diagnostic::new(&codes::MISPLACED_KEY, message)
                .label("belongs to another file")
                .help(format!("the {kind}'s config has it")),
        )
    }
}

/// Whether two keys are in two tables of the same table.
fn is_beside(home: &str, own: &str) -> bool {
    let table_around = |path: &str| Some(path.rsplit_once('.')?.0.rsplit_once('.')?.0.len());
    table_around(own).is_some_and(|length| table_around(home) == Some(length) && home[..length] == own[..length])
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

fn list(paths: &[String]) -> String {
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// The keys of a table, unless there are too many.
fn known_keys(keys: &[&str]) -> String {
    match keys {
        [] => "this table has no keys".to_owned(),
        few if few.len() <= 8 => format!("its keys are {}", few.join(", ")),
        many => format!("run `cfg schema show` to list its {} keys", many.len()),
    }
}

#[cfg(test)]
mod tests {
    use cfg_compose::Tree;
    use cfg_diag::{FileId, codes};
    use cfg_schema::{History, Kind, Target};

    use crate::{Names, resolve};

    /// The key at the end of a text, and where its help says that it belongs.
    fn home(target: &str, kind: Kind, text: &str) -> Option<String> {
        let history = History::built_in();
        let schema = history.schema(kind, Target::parse(history, target).expect("a target").point);
        let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml10);
        let (_, found) = resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
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
            // In many tables.
            ("0.8.0", Kind::Rl, "[orchestrator.ckpt]\nid = \"x\"\n", None),
        ] {
            assert_eq!(home(target, kind, text).as_deref(), expected, "{text}");
        }
    }
}
