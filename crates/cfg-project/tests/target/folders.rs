//! A prime-rl in a folder of the project, as a clone or a copy, tracked or not.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_project::{Index, OwnClasses, Projects};
use cfg_schema::{Kind, Node, Target};
use cfg_system::{Admission, OsSystem, System};
use tempfile::TempDir;

use super::{detected, folder, git, known, pins::lock, repository, within, write};

/// Writes the sources of a prime-rl with a key of its own.
pub(super) fn sources(folder: &Path) {
    let class = |name: &str| format!("from pydantic import BaseModel\nclass {name}(BaseModel):\n    warp: int = 1\n");
    for (module, name) in [
        ("rl", "RLConfig"),
        ("trainer", "TrainerConfig"),
        ("orchestrator", "OrchestratorConfig"),
        ("inference", "InferenceConfig"),
        ("sft", "SFTConfig"),
    ] {
        write(&folder.join(format!("src/prime_rl/configs/{module}.py")), &class(name));
    }
}

/// The folder whose classes the target of `configs/rl.toml` has, relative to the project, and whether they were read.
fn found(project: &Path, system: Arc<dyn System>) -> Option<PathBuf> {
    let projects = Projects::new(system, None);
    let answer = projects.target(Path::new("configs/rl.toml"))?;
    let own = answer.as_ref().as_ref().ok()?.own.clone()?;
    assert_eq!(own.own_keys(), 5, "{own:?}");
    Some(own.folder.strip_prefix(project).map(Path::to_owned).unwrap_or(own.folder.clone()))
}

/// A repository with a config, in which `place` has the sources of a prime-rl and is ignored.
fn project(place: &str) -> TempDir {
    let folder = folder(&[("configs/rl.toml", ""), (".gitignore", "/*\n!configs\n")]);
    repository(folder.path());
    sources(&folder.path().join(place));
    folder
}

#[test]
fn a_copy_in_any_folder_of_the_project_is_used() {
    for place in ["prime-rl", "prime_rl_fork", "deps/prime-rl", "third_party/prime-rl", "a/b/mine", "configs/prime-rl", ""] {
        let project = project(place);
        let path = project.path().canonicalize().expect("it is there");
        assert_eq!(found(&path, within(&path, &[])), Some(PathBuf::from(place)), "{place}");
        // Also in a commit, which does not contain it.
        let index: Arc<dyn System> = Arc::new(Index::open(&within(&path, &[]), &path).expect("a repository"));
        assert_eq!(found(&path, index), Some(PathBuf::from(place)), "{place}");
        // Without a repository, a project is what is beside its `pyproject.toml`.
        fs::remove_dir_all(path.join(".git")).expect("it is there");
        write(&path.join("pyproject.toml"), "[project]\nname = \"mine\"\n");
        assert_eq!(found(&path, within(&path, &[])), Some(PathBuf::from(place)), "{place}");
    }
}

#[test]
fn a_clone_in_the_project_is_at_its_commit() {
    let (target, sha) = known();
    for place in ["prime-rl", "external/fork"] {
        let project = project(place);
        let clone = project.path().join(place);
        write(&clone.join("pyproject.toml"), "[project]\nname = \"prime-rl\"\n");
        fs::remove_dir_all(clone.join("src")).expect("it is there");
        repository(&clone);
        write(&clone.join(".git/HEAD"), &format!("{sha}\n"));
        assert_eq!(detected(project.path(), "configs"), format!("{target} <- git checkout {place}"));
        let path = project.path().canonicalize().expect("it is there");
        let index: Arc<dyn System> = Arc::new(Index::open(&within(&path, &[]), &path).expect("a repository"));
        let answer = Projects::new(index, None).target(Path::new("configs/rl.toml")).expect("it is found");
        let found: &Target = &answer.as_ref().as_ref().expect("it is usable").target;
        assert_eq!(found.point, target.point);
    }
}

