//! If nothing states a prime-rl, every command names the same one as `check` for the same file, and none passes over what `check` refuses.

use std::process::Stdio;

use serde_json::Value;

use super::Folder;

const NEW: &str = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer.optim]\nlr = 1e-6\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n\
                   [[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n[inference]\n";

const OLD: &str = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n\
                   [[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";

const SFT: &str = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[data]\nname = \"PrimeIntellect/Reverse-Text-SFT\"\nseq_len = 4096\n\
                   batch_size = 32\n[optim]\nlr = 1e-5\n";

const LR: &str = "[trainer.optim]\nlr = 1e-5\n";

/// A folder, and one of its files.
struct Case {
    name: &'static str,
    files: Vec<(&'static str, String)>,
    file: &'static str,
    /// The day on which all files were committed; without one, the folder is no repository.
    day: Option<&'static str>,
    /// The commands that answer something else, for a reason that they tell.
    except: &'static [&'static str],
    /// The prime-rl, and whether it refuses the file.
    expected: (&'static str, bool),
}

/// A folder that is no repository.
fn case(name: &'static str, files: &[(&'static str, &str)], expected: (&'static str, bool)) -> Case {
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    Case { name, file: files[0].0, files, day: None, except: &[], expected }
}

fn cases() -> Vec<Case> {
    let misspelt = OLD.replace("batch_size = 64", "batch_sise = 3\nbatch_size = 64");
    let env = "[[orchestrator.train.source]]\nname = \"x\"\nenv.taskset.id = \"gsm8k\"\n";
    let stale = NEW.replace("[inference]", "[orchestrator.sampling]\nmax_tokens = 3\n[inference]");
    let ahead = NEW.replace("[trainer.optim]", "[trainer.loss]\neps = 0.2\n[trainer.optim]");
    let flags = "uv run rl @ rl.toml --max-steps 7 --model.name Qwen/Qwen3-4B\n";
    let over = "toml_files = [\"base.toml\"]\nmax_steps = 10\n";
    let launched = "uv run rl @ base.toml @ over.toml\n";
    let day = Some("2026-08-15");
    // A part is compiled with its base, which is named.
    let part: &[&str] = &["compile"];
    vec![
        case("new", &[("rl.toml", NEW)], ("0.8.0", false)),
        case("old", &[("rl.toml", OLD)], ("0.7.0", false)),
        case("misspelt", &[("rl.toml", &misspelt), ("other/rl.toml", NEW)], ("0.7.0", true)),
        case("misspelt and new", &[("rl.toml", &NEW.replace("group_size", "group_sise"))], ("0.8.0", true)),
        Case { except: part, ..case("part of an old one", &[("lr.toml", LR), ("base.toml", OLD)], ("0.7.0", false)) },
        Case {
            // To migrate the base as well mends it.
            except: &["compile", "migrate ."],
            ..case("new part of an old one", &[("env.toml", env), ("base.toml", OLD)], ("0.8.0", true))
        },
        Case { except: part, ..case("part of a refused one", &[("lr.toml", LR), ("base.toml", &misspelt)], ("0.7.0", true)) },
        // Who migrates a text means that it is old, which a single key shows.
        Case { except: &["migrate"], ..case("a stale table", &[("rl.toml", &stale)], ("0.8.0", true)) },
        case("beside a stale table", &[("rl.toml", NEW), ("other.toml", &stale)], ("0.8.0", false)),
        case("included", &[("base.toml", OLD), ("over.toml", over)], ("0.4.0", false)),
        Case { day: Some("2026-01-05"), ..case("of a day", &[("sft.toml", SFT)], ("0.2", false)) },
        Case { day, ..case("with flags", &[("rl.toml", NEW), ("run.sh", flags)], ("0.8.0", false)) },
        Case {
            day,
            ..case(
                "with refused flags",
                &[("rl.toml", NEW), ("run.sh", "uv run rl @ rl.toml --orchestrator.group_sise 3\n")],
                ("0.8.0", true),
            )
        },
        Case {
            day,
            except: part,
            ..case(
                "refused part of a launch",
                &[("over.toml", "[orchestrator]\ngroup_sise = 3\n"), ("base.toml", NEW), ("run.sh", launched)],
                ("0.8.0", true),
            )
        },
        // No text can be migrated to an older prime-rl, and its values are not known.
        Case { except: &["compile", "migrate"], ..case("ahead", &[("rl.toml", &ahead)], ("main", false)) },
        Case {
            except: &["migrate"],
            ..case("beside one that is ahead", &[("rl.toml", NEW), ("b.toml", &ahead)], ("main", false))
        },
    ]
}

fn made(case: &Case) -> Folder {
    let files: Vec<(&str, &str)> = case.files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let Some(day) = case.day else { return Folder::new(&files) };
    let folder = Folder::repository(&files);
    let at = format!("{day}T12:00:00Z");
    for words in [&["add", "-A"][..], &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"]] {
        let mut git = folder.program("git");
        git.args(words).env("GIT_AUTHOR_DATE", &at).env("GIT_COMMITTER_DATE", &at).stderr(Stdio::inherit());
        assert!(git.status().is_ok_and(|status| status.success()), "{words:?}");
    }
    folder
}

/// The prime-rl that a command names, if it names one, and whether it says that prime-rl refuses the file.
fn answer(folder: &Folder, command: &str, file: &str) -> (Option<String>, bool) {
    let words = match command {
        "memory" | "estimate" => format!("{command} {file} --gpu 2xH100 --format json"),
        "migrate ." => "migrate . --format json".to_owned(),
        "diff" => format!("diff {file} {file} --format json"),
        "compile" => format!("compile {file}"),
        _ => format!("{command} {file} --format json"),
    };
    let ended = folder.run(&words);
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let is_refused = ended.status == Some(1);
    match command {
        "check" => (text(&document["files"][0]["target"]), is_refused),
        "memory" | "plan" | "estimate" => (text(&document["identity"]["target"]), is_refused && document["identity"].is_null()),
        "migrate" => (text(&document["from"]), is_refused),
        "migrate ." => {
            let config = document["configs"].as_array().into_iter().flatten().find(|config| config["path"] == file);
            let from = config.and_then(|config| text(&config["from"]));
            // What is to be decided is no refusal.
            (from, document["refused"].as_array().is_some_and(|refused| !refused.is_empty()) && is_refused)
        }
        "diff" => (text(&document["one"]["target"]), ended.stderr.contains("has errors")),
        "compile" => {
            let first = ended.stdout.lines().next().and_then(|line| line.rsplit_once("prime-rl "));
            (first.map(|(_, target)| target.to_owned()), is_refused)
        }
        _ => unreachable!("{command}"),
    }
}

#[test]
fn every_command_names_the_prime_rl_of_check_and_its_refusals() {
    let mut faults: Vec<String> = Vec::new();
    for case in cases() {
        let folder = made(&case);
        let (target, is_refused) = answer(&folder, "check", case.file);
        assert_eq!((target.as_deref(), is_refused), (Some(case.expected.0), case.expected.1), "{}", case.name);
        for command in ["memory", "plan", "estimate", "migrate", "migrate .", "diff", "compile"] {
            let is_excepted = |except: &&str| *except == command || *except == "migrate" && command == "migrate .";
            if case.except.iter().any(is_excepted) {
                continue;
            }
            let (named, refuses) = answer(&folder, command, case.file);
            // The flags of a script are not those of the file alone.
            let is_of_flags = command == "diff" && case.name == "with refused flags";
            if named.is_some() && named != target || named.is_none() && !is_refused || refuses != is_refused && !is_of_flags {
                faults.push(format!("{}: {command}: {named:?}, refused: {refuses}; {target:?}, {is_refused}", case.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_flags_of_a_script_are_counted_or_told() {
    let folder = Folder::repository(&[("rl.toml", NEW), ("run.sh", "uv run rl @ rl.toml --max-steps 7\n")]);
    let launch = folder.run("run launch rl.toml");
    assert!(launch.stdout.contains("\nuv run rl @ rl.toml --max-steps 7"), "{launch:?}");
    assert!(folder.run("run preflight rl.toml").stderr.contains("rl.toml is read as run.sh:1 starts it"), "preflight counts it");
    assert!(!folder.run("sweep rl.toml trainer.optim.lr=1e-6,1e-5").stderr.contains("run.sh:1"), "a variant has no flags");
    for command in ["memory", "plan", "estimate", "compile"] {
        let ended = folder.run(&format!("{command} rl.toml"));
        let told = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("rl.toml is read as run.sh:1 starts it, with `--max-steps 7`"), "{command}: {ended:?}");
    }
    assert!(folder.run("compile rl.toml").stdout.contains("max_steps = 7"));
    assert!(folder.run("compile rl.toml --kind rl").stdout.contains("max_steps = 20"));
    let plan: Value = serde_json::from_str(&folder.run("plan rl.toml --format json").stdout).expect("JSON");
    assert!(plan["identity"]["started"].as_str().is_some_and(|words| words.contains("run.sh:1")), "{plan:#}");
    // Of several, none is taken.
    folder.write("run.sh", b"uv run rl @ rl.toml --max-steps 7\nuv run rl @ rl.toml --max-steps 9\n");
    let ended = folder.run("compile rl.toml");
    let told = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("run.sh:1 and run.sh:2 start rl.toml with different flags or files, which are not counted"),
        "{ended:?}"
    );
    assert!(ended.stdout.contains("max_steps = 20"), "{ended:?}");
    folder.write("run.sh", b"uv run rl @ rl.toml --max-steps 7\nuv run rl @ rl.toml --max-stepz 9\n");
    let ended = folder.run("plan rl.toml");
    assert!(ended.stderr.contains("prime-rl refuses run.sh:2, see `cfg check rl.toml`"), "{ended:?}");
    let ended = folder.run("migrate rl.toml");
    assert!(ended.status == Some(1) && ended.stdout.contains("run.sh:2: "), "{ended:?}");
    // Nor one with a value that only the shell knows.
    folder.write("run.sh", b"uv run rl @ rl.toml --max-steps $STEPS\n");
    let ended = folder.run("plan rl.toml");
    assert!(ended.status == Some(0) && ended.stderr.contains("not counted"), "{ended:?}");
    // One that starts it as it is says all.
    folder.write("run.sh", b"uv run rl @ rl.toml\nuv run rl @ rl.toml --max-steps 9\n");
    assert_eq!(folder.run("plan rl.toml").stderr, "");
}

#[test]
fn init_states_no_other_prime_rl_than_check_assumes() {
    let case = Case { day: Some("2026-01-05"), ..case("of a day", &[("sft.toml", SFT)], ("0.2", false)) };
    let folder = made(&case);
    let ended = folder.run("init --no-hook --yes");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(answer(&folder, "check", "sft.toml").0.as_deref(), Some("0.2"));
}

#[test]
fn what_cant_be_resolved_is_named() {
    let ahead = NEW.replace("[trainer.optim]", "[trainer.loss]\neps = 0.2\n[trainer.optim]");
    let folder = Folder::new(&[("rl.toml", &ahead)]);
    let ended = folder.run("compile rl.toml");
    let told = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        ended.status == Some(1) && told.contains("this cfg does not know what a newer prime-rl does with `trainer.loss.eps`"),
        "{ended:?}"
    );
}

/// The flags of a config that is migrated are those of the new prime-rl, which the next run looks at.
#[test]
fn a_config_with_flags_in_a_script_is_migrated_once() {
    let script = "uv run rl @ rl.toml --orchestrator.rollouts-per-example 4\n";
    let folder = Folder::repository(&[("cfg.toml", "target = \"0.4.0\"\n"), ("rl.toml", OLD), ("run.sh", script)]);
    let ended = folder.run("migrate . --to 0.8.0 --write");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(std::fs::read_to_string(folder.path().join("run.sh")).is_ok_and(|text| text.contains("--orchestrator.group-size 4")));
    for words in ["migrate . --to 0.8.0", "migrate . --to 0.8.0 --check", "migrate rl.toml --to 0.8.0"] {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(0), "{words}: {ended:?}");
    }
    folder.write("run.sh", script.as_bytes());
    folder.write("rl.toml", NEW.as_bytes());
    assert_eq!(folder.run("migrate rl.toml --to 0.8.0").status, Some(1), "its flag is refused");
}
