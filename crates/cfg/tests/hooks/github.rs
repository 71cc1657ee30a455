//! Tests `ci/github.sh`, which has the steps of this repository's `action.yml`, without GitHub.

use std::{fs, path::Path, process::Command};

use crate::{
    CLEAN, MISSPELT, SETTINGS,
    repository::{Ended, Repository},
};

fn step(repository: &Repository, name: &str, variables: &[(&str, &str)]) -> Ended {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("ci/github.sh");
    let mut command: Command = repository.command("bash");
    command.arg(script).arg(name).env("CFG", env!("CARGO_BIN_EXE_cfg")).env("RUNNER_TEMP", repository.home());
    command.envs(variables.iter().copied()).output().expect("bash runs").into()
}

#[test]
fn changes_of_a_pull_request_are_formatted_as_code() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", CLEAN), ("same.toml", CLEAN), ("Cargo.toml", "[package]\n")]);
    repository.git("add -A").well();
    repository.git("commit -qm base").well();
    let base = repository.git("rev-parse HEAD").well();
    repository.replace("a.toml", "max_steps = 100", "max_steps = 200\n[wandb]\nname = \"</details> ``` @someone\"");
    repository.write("same.toml", &format!("# A comment.\n{CLEAN}"));
    repository.write("Cargo.toml", "[package]\nname = \"x\"\n");
    repository.git("add -A").well();
    repository.git("commit -qm change").well();
    let said = step(&repository, "markdown", &[("BASE", base.trim())]).well();
    assert!(said.contains("#### `a.toml`") && said.contains("max_steps") && said.contains("200"), "{said}");
    assert!(!said.contains("same.toml") && !said.contains("Cargo.toml"), "{said}");
    // Text from a config is always in a code span, and never HTML or Markdown.
    for line in said.lines().filter(|line| line.contains("@someone")) {
        assert!(line.contains(".wandb.name` | ") && line.contains("````\"</details> ``` @someone"), "{said}");
    }
    assert!(repository.git("worktree list").well().lines().count() == 1);
}

#[test]
fn errors_are_annotations_and_the_status_is_an_output() {
    let repository = Repository::new(&[SETTINGS, ("a b.toml", MISSPELT)]);
    let output = repository.home().join("output");
    let output = output.to_str().expect("a path in UTF-8");
    let said = step(&repository, "check", &[("GITHUB_OUTPUT", output), ("PATHS", "a b.toml\n")]).well();
    assert!(said.contains("::error ") && said.contains("rollouts_per_exmaple"), "{said}");
    assert_eq!(fs::read_to_string(output).expect("an output"), "status=1\n");
}

/// The variables of a run of the action for a pull request into `base`, in a folder outside of the checkout.
fn pull_request(repository: &Repository, checkout: &Path, base: &str) -> Vec<(&'static str, String)> {
    let at = |name: &str| repository.home().join(name).display().to_string();
    let event = format!("{{\"pull_request\": {{\"number\": 7, \"base\": {{\"sha\": \"{base}\"}}}}}}");
    fs::write(at("event.json"), event).expect("a file");
    vec![
        ("GITHUB_EVENT_NAME", "pull_request".to_owned()),
        ("GITHUB_EVENT_PATH", at("event.json")),
        ("GITHUB_OUTPUT", at("output")),
        ("GITHUB_REPOSITORY", "o/r".to_owned()),
        ("GITHUB_STEP_SUMMARY", at("summary.md")),
        ("GITHUB_WORKSPACE", checkout.display().to_string()),
        ("BASE", base.to_owned()),
        ("NUMBER", "7".to_owned()),
        ("COMMENT", "true".to_owned()),
        ("PATHS", ".".to_owned()),
        ("PATH", format!("{}:{}", at("bin"), std::env::var("PATH").unwrap_or_default())),
    ]
}

