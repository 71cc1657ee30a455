//! For files of other programs, which have servers of their own, the server gives no answers.

use std::fs;

use serde_json::{Value, json};

use super::client::Server;

/// All answers of the server about a document that are not empty.
fn said(server: &mut Server, uri: &str, text: &str) -> Vec<(String, Value)> {
    server.open_as(uri, text);
    let document = json!({ "uri": uri });
    let lines: Vec<&str> = text.lines().collect();
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": { "line": lines.len(), "character": 0 } });
    let mut answers = Vec::new();
    for method in [
        "textDocument/codeLens",
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/documentLink",
        "textDocument/semanticTokens/full",
    ] {
        answers.push((method.to_owned(), server.of(uri, method)));
    }
    let in_range = json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
    for method in ["textDocument/inlayHint", "textDocument/codeAction", "textDocument/semanticTokens/range"] {
        answers.push((method.to_owned(), server.ask(method, &in_range)));
    }
    for (line, words) in (0_u32..).zip(&lines) {
        for character in [0, 1, words.len() as u32] {
            for method in ["hover", "completion", "definition", "references", "documentHighlight", "prepareRename"] {
                let answer = server.at_of(uri, &format!("textDocument/{method}"), line, character);
                answers.push((format!("{method} at {line}:{character}"), answer));
            }
        }
    }
    let has_nothing = |answer: &Value| answer.is_null() || *answer == json!([]) || answer["data"] == json!([]);
    answers.into_iter().filter(|(_, answer)| !has_nothing(answer)).collect()
}

/// The lines of the findings in a document.
fn found(server: &mut Server, uri: &str) -> Vec<u64> {
    let found = server.published_for(uri, 1);
    found.iter().filter_map(|found| found["range"]["start"]["line"].as_u64()).collect()
}

#[test]
fn files_of_other_programs_have_no_diagnostics() {
    let (mut server, _) = Server::start(&json!({}));
    for (name, text) in [
        ("Cargo.toml", "[package]\nname = 1\nx =\n[trainer]\nmodel = 2\n[orchestrator]\n"),
        ("pyproject.toml", ""),
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\nmax_stesp = 1\n[orchestrator]\n",
        ),
        ("ruff.toml", "line-length = 100\n[lint]\nselect = [\"E\"]\n"),
        ("book.toml", "[book]\ntitle = \"Title\"\nauthors = []\n[output.html]\nadditional-css = [\"x.css\"]\n"),
        ("site.toml", "title = \"Site\"\n\n[params]\nbaseURL = \"x\"\n"),
    ] {
        let uri = format!("file:///nowhere/{}/{name}", text.len());
        let said = said(&mut server, &uri, text);
        assert!(said.is_empty(), "{name}: {said:?}");
        assert_eq!(found(&mut server, &uri), Vec::<u64>::new(), "{name}");
    }
    assert_eq!(server.end(), Some(0));
}

/// In `pyproject.toml`, only `[tool.cfg]` is checked.
#[test]
fn only_the_settings_of_a_python_project_are_checked() {
    let (mut server, _) = Server::start(&json!({}));
    let settings =
        "[project]\nname = \"x\"\n[tool.cfg.lint]\nignore = [\"unknown-kee\"]\n[tool.ruff.lint]\nignore = [\"unknown-kee\"]\n";
    for (number, (text, lines)) in [
        (settings.to_owned(), vec![3]),
        (settings.replace("unknown-kee", "unknown-key"), vec![]),
        (settings.replace("[tool.ruff.lint]", "[tool.ruff.lint]\nx ="), vec![]),
        (settings.replace("[tool.cfg.lint]", "[tool.cfg.lint]\nx ="), vec![3]),
        ("[tool]\ncfg.target = \"0.0\"\n".to_owned(), vec![1]),
    ]
    .into_iter()
    .enumerate()
    {
        let uri = format!("file:///nowhere/{number}/pyproject.toml");
        let mut said = said(&mut server, &uri, &text);
        // The settings are completed and explained; the first two lines are of another program.
        let is_of_settings = |what: &str| {
            let line = what.strip_prefix("hover at ").or_else(|| what.strip_prefix("completion at "));
            line.is_some_and(|at| number == 4 || !at.starts_with("0:") && !at.starts_with("1:"))
        };
        said.retain(|(what, _)| !is_of_settings(what));
        assert!(said.is_empty(), "{text}: {said:?}");
        assert_eq!(found(&mut server, &uri), lines, "{text}");
    }
    assert_eq!(server.end(), Some(0));
}

/// An incomplete text has no findings yet, but completion works after the first letter.
#[test]
fn completion_starts_with_the_first_letter_of_a_config() {
    let (mut server, _) = Server::start(&json!({}));
    for (text, line, character, wanted) in [
        ("", 0, 0, "trainer"),
        ("m", 0, 1, "max_steps"),
        ("# a comment\n\n[tra", 2, 4, "trainer"),
        ("[model]\nna", 1, 2, "name"),
        ("max_stesp = 1\n", 0, 5, "max_steps"),
    ] {
        let uri = format!("file:///nowhere/new-{}.toml", text.len());
        server.open_as(&uri, text);
        let items = server.at_of(&uri, "textDocument/completion", line, character);
        let labels: Vec<&str> = items.as_array().into_iter().flatten().filter_map(|item| item["label"].as_str()).collect();
        assert!(labels.contains(&wanted), "{text}: {labels:?}");
    }
    assert_eq!(server.end(), Some(0));
}

/// A file that contains only our settings has an outline, and its settings are completed and explained, but there are no answers about configs.
#[test]
fn settings_are_not_a_config() {
    let (mut server, _) = Server::start(&json!({}));
    let said = said(&mut server, "file:///nowhere/cfg.toml", "target = \"0.8.0\"\n[lint]\nignore = [\"unknown-key\"]\n");
    let (of_words, said): (Vec<&str>, Vec<&str>) =
        said.iter().map(|(what, _)| what.as_str()).partition(|what| what.starts_with("hover") || what.starts_with("completion"));
    assert_eq!(said, ["textDocument/documentSymbol", "textDocument/foldingRange"]);
    assert!(of_words.contains(&"hover at 0:0") && of_words.contains(&"completion at 2:0"), "{of_words:?}");
    assert_eq!(server.end(), Some(0));
}

/// TOML of a declared dialect is checked while it is typed, with the current schema.
#[test]
fn files_of_a_dialect_are_compared_with_its_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("it is there");
    let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("it is written");
    fs::create_dir(root.join(".git")).expect("a folder");
    write("cfg.toml", "[[dialect]]\nfiles = [\"job.toml\"]\nschema = \"own.schema\"\n");
    write("own.schema", "(root)\n  ..  root(forbid)\n\nsteps\n  ..  int(ge 1)\n");
    let (mut server, _) = Server::start(&json!({}));
    let uri = format!("file://{}/job.toml", root.display());
    let said = said(&mut server, &uri, "steps = 0\n\nother = 1\n");
    let is_of_prime_rl =
        |what: &str| ["hover", "completion", "semanticTokens", "codeLens", "inlayHint"].iter().any(|name| what.contains(name));
    let foreign: Vec<&String> = said.iter().map(|(what, _)| what).filter(|what| is_of_prime_rl(what)).collect();
    assert!(foreign.is_empty(), "what prime-rl knows under such names is another thing: {foreign:?}");
    assert_eq!(found(&mut server, &uri), [0, 2]);
    assert_eq!(server.end(), Some(0));
}
