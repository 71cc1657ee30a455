//! Whether the conditions of moves hold in a config.

use cfg_compose::Value;
use cfg_schema::Point;

use crate::{
    conversion::{Condition, body_of, is},
    draft::{Node, Path},
    pattern::{self, Match},
    step::{Prepared, Stepper, prefix},
};

impl Stepper {
    /// The path of a component's key in this file.
    pub(crate) fn component_path(&self, prepared: &Prepared, dotted: &str) -> Path {
        let prefix = prefix(self.kind, prepared.entry.from().0).unwrap_or_default();
        let keys = prefix.split('.').chain(dotted.split('.')).filter(|key| !key.is_empty());
        keys.map(Into::into).collect()
    }

    /// Whether a condition holds for a match in the config, with the schema at `before`.
    pub(crate) fn holds(&self, condition: &Condition, prepared: &Prepared, matched: &Match, before: Point) -> bool {
        // What was at a former place of a migrated value is not known any more.
        if self.reads_taken(condition, prepared) {
            return false;
        }
        let value_at = |path: Option<&'static str>| match path {
            None => self.draft.root.get(&matched.path).map(Node::to_value),
            Some(dotted) => self.value_or_default(&self.component_path(prepared, dotted), before),
        };
        match condition {
            Condition::OneElement => {
                let value = self.draft.root.get(&matched.path).map(Node::to_value);
                matches!(value, Some(Value::List(items)) if items.len() == 1)
            }
            Condition::Is(path, json) => value_at(*path).is_some_and(|value| is(&value, json)),
            Condition::IsNot(path, json) => value_at(*path).is_some_and(|value| !is(&value, json)),
            Condition::CountsOn(paths) => {
                let own = self.draft.root.get(&matched.path).map(Node::to_value);
                let others = paths.iter().map(|path| self.value_or_default(&self.component_path(prepared, path), before));
                let mut next = 0.0;
                others.chain([own]).all(|value| match value {
                    Some(Value::List(items)) => items.iter().all(|item| {
                        let is_next = is(&item.value, &serde_json::Value::from(next));
                        next += 1.0;
                        is_next
                    }),
                    None | Some(Value::Null) => true,
                    Some(_) => false,
                })
            }
            Condition::Present(path) => self.is_present(&self.component_path(prepared, path)),
            Condition::Absent(path) => !self.is_present(&self.component_path(prepared, path)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition, prepared, matched, before)),
            Condition::All(all) => all.iter().all(|condition| self.holds(condition, prepared, matched, before)),
        }
    }

    /// Whether a condition reads a former place of a value that is written for the new prime-rl already.
    fn reads_taken(&self, condition: &Condition, prepared: &Prepared) -> bool {
        let is_taken = |path: &&'static str| self.taken.contains_key(&self.component_path(prepared, path));
        !self.taken.is_empty()
            && match condition {
                Condition::Is(path, _) | Condition::IsNot(path, _) => path.iter().any(is_taken),
                Condition::Present(path) | Condition::Absent(path) => is_taken(path),
                Condition::CountsOn(paths) => paths.iter().any(is_taken),
                Condition::OneElement | Condition::All(_) | Condition::Any(_) => false,
            }
    }

    /// Whether the keys that a condition reads are written, so that it does not hold by a default.
    pub(crate) fn is_written(&self, condition: &Condition, prepared: &Prepared) -> bool {
        match condition {
            Condition::Is(Some(path), _) | Condition::IsNot(Some(path), _) => {
                self.draft.root.get(&self.component_path(prepared, path)).is_some()
            }
            Condition::All(all) | Condition::Any(all) => all.iter().all(|condition| self.is_written(condition, prepared)),
            _ => true,
        }
    }

    /// Whether a key exists and is not null.
    fn is_present(&self, path: &[Box<str>]) -> bool {
        let is_null = |value: &Value| matches!(value, Value::Null) || value.as_str() == Some("None");
        self.draft.root.get(path).is_some_and(|node| !node.leaf().is_some_and(is_null))
    }

    /// Whether a key is written as null where null is the default, so that it has no effect.
    pub(crate) fn is_unset(&self, path: &[Box<str>], at: Point) -> bool {
        let root = &self.draft.root;
        let is_null = |value: &Value| matches!(value, Value::Null) || value.as_str() == Some("None");
        root.get(path).and_then(Node::leaf).is_some_and(is_null)
            && pattern::field_at(root, self.root(), at, path)
                .and_then(|field| field.at(at))
                .is_some_and(|interval| !interval.is_required() && interval.default_json().is_none_or(|json| json == "null"))
    }

    /// The written value of a key, or the default of its field; `None` if a table above it is null.
    pub(crate) fn value_or_default(&self, path: &[Box<str>], point: Point) -> Option<Value> {
        let root = &self.draft.root;
        if let Some(node) = root.get(path) {
            return Some(node.to_value());
        }
        let default = |path: &[Box<str>]| {
            let field = pattern::field_at(root, self.root(), point, path)?;
            serde_json::from_str::<serde_json::Value>(field.at(point)?.default_json()?).ok()
        };
        let is_on = |length: &usize| {
            root.get(&path[..*length]).is_some() || default(&path[..*length]).is_some_and(|json| !json.is_null())
        };
        if !(1..path.len()).all(|length| is_on(&length)) {
            return None;
        }
        let json = default(path).filter(|json| !json.is_null())?;
        Some(Node::made(body_of(&json, None)).to_value())
    }
}
