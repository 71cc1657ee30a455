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
  fire() {}
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
const { ReportView } = require("../extension.js");

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
