// The packages: what is in them, and for which platform.
"use strict";

const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const zlib = require("node:zlib");

const here = path.join(__dirname, "..");
const skip = fs.existsSync(path.join(here, "node_modules")) ? false : "there are no node_modules; run `npm ci`";

/** A folder, and what building into it says. */
function workshop(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cfg-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const build = (...words) => {
    const { status, stderr } = spawnSync(process.execPath, [path.join(here, "build.mjs"), "--offline", "--out", folder, ...words], { encoding: "utf8" });
    return { status, stderr };
  };
  return { folder, build };
}

/** The first bytes of a program for Linux on such a processor. */
function elf(machine) {
  const bytes = Buffer.alloc(64);
  bytes.write("\x7fELF", "latin1");
  bytes.writeUInt16LE(machine, 18);
  return bytes;
}

/** Names, permissions and contents of a zip file, read from its directory. */
function unpacked(bytes) {
  const end = bytes.length - 22;
  const files = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [packed, length] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)];
    const [mode, start] = [bytes.readUInt32LE(at + 38) >>> 16, bytes.readUInt32LE(at + 42)];
    const from = start + 30 + bytes.readUInt16LE(start + 26);
    files.set(bytes.toString("utf8", at + 46, at + 46 + length), { mode, content: zlib.inflateRawSync(bytes.subarray(from, from + packed)) });
    at += 46 + length;
  }
  return files;
}

test("a package has all that the manifest names, and both licences", { skip }, (t) => {
  const { folder, build } = workshop(t);
  assert.deepStrictEqual(build(), { status: 0, stderr: "" });
  const [name] = fs.readdirSync(folder);
  const first = fs.readFileSync(path.join(folder, name));
  const files = unpacked(first);
  const { contributes, main } = require("../package.json");
  const named = [main, contributes.languages[0].configuration, contributes.grammars[0].path, "./README.md", "./media/view.js", "./media/view.css"];
  for (const file of named) {
    assert.ok(files.has(`extension/${path.posix.normalize(file)}`), file);
  }
  for (const [, required] of files.get("extension/extension.js").content.toString().matchAll(/require\("\.\/(lib\/[^"]*)"\)/g)) {
    assert.ok(files.has(`extension/${required}`), required);
  }
  const licence = files.get("extension/LICENSE.txt").content.toString();
  assert.match(licence, /Permission is hereby granted/);
  assert.match(licence, /Apache License/);
  assert.ok(![...files.keys()].some((file) => /^extension\/(bin|test|testing)\//.test(file)));
  build();
  assert.ok(first.equals(fs.readFileSync(path.join(folder, name))), "the same sources give the same bytes");
});

test("a package for a platform has its program, which may be run, and no other's", { skip }, (t) => {
  const { folder, build } = workshop(t);
  const program = path.join(folder, "cfg");
  fs.writeFileSync(program, elf(0x3e));
  fs.writeFileSync(path.join(folder, "THIRD-PARTY.md"), "notices");
  const wrong = build("--platform", "linux-arm64", "--program", program);
  assert.deepStrictEqual([wrong.status, wrong.stderr.trim()], [2, `build.mjs: ${program} is no program for linux-arm64`]);
  assert.strictEqual(build("--platform", "beos-x64", "--program", program).status, 2);
  assert.strictEqual(build("--platform", "linux-x64").status, 2);
  assert.deepStrictEqual(build("--platform", "linux-x64", "--program", program), { status: 0, stderr: "" });
  const { version } = require("../package.json");
  const files = unpacked(fs.readFileSync(path.join(folder, `cfg-prime-rl-linux-x64-${version}.vsix`)));
  assert.strictEqual(files.get("extension/bin/linux-x64/cfg").mode, 0o100755);
  assert.strictEqual(files.get("extension/package.json").mode, 0o100644);
  assert.ok(files.has("extension/bin/linux-x64/THIRD-PARTY.md"));
  assert.match(files.get("extension.vsixmanifest").content.toString(), /TargetPlatform="linux-x64"/);
});

/** A package that was built for this machine, such as by `cargo xtask vsix`. */
const built = process.env.CFG_VSIX;

test("a package that was built has the program of this machine, which starts", { skip: built ? false : "CFG_VSIX names no package" }, (t) => {
  const { name, version } = require("../package.json");
  const platform = `${process.platform}-${process.arch}`;
  assert.strictEqual(path.basename(built), `${name}-${platform}-${version}.vsix`);
  const files = unpacked(fs.readFileSync(built));
  const inside = [...files.keys()].filter((file) => file.startsWith("extension/bin/")).sort();
  const program = `extension/bin/${platform}/${process.platform === "win32" ? "cfg.exe" : "cfg"}`;
  assert.deepStrictEqual(inside, [`extension/bin/${platform}/THIRD-PARTY.md`, program]);
  assert.match(files.get("extension/LICENSE.txt").content.toString(), /Permission is hereby granted[^]*Apache License/);
  assert.match(files.get(inside[0]).content.toString(), /tower-lsp-server/);
  assert.ok(files.has("extension/node_modules/vscode-languageclient/package.json"));
  const { folder } = workshop(t);
  const unpackedProgram = path.join(folder, path.basename(program));
  fs.writeFileSync(unpackedProgram, files.get(program).content, { mode: files.get(program).mode & 0o777 });
  const { stdout } = spawnSync(unpackedProgram, ["--version"], { encoding: "utf8" });
  assert.match(stdout, new RegExp(`^cfg ${version.replaceAll(".", "\\.")}`));
});

test("the grammar's patterns are sound", () => {
  const grammar = JSON.parse(fs.readFileSync(path.join(here, "syntaxes", "toml.tmLanguage.json"), "utf8"));
  const visit = (rule) => {
    for (const [key, value] of Object.entries(rule)) {
      if (["match", "begin", "end"].includes(key)) {
        assert.doesNotThrow(() => new RegExp(value, "u"), value);
      } else if (key === "include") {
        assert.ok(Object.hasOwn(grammar.repository, value.slice(1)), value);
      } else if (typeof value === "object") {
        visit(value);
      }
    }
  };
  visit(grammar);
  const { repository } = grammar;
  const [header] = repository.header.patterns;
  assert.match("  [[orchestrator.\"a.b\".env]] # x", new RegExp(header.match));
  assert.match("# /// config", new RegExp(repository.metadata.begin));
  assert.match("# ///", new RegExp(repository.metadata.end));
  assert.doesNotMatch("# version = \"v3\"", new RegExp(repository.metadata.end));
});
