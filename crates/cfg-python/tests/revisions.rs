//! The revision of a validator changes with everything that decides what it accepts, and with nothing else.

use std::{collections::BTreeMap, path::PathBuf};

use cfg_python::read_with_revisions;
use cfg_system::MemorySystem;

const LIMITS: &str = "
HIGHEST = 9
LOWEST = 1

def is_odd(value):
    return value % 2 == 1

def is_even(value):
    return value % 2 < 1
";

const SOURCE: &str = "
from enum import Enum
from typing import ClassVar
from pydantic import BaseModel, model_validator
from prime_rl.configs import limits

MOST = 8
UNUSED = 1
ROOTS = {n: n * n for n in range(4)}
GROWN = {'a': 1}
GROWN['b'] = 2
NAMES = ['a']
NAMES.append('b')
LONGER = ['a']
LONGER.extend(['b'])
KEYS = {'a': 1}
KEYS.update(b=2)
MARKS = {'a'}
MARKS.add('b')
PLACES = ['a']
PLACES.insert(0, 'b')
POPPED = ['a', 'b']
LAST = POPPED.pop(1)

class Mode(Enum):
    FAST = 'fast'
    SLOW = 'slow'

class Ruler:
    unit = 3

    def measure(self, value):
        return value * self.unit

def repeated(function):
    return function

@repeated
def helped(value):
    return value > 5

class Small(BaseModel):
    size: int = 4
    SHAPES: ClassVar[tuple[str, ...]] = ('ring', 'line')
    UNREAD: ClassVar[int] = 0

class Root(BaseModel):
    DEPTH: ClassVar[int] = 31

    def helper(self):
        return 21

class Base(Root):
    INHERITED: ClassVar[int] = 7
    DEPTH: ClassVar[int] = 32
    Own = None

    def helper(self):
        return super().helper() + 22

    @model_validator(mode='after')
    def above(self):
        return self if self.INHERITED else None

class TrainerConfig(Base):
    a: int = 1
    small: Small = Small()
    DEPTH: ClassVar[int] = 33
    X: ClassVar[int] = 10
    Y: ClassVar[int] = MOST + 1
    Z: ClassVar = [n for n in (X, 11)]

    def inner(self):
        return self.Y

    def helper(self):
        return 23

    @model_validator(mode='after')
    def above(self):
        return super().above() if super().helper() > super().DEPTH else self

    @model_validator(mode='after')
    def listed(self):
        match self.a:
            case 1:
                from prime_rl.configs.limits import is_even as even
                return even(self.a)
        for names in (NAMES, LONGER, KEYS, MARKS, PLACES, POPPED):
            if self.a in names:
                raise ValueError('it has a name')
        return self

    @model_validator(mode='after')
    def check(self):
        from prime_rl.configs.limits import is_odd as odd
        if self.a > self.X or self.a > self.inner() or self.a in self.Z or self.a > self.INHERITED:
            raise ValueError(f'{self.UNREAD} is an error text')
        if self.a > limits.HIGHEST or odd(self.a) or self.a in ROOTS or self.a in GROWN or helped(self.a):
            raise ValueError('it is too large')
        if Mode.SLOW.value == self.a or Ruler().measure(self.a) > 3 or 'ring' in self.small.SHAPES:
            raise ValueError('it is slow')
        return self

    @model_validator(mode='before')
    @classmethod
    def first(cls, data):
        return data if cls.X > TrainerConfig.INHERITED else {}
";

