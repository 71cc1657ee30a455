// Documents that commands have made of configs, and that follow these configs.
"use strict";

const vscode = require("vscode");

/** Documents with which commands have answered, by their address. They follow the config that they are about. */
class Outcomes {
  constructor() {
    this.known = new Map();
    this.changed = new vscode.EventEmitter();
  }

  set(uri, outcome) {
    this.known.set(uri.toString(), { uri, ...outcome });
    this.changed.fire(uri);
  }

  forget(uri) {
    this.known.delete(uri.toString());
  }

  text(uri) {
    return this.known.get(uri.toString())?.text ?? "";
  }

  /** Asks for each anew. Where a config has none any more, the reason stands in its place: what was true of an older text helps nobody. */
  async renew(ask) {
    for (const outcome of [...this.known.values()].filter(({ command }) => command !== undefined)) {
      const text = await ask(outcome.command, outcome.of).then(
        (document) => document?.text ?? outcome.text,
        (error) => (outcome.command === "cfg.compile" ? `# ${error.message}\n` : `${error.message}\n`),
      );
      if (this.known.get(outcome.uri.toString()) === outcome && text !== outcome.text) {
        this.set(outcome.uri, { command: outcome.command, of: outcome.of, text });
      }
    }
  }
}

module.exports = { Outcomes };
