//! `cfg diff`: compares the meanings of files, targets, revisions and registered versions.

use std::process::Command;

use crate::{CLEAN, Folder, registry::registered};

fn changed() -> String {
    CLEAN.replace("lr = 1e-5", "lr = 2e-5").replace("\"baseline\"", "\"second\"")
}

#[test]
fn files_are_compared_by_class() {
    let spelt = CLEAN.replace("1e-5", "0.000_01").replace("# A run", "# The run");
    let folder = Folder::new(&[("a.toml", CLEAN), ("b.toml", &changed()), ("c.toml", &spelt)]);
    let ended = folder.run("diff a.toml b.toml --target 0.4.0 --color never");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let training = ended.stdout.find("training (calls for a major version)").expect("a class");
    let operations = ended.stdout.find("operations (calls for a patch version)").expect("a class");
    assert!(training < operations && !ended.stdout.contains("resources"), "{}", ended.stdout);
    assert!(ended.stdout.contains("- trainer.optim.lr = 1e-5  line 21"), "{}", ended.stdout);
    assert!(ended.stdout.contains("+ trainer.optim.lr = 2e-5  line 21"), "{}", ended.stdout);
    let ended = folder.run("diff a.toml c.toml --target 0.4.0");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    insta::assert_snapshot!("configs_that_mean_the_same", ended.stdout);
}

#[test]
fn targets_are_distinguished_from_changes() {
    let folder = Folder::new(&[("a.toml", CLEAN), ("b.toml", &changed())]);
    let of = |words: &str| {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(1), "{ended:?}");
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        (json["outcome"].as_str().expect("a word").to_owned(), json["level"].as_str().map(str::to_owned), json)
    };
    let (outcome, level, _) = of("diff a.toml --target 0.3.0 --to-target 0.4.0 --format json");
    assert_eq!((&*outcome, level), ("by-default", None));
    let (outcome, level, json) = of("diff a.toml@0.3.0 b.toml@0.4.0 --format json");
    assert_eq!((&*outcome, level.as_deref()), ("by-user", Some("major")));
    let by_user: Vec<&str> = json["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|difference| difference["cause"] == "user")
        .map(|difference| difference["key"].as_str().expect("a key"))
        .collect();
    assert_eq!(by_user, ["trainer.optim.lr", "orchestrator.wandb.name", "trainer.wandb.name"]);
    assert_eq!(json["differences"][0]["class"], "training");
    assert_eq!(json["other"]["target"], "0.4.0");
}

#[test]
fn a_registered_version_is_a_side() {
    let folder = registered();
    folder.write("a.toml", changed().as_bytes());
    let ended = folder.run("diff a.toml:v1 a.toml --format json");
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    assert_eq!((ended.status, json["level"].as_str()), (Some(1), Some("major")));
    let ended = folder.run("diff a.toml:v7 a.toml");
    assert_eq!((ended.status, ended.stderr.lines().count()), (Some(2), 1), "{ended:?}");
}

#[test]
fn a_revision_of_git_is_a_side() {
    let folder = Folder::new(&[("sub/a.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n")]);
    let git = |words: &str| {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"])
            .args(words.split(' '))
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output();
        assert!(status.expect("git").status.success(), "git {words}");
    };
    git("init -q");
    git("add .");
    git("commit -q -m one");
    folder.write("sub/a.toml", changed().as_bytes());
    let run = |words: &str, inside: &str| {
        let mut command = folder.command(words);
        command.current_dir(folder.path().join(inside)).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        crate::finish(&mut command, b"")
    };
    assert_eq!(run("diff HEAD:sub/a.toml sub/a.toml", "").status, Some(1));
    let ended = run("diff HEAD:a.toml a.toml", "sub");
    assert_eq!(ended.status, Some(1), "a path also begins in the working folder: {ended:?}");
    assert_eq!(run("diff HEAD:sub/a.toml HEAD:sub/a.toml", "").status, Some(0));
    let ended = run("diff HEAD:sub/b.toml sub/a.toml", "");
    assert_eq!((ended.status, ended.stdout.is_empty()), (Some(2), true), "{ended:?}");
}

#[test]
fn incomparable_files_exit_with_2() {
    let folder = Folder::new(&[("a.toml", CLEAN), ("other.toml", "[package]\nname = \"a\"\n"), ("half.toml", "[trainer\n")]);
    for words in [
        "diff a.toml",
        "diff a.toml none.toml",
        "diff a.toml other.toml",
        "diff a.toml@tomorrow a.toml",
        "diff a.toml a.toml --format sarif",
        "diff a.toml a.toml --to-target never",
        "diff -x:a a.toml",
    ] {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        assert!(ended.stdout.is_empty() && !ended.stderr.is_empty(), "{words}: {ended:?}");
    }
}

