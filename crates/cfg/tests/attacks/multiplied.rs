//! A small text that makes much: each item of an array has the findings of each type that it is not, or the defaults of a class; each fault is tried to be
//! fixed; each key, line and environment is compared with others. What grows faster than the text is bounded.

use std::{fs, process::Command};

use cfg_registry::fingerprint::Digest;
use serde_json::{Value, json};

use crate::{
    computed::with_module,
    sized::sized,
    victim::{CLEAN, Victim},
};

const HEAD: &str = "from typing import Annotated, Any, Literal, Union\nfrom pydantic import BaseModel, Field\n";

/// The commands that look at all values of a config.
const COMMANDS: [&str; 5] = [
    "check fork/trainer.toml --kind trainer",
    "check fork/trainer.toml --kind trainer --format json",
    "compile fork/trainer.toml --kind trainer",
    "diff fork/trainer.toml fork/trainer.toml --kind trainer",
    "plan fork/trainer.toml --kind trainer",
];

/// A clone with these classes, and with a config whose `items` are so many times the same; returns what `cfg check` says of it.
#[track_caller]
fn said_of(classes: &str, ty: &str, item: &str, count: usize) -> String {
    let victim =
        with_module(&format!("{HEAD}{classes}class TrainerConfig(BaseModel):\n    n: int = 1\n    items: list[{ty}] = []\n"));
    victim.write("fork/trainer.toml", &format!("n = 2\nitems = [{}]\n", vec![item; count].join(", ")));
    for words in &COMMANDS[1..] {
        victim.look(words);
    }
    victim.look(COMMANDS[0]).stdout
}

fn fields(count: usize, of: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| format!("    {}\n", of(at))).collect::<Vec<String>>().concat()
}

#[test]
fn the_findings_of_all_types_of_a_union_are_bounded() {
    let count = sized(100, 900);
    for ty in [
        (0..count).map(|at| format!("Annotated[int, Field(gt={at})]")).collect::<Vec<_>>(),
        (0..count).map(|at| format!("Literal['{at}']")).collect::<Vec<_>>(),
    ] {
        let said = said_of("", &format!("Union[{}]", ty.join(", ")), "\"q\"", sized(600, 9_000));
        assert!(said.contains("takes too much work or memory"), "{}", &said[said.len().saturating_sub(2_000)..]);
    }
    let classes = (0..count).map(|at| format!("class A{at}(BaseModel):\n    x{at}: int\n")).collect::<Vec<_>>().concat();
    let names = (0..count).map(|at| format!("A{at}")).collect::<Vec<_>>().join(", ");
    said_of(&classes, &format!("Union[{names}]"), "{q = 1}", sized(600, 9_000));
}

#[test]
fn the_defaults_of_a_config_are_bounded() {
    for class in [
        fields(900, |at| format!("a{at}: int = 1")),
        fields(1, |_| format!("a: str = '{}'", "a".repeat(60_000))),
        fields(1, |_| format!("a: list[int] = [{}]", vec!["7"; 30_000].join(", "))),
    ] {
        let said = said_of(&format!("class A(BaseModel):\n{class}"), "A", "{}", sized(1_500, 9_000));
        assert!(said.contains("PRL007") && said.contains("with all defaults, this config is too large"), "{said}");
    }
    // Thousands of tables are none too many.
    let said =
        said_of(&format!("class A(BaseModel):\n{}", fields(90, |at| format!("a{at}: int = 1"))), "A", "{}", sized(600, 6_000));
    assert!(!said.contains("PRL007"), "{said}");
}

#[test]
fn keys_that_no_table_of_an_array_has_are_bounded() {
    let class = format!("class A(BaseModel, extra='forbid'):\n{}", fields(sized(90, 400), |at| format!("aaaaaaaa{at}: int = 1")));
    said_of(&class, "A", "{aaaaaaab5 = 1}", sized(600, 4_000));
}

/// Each field has a copy of its type.
#[test]
fn literals_of_many_fields_are_bounded() {
    let choices = (0..sized(4_000, 20_000)).map(|at| format!("'a{at}'")).collect::<Vec<_>>().join(", ");
    let own = fields(900, |at| format!("s{at}: L = 'a1'"));
    let victim = with_module(&format!("{HEAD}L = Literal[{choices}]\nclass TrainerConfig(BaseModel):\n    n: int = 1\n{own}"));
    for words in &COMMANDS[..sized(2, COMMANDS.len())] {
        victim.look(words);
    }
    let ended = victim.look(COMMANDS[0]);
    assert!([ended.stdout, ended.stderr].concat().contains("too much work or memory"));
}

