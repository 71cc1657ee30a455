//! The first files of a project.

use std::fmt::Write as _;

use toml_edit::DocumentMut;

/// A value of the settings, with its source.
pub struct SettingValue<'a> {
    /// The value.
    pub value: &'a str,
    /// Its source.
    pub why: &'a str,
}

/// The text of a `cfg.toml` with a prime-rl and a machine. A value that is not given is written as a comment; `about` has the lines of a comment about
/// the prime-rl, and `baseline` the file of accepted findings.
pub fn settings(
    target: Option<&SettingValue<'_>>,
    gpu: Option<&SettingValue<'_>>,
    about: &[String],
    baseline: Option<&str>,
) -> String {
    let mut document = DocumentMut::new();
    let mut set = |key: &str, setting: &SettingValue<'_>| {
        let mut value = toml_edit::Value::from(setting.value);
        let why = if setting.why.is_empty() { String::new() } else { format!("  # {}", setting.why) };
        value.decor_mut().set_suffix(why);
        document.insert(key, toml_edit::Item::Value(value));
    };
    let mut head = "# cfg settings for the configs in this folder and below.\n\n".to_owned();
    if let Some(target) = target {
        set("target", target);
    } else {
        for line in about {
            let _ = writeln!(head, "# {line}");
        }
    }
    if let Some(value) = baseline {
        set("baseline", &SettingValue { value, why: "the findings that are accepted" });
    }
    let tail = match gpu {
        Some(gpu) => {
            set("gpu", gpu);
            ""
        }
        None => "# gpu = \"2x H100\"  # the machine, for memory checks\n",
    };
    format!("{head}{document}{tail}")
}

/// A job that checks configs.
pub struct CiJob<'a> {
    /// The checked folder relative to the root of the repository, with `/`; empty for the root.
    pub folder: &'a str,
    /// Whether the prime-rl of a config depends on the day of its last change, for which the job needs all commits.
    pub needs_commits: bool,
}

impl CiJob<'_> {
    /// The arguments of `cfg check` for the folder, as a word of a shell in a text in single quotes.
    fn paths(&self) -> String {
        if self.folder.is_empty() { String::new() } else { format!(" \"{}\"", self.folder) }
    }
}

/// A workflow for GitHub that checks the configs on each push and pull request. What pip installs is a variable of the repository, without which the job
/// is skipped. It is installed before there is anything of the repository that Python could read instead.
pub fn github_workflow(job: &CiJob<'_>) -> String {
    let depth = if job.needs_commits {
        "          fetch-depth: 0   # the day of a config's last change shows its prime-rl\n"
    } else {
        ""
    };
    let paths = job.paths();
    format!(
        "# Checks the configs of prime-rl on each push and pull request, as soon as the repository has the variable CFG_PACKAGE: what pip installs,\n\
         # such as the URL of a wheel of cfg. Without it the job is skipped.\nname: configs\non: [push, pull_request]\npermissions:\n  contents: read\n\
         jobs:\n  check:\n    if: vars.CFG_PACKAGE != ''\n    runs-on: ubuntu-24.04\n    steps:\n      \
         # In a folder without files of the repository, none of which runs.\n      \
         - run: |\n          python3 -I -m venv cfg\n          cfg/bin/python -I -m pip install --quiet --only-binary :all: -- \"$CFG_PACKAGE\"\n        \
         env:\n          CFG_PACKAGE: ${{{{ vars.CFG_PACKAGE }}}}\n        \
         working-directory: ${{{{ runner.temp }}}}\n      \
         - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1   # v7.0.1\n        with:\n          persist-credentials: false\n{depth}      \
         - run: '\"$RUNNER_TEMP\"/cfg/bin/cfg check --format github{paths}'\n"
    )
}

/// A job for GitLab that lists findings in a merge request. What pip installs is a variable of the project, without which there is no job.
pub fn gitlab_job(job: &CiJob<'_>) -> String {
    let depth = if job.needs_commits {
        "  variables:\n    GIT_DEPTH: 0   # the day of a config's last change shows its prime-rl\n"
    } else {
        ""
    };
    let paths = job.paths();
    format!(
        "# Checks the configs of prime-rl, as soon as the project has the variable CFG_PACKAGE: what pip installs, such as the URL of a wheel of cfg.\n\
         cfg:\n  image: python:3.13-slim\n{depth}  script:\n    \
         # In a folder without files of the repository, none of which runs.\n    \
         - unset PIP_CONFIG_FILE PYTHONPATH\n    - checked=$PWD && installed=$(mktemp -d) && cd \"$installed\"\n    - python3 -I -m venv venv\n    \
         - 'venv/bin/python -I -m pip install --quiet --only-binary :all: -- \"$CFG_PACKAGE\"'\n    \
         - cd \"$checked\" && rm -rf cfg.json\n    - '\"$installed\"/venv/bin/cfg check --format gitlab{paths} > cfg.json'\n  \
         artifacts:\n    when: always\n    reports:\n      \
         codequality: cfg.json\n  rules:\n    - if: $CFG_PACKAGE\n"
    )
}

/// A `.gitlab-ci.yml` that has only the job in `path`.
pub fn gitlab_file(path: &str) -> String {
    format!("include:\n  - local: {path}\n")
}

/// The hook for a `.pre-commit-config.yaml`, which runs the `cfg` that is in the path.
pub const PRE_COMMIT_HOOK: &str = "  - repo: local
    hooks:
      - id: cfg-check
        name: check prime-rl configs
        entry: cfg check --configs-only
        language: system
        types_or: [toml, shell, makefile, python, yaml, json, jupyter, powershell]
        require_serial: true
";

#[cfg(test)]
mod tests {
    use super::{SettingValue, settings};

    #[test]
    fn settings_without_a_value_are_comments() {
        let gpu = SettingValue { value: "2x H100", why: "from nvidia-smi" };
        let text = settings(None, Some(&gpu), &["prime-rl is 0.6.0, from uv.lock.".to_owned()], None);
        let expected = "# cfg settings for the configs in this folder and below.\n\n\
                        # prime-rl is 0.6.0, from uv.lock.\n\
                        gpu = \"2x H100\"  # from nvidia-smi\n";
        assert_eq!(text, expected);
        let target = SettingValue { value: "0.8.0", why: "the newest release" };
        let text = settings(Some(&target), None, &[], None);
        assert!(text.contains("\ntarget = \"0.8.0\"  # the newest release\n") && text.contains("# gpu = "), "{text}");
    }
}
