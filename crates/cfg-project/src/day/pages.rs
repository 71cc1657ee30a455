//! Days in the documentation pages of a project.

use std::path::{Path, PathBuf};

use cfg_system::{Role, Scope};

use super::{DaySource, FileDay, sentences};
use crate::{folder::Folder, target::mentions_prime_rl};

/// The maximum number of pages that are read of a folder, with its subfolder for pages.
const MAX_PAGES: usize = 64;

/// The subfolder of a project that contains pages; its own folder is searched as well.
const FOLDER: &str = "docs";

/// A day in a page.
#[derive(Debug)]
pub(crate) struct PageDay {
    path: PathBuf,
    line: u32,
    day: String,
    /// The paths of the configs in the same paragraph.
    names: Vec<String>,
    /// Whether the paragraph names prime-rl.
    is_of_prime_rl: bool,
}

/// The day of a config: in the nearest folder whose pages name the config with a day, else in the nearest whose pages name prime-rl with
/// one. In one folder, the latest counts.
pub(super) fn day<'f>(folders: impl Iterator<Item = &'f Folder>, file: &Path) -> Option<FileDay> {
    let folders: Vec<&Folder> = folders.collect();
    let latest = |is_it: fn(&PageDay, &Path) -> bool| {
        let mut in_each = folders.iter().map(|folder| folder.page_days().iter().filter(|found| is_it(found, file)));
        in_each.find_map(|found| found.max_by(|one, other| one.day.cmp(&other.day)))
    };
    let found = latest(|found, file| found.names.iter().any(|named| file.ends_with(named.trim_start_matches("./"))))
        .or_else(|| latest(|found, _| found.is_of_prime_rl && found.names.is_empty()))?;
    Some(FileDay { day: found.day.clone(), source: DaySource::Page { path: found.path.clone(), line: found.line } })
}

/// The days in the pages of a folder.
pub(crate) fn read(folder: &Folder) -> Vec<PageDay> {
    let system = folder.system();
    let below = system.list(&folder.path().join(FOLDER), Scope::Inside).unwrap_or_default();
    let below = below.into_iter().filter_map(|entry| Some(format!("{FOLDER}/{}", entry.name.to_str()?)));
    let is_page = |path: &String| Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    let mut pages: Vec<String> = folder.files_of_project().iter().cloned().chain(below).filter(is_page).collect();
    pages.sort();
    let mut found = Vec::new();
    for page in pages.into_iter().take(MAX_PAGES) {
        let path = folder.path().join(page);
        let Some(text) = system.text(&path, Role::Project).filter(|text| sentences::may_have_day(text)) else { continue };
        for paragraph in paragraphs(&text) {
            let days = sentences::days(&paragraph);
            if days.is_empty() {
                continue;
            }
            let names: Vec<String> = paragraph.iter().flat_map(|(_, line)| configs_in(line)).map(str::to_owned).collect();
            let is_of_prime_rl = paragraph.iter().any(|(_, line)| mentions_prime_rl(line));
            found.extend(days.into_iter().map(|(line, day)| PageDay {
                path: path.clone(),
                line,
                day,
                names: names.clone(),
                is_of_prime_rl,
            }));
        }
    }
    found
}

/// The paragraphs of a page, each as its lines with their numbers from 1. A heading, an item of a list and a row of a table each begin one.
fn paragraphs(text: &str) -> Vec<Vec<(u32, &str)>> {
    let mut paragraphs: Vec<Vec<(u32, &str)>> = vec![Vec::new()];
    for (number, line) in (1..).zip(text.lines()) {
        let begun = line.trim_start();
        let is_item = ["- ", "* ", "+ ", "|", "#"].iter().any(|mark| begun.starts_with(mark))
            || begun
                .split_once(". ")
                .is_some_and(|(first, _)| !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit()));
        let is_after_heading = paragraphs.last().and_then(|above| above.last()).is_some_and(|(_, above)| above.starts_with('#'));
        if begun.is_empty() || is_item || is_after_heading {
            paragraphs.push(Vec::new());
        }
        if let Some(paragraph) = paragraphs.last_mut().filter(|_| !begun.is_empty()) {
            paragraph.push((number, line));
        }
    }
    paragraphs
}

/// The paths of the TOML files in a line.
fn configs_in(line: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/');
    let words = line.split(move |character| !is_of_path(character)).map(|word| word.trim_end_matches(['.', '-', '/']));
    words.filter(|word| word.strip_suffix(".toml").is_some())
}

#[cfg(test)]
mod tests {
    use super::{configs_in, paragraphs};

    #[test]
    fn a_page_is_cut_where_its_subject_changes() {
        let text = "# Runs\nAll of them:\n- `a.toml` passed\n  on one day\n- b\n\n1. one\n2. two\n| c | d |\n| e | f |\n";
        let lines: Vec<Vec<u32>> = paragraphs(text)
            .iter()
            .filter(|paragraph| !paragraph.is_empty())
            .map(|lines| lines.iter().map(|(line, _)| *line).collect())
            .collect();
        assert_eq!(lines, [vec![1], vec![2], vec![3, 4], vec![5], vec![7], vec![8], vec![9], vec![10]]);
    }

    #[test]
    fn the_configs_of_a_line_are_found() {
        let found: Vec<&str> = configs_in("see [a](configs/a-b.toml), `c.toml`. And d.tomlx or e.toml.").collect();
        assert_eq!(found, ["configs/a-b.toml", "c.toml", "e.toml"]);
    }
}
