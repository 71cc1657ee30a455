//! Former names that prime-rl still accepts after the move that changed them.

use cfg_schema::{Node as Field, Point, Policy, TypeKind};

use crate::{
    making::Making,
    pattern::{self, Match, find},
    step::{Prepared, Stepper, tables_of},
};

impl Stepper {
    /// Renames keys with former names to the names that they have at `from`.
    pub(crate) fn catch_up(&mut self, all: &[Prepared], group: &[Prepared], from: Point) {
        let mut found: Vec<(&Prepared, Match)> = Vec::new();
        // A key that came back and was removed again is not a former name.
        let left_again = |prepared: &Prepared| {
            let is_later = |other: &&Prepared| other.entry.point() > prepared.entry.point() && other.entry.point() <= Some(from);
            all.iter().filter(is_later).any(|other| other.from == prepared.from && other.leaves())
        };
        for prepared in group.iter().filter(|prepared| prepared.is_of_table() && prepared.to.is_some()) {
            let mut former = find(&self.draft.root, Some(self.root()), from, &prepared.from);
            former.retain(|matched| self.is_former(&matched.path, from));
            // Few keys are former names, so all moves are searched only for those.
            if !former.is_empty() && !left_again(prepared) {
                found.extend(former.into_iter().map(|matched| (prepared, matched)));
            }
        }
        let tables = tables_of(found.iter().map(|(prepared, _)| *prepared));
        for (prepared, matched) in &found {
            self.one(&Making { prepared, matched, point: from, tables: &tables, is_safe: true }, None);
        }
    }

    /// Whether a key is not in the schema, and its table refuses unknown keys: then a validator must accept it. A table that ignores unknown keys
    /// never gave the key an effect, and renaming must not give it one.
    fn is_former(&self, path: &[Box<str>], at: Point) -> bool {
        let root = &self.draft.root;
        let is_own = |length: usize| {
            let owner = pattern::field_at(root, self.root(), at, &path[..length])?;
            let table = root.get(&path[..length]).map_or(owner, |node| pattern::variant(node, owner, at));
            let is_own = table.field(&path[length]).is_some_and(|field| field.at(at).is_some());
            Some((is_own, table))
        };
        // The innermost known table decides.
        let known = (0..path.len()).rev().find_map(is_own);
        known.is_some_and(|(is_own, table)| !is_own && forbids(table, at))
    }
}

fn forbids(table: Field, at: Point) -> bool {
    let kind = table.at(at).map(|interval| interval.field_type().kind());
    !matches!(kind, Some(TypeKind::Table(policy)) if policy != Policy::Forbid)
}
