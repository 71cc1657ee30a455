//! Launches of repositories in memory.

use std::{path::Path, sync::Arc};

use cfg_system::MemorySystem;

use crate::Projects;

/// The launches that name a file, as words, each with its files.
fn launches(files: &[(&str, &str)], of: &str) -> Vec<String> {
    let system = MemorySystem::with_files(files.iter().copied().chain([("r/.git/HEAD", "")]));
    let projects = Projects::new(Arc::new(system), None);
    let file = projects.system().absolute(Path::new(of));
    let shown = |path: &Path| projects.system().shown(path);
    let index = projects.launch_index(&file);
    index.of(&file).map(|placed| placed.named(shown).words.join(" ")).collect()
}

#[test]
fn launches_anywhere_in_the_repository_are_placed() {
    let configs = [("r/c/base.toml", ""), ("r/c/run.toml", "")];
    let together = ["@ r/c/base.toml @ r/c/run.toml"];
    for script in [
        ("r/launch.sh", "uv run rl @ c/base.toml @ c/run.toml"),
        ("r/c/run.sbatch", "srun uv run rl @ base.toml @ run.toml"),
        ("r/experiments/one/go.sh", "uv run rl @ ../../c/base.toml @ c/run.toml"),
        ("r/experiments/one/go.sh", "cd ../../c\nuv run rl @ base.toml @ run.toml"),
        ("r/Makefile", "train:\n\tuv run rl @ c/base.toml @ c/run.toml"),
        ("r/.github/workflows/ci.yml", "      - run: uv run rl @ c/base.toml @ c/run.toml"),
        ("r/.github/workflows/ci.yml", "working-directory: c\n- run: uv run rl @ base.toml @ run.toml"),
        ("r/scripts/launch", "#!/bin/sh\nuv run rl @ c/base.toml @ c/run.toml"),
        ("r/exp/other.toml", "# uv run rl @ c/base.toml @ c/run.toml\n"),
        ("r/launch.py", "run(['uv', 'run', 'rl', '@', 'c/base.toml', '@', 'c/run.toml'])"),
        ("r/tools/go.py", "run(['rl', '@', 'base.toml', '@', 'run.toml'], cwd='c')"),
    ] {
        let files = [configs[0], configs[1], script];
        let expected: &[&str] = if script.1.contains("../../c/base.toml @ c/") { &[] } else { &together };
        assert_eq!(launches(&files, "r/c/base.toml"), expected, "{script:?}");
        assert_eq!(launches(&files, "r/c/run.toml"), expected, "{script:?}");
    }
}

/// Decorators are no launches, so many sources leave what is needed to read the comments of configs.
#[test]
fn sources_of_python_displace_no_config() {
    let source = format!("# a.toml\n{}", "@decorated\n".repeat(super::MAX_AT_SIGNS_OF_A_TEXT));
    let names: Vec<String> =
        (0..=super::MAX_AT_SIGNS / super::MAX_AT_SIGNS_OF_A_TEXT).map(|number| format!("r/p/{number}.py")).collect();
    let configs = [("r/c/base.toml", ""), ("r/c/run.toml", "# uv run rl @ c/base.toml @ c/run.toml\n")];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &*source)).chain(configs).collect();
    assert_eq!(launches(&files, "r/c/base.toml"), ["@ r/c/base.toml @ r/c/run.toml"]);
}

#[test]
fn a_launch_of_files_that_are_not_there_is_none() {
    let files = [
        ("r/c/base.toml", ""),
        ("r/launch.sh", "uv run rl @ c/base.toml @ c/gone.toml"),
        ("r/scripts/notes", "rl @ c/base.toml"),
    ];
    assert!(launches(&files, "r/c/base.toml").is_empty());
}

#[test]
fn a_launch_says_what_its_files_are_although_others_are_not_there() {
    let files = [("r/c/base.toml", ""), ("r/c/other.toml", ""), ("r/launch.sh", "uv run rl @ c/base.toml @ c/gone.toml")];
    let system = MemorySystem::with_files(files.iter().copied().chain([("r/.git/HEAD", "")]));
    let projects = Projects::new(Arc::new(system), None);
    let kinds = |name: &str| {
        let file = projects.system().absolute(Path::new(name));
        projects.launch_index(&file).incomplete_of(&file).map(|launch| launch.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("r/c/base.toml"), [cfg_schema::Kind::Rl]);
    assert!(kinds("r/c/other.toml").is_empty() && kinds("r/c/gone.toml").is_empty());
}
