//! Runs the rules over a resolved config, and turns their repairs into edits of the text.

use cfg_diag::{Diagnostic, FileId, Fix};
use cfg_plan::{Metadata, Plan};
use cfg_resolve::{ResolvedTable, View};
use cfg_rules::{Context, Memory, Project, Repair, declared::Declarations};
use cfg_schema::{Schema, Target};
use cfg_syntax::{Dialect, rewrite::Rewriter};

/// So many repairs of one text are worked out. Once these are made, a further run finds the rest.
const MOST_REPAIRS: usize = 1000;

/// What the rules find, with their repairs as fixes of the text. Of a config that is composed of several texts no fix is offered: which of
/// them should change is the author's to say.
pub(crate) fn findings(
    schema: Schema,
    resolved: &ResolvedTable,
    metadata: &Metadata,
    target: &Target,
    project: &Project,
    source: Option<&Source<'_>>,
) -> Vec<Diagnostic> {
    let plan = Plan::new(schema, resolved);
    let view = View::new(schema, resolved);
    let environments = Declarations::of(&plan, project);
    let memory = Memory::default();
    let context = Context {
        plan: &plan,
        view: &view,
        metadata,
        kind: schema.kind,
        target,
        project,
        environments: &environments,
        memory: &memory,
    };
    let found = cfg_rules::run(&context);
    let source = source.filter(|_| found.iter().any(|(_, repair)| repair.is_some()));
    let rewriter = source.and_then(|source| Rewriter::new(source.file, source.text, source.dialect));
    let mut worked_out = 0;
    let finish = |(mut diagnostic, repair): (Diagnostic, Option<Repair>)| {
        if let (Some(rewriter), Some(repair)) = (&rewriter, repair.filter(|_| worked_out < MOST_REPAIRS)) {
            worked_out += 1;
            let edits = rewriter.edits(&repair.changes).ok();
            diagnostic.fix = edits.map(|edits| Fix { title: repair.title, applicability: repair.applicability, edits });
        }
        diagnostic
    };
    found.into_iter().map(finish).collect()
}

/// The text that is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) file: FileId,
    pub(crate) text: &'a str,
    pub(crate) dialect: Dialect,
}
