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

/// The text of a `cfg.toml` with a prime-rl and a machine. A value that is not given is written as a comment, with `detected`: how the prime-rl is
/// determined without it.
pub fn settings(target: Option<&SettingValue<'_>>, gpu: Option<&SettingValue<'_>>, detected: Option<&str>) -> String {
    let mut document = DocumentMut::new();
    let mut set = |key: &str, setting: &SettingValue<'_>| {
        let mut value = toml_edit::Value::from(setting.value);
        value.decor_mut().set_suffix(format!("  # {}", setting.why));
        document.insert(key, toml_edit::Item::Value(value));
    };
    let mut head = "# cfg settings for the configs in this folder and below.\n\n".to_owned();
    match (target, detected) {
        (Some(target), _) => set("target", target),
        (None, Some(detected)) => {
            let _ = writeln!(head, "# prime-rl is {detected}; override with e.g. `target = \"0.8.0\"`.");
        }
        (None, None) => {}
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

/// The name of the distribution that is installed.
const PACKAGE: &str = "cfg-prime-rl";

/// A workflow for GitHub that checks the configs on each push and pull request, with this version of `cfg`. It is installed before there is anything of
/// the repository that Python could read instead.
pub fn github_workflow(version: &str) -> String {
    format!(
        "# Checks the configs of prime-rl on each push and pull request.\nname: configs\non: [push, pull_request]\npermissions:\n  contents: read\n\
         jobs:\n  check:\n    runs-on: ubuntu-24.04\n    steps:\n      \
         # In a folder without files of the repository, none of which runs.\n      \
         - run: |\n          python3 -I -m venv cfg\n          cfg/bin/python -I -m pip install --quiet --only-binary :all: {PACKAGE}=={version}\n        \
         working-directory: ${{{{ runner.temp }}}}\n      \
         - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1   # v7.0.1\n        with:\n          persist-credentials: false\n      \
         - run: '\"$RUNNER_TEMP\"/cfg/bin/cfg check --format github'\n"
    )
}

/// A job for GitLab that lists findings in a merge request, with this version of `cfg`.
pub fn gitlab_job(version: &str) -> String {
    format!(
        "# Checks the configs of prime-rl. `include: [\".gitlab/cfg.yml\"]` in .gitlab-ci.yml uses it.\ncfg:\n  image: python:3.13-slim\n  script:\n    \
         # In a folder without files of the repository, none of which runs.\n    \
         - unset PIP_CONFIG_FILE PYTHONPATH\n    - checked=$PWD && installed=$(mktemp -d) && cd \"$installed\"\n    - python3 -I -m venv venv\n    \
         - 'venv/bin/python -I -m pip install --quiet --only-binary :all: \"{PACKAGE}=={version}\"'\n    \
         - cd \"$checked\" && rm -rf cfg.json\n    - '\"$installed\"/venv/bin/cfg check --format gitlab > cfg.json'\n  \
         artifacts:\n    when: always\n    reports:\n      \
         codequality: cfg.json\n  rules:\n    - changes: [\"**/*.toml\"]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{SettingValue, settings};

    #[test]
    fn settings_without_a_value_are_comments() {
        let gpu = SettingValue { value: "2x H100", why: "from nvidia-smi" };
        let text = settings(None, Some(&gpu), Some("0.6.0, from uv.lock"));
        let expected = "# cfg settings for the configs in this folder and below.\n\n\
                        # prime-rl is 0.6.0, from uv.lock; override with e.g. `target = \"0.8.0\"`.\n\
                        gpu = \"2x H100\"  # from nvidia-smi\n";
        assert_eq!(text, expected);
        let target = SettingValue { value: "0.8.0", why: "the newest release" };
        let text = settings(Some(&target), None, None);
        assert!(text.contains("\ntarget = \"0.8.0\"  # the newest release\n") && text.contains("# gpu = "), "{text}");
    }
}
