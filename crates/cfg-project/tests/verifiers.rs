//! The detection of a project's verifiers.

use std::{path::Path, sync::Arc};

use cfg_project::{Projects, Verifiers};
use cfg_system::MemorySystem;

const LOADER: &str = "def load_toml_config(path):\n    valid_fields = {\"env_id\", \"model\"}\n    return []\n";

/// The entry of a lock file.
fn locked(version: &str, source: &str) -> String {
    format!("version = 1\n\n[[package]]\nname = \"verifiers\"\nversion = \"{version}\"\nsource = {{ {source} }}\n\n")
}

/// The verifiers that are detected for `/p/envs/one/configs/eval.toml`, as text.
fn found(files: &[(&str, &str)]) -> String {
    let system = MemorySystem::with_files(files.iter().copied().chain([("/p/.git/HEAD", "?")]));
    match Projects::new(Arc::new(system), None).verifiers(Path::new("/p/envs/one/configs/eval.toml")) {
        None => "nothing".to_owned(),
        Some(Verifiers::Source(keys)) => format!("{} at {}", keys.names.join(" "), keys.place),
        Some(Verifiers::Release(_, name)) => format!("release {name}"),
        Some(Verifiers::Commit(_, name)) => format!("commit {name}"),
    }
}

#[test]
fn the_nearest_lock_file_with_the_package_is_used() {
    let (own, above) = (locked("0.1.11", "registry = \"https://x/simple\""), locked("0.1.14", "registry = \"https://x/simple\""));
    assert_eq!(found(&[("/p/uv.lock", &above)]), "release 0.1.14");
    assert_eq!(found(&[("/p/uv.lock", &above), ("/p/envs/one/uv.lock", &own)]), "release 0.1.11");
    // A lock file above the repository does not belong to it.
    assert_eq!(found(&[("/uv.lock", &above)]), "nothing");
    assert_eq!(found(&[("/p/uv.lock", "version = 1\n\n[[package]]\nname = \"verifiers-extra\"\nversion = \"1\"\n")]), "nothing");
}

#[test]
fn sources_take_precedence_over_the_lock_file() {
    let lock = locked("0.1.14", "registry = \"https://x/simple\"");
    for folder in ["/p", "/p/src", "/p/deps/verifiers", "/p/.venv/lib/python3.12/site-packages"] {
        for inner in ["utils", "legacy/utils"] {
            let path = format!("{folder}/verifiers/{inner}/eval_utils.py");
            let told = found(&[("/p/uv.lock", &lock), (&path, LOADER)]);
            assert_eq!(told, format!("env_id model at {}:2", &path[1..]), "{path}");
        }
    }
    // A folder of that name is not necessarily the package.
    assert_eq!(found(&[("/p/uv.lock", &lock), ("/p/verifiers/check.py", "x = 1\n")]), "release 0.1.14");
}

#[test]
fn a_lock_file_may_name_a_commit_or_a_folder() {
    let commit = locked("0.1.13.dev8", "git = \"https://github.com/PrimeIntellect-ai/verifiers.git?rev=980a9ea#980a9ea855cd\"");
    assert_eq!(found(&[("/p/uv.lock", &commit)]), "commit 0.1.13.dev8");
    let folder = locked("0.1.14", "editable = \"vendor/verifiers\"");
    let source = "/p/vendor/verifiers/verifiers/utils/eval_utils.py";
    assert_eq!(found(&[("/p/uv.lock", &folder), (source, LOADER)]), format!("env_id model at {}:2", &source[1..]));
}
