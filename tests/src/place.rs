//! Where the repository lies, and what may lie beside it.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// A file or folder of `../shared`, which is not part of the repository. Where it is absent that is said, and the caller has nothing to
/// test.
pub fn shared(relative: &str) -> Option<PathBuf> {
    let path = workspace().join("../shared").join(relative);
    if path.exists() {
        return Some(path);
    }
    // Where standard error is closed there is no one left to tell.
    let _ = writeln!(io::stderr(), "skipped: ../shared/{relative} is not here");
    None
}
