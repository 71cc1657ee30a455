//! The text after a completion was accepted, in each kind of client: the whole word is replaced, and nothing else.

use serde_json::{Value, json};

use super::{
    client::{Server, URI},
    steps::{FIRST_STEPS, HEAD, NOTHING, STEPS},
};

/// How a client applies a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// It has plain text and one range.
    Plain,
    /// It has snippets.
    Snippets,
    /// It has snippets, and two ranges; its user inserts.
    Inserting,
    /// The same; its user replaces.
    Replacing,
    /// Neovim's own completion: it keeps what is after the cursor, takes the first word of a plain text, and then runs the item's command.
    Neovim,
    /// A plugin in a Neovim that states the same: it replaces the range, and then runs the item's command.
    Plugin,
}

const CLIENTS: [Client; 6] =
    [Client::Plain, Client::Snippets, Client::Inserting, Client::Replacing, Client::Neovim, Client::Plugin];

impl Client {
    pub(crate) fn start(self) -> Server {
        let item = json!({
            "snippetSupport": self != Self::Plain,
            "insertReplaceSupport": matches!(self, Self::Inserting | Self::Replacing),
        });
        let name = if matches!(self, Self::Neovim | Self::Plugin) { "Neovim" } else { "Eglot" };
        let params = json!({
            "capabilities": {
                "textDocument": { "completion": { "completionItem": item } },
                "workspace": { "applyEdit": true },
            },
            "clientInfo": { "name": name },
        });
        Server::start_with(&params).0
    }

    /// The text after an item was accepted at a byte offset, and its command was run on it.
    pub(crate) fn accept(self, server: &mut Server, version: &mut i64, text: &str, offset: usize, item: &Value) -> String {
        let text = self.insert(text, offset, item);
        if item["command"].is_null() {
            return text;
        }
        assert!(matches!(self, Self::Neovim | Self::Plugin), "{item}");
        *version += 1;
        server.replace(URI, *version, &text);
        server.ask("workspace/executeCommand", &item["command"]);
        let mut text = text;
        if self == Self::Neovim {
            let asked = server.notified("workspace/applyEdit", |_| true);
            let edits = asked["edit"]["changes"][URI].as_array().cloned().unwrap_or_default();
            for edit in edits {
                let range = byte(&text, &edit["range"]["start"])..byte(&text, &edit["range"]["end"]);
                text.replace_range(range, edit["newText"].as_str().expect("a text"));
            }
        }
        text
    }

    /// The text after an item was inserted at a byte offset.
    fn insert(self, text: &str, offset: usize, item: &Value) -> String {
        let edit = &item["textEdit"];
        let range = match self {
            Self::Inserting => &edit["insert"],
            Self::Replacing => &edit["replace"],
            _ => &edit["range"],
        };
        let mut new = edit["newText"].as_str().expect("a text").to_owned();
        assert_eq!(item["insertText"], new.as_str(), "the same for a client without edits");
        let is_snippet = item["insertTextFormat"] == 2;
        assert!(!is_snippet || self != Self::Plain, "{item}");
        let (start, mut end) = (byte(text, &range["start"]), byte(text, &range["end"]));
        assert!(start <= offset && offset <= end, "the cursor is in the range: {item}");
        // Neovim applies further edits to the text without the typed word, and its plugins to the text with it.
        assert!(item["additionalTextEdits"].is_null(), "{item}");
        if self == Self::Neovim {
            end = offset;
            if !is_snippet {
                new = new.split_whitespace().next().unwrap_or_default().to_owned();
            }
        }
        if is_snippet {
            new = expanded(&new);
        }
        format!("{}{new}{}", &text[..start], &text[end..])
    }
}

/// The byte of a position whose characters are UTF-16 code units.
fn byte(text: &str, position: &Value) -> usize {
    let number = |name: &str| position[name].as_u64().and_then(|number| usize::try_from(number).ok()).expect("a number");
    let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
    let mut units = 0;
    let is_before = |c: &char| {
        units += c.len_utf16();
        units <= number("character")
    };
    start + text[start..].chars().take_while(is_before).map(char::len_utf8).sum::<usize>()
}

/// A snippet whose user takes what is suggested.
fn expanded(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet.chars().peekable();
    let mut is_in_place = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.extend(rest.next()),
            '$' if rest.peek() == Some(&'{') => {
                let opening: String = rest.by_ref().take_while(|c| !matches!(c, ':' | '|')).collect();
                assert!(opening.starts_with('{'), "{snippet}");
                is_in_place = true;
            }
            '$' => assert_eq!(rest.next(), Some('0'), "{snippet}"),
            // The first of several values.
            ',' if is_in_place && snippet.contains("|}") => while rest.next_if(|c| *c != '|').is_some() {},
            '|' if is_in_place => {}
            '}' if is_in_place => is_in_place = false,
            other => text.push(other),
        }
    }
    text
}

