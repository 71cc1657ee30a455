//! Random edits of real configs, with requests and cancellations in between.
//!
//! `CFG_SOAK_EDITS` is the number of edits. `CFG_SOAK_FILES` names a folder with configs to start from instead of `configs/`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use cfg_check::{Request, Session, check};
use cfg_diag::{LineIndex, PositionEncoding};
use serde_json::{Value, json};

use super::client::{Server, URI};

/// The number of edits if `CFG_SOAK_EDITS` is not set.
const FEW: usize = 300;

/// Texts that users type, and unusual ones.
const PIECES: [&str; 28] = [
    "\n",
    "=",
    " = ",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "\"",
    "\"\"\"",
    "'",
    "'''",
    ",",
    ".",
    "#",
    "# cfg: ignore[PRL101]\n",
    "0",
    "-1e9",
    "true",
    "inf",
    "seq_len = 4096\n",
    "[orchestrator.",
    "[[orchestrator.env]]\nid = \"a/b\"\n",
    "é",
    "\u{1F600}",
    "\r\n",
    "\t",
];

/// Requests that an editor sends while its user types.
const REQUESTS: [&str; 16] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/codeAction",
    "textDocument/documentLink",
    "textDocument/prepareRename",
    "workspace/symbol",
];

/// Pseudo-random numbers, which are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

fn configs(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            configs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.extend(fs::read_to_string(&path));
        }
    }
}

/// The nearest offset that is the start of a character.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Applies an edit to the text, and returns it in the form of the protocol, in UTF-16.
fn edit(random: &mut Random, text: &mut String) -> Value {
    let start = boundary(text, random.below(text.len() + 1));
    let length = if random.below(3) == 0 { random.below(30) } else { 0 };
    let end = boundary(text, (start + length).min(text.len())).max(start);
    let new = match random.below(8) {
        0 => String::new(),
        1 => {
            let from = boundary(text, random.below(text.len() + 1));
            let to = boundary(text, (from + random.below(60)).min(text.len())).max(from);
            text[from..to].to_owned()
        }
        _ => PIECES[random.below(PIECES.len())].to_owned(),
    };
    let lines = LineIndex::new(text);
    let at = |offset: usize| {
        let place = lines.line_column(text, offset as u32, PositionEncoding::Utf16);
        json!({ "line": place.line, "character": place.column })
    };
    let change = json!({ "range": { "start": at(start), "end": at(end) }, "text": new });
    // Client and server must agree about a position between `\r` and `\n`, and after the end of a line.
    let of = |offset: usize| {
        lines.offset(text, lines.line_column(text, offset as u32, PositionEncoding::Utf16), PositionEncoding::Utf16)
    };
    let (start, end) = (of(start) as usize, of(end) as usize);
    text.replace_range(start..end.max(start), &new);
    change
}

type Finding = (String, u64, u64, u64, u64);

/// The findings of a fresh check of a text, sorted by code and place.
fn fresh(session: &Session, text: &str) -> Vec<Finding> {
    let request = Request::new("/nowhere/rl.toml", text);
    let checked = check(session, request);
    let lines = LineIndex::new(text);
    let of = |found: &cfg_diag::Diagnostic| {
        let span = found.location.map(|location| location.span).unwrap_or_default();
        let (start, end) = (
            lines.line_column(text, span.start, PositionEncoding::Utf16),
            lines.line_column(text, span.end, PositionEncoding::Utf16),
        );
        (found.code.code.to_owned(), start.line.into(), start.column.into(), end.line.into(), end.column.into())
    };
    let shown = checked.diagnostics.iter().filter(|found| checked.is_config && !found.is_echo);
    let mut found: Vec<Finding> = shown.map(of).collect();
    found.sort();
    found
}

