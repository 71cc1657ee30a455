// Calls `cfg mcp` with the official client for TypeScript, `@modelcontextprotocol/sdk`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp"] }));
assert.equal(client.getServerVersion().name, "cfg");
const tools = (await client.listTools()).tools.map((tool) => tool.name);
assert.ok(tools.includes("check") && tools.includes("fix"), tools.join());

const call = (name, given) => client.callTool({ name, arguments: given });
const checked = await call("check", { paths: ["bad.toml"], target: "0.4.0" });
assert.equal(checked.structuredContent.files[0].diagnostics[0].code, "PRL101");
const text = readFileSync("bad.toml", "utf8");
const fixed = await call("fix", { text, unsafe: true, target: "0.4.0" });
assert.match(fixed.structuredContent.files[0].text, /rollouts_per_example = 16/);
const planned = await call("plan", { text: text.replace("exmaple", "example"), target: "0.4.0" });
assert.ok(!planned.isError && planned.structuredContent, JSON.stringify(planned));
assert.ok((await call("memory", { paths: ["rl.toml"], target: "no such" })).isError);

let listed = await client.listResources();
let uris = listed.resources.map((resource) => resource.uri);
while (listed.nextCursor) {
  listed = await client.listResources({ cursor: listed.nextCursor });
  uris = uris.concat(listed.resources.map((resource) => resource.uri));
}
assert.ok(uris.includes("cfg://rules/unknown-key") && uris.includes("cfg://schemas/report"));
const page = await client.readResource({ uri: "cfg://rules/unknown-key" });
assert.ok(page.contents[0].text.startsWith("# unknown-key"));
await client.close();
console.log("ok");
