//! For which prime-rl a config is checked, and how sure that is.

use std::{path::Path, sync::Arc};

use cfg_diag::{Applicability, Code, Diagnostic, Severity, codes};
use cfg_project::OwnClasses;
use cfg_resolve::loader;
use cfg_rules::Project;
use cfg_schema::{Packages, Target};
use cfg_syntax::Dialect;

use crate::Session;

/// A target, and how it is known.
pub(crate) struct Settled {
    pub(crate) target: Target,
    pub(crate) certainty: Certainty,
    /// The classes that it is judged by, where its sources are available.
    pub(crate) own: Option<Arc<OwnClasses>>,
    /// The packages around the config.
    pub(crate) packages: Option<Arc<dyn Packages>>,
}

/// How a target is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// The user, the file, or the project around it states it.
    Stated,
    /// Nobody states one: it is the newest release, or that of the day of the file's last commit, where git knows it.
    Assumed { on: Option<String> },
    /// The project uses one that is not known. The target stands in for it where one is needed, and says nothing of the config.
    Unknown,
}

/// The target of a config at a path: the stated one, what the project around it tells, what is taken `otherwise`, or an assumption.
pub(crate) fn settle(session: &Session, stated: Option<Target>, path: Option<&Path>, otherwise: Option<Target>) -> Settled {
    let packages = || path.map(|path| session.projects().packages(path));
    let is_stated = |target: Target| Settled { target, certainty: Certainty::Stated, own: None, packages: packages() };
    if let Some(target) = stated {
        return is_stated(target);
    }
    let newest =
        |certainty| Settled { target: Target::newest_release(session.history), certainty, own: None, packages: packages() };
    match path.and_then(|path| session.projects().target(path)).as_deref() {
        Some(Ok(detected)) => return Settled { own: detected.own.clone(), ..is_stated(detected.target.clone()) },
        Some(Err(_)) if otherwise.is_none() => return newest(Certainty::Unknown),
        Some(Err(_)) | None => {}
    }
    if let Some(target) = otherwise {
        return is_stated(target);
    }
    let Some(day) = path.and_then(|path| session.projects().last_change(path)) else {
        return newest(Certainty::Assumed { on: None });
    };
    match Target::newest_release_on(session.history, &day) {
        Ok(target) => Settled { target, certainty: Certainty::Assumed { on: Some(day) }, own: None, packages: packages() },
        Err(_) => newest(Certainty::Unknown),
    }
}

impl Settled {
    /// With the keys that the settings of the project add.
    pub(crate) fn extend(&mut self, project: Option<&Project>) {
        self.target.history = self.target.history.extended(project.map_or(&[], |project| &project.extend));
    }

    /// Which TOML its loader reads; where the target is not known, any.
    pub(crate) fn dialect(&self) -> Dialect {
        if self.certainty == Certainty::Unknown { Dialect::Toml11 } else { loader::dialect(self.target.point) }
    }
}

/// What a later prime-rl may well take: a key, a variant or a choice that is new there, a key that need not be given any more.
const CHANGING: [Code; 6] = [
    &codes::UNKNOWN_KEY,
    &codes::MISSING_KEY,
    &codes::MISPLACED_KEY,
    &codes::UNKNOWN_VARIANT,
    &codes::MISSING_VARIANT,
    &codes::INVALID_CHOICE,
];

/// Turns what a prime-rl beyond the history may well take into warnings that say so. Returns whether there was any.
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
