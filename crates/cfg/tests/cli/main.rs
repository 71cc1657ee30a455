//! Runs the built `cfg` as a user does. There is a module for each topic; the helpers that they share are here.

mod agents;
mod agreement;
mod baseline;
mod check_watch;
mod color;
mod commands;
mod compile;
mod components;
mod conflicts;
mod contract;
mod control;
mod course;
mod curriculum;
mod diagnose;
mod dialects;
mod diff;
mod early_prime_rl;
mod estimate;
mod evaluations;
mod exit_status;
mod fix;
mod fmt;
mod formats;
mod habits;
mod hosted;
mod hostile_input;
mod identity;
mod init;
mod json;
mod launch;
mod library;
mod lm_eval;
mod machines;
mod mcp;
mod memory;
mod migrate;
mod migrate_all;
mod mistakes;
mod models;
mod new;
mod nothing_stated;
mod output;
mod overlays;
mod own_checks;
mod own_entrypoints;
mod own_files;
mod own_programs;
mod packages;
mod pages;
mod patches;
mod pins;
mod preflight;
mod quiet;
mod refused_target;
mod refused_words;
mod registry;
mod report;
mod resume;
mod run;
mod running;
mod same_prime_rl;
mod schema;
mod security;
mod settings;
mod several_runs;
mod since;
#[path = "../../../../tests/src/sized.rs"]
mod sized;
mod skill;
mod split;
mod sweep;
mod target;
mod tutorial;
mod watch;
mod which_files;
mod words;

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use running::{Ended, finish};

/// A config without findings at 0.4.0.
const CLEAN: &str = include_str!("../../../../tests/fixtures/clean.toml");

/// A config with two misspellings in one key: the right key is likely, but not certain.
const MISSPELT: &str = "[trainer]\n[orchestrator]\nrolouts_per_exmaple = 16\n";

/// A config with a key that 0.4.0 silently drops.
const DROPPED: &str = "[trainer.optim]\ntype = \"adamw\"\nmomentum = 0.9\n[orchestrator]\n";

/// The JSON on standard output of a command that prints no document of its own.
#[track_caller]
fn outcome(ended: &Ended) -> serde_json::Value {
    document_of(ended, &cfg_report::outcome::schema().to_value())
}

/// The document on standard output, after validating it with this JSON Schema.
#[track_caller]
fn document_of(ended: &Ended, schema: &serde_json::Value) -> serde_json::Value {
    let document = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let validator = jsonschema::validator_for(schema).expect("the schema is one");
    let errors: Vec<String> =
        validator.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, [""; 0], "{document:#}");
    document
}

/// A folder for `cfg`, with a home folder for the user next to it.
struct Folder {
    path: PathBuf,
    around: TempDir,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let around = tempfile::tempdir().expect("a folder");
        let folder = Self { path: around.path().join("here"), around };
        fs::create_dir(folder.path()).expect("a folder");
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    /// A folder that is a repository.
    fn repository(files: &[(&str, &str)]) -> Self {
        let folder = Self::new(files);
        let made = folder.program("git").args(["init", "--quiet"]).status();
        assert!(made.is_ok_and(|status| status.success()));
        folder
    }

    /// The entry of the file whose path ends with `path`, in the report of a command.
    fn reported(&self, words: &str, path: &str) -> serde_json::Value {
        let ended = self.run(&format!("check --format json {words}"));
        let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let files = report["files"].as_array().expect("a list");
        let file = files.iter().find(|file| file["path"].as_str().is_some_and(|own| own.ends_with(path)));
        file.unwrap_or_else(|| panic!("{path} is not there: {ended:?}")).clone()
    }

    /// The findings of a check, each as its place, severity and code: `rl.toml:2:1: error[PRL101]`.
    fn found(&self, words: &str) -> Vec<String> {
        let ended = self.run(&format!("check --format concise {words}"));
        let lines = ended.stdout.lines().filter(|line| line.contains("[PRL"));
        lines.map(|line| line.split_once(']').map_or(line, |(place, _)| place).to_owned() + "]").collect()
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// The home of the user who runs `cfg`.
    fn home(&self) -> PathBuf {
        self.around.path().join("home")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// `cfg` in this folder, with words separated by spaces, in an environment that only has `HOME`.
    fn command(&self, words: &str) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_cfg"));
        command.args(words.split_whitespace());
        command
    }

    /// Any program that runs `cfg`, in the same environment.
    fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.home()).env("XDG_STATE_HOME", self.home().join("state"));
        command
    }

    fn run(&self, words: &str) -> Ended {
        finish(&mut self.command(words), b"")
    }

    fn run_with_input(&self, words: &str, input: &[u8]) -> Ended {
        finish(self.command(words).stdin(Stdio::piped()), input)
    }
}
