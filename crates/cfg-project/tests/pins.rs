//! The ways in which real projects state their prime-rl.

use std::{path::Path, sync::Arc};

use cfg_project::Projects;
use cfg_schema::{History, Target};
use cfg_system::MemorySystem;

/// A commit of prime-rl's main line.
const COMMIT: &str = "3b22dd951cad1036d1fe8dd0a0bfc40807a9b360";

/// The target of `/p/configs/rl.toml` with its source, or a problem; empty if there is neither.
fn detected(files: &[(&str, &str)]) -> String {
    let system = MemorySystem::with_files(files.iter().copied().chain([("/p/.git/HEAD", "?")]));
    let projects = Projects::new(Arc::new(system), None);
    let folder = Path::new("/p");
    match projects.target(Path::new("/p/configs/rl.toml")).as_deref() {
        None => String::new(),
        Some(Ok(found)) => format!("{} <- {}", found.target, found.source.describe(folder)),
        Some(Err(problem)) => problem.message(folder),
    }
}

#[test]
fn a_pyproject_states_it_in_many_forms() {
    let configs = format!(
        "prime-rl-configs @ https://github.com/PrimeIntellect-ai/prime-rl/archive/{COMMIT}.tar.gz#subdirectory=packages/prime-rl-configs"
    );
    for (requirement, wanted) in [
        (configs.as_str(), "3b22dd951"),
        (
            "prime-rl-configs @ git+https://github.com/PrimeIntellect-ai/prime-rl.git@60bc29547a8824ad1de7b9af8d265e2b27b2a72d#subdirectory=packages/prime-rl-configs",
            "0.8.0",
        ),
        ("prime-rl @ https://github.com/PrimeIntellect-ai/prime-rl/archive/refs/tags/v0.7.0.zip", "0.7.0"),
        ("prime-rl>=0.5", "0.8.0"),
        ("prime-rl[flash-attn]>=0.3,<0.6 ; sys_platform == 'linux'", "0.5.0"),
        ("prime-rl~=0.4.0", "0.4.0"),
        ("prime-rl==0.4.*", "0.4.0"),
        ("prime-rl>=0.9.1", ">=0.9.1"),
        ("prime-rl==0.9.0", "0.9.0"),
        ("prime-rl @ git+https://github.com/PrimeIntellect-ai/prime-rl.git@v0.9.0", "0.9.0"),
    ] {
        let text = format!("[project]\nname = \"mine\"\ndependencies = [\"torch\", \"{requirement}\"]\n");
        let found = detected(&[("/p/pyproject.toml", &text)]);
        let name = found.strip_suffix(" <- pyproject.toml").unwrap_or(&found);
        let same = |name: &str| Target::parse(History::built_in(), name).map(|target| target.point);
        assert!(name == wanted || same(name) == same(wanted) && same(name).is_ok(), "{requirement}: {found}");
    }
    let versions = "[project]\ndependencies = [\"prime-rl-configs==0.4.0\"]\n";
    assert!(detected(&[("/p/pyproject.toml", versions)]).contains("are not those of prime-rl"));
    let none = "[project]\ndependencies = [\"prime-rl<0.2\"]\n";
    assert_eq!(detected(&[("/p/pyproject.toml", none)]), "no known release of prime-rl matches `<0.2` (pyproject.toml)");
}

#[test]
fn uv_sources_name_archives_folders_and_members() {
    let head = ("/p/external/prime-rl/.git/HEAD", COMMIT);
    let own = ("/p/external/prime-rl/pyproject.toml", "[project]\nname = \"prime-rl\"\n");
    let checkout = "3b22dd951 <- git checkout external/prime-rl";
    for (source, wanted) in [
        (format!("prime-rl = {{ url = \"https://github.com/PrimeIntellect-ai/prime-rl/archive/{COMMIT}.zip\" }}"), "3b22dd951 <- pyproject.toml"),
        (
            "prime-rl-configs = { git = \"https://github.com/PrimeIntellect-ai/prime-rl\", rev = \"d564195ca\", subdirectory = \"packages/prime-rl-configs\" }".to_owned(),
            "d564195ca <- pyproject.toml",
        ),
        ("prime-rl = { path = \"external/prime-rl\", editable = true }".to_owned(), checkout),
        ("prime-rl-configs = { path = \"external/prime-rl/packages/prime-rl-configs\" }".to_owned(), checkout),
        ("prime-rl = { workspace = true }\n[tool.uv.workspace]\nmembers = [\"envs/*\", \"external/*\"]".to_owned(), checkout),
    ] {
        let text = format!("[project]\nname = \"mine\"\ndependencies = [\"prime-rl\"]\n[tool.uv.sources]\n{source}\n");
        assert_eq!(detected(&[("/p/pyproject.toml", &text), head, own]), wanted, "{source}");
    }
}

