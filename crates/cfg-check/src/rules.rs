//! Runs the rules over a resolved config, and converts their repairs to edits of the text.

use std::cell::OnceCell;

use cfg_diag::{Diagnostic, FileId, Fix, Severity};
use cfg_plan::{Metadata, Plan};
use cfg_resolve::{ResolvedTable, View};
use cfg_rules::{Context, Memory, Project, Repair, Texts, declared::Declarations};
use cfg_schema::{Schema, Target};
use cfg_syntax::{Dialect, rewrite::Rewriter};

use crate::ahead::LaterNames;

/// The maximum number of repairs that are computed for one text. The next run after these are applied finds the rest.
const MAX_REPAIRS: usize = 1000;

/// The findings of the rules, with their repairs as fixes of the text. For a config that is composed of several texts no fix is offered: the author
/// decides which of them should change.
pub(crate) fn findings(
    schema: Schema,
    resolved: &ResolvedTable,
    metadata: &Metadata,
    target: &Target,
    project: &Project,
    source: Option<&Source<'_>>,
    later_names: &LaterNames,
) -> Vec<Diagnostic> {
    let plan = Plan::new(schema, resolved);
    let found = of_plan(&plan, schema, resolved, metadata, target, project, source.is_none());
    let fixes_from = source.and_then(|source| source.fixes_from);
    let is_wanted = |found: &Diagnostic| fixes_from.is_some_and(|least| found.severity >= least);
    let source = source.filter(|_| found.iter().any(|(found, repair)| repair.is_some() && is_wanted(found)));
    let rewriter = source.and_then(|source| Rewriter::new(source.file, source.text, source.dialect));
    let mut worked_out = 0;
    let finish = |(mut diagnostic, mut repair): (Diagnostic, Option<Repair>)| {
        later_names.apply(&mut diagnostic);
        repair.iter_mut().for_each(|repair| later_names.apply_to_changes(&mut repair.changes));
        let repair = repair.filter(|_| worked_out < MAX_REPAIRS && is_wanted(&diagnostic));
        if let (Some(rewriter), Some(repair)) = (&rewriter, repair) {
            worked_out += 1;
            let edits = rewriter.edits(&repair.changes).ok();
            diagnostic.fix = edits.map(|edits| Fix::new(repair.title, repair.applicability, edits));
        }
        diagnostic
    };
    found.into_iter().map(finish).collect()
}

/// The findings of the rules for configs of this kind: for the config alone, or together with the other files of its run.
pub(crate) fn of_plan(
    plan: &Plan,
    schema: Schema,
    resolved: &ResolvedTable,
    metadata: &Metadata,
    target: &Target,
    project: &Project,
    is_launch: bool,
) -> Vec<(Diagnostic, Option<Repair>)> {
    let view = View::new(schema, resolved);
    let environments = Declarations::of(plan, project);
    let (memory, texts) = (Memory::default(), Texts::default());
    let (kind, view, environments, memory, texts) = (schema.kind, &view, &environments, &memory, &texts);
    cfg_rules::run(&Context {
        plan,
        view,
        metadata,
        kind,
        target,
        project,
        environments,
        memory,
        texts,
        sockets: &OnceCell::new(),
        is_launch,
    })
}

/// The checked text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) file: FileId,
    pub(crate) text: &'a str,
    pub(crate) dialect: Dialect,
    /// The severity from which on its findings get fixes; `None` if none does.
    pub(crate) fixes_from: Option<Severity>,
}
