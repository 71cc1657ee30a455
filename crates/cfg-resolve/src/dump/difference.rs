//! The keys with different values in two resolved configs, as their dumps would show them.
//!
//! What neither config gives is a default in both, so only what is given in one of them is compared. Dumps are made where a table has another class in
//! the other config, or keys that its class does not know.

use std::collections::BTreeSet;

use cfg_compose::Integer;
use cfg_schema::{Node, Point, Segment};
use serde_json::Value as Json;

use super::{Item, dump, is_harness, is_null_a_text};
use crate::{Resolved, ResolvedTable, ResolvedValue, default::default_of};

/// The dotted keys with different values in the dumps of two tables: of a table that only one of them has, its own key; a list counts as a whole.
pub fn changed_keys(one: &ResolvedTable, at: Point, other: &ResolvedTable, other_at: Point) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut path = String::new();
    if at == other_at {
        Comparison { point: at, path, keys: &mut keys }.tables(one, other);
    } else {
        in_dumps(&dump(one, at), &dump(other, other_at), &mut path, &mut keys);
    }
    keys
}

/// The keys with different values in two dumps.
fn in_dumps(one: &Json, other: &Json, path: &mut String, keys: &mut BTreeSet<String>) {
    match (one, other) {
        _ if one == other => {}
        (Json::Object(one), Json::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                let length = extend(path, key);
                in_dumps(one.get(key).unwrap_or(&Json::Null), other.get(key).unwrap_or(&Json::Null), path, keys);
                path.truncate(length);
            }
        }
        _ => {
            keys.insert(path.clone());
        }
    }
}

/// Adds a key to a path. Returns the length before.
fn extend(path: &mut String, key: &str) -> usize {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(key);
    length
}

struct Comparison<'k> {
    point: Point,
    path: String,
    keys: &'k mut BTreeSet<String>,
}

impl Comparison<'_> {
    fn tables(&mut self, one: &ResolvedTable, other: &ResolvedTable) {
        let is_plain = |table: &ResolvedTable| table.extra.is_empty() && !is_harness(table.node);
        if one.node != other.node || !is_plain(one) || !is_plain(other) {
            return in_dumps(&dump(one, self.point), &dump(other, self.point), &mut self.path, self.keys);
        }
        let only_there = other.fields.iter().filter(|field| !one.fields.has(field.node));
        for field in one.fields.iter().chain(only_there) {
            let (Segment::Field(name), Some(interval)) = (field.node.segment(), field.node.at(self.point)) else { continue };
            if interval.is_hidden() {
                continue;
            }
            let default = || (!interval.is_declared()).then(|| default_of(field.node, interval, self.point));
            let length = extend(&mut self.path, name);
            self.fields(one.node, name, given(one, field.node).or_else(default), given(other, field.node).or_else(default));
            self.path.truncate(length);
        }
    }

    /// Compares the values of a field; `None` for one that is not dumped.
    fn fields(&mut self, table: Node, name: &str, one: Option<&Resolved>, other: Option<&Resolved>) {
        let text = ResolvedValue::Str("None".into());
        let dumped = |resolved: Option<&Resolved>| match resolved.map(|resolved| &resolved.value) {
            Some(ResolvedValue::Null) if is_null_a_text(table, name, self.point) => text.clone(),
            Some(value) => value.clone(),
            None => ResolvedValue::Null,
        };
        match (one, other) {
            (Some(one), Some(other)) if !is_null(one) && !is_null(other) => self.values(&one.value, &other.value),
            _ => self.values(&dumped(one), &dumped(other)),
        }
    }

    fn values(&mut self, one: &ResolvedValue, other: &ResolvedValue) {
        use ResolvedValue::{Bool, Int, List, Map, Str, Table};
        let is_same = match (one, other) {
            (Table(one), Table(other)) => return self.tables(one, other),
            (Map(one), Map(other)) if have_same_keys(one, other) => {
                for ((key, one), (_, other)) in one.iter().zip(other) {
                    let length = extend(&mut self.path, key);
                    self.values(&one.value, &other.value);
                    self.path.truncate(length);
                }
                return;
            }
            (List(one), List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.are_equal(one, other))
            }
            (Bool(one), Bool(other)) => one == other,
            (Int(Integer::Small(one)), Int(Integer::Small(other))) => one == other,
            (Str(one), Str(other)) => one == other,
            _ => return in_dumps(&self.dump_of(one), &self.dump_of(other), &mut self.path, self.keys),
        };
        if !is_same {
            self.keys.insert(self.path.clone());
        }
    }

    fn are_equal(&self, one: &Resolved, other: &Resolved) -> bool {
        let mut keys = BTreeSet::new();
        Comparison { point: self.point, path: String::new(), keys: &mut keys }.values(&one.value, &other.value);
        keys.is_empty()
    }

    fn dump_of(&self, value: &ResolvedValue) -> Json {
        let value = Resolved::from(value.clone());
        serde_json::to_value(Item { value: std::borrow::Cow::Owned(value), point: self.point }).unwrap_or_default()
    }
}

