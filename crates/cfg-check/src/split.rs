//! The files of a run whose processes are started separately: each is checked alone, and then all of them together.

use std::path::Path;

use cfg_compose::{Tree, keys_of, not_read_again, real_path};
use cfg_diag::{Diagnostic, FileId, Location, Related, codes};
use cfg_meter::{Allowance, Meter, again::charge_again};
use cfg_plan::{Metadata, Plan};
use cfg_project::SplitRun;
use cfg_resolve::{ResolvedTable, loader};
use cfg_rules::{Project, split::PARTS};
use cfg_schema::{Kind, Schema, Target};
use cfg_syntax::Dialect;
use cfg_system::Role;

use crate::{Session, rules};

/// The text of another file of the run, into which findings may point.
pub struct SplitText {
    /// Its id in locations.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A resolved config of a run.
struct Member<'a> {
    schema: Schema,
    resolved: &'a ResolvedTable,
    metadata: &'a Metadata,
}

/// Another file of a run, parsed and resolved.
struct Other {
    file: FileId,
    schema: Schema,
    resolved: ResolvedTable,
    metadata: Metadata,
    is_checked: bool,
}

/// The config that is checked.
pub(crate) struct Own<'a> {
    pub(crate) file: FileId,
    pub(crate) schema: Schema,
    pub(crate) resolved: &'a ResolvedTable,
    pub(crate) metadata: &'a Metadata,
    pub(crate) target: &'a Target,
    pub(crate) project: &'a Project,
}

/// The kind of a config, if the settings declare a run that contains it.
pub(crate) fn declared_kind(project: Option<&Project>) -> Option<Kind> {
    project?.nearby.split_runs().into_iter().find(|run| run.is_declared).map(|run| run.kind)
}

/// The findings for the files of its runs together: `alone` are the rules' findings for this file. The result contains in addition those that need
/// the other files, and not those that the other files rule out.
pub(crate) fn findings(session: &Session, own: &Own<'_>, alone: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<SplitText>) {
    let mut texts = Vec::new();
    let runs = if PARTS.contains(&own.schema.kind) { own.project.nearby.split_runs() } else { Vec::new() };
    if runs.is_empty() {
        return (alone, texts);
    }
    let _meter = Meter::begin(Allowance::COMPOSED);
    let (mut kept, mut added) = (vec![false; alone.len()], Vec::new());
    for run in runs {
        let found = together(session, own, run, &mut texts, &mut added);
        for (alone, kept) in alone.iter().zip(&mut kept) {
            *kept |= found.as_ref().is_none_or(|found| found.iter().any(|found| is_same(alone, found)));
        }
        for finding in found.into_iter().flatten() {
            if !alone.iter().chain(&added).any(|known| is_same(known, &finding)) {
                added.push(finding);
            }
        }
    }
    let alone = alone.into_iter().zip(kept).filter_map(|(finding, kept)| kept.then_some(finding));
    (alone.chain(added).collect(), texts)
}

fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.code == other.code && one.location == other.location && one.message == other.message
}

