// How the user gets the program, or shows where it is.
"use strict";

const path = require("node:path");
const vscode = require("vscode");

/** Shows how the program is installed; `extension` is the extension's own folder. A command is put into a terminal, and it is for the user to run it. */
async function install(extension) {
  const ways = [
    { label: "uv tool install cfg-prime-rl", description: "from PyPI, once it is released there" },
    { label: "cargo install --path .", description: "in a clone of the repository of cfg" },
    { label: "Read more", description: "the extension's page", isPage: true },
  ];
  const way = await vscode.window.showQuickPick(ways, { title: "Install cfg", placeHolder: "A command is written into a terminal; you run it" });
  if (way?.isPage) {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.file(path.join(extension, "README.md")));
  } else if (way !== undefined) {
    const terminal = vscode.window.createTerminal("cfg");
    terminal.show();
    terminal.sendText(way.label, false);
  }
}

/** Lets the user show where the program lies. The setting that names it starts it. */
async function choose() {
  const chosen = await vscode.window.showOpenDialog({ canSelectMany: false, openLabel: "Use This Program", title: "The program cfg" });
  if (chosen?.length === 1) {
    await vscode.workspace.getConfiguration("cfg").update("path", chosen[0].fsPath, vscode.ConfigurationTarget.Global);
  }
}

module.exports = { choose, install };
