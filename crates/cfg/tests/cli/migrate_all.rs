//! `cfg migrate` of a whole project: its configs, launch commands and settings; and a migration after another one.

use std::fs;

use super::Folder;

/// A config of 0.5.0.
const OLD: &str = "\
# Usage: uv run rl @ configs/rl.toml --orchestrator.rollouts-per-example 4
max_steps = 20
[model]
name = \"Qwen/Qwen3-0.6B\"
[trainer]
[orchestrator]
rollouts_per_example = 8  # per task
[[orchestrator.env]]
id = \"alphabet-sort\"
";

/// The same for 0.8.0.
const NEW: &str = "\
# Usage: uv run rl @ configs/rl.toml --orchestrator.group-size 4
max_steps = 20
[model]
name = \"Qwen/Qwen3-0.6B\"
[trainer]
[orchestrator]
group_size = 8  # per task
[[orchestrator.train.source]]

[orchestrator.train.source.legacy]
id = \"alphabet-sort\"
";

const SCRIPT: &str = "uv run rl @ configs/rl.toml \\\n  --orchestrator.rollouts-per-example=4 --max-steps $STEPS\nrollouts --orchestrator.rollouts-per-example 1\n";

/// Pins prime-rl in a `pyproject.toml`.
fn pin(version: &str) -> String {
    format!("[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"prime-rl=={version}\"]\n")
}

fn lock(version: &str) -> String {
    format!(
        "version = 1\n[[package]]\nname = \"prime-rl\"\nversion = \"{version}\"\nsource = {{ registry = \"https://pypi.org/simple\" }}\n"
    )
}

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a text")
}

fn commit(folder: &Folder) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    for words in [&["add", "-A"][..], &["commit", "-qm", "a change"]] {
        let done = folder.program("git").args(who).args(words).status();
        assert!(done.is_ok_and(|status| status.success()), "{words:?}");
    }
}

/// Whatever states the old prime-rl, and still states it after the migration, a second one changes nothing.
#[test]
fn a_second_migration_writes_nothing() {
    let old = OLD.split_once('\n').expect("a line").1;
    let new = NEW.split_once('\n').expect("a line").1;
    let block = |version: &str, text: &str| format!("# /// config\n# prime_rl = \"{version}\"\n# ///\n{text}");
    for (file, stated, words, first, wanted) in [
        ("cfg.toml", "target = \"0.5.0\"\n".to_owned(), "", old.to_owned(), new.to_owned()),
        ("pyproject.toml", pin("0.5.0"), "", old.to_owned(), new.to_owned()),
        ("uv.lock", lock("0.5.0"), "", old.to_owned(), new.to_owned()),
        ("requirements.txt", "prime-rl==0.5.0\n".to_owned(), "", old.to_owned(), new.to_owned()),
        ("notes.txt", String::new(), "--from 0.5.0", old.to_owned(), new.to_owned()),
        ("notes.txt", String::new(), "", block("0.5.0", old), block("0.8.0", new)),
    ] {
        let folder = Folder::new(&[(file, &stated), ("rl.toml", &first)]);
        let ended = folder.run(&format!("migrate rl.toml --to 0.8.0 --write {words}"));
        assert_eq!((ended.status, &*text(&folder, "rl.toml")), (Some(0), &*wanted), "{file} {words}: {ended:?}");
        let again = folder.run(&format!("migrate rl.toml --to 0.8.0 --write {words}"));
        assert_eq!((again.status, &*text(&folder, "rl.toml")), (Some(0), &*wanted), "{file} {words}: {again:?}");
        let checked = folder.run(&format!("migrate rl.toml --to 0.8.0 --check {words}"));
        assert_eq!(checked.status, Some(0), "{file} {words}: {checked:?}");
    }
}

#[test]
fn where_the_old_prime_rl_is_stated_is_said() {
    let old = OLD.split_once('\n').expect("a line").1;
    let folder = Folder::new(&[("uv.lock", &lock("0.5.0")), ("rl.toml", old)]);
    let said = |words: &str| folder.run(&format!("migrate rl.toml --to 0.8.0 {words}")).stdout;
    assert!(said("").contains("it is for prime-rl 0.5.0, read from uv.lock"), "{}", said(""));
    assert!(said("--from 0.4.0").contains("it is for prime-rl 0.4.0, as `--from` says"), "{}", said("--from 0.4.0"));
}

