//! The editor displays the same findings for a file as `cfg check`.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::{self, Server};

/// Code, file, line and column (both from 0), and message.
type Finding = (String, String, u64, u64, String);

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("within")).and_then(|()| fs::write(path, text)).expect("it is written");
    }
    folder
}

fn cfg(folder: &Path, arguments: &[&str]) -> String {
    let output = client::cfg(arguments).current_dir(folder).output().expect("it runs");
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn sorted(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort();
    found.dedup();
    found
}

/// The findings of `cfg check` in one file.
fn checked(folder: &Path, file: &str) -> Vec<Finding> {
    let report: Value = serde_json::from_str(&cfg(folder, &["check", "--format", "json", file])).expect("JSON");
    let all = report["files"].as_array().into_iter().flatten().flat_map(|file| {
        let own = file["path"].as_str().expect("a path");
        file["diagnostics"].as_array().into_iter().flatten().map(move |found| (own, found))
    });
    let of = |(own, found): (&str, &Value)| {
        let text = |name: &str| found[name].as_str().expect("a text").to_owned();
        let start = &found["range"]["start"];
        let number = |name: &str| start[name].as_u64().map_or(0, |number| number - 1);
        (text("code"), found["path"].as_str().unwrap_or(own).to_owned(), number("line"), number("column"), text("message"))
    };
    sorted(all.map(of).collect())
}

/// The findings in one file that the editor displays.
fn shown(folder: &Path, file: &str) -> Vec<Finding> {
    let root = fs::canonicalize(folder).expect("it is there");
    let uri = |path: &str| format!("file://{}/{path}", root.display());
    let capabilities = json!({ "textDocument": { "diagnostic": {} }, "general": { "positionEncodings": ["utf-8"] } });
    let (mut server, _) = Server::start(&capabilities);
    let text = fs::read_to_string(folder.join(file)).expect("it is there");
    server.open_as(&uri(file), &text);
    let report = server.of(&uri(file), "textDocument/diagnostic");
    let of = |found: &Value| {
        let message = found["message"].as_str().expect("a message").lines().next().unwrap_or_default();
        let place = |place: &Value| {
            let start = &place["start"];
            (start["line"].as_u64().expect("a line"), start["character"].as_u64().expect("a column"))
        };
        // A finding in another file is displayed where that file is named, and states where it is.
        let elsewhere = found["relatedInformation"].as_array().into_iter().flatten();
        let elsewhere = elsewhere.into_iter().find(|related| related["message"] == "written here");
        let (path, (line, column), message) = match elsewhere {
            None => (file, place(&found["range"]), message),
            Some(related) => {
                let address = related["location"]["uri"].as_str().expect("an address");
                let path = address.strip_prefix(&uri("")).expect("within");
                let name = path.rsplit('/').next().expect("a name");
                let message = message.strip_prefix(&format!("in {name}: ")).expect("it says where it is");
                (path, place(&related["location"]["range"]), message)
            }
        };
        // The server uses absolute paths, and runs in another folder.
        let message = message.replace(&format!("{}/", root.display()), "");
        (found["code"].as_str().expect("a code").to_owned(), path.to_owned(), line, column, message)
    };
    let found = report["items"].as_array().expect("a list").iter().map(of).collect();
    assert_eq!(server.end(), Some(0));
    sorted(found)
}

/// Asserts that both report the same for each of these files, including these codes.
fn agree(folder: &TempDir, files: &[(&str, &[&str])]) {
    for (file, wanted) in files {
        let (checked, shown) = (checked(folder.path(), file), shown(folder.path(), file));
        assert_eq!(shown, checked, "{file}");
        let codes: Vec<&str> = checked.iter().map(|(code, ..)| code.as_str()).collect();
        for code in *wanted {
            assert!(codes.contains(code), "{file} lacks {code}: {codes:?}");
        }
        assert!(!wanted.is_empty() || codes.is_empty(), "{file}: {codes:?}");
    }
}

const HEAD: &str = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\n";

#[test]
fn overlays_and_the_files_that_they_name() {
    let overlay = format!("{HEAD}toml_files = [\"base.toml\"]\nmax_steps = \"x\"\n[orchestrator]\nbatch_size = 64\n");
    let folder = folder(&[
        ("run.toml", &overlay),
        // Alone, the file lacks two tables, which the config that names it has.
        ("base.toml", "max_stepz = 5\n[inference]\nnothing = 1\n[trainer]\n"),
    ]);
    agree(&folder, &[("run.toml", &["PRL101", "PRL105"]), ("base.toml", &["PRL101", "PRL105"])]);
}

#[test]
fn a_chain_and_an_unnamed_fragment() {
    let folder = folder(&[
        ("top.toml", &format!("{HEAD}toml_files = [\"middle.toml\"]\n")),
        ("middle.toml", "toml_files = [\"bottom.toml\"]\n[orchestrator]\nbatch_siez = 1\n"),
        ("bottom.toml", "[trainer]\nnothing = 1\n"),
        ("alone.toml", "[trainer]\nnothing = 1\n"),
        ("lost.toml", &format!("{HEAD}toml_files = [\"gone.toml\"]\n[trainer]\n[orchestrator]\n")),
    ]);
    let chain: &[&str] = &["PRL101"];
    agree(&folder, &[("top.toml", chain), ("middle.toml", chain), ("bottom.toml", chain), ("alone.toml", chain)]);
    let (checked, shown) = (checked(folder.path(), "middle.toml"), shown(folder.path(), "top.toml"));
    assert_eq!(checked, shown);
}

#[test]
fn files_of_verifiers_own_evaluations() {
    let eval = "endpoints_path = \"endpoints.toml\"\nendpoint_id = \"b\"\nnum_exampels = 5\n\n[[eval]]\nenv_id = \"gsm8k\"\nmax_concurrent = 2.5\n";
    let endpoints = "[[endpoint]]\nendpoint_id = \"a\"\nmodel = \"m\"\nurl = \"u\"\nkey = \"K\"\nretries = 5\n";
    let folder = folder(&[("eval.toml", eval), ("endpoints.toml", endpoints)]);
    agree(&folder, &[("eval.toml", &["PRL210", "PRL211", "PRL212"]), ("endpoints.toml", &["PRL214"])]);
    let edited = repaired(folder.path(), "eval.toml");
    assert_eq!(edited, eval.replace("num_exampels", "num_examples"));
    cfg(folder.path(), &["check", "--fix", "eval.toml"]);
    assert_eq!(fs::read_to_string(folder.path().join("eval.toml")).expect("it is there"), edited);
}

#[test]
fn a_file_that_is_not_there() {
    let folder = folder(&[("lost.toml", &format!("{HEAD}toml_files = [\"gone.toml\"]\n[trainer]\n[orchestrator]\n"))]);
    let codes = |found: Vec<Finding>| found.into_iter().map(|(code, ..)| code).collect::<Vec<_>>();
    let mut check = client::cfg(&["check", "--format", "json", "lost.toml"]);
    let report = check.current_dir(folder.path()).output().expect("it runs");
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let told: Vec<&str> =
        report["files"][0]["diagnostics"].as_array().into_iter().flatten().filter_map(|found| found["code"].as_str()).collect();
    assert_eq!(codes(shown(folder.path(), "lost.toml")), told);
}

#[test]
fn the_files_of_one_run() {
    let group =
        "target = \"0.4.0\"\n[[group]]\ntrainer = \"a/one.toml\"\norchestrator = \"two.toml\"\ninference = \"three.toml\"\n";
    let train = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-8B\"\n";
    let orch = "max_steps = 50\n[model]\nname = \"Qwen/Qwen3-4B\"\n[sampling]\nmax_tokens = 512\n";
    let infer = "[model]\nname = \"Qwen/Qwen3-8B\"\n";
    let grouped = folder(&[("cfg.toml", group), ("a/one.toml", train), ("two.toml", orch), ("three.toml", infer)]);
    agree(&grouped, &[("a/one.toml", &["PRL340", "PRL341"]), ("two.toml", &["PRL340", "PRL341"]), ("three.toml", &["PRL340"])]);
    let named =
        folder(&[("cfg.toml", "target = \"0.4.0\"\n"), ("train.toml", train), ("orch.toml", orch), ("infer.toml", infer)]);
    agree(&named, &[("train.toml", &["PRL340", "PRL341"]), ("orch.toml", &["PRL340"]), ("infer.toml", &["PRL340"])]);
}

#[test]
fn a_claim_about_a_registered_version() {
    let text = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_steps = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[inference]\n";
    let folder = folder(&[("a.toml", text)]);
    cfg(folder.path(), &["registry", "init"]);
    cfg(folder.path(), &["bump", "a.toml", "-m", "first"]);
    let other = |claim: &str| text.replace("# ///\nmax_steps = 10", &format!("# {claim}\n# ///\nmax_steps = 20"));
    fs::write(folder.path().join("b.toml"), other("same_as = \"a.toml:v1\"")).expect("it is written");
    fs::write(folder.path().join("c.toml"), other("same_as = \"a.toml:v9\"")).expect("it is written");
    fs::write(folder.path().join("d.toml"), other("same_as = \"a.toml:v1\"\n# except = [\"max_steps\"]")).expect("it is written");
    // A registered config that has changed since, and three that are not registered.
    let changed = fs::read_to_string(folder.path().join("a.toml")).expect("it is there").replace("64", "128");
    fs::write(folder.path().join("a.toml"), changed).expect("it is written");
    let found: Vec<String> = ["a.toml", "b.toml", "c.toml", "d.toml"]
        .into_iter()
        .map(|file| {
            let (checked, shown) = (checked(folder.path(), file), shown(folder.path(), file));
            assert_eq!(shown, checked, "{file}");
            format!("{file}: {}", checked.into_iter().map(|(code, ..)| code).collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(found, ["a.toml: PRL710", "b.toml: PRL717 PRL730", "c.toml: PRL717 PRL731", "d.toml: PRL717"]);
}

#[test]
fn the_words_of_cfg_lsp_count_for_all_files() {
    let folder = folder(&[
        ("near/cfg.toml", "[lint]\nignore = [\"PRL101\", \"PRL520\"]\n"),
        ("near/run.toml", "max_stepz = 5\n[trainer]\n[orchestrator]\n"),
        ("far/settings.toml", "target = \"0.4.0\"\n[lint]\nselect = [\"PRL101\"]\n"),
    ]);
    let root = fs::canonicalize(folder.path()).expect("it is there");
    let uri = format!("file://{}/near/run.toml", root.display());
    let text = fs::read_to_string(folder.path().join("near/run.toml")).expect("it is there");
    let settings = root.join("far/settings.toml");
    let found = |words: &[&str]| {
        let mut server = Server::with_words(words);
        server.open_as(&uri, &text);
        let codes: Vec<Value> = server.published_for(&uri, 1).iter().map(|found| found["code"].clone()).collect();
        let hover = server.at_of(&uri, "textDocument/hover", 1, 2);
        (server, codes, hover["contents"]["value"].as_str().unwrap_or_default().to_owned())
    };
    let (server, codes, _) = found(&[]);
    assert!(codes.is_empty(), "{codes:?}");
    assert_eq!(server.end(), Some(0));
    let (mut server, codes, hover) = found(&["--settings", settings.to_str().expect("text")]);
    assert_eq!(codes, ["PRL101"]);
    assert!(hover.contains("0.4.0"), "{hover}");
    // A change of the settings has an effect too.
    fs::write(&settings, "[lint]\nignore = [\"PRL101\", \"PRL520\"]\n").expect("it is written");
    let changed = json!({ "changes": [{ "uri": format!("file://{}", settings.display()), "type": 2 }] });
    server.tell("workspace/didChangeWatchedFiles", &changed);
    assert_eq!(server.published_for(&uri, 1), Vec::<Value>::new());
    assert_eq!(server.end(), Some(0));
    let (server, _, hover) = found(&["--target", "0.6.0"]);
    assert!(hover.contains("0.6.0"), "{hover}");
    assert_eq!(server.end(), Some(0));
    let refused = client::cfg(&["lsp", "--settings", "/nowhere/cfg.toml"]).output().expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn the_machine_of_cfg_lsp_counts_for_all_files() {
    let model = "model = { name = \"Qwen/Qwen3-14B\" }\n";
    let states = "# /// config\n# prime_rl = \"0.6.0\"\n# hardware = \"1x H200\"\n# ///\n";
    let own = "[gpus.zeta]\nmemory = \"12 GiB\"\n";
    let folder = folder(&[("own/cfg.toml", own)]);
    let root = fs::canonicalize(folder.path()).expect("it is there");
    let found = |path: &str, words: &[&str], head: &str| {
        let mut server = Server::with_words(words);
        let uri = format!("file://{}/{path}", root.display());
        server.open_as(&uri, &format!("{head}{model}"));
        let codes: Vec<String> =
            server.published_for(&uri, 1).iter().filter_map(|found| Some(found["code"].as_str()?.to_owned())).collect();
        assert_eq!(server.end(), Some(0));
        codes.iter().any(|code| code.starts_with("PRL40"))
    };
    let plain = "# /// config\n# prime_rl = \"0.6.0\"\n# ///\n";
    let file = "inference.toml";
    assert!(!found(file, &[], plain));
    assert!(found(file, &["--gpu", "1x RTX 4090"], plain));
    assert!(!found(file, &["--gpu", "1x H200"], plain));
    // The option takes precedence over the file.
    assert!(!found(file, &[], states));
    assert!(found(file, &["--gpu", "1x RTX 4090"], states));
    // If the machine is unknown, other findings remain: the machine in the file is used.
    let small = states.replace("H200", "RTX 4090");
    assert!(found(file, &["--gpu", "nonsense"], &small));
    // A card from a folder's own settings is known in that folder.
    assert!(found("own/inference.toml", &["--gpu", "1x zeta"], states));
    assert!(!found(file, &["--gpu", "1x zeta"], states));
}

#[test]
fn a_base_is_checked_again_when_another_file_includes_it() {
    let folder = folder(&[("base.toml", "max_steps = 5\n[trainer]\n")]);
    let root = fs::canonicalize(folder.path()).expect("it is there");
    let uri = |path: &str| format!("file://{}/{path}", root.display());
    let (mut server, _) = Server::start(&json!({}));
    server.open_as(&uri("base.toml"), "max_steps = 5\n[trainer]\n");
    let codes = |found: &[Value]| found.iter().filter_map(|found| Some(found["code"].as_str()?.to_owned())).collect::<Vec<_>>();
    assert_eq!(codes(&server.published_for(&uri("base.toml"), 1)), ["PRL103"]);
    let overlay = format!("{HEAD}toml_files = [\"base.toml\"]\n[orchestrator]\n");
    fs::write(folder.path().join("run.toml"), overlay).expect("it is written");
    server.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [{ "uri": uri("run.toml"), "type": 1 }] }));
    assert_eq!(codes(&server.published_for(&uri("base.toml"), 1)), Vec::<String>::new());
    fs::remove_file(folder.path().join("run.toml")).expect("it is ours");
    server.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [{ "uri": uri("run.toml"), "type": 3 }] }));
    assert_eq!(codes(&server.published_for(&uri("base.toml"), 1)), ["PRL103"]);
    assert_eq!(server.end(), Some(0));
}

