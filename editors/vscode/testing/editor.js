// A stand-in for VS Code and for the language client, as much of them as the extension uses: `load` gives a fresh extension and what it did.
"use strict";

const Module = require("node:module");
const path = require("node:path");

const folder = path.join(__dirname, "..");

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
  }
  async fire(event) {
    for (const listener of this.listeners) {
      await listener(event);
    }
  }
}

class Uri {
  constructor(scheme, file, query = "") {
    Object.assign(this, { scheme, path: file, query, fsPath: file });
  }
  static file = (file) => new Uri("file", file);
  static from = ({ scheme, path: file, query }) => new Uri(scheme, file, query);
  static joinPath = (base, ...names) => new Uri(base.scheme, path.join(base.path, ...names));
  static parse(text) {
    const [, scheme, file, query] = /^(\w+):(?:\/\/)?([^?]*)(?:\?(.*))?$/.exec(text);
    return new Uri(scheme, file, query);
  }
  toString() {
    return `${this.scheme}://${this.path}${this.query ? `?${this.query}` : ""}`;
  }
}

/** A config that is open. */
function document(file) {
  return { uri: Uri.file(file), languageId: "toml", isClosed: false, save: async () => true };
}

/**
 * @param {object} at
 * @param {Record<string, unknown>} [at.user] the user's own settings
 * @param {Record<string, unknown>} [at.workspace] those of the workspace
 * @param {string[]} [at.folders]
 * @param {boolean} [at.isTrusted]
 * @param {(method: string, parameters: any) => any} [at.answer] what the server answers
 * @param {boolean} [at.isDeaf] whether the program ends without an answer
 * @param {string[]} [at.installed] the ids of other extensions
 * @param {string} [at.choice] the file that is chosen in the dialogue for files
 * @param {string} [at.reason] what is typed where a reason is asked for
 */
