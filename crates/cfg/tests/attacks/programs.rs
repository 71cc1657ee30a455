//! A repository does not start a program, neither by git's settings nor by a program that it contains. Each test plants
//! [`marker`](Victim::marker), which leaves a trace; [`Victim::run`] and [`Victim::edit`] check for it.

use std::{fs, process::Command};

use crate::{sized::sized, victim::Victim};

/// Commands that run git or start another program, first one for each way in which `cfg` runs git.
const ASKING: [&str; 10] = [
    "check .",
    "hook run",
    "hook run --all-files",
    "registry adopt --dry-run",
    "diff HEAD~1:rl.toml rl.toml",
    "log",
    "check --format json rl.toml",
    "registry verify",
    "diff HEAD:rl.toml rl.toml",
    "diff main:./rl.toml rl.toml",
];

/// The commands that run git, of which an ordinary run has some.
fn asking() -> &'static [&'static str] {
    &ASKING[..sized(6, ASKING.len())]
}

/// A repository with two commits, a staged and an unstaged change, and an untracked file.
fn changed() -> Victim {
    let victim = Victim::registered();
    victim.write("rl.toml", &format!("# two\n{}", victim.read("rl.toml")));
    victim.commit();
    victim
}

/// Prepares a repository, and runs git on it in all ways in which `cfg` does.
#[track_caller]
fn nothing_runs(prepare: impl FnOnce(&Victim)) -> Victim {
    let victim = changed();
    victim.write("staged.toml", "[trainer]\n[orchestrator]\n");
    victim.git("add -A");
    victim.write("rl.toml", &format!("# three\n{}", victim.read("rl.toml")));
    victim.write("other.toml", "[trainer]\n[orchestrator]\n");
    prepare(&victim);
    for words in asking() {
        victim.look(words);
    }
    victim.edit(&["rl.toml"]);
    let writing = [
        "registry adopt",
        "bump rl.toml -m more --force",
        "run add rl.toml",
        "registry restore rl.toml:v1 --force",
        "registry gc",
    ];
    for words in &writing[..sized(2, writing.len())] {
        victim.run(words);
    }
    victim
}

/// As [`nothing_runs`], with git settings whose values may contain MARKER, the path of the planted program.
#[track_caller]
fn setting(settings: &[(&str, &str)]) {
    nothing_runs(|victim| set(victim, settings));
}

/// Writes git settings without git, because git's own commands might start the program.
fn set(victim: &Victim, settings: &[(&str, &str)]) {
    let mut text = victim.read(".git/config");
    for (name, value) in settings {
        let (section, key) = name.rsplit_once('.').expect("a key");
        let head = match section.split_once('.') {
            Some((section, rest)) => format!("[{section} \"{rest}\"]"),
            None => format!("[{section}]"),
        };
        let value = value.replace("MARKER", &victim.marker());
        text.push_str(&format!("{head}\n\t{key} = {value:?}\n"));
    }
    victim.write(".git/config", &text);
}

/// Removes an object from the repository, so that a partial clone would fetch it.
fn lose(victim: &Victim, object: &str) {
    let name = victim.git(&format!("rev-parse {object}"));
    let (folder, rest) = name.trim().split_at(2);
    fs::remove_file(victim.path(&format!(".git/objects/{folder}/{rest}"))).expect("it is loose");
}

