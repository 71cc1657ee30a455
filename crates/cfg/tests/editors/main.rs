//! Runs installed editors: each opens a broken config, displays the finding, applies the fix, and saves the file. An editor that is not installed is
//! reported and skipped.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a test tells what it skips, and keeps a transcript")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// A config for 0.8.0 with one key under another name.
const BROKEN: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H100\"\n# ///\nmax_steps = 10\nseq_len = 4096\n\n[model]\nname = \"Qwen/Qwen3-8B\"\n\n\
    [trainer.model.lora]\nrank = 16\n\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n\n[inference]\n";

/// The timeout: an editor waits for several events, two minutes each; one that takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(10);

fn editors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors")
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/cfg/tests/editors").join(name)
}

/// Whether a program is installed; prints a message if it is not.
fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_installed = version.is_ok_and(|status| status.success());
    if !is_installed {
        eprintln!("skipped: {program} is not installed");
    }
    is_installed
}

/// Runs an editor on a broken config; returns the folder and the output.
fn run(command: &mut Command) -> (TempDir, Output) {
    run_on(BROKEN, command)
}

/// Runs an editor on a config; returns the folder and the output.
fn run_on(text: &str, command: &mut Command) -> (TempDir, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rl.toml");
    fs::write(&file, text).expect("it is written");
    fs::write(folder.path().join("cfg.toml"), "").expect("it is written");
    let mut process = command
        .env("CFG", env!("CARGO_BIN_EXE_cfg"))
        .env("CFG_EDITORS", editors())
        .env("CFG_FILE", &file)
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it is installed");
    let until = Instant::now() + PATIENCE;
    while process.try_wait().expect("it is ours").is_none() {
        if Instant::now() > until {
            process.kill().expect("it is ours");
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    (folder, process.wait_with_output().expect("it has ended"))
}

/// Asserts that every step happened, and that the file on disk is fixed.
fn is_repaired(name: &str, folder: &TempDir, output: &Output) {
    let words = String::from_utf8_lossy(&output.stdout);
    println!("--- {name}\n{words}");
    if words.starts_with("skipped:") {
        return;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {words}\n{errors}");
    for wanted in ["`orchestrator.rollouts_per_example` was removed", "applied: ", "saved, no findings", "memory: GPU 0 (H100"] {
        assert!(words.contains(wanted), "{name} lacks {wanted}:\n{words}\n{errors}");
    }
    let saved = fs::read_to_string(folder.path().join("rl.toml")).expect("it is there");
    assert_eq!(saved, BROKEN.replace("rollouts_per_example", "group_size"));
}

#[test]
fn neovim_repairs_a_config() {
    if is_installed("nvim") {
        let mut command = Command::new("nvim");
        let (folder, output) = run(command.args(["--headless", "--clean", "-n", "-S"]).arg(script("neovim.lua")));
        is_repaired("Neovim", &folder, &output);
        let words = String::from_utf8_lossy(&output.stdout);
        assert!(words.contains("bumped, reported once"), "{words}");
        assert!(words.contains("shows the changes first"), "{words}");
    }
}

/// `CFG_NVIM` names another Neovim than the one in `PATH`: only 0.11 and later have completion of their own.
#[test]
fn neovim_writes_a_config_by_completion_alone() {
    let neovim = std::env::var("CFG_NVIM").unwrap_or_else(|_| "nvim".to_owned());
    if !is_installed(&neovim) {
        return;
    }
    for (release, kind) in
        ["0.4.0", "0.8.0", "main"].into_iter().flat_map(|release| ["rl", "sft", "inference"].map(|kind| (release, kind)))
    {
        let mut command = Command::new(&neovim);
        command.env("CFG_RELEASE", release).env("CFG_KIND", kind);
        let (folder, output) = run_on("", command.args(["--headless", "--clean", "-n", "-S"]).arg(script("writing.lua")));
        let words = String::from_utf8_lossy(&output.stdout);
        println!("--- Neovim, writing {kind} for {release}\n{words}");
        if words.starts_with("skipped:") {
            return;
        }
        assert!(output.status.success(), "{words}\n{}", String::from_utf8_lossy(&output.stderr));
        let mut check = Command::new(env!("CARGO_BIN_EXE_cfg"));
        let checked = check.args(["check", "--deny", "warnings"]).arg(folder.path().join("rl.toml")).output();
        let checked = checked.expect("it is built");
        assert!(String::from_utf8_lossy(&checked.stdout).starts_with("Found no problems"), "{words}");
    }
}

/// vim-lsp is not part of Vim: `CFG_VIM_LSP` names its folder.
#[test]
fn vim_repairs_a_config_with_vim_lsp() {
    if std::env::var_os("CFG_VIM_LSP").is_none() {
        eprintln!("skipped: CFG_VIM_LSP does not name the folder of vim-lsp");
    } else if is_installed("vim") {
        let mut command = Command::new("vim");
        let arguments = ["-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S"];
        let (folder, output) = run(command.args(arguments).arg(script("vim.vim")));
        is_repaired("Vim, vim-lsp", &folder, &output);
    }
}

#[test]
fn emacs_repairs_a_config_with_eglot() {
    with_emacs("eglot");
}

#[test]
fn emacs_repairs_a_config_with_lsp_mode() {
    with_emacs("lsp-mode");
}

fn with_emacs(client: &str) {
    if is_installed("emacs") {
        let mut command = Command::new("emacs");
        let (folder, output) = run(command.env("CFG_CLIENT", client).args(["--batch", "-l"]).arg(script("emacs.el")));
        is_repaired(&format!("Emacs, {client}"), &folder, &output);
    }
}
