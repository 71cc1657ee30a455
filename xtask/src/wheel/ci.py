"""ci.py REPOSITORY WHEEL: runs action.yml, ci/gitlab.yml and the commands of uv, as users' CI would, for a pull request in a folder of its own.

Nothing leaves the machine: `gh` is a script that keeps what it is given, and pip and uv install the wheel. Needs PyYAML, jq and uv from PyPI.
"""

import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

import yaml

REPOSITORY, WHEEL = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
VERSION = WHEEL.name.split("-")[1]

SETTINGS = 'target = "0.4.0"\ngpu = "2x H100"\n'
CONFIG = """inference_gpu_ids = [0]
trainer_gpu_ids = [1]
[model]
name = "Qwen/Qwen3-8B"
[trainer.model]
seq_len = 4096
[trainer.model.ac]
freq = 1
[trainer.model.lora]
rank = 16
[orchestrator]
seq_len = 4096
[inference]
"""
LONGER = CONFIG.replace("4096", "8192")
MISSPELT = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n"

# What a comment on a pull request may have, on GitHub.
MOST = 65_536

# Stands for GitHub's program: keeps its words and the files that they name, and answers with the comments that are there.
GH = """#!{python}
import json, pathlib, sys
import jq
folder, words = pathlib.Path({folder!r}), sys.argv[1:]
files = {{word.split("=@")[0]: pathlib.Path(word.split("=@")[1]).read_text() for word in words if "=@" in word}}
with (folder / "calls").open("a") as calls:
    calls.write(json.dumps([words, files]) + "\\n")
if "--jq" in words:
    comments = (folder / "comments").read_text()
    print(*jq.compile(words[words.index("--jq") + 1]).input_text(comments).all(), sep="\\n")
"""


