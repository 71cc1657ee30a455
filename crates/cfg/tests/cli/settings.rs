//! Settings that select files and findings: `exclude`, other projects in the repository, `required-version`, lists that add to others, tables for files.

use super::{CLEAN, Folder, running::Ended};

/// An error of prime-rl, and a warning.
const TWO: &str = "[trainer.optim]\ntype = \"adamw\"\nmomentum = 0.9\n[orchestrator]\nfoo = 1\n";

const PRIME_RL: &str = "[project]\nname = \"prime-rl\"\nversion = \"0.4.0\"\n";

/// The files that `cfg check` lists.
fn files(folder: &Folder, words: &str) -> Vec<String> {
    let ended = folder.run(&format!("check --show-files {words}"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    ended.stdout.lines().map(str::to_owned).collect()
}

fn found(ended: &Ended) -> Vec<String> {
    let lines = ended.stdout.lines().filter_map(|line| Some((line.split_once(".toml:")?.0, line.split_once('[')?)));
    lines.map(|(path, (before, rest))| format!("{path} {} {}", before.rsplit(' ').next().unwrap_or(""), &rest[..6])).collect()
}

fn git(folder: &Folder, words: &[&str]) {
    let fixed = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let done = folder.program("git").args(fixed).args(words).output().expect("git");
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn excluded_files_are_checked_only_if_they_are_named() {
    let folder = Folder::repository(&[
        ("cfg.toml", "target = \"0.4.0\"\nexclude = [\"archive\", \"configs/old-*.toml\", \"/top/\"]\n"),
        ("configs/a.toml", TWO),
        ("configs/old-a.toml", TWO),
        ("configs/archive/deep/b.toml", TWO),
        ("configs/top/c.toml", TWO),
        ("top/d.toml", TWO),
        ("projects/cfg.toml", "exclude = [\"drafts\"]\n"),
        ("projects/archive/e.toml", TWO),
        ("projects/drafts/f.toml", TWO),
        ("projects/g.toml", TWO),
    ]);
    let checked = ["configs/top/c.toml", "configs/a.toml", "projects/g.toml"];
    let mut all = files(&folder, ".");
    all.sort();
    let mut expected: Vec<String> = checked.iter().map(|name| (*name).to_owned()).collect();
    expected.sort();
    assert_eq!(all, expected);
    assert_eq!(files(&folder, "configs/archive"), [""; 0], "a named folder does not have what is excluded");
    // That nothing was checked is not silent.
    let told = folder.run("check configs/archive");
    assert!(told.stdout.contains("No prime-rl configs found\nLeft out 1 file that `exclude` in the settings names"), "{told:?}");
    assert_eq!(files(&folder, "configs/old-a.toml"), ["configs/old-a.toml"]);
    // A tool that lists files does not name them.
    assert_eq!(files(&folder, "--configs-only configs/old-a.toml configs/a.toml"), ["configs/a.toml"]);
    git(&folder, &["add", "-A"]);
    let hook = folder.run("hook run --format concise");
    let mut files: Vec<String> = found(&hook).into_iter().filter(|line| line.ends_with("PRL101")).collect();
    files.sort();
    assert_eq!(files, ["configs/a error PRL101", "configs/top/c error PRL101", "projects/g error PRL101"]);
    let told = folder.run("check -v .");
    assert!(told.stdout.contains("Left out 5 files that `exclude` in the settings names"), "{told:?}");
}

#[test]
fn a_copy_of_prime_rl_is_left_out() {
    let folder = Folder::repository(&[
        ("configs/a.toml", CLEAN),
        ("vendor/prime-rl/pyproject.toml", PRIME_RL),
        ("vendor/prime-rl/configs/b.toml", TWO),
    ]);
    let ended = folder.run("check --target 0.4.0");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("Left out vendor/prime-rl, a copy of prime-rl; name it to check it"), "{ended:?}");
    assert_eq!(files(&folder, "."), ["configs/a.toml"]);
    assert_eq!(files(&folder, "vendor"), [""; 0]);
    for words in ["vendor/prime-rl", "vendor/prime-rl/configs", "vendor/prime-rl/configs/b.toml"] {
        assert_eq!(files(&folder, words), ["vendor/prime-rl/configs/b.toml"], "{words}");
    }
    git(&folder, &["add", "-A"]);
    assert_eq!(folder.run("hook run --all-files --format concise").status, Some(0));
    folder.write("cfg.toml", b"extend-include = [\"vendor/prime-rl\"]\n");
    assert_eq!(files(&folder, "."), ["configs/a.toml", "vendor/prime-rl/configs/b.toml"]);
    // prime-rl itself is no copy.
    let fork = Folder::repository(&[("pyproject.toml", PRIME_RL), ("configs/b.toml", TWO)]);
    assert_eq!(files(&fork, "."), ["configs/b.toml"]);
}

#[test]
fn a_submodule_is_left_out() {
    let module = Folder::repository(&[("configs/b.toml", TWO)]);
    git(&module, &["add", "-A"]);
    git(&module, &["commit", "-qm", "a"]);
    let folder = Folder::repository(&[("configs/a.toml", CLEAN)]);
    git(&folder, &["submodule", "--quiet", "add", &module.path().to_string_lossy(), "deps/theirs"]);
    assert_eq!(files(&folder, "."), ["configs/a.toml"]);
    let ended = folder.run("check --target 0.4.0");
    assert!(ended.stdout.contains("Left out deps/theirs, a git submodule"), "{ended:?}");
    assert_eq!(files(&folder, "deps/theirs"), ["deps/theirs/configs/b.toml"]);
    let mut inside = folder.command("check --show-files");
    let inside = super::finish(inside.current_dir(folder.path().join("deps/theirs")), b"");
    assert_eq!(inside.stdout, "configs/b.toml\n");
}

#[test]
fn settings_for_another_version_end_every_command() {
    let folder = Folder::repository(&[("cfg.toml", "required-version = \">=999\"\nof-the-future = 1\n"), ("c/a.toml", CLEAN)]);
    git(&folder, &["add", "-A"]);
    for words in
        ["check", "check c/a.toml", "hook run --all-files", "compile c/a.toml", "migrate --to 0.5.0 c/a.toml", "memory c/a.toml"]
    {
        let ended = folder.run(words);
        assert_eq!((ended.status, &*ended.stdout), (Some(2), ""), "{words}");
        assert!(ended.stderr.contains("cfg.toml") && ended.stderr.contains(">=999"), "{words}: {ended:?}");
    }
    folder.write("cfg.toml", b"required-version = \">=0.1,<999\"\n");
    assert_eq!(folder.run("check --target 0.4.0").status, Some(0));
    folder.write("cfg.toml", b"required-version = \"newest\"\n");
    let ended = folder.run("check --target 0.4.0 --format concise");
    assert_eq!((ended.status, found(&ended)), (Some(1), vec!["cfg error PRL014".to_owned()]), "{ended:?}");
}

#[test]
fn lists_of_nearer_settings_add_to_outer_ones() {
    let folder = Folder::new(&[
        ("cfg.toml", "target = \"0.4.0\"\n[lint]\nignore = [\"PRL101\"]\n"),
        ("a/cfg.toml", "[lint]\nextend-ignore = [\"PRL102\"]\n"),
        ("b/cfg.toml", "[lint]\nextend-select = [\"PRL101\"]\n"),
        ("c/cfg.toml", "[lint]\nignore = [\"PRL102\"]\n"),
        ("d/cfg.toml", "[lint]\nignore = []\n"),
    ]);
    for name in ["a", "b", "c", "d", "e"] {
        folder.write(&format!("{name}/two.toml"), TWO.as_bytes());
    }
    let found = found(&folder.run("check --format concise"));
    // An ignored code stays ignored if it is selected as specifically.
    let expected =
        ["b/two warning PRL102", "c/two error PRL101", "d/two error PRL101", "d/two warning PRL102", "e/two warning PRL102"];
    assert_eq!(found, expected);
    let selected = Folder::new(&[
        ("cfg.toml", "target = \"0.4.0\"\n[lint]\nignore = [\"PRL1\"]\nextend-select = [\"PRL102\"]\n"),
        ("two.toml", TWO),
    ]);
    assert_eq!(self::found(&selected.run("check --format concise")), ["two warning PRL102"]);
    assert_eq!(self::found(&selected.run("check --select PRL101 --format concise")), ["two error PRL101"]);
}

#[test]
fn tables_for_files_ignore_select_and_set_severities() {
    let settings = "target = \"0.4.0\"\n[lint]\nignore = [\"PRL102\"]\n[lint.per-file-ignores]\n\"debug\" = [\"PRL1\"]\n\
        [lint.per-file-selects]\n\"prod/\" = [\"PRL102\"]\n[lint.per-file-severities.\"prod\"]\nPRL102 = \"error\"\n\
        [lint.per-file-severities.\"*/soft.toml\"]\nALL = \"info\"\n";
    let folder = Folder::new(&[
        ("cfg.toml", settings),
        ("debug/deep/two.toml", TWO),
        ("prod/deep/two.toml", TWO),
        ("other/two.toml", TWO),
        ("other/soft.toml", TWO),
    ]);
    let ended = folder.run("check --verbose --format concise");
    let own: Vec<String> = found(&ended).into_iter().filter(|line| line.contains("PRL1")).collect();
    let expected =
        ["other/soft info PRL101", "other/two error PRL101", "prod/deep/two error PRL101", "prod/deep/two error PRL102"];
    assert_eq!(own, expected, "{ended:?}");
    let shown = folder.run("check --show-settings");
    for part in ["\"debug\" = [\"PRL1\"]", "[lint.per-file-selects]", "[lint.per-file-severities.\"prod\"]\nPRL102 = \"error\""] {
        assert!(shown.stdout.contains(part), "{part}: {shown:?}");
    }
}