#[test]
fn beside_configs_without_a_project_only_its_name_counts() {
    let folder = folder(&[("p/rl.toml", "")]);
    let path = folder.path().canonicalize().expect("it is there");
    sources(&path.join("p/prime-rl"));
    sources(&path.join("p/other"));
    sources(&path.join("prime-rl"));
    let own = |file: &str, here: &str| {
        let answer = Projects::new(within(&path.join(here), &[]), None).target(&path.join(file))?;
        Some(answer.as_ref().as_ref().ok()?.own.as_ref()?.folder.strip_prefix(&path).expect("below").to_owned())
    };
    assert_eq!(own("p/rl.toml", "p"), Some(PathBuf::from("p/prime-rl")));
    fs::remove_dir_all(path.join("p/prime-rl")).expect("it is there");
    // In the working folder everything counts, and nothing above it.
    assert_eq!(own("p/rl.toml", "p"), Some(PathBuf::from("p/other")));
    fs::remove_dir_all(path.join("p/other")).expect("it is there");
    assert_eq!(own("p/rl.toml", "p"), None);
}

/// The working folder need not be part of what the user named.
#[test]
fn a_prime_rl_in_the_working_folder_is_used() {
    let folder = folder(&[("configs/rl.toml", "")]);
    let path = folder.path().canonicalize().expect("it is there");
    sources(&path.join("prime-rl"));
    let here = |here: &Path| {
        let system = OsSystem::within(here, &[("VIRTUAL_ENV", OsStr::new(""))]);
        system.admit(&path.join("configs/rl.toml"), Admission::Named);
        let answer = Projects::new(Arc::new(system), None).target(&path.join("configs/rl.toml"))?;
        Some(answer.as_ref().as_ref().ok()?.own.as_ref()?.folder.clone())
    };
    assert_eq!(here(&path), Some(path.join("prime-rl")));
    assert_eq!(here(path.parent().expect("a folder")), None, "in a folder that nobody named");
    sources(&path.join("configs/prime-rl"));
    assert_eq!(here(path.parent().expect("a folder")), Some(path.join("configs/prime-rl")));
    fs::remove_dir_all(path.join("configs/prime-rl")).expect("it is there");
    assert_eq!(here(&path.join("configs")), None);
}

#[test]
fn the_nearest_prime_rl_decides_and_two_alike_do_not() {
    let project = project("a/one");
    let path = project.path().canonicalize().expect("it is there");
    let own = || found(&path, within(&path, &[]));
    sources(&path.join("b/two"));
    assert_eq!(own(), None, "either can be used");
    sources(&path.join("b/prime-rl"));
    assert_eq!(own(), Some(PathBuf::from("b/prime-rl")));
    sources(&path.join("c/prime_rl"));
    assert_eq!(own(), None);
    sources(&path.join("configs/x/fork"));
    assert_eq!(own(), Some(PathBuf::from("configs/x/fork")));
}

#[test]
fn what_is_no_prime_rl_of_the_project_is_not_used() {
    let project = project("a/b/c/prime-rl");
    let path = project.path().canonicalize().expect("it is there");
    let own = || found(&path, within(&path, &[]));
    assert_eq!(own(), None, "too deep");
    sources(&path.join("other/prime-rl"));
    repository(&path.join("other"));
    assert_eq!(own(), None, "of another repository");
    write(&path.join("configs/prime_rl/trainer/rl.toml"), "");
    write(&path.join("configs/prime-rl/rl.toml"), "");
    write(&path.join("prime-rl/README.md"), "notes");
    sources(&path.join(".hidden/prime-rl"));
    sources(&path.join("node_modules/prime-rl"));
    assert_eq!(own(), None);
    #[cfg(unix)]
    {
        let outside = folder(&[]);
        sources(outside.path());
        std::os::unix::fs::symlink(outside.path(), path.join("link")).expect("a link");
        fs::remove_dir_all(path.join("prime-rl")).expect("it is there");
        std::os::unix::fs::symlink(outside.path(), path.join("prime-rl")).expect("a link");
        assert_eq!(own(), None, "a link out of the project");
    }
}

