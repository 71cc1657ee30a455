//! Fixes: what is written, what is shown, and what is left unchanged.

use std::fs;

use super::{CLEAN, Folder, MISSPELT};

const FIXED: &str = "[trainer]\n[orchestrator]\nrollouts_per_example = 16\n";

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a text")
}

#[test]
fn unsafe_fixes_are_made_only_on_request() {
    let folder = Folder::new(&[("a.toml", MISSPELT)]);
    assert_eq!(folder.run("check --target 0.4.0 --fix a.toml").status, Some(1));
    assert_eq!(text(&folder, "a.toml"), MISSPELT);
    let ended = folder.run("check --target 0.4.0 --fix --unsafe-fixes a.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    insta::assert_snapshot!("a_fixed_finding", ended.stdout);
    assert_eq!(text(&folder, "a.toml"), FIXED);
    assert!(!folder.run("check --target 0.4.0 --fix --unsafe-fixes a.toml").stdout.contains("Fixed"));
}

/// Names that other trainers use: if the right key is next to the name, it is renamed; otherwise the help names the right key.
#[test]
fn terms_of_other_trainers_are_recognized() {
    let text = "[trainer.optimizer]\nlr = 1e-6\n\n[orchestrator]\nnum_generations = 8\nlearning_rate = 1e-6\n";
    let folder = Folder::new(&[("a.toml", text)]);
    let ended = folder.run("check --target 0.4.0 --format concise a.toml");
    let places: Vec<&str> =
        ended.stdout.lines().filter_map(|line| line.split_once(": error[PRL101]")).map(|(place, _)| place).collect();
    assert_eq!(places, ["a.toml:1:10", "a.toml:5:1", "a.toml:6:1"], "{ended:?}");
    insta::assert_snapshot!("terms_of_other_trainers", ended.stdout);
    folder.run("check --target 0.4.0 --fix --unsafe-fixes a.toml");
    // The learning rate is also where it belongs.
    let fixed = "[trainer.optim]\nlr = 1e-6\n\n[orchestrator]\nrollouts_per_example = 8\n";
    assert_eq!(self::text(&folder, "a.toml"), fixed);
}

#[test]
fn a_diff_changes_nothing_and_can_be_applied() {
    let folder = Folder::new(&[("a.toml", MISSPELT)]);
    let ended = folder.run("check --target 0.4.0 --diff --unsafe-fixes a.toml");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert_eq!(text(&folder, "a.toml"), MISSPELT);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[..2], ["--- a/a.toml", "+++ b/a.toml"]);
    assert!(lines.contains(&"-rolouts_per_exmaple = 16") && lines.contains(&"+rollouts_per_example = 16"), "{ended:?}");
    assert_eq!(ended.stderr, "Would fix 1 finding in 1 file\n");
}

#[test]
fn an_empty_diff_of_a_file_with_errors_says_so() {
    let folder = Folder::new(&[("a.toml", &CLEAN.replace("max_steps = 100", "max_steps = \"many\""))]);
    let ended = folder.run("check --target 0.4.0 --diff a.toml");
    assert_eq!((ended.status, &*ended.stdout), (Some(1), ""), "{ended:?}");
    assert_eq!(ended.stderr, "note: nothing would be changed: no finding has a safe fix; `cfg check` shows them\n");
    let clean = Folder::new(&[("a.toml", CLEAN)]).run("check --target 0.4.0 --diff a.toml");
    assert_eq!((clean.status, &*clean.stdout, &*clean.stderr), (Some(0), "", ""), "{clean:?}");
}

#[test]
fn standard_input_is_fixed_onto_standard_output() {
    let folder = Folder::new(&[]);
    let ended =
        folder.run_with_input("check --target 0.4.0 --fix --unsafe-fixes --stdin-filename rl.toml -", MISSPELT.as_bytes());
    assert_eq!((ended.status, &*ended.stdout), (Some(0), FIXED), "{ended:?}");
    let ended = folder.run_with_input("check --target 0.4.0 --fix --stdin-filename rl.toml -", MISSPELT.as_bytes());
    assert_eq!((ended.status, &*ended.stdout), (Some(1), MISSPELT), "{ended:?}");
}

#[test]
fn line_endings_and_the_end_of_the_text_are_kept() {
    let dos = MISSPELT.trim_end().replace('\n', "\r\n");
    let folder = Folder::new(&[("a.toml", &dos)]);
    folder.run("check --target 0.4.0 --fix --unsafe-fixes a.toml");
    assert_eq!(text(&folder, "a.toml"), FIXED.trim_end().replace('\n', "\r\n"));
}

#[cfg(unix)]
#[test]
fn mode_and_link_are_kept_and_no_files_are_left() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new(&[("real/a.toml", MISSPELT)]);
    let real = folder.path().join("real/a.toml");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("real/a.toml", folder.path().join("link.toml")).expect("a link");
    assert_eq!(folder.run("check --target 0.4.0 --fix --unsafe-fixes link.toml").status, Some(0));
    assert_eq!(text(&folder, "real/a.toml"), FIXED);
    assert!(fs::symlink_metadata(folder.path().join("link.toml")).expect("there").file_type().is_symlink());
    assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(folder.path().join("real")).expect("a folder").count(), 1);
    // A read-only file is not changed, which is reported.
    folder.write("b.toml", MISSPELT.as_bytes());
    fs::set_permissions(folder.path().join("b.toml"), fs::Permissions::from_mode(0o444)).expect("a mode");
    let ended = folder.run("check --target 0.4.0 --fix --unsafe-fixes b.toml");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    insta::assert_snapshot!("a_file_that_may_not_be_written", ended.stderr);
    assert_eq!(text(&folder, "b.toml"), MISSPELT);
}

