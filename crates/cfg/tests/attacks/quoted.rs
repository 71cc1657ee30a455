//! Files outside the repository are not quoted: if the user did not name a file, the output contains no more of it than the name in the
//! repository. [`Victim::run`] and [`Victim::edit`] search for the content of such files, and of the environment.

use std::{os::unix::fs::symlink, path::Path, process::Command};

use crate::{
    sized::sized,
    victim::{SECRET, Victim, formats, reading},
};

/// A config with these lines at the top.
fn config(lines: &str) -> String {
    format!("{lines}\n[trainer]\n[orchestrator]\n")
}

/// Runs every command that reads, in each format, on a config that includes another file.
#[track_caller]
fn composed(victim: &Victim) {
    for format in formats() {
        for words in ["check .", "check rl.toml", "check . --diff", "check -- uv run rl @ rl.toml"] {
            let ended = victim.look(&words.replacen("check", &format!("check --format {format}"), 1));
            assert!(matches!(ended.status, Some(1 | 2)), "{ended:?}");
        }
    }
    for words in
        ["compile rl.toml", "compile rl.toml --explain", "memory rl.toml --gpu H100", "migrate rl.toml --to 0.5.0 --diff"]
    {
        victim.look(words);
    }
    for words in
        ["plan --curriculum rl.toml", "run launch rl.toml", "run preflight rl.toml", "diff rl.toml rl.toml --to-target 0.5.0"]
    {
        victim.look(words);
    }
    victim.git("add -A");
    victim.look("hook run");
    let said = victim.edit(&["rl.toml"]);
    assert!(said.contains("PRL0"), "the base is refused: {said}");
}

/// Tests a config that names a file outside the repository by this path.
#[track_caller]
fn base(path: &str) {
    let victim = Victim::new(&[]);
    let path = path.replace("OUTSIDE", &victim.at("outside").display().to_string());
    victim.write("rl.toml", &config(&format!("toml_files = [\"{path}\"]")));
    victim.leak("leak.toml", "outside/secret.toml");
    victim.leak("linked", "outside/folder");
    victim.leak("machine", "");
    victim.link("environ.toml", "/proc/self/environ");
    composed(&victim);
}

/// A repository with a link to one of the user's files or folders, on which all commands have been run.
#[track_caller]
fn linked(name: &str, to: &str) -> Victim {
    let victim = Victim::registered();
    let path = victim.path(name);
    if path.is_dir() {
        std::fs::remove_dir_all(&path).expect("it is removed");
    } else if path.exists() {
        std::fs::remove_file(&path).expect("it is removed");
    }
    if to.starts_with('/') {
        victim.link(name, to);
    } else {
        victim.leak(name, to);
    }
    victim.look_at_all();
    victim
}

#[test]
fn a_config_that_links_to_the_environment_is_refused_with_only_its_name() {
    let victim = linked("leak.toml", "/proc/self/environ");
    let ended = victim.look("check --format concise .");
    assert!(ended.status == Some(2) && ended.stdout.contains("leak.toml"), "{ended:?}");
    assert!(!ended.stdout.contains("/proc"), "{ended:?}");
    // A user who names the link does not want to print the environment of `cfg`.
    for words in ["check leak.toml", "compile leak.toml", "migrate leak.toml --to 0.5.0", "diff leak.toml rl.toml"] {
        assert_ne!(victim.look(words).status, Some(0), "{words}");
    }
}

#[test]
fn a_config_that_links_outside_is_refused_with_only_its_name() {
    let victim = linked("leak.toml", "outside/secret.toml");
    for format in formats() {
        let ended = victim.look(&format!("check --format {format} ."));
        assert!(ended.status == Some(2) && ended.stdout.contains("leak.toml"), "{format}: {ended:?}");
        assert!(!ended.stdout.contains("outside/secret"), "where it leads is not told: {ended:?}");
    }
}

#[test]
fn a_config_that_links_outside_is_refused_to_a_tool() {
    let victim = linked("leak.toml", "outside/secret.toml");
    assert_eq!(victim.look("check --configs-only leak.toml").status, Some(2));
    victim.git("add -A");
    victim.look("hook run leak.toml");
    victim.look("hook run --all-files");
}

