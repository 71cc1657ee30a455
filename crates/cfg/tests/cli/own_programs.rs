//! Configs of programs of a project that are none of prime-rl's: their classes are read from the project.

use serde_json::Value;

use super::Folder;

const CONFIG: &str = r#"
from pydantic import model_validator
from pydantic_config import BaseConfig


class Data(BaseConfig):
    name: str = "c4"
    batch_size: int
    name: str


class Config(BaseConfig):
    data: Data
    steps: int = 10
    save_every: int = 5

    @model_validator(mode="after")
    def check_steps(self):
        if self.save_every > self.steps:
            raise ValueError("nothing would be saved")
        return self
"#;

const PROJECT: &str = "[project]\nname = \"small\"\n[project.scripts]\ntrain = \"small.train:main\"\nown = \"small.own:main\"\n\
                       tyro = \"small.of_tyro:main\"\nrl = \"small.runs:main\"\n";

const TRAIN: &str = r#"
from small.config import Config


def main():
    from pydantic_config import cli
    run(cli(Config))


def run(config):
    ...


if __name__ == "__main__":
    main()
"#;

const OF_ARGUMENTS: &str = "from pydantic_config import parse_argv\nfrom small.config import Config\n\n\nif __name__ == \"__main__\":\n    \
                            print(Config(**parse_argv()))\n";

const OWN: &str = "from small.config import Config\n\ndef cli(cls):\n    return cls()\n\ndef main():\n    return cli(Config)\n";

const OF_TYRO: &str = "import tyro\nfrom small.config import Config\n\ndef main():\n    return tyro.cli(Config)\n";

const RUNS: &str =
    "from pydantic_config import cli\nfrom prime_rl.configs.rl import RLConfig\n\ndef main():\n    return cli(RLConfig)\n";

fn project() -> Folder {
    Folder::repository(&[
        ("pyproject.toml", PROJECT),
        ("src/small/__init__.py", ""),
        ("src/small/config.py", CONFIG),
        ("src/small/train.py", TRAIN),
        ("src/small/of_arguments.py", OF_ARGUMENTS),
        ("src/small/own.py", OWN),
        ("src/small/of_tyro.py", OF_TYRO),
        ("src/small/runs.py", RUNS),
        ("configs/right.toml", "steps = 20\n[data]\nbatch_size = 8\n"),
        ("configs/wrong.toml", "stepz = 20\nsave_every = 30\n[data]\nbatch_size = \"many\"\n"),
        ("configs/late.toml", "save_every = 30\n[data]\nbatch_size = 8\n"),
    ])
}

