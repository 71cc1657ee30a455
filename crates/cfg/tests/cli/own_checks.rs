//! Checks of the project's own prime-rl, which decide as they are there.

use serde_json::Value;

use super::{
    schema::{folder_with, small_prime_rl},
    target::{document, file},
};

const OWN_CHECK: &str = "from pydantic import BaseModel, model_validator
class ModelConfig(BaseModel, extra='forbid'):
    optim_cpu_offload: bool = False
class TrainerConfig(BaseModel, extra='forbid'):
    model: ModelConfig = ModelConfig()
    max_concurrent_runs: int = 1
    @model_validator(mode='after')
    def validate_optim_cpu_offload_single_run(self):
        return self
";

/// The verdict of the project's own checks on a config, which is the same however their sources are found; and the findings.
fn judged(trainer: &str, config: &str) -> (String, Vec<Value>) {
    let folder = folder_with(
        &small_prime_rl(&[("trainer", trainer)]),
        &[("fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n"), ("fork/t.toml", config)],
    );
    let said = ["", "--target path:fork"].map(|words| {
        let report = document(&folder.run(&format!("check fork/t.toml --kind trainer --format json {words}")));
        let file = file(&report, "fork/t.toml");
        let found = file["diagnostics"].as_array().expect("findings").iter();
        let found = found.filter(|found| found["severity"] == "error" || found["code"] == "PRL115").cloned().collect();
        (file["verdict"].as_str().expect("a verdict").to_owned(), found)
    });
    let [unstated, stated] = said;
    assert_eq!(unstated.0, stated.0, "{trainer}");
    unstated
}

const OFFLOADED: &str = "max_concurrent_runs = 2\n\n[model]\noptim_cpu_offload = true\n";

/// A check that differs in the available sources is run from these: here it accepts what the known check refuses.
#[test]
fn a_changed_check_decides_as_it_is_there() {
    assert_eq!(judged(OWN_CHECK, OFFLOADED), ("ok".to_owned(), vec![]));
    let early = OWN_CHECK.replace(
        "        return self\n",
        "        if self.max_concurrent_runs < 3:\n            return self\n        raise ValueError(f'{self.max_concurrent_runs} runs')\n",
    );
    assert_eq!(judged(&early, OFFLOADED).0, "ok");
    let (verdict, found) = judged(&early, "max_concurrent_runs = 3\n");
    assert_eq!((verdict.as_str(), &found[0]["message"]), ("rejected", &Value::from("3 runs")), "{found:?}");
}

/// A check that only the available sources have is run as well. The error has the message of the check, and the keys that it has read.
#[test]
fn a_new_check_decides() {
    let new = OWN_CHECK.replace(
        "        return self\n",
        "        return self\n    @model_validator(mode='after')\n    def no_offload(self):\n        if self.model.optim_cpu_offload:\n            raise ValueError('this fork has no offload')\n        return self\n",
    );
    assert_eq!(judged(&new, "").0, "ok");
    let (verdict, found) = judged(&new, OFFLOADED);
    assert_eq!((verdict.as_str(), found.len()), ("rejected", 1), "{found:?}");
    let found = &found[0];
    assert_eq!(found["message"], "this fork has no offload");
    assert_eq!(
        (&found["key"], &found["range"]["start"]["line"]),
        (&Value::from("model.optim_cpu_offload"), &Value::from(4)),
        "{found}"
    );
    assert_eq!(found["native"]["type"], "value_error");
    assert!(found["help"].as_str().is_some_and(|help| help.contains("trainer.py:13")), "{found}");
}