/// The text in the editor after "fix all".
fn repaired(folder: &Path, file: &str) -> String {
    let root = fs::canonicalize(folder).expect("it is there");
    let uri = format!("file://{}/{file}", root.display());
    let (mut server, _) = Server::start(&json!({ "general": { "positionEncodings": ["utf-8"] } }));
    let text = fs::read_to_string(folder.join(file)).expect("it is there");
    server.open_as(&uri, &text);
    let start = json!({ "line": 0, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": start, "end": start },
        "context": { "diagnostics": [], "only": ["source.fixAll"] },
    });
    let actions = server.ask("textDocument/codeAction", &params);
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |place: &Value| {
        let number = |name: &str| usize::try_from(place[name].as_u64().expect("a number")).expect("it fits");
        starts[number("line")] + number("character")
    };
    let edits = actions[0]["edit"]["changes"][&uri].as_array().cloned().unwrap_or_default();
    let mut edits: Vec<(usize, usize, String)> = edits
        .iter()
        .map(|edit| {
            let new = edit["newText"].as_str().expect("a text").to_owned();
            (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]), new)
        })
        .collect();
    edits.sort();
    assert_eq!(server.end(), Some(0));
    edits.into_iter().rev().fold(text, |text, (start, end, new)| format!("{}{new}{}", &text[..start], &text[end..]))
}