/// The findings for all files of a runthat are reported in this one. `None` if the files are only partly compared; then the findings for this file
/// alone apply.
fn together(
    session: &Session,
    own: &Own<'_>,
    run: SplitRun,
    texts: &mut Vec<SplitText>,
    added: &mut Vec<Diagnostic>,
) -> Option<Vec<Diagnostic>> {
    if run.kind != own.schema.kind {
        return None;
    }
    let mut others = Vec::new();
    for file in run.files {
        let system = own.project.nearby.system();
        let Ok(reading) = system.map(|system| charge_again(&real_path(&file.place, system))).transpose() else {
            added.push(not_read_again(&file.path));
            return None;
        };
        let Some(text) = system.and_then(|system| system.text(&file.place, Role::Config)) else {
            if !run.is_declared {
                return None;
            }
            let message = format!("the {}'s config of this run can't be read: {}", name(file.kind), file.path);
            added.push(Diagnostic::new(&codes::INVALID_SETTINGS, message).help("a `[[group]]` of the settings names it"));
            continue;
        };
        let id = FileId(own.file.0 + 1 + texts.len() as u32);
        let text = SplitText { file: id, path: file.path, text };
        others.extend(read(session, own, file.kind, &text, file.is_checked));
        if reading.is_some_and(|reading| reading.done(keys_of(text.text.as_bytes()), text.text.len()).is_err()) {
            added.push(not_read_again(&text.path));
            return None;
        }
        texts.push(text);
    }
    let mut members = vec![Member { schema: own.schema, resolved: own.resolved, metadata: own.metadata }];
    members.extend(others.iter().map(|other| Member {
        schema: other.schema,
        resolved: &other.resolved,
        metadata: &other.metadata,
    }));
    if members.len() < 2 {
        return None;
    }
    let parts: Vec<(Schema, &ResolvedTable)> = members.iter().map(|member| (member.schema, member.resolved)).collect();
    let plan = Plan::of_group(&parts)?;
    let mut found: Vec<Diagnostic> = Vec::new();
    for member in &members {
        let Member { schema, resolved, metadata } = *member;
        let of_member = rules::of_plan(&plan, schema, resolved, metadata, own.target, own.project, false);
        for (finding, _) in of_member {
            let is_compared = run.is_declared || is_of_two_files(&finding);
            if is_compared && !found.iter().any(|known| is_same(known, &finding)) {
                found.push(finding);
            }
        }
    }
    let is_first = others.iter().filter(|other| other.is_checked).all(|other| rank(own.schema.kind) < rank(other.schema.kind));
    let found = found.into_iter().filter_map(|finding| told_here(finding, own.file, &others, is_first));
    if run.is_declared {
        return Some(found.collect());
    }
    for finding in found {
        if !added.iter().any(|known| is_same(known, &finding)) {
            added.push(finding);
        }
    }
    None
}

/// The position of a kind among the parts of a run.
fn rank(kind: Kind) -> Option<usize> {
    PARTS.iter().position(|part| *part == kind)
}

const fn name(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Inference) { "inference server" } else { kind.name() }
}

/// Another file of the run, if prime-rl accepts it and it is for the same prime-rl.
fn read(session: &Session, own: &Own<'_>, kind: Kind, other: &SplitText, is_checked: bool) -> Option<Other> {
    let SplitText { file, path, text } = other;
    let file = *file;
    let (mut document, mut faults) = cfg_syntax::parse(file, text, Dialect::Toml10);
    let (metadata, _) = session.metadata(file, path, text, &document);
    let point = own.target.point;
    if metadata.target.as_ref().map_or(metadata.is_target_refused, |stated| stated.value.point != point) {
        return None;
    }
    let dialect = loader::dialect(point);
    if dialect != Dialect::Toml10 && !faults.is_empty() {
        (document, faults) = cfg_syntax::parse(file, text, dialect);
    }
    let schema = own.target.schema(kind);
    let packages = session.projects().packages(Path::new(path));
    let names = session.names(schema, Some(&packages), own.target.own_checks.as_ref());
    let (resolved, found) = cfg_resolve::resolve(schema, &names, Tree::from_document(file, document));
    // Its errors are reported when that file is checked; until they are fixed, its values are unknown.
    let is_accepted = faults.is_empty() && !found.iter().any(Diagnostic::is_refusal);
    is_accepted.then_some(Other { file, schema, resolved, metadata, is_checked })
}

/// Whether a finding compares values of two files.
pub(crate) fn is_of_two_files(finding: &Diagnostic) -> bool {
    let file = |location: Location| location.file;
    finding.location.is_some_and(|own| finding.related.iter().any(|related| file(related.location) != file(own)))
}

/// The finding if it is reported in this file; `None` if it is reported in another.
fn told_here(mut finding: Diagnostic, own: FileId, others: &[Other], is_first: bool) -> Option<Diagnostic> {
    let Some(place) = finding.location else { return is_first.then_some(finding) };
    if place.file == own {
        return Some(finding);
    }
    let other = others.iter().find(|other| other.file == place.file)?;
    let at = finding.related.iter().position(|related| related.location.file == own)?;
    if other.is_checked {
        return None;
    }
    let Related { location, message } = finding.related.remove(at);
    let label = finding.label.replace(message).unwrap_or_else(|| "the other end".to_owned());
    finding.related.insert(0, Related { location: place, message: label });
    finding.location = Some(location);
    Some(finding)
}
