//! Configs for hosted training: what `prime train` reads, refuses, drops, and leaves to the platform.
//!
//! `prime train` removes its own keys from a config, checks the rest with prime-rl's classes in a separate process, and passes the result to the
//! platform. It stops at the first of its own refusals, and omits the parts that need plugins of environments. So there are stages: a refusal of an
//! earlier one masks those of later ones. The walker compares the values with their types, as for all other configs.

pub(crate) mod command;
pub(crate) mod env_files;
mod kind;
mod misread;
mod own;
mod refusals;
mod retired;
pub(crate) mod text;

pub(crate) use kind::{has_prime_train_comment, kind, kind_of};

use cfg_compose::{Table, Tree};
use cfg_diag::{Diagnostic, FileId, LocPart, Location, Native, Order, Severity, codes};
use cfg_memory::hardware;
use cfg_plan::Located;
use cfg_project::Patches;
use cfg_resolve::ResolvedTable;
use cfg_schema::{History, Kind, Schema, Target};
use cfg_syntax::{Document, Integer, Value, ValueKind};

use crate::{Certainty, Checked, Session, identity::version::Settled, overlay::retain_untold, stage, values::Values};

/// The prime-rl for a hosted config. The project's own is not used: the platform has its own images, of the main line unless the config states
/// another version, and can replace the sources by those that the config names.
pub(crate) fn settle(session: &Session, stated: Option<Target>, source_ref: Option<&str>) -> Settled {
    let history = session.history;
    let named = || source_ref.and_then(|name| Target::parse(history, name).ok()).filter(refusals::can_be_run);
    Settled {
        target: stated.or_else(named).unwrap_or_else(|| Target::main(history)),
        certainty: Certainty::Stated,
        own: None,
        packages: None,
        patches: Patches::default(),
    }
}

/// The machine that a config names by `gpu_type`, with as many of these GPUs as its nodes have.
pub(crate) fn machine(file: FileId, document: &Document) -> Option<Located<Box<str>>> {
    let value = document.root.value("gpu_type")?;
    let name = value.as_str()?;
    let deployment = document.root.value("deployment").and_then(Value::as_table);
    let gpus = deployment.and_then(|deployment| deployment.value("gpus_per_node")).map(|value| &value.kind);
    let count = if let Some(ValueKind::Integer(Integer::Small(gpus))) = gpus { *gpus } else { GPUS_PER_NODE };
    // The platform writes `H200_141GB`.
    let size_last = name.replace('_', " ");
    let names = [size_last.as_str(), size_last.split(' ').next()?];
    let machine = names.map(|name| format!("{count}x {name}")).into_iter().find(|text| hardware::parse(text, &[]).is_ok())?;
    Some(Located { value: machine.into(), location: Location::new(file, value.span) })
}

/// The number of GPUs of a node in prime-rl if a config does not state it.
const GPUS_PER_NODE: i64 = 8;

/// Checks the values of a hosted config, like [`schema_checks`](crate::values::schema_checks) for others.
pub(crate) fn checks(
    session: &Session,
    checked: &mut Checked,
    kind: Kind,
    values: Values,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    checked.kind = Some(kind);
    checked.has_includes = false;
    checked.target.history = checked.target.history.hosted();
    let Values { mut tree, overlay, late } = values;
    tree.root.lay_over(overlay);
    diagnostics.extend(late);
    if let Some(retired) = retired::refusal(&tree.root) {
        diagnostics.push(retired);
        mask_later(diagnostics, &mut []);
        return true;
    }
    let schema = checked.target.schema(kind);
    let refusals::NotInJson { dates: mut request, infinite: handed } = refusals::NotInJson::of(&tree.root);
    request.extend(refusals::of_request(&mut tree.root));
    let mut stages = Stages { own: own::check(&tree.root), request, handed, ..Stages::default() };
    own::drop_deprecated(&mut tree.root, &mut stages.notes);
    if kind == Kind::HostedRl {
        own::dropped_settings(&tree.root, &mut stages.notes);
    }
    own::add_launcher(&mut tree.root);
    let written = tree.root.clone();
    let (resolved, accepted) = resolve(session, schema, kind, tree, &mut stages);
    if checked.is_unknown() {
        checked.resolved = Some(without_own_keys(resolved));
        return true;
    }
    let is_whole = resolved.is_valid;
    match &accepted {
        Some(accepted) => stages.unsupported = refusals::unsupported(schema, accepted),
        None => stages.unsupported = refusals::unsupported_as_written(schema, &resolved),
    }
    if kind == Kind::HostedSft {
        own::of_sft(&written, schema, &resolved, &mut stages.notes);
    }
    let is_masked = diagnostics.iter().any(Diagnostic::is_refusal);
    if is_masked {
        retain_untold(diagnostics, &mut stages.classes);
    }
    let is_refused = stages.put_in_order(diagnostics);
    if kind == Kind::HostedRl && is_whole && !is_refused && refusals::has_inference(schema, &resolved) {
        diagnostics.extend(stage::second_stage(
            &session.names(schema, None, checked.target.own_checks.as_ref()),
            &checked.target,
            &resolved,
        ));
    }
    checked.resolved = Some(without_own_keys(resolved));
    is_masked
}

