//! The invariants of ARCHITECTURE.md that manifests and sources can show: dependencies between crates point down, each external crate is named in one
//! place, and one crate accesses the machine.

use std::fs;

use cfg_tests::{Package, packages};

/// The crates of the program, bottom first: a crate only uses crates of layers below its own.
const LAYERS: [&[&str]; 14] = [
    &["cfg-diag", "cfg-schema", "cfg-memory", "cfg-meter", "cfg-system"],
    &["cfg-syntax", "cfg-report"],
    &["cfg-compose", "cfg-python"],
    &["cfg-project"],
    &["cfg-resolve"],
    &["cfg-plan", "cfg-dialect"],
    &["cfg-registry"],
    &["cfg-rules"],
    &["cfg-check"],
    &["cfg-migrate", "cfg-draft"],
    &["cfg-repair"],
    &["cfg-ide", "cfg-diagnose", "cfg-launch", "cfg-prime-rl"],
    &["cfg-lsp", "cfg-wasm"],
    &["cfg"],
];

/// External crates, and the only crates of the program that may name them.
const NAMED_BY: [(&str, &[&str]); 12] = [
    ("tokio", &["cfg-lsp"]),
    ("tower-lsp-server", &["cfg-lsp"]),
    ("clap", &["cfg"]),
    ("rayon", &["cfg"]),
    ("miette", &["cfg-report"]),
    ("schemars", &["cfg-registry", "cfg-report"]),
    ("semver", &["cfg-registry"]),
    ("toml", &["cfg-project"]),
    ("toml_edit", &["cfg-draft"]),
    ("saphyr-parser", &["cfg-dialect"]),
    ("toml_parser", &["cfg-syntax"]),
    ("ruff_python_parser", &["cfg-python"]),
];

/// The only crate that accesses files, programs and the environment.
const OUTSIDE: &str = "cfg-system";

/// The line that makes clippy refuse the functions in clippy.toml in a crate.
const REFUSES: &str = "#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]";

/// A longer file contains more than one thing.
const MAX_LINES: usize = 450;

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// The source without the inline tests at its end.
fn without_tests(source: &str) -> &str {
    source.find("#[cfg(test)]").map_or(source, |at| &source[..at])
}

/// The packages of the program.
fn program() -> Vec<Package> {
    packages().into_iter().filter(Package::is_of_program).collect()
}

#[test]
fn every_crate_of_the_program_has_its_layer() {
    let mut listed: Vec<&str> = LAYERS.concat();
    listed.sort_unstable();
    let mut present: Vec<String> = program().into_iter().map(|package| package.name).collect();
    present.sort_unstable();
    assert_eq!(present, listed);
}

#[test]
fn dependencies_point_down_only() {
    for package in program() {
        let own = layer(&package.name).expect("listed");
        for dependency in &package.dependencies {
            let is_ours = dependency.name.starts_with("cfg-") || dependency.name == "cfg" || dependency.name == "xtask";
            let is_below = layer(&dependency.name).is_some_and(|below| below < own);
            assert!(!is_ours || is_below, "{} must not use {}", package.name, dependency.name);
        }
    }
}

#[test]
fn a_foreign_crate_is_used_only_in_its_own_crate() {
    for package in program() {
        for dependency in package.dependencies.iter().filter(|dependency| dependency.is_normal) {
            let owners = NAMED_BY.iter().find(|(foreign, _)| *foreign == dependency.name);
            let may_name = owners.is_none_or(|(_, owners)| owners.contains(&&*package.name));
            assert!(may_name, "{} must not name {}", package.name, dependency.name);
        }
    }
}

#[test]
fn clippy_refuses_files_and_programs_in_all_crates_but_one() {
    for package in program().iter().filter(|package| package.name != OUTSIDE) {
        for root in package.sources().into_iter().filter(|file| file.ends_with("src/lib.rs") || file.ends_with("src/main.rs")) {
            let source = fs::read_to_string(&root).expect("a source");
            assert!(source.lines().any(|line| line == REFUSES), "{} must have {REFUSES}", root.display());
        }
    }
}

/// Metadata is read in one place, which also knows imported entries. Code that only rewrites the text needs less.
#[test]
fn metadata_has_one_reader() {
    for package in program() {
        for file in package.sources() {
            let is_reader = ["cfg-check/src/session.rs", "cfg-migrate/src/header.rs"].iter().any(|reader| file.ends_with(reader));
            let source = fs::read_to_string(&file).expect("a source");
            let reads = without_tests(&source).lines().any(|line| names(line, "Metadata::read"));
            assert!(!reads || is_reader, "{} reads metadata by itself: Session::metadata does", file.display());
        }
    }
}

