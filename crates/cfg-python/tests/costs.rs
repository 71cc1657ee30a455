//! Declarations that ask for more work or memory than there is: they are read as far as they are small, and are open where they are not.

use std::path::PathBuf;

use cfg_python::{Declarations, read};
use cfg_schema::History;
use cfg_system::MemorySystem;

const HEAD: &str = "import enum, re\nfrom pathlib import Path\nfrom typing import Annotated, Any, Literal, Optional, Union\nfrom pydantic import \
                    BaseModel, Field, field_validator, model_validator\n";

/// The kind of `TrainerConfig` among the kinds.
const TRAINER: usize = 1;

/// Reads a module that declares `TrainerConfig`.
fn declared(text: &str) -> Result<Declarations, String> {
    let system = MemorySystem::default();
    for (module, class) in
        [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
    {
        let text = format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    x: int = 1\n");
        system.put(format!("/s/prime_rl/configs/{module}.py").as_ref(), &text);
    }
    system.put("/s/prime_rl/configs/trainer.py".as_ref(), &format!("{HEAD}{text}"));
    read(&system, vec![PathBuf::from("/s")], Some(History::built_in().newest().into()))
}

/// The type of the field `s`, and why it is not understood.
fn field(declared: &Declarations) -> (String, String) {
    let is_it = |field: &&cfg_schema::compiler::Field| field.path == "s";
    let base = declared.kinds[TRAINER].iter().find(is_it).map(|field| field.intervals[0].ty.base.clone()).unwrap_or_default();
    let why = declared.unknown.iter().map(|unknown| unknown.why.clone()).collect::<Vec<_>>().join("; ");
    (base, why)
}

/// A chain of constants, each made of the one before it, which stands for `X` in `step`; and a class that uses the last one as `X`.
fn doubled(first: &str, step: &str, times: usize, used: &str) -> String {
    let constants =
        (1..times).map(|at| format!("X{at} = {}\n", step.replace('X', &format!("X{}", at - 1)))).collect::<Vec<_>>().concat();
    let used = used.replace('X', &format!("X{}", times - 1));
    format!("X0 = {first}\n{constants}class TrainerConfig(BaseModel):\n    n: int = 1\n    s: {used}\n")
}

#[test]
fn constants_that_double_are_unknown() {
    for (first, step) in [
        ("'a'", "X + X"),
        ("[1]", "X + X"),
        ("(1,)", "X + X"),
        ("{1}", "X | X"),
        ("{1: 2}", "X | X"),
        ("{1: 2}", "{**X, **X}"),
        ("[1]", "[*X, *X]"),
        ("Path('a')", "X / X"),
        ("(1,)", "(X, X)"),
        ("[1]", "[X, X]"),
        ("{}", "{'a': X, 'b': X}"),
        ("[1]", "list(X) + list(X)"),
    ] {
        let declared = declared(&doubled(first, step, 60, "Any = X")).expect("it is read");
        let (base, why) = field(&declared);
        assert!(base == "any" && !why.is_empty(), "{step}: {base}, {why}");
    }
}

#[test]
fn types_that_double_are_open() {
    for (first, step, used) in [
        ("int", "dict[str, X] | list[X]", "X = 1"),
        ("int", "Union[X, list[X]]", "X = 1"),
        ("int", "Optional[dict[str, X]]", "X = None"),
        ("int", "Annotated[X, Field(ge=1)] | list[X]", "X = 1"),
        ("'int'", "X + '|' + X", "X = 1"),
        ("Literal['a']", "Literal[X, X]", "X = 'a'"),
        ("int", "list[X]", "X = 1"),
        ("int", "Annotated[X, Field(ge=1)]", "X = 1"),
    ] {
        let declared = declared(&doubled(first, step, 400, used)).expect("it is read");
        assert!(!field(&declared).1.is_empty(), "{step}");
    }
}

/// Each is evaluated before the next one, so that no evaluation is deep, but the values would be.
#[test]
fn values_of_any_depth_are_dropped_without_the_stack() {
    let constants = (1..900).map(|at| format!("X{at} = [X{}]\n", at - 1)).collect::<Vec<_>>().concat();
    let fields = (0..900).map(|at| format!("    a{at}: Any = X{at}\n")).collect::<Vec<_>>().concat();
    let declared =
        declared(&format!("X0 = [1]\n{constants}class TrainerConfig(BaseModel):\n{fields}    s: int = 1\n")).expect("it is read");
    let (base, why) = field(&declared);
    assert!(base == "int" && why.contains("a value that is too large"), "{base}: {why}");
}

#[test]
fn classes_with_too_many_paths_bases_or_statements_are_open() {
    let twice =
        (1..40).map(|at| format!("class A{at}(BaseModel):\n    a: A{0}\n    b: A{0}\n", at - 1)).collect::<Vec<_>>().concat();
    let paths =
        format!("class A0(BaseModel):\n    x: int = 1\n{twice}class TrainerConfig(BaseModel):\n    s: A39 | None = None\n");
    let many = (0..300).map(|at| format!("class A{at}(BaseModel):\n    x{at}: int = 1\n")).collect::<Vec<_>>().concat();
    let bases: Vec<String> = (0..300).map(|at| format!("A{at}")).collect();
    let bases =
        format!("{many}class Z({}):\n    pass\nclass TrainerConfig(BaseModel):\n    s: Z | None = None\n", bases.join(", "));
    let row = (1..300).map(|at| format!("class A{at}(A{}):\n    x{at}: int = 1\n", at - 1)).collect::<Vec<_>>().concat();
    let row = format!(
        "class A0(BaseModel):\n    x: int = 1\n{row}class TrainerConfig(BaseModel):\n    a: A40 = None\n    b: A80 = None\n    s: A120 = None\n"
    );
    let body = (0..2000).map(|at| format!("    n{at}: int = 1\n")).collect::<Vec<_>>().concat();
    for (text, reason) in [
        (paths, "tables with too many keys"),
        (bases, "a class with too many bases"),
        (row, "a class with too many bases"),
        (format!("class TrainerConfig(BaseModel):\n{body}"), "a class with too many statements"),
    ] {
        let (_, why) = field(&declared(&text).expect("it is read"));
        assert!(why.contains(reason), "{reason}: {why}");
    }
}

#[test]
fn a_setting_is_searched_in_each_base_once() {
    let ladder = (1..30)
        .map(|at| format!("class A{at}(A{0}, B{0}):\n    pass\nclass B{at}(A{0}, B{0}):\n    pass\n", at - 1))
        .collect::<Vec<_>>()
        .concat();
    let text = format!(
        "class A0(BaseModel):\n    x: int = 1\nclass B0(BaseModel):\n    y: int = 1\n{ladder}class TrainerConfig(BaseModel):\n    s: A29 | None = None\n"
    );
    assert!(declared(&text).is_ok());
}

#[test]
fn functions_that_call_each_other_are_followed_once_and_not_too_deep() {
    let calls = (0..3000).map(|at| format!("def f{at}(x):\n    f{0}(x)\n    f{0}(x)\n", at + 1)).collect::<Vec<_>>().concat();
    let hook = format!(
        "{calls}class B(BaseModel):\n    def __init_subclass__(cls):\n        f0(cls)\nclass TrainerConfig(B):\n    s: int = 1\n"
    );
    let frozen = format!(
        "{calls}class TrainerConfig(BaseModel, frozen=True):\n    s: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        \
         f0(self)\n        return self\n"
    );
    for text in [hook, frozen] {
        let declared = declared(&text).expect("it is read");
        assert!(!declared.unknown.is_empty());
    }
}

/// If the allowance is spent, nothing that was read can be relied on.
#[test]
fn declarations_that_take_too_much_are_open_as_a_whole() {
    let calls = (0..60).map(|at| format!("def f{at}():\n    return f{0}() + f{0}()\n", at + 1)).collect::<Vec<_>>().concat();
    let text = format!(
        "{calls}def f60():\n    return 1\nclass TrainerConfig(BaseModel):\n    n: int = 1\n    s: Any = Field(default_factory=f0)\n"
    );
    let declared = declared(&text).expect("it is read");
    let unknown: Vec<String> = declared.unknown.iter().map(ToString::to_string).collect();
    assert!(
        matches!(&*unknown, [only] if only.ends_with("the declarations take too much work or memory to evaluate")),
        "{unknown:?}"
    );
    assert!(declared.kinds.iter().all(|fields| fields.len() == 1), "only the roots are known");
    assert!(declared.open.contains_key(&(TRAINER, String::new())));
}

#[test]
fn a_module_is_bounded_by_its_tokens() {
    let why = declared(&format!("x = [{}]\nclass TrainerConfig(BaseModel):\n    n: int = 1\n", "a,".repeat(300_000))).err();
    assert!(why.as_ref().is_some_and(|why| why.ends_with("trainer.py: it is too long")), "{why:?}");
}

#[test]
fn imports_of_all_names_are_counted_and_not_copied() {
    let stars = (0..3000).map(|at| format!("x{at} = 1\nfrom a import *\n")).collect::<Vec<_>>().concat();
    let declared = declared(&format!("{stars}class TrainerConfig(BaseModel):\n    s: int = x5\n")).expect("it is read");
    assert!(!declared.unknown.is_empty());
}
