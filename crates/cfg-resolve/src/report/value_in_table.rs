//! Tables in place of a value, which have it among their keys.

use cfg_compose::{Table, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal};
use cfg_schema::{FieldType, TypeKind};

use super::{
    foreign_table::{MAX_SETTINGS, Meaning, collect},
    unknown_key::list,
};
use crate::{
    emit::{inline, string},
    synonyms::{Form, Suggestion},
    walk::Walker,
};

impl Walker<'_> {
    /// Adds what a table becomes that is written where one value is needed: the value that names what it is about, and each other key at its own place.
    pub(super) fn table_for_value(&self, diagnostic: Diagnostic, table: &Table, ty: FieldType) -> Diagnostic {
        const NAMES: [&str; 6] = ["name", "path", "id", "model_name", "name_or_path", "model"];
        let own = self.path.key();
        let mut leaves = Vec::new();
        collect(&own, table, &mut leaves);
        if leaves.len() > MAX_SETTINGS {
            return diagnostic;
        }
        let is_text = matches!(ty.kind(), TypeKind::Str | TypeKind::Path);
        let names_it = |key: &str| key.strip_prefix(&*own).is_some_and(|rest| NAMES.contains(&&rest[1..]));
        let (mut changes, mut said, mut left, mut value) = (Vec::new(), Vec::new(), Vec::new(), None);
        let switches = |key: &str| ["enabled", "enable", "on", "use", "active"].contains(&key.rsplit('.').next().unwrap_or(key));
        for (key, written) in leaves {
            if let (TypeKind::Bool, Value::Bool(is_on)) = (ty.kind(), written)
                && value.is_none()
                && switches(&key)
            {
                value = Some(is_on.to_string());
                continue;
            }
            let is_value = matches!(key.strip_prefix(&*own), Some(".value" | ".default")) && value.is_none();
            if is_value && is_of_type(written, ty.kind()) {
                value = Some(inline(written));
                continue;
            }
            if let Some(text) = written.as_str().filter(|_| is_text && value.is_none() && names_it(&key)) {
                value = Some(string(text));
                continue;
            }
            let home = match self.meaning(&key) {
                Meaning::Home(Suggestion { homes, form: Some(Form::Same), .. }) => {
                    homes.first().and_then(|home| self.placed(home))
                }
                _ => None,
            };
            match home.filter(|home| *home != own && !home.starts_with(&format!("{own}."))) {
                Some(home) => {
                    said.push(format!("`{key}` is `{home}`"));
                    changes.extend(self.carried(&key, &home, written));
                }
                None => left.push(key),
            }
        }
        if value.is_none() && changes.is_empty() {
            return diagnostic;
        }
        let mut write = said.clone();
        changes.push(KeyChange::Remove { key: own.clone() });
        if let Some(value) = value {
            write.insert(0, format!("write `{own} = {value}`"));
            changes.push(KeyChange::Set { key: own.clone(), value });
        }
        let without = if left.is_empty() { String::new() } else { format!(", and leave out {}", list(&left)) };
        let title = format!("{}{without}", write.join("; "));
        diagnostic.help(title.clone()).propose(Proposal::possible(title, changes).loses(left, ""))
    }
}

/// Whether a value has this type as it is.
const fn is_of_type(value: &Value, kind: TypeKind) -> bool {
    match value {
        Value::Int(_) => matches!(kind, TypeKind::Int | TypeKind::Float),
        Value::Float(_) => matches!(kind, TypeKind::Float),
        Value::Bool(_) => matches!(kind, TypeKind::Bool),
        Value::Str(_) => matches!(kind, TypeKind::Str | TypeKind::Path),
        _ => false,
    }
}
