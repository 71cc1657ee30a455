//! Configs with prime-rl's own answers: the same verdict, and the same error types at the same locations.
//!
//! `vectors/` has a sample that `vectors/select.py` takes from the recorded vectors. If those are in `../shared/vectors`, `.ci/run` runs all of them.

use std::{fs, path::Path, thread};

use cfg_tests::{Checking, Recorded, compare, shared, workspace};

/// The number of disagreements that are shown.
const SHOWN: usize = 10;

/// Runs every vector of a folder, file by file in parallel; returns their number.
fn run(folder: &Path) -> usize {
    let files = Recorded::files(folder);
    let outcomes: Vec<(usize, Vec<String>)> = thread::scope(|scope| {
        let running: Vec<_> = files.iter().map(|file| scope.spawn(|| run_file(file))).collect();
        running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let count = outcomes.iter().map(|(count, _)| count).sum();
    let wrong: Vec<String> = outcomes.into_iter().flat_map(|(_, wrong)| wrong).collect();
    let shown = wrong.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {count} vectors differ\n\n{shown}", wrong.len());
    count
}

/// Runs the vectors of a file, which have one version and kind; returns their number, and those that differ.
fn run_file(file: &Path) -> (usize, Vec<String>) {
    let text = fs::read_to_string(file).expect("a text");
    let parse = |line| Recorded::parse(line).unwrap_or_else(|| panic!("no vector in {}: {line}", file.display()));
    let vectors: Vec<Recorded> = text.lines().map(parse).collect();
    let Some(Recorded { version, kind, .. }) = vectors.first().cloned() else { return (0, Vec::new()) };
    let checking = Checking::for_target(&version).of_kind(kind);
    let different = |vector: &Recorded| {
        assert_eq!((&vector.version, vector.kind), (&version, kind), "{} is in the wrong file", vector.id);
        let difference = compare(&checking.check(&vector.toml), vector.ok, &vector.errors).err()?;
        Some(format!("{}\n{}\n  {difference}\n", vector.id, vector.toml.trim_end()))
    };
    (vectors.len(), vectors.iter().filter_map(different).collect())
}

#[test]
fn the_sample_agrees_with_prime_rl() {
    let count = run(&workspace().join("tests/vectors"));
    assert!(count >= 600, "only {count} vectors were run");
}

#[test]
#[ignore = "reads ../shared/vectors"]
fn all_recorded_vectors_agree_with_prime_rl() {
    let count = run(&shared("vectors"));
    assert!(count >= 6700, "only {count} vectors were run");
}