/// A partial clone that lacks a text, of a remote with this URL.
#[track_caller]
fn partial_clone(url: &str, settings: &[(&str, &str)]) {
    nothing_runs(|victim| {
        lose(victim, "HEAD:rl.toml");
        lose(victim, "HEAD~1:rl.toml");
        lose(victim, ":staged.toml");
        let promise = [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", url),
            ("remote.origin.promisor", "true"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("protocol.allow", "always"),
            ("protocol.ext.allow", "always"),
            ("protocol.file.allow", "always"),
        ];
        set(victim, &[&promise[..], settings].concat());
    });
}

/// The planted programs do run if git is called directly.
#[test]
fn git_alone_would_run_the_planted_programs() {
    let victim = changed();
    set(&victim, &[("core.fsmonitor", "MARKER")]);
    drop(victim.within(Command::new("git")).arg("status").output());
    assert!(victim.at("ran").exists());
    let victim = changed();
    lose(&victim, "HEAD:rl.toml");
    let promise = [("remote.origin.url", "ext::MARKER"), ("remote.origin.promisor", "true"), ("protocol.ext.allow", "always")];
    set(&victim, &promise);
    drop(victim.within(Command::new("git")).args(["cat-file", "blob", "HEAD:rl.toml"]).output());
    assert!(victim.at("ran").exists());
}

#[test]
fn a_monitor_of_files_is_not_run() {
    setting(&[("core.fsmonitor", "MARKER"), ("core.untrackedCache", "true")]);
}

#[test]
fn hooks_in_a_folder_of_the_settings_are_not_run() {
    nothing_runs(|victim| {
        for name in HOOKS {
            victim.program(&format!("clone/hooks/{name}"), &fs::read_to_string(victim.marker()).expect("a program"));
        }
        set(victim, &[("core.hooksPath", "hooks")]);
    });
}

/// The hooks of git commands that do not create commits.
const HOOKS: [&str; 6] =
    ["post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite"];

#[test]
fn hooks_of_the_repository_are_not_run() {
    nothing_runs(|victim| {
        for name in HOOKS {
            victim.program(&format!("clone/.git/hooks/{name}"), &fs::read_to_string(victim.marker()).expect("a program"));
        }
    });
}

#[test]
fn a_pager_is_not_run() {
    setting(&[("core.pager", "MARKER"), ("pager.log", "MARKER"), ("pager.diff", "MARKER"), ("pager.ls-files", "MARKER")]);
}

#[test]
fn an_external_diff_is_not_run() {
    setting(&[("diff.external", "MARKER"), ("diff.trustExitCode", "true")]);
}

#[test]
fn a_driver_of_diffs_is_not_run() {
    nothing_runs(|victim| {
        victim.write(".gitattributes", "* diff=x merge=x\n");
        set(victim, &[("diff.x.command", "MARKER"), ("diff.x.textconv", "MARKER"), ("merge.x.driver", "MARKER")]);
    });
}

#[test]
fn a_filter_that_cleans_is_not_run() {
    nothing_runs(|victim| {
        victim.write(".gitattributes", "* filter=x\n");
        set(victim, &[("filter.x.clean", "MARKER"), ("filter.x.smudge", "MARKER"), ("filter.x.required", "true")]);
    });
}

#[test]
fn a_filter_that_is_a_process_is_not_run() {
    nothing_runs(|victim| {
        victim.write(".git/info/attributes", "* filter=x working-tree-encoding=UTF-16\n");
        set(victim, &[("filter.x.process", "MARKER"), ("filter.x.required", "true")]);
    });
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched_by_a_program() {
    partial_clone("ext::MARKER", &[]);
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched_by_ssh() {
    partial_clone("ssh://host.invalid/x", &[("core.sshCommand", "MARKER"), ("ssh.variant", "simple")]);
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched_through_a_proxy() {
    partial_clone("git://host.invalid/x", &[("core.gitProxy", "MARKER")]);
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched_from_another_folder() {
    partial_clone("file:///nowhere", &[("remote.origin.uploadpack", "MARKER"), ("uploadpack.packObjectsHook", "MARKER")]);
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched_by_a_helper() {
    partial_clone("origin", &[("remote.origin.vcs", "marker"), ("url.ext::MARKER.insteadOf", "origin")]);
}

#[test]
fn no_password_is_requested() {
    partial_clone(
        "https://127.0.0.1:9/x",
        &[("credential.helper", "!MARKER"), ("core.askPass", "MARKER"), ("credential.https://127.0.0.1:9.helper", "!MARKER")],
    );
}

#[test]
fn signatures_are_not_looked_at() {
    nothing_runs(|victim| {
        let commit = victim.git("cat-file commit HEAD");
        let (head, message) = commit.split_once("\n\n").expect("a message");
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----";
        victim.write(".git/commit", &format!("{head}\n{signature}\n\n{message}"));
        let signed = victim.git("hash-object -t commit -w .git/commit");
        victim.git(&format!("update-ref HEAD {}", signed.trim()));
        set(
            victim,
            &[
                ("log.showSignature", "true"),
                ("gpg.program", "MARKER"),
                ("gpg.openpgp.program", "MARKER"),
                ("gpg.x509.program", "MARKER"),
                ("gpg.ssh.program", "MARKER"),
            ],
        );
    });
}

#[test]
fn an_alias_is_not_run() {
    let commands = ["log", "ls-files", "cat-file", "diff", "rev-parse", "config", "show", "grep", "diff-index", "rev-list"];
    let names = commands.map(|name| format!("alias.{name}"));
    setting(&names.each_ref().map(|name| (name.as_str(), "!MARKER")));
}

#[test]
fn an_alternate_refs_command_is_not_run() {
    nothing_runs(|victim| {
        victim.write(".git/objects/info/alternates", "../../.git/objects\n");
        set(victim, &[("core.alternateRefsCommand", "MARKER"), ("core.alternateRefsPrefixes", "refs/heads")]);
    });
}

#[test]
fn settings_that_include_others_start_nothing() {
    nothing_runs(|victim| {
        let text = format!("[core]\n\tfsmonitor = {0:?}\n\tpager = {0:?}\n[diff]\n\texternal = {0:?}\n", victim.marker());
        victim.write("more.config", &text);
        set(victim, &[("include.path", "../more.config"), ("includeIf.gitdir:**.path", "../more.config")]);
    });
}

#[test]
fn settings_of_a_work_tree_start_nothing() {
    nothing_runs(|victim| {
        victim.write(".git/config.worktree", &format!("[core]\n\tfsmonitor = {:?}\n", victim.marker()));
        set(victim, &[("extensions.worktreeConfig", "true"), ("core.repositoryFormatVersion", "1")]);
    });
}

#[test]
fn editors_and_tools_are_not_run() {
    setting(&[
        ("core.editor", "MARKER"),
        ("sequence.editor", "MARKER"),
        ("interactive.diffFilter", "MARKER"),
        ("difftool.x.cmd", "MARKER"),
        ("diff.tool", "x"),
        ("trailer.x.command", "MARKER"),
        ("gc.auto", "1"),
        ("maintenance.auto", "true"),
        ("core.preloadIndex", "true"),
    ]);
}

#[test]
fn a_bare_repository_in_the_clone_starts_nothing() {
    let victim = changed();
    victim.git("clone -q --bare .git inner");
    victim.write("inner/rl.toml", "[trainer]\n[orchestrator]\n");
    let text = victim.read("inner/config").replace("bare = true", "bare = false");
    let settings = format!("[core]\n\tfsmonitor = {0:?}\n\tworktree = ..\n\tpager = {0:?}\n", victim.marker());
    victim.write("inner/config", &(text + &settings));
    for words in ["check .", "check inner", "check inner/rl.toml", "hook run", "diff HEAD:rl.toml inner/rl.toml"] {
        victim.look(words);
        let mut command = victim.command(words);
        victim.finish(command.current_dir(victim.path("inner")), b"");
    }
    victim.edit(&["inner/rl.toml", "rl.toml"]);
}

#[test]
fn a_submodule_starts_nothing() {
    let victim = changed();
    let (url, marker) = (victim.path(".git").display().to_string(), victim.marker());
    victim.git_with(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "prime-rl"]);
    victim.commit();
    let settings = format!("[core]\n\tfsmonitor = {marker:?}\n\thooksPath = ../hooks\n[diff]\n\texternal = {marker:?}\n");
    let own = victim.read(".git/modules/prime-rl/config") + &settings;
    victim.write(".git/modules/prime-rl/config", &own);
    let modules = victim.read(".gitmodules") + &format!("\tupdate = !{marker}\n\tignore = none\n");
    victim.write(".gitmodules", &modules);
    victim.write("prime-rl/rl.toml", "[trainer]\n[orchestrator]\n");
    for words in asking().iter().chain(&["check prime-rl", "check prime-rl/rl.toml"]) {
        victim.look(words);
    }
    victim.edit(&["rl.toml", "prime-rl/rl.toml"]);
}

#[test]
fn a_git_folder_elsewhere_in_the_clone_starts_nothing() {
    nothing_runs(|victim| {
        fs::rename(victim.path(".git"), victim.path("configs.git")).expect("it is moved");
        victim.write(".git", "gitdir: configs.git\n");
        let text =
            victim.read("configs.git/config") + &format!("[core]\n\tfsmonitor = {0:?}\n\tpager = {0:?}\n", victim.marker());
        victim.write("configs.git/config", &text);
    });
}

#[test]
fn an_index_with_a_monitor_starts_nothing() {
    let victim = changed();
    // The index states that there is a monitor.
    set(&victim, &[("core.fsmonitor", "MARKER")]);
    drop(victim.within(Command::new("git")).args(["update-index", "--fsmonitor"]).output());
    let _ = fs::remove_file(victim.at("ran"));
    for words in asking() {
        victim.look(words);
    }
    victim.edit(&["rl.toml"]);
}

/// The programs that `cfg` starts by name.
const PROGRAMS: [&str; 9] = ["git", "nvidia-smi", "python3", "python", "uv", "tee", "rl", "hf", "sh.exe"];

/// Commands that start programs.
const STARTING: [&str; 9] = [
    "check .",
    "hook run",
    "diff HEAD:rl.toml rl.toml",
    "preflight rl.toml",
    "launch rl.toml --exec",
    "memory rl.toml --gpu local",
    "registry adopt --dry-run",
    "schema import prime-rl",
    "diagnose .",
];

/// Plants programs with these names in the clone, and sets a `PATH` that begins with `first`.
#[track_caller]
fn on_the_path(first: &str) {
    let victim = changed();
    victim.write("prime-rl/src/prime_rl/__init__.py", "");
    for folder in ["", "bin/", "prime-rl/"] {
        for name in PROGRAMS {
            victim.program(&format!("clone/{folder}{name}"), &fs::read_to_string(victim.marker()).expect("a program"));
        }
    }
    std::os::unix::fs::symlink(victim.path("bin"), victim.at("outside/linked")).expect("a link");
    let first = first.replace("MACHINE", victim.at("").display().to_string().trim_end_matches('/'));
    let path = std::env::var("PATH").expect("a path");
    let paths = [format!("{first}:{path}"), first.clone(), format!("{path}:{first}")];
    for path in &paths[..sized(2, paths.len())] {
        for words in STARTING {
            victim.finish(victim.command(words).env("PATH", path), b"");
        }
    }
    victim.edit(&["rl.toml"]);
}

#[test]
fn programs_in_the_working_folder_are_not_run() {
    on_the_path(".");
}

#[test]
fn an_empty_part_of_the_path_does_not_mean_the_working_folder() {
    on_the_path("");
}

#[test]
fn programs_in_a_folder_by_a_relative_path_are_not_run() {
    on_the_path("bin");
    on_the_path("./bin");
}

#[test]
fn programs_in_the_clone_by_a_parent_path_are_not_run() {
    on_the_path("../clone/bin");
    on_the_path("MACHINE/outside/../clone/bin");
}

#[test]
fn programs_in_the_clone_by_an_absolute_path_are_not_run() {
    on_the_path("MACHINE/clone/bin");
}

#[test]
fn programs_in_the_clone_by_a_link_from_outside_are_not_run() {
    on_the_path("MACHINE/outside/linked");
}

#[test]
fn without_a_path_no_program_of_the_clone_is_run() {
    let victim = changed();
    for name in PROGRAMS {
        victim.program(&format!("clone/{name}"), &fs::read_to_string(victim.marker()).expect("a program"));
    }
    for words in STARTING {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cfg"));
        command.args(words.split_whitespace());
        victim.finish(victim.within(command).env_remove("PATH"), b"");
    }
}

/// The classes of a checkout are read, but nothing in it is run, and Python is not started.
#[test]
fn a_checkout_that_is_imported_is_not_run() {
    let text = format!("open({:?}, 'w')\n", "/nowhere/ran");
    let victim = Victim::new(&[]);
    let text = text.replace("/nowhere/ran", &victim.at("ran").display().to_string());
    let configs =
        ["rl", "trainer", "orchestrator", "inference", "sft"].map(|kind| format!("fork/src/prime_rl/configs/{kind}.py"));
    let others = ["fork/src/prime_rl/__init__.py", "fork/src/prime_rl/configs/__init__.py", "sitecustomize.py", "pydantic.py"];
    for path in configs.iter().map(String::as_str).chain(others) {
        victim.write(path, &text);
    }
    for words in ["schema import fork", "check . --target path:fork"] {
        victim.look(words);
        assert!(!victim.at("ran").exists(), "{words}");
    }
}

#[test]
fn a_python_project_in_the_working_folder_is_not_built_or_synchronized() {
    let victim = Victim::registered();
    let text = "[project]\nname = \"x\"\nversion = \"1\"\n[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n";
    victim.write("pyproject.toml", text);
    victim.write("backend.py", &format!("open({:?}, 'w')\n", victim.at("ran").display().to_string()));
    for words in ["check .", "run preflight rl.toml", "run launch rl.toml", "compile rl.toml", "check -- uv run rl @ rl.toml"] {
        victim.look(words);
    }
}