/// Whether a line contains the path `name` at the beginning of a word, outside of comments.
fn names(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices(name).any(|(at, _)| !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
}

#[test]
fn no_source_is_too_long() {
    for package in program() {
        for file in package.sources() {
            let lines = fs::read_to_string(&file).expect("a source").lines().count();
            assert!(lines <= MAX_LINES, "{} has {lines} lines, more than {MAX_LINES}", file.display());
        }
    }
}

/// Whether a line of code compares with a day, or names a point by its number, points by a range, or a commit by its hash: nine digits with both
/// numbers and letters.
fn is_dated(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let number = |rest: &str| rest.starts_with(|digit: char| digit.is_ascii_digit()) && !rest.starts_with("0)");
    let is_hash = |word: &str| {
        word.len() == 9
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_lowercase())
    };
    let is_compared = ["< Date::new(", ">= Date::new("].iter().any(|day| code.contains(day));
    // A range of points would contain numbers, which change when the history grows.
    let is_range = code.contains("Range<u16>") || code.contains(".contains(&point.0)");
    is_compared || is_range || code.split("Point(").skip(1).any(number) || code.split('"').skip(1).step_by(2).any(is_hash)
}

/// The points between which prime-rl behaves in some way are data.
#[test]
fn no_code_names_a_point_or_a_commit() {
    const KNOW_POINTS: [&str; 1] = ["cfg-schema"];
    for package in program().iter().filter(|package| !KNOW_POINTS.contains(&&*package.name)) {
        for file in package.sources() {
            let source = fs::read_to_string(&file).expect("a source");
            let dated = without_tests(&source).lines().find(|line| is_dated(line));
            assert!(
                dated.is_none(),
                "{} knows a point: {}\ngive what holds there a name and its commits in schemas/behaviours.toml (days: schemas/days.toml), run `cargo xtask generate`, \
                 and ask `point.has(Behaviour::...)`",
                file.display(),
                dated.unwrap_or_default()
            );
        }
    }
}

/// Whether a line of code asks for the newest point of the history.
fn asks_for_the_newest(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ["History::newest", ".newest()", "Target::main(", "newest_release("].iter().any(|name| code.contains(name))
}

/// What a config means at a point does not change when the history grows, so the crates that compute it do not ask for its newest point.
#[test]
fn no_meaning_depends_on_the_newest_point() {
    const MEANING: [&str; 4] = ["cfg-memory", "cfg-plan", "cfg-resolve", "cfg-rules"];
    // The page of docs/ with a column for each version, and its test.
    const PAGE: [&str; 2] = ["cfg-plan/src/table.rs", "cfg-plan/src/table/moved.rs"];
    for package in program().iter().filter(|package| MEANING.contains(&&*package.name)) {
        for file in package.sources().into_iter().filter(|file| !PAGE.iter().any(|page| file.ends_with(page))) {
            let source = fs::read_to_string(&file).expect("a source");
            let newest = without_tests(&source).lines().find(|line| asks_for_the_newest(line));
            assert!(newest.is_none(), "{} asks for the newest point: {}", file.display(), newest.unwrap_or_default());
        }
    }
}

#[test]
fn each_behaviour_is_used() {
    let source = |file| without_tests(&fs::read_to_string(file).expect("a source")).to_owned();
    let sources: Vec<String> = program().iter().flat_map(Package::sources).map(source).collect();
    for behaviour in cfg_schema::Behaviour::ALL {
        let name = format!("Behaviour::{behaviour:?}");
        let is_asked = sources.iter().any(|source| names_whole(source, &name));
        assert!(
            is_asked,
            "nothing asks for {name}: remove its entry from schemas/behaviours.toml and run `cargo xtask generate`"
        );
    }
}

/// Whether a text contains a path that ends there.
fn names_whole(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| !text[at + path.len()..].starts_with(|next: char| next.is_ascii_alphanumeric()))
}

#[test]
fn points_and_commits_are_seen() {
    for line in [
        "let since = Point(189);",
        "if day < Date::new(2026, 2, 13) {",
        "    (\"Qwen\", Point(12)),",
        "let target = \"6b01ba5ae\";",
        "const AFFECTED: Range<u16> = 102..164;",
    ] {
        assert!(is_dated(line), "{line}");
    }
    for line in ["if point == history.newest() {", "let target = Target::main(history);"] {
        assert!(asks_for_the_newest(line), "{line}");
    }
    for line in ["if point == Point(0) {", "    // From 6b01ba5ae on.", "const NAME: &str = \"defaulted\";", "Point(index)"] {
        assert!(!is_dated(line) && !asks_for_the_newest(line), "{line}");
    }
}
