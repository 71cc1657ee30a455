//! Any bytes as a config that says something of itself: no panic, every place within the text; what is written into it reads back as what was set,
//! leaves the keys as they are, and is written once.
//!
//! The bytes are the members' values and the text, with zero bytes between them: version, notes, based_on, the text.

#![no_main]

use cfg_diag::{FileId, Span};
use cfg_fuzz::within;
use cfg_plan::{Located, Metadata};
use cfg_registry::header;
use cfg_schema::History;
use cfg_syntax::{Dialect, Document, Table, Value, ValueKind, decode, parse};
use libfuzzer_sys::fuzz_target;

const FILE: FileId = FileId(0);

fuzz_target!(|bytes: &[u8]| {
    let _budget = cfg_fuzz::command();
    let mut pieces = bytes.splitn(4, |byte| *byte == 0);
    let mut value = || String::from_utf8_lossy(pieces.next().unwrap_or_default()).into_owned();
    let (version, notes, based_on) = (value(), value(), value());
    let (text, _) = decode(FILE, pieces.next().unwrap_or_default().to_vec());

    let (document, faults) = parse(FILE, &text, Dialect::Toml11);
    let (metadata, found) = read(&text, &document);
    within(&found, &|file| (file == FILE).then_some(&*text));
    places(&metadata, &|span| assert!(text.get(span.range()).is_some(), "{span:?}"));
    if let Some(fix) = metadata.into_block(FILE, &text, &document) {
        let new = cfg_check::apply(&text, &fix.edits).expect("the edits fit into the text");
        if faults.is_empty() && found.iter().all(|found| found.fix.is_some()) {
            let (document, faults) = parse(FILE, &new, Dialect::Toml11);
            assert_eq!(faults, [], "{new:?} of {text:?}");
            let (again, _) = read(&new, &document);
            assert_eq!(texts(&again), texts(&metadata), "{new:?} of {text:?}");
        }
    }

    let members = [("version", &*version), ("based_on", &*based_on), ("notes", &*notes)];
    let Ok(new) = header::with_members(&text, &members) else {
        let is_broken = cfg_syntax::metadata(FILE, &text, &document).is_some() || !faults.is_empty();
        assert!(is_broken, "nothing is in the way of a block in {text:?}");
        return;
    };
    let (again, more) = parse(FILE, &new, Dialect::Toml11);
    let (table, inner) = cfg_syntax::metadata(FILE, &new, &again).unwrap_or_else(|| panic!("no block in {new:?} of {text:?}"));
    assert_eq!(inner, [], "{new:?} of {text:?}");
    for (name, set) in members {
        let entry = table.get(name).unwrap_or_else(|| panic!("no {name} in {new:?} of {text:?}"));
        assert!(matches!(&entry.value.kind, ValueKind::String(read) if **read == *set), "{name} in {new:?} of {text:?}");
    }
    let (metadata, _) = read(&new, &again);
    for (read, set) in [(&metadata.version, &version), (&metadata.based_on, &based_on), (&metadata.notes, &notes)] {
        assert_eq!(read.as_ref().map(|stated| &*stated.value), Some(&**set), "{new:?} of {text:?}");
    }
    assert_eq!(header::with_members(&new, &members).as_deref(), Ok(&*new), "of {text:?}");
    if faults.is_empty() {
        assert_eq!(more, [], "{new:?} of {text:?}");
        assert_eq!(keys(&document.root, &text), keys(&again.root, &new), "{new:?} of {text:?}");
    }
});

fn read(text: &str, document: &Document) -> (Metadata, Vec<cfg_diag::Diagnostic>) {
    Metadata::read(History::built_in(), FILE, text, document)
}

fn texts(metadata: &Metadata) -> [Option<&str>; 7] {
    let Metadata { version, created, env_version, based_on, hardware, notes, name, .. } = metadata;
    [version, created, env_version, based_on, hardware, notes, name].map(|stated| stated.as_ref().map(|stated| &*stated.value))
}

fn places(metadata: &Metadata, check: &dyn Fn(Span)) {
    fn place<T>(stated: &Option<Located<T>>, check: &dyn Fn(Span)) {
        stated.iter().for_each(|stated| check(stated.location.span));
    }
    let Metadata { version, created, env_version, based_on, hardware, notes, name, same_as, local, .. } = metadata;
    [version, created, env_version, based_on, hardware, notes, name, same_as, local].iter().for_each(|text| place(text, check));
    place(&metadata.target, check);
    place(&metadata.disk, check);
    place(&metadata.input_tokens, check);
    place(&metadata.kind, check);
    metadata.except.iter().for_each(|key| check(key.location.span));
    metadata.table.iter().for_each(|table| check(table.span));
    metadata.remarks.iter().for_each(|remark| check(remark.stated.location.span));
}

/// The keys and values of a table, as they are written, without their places.
fn keys(table: &Table, text: &str) -> String {
    let entry = |entry: &cfg_syntax::Entry| format!("{}={};", entry.key.text, written(&entry.value, text));
    table.entries.iter().map(entry).collect()
}

fn written(value: &Value, text: &str) -> String {
    match &value.kind {
        ValueKind::Table(table) => format!("{{{}}}", keys(table, text)),
        ValueKind::Array(items) => items.iter().map(|item| format!("{},", written(item, text))).collect(),
        _ => text[value.span.range()].to_owned(),
    }
}