#[test]
fn the_effect_of_a_change_on_a_step_is_shown() {
    let config = |size: u32, group: u32, tokens: u32, id: &str, executor: &str| {
        format!(
            "[trainer]\n[orchestrator]\nbatch_size = {size}\nrollouts_per_example = {group}\nseq_len = 8192\n[orchestrator.sampling]\nmax_tokens = {tokens}\n[[orchestrator.env]]\nid = \"{id}\"\nargs = {{ executor_backend = \"{executor}\" }}\n[inference]\n"
        )
    };
    let env = "primeintellect/deepdive";
    let base = config(128, 8, 4096, env, "prime");
    let folder = Folder::new(&[
        ("a.toml", &base),
        ("group.toml", &config(128, 4, 4096, env, "prime")),
        ("batch.toml", &config(64, 8, 4096, env, "prime")),
        ("tokens.toml", &config(128, 8, 2048, env, "prime")),
        ("more.toml", &config(128, 8, 8192, env, "prime")),
        ("env.toml", &config(128, 8, 4096, "primeintellect/other", "prime")),
        ("lr.toml", &base.replace("[trainer]\n", "[trainer.optim]\nlr = 1e-6\n")),
    ]);
    let hints = |other: &str| {
        let ended = folder.run(&format!("diff a.toml {other}.toml --target 0.2.0 --format json"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        let hints = json["hints"].as_array().expect("a list").iter();
        hints.map(|hint| hint.as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    for other in ["group", "batch", "tokens", "env"] {
        insta::assert_snapshot!(format!("hints_for_another_{other}"), hints(other).join("\n"));
    }
    assert_eq!(hints("more"), Vec::<String>::new());
    assert_eq!(hints("lr"), Vec::<String>::new());
    assert!(folder.run("diff a.toml group.toml --target 0.2.0").stdout.contains(&format!("\nhint: {}", hints("group")[0])));
}

#[test]
fn a_pull_request_gets_markdown() {
    let config = CLEAN;
    let longer = config.replace("1e-5", "2e-5").replace("seq_len = 4096\nattn", "seq_len = 8192\nattn");
    assert_ne!(config, longer);
    let folder = Folder::new(&[("a.toml", config), ("b.toml", &longer), ("cfg.toml", "gpu = \"2x H100\"\n")]);
    let ended = folder.run("diff a.toml b.toml --target 0.4.0 --markdown");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let said = &ended.stdout;
    assert!(said.starts_with("#### `b.toml`\n\nCompared with `a.toml`, at prime-rl `0.4.0`: "), "{said}");
    assert!(said.contains("| `trainer.optim.lr` | `1e-5` | `2e-5` | training |"), "{said}");
    let memory = said.split_once("| memory | before | now |\n|---|---|---|\n").map(|(_, rows)| rows.lines().next());
    let cells: Vec<&str> = memory.flatten().unwrap_or_default().split(" | ").collect();
    assert!(matches!(*cells, [role, before, now] if role.contains("trainer") && before != now), "{said}");
    let ended = folder.run("diff a.toml a.toml --target 0.4.0 --markdown");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    insta::assert_snapshot!("configs_that_mean_the_same_in_markdown", ended.stdout);
}

/// A config for a prime-rl that is newer than this program has keys that it does not know. What they say is a part of what the config means.
#[test]
fn a_key_that_is_not_known_counts_as_written() {
    let newer = "# /// config\n# prime_rl = \"2099-01-01\"\n# ///\nmax_steps = 100\n[trainer.optim]\nlr = 1e-6\n\
                 [orchestrator]\nbatch_size = 128\n[[orchestrator.train.source]]\n[orchestrator.train.source.env]\nid = \"gsm8k\"\n[inference]\n";
    let with = |key: &str| newer.replace("[orchestrator]", &format!("[trainer.newer]\n{key}\n[orchestrator]"));
    let (one, other, spelt) = (with("a = 1"), with("a = 2"), with("a = 0x1 # one"));
    let folder = Folder::new(&[("none.toml", newer), ("a.toml", &one), ("b.toml", &other), ("c.toml", &spelt)]);
    let ended = folder.run("diff a.toml b.toml --color never");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    for line in ["- trainer.newer.a = 1", "+ trainer.newer.a = 2"] {
        assert!(ended.stdout.contains(line), "{}", ended.stdout);
    }
    let ended = folder.run("diff none.toml a.toml --color never");
    assert!(ended.status == Some(1) && ended.stdout.contains("+ trainer.newer.a = 1"), "{ended:?}");
    assert_eq!(folder.run("diff a.toml c.toml").status, Some(0));

    folder.run("registry init");
    let ended = folder.run("bump a.toml -m first");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let registered = std::fs::read_to_string(folder.path().join("a.toml")).expect("the file is there");
    folder.write("a.toml", registered.replace("a = 1", "a = 2").as_bytes());
    let ended = folder.run("bump a.toml -m second");
    assert!(ended.status == Some(0) && ended.stdout.contains("trainer.newer.a: 1 -> 2"), "{ended:?}");
    let ended = folder.run("registry verify");
    assert!(!ended.stdout.contains("fingerprint"), "{ended:?}");
}
