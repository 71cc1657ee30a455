// Starts `cfg lsp` and shows what it has to show beside the text. What is right or wrong in a config is the server's to say.
"use strict";

const { execFile, spawn } = require("node:child_process");
const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");
const vscode = require("vscode");
const { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } = require("vscode-languageclient/node");
const { choose, install } = require("./lib/install.js");
const { Outcomes } = require("./lib/outcomes.js");
const { Panel, VIEW } = require("./lib/panel.js");
const { fileOf, placeOf } = require("./lib/places.js");
const { findProgram } = require("./lib/program.js");
const reports = require("./lib/report.js");
const { ReportView } = require("./lib/tree.js");
const settingsOf = require("./lib/settings.js");
const { statusOf } = require("./lib/status.js");
const { subjectOf } = require("./lib/subject.js");

const SCHEME = "cfg";

/** The tabs of the view, each with the command whose answer it draws. */
const TABS = { memory: "cfg.memory", curriculum: "cfg.curriculum", lineage: "cfg.lineage" };

/** So long a program may take for its first answer, in milliseconds; and so long for a report. */
const FIRST_ANSWER = 20_000;
const REPORT = 15_000;

const outcomes = new Outcomes();

/** A client that leaves it to the extension to tell the user what went wrong, in one message. */
class Client extends LanguageClient {
  error(message, data, showNotification) {
    super.error(message, data, showNotification === "force" ? false : showNotification);
  }
}

/** The views beside the files, each with the command that fills it. */
const views = { "cfg.memory": new ReportView(), "cfg.lineage": new ReportView() };

let extension;
let log;
let status;
let panel;
let settings;
let client;
/** Where the program was found that runs. */
let program;
/** Whether no program was found the last time. */
let isMissing = false;
/** What the user was told last of why nothing runs: once is enough. */
let told;
/** Whether a notice of that may still be open. */
let isNoticed = false;
/** Starts and stops go one after the other. */
let queue = Promise.resolve();