/// An editor and `--fix` write the same bytes.
#[test]
fn fix_all_in_an_editor_equals_fix_on_the_command_line() {
    let moved = "[trainer.model.experimental.lora]\nrank = 8  # low\n\n[orchestrator]\nrollouts_per_exmaple = 4\n";
    let sources = "# where from\n[trainer]\n[[orchestrator.train.env]]\nid = \"reverse-text\"  # the demo\nargs = { a = 1 }\n\
                   [[orchestrator.train.env]]\nname = \"x\"\ntaskset = { id = \"a/b\" }\nharness = { id = \"default\" }\n";
    for (target, text, holds) in [
        ("0.4.0", moved, "[trainer.model.lora]\nrank = 8  # low\n"),
        ("0.8.0", sources, "[orchestrator.train.source.legacy]\n"),
        ("0.8.0", "[trainer]\n[orchestrator]\nrollouts_per_example = 4\n", "group_size = 4\n"),
    ] {
        let folder = folder(&[("cfg.toml", &format!("target = \"{target}\"\n")), ("rl.toml", text)]);
        let edited = repaired(folder.path(), "rl.toml");
        cfg(folder.path(), &["check", "--fix", "rl.toml"]);
        let written = fs::read_to_string(folder.path().join("rl.toml")).expect("it is there");
        assert!(written.contains(holds), "{written}");
        assert_eq!(edited, written);
        assert_eq!(repaired(folder.path(), "rl.toml"), written);
    }
}

