//! A revision is read with its own settings, includes and pins: `cfg diff REVISION:FILE`, and `cfg diff --since REVISION`.

use std::{ffi::OsStr, process::Command};

use cfg_schema::{Commit, History};
use serde_json::Value;

use crate::{CLEAN, Ended, Folder, finish};

/// A repository with these files committed.
fn committed(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(files);
    git(&folder, &["init", "-q"]);
    commit(&folder);
    folder
}

fn commit(folder: &Folder) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "x"]);
}

fn git(folder: &Folder, words: &[&str]) {
    let fixed = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"];
    let run =
        Command::new("git").args(fixed).args(words).current_dir(folder.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").output();
    let run = run.expect("git runs");
    assert!(run.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&run.stderr));
}

fn run(folder: &Folder, words: &str) -> Ended {
    let mut command = folder.command(words);
    command.env("PATH", std::env::var_os("PATH").as_deref().unwrap_or(OsStr::new("")));
    finish(&mut command, b"")
}

/// The document of a comparison.
fn json(folder: &Folder, words: &str) -> Value {
    let ended = run(folder, &format!("{words} --format json"));
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
}

/// The targets of the two sides of a file.
fn targets(folder: &Folder) -> (String, String) {
    let found = json(folder, "diff HEAD:a.toml a.toml");
    let target = |side: &str| found[side]["target"].as_str().expect("a name").to_owned();
    (target("one"), target("other"))
}

/// What only overrides another config is compared with it, for its prime-rl.
#[test]
fn an_override_is_compared_with_its_base() {
    let base = "[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 16\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = committed(&[("base.toml", base), ("lr.toml", "[trainer.optim]\nlr = 1e-5\n")]);
    folder.write("lr.toml", b"[trainer.optim]\nlr = 2e-5\n");
    let told = run(&folder, "diff --since HEAD").stdout;
    assert!(told.contains("at prime-rl `0.7.0`: 1 changed"), "{told}");
    folder.write("lr.toml", b"[trainer.optim]\n<<<<<<< a\nlr = 2e-5\n=======\nlr = 1e-5\n>>>>>>> b\n");
    let told = run(&folder, "diff --since HEAD").stdout;
    assert!(told.contains("not compared: `lr.toml`, because it has an unresolved merge conflict"), "{told}");
}

#[test]
fn a_revision_has_its_own_target() {
    let pyproject = |version: &str| format!("[project]\nname = \"x\"\ndependencies = [\"prime-rl=={version}\"]\n");
    let lock = |version: &str| {
        format!(
            "[[package]]\nname = \"prime-rl\"\nversion = \"{version}\"\nsource = {{ registry = \"https://pypi.org/simple\" }}\n"
        )
    };
    for (name, before, now) in [
        ("cfg.toml", "target = \"0.4.0\"\n".to_owned(), "target = \"0.5.0\"\n".to_owned()),
        ("pyproject.toml", pyproject("0.4.0"), pyproject("0.5.0")),
        ("uv.lock", lock("0.4.0"), lock("0.5.0")),
    ] {
        let folder = committed(&[("a.toml", CLEAN), (name, &before)]);
        folder.write(name, now.as_bytes());
        assert_eq!(targets(&folder), ("0.4.0".to_owned(), "0.5.0".to_owned()), "{name}");
        let found = json(&folder, "diff --since HEAD");
        assert_eq!(found["targets"][0]["before"], "0.4.0", "{name}: {found}");
        assert_eq!((&found["targets"][0]["now"], &found["targets"][0]["configs"][0]), (&"0.5.0".into(), &"a.toml".into()));
        let said = run(&folder, "diff --since HEAD");
        assert_eq!(said.status, Some(1), "{said:?}");
        assert!(said.stdout.contains("prime-rl `0.5.0` instead of `0.4.0`: `a.toml`"), "{said:?}");
        assert!(!said.stdout.contains("none changed its meaning"), "{said:?}");
    }
}

/// A settings file that is new today says nothing about a revision.
#[test]
fn settings_of_today_are_not_those_of_a_revision() {
    let folder = committed(&[("a.toml", CLEAN), ("pyproject.toml", "[tool.cfg]\ntarget = \"0.4.0\"\n")]);
    folder.write("cfg.toml", b"target = \"0.6.0\"\n");
    assert_eq!(targets(&folder), ("0.4.0".to_owned(), "0.6.0".to_owned()));
}

