//! Checks the values of a config with the schema of a prime-rl and with its own checks.

use std::borrow::Cow;

use cfg_compose::{Table, Tree};
use cfg_diag::{Diagnostic, Location};
use cfg_project::FileDay;
use cfg_resolve::{Names, ResolvedTable, loader};
use cfg_schema::{Behaviour, History, Kind, Schema, Target};

use crate::{
    Certainty, Checked, Session, ahead, entrypoint,
    identity::{
        infer::{self, Inferred},
        neighbours::{Undecided, inferred},
    },
    open, overlay, stage,
};

/// The values of a config.
#[derive(Clone, Default)]
pub(crate) struct Values {
    pub(crate) tree: Tree,
    /// Values that are merged over these for a second pass.
    pub(crate) overlay: Table,
    /// Findings of the second pass from before it checks the values.
    pub(crate) late: Vec<Diagnostic>,
}

/// The text of a config, or its texts.
pub(crate) struct ConfigText<'a> {
    /// The path of the first.
    pub(crate) path: &'a str,
    /// The text with exactly these values; `None` if there are several, or it has faults.
    pub(crate) text: Option<&'a str>,
    /// What is written at a place.
    pub(crate) text_at: &'a dyn Fn(Location) -> Option<String>,
    /// Whether it is judged for the target of an earlier form of it.
    pub(crate) is_held: bool,
}

/// Checks the values of a config of a known kind, for its target or, if none is stated, for the one that it shows. Returns whether the rules can't run:
/// the text is not TOML, or is written for an unknown prime-rl.
pub(crate) fn schema_checks(
    session: &Session,
    checked: &mut Checked,
    kind: Kind,
    written: &ConfigText<'_>,
    values: Values,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let ConfigText { path, text, text_at, is_held } = *written;
    checked.kind = Some(kind);
    let masked = diagnostics.iter().any(Diagnostic::is_refusal);
    let schema = checked.target.schema(kind);
    let assumed = if let (Certainty::Assumed(day), false) = (&checked.certainty, is_held) { Some(day.clone()) } else { None };
    let may_differ = ahead::may_apply(checked) || checked.own.as_ref().is_some_and(|own| own.has_entrypoints());
    let spare = (assumed.is_some() || may_differ).then(|| values.clone());
    let (mut names, mut resolved, mut found) = resolve(session, checked, schema, values);
    if checked.is_unknown() {
        checked.resolved = Some(resolved);
        return true;
    }
    let of_script = spare.as_ref().filter(|_| entrypoint::may_be_of_script(checked, &found));
    let of_script = of_script.and_then(|values| entrypoint::of_script(session, checked, kind, values, &found));
    let is_of_script = of_script.is_some();
    if let Some(other) = of_script {
        (checked.target, checked.own) = (other.target, Some(other.own));
        (names, resolved, found) = (other.names, other.resolved, other.found);
    }
    if let (Some(day), Some(values)) = (assumed, &spare)
        && let Some(Inferred { target, certainty }) =
            newer(checked, kind, day.as_ref(), &values.tree.root, &found, text_at, || {
                let config = Undecided { path, text, kind, tree: &values.tree, assumed: &checked.target, day: day.as_ref() };
                inferred(session, &config, &found)
            })
    {
        (checked.target, checked.certainty) = (target, certainty);
        (names, resolved, found) = resolve(session, checked, checked.target.schema(kind), values.clone());
        if let Certainty::Inferred(inference) = &checked.certainty {
            diagnostics.push(infer::finding(inference, &checked.target, kind));
        }
    }
    if let Some(values) = spare.as_ref().filter(|_| ahead::may_apply(checked)) {
        let root = &values.tree.root;
        let refusals = |found: &[Diagnostic]| found.iter().filter(|found| found.is_refusal()).count();
        let before = refusals(&found);
        checked.is_open = ahead::tell(checked, kind, root, &mut found, text_at);
        if checked.is_open || checked.target.is_beyond {
            ahead::tell_removed(checked, kind, root, &mut found);
            let (schema, until) = (checked.target.schema(kind), ahead::until(checked));
            let mut told = Vec::new();
            let again = |tree: &Tree| resolve(session, checked, schema, Values { tree: tree.clone(), ..values.clone() });
            let (renamed, later_names) = ahead::with_names(kind, until, &values.tree);
            let renamed = renamed.map(|tree| (again(&tree), tree));
            let renamed = renamed.filter(|((.., found), _)| refusals(found) <= before);
            let mut tree = Cow::Borrowed(&values.tree);
            if let Some(((of_renamed, values_of_renamed, _), renamed)) = renamed {
                (names, resolved, tree) = (of_renamed, values_of_renamed, Cow::Owned(renamed));
            }
            let later = ahead::with_defaults(schema, &resolved, until, &tree).map(|tree| again(&tree));
            // What can't be checked with the later default is judged by the one that is known.
            let later = later.filter(|(.., again)| refusals(again) <= before);
            // Of a version that nobody stated, it would be said of nearly each config.
            if matches!(checked.certainty, Certainty::Stated | Certainty::Read(_)) {
                ahead::tell_defaults(schema, &resolved, until, later.is_some(), &mut told);
            }
            if let Some((of_later, values_of_later, _)) = later {
                (names, resolved) = (of_later, values_of_later);
            }
            found.append(&mut told);
            checked.later_names = later_names;
        }
    } else if checked.own.is_none() {
        ahead::mention(kind, &mut found, text_at);
    }
    if checked.target.is_beyond {
        checked.is_open |= open::leave_newer(&checked.target, &mut found);
    } else if checked.may_be_newer() {
        infer::mention_newer(checked.target.history, &mut found);
    }
    if checked.target.own_checks.as_ref().is_none_or(|own| own.is_recorded) && found.iter().any(Diagnostic::is_refusal) {
        checked.is_open |= open::leave_patched(&checked.patches, &mut found, text_at);
    }
    for native in found.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()) {
        native.masked |= masked;
    }
    if masked {
        overlay::retain_untold(diagnostics, &mut found);
    }
    if kind == Kind::Rl && !masked && !is_of_script && !found.iter().any(Diagnostic::is_refusal) {
        found.extend(stage::second_stage(&names, &checked.target, &resolved));
    }
    checked.names = Some(names);
    checked.resolved = Some(resolved);
    diagnostics.append(&mut found);
    // The rules know what the known entrypoints do with a config.
    masked || is_of_script
}

