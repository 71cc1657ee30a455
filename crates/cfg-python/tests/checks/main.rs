//! Checks that are run from their source: each accepts, refuses or assigns what it would in Python, or its result is unknown.

mod costs;
mod language;
mod objects;

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
    let history = cfg_schema::compiler::compile(&declared.kinds, &[], newest).expect("a history");
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

#[track_caller]
fn refuses_any(body: &str, given: &Json) {
    assert!(matches!(run(body, given).0, Ruling::Refuses(_)), "{body}\n{given}\n{:?}", run(body, given).0);
}
