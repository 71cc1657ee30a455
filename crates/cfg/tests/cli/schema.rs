//! `cfg schema export` and `cfg schema import`, and the keys that a project declares.

use serde_json::Value;

use super::Folder;

#[test]
fn a_schema_is_printed_or_all_are_written() {
    let folder = Folder::new(&[]);
    let printed = folder.run("schema export --target 0.8.0 --kind sft");
    assert_eq!((printed.status, &*printed.stderr), (Some(0), ""));
    let schema: Value = serde_json::from_str(&printed.stdout).expect("JSON");
    assert_eq!(schema["title"], "sft config of prime-rl 0.8.0");
    let written = folder.run("schema export --target 0.8.0 -o schemas/here");
    assert_eq!((written.status, &*written.stdout), (Some(0), ""));
    // There is one schema for each kind of this prime-rl.
    assert_eq!(written.stderr.lines().count(), 7, "{}", written.stderr);
    let file = std::fs::read_to_string(folder.path().join("schemas/here/sft.json")).expect("it was written");
    assert_eq!(file, printed.stdout);
}

/// A fork with additional keys: a key in a known table, a key in each environment, and a table.
const FORK: &str = "target = \"0.4.0\"\n[extend]\ntrainer.swizzle = \"int\"\n\"orchestrator.env.shard\" = \"literal('a', 'b')\"\n\
    \"trainer.sandbox.slots\" = \"list[int]\"\n";

#[test]
fn keys_that_a_project_declares_are_known() {
    let config =
        "[trainer]\nswizzle = 3\nsandbox = { slots = [1, 2] }\n[orchestrator]\n[[orchestrator.env]]\nid = \"a\"\nshard = \"b\"\n";
    let with = Folder::new(&[("cfg.toml", FORK), ("rl.toml", config)]);
    let ended = with.run("check rl.toml --kind rl");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let without = Folder::new(&[("rl.toml", config)]).run("check rl.toml --kind rl --target 0.4.0 --format concise");
    assert_eq!(without.stdout.matches("error[PRL101]").count(), 3, "{without:?}");
    let split = Folder::new(&[("cfg.toml", FORK), ("train.toml", "swizzle = 3\n")]).run("check train.toml --kind trainer");
    assert_eq!(split.status, Some(0), "{split:?}");
    // Keys that are given are resolved; the others have no known default.
    let resolved = with.run("compile rl.toml --kind rl --format json");
    let resolved: Value = serde_json::from_str(&resolved.stdout).expect("JSON");
    assert_eq!(resolved["trainer"]["swizzle"], 3);
    assert_eq!(resolved["trainer"]["sandbox"]["slots"], serde_json::json!([1, 2]));
    let written = with.run("compile rl.toml --kind rl --format toml");
    assert!(written.stdout.contains("swizzle = 3") && written.stdout.contains("shard = \"b\""), "{written:?}");
    let bare = Folder::new(&[("cfg.toml", FORK), ("rl.toml", "[trainer]\n[orchestrator]\n")])
        .run("compile rl.toml --kind rl --format json");
    assert!(!bare.stdout.contains("swizzle") && !bare.stdout.contains("sandbox"), "{bare:?}");
}

#[test]
fn declared_keys_are_checked() {
    let config = "[trainer]\nswizzle = \"many\"\nsandbox = { slot = 1 }\n[orchestrator]\n[[orchestrator.env]]\nid = \"a\"\nshard = \"c\"\n";
    let ended = Folder::new(&[("cfg.toml", FORK), ("rl.toml", config)]).run("check rl.toml --kind rl");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("invalid_values_of_declared_keys", ended.stdout);
}

/// The files of a prime-rl whose classes have one field each, except for the given ones.
pub(crate) fn small_prime_rl(own: &[(&str, &str)]) -> Vec<(String, String)> {
    let small = |name: &str| {
        format!(
            "from pydantic import BaseModel, ConfigDict\nclass {name}(BaseModel):\n    model_config = ConfigDict(extra='forbid')\n    warp: int = 1\n"
        )
    };
    let classes = [
        ("rl", "RLConfig"),
        ("trainer", "TrainerConfig"),
        ("orchestrator", "OrchestratorConfig"),
        ("inference", "InferenceConfig"),
        ("sft", "SFTConfig"),
    ];
    let mut files: Vec<(String, String)> = ["fork/src/prime_rl/__init__.py", "fork/src/prime_rl/configs/__init__.py"]
        .map(|path| (path.to_owned(), String::new()))
        .to_vec();
    for (module, name) in classes {
        let text = own.iter().find(|(own, _)| *own == module).map_or_else(|| small(name), |(_, text)| (*text).to_owned());
        files.push((format!("fork/src/prime_rl/configs/{module}.py"), text));
    }
    files
}

pub(crate) fn folder_with(files: &[(String, String)], more: &[(&str, &str)]) -> Folder {
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).chain(more.iter().copied()).collect();
    Folder::new(&files)
}

const WARPED_RL: &str = r#"
from typing import Annotated
from pydantic import BaseModel, ConfigDict, Field
from prime_rl.configs.trainer import TrainerConfig

class RLConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    trainer: TrainerConfig = TrainerConfig()
    warp: Annotated[int, Field(ge=1)] = 8
    """Speed."""
"#;

const WARPED_TRAINER: &str = r#"
from typing import Literal
from pydantic import BaseModel

class TrainerConfig(BaseModel, extra="forbid"):
    warp: Literal["a", "b"] = "a"
"#;

#[test]
fn an_imported_prime_rl_can_be_named() {
    // A minimal prime-rl, which is sufficient to test how its classes are used in a check.
    let files = small_prime_rl(&[("rl", WARPED_RL), ("trainer", WARPED_TRAINER)]);
    let folder = folder_with(&files, &[("rl.toml", "warp = 0\n[trainer]\nwarp = \"c\"\nmodel = {}\n")]);
    let ended = folder.run("schema import fork");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("  + rl warp: int(ge 1) = 8\n"), "{ended:?}");
    assert!(ended.stderr.contains("--target local:fork"), "{ended:?}");
    let check = "check rl.toml --kind rl --format concise";
    let found = folder.run(&format!("{check} --target local:fork"));
    assert_eq!(found.status, Some(1), "{found:?}");
    for said in ["rl.toml:1:8", "rl.toml:3:8", "rl.toml:4:1", "local:fork"] {
        assert!(found.stdout.contains(said), "{said}: {found:?}");
    }
    // The settings find the entry from any folder below it.
    folder.write("cfg.toml", b"target = \"local:fork\"\n");
    assert_eq!(folder.run(check).stdout, found.stdout);
    folder.write("cfg.toml", b"target = \"local:frok\"\n");
    let unknown = folder.run(check);
    insta::assert_snapshot!("an_unknown_imported_entry", unknown.stdout);
    let shown = folder.run("schema show warp --target local:fork");
    assert!(shown.stdout.contains("Speed."), "{shown:?}");
    let exported = folder.run("schema export --target local:fork");
    assert!(exported.stdout.contains("\"warp\""), "{exported:?}");
}

#[test]
fn obstacles_to_an_import_are_reported() {
    let lacking = folder_with(&small_prime_rl(&[("sft", "class Other: ...\n")]), &[("other/README.md", "")]);
    let whole = folder_with(&small_prime_rl(&[]), &[]);
    let mut said = String::new();
    for (folder, words) in [
        (&lacking, "nowhere"),
        (&lacking, "other"),
        (&lacking, "fork"),
        (&whole, "fork --name a/b"),
        (&whole, "fork -o fork.txt"),
    ] {
        let ended = folder.run(&format!("schema import {words}"));
        assert_eq!((ended.status, &*ended.stdout), (Some(2), ""), "{ended:?}");
        said += &format!("$ cfg schema import {words}\n{}", ended.stderr);
    }
    insta::assert_snapshot!("sources_that_are_not_imported", said);
    assert!(!whole.path().join(".cfg").exists(), "nothing was written");
}

/// What is not understood is reported with its place, and does not cause an error.
#[test]
fn unknown_parts_of_an_import_are_reported() {
    let trainer = "from elsewhere import Thing\nfrom pydantic import BaseModel\nclass TrainerConfig(BaseModel, extra='forbid'):\n    warp: Thing = 1\n";
    let folder = folder_with(&small_prime_rl(&[("trainer", trainer)]), &[("t.toml", "warp = \"x\"\n")]);
    let ended = folder.run("schema import fork");
    insta::assert_snapshot!("an_unknown_part_of_an_import", ended.stderr);
    let found = folder.run("check t.toml --kind trainer --target local:fork");
    assert_eq!(found.status, Some(0), "{found:?}");
}

/// A prime-rl of five small modules that uses pydantic's types: bounds, literals, tagged and untagged unions, aliases, and tables that refuse, drop
/// or keep extra keys.
const CLASSES: &str = r#"
from typing import Annotated, Literal, Optional, Union
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

class Base(BaseModel):
    model_config = ConfigDict(extra="forbid")

class Adamw(Base):
    type: Literal["adamw"] = "adamw"
    lr: Annotated[float, Field(gt=0)] = 1e-6
    betas: list[float] = [0.9, 0.999]

class Sgd(Base):
    type: Literal["sgd"] = "sgd"
    lr: Annotated[float, Field(gt=0)] = 1e-6
    momentum: Annotated[float, Field(ge=0, le=1)] = 0.9

class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    depth: int = 1

class Ignoring(BaseModel):
    name: str

class TrainerConfig(Base):
    warp: Annotated[int, Field(ge=1, le=100)] = 8
    mode: Literal["fast", "slow"] = "fast"
    ratio: float = 0.5
    label: Annotated[str, Field(min_length=1)] = "x"
    is_on: bool = False
    limit: Optional[int] = None
    sizes: list[int] = []
    names: dict[str, int] = {}
    either: Union[int, Literal["auto"]] = "auto"
    steps: Annotated[int, Field(validation_alias=AliasChoices("steps", "n_steps"))] = 1
    optim: Annotated[Union[Adamw, Sgd], Field(discriminator="type")] = Adamw()
    open: Open = Open()
    ignoring: Optional[Ignoring] = None
