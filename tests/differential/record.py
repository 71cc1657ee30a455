"""Makes configs aimed at the conditions of prime-rl's own checks, and records prime-rl's own answers.

usage: PYTHON record.py CHECKOUT KIND COUNT SEED > cases.jsonl
       PYTHON record.py CHECKOUT KIND CASES > cases.jsonl

PYTHON must be able to import the config classes of CHECKOUT, a source tree of prime-rl; deps/verifiers below it is found. In trees without
packages/prime-rl-configs the classes lie beside code that needs PyTorch and more: what is not installed is then stood in for.
A line: {toml, ok, errors: [{type, loc, check}]}. The last line: {raises: [each `raise` of the checks, as "check file:line"], reached: [those that a
case reached]}. With a file of cases in place of COUNT and SEED (lines with `toml`), those are recorded instead.

The code of each validator is searched for the attributes and keys that it and the functions it calls name, and for the constants that it compares.
A case sets some fields with these names, near the table whose class has the validator: to a constant of the check, to a neighbour of one, or to a
value that the type allows.
"""

import ast
import contextlib
import enum
import importlib
import importlib.abc
import importlib.machinery
import inspect
import io
import json
import os
import random
import sys
import tempfile
import textwrap
import types
import typing
import warnings
from pathlib import Path

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7")
CHECKOUT, KIND = Path(sys.argv[1]).resolve(), sys.argv[2]
GIVEN = Path(sys.argv[3]).read_text().splitlines() if len(sys.argv) == 4 else None
COUNT, SEED = (0, "") if GIVEN is not None else (int(sys.argv[3]), sys.argv[4])
IS_SPLIT = (CHECKOUT / "packages/prime-rl-configs/src").is_dir()
sys.path[:0] = [str(CHECKOUT / ("packages/prime-rl-configs/src" if IS_SPLIT else "src")), str(CHECKOUT / "deps/verifiers")]

import tomli_w  # noqa: E402
import tomllib  # noqa: E402
from pydantic import BaseModel, ValidationError  # noqa: E402


