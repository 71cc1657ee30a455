#!/usr/bin/env python3
"""What all rules together cost beside resolving, for each sample config. Writes its part of docs/benchmarks.md.

    python3 benches/rules.py

The functions are those of `cargo bench -p cfg-benches`; the least of each one's runs counts. benches/peers.py, which writes the whole
page, takes this part along.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "benchmarks.md"
HEADING = "## Rules compared with resolving"
UNITS = {"ns": 1e-3, "µs": 1.0, "us": 1.0, "ms": 1e3}
FUNCTIONS = ["resolve", "plan", "rules"]


def measure():
    """Microseconds of each function, by the sample: the column `fastest` of divan's table."""
    command = ["cargo", "bench", "-q", "-p", "cfg-benches", "--", "--sample-count", "300"]
    command += [f"check::{name}" for name in FUNCTIONS]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    function, found = None, {}
    for line in out.splitlines():
        head = re.match(r"^[│ ]*[├╰]─ (.+?)  +(?:([\d.]+) (ns|µs|us|ms) |│)", line)
        if not head:
            continue
        name = head[1].strip()
        if head[2] is None:
            function = name
        elif function in FUNCTIONS:
            found.setdefault(name, {})[function] = float(head[2]) * UNITS[head[3]]
    return {sample: times for sample, times in found.items() if len(times) == len(FUNCTIONS)}


def section(found):
    rows = ["| config | resolving | plan | all rules | rules / resolving |", "| --- | --- | --- | --- | --- |"]
    for sample, times in found.items():
        cells = [f"{times[name]:.1f} µs" for name in FUNCTIONS]
        rows.append(f"| {sample} | {' | '.join(cells)} | {times['rules'] / times['resolve']:.2f} |")
    worst = max(times["rules"] / times["resolve"] for times in found.values())
    kept = "kept" if worst < 0.5 else "**not kept**"
    return f"""{HEADING}

All rules together should cost less than half of resolving: {kept}, {worst:.2f} at most. Rules, the memory model
and the editor read the plan.

{chr(10).join(rows)}

Made by `python3 benches/rules.py`, without the work that `cfg` does once per process.
"""


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    found = measure()
    if not found:
        sys.exit("divan printed nothing that could be read")
    text = section(found)
    print(text)
    before = REPORT.read_text().split(f"\n{HEADING}")[0].rstrip("\n")
    REPORT.write_text(f"{before}\n\n{text}")


if __name__ == "__main__":
    main()
