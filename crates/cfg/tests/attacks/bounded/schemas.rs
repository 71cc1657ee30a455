//! Imported schemas: their size, and what comparing a config with them costs.

use std::fmt::Write as _;

use crate::victim::Victim;

const COMMANDS: [&str; 7] = [
    "check --kind rl --format concise rl.toml",
    "compile --kind rl rl.toml",
    "diff --kind rl rl.toml other.toml",
    "migrate --kind rl rl.toml --to 0.8.0",
    "schema show --kind rl --target local:x",
    "schema export --kind rl --target local:x",
    "memory --kind rl rl.toml",
];

/// A clone whose settings name an imported schema with these fields of an rl config.
fn imported(fields: &str, config: &str) -> Victim {
    let mut schema = "nearest 0.8.0\n".to_owned();
    for kind in ["rl", "trainer", "orchestrator", "inference", "sft"] {
        let fields = if kind == "rl" { fields } else { "" };
        write!(schema, "\n== {kind} ==\n(root)\n  ..  root(forbid)\n\n{fields}").expect("a section");
    }
    Victim::new(&[
        ("cfg.toml", "target = \"local:x\"\n"),
        (".cfg/schemas/x.schema", &schema),
        ("rl.toml", config),
        ("other.toml", "other = 1\n"),
    ])
}

#[test]
fn tables_that_contain_others_several_times_are_refused() {
    let mut fields = String::new();
    for at in 0..40 {
        writeln!(fields, "a{at}\n  ..  table(forbid) = {{}}  ; factory\n").expect("a field");
        for key in ["x", "y"] {
            writeln!(fields, "a{at}.{key}\n  ..  table(forbid) = {{}}  ; factory\n  fields of rl:a{}\n", at + 1)
                .expect("a field");
        }
    }
    let victim = imported(&(fields + "a40\n  ..  table(forbid) = {}  ; factory\n\n"), "a0 = {}\n");
    for words in COMMANDS {
        let ended = victim.look(words);
        assert_ne!(ended.status, Some(0), "{words}: {ended:?}");
    }
    let said = victim.look(COMMANDS[0]).stdout;
    assert!(said.contains("more than 200000 fields"), "{said}");
}

#[test]
fn a_path_of_many_steps_is_refused() {
    let victim = imported(&format!("a{}\n  ..  int = 1\n\n", ".a".repeat(1_500_000)), "a = 1\n");
    for words in COMMANDS {
        assert_ne!(victim.look(words).status, Some(0), "{words}");
    }
}

#[test]
fn many_fields_are_refused() {
    let fields = (0..60_000).map(|at| format!("k{at}\n  ..  str\n\n")).collect::<Vec<_>>().concat();
    let victim = imported(&fields, "k1 = \"a\"\n");
    for words in COMMANDS {
        assert_ne!(victim.look(words).status, Some(0), "{words}");
    }
}

#[test]
fn unions_of_unions_are_bounded() {
    let mut ty = "int".to_owned();
    for _ in 0..10 {
        ty = format!("union[list[{ty}], dict[str, {ty}]]");
    }
    let values = vec!["\"a\""; 3_000].join(", ");
    let config = format!("k = {}{values}{}\n", "[".repeat(10), "]".repeat(10));
    let victim = imported(&format!("k\n  ..  {ty}\n\n"), &config);
    COMMANDS.iter().for_each(|words| drop(victim.look(words)));
    let mut ty = "literal(\"a\")".to_owned();
    for _ in 0..7 {
        ty = format!("union[list[{ty}], list[{ty}], list[{ty}]]");
    }
    let config = format!("k = {}{values}{}\n", "[".repeat(7), "]".repeat(7));
    let victim = imported(&format!("k\n  ..  {ty}\n\n"), &config);
    let said = victim.look(COMMANDS[0]).stdout;
    assert!(said.contains("takes too much work or memory"), "{said}");
    COMMANDS.iter().for_each(|words| drop(victim.look(words)));
}
