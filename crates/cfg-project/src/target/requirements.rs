//! prime-rl in `requirements.txt`, and in the files that it includes.

use cfg_diag::Order as _;
use std::path::{Component, Path, PathBuf};

use cfg_system::{Role, Scope};

use super::{Detection, TargetSource, reference, requirement};
use crate::folder::Folder;

/// The maximum number of files that are read, including included ones.
const MAX_FILES: usize = 32;

/// The maximum number of requirements that are looked up.
const MAX_LOOKED_UP: usize = 16;

/// The folder in which a project has several such files.
const FOLDER: &str = "requirements";

/// Whether a file in a project's folder has requirements, by its name.
pub(super) fn is_requirements(name: &str) -> bool {
    name.starts_with("requirements") && is_text(name)
}

fn is_text(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "txt")
}

/// The prime-rl in the `requirements*.txt` of `folder`, and in `requirements/*.txt`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let mut files: Vec<PathBuf> =
        folder.files_of_project().iter().filter(|name| is_requirements(name)).map(PathBuf::from).collect();
    // Outside a project, nothing is searched for.
    if !folder.is_in_project() {
        files.push(PathBuf::from("requirements.txt"));
    }
    if folder.folders_of_project().iter().any(|name| name == FOLDER) {
        let entries = folder.system().list(&folder.path().join(FOLDER), Scope::Inside).unwrap_or_default();
        let names = entries.into_iter().filter_map(|entry| entry.name.into_string().ok());
        files.extend(names.filter(|name| is_text(name)).map(|name| Path::new(FOLDER).join(name)));
    }
    // `requirements.txt` comes before `requirements-dev.txt`.
    files.order_by_key(|file| (file.as_os_str().len(), file.clone()));
    let (mut at, mut looked_up) = (0, 0);
    while let Some(file) = files.get(at).filter(|_| at < MAX_FILES).cloned() {
        at += 1;
        let Some(text) = folder.system().text(&folder.path().join(&file), Role::Project) else { continue };
        for line in lines(&text) {
            let is_full = files.len() >= MAX_FILES;
            if let Some(included) = included(&line, &file).filter(|included| !is_full && !files.contains(included)) {
                files.push(included);
            }
            if looked_up < MAX_LOOKED_UP
                && let Some(found) = named(folder, &file, &line, &mut looked_up)
            {
                return Some(found);
            }
        }
    }
    None
}

/// The lines of a text without comments. A backslash at the end of a line joins it with the next.
fn lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let plain = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_owned();
    joined.lines().map(plain).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The file that a line includes, if it is in the folder of the first file or below it.
fn included(line: &str, file: &Path) -> Option<PathBuf> {
    let name = ["-r", "--requirement", "-c", "--constraint"].iter().find_map(|option| line.strip_prefix(option))?;
    let name = name.trim_start_matches(['=', ' ', '\t']);
    let mut path = file.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    (!path.as_os_str().is_empty()).then_some(path)
}

/// The prime-rl in a line: a requirement, a URL, or a folder. Counts what is looked up.
fn named(folder: &Folder, file: &Path, line: &str, looked_up: &mut usize) -> Option<Detection> {
    let path = folder.path().join(file);
    let base = path.parent().unwrap_or(folder.path()).to_owned();
    let source = TargetSource::Requirements { path };
    let place =
        ["-e", "--editable"].iter().find_map(|option| line.strip_prefix(option)).map(|rest| rest.trim_start_matches(['=', ' ']));
    let pin = match place.unwrap_or(line) {
        url if url.contains("://") && !url.contains(" @ ") && reference::mentions_prime_rl(url) => requirement::in_url(url),
        path if place.is_some() || path.starts_with('.') || path.starts_with('/') => {
            let path = path.split([';', '[']).next().unwrap_or(path).trim();
            reference::mentions_prime_rl(path).then_some(requirement::Pin::Path(path))
        }
        requirement => requirement::pin(requirement),
    }?;
    *looked_up += 1;
    reference::of_pin(folder, &base, &pin, source)
}
