//! The config that another names in `same_as`: as the registry keeps it, or as it lies beside.

use std::{fs, path::Path};

use cfg_check::Other;
use cfg_diag::FileId;
use cfg_plan::Metadata;
use cfg_registry::{registry::Reference, store::Access};
use cfg_schema::History;
use cfg_syntax::Dialect;

use super::{open::open_at, place, reference::kept};

/// Reads the config that the one at `from` names by `path:version`, or says why it can't.
pub(crate) fn read(from: &str, reference: &str) -> Result<Other, String> {
    match registered(Path::new(from), reference) {
        Some(Ok(bytes)) => Ok(Other { path: reference.to_owned(), bytes }),
        of_registry => beside(Path::new(from), reference).map_err(|why| of_registry.and_then(Result::err).unwrap_or(why)),
    }
}

/// What the registry above a config has under a reference; nothing where there is no registry.
fn registered(from: &Path, reference: &str) -> Option<Result<Vec<u8>, String>> {
    let found = place::find(from).ok()??;
    let opened = open_at(found, Access::Read)?;
    let key = place::absolute(from).ok().and_then(|path| place::key(&opened.base, &path));
    let resolved = opened.registry.resolve(reference, key.as_deref());
    Some(resolved.map_err(|why| why.message(&opened.registry)).and_then(|place| kept(&opened, place)))
}

/// The file that a reference names, if it has the version that is meant.
fn beside(from: &Path, reference: &str) -> Result<Other, String> {
    let parsed = Reference::parse(reference);
    let path = match parsed.path {
        Some(path) => from.parent().unwrap_or(Path::new("")).join(path),
        None => from.to_owned(),
    };
    let name = path.display();
    let bytes = fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
    if let Some(label) = parsed.label {
        let text = String::from_utf8_lossy(&bytes);
        let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
        let (metadata, _) = Metadata::read(History::built_in(), FileId(0), &text, &document);
        match metadata.version {
            Some(version) if *version.value == *label => {}
            Some(version) => return Err(format!("{name} has version {} now, and no registry keeps {label}", version.value)),
            None => return Err(format!("{name} states no version, and no registry keeps {label}")),
        }
    }
    Ok(Other { path: path.to_string_lossy().into_owned(), bytes })
}
