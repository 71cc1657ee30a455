#!/usr/bin/env python3
"""What taplo and tombi say of configs by the JSON Schemas that cfg makes, where prime-rl's own verdict is known.

    cargo build -p cfg && python3 benches/schemas.py VECTORS [FOLDER KIND TARGET]...

VECTORS is a folder of files like those in tests/vectors, each of one version and kind; each FOLDER holds further configs of one kind that
are known to be valid at a target. taplo and tombi are taken from target/peers, where benches/peers.py puts them. No run uses the network.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = TARGET / "schema-files"
# What a JSON Schema can say; the other types of errors come from prime-rl's own checks.
BEYOND = re.compile(r"value_error|assertion_error|[A-Z].*")
# What neither tool takes for TOML: integers of more than 64 bits, which TOML allows readers to refuse and prime-rl's does not.
LONG_INTEGER = re.compile(r"\d{19,}")
MAX_NAMED = 20


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=pathlib.Path)
    parser.add_argument("further", nargs="*", metavar="FOLDER KIND TARGET")
    parser.add_argument("--peers", type=pathlib.Path, default=TARGET / "peers", help="where taplo and tombi are installed")
    parser.add_argument("--cfg", type=pathlib.Path, default=TARGET / "debug" / "cfg")
    given = parser.parse_args()
    if len(given.further) % 3:
        parser.error("each further folder has a kind and a target behind it")
    return given


def groups(given):
    """(name, kind, target, [(id, text, is_valid)]): what is checked by one schema."""
    for file in sorted(given.vectors.glob("*.jsonl")):
        configs = []
        for line in file.read_text().splitlines():
            vector = json.loads(line)
            if "toml" not in vector or LONG_INTEGER.search(vector["toml"]):
                continue
            version, kind = vector["version"], vector["kind"]
            errors = vector.get("errors", [])
            if vector["ok"]:
                configs.append((vector["id"], vector["toml"], True))
            elif errors and not any(BEYOND.fullmatch(error["type"]) for error in errors):
                configs.append((vector["id"], vector["toml"], False))
        yield file.name.removesuffix(".jsonl"), kind, version, configs
    for index in range(0, len(given.further), 3):
        folder, kind, target = given.further[index : index + 3]
        files = sorted(pathlib.Path(folder).rglob("*.toml"))
        yield f"further-{index // 3}", kind, target, [(file.name, file.read_text(), True) for file in files]


def prepare(given, name, kind, target, configs):
    folder = WORK / name
    folder.mkdir(parents=True)
    schema = subprocess.run([given.cfg, "schema", "export", "--kind", kind, "--target", target], capture_output=True, text=True, check=True)
    (folder / "schema.json").write_text(schema.stdout)
    (folder / "tombi.toml").write_text('[[schemas]]\npath = "schema.json"\ninclude = ["configs/*.toml"]\n')
    (folder / "configs").mkdir()
    for index, (_, text, _) in enumerate(configs):
        (folder / "configs" / f"{index}.toml").write_text(text)
    return folder


def run(command, folder):
    environment = {"PATH": os.environ["PATH"], "HOME": str(WORK / "home"), "TOMBI_OFFLINE": "1", "NO_COLOR": "1"}
    return subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True)


def taplo(given, folder, count):
    """The numbers of the files that it refuses, each with what it says."""
    said = {}
    for index in range(count):
        schema = (folder / "schema.json").as_uri()
        words = ["lint", "--no-auto-config", "--colors", "never", "--schema", schema, f"configs/{index}.toml"]
        ended = run([given.peers / "bin" / "taplo", *words], folder)
        if ended.returncode:
            said[index] = ended.stderr
    return said


def tombi(given, folder, count):
    output = folder / "tombi.json"
    words = ["lint", "--offline", "--diagnostics-format", "json-lines", "--diagnostics-file", output, "configs"]
    ended = run([given.peers / "bin" / "tombi", *words], folder)
    if not output.exists():
        sys.exit(f"tombi: {ended.stderr}")
    said = {}
    for line in output.read_text().splitlines():
        entry = json.loads(line)
        place = json.dumps(entry)
        number = re.search(r"configs/(\d+)\.toml", place)
        if number and '"error"' in place.lower():
            said[int(number[1])] = said.get(int(number[1]), "") + place + "\n"
    return said


def main():
    given = arguments()
    given.peers, given.cfg = given.peers.resolve(), given.cfg.resolve()
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "home").mkdir(parents=True)
    counts = collections.Counter()
    alarms = []
    missed = []
    for name, kind, target, configs in groups(given):
        folder = prepare(given, name, kind, target, configs)
        for tool, ask in [("taplo", taplo), ("tombi", tombi)]:
            said = ask(given, folder, len(configs))
            for index, (vector, _, is_valid) in enumerate(configs):
                counts[tool, is_valid] += 1
                counts[tool, is_valid, "refused"] += index in said
                if is_valid and index in said:
                    alarms.append((tool, vector, folder / "configs" / f"{index}.toml", said[index]))
                if not is_valid and index not in said:
                    missed.append((tool, vector, folder / "configs" / f"{index}.toml"))
    for tool, vector, path, words in alarms[:MAX_NAMED]:
        print(f"{tool}: false alarm: {vector} {path}\n{words[:600]}")
    for tool, vector, path in missed[:MAX_NAMED]:
        print(f"{tool}: not refused: {vector} {path}")
    for tool in ["taplo", "tombi"]:
        print(f"{tool}: {counts[tool, True]} valid configs, {counts[tool, True, 'refused']} false alarms; ", end="")
        print(f"{counts[tool, False]} with schema faults, {counts[tool, False, 'refused']} refused")
    sys.exit(1 if alarms else 0)


if __name__ == "__main__":
    main()