/// A validator of the raw table is run as well: keys that it moves are read at their new place, and its errors are reported.
#[test]
fn a_new_check_of_the_raw_table_decides() {
    let new = OWN_CHECK.replace(
        "    @model_validator(mode='after')\n",
        "    @model_validator(mode='before')\n    @classmethod\n    def fold_runs(cls, data):\n        if isinstance(data, dict) and 'runs' in data:\n            if 'max_concurrent_runs' in data:\n                raise ValueError(f\"runs = {data.get('runs')} and its old name\")\n            data['max_concurrent_runs'] = data.pop('runs')\n        return data\n    @model_validator(mode='after')\n",
    );
    assert_eq!(judged(&new, "runs = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&new, "runs = \"many\"\n");
    assert_eq!((verdict.as_str(), &found[0]["native"]["type"]), ("rejected", &Value::from("int_parsing")), "{found:?}");
    assert_eq!((&found[0]["range"]["start"]["line"], found.len()), (&Value::from(1), 1), "{found:?}");
    let (verdict, found) = judged(&new, "max_concurrent_runs = 2\nruns = 3\n");
    let first = found.iter().find(|one| one["native"]["masked"] == false).expect("what prime-rl says");
    assert_eq!((verdict.as_str(), &first["message"]), ("rejected", &Value::from("runs = 3 and its old name")), "{found:?}");
    assert_eq!((&first["key"], &first["range"]["start"]["line"]), (&Value::from("runs"), &Value::from(2)), "{first}");
}

/// `OWN_CHECK` with this text before its model check, and with this type of `max_concurrent_runs`.
fn with_field(ty: &str, check: &str) -> String {
    let imports =
        "from typing import Annotated\nfrom pydantic import AfterValidator, BeforeValidator, Field, field_validator, BaseModel, ";
    OWN_CHECK
        .replace("from pydantic import BaseModel, ", imports)
        .replace("class ModelConfig", "def half(value):\n    if value == 'none':\n        raise ValueError('no runs')\n    return value if isinstance(value, str) else value // 2\ndef even(value):\n    assert value % 2 == 0, f'{value} is odd'\n    return value\nclass ModelConfig")
        .replace("max_concurrent_runs: int = 1", &format!("max_concurrent_runs: {ty}"))
        .replace("    @model_validator(mode='after')\n", &format!("{check}    @model_validator(mode='after')\n"))
}

/// An unknown check of a single field is run if the field is given; the error has the message of the check.
#[test]
fn a_new_check_of_a_field_decides() {
    let new = with_field(
        "int = 1",
        "    @field_validator('max_concurrent_runs')\n    @classmethod\n    def is_even(cls, value):\n        if value % 2:\n            raise ValueError(f'{value} is odd')\n        return value\n",
    );
    assert_eq!(judged(&new, ""), ("ok".to_owned(), vec![]));
    assert_eq!(judged(&new, "max_concurrent_runs = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&new, "max_concurrent_runs = 3\n");
    assert_eq!((verdict.as_str(), found.len(), &found[0]["message"]), ("rejected", 1, &Value::from("3 is odd")), "{found:?}");
    let native = &found[0]["native"];
    assert_eq!(
        (&native["type"], &native["loc"][0], &native["check"]),
        (&"value_error".into(), &"max_concurrent_runs".into(), &"is_even".into())
    );
    assert_eq!((&found[0]["key"], &found[0]["range"]["start"]["line"]), (&"max_concurrent_runs".into(), &1.into()));
    // A value that the type refuses is not checked further.
    let (_, found) = judged(&new, "max_concurrent_runs = \"x\"\n");
    assert_eq!((found.len(), &found[0]["native"]["type"]), (1, &Value::from("int_parsing")), "{found:?}");
    // A check of all fields is run for each of them.
    let (_, found) = judged(
        &new.replace("field_validator('max_concurrent_runs')", "field_validator('*', mode='after')")
            .replace("value % 2", "value is True"),
        "max_concurrent_runs = 3\n",
    );
    assert_eq!(found, Vec::<Value>::new());
}

/// Functions in a type are run in pydantic's order: first those before the type check, from the last to the first, then those after it.
#[test]
fn validators_in_an_annotation_decide() {
    let new = with_field("Annotated[int, AfterValidator(even), BeforeValidator(half)] = 1", "");
    assert_eq!(judged(&new, "max_concurrent_runs = 4\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&new, "max_concurrent_runs = 6\n");
    assert_eq!((verdict.as_str(), &found[0]["message"]), ("rejected", &Value::from("3 is odd")), "{found:?}");
    assert_eq!(found[0]["native"]["type"], "assertion_error");
    let (_, found) = judged(&new, "max_concurrent_runs = \"none\"\n");
    assert_eq!(found[0]["message"], "no runs");
    // A check gets the value that the previous one has returned.
    let twice = with_field(
        "Annotated[int, BeforeValidator(half), AfterValidator(even), AfterValidator(half), AfterValidator(even)] = 1",
        "",
    );
    assert_eq!(judged(&twice, "max_concurrent_runs = 8\n"), ("ok".to_owned(), vec![]));
    let (_, found) = judged(&twice, "max_concurrent_runs = 4\n");
    assert_eq!(found[0]["message"], "1 is odd");
}

/// A default is checked only if the field requires it. What pydantic would pass to such a check is unknown.
#[test]
fn a_check_of_a_field_that_is_absent() {
    let check = "    @field_validator('max_concurrent_runs')\n    @classmethod\n    def is_even(cls, value):\n        return even(value)\n";
    assert_eq!(judged(&with_field("int = 1", check), ""), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&with_field("int = Field(1, validate_default=True)", check), "");
    assert_eq!((verdict.as_str(), &found[0]["message"]), ("rejected", &Value::from("1 is odd")), "{found:?}");
    let asks = check
        .replace("(cls, value)", "(cls, value, info)")
        .replace("return even(value)", "if info.config:\n            even(value)\n        return value");
    assert_eq!(judged(&with_field("int = 1", &asks), "max_concurrent_runs = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(&with_field("int = 1", &asks), "max_concurrent_runs = 3\n");
    assert_eq!((verdict.as_str(), &found[0]["code"]), ("depends", &Value::from("PRL115")), "{found:?}");
}

/// With `validate_default`, a default that its own type refuses is an error in every config without the key: one for each member of a union.
#[test]
fn a_default_that_its_type_refuses() {
    let union = "class A(BaseModel):\n    n: int = 1\nclass B(BaseModel):\n    s: str = ''\n";
    let with = |setting: &str, fields: &str| {
        format!(
            "from pydantic import BaseModel, ConfigDict, Field\n{union}class Base(BaseModel):\n    {setting}\nclass TrainerConfig(Base):\n    a: int = 1\n{fields}"
        )
    };
    let natives = |found: &[Value]| -> Vec<String> {
        let native = |found: &Value| {
            let loc: Vec<&str> = found["native"]["loc"].as_array().expect("a place").iter().filter_map(Value::as_str).collect();
            format!("{} {}", found["native"]["type"].as_str().unwrap_or_default(), loc.join("."))
        };
        found.iter().map(native).collect()
    };
    let set = "model_config = ConfigDict(validate_default=True)";
    let of_union = ["model_type wandb.A", "model_type wandb.B"];
    let (verdict, found) = judged(&with(set, "    wandb: A | B = None\n"), "a = 2\n");
    assert_eq!((verdict.as_str(), natives(&found)), ("rejected", of_union.map(String::from).to_vec()), "{found:?}");
    assert_eq!((&found[0]["key"], &found[0]["native"]["masked"]), (&"wandb".into(), &false.into()));
    for (fields, errors) in [
        ("    b: int = 'x'\n", &["int_parsing b"][..]),
        ("    b: list[int] = ['x']\n", &["int_parsing b"]),
        ("    b: A = None\n", &["model_type b"]),
        ("    b: int = Field(0, ge=1)\n", &["greater_than_equal b"]),
        ("    b: int = Field(default=0, ge=1, validate_default=False)\n", &[]),
        ("    b: A | None = None\n    c: float = 1\n    d: list[int] = Field(default_factory=list)\n    e: A = A()\n", &[]),
        ("    b: float = float('inf')\n    c: dict[str, int] = {'n': 1}\n    d: str | int = 1\n", &[]),
    ] {
        let (verdict, found) = judged(&with(set, fields), "");
        let expected = if errors.is_empty() { "ok" } else { "rejected" };
        assert_eq!(
            (verdict.as_str(), natives(&found)),
            (expected, errors.iter().map(|&one| one.to_owned()).collect()),
            "{fields}"
        );
        // Without the setting, pydantic does not look at defaults.
        assert_eq!(judged(&with("model_config = ConfigDict()", fields), "").0, "ok", "{fields}");
    }
    // A key that is given has no default, and the field itself can state it.
    assert_eq!(judged(&with(set, "    wandb: A | B = None\n"), "[wandb]\nn = 2\n").0, "ok");
    assert_eq!(judged(&with("pass", "    b: int = Field('x', validate_default=True)\n"), "").0, "rejected");
    assert_eq!(judged(&with("pass", "    b: int = Field('x', validate_default=True)\n"), "b = 3\n").0, "ok");
    // Settings have it on, and so has a table below the root where it is given.
    let settings = |fields: &str| {
        with("pass", fields)
            .replace("class Base(BaseModel)", "from pydantic_settings import BaseSettings\nclass Base(BaseSettings)")
    };
    assert_eq!(judged(&settings("    wandb: A | B = None\n"), "a = 2\n").0, "rejected");
    assert_eq!(judged(&settings("    wandb: A | B | None = None\n"), "a = 2\n").0, "ok");
    let below = "from pydantic import BaseModel\nclass Inner(BaseModel, validate_default=True):\n    n: int = 1\n    s: str = None\nclass TrainerConfig(BaseModel):\n    inner: Inner | None = None\n";
    let (_, found) = judged(below, "\n[inner]\nn = 2\n");
    assert_eq!(
        (natives(&found), &found[0]["range"]["start"]["line"]),
        (vec!["string_type inner.s".to_owned()], &2.into()),
        "{found:?}"
    );
    assert_eq!(judged(below, "").0, "ok");
}

/// A check of a field gets the fields that its class declares before it, whatever their order in the file is; changes that it
/// makes to these are unknown.
#[test]
fn a_check_of_a_field_reads_the_fields_before_it() {
    let with = |mode: &str, body: &str| {
        format!(
            "from pydantic import field_validator\nclass TrainerConfig(BaseModel, extra='forbid'):\n    a: int = 2\n    b: int = 1\n    c: int = 1\n    @field_validator('b', mode='{mode}')\n    @classmethod\n    def v(cls, value, info):\n        {body}\n        return value\n"
        )
    };
    for mode in ["before", "after"] {
        let larger = with(mode, "if value > info.data['a']: raise ValueError(f'{info.field_name} is larger')");
        are_judged(
            &larger,
            &[("b = 3\na = 3\n", "ok"), ("b = 4\na = 3\n", "rejected"), ("b = 3\n", "rejected"), ("b = 2\n", "ok")],
        );
        are_judged(&larger, &[("b = 3\na = \"x\"\n", "rejected"), ("a = 0\n", "ok")]);
        let later = with(mode, "if 'c' in info.data or info.mode != 'python' or info.context: raise ValueError('no')");
        are_judged(&later, &[("c = 3\nb = 3\n", "ok")]);
        are_judged(&with(mode, "info.data['a'] = value"), &[("b = 3\n", "depends"), ("c = 3\n", "ok")]);
    }
}

/// The number of checks that apply to a config, and what makes its verdict open, are in reports for programs, and in those for
/// people with `--verbose`.
#[test]
fn the_checks_of_a_config_are_counted() {
    let check = "    @field_validator('max_concurrent_runs')\n    @classmethod\n    def is_even(cls, value, info):\n        if info.config:\n            even(value)\n        return value\n";
    let folder = folder_with(
        &small_prime_rl(&[("trainer", &with_field("int = 1", check))]),
        &[
            ("fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n"),
            ("fork/t.toml", "max_concurrent_runs = 3\n"),
        ],
    );
    let report = document(&folder.run("check fork/t.toml --kind trainer --format json"));
    let checks = &file(&report, "fork/t.toml")["checks"];
    assert_eq!((&checks["known"], &checks["from_source"]), (&0.into(), &2.into()), "{checks}");
    assert_eq!(checks["undecided"].as_array().map(Vec::len), Some(1), "{checks}");
    let ended = folder.run("check -v fork/t.toml --kind trainer");
    let counts = ended.stdout.lines().find(|line| line.contains("prime-rl checks apply"));
    insta::assert_snapshot!("checks_of_a_config", counts.expect("the counts"));
    let ended = folder.run("check fork/t.toml --kind trainer");
    assert!(!ended.stdout.contains("run from source"), "{ended:?}");
}

/// If a check depends on something unknown, the verdict is open, and the reason and its place are reported.
#[test]
fn an_unsupported_check_makes_the_verdict_unknown() {
    let asks = OWN_CHECK.replace(
        "        return self\n",
        "        import requests\n        if requests.get('https://example.org').ok:\n            raise ValueError('no')\n        return self\n",
    );
    let (verdict, found) = judged(&asks, OFFLOADED);
    assert_eq!((verdict.as_str(), &found[0]["code"]), ("depends", &Value::from("PRL115")), "{found:?}");
    insta::assert_snapshot!("an_unsupported_check", found[0]["message"].as_str().expect("a message"));
    assert!(found[0]["help"].as_str().is_some_and(|help| help.contains("trainer.py:10")), "{found:?}");
}

/// Tests each trainer class with configs and the verdicts on them: what is not understood is neither accepted nor refused.
#[track_caller]
fn are_judged(trainer: &str, cases: &[(&str, &str)]) {
    let trainer = format!("import os\nfrom pydantic import BaseModel, BeforeValidator, Field, model_validator\n{trainer}");
    for (config, wanted) in cases {
        let (verdict, found) = judged(&trainer, config);
        assert_eq!(verdict, *wanted, "{config}: {found:#?}\n{trainer}");
    }
}

/// If a check returns another table, its fields are those of that table; if its contents are unknown, the whole table is open, and so are the checks
/// that read it.
#[test]
fn a_table_that_a_check_replaces_is_the_one_that_is_checked() {
    let inner = "class Inner(BaseModel, extra='forbid'):\n    n: int = 1\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        BODY\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n    y: int = 1\n    @model_validator(mode='after')\n    def c(self):\n        if self.x.n > 1: raise ValueError('large')\n        return self\n";
    let with = |body: &str| inner.replace("BODY", body);
    let another = with("return {'n': len(data)}");
    are_judged(
        &another,
        &[("[x]\na = 1\nb = 2\n", "rejected"), ("[x]\nn = \"a\"\n", "ok"), ("y = \"a\"\n[x]\na = 1\n", "rejected")],
    );
    let unknown = with("return something(data)");
    are_judged(
        &unknown,
        &[("[x]\na = 1\nb = 2\n", "depends"), ("[x]\nn = \"a\"\n", "depends"), ("y = \"a\"\n[x]\na = 1\n", "rejected")],
    );
    let number = with("return {'n': data} if isinstance(data, int) else data");
    are_judged(&number, &[("x = 1\n", "depends"), ("x = { n = 1 }\n", "ok"), ("x = { n = 2 }\n", "rejected")]);
    let same = with("data.pop('old', None)\n        return data");
    are_judged(&same, &[("x = { old = 1 }\n", "ok"), ("x = { older = 1 }\n", "rejected"), ("x = 1\n", "rejected")]);
}

/// Attributes that pydantic's classes have, or that are classes in the body of the class, are not missing.
#[test]
fn attributes_that_are_not_fields_are_not_missing() {
    for (members, reads) in [
        ("", "self.json()"),
        ("", "self.validate"),
        ("", "self.schema()"),
        ("    class Other:\n        z = 1\n", "self.Other.z"),
        ("    if True:\n        def f(self): return 1\n", "self.f()"),
        ("    import os\n", "self.os.sep"),
    ] {
        let trainer = format!(
            "class TrainerConfig(BaseModel, extra='forbid'):\n    y: int = 1\n{members}    @model_validator(mode='after')\n    def c(self):\n        {reads}\n        return self\n"
        );
        are_judged(&trainer, &[("y = 2\n", "depends")]);
    }
    let missing = "class TrainerConfig(BaseModel, extra='forbid'):\n    y: int = 1\n    @model_validator(mode='after')\n    def c(self):\n        self.z\n        return self\n";
    are_judged(missing, &[("y = 2\n", "rejected")]);
}

/// A class whose declaration is not understood may accept any value and make anything of it.
#[test]
fn a_value_of_a_class_that_is_not_understood_is_unknown_to_checks() {
    let check = "    @model_validator(mode='after')\n    def c(self):\n        if self.x.n > 1: raise ValueError('large')\n        return self\n";
    for inner in [
        "from elsewhere import Inner\n",
        "from elsewhere import Base\nclass Inner(Base):\n    n: int = 1\n",
        "class Inner(BaseModel):\n    n: int = 1\n    @classmethod\n    def __get_pydantic_core_schema__(cls, source, handler):\n        return handler(source)\n",
        "class Inner(BaseModel, metaclass=type(BaseModel)):\n    n: int = 1\n",
    ] {
        let trainer = format!("{inner}class TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner\n{check}");
        are_judged(&trainer, &[("x = 1\n", "depends"), ("x = \"a\"\n", "depends")]);
        for (of, loop_over, config) in [
            ("list[Inner]", "self.x", "x = [1]\n"),
            ("dict[str, Inner]", "self.x.values()", "x = { a = 1 }\n"),
            ("dict[str, list[Inner]]", "self.x['a']", "x = { a = [1] }\n"),
            ("Inner | int | None", "[self.x]", "x = \"a\"\n"),
            ("tuple[Inner, int]", "[self.x[0]]", "x = [1, 2]\n"),
        ] {
            let check = format!(
                "    @model_validator(mode='after')\n    def c(self):\n        for x in {loop_over}:\n            if x.n > 1: raise ValueError('large')\n        return self\n"
            );
            let trainer = format!("{inner}class TrainerConfig(BaseModel, extra='forbid'):\n    x: {of}\n{check}");
            are_judged(&trainer, &[(config, "depends")]);
        }
    }
}

/// A key of a table may be a field of a base that could not be read, of a class that no one here knows.
#[test]
fn a_field_of_a_base_that_is_not_there_is_unknown_to_checks() {
    let check = "    @model_validator(mode='after')\n    def c(self):\n        if not self.y.id: raise ValueError('nameless')\n        return self\n";
    let classes = format!("from elsewhere import Base\nclass Inner(Base):\n    n: int = 1\n{check}");
    let trainer = format!("{classes}class TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner\n");
    let cases = [("x.y = { id = \"a\" }\n", "depends"), ("x.y = {}\n", "depends"), ("x.n = \"a\"\n", "rejected")];
    are_judged(&trainer, &cases);
}

/// A check of the raw table gets a value of any type: for one that only looks at tables, the class reports the error.
#[test]
fn a_value_that_is_not_a_table_is_passed_to_before_validators() {
    let with = |body: &str| {
        format!(
            "class Inner(BaseModel, extra='forbid'):\n    n: int = 1\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        {body}\n        return data\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n"
        )
    };
    let of_tables = with("if isinstance(data, dict): data.pop('old', None)");
    are_judged(&of_tables, &[("x = 1\n", "rejected"), ("x = [1]\n", "rejected"), ("x = { old = 1 }\n", "ok")]);
    let refuses = with("if data in ('small', 7): raise ValueError(f'{data} is gone')");
    let (_, found) = judged(&format!("from pydantic import BaseModel, model_validator\n{refuses}"), "x = \"small\"\n");
    assert_eq!((found.len(), &found[0]["message"]), (1, &Value::from("small is gone")), "{found:#?}");
    let (_, found) = judged(&format!("from pydantic import BaseModel, model_validator\n{refuses}"), "x = \"large\"\n");
    assert_eq!((found.len(), &found[0]["native"]["type"]), (1, &Value::from("model_type")), "{found:#?}");
}

/// A check builds a table from values that its fields refuse: pydantic reports the error of the field, with the path of the check's table.
#[test]
fn a_table_created_by_a_check_from_wrong_values_is_refused() {
    let trainer = "from pydantic import BaseModel, Field, model_validator\nclass Inner(BaseModel, extra='forbid'):\n    n: int = Field(1, ge=1)\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner | None = None\n    y: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        self.x = Inner(n=self.y)\n        return self\n";
    assert_eq!(judged(trainer, "y = 2\n"), ("ok".to_owned(), vec![]));
    let (verdict, found) = judged(trainer, "y = 0\n");
    let native = &found[0]["native"];
    assert_eq!((verdict.as_str(), &native["type"]), ("rejected", &Value::from("greater_than_equal")), "{found:#?}");
    assert_eq!(native["loc"], serde_json::json!(["n"]));
}

/// If it is unknown which type a check sets, a table without a type is not refused.
#[test]
fn a_field_that_a_check_may_set_is_not_missing() {
    let trainer = "import elsewhere\nfrom typing import Annotated, Literal\nclass A(BaseModel, extra='forbid'):\n    type: Literal['a'] = 'a'\n    n: int = 1\nclass B(BaseModel, extra='forbid'):\n    type: Literal['b'] = 'b'\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Annotated[A | B, Field(discriminator='type')] = A()\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        value = data.get('x')\n        if isinstance(value, dict) and 'type' not in value: FILL\n        return data\n";
    let by_default = trainer.replace("FILL", "value['type'] = cls.model_fields['x'].default.type");
    are_judged(&by_default, &[("x = { n = 2 }\n", "ok"), ("x = { n = \"a\" }\n", "rejected"), ("x = { type = \"b\" }\n", "ok")]);
    let unknown = trainer.replace("FILL", "value['type'] = elsewhere.TYPE");
    are_judged(&unknown, &[("x = { n = 2 }\n", "depends"), ("x = { type = \"c\" }\n", "rejected")]);
}

/// A value that a check of the raw table makes unknown is not read as its default.
#[test]
fn a_value_made_unknown_by_a_check_has_no_verdict() {
    let trainer = "import elsewhere\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: int = 1\n    z: int = 1\n    @model_validator(mode='before')\n    @classmethod\n    def v(cls, data):\n        if 'x' in data: data['x'] = elsewhere.made(data['x'])\n        return data\n    @model_validator(mode='after')\n    def c(self):\n        if self.x == 1: raise ValueError('the default')\n        return self\n";
    are_judged(trainer, &[("x = 2\n", "depends"), ("z = 2\n", "rejected")]);
}

/// Where a validator calls the function of verifiers that looks up a class by its `id`, the packages decide; where it does not, the declared class.
#[test]
fn a_class_is_looked_up_where_the_check_does_that() {
    let with = |body: &str| {
        format!(
            "import verifiers.v1 as vf\nclass Env(BaseModel, extra='forbid'):\n    id: str = ''\n    n: int = 1\nclass TrainerConfig(BaseModel, extra='forbid'):\n    env: Env = Env()\n    @model_validator(mode='before')\n    @classmethod\n    def _resolve_env(cls, data):\n        {body}\n"
        )
    };
    let unknown_key = "env = { id = \"some-package\", own = 1 }\n";
    let looks_up = with("return vf.resolve_env_field(data, vf.narrowed_env_annotation(cls))");
    are_judged(&looks_up, &[("env = { n = 2 }\n", "ok"), (unknown_key, "depends"), ("env = { id = 5 }\n", "rejected")]);
    let plain = with("return data");
    are_judged(&plain, &[("env = { n = 2 }\n", "ok"), (unknown_key, "rejected"), ("env = { id = \"a\" }\n", "ok")]);
}

#[test]
fn a_check_that_returns_something_else_is_left_open() {
    let with = |body: &str| {
        format!(
            "class TrainerConfig(BaseModel, extra='forbid'):\n    x: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        {body}\n"
        )
    };
    are_judged(&with("return self.model_copy(update={'x': 'no'})"), &[("x = 1\n", "depends"), ("x = \"a\"\n", "rejected")]);
    are_judged(&with("return None"), &[("x = 1\n", "depends")]);
    are_judged(&with("return self"), &[("x = 1\n", "ok")]);
}

/// A check does not fail because of an unknown default.
#[test]
fn an_unknown_default_has_no_verdict() {
    let trainer = "class TrainerConfig(BaseModel, extra='forbid'):\n    x: int = os.getpid()\n    z: int = 1\n    @model_validator(mode='after')\n    def v(self):\n        if self.x < 1: raise ValueError('small')\n        return self\n";
    are_judged(trainer, &[("z = 2\n", "ok"), ("x = 0\n", "rejected"), ("x = 2\n", "ok")]);
}

/// A class that is not understood may accept values that are not tables, and unknown keys.
#[test]
fn an_unsupported_class_refuses_nothing() {
    let strange = "class Inner(BaseModel, strict=True, extra='forbid'):\n    n: int = 1\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n";
    are_judged(strange, &[("x = 3\n", "depends"), ("[x]\nm = 1\n", "depends"), ("w = 1\n", "rejected")]);
    let root = "class TrainerConfig(BaseModel, extra='forbid', strict=True):\n    x: int = 1\n";
    are_judged(root, &[("x = 1.0\n", "depends"), ("w = 1\n", "depends")]);
    let absent = "from elsewhere import Base\nclass Inner(Base):\n    n: int = 1\nclass TrainerConfig(BaseModel, extra='forbid'):\n    x: Inner = Inner()\n";
    are_judged(
        absent,
        &[("x = 3\n", "depends"), ("[x]\nm = 1\n", "depends"), ("[x]\nn = \"a\"\n", "rejected"), ("[x]\nn = 1\n", "depends")],
    );
}
