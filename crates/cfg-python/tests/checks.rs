//! Checks that are run from their source: each accepts, refuses or assigns what it would in Python, or its result is unknown.

use std::{path::PathBuf, sync::Arc};

use cfg_python::read;
use cfg_schema::{Assigned, CheckCode as _, CheckedTable, History, Kind, Node, Ruling, Seen, TypeKind, ValueSegment};
use cfg_system::MemorySystem;
use serde_json::{Map, Value as Json, json};

const HEAD: &str = "
import enum
import fnmatch
import itertools
import math
import os
import re
import uuid
import warnings
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal, get_args
from urllib.parse import urlparse, urlsplit
import requests
from pydantic import BaseModel, Field, PlainSerializer, field_validator, model_validator

LIMIT = 8
NAMES = {'adam', 'muon'}

Kind = Literal['p', 'q']

class Own(ValueError):
    pass

class Lower(Own):
    pass

class Mode(enum.Enum):
    FAST = 'fast'
    SLOW = 'slow'

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

class Text(enum.StrEnum):
    A = 'a'

def at_most(value, limit=LIMIT, *, name='it'):
    if value > limit:
        raise ValueError(f'{name} is {value}, which is more than {limit}')

class Small(BaseModel):
    size: int = 4
    path: Path | None = None

    @property
    def double(self):
        return self.size * 2

    def grown(self, by=1):
        return self.size + by

class Wide(Small):
    width: int = 1

class Outer(BaseModel):
    small: Small = Small()
    all: list[Small] = []
    size: int = 1
    hidden: int = Field(1, exclude=True)

class Even(BaseModel):
    size: int = 4
    half: int | None = None

    @model_validator(mode='after')
    def is_even(self):
        if self.size % 2:
            raise ValueError(f'{self.size} is odd')
        if self.half is None:
            self.half = self.size // 2
        return self

class Odd(BaseModel):
    size: Annotated[int, PlainSerializer(lambda value: value + 1)] = 1
    shown: int = 1
    hidden: int = Field(1, exclude=True)

class Folded(BaseModel, extra='forbid'):
    size: int

    @model_validator(mode='before')
    @classmethod
    def fold(cls, data):
        if isinstance(data, dict) and 'length' in data:
            data['size'] = data.pop('length')
        return data

class Looked(BaseModel):
    size: int = 4

    @field_validator('*', mode='before')
    @classmethod
    def halve(cls, value):
        return value // 2

    @field_validator('size')
    @classmethod
    def look(cls, value):
        assert value < 5, f'{value} is large'
        return value

class Adam(BaseModel):
    type: Literal['adam'] = 'adam'
    lr: float = 1e-6

class Muon(BaseModel):
    type: Literal['muon'] = 'muon'
    lr: float = 1e-6

class Holder(BaseModel):
    even: Even | None = None
    odd: Odd | None = None
    optim: Adam | Muon = Adam()

class TrainerConfig(BaseModel):
    holder: Holder = Holder()
    a: int = 1
    b: int | None = None
    name: str = 'x'
    names: list[str] = []
    more: dict[str, int] = {}
    small: Small = Small()
    outer: Outer = Outer()
    maybe: Small | None = None
    even: Even | None = None
    folded: Folded | None = None
    looked: Looked | None = None
    many: list[Small] = []
    optim: Adam | Muon = Adam()

    @model_validator(mode='after')
    def check(self):
";

/// A config as JSON. Keys that are absent have their defaults.
struct Table {
    history: History,
    given: Json,
}

impl Table {
    fn root(&self) -> Node {
        self.history.root(Kind::Trainer)
    }

    /// The value at a path, and its class if it is a table.
    fn find(&self, path: &[ValueSegment]) -> Option<(Json, Option<Node>)> {
        let point = self.history.newest();
        let (mut value, mut class) = (self.given.clone(), Some(self.root()));
        let mut node = self.root();
        for step in path {
            (value, class) = match step {
                ValueSegment::Field(name) => {
                    node = class?.field(name)?;
                    let interval = node.at(point)?;
                    let default =
                        || interval.default_json().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Json::Null);
                    let value = value.get(&**name).cloned().unwrap_or_else(default);
                    let class = value.is_object().then_some(node);
                    let is_map = interval.field_type().kind() == TypeKind::Dict;
                    (value, class.filter(|_| !is_map).map(|node| self.variant(node)))
                }
                ValueSegment::Item(index) => {
                    let item = value.get(index)?.clone();
                    let class = item.is_object().then(|| node.item()).flatten();
                    (item, class)
                }
                ValueSegment::Key(key) => (value.get(&**key)?.clone(), None),
            };
        }
        Some((value, class))
    }

    /// The first table of a union with tables.
    fn variant(&self, node: Node) -> Node {
        node.variants(self.history.newest()).next().or_else(|| node.classes().next()).unwrap_or(node)
    }
}

impl CheckedTable for Table {
    fn get(&self, path: &[ValueSegment]) -> Seen {
        let Some((value, class)) = self.find(path) else { return Seen::Missing };
        let is_path = matches!(path.last(), Some(ValueSegment::Field(name)) if &**name == "path");
        match (value, class) {
            (Json::Object(_), Some(class)) => Seen::Table(class),
            (Json::Object(entries), None) => Seen::Map(entries.keys().map(|key| key.as_str().into()).collect()),
            (Json::Null, _) => Seen::Null,
            (Json::Bool(value), _) => Seen::Bool(value),
            (Json::Number(number), _) => {
                number.as_i64().map_or_else(|| Seen::Float(number.as_f64().unwrap_or_default()), Seen::Int)
            }
            (Json::String(text), _) if text == "?" => Seen::Faulty,
            (Json::String(text), _) if is_path => Seen::Path(text.into()),
            (Json::String(text), _) => Seen::Str(text.into()),
            (Json::Array(items), _) => Seen::List(items.len()),
        }
    }

