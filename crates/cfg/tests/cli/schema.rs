//! `cfg schema export`.

use serde_json::Value;

use super::Folder;

#[test]
fn a_schema_is_printed_or_all_are_written() {
    let folder = Folder::new(&[]);
    let printed = folder.run("schema export --target 0.8.0 --kind sft");
    assert_eq!((printed.status, &*printed.stderr), (Some(0), ""));
    let schema: Value = serde_json::from_str(&printed.stdout).expect("JSON");
    assert_eq!(schema["title"], "sft config of prime-rl 0.8.0");
    let written = folder.run("schema export --target 0.8.0 -o schemas/here");
    assert_eq!((written.status, &*written.stdout), (Some(0), ""));
    assert_eq!(written.stderr.lines().count(), 5);
    let file = std::fs::read_to_string(folder.path().join("schemas/here/sft.json")).expect("it was written");
    assert_eq!(file, printed.stdout);
}