/// If the pin was changed first, the configs are compared with the prime-rl that it named before.
#[test]
fn a_pin_that_was_changed_first_is_read_from_git() {
    let old = OLD.split_once('\n').expect("a line").1;
    for (file, before, after) in [
        ("cfg.toml", "target = \"0.5.0\"\n".to_owned(), "target = \"0.8.0\"\n".to_owned()),
        ("pyproject.toml", pin("0.5.0"), pin("0.8.0")),
        ("uv.lock", lock("0.5.0"), lock("0.8.0")),
    ] {
        let folder = Folder::repository(&[(file, &before), ("rl.toml", old)]);
        commit(&folder);
        folder.write(file, after.as_bytes());
        let uncommitted = folder.run("migrate rl.toml");
        commit(&folder);
        let committed = folder.run("migrate rl.toml");
        for ended in [&uncommitted, &committed] {
            let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains("from prime-rl 0.5.0 to 0.8.0"), "{file}: {ended:?}");
            assert!(said.contains("states 0.8.0 already") && said.contains("Changed meaning (training)"), "{file}: {ended:?}");
            assert!(ended.stderr.contains("migrating to prime-rl 0.8.0, which"), "{file}: {ended:?}");
        }
    }
}

/// The same for a submodule, which need not be checked out.
#[test]
fn a_submodule_that_was_changed_first_is_read_from_git() {
    let old = OLD.split_once('\n').expect("a line").1;
    let modules = "[submodule \"prime-rl\"]\n\tpath = deps/prime-rl\n\turl = https://github.com/PrimeIntellect-ai/prime-rl\n";
    let folder = Folder::repository(&[(".gitmodules", modules), ("rl.toml", old)]);
    let history = cfg_schema::History::built_in();
    let point = |release: &str| cfg_schema::Target::parse(history, release).expect("a release").point;
    for release in ["0.5.0", "0.8.0"] {
        let sha = history.commit_of(point(release)).expect("a commit").sha();
        let entry = format!("160000,{sha},deps/prime-rl");
        let done = folder.program("git").args(["update-index", "--add", "--cacheinfo", &entry]).status();
        assert!(done.is_ok_and(|status| status.success()));
        let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let done = folder.program("git").args(who).args(["commit", "-qm", release]).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
    let ended = folder.run("migrate rl.toml");
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("as stated until now: commit") && said.contains("Changed meaning (training)"), "{ended:?}");
}

#[test]
fn a_project_that_states_only_the_new_prime_rl_is_asked_for_the_old_one() {
    let folder = Folder::new(&[("cfg.toml", "target = \"0.8.0\"\n"), ("rl.toml", OLD)]);
    let ended = folder.run("migrate rl.toml --to 0.8.0 --write");
    assert!(ended.status == Some(2) && ended.stderr.contains("such as `--from 0."), "{ended:?}");
    assert_eq!(text(&folder, "rl.toml"), OLD);
    folder.write("rl.toml", NEW.as_bytes());
    let ended = folder.run("migrate rl.toml --to 0.8.0 --write");
    assert_eq!((ended.status, &*text(&folder, "rl.toml")), (Some(0), NEW), "{ended:?}");
}

#[test]
fn without_a_target_a_config_is_migrated_to_the_newest_release() {
    let folder = Folder::new(&[("rl.toml", "[ckpt]\nkeep = 2\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"x\"\n")]);
    let ended = folder.run("migrate rl.toml --write");
    assert!(ended.stderr.contains("migrating to prime-rl 0.8.0, the newest release that this cfg knows"), "{ended:?}");
    assert!(text(&folder, "rl.toml").contains("keep_last = 2"), "{ended:?}");
}

fn project() -> Folder {
    Folder::repository(&[
        ("cfg.toml", "target = \"0.5.0\"  # as installed\n"),
        ("configs/rl.toml", OLD),
        ("configs/base.toml", "[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\n"),
        ("configs/over.toml", "[orchestrator.sampling]\nmax_tokens = 7\n[[orchestrator.env]]\nid = \"alphabet-sort\"\n"),
        ("configs/broken.toml", "[trainer]\n[orchestrator]\nx = [\n"),
        ("ruff.toml", "line-length = 100\n"),
        ("run.sh", SCRIPT),
        ("both.sh", "uv run rl @ configs/base.toml @ configs/over.toml\n"),
    ])
}

