//! What the files of a project pin: lock files, requirements, installed distributions.

use std::fs;

use cfg_schema::{History, Target};

use super::{KNOWN, detected, detected_in, folder, known, within, write};

pub(super) fn lock(source: &str) -> String {
    format!(
        "version = 1\nrevision = 3\n\n[[package]]\nname = \"prime-rl\"\nversion = \"0.4.0\"\nsource = {source}\ndependencies = [\n    {{ name = \"torch\" }},\n]\n"
    )
}

/// The hash of a release's commit.
fn release(name: &str) -> String {
    History::built_in().tag(name).expect("it is known").sha()
}

#[test]
fn a_lock_file_names_a_commit_a_tag_a_folder_or_a_version() {
    let (target, sha) = known();
    let url = "https://github.com/PrimeIntellect-ai/prime-rl.git";
    let unknown = "0123456789012345678901234567890123456789";
    for (source, wanted) in [
        (format!("{{ git = \"{url}?rev=main#{sha}\" }}"), format!("{target} <- uv.lock")),
        (format!("{{ git = \"{url}#{sha}\" }}"), format!("{target} <- uv.lock")),
        (format!("{{ git = \"{url}?tag=v0.3.0#{unknown}\" }}"), "0.3.0 <- uv.lock".to_owned()),
        // The commit of a release has the release's name, by which everybody knows it.
        (format!("{{ git = \"{url}?tag=v0.5.0#{}\" }}", release("0.5.0")), "0.5.0 <- uv.lock".to_owned()),
        (
            format!("{{ git = \"{url}?rev=x#{unknown}\" }}"),
            "prime-rl is at commit 012345678 (uv.lock), which is not a known commit of the main branch".to_owned(),
        ),
        // The whole main line up to the end of the history is known, so another commit on it is newer.
        (format!("{{ git = \"{url}?rev=main#{unknown}\" }}"), "012345678 <- uv.lock".to_owned()),
        (format!("{{ git = \"{url}#{unknown}\" }}"), "012345678 <- uv.lock".to_owned()),
        (format!("{{ git = \"{url}?tag=v0.9.0#{unknown}\" }}"), "0.9.0 <- uv.lock".to_owned()),
        (
            format!("{{ git = \"https://github.com/me/prime-rl?rev=main#{unknown}\" }}"),
            "prime-rl is at commit 012345678 (uv.lock), which is not a known commit of the main branch".to_owned(),
        ),
        (
            format!("{{ url = \"https://github.com/PrimeIntellect-ai/prime-rl/archive/{sha}.tar.gz\" }}"),
            format!("{target} <- uv.lock"),
        ),
        ("{ registry = \"https://pypi.org/simple\" }".to_owned(), "0.4.0 <- uv.lock".to_owned()),
        ("{ editable = \"nowhere\" }".to_owned(), "0.4.0 <- uv.lock".to_owned()),
        ("{ editable = \"../checkout\" }".to_owned(), format!("{target} <- git checkout checkout")),
        ("{ broken".to_owned(), "0.4.0 <- uv.lock".to_owned()),
    ] {
        let folder = folder(&[
            ("uv.lock", &lock(&source)),
            ("p/.git/HEAD", "?"),
            ("p/uv.lock", &lock(&source)),
            ("checkout/.git/HEAD", &sha),
        ]);
        let wanted = wanted.replace("uv.lock", "p/uv.lock");
        let shown = detected(folder.path(), "p/configs").replace("p/../", "");
        assert_eq!(shown, wanted, "{source}");
    }
    let folder = folder(&[("uv.lock", "[[package]]\nname = \"torch\"\nversion = \"0.4.0\"\n")]);
    assert_eq!(detected(folder.path(), ""), "");
}

