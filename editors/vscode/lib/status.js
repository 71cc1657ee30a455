// What the status bar says of a config.
"use strict";

const reports = require("./report.js");

/** So much in whole GiB, or with a digit where whole ones would look alike. */
function amounts(held, total) {
  const [whole, card] = [Math.round(held), Math.round(total)];
  return whole === card ? `${held.toFixed(1)} of ${total.toFixed(1)} GiB` : `${whole} of ${card} GiB`;
}

/** How bad a verdict is. */
const BADNESS = { fits: 0, unknown: 1, tight: 2, "out-of-memory": 3, "start-up-failure": 3 };

const IN_WORDS = {
  fits: (card) => `fits ${card}`,
  tight: (card) => `tight on ${card}`,
  "out-of-memory": (card) => `too large for ${card}`,
  "start-up-failure": (card) => `does not start on ${card}`,
};

/** What becomes of the GPU that has the least room: `{ text, isBad }`; nothing where that is not known. */
function ofMemory(report) {
  const { gpus } = reports.memory(report);
  const share = (gpu) => (gpu.total && gpu.peak ? gpu.peak / gpu.total : 0);
  const badness = (gpu) => BADNESS[gpu.verdict] ?? 1;
  const [worst] = gpus.filter((gpu) => IN_WORDS[gpu.verdict]).sort((a, b) => badness(b) - badness(a) || share(b) - share(a));
  if (worst === undefined) {
    return undefined;
  }
  const count = gpus.reduce((sum, gpu) => sum + gpu.count, 0);
  const card = count > 1 ? `${count}x ${worst.card}` : worst.card;
  const room = worst.peak && worst.total ? ` (${amounts(worst.peak, worst.total)})` : "";
  const cannotStart = /^Can't start:/m.test(report);
  return cannotStart
    ? { text: `can't start on ${card}`, isBad: true }
    : { text: `${IN_WORDS[worst.verdict](card)}${room}`, isBad: badness(worst) > 2 };
}

/**
 * The status of a config, from the titles of its lenses and its report of memory: `{ text, tooltip, isBad }`. Nothing for a file that is no config.
 *
 * @param {string[]} titles
 * @param {string} report
 */
function statusOf(titles, report) {
  const first = titles.map((title) => /^([^\s,]+), (.*): ([^:;]*)(?:;.*)?$/.exec(title)).find((found) => found !== null);
  if (!first) {
    return undefined;
  }
  const [, kind, target, found] = first;
  const isAssumed = /assumed/.test(target);
  const release = `${target.split(/, | \(/)[0]}${isAssumed ? " (assumed)" : ""}`;
  const errors = /\d+ errors?/.exec(found)?.[0];
  const memory = ofMemory(report);
  const text = [release, kind, ...(errors ? [errors] : []), ...(memory ? [memory.text] : [])].join(" · ");
  return { text, tooltip: titles.join("\n"), isBad: memory?.isBad === true };
}

module.exports = { statusOf };
