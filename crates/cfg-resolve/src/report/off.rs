//! Values that say that there is nothing, or that a table is off.

use cfg_compose::Value;
use cfg_diag::{KeyChange, Proposal};
use cfg_schema::{FieldType, Interval, Kind, TypeKind};

use super::{
    unknown_key::list,
    value::{is_all_modules, is_nothing, is_off},
};
use crate::walk::Walker;

impl Walker<'_> {
    /// The removal of a key whose text says that there is nothing, or that a table is off.
    pub(super) fn removed_value(&self, value: &Value, ty: FieldType) -> [Option<Proposal>; 2] {
        let word = value.as_str().unwrap_or("-");
        let (is_nothing, is_off) = (is_nothing(word), is_off(word) || matches!(value, Value::Bool(false)));
        let is_table = matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Union);
        let is_all = is_all_modules(&self.path.last_key(), word);
        if !(is_nothing && ty.kind() != TypeKind::Str || is_off && is_table || is_all) {
            return [None, None];
        }
        // What is on by default is not off without its key.
        let key = self.path.key();
        if is_table && !is_all && self.is_on(&key) {
            return [Some(self.turned_off(key)), None];
        }
        let why = match (is_off, is_all) {
            (true, _) => "without it, it is off",
            (_, true) => "without it, LoRA applies to all linear layers",
            _ => "without it, it has its default",
        };
        let remove = |key: String| {
            let title = format!("remove `{key}`: {why}");
            Proposal::possible(title.clone(), vec![KeyChange::Remove { key }]).help(title)
        };
        // A component may have it from the key at the top that it shares with others.
        let shared = key.split_once('.').filter(|_| self.schema.kind == Kind::Rl).map(|(_, shared)| shared.to_owned());
        [Some(remove(key)), shared.map(remove)]
    }

    /// Whether a table has values where its key is not written.
    fn is_on(&self, key: &str) -> bool {
        let is_on = |interval: Interval| interval.default_json().is_some_and(|json| json.starts_with('{'));
        self.fields(key).into_iter().filter_map(|field| field.at(self.schema.point)).any(is_on)
    }

    /// Turns off a table that is on by default, with those beside it that add something to it and would turn it on again: `ac_offloading` for `ac`.
    fn turned_off(&self, key: String) -> Proposal {
        let owner = key.rsplit_once('.').map_or("", |(owner, _)| owner);
        let at = |name: &str| if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") };
        let own = format!("{}_", self.path.last_key());
        let beside = self.keys_of(owner).into_iter().flatten().filter(|name| name.starts_with(&own));
        let beside: Vec<String> = beside.map(at).filter(|key| self.is_on(key)).collect();
        let title = match beside.as_slice() {
            [] => "write `\"None\"`, which turns it off: it is on by default".to_owned(),
            keys => format!("write `\"None\"`, for {} too: it is on by default, and is needed for that", list(keys)),
        };
        let off = |key: String| KeyChange::Set { key, value: "\"None\"".to_owned() };
        Proposal::possible(title.clone(), std::iter::once(key).chain(beside).map(off).collect()).help(title)
    }
}