#[test]
fn a_prime_rl_at_hand_is_surer_than_a_pin_unless_the_pin_is_a_folder() {
    let project = project("prime-rl");
    let path = project.path().canonicalize().expect("it is there");
    let own = || found(&path, within(&path, &[]));
    write(&path.join("uv.lock"), &lock("{ registry = \"r\" }"));
    assert_eq!(own(), Some(PathBuf::from("prime-rl")));
    sources(&path.join("b/other"));
    write(&path.join("b/other/pyproject.toml"), "[project]\nname = \"prime-rl\"\n");
    git(&path, &["add", "--force", "b"]);
    git(&path, &["commit", "-q", "-m", "second"]);
    write(&path.join("uv.lock"), &lock("{ editable = \"b/other\" }"));
    assert_eq!(own(), Some(PathBuf::from("b/other")));
    write(
        &path.join("uv.lock"),
        &lock(&format!("{{ git = \"https://github.com/PrimeIntellect-ai/prime-rl?rev=main#{}\" }}", known().1)),
    );
    assert_eq!(detected(&path, "configs"), format!("{} <- uv.lock", known().0));
    sources(&path.join("configs/prime-rl"));
    assert_eq!(detected(&path, "configs"), format!("{} <- uv.lock", known().0), "of the project around it");
    fs::remove_dir_all(path.join("configs/prime-rl")).expect("it is there");
    // What is installed in the project's environment is what runs.
    let info = ".venv/lib/python3.12/site-packages/prime_rl-0.4.0.dist-info";
    write(&path.join(info).join("METADATA"), "Name: prime-rl\nVersion: 0.4.0\n\n");
    fs::remove_file(path.join("uv.lock")).expect("it is there");
    assert_eq!(detected(&path, "configs"), format!("0.4.0 <- installed {info}"));
    write(&path.join("cfg.toml"), "target = \"0.5.0\"\n");
    assert_eq!(detected(&path, "configs"), "0.5.0 <- cfg.toml:1");
}

/// A fork's own script reads a class of its own: it takes the place of the one that it resembles.
#[test]
fn a_script_of_a_fork_has_the_class_that_it_loads() {
    let folder = project("prime");
    let path = folder.path().canonicalize().expect("it is there");
    let fork = path.join("prime");
    write(
        &fork.join("pyproject.toml"),
        "[project]\nname = 'prime-rl'\n[project.scripts]\nrl = 'prime_rl.rl:main'\nrl_slurm = 'prime_rl.slurm:main'\nsame = \
         'prime_rl.same:main'\nother = 'prime_rl.other:main'\nbroken = 'prime_rl.none:main'\n",
    );
    let loads = |class: &str| format!("from prime_rl.utils import parse_argv\n{class}\n");
    for (module, text) in [
        (
            "slurm",
            loads(
                "from prime_rl.configs.rl import RLConfig\nclass Slurm(RLConfig):\n    job_name: str\ndef main():\n    run(parse_argv(Slurm))",
            ),
        ),
        ("same", loads("from prime_rl.configs.rl import RLConfig\ndef main():\n    run(parse_argv(RLConfig))")),
        (
            "other",
            loads(
                "from pydantic import BaseModel\nclass Other(BaseModel):\n    port: int = 1\ndef main():\n    run(parse_argv(Other))",
            ),
        ),
    ] {
        write(&fork.join(format!("src/prime_rl/{module}.py")), &text);
    }
    let system = within(&path, &[]);
    let projects = Projects::new(Arc::clone(&system), None);
    let answer = projects.target(Path::new("configs/rl.toml")).expect("it is found");
    let own = answer.as_ref().as_ref().expect("it is usable").own.clone().expect("its sources are there");
    assert!(own.has_entrypoints() && own.entrypoint().is_none());
    let scripts = own.as_entrypoints(&*system);
    assert_eq!(scripts.iter().map(|own| own.entrypoint()).collect::<Vec<_>>(), [Some("rl_slurm")]);
    let names = |own: &OwnClasses| -> Vec<&str> { own.history.root(Kind::Rl).children().filter_map(Node::field_name).collect() };
    assert_eq!((names(&own), names(&scripts[0])), (vec!["warp"], vec!["job_name", "warp"]));
}
