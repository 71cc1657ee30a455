//! Any bytes as the schema of a dialect, and as a config of it, in YAML and in TOML: no panic, every place within the text, and a fix of one finding
//! leaves text that can be read.
//!
//! The bytes are the schema, the config, and a file that the config may name, with zero bytes between them.

#![no_main]

use std::path::Path;

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, Location, Severity};
use cfg_dialect::{Around, Declared, check, read_yaml};
use cfg_fuzz::{put, within};
use cfg_syntax::Dialect;
use cfg_system::MemorySystem;
use libfuzzer_sys::fuzz_target;

const FILE: FileId = FileId(0);

/// What a config is compared with where the bytes are no schema.
const SCHEMA: &str = "(root)\n  ..  root(forbid)\n\na\n  ..  union[int(ge 1), literal(\"x\", \"y\")]?\n\nb\n  ..  str(min_length 1)  ; required; alias b|c\n    pattern: [a-z]+\n    file: beside\n    lines: distinct\n    listed: list.txt\n\nd\n  ..  list[union[table(forbid), table(allow)] by name](min_length 1)\n    sum: w 1\n\nd[]<name=m>\n  ..  variant(forbid)\n\nd[]<name=m>.name\n  ..  str\n\nd[]<name=m>.w\n  ..  float(gt 0, le 1) = 0.5\n\nd[]<name=n>\n  ..  variant(allow)\n\nd[]<name=n>.name\n  ..  str\n\ne\n  ..  dict[str, float]\n    sum: * 1\n";

fuzz_target!(|bytes: &[u8]| {
    let _budget = cfg_fuzz::command();
    let mut pieces = bytes.splitn(3, |byte| *byte == 0);
    let mut text = || String::from_utf8_lossy(pieces.next().unwrap_or_default()).into_owned();
    let (schema, config, list) = (text(), text(), text());
    let declared = match Declared::read(&schema) {
        Ok(declared) => declared,
        Err(fault) => {
            assert!(!fault.message.is_empty() && fault.line.is_none_or(|line| line <= schema.lines().count()), "{fault:?}");
            Declared::read(SCHEMA).expect("it is one")
        }
    };
    let system = MemorySystem::with_files([("/here/.git/HEAD", "ref: refs/heads/main\n")]);
    put(&system, "/here/list.txt", list.as_bytes());
    let around = Around { system: &system, config: Path::new("/here/x.yaml"), project: Path::new("/here") };
    let of = |file: FileId| (file == FILE).then_some(&*config);
    let judge = |tree: Tree, texts: &[Location]| {
        let found = check(&declared, tree, &config, texts, &around);
        within(&found, &of);
        found
    };

    let yaml = read_yaml(FILE, &config);
    within(&yaml.diagnostics, &of);
    let is_told = yaml.diagnostics.iter().any(|found| found.severity >= Severity::Warning);
    assert!(yaml.tree.is_some() || is_told, "nothing is said of {config:?}");
    let found = yaml.tree.map(|tree| judge(tree, &yaml.texts)).unwrap_or_default();
    for edits in found.iter().filter_map(|found: &Diagnostic| Some(&found.fix.as_ref()?.edits)) {
        let new = cfg_check::apply(&config, edits).expect("the edits fit into the text");
        assert!(read_yaml(FILE, &new).tree.is_some(), "{new:?} of {config:?}");
    }
    let (document, _) = cfg_syntax::parse(FILE, &config, Dialect::Toml10);
    judge(Tree::from_document(FILE, document), &[]);
});
