// Draws what the extension sends: a tree of elements, of which only these are made, and no text is ever read as markup.
"use strict";

(() => {
  const api = acquireVsCodeApi();
  const SVG = new Set(["svg", "rect", "line", "path", "circle", "text", "title"]);
  const HTML = new Set(["main", "section", "h2", "p", "span", "a", "table", "tr", "td"]);
  const ATTRIBUTES = /^(viewBox|width|height|x|y|x1|x2|y1|y2|cx|cy|r|d|class|role|aria-label)$/;
  const tabs = document.getElementById("tabs");
  const content = document.getElementById("content");

  const send = (message) => api.postMessage(message);

  /** What leads somewhere does so with the mouse and with the keyboard. */
  function lead(node, go) {
    node.setAttribute("tabindex", "0");
    node.setAttribute("data-go", String(go));
    node.classList.add("leads");
    node.addEventListener("click", () => send({ type: "go", go }));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        send({ type: "go", go });
      }
    });
  }

  function made(tree) {
    if (typeof tree === "string") {
      return document.createTextNode(tree);
    }
    const isDrawn = SVG.has(tree.tag);
    if (!isDrawn && !HTML.has(tree.tag)) {
      return document.createTextNode("");
    }
    const node = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", tree.tag) : document.createElement(tree.tag);
    for (const [name, value] of Object.entries(tree.attributes)) {
      if (ATTRIBUTES.test(name) && value !== "") {
        node.setAttribute(name, String(value));
      }
    }
    node.append(...tree.children.map(made));
    if (typeof tree.go === "number") {
      lead(node, tree.go);
    }
    return node;
  }

  function draw(message) {
    // What had the focus has it afterwards, and the page stays where it was.
    const { go } = document.activeElement?.dataset ?? {};
    const focused = tabs.contains(document.activeElement) ? document.activeElement.textContent : undefined;
    const { scrollY } = window;
    document.getElementById("of").textContent = message.of;
    tabs.replaceChildren(
      ...message.tabs.map(({ id, title }) => {
        const tab = document.createElement("button");
        tab.textContent = title;
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-selected", String(id === message.tab));
        tab.addEventListener("click", () => send({ type: "tab", tab: id }));
        return tab;
      }),
    );
    content.replaceChildren(made(message.tree));
    api.setState({ tab: message.tab, uri: message.uri });
    window.scrollTo(0, scrollY);
    if (go !== undefined) {
      content.querySelector(`[data-go="${Number(go)}"]`)?.focus({ preventScroll: true });
    } else if (focused !== undefined) {
      [...tabs.children].find((tab) => tab.textContent === focused)?.focus();
    }
  }

  window.addEventListener("message", (event) => {
    if (event.data?.type === "draw") {
      draw(event.data);
    }
  });
  send({ type: "ready" });
})();
