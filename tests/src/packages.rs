//! The packages of this workspace and their dependencies, from `cargo metadata`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::workspace;

/// A package of this workspace.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its manifest.
    pub manifest: PathBuf,
    /// The folder of its manifest; for the program itself, whose manifest is the workspace's, the folder of its sources and tests.
    pub folder: PathBuf,
    /// Its dependencies of all sorts.
    pub dependencies: Vec<Dependency>,
}

/// A dependency in a manifest.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The name of the other package.
    pub name: String,
    /// Whether it is part of the program, rather than of tests or build scripts.
    pub is_normal: bool,
}

/// All packages of this workspace.
///
/// # Panics
/// If `cargo metadata` fails.
pub fn packages() -> Vec<Package> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let words = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let output = Command::new(cargo).args(words).current_dir(workspace()).output().expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().into_iter().flatten().map(package).collect()
}

fn package(package: &Value) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let dependency = |entry: &Value| Dependency { name: text(&entry["name"]), is_normal: entry["kind"].is_null() };
    let manifest = text(&package["manifest_path"]);
    let mut folder = Path::new(&manifest).parent().unwrap_or(Path::new("")).to_owned();
    if folder == workspace() {
        folder = folder.join("crates").join("cfg");
    }
    Package {
        name: text(&package["name"]),
        manifest: PathBuf::from(&*manifest),
        folder,
        dependencies: package["dependencies"].as_array().into_iter().flatten().map(dependency).collect(),
    }
}

impl Package {
    /// Whether it is part of the program, rather than of tests, benchmarks and xtask.
    pub fn is_of_program(&self) -> bool {
        self.folder.parent().is_some_and(|parent| parent == workspace().join("crates"))
    }

    /// Its Rust sources, in the order of their paths.
    ///
    /// # Panics
    /// If its folder can't be read.
    pub fn sources(&self) -> Vec<PathBuf> {
        let mut sources = Vec::new();
        let mut folders = vec![self.folder.join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    sources.push(path);
                }
            }
        }
        sources.sort();
        sources
    }
}
