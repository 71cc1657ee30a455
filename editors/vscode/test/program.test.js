// Where the program is looked for, and what is never run.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { findProgram } = require("../lib/program.js");

/** A folder with an extension, a home, a workspace and a folder in PATH, all without programs. */
function machine(t) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "cfg-")));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const at = (...names) => path.join(root, ...names);
  fs.mkdirSync(at("work"));
  const put = (...names) => {
    fs.mkdirSync(path.dirname(at(...names)), { recursive: true });
    fs.writeFileSync(at(...names), "#!/bin/sh\n", { mode: 0o755 });
    return at(...names);
  };
  const asked = { setting: "", extension: at("extension"), folders: [at("work")], mayUseVenv: false, env: { PATH: at("bin") }, home: at("home"), platform: "linux", arch: "x64" };
  return { at, put, find: (changed = {}) => findProgram({ ...asked, ...changed }) };
}

test("the setting comes first, then the extension's own program, then PATH", (t) => {
  const { at, put, find } = machine(t);
  assert.strictEqual(find().program, undefined);
  const usual = put("home", ".cargo", "bin", "cfg");
  assert.deepStrictEqual(find(), { program: usual, from: "PATH" });
  const inPath = put("bin", "cfg");
  assert.deepStrictEqual(find(), { program: inPath, from: "PATH" });
  const own = put("extension", "bin", "linux-x64", "cfg");
  assert.deepStrictEqual(find(), { program: own, from: "the extension" });
  assert.strictEqual(find({ arch: "arm64" }).program, inPath, "a program for another processor is not taken");
  const chosen = put("other", "cfg-dev");
  assert.deepStrictEqual(find({ setting: chosen }), { program: chosen, from: "cfg.path" });
  put("home", "own", "cfg");
  assert.strictEqual(find({ setting: "~/own/cfg" }).program, at("home", "own", "cfg"));
  assert.strictEqual(find({ setting: "cfg" }).program, inPath, "a name is looked for in PATH");
});

test("a setting that names nothing is said, and nothing else is run in its place", (t) => {
  const { at, put, find } = machine(t);
  put("bin", "cfg");
  for (const setting of [at("nothing"), at("work"), "./cfg", "work/cfg", "other-cfg"]) {
    const found = find({ setting });
    assert.strictEqual(found.program, undefined, setting);
    assert.match(found.wrong, /cfg\.path/, setting);
  }
});

test("a program that has lost its permission to run gets it back", (t) => {
  const { put, find } = machine(t);
  const own = put("extension", "bin", "linux-x64", "cfg");
  fs.chmodSync(own, 0o644);
  assert.strictEqual(find().program, own);
});

test("a workspace can't have its program run by being in PATH", (t) => {
  const { at, put, find } = machine(t);
  const inside = put("work", "bin", "cfg");
  const found = find({ env: { PATH: at("work", "bin") } });
  assert.strictEqual(found.program, undefined);
  assert.ok(found.looked.some((line) => line.startsWith(`${inside}: not used`)), found.looked.join("\n"));
  // Nor through relative folders, which are those of the workspace.
  assert.strictEqual(find({ env: { PATH: "bin:.::" } }).program, undefined);
  // Nor through a link out of PATH, or a link to the workspace.
  fs.mkdirSync(at("bin"));
  fs.symlinkSync(inside, at("bin", "cfg"));
  assert.strictEqual(find().program, undefined);
  fs.symlinkSync(at("work"), at("link"));
  assert.strictEqual(find({ env: { PATH: at("link", "bin") } }).program, undefined);
  assert.strictEqual(find({ folders: [at("link")], env: { PATH: at("work", "bin") } }).program, undefined);
});

test("the repository around an opened folder counts as the workspace", (t) => {
  const { at, put, find } = machine(t);
  fs.mkdirSync(at("work", ".git"));
  fs.mkdirSync(at("work", "configs"));
  put("work", "tools", "cfg");
  assert.strictEqual(find({ folders: [at("work", "configs")], env: { PATH: at("work", "tools") } }).program, undefined);
  assert.strictEqual(find({ folders: [], env: { PATH: at("work", "tools") } }).program, at("work", "tools", "cfg"));
});

test("the .venv of a workspace is used only where the user allows it", (t) => {
  const { put, find } = machine(t);
  const venv = put("work", ".venv", "bin", "cfg");
  const refused = find();
  assert.strictEqual(refused.program, undefined);
  assert.ok(refused.looked.some((line) => line.startsWith(venv)));
  assert.deepStrictEqual(find({ mayUseVenv: true }), { program: venv, from: "the workspace's .venv" });
  const own = put("extension", "bin", "linux-x64", "cfg");
  assert.strictEqual(find({ mayUseVenv: true }).program, own);
});
