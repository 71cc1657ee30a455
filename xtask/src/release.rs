//! `cargo xtask release VERSION`: writes the version where it is stated, and prints the remaining steps. It publishes nothing.

use std::{fs, process::Command};

use crate::{generate::root, say, tools};

/// Where the version is stated: the file, what is before it in its line, and how many such lines there are from the top.
const STATED: [(&str, &str, usize); 7] = [
    ("Cargo.toml", "version = \"", 1),
    ("ci/gitlab.yml", "CFG_VERSION: \"", 1),
    ("editors/emacs/cfg.el", ";; Version: ", 1),
    ("editors/vscode/package.json", "\"version\": \"", 1),
    ("editors/vscode/package-lock.json", "\"version\": \"", 2),
    ("editors/zed/Cargo.toml", "version = \"", 1),
    ("editors/zed/extension.toml", "version = \"", 1),
];

/// Writes the version where it is stated and to the lock file, if `CHANGELOG.md` has a section for it, and no tag has this name.
pub(crate) fn prepare(version: &str) -> Result<(), String> {
    let numbers: Vec<&str> = version.split('.').collect();
    if numbers.len() != 3 || numbers.iter().any(|number| number.parse::<u32>().is_err()) {
        return Err(format!("`{version}` is not a version such as 1.2.3"));
    }
    let root = root();
    let read = |name: &str| fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    if section(&read("CHANGELOG.md")?, version).is_none_or(str::is_empty) {
        return Err(format!("CHANGELOG.md has no text under `## {version}`"));
    }
    let tag = format!("v{version}");
    let git = |words: &[&str]| tools::run(Command::new("git").args(words).current_dir(&root));
    if !git(&["tag", "--list", &tag])?.is_empty() {
        return Err(format!("there is a tag {tag} already"));
    }
    for (name, before, count) in STATED {
        let text = with_version(&read(name)?, before, count, version).ok_or_else(|| format!("{name} states no version"))?;
        fs::write(root.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    tools::run(Command::new(env!("CARGO")).args(["update", "--workspace", "--offline"]).current_dir(&root))?;
    say(&format!(
        "Cargo.lock and what states the version have {version} now. What is left, once CI agrees:

  git commit --all --message \"Version {version}\"
  git tag --annotate {tag} --message \"{version}\"
  git push origin HEAD {tag}

The tag starts .github/workflows/release.yml, which builds, attests and publishes the wheels."
    ));
    Ok(())
}

/// The text with another version in the first lines that have these words before it; `None` if there are fewer.
fn with_version(text: &str, before: &str, count: usize, version: &str) -> Option<String> {
    let mut written = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let start = line.trim_start().strip_prefix(before).filter(|_| written < count).map(|rest| line.len() - rest.len());
        let Some(start) = start else { return line.to_owned() };
        written += 1;
        let end = line[start..].find(|character: char| !character.is_ascii_digit() && character != '.');
        format!("{}{version}{}", &line[..start], &line[end.map_or(line.len(), |end| start + end)..])
    });
    let text = lines.collect();
    (written == count).then_some(text)
}

/// The changelog's text below the heading of a version, which may also have a date.
fn section<'text>(changelog: &'text str, version: &str) -> Option<&'text str> {
    let mut sections = changelog.split("\n## ").skip(1);
    let of_version = sections.find(|section| section.split_whitespace().next() == Some(version))?;
    Some(of_version.split_once('\n').map_or("", |(_, text)| text.trim()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{STATED, section, with_version};
    use crate::generate::root;

    #[test]
    fn the_version_is_replaced_in_the_first_lines_that_state_it() {
        let text = "[package]\nversion.workspace = true\n  version = \"0.1.0\"\nversion = \"0.1.0\" # x\nversion = \"7\"\n";
        let expected = text.replace("0.1.0", "0.12.0");
        assert_eq!(with_version(text, "version = \"", 2, "0.12.0"), Some(expected));
        assert_eq!(with_version(text, "version = \"", 4, "0.12.0"), None);
        assert_eq!(with_version(";; Version: 1.2.3", ";; Version: ", 1, "1.3.0").as_deref(), Some(";; Version: 1.3.0"));
    }

    #[test]
    fn the_present_version_is_stated_everywhere() {
        for (name, before, count) in STATED {
            let text = fs::read_to_string(root().join(name)).expect("it is there");
            assert_eq!(with_version(&text, before, count, env!("CARGO_PKG_VERSION")).as_deref(), Some(&*text), "{name}");
        }
    }

    #[test]
    fn a_section_is_found_by_its_version() {
        let changelog = "# Changelog\n\n## 0.1.10\n\nTen.\n\n## 0.1.1 (2026-01-01)\n\nOne.\n\n## 0.1.0\n";
        assert_eq!(section(changelog, "0.1.1"), Some("One."));
        assert_eq!(section(changelog, "0.1.0"), Some(""));
        assert_eq!(section(changelog, "0.1"), None);
    }

    #[test]
    fn the_present_version_has_its_section() {
        assert!(section(include_str!("../../CHANGELOG.md"), env!("CARGO_PKG_VERSION")).is_some_and(|text| text.len() > 100));
    }
}
