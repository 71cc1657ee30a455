// The parts of the extension that need no editor: `node --test`.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");
const test = require("node:test");

class EventEmitter {
  constructor() {
    this.event = () => ({ dispose() {} });
  }
  fire(_event) {}
}

const editor = {
  EventEmitter,
  TreeItem: class {
    constructor(label, state) {
      Object.assign(this, { label, state });
    }
  },
  TreeItemCollapsibleState: { None: 0, Expanded: 2 },
};
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => (name === "vscode" ? name : resolve(name, ...rest));
require.cache.vscode = { id: "vscode", filename: "vscode", loaded: true, exports: editor };
const client = require.resolve("vscode-languageclient/node", { paths: [path.join(__dirname, "..")] });
require.cache[client] = { id: client, filename: client, loaded: true, exports: { LanguageClient: class {} } };
const { Outcomes, ReportView, subjectOf } = require("../extension.js");

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