#[test]
fn a_revision_has_its_own_includes() {
    let base = "trainer_gpu_ids = [1]\nmax_steps = 10\n[trainer]\n[orchestrator]\n";
    let top = "toml_files = [\"base.toml\"]\ninference_gpu_ids = [0]\n[inference]\n";
    let folder = committed(&[("cfg.toml", "target = \"0.2.0\"\n"), ("base.toml", base), ("a.toml", top)]);
    folder.write("base.toml", base.replace("10", "20").as_bytes());
    let found = json(&folder, "diff HEAD:a.toml a.toml");
    assert_eq!(found["outcome"], "by-user", "{found}");
    let keys: Vec<&str> = found["differences"].as_array().into_iter().flatten().filter_map(|one| one["key"].as_str()).collect();
    assert!(keys.iter().any(|key| key.contains("max_steps")), "{found}");
}

#[test]
fn a_revision_has_its_own_submodule() {
    let folder =
        committed(&[("a.toml", CLEAN), (".gitmodules", "[submodule \"prime-rl\"]\npath = prime-rl\nurl = ../prime-rl\n")]);
    // Commits of prime-rl's main line, which need not be here.
    let commits: Vec<String> = History::built_in().commits().map(Commit::sha).collect();
    let (earlier, later) = (commits[commits.len() / 2 + 3].clone(), commits[commits.len() / 2 + 30].clone());
    let record = |sha: &str| git(&folder, &["update-index", "--add", "--cacheinfo", &format!("160000,{sha},prime-rl")]);
    record(&earlier);
    git(&folder, &["commit", "-q", "-m", "pin"]);
    record(&later);
    let (before, now) = targets(&folder);
    assert!(earlier.starts_with(&before) && later.starts_with(&now), "{before} {now}");
}

#[test]
fn new_renamed_and_deleted_configs_are_named() {
    let other = CLEAN.replace("max_steps = 100", "max_steps = 7").replace("lr = 1e-5", "lr = 3e-6");
    let settings = "target = \"0.4.0\"\ngpu = \"2x H100\"\n";
    let files = [("cfg.toml", settings), ("a.toml", CLEAN), ("b.toml", "[trainer]\n[orchestrator]\n"), ("c/old.toml", &*other)];
    let folder = committed(&files);
    git(&folder, &["mv", "c/old.toml", "c/moved.toml"]);
    git(&folder, &["rm", "-q", "b.toml"]);
    folder
        .write("n.toml", b"# New.\nmax_steps = 5\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\n[inference]\n");
    folder.write("Cargo.toml", b"[package]\nname = \"x\"\n");
    let found = json(&folder, "diff --since HEAD");
    assert_eq!((&found["new"], &found["deleted"]), (&serde_json::json!(["n.toml"]), &serde_json::json!(["b.toml"])));
    assert_eq!(found["renamed"], serde_json::json!([{ "before": "c/old.toml", "now": "c/moved.toml" }]));
    assert_eq!((&found["compared"], &found["differing"]), (&2.into(), &serde_json::json!([])));
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.starts_with("Compared with `HEAD`: 2 configs were compared, and none changed its meaning"), "{said}");
    assert!(said.contains("- new: `n.toml`, an rl config for prime-rl `0.4.0`") && said.contains("| memory | now |"), "{said}");
    assert!(!said.contains("Cargo.toml"), "{said}");
    // Only what is below a path.
    let found = json(&folder, "diff --since HEAD c");
    assert_eq!((&found["new"], &found["renamed"][0]["now"]), (&serde_json::json!([]), &"c/moved.toml".into()));
}

#[test]
fn what_was_not_compared_is_not_called_the_same() {
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n"), ("a.toml", CLEAN)]);
    let said = run(&folder, "diff --since HEAD");
    assert_eq!(
        (said.status, said.stdout.trim()),
        (Some(0), "Compared with `HEAD`: 1 config was compared, and none changed its meaning")
    );
    folder.write("cfg.toml", b"target = \"0123456789012345678901234567890123456789\"\n");
    let said = run(&folder, "diff --since HEAD");
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(said.stdout.contains("no config was compared") && said.stdout.contains("not compared: `a.toml`"), "{said:?}");
    let said = run(&folder, "diff --since nothing");
    assert_eq!((said.status, said.stdout.is_empty()), (Some(2), true), "{said:?}");
}

