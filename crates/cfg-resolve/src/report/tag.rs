//! Keys that choose what a table is, under the names and with the words that others have for that.

use cfg_compose::{Entry, Origin, Table};
use cfg_diag::{Applicability, Diagnostic, Edit, Fix, KeyChange, Proposal, codes};
use cfg_schema::{Node, alternatives, without_indices};

use crate::{
    loc::below,
    synonyms,
    walk::{Chosen, Walker},
};

impl Walker<'_> {
    /// A table of a tagged union without a tag.
    pub(crate) fn missing_tag(&mut self, union: Node, tag_key: &str, table: &Table, origin: Origin) {
        let message = format!("`{}` does not say which {tag_key} it is", self.path.last_key());
        let mut diagnostic = self.fault(&codes::MISSING_VARIANT, message, "union_tag_not_found", origin.place());
        let (tags, owner): (Vec<&'static str>, String) = (self.tags(union).collect(), self.path.key());
        let meant = table.entries().iter().find_map(|entry| {
            let text = entry.node.value.as_str()?;
            let exact = tags.iter().find(|tag| **tag == text).copied();
            Some((entry, exact.or_else(|| tag_in_other_words(&owner, tag_key, &entry.key, text, &tags))?))
        });
        diagnostic = match meant {
            Some((entry, tag)) => named_otherwise(diagnostic, &owner, entry, tag_key, tag),
            None => {
                let help = format!("add `{tag_key}`: one of {}", alternatives(tags.iter().copied()));
                self.by_its_keys(union, &owner, table).map_or_else(
                    || diagnostic.clone().help(help),
                    |tag| {
                        let (own, value) = (below(&owner, tag_key), format!("{tag:?}"));
                        let title = format!("write `{own} = {value}`");
                        let help = format!("add `{tag_key} = {value}`, which has what is written");
                        let set = KeyChange::Set { key: own, value };
                        diagnostic.clone().help(help).propose(Proposal::possible(title, vec![set]))
                    },
                )
            }
        };
        self.push(diagnostic.choices(tags));
    }

    /// The variant of a table that says nothing of it but by its keys: the one that the rest of the config means, where that decides, or else the one that has
    /// the most of them; of several, the one that all others only add to.
    fn by_its_keys(&self, union: Node, owner: &str, table: &Table) -> Option<&'static str> {
        let point = self.schema.point;
        let has = |variant: &Node, key: &str| variant.field_for_key(key, point).is_some();
        let known = |variant: &Node| table.entries().iter().filter(|entry| has(variant, &entry.key)).count();
        let variants = union.variants(point).filter_map(|variant| Some((variant.variant_tag()?, variant)));
        let counted: Vec<(usize, &'static str, Node)> = variants.map(|(tag, variant)| (known(&variant), tag, variant)).collect();
        let most = counted.iter().map(|(count, ..)| *count).max().filter(|most| *most > 0)?;
        let having: Vec<(&'static str, Node)> =
            counted.into_iter().filter(|(count, ..)| *count == most).map(|(_, tag, variant)| (tag, variant)).collect();
        if Self::is_meant_elsewhere(owner) {
            let meant = self.meant_variant(owner)?;
            return having.into_iter().map(|(tag, _)| tag).find(|tag| *tag == meant);
        }
        let is_part_of =
            |one: Node, other: Node| one.fields(point).all(|(field, _)| field.field_name().is_some_and(|name| has(&other, name)));
        having.iter().find(|(_, one)| having.iter().all(|(_, other)| is_part_of(*one, *other))).map(|(tag, _)| *tag)
    }

    /// Reports a key that chooses what its table is under another name: `backend = "nccl"`, `mode = "multi-node"`.
    pub(super) fn renamed_tag(&self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let text = entry.node.value.as_str()?;
        let point = self.schema.point;
        let chosen = self.unions.iter().rfind(|chosen| chosen.variant == table);
        let meant = |tags: &mut dyn Iterator<Item = &'static str>, tag_key: &'static str| {
            let tags: Vec<&'static str> = tags.collect();
            let exact = || tags.iter().find(|tag| **tag == text).copied();
            exact().or_else(|| tag_in_other_words(owner, tag_key, &entry.key, text, &tags)).map(|tag| (tag_key, tag))
        };
        let (tag_key, tag) = match chosen {
            Some(Chosen { is_written: true, .. }) => return None,
            Some(Chosen { union, tag_key, .. }) => meant(&mut union.variants(point).filter_map(Node::variant_tag), tag_key)?,
            // One class with a `type` of its own, or with one key that chooses among such words.
            None => {
                let mut of_fields = table.fields(point).filter_map(|(field, interval)| {
                    let name = field.field_name()?;
                    let is_word = || entry.key.len() > 3 && name.split('_').any(|word| *word == *entry.key);
                    let chooses = name == "type" || *entry.key == *"type" || CHOOSING.iter().any(|word| *entry.key == **word);
                    let chooses = chooses || is_word();
                    meant(&mut interval.field_type().literals(), name).filter(|_| chooses)
                });
                let found = of_fields.next()?;
                of_fields.next().is_none().then_some(found)?
            }
        };
        let key = &entry.key;
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key");
        Some(named_otherwise(diagnostic, owner, entry, tag_key, tag))
    }
}

/// Adds that a key of the table `owner` is the one that chooses what the table is, and which choice is meant.
fn named_otherwise(diagnostic: Diagnostic, owner: &str, entry: &Entry, tag_key: &str, tag: &str) -> Diagnostic {
    let at = |name: &str| below(owner, name);
    if entry.node.value.as_str() == Some(tag) {
        let help = format!("`{}` is named `{tag_key}` here", entry.key);
        return diagnostic.help(help).propose(Proposal::relocate(&at(&entry.key), &at(tag_key)));
    }
    let mut diagnostic = diagnostic.help(format!("here it is `{tag_key} = {tag:?}`"));
    if let (Some(key), Some(value)) = (entry.key_origin.place(), entry.node.origin.place()) {
        let edit = |location, new_text: String| Edit { location, new_text };
        let edits = vec![edit(key, tag_key.to_owned()), edit(value, format!("{tag:?}"))];
        diagnostic.fix = Some(Fix::new(format!("write `{tag_key} = {tag:?}`"), Applicability::Unsafe, edits));
    }
    diagnostic
}

/// What others call the key that chooses what a table is.
const CHOOSING: [&str; 11] =
    ["name", "mode", "kind", "method", "strategy", "backend", "algorithm", "algo", "style", "variant", "transport"];

/// The tag that a text means in other words, at a key whose name says that it chooses one.
fn tag_in_other_words(owner: &str, tag_key: &str, key: &str, text: &str, tags: &[&'static str]) -> Option<&'static str> {
    let owner = without_indices(owner);
    // `scheduler.lr_scheduler`, `optim.optimizer_name`: the name of the table says what is chosen.
    let table = owner.rsplit('.').next().unwrap_or_default();
    if !CHOOSING.iter().any(|word| key == *word || key.ends_with(word) && key.contains(table)) {
        return None;
    }
    let written = text.to_ascii_lowercase().replace(['-', ' '], "_");
    let choice = synonyms::choice(&owner, tag_key, text);
    tags.iter().find(|tag| **tag == written || choice == Some(**tag)).copied()
}