class Anything(type):
    """The content of a stub module: a class that accepts any use."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __or__(cls, _):
        return cls

    __ror__ = __or__


def anything(name):
    def called(self, *arguments, **named):
        # As a decorator it returns the function unchanged.
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) and not named else self

    members = {
        "__init__": lambda self, *arguments, **named: None,
        "__call__": called,
        "__getattr__": lambda self, name: anything(name),
        "__class_getitem__": classmethod(lambda cls, _: cls),
        "__init_subclass__": classmethod(lambda cls, **named: None),
    }
    return Anything(name, (), members)


class StandIn(types.ModuleType):
    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, anything(name))
        return getattr(self, name)


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Replaces every module that is not installed, except those of prime-rl itself."""

    def find_spec(self, name, path=None, target=None):
        head = name.split(".")[0]
        if head in ("prime_rl", "pydantic_config", "tomli", "six") or (head in sys.modules and not isinstance(sys.modules[head], StandIn)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


if not IS_SPLIT:
    sys.meta_path.append(StandIns())

HOMES = {
    "rl": (["prime_rl.configs.rl", "prime_rl.rl", "prime_rl.entrypoints.rl"], ["RLConfig"]),
    "trainer": (["prime_rl.configs.trainer", "prime_rl.trainer.rl.config"], ["TrainerConfig", "RLTrainerConfig"]),
    "orchestrator": (["prime_rl.configs.orchestrator", "prime_rl.orchestrator.config"], ["OrchestratorConfig"]),
    "inference": (["prime_rl.configs.inference", "prime_rl.inference.config"], ["InferenceConfig"]),
    "sft": (["prime_rl.configs.sft", "prime_rl.trainer.sft.config"], ["SFTConfig", "SFTTrainerConfig"]),
}


def root_class():
    modules, names = HOMES[KIND]
    missing = []
    for module in modules:
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            missing.append(str(error))
            continue
        for name in names:
            if hasattr(found, name):
                return getattr(found, name)
    raise SystemExit(f"no class of the kind {KIND}: {missing}")


ROOT = root_class()
try:
    from prime_rl.utils.pydantic_config import parse_argv

    def load(file):
        sys.argv = ["prime-rl", "@", str(file)]
        parse_argv(ROOT)
except ModuleNotFoundError:
    from pydantic_config import cli

    def load(file):
        cli(ROOT, args=["@", str(file)])


RANDOM = random.Random(f"{SEED}/{KIND}/{CHECKOUT.name}")
DEEPEST = 5


def plain(annotation):
    """The type inside aliases and Annotated, and the metadata around it."""
    found = []
    while True:
        if isinstance(annotation, typing.TypeAliasType):
            annotation = annotation.__value__
        elif typing.get_origin(annotation) is typing.Annotated:
            found += annotation.__metadata__
            annotation = annotation.__origin__
        elif isinstance(annotation, typing.TypeVar):
            annotation = annotation.__bound__ or typing.Any
        else:
            return annotation, found


def members(annotation):
    annotation, _ = plain(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [inner for member in typing.get_args(annotation) for inner in members(member)]
    return [annotation]


def is_model(annotation):
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def site(code, line):
    """A line of a function: "check file:line"."""
    return f"{code.co_name} {os.path.relpath(code.co_filename, CHECKOUT)}:{line}"


class Aim:
    """The names and constants that a check uses."""

    def __init__(self):
        self.names, self.constants, self.seen, self.raises = set(), [], set(), {}

    def add(self, function, cls):
        function = inspect.unwrap(getattr(function, "__func__", function))
        if isinstance(function, property):
            function = function.fget
        code = getattr(function, "__code__", None)
        if code is None or code in self.seen or len(self.seen) > 40 or not code.co_filename.startswith(str(CHECKOUT)):
            return
        self.seen.add(code)
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, SyntaxError, TypeError):
            return
        first = code.co_firstlineno - 1
        for node in ast.walk(tree):
            if isinstance(node, (ast.Raise, ast.Assert)):
                self.raises[site(code, first + node.lineno)] = (first + node.lineno, first + node.end_lineno)
            if isinstance(node, ast.Attribute):
                self.names.add(node.attr)
                self.add(inspect.getattr_static(cls, node.attr, None), cls)
            elif isinstance(node, ast.Constant) and not isinstance(node.value, bytes) and node.value is not ...:
                if isinstance(node.value, str) and node.value.isidentifier():
                    self.names.add(node.value)
                if not (isinstance(node.value, str) and len(node.value) > 40):
                    self.constants.append(node.value)
            elif isinstance(node, ast.Name):
                self.add(function.__globals__.get(node.id), cls)


def validators(cls):
    decorators = cls.__pydantic_decorators__
    both = [*decorators.model_validators.values(), *decorators.field_validators.values()]
    return [one.func for one in both]


def places(cls, path=(), depth=0, seen=()):
    """Every table that a config may have, as (path, class). A step of a path is a key, or "[]" for an item of a list."""
    yield path, cls
    if depth > DEEPEST or cls in seen:
        return
    for name, field in cls.model_fields.items():
        for member in members(field.annotation):
            step = (name,)
            if typing.get_origin(member) is list:
                step, inner = (name, "[]"), members(typing.get_args(member)[0])
            else:
                inner = [member]
            for one in inner:
                if is_model(one):
                    yield from places(one, path + step, depth + 1, (*seen, cls))


PLACES = list(places(ROOT))


def raises(function):
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(function, "__func__", function)))))
    except (OSError, SyntaxError, TypeError):
        return False
    return any(isinstance(node, (ast.Raise, ast.Assert)) for node in ast.walk(tree))


AIMS, REFUSING, BELOW = [], [], {}
for path, cls in PLACES:
    for function in validators(cls):
        aim = Aim()
        aim.add(function, cls)
        if aim.names:
            AIMS.append((path, cls, getattr(function, "__name__", "?"), aim))
            if raises(function):
                REFUSING.append(AIMS[-1])


def number(low, high, constants, integer):
    near = [c + d for c in constants if type(c) in (int, float) for d in (-1, 0, 0, 1)] or [1, 2, 4, 8]
    value = RANDOM.choice(near) if RANDOM.random() < 0.7 else RANDOM.choice([0, 1, 2, 3, 4, 5, 8, 16, 64, 100, 128, 512, 1024, 2048])
    if RANDOM.random() < 0.93:
        value = max(value, low) if low is not None else value
        value = min(value, high) if high is not None else value
    return int(value) if integer else float(value)