/// A pull request of a repository with a registry: the version of each changed config, and what the registry lacks for it.
#[test]
fn versions_and_what_the_registry_lacks_are_told() {
    let folder = committed(&[
        ("cfg.toml", "target = \"0.4.0\"\ngpu = \"2x H100\"\n"),
        ("a.toml", CLEAN),
        ("c/b.toml", CLEAN),
        ("c/d.toml", CLEAN),
    ]);
    for words in ["registry init", "bump a.toml -m first", "bump c/b.toml -m first", "bump c/d.toml -m first"] {
        assert_eq!(run(&folder, words).status, Some(0), "{words}");
    }
    commit(&folder);
    git(&folder, &["checkout", "-q", "-b", "other"]);
    let edit = |name: &str, old: &str, new: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("a text");
        folder.write(name, text.replace(old, new).as_bytes());
    };
    edit("a.toml", "max_steps = 100", "max_steps = 300");
    assert_eq!(run(&folder, "bump a.toml -m longer").status, Some(0));
    edit("c/b.toml", "lr = 1e-5", "lr = 3e-5");
    git(&folder, &["rm", "-q", "c/d.toml"]);
    folder.write("n.toml", b"max_steps = 7\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\n[inference]\n");
    commit(&folder);
    let said = run(&folder, "diff --since HEAD~1");
    for line in [
        "- registry: `a.toml` is `v2` instead of `v1`: longer\n",
        "- registry: `c/b.toml` was `v1`, and has no version; **missing**: the change is not registered\n",
        "- deleted: `c/d.toml`; the registry still has it: `cfg registry adopt` marks it as removed\n",
        "- registry: `n.toml` has no version; **missing**: it is not registered\n",
        "1 edit changes 2 keys",
        "Memory and disk: as before",
    ] {
        assert!(said.stdout.contains(line), "{line}: {}", said.stdout);
    }
    let found = json(&folder, "diff --since HEAD~1");
    assert_eq!((&found["registry"][0]["before"], &found["registry"][0]["now"]), (&"v1".into(), &"v2".into()), "{found}");
    assert_eq!(found["registry"][1]["lacks"][0], "the change is not registered");
    // A text that is not committed with its version.
    std::fs::remove_dir_all(folder.path().join(".cfg/objects")).expect("a folder");
    let said = run(&folder, "diff --since HEAD~1").stdout;
    assert!(
        said.contains("`v2` instead of `v1`: longer; **missing**: `` the text of v2 is not stored: commit `.cfg/objects` ``"),
        "{said}"
    );
    // A config that only git renamed.
    git(&folder, &["checkout", "-q", "."]);
    git(&folder, &["mv", "a.toml", "e.toml"]);
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.contains("**missing**: it has its old path: cfg registry mv a.toml e.toml"), "{said}");
}

#[test]
fn another_machine_in_the_settings_is_named_with_its_memory() {
    let settings = |gpu: &str| format!("target = \"0.4.0\"\ngpu = \"{gpu}\"\n");
    let own = format!("# /// config\n# hardware = \"2x A100\"\n# ///\n{CLEAN}");
    let folder = committed(&[("cfg.toml", &settings("2x H100")), ("a.toml", CLEAN), ("own.toml", &own)]);
    folder.write("cfg.toml", settings("2x RTX 4090").as_bytes());
    let said = run(&folder, "diff --since HEAD");
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(said.stdout.contains("\n- machine: `2x RTX 4090` instead of `2x H100`: `a.toml`\n"), "{said:?}");
    assert!(
        said.stdout.contains("#### Memory on another machine: 1 config\n\n`a.toml`\n\n| memory | before | now |"),
        "{said:?}"
    );
    let found = json(&folder, "diff --since HEAD");
    let machines = serde_json::json!([{ "before": "2x H100", "now": "2x RTX 4090", "configs": ["a.toml"] }]);
    assert_eq!((&found["machines"], &found["differing"]), (&machines, &serde_json::json!([])));
    // One that was not stated before.
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n"), ("a.toml", CLEAN)]);
    folder.write("cfg.toml", settings("2x H100").as_bytes());
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.contains("- machine: `2x H100` instead of no stated one: `a.toml`\n"), "{said}");
}