def require(holds, *what):
    if not holds:
        sys.exit("\n".join(str(one) for one in what))


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def environment(home, *programs):
    """Variables of a machine that has nothing but these folders of programs, and the system's."""
    path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
    names = {f"GIT_{role}_{part}": "a@b" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    index = {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PIP_FIND_LINKS": str(WHEEL.parent), "UV_FIND_LINKS": str(WHEEL.parent)}
    return {"PATH": path, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", **names, **index}


def run(words, folder, variables):
    """The status and what was said on both streams."""
    ended = subprocess.run(words, cwd=folder, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ended.returncode, ended.stdout


def git(folder, variables, *words):
    status, said = run(["git", *words], folder, variables)
    require(status == 0, f"git {' '.join(words)}: {said}")
    return said.strip()


class Action:
    """A composite action, run as GitHub does: each step's variables are evaluated, and the first step that fails is the last."""

    def __init__(self, folder, variables, contexts):
        self.text = yaml.safe_load((REPOSITORY / "action.yml").read_text())
        self.folder, self.variables, self.contexts = folder, variables, contexts

    def value(self, expression):
        compared = re.fullmatch(r"(\S+) == '([^']*)'", expression)
        if compared:
            return self.value(compared[1]) == compared[2]
        value = self.contexts
        for name in expression.split("."):
            require(isinstance(value, dict), f"action.yml: {expression} can't be evaluated")
            value = value.get(name, "")
        return value

    def filled(self, text):
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: str(self.value(found[1])), str(text))

    def run(self, inputs):
        unknown = inputs.keys() - self.text["inputs"].keys()
        require(not unknown, f"action.yml has no input {unknown}")
        defaults = {name: self.filled(input["default"]) for name, input in self.text["inputs"].items()}
        self.contexts = {**self.contexts, "inputs": {**defaults, **inputs}, "steps": {}}
        all_said = ""
        for step in self.text["runs"]["steps"]:
            if "if" in step and not self.value(step["if"]):
                continue
            require("${{" not in step["run"], f"a command of action.yml has an expression in it: {step['run']}")
            output = self.folder.parent / "output"
            output.write_text("")
            own = {name: self.filled(value) for name, value in step.get("env", {}).items()}
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            status, said = run(words, self.folder, {**self.variables, **own, "GITHUB_OUTPUT": str(output)})
            all_said += said
            if "id" in step:
                outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
                self.contexts["steps"][step["id"]] = {"outputs": outputs}
            if status != 0:
                return status, all_said
        return 0, all_said


def pull_request(folder, variables, files):
    """A clone of what a pull request proposes, without what came before, as actions/checkout makes it; and the commit that it is based on."""
    origin, clone = folder / "origin", folder / "clone"
    write(origin, {"cfg.toml": SETTINGS, "configs/rl.toml": CONFIG, "pyproject.toml": '[project]\nname = "x"\n'})
    git(origin, variables, "init", "--quiet", "--initial-branch=main")
    git(origin, variables, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(origin, variables, "add", "--all")
    git(origin, variables, "commit", "--quiet", "--message=base")
    base = git(origin, variables, "rev-parse", "HEAD")
    git(origin, variables, "checkout", "--quiet", "-b", "change")
    write(origin, files)
    git(origin, variables, "add", "--all")
    git(origin, variables, "commit", "--quiet", "--message=change")
    git(folder, variables, "clone", "--quiet", "--depth=1", "--branch=change", origin.as_uri(), str(clone))
    return clone, base


def action(home, files, event, comments, inputs):
    """How the action ends for a pull request or a push with these files, and what it said, summed up and sent."""
    gh = home / "bin/gh"
    write(home, {"bin/gh": GH.format(python=sys.executable, folder=str(home)), "calls": "", "comments": json.dumps(comments)})
    gh.chmod(0o755)
    variables = environment(home, gh.parent)
    clone, base = pull_request(home, variables, files)
    summary, temporary = home / "summary", home / "temporary"
    write(home, {"summary": "", "temporary/x": ""})
    head = git(clone, variables, "rev-parse", "HEAD")
    request = {"number": 7, "base": {"sha": base}} if event == "pull_request" else {}
    github = {"event_name": event, "token": "secret", "event": {"pull_request": request} if request else {}}
    variables |= {
        "GITHUB_ACTION_PATH": str(REPOSITORY), "GITHUB_REPOSITORY": "owner/name", "GITHUB_SHA": head, "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(temporary),
    }
    status, said = Action(clone, variables, {"github": github}).run({"wheel": str(WHEEL), **inputs})
    calls = [json.loads(line) for line in (home / "calls").read_text().splitlines()]
    require("secret" not in said + summary.read_text(), "the action shows its token")
    return status, said, summary.read_text(), calls


def pull_request_with_a_fault(home):
    files = {"configs/rl.toml": LONGER, "configs/new.toml": MISSPELT}
    inputs = {"paths": "configs\n", "sarif": "true", "comment": "true"}
    status, said, summary, calls = action(home, files, "pull_request", [], inputs)
    require(status == 1, f"the action ends with {status} where there is an error", said)
    annotation = [line for line in said.splitlines() if line.startswith("::error ") and "file=configs/new.toml" in line]
    require(len(annotation) == 1 and "rollouts_per_exmaple" in annotation[0], "no annotation", said)
    sent = {words[words.index("--method") + 1] + " " + next(word for word in words if "/" in word): (words, files) for words, files in calls if "--method" in words}
    require(len(sent) == 2, "two things are sent", calls)
    words, files = sent["POST repos/owner/name/code-scanning/sarifs"]
    sarif = json.loads(gzip.decompress(base64.b64decode(files["sarif"])))
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in sarif["runs"][0]["results"]]
    require("configs/new.toml" in places and "ref=refs/pull/7/merge" in words, "SARIF does not show the finding", sarif)
    comment = sent["POST repos/owner/name/issues/7/comments"][1]["body"]
    for wanted in ("#### `configs/rl.toml`", "seq_len", "8192", "GiB"):
        require(wanted in comment and wanted in summary, f"the comment or the summary lacks {wanted}", comment, summary)
    require(comment.startswith("<!-- cfg") and not summary.startswith("<!--") and len(comment) <= MOST, comment)
    return comment


def pull_request_again(home, comment):
    files = {"configs/rl.toml": LONGER}
    of_others = {"id": 1, "user": {"type": "User"}, "body": comment}
    comments = [of_others, {"id": 22, "user": {"type": "Bot"}, "body": "other"}, {"id": 33, "user": {"type": "Bot"}, "body": comment}]
    status, said, _, calls = action(home, files, "pull_request", comments, {"comment": "true"})
    require(status == 0, f"the action ends with {status} where there is no error", said)
    changed = [words for words, _ in calls if "PATCH" in words]
    require(len(calls) == 2 and "repos/owner/name/issues/comments/33" in changed[0], "its own comment is not replaced", calls)


def push(home):
    status, said, summary, calls = action(home, {"configs/new.toml": MISSPELT}, "push", [], {"comment": "true"})
    require(status == 1 and not calls and not summary, f"a push: {status}", said, summary, calls)


def installed(home):
    """The programs of an empty virtual environment."""
    venv.create(home / "environment", with_pip=True)
    return home / "environment/bin"


def gitlab(home):
    variables = environment(home, installed(home))
    clone, _ = pull_request(home, variables, {"configs/new.toml": MISSPELT})
    for job in yaml.safe_load((REPOSITORY / "ci/gitlab.yml").read_text()).values():
        require(job["variables"]["CFG_VERSION"] == VERSION, f"ci/gitlab.yml does not have version {VERSION}")
        report = clone / job["artifacts"]["reports"]["codequality"]
        for expected, wrong in ((1, ["configs/new.toml"]), (0, [])):
            script = "\n".join(job["script"])
            status, said = run(["sh", "-e", "-c", script], clone, {**variables, **job["variables"]})
            require(status == expected, f"ci/gitlab.yml ends with {status}", said)
            found = [finding["location"]["path"] for finding in json.loads(report.read_text())]
            require(found == wrong, f"ci/gitlab.yml reports {found}", said)
            write(clone, {"configs/new.toml": MISSPELT.replace("exmaple", "example")})


def uv(home):
    """The commands of README's first screen."""
    variables = environment(home, pathlib.Path(sys.executable).parent, home / ".local/bin")
    write(home / "project", {"cfg.toml": SETTINGS, "rl.toml": MISSPELT})
    lines = re.findall(r"^uvx? .*$", (REPOSITORY / "README.md").read_text(), re.MULTILINE)
    require(len(lines) == 2, "README has two commands of uv", lines)
    for line, expected in zip([*lines, "cfg check"], (1, 0, 1)):
        status, said = run(["sh", "-c", line], home / "project", variables)
        require(status == expected, f"{line} ends with {status}", said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        home = lambda name: pathlib.Path(folder).resolve() / name
        comment = pull_request_with_a_fault(home("fault"))
        pull_request_again(home("again"), comment)
        push(home("push"))
        gitlab(home("gitlab"))
        uv(home("uv"))


main()
