//! What is printed by default: errors and warnings, for configs only, and no finding of a rule that does not apply because of the
//! config's path or usage line.

use super::Folder;

/// A complete config with these lines at the top and in the root table.
fn rl(head: &str, root: &str) -> String {
    format!("{head}\n{root}\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n")
}

/// The codes of all findings in a file, infos included.
fn codes(folder: &Folder, path: &str) -> Vec<String> {
    let ended = folder.run(&format!("check --target 0.4.0 -v --format concise {path}"));
    let lines = ended.stdout.lines().filter_map(|line| line.split_once('[')?.1.split_once(']'));
    lines.map(|(code, _)| code.to_owned()).filter(|code| code.starts_with("PRL")).collect()
}

#[test]
fn infos_are_counted_and_shown_on_request() {
    let folder = Folder::new(&[("rl.toml", &rl("", "max_steps = 500"))]);
    let plain = folder.run("check --target 0.4.0 --format concise rl.toml");
    assert_eq!(plain.stdout, "Found no problems, for prime-rl 0.4.0\n`-v` shows 1 info\n");
    for asking in ["-v", "--verbose", "--select PRL801"] {
        let told = folder.run(&format!("check --target 0.4.0 --format concise {asking} rl.toml"));
        assert!(told.stdout.starts_with("rl.toml:2:13: info[PRL801]"), "{told:?}");
    }
    // JSON contains all findings.
    let json = folder.run("check --target 0.4.0 --format json rl.toml").stdout;
    assert!(json.contains("\"infos\":1") && json.contains("PRL801"), "{json}");
}

#[test]
fn the_last_line_names_the_highest_severity() {
    let text = rl("", "max_steps = 500\nckpt.interval = 5\nnothing = 1");
    let folder = Folder::new(&[("rl.toml", &text)]);
    let told = folder.run("check --target 0.4.0 --format concise rl.toml").stdout;
    assert!(told.contains("warning[PRL803]") && told.ends_with("`cfg explain PRL101` for details\n"), "{told}");
}

#[test]
fn long_runs_without_checkpoints_are_reported_unless_for_tests_or_enabled_at_launch() {
    let long = rl("", "max_steps = 500");
    let folder = Folder::new(&[
        ("rl.toml", &long),
        ("configs/ci/rl.toml", &long),
        ("bench.toml", &long),
        ("started.toml", &rl("# Usage: uv run rl @ started.toml --ckpt", "max_steps = 500")),
        ("otherwise.toml", &rl("# Usage: uv run rl @ otherwise.toml --max-steps 900", "max_steps = 500")),
        ("final.toml", &rl("", "max_steps = 500\n[ckpt]")),
        ("saving.toml", &rl("# uv run rl @ saving.toml --ckpt.interval 50", "max_steps = 500\n[ckpt]")),
        ("debug/final.toml", &rl("", "max_steps = 500\n[ckpt]")),
    ]);
    for (path, wanted) in [
        ("rl.toml", &["PRL801"][..]),
        ("configs/ci/rl.toml", &[]),
        ("bench.toml", &[]),
        ("started.toml", &[]),
        ("otherwise.toml", &["PRL801"]),
        ("final.toml", &["PRL802"]),
        ("saving.toml", &[]),
        ("debug/final.toml", &[]),
    ] {
        assert_eq!(codes(&folder, path), wanted, "{path}");
    }
}

#[test]
fn groups_of_one_are_not_reported_for_a_few_steps() {
    let single = |steps| {
        format!(
            "max_steps = {steps}\n[ckpt]\ninterval = 50\nkeep_last = 2\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 1\n"
        )
    };
    let folder = Folder::new(&[("rl.toml", &single(90)), ("short.toml", &single(10)), ("debug/rl.toml", &single(90))]);
    assert!(codes(&folder, "rl.toml").contains(&"PRL309".to_owned()));
    assert_eq!((codes(&folder, "short.toml"), codes(&folder, "debug/rl.toml")), (Vec::new(), Vec::new()));
}

#[test]
fn a_stage_resumes_at_the_last_step_of_the_previous_one() {
    let stage = |steps, from| {
        rl("", &format!("max_steps = {steps}\n[wandb]\nproject = \"x\"\n[ckpt]\ninterval = 100\nkeep_last = 2\n{from}"))
    };
    let second = stage(900, "resume_step = 250");
    let folder = Folder::new(&[
        ("math/one.toml", &stage(250, "")),
        ("math/two.toml", &second),
        ("code/stage1/rl.toml", &stage(250, "")),
        ("code/stage2/rl.toml", &second),
        ("alone/two.toml", &second),
    ]);
    assert_eq!((codes(&folder, "math/two.toml"), codes(&folder, "code/stage2/rl.toml")), (Vec::new(), Vec::new()));
    assert_eq!(codes(&folder, "alone/two.toml"), ["PRL809", "PRL810"]);
}

