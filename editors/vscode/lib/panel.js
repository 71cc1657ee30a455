// The view of memory, curriculum and lineage: a page that draws what the extension sends. It runs one script, the extension's own, and loads nothing.
"use strict";

const { randomBytes } = require("node:crypto");
const vscode = require("vscode");
const picture = require("./picture.js");
const reports = require("./report.js");

const VIEW = "cfg.report";

const TABS = {
  memory: { title: "Memory", draw: (text) => picture.memory(reports.memory(text)) },
  curriculum: { title: "Curriculum", draw: (text) => picture.curriculum(reports.curriculum(text)) },
  lineage: { title: "Lineage", draw: (text) => picture.lineage(reports.lineage(text)) },
};

/** Takes out where clicks lead: the page gets numbers alone, so it can ask for nothing else. */
function numbered(tree, targets) {
  if (typeof tree === "string") {
    return tree;
  }
  const { tag, attributes, go } = tree;
  const node = { tag, attributes, children: tree.children.map((child) => numbered(child, targets)) };
  return go === undefined ? node : { ...node, go: targets.push(go) - 1 };
}

/** The page. What isn't named by the policy is refused: no image, no font, no frame, no connection, no style or script but these two. */
function page(webview, media) {
  const nonce = randomBytes(16).toString("hex");
  const at = (name) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${at("view.css")}">
<title>cfg</title>
</head>
<body>
<header><div id="tabs" role="tablist"></div><span id="of"></span></header>
<div id="content"></div>
<script nonce="${nonce}" src="${at("view.js")}"></script>
</body>
</html>
`;
}

class Panel {
  /**
   * @param {vscode.Uri} extension the extension's own folder
   * @param {{ subject: () => vscode.TextDocument | undefined, report: (tab: string, of: vscode.Uri) => Promise<string>,
   *   go: (target: object, of: vscode.Uri, text: string) => Promise<void>, restore: (uri: string) => Promise<void> }} asks
   */
  constructor(extension, asks) {
    this.media = vscode.Uri.joinPath(extension, "media");
    this.asks = asks;
    this.tab = "memory";
    this.round = 0;
    this.drawn = undefined;
  }

  /** Shows the view beside the text, which keeps the focus. */
  async show(tab) {
    this.tab = tab;
    if (this.panel === undefined) {
      const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      this.take(vscode.window.createWebviewPanel(VIEW, "cfg", column, {}));
    } else {
      this.panel.reveal(undefined, true);
    }
    await this.refresh();
  }

  /** Takes a panel over: a new one, or one that was open when the window was closed. */
  take(panel, state) {
    this.panel = panel;
    this.isReady = false;
    this.drawn = undefined;
    if (Object.hasOwn(TABS, state?.tab ?? "")) {
      this.tab = state.tab;
    }
    panel.webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [this.media] };
    panel.webview.onDidReceiveMessage((message) => this.receive(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    // A page that was hidden begins anew and says so.
    panel.webview.html = page(panel.webview, this.media);
    return typeof state?.uri === "string" ? this.asks.restore(state.uri) : undefined;
  }

  async receive(message) {
    if (message?.type === "ready") {
      this.isReady = true;
      this.drawn = undefined;
      await this.refresh();
    } else if (message?.type === "tab" && Object.hasOwn(TABS, String(message.tab))) {
      this.tab = message.tab;
      await this.refresh();
    } else if (message?.type === "go" && this.targets?.[message.go] !== undefined) {
      await this.asks.go(this.targets[message.go], this.uri, this.text);
    }
  }

  /** Draws the report of the config at hand as it is now. Of two at once the later one counts. */
  async refresh() {
    const { panel, tab } = this;
    if (panel === undefined || !this.isReady) {
      return;
    }
    this.round += 1;
    const own = this.round;
    const subject = this.asks.subject();
    let text;
    let tree;
    if (subject === undefined) {
      text = "Open a config to see its report.";
    } else {
      try {
        text = await this.asks.report(tab, subject.uri);
        tree = TABS[tab].draw(text);
      } catch (error) {
        text = error.message;
      }
    }
    tree ??= { tag: "main", attributes: {}, children: [{ tag: "p", attributes: {}, children: [text] }] };
    const uri = subject?.uri.toString();
    const key = JSON.stringify([tab, uri, text]);
    if (own !== this.round || panel !== this.panel || key === this.drawn) {
      return;
    }
    this.targets = [];
    Object.assign(this, { drawn: key, uri: subject?.uri, text });
    const of = subject === undefined ? "" : vscode.workspace.asRelativePath(subject.uri);
    panel.title = of === "" ? "cfg" : `cfg: ${of.split("/").at(-1)}`;
    const tabs = Object.entries(TABS).map(([id, { title }]) => ({ id, title }));
    await panel.webview.postMessage({ type: "draw", tab, tabs, of, uri, tree: numbered(tree, this.targets) });
  }
}

module.exports = { Panel, VIEW };