#[test]
fn a_folder_is_migrated_with_its_launches_and_settings() {
    let folder = project();
    let planned = folder.run("migrate . --to 0.8.0");
    insta::assert_snapshot!("a_migrated_folder", planned.stdout);
    assert_eq!((planned.status, &*text(&folder, "configs/rl.toml")), (Some(1), OLD), "{planned:?}");
    let checked = folder.run("migrate --all --to 0.8.0 --check");
    assert_eq!(checked.status, Some(1), "{checked:?}");
    let written = folder.run("migrate . --to 0.8.0 --write");
    assert_eq!(written.status, Some(1), "a file is not TOML: {written:?}");
    assert_eq!(text(&folder, "configs/rl.toml"), NEW);
    assert_eq!(text(&folder, "cfg.toml"), "target = \"0.8.0\"  # as installed\n");
    let script = text(&folder, "run.sh");
    assert_eq!(script, SCRIPT.replacen("rollouts-per-example", "group-size", 1));
    assert!(text(&folder, "configs/over.toml").contains("[orchestrator.train.sampling]\nmax_completion_tokens = 7\n"));
    assert!(!text(&folder, "configs/base.toml").contains("reverse-text"), "another file of the launch has the environment");
    fs::remove_file(folder.path().join("configs/broken.toml")).expect("removed");
    let again = folder.run("migrate . --to 0.8.0 --check");
    assert_eq!(again.status, Some(0), "{again:?}");
    let again = folder.run("migrate --all --to 0.8.0 --write");
    assert_eq!((again.status, text(&folder, "run.sh")), (Some(0), script), "{again:?}");
}

/// What the settings exclude, and what belongs to another project, is not rewritten.
#[test]
fn files_of_others_are_not_migrated() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.5.0\"\nexclude = [\"old\"]\n"),
        ("rl.toml", OLD),
        ("old/rl.toml", OLD),
        ("old/run.sh", SCRIPT),
        ("prime-rl/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.5.0\"\n"),
        ("prime-rl/configs/rl.toml", OLD),
        ("prime-rl/run.sh", SCRIPT),
    ]);
    let written = folder.run("migrate --all --to 0.8.0 --write");
    assert_eq!(written.status, Some(0), "{written:?}");
    assert_ne!(text(&folder, "rl.toml"), OLD);
    for name in ["old/rl.toml", "prime-rl/configs/rl.toml"] {
        assert_eq!(text(&folder, name), OLD, "{name}: {written:?}");
    }
    for name in ["old/run.sh", "prime-rl/run.sh"] {
        assert_eq!(text(&folder, name), SCRIPT, "{name}: {written:?}");
    }
    assert_eq!(text(&folder, "cfg.toml"), "target = \"0.8.0\"\nexclude = [\"old\"]\n");
    folder.run("migrate old --to 0.8.0 --write");
    folder.run("fmt .");
    assert_eq!(text(&folder, "prime-rl/configs/rl.toml"), OLD);
}

