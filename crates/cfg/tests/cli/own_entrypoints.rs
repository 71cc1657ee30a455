//! Programs of a project in a search of a folder, in launches that pass a config otherwise than by `@`, and in a fork of prime-rl.

use super::{Folder, own_programs::judged};

const CONFIG: &str = r#"
from pydantic import BaseModel, Field


class Config(BaseModel, extra="forbid"):
    epochs: int = Field(default=3, ge=1)
    rate: float = 0.1
"#;

const CLI: &str = "from pydantic_config import cli\nfrom foo.config import Config\n\ndef main():\n    print(cli(Config))\n";

const ARGV: &str = "from pydantic_config import parse_argv\nfrom foo.config import Config\n\nif __name__ == \"__main__\":\n    print(Config(**parse_argv()))\n";

const FILE: &str = "import argparse, tomllib\nfrom foo.config import Config\n\ndef main():\n    parser = argparse.ArgumentParser()\n    \
    parser.add_argument(\"--config\")\n    with open(parser.parse_args().config, \"rb\") as file:\n        \
    print(Config.model_validate(tomllib.load(file)))\n";

const SETTINGS: &str = "from pydantic_settings import BaseSettings, SettingsConfigDict, TomlConfigSettingsSource\n\n\n\
    class Settings(BaseSettings):\n    model_config = SettingsConfigDict(toml_file=\"NAME\", extra=\"forbid\")\n    port: int = 3\n\n    @classmethod\n    \
    def settings_customise_sources(cls, settings_cls, **sources):\n        return (TomlConfigSettingsSource(settings_cls),)\n\n\n\
    def main():\n    print(Settings())\n";

const WRONG: &str = "epochs = 0\nrate = \"x\"\nratee = 3\n";

fn project(train: &str, others: &[(&str, &str)]) -> Folder {
    let files = [
        ("pyproject.toml", "[project]\nname = \"foo\"\n[project.scripts]\ntrain-it = \"foo.train:main\"\n"),
        ("src/foo/__init__.py", ""),
        ("src/foo/config.py", CONFIG),
        ("src/foo/train.py", train),
        ("right.toml", "epochs = 2\nrate = 0.2\n"),
    ];
    Folder::repository(&[&files, others].concat())
}

#[test]
fn a_search_of_a_folder_finds_the_configs_of_its_programs() {
    for train in [CLI, FILE] {
        let folder = project(train, &[("wrong.toml", WRONG), ("tool.toml", "name = \"x\"\n[build]\n")]);
        let ended = folder.run("check --format concise");
        assert_eq!(ended.status, Some(1), "{ended:?}");
        let codes = ["PRL106", "PRL105", "PRL101"].map(|code| ended.stdout.matches(&format!("error[{code}]")).count());
        assert!(codes == [1, 1, 1] && !ended.stdout.contains("tool.toml"), "{ended:?}");
    }
}

#[test]
fn a_script_says_which_program_reads_a_file() {
    let file = [("odd.toml", "rte = 1\nepoch = 3\nother = 4\n"), ("scripts/run.sh", "#!/bin/sh\nuv run train-it @ odd.toml\n")];
    let (kind, verdict, _) = judged(&project(CLI, &file), "odd.toml");
    assert_eq!((&*kind, &*verdict), ("train-it", "rejected"));
    assert_eq!(judged(&project(CLI, &file[..1]), "odd.toml").0, "");
}

#[test]
fn a_file_that_a_program_opens_itself_is_checked() {
    let folder = project(FILE, &[("wrong.toml", WRONG)]);
    for words in ["train-it --config", "train-it", "python -m foo.train", ".venv/bin/train-it --config"] {
        let (_, verdict, found) = judged(&folder, &format!("-- {words} right.toml"));
        assert_eq!((&*verdict, found.len()), ("ok", 0), "{words}: {found:?}");
        let (_, verdict, found) = judged(&folder, &format!("-- {words} wrong.toml"));
        assert_eq!((&*verdict, found.len()), ("rejected", 3), "{words}: {found:?}");
    }
    // What its other flags do is not known.
    assert_eq!(judged(&folder, "-- uv run train-it --config=right.toml --epochs 3").1, "depends");
    for words in ["uv run train-it --epochs 3", "uv run train-it right.toml wrong.toml"] {
        let ended = folder.run(&format!("check --format concise -- {words}"));
        assert!(ended.status == Some(0) && ended.stdout.contains("opens its config itself, at src/foo/train.py:8"), "{ended:?}");
    }
}

#[test]
fn settings_name_their_file() {
    for (name, is_read) in [("settings.toml", true), ("../settings.toml", false)] {
        let folder = project(&SETTINGS.replace("NAME", name), &[("settings.toml", "port = \"many\"\n")]);
        let (_, _, found) = judged(&folder, "-- uv run train-it");
        assert_eq!(found.concat().contains("PRL105 port"), is_read, "{name}: {found:?}");
    }
}

