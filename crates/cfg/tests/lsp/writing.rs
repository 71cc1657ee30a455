//! Formatting, the arguments of environments, and what stands above a line, while a config is written.

use serde_json::{Value, json};

use super::client::{Server, URI};

/// The text after edits of whole lines' parts, all of ASCII.
fn applied(text: &str, edits: &Value) -> String {
    let byte = |position: &Value| {
        let number = |name: &str| position[name].as_u64().and_then(|number| usize::try_from(number).ok()).expect("a number");
        text.split_inclusive('\n').take(number("line")).map(str::len).sum::<usize>() + number("character")
    };
    let mut new = text.to_owned();
    for edit in edits.as_array().expect("edits").iter().rev() {
        let range = byte(&edit["range"]["start"])..byte(&edit["range"]["end"]);
        new.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    new
}

const CRAMPED: &str = "max_steps=5\n[trainer]\n\n\n[orchestrator]\n  batch_size  = 64   # why\n";

#[test]
fn a_config_is_formatted_as_a_whole_and_in_part() {
    let (mut server, answer) = Server::start(&json!({}));
    assert_eq!(answer["capabilities"]["documentFormattingProvider"], true);
    server.open(CRAMPED);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let all = server.ask("textDocument/formatting", &json!({ "textDocument": { "uri": URI }, "options": options }));
    assert_eq!(applied(CRAMPED, &all), "max_steps = 5\n\n[trainer]\n\n[orchestrator]\nbatch_size = 64   # why\n");
    let range = json!({ "start": { "line": 5, "character": 0 }, "end": { "line": 5, "character": 4 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "options": options });
    let part = server.ask("textDocument/rangeFormatting", &params);
    assert_eq!(applied(CRAMPED, &part), CRAMPED.replacen("  batch_size", "batch_size", 1));
    // No other line is touched, also where a blank line is missing or to be removed above.
    for line in 0..=5 {
        let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 20 } });
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "options": options });
        let edits = server.ask("textDocument/rangeFormatting", &params);
        let lines = edits.as_array().expect("edits").iter().flat_map(|edit| [&edit["range"]["start"], &edit["range"]["end"]]);
        assert!(lines.clone().all(|at| at["line"] == line), "{line}: {edits}");
    }
    let half = "max_steps=\n[trainer]\n[orchestrator]\n";
    server.replace(URI, 2, half);
    let none = server.ask("textDocument/formatting", &json!({ "textDocument": { "uri": URI }, "options": options }));
    assert_eq!(none, Value::Null, "it has a syntax error");
    // The key without a value can be written, or removed.
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 3 } },
        "context": { "diagnostics": [] },
    });
    let actions = server.ask("textDocument/codeAction", &params);
    let texts: Vec<String> = actions
        .as_array()
        .into_iter()
        .flatten()
        .filter(|action| action["edit"]["changes"][URI].is_array())
        .map(|action| applied(half, &action["edit"]["changes"][URI]))
        .collect();
    assert!(texts.iter().any(|text| text.starts_with("max_steps= ") || text.starts_with("max_steps = ")), "{texts:?}");
    assert!(texts.contains(&"[trainer]\n[orchestrator]\n".to_owned()), "{texts:?}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_client_can_leave_formatting_to_another_program() {
    let (server, answer) = Server::start_with(&json!({ "capabilities": {}, "initializationOptions": { "format": false } }));
    assert_eq!(answer["capabilities"]["documentFormattingProvider"], Value::Null);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn the_arguments_of_an_environment_are_shown() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(
        "# /// config\n# prime_rl = \"0.4.0\"\n# ///\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\n\
         id = \"seconds-0/beautiful-soup-env\"\n[orchestrator.env.args]\nsplit = \n",
    );
    let help = server
        .ask("textDocument/signatureHelp", &json!({ "textDocument": { "uri": URI }, "position": { "line": 8, "character": 8 } }));
    let active = help["activeParameter"].as_u64().and_then(|active| usize::try_from(active).ok()).expect("one is active");
    let parameter = &help["signatures"][0]["parameters"][active];
    assert!(parameter["label"].as_str().is_some_and(|label| label.starts_with("split")), "{help}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn no_lens_is_above_a_line_with_a_finding() {
    let (mut server, _) = Server::start(&json!({}));
    server.open("max_stesp = 10\nbatch_siez = 1\n[trainer]\n[orchestrator]\n");
    let lenses = server.of(URI, "textDocument/codeLens");
    let lines: Vec<u64> =
        lenses.as_array().into_iter().flatten().filter_map(|lens| lens["range"]["start"]["line"].as_u64()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line >= 2), "{lenses}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn settings_are_completed_and_explained() {
    let (mut server, _) = Server::start(&json!({}));
    let mut labels = |uri: &str, text: &str, line, column| -> Vec<String> {
        server.open_as(uri, text);
        let found = server.at_of(uri, "textDocument/completion", line, column);
        found.as_array().into_iter().flatten().filter_map(|item| Some(item["label"].as_str()?.to_owned())).collect()
    };
    let (settings, project) = ("file:///nowhere/cfg.toml", "file:///nowhere/pyproject.toml");
    let found = labels(settings, "target = \"main\"\n\n[watch]\nentropy = 0.1\n", 1, 0);
    assert!(found.contains(&"lint".to_owned()) && !found.contains(&"target".to_owned()), "{found:?}");
    let found = labels(project, "[project]\nname = \"x\"\n[tool.cfg]\n\n", 3, 0);
    assert!(found.contains(&"gpu".to_owned()), "{found:?}");
    let hover = server.at_of(settings, "textDocument/hover", 3, 2);
    assert!(hover["contents"]["value"].as_str().is_some_and(|words| words.contains("`watch.entropy`")), "{hover}");
    // The rest of a `pyproject.toml` belongs to others.
    assert_eq!(server.at_of(project, "textDocument/hover", 1, 2), Value::Null);
    assert_eq!(server.at_of(project, "textDocument/completion", 1, 0), json!([]));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn what_the_lens_has_no_room_for_is_in_its_hover_and_in_source_actions() {
    let (mut server, _) = Server::start(&json!({}));
    let text = "# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H100\"\n# ///\nmax_steps = 20\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n\
                [trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nenv.taskset.id = \"gsm8k\"\n[inference]\n";
    server.open(text);
    let lenses = server.of(URI, "textDocument/codeLens");
    let titles: Vec<&str> =
        lenses.as_array().into_iter().flatten().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert!(titles.len() == 1 && titles[0].chars().count() <= 60, "{titles:?}");
    let hover = server.at("textDocument/hover", 0, 3);
    assert!(hover["contents"]["value"].as_str().is_some_and(|words| words.contains("GPU 0: ")), "{hover}");
    let at = json!({ "line": 0, "character": 0 });
    let mut shown = |only: &Value| -> Vec<String> {
        let context = json!({ "diagnostics": [], "only": only });
        let params = json!({ "textDocument": { "uri": URI }, "range": { "start": at, "end": at }, "context": context });
        let actions = server.ask("textDocument/codeAction", &params);
        let command = |action: &Value| Some(action["command"]["command"].as_str()?.to_owned());
        actions.as_array().into_iter().flatten().filter(|action| action["kind"] == "source.show").filter_map(command).collect()
    };
    assert_eq!(shown(&json!(["source"])), ["cfg.compile", "cfg.memory"]);
    assert!(shown(&json!(["quickfix"])).is_empty() && shown(&Value::Null).is_empty(), "they change nothing");
    assert_eq!(server.end(), Some(0));
}
