//! Checks the values of a config with the schema of a prime-rl and with its own checks.

use cfg_compose::{Table, Tree};
use cfg_diag::{Diagnostic, Location};
use cfg_resolve::{Names, ResolvedTable, loader};
use cfg_schema::{Behaviour, Kind, Schema};

use crate::{
    Certainty, Checked, Session, Verdict,
    check::{is_open, is_refusal},
    other_target::{self, OtherTarget},
    overlay, stage, target, unchecked,
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

/// Checks the values of a config of a known kind. Returns whether the rules can't run: the text is not TOML, is written for another prime-rl, or for
/// an unknown one.
pub(crate) fn schema_checks(
    session: &Session,
    checked: &mut Checked,
    schema: Schema,
    values: Values,
    (diagnostics, text_at): (&mut Vec<Diagnostic>, &dyn Fn(Location) -> Option<String>),
) -> bool {
    checked.kind = Some(schema.kind);
    let masked = diagnostics.iter().any(is_refusal);
    let is_open = matches!(checked.certainty, Certainty::NewestRelease | Certainty::NewestOn(_));
    let fallback = is_open.then(|| values.clone());
    let names = session.names(schema, checked.packages.as_ref(), checked.target.own_checks.as_ref());
    let (resolved, mut found) = passes(&names, schema, values);
    if checked.is_unknown() {
        checked.resolved = Some(resolved);
        return true;
    }
    if checked.target.is_beyond {
        checked.is_open = target::leave_open(&checked.target, &mut found);
    }
    if checked.target.own_checks.as_ref().is_none_or(|own| own.is_recorded) && found.iter().any(is_refusal) {
        checked.is_open |= target::leave_patched(&checked.patches, &mut found, text_at);
    }
    if let Some(Values { tree, .. }) = &fallback
        && found.iter().any(is_refusal)
        && unchecked::is_taken_elsewhere(session, schema, tree)
    {
        checked.verdict = Verdict::Depends;
        checked.resolved = Some(resolved);
        return true;
    }
    for native in found.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()) {
        native.masked |= masked;
    }
    if masked {
        overlay::retain_untold(diagnostics, &mut found);
    }
    if schema.kind == Kind::Rl && !masked && !found.iter().any(is_refusal) {
        found.extend(stage::second_stage(&names, &checked.target, &resolved));
    }
    let other = fallback.as_ref().and_then(|values| other_target::other_target(session, schema, checked, &values.tree, &found));
    if let Some(OtherTarget::KnowsMore(target)) = other {
        // No other target is better, so this one is treated like a stated one.
        checked.certainty = Certainty::MostKeys;
        let schema = target.schema(schema.kind);
        checked.target = target;
        return schema_checks(session, checked, schema, fallback.unwrap_or_default(), (diagnostics, text_at));
    }
    checked.names = Some(names);
    checked.resolved = Some(resolved);
    match other {
        Some(OtherTarget::Accepts { name, finding }) => {
            checked.better_target = Some(name);
            diagnostics.push(Diagnostic { folded: found, ..*finding });
            true
        }
        _ => {
            diagnostics.append(&mut found);
            masked
        }
    }
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
    if found.iter().any(is_refusal) {
        late.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).for_each(|native| native.masked = true);
        found.append(&mut late);
        return (resolved, found);
    }
    let is_refused = late.iter().any(is_refusal);
    found.append(&mut late);
    let (constructed, again) = cfg_resolve::construct(schema, names, &resolved, overlay);
    for mut finding in again {
        // The defaults are given now, and nobody wrote them.
        let is_about_values = is_open(&finding) || !is_alone && finding.location.is_some();
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
    use cfg_diag::FileId;
    use cfg_schema::{History, Kind, Target};

    use crate::{Request, Session, check};

    /// The errors of a config at a prime-rl: each with the depth of its location.
    fn errors(target: &str, text: &str) -> Vec<(String, usize)> {
        let target = Target::parse(History::built_in(), target).expect("a known target");
        let request = Request {
            file: FileId(0),
            path: "rl.toml",
            named: true,
            text,
            encoding: Vec::new(),
            kind: Some(Kind::Rl),
            target: Some(target),
            otherwise: None,
            project: None,
        };
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