def value(annotation, constants, depth, metadata=()):
    """A value that an annotation probably allows."""
    annotation, more = plain(annotation)
    metadata = [*metadata, *more]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        if type(None) in arguments and RANDOM.random() < 0.12:
            return "None"
        return value(RANDOM.choice([one for one in arguments if one is not type(None)] or [str]), constants, depth, metadata)
    if origin is typing.Literal:
        return RANDOM.choice(arguments)
    if origin in (list, set, tuple, frozenset):
        inner = arguments[0] if arguments else str
        return [value(inner, constants, depth + 1) for _ in range(RANDOM.choice([0, 1, 1, 1, 2]))]
    if origin is dict:
        keys = [c for c in constants if isinstance(c, str) and c.isidentifier()] or ["key"]
        return {RANDOM.choice(keys): value(arguments[1], constants, depth + 1) for _ in range(RANDOM.choice([0, 1, 1, 2]))}
    if is_model(annotation):
        return table(annotation, constants, depth + 1)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return RANDOM.choice(list(annotation)).value
    if annotation is bool:
        return RANDOM.random() < 0.6
    if annotation in (int, float):
        bounds = [b for m in metadata for b in (m, *getattr(m, "metadata", ()))]
        low = max((getattr(b, n) + (n == "gt") for b in bounds for n in ("ge", "gt") if getattr(b, n, None) is not None), default=None)
        high = min((getattr(b, n) for b in bounds for n in ("le", "lt") if getattr(b, n, None) is not None), default=None)
        return number(low, high, constants, annotation is int)
    if annotation in (str, Path):
        words = [c for c in constants if isinstance(c, str) and 0 < len(c) < 40]
        if words and RANDOM.random() < 0.6:
            word = RANDOM.choice(words)
            return RANDOM.choice([word, word, f"{word}x", f"a{word}b"])
        return RANDOM.choice(["some-name", "Qwen/Qwen3-0.6B", "Qwen/Qwen3-30B-A3B", "outputs/x", "reverse-text", "org/name"])
    return RANDOM.choice([1, "text", True])


def table(cls, constants, depth):
    """A table of a class: its required fields, its tag, and a few others."""
    made = {}
    fields = list(cls.model_fields.items())
    for name, field in fields:
        is_tag = typing.get_origin(plain(field.annotation)[0]) is typing.Literal and name in ("type", "name", "mode")
        if field.is_required() or (is_tag and RANDOM.random() < 0.9):
            made[key_of(name, field)] = value(field.annotation, constants, depth, field.metadata)
    if depth < DEEPEST and fields:
        for name, field in RANDOM.sample(fields, min(len(fields), RANDOM.choice([0, 0, 1, 2]))):
            made.setdefault(key_of(name, field), value(field.annotation, constants, depth, field.metadata))
    return made


def key_of(name, field):
    alias = field.validation_alias or field.alias
    if alias is None:
        return name
    choices = [alias] if isinstance(alias, str) else [c for c in getattr(alias, "choices", []) if isinstance(c, str)]
    return RANDOM.choice([*choices, name]) if choices else name


def at(config, path, cls=None, constants=()):
    """The table at a path, which is created if necessary; None if something else is there."""
    here, fields = config, ROOT
    for index, step in enumerate(path):
        if step == "[]":
            continue
        is_list = index + 1 < len(path) and path[index + 1] == "[]"
        if is_list:
            items = here.setdefault(step, [])
            if not isinstance(items, list):
                return None
            if not items:
                items.append({})
            here = items[RANDOM.randrange(len(items))]
        else:
            here = here.setdefault(step, {})
        if not isinstance(here, dict):
            return None
    if cls is not None:
        for key, made in table(cls, constants, DEEPEST).items():
            here.setdefault(key, made)
    return here


def tables_below(path, cls, depth=3):
    """A table and those below it, to the depth that checks read."""
    return [(p, c) for p, c in PLACES if p[: len(path)] == path and len(p) - len(path) <= depth + 1]



def aimed(config):
    path, cls, _, aim = RANDOM.choice(REFUSING if REFUSING and RANDOM.random() < 0.75 else AIMS)
    constants = aim.constants
    at(config, path, cls, constants)
    below = BELOW.setdefault((path, cls), tables_below(path, cls))
    wanted = [(p, c, n) for p, c in below for n in c.model_fields if n in aim.names]
    # Fields close to the table are more likely.
    for _ in range(RANDOM.choice([1, 2, 3, 4, 6, 8])):
        if not wanted:
            return
        near = min(RANDOM.sample(wanted, min(3, len(wanted))), key=lambda one: len(one[0]))
        below_path, below_cls, name = near
        here = at(config, below_path)
        if here is None:
            continue
        if below_path != path and not here:
            at(config, below_path, below_cls, constants)
        field = below_cls.model_fields[name]
        here[key_of(name, field)] = value(field.annotation, constants, len(below_path), field.metadata)


def spoil(config):
    """Puts an invalid or unusual value at a path."""
    spots = []
    def collect(of):
        for key, inner in of.items():
            spots.append((of, key))
            if isinstance(inner, dict):
                collect(inner)
            elif isinstance(inner, list):
                for one in inner:
                    if isinstance(one, dict):
                        collect(one)
    collect(config)
    if not spots:
        return
    of, key = RANDOM.choice(spots)
    match RANDOM.choice(["value", "value", "drop", "unknown", "none"]):
        case "value":
            of[key] = RANDOM.choice([0, -1, 1, 1.5, True, "word", "", "5", [], {}, [1], {"a": 1}])
        case "drop":
            del of[key]
        case "unknown":
            of[RANDOM.choice(["foo", "seqlen", "type"])] = 1
        case "none":
            of[key] = "None"


