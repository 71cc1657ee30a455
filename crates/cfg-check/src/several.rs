//! A config that fits several kinds alike: what none of them accepts is an error, and the rest is left open.

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, Location, codes};
use cfg_schema::Kind;

use crate::{
    Checked, Request, Session, Verdict, overlay,
    values::{ConfigText, Values, schema_checks},
};

/// Checks a config as each of these kinds. Returns the kind, if exactly one of them accepts it: then it is of that kind. Otherwise reports the errors
/// that all of them have, and that the kind is unclear.
pub(crate) fn check(
    session: &Session,
    request: &Request<'_>,
    kinds: &[Kind],
    tree: &Tree,
    checked: &mut Checked,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Kind> {
    let is_empty = tree.root.entries().is_empty();
    if diagnostics.iter().any(Diagnostic::is_refusal) || checked.is_unknown() || is_empty {
        checked.verdict = Verdict::Depends;
        if !is_empty {
            checked.kinds = kinds.to_vec();
        }
        diagnostics.insert(0, if is_empty && diagnostics.is_empty() { empty_file() } else { unclear(kinds) });
        return None;
    }
    let Request { file, text, .. } = *request;
    let text_at = |at: Location| text.get(at.span.range()).filter(|_| at.file == file).map(str::to_owned);
    let written = ConfigText { path: request.path, text: None, text_at: &text_at, is_held: request.held.is_some() };
    let results = results(session, &written, kinds, tree, checked);
    if let Some(only) = only_one(&results) {
        return Some(only);
    }
    let (first, rest) = results.split_first()?;
    let (_, alone, found) = first;
    let is_common = |one: &&Diagnostic| rest.iter().all(|(_, _, found)| found.iter().any(|other| is_same(one, other)));
    let common: Vec<Diagnostic> = found.iter().filter(|found| found.is_refusal()).filter(is_common).cloned().collect();
    (checked.target, checked.certainty) = (alone.target.clone(), alone.certainty.clone());
    checked.verdict = Verdict::Depends;
    checked.kinds = results.iter().map(|(kind, _, _)| *kind).collect();
    diagnostics.push(unclear(&checked.kinds));
    diagnostics.extend(common);
    None
}

/// The only one of several kinds that accepts a config, of which `checked` is what is known so far; `None` if several do.
pub(crate) fn only(session: &Session, path: &str, kinds: &[Kind], tree: &Tree, checked: &Checked) -> Option<Kind> {
    only_one(&results(session, &ConfigText { path, text: None, text_at: &|_| None, is_held: false }, kinds, tree, checked))
}

/// A kind, and the result of checking a config as one.
type AsKind = (Kind, Checked, Vec<Diagnostic>);

/// The results of checking a config as each of several kinds, without those that only another prime-rl than the others would read like this.
fn results(session: &Session, written: &ConfigText<'_>, kinds: &[Kind], tree: &Tree, checked: &Checked) -> Vec<AsKind> {
    let result = |kind: &Kind| {
        let (mut alone, mut found) = (checked.as_before(), Vec::new());
        let values = Values { tree: tree.clone(), ..Values::default() };
        schema_checks(session, &mut alone, *kind, written, values, &mut found);
        (*kind, alone, found)
    };
    let mut results: Vec<AsKind> = kinds.iter().map(result).collect();
    if results.iter().any(|(_, alone, _)| !alone.is_for_another()) {
        results.retain(|(_, alone, _)| !alone.is_for_another());
    }
    results
}

/// The kind that is meant: the only one that accepts the config, or the only one that is left.
fn only_one(results: &[AsKind]) -> Option<Kind> {
    // A file that only lacks tables may override another one of that kind.
    let refuses = |found: &Diagnostic| found.is_refusal() && !overlay::is_missing(found);
    let accepting = results.iter().filter(|(_, _, found)| !found.iter().any(refuses));
    let accepting: Vec<Kind> = accepting.map(|(kind, _, _)| *kind).collect();
    match (&accepting[..], results) {
        ([only], _) | ([], [(only, _, _)]) => Some(*only),
        _ => None,
    }
}

/// Whether two kinds refuse the same value for the same reason.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let reason = |found: &Diagnostic| found.native.as_ref().filter(|_| found.is_refusal()).map(|native| native.kind.clone());
    one.location.is_some() && one.location == other.location && reason(one) == reason(other)
}

/// The finding for a file without keys.
pub(crate) fn empty_file() -> Diagnostic {
    Diagnostic::new(&codes::UNKNOWN_KIND, "this file has no keys, so there was nothing to check")
        .help("`cfg new --model MODEL --gpu GPU` writes a config that fits")
}

/// The finding for a file that may be of any of these kinds.
pub(crate) fn unclear(kinds: &[Kind]) -> Diagnostic {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let message = match kinds {
        [one, other] => format!("it is unclear whether this is {} config or {} config", one.with_article(), other.with_article()),
        _ => format!("it is unclear which entrypoint this config is for: its keys fit {}", names.join(", ")),
    };
    Diagnostic::new(&codes::UNKNOWN_KIND, format!("{message}: only errors that hold for each of them are reported")).help(
        format!(
            "pass its kind, such as `--kind {first}`, or write `kind = \"{first}\"` in the metadata block",
            first = names.first().copied().unwrap_or("rl"),
        ),
    )
}