#[test]
fn a_pyproject_pins_by_version_revision_or_source() {
    let (target, sha) = known();
    for (text, wanted) in [
        (
            "[project]\ndependencies = [\"torch\", \"prime-rl[flash-attn]==0.4.0 ; sys_platform == 'linux'\"]\n".to_owned(),
            "0.4.0".to_owned(),
        ),
        ("[project]\ndependencies = [\"prime-rl @ git+https://github.com/x/prime-rl@v0.3.0\"]\n".to_owned(), "0.3.0".to_owned()),
        (
            format!("[project.optional-dependencies]\na = [\"prime_rl @ git+ssh://git@github.com/x/prime-rl.git@{sha}\"]\n"),
            target.to_string(),
        ),
        ("[dependency-groups]\nrl = [{ include-group = \"x\" }, \"prime-rl==0.2\"]\n".to_owned(), "0.2.0".to_owned()),
        ("[tool.uv]\ndev-dependencies = [\"prime-rl==0.4.0\"]\n".to_owned(), "0.4.0".to_owned()),
        (
            format!(
                "[project]\ndependencies = [\"prime-rl\"]\n[tool.uv.sources]\nprime-rl = {{ git = \"u\", rev = \"{KNOWN}\" }}\n"
            ),
            target.to_string(),
        ),
        ("[tool.uv.sources]\nPrime_RL = [{ git = \"u\", tag = \"v0.4.0\", marker = \"m\" }]\n".to_owned(), "0.4.0".to_owned()),
        ("[tool.uv.sources]\nprime-rl = { git = \"u\", branch = \"main\" }\n".to_owned(), "main".to_owned()),
    ] {
        let folder = folder(&[("pyproject.toml", &text)]);
        let shown = detected(folder.path(), "configs");
        let name = shown.strip_suffix(" <- pyproject.toml").unwrap_or(&shown);
        let parse = |name: &str| Target::parse(History::built_in(), name).map(|target| target.point);
        assert_eq!(parse(name), parse(&wanted), "{text}");
    }
    for text in [
        "[project]\ndependencies = [\"prime-rl\", 3]\n",
        "[project]\ndependencies = \"prime-rl==0.4.0\"\n",
        "[tool.uv.sources]\nprime-rl = { git = \"u\" }\n",
        "[tool.uv.sources]\nprime-rl = { git = \"u\", branch = \"feature/x\" }\n",
        "[tool.uv.sources]\nprime-rl = { workspace = true }\n",
        "prime-rl",
    ] {
        let folder = folder(&[("pyproject.toml", text)]);
        assert_eq!(detected(folder.path(), ""), "", "{text}");
    }
    let folder = folder(&[("pyproject.toml", "[project]\ndependencies = [\"prime-rl==7.0.0\"]\n")]);
    assert_eq!(detected(folder.path(), ""), "7.0.0 <- pyproject.toml");
}

#[test]
fn an_installed_distribution_has_an_origin_or_a_version() {
    let (target, sha) = known();
    let info = ".venv/lib/python3.12/site-packages/prime_rl-0.5.0.dist-info";
    let metadata = "Metadata-Version: 2.4\nName: prime-rl\nVersion: 0.4.0\n\nVersion: 9\n";
    let folder = folder(&[
        (&format!("{info}/METADATA"), metadata),
        (".venv/lib/python3.12/site-packages/prime_rl_configs-1.dist-info/METADATA", ""),
    ]);
    let at = |name: &str| format!("{name} <- installed {info}");
    assert_eq!(detected(folder.path(), "configs"), at("0.4.0"));
    let direct = folder.path().join(info).join("direct_url.json");
    write(&direct, &format!("{{\"url\": \"https://x\", \"vcs_info\": {{\"vcs\": \"git\", \"commit_id\": \"{sha}\"}}}}"));
    assert_eq!(detected(folder.path(), ""), at(&target.name));
    write(&direct, "{\"url\": \"u\", \"vcs_info\": {\"commit_id\": \"00000000000000\", \"requested_revision\": \"v0.3.0\"}}");
    assert_eq!(detected(folder.path(), ""), at("0.3.0"));
    let checkout = folder.path().join("a checkout");
    write(&checkout.join(".git/HEAD"), &sha);
    let url = checkout.display().to_string().replace(' ', "%20");
    write(&direct, &format!("{{\"url\": \"file://{url}\", \"dir_info\": {{\"editable\": true}}}}"));
    assert_eq!(detected(folder.path(), ""), format!("{target} <- git checkout a checkout"));
    for broken in ["{", "[]", "{\"url\": 1, \"vcs_info\": 1}"] {
        write(&direct, broken);
        assert_eq!(detected(folder.path(), ""), at("0.4.0"), "{broken}");
    }
    // The activated environment has the lowest priority.
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let environment = folder.path().join(".venv");
    let activated = within(elsewhere.path(), &[("VIRTUAL_ENV", environment.as_os_str())]);
    assert!(detected_in(activated, "").starts_with("0.4.0 <- installed"));
}