def raised_at(exception):
    """The `raise` of prime-rl's own from which an exception comes, if it is one."""
    trace, found = getattr(exception, "__traceback__", None), None
    while trace:
        if trace.tb_frame.f_code.co_filename.startswith(str(CHECKOUT)):
            found = (trace.tb_frame.f_code, trace.tb_lineno)
        trace = trace.tb_next
    if found is None:
        return None
    code, line = found
    spans = ((at, span) for _, _, _, aim in AIMS for at, span in aim.raises.items())
    here = (at for at, (first, last) in spans if first <= line <= last and at.startswith(f"{code.co_name} "))
    return next(here, None)


def check_of(error):
    trace, name = getattr((error.get("ctx") or {}).get("error"), "__traceback__", None), None
    while trace:
        name, trace = trace.tb_frame.f_code.co_name, trace.tb_next
    return name


def first_of(error):
    """The validator that was called: the first of prime-rl's own functions in the traceback."""
    trace = getattr((error.get("ctx") or {}).get("error"), "__traceback__", None)
    return trace.tb_frame.f_code.co_name if trace else None


def said(error):
    rows = []
    for one in error.errors(include_url=False, include_input=False):
        row = {"type": one["type"], "loc": list(one["loc"])}
        if check_of(one):
            row["check"], row["validator"], row["msg"] = check_of(one), first_of(one), one["msg"][:300]
            row["raised"] = raised_at(one["ctx"]["error"])
        rows.append(row)
    return rows


def verdict(file):
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            load(file)
            return {"ok": True, "errors": []}
        except ValidationError as error:
            return {"ok": False, "errors": said(error)}
        except (Exception, SystemExit) as error:
            cause = error.__cause__
            # pydantic-config with tyro reports whatever ends the validation of its files as an exception of its own.
            is_wrapped = type(error).__name__ == "ConfigFileError" and isinstance(cause, Exception)
            if is_wrapped or isinstance(cause, ValidationError):
                error = cause
            if isinstance(error, ValidationError):
                return {"ok": False, "errors": said(error)}
            row = {"type": type(error).__name__, "loc": [], "msg": str(error)[:300], "raised": raised_at(error)}
            return {"ok": False, "errors": [row]}


def made():
    """Configs near the conditions, as text, without end."""
    while True:
        config = {"trainer": {}, "orchestrator": {}} if KIND == "rl" else {}
        for _ in range(RANDOM.choice([1, 1, 1, 2])):
            aimed(config)
        if RANDOM.random() < 0.12:
            spoil(config)
        try:
            text = tomli_w.dumps(config)
            tomllib.loads(text)
        except Exception:
            continue
        yield text


def is_of_machine(row):
    """What is not installed decides nothing here."""
    absent = ("ModuleNotFoundError", "ImportError")
    return any("tried to import" in error.get("msg", "") or error["type"] in absent for error in row["errors"])


def recorded(file, text, reached):
    file.write_text(text)
    row = verdict(file)
    reached |= {error["raised"] for error in row["errors"] if error.get("raised")}
    return row


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    file = Path(folder, "config.toml")
    seen, done, refused, count, reached = set(), 0, 0, {}, set()
    for line in GIVEN or []:
        case = json.loads(line)
        print(json.dumps({"toml": case["toml"], **recorded(file, case["toml"], reached)}), flush=True)
    for text, _ in zip(made(), range(COUNT * 40)):
        if done == COUNT:
            break
        if text in seen:
            continue
        seen.add(text)
        row = recorded(file, text, reached)
        if is_of_machine(row):
            continue
        keys = {(error["type"], error.get("check")) for error in row["errors"]}
        if not row["ok"]:
            # No single error dominates the cases, and a share of them is accepted.
            most = {key: max(4, COUNT // (25 if key[1] else 50)) for key in keys}
            if refused > 0.65 * COUNT or all(count.get(key, 0) >= most[key] for key in keys):
                continue
            for key in keys:
                count[key] = count.get(key, 0) + 1
            refused += 1
        done += 1
        print(json.dumps({"toml": text, **row}), flush=True)
    raises = {at for _, _, _, aim in AIMS for at in aim.raises}
    print(json.dumps({"raises": sorted(raises), "reached": sorted(reached)}))


main()
