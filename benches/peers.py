#!/usr/bin/env python3
"""Whole processes: cfg beside taplo, tombi and cat, on one config, 1,000 and 10,000. Writes docs/benchmarks.md.

    cargo xtask dist && python3 benches/peers.py --prime-rl CHECKOUT

Python's standard library is enough. taplo and tombi come as wheels from PyPI into target/peers at the first run; later runs need no
network, and no run lets a peer use it. The configs are those under configs/ with other numbers and names in them, in nested folders
under target/, and as a second set those of prime-rl itself, which have findings, from the git history of a checkout. The tools take turns, so
that what else the machine does hits all of them alike, and the least of each is reported.
"""

import argparse
import ctypes
import datetime
import hashlib
import math
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

import rules

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PEERS = TARGET / "peers"
# Where all tools are installed.
CFG = PEERS / "bin" / "cfg"
WORK = TARGET / "bench-files"
REPORT = ROOT / "docs" / "benchmarks.md"
REQUIREMENTS = ["taplo==0.9.3", "tombi==1.9.6"]
SINGLE = "configs/prime-rl/qwen3-8b-2xh100.toml"
# The version whose rl configs are the second set, and the fault that every third of them gets: a finding with a fix.
OF_PRIME_RL = "v0.4.0"
FAULT = ("rollouts_per_example", "rollouts_per_exmaple")
TOOLS = ["cfg", "taplo", "tombi", "cat"]
MIB = 1024 * 1024


class Run:
    """What one process cost, all of its threads together."""

    def __init__(self, usage, wall):
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss = usage.ru_maxrss * 1024
        self.wall = wall


# --- tools -------------------------------------------------------------------------------------------------------------


def install():
    """The peers, in the versions that are asked for, and cfg beside them."""
    install_own()
    pip = PEERS / "bin" / "pip"
    if not pip.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    names = [requirement.split("==") for requirement in REQUIREMENTS]
    if any(version not in version_of(PEERS / "bin" / name) for name, version in names):
        subprocess.run([str(pip), "install", "--quiet", *REQUIREMENTS], check=True)


def install_own():
    """cfg as an installer leaves it, as the peers' wheels are.

    The system maps the pages of a program in larger pieces where it was copied than where it lies as the linker wrote it, which is a fifth
    of the time for one config.
    """
    CFG.parent.mkdir(parents=True, exist_ok=True)
    CFG.unlink(missing_ok=True)
    shipped = sorted((TARGET / "shipped").glob("*/cfg"), key=lambda program: program.stat().st_mtime)
    if not shipped:
        sys.exit("there is no program that could be shipped: build it with `cargo xtask dist`")
    shutil.copy(shipped[-1], CFG)


def version_of(program):
    try:
        output = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return output.split()[1]


def folder_of_settings():
    """A folder to run in where the peers find no settings but these: no schemas, so no catalog of them that they would look up."""
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "tombi.toml").write_text("[schema]\nenabled = false\n")
    return WORK


def command(tool, paths, is_folder):
    """The command line, and the folder to run it in."""
    names = [str(path) for path in paths]
    if tool == "cfg":
        return [str(CFG), "check", "--color", "never", *names]
    if tool == "taplo":
        # Folders are patterns to taplo; it walks them by itself.
        globs = [f"{name}/**/*.toml" for name in names] if is_folder else names
        return [str(PEERS / "bin" / "taplo"), "lint", "--no-schema", "--no-auto-config", "--colors", "never", *globs]
    if tool == "tombi":
        return [str(PEERS / "bin" / "tombi"), "lint", "--offline", *names]
    files = [str(file) for path in paths for file in (sorted(path.rglob("*.toml")) if is_folder else [path])]
    # As xargs does: as many files as one command line holds, process after process.
    return ["xargs", "-a", str(listing(files)), "cat"] if is_folder else ["cat", *files]


def listing(files):
    path = WORK / f"{len(files)}.list"
    path.write_text("\n".join(files) + "\n")
    return path


# --- measuring ---------------------------------------------------------------------------------------------------------


