"""Reads the config classes of a checkout of prime-rl, and prints them in the notation of cfg's schema history.

usage: PYTHON read_classes.py CHECKOUT

Nothing of the checkout is run but the modules that define its configs, as they are imported. What these import and this Python lacks is
stood in for, where prime-rl keeps its configs among its other code and so imports far more than they need; pydantic is not.
Standard output is one JSON document: {"pydantic": version, "kinds": {kind: text}, "docs": {kind: {path: sentence}}, "unread": [sentence]},
or {"error": sentence, "help": sentence}.
"""

import enum
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import sys
import types
import typing

KINDS = {
    "rl": (["prime_rl.configs.rl", "prime_rl.rl", "prime_rl.entrypoints.rl"], ["RLConfig"]),
    "trainer": (["prime_rl.configs.trainer", "prime_rl.trainer.rl.config"], ["TrainerConfig", "RLTrainerConfig"]),
    "orchestrator": (["prime_rl.configs.orchestrator", "prime_rl.orchestrator.config"], ["OrchestratorConfig"]),
    "inference": (["prime_rl.configs.inference", "prime_rl.inference.config"], ["InferenceConfig"]),
    "sft": (["prime_rl.configs.sft", "prime_rl.trainer.sft.config"], ["SFTConfig", "SFTTrainerConfig"]),
}
# Without these the classes would not be what prime-rl sees.
NEEDED = {"prime_rl", "pydantic", "pydantic_core", "pydantic_settings", "pydantic_config", "typing_extensions", "annotated_types", "tomli"}


class Refused(Exception):
    """Why nothing can be read, and what to do."""

    def __init__(self, message, advice):
        super().__init__(message)
        self.advice = advice


# --- standing in for what is not installed -----------------------------------------------------------------------------


class AnyClass(type):
    """A class with every attribute, which may stand in types, be inherited from, and decorate."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __or__(cls, other):
        return cls

    def __ror__(cls, other):
        return cls


def anything(name):
    def called(self, *arguments, **named):
        is_decorator = len(arguments) == 1 and not named and callable(arguments[0])
        return arguments[0] if is_decorator else self

    return AnyClass(
        name,
        (),
        {
            "__init__": lambda self, *arguments, **named: None,
            "__init_subclass__": classmethod(lambda cls, **named: None),
            "__class_getitem__": classmethod(lambda cls, item: cls),
            "__call__": called,
            "__getattr__": lambda self, name: anything(name),
        },
    )


class EmptyModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = anything(name)
        setattr(self, name, made)
        return made


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: asked only for modules that nothing else has."""

    def __init__(self):
        self.names = set()

    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0]
        is_ours = root in self.names or "." not in name
        if root in NEEDED or root in sys.stdlib_module_names or not is_ours:
            return None
        self.names.add(root)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return EmptyModule(spec.name)

    def exec_module(self, module):
        pass


# --- finding the classes -----------------------------------------------------------------------------------------------


def sources(checkout):
    """The folder of the modules, and whether it holds configs alone."""
    alone = checkout / "packages" / "prime-rl-configs" / "src"
    for folder, is_alone in [(alone, True), (checkout / "src", False), (checkout, False)]:
        if (folder / "prime_rl").is_dir():
            return folder, is_alone
    raise Refused(
        f"{checkout} is no checkout of prime-rl: it has neither packages/prime-rl-configs/src/prime_rl nor src/prime_rl",
        "name the folder into which prime-rl was cloned",
    )


def find(modules, names):
    missing = []
    for module in modules:
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            missing.append(error)
            continue
        for name in names:
            if hasattr(found, name):
                return getattr(found, name)
    # A module of prime-rl that is not there belongs to another layout; anything else is not installed.
    for error in missing:
        if not (error.name or "").startswith("prime_rl"):
            raise Refused(
                f"prime-rl's configs import `{error.name}`, which {sys.executable} does not have",
                "give the Python of the checkout's own environment: `--python CHECKOUT/.venv/bin/python`, or `uv sync` there first",
            )
    raise Refused(
        f"none of the modules {', '.join(modules)} has a class {' or '.join(names)}",
        "this prime-rl keeps its configs where cfg does not look",
    )


# --- types in the notation of the history ------------------------------------------------------------------------------


def text(value):
    return json.dumps(value, ensure_ascii=False)


def number(value):
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


