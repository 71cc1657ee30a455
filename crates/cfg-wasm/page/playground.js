// The page: sends the config and the options as questions, and shows the answers. Texts are only inserted as text nodes.

import { load } from "./cfg.js";
import { examples } from "./examples.js";

const byId = (id) => document.getElementById(id);
const inputs = { text: byId("text"), target: byId("target"), kind: byId("kind"), count: byId("count"), card: byId("card") };
const GIB = 2 ** 30;

/** An element with classes and children. */
function element(name, classes = "", ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

/** A sentence of cfg as nodes: what stands in backticks is code. */
function sentence(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", "", part) : part));
}

const cfg = await load(fetch("cfg.wasm"));

function fill(select, values, labels = values) {
  select.append(...values.map((value, index) => new Option(labels[index], value)));
}

const known = cfg.ask({ ask: "known" });
fill(inputs.target, ["main", ...known.releases.toReversed()]);
fill(inputs.kind, known.kinds);
fill(inputs.card, ["", ...known.cards], ["any", ...known.cards]);
fill(byId("example"), examples.map((_, index) => index), examples.map((example) => example.title));
byId("version").textContent = `cfg ${known.version}`;

/** What is asked about. */
function config() {
  const { text, target, kind, count, card } = inputs;
  const stated = { text: text.value, path: "config.toml", target: target.value };
  if (kind.value) stated.kind = kind.value;
  if (card.value) stated.gpu = `${Math.max(1, Number(count.value) || 1)}x ${card.value}`;
  return stated;
}

/** Replaces a part of the text as if it was typed, so that the browser's undo brings it back. */
function replace(start, end, text) {
  if (inputs.text.value.slice(start, end) === text) return;
  inputs.text.focus();
  inputs.text.setSelectionRange(start, end);
  const isDone = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
  if (!isDone) inputs.text.setRangeText(text, start, end, "end");
}

function show({ text, target, kind = "", gpu = "" }) {
  replace(0, inputs.text.value.length, text);
  inputs.target.value = target;
  inputs.kind.value = kind;
  const [count, ...card] = gpu.split("x ");
  inputs.count.value = gpu ? count : 2;
  inputs.card.value = card.join("x ");
  answer();
}

/** Asks everything, and shows it. */
function answer() {
  const start = performance.now();
  const stated = config();
  const report = cfg.ask({ ask: "check", ...stated });
  const took = performance.now() - start;
  showReport(report, took);
  showMemory(stated.gpu ? cfg.ask({ ask: "memory", ...stated }) : { error: "Choose a card to see what each GPU holds." });
  values = cfg.ask({ ask: "compile", ...stated });
  showValues();
}

// The config.

// No config has more lines with a key; a text that a link unpacks to can have millions of empty ones.
const MAX_NUMBERED = 50_000;

function gutter(marks) {
  const lines = Math.min(inputs.text.value.split("\n").length, MAX_NUMBERED);
  const numbers = Array.from({ length: lines }, (_, index) => element("div", marks.get(index + 1) ?? "", String(index + 1)));
  byId("gutter").replaceChildren(...numbers);
  byId("gutter").scrollTop = inputs.text.scrollTop;
}

/** The place in the text of an offset in bytes. */
function place(offset) {
  return new TextDecoder().decode(new TextEncoder().encode(inputs.text.value).subarray(0, offset)).length;
}

function select(range) {
  inputs.text.focus();
  inputs.text.setSelectionRange(place(range.start.offset), place(range.end.offset));
  const height = parseFloat(getComputedStyle(inputs.text).lineHeight);
  inputs.text.scrollTop = Math.max(0, (range.start.line - 4) * height);
}

function repair(fix) {
  // All edits as one, so that one undo takes all of them back.
  const edits = fix.edits
    .map(({ range, new_text }) => [place(range.start.offset), place(range.end.offset), new_text])
    .toSorted(([one], [other]) => one - other);
  const begin = edits[0][0];
  const { text, end } = edits.reduce(
    ({ text, end }, [start, next, with_text]) => ({ text: text + inputs.text.value.slice(end, start) + with_text, end: next }),
    { text: "", end: begin },
  );
  replace(begin, end, text);
  answer();
}

// The findings.

const VERDICTS = { ok: "prime-rl accepts it", rejected: "prime-rl refuses it", depends: "it depends on what is not in the config" };

function showReport(report, took) {
  const file = report.files?.[0];
  const verdict = byId("verdict");
  verdict.className = file?.verdict ?? "rejected";
  verdict.textContent = file
    ? `${file.kind ?? "config"}, prime-rl ${file.target ?? "unknown"}: ${VERDICTS[file.verdict]}. Checked in ${took.toFixed(1)} ms.`
    : report.error;
  const found = (file?.diagnostics ?? []).filter((finding) => !finding.echo);
  const marks = new Map();
  for (const { range, severity } of found.toReversed()) if (range) marks.set(range.start.line, severity);
  gutter(marks);
  byId("findings").replaceChildren(...(found.length ? found.map(finding) : [element("li", "none", "Nothing is wrong with it.")]));
}

function finding(found) {
  const { code, name, severity, message, help, range, fixes } = found;
  const item = element("li", severity);
  const head = element("p", "", element("b", "", `${severity} `), element("code", "", name), " ", ...sentence(message));
  item.append(head);
  if (help) item.append(element("p", "help", ...sentence(help)));
  const actions = element("p", "actions");
  if (range) {
    const go = element("button", "", `line ${range.start.line}`);
    go.addEventListener("click", () => select(range));
    actions.append(go);
  }
  for (const fix of fixes.filter(({ edits }) => edits.length > 0)) {
    const mend = element("button", `fix ${fix.applicability}`, ...sentence(fix.title));
    if (fix.applicability === "unsafe") mend.title = "It may change what the config means";
    mend.addEventListener("click", () => repair(fix));
    actions.append(mend);
  }
  const page = element("a", "", `${code}: why`);
  page.href = `../rules/${name}/`;
  actions.append(page);
  item.append(actions);
  return item;
}

// The memory.

const gib = (bytes) => `${(bytes / GIB).toFixed(1)} GiB`;

function showMemory(report) {
  const box = byId("memory");
  if (report.error) return box.replaceChildren(element("p", "none", ...sentence(report.error)));
  const parts = report.gpus.map(gpu);
  parts.push(...report.layout_errors.map((error) => element("p", "error", error)));
  parts.push(...report.remedies.slice(0, 4).map((remedy) => element("p", "help", ...sentence(`${remedy.change} (${remedy.verdict})`))));
  const others = report.fits_on.slice(0, 6).join(", ");
  if (others) parts.push(element("p", "help", `Fits as it is on: ${others}`));
  box.replaceChildren(...parts);
}

function gpu({ index, name, total_bytes, roles, verdict, reasons, trainer, inference, held_high_bytes }) {
  const all = [...pieces("trainer", trainer), ...pieces("inference", inference)];
  const scale = Math.max(total_bytes, held_high_bytes, all.reduce((sum, piece) => sum + piece.bytes, 0));
  const bar = element("div", "bar");
  for (const { role, name: part, bytes } of all) {
    const piece = element("span", role);
    piece.style.width = `${(100 * bytes) / scale}%`;
    piece.title = `${role}: ${part}, ${gib(bytes)}`;
    bar.append(piece);
  }
  const limit = element("i");
  limit.style.left = `${(100 * total_bytes) / scale}%`;
  limit.title = `${name} has ${gib(total_bytes)}`;
  bar.append(limit);
  const title = element("p", verdict, `GPU ${index} (${name}, ${gib(total_bytes)}), ${roles.join(" and ")}: ${verdict}`);
  const list = element("ul");
  for (const { role, name: part, bytes } of all.toSorted((one, other) => other.bytes - one.bytes)) {
    list.append(element("li", role, `${part} ${gib(bytes)}`));
  }
  const box = element("div", "gpu", title, bar, list);
  box.append(...reasons.map((reason) => element("p", "help", reason)));
  return box;
}

function pieces(role, report) {
  if (!report) return [];
  const parts = report.parts.map(({ name, bytes }) => ({ role, name, bytes }));
  return [...parts, { role, name: "context", bytes: report.context_bytes }].filter(({ bytes }) => bytes > 0);
}

// The values.

let values = {};

function showValues() {
  const body = byId("values");
  if (values.error) {
    const cell = element("td", "none", ...sentence(values.error));
    cell.colSpan = 3;
    return body.replaceChildren(element("tr", "", cell));
  }
  const [wanted, all] = [byId("filter").value.trim(), byId("defaults").checked];
  const shown = values.values.filter((value) => (all || wanted || !value.default) && value.key.includes(wanted));
  const row = ({ key, value, origin, default: is_default }) =>
    element("tr", is_default ? "default" : "", element("td", "", key), element("td", "", JSON.stringify(value)), element("td", "", origin));
  body.replaceChildren(...shown.map(row));
}

// The link.

async function link() {
  const packed = new Blob([JSON.stringify(config())]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `#${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

// A link can be made by anybody, and a short one can unpack to gigabytes: what is longer than the longest config is not read to its end.
const MAX_LINKED_BYTES = 16 * 1024 * 1024;

async function unpacked(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    length += value.length;
    if (length > MAX_LINKED_BYTES) {
      await reader.cancel();
      throw new RangeError("the link holds too much");
    }
    parts.push(value);
  }
}

async function linked() {
  const letters = location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const { text, target, kind = "", gpu = "" } = JSON.parse(new TextDecoder().decode(await unpacked(bytes)));
    return [text, target, kind, gpu].every((part) => typeof part === "string") ? { text, target, kind, gpu } : undefined;
  } catch {
    return undefined;
  }
}

byId("link").addEventListener("click", async () => {
  history.replaceState(null, "", await link());
  const button = byId("link");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "It is in the address";
  }
});
addEventListener("hashchange", async () => {
  const stated = await linked();
  if (stated) show(stated);
});

// Events of the user.

let pending;
inputs.text.addEventListener("input", () => {
  clearTimeout(pending);
  pending = setTimeout(answer, 80);
});
inputs.text.addEventListener("scroll", () => (byId("gutter").scrollTop = inputs.text.scrollTop));
for (const input of [inputs.target, inputs.kind, inputs.count, inputs.card]) input.addEventListener("change", answer);
let chosen = byId("example").value;
byId("example").addEventListener("change", ({ target }) => {
  const text = inputs.text.value;
  const isOwn = text.trim() !== "" && examples.every((example) => example.text !== text);
  if (isOwn && !confirm("Replace your text by this example? Undo brings it back.")) {
    target.value = chosen;
    return;
  }
  chosen = target.value;
  show(examples[chosen]);
});
byId("stated").addEventListener("submit", (event) => event.preventDefault());
for (const id of ["filter", "defaults"]) byId(id).addEventListener("input", showValues);

show((location.hash && (await linked())) || examples[0]);
