// The extension in a real VS Code: what a user sees at first, of problems, in the status bar, and in the view; and how a config is written. Each step
// is checked; with `--write`, pictures are put into pictures/. `cargo xtask vsix --check` installs what this needs and runs it, `cargo xtask vsix
// --pictures` with `--write`.
//
// CODE_SERVER names the folder that code-server and playwright-core are installed in, CFG_CHROMIUM the browser (/usr/bin/chromium), CFG_PROGRAM the program
// (that of a debug build), CFG_VSIX the package for this platform, CFG_PICTURES a folder for a picture of every fifth step of writing. What isn't there,
// the test names, and is skipped.
import assert from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const here = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = resolve(here, "..", "..");
const installed = process.env.CODE_SERVER ?? "";
const server = join(installed, "node_modules", "code-server", "out", "node", "entry.js");
const browser = process.env.CFG_CHROMIUM ?? "/usr/bin/chromium";
const program = process.env.CFG_PROGRAM ?? join(root, "target", "debug", "cfg");
const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

const skip =
  installed === "" || !existsSync(server)
    ? "there is no code-server; name the folder that it is installed in with CODE_SERVER"
    : [browser, program].filter((file) => !existsSync(file)).map((file) => `there is no ${file}`)[0] ?? false;

/** After so long, in milliseconds, something hangs. */
const PATIENCE = 60_000;

const BROKEN = `# /// config
# prime_rl = "0.8.0"
# hardware = "2x H100"
# ///
max_steps = 200
seq_len = 4096

[ckpt]
interval = 50

[model]
name = "Qwen/Qwen3-8B"

[trainer.model.lora]
rank = 16

[orchestrator]
batch_size = 64
rollouts_per_example = 8

[orchestrator.train.sampling]
max_completion_tokens = 1024

[[orchestrator.train.source]]
legacy = { id = "reverse-text" }

[inference]
gpu_memory_utilization = 1.9
`;

const FITTING = "configs/prime-rl/qwen3-8b-2xh100-v080.toml";

/** A port that nobody listens on. */
function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

