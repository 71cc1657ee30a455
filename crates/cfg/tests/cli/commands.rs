//! `cfg check -- COMMAND`: commands as people write them, and the files that they name.

use super::{Ended, Folder, finish};

const WRONG: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\nmax_steps = 5\n[trainer]\n[orchestrator]\nmax_stepps = 3\n";

/// `cfg check` with these words, in a folder below.
fn check<S: AsRef<std::ffi::OsStr>>(folder: &Folder, start: &str, words: &[S]) -> Ended {
    let mut cfg = folder.command("check --format concise");
    finish(cfg.args(words).current_dir(folder.path().join(start)), b"")
}

/// The findings of a command, each as its place, severity and code, and the exit status.
fn found(folder: &Folder, line: &str) -> (Vec<String>, Option<i32>) {
    let ended = check(folder, "", &[vec!["--".to_owned()], words(line)].concat());
    let lines = ended.stdout.lines().filter(|line| line.contains("[PRL"));
    let found = lines.map(|line| line.split_once(']').map_or(line, |(place, _)| place).to_owned() + "]").collect();
    (found, ended.status)
}

/// The words of a line, with those in `[...]` as one.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split(['[', ']']).enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn the_launch_is_found_in_what_is_around_it() {
    let folder = Folder::new(&[("x.toml", WRONG), ("sub/x.toml", WRONG), ("sub/deep/other.txt", "")]);
    let here = "x.toml:7:1: error[PRL101]";
    let below = "sub/x.toml:7:1: error[PRL101]";
    for (line, wanted) in [
        ("./guard.sh rl 20G uv run rl @ x.toml", here),
        ("./guard.sh rl --mem 20G -- uv run rl @ x.toml --wandb.group sft", here),
        ("sbatch --wrap [uv run rl @ x.toml]", here),
        ("sbatch [--wrap=source ~/.bashrc; cd sub && uv run rl @ x.toml] --gres=gpu:8", below),
        ("[uv run rl @ x.toml]", here),
        ("[nohup uv run rl @ x.toml > log 2>&1 &]", here),
        ("nohup uv run rl @ x.toml > log 2>&1 &", here),
        ("uv run rl @ x.toml |& tee log", here),
        ("uv run rl @ x.toml \\", here),
        ("bash -lc [cd sub; uv run rl @ x.toml --max-steps 5]", below),
        ("ssh -t host [bash -lc 'cd prime-rl && uv run rl @ x.toml']", here),
        ("srun --gpus=8 --container-image=image --job-name sft uv run rl @ x.toml", here),
        ("tmux send-keys -t s [uv run rl @ x.toml] Enter", here),
        ("tmux new-session -d -s sft uv run rl @ x.toml C-m", here),
        ("screen -dmS rl uv run rl @ x.toml", here),
        ("screen -S s -X stuff [uv run rl @ x.toml\\n]", here),
        ("docker run --gpus all -e A=1 -w /app image uv run rl @ x.toml", here),
        ("docker compose exec service bash -c [uv run rl @ x.toml]", here),
        ("kubectl exec -it pod -- uv run rl @ x.toml", here),
        ("env A=b timeout 3h nice -n 5 uv run rl @ x.toml", here),
        ("uv run --project ../prime-rl rl @ x.toml", here),
        ("uv run --directory sub rl @ x.toml", below),
        ("cd sub/deep && uv run rl @ ../x.toml", below),
        ("[source .venv/bin/activate && rl @ x.toml]", here),
        ("python -m prime_rl.entrypoints.rl @ x.toml", here),
        ("sudo -E -u sft conda run -n eval rl @ x.toml", here),
        ("watch -n 60 [uv run rl @ x.toml]", here),
        ("script -q -c [time uv run rl @ x.toml] log", here),
        ("parallel uv run rl @ {} ::: x.toml", here),
        ("parallel ::: [uv run rl @ x.toml]", here),
        ("[echo 'uv run eval @ y.toml'; uv run rl @ x.toml; echo 'uv run sft @ z.toml']", here),
        ("[CONFIG=sub/x.toml; uv run rl @ $CONFIG --output-dir \"$OUT\"]", below),
        ("at now <<< [uv run rl @ x.toml]", here),
        ("docker compose exec rl uv run rl @ x.toml", here),
        ("kubectl exec deploy/rl -c sft -- sh -c [uv run rl @ x.toml]", here),
        ("bash -c [exec uv run rl @ x.toml --max-steps $N --seed=$S \"$@\"] -- --max-steps 5", here),
        ("(cd sub && uv run rl @ x.toml)", below),
        ("[> uv run rl @ x.toml]", here),
    ] {
        let (all, status) = found(&folder, line);
        assert_eq!((all.join(", "), status), (wanted.to_owned(), Some(1)), "{line}");
    }
}

