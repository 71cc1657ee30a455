//! `cargo xtask dist`: puts the program, with the notices of everything it is built from, into a folder for distribution.
//!
//! The program contains no path of the machine that built it: the compilers write short names instead, and its bytes are searched for such paths.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{generate::root, tools, trained::Profile};

/// The beginnings of the names of licence files.
const NOTICES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// The files next to the program.
const BESIDE: [&str; 4] = ["README.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds the program, and puts it with its notices into `target/shipped`.
pub(crate) fn write() -> Result<(), String> {
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    let metadata = metadata(&root)?;
    let target = target_folder(&metadata);
    let profile = Profile::of(&root, &target.join("training"), &[])?;
    let built = build(&root, &target.join("shipping"), &profile.as_ref().map(Profile::flags).unwrap_or_default(), &[])?;
    let name = format!("cfg{}", env::consts::EXE_SUFFIX);
    refuse_folders_of_this_machine(&read(&built)?, &root)?;
    let version = env!("CARGO_PKG_VERSION");
    let folder = target.join("shipped").join(format!("cfg-{version}-{}-{}", env::consts::ARCH, env::consts::OS));
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(io)?;
    fs::copy(built, folder.join(&name)).map_err(io)?;
    for beside in BESIDE {
        fs::copy(root.join(beside), folder.join(beside)).map_err(io)?;
    }
    fs::write(folder.join("THIRD-PARTY.md"), notices(&metadata)?).map_err(io)
}

/// The folder that cargo builds in.
pub(crate) fn target_folder(metadata: &Value) -> PathBuf {
    PathBuf::from(metadata["target_directory"].as_str().unwrap_or("target"))
}

/// Builds the program of sources in a folder, for this machine, with further flags for the compiler and variables for cargo; returns its path.
pub(crate) fn build(source: &Path, built: &Path, flags: &[String], further: &[(&str, &str)]) -> Result<PathBuf, String> {
    let triple = tools::own_triple()?;
    let status = Command::new(env!("CARGO"))
        // With a target, so that flags are not for what runs while it is built, and symbols are the same with and without a profile.
        .args(["build", "--profile", "dist", "--locked", "--package", "cfg", "--target", &triple])
        .arg("--target-dir")
        .arg(built)
        .envs(variables(source, flags)?)
        .envs(further.iter().copied())
        .current_dir(source)
        .status();
    if !status.map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("the program can't be built".to_owned());
    }
    Ok(built.join(triple).join("dist").join(format!("cfg{}", env::consts::EXE_SUFFIX)))
}

/// Variables that make the compilers write short names for the folders of this machine, for sources below `root`, with further flags for Rust's.
pub(crate) fn variables(root: &Path, further: &[String]) -> Result<[(&'static str, String); 2], String> {
    let folders = folders_of_this_machine(root)?;
    let renamed = |flag: &str| -> Vec<String> {
        folders.iter().map(|(folder, name)| format!("{flag}={}={name}", folder.display())).collect()
    };
    let mut flags = renamed("--remap-path-prefix");
    flags.extend_from_slice(further);
    Ok([("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")), ("CFLAGS", renamed("-ffile-prefix-map").join(" "))])
}

/// An error if shipped bytes contain a folder of the machine that built them from sources below `root`.
pub(crate) fn refuse_folders_of_this_machine(bytes: &[u8], root: &Path) -> Result<(), String> {
    for (folder, _) in folders_of_this_machine(root)? {
        // Something that is in it, for the folder's own name may well be a word of the program: `/root`, with `/usr` behind it.
        let path = [folder.as_os_str().as_encoded_bytes(), std::path::MAIN_SEPARATOR_STR.as_bytes()].concat();
        let names_one = |at: usize| {
            let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._-+".contains(*byte);
            let name: Vec<u8> = bytes[at..].iter().take_while(is_of_name).copied().collect();
            !name.is_empty() && folder.join(&*String::from_utf8_lossy(&name)).exists()
        };
        if bytes.windows(path.len()).enumerate().any(|(at, window)| window == path && names_one(at + path.len())) {
            return Err(format!("what was built names {}, a folder of this machine", folder.display()));
        }
    }
    Ok(())
}

/// The folders of this machine that a compiler may write into a program, the longest first, each with its short name.
fn folders_of_this_machine(root: &Path) -> Result<Vec<(PathBuf, &'static str)>, String> {
    let home = env::home_dir().ok_or("no home folder")?;
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut folders = vec![(root.to_owned(), "cfg"), (cargo, "cargo"), (home, "home")];
    folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.as_os_str().len()));
    Ok(folders)
}