/// The commit before is a fork's own, which nothing at hand explains: an older one that is known is not taken for it.
#[test]
fn a_former_prime_rl_that_is_unknown_is_named() {
    let folder = Folder::repository(&[("rl.toml", OLD), (".gitmodules", "[submodule \"p\"]\npath = prime-rl\nurl = ../p\n")]);
    let commits: Vec<String> = cfg_schema::History::built_in().commits().map(cfg_schema::Commit::sha).collect();
    let own = "0123456789abcdef0123456789abcdef01234567";
    for sha in [&commits[commits.len() / 2], own, &commits[commits.len() - 2]] {
        let entry = format!("160000,{sha},prime-rl");
        let done = folder.program("git").args(["update-index", "--add", "--cacheinfo", &entry]).status();
        assert!(done.is_ok_and(|status| status.success()));
        let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let done = folder.program("git").args(who).args(["commit", "-qm", "a change"]).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
    let said = folder.run("migrate --all");
    assert!(said.stderr.contains("where it was 012345678, which this cfg does not know: pass `--from`"), "{said:?}");
    assert!(!said.stdout.contains(&commits[commits.len() / 2][..7]), "{said:?}");
}

/// A launch names its config by way of a variable, and which of two configs with the same name it means decides about the old prime-rl.
#[test]
fn flags_are_those_of_the_config_that_a_launch_names() {
    let newer = "[trainer]\n[orchestrator]\ngroup_size = 8\n[[orchestrator.train.env]]\nid = \"alphabet-sort\"\n";
    let script = "CONFIG=rl.toml\nuv run rl @ $CONFIG --orchestrator.env.0.id x --max-steps 3\n";
    let folder = Folder::repository(&[
        ("a/cfg.toml", "target = \"0.7.0\"\n"),
        ("a/rl.toml", newer),
        ("b/cfg.toml", "target = \"0.5.0\"\n"),
        ("b/rl.toml", OLD),
        ("b/run.sh", "CONFIG=rl.toml\nuv run rl @ $CONFIG --orchestrator.rollouts-per-example 3\n"),
        ("scripts/other.sh", "uv run rl @ b/rl.toml \\\n  --orchestrator.rollouts-per-example 3\n"),
        ("a/run.sh", script),
    ]);
    let written = folder.run("migrate . --to 0.8.0 --write");
    assert!(text(&folder, "b/run.sh").contains("$CONFIG --orchestrator.group-size 3"), "{written:?}");
    assert!(text(&folder, "scripts/other.sh").contains("--orchestrator.group-size 3"), "{written:?}");
    assert_eq!(text(&folder, "a/run.sh"), script, "{written:?}");
}

/// A flag whose key carries over only together with another one is left to the user, and as long as it is there, something is left.
#[test]
fn a_flag_that_can_t_be_rewritten_is_left_to_decide() {
    let old = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n";
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        ("rl.toml", old),
        ("run.sh", "uv run rl @ rl.toml --inference-gpu-ids [0] --max-steps 3\n"),
    ]);
    let written = folder.run("migrate . --to 0.5.0 --write");
    assert!(written.stdout.contains("run.sh:1: --inference-gpu-ids: write `deployment.num_infer_gpus` instead."), "{written:?}");
    assert_eq!(text(&folder, "cfg.toml"), "target = \"0.5.0\"\n");
    let left = folder.run("migrate . --to 0.5.0 --from 0.4.0 --check");
    assert_eq!(left.status, Some(1), "{left:?}");
}

#[test]
fn the_files_of_a_diff_are_named() {
    let ended = project().run("migrate . --to 0.8.0 --diff");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    for name in ["configs/rl.toml", "configs/over.toml", "run.sh", "cfg.toml"] {
        assert!(ended.stdout.contains(&format!("--- a/{name}\n+++ b/{name}\n")), "{name}: {ended:?}");
    }
    assert!(ended.stderr.contains("configs/rl.toml: Would change "), "{ended:?}");
}

#[test]
fn details_are_shown_on_demand() {
    let folder = project();
    let detail = "orchestrator.rollouts_per_example -> orchestrator.group_size (0.6.0 by #2599)";
    assert!(!folder.run("migrate . --to 0.8.0").stdout.contains(detail));
    assert!(folder.run("migrate . --to 0.8.0 -v").stdout.contains(detail));
}

#[test]
fn settings_of_configs_that_are_not_migrated_stay() {
    let folder = Folder::new(&[
        ("cfg.toml", "target = \"0.5.0\"\n"),
        ("a/rl.toml", OLD),
        ("b/rl.toml", OLD),
        ("c/cfg.toml", "target = \"0.4.0\"\n"),
        ("c/rl.toml", OLD),
    ]);
    let ended = folder.run("migrate a --to 0.8.0 --write");
    assert!(ended.stdout.contains("cfg.toml:1: target = \"0.5.0\" stays: b/rl.toml has it, too"), "{ended:?}");
    assert_eq!(text(&folder, "cfg.toml"), "target = \"0.5.0\"\n");
    let ended = folder.run("migrate a b --to 0.8.0 --write");
    assert_eq!((ended.status, &*text(&folder, "cfg.toml")), (Some(0), "target = \"0.8.0\"\n"), "{ended:?}");
    assert_eq!(text(&folder, "c/rl.toml"), OLD);
}

