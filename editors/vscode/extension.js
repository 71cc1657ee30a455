// Starts `cfg lsp` and shows what it has to show beside the text. Everything else is the server's.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SCHEME = "cfg";

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
    for (const outcome of [...this.known.values()]) {
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

const outcomes = new Outcomes();

/** The lines of a report, as a tree. */
class ReportView {
  constructor() {
    this.lines = [];
    this.emitter = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.emitter.event;
  }

  /** What is indented belongs to the line above it. */
  set(text) {
    this.lines = [];
    for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
      const depth = Math.floor((line.length - line.trimStart().length) / 2);
      const entry = { label: line.trim(), children: [] };
      let level = this.lines;
      for (let step = 0; step < depth && level.length > 0; step += 1) {
        level = level[level.length - 1].children;
      }
      level.push(entry);
    }
    this.emitter.fire(undefined);
  }

  getTreeItem(entry) {
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(entry.label, entry.children.length > 0 ? Expanded : None);
    // A narrow view cuts a label off.
    item.tooltip = entry.label;
    return item;
  }

  getChildren(entry) {
    return entry === undefined ? this.lines : entry.children;
  }
}

let client;
/** The views beside the files, each with the command that fills it. */
const views = { "cfg.memory": new ReportView(), "cfg.lineage": new ReportView() };

function start() {
  const settings = vscode.workspace.getConfiguration("cfg");
  const run = { command: settings.get("path", "cfg"), args: settings.get("arguments", ["lsp"]) };
  client = new LanguageClient(
    "cfg",
    "cfg",
    { run, debug: run },
    {
      documentSelector: [{ language: "toml" }, { pattern: "**/*.toml" }, { pattern: "**/registry.json" }],
      initializationOptions: { virtualDocuments: true },
      middleware: {
        // The outcome of a command behind a lens is shown here, too. A version needs a reason, which the server can't ask for.
        async executeCommand(command, parameters, next) {
          if (command === "cfg.bump" && parameters.length < 2) {
            const why = await vscode.window.showInputBox({ prompt: "What was changed, and why?", ignoreFocusOut: true });
            if (!why) {
              return undefined;
            }
            parameters = [...parameters, why];
          }
          if (command === "cfg.bump") {
            // What is on the disk becomes the version.
            const of = client.protocol2CodeConverter.asUri(parameters[0]).toString();
            const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === of);
            await open?.save();
          }
          const document = await next(command, parameters);
          if (document && document.text !== undefined) {
            await show(parameters[0], command, document);
          }
          if (command === "cfg.bump") {
            await refresh();
          }
          return document;
        },
      },
    },
  );
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(`cfg does not start: ${error.message}. Install it, or name it in the setting cfg.path.`);
  });
}

