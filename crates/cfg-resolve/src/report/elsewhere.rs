//! Keys that are known elsewhere: in another table, another variant, another file, or at another version.

use cfg_compose::{Entry, Value};
use cfg_diag::{Diagnostic, Proposal, codes, is_within};
use cfg_schema::{Kind, Node, TypeKind, without_indices};

use super::{
    foreign_table::{MAX_SETTINGS, Meaning},
    places::{before_last, is_beside, nearest_of, outermost, shared, usual},
    unknown_key::list,
};
use crate::{
    loc::above,
    suggest::{alike, nearest},
    synonyms,
    vllm::{Part, Version},
    walk::Walker,
};

/// The maximum number of tables that are suggested for a key; for a key that exists in more, none is.
pub(super) const MAX_HOMES: usize = 3;

/// The fields of a request that prime-rl's own client sets: no key can give them another value.
const OF_CLIENT: [&str; 11] =
    ["n", "stream", "stream_options", "messages", "tools", "documents", "model", "logprobs", "top_logprobs", "echo", "user"];

/// Where a key belongs that its table refuses.
#[derive(Clone)]
pub(super) struct Place {
    help: String,
    /// The keys that are meant, the most probable first.
    pub(super) homes: Vec<String>,
    /// Whether nothing is meant, so that it may go.
    is_nowhere: bool,
}

impl Place {
    pub(super) const fn at(help: String, homes: Vec<String>) -> Self {
        Self { help, homes, is_nowhere: false }
    }

    pub(super) const fn nowhere(help: String) -> Self {
        Self { help, homes: Vec::new(), is_nowhere: true }
    }
}