/// The items at the `^` of a text, and the text without it.
pub(crate) fn offered(server: &mut Server, version: &mut i64, marked: &str) -> (Vec<Value>, String, usize) {
    let offset = marked.find('^').expect("a cursor");
    let text = marked.replacen('^', "", 1);
    *version += 1;
    if *version == 1 {
        server.open(&text);
    } else {
        server.replace(URI, *version, &text);
    }
    let line = text[..offset].matches('\n').count();
    let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let character: usize = text[line_start..offset].chars().map(char::len_utf16).sum();
    let found =
        server.at("textDocument/completion", u32::try_from(line).expect("small"), u32::try_from(character).expect("small"));
    let list = if found.is_array() { found } else { found["items"].clone() };
    let mut items = list.as_array().cloned().unwrap_or_default();
    items.sort_by_key(|item| item["sortText"].as_str().map(str::to_owned));
    (items, text, offset)
}

fn labels(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item["label"].as_str()).collect()
}

#[test]
fn an_accepted_item_replaces_the_word_and_nothing_else() {
    for client in CLIENTS {
        let (mut server, mut version) = (client.start(), 0);
        let below_head = STEPS.iter().map(|(before, label, after)| (format!("{HEAD}{before}"), label, format!("{HEAD}{after}")));
        let first = FIRST_STEPS.iter().map(|(before, label, after)| ((*before).to_owned(), label, (*after).to_owned()));
        for (before, label, after) in below_head.chain(first) {
            let (items, text, offset) = offered(&mut server, &mut version, &before);
            let mut named = items.iter().filter(|item| item["label"] == *label);
            let item = named.next().unwrap_or_else(|| panic!("{client:?}: {label} is offered in {before}: {:?}", labels(&items)));
            assert!(named.next().is_none(), "{client:?}: {label} is offered once in {before}");
            let accepted = client.accept(&mut server, &mut version, &text, offset, item);
            assert_eq!(accepted, after, "{client:?}: {label} in {before}");
        }
        let asked = server.drain().into_iter().filter(|message| message["method"] == "workspace/applyEdit").count();
        assert_eq!(asked, 0, "{client:?}: nothing is removed where the word was replaced");
        assert_eq!(server.end(), Some(0));
    }
}

#[test]
fn nothing_is_offered_where_nothing_can_be_written() {
    let (mut server, mut version) = (Client::Snippets.start(), 0);
    for text in NOTHING {
        let (items, ..) = offered(&mut server, &mut version, &format!("{HEAD}{text}"));
        assert!(items.is_empty(), "{text}: {:?}", labels(&items));
    }
    assert_eq!(server.end(), Some(0));
}

#[test]
fn the_most_used_comes_first_and_what_is_there_is_not_offered() {
    let (mut server, mut version) = (Client::Snippets.start(), 0);
    let mut first = |text: &str, count: usize| -> Vec<String> {
        let (items, ..) = offered(&mut server, &mut version, &format!("{HEAD}{text}"));
        labels(&items).into_iter().take(count).map(str::to_owned).collect()
    };
    assert!(first("^\n[trainer]\n[orchestrator]\n", 3).contains(&"max_steps".to_owned()));
    assert_eq!(first("[orchestrator]\n[trainer.optim]\n^\n", 2), ["lr", "type"]);
    assert_eq!(first("[orchestrator]\n[trainer.model]\nattn = ^\n", 1).len(), 1);
    let models = first("[model]\nname = \"^\"\n", 40);
    let at = |name: &str| models.iter().position(|label| label == name).unwrap_or(usize::MAX);
    assert!(at("\"Qwen/Qwen3-4B-Instruct-2507\"") < at("\"Qwen/Qwen3-8B\""), "{models:?}");
    let all = first("[model]\nname = \"x\"\n[trainer]\n[orchestrator]\n[^\n", 400);
    assert!(!all.contains(&"model".to_owned()) && all.contains(&"ckpt".to_owned()), "{all:?}");
    for text in
        ["[orchestrator.advantage]\ntype = \"^\"\n", "[orchestrator.train]\n^\n", "[[^]]\n", "[^]\n", "^\n", "[trainer]\n^\n"]
    {
        let mut all = first(text, 500);
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "each item once in {text}");
    }
    assert_eq!(server.end(), Some(0));
}
