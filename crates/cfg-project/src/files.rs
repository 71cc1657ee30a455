//! Reading the small files of a project.

use std::{fs, io, path::Path};

/// The bytes of a regular file; nothing where there is none. Pipes and devices are left alone: reading them could wait forever.
pub(crate) fn read_regular(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::read(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `path` without `.`, and without what `..` goes back over.
pub(crate) fn tidy(path: &Path) -> std::path::PathBuf {
    let mut tidy = std::path::PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if tidy.file_name().is_some() => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

/// The text of a regular file that other tools own: what is wrong with it is theirs to say.
pub(crate) fn read_text(path: &Path) -> Option<String> {
    let bytes = read_regular(path).ok()??;
    String::from_utf8(bytes).ok()
}
