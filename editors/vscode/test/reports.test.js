// What the reports of the program become: data, a status, pictures, places.
"use strict";

const assert = require("node:assert");
const test = require("node:test");
const picture = require("../lib/picture.js");
const { fileOf, placeOf } = require("../lib/places.js");
const reports = require("../lib/report.js");
const { statusOf } = require("../lib/status.js");
const { CURRICULUM, LENSES, LINEAGE, MEMORY, TOO_LARGE } = require("../testing/reports.js");

/** All elements of a picture. */
const elements = (tree) => (typeof tree === "string" ? [] : [tree, ...tree.children.flatMap(elements)]);
const textOf = (tree) => (typeof tree === "string" ? tree : tree.children.map(textOf).join(""));

test("a report of memory is read part by part", () => {
  const { gpus, notes } = reports.memory(MEMORY);
  assert.deepStrictEqual(gpus.map(({ card, total, verdict, peak, count }) => [card, total, verdict, peak, count]), [["H100", 79.2, "fits", 71.8, 1], ["H100", 79.2, "fits", 36.9, 1]]);
  assert.deepStrictEqual(gpus[0].parts[2], { role: "vLLM", name: "KV cache", amount: 50.7, note: "369264 tokens, 22 x 16384" });
  assert.deepStrictEqual(gpus[1].parts.at(-1), { role: undefined, name: "free", amount: 42.3, note: "" });
  assert.strictEqual(notes.length, 3);
  const [four] = reports.memory(TOO_LARGE).gpus;
  assert.deepStrictEqual([four.first, four.count, four.verdict, four.parts.length], [0, 4, "out-of-memory", 3]);
  assert.deepStrictEqual(reports.memory("something new\n  of which nothing is known\n"), { gpus: [], notes: ["something new", "  of which nothing is known"] });
});

test("a curriculum is read phase by phase", () => {
  const [schedule] = reports.curriculum(CURRICULUM);
  assert.deepStrictEqual([schedule.id, schedule.key, schedule.last, schedule.notes.length], ["seconds-0/beautiful-soup-env", "orchestrator.env[0]", 1000, 1]);
  assert.deepStrictEqual(schedule.phases.map(({ begins, warning }) => [begins, warning]), [["0", ""], ["149-150", ""], ["2000", "never begins"]]);
  assert.deepStrictEqual(schedule.phases[0].shares, [{ name: "easy", percent: 20 }, { name: "primer", percent: 80 }]);
  assert.strictEqual(schedule.phases[1].bar.indexOf("░"), 4);
});

test("a lineage is read with its parents", () => {
  const { versions, current } = reports.lineage(LINEAGE);
  assert.deepStrictEqual(versions.map(({ name, parent, isImplied }) => [name, parent, isImplied]), [
    ["configs/rl.toml:v1", -1, false],
    ["configs/rl.toml:v2", 0, false],
    ["configs/rl.toml:v3", 1, true],
    ["configs/phase1.toml:v1", 2, false],
    ["configs/phase2.toml:v1", 3, false],
  ]);
  assert.deepStrictEqual(current, { config: "configs/rl.toml", version: "v3" });
});

test("the status tells the release, the kind, and whether it fits", () => {
  const text = (titles, report) => statusOf(titles, report)?.text;
  assert.strictEqual(text(LENSES, MEMORY), "prime-rl 0.8.0 · rl · fits 2x H100 (72 of 79 GiB)");
  assert.strictEqual(text(LENSES, MEMORY.split("\n").slice(0, 9).join("\n")), "prime-rl 0.8.0 · rl · fits H100 (72 of 79 GiB)");
  assert.strictEqual(text(["sft, prime-rl 0.8.0 (assumed): 2 errors, 1 warning"], ""), "prime-rl 0.8.0 (assumed) · sft · 2 errors");
  assert.strictEqual(text(["rl, prime-rl 0.8.0: 1 warning; not registered"], ""), "prime-rl 0.8.0 · rl");
  assert.strictEqual(statusOf([], MEMORY), undefined, "what is no config has no status");
  assert.strictEqual(statusOf(LENSES, MEMORY).isBad, false);
  const large = statusOf(LENSES, TOO_LARGE);
  assert.deepStrictEqual([large.text, large.isBad], ["prime-rl 0.8.0 · rl · too large for 4x RTX 4090 (23.7 of 23.5 GiB)", true]);
  assert.strictEqual(text(LENSES, `Can't start: 3 GPUs\n${MEMORY}`), "prime-rl 0.8.0 · rl · can't start on 2x H100");
});