#[test]
fn a_pth_file_names_the_sources() {
    let (target, sha) = known();
    let library = ".venv/lib/python3.12/site-packages";
    let info = format!("{library}/prime_rl-0.5.0.dist-info");
    let folder = folder(&[
        (&format!("{info}/METADATA"), "Name: prime-rl\nVersion: 0.4.0\n\n"),
        ("clones/prime-rl/.git/HEAD", &sha),
        ("clones/prime-rl/pyproject.toml", "[project]\nname = \"prime-rl\"\n"),
        ("clones/prime-rl/src/prime_rl/__init__.py", ""),
    ]);
    let links = folder.path().join(library).join("_prime_rl.pth");
    let checkout = format!("{target} <- git checkout clones/prime-rl");
    let absolute = folder.path().join("clones/prime-rl/src");
    for line in ["../../../../clones/prime-rl/src", absolute.to_str().expect("text")] {
        write(&links, &format!("# a comment\nimport os; os.getcwd()\nno/such/folder\n{line}\n"));
        assert_eq!(detected(folder.path(), "configs"), checkout, "{line}");
    }
    // The same without any `.dist-info`.
    fs::remove_dir_all(folder.path().join(&info)).expect("it is there");
    assert_eq!(detected(folder.path(), "configs"), checkout);

    // Lines that Python would run are ignored, and modules in the library itself have priority.
    let installed = format!("0.4.0 <- installed {info}");
    write(&folder.path().join(&info).join("METADATA"), "Name: prime-rl\nVersion: 0.4.0\n\n");
    write(&links, "import sys; sys.path.append('../../../../clones/prime-rl/src')\n");
    assert_eq!(detected(folder.path(), "configs"), installed);
    write(&links, "../../../../clones/prime-rl/src\n");
    write(&folder.path().join(library).join("prime_rl/__init__.py"), "");
    assert_eq!(detected(folder.path(), "configs"), installed);
}

#[test]
fn a_development_version_is_known_by_its_commit() {
    let folder = folder(&[("pyproject.toml", "[project]\ndependencies = [\"prime-rl==0.99.1.dev3+gd564195ca.d20260106\"]\n")]);
    assert_eq!(detected(folder.path(), ""), format!("{} <- pyproject.toml", known().0));
}

#[test]
fn a_commit_beside_a_version_in_a_page_is_what_the_version_means() {
    let (target, sha) = known();
    let at = |pages: &str| detected(folder(&[(".git/HEAD", "?"), ("STATUS.md", pages)]).path(), "");
    let beside = format!("Tried with prime-rl 0.4.0\n@ `{}`, which is newer.\n", &sha[..9]);
    assert_eq!(at("We run prime-rl 0.4.0.\n"), "0.4.0 <- STATUS.md:1");
    assert_eq!(at(&format!("We run prime-rl 0.4.0.\n\n{beside}")), format!("{target} <- STATUS.md:4"));
    // A commit elsewhere, or beside another version, says nothing of this one.
    assert_eq!(at(&format!("We run prime-rl 0.4.0.\n\nA fault of prime-rl came with {sha}.\n")), "0.4.0 <- STATUS.md:1");
    assert_eq!(at(&format!("We run prime-rl 0.3.0.\n\n{beside}")), "0.3.0 <- STATUS.md:1");
}