#[test]
fn a_command_without_a_launch_has_one_finding() {
    let script = "#!/bin/sh\nsrun uv run rl @ x.toml\n";
    let folder = Folder::new(&[("x.toml", WRONG), ("job.sh", script)]);
    for (line, help) in [
        ("ls", "uv run rl @ FILE.toml"),
        ("bash run.sh", "uv run rl @ FILE.toml"),
        ("x.toml", "cfg check x.toml"),
        ("sbatch job.sh", "uv run rl @ x.toml"),
        ("[cd sub && make train]", "uv run rl @ FILE.toml"),
        ("docker run image", "uv run rl @ FILE.toml"),
        ("docker compose exec rl", "uv run rl @ FILE.toml"),
        ("python train.py --config x.toml", "cfg check x.toml"),
        ("accelerate launch --config_file acc.yaml train.py", "uv run rl @ FILE.toml"),
    ] {
        let ended = check(&folder, "", &[vec!["--".to_owned()], words(line)].concat());
        assert_eq!(ended.stdout.matches("[PRL").count(), 1, "{line}: {ended:?}");
        assert!(ended.status == Some(1) && ended.stdout.contains("<command line>:1:1: error[PRL018]"), "{line}: {ended:?}");
        assert!(ended.stdout.contains(help), "{line}: {ended:?}");
    }
    for line in ["uv run rl --config x.toml", "uv run rl --config=x.toml", "uv run rl x.toml"] {
        let ended = check(&folder, "", &[vec!["--".to_owned()], words(line)].concat());
        assert!(ended.stdout.matches("[PRL").count() == 1 && ended.stdout.contains("`@ x.toml`"), "{line}: {ended:?}");
    }
    let (all, status) = found(&folder, "parallel uv run rl @ {} ::: x.toml y.toml");
    assert_eq!((all, status), (vec!["<command line>:1:23: error[PRL007]".to_owned()], Some(2)));
}

#[test]
fn files_are_read_wherever_they_are_with_the_settings_around_them() {
    let config = WRONG.replace("# prime_rl = \"0.8.0\"\n", "");
    let settings = "target = \"0.7.0\"\n[lint]\nignore = [\"PRL101\"]\n";
    let folder = Folder::new(&[
        ("here/z.toml", ""),
        ("project/cfg.toml", settings),
        ("project/a/x.toml", &config),
        ("plain/x.toml", &config),
    ]);
    let path = |below: &str| folder.path().join(below).to_string_lossy().into_owned();
    let (with, without) = (path("project/a/x.toml"), path("plain/x.toml"));
    for start in ["here", "project", "plain", "project/a"] {
        let run = |words: &[&str]| {
            let ended = check(&folder, start, words);
            let count = ended.stdout.matches("error[").count();
            (count, ended.stdout.contains("0.7.0"))
        };
        assert_eq!(run(&["--", "uv", "run", "rl", "@", &with]), (0, true), "{start}");
        assert_eq!(run(&[&with]), (0, true), "{start}");
        assert_eq!(run(&["--", "sbatch", &format!("--wrap=uv run rl @ {with}")]), (0, true), "{start}");
        assert_eq!(run(&["--", "uv", "run", "rl", "@", &without]), (1, false), "{start}");
        assert_eq!(run(&[&without]), (1, false), "{start}");
        let relative = if start == "project/a" { "../../plain/x.toml" } else { "../plain/x.toml" };
        assert_eq!(run(&["--", "uv", "run", "rl", "@", relative]), (1, false), "{start}");
    }
}