function load({ user = {}, workspace = {}, folders = [], isTrusted = true, answer = () => undefined, isDeaf = false, choice, reason, installed = [] } = {}) {
  const { properties } = require("../package.json").contributes.configuration;
  const events = {};
  const on = (name) => (events[name] ??= new EventEmitter()).event;
  const seen = { messages: [], clients: [], commands: new Map(), panels: [], log: [], logShown: 0, shown: [], asked: [], contexts: {}, executed: [] };
  const status = { isShown: false, show: () => (status.isShown = true), hide: () => (status.isShown = false), dispose() {} };

  const vscode = {
    EventEmitter,
    Uri,
    TreeItem: class {
      constructor(label, state) {
        Object.assign(this, { label, state });
      }
    },
    ThemeColor: class {
      constructor(id) {
        this.id = id;
      }
    },
    TreeItemCollapsibleState: { None: 0, Expanded: 2 },
    StatusBarAlignment: { Left: 1 },
    ViewColumn: { One: 1, Beside: -2 },
    ConfigurationTarget: { Global: 1 },
    window: {
      activeTextEditor: undefined,
      visibleTextEditors: [],
      createOutputChannel: () => ({ appendLine: (line) => seen.log.push(line), append() {}, show: () => (seen.logShown += 1), dispose() {} }),
      createStatusBarItem: () => status,
      showErrorMessage: (...words) => new Promise((resolve) => seen.messages.push({ words, press: resolve })),
      showWarningMessage: async (...words) => void seen.messages.push({ words }),
      showOpenDialog: async () => (choice ? [Uri.file(choice)] : undefined),
      showInputBox: async ({ prompt }) => (seen.asked.push({ prompt, beside: seen.shown.at(-1)?.text }), reason),
      showInformationMessage: async (...words) => void seen.messages.push({ words }),
      showTextDocument: async (shown, options) => {
        const uri = shown.uri ?? shown;
        seen.shown.push({ uri: uri.toString(), ...options, ...(uri.scheme === "cfg" ? { text: seen.provider.provideTextDocumentContent(uri) } : {}) });
      },
      registerTreeDataProvider: () => ({ dispose() {} }),
      registerWebviewPanelSerializer: (view, serializer) => ((seen.serializer = { view, ...serializer }), { dispose() {} }),
      createWebviewPanel(view, title, _column, options) {
        const panel = new EventEmitter();
        const received = new EventEmitter();
        const disposed = new EventEmitter();
        Object.assign(panel, { view, title, options, sent: [], receive: (message) => received.fire(message), dispose: () => disposed.fire() });
        panel.webview = {
          cspSource: "https://panel.test",
          asWebviewUri: (uri) => uri,
          onDidReceiveMessage: received.event,
          postMessage: async (message) => panel.sent.push(message),
        };
        Object.assign(panel, { onDidDispose: disposed.event, reveal() {} });
        seen.panels.push(panel);
        return panel;
      },
      onDidChangeActiveTextEditor: on("editor"),
      onDidChangeWindowState: on("window"),
    },
    workspace: {
      isTrusted,
      workspaceFolders: folders.map((folder) => ({ uri: Uri.file(folder) })),
      textDocuments: [],
      asRelativePath: (uri) => path.basename(uri.path),
      openTextDocument: async (uri) => ({ uri, languageId: "toml", isClosed: false }),
      registerTextDocumentContentProvider: (_scheme, provider) => ((seen.provider = provider), { dispose() {} }),
      getConfiguration: (section) => ({
        get: (name) => workspace[name] ?? user[name] ?? properties[`${section}.${name}`]?.default,
        inspect: (name) => ({ globalValue: user[name], workspaceValue: workspace[name], defaultValue: properties[`${section}.${name}`]?.default }),
        update: async (name, value) => {
          user[name] = value;
          await events.configuration.fire({ affectsConfiguration: (section) => section === "cfg" });
        },
      }),
      onDidCloseTextDocument: on("close"),
      onDidChangeConfiguration: on("configuration"),
      onDidChangeWorkspaceFolders: on("folders"),
      onDidGrantWorkspaceTrust: on("trust"),
      onDidChangeTextDocument: on("change"),
      onDidSaveTextDocument: on("save"),
    },
    extensions: { getExtension: (id) => installed.find((own) => own === id) },
    languages: { onDidChangeDiagnostics: on("diagnostics"), setTextDocumentLanguage: async (document) => document },
    commands: {
      registerCommand: (name, run) => (seen.commands.set(name, run), { dispose() {} }),
      executeCommand: async (name, ...words) => {
        seen.executed.push(name);
        if (name === "setContext") {
          seen.contexts[words[0]] = words[1];
        }
      },
    },
  };

  class LanguageClient {
    constructor(_id, _name, server, options) {
      Object.assign(this, { server, options, state: "new", code2ProtocolConverter: { asUri: String } });
      this.protocol2CodeConverter = { asUri: Uri.parse, asRange: (range) => range };
      seen.clients.push(this);
    }
    async start() {
      this.child = await this.server();
      if (isDeaf) {
        await new Promise((resolve) => this.child.once("close", resolve));
        throw new Error("the connection was closed");
      }
      this.state = "running";
    }
    isRunning() {
      return this.state === "running";
    }
    async stop() {
      this.state = "stopped";
      this.child.kill();
    }
    async sendRequest(method, parameters) {
      return answer(method, parameters);
    }
    error() {}
  }
  const client = { LanguageClient, RevealOutputChannelOn: { Never: 4 }, CloseAction: { DoNotRestart: 1, Restart: 2 }, ErrorAction: { Continue: 1 } };

  // All modules of the extension anew: each keeps what it knows in variables of its own.
  for (const known of Object.keys(require.cache).filter((file) => file === path.join(folder, "extension.js") || file.startsWith(path.join(folder, "lib")))) {
    delete require.cache[known];
  }
  const before = Module._load;
  Module._load = (name, ...rest) => ({ vscode, "vscode-languageclient/node": client })[name] ?? before(name, ...rest);
  let extension;
  try {
    extension = require("../extension.js");
  } finally {
    Module._load = before;
  }
  const context = { extensionPath: folder, extensionUri: Uri.file(folder), subscriptions: [] };
  return {
    extension,
    vscode,
    user,
    seen,
    status,
    events,
    start: () => extension.activate(context),
    /** Changes a setting of the user, and waits until it counts. */
    change: (name, value) => vscode.workspace.getConfiguration("cfg").update(name, value),
    /** Gives a config the focus. */
    open(file) {
      const opened = document(file);
      vscode.workspace.textDocuments.push(opened);
      vscode.window.activeTextEditor = { document: opened };
      return opened;
    },
    /** Ends what runs, and no timer is left. */
    async end() {
      await extension.deactivate();
      context.subscriptions.forEach((subscription) => subscription.dispose());
    },
  };
}

module.exports = { load, Uri };
