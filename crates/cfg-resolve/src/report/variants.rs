//! Keys that only some variants of a table have: the changes that choose such a variant.

use cfg_compose::Entry;
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes};
use cfg_schema::{Node, Segment, alternatives, find_fields};

use super::{OTHER_VARIANT, other_words::beside};
use crate::{
    native::renderer_of,
    synonyms,
    walk::{Chosen, Walker},
};

/// The variants of a table that have a key: the path of the table, and their tags.
pub(super) struct Having {
    pub(super) table: String,
    pub(super) tags: Vec<String>,
}

impl Walker<'_> {
    /// The variants of its table that have the key at a path; `None` if the table has no variants.
    pub(super) fn variants_with(&self, path: &str) -> Option<Having> {
        let (table, key) = path.rsplit_once('.')?;
        let (history, kind, point) = (self.schema.history, self.schema.kind, self.schema.point);
        let fields = find_fields(history, kind, path);
        let tag = |path: &str| {
            let owner = path.strip_suffix(key)?.strip_suffix('.')?;
            owner.strip_suffix('>')?.rsplit_once('=').map(|(_, tag)| tag.to_owned())
        };
        let tags: Vec<String> =
            fields.iter().filter(|field| field.exists_at(point)).filter_map(|field| tag(&field.path)).collect();
        (!tags.is_empty()).then(|| Having { table: table.to_owned(), tags })
    }

    /// Reports a key that another variant of this table has.
    pub(super) fn other_variant(&self, table: Node, named: &str, entry: &Entry) -> Option<Diagnostic> {
        let key = &*entry.key;
        let Chosen { union, tag_key, is_written, .. } = *self.unions.iter().rfind(|chosen| chosen.variant == table)?;
        let has_key = |variant: &Node| variant.field(key).is_some_and(|field| field.at(self.schema.point).is_some());
        let mut tags: Vec<&str> = union.variants(self.schema.point).filter(has_key).filter_map(Node::variant_tag).collect();
        let chosen = table.variant_tag().unwrap_or_default();
        if tags.is_empty() {
            return None;
        }
        let own = self.path.key();
        let (owner, _) = own.rsplit_once('.')?;
        let diagnostic = Diagnostic::new(&codes::MISPLACED_KEY, format!("{named} has no key `{key}`: it is \"{chosen}\""))
            .label(OTHER_VARIANT);
        // What is chosen may have the same by another name.
        let own_names = || {
            let fields: Vec<&'static str> = table.fields(self.schema.point).filter_map(|(field, _)| field.field_name()).collect();
            let name = beside(owner, entry, &fields, &fields).filter(|name| self.may_take(owner, name, &entry.node.value))?;
            is_written.then(|| name.to_owned())
        };
        let renamed = synonyms::suggestion(self.names, owner, key).and_then(|found| found.rename).or_else(own_names);
        let renamed = renamed.filter(|name| table.field(name).is_some_and(|field| field.at(self.schema.point).is_some()));
        if let Some(name) = renamed {
            let to = format!("{owner}.{name}");
            let help = format!("\"{chosen}\" calls it `{name}`; only {} has it by this name", alternatives(tags.iter().copied()));
            return Some(diagnostic.help(help).choices([&*name]).propose(Proposal::relocate(&own, &to)));
        }
        let mut diagnostic =
            diagnostic.help(format!("only {} has it", alternatives(tags.iter().copied()))).choices(tags.iter().copied());
        // What is written decides before what is a default. The schedule that is otherwise the same as the chosen one comes first.
        let tag_key = format!("{owner}.{tag_key}");
        tags.sort_by_key(|tag| *tag != "linear");
        if let Some(meant) = self.meant_variant(owner) {
            tags.sort_by_key(|tag| **tag != *meant);
        }
        let keeps_both = chosen == "constant" && self.choosing_variant(&own).is_some_and(|changes| changes.len() > 1);
        let remove = Proposal::remove(&own, "");
        // What the config chooses by another name is not replaced.
        let chosen_as = self.run.optimizer.as_deref().filter(|_| owner.ends_with("optim"));
        let chosen_as = chosen_as.map(|text| synonyms::choice(owner, "type", text).unwrap_or(text));
        if !is_written && chosen_as.is_some_and(|tag| !tags.contains(&tag)) {
            return Some(diagnostic);
        }
        let choose = tags.into_iter().map(|tag| {
            let set = KeyChange::Set { key: tag_key.clone(), value: format!("{tag:?}") };
            let help = format!("set `{tag_key}` to \"{tag}\", which has it");
            let chosen = self.choosing_variant(&own).filter(|changes| changes.contains(&set) && chosen == "constant");
            let title = match chosen.as_deref() {
                Some([_, rest]) => format!("set `{tag_key}` to \"{tag}\" with {}", in_words(rest).unwrap_or_default()),
                _ => format!("set `{tag_key}` to \"{tag}\""),
            };
            Proposal::possible(title, chosen.unwrap_or_else(|| vec![set])).help(help)
        });
        let mut proposals: Vec<Proposal> = choose.collect();
        proposals.insert(if is_written && !keeps_both { 0 } else { proposals.len() }, remove);
        diagnostic.proposals = proposals;
        Some(diagnostic)
    }

    /// Whether only variants have the key at a path that are not the default ones of a table which the config does not write.
    pub(super) fn is_unchosen(&self, path: &str) -> bool {
        let point = self.schema.point;
        let Some(Having { table, tags }) = self.variants_with(path) else { return false };
        let defaults = self.fields(&table).into_iter().filter_map(|field| field.at(point)?.default_variant());
        defaults.into_iter().all(|default| !tags.iter().any(|tag| tag == default))
    }

    /// The learning rate of an optimizer that the config does not set, for a schedule at `home`.
    pub(super) fn default_rate(&self, home: &str) -> Option<f64> {
        let (component, _) = home.split_once("scheduler.")?;
        let fields = self.fields(&format!("{component}optim.lr"));
        let mut rates = fields.into_iter().filter_map(|field| field.at(self.schema.point)?.default_json()?.parse::<f64>().ok());
        let first = rates.next()?;
        rates.all(|rate| rate.to_bits() == first.to_bits()).then_some(first)
    }

    /// The changes that choose a variant which has the key at a path, for tables of which another one is the default that people do not write. The
    /// linear schedule warms up like the constant one and stays at its peak if nothing decays.
    pub(super) fn choosing_variant(&self, path: &str) -> Option<Vec<KeyChange>> {
        let Having { table, tags } = self.variants_with(path)?;
        let name = table.rsplit('.').next()?;
        let set = |key: &str, value: String| KeyChange::Set { key: format!("{table}.{key}"), value };
        if let Some(tag) = self.meant_variant(&table).filter(|tag| tags.iter().any(|having| having == tag)) {
            let key = if name == "renderer" { "name" } else { "type" };
            return Some(vec![set(key, format!("{tag:?}"))]);
        }
        match (name, path.rsplit('.').next()?) {
            ("scheduler", "warmup_steps") if tags.iter().any(|tag| tag == "linear") => {
                Some(vec![set("type", "\"linear\"".to_owned()), set("decay_steps", "0".to_owned())])
            }
            ("scheduler", _) if tags.iter().any(|tag| tag == "linear") => Some(vec![set("type", "\"linear\"".to_owned())]),
            ("deployment" | "pool", _) => {
                tags.first().filter(|_| tags.len() == 1).map(|tag| vec![set("type", format!("{tag:?}"))])
            }
            _ => None,
        }
    }

    /// Whether the rest of the config decides which variant a table is: a renderer belongs to a model, whatever keys it shares with those of others.
    pub(super) fn is_meant_elsewhere(table: &str) -> bool {
        matches!(table.rsplit('.').next(), Some("renderer" | "scheduler"))
    }

    /// The variant of a table that the config means without naming it there: the schedule that it chooses by another name, the renderer of its model.
    pub(super) fn meant_variant(&self, table: &str) -> Option<&str> {
        match table.rsplit('.').next()? {
            "scheduler" => {
                let text = self.run.schedule.as_deref()?;
                Some(synonyms::choice(table, "type", text).unwrap_or(text))
            }
            "renderer" => renderer_of(self.run.model.as_deref()?),
            _ => None,
        }
    }

    /// What has become a table with variants, of which one has a key of its name: the value goes there, and the variant is chosen.
    pub(super) fn placed_in_variant(&self, own: &str, table: &str) -> Option<Proposal> {
        let name = own.rsplit('.').next()?;
        let inner = format!("{table}.{name}");
        let having = self.variants_with(&inner)?;
        let [tag] = having.tags.as_slice() else { return None };
        let (home, tag_key) = (self.placed(&inner)?, self.placed(&format!("{table}.type"))?);
        let choice = KeyChange::Set { key: tag_key, value: format!("{tag:?}") };
        let relocated = Proposal::relocate(own, &home);
        let title = format!("{}, and set {}", relocated.title, in_words(&choice)?);
        let help = format!("in the target it is `{home}`, with {}", in_words(&choice)?);
        let changes = relocated.changes.iter().cloned().chain([choice]).collect();
        Some(Proposal { title, changes, ..relocated }.help(help))
    }

    /// As [`Self::with_variant`], for a place within an item of a list.
    pub(super) fn in_its_variant(&self, proposal: &Proposal, home: &str) -> Option<Proposal> {
        let mut proposal = self.with_variant(proposal, home)?;
        for change in &mut proposal.changes {
            if let KeyChange::Set { key, .. } = change {
                *key = self.placed(key)?;
            }
        }
        Some(proposal)
    }

    /// The tag of a table that the config chooses, if that has no key at `home`.
    pub(super) fn chosen_without(&self, home: &str) -> Option<&'static str> {
        let having = self.variants_with(home)?;
        let chosen = self.unions.iter().rfind(|chosen| chosen.is_written)?;
        let Segment::Variant(tag) = chosen.variant.segment() else { return None };
        let is_here = self.path.schema_path().rsplit_once('.').is_some_and(|(table, _)| table == having.table);
        (is_here && !having.tags.iter().any(|having| having == tag)).then_some(tag)
    }

    /// A proposal that also chooses the variant which has the key at `home`.
    pub(super) fn with_variant(&self, proposal: &Proposal, home: &str) -> Option<Proposal> {
        let choice = self.choosing_variant(home)?;
        let said: Vec<String> = choice.iter().filter_map(in_words).collect();
        let title = format!("{}, and set {}", proposal.title, said.join(" and "));
        let changes = proposal.changes.iter().cloned().chain(choice).collect();
        Some(Proposal { title, changes, ..proposal.clone() })
    }
}

