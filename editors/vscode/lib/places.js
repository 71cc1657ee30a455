// Where a click in a picture leads.
"use strict";

const path = require("node:path");
const { isWithin } = require("./program.js");

/** All symbols of a document with the whole path of their keys, in the order of the text. */
function flat(symbols, above = "") {
  return symbols.flatMap((symbol) => {
    const key = above === "" ? symbol.name : `${above}.${symbol.name}`;
    return [{ key, range: symbol.selectionRange }, ...flat(symbol.children ?? [], key)];
  });
}

/**
 * The place of the first of these keys that a document has, the `number`th of its name (from 1). `within` is the item of an array that it must
 * lie in, such as `orchestrator.env[0]`.
 */
function placeOf(symbols, { keys, number = 1, within = "" }) {
  let known = flat(symbols);
  const item = /^(.*)\[(\d+)\]$/.exec(within);
  if (item !== null) {
    const starts = known.flatMap(({ key }, at) => (key === item[1] ? [at] : []));
    const own = Number(item[2]);
    if (starts[own] !== undefined) {
      known = known.slice(starts[own], starts[own + 1]);
    }
  }
  for (const wanted of keys) {
    const found = known.filter(({ key }) => key === wanted || key.endsWith(`.${wanted}`));
    if (found.length > 0) {
      return (found[number - 1] ?? found.at(-1)).range;
    }
  }
  return undefined;
}

/** The folder of the registry, from a config's path and its name there; and the file of another of its configs, if that lies below. */
function fileOf(config, ownFile, ownConfig) {
  const tail = ownConfig.split("/");
  const parts = ownFile.split(path.sep);
  if (tail.join("/") !== parts.slice(-tail.length).join("/")) {
    return undefined;
  }
  const root = parts.slice(0, -tail.length).join(path.sep) || path.sep;
  const file = path.join(root, ...config.split("/"));
  return { root, file: isWithin(file, root) ? file : undefined };
}

module.exports = { placeOf, fileOf };
