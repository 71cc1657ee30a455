//! The prime-rl into which the commands around a config go, and the one in which `cfg` runs.

use std::{ffi::OsStr, fs, path::Path};

use cfg_project::Projects;
use tempfile::TempDir;

use super::{folder, folders::sources, git, repository, within, write};

/// A repository with a config, beside a clone of prime-rl with a key of its own.
fn beside(files: &[(&str, &str)]) -> TempDir {
    let folder = folder(&[("project/configs/rl.toml", "max_steps = 1\n")]);
    files.iter().for_each(|(path, text)| write(&folder.path().join("project").join(path), text));
    repository(&folder.path().join("project"));
    sources(&folder.path().join("prime-rl"));
    repository(&folder.path().join("prime-rl"));
    folder
}

/// The folder of the classes of the target of the config, for a process in a folder.
fn used(around: &Path, here: &str, file: &str) -> Option<String> {
    let path = around.canonicalize().expect("it is there");
    let system = within(&path.join(here), &[("HOME", path.as_os_str()), ("OTHER", OsStr::new("x"))]);
    system.admit(&path.join("project"), cfg_system::Admission::Named);
    let text = fs::read_to_string(path.join("project/configs/rl.toml")).expect("it is there");
    let answer = Projects::new(system, None).target_in(Path::new(file), &text)?;
    let own = answer.as_ref().as_ref().ok()?.own.clone()?;
    assert_eq!(own.own_keys(), 5);
    Some(own.folder.strip_prefix(&path).expect("below").display().to_string())
}

#[test]
fn a_clone_is_used_where_a_command_goes_there() {
    let file = "configs/rl.toml";
    for (path, text) in [
        ("run.sh", "cd ../prime-rl && uv run rl @ ../project/configs/rl.toml\n"),
        ("scripts/run.sh", "DIR=\"${DIR:-../prime-rl}\"\ncd \"$DIR\"\nuv run rl @ $1\n"),
        ("scripts/run.sh", "pushd ../../prime-rl\n"),
        ("run.sh", "cd $HOME/prime-rl\nuv run rl @ x\n"),
        ("Makefile", "rl:\n\tuv run --project ../prime-rl rl @ configs/rl.toml\n"),
        ("README.md", "Start it with `uv run --directory=../prime-rl rl @ $PWD/configs/rl.toml`.\n"),
        (file, "# Usage:\n#   cd ../prime-rl && uv run rl @ ../project/configs/rl.toml\nmax_steps = 1\n"),
        (file, "# uv run --project ~/prime-rl rl @ configs/rl.toml\n"),
        (file, "# cd ../../prime-rl\n"),
    ] {
        let around = beside(&[(path, text)]);
        assert_eq!(used(around.path(), "project", file).as_deref(), Some("prime-rl"), "{path}: {text}");
    }
}

#[test]
fn a_clone_that_no_command_uses_is_not_used() {
    for (path, text) in [
        ("run.sh", "cd ../verifiers && uv run rl @ x # not prime-rl\n"),
        ("run.sh", "# cd ../prime-rl\n"),
        ("README.md", "It is like the one in ../prime-rl, but with more.\n"),
        ("configs/rl.toml", "output_dir = '../prime-rl'\nname = 'cd ../prime-rl'\n"),
    ] {
        let around = beside(&[(path, text)]);
        assert_eq!(used(around.path(), "project", "configs/rl.toml"), None, "{path}: {text}");
    }
    // What is no repository is not used, whatever a text says.
    let around = beside(&[("run.sh", "cd ../prime-rl\n"), ("configs/rl.toml", "# cd ../prime-rl\n")]);
    fs::remove_dir_all(around.path().join("prime-rl/.git")).expect("it is there");
    assert_eq!(used(around.path(), "project", "configs/rl.toml"), None);
}

#[test]
fn what_the_project_states_is_surer() {
    let script = ("run.sh", "cd ../prime-rl && uv run rl @ x\n");
    let around = beside(&[script, ("pyproject.toml", "[project]\nname = \"mine\"\ndependencies = [\"prime-rl==0.4.0\"]\n")]);
    assert_eq!(used(around.path(), "project", "configs/rl.toml"), None);
    // A prime-rl in the project is nearer than one beside it.
    let around = beside(&[script]);
    sources(&around.path().join("project/prime-rl"));
    assert_eq!(used(around.path(), "project", "configs/rl.toml").as_deref(), Some("project/prime-rl"));
}

#[test]
fn the_prime_rl_that_the_command_runs_in_is_used() {
    let around = beside(&[]);
    write(&around.path().join("prime-rl/pyproject.toml"), "[project]\nname = \"my-fork\"\n");
    let used = |here: &str| used(around.path(), here, &around.path().join("project/configs/rl.toml").to_string_lossy());
    write(&around.path().join("prime-rl/scripts/x.sh"), "");
    assert_eq!(used("prime-rl").as_deref(), Some("prime-rl"));
    assert_eq!(used("prime-rl/scripts").as_deref(), Some("prime-rl"));
    assert_eq!(used("project"), None);
    // It need not be a clone.
    fs::remove_dir_all(around.path().join("prime-rl/.git")).expect("it is there");
    assert_eq!(used("prime-rl").as_deref(), Some("prime-rl"));
    // What the project states is surer.
    write(&around.path().join("project/requirements.txt"), "prime-rl==0.4.0\n");
    git(&around.path().join("project"), &["add", "-A"]);
    assert_eq!(used("prime-rl"), None);
}
