//! The invariants of ARCHITECTURE.md that manifests and sources can show: arrows between crates only point down, a foreign crate is named
//! in one place, and only the edges touch the world.

use std::fs;

use cfg_tests::{Package, packages};

/// The crates of the program, bottom first: a crate uses only crates of the layers below its own.
const LAYERS: [&[&str]; 12] = [
    &["cfg-diag", "cfg-schema", "cfg-memory", "cfg-system"],
    &["cfg-syntax", "cfg-report", "cfg-history"],
    &["cfg-compose", "cfg-project"],
    &["cfg-resolve"],
    &["cfg-plan", "cfg-emit"],
    &["cfg-budget", "cfg-registry"],
    &["cfg-rules"],
    &["cfg-check"],
    &["cfg-migrate"],
    &["cfg-ide", "cfg-diagnose"],
    &["cfg-lsp"],
    &["cfg"],
];

/// Crates that only these crates of the program may name.
const NAMED_BY: [(&str, &[&str]); 9] = [
    ("tokio", &["cfg-lsp"]),
    ("tower-lsp-server", &["cfg-lsp"]),
    ("clap", &["cfg"]),
    ("rayon", &["cfg"]),
    ("miette", &["cfg-report"]),
    ("schemars", &["cfg-registry", "cfg-report"]),
    ("semver", &["cfg-registry"]),
    ("toml", &["cfg-project"]),
    ("toml_parser", &["cfg-syntax"]),
];

/// The crates that read files, run programs or ask the environment; all others are pure functions.
const EDGES: [&str; 3] = ["cfg-project", "cfg-lsp", "cfg"];

/// The one module below the edges that touches files.
const STORE: &str = "cfg-registry/src/store/io.rs";

/// What only the edges name.
const OF_THE_WORLD: [&str; 9] =
    ["std::fs", "std::process", "std::env", "std::net", "fs::", "env::var", "io::stdin", "io::stdout", "io::stderr"];

/// A file that is longer holds more than one thing.
const MOST_LINES: usize = 450;

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// The source without its inline tests, which stand at its end.
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
fn arrows_only_point_down() {
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
fn a_foreign_crate_is_named_where_it_belongs() {
    for package in program() {
        for dependency in package.dependencies.iter().filter(|dependency| dependency.is_normal) {
            let owners = NAMED_BY.iter().find(|(foreign, _)| *foreign == dependency.name);
            let may_name = owners.is_none_or(|(_, owners)| owners.contains(&&*package.name));
            assert!(may_name, "{} must not name {}", package.name, dependency.name);
        }
    }
}

#[test]
fn only_the_edges_touch_the_world() {
    for package in program().iter().filter(|package| !EDGES.contains(&&*package.name)) {
        for file in package.sources() {
            if file.ends_with(STORE) {
                continue;
            }
            let source = fs::read_to_string(&file).expect("a source");
            for name in OF_THE_WORLD {
                let used = without_tests(&source).lines().find(|line| names(line, name));
                assert!(used.is_none(), "{} names {name}: {}", file.display(), used.unwrap_or_default());
            }
        }
    }
}

/// What a config says of itself is read in one place, which also knows imported entries; a rewriter of that text needs less.
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

/// Whether a line of code, not of comment, has the path `name` at the beginning of a word.
fn names(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices(name).any(|(at, _)| !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
}

#[test]
fn no_source_is_too_long() {
    for package in program() {
        for file in package.sources() {
            let lines = fs::read_to_string(&file).expect("a source").lines().count();
            assert!(lines <= MOST_LINES, "{} has {lines} lines, more than {MOST_LINES}", file.display());
        }
    }
}
