//! The second stage: rl writes the accepted config to files, which its processes read as configs of their own kind. They may refuse a part of it,
//! and some nulls are lost in the files.

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, codes};
use cfg_resolve::{Names, ResolvedTable, ResolvedValue, launcher};
use cfg_schema::{Kind, Node, Point, Schema, Target};

use crate::{Checked, Session};

/// Resolves another tree with the prime-rl of a checked config, including the project's own checks and packages; `None` if prime-rl refuses the tree.
pub fn reread(session: &Session, checked: &Checked, kind: Kind, tree: Tree) -> Option<ResolvedTable> {
    let schema = checked.target.schema(kind);
    let names = session.names(schema, checked.packages.as_ref(), checked.target.own_checks.as_ref());
    accepted(schema, &names, tree)
}

/// Whether a prime-rl of the main line accepts a tree.
pub(crate) fn accepts(session: &Session, schema: Schema, tree: Tree) -> bool {
    cfg_resolve::is_accepted(schema, &session.names(schema, None, None), tree)
}

fn accepted(schema: Schema, names: &Names, tree: Tree) -> Option<ResolvedTable> {
    let (resolved, found) = cfg_resolve::resolve(schema, names, tree);
    let is_accepted = found.iter().all(|diagnostic| diagnostic.native.as_ref().is_none_or(|native| native.masked));
    is_accepted.then_some(resolved)
}

/// The findings of the processes for an rl config that rl accepts. None of them is part of prime-rl's verdict on the config. `names` are those of the
/// rl config.
pub fn second_stage(names: &Names, target: &Target, rl: &ResolvedTable) -> Vec<Diagnostic> {
    let point = target.point;
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for (part, kind) in launcher::PARTS {
        let process = Process { name: process_name(part), part, target };
        for finding in refused(launcher::read_part(target.schema(kind), names, rl, part)) {
            let told = process.refusal(finding);
            let same_place = |other: &&mut Diagnostic| told.location.is_some() && other.location == told.location;
            match diagnostics.iter_mut().find(same_place) {
                // A value of the rl config may be wrong for several processes.
                Some(earlier) => process.also(earlier),
                None => diagnostics.push(told),
            }
        }
        if launcher::nulls(point) == cfg_resolve::Nulls::Dropped
            && let Some(config) = table_of(rl, process.part)
        {
            process.lost_nulls(config, point, &mut Vec::new(), &mut diagnostics);
        }
    }
    diagnostics
}

/// The errors that a process would show.
fn refused(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.retain(|diagnostic| diagnostic.native.as_ref().is_some_and(|native| !native.masked) && !diagnostic.is_echo);
    found
}

fn process_name(part: &str) -> &'static str {
    match part {
        "trainer" => "trainer",
        "orchestrator" => "orchestrator",
        "teacher_inference" => "teacher's inference server",
        _ => "inference server",
    }
}

fn table_of<'t>(table: &'t ResolvedTable, name: &str) -> Option<&'t ResolvedTable> {
    match &table.given(name)?.resolved.value {
        ResolvedValue::Table(below) => Some(below),
        _ => None,
    }
}

/// A process that the launcher starts.
struct Process<'a> {
    /// Its name in messages.
    name: &'static str,
    /// Its table in the rl config.
    part: &'static str,
    target: &'a Target,
}

impl Process<'_> {
    /// An error of a process, as a finding of the rl config.
    fn refusal(&self, finding: Diagnostic) -> Diagnostic {
        let Self { name, part, target } = self;
        // The message of a check can be used here as well. The message about a wrong type names the process's own key, which the user did not write.
        let is_check = finding.native.as_ref().is_some_and(|native| native.check.is_some());
        let kind = finding.native.map_or_else(String::new, |native| native.kind.into_owned());
        let key = finding.key.map_or_else(|| (*part).to_owned(), |key| format!("{part}.{key}"));
        let message = format!("rl accepts this, but the {name} it starts refuses its file: {}", finding.message);
        let why = format!("prime-rl {target} checks `{key}` again in that process, which fails with `{kind}`");
        let mut diagnostic = Diagnostic::new(&codes::REJECTED_BY_SUBPROCESS, message).key(key);
        diagnostic.location = finding.location;
        diagnostic.label = finding.label.filter(|_| is_check);
        diagnostic.related = finding.related;
        diagnostic.help = Some(finding.help.filter(|_| is_check).map_or_else(|| why.clone(), |help| format!("{help}; {why}")));
        diagnostic
    }

    /// Adds to an error of another process that this one refuses its file for the same value.
    fn also(&self, earlier: &mut Diagnostic) {
        let also = format!("; the {} refuses its file for the same reason", self.name);
        if let Some(help) = earlier.help.as_mut().filter(|help| !help.ends_with(&also)) {
            help.push_str(&also);
        }
    }

    /// Reports nulls that the file can't contain, so that the process uses a default that is not null.
    /// `path` has the fields from the process's table to this one.
    fn lost_nulls(&self, table: &ResolvedTable, point: Point, path: &mut Vec<Node>, diagnostics: &mut Vec<Diagnostic>) {
        for field in &table.fields {
            match &field.resolved.value {
                ResolvedValue::Table(below) => {
                    path.push(field.node);
                    self.lost_nulls(below, point, path, diagnostics);
                    path.pop();
                }
                ResolvedValue::Null => {
                    let default = field.node.at(point).and_then(cfg_schema::Interval::default_json).unwrap_or("null");
                    if default != "null"
                        && let Some(location) = field.resolved.origin.location()
                    {
                        let names = path.iter().chain([&field.node]).filter_map(|field| field.field_name());
                        let key = [self.part].into_iter().chain(names).collect::<Vec<_>>().join(".");
                        diagnostics.push(self.lost_null(&key, default).at(location));
                    }
                }
                _ => {}
            }
        }
    }

    fn lost_null(&self, key: &str, default: &str) -> Diagnostic {
        let Self { name, target, .. } = self;
        let back = if default.len() <= 40 && !default.starts_with(['{', '[']) { default } else { "its default" };
        let message =
            format!("`{key}` is null for rl, but the {name} gets {back} instead: prime-rl {target} omits nulls from its file");
        Diagnostic::new(&codes::LOST_NULL, message).key(key).help(
            "from 0.7.0 on nulls reach the processes; before that, start them one by one, each with its own file, to keep \
                it null",
        )
    }
}
