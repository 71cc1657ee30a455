//! The fix of a value that prime-rl replaces: its key is taken out, where that changes no value.

use cfg_compose::Tree;
use cfg_diag::{Applicability, Diagnostic, Fix, codes};
use cfg_resolve::{ResolvedTable, dump};
use cfg_schema::Schema;
use cfg_syntax::rewrite::{Change, Rewriter};

use crate::{Session, fix::apply, rules::Source, stage};

/// So many fixes of one text are worked out: each costs another look at the whole config. Once these are made, a further run finds the rest.
const MOST_FIXES: usize = 16;

/// Offers the fix with each such finding of a text, whose values are `resolved`.
pub(crate) fn offer(
    session: &Session,
    schema: Schema,
    resolved: &ResolvedTable,
    source: &Source<'_>,
    diagnostics: &mut [Diagnostic],
) {
    let is_meant = |diagnostic: &&mut Diagnostic| diagnostic.code == &codes::REPLACED_VALUE && diagnostic.fix.is_none();
    let mut meant = diagnostics.iter_mut().filter(is_meant).take(MOST_FIXES).peekable();
    if meant.peek().is_none() {
        return;
    }
    let Some(rewriter) = Rewriter::new(source.file, source.text, source.dialect) else { return };
    let values = dump(resolved, schema.point);
    let changes_nothing = |fix: &Fix| {
        let Some(text) = apply(source.text, &fix.edits) else { return false };
        let (document, faults) = cfg_syntax::parse(source.file, &text, source.dialect);
        let tree = Tree::from_document(source.file, document);
        faults.is_empty() && stage::reread(session, schema, tree).is_some_and(|other| dump(&other, schema.point) == values)
    };
    for diagnostic in meant {
        let Some(key) = diagnostic.key.as_deref() else { continue };
        // What belongs to another variant goes with the table that states it.
        let table = key.rsplit_once('.').map(|(table, _)| table).filter(|table| table.contains('.'));
        let fixes = [Some(key), table].into_iter().flatten().filter_map(|key| {
            let edits = rewriter.edits(&[Change::remove(key)]).ok().filter(|edits| !edits.is_empty())?;
            Some(Fix { title: format!("take `{key}` out"), applicability: Applicability::Safe, edits })
        });
        diagnostic.fix = fixes.into_iter().find(changes_nothing);
    }
}