#[test]
fn a_config_that_links_to_the_password_file_is_refused() {
    let victim = linked("p.toml", "/etc/passwd");
    for format in formats() {
        let ended = victim.look(&format!("check --format {format} ."));
        assert!(ended.stdout.contains("p.toml") && !ended.stdout.contains("root:x"), "{format}: {ended:?}");
    }
}

#[test]
fn a_config_that_links_outside_is_not_quoted_in_an_editor() {
    let victim = Victim::registered();
    victim.leak("leak.toml", "outside/secret.toml");
    victim.write("rl.toml", &config("toml_files = [\"leak.toml\"]"));
    victim.write("near.toml", &config(&format!("{} = 1", "unrelated")));
    victim.edit(&["rl.toml", "near.toml"]);
}

#[test]
fn a_base_behind_a_link_is_not_quoted() {
    base("leak.toml");
}

#[test]
fn a_base_with_an_absolute_path_is_not_quoted() {
    base("OUTSIDE/secret.toml");
}

#[test]
fn a_base_above_the_repository_is_not_quoted() {
    base("../outside/secret.toml");
}

#[test]
fn a_base_in_the_home_of_the_user_is_not_quoted() {
    base("../home/secret.toml");
}

#[test]
fn a_base_in_a_linked_folder_is_not_quoted() {
    base("linked/secret.toml");
}

#[test]
fn a_base_through_two_links_is_not_quoted() {
    base("machine/clone/../outside/secret.toml");
}

#[test]
fn a_base_that_is_the_environment_is_not_quoted() {
    base("environ.toml");
}

#[test]
fn a_base_of_a_base_is_not_quoted() {
    let victim = Victim::new(&[("rl.toml", &config("toml_files = [\"inner/a.toml\"]"))]);
    victim.write("inner/a.toml", "toml_files = [\"../../outside/secret.toml\"]\n");
    composed(&victim);
}

#[test]
fn a_group_of_the_settings_names_no_file_outside() {
    let group = "target = \"0.4.0\"\n[[group]]\ntrainer = \"../outside/secret.toml\"\norchestrator = \"leak.toml\"\n";
    let victim = Victim::new(&[("cfg.toml", group)]);
    victim.leak("leak.toml", "outside/secret.toml");
    for words in reading() {
        victim.look(words);
    }
    victim.edit(&["rl.toml", "cfg.toml"]);
}

#[test]
fn a_linked_folder_is_not_searched() {
    let victim = linked("configs", "outside/folder");
    assert!(!victim.look("check --show-files .").stdout.contains("secret"));
}

#[test]
fn settings_that_link_outside_are_not_quoted() {
    linked("cfg.toml", "outside/secret.toml");
}

#[test]
fn a_pyproject_that_links_outside_is_not_quoted() {
    linked("pyproject.toml", "outside/secret.toml");
}

#[test]
fn a_lock_file_that_links_outside_is_not_quoted() {
    linked("uv.lock", "outside/secret.toml");
}

#[test]
fn a_registry_that_links_outside_is_not_quoted() {
    linked("registry.json", "outside/secret.json");
}

#[test]
fn a_registry_that_is_the_environment_is_not_quoted() {
    linked("registry.json", "/proc/self/environ");
}

#[test]
fn ignore_files_that_link_outside_are_not_quoted() {
    linked(".gitignore", "outside/secret.toml");
}

#[test]
fn a_head_that_links_outside_is_not_quoted() {
    linked(".git/HEAD", "outside/secret.toml");
}

#[test]
fn a_branch_that_links_outside_is_not_quoted() {
    linked(".git/refs/heads/main", "outside/secret.toml");
}

#[test]
fn settings_of_git_that_link_outside_are_not_quoted() {
    linked(".git/config", "outside/secret.toml");
}

#[test]
fn the_folder_of_the_registry_may_not_link_outside() {
    let victim = linked(".cfg", "outside/folder");
    assert_eq!(victim.look("registry verify").status, Some(2));
}

