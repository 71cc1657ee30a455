//! prime-rl as a git submodule.

use cfg_system::Role;

use super::{Detection, TargetSource, reference};
use crate::{folder::Folder, git};

/// The commit that is recorded for the submodule of prime-rl in the repository at `folder`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    if !folder.is_repository() {
        return None;
    }
    let system = folder.system();
    let modules = folder.text(".gitmodules", Role::Project)?;
    let modules = parse(&modules);
    let module = modules
        .iter()
        .find(|module| reference::names_prime_rl(&module.url))
        .or_else(|| modules.iter().find(|module| reference::names_prime_rl(&module.path)))?;
    let path = folder.path().join(&module.path);
    // Without `git`, the commit is read from the files of the submodule itself.
    let recorded = git::recorded_submodule(system, folder.path(), &module.path);
    let sha = recorded.or_else(|| git::head(system, &path).filter(|_| system.is_repository(&path)))?;
    let source = TargetSource::GitSubmodule { path: path.clone() };
    Some(reference::of_commit(&sha, source, || folder.pasts().of(system, &path, &sha)))
}

/// The paths of the submodules in a `.gitmodules`, relative to its folder.
pub(crate) fn paths(text: &str) -> Vec<String> {
    parse(text).into_iter().map(|module| module.path).collect()
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Module {
    path: String,
    url: String,
}

/// The sections of a `.gitmodules`, which has the format of git's configuration files.
fn parse(text: &str) -> Vec<Module> {
    let mut modules = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            modules.push(Module::default());
        } else if let (Some((key, value)), Some(module)) = (line.split_once('='), modules.last_mut()) {
            match key.trim().to_ascii_lowercase().as_str() {
                "path" => module.path = unquoted(value),
                "url" => module.url = unquoted(value),
                _ => {}
            }
        }
    }
    modules.retain(|module| !module.path.is_empty());
    modules
}

/// A value without quotes, escapes and comments.
fn unquoted(value: &str) -> String {
    let mut plain = String::new();
    let mut quoted = false;
    let mut characters = value.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' => plain.extend(characters.next()),
            '#' | ';' if !quoted => break,
            other => plain.push(other),
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Module, parse};

    #[test]
    fn sections_are_read_as_git_writes_them() {
        let text = "[submodule \"a\"]\n\tpath = deps/a\n\turl = ../a.git ; near\n# no\n[submodule \"deps/p\"]\r\n  PATH=\"deps/my p\"\r\n  url = \"x\\\\y\"\n  branch = main\n[other]\nurl = z\n";
        let module = |path: &str, url: &str| Module { path: path.to_owned(), url: url.to_owned() };
        assert_eq!(parse(text), [module("deps/a", "../a.git"), module("deps/my p", "x\\y")]);
    }
}
