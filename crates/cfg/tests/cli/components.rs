//! Configs of components that one command starts together: `uv run rl --trainer @ train.toml --orchestrator @ orch.toml`.

use super::Folder;

const TRAIN: &str = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-4B\"\n[optim]\nlr = 1e-6\n";
const ORCH: &str = "max_steps = 50\nbatch_size = 32\nrollouts_per_example = 8\n[model]\nname = \"Qwen/Qwen3-4B\"\n\
                    [sampling]\nmax_tokens = 512\n[[env]]\nid = \"reverse-text\"\n";
const INFER: &str = "[model]\nname = \"Qwen/Qwen3-4B\"\nenforce_eager = true\n";
const LAUNCH: &str = "uv run rl --trainer @ train.toml --orchestrator @ orch.toml --inference @ infer.toml";

#[test]
fn what_prime_rl_refuses_of_components_together_is_found_with_their_files() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("train.toml", TRAIN),
        ("orch.toml", ORCH),
        ("infer.toml", INFER),
    ]);
    // Without a command, the files may be of one run: that they don't agree is a warning.
    assert_eq!(folder.found("train.toml"), ["train.toml:1:13: warning[PRL341]"]);
    folder.write("run.sh", format!("{LAUNCH}\n").as_bytes());
    for words in ["", "train.toml", "run.sh"] {
        assert_eq!(folder.found(words), ["train.toml:1:13: error[PRL202]"], "{words}");
    }
    folder.write("train.toml", TRAIN.replace("100", "50").as_bytes());
    assert_eq!(folder.found(""), [""; 0]);
    // A flag replaces what it names.
    folder.write("run.sh", format!("{LAUNCH} --max-steps 7\n").as_bytes());
    assert_eq!(folder.found(""), [""; 0]);
    // So is what it refuses of the command, with the first of the files.
    folder.write("run.sh", format!("{LAUNCH} --bogus 3\n").as_bytes());
    for words in ["", "train.toml", "orch.toml", "run.sh"] {
        assert_eq!(folder.found(words), ["run.sh:1:86: error[PRL018]"], "{words}");
    }
    // For which prime-rl they are judged is said once.
    folder.write("cfg.toml", b"");
    folder.write("run.sh", format!("{LAUNCH}\n").as_bytes());
    let all = folder.run("check").stdout;
    assert!(all.contains("3 configs state no prime-rl, and were checked for one") && !all.contains("run.sh"), "{all}");
    folder.write("cfg.toml", b"target = \"0.4.0\"\n");
    // What is wrong in one file stays what it is.
    folder.write("run.sh", format!("{LAUNCH}\n").as_bytes());
    folder.write("orch.toml", ORCH.replace("batch_size", "batch_sise").as_bytes());
    for words in ["", "orch.toml"] {
        assert_eq!(folder.found(words), ["orch.toml:2:1: error[PRL101]"], "{words}");
    }
}

#[test]
fn a_config_with_the_name_and_the_keys_of_a_run_is_what_it_is_passed_for() {
    let usage = "# uv run rl \\\n#   --trainer @ rl.toml \\\n#   --orchestrator @ orch.toml \\\n#   --inference @ infer.toml\n";
    let rl = format!("{usage}max_steps = 50\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen3-4B\"\n[trainer.optim]\nlr = 1e-6\n");
    let folder =
        Folder::repository(&[("cfg.toml", "target = \"0.4.0\"\n"), ("rl.toml", &rl), ("orch.toml", ORCH), ("infer.toml", INFER)]);
    let refused = ["rl.toml:6:1: error[PRL112]", "rl.toml:9:2: error[PRL101]"];
    for words in ["", "rl.toml", "orch.toml"] {
        assert_eq!(folder.found(words), refused, "{words}");
    }
    let plan = folder.run("plan rl.toml");
    assert!(plan.status == Some(1) && plan.stderr.contains("a trainer config has no key `seq_len`"), "{plan:?}");
    // It is migrated as that, and the others are not read as if it overrode them.
    let one = folder.run("migrate rl.toml --to 0.8.0");
    assert!(one.status == Some(1) && one.stdout.contains("rl.toml: a trainer config, from prime-rl 0.4.0 to 0.8.0"), "{one:?}");
    let all = folder.run("migrate . --to 0.8.0").stdout;
    assert!(all.contains("Refused by prime-rl 0.8.0, see `cfg check`: 2 errors\n  rl.toml:6:"), "{all}");
    assert!(!all.contains("an rl config has no key"), "{all}");
}

/// The files of the components are often named alike, each in the folder of its component.
#[test]
fn components_are_told_apart_by_their_folders() {
    let launch = "uv run rl --trainer @ configs/trainer/math/1b.toml --orchestrator @ configs/orchestrator/math/1b.toml --inference @ infer.toml";
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("configs/trainer/math/1b.toml", &TRAIN.replace("100", "50")),
        ("configs/orchestrator/math/1b.toml", &format!("{ORCH}unheard_of = 3\n")),
        ("infer.toml", INFER),
        ("README.md", &format!("```sh\n{launch}\n```\n")),
    ]);
    let own = "configs/orchestrator/math/1b.toml";
    for words in ["", own] {
        assert_eq!(folder.found(words), [format!("{own}:10:1: error[PRL101]")], "{words}");
    }
}
