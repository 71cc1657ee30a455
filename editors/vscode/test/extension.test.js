// The parts of the extension that need no editor: `node --test`.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { load } = require("../testing/editor.js");
const { CURRICULUM, LENSES, LINEAGE, MEMORY } = require("../testing/reports.js");
const { Outcomes, ReportView, subjectOf } = load().extension;

/** A folder with a program that waits for its input to end. */
function machine(t) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "cfg-")));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const put = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text, { mode: 0o755 });
    return path.join(root, name);
  };
  const { PATH, HOME } = process.env;
  Object.assign(process.env, { PATH: "", HOME: root });
  t.after(() => Object.assign(process.env, { PATH, HOME }));
  return { root, put, program: () => put("own/cfg", "#!/bin/sh\nread line\n") };
}

/** What a server answers about one config. */
function answers(method, { command }) {
  const texts = { "cfg.memory": MEMORY, "cfg.curriculum": CURRICULUM, "cfg.lineage": LINEAGE };
  if (method === "textDocument/codeLens") {
    return LENSES.map((title) => ({ command: { title } }));
  }
  if (method === "textDocument/documentSymbol") {
    return [{ name: "inference.gpu_memory_utilization", selectionRange: "line 7" }];
  }
  return { text: texts[command] };
}

test("a report of memory becomes a tree", () => {
  const view = new ReportView();
  view.set("GPU 0 (H100): trainer: fits\n  trainer: 1 GiB\n    weights   1 GiB ###\nDisk: 2 GiB\n\n");
  assert.deepStrictEqual(view.getChildren().map((line) => line.label), ["GPU 0 (H100): trainer: fits", "Disk: 2 GiB"]);
  const [gpu] = view.getChildren();
  assert.strictEqual(view.getTreeItem(gpu).state, 2);
  assert.strictEqual(gpu.children[0].children[0].label, "weights   1 GiB ###");
});

test("a lineage becomes a tree", () => {
  const view = new ReportView();
  view.set("a.toml:v1  first\na.toml:v2  second\n  b.toml:v1  from it\n");
  assert.deepStrictEqual(view.getChildren().map((line) => line.children.length), [0, 1]);
});

test("what was made of a config follows it", async () => {
  const outcomes = new Outcomes();
  const fired = [];
  outcomes.changed.fire = (uri) => fired.push(uri);
  outcomes.set("cfg:/rl.memory.txt", { command: "cfg.memory", of: "file:///rl.toml", text: "71 GiB" });
  outcomes.set("cfg:/rl.compiled.toml", { command: "cfg.compile", of: "file:///rl.toml", text: "a = 1" });
  const asked = [];
  const answers = { "cfg.memory": "80 GiB", "cfg.compile": "a = 1" };
  await outcomes.renew(async (command, of) => {
    asked.push([command, of]);
    return { text: answers[command] };
  });
  assert.deepStrictEqual(asked, [["cfg.memory", "file:///rl.toml"], ["cfg.compile", "file:///rl.toml"]]);
  assert.strictEqual(outcomes.text("cfg:/rl.memory.txt"), "80 GiB");
  assert.deepStrictEqual(fired.slice(2), ["cfg:/rl.memory.txt"], "only what has changed");
  await outcomes.renew(async () => {
    throw new Error("prime-rl does not accept this config");
  });
  assert.strictEqual(outcomes.text("cfg:/rl.compiled.toml"), "# prime-rl does not accept this config\n");
  assert.strictEqual(outcomes.text("cfg:/rl.memory.txt"), "prime-rl does not accept this config\n");
  outcomes.forget("cfg:/rl.memory.txt");
  assert.strictEqual(outcomes.text("cfg:/rl.memory.txt"), "");
});

test("the views stay with their config when something else has the focus", () => {
  const editor = (scheme, languageId) => ({ document: { uri: { scheme }, languageId, isClosed: false } });
  const config = editor("file", "toml");
  assert.strictEqual(subjectOf(config, undefined), config.document);
  for (const other of [undefined, editor("cfg", "toml"), editor("output", "log")]) {
    assert.strictEqual(subjectOf(other, config.document), config.document);
  }
  assert.strictEqual(subjectOf(editor("file", "python"), config.document), undefined);
  assert.strictEqual(subjectOf(undefined, { ...config.document, isClosed: true }), undefined);
});

