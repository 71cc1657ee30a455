//! What is computed from the Python of a repository ends soon and needs little memory; its result is unknown, and nothing is refused for that.

use serde_json::Value;

use crate::victim::Victim;

/// A clone with a prime-rl in `fork`, whose trainer's config class is declared by this module.
pub(crate) fn with_module(text: &str) -> Victim {
    let victim = Victim::with_clone(&[("fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n")]);
    for (module, class) in
        [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
    {
        let text = format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    warp: int = 1\n");
        victim.write(&format!("fork/src/prime_rl/configs/{module}.py"), &text);
    }
    victim.write("fork/src/prime_rl/configs/__init__.py", "");
    victim.write("fork/src/prime_rl/configs/trainer.py", text);
    victim.write("fork/trainer.toml", "n = 2\n");
    victim
}

/// The same, where the class has a check with this body.
fn with_check(body: &str) -> Victim {
    let body = body.replace('\n', "\n        ");
    with_module(&format!(
        "import itertools, json, math, re\nfrom pydantic import BaseModel, model_validator\nclass TrainerConfig(BaseModel):\n    n: int = 1\n    \
         @model_validator(mode='after')\n    def v(self):\n        {body}\n        return self\n"
    ))
}

/// Checks the config in a terminal and in an editor; returns its verdict and the messages.
#[track_caller]
fn judge(victim: &Victim) -> (String, String) {
    let ended = victim.look("check --format json fork/trainer.toml --kind trainer");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("a document");
    let file = &report["files"][0];
    let messages =
        file["diagnostics"].as_array().expect("findings").iter().map(|found| format!("{} {}", found["message"], found["help"]));
    victim.edit(&["fork/trainer.toml"]);
    (file["verdict"].as_str().unwrap_or_default().to_owned(), messages.collect::<Vec<_>>().join("\n"))
}

/// Asserts that the verdict is left open, and one finding says where and why.
#[track_caller]
fn takes_too_much(victim: &Victim) {
    let (verdict, messages) = judge(victim);
    assert_eq!(verdict, "depends", "{messages}");
    assert_eq!(messages.matches("too much work or memory").count(), 1, "{messages}");
}

/// This ensures that the tests below would notice a check that is not run.
#[test]
fn an_ordinary_check_refuses() {
    let victim = with_check("if self.n > 1: raise ValueError('large')");
    let ended = victim.look("check fork/trainer.toml --kind trainer");
    assert!(ended.status == Some(1) && ended.stdout.contains("large"), "{ended:?}");
}

#[test]
fn a_string_that_grows_ends() {
    judge(&with_check("s = 'a' * 1000\nfor i in range(6):\n    s = s.join(s)"));
}

#[test]
fn a_format_that_repeats_its_values_ends() {
    judge(&with_check("s = ('%s' * 30000) % (('a' * 65000,) * 30000)"));
}

#[test]
fn numbers_at_their_limits_end() {
    judge(&with_check("math.comb(60, 9223372036854775807)"));
    judge(&with_check("for i in range(0, -9223372036854775807 - 1, -1):\n    pass"));
}

#[test]
fn a_sort_ends() {
    judge(&with_check("sorted(list(range(9999)) * 6)"));
}

#[test]
fn values_that_contain_themselves_twice_end() {
    judge(&with_check("x = (0,)\nfor i in range(60):\n    x = (x, x)\njson.dumps(x)"));
    takes_too_much(&with_check("x = [0]\ny = [0]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nassert x == y"));
}

#[test]
fn patterns_that_are_compiled_anew_end() {
    takes_too_much(&with_check("for i in range(9999):\n    re.search('((a{1,30}){1,30}){1,30}' + str(i), 'a' * 60000)"));
}

#[test]
fn branches_in_a_row_end() {
    let more = (10..20_000).map(|number| format!("elif self.n == {number}:\n    pass\n")).collect::<Vec<_>>().concat();
    judge(&with_check(&format!("if self.n == 0:\n    pass\n{more}")));
}

const HEAD: &str = "from typing import Any\nfrom pydantic import BaseModel\n";

/// A chain of values, each made of the one before it.
fn doubled(first: &str, step: &str) -> String {
    let steps =
        (1..45).map(|at| format!("X{at} = {}\n", step.replace('X', &format!("X{}", at - 1)))).collect::<Vec<_>>().concat();
    format!("X0 = {first}\n{steps}")
}

#[test]
fn constants_and_types_that_double_end() {
    for (first, step, field) in [("[1]", "X + X", "s: Any = X44"), ("int", "dict[str, X] | list[X]", "s: X44 = 1")] {
        let text = format!("{HEAD}{}class TrainerConfig(BaseModel):\n    n: int = 1\n    {field}\n", doubled(first, step));
        judge(&with_module(&text));
    }
}

#[test]
fn classes_with_more_paths_than_memory_end() {
    let classes =
        (1..40).map(|at| format!("class A{at}(BaseModel):\n    a: A{0}\n    b: A{0}\n", at - 1)).collect::<Vec<_>>().concat();
    let text = format!(
        "{HEAD}class A0(BaseModel):\n    x: int = 1\n{classes}class TrainerConfig(BaseModel):\n    n: int = 1\n    a: A39 | None = None\n"
    );
    judge(&with_module(&text));
}

#[test]
fn a_class_with_very_many_fields_ends() {
    let fields = (0..60_000).map(|at| format!("    n{at}: int = 1\n")).collect::<Vec<_>>().concat();
    judge(&with_module(&format!("{HEAD}class TrainerConfig(BaseModel):\n    n: int = 1\n{fields}")));
}

#[test]
fn declarations_that_take_too_much_are_open_as_a_whole() {
    let calls = (0..60).map(|at| format!("def f{at}():\n    return f{0}() + f{0}()\n", at + 1)).collect::<Vec<_>>().concat();
    let text = format!(
        "{HEAD}from pydantic import Field\n{calls}def f60():\n    return 1\nclass TrainerConfig(BaseModel):\n    n: int = 1\n    s: Any = \
         Field(default_factory=f0)\n"
    );
    takes_too_much(&with_module(&text));
}

#[test]
fn the_arguments_of_an_environment_end() {
    let victim =
        Victim::new(&[("environments/reverse_text/pyproject.toml", "[project]\nname = \"reverse-text\"\nversion = \"0.1\"\n")]);
    let text =
        format!("import verifiers as vf\n{}def load_environment(a=X44, c=X44, b: int = 1):\n    pass\n", doubled("[1]", "X + X"));
    victim.write("environments/reverse_text/reverse_text.py", &text);
    victim.look("check .");
    victim.edit(&["rl.toml"]);
}
