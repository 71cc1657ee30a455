//! Shares equal tables: each is written inline, or once in `definitions`.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::Object;

/// All distinct tables of a schema. A nested table is a reference by number, `#3`.
#[derive(Default)]
pub(super) struct Arena {
    tables: Vec<Object>,
    names: Vec<String>,
    known: HashMap<String, usize>,
}

/// The key that holds a table's number until [`Arena::finish`].
const TABLE: &str = "#";

impl Arena {
    /// Adds a table and returns a reference to it; `path` is where it occurs.
    pub(super) fn table(&mut self, table: Object, path: &str) -> Object {
        let text = Value::Object(table.clone()).to_string();
        let number = *self.known.entry(text).or_insert_with(|| {
            self.tables.push(table);
            self.names.push(path.to_owned());
            self.tables.len() - 1
        });
        Object::from_iter([(TABLE.to_owned(), json!(number))])
    }

    /// The table that a reference from [`Arena::table`] refers to.
    pub(super) fn behind(&self, reference: &Object) -> Option<&Object> {
        self.tables.get(usize::try_from(reference.get(TABLE)?.as_u64()?).ok()?)
    }

    /// The complete schema: `head`, the table `root`, and the definitions.
    pub(super) fn finish(&self, mut head: Object, root: &Object) -> Value {
        let mut uses = vec![0_usize; self.tables.len()];
        self.tables.iter().chain([root]).for_each(|table| table.values().for_each(|value| count(value, &mut uses)));
        let names = self.unique_names();
        let mut is_shared: Vec<bool> = uses.iter().map(|&uses| uses > 1).collect();
        for (number, table) in self.tables.iter().enumerate() {
            // A reference is about as long as the smallest tables.
            is_shared[number] &= Value::Object(table.clone()).to_string().len() > 120;
        }
        let writer = Writer { arena: self, names: &names, is_shared: &is_shared };
        for (key, value) in root {
            head.insert(key.clone(), writer.value(value));
        }
        let definitions: Object = (0..self.tables.len())
            .filter(|&number| is_shared[number])
            .map(|number| (names[number].clone(), Value::Object(writer.members(&self.tables[number]))))
            .collect();
        if !definitions.is_empty() {
            head.insert("definitions".to_owned(), Value::Object(definitions));
        }
        Value::Object(head)
    }

    fn unique_names(&self) -> Vec<String> {
        let mut taken: HashMap<&str, usize> = HashMap::new();
        let mut unique = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let before = taken.entry(name).or_default();
            *before += 1;
            unique.push(if *before == 1 { name.clone() } else { format!("{name}-{before}") });
        }
        unique
    }
}

fn count(value: &Value, uses: &mut [usize]) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| count(item, uses)),
        Value::Object(object) => {
            if let Some(number) = number(object) {
                uses[number] += 1;
            }
            object.values().for_each(|value| count(value, uses));
        }
        _ => {}
    }
}

fn number(object: &Object) -> Option<usize> {
    object.get(TABLE).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

struct Writer<'a> {
    arena: &'a Arena,
    names: &'a [String],
    is_shared: &'a [bool],
}

impl Writer<'_> {
    fn value(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect()),
            Value::Object(object) => Value::Object(self.members(object)),
            plain => plain.clone(),
        }
    }

    fn members(&self, object: &Object) -> Object {
        let mut written: Object =
            object.iter().filter(|(key, _)| *key != TABLE).map(|(key, value)| (key.clone(), self.value(value))).collect();
        let Some(number) = number(object) else { return written };
        if self.is_shared[number] {
            let reference = json!(format!("#/definitions/{}", self.names[number]));
            if written.is_empty() {
                written.insert("$ref".to_owned(), reference);
            } else {
                // Draft 07 ignores everything next to a `$ref`.
                written.insert("allOf".to_owned(), json!([{"$ref": reference}]));
            }
        } else {
            written.extend(self.members(&self.arena.tables[number]));
        }
        written
    }
}