#[test]
fn stored_texts_that_link_outside_are_not_quoted() {
    let victim = Victim::registered();
    let object = std::fs::read_dir(victim.path(".cfg/objects")).expect("a folder").next().expect("a text").expect("an entry");
    std::fs::remove_file(object.path()).expect("it is removed");
    victim.leak(&format!(".cfg/objects/{}", object.file_name().to_string_lossy()), "outside/secret.toml");
    victim.look_at_all();
}

#[test]
fn files_outside_that_a_registry_names_are_not_quoted() {
    let victim = Victim::registered();
    victim.leak("leak.toml", "outside/secret.toml");
    let outside = victim.at("outside/secret.toml").display().to_string();
    let version = r#"{"current_version": "v1", "versions": {"v1": {"created": "2026-01-05", "notes": "x"}}}"#;
    let configs = ["../outside/secret.toml", "leak.toml", &outside].map(|path| format!("{path:?}: {version}")).join(", ");
    victim.write("registry.json", &format!("{{\"configs\": {{{configs}}}}}"));
    victim.look_at_all();
    for words in ["registry verify --format json", "registry list --format json", "log --format json", "log --graph"] {
        victim.look(words);
    }
    victim.run("registry adopt");
    victim.run("registry adopt leak.toml");
}

#[test]
fn a_file_outside_that_a_header_names_is_not_read() {
    let head =
        "# /// config\n# version = \"v2\"\n# based_on = \"../outside/secret.toml:v1\"\n# prime_rl = \"path:../outside\"\n# ///\n";
    let victim = Victim::registered();
    victim.write("rl.toml", &format!("{head}{CLEAN}", CLEAN = crate::victim::CLEAN));
    victim.look_at_all();
}

#[test]
fn a_target_that_links_outside_is_not_quoted() {
    for target in ["path:../outside", "local:../../../outside/secret", "local:leak", "../outside/secret.toml"] {
        let victim = Victim::new(&[("cfg.toml", &format!("target = \"{target}\"\n"))]);
        victim.leak(".cfg/schemas/leak.schema", "outside/secret.toml");
        for words in ["check .", "compile rl.toml", "check --show-settings rl.toml"] {
            victim.look(words);
        }
        victim.edit(&["rl.toml"]);
    }
}

#[test]
fn a_git_folder_of_another_user_is_not_used() {
    let victim = Victim::registered();
    std::fs::rename(victim.path(".git"), victim.at("home/git")).expect("it is moved");
    victim.write(".git", &format!("gitdir: {}\n", victim.at("home/git").display()));
    victim.look_at_all();
}

/// Tests a clone that points git to another repository, whose files contain a secret; `point` sets that up.
#[track_caller]
fn other_repository(point: impl FnOnce(&Victim, &Path)) {
    let victim = Victim::registered();
    victim.commit();
    let other = victim.at("outside/other");
    std::fs::create_dir(&other).expect("a folder");
    std::fs::write(other.join("rl.toml"), format!("[orchestrator]\n{SECRET} = 1\n[trainer]\n")).expect("a file");
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "theirs"]] {
        let set = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut git = victim.within(Command::new("git"));
        assert!(git.arg("-C").arg(&other).args(set).args(words).status().expect("git runs").success());
    }
    point(&victim, &other);
    let shown =
        ["hook run --all-files", "hook run", "diff HEAD:rl.toml rl.toml", "registry adopt --dry-run", "log rl.toml", "check ."];
    shown.iter().for_each(|words| drop(victim.look(words)));
    victim.look("hook install");
    assert!(!other.join(".git/hooks/pre-commit").exists(), "nothing is written there");
}

#[test]
fn a_git_file_that_names_another_repository_is_not_followed() {
    other_repository(|victim, other| {
        std::fs::remove_dir_all(victim.path(".git")).expect("it goes");
        victim.write(".git", &format!("gitdir: {}\n", other.join(".git").display()));
    });
}

#[test]
fn a_git_folder_that_links_to_another_repository_is_not_followed() {
    other_repository(|victim, other| {
        std::fs::remove_dir_all(victim.path(".git")).expect("it goes");
        symlink(other.join(".git"), victim.path(".git")).expect("a link");
    });
}

