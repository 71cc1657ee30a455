//! Configs of a script of the project's prime-rl that is none of the known entrypoints.

use std::sync::Arc;

use cfg_diag::{Diagnostic, codes};
use cfg_project::OwnClasses;
use cfg_resolve::{Names, ResolvedTable};
use cfg_schema::{Kind, Target};

use crate::{
    Checked, Session,
    values::{Values, resolve_for},
};

/// A config as a script reads it.
pub(crate) struct OfScript {
    pub(crate) own: Arc<OwnClasses>,
    pub(crate) target: Target,
    pub(crate) names: Names,
    pub(crate) resolved: ResolvedTable,
    pub(crate) found: Vec<Diagnostic>,
}

/// Whether a config that is refused with these errors may be that of another script: a key of its root is unknown.
pub(crate) fn may_be_of_script(checked: &Checked, found: &[Diagnostic]) -> bool {
    checked.own.as_ref().is_some_and(|own| own.entrypoint().is_none() && own.has_entrypoints()) && strange_at_root(found) > 0
}

/// The config as the script reads it that knows all keys of its root and refuses the least of it; `None` if each refuses as much as the known entrypoint
/// does.
pub(crate) fn of_script(
    session: &Session,
    checked: &Checked,
    kind: Kind,
    values: &Values,
    found: &[Diagnostic],
) -> Option<OfScript> {
    let own = checked.own.as_ref()?;
    let refusals = |found: &[Diagnostic]| found.iter().filter(|found| found.is_refusal()).count();
    let read = own.as_entrypoints(&**session.projects().system()).into_iter().map(|own| {
        let target = own.target(&checked.target.name);
        let (names, resolved, found) = resolve_for(session, checked, &target, target.schema(kind), values.clone());
        OfScript { own, target, names, resolved, found }
    });
    let fits = read.filter(|other| strange_at_root(&other.found) == 0 && refusals(&other.found) < refusals(found));
    fits.min_by_key(|other| refusals(&other.found))
}

/// The number of keys of the root that are unknown.
fn strange_at_root(found: &[Diagnostic]) -> usize {
    let is_at_root = |found: &&Diagnostic| {
        let native = found.native.as_ref();
        found.code != &codes::IGNORED_KEY
            && native.is_some_and(|native| native.kind == "extra_forbidden" && native.loc.len() == 1)
    };
    found.iter().filter(is_at_root).count()
}
