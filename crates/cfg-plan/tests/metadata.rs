//! What a config says of itself.

use cfg_diag::{Diagnostic, FileId};
use cfg_plan::Metadata;
use cfg_schema::{History, Kind};
use cfg_syntax::Dialect;

fn read(text: &str) -> (Metadata, Vec<Diagnostic>) {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml10);
    Metadata::read(History::built_in(), FileId(0), text, &document)
}

const BLOCK: &str = r#"# /// config
# version = "v3"
# created = 2026-01-05
# env_version = "0.1.1"
# based_on = "configs/a.toml:v2"
# prime_rl = "0.2.0"
# hardware = "2x H100"
# input_tokens = 1500
# notes = "faster"
# kind = "rl"
# same_as = "configs/b.toml:v1"
# except = ["wandb.name", "max_steps"]
# name = "soup"
# ///
"#;

#[test]
fn every_member_is_read_with_its_place() {
    let (metadata, diagnostics) = read(BLOCK);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let version = metadata.version.expect("a version");
    assert_eq!((&*version.value, &BLOCK[version.location.span.range()]), ("v3", "\"v3\""));
    let text = |stated: &Option<cfg_plan::Stated<Box<str>>>| stated.as_ref().map(|stated| stated.value.to_string());
    assert_eq!(text(&metadata.created).as_deref(), Some("2026-01-05"));
    assert_eq!(text(&metadata.env_version).as_deref(), Some("0.1.1"));
    assert_eq!(text(&metadata.based_on).as_deref(), Some("configs/a.toml:v2"));
    assert_eq!(text(&metadata.hardware).as_deref(), Some("2x H100"));
    assert_eq!(text(&metadata.notes).as_deref(), Some("faster"));
    assert_eq!(text(&metadata.same_as).as_deref(), Some("configs/b.toml:v1"));
    assert_eq!(text(&metadata.name).as_deref(), Some("soup"));
    assert_eq!(metadata.target.map(|stated| stated.value.point.0), Some(123));
    assert_eq!(metadata.kind.map(|stated| stated.value), Some(Kind::Rl));
    assert_eq!(metadata.input_tokens.map(|stated| stated.value), Some(1500));
    let except: Vec<&str> = metadata.except.iter().map(|stated| &BLOCK[stated.location.span.range()]).collect();
    assert_eq!(except, ["\"wandb.name\"", "\"max_steps\""]);
}

#[test]
fn a_disk_has_a_size() {
    let disk = |size: &str| {
        let (metadata, diagnostics) = read(&format!("# /// config\n# disk = {size}\n# ///\n"));
        (metadata.disk.map(|stated| stated.value), diagnostics.len())
    };
    assert_eq!(disk("\"65 GB\""), (Some(65_000_000_000), 0));
    assert_eq!(disk("\"1.5TiB\""), (Some(1_649_267_441_664), 0));
    assert_eq!(disk("\" 2 tb \""), (Some(2_000_000_000_000), 0));
    for size in ["\"\"", "\"GB\"", "\"65\"", "\"-1 GB\"", "\"nan GB\"", "\"65 MB\"", "65", "\"é GB\""] {
        assert_eq!(disk(size), (None, 1), "{size}");
    }
}

#[test]
fn a_value_of_another_type_is_named_where_it_stands() {
    let text = "# /// config\n# version = 3\n# input_tokens = -1\n# created = true\n# except = [1]\n# verison = \"v3\"\n# ///\n";
    let (metadata, diagnostics) = read(text);
    let shown: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.code.code, &text[diagnostic.location.expect("a place").span.range()]))
        .collect();
    assert_eq!(shown, [("PRL015", "3"), ("PRL015", "-1"), ("PRL015", "true"), ("PRL015", "1"), ("PRL015", "verison")]);
    assert!(metadata.version.is_none() && metadata.input_tokens.is_none() && metadata.except.is_empty());
}

#[test]
fn the_table_of_the_notes_is_read_as_well() {
    let text = "[config]\nversion = \"v2\"\ncreated = \"2026-01-05\"\nowner = \"me\"\nnotes = 1\n[trainer]\n";
    let (metadata, diagnostics) = read(text);
    assert_eq!(metadata.version.map(|stated| stated.value.to_string()).as_deref(), Some("v2"));
    assert!(metadata.table.is_some());
    // What else stands in the table, prime-rl refuses with it.
    let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages, ["`notes` must be a string"]);
}

#[test]
fn the_block_counts_before_the_table() {
    let text = "# /// config\n# version = \"v3\"\n# ///\n[config]\nversion = \"v2\"\nnotes = \"old\"\n";
    let (metadata, diagnostics) = read(text);
    assert!(diagnostics.is_empty());
    assert_eq!(metadata.version.map(|stated| stated.value.to_string()).as_deref(), Some("v3"));
    assert_eq!(metadata.notes.map(|stated| stated.value.to_string()).as_deref(), Some("old"));
}