/** The folders of the workspace that lie on this machine. */
function folders() {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

function find() {
  const { platform, arch, env } = process;
  const mayUseVenv = settings.useVenv && vscode.workspace.isTrusted;
  return findProgram({ setting: settings.path, extension, folders: folders(), mayUseVenv, env, home: os.homedir(), platform, arch });
}

/** Starts what is found; says so once where there is nothing to start. */
async function start() {
  settings = settingsOf.read(vscode.workspace.getConfiguration("cfg"));
  const found = find();
  isMissing = found.program === undefined;
  if (isMissing) {
    for (const line of [...found.looked, ...(found.wrong ? [found.wrong] : [])]) {
      log.appendLine(line);
    }
    tell(found.wrong ?? "The program cfg, which checks configs of prime-rl, was not found", { canInstall: true });
    return;
  }
  const words = settingsOf.forServer(settings);
  log.appendLine(`${found.program} ${words.join(" ")} (from ${found.from})`);
  log.appendLine("The settings of configs are those of cfg.toml and [tool.cfg] of pyproject.toml around each; cfg.target, cfg.kind and cfg.gpu of VS Code take precedence. `cfg check --show-settings FILE` lists them");
  program = found.program;
  await run(found.program, words);
}

/** Starts the program, and waits until it answers. */
async function run(file, words) {
  let child;
  let isUp = false;
  let lastWords = "";
  const ends = [];
  const own = new Client("cfg", "cfg", serverOf, {
    documentSelector: [{ language: "toml" }, { pattern: "**/*.toml" }, { pattern: "**/registry.json" }],
    initializationOptions: {
      virtualDocuments: true,
      suggestCommand: "editor.action.triggerSuggest",
      format: settingsOf.formats(settings, (id) => vscode.extensions.getExtension(id) !== undefined),
    },
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed() {
        if (!isUp || client !== own) {
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        ends.push(Date.now());
        if (ends.filter((time) => Date.now() - time < 180_000).length <= 3) {
          return { action: CloseAction.Restart, handled: true };
        }
        client = undefined;
        tell(`cfg ended four times within three minutes${lastWords ? `: ${lastWords}` : ""}`);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: { executeCommand: answered },
  });

  async function serverOf() {
    child = spawn(file, words, { cwd: folders()[0], windowsHide: true });
    child.stderr.on("data", (data) => {
      lastWords = String(data).trim().split("\n").find((line) => line.trim() !== "") ?? lastWords;
    });
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    // What goes wrong later ends the connection, too.
    child.on("error", () => {});
    return child;
  }

  client = own;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${FIRST_ANSWER / 1000} s`)), FIRST_ANSWER);
  });
  try {
    await Promise.race([own.start(), late]);
    isUp = true;
    if (isNoticed) {
      // The notice that nothing runs is out of date; no message can be taken back alone.
      vscode.commands.executeCommand("notifications.hideToasts");
    }
    told = undefined;
    isNoticed = false;
  } catch (error) {
    if (client === own) {
      client = undefined;
    }
    child?.kill();
    tell(`cfg does not start: ${lastWords || error.message}`, { canInstall: lastWords === "" });
  } finally {
    clearTimeout(timer);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  program = undefined;
  if (old !== undefined && old.isRunning()) {
    await old.stop().catch((error) => log.appendLine(error.message));
  }
}

/** Stops what runs and starts what the settings say now. */
function restart() {
  queue = queue.then(stop).then(start).then(refresh).catch((error) => log.appendLine(String(error?.stack ?? error)));
  return queue;
}

const [INSTALL, CHOOSE, LOG, AGAIN] = ["Install", "Choose…", "Show Log", "Restart"];

/** Says why nothing runs, with what can be done about it. The same is not said twice. Nothing waits for the answer. */
function tell(why, { canInstall = false } = {}) {
  log.appendLine(why);
  status.text = isMissing ? "$(warning) cfg is missing" : "$(warning) cfg does not run";
  status.tooltip = `${why}. Click to try again.`;
  status.command = "cfg.restart";
  status.backgroundColor = undefined;
  status.show();
  if (told === why) {
    return;
  }
  told = why;
  isNoticed = true;
  const buttons = canInstall ? [INSTALL, CHOOSE, LOG] : [AGAIN, LOG];
  vscode.window.showErrorMessage(settingsOf.inert(`${why}.`), ...buttons).then(async (button) => {
    if (button === INSTALL) {
      await install(extension);
    } else if (button === CHOOSE) {
      await choose();
    } else if (button === LOG) {
      log.show();
    } else if (button === AGAIN) {
      told = undefined;
      await restart();
    }
  });
}

/** The outcome of a command behind a lens is shown here, too. A version needs a reason, which the server can't ask for. */
async function answered(command, parameters, next) {
  const tab = Object.keys(TABS).find((tab) => TABS[tab] === command);
  if (tab !== undefined && parameters.length > 0) {
    const of = vscode.Uri.parse(parameters[0]).toString();
    subject = vscode.workspace.textDocuments.find((document) => document.uri.toString() === of) ?? subject;
    return panel.show(tab);
  }
  if (command === "cfg.bump" && parameters.length < 2) {
    if (!(await showVersion(parameters[0]))) {
      return undefined;
    }
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
    // What there is to know about the version besides its name: a notification would cut it.
    if (document?.made?.includes("\n")) {
      await show(parameters[0], undefined, { title: `${path.basename(parameters[0], ".toml")}.version.txt`, language: "cfg-report", text: document.made });
    }
    await refresh();
  }
  return document;
}

/**
 * Shows what a new version would record, before its reason is asked for: as `cfg bump` says it, with what there is to know before, and the changes since
 * the last version, as `cfg diff` says them. Where there is no version to be made, says why, and answers with false.
 */
async function showVersion(of) {
  const uri = client.protocol2CodeConverter.asUri(of);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  await open?.save();
  // Short paths leave room for the changes.
  const [folder, name] = [path.dirname(uri.fsPath), path.basename(uri.fsPath)];
  const version = await said(["bump", "--dry-run", "--color=never", "--", name], folder);
  if (version.code !== 0) {
    vscode.window.showWarningMessage(settingsOf.inert(version.stderr.trim() || "cfg bump failed"));
    return false;
  }
  // A config that has no version yet has no changes.
  const changes = await output(["diff", "--color=never", "--", name], folder).catch(() => "");
  const text = [version.stdout, version.stderr, changes].map((part) => part.trim()).filter((part) => part !== "");
  await show(of, undefined, { title: `${path.basename(name, ".toml")}.changes.txt`, language: "cfg-report", text: `${text.join("\n\n")}\n` });
  return true;
}

async function show(of, command, document) {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${document.title}`, query: `${command ?? "version"}&${of}` });
  outcomes.set(uri, { command, of, text: document.text });
  const opened = await vscode.workspace.openTextDocument(uri);
  await vscode.languages.setTextDocumentLanguage(opened, document.language);
  await vscode.window.showTextDocument(opened, { preview: true, viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

/** The config that the views are about: that of the last editor of a file that had the focus. */
let subject;

function currentSubject() {
  subject = subjectOf(vscode.window.activeTextEditor, subject);
  return subject;
}

/** Asks the server for a document about a config. */
async function askAbout(command, of) {
  if (client === undefined || !client.isRunning()) {
    throw new Error("cfg does not run");
  }
  return client.sendRequest("workspace/executeCommand", { command, arguments: [of] });
}

/** Runs the program, and answers with what it says, and with its exit status. */
function said(words, cwd) {
  return new Promise((resolve) => {
    execFile(program, words, { cwd, timeout: REPORT, maxBuffer: 1 << 24, windowsHide: true }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? (error ? -1 : 0), stdout, stderr: stderr || (error?.message ?? "") });
    });
  });
}

/** Runs the program for one answer. That it found something wrong is an answer, too. */
async function output(words, cwd) {
  const { code, stdout, stderr } = await said(words, cwd);
  if (code === 0 || (code === 1 && stdout.trim() !== "")) {
    return stdout;
  }
  throw new Error(stderr.trim().split("\n").at(-1));
}

/** The text of a report about a config. For a machine of the user's own choice, the program is asked of the file as it was saved. */
async function report(command, uri) {
  if (command === "cfg.memory" && settings.gpu !== "" && uri.scheme === "file" && program !== undefined) {
    const text = await output(settingsOf.forMemory(settings, uri.fsPath), path.dirname(uri.fsPath));
    return `${text}For ${settings.gpu}, as the setting cfg.gpu says, and for the file as it was saved\n`;
  }
  const document = await askAbout(command, client?.code2ProtocolConverter.asUri(uri));
  return document?.text ?? "";
}

/** The text of a report about the config at hand; nothing where it has none. */
async function textOf(command) {
  const document = currentSubject();
  return document === undefined ? "" : report(command, document.uri).catch(() => "");
}

/** Shows what a click in the view leads to: a line of the config, another config, or the text of a version. */
async function go(target, of, text) {
  try {
    if (target.keys !== undefined) {
      const asked = { textDocument: { uri: client.code2ProtocolConverter.asUri(of) } };
      const symbols = await client.sendRequest("textDocument/documentSymbol", asked);
      const place = placeOf(symbols ?? [], target);
      if (place !== undefined) {
        await reveal(of, client.protocol2CodeConverter.asRange(place));
      }
      return;
    }
    const { current } = reports.lineage(text);
    const known = current && fileOf(target.config, of.fsPath, current.config);
    if (known === undefined) {
      throw new Error(`the file of ${target.version} was not found`);
    }
    if (current.config === target.config && target.version === `${current.config}:${current.version}`) {
      await reveal(of);
      return;
    }
    const version = await output(["show", "--color=never", "--", target.version], known.root);
    const onDisk = known.file && (await fs.readFile(known.file, "utf8").catch(() => undefined));
    if (onDisk === version) {
      await reveal(vscode.Uri.file(known.file));
    } else {
      await show(target.version, undefined, { title: `${target.version.replace(/^.*\//, "").replace(":", " ")}.toml`, language: "toml", text: version });
    }
  } catch (error) {
    vscode.window.showWarningMessage(settingsOf.inert(error.message));
  }
}

async function reveal(uri, selection) {
  const open = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  await vscode.window.showTextDocument(uri, { viewColumn: open?.viewColumn ?? vscode.ViewColumn.One, selection });
}

function showing(tab) {
  return async () => {
    currentSubject();
    await panel.show(tab);
  };
}

async function showCompiled() {
  try {
    const document = currentSubject();
    const of = document && client?.code2ProtocolConverter.asUri(document.uri);
    const made = of && (await askAbout("cfg.compile", of));
    if (made) {
      await show(of, "cfg.compile", made);
    }
  } catch (error) {
    vscode.window.showWarningMessage(settingsOf.inert(error.message));
  }
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
    vscode.window.showWarningMessage(settingsOf.inert(error.message));
  }
}

