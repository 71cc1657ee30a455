// node browser.mjs FOLDER CHROMIUM PLAYWRIGHT [PICTURES]: opens the page in a folder in a browser, types an error, and expects it to be shown; then fixes it,
// follows the page's own link, and checks that nothing was sent. With a folder for pictures, it takes screenshots.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { strict as assert } from "node:assert";
import { pathToFileURL } from "node:url";

const [folder, executablePath, playwright, pictures] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(join(playwright, "index.mjs")).href);

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", wasm: "application/wasm" };
const asked = [];
const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html");
  asked.push(`${request.method} ${path}`);
  try {
    const bytes = readFileSync(join(folder, path));
    response.writeHead(200, { "content-type": TYPES[path.split(".").at(-1)] ?? "text/plain" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const address = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(address);
  await page.locator("#findings li.error", { hasText: "gruop_size" }).waitFor();
  if (pictures) {
    await page.screenshot({ path: join(pictures, "light.png") });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: join(pictures, "dark.png"), fullPage: true });
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 400, height: 800 });
    await page.screenshot({ path: join(pictures, "narrow.png"), fullPage: true });
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  const loaded = asked.length;

  const text = page.locator("#text");
  await page.selectOption("#card", "");
  await text.fill("max_steps = 20\n[trainer]\n[orchestrator]\n");
  await page.locator("#verdict.ok").waitFor();
  await text.press("Control+End");
  await text.pressSequentially("batch_szie = 64\n");
  await page.locator("#findings li.error", { hasText: "batch_szie" }).waitFor();
  assert.equal(await page.locator("#gutter .error").textContent(), "4");

  await page.locator("#link").click();
  await page.waitForFunction(() => location.hash.length > 10);
  const link = page.url();
  await page.locator("#findings button.fix").click();
  await page.locator("#verdict.ok").waitFor();
  assert.match(await text.inputValue(), /^batch_size = 64$/m);
  await page.locator("#values tr", { hasText: "orchestrator.batch_size" }).first().waitFor();
  await text.press("Control+z");
  await page.locator("#findings li.error", { hasText: "batch_szie" }).waitFor();
  assert.equal(asked.length, loaded, `something was asked for while the user wrote: ${asked.slice(loaded)}`);

  const other = await browser.newPage();
  await other.goto(link);
  await other.locator("#findings li.error", { hasText: "batch_szie" }).waitFor();
  assert.ok(!asked.some((path) => path.includes(link.split("#")[1])), "the link was sent");

  // A fix with several edits is undone at once.
  const split = "max_steps = 20\n[trainer]\nbatch_size = 64\n[orchestrator]\n[inference]\n";
  await text.fill(split);
  await page.locator("#findings button.fix.unsafe", { hasText: "move to" }).click();
  assert.equal(await text.inputValue(), "max_steps = 20\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n");
  await text.press("Control+z");
  assert.equal(await text.inputValue(), split, "one undo takes a fix back");

  const questions = [];
  let accepts = false;
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    return accepts ? dialog.accept() : dialog.dismiss();
  });
  await page.selectOption("#example", "1");
  assert.deepEqual([await text.inputValue(), await page.inputValue("#example")], [split, "0"], "who declines keeps the text");
  accepts = true;
  await page.selectOption("#example", "1");
  await page.locator(".gpu p.fits").waitFor();
  if (pictures) await page.screenshot({ path: join(pictures, "memory.png"), fullPage: true });
  assert.equal(questions.length, 2, "an example asks before it replaces a text");
  // A text that is an example is replaced without a question, and undo brings back one's own.
  await text.press("Control+z");
  assert.equal(await text.inputValue(), split);
  assert.deepEqual(faults, []);
  console.log(`the page found the fault that was typed; it asked for ${[...new Set(asked)].join(", ")}`);
} finally {
  await browser.close();
  server.close();
}
