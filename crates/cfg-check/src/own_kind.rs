//! What the classes of a project's own prime-rl say of a file: they may be older than the history, or newer.

use std::path::Path;

use cfg_schema::Kind;
use cfg_syntax::Document;

use crate::{Request, Session, identity::family::knows_all};

/// The only kind of a run that has all keys of a file in the prime-rl around it, if the kind that its keys have in the history, if any, does not have all of
/// them.
pub(crate) fn of_own_classes(session: &Session, request: &Request<'_>, kind: Option<Kind>, document: &Document) -> Option<Kind> {
    let root = &document.root;
    let is_known = || kind.is_some_and(|kind| knows_all(session.history, kind, root));
    if request.target.is_some() || root.entries.is_empty() || is_known() {
        return None;
    }
    let found = session.projects().target(Path::new(request.path))?;
    let detected = found.as_ref().as_ref().ok().filter(|detected| detected.own.is_some())?;
    let has_all = |kind: &Kind| knows_all(detected.target.history, *kind, root);
    let mut fitting = Kind::RUNS.into_iter().filter(has_all);
    fitting.next().filter(|_| fitting.next().is_none())
}