    fn given(&self, path: &[ValueSegment]) -> Vec<&'static str> {
        let Some((Json::Object(entries), Some(class))) = self.find(path) else { return Vec::new() };
        entries.keys().filter_map(|key| class.field(key)?.field_name()).collect()
    }

    fn extras(&self, _: &[ValueSegment]) -> Option<Vec<(Arc<str>, Assigned)>> {
        None
    }

    fn holds(&self, name: &str, key: &str) -> Option<bool> {
        (name == "requests.KNOWN").then_some(key == "known")
    }

    fn is_of(&self, _: &[ValueSegment], _: &str) -> Option<bool> {
        None
    }

    fn classes(&self, path: &[ValueSegment]) -> Vec<Node> {
        let last = path.iter().rposition(|step| matches!(step, ValueSegment::Field(_))).expect("a field");
        let Some((_, Some(class))) = self.find(&path[..last]) else { return Vec::new() };
        self.classes_below(class, &path[last..])
    }

    fn classes_below(&self, class: Node, path: &[ValueSegment]) -> Vec<Node> {
        let Some((ValueSegment::Field(name), items)) = path.split_first() else { return Vec::new() };
        let field = class.field(name).expect("a field");
        let node = if items.is_empty() { field } else { field.item().expect("a list") };
        std::iter::once(node).chain(node.variants(self.history.newest())).chain(node.classes()).collect()
    }

    fn accepts(&self, class: Node, field: &str, value: &Assigned) -> Option<Result<(), String>> {
        let kind = class.field(field)?.at(self.history.newest())?.field_type().kind();
        match (kind, value) {
            (TypeKind::Int, Assigned::Str(_)) => Some(Err("int_parsing".to_owned())),
            (TypeKind::Int, Assigned::Int(_)) | (TypeKind::List, Assigned::Copy(_)) => Some(Ok(())),
            _ => None,
        }
    }

    fn remove(&mut self, path: &[ValueSegment]) {
        let Some((ValueSegment::Key(key), way)) = path.split_last() else { panic!("an entry") };
        let way = way.iter().map(|step| match step {
            ValueSegment::Field(name) | ValueSegment::Key(name) => name.to_string(),
            ValueSegment::Item(index) => index.to_string(),
        });
        let pointer: String = way.flat_map(|part| ["/".to_owned(), part]).collect();
        self.given.pointer_mut(&pointer).and_then(Json::as_object_mut).expect("a map").remove(&**key);
    }

    fn assign(&mut self, path: &[ValueSegment], value: Assigned, _: Option<&[ValueSegment]>) {
        let value = self.json(value);
        let mut at = &mut self.given;
        for step in path {
            at = match step {
                ValueSegment::Field(name) | ValueSegment::Key(name) => {
                    if !at.is_object() {
                        *at = Json::Object(Map::new());
                    }
                    at.as_object_mut().expect("an object").entry(name.to_string()).or_insert(Json::Null)
                }
                ValueSegment::Item(index) => at.get_mut(index).expect("an item"),
            };
        }
        *at = value;
    }
}