#[test]
fn files_of_other_tools_are_passed_over_in_a_folder() {
    let folder = Folder::new(&[
        ("a/x.toml", "[model]\nname = \"x\"\n[data]\nname = \"y\"\n"),
        ("a/y.toml", "[[model]]\nids = [\"x\"]\nlayers = 26\n"),
        ("a/z.toml", "max_steps = 5\nseq_len = 128\n"),
        ("configs/inference/qwen.toml", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ]);
    assert_eq!(folder.run("check --show-files .").stdout, "configs/inference/qwen.toml\n");
    // A few that could be configs if someone said so are named.
    let said = folder.run("check a").stdout;
    assert!(
        said.starts_with("No prime-rl configs found\na/x.toml, a/y.toml, a/z.toml may be prime-rl configs: name them"),
        "{said}"
    );
}

#[test]
fn an_error_in_a_shared_file_is_reported_once() {
    let over = |steps| format!("toml_files = [\"base.toml\"]\nmax_steps = {steps}\n");
    let base = rl("", "max_steps = 50\nnothing = 1");
    let folder = Folder::new(&[("base.toml", &base), ("one.toml", &over(60)), ("two.toml", &over(70))]);
    let told = folder.run("check --target 0.2 --format concise .").stdout;
    assert_eq!(told.matches("error[PRL101]").count(), 1, "{told}");
    let part = base.replace("[orchestrator]", "[inference]").replace("batch_size = 64\nrollouts_per_example = 8\n", "");
    let whole = |steps| over(steps) + "[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n";
    let folder = Folder::new(&[("base.toml", &part), ("one.toml", &whole(60)), ("two.toml", &whole(70))]);
    let told = folder.run("check --target 0.2 --format concise .").stdout;
    assert_eq!(told.matches("error[PRL101]").count(), 1, "{told}");
    let told = folder.run("check --target 0.2 --format concise two.toml").stdout;
    assert_eq!(told.matches("error[PRL101]").count(), 1, "{told}");
}

/// The launch of a base replaces the table in which the error is, so that only the config which includes the base shows it.
#[test]
fn an_error_in_a_shared_file_is_reported_although_its_launch_hides_it() {
    let base = rl("", "max_steps = 50").replace("[trainer]", "[trainer]\n[inference]");
    let folder = Folder::new(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("base/base.toml", &(base + "nothing = 1\n")),
        ("base/other.toml", "[orchestrator]\nseq_len = 2048\n"),
        ("launch.sh", "uv run rl @ base/base.toml @ base/other.toml\n"),
        ("runs/one.toml", "toml_files = [\"../base/base.toml\"]\nmax_steps = 60\n"),
    ]);
    let told = folder.run("check --format concise .").stdout;
    // The file is named by its own place, and not by the way from the folder of the config that includes it.
    let errors: Vec<&str> = told.lines().filter(|line| line.contains("error[PRL101]")).collect();
    assert!(matches!(&errors[..], [one] if one.starts_with("base/base.toml:")), "{told}");
    let told = folder.run("check --format concise base").stdout;
    assert!(!told.contains("error[PRL101]"), "{told}");
}

#[test]
fn a_project_for_another_release_is_reported_once() {
    let text = |name: &str| format!("{}[[orchestrator.env]]\nid = \"{name}\"\n", rl("", "max_steps = 5"));
    let files = ["a.toml", "b.toml", "c.toml", "d.toml"].map(|name| (name, text(name)));
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let folder = Folder::new(&files);
    let told = folder.run("check --format concise .");
    assert_eq!((told.status, told.stdout.matches("warning[").count()), (Some(0), 1), "{told:?}");
    assert!(told.stdout.contains("4 configs") && told.stdout.contains("warning[PRL013]"), "{told:?}");
    // A file that is named is reported separately, and so is the only one of a folder.
    assert!(folder.run("check --format concise a.toml").stdout.contains("a.toml: warning[PRL013]"));
    let folder = Folder::new(&files[3..]);
    assert!(folder.run("check --format concise .").stdout.contains("d.toml: warning[PRL013]"));
}

#[test]
fn yaml_is_reported_in_one_sentence() {
    let folder = Folder::new(&[("rl.yaml", "trainer:\n  model: x\n")]);
    let told = folder.run("check --format concise rl.yaml");
    assert_eq!((told.stdout.matches("PRL008").count(), told.stdout.lines().count()), (2, 3), "{told:?}");
    assert!(!told.stdout.contains("fixed"), "{told:?}");
}
