//! The site: every page is in the navigation, and the settings and paths that pages show are right.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use cfg_project::read_settings;
use cfg_system::MemorySystem;
use cfg_tests::workspace;

/// Pages that the site takes from other places, or generates.
const ELSEWHERE: [&str; 5] = ["architecture.md", "changelog.md", "contributing.md", "rules/index.md", "editors/"];

fn read(name: &str) -> String {
    fs::read_to_string(workspace().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The pages below a folder of `docs/`, except those of single findings.
fn pages(folder: &Path, above: &str, pages: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() && name != "rules" {
            self::pages(&entry.path(), &format!("{name}/"), pages);
        } else if name.strip_suffix(".md").is_some() {
            pages.insert(name);
        }
    }
}

#[test]
fn every_page_has_its_place_in_the_site() {
    let mut there = BTreeSet::new();
    pages(&workspace().join("docs"), "", &mut there);
    let settings = read("mkdocs.yml");
    let (_, nav) = settings.split_once("\nnav:\n").expect("a list of pages");
    let named = nav
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("- ").rsplit(": ").next())
        .filter(|word| word.strip_suffix(".md").is_some());
    let named: BTreeSet<String> =
        named.filter(|page| !ELSEWHERE.iter().any(|other| page.starts_with(other))).map(str::to_owned).collect();
    assert_eq!(there, named, "left: docs/, right: mkdocs.yml");
}

/// Who can't see a picture reads its text: its numbers are those of the picture, which the program makes.
#[test]
fn the_text_of_a_picture_counts_what_it_shows() {
    let picture = |name: &str| texts(&read(&format!("docs/pictures/{name}.svg")));
    let starting = |texts: &[String], start: &str| texts.iter().filter(|text| text.starts_with(start)).count();
    let is = |texts: &[String], mark: &str| texts.iter().filter(|text| *text == mark).count();
    let (check, editor, memory) = (picture("check"), picture("neovim"), picture("memory"));
    assert!(check.iter().any(|text| text.starts_with(&format!("Found {} errors", starting(&check, "error[")))), "{check:?}");
    for (page, name, number, what) in [
        ("README.md", "check", starting(&check, "error["), "errors"),
        ("docs/index.md", "check", starting(&check, "error["), "errors"),
        ("README.md", "neovim", is(&editor, "E"), "errors"),
        ("docs/memory.md", "memory", starting(&memory, "GPU "), "GPUs"),
    ] {
        let word = ["no", "one", "two", "three", "four"][number];
        let text = read(page);
        let line = text.lines().find(|line| line.contains(&format!("pictures/{name}.svg"))).expect("a picture");
        assert!(line.contains(&format!("{word} {what}")), "{page}: {word} {what}: {line}");
    }
}

/// The first screen states the speed that was measured.
#[test]
fn the_stated_speed_is_that_of_the_benchmarks() {
    let benchmarks = read("docs/benchmarks.md");
    let measured = |row: &str| -> f64 {
        let row = benchmarks.lines().find_map(|line| line.strip_prefix(&format!("| {row} | "))).expect("a row");
        row.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let one = format!("One config takes {} ms of CPU time", measured("one config, CPU"));
    let many = format!("1,000 configs take {} s on two cores", measured("1,000 configs, wall"));
    for page in ["README.md", "docs/exact.md"] {
        let text = read(page).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&one) && text.contains(&many), "{page} does not say: {one}, {many}");
    }
}

/// The texts of a picture.
fn texts(picture: &str) -> Vec<String> {
    let parts = picture.split("<text ").skip(1).filter_map(|part| part.split_once('>')?.1.split_once('<'));
    parts.map(|(text, _)| text.to_owned()).collect()
}

/// Another program than the generator draws the picture of an editor: what it shows of the config is what the program says today.
#[test]
fn the_picture_of_the_editor_shows_the_errors_of_the_first_picture() {
    let said = texts(&read("docs/pictures/check.svg")).join(" ");
    let editor = texts(&read("docs/pictures/neovim.svg"));
    let shown = editor.iter().filter_map(|text| text.strip_prefix("■ ")?.split("  ").next());
    let shown = shown.map(|text| text.chars().take(56).collect::<String>());
    let same = shown.filter(|text| said.contains(text.as_str())).count();
    assert_eq!(same, said.matches("error[").count(), "`cargo xtask screen` draws it: {editor:?}");
}

/// All pages below a folder.
fn all_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != "node_modules" {
            all_pages(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
}

/// What GitHub shows as a list, a site made of Python's Markdown shows as one only behind an empty line, and a paragraph of an item only with four blanks.
#[test]
fn lists_are_lists_in_the_site_too() {
    let mut pages = Vec::new();
    for folder in ["docs", "editors"] {
        all_pages(&workspace().join(folder), &mut pages);
    }
    pages.extend(["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| workspace().join(name)));
    let mut wrong = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        let (mut above, mut is_code) = ("", false);
        for line in text.lines() {
            let is_fence = line.trim_start().starts_with("```");
            let indent = line.len() - line.trim_start().len();
            let is_paragraph = above.is_empty() && (1..4).contains(&indent);
            let is_text = |line: &str| !line.is_empty() && !line.starts_with([' ', '-', '#']) && !is_numbered(line);
            let is_item = line.starts_with("- ") || is_numbered(line);
            if !is_code && (is_paragraph || is_item && is_text(above)) {
                wrong.push(format!("{}: {line}", page.display()));
            }
            is_code ^= is_fence;
            above = line;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(pages.len() > 200, "{}", pages.len());
}

fn is_numbered(line: &str) -> bool {
    line.trim_start_matches(|letter: char| letter.is_ascii_digit()).starts_with(". ")
        && line.starts_with(|letter: char| letter.is_ascii_digit())
}

#[test]
fn every_example_of_a_setting_can_be_used() {
    let page = read("docs/settings.md");
    let mut seen = 0;
    for example in page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        assert!(example.starts_with("# file: cfg.toml\n"), "{example}");
        let (_, wrong) = read_settings(&MemorySystem::default(), example, Path::new("/project/cfg.toml"));
        let wrong: Vec<String> = wrong.into_iter().map(|found| found.message).collect();
        assert_eq!(wrong, [""; 0], "{example}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen} examples");
}

/// The repository paths that a page names between backticks, except those with a placeholder (`docs/rules/NAME.md`).
fn paths(page: &str) -> Vec<&str> {
    let folders = ["crates/", "docs/", "schemas/", "tests/", "xtask/"];
    let is_filled_in =
        |word: &str| word.split(['/', '.']).any(|part| part.len() > 1 && part.chars().all(|letter| letter.is_ascii_uppercase()));
    let words = page.split('`').skip(1).step_by(2);
    words
        .filter(|word| folders.iter().any(|folder| word.starts_with(folder)) && !word.contains([' ', '*']) && !is_filled_in(word))
        .collect()
}

#[test]
fn links_for_contributors_exist() {
    let page = read("CONTRIBUTING.md").replace("```", "");
    let paths = paths(&page);
    let missing: Vec<&&str> = paths.iter().filter(|path| !workspace().join(path).exists()).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names paths that do not exist: {missing:?}");
    assert!(paths.len() >= 20, "{paths:?}");
}
