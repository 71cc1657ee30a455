//! Tests that the files in `editors/` match the server.

use std::{collections::BTreeSet, fs, path::Path};

use cfg_diag::FileId;
use cfg_syntax::{Dialect, Document, Table, ValueKind};
use serde_json::{Value, json};

use super::client::Server;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The quoted names in a text that begin with `cfg.`, without file names.
fn named(text: &str) -> BTreeSet<String> {
    let quoted = text.split(['"', '\'', '`']).filter_map(|word| Some((word, word.strip_prefix("cfg.")?)));
    let is_name = |rest: &str| !rest.is_empty() && rest != "toml" && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    quoted.filter(|(_, rest)| is_name(rest)).map(|(word, _)| word.to_owned()).collect()
}

/// The commands that the server announces.
fn announced() -> BTreeSet<String> {
    let (server, answer) = Server::start(&json!({}));
    assert_eq!(server.end(), Some(0));
    let commands = answer["capabilities"]["executeCommandProvider"]["commands"].as_array().expect("it has commands");
    commands.iter().map(|command| command.as_str().expect("a name").to_owned()).collect()
}

fn json_of(path: &str) -> Value {
    let lines = text(path);
    // Sublime Text allows comments; in this file they are whole lines.
    let lines: Vec<&str> = lines.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    serde_json::from_str(&lines.join("\n")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn toml_of(path: &str) -> Document {
    let (document, faults) = cfg_syntax::parse(FileId(0), &text(path), Dialect::Toml10);
    assert!(faults.is_empty(), "{path}: {faults:?}");
    document
}

fn table<'d>(table: &'d Table, path: &[&str]) -> &'d Table {
    path.iter().fold(table, |table, key| {
        let value = &table.get(key).unwrap_or_else(|| panic!("there is `{key}`")).value;
        let item = if let ValueKind::Array(items) = &value.kind { &items[0] } else { value };
        if let ValueKind::Table(inner) = &item.kind { inner } else { panic!("`{key}` is a table") }
    })
}

fn strings(table: &Table, key: &str) -> Vec<String> {
    let string =
        |value: &cfg_syntax::Value| if let ValueKind::String(text) = &value.kind { Some(text.to_string()) } else { None };
    match &table.get(key).map(|entry| &entry.value) {
        Some(value) => match &value.kind {
            ValueKind::Array(items) => items.iter().filter_map(string).collect(),
            _ => string(value).into_iter().collect(),
        },
        None => Vec::new(),
    }
}

#[test]
fn every_command_that_an_editor_sends_is_one_of_the_server() {
    let announced = announced();
    for path in ["neovim/cfg.lua", "emacs/cfg.el"] {
        let named = named(&text(path));
        assert!(!named.is_empty() && named.is_subset(&announced), "{path}: {named:?} of {announced:?}");
    }
    // In the file for Neovim, names are composed of `cfg.` and one of these.
    let lua = text("neovim/cfg.lua");
    let documents = lua.lines().find_map(|line| line.trim().strip_prefix("for _, name in ipairs({ ")).expect("the list of names");
    let documents = documents.split('"').skip(1).step_by(2).map(|name| format!("cfg.{name}")).collect::<BTreeSet<_>>();
    assert!(!documents.is_empty() && documents.is_subset(&announced), "{documents:?} of {announced:?}");
    // The README lists all commands for authors of clients.
    let told = named(&text("README.md"));
    assert!(announced.is_subset(&told), "editors/README.md tells of {told:?}, and there are {announced:?}");
}

#[test]
fn the_extension_for_vs_code_has_all_commands_of_the_server() {
    let announced = announced();
    let (script, manifest) = (named(&text("vscode/extension.js")), json_of("vscode/package.json"));
    let own: BTreeSet<String> = manifest["contributes"]["commands"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|command| Some(command["command"].as_str()?.to_owned()))
        .collect();
    assert!(own.is_subset(&script), "what the manifest has, the script does: {own:?} of {script:?}");
    assert!(announced.is_subset(&script), "{announced:?} of {script:?}");
    assert!(own.is_disjoint(&announced), "the client registers those of the server itself");
    let in_manifest = named(&text("vscode/package.json"));
    let strange: Vec<&String> = script.iter().filter(|name| !announced.contains(*name) && !in_manifest.contains(*name)).collect();
    assert!(strange.is_empty(), "{strange:?} is neither the server's nor the manifest's");
    // Every setting that the script reads has a default.
    let settings = manifest["contributes"]["configuration"]["properties"].as_object().expect("settings");
    for read in text("vscode/extension.js").split("settings.get(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(settings.contains_key(&format!("cfg.{read}")), "cfg.{read}");
    }
}

#[test]
fn the_files_to_be_copied_start_the_server() {
    let helix = toml_of("helix/languages.toml");
    let server = table(&helix.root, &["language-server", "cfg"]);
    assert_eq!((strings(server, "command"), strings(server, "args")), (vec!["cfg".to_owned()], vec!["lsp".to_owned()]));
    let language = table(&helix.root, &["language"]);
    assert_eq!(strings(language, "name"), ["toml"]);
    // The list replaces that of Helix, which has had these two servers since 25.07.
    assert_eq!(strings(language, "language-servers"), ["cfg", "taplo", "tombi"]);
    let told = text("helix/README.md");
    assert!(strings(language, "language-servers").iter().all(|server| told.contains(server)), "{told}");
    let zed = toml_of("zed/extension.toml");
    assert_eq!(strings(table(&zed.root, &["language_servers", "cfg"]), "languages"), ["TOML"]);
    toml_of("zed/Cargo.toml");
    let binary = &json_of("zed/settings.json")["lsp"]["cfg"]["binary"];
    assert_eq!((&binary["path"], &binary["arguments"]), (&json!("cfg"), &json!(["lsp"])));
    let sublime = &json_of("sublime/LSP.sublime-settings")["clients"]["cfg"];
    assert_eq!((&sublime["command"], &sublime["enabled"]), (&json!(["cfg", "lsp"]), &json!(true)));
    let coc = &json_of("vim/coc-settings.json")["languageserver"]["cfg"];
    assert_eq!((&coc["command"], &coc["args"]), (&json!("cfg"), &json!(["lsp"])));
}