test("a missing program is one message with what can be done, and no dialogue", async (t) => {
  const { root, program } = machine(t);
  const editor = load({ choice: program(), folders: [root] });
  t.after(() => editor.end());
  await editor.start();
  assert.strictEqual(editor.seen.clients.length, 0);
  assert.deepStrictEqual(editor.seen.messages.map(({ words }) => words), [
    ["The program cfg, which checks configs of prime-rl, was not found.", "Install", "Choose…", "Show Log"],
  ]);
  assert.strictEqual(editor.status.text, "$(warning) cfg is missing");
  for (const begin of ["the extension: made without a program", "PATH: no cfg in ", "PATH is that of the shell that started VS Code, on a remote machine"]) {
    assert.ok(editor.seen.log.some((line) => line.startsWith(begin)), `${begin}: ${editor.seen.log.join("\n")}`);
  }
  await editor.events.window.fire({ focused: true });
  await editor.events.editor.fire();
  assert.strictEqual(editor.seen.messages.length, 1, "it is said once");
  editor.seen.messages[0].press("Choose…");
  while (editor.seen.clients[0]?.state !== "running") {
    await new Promise(setImmediate);
  }
  assert.strictEqual(editor.user.path, program());
  assert.ok(editor.seen.log.some((line) => line.startsWith("The settings of configs are those of cfg.toml")), editor.seen.log.join("\n"));
  assert.ok(editor.seen.executed.includes("notifications.hideToasts"), "the notice is out of date");
});

test("a program that is installed later is found and run without a word", async (t) => {
  const { put } = machine(t);
  const editor = load();
  t.after(() => editor.end());
  await editor.start();
  put(".local/bin/cfg", "#!/bin/sh\nread line\n");
  await editor.events.window.fire({ focused: true });
  assert.strictEqual(editor.seen.clients[0].state, "running");
  assert.strictEqual(editor.seen.messages.length, 1);
});

test("the notice of a missing program goes once the setting names one", async (t) => {
  const { program } = machine(t);
  const editor = load({ user: { path: "/nowhere/cfg" } });
  t.after(() => editor.end());
  await editor.start();
  assert.strictEqual(editor.seen.messages.length, 1);
  const hidden = () => editor.seen.executed.filter((name) => name === "notifications.hideToasts").length;
  assert.strictEqual(hidden(), 0);
  await editor.change("path", program());
  assert.strictEqual(editor.seen.clients.at(-1).state, "running");
  assert.strictEqual(hidden(), 1, "it is out of date");
  await editor.change("gpu", "2x H100");
  assert.strictEqual(hidden(), 1, "other messages are left alone");
});

test("a program that ends at once is said with its own words", async (t) => {
  const { put } = machine(t);
  const program = put("own/cfg", "#!/bin/sh\necho 'cfg: there is no target 9.9' >&2\nexit 2\n");
  const editor = load({ user: { path: program }, isDeaf: true });
  t.after(() => editor.end());
  await editor.start();
  assert.deepStrictEqual(editor.seen.messages.map(({ words }) => words), [["cfg does not start: cfg: there is no target 9.9.", "Restart", "Show Log"]]);
});

test("what a repository can put into a message is no link to a command", async (t) => {
  const { put } = machine(t);
  const program = put("own/cfg", "#!/bin/sh\necho 'cfg: [a.toml](command:evil) is no config' >&2\nexit 2\n");
  const editor = load({ user: { path: program }, isDeaf: true });
  t.after(() => editor.end());
  await editor.start();
  assert.strictEqual(editor.seen.messages[0].words[0], "cfg does not start: cfg: [a.toml] (command:evil) is no config.");
});

test("a workspace names no folder for the program to read", async (t) => {
  const { program } = machine(t);
  const words = async (settings) => {
    const editor = load(settings);
    t.after(() => editor.end());
    await editor.start();
    return editor.seen.clients.at(-1).child.spawnargs.slice(1);
  };
  const own = { path: program() };
  assert.deepStrictEqual(await words({ user: own, workspace: { target: "path:/home/me" } }), ["lsp"]);
  assert.deepStrictEqual(await words({ user: { ...own, target: "path:/a" }, workspace: { target: " path:/b" } }), ["lsp", "--target=path:/a"]);
  assert.deepStrictEqual(await words({ user: { ...own, target: "path:/a" } }), ["lsp", "--target=path:/a"]);
  assert.deepStrictEqual(await words({ user: own, workspace: { target: "0.8.0" } }), ["lsp", "--target=0.8.0"]);
});