/// The amounts of memory in a text, such as `71.3 GiB`.
fn amounts(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| pair[1].starts_with("GiB"));
    pairs.map(|pair| format!("{} GiB", pair[0].trim_start_matches('('))).collect()
}

/// The numbers in a document, taken as bytes and converted to GiB.
fn sizes(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::Number(bytes) => found.extend(bytes.as_f64().map(|bytes| format!("{:.1} GiB", bytes / f64::from(1 << 30)))),
        Value::Array(items) => items.iter().for_each(|item| sizes(item, found)),
        Value::Object(members) => members.values().for_each(|member| sizes(member, found)),
        _ => {}
    }
}

/// The figures about a config in a hover are those of the command.
#[test]
fn a_hover_names_the_figures_of_memory_and_plan() {
    let root = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).expect("it is there");
    let (mut reports, mut sentences, mut shares) = (0, 0, 0);
    let mut files: Vec<_> =
        fs::read_dir(root.join("configs/prime-rl")).expect("a folder").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let (mut server, _) = Server::start(&json!({ "general": { "positionEncodings": ["utf-8"] } }));
    for path in files {
        let file = path.strip_prefix(&root).expect("within").to_str().expect("text");
        let said = |command: &str, more: &[&str]| {
            let output = client::cfg(&[&[command, file], more].concat()).current_dir(&root).output().expect("it runs");
            String::from_utf8(output.stdout).expect("text")
        };
        let (memory, plan) = (said("memory", &[]), said("plan", &[]));
        // The table in the hover combines small parts.
        let mut parts = Vec::new();
        sizes(&serde_json::from_str(&said("memory", &["--format", "json"])).unwrap_or_default(), &mut parts);
        let (uri, text) = (format!("file://{}", path.display()), fs::read_to_string(&path).expect("it is there"));
        server.open_as(&uri, &text);
        for (number, line) in (0..).zip(text.lines()) {
            let mut hover = |column| {
                let hover = server.at_of(&uri, "textDocument/hover", number, column);
                hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
            };
            if line.starts_with("# hardware") {
                let report = hover(3);
                let report = report.split("```").nth(1).map_or("", |fenced| fenced.trim_start_matches("text\n").trim_end());
                // The first lines of the command are the verdict, and what the file is.
                let figures = memory.find("\nGPU 0").map_or("", |at| memory[at..].trim());
                assert_eq!(report, figures, "{file}");
                reports += usize::from(!report.is_empty());
            } else if line.starts_with("max_steps") || line.starts_with("batch_size") {
                let hover = hover(2);
                for (name, words) in hover.lines().filter_map(|line| line.split_once(": ")) {
                    let same = plan.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}  ")));
                    // The command adds the disk space of a checkpoint.
                    sentences += usize::from(same.is_some());
                    assert!(same.is_none_or(|line| line.contains(words)), "{file}: {name}: {words}\n{plan}");
                }
            } else if line.starts_with("gpu_memory_utilization") || line.starts_with("seq_len") {
                for amount in hover(2).lines().filter(|line| line.starts_with("memory: ")).flat_map(amounts) {
                    assert!(parts.contains(&amount), "{file}: {amount}\n{memory}");
                    shares += 1;
                }
            }
        }
    }
    assert_eq!(server.end(), Some(0));
    assert!(reports >= 5 && sentences >= 10 && shares >= 10, "{reports} {sentences} {shares}");
}