/// Removes findings of rules about a part of a hosted config that is left to the platform: it has environments of its own, and starts the processes.
pub(crate) fn remove_platform_findings(kind: Kind, found: &mut Vec<Diagnostic>) {
    if kind.is_hosted() {
        let of_platform = [&codes::NO_TRAINING_ENVIRONMENT, &codes::ENV_NAME_WITH_SLASH];
        found.retain(|finding| !of_platform.contains(&finding.code));
    }
}

/// In a folder, a config in hosted training's former format is only an info: it was valid when it was written.
pub(crate) fn downgrade_legacy(diagnostics: &mut [Diagnostic]) {
    let retired = diagnostics.iter_mut().filter(|found| found.code == &codes::RETIRED_HOSTED_FORM);
    retired.for_each(|found| found.severity = Severity::Warning);
}

/// The findings of each stage of `prime train`, in the order of the stages.
#[derive(Default)]
struct Stages {
    /// `prime train` checks its own keys one by one, and stops at the first error.
    own: Vec<Diagnostic>,
    /// It passes the rest to a process with prime-rl's classes, and removes what that process must not get.
    request: Vec<Diagnostic>,
    /// The classes check the values, all at once.
    classes: Vec<Diagnostic>,
    /// Some values that the classes accept can't be run; it stops at the first of these.
    unsupported: Vec<Diagnostic>,
    /// The parts that were removed before are checked, except what needs plugins.
    deferred: Vec<Diagnostic>,
    /// The result is written as JSON.
    handed: Vec<Diagnostic>,
    /// Findings that are not refusals.
    notes: Vec<Diagnostic>,
}

impl Stages {
    /// Moves all findings to the output. Returns whether there is a refusal.
    fn put_in_order(mut self, diagnostics: &mut Vec<Diagnostic>) -> bool {
        // The walker's findings about the program's own keys belong to the first stage.
        let is_own = |found: &Diagnostic| match found.native.as_ref().map(|native| native.loc.as_slice()) {
            Some([LocPart::Key(key), ..]) => History::keys_of_hosted_training().any(|own| own == key),
            _ => false,
        };
        let (of_own, classes) = std::mem::take(&mut self.classes).into_iter().partition(is_own);
        self.own.extend::<Vec<Diagnostic>>(of_own);
        self.own.order_by_key(|found| own::order(found.key.as_deref().unwrap_or_default()));
        keep_first(&mut self.own);
        keep_first(&mut self.request);
        keep_first(&mut self.unsupported);
        keep_first(&mut self.handed);
        for mut stage in [self.own, self.request, classes, self.unsupported, self.deferred, self.handed] {
            mask_later(diagnostics, &mut stage);
            diagnostics.append(&mut stage);
        }
        diagnostics.append(&mut self.notes);
        diagnostics.iter().any(Diagnostic::is_refusal)
    }
}

/// Masks all refusals but the first.
fn keep_first(stage: &mut [Diagnostic]) {
    let first = stage.iter().position(Diagnostic::is_refusal).map_or(stage.len(), |first| first + 1);
    let natives = stage.iter_mut().skip(first).filter_map(|found| found.native.as_mut());
    natives.for_each(|native| native.masked = true);
}

/// Masks a stage after one that refuses.
fn mask_later(earlier: &[Diagnostic], stage: &mut [Diagnostic]) {
    if earlier.iter().any(Diagnostic::is_refusal) {
        stage.iter_mut().filter_map(|found| found.native.as_mut()).for_each(|native| native.masked = true);
    }
}