async function show(of, command, document) {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${document.title}`, query: `${command}&${of}` });
  outcomes.set(uri, { command, of, text: document.text });
  const opened = await vscode.workspace.openTextDocument(uri);
  await vscode.languages.setTextDocumentLanguage(opened, document.language);
  await vscode.window.showTextDocument(opened, { preview: true, viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

/** The config that the views are about: that of the last editor of a file that had the focus. */
let subject;

/** What the views are about once an editor has the focus. The views themselves, and documents that were made of a config, change nothing. */
function subjectOf(editor, before) {
  if (editor === undefined || !["file", "untitled", "vscode-remote"].includes(editor.document.uri.scheme)) {
    return before === undefined || before.isClosed ? undefined : before;
  }
  return editor.document.languageId === "toml" ? editor.document : undefined;
}

/** Asks the server for a document about a config. */
async function askAbout(command, of) {
  if (client === undefined || !client.isRunning()) {
    throw new Error("cfg does not run");
  }
  return client.sendRequest("workspace/executeCommand", { command, arguments: [of] });
}

/** Asks the server for a document about the config at hand. */
async function ask(command) {
  subject = subjectOf(vscode.window.activeTextEditor, subject);
  if (client === undefined || subject === undefined) {
    return undefined;
  }
  const of = client.code2ProtocolConverter.asUri(subject.uri);
  return { of, document: await askAbout(command, of) };
}

function showing(command) {
  return async () => {
    try {
      const answer = await ask(command);
      if (answer !== undefined && answer.document) {
        await show(answer.of, command, answer.document);
      }
    } catch (error) {
      vscode.window.showWarningMessage(error.message);
    }
  };
}

/** Makes what is saved a version, through the middleware, which asks for the reason. */
async function makeVersion() {
  const editor = vscode.window.activeTextEditor;
  if (client === undefined || editor === undefined) {
    return;
  }
  try {
    await editor.document.save();
    await vscode.commands.executeCommand("cfg.bump", client.code2ProtocolConverter.asUri(editor.document.uri));
  } catch (error) {
    vscode.window.showWarningMessage(error.message);
  }
}

/** The text of a command about the editor's config; nothing where it has none. */
async function textOf(command) {
  const answer = await ask(command).catch(() => undefined);
  return answer && answer.document ? answer.document.text : "";
}

/** Counts the times that the views were renewed: of two at once the later one counts. */
let round = 0;

/** Renews the views, and the documents that were made of configs. Where there is nothing to show, a view is away. */
async function refresh() {
  round += 1;
  const own = round;
  for (const [command, view] of Object.entries(views)) {
    let text = await textOf(command);
    if (own !== round) {
      return;
    }
    if (command === "cfg.lineage") {
      // The list below the drawing is for the document.
      text = text.split("\n\n")[0].replaceAll(/^( *)[*+] /gm, "$1");
    }
    view.set(text);
    const shows = command === "cfg.memory" ? "cfg.isConfig" : "cfg.isRegistered";
    await vscode.commands.executeCommand("setContext", shows, text !== "");
  }
  await outcomes.renew(askAbout);
}

async function checkAll() {
  if (client !== undefined) {
    const answer = await client.sendRequest("workspace/executeCommand", { command: "cfg.checkWorkspace", arguments: [] });
    vscode.window.setStatusBarMessage(`cfg: ${answer.checked} configs checked`, 5000);
  }
}

async function activate(context) {
  let waiting;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 300);
  };
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: outcomes.changed.event,
      provideTextDocumentContent: (uri) => outcomes.text(uri),
    }),
    vscode.workspace.onDidCloseTextDocument((document) => outcomes.forget(document.uri)),
    ...Object.entries(views).map(([id, view]) => vscode.window.registerTreeDataProvider(id, view)),
    vscode.commands.registerCommand("cfg.showCompiled", showing("cfg.compile")),
    vscode.commands.registerCommand("cfg.showMemory", showing("cfg.memory")),
    vscode.commands.registerCommand("cfg.showCurriculum", showing("cfg.curriculum")),
    vscode.commands.registerCommand("cfg.showLineage", showing("cfg.lineage")),
    vscode.commands.registerCommand("cfg.makeVersion", makeVersion),
    vscode.commands.registerCommand("cfg.checkAll", checkAll),
    vscode.commands.registerCommand("cfg.restart", async () => {
      await deactivate();
      await start();
    }),
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.languageId === "toml" && event.document.uri.scheme !== SCHEME) {
        later();
      }
    }),
    // What changes elsewhere: settings, a base, the registry.
    vscode.languages.onDidChangeDiagnostics(later),
    vscode.workspace.onDidSaveTextDocument(later),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (document.languageId === "toml" && vscode.workspace.getConfiguration("cfg").get("checkOnSave", false)) {
        checkAll();
      }
    }),
  );
  await start();
  await refresh();
}

async function deactivate() {
  const old = client;
  client = undefined;
  if (old !== undefined && old.isRunning()) {
    await old.stop();
  }
}

module.exports = { activate, deactivate, subjectOf, Outcomes, ReportView };