/// Puts a `gh` into the home that keeps what it is told, and knows the comments with these numbers.
fn fake_gh(repository: &Repository, comments: &str) {
    let home = repository.home();
    fs::create_dir_all(home.join("bin")).expect("a folder");
    let text = format!(
        "#!/bin/sh\necho \"$*\" >>'{0}/gh.log'\nfor word in \"$@\"; do case \"$word\" in body=@*) cp \"${{word#body=@}}\" '{0}/comment.md';; esac; done\n\
         case \"$*\" in *--paginate*) printf '%s' '{comments}';; esac\n",
        home.display()
    );
    fs::write(home.join("bin/gh"), text).expect("a file");
    fs::set_permissions(home.join("bin/gh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
}

/// The comment of the action on a pull request, from a shallow checkout of its merge as `actions/checkout` makes it.
fn comment(repository: &Repository, branch: &str) -> String {
    let base = repository.git("rev-parse main").well().trim().to_owned();
    repository.git("checkout -q --detach main").well();
    repository.git(&format!("merge -q --no-ff -m merge {branch}")).well();
    repository.git(&format!("update-ref refs/pull/{branch}/merge HEAD")).well();
    repository.git("checkout -q main").well();
    repository.git("config uploadpack.allowAnySHA1InWant true").well();
    let checkout = repository.home().join(format!("checkout of {branch}"));
    let place = checkout.to_str().expect("UTF-8");
    let from = format!("file://{}", repository.path().display());
    let git = |words: &[&str]| -> Ended {
        repository.command("git").args(["-C", place]).args(words).output().expect("git runs").into()
    };
    fs::create_dir(&checkout).expect("a folder");
    git(&["init", "-q"]).well();
    git(&["remote", "add", "origin", &from]).well();
    git(&["fetch", "-q", "--depth=1", "origin", &format!("+refs/pull/{branch}/merge:refs/remotes/pull/merge")]).well();
    git(&["checkout", "-q", "--detach", "refs/remotes/pull/merge"]).well();
    let variables = pull_request(repository, &checkout, &base);
    for name in ["check", "changes"] {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("ci/github.sh");
        let mut command = repository.command("bash");
        command.arg(script).arg(name).env("CFG", env!("CARGO_BIN_EXE_cfg")).env("RUNNER_TEMP", repository.home());
        command.envs(variables.iter().map(|(name, value)| (name, value))).current_dir(&checkout);
        Ended::from(command.output().expect("bash runs")).well();
    }
    let read = |name: &str| fs::read_to_string(repository.home().join(name)).expect("a text");
    let comment = read("comment.md");
    assert!(comment.starts_with("<!-- cfg: what changes -->\n### What changes for configs of prime-rl\n"), "{comment}");
    assert_eq!(comment.split_once('\n').map(|(_, rest)| rest.to_owned()), Some(read("summary.md")));
    for name in ["comment.md", "summary.md", "output"] {
        fs::remove_file(repository.home().join(name)).expect("it is there");
    }
    comment
}

/// The lines of a list that are not about a single value.
fn said(comment: &str) -> Vec<&str> {
    comment.lines().filter(|line| line.starts_with("- ") || line.starts_with("#### ")).collect()
}

#[test]
fn a_pull_request_gets_a_comment_about_its_configs_and_their_versions() {
    let settings = "target = \"0.4.0\"\ngpu = \"2x H100\"\n";
    let small = "max_steps = 7\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[trainer]\n[orchestrator]\n[inference]\n";
    let other = |lr: &str| CLEAN.replace("lr = 1e-5", lr);
    let repository = Repository::new(&[("cfg.toml", settings), ("a.toml", CLEAN), ("b.toml", &other("lr = 2e-5"))]);
    repository.write("c/old.toml", &other("lr = 3e-5"));
    repository.write("gone.toml", small);
    repository.cfg("registry init").well();
    repository.cfg("registry merge --install").well();
    for path in ["a.toml", "b.toml", "c/old.toml", "gone.toml"] {
        repository.cfg(&format!("bump {path} -m first")).well();
    }
    repository.commit_all().well();
    fake_gh(&repository, "");
    // A colleague's branch, while main moves on.
    repository.git("checkout -q -b work").well();
    repository.replace("a.toml", "max_steps = 100", "max_steps = 300");
    repository.cfg("bump a.toml -m longer").well();
    repository.replace("b.toml", "lr = 2e-5", "lr = 4e-5");
    repository.git("mv c/old.toml c/new.toml").well();
    repository.git("rm -q gone.toml").well();
    repository.write("n.toml", &small.replace("max_steps = 7", "# Short.\nseed = 3\nmax_steps = 9").replace("0.6B", "1.7B"));
    repository.commit_all().well();
    repository.git("checkout -q main").well();
    repository.write("README.md", "A project.\n");
    repository.commit_all().well();
    let text = comment(&repository, "work");
    for line in [
        "- renamed: `c/old.toml` to `c/new.toml`",
        "- deleted: `gone.toml`; the registry still has it: `cfg registry adopt` marks it as removed",
        "- registry: `a.toml` is `v2` instead of `v1`: longer",
        "- registry: `b.toml` was `v1`, and has no version; **missing**: the change is not registered",
        "- registry: `n.toml` has no version; **missing**: it is not registered",
        "#### `a.toml`",
        "#### `b.toml`",
        "#### `n.toml`",
    ] {
        assert!(said(&text).contains(&line), "{line}: {text}");
    }
    let renamed = "- registry: `c/new.toml` was `v1`, and has no version; **missing**: it has its old path: cfg registry mv c/old.toml c/new.toml";
    assert!(said(&text).contains(&renamed), "{text}");
    assert!(text.contains("`trainer.optim.lr` | `2e-5` | `4e-5` | training |") && text.contains("| memory | now |"), "{text}");
    assert!(text.contains("Memory and disk: as before"), "{text}");
    let asked = fs::read_to_string(repository.home().join("gh.log")).expect("a log");
    assert!(asked.contains("--method POST repos/o/r/issues/7/comments"), "{asked}");
    // A second push changes the same comment.
    fake_gh(&repository, "41");
    repository.git("checkout -q work").well();
    repository.replace("b.toml", "lr = 4e-5", "lr = 2e-5");
    repository.commit_all().well();
    fs::remove_dir_all(repository.home().join("checkout of work")).expect("it is there");
    let text = comment(&repository, "work");
    assert!(!text.contains("`b.toml`"), "{text}");
    let asked = fs::read_to_string(repository.home().join("gh.log")).expect("a log");
    assert!(asked.contains("--method PATCH repos/o/r/issues/comments/41"), "{asked}");
}

/// Pull requests without a change of any config: of the lock file, of a submodule, of the settings.
#[test]
fn a_pull_request_that_edits_no_config_is_told_what_it_means() {
    let lock = |version: &str| {
        format!(
            "version = 1\n[[package]]\nname = \"prime-rl\"\nversion = \"{version}\"\nsource = {{ registry = \"https://pypi.org/simple\" }}\n"
        )
    };
    let repository = Repository::new(&[("cfg.toml", "gpu = \"2x H100\"\n"), ("uv.lock", &lock("0.4.0")), ("a.toml", CLEAN)]);
    let module = "[submodule \"prime-rl\"]\npath = prime-rl\nurl = ../prime-rl\n";
    repository.commit_all().well();
    fake_gh(&repository, "");
    repository.git("checkout -q -b lock").well();
    repository.write("uv.lock", &lock("0.5.0"));
    repository.commit_all().well();
    let text = comment(&repository, "lock");
    assert!(said(&text).contains(&"- prime-rl `0.5.0` instead of `0.4.0`: `a.toml`"), "{text}");
    repository.git("checkout -q -b settings main").well();
    repository.write("cfg.toml", "gpu = \"2x RTX 4090\"\n");
    repository.commit_all().well();
    let text = comment(&repository, "settings");
    assert!(said(&text).contains(&"- machine: `2x RTX 4090` instead of `2x H100`: `a.toml`"), "{text}");
    assert!(text.contains("| memory | before | now |"), "{text}");
    // The submodule is a commit of prime-rl's main line, which is not cloned.
    let commits: Vec<String> = cfg_schema::History::built_in().commits().map(cfg_schema::Commit::sha).collect();
    let (earlier, later) = (&commits[commits.len() / 2 + 3], &commits[commits.len() / 2 + 30]);
    let record = |sha: &str| {
        repository.git(&format!("update-index --add --cacheinfo 160000,{sha},prime-rl")).well();
        repository.git("commit -qm pin").well();
    };
    repository.git("checkout -q main").well();
    repository.write(".gitmodules", module);
    repository.git("rm -q uv.lock").well();
    repository.git("add .gitmodules").well();
    record(earlier);
    repository.git("checkout -q -b submodule").well();
    record(later);
    let text = comment(&repository, "submodule");
    assert!(
        text.contains(&format!("- prime-rl `{}", &later[..7])) && text.contains(&format!("instead of `{}", &earlier[..7])),
        "{text}"
    );
}

/// A comment has a limited size: it ends with a whole line, and says how to see the rest.
#[test]
fn a_long_comment_is_cut_at_a_line() {
    let many: Vec<(String, String)> = (0..130)
        .map(|at| {
            (
                format!("configs/a-config-with-a-long-name-{at}.toml"),
                CLEAN.replace("max_steps = 100", &format!("max_steps = {}", 100 + at)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = many.iter().map(|(name, text)| (&**name, &**text)).chain([SETTINGS]).collect();
    let repository = Repository::new(&files);
    repository.commit_all().well();
    fake_gh(&repository, "");
    repository.git("checkout -q -b work").well();
    for (name, text) in &many {
        let changes = [("lr = 1e-5", "lr = 2e-5"), ("batch_size = 512", "batch_size = 256"), ("max_steps = 1", "max_steps = 2")];
        repository.write(name, &changes.iter().fold(text.clone(), |text, (old, new)| text.replace(old, new)));
    }
    repository.commit_all().well();
    let base = repository.git("rev-parse main").well().trim().to_owned();
    let variables = pull_request(&repository, &repository.path(), &base);
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, &**value)).collect();
    step(&repository, "changes", &variables).well();
    let comment = fs::read_to_string(repository.home().join("comment.md")).expect("a comment");
    let last = format!("The rest is left out: `cfg diff --since {base}` shows all of it.\n");
    assert!(comment.ends_with(&last) && comment.len() < 62_000, "{} {:?}", comment.len(), comment.get(comment.len() - 300..));
    assert_eq!(comment.matches("<details>").count(), comment.matches("</details>").count());
}