#[test]
fn requirements_files_are_read_with_their_includes() {
    for (files, wanted) in [
        ([("/p/requirements.txt", "torch\nprime-rl==0.4.0 \\\n    --hash=sha256:0000\n"), ("", "")], "0.4.0 <- requirements.txt"),
        (
            [("/p/requirements-train.txt", "# pinned\nprime_rl>=0.5,<0.7  # for now\n"), ("", "")],
            "0.6.0 <- requirements-train.txt",
        ),
        (
            [
                ("/p/requirements.txt", "-r requirements/train.txt\n"),
                ("/p/requirements/train.txt", "-r ./more.txt\nprime-rl ~= 0.3.0\n"),
            ],
            "0.3.0 <- requirements/train.txt",
        ),
        (
            [("/p/requirements.txt", "git+https://github.com/PrimeIntellect-ai/prime-rl.git@d564195ca#egg=prime-rl\n"), ("", "")],
            "d564195ca <- requirements.txt",
        ),
        (
            [("/p/requirements.txt", "-e ./deps/prime-rl\n"), ("/p/deps/prime-rl/.git/HEAD", COMMIT)],
            "3b22dd951 <- git checkout deps/prime-rl",
        ),
        ([("/p/requirements.txt", "-r ../../etc/passwd\n-r requirements.txt\nverifiers==0.4.0\n"), ("", "")], ""),
    ] {
        let files = files.into_iter().filter(|(path, _)| !path.is_empty()).collect::<Vec<_>>();
        assert_eq!(detected(&files), wanted, "{files:?}");
    }
}

#[test]
fn a_lock_file_may_have_only_the_config_classes() {
    let entry = |source: &str| {
        format!("version = 1\n\n[[package]]\nname = \"prime-rl-configs\"\nversion = \"0.4.0\"\nsource = {source}\n")
    };
    let url = "https://github.com/PrimeIntellect-ai/prime-rl";
    for (source, wanted) in [
        (format!("{{ git = \"{url}?subdirectory=packages%2Fprime-rl-configs&rev={COMMIT}#{COMMIT}\" }}"), "3b22dd951 <- uv.lock"),
        (
            format!("{{ url = \"{url}/archive/{COMMIT}.tar.gz\", subdirectory = \"packages/prime-rl-configs\" }}"),
            "3b22dd951 <- uv.lock",
        ),
        (
            "{ registry = \"https://pypi.org/simple\" }".to_owned(),
            "prime-rl-configs `0.4.0` (uv.lock) does not identify a prime-rl: its versions are not those of prime-rl",
        ),
    ] {
        assert_eq!(detected(&[("/p/uv.lock", &entry(&source))]), wanted, "{source}");
    }
}

#[test]
fn scripts_and_documents_are_the_weakest_sources_of_a_target() {
    let script =
        "#!/bin/bash\nset -e\ngit clone https://github.com/PrimeIntellect-ai/prime-rl\ncd prime-rl && git checkout d564195ca\n";
    let page = "# Training\n\n```bash\ngit clone https://github.com/PrimeIntellect-ai/prime-rl\ngit -C prime-rl checkout 3b22dd951\n```\n";
    for (path, text, wanted) in [
        ("/p/setup.sh", script, "d564195ca <- setup.sh:4"),
        ("/p/scripts/install.sh", script, "d564195ca <- scripts/install.sh:4"),
        (
            "/p/Dockerfile.train",
            "RUN git clone -b v0.5.0 https://github.com/PrimeIntellect-ai/prime-rl\n",
            "0.5.0 <- Dockerfile.train:1",
        ),
        ("/p/README.md", page, "3b22dd951 <- README.md:5"),
        ("/p/docs/train.md", page, "3b22dd951 <- docs/train.md:5"),
        ("/p/src/setup.sh", script, ""),
        // A tag that prime-rl never had belongs to another project. A full hash may be one of a fork.
        ("/p/setup.sh", "git clone -b v0.1.3 https://github.com/me/prime-rl\n", ""),
        (
            "/p/setup.sh",
            "git clone https://github.com/me/prime-rl\ngit -C prime-rl checkout 0123456789012345678901234567890123456789\n",
            "prime-rl is at commit 012345678 (setup.sh:2), which is not a known commit of the main branch",
        ),
    ] {
        assert_eq!(detected(&[(path, text)]), wanted, "{path}");
    }
    assert_eq!(detected(&[("/p/setup.sh", script), ("/p/README.md", page)]), "d564195ca <- setup.sh:4");
    assert_eq!(detected(&[("/p/setup.sh", script), ("/p/requirements.txt", "prime-rl==0.4.0\n")]), "0.4.0 <- requirements.txt");
}

#[test]
fn the_config_classes_may_be_installed_alone() {
    let info = "/p/.venv/lib/python3.12/site-packages/prime_rl_configs-0.4.0.dist-info";
    let (metadata, direct) = (format!("{info}/METADATA"), format!("{info}/direct_url.json"));
    let url = format!(
        "{{\"url\": \"https://github.com/PrimeIntellect-ai/prime-rl/archive/{COMMIT}.tar.gz\", \"subdirectory\": \"x\", \"archive_info\": {{}}}}"
    );
    let version = (&*metadata, "Name: prime-rl-configs\nVersion: 0.4.0\n");
    assert!(detected(&[version, (&direct, &url)]).starts_with("3b22dd951 <- installed .venv"));
    assert!(detected(&[version]).contains("are not those of prime-rl"));
}