/// The target and certainty of a config whose target is assumed: those that `inferred` finds if a known prime-rl accepts the config; else, if its
/// errors show keys of a later prime-rl, and its day does not contradict, that one.
fn newer(
    checked: &Checked,
    kind: Kind,
    day: Option<&FileDay>,
    root: &Table,
    found: &[Diagnostic],
    text_at: &dyn Fn(Location) -> Option<String>,
    inferred: impl FnOnce() -> Option<Inferred>,
) -> Option<Inferred> {
    let history = checked.target.history;
    let inferred = inferred();
    match ahead_of(history, kind, day, root, found, text_at, inferred.as_ref()) {
        Some((shown, day)) => Some(Inferred { target: Target::main(history), certainty: Certainty::Ahead(shown.into(), day) }),
        None => inferred,
    }
}

/// The key of a later prime-rl that the errors of a config show, in words, and since when prime-rl has it. `None` if a known one accepts the config, which is
/// `inferred`, or its day contradicts.
pub(crate) fn ahead_of(
    history: History,
    kind: Kind,
    day: Option<&FileDay>,
    root: &Table,
    found: &[Diagnostic],
    text_at: &dyn Fn(Location) -> Option<String>,
    inferred: Option<&Inferred>,
) -> Option<(String, &'static str)> {
    let last = history.commits().next_back().map(cfg_schema::Commit::day).unwrap_or_default();
    let (key, entry) = ahead::shown(kind, root, found, text_at).filter(|_| day.is_none_or(|day| day.day.as_str() > last))?;
    let is_known = inferred.is_some_and(|inferred| match &inferred.certainty {
        Certainty::Inferred(inference) => inference.is_accepted,
        certainty => matches!(certainty, Certainty::Newer(_)),
    });
    // Without a pull request, only the day is known on which it was seen.
    let day = if entry.pull_request.is_some() { entry.day } else { last };
    (!is_known).then(|| (format!("`{key}` is in prime-rl {}", entry.since()), day))
}

