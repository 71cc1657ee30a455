//! Files of the programs of a project, which nobody names: they are recognised by a command in a comment, by their keys and by their place.

use super::{Folder, own_programs};

const PROJECT: &str = "[project]\nname = \"small\"\n[project.scripts]\ntrain = \"small.train:main\"\nserve = \"small.serve:main\"\n\
                       collect = \"small.collect:main\"\nmake = \"small.make:main\"\nother = \"small.other:main\"\n";

const CONFIG: &str = r#"
from pydantic import BaseModel, ConfigDict, Field, field_validator


class Optim(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rate: float = Field(default=0.1, gt=0)


class Train(BaseModel):
    model_config = ConfigDict(extra="forbid")
    epochs: int
    seed: int = 0
    optim: Optim = Optim()

    @field_validator("epochs")
    @classmethod
    def some(cls, value):
        if value < 1:
            raise ValueError("no epochs")
        return value
"#;

/// A reader of TOML behind two functions.
const TRAIN: &str = r#"
try:
    import tomllib
except ImportError:
    import tomli as tomllib

from small.config import Train


def read(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def load(path) -> Train:
    data = read(path)
    return Train(**data)


def main():
    import argparse
    config = load(argparse.ArgumentParser().parse_args().config)
    print(config)
"#;

const SERVE: &str = r#"
from pydantic_settings import BaseSettings, SettingsConfigDict, TomlConfigSettingsSource


class Settings(BaseSettings):
    model_config = SettingsConfigDict(toml_file="settings.toml", extra="forbid")
    host: str = "localhost"
    port: int

    @classmethod
    def settings_customise_sources(cls, settings_cls, init_settings, env_settings, dotenv_settings, file_secret_settings):
        return (TomlConfigSettingsSource(settings_cls),)


def main():
    print(Settings())
"#;

/// A class method that reads the file.
const COLLECT: &str = r#"
import tomllib
from pathlib import Path

from pydantic import BaseModel


class Collect(BaseModel):
    sources: list[str]
    limit: int = 3

    @classmethod
    def of_file(cls, path: Path):
        return cls.model_validate(tomllib.loads(path.read_text()))


def main():
    print(Collect.of_file(Path("collect.toml")))
"#;

const MAKE: &str = r#"
import tomllib

from pydantic import BaseModel


class Make(BaseModel):
    target: str


def main():
    with open("make.toml", "rb") as file:
        print(Make(**tomllib.load(file)["make"]))
"#;

/// A package that `python -m` runs.
const WATCH: &str = r#"
import asyncio
import toml
from pydantic import BaseModel


class Watch(BaseModel):
    every: float
    folder: str


async def main():
    with open("watch.toml") as file:
        print(Watch.model_validate(toml.load(file)))


asyncio.run(main())
"#;

const OTHER: &str = "def main():\n    print(\"nothing is read\")\n";

fn project() -> Folder {
    Folder::repository(&[
        ("pyproject.toml", PROJECT),
        ("src/small/__init__.py", ""),
        ("src/small/config.py", CONFIG),
        ("src/small/train.py", TRAIN),
        ("src/small/serve.py", SERVE),
        ("src/small/collect.py", COLLECT),
        ("src/small/make.py", MAKE),
        ("src/small/other.py", OTHER),
        ("src/watch/__init__.py", ""),
        ("src/watch/__main__.py", WATCH),
    ])
}

/// The kind, and the findings of a check of a file with a text: code and key, with the type of pydantic's error.
fn judged(folder: &Folder, path: &str, text: &str) -> (String, Vec<String>) {
    std::fs::create_dir_all(folder.path.join(path).parent().expect("a folder")).expect("a folder");
    std::fs::write(folder.path.join(path), text).expect("it is writable");
    let (kind, _, found) = own_programs::judged(folder, path);
    (kind, found)
}

#[test]
fn a_file_is_that_of_the_script_that_has_its_keys() {
    let folder = project();
    let is = |kind: &str, found: &[&str]| (kind.to_owned(), found.iter().map(|found| (*found).to_owned()).collect::<Vec<_>>());
    assert_eq!(judged(&folder, "a.toml", "epochs = 3\n[optim]\nrate = 0.5\n"), is("train", &[]));
    assert_eq!(
        judged(&folder, "a.toml", "epochs = 3\nsed = 1\n[optim]\nrate = -1\n"),
        is("train", &["PRL106 optim.rate greater_than", "PRL101 sed extra_forbidden"])
    );
    assert_eq!(judged(&folder, "a.toml", "epochs = 0\nseed = 1\n"), is("train", &["PRL202 epochs value_error"]));
    assert_eq!(judged(&folder, "b.toml", "host = \"h\"\nport = \"many\"\n"), is("serve", &["PRL105 port int_parsing"]));
    assert_eq!(judged(&folder, "c.toml", "sources = 3\nlimit = 4\n"), is("collect", &["PRL104 sources list_type"]));
    assert_eq!(judged(&folder, "w.toml", "every = 3\nfolder = 4\n"), is("src/watch/__main__.py", &["PRL104 folder string_type"]));
}

#[test]
fn a_command_in_a_comment_decides() {
    let folder = project();
    let (kind, found) = judged(&folder, "d.toml", "# uv run collect @ d.toml\nepochs = 3\n");
    assert_eq!((&*kind, &*found.concat()), ("collect", "PRL103 sources missingPRL102 epochs "));
}

#[test]
fn what_is_not_understood_is_said() {
    let folder = project();
    let (kind, found) = judged(&folder, "e.toml", "[make]\ntarget = \"all\"\n");
    assert_eq!((&*kind, &*found.concat()), ("", "PRL010  "), "{found:?}");
    let people = folder.run("check e.toml").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(people.contains("`Make` is made of a single table of the file"), "{people}");
}

#[test]
fn a_config_of_prime_rl_stays_one() {
    let folder = project();
    assert_eq!(judged(&folder, "rl.toml", "max_steps = 5\n[trainer]\n[orchestrator]\n[inference]\n").0, "rl");
}
