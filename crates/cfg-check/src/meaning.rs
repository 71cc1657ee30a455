//! What a checked config means.

use cfg_compose::Tree;
use cfg_registry::fingerprint::Meaning;
use cfg_resolve::{View, loader};

use crate::{Checked, Session};

/// What a config means, from the text that was checked; nothing where its kind is not known.
///
/// A `[config]` table is metadata, and no part of it. prime-rl refuses such a table and then goes no further, so the rest is resolved once
/// more as if it were not there.
pub fn meaning(session: &Session, checked: &Checked, text: &str) -> Option<Meaning> {
    let schema = session.history.schema(checked.kind?, checked.target.point);
    let resolved = checked.resolved.as_ref()?;
    if !resolved.is_valid {
        let file = cfg_diag::FileId(0);
        let (document, _) = cfg_syntax::parse(file, text, loader::dialect(schema.point));
        let mut tree = Tree::from_document(file, document);
        if tree.root.remove("config").is_some() {
            let (resolved, _) = cfg_resolve::resolve(schema, &session.names(schema), tree);
            return Some(Meaning::new(&View::new(schema, &resolved)));
        }
    }
    Some(Meaning::new(&View::new(schema, resolved)))
}
