//! Values that say that there is nothing, or that a table is off.

use cfg_compose::{Integer, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal};
use cfg_schema::{FieldType, Interval, Kind, TypeKind};

use super::{
    unknown_key::list,
    value::{is_all_modules, is_nothing, is_off, is_on},
};
use crate::{
    loc::{above, below},
    walk::Walker,
};

impl Walker<'_> {
    /// The removal of a key whose text says that there is nothing, or that a table is off.
    pub(super) fn removed_value(&self, value: &Value, ty: FieldType) -> [Option<Proposal>; 2] {
        let word = value.as_str().unwrap_or("-");
        let (is_nothing, is_off) = (is_nothing(word), is_off(word) || matches!(value, Value::Bool(false)));
        let is_table = matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Union);
        let is_all = is_all_modules(&self.path.last_key(), word);
        let key = self.path.key();
        let has_no_limit = |key: &str| is_limit(key) && self.is_null_by_default(key) || self.has_default(key, "-1");
        if matches!(ty.kind(), TypeKind::Int | TypeKind::Float) && is_unlimited(word) && has_no_limit(&key) {
            return self.removals(key, "without it, there is no limit");
        }
        let is_scalar = matches!(ty.kind(), TypeKind::Int | TypeKind::Float | TypeKind::Bool);
        let is_default = matches!(&*word.trim().to_ascii_lowercase(), "auto" | "default");
        // That of a checkpoint is the last one.
        if is_scalar && is_default && !self.is_required(&key) && !key.ends_with("resume_step") {
            return self.removals(key, "without it, it has its default");
        }
        // A name that may be null is off with null.
        let is_name = ty.kind() == TypeKind::Str && ty.is_nullable() && matches!(value, Value::Bool(false));
        // A number that may be null is off with null.
        let is_number = matches!(ty.kind(), TypeKind::Int | TypeKind::Float);
        let is_off_number = is_off && is_number && ty.is_nullable() && value.as_str().is_some();
        if !(is_nothing && ty.kind() != TypeKind::Str || is_off && is_table || is_all || is_name || is_off_number) {
            return [None, None];
        }
        // What is on by default is not off without its key.
        if is_table && !is_all && self.is_on(&key) || is_name && !self.is_null_by_default(&key) {
            return [Some(self.turned_off(key)), None];
        }
        // Nothing is another value than the default.
        if (is_nothing || is_off) && is_number && ty.is_nullable() && !self.is_null_by_default(&key) && !self.is_required(&key) {
            let title = "write `\"None\"`, which is null: without it, it has its default".to_owned();
            let set = KeyChange::Set { key: key.clone(), value: "\"None\"".to_owned() };
            let [removed, _] = self.removals(key, "without it, it has its default");
            return [Some(Proposal::possible(title.clone(), vec![set]).help(title)), removed];
        }
        let why = match (is_off, is_all) {
            // What is null by default may get a value from other keys.
            (true, _) if is_number => "without it, it has its default",
            (true, _) => "without it, it is off",
            (_, true) => "without it, LoRA applies to all linear layers",
            _ => "without it, it has its default",
        };
        self.removals(key, why)
    }

    /// Adds the removal of a key with a number below its limit that stands for no limit: -1, where the key is null if it is not written.
    pub(super) fn without_limit(&self, diagnostic: Diagnostic, value: &Value) -> Diagnostic {
        let key = self.path.key();
        let none = matches!(value, Value::Int(Integer::Small(-1))) || value.as_str() == Some("-1");
        if !none || !is_limit(&key) {
            return diagnostic;
        }
        if !self.is_null_by_default(&key) {
            let is_nullable = self.types(&key).any(FieldType::is_nullable);
            let title = "write `\"None\"`: null is no limit".to_owned();
            let set = KeyChange::Set { key, value: "\"None\"".to_owned() };
            return if is_nullable {
                diagnostic.help(title.clone()).propose(Proposal::possible(title, vec![set]))
            } else {
                diagnostic
            };
        }
        let [own, shared] = self.removals(key, "without it, there is no limit");
        let Some(own) = own else { return diagnostic };
        shared.into_iter().fold(diagnostic.help(own.title.clone()).propose(own), Diagnostic::propose)
    }

    /// The removal of a key; a component may have it from the key at the top that it shares with others.
    fn removals(&self, key: String, why: &str) -> [Option<Proposal>; 2] {
        let remove = |key: String| {
            let title = format!("remove `{key}`: {why}");
            Proposal::possible(title.clone(), vec![KeyChange::Remove { key }]).help(title)
        };
        let shared = key.split_once('.').filter(|_| self.schema.kind == Kind::Rl).map(|(_, shared)| shared.to_owned());
        [Some(remove(key)), shared.map(remove)]
    }

    /// Whether a key is null where it is not written.
    fn is_null_by_default(&self, key: &str) -> bool {
        self.has_default(key, "null")
    }

    /// Whether a key has this value where it is not written.
    fn has_default(&self, key: &str, json: &str) -> bool {
        let is_it = |interval: Interval| interval.default_json() == Some(json);
        self.fields(key).into_iter().filter_map(|field| field.at(self.schema.point)).any(is_it)
    }

    /// Whether a table needs this key.
    fn is_required(&self, key: &str) -> bool {
        self.fields(key).into_iter().filter_map(|field| field.at(self.schema.point)).any(Interval::is_required)
    }

    /// Whether a table has values where its key is not written.
    pub(super) fn is_on(&self, key: &str) -> bool {
        let is_on = |interval: Interval| interval.default_json().is_some_and(|json| json.starts_with('{'));
        self.fields(key).into_iter().filter_map(|field| field.at(self.schema.point)).any(is_on)
    }

    /// Turns off a table that is on by default, with those beside it that add something to it and would turn it on again: `ac_offloading` for `ac`.
    pub(super) fn turned_off(&self, key: String) -> Proposal {
        let owner = above(&key);
        let at = |name: &str| below(owner, name);
        let own = format!("{}_", key.rsplit('.').next().unwrap_or(&key));
        let beside = self.keys_of(owner).into_iter().flatten().filter(|name| name.starts_with(&own));
        let beside: Vec<String> = beside.map(at).filter(|key| self.is_on(key)).collect();
        let title = match beside.as_slice() {
            [] => format!("write `\"None\"` for `{key}`, which turns it off: it is on by default"),
            keys => {
                format!("write `\"None\"` for `{key}`, and for {} too: it is on by default, and is needed for that", list(keys))
            }
        };
        let off = |key: String| KeyChange::Set { key, value: "\"None\"".to_owned() };
        Proposal::possible(title.clone(), std::iter::once(key).chain(beside).map(off).collect()).help(title)
    }
}

