// A report as a tree beside the files.
"use strict";

const vscode = require("vscode");
const reports = require("./report.js");

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
      const entry = { label: line.trim(), children: [] };
      let level = this.lines;
      for (let step = 0; step < reports.depthOf(line) && level.length > 0; step += 1) {
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

module.exports = { ReportView };