#[test]
fn a_work_tree_elsewhere_in_the_settings_of_git_is_not_read() {
    other_repository(|victim, other| drop(victim.git(&format!("config core.worktree {}", other.display()))));
}

#[test]
fn a_common_folder_of_another_repository_is_not_read() {
    other_repository(|victim, other| victim.write(".git/commondir", &format!("{}\n", other.join(".git").display())));
}

#[test]
fn objects_and_references_that_link_to_another_repository_are_not_read() {
    other_repository(|victim, other| {
        for name in ["objects", "refs"] {
            std::fs::remove_dir_all(victim.path(&format!(".git/{name}"))).expect("it goes");
            symlink(other.join(".git").join(name), victim.path(&format!(".git/{name}"))).expect("a link");
        }
        std::fs::copy(other.join(".git/index"), victim.path(".git/index")).expect("a file");
    });
}

/// Tests a repository that names a model outside it, in a folder with this `config.json`.
#[track_caller]
fn model(text: &str) {
    let victim = Victim::new(&[]);
    std::fs::create_dir(victim.at("outside/model")).expect("a folder");
    for name in ["config.json", "model.safetensors.index.json", "generation_config.json"] {
        std::fs::write(victim.at("outside/model").join(name), text).expect("a file");
    }
    victim.leak("linked", "outside/model");
    let folder = victim.at("outside/model").display().to_string();
    for name in [&*folder, "../outside/model", "linked"] {
        victim.write("rl.toml", &format!("[model]\nname = \"{name}\"\n[trainer]\n[orchestrator]\n[inference]\n"));
        for words in ["check .", "memory rl.toml --gpu H100", "run preflight rl.toml", "memory rl.toml --gpu H100 --format json"]
        {
            victim.look(words);
        }
    }
    victim.edit(&["rl.toml"]);
}

#[test]
fn a_model_outside_is_looked_at_and_not_quoted() {
    model(&format!("{{\"architectures\": [\"{SECRET}\"], \"model_type\": \"qwen3\", \"{SECRET}\": 1}}"));
}

#[test]
fn a_model_outside_with_texts_for_numbers_is_not_quoted() {
    model(&format!("{{\"model_type\": \"qwen3\", \"hidden_size\": \"{SECRET}\", \"num_hidden_layers\": [\"{SECRET}\"]}}"));
}

#[test]
fn a_model_outside_that_is_not_json_is_not_quoted() {
    model(SECRET);
    model(&format!("\"{SECRET}\""));
}

#[test]
fn a_log_that_links_outside_is_not_quoted() {
    let victim = Victim::new(&[("logs/trainer.log", "torch.OutOfMemoryError: CUDA out of memory.\n")]);
    std::fs::write(
        victim.at("outside/secret.log"),
        format!("RuntimeError: {SECRET}\nValueError: {SECRET}\nCUDA out of memory {SECRET}\n"),
    )
    .expect("a file");
    victim.leak("logs/orchestrator.log", "outside/secret.log");
    victim.leak("logs/rank_0", "outside");
    for words in ["run diagnose logs", "run diagnose logs --format json", "run diagnose ."] {
        victim.look(words);
    }
}

#[test]
fn a_blob_that_is_a_link_out_is_not_followed() {
    let victim = Victim::new(&[("rl.toml", &config("toml_files = [\"leak.toml\"]"))]);
    victim.leak("leak.toml", "outside/secret.toml");
    victim.link("near.toml", "../outside/secret.toml");
    victim.commit();
    for words in
        ["diff HEAD:leak.toml rl.toml", "diff HEAD:near.toml rl.toml", "diff HEAD:rl.toml rl.toml", "hook run --all-files"]
    {
        victim.look(words);
    }
}

#[test]
fn bases_and_registries_above_the_repository_are_not_read() {
    let victim = Victim::new(&[]);
    std::fs::write(victim.at("registry.json"), format!("{{\"configs\": {{\"{SECRET}\": {{}}}}}}")).expect("a file");
    victim.look_at_all();
}