/** Counts the times that the views were renewed: of two at once the later one counts. */
let round = 0;

/** Renews the views, the status, and the documents that were made of configs. Where there is nothing to show, a view is away. */
async function refresh() {
  round += 1;
  const own = round;
  if (client === undefined || !client.isRunning()) {
    return;
  }
  for (const [command, view] of Object.entries(views)) {
    let text = await textOf(command);
    if (own !== round) {
      return;
    }
    if (command === "cfg.memory") {
      await renewStatus(text);
    } else {
      // The list below the drawing is for the document.
      text = text.split("\n\n")[0].replaceAll(/^( *)[*+:] /gm, "$1");
    }
    view.set(text);
    const shows = command === "cfg.memory" ? "cfg.isConfig" : "cfg.isRegistered";
    await vscode.commands.executeCommand("setContext", shows, text !== "");
  }
  await panel.refresh();
  await outcomes.renew(askAbout);
}

/** What the config at hand is, and whether it fits. */
async function renewStatus(memory) {
  const document = currentSubject();
  const asked = document && client && { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } };
  const lenses = asked ? await client.sendRequest("textDocument/codeLens", asked).catch(() => undefined) : undefined;
  const shown = statusOf((lenses ?? []).map((lens) => lens.command?.title ?? ""), memory);
  if (shown === undefined) {
    status.hide();
    return;
  }
  status.text = shown.text;
  status.tooltip = shown.tooltip;
  status.command = "cfg.showMemory";
  status.backgroundColor = shown.isBad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  status.show();
}

