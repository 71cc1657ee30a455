//! Keys that the loader of evaluations does not accept where they are written.

use cfg_diag::{Applicability, Diagnostic, LocPart, Severity, codes};
use cfg_resolve::{is_slip, nearest};
use cfg_syntax::Entry;

use super::{
    facts::facts,
    table::{At, place},
    used::{Standing, Used},
};

/// The errors in the keys of a table. `own` are additional keys that only this table accepts.
pub(super) fn check(used: &Used, at: &At<'_>, own: &[&str]) -> Vec<Diagnostic> {
    let keys = at.keys().filter(|entry| !own.contains(&&*entry.key.text));
    keys.filter_map(|entry| finding(used, at, entry)).collect()
}

fn finding(used: &Used, at: &At<'_>, entry: &Entry) -> Option<Diagnostic> {
    let key = &*entry.key.text;
    let is_root = at.key.is_empty();
    if is_root && facts().key(key).is_some_and(|known| known.is_of_entries) {
        let found = refused(at, entry, format!("`{key}` belongs to each `[[eval]]`: the root of the file has no such key"));
        return Some(found.label("belongs to an entry").help(format!("write `{key}` in the `[[eval]]` that it is for")));
    }
    Some(match used.standing(key) {
        Standing::Taken => return None,
        Standing::Removed { until, is_sure: true } => {
            let message = format!("`{}` was removed in verifiers {until}", at.path(key));
            refused(at, entry, message).label("removed").help(format!("remove it: {} refuses it", used.in_words()))
        }
        Standing::Removed { until, is_sure: false } => {
            let message = format!("`{}` was removed in verifiers {until}", at.path(key));
            warning(refused(at, entry, message)).label("removed").help("remove it, unless the verifiers that you run is older")
        }
        Standing::Future { since } => {
            let message = format!("{} has no `{}` yet: it was added in {since}", used.in_words(), at.path(key));
            refused(at, entry, message).label("added later").help("remove it, or use a verifiers that has it")
        }
        Standing::NotHosted => {
            let message = format!("evaluations on the platform don't accept `{}`", at.path(key));
            refused(at, entry, message).label("refused with `--hosted`").help(format!("remove it: {} refuse it", used.in_words()))
        }
        Standing::Unknown { may_be_new } => {
            let found = unknown(used, at, entry);
            if may_be_new {
                let open = format!("{} is newer than this cfg and may accept it", used.in_words());
                let help = found.help.clone().map_or(open.clone(), |help| format!("{help}; {open}"));
                let mut found = warning(found).help(help);
                found.fix.iter_mut().for_each(|fix| fix.applicability = Applicability::Unsafe);
                found
            } else {
                found
            }
        }
    })
}

fn unknown(used: &Used, at: &At<'_>, entry: &Entry) -> Diagnostic {
    let key = &*entry.key.text;
    let found = refused(at, entry, format!("{} has no key `{key}`", at.name())).label("unknown key");
    let fields = used.names(at.key.is_empty());
    let Some(meant) = nearest(key, fields.iter().copied()) else {
        return found.help("arguments of the environment belong in `env_args`, settings of the model in `sampling_args`");
    };
    let is_word = |word: &str| facts().keys().iter().any(|known| known.name.split('_').any(|other| other == word));
    let is_slip = is_slip(key, meant, &fields, is_word);
    let applicability = if is_slip { Applicability::Safe } else { Applicability::Unsafe };
    let found = found.help(format!("did you mean `{meant}`?"));
    // A key that already exists can't be proposed.
    if at.table.get(meant).is_some() {
        return found;
    }
    found.rename(meant, applicability, place(at.file, entry))
}

fn refused(at: &At<'_>, entry: &Entry, message: String) -> Diagnostic {
    let loc: Vec<LocPart> = at.loc_of(&entry.key.text);
    at.finding(&codes::UNKNOWN_EVAL_KEY, entry, message).native("ValueError", loc)
}

/// The finding as a warning, if it is not certain that the loader refuses the key.
fn warning(mut found: Diagnostic) -> Diagnostic {
    (found.severity, found.native) = (Severity::Warning, None);
    found
}
