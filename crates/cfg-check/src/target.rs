//! The prime-rl for which a config is checked, and how certain that is.

use std::{path::Path, sync::Arc};

use cfg_diag::{Applicability, Code, Diagnostic, LocPart, Location, Severity, codes};
use cfg_project::{OwnClasses, Patch, Patches};
use cfg_resolve::loader;
use cfg_rules::Project;
use cfg_schema::{Packages, Target};
use cfg_syntax::Dialect;

use crate::{Certainty, Session, check::is_refusal};

/// A target, and where it is stated.
pub(crate) struct Settled {
    pub(crate) target: Target,
    pub(crate) certainty: Certainty,
    /// The classes of the project's own prime-rl, if its sources are available.
    pub(crate) own: Option<Arc<OwnClasses>>,
    /// The packages around the config.
    pub(crate) packages: Option<Arc<dyn Packages>>,
    /// The patches around it.
    pub(crate) patches: Patches,
}

/// The result for a config that states a prime-rl that can't be used. The project's prime-rl does not replace it, because the
/// author meant another one.
pub(crate) fn refused(session: &Session, path: Option<&Path>) -> Settled {
    Settled::around(session, path, Target::newest_release(session.history), Certainty::Unknown)
}

/// The target of a config at a path: the stated one, that of the project around it, `otherwise`, or an assumed one.
pub(crate) fn settle(session: &Session, stated: Option<Target>, path: Option<&Path>, otherwise: Option<Target>) -> Settled {
    let settled = |target, certainty| Settled::around(session, path, target, certainty);
    let newest = |certainty| settled(Target::newest_release(session.history), certainty);
    if let Some(target) = stated {
        return settled(target, Certainty::Stated);
    }
    match path.and_then(|path| session.projects().target(path)).as_deref() {
        Some(Ok(detected)) => {
            return Settled { own: detected.own.clone(), ..settled(detected.target.clone(), Certainty::Stated) };
        }
        Some(Err(_)) if otherwise.is_none() => return newest(Certainty::Unknown),
        Some(Err(_)) | None => {}
    }
    if let Some(target) = otherwise {
        return settled(target, Certainty::Stated);
    }
    let Some(day) = path.and_then(|path| session.projects().last_change(path)) else {
        return newest(Certainty::NewestRelease);
    };
    match Target::newest_release_on(session.history, &day) {
        Ok(target) => settled(target, Certainty::NewestOn(day)),
        Err(_) => newest(Certainty::Unknown),
    }
}

impl Settled {
    /// A target with the classes, packages and patches around the config.
    fn around(session: &Session, path: Option<&Path>, target: Target, certainty: Certainty) -> Self {
        let (packages, patches) = path.map(|path| session.projects().packages_and_patches(path)).unzip();
        Self { target, certainty, own: None, packages, patches: patches.unwrap_or_default() }
    }

    /// Adds the keys that the project's settings declare.
    pub(crate) fn extend(&mut self, project: Option<&Project>) {
        self.target.history = self.target.history.extended(project.map_or(&[], |project| &project.extend));
    }

    /// The TOML version that its loader reads; the newest if the target is unknown.
    pub(crate) fn dialect(&self) -> Dialect {
        if self.certainty == Certainty::Unknown { Dialect::Toml11 } else { loader::dialect(self.target.point) }
    }
}

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
    if is_any && !found.iter().any(is_refusal) {
        found.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).for_each(|native| native.masked = false);
    }
    is_any
}

/// Turns errors that a prime-rl newer than the history may not report into warnings that say so. Returns whether there were any.
pub(crate) fn leave_open(target: &Target, found: &mut [Diagnostic]) -> bool {
    let open = found.iter_mut().filter(|diagnostic| diagnostic.native.is_some() && CHANGING.contains(&diagnostic.code));
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