/** A folder of a test, which is gone afterwards, once what runs in it has been closed: the last first. */
function workshop(t) {
  const folder = mkdtempSync(join(tmpdir(), "cfg-code-"));
  const closing = [];
  t.after(async () => {
    for (const close of closing.reverse()) {
      await close();
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  return { at: (...names) => join(folder, ...names), closing };
}

/** A real VS Code with a package of the extension, in a browser: it has the folder `work` open. */
async function editor({ at, closing }, vsix) {
  const data = ["--user-data-dir", at("data"), "--extensions-dir", at("extensions")];
  // Nothing of the machine counts: no other program is found, and no settings.
  const env = { HOME: at("home"), PATH: "/usr/bin:/bin" };
  mkdirSync(at("home"));
  execFileSync(process.execPath, [server, ...data, "--install-extension", vsix], { env, stdio: "ignore" });
  const settings = (name, values) => {
    mkdirSync(at("data", name), { recursive: true });
    writeFileSync(at("data", name, "settings.json"), JSON.stringify(values));
  };
  settings("User", {
    "chat.commandCenter.enabled": false,
    "editor.fontSize": 13,
    "editor.minimap.enabled": false,
    "explorer.autoReveal": false,
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.colorTheme": "Default Light Modern",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
  });

  const port = await freePort();
  const options = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"];
  const running = spawn(process.execPath, [server, ...data, ...options, at("work")], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => running.once("exit", done));
  closing.push(async () => {
    try {
      process.kill(-running.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
    await ended;
  });
  await new Promise((done, failed) => {
    running.stdout.on("data", (line) => (String(line).includes("HTTP server listening") ? done() : undefined));
    running.once("exit", () => failed(new Error("code-server ended")));
  });

  const { chromium } = createRequire(join(installed, "package.json"))("playwright-core");
  const chrome = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  closing.push(() => chrome.close());
  const page = await chrome.newPage({ viewport: { width: 1180, height: 720 } });
  page.setDefaultTimeout(PATIENCE);
  const open = async (name) => {
    // A whole path is found without ripgrep, which is not installed.
    await page.keyboard.press("Control+p");
    await page.locator(".quick-input-widget input").first().fill(at("work", name));
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name.split("/").at(-1) }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(`.tab.active[data-resource-name="${name.split("/").at(-1)}"]`).waitFor();
  };
  const status = (words) => page.locator(".statusbar-item").filter({ hasText: words }).first();
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(at("work"))}`);
  await page.locator(".explorer-folders-view").waitFor();
  return { page, open, status, settings };
}

test("a real VS Code shows problems, status and memory", { skip, timeout: 8 * PATIENCE }, async (t) => {
  const { at, closing } = workshop(t);
  mkdirSync(at("work"));
  for (const name of ["configs", "registry.json", ".cfg"]) {
    cpSync(join(root, name), at("work", name), { recursive: true });
  }
  writeFileSync(at("work", "rl.toml"), BROKEN);

  // Packages are made of what is there now.
  execFileSync(process.execPath, [join(here, "build.mjs"), "--offline", "--out", at()], { stdio: "ignore" });
  const { page, open, status, settings } = await editor({ at, closing }, at(`${manifest.name}-${manifest.version}.vsix`));
  const picture = async (name) => {
    if (process.argv.includes("--write")) {
      mkdirSync(join(here, "pictures"), { recursive: true });
      await page.screenshot({ path: join(here, "pictures", `${name}.png`) });
    }
  };

  await open("rl.toml");

  // The first run without a program: one message with what can be done, and colours all the same.
  const message = page.locator(".notification-toast").filter({ hasText: "was not found" });
  await message.waitFor();
  const buttons = await message.locator(".monaco-button").allTextContents();
  assert.deepStrictEqual(buttons.map((button) => button.trim()).filter((button) => button !== ""), ["Install", "Choose…", "Show Log"]);
  assert.strictEqual(await page.locator(".monaco-dialog-box").count(), 0);
  assert.ok((await page.locator(".view-line").first().locator("span[class*=mtk]").count()) > 0);
  await picture("first-run");

  // The program is named in the settings, and runs at once.
  settings("Machine", { "cfg.path": program });
  await status("prime-rl 0.8.0 · rl").waitFor();
  assert.match(await status("prime-rl 0.8.0 · rl").textContent(), /error/);
  await page.locator(".notification-toast .codicon-notifications-clear, .notification-toast .codicon-close").first().click({ force: true }).catch(() => {});
  await page.keyboard.press("Control+Shift+m");
  await page.locator(".markers-panel .monaco-list-row").filter({ hasText: "rollouts_per_example" }).first().waitFor();
  await picture("problems");
  await page.keyboard.press("Control+Shift+m");

  // A config that fits, and the report behind its status.
  await open(FITTING);
  const fits = status(/fits 2x H100 \(\d+ of 79 GiB\)/);
  await fits.waitFor();
  await picture("status");
  await fits.locator("a").first().click();
  const view = page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
  await view.locator("td", { hasText: "KV cache" }).first().waitFor();
  await picture("memory");

  // A click leads to the line that decides it; and the view follows the file.
  await view.locator("a", { hasText: "KV cache" }).click();
  const text = readFileSync(at("work", FITTING), "utf8");
  const line = text.split("\n").findIndex((line) => line.startsWith("gpu_memory_utilization")) + 1;
  await status(`Ln ${line}, Col`).waitFor();
  const cache = view.locator("tr").filter({ hasText: "KV cache" });
  const [before] = /[\d.]+ GiB/.exec(await cache.textContent());
  writeFileSync(at("work", FITTING), text.replace(/^gpu_memory_utilization = .*$/m, "gpu_memory_utilization = 0.5"));
  await cache.filter({ hasNotText: before }).waitFor();
  writeFileSync(at("work", FITTING), text);
  await cache.filter({ hasText: before }).waitFor();

  await view.getByRole("tab", { name: "Lineage" }).click();
  await view.locator("circle.current").waitFor();
  await picture("lineage");
});

/**
 * What is typed, and the label of the item that is then accepted. Keys in angle brackets are pressed: they move the cursor, or insert a line below it,
 * which is not taken by a list of values that opens by itself. All others begin words.
 */
const WRITING = [
  ["# ", "# /// config"],
  ["<Control+Home><Control+Enter># ha", "hardware"],
  ["<Control+End><Control+Enter><Control+Enter>max_s", "max_steps"],
  ["<Control+Enter>seq", "seq_len"],
  ["<Control+Enter><Control+Enter>[mod", "model"],
  ["<Control+Enter>na", "name"],
  ["Qwen3-0", '"Qwen/Qwen3-0.6B"'],
  ["<Control+Enter><Control+Enter>[op", "trainer.optim"],
  ["<Control+Enter>lr", "lr"],
  ["<Control+Enter><Control+Enter>[orch", "orchestrator"],
  ["<Control+Enter>batch", "batch_size"],
  ["<Control+Enter>gro", "group_size"],
  ["<Control+Enter><Control+Enter>[sam", "orchestrator.train.sampling"],
  ["<Control+Enter>max_com", "max_completion_tokens"],
  ["<Control+Enter><Control+Enter>[[sou", "orchestrator.train.source"],
  ["<Control+Enter>leg", "legacy"],
  ["id", "id"],
  ["reverse", '"reverse-text"'],
  ["<Control+Enter><Control+Enter>[inf", "inference"],
];

test("a config that trains is written by completion alone", { skip, timeout: 8 * PATIENCE }, async (t) => {
  const { at, closing } = workshop(t);
  mkdirSync(at("work"));
  writeFileSync(at("work", "rl.toml"), "");
  execFileSync(process.execPath, [join(here, "build.mjs"), "--offline", "--out", at()], { stdio: "ignore" });
  const { page, open, status, settings } = await editor({ at, closing }, at(`${manifest.name}-${manifest.version}.vsix`));
  settings("Machine", { "cfg.path": program, "editor.quickSuggestions": { other: "off" }, "editor.suggestOnTriggerCharacters": false });
  await open("rl.toml");
  await status("prime-rl").waitFor();

  const rows = page.locator(".suggest-widget.visible .monaco-list-row");
  const focused = page.locator(".suggest-widget.visible .monaco-list-row.focused .label-name");
  for (const [number, [typed, label]] of WRITING.entries()) {
    for (const [, key, words] of typed.matchAll(/<([^>]+)>|([^<]+)/g)) {
      await (key ? page.keyboard.press(key) : page.keyboard.type(words));
    }
    await page.keyboard.press("Control+Space");
    await rows.filter({ hasText: label }).first().waitFor();
    const offered = [];
    for (let moves = 0; moves < 40; moves += 1) {
      offered.push(await focused.textContent());
      if (offered.at(-1) === label) {
        break;
      }
      await page.keyboard.press("ArrowDown");
    }
    assert.strictEqual(offered.at(-1), label, `after ${typed}: ${offered.join(", ")}`);
    if (number % 5 === 4 && process.env.CFG_PICTURES) {
      await page.screenshot({ path: join(process.env.CFG_PICTURES, `writing-${number + 1}.png`) });
    }
    await page.keyboard.press("Enter");
    await page.locator(".suggest-widget.visible").waitFor({ state: "hidden" });
    // A place of a snippet is left with its value.
    await page.keyboard.press("Escape");
  }

  await status(/fits .* \(\d+ of \d+ GiB\)/).waitFor();
  await page.keyboard.press("Control+s");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  const checked = execFileSync(program, ["check", "--deny", "warnings", at("work", "rl.toml")], { encoding: "utf8" });
  assert.match(checked, /no problems/);
});

const built = process.env.CFG_VSIX;
const noPackage = built ? skip : "CFG_VSIX names no package";

test("the package for this platform brings its program, which is found without a word", { skip: noPackage, timeout: 4 * PATIENCE }, async (t) => {
  const { at, closing } = workshop(t);
  mkdirSync(at("work"));
  writeFileSync(at("work", "rl.toml"), BROKEN);
  const { page, open, status } = await editor({ at, closing }, built);
  await open("rl.toml");
  await status("prime-rl 0.8.0 · rl").waitFor();
  assert.match(await status("prime-rl 0.8.0 · rl").textContent(), /3 errors/);
  assert.strictEqual(await page.locator(".notification-toast, .monaco-dialog-box").count(), 0);
});