#[test]
fn files_that_are_not_utf8_are_not_fixed() {
    let folder = Folder::new(&[]);
    let bytes = [MISSPELT.as_bytes(), b"# \xff\n"].concat();
    folder.write("a.toml", &bytes);
    folder.run("check --target 0.4.0 --fix --unsafe-fixes a.toml");
    assert_eq!(fs::read(folder.path().join("a.toml")).expect("there"), bytes);
}

#[test]
fn findings_without_a_fix_are_listed_with_a_reason() {
    let text = "seq_len = 4_096x\n[trainer]\n[orchestrator]\n";
    let folder = Folder::new(&[("a.toml", text)]);
    // The summary does not mention fixes that would not be applied.
    let ended = folder.run("check --target 0.4.0 a.toml");
    assert!(!ended.stdout.contains("unsafe fix") && !ended.stdout.contains("fix:"), "{ended:?}");
    let ended = folder.run("check --target 0.4.0 --fix --unsafe-fixes a.toml");
    let note = "note: a.toml:1: PRL001 was not fixed: write `\"4_096x\"`: it would cause PRL105 (unparsable-value) at \
        `seq_len`\n";
    assert_eq!((&*ended.stderr, ended.status), (note, Some(1)), "{ended:?}");
    assert_eq!(self::text(&folder, "a.toml"), text);
}

#[test]
fn a_table_moves_with_all_that_is_in_it() {
    let text = "[trainer.model.experimental.lora]\nrank = 8\n\n[orchestrator]\n";
    let folder = Folder::new(&[("a.toml", text)]);
    assert_eq!(folder.run("check --target 0.4.0 --fix a.toml").status, Some(0));
    assert_eq!(self::text(&folder, "a.toml"), "[trainer.model.lora]\nrank = 8\n\n[orchestrator]\n");
}

/// `--fix` does not change a config that consists of several files, and none of its findings is reported as fixable.
#[test]
fn no_fix_is_announced_for_a_config_with_includes() {
    let folder = Folder::new(&[
        ("rl.toml", "toml_files = [\"base.toml\"]\n[orchestrator]\nrollouts_per_example = 4\n"),
        ("base.toml", "[trainer]\n"),
    ]);
    for arguments in ["check --target 0.2 --kind rl rl.toml", "check --target 0.2 --kind rl --fix rl.toml"] {
        let ended = folder.run(arguments);
        assert!(!ended.stdout.contains("fixable") && !ended.stdout.contains("Fixed"), "{ended:?}");
    }
}

/// A version that is stated in a comment becomes metadata that the next check accepts, however the comment is worded.
#[test]
fn metadata_from_a_comment_is_used_by_the_next_check() {
    for base in ["other.toml:v2", "v2", "v2 (other.toml)", "the run of yesterday"] {
        let rest = "max_steps = 100\n[trainer]\n[orchestrator]\n[inference]\n";
        let text = format!("# Config version: v3 (2026-01-05)\n# Based on: {base}\n{rest}");
        let folder = Folder::new(&[("a.toml", &text)]);
        folder.run("registry init");
        assert_eq!(folder.run("check --target 0.4.0 --fix a.toml").status, Some(0));
        let fixed = self::text(&folder, "a.toml");
        assert!(fixed.contains("version = \"v3\"") && fixed.ends_with(rest), "{fixed}");
        let again = folder.run("check --target 0.4.0 --verbose --deny warnings --fix a.toml");
        assert_eq!((again.status, self::text(&folder, "a.toml")), (Some(0), fixed), "{again:?}");
        assert!(!again.stdout.contains("PRL"), "{again:?}");
    }
}

/// Findings of rules are reported together with errors of the schema.
#[test]
fn rules_check_a_refused_config() {
    let text = "[trainer]\n[orchestrator]\nbatch_size = \"x\"\n[inference]\ngpu_memory_utilization = 1.9\nnonsense = 1\n";
    let folder = Folder::new(&[("a.toml", text)]);
    let ended = folder.run("check --target 0.4.0 --format concise a.toml");
    for found in ["a.toml:3:14: error[PRL105]", "a.toml:5:26: error[PRL411]", "a.toml:6:1: error[PRL101]"] {
        assert!(ended.stdout.contains(found), "{found}: {ended:?}");
    }
}

#[test]
fn what_a_fix_drops_is_said() {
    let text = "beta = 0.04\nmax_steps = 10\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\n[generator]\nn_samples_per_prompt = 8\nmy_own = 1\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("check rl.toml --kind rl --target 0.8.0 --fix --unsafe-fixes");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let said: Vec<&str> = ended.stderr.lines().collect();
    assert!(said.iter().any(|line| line.contains("`beta` was removed: no key has the same meaning")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("`generator.my_own` was removed")), "{said:?}");
}
