//! Checks the values of a config with the schema of a prime-rl and with its own checks.

use cfg_compose::{Table, Tree};
use cfg_diag::{Diagnostic, Location};
use cfg_resolve::{Names, ResolvedTable};
use cfg_schema::{Kind, Schema};

use crate::{
    Certainty, Checked, Session, Verdict,
    check::is_refusal,
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
    checked.checks = Some(cfg_resolve::checks(schema, &names, &resolved));
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

/// Resolves the values: once, or a second time if there are values to merge over them.
fn passes(names: &Names, schema: Schema, values: Values) -> (ResolvedTable, Vec<Diagnostic>) {
    let Values { mut tree, overlay, mut late } = values;
    if overlay.is_empty() && late.is_empty() {
        return cfg_resolve::resolve(schema, names, tree);
    }
    let (resolved, mut found) = cfg_resolve::resolve(schema, names, tree.clone());
    if found.iter().any(is_refusal) {
        late.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).for_each(|native| native.masked = true);
        found.append(&mut late);
        return (resolved, found);
    }
    tree.root.lay_over(overlay);
    let (resolved, mut found) = cfg_resolve::resolve(schema, names, tree);
    let mut masked = late.iter().any(is_refusal);
    for native in found.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).filter(|native| !native.masked) {
        native.masked |= masked;
        masked = true;
        // The second pass builds each table separately. Errors of a table's own check are reported without its path; for a refused field, tyro
        // fails while it searches for the argument that set it.
        if !matches!(&*native.kind, "value_error" | "assertion_error") {
            native.kind = "IndexError".into();
        }
        native.loc.clear();
    }
    late.append(&mut found);
    (resolved, late)
}