/// Resolves the values with a schema, the packages around the config and the own checks of its prime-rl.
fn resolve(session: &Session, checked: &Checked, schema: Schema, values: Values) -> (Names, ResolvedTable, Vec<Diagnostic>) {
    resolve_for(session, checked, &checked.target, schema, values)
}

/// Resolves the values with a schema of a target, and that target's own checks.
pub(crate) fn resolve_for(
    session: &Session,
    checked: &Checked,
    target: &Target,
    schema: Schema,
    values: Values,
) -> (Names, ResolvedTable, Vec<Diagnostic>) {
    let names = session.names(schema, checked.packages.as_ref(), target.own_checks.as_ref());
    let (resolved, found) = passes(&names, schema, values);
    (names, resolved, found)
}

/// Resolves the values as the loader does: once; or, if tyro reads the rest of the arguments, a second time with these over the result.
fn passes(names: &Names, schema: Schema, values: Values) -> (ResolvedTable, Vec<Diagnostic>) {
    let Values { tree, overlay, mut late } = values;
    let is_alone = overlay.is_empty() && late.is_empty();
    let is_once = !loader::at(schema.point).two_passes || is_alone && schema.point.has(Behaviour::OnePassIsRecorded);
    let defaults = if is_once { None } else { cfg_resolve::defaults_alone(schema, &tree) };
    let (resolved, mut found) =
        defaults.map_or_else(|| cfg_resolve::resolve(schema, names, tree), |defaults| (defaults, Vec::new()));
    if is_once {
        return (resolved, found);
    }
    if found.iter().any(Diagnostic::is_refusal) {
        late.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).for_each(|native| native.masked = true);
        found.append(&mut late);
        return (resolved, found);
    }
    let is_refused = late.iter().any(Diagnostic::is_refusal);
    found.append(&mut late);
    let (constructed, again) = cfg_resolve::construct(schema, names, &resolved, overlay);
    for mut finding in again {
        // The defaults are given now, and nobody wrote them.
        let is_about_values = finding.is_open() || !is_alone && finding.location.is_some();
        let is_known = |known: &Diagnostic| known.code == finding.code && known.location == finding.location;
        if finding.native.is_none() && (!is_about_values || found.iter().any(is_known)) {
            continue;
        }
        if let Some(native) = finding.native.as_mut() {
            native.masked |= is_refused;
        }
        found.push(finding);
    }
    (constructed, found)
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Target};

    use crate::{Request, Session, check};

    /// The errors of a config at a prime-rl: each with the depth of its location.
    fn errors(target: &str, text: &str) -> Vec<(String, usize)> {
        let target = Target::parse(History::built_in(), target).expect("a known target");
        let request = Request { kind: Some(Kind::Rl), target: Some(target), ..Request::new("rl.toml", text) };
        let checked = check(&Session::default(), request);
        let natives = checked.diagnostics.iter().filter_map(|found| found.native.as_ref().filter(|native| !native.masked));
        natives.map(|native| (native.kind.to_string(), native.loc.len())).collect()
    }

    /// tyro's loader checks what the checks have set.
    #[test]
    fn a_config_is_validated_as_often_as_its_loader_does_it() {
        let shared = "bench = true\n[trainer]\n[orchestrator]\n";
        let by_the_config = vec![("value_error".to_owned(), 0)];
        for (target, wanted) in
            [("0.4.0", &vec![]), ("19511dc2b", &by_the_config), ("7bba60f3d", &by_the_config), ("0.6.0", &vec![])]
        {
            assert_eq!(&errors(target, shared), wanted, "{target}");
        }
        // The single files of this version are recorded with a loader that does it once.
        assert_eq!(errors("0.5.0", shared), vec![]);
        // A check of an inner table runs again for the table around it.
        let inner = "max_async_level = 1\nbench = true\n[trainer.weight_broadcast]\ntype = \"nccl\"\n[orchestrator.weight_broadcast]\ntype = \"nccl\"\n[inference]\n";
        assert_eq!(errors("19511dc2b", inner), [("value_error".to_owned(), 1)]);
    }
}
