//! prime-rl as a git submodule.

use cfg_system::Role;

use super::{Detection, TargetSource, reference};
use crate::{folder::Folder, git};

/// The commit that is recorded for a submodule of prime-rl in or below `folder`. That of another folder of the repository may be another prime-rl.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let root = folder.ancestors().find(|outer| outer.is_repository())?;
    let system = folder.system();
    let of_prime_rl = root.prime_rl_submodules();
    let steps = |below: &str| Some(root.path().join(below).strip_prefix(folder.path()).ok()?.components().count());
    let (_, below) = of_prime_rl.iter().filter_map(|below| Some((steps(below)?, below))).min_by_key(|(steps, _)| *steps)?;
    let path = root.path().join(below);
    // Without `git`, the commit is read from the files of the submodule itself.
    let recorded = git::recorded_submodule(system, root.path(), below);
    let sha = recorded.or_else(|| git::head(system, &path).filter(|_| system.is_repository(&path)))?;
    let source = TargetSource::GitSubmodule { path: path.clone() };
    Some(reference::of_commit(&sha, source, || folder.pasts().of(system, &path, &sha)))
}

/// The paths of the submodules with prime-rl in the repository at `root`, relative to it: those that have it by their URL, or else by their path.
pub(crate) fn of_prime_rl(root: &Folder) -> Vec<String> {
    let modules = parse(&root.text(".gitmodules", Role::Project).unwrap_or_default());
    let named = |name: fn(&Module) -> &str| {
        modules.iter().filter(move |module| reference::names_prime_rl(name(module))).map(|module| module.path.clone())
    };
    let by_url: Vec<String> = named(|module| &module.url).collect();
    if by_url.is_empty() { named(|module| &module.path).collect() } else { by_url }
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