#[test]
fn standard_input_for_a_file_outside_reads_nothing_there() {
    let victim = Victim::new(&[]);
    let text = config("toml_files = [\"secret.toml\"]");
    for name in ["../outside/rl.toml", "rl.toml", "linked/rl.toml"] {
        victim.finish(&mut victim.command(&format!("check - --stdin-filename {name}")), text.as_bytes());
    }
}

#[test]
fn a_file_that_becomes_a_link_meanwhile_is_not_quoted() {
    let victim = Victim::new(&[("rl.toml", &config("toml_files = [\"base/near.toml\"]")), ("inner/near.toml", "[trainer]\n")]);
    std::fs::copy(victim.at("outside/folder/secret.toml"), victim.at("outside/folder/near.toml")).expect("a file");
    let (leak, base) = (victim.path("leak.toml"), victim.path("base"));
    std::thread::scope(|scope| {
        let commands = scope.spawn(|| {
            for _ in 0..sized(8, 80) {
                for words in ["check .", "check rl.toml", "compile rl.toml"] {
                    victim.run(words);
                }
            }
        });
        let (file, link) = (victim.at("state/file.toml"), victim.at("state/link"));
        while !commands.is_finished() {
            let _ = std::fs::write(&file, config("x = 1")).and_then(|()| std::fs::rename(&file, &leak));
            let _ = symlink(victim.path("inner"), &link).and_then(|()| std::fs::rename(&link, &base));
            let _ = symlink(victim.at("outside/secret.toml"), &link).and_then(|()| std::fs::rename(&link, &leak));
            let _ = symlink(victim.at("outside/folder"), &link).and_then(|()| std::fs::rename(&link, &base));
        }
    });
}

/// The schema of a dialect, and the files to which its checks refer, must be in the repository. The output does not reveal whether others exist.
#[test]
fn a_dialect_reads_no_file_outside() {
    let settings = "[[dialect]]\nfiles = [\"*.yaml\", \"own/*.toml\"]\nschema = \"SCHEMA\"\n";
    let checks = "(root)\n  ..  root(allow)\n\nfile\n  ..  str\n    file: project\n    lines: distinct\n\nnear\n  ..  str\n    file: beside\n\nname\n  ..  str\n    listed: leak.md\n";
    let victim = Victim::new(&[("rl.toml", &config(""))]);
    victim.write("own.schema", checks);
    victim.leak("leak.schema", "outside/secret.toml");
    victim.leak("leak.md", "outside/secret.toml");
    victim.leak("linked", "outside/folder");
    victim.leak("nowhere", "outside/none");
    for schema in ["leak.schema", "../outside/secret.toml", "/etc/passwd", "linked/secret.toml"] {
        victim.write("cfg.toml", &settings.replace("SCHEMA", schema));
        victim.write("x.yaml", "file: a\n");
        for format in formats() {
            victim.look(&format!("check --format {format} ."));
        }
        assert!(victim.look("check --format concise x.yaml").stdout.contains("PRL028"), "{schema}");
    }
    victim.write("cfg.toml", &settings.replace("SCHEMA", "own.schema"));
    let outside = victim.at("outside").display().to_string();
    let said = |path: &str| {
        victim.write("x.yaml", &format!("file: {path}\nnear: {path}\nname: {SECRET}\n"));
        let deeper = if path.starts_with(['/', '~']) { path.to_owned() } else { format!("../{path}") };
        victim.write("own/x.toml", &format!("file = \"{path}\"\nnear = \"{deeper}\"\n"));
        let ended = victim.look("check --format concise .");
        victim.edit(&["own/x.toml"]);
        ended.stdout.lines().filter(|line| line.contains("error[PRL221]")).map(str::to_owned).collect::<Vec<_>>()
    };
    for path in [
        "/etc/passwd",
        "/etc/none",
        "../outside/secret.toml",
        "../outside/none",
        "linked/secret.toml",
        "linked/none",
        "nowhere",
        "~/x",
    ] {
        assert_eq!(said(path), Vec::<String>::new(), "{path}");
    }
    assert_eq!([said(&format!("{outside}/secret.toml")), said(&format!("{outside}/none"))].concat(), Vec::<String>::new());
    assert_eq!(said("none.txt").len(), 4, "what is missing in the repository is told");
}
