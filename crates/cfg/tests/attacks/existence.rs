//! The output does not reveal whether a file outside the repository exists: for a path that leads outside, it is the same in both cases.

use std::fs;

use crate::{
    sized::sized,
    victim::{Victim, formats},
};

/// Pairs of paths in a config that lead outside: to an existing and to a missing file. Both have the same length, so that locations are the same.
const PATHS: [(&str, &str); 9] = [
    ("../outside/secret.toml", "../outside/absent.toml"),
    ("OUTSIDE/secret.toml", "OUTSIDE/absent.toml"),
    ("OUTSIDE/folder/secret.toml", "OUTSIDE/absent/secret.toml"),
    ("OUTSIDE/secret.toml/x.toml", "OUTSIDE/absent.toml/x.toml"),
    ("leads.toml", "empty.toml"),
    ("linked/secret.toml", "linked/absent.toml"),
    ("twice.toml", "noned.toml"),
    // A path that leads outside and back: it is valid only if the folder outside exists.
    ("../outside/folder/../../clone/near.toml", "../outside/absent/../../clone/near.toml"),
    ("linked/../folder/../../clone/near.toml", "linked/../absent/../../clone/near.toml"),
];

fn victim() -> Victim {
    let victim = Victim::new(&[("near.toml", "[trainer]\n")]);
    victim.leak("leads.toml", "outside/secret.toml");
    victim.leak("empty.toml", "outside/absent.toml");
    victim.leak("linked", "outside/folder");
    victim.link("twice.toml", "leads.toml");
    victim.link("noned.toml", "empty.toml");
    victim
}

/// The output of commands for a repository, with the path removed.
fn said(victim: &Victim, commands: &[String], path: &str) -> Vec<String> {
    let run = |words: &String| {
        let ended = victim.look(words);
        let said = format!("{words}: {:?}\n{}{}", ended.status, ended.stdout, ended.stderr);
        said.replace(path, "PATH").replace(path.trim_end_matches(".toml"), "PATH")
    };
    commands.iter().map(run).collect()
}

/// Compares the outputs for each pair of paths, in a file of this name whose text is made from the path.
#[track_caller]
fn compare(name: &str, text: impl Fn(&str) -> String, commands: &[String]) {
    let victim = victim();
    let outside = victim.at("outside").display().to_string();
    for (there, nothing) in PATHS {
        let [there, nothing] = [there, nothing].map(|path| path.replace("OUTSIDE", &outside));
        let [with, without] = [there, nothing].map(|path| {
            victim.write(name, &text(&path));
            said(&victim, commands, &path)
        });
        for (with, without) in with.iter().zip(&without) {
            assert_eq!(with, without);
        }
    }
}

#[test]
fn the_existence_of_included_files_is_not_revealed() {
    // In these formats, the fingerprints of findings depend on the path.
    let formats = formats().iter().filter(|format| !matches!(**format, "gitlab" | "sarif"));
    let mut commands: Vec<String> = formats.map(|format| format!("check --format {format} rl.toml")).collect();
    let others =
        ["check -- uv run rl @ rl.toml", "compile rl.toml", "memory rl.toml --gpu H100", "plan rl.toml", "run launch rl.toml"];
    commands.extend(others[..sized(2, others.len())].iter().map(ToString::to_string));
    let text = |path: &str| format!("toml_files = [\"{path}\"]\n[trainer]\n[orchestrator]\n");
    compare("rl.toml", text, &commands);
}

#[test]
fn the_existence_of_endpoint_registries_is_not_revealed() {
    let text = |path: &str| format!("endpoints_path = \"{path}\"\n[[eval]]\nenv_id = \"x\"\nendpoint_id = \"a\"\n");
    compare("eval.toml", text, &["check eval.toml".to_owned(), "check --format json eval.toml".to_owned()]);
}

#[test]
fn the_existence_of_files_in_a_header_is_not_revealed() {
    let commands = ["check rl.toml", "bump rl.toml -m x", "log rl.toml", "check --format json rl.toml"].map(str::to_owned);
    let clean = crate::victim::CLEAN;
    let head = |key: &'static str| move |path: &str| format!("# /// config\n# {key} = \"{path}:v1\"\n# ///\n{clean}");
    let commands = &commands[..sized(2, commands.len())];
    compare("rl.toml", head("based_on"), commands);
    compare("rl.toml", head("same_as"), commands);
}

#[test]
fn the_existence_of_templates_is_not_revealed() {
    let commands = ["check rl.toml", "check --format json rl.toml"].map(str::to_owned);
    let head = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n[trainer]\n[orchestrator]\n";
    compare("rl.toml", |path| format!("{head}[inference.model]\nchat_template = \"{path}\"\n"), &commands);
    compare("rl.toml", |path| format!("{head}[slurm]\ntemplate_path = \"{path}\"\n"), &commands);
    compare("rl.toml", |path| format!("{head}[slurm]\ntemplate_path = \"{path}/x.j2\"\n"), &commands);
}

