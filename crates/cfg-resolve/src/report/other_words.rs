//! Unknown keys that say the same as a key beside them, or less than a key elsewhere.

use cfg_compose::{Entry, Value};
use cfg_diag::{Applicability, Diagnostic, Proposal};
use cfg_schema::{Node, moved::Moved, without_indices};

use super::{elsewhere::Place, unknown_key::with_name};
use crate::{
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
    /// Adds to an unknown key what it says in other words, what it is but for a typing error, or what its name resembles.
    pub(super) fn in_other_words(
        &mut self,
        (table, owner, named): (Node, &str, &str),
        diagnostic: Diagnostic,
        entry: &Entry,
    ) -> Diagnostic {
        let (key, point) = (&*entry.key, self.schema.point);
        let fields = table.fields(point).flat_map(|(field, interval)| {
            let own = field.field_name().filter(|_| interval.aliases().len() == 0);
            own.into_iter().chain(interval.aliases())
        });
        let fields: Vec<&str> = fields.collect();
        // One typing error in a name that is known elsewhere is more probable than several in one of the table's own.
        let near = nearest(key, fields.iter().copied());
        let near = near.map(|near| (near, self.names.is_slip(key, near, &fields)));
        if near.is_none_or(|(_, is_slip)| !is_slip) {
            let own: Vec<&'static str> = table.fields(point).filter_map(|(field, _)| field.field_name()).collect();
            if let Some(name) = beside(owner, entry, &fields, &own) {
                return self.named(owner, diagnostic, entry, name, Applicability::Unsafe);
            }
            if let Some(home) = self.within_table(owner, key, &own) {
                return self.belongs_elsewhere(diagnostic, Place::at(format!("did you mean `{home}`?"), vec![home]));
            }
            if let Some(diagnostic) = self.misspelt(table, named, owner, entry) {
                return diagnostic;
            }
        }
        self.by_name((table, owner), diagnostic, entry, &fields, near)
    }

    /// The key of a table within `owner` that an unknown key names together with that table: `ac_freq` is `ac.freq`.
    pub(super) fn within_table(&self, owner: &str, key: &str, fields: &[&'static str]) -> Option<String> {
        let own = without_indices(owner);
        let at = |name: &str| if own.is_empty() { name.to_owned() } else { format!("{own}.{name}") };
        let mut found = fields.iter().filter_map(|table| {
            let rest = key.strip_prefix(table)?.strip_prefix('_').filter(|rest| !rest.is_empty())?;
            let keys: Vec<&'static str> = self.keys_of(&at(table)).into_iter().flatten().collect();
            let name = keys.iter().copied().find(|name| *name == rest).or_else(|| alike(rest, keys.iter().copied()))?;
            Some(format!("{}.{name}", at(table)))
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// Adds to an unknown key the only key of another table whose name has all of its words, and more.
    pub(super) fn longer_elsewhere(&self, diagnostic: Diagnostic, entry: &Entry) -> Option<Diagnostic> {
        let name = self.names.with_its_words_elsewhere(&entry.key)?;
        let home = self.names.paths(name).first()?;
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
        let to = if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") };
        // The headers of a table and of those below it are renamed together.
        let proposal = Proposal { applicability, ..Proposal::relocate(&self.path.key(), &to) };
        let diagnostic = diagnostic.choices([name]).propose(proposal);
        with_name(diagnostic.help(format!("did you mean `{name}`?")), entry, name, applicability)
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
