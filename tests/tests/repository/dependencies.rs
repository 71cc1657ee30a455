//! `docs/dependencies.md` and the manifests name the same crates, used by the same packages.

#![expect(clippy::disallowed_methods, reason = "it starts cargo")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use cfg_tests::{Package, packages, workspace};

/// A crate, and the packages that use it.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The rows of the table under a heading: name and users.
fn documented(text: &str, heading: &str) -> Uses {
    let section = text.split("\n## ").find_map(|section| section.strip_prefix(heading)).unwrap_or_default();
    let rows =
        section.lines().filter_map(|line| line.strip_prefix("| ")).map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    rows.filter(|cells| cells[0] != "crate")
        .map(|cells| {
            assert!(cells.get(2).is_some_and(|reason| !reason.is_empty()), "{} has no reason", cells[0]);
            (
                cells[0].trim_matches('`').to_owned(),
                cells[1].split(',').map(|user| user.trim().trim_matches('`').to_owned()).collect(),
            )
        })
        .collect()
}

/// The name of a package in the document: its folder.
fn name_of(package: &Package) -> String {
    package.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The dependencies of the program, and the other ones of its tests, benchmarks and xtask.
fn used() -> (Uses, Uses) {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
    let (mut program, mut others) = (Uses::new(), Uses::new());
    for package in &packages {
        for dependency in package.dependencies.iter().filter(|dependency| !ours.contains(&*dependency.name)) {
            let uses = if dependency.is_normal && package.is_of_program() { &mut program } else { &mut others };
            uses.entry(dependency.name.clone()).or_default().insert(name_of(package));
        }
    }
    others.retain(|name, _| !program.contains_key(name));
    (program, others)
}

#[test]
fn the_document_and_the_manifests_agree() {
    let file = workspace().join("docs/dependencies.md");
    let text = fs::read_to_string(&file).expect("docs/dependencies.md lists every direct dependency with its reason");
    let (program, others) = used();
    for (heading, used) in [("Of the program", program), ("Of tests, benchmarks and chores", others)] {
        let documented = documented(&text, heading);
        let missing: Vec<_> = used.iter().filter(|row| documented.get(row.0) != Some(row.1)).collect();
        let unused: Vec<_> = documented.keys().filter(|name| !used.contains_key(*name)).collect();
        assert!(
            missing.is_empty() && unused.is_empty(),
            "docs/dependencies.md, \"{heading}\": needs rows for {missing:?}, and none for {unused:?}"
        );
    }
}

/// Packages and their features, as cargo resolves them.
fn features(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p}|{f}"]).args(arguments);
    let output = tree.current_dir(workspace()).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (package, of_package) in String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.split_once('|')) {
        features.entry(package.to_owned()).or_default().insert(of_package.trim_end_matches(" (*)").to_owned());
    }
    features
}

/// Else `cargo test --workspace` builds most of the program again.
#[test]
fn the_program_is_built_with_the_features_that_the_tests_need() {
    let program = features(&["--package", "cfg", "--edges", "normal,build"]);
    let all = features(&["--workspace", "--edges", "normal,build,dev"]);
    assert!(program.len() > 100, "{program:?}");
    for (package, features) in program {
        assert_eq!(
            Some(&features),
            all.get(&package),
            "{package} is built twice: give workspace-hack the features on the right (docs/dependencies.md, \"Features that the tests need\")"
        );
    }
}

#[test]
fn held_versions_are_in_the_lock_file() {
    let read = |name| fs::read_to_string(workspace().join(name)).expect("a text");
    let (page, lock) = (read("docs/dependencies.md"), read("Cargo.lock"));
    let section = page.split("\n## ").find_map(|section| section.strip_prefix("Held in Cargo.lock\n")).expect("a section");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")).filter(|row| !row.starts_with("held "));
    let held: Vec<(&str, &str)> = rows.filter_map(|row| row.split_once(" | ")).collect();
    assert_eq!(held.len(), 2, "{held:?}");
    for (name, rest) in held {
        let version = rest.split(" | ").next().unwrap_or_default();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "run `cargo update -p {name} --precise {version}`: docs/dependencies.md says why");
    }
}
