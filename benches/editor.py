#!/usr/bin/env python3
"""Language servers: cfg beside tombi and taplo, each over its standard streams. Writes its part of docs/benchmarks.md.

    cargo xtask dist && python3 benches/editor.py [--taplo PATH]

Python's standard library is enough; tombi is that of benches/peers.py. taplo's wheel has no language server: --taplo names a build that has one
(cargo install taplo-cli --features lsp). They take turns. Each sees the same edits: a value becomes wrong and right again. The peers get a
JSON Schema of the same prime-rl (cfg schema export), without which they would see no fault.
"""

import argparse
import json
import os
import pathlib
import queue
import re
import shutil
import statistics
import subprocess
import threading
import time

import peers

HEAD = "\n## In an editor\n"
SINGLE = peers.ROOT / peers.SINGLE
PROGRAMS = {"cfg": peers.CFG, "tombi": peers.PEERS / "bin" / "tombi"}
PATIENCE = 20
LARGE = 8_000_000


class Server:
    """A running server and its client."""

    def __init__(self, tool, root):
        words = {"cfg": ["lsp"], "taplo": ["lsp", "stdio"], "tombi": ["lsp", "--offline"]}[tool]
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [str(PROGRAMS[tool]), *words], cwd=root, env=peers.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.tool, self.number, self.answers, self.told = tool, 0, {}, queue.Queue()
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.pulls = False
        documents = {"publishDiagnostics": {"versionSupport": True}, "diagnostic": {"dynamicRegistration": True}}
        folders = [{"uri": root.as_uri(), "name": "bench"}]
        capabilities = {"textDocument": documents, "workspace": {"configuration": True, "workspaceFolders": True}}
        result = self.ask(
            "initialize",
            {"processId": os.getpid(), "rootUri": root.as_uri(), "workspaceFolders": folders, "capabilities": capabilities},
        )
        self.pulls = "diagnosticProvider" in result["capabilities"]
        sync = result["capabilities"].get("textDocumentSync")
        self.takes_parts = (sync.get("change") if isinstance(sync, dict) else sync) == 2
        self.tell("initialized", {})

    def read(self):
        output = self.process.stdout
        while True:
            length = None
            while line := output.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                return
            message, now = json.loads(output.read(length)), time.perf_counter()
            if "method" in message and "id" in message:
                items = message.get("params", {}) or {}
                result = [{} for _ in items.get("items", [])] if message["method"] == "workspace/configuration" else None
                self.send({"id": message["id"], "result": result})
            elif message.get("method") == "textDocument/publishDiagnostics":
                self.told.put((now, message["params"]))
            elif "id" in message:
                with self.changed:
                    self.answers[message["id"]] = (now, message)
                    self.changed.notify_all()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.sent = time.perf_counter()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers, 120)
            self.answered, message = self.answers.pop(number)
        return message.get("result")

    def open(self, path, text):
        self.uri, self.text, self.version = path.as_uri(), text, 1
        document = {"uri": self.uri, "languageId": "toml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def edit(self, line, begin, end, new):
        """Replaces a part of a line."""
        self.version += 1
        lines = self.text.split("\n")
        lines[line] = lines[line][:begin] + new + lines[line][end:]
        self.text = "\n".join(lines)
        span = {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}}
        change = {"range": span, "text": new} if self.takes_parts else {"text": self.text}
        document = {"uri": self.uri, "version": self.version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def diagnostics(self, fits):
        """When diagnostics come that fit; nothing where none do."""
        until = time.perf_counter() + PATIENCE
        while time.perf_counter() < until:
            if self.pulls:
                items = (self.ask("textDocument/diagnostic", {"textDocument": {"uri": self.uri}}) or {}).get("items", [])
                if fits(items, self.version):
                    return self.answered
                time.sleep(0.0005)
                continue
            try:
                now, params = self.told.get(timeout=PATIENCE)
            except queue.Empty:
                return None
            if params["uri"] == self.uri and fits(params["diagnostics"], params.get("version")):
                return now
        return None

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()


def workspace():
    """A folder with one config of some hundred lines, one of 2,000, and the schema for the peers."""
    folder = peers.WORK / "editor"
    shutil.rmtree(folder, ignore_errors=True)
    peers.repository(folder)
    binary = peers.CFG
    text = re.sub(r"^# (version|created|env_version|based_on) = .*\n", "", SINGLE.read_text(), flags=re.MULTILINE)
    target = re.search(r'^# prime_rl = "(.*)"', text, flags=re.MULTILINE)[1]
    schema = subprocess.run([binary, "schema", "export", "--target", target], capture_output=True, text=True, check=True).stdout
    (folder / "rl.schema.json").write_text(schema)
    schema = folder / "rl.schema.json"
    (folder / ".taplo.toml").write_text(f'[[rule]]\ninclude = ["**/*.toml"]\n[rule.schema]\nenabled = true\npath = "{schema}"\n')
    (folder / "tombi.toml").write_text(f'[[schemas]]\npath = "{schema}"\ninclude = ["*.toml"]\n')
    lines = text.count("\n")
    more = "".join(
        f'\n[[orchestrator.env]]\nid = "team/env-{number}"\n[orchestrator.env.args]\nsplit = "train"\n'
        for number in range((2000 - lines) // 5)
    )
    # Beside the table that is there already: tombi has something to say of tables that are torn apart.
    before, header, behind = text.partition("\n[inference")
    documents = {"short": text, "long": before + more + header + behind}
    for name, content in documents.items():
        (folder / f"{name}.toml").write_text(content)
    return folder, documents


def wrong_on(line):
    return lambda items: any(item["range"]["start"]["line"] <= line <= item["range"]["end"]["line"] for item in items)


def session(tool, folder, name, text, edits):
    """One session: milliseconds and bytes by what they measure."""
    server, found = Server(tool, folder), {}
    server.open(folder / f"{name}.toml", text)
    first = server.diagnostics(lambda items, version: True)
    found["first"] = (first - server.begun) * 1000
    at = re.search(r"^seq_len = (\d+)", text, flags=re.MULTILINE)
    line, good = text[: at.start()].count("\n"), at[1]
    has, begin, old = wrong_on(line), len("seq_len = "), good
    time.sleep(0.3)
    times = []
    for number in range(edits):
        new = '"x"' if number % 2 == 0 else good
        start = time.perf_counter()
        server.edit(line, begin, begin + len(old), new)
        fits = lambda items, version: has(items) == (new != good) and version in (None, server.version)
        end = server.diagnostics(fits)
        times.append((end - start) * 1000 if end else float("inf"))
        old = new
        time.sleep(0.005)
    found["edit"] = sorted(times)[int(len(times) * 0.95) - 1]
    for number in range(100):
        new = '"%d"' % number if number < 99 else '"x"'
        server.edit(line, begin, begin + len(old), new)
        old = new
    start = time.perf_counter()
    end = server.diagnostics(lambda items, version: has(items) and version in (None, server.version))
    found["burst"] = (end - start) * 1000 if end else float("inf")
    server.edit(line, begin, begin + len(old), good)
    found["completion"], found["items"] = completion(server, line, edits)
    found["memory"] = server.memory()
    server.end()
    return found


def completion(server, above, edits):
    """Writes a key below a line letter by letter, and asks for completions after each: the milliseconds from the letter to the answer, and the least
    number of items."""
    end = len(server.text.split("\n")[above])
    server.edit(above, end, end, "\n")
    line, word, typed, times, least = above + 1, "compile", "", [], float("inf")
    for _ in range(edits):
        new = word[: len(typed) + 1] if len(typed) < len(word) else word[0]
        start = time.perf_counter()
        server.edit(line, 0, len(typed), new)
        at = {"textDocument": {"uri": server.uri}, "position": {"line": line, "character": len(new)}}
        answer = server.ask("textDocument/completion", at) or []
        times.append((server.answered - start) * 1000)
        least = min(least, len(answer["items"] if isinstance(answer, dict) else answer))
        typed = new
        time.sleep(0.005)
    return sorted(times)[int(len(times) * 0.95) - 1], least


def whole_workspace(files):
    """All of a folder, for the one server that does that: seconds, seconds where nothing has changed since, and bytes."""
    server, known, times = Server("cfg", files), [], []
    for _ in range(3):
        start = time.perf_counter()
        report = server.ask("workspace/diagnostic", {"previousResultIds": known})
        times.append(time.perf_counter() - start)
        known = [{"uri": item["uri"], "value": item["resultId"]} for item in report["items"]]
    memory = server.memory()
    server.end()
    return times[0], min(times[1:]), memory


def large(folder, text, edits):
    """Edits of a document of 8 MB, one by one, of which one in two makes a value wrong: the seconds of the 95th percentile, and bytes.

    Nearly as many keys as a config may have; one of more is not checked.
    """
    words = "think before you answer, " * 32
    head, more = text, "".join(
        f'\n[[orchestrator.env]]\nid = "team/env-{number}"\n[orchestrator.env.args]\nsplit = "train"\nprompt = "{words}"\n'
        for number in range(LARGE // 880)
    )
    server = Server("cfg", folder)
    server.open(folder / "large.toml", (head + more)[:LARGE].rpartition("\n[[")[0])
    server.diagnostics(lambda items, version: True)
    at = re.search(r"^seq_len = (\d+)", server.text, flags=re.MULTILINE)
    line, begin, old, times = server.text[: at.start()].count("\n"), len("seq_len = "), at[1], []
    for number in range(edits):
        new = '"x"' if number % 2 == 0 else at[1]
        start = time.perf_counter()
        server.edit(line, begin, begin + len(old), new)
        # Making the message takes Python longer than the server needs for it.
        start = max(start, server.sent)
        times.append(server.diagnostics(lambda items, version: version in (None, server.version)) - start)
        old = new
    memory = server.memory()
    server.end()
    return sorted(times)[int(len(times) * 0.95) - 1], memory


def cell(values, what, scale=1.0):
    """What a session takes where the machine does nothing else: that only adds to times. Of memory the most counts."""
    return (max if what == "memory" else min)(session[what] for session in values) * scale


def spread(values, what):
    """How much more the middle session takes than the least, in percent."""
    return 100 * (statistics.median(session[what] for session in values) / cell(values, what) - 1)


def row(title, sessions, what, unit, bound, set_by=None):
    scale = 1 / peers.MIB if unit == "MiB" else 1.0
    own = cell(sessions["cfg"], what, scale)
    kept = "yes" if own <= bound else "**no**"
    others = []
    for tool in list(PROGRAMS)[1:]:
        value = cell(sessions[tool], what, scale)
        others.append("none came" if value == float("inf") else f"{value:.1f} {unit} ({value / own:.1f})")
    relative = peers.beside(bound, set_by, own, cell(sessions["tombi"], what, scale), "tombi") if set_by else ""
    return [title, f"{own:.1f} {unit}", f"{bound} {unit}", kept, relative, *others]


def half_of_tombi(sessions):
    """The bound of completions: half of what tombi takes in this run."""
    for tool in ("cfg", "tombi"):
        if min(session["items"] for session in sessions[tool]) == 0:
            raise SystemExit(f"{tool} offered nothing: its time says nothing")
    return round(cell(sessions["tombi"], "completion") / 2, 1)


TEXT = """
Each server was started {rounds} times on each file, alternately, and received {edits} edits, waiting for the answer after each; then 100 at
once. Every other edit makes a value invalid, and the next one valid. Then a key was written letter by letter, with completions after each letter; their bound is half
of tombi's time in the same run. The table shows the 95th percentile of the edits of a session, and of the sessions the
minimum time, since other load only adds to it, and the maximum memory. In the median session of cfg edits took at most {spread:.0f} % longer.
The other servers had the JSON Schema of the same prime-rl.{missing}

{table}

"Relative" is the bound as a fraction of tombi's time here: the bounds were set on a machine on which it needed 24 ms to its first diagnostics, 1.5 ms for an
edit, 18.8 ms in the long file, and 50 ms for the burst. The files have {short} and {long} lines. The workspace has 11,000 configs, all checked for one request; the other servers have no such request.
During the measurement, {load:.1f} other processes were runnable on {cores} cores.

Made by `cargo xtask dist && python3 benches/editor.py`, {date}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few edits, nothing written")
    parser.add_argument("--taplo", type=pathlib.Path, help="a taplo that was built with its language server")
    options = parser.parse_args()
    if options.taplo:
        PROGRAMS["taplo"] = options.taplo
    rounds, edits = (1, 20) if options.quick else (10, 100)
    peers.install()
    peers.folder_of_settings()
    load = os.getloadavg()[0]
    folder, documents = workspace()
    sessions = {name: {tool: [] for tool in PROGRAMS} for name in documents}
    for _ in range(rounds):
        for name, text in documents.items():
            for tool in PROGRAMS:
                sessions[name][tool].append(session(tool, folder, name, text, edits))
    short, long = sessions["short"], sessions["long"]
    rows = [
        row("start to first diagnostics", short, "first", "ms", 15, 24),
        row("edit to diagnostics, p95", short, "edit", "ms", 1, 1.5),
        row("edit to diagnostics, p95, long file", long, "edit", "ms", 3, 18.8),
        row("100 edits at once, long file", long, "burst", "ms", 10, 50),
        row("letter to completions, p95, long file", long, "completion", "ms", half_of_tombi(long)),
        row("memory, long file", long, "memory", "MiB", 20),
    ]
    files = peers.generate(11000)
    runs = [whole_workspace(files) for _ in range(rounds)]
    smaller = peers.generate(5000)
    few = [whole_workspace(smaller) for _ in range(rounds)]
    edited = [large(folder, documents["short"], edits) for _ in range(min(rounds, 3))]
    for title, value, unit, bound in [
        ("11,000 files", min(run[0] for run in runs), "s", 1),
        ("11,000 files, memory", max(run[2] for run in runs) / peers.MIB, "MiB", 100),
        ("5,000 files", min(run[0] for run in few), "s", 0.5),
        ("5,000 files, nothing changed", min(run[1] for run in few), "s", 0.05),
        ("edit to diagnostics, p95, 8 MB", min(run[0] for run in edited), "s", 0.3),
        ("memory, 8 MB", max(run[1] for run in edited) / peers.MIB, "MiB", 200),
    ]:
        rows.append([title, f"{value:.3g} {unit}", f"{bound} {unit}", "yes" if value <= bound else "**no**", "", *([""] * (len(PROGRAMS) - 1))])
    heads = ["", "cfg", "bound", "kept", "relative", *(f"{tool} (times cfg)" for tool in list(PROGRAMS)[1:])]
    lines = [heads, ["---"] * len(heads), *rows]
    text = HEAD + TEXT.format(
        rounds=rounds, edits=edits, spread=max(spread(values["cfg"], "edit") for values in (short, long)), table="\n".join("| " + " | ".join(line) + " |" for line in lines),
        missing="" if options.taplo else " taplo's wheel, which the other benchmarks use, has no language server.",
        short=documents["short"].count("\n"), long=documents["long"].count("\n"),
        load=load, cores=len(os.sched_getaffinity(0)), date=time.strftime("%Y-%m-%d"),
    )
    print(text)
    if not options.quick:
        before, _, own = peers.REPORT.read_text().partition(HEAD)
        # What benches/logs.py has measured stays.
        _, head, logs = own.partition("\n## Logs\n")
        peers.REPORT.write_text(before + text + head + logs)


if __name__ == "__main__":
    main()