/// The output of `cargo metadata` for the workspace.
pub(crate) fn metadata(root: &Path) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO"));
    let output = command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root).output();
    serde_json::from_slice(&output.map_err(|error| format!("cargo: {error}"))?.stdout).map_err(|error| error.to_string())
}

/// A JSON list; empty if it is something else.
fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// A JSON string; empty if it is something else.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The packages in `cargo metadata`, by id.
fn packages(metadata: &Value) -> BTreeMap<String, Value> {
    list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect()
}

/// The packages that the program is built from, including its own and those of this workspace, by id: each with the ids of its dependencies.
fn built_of(metadata: &Value) -> Result<BTreeMap<String, Vec<String>>, String> {
    let packages = list(&metadata["packages"]);
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let own = packages.iter().find(|package| package["name"] == "cfg").ok_or("no package `cfg`")?;
    let (mut used, mut waiting) = (BTreeMap::new(), vec![text(&own["id"])]);
    while let Some(id) = waiting.pop() {
        let is_built_in = |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        if used.contains_key(&id) {
            continue;
        }
        let dependencies = list(&nodes[&id]["deps"]);
        let needed: Vec<String> = dependencies.iter().filter(is_built_in).map(|dependency| text(&dependency["pkg"])).collect();
        waiting.extend(needed.iter().cloned());
        used.insert(id, needed);
    }
    Ok(used)
}

/// The packages that the program is built from, as `CycloneDX`; the bytes are the same on every machine.
pub(crate) fn bill_of_materials(metadata: &Value) -> Result<String, String> {
    let used = built_of(metadata)?;
    let packages = packages(metadata);
    let url = |id: &String| format!("pkg:cargo/{}@{}", text(&packages[id]["name"]), text(&packages[id]["version"]));
    let component = |id: &String, kind: &str| {
        // Older manifests write `MIT/Apache-2.0`.
        let license = text(&packages[id]["license"]).replace('/', " OR ");
        json!({
            "type": kind, "bom-ref": url(id), "name": packages[id]["name"], "version": packages[id]["version"],
            "licenses": [{ "expression": license }], "purl": url(id),
        })
    };
    let is_program = |id: &&String| packages[*id]["name"] == "cfg";
    let mut dependencies: Vec<Value> = Vec::new();
    for (id, needed) in &used {
        let needed: BTreeSet<String> = needed.iter().map(url).collect();
        dependencies.push(json!({ "ref": url(id), "dependsOn": needed }));
    }
    dependencies.sort_by_key(|entry| text(&entry["ref"]));
    let mut components: Vec<Value> = used.keys().filter(|id| !is_program(id)).map(|id| component(id, "library")).collect();
    components.sort_by_key(|component| text(&component["purl"]));
    let bill = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": used.keys().find(is_program).map(|id| component(id, "application")) },
        "components": components, "dependencies": dependencies,
    });
    serde_json::to_string_pretty(&bill).map_err(|error| error.to_string())
}

/// The licences of every crate that the program is built from, each text once.
pub(crate) fn notices(metadata: &Value) -> Result<String, String> {
    let packages = packages(metadata);
    let used = built_of(metadata)?;
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut page = "# What cfg is built of\n\n| crate | version | licence |\n|---|---|---|\n".to_owned();
    for package in used.keys().map(|id| &packages[id]).filter(|package| !package["source"].is_null()) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let _ = writeln!(page, "| [{name}]({}) | {version} | {} |", text(&package["repository"]), text(&package["license"]));
        let folder = PathBuf::from(text(&package["manifest_path"])).with_file_name("");
        let mut found = false;
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?.flatten() {
            let file = entry.file_name().to_string_lossy().to_uppercase();
            if NOTICES.iter().any(|notice| file.starts_with(notice)) && entry.path().is_file() {
                let notice = String::from_utf8_lossy(&read(&entry.path())?).trim().replace("\r\n", "\n");
                texts.entry(notice).or_default().push(format!("{name} {version}"));
                found = true;
            }
        }
        if !found && text(&package["license"]).is_empty() {
            return Err(format!("{name} {version} says nothing of its licence"));
        }
    }
    for (notice, crates) in texts {
        let _ = write!(page, "\n## {}\n\n```text\n{notice}\n```\n", crates.join(", "));
    }
    Ok(page)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
