// Whether the server formats configs beside other extensions.
"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { formats, needsRestart } = require("../lib/settings.js");

test("configs are formatted unless another extension does, or as the user says", () => {
  const taplo = (id) => id === "tamasfe.even-better-toml";
  assert.strictEqual(formats({ format: "auto" }, () => false), true);
  assert.strictEqual(formats({ format: "auto" }, taplo), false);
  assert.strictEqual(formats({ format: "on" }, taplo), true);
  assert.strictEqual(formats({ format: "off" }, () => false), false);
  assert.strictEqual(needsRestart({ format: "auto" }, { format: "off" }), true);
});