#[test]
fn a_pin_that_is_still_old_is_listed() {
    let folder = Folder::new(&[("uv.lock", &lock("0.5.0")), ("rl.toml", OLD)]);
    let ended = folder.run("migrate . --to 0.8.0");
    assert!(ended.stdout.contains("uv.lock has prime-rl 0.5.0: change it to 0.8.0, too"), "{ended:?}");
}

#[test]
fn a_folder_without_configs_is_an_error() {
    let ended = Folder::new(&[("ruff.toml", "line-length = 100\n")]).run("migrate . --to 0.8.0");
    assert!(ended.status == Some(2) && ended.stderr.contains("no prime-rl configs"), "{ended:?}");
}

/// What is left to decide is reported again, whatever states the new prime-rl by then.
#[test]
fn a_decision_that_is_left_is_reported_again() {
    let text = "# /// config\n# prime_rl = \"0.5.0\"\n# ///\nmax_async_level = 2\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"x\"\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let first = folder.run("migrate rl.toml --to 0.8.0 --write");
    assert!(first.status == Some(1) && first.stdout.contains("max_async_level"), "{first:?}");
    let written = self::text(&folder, "rl.toml");
    let again = folder.run("migrate rl.toml --to 0.8.0 --write");
    assert!(again.status == Some(1) && again.stdout.contains("max_async_level"), "{again:?}");
    assert_eq!(self::text(&folder, "rl.toml"), written);
}

/// Advice and fix of a removed key name the same: what replaces it, or that it is to be removed.
#[test]
fn advice_and_fix_of_a_removed_key_agree() {
    let text = "max_async_level = 1\n[trainer]\n[orchestrator]\ntraining_mode = \"rl\"\n[[orchestrator.train.source]]\nlegacy = { id = \"x\" }\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let file = folder.reported("--target 0.8.0 rl.toml", "rl.toml");
    let found = file["diagnostics"].as_array().expect("a list");
    for key in ["max_async_level", "orchestrator.training_mode"] {
        let found = found.iter().find(|found| found["key"] == key).unwrap_or_else(|| panic!("{key}: {file:#}"));
        let (help, fix) = (found["help"].as_str().unwrap_or_default(), found["fixes"][0]["title"].as_str().unwrap_or_default());
        assert_eq!(fix, format!("remove `{key}`"), "{found:#}");
        assert!(help.to_lowercase().starts_with("remove it"), "{help}");
    }
}

/// What programs read of a folder: its configs with their stated targets, launch commands, settings, and what is unclear.
#[test]
fn a_folder_is_one_document_with_scripts_and_settings() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.5.0\"\n"),
        ("configs/rl.toml", OLD),
        ("configs/own.toml", &format!("# /// config\n# prime_rl = \"0.5.0\"\n# ///\n{}", OLD.replace("# Usage", "# As in"))),
        ("run.sh", SCRIPT),
        (
            "run.py",
            "run([\"uv\", \"run\", \"rl\", \"@\", \"configs/rl.toml\",\n  \"--orchestrator.rollouts-per-example\", \"4\"])\n",
        ),
    ]);
    commit(&folder);
    let ended = folder.run("migrate --all --to 0.8.0 --format json");
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let own = &found["configs"][0];
    assert_eq!(
        (&own["path"], &own["metadata"]["from"], &own["metadata"]["to"]),
        (&"configs/own.toml".into(), &"0.5.0".into(), &"0.8.0".into())
    );
    assert!(found["configs"][1]["metadata"].is_null(), "{found}");
    let scripts: Vec<&str> = found["scripts"].as_array().into_iter().flatten().filter_map(|one| one["path"].as_str()).collect();
    for path in ["run.sh", "run.py", "configs/rl.toml"] {
        assert!(scripts.contains(&path), "{path}: {scripts:?}");
    }
    let flag = &found["scripts"].as_array().and_then(|all| all.iter().find(|one| one["path"] == "run.py")).expect("a script")["flags"]
        [0];
    assert_eq!((&flag["line"], &flag["new"]), (&2.into(), &"--orchestrator.group-size".into()), "{flag}");
    assert_eq!((&found["settings"][0]["path"], &found["settings"][0]["to"]), (&"cfg.toml".into(), &"0.8.0".into()), "{found}");
    assert_eq!(folder.run("migrate --all --to 0.8.0 --write").status, ended.status);
    assert!(text(&folder, "run.py").contains("\"--orchestrator.group-size\", \"4\""), "{}", text(&folder, "run.py"));
}

