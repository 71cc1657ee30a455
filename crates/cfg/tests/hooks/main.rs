//! `cfg hook` with git, and the hooks of this repository with the program `pre-commit`.

#![cfg(unix)]

mod github;
mod installed;
mod launches;
mod pre_commit;
mod repository;
mod staged;
mod trees;

/// A config without findings at 0.4.0.
const CLEAN: &str = include_str!("../../../../tests/fixtures/clean.toml");

/// A config with a misspelt key.
const MISSPELT: &str = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";

/// The settings of the test repositories.
const SETTINGS: (&str, &str) = ("cfg.toml", "target = \"0.4.0\"\n");
