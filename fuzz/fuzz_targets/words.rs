//! Any bytes as the words of a launch command, the file that they name, and environment variables: no panic, every location is within its text.
//!
//! The first byte selects the target and the program. Zero bytes separate the words (one per line), the file `a.toml`, and the variables (one
//! `NAME=VALUE` per line).

#![no_main]

use std::sync::OnceLock;

use cfg_check::{Command, CommandRequest, Session, check_command};
use cfg_fuzz::{put, within};
use cfg_schema::{History, Kind, Target};
use cfg_system::MemorySystem;
use libfuzzer_sys::fuzz_target;

/// One for each loader, and what is between them.
const TARGETS: [&str; 8] = ["0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "main"];

fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(Session::default)
}

fuzz_target!(|bytes: &[u8]| {
    let _budget = cfg_fuzz::command();
    let [first, bytes @ ..] = bytes else { return };
    let mut pieces = bytes.splitn(3, |byte| *byte == 0);
    let mut piece = || pieces.next().unwrap_or_default();
    let words: Vec<String> = String::from_utf8_lossy(piece()).split('\n').map(str::to_owned).collect();
    let system = MemorySystem::with_files([
        ("/b.toml", "max_steps = 5\n[trainer]\n[orchestrator]\n[inference]\n"),
        ("/c.json", "{\"max_steps\": 5, \"model\": {\"name\": \"m\"}}\n"),
        ("/d.yaml", "max_steps: 5\nmodel:\n  name: m\n"),
    ]);
    put(&system, "/a.toml", piece());
    let lines = String::from_utf8_lossy(piece()).into_owned();
    let variables = lines.split('\n').filter_map(|line| line.split_once('='));
    let environment: Vec<(String, String)> = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let target = Target::parse(History::built_in(), TARGETS[usize::from(first % 8)]).expect("it is in the history");
    let request = CommandRequest {
        command: Command::Words(&words),
        environment: &environment,
        kind: Kind::ALL.get(usize::from(first >> 3) % (Kind::ALL.len() + 1)).copied(),
        target: Some(target).filter(|_| first & 0x80 == 0),
        project: None,
        system: &system,
    };
    let checked = check_command(session(), &request);
    within(&checked.checked.diagnostics, &|file| checked.texts.get(file).map(|text| &*text.text));
});
