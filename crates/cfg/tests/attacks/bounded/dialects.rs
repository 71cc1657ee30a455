//! Declared dialects: their patterns, their schemas and YAML.

use std::fmt::Write as _;

use super::letters;
use crate::victim::{Odd, Victim};

/// The settings for a dialect whose schema is `own.schema`.
const SETTINGS: &str = "[[dialect]]\nfiles = [\"*.yaml\"]\nschema = \"own.schema\"\n";

/// Checks a config of a dialect; returns the findings.
#[track_caller]
fn check(schema: &str, config: &str) -> String {
    let schema = format!("(root)\n  ..  root(allow)\n\n{schema}");
    let victim = Victim::new(&[("cfg.toml", SETTINGS), ("own.schema", &schema), ("x.yaml", config)]);
    victim.look("check --format concise x.yaml").stdout
}

/// A list in YAML that names an anchor this many times.
fn aliases(count: usize) -> String {
    format!("xs: [{}]\n", ["*e"].repeat(count).join(","))
}

#[test]
fn files_named_by_a_dialect_are_not_waited_for() {
    let settings = "[[dialect]]\nfiles = [\"*.yaml\"]\nschema = \"own.schema\"\n";
    let schema = "(root)\n  ..  root(allow)\n\nfile\n  ..  str\n    file: project\n    lines: distinct\n    listed: list\n";
    for odd in [Odd::Device, Odd::Pipe, Odd::Socket, Odd::Folder, Odd::Huge] {
        let victim = Victim::new(&[("cfg.toml", settings), ("own.schema", schema), ("x.yaml", "file: odd\n")]);
        victim.put(odd, "odd");
        victim.put(odd, "list");
        assert!(matches!(victim.look("check .").status, Some(0 | 1)), "a file of a check");
        let victim = Victim::new(&[("cfg.toml", settings), ("x.yaml", "file: odd\n")]);
        victim.put(odd, "own.schema");
        assert_eq!(victim.look("check .").status, Some(1), "the schema");
        let victim = Victim::new(&[("cfg.toml", settings), ("own.schema", schema)]);
        victim.put(odd, "x.yaml");
        victim.look("check .");
        victim.look("check x.yaml");
    }
}

#[test]
fn a_pattern_of_a_dialect_takes_linear_time() {
    let settings = "[[dialect]]\nfiles = [\"*.yaml\"]\nschema = \"own.schema\"\n";
    let long = "a".repeat(500_000);
    for (pattern, is_read) in [
        ("(a*)*b", true),
        ("(a|aa)+$", true),
        ("(a{1000}){1000}", false),
        ("((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})", false),
    ] {
        let schema = format!("(root)\n  ..  root(allow)\n\nname\n  ..  str\n    pattern: {pattern}\n");
        let victim = Victim::new(&[("cfg.toml", settings), ("own.schema", &schema), ("x.yaml", &format!("name: {long}\n"))]);
        let ended = victim.look("check --format concise x.yaml");
        assert_eq!(ended.stdout.contains("PRL028"), !is_read, "{pattern}: {ended:?}");
    }
}

#[test]
fn a_text_that_aliases_repeat_is_not_copied_without_end() {
    let long = "x".repeat(900_000);
    for (anchor, schema) in [
        (format!("e: &e {{a: {long}}}\n"), "xs\n  ..  list[str]\n"),
        (format!("e: &e {{{long}: 1}}\n"), "xs\n  ..  list[dict[str, str]]\n"),
        (format!("e: &e {long}\n"), "xs\n  ..  list[str]\n    longest: 3\n"),
    ] {
        let said = check(schema, &(anchor + &aliases(20_000)));
        assert!(said.contains("PRL007") && said.contains("repeat more than 8 MiB of text"), "{said}");
    }
    let mut doubled = format!("a0: &a0 {}\n", "x".repeat(500_000));
    (1..12).for_each(|at| writeln!(doubled, "a{at}: &a{at} [*a{0}, *a{0}]", at - 1).expect("a line"));
    assert!(check("", &doubled).contains("repeat more than 8 MiB of text"));
}

#[test]
fn the_patterns_of_a_schema_are_bounded_together() {
    for pattern in ["[a-z]{1,30}(b|c){1,30}", "(a{1,30}){1,200}"] {
        let fields = (0..1500).map(|at| format!("k{at}\n  ..  str\n    pattern: {pattern}{at}\n\n")).collect::<Vec<_>>().concat();
        let said = check(&fields, "k1: aaaa\n");
        assert!(said.contains("PRL028") && said.contains("too large together"), "{said}");
    }
}

#[test]
fn matching_a_pattern_is_bounded() {
    let text: String = letters().take(500_000).collect();
    let said = check("name\n  ..  str\n    pattern: ([ab]*a[ab]{2000}|x)*\n", &format!("name: {text}\n"));
    assert!(said.contains("not all values are compared"), "{said}");
}

#[test]
fn the_files_that_a_dialect_reads_are_bounded() {
    let schema = "(root)\n  ..  root(allow)\n\nxs\n  ..  list[str]\n    file: project\n    lines: distinct\n";
    let lines = (0..400_000).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let victim = Victim::new(&[("cfg.toml", SETTINGS), ("own.schema", schema)]);
    let names: Vec<String> = (0..20).map(|at| format!("f{at}")).collect();
    names.iter().for_each(|name| victim.write(name, &lines));
    victim.write("x.yaml", &format!("xs: [{}]\n", names.join(", ")));
    let said = victim.look("check --format concise x.yaml").stdout;
    assert!(said.contains("not all values are compared"), "{said}");
}

#[test]
fn a_field_of_many_choices_is_bounded() {
    let choices: Vec<String> = (0..80_000).map(|at| format!("\"{at}\"")).collect();
    let values: Vec<String> = (0..20_000).map(|at| format!("a{at}")).collect();
    let schema = format!("xs\n  ..  list[literal({})]\n", choices.join(", "));
    let said = check(&schema, &format!("xs: [{}]\n", values.join(", ")));
    assert!(said.contains("PRL007") && said.contains("takes too much work or memory"), "{said}");
}

#[test]
fn a_long_key_is_not_in_thousands_of_findings() {
    let values = vec!["a"; 20_000].join(", ");
    let config = format!("xs:\n  ? {}\n  : [{values}]\n", "x".repeat(500_000));
    let said = check("xs\n  ..  dict[str, list[int]]\n", &config);
    assert!(said.contains("takes too much work or memory") && said.lines().count() < 100, "{}", said.len());
}

#[test]
fn a_schema_has_few_fields() {
    let fields = (0..3000).map(|at| format!("k{at}\n  ..  str\n\n")).collect::<Vec<_>>().concat();
    assert!(check(&fields, "k1: a\n").contains("PRL028"));
    let said = check(&format!("a\n  ..  str\n    says: {}\n", "x".repeat(1 << 20)), "a: b\n");
    assert!(said.contains("larger than 1 MiB"), "{said}");
    let mut doubled = String::new();
    for at in 0..40 {
        writeln!(doubled, "a{at}\n  ..  table(forbid)\n").expect("a line");
        for key in ["x", "y"] {
            writeln!(doubled, "a{at}.{key}\n  ..  table(forbid)\n  fields of dialect:a{}\n", at + 1).expect("a line");
        }
    }
    let said = check(&(doubled + "a40\n  ..  table(forbid)\n"), "b: 1\n");
    assert!(said.contains("PRL028") && said.contains("more than 200000 fields"), "{said}");
}