/// Whether a value switches a table on: `true`, or the name of what it is about; `None` if it says neither that nor the contrary.
pub(super) fn is_wanted(home: &str, value: &Value) -> Option<bool> {
    let text = match value {
        Value::Bool(is_on) => return Some(*is_on),
        Value::Str(text) => text,
        Value::List(items) => match items.as_slice() {
            [item] => item.value.as_str()?,
            _ => return None,
        },
        _ => return None,
    };
    let is_its_name = home.rsplit('.').next().is_some_and(|name| text.eq_ignore_ascii_case(name));
    match text {
        text if is_nothing(text) || is_off(text) => Some(false),
        text => (is_on(text) || text.eq_ignore_ascii_case("all") || is_its_name).then_some(true),
    }
}

/// Whether a key limits something, so that there is no limit if it is null. A null interval, or a null factor, is something else.
fn is_limit(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key);
    name == "keep_last" || ["max", "num_", "limit"].iter().any(|word| name.contains(word))
}

/// Whether a text says that a number has no limit.
fn is_unlimited(text: &str) -> bool {
    matches!(&*text.trim().to_ascii_lowercase(), "all" | "unlimited" | "infinite" | "infinity" | "inf" | "no limit" | "-1")
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// What the first proposal about `key` says.
    fn proposed(text: &str, key: &str) -> Option<String> {
        let found = found_in(Kind::Rl, "0.8.0", text);
        let found = found.into_iter().find(|found| found.key.as_deref() == Some(key))?;
        found.proposals.first().map(|proposal| proposal.title.clone())
    }

    #[test]
    fn no_limit_is_no_key() {
        for value in ["-1", "\"all\"", "\"unlimited\""] {
            let title = proposed(&format!("[ckpt]\nkeep_last = {value}\n"), "ckpt.keep_last");
            assert_eq!(title.as_deref(), Some("remove `ckpt.keep_last`: without it, there is no limit"), "{value}");
        }
        // Another number says something else, and what is not null by default has a limit all the same.
        assert_eq!(proposed("[ckpt]\nkeep_last = 0\n", "ckpt.keep_last"), None);
        assert_eq!(proposed("[ckpt]\nkeep_interval = \"all\"\n", "ckpt.keep_interval"), None);
        assert_eq!(proposed("[ckpt]\ninterval = -1\n", "ckpt.interval"), None);
        assert_eq!(proposed("[orchestrator]\ngroup_size = -1\n", "orchestrator.group_size"), None);
    }

    #[test]
    fn no_value_is_not_the_default() {
        let title = proposed("[trainer.optim]\nmax_norm = \"none\"\n", "trainer.optim.max_norm");
        assert_eq!(title.as_deref(), Some("write `\"None\"`, which is null: without it, it has its default"));
        let title = proposed("[ckpt]\ninterval = \"none\"\n", "ckpt.interval");
        assert_eq!(title.as_deref(), Some("remove `ckpt.interval`: without it, it has its default"));
    }

    #[test]
    fn a_number_is_not_off_without_its_key() {
        let found = found_in(Kind::Orchestrator, "main", "batch_size = \"off\"\n");
        let titles: Vec<&str> = found.iter().flat_map(|found| &found.proposals).map(|proposal| &*proposal.title).collect();
        assert!(!titles.is_empty() && titles.iter().all(|title| title.ends_with("it has its default")), "{titles:?}");
    }

    #[test]
    fn a_name_is_turned_off() {
        let remove = "remove `inference.quantization`: without it, it is off";
        assert_eq!(proposed("[inference]\nquantization = false\n", "inference.quantization").as_deref(), Some(remove));
        let parser = proposed("[inference.model]\ntool_call_parser = false\n", "inference.model.tool_call_parser");
        assert!(parser.as_ref().is_some_and(|title| title.starts_with("write `\"None\"`")), "{parser:?}");
    }
}