impl Walker<'_> {
    /// An unknown key that belongs to one of these places; if it belongs nowhere, it may be removed.
    pub(super) fn belongs_elsewhere(&self, diagnostic: Diagnostic, place: Place) -> Diagnostic {
        let own = self.path.key();
        let Place { help, homes, is_nowhere } = place;
        if is_nowhere {
            return diagnostic.help(help).propose(Proposal::remove(&own, ""));
        }
        let places = homes.iter().map(|home| without_indices(home));
        let proposals = places.flat_map(|home| {
            let whole = self.placed(&home).map(|home| Proposal::relocate(&own, &home));
            let chosen = whole.as_ref().and_then(|whole| self.in_its_variant(whole, &home));
            whole.into_iter().chain(chosen).chain(self.placed_in_variant(&own, &home))
        });
        let diagnostic = diagnostic.help(help).choices(homes.iter().map(String::as_str));
        proposals.fold(diagnostic, Diagnostic::propose)
    }

    /// Where to set options of vLLM for which prime-rl has no key in the inference server.
    pub(super) fn settings_of_vllm(&self, owner: &str, key: &str) -> Option<Place> {
        let component = owner.split('.').next().filter(|_| self.schema.kind == Kind::Rl).unwrap_or_default();
        let is_server = self.schema.kind == Kind::Inference || component == "inference";
        let homes = ["vllm_extra", "vllm"].into_iter().flat_map(|name| self.names.paths(name));
        let home = homes.filter(|home| is_server && home.starts_with(component)).min_by_key(|home| home.len());
        let version = Version::at(self.schema.history, self.schema.point)?;
        let key = key.replace('-', "_");
        let names = || version.names(Part::Server);
        // Of the arguments of vLLM, the server has some under its own keys.
        let is_own =
            |path: &&String| is_server && path.starts_with(component) && home.is_none_or(|home| !path.starts_with(home.as_str()));
        let mut own = self.names.paths(&key).iter().filter(is_own);
        if let (Some(path), None) = (own.next().filter(|_| names().any(|name| name == key)), own.next()) {
            return Some(Place::at(
                format!("the server has a key for this argument of vLLM: write it as `{path}`"),
                vec![path.clone()],
            ));
        }
        let Some(home) = home else {
            let is_argument = is_server && names().any(|name| name == key);
            return is_argument.then(|| Place::nowhere("remove it: the target has no key for this argument of vLLM".to_owned()));
        };
        Some(match names().find(|name| *name == key).or_else(|| alike(&key, names())).or_else(|| nearest(&key, names())) {
            Some(name) => {
                Place::at(format!("it is an argument of vLLM: write it as `{home}.{name}`"), vec![format!("{home}.{name}")])
            }
            None => Place::nowhere(format!("remove it; a setting of vLLM belongs in `[{home}]`")),
        })
    }

    /// Where to set what a request to vLLM has, and prime-rl has no key for.
    pub(super) fn settings_of_requests(&self, owner: &str, table: Node, key: &str) -> Option<Place> {
        let version = Version::at(self.schema.history, self.schema.point)?;
        let has_body = table.field("extra_body").is_some_and(|field| field.at(self.schema.point).is_some());
        // At the top and among the settings of the server, what each request has is meant for those of training.
        let is_outside = matches!(owner.split('.').next(), Some("" | "inference")) && self.schema.kind == Kind::Rl;
        let of_training = || {
            let is_it = |home: &&String| home.ends_with(".sampling.extra_body") && !home.contains("eval") && !home.contains("[]");
            self.names.paths("extra_body").iter().filter(is_it).min_by_key(|home| home.len())
        };
        if is_outside && !has_body && OF_CLIENT.contains(&key) {
            // What it is in the table of these settings, if another key of prime-rl has that meaning there.
            synonyms::setting("sampling", key).filter(|(_, steps)| *steps > 1)?;
            let found = synonyms::suggestion(self.names, "sampling", key).filter(|found| !found.homes.is_empty())?;
            return Some(Place::at(found.help, found.homes));
        }
        let body = if has_body {
            format!("{}.extra_body", without_indices(owner)).trim_start_matches('.').to_owned()
        } else {
            of_training().filter(|_| is_outside && !version.has(Part::Server, key))?.clone()
        };
        let key = match key {
            "stop_sequences" | "stop_strings" | "stop_words" => "stop",
            "topp" => "top_p",
            "topk" => "top_k",
            "minp" => "min_p",
            key => key,
        };
        if !version.has(Part::Request, key) {
            return None;
        }
        let home = format!("{body}.{key}");
        Some(Place::at(format!("it is a field of vLLM's requests: write it as `{home}`"), vec![home]))
    }

    /// Reports a key that names the path of another one: `"trainer.optim.lr"` in quotes, or as a flag.
    pub(super) fn dotted(&self, named: &str, owner: &str, key: &str) -> Option<Diagnostic> {
        let path = key.trim_start_matches('-').replace('-', "_");
        let last = path.rsplit('.').next().filter(|last| last.len() < path.len())?;
        let of = |path: String| self.names.paths(last).contains(&path).then(|| self.placed(&path)).flatten();
        // From the root, or from the table around it.
        let home = of(path.clone()).or_else(|| of(format!("{}.{path}", without_indices(owner))))?;
        let own = self.path.key();
        let proposal = Proposal { title: format!("write `{home}` without quotes"), ..Proposal::relocate(&own, &home).safe() };
        let message = format!("{named} has no key `{key}`: in quotes, the dots are part of the name");
        let diagnostic = Diagnostic::new(&codes::MISPLACED_KEY, message).label("one key, not a path").choices([&*home]);
        let place = if owner.is_empty() || home == path { "at the top of the file" } else { "in its table" };
        Some(diagnostic.help(format!("write `{home}` without quotes, {place}")).propose(proposal))
    }

    /// Reports a key that exists in another table.
    pub(super) fn other_table(&self, table: Node, owner: &str, named: &str, entry: &Entry) -> Option<Diagnostic> {
        let key = &*entry.key;
        // A word that the data has for this very table is not another one of the same name.
        let plain = without_indices(owner);
        let is_meant = |(setting, steps): (&synonyms::Setting, usize)| (steps > 1 || setting.is_first()) && !setting.is_nothing();
        if synonyms::setting_in(self.schema.kind, &plain, key).is_some_and(is_meant)
            && synonyms::suggestion(self.names, owner, key).is_some_and(|found| !found.homes.is_empty())
        {
            return None;
        }
        let homes: Vec<String> =
            self.usual_homes(&plain, key).into_iter().filter(|home| self.takes(home, entry)).cloned().collect();
        let homes = &homes[..];
        // The paths of known keys contain no indices.
        let own = self.path.schema_path().replace("[]", "");
        let prefix = own.strip_suffix(key).unwrap_or_default();
        // The same table in another variant is not another place, and a table is no place for what is in it.
        let is_around = |home: &String| own.strip_prefix(&**home).is_some_and(|rest| rest.starts_with('.'));
        let homes: Vec<&String> =
            homes.iter().filter(|home| **home != own && !is_around(home) && self.is_near_item(&own, home)).collect();
        let below: Vec<&&String> =
            homes.iter().filter(|home| home.strip_prefix(prefix).is_some_and(|rest| rest.matches('.').count() == 1)).collect();
        // What an item of a list within it has is about that item.
        let below: Vec<&&String> = below.into_iter().filter(|home| self.placed(home).is_some()).collect();
        // What only evaluations have is not meant where something is trained, if it is known why that does not have it.
        let is_of_evaluations = !homes.is_empty() && homes.iter().all(|home| home.contains("eval."));
        let has_reason = || {
            synonyms::suggestion(self.names, owner, key).is_some_and(|found| found.homes.is_empty())
                || self.settings_of_requests(owner, table, key).is_some()
        };
        if is_of_evaluations && !own.contains("eval") && has_reason() {
            return None;
        }
        // A longer name in the same component comes before the same one in another.
        let component = own.split('.').next().filter(|_| self.schema.kind == Kind::Rl && !owner.is_empty()).unwrap_or_default();
        let is_own = |home: &str| is_within(home, component);
        if !component.is_empty()
            && !homes.is_empty()
            && key.contains('_')
            && homes.iter().all(|home| home.contains('.') && !is_own(home))
            && self
                .names
                .with_its_words_elsewhere(key)
                .and_then(|name| self.names.paths(name).first())
                .is_some_and(|home| is_own(home))
        {
            return None;
        }
        if let Some(home) = self.nearer_by_another_name(&plain, key, &homes) {
            let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key");
            return Some(self.belongs_elsewhere(diagnostic, Place::at(format!("in the target it is `{home}`"), vec![home])));
        }
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
        let mut of_components: Vec<String> =
            homes.iter().filter(|_| self.schema.kind == Kind::Rl).filter(is_of_component).map(|home| (*home).clone()).collect();
        // What is about the model is the trainer's.
        of_components.sort_by_key(|home| !home.starts_with("trainer."));
        let places: Vec<String> = match (below.as_slice(), homes.as_slice()) {
            (below, _) if let Some(around) = around => self.around_or_within(&homes, below, around),
            ([home], _) => vec![(**home).clone()],
            _ if let [home] = beside.as_slice() => vec![(**home).clone()],
            _ if !of_components.is_empty() && !owner.is_empty() => of_components,
            // What all components take from the top.
            (_, several) if let Some(home) = shared(several) => vec![home.clone()],
            // The one table that has all of its keys, of which the trainer's comes first.
            _ if let Some(home) = self.the_one_with_all(&homes, entry) => vec![home],
            // A table that is written at the top of the file, as in the file of a component, or as before it moved.
            (_, several)
                if (owner.is_empty() && has_table(entry) || has_tables(entry))
                    && let Some(home) = nearest_of(several) =>
            {
                vec![home.clone()]
            }
            // Another trainer's word for a key of this file is not about another one.
            (_, []) if synonyms::suggestion(self.names, owner, key).is_some_and(|found| !found.homes.is_empty()) => return None,
            // A table of settings that belong here is another trainer's.
            (_, []) if has_table(entry) && self.has_settings(entry) => return None,
            (_, []) => return self.other_kind(owner, named, key),
            (_, [home]) if !synonyms::is_of_other_half(self.names, &own, home) => vec![(**home).clone()],
            // What a table has for all tables within it.
            (_, several)
                if key.contains('_')
                    && let Some(home) = outermost_of(several, &own) =>
            {
                vec![home.clone()]
            }
            // A word with many meanings in prime-rl does not suggest a single place.
            (_, several)
                if several.len() <= MAX_HOMES && key.contains('_') && !several.iter().any(|home| home.contains(".fake.")) =>
            {
                several.iter().map(|home| (*home).clone()).collect()
            }
            _ => return None,
        };
        if self.has_better_beside(table, key, &places) {
            return None;
        }
        let message = format!("{named} has no key `{key}`");
        let mut diagnostic = Diagnostic::new(&codes::MISPLACED_KEY, message)
            .label("belongs to another table")
            .help(format!("the target has {}", list(&places)))
            .choices(places.iter().map(String::as_str));
        // Of several places, the one that comes first is the nearest.
        for place in places.iter().filter_map(|place| self.placed(place)) {
            let help = format!("the target has `{place}`");
            let proposal = Proposal::relocate(&self.path.key(), &place).help(help);
            let chosen = self.with_variant(&proposal, &place);
            diagnostic.proposals.extend(std::iter::once(proposal).chain(chosen));
        }
        Some(diagnostic)
    }

    /// The places of a key that a table around has, and perhaps one within: within its table, it is about that alone. What all components share from the
    /// top is said there.
    fn around_or_within(&self, homes: &[&String], below: &[&&String], around: String) -> Vec<String> {
        let is_shared = self.schema.kind == Kind::Rl && !around.contains('.') && homes.len() > 2;
        let within = below.iter().filter(|_| below.len() == 1).map(|home| (**home).clone());
        let mut places: Vec<String> = within.chain([around]).collect();
        if is_shared {
            places.reverse();
        }
        places
    }

    /// Whether a key beside has the word that is written, and only variants that are not chosen have the key at these places: that is less probable.
    fn has_better_beside(&self, table: Node, key: &str, places: &[String]) -> bool {
        let has_word = |field: &str| key.len() > 3 && field.split('_').any(|word| word == key);
        table.fields(self.schema.point).any(|(field, _)| field.field_name().is_some_and(has_word))
            && places.iter().all(|place| self.is_unchosen(place))
    }

    /// The places of a key that may be meant in the table `owner`: those of a second model are only within its table, and what is made up for a test is
    /// never meant.
    fn usual_homes(&self, owner: &str, key: &str) -> Vec<&String> {
        let homes = self.names.paths(key);
        let is_within_it = |home: &&String| home.strip_prefix(owner).is_some_and(|rest| rest.starts_with('.'));
        let own: Vec<&String> = homes.iter().filter(is_within_it).collect();
        let of_model = |step: &str| step.starts_with("teacher") || step == "student";
        let found = if owner.split('.').any(of_model) && !own.is_empty() { own } else { usual(homes) };
        found.into_iter().filter(|home| owner.contains("fake") || !home.contains(".fake.")).collect()
    }

    /// Whether an item of a list that has the key `own` may mean another one: what is within the item, or in a table around it.
    fn is_near_item(&self, own: &str, home: &str) -> bool {
        let table = above(home);
        let item = self.path.schema_path().rsplit_once("[].").map(|(list, _)| list.replace("[]", ""));
        item.is_none_or(|item| is_within(home, &item) || table.is_empty() || is_within(own, table))
    }

    /// Whether a table has every key that is written in another one.
    pub(super) fn takes_all(&self, home: &str, entry: &Entry) -> bool {
        let keys = self.keys_of(home);
        let is_key = |inner: &Entry| keys.contains(&Some(&*inner.key));
        entry.node.value.as_table().is_some_and(|table| table.entries().iter().all(is_key))
    }

    /// The one of several tables that has every key which is written, or the trainer's among those.
    fn the_one_with_all(&self, homes: &[&String], entry: &Entry) -> Option<String> {
        entry.node.value.as_table().filter(|table| table.entries().len() > 1)?;
        let all: Vec<&&String> = homes.iter().filter(|home| self.takes_all(home, entry)).collect();
        let mut own = all.iter().filter(|home| home.starts_with("trainer."));
        match (&*all, own.next(), own.next()) {
            ([home], ..) | (_, Some(home), None) => Some((**home).clone()),
            _ => None,
        }
    }

    /// The names of the keys of a table at the target.
    pub(super) fn keys_of(&self, home: &str) -> Vec<Option<&'static str>> {
        let fields = self.schema.named(home).into_iter();
        fields.flat_map(|field| self.schema.below(field)).map(Node::field_name).collect()
    }

    /// Whether a place takes what is written: a table takes one of its keys, and no other place takes a table. What only an agent within an item of a
    /// list has, is not meant anywhere else.
    pub(super) fn takes(&self, home: &str, entry: &Entry) -> bool {
        let own = self.path.schema_path();
        // What is written in the item itself is about what is in it.
        let of_item = own.rsplit_once('.').and_then(|(item, _)| item.strip_suffix("[]")).map(|list| list.replace("[]", ""));
        let is_deep = home.matches('.').count() > 4
            && !own.replace("[]", "").starts_with(before_last(home, 2))
            && !of_item.is_some_and(|list| is_within(home, &list));
        // A list of tables goes to a list.
        if matches!(&entry.node.value, Value::List(items) if items.iter().any(|item| item.value.as_table().is_some())) {
            return !is_deep && (self.is_list(home) || !self.is_table(home));
        }
        let Some(table) = entry.node.value.as_table().filter(|table| !table.entries().is_empty()) else {
            // Most names with many places have texts.
            return !is_deep && (entry.node.value.as_str().is_some() || self.may_take("", home, &entry.node.value));
        };
        let keys = self.keys_of(home);
        // A table of any keys takes one that is called so.
        let is_any = |ty: cfg_schema::FieldType| matches!(ty.kind(), TypeKind::Dict | TypeKind::Any);
        if keys.is_empty() && self.types(home).any(|ty| is_any(ty) || ty.members().any(is_any) && ty.kind() == TypeKind::Union) {
            return !is_deep && home.rsplit('.').next().is_some_and(|name| name.contains('_'));
        }
        // A key that has another name there, of another version or for others.
        let inside = |path: &str| path.strip_prefix(home).is_some_and(|rest| rest.starts_with('.'));
        let is_renamed = |inner: &str| {
            let other = || synonyms::suggestion(self.names, home, inner)?.homes.into_iter().next();
            self.now_of(&format!("{home}.{inner}")).or_else(other).is_some_and(|path| inside(&path))
        };
        // The class of a package has keys of its own.
        let is_of_package = matches!(home.rsplit('.').next(), Some("taskset" | "harness")) && keys.contains(&Some("id"));
        let is_key =
            |inner: &Entry| is_of_package || keys.contains(&Some(&*inner.key)) || !keys.is_empty() && is_renamed(&inner.key);
        !is_deep && table.entries().iter().any(is_key)
    }

    /// Whether a table has settings of other trainers that are known here.
    fn has_settings(&self, entry: &Entry) -> bool {
        let owner = self.path.key();
        let is_known = |inner: &Entry| matches!(self.meaning(&format!("{owner}.{}", inner.key)), Meaning::Home(_));
        let inner = entry.node.value.as_table().map(cfg_compose::Table::entries).unwrap_or_default();
        inner.iter().take(MAX_SETTINGS).any(is_known)
    }

    /// Reports a key that belongs to the file of another component.
    pub(super) fn other_kind(&self, owner: &str, named: &str, key: &str) -> Option<Diagnostic> {
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
                .help(format!("the {kind}'s config has it"))
                .propose(Proposal::remove(&self.path.key(), format!("it belongs to the {kind}'s config"))),
        )
    }
}

/// The one of several places whose table contains those of all others that are not about evaluations.
fn outermost_of<'h>(homes: &[&'h String], own: &str) -> Option<&'h String> {
    let is_meant = |home: &&&String| own.contains("eval") || !home.split('.').any(|step| step.starts_with("eval"));
    let meant: Vec<String> = homes.iter().filter(is_meant).map(|home| (*home).clone()).collect();
    let found = outermost(&meant).filter(|_| meant.len() > 1)?;
    homes.iter().find(|home| **home == found).copied()
}

/// Whether keys are written below this one.
pub(super) fn has_table(entry: &Entry) -> bool {
    entry.node.value.as_table().is_some_and(|table| !table.entries().is_empty())
}

/// Whether it is a list of tables.
fn has_tables(entry: &Entry) -> bool {
    matches!(&entry.node.value, Value::List(items) if !items.is_empty() && items.iter().all(|item| item.value.as_table().is_some()))
}
