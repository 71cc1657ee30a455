#!/usr/bin/env python3
"""`cfg run watch` beside a run that writes 100 lines a second: its memory, its time, and that it stays quiet. Prints what it measured.

    cargo build --release -p cfg && python3 benches/watch.py target/release/cfg --minutes 60

Python's standard library is enough. The run is one that goes well, with a step every two seconds; half way through, its logs are rotated and one is
truncated, as logrotate does it. Exits with 1 if anything was found, or if the memory grew beyond 30 MiB.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

CONFIG = """# /// config
# prime_rl = "0.4.0"
# ///
max_steps = 1000000
[ckpt]
interval = 50000
keep_last = 1
[trainer]
[trainer.optim]
lr = 1e-4
[orchestrator]
batch_size = 64
rollouts_per_example = 8
[[orchestrator.env]]
id = "reverse-text"
[inference]
"""


def server(number):
    return (
        f"(APIServer pid=4242) INFO 01-06 {time.strftime('%H:%M:%S')} [loggers.py:248] Engine 000: Avg prompt throughput: {number % 977}.1 tokens/s, "
        f"Avg generation throughput: 812.1 tokens/s, Running: 31 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.1%\n"
    )


def trainer(step):
    return (
        f"{time.strftime('%H:%M:%S')} SUCCESS Step {step} | Time: 2.00s | Loss: 0.0100 | Entropy: 0.0912 | Mismatch KL: 0.0021 "
        f"| Grad. Norm: 0.3100 | LR: 1.00e-05 | Throughput: 5021 tokens/s | MFU: 21.1%\n"
    )


def orchestrator(step):
    # It rises for as long as anyone watches.
    return f"{time.strftime('%H:%M:%S')} SUCCESS Step {step} | Time: 2.00s | Reward: {step / 10000:.4f} | Throughput: 50.1 tokens/s | Seq. Length: 900.1 tokens/sample\n"


def status(pid):
    """Resident memory now and at its peak, in KiB."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return [int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cfg", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--lines", type=int, default=100, help="lines a second")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cfg-watch-"))
    (folder / "rl.toml").write_text(CONFIG)
    paths = {name: folder / "outputs" / place for name, place in [
        ("trainer", "logs/trainer.log"), ("orchestrator", "run_default/logs/orchestrator.log"), ("inference", "logs/inference.log"),
    ]}
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    logs = {name: open(path, "a", buffering=1) for name, path in paths.items()}
    metrics = open(folder / "outputs/metrics.jsonl", "a", buffering=1)
    words = [str(options.cfg.resolve()), "run", "watch", "outputs", "rl.toml", "--interval", "5", "--format", "json-lines"]
    states, process, out = {}, None, open(folder / "states.jsonl", "w")
    begun, end, written, step, rotated = time.monotonic(), options.minutes * 60, 0, 0, False
    samples = []
    while (now := time.monotonic() - begun) < end:
        while written < now * options.lines:
            logs["inference"].write(server(written))
            written += 1
        while step < now / 2:
            logs["trainer"].write(trainer(step))
            logs["orchestrator"].write(orchestrator(step))
            row = {"step": step, "time": time.time(), "entropy/all/mean": 0.0912, "optim/grad_norm": 0.31, "reward/all/mean": step / 10000}
            metrics.write(json.dumps(row) + "\n")
            step += 1
        if process is None and step >= 3:
            process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
        if not rotated and now > end / 2:
            rotated = True
            paths["inference"].rename(paths["inference"].with_suffix(".log.1"))
            logs["inference"] = open(paths["inference"], "a", buffering=1)
            os.truncate(paths["orchestrator"], 0)
        if process and (not samples or now - samples[-1][0] > 30):
            samples.append((now, *status(process.pid)))
        time.sleep(0.05)
    process.terminate()
    usage_before = os.times()
    process.wait()
    usage = os.times()
    cpu = usage.children_user + usage.children_system - usage_before.children_user - usage_before.children_system
    findings = set()
    for line in (folder / "states.jsonl").read_text().splitlines():
        report = json.loads(line)
        states[report["state"]] = states.get(report["state"], 0) + 1
        findings |= {finding["symptom"] for finding in report["findings"]}
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    quarter = samples[len(samples) // 4][1]
    print(f"{options.minutes:.0f} min at {options.lines} lines a second: {written} lines, {step} steps, {size / 1e6:.0f} MB written, logs rotated once")
    print(f"memory: {quarter / 1024:.1f} MiB after a quarter, {samples[-1][1] / 1024:.1f} MiB at the end, {samples[-1][2] / 1024:.1f} MiB at its peak")
    print(f"CPU: {cpu:.2f} s, {cpu / (options.minutes * 60) * 100:.2f} % of one core")
    print(f"states: {states}; findings: {sorted(findings)}")
    sys.exit(int(bool(findings) or samples[-1][2] > 30 * 1024))


if __name__ == "__main__":
    main()
