// Which config the views are about.
"use strict";

/** What the views are about once an editor has the focus. The views themselves, and documents that were made of a config, change nothing. */
function subjectOf(editor, before) {
  if (editor === undefined || !["file", "untitled", "vscode-remote"].includes(editor.document.uri.scheme)) {
    return before === undefined || before.isClosed ? undefined : before;
  }
  return editor.document.languageId === "toml" ? editor.document : undefined;
}

module.exports = { subjectOf };