test("settings count at once, and those of a workspace can't choose what runs", async (t) => {
  const { root, put, program } = machine(t);
  const evil = put("work/evil", "#!/bin/sh\nread line\n");
  const editor = load({ user: { path: program() }, workspace: { path: evil, arguments: ["-c", "evil"], useVenv: true }, folders: [path.join(root, "work")] });
  t.after(() => editor.end());
  await editor.start();
  const words = () => editor.seen.clients.at(-1).child.spawnargs;
  assert.deepStrictEqual(words(), [program(), "lsp"]);
  await editor.change("target", "0.8.0");
  assert.deepStrictEqual(words(), [program(), "lsp", "--target=0.8.0"]);
  await editor.change("kind", "rl");
  assert.deepStrictEqual(words(), [program(), "lsp", "--target=0.8.0", "--kind=rl"]);
  await editor.change("kind", "--config=/etc/passwd");
  assert.deepStrictEqual(words(), [program(), "lsp", "--target=0.8.0"], "only a kind is a kind");
  await editor.change("arguments", ["lsp", "--quiet"]);
  assert.deepStrictEqual(words(), [program(), "lsp", "--quiet", "--target=0.8.0"]);
  await editor.change("gpu", " 2x H100 ");
  assert.deepStrictEqual(words(), [program(), "lsp", "--quiet", "--target=0.8.0", "--gpu=2x H100"]);
  await editor.change("gpu", "");
  assert.deepStrictEqual(words(), [program(), "lsp", "--quiet", "--target=0.8.0"]);
  const other = put("other/cfg", "#!/bin/sh\nread line\n");
  await editor.change("path", other);
  assert.strictEqual(words()[0], other);
  const { length } = editor.seen.clients;
  await editor.change("trace.server", "verbose");
  assert.strictEqual(editor.seen.clients.length, length, "what the program isn't started with needs no restart");
  assert.deepStrictEqual(editor.seen.clients.slice(0, -1).map(({ state }) => state), Array(length - 1).fill("stopped"));
});

test("the .venv of a workspace needs the user's setting and his trust", async (t) => {
  const { root, put } = machine(t);
  const venv = put("work/.venv/bin/cfg", "#!/bin/sh\nread line\n");
  const folders = [path.join(root, "work")];
  const editor = load({ user: { useVenv: true }, folders, isTrusted: false });
  t.after(() => editor.end());
  await editor.start();
  assert.strictEqual(editor.seen.clients.length, 0);
  editor.vscode.workspace.isTrusted = true;
  await editor.events.trust.fire();
  assert.strictEqual(editor.seen.clients[0].child.spawnargs[0], venv);
});

test("the status bar tells what the config at hand is", async (t) => {
  const { program } = machine(t);
  const editor = load({ user: { path: program() }, answer: answers });
  t.after(() => editor.end());
  editor.open("/repo/configs/rl.toml");
  await editor.start();
  assert.deepStrictEqual([editor.status.text, editor.status.command, editor.status.isShown], ["prime-rl 0.8.0 · rl · fits 2x H100 (72 of 79 GiB)", "cfg.showMemory", true]);
  assert.deepStrictEqual(editor.seen.contexts, { "cfg.isConfig": true, "cfg.isRegistered": true });
});

test("the machine of the settings is asked of the program, for the saved file", async (t) => {
  const { root, put } = machine(t);
  const script = `#!/bin/sh\nif [ "$1" = lsp ]; then read line; else echo "$@" > ${root}/asked; cat <<'END'\n${MEMORY.replaceAll("H100", "H200")}END\nfi\n`;
  const editor = load({ user: { path: put("own/cfg", script), gpu: "2x H200", target: "0.8.0" }, answer: answers });
  process.env.PATH = "/usr/bin:/bin";
  t.after(() => editor.end());
  editor.open(put("rl.toml", ""));
  await editor.start();
  assert.strictEqual(editor.status.text, "prime-rl 0.8.0 · rl · fits 2x H200 (72 of 79 GiB)");
  assert.strictEqual(fs.readFileSync(path.join(root, "asked"), "utf8").trim(), `memory --gpu=2x H200 --target=0.8.0 --color=never --quiet -- ${root}/rl.toml`);
});

