// node links.mjs PAGE: opens links that anybody can make in the page of that folder, with a stand-in for the browser's document: each ends, and shows the
// text of the link or an example. `cargo xtask playground --check` runs it.

import { strict as assert } from "node:assert";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";

const folder = mkdtempSync(join(tmpdir(), "cfg-links-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
cpSync(join(process.argv[2], "playground.js"), join(folder, "playground.mjs"));
writeFileSync(join(folder, "cfg.js"), "export const load = async () => globalThis.module;");
writeFileSync(join(folder, "examples.js"), 'export const examples = [{ title: "one", text: "an example", target: "0.8.0" }];');

/** The number of elements that were made. */
let made = 0;

/** An element, as much of one as the page uses. Markup can't be inserted into it. */
class Element {
  value = "";
  children = [];
  style = {};
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  setRangeText(text, start, end) {
    this.value = this.value.slice(0, start) + text + this.value.slice(end);
  }
  addEventListener() {}
  focus() {}
  setSelectionRange() {}
  set innerHTML(markup) {
    assert.fail(`markup: ${markup}`);
  }
}

/** Opens the page with a link; returns what it shows. */
async function open(hash) {
  const elements = new Map();
  made = 0;
  const getElementById = (id) => elements.get(id) ?? elements.set(id, new Element()).get(id);
  const createElement = () => {
    made += 1;
    return new Element();
  };
  const ask = ({ ask }) => {
    const answers = { known: { releases: [], kinds: [], cards: [], version: "" }, check: { files: [] }, compile: { values: [] } };
    return answers[ask] ?? { gpus: [], layout_errors: [], remedies: [], fits_on: [] };
  };
  Object.assign(globalThis, {
    document: { getElementById, createElement, execCommand: () => false },
    location: { hash },
    fetch: () => undefined,
    addEventListener: () => {},
    Option: class {},
    module: { ask },
  });
  await import(`${pathToFileURL(join(folder, "playground.mjs"))}?${Math.random()}`);
  return getElementById("text").value;
}

const packed = (stated) => `#${deflateRawSync(typeof stated === "string" ? stated : JSON.stringify(stated)).toString("base64url")}`;
const stated = { text: "a = 1", target: "0.8.0" };

assert.equal(await open(packed(stated)), "a = 1");
assert.equal(await open(packed({ ...stated, kind: "rl", gpu: "2x H100" })), "a = 1");
const malformed = ["#", "#%", "#AAAA", `#${"A".repeat(1_000_000)}`, `#${"-_".repeat(500_000)}`, packed("null"), packed("[".repeat(1_000_000)), packed("\0")];
const of_other_types = [{ gpu: 5 }, { gpu: null }, { kind: {} }, { text: ["x"] }, { target: 8 }, { target: { toString: "x" } }];
// Each unpacks to more than the longest config.
const bombs = [packed(" ".repeat(1 << 27)), packed({ ...stated, text: "a".repeat(1 << 24) })];
for (const hash of [...malformed, ...of_other_types.map((part) => packed({ ...stated, ...part })), ...bombs]) {
  assert.equal(await open(hash), "an example", hash.slice(0, 40));
}
// What is long, but no longer than a config may be, is shown; its lines make no more elements than those of a config.
assert.equal((await open(packed({ ...stated, text: "\n".repeat(7 << 20) }))).length, 7 << 20);
assert.ok(made < 60_000, `${made} elements`);
const markup = "<img src=x onerror=alert(1)> = '</textarea><script>alert(1)</script>'";
assert.equal(await open(packed({ ...stated, text: markup })), markup);
