//! Forms in which Python code can declare a config. Each is read correctly, or is open with a reason and its place.

use std::path::PathBuf;

use cfg_python::{Declarations, read};
use cfg_system::MemorySystem;

/// The result of reading the config `TrainerConfig` of a trainer that a text declares.
struct Read {
    declared: Declarations,
}

const TRAINER: usize = 1;

impl Read {
    fn of(text: &str) -> Self {
        Self::with(text, &[])
    }

    fn with(text: &str, more: &[(&str, &str)]) -> Self {
        let plain = |class: &str| format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    x: int = 1\n");
        let system = MemorySystem::default();
        for (module, class) in
            [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
        {
            system.put(format!("/s/prime_rl/configs/{module}.py").as_ref(), &plain(class));
        }
        system.put("/s/prime_rl/__init__.py".as_ref(), "");
        system.put("/s/prime_rl/configs/__init__.py".as_ref(), "");
        system.put("/s/prime_rl/configs/trainer.py".as_ref(), &format!("{HEAD}{text}"));
        for (path, text) in more {
            system.put(format!("/s/{path}").as_ref(), text);
        }
        let declared = read(&system, vec![PathBuf::from("/s")], None).expect("the classes are there");
        Self { declared }
    }

    /// The type and the default of a field, or the policy of a table.
    fn field(&self, path: &str) -> Option<String> {
        let field = self.declared.kinds[TRAINER].iter().find(|field| field.path == path)?;
        let interval = field.intervals.first()?;
        let ty = &interval.ty;
        let policy = ty.policy.as_ref().map(|policy| format!("({policy})")).unwrap_or_default();
        let null = if ty.nullable { "?" } else { "" };
        let default = interval.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        let required = if interval.required { " required" } else { "" };
        Some(format!("{}{policy}{null}{default}{required}", ty.base))
    }

    /// The lines and reasons of the parts that are not understood.
    fn unknown(&self) -> Vec<String> {
        self.declared
            .unknown
            .iter()
            .map(|unknown| format!("{}: {}", unknown.line.saturating_sub(HEAD_LINES), unknown.why))
            .collect()
    }
}

const HEAD: &str = "import os\nfrom enum import Enum\nfrom pathlib import Path\nfrom typing import Annotated, Any, ClassVar, Literal, TypeVar, TYPE_CHECKING\nfrom pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Discriminator, Tag, field_validator, model_validator\n";
const HEAD_LINES: u32 = 5;

/// Asserts that `x` has the expected type, or that the reason why it is open contains this text.
#[track_caller]
fn holds(text: &str, wanted: &str) {
    let read = Read::of(text);
    assert_eq!(read.field("x").as_deref(), Some(wanted), "{text}\n{:?}", read.unknown());
    assert_eq!(read.unknown(), Vec::<String>::new(), "{text}");
}

#[track_caller]
fn is_open(text: &str, line: u32, why: &str) {
    let read = Read::of(text);
    let field = read.field("x");
    assert!(field.as_deref().is_none_or(|field| field.starts_with("any")), "{field:?}: {text}");
    let reason = format!("{line}: ");
    assert!(read.unknown().iter().any(|one| one.starts_with(&reason) && one.contains(why)), "{:?}: {text}", read.unknown());
}

fn class(field: &str) -> String {
    format!("class TrainerConfig(BaseModel):\n    {field}\n")
}

#[test]
fn plain_declarations_are_read() {
    for (field, wanted) in [
        ("x: int = 8", "int = 8"),
        ("x: int", "int required"),
        ("x: int | None = None", "int? = null"),
        ("x: 'int | None' = None", "int? = null"),
        ("x: Annotated[int, Field(ge=1)] = 2 * 3", "int = 6"),
        ("x: Literal['a', 'b'] = 'a'", "literal = \"a\""),
        ("x: list[int] = Field(default_factory=list)", "list = []"),
        ("x: dict[str, Any] = {}", "dict = {}"),
        ("x: Path = Path('out') / 'in'", "path = \"out/in\""),
        ("x: float = 1e-3", "float = 0.001"),
        ("x: bool = not False", "bool = true"),
        ("x: int = Field(default=3, ge=1, description='three')", "int = 3"),
        ("x: int = Field(..., ge=1)", "int required"),
        ("x: int = (lambda: 4)()", "int = 4"),
        ("x: int = [1, 2, 3][1]", "int = 2"),
        ("x: int = 5 if True else 6", "int = 5"),
    ] {
        holds(&class(field), wanted);
    }
}

/// The parser is built without the names of characters: a string that uses one is open, and the rest of its file is read.
#[test]
fn a_character_that_is_named_is_open() {
    is_open(&class(r"x: Literal['\N{BULLET}'] = '\N{BULLET}'"), 2, "given by its name");
    holds(&format!("BULLET = '\\N{{BULLET}}'\n{}", class(r"x: str = '\u2022'")), "str = \"\u{2022}\"");
}

#[test]
fn names_are_resolved_to_their_definitions() {
    holds("LIMIT = 7\nT = int | None\nclass TrainerConfig(BaseModel):\n    x: T = LIMIT\n", "int? = 7");
    holds(
        "class Mode(Enum):\n    A = 'a'\n    B = 'b'\nclass TrainerConfig(BaseModel):\n    x: Mode = Mode.B\n",
        "literal = \"b\"",
    );
    holds("class Base(BaseModel):\n    x: int = 1\nclass TrainerConfig(Base):\n    x: int = 2\n", "int = 2");
    holds(
        "def made():\n    start = 2\n    return start + 1\nclass TrainerConfig(BaseModel):\n    x: int = Field(default_factory=made)\n",
        "int = 3",
    );
    holds("type Count = int\nclass TrainerConfig(BaseModel):\n    x: Count = 1\n", "int = 1");
    holds("T = TypeVar('T', bound=int)\nclass TrainerConfig(BaseModel):\n    x: T = 1\n", "int = 1");
    holds("class Deep:\n    N = 5\nclass TrainerConfig(BaseModel):\n    x: int = Deep.N\n", "int = 5");
    let read = Read::with(
        "from prime_rl.other import *\nfrom prime_rl.other import Inner as I\nclass TrainerConfig(BaseModel):\n    x: I = I(n=3)\n    y: int = SIZE\n",
        &[("prime_rl/other.py", "from pydantic import BaseModel\nSIZE = 9\nclass Inner(BaseModel):\n    n: int = 1\n")],
    );
    assert_eq!(read.field("x").as_deref(), Some("table(ignore) = {\"n\":3}"));
    assert_eq!(read.field("x.n").as_deref(), Some("int = 1"));
    assert_eq!(read.field("y").as_deref(), Some("int = 9"));
}

#[test]
fn code_under_type_checking_is_read() {
    holds("if TYPE_CHECKING:\n    from nowhere import X\nclass TrainerConfig(BaseModel):\n    x: int = 1\n", "int = 1");
    holds(
        "if __name__ == '__main__':\n    LIMIT = 3\nLIMIT = 4\nclass TrainerConfig(BaseModel):\n    x: int = LIMIT\n",
        "int = 4",
    );
}

#[test]
fn a_name_under_a_module_condition_is_unknown() {
    is_open(
        "if os.environ.get('BIG'):\n    T = int\nelse:\n    T = str\nclass TrainerConfig(BaseModel):\n    x: T = 1\n",
        4,
        "under a condition",
    );
    is_open(
        "T = int\nif os.environ.get('BIG'):\n    T = str\nclass TrainerConfig(BaseModel):\n    x: T = 1\n",
        3,
        "under a condition",
    );
    is_open("for T in (int, str):\n    pass\nclass TrainerConfig(BaseModel):\n    x: T = 1\n", 1, "bound");
    is_open("while True:\n    T = int\n    break\nclass TrainerConfig(BaseModel):\n    x: T = 1\n", 2, "under a condition");
    is_open("T = int\nT = str\nclass TrainerConfig(BaseModel):\n    x: T = 1\n", 2, "more than once");
    is_open("T, U = int, str\nclass TrainerConfig(BaseModel):\n    x: T = 1\n", 1, "a part of a value");
    is_open("T = int\ndel T\nclass TrainerConfig(BaseModel):\n    x: T = 1\n", 2, "changed");
}

#[test]
fn a_class_with_its_own_metaclass_is_unknown() {
    let inner = |body: &str| format!("{body}class TrainerConfig(BaseModel):\n    x: Inner = None\n");
    is_open(&inner("def d(c): return c\n@d\nclass Inner(BaseModel):\n    n: int = 1\n"), 2, "decorated");
    is_open(&inner("class Inner(BaseModel):\n    if os.environ.get('BIG'):\n        n: int = 1\n"), 2, "a condition in the body");
    is_open(&inner("class Inner(BaseModel):\n    for i in range(3):\n        n: int = 1\n"), 2, "a loop in the body");
    is_open(
        &inner("class Inner(BaseModel):\n    def __init__(self, **data):\n        super().__init__(**data)\n"),
        2,
        "__init__",
    );
    is_open(&inner("class Inner(BaseModel):\n    def __new__(cls, **data):\n        return 3\n"), 2, "__new__");
    is_open(
        &inner("class Meta(type): ...\nclass Inner(BaseModel, metaclass=Meta):\n    n: int = 1\n"),
        2,
        "a class with a metaclass",
    );
    is_open(
        &inner(
            "class Inner(BaseModel):\n    n: int = 1\n    @classmethod\n    def __get_pydantic_core_schema__(cls, source, handler): ...\n",
        ),
        3,
        "__get_pydantic_core_schema__",
    );
    is_open(
        &inner(
            "class Inner(BaseModel):\n    n: int = 1\n    @model_validator(mode='wrap')\n    @classmethod\n    def own(cls, data, handler): ...\n",
        ),
        5,
        "decides whether",
    );
    is_open(
        &inner(
            "class Root(BaseModel):\n    def __init_subclass__(cls):\n        cls.model_fields.clear()\nclass Inner(Root):\n    n: int = 1\n",
        ),
        2,
        "__init_subclass__",
    );
    is_open(&inner("class Inner(BaseModel):\n    n: int = 1\nInner.model_fields['n'] = 3\n"), 3, "changed");
    is_open(&inner("class Inner(BaseModel):\n    n: int = 1\nsetattr(Inner, 'n', 3)\n"), 3, "changed");
    is_open(&inner("def change(c): ...\nclass Inner(BaseModel):\n    n: int = 1\nchange(Inner)\n"), 4, "changed");
    is_open(&inner("class Inner[T](BaseModel):\n    n: T\n"), 1, "");
    is_open(&inner("class Inner(BaseModel):\n    exec('n: int = 1')\n"), 2, "a call in the body");
}

/// Settings, decorators and hooks that change what a class accepts.
#[test]
fn a_class_with_ways_that_are_not_modelled_is_open() {
    let inner = |body: &str| format!("{body}class TrainerConfig(BaseModel):\n    x: Inner = None\n");
    for setting in [
        "strict=True",
        "coerce_numbers_to_str=True",
        "str_max_length=2",
        "str_to_lower=True",
        "validate_default=UNKNOWN",
        "validate_assignment=True",
        "validate_by_alias=False",
        "alias_generator=str.upper",
        "allow_inf_nan=False",
    ] {
        is_open(&inner(&format!("class Inner(BaseModel, {setting}):\n    n: int = 1\n")), 1, "the setting");
        let in_body = format!("class Inner(BaseModel):\n    model_config = ConfigDict({setting})\n    n: int = 1\n");
        is_open(&inner(&in_body), 2, "the setting");
    }
    let after = "    @model_validator(mode='after')\n    def v(self): self.n = 2\n";
    is_open(&inner(&format!("class Inner(BaseModel, frozen=True):\n    n: int = 1\n{after}")), 1, "the setting `frozen`");
    is_open(&inner("class Inner(BaseModel):\n    model_config = os.environ\n    n: int = 1\n"), 2, "the settings of `Inner`");
    is_open(
        &inner("class Inner(BaseModel):\n    class Config:\n        extra = 'forbid'\n    n: int = 1\n"),
        2,
        "a class `Config`",
    );
    for hook in ["__setattr__", "__getattribute__", "__prepare__"] {
        is_open(
            &inner(&format!("class Inner(BaseModel):\n    n: int = 1\n    def {hook}(self, *a): self.n = int(a)\n")),
            3,
            hook,
        );
    }
    is_open(&inner("class Inner(BaseModel):\n    __pydantic_extra__: dict[str, int]\n"), 2, "a special name");
    is_open(&inner("class Inner(BaseModel):\n    locals()['n'] = 1\n"), 2, "computed in the body");
    let check = "def check(v): return v\n";
    is_open(
        &inner(&format!("{check}class Inner(BaseModel):\n    n: int = 1\n    _v = field_validator('n')(check)\n")),
        4,
        "computed in the body",
    );
    is_open(&inner(&format!("{check}class Inner(BaseModel):\n    n: int = 1\n    _v = check\n")), 4, "computed in the body");
    for decorator in ["mine('n')", "mine", "made", "os.fspath"] {
        let own = "def mine(*names): return field_validator(*names)\nmade = field_validator('n')\n";
        let text = format!(
            "{own}class Inner(BaseModel):\n    n: int = 1\n    @{decorator}\n    @classmethod\n    def v(cls, v): return v\n"
        );
        is_open(&inner(&text), 5, "a decorator of `v`");
    }
    for base in ["typing.NamedTuple", "pydantic.RootModel[int]", "dict"] {
        is_open(&inner(&format!("import typing, pydantic\nclass Inner({base}):\n    n: int = 1\n")), 2, "the base");
    }
    is_open(&inner("class Inner(BaseModel):\n    n: int = Field(1, alias=Field('n'))\n"), 2, "an alias that is not a string");
    // Code that does not change what a class accepts does not make it unknown.
    let tidy =
        "class Inner(BaseModel):\n    n: str = ''\n    def model_post_init(self, _):\n        self.n = self.n.rstrip('/')\n";
    let read = Read::of(&format!("{tidy}class TrainerConfig(BaseModel):\n    x: Inner = Inner()\n"));
    assert_eq!((read.field("x.n").as_deref(), read.unknown()), (Some("str = \"\""), vec![]));
    for line in
        ["_n: int = PrivateAttr(1)", "_m = {'a': 1}", "__slots__ = ()", "def __str__(self): return ''", "_r = re.compile('a')"]
    {
        let text = format!("import re\nclass Inner(BaseModel, title='x', str_to_lower=False):\n    n: int = 1\n    {line}\n");
        let read = Read::of(&format!("{text}class TrainerConfig(BaseModel):\n    x: Inner = Inner()\n"));
        assert_eq!((read.field("x.n").as_deref(), read.unknown()), (Some("int = 1"), vec![]), "{line}");
    }
}

/// If several bases have a setting, the last one takes precedence.
#[test]
fn settings_are_inherited_as_pydantic_does() {
    let two = "class A(BaseModel):\n    model_config = ConfigDict(extra='forbid')\nclass B(BaseModel):\n    model_config = ConfigDict(extra='allow')\nclass C(A): ...\n";
    for (bases, wanted) in [("A, B", "allow"), ("B, A", "forbid"), ("C, B", "allow"), ("B, C", "forbid"), ("C", "forbid")] {
        let read = Read::of(&format!("{two}class I({bases}): ...\nclass TrainerConfig(BaseModel):\n    x: I = I()\n"));
        assert_eq!(read.field("x"), Some(format!("table({wanted}) = {{}}")), "{bases}");
    }
}

/// A frozen class is read, unless one of its checks may assign to an attribute, itself or in a function that it calls.
#[test]
fn a_frozen_class_is_read_unless_a_check_may_assign_to_it() {
    let class = |base: &str, check: &str| {
        format!("class B(BaseModel, frozen=True):\n    pass\nclass TrainerConfig({base}):\n    x: int = 1\n{check}")
    };
    holds(&class("B", ""), "int = 1");
    let check = |mode: &str, does: &str| {
        format!("    @model_validator(mode='{mode}')\n    def look(self):\n        {does}\n        return self\n")
    };
    let (looks, assigns) = ("if set(self.model_fields_set) and self.x == 2:\n            raise ValueError('two')", "self.x = 2");
    holds(&class("B", &check("after", looks)), "int = 1");
    holds(&class("B", &check("before", assigns)), "int = 1");
    holds(&class("BaseModel", &check("after", assigns)), "int = 1");
    is_open(&class("B", &check("after", assigns)), 1, "the setting `frozen` of `B`");
    // Functions that it calls may assign as well. Other code that it calls is unknown when the check is run.
    let helper = "def change(config):\n    for config.x in [2]:\n        pass\n";
    is_open(&format!("{helper}{}", class("B", &check("after", "change(self)"))), 4, "the setting `frozen` of `B`");
    let method = "    def change(self):\n        setattr(self, 'x', 2)\n";
    is_open(&class("B", &format!("{method}{}", check("after", "self.change()"))), 1, "the setting `frozen` of `B`");
    holds(&class("B", &check("after", "elsewhere(self)")), "int = 1");
}

#[test]
fn names_that_code_changes_are_open() {
    let of = |text: &str| format!("T = int\n{text}class TrainerConfig(BaseModel):\n    x: T = 1\n");
    is_open(&of("print(T := str)\n"), 0, "changed");
    is_open(&of("def change():\n    global T\n    T = str\nchange()\n"), 0, "changed");
    let elsewhere = ("prime_rl/odd.py", "T = str\n");
    let late = Read::with(&of("from prime_rl.odd import *\n"), &[elsewhere]);
    assert_eq!(late.field("x").as_deref(), Some("any = 1"));
    assert!(late.unknown()[0].contains("may be replaced by `prime_rl.odd`"), "{:?}", late.unknown());
    for code in [
        "globals()['T'] = str",
        "globals().update(T=str)",
        "vars()['T'] = str",
        "import sys\nsys.modules[__name__].T = str",
        "exec('T = str')",
    ] {
        let odd = format!("T = int\n{code}\n");
        let read = Read::with(
            "from prime_rl.odd import T\nclass TrainerConfig(BaseModel):\n    x: T = 1\n",
            &[("prime_rl/odd.py", &odd)],
        );
        assert_eq!(read.field("x").as_deref(), Some("any = 1"), "{code}");
        assert!(read.unknown()[0].contains("code of its module may change any name"), "{code}: {:?}", read.unknown());
    }
}

/// The value after a field may be a `Field` with limits and aliases.
#[test]
fn a_call_that_may_be_a_field_is_not_a_default() {
    is_open("import functools\nF = functools.partial(Field, ge=1)\nclass TrainerConfig(BaseModel):\n    x: int = F(3)\n", 4, "");
    is_open(
        "from elsewhere import field\nclass TrainerConfig(BaseModel):\n    x: int = field(3)\n",
        3,
        "a default made by `elsewhere.field`",
    );
    is_open("def made():\n    import os\n    return os\nclass TrainerConfig(BaseModel):\n    x: int = made()\n", 2, "");
    is_open("FS = {}\nFS['x'] = Field(1, ge=1)\nclass TrainerConfig(BaseModel):\n    x: int = FS['x']\n", 2, "changed");
    holds("F = Field\nAGE = F(3, ge=2)\nclass TrainerConfig(BaseModel):\n    x: int = AGE\n", "int = 3");
    // An instance of a class is not a default.
    let read = Read::of("from elsewhere import Thing\nclass TrainerConfig(BaseModel):\n    x: int = Thing()\n");
    assert_eq!(read.field("x").as_deref(), Some("int"));
}

#[test]
fn an_enumeration_with_ways_of_its_own_is_open() {
    let of = |body: &str| format!("class E(Enum):\n    A = 'a'\n{body}class TrainerConfig(BaseModel):\n    x: E = 'a'\n");
    for hook in ["_missing_", "_generate_next_value_", "__new__", "__init__"] {
        is_open(&of(&format!("    def {hook}(cls, v): return cls.A\n")), 5, hook);
    }
    is_open(&of("    _ignore_ = ['A']\n"), 5, "an enumeration with settings");
    holds(&of("    def __str__(self): return 'x'\n"), "literal = \"a\"");
}

#[test]
fn bounds_and_keys_that_are_compared_nowhere_are_open() {
    is_open(&class("x: Annotated[int, Field(ge=3)] = Field(4, ge=2)"), 2, "given twice");
    holds(&class("x: Annotated[int, Field(ge=3)] = Field(4, le=9)"), "int = 4");
    is_open(&class("x: dict[Literal['a'], int] = {}"), 2, "keys that are not plain strings");
    is_open(&class("x: dict[int, int] = {}"), 2, "keys that are not plain strings");
    // An open part of a type is recorded for the field.
    let read = Read::of(&class("x: list[Annotated[int, os.sep]] = []"));
    assert_eq!(read.field("x").as_deref(), Some("list = []"));
    assert!(read.declared.open.contains_key(&(TRAINER, "x".to_owned())), "{:?}", read.declared.open);
}

/// A function with the name of a base's validator overrides it; any other object with that name makes the validator unknown.
#[test]
fn a_validator_is_overridden_by_its_name() {
    let base = "class Base(BaseModel):\n    n: int = 1\n    @model_validator(mode='after')\n    def v(self): self.n = 2\n";
    let of = |body: &str| format!("{base}class Inner(Base):\n{body}class TrainerConfig(BaseModel):\n    x: Inner = None\n");
    let read = Read::of(&of("    def v(self): return None\n"));
    assert_eq!((read.field("x").as_deref(), read.unknown()), (Some("table(ignore) = null"), vec![]));
    is_open(&of("    v: int = 3\n"), 4, "decides whether the other checks");
    let names = "NAMES = os.environ\nclass TrainerConfig(BaseModel):\n    x: int = 1\n    @field_validator(*NAMES)\n    @classmethod\n    def v(cls, v): return v\n";
    is_open(names, 6, "decides which values");
}

#[test]
fn a_hook_that_only_looks_leaves_a_class_as_it_is() {
    let read = Read::of(
        "class Root(BaseModel):\n    @classmethod\n    def __pydantic_init_subclass__(cls, **kwargs):\n        super().__pydantic_init_subclass__(**kwargs)\n        if not cls.model_fields:\n            raise TypeError('no fields')\nclass Inner(Root):\n    n: int = 1\nclass TrainerConfig(BaseModel):\n    x: Inner = Inner()\n",
    );
    assert_eq!(read.field("x.n").as_deref(), Some("int = 1"));
    assert_eq!(read.unknown(), Vec::<String>::new());
}

#[test]
fn a_type_that_is_not_known_is_open() {
    is_open(&class("x: Missing = 1"), 2, "the name `Missing` is not defined");
    is_open(
        "from elsewhere import Thing\nclass TrainerConfig(BaseModel):\n    x: Thing = 1\n",
        3,
        "`elsewhere.Thing` was not found",
    );
    is_open(&class("x: 'int |' = 1"), 2, "a string that is not a type");
    is_open(&class("x: Literal[1, 2] = 1"), 2, "a literal that is not a string");
    is_open(&class("x: Annotated[int, os.sep] = 1"), 2, "");
    is_open(&class("x: bytes"), 2, "the type `bytes`");
    is_open("NAME = f'{os.sep}'\nclass TrainerConfig(BaseModel):\n    x: Literal[NAME] = 'a'\n", 1, "an f-string");
    is_open(&class("x: tuple[int, int] = (1, 2)"), 2, "the type `tuple`");
    is_open("class Plain:\n    n = 1\nclass TrainerConfig(BaseModel):\n    x: Plain = None\n", 4, "not a config class");
    is_open(
        "A = 'B'\nB = 'A'\nclass TrainerConfig(BaseModel):\n    x: A | B = None\n",
        4,
        "a string that is evaluated to another string as a type",
    );
    is_open("A = A\nclass TrainerConfig(BaseModel):\n    x: A = None\n", 0, "depends on itself");
}

#[test]
fn a_field_that_decides_itself_is_open() {
    is_open(
        "class TrainerConfig(BaseModel):\n    x: int = 1\n    @field_validator('x', mode='wrap')\n    @classmethod\n    def own(cls, value, handler): return value\n",
        5,
        "decides which values",
    );
    is_open(
        "class TrainerConfig(BaseModel):\n    x: int = 1\n    @field_validator('*', mode='plain')\n    @classmethod\n    def own(cls, value): return value\n",
        5,
        "decides which values",
    );
    is_open(&class("x: int = Field(1, multiple_of=2)"), 2, "`multiple_of` of a field");
    is_open(&class("x: int = Field(1, ge=os.cpu_count())"), 2, "the bound `ge`");
}

#[test]
fn a_default_that_is_not_known_leaves_the_type() {
    let read = Read::of(&class("x: int = os.cpu_count()"));
    assert_eq!(read.field("x").as_deref(), Some("int"));
    assert!(read.unknown()[0].contains("os.cpu_count"), "{:?}", read.unknown());
}

#[test]
fn a_missing_base_class_leaves_keys_unknown() {
    let read = Read::of(
        "from elsewhere import Base\nclass Inner(Base):\n    n: int = 1\nclass TrainerConfig(BaseModel):\n    x: Inner = Inner()\n",
    );
    assert_eq!(read.field("x").as_deref(), Some("table(allow) = {}"));
    assert_eq!(read.field("x.n").as_deref(), Some("int = 1"));
    assert_eq!(read.unknown(), ["2: the source of `elsewhere.Base` was not found"]);
}

#[test]
fn a_union_has_the_tag_of_its_classes() {
    let two = "class A(BaseModel):\n    type: Literal['a'] = 'a'\nclass B(BaseModel):\n    type: Literal['b'] = 'b'\n";
    let read = Read::of(&format!("{two}class TrainerConfig(BaseModel):\n    x: A | B = Field(A(), discriminator='type')\n"));
    assert_eq!(read.field("x<type=b>").as_deref(), Some("variant(ignore)"));
    assert_eq!(read.unknown(), Vec::<String>::new());
    is_open(
        &format!("{two}class TrainerConfig(BaseModel):\n    x: A | B = Field(A(), discriminator='kind')\n"),
        6,
        "the tag `kind`",
    );
    let tagged = "Annotated[Annotated[A, Tag('default')] | Annotated[B, Tag('b')], Discriminator(which)]";
    let which = "def which(v):\n    if isinstance(v, dict):\n        return v.get('type', 'default')\n    return getattr(v, 'type', 'default')\n";
    let read = Read::of(&format!("{two}{which}class TrainerConfig(BaseModel):\n    x: {tagged} = A()\n"));
    assert_eq!(read.field("x<type=default>").as_deref(), Some("variant(ignore)"));
    let other = "def which(v):\n    return 'b' if len(v) > 2 else 'default'\n";
    is_open(
        &format!("{two}{other}class TrainerConfig(BaseModel):\n    x: {tagged} = A()\n"),
        8,
        "the function that selects the variant",
    );
}

#[test]
fn a_class_that_contains_itself_ends() {
    let read = Read::of(
        "class Inner(BaseModel):\n    n: 'Inner | None' = None\nclass TrainerConfig(BaseModel):\n    x: Inner = Inner()\n",
    );
    assert_eq!(read.field("x.n").as_deref(), Some("any = null"));
    assert_eq!(read.unknown(), ["2: `Inner` contains itself"]);
}

#[test]
fn reading_ends_for_any_source() {
    let deep = format!("X = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let long = format!("X = {}1\n", "not ".repeat(100_000));
    let chain = format!("X = 1{}\n", " + 1".repeat(100_000));
    let calls = format!("X = f{}\n", "()".repeat(100_000));
    let dots = format!("X = f{}\n", ".a".repeat(100_000));
    let lambdas = format!("X = {}1\n", "lambda a=1, b=2: ".repeat(100_000));
    let blocks: Vec<String> = (0..300).map(|depth| format!("{}if X:\n", " ".repeat(depth))).collect();
    let each: Vec<String> = (0..3000).map(|number| format!("A{number} = A{}\n", number + 1)).collect();
    for text in [
        deep,
        long,
        chain,
        calls,
        dots,
        lambdas,
        blocks.concat(),
        "X = (\n".to_owned(),
        "\u{feff}def\u{0}".to_owned(),
        each.concat(),
    ] {
        let read = Read::with(
            "from prime_rl.odd import A0\nclass TrainerConfig(BaseModel):\n    x: A0 = 1\n    y: int = 1\n",
            &[("prime_rl/odd.py", &text)],
        );
        assert_eq!(read.field("y").as_deref(), Some("int = 1"));
        assert!(read.field("x").is_some_and(|field| field.starts_with("any")));
    }
    // Nesting just below the limit fits on the stack of any thread.
    for count in [120, 240, 480, 499] {
        let nested = [
            format!("X = {}1{}\n", "(".repeat(count), ")".repeat(count)),
            format!("X = {}1\n", "not ".repeat(count)),
            format!("X = {}1\n", "lambda: ".repeat(count / 2)),
            format!("X = 1{}\n", " + 1".repeat(count / 2)),
            format!("X = f{}\n", "()".repeat(count / 3)),
            format!("X = {}1{}\n", "{1: ".repeat(count / 3), "}".repeat(count / 3)),
            format!("def f():\n    return {}1{}\n", "[".repeat(count), "]".repeat(count)),
            (0..50).map(|depth| format!("{}if X:\n", " ".repeat(depth))).collect::<Vec<_>>().concat() + &" ".repeat(50) + "X\n",
        ];
        for text in nested {
            let text = text + "T = int\n";
            let read = || {
                let read = Read::with(
                    "from prime_rl.odd import X, T\nclass TrainerConfig(BaseModel):\n    x: T = 1\n    y: X = 1\n",
                    &[("prime_rl/odd.py", &text)],
                );
                read.field("x").is_some()
            };
            let thread = std::thread::Builder::new().stack_size(2 << 20);
            assert!(std::thread::scope(|scope| thread.spawn_scoped(scope, read).expect("a thread").join()).is_ok_and(|is| is));
        }
    }
    // If a module can't be read, all of its names are unknown, even whether `int` has its usual meaning.
    let shadowed =
        Read::with("from prime_rl.odd import *\nclass TrainerConfig(BaseModel):\n    x: int = 1\n", &[("prime_rl/odd.py", "(")]);
    assert_eq!(shadowed.field("x").as_deref(), Some("any = 1"));
    let around = Read::with(
        "from prime_rl.a import T\nclass TrainerConfig(BaseModel):\n    x: T = 1\n",
        &[("prime_rl/a.py", "from prime_rl.b import T\n"), ("prime_rl/b.py", "from prime_rl.a import T\n")],
    );
    assert_eq!(around.field("x").as_deref(), Some("any = 1"));
    let stars = Read::with(
        "from prime_rl.a import *\nclass TrainerConfig(BaseModel):\n    x: T = 1\n",
        &[("prime_rl/a.py", "from prime_rl.b import *\n"), ("prime_rl/b.py", "from prime_rl.a import *\n")],
    );
    assert_eq!(stars.field("x").as_deref(), Some("any = 1"));
}