/// What another prime-rl makes of files that nobody edited is told once.
#[test]
fn unedited_configs_that_another_prime_rl_refuses_are_told_together() {
    let text = CLEAN.replace("[orchestrator]\n", "[orchestrator]\nrollouts_per_example = 8\n");
    let text = if text.matches("rollouts_per_example").count() > 1 { CLEAN.to_owned() } else { text };
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n"), ("a.toml", &text), ("b.toml", &text)]);
    folder.write("cfg.toml", b"target = \"0.8.0\"\n");
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.contains("- **prime-rl refuses them now**: `a.toml`, `b.toml`: "), "{said}");
    assert!(said.contains("#### Only due to the prime-rl version: 2 configs"), "{said}");
    assert!(!said.contains("edits change") && !said.contains("#### `a.toml`"), "{said}");
    assert_eq!(said.matches("| memory | before | now |").count(), usize::from(said.contains("| memory |")), "{said}");
}

/// A migration edits a config, and what changes in its meaning is due to the prime-rl alone.
#[test]
fn a_migrated_config_differs_only_by_its_prime_rl() {
    let old = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n"), ("a.toml", old)]);
    assert_eq!(run(&folder, "migrate --all --to 0.5.0 --write").status, Some(0));
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.contains("#### Only due to the prime-rl version: 1 config\n"), "{said}");
    assert!(!said.contains("Without edits") && !said.contains("prime-rl refuses"), "{said}");
}

/// The files of one launch mean the same, and what is edited alike differs alike: it is shown once.
#[test]
fn configs_in_which_the_same_differs_are_shown_together() {
    let base = "max_steps = 5\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n";
    let run_ = "[trainer]\n[orchestrator]\nbatch_size = 128\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = committed(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("c/base.toml", base),
        ("c/run.toml", run_),
        ("go.sh", "uv run rl @ c/base.toml @ c/run.toml\n"),
    ]);
    folder.write("c/run.toml", run_.replace("128", "256").as_bytes());
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.contains("#### `c/base.toml`, `c/run.toml`\n\nCompared with `HEAD`, at prime-rl `0.4.0`: "), "{said}");
    assert_eq!(said.matches("| `orchestrator.batch_size` | `128` | `256` |").count(), 1, "{said}");
    assert!(said.contains("something different from before"), "{said}");
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_not_deleted_and_an_unknown_commit_is_explained() {
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n"), ("a.toml", CLEAN), ("far away/b.toml", CLEAN)]);
    for words in ["registry init", "bump a.toml -m first"] {
        assert_eq!(run(&folder, words).status, Some(0), "{words}");
    }
    commit(&folder);
    git(&folder, &["sparse-checkout", "set", "--cone"]);
    assert!(!folder.path().join("far away/b.toml").exists() && !folder.path().join(".cfg/objects").exists());
    let found = json(&folder, "diff --since HEAD");
    assert_eq!(found["deleted"], serde_json::json!([]), "{found}");
    let why = "it is outside of this sparse checkout";
    assert_eq!(found["not_compared"], serde_json::json!([{ "path": "far away/b.toml", "why": why }]));
    let said = run(&folder, "registry verify");
    assert!(said.status == Some(0) && said.stderr.contains("outside of this sparse checkout"), "{said:?}");
    folder.write("a.toml", CLEAN.replace("max_steps = 100", "max_steps = 200").as_bytes());
    let said = run(&folder, "bump a.toml -m second");
    assert!(said.status == Some(0) && said.stderr.contains("`git sparse-checkout add .cfg`"), "{said:?}");
    let said = run(&folder, "registry verify");
    assert!(said.stdout.contains("Found no problems (1 config, 2 versions)"), "{said:?}");
    let other = Folder::new(&[]);
    let from = format!("file://{}", folder.path().display());
    git(&other, &["clone", "-q", "--depth=1", &from, "clone"]);
    let mut command = other.command("diff --since HEAD~1");
    command.current_dir(other.path().join("clone")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let said = finish(&mut command, b"");
    assert!(said.status == Some(2) && said.stderr.contains("the clone is shallow: `git fetch --unshallow`"), "{said:?}");
    let said = run(&folder, "diff --since nothing");
    assert!(said.stderr.contains("nothing: no git revision: no such commit here\n"), "{said:?}");
}

#[test]
fn what_prime_rl_refuses_now_is_named_first() {
    let whole = CLEAN;
    let folder = committed(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("a.toml", whole),
        ("b.toml", &format!("bogus = 1\n{whole}")),
        ("c.toml", &format!("bogus = 1\n{whole}")),
        ("part.toml", "[trainer.optim]\nlr = 2e-5\n"),
    ]);
    folder.write("a.toml", format!("bogus = 1\n{whole}").as_bytes());
    folder.write("c.toml", whole.as_bytes());
    folder.write("part.toml", b"[trainer.optim]\nlr = 3e-5\n");
    let ended = run(&folder, "diff --since HEAD");
    let first = ended.stdout.lines().nth(2).unwrap_or_default();
    assert!(first.starts_with("- **prime-rl refuses it now**: `a.toml`: ") && first.contains("bogus"), "{ended:?}");
    assert!(ended.stdout.contains("- prime-rl refused it before, and accepts it now: `c.toml`\n"), "{ended:?}");
    assert!(ended.stdout.contains("because prime-rl refuses the config, now as before: `b.toml`\n"), "{ended:?}");
    let found = json(&folder, "diff --since HEAD");
    assert_eq!(found["refused_now"][0]["path"], "a.toml");
    assert_eq!(found["accepted_now"], serde_json::json!(["c.toml"]));
}