/// A table that was empty for prime-rl, and that a fork has filled.
#[test]
fn what_only_a_fork_knows_is_not_removed_with_the_table_around_it() {
    let text = "max_steps = 5\n[experimental.ray]\nenabled = true\n[trainer]\n[inference]\n[orchestrator]\nbatch_size = 128\n\
                [[orchestrator.train.env]]\nid = \"reverse-text\"\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("migrate rl.toml --from 0.6.0 --to 0.7.0 --write");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(self::text(&folder, "rl.toml").contains("[experimental.ray]\nenabled = true\n"), "{ended:?}");
    assert!(ended.stdout.contains("But it has `experimental.ray`, which"), "{ended:?}");
    let ended = folder.run("migrate rl.toml --from 0.6.0 --to 0.7.0 --unsafe-fixes --write");
    assert!(!self::text(&folder, "rl.toml").contains("ray"), "{ended:?}");
}

#[test]
fn a_diff_of_a_folder_names_only_the_files_that_change() {
    let folder = project();
    let clean = "max_steps = 5\n[trainer]\n[orchestrator]\nbatch_size = 128\n";
    for index in 0..6 {
        folder.write(&format!("configs/clean{index}.toml"), clean.as_bytes());
    }
    let ended = folder.run("migrate . --to 0.6.0 --diff");
    assert!(!ended.stderr.contains("clean") && ended.stderr.contains("configs, 5 files would change"), "{ended:?}");
}

/// In CI, `--check` also fails for what the new prime-rl refuses although a migration has nothing to decide about it: when the settings have its name by
/// then, and when the old one refused it as well.
#[test]
fn a_check_fails_for_what_the_new_prime_rl_refuses() {
    let bad = format!("bogus = 1\n{NEW}");
    let folder = Folder::new(&[("cfg.toml", "target = \"0.8.0\"\n"), ("configs/rl.toml", NEW), ("configs/bad.toml", &bad)]);
    for words in ["migrate . --check", "migrate . --from 0.5.0 --to 0.8.0 --check"] {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(1), "{words}: {ended:?}");
        assert!(
            ended.stdout.contains("Refused by prime-rl 0.8.0, see `cfg check`: 1 error\n  configs/bad.toml:1: "),
            "{ended:?}"
        );
    }
    folder.write("run.sh", b"uv run rl @ configs/rl.toml @ configs/bad.toml\n");
    let ended = folder.run("migrate . --check");
    assert!(ended.status == Some(1) && ended.stdout.contains("  configs/rl.toml and configs/bad.toml: "), "{ended:?}");
    folder.write("configs/bad.toml", NEW.as_bytes());
    let ended = folder.run("migrate . --check");
    assert!(ended.status == Some(0) && !ended.stdout.contains("Refused"), "{ended:?}");
}

/// A text that both prime-rls can read tells what its defaults were, also if the old one refuses a combination in it: each of several steps tells its own.
#[test]
fn each_of_several_steps_tells_its_changed_defaults() {
    let text = NEW
        .replace("Qwen/Qwen3-0.6B", "PrimeIntellect/Qwen3-0.6B")
        .replace("train.source", "train.env")
        .replace("\n[orchestrator.train.env.legacy]\n", "");
    let folder = Folder::new(&[("rl.toml", &text)]);
    let refused = folder.run("check rl.toml --target 0.6.0");
    assert!(refused.status == Some(1) && refused.stdout.contains("PRL202"), "{refused:?}");
    let ended = folder.run("migrate rl.toml --from 0.6.0 --to 0.7.0");
    assert!(ended.stdout.contains("trainer.model.optim_cpu_offload: false -> true"), "{ended:?}");
    assert!(ended.stdout.contains("Would change 0 keys from prime-rl 0.6.0 to 0.7.0"), "{ended:?}");
    // A key that only the new one knows shows that it was migrated before.
    let ended = folder.run("migrate rl.toml --from 0.5.0 --to 0.7.0");
    assert!(ended.stdout.contains("It is for prime-rl 0.7.0 already"), "{ended:?}");
}
