// What the user's settings mean for the program.
"use strict";

const FORMATS = ["auto", "on", "off"];

/** Other extensions that format TOML. */
const FORMATTERS = ["tamasfe.even-better-toml", "tombi-toml.tombi"];

const KINDS = ["rl", "trainer", "orchestrator", "inference", "sft", "hosted"];

/** A text of the settings; anything else counts as none. */
const text = (value) => (typeof value === "string" ? value.trim() : "");

/**
 * Reads the settings. What decides which program runs, and with which arguments, is taken from the user's own settings alone; those of a workspace
 * can be written by whoever made it.
 */
function read(configuration) {
  const own = (name, fallback) => {
    const found = configuration.inspect(name);
    return found?.globalValue ?? found?.defaultValue ?? fallback;
  };
  const words = own("arguments", ["lsp"]);
  // The program reads every folder that its command line names: a workspace must not choose one.
  const target = text(configuration.get("target"));
  const isChosen = !target.startsWith("path:");
  const kind = text(configuration.get("kind"));
  return {
    path: text(own("path", "")),
    useVenv: own("useVenv", false) === true,
    arguments: Array.isArray(words) ? words.filter((word) => typeof word === "string") : ["lsp"],
    target: isChosen ? target : text(own("target", "")),
    kind: KINDS.includes(kind) ? kind : "",
    gpu: text(configuration.get("gpu")),
    checkOnSave: configuration.get("checkOnSave") === true,
    format: FORMATS.includes(configuration.get("format")) ? configuration.get("format") : "auto",
  };
}

/** A text for a message, of which VS Code doesn't make a link: one that names a command would run it. */
function inert(message) {
  return message.replaceAll("](", "] (");
}

/** What all commands of the program are given. Each value is one word with its flag, so that none is taken for another flag. */
function common({ target, kind }) {
  return [...(target ? [`--target=${target}`] : []), ...(kind ? [`--kind=${kind}`] : [])];
}

/** The arguments of the language server. */
function forServer(settings) {
  return [...settings.arguments, ...common(settings), ...(settings.gpu ? [`--gpu=${settings.gpu}`] : [])];
}

/** The arguments that ask what a saved config would be on another machine. */
function forMemory(settings, file) {
  return ["memory", `--gpu=${settings.gpu}`, ...common(settings), "--color=never", "--quiet", "--", file];
}

/** Whether the server formats configs: unless stated, only where no other extension does; `isInstalled` says whether one is there. */
function formats({ format }, isInstalled) {
  return format === "on" || (format !== "off" && !FORMATTERS.some(isInstalled));
}

/** Whether the server must be started anew for other settings to count. */
function needsRestart(before, after) {
  const of = ({ path, useVenv, arguments: words, target, kind, gpu, format }) => JSON.stringify([path, useVenv, words, target, kind, gpu, format]);
  return of(before) !== of(after);
}

module.exports = { KINDS, read, inert, forServer, forMemory, formats, needsRestart };
