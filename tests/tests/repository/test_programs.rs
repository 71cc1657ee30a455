//! Which libraries are built as test programs, and whose documentation is tested: each takes seconds, even without a test.

use std::fs;

use cfg_tests::packages;

/// Whether a source has tests.
fn has_tests(source: &str) -> bool {
    source.contains("#[test]") || source.contains("proptest! {")
}

/// Whether a source has examples that rustdoc runs: Rust code between two lines with ```` ``` ````.
fn has_examples(source: &str) -> bool {
    let comments = source.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("//!").or_else(|| line.strip_prefix("///"))
    });
    // Every second fence ends a block.
    let mut fences = comments.filter_map(|line| line.trim_start().strip_prefix("```")).step_by(2);
    fences.any(|language| language.trim().is_empty() || language.contains("rust") || language.contains("should_panic"))
}

#[test]
fn libraries_with_tests_and_only_those_are_test_programs() {
    let mut seen = 0;
    for package in packages().iter().filter(|package| package.folder.join("src/lib.rs").exists()) {
        let manifest = fs::read_to_string(&package.manifest).expect("a manifest");
        let (_, lib) = manifest.split_once("\n[lib]\n").unwrap_or_default();
        let lib = lib.split("\n[").next().unwrap_or_default();
        let sources: Vec<String> = package.sources().iter().map(|file| fs::read_to_string(file).expect("a source")).collect();
        for (line, exists) in [
            ("test = false", sources.iter().any(|source| has_tests(source))),
            ("doctest = false", sources.iter().any(|source| has_examples(source))),
        ] {
            let is_off = lib.lines().any(|other| other == line);
            let change = if exists { "remove" } else { "add" };
            assert_eq!(is_off, !exists, "{}: {change} `{line}` below [lib] in its Cargo.toml", package.name);
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn examples_and_tests_are_seen() {
    assert!(has_tests("    #[test]\n    fn a() {}\n") && !has_tests("//! The test\n"));
    assert!(has_examples("/// ```\n/// let a = 1;\n/// ```\n") && has_examples("//! ```rust,no_run\n//! ```\n"));
    assert!(!has_examples("//! ```text\n//! a\n//! ```\n") && !has_examples("/// Words.\nfn a() { \"```\" }\n"));
}