fn given(table: &ResolvedTable, node: Node) -> Option<&Resolved> {
    table.fields.find(node).map(|field| &field.resolved)
}

const fn is_null(resolved: &Resolved) -> bool {
    matches!(resolved.value, ResolvedValue::Null)
}

fn have_same_keys(one: &[(Box<str>, Resolved)], other: &[(Box<str>, Resolved)]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|((key, _), (other, _))| key == other)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cfg_compose::Tree;
    use cfg_diag::FileId;
    use cfg_schema::{History, Kind, Target};
    use cfg_syntax::Dialect;

    use super::{changed_keys, in_dumps};
    use crate::{Names, ResolvedTable, dump, resolve};

    fn resolved(target: &Target, kind: Kind, text: &str) -> ResolvedTable {
        let schema = target.schema(kind);
        let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
        resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document)).0
    }

    #[test]
    fn the_same_keys_differ_as_in_dumps() {
        let texts = [
            "[trainer]\n[orchestrator]\n",
            "max_steps = 5\nseq_len = 2048\n[trainer]\n[orchestrator]\n[inference]\n",
            "max_steps = 5\n[trainer.optim]\nlr = 1\n[orchestrator]\n[ckpt]\ninterval = 5\n",
            "max_steps = 5\n[trainer.optim]\nlr = 1e-6\ntype = \"muon\"\n[orchestrator]\nbatch_size = 64\n[ckpt]\n",
            "[trainer.model]\nname = \"a/b\"\nlora = {}\n[[orchestrator.env]]\nid = \"x/y\"\nargs = { a = 1, b = [1, 2.5] }\n",
            "[trainer.model]\nname = \"a/b\"\n[[orchestrator.env]]\nid = \"x/y\"\nargs = { a = 1.0, b = [1, 2] }\n",
            "[trainer]\n[[orchestrator.train.env]]\nid = \"x/y\"\n[[orchestrator.train.env]]\nid = \"z\"\n",
            "[trainer]\n[[orchestrator.train.source]]\nenv.id = \"x\"\nenv.harness = { id = \"null\" }\n",
            "[trainer.weight_broadcast]\ntype = \"nccl\"\n[orchestrator.weight_broadcast]\ntype = \"nccl\"\n[inference]\n",
            "[trainer]\n[orchestrator]\nrenderer = \"None\"\n[inference.vllm_extra]\na = 1\n",
            "[trainer]\n[orchestrator]\nrenderer = {}\n[inference.vllm_extra]\na = 2\nb = inf\n",
        ];
        let mut differing = 0;
        for target in ["0.3.0", "0.4.0", "0.6.0", "0.7.0", "0.8.0"] {
            let target = Target::parse(History::built_in(), target).expect("a release");
            let all: Vec<ResolvedTable> = texts.iter().map(|text| resolved(&target, Kind::Rl, text)).collect();
            for (one, first) in all.iter().zip(texts) {
                for (other, second) in all.iter().zip(texts) {
                    let mut expected = BTreeSet::new();
                    in_dumps(&dump(one, target.point), &dump(other, target.point), &mut String::new(), &mut expected);
                    assert_eq!(changed_keys(one, target.point, other, target.point), expected, "{first}{second}");
                    differing += usize::from(!expected.is_empty());
                }
            }
        }
        assert!(differing > 200, "{differing}");
    }
}
