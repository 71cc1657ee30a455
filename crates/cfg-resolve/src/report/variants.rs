//! Keys that only some variants of a table have: the changes that choose such a variant.

use cfg_diag::{KeyChange, Proposal};
use cfg_schema::find_fields;

use crate::{synonyms, walk::Walker};

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

    /// The changes that choose a variant which has the key at a path, for tables of which another one is the default that people do not write. The
    /// linear schedule warms up like the constant one and stays at its peak if nothing decays.
    pub(super) fn choosing_variant(&self, path: &str) -> Option<Vec<KeyChange>> {
        let Having { table, tags } = self.variants_with(path)?;
        let name = table.rsplit('.').next()?;
        let set = |key: &str, value: String| KeyChange::Set { key: format!("{table}.{key}"), value };
        // What the config chooses by another name is the one that is meant.
        let chosen = self.run.schedule.as_deref().filter(|_| name == "scheduler");
        let chosen = chosen.map(|text| synonyms::choice(&table, "type", text).unwrap_or(text));
        if let Some(tag) = chosen.filter(|tag| tags.iter().any(|having| having == tag)) {
            return Some(vec![set("type", format!("{tag:?}"))]);
        }
        match (name, path.rsplit('.').next()?) {
            ("scheduler", "warmup_steps") if tags.iter().any(|tag| tag == "linear") => {
                Some(vec![set("type", "\"linear\"".to_owned()), set("decay_steps", "0".to_owned())])
            }
            ("scheduler", _) if tags.iter().any(|tag| tag == "linear") => Some(vec![set("type", "\"linear\"".to_owned())]),
            ("deployment", _) => tags.first().filter(|_| tags.len() == 1).map(|tag| vec![set("type", format!("{tag:?}"))]),
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