#[test]
fn a_program_without_a_loader_is_no_error() {
    let folder = project("def main():\n    print(\"nothing is read\")\n", &[]);
    let ended = folder.run("check --format concise -- uv run train-it right.toml");
    assert!(ended.status == Some(0) && ended.stdout.contains("`cfg` does not check the config of `train-it`"), "{ended:?}");
    // A program that the project does not have stays one.
    assert!(folder.run("check --format concise -- uv run other right.toml").stdout.contains("PRL018"));
}

#[test]
fn a_sign_may_touch_the_file_where_the_loader_takes_it() {
    let folder = project(ARGV, &[]);
    assert_eq!(judged(&folder, "-- torchrun --nproc_per_node=2 src/foo/train.py @right.toml").1, "ok");
    assert_eq!(judged(&project(CLI, &[]), "-- uv run train-it @right.toml").1, "rejected");
}

#[test]
fn other_commands_know_what_a_file_is() {
    let folder = project(CLI, &[("other.toml", "epochs = 4\nrate = 0.2\n")]);
    let compiled = folder.run("compile right.toml");
    assert!(compiled.status == Some(0) && compiled.stdout.contains("epochs = 2"), "{compiled:?}");
    assert!(compiled.stdout.contains("as resolved by `train-it`"), "{compiled:?}");
    let compared = folder.run("diff right.toml other.toml");
    assert!(compared.status == Some(1) && compared.stdout.contains("epochs"), "{compared:?}");
    for (words, why) in [
        ("migrate right.toml", "there is nothing to migrate"),
        ("plan right.toml", "a config of `train-it` (Config of src/foo/config.py:5)"),
        ("memory right.toml", "cfg does not know what that program does"),
        ("run preflight right.toml", "cfg does not know what that program does"),
        ("compile -o files right.toml", "prime-rl's launcher writes no files"),
        ("compile --kind train-it right.toml", "only `cfg check` and `cfg schema show` take a script of the project"),
    ] {
        let ended = folder.run(words);
        assert!(ended.status == Some(2) && ended.stderr.contains(why), "{words}: {ended:?}");
    }
    let shown = folder.run("schema show --kind train-it");
    assert!(shown.status == Some(0) && shown.stdout.contains("epochs") && !shown.stdout.contains("prime-rl"), "{shown:?}");
}

/// A fork of prime-rl, as far as its programs are concerned.
fn fork() -> Folder {
    let scripts = "[project]\nname = \"prime-rl\"\n[project.scripts]\nrl = \"prime_rl.entrypoints.rl:main\"\n\
        distill = \"prime_rl.entrypoints.distill:main\"\nopaque = \"prime_rl.entrypoints.opaque:main\"\n";
    let config = "from pydantic import BaseModel\n\n\nclass Log(BaseModel, extra=\"forbid\"):\n    level: str = \"info\"\n\n\n\
        class DistillConfig(BaseModel, extra=\"forbid\"):\n    teacher: str\n    steps: int = 10\n    log: Log = Log()\n";
    let program = "from prime_rl.utils.config import cli\nfrom prime_rl.configs.distill import DistillConfig\n\n\n\
        def main():\n    run(cli(DistillConfig))\n";
    Folder::repository(&[
        ("pyproject.toml", scripts),
        ("src/prime_rl/__init__.py", ""),
        ("src/prime_rl/configs/distill.py", config),
        ("src/prime_rl/entrypoints/distill.py", program),
        ("src/prime_rl/entrypoints/opaque.py", "def main():\n    run(somehow())\n"),
        ("src/prime_rl/utils/config.py", "from pydantic_config import cli\n"),
        ("my/d.toml", "teacher = \"x\"\nstepz = 3\n[client]\nbase_urls = 3\n[log]\nlevel = \"debug\"\n"),
    ])
}

#[test]
fn an_entrypoint_of_a_fork_is_a_kind_of_its_own() {
    let folder = fork();
    for words in ["my/d.toml", "my", "--kind distill my/d.toml", "-- uv run distill @ my/d.toml"] {
        let (kind, verdict, mut found) = judged(&folder, words);
        found.sort();
        assert_eq!((&*kind, &*verdict), ("distill", "rejected"), "{words}");
        assert_eq!(found, ["PRL101 client extra_forbidden", "PRL101 stepz extra_forbidden"], "{words}");
    }
    let ended = folder.run("check --format concise -- uv run opaque @ my/d.toml");
    assert!(ended.status == Some(0) && ended.stdout.contains("does not check the config of `opaque`"), "{ended:?}");
    assert!(!ended.stdout.contains("error["), "{ended:?}");
}