/// The revisions by class and name.
fn revisions(source: &str, limits: &str) -> BTreeMap<(String, String), u64> {
    let system = MemorySystem::default();
    let other = |name: &str| format!("from pydantic import BaseModel\n\nclass {name}(BaseModel):\n    b: int = 1\n");
    let folder = PathBuf::from("/src/prime_rl/configs");
    for (file, name) in
        [("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("rl", "RLConfig"), ("sft", "SFTConfig")]
    {
        system.put(&folder.join(format!("{file}.py")), &other(name));
    }
    system.put(&folder.join("limits.py"), limits);
    system.put(&folder.join("trainer.py"), source);
    let read = read_with_revisions(&system, vec![PathBuf::from("/src")], None).expect("the classes are read");
    assert_eq!(read.unknown, std::collections::BTreeSet::new());
    read.revisions.into_iter().map(|one| ((one.class, one.name), one.revision)).collect()
}

/// The names, with their classes, whose revision differs.
fn changed(from: &str, to: &str) -> Vec<String> {
    let (known, mut source, mut limits) = (revisions(SOURCE, LIMITS), SOURCE.to_owned(), LIMITS.to_owned());
    let text = if SOURCE.contains(from) { &mut source } else { &mut limits };
    assert_eq!(text.matches(from).count(), 1, "{from}");
    *text = text.replace(from, to);
    let own = revisions(&source, &limits);
    assert!(own.keys().eq(known.keys()), "{from}");
    own.iter().filter(|(key, revision)| known[*key] != **revision).map(|((class, name), _)| format!("{class}.{name}")).collect()
}

#[test]
fn what_a_validator_reads_belongs_to_its_revision() {
    for (from, to) in [
        ("X: ClassVar[int] = 10", "X: ClassVar[int] = 16"),
        ("INHERITED: ClassVar[int] = 7", "INHERITED: ClassVar[int] = 6"),
        ("Y: ClassVar[int] = MOST + 1", "Y: ClassVar[int] = MOST + 2"),
        ("MOST = 8", "MOST = 7"),
        ("(X, 11)", "(X, 12)"),
        ("HIGHEST = 9", "HIGHEST = 10"),
        ("value % 2 == 1", "value % 2 == 0"),
        ("n * n", "n + n"),
        ("GROWN['b'] = 2", "GROWN['c'] = 2"),
        ("'slow'", "'slower'"),
        ("unit = 3", "unit = 4"),
        ("value * self.unit", "value + self.unit"),
        ("    return function", "    return lambda value: not function(value)"),
        ("value > 5", "value > 6"),
    ] {
        let changed = changed(from, to);
        assert!(changed.contains(&"TrainerConfig.check".to_owned()), "{from}: {changed:?}");
    }
}

#[test]
fn what_super_refers_to_belongs_to_a_revision() {
    let changed = |from: &str, to: &str| changed(from, to).contains(&"TrainerConfig.above".to_owned());
    assert!(changed("return 21", "return 31"));
    assert!(changed("+ 22", "+ 32"));
    assert!(changed("return self if self.INHERITED else None", "return None"));
    assert!(changed("DEPTH: ClassVar[int] = 32", "DEPTH: ClassVar[int] = 34"));
    // `super()` skips the function and the constant of the class itself, and what the next class hides.
    assert!(!changed("DEPTH: ClassVar[int] = 33", "DEPTH: ClassVar[int] = 35"));
    assert!(!changed("DEPTH: ClassVar[int] = 31", "DEPTH: ClassVar[int] = 35"));
    assert!(!changed("return 23", "return 33"));
}

#[test]
fn a_method_that_changes_a_constant_belongs_to_its_revision() {
    for (from, to) in [
        ("NAMES.append('b')", "NAMES.append('c')"),
        ("LONGER.extend(['b'])", "LONGER.extend(['c'])"),
        ("KEYS.update(b=2)", "KEYS.update(b=3)"),
        ("MARKS.add('b')", "MARKS.add('c')"),
        ("PLACES.insert(0, 'b')", "PLACES.insert(1, 'b')"),
        ("POPPED.pop(1)", "POPPED.pop(0)"),
        ("value % 2 < 1", "value % 2 < 2"),
    ] {
        let changed = changed(from, to);
        assert!(changed.contains(&"TrainerConfig.listed".to_owned()), "{from}: {changed:?}");
    }
}

#[test]
fn constants_of_different_types_or_nesting_have_different_revisions() {
    let values = [
        "5",
        "'5'",
        "5.0",
        "None",
        "'None'",
        "True",
        "'True'",
        "[5]",
        "(5,)",
        "{5}",
        "[['a'], 'b']",
        "[['a', 'b']]",
        "['a', 'b']",
    ];
    let of = |value: &str| {
        let source = SOURCE.replace("MOST = 8", &format!("MOST = 8\nLIMIT = {value}"));
        let source = source.replace("X: ClassVar[int] = 10", "X: ClassVar[int] = LIMIT");
        revisions(&source, LIMITS)[&("TrainerConfig".to_owned(), "X".to_owned())]
    };
    let all: std::collections::BTreeSet<u64> = values.iter().map(|value| of(value)).collect();
    assert_eq!(all.len(), values.len());
}

#[test]
fn a_constant_that_another_table_may_read_has_a_revision() {
    assert_eq!(changed("('ring', 'line')", "('ring',)"), ["Small.SHAPES"]);
    assert_eq!(changed("UNREAD: ClassVar[int] = 0", "UNREAD: ClassVar[int] = 1"), ["Small.UNREAD"]);
}

#[test]
fn what_is_not_read_does_not_belong_to_it() {
    for (from, to) in [
        ("UNUSED = 1", "UNUSED = 2"),
        ("LOWEST = 1", "LOWEST = 2"),
        ("a: int = 1", "a: int = 2"),
        ("it is too large", "it is far too large"),
        ("MOST = 8", "MOST = 8  # As measured."),
        ("MOST + 1", "(\n        MOST\n        + 1\n    )"),
    ] {
        assert_eq!(changed(from, to), [""; 0], "{from}");
    }
}
