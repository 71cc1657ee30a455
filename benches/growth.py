#!/usr/bin/env python3
"""How the work of `cfg check` grows: instructions for 1, 10 and 100 files, environments, and findings in a file.

    cargo build --release && python3 benches/growth.py            # compares with benches/growth.tsv
    cargo build --release && python3 benches/growth.py --write    # writes it

callgrind counts instructions, which do not depend on what else the machine does. It fails if each of the last ninety takes more than 1.2 times the
instructions of each of the nine before them, or if a count is 5 % above the kept one. Without valgrind nothing is measured. Python's standard
library is enough.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
KEPT = ROOT / "benches" / "growth.tsv"
SIZES = [1, 10, 100]
# How much more a count may be than the kept one, and one of many than one of few.
MAX_RISE, MAX_FACTOR = 1.05, 1.2

HEAD = 'max_steps = 200\nseq_len = 4096\n\n[model]\nname = "Qwen/Qwen3-4B"\n\n[ckpt]\ninterval = 50\nkeep_last = 2\n\n'
ENVIRONMENT = '[[orchestrator.env]]\nid = "someone/env-{}"\nname = "env-{}"\n\n'


def config(number=0, environments=1, warnings=0):
    """A config of prime-rl 0.4.0 with some environments, and with some keys that it does not know."""
    own = f'[wandb]\nproject = "growth"\nname = "run-{number}"\n\n[trainer.optim]\nlr = 1e-6\n\n'
    server = "[orchestrator]\nbatch_size = 128\nrollouts_per_example = 8\n\n"
    misspelt = "".join(f"[trainer.model.lorra_{at}]\nrank = 8\n\n" for at in range(warnings))
    return HEAD + own + server + "".join(ENVIRONMENT.format(at, at) for at in range(environments)) + misspelt + "[inference]\n"


def files(folder, count):
    for number in range(count):
        place = folder / f"group-{number // 20:02}" / f"run-{number:03}" / "rl.toml"
        place.parent.mkdir(parents=True)
        place.write_text(config(number))


def environments(folder, count):
    (folder / "rl.toml").write_text(config(environments=count))


def findings(folder, count):
    (folder / "rl.toml").write_text(config(warnings=count))


def fixable(folder, count):
    """Files with one finding each that has a fix."""
    for number in range(count):
        place = folder / f"run-{number:03}" / "rl.toml"
        place.parent.mkdir()
        place.write_text(config(number).replace("rollouts_per_example", "rollouts_per_exmaple"))


def of_no_version(folder, count):
    """Files of an older prime-rl, which nothing states: it is inferred from their keys."""
    (folder / "cfg.toml").unlink()
    files(folder, count)


def behind(folder, count):
    """One file with a fix, after which this many faults show that the text had before."""
    (folder / "cfg.toml").write_text('target = "0.8.0"\n')
    faulty = "".join(ENVIRONMENT.format(at, at).replace("name =", "nmae =") for at in range(count))
    (folder / "rl.toml").write_text(HEAD + "[orchestrator]\n" + faulty + "[trainer]\n[inference]\n")


SETS = [
    ("files", files),
    ("environments", environments),
    ("findings", findings),
    ("files with a fix", fixable),
    ("files of no stated version", of_no_version),
    ("faults behind a fix", behind),
]


def instructions(program, folder):
    """The instructions of one check of a folder, on one thread: several would share the work differently in each run."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "RAYON_NUM_THREADS": "1"}
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out", program, "check", "--exit-zero", "."]
    run = subprocess.run(command, cwd=folder / "configs", env=environment, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return int(found[1])


def measure(program, make, count):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "configs").mkdir()
        (folder / "configs" / "cfg.toml").write_text('target = "0.4.0"\n')
        make(folder / "configs", count)
        return instructions(program, folder)


def kept():
    if not KEPT.exists():
        return {}
    lines = [line.split("\t") for line in KEPT.read_text().splitlines()[1:]]
    return {(name, int(size)): int(count) for name, size, count in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep the counts, after a change that was meant")
    parser.add_argument("--program", default=str(TARGET / "release" / "cfg"), help="the program that is measured")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return
    known, lines, wrong = kept(), ["what\tsize\tinstructions"], []
    for name, make in SETS:
        counts = [measure(options.program, make, size) for size in SIZES]
        if not options.write and any((name, size) not in known for size in SIZES):
            wrong.append(f"no counts are kept of {name}: write them with --write")
        for size, count in zip(SIZES, counts):
            before = known.get((name, size))
            change = f", {(count / before - 1) * 100:+.1f} % of what is kept" if before else ""
            print(f"{size:4} {name}: {count / 1e6:.1f} M{change}")
            if before and count > before * MAX_RISE:
                wrong.append(f"{size} {name} take {count / 1e6:.1f} M instructions, and took {before / 1e6:.1f} M")
            lines.append(f"{name}\t{size}\t{count}")
        few, many = ((counts[at] - counts[at - 1]) / (SIZES[at] - SIZES[at - 1]) for at in (1, 2))
        print(f"     {name}: {few / 1e3:.0f} K each up to {SIZES[1]}, then {many / few:.2f} times that")
        if many > few * MAX_FACTOR:
            wrong.append(f"each of {SIZES[2]} {name} takes {many / few:.2f} times what each of {SIZES[1]} takes, and may take {MAX_FACTOR} times")
    if options.write:
        KEPT.write_text("\n".join(lines) + "\n")
    elif wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
