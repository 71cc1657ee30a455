//! A config that the project's scripts start with others, or with flags.

use std::{collections::HashSet, path::Path, sync::Arc};

use cfg_check::{LaunchCheck, LaunchRequest, LaunchUse, Launches, Session, check_launch, use_of};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::Target;
use cfg_system::{Overlay, System, tidy};

use crate::Analysis;

/// The maximum number of launches of a text that are checked while it is edited.
const MAX_LAUNCHES: usize = 8;

impl Analysis {
    /// Adds what the launches of the text say about it. Returns whether they say everything that is to be said about it: it is only a part.
    pub(crate) fn launch(&mut self, session: &Session, system: &Arc<dyn System>, target: Option<&Target>) -> bool {
        let place = tidy(&system.absolute(Path::new(&self.path)));
        let index = session.projects().launch_index(&place);
        let mut launches = Launches::default();
        let with_own = Overlay::with(Arc::clone(system), Path::new(&self.path), self.text.as_bytes());
        for placed in index.of(&place) {
            let how = use_of(placed, &place, &self.checked);
            launches.is_started_alone |= matches!(how, LaunchUse::Alone | LaunchUse::Component);
            if matches!(how, LaunchUse::Together | LaunchUse::Component) && launches.checks.len() < MAX_LAUNCHES {
                let name = |path: &Path| if path == place { self.path.clone() } else { path.to_string_lossy().into_owned() };
                let request = LaunchRequest { session, system: &with_own, target, project: Some(&*self.project), name: &name };
                launches.checks.push(Arc::new(check_launch(request, placed, "")));
            }
        }
        self.checked.diagnostics.retain(|one| !launches.is_refused_instead(&place, one));
        let is_only_part = launches.is_only_part(self.checked.is_part());
        if launches.checks.is_empty() || self.checked.is_part() && !is_only_part {
            return false;
        }
        // Those of the launch whose values are shown are taken with it.
        let best =
            launches.checks.iter().enumerate().filter(|(_, check)| !check.is_open).min_by_key(|(_, check)| check.is_refused);
        let shown = best.map(|(at, _)| at).filter(|_| is_only_part);
        let rest = launches.checks.iter().enumerate().filter(|(at, _)| Some(*at) != shown);
        let mut found: Vec<Diagnostic> = rest.flat_map(|(_, check)| self.of_launch(check, &place)).collect();
        if let Some(shown) = shown {
            let Ok(first) = Arc::try_unwrap(launches.checks.swap_remove(shown)) else { return false };
            let kept = |found: &Diagnostic| found.code.code.starts_with("PRL7") || found.code == &codes::INVALID_METADATA;
            let with_base = first.with_base(&place, &self.checked);
            let own = std::mem::take(&mut self.checked.diagnostics);
            found.splice(0..0, own.into_iter().filter(kept));
            let before = self.file;
            if !self.adopt(session, first.command) {
                return false;
            }
            let after = self.file;
            found.iter_mut().flat_map(|found| &mut found.location).filter(|at| at.file == before).for_each(|at| at.file = after);
            let mut of_first = std::mem::take(&mut self.checked.diagnostics);
            let has_place = |found: &Diagnostic| found.location.is_none_or(|at| at.file == after || self.part(at).is_some());
            of_first.retain(has_place);
            self.checked.diagnostics = with_base.into_iter().chain(of_first).collect();
        }
        self.is_launched = true;
        let mut known: HashSet<_> = self.checked.diagnostics.iter().map(|known| (known.code.code, known.location)).collect();
        found.retain(|one| known.insert((one.code.code, one.location)));
        self.checked.diagnostics.extend(found);
        true
    }

    /// The findings of a launch that belong to the text: those at its places, and those without a place if it is the first file.
    fn of_launch(&self, check: &LaunchCheck, place: &Path) -> Vec<Diagnostic> {
        let is_first = check.placed.files.first().is_some_and(|first| first == place);
        let is_own = |found: &&Diagnostic| {
            !check.may_follow_from_flags(found)
                && !check.is_overridden_by_flag(found)
                && found.location.map_or(is_first, |at| check.place_of(at.file) == Some(place))
                && found.code != &codes::UNUSED_SUPPRESSION
        };
        let here = |found: &Diagnostic| {
            let mut found = found.clone();
            let own = |at: cfg_diag::FileId| check.place_of(at) == Some(place);
            found.related.retain(|related| own(related.location.file));
            found.related.iter_mut().for_each(|related| related.location.file = self.file);
            found.location.iter_mut().for_each(|at| at.file = self.file);
            // Fixes are tried on the text alone.
            (found.fix, found.other_fixes) = (None, Vec::new());
            found
        };
        check.command.checked.diagnostics.iter().filter(is_own).map(here).collect()
    }
}