#[test]
fn classes_that_inherit_many_names_end() {
    let names = fields(sized(300, 900), |at| format!("A{at} = 'a{at}'"));
    let count = sized(300, 900);
    let classes = (0..count).map(|at| format!("class E{at}(E):\n    pass\n")).collect::<Vec<_>>().concat();
    let own = fields(count, |at| format!("s{at}: E{at} = 'a1'"));
    // What is imported last may have another `Enum`, so it is unknown what the class is.
    let head = "import enum\nfrom typing import *\nfrom pydantic import BaseModel\n";
    let victim = with_module(&format!(
        "{head}class E(enum.Enum):\n{names}{classes}class TrainerConfig(BaseModel):\n    n: int = 1\n{own}"
    ));
    victim.look(COMMANDS[0]);
}

/// For each fault, a fix is tried, which checks the whole text.
#[test]
fn faults_without_number_end() {
    let count = sized(900, 20_000);
    let keys = (0..count).map(|at| format!("weight_deca{at} = 1\n")).collect::<Vec<_>>().concat();
    let tables =
        (0..count / 3).map(|at| format!("[[orchestrator.env]]\nagrs = {{}}\nname = \"n{at}\"\n")).collect::<Vec<_>>().concat();
    for text in [
        CLEAN.replace("[trainer.optim]\n", &format!("[trainer.optim]\n{keys}")),
        CLEAN.replace("[[orchestrator.env]]\nid = \"reverse-text\"\n", &tables),
    ] {
        let victim = Victim::new(&[("rl.toml", &text)]);
        for words in ["check rl.toml", "check --fix --diff rl.toml", "migrate rl.toml --to 0.8.0 --diff"] {
            victim.look(words);
        }
    }
}

#[test]
fn keys_lines_and_environments_are_not_compared_with_each_other() {
    let count = sized(1_000, 45_000);
    let arguments = (0..count).map(|at| format!("a{at} = 1")).collect::<Vec<_>>().join(", ");
    let many = (0..count / 4)
        .map(|at| format!("[[orchestrator.env]]\nid = \"reverse-text\"\nname = \"e{at}\"\n"))
        .collect::<Vec<_>>()
        .concat();
    let one = "[[orchestrator.env]]\nid = \"reverse-text\"\n";
    for text in [CLEAN.replace(one, &format!("{one}args = {{{arguments}}}\n")), CLEAN.replace(one, &many)] {
        let victim = Victim::new(&[("rl.toml", &text), ("other.toml", CLEAN)]);
        for words in [
            "migrate rl.toml --to 0.6.0 --diff",
            "migrate rl.toml --to 0.8.0 --diff",
            "diff rl.toml other.toml",
            "fmt --diff rl.toml",
            "run preflight rl.toml",
            "compile rl.toml",
        ] {
            victim.look(words);
        }
    }
}

/// The text of a registry with a version of each of so many configs, and the texts that its digests are of.
fn registry_of(count: usize) -> (String, Vec<String>) {
    let texts: Vec<String> = (0..count).map(|at| format!("max_steps = {}\n[trainer]\n[orchestrator]\n", at + 1)).collect();
    let configs: serde_json::Map<String, Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let digest = Digest::of(text.as_bytes()).to_string();
            let version = json!({ "date": "2026-01-01", "note": "first", "sha256": digest });
            (format!("old/{at}.toml"), json!({ "current_version": "v1", "versions": { "v1": version } }))
        })
        .collect();
    (json!({ "configs": configs }).to_string(), texts)
}

#[test]
fn configs_without_files_are_looked_up_in_the_history_together() {
    let victim = Victim::new(&[]);
    let (registry, _) = registry_of(sized(300, 3_000));
    victim.write("registry.json", &registry);
    victim.commit();
    let git = Command::new("sh").args(["-c", "command -v git"]).output().expect("it runs").stdout;
    let counted = victim.at("state/started");
    let script = format!("#!/bin/sh\necho x >> '{}'\nexec {} \"$@\"\n", counted.display(), String::from_utf8_lossy(&git).trim());
    victim.program("programs/git", &script);
    let mut command = victim.command("registry adopt --dry-run");
    command.env("PATH", format!("{}:/usr/bin:/bin", victim.at("programs").display()));
    assert_eq!(victim.finish(&mut command, b"").status, Some(0));
    let started = fs::read_to_string(counted).expect("git was started").lines().count();
    assert!(started < 20, "{started}");
}

#[test]
fn many_configs_are_renamed_together() {
    let victim = Victim::new(&[]);
    let (registry, texts) = registry_of(sized(200, 2_000));
    victim.write("registry.json", &registry);
    for (at, text) in texts.iter().enumerate() {
        victim.write(&format!("old/new-{at}.toml"), text);
    }
    let ended = victim.run("registry mv");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let registry = victim.read("registry.json");
    assert!(registry.contains("old/new-0.toml") && !registry.contains("old/0.toml"), "{ended:?}");
}