class Reader:
    def __init__(self, pydantic):
        self.pydantic = pydantic
        self.lines = {}
        self.docs = {}
        self.unread = []
        # Where the fields of a class stand, for the other places at which it occurs.
        self.places = {}
        self.open = []
        self.kind = None

    # -- tables --

    def root(self, kind, cls):
        self.kind = kind
        self.lines[kind] = []
        self.docs[kind] = {}
        config = cls.model_config
        is_settings = any(base.__name__ == "BaseSettings" for base in cls.__mro__)
        settings = f"  ; settings {config['env_prefix']}" if is_settings and config.get("env_prefix") else ""
        self.add("", f"root({self.policy(cls)}){settings}", cls)
        self.fields(cls, "")

    def add(self, path, words, cls=None):
        self.lines[self.kind].append(path or "(root)")
        self.lines[self.kind].append(f"  ..  {words}")
        if cls is not None:
            self.validators(cls)

    def policy(self, cls):
        return cls.model_config.get("extra") or "ignore"

    def validators(self, cls):
        decorators = cls.__pydantic_decorators__
        by_mode = {}
        for name, found in decorators.model_validators.items():
            by_mode.setdefault(found.info.mode, []).append(name)
        for name, found in decorators.field_validators.items():
            fields = ",".join(found.info.fields)
            by_mode.setdefault(f"{found.info.mode} field", []).append(f"{name}({fields})")
        for mode in ["before", "after", "before field", "after field"]:
            # A blank behind a comma would end the name.
            names = by_mode.pop(mode, [])
            if names:
                self.lines[self.kind].append(f"    {mode}: {', '.join(names)}")
        for mode, names in by_mode.items():
            self.unread.append(f"{cls.__name__}: validators of mode {mode}: {', '.join(names)}")

    def fields(self, cls, path):
        if cls in self.places and path:
            kind, place = self.places[cls]
            self.lines[self.kind].append(f"  fields of {kind}:{place or '(root)'}")
            return
        if cls in self.open:
            self.unread.append(f"{path}: {cls.__name__} contains itself")
            return
        self.open.append(cls)
        for name, field in cls.model_fields.items():
            self.field(cls, name, field, f"{path}.{name}" if path else name)
        self.open.pop()
        # The fields of a variant hold its tag, which is no reason to write them anew.
        if cls.model_fields:
            self.places.setdefault(cls, (self.kind, path))

    def field(self, cls, name, field, path):
        shape = self.shape(field.annotation, list(field.metadata), field.discriminator, path)
        words = shape["text"]
        attributes = []
        if field.is_required():
            attributes.append("required")
        else:
            default = self.default(field, shape, path)
            words += f" = {text(default['value'])}"
            if default.get("variant") is not None:
                attributes.append(f"variant {text(default['variant'])}")
            if field.default_factory is not None:
                attributes.append("factory")
        keys = self.keys(cls, name, field)
        if keys:
            attributes.append(f"alias {'|'.join(keys)}")
        if field.exclude is True:
            attributes.append("hidden")
        if attributes:
            words += f"  ; {'; '.join(attributes)}"
        self.add(path, words, shape.get("table"))
        if field.description:
            self.docs[self.kind][path] = " ".join(field.description.split())
        self.below(shape, path)

    def below(self, shape, path):
        """What lies below a path, after its own line."""
        if shape.get("table") is not None:
            self.fields(shape["table"], path)
        for tag, cls in shape.get("variants", []):
            place = f"{path}<{shape['key']}={tag}>"
            self.add(place, f"variant({self.policy(cls)})", cls)
            self.fields(cls, place)
        for cls in shape.get("classes", []):
            place = f"{path}<{cls.__name__}>"
            self.add(place, f"variant({self.policy(cls)})", cls)
            self.fields(cls, place)
        for step in ["item", "value"]:
            inner = shape.get(step)
            if inner is None or not has_parts(inner):
                continue
            place = path + ("[]" if step == "item" else ".*")
            if not inner.get("variants"):
                self.add(place, inner["text"], inner.get("table"))
            self.below(inner, place)

    def keys(self, cls, name, field):
        alias = field.validation_alias if field.validation_alias is not None else field.alias
        if alias is None:
            return []
        choices = alias.choices if isinstance(alias, self.pydantic.AliasChoices) else [alias]
        keys = [choice for choice in choices if isinstance(choice, str)]
        if len(keys) < len(choices):
            self.unread.append(f"{cls.__name__}.{name}: an alias that is a path")
        config = cls.model_config
        if (config.get("populate_by_name") or config.get("validate_by_name")) and name not in keys:
            keys.append(name)
        return [] if keys == [name] else keys

    # -- types --

    def shape(self, annotation, metadata, discriminator, path):
        """{"text": the notation, and what lies below: "table", "variants" with "key", "classes", "item", "value"}."""
        while True:
            if typing.get_origin(annotation) is typing.Annotated:
                annotation, *more = typing.get_args(annotation)
                metadata = [*more, *metadata]
            elif hasattr(annotation, "__value__"):
                annotation = annotation.__value__
            else:
                break
        flat = []
        for item in metadata:
            if isinstance(item, self.pydantic.fields.FieldInfo):
                discriminator = item.discriminator or discriminator
                flat.extend(item.metadata)
            elif isinstance(item, self.pydantic.Discriminator):
                discriminator = item
            else:
                flat.append(item)
        bounds, functions = self.bounds_and_functions(flat)
        shape = self.plain(annotation, discriminator, path)
        if bounds and "]" not in shape["text"] and "(" not in shape["text"]:
            nullable = shape["text"].endswith("?")
            words = shape["text"].removesuffix("?")
            shape["text"] = f"{words}({', '.join(bounds)})" + ("?" if nullable else "")
        elif bounds:
            head, nullable = (shape["text"][:-1], "?") if shape["text"].endswith("?") else (shape["text"], "")
            shape["text"] = f"{head}({', '.join(bounds)}){nullable}"
        if functions:
            shape["text"] += f" through {', '.join(functions)}"
        return shape

    def bounds_and_functions(self, metadata):
        bounds, functions = [], []
        for item in metadata:
            for name in ["ge", "gt", "le", "lt"]:
                limit = getattr(item, name, None)
                if limit is not None:
                    bounds.append(f"{name} {number(limit)}")
            if getattr(item, "allow_inf_nan", None) is False:
                bounds.append("finite")
            least = getattr(item, "min_length", None)
            if least is not None:
                bounds.append(f"min_length {least}")
            if type(item).__name__ in ("AfterValidator", "BeforeValidator"):
                functions.append(f"{type(item).__name__}:{item.func.__name__}")
        order = ["ge", "gt", "le", "lt", "min_length", "finite"]
        return sorted(set(bounds), key=lambda bound: order.index(bound.split()[0])), functions

    def plain(self, annotation, discriminator, path):
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        simple = {int: "int", float: "float", bool: "bool", str: "str", typing.Any: "any", dict: "dict", pathlib.Path: "path"}
        if annotation in simple:
            return {"text": simple[annotation]}
        if origin is typing.Literal:
            return self.literal(arguments, path)
        if origin in (typing.Union, types.UnionType):
            return self.union(arguments, discriminator, path)
        if origin is list or annotation is list:
            item = self.shape(arguments[0], [], None, path) if arguments else {"text": "any"}
            return {"text": f"list[{item['text']}]", "item": item}
        if origin in (dict, typing.Mapping) or str(origin).endswith("abc.Mapping'>"):
            key, value = (self.shape(argument, [], None, path) for argument in arguments)
            return {"text": f"dict[{key['text']}, {value['text']}]", "value": value}
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return self.literal([member.value for member in annotation], path)
        if isinstance(annotation, type) and issubclass(annotation, self.pydantic.BaseModel):
            return {"text": f"table({self.policy(annotation)})", "table": annotation}
        if isinstance(annotation, typing.TypeVar) and annotation.__bound__ is not None:
            return self.shape(annotation.__bound__, [], None, path)
        self.unread.append(f"{path}: {annotation} is taken for anything")
        return {"text": "any"}

    def literal(self, values, path):
        nullable = "?" if None in values else ""
        values = [value for value in values if value is not None]
        if not all(isinstance(value, str) for value in values):
            self.unread.append(f"{path}: a literal that is no text is taken for anything")
            return {"text": "any"}
        return {"text": f"literal({', '.join(text(value) for value in values)}){nullable}"}

    def union(self, arguments, discriminator, path):
        members = [argument for argument in arguments if argument is not type(None)]
        nullable = "?" if len(members) < len(arguments) else ""
        if len(members) == 1:
            shape = self.shape(members[0], [], discriminator, path)
            shape["text"] = optional(shape["text"], nullable)
            return shape
        shapes = [self.shape(member, [], None, path) for member in members]
        if len(shapes) == 2 and not discriminator and nullable and any(shape.get("variants") for shape in shapes):
            pass
        words = f"union[{', '.join(shape['text'] for shape in shapes)}]{nullable}"
        tables = [shape["table"] for shape in shapes if shape.get("table") is not None]
        inner = [shape for shape in shapes if shape.get("variants")]
        if isinstance(discriminator, str):
            variants = []
            for cls in tables:
                key = cls.model_fields[discriminator]
                for tag in typing.get_args(key.annotation):
                    variants.append((tag, cls))
            for shape in inner:
                variants.extend(shape["variants"])
                tables.extend(cls for _, cls in shape["variants"])
            words = f"union[{', '.join(f'table({self.policy(cls)})' for cls in tables)}]{nullable}" if inner else words
            return {"text": f"{words} by {discriminator}", "variants": variants, "key": discriminator}
        if discriminator is not None:
            name = getattr(discriminator.discriminator, "__name__", str(discriminator.discriminator))
            variants = self.called(arguments, members)
            return {"text": f"{words} by fn:{name}", "variants": variants, "key": "type"}
        if len(tables) > 1 or inner:
            self.unread.append(f"{path}: a union of several tables without a tag is taken for anything")
            return {"text": f"any"}
        items = [shape for shape in shapes if shape.get("item") or shape.get("value")]
        shape = {"text": words, "classes": tables}
        if items:
            shape.update({key: items[0][key] for key in ("item", "value") if items[0].get(key)})
        return shape

    def called(self, arguments, members):
        """The variants of a union whose tag a function finds."""
        variants = []
        for member in members:
            cls, tag = member, None
            if typing.get_origin(member) is typing.Annotated:
                cls, *more = typing.get_args(member)
                tag = next((item.tag for item in more if isinstance(item, self.pydantic.Tag)), None)
            variants.append((tag or cls.__name__, cls))
        return variants

    # -- defaults --

    def default(self, field, shape, path):
        value = field.default if field.default_factory is None else self.made(field, path)
        return {"value": self.json(value), "variant": self.variant(value, shape)}

    def made(self, field, path):
        try:
            return field.default_factory()
        except Exception:
            self.unread.append(f"{path}: its default can't be made without the rest")
            return None

    def variant(self, value, shape):
        if isinstance(value, list) and shape.get("item", {}).get("variants"):
            tags = [self.variant(item, shape["item"]) for item in value]
            return tags if tags else None
        if not isinstance(value, self.pydantic.BaseModel):
            return None
        return next((tag for tag, cls in shape.get("variants", []) if type(value) is cls), None)

    def json(self, value):
        if isinstance(value, self.pydantic.BaseModel):
            given = {name: getattr(value, name) for name in value.model_fields_set if name in type(value).model_fields}
            return {name: self.json(item) for name, item in given.items()}
        if isinstance(value, dict):
            return {str(key): self.json(item) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.json(item) for item in value]
        if isinstance(value, enum.Enum):
            return self.json(value.value)
        if isinstance(value, pathlib.Path):
            return str(value)
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if value == value and abs(value) != float("inf") else None
        return None


