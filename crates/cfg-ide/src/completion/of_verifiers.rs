//! Keys of verifiers' own evaluations, and of the endpoints beside them.

use cfg_check::OfVerifiers;
use cfg_syntax::ValueKind;

use super::{Item, ItemKind};
use crate::{
    Analysis,
    context::Context,
    place::{self, Step},
};

/// The keys that a table of such a file may have and does not have yet.
pub(super) fn complete(analysis: &Analysis, of: &OfVerifiers, context: Context) -> Vec<Item> {
    let Context::Key { path, span, .. } = context else { return Vec::new() };
    let keys = match path.as_slice() {
        [] => &of.root_keys,
        [Step::Key(_), Step::Index(_)] => &of.entry_keys,
        [Step::Key(_), Step::Index(_), Step::Key(sweep)] if **sweep == *"sweep" => &of.entry_keys,
        _ => return Vec::new(),
    };
    let written = place::table(&analysis.document.root, &path);
    // The key under the cursor is there because it is being typed.
    let is_set = |name: &str| {
        let entry = written.and_then(|table| table.get(name));
        entry.is_some_and(|entry| !entry.key.span.touches(span.end) || !matches!(entry.value.kind, ValueKind::Missing))
    };
    let has_value = analysis.text[span.end as usize..].trim_start_matches([' ', '\t']).starts_with('=');
    let item = |name: &&str| Item {
        label: (*name).to_owned(),
        kind: ItemKind::Key,
        detail: format!("a key of {}", of.verifiers),
        documentation: None,
        span,
        insert: if has_value { (*name).to_owned() } else { format!("{name} = ") },
        cursor: None,
        rank: 1,
    };
    keys.iter().filter(|name| !is_set(name)).map(item).collect()
}