"#;

/// Validates configs with the classes of that prime-rl.
const ORACLE: &str = r#"
import json, pathlib, sys, tomllib
sys.path.insert(0, "fork/src")
from prime_rl.configs.trainer import TrainerConfig
from pydantic import ValidationError
verdicts = {}
for path in sorted(pathlib.Path("configs").iterdir()):
    try:
        TrainerConfig.model_validate(tomllib.loads(path.read_text()))
        verdicts[f"configs/{path.name}"] = "ok"
    except ValidationError:
        verdicts[f"configs/{path.name}"] = "rejected"
print(json.dumps(verdicts))
"#;

/// If a Python with pydantic is available: exactly those configs are accepted that the fork's own classes accept.
#[test]
fn an_imported_fork_accepts_what_its_classes_accept() {
    use std::process::Command;
    let is_able =
        Command::new("python3").args(["-c", "import pydantic, tomllib"]).output().is_ok_and(|output| output.status.success());
    if !is_able {
        return;
    }
    let folder = folder_with(&small_prime_rl(&[("trainer", CLASSES)]), &[("oracle.py", ORACLE)]);
    let keys = [
        "warp",
        "mode",
        "ratio",
        "label",
        "is_on",
        "limit",
        "sizes",
        "names",
        "either",
        "steps",
        "n_steps",
        "open",
        "open.depth",
        "open.other",
        "ignoring",
        "ignoring.name",
        "ignoring.other",
        "wrap",
    ];
    let values = [
        "0",
        "1",
        "100",
        "101",
        "-3",
        "1.0",
        "2.5",
        "nan",
        "\"5\"",
        "\"\"",
        "\"fast\"",
        "\"auto\"",
        "\"sgd\"",
        "\"adamw\"",
        "true",
        "[]",
        "[1, 2]",
        "[1, \"x\"]",
        "{}",
        "{ a = 1 }",
        "{ type = \"sgd\", momentum = 2 }",
        "{ name = \"n\", more = 1 }",
        "2026-01-05",
    ];
    let mut configs: Vec<String> =
        keys.iter().flat_map(|key| values.iter().map(move |value| format!("{key} = {value}\n"))).collect();
    // prime-rl's loader adds a missing tag, which the classes of the fork alone do not.
    for below in ["lr = 1", "lr = 0", "lr = \"1e-5\"", "betas = [1]", "momentum = 0.5", "momentum = 2", "other = 1"] {
        configs.extend(["adamw", "sgd", "other"].map(|tag| format!("[optim]\ntype = \"{tag}\"\n{below}\n")));
    }
    for (index, text) in configs.iter().enumerate() {
        folder.write(&format!("configs/{index:03}.toml"), text.as_bytes());
    }
    let ended = folder.run("schema import fork");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("local:fork"), "{ended:?}");
    let output = Command::new("python3").arg("oracle.py").current_dir(folder.path()).output().expect("it runs");
    let theirs: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let report = folder.run("check configs --kind trainer --target local:fork --format json");
    let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
    let ours = report["files"].as_array().expect("files");
    assert_eq!((ours.len(), theirs.as_object().map(serde_json::Map::len)), (configs.len(), Some(configs.len())));
    for file in ours {
        let path = file["path"].as_str().expect("a path");
        let text = std::fs::read_to_string(folder.path().join(path)).expect("a text");
        assert_eq!(file["verdict"], theirs[path], "{text}{file:#}");
    }
}

/// A config can name an imported entry in the same way as the command line, anywhere below the folder with the entry.
#[test]
fn a_config_may_be_written_for_an_imported_prime_rl() {
    let head = "# /// config\n# kind = \"trainer\"\n# prime_rl = \"local:fork\"\n# ///\n";
    let trainer = "from typing import Annotated\nfrom pydantic import BaseModel, Field\nclass TrainerConfig(BaseModel, extra='forbid'):\n    warp: Annotated[int, Field(ge=1)] = 8\n";
    let folder = folder_with(
        &small_prime_rl(&[("trainer", trainer)]),
        &[
            ("configs/good.toml", &format!("{head}warp = 3\n")),
            ("configs/bad.toml", &format!("{head}warp = 0\n")),
            ("configs/odd.toml", &format!("{}warp = 1\n", head.replace("local:fork", "local:frok"))),
        ],
    );
    assert_eq!(folder.run("schema import fork").status, Some(0));
    let good = folder.run("check configs/good.toml");
    assert_eq!(good.status, Some(0), "{good:?}");
    let bad = folder.run("check configs/bad.toml --format concise");
    assert!(bad.stdout.contains("configs/bad.toml:5:8") && bad.stdout.contains("local:fork"), "{bad:?}");
    let odd = folder.run("check configs/odd.toml --format concise");
    assert!(odd.stdout.contains("odd.toml:3:") && odd.stdout.contains("`frok`"), "{odd:?}");
    // The same for several files that form one config.
    let together = folder.run("check --format concise -- trainer @ configs/bad.toml");
    assert!(together.stdout.contains("local:fork"), "{together:?}");
}
