//! Packages without sources: the classes are used that the history has for the version that a project uses, if it has any.

use std::path::PathBuf;

use cfg_python::{Beside, Declarations, read};
use cfg_schema::{History, Point, Target};
use cfg_system::MemorySystem;

const ORCHESTRATOR: usize = 2;

/// A commit of the main line, and the commit of verifiers that it uses.
const BASE: (&str, &str) = ("3b22dd951", "b13ba60da63cea91389e7575766b7270d0d11fc5");

/// The commit of verifiers that the next commit of the main line uses; that commit changed no other fields.
const NEXT: &str = "295a0650585af8754eaf98c6fa9071314b5a531c";

/// A field that only the older version has.
const OLD: &str = "train.env[].env.agent.harness.runtime";
const NEW: &str = "train.env[].env.agent.runtime";

const SOURCE: &str = "from pydantic import BaseModel
import verifiers.v1 as vf
class TrainEnvConfig(vf.EnvServerConfig):
    name: str | None = None
    address: str | None = None
    ratio: float | None = None
    sampling: dict = {}
    group_size: int = 1
    algo: dict = {}
    own: int = 1
class TrainConfig(BaseModel):
    env: list[TrainEnvConfig] = []
class OrchestratorConfig(BaseModel):
    train: TrainConfig = TrainConfig()
";

fn base() -> Point {
    Target::parse(History::built_in(), BASE.0).expect("a commit of the history").point
}

/// Reads a prime-rl whose orchestrator is declared by `orchestrator`, with these packages and further files.
fn declared(orchestrator: &str, pins: &[(&'static str, &str)], more: &[(&str, &str)]) -> Declarations {
    let plain = |class: &str| format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    x: int = 1\n");
    let system = MemorySystem::default();
    for (module, class) in
        [("rl", "RLConfig"), ("trainer", "TrainerConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
    {
        system.put(format!("/s/prime_rl/configs/{module}.py").as_ref(), &plain(class));
    }
    system.put("/s/prime_rl/configs/orchestrator.py".as_ref(), orchestrator);
    for (path, text) in more {
        system.put(format!("/s/{path}").as_ref(), text);
    }
    let pins = pins.iter().map(|(package, pin)| (*package, (*pin).to_owned()));
    let beside = Beside::with_pins(base(), pins);
    read(&system, vec![PathBuf::from("/s")], Some(beside)).expect("the classes are there")
}

fn has(declared: &Declarations, path: &str) -> bool {
    declared.kinds[ORCHESTRATOR].iter().any(|field| field.path == path)
}

fn unknown(declared: &Declarations) -> Vec<String> {
    declared.unknown.iter().map(|unknown| format!("{}: {}", unknown.line, unknown.why)).collect()
}

#[test]
fn a_package_is_as_it_is_recorded_at_the_commit_that_is_used() {
    for pins in [&[][..], &[("verifiers", BASE.1)], &[("verifiers", &BASE.1[..9])], &[("renderers", "0.9.9")]] {
        let read = declared(SOURCE, pins, &[]);
        assert_eq!((has(&read, OLD), has(&read, NEW), unknown(&read)), (true, false, vec![]), "{pins:?}");
        assert!(read.open.is_empty(), "{pins:?}");
    }
    let read = declared(SOURCE, &[("verifiers", NEXT)], &[]);
    // One class had a check with other code in that version; only the later code is known.
    let why = "3: the check of `runtime<type=prime>` is unknown in this version of its package";
    assert_eq!((has(&read, OLD), has(&read, NEW), unknown(&read)), (false, true, vec![why.to_owned()]));
    let is_open = |path: &str| read.open.contains_key(&(ORCHESTRATOR, path.to_owned()));
    assert!(is_open("train.env[].env.agent.runtime<type=prime>") && !is_open("train.env[].env.agent.runtime<type=docker>"));
    assert!(has(&read, "train.env[].env.agent.runtime<type=docker>.image"));
    assert!(!has(&read, "train.env[].env.agent.runtime<type=prime>.image"));
}

#[test]
fn what_two_versions_of_a_package_declare_differently_is_left_open() {
    let mut read = declared(SOURCE, &[("verifiers", BASE.1)], &[]);
    read.leave_open_beside(&declared(SOURCE, &[("verifiers", NEXT)], &[]));
    let open: Vec<&str> = read.open.keys().map(|(_, path)| path.as_str()).collect();
    assert_eq!(open, ["train.env[].env.agent", "train.env[].env.agent.harness"]);
    let why = "12: the source of `verifiers.v1.EnvServerConfig` was not found, and it is unknown which version of it is used";
    assert_eq!(unknown(&read), [why]);
    let table = read.kinds[ORCHESTRATOR].iter().find(|field| field.path == open[0]).expect("it is declared");
    assert_eq!(table.intervals[0].ty.policy.as_deref(), Some("allow"));
    let before = read.open.clone();
    read.leave_open_beside(&declared(SOURCE, &[("verifiers", BASE.1)], &[]));
    assert_eq!(read.open, before, "the same version adds nothing");
}

#[test]
fn a_package_without_a_record_is_unknown() {
    for pin in ["0123456789012345678901234567890123456789", "0.9.9", "b13ba6", "main"] {
        let read = declared(SOURCE, &[("verifiers", pin)], &[]);
        assert!(!has(&read, OLD) && !has(&read, NEW), "{pin}");
        let shown = pin.get(..9).unwrap_or(pin);
        let wanted = format!(
            "3: the source of `verifiers.v1.EnvServerConfig` was not found, and the version of verifiers that this prime-rl uses, {shown}, is unknown"
        );
        assert_eq!(unknown(&read), [wanted]);
        let open: Vec<&str> = read.open.keys().map(|(_, path)| path.as_str()).collect();
        assert_eq!(open, ["train.env[]"]);
        // Fields that prime-rl itself declares are known.
        assert!(has(&read, "train.env[].own"), "{pin}");
        let table = read.kinds[ORCHESTRATOR].iter().find(|field| field.path == "train.env[]").expect("it is declared");
        assert_eq!(table.intervals[0].ty.policy.as_deref(), Some("allow"));
    }
}

/// The recorded fields of another class, or of a table with other fields of prime-rl, are not used.
#[test]
fn a_record_applies_only_to_the_same_use_of_a_package() {
    let other = SOURCE.replace("vf.EnvServerConfig", "vf.ServeConfig");
    let elsewhere = SOURCE.replace("    env: list", "    place: list");
    let without = SOURCE.replace("    algo: dict = {}\n", "");
    for text in [&other, &elsewhere, &without] {
        let read = declared(text, &[("verifiers", NEXT)], &[]);
        assert!(!has(&read, NEW), "{text}");
        assert!(
            unknown(&read)[0].ends_with("and no known prime-rl version uses it in this way with verifiers 295a06505"),
            "{:?}",
            unknown(&read)
        );
    }
}

/// A source that is available takes precedence over a stated version.
#[test]
fn a_source_decides_before_a_pin() {
    let own = "from pydantic import BaseModel\nclass EnvServerConfig(BaseModel):\n    depth: int = 1\n";
    let read = declared(SOURCE, &[("verifiers", NEXT)], &[("verifiers/v1/__init__.py", own)]);
    assert_eq!((has(&read, "train.env[].depth"), has(&read, NEW), unknown(&read)), (true, false, vec![]));
}