test("the view draws live data, runs no foreign script, and clicks lead to lines", async (t) => {
  const { program } = machine(t);
  let memory = MEMORY;
  const editor = load({ user: { path: program() }, answer: (method, asked) => (asked.command === "cfg.memory" ? { text: memory } : answers(method, asked)) });
  t.after(() => editor.end());
  editor.open("/repo/configs/rl.toml");
  await editor.start();
  await editor.seen.commands.get("cfg.showMemory")();
  const [panel] = editor.seen.panels;
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(panel.webview.html)[1];
  assert.match(policy, /^default-src 'none'; style-src https:\/\/panel\.test; script-src 'nonce-[0-9a-f]{32}'; base-uri 'none'; form-action 'none'$/);
  assert.strictEqual(panel.webview.html.match(/<script/g).length, 1);
  assert.deepStrictEqual(panel.webview.options.localResourceRoots.map(({ path: at }) => path.basename(at)), ["media"]);
  assert.strictEqual(panel.sent.length, 0, "a page that isn't there yet gets nothing");
  await panel.receive({ type: "ready" });
  assert.deepStrictEqual([panel.sent[0].tab, panel.sent[0].of, panel.title], ["memory", "rl.toml", "cfg: rl.toml"]);
  const count = () => JSON.stringify(panel.sent.at(-1).tree).match(/KV cache 50.7/g)?.length ?? 0;
  assert.ok(count() > 0);
  // It follows edits, and is drawn anew only where something has changed.
  await editor.seen.commands.get("cfg.showMemory")();
  assert.strictEqual(panel.sent.length, 1);
  memory = MEMORY.replace("50.7", "40.1");
  await editor.seen.commands.get("cfg.showMemory")();
  assert.deepStrictEqual([panel.sent.length, count()], [2, 0]);
  // A click is a number, and leads where the extension has said.
  await panel.receive({ type: "go", go: 2 });
  assert.deepStrictEqual(editor.seen.shown.at(-1), { uri: "file:///repo/configs/rl.toml", viewColumn: 1, selection: "line 7" });
  const { length } = editor.seen.shown;
  for (const go of [-1, 9999, "constructor", undefined]) {
    await panel.receive({ type: "go", go });
  }
  await panel.receive({ type: "tab", tab: "toString" });
  assert.strictEqual(editor.seen.shown.length, length);
  for (const tab of ["curriculum", "lineage"]) {
    await panel.receive({ type: "tab", tab });
    assert.strictEqual(panel.sent.at(-1).tab, tab);
  }
  await panel.dispose();
  await editor.seen.commands.get("cfg.showLineage")();
  assert.strictEqual(editor.seen.panels.length, 2);
});

test("a version is shown before its reason is asked for, and none without a reason or where none can be made", async (t) => {
  const { root, put } = machine(t);
  const script = `#!/bin/sh
case "$1" in
lsp) read line ;;
bump) [ -e ${root}/refused ] && { echo 'cfg: prime-rl refuses rl.toml' >&2; exit 1; }; echo 'rl.toml: v1 -> v2'; echo 'note: its parent has changed' >&2 ;;
diff) echo 'batch_size: 64 -> 128'; exit 1 ;;
esac
`;
  const next = async (_command, parameters) => ({ made: `rl.toml: v1 -> v2, for: ${parameters[1]}` });
  const bump = async (reason) => {
    const editor = load({ user: { path: put("own/cfg", script) }, reason, answer: answers });
    t.after(() => editor.end());
    await editor.start();
    const made = await editor.seen.clients[0].options.middleware.executeCommand("cfg.bump", [`file://${root}/rl.toml`], next);
    return { made, seen: editor.seen };
  };
  const { made, seen } = await bump("twice the batch");
  assert.strictEqual(made.made, "rl.toml: v1 -> v2, for: twice the batch");
  assert.deepStrictEqual(seen.asked.map(({ beside }) => beside), ["rl.toml: v1 -> v2\n\nnote: its parent has changed\n\nbatch_size: 64 -> 128\n"]);
  assert.strictEqual((await bump(undefined)).made, undefined);
  put("refused", "");
  const refused = await bump("a reason");
  assert.deepStrictEqual([refused.made, refused.seen.asked.length], [undefined, 0]);
  assert.deepStrictEqual(refused.seen.messages.map(({ words }) => words[0]), ["cfg: prime-rl refuses rl.toml"]);
});

test("a view that was open comes back with its tab", async (t) => {
  const { program } = machine(t);
  const editor = load({ user: { path: program() }, answer: answers });
  t.after(() => editor.end());
  await editor.start();
  const { view, deserializeWebviewPanel } = editor.seen.serializer;
  assert.ok(require("../package.json").activationEvents.includes(`onWebviewPanel:${view}`));
  const panel = editor.vscode.window.createWebviewPanel(view, "cfg");
  await deserializeWebviewPanel(panel, { tab: "lineage", uri: "file:///repo/configs/rl.toml" });
  await panel.receive({ type: "ready" });
  assert.deepStrictEqual([panel.sent[0].tab, panel.sent[0].uri], ["lineage", "file:///repo/configs/rl.toml"]);
});

test("the manifest names only what the extension registers", () => {
  const { contributes } = require("../package.json");
  const source = require("node:fs").readFileSync(path.join(__dirname, "../extension.js"), "utf8");
  for (const { command } of contributes.commands) {
    assert.ok(source.includes(`"${command}"`), command);
  }
  for (const { id } of contributes.views.explorer) {
    assert.ok(source.includes(`"${id}"`), id);
  }
});

test("what decides which program runs is no setting of a workspace", () => {
  const { capabilities, contributes } = require("../package.json");
  const { properties } = contributes.configuration;
  for (const name of ["cfg.path", "cfg.arguments", "cfg.useVenv"]) {
    assert.strictEqual(properties[name].scope, "machine", name);
    assert.ok(capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name), name);
  }
  assert.strictEqual(properties["cfg.useVenv"].default, false);
  assert.deepStrictEqual(properties["cfg.kind"].enum.slice(1), require("../lib/settings.js").KINDS);
});