#[test]
fn a_log_of_holes_is_read_in_the_time_of_its_bytes() {
    let victim = Victim::new(&[]);
    victim.write("out/logs/trainer.log", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n");
    let log = fs::OpenOptions::new().append(true).open(victim.path("out/logs/trainer.log")).expect("it is there");
    log.set_len(8 << 40).expect("a size");
    for words in ["run diagnose out", "run diagnose out/logs/trainer.log", "run watch out --once", "run report out -o out.html"] {
        let ended = victim.run(words);
        assert!(ended.status.is_some(), "{words}: {ended:?}");
    }
    assert!(victim.run("run diagnose out").stdout.contains("memory"));
}

#[test]
fn versions_and_commits_in_a_page_are_compared_once() {
    let versions = "prime-rl 0.7.0 \n".repeat(30_000);
    let commits = "prime-rl 0beef001\n".repeat(20_000);
    let victim = Victim::with_clone(&[("rl.toml", CLEAN), ("README.md", &format!("prime-rl 0.7.0\n\n{versions}{commits}"))]);
    let said = victim.look("check rl.toml");
    assert!(said.stdout.contains("for prime-rl 0.7.0"), "{said:?}");
}

#[test]
fn a_name_of_many_steps_is_looked_up_by_its_end() {
    let name = vec!["a"; sized(20_000, 50_000)].join(".");
    let keys = |key: &str| (0..sized(500, 2_000)).map(|at| format!("{key}{at} = {at}")).collect::<Vec<_>>().join("\n");
    for text in [
        format!("[\"{name}\"]\n{}", keys("k")),
        format!("[\"{}\"]\nlr = 1.0\nlearning_rate = 2.0\n", name.replace('a', "evals")),
        format!("\"{name}\" = 1\n"),
    ] {
        let victim = Victim::new(&[("rl.toml", &format!("[trainer]\n[orchestrator]\n{text}"))]);
        assert!(victim.look("check rl.toml").stdout.contains("PRL101"));
    }
}

/// Each key of a table of dotted keys moves with it.
#[test]
fn a_table_of_many_dotted_keys_moves_at_once() {
    let keys = |table: &str| (0..sized(5_000, 40_000)).map(|at| format!("{table}.a{at} = 1\n")).collect::<Vec<_>>().concat();
    let one = "[[orchestrator.env]]\nid = \"reverse-text\"\n";
    let victim = Victim::new(&[
        ("rl.toml", &CLEAN.replace(one, &format!("{one}{}", keys("args")))),
        ("misplaced.toml", &(keys("sampling.extra_body") + CLEAN)),
        ("inline.toml", &format!("sampling = {{ {} }}\n{CLEAN}", keys("extra_body").trim_end().replace('\n', ", "))),
    ]);
    assert!(victim.look("migrate rl.toml --to 0.8.0 --diff").stdout.contains("\n+legacy.args.a1 = 1\n"));
    for words in ["check misplaced.toml", "check --fix --unsafe-fixes --diff misplaced.toml", "check inline.toml"] {
        assert!(victim.look(words).status.is_some(), "{words}");
    }
}

/// Each flag of a launch is migrated as a config, with some of its values.
#[test]
fn flags_of_launches_are_migrated_up_to_a_number() {
    let migrated = |launch: &dyn Fn(usize) -> String| {
        let script = (0..1_100).map(launch).collect::<Vec<_>>().concat();
        Victim::new(&[("run.sh", &script)]).look("migrate . --to 0.8.0 --diff")
    };
    let of_a_sweep = |at| format!("uv run rl @ rl.toml --orchestrator.rollouts-per-example {at} --max-steps {at}\n");
    let ended = migrated(&of_a_sweep);
    for at in [1, 700, 1_099] {
        let new = format!("\n+uv run rl @ rl.toml --orchestrator.group-size {at} --max-steps {at}\n");
        assert!(ended.stdout.contains(&new), "{at}: {ended:?}");
    }
    assert!(!ended.stderr.contains("different flags"), "{}", ended.stderr);
    let ended = migrated(&|at| format!("uv run rl @ rl.toml --orchestrator.k{at} 1\n"));
    assert!(ended.stderr.contains("more than 1024 different flags"), "{ended:?}");
}

/// The text of a script is that of each of its launches.
#[test]
fn a_long_script_is_not_kept_for_each_of_its_launches() {
    let launches = |steps: &dyn Fn(usize) -> usize| {
        let launch = |at| format!("uv run rl @ rl.toml --max-steps {}\n", steps(at));
        (0..1_000).map(launch).collect::<Vec<_>>().concat()
    };
    let long = format!("# {}\n", "x".repeat(900_000));
    let victim = Victim::new(&[("a.sh", &(long.clone() + &launches(&|at| at + 1))), ("b.sh", &(long + &launches(&|_| 0)))]);
    for (words, status) in [("check a.sh", 0), ("check b.sh", 1), ("check .", 0)] {
        let ended = victim.finish(&mut victim.limited("ulimit -v 1200000", words.split(' ')), b"");
        assert!(ended.status >= Some(status) && ended.status <= Some(2), "{words}: {ended:?}");
    }
}