/// A value that is set, for a title.
pub(super) fn in_words(change: &KeyChange) -> Option<String> {
    match change {
        KeyChange::Set { key, value } => Some(format!("`{key} = {value}`")),
        KeyChange::Move { .. } | KeyChange::Table { .. } | KeyChange::Remove { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::{KeyChange, codes};
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// The places of the first misplaced or unknown key of a text, the first of which a change moves it to.
    fn moved(target: &str, text: &str) -> Option<String> {
        let found = found_in(Kind::Rl, target, text);
        let is_it = |code| code == &codes::MISPLACED_KEY || code == &codes::UNKNOWN_KEY;
        let found = found.into_iter().find(|found| is_it(found.code))?;
        found.proposals.first()?.changes.iter().find_map(|change| match change {
            KeyChange::Move { to, .. } => Some(to.clone()),
            _ => None,
        })
    }

    #[test]
    fn what_another_variant_has_may_be_there_by_another_name() {
        let optim = |tag: &str| format!("[trainer.optim]\ntype = \"{tag}\"\nmomentum = 0.9\n");
        assert_eq!(moved("0.8.0", &optim("muon")).as_deref(), Some("trainer.optim.mu"));
        assert_eq!(moved("0.8.0", &optim("adamw")), None);
        // Muon has none at that version.
        assert_eq!(moved("0.4.0", &optim("muon")), None);
    }

    #[test]
    fn a_key_beside_comes_before_one_of_a_variant_that_is_not_chosen() {
        assert_eq!(moved("0.8.0", "[trainer]\ntimeout = 3600\n").as_deref(), Some("trainer.dist_timeout_seconds"));
    }

    #[test]
    fn a_place_takes_the_kind_of_value() {
        // `wandb.group` is a text.
        assert_eq!(moved("0.8.0", "[orchestrator]\ngroup = 8\n").as_deref(), Some("orchestrator.group_size"));
        assert_eq!(moved("0.8.0", "[orchestrator]\ngroup = \"a\"\n").as_deref(), Some("orchestrator.wandb.group"));
    }

    #[test]
    fn what_is_written_in_an_item_is_within_it() {
        let item = |key: &str| format!("[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\n{key}\n");
        for (key, home) in
            [("harness.id = \"bash\"", "harness"), ("max_turns = 3", "max_turns"), ("runtime.type = \"docker\"", "runtime")]
        {
            let home = format!("orchestrator.train.source[0].env.agent.{home}");
            assert_eq!(moved("0.8.0", &item(key)), Some(home), "{key}");
        }
    }
}