/// A flag of a launch also decides what a run means: that only the configs were compared is said.
#[test]
fn a_changed_launch_is_not_called_compared() {
    let files = [("cfg.toml", "target = \"0.4.0\"\n"), ("a.toml", CLEAN), ("go.sh", "uv run rl @ a.toml --max-steps 5\n")];
    let folder = committed(&files);
    assert_eq!(run(&folder, "diff --since HEAD").status, Some(0));
    folder.write("go.sh", b"# faster\nuv run rl @ a.toml --max-steps 5\n");
    assert_eq!(run(&folder, "diff --since HEAD").status, Some(0));
    folder.write("go.sh", b"uv run rl @ a.toml --max-steps 500\n");
    let said = run(&folder, "diff --since HEAD");
    let line = "- not compared: `go.sh`, because the commands in it that start runs changed\n";
    assert!(said.status == Some(1) && said.stdout.contains(line), "{said:?}");
    assert_eq!(run(&folder, "diff --since HEAD cfg.toml").status, Some(0));
}

/// Configs are compared on all cores, and told in the order of their paths.
#[test]
fn many_configs_are_told_in_order() {
    let config = |at: usize, lr: &str| CLEAN.replace("1e-5", lr).replacen('\n', &format!("  # {at}\n"), 1);
    let names: Vec<String> = (0..24).map(|at| format!("c/{at:02}.toml")).collect();
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    names.iter().enumerate().for_each(|(at, name)| folder.write(name, config(at, "1e-5").as_bytes()));
    commit(&folder);
    names.iter().enumerate().for_each(|(at, name)| folder.write(name, config(at, &format!("{}e-5", at + 2)).as_bytes()));
    let found = json(&folder, "diff --since HEAD");
    assert_eq!((found["compared"].as_u64(), &found["differing"]), (Some(24), &serde_json::json!(names)));
    let said = run(&folder, "diff --since HEAD").stdout;
    let told: Vec<String> =
        said.lines().filter_map(|line| Some(line.strip_prefix("#### `")?.trim_end_matches('`').to_owned())).collect();
    assert_eq!(told, names);
    // What is edited alike is told once.
    names.iter().enumerate().for_each(|(at, name)| folder.write(name, config(at, "2e-5").as_bytes()));
    let said = run(&folder, "diff --since HEAD").stdout;
    assert!(said.contains("#### `c/00.toml`, `c/01.toml`, ") && said.contains("`c/19.toml` and 4 more\n"), "{said}");
    assert_eq!(said.matches("| `trainer.optim.lr` | `1e-5` | `2e-5` | training |").count(), 1, "{said}");
}

/// A folder that was moved is no number of deleted and new configs, however many there are.
#[test]
fn a_large_folder_that_was_moved_is_renamed() {
    const SMALL: &str = "max_steps = 5\n[trainer]\n[orchestrator]\n";
    let folder = committed(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    for at in 0..270 {
        folder.write(&format!("old/{at:03}/rl.toml"), format!("# {}\n{SMALL}", at / 2).as_bytes());
    }
    commit(&folder);
    git(&folder, &["mv", "old", "new"]);
    let found = json(&folder, "diff --since HEAD");
    let renamed = found["renamed"].as_array().expect("a list");
    let is_same =
        |pair: &Value| pair["before"].as_str().map(|path| path.replace("old/", "new/")).as_deref() == pair["now"].as_str();
    assert!(renamed.len() == 270 && renamed.iter().all(is_same), "{found}");
    assert_eq!((&found["new"], &found["deleted"]), (&serde_json::json!([]), &serde_json::json!([])));
}
