//! prime-rl among the dependencies of managers other than uv: Poetry and PDM in `pyproject.toml`, Pixi, Pipenv.

use cfg_system::Role;
use toml::de::{DeTable, DeValue};

use super::{Detection, TargetSource, reference, requirement};
use crate::folder::Folder;

/// The files of these managers, the most reliable first.
pub(super) const FILES: [&str; 3] = ["pyproject.toml", "pixi.toml", "Pipfile"];

/// The names of tables of dependencies, in which each distribution is a key.
const TABLES: [&str; 5] = ["dependencies", "dev-dependencies", "pypi-dependencies", "packages", "dev-packages"];

/// How deep such tables are: `[tool.poetry.group.train.dependencies]`.
const DEPTH: usize = 5;

/// The maximum number of tables that are looked at.
const MAX_TABLES: usize = 1024;

/// The prime-rl of such a manager in `folder`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let names = folder.files_of_project();
    FILES.iter().filter(|file| names.iter().any(|name| name == *file)).find_map(|file| {
        let path = folder.path().join(file);
        let text = folder.system().text(&path, Role::Project).filter(|text| reference::mentions_prime_rl(text))?;
        let (root, _) = DeTable::parse_recoverable(&text);
        let pin = in_table(root.get_ref(), DEPTH, &mut { MAX_TABLES })?;
        let pin = requirement::pin(&pin)?;
        reference::of_pin(folder, folder.path(), &pin, TargetSource::Requirements { path })
    })
}

/// The requirement of prime-rl in the tables of dependencies in a table and below it.
fn in_table(table: &DeTable<'_>, depth: usize, left: &mut usize) -> Option<String> {
    for (name, value) in table {
        let DeValue::Table(inner) = value.get_ref() else { continue };
        *left = left.checked_sub(1)?;
        let found = if TABLES.contains(&&**name.get_ref()) {
            let of_prime_rl = inner.iter().filter(|(name, _)| reference::is_prime_rl(name.get_ref()));
            of_prime_rl.map(|(_, value)| value.get_ref()).find_map(requirement_of)
        } else {
            depth.checked_sub(1).and_then(|depth| in_table(inner, depth, left))
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The requirement that the value of a dependency is: a version, or a table with a git revision.
fn requirement_of(value: &DeValue<'_>) -> Option<String> {
    let text = |table: &DeTable<'_>, key: &str| table.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
    let version = |version: &str| {
        let sign = if version.starts_with(|first: char| first.is_ascii_digit()) { "==" } else { "" };
        format!("prime-rl{sign}{version}")
    };
    match value {
        DeValue::String(stated) => Some(version(stated)),
        DeValue::Table(table) => {
            let revision = || ["rev", "tag", "ref", "branch"].into_iter().find_map(|key| text(table, key));
            match text(table, "git") {
                Some(url) => Some(format!("prime-rl @ git+{url}@{}", revision()?)),
                None => text(table, "version").as_deref().map(version),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::{DEPTH, in_table};

    #[test]
    fn the_tables_of_each_manager_are_known() {
        let url = "https://github.com/PrimeIntellect-ai/prime-rl.git";
        let of_git = Some(format!("prime-rl @ git+{url}@v0.6.0"));
        for (text, wanted) in [
            (format!("[tool.poetry.dependencies]\nprime-rl = {{ git = \"{url}\", tag = \"v0.6.0\" }}"), of_git.clone()),
            (format!("[tool.poetry.group.train.dependencies.prime-rl]\ngit = \"{url}\"\nrev = \"v0.6.0\""), of_git.clone()),
            (format!("[packages]\nprime_rl = {{ git = \"{url}\", ref = \"v0.6.0\" }}"), of_git.clone()),
            (format!("[feature.gpu.pypi-dependencies]\nprime-rl = {{ git = \"{url}\", tag = \"v0.6.0\" }}"), of_git),
            ("[tool.poetry.dependencies]\nprime-rl = \"0.6.0\"".to_owned(), Some("prime-rl==0.6.0".to_owned())),
            ("[packages]\nprime-rl = \">=0.6\"".to_owned(), Some("prime-rl>=0.6".to_owned())),
            (format!("[tool.poetry.dependencies]\nprime-rl = {{ git = \"{url}\" }}"), None),
            ("[tool.other]\nprime-rl = \"0.6.0\"".to_owned(), None),
        ] {
            let (root, _) = DeTable::parse_recoverable(&text);
            assert_eq!(in_table(root.get_ref(), DEPTH, &mut 9), wanted, "{text}");
        }
    }
}