/// Resolves the values twice: as `prime train` does, without the parts that it leaves to the platform, and as the platform does. Returns what the
/// platform sees, and what `prime train` accepts.
fn resolve(
    session: &Session,
    schema: Schema,
    kind: Kind,
    tree: Tree,
    stages: &mut Stages,
) -> (ResolvedTable, Option<ResolvedTable>) {
    let names = session.names(schema, None, None);
    let mut without = tree.clone();
    let left_out = own::leave_out(&mut without.root, kind);
    let (resolved, found) = cfg_resolve::resolve(schema, &names, without);
    let is_accepted = !found.iter().any(Diagnostic::is_refusal);
    stages.classes = found;
    if left_out.is_empty() {
        return (resolved.clone(), is_accepted.then_some(resolved));
    }
    let (whole, of_whole) = cfg_resolve::resolve(schema, &names, tree);
    let is_told = |found: &Diagnostic, told: &[Diagnostic]| {
        told.iter().any(|other| (other.code, &other.key, other.location) == (found.code, &found.key, found.location))
    };
    for mut found in of_whole {
        if is_told(&found, &stages.classes) {
            continue;
        }
        match found.native.as_mut().filter(|native| left_out.iter().any(|left| left.is_checked(native))) {
            Some(native) => {
                native.masked = false;
                stages.deferred.push(found);
            }
            // It is unknown which packages the platform has.
            None if [&codes::PLUGIN_DECIDES, &codes::UNREAD_PACKAGE].contains(&found.code) => {}
            None => stages.notes.push(by_platform(found)),
        }
    }
    (whole, is_accepted.then_some(resolved))
}

/// A refusal that only the platform makes, when the run is submitted.
fn by_platform(mut found: Diagnostic) -> Diagnostic {
    if found.native.take().is_some() {
        found.severity = found.severity.min(Severity::Warning);
        let open = "`prime train validate` does not check this; the platform does when the run is submitted";
        found.help = Some(found.help.take().map_or(open.to_owned(), |help| format!("{help}; {open}")));
    }
    found
}

/// The config that prime-rl sees.
fn without_own_keys(mut resolved: ResolvedTable) -> ResolvedTable {
    let is_own = |name: &str| History::keys_of_hosted_training().any(|own| own == name);
    resolved.fields.retain(|field| !field.node.field_name().is_some_and(is_own));
    resolved
}

/// A part of a config that `prime train` removes before it checks the rest.
struct LeftOut {
    /// The keys of the path to it, from the root.
    loc: Vec<&'static str>,
    /// Whether it checks the part afterwards, without the part's `source`.
    is_looked_at: bool,
}

impl LeftOut {
    /// Whether `prime train` reports this error of the part. Errors of the part's own validators may result from what it omitted.
    fn is_checked(&self, native: &Native) -> bool {
        let is_key = |part: &LocPart, key: &str| matches!(part, LocPart::Key(own) if own == key);
        let is_within =
            native.loc.len() >= self.loc.len() && self.loc.iter().zip(&native.loc).all(|(key, part)| is_key(part, key));
        is_within
            && self.is_looked_at
            && match native.loc.get(self.loc.len()) {
                None => !matches!(&*native.kind, "value_error" | "assertion_error"),
                Some(below) => !is_key(below, "source"),
            }
    }
}

/// A refusal by `prime train` itself at a key of the root, or below it.
fn refusal(entry: Option<&cfg_compose::Entry>, key: &str, message: String) -> Diagnostic {
    let loc = key.split('.').map(|key| LocPart::Key(key.to_owned())).collect();
    let mut diagnostic = Diagnostic::new(&codes::HOSTED_REFUSAL, message).key(key).native("ValueError", loc);
    diagnostic.location = entry.and_then(|entry| entry.node.origin.place().or_else(|| entry.key_origin.place()));
    diagnostic
}

/// The entry at a dotted path.
fn entry_at<'t>(root: &'t Table, path: &str) -> Option<&'t cfg_compose::Entry> {
    match path.split_once('.') {
        None => root.get(path),
        Some((first, rest)) => entry_at(root.get(first)?.node.value.as_table()?, rest),
    }
}
