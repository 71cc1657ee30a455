//! `cargo xtask playground`: builds the library as a WebAssembly module, with the page around it, in `target/playground`. `--check` compares the
//! module's answers with the library's, and opens the page in a browser.
//!
//! It needs the standard library of wasm32-unknown-unknown; `--check` needs Node, and for the page Chromium and playwright-core from npm. Missing
//! tools are reported.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{dist, generate::root, say, tools};

const TARGET: &str = "wasm32-unknown-unknown";

/// The folder of the page and its tests.
const PAGE: &str = "crates/cfg-wasm/page";
const TESTS: &str = "crates/cfg-wasm/tests";

/// The maximum size of the module in bytes, compressed by gzip.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The maximum duration of a check, in milliseconds.
const LONGEST: f64 = 10.0;

/// Builds the module, and puts it beside the page.
pub(crate) fn write() -> Result<(), String> {
    let folder = build()?;
    say(&format!("{}", folder.display()));
    Ok(())
}

/// Builds the module, and tests it.
pub(crate) fn check() -> Result<(), String> {
    let folder = build()?;
    if tools::run(Command::new("node").arg("--version")).is_err() {
        return Err("Node is missing, which runs the module".to_owned());
    }
    answers_as_the_library(&folder)?;
    tools::run(Command::new("node").arg(root().join(TESTS).join("links.mjs")).arg(&folder))?;
    match browser(&folder) {
        Ok((chromium, playwright)) => {
            let mut node = Command::new("node");
            node.arg(root().join(TESTS).join("browser.mjs")).arg(&folder).args([chromium, playwright]);
            if let Some(pictures) = env::var_os("CFG_PICTURES") {
                node.arg(pictures);
            }
            say(tools::run(&mut node)?.trim());
        }
        Err(why) => say(&format!("skipped: the page is not opened: {why}")),
    }
    Ok(())
}

fn target() -> Result<PathBuf, String> {
    Ok(dist::target_folder(&dist::metadata(&root())?))
}

/// The folder of the page with the module.
fn build() -> Result<PathBuf, String> {
    tools::has_standard_library(TARGET)?;
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    let (target, folder) = (target()?, target()?.join("playground"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--profile", "dist", "--locked", "--package", "cfg-wasm", "--target", TARGET, "--target-dir"]);
    let [flags, _] = dist::variables(&root, &[])?;
    let status = cargo.arg(target.join("shipping")).envs([flags]).current_dir(&root).status();
    if !status.map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("the module can't be built".to_owned());
    }
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).map_err(io)?;
    let built = target.join("shipping").join(TARGET).join("dist/cfg_wasm.wasm");
    let bytes = fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    dist::refuse_folders_of_this_machine(&bytes, &root)?;
    fs::write(folder.join("cfg.wasm"), bytes).map_err(io)?;
    for entry in fs::read_dir(root.join(PAGE)).map_err(io)?.flatten() {
        fs::copy(entry.path(), folder.join(entry.file_name())).map_err(io)?;
    }
    Ok(folder)
}

/// Asks the module, in Node, what the library is asked here.
fn answers_as_the_library(folder: &Path) -> Result<(), String> {
    let questions = folder.with_file_name("playground-questions.json");
    let text = serde_json::to_vec(&asked()?).map_err(|error| error.to_string())?;
    fs::write(&questions, text).map_err(|error| format!("{}: {error}", questions.display()))?;
    let mut node = Command::new("node");
    node.arg(root().join(TESTS).join("examples.mjs")).arg(folder.join("cfg.wasm")).arg(questions);
    let said = tools::run(&mut node)?;
    let figures: Value = serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))?;
    say(said.trim());
    let (size, time) = (figures["size"]["gzip"].as_u64(), figures["milliseconds"]["longest"].as_f64());
    if size.is_none_or(|size| size > MAX_BYTES) {
        return Err(format!("the module may have {MAX_BYTES} bytes, compressed"));
    }
    if time.is_none_or(|time| time > LONGEST) {
        return Err(format!("a check may take {LONGEST} ms"));
    }
    Ok(())
}

/// Questions with the library's answers: about all examples on the pages of rules, and about the configs of this repository.
fn asked() -> Result<Vec<Value>, String> {
    let mut configs = Vec::new();
    for path in files_below(&root().join("docs/rules"), "md")? {
        let page = read(&path)?;
        for example in page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```\n").next()) {
            let head = example.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
            let (name, target) = head.split_once(", for ").map_or((head, None), |(name, target)| (name, Some(target)));
            configs.push((name.to_owned(), example.to_owned(), target.map(str::to_owned)));
        }
    }
    for path in files_below(&root().join("configs"), "toml")? {
        configs.push((path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned(), read(&path)?, None));
    }
    let questions = configs.iter().flat_map(|(path, text, target)| {
        ["check", "compile", "memory"].map(|ask| {
            let mut question = json!({ "ask": ask, "path": path, "text": text, "gpu": "2x H100" });
            if let Some(target) = target {
                question["target"] = json!(target);
            }
            question
        })
    });
    let answered = questions.map(|question| {
        let answer = cfg_wasm::answer(&question.to_string());
        let answer: Value = serde_json::from_str(&answer).map_err(|error| format!("{question}: {error}"))?;
        Ok(json!({ "question": question, "answer": answer }))
    });
    answered.collect()
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files below a folder whose names have this ending, or all files, in the order of their paths.
pub(crate) fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(files_below(&path, ending)?);
        } else if ending.is_empty() || path.extension().is_some_and(|own| own == ending) {
            files.push(path);
        }
    }
    Ok(files)
}

/// The browser, and the folder of the package that drives it.
fn browser(folder: &Path) -> Result<(PathBuf, PathBuf), String> {
    let chromium = tools::chromium()?;
    let npm = folder.with_file_name("tools").join("playwright");
    let playwright = npm.join("node_modules/playwright-core");
    if !playwright.is_dir() {
        let mut install = tools::npm();
        install.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&npm).arg(tools::PLAYWRIGHT);
        tools::run(&mut install).map_err(|error| format!("{} can't be had: {error}", tools::PLAYWRIGHT))?;
    }
    Ok((chromium, playwright))
}