async function checkAll() {
  if (client !== undefined) {
    const answer = await client.sendRequest("workspace/executeCommand", { command: "cfg.checkWorkspace", arguments: [] });
    vscode.window.setStatusBarMessage(`cfg: ${answer.checked} configs checked`, 5000);
  }
}

/** Other settings count at once: what the program is started with, by starting it anew; the rest where it is used. */
async function settingsChanged() {
  const before = settings;
  settings = settingsOf.read(vscode.workspace.getConfiguration("cfg"));
  if (settingsOf.needsRestart(before, settings)) {
    told = undefined;
    await restart();
  } else {
    await refresh();
  }
}

/** Looks once more where nothing runs: the program may have been installed meanwhile. */
async function lookAgain() {
  await queue;
  if (isMissing && find().program !== undefined) {
    await restart();
  }
}

async function activate(context) {
  extension = context.extensionPath;
  log = vscode.window.createOutputChannel("cfg");
  status = vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Left, 0);
  status.name = "cfg";
  settings = settingsOf.read(vscode.workspace.getConfiguration("cfg"));
  panel = new Panel(context.extensionUri, {
    subject: currentSubject,
    report: (tab, of) => report(TABS[tab], of),
    go,
    async restore(uri) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)).then((document) => document, () => undefined);
      subject ??= document;
    },
  });
  let waiting;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 300);
  };
  context.subscriptions.push(
    log,
    status,
    { dispose: () => clearTimeout(waiting) },
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: outcomes.changed.event,
      provideTextDocumentContent: (uri) => outcomes.text(uri),
    }),
    vscode.workspace.onDidCloseTextDocument((document) => outcomes.forget(document.uri)),
    ...Object.entries(views).map(([id, view]) => vscode.window.registerTreeDataProvider(id, view)),
    vscode.window.registerWebviewPanelSerializer(VIEW, {
      async deserializeWebviewPanel(restored, state) {
        await panel.take(restored, state);
      },
    }),
    vscode.commands.registerCommand("cfg.showCompiled", showCompiled),
    vscode.commands.registerCommand("cfg.showMemory", showing("memory")),
    vscode.commands.registerCommand("cfg.showCurriculum", showing("curriculum")),
    vscode.commands.registerCommand("cfg.showLineage", showing("lineage")),
    vscode.commands.registerCommand("cfg.makeVersion", makeVersion),
    vscode.commands.registerCommand("cfg.checkAll", checkAll),
    vscode.commands.registerCommand("cfg.showLog", () => log.show()),
    vscode.commands.registerCommand("cfg.restart", () => {
      told = undefined;
      return restart();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("cfg") ? settingsChanged() : undefined)),
    // What lies in the workspace now is not to be run.
    vscode.workspace.onDidChangeWorkspaceFolders(() => (client !== undefined && find().program !== program ? restart() : undefined)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => (settings.useVenv ? restart() : undefined)),
    vscode.window.onDidChangeWindowState(({ focused }) => (focused ? lookAgain() : undefined)),
    vscode.window.onDidChangeActiveTextEditor(async () => {
      await lookAgain();
      later();
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.languageId === "toml" && event.document.uri.scheme !== SCHEME) {
        later();
      }
    }),
    // What changes elsewhere: settings, a base, the registry.
    vscode.languages.onDidChangeDiagnostics(later),
    vscode.workspace.onDidSaveTextDocument(later),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (document.languageId === "toml" && settings.checkOnSave) {
        checkAll();
      }
    }),
  );
  await restart();
}

async function deactivate() {
  await queue;
  await stop();
}

module.exports = { activate, deactivate, subjectOf, Outcomes, ReportView };