/// A hover ends with the prime-rl for which `cfg check` judges the file, however it was found.
#[test]
fn a_hover_names_the_prime_rl_of_the_check() {
    let old = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\nbatch_size = 64\n[inference]\n";
    let new = "max_steps = 20\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n";
    let stated = format!("# /// config\n# prime_rl = \"0.3.0\"\n# ///\n{old}");
    let root = tempfile::tempdir().expect("a temporary folder");
    let mut targets = Vec::new();
    let (mut server, _) = Server::start(&json!({ "general": { "positionEncodings": ["utf-8"] } }));
    for (name, text) in [("old", old), ("stated", &*stated), ("new", new)] {
        let path = root.path().join(name).join("rl.toml");
        fs::create_dir(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        let output = client::cfg(&["check", path.to_str().expect("text"), "--format", "json"]).output().expect("it runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let target = report["files"][0]["target"].as_str().unwrap_or_else(|| panic!("{report:#}")).to_owned();
        let uri = format!("file://{}", path.display());
        server.open_as(&uri, text);
        let line = text.lines().position(|line| line.starts_with("batch_size")).expect("the key");
        let hover = server.at_of(&uri, "textDocument/hover", u32::try_from(line).expect("few lines"), 2);
        let hover = hover["contents"]["value"].as_str().unwrap_or_default().to_owned();
        assert!(hover.contains(&format!("prime-rl {target}")), "{name}: {target}: {hover}");
        targets.push(target);
    }
    assert!(targets[0] != targets[1] && targets[1] != targets[2], "{targets:?}");
    assert_eq!(server.end(), Some(0));
}

/// The table in the hover of a machine is that of the command, for formats of weights, windows, recurrent layers, latents and experts.
#[test]
fn a_hover_of_the_machine_has_the_figures_of_memory() {
    let root = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).expect("it is there");
    let (mut server, _) = Server::start(&json!({ "general": { "positionEncodings": ["utf-8"] } }));
    let mut compared = 0;
    for entry in fs::read_dir(root.join("tests/fixtures/figures")).expect("a folder").flatten() {
        let path = entry.path();
        let file = path.strip_prefix(&root).expect("within").to_str().expect("text");
        let output = client::cfg(&["memory", file]).current_dir(&root).output().expect("it runs");
        let memory = String::from_utf8(output.stdout).expect("text");
        let (uri, text) = (format!("file://{}", path.display()), fs::read_to_string(&path).expect("it is there"));
        server.open_as(&uri, &text);
        let line = text.lines().position(|line| line.starts_with("# hardware")).expect("a machine");
        let hover = server.at_of(&uri, "textDocument/hover", u32::try_from(line).expect("few lines"), 3);
        let hover = hover["contents"]["value"].as_str().unwrap_or_default();
        let report = hover.split("```").nth(1).map_or("", |fenced| fenced.trim_start_matches("text\n").trim_end());
        let figures = memory.find("\nGPU 0").map_or("", |at| memory[at..].trim());
        assert_eq!(report, figures, "{file}");
        compared += usize::from(!report.is_empty());
    }
    assert_eq!(server.end(), Some(0));
    assert_eq!(compared, 20);
}
