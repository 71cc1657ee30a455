//! What the targets share.

pub mod python;
pub mod server;

use std::{collections::BTreeMap, path::Path};

use cfg_diag::{Diagnostic, FileId};
use cfg_system::{MemorySystem, Role, SearchOptions, System, WritableSystem};

/// The budget of a command, which each input has for itself: without one, all inputs share that of the program, and are not looked at once it is spent.
pub fn command() -> impl Drop {
    cfg_meter::within(std::sync::Arc::default())
}

/// Every place that a diagnostic names is within the text of its file, on character boundaries.
pub fn within<'t>(diagnostics: &[Diagnostic], text: &dyn Fn(FileId) -> Option<&'t str>) {
    for diagnostic in diagnostics {
        let edits = diagnostic.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.location);
        let related = diagnostic.related.iter().map(|related| related.location);
        for location in diagnostic.location.into_iter().chain(related).chain(edits) {
            let Some(text) = text(location.file) else { panic!("no such file: {diagnostic:?}") };
            assert!(text.get(location.span.range()).is_some(), "not within the text: {diagnostic:?}");
        }
        within(&diagnostic.folded, text);
    }
}

/// Gives a file these bytes, whatever they are, with the folders above it.
pub fn put(system: &MemorySystem, path: &str, bytes: &[u8]) {
    let path = Path::new(path);
    system.create_folder(path.parent().expect("a folder")).expect("a folder can be made");
    system.create(path, bytes, cfg_system::NewMode::Plain).expect("a new file can be made");
}

/// Every file of a system, with its bytes.
pub fn files(system: &MemorySystem) -> BTreeMap<String, Vec<u8>> {
    let all = system.search(
        &[Path::new("/")],
        SearchOptions { respect_ignores: false, hidden: true, ..SearchOptions::default() },
        &|_| true,
    );
    let file = |path: std::path::PathBuf| {
        let bytes = system.read(&path, Role::Journal).expect("it was found");
        (path.to_str().expect("a text").to_owned(), bytes)
    };
    all.into_iter().map(|found| file(found.expect("memory can be searched"))).collect()
}