#[test]
fn the_existence_of_files_with_variables_is_not_revealed() {
    let commands = ["check rl.toml", "check --format json rl.toml"].map(str::to_owned);
    let text = |path: &str| {
        format!("model = \"Qwen/Qwen3-4B\"\nenv_files = [\"{path}\"]\n[[env]]\nid = \"primeintellect/alphabet-sort\"\n")
    };
    compare("rl.toml", text, &commands);
}

#[test]
fn the_existence_of_launched_files_is_not_revealed() {
    let commands = ["check run.sh", "check near.toml", "check --format json run.sh near.toml"].map(str::to_owned);
    compare("run.sh", |path| format!("uv run rl @ near.toml @ {path}\n"), &commands);
}

#[test]
fn the_existence_of_files_in_settings_is_not_revealed() {
    let commands = ["check rl.toml", "check --format json rl.toml"].map(str::to_owned);
    compare("cfg.toml", |path| format!("target = \"0.4.0\"\n[[group]]\ntrainer = \"{path}\"\n"), &commands);
    let folder = |path: &str| path.trim_end_matches(".toml").to_owned();
    compare("cfg.toml", |path| format!("target = \"path:{}\"\n", folder(path)), &commands);
}

#[test]
fn the_existence_of_registered_files_is_not_revealed() {
    let commands = ["registry verify", "registry verify --format json", "registry list"].map(str::to_owned);
    let text = |path: &str| {
        let version = r#"{"current_version": "v1", "versions": {"v1": {"created": "2026-01-05", "notes": "x"}}}"#;
        format!("{{\"configs\": {{\"{path}\": {version}}}}}")
    };
    compare("registry.json", text, &commands);
}

#[test]
fn a_link_to_settings_or_a_registry() {
    let said = |name: &str, to: &str| {
        let victim = victim();
        if victim.path(name).exists() {
            fs::remove_file(victim.path(name)).expect("it is removed");
        }
        victim.leak(name, to);
        let commands = ["check rl.toml", "check --format json rl.toml", "registry verify"].map(str::to_owned);
        let folder = victim.at("").display().to_string();
        said(&victim, &commands, to).into_iter().map(|said| said.replace(&folder, "")).collect::<Vec<_>>()
    };
    for name in ["cfg.toml", "registry.json", "pyproject.toml", "uv.lock"] {
        assert_eq!(said(name, "outside/secret.toml"), said(name, "outside/absent.toml"), "{name}");
    }
}

#[test]
fn the_existence_of_link_targets_is_not_revealed() {
    for format in formats().iter().filter(|format| !matches!(**format, "gitlab" | "sarif")) {
        let ended = victim().look(&format!("check --format {format} ."));
        let lines = |name: &str| -> Vec<String> {
            let lines = ended.stdout.lines().chain(ended.stderr.lines()).filter(|line| line.contains(name));
            lines.map(|line| line.trim_end_matches(',').replace(name, "LINK")).collect()
        };
        assert_eq!(lines("leads.toml"), lines("empty.toml"), "{format}: {ended:?}");
        assert_eq!(lines("twice.toml"), lines("noned.toml"), "{format}: {ended:?}");
    }
}

/// A comment of a config, or a script, may name any file of Python as the program that reads it.
#[test]
fn programs_outside_the_project_are_not_read() {
    let class = "import sys, tomllib\nfrom pydantic import BaseModel\nclass Config(BaseModel):\n    secret_field: int\n\
                 print(Config(**tomllib.load(open(sys.argv[1], 'rb'))))\n";
    let victim = Victim::new(&[("pyproject.toml", "[project]\nname = \"x\"\n")]);
    fs::create_dir_all(victim.at("outside")).expect("a folder");
    fs::write(victim.at("outside/train.py"), class).expect("a file");
    victim.leak("linked", "outside");
    let outside = victim.at("outside").display().to_string();
    let modules = [format!("-m {outside}/train"), "-m ../outside/train".to_owned(), "-m linked.train".to_owned()];
    let files = [format!("{outside}/train.py"), "../outside/train.py".to_owned(), "linked/train.py".to_owned()];
    for program in modules.iter().chain(&files) {
        let said = |program: &str| {
            victim.write("c.toml", &format!("# python {program} @ c.toml\nsecret_feild = 3\nother = 1\n"));
            let all = ["check .", "check c.toml", "check -v c.toml"].map(|words| victim.look(words));
            all.map(|ended| (ended.status, (ended.stdout + &ended.stderr).replace(program, "PROGRAM")))
        };
        let found = said(program);
        assert!(found.iter().all(|(_, said)| !said.contains("secret_field")), "{program}: {found:?}");
        assert_eq!(found, said(&program.replace("train", "trayn")), "{program}");
    }
}
