//! The text of a config during the migration.

use cfg_check::Session;
use cfg_compose::loader;
use cfg_diag::{Edit, FileId, Location, Order, Span};
use cfg_syntax::Dialect;

use crate::{Request, draft::Draft, header, rewriting::rewrite};

/// A rewritten text.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) is_stuck: bool,
}

impl Written {
    /// A text for the new prime-rl already, whose metadata may still state another one.
    pub(crate) fn untouched(session: &Session, request: &Request<'_>) -> Self {
        let dialect = loader::dialect(request.to.point);
        let edit = header::retarget(session.history, request.path, request.text, dialect, &request.to);
        let text = edit.as_ref().and_then(|edit| cfg_check::apply(request.text, [edit]));
        Self { text: text.unwrap_or_else(|| request.text.to_owned()), edits: edit.into_iter().collect(), is_stuck: false }
    }

    pub(crate) fn new(session: &Session, request: &Request<'_>, dialect: Dialect, draft: &Draft) -> Self {
        let rewritten = rewrite(request.text, dialect, draft);
        let is_stuck = rewritten.is_none();
        let (mut text, mut edits) = rewritten.unwrap_or_else(|| (request.text.to_owned(), Vec::new()));
        if !is_stuck && let Some(edit) = header::retarget(session.history, request.path, &text, dialect, &request.to) {
            // The metadata at the top precedes everything that moves.
            let old = header::retarget(session.history, request.path, request.text, dialect, &request.to);
            text = cfg_check::apply(&text, [&edit]).unwrap_or(text);
            edits.extend(old);
            edits.order_by_key(|edit| edit.location.span);
            if cfg_check::apply(request.text, &edits).as_ref() != Some(&text) {
                let location = Location::new(FileId(0), Span::new(0, request.text.len() as u32));
                edits = vec![Edit { location, new_text: text.clone() }];
            }
        }
        Self { text, edits, is_stuck }
    }
}
