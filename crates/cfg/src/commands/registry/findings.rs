//! The findings in a registry and its configs, and the report about them.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use cfg_diag::{Diagnostic, FileId, Location, Severity};
use cfg_registry::registry::REGISTRY_FILE;
use cfg_report::{FileReport, Sources, Stream};
use cfg_system::System;

/// The findings in a registry and its configs.
pub(crate) struct Findings {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) of_registry: Vec<Diagnostic>,
    pub(super) of_files: Vec<OfFile>,
}

/// The findings in a config.
pub(super) struct OfFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// The path of the registry.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether any finding has at least this severity.
    pub(crate) fn has(&self, severity: Severity) -> bool {
        let of_files = self.of_files.iter().flat_map(|file| &file.diagnostics);
        self.of_registry.iter().chain(of_files).any(|diagnostic| diagnostic.severity >= severity)
    }

    /// Drops the findings in configs that are reported elsewhere.
    pub(crate) fn drop_files(&mut self, is_told: impl Fn(&Path) -> bool) {
        self.of_files.retain(|file| !is_told(&file.path));
    }

    /// Writes all findings.
    pub(crate) fn write<W: Write>(&mut self, system: &dyn System, stream: &mut Stream<W>) -> io::Result<()> {
        // All findings share one list of sources, so that line numbers of a long registry are computed only once.
        for (number, file) in self.of_files.iter_mut().enumerate() {
            let own = FileId(number as u32);
            let renumber = |location: &mut Location| {
                if location.file != REGISTRY_FILE {
                    location.file = own;
                }
            };
            for diagnostic in &mut file.diagnostics {
                diagnostic.location.iter_mut().for_each(renumber);
                diagnostic.related.iter_mut().map(|related| &mut related.location).for_each(renumber);
            }
        }
        let registry = system.shown(&self.path);
        let names: Vec<String> = self.of_files.iter().map(|file| system.shown(&file.path)).collect();
        let mut sources = Sources::new();
        sources.insert(REGISTRY_FILE, &registry, &self.text);
        for (number, (name, file)) in names.iter().zip(&self.of_files).enumerate() {
            sources.insert(FileId(number as u32), name, &file.text);
        }
        let listed = names.iter().zip(&self.of_files).map(|(name, file)| (name, &file.diagnostics));
        for (path, diagnostics) in std::iter::once((&registry, &self.of_registry)).chain(listed) {
            stream.file(&FileReport::about(path, diagnostics), &sources)?;
        }
        Ok(())
    }
}
