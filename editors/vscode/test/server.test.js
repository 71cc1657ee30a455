// The real program's answers, read as the extension reads them. `CFG_PROGRAM` names the program; else it is that of a debug build.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const { placeOf } = require("../lib/places.js");
const reports = require("../lib/report.js");
const { statusOf } = require("../lib/status.js");

const root = path.join(__dirname, "..", "..", "..");
const program = process.env.CFG_PROGRAM ?? path.join(root, "target", "debug", process.platform === "win32" ? "cfg.exe" : "cfg");
const modules = path.join(__dirname, "..", "node_modules");
const skip = !fs.existsSync(program) ? "there is no program; build it or name it in CFG_PROGRAM" : !fs.existsSync(modules) ? "there are no node_modules; run `npm ci`" : false;

/** What the server says of a config: each lens, each report, its symbols. */
async function asked(file) {
  const rpc = require("vscode-jsonrpc/node");
  const child = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  connection.listen();
  const uri = pathToFileURL(path.join(root, file)).href;
  const about = { textDocument: { uri } };
  const capabilities = { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } };
  await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities, initializationOptions: { virtualDocuments: true } });
  await connection.sendNotification("initialized", {});
  const text = fs.readFileSync(path.join(root, file), "utf8");
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "toml", version: 1, text } });
  const report = async (command) => (await connection.sendRequest("workspace/executeCommand", { command, arguments: [uri] })).text;
  const answer = {
    text,
    titles: (await connection.sendRequest("textDocument/codeLens", about)).map((lens) => lens.command.title),
    symbols: await connection.sendRequest("textDocument/documentSymbol", about),
    memory: await report("cfg.memory"),
    curriculum: await report("cfg.curriculum"),
    lineage: await report("cfg.lineage"),
  };
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  await new Promise((resolve) => child.once("close", resolve));
  connection.dispose();
  return answer;
}

test("what the program says is understood", { skip }, async () => {
  const file = "configs/prime-rl/qwen25-3b-2x5090-curriculum.toml";
  const answer = await asked(file);
  assert.match(statusOf(answer.titles, answer.memory).text, /^prime-rl 0\.3\.0 · rl · fits 2x RTX 5090 \(\d+ of 31 GiB\)$/);
  const { gpus } = reports.memory(answer.memory);
  assert.deepStrictEqual(gpus.map(({ does }) => does), ["vLLM", "trainer"]);
  for (const gpu of gpus) {
    const sum = gpu.parts.reduce((sum, part) => sum + part.amount, 0);
    assert.ok(Math.abs(sum - gpu.total) < 0.5, `${sum} of ${gpu.total} GiB`);
    assert.strictEqual(gpu.notes.filter((note) => / GiB [█#]/.test(note)).length, 0, "each part is read");
  }
  const [schedule] = reports.curriculum(answer.curriculum);
  assert.deepStrictEqual(schedule.phases.map(({ shares }) => shares.reduce((sum, share) => sum + share.percent, 0)), [100, 100, 100, 100]);
  const place = placeOf(answer.symbols, { keys: ["curriculum_phases"], number: 2, within: schedule.key });
  assert.match(answer.text.split("\n").slice(place.start.line - 1, place.start.line + 2).join("\n"), /^\[\[orchestrator\.env\.args\.curriculum_phases\]\]\nuntil_step = 400/m);
  const { versions, current } = reports.lineage(answer.lineage);
  assert.strictEqual(current.config, file);
  assert.ok(versions.some(({ name }) => name === `${file}:${current.version}`));
  assert.ok(versions.slice(1).every(({ parent }) => parent >= 0), "each comes from one above it");
});