fn sent(items: &[Value]) -> Vec<Finding> {
    let number = |value: &Value| value.as_u64().expect("a number");
    let of = |item: &Value| {
        let (start, end) = (&item["range"]["start"], &item["range"]["end"]);
        let code = item["code"].as_str().expect("a code").to_owned();
        (code, number(&start["line"]), number(&start["character"]), number(&end["line"]), number(&end["character"]))
    };
    let mut found: Vec<Finding> = items.iter().map(of).collect();
    found.sort();
    found
}

/// Runs a session with this many edits.
fn session_of(edits: usize, pulls: bool, seed: u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let folder = env::var_os("CFG_SOAK_FILES").map_or(root, PathBuf::from);
    let mut originals = Vec::new();
    configs(&folder, &mut originals);
    assert!(!originals.is_empty(), "{} has configs", folder.display());
    let document = if pulls { json!({ "diagnostic": {} }) } else { json!({}) };
    let (mut server, _) = Server::start(&json!({ "textDocument": document }));
    let (session, mut random) = (Session::default(), Random(seed));
    let mut text = originals[0].clone();
    server.open(&text);
    let (mut version, mut compared, mut warm) = (1, 0, None);
    for count in 0..edits {
        version += 1;
        let changes: Vec<Value> = if random.below(150) == 0 || text.len() > 100_000 {
            text.clone_from(&originals[random.below(originals.len())]);
            vec![json!({ "text": text })]
        } else {
            (0..=random.below(3)).map(|_| edit(&mut random, &mut text)).collect()
        };
        let document = json!({ "uri": URI, "version": version });
        server.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }));
        if random.below(12) == 0 {
            ask(&mut server, &mut random);
        }
        if random.below(100) == 0 || count + 1 == edits {
            for message in server.drain() {
                assert_ne!(message["error"]["code"], -32603, "edit {count}: {message}");
                // The message that is waited for below may have arrived already.
                if message["params"]["version"] == version {
                    server.told.push(message);
                }
            }
            let items = if pulls {
                let report = server.ask("textDocument/diagnostic", &json!({ "textDocument": { "uri": URI } }));
                report["items"].as_array().cloned().unwrap_or_default()
            } else {
                server.published(version)
            };
            // The server finds the files next to it that a text names; a fresh check does not.
            if !text.contains("toml_files") {
                assert_eq!(sent(&items), fresh(&session, &text), "edit {count} of seed {seed}:\n{text}");
                compared += 1;
            }
        }
        if count == edits / 5 {
            warm = server.memory();
        }
    }
    assert!(compared >= edits / 1000, "{compared} comparisons");
    if let (Some(warm), Some(now)) = (warm, server.memory()) {
        eprintln!("{edits} edits, pulls: {pulls}: {compared} comparisons; {warm} KiB after a fifth, {now} KiB at the end");
        assert!(now < warm + warm / 4 + 8 * 1024, "memory grows: {warm} KiB after a fifth, {now} KiB at the end");
    }
    assert_eq!(server.end(), Some(0));
}

fn ask(server: &mut Server, random: &mut Random) {
    let mut position = || {
        let line = if random.below(20) == 0 { u32::MAX as usize } else { random.below(150) };
        json!({ "line": line, "character": random.below(60) })
    };
    let (start, end) = (position(), position());
    let params = json!({
        "textDocument": { "uri": URI }, "position": start, "positions": [start], "range": { "start": start, "end": end },
        "context": { "diagnostics": [], "includeDeclaration": true, "triggerKind": 1 }, "query": "seq_len",
    });
    let id = server.request(REQUESTS[random.below(REQUESTS.len())], &params);
    if random.below(3) == 0 {
        server.tell("$/cancelRequest", &json!({ "id": id }));
    }
}

#[test]
fn random_edits_leave_no_trace() {
    let edits = env::var("CFG_SOAK_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(FEW);
    let begun = Instant::now();
    session_of(edits / 2, true, 0x9E37_79B9_7F4A_7C15);
    session_of(edits - edits / 2, false, 0xD1B5_4A32_D192_ED03);
    if begun.elapsed() > Duration::from_mins(1) {
        eprintln!("{edits} edits took {:?}", begun.elapsed());
    }
}