def has_parts(shape):
    return any(shape.get(part) for part in ("table", "variants", "classes")) or any(
        shape.get(step) and has_parts(shape[step]) for step in ("item", "value")
    )


def optional(words, nullable):
    """Null is allowed as well: the sign stands behind the type, in front of its tag and functions."""
    if not nullable:
        return words
    for mark in (" by ", " through "):
        at = words.rfind(mark)
        # A mark within brackets belongs to a member.
        if at >= 0 and words.count("[", at) == words.count("]", at):
            head = optional(words[:at], nullable) if mark == " through " else words[:at]
            return head + words[at:] if head.endswith("?") else f"{head}?{words[at:]}"
    return words if words.endswith("?") else f"{words}?"


# --- the whole ---------------------------------------------------------------------------------------------------------


def read(checkout):
    folder, is_alone = sources(checkout)
    try:
        import pydantic
        import pydantic.fields
    except ModuleNotFoundError as error:
        raise Refused(
            f"{sys.executable} has no pydantic",
            "give the Python of the checkout's own environment: `--python CHECKOUT/.venv/bin/python`, or `uv sync` there first",
        ) from error
    if not hasattr(pydantic, "VERSION") or int(pydantic.VERSION.split(".")[0]) < 2:
        raise Refused(f"{sys.executable} has pydantic {pydantic.VERSION}, prime-rl needs 2", "give the checkout's own Python")
    sys.path.insert(0, str(folder))
    if not is_alone:
        sys.meta_path.append(StandIns())
    reader = Reader(pydantic)
    # rl refers to what the others define.
    classes = {kind: find(*KINDS[kind]) for kind in ["trainer", "orchestrator", "inference", "sft", "rl"]}
    for kind, cls in classes.items():
        reader.root(kind, cls)
    return {
        "pydantic": pydantic.VERSION,
        "kinds": {kind: "\n".join(lines) + "\n" for kind, lines in reader.lines.items()},
        "docs": reader.docs,
        "unread": list(dict.fromkeys(reader.unread)),
    }


def main():
    # What the modules print while they are imported is not the answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for name in [name for name in os.environ if name.startswith("PRIME_")]:
        del os.environ[name]
    try:
        answer = read(pathlib.Path(sys.argv[1]).resolve())
    except Refused as error:
        answer = {"error": str(error), "help": error.advice}
    except Exception as error:
        answer = {"error": f"the config modules can't be imported: {type(error).__name__}: {error}", "help": "is this checkout as it was cloned?"}
    json.dump(answer, out)
    out.close()
    # Threads that a module has started do not keep the answer waiting.
    os._exit(0)


if __name__ == "__main__":
    main()
