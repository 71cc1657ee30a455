"""Checks configs of prime-rl from Python, before a run starts.

    import cfg_prime_rl

    cfg_prime_rl.require("rl.toml", gpu="2x H100")  # raises InvalidConfig where something is wrong

    report = cfg_prime_rl.check("rl.toml", target="0.4.0")
    for finding in report.findings:
        print(finding)

The wheel has the program `cfg` in it. Each call starts it once, which takes some milliseconds, and reads the JSON that it prints.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

__all__ = [
    "CfgError",
    "Edit",
    "File",
    "Finding",
    "Fix",
    "InvalidConfig",
    "Report",
    "check",
    "compile",
    "explain",
    "memory",
    "program",
    "require",
]

try:
    __version__ = importlib.metadata.version("cfg-prime-rl")
except importlib.metadata.PackageNotFoundError:
    __version__ = "unknown"

Config = Union[str, "os.PathLike[str]", Sequence[str]]
_Digest = Callable[[str], Optional[str]]


class CfgError(Exception):
    """`cfg` could not do its work: a file that is not there, a prime-rl that is not known."""


def _harmless(line: str) -> str:
    """A text on one line, without what controls a terminal, hides, or is a command of a CI system. The members themselves are exact."""
    shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in line)
    shown = re.sub(r"##(\w*)\[", r"## \1[", shown)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


class InvalidConfig(Exception):
    """Something is wrong with a config. `report` has all of it."""

    def __init__(self, report: "Report") -> None:
        undecided = [f"{file.path}: the verdict is `{file.verdict}`" for file in report.files if file.verdict != "ok"]
        super().__init__("\n".join([str(finding) for finding in report.errors] or undecided))
        self.report = report

    def __reduce__(self) -> Tuple[Any, ...]:
        # A worker process sends it to the one that waits for it.
        return type(self), (self.report,)


@dataclass(frozen=True)
class Edit:
    """A replacement of bytes; an empty range inserts."""

    path: str
    """The file."""
    start: int
    """The offset of the first byte that is replaced, from 0."""
    end: int
    """The offset after the last one."""
    new_text: str
    """What is there afterwards."""


@dataclass(frozen=True)
class Fix:
    """A repair, as `cfg check --fix` makes it."""

    title: str
    """What it does."""
    is_safe: bool
    """Whether it means what the author meant."""
    edits: Tuple[Edit, ...] = field(default=(), compare=False)
    """The replacements, which belong together and are in the order of the file."""

    does: str = field(default="write", compare=False)
    """What kind of change it is: "write", "rename", "move" or "remove"."""
    lost: Tuple[str, ...] = field(default=(), compare=False)
    """The keys of settings that nothing in the config makes after it."""

    digest: Optional[str] = field(default=None, compare=False, repr=False)
    """The SHA-256 of the text that was checked; None if it could not be read again after the check."""

    def apply(self, text: str) -> str:
        """The text with this repair. Raises ValueError for another text than the one that was checked."""
        encoded = text.encode()
        if self.digest is not None and _digest(encoded) != self.digest:
            raise ValueError("the repair belongs to another text")
        for edit in reversed(self.edits):
            if edit.end > len(encoded):
                raise ValueError("the repair belongs to another text")
            encoded = encoded[: edit.start] + edit.new_text.encode() + encoded[edit.end :]
        return encoded.decode()


@dataclass(frozen=True)
class Finding:
    """One finding. Members without a default are always there."""

    code: str
    """The stable code: `PRL101`."""
    name: str
    """The problem in kebab case: `unknown-key`."""
    severity: str
    """`error`, `warning` or `info`."""
    message: str
    """What is wrong, in one sentence."""
    path: str
    """The file in which it lies."""
    line: Optional[int] = None
    """The line, from 1."""
    column: Optional[int] = None
    """The column in characters, from 1."""
    key: Optional[str] = None
    """The dotted key that it is about."""
    help: Optional[str] = None
    """What to write instead, or how to find out."""
    native: Optional[str] = None
    """The error type of prime-rl itself, or the name of its exception; None where prime-rl checks no such thing."""
    fix: Optional[Fix] = None
    """A repair that was tried."""
    json: Dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """All that the report has of it: schemas/report.schema.json."""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}:{self.column}"
        return _harmless(f"{place}: {self.severity}[{self.code}] {self.message}")


@dataclass(frozen=True)
class File:
    """One checked config, or one checked launch."""

    path: str
    kind: Optional[str]
    """The entrypoint that it is for: `rl`, `trainer`, `orchestrator`, `inference`, `sft`."""
    target: Optional[str]
    """The prime-rl that it was checked for."""
    verdict: str
    """What that prime-rl itself says: `ok`, `rejected` or `depends`."""
    findings: Tuple[Finding, ...]


@dataclass(frozen=True)
class Report:
    """What was found."""

    files: Tuple[File, ...]

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The findings of all files."""
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def errors(self) -> Tuple[Finding, ...]:
        """Those that are errors."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def verdict(self) -> str:
        """What that prime-rl itself says of all files: `rejected` if it refuses one, else `depends` if one is undecided, else `ok`."""
        verdicts = {file.verdict for file in self.files}
        return next((verdict for verdict in ("rejected", "depends") if verdict in verdicts), "ok")

    @property
    def is_ok(self) -> bool:
        """Whether there are no errors. Warnings alone are nothing wrong."""
        return not self.errors


def check(
    config: Config, *, target: Optional[str] = None, kind: Optional[str] = None, gpu: Optional[str] = None, timeout: float = 60
) -> Report:
    """Checks a config.

    `config` is a path of a file or folder; a text of TOML, which is told by its line break; or a list of the words of a launch command,
    such as `["uv", "run", "rl", "@", "rl.toml", "--max-steps", "5"]`.
    """
    words, text = _config(["check", *_stated(target, kind), *_machine(gpu)], [config])
    return _report(_run(words, text, timeout, may_find=True), text)


def require(
    config: Config,
    *,
    target: Optional[str] = None,
    kind: Optional[str] = None,
    gpu: Optional[str] = None,
    timeout: float = 60,
    allow_depends: bool = False,
) -> Report:
    """As `check`, but raises `InvalidConfig` where something is wrong: so a script can refuse to start.

    A config that prime-rl may refuse, because that depends on something that the config leaves open, is refused too, unless
    `allow_depends` is true.
    """
    report = check(config, target=target, kind=kind, gpu=gpu, timeout=timeout)
    allowed = ("ok", "depends") if allow_depends else ("ok",)
    if not report.is_ok or report.verdict not in allowed:
        raise InvalidConfig(report)
    return report


def compile(*configs: Config, target: Optional[str] = None, kind: Optional[str] = None, timeout: float = 60) -> Dict[str, Any]:
    """Every value that prime-rl makes of a config, or of several files laid over each other, defaults included."""
    words, text = _config(["compile", *_stated(target, kind)], configs)
    with _written(words, text) as words:
        return _run(words, None, timeout)


def memory(config: Config, *, gpu: Optional[str] = None, target: Optional[str] = None, timeout: float = 60) -> Dict[str, Any]:
    """What each GPU and the disk have to hold: schemas/memory.schema.json."""
    words, text = _config(["memory", *_stated(target, None), *_machine(gpu)], [config])
    if "--" in words:
        # What the command resolves to is one config.
        command = words[words.index("--") :]
        text = _raw(["compile", "--format", "toml", *_stated(target, None), *command], timeout)
        words = [*words[: words.index("--")], "-"]
    with _written(words, text) as words:
        return _run(words, None, timeout)


def explain(code: str, timeout: float = 60) -> str:
    """What a finding means, and what to do, as Markdown. `code` is its code or its name."""
    if not re.fullmatch(r"[A-Za-z0-9-]+", code) or code.startswith("-"):
        raise CfgError(f"{_harmless(code)} is no code of a finding")
    return _raw(["explain", code], timeout)


def program() -> str:
    """The path of the program: the one that the variable CFG_PRIME_RL_PROGRAM names, that came with this package, or that is in PATH."""
    stated = os.environ.get("CFG_PRIME_RL_PROGRAM")
    if stated:
        return stated
    name = "cfg" + (sysconfig.get_config_var("EXE") or "")
    candidates = []
    try:
        files = importlib.metadata.files("cfg-prime-rl") or []
        candidates += [Path(str(file.locate())) for file in files if file.name == name]
    except importlib.metadata.PackageNotFoundError:
        pass
    # `pip install --target` writes another place than it notes.
    candidates += [Path(sysconfig.get_path("scripts")) / name, Path(__file__).parents[1] / "bin" / name]
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate.resolve())
    # A relative folder is that of whatever repository a script works in.
    folders = os.environ.get("PATH", "").split(os.pathsep)
    found = shutil.which("cfg", path=os.pathsep.join(folder for folder in folders if os.path.isabs(folder)))
    if found and os.path.isabs(found):
        return found
    raise CfgError("the program cfg is neither where this package was installed nor in PATH; CFG_PRIME_RL_PROGRAM can name it")


def _stated(target: Optional[str], kind: Optional[str]) -> List[str]:
    words = []
    if target is not None:
        words += ["--target", target]
    if kind is not None:
        words += ["--kind", kind]
    return words


def _machine(gpu: Optional[str]) -> List[str]:
    return [] if gpu is None else ["--gpu", gpu]


def _config(words: List[str], configs: Sequence[Config]) -> Tuple[List[str], Optional[str]]:
    """The words of a command about configs, and the text for its standard input."""
    text = None
    for config in configs:
        if isinstance(config, str) and ("\n" in config or config == ""):
            if len(configs) > 1:
                raise TypeError("a text is checked alone; several configs are named by their paths")
            try:
                config.encode()
            except UnicodeEncodeError as error:
                raise CfgError(f"the text can't be written as UTF-8: {error.reason}") from None
            words, text = [*words, "-"], config
        elif isinstance(config, (str, os.PathLike)):
            words = [*words, _path(config)]
        elif isinstance(config, Sequence) and not isinstance(config, (bytes, bytearray)) and all(isinstance(word, str) for word in config):
            if len(configs) > 1:
                raise TypeError("a launch command has all files of a run; it is checked alone")
            if not config:
                raise CfgError("a launch command has at least one word")
            for word in config:
                _passable(word, "a launch command")
            words = [*words, "--", *config]
        else:
            raise TypeError(f"a config is a path, a text of TOML or a list of words, not {type(config).__name__}")
    return words, text


def _path(path: Union[str, "os.PathLike[str]"]) -> str:
    """A path that is not taken for an option."""
    path = os.fspath(path)
    if not isinstance(path, str):
        raise TypeError(f"a path is a text, not {type(path).__name__}")
    _passable(path, "a path")
    return os.path.join(os.curdir, path) if path.startswith("-") else path


def _passable(word: str, what: str) -> None:
    """Refuses a word that can't be passed to a program."""
    if "\0" in word:
        raise CfgError(f"{what} has no NUL character")
    try:
        os.fsencode(word)
    except UnicodeEncodeError as error:
        raise CfgError(f"{what} can't be passed to a program: {error.reason}") from None


