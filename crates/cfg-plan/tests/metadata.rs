//! The metadata of a config.

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
    let text = |stated: &Option<cfg_plan::Located<Box<str>>>| stated.as_ref().map(|stated| stated.value.to_string());
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
fn a_value_of_the_wrong_type_is_reported_at_its_place() {
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
    // Unknown keys of the table are not reported, since prime-rl refuses the whole table.
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

/// The text after the fix.
fn converted(text: &str) -> Option<String> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml10);
    let (metadata, _) = Metadata::read(History::built_in(), FileId(0), text, &document);
    let fix = metadata.into_block(FileId(0), text, &document)?;
    let mut out = text.to_owned();
    for edit in fix.edits.iter().rev() {
        out.replace_range(edit.location.span.range(), &edit.new_text);
    }
    Some(out)
}

#[test]
fn words_in_comments_are_metadata_of_the_last_resort() {
    let text = "# A run.\n# Hardware: 2x RTX 5090 (32GB VRAM each)\n#\n# Config version: v2 (2026-01-06)\n# Changes from v1:\n#   - less\n# Notes: 8B was OOM.\n\nmax_steps = 1\n# version: v9\n";
    let (metadata, diagnostics) = read(text);
    let said = |stated: &Option<cfg_plan::Located<Box<str>>>| {
        stated.as_ref().map(|stated| {
            assert_eq!(&text[stated.location.span.range()], &*stated.value);
            stated.value.to_string()
        })
    };
    assert_eq!(said(&metadata.version).as_deref(), Some("v2"));
    assert_eq!(said(&metadata.created).as_deref(), Some("2026-01-06"));
    assert_eq!(said(&metadata.based_on).as_deref(), Some("v1"));
    assert_eq!(said(&metadata.hardware).as_deref(), Some("2x RTX 5090"));
    assert_eq!(said(&metadata.notes).as_deref(), Some("8B was OOM."));
    assert_eq!(diagnostics.len(), 1);
    let expected = "# A run.\n# /// config\n# hardware = \"2x RTX 5090\"\n# version = \"v2\"\n# created = \"2026-01-06\"\n# based_on = \"v1\"\n# notes = \"8B was OOM.\"\n# ///\n# Hardware: 2x RTX 5090 (32GB VRAM each)\n#\n# Changes from v1:\n#   - less\n\nmax_steps = 1\n# version: v9\n";
    assert_eq!(converted(text).as_deref(), Some(expected));
    assert!(read(expected).1.is_empty(), "{:?}", read(expected).1);
    assert_eq!(read(expected).0.version.map(|stated| stated.value.to_string()).as_deref(), Some("v2"));
}

#[test]
fn comments_without_metadata_are_not_reported() {
    for line in [
        "# Version: see below",
        "# Config version",
        "# Hardware: a fast one",
        "# Based on: Codex recommendations",
        "# Date: tomorrow",
        "# Phase 1 (steps 0-150): easy",
        "# é: é",
        "#: :",
    ] {
        let (metadata, diagnostics) = read(&format!("{line}\nmax_steps = 1\n"));
        assert!(metadata.remarks.is_empty() && diagnostics.is_empty(), "{line}: {:?}", metadata.remarks);
    }
    let block = "# /// config\n# version = \"v4\"\n# ///\n# Config version: v3\n";
    let (metadata, diagnostics) = read(block);
    assert_eq!(metadata.version.map(|stated| stated.value.to_string()).as_deref(), Some("v4"));
    assert!(diagnostics.is_empty());
}

#[test]
fn a_config_table_is_read_as_metadata() {
    let text = "# A run.\n\n# Tracking\n[config] # ours\nversion = \"v2\"\n# why\nnotes = \"\"\"faster\n\"quoted\\\" now\"\"\" # yes\nbased_on = 'a.toml:v1'\n\n[wandb]\nname = \"a\"\n";
    let expected = "# A run.\n\n# Tracking\n# /// config\n# # ours\n# version = \"v2\"\n# notes = \"faster\\n\\\"quoted\\\" now\"  # yes\n# based_on = 'a.toml:v1'\n# ///\n# why\n\n[wandb]\nname = \"a\"\n";
    assert_eq!(converted(text).as_deref(), Some(expected));
    let (metadata, diagnostics) = read(expected);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(metadata.notes.map(|stated| stated.value.to_string()).as_deref(), Some("faster\n\"quoted\" now"));
    // After other keys, with an existing block, and with the line ends of the text.
    let text = "# /// config\r\n# version = \"v3\"\r\n# ///\r\nmax_steps = 1\r\n[config]\r\nversion = \"v2\"\r\ncreated = 2026-01-05\r\n";
    let expected = "# /// config\r\n# version = \"v3\"\r\n# created = 2026-01-05\r\n# ///\r\nmax_steps = 1\r\n";
    assert_eq!(converted(text).as_deref(), Some(expected));
    // Keys that were in the table by mistake move to the root.
    assert_eq!(
        converted("[config]\ngpu = \"2x H100\"\n").as_deref(),
        Some("# /// config\n# gpu = \"2x H100\"\n# ///\n"),
        "the hardware, as settings call it"
    );
    assert_eq!(
        converted("[config]\nversion = \"v2\"\nmax_steps = 1").as_deref(),
        Some("# /// config\n# version = \"v2\"\n# ///\nmax_steps = 1")
    );
    for guess in [
        "[wandb]\n[config]\nmax_steps = 1\n",
        "max_steps = 2\n[config]\nmax_steps = 1\n",
        "[config]\na.b = 1\n[config.c]\n",
        "config = { version = \"v1\" }\n",
        "# /// config\n# version = \"v1\"\n\n[config]\nversion = \"v1\"\n",
        // Several keys on one line, which is not TOML.
        "[config]\nversion = \"v1\" notes = \"\"\n",
        "[config]\nversion = \"v1\"\rmax_steps = 1\n",
        "[config] version = \"v1\"\n",
    ] {
        assert_eq!(converted(guess), None, "{guess}");
    }
}