test("a picture of memory fills the card, and its parts lead to keys", () => {
  const all = elements(picture.memory(reports.memory(MEMORY)));
  const bars = all.filter(({ tag, attributes }) => tag === "rect" && attributes.height === 36);
  assert.strictEqual(bars.length, 11);
  const ends = bars.slice(0, 6).map(({ attributes }) => attributes.x + attributes.width);
  assert.ok(Math.abs(ends.at(-1) - 720) < 1, String(ends.at(-1)));
  assert.ok(bars[2].go.keys.includes("inference.gpu_memory_utilization"));
  assert.strictEqual(bars[5].go, undefined, "what is free leads nowhere");
  assert.ok(elements(picture.memory(reports.memory(TOO_LARGE))).some(({ attributes }) => attributes.class === "limit"));
});

test("a picture of a curriculum has the shares of each phase", () => {
  const tree = picture.curriculum(reports.curriculum(CURRICULUM));
  const shares = elements(tree).filter(({ tag, children }) => tag === "rect" && children.length > 0);
  assert.deepStrictEqual(shares.map(textOf), ["easy 20 %", "primer 80 %", "easy 60 %", "medium 40 %", "easy 60 %", "medium 40 %"]);
  assert.deepStrictEqual(shares[0].go, { keys: ["curriculum_phases"], number: 1, within: "orchestrator.env[0]" });
  assert.match(textOf(tree), /phase 3.*never begins/);
});

test("a picture of a lineage has a line to each parent", () => {
  const all = elements(picture.lineage(reports.lineage(LINEAGE)));
  assert.strictEqual(all.filter(({ attributes }) => attributes.class?.startsWith("edge")).length, 4);
  assert.deepStrictEqual(all.find(({ attributes }) => attributes.class === "node current").go, { version: "configs/rl.toml:v3", config: "configs/rl.toml" });
});

test("a click finds the key that is meant", () => {
  const at = (name, line, children = []) => ({ name, selectionRange: line, children });
  const phase = "orchestrator.env.args.curriculum_phases";
  const symbols = [
    at("model", 1, [at("name", 2)]),
    at("orchestrator.env", 3, [at("id", 4)]),
    at(phase, 5),
    at("orchestrator.env", 6, [at("id", 7)]),
    at(phase, 8),
    at(phase, 9),
  ];
  assert.strictEqual(placeOf(symbols, { keys: ["trainer.optim", "model.name"] }), 2);
  assert.strictEqual(placeOf(symbols, { keys: ["curriculum_phases"], number: 2, within: "orchestrator.env[1]" }), 9);
  assert.strictEqual(placeOf(symbols, { keys: ["curriculum_phases"], number: 1, within: "orchestrator.env[0]" }), 5);
  assert.strictEqual(placeOf(symbols, { keys: ["nothing"] }), undefined);
});

test("another config of a registry lies below the registry's folder", () => {
  assert.deepStrictEqual(fileOf("configs/b.toml", "/repo/configs/a.toml", "configs/a.toml"), { root: "/repo", file: "/repo/configs/b.toml" });
  assert.strictEqual(fileOf("../../etc/passwd", "/repo/configs/a.toml", "configs/a.toml").file, undefined);
  assert.strictEqual(fileOf("configs/b.toml", "/repo/a.toml", "configs/a.toml"), undefined);
});