@contextlib.contextmanager
def _written(words: List[str], text: Optional[str]) -> Iterator[List[str]]:
    """The words with a file in place of `-`, for commands that read files alone."""
    if text is None:
        yield words
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.toml")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        yield [path if word == "-" else word for word in words]


def _raw(words: List[str], timeout: float) -> str:
    """The text that the program prints."""
    try:
        ended = subprocess.run(
            [program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CfgError(str(error)) from error
    if ended.returncode != 0:
        raise CfgError(ended.stderr.decode(errors="replace").strip() or f"cfg ended with {ended.returncode}")
    return ended.stdout.decode(errors="replace")


def _run(words: List[str], text: Optional[str], timeout: float, may_find: bool = False) -> Dict[str, Any]:
    """The JSON that the program prints."""
    command, *rest = words
    try:
        ended = subprocess.run(
            [program(), command, "--format", "json", *rest],
            input=(text or "").encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=timeout,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CfgError(str(error)) from error
    try:
        document = json.loads(ended.stdout)
    except ValueError:
        raise CfgError(ended.stderr.decode(errors="replace").strip() or f"cfg ended with {ended.returncode}") from None
    report = _report(document, text) if "files" in document and document["files"] else None
    unreadable = [found.message for found in report.findings if found.name == "unreadable-file"] if report else []
    if unreadable:
        raise CfgError("\n".join(unreadable))
    if ended.returncode == 0 or may_find and "summary" in document:
        return document
    if report:
        raise InvalidConfig(report)
    raise CfgError("\n".join(document.get("errors") or []) or ended.stderr.decode(errors="replace").strip())


def _digest(encoded: bytes) -> str:
    return hashlib.sha256(encoded).hexdigest()


def _report(document: Dict[str, Any], text: Optional[str]) -> Report:
    digests: Dict[str, Optional[str]] = {}
    of_text = None if text is None else _digest(text.encode())

    def digest(path: str) -> Optional[str]:
        """The digest of the text that was checked, or of the file as it is after the check."""
        if of_text is not None:
            return of_text
        if path not in digests:
            try:
                digests[path] = _digest(Path(path).read_bytes()) if os.path.isfile(path) else None
            except OSError:
                digests[path] = None
        return digests[path]

    return Report(files=tuple(_file(file, digest) for file in document["files"]))


def _file(file: Dict[str, Any], digest: _Digest) -> File:
    # What an earlier finding tells already is told once.
    findings = tuple(_finding(found, file["path"], digest) for found in file["diagnostics"] if not found.get("echo"))
    return File(path=file["path"], kind=file["kind"], target=file["target"], verdict=file["verdict"], findings=findings)


def _finding(found: Dict[str, Any], path: str, digest: _Digest) -> Finding:
    start = (found["range"] or {}).get("start", {})
    fixes = found["fixes"]
    return Finding(
        code=found["code"],
        name=found["name"],
        severity=found["severity"],
        message=found["message"],
        path=found.get("path") or path,
        line=start.get("line"),
        column=start.get("column"),
        key=found["key"],
        help=found["help"],
        native=(found["native"] or {}).get("type"),
        fix=_fix(fixes[0], digest) if fixes else None,
        json=found,
    )


def _fix(fix: Dict[str, Any], digest: _Digest) -> Fix:
    def edit(one: Dict[str, Any]) -> Edit:
        start, end = (one["range"][side]["offset"] for side in ("start", "end"))
        return Edit(path=one["path"], start=start, end=end, new_text=one["new_text"])

    edits = tuple(edit(one) for one in fix["edits"])
    return Fix(
        title=fix["title"],
        is_safe=fix["applicability"] == "safe",
        edits=edits,
        does=fix.get("does", "write"),
        lost=tuple(fix.get("lost", ())),
        digest=digest(edits[0].path) if edits else None,
    )