def environment():
    keep = {"PATH": os.environ.get("PATH", ""), "HOME": str(WORK / "home"), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    (WORK / "home").mkdir(parents=True, exist_ok=True)
    return keep | {"TOMBI_OFFLINE": "1"}


def adopt_orphans():
    """Lets this process wait for the children of its children, once those have ended."""
    set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0) != 0:
        sys.exit("this needs Linux")


def measure(arguments, folder, ends=(0,)):
    """Runs a process to its end. Its output goes nowhere: a terminal would be measured with it.

    Linux counts the memory of the process that forked into the largest resident set of the new one, and Python's is larger than that
    of the tools. So a small shell forks, and is gone before the tool begins.
    """
    script = 'exec 3>&1 4<&0; (read -r go <&4; exec "$@" </dev/null >/dev/null 2>&1 3>&- 4<&-) & echo $! >&3'
    shell = subprocess.Popen(
        ["/bin/sh", "-c", script, "sh", *arguments], cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child = int(shell.stdout.readline())
    shell.wait()
    start = time.perf_counter()
    shell.stdin.close()
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    shell.stdout.close()
    if os.waitstatus_to_exitcode(status) not in ends:
        sys.exit(f"this should have ended with {ends}, but it ended with {os.waitstatus_to_exitcode(status)}: {' '.join(arguments)[:300]}")
    return Run(usage, wall)


def compare(paths, is_folder, rounds, folder, ends=(0,)):
    """The runs of each tool. They take turns; the first round warms the file cache and does not count. `ends` are the exit statuses of cfg."""
    runs = {tool: [] for tool in TOOLS}
    for number in range(rounds + 1):
        for tool in TOOLS:
            run = measure(command(tool, paths, is_folder), folder, ends if tool == "cfg" else (0,))
            if number > 0:
                runs[tool].append(run)
    return runs


def least(runs, what):
    return min(getattr(run, what) for run in runs)


def middle(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


# --- files -------------------------------------------------------------------------------------------------------------


def repository(folder):
    """The folder as a git repository of its own: cfg searches the repository around a config for the commands that launch it."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def alone():
    """The one config, in a repository of its own."""
    copy = repository(WORK / "one") / pathlib.Path(SINGLE).name
    shutil.copy(ROOT / SINGLE, copy)
    return copy


def seeds():
    return sorted(path for path in (ROOT / "configs").rglob("*.toml"))


def generate(count):
    """`count` valid configs: the repository's own with other names and learning rates, each in a folder of its own, three folders deep."""
    folder = WORK / str(count)
    texts = [(path, path.read_text()) for path in seeds()]
    stamp, wanted = folder / ".complete", hashlib.sha256("".join(vary(text, 1) for _, text in texts).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return repository(folder)
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(count):
        path, text = texts[number % len(texts)]
        place = folder / f"group-{number // 400:03}" / f"run-{number // 20:04}" / f"{number:05}" / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(vary(text, number))
    stamp.write_text(wanted)
    return repository(folder)


def vary(text, number):
    """The same config for another run: its name, its learning rate and its seed."""
    text = re.sub(r'^(project = .*\nname = "[^"]+)"', rf'\1-{number}"', text, flags=re.MULTILINE)
    text = re.sub(r"^lr = [^ \n]+", f"lr = {1 + number % 9}.{number % 10}e-6", text, flags=re.MULTILINE)
    return re.sub(r"^seed = \d+", f"seed = {number}", text, flags=re.MULTILINE)


def texts_of_prime_rl(checkout):
    """The rl configs of prime-rl at one version, by their paths."""
    def git(*arguments):
        return subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, text=True, check=True).stdout

    names = [name for name in git("ls-tree", "-r", "--name-only", OF_PRIME_RL).splitlines() if name.endswith("/rl.toml")]
    return [(pathlib.Path(name), git("show", f"{OF_PRIME_RL}:{name}")) for name in sorted(names)]


def generate_of_prime_rl(checkout, count):
    """`count` configs of prime-rl itself with other names and learning rates. Most have infos, and every third a finding that has a fix."""
    folder = WORK / f"prime-rl-{count}"
    shutil.rmtree(folder, ignore_errors=True)
    texts = texts_of_prime_rl(checkout)
    for number in range(count):
        path, text = texts[number % len(texts)]
        text = vary(text, number)
        place = folder / f"group-{number // 400:03}" / f"run-{number // 20:04}" / f"{number:05}" / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace(*FAULT) if number % 3 == 0 else text)
    (folder / "cfg.toml").write_text(f'target = "{OF_PRIME_RL[1:]}"\n')
    return repository(folder)


def folders_of_this_repository():
    """How many folders have files that git knows."""
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    return len({parent for name in names for parent in pathlib.PurePath(name).parents})


def instructions(arguments, folder):
    """The instructions of a process in millions, as callgrind counts them; `None` without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *arguments]
    run = subprocess.run(counted, cwd=folder, env=environment(), capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    return int(found[1]) / 1e6 if found else None


# --- report ------------------------------------------------------------------------------------------------------------


def machine():
    model = platform.processor() or platform.machine()
    memory = ""
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
        memory = next(line for line in pathlib.Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal"))
        memory = f", {math.ceil(int(memory.split()[1]) / 1024 / 1024)} GiB of memory"
    except OSError:
        pass
    return f"{len(os.sched_getaffinity(0))} cores of {model}{memory}, {platform.system()} {platform.release().split('-')[0]}"


def number(value, unit):
    if unit == "ms":
        return f"{value * 1000:.1f} ms"
    if unit == "s":
        return f"{value:.3f} s"
    return f"{value / MIB:.1f} MiB"


def ratio(value, own):
    """How many times as much as cfg needs, two digits."""
    times = value / own
    return f"{times:.1f}" if times < 10 else f"{times:.0f}"


# What taplo needed where the design's bounds were set, in seconds: there a bound is this many times less than taplo's time.
OF_BOUNDS = {1000: 0.11, 10000: 1.43}


def beside(bound, set_by, own, peer, name):
    """The bound as a part of what a peer needs in the same run, on whatever machine, and whether it is kept."""
    times = set_by / bound
    return f"{name} / {times:.1f}: {'yes' if own * times <= peer else '**no**'}"


def row(title, runs, what, unit, bound, set_by=None):
    own, values = least(runs["cfg"], what), {tool: least(runs[tool], what) for tool in TOOLS}
    scale = {"ms": 1000, "s": 1, "MiB": 1 / MIB}[unit]
    limit = f"{bound} {unit}" if bound else ""
    kept = "" if not bound else "yes" if own * scale <= bound else "**no**"
    peers = [f"{number(values[tool], unit)} ({ratio(values[tool], own)})" for tool in TOOLS[1:]]
    relative = beside(bound, set_by, own, values["taplo"], "taplo") if set_by else ""
    return [title, number(own, unit), limit, kept, relative, *peers]


def table(rows):
    heads = ["", "cfg", "bound", "kept", "relative", *(f"{tool} (times cfg)" for tool in TOOLS[1:])]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def spread(runs):
    """How far the middle run lies above the least, at its worst."""
    worst = max(middle(runs[tool], "cpu") / least(runs[tool], "cpu") for tool in TOOLS)
    return f"{(worst - 1) * 100:.0f} %"


TEXT = """\
# Benchmarks

Whole processes of installed programs, each with warm file caches and discarded output. The tools ran alternately; the table shows the minimum of each tool's
{rounds}. The median run took at most {spread} more CPU. CPU is user and system time of all threads, including the fork;
memory is the largest resident set.

{table}

"Kept" compares `cfg` with the bound of the design, in wall time. The bounds were set on a faster machine, on which taplo needed 0.11 s for
1,000 configs and 1.43 s for 10,000: "relative" is the bound as a fraction of taplo's time here, in the same run. In brackets: the ratio to `cfg`. `cfg` parses each file, determines its kind and prime-rl, checks it against that prime-rl's
schema, and reports. The other tools only parse and lint the syntax: without a schema they are fastest, and the ratios smallest.
`cat` shows the cost of reading the files alone, through `xargs`.

{second}
- one config: `{single}`, {single_lines} lines, in a git repository without anything else. In this repository, `cfg` also searches {folders} folders for commands that launch it
- 1,000 and 10,000 configs: copies of `configs/` with other names, seeds and learning rates, each in its own folder, three folders
  deep, {megabytes:.0f} MB for 10,000

| tool | version | command |
| --- | --- | --- |
| cfg | {cfg} | `cfg check PATH` |
| taplo | {taplo} (PyPI) | `taplo lint --no-schema --no-auto-config PATHS` |
| tombi | {tombi} (PyPI) | `tombi lint --offline PATH`, with schemas disabled in its settings |

Machine: {machine}; {load:.1f} other processes were runnable when the runs began. Date: {date}.

Made by `cargo xtask dist && python3 benches/peers.py --prime-rl CHECKOUT`. Functions are measured by `cargo bench -p cfg-benches`.
"""


SECOND = """\
- prime-rl's own configs: copies of its rl configs at {version}, placed and varied in the same way, with settings that state this version. Most have infos, and in every third
  a key is misspelt (`{fault}`), which is an error with a fix that is tried before it is offered.{counted}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few runs, nothing written: to see whether all is in place")
    parser.add_argument("--prime-rl", type=pathlib.Path, help="a checkout of prime-rl, for the second set; without it there is none")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each tool over folders; one file is run ten times as often")
    options = parser.parse_args()
    install()
    folder = folder_of_settings()
    adopt_orphans()
    rounds = 2 if options.quick else options.rounds
    load = os.getloadavg()[0]
    rows, spreads = [], []

    single = compare([alone()], False, rounds * 10, folder)
    rows.append(row("one config, CPU", single, "cpu", "ms", 4))
    rows.append(row("one config, memory", single, "rss", "MiB", 12))
    rows.append(row("one config of this repository, CPU", compare([ROOT / SINGLE], False, rounds * 2, folder), "cpu", "ms", None))
    spreads.append(single)
    for count, seconds, memory in [(1000, 0.04, None), (10000, 0.5, 60)]:
        files = generate(count)
        runs = compare([files], True, rounds if count < 5000 else math.ceil(rounds / 2), folder)
        rows.append(row(f"{count:,} configs, wall", runs, "wall", "s", seconds, OF_BOUNDS[count]))
        rows.append(row(f"{count:,} configs, CPU", runs, "cpu", "s", None))
        rows.append(row(f"{count:,} configs, memory", runs, "rss", "MiB", memory))
        spreads.append(runs)

    second = ""
    if options.prime_rl:
        own = generate_of_prime_rl(options.prime_rl, 2000)
        runs = compare([own], True, rounds, folder, (1,))
        rows.append(row("2,000 of prime-rl's own, wall", runs, "wall", "s", None))
        rows.append(row("2,000 of prime-rl's own, CPU", runs, "cpu", "s", None))
        rows.append(row("2,000 of prime-rl's own, memory", runs, "rss", "MiB", None))
        spreads.append(runs)
        few = generate_of_prime_rl(options.prime_rl, 300)
        counts = {tool: instructions(command(tool, [few], True), folder) for tool in ["cfg", "taplo"]}
        counted = f" 300 of them take {counts['cfg']:.0f} M instructions; taplo takes {counts['taplo']:.0f} M." if all(counts.values()) else ""
        second = SECOND.format(version=OF_PRIME_RL[1:], fault=FAULT[1], counted=counted)
    text = TEXT.format(
        table=table(rows),
        second=second,
        rounds=f"{rounds * 10} runs on one config, {rounds} on 1,000 and {math.ceil(rounds / 2)} on 10,000",
        spread=max((spread(runs) for runs in spreads), key=lambda text: int(text.split()[0])),
        single=SINGLE,
        folders=folders_of_this_repository(),
        single_lines=len((ROOT / SINGLE).read_text().splitlines()),
        megabytes=sum(file.stat().st_size for file in files.rglob("*.toml")) / 1e6,
        cfg=version_of(CFG),
        taplo=version_of(PEERS / "bin" / "taplo"),
        tombi=version_of(PEERS / "bin" / "tombi"),
        machine=machine(),
        load=load,
        date=datetime.date.today().isoformat(),
    )
    if not options.quick:
        text += "\n" + rules.section(rules.measure())
    print(text)
    if not options.quick:
        # What benches/editor.py and benches/logs.py have measured stays.
        _, head, editor = REPORT.read_text().partition("\n## In an editor\n")
        REPORT.write_text(text + head + editor)


if __name__ == "__main__":
    main()
