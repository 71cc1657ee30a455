//! What is wrong with the settings files of the projects.

use std::sync::{Arc, PoisonError};

use cfg_diag::{Diagnostic, FileId, Location, Span, codes};

use super::Projects;
use crate::SettingsFile;

impl Projects {
    /// Records the settings files with whose patterns not all files could be compared.
    pub(super) fn report_patterns(&self) {
        let mut patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        patterns.retain(|(path, set)| {
            if set.is_spent() {
                let message = "not all files could be compared with the file patterns: it takes too much work or memory";
                let diagnostic = Diagnostic::new(&codes::INVALID_SETTINGS, message).help("use fewer or simpler patterns");
                let real = self.system.real(path).unwrap_or_else(|_| path.to_path_buf());
                let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
                let nothing = || SettingsFile { path: Arc::clone(path), text: String::new(), diagnostics: Vec::new() };
                wrong.entry(real).or_insert_with(nothing).diagnostics.push(diagnostic);
            }
            !set.is_spent()
        });
    }

    /// Records a file with errors, only once even if several links lead to it.
    pub(super) fn record(&self, file: SettingsFile) {
        if file.diagnostics.is_empty() {
            return;
        }
        let real = self.system.real(&file.path).unwrap_or_else(|_| file.path.to_path_buf());
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).entry(real).or_insert(file);
    }
}

/// The finding for a byte that is not UTF-8. The displayed text has a replacement character at this offset.
pub(super) fn not_utf8(offset: usize) -> Diagnostic {
    let place = Span::from(offset..offset + char::REPLACEMENT_CHARACTER.len_utf8());
    let diagnostic = Diagnostic::new(&codes::INVALID_SETTINGS, "the file is not UTF-8").at(Location::new(FileId(0), place));
    diagnostic.help("save it as UTF-8; until then none of its settings are used")
}
