//! `cargo xtask history evaluation VERSION WHEEL`: records the class of typed evaluations in a release of verifiers that no commit of prime-rl's main line
//! has used, so that a project which pins it is checked without its sources.

use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use cfg_python::read_evaluation;
use cfg_schema::{History, Kind};
use cfg_system::MemorySystem;

use super::{release::unpack, rows::rows_of};
use crate::generate::root;

const HEAD: &str = "# The class of verifiers' typed evaluations in releases that no commit of prime-rl's main line has used. `#>` says which class it is, which of its\n# checks have code that is not known, and what was not understood. `cargo xtask history evaluation` writes it.\n";

/// Where the release lies in the memory in which it is read.
const PLACE: &str = "/v";

/// Replaces the section of this release, and returns lines for a person to review.
pub(crate) fn write(version: &str, wheel: &Path) -> Result<Vec<String>, String> {
    let unpacked = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = if wheel.is_dir() { wheel } else { unpack(wheel, unpacked.path())? };
    let path = root().join("schemas/evaluation.schema");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let (text, news) = (with_section(&text, version, &section(folder)?), format!("verifiers {version} is recorded"));
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(vec![news])
}

/// The section of the release in a folder, without its head.
fn section(folder: &Path) -> Result<String, String> {
    let system = MemorySystem::default();
    put(&system, &folder.join("verifiers"), &Path::new(PLACE).join("verifiers"))?;
    let class = read_evaluation(&system, vec![PathBuf::from(PLACE)], History::built_in().newest())?;
    let declared = &class.declared;
    let kind = Kind::Eval as usize;
    let rows = rows_of(declared)?.into_iter().nth(kind).ok_or("no fields")?;
    let own = |text: &str| text.replace(&format!("{}/verifiers/", PLACE.trim_start_matches('/')), "verifiers/");
    let mut text = format!("#> class {}\n", class.name);
    let checks: BTreeSet<String> = declared.code.changed().into_iter().map(|check| check.name).collect();
    for check in checks {
        let _ = writeln!(text, "#> check {check}");
    }
    for ((_, path), why) in declared.open.iter().filter(|((of, _), _)| *of == kind) {
        let path = if path.is_empty() { "(root)" } else { path };
        let _ = writeln!(text, "#> open {path}: {}", own(&why.to_string()));
    }
    for (path, body) in rows {
        let path = if path.is_empty() { "(root)" } else { &*path };
        let _ = write!(text, "\n{path}\n  ..  {body}\n");
    }
    Ok(text)
}

/// Puts the files of Python below a folder into a system.
fn put(system: &MemorySystem, from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, below) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            put(system, &path, &below)?;
        } else if path.extension().is_some_and(|ending| ending == "py") {
            system.put(&below, &fs::read_to_string(&path).map_err(failed)?);
        }
    }
    Ok(())
}

/// The text with this section in place of the one of the same release.
fn with_section(text: &str, version: &str, section: &str) -> String {
    let mut sections: Vec<(String, String)> = text
        .split("# release ")
        .skip(1)
        .filter_map(|section| section.split_once('\n'))
        .filter(|(known, _)| *known != version)
        .map(|(known, text)| (known.to_owned(), text.trim_end().to_owned()))
        .collect();
    sections.push((version.to_owned(), section.trim_end().to_owned()));
    sections.sort();
    let sections = sections.iter().map(|(version, text)| format!("\n# release {version}\n{text}\n"));
    HEAD.to_owned() + &sections.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn the_section_of_a_release_is_replaced() {
        let one = with_section("", "0.4.0", "#> class A\n\nx\n  ..  int\n");
        let two = with_section(&one, "0.5.0", "#> class B\n");
        assert!(two.contains("# release 0.4.0\n#> class A\n\nx\n  ..  int\n\n# release 0.5.0\n#> class B\n"), "{two}");
        assert_eq!(with_section(&two, "0.5.0", "#> class B"), two);
        assert!(!with_section(&two, "0.4.0", "#> class C").contains("class A"));
    }
}