#[test]
fn a_missing_path_is_one_error_at_its_word() {
    let folder = Folder::new(&[("configs/rl_small.toml", WRONG), ("cfg.toml", "")]);
    for (line, place, near) in [
        ("uv run rl @ configs/rl-smal.toml --max-steps many --nothing 3", "1:13", Some("configs/rl_small.toml")),
        ("uv run rl @ configs/rl_small.toml @ missing.toml", "1:37", None),
        ("uv run rl --trainer @ configs/rl_smalll.toml", "1:23", Some("configs/rl_small.toml")),
        ("./start.sh @ missing.toml", "1:14", None),
        ("sbatch [--wrap=cd configs && uv run rl @ rl_smal.toml]", "1:42", None),
        ("prime train missing.toml", "1:13", None),
        ("uv run rl @ nowhere/at/all.toml", "1:13", None),
    ] {
        let (all, status) = found(&folder, line);
        assert_eq!((all.join(", "), status), (format!("<command line>:{place}: error[PRL007]"), Some(2)), "{line}");
        let ended = check(&folder, "", &[vec!["--".to_owned()], words(line)].concat());
        assert_eq!(near.is_some(), near.is_some_and(|near| ended.stdout.contains(near)), "{ended:?}");
    }
    let ended = folder.run("check configs/rl_smal.toml");
    assert!(ended.status == Some(2) && ended.stdout.contains("`configs/rl_small.toml`"), "{ended:?}");
    for command in ["compile", "run preflight"] {
        let ended = folder.run(&format!("{command} -- uv run rl @ missing.toml"));
        assert_eq!((ended.status, ended.stderr.matches("PRL007").count()), (Some(2), 1), "{ended:?}");
    }
}

#[test]
fn of_several_runs_in_a_command_the_unchecked_ones_are_named() {
    let folder =
        Folder::new(&[("x.toml", "[trainer]\n[orchestrator]\n"), ("y.toml", "[trainer]\n[orchestrator]\nnonsense = 1\n")]);
    let ended = check(&folder, "", &["--target", "0.5.0", "--", "uv run rl @ y.toml && uv run rl @ x.toml"]);
    assert_eq!((ended.status, ended.stdout.matches("warning[PRL018]").count()), (Some(0), 1), "{ended:?}");
    assert!(ended.stdout.contains("not `uv run rl @ y.toml`"), "{ended:?}");
}

#[test]
fn a_script_may_go_to_a_folder_beside_its_own() {
    let config = "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = Folder::repository(&[("cfg.toml", "target = \"0.4.0\"\n"), ("b/configs/rl.toml", config), ("jobs/x.txt", "")]);
    for (line, file) in [
        ("cd \"$(dirname \"$0\")/..\"", "b/configs/rl.toml"),
        ("cd \"$(dirname \"$0\")/../b\"", "configs/rl.toml"),
        ("cd $(dirname $0)/../b", "configs/rl.toml"),
        ("cd \"$(dirname \"${BASH_SOURCE[0]}\")/../b\"", "configs/rl.toml"),
        ("cd \"$(git rev-parse --show-toplevel)/b\"", "configs/rl.toml"),
        ("HERE=$(cd \"$(dirname \"$0\")\" && pwd); cd \"$HERE/../b\"", "configs/rl.toml"),
        ("cd x; cd \"$ROOT/b\"", "configs/rl.toml"),
        ("cd \"$ELSEWHERE\"", "b/configs/rl.toml"),
    ] {
        folder.write("jobs/run.sh", format!("{line}\nuv run rl @ {file} --max-stepz 3\n").as_bytes());
        for words in ["", "jobs/run.sh", "b/configs/rl.toml"] {
            let ended = folder.run(&format!("check --format concise {words}"));
            assert!(ended.status == Some(1) && ended.stdout.starts_with("jobs/run.sh:2:"), "{line}: {words}: {ended:?}");
        }
    }
    // That nothing was found is not that nothing was checked.
    folder.write("jobs/run.sh", b"cd \"$(dirname \"$0\")/../b\"\nuv run rl @ configs/rl.toml --max-steps 3\n");
    let ended = folder.run("check jobs/run.sh");
    assert!(ended.status == Some(0) && ended.stdout.starts_with("Found no problems, for prime-rl 0.4.0"), "{ended:?}");
}
