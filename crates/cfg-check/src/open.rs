//! Errors that are left open, because the prime-rl that the user runs may not report them: it is newer than the history, or patched.

use cfg_diag::{Applicability, Code, Diagnostic, LocPart, Location, Severity, codes};
use cfg_project::{Patch, Patches};
use cfg_schema::Target;

/// The codes of errors that a later prime-rl may not report: a new key, variant or choice, or a key that is no longer required.
const CHANGING: [Code; 6] = [
    &codes::UNKNOWN_KEY,
    &codes::MISSING_KEY,
    &codes::MISPLACED_KEY,
    &codes::UNKNOWN_VARIANT,
    &codes::MISSING_VARIANT,
    &codes::INVALID_CHOICE,
];

/// Replaces errors about names that a patch beside the config may add to prime-rl, and errors of checks that a patch may change, by findings that
/// say so. Not used for a checkout, whose classes include its patches. `text_at` returns the text at a location. Returns whether an error was
/// replaced.
pub(crate) fn leave_patched(patches: &Patches, found: &mut [Diagnostic], text_at: &dyn Fn(Location) -> Option<String>) -> bool {
    let is_by_value = |code: Code| code == &codes::UNKNOWN_VARIANT || code == &codes::INVALID_CHOICE;
    let mut is_any = false;
    for diagnostic in &mut *found {
        let Some(native) = &diagnostic.native else { continue };
        let check = native.check.as_deref();
        let name = if !CHANGING.contains(&diagnostic.code) {
            None
        } else if is_by_value(diagnostic.code) {
            diagnostic.location.and_then(text_at).map(|text| text.trim_matches(['"', '\'']).to_owned())
        } else {
            native.loc.iter().rev().find_map(|part| if let LocPart::Key(key) = part { Some(key.clone()) } else { None })
        };
        let may_decide = |patch: &Patch| {
            name.as_deref().is_some_and(|name| patch.adds(name)) || check.is_some_and(|check| patch.changes(check))
        };
        let Some(patch) = patches.find(may_decide) else { continue };
        is_any = true;
        let what = match (check, &diagnostic.key) {
            (Some(check), _) => format!("the result of `{check}`"),
            (None, Some(key)) => format!("`{key}`"),
            (None, None) => "this".to_owned(),
        };
        let message = format!("{what} is not checked: {} may change it in prime-rl's config classes", patch.path);
        let mut open = Diagnostic::new(&codes::PATCHED_PRIME_RL, message)
            .help("to check it, apply the patch to a checkout and pass that: `--target path:CHECKOUT`");
        (open.key, open.location) = (diagnostic.key.take(), diagnostic.location);
        *diagnostic = open;
    }
    // The errors that the replaced ones had masked are no longer masked.
    if is_any && !found.iter().any(Diagnostic::is_refusal) {
        found.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).for_each(|native| native.masked = false);
    }
    is_any
}

/// Turns errors that a prime-rl newer than the history may not report into warnings that say so. Returns whether there were any.
pub(crate) fn leave_newer(target: &Target, found: &mut [Diagnostic]) -> bool {
    let open = found.iter_mut().filter(|diagnostic| may_be_new(diagnostic));
    let mut is_any = false;
    for diagnostic in open {
        is_any = true;
        diagnostic.severity = Severity::Warning;
        diagnostic.native = None;
        let open = format!(
            "{target} is newer than this cfg and may accept it: pass its checkout with `--target path:CHECKOUT`, or update cfg"
        );
        diagnostic.help = Some(diagnostic.help.take().map_or(open.clone(), |help| format!("{help}; {open}")));
        if let Some(fix) = &mut diagnostic.fix {
            fix.applicability = Applicability::Unsafe;
        }
    }
    is_any
}

/// Whether a newer prime-rl may accept what a finding is about. A name that is nearly a known one is a typing error in any version.
pub(crate) fn may_be_new(found: &Diagnostic) -> bool {
    let is_typing_error = found.code == &codes::UNKNOWN_KEY && found.fix.is_some();
    found.native.is_some() && CHANGING.contains(&found.code) && !is_typing_error
}
