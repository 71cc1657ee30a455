//! The baselines that settings name.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, atomic::Ordering},
};

use cfg_diag::{Diagnostic, FileId, Location, codes};
use cfg_system::Role;

use crate::{Baseline, BaselineTexts, Projects, SettingPlace, SettingsFile, Sourced};

impl Projects {
    /// The path of the baseline for a config.
    pub fn baseline_path(&self, file: &Path) -> Option<PathBuf> {
        self.settings(file).settings.baseline.as_ref().map(|baseline| baseline.value.clone())
    }

    /// The accepted findings for a config, according to its settings. `None` also if the file can't be used, which is an error of the settings.
    pub fn baseline(&self, file: &Path) -> Option<Arc<Baseline>> {
        // The settings around a file that was checked have been read.
        if !self.has_baseline.load(Ordering::Relaxed) {
            return None;
        }
        let project = self.settings(file);
        let Sourced { value: path, place } = project.settings.baseline.as_ref()?;
        let mut known = self.baselines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(path) {
            return known.clone();
        }
        let read = match Baseline::read(&**self.system(), path) {
            Ok(baseline) => Some(Arc::new(baseline)),
            Err(why) => {
                self.refuse(place, &format!("the baseline {} can't be used: {why}", self.system().shown(path)));
                None
            }
        };
        known.insert(path.clone(), read.clone());
        read
    }

    /// The baselines that were used so far.
    pub fn baselines(&self) -> Vec<Arc<Baseline>> {
        self.baselines.lock().unwrap_or_else(PoisonError::into_inner).values().flatten().cloned().collect()
    }

    /// Removes the findings that the baseline in the settings of a config accepts, and returns how many these are.
    pub fn hide_accepted(&self, texts: BaselineTexts<'_>, diagnostics: &mut Vec<Diagnostic>) -> usize {
        self.baseline(texts.reported).map_or(0, |baseline| baseline.hide(&**self.system(), texts, diagnostics))
    }

    fn refuse(&self, place: &SettingPlace, message: &str) {
        let diagnostic = Diagnostic::new(&codes::INVALID_SETTINGS, message.to_owned()).key("baseline");
        let diagnostic = diagnostic.at(Location::new(FileId(0), place.span));
        let real = self.system.real(&place.path).unwrap_or_else(|_| place.path.to_path_buf());
        let text = || self.system.text(&place.path, Role::Settings).unwrap_or_default();
        let file = || SettingsFile { path: Arc::clone(&place.path), text: text(), diagnostics: Vec::new() };
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).entry(real).or_insert_with(file).diagnostics.push(diagnostic);
    }
}
