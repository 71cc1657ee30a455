//! Any bytes as a config of up to three files that name each other, for each generation of prime-rl's loader: no panic, every place within the
//! text of its file, and what is migrated can be checked.
//!
//! The first byte says for which prime-rl and how the files name each other, the second what is done besides; a zero byte ends a file.

#![no_main]

use std::{fmt::Write as _, sync::OnceLock};

use cfg_check::{Command, CommandRequest, Session, apply, check, check_command};
use cfg_diag::FileId;
use cfg_fuzz::{put, within};
use cfg_migrate::{Failure, Request, migrate};
use cfg_schema::{History, Kind, Target};
use cfg_system::MemorySystem;
use libfuzzer_sys::fuzz_target;

/// One for each loader, and what is between them.
const TARGETS: [&str; 8] = ["0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "main"];

fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(Session::default)
}

fn target(index: u8) -> Target {
    Target::parse(History::built_in(), TARGETS[usize::from(index) % TARGETS.len()]).expect("it is in the history")
}

fuzz_target!(|bytes: &[u8]| {
    let _budget = cfg_fuzz::command();
    let [first, second, bytes @ ..] = bytes else { return };
    let mut pieces: Vec<Vec<u8>> = bytes.splitn(3, |byte| *byte == 0).map(<[u8]>::to_vec).collect();
    let count = pieces.len();
    for (index, names) in [(0, "[\"b.toml\", \"c.toml\"]"), (1, "[\"c.toml\"]"), (2, "[\"a.toml\"]")] {
        if first & (8 << index) != 0 && index < count {
            pieces[index].splice(0..0, format!("toml_files = {names}\n").into_bytes());
        }
    }
    let system = MemorySystem::default();
    for (path, piece) in ["/a.toml", "/b.toml", "/c.toml"].iter().zip(&pieces) {
        put(&system, path, piece);
    }
    let kind = Kind::ALL.get(usize::from(*second) % (Kind::ALL.len() + 1)).copied();
    let wanted = Some(target(*first)).filter(|_| first & 0x40 == 0);

    let names: Vec<String> =
        ["a.toml", "b.toml"].iter().take(if first & 0x80 == 0 { 1 } else { 2 }).map(|&name| name.into()).collect();
    let command = CommandRequest {
        command: Command::Files(&names),
        environment: &[],
        kind,
        target: wanted.clone(),
        project: None,
        system: &system,
    };
    let checked = check_command(session(), &command);
    within(&checked.checked.diagnostics, &|file| checked.texts.get(file).map(|text| &*text.text));

    let (text, encoding) = cfg_syntax::decode(FileId(0), pieces[0].clone());
    let request = |text: &str, target: &Option<Target>, kind| {
        let (file, encoding) = (FileId(0), encoding.clone());
        let target = target.clone();
        let request = cfg_check::Request { file, encoding, kind, target, ..cfg_check::Request::new("a.toml", text) };
        let checked = check(session(), request);
        within(&checked.diagnostics, &|file| (file == FileId(0)).then_some(text));
        checked
    };
    // Each is made in the whole text: of many, some will do.
    for (found, fix) in
        request(&text, &wanted, kind).diagnostics.iter().filter_map(|found| Some((found, found.fix.as_ref()?))).take(64)
    {
        apply(&text, &fix.edits).unwrap_or_else(|| panic!("the edits overlap: {found:?}"));
    }
    if second & 8 != 0 && encoding.is_empty() {
        let checked = request(&text, &wanted, kind);
        let repaired = cfg_repair::repair_all(FileId(0), &text, checked, &|_, _| true, &|text| request(text, &wanted, kind));
        request(&repaired.text, &wanted, kind);
    }
    if second & 16 != 0 && encoding.is_empty() {
        let to = target(second >> 5);
        let (makes_all, is_part) = (second & 32 != 0, second & 64 != 0);
        let keeps_defaults = second & 128 != 0;
        let wanted =
            Request { path: "a.toml", text: &text, kind, from: wanted, to: to.clone(), makes_all, keeps_defaults, is_part };
        match migrate(session(), &wanted) {
            Ok(migration) => {
                let old = |file| (file == FileId(0)).then_some(&*text);
                within(&migration.before.diagnostics, &old);
                within(&migration.after.diagnostics, &|file| (file == FileId(0)).then_some(&*migration.text));
                let mut said = String::new();
                for decision in &migration.decisions {
                    write!(said, "{}", decision.key).expect("a string");
                    assert!(decision.location.is_none_or(|at| text.get(at.span.range()).is_some()));
                    assert!(decision.new_location.is_none_or(|at| migration.text.get(at.span.range()).is_some()));
                }
                migration.is_complete();
                migration.remaining().count();
                request(&migration.text, &Some(to), Some(migration.kind));
            }
            Err(Failure::NoConfig(checked) | Failure::NotToml(checked)) => {
                within(&checked.diagnostics, &|file| (file == FileId(0)).then_some(&*text));
            }
            Err(Failure::Backwards(..)) => {}
        }
    }
});
