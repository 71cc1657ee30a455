#!/usr/bin/env python3
"""select.py VECTORS OUT [PREFIX]: the sample of recorded verdicts that lies beside this file.

VECTORS is a folder of `<version>.<kind>.jsonl` (id, version, kind, toml, ok, errors, ...). Of each of its files twelve vectors are taken:
four that prime-rl accepts, then turn by turn one of each group of those that it refuses, where a group is the set of error types reported;
within a group the order is that of the SHA-256 of the id, between groups that of their name's, so the same input gives the same sample.
With a PREFIX, such as `hunted.`, the sample's files bear it, and a group is the set of prime-rl's checks that refuse: so are those taken whose
configs were made at the conditions of the checks.
What is kept of a vector is its config, its verdict and its errors. A config of more than 2,500 bytes is left to the full run.
"""
import collections, glob, hashlib, json, os, sys

EACH = 12
ACCEPTED = 4
LONGEST = 2500


def order(text):
    return hashlib.sha256(text.encode()).hexdigest()


def sample(vectors, by):
    groups = collections.defaultdict(list)
    for vector in vectors:
        groups[",".join(sorted({error.get(by) or error["type"] for error in vector.get("errors", [])}))].append(vector)
    groups.setdefault("", [])
    accepted, *queues = [sorted(groups[name], key=lambda vector: order(vector["id"])) for name in sorted(groups, key=lambda name: (name != "", order(name)))]
    taken = accepted[:ACCEPTED]
    while len(taken) < EACH and any(queues):
        taken += [queue.pop(0) for queue in queues if queue]
    return taken[:EACH]


def main(source, target, prefix=""):
    for path in sorted(glob.glob(os.path.join(source, "*.jsonl"))):
        with open(path, encoding="utf-8") as lines:
            vectors = [json.loads(line) for line in lines]
        kept = [{key: vector[key] for key in ("id", "version", "kind", "toml", "ok", "errors") if key in vector} for vector in vectors]
        kept = [vector for vector in kept if len(vector["toml"].encode()) <= LONGEST]
        with open(os.path.join(target, prefix + os.path.basename(path)), "w", encoding="utf-8") as out:
            out.writelines(json.dumps(vector, ensure_ascii=False) + "\n" for vector in sample(kept, "check" if prefix else "type"))


main(*sys.argv[1:])