impl Table {
    fn json(&self, value: Assigned) -> Json {
        match value {
            Assigned::Unknown => json!("?"),
            Assigned::Null => Json::Null,
            Assigned::Bool(value) => json!(value),
            Assigned::Int(value) => json!(value),
            Assigned::Float(value) => json!(value),
            Assigned::Str(text) => json!(&*text),
            Assigned::List(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Assigned::Map(entries) => {
                entries.into_iter().map(|(key, value)| (key.to_string(), self.json(value))).collect::<Map<_, _>>().into()
            }
            Assigned::Table(_, mut entries, not_given) => {
                let is_there = |value: &Assigned| !matches!(value, Assigned::Null);
                entries.retain(|(key, value)| !not_given.contains(key) || is_there(value));
                entries.into_iter().map(|(key, value)| (key.to_string(), self.json(value))).collect::<Map<_, _>>().into()
            }
            Assigned::Copy(path) => self.find(&path).expect("it is there").0,
        }
    }
}

/// The ruling of a check with this body on a config, and the resulting config.
fn run(body: &str, given: &Json) -> (Ruling, Json) {
    let plain = |class: &str| format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    x: int = 1\n");
    let system = MemorySystem::default();
    for (module, class) in
        [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
    {
        system.put(format!("/s/prime_rl/configs/{module}.py").as_ref(), &plain(class));
    }
    let body = body.replace('\n', "\n        ");
    system.put("/s/prime_rl/configs/trainer.py".as_ref(), &format!("{HEAD}        {body}\n        return self\n"));
    system.put("/s/prime_rl/helpers.py".as_ref(), "def is_even(number):\n    return number % 2 == 0\n");
    let newest = History::built_in().newest();
    let declared = read(&system, vec![PathBuf::from("/s")], Some(newest.into())).expect("the classes are there");
    let history = cfg_history::compile(&declared.kinds, &[], newest).expect("a history");
    let code = declared.code.of_history(history, |path| path.display().to_string());
    let mut table = Table { history, given: given.clone() };
    let root = table.root();
    assert!(code.check(root, "check").is_some(), "{body}");
    let ruling = code.run(root, "check", &mut table);
    (ruling, table.given)
}

#[track_caller]
fn accepts(body: &str, given: &Json) {
    assert_eq!(run(body, given).0, Ruling::Accepts, "{body}\n{given}");
}

/// Asserts that the check refuses the config with this message, after it read these keys.
#[track_caller]
fn refuses(body: &str, given: &Json, message: &str, reads: &str) {
    match run(body, given).0 {
        Ruling::Refuses(raised) => {
            let read: Vec<String> = raised.reads.iter().map(|path| ValueSegment::dotted(path)).collect();
            let said = format!("{}: {}", raised.exception, raised.message);
            assert_eq!((said.as_str(), read.join(" ").as_str()), (message, reads), "{body}\n{given}");
            assert!(raised.place.contains("prime_rl/configs/trainer.py:"), "{}", raised.place);
        }
        other => panic!("{other:?}: {body}\n{given}"),
    }
}

#[track_caller]
fn is_open(body: &str, given: &Json, why: &str) {
    match run(body, given).0 {
        Ruling::Open(open) => assert!(open.why.contains(why), "{}: {body}", open.why),
        other => panic!("{other:?}: {body}\n{given}"),
    }
}

#[track_caller]
fn leaves(body: &str, given: &Json, left: &Json) {
    let (ruling, after) = run(body, given);
    assert_eq!((&ruling, &after), (&Ruling::Accepts, left), "{body}\n{given}");
}

#[test]
fn an_exception_has_its_message_and_the_values_read() {
    let more = "if self.a > self.small.size:\n    raise ValueError(f'{self.a} of {self.name!r}')";
    accepts(more, &json!({"a": 4}));
    refuses(more, &json!({"a": 5}), "ValueError: 5 of 'x'", "a small.size name");
    refuses("assert self.a < 2, 'too much'", &json!({"a": 2}), "AssertionError: too much", "a");
    refuses("at_most(self.a, name='a')", &json!({"a": 9}), "ValueError: a is 9, which is more than 8", "a");
    refuses("if self.a:\n    raise Own('own')", &json!({}), "ValueError: own", "a");
    refuses(
        "total = self.a + self.small.size\nif total > 4:\n    raise ValueError('no')",
        &json!({}),
        "ValueError: no",
        "a small.size",
    );
    refuses(
        "if self.b is None:\n    return self\nif self.a == 2:\n    raise ValueError",
        &json!({"a": 2, "b": 1}),
        "ValueError: ",
        "a b",
    );
    refuses("self.maybe.size", &json!({}), "AttributeError: 'NoneType' object has no attribute 'size'", "");
    refuses("if self.b > 1:\n    pass", &json!({}), "TypeError: '>' not supported between instances of 'NoneType' and 'int'", "");
    refuses("self.a // (self.a - 1)", &json!({}), "ZeroDivisionError: division by zero", "");
    refuses("{'x': 1}[self.name]", &json!({"name": "y"}), "KeyError: 'y'", "");
    refuses("del self.more['k']", &json!({}), "KeyError: 'k'", "");
    refuses("x = {self.names[1]: int('y')}", &json!({}), "IndexError: list index out of range", "");
    refuses("urlparse(self.name).port", &json!({"name": "//h:99999"}), "ValueError: Port out of range 0-65535", "");
}

/// A table that a check creates is validated like any other.
#[test]
fn a_table_created_by_a_check_is_validated() {
    leaves("self.even = Even(size=self.a)", &json!({"a": 6}), &json!({"a": 6, "even": {"size": 6, "half": 3}}));
    refuses("self.even = Even(size=self.a)", &json!({"a": 5}), "ValueError: 5 is odd", "");
    leaves(
        "try:\n    Even(size=self.a)\nexcept ValueError:\n    self.name = 'odd'",
        &json!({"a": 5}),
        &json!({"a": 5, "name": "odd"}),
    );
}

/// Before the validators of a created table run, its validators of the raw table process the given values, and the types of its
/// fields check them.
#[test]
fn values_of_a_table_created_by_a_check_are_validated() {
    leaves("self.folded = Folded(length=self.a)", &json!({"a": 3}), &json!({"a": 3, "folded": {"size": 3}}));
    leaves("self.even = Even(size=2, other=1)", &json!({}), &json!({"even": {"size": 2, "half": 1}}));
    let refused = "ValueError: 1 validation error for Folded: ";
    refuses("Folded(size=1, width=2)", &json!({}), &format!("{refused}`width` is not a field"), "");
    refuses("Folded()", &json!({}), &format!("{refused}`size` is missing"), "");
    refuses("Folded(length=self.name)", &json!({}), &format!("{refused}`size` is refused (int_parsing)"), "");
    accepts("try:\n    Folded()\nexcept ValueError:\n    pass", &json!({}));
    is_open("self.folded = Folded(size=1.5)", &json!({}), "how `Folded` converts its `size`");
    leaves("self.looked = Looked(size=9)", &json!({}), &json!({"looked": {"size": 4}}));
    refuses("Looked(size=10)", &json!({}), "ValueError: 5 is large", "");
    accepts("self.looked = Looked()", &json!({}));
}

/// What a check sets for programs that it starts does not affect other checks.
#[test]
fn side_effects_refuse_nothing() {
    for done in [
        "os.environ['X'] = '1'",
        "os.environ.setdefault('X', '1')",
        "os.makedirs('x', exist_ok=True)",
        "os.environ.pop('X', None)",
    ] {
        accepts(done, &json!({}));
    }
}

/// The machine is assumed to have eight GPUs, as in the ported checks.
#[test]
fn a_machine_has_eight_gpus() {
    let visible = "gpus = os.environ.get('CUDA_VISIBLE_DEVICES')\nif gpus is None or self.a not in [int(gpu) for gpu in gpus.split(',')]:\n    raise ValueError('no such GPU')";
    accepts(visible, &json!({"a": 7}));
    refuses_any(visible, &json!({"a": 8}));
}

#[test]
fn conditions_hold_as_in_python() {
    for (condition, given) in [
        ("0 < self.a <= 3", json!({"a": 3})),
        ("self.name in NAMES", json!({"name": "muon"})),
        ("self.name not in ('a', 'b')", json!({})),
        ("not self.names and self.maybe is None", json!({})),
        ("fnmatch.fnmatch(self.name, 'a*[0-9].?') and not fnmatch.fnmatch(self.name, 'a*[!0-9].b')", json!({"name": "a-7.b"})),
        (
            "TrainerConfig.model_fields['a'].default == 1 and isinstance(TrainerConfig.model_fields['small'].default, Small)",
            json!({}),
        ),
        ("isinstance(self.optim, Adam) and not isinstance(self.optim, (Muon, int))", json!({})),
        ("isinstance(self.a, int | str)", json!({})),
        ("self.small.double == 8 and self.small.grown(by=2) == 6", json!({})),
        ("-7 // 2 == -4 and -7 % 3 == 2 and 7 % -3 == -2 and 7 // -2 == -4", json!({})),
        ("any(one.size > 4 for one in self.many)", json!({"many": [{"size": 1}, {"size": 5}]})),
        ("all(len(name) == 1 for name in self.names)", json!({"names": ["a", "b"]})),
        ("[one.size for one in self.many if one.size] == [2]", json!({"many": [{"size": 0}, {"size": 2}]})),
        ("{name: len(name) for name in self.names} == {'ab': 2}", json!({"names": ["ab"]})),
        ("'a' in self.model_fields_set and 'b' not in self.model_fields_set", json!({"a": 3})),
        ("getattr(self, 'nothing', None) is None and hasattr(self, 'a')", json!({})),
        ("(b := self.b) is None or b > 2", json!({"b": 3})),
        ("max(self.a, 2) == 2 and sum([1, 2]) == 3 and math.ceil(self.a / 2) == 1", json!({})),
        ("self.name.startswith(('x', 'y')) and self.name.upper() == 'X'", json!({})),
        ("re.fullmatch(r'step_\\d+', self.name) is not None", json!({"name": "step_12"})),
        ("self.small.path.name == 'c' and self.small.path.parent == Path('a') / 'b'", json!({"small": {"path": "a/b/c"}})),
        ("self.names[-1] == 'c' and self.names[:2] == ['a', 'b']", json!({"names": ["a", "b", "c"]})),
        ("self.more.get('k', 0) == 2 and dict(self.more) == {'k': 2}", json!({"more": {"k": 2}})),
        ("type(self.small).__name__ == 'Small'", json!({})),
        ("sorted(set(self.names)) == ['a', 'b']", json!({"names": ["b", "a", "b"]})),
        ("self.small == Small() and self.small != Small(size=5)", json!({})),
        ("self.name in requests.KNOWN", json!({"name": "known"})),
        ("urlparse(self.name).port == 8000 and urlsplit(self.name)[1] == 'h:8000'", json!({"name": "http://h:8000/v1"})),
        ("urlparse(self.name).hostname is None and urlparse(self.name).scheme == 'h'", json!({"name": "h:8000"})),
        ("TrainerConfig.model_fields['small'].annotation is Small and self.model_fields['a'].annotation is int", json!({})),
        ("isinstance(Small, type) and not isinstance(self.model_fields['maybe'].annotation, type)", json!({})),
        ("issubclass(Small, BaseModel) and not issubclass(Small, Even) and issubclass(Even, (Small, Even))", json!({})),
        ("Folded.model_fields['size'].is_required() and not Small.model_fields['size'].is_required()", json!({})),
        ("int('1_0') == 10 and f'{self.a:,} {1e-6} {None}' == '1 1e-06 None'", json!({})),
        ("1.0 // 0.1 == 9.0 and 2 ** -1 == 0.5 and 5 & 4 ^ 1 == 5 and ~self.a == -2 and round(2.5) == 2", json!({})),
        ("float('inf') == math.inf and float('nan') != float('nan')", json!({})),
        ("2**53 + 1 != 2**53 and math.isclose(0.1 + 0.2, 0.3) and math.gcd(12, 18) == 6", json!({})),
        (
            "sorted(self.names, key=len, reverse=True) == ['ccc', 'aa', 'bb'] and max(self.names, key=len) == 'ccc'",
            json!({"names": ["aa", "ccc", "bb"]}),
        ),
        ("(1, 'b') > (1, 'a') and [1] < [1, 0] and {1} <= {1, 2} and {1, 2} - {1} == {2}", json!({})),
        ("[(x, y) for x, y in zip('ab', [1, 2])] == [('a', 1), ('b', 2)] and dict(zip('a', [1])) == {'a': 1}", json!({})),
        ("'a,b'.split(sep=',') == ['a', 'b'] and 'ab'.partition('b')[1] == 'b' and 'x1'.isalnum()", json!({})),
        ("'{} {x:02d}'.format('a', x=3) == 'a 03' and '%s-%d' % ('a', 2) == 'a-2' and f'{self.a:{3}d}' == '  1'", json!({})),
        (
            "re.match(r'(?P<l>[a-z]+)-(\\d+)', self.name)['l'] == 'ab' and re.findall('[ab]', self.name) == ['a', 'b']",
            json!({"name": "ab-1"}),
        ),
        ("re.fullmatch('AB', self.name, re.I) is not None and re.sub('b', 'c', self.name) == 'ac'", json!({"name": "ab"})),
        ("hasattr(self.more, 'items') and not hasattr(self.names, 'items')", json!({})),
        ("type(self.a) is int and self.__class__ is TrainerConfig and not callable(self.a)", json!({})),
        ("get_args(Kind) == ('p', 'q') and self.name in get_args(Kind)", json!({"name": "q"})),
        ("Counter(self.names)['a'] == 2 and Counter(self.names)['c'] == 0", json!({"names": ["a", "a"]})),
        ("list(itertools.chain(['a'], 'b')) == ['a', 'b'] and len(list(itertools.combinations('abc', 2))) == 3", json!({})),
        (
            "self.small.path.suffix == '.txt' and self.small.path.with_suffix('.md') == Path('a/b.md')",
            json!({"small": {"path": "a//b.txt"}}),
        ),
        ("Mode('slow') is Mode.SLOW and Mode.SLOW != 'slow' and Mode.SLOW.value == 'slow' and len(Mode) == 2", json!({})),
        (
            "Level.HIGH > 1 and Text.A == 'a' and isinstance(Text.A, str) and [m.name for m in Mode] == ['FAST', 'SLOW']",
            json!({}),
        ),
    ] {
        accepts(&format!("if not ({condition}):\n    raise ValueError"), &given);
        refuses_any(&format!("if {condition}:\n    raise ValueError"), &given);
    }
}

#[track_caller]
fn refuses_any(body: &str, given: &Json) {
    assert!(matches!(run(body, given).0, Ruling::Refuses(_)), "{body}\n{given}\n{:?}", run(body, given).0);
}

#[test]
fn assigned_values_are_in_the_config() {
    leaves("self.a = self.small.size + 1", &json!({}), &json!({"a": 5}));
    leaves("self.small.size *= 3", &json!({"small": {}}), &json!({"small": {"size": 12}}));
    leaves(
        "for one in self.many:\n    one.size = self.a",
        &json!({"many": [{}, {}]}),
        &json!({"many": [{"size": 1}, {"size": 1}]}),
    );
    leaves(
        "if self.maybe is None:\n    self.maybe = Small(size=2)\nself.maybe.size += 1",
        &json!({}),
        &json!({"maybe": {"size": 3}}),
    );
    leaves("small = Small()\nself.maybe = small\nsmall.size = 9", &json!({}), &json!({"maybe": {"size": 9}}));
    leaves("self.more['k'] = 3\nself.more.setdefault('k', 4)", &json!({"more": {}}), &json!({"more": {"k": 3}}));
    leaves("del self.more['k']", &json!({"more": {"k": 3, "l": 4}}), &json!({"more": {"l": 4}}));
    leaves("self.names.append('b')", &json!({"names": ["a"]}), &json!({"names": ["a", "b"]}));
    leaves("self.names = [name.upper() for name in self.names]", &json!({"names": ["a"]}), &json!({"names": ["A"]}));
    leaves(
        "self.maybe = self.small.model_copy()",
        &json!({"small": {"size": 7}}),
        &json!({"small": {"size": 7}, "maybe": {"size": 7}}),
    );
    leaves(
        "self.maybe = Small(**self.small.model_dump(exclude_unset=True))",
        &json!({"small": {"size": 7}}),
        &json!({"small": {"size": 7}, "maybe": {"size": 7}}),
    );
    leaves("setattr(self, 'b', 2)", &json!({}), &json!({"b": 2}));
    leaves("self.name = f'{self.name}-{uuid.uuid4().hex[:4]}'", &json!({}), &json!({"name": "x-0000"}));
    leaves("try:\n    self.b = int(self.name)\nexcept ValueError:\n    self.b = 0", &json!({}), &json!({"b": 0}));
    leaves("os.environ['X'] = self.name\nwarnings.warn('so', stacklevel=2)", &json!({}), &json!({}));
    leaves("from prime_rl.helpers import is_even\nself.b = 2 if is_even(self.a) else 3", &json!({}), &json!({"b": 3}));
}

#[test]
fn an_early_return_ends_a_check() {
    let body = "if self.name == 'x':\n    return self\nraise ValueError('no')";
    accepts(body, &json!({}));
    refuses(body, &json!({"name": "y"}), "ValueError: no", "name");
    accepts(
        "for name in self.names:\n    if name == 'a':\n        break\nelse:\n    raise ValueError",
        &json!({"names": ["b", "a"]}),
    );
    refuses_any(
        "for name in self.names:\n    if name == 'a':\n        break\nelse:\n    raise ValueError",
        &json!({"names": ["b"]}),
    );
    refuses_any("count = 0\nwhile count < 3:\n    count += 1\nif count == 3:\n    raise ValueError", &json!({}));
}

#[test]
fn unsupported_code_makes_a_check_unknown() {
    let given = json!({});
    is_open("if requests.get(self.name):\n    raise ValueError", &given, "a call of `requests.get`");
    for asks in ["os.environ.get('X')", "os.getenv('X', '1')", "os.environ['X'] == '1'", "'X' in os.environ"] {
        is_open(&format!("if {asks}:\n    raise ValueError"), &given, "the environment variable `X`");
    }
    is_open("requests.post(self)", &given, "a call of `requests.post`");
    let ordered = "from collections import OrderedDict\nd = OrderedDict(a=1, b=2)\nd.move_to_end('a')\nif list(d) == ['b', 'a']:\n    raise ValueError";
    is_open(ordered, &given, "");
    is_open("if urlparse('http://[::1]').port:\n    raise ValueError", &given, "urlparse");
    is_open("if requests.get(self.name):\n    return self\nraise ValueError", &given, "requests.get");
    is_open("if requests.get(self.name):\n    self.a = 2\nif self.a == 2:\n    raise ValueError", &given, "requests.get");
    is_open("while True:\n    pass", &given, "too long or nested");
    is_open("self.check()", &given, "too long or nested");
    is_open(
        "text = 'x'\nfor _ in range(64):\n    text = text + text\nif text == 'y':\n    raise ValueError",
        &given,
        "an operator",
    );
    // Results that do not depend on the unknown value are known.
    accepts("if requests.get(self.name) and self.a > 1:\n    raise ValueError", &given);
    accepts("value = requests.get(self.name)\nself.b = 1", &given);
    refuses_any("if requests.get(self.name) or self.a:\n    raise ValueError", &given);
    refuses_any("if requests.get(self.name):\n    raise ValueError('a')\nelse:\n    raise ValueError('b')", &given);
    accepts("try:\n    import flash_attn\nexcept ImportError:\n    pass", &given);
    is_open("try:\n    import flash_attn\nexcept ImportError:\n    raise ValueError", &given, "installed");
}

#[test]
fn a_check_of_an_invalid_value_is_unknown() {
    let given = json!({"name": "?"});
    match run("if self.name == 'y':\n    raise ValueError", &given).0 {
        Ruling::Open(open) => assert_eq!(open.reason, cfg_schema::Reason::Fault),
        other => panic!("{other:?}"),
    }
    accepts("if self.name == 'y' and self.a > 1:\n    raise ValueError", &given);
}

/// Code with any nesting, recursion and number of loops ends, on the stack of an ordinary thread.
#[test]
fn code_of_any_shape_ends() {
    let given = json!({});
    let nested =
        |open: &str, inner: &str, close: &str, times: usize| format!("{}{inner}{}", open.repeat(times), close.repeat(times));
    for body in [
        format!("if {}:\n    pass", nested("not ", "self.a", "", 450)),
        format!("x = {}", nested("[", "self.a", "]", 450)),
        format!("x = {}", nested("len(str(", "self.a", "))", 110)),
        format!("def f(x):\n    return x\ny = {}", nested("f(", "self.a", ")", 220)),
        format!("def f(x):\n    return {}\nf(1)", nested("f(", "x", ")", 200)),
        format!("def f(x):\n    return f({})\nf(1)", nested("-", "x", "", 400)),
        format!("x = lambda y: {}\nx(1)", nested("(lambda z: z + ", "y", ")(1)", 60)),
        "x = []\nfor _ in range(10000):\n    x = [x]\nif x == 1:\n    pass".to_owned(),
        "x = []\nfor _ in range(10000):\n    x = x + x + [1]".to_owned(),
        "x = {}\nfor i in range(10000):\n    x[str(i)] = x".to_owned(),
        "x = []\nx.append(x)\nif x == [1]:\n    pass\ny = f'{x}'".to_owned(),
        "x = {}\nx['x'] = x\nself.more = x".to_owned(),
        "x = []\nx.append(x)\ny = Outer(all=[])\ny.all = x\ny.model_dump()".to_owned(),
        "x = []\nfor _ in range(10000):\n    x = [x]\ny = Outer(all=[])\ny.all = x\ny.model_dump()".to_owned(),
        "x = [1]\nfor _ in range(40):\n    x = [x, x]\ny = Outer(all=[])\ny.all = x\ny.model_dump()".to_owned(),
        "y = Outer(all=[])\ny.small = y\ny.model_dump()\nOuter(**y.model_dump())".to_owned(),
        "y = Outer(all=[])\nfor _ in range(10000):\n    y.all = y.model_dump()['all']".to_owned(),
    ] {
        run(&body, &given);
    }
}

#[test]
fn a_dump_has_dicts_in_place_of_tables() {
    let given = json!({"small": {"size": 5}, "many": [{"size": 3}]});
    accepts("assert isinstance(self.model_dump()['small'], dict)", &given);
    accepts("assert self.model_dump()['small'] == {'size': 5, 'path': None}", &given);
    accepts("assert self.model_dump(exclude_none=True)['small'] == {'size': 5}", &given);
    accepts("assert self.model_dump(exclude_unset=True)['many'] == [{'size': 3}]", &given);
    accepts("assert self.model_dump()['optim'] == {'type': 'adam', 'lr': 1e-6}", &given);
    accepts("assert list(Outer().model_dump()) == ['small', 'all', 'size']", &given);
    accepts("dumped = self.model_dump()\ndumped['many'][0]['size'] += 1\nassert self.many[0].size == 3", &given);
    refuses("assert self.model_dump()['small']['size'] != 5", &given, "AssertionError: ", "");
    is_open("assert Outer(small=Wide()).model_dump()['small']['size'] == 4", &given, "what `model_dump` makes of a table");
}

#[test]
fn a_dump_leaves_out_what_pydantic_leaves_out() {
    let given = json!({"outer": {"names": [null], "small": {"size": 5}}});
    accepts("dumped = self.small.model_dump(mode='json')\nassert dumped['path'] == 'a/b'", &json!({"small": {"path": "a/b"}}));
    is_open("assert 'b' in self.model_dump(exclude_none=True)", &json!({"b": "?"}), "a value with an error");
    accepts("assert 'b' not in self.model_dump(exclude_unset=True, exclude_none=True)", &json!({}));
    accepts("dumped = Odd().model_dump()\nassert list(dumped) == ['size', 'shown'] and dumped['shown'] == 1", &given);
    is_open("assert Odd().model_dump()['size'] == 1", &given, "what `model_dump` makes of a table");
    accepts("dumped = Odd().model_dump(exclude_unset=True)\nassert dumped == {}", &given);
}

#[test]
fn a_table_is_made_of_the_dump_of_another() {
    let given = json!({"outer": {"small": {"size": 5}, "all": [{"size": 3}]}});
    let left = json!({"outer": {"small": {"size": 5}, "all": [{"size": 3}], "size": 2}});
    leaves("self.outer = Outer(**{**self.outer.model_dump(exclude_unset=True), 'size': 2})", &given, &left);
    // A dump of all fields is the same table only where all fields are given.
    let whole = json!({"outer": {"small": {"size": 5, "path": "a"}, "all": [{"size": 3, "path": "b"}], "size": 1}});
    leaves("self.outer = Outer(**self.outer.model_dump())", &whole, &whole);
    is_open("self.outer = Outer(**self.outer.model_dump())", &given, "how `Outer` converts its `small`");
}

/// Of a dump that may give another table, nothing is known.
#[test]
fn the_dump_of_another_table_is_not_the_same() {
    let given = json!({"outer": {"small": {"size": 5}, "all": [{"size": 3}]}});
    for changed in [
        "dumped = self.outer.model_dump(exclude_unset=True)\ndumped['small']['size'] = 6\nself.outer = Outer(**dumped)",
        "dumped = self.outer.model_dump(exclude_unset=True)\nself.outer.small.size = 6\nself.outer = Outer(**dumped)",
        "dumped = self.outer.model_dump(exclude_unset=True)\nself.outer.small.path = 'a'\nself.outer = Outer(**dumped)",
        "dumped = self.outer.model_dump(exclude_unset=True)\ndel dumped['small']['size']\nself.outer = Outer(**dumped)",
        "self.outer = Outer(size=1, small={'size': 5})",
    ] {
        is_open(changed, &given, "how `Outer` converts its `small`");
    }
    let item = "dumped = self.outer.model_dump(exclude_unset=True)\nself.outer.all[0].size = 4\ndel dumped['small']\nself.outer = Outer(**dumped)";
    is_open(item, &given, "how `Outer` converts its `all`");
    // With `exclude_none`, a given `None` is no longer given.
    let none = json!({"outer": {"small": {"size": 5, "path": null}}});
    is_open("self.outer = Outer(**self.outer.model_dump(exclude_none=True))", &none, "how `Outer` converts its `small`");
    // Its validator runs again, so the other field is no longer made of the first one.
    let even = json!({"holder": {"even": {"size": 6, "half": 3}}});
    is_open("self.holder = Holder(**self.holder.model_dump(exclude_unset=True))", &even, "how `Holder` converts its `even`");
    let odd = json!({"holder": {"odd": {"hidden": 2}}});
    is_open("self.holder = Holder(**self.holder.model_dump(exclude_unset=True))", &odd, "how `Holder` converts its `odd`");
    // The tag of a union decides which class it is, and is not given.
    let muon = json!({"holder": {"optim": {"lr": 2.0}}});
    is_open("self.holder = Holder(**self.holder.model_dump(exclude_unset=True))", &muon, "how `Holder` converts its `optim`");
}

/// A name refers to an object, which may be in several fields, and may leave the config.
#[test]
fn objects_are_shared_as_in_python() {
    leaves(
        "self.maybe = self.small\nself.maybe.size = 9",
        &json!({"small": {}}),
        &json!({"small": {"size": 9}, "maybe": {"size": 9}}),
    );
    leaves(
        "self.maybe = self.small\nself.small.size = 9",
        &json!({"small": {}}),
        &json!({"small": {"size": 9}, "maybe": {"size": 9}}),
    );
    leaves("old = self.names\nself.names = []\nold.append('x')", &json!({"names": ["a"]}), &json!({"names": []}));
    leaves("also = self.names\nalso += ['x']", &json!({"names": ["a"]}), &json!({"names": ["a", "x"]}));
    leaves("also = self.more\nalso |= {'x': 1}", &json!({"more": {}}), &json!({"more": {"x": 1}}));
    accepts("also = self.names\nself.names.append('x')\nassert also[-1] == 'x' and also is self.names", &json!({"names": []}));
    accepts("x = {'a'}\ny = x\ny |= {'b'}\nassert len(x) == 2", &json!({}));
    accepts("self.maybe = self.small\nassert self.maybe is self.small and self.small is not Small()", &json!({}));
    leaves(
        "kept = [one for one in self.many if one.size > 2]\nself.many = kept\nkept[0].size = 7",
        &json!({"many": [{"size": 1}, {"size": 3}]}),
        &json!({"many": [{"size": 7}]}),
    );
    is_open("old = self.small\nself.small = Small()\nself.b = old.size", &json!({}), "no longer in the config");
}

#[test]
fn copies_share_what_pydantic_shares() {
    let given = json!({"outer": {"small": {"size": 5}}});
    leaves(
        "copy = self.outer.model_copy()\ncopy.size = 7\ncopy.small.size = 9",
        &given,
        &json!({"outer": {"small": {"size": 9}}}),
    );
    leaves("copy = self.outer.model_copy(deep=True)\ncopy.small.size = 9", &given, &given);
    leaves(
        "self.maybe = self.small.model_copy(update={'size': 3})\nself.maybe.size += 1",
        &json!({"small": {"size": 7}}),
        &json!({"small": {"size": 7}, "maybe": {"size": 4}}),
    );
    accepts("copy = self.small.model_copy()\nassert copy == self.small and copy is not self.small", &json!({}));
    accepts("copy = self.small.model_copy()\ncopy.size = 9\nassert 'size' not in self.small.model_fields_set", &json!({}));
    leaves(
        "import copy\nmore = copy.copy(self.more)\nmore['x'] = 1\nsmall = copy.deepcopy(self.small)\nsmall.size = 1",
        &json!({"more": {}}),
        &json!({"more": {}}),
    );
    // pydantic creates the lists of a table anew, but not the tables in them.
    accepts("names = [Small()]\nmade = Outer(all=names)\nnames.append(Small())\nassert len(made.all) == 1", &json!({}));
    accepts("first = Small()\nmade = Outer(all=[first])\nfirst.size = 8\nassert made.all[0].size == 8", &json!({}));
    accepts("made = Outer()\nmade.small.size = 8\nassert made.small.size == 8 and Outer().small.size == 4", &json!({}));
}

#[test]
fn iterators_yield_their_items_once() {
    for once in [
        "(x for x in 'ab')",
        "map(str, 'ab')",
        "zip('ab')",
        "reversed('ab')",
        "iter('ab')",
        "enumerate('ab')",
        "filter(None, 'ab')",
    ] {
        accepts(&format!("once = {once}\nassert once and len(list(once)) == 2 and not list(once)"), &json!({}));
    }
    accepts(
        "def numbers(n):\n    for i in range(n):\n        yield i\n    yield from 'a'\nassert list(numbers(2)) == [0, 1, 'a']",
        &json!({}),
    );
    accepts("assert next((int(x) for x in ['1', 'x']), None) == 1", &json!({}));
    refuses("zip([1], [1, 2], strict=True)", &json!({}), "ValueError: zip() argument is shorter or longer", "");
    refuses(
        "for key in self.more:\n    self.more.pop(key)",
        &json!({"more": {"a": 1}}),
        "RuntimeError: dictionary changed size during iteration",
        "",
    );
    refuses("for one in self.b:\n    pass", &json!({}), "TypeError: 'NoneType' object is not iterable", "");
}

#[test]
fn what_python_cannot_hash_is_no_key() {
    for body in [
        "self.names in self.more",
        "self.names in {'a': 1}",
        "self.names in {'a', 'b'}",
        "self.names in {'a': 1}.keys()",
        "('a', self.names) in {'a': 1}",
        "{'a': 1}.get(self.names, 0)",
        "{'a': 1}.pop(self.names, None)",
        "{'a': 1}.setdefault(self.names, 2)",
        "{'a': 1}[self.names]",
        "x = {}\nx[self.names] = 1",
        "x = {}\ndel x[self.names]",
        "{self.names: 1}",
        "{one: 1 for one in [self.names]}",
        "dict([(self.names, 1)])",
        "{self.names}",
        "{one for one in [self.names]}",
        "set([self.names])",
        "x = set()\nx.add(self.names)",
        "hash(self.names)",
        "hash(('a', [self.names]))",
    ] {
        refuses(body, &json!({"names": ["a", "b"]}), "TypeError: unhashable type: 'list'", "");
    }
    refuses("hash(self.more)", &json!({}), "TypeError: unhashable type: 'dict'", "");
    for body in
        ["self.names in ('a', 'b')", "self.names in {'a': ['b']}.values()", "self.names in [self.names]", "x = hash((1, 'a'))"]
    {
        accepts(body, &json!({"names": ["a", "b"]}));
    }
}

#[test]
fn a_match_takes_the_first_pattern_that_fits() {
    let body = "match self.a:\n    case 1 | 2:\n        self.name = 'low'\n    case n if n > 5:\n        raise ValueError(f'{n}')\n    case _:\n        self.b = 0";
    leaves(body, &json!({"a": 2}), &json!({"a": 2, "name": "low"}));
    leaves(body, &json!({"a": 4}), &json!({"a": 4, "b": 0}));
    refuses(body, &json!({"a": 6}), "ValueError: 6", "a");
    let classes =
        "match self.optim:\n    case Adam(lr=rate) if rate > 1:\n        raise ValueError\n    case Muon():\n        self.b = 2";
    accepts(classes, &json!({"optim": {"lr": 0.5}}));
    refuses_any(classes, &json!({"optim": {"lr": 2.0}}));
    let items = "match self.names:\n    case []:\n        self.b = 0\n    case [first, *rest]:\n        self.b = len(rest)\n        self.name = first";
    leaves(items, &json!({"names": ["x", "y"]}), &json!({"names": ["x", "y"], "b": 1, "name": "x"}));
    let entries = "match self.more:\n    case {'k': k, **rest}:\n        self.b = k + len(rest)\n    case None | str():\n        raise ValueError";
    leaves(entries, &json!({"more": {"k": 1, "l": 2}}), &json!({"more": {"k": 1, "l": 2}, "b": 2}));
    accepts(entries, &json!({}));
    is_open("match requests.get(self.name):\n    case 1:\n        raise ValueError", &json!({}), "requests.get");
}

/// A loop or a block that may not run may still decide about what follows.
#[test]
fn what_may_not_run_is_open() {
    let given = json!({});
    is_open(
        "for x in self.names:\n    if requests.get(x):\n        break\nelse:\n    raise ValueError",
        &json!({"names": ["a"]}),
        "requests.get",
    );
    is_open(
        "seen = 0\nfor x in requests.get(self.name):\n    seen += 1\n    if seen > 1:\n        raise ValueError",
        &given,
        "requests.get",
    );
    is_open(
        "for x in requests.get(self.name):\n    pass\nelse:\n    if self.a:\n        raise ValueError",
        &given,
        "requests.get",
    );
    is_open("if len({requests.get(self.name), 1}) == 2:\n    raise ValueError", &given, "requests.get");
    is_open("with requests.Session():\n    raise ValueError", &given, "context manager");
    accepts("import contextlib\nwith contextlib.suppress(ValueError):\n    int('x')", &given);
    refuses_any("import contextlib\nwith contextlib.suppress(KeyError):\n    int('x')", &given);
    is_open("NAMES.add('x')", &given, "a constant that a check changes");
    is_open("def f(x, all=[]):\n    all.append(x)\nf(1)", &given, "a constant that a check changes");
}
