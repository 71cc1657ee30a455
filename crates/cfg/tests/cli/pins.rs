//! A prime-rl whose sources are available, but not those of the verifiers that the project pins.

use serde_json::Value;

use super::schema::{folder_with, small_prime_rl};

/// A commit of the main line at which verifiers declares the runtime of an agent in the harness.
const PRIME_RL: &str = "3b22dd951cad1036d1fe8dd0a0bfc40807a9b360";
const VERIFIERS: &str = "b13ba60da63cea91389e7575766b7270d0d11fc5";

/// A later commit of verifiers, which declares the runtime in the agent.
const LATER: &str = "295a0650585af8754eaf98c6fa9071314b5a531c";

const ORCHESTRATOR: &str = "from pydantic import BaseModel
import verifiers.v1 as vf
class TrainEnvConfig(vf.EnvServerConfig):
    name: str | None = None
    address: str | None = None
    ratio: float | None = None
    sampling: dict = {}
    group_size: int = 1
    algo: dict = {}
class TrainConfig(BaseModel):
    env: list[TrainEnvConfig] = []
class OrchestratorConfig(BaseModel, extra='forbid'):
    train: TrainConfig = TrainConfig()
";

const AT_HARNESS: &str = "[[train.env]]\nenv.taskset.id = \"harbor\"\nenv.agent.harness.runtime.type = \"docker\"\n";
const AT_AGENT: &str = "[[train.env]]\nenv.taskset.id = \"harbor\"\nenv.agent.runtime.type = \"docker\"\n";
const MISSPELT: &str = "[[train.env]]\ngroup_sise = 2\n";
const WRONG: &str = "[[train.env]]\ngroup_size = \"two\"\n";

/// The verdict on a config and the codes of its findings, in a project that pins this commit of verifiers.
fn judged(pin: &str, config: &str, has_sources: bool) -> (String, Vec<String>) {
    let package = |name: &str, sha: &str| {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"0.1\"\nsource = {{ git = \"https://example.com/{name}#{sha}\" }}\n\n"
        )
    };
    let lock = format!("version = 1\n\n{}{}", package("prime-rl", PRIME_RL), package("verifiers", pin));
    let files: Vec<(String, String)> = small_prime_rl(&[("orchestrator", ORCHESTRATOR)])
        .into_iter()
        .filter(|_| has_sources)
        .map(|(path, text)| (path.replace("fork/src", ".venv/lib/python3.12/site-packages"), text))
        .collect();
    let folder = folder_with(&files, &[("uv.lock", &lock), ("orch.toml", config)]);
    let ended = folder.run("check --format json --kind orchestrator orch.toml");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let mut files = report["files"].as_array().expect("files").iter();
    let file = files.find(|file| file["path"] == "orch.toml").expect("it is reported");
    let codes = file["diagnostics"].as_array().expect("findings").iter();
    let codes = codes.filter_map(|finding| Some(finding["code"].as_str()?.to_owned()));
    (file["verdict"].as_str().unwrap_or_default().to_owned(), codes.collect())
}

#[track_caller]
fn is_judged(pin: &str, config: &str, verdict: &str, codes: &[&str]) {
    is_judged_with((pin, true), config, verdict, codes);
}

#[track_caller]
fn is_judged_with((pin, has_sources): (&str, bool), config: &str, verdict: &str, codes: &[&str]) {
    let (found, mut said) = judged(pin, config, has_sources);
    said.retain(|code| code.starts_with("PRL1"));
    assert_eq!(
        (found.as_str(), said.iter().map(String::as_str).collect::<Vec<_>>()),
        (verdict, codes.to_vec()),
        "{pin}: {config}"
    );
}

#[test]
fn a_recorded_pinned_package_decides() {
    is_judged(VERIFIERS, AT_HARNESS, "ok", &[]);
    is_judged(VERIFIERS, AT_AGENT, "rejected", &["PRL112"]);
    is_judged(LATER, AT_AGENT, "ok", &[]);
    is_judged(LATER, AT_HARNESS, "rejected", &["PRL112"]);
    is_judged(LATER, MISSPELT, "rejected", &["PRL101"]);
}

#[test]
fn a_package_that_is_not_recorded_leaves_its_own_keys_open() {
    let strange = "0123456789012345678901234567890123456789";
    is_judged(strange, AT_AGENT, "depends", &["PRL113"]);
    is_judged(strange, AT_HARNESS, "depends", &["PRL113"]);
    // What prime-rl itself declares is checked.
    is_judged(strange, WRONG, "rejected", &["PRL105", "PRL113"]);
    is_judged(strange, "[train]\n", "ok", &[]);
    is_judged(strange, "[trains]\n", "rejected", &["PRL101"]);
}

/// If prime-rl's sources are not available either, the recorded classes of the pinned package are used.
#[test]
fn a_pinned_package_decides_for_a_prime_rl_without_sources() {
    let [own, later] = [VERIFIERS, LATER].map(|pin| (pin, false));
    is_judged_with(own, AT_HARNESS, "ok", &[]);
    is_judged_with(own, AT_AGENT, "rejected", &["PRL111"]);
    is_judged_with(later, AT_AGENT, "ok", &[]);
    is_judged_with(later, AT_HARNESS, "rejected", &["PRL112"]);
    is_judged_with(later, MISSPELT, "rejected", &["PRL101"]);
    let strange = ("0123456789012345678901234567890123456789", false);
    is_judged_with(strange, AT_AGENT, "depends", &["PRL113"]);
    is_judged_with(strange, WRONG, "rejected", &["PRL105", "PRL113"]);
    is_judged_with(strange, "[trains]\n", "rejected", &["PRL101"]);
}

/// If the code of a check is not recorded, only the class with that check is left open.
#[test]
fn a_check_that_is_not_recorded_leaves_its_table_open() {
    let of = |runtime: &str| format!("[[train.env]]\nenv.taskset.id = \"harbor\"\nenv.agent.runtime = {{ {runtime} }}\n");
    is_judged(LATER, &of("type = \"docker\", depth = 1"), "rejected", &["PRL101"]);
    is_judged(LATER, &of("type = \"prime\", depth = 1"), "depends", &["PRL113"]);
}
