//! Configs whose entrypoint is unknown, or for which the target has no classes.

use cfg_compose::{Table, Tree, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Kind, Point, Schema, Target};

use crate::{
    Checked, KindGuess, Session, Verdict,
    kind::{no_config, unknown_kind},
    stage,
};

/// The finding for a config that can't be checked for a target, because the target does not have this entrypoint, or not in this
/// form. `None` if it can be checked.
pub(crate) fn finding(target: &Target, kind: Kind, root: &Table) -> Option<Diagnostic> {
    let schema = target.schema(kind);
    let message = if schema.root().at(schema.point).is_none() {
        format!("only the TOML syntax of this file is checked: {target} has no known entrypoint `{kind}`")
    } else if kind == Kind::Eval && has_sources(root) && schema.root().field("source").is_none() {
        format!("only the TOML syntax of this file is checked: `{kind}` of {target} has no `[[source]]`, which was added later")
    } else {
        return None;
    };
    Some(
        Diagnostic::new(&codes::UNCHECKED_KIND, message)
            .help("state the prime-rl that you run, or check the file next to its checkout"),
    )
}

/// Whether the entrypoint `eval` of a target is known to be that of verifiers.
pub(crate) fn is_of_verifiers(target: &Target) -> bool {
    let schema = target.schema(Kind::Eval);
    schema.root().field("num_tasks").is_some_and(|field| field.at(schema.point).is_some())
}

/// Whether a config that is not for a training run is valid at some other point. verifiers is also used without prime-rl; then its version is
/// unknown, and a config that some version accepts has no error.
pub(crate) fn is_taken_elsewhere(session: &Session, schema: Schema, tree: &Tree) -> bool {
    let takes = |point: u16| {
        let other = session.history.schema(schema.kind, Point(point));
        other.root().at(other.point).is_some() && stage::accepts(session, other, tree.clone())
    };
    !schema.kind.is_run() && (0..=session.history.newest().0).rev().any(takes)
}

fn has_sources(root: &Table) -> bool {
    root.get("source").is_some_and(|entry| matches!(entry.node.value, Value::List(_)))
}

/// The finding for a config whose kind is unknown.
pub(crate) fn not_checked(checked: &mut Checked, guess: KindGuess, named: bool, diagnostics: &mut Vec<Diagnostic>) {
    match guess {
        KindGuess::Is(_) => {}
        KindGuess::OfVerifiers(_) => {
            checked.is_config = false;
            let message = "this is not a prime-rl config: it is a file for verifiers' own evaluations";
            diagnostics.clear();
            diagnostics.push(Diagnostic::new(&codes::NOT_A_CONFIG, message).help("check it with `cfg check FILE`"));
        }
        KindGuess::OneOf(kinds) => {
            checked.verdict = Verdict::Depends;
            diagnostics.insert(0, unknown_kind(&kinds));
        }
        KindGuess::NoConfig(what) => {
            checked.is_config = false;
            // If a file can hardly be parsed, its syntax errors are more helpful than the message that it has no known keys.
            if diagnostics.is_empty() || !named || what.is_some() {
                diagnostics.clear();
                diagnostics.push(no_config(what));
            }
        }
    }
}
