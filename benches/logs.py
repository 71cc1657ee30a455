#!/usr/bin/env python3
"""`cfg run diagnose` on logs of 1 GB, beside cat and grep. Writes the end of docs/benchmarks.md.

    cargo xtask dist && python3 benches/logs.py

Python's standard library is enough. The logs are made under target/, one after the other, and taken away again. Each holds lines of one shape, as
a run that goes well writes them, so that no tool may stop early; the last one is full of errors.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import time

import peers

HEAD = "\n## Logs\n"
GB = 1_000_000_000
TOOLS = {
    "cfg": lambda log: [str(peers.CFG), "run", "diagnose", log],
    "cat": lambda log: ["cat", log],
    "grep": lambda log: ["grep", "-c", "-i", "-F", "-e", "out of memory", "-e", "is too large", "-e", "loss: nan", log],
}


def clock(line):
    return f"12:{line // 60 % 60:02d}:{line % 60:02d}"


def server(line):
    return (
        f"\x1b[1;36m(APIServer pid=4242)\x1b[0;0m INFO 01-06 {clock(line)} [loggers.py:248] Engine 000: Avg prompt throughput: {line % 977}.1 tokens/s, "
        f"Avg generation throughput: 812.1 tokens/s, Running: 31 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.1%\n"
    )


def trainer(line):
    return (
        f"{clock(line)} SUCCESS Step {line} | Time: 200.10s | Loss: 0.{line % 977:04d} | Entropy: 0.1102 | Mismatch KL: 0.0021 "
        f"| Grad. Norm: 0.3100 | LR: 1.00e-05 | Throughput: 5021 tokens/s | MFU: 21.1%\n"
    )


def orchestrator(line):
    # The reward begins anew with each block of the log, and so stands still on the whole, which is told.
    return f"{clock(line)} SUCCESS Step {line} | Time: 220.10s | Reward: {line / 100:.4f} | Throughput: 50.1 tokens/s | Seq. Length: 900.1 tokens/sample\n"


def mixed(line):
    kind = [server, trainer, lambda line: f'INFO:     127.0.0.1:{line % 60000} - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'][line % 3]
    return kind(line)


def errors(line):
    return f"{clock(line)} ERROR Rollout {line} failed: APIConnectionError('Connection error.')\n"


SHAPES = [
    ("vLLM's server, coloured", server, 0),
    ("each line a step of the trainer", trainer, 0),
    ("each line a step of the orchestrator", orchestrator, 1),
    ("both kinds, and requests", mixed, 0),
    ("each line an error that `cfg` knows", errors, 1),
]


def write(path, line_of, size):
    """A log of some 20 MB of lines, again and again."""
    lines, length = [], 0
    while length < min(size, GB // 50):
        lines.append(line_of(len(lines) + 1).encode())
        length += len(lines[-1])
    block = b"".join(lines)
    with open(path, "wb") as log:
        while log.tell() < size:
            log.write(block)


TEXT = """
`cfg run diagnose` on a log of {size:.1f} GB, with lines of various kinds: the minimum of {rounds} runs each, with the log in the file cache as far as it fits. CPU is user
and system time of all threads. `grep` searches for three texts; `cfg` for {texts}, and reads the numbers of each step. In brackets: the ratio to `cfg`.

{table}

"Kept" compares `cfg` with the bound of the design: 3 s and 30 MiB for 1 GB. The median run took at most {spread} more wall time; {load:.1f} other processes were runnable on {cores} cores.

Made by `cargo xtask dist && python3 benches/logs.py`, {date}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small logs, nothing written: to see whether all is in place")
    options = parser.parse_args()
    size, rounds = (GB // 100, 1) if options.quick else (GB, 5)
    peers.install_own()
    folder = peers.folder_of_settings()
    peers.adopt_orphans()
    load = os.getloadavg()[0]
    log = folder / "run.log"
    heads = ["", "cfg", "bound", "kept", "CPU", "memory", *(f"{tool} (times cfg)" for tool in list(TOOLS)[1:])]
    rows, worst = [], 1.0
    if shutil.disk_usage(folder).free < 2 * size:
        raise SystemExit(f"{folder} has no room for a log of {size / GB:.1f} GB")
    for title, line_of, end in SHAPES:
        write(log, line_of, size)
        runs = {tool: [] for tool in TOOLS}
        for number in range(rounds + 1):
            for tool, command in TOOLS.items():
                # grep ends with 1 where it finds nothing.
                run = peers.measure(command(str(log)), folder, (end,) if tool == "cfg" else (0, 1))
                if number > 0:
                    runs[tool].append(run)
        log.unlink()
        own, memory = peers.least(runs["cfg"], "wall"), max(run.rss for run in runs["cfg"])
        worst = max(worst, statistics.median(run.wall for run in runs["cfg"]) / own)
        kept = "yes" if own <= 3 * size / GB and memory <= 30 * peers.MIB else "**no**"
        others = [peers.least(runs[tool], "wall") for tool in list(TOOLS)[1:]]
        cells = [f"{value:.2f} s ({peers.ratio(value, own)})" for value in others]
        cpu = peers.least(runs["cfg"], "cpu")
        rows.append([title, f"{own:.2f} s", "3 s", kept, f"{cpu:.2f} s", f"{memory / peers.MIB:.1f} MiB", *cells])
    text = HEAD + TEXT.format(
        size=size / GB, rounds=rounds, load=load, cores=len(os.sched_getaffinity(0)), spread=f"{(worst - 1) * 100:.0f} %",
        texts=texts(), table="\n".join("| " + " | ".join(line) + " |" for line in [heads, ["---"] * len(heads), *rows]),
        date=time.strftime("%Y-%m-%d"),
    )
    print(text)
    if not options.quick:
        before, _, own = peers.REPORT.read_text().partition(HEAD)
        # What is counted elsewhere stays.
        _, head, instructions = own.partition("\n## Instructions\n")
        peers.REPORT.write_text(before + text + head + instructions)


def texts():
    """How many texts `cfg run diagnose` knows."""
    words = [str(peers.CFG), "run", "diagnose", "--list", "--format", "json"]
    listed = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return f"{sum(len(symptom['lines']) for symptom in listed['symptoms'])}"


if __name__ == "__main__":
    main()
