//! The meaning of a checked config.

use cfg_compose::Tree;
use cfg_diag::{FileId, Severity, codes};
use cfg_registry::fingerprint::Meaning;
use cfg_resolve::{View, loader};

use crate::{Checked, CheckedCommand, Family, Request, Session, check::Parsed};

/// The meaning of a config, from the checked text; `None` if its kind is unknown.
///
/// A `[config]` table is metadata, and not part of the meaning. prime-rl refuses such a table and stops, so the rest is resolved again without it.
pub fn meaning(session: &Session, checked: &Checked, text: &str) -> Option<Meaning> {
    of_tree(session, checked, || {
        let file = FileId(0);
        Tree::from_document(file, cfg_syntax::parse(file, text, loader::dialect(checked.target.point)).0)
    })
}

/// The meaning of a text as the config of a request, without the rules; `None` if its kind is unclear or prime-rl refuses it.
pub fn meaning_of_text(session: &Session, request: &Request<'_>) -> Option<Meaning> {
    let parsed = Parsed::read(session, request);
    let is_readable = parsed.diagnostics.iter().all(|found| found.severity != Severity::Error) && !parsed.document.is_unread;
    let Family::Config(kind) = parsed.family else { return None };
    let checked = Checked { kind: Some(kind), ..Checked::unchecked(parsed.settled) };
    let mut tree = Tree::from_document(request.file, parsed.document);
    // A `[config]` table is metadata.
    tree.root.remove("config");
    is_readable.then(|| of_valid_tree(session, &checked, tree))?
}

/// The meaning of another text as the same config, for the same prime-rl; `None` if that refuses it.
pub(crate) fn of_other_text(session: &Session, checked: &Checked, text: &str) -> Option<Meaning> {
    let file = FileId(0);
    let mut tree = Tree::from_document(file, cfg_syntax::parse(file, text, loader::dialect(checked.target.point)).0);
    tree.root.remove("config");
    of_valid_tree(session, checked, tree)
}

/// The meaning of values for the kind and the prime-rl of a check; `None` if that refuses them.
pub(crate) fn of_valid_tree(session: &Session, checked: &Checked, tree: Tree) -> Option<Meaning> {
    let schema = checked.target.schema(checked.kind?);
    let names = session.names(schema, checked.packages.as_ref(), checked.target.own_checks.as_ref());
    let (resolved, _) = cfg_resolve::resolve(schema, &names, tree);
    resolved.is_valid.then(|| Meaning::new(&View::new(schema, &resolved)))
}

impl CheckedCommand {
    /// Whether `cfg` has not read all of its files, which prime-rl would read.
    pub fn is_partly_read(&self) -> bool {
        self.checked.diagnostics.iter().any(|found| found.code == &codes::UNREADABLE_FILE && found.native.is_none())
    }
}

/// The meaning of the configs of a command together.
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
