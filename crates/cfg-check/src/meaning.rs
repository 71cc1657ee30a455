//! What a checked config means.

use cfg_compose::Tree;
use cfg_diag::FileId;
use cfg_registry::fingerprint::Meaning;
use cfg_resolve::{View, loader};

use crate::{Checked, CheckedCommand, Session};

/// What a config means, from the text that was checked; `None` if its kind is not known.
///
/// A `[config]` table is metadata, and no part of it. prime-rl refuses such a table and then goes no further, so the rest is resolved once
/// more as if it were not there.
pub fn meaning(session: &Session, checked: &Checked, text: &str) -> Option<Meaning> {
    of_tree(session, checked, || {
        let file = FileId(0);
        Tree::from_document(file, cfg_syntax::parse(file, text, loader::dialect(checked.target.point)).0)
    })
}

/// What the configs of a command mean together.
pub fn meaning_of_command(session: &Session, command: &CheckedCommand) -> Option<Meaning> {
    of_tree(session, &command.checked, || command.tree.clone())
}

fn of_tree(session: &Session, checked: &Checked, tree: impl FnOnce() -> Tree) -> Option<Meaning> {
    let schema = checked.target.schema(checked.kind?);
    let resolved = checked.resolved.as_ref()?;
    if !resolved.is_valid {
        let mut tree = tree();
        if tree.root.remove("config").is_some() {
            let (resolved, _) = cfg_resolve::resolve(
                schema,
                &session.names(schema, checked.packages.as_ref(), checked.target.own_checks.as_ref()),
                tree,
            );
            return Some(Meaning::new(&View::new(schema, &resolved)));
        }
    }
    Some(Meaning::new(&View::new(schema, resolved)))
}
