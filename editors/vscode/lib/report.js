// Reads the reports of the program: what they say, as data. A line that is not known is kept as a note, so nothing is lost.
"use strict";

const GIB = String.raw`(\d+(?:\.\d+)?) ?GiB`;
const NUMBER_OF_GPUS = /^GPU (\d+)(?: to (\d+))? \((.*?)(?:, ([\d.]+) GiB)?\), (.*?): (.+)$/;
const PART = new RegExp(`^(\\S.*?) +${GIB}(?: [█#]+)?(?: +(.*))?$`);
const PEAK = new RegExp(`peak (?:[\\d.]+ to )?${GIB}`);

/** How far a line is indented, in steps of two. */
const depthOf = (line) => Math.floor((line.length - line.trimStart().length) / 2);

/** `{ gpus, notes }` of the report of `cfg memory`. Amounts are in GiB. */
function memory(text) {
  const report = { gpus: [], notes: [] };
  let gpu;
  let role;
  for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
    const words = line.trim();
    const depth = depthOf(line);
    if (depth === 0) {
      const found = NUMBER_OF_GPUS.exec(words);
      role = undefined;
      gpu = undefined;
      if (found !== null) {
        const [, first, last = first, card, total, does, verdict] = found;
        const count = Number(last) - Number(first) + 1;
        gpu = { first: Number(first), count, card, total: total && Number(total), does, verdict, peak: undefined, notes: [], parts: [] };
        report.gpus.push(gpu);
      } else {
        report.notes.push(words);
      }
    } else if (gpu === undefined) {
      report.notes.push(`${"  ".repeat(depth)}${words}`);
    } else if (depth === 1) {
      const process = /^(trainer|vLLM):/.exec(words);
      const peak = PEAK.exec(words);
      role = process ? process[1] : undefined;
      if (peak) {
        gpu.peak = Number(peak[1]);
      }
      gpu.notes.push(words);
    } else {
      const found = PART.exec(words);
      if (found === null) {
        gpu.notes.push(words);
      } else {
        const [, name, amount, note = ""] = found;
        gpu.parts.push({ role: name === "free" ? undefined : role, name, amount: Number(amount), note });
      }
    }
  }
  return report;
}

const PHASE = /^ +(\d+) +(\S+) +(\S+)  (.{32})  (.*)$/u;

/** The schedules of `cfg plan --curriculum`: `{ id, key, notes, last, phases }` each. A phase has its bar, and the share of each kind of sample. */
function curriculum(text) {
  const schedules = [];
  for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
    const head = /^(\S.*) \(([^()]*)\)$/.exec(line);
    const phase = PHASE.exec(line);
    const scale = /^ +phase .* 0 +(\d+)  (.*)$/.exec(line);
    const schedule = schedules.at(-1);
    if (head !== null) {
      schedules.push({ id: head[1], key: head[2], notes: [], last: undefined, phases: [] });
    } else if (schedule === undefined) {
      schedules.push({ id: line.trim(), key: "", notes: [], last: undefined, phases: [] });
    } else if (phase !== null) {
      const [, number, written, begins, bar, rest] = phase;
      const [, warning = "", listed] = /^((?:may )?never begins?: )?(.*)$/.exec(rest);
      const shares = listed.split(", ").flatMap((share) => {
        const found = /^(.*) (\d+) %$/.exec(share);
        return found === null ? [] : [{ name: found[1], percent: Number(found[2]) }];
      });
      schedule.phases.push({ number: Number(number), written, begins, bar: [...bar], warning: warning.replace(/: $/, ""), shares });
    } else if (scale !== null) {
      schedule.last = Number(scale[1]);
    } else {
      schedule.notes.push(line.trim());
    }
  }
  return schedules;
}

const VERSION = /^( *)([*+:]) (.*):([^:\s]+) {2}(\d{4}-\d\d-\d\d)?(?: {2}(.*))?$/;

/**
 * `{ versions, current }` of `cfg.lineage`: the lines of the drawing, each with the number of its parent, and the version that is the current one of the
 * config that was asked about. A version stands below its parent: at its level where it is the only child and of the same config, else one further in.
 */
function lineage(text) {
  const [drawing = "", ...details] = text.split("\n\n");
  const stated = new Map();
  let current;
  for (const detail of details) {
    const head = /^(.*):([^:\s]+)(?: {2}|$)/.exec(detail.split("\n")[0]);
    const from = /^ +based on (.*?:[^:\s,]+)(?:,|$)/m.exec(detail);
    if (head && from) {
      stated.set(`${head[1]}:${head[2]}`, from[1]);
    }
    if (head && /\(current\)$/.test(detail.split("\n")[0])) {
      current = { config: head[1], version: head[2] };
    }
  }
  const versions = [];
  for (const line of drawing.split("\n")) {
    const found = VERSION.exec(line);
    if (found === null) {
      continue;
    }
    const [, indent, mark, config, version, date = "", notes = ""] = found;
    const depth = indent.length / 2;
    const name = `${config}:${version}`;
    const isParent = (above) => above.depth < depth || (above.depth === depth && above.config === config);
    const near = mark === "*" ? -1 : versions.findLastIndex(isParent);
    const known = versions.findIndex((above) => above.name === stated.get(name));
    versions.push({ name, depth, config, version, date, notes, parent: known >= 0 ? known : near, isImplied: mark === ":" });
  }
  return { versions, current };
}

module.exports = { memory, curriculum, lineage, depthOf };