/// The kind, the verdict, and the findings of a check: code and key, with the type of pydantic's error.
pub(super) fn judged(folder: &Folder, words: &str) -> (String, String, Vec<String>) {
    let ended = folder.run(&format!("check --format json {words}"));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let file = &report["files"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = file["diagnostics"].as_array().expect("findings").iter();
    let found = found.map(|found| format!("{} {} {}", text(&found["code"]), text(&found["key"]), text(&found["native"]["type"])));
    (text(&file["kind"]), text(&file["verdict"]), found.collect())
}

#[test]
fn a_command_is_checked_by_the_class_that_its_program_loads() {
    let folder = project();
    for program in
        ["uv run train", "uv run python src/small/of_arguments.py", "python -m small.train", "torchrun src/small/train.py"]
    {
        let name = program.rsplit(' ').next().expect("a word").to_owned();
        assert_eq!(
            judged(&folder, &format!("-- {program} @ configs/right.toml")),
            (name.clone(), "ok".to_owned(), vec![]),
            "{program}"
        );
        let wrong = ["PRL105 data.batch_size int_parsing", "PRL101 stepz extra_forbidden"].map(str::to_owned);
        let (kind, verdict, mut found) = judged(&folder, &format!("-- {program} @ configs/wrong.toml"));
        found.sort_by_key(|found| !found.starts_with("PRL105"));
        found.truncate(2);
        assert_eq!((kind, verdict, found), (name, "rejected".to_owned(), wrong.to_vec()), "{program}");
    }
    let (_, verdict, found) = judged(&folder, "-- uv run train @ configs/late.toml");
    assert_eq!((&*verdict, &*found.join(", ")), ("rejected", "PRL202 save_every value_error"));
    let (_, verdict, found) = judged(&folder, "-- uv run train @ configs/late.toml --steps 40 --data.batch-size 4");
    assert_eq!((&*verdict, found.len()), ("ok", 0), "{found:?}");
    let people = folder.run("check -- uv run train @ configs/wrong.toml");
    insta::assert_snapshot!("a_config_of_a_program_of_the_project", people.stdout);
}

#[test]
fn a_file_is_checked_as_the_config_of_a_stated_script() {
    let folder = project();
    assert_eq!(judged(&folder, "--kind train configs/right.toml"), ("train".to_owned(), "ok".to_owned(), vec![]));
    assert_eq!(judged(&folder, "--kind train configs/wrong.toml").1, "rejected");
    let unknown = folder.run("check --kind trian configs/right.toml");
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
    assert!(
        unknown.stderr.contains("unknown kind `trian`") && unknown.stderr.contains("scripts own, train, tyro"),
        "{unknown:?}"
    );
    let other = folder.run("schema export --kind train");
    assert_eq!(other.status, Some(2), "{other:?}");
}

#[test]
fn a_loader_that_is_not_understood_is_said() {
    let folder = project();
    for (command, why) in [
        ("uv run own @ configs/right.toml", "is the project's own loader"),
        ("uv run tyro @ configs/right.toml", "`tyro.cli` reads no file of TOML"),
    ] {
        let ended = folder.run(&format!("check --format concise -- {command}"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ended.stdout.contains(why) && ended.stdout.matches("PRL").count() <= 2, "{ended:?}");
    }
}

#[test]
fn a_program_that_loads_a_class_of_prime_rl_reads_its_kind() {
    let folder = project();
    std::fs::write(folder.path.join("configs/rl.toml"), "[trainer]\n[orchestrator]\n[inference]\n").expect("a file");
    let (kind, ..) = judged(&folder, "-- python -m small.runs @ configs/rl.toml");
    assert_eq!(kind, "rl");
}

#[test]
fn a_file_with_the_keys_of_one_table_is_told_as_a_part() {
    let folder = project();
    std::fs::write(folder.path.join("configs/data.toml"), "name = \"c4\"\nbatch_size = 8\n").expect("a file");
    let ended = folder.run("check --format concise configs/data.toml");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("this file has the keys of its table `data` alone"), "{ended:?}");
    // A single common word may be a key of any file.
    std::fs::write(folder.path.join("configs/name.toml"), "name = \"c4\"\n").expect("a file");
    let ended = folder.run("check --format concise configs/name.toml");
    assert!(!ended.stdout.contains("has the keys of its table"), "{ended:?}");
}

/// A project that only pins a release of verifiers is checked by the fields that are recorded of it.
#[test]
fn a_typed_evaluation_is_checked_for_the_release_that_is_pinned() {
    for (pin, verdict, found) in [
        ("verifiers==0.4.0", "rejected", vec!["PRL105 sampling.max_tokens int_parsing", "PRL101 num_tasks extra_forbidden"]),
        ("verifiers==99.0", "rejected", vec![]),
    ] {
        let folder = Folder::repository(&[
            ("pyproject.toml", &format!("[project]\nname = \"small\"\ndependencies = [\"{pin}\"]\n")),
            ("run.toml", "model = \"x/y\"\nnum_tasks = 3\n[sampling]\nmax_tokens = \"x\"\n"),
        ]);
        let (_, judged, mut keys) = judged(&folder, "-- uv run vf-eval @ run.toml");
        keys.retain(|key| !key.starts_with("PRL010"));
        assert_eq!((&*judged, keys), (verdict, found.into_iter().map(str::to_owned).collect::<Vec<_>>()), "{pin}");
    }
}

/// Settings that are made when their module is imported need no program.
#[test]
fn settings_of_an_imported_module_are_checked() {
    let settings = "from pydantic_settings import BaseSettings, SettingsConfigDict, TomlConfigSettingsSource\n\n\n\
        class Settings(BaseSettings):\n    base_url: str\n    refresh_rate: int\n\n    model_config = SettingsConfigDict(toml_file=\"config.toml\")\n\n    \
        @classmethod\n    def settings_customise_sources(cls, settings_cls, **sources):\n        return (TomlConfigSettingsSource(settings_cls),)\n\n\n\
        settings = Settings()\n";
    let folder = Folder::repository(&[
        ("pyproject.toml", "[project]\nname = \"scraper\"\n"),
        ("scraper/__init__.py", ""),
        ("scraper/settings.py", settings),
        ("config.toml", "base_url = \"https://x\"\nrefresh_rate = \"often\"\n"),
    ]);
    let ended = folder.run("check --format concise config.toml");
    assert!(ended.stdout.contains("PRL105") && ended.stdout.contains("`scraper/settings.py`"), "{ended:?}");
}
