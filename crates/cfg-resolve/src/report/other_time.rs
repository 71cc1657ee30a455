//! What keys of other versions are at the target.

use cfg_schema::{
    FormerValue, FoundField, Kind, Point, find_fields, former,
    moved::{Moved, when},
};

use super::elsewhere::{MAX_HOMES, Place};
use crate::walk::Walker;

/// The most moves of a key that are followed one after the other.
const MAX_MOVES: usize = 3;

impl Walker<'_> {
    /// What a key of this name in the same component is called at the target, if another version has it, and the places.
    pub(super) fn elsewhere_at_another_time(&self, owner: &str, key: &str) -> Option<Place> {
        let (history, kind, point) = (self.schema.history, self.schema.kind, self.schema.point);
        let component = owner.split('.').next().filter(|_| kind == Kind::Rl).unwrap_or_default();
        // A common word has other meanings elsewhere; `tp` has none.
        let is_plain = key.contains('_') || key.len() == 2;
        let homes = self.names.paths_ever(key).iter().filter(|home| home.starts_with(component) && is_plain);
        let mut now: Vec<String> = homes.clone().filter_map(|home| self.now_of_known(home)).collect();
        // What is meant for training comes before what is meant for evaluations.
        now.sort_by_key(|home| (home.contains("eval"), home.len()));
        now.dedup();
        now.truncate(MAX_HOMES);
        if let Some(first) = now.first() {
            return Some(Place::at(format!("in the target it is `{first}`"), now));
        }
        let since = |home: &String| {
            let found = find_fields(history, kind, home);
            found.iter().filter_map(FoundField::since).min().filter(|&since| since > point)
        };
        let homes: Vec<(Point, &String)> = homes.filter_map(|home| Some((since(home)?, home))).collect();
        let (since, home) = homes.iter().min().filter(|_| homes.len() <= MAX_HOMES)?;
        Some(Place::at(format!("`{home}` was added {}; the target does not have it", when(history, *since)), Vec::new()))
    }

    /// What a key is at the target that another version has at a path with this ending.
    pub(super) fn at_another_time(&self, key: &str, ending: &str) -> Option<String> {
        let ever = self.names.paths_ever(key).iter().filter(|home| format!(".{home}").ends_with(ending));
        ever.filter_map(|home| self.now_of_known(home)).min_by_key(String::len)
    }

    /// As [`Self::now_of`], for one of the known paths of a name.
    pub(super) fn now_of_known(&self, home: &str) -> Option<String> {
        self.names.now_of_known(home, || self.now_of(home))
    }

    /// What a path of another version is at the target, with the same value. The table of a key that was renamed may have moved later.
    pub(super) fn now_of(&self, path: &str) -> Option<String> {
        let mut now = self.step_of_move(path)?;
        for _ in 0..MAX_MOVES {
            let plain = now.replace("[]", "");
            if self.names.paths(plain.rsplit('.').next().unwrap_or(&plain)).contains(&plain) {
                break;
            }
            let of_table = || {
                let (table, key) = now.rsplit_once('.')?;
                let list = table.strip_suffix("[]");
                let mark = if list.is_some() { "[]" } else { "" };
                Some(format!("{}{mark}.{key}", self.step_of_move(list.unwrap_or(table))?))
            };
            match self.step_of_move(&now).or_else(of_table).filter(|next| *next != now) {
                Some(next) => now = next,
                None => break,
            }
        }
        Some(now)
    }

    fn step_of_move(&self, path: &str) -> Option<String> {
        let (history, kind, point) = (self.schema.history, self.schema.kind, self.schema.point);
        let moved = Moved::find(history, kind, path, None, point).filter(|moved| !moved.is_dropped).and_then(|moved| moved.to);
        let former = || former(history, kind, path, point).filter(|former| former.value == FormerValue::Same);
        moved.or_else(|| former().map(|former| former.path))
    }

    /// What a key is called now in a table within `owner` that is nearer to it than all of these places within it, which have its former name.
    pub(super) fn nearer_by_another_name(&self, owner: &str, key: &str, homes: &[&String]) -> Option<String> {
        let depth =
            |home: &str| home.strip_prefix(owner).filter(|rest| rest.starts_with('.')).map(|rest| rest.matches('.').count());
        let nearest = homes.iter().filter_map(|home| depth(home)).min().filter(|depth| *depth > 2)?;
        let now = self.names.paths_ever(key).iter().filter_map(|home| self.now_of_known(home));
        // What is said of all items of a list may be said of this one.
        let ever = now.flat_map(|home| self.in_items(&home, owner).into_iter().chain([home]));
        ever.filter(|home| depth(home).is_some_and(|depth| depth < nearest)).min_by_key(|home| depth(home))
    }
}
